"""Logistic recalibration: fits, profile limits, separated classes, forecasts of exactly 0 and 1."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.curves import _recalibration as recalibration
from trueerror.curves._recalibration import (
    LogitTable,
    calibration_intercept,
    calibration_slope,
    fit_logistic,
    in_the_large,
    intercept_given_slope,
    separation,
)
from trueerror.tallies import ScoreTable

ALL = (calibration_intercept, calibration_slope, in_the_large)
Z2 = 1.959963984540054**2


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return ScoreTable.count(rng.random(n) < 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-(1.5 * x + 0.3))))


def ask(function, table, method="profile", confidence=0.95):
    return function(table, method=method, confidence=confidence)


def test_the_gradient_vanishes_at_the_fit():
    for seed in range(10):
        data = LogitTable.of(sample(80, seed))
        a, b = fit_logistic(data, [0, 1])
        np.testing.assert_allclose(data.height(a, b).gradient, 0, atol=1e-8)
        alone = intercept_given_slope(data, 1.0)
        assert data.height(alone, 1.0).gradient[0] == pytest.approx(0, abs=1e-8)


def test_profile_limits_are_where_the_likelihood_has_dropped():
    data = LogitTable.of(sample(120))
    a, b = fit_logistic(data, [0, 1])
    top = data.likelihood(a, b)
    for limit in (ask(calibration_slope, sample(120)).low, ask(calibration_slope, sample(120)).high):
        assert 2 * (top - data.likelihood(*fit_logistic(data, [0], (a, limit)))) == pytest.approx(Z2, rel=1e-6)
    for limit in (ask(calibration_intercept, sample(120)).low, ask(calibration_intercept, sample(120)).high):
        assert 2 * (top - data.likelihood(*fit_logistic(data, [1], (limit, b)))) == pytest.approx(Z2, rel=1e-6)
    alone = intercept_given_slope(data, 1.0)
    for limit in (ask(in_the_large, sample(120)).low, ask(in_the_large, sample(120)).high):
        assert 2 * (data.likelihood(alone, 1.0) - data.likelihood(limit, 1.0)) == pytest.approx(Z2, rel=1e-6)


def shares(share):
    """Forecasts with one class as rare as that."""
    rng = np.random.default_rng(40)
    truth = rng.random(40_000) < share
    logits = rng.normal(size=len(truth)) + 3 * truth + np.log(share)
    return ScoreTable.count(truth, 1 / (1 + np.exp(-logits)))


def apart(by):
    """Forecasts of classes that hardly overlap."""
    rng = np.random.default_rng(0)
    truth = rng.random(60_000) < 0.5
    return ScoreTable.count(truth, 1 / (1 + np.exp(-(rng.normal(size=len(truth)) + by * (2 * truth - 1)))))


def nearly_parted():
    truth = np.arange(40_000) >= 20_000
    truth[19_997:20_003] = [1, 1, 0, 1, 0, 0]
    return ScoreTable(1 / (1 + np.exp(-np.linspace(-6, 6, len(truth)))), truth, ~truth)


MANY = {
    "a third": (lambda: shares(0.3), 1e-4), "one in a hundred": (lambda: shares(0.01), 1e-4),
    "one in a thousand": (lambda: shares(0.001), 1e-4), "a good model": (lambda: apart(2.0), 1e-4),
    "a very good model": (lambda: apart(3.7), 1e-3), "six rows that overlap": (nearly_parted, 1e-3),
}  # fmt: skip


@pytest.mark.parametrize(("make", "moved"), MANY.values(), ids=MANY)
def test_grouping_many_forecasts_moves_limits_by_nothing_that_matters(make, moved, monkeypatch):
    made = [ask(f, make()) for f in ALL]
    monkeypatch.setattr(recalibration, "UNGROUPED", 10**9)
    for exact, grouped in zip([ask(f, make()) for f in ALL], made, strict=True):
        assert grouped.estimate == pytest.approx(exact.estimate, rel=1e-7, abs=1e-8)
        assert grouped.low == pytest.approx(exact.low, abs=moved * exact.width)
        assert grouped.high == pytest.approx(exact.high, abs=moved * exact.width)
    assert made[1].low != ask(calibration_slope, make()).low


def test_large_samples_make_profile_and_wald_one():
    table = sample(50_000)
    for f in ALL:
        a, b = ask(f, table), ask(f, table, "wald")
        assert a.estimate == b.estimate
        assert (a.low, a.high) == (pytest.approx(b.low, abs=1e-3), pytest.approx(b.high, abs=1e-3))


@pytest.mark.parametrize(
    ("truth", "p", "sign"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], 1),
        ([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1], -1),
        ([0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], 1),
        ([0] * 50 + [1] * 50, np.linspace(0.01, 0.99, 100), 1),
    ],
)
def test_separated_classes_have_an_infinite_slope_and_one_finite_limit(truth, p, sign):
    table = ScoreTable.count(truth, p)
    assert separation(LogitTable.of(table)) == sign
    slope = ask(calibration_slope, table)
    assert slope.estimate == sign * math.inf
    finite = slope.low if sign > 0 else slope.high
    assert math.isfinite(finite)
    assert "separate the classes" in slope.note
    # At the finite limit the best likelihood has dropped by z²/2 from its supremum.
    data = LogitTable.of(table)
    best = 2 * math.log(0.5) if 0.5 in table.scores else 0.0
    drop = best - data.likelihood(intercept_given_slope(data, finite), finite)
    assert 2 * drop == pytest.approx(Z2, rel=1e-6)
    assert math.isnan(ask(calibration_intercept, table).estimate)
    large = ask(in_the_large, table)
    assert large.low < large.estimate < large.high


def test_nothing_to_fit():
    for truth, p, words in (
        ([0, 1], [0.5, 0.5], "forecasts are equal"),
        ([1, 1, 1], [0.1, 0.5, 0.9], "one class"),
        ([0, 1], [0.0, 1.0], "exactly 0 or 1"),
    ):
        slope = ask(calibration_slope, ScoreTable.count(truth, p))
        assert math.isnan(slope.estimate)
        assert words in slope.note


def test_forecasts_of_exactly_0_and_1_are_taken_for_half_a_step_beyond_the_next():
    table = ScoreTable.count([0, 0, 1, 0, 1, 1], [0, 0.1, 0.3, 0.6, 0.5, 1])
    data = LogitTable.of(table)
    np.testing.assert_allclose(data.x[[0, -1]], [math.log(0.05 / 0.95), math.log(0.95 / 0.05)])
    slope = ask(calibration_slope, table)
    assert math.isfinite(slope.estimate)
    assert "2 rows forecast at exactly 0 or 1" in slope.note


def test_limits_cover():
    """Calibrated forecasts, 150 rows, nominal 95 %."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(120):
        x = rng.normal(size=150)
        table = ScoreTable.count(rng.random(150) < 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-x)))
        hits += 1 in ask(calibration_slope, table)
    assert 0.9 < hits / 120 < 0.99


