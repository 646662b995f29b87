"""Decision curves: net benefit, acting on all and none, other priors, intervals."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=200)
TRUTH = RNG.random(200) < 1 / (1 + np.exp(1 - 1.5 * X))
P = 1 / (1 + np.exp(1 - 1.5 * X))


def test_net_benefit_from_counts():
    curve = te.decision_curve(TRUTH, P)
    assert len(curve.thresholds) == 99
    for t, benefit, everyone in zip(curve.thresholds, curve.net_benefit, curve.act_on_all, strict=True):
        called = t <= P
        tp, fp = (called & TRUTH).sum(), (called & ~TRUTH).sum()
        assert benefit == pytest.approx(tp / 200 - fp / 200 * t / (1 - t))
        assert everyone == pytest.approx(TRUTH.mean() - (1 - TRUTH.mean()) * t / (1 - t))
    assert not curve.act_on_none.any()
    assert (curve.standardised <= 1).all()


def test_a_forecast_at_the_threshold_is_acted_on():
    assert te.decision_curve([1, 0], [0.5, 0.2], thresholds=[0.5]).net_benefit.tolist() == [0.5]


def test_at_threshold_0_everyone_is_acted_on():
    curve = te.decision_curve(TRUTH, P, thresholds=[0.0])
    assert curve.net_benefit[0] == pytest.approx(TRUTH.mean())
    at = curve.at(0.0)
    assert at.low < at.estimate < at.high


def test_another_prior():
    curve = te.decision_curve(TRUTH, P, prior=0.1, thresholds=[0.2])
    called = P >= 0.2
    tpr, fpr = called[TRUTH].mean(), called[~TRUTH].mean()
    assert curve.net_benefit[0] == pytest.approx(0.1 * tpr - 0.9 * fpr * 0.25)
    assert curve.act_on_all[0] == pytest.approx(0.1 - 0.9 * 0.25)
    at = curve.at(0.2)
    assert at.estimate == pytest.approx(curve.net_benefit[0])
    assert at.low < at.estimate < at.high <= 0.1
    same = te.decision_curve(TRUTH, P, prior=TRUTH.mean())
    np.testing.assert_allclose(same.net_benefit, te.decision_curve(TRUTH, P).net_benefit)
    with pytest.raises(InputError, match="negative row"):
        te.decision_curve([1, 1], [0.2, 0.3], prior=0.5)


def test_interval_is_that_of_two_exclusive_shares():
    """The delta method agrees in a large sample: NB is a mean of rows worth 1, −odds or 0."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=100_000)
    truth, p = rng.random(len(x)) < 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-x))
    at = te.decision_curve(truth, p).at(0.4)
    rows = np.where(p >= 0.4, np.where(truth, 1.0, -0.4 / 0.6), 0.0)
    assert at.estimate == pytest.approx(rows.mean())
    assert at.width == pytest.approx(2 * 1.959964 * rows.std() / np.sqrt(len(rows)), rel=0.01)


def test_degenerate_models_have_a_width():
    for p in ([0.0] * 20, [0.9] * 20):
        for truth in ([0] * 20, [1] * 20, [0, 1] * 10):
            at = te.decision_curve(truth, p).at(0.5)
            assert at.low <= at.estimate <= at.high
            assert at.low < at.high


def test_useful_ranges():
    curve = te.decision_curve([1] * 10 + [0] * 10, [0.9] * 10 + [0.1] * 10)
    low, high = curve.useful()[0]
    assert (round(low, 2), round(high, 2)) == (0.11, 0.9)
    assert "0.110 to 0.900" in str(curve)
    assert te.decision_curve([0, 1], [0.5, 0.5]).useful() == []
    assert "at no threshold shown" in str(te.decision_curve([0, 1], [0.5, 0.5]))


def test_bad_thresholds():
    with pytest.raises(InputError, match="below 1"):
        te.decision_curve(TRUTH, P, thresholds=[0.5, 1.0])
    with pytest.raises(InputError, match="threshold=1"):
        te.decision_curve(TRUTH, P).at(1)
    with pytest.raises(InputError, match="prior"):
        te.decision_curve(TRUTH, P, prior=1.5)


def test_options_travel():
    curve = te.decision_curve(TRUTH, P, thresholds=[0.3, 0.1], prior=0.2)
    again = te.load(curve.to_json())
    assert again == curve
    assert again.thresholds.tolist() == [0.1, 0.3]
    assert again.prior == 0.2
