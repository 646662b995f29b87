"""Differences of areas from binned scores: what binning leaves open goes into limits and p-values.

The exact difference of two areas lies within ± the sum of both slacks. Its standard error is a norm of the differences
of placements, both classes together, so it is off by at most the sum of both errors (see `ScoreBounds`). Limits are the
outermost, and the p-value the largest, that this leaves possible.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from trueerror.inference._contrast import (
    check_test_options,
    contrast,
    limits_without_spread,
    student_p,
    student_quantile,
    tail_area,
)
from trueerror.inference._effective_t import effective_t_contrast, effective_units
from trueerror.inference._estimate import Estimate, limits, spread
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import delong_from_table
from trueerror.inference.auc._tests import sure_half_width, sure_p
from trueerror.results import Alternative, Contrast
from trueerror.tallies._scores import ScoreTable


def binned_contrast(e: Estimate, slack: float, error: float, spec: IntervalSpec, *, n: float) -> Contrast:
    """The contrast of a difference that is off by at most ± `slack`, and its standard error by at most `error`.

    >>> e = Estimate(value=np.array(0.2), units=np.array([-0.1, 0.1]), count=np.array([20.0, 20.0]), range=(-1.0, 1.0))
    >>> made = binned_contrast(replace(e, units=e.units / 20), 0.01, 0.002, IntervalSpec(), n=40)
    >>> round(made.low, 3), round(made.high, 3)
    (0.12, 0.278)
    """
    value, found = float(e.value), float(spread(e).error)
    if not found > 0 or (slack == 0 and error == 0):
        wide = e
    else:
        wide = replace(e, units=e.units * (1 + error / found))
    nearest = replace(wide, value=np.array(math.copysign(max(0.0, abs(value) - slack), value)))
    made = effective_t_contrast(nearest, spec, n=n, higher_is_better=True)
    low, high = made.low - slack, made.high + slack
    if found > 0:
        tail, (least, most) = tail_area(spec.confidence, spec.alternative), e.range
        low = float(limits(replace(wide, value=np.array(max(value - slack, least))), tail)[0])
        high = float(limits(replace(wide, value=np.array(min(value + slack, most))), tail)[1])
    if found <= error:  # the exact areas may be those of the same ranking
        least, most = limits_without_spread(value, effective_units(e), spec, e.range)
        low, high = min(low, least - slack), max(high, most + slack)
    low = made.low if spec.alternative == "less" or math.isnan(low) else low
    high = made.high if spec.alternative == "greater" or math.isnan(high) else high
    return replace(
        made, estimate=value, low=low, high=high, note="; ".join(x for x in (made.note, *within_words(slack)) if x)
    )


UNPAIRED = "delong-unpaired-t"


class Span(NamedTuple):
    """The least and the most that something can be."""

    least: float
    most: float


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
