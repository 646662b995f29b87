"""The area under one ROC curve: DeLong on the logit scale, and Newcombe's method 5 where few pairs are misordered."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._spec import IntervalSpec
from trueerror.inference.auc._delong import delong_from_table
from trueerror.inference.proportion._array_intervals import on_logit
from trueerror.inputs._options import check_word
from trueerror.kernels._numpy import table_placements
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
AREA_METHODS = ("delong-logit", "delong", "hanley-mcneil", "newcombe")
# Below this many misordered "events" the logit interval of DeLong's variance undercovers by itself.
FEW = 10.0
HALVINGS = 100


class AreaLimits(NamedTuple):
    """Limits of an area, the method that was used in the end, and a note where it is not the one asked for."""

    low: float
    high: float
    method: str
    note: str = ""


def area_limits(table: ScoreTable, area: float, spec: IntervalSpec, method: str = "delong-logit") -> AreaLimits:
    """Limits of the area under the ROC curve of a score table with both classes.

    >>> t = ScoreTable.count([0] * 20 + [1] * 20, list(range(40)))
    >>> round(area_limits(t, 1.0, IntervalSpec()).low, 4)
    0.8987
    """
    check_word(method, AREA_METHODS, "method")
    m, n = effective_rows(table)
    z = max(spec.factor(), 0.0)
    own = newcombe_limits(area, m, n, z)
    if method == "newcombe":
        return AreaLimits(*own, "newcombe-auc")
    variance = hanley_mcneil_variance(area, m, n) if method == "hanley-mcneil" else delong_variance(table, area)
    if not variance > 0 or not 0 < area < 1:
        why = "one row in a class" if min(m, n) < 2 else "no variance in the order of the scores"
        return AreaLimits(*own, "newcombe-auc", f"{why}: Newcombe's method 5 instead of {method}")
    if method != "delong-logit":
        reach = z * math.sqrt(variance)
        return AreaLimits(max(0.0, area - reach), min(1.0, area + reach), method)
    low, high = (float(v) for v in on_logit(area, variance, z))
    if min(m, n) * min(area, 1 - area) < FEW:
        low, high = min(low, own[0]), max(high, own[1])
        return AreaLimits(
            low, high, method, "few errors of order: the outer limits of DeLong's and Newcombe's method 5"
        )
    return AreaLimits(low, high, method)


def effective_rows(table: ScoreTable) -> tuple[float, float]:
    """Positives and negatives; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
    sums = np.array([float(table.n_positive), float(table.n_negative)])
    if table.squares is None:
        return float(sums[0]), float(sums[1])
    squares = table.squares.sum(axis=-1)
    up, down = np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)
    return float(up), float(down)


def delong_variance(table: ScoreTable, area: float) -> float:
    """S10/m + S01/n from placements; with weights Σw²(V − A)²/(Σw)² for each class. NaN where a class has one row."""
    if table.squares is None:
        return float(delong_from_table(table.positives, table.negatives).covariance[0, 0])
    m, n = float(table.n_positive), float(table.n_negative)
    beats, beaten = table_placements(table.positives, table.negatives)
    total = 0.0
    rows = effective_rows(table)
    for values, squares, mass, size in (
        (beats / (2 * n), table.squares[0], m, rows[0]),
        (beaten / (2 * m), table.squares[1], n, rows[1]),
    ):
        if size <= 1:
            return math.nan
        total += float((squares * (values - area) ** 2).sum()) / mass**2 * size / (size - 1)
    return total


def hanley_mcneil_variance(area: float, m: float, n: float) -> float:
    """(A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn, Q1 = A/(2−A), Q2 = 2A²/(1+A) (Hanley and McNeil 1982).

    >>> round(hanley_mcneil_variance(0.9, 20, 30) ** 0.5, 5)
    0.0497
    """
    square = area * area
    q1, q2 = area / (2 - area), 2 * square / (1 + area)
    return (area * (1 - area) + (m - 1) * (q1 - square) + (n - 1) * (q2 - square)) / (m * n)


def newcombe_limits(area: float, m: float, n: float, z: float) -> tuple[float, float]:
    """Method 5 of Newcombe 2006: θ with (A − θ)² = z²·V(θ), V Hanley and McNeil's with both class sizes at (m + n)/2.

    The upper limit is the mirror image of the lower one for 1 − A.

    >>> [round(newcombe_limits(1.0, a, b, 1.959964)[0], 4) for a, b in ((20, 20), (50, 50), (10, 500))]
    [0.8987, 0.9603, 0.9001]
    """
    return _newcombe_low(area, m, n, z), 1 - _newcombe_low(1 - area, m, n, z)


def _newcombe_low(area: float, m: float, n: float, z: float) -> float:
    if area <= 0:
        return 0.0
    nu = (m + n) / 2 - 1
    low, high = 0.0, min(area, 1 - 1e-15)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        spread = middle * (1 - middle) / (m * n)
        spread *= 1 + nu * (1 - middle) / (2 - middle) + nu * middle / (1 + middle)
        if (area - middle) ** 2 > z * z * spread:
            low = middle
        else:
            high = middle
    return (low + high) / 2
