"""What an `Estimate` says: limits of an interval, and the contrast of a difference, by the effective t."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from trueerror.inference._contrast import (
    chance_ahead,
    contrast,
    limits_without_spread,
    student_p,
    tail_area,
)
from trueerror.inference._estimate import (
    Estimate,
    Stratum,
    limits,
    p_value,
    quantile,
    spread,
    t_statistic,
)
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range
from trueerror.inference._sample import Estimated
from trueerror.methods._registry import ONE, inference_method
from trueerror.results import Contrast
from trueerror.results._values import Note

KEY = "effective-t"


def effective_units(e: Estimate) -> float:
    """How many units of equal size an estimate rests on; of several strata those of the smallest."""
    parts = [slice(None)] if e.strata is None else [e.strata == s for s in np.unique(e.strata)]
    return min(float(np.max(Stratum.of(e, members).effective)) for members in parts)


@inference_method(KEY, on=ONE, applies=lambda q: not (q.metric.calibration_error or q.sample.in_folds))
def effective_t(q: Problem[Any]) -> IntervalLimits:
    """The effective t of what the units add; where they show no spread, what the sample has instead."""
    made: Estimated = q.sample.estimated(q)
    return effective_t_limits(made.estimate, q.spec, *made.notes, instead=made.instead)


def effective_t_limits(
    e: Estimate, spec: IntervalSpec, *notes: Note | str, instead: Callable[[], IntervalLimits | None] = lambda: None
) -> IntervalLimits:
    """Both limits; where the units show no spread those `instead`, or Wilson's at as many units between two ends."""
    low, high = (float(x) for x in limits(e, spec.tail))
    if math.isnan(low) or math.isnan(high):
        return instead() or IntervalLimits(*_without_spread(e, spec), KEY, (*notes, Note("no-variance")))
    return IntervalLimits(low, high, KEY, notes)


def _without_spread(e: Estimate, spec: IntervalSpec) -> Range:
    """Wilson's limits for the place in the range, as a share of so many units; NaN where the range has an open end."""
    low, high = e.range
    units = effective_units(e.worst or e)
    if not (math.isfinite(low) and math.isfinite(high) and units > 0):
        return math.nan, math.nan
    p, q = (float(e.value) - low) / (high - low), float(quantile(np.array(max(units - 1, 1.0)), spec.tail))
    middle, reach = p + q * q / (2 * units), q * math.sqrt(max(p * (1 - p), 0.0) / units + (q / units / 2) ** 2)
    ends = ((middle + side * reach) / (1 + q * q / units) for side in (-1, 1))
    least, most = (low + (high - low) * x for x in ends)
    return least, most


def effective_t_contrast(
    e: Estimate, spec: IntervalSpec, *, n: float, higher_is_better: bool | None, note: str = ""
) -> Contrast:
    """A difference over the same units, with its p-value against 0."""
    error = float(spread(e).error)
    if not error > 0:
        return _contrast_without_spread(e, spec, n, note, higher_is_better, alone=math.isnan(error))
    t, df = (float(x) for x in t_statistic(e, 0.0))
    low, high = (float(x) for x in limits(e, tail_area(spec.confidence, spec.alternative)))
    return contrast(
        estimate=float(e.value), limits=(low, high), whole=e.range, confidence=spec.confidence,
        alternative=spec.alternative, method=KEY, n=n, statistic=t, df=None if math.isinf(df) else df,
        p_value=float(p_value(e, 0.0, spec.alternative)), p_better=chance_ahead(t, df, higher_is_better), notes=(note,),
    )  # fmt: skip


ALONE = "one unit alone shows no spread"
ENDLESS = "no spread between the units, and no end to how far a difference may be"
AGREED = "no spread between the units: limits as for as many that agree"


def _contrast_without_spread(
    e: Estimate, spec: IntervalSpec, n: float, note: str, up: bool | None, *, alone: bool
) -> Contrast:
    """Models that differ on no unit have p = 1, and are even.

    Where all units differ alike, as many more of another kind as Wilson's limits allow say how far the difference may
    be; nothing does where a unit stands alone, or where there is no end to it.
    """
    estimate, units, most = float(e.value), effective_units(e), e.range[1]
    made = partial(
        contrast, estimate=estimate, whole=e.range, confidence=spec.confidence, alternative=spec.alternative,
        method=KEY, n=n, df=max(units - 1, 1.0), statistic=0.0 if estimate == 0 else math.nan,
    )  # fmt: skip
    if alone or units < 2:
        return made(limits=(math.nan, math.nan), p_value=math.nan, notes=(note, ALONE))
    within, p, why = limits_without_spread(estimate, units, spec, e.range), math.nan, ENDLESS
    if math.isfinite(most):
        # With t² more units at the other end the mean is 0.
        t = math.copysign(math.sqrt(units * min(abs(estimate) / most, 1.0)), estimate)
        p, why = student_p(t, units - 1, spec.alternative), AGREED
    if estimate == 0:
        return made(limits=within, p_value=1.0, p_better=chance_ahead(0.0, 1.0, up), notes=(note, why))
    return made(limits=within, p_value=p, notes=(note, why))
