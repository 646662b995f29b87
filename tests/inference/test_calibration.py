"""Limits of calibration errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.calibration import Noise, gaps_of
from trueerror.tallies import ScoreTable


def forecasts(rng: np.random.Generator, n: int, slope: float = 1.0) -> ScoreTable:
    logit = 1.5 * rng.standard_normal(n)
    return ScoreTable.count(rng.random(n) < special.expit(slope * logit), special.expit(logit))


def test_forecasts_that_hold_may_have_no_error_at_all() -> None:
    """The bootstrap would put the lower limit above 0 in every sample."""
    rng = np.random.default_rng(0)
    made = [metric_interval("ece", forecasts(rng, 300)) for _ in range(40)]
    assert {i.method for i in made} == {"calibration-gaps"}
    assert sum(i.low == 0 for i in made) >= 36
    assert metric_interval("ece", forecasts(rng, 300), method="bootstrap").low > 0.01


def test_forecasts_that_are_far_off_are_found_out() -> None:
    made = metric_interval("ece", forecasts(np.random.default_rng(1), 3_000, slope=0.3))
    assert 0.05 < made.low < made.estimate < made.high < 0.3


def test_one_bin_by_hand() -> None:
    # 60 of 100 at .5: Σ(y − p)² = Σp(1 − p) = 25, so e = .05.
    table = ScoreTable.count([0] * 40 + [1] * 60, [0.5] * 100)
    gaps, rows = gaps_of(table, None, None)
    assert (gaps.gaps.tolist(), gaps.errors.tolist(), rows.tolist()) == (pytest.approx([0.1]), [0.05], [100.0])
    # P(|ε| ≤ .1) = .954 < .975: forecasts may hold. The upper limit is .1 + z·e, since nothing folds at 2 e.
    for metric in ("ece", "mce"):
        made = metric_interval(metric, table)
        assert (made.low, made.high) == (0.0, pytest.approx(0.1 + 1.959964 * 0.05, abs=1e-4))
    farther = ScoreTable.count([0] * 30 + [1] * 70, [0.5] * 100)
    # P(|d + ε| ≤ .2) = .975 where d = .102: nothing folds there either.
    assert metric_interval("mce", farther).low == pytest.approx(0.2 - 1.959964 * 0.05, abs=1e-4)


@pytest.mark.parametrize("true", [[0.0, 0.0, 0.0], [2.0, 0.0, 0.5], [5.0, 1.0, 0.0]])
@pytest.mark.parametrize("together", [False, True])
def test_the_noise_of_absolute_gaps_is_that_of_simulated_gaps(true: list[float], together: bool) -> None:
    rng = np.random.default_rng(2)
    errors, rho = np.array([1.0, 0.5, 2.0]), np.array([[1.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 1.0]])
    gaps = Noise(np.array(true), errors, np.ones(3) / 3, correlations=rho if together else None)
    noise = rng.multivariate_normal(np.zeros(3), rho if together else np.eye(3), 200_000)
    seen = np.abs(np.array(true) + errors * noise)
    for tail in (0.05, 0.025):
        q = float(special.ndtri(1 - tail))
        assert gaps.sum_limit(0.0, q) == pytest.approx(np.quantile(seen.sum(axis=1), 1 - tail), rel=0.03)
        if tail == 0.05 and not together:
            below = gaps.chance_below(0.0, 5.0, above=-5.0)
            assert below == pytest.approx((seen.max(axis=1) <= 5.0).mean(), abs=0.005)


@pytest.mark.parametrize("slope", [0.4, 0.7, 1.0, 1.5])
def test_limits_hold_the_true_error_and_are_not_far_wider_than_it_varies(slope: float) -> None:
    rng, held, wide, seen = np.random.default_rng(7), 0, [], []
    grid = np.linspace(-12, 12, 200_001)
    mass = np.exp(-(grid**2) / 4.5)
    moved = mass / mass.sum() * (special.expit(slope * grid) - special.expit(grid))
    truth = float(np.abs(np.bincount(np.minimum((special.expit(grid) * 10).astype(int), 9), weights=moved)).sum())
    for _ in range(200):
        made = metric_interval("ece", forecasts(rng, 600, slope))
        held += made.low <= truth + 1e-9 and truth <= made.high
        wide.append(made.high - made.low)
        seen.append(made.estimate)
    assert held >= 182
    assert np.mean(wide) < 2.1 * 2 * 1.96 * np.std(seen)


@pytest.mark.parametrize("metric", ["ece", "mce"])
def test_confidence_sides_and_edges(metric: str) -> None:
    table = forecasts(np.random.default_rng(3), 80, slope=0.5)
    found = [metric_interval(metric, table, confidence=c) for c in (0.5, 0.8, 0.95, 0.999)]
    widths = [i.high - i.low for i in found]
    assert widths == sorted(widths)
    upper = metric_interval(metric, table, side="upper")
    assert upper.low == 0
    assert upper.high <= found[2].high
    for truth, scores in (([1], [1.0]), ([1, 0], [1.0, 0.0]), ([1, 1, 1], [0.9] * 3), ([1, 0], [0.5, 0.5])):
        made = metric_interval(metric, ScoreTable.count(truth, scores))
        if math.isnan(made.low):
            assert made.note
        else:
            assert 0 <= made.low <= made.estimate <= made.high <= 1
            assert made.low < made.high


def test_another_share_of_positives_and_weights() -> None:
    table = forecasts(np.random.default_rng(4), 500)
    own = table.n_positive / table.n
    plain, same, rare = (metric_interval("ece", table, prior=prior) for prior in (None, own, 0.05))
    assert (same.low, same.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    assert rare.estimate > plain.estimate
    assert rare.low < rare.estimate < rare.high
    y, p = [0, 1] * 60, [0.3, 0.8] * 60
    doubled = te.evaluate(y, scores=p, positive=1, weights=[2.0] * 120, weights_kind="sampling", metrics=["ece"])["ece"]
    bare = te.evaluate(y, scores=p, positive=1, metrics=["ece"])["ece"]
    assert (doubled.low, doubled.high) == pytest.approx((bare.low, bare.high), abs=1e-9)


@pytest.mark.parametrize("metric", ["ece", "mce"])
def test_confident_forecasts_without_a_failure_have_shown_little(metric: str) -> None:
    made = metric_interval(metric, ScoreTable.count([0] * 100, [0.001] * 100))
    z = 1.959964
    assert made.high >= z * z / (100 + z * z) - 1e-6
    assert made.high < 0.07


@pytest.mark.parametrize("metric", ["ece", "mce"])
def test_calibration_errors_of_clusters_allow_for_what_clusters_have_in_common(metric):
    rng = np.random.default_rng(4)
    p = rng.uniform(0.05, 0.95, 40)
    y = (rng.random(40) < p).astype(int)
    once = te.evaluate(y, scores=p, positive=1, metrics=[metric])[metric]
    alone = te.evaluate(y, scores=p, positive=1, metrics=[metric], clusters=np.arange(40))[metric]
    copied = te.evaluate(
        np.repeat(y, 5), scores=np.repeat(p, 5), positive=1, metrics=[metric], clusters=np.repeat(np.arange(40), 5)
    )[metric]
    assert {once.method, alone.method, copied.method} == {"calibration-gaps"}
    assert copied.estimate == pytest.approx(once.estimate)
    assert alone.high == pytest.approx(once.high, abs=0.03)
    assert copied.low <= once.low + 1e-9
    assert copied.high >= once.high - 0.02


def test_calibrated_forecasts_of_clusters_are_not_called_off():
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(60):
        keys = np.repeat(np.arange(20), 10)
        p = 1 / (1 + np.exp(-(rng.standard_normal(20)[keys] + rng.standard_normal(200))))
        y = (rng.random(200) < p).astype(int)
        held += te.evaluate(y, scores=p, positive=1, clusters=keys, metrics=["ece"])["ece"].low == 0
    assert held >= 56  # drawing clusters again held in one of a hundred


def test_two_calibration_errors_of_clusters():
    rng = np.random.default_rng(9)
    keys = np.repeat(np.arange(40), 20)
    p = rng.uniform(0.1, 0.9, 800)
    y = (rng.random(800) < p).astype(int)
    found = te.compare(y, scores={"off": np.clip(p * 0.3, 0, 1), "right": p}, positive=1, clusters=keys, metric="ece")
    pair = found.pairs[0]
    assert pair.method == "calibration-gaps-difference"
    assert abs(pair.estimate) > 0.1
    assert pair.p_value < 0.05


@pytest.mark.parametrize("metric", ["ece", "mce"])
def test_a_bin_that_one_cluster_fills_shows_no_gap_of_its_forecasts(metric: str) -> None:
    """Eight clusters of one forecast each: what a cluster has in common looks like a gap."""
    rng, held = np.random.default_rng(1), 0
    keys = np.repeat(np.arange(8), 25)
    for _ in range(60):
        logit = 1.5 * rng.standard_normal(8)
        y = (rng.random(200) < special.expit(logit + rng.standard_normal(8))[keys]).astype(int)
        found = te.evaluate(y, scores=special.expit(logit)[keys], positive=1, clusters=keys, metrics=[metric])[metric]
        held += found.low <= 0.03
    assert held >= 57


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_one_sided_limits_of_even_odds_are_there(metric: str, side: str) -> None:
    found = metric_interval(metric, forecasts(np.random.default_rng(5), 200), confidence=0.5, side=side)  # type: ignore[arg-type]
    assert 0 <= found.low <= found.estimate <= found.high <= 1
