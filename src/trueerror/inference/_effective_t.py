"""What an `Estimate` says: limits of an interval, and the contrast of a difference, by the effective t."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.inference._contrast import contrast, limits_without_spread, student_p, tail_area
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
    found = effective_t_limits(made.estimate, q.spec, *made.notes)
    instead = made.instead() if Note("no-variance") in found.notes else None
    return found if instead is None else instead


def effective_t_limits(e: Estimate, spec: IntervalSpec, *notes: Note | str) -> IntervalLimits:
    """Both limits; where the units show no spread, Wilson's at as many units for a metric between two ends."""
    low, high = (float(x) for x in limits(e, spec.tail))
    if math.isnan(low) or math.isnan(high):
        low, high = _without_spread(e, spec)
        notes = (*notes, Note("no-variance"))
    return IntervalLimits(low, high, KEY, notes if len(notes) > 1 else notes[0] if notes else "")


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
    """A difference over the same units, with its p-value against 0.

    Models that differ on no unit have p = 1; where all units differ alike, as many more of another kind as Wilson's
    limits allow say how far the difference may be.
    """
    estimate, found = float(e.value), spread(e)
    tail = tail_area(spec.confidence, spec.alternative)
    if float(found.error) > 0:
        t, df = (float(x) for x in t_statistic(e, 0.0))
        low, high = (float(x) for x in limits(e, tail))
        p = float(p_value(e, 0.0, spec.alternative))
        ahead = student_p(t, df, "less")
        notes: tuple[str, ...] = (note,)
    else:
        units = effective_units(e)
        df, t = max(units - 1, 1.0), 0.0 if estimate == 0 else math.nan
        notes = (note, "no spread between the units: limits as for as many that agree")
        if units < 2 or math.isnan(float(found.error)):
            low, high, p, ahead = math.nan, math.nan, math.nan, math.nan
            notes = (note, "one unit alone shows no spread")
        elif math.isfinite(e.range[1]):
            low, high = limits_without_spread(estimate, units, spec, e.range)
            p = _p_without_spread(estimate / e.range[1], units, spec)
            ahead = 0.5 if estimate == 0 else math.nan
        else:
            low, high, p = *e.range, 1.0 if estimate == 0 else math.nan
            ahead = 0.5 if estimate == 0 else math.nan
            notes = (note, "no spread between the units, and no end to how far a difference may be")
    better = None if higher_is_better is None or math.isnan(ahead) else ahead if higher_is_better else 1 - ahead
    return contrast(
        estimate=estimate, limits=(low, high), whole=e.range, confidence=spec.confidence,
        alternative=spec.alternative, method=KEY, n=n, statistic=t, df=None if math.isinf(df) else df, p_value=p,
        p_better=better, notes=notes,
    )  # fmt: skip


def _p_without_spread(share: float, units: float, spec: IntervalSpec) -> float:
    """The level at which t²/(n + t²) reaches the difference's share of its range."""
    if share == 0:
        return 1.0
    t = math.inf if abs(share) >= 1 else math.sqrt(units * abs(share) / (1 - abs(share)))
    return student_p(math.copysign(t, share), units - 1, spec.alternative)
