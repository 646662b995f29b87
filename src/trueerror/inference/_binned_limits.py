"""Limits from binned scores: they hold for every order that the rows may have within bins.

The lower one is at most, the upper one at least that of the exact table, whichever it is.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from trueerror.inference._effective_t import effective_t_limits
from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import delong_variance
from trueerror.inference.loss._mean import mean_limits, mean_of_rows, t_mean
from trueerror.methods._registry import InferenceMethod
from trueerror.metrics._registry import Prior, loss_moments, reweighted_scores, table_losses
from trueerror.metrics.scores import NO_BOUND, bound_words, metric_bounds, middled, with_scores
from trueerror.results import Interval
from trueerror.results._values import sentences_of
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable


def with_bounds(
    q: Problem[ScoreSample],
    found: Interval,
    made: IntervalLimits,
    chosen: InferenceMethod,
    table: ScoreTable,
    prior: Prior | None,
) -> Interval:
    """The interval widened to hold that of the exact table, whatever it is.

    Limits move out by what is open. Those of areas grow besides in the ratio of the largest to the binned standard
    error, and ranks have limits of their own in the best and in the worst order that the rows may have.
    """
    bounds = metric_bounds(q.metric, table, options=dict(q.options), prior=prior)
    if bounds is None:
        return noted(found, NO_BOUND)
    low, high = moved(found, bounds)
    if q.metric.area:
        variance = delong_variance(table)
        growth = table.bounds.standard_error_slack() / math.sqrt(variance) if variance > 0 else 0.0
        low -= growth * (found.estimate - found.low)
        high += growth * (found.high - found.estimate)
    if q.metric.by_rank and not made.resampled:
        outer = [_limits_of_order(order, q, chosen) for order in (table.bounds.worst, table.bounds.best)]
        low, high = min(low, outer[0][0], outer[1][0]), max(high, outer[0][1], outer[1][1])
    elif q.metric.of_losses and not made.resampled and prior is None:
        low, high = _loss_reach(found, q, table, bounds, straight=chosen.function is t_mean)
    ends = q.metric.bounds(q.options)
    low, high = max(ends[0], min(low, found.low)), min(ends[1], max(high, found.high))
    if q.spec.side == "upper":
        low = found.low
    elif q.spec.side == "lower":
        high = found.high
    return noted(found, bound_words(bounds), (low, high))


def _limits_of_order(order: ScoreTable, q: Problem[ScoreSample], method: InferenceMethod) -> Range:
    """The limits of rows in an order that binned scores leave open."""
    share = q.sample.share
    with_counts = reweighted_scores(order, share) if share is not None else None
    estimate = float(q.metric.function(order, with_counts, **q.options))
    answer = method.function(replace(q, sample=replace(q.sample, table=order, estimate=estimate)))
    return answer.low, answer.high


def moved(found: Interval, bounds: Bounds) -> Range:
    """The limits moved out by as much as the exact value may be off."""
    return found.low - (found.estimate - bounds.low), found.high + (bounds.high - found.estimate)


def widened(found: Interval, bounds: Bounds, within: Range) -> Interval:
    """An interval of a statistic that is known only between bounds: its limits move out with them."""
    low, high = moved(found, bounds)
    low, high = max(within[0], min(low, found.low)), min(within[1], max(high, found.high))
    return noted(found, bound_words(bounds), (low, high))


def noted(found: Interval, words: str, limits: Range | None = None) -> Interval:
    """The interval with something added to its note, and perhaps with the limits that this is about."""
    low, high = limits or (found.low, found.high)
    changed = replace(found, low=low, high=high, note=sentences_of((found.note, words)))
    changed._keep_notes(found.notes)
    return changed


def _loss_reach(
    found: Interval, q: Problem[ScoreSample], table: ScoreTable, bounds: Bounds, *, straight: bool
) -> Range:
    """The outer limits of the smallest and the largest mean with the largest standard error and the heaviest tails.

    `straight`: by Student's t as it is.

    The losses of a bin lie between those at its ends. A standard error is a norm, so it grows by no more than that of
    how far the losses may be off; so does the fourth root of the sum of fourth powers.
    """
    measure, options, n = q.metric, q.options, float(table.n)
    ends = measure.bounds(options)
    if not math.isfinite(bounds.high):
        return ends  # the standard error may be anything
    if table.squares is not None or n < 2:
        return moved(found, bounds)
    middle = middled(table)
    at = [table_losses(x, measure, **options) for x in (middle, table, with_scores(table, table.bounds.uppers))]
    squares = fourths = 0.0
    for side, rows in ((0, table.positives), (1, table.negatives)):
        occupied = rows > 0
        centre, lowest, highest = (x[side][occupied] for x in at)
        gap = np.maximum(np.abs(lowest - centre), np.abs(highest - centre))
        squares += float((rows[occupied] * gap**2).sum())
        fourths += float((rows[occupied] * gap**4).sum())
    m, off = loss_moments(middle, measure, **options), math.sqrt(squares)
    most, least = math.sqrt(m.squares) + off, max(math.sqrt(m.squares) - off, 0.0)
    if straight:
        error = most / math.sqrt(n * (n - 1))
        outer = [mean_limits(mean, error, n - 1, n, ends, q.spec)[:2] for mean in bounds]
    else:
        # The mean of how far they are off is no further than their own fourth root.
        tails = (m.fourths**0.25 + 2 * fourths**0.25) ** 4
        wide = replace(m, squares=most**2, fourths=most**4 * (min(tails / least**4, 1.0) if least > 0 else 1.0))
        outer = [effective_t_limits(mean_of_rows(replace(wide, mean=x), ends), q.spec)[:2] for x in bounds]
    return min(x[0] for x in outer), max(x[1] for x in outer)
