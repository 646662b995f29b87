"""The difference of a metric of scores between two models on the same rows, by drawing rows or clusters again."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import generator
from trueerror.kernels.draws import seed_of
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import Limits, contrast, student_p, tail_area
from trueerror.significance.roots import crossing
from trueerror.significance.score_resamples import paired_replicates
from trueerror.variances.bootstrap import bootstrap_limits

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
ALIKE = "all replicates are alike: limits by the rule of three"


def paired_score_contrast(
    measure: Measure,
    up: Flags,
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[Any] | None = None,
    options: Mapping[str, Any] | None = None,
    replicates: int = 2_000,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
) -> Contrast:
    """First − second with expanded percentile limits: rows, or whole clusters, are drawn again, the same for both.

    Replicates of m rows vary like a mean with the divisor m, and percentiles read them like a normal: with few rows
    the limits are too narrow, as z·√((m − 1)/m) is for t. So the quantiles are those of Φ(−√(m/(m − 1))·t) with m − 1
    degrees of freedom, m the rows (or clusters) of the rarer class. Replicates in which the metric is undefined (a
    class without rows) are left out; where all are alike the limits are those of the rule of three. With so few rows
    that less than one replicate is expected beyond such a quantile the limits are estimate ± t·√(m/(m − 1))·sd of the
    replicates; a single row of a class shows no spread, and the limits are the whole range. The p-value is the level
    at which a limit reaches 0.

    Source: Hesterberg 2015, The American Statistician 69:371, section 4; Efron and Tibshirani 1993, An Introduction to
    the Bootstrap, chapters 13 and 16.

    >>> from trueerror.metrics.registry import find_measure
    >>> draw = np.random.default_rng(0)
    >>> up = np.arange(60) < 30
    >>> good, poor = (draw.standard_normal(60) + pull * up for pull in (3.0, 0.3))
    >>> c = paired_score_contrast(find_measure("average_precision"), up, good, poor)
    >>> c.low > 0, c.p_value < 0.01, c.method
    (True, True, 'paired-bootstrap-expanded')
    """
    if len(up) == 0:
        raise InputError("there are no rows to compare")
    source, seed = generator(rng)
    key = seed_of(source)
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    estimate, values, how = paired_replicates(
        measure, up, first, second, draws=replicates, seed=key, clusters=codes, options=options
    )
    if math.isnan(estimate):
        raise InputError(f"{measure.name} is undefined: {measure.undefined or 'a class has no rows'}")
    apart = [int(side.sum()) if codes is None else len(np.unique(codes[side])) for side in (up, ~up)]
    low, high = measure.range
    reach = low - high, high - low
    found = _judged(estimate, values[~np.isnan(values)], apart, tail_area(confidence, alternative), alternative, reach)
    units = "rows" if codes is None else "clusters"
    notes = [found.note.format(units=units)] if found.note else []
    if codes is not None:
        notes.append(f"{int(codes.max()) + 1:,} clusters drawn whole")
    notes += [word for word in (how, f"{replicates:,} replicates, {seed}") if word]
    better = found.ahead if measure.higher_is_better is not False else 1 - found.ahead
    return contrast(
        estimate=estimate, limits=found.limits, whole=reach, confidence=confidence, alternative=alternative,
        method="paired-bootstrap-expanded", statistic=estimate, p_value=found.p_value, n=len(up), notes=tuple(notes),
        p_better=None if math.isnan(better) else better, p_at_most=found.at_most,
    )  # fmt: skip


class _Judged(NamedTuple):
    """What replicates say: both limits, the p-value that goes with them, P(difference > 0), and a word.

    `at_most`: no more replicates reached 0 than would have in any case, so p is the smallest that they can show.
    """

    limits: Limits
    p_value: float
    ahead: float
    note: str = ""
    at_most: bool = False


def _judged(
    estimate: float, values: Floats, apart: list[int], tail: float, alternative: Alternative, reach: Limits
) -> _Judged:
    """Limits and p-value by one and the same rule, so that 0 lies outside just when p is below the level."""
    m = min(apart)
    if m < 2 or len(values) < 2:
        few = f"{m} {{units}} of the rarer class" if m != 1 else "a single one of the {units} has the rarer class"
        return _Judged(reach, 1.0, math.nan, f"{few}: no spread to judge by, so the limits are the whole range")
    ahead = float((values > 0).mean() + 0.5 * (values == 0).mean())
    share = expanded_tail(tail, m)
    by_t = share * len(values) < 1
    spread = math.sqrt(m / (m - 1)) * float(values.std())
    if by_t:
        half = -float(special.stdtrit(m - 1, tail)) * spread
        limits = estimate - half, estimate + half
    else:
        limits = bootstrap_limits(estimate, values, tail=share, method="percentile")
    if np.ptp(values) == 0 or not limits[1] > limits[0]:
        half = _rule_of_three(tail, apart)
        p = _rule_of_three_p(estimate, apart, alternative)
        return _Judged((estimate - half, estimate + half), p, ahead, ALIKE)
    if by_t:
        t = estimate / spread
        note = f"{m} {{units}} of the rarer class, too few for percentiles: Student's t from the replicates' spread"
        return _Judged(limits, student_p(t, m - 1.0, alternative), float(special.stdtr(m - 1, t)), note)
    if alternative != "two-sided":
        reaching = _share_reaching_0(values, alternative)
        return _Judged(limits, narrowed_tail(reaching, m), ahead, at_most=reaching <= _least(values))
    if estimate == 0:
        return _Judged(limits, 1.0, ahead)
    # Limits always hold the estimate, so only the one between it and 0 can tell them apart.
    towards: Alternative = "greater" if estimate > 0 else "less"
    reaching = _share_reaching_0(values, towards)
    return _Judged(limits, min(1.0, 2 * narrowed_tail(reaching, m)), ahead, at_most=reaching <= _least(values))


def _least(values: Floats) -> float:
    """The smallest share that replicates can show."""
    return 1 / (1 + len(values))


def _share_reaching_0(values: Floats, alternative: Alternative) -> float:
    """The share whose quantile, between neighbours on a line as the limits are, is 0; never below 1/(1 + B)."""
    ranked = np.sort(values if alternative == "greater" else -values)
    below = int(np.searchsorted(ranked, 0.0, side="right"))
    if below == len(ranked):
        return 1.0
    place = below - 1 - ranked[below - 1] / (ranked[below] - ranked[below - 1]) if below else 0.0
    return max(float(place) / (len(ranked) - 1), _least(values))


def _rule_of_three(tail: float, apart: list[int]) -> float:
    """Σ(1 − tail^(1/k)) over the classes: what k rows that all agree leave possible."""
    return math.fsum(-math.expm1(math.log(tail) / k) for k in apart)


def _rule_of_three_p(estimate: float, apart: list[int], alternative: Alternative) -> float:
    """The level at which the limits of the rule of three reach 0."""
    sign = {"two-sided": abs(estimate), "greater": estimate, "less": -estimate}[alternative]
    if sign <= 0:
        return 1.0
    least = sys.float_info.min
    gap = crossing(lambda x: _rule_of_three(math.exp(x), apart) - sign, math.log(least), -1e-12)
    return min(1.0, (2 if alternative == "two-sided" else 1) * math.exp(gap))


def expanded_tail(tail: float, rows: int) -> float:
    """Φ(−√(m/(m − 1))·t), t the upper quantile of Student's t with m − 1 degrees of freedom.

    >>> round(expanded_tail(0.025, 20), 4), round(expanded_tail(0.025, 10_000), 4)
    (0.0159, 0.025)
    """
    t = float(special.stdtrit(rows - 1, 1 - tail))
    return float(special.ndtr(-math.sqrt(rows / (rows - 1)) * t))


def narrowed_tail(tail: float, rows: int) -> float:
    """The tail whose expansion is this one.

    >>> round(narrowed_tail(expanded_tail(0.025, 20), 20), 6)
    0.025
    """
    z = -float(special.ndtri(tail))
    return float(special.stdtr(rows - 1, -z * math.sqrt((rows - 1) / rows)))
