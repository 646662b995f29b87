"""BiasVariance: where the error of learners comes from, and how optimistic their training error is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueerror.inputs.errors import InputError, nearest
from trueerror.results import Interval, Result, Table
from trueerror.results.tables import one_line
from trueerror.results.words import filled, limits, number, percent

WIDTH = 80
NAMES = {
    "domingos": "Domingos' decomposition of 0-1 loss: error = noise + bias + variance, which may be negative",
    "kohavi-wolpert": "Kohavi and Wolpert's decomposition of 0-1 loss: error = noise + bias² + variance",
    "squared": "squared loss of probabilities (Brier score): error = noise + bias² + variance",
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LossParts(Result):
    """One learner: expected error on new rows and its parts; error on held-out and on training rows, and their gap.

    `optimism` is held-out less training error. Of Domingos' decomposition, `unbiased_variance` counts where the main
    prediction is right, `biased_variance` where it is wrong and disagreeing helps; variance is the one less the other.
    """

    learner: str
    error: Interval
    noise: Interval
    bias: Interval
    variance: Interval
    training: Interval
    held_out: Interval
    optimism: Interval
    unbiased_variance: float = math.nan
    biased_variance: float = math.nan

    def __str__(self) -> str:
        parts = ", ".join(str(i).split(",")[0] for i in (self.noise, self.bias, self.variance))
        return f"{one_line(self.learner)}: error {number(self.error.estimate)} = {parts}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BiasVariance(Result):
    """Bias and variance of learners over training sets. Made by `te.bias_variance`; bv["tree"] is a `LossParts`."""

    method: str
    learners: tuple[LossParts, ...]
    rounds: int
    size: int
    test_rows: int
    drawn: str
    noise_known: bool
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()

    def __getitem__(self, learner: str) -> LossParts:
        for parts in self.learners:
            if parts.learner == learner:
                return parts
        raise InputError(f"learner {learner!r} is not known{nearest(learner, [p.learner for p in self.learners])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each learner and part."""
        fields = ("error", "noise", "bias", "variance", "training", "held_out", "optimism")
        return [
            {
                "learner": parts.learner, "part": field, "estimate": i.estimate, "low": i.low, "high": i.high,
                "method": i.method,
            }
            for parts in self.learners
            for field in fields
            for i in (getattr(parts, field),)
        ]  # fmt: skip

    def _table(self) -> Table:
        rows = tuple(
            (p.learner, *(number(i.estimate) for i in (p.error, p.noise, p.bias, p.variance, p.training)))
            for p in self.learners
        )
        bias = "bias" if self.method == "domingos" else "bias²"
        return Table(columns=("learner", "error", "noise", bias, "variance", "training error"), rows=rows)

    @property
    def verdict(self) -> str:
        """The larger part of each learner's error that it could lose, and its optimism."""
        return "\n".join(self._said(p) for p in self.learners)

    def _said(self, p: LossParts) -> str:
        bias, variance = p.bias, p.variance
        bias_word = "bias" if self.noise_known else "bias (with the noise of the labels)"
        if bias.low > variance.high:
            said = f"mostly {bias_word}: models of different training sets err alike"
        elif variance.low > bias.high:
            said = "mostly variance: models of different training sets disagree"
        else:
            said = f"{bias_word} and variance are not told apart in size"
        o = p.optimism
        return (
            f"{one_line(p.learner)}: error {number(p.error.estimate)}, {said} "
            f"({number(bias.estimate)} and {number(variance.estimate)}). Test error less training error: "
            f"{number(o.estimate)} {limits(o.low, o.high)}."
        )

    def __str__(self) -> str:
        head = f"{self.rounds:,} training sets of {self.size:,} rows, {self.drawn}; {self.test_rows:,} test rows."
        body = "\n".join(filled(f"  {line}", WIDTH, subsequent_indent="  ") for line in self.verdict.split("\n"))
        last = [f"{NAMES[self.method]}. Limits of {percent(self.confidence)} are in .frame()."]
        if not self.noise_known:
            last.append("The noise is not known from held-out rows: it is counted as bias.")
        last += self.notes
        words = "\n".join(filled(line, WIDTH) for line in last)
        return "\n\n".join([filled(head, WIDTH), body, self._table().text(WIDTH), words])
