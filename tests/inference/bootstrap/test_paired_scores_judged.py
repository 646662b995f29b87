"""What replicates of a difference say: limits, p-value and share ahead, against their formulas."""

import math

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.bootstrap._paired_scores import (
    ALIKE,
    _judged,
    _rule_of_three,
    _rule_of_three_p,
    _share_reaching_0,
    expanded_tail,
    narrowed_tail,
)

REACH = (-1.0, 1.0)
VALUES = np.random.default_rng(5).normal(0.03, 0.02, 999)


@pytest.mark.parametrize(("apart", "values"), [([1, 9], VALUES), ([9, 0], VALUES), ([9, 9], VALUES[:1])])
def test_nothing_to_judge_by(apart, values):
    found = _judged(0.03, values, apart, 0.025, "two-sided", REACH)
    assert found.limits == REACH
    assert found.p_value == 1.0
    assert math.isnan(found.ahead)
    assert ("a single one" in found.note) == (min(apart) == 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("estimate", [0.2, -0.2, 0.0])
def test_replicates_that_are_all_alike(estimate, alternative):
    apart, tail = [7, 12], 0.025 if alternative == "two-sided" else 0.05
    found = _judged(estimate, np.full(50, estimate), apart, tail, alternative, REACH)
    half = sum(1 - tail ** (1 / k) for k in apart)
    assert found.limits == pytest.approx((estimate - half, estimate + half), rel=1e-12)
    assert found.note == ALIKE
    assert found.ahead == 0.5 * (1 + np.sign(estimate))
    towards = {"two-sided": abs(estimate), "greater": estimate, "less": -estimate}[alternative]
    if towards <= 0:
        assert found.p_value == 1.0
    else:
        # At the level that is p, the limits reach 0.
        level = found.p_value / (2 if alternative == "two-sided" else 1)
        assert _rule_of_three(level, apart) == pytest.approx(towards, rel=1e-9)


def test_the_rule_of_three_ends_at_one():
    assert _rule_of_three_p(1e-9, [3, 3], "two-sided") == 1.0
    assert _rule_of_three_p(1e-9, [3, 3], "greater") == pytest.approx(1.0, abs=1e-6)
    assert _rule_of_three_p(1.9, [4, 4], "greater") < 1e-4


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_few_rows_are_judged_by_t(alternative):
    m, tail = 3, 0.025
    values = VALUES[:40]
    assert expanded_tail(tail, m) * len(values) < 1
    found = _judged(0.03, values, [m, 9], tail, alternative, REACH)
    spread = math.sqrt(m / (m - 1)) * values.std()
    half = stats.t.isf(tail, m - 1) * spread
    assert found.limits == pytest.approx((0.03 - half, 0.03 + half), rel=1e-10)
    t = 0.03 / spread
    p = {"two-sided": 2 * stats.t.sf(t, m - 1), "greater": stats.t.sf(t, m - 1), "less": stats.t.cdf(t, m - 1)}
    assert found.p_value == pytest.approx(p[alternative], rel=1e-10)
    assert found.ahead == pytest.approx(stats.t.cdf(t, m - 1), rel=1e-10)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("estimate", [0.03, -0.001, 0.0])
def test_percentiles_with_the_tails_of_t(estimate, alternative):
    m, tail = 30, 0.025
    found = _judged(estimate, VALUES, [m, 50], tail, alternative, REACH)
    share = stats.norm.cdf(-math.sqrt(m / (m - 1)) * stats.t.isf(tail, m - 1))
    assert expanded_tail(tail, m) == pytest.approx(share, rel=1e-10)
    assert narrowed_tail(share, m) == pytest.approx(tail, rel=1e-9)
    assert found.limits == pytest.approx(np.quantile(VALUES, [share, 1 - share]), rel=1e-9)
    assert found.ahead == pytest.approx((VALUES > 0).mean())
    if alternative == "two-sided" and estimate == 0:
        assert found.p_value == 1.0
        return
    side = ("greater" if estimate > 0 else "less") if alternative == "two-sided" else alternative
    reaching = _share_reaching_0(VALUES, side)
    signed = VALUES if side == "greater" else -VALUES
    assert np.quantile(signed, reaching) == pytest.approx(0.0, abs=1e-12)
    p = narrowed_tail(reaching, m) * (2 if alternative == "two-sided" else 1)
    assert found.p_value == pytest.approx(min(1.0, p), rel=1e-12)
    assert not found.at_most


def test_replicates_on_one_side_of_0_show_a_smallest_p():
    values = np.linspace(0.01, 0.02, 99)
    assert _share_reaching_0(values, "greater") == 1 / 100
    assert _share_reaching_0(values, "less") == 1.0
    found = _judged(0.015, values, [40, 40], 0.025, "greater", REACH)
    assert found.at_most
    assert found.p_value == pytest.approx(narrowed_tail(0.01, 40))
    half = _judged(0.015, np.array([-0.01, 0.0, 0.02] * 40), [40, 40], 0.2, "greater", REACH)
    assert half.ahead == pytest.approx(0.5)
