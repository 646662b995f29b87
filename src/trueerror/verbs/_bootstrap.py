"""`te.bootstrap`: the uncertainty of any statistic of any values, by drawing them again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.findings import Evidence, Findings, find
from trueerror.inference.bootstrap._values import LIMITS, STATISTICS, Draws, value_limits
from trueerror.inputs._arrays import column, numbers, same_length
from trueerror.inputs._options import InputError, Rng, check_confidence, check_replicates, check_word, generator
from trueerror.results import Interval, Result
from trueerror.results._format import number, percent

# Bars of the histogram of replicates.
BINS = 40


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bootstrapped(Result):
    """A statistic and what B bootstrap samples say of it; `corrected` is the estimate less the bias.

    `counts` are the replicates between neighbours of `edges`, as `.plot()` draws them.
    """

    estimate: float
    bias: float
    corrected: float
    variance: float
    error: float
    interval: Interval
    replicates: int
    edges: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    findings: Findings = field(default_factory=Findings)

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        words = (
            f"{self.interval}\nstandard error {number(self.error)}, bias {number(self.bias)}, "
            f"bias-corrected {number(self.corrected)}; {percent(self.interval.confidence)} limits from "
            f"{self.replicates:,} replicates"
        )
        return f"{words}\n{self.findings}" if len(self.findings) else words

    def __repr__(self) -> str:
        return str(self)


def bootstrap(
    values: Any, statistic: str | Callable[..., Any] | Mapping[Any, Any] = "mean", *, method: Literal["bootstrap-t",
    "bca-t", "bca", "percentile", "basic", "normal"] | None = None, replicates: int = 1000, confidence: float = 0.95,
    rng: Rng = None,
) -> Bootstrapped:  # fmt: skip
    """Draw the values again with replacement, many times: variance, limits and bias of a statistic.

    `statistic` is "mean", "median", "sd", "variance", or a function of an array; one that takes `axis=`, as NumPy's do,
    is run over all samples at once. The limits are by bootstrap-t for means and spreads of values that vary (each
    replicate by its own standard error, also for `np.std` and the like) and never nearer than Student's t, else by BCa
    with the tails of Student's t.
    `method="percentile"` gives replicates themselves, in order of size (of 1,000 at 90 %: the 50th and the 950th),
    which cover .80–.90 in small samples; "bca", "basic" and "normal" are as in the books. A finding says where the bias
    is more than a quarter of the standard error, beyond what the replicates themselves leave open. For metrics of
    predictions `te.evaluate` has sharper intervals; a function of one's own is a metric there too, and
    `bootstrap((truth, predicted), f)` draws the rows of both columns together for any f(truth, predicted).

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 6, 10, 12 to 14; Efron 1987, JASA
    82:171; Hesterberg 2015, Am. Stat. 69:371 (tails).

    >>> made = bootstrap([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], "median", confidence=0.9, method="percentile")
    >>> made.estimate, made.interval.low, made.interval.high
    (3.5, 2.0, 5.0)
    """
    level = check_confidence(confidence)
    if method is not None:
        check_word(method, LIMITS, "method")
    paired = isinstance(values, tuple) and len(values) == 2 and all(np.ndim(v) == 1 for v in values)
    sample, statistic = _rows(values, statistic) if paired else (numbers(values, "values"), statistic)
    figure = _statistic(statistic)
    least = 3 if isinstance(statistic, str) and statistic in ("sd", "variance") else 2
    if len(sample) < least:
        raise InputError(f"values has {len(sample)} value{'s' * (len(sample) != 1)}; drawn again they show no spread "
                         f"of the statistic: give at least {('two', 'three')[least - 2]}")  # fmt: skip
    draws = Draws.of(sample, figure, check_replicates(replicates, least=25), *generator(rng))
    estimate, drawn = draws.estimate, draws.replicates
    if not np.isfinite([estimate, *drawn]).all():
        raise InputError("the statistic is not a finite number on some samples; choose one that is always defined")
    bias, variance = float(drawn.mean()) - estimate, float(drawn.var(ddof=1)) if np.ptp(drawn) > 0 else 0.0
    error, limits = math.sqrt(variance), value_limits(draws, level, method)
    name = statistic if isinstance(statistic, str) else getattr(statistic, "__name__", "statistic").strip("<>")
    interval = Interval(
        name=name, estimate=estimate, low=limits.low, high=limits.high, confidence=level, method=limits.method,
        n=len(sample), note=limits.note,
        estimand=f"the {'statistic' if name == 'lambda' else name} of all values like these {len(sample):,}",
    )  # fmt: skip
    evidence = Evidence(
        bootstrap_bias=draws.bias, bootstrap_error=error, bootstrap_replicates=len(drawn),
        spread_tails=draws.tails,
    )  # fmt: skip
    counts, edges = np.histogram(drawn, bins=min(BINS, max(1, len(np.unique(drawn)))))
    return Bootstrapped(
        estimate=estimate, bias=bias, corrected=estimate - bias, variance=variance, error=error,
        interval=interval, replicates=len(drawn), edges=tuple(edges.tolist()), counts=tuple(counts.tolist()),
        findings=find([evidence]),
    )  # fmt: skip


def _rows(columns: tuple[Any, Any], statistic: Any) -> tuple[NDArray[np.float64], Callable[..., float]]:
    """Two columns as row numbers to draw, and the function of both columns as one of row numbers."""
    one = isinstance(statistic, Mapping) and len(statistic) == 1
    ((statistic, said),) = statistic.items() if one else ((statistic, {}),)
    if not callable(statistic) or statistic in (np.mean, np.median):
        metric = statistic if isinstance(statistic, str) and statistic not in STATISTICS else "accuracy"
        raise InputError(
            "two columns are bootstrapped by a function of both, te.bootstrap((truth, predicted), f); "
            f"te.evaluate(truth, predicted, metric={metric!r}) has intervals of metrics by name"
        )
    first, second = (np.asarray(column(values, name)) for values, name in zip(columns, PLACES, strict=True))
    same_length(dict(zip(PLACES, (first, second), strict=True)))
    inner = partial(getattr(statistic, "_score_func", statistic), **getattr(statistic, "_kwargs", {}))

    def of_rows(rows: NDArray[np.float64]) -> float:
        drawn = rows.astype(np.intp)
        try:
            return float(inner(first[drawn], second[drawn]))
        except ValueError:  # such as an area where only one class was drawn
            return math.nan

    of_rows.__name__ = said.get("title") or getattr(inner.func, "__name__", "statistic")
    return np.arange(len(first), dtype=np.float64), of_rows


PLACES = ("first", "second")


def _statistic(statistic: Any) -> Any:
    if callable(statistic):
        return statistic
    if not isinstance(statistic, str) or statistic not in STATISTICS:
        raise InputError(f"statistic={statistic!r} must be a function, or one of {', '.join(map(repr, STATISTICS))}")
    return STATISTICS[statistic]
