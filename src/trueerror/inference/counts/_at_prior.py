"""Metrics at another class distribution, and metrics of rows that carry several labels.

At another prior a metric of two classes, or of one class against the rest, is a function of two rates alone: the share
of the class's rows that were called so, and the share of the other rows that were not. The delta method takes a rate of
1 for certain: precision without a false alarm among 40 negatives looked like 1.000 [.806, 1] at 5 % positives, where
.32 cannot be excluded. So the limits of the two rates are carried through the metric, together: over the ellipse that
their reaches span. Of a sum of two rates this is MOVER, of a ratio of two MOVER-R.

Of rows with several labels each label has its own interval; averages allow for any dependence among labels.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec, Problem, solve
from trueerror.inference._variance import chosen_positive
from trueerror.inference.counts._one_class import (
    AVERAGES_OF_SHARES,
    WITHIN_CLASSES,
    CountProblem,
    carried_through,
    rows_spoken_of,
    view_of_counts,
)
from trueerror.inference.proportion._distributions import RawLimits, limits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods import Default, Method, declare, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure, undefined_reason, value
from trueerror.results import Interval
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion
from trueerror.tallies._moments import MultiLabel

Floats = NDArray[np.float64]
CARRIED_SITUATIONS = ("proportion", "f1", *AVERAGES_OF_SHARES, "mcc", "smooth", "smooth-share", "correlation")
# With fewer successes or failures than this Wilson's limits of a rate are joined with those of mid-p.
FEW_EVENTS = 5
# Directions that are tried at first, and how often the neighbourhood of the best one is looked at more closely.
DIRECTIONS = 360
CLOSER, ZOOMS = 20, 3


@inference_method(
    "mover-r",
    answers=CARRIED_SITUATIONS,
    default={
        situation: Default(
            why="at another prior mover-r covers .93–.99 with any number of errors (exact); the delta method falls to "
            ".82 with two false alarms expected"
            if situation in ("proportion", "f1")
            else "",
            when=carried_through,
        )
        for situation in CARRIED_SITUATIONS
    },
    applies=carried_through,
    title="limits of the two rates carried through the metric (MOVER-R)",
    formula="min and max of f(s, t) over Σ((s − ŝ)/reach)² = 1, s the share of the class's rows that were called so, t "
    "that of the other rows that were not; reaches to Wilson's limits, with fewer than 5 errors or hits to the outer "
    "ones of Wilson's and mid-p. For precision: π/(π + (1 − π)·r), r the MOVER-R limits of (1 − t)/s",
    source="Donner and Zou 2012, Stat. Methods Med. Res. 21:347; Zou and Donner 2008, Stat. Med. 27:1693; "
    "Newcombe 2001, Am. Stat. 55:200",
    assumes=WITHIN_CLASSES,
    measured="exact, 680 cells with 8 to 100 rows of one class and 15 to 1,000 of the other, priors .01 to .7: "
    "precision .943–.997, F1 .930–.995, NPV .930–.994, Matthews correlation .930–.995, accuracy .929–.997; with 5 "
    "errors expected in each class .935–.979. The delta method covers .82 with two false alarms expected",
    advice="with fewer than 5 errors in a class the limits are wide, and mostly too wide",
)
@np.errstate(invalid="ignore", divide="ignore")
def limits_at_prior(q: CountProblem) -> RawLimits:
    """The lowest and the highest value of the metric over the ellipse of the two rates."""
    rates = class_rates(q)
    reach = np.stack((rates.rates - rates.low, rates.high - rates.rates))
    low, high = (_extreme(q, rates, reach, sign) for sign in (1.0, -1.0))
    return RawLimits.of((np.array([low]), np.array([high])), "mover-r")._replace(n=float(q.sample.sample.rows.n))


class ClassRates(NamedTuple):
    """Of the other rows the share not predicted so, of the class's own the share that was; limits and shares."""

    rates: Floats
    low: Floats
    high: Floats
    shares: Floats


