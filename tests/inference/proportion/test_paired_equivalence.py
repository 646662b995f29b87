"""Equivalence and non-inferiority."""

import math

import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.inference.loss._t_tests import paired_t
from trueerror.inference.proportion._paired import equivalence, mcnemar, noninferiority
from trueerror.inputs._options import InputError


@pytest.mark.parametrize(("confidence", "n"), [(0.95, 133), (0.975, 189)])
def test_identical_models_pass_from_the_known_number_of_rows(confidence, n):
    for test in (noninferiority, equivalence):
        for rows, passes in ((n - 1, False), (n, True)):
            made = test(0, 0, n=rows, margin=0.02, confidence=confidence)
            assert (made.p_value < 1 - confidence) == passes
            assert (made.low > -0.02) == passes
            assert made.estimate == 0


DATA = [
    ((12, 10), {"n": 1000}),
    ((60, 20), {"n": 1000}),
    (((800, 1000), (810, 1000)), {}),
    (((30, 30), (29, 30)), {}),
    (([0.81, 0.84, 0.80, 0.86, 0.83], [0.80, 0.85, 0.81, 0.86, 0.82]), {}),
    (([0.81, 0.84, 0.80, 0.86, 0.83], [0.80, 0.85, 0.81]), {"paired": False}),
]


@pytest.mark.parametrize(("data", "options"), DATA)
@pytest.mark.parametrize("margin", [0.005, 0.01, 0.02, 0.04, 0.08])
def test_shown_exactly_when_the_interval_lies_within_the_margin(data, options, margin):
    made = equivalence(*data, margin=margin, **options)
    assert made.confidence == pytest.approx(0.90)
    assert (made.p_value < 0.05) == (-margin < made.low and made.high < margin)
    one = noninferiority(*data, margin=margin, **options)
    assert (one.p_value < 0.05) == (one.low > -margin)
    assert one.low == pytest.approx(made.low, rel=1e-9, abs=1e-12)
    assert one.p_value <= made.p_value + 1e-15
    assert (one.alternative, one.side) == ("greater", "lower")
    assert f"{margin:g}" in one.name
    assert "borderline" not in made.note + one.note
    assert "Source:" in made.explain()
    assert te.load(one.to_json()) == one


def test_the_t_version_is_two_shifted_t_tests():
    a, b = np.array([0.81, 0.84, 0.80, 0.86, 0.83]), np.array([0.80, 0.85, 0.81, 0.86, 0.82])
    above = stats.ttest_rel(a + 0.02, b, alternative="greater").pvalue
    below = stats.ttest_rel(a - 0.02, b, alternative="less").pvalue
    assert equivalence(a, b, margin=0.02).p_value == pytest.approx(max(above, below))
    assert noninferiority(a, b, margin=0.02).p_value == pytest.approx(above)


def test_a_margin_of_zero_is_a_test_of_superiority():
    made = noninferiority(60, 40, n=1000, margin=0)
    assert made.p_value == pytest.approx(mcnemar(60, 40, method="chi2", alternative="greater").p_value)
    a, b = [0.82, 0.79, 0.85, 0.88], [0.80, 0.78, 0.83, 0.85]
    assert noninferiority(a, b, margin=0).p_value == pytest.approx(paired_t(a, b, alternative="greater").p_value)


def test_lower_is_better():
    up = noninferiority(12, 10, n=500, margin=0.03)
    down = noninferiority(10, 12, n=500, margin=0.03, higher_is_better=False)
    assert down.p_value == pytest.approx(up.p_value)
    assert (down.high, down.side, down.alternative) == (pytest.approx(-up.low), "upper", "less")


def test_swapping_turns_equivalence():
    one, two = equivalence(12, 10, n=500, margin=0.03), equivalence(10, 12, n=500, margin=0.03)
    assert (one.low, one.high, one.p_value) == (-two.high, -two.low, two.p_value)
    assert one.statistic == -two.statistic


def test_a_difference_outside_the_margin_is_never_equivalent():
    assert equivalence(100, 20, n=1000, margin=0.05).p_value > 0.9


def test_scores_without_variance_cannot_be_judged():
    made = equivalence([0.8, 0.9], [0.8, 0.9], margin=0.01)
    assert math.isnan(made.p_value)
    assert made.estimate == 0
    assert "no variance" in made.note
    assert made.low < 0 < made.high


def test_counts_from_numpy_are_counts():
    made = equivalence((np.int64(800), np.int64(1000)), (810, 1000.0), margin=0.05)
    assert made == equivalence((800, 1000), (810, 1000), margin=0.05)
    assert made.method == "miettinen-nurminen-equivalence"


def test_no_rows():
    made = noninferiority(0, 0, n=0, margin=0.1)
    assert "no rows" in made.note
    assert made.p_value > 0.05


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ((1, 2), {"margin": 0.1}),
        ((1, 2), {"margin": -0.1, "n": 10}),
        ((1, 2), {"margin": float("nan"), "n": 10}),
        ((6, 6), {"margin": 0.1, "n": 10}),
        (((5, 4), (1, 4)), {"margin": 0.1}),
        (((0, 0), (1, 4)), {"margin": 0.1}),
        ((1, 2), {"margin": None, "n": 10}),
        (((0.8, 0.9), (0.7, 0.9)), {"margin": 0.1}),
    ],
)
def test_refused(data, options):
    for test in (equivalence, noninferiority):
        with pytest.raises(InputError):
            test(*data, **options)


def test_equivalence_needs_a_margin_above_zero_and_confidence_above_one_half():
    with pytest.raises(InputError, match="margin"):
        equivalence(1, 2, n=10, margin=0)
    with pytest.raises(InputError, match="confidence"):
        equivalence(1, 2, n=10, margin=0.1, confidence=0.4)
