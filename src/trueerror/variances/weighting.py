"""Sampling weights: the linearised variance of a metric, and the number of plain rows that would say as much.

With d_c the influence of one unit of weight in cell c, the variance is n/(n − 1)·Σ_i (w_i·d_i)²; within a cell all
rows share d, so the sums of squared weights by cell are enough.

Source: Särndal, Swensson and Wretman 1992, Model Assisted Survey Sampling, section 5.5 (ratio by linearisation).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import BinaryCounts

Floats = NDArray[np.float64]


def weighted_variance(table: Confusion, influences: Floats) -> float:
    """Variance of a metric of weighted rows; NaN below two rows."""
    n = table.n
    if n < 2 or table.weight_squares is None:
        return float("nan")
    # For sums over rows (a total cost) the mean influence is taken out, as in a ratio it is 0 already.
    mean = float((table.masses * influences).sum()) / float(table.masses.sum())
    return n / (n - 1) * float((table.weight_squares * (influences - mean) ** 2).sum())


def class_weighted_variances(table: Confusion, slopes: BinaryCounts) -> Floats:
    """The same for one metric of every class against the rest, from its slopes by the four (weighted) counts."""
    k, n = len(table.labels), table.n
    if n < 2 or table.weight_squares is None:
        return np.full(k, np.nan)
    squares = table.weight_squares
    tp, fp, fn, tn = (np.asarray(s, dtype=np.float64) for s in slopes)
    hit = table.row == table.col
    called = ~hit & (table.col < k)
    on = [
        np.bincount(table.row[hit], weights=squares[hit], minlength=k),
        np.bincount(table.col[called], weights=squares[called], minlength=k),
        np.bincount(table.row[~hit], weights=squares[~hit], minlength=k),
    ]
    rest = float(squares.sum()) - sum(on)
    out: Floats = (on[0] * tp**2 + on[1] * fp**2 + on[2] * fn**2 + rest * tn**2) * n / (n - 1)
    return out


def effective_size(share: Any, variance: Any, rows: Any, without: Any) -> Floats:
    """p·q/V: how many independent rows would give this variance; at most `rows`, and `without` where V is 0.

    >>> effective_size(0.5, 0.01, 100, 10).item()
    25.0
    """
    p, v = np.asarray(share, dtype=np.float64), np.asarray(variance, dtype=np.float64)
    flat = ~(v > 0) | ~(p * (1 - p) > 0)
    size = p * (1 - p) / np.where(flat, 1.0, v)
    out: Floats = np.where(flat, np.minimum(without, rows), np.minimum(size, rows))
    return out
