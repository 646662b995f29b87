"""Rows that carry several labels: each label has its own interval; averages allow for any dependence among labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.intervals.one_class import ClassView, class_limits
from trueerror.intervals.proportions import limits
from trueerror.intervals.terms import Terms
from trueerror.methods import default_for
from trueerror.metrics.averages import classes_in_play
from trueerror.metrics.reasons import undefined_reason
from trueerror.metrics.registry import Measure, find_measure
from trueerror.metrics.values import value
from trueerror.results import Interval
from trueerror.tallies.counts import BinaryCounts
from trueerror.tallies.multilabel import MultiLabel

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
    if measure.needs == "binary":
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
    if measure.name in ("accuracy", "error_rate", "hamming_loss"):
        ends = limits(estimate * tally.n, tally.n, "wilson", terms.level, terms.side)
        low, high = float(ends[0]), float(ends[1])
        note = BY_ROWS if measure.name == "hamming_loss" else ""
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
