"""The area under a part of a ROC curve, raw and standardised, on either axis."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trueerror.curves.bands import pointwise_limits
from trueerror.curves.lines import curve_points
from trueerror.curves.replicates import bootstrap_area
from trueerror.curves.views import Floats, area_under, downward
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_share, check_word
from trueerror.results import Interval
from trueerror.results.words import number
from trueerror.tallies.scores import ScoreTable

Axis = Literal["fpr", "tpr"]
GRID = 513


def partial_area(
    table: ScoreTable,
    rows: tuple[float, float],
    low: float,
    high: float,
    *,
    axis: Axis = "fpr",
    standardized: bool = False,
    confidence: float = 0.95,
    replicates: int = 2000,
    rng: Any = None,
) -> Interval:
    """∫ TPR dFPR over FPRs from `low` to `high`, or ∫ (1 − FPR) dTPR over TPRs, with bootstrap limits.

    Standardised after McClish 1989, Med. Decis. Making 9:190: (1 + (A − min)/(max − min))/2, where min is the area
    of a random ranking over the same range and max that of a perfect one: 0.5 is random, 1 perfect.
    """
    check_word(axis, ("fpr", "tpr"), "axis")
    level = check_confidence(confidence)
    start, stop = check_share(low, "low"), check_share(high, "high")
    if not start < stop:
        raise InputError(f"low={low!r} must be below high={high!r}: the area is over the {axis} range between them")
    worst = (stop**2 - start**2) / 2 if axis == "fpr" else (stop - start) - (stop**2 - start**2) / 2
    best = stop - start

    def scaled(area: Any) -> Any:
        return (1 + (area - worst) / (best - worst)) / 2 if standardized else area

    def statistic(positives: Any, negatives: Any) -> Floats:
        found: Floats = scaled(part_areas(positives, negatives, start, stop, axis))
        return found

    bounds = float(scaled(0.0)), float(scaled(best))
    # Rounding can put a perfect area a hair beyond the end of its range.
    estimate = float(np.clip(statistic(table.positives[None], table.negatives[None])[0], *bounds))
    under, over = (float(scaled(a)) for a in _between_limits(table, rows, start, stop, axis, level))
    outer = max(bounds[0], min(under, estimate)), min(bounds[1], max(over, estimate))
    kind = "standardised partial AUC" if standardized else "partial AUC"
    name = f"{kind} ({axis} {number(start)} to {number(stop)})"
    return bootstrap_area(
        table, statistic, name=name, estimate=estimate, confidence=level,
        replicates=replicates, rng=rng, within=bounds, fallback=(outer[0], outer[1], "roc-band-wilson"),
        estimand="this model",
    )  # fmt: skip


def part_areas(positives: Any, negatives: Any, low: float, high: float, axis: Axis = "fpr") -> Floats:
    """The areas of tables in rows, counts at ascending scores in the last axis; NaN where a class has no rows.

    >>> part_areas(np.array([[0, 1, 0, 1]]), np.array([[1, 0, 1, 0]]), 0.0, 0.5)
    array([0.25])
    """
    tp, fp = downward(positives), downward(negatives)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = fp / fp[..., -1:], tp / tp[..., -1:]
    if axis == "tpr":
        # Seen from the top right corner the roles of the axes are exchanged: 1 − TPR runs, 1 − FPR is the height.
        x, y = (1 - y)[..., ::-1], (1 - x)[..., ::-1]
        low, high = 1 - high, 1 - low
    left, right = np.clip(x[..., :-1], low, high), np.clip(x[..., 1:], low, high)
    width = x[..., 1:] - x[..., :-1]
    slope = np.where(width > 0, (y[..., 1:] - y[..., :-1]) / np.where(width > 0, width, 1.0), 0.0)
    middle = y[..., :-1] + slope * ((left + right) / 2 - x[..., :-1])
    areas: Floats = ((right - left) * middle).sum(axis=-1)
    return np.where((tp[..., -1] > 0) & (fp[..., -1] > 0), areas, np.nan)


def _between_limits(
    table: ScoreTable, rows: tuple[float, float], low: float, high: float, axis: Axis, confidence: float
) -> tuple[float, float]:
    """The areas under the lower and the upper pointwise limits of the curve: wide, but never without width."""
    fpr, tpr = curve_points(table.positives, table.negatives)
    if axis == "tpr":
        fpr, tpr, rows = 1 - tpr[::-1], 1 - fpr[::-1], (rows[1], rows[0])
        low, high = 1 - high, 1 - low
    grid = np.linspace(low, high, GRID)
    under, over = (np.clip(v, 0.0, 1.0) for v in pointwise_limits(fpr, tpr, grid, rows, confidence))
    return area_under(grid, under), area_under(grid, over)
