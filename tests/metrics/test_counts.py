"""Kappa, costs and savings cell by cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.metrics.counts import expected_cost, kappa, savings
from trueerror.metrics.counts import total_cost as cost

TABLE = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]], labels=["low", "mid", "high"])


def kappa_by_pairs(matrix: Any, power: int | None) -> float:
    """The definition: every pair of classes has its weight."""
    m = np.asarray(matrix, dtype=float)
    i, j = np.indices(m.shape)
    w = (i != j).astype(float) if power is None else np.abs(i - j).astype(float) ** power
    chance = np.outer(m.sum(axis=1), m.sum(axis=0)) / m.sum()
    return float(1 - (w * m).sum() / (w * chance).sum())


@pytest.mark.parametrize(("weights", "power"), [(None, None), ("linear", 1), ("quadratic", 2)])
def test_kappa_by_its_definition(weights: Any, power: int | None) -> None:
    rng = np.random.default_rng(1)
    for k in (2, 3, 7):
        matrix = rng.integers(0, 30, (k, k))
        assert kappa(te.Confusion(matrix), weights=weights) == pytest.approx(kappa_by_pairs(matrix, power), rel=1e-12)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_a_row_without_a_prediction_is_as_far_off_as_can_be(weights: Any) -> None:
    truth, called = [0, 0, 1, 2, 2, 2, 1], [0, 1, 1, 2, 0, None, None]
    table = te.Confusion.count(truth, called, missing="wrong")
    power = 1 if weights == "linear" else 2
    observed = [0, 1, 0, 0, 2**power, 2**power, 2**power]
    rows, calls = np.bincount(truth), [2, 2, 1]
    chance = sum(rows[i] * calls[j] * abs(i - j) ** power for i in range(3) for j in range(3))
    chance += 7 * 2 * 2**power
    assert kappa(table, weights=weights) == pytest.approx(1 - 7 * sum(observed) / chance)


def test_weighted_kappa_does_not_build_a_square_of_many_classes() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 50_000, 100_000)
    called = np.where(rng.random(100_000) < 0.5, truth, rng.integers(0, 50_000, 100_000))
    table = te.Confusion.count(truth, called)
    for weights in (None, "linear", "quadratic"):
        assert 0.4 < kappa(table, weights=weights) < 0.6


def test_kappa_is_undefined_only_when_all_is_one_class() -> None:
    assert math.isnan(kappa(te.Confusion([[9, 0], [0, 0]])))
    assert kappa(te.Confusion([[9, 3], [0, 0]])) == 0
    with pytest.raises(ValueError, match="did you mean 'quadratic'"):
        kappa(TABLE, weights="quadric")


def test_without_costs_every_error_costs_one() -> None:
    assert cost(TABLE) == 21
    assert expected_cost(TABLE) == pytest.approx(te.metric("error_rate", TABLE))
    assert savings(TABLE) == pytest.approx(1 - 21 / (120 - 57))
    ones = 1 - np.eye(3)
    for formula in (cost, expected_cost, savings):
        assert formula(TABLE, costs=ones) == pytest.approx(formula(TABLE))


def test_savings_against_the_cheapest_constant_call() -> None:
    costs = np.array([[0, 1, 5], [2, 0, 1], [30, 20, 0]])
    constants = TABLE.matrix.sum(axis=1) @ costs
    assert constants.argmin() == 2  # calling everything "high" is cheapest
    assert savings(TABLE, costs=costs) == pytest.approx(1 - (TABLE.matrix * costs).sum() / constants.min())


def test_savings_are_undefined_where_a_constant_call_costs_nothing_or_gains() -> None:
    assert math.isnan(savings(te.Confusion([[5, 1], [0, 0]])))
    assert math.isnan(savings(TABLE, costs=-np.ones((3, 3))))
    assert math.isnan(savings(te.Confusion(np.zeros((2, 2)))))


def test_rows_without_a_prediction_cost_as_much_as_the_dearest_error() -> None:
    table = te.Confusion.count(["a", "b", "c"], ["a", None, None], missing="wrong")
    costs = [[0, 1, 2], [3, 0, 4], [6, 5, 0]]
    assert te.cost(table, costs) == 4 + 6
    with_price = [[0, 1, 2, 0.5], [3, 0, 4, 0.5], [6, 5, 0, 0.5]]
    assert te.cost(table, with_price) == 1.0


def test_the_public_cost() -> None:
    assert te.cost([[150, 40], [60, 250]], [[-1, 100], [1, 0]]) == 3910
    assert isinstance(te.cost(TABLE, np.ones((3, 3))), float)
    assert te.cost(TABLE, np.ones((3, 3)), mean=True) == 1
    assert math.isnan(te.cost(te.Confusion(np.zeros((2, 2))), np.ones((2, 2)), mean=True))
    assert te.metric("total_cost", TABLE, costs=np.ones((3, 3))) == 120
    with pytest.raises(ValueError, match="costs"):
        te.cost(TABLE, None)


def test_sampling_weights_weigh_the_costs() -> None:
    table = te.Confusion.count([0, 1, 1], [1, 1, 0], weights=[0.5, 2, 4], weights_kind="sampling")
    assert te.cost(table, [[0, 10], [1, 0]]) == pytest.approx(5 + 4)
    assert te.cost(table, [[0, 10], [1, 0]], mean=True) == pytest.approx(9 / 6.5)
