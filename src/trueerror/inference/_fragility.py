"""How fragile a decision is: how many more rows (or clusters) of the kind that hurts most would undo it.

A sample knows nothing of a kind of row that it does not hold, and no interval can. What can be said is a number: with k
more rows that each move the difference by w against it, the gap to the line is |gap| − k·|w| and its variance
s² + k·w². The decision is undone where the gap is as many standard errors as the limits reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from trueerror.inference._contrast import df_of_limits, student_quantile
from trueerror.inference._label_tables import every_cell
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference._variance import slopes_seen
from trueerror.inference.auc._influences import score_influences
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.metrics._registry import Measure, MetricOptions, Prior, Seen
from trueerror.results import Contrast
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import loss_rows
from trueerror.tallies import Confusion


def units_to_undo(gap: float, error: float, critical: float, worst: float) -> float:
    """How many more units that each move the estimate by `worst` would take the limit to the end of the gap.

    0 where the limit is there already, infinite where a unit moves nothing.

    >>> round(units_to_undo(0.05, 0.02, 1.96, 0.005), 2)
    1.74
    >>> units_to_undo(0.05, 0.03, 1.96, 0.005)
    0.0
    """
    gap, worst = abs(gap), abs(worst)
    left = gap * gap - (critical * error) ** 2
    if not left > 0:
        return 0.0
    if not worst > 0:
        return math.inf
    half = gap * worst + (critical * worst) ** 2 / 2
    # The smaller root of worst²·k² − 2·half·k + left = 0, without cancellation.
    return left / (half + math.sqrt(half * half - worst * worst * left))


def undone_by(c: Contrast, spec: IntervalSpec, extreme: Callable[[], Range | None]) -> float | None:
    """How many more units would undo what the limits of a contrast say of the line; None where they say nothing.

    `extreme` gives the least and the most that one more unit could add to the difference; it is asked only then.
    """
    if not (c.low > spec.bound or c.high < spec.bound):
        return None
    ends = extreme()
    if ends is None:
        return None
    side = int(c.estimate < spec.bound)
    limit, end, sign = (c.low, c.high)[side], ends[side], 1 - 2 * side
    critical = student_quantile(spec.confidence, spec.alternative, df_of_limits(c))
    reach, worst = sign * (c.estimate - limit), max(-sign * end, 0.0)
    return units_to_undo(c.estimate - spec.bound, reach / critical, critical, worst)


class Failures(NamedTuple):
    """The least and the most (classes) that a failed row of each class adds to a model's metric, and rows by class."""

    low: Floats
    high: Floats
    rows: Floats

    def of_clusters(self, groups: float) -> Failures:
        """Those of a cluster with as many rows of each class as others have; of no clusters as they are."""
        if not groups:
            return self
        low, high = ((x * self.rows / groups).sum(keepdims=True) for x in (self.low, self.high))
        return Failures(low, high, np.array([groups]))


def furthest(first: Failures | None, second: Failures | None) -> Range | None:
    """The least and the most that one more unit could add to a difference, one model alone failing on it."""
    if first is None or second is None:
        return None
    return float(min(first.low.min(), -second.high.max())), float(max(first.high.max(), -second.low.min()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Failing:
    """A metric of one model on its rows."""

    p: Any  # Predictions or a Confusion
    model: str
    measure: Measure
    options: MetricOptions
    positive: Label | None
    prior: Prior | None
    threshold: float | None

    @property
    def groups(self) -> int:
        """How many clusters there are; 0 of rows."""
        clustered = isinstance(self.p, Predictions) and self.p.has_key("clusters")
        return clustered and len(self.p.keys("clusters").names)

    def failures(self) -> Failures | None:
        """What a row, or a cluster, on which the model fails adds to it; None where that is not known."""
        found = FAILING[self.measure.needs](self)
        return found and found.of_clusters(self.groups)


def of_table(q: Failing) -> Failures:
    """A row of a label table may be called anything."""
    table = q.p if isinstance(q.p, Confusion) else q.p.confusion(q.model, threshold=q.threshold)
    seen = Seen.of(q.measure, table, q.positive, q.prior)
    full, _ = every_cell(seen.table)
    moves = slopes_seen(q.measure, seen.at(full), full.masses, q.options)
    ends = np.zeros((2, len(full.labels)))
    known = np.isfinite(moves) & np.isin(full.row, seen.table.row)
    np.minimum.at(ends[0], full.row[known], moves[known])
    np.maximum.at(ends[1], full.row[known], moves[known])
    rows = np.bincount(full.row, weights=full.masses, minlength=len(full.labels)).astype(np.float64)
    return Failures(ends[0], ends[1], rows)


def of_scores(q: Failing) -> Failures | None:
    """A row may score as rows of the other class do."""
    table = q.p.scores(q.model)
    moves = score_influences(q.measure, table, q.options)
    if moves is None:
        return None
    rows = np.array([float(table.n_positive), float(table.n_negative)])
    sums = (moves.positives * table.negatives).sum(), (moves.negatives * table.positives).sum()
    moved = np.array(sums, dtype=np.float64) / rows[::-1]
    return Failures(np.minimum(moved, 0.0), np.maximum(moved, 0.0), rows)


def of_losses(q: Failing) -> Failures | None:
    """A row may have the label that its forecast makes dearest: the dearest of all, in a cluster each its own."""
    if q.measure.row_hits:
        return of_grades(q)
    if q.p.weights_kind == "sampling":
        return None
    try:
        x = loss_rows(q.p, (q.model,), partial(q.measure.function, **q.options))
    except MemoryBudgetExceeded:
        return None
    dearest = x.all_highest if q.groups else x.highest
    return Failures(np.zeros(1), np.array([(dearest - float(x.values.mean())) / q.p.n]), np.array([float(q.p.n)]))


def of_grades(q: Failing) -> Failures:
    """A grade may lie at either end of its scale, in a cluster half way."""
    low, high = q.measure.bounds(q.options)
    reach = np.array([(high - low) / q.p.n / (1 + bool(q.groups))])
    return Failures(-reach, reach, np.array([float(q.p.n)]))


FAILING: dict[str, Callable[[Failing], Failures | None]] = {
    **dict.fromkeys(("binary", "classes", "cells"), of_table), "scores": of_scores, "losses": of_losses,
    "grades": of_grades, "class_scores": lambda _: None,
}  # fmt: skip