def class_rates(q: CountProblem) -> ClassRates:
    """The two rates that a metric at another prior is a function of.

    With several classes the rows of the others come in the shares that the prior gives them, and their limits are
    combined by MOVER.
    """
    sample, spec = q.sample.sample, q.spec.both_sides
    table, shares = sample.table, sample.shares
    assert shares is not None
    t = table.classes(weighted=False)
    if len(table.labels) == 2:
        low, high = _rate_limits(t.hits, t.truth, spec)
        return ClassRates(t.hits / t.truth, low, high, shares)
    index = table.labels.index(chosen_positive(table, sample.positive))
    called = table.col == index
    alarms = np.bincount(table.row[called], weights=table.counts[called], minlength=len(table.labels))
    others = (shares > 0) & (np.arange(len(table.labels)) != index)
    n, quiet = t.truth[others], (t.truth - alarms)[others]
    rest = float(shares[others].sum())
    weights = shares[others] / rest if rest > 0 else shares[others]
    low, high = _rate_limits(quiet, n, spec)
    rate = float((weights * quiet / n).sum())
    down, up = (float(np.hypot.reduce(weights * d)) for d in (quiet / n - low, high - quiet / n))
    own_low, own_high = _rate_limits(t.hits[index : index + 1], t.truth[index : index + 1], spec)
    return ClassRates(
        np.array([rate, t.hits[index] / t.truth[index]]), np.array([max(rate - down, 0.0), own_low[0]]),
        np.array([min(rate + up, 1.0), own_high[0]]), np.array([rest, shares[index]]),
    )  # fmt: skip


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
    the reaches of s and f span, m²(s² − a²) − 2m·s·f + f² − b² = 0: those of `mover-r`, in closed form. Source: Donner
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


def _extreme(q: CountProblem, rates: ClassRates, reach: Floats, sign: float) -> float:
    """The lowest value over the ellipse, or the highest where `sign` is −1; where it is undefined it is left out."""
    angles, width = np.linspace(0.0, 2 * math.pi, DIRECTIONS, endpoint=False), 2 * math.pi / DIRECTIONS
    best = float(q.sample.estimate[0])
    for _ in range(1 + ZOOMS):
        way = np.stack((np.cos(angles), np.sin(angles)), axis=1)
        values = _values(q, rates.rates + np.where(way > 0, reach[1], reach[0]) * way, rates.shares)
        known = np.where(np.isnan(values), math.inf, sign * values)
        at = int(np.argmin(known))
        if known[at] < sign * best:
            best = float(values[at])
        angles, width = angles[at] + np.linspace(-width, width, 2 * CLOSER + 1), width / CLOSER
    return best


def _values(q: CountProblem, rates: Floats, shares: Floats) -> Floats:
    """The metric for rates (…, 2) at the shares of the two classes."""
    rates = np.clip(rates, 0.0, 1.0)
    wrong = 1 - rates
    masses = np.stack(
        [shares[0] * rates[:, 0], shares[0] * wrong[:, 0], shares[1] * wrong[:, 1], shares[1] * rates[:, 1]], axis=1
    )
    table = q.sample.sample.table
    two = len(table.labels) == 2
    full = Confusion.from_cells(
        labels=table.labels if two else (False, True),
        positive=table.positive if two else True,
        row=np.array([0, 0, 1, 1]),
        col=np.array([0, 1, 0, 1]),
        counts=np.ones(4, dtype=np.int64),
        declared=True,
    )
    positive = q.sample.sample.positive if two else True
    return np.asarray(q.metric.of_table(full, masses, positive=positive, **q.options), dtype=np.float64)


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
        raw_limits: RawLimits = solve(q)
        low, high, key, note = (a[0] for a in raw_limits[:4])
        n = float(rows_spoken_of(q)[0])
    elif measure.share_of_rows and measure.average is None:
        low, high = (float(v) for v in limits(estimate * tally.n, tally.n, "wilson", spec.level, spec.side))
        note = None if measure.right_or_wrong else Note("labels-by-rows")
    elif base is not None and (base.share is not None or base.situation == "f1"):
        t = tally.classes()
        raw_limits = solve(_label_problem(base, t.one_vs_rest(), options, spec))
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
    view = view_of_counts(measure, counts, options)
    return Problem(situation=measure.situation, metric=measure, sample=view, spec=spec, options=options)
