"""Derivatives by cell of the metrics in which every cell counts by itself: kappa and costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.costs import cost_matrix
from trueerror.tallies.confusion import Confusion

Floats = NDArray[np.float64]


def kappa_gradient(table: Confusion, masses: Floats, *, weights: str | None = None) -> Floats:
    """κ = 1 − O·N/C with O = Σ w·n and C = ΣΣ w_ij·truth_i·called_j: dκ = −(N·dO + O·dN)/C + (O·N/C²)·dC.

    This is the large-sample error of Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72:323.
    """
    k = len(table.labels)
    t = table.classes(masses)
    n = np.asarray(t.total, dtype=np.float64)[..., None]
    missed = n - t.predicted.sum(axis=-1, keepdims=True)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    farthest = float(max(k - 1, 1) ** power) if power else 1.0
    apart = np.abs(table.row - table.col).astype(np.float64)
    cell = (table.row != table.col).astype(np.float64) if power == 0 else apart**power
    cell = np.where(table.col >= k, farthest, cell)
    # What a row of class i meets among the calls, and what a call j meets among the classes.
    from_truth = _distances(t.predicted, power) + farthest * missed
    from_called = _distances(t.truth, power)
    observed = (masses * cell).sum(axis=-1, keepdims=True)
    chance = (t.truth * from_truth).sum(axis=-1, keepdims=True)
    called = np.minimum(table.col, k - 1)
    slope = from_truth[..., table.row] + np.where(table.col < k, from_called[..., called], farthest * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = -(n * cell + observed) / chance + observed * n / chance**2 * slope
    return out


def _distances(mass: Floats, power: int) -> Floats:
    """Σ_j w_ij·mass_j for each class i, w = [i ≠ j], |i − j| or (i − j)², in one pass over the classes."""
    total: Floats = mass.sum(axis=-1, keepdims=True)
    if power == 0:
        return total - mass
    place = np.arange(mass.shape[-1], dtype=np.float64)
    if power == 1:
        count = np.cumsum(mass, axis=-1)
        moment = np.cumsum(mass * place, axis=-1)
        steps: Floats = place * (2 * count - total) - 2 * moment + moment[..., -1:]
        return steps
    centre = (mass * place).sum(axis=-1, keepdims=True) / np.where(total == 0, 1, total)
    spread = (mass * (place - centre) ** 2).sum(axis=-1, keepdims=True)
    out: Floats = total * (place - centre) ** 2 + spread
    return out


def cell_costs(table: Confusion, costs: Any = None) -> Floats:
    """What one row in each occupied cell costs; without `costs` every error costs 1."""
    if costs is None:
        return np.not_equal(table.row, table.col).astype(np.float64)
    matrix = cost_matrix(costs, table.labels, table.positive)
    return matrix[table.row, np.minimum(table.col, len(table.labels))]


def cost_gradient(table: Confusion, masses: Floats, *, costs: Any = None) -> Floats:
    """One more row adds its cost."""
    return np.broadcast_to(cell_costs(table, costs), masses.shape)


def expected_cost_gradient(table: Confusion, masses: Floats, *, costs: Any = None) -> Floats:
    """(cost − mean cost)/n."""
    cost = cell_costs(table, costs)
    n = masses.sum(axis=-1, keepdims=True)
    out: Floats = (cost - (masses * cost).sum(axis=-1, keepdims=True) / n) / n
    return out


CELL_GRADIENTS: dict[str, Callable[..., Floats]] = {
    "kappa": kappa_gradient,
    "cost": cost_gradient,
    "expected_cost": expected_cost_gradient,
}