def test_forecasts_of_1_beside_tiny_ones() -> None:
    # 1 − 1e-20 is 1 in floats; its logit is still that of 1e-20 with the sign turned.
    truth = [0, 0, 0, 1, 0, 1, 1, 1] * 5
    scores = [1e-20, 0.1, 0.4, 0.3, 0.6, 0.9, 1.0, 1.0] * 5
    slope = calibration_slope(ScoreTable.count(truth, scores), method="profile", confidence=0.95)
    assert 0 < slope.low < slope.estimate < slope.high


def test_forecasts_of_the_smallest_number_there_is_have_a_neighbour():
    made = te.calibration([0, 1, 0, 1] * 5, np.array([5e-324, 0.0, 1e-300, 1.0] * 5))
    assert "calibration" in str(made).lower()
    slope = made.slope()
    assert slope.low <= slope.estimate <= slope.high
    # Of logits from −744 to 744 a slope of 1 would give half the rows no probability at all.
    assert slope.high < 0.1
    data = LogitTable.of(made.table)
    np.testing.assert_allclose(data.height(*fit_logistic(data, [0, 1])).gradient, 0, atol=1e-7)


def test_one_step_from_groups_is_where_all_forecasts_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    logits = rng.normal(size=120_000) * 2
    truth = rng.random(len(logits)) < 1 / (1 + np.exp(-(0.3 + 0.7 * logits)))
    data = LogitTable.of(te.ScoreTable.count(truth, 1 / (1 + np.exp(-logits))))
    assert data is not None
    for free in ([0, 1], [0], [1]):
        quick = fit_logistic(data, free)
        assert data.gradient(*quick) == pytest.approx(data.height(*quick).gradient, rel=1e-6, abs=1e-6)
        with monkeypatch.context() as plain:
            plain.setattr(recalibration, "NEAR_GROUPS", 0.0)
            assert quick == pytest.approx(fit_logistic(data, free), rel=1e-8)
