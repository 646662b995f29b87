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
from trueerror.variances.delong import AreaCovariance, delong_from_placements

# Of the areas' variances: below it the variance of a difference is taken for rounding dust.
DUST = 1e-13


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
    sizes = (found.positives, found.negatives)
    difference = plain.estimate
    factor = student_quantile(level, alternative, df.least)
    half = max(factor * spread.most, factor * spread.least)
    if spread.least == 0:
        # The exact difference may be the same for every row.
        half = max(half, sure_half_width(math.log(tail_area(level, alternative)), sizes))
    # Towards no difference, by as much as may be.
    nearest = math.copysign(max(0.0, abs(difference) - slack), difference)
    statistic = nearest / spread.most
    return contrast(
        name="AUC",
        estimate=difference,
        limits=(difference - slack - half, difference + slack + half),
        confidence=level,
        alternative=alternative,
        method=plain.method,
        p_value=_largest_p(difference, slack, spread, df, alternative, sizes),
        statistic=statistic,
        df=df.least,
        n=plain.n,
        notes=(
            f"binned scores: the exact difference lies within ±{slack:.2g} of this one, which the limits and p allow "
            "for",
        ),
        p_better=student_p(statistic, df.least, "less"),
    )


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
        p = student_p(gap / spread.most, df.least, sided)
        return p if spread.least > 0 else max(p, sure_p(gap, sided, sizes))
    if alternative == "two-sided" or spread.least == 0:
        return 1.0
    return student_p(gap / spread.least, df.most, "greater")
