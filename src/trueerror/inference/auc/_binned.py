"""Differences of areas from binned scores: what binning leaves open goes into limits and p-values.

The exact difference of two areas lies within ± the sum of both slacks. Its standard error is a norm of the differences
of placements, both classes together, so it is off by at most the sum of both errors (see `ScoreBounds`). Limits are the
outermost, and the p-value the largest, that this leaves possible.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from trueerror.inference._contrast import check_test_options, limits_without_spread, student_quantile, tail_area
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate, ends_of, estimate_of_sums
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import area_sums
from trueerror.inference.auc._tests import straight_contrast
from trueerror.results import Alternative, Contrast
from trueerror.tallies._scores import ScoreTable


def binned_contrast(e: Estimate, slack: float, error: float, spec: IntervalSpec, *, n: float) -> Contrast:
    """The contrast of a difference that is off by at most ± `slack`, and its standard error by at most `error`.

    >>> e = Estimate(value=np.array(0.2), units=np.array([-0.1, 0.1]), count=np.array([20.0, 20.0]), range=(-1.0, 1.0))
    >>> made = binned_contrast(replace(e, units=e.units / 20), 0.01, 0.002, IntervalSpec(), n=40)
    >>> round(made.low, 3), round(made.high, 3)
    (0.12, 0.278)
    """
    value, found = float(e.value), float(e.spread.error)
    if not found > 0 or (slack == 0 and error == 0):
        wide = e
    else:
        wide = replace(e, units=e.units * (1 + error / found))
    nearest = replace(wide, value=np.array(math.copysign(max(0.0, abs(value) - slack), value)))
    made = effective_t_contrast(nearest, spec, n=n, higher_is_better=True)
    low, high = made.low - slack, made.high + slack
    if found > 0:
        tail, (least, most) = tail_area(spec.confidence, spec.alternative), e.range
        low = float(ends_of(replace(wide, value=np.array(max(value - slack, least))), tail)[0])
        high = float(ends_of(replace(wide, value=np.array(min(value + slack, most))), tail)[1])
    if found <= error:  # the exact areas may be those of the same ranking
        least, most = limits_without_spread(
            value, e.effective, student_quantile(spec.confidence, spec.alternative, e.effective - 1), e.range
        )
        low, high = min(low, least - slack), max(high, most + slack)
    low = made.low if spec.alternative == "less" or math.isnan(low) else low
    high = made.high if spec.alternative == "greater" or math.isnan(high) else high
    return replace(
        made, estimate=value, low=low, high=high, note="; ".join(x for x in (made.note, *within_words(slack)) if x)
    )


def binned_delong(e: Estimate, slack: float, error: float, spec: IntervalSpec, *, n: float, method: str) -> Contrast:
    """The same by Student's t as it is, within the range."""
    low, high = e.range
    straight = replace(e, range=(-math.inf, math.inf)) if float(e.spread.error) > 0 else e
    made = binned_contrast(straight, slack, error, spec, n=n)
    return replace(made, low=max(made.low, low), high=min(made.high, high), method=method)


def unpaired_table_contrast(
    first: ScoreTable, second: ScoreTable, *, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast:
    """Two areas on different rows from their score tables, binned or not: t = (A₁ − A₂)/√(V₁ + V₂), Satterthwaite's df.

    The standard error is a norm over the rows of both samples, so that it is off by √(e₁² + e₂²) at most.

    >>> tables = [ScoreTable.count([0, 0, 1, 1], s) for s in ([0.1, 0.4, 0.35, 0.8], [0.4, 0.3, 0.2, 0.9])]
    >>> c = unpaired_table_contrast(*tables)
    >>> c.estimate, c.df
    (0.25, 2.0)
    """
    tables, method = (first, second), "delong-unpaired-t"
    spec = IntervalSpec(confidence=confidence, alternative=alternative)
    samples = [sample for t in tables for sample in area_sums(t)]
    ends = [t.bounds.auc() for t in tables]
    difference = float(np.mean(ends[0]) - np.mean(ends[1]))
    slack = sum(high - low for low, high in ends) / 2
    error = math.hypot(*(t.bounds.standard_error_slack() for t in tables))
    if slack == error == 0 or min(x.rows for x in samples) < 2:
        return straight_contrast(difference, samples, spec, method)
    n = sum(x.rows for x in samples)
    e = estimate_of_sums(difference, samples, (-1.0, 1.0))
    return binned_delong(
        e, slack, error, replace(spec, confidence=check_test_options(confidence, alternative)), n=n, method=method
    )


def within_words(slack: float) -> tuple[str, ...]:
    """What binning leaves open of a difference; nothing where that is nothing."""
    words = f"binned scores: the exact difference lies within ±{slack:.2g} of this one"
    return (f"{words}, which the limits and p allow for",) if slack > 0 else ()
