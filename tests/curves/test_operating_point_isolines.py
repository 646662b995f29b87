"""Conditions and lines of equal accuracy and cost."""

import math

import numpy as np
import pytest

from trueerror.curves._operating_point import Condition, iso_accuracy, iso_cost
from trueerror.inputs._options import InputError


def test_slope_is_the_ratio_of_what_errors_cost():
    assert Condition(0.2).slope == pytest.approx(4)
    assert Condition(0.2, cost_fp=1, cost_fn=8).slope == pytest.approx(0.5)
    assert Condition(0.2, cost_fp=3, cost_fn=8, cost_tp=2, cost_tn=1).slope == pytest.approx(2 * 0.8 / (6 * 0.2))
    assert Condition(0.0).slope == math.inf
    assert Condition(1.0).slope == 0


def test_cost_counts_all_four_outcomes():
    c = Condition(0.25, cost_fp=2, cost_fn=5, cost_tp=-1, cost_tn=0.5)
    by_hand = 0.25 * (0.4 * 5 + 0.6 * -1) + 0.75 * (0.1 * 2 + 0.9 * 0.5)
    assert c.cost(0.1, 0.6) == pytest.approx(by_hand)
    assert c.costs() == [[0.5, 2], [5, -1]]


@pytest.mark.parametrize("condition", [Condition(0.3), Condition(0.05, 2, 30), Condition(0.6, 3, 8, 2, 1)])
def test_lines_hold_their_value(condition):
    line = iso_cost(0.9 * condition.cost(0.2, 0.7) + 0.01, condition)
    x = np.array([0.0, 0.3, 1.0])
    assert condition.cost(x, line.at(x)) == pytest.approx(line.value)
    line = iso_accuracy(0.75, condition.prior)
    assert condition.accuracy(x, line.at(x)) == pytest.approx(0.75)


def test_ends_lie_on_the_border_of_the_square():
    line = iso_accuracy(0.8, 0.5)
    (x0, y0), (x1, y1) = line.ends
    assert (x0, y0, x1, y1) == pytest.approx((0, 0.6, 0.4, 1))
    assert iso_accuracy(0.5, 1.0).ends == ((0, 0.5), (1, 0.5))
    vertical = iso_accuracy(0.7, 0.0)
    assert vertical.slope == math.inf
    assert np.array(vertical.ends) == pytest.approx(np.array([[0.3, 0], [0.3, 1]]))
    assert "fpr = 0.300" in str(vertical)
    assert iso_cost(-1, Condition(0.5)).ends == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"prior": 1.5},
        {"prior": 0.5, "cost_fp": 0},
        {"prior": 0.5, "cost_fn": 1, "cost_tp": 1},
        {"prior": 0.5, "cost_fp": math.inf},
        {"prior": 0.5, "cost_fn": "many"},
    ],
)
def test_senseless_conditions(wrong):
    with pytest.raises(InputError):
        Condition(**wrong)


def test_words():
    assert Condition(0.1, cost_fn=10).words() == "with 10 % positives, a false alarm costing 1 and a miss 10"
    assert "a hit -1" in Condition(0.1, cost_tp=-1).words()
