"""Metrics in which every cell of the confusion matrix counts by itself: Cohen's kappa and costs.

Formulas take a table and, in place of its own counts, `masses` (…, cells): bootstrap replicates, other priors, complex
numbers for derivatives. They never build a K × K table of their own, so many classes are no trouble.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trueerror.inputs.costs import cost_matrix
from trueerror.inputs.options import check_word
from trueerror.metrics.registry import measure, ratio
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import ClassCounts

KappaWeights = Literal["linear", "quadratic"] | None


@measure("kappa", needs="cells", best=1.0, range=(-1.0, 1.0), situation="smooth", title="Cohen's kappa",
         aliases=("cohen_kappa", "cohens_kappa"), options=("weights",),
         undefined="all rows are of one class and were all predicted as it")  # fmt: skip
def kappa(t: Confusion, masses: Any = None, *, weights: KappaWeights = None) -> Any:
    """Agreement beyond chance: 1 − observed / expected disagreement (Cohen 1960; weighted: 1968).

    `weights`: None counts every error alike; "linear" and "quadratic" by the distance |i − j| or (i − j)² of the two
    classes in label order. A row without a prediction disagrees with every class as much as the two classes that
    lie farthest apart.

    >>> kappa(Confusion([[85, 15], [10, 90]]))
    0.75
    """
    m = t.masses if masses is None else masses
    margins = t.classes(m)
    k = len(t.labels)
    none = t.col >= k
    if weights is None:
        cell = (t.row != t.col).astype(np.float64)
        chance = (margins.truth * (np.asarray(margins.total)[..., None] - margins.predicted)).sum(axis=-1)
    else:
        check_word(weights, ("linear", "quadratic"), "weights")
        power = 1 if weights == "linear" else 2
        farthest = float(max(k - 1, 1) ** power)
        cell = np.where(none, farthest, np.abs(t.row - t.col).astype(np.float64) ** power)
        apart = _linear_distance if weights == "linear" else _squared_distance
        missed = margins.total - margins.predicted.sum(axis=-1)
        chance = apart(margins) + farthest * missed * margins.total
    return 1 - ratio((m * cell).sum(axis=-1) * margins.total, chance)


def _linear_distance(t: ClassCounts) -> Any:
    """Σ |i − j| · truth_i · predicted_j: |i − j| counts the steps between, so sum over steps instead of pairs."""
    below_truth = np.cumsum(t.truth, axis=-1)[..., :-1]
    below_called = np.cumsum(t.predicted, axis=-1)[..., :-1]
    rows = np.asarray(t.truth.sum(axis=-1))[..., None]
    calls = np.asarray(t.predicted.sum(axis=-1))[..., None]
    return (below_truth * (calls - below_called) + (rows - below_truth) * below_called).sum(axis=-1)


def _squared_distance(t: ClassCounts) -> Any:
    """Σ (i − j)² · truth_i · predicted_j, from means and spreads: no digits are lost to large squares."""
    place = np.arange(t.truth.shape[-1], dtype=np.float64)

    def spread(mass: Any) -> tuple[Any, Any, Any]:
        size = mass.sum(axis=-1)
        mean = (mass * place).sum(axis=-1) / np.where(size == 0, 1, size)
        return size, mean, (mass * (place - np.asarray(mean)[..., None]) ** 2).sum(axis=-1)

    rows, mean_truth, within_truth = spread(t.truth)
    calls, mean_called, within_called = spread(t.predicted)
    return calls * within_truth + rows * within_called + rows * calls * (mean_truth - mean_called) ** 2


@measure("cost", needs="cells", best=0.0, range=(-np.inf, np.inf), situation="mean-cost", title="total cost",
         aliases=("total_cost",), options=("costs",), additive=True)  # fmt: skip
def cost(t: Confusion, masses: Any = None, *, costs: Any = None) -> Any:
    """Sum over the rows of what their calls cost; without `costs` every error costs 1.

    `costs[i][j]` is for truth i called j; see `inputs.costs.cost_matrix` for the other forms.

    >>> cost(Confusion([[150, 40], [60, 250]]), costs=[[-1, 100], [1, 0]])
    3910.0
    """
    m = t.masses if masses is None else masses
    total = (m * _cell_costs(t, costs)).sum(axis=-1)
    return total if total.ndim else total.item()


@measure("expected_cost", needs="cells", best=0.0, range=(-np.inf, np.inf), situation="mean-cost",
         aliases=("mean_cost",), options=("costs",), undefined="there are no rows")  # fmt: skip
def expected_cost(t: Confusion, masses: Any = None, *, costs: Any = None) -> Any:
    """Mean cost of a row; without `costs` every error costs 1, which gives the error rate."""
    m = t.masses if masses is None else masses
    return ratio((m * _cell_costs(t, costs)).sum(axis=-1), m.sum(axis=-1))


@measure("savings", needs="cells", best=1.0, range=(-np.inf, 1.0), situation="other", options=("costs",),
         title="savings against the best constant call",
         undefined="there are no rows, or calling every row the same class costs nothing, so there is nothing "
                   "to save")  # fmt: skip
def savings(t: Confusion, masses: Any = None, *, costs: Any = None) -> Any:
    """1 − cost / cost of the cheapest constant call: the share of that cost which the classifier saves.

    Undefined where some constant call costs nothing or brings a gain: there is no cost to take a share of.

    >>> savings(Confusion([[90, 5], [2, 3]]), costs={"fp": 1, "fn": 10})
    0.5
    """
    m = t.masses if masses is None else masses
    spent = (m * _cell_costs(t, costs)).sum(axis=-1)
    margins = t.classes(m)
    if costs is None:
        constant = np.asarray(margins.total)[..., None] - margins.truth
    else:
        constant = margins.truth @ cost_matrix(costs, t.labels, t.positive)[:, : len(t.labels)]
    if not len(t.labels):
        return ratio(spent, 0 * spent)
    cheapest = np.take_along_axis(constant, np.argmin(constant.real, axis=-1)[..., None], axis=-1)[..., 0]
    return 1 - ratio(spent, np.where(cheapest.real > 0, cheapest, 0))


def _cell_costs(t: Confusion, costs: Any) -> Any:
    if costs is None:
        return (t.row != t.col).astype(np.float64)
    table = cost_matrix(costs, t.labels, t.positive)
    return table[t.row, np.minimum(t.col, len(t.labels))]
