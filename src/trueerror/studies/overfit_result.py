"""Overfitting: training and held-out error over a complexity parameter, ready to be read and drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueerror.inputs.errors import InputError, nearest
from trueerror.metrics.registry import find_measure
from trueerror.results import Result, Table
from trueerror.results.tables import one_line
from trueerror.results.words import filled, limits, listing, number, p_value, percent

WIDTH = 80


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ComplexityPoint(Result):
    """One setting: the metric on training rows and on held-out rows, and the gap between them, each with limits."""

    setting: str
    place: float
    training: float
    training_low: float
    training_high: float
    estimate: float
    low: float
    high: float
    gap: float
    gap_low: float
    gap_high: float

    def __str__(self) -> str:
        return (
            f"{one_line(self.setting)}: {number(self.estimate)} {limits(self.low, self.high)} held out, "
            f"{number(self.training)} on training rows"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OverfitPair(Result):
    """A setting that is better than its rival on the training rows and worse on new ones, by so much in the metric.

    `p_value` is that of both together (the larger one-sided p of the two corrected t-tests), `p_adjusted` Holm's over
    all pairs.
    """

    setting: str
    rival: str
    training_lead: float
    test_loss: float
    p_value: float
    p_adjusted: float

    def __str__(self) -> str:
        return (
            f"{one_line(self.setting)} overfits against {one_line(self.rival)}: better by {number(self.training_lead)} "
            f"on training rows, worse by {number(self.test_loss)} on new ones, {p_value(self.p_adjusted)}"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Overfitting(Result):
    """Training and test error over a complexity parameter. Made by `te.overfitting`.

    A hypothesis overfits when another one has a higher training error and a lower true error (Mitchell 1997, 3.7);
    `.pairs` are the settings of which that is shown.
    """

    metric: str
    title: str
    parameter: str
    points: tuple[ComplexityPoint, ...]
    pairs: tuple[OverfitPair, ...]
    rows: int
    size: int
    plan: str = ""
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    method: str = "overfitting"

    @property
    def best(self) -> ComplexityPoint:
        """The setting that is best on held-out rows; among several the first."""
        sign = -1 if find_measure(self.metric).higher_is_better else 1
        return min(self.points, key=lambda p: math.inf if math.isnan(p.estimate) else sign * p.estimate)

    @property
    def overfits(self) -> tuple[str, ...]:
        """Settings that overfit beyond chance, in their order."""
        shown = {p.setting for p in self.pairs}
        return tuple(p.setting for p in self.points if p.setting in shown)

    def __getitem__(self, setting: object) -> ComplexityPoint:
        for p in self.points:
            if p.setting == str(setting):
                return p
        raise InputError(f"there is no setting {setting!r}{nearest(str(setting), [p.setting for p in self.points])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each setting."""
        rivals = {p.setting: [q.rival for q in self.pairs if q.setting == p.setting] for p in self.points}
        return [{**p.records()[0], "overfits_against": ", ".join(rivals[p.setting])} for p in self.points]

    def _table(self) -> Table:
        rows = tuple(
            (
                p.setting, number(p.training), f"{number(p.estimate)} {limits(p.low, p.high)}",
                f"{p.gap:+.3f} {limits(p.gap_low, p.gap_high)}", "overfits" if p.setting in self.overfits else "",
            )
            for p in self.points
        )  # fmt: skip
        return Table(columns=(self.parameter, "on training rows", f"{self.title}, held out", "gap", ""), rows=rows)

    @property
    def verdict(self) -> str:
        """Which settings overfit, against which, and which is best on new rows."""
        best = self.best
        said = [
            f"Best on new rows: {one_line(self.parameter)} {one_line(best.setting)} ({self.title} "
            f"{number(best.estimate)} {limits(best.low, best.high)}); chosen on these rows, so a little flattered."
        ]
        if not self.pairs:
            said.append(
                "No setting is shown to overfit: none is better on its training rows and worse on new ones, beyond "
                "chance."
            )
            return " ".join(said)
        names = listing([one_line(s) for s in self.overfits[:8]]) + (", …" if len(self.overfits) > 8 else "")
        first = min(self.pairs, key=lambda p: p.p_adjusted)
        many = len(self.overfits) > 1
        said.append(
            f"{names} overfit{'' if many else 's'}: {one_line(first.setting)} is better than {one_line(first.rival)} "
            f"by {number(first.training_lead)} on the training rows, but worse by {number(first.test_loss)} on new "
            f"ones ({p_value(first.p_adjusted)})."
        )
        return " ".join(said)

    def __str__(self) -> str:
        head = f"{self.rows:,} rows, {len(self.points)} settings, {self.plan}; the same splits for all."
        last = (
            f"Intervals of {percent(self.confidence)} (corrected t). Overfitting is tested for each pair of settings: "
            "training rows and held-out rows must both say so (Holm)."
        )
        body = filled(f"  {self.verdict}", WIDTH, subsequent_indent="  ")
        words = [filled(w, WIDTH) for w in (last, *self.notes)]
        return "\n\n".join([filled(head, WIDTH), body, self._table().text(WIDTH), "\n".join(words)])
