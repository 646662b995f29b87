"""Limits and p-values from replicates: degenerate ones, and the two in agreement."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from trueerror.inference.bootstrap._limits import (
    acceleration,
    bca_shares,
    bias_correction,
    bootstrap_limits,
    bootstrap_p,
    quantiles,
)

RNG = np.random.default_rng(2)
REPLICATES = RNG.gamma(4, size=9999) / 4 - 0.4
ESTIMATE = 0.58
SKEW = RNG.gamma(4, size=60) - 4


@pytest.mark.parametrize("method", ["bca", "percentile", "basic", "normal"])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_interval_at_level_p_just_reaches_zero(method, alternative) -> None:
    p = bootstrap_p(ESTIMATE, REPLICATES, alternative=alternative, method=method, influences=SKEW)
    tail = p / 2 if alternative == "two-sided" else min(p, 1 - p)
    low, high = bootstrap_limits(ESTIMATE, REPLICATES, tail=tail, method=method, influences=SKEW)
    assert low == pytest.approx(0, abs=2e-3)
    assert high > ESTIMATE


def test_p_is_never_zero() -> None:
    far = np.full(999, 5.0)
    for method in ("bca", "percentile", "basic", "normal"):
        assert bootstrap_p(5.0, far + RNG.normal(size=999) * 1e-3, method=method) >= 1 / 1000


@pytest.mark.parametrize("method", ["bca", "percentile", "basic", "normal"])
def test_replicates_that_are_all_zero_have_p_of_one(method) -> None:
    for alternative in ("two-sided", "greater", "less"):
        assert bootstrap_p(0.0, np.zeros(99), method=method, alternative=alternative) == 1


def test_ties_counted_half_keep_a_symmetric_statistic_unmoved() -> None:
    t = np.repeat([0.0, 1.0, 2.0], [25, 50, 25])
    assert bias_correction(1.0, t) == 0
    assert bias_correction(1.0, t, "strict") == pytest.approx(ndtri(0.25))


def test_no_replicate_below_leaves_a_finite_correction() -> None:
    assert bias_correction(0.0, np.ones(100)) == pytest.approx(ndtri(0.005))
    assert bias_correction(2.0, np.ones(100), "strict") == pytest.approx(ndtri(0.995))
    low, high = bootstrap_limits(0.0, np.linspace(1, 2, 100), tail=0.025)
    assert 1 <= low <= high <= 2


def test_acceleration() -> None:
    assert acceleration(np.zeros(5)) == 0
    assert acceleration(np.array([1.0, -1.0])) == 0
    u = np.array([0.3, -0.1, -0.05])
    expanded = np.repeat(u, [2, 3, 6])
    assert acceleration(u, np.array([2, 3, 6])) == pytest.approx(acceleration(expanded))
    assert acceleration(u * 1e-200) == pytest.approx(acceleration(u))


def test_bca_without_bias_or_skewness_is_the_percentile_interval() -> None:
    assert bca_shares(0.025, 0.0, 0.0) == pytest.approx((0.025, 0.975))
    # A strong skewness passes the pole of the formula: the limit is then the last replicate, not one turned back.
    assert bca_shares(0.025, 0.5, 0.6)[1] == 1


def test_r_boot_quantiles_stay_within_the_replicates() -> None:
    t = np.array([3.0, 1.0, 2.0])
    assert quantiles(t, np.array([0.001, 0.25, 0.5, 0.75, 0.999]), "r-boot").tolist() == [1, 1, 2, 3, 3]
