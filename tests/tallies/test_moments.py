"""Moments of a loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.tallies import Moments
from trueerror.tallies._moments import ordered_sum

rng = np.random.default_rng(4)
VALUES = 1e6 + rng.normal(size=1000)


def test_mean_and_spread_without_losing_digits() -> None:
    moments = Moments.of(VALUES)
    assert moments.mean == pytest.approx(VALUES.mean(), rel=1e-15)
    assert moments.variance == pytest.approx(VALUES.var(ddof=1), rel=1e-9)
    assert moments.standard_error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(1000), rel=1e-9)


def test_shards_add_in_any_order() -> None:
    parts = [Moments.of(v) for v in np.split(VALUES, [1, 10, 500])]
    forward = parts[0] + parts[1] + parts[2] + parts[3]
    backward = parts[3] + (parts[2] + (parts[1] + parts[0]))
    for total in (forward, backward):
        assert total.n == 1000
        assert total.mean == pytest.approx(VALUES.mean(), rel=1e-15)
        assert total.variance == pytest.approx(VALUES.var(ddof=1), rel=1e-9)


def test_shards_have_the_higher_powers_of_the_whole() -> None:
    values = np.random.default_rng(8).gamma(0.3, 1.0, 5000)
    apart = values - values.mean()
    for cuts in ([1, 10, 500], [2500], list(range(7, 5000, 7))):
        total = sum((Moments.of(v) for v in np.split(values, cuts)), Moments(0, 0.0, 0.0))
        assert total.cubes == pytest.approx((apart**3).sum(), rel=1e-12)
        assert total.fourths == pytest.approx((apart**4).sum(), rel=1e-12)
    sums = [float(((values - 0.25) ** k).sum()) for k in (1, 2, 3, 4)]
    about = Moments.about(0.25, 5000, sums)
    assert about is not None
    assert (about.cubes, about.fourths) == pytest.approx(((apart**3).sum(), (apart**4).sum()), rel=1e-11)
    turned = -total
    assert (turned.mean, turned.cubes, turned.fourths) == (-total.mean, -total.cubes, total.fourths)


def test_nothing_is_neutral() -> None:
    empty, some = Moments.of(np.zeros(0)), Moments.of(np.array([1.0, 2.0]))
    assert empty + some == some + empty == some
    assert math.isnan(empty.variance)
    assert math.isnan(Moments.of(np.array([3.0])).standard_error)


def test_an_infinite_loss_stays_infinite() -> None:
    some = Moments.of(np.array([1.0, math.inf]))
    for total in (some, some + Moments.of(np.array([2.0])), Moments.of(np.array([2.0])) + some, some + some):
        assert total.mean == math.inf
        assert total.squares == math.inf


@pytest.mark.parametrize("scale", [1e-200, 1e-3, 1.0, 1e100, 1e200])
def test_squares_about_the_mean_need_no_array(scale: float) -> None:
    values = np.random.default_rng(2).normal(size=70_001) * scale
    counts = np.random.default_rng(3).integers(0, 4, len(values))
    for often in (None, counts):
        with np.errstate(over="ignore"):
            squares = (values - 0.1 * scale) ** 2
        expected = math.inf if scale == 1e200 else ordered_sum(squares, often)
        assert ordered_sum(values, often, about=0.1 * scale) == expected


def test_a_value_that_is_not_finite_has_no_spread() -> None:
    for value, mean in ((math.inf, math.inf), (-math.inf, -math.inf), (math.nan, math.nan)):
        made = Moments.of(np.array([0.5, value, 0.25]))
        assert str(made.mean) == str(mean)
        assert not math.isfinite(made.squares)
