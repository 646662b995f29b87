"""Two areas from binned scores: what binning leaves open goes into the interval and the p-value.

The exact difference of the areas lies within ± the sum of both slacks. Its standard error is a norm of the differences
of placements, both classes together, so it is off by at most the sum of both errors; so is the part of either class,
from which the degrees of freedom follow. Limits and p-value are the outermost over all that this leaves possible.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from trueerror.results import Alternative, Contrast
from trueerror.significance.areas import area_contrast, sure_half_width, sure_p
from trueerror.significance.contrasts import check_options, contrast, student_p, student_quantile, tail_area
from trueerror.tallies.placements import Placements
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.delong import AreaCovariance, delong_from_placements, delong_from_table

# Of the areas' variances: below it the variance of a difference is taken for rounding dust.
DUST = 1e-13
UNPAIRED = "delong-unpaired-t"


class Span(NamedTuple):
    """The least and the most that something can be."""

    least: float
    most: float


def binned_area_contrast(
    found: Placements,
    first: int,
    second: int,
    *,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """DeLong's contrast whose limits hold for every order of the rows within bins, and whose p-value is the largest."""
    level = check_options(confidence, alternative)
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
    level = check_options(confidence, alternative)
    tables = (first, second)
    samples = [delong_from_table(t.positives, t.negatives) for t in tables]
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
        name="AUC",
        estimate=difference,
        limits=(difference - slack - half, difference + slack + half),
        confidence=level,
        alternative=alternative,
        method=method,
        p_value=_largest_p(difference, slack, spread, df, alternative, sizes),
        statistic=statistic,
        df=df.least,
        n=sum(sizes),
        notes=within_words(slack),
        p_better=student_p(statistic, df.least, "less"),
    )


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
    up, down = (max(0.0, float(weights @ x @ weights)) for x in (areas.among_positives, areas.among_negatives))
    most = math.sqrt(up + down) + error
    least = max(0.0, math.sqrt(up + down) - error)
    if least**2 <= DUST * float((weights * weights) @ np.diag(areas.covariance)):
        least = 0.0
    (up_least, up_most), (down_least, down_most) = (
        (max(0.0, math.sqrt(x) - error) ** 2, (math.sqrt(x) + error) ** 2) for x in (up, down)
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
