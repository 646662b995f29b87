"""Wilcoxon's signed ranks and the sign test."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.ranking import _rank_tests as room
from trueerror.inference.ranking._rank_tests import rank_sum_chances, sign, signed_ranks, wilcoxon
from trueerror.inputs._options import InputError


def by_listing(d, pratt):
    """The exact p-values by listing all sign patterns."""
    ranks = signed_ranks(np.asarray(d, dtype=float), pratt=pratt)
    ranks = ranks[ranks != 0]
    seen = ranks[ranks > 0].sum()
    sums = np.array([np.dot(flips, abs(ranks)) for flips in itertools.product((0, 1), repeat=len(ranks))])
    greater, less = (sums >= seen).mean(), (sums <= seen).mean()
    return {"two-sided": min(1.0, 2 * min(greater, less)), "greater": greater, "less": less}


@pytest.mark.parametrize(
    "d", [[1, 2, 3], [1, -1, 2, 2, -3], [0, 0, 1, -2, 2, 5], [3, 3, 3, 3], [-4, 1, 1, 2, 0, 7, 7, -2]]
)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
def test_exact_p_counts_all_sign_patterns(d, zeros):
    for alternative, expected in by_listing(d, zeros == "pratt").items():
        made = wilcoxon(d, [0] * len(d), zeros=zeros, alternative=alternative)
        assert made.p_value == pytest.approx(expected)


def test_exact_distribution_without_ties_is_scipys():
    rng = np.random.default_rng(0)
    for n in (6, 12, 40):
        a, b = rng.normal(size=n), rng.normal(size=n)
        made, theirs = wilcoxon(a, b), stats.wilcoxon(a, b, method="exact")
        assert made.p_value == pytest.approx(theirs.pvalue)
        assert min(made.statistic, n * (n + 1) / 2 - made.statistic) == theirs.statistic


def test_many_values_take_the_normal_approximation_with_ties():
    rng = np.random.default_rng(1)
    # Whole numbers: SciPy does not see ties through rounding.
    a, b = np.round(rng.normal(1, 10, 400)), np.round(rng.normal(0, 10, 400))
    theirs = stats.wilcoxon(a, b, method="approx", zero_method="wilcox")
    assert wilcoxon(a, b).p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    pratt = stats.wilcoxon(a, b, method="approx", zero_method="pratt")
    assert wilcoxon(a, b, zeros="pratt").p_value == pytest.approx(pratt.pvalue, rel=1e-9)
    exact = wilcoxon(a, b, method="exact").p_value
    assert exact == pytest.approx(wilcoxon(a, b, method="normal-cc").p_value, rel=0.02)


def test_ties_are_seen_through_rounding():
    a, b = [0.82, 0.83, 0.84, 0.90], [0.80, 0.81, 0.82, 0.89]
    assert len(set(np.round(np.array(a) - np.array(b), 10))) == 2
    assert wilcoxon(a, b).statistic == 10
    assert sorted(abs(signed_ranks(room.differences(a, b)))) == [2, 6, 6, 6]


@pytest.mark.parametrize("test", [wilcoxon, sign])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_identical_scores(test, alternative):
    made = test([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], alternative=alternative)
    assert (made.p_value, made.estimate) == (1, 0)
    assert made.low < 0 < made.high
    assert made.note


@pytest.mark.parametrize("test", [wilcoxon, sign])
def test_a_constant_difference_has_a_p_value_and_open_limits(test):
    made = test([0.75, 0.5, 0.625, 0.875] * 3, [0.5, 0.25, 0.375, 0.625] * 3)
    assert made.p_value == pytest.approx(2 / 2**12)
    assert made.estimate == 0.25
    assert made.low < 0.25 < made.high


@pytest.mark.parametrize("test", [wilcoxon, sign])
def test_few_values(test):
    empty = test([], [])
    assert math.isnan(empty.p_value)
    assert math.isnan(empty.estimate)
    one = test([2], [1])
    assert (one.p_value, one.estimate) == (1, 1)
    assert (one.low, one.high) == (-math.inf, math.inf)
    assert "cannot give 95 %" in one.note
    five, six = test(range(1, 6), [0] * 5), test(range(1, 7), [0] * 6)
    assert five.p_value == 0.0625
    assert five.low == -math.inf
    assert six.p_value == 0.03125
    assert (six.low, six.high) == (1, 6)


def test_nan_is_refused():
    for test in (wilcoxon, sign):
        with pytest.raises(InputError, match="row 1"):
            test([float("nan"), 1], [1, 2])


def test_the_limits_invert_the_test():
    rng = np.random.default_rng(5)
    a = rng.normal(0.4, 1, 15)
    made = wilcoxon(a, np.zeros(15))
    for limit, inward in ((made.low, 1e-6), (made.high, -1e-6)):
        assert wilcoxon(a - limit - inward, np.zeros(15)).p_value > 0.05
        assert wilcoxon(a - limit + inward, np.zeros(15)).p_value <= 0.05
    middle = sign(a, np.zeros(15))
    for limit, inward in ((middle.low, 1e-6), (middle.high, -1e-6)):
        assert sign(a - limit - inward, np.zeros(15)).p_value > 0.05
        assert sign(a - limit + inward, np.zeros(15)).p_value <= 0.05


def test_the_estimate_is_the_median_of_pairwise_means():
    rng = np.random.default_rng(6)
    d = rng.normal(size=30)
    means = [(d[i] + d[j]) / 2 for i in range(30) for j in range(i, 30)]
    assert wilcoxon(d, np.zeros(30)).estimate == pytest.approx(np.median(means))


def test_counting_replaces_listing_for_many_values(monkeypatch):
    rng = np.random.default_rng(7)
    d = np.round(rng.normal(0.1, 1, 300), 2)
    listed = wilcoxon(d, np.zeros(300))
    monkeypatch.setattr(room, "BLOCK", 10)
    counted = wilcoxon(d, np.zeros(300))
    assert (counted.estimate, counted.low, counted.high) == pytest.approx((listed.estimate, listed.low, listed.high))


def test_the_median_that_is_tied_opens_to_its_neighbours():
    made = sign([0] * 20 + [1, -2], [0] * 22)
    assert (made.estimate, made.low, made.high) == (0, -2, 1)
    assert made.p_value == 1
    assert "tied" in made.note


def test_rank_sums_are_probabilities():
    chances = rank_sum_chances(np.arange(1, 101))
    assert chances.sum() == pytest.approx(1)
    assert chances[0] == pytest.approx(2.0**-100)
    assert chances == pytest.approx(chances[::-1])
