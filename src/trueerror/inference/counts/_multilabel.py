"""Metrics of rows that carry several labels.

Each label has its own interval; averages allow for any dependence among labels.
"""

from __future__ import annotations

import math

import numpy as np

from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference.counts._one_class import CountProblem, EveryClass, limits_of_counts
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure, undefined_reason, value
from trueerror.results import Interval
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._moments import MultiLabel


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
        low, high = (float(v) for v in share_limits(estimate * tally.n, tally.n, "wilson", spec.level, spec.side))
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
