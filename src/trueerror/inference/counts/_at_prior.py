"""Metrics of two classes at another class distribution, and metrics of rows that carry several labels.

At another prior any metric of two classes is a function of the two recalls alone. The delta method takes a recall of 1
for certain, so such a metric looked far too sure where a class has few rows: the negative predictive value with 15
positives, each found with chance .95, was covered .49. Each recall's Wilson limits are carried through the metric
instead (MOVER for a function). Source: Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 2001, Am. Stat. 55:200, for
limits carried through.

Of rows with several labels each label has its own interval; averages allow for any dependence among labels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec, Problem, solve
from trueerror.inference.counts._one_class import (
    AVERAGES_OF_SHARES,
    CountProblem,
    carried_through,
    rows_spoken_of,
    view_of_counts,
)
from trueerror.inference.proportion._array_intervals import RawLimits, limits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods import Default, Method, declare, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure
from trueerror.metrics._values import undefined_reason, value
from trueerror.results import Interval
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion
from trueerror.tallies._moments import MultiLabel

Floats = NDArray[np.float64]
# F1 and its kin keep Wilson's interval at their effective rows, ratios and costs their own limits.
CARRIED_SITUATIONS = ("proportion", *AVERAGES_OF_SHARES, "mcc", "smooth", "smooth-share", "correlation")


@inference_method(
    "mover-wilson",
    answers=CARRIED_SITUATIONS,
    default=dict.fromkeys(CARRIED_SITUATIONS, Default(why="", when=carried_through)),
    applies=carried_through,
)
@np.errstate(invalid="ignore", divide="ignore")
def limits_at_prior(q: CountProblem) -> RawLimits:
    """f(r) − √Σ(f(r) − f(r with one recall at the limit that lowers it))², and likewise above."""
    spec, estimate = q.spec.both_sides, float(q.sample.estimate[0])
    t = q.sample.sample.table.classes(weighted=False)
    recalls = t.hits / t.truth
    ends = limits(t.hits, t.truth, "wilson", spec.level, spec.side)
    tried = np.repeat(recalls[None], 4, axis=0)
    for k in (0, 1):
        tried[2 * k, k], tried[2 * k + 1, k] = ends[0][k], ends[1][k]
    moves = (_values(q, tried) - estimate).reshape(2, 2)
    moves = np.where(np.isnan(moves), 0.0, moves)
    down, up = np.minimum(moves.min(axis=1), 0.0), np.maximum(moves.max(axis=1), 0.0)
    pair = np.array([estimate - float(np.hypot(*down))]), np.array([estimate + float(np.hypot(*up))])
    return RawLimits.of(pair, "mover-wilson")._replace(n=float(q.sample.sample.rows.n))


def _values(q: CountProblem, recalls: Floats) -> Floats:
    """The metric for recalls (…, 2) at the shares of the two classes."""
    sample, wrong = q.sample.sample, 1 - recalls
    table, shares = sample.table, sample.shares
    assert shares is not None
    masses = np.stack(
        [shares[0] * recalls[:, 0], shares[0] * wrong[:, 0], shares[1] * wrong[:, 1], shares[1] * recalls[:, 1]], axis=1
    )
    full = Confusion.from_cells(
        labels=table.labels,
        positive=table.positive,
        row=np.array([0, 0, 1, 1]),
        col=np.array([0, 1, 0, 1]),
        counts=np.ones(4, dtype=np.int64),
        declared=True,
    )
    return np.asarray(q.metric.of_table(full, masses, positive=sample.positive, **q.options), dtype=np.float64)


declare(
    Method(
        key="mean-of-limits",
        title="mean of the labels' limits",
        formula="Σ l_i/L to Σ u_i/L over the labels' own limits",
        source="MOVER with every correlation at 1: Zou and Donner 2008, Stat. Med. 27:1693",
        assumes="independent rows; labels of one row may depend on each other in any way",
        advice="wider than it needs to be where the labels are nearly independent",
    )
)


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
        found: RawLimits = solve(q)
        low, high, key, note = (a[0] for a in found[:4])
        n = float(rows_spoken_of(q)[0])
    elif measure.share_of_rows and measure.average is None:
        low, high = (float(v) for v in limits(estimate * tally.n, tally.n, "wilson", spec.level, spec.side))
        note = None if measure.right_or_wrong else Note("labels-by-rows")
    elif base is not None and (base.share is not None or base.situation == "f1"):
        t = tally.classes()
        found = solve(_label_problem(base, t.one_vs_rest(), options, spec))
        there = classes_in_play(t)
        low, high = float(found.low[there].mean()), float(found.high[there].mean())
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
    view = view_of_counts(measure, counts, options)
    return Problem(situation=measure.situation, metric=measure, sample=view, spec=spec, options=options)
