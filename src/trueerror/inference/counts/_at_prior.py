"""Metrics of rows that carry several labels, and the precision along a curve at another class mix.

Each label has its own interval; averages allow for any dependence among labels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference.counts._one_class import CountProblem, EveryClass, limits_of_counts
from trueerror.inference.proportion._distributions import limits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure, undefined_reason, value
from trueerror.results import Interval
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._moments import MultiLabel

Floats = NDArray[np.float64]
# With fewer successes or failures than this Wilson's limits of a rate are joined with those of mid-p.
FEW_EVENTS = 5


def _rate_limits(x: Floats, n: Floats, spec: IntervalSpec) -> tuple[Floats, Floats]:
    """Wilson's limits, joined with those of mid-p where fewer than five successes or failures were seen."""
    wilson, exact = (limits(x, n, method, spec.level, spec.side) for method in ("wilson", "mid-p"))
    few = np.minimum(x, n - x) < FEW_EVENTS
    low = np.where(few, np.minimum(wilson[0], exact[0]), wilson[0])
    return low, np.where(few, np.maximum(wilson[1], exact[1]), wilson[1])


def precision_limits(
    hits: Floats, alarms: Floats, sizes: tuple[float, float], share: float, spec: IntervalSpec
) -> tuple[Floats, Floats]:
    """Limits of the precision π·s/(π·s + (1 − π)·f) at many thresholds, where a share π of the rows is positive.

    Precision is π/(π + (1 − π)·r) with r = f/s, f the share of the negatives and s of the positives that are called,
    `hits` and `alarms` of the `sizes`. The limits of r are the slopes of the tangents from (0, 0) to the ellipse that
    the reaches of s and f span, m²(s² − a²) − 2m·s·f + f² − b² = 0 (MOVER-R), in closed form. Source: Donner
    and Zou 2012, Stat. Methods Med. Res. 21:347.

    >>> low, high = precision_limits(np.array([100.0]), np.array([2.0]), (106.0, 179.0), 0.01, IntervalSpec())
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.193], [0.835])
    """
    up, down = np.asarray(hits, dtype=np.float64), np.asarray(alarms, dtype=np.float64)
    s, f = up / sizes[0], down / sizes[1]
    s_low, s_high = _rate_limits(up, np.full_like(up, sizes[0]), spec)
    f_low, f_high = _rate_limits(down, np.full_like(down, sizes[1]), spec)
    product = s * f

    def root(width: Floats, height: Floats) -> Floats:
        return np.sqrt(np.maximum(product**2 - width * height, 0.0))

    # s² − a² and f² − b², a towards fewer hits and b towards more alarms for the largest ratio.
    wide, tall = s_low * (2 * s - s_low), f_high * (2 * f - f_high)
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.where(wide > 0, (product + root(wide, tall)) / np.where(wide > 0, wide, 1.0), math.inf)
        wide, tall = s_high * (2 * s - s_high), f_low * (2 * f - f_low)
        below = product + root(wide, tall)
        smallest = np.where(tall > 0, tall / np.where(below > 0, below, 1.0), 0.0)
        low, high = (share / (share + (1 - share) * r) for r in (largest, smallest))
        value = share * s / np.where(s + f > 0, share * s + (1 - share) * f, 1.0)
    return np.minimum(low, value), np.maximum(high, value)


def multilabel_interval(
    measure: Measure, tally: MultiLabel, options: MetricOptions, spec: IntervalSpec, positive: Label | None = None
) -> Interval:
    """A metric of rows with several labels.

    The limits of a mean lie within the mean of its parts' limits however the parts depend on each other, so those are
    given for macro averages: cautious, and right without looking at the rows again.
    """
    estimate = value(measure, tally, positive=positive, **options)
    n, key = float(tally.n), "wilson"
    note: str | Note | None = None
    low, high = measure.range
    base = find_measure(measure.of) if measure.average == "macro" else None
    if math.isnan(estimate):
        low, high = (b if math.isfinite(b) else math.nan for b in measure.range)
        note = undefined_reason(measure, tally, positive=positive, **options)
    elif measure.of_one_class:
        q = _label_problem(measure, BinaryCounts(*(np.array([c]) for c in tally.binary(positive))), options, spec)
        raw_limits = limits_of_counts(q, choose(q))
        low, high, key, note = (a[0] for a in raw_limits[:4])
        n = float(q.sample.rows_spoken_of[0])
    elif measure.share_of_rows and measure.average is None:
        low, high = (float(v) for v in limits(estimate * tally.n, tally.n, "wilson", spec.level, spec.side))
        note = None if measure.right_or_wrong else Note("labels-by-rows")
    elif base is not None and math.isfinite(base.range[1]):
        t = tally.classes()
        q = _label_problem(base, t.one_vs_rest(), options, spec)
        raw_limits = limits_of_counts(q, choose(q))
        in_play = classes_in_play(t)
        low, high = float(raw_limits.low[in_play].mean()), float(raw_limits.high[in_play].mean())
        key, note = "mean-of-limits", Note("labels-dependent")
    elif measure.multilabel is None and measure.average is None:
        raise InputError(f"{measure.name} is not defined for rows with several labels")
    else:
        low = high = math.nan
        key, note = "mean-of-limits", Note("labels-need-rows")
    return spec.interval(
        measure.name, estimate, float(low), float(high), bounds=measure.range, method=str(key), n=n, note=note
    )


def _label_problem(measure: Measure, counts: BinaryCounts, options: MetricOptions, spec: IntervalSpec) -> CountProblem:
    view = EveryClass.of(measure, counts, options)
    return Problem(metric=measure, sample=view, spec=spec, options=options)
