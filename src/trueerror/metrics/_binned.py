"""Metrics of binned scores: between which values the exact one lies, and how that is said."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trueerror.metrics._registry import Measure
from trueerror.metrics._values import Options, Prior, score_share, value
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
# The area is known as well as this where the budget allows; where it is not, the note says how to get there.
TARGET = 2e-4
NO_BOUND = "binned scores: no bound is known for this metric; a larger memory budget (budget=) makes it exact"


def metric_bounds(
    measure: Measure, table: ScoreTable, *, options: Options | None = None, prior: Prior | None = None
) -> Bounds | None:
    """Between which values the exact metric lies; None where that is not known.

    Losses of probabilities fall as positives rise and negatives fall, so they have their bounds in the tables with
    every row at one end of its bin.
    """
    if measure.name in ("auc", "gini"):
        low, high = table.bounds.auc()
        return Bounds(low, high) if measure.name == "auc" else Bounds(2 * low - 1, 2 * high - 1)
    if measure.name == "average_precision":
        return table.bounds.average_precision(None if prior is None else score_share(prior, table))
    if measure.needs == "losses" or measure.name == "brier_skill_score":
        if table.scores[0] < 0 or table.bounds.uppers[-1] > 1:
            return None
        return table.bounds.of(lambda t: value(measure, t, prior=prior, **(options or {})))
    return None


def bound_words(bounds: Bounds, what: str = "value", allowed: bool = True) -> str:
    """Where the exact value lies, and what narrows it, in words."""
    low, high = bounds
    digits = max(4, math.ceil(-math.log10(max(high - low, 1e-12))) + 1) if math.isfinite(high - low) else 4
    words = f"binned scores: the exact {what} lies in [{low:.{digits}f}, {high:.{digits}f}]"
    words += ", which the limits allow for" if allowed else ""
    return words + ("; a larger memory budget (budget=) narrows it" if high - low > TARGET else "")


def middled(table: ScoreTable) -> ScoreTable:
    """The table with each bin at its middle, for metrics that read scores as probabilities; the same where exact."""
    if table.exact:
        return table
    uppers = table.bounds.uppers
    if table.scores[0] < 0 or uppers[-1] > 1:
        return table
    return with_scores(table, table.scores / 2 + uppers / 2)


def with_scores(table: ScoreTable, scores: Floats) -> ScoreTable:
    """The same bins, each read at another score."""
    return ScoreTable(
        scores, table.positives, table.negatives, positive=table.positive, exact=False, squares=table.squares,
        sources=table.sources, uppers=table.bounds.uppers,
    )  # fmt: skip
