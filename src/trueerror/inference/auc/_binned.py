"""Areas from binned scores, of one model and of two: what binning leaves open goes into limits and p-values.

The exact area A lies in [low, high], and DeLong's standard error in s ± δ (see `ScoreBounds`). The limits of an exact
table are a function of the two, so that the outermost values of that function over what is possible are sought: cell
by cell of [low, high], with every part of the formula at its worst end of the cell, so that nothing lies between.

Placements are in [0, 1] and have the mean A. Of k of them, how far they fall short of 1 adds up to k(1 − A), so that
their squares add up to no more than min(k(1 − A), k²(1 − A)²); hence what they add to the variance of the area is at
most min((1 − A)², A(1 − A)/(k − 1)), and so with A for 1 − A. Near the ends of the range this says more than s + δ.

The exact difference of two areas lies within ± the sum of both slacks. Its standard error is a norm of the differences
of placements, both classes together, so it is off by at most the sum of both errors; so is the part of either class,
from which the degrees of freedom follow. Limits and p-value are the outermost over all that this leaves possible.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import check_test_options, contrast, student_p, student_quantile, tail_area
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import (
    FEW,
    AreaCovariance,
    delong_from_placements,
    delong_from_table,
    delong_variance,
    effective_rows,
    hanley_mcneil_variance,
    newcombe_area_limits,
    unseen_low,
)
from trueerror.inference.auc._tests import area_contrast, sure_half_width, sure_p
from trueerror.inference.proportion._distributions import limits, on_logit
from trueerror.results import Alternative, Contrast
from trueerror.tallies._moments import Placements
from trueerror.tallies._score_bounds import ROUNDING, Bounds
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
CELLS = 256


def area_reach(table: ScoreTable, spec: IntervalSpec, method: str = "delong-logit") -> tuple[float, float]:
    """The outermost limits by `method` of the area of any table that these bins may hold.

    >>> table = ScoreTable([0.0, 0.5], [10, 20], [20, 10], exact=False, uppers=np.array([0.4, 1.0]))
    >>> [round(x, 3) for x in area_reach(table, IntervalSpec())]
    [0.227, 0.99]
    """
    low, high = table.bounds.auc()
    m, n = effective_rows(table)
    z = max(spec.factor(), 0.0)
    newcombe = newcombe_area_limits(low, m, n, z)[0], newcombe_area_limits(high, m, n, z)[1]
    if method == "newcombe" or (method != "hanley-mcneil" and min(m, n) < 2):
        return newcombe
    slack = table.bounds.standard_error_slack()
    spread = math.sqrt(delong_variance(table, (low + high) / 2)) if min(m, n) > 1 else math.inf
    # Inside (0, 1) an area is a multiple of 1/2mn; at its ends, and where nothing varies, Newcombe's method is taken.
    hair = max(0.5 / (m * n), 1e-15)
    ends = special.logit(np.clip([low, high], hair, 1 - hair))
    a = special.expit(np.linspace(ends[0], ends[1], CELLS + 1))
    first, last = a[:-1], a[1:]
    if method == "delong-logit":
        reach = z * _relative_error(first, last, (m, n), spread + slack)
        extremes = special.expit(special.logit(first) - reach).min(), special.expit(special.logit(last) + reach).max()
    else:
        error: Floats | float = spread + slack
        if method == "hanley-mcneil":
            # Its slope is at most 2/m + 2/n.
            at = np.array([hanley_mcneil_variance(float(x), m, n) for x in a])
            error = np.sqrt(np.maximum(at[:-1], at[1:]) + (last - first) * (2 / m + 2 / n))
        extremes = (first - z * error).min(), (last + z * error).max()
    outermost = max(0.0, float(extremes[0]) - ROUNDING), min(1.0, float(extremes[1]) + ROUNDING)
    few = method == "delong-logit" and min(m, n) * min(low, 1 - high) < FEW
    if few:
        # The largest standard error, and the area at the end where it weighs most.
        variance = (spread + slack) ** 2
        unseen = [min(unseen_low(x, variance, m, n, z) for x in ends) for ends in ((low, *a, high), 1 - a[::-1])]
        outermost = min(outermost[0], unseen[0]), max(outermost[1], 1 - unseen[1])
    if few or spread <= slack or low <= hair or high >= 1 - hair:
        return min(outermost[0], newcombe[0]), max(outermost[1], newcombe[1])
    return outermost


def _relative_error(first: Floats, last: Floats, sizes: tuple[float, float], error: float) -> Floats:
    """The largest SE/(A(1 − A)) for A between `first` and `last`, where SE is at most `error`."""
    # 1/(A(1 − A)) is convex, so that it is largest at an end.
    steep = np.maximum(1 / (first * (1 - first)), 1 / (last * (1 - last)))
    farther = np.maximum(first, 1 - last)
    capped = sum(np.minimum(farther**-2.0, steep / (size - 1)) for size in sizes)
    return np.minimum(error * steep, np.sqrt(capped))


def precision_reach(bounds: Bounds, positives: float, spec: IntervalSpec) -> tuple[float, float]:
    """The outermost limits of an average precision that lies between bounds: Boyd's, and Wilson's near the ends.

    logit θ ∓ c/√(θ(1 − θ)) rises and then falls (or falls and then rises) with θ, so that over a range it is outermost
    at an end; so is Wilson's. Which of the two is taken changes where P·θ(1 − θ) = 1.

    >>> [round(x, 3) for x in precision_reach(Bounds(0.5, 0.6), 100, IntervalSpec())]
    [0.403, 0.691]
    """
    low, high = float(bounds.low), float(bounds.high)
    root = math.sqrt(max(0.0, 0.25 - 1 / positives))
    turns = (0.5 - root, 0.5 + root)
    pairs = []
    if root > 0 and low <= turns[1] and high >= turns[0]:
        for theta in (max(low, turns[0]), min(high, turns[1])):
            pairs.append([float(x) for x in on_logit(theta, theta * (1 - theta) / positives, spec.factor())])
    if root == 0 or low < turns[0] or high > turns[1]:
        for theta in (low, high):
            wilson = limits(theta * positives, positives, "wilson", spec.level, spec.side)
            pairs.append([float(x) for x in wilson])
    return max(0.0, min(x[0] for x in pairs) - ROUNDING), min(1.0, max(x[1] for x in pairs) + ROUNDING)


# Of the areas' variances: below it the variance of a difference is taken for rounding dust.
DUST = 1e-13
UNPAIRED = "delong-unpaired-t"


class Span(NamedTuple):
    """The least and the most that something can be."""

    least: float
    most: float


def binned_area_contrast(
    found: Placements, first: int, second: int, *, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast:
    """DeLong's contrast whose limits hold for every order of the rows within bins, and whose p-value is the largest."""
    level = check_test_options(confidence, alternative)
    areas = delong_from_placements(found)
    slack, error = (float(x[first] + x[second]) for x in (found.slack, found.error))
    plain = area_contrast(areas, first, second, confidence=level, alternative=alternative)
    if (slack == 0 and error == 0) or math.isnan(plain.p_value):
        return plain
    spread, df = _spans(areas, first, second, error)
    return _widest(
        plain.estimate, slack, spread, df, (found.positives, found.negatives), level, alternative, plain.method
    )


