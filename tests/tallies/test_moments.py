"""Moments of a loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.tallies import Moments

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
