"""What an `Estimate` says: limits of an interval, and the contrast of a difference, by the effective t."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from trueerror.inference._contrast import (
    chance_ahead,
    contrast,
    limits_without_spread,
    nothing_known,
    student_p,
    student_quantile,
    tail_area,
)
from trueerror.inference._estimate import Estimate, ends_of, t_statistic
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range
from trueerror.inference._sample import Estimated
from trueerror.methods._registry import ONE, inference_method
from trueerror.results import Contrast
from trueerror.results._values import Note

KEY = "effective-t"


@inference_method(KEY, on=ONE, applies=lambda q: not (q.metric.calibration_error or q.sample.in_folds))
def effective_t(q: Problem[Any]) -> IntervalLimits:
    """The effective t of what the units add; where they show no spread, what the sample has instead."""
    e: Estimated = q.sample.estimated(q)
    return effective_t_limits(e.estimate, q.spec, *e.notes, instead=e.instead, alike=e.alike, rows=e.rows)


def effective_t_limits(
    e: Estimate,
    spec: IntervalSpec,
    *notes: Note | str,
    instead: Callable[[], IntervalLimits | None] = lambda: None,
    alike: float = math.inf,
    rows: float = math.inf,
) -> IntervalLimits:
    """Both limits; where the units show no spread those `instead`, or those of as many that agree.

    A metric of ranks says as much at its end as `alike` rows of a share; no worse ranking has limits beyond `rows`'.
    """
    low, high = (float(x) for x in ends_of(e, spec.tail))
    if math.isnan(low) or math.isnan(high):
        return instead() or IntervalLimits(*_without_spread(e, spec, alike), KEY, (*notes, Note("no-variance")))
    (least, most), q = e.range, spec.factor(max(rows - 1, 1.0))
    low = min(low, limits_without_spread(most, rows, q, e.range)[0])
    high = max(high, limits_without_spread(least, rows, q, e.range)[1])
    return IntervalLimits(low, high, KEY, notes, df=float((e.worst or e).spread.df.min()))


def _without_spread(e: Estimate, spec: IntervalSpec, alike: float) -> Range:
    """The limits of as many rows, or units, that agree; NaN where the range has an open end, or there are none."""
    at = e.worst or e
    rows, units = (at.agreeing, at.effective) if math.isinf(alike) else (alike, alike)
    if not (math.isfinite(e.range[1] - e.range[0]) and rows > 0):
        return math.nan, math.nan
    return limits_without_spread(float(e.value), rows, spec.factor(max(units - 1, 1.0)), e.range)


def effective_t_contrast(
    e: Estimate, spec: IntervalSpec, *, n: float, higher_is_better: bool | None, note: str = ""
) -> Contrast:
    """A difference over the same units, with its p-value against 0."""
    if not e.spread.error > 0:
        return _contrast_without_spread(e, spec, n, note, higher_is_better)
    t, df = (float(x) for x in t_statistic(e, 0.0))
    low, high = (float(x) for x in ends_of(e, tail_area(spec.confidence, spec.alternative)))
    return contrast(
        estimate=float(e.value), limits=(low, high), whole=e.range, confidence=spec.confidence,
        alternative=spec.alternative, method=KEY, n=n, statistic=t, df=None if math.isinf(df) else df,
        p_value=student_p(t, df, spec.alternative), p_better=chance_ahead(t, df, higher_is_better), notes=(note,),
    )  # fmt: skip


ALONE = "one unit alone shows no spread"
ENDLESS = "no spread between the units, and no end to how far a difference may be"
AGREED = "no spread between the units: limits as for that many units in agreement"


def _contrast_without_spread(e: Estimate, spec: IntervalSpec, n: float, note: str, up: bool | None) -> Contrast:
    """Models that differ on no unit have p = 1, and are even.

    Where all units differ alike, as many more of another kind as Wilson's limits allow say how far the difference may
    be; nothing does where a unit stands alone, or where there is no end to it. Clusters that add the same tell as much
    as their rows do, unless all of these are alike too.
    """
    estimate, units, most = float(e.value), e.effective, e.range[1]
    if math.isnan(e.spread.error) or units < 2:
        return nothing_known(estimate, "; ".join(filter(None, (note, ALONE))), spec, method=KEY, n=n, whole=e.range)
    rows, q = e.agreeing, student_quantile(spec.confidence, spec.alternative, units - 1)
    # With t² more rows at the other end the mean is 0.
    t = math.copysign(math.sqrt(rows * min(abs(estimate) / most, 1.0)), estimate)
    found = partial(
        contrast, estimate=estimate, limits=limits_without_spread(estimate, rows, q, e.range), whole=e.range,
        confidence=spec.confidence, alternative=spec.alternative, method=KEY, n=n, df=max(units - 1, 1.0),
    )  # fmt: skip
    if estimate == 0:
        return found(statistic=0.0, p_value=1.0, p_better=chance_ahead(0.0, 1.0, up), notes=(note, AGREED))
    if math.isinf(most):
        return found(statistic=math.nan, p_value=math.nan, notes=(note, ENDLESS))
    return found(statistic=math.nan, p_value=student_p(t, units - 1, spec.alternative), notes=(note, AGREED))