def unpaired_table_contrast(
    first: ScoreTable, second: ScoreTable, *, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast:
    """Two areas on different rows from their score tables, binned or not: t = (A₁ − A₂)/√(V₁ + V₂), Satterthwaite's df.

    The standard error is a norm over the rows of both samples, so that it is off by √(e₁² + e₂²) at most. With shares r
    of the variance, 1/df = Σ r²/df over both classes of both samples, where each r has a largest value.

    >>> tables = [ScoreTable.count([0, 0, 1, 1], s) for s in ([0.1, 0.4, 0.35, 0.8], [0.4, 0.3, 0.2, 0.9])]
    >>> c = unpaired_table_contrast(*tables)
    >>> c.estimate, c.df
    (0.25, 2.0)
    """
    level = check_test_options(confidence, alternative)
    tables = (first, second)
    samples = [delong_from_table(t) for t in tables]
    sizes = tuple(size for s in samples for size in (s.positives, s.negatives))
    parts = [float(x[0, 0]) for s in samples for x in (s.among_positives, s.among_negatives)]
    ends = [t.bounds.auc() for t in tables]
    centres = [(low + high) / 2 for low, high in ends]
    slack = sum(high - low for low, high in ends) / 2
    difference = centres[0] - centres[1]
    if any(math.isnan(v) for v in parts):
        return contrast(
            name="AUC", estimate=difference, limits=(math.nan, math.nan), confidence=level, alternative=alternative,
            method=UNPAIRED, p_value=math.nan, statistic=math.nan, n=sum(sizes),
            notes=("a class has a single row, so the variance cannot be estimated",),
        )  # fmt: skip
    error = math.hypot(*(t.bounds.standard_error_slack() for t in tables))
    whole = math.sqrt(sum(parts))
    spread = Span(max(0.0, whole - error), whole + error)
    least, most = ([max(0.0, math.sqrt(v) + sign * error) ** 2 for v in parts] for sign in (-1, 1))
    free = [size - 1.0 for size in sizes]
    shares = [m / (m + sum(least) - x) if m else 0.0 for m, x in zip(most, least, strict=True)]
    inverse = sum(r * r / d for r, d in zip(shares, free, strict=True))
    lightest = max(min(free), 1 / inverse) if inverse else sum(free)
    df = Span(lightest, sum(free) if error else lightest)
    return _widest(difference, slack, spread, df, sizes, level, alternative, UNPAIRED)


def _widest(
    difference: float,
    slack: float,
    spread: Span,
    df: Span,
    sizes: tuple[int, ...],
    level: float,
    alternative: Alternative,
    method: str,
) -> Contrast:
    """The contrast with the outermost limits, and the largest p-value."""
    factor = student_quantile(level, alternative, df.least)
    half = max(factor * spread.most, factor * spread.least)
    if spread.least == 0:
        # The exact difference may be the same for every row.
        half = max(half, sure_half_width(math.log(tail_area(level, alternative)), sizes))
    # Towards no difference, by as much as may be.
    nearest = math.copysign(max(0.0, abs(difference) - slack), difference)
    statistic = nearest / spread.most if spread.most > 0 else math.copysign(math.inf, nearest) if nearest else 0.0
    return contrast(
        name="AUC", estimate=difference, limits=(difference - slack - half, difference + slack + half),
        confidence=level, alternative=alternative, method=method,
        p_value=_largest_p(difference, slack, spread, df, alternative, sizes), statistic=statistic, df=df.least,
        n=sum(sizes), notes=within_words(slack), p_better=student_p(statistic, df.least, "less"),
    )  # fmt: skip


def within_words(slack: float) -> tuple[str, ...]:
    """What binning leaves open of a difference; nothing where that is nothing."""
    words = f"binned scores: the exact difference lies within ±{slack:.2g} of this one"
    return (f"{words}, which the limits and p allow for",) if slack > 0 else ()


def _spans(areas: AreaCovariance, first: int, second: int, error: float) -> tuple[Span, Span]:
    """The standard error of the difference and its degrees of freedom, where parts are off by `error` at most.

    With r the share of the positives in the variance, 1/df = r²/(m − 1) + (1 − r)²/(n − 1), which is convex in r.
    """
    weights = np.zeros(len(areas.areas))
    weights[first] += 1
    weights[second] -= 1
    among_positives, among_negatives = (
        max(0.0, float(weights @ x @ weights)) for x in (areas.among_positives, areas.among_negatives)
    )
    most = math.sqrt(among_positives + among_negatives) + error
    least = max(0.0, math.sqrt(among_positives + among_negatives) - error)
    if least**2 <= DUST * float((weights * weights) @ np.diag(areas.covariance)):
        least = 0.0
    (up_least, up_most), (down_least, down_most) = (
        (max(0.0, math.sqrt(x) - error) ** 2, (math.sqrt(x) + error) ** 2) for x in (among_positives, among_negatives)
    )
    shares = up_least / (up_least + down_most), up_most / (up_most + down_least)
    free = areas.positives - 1.0, areas.negatives - 1.0
    ends = [1 / (r * r / free[0] + (1 - r) ** 2 / free[1]) for r in shares]
    flattest = free[0] / (free[0] + free[1])
    highest = free[0] + free[1] if shares[0] <= flattest <= shares[1] else max(ends)
    return Span(least, most), Span(min(ends), highest)


def _largest_p(
    difference: float, slack: float, spread: Span, df: Span, alternative: Alternative, sizes: tuple[int, ...]
) -> float:
    """The largest p-value of any difference within ± slack."""
    gap = {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative] - slack
    if gap > 0:
        # Farther than 0: the largest standard error and the heaviest tails speak least against no difference.
        sided: Alternative = "two-sided" if alternative == "two-sided" else "greater"
        p = student_p(gap / spread.most, df.least, sided) if spread.most > 0 else 0.0
        return p if spread.least > 0 else max(p, sure_p(gap, sided, sizes))
    if alternative == "two-sided" or spread.least == 0:
        return 1.0
    return student_p(gap / spread.least, df.most, "greater")
