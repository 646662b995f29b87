"""REQUIREMENTS E1–E4 and E7, and the seeds' errors that belong to them, through the public names."""

import math

import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.results._format import signed


def test_E1_two_hypotheses_on_independent_test_sets():
    made = te.difference((0.2, 100), (0.3, 100), method="wald")
    sigma = made.estimate / made.statistic
    assert made.estimate == pytest.approx(-0.1)
    assert sigma == pytest.approx(0.0608, abs=5e-5)
    assert abs(made.statistic) == pytest.approx(1.644, abs=5e-4)
    assert made.p_value == pytest.approx(0.1002, abs=5e-5)


def test_E1_ninety_five_percent_sure_that_the_first_is_better():
    assert te.probability_less((0.2, 100), (0.3, 100)) == pytest.approx(0.95, abs=5e-4)
    one_sided = te.difference((20, 100), (30, 100), method="wald", alternative="less")
    # The posterior is 1 − the one-sided p-value: a flat prior, and labelled so.
    assert te.probability_less((20, 100), (30, 100)) == pytest.approx(1 - one_sided.p_value)
    assert "flat-prior" in te.probability_less.__doc__
    assert one_sided.side == "upper"


def test_E1_small_against_large_sample():
    made = te.difference((0.15, 30), (0.25, 5000), method="wald")
    variance = (made.estimate / made.statistic) ** 2
    assert variance == pytest.approx(0.0043, abs=5e-5)
    assert made.high - made.estimate == pytest.approx(0.128, abs=5e-4)
    # The seed shows 0.10; d = e1 − e2 is −0.10.
    assert made.estimate == pytest.approx(-0.100)
    assert made.p_value > 0.05
    assert made.low < 0 < made.high


def test_E1_one_and_two_sided_at_any_level():
    two = te.difference((20, 100), (30, 100), method="wald", confidence=0.90)
    one = te.difference((20, 100), (30, 100), method="wald", confidence=0.95, alternative="less")
    assert one.high == pytest.approx(two.high)
    assert one.low == -1


def test_E2_the_same_test_set():
    b, c, n = 12, 5, 100
    made = te.significance.mcnemar(b, c, n=n, interval="wald")
    variance = ((made.high - made.low) / (2 * 1.959963984540054)) ** 2
    assert variance == pytest.approx((b + c - (b - c) ** 2 / n) / n**2)
    # Each row's difference is 1, 0 or −1: this is the plain variance of their mean.
    d = np.array([1] * b + [-1] * c + [0] * (n - b - c))
    assert variance == pytest.approx(d.var() / n)


def test_E2_the_variance_for_different_rows_does_not_hold_on_the_same_rows():
    # d̂ is the same, but models that err together have a much smaller variance than independent samples.
    right_both, only_first, only_second, wrong_both = 700, 60, 40, 200
    n = right_both + only_first + only_second + wrong_both
    paired = te.significance.mcnemar(only_first, only_second, n=n, interval="wald")
    apart = te.difference((right_both + only_first, n), (right_both + only_second, n), method="wald")
    assert paired.estimate == pytest.approx(apart.estimate)
    assert paired.width < 0.6 * apart.width
    # And a simulation says which of the two is right.
    rng = np.random.default_rng(0)
    cells = rng.multinomial(n, np.array([right_both, only_first, only_second, wrong_both]) / n, 20_000)
    spread = ((cells[:, 1] - cells[:, 2]) / n).std()
    assert spread == pytest.approx(paired.width / (2 * 1.959963984540054), rel=0.03)


def test_E3_two_learners_on_the_same_folds():
    first = [0.82, 0.79, 0.85, 0.88, 0.80, 0.84, 0.79, 0.86, 0.83, 0.81]
    second = [0.80, 0.78, 0.83, 0.85, 0.81, 0.80, 0.77, 0.85, 0.80, 0.79]
    d = np.subtract(first, second)
    made = te.significance.paired_t(first, second)
    assert made.estimate == pytest.approx(d.mean())
    assert made.df == 9
    half = stats.t.ppf(0.975, 9) * d.std(ddof=1) / math.sqrt(10)
    assert (made.low, made.high) == pytest.approx((d.mean() - half, d.mean() + half))
    one = te.significance.paired_t(first, second, alternative="greater")
    assert one.p_value == pytest.approx(made.p_value / 2)
    # The seeds write t_{δ/2}; it is t_{α/2}: half of the error on each side.
    assert made.p_value == pytest.approx(2 * stats.t.sf(abs(made.statistic), 9))


def test_E4_two_learners_on_different_folds():
    first, second = [0.82, 0.79, 0.85, 0.88, 0.80], [0.80, 0.78, 0.83]
    made = te.significance.unpaired_t(first, second, df="conservative")
    assert made.df == 2
    # The seed divides by σ²/k without the root.
    error = math.sqrt(np.var(first, ddof=1) / 5 + np.var(second, ddof=1) / 3)
    assert made.statistic == pytest.approx((np.mean(first) - np.mean(second)) / error)
    assert made.p_value == pytest.approx(2 * stats.t.sf(abs(made.statistic), 2))


def test_E5_the_corrected_test_is_less_sure_than_the_plain_one():
    d = [0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01]
    plain = te.significance.corrected_t(d, test_train_ratio=0)
    corrected = te.significance.corrected_t(d, test_train_ratio=1 / 9)
    assert corrected.p_value > 5 * plain.p_value
    assert "overlap" in te.significance.paired_t.__doc__


def results():
    yield te.difference((20, 100), (21, 100))
    yield te.significance.mcnemar(5, 6, n=100)
    yield te.significance.mcnemar(0, 0, n=100)
    yield te.significance.paired_t([0.8, 0.9, 0.7], [0.8, 0.8, 0.8])
    yield te.significance.wilcoxon([0.8, 0.9, 0.7], [0.8, 0.8, 0.8])
    yield te.significance.equivalence(5, 6, n=100, margin=0.01)


def test_E7_no_evidence_is_never_worded_as_equal_and_the_size_stands_beside_p():
    for made in results():
        assert made.p_value > 0.05
        for text in (str(made), made.explain()):
            assert "are equal" not in text
            assert "no difference between" not in text
        assert "p = " in str(made) or "p > " in str(made)
        assert "[" in str(made)
        assert signed(made.estimate) in str(made)
    assert "Not shown does not mean different" in te.significance.equivalence.__doc__
