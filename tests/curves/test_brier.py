"""Brier curves: the loss at each cost ratio, and the Brier score as their area."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(0)
P = (RNG.random(60) * 20).round() / 20
TRUTH = RNG.random(60) < P


def test_loss_from_counts():
    curve = te.brier_curve(TRUTH, P)
    for c in (0.0, 0.05, 0.31, 0.5, 0.95, 1.0):
        fp, fn = ((c <= P) & ~TRUTH).sum(), ((c > P) & TRUTH).sum()
        assert float(curve.loss(c)) == pytest.approx(2 * (c * fp + (1 - c) * fn) / 60)
    with pytest.raises(InputError, match="between 0 and 1"):
        curve.loss([0.5, 1.5])


def test_the_area_is_the_brier_score():
    curve = te.brier_curve(TRUTH, P)
    brier = np.mean((P - TRUTH) ** 2)
    assert curve.area().estimate == pytest.approx(brier)
    x, y = curve.points
    assert np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2 == pytest.approx(brier)
    assert (x[0], x[-1]) == (0, 1)
    assert (np.diff(x) >= 0).all()


def test_recalibrating_can_only_help_on_the_same_rows():
    curve = te.brier_curve(TRUTH, P**3)
    grid = np.linspace(0, 1, 201)
    assert (curve.best_loss(grid) <= curve.loss(grid) + 1e-12).all()
    assert curve.best_loss(0.5) <= curve.loss(0.5)
    # Area of the best loss: the Brier score of the isotonic fit, as far as trapezoids go.
    best = te.calibration(TRUTH, P**3)
    parts = best.decomposition()
    area = np.mean((curve.best_loss(grid)[1:] + curve.best_loss(grid)[:-1]) / 2)
    assert area == pytest.approx(parts.uncertainty - parts.discrimination, abs=2e-3)


def test_a_point_has_limits():
    curve = te.brier_curve(TRUTH, P)
    at = curve.at(0.3)
    assert at.estimate == pytest.approx(float(curve.loss(0.3)))
    assert 0 <= at.low < at.estimate < at.high <= 2
    sure = te.brier_curve([0] * 10 + [1] * 10, [0.0] * 10 + [1.0] * 10)
    assert sure.at(0.5).low == 0 < sure.at(0.5).high
    assert sure.area().low == 0 < sure.area().high


def test_one_class_is_fine():
    curve = te.brier_curve([1, 1], [0.3, 0.6])
    assert curve.area().estimate == pytest.approx((0.49 + 0.16) / 2)
    assert str(curve)
