"""Areas under a precision/recall curve, for one table or for many replicates at once."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.views import Floats, downward
from trueerror.metrics.areas import average_precision
from trueerror.tallies.scores import ScoreTable


def step_area(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """Average precision of tables in rows, scores ascending; NaN without positives."""
    # With masses given, the metric does not look at its table.
    no_table = cast(ScoreTable, None)
    areas: Floats = np.minimum(average_precision(no_table, (positives, negatives)), 1.0)
    return areas


def linear_area(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """The trapezoid from (recall 0, precision 1)."""
    tp, fp = downward(positives), downward(negatives)
    called = tp + fp
    precision = np.where(called > 0, tp / np.where(called > 0, called, 1), 1.0)
    middle = (precision[..., 1:] + precision[..., :-1]) / 2
    return _over_positives((np.diff(tp, axis=-1) * middle).sum(axis=-1), tp)


def davis_goadrich_area(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """The integral of Davis and Goadrich's curve in closed form.

    Between two points FP = FP₀ + s(TP − TP₀), so precision is TP/(a·TP + c) with a = 1 + s and c = FP₀ − s·TP₀, whose
    integral is ΔTP/a − (c/a²)·ln of the ratio of the rows retrieved at both ends.
    """
    tp, fp = downward(positives), downward(negatives)
    step = np.diff(tp, axis=-1)
    rises = step > 0
    slope = np.diff(fp, axis=-1) / np.where(rises, step, 1.0)
    a = 1.0 + slope
    c = fp[..., :-1] - slope * tp[..., :-1]
    begin = tp[..., :-1] + fp[..., :-1]
    # From nothing retrieved c is 0, and precision is level.
    growth = np.where(begin > 0, a * step / np.where(begin > 0, begin, 1.0), 0.0)
    pieces = np.where(rises, step / a - c / (a * a) * np.log1p(growth), 0.0)
    return _over_positives(pieces.sum(axis=-1), tp)


def _over_positives(sums: Any, tp: NDArray[Any]) -> Floats:
    total = tp[..., -1]
    out: Floats = np.where(total > 0, sums / np.where(total > 0, total, 1), np.nan)
    return np.minimum(out, 1.0)


PR_AREAS = {"davis-goadrich": davis_goadrich_area, "linear": linear_area, "step": step_area}
