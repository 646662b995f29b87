import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError


def test_values_and_their_summary_give_the_same():
    values = [0.1, 0.3, 0.2, 0.4]
    made = te.mean_interval(values)
    assert (made.estimate, made.low, made.high) == pytest.approx((0.25, 0.044574, 0.455426), abs=1e-6)
    other = te.mean_interval(mean=made.estimate, sd=float(np.std(values, ddof=1)), n=4)
    assert (made.low, made.high) == pytest.approx((other.low, other.high), rel=1e-14)
    assert (made.estimate, made.method, made.n, made.note) == (other.estimate, other.method, other.n, other.note)
    assert (made.method, made.n) == ("t-mean", 4)


def test_one_sided_limits_are_the_two_sided_ones_at_twice_alpha():
    both = te.mean_interval([1.0, 2.0, 4.0], confidence=0.9)
    lower = te.mean_interval([1.0, 2.0, 4.0], confidence=0.95, side="lower")
    upper = te.mean_interval([1.0, 2.0, 4.0], confidence=0.95, side="upper")
    assert (lower.low, lower.high) == (pytest.approx(both.low), math.inf)
    assert (upper.low, upper.high) == (-math.inf, pytest.approx(both.high))


@pytest.mark.parametrize("arguments", [{"values": [0.3]}, {"mean": 0.3, "sd": 0.1, "n": 1}])
def test_one_value_has_no_interval(arguments):
    made = te.mean_interval(**arguments)
    assert made.estimate == pytest.approx(0.3, rel=1e-15)
    assert math.isnan(made.low)
    assert math.isnan(made.high)
    assert "one value" in made.note


@pytest.mark.parametrize("arguments", [{"values": [0.1] * 7}, {"mean": 0.1, "sd": 0, "n": 7}])
def test_equal_values_are_not_passed_off_as_certainty(arguments):
    made = te.mean_interval(**arguments)
    assert math.isnan(made.low)
    assert "equal" in made.note


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "mean=, sd=, n= missing"),
        ({"mean": 1, "sd": 1}, r"\(n= missing\)"),
        ({"values": [1, 2], "n": 2}, "not both"),
        ({"values": []}, "empty"),
        ({"values": [1, math.nan]}, "nan at row 2"),
        ({"mean": 1, "sd": -1, "n": 3}, "negative"),
        ({"mean": 1, "sd": 1, "n": 2.5}, "whole number"),
        ({"mean": math.inf, "sd": 1, "n": 2}, "finite"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        te.mean_interval(**arguments)
