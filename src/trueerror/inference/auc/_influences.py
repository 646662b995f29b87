"""How far one more row at each score moves a metric of scores: its first derivatives, at any share of positives."""

from __future__ import annotations

import numpy as np

from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import ScoreInfluences
from trueerror.tallies._scores import ScoreTable


def score_influences(
    measure: Measure, table: ScoreTable, options: MetricOptions | None = None, *, share: float | None = None
) -> ScoreInfluences | None:
    """∂θ/∂(rows at each score), as the metric has it written out; None for any other metric.

    With `share`, θ is the metric when that share of the rows is positive, each class counting by its own rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> table = ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7])
    >>> made = score_influences(find_measure("auc"), table)
    >>> made.positives.tolist(), made.negatives.tolist()
    ([-0.25, 0.0, 0.25], [0.25, 0.0, -0.25])
    """
    if measure.gradient is None or not table.n_positive or not table.n_negative or share in (0, 1):
        return None
    rows = [np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives)]
    if share is None:
        found: ScoreInfluences = measure.gradient(table, rows, **(options or {}))
        return found
    # One more row of a class makes all others of it count less.
    scales = share / float(rows[0].sum()), (1 - share) / float(rows[1].sum())
    influences = measure.gradient(table, [s * x for s, x in zip(scales, rows, strict=True)], **(options or {}))
    return ScoreInfluences(*(
        scale * (slopes - float((x * slopes).sum()) / float(x.sum()))
        for slopes, x, scale in zip(influences, rows, scales, strict=True)
    ))  # fmt: skip
