"""REQUIREMENTS A1, A3–A6 and the seeds' errors that belong to them, through the public names."""

import math

import pytest

import trueerror as te
from trueerror.inference._problem import critical_t, critical_z


def test_A1_sample_error_estimates_the_true_error():
    made = te.interval(50, 100)
    assert made.estimate == 0.5
    assert made.low < 0.5 < made.high


def test_A3_the_normal_model_of_the_error_count_holds_from_30_rows_with_a_variance_of_5():
    assert te.interval(12, 40, method="wald").note == ""
    assert "normal model needs n ≥ 30" in te.interval(9, 29, method="wald").note
    assert "here 100 and 4.75" in te.interval(5, 100, method="wald").note


def test_A4_simple_normal_interval_at_95_percent():
    made = te.interval(50, 100, method="wald")
    assert made.high - made.estimate == pytest.approx(0.098, abs=5e-4)
    made = te.interval(250, 1000, method="wald")
    assert (made.low, made.high) == pytest.approx((0.2232, 0.2768), abs=5e-5)


def test_A4_one_sided_limits_put_all_of_alpha_on_one_side():
    upper = te.interval(250, 1000, method="wald", side="upper")
    assert (upper.low, upper.high) == (0, pytest.approx(0.25 + 1.6449 * math.sqrt(0.25 * 0.75 / 1000), abs=1e-5))
    lower = te.interval(250, 1000, method="wald", side="lower")
    assert (lower.low, lower.high) == (pytest.approx(0.25 - 1.6449 * math.sqrt(0.25 * 0.75 / 1000), abs=1e-5), 1)


@pytest.mark.parametrize(
    ("x", "n", "confidence", "low", "high"),
    [
        (750, 1000, 0.8, 0.732, 0.767),
        (75, 100, 0.8, 0.691, 0.801),
        (40, 50, 0.95, 0.670, 0.888),
        (80, 100, 0.95, 0.711, 0.867),
        (400, 500, 0.95, 0.763, 0.833),
        (800, 1000, 0.95, 0.774, 0.824),
        (4000, 5000, 0.95, 0.789, 0.811),
    ],
)
def test_A5_score_interval(x, n, confidence, low, high):
    made = te.interval(x, n, confidence=confidence)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5.1e-4)


def test_A5_the_seeds_table_prints_0866_where_wilson_gives_08666():
    assert te.interval(80, 100).high == pytest.approx(0.8666, abs=5e-5)


@pytest.mark.parametrize(
    ("confidence", "z"), [(0.5, 0.67), (0.68, 0.99), (0.8, 1.28), (0.9, 1.64), (0.95, 1.96), (0.98, 2.33), (0.99, 2.58)]
)
def test_A6_z_values(confidence, z):
    assert critical_z(confidence) == pytest.approx(z, abs=0.0051)


@pytest.mark.parametrize(
    ("tail", "df", "t"), [(0.025, 10, 2.23), (0.025, 30, 2.04), (0.05, 2, 2.92), (0.005, 120, 2.62)]
)
def test_A6_t_values(tail, df, t):
    assert critical_t(1 - 2 * tail, df) == pytest.approx(t, abs=0.0051)


def test_D3_eleven_folds_divide_by_the_root_of_k():
    """The seed writes ± 2.23·0.01, without √11, and prints the limits of the 90 % value 1.81."""
    made = te.mean_interval(mean=0.1, sd=0.01, n=11)
    assert (made.low, made.high) == pytest.approx((0.0933, 0.1067), abs=5e-5)
    assert made.high - 0.1 == pytest.approx(2.228 * 0.01 / math.sqrt(11), abs=2e-6)
    assert made.high - 0.1 < 0.0181 < 0.0223
    assert critical_t(0.9, 10) == pytest.approx(1.81, abs=0.005)


def test_seeds_error_the_interval_uses_the_sample_error_under_the_root():
    """One seed prints the true error there, which nobody knows: the width depends on the counts alone."""
    made = te.interval(15, 100, method="wald")
    assert made.high - made.low == pytest.approx(2 * critical_z(0.95) * math.sqrt(0.15 * 0.85 / 100))
