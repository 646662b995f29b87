"""Shares and their combinations at one point of a curve, each with its interval."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.options import check_confidence
from trueerror.intervals.proportions import limits
from trueerror.results import Interval
from trueerror.tallies.bounds import Bounds
from trueerror.variances.mover import mover

Floats = NDArray[np.float64]


def rows_for_interval(hits: Any, misses: Any, squares: tuple[Any, Any] | None) -> Floats:
    """How many rows a share rests on: their number, or with sampling weights p̂q̂/V of the linearised ratio.

    V = (q²·Σw² of the hits + p²·Σw² of the misses) / (Σw)²; where all rows are alike, Kish's (Σw)²/Σw².
    """
    up, down = np.asarray(hits, dtype=np.float64), np.asarray(misses, dtype=np.float64)
    rows: Floats = up + down
    if squares is None:
        return rows
    square_up, square_down = (np.asarray(s, dtype=np.float64) for s in squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = up / rows, down / rows
        spread = q * q * square_up + p * p * square_down
        mixed = rows * rows * p * q / spread
        alike = rows * rows / (square_up + square_down)
    return np.where(rows > 0, np.where((up > 0) & (down > 0), mixed, alike), 0.0)


def share(
    name: str,
    hits: float,
    misses: float,
    *,
    confidence: float = 0.95,
    squares: tuple[float, float] | None = None,
    note: str = "",
    estimand: str = "",
    undefined: str = "there are no rows",
) -> Interval:
    """A share with its Wilson interval; with sampling weights at the effective number of rows.

    >>> print(share("precision", 30, 10))
    precision 0.750 [0.598, 0.858], 95 % wilson, n = 40
    """
    level = check_confidence(confidence)
    method = "wilson" if squares is None else "wilson-weighted"
    total = hits + misses
    if not total > 0:
        return Interval(
            name=name, estimate=math.nan, low=math.nan, high=math.nan, confidence=level, method=method, n=0,
            note="; ".join(w for w in (undefined, note) if w), estimand=estimand,
        )  # fmt: skip
    rows = float(rows_for_interval(hits, misses, squares))
    estimate = hits / total
    low, high = limits(estimate * rows, rows, "wilson", level)
    return Interval(
        name=name, estimate=estimate, low=float(low), high=float(high), confidence=level, method=method,
        n=rows if squares is None else round(rows, 1), note=note, estimand=estimand,
    )  # fmt: skip


def opened(found: Interval, bounds: tuple[Bounds, Bounds] | None, **options: Any) -> Interval:
    """The share with the limits of the fewest hits with the most misses, and of the most with the fewest.

    `bounds` are those of the hits and of the misses, where binned scores leave them open; `options` those of `share`.

    >>> print(opened(share("tpr", 30, 10), (Bounds(30, 32), Bounds(8, 10))))
    tpr 0.750 [0.598, 0.895], 95 % wilson, n = 40
    """
    if bounds is None:
        return found
    hits, misses = bounds
    made = [share(found.name, *counts, **options) for counts in ((hits.low, misses.high), (hits.high, misses.low))]
    # Where nothing is called the share is undefined, and anything may be true.
    low, high = (x if math.isfinite(x) else end for x, end in ((made[0].low, 0.0), (made[1].high, 1.0)))
    if math.isnan(found.estimate):
        return found
    return replace(found, low=min(found.low, low), high=max(found.high, high))


def weighted_sum(
    weights: tuple[float, float],
    hits: tuple[float, float],
    rows: tuple[float, float],
    *,
    confidence: float,
    exclusive: bool = False,
) -> tuple[float, float, float]:
    """w₁p₁ + w₂p₂ with limits from Wilson's limits of the two shares (MOVER).

    The shares are of different rows, or, with `exclusive`, of the same rows of which none is in both: then their
    correlation is −√(p₁p₂/q₁q₂).

    >>> [round(x, 4) for x in weighted_sum((0.5, 0.5), (45, 15), (50, 30), confidence=0.95)]
    [0.7, 0.5984, 0.7888]
    """
    parts = np.divide(hits, rows)
    low, high = limits(hits, rows, "wilson", confidence)
    p, q = float(parts[0]), float(parts[1])
    correlation = 0.0
    if exclusive and 0 < p < 1 and 0 < q < 1:
        correlation = -math.sqrt(p * q / ((1 - p) * (1 - q)))
    factors = np.array(weights, dtype=np.float64)
    down, up = mover(parts, low, high, factors, lambda reach: 2 * correlation * float(reach[0] * reach[1]))
    return float(factors @ parts), down, up
