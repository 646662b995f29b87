"""Intervals of metrics from binned scores: what binning leaves open goes into the limits, and into the note."""

from __future__ import annotations

import math
from dataclasses import replace

from trueerror.metrics.registry import Measure
from trueerror.results import Interval
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.delong import delong_from_table


def with_bounds(found: Interval, measure: Measure, table: ScoreTable) -> Interval:
    """The interval widened by where the exact value may lie; the same where the table is exact.

    For areas the half-widths grow in the ratio of the largest to the binned standard error (see `ScoreBounds`).
    """
    if table.exact or table.uppers is None or math.isnan(found.estimate):
        return found
    growth = 1.0
    if measure.name in ("auc", "gini"):
        low, high = table.bounds.auc()
        if measure.name == "gini":
            low, high = 2 * low - 1, 2 * high - 1
        variance = float(delong_from_table(table.positives, table.negatives).covariance[0, 0])
        if variance > 0:
            growth = 1 + table.bounds.standard_error_slack() / math.sqrt(variance)
    elif measure.name == "average_precision":
        low, high = table.bounds.average_precision()
    else:
        return _noted(found, "binned scores: no bound is known for this metric; a larger memory budget makes it exact")
    ends = measure.range
    wide = (
        max(ends[0], found.estimate - growth * (found.estimate - found.low) - (found.estimate - low)),
        min(ends[1], found.estimate + growth * (found.high - found.estimate) + (high - found.estimate)),
    )
    digits = max(4, math.ceil(-math.log10(max(high - low, 1e-12))) + 1)
    words = f"binned scores: the exact value lies in [{low:.{digits}f}, {high:.{digits}f}], which the limits allow for"
    return _noted(replace(found, low=wide[0], high=wide[1]), words)


def _noted(found: Interval, words: str) -> Interval:
    return replace(found, note="; ".join(x for x in (found.note, words) if x))
