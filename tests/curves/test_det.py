"""DET curves and the equal error rate."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtri

import trueerror as te
from trueerror.curves._det import equal_rates
from trueerror.inputs._options import InputError


def test_rates_and_deviates():
    curve = te.det([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    assert curve.fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert curve.fnr.tolist() == [1, 0.5, 0.5, 0, 0]
    x, y = curve.deviates()
    assert x.tolist() == [-np.inf, -np.inf, 0, 0, np.inf]
    np.testing.assert_allclose(y, ndtri(curve.fnr))


@pytest.mark.parametrize(
    ("truth", "scores", "rate"),
    [
        ([0, 0, 1, 1], [1, 2, 3, 4], 0.0),
        ([1, 1, 0, 0], [1, 2, 3, 4], 1.0),
        ([0, 1, 0, 1], [1, 1, 1, 1], 0.5),
        ([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], 0.5),
        # (FPR, FNR) goes from (0, 2/3) through (1, 1/3) by a tie: FPR = FNR where t = 2/3 − t/3, at 1/2.
        ([1, 0, 1, 1], [3, 2, 2, 1], 0.5),
    ],
)
def test_equal_error_rate(truth, scores, rate):
    made = te.det(truth, scores).equal_error_rate(replicates=200)
    assert made.estimate == pytest.approx(rate)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high


def test_equal_error_rate_of_many_tables():
    rng = np.random.default_rng(0)
    up, down = rng.integers(0, 3, (40, 9)), rng.integers(0, 3, (40, 9))
    up[0] = 0
    made = equal_rates(up, down)
    assert np.isnan(made[0])
    for u, d, rate in zip(up[1:], down[1:], made[1:], strict=True):
        curve_fpr = np.concatenate(([0], np.cumsum(d[::-1]))) / d.sum()
        curve_fnr = 1 - np.concatenate(([0], np.cumsum(u[::-1]))) / u.sum()
        # On the path of joined points both rates equal the answer somewhere.
        t = np.linspace(0, 1, 2001)
        x = np.concatenate([a + t * (b - a) for a, b in pairwise(curve_fpr)])
        y = np.concatenate([a + t * (b - a) for a, b in pairwise(curve_fnr)])
        assert np.abs(np.stack([x - rate, y - rate])).max(axis=0).min() < 2e-3


def test_binormal_equal_error_rate():
    """Two unit normals d apart: Φ(−d/2)."""
    rng = np.random.default_rng(4)
    truth = rng.random(200_000) < 0.3
    made = te.det(truth, 2.0 * truth + rng.normal(size=len(truth))).equal_error_rate(replicates=300)
    assert made.low < 0.15866 < made.high
    assert made.width < 0.006


def test_operating_points():
    curve = te.det([0, 0, 0, 0, 1, 1, 1], [1, 2, 3, 5, 4, 6, 7])
    point = curve.at(fpr=0.25)
    assert (point.threshold, point.false_alarms, point.misses) == (4, 1, 0)
    assert point.fpr.high == pytest.approx(te.interval(1, 4).high)
    assert curve.at(fnr=0.4).threshold == 6
    assert curve.at(threshold=6.5).misses == 2
    assert curve.at(threshold=6.5).note == ""
    assert curve.at(fpr=0).false_alarms == 0
    assert te.load(point.to_json()) == point
    assert "1 false alarms of 4 negatives" in str(point)
    with pytest.raises(InputError, match="one of threshold="):
        curve.at()


def test_sampling_weights_fall_back_to_the_smaller_class():
    rng = np.random.default_rng(2)
    truth = rng.random(100) < 0.2
    made = te.det(truth, truth + rng.normal(size=100), weights=rng.random(100), weights_kind="sampling")
    rate = made.equal_error_rate()
    assert rate.method == "wilson"
    assert "sampling weights" in rate.note
    assert made.at(threshold=0.5).fpr.method == "effective-t"
