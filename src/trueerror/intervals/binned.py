"""Intervals of metrics from binned scores: what binning leaves open goes into the limits, and into the note.

The limits hold for every order that the rows may have within bins: the lower one is at most, the upper one at least
that of the exact table, whichever it is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.intervals.binned_areas import area_reach, precision_reach
from trueerror.intervals.losses import loss_limits, loss_range
from trueerror.intervals.roc_area import AREA_METHODS
from trueerror.intervals.terms import Terms
from trueerror.metrics.binned import NO_BOUND, bound_words, metric_bounds, middled, with_scores
from trueerror.metrics.priors import Prior
from trueerror.metrics.probabilities import loss_moments, table_losses
from trueerror.metrics.registry import Measure
from trueerror.results import Interval
from trueerror.tallies.bounds import Bounds
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.delong import delong_from_table


def with_bounds(
    found: Interval,
    measure: Measure,
    table: ScoreTable,
    terms: Terms,
    *,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    prior: Prior | None = None,
) -> Interval:
    """The interval widened to hold that of the exact table, whatever it is; the same where the table is exact.

    Areas, average precision and mean losses have limits of their own for this (`area_reach`, `precision_reach`);
    those of a bootstrap move out by what is open, and areas' grow in the ratio of the largest to the binned standard
    error besides. `method` is the one that was asked for.
    """
    if table.exact or math.isnan(found.estimate):
        return found
    chosen = options or {}
    bounds = metric_bounds(measure, table, options=chosen, prior=prior)
    if bounds is None:
        return noted(found, NO_BOUND)
    low, high = moved(found, bounds)
    if measure.name in ("auc", "gini"):
        low, high = _area(found, measure, table, terms, method, (low, high))
    elif measure.name == "average_precision" and not found.method.startswith("bootstrap"):
        low, high = precision_reach(bounds, float(table.n_positive), terms)
    elif measure.needs == "losses" and not found.method.startswith("bootstrap") and prior is None:
        low, high = _loss_reach(found, measure, table, bounds, chosen, terms)
    ends = loss_range(measure, chosen)
    low, high = max(ends[0], min(low, found.low)), min(ends[1], max(high, found.high))
    if terms.side == "upper":
        low = found.low
    elif terms.side == "lower":
        high = found.high
    return noted(replace(found, low=low, high=high), bound_words(bounds))


def moved(found: Interval, bounds: Bounds) -> tuple[float, float]:
    """The limits moved out by as much as the exact value may be off."""
    return found.low - (found.estimate - bounds.low), found.high + (bounds.high - found.estimate)


def widened(found: Interval, bounds: Bounds, within: tuple[float, float]) -> Interval:
    """An interval of a statistic that is known only between bounds: its limits move out with them."""
    low, high = moved(found, bounds)
    low, high = max(within[0], min(low, found.low)), min(within[1], max(high, found.high))
    return noted(replace(found, low=low, high=high), bound_words(bounds))


def noted(found: Interval, words: str) -> Interval:
    """The interval with something added to its note."""
    return replace(found, note="; ".join(x for x in (found.note, words) if x))


def _area(
    found: Interval,
    measure: Measure,
    table: ScoreTable,
    terms: Terms,
    method: str | None,
    moved_out: tuple[float, float],
) -> tuple[float, float]:
    if not found.method.startswith("bootstrap"):
        # Where a bootstrap shows no spread, the usual method stands in.
        low, high = area_reach(table, terms, method if method in AREA_METHODS else AREA_METHODS[0])
        return (low, high) if measure.name == "auc" else (2 * low - 1, 2 * high - 1)
    variance = float(delong_from_table(table.positives, table.negatives).covariance[0, 0])
    growth = table.bounds.standard_error_slack() / math.sqrt(variance) if variance > 0 else 0.0
    return (
        moved_out[0] - growth * (found.estimate - found.low),
        moved_out[1] + growth * (found.high - found.estimate),
    )


def _loss_reach(
    found: Interval, measure: Measure, table: ScoreTable, bounds: Bounds, options: dict[str, Any], terms: Terms
) -> tuple[float, float]:
    """The outer limits of the smallest and the largest mean with the largest standard error.

    The losses of a bin lie between those at its ends; a standard error is a norm, so it grows by no more than that of
    how far the losses may be off.
    """
    if not math.isfinite(bounds.high):
        return loss_range(measure, options)  # the standard error may be anything
    if table.squares is not None:
        return moved(found, bounds)
    uppers = table.bounds.uppers
    middle = middled(table)
    moments = loss_moments(middle, measure, **options)
    at = [table_losses(x, measure, **options) for x in (middle, table, with_scores(table, uppers))]
    off = 0.0
    for side, rows in ((0, table.positives), (1, table.negatives)):
        there = rows > 0
        mine, lowest, highest = (x[side][there] for x in at)
        gap = np.maximum(np.abs(lowest - mine), np.abs(highest - mine))
        off += float((rows[there] * gap * gap).sum())
    n = float(table.n)
    if n < 2:
        return moved(found, bounds)
    error = moments.standard_error + math.sqrt(off / ((n - 1) * n))
    method = found.method if found.method in ("t-log-mean", "t-mean") else "t-mean"
    ends = loss_range(measure, options)
    made = [loss_limits(mean, error, n - 1, n, ends, terms, method) for mean in bounds]
    return min(x[0] for x in made), max(x[1] for x in made)
