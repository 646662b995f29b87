"""`te.bootstrap`: the uncertainty of any statistic of any values, by drawing them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueerror.findings import Evidence, Findings, find
from trueerror.inference.bootstrap._limits import bootstrap_facts
from trueerror.inputs._arrays import numbers
from trueerror.inputs._options import InputError, check_confidence, check_replicates, generator
from trueerror.results import Interval, Result
from trueerror.results._format import number, percent

STATISTICS: dict[str, Callable[[Any], Any]] = {
    "mean": np.mean, "median": np.median, "sd": lambda v: np.std(v, ddof=1), "variance": lambda v: np.var(v, ddof=1),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bootstrapped(Result):
    """A statistic and what B bootstrap samples say of it; `corrected` is the estimate less the bias."""

    estimate: float
    bias: float
    corrected: float
    variance: float
    error: float
    interval: Interval
    replicates: int
    findings: Findings = field(default_factory=Findings)

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        words = (
            f"{self.interval}\nstandard error {number(self.error)}, bias {number(self.bias)}, "
            f"bias-corrected {number(self.corrected)}; {percent(self.interval.confidence)} limits are percentiles of "
            f"{self.replicates:,} replicates"
        )
        return f"{words}\n{self.findings}" if len(self.findings) else words

    def __repr__(self) -> str:
        return str(self)


def bootstrap(
    values: Any,
    statistic: str | Callable[[Any], Any] = "mean",
    *,
    replicates: int = 1000,
    confidence: float = 0.95,
    rng: Any = None,
) -> Bootstrapped:
    """Draw the values again with replacement, many times: variance, percentile limits and bias of a statistic.

    `statistic` is "mean", "median", "sd", "variance", or a function of an array. The limits are replicates themselves,
    in order of size (of 1,000 at 90 %: the 50th and the 950th). A finding says where the bias is more than a quarter
    of the standard error. For metrics of predictions `te.evaluate` has sharper intervals.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 6, 10 and 13.

    >>> made = bootstrap([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], "median", confidence=0.9)
    >>> made.estimate, made.interval.low, made.interval.high
    (3.5, 2.0, 5.0)
    """
    level = check_confidence(confidence)
    sample = numbers(values, "values")
    if len(sample) < 2:
        raise InputError(f"values has {len(sample)} value; drawing it again shows no spread: give at least two")
    draws = check_replicates(replicates, least=25)
    function = _statistic(statistic)
    random, seed = generator(rng)
    estimate = float(function(sample))
    drawn = np.array([float(function(sample[random.integers(0, len(sample), len(sample))])) for _ in range(draws)])
    if not np.isfinite([estimate, *drawn]).all():
        raise InputError("the statistic is not a finite number on some samples; choose one that is always defined")
    facts = bootstrap_facts(drawn, estimate, confidence=level)
    note = f"{draws:,} replicates, {seed}"
    low, high = facts.low, facts.high
    if not high > low:
        low = high = float("nan")
        note += "; all replicates are alike, so no limits can be told"
    name = statistic if isinstance(statistic, str) else getattr(statistic, "__name__", "statistic").strip("<>")
    shown = Interval(
        name=name, estimate=estimate, low=low, high=high, confidence=level, method="bootstrap-percentile",
        n=len(sample), note=note,
    )  # fmt: skip
    evidence = Evidence(bootstrap_bias=facts.bias, bootstrap_error=facts.error)
    return Bootstrapped(
        estimate=estimate, bias=facts.bias, corrected=facts.corrected, variance=facts.variance, error=facts.error,
        interval=shown, replicates=draws, findings=find([evidence]),
    )  # fmt: skip


def _statistic(statistic: Any) -> Callable[[Any], Any]:
    if callable(statistic):
        return statistic  # type: ignore[no-any-return]
    if statistic not in STATISTICS:
        raise InputError(f"statistic={statistic!r} must be a function, or one of {', '.join(map(repr, STATISTICS))}")
    return STATISTICS[statistic]
