"""MOVER: limits of a weighted sum from the limits of its parts ("method of variance estimates recovery").

For θ = Σ w_i·θ_i the lower limit is θ̂ − √(ΣΣ w_i·w_j·ρ_ij·(θ̂_i − l_i)(θ̂_j − l_j)), the upper one likewise with
u_i − θ̂_i. Parts keep their own skewed limits, so the sum does too, and it never collapses at a perfect score.

Source: Zou and Donner 2008, Stat. Med. 27:1693; Donner and Zou 2012, Stat. Methods Med. Res. 21:347.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import BinaryCounts

Floats = NDArray[np.float64]
# From the signed reach of each part to ΣΣ_{i≠j} ρ_ij·reach_i·reach_j.
Cross = Callable[[Floats], float]


def mover(
    values: Floats, low: Floats, high: Floats, weights: Floats | float = 1.0, cross: Cross | None = None
) -> tuple[float, float]:
    """Limits of Σ w·value; parts are independent unless `cross` adds what their correlations contribute.

    >>> low, high = np.array([0.7864, 0.3315]), np.array([0.9565, 0.6685])     # Wilson's for 45 of 50 and 15 of 30
    >>> tuple(round(v, 3) for v in mover(np.array([0.9, 0.5]), low, high, 0.5))
    (0.598, 0.789)
    """
    w = np.broadcast_to(np.asarray(weights, dtype=np.float64), values.shape)
    positive = w >= 0
    down = w * np.where(positive, values - low, values - high)
    up = w * np.where(positive, high - values, low - values)
    total = float((w * values).sum())
    sign = np.where(positive, 1.0, -1.0)
    return total - _norm(down, sign, cross), total + _norm(up, sign, cross)


def _norm(reach: Floats, sign: Floats, cross: Cross | None) -> float:
    square = float((reach * reach).sum())
    if cross is not None:
        joint = square + cross(sign * reach)
        # Parts that cancel each other leave rounding dust or less: then they count as independent.
        square = joint if joint > 1e-9 * square else square
    return float(np.sqrt(square))


def multinomial_correlations(shares: Floats) -> Cross:
    """What the correlations of the shares of one sample add: ρ_ij = −√(p_i·p_j/((1 − p_i)(1 − p_j))).

    >>> round(multinomial_correlations(np.array([0.5, 0.5]))(np.array([1.0, 1.0])), 6)
    -2.0
    """
    inside = (shares > 0) & (shares < 1)
    root = np.sqrt(np.where(inside, shares / np.where(inside, 1 - shares, 1.0), 0.0))

    def cross(reach: Floats) -> float:
        a = root * reach
        return float((a * a).sum()) - float(a.sum()) ** 2

    return cross


def class_correlations(table: Confusion, slopes: BinaryCounts, variances: Floats) -> Cross:
    """What delta-method correlations of one metric over the classes add to a MOVER sum.

    `slopes` are the derivatives of each class's metric by its four counts. Classes i and j share only the rows in
    cells (i, j) and (j, i), and those that are neither's: with d_k = t_k + s_k, t_k the slope for true negatives,
    cov_ij = n_ij·s_i(FN)·s_j(FP) + n_ji·s_i(FP)·s_j(FN) − n·t_i·t_j. One pass over the occupied cells.
    """
    k = len(table.labels)
    masses = table.counts.astype(np.float64)
    n = float(masses.sum())
    tn = np.asarray(slopes.tn, dtype=np.float64)
    missed, alarmed = np.asarray(slopes.fn) - tn, np.asarray(slopes.fp) - tn
    off = (table.row != table.col) & (table.col < k)
    row, col, shared = table.row[off], table.col[off], masses[off]
    known = variances > 0
    scale = np.where(known, 1 / np.sqrt(np.where(known, variances, 1.0)), 0.0)

    def cross(reach: Floats) -> float:
        a = reach * scale
        apart = tn * a
        common = 2 * float((shared * (missed * a)[row] * (alarmed * a)[col]).sum())
        return common - n * (float(apart.sum()) ** 2 - float((apart * apart).sum()))

    return cross
