"""Counts at every cutoff of a score table, and proportions of them with their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueerror.inference._variance import mover
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import check_confidence
from trueerror.results import Interval
from trueerror.tallies._confusion import BinaryCounts, Confusion
from trueerror.tallies._scores import ScoreTable

# Counts at ascending scores, whole or weighted; leading axes hold resamples.
Counts = NDArray[np.int64] | Floats
# What a figure of a curve is called, and the method (or the result that names it) behind it.
Figures = list[tuple[str, object]]
Records = list[dict[str, object]]
Places = NDArray[np.intp]


def counts_at_cutoffs(table: ScoreTable) -> BinaryCounts:
    """The four counts at every cutoff, from "nothing is predicted positive" down through each distinct score.

    >>> c = counts_at_cutoffs(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))
    >>> c.tp.tolist(), c.fp.tolist()
    ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    """
    tp, fp = downward(table.positives), downward(table.negatives)
    return BinaryCounts(tp, fp, tp[-1] - tp, fp[-1] - fp)


def counted_records(table: ScoreTable) -> Records:
    """One record for each cutoff: the threshold, TP, FP, TN and FN, and the rates that they give.

    >>> counted_records(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))[1]["tp"]
    1
    """
    tp, fp, fn, tn = counts_at_cutoffs(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        fpr, tpr, precision = fp / fp[-1], tp / tp[-1], tp / (tp + fp)
    # Sampling weights are sums, not counts.
    plain = int if table.squares is None else float
    return [
        {
            "threshold": float(t), "tp": plain(a), "fp": plain(b), "tn": plain(d), "fn": plain(c), "fpr": float(x),
            "tpr": float(y), "precision": float(p), "recall": float(y),
        }
        for t, a, b, c, d, x, y, p in zip(cutoffs(table), tp, fp, fn, tn, fpr, tpr, precision, strict=True)
    ]  # fmt: skip


def cutoffs(table: ScoreTable) -> Floats:
    """Thresholds, descending; the first is infinite: nothing is predicted positive."""
    return np.concatenate(([np.inf], table.scores[::-1]))


def downward(counts: Counts) -> Floats:
    """Running sums from the highest score down, starting at 0; the last axis runs over ascending scores.

    As floats, which are exact up to 2⁵³ rows, so that products of counts do not overflow.
    """
    total = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1))
    # Integers are summed five times as fast as floats.
    total[..., 1:] = np.cumsum(counts[..., ::-1], axis=-1)
    return total


def area_under(x: Floats, y: Floats) -> float:
    """The area under points joined by straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


def rows_for_interval(hits: ArrayLike, misses: ArrayLike, squares: tuple[ArrayLike, ArrayLike] | None) -> Floats:
    """How many rows a proportion rests on: their number, or with sampling weights p̂q̂/V of the linearised ratio.

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


# Truth and call of the four cells of a table: negatives not called and called, positives not called and called.
ROW, COL = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


def table_of_cells(amounts: Floats, squares: Floats | None = None, counts: Floats | None = None) -> Confusion:
    """The table with these four cells, also where they are empty, 1 being the positive class.

    `squares` are sums of squared sampling weights; without `counts` a cell then has its effective number of rows.
    Leading axes are many tables.

    >>> table_of_cells(np.array([8.0, 2.0, 1.0, 4.0])).matrix.tolist()
    [[8, 2], [1, 4]]
    """
    weights = {} if squares is None else {"weight_sums": amounts.copy(), "weight_squares": squares.copy()}
    if counts is None:
        counts = amounts
        if squares is not None:
            counts = np.divide(amounts**2, squares, out=np.zeros_like(amounts), where=squares > 0)
    whole = np.rint(counts).astype(np.int64)
    return Confusion.from_cells(labels=(0, 1), positive=1, row=ROW, col=COL, counts=whole, declared=True, **weights)


def wilson_proportion(
    name: str, hits: float, misses: float, *, confidence: float = 0.95, squares: tuple[float, float] | None = None,
    note: str = "", estimand: str = "", clustered: float | None = None,
) -> Interval:  # fmt: skip
    """A proportion with its Wilson interval; with sampling weights, or `clustered`, at the effective number of rows.

    >>> print(wilson_proportion("precision", 30, 10))
    precision 0.750 [0.598, 0.858], 95 % wilson, n = 40
    """
    level, total = check_confidence(confidence), hits + misses
    rows = float(rows_for_interval(hits, misses, squares)) if clustered is None else clustered
    low, high = (float(x) for x in share_limits(hits / total * rows, rows, "wilson", level))
    kind = "wilson-weighted" if squares is not None else "wilson"
    return Interval(
        name=name, estimate=hits / total, low=low, high=high, confidence=level, note=note, estimand=estimand,
        method=kind if clustered is None else "effective-t",
        n=round(rows, 1) if squares is not None and clustered is None else total,
    )  # fmt: skip


def weighted_sum(
    weights: tuple[float, float],
    hits: tuple[float, float],
    rows: tuple[float, float],
    *,
    confidence: float,
    exclusive: bool = False,
) -> tuple[float, float, float]:
    """w₁p₁ + w₂p₂ with limits from Wilson's limits of the two proportions (MOVER).

    The proportions are of different rows, or, with `exclusive`, of the same rows of which none is in both: then their
    correlation is −√(p₁p₂/q₁q₂).

    >>> [round(x, 4) for x in weighted_sum((0.5, 0.5), (45, 15), (50, 30), confidence=0.95)]
    [0.7, 0.5984, 0.7888]
    """
    parts = np.divide(hits, rows)
    low, high = share_limits(hits, rows, "wilson", confidence)
    p, q = float(parts[0]), float(parts[1])
    correlation = 0.0
    if exclusive and 0 < p < 1 and 0 < q < 1:
        correlation = -math.sqrt(p * q / ((1 - p) * (1 - q)))
    factors = np.array(weights, dtype=np.float64)
    down, up = mover(parts, low, high, factors, lambda reach: 2 * correlation * float(reach[0] * reach[1]))
    return float(factors @ parts), down, up
