"""Any metric of two classes at another class distribution: a function of the two recalls alone.

The delta method takes a recall of 1 for certain, so a metric at another prior looked far too sure where a class has
few rows: the negative predictive value with 15 positives, each found with chance .95, was covered .49.
Each recall's Wilson limits are carried through the metric instead (MOVER for a function).

Source: Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 2001, Am. Stat. 55:200, for limits carried through.

Rows that carry several labels: each label has its own interval; averages allow for any dependence among labels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._sampling import Sample
from trueerror.inference._spec import Terms
from trueerror.inference.counts._one_class import ClassView, class_limits
from trueerror.inference.proportion._array_intervals import limits
from trueerror.inputs._options import InputError
from trueerror.methods import default_for
from trueerror.metrics._registry import Measure, classes_in_play, find_measure
from trueerror.metrics._values import undefined_reason, value
from trueerror.results import Interval
from trueerror.tallies._confusion import BinaryCounts, Confusion
from trueerror.tallies._moments import MultiLabel

Floats = NDArray[np.float64]
# Precision has a closed form on the logit scale; F1 and its kin keep Wilson's interval at their effective rows, and
# costs their own limits.
OWN_LIMITS = ("precision",)
OWN_SITUATIONS = ("f1", "ratio", "mean-cost", "other")


def carried_through(measure: Measure, sample: Sample) -> bool:
    """Whether the limits of the two recalls decide: two classes at a prior, rows at random within each."""
    return (
        sample.shares is not None
        and sample.kind == "random"
        and len(sample.table.labels) == 2
        and (sample.place is None or not sample.shares_of_rows)
        and measure.name not in OWN_LIMITS
        and measure.situation not in OWN_SITUATIONS
    )


@np.errstate(invalid="ignore", divide="ignore")
def limits_at_prior(
    measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]
) -> tuple[float, float]:
    """f(r) − √Σ(f(r) − f(r with one recall at the limit that lowers it))², and likewise above.

    >>> from trueerror.metrics._registry import find_measure
    >>> m, t = find_measure("npv"), Confusion([[40, 5], [0, 15]])
    >>> low, high = limits_at_prior(m, Sample.of(m, t, positive=1, prior=0.3), 1.0, Terms(), {})
    >>> round(low, 3), high
    (0.91, 1.0)
    """
    terms = terms.both_sides
    t = sample.table.classes(weighted=False)
    shares = sample.shares
    assert shares is not None
    recalls = t.hits / t.truth
    ends = limits(t.hits, t.truth, "wilson", terms.level, terms.side)
    tried = np.repeat(recalls[None], 4, axis=0)
    for k in (0, 1):
        tried[2 * k, k], tried[2 * k + 1, k] = ends[0][k], ends[1][k]
    moves = (_values(measure, sample, shares, tried, options) - estimate).reshape(2, 2)
    moves = np.where(np.isnan(moves), 0.0, moves)
    down, up = np.minimum(moves.min(axis=1), 0.0), np.maximum(moves.max(axis=1), 0.0)
    return estimate - float(np.hypot(*down)), estimate + float(np.hypot(*up))


def _values(measure: Measure, sample: Sample, shares: Floats, recalls: Floats, options: dict[str, Any]) -> Floats:
    """The metric for recalls (…, 2) at the shares of the two classes."""
    wrong = 1 - recalls
    masses = np.stack(
        [shares[0] * recalls[:, 0], shares[0] * wrong[:, 0], shares[1] * wrong[:, 1], shares[1] * recalls[:, 1]], axis=1
    )
    table = sample.table
    full = Confusion.from_cells(
        labels=table.labels,
        positive=table.positive,
        row=np.array([0, 0, 1, 1]),
        col=np.array([0, 1, 0, 1]),
        counts=np.ones(4, dtype=np.int64),
        declared=True,
    )
    return np.asarray(measure.of_table(full, masses, positive=sample.positive, **options), dtype=np.float64)


DEPENDENT = "labels of one row may depend on each other in any way: the mean of the labels' limits"
BY_ROWS = "labels of one row may depend on each other in any way: as many independent decisions as rows"
NEEDS_ROWS = "how the labels of a row depend on each other is not in the counts, so no limits can be told"


def multilabel_interval(
    measure: Measure, tally: MultiLabel, options: dict[str, Any], terms: Terms, positive: Any = None
) -> Interval:
    """A metric of rows with several labels.

    The limits of a mean lie within the mean of its parts' limits however the parts depend on each other, so those are
    given for macro averages: cautious, and right without looking at the rows again.
    """
    estimate = value(measure, tally, positive=positive, **options)
    bounds = measure.range
    if math.isnan(estimate):
        low, high = (b if math.isfinite(b) else math.nan for b in bounds)
        note = undefined_reason(measure, tally, positive=positive, **options)
        return terms.interval(measure.name, estimate, low, high, bounds=bounds, method="wilson", n=tally.n, note=note)
    if measure.of_one_class:
        counts = BinaryCounts(*(np.array([c]) for c in tally.binary(positive)))
        situation = measure.situation
        _, made, n = class_limits(measure, situation, _view(counts), default_for(situation), terms, options)
        low, high, key, note = (np.ravel(a)[0] for a in made)
        return terms.interval(
            measure.name,
            estimate,
            float(low),
            float(high),
            bounds=bounds,
            method=str(key),
            n=float(n[0]),
            note=str(note),
        )
    if measure.share_of_rows and measure.average is None:
        ends = limits(estimate * tally.n, tally.n, "wilson", terms.level, terms.side)
        low, high = float(ends[0]), float(ends[1])
        note = "" if measure.right_or_wrong else BY_ROWS
        return terms.interval(measure.name, estimate, low, high, bounds=bounds, method="wilson", n=tally.n, note=note)
    base = find_measure(measure.of) if measure.average == "macro" else None
    if base is not None and (base.share is not None or base.situation == "f1"):
        t = tally.classes()
        situation = "f1" if base.situation == "f1" else "proportion"
        _, made, _ = class_limits(base, situation, _view(t.one_vs_rest()), default_for(situation), terms, options)
        there = classes_in_play(t)
        low, high = float(made.low[there].mean()), float(made.high[there].mean())
        return terms.interval(
            measure.name, estimate, low, high, bounds=bounds, method="mean-of-limits", n=tally.n, note=DEPENDENT
        )
    if measure.multilabel is None and measure.average is None:
        raise InputError(f"{measure.name} is not defined for rows with several labels")
    return terms.interval(
        measure.name, estimate, math.nan, math.nan, bounds=bounds, method="mean-of-limits", n=tally.n, note=NEEDS_ROWS
    )


def _view(counts: BinaryCounts) -> ClassView:
    def variance(slopes: BinaryCounts) -> Any:
        return sum(c * s * s for c, s in zip(counts, slopes, strict=True))

    return ClassView(counts, counts, "random", False, variance, lambda _: counts.total, lambda _: counts.total)
