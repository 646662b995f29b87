"""The mean of grades between two ends: reference values, laws, and the ends of the scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.loss._mean import difference_of_means
from trueerror.tallies import Moments

X = np.array([0.5, 1, 0.25, 0.75, 1, 0, 0.5, 0.75, 0.9, 0.3, 0.8, 1])
Y = np.array([0.4, 1, 0.0, 0.75, 0.8, 0, 0.25, 0.75, 0.7, 0.35, 0.6, 0.9])
METHODS = (None, "t")
GRADES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=30).filter(
    lambda xs: not set(xs) <= {0.0, 1.0}
)


def mean(grades: object, **options: object) -> te.Interval:
    asked = {k: options.pop(k) for k in ("method", "confidence") if options.get(k) or options.pop(k, None)}
    return te.evaluate(te.graded(grades, **options), **asked)["mean_score"]


def test_t_is_that_of_r() -> None:
    # R: t.test(x)$conf.int
    made = mean(X, method="t")
    assert (made.low, made.high) == pytest.approx((0.434037420884, 0.857629245783), abs=1e-11)
    # R: t.test(x, y, paired = TRUE)
    pair = te.compare(te.graded({"x": X, "y": Y}), method="t")["x", "y"]
    assert (pair.low, pair.high) == pytest.approx((0.0331840120043, 0.1751493213291), abs=1e-11)
    assert pair.p_value == pytest.approx(0.00801616725163, abs=1e-12)


def test_the_default_is_wilsons_form_with_students_t() -> None:
    # By hand: the standard error of R's t.test, and df by the grades' kurtosis.
    made = mean(X)
    u = (X - X.mean()) / 12
    v = 12 / 11 * (u**2).sum()
    df = min(2 * v * v / (12 / 11 * ((u**2 - (u**2).mean()) ** 2).sum()), 11)
    rows, q = X.mean() * (1 - X.mean()) / v, -special.stdtrit(df, 0.025)
    middle, reach = X.mean() + q * q / (2 * rows), q * math.sqrt(X.mean() * (1 - X.mean()) / rows + (q / rows / 2) ** 2)
    expected = ((middle - reach) / (1 + q * q / rows), (middle + reach) / (1 + q * q / rows))
    assert (made.low, made.high) == pytest.approx(expected, abs=1e-7)


@settings(deadline=None, max_examples=40)
@given(GRADES)
def test_every_interval_holds_its_estimate_within_the_scale_and_has_a_width(grades: list[float]) -> None:
    for method in METHODS:
        made = mean(grades, method=method)
        if math.isnan(made.low):
            assert method == "t"
            assert made.note
            continue
        assert 0 <= made.low <= made.estimate <= made.high <= 1
        assert made.low < made.high


@settings(deadline=None, max_examples=30)
@given(GRADES, st.floats(-50, 50), st.floats(0.5, 20))
def test_another_scale_moves_the_limits_with_it(grades: list[float], low: float, width: float) -> None:
    own = mean(grades)
    moved = mean(np.clip(low + width * np.array(grades), low, low + width), scale=(low, low + width))
    assert moved.low == pytest.approx(low + width * own.low, abs=1e-5 * width)
    assert moved.high == pytest.approx(low + width * own.high, abs=1e-5 * width)


@settings(deadline=None, max_examples=30)
@given(GRADES, st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter_and_turned_grades_mirror(grades: list[float], seed: int) -> None:
    own = mean(grades)
    again = mean(np.random.default_rng(seed).permutation(grades))
    turned = mean(1 - np.array(grades))
    assert (again.low, again.high) == pytest.approx((own.low, own.high), abs=1e-7)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((own.low, own.high), abs=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_equal_grades_leave_room(value: float) -> None:
    made = mean(np.full(50, value), scale=(0, 1.0001))
    assert made.high - made.low > 0.005
    assert made.low <= value <= made.high
    one = mean([value], scale=(0, 1.0001))
    assert one.low < one.high


def test_clusters_of_one_row_are_rows() -> None:
    rows, apart = mean(np.tile(X, 5)), mean(np.tile(X, 5), clusters=np.arange(60))
    assert (apart.low, apart.high) == pytest.approx((rows.low, rows.high), abs=1e-6)
    assert mean(np.repeat(X, 5), clusters=np.repeat(np.arange(12), 5)).low < rows.low


def test_equal_weights_are_rows() -> None:
    rows, weighted = mean(X), mean(X, weights=np.full(12, 2.5), weights_kind="sampling")
    assert (weighted.low, weighted.high) == pytest.approx((rows.low, rows.high), abs=1e-6)


def test_one_cluster_has_no_limits() -> None:
    made = mean(X, clusters=np.zeros(12, dtype=int))
    assert math.isnan(made.low)
    assert "one cluster" in made.note


def test_weights_are_counted() -> None:
    twice = mean(X, weights=np.full(12, 2), weights_kind="frequency")
    assert twice.n == 24
    sampled = mean(X, weights=np.linspace(1, 5, 12), weights_kind="sampling")
    assert sampled.estimate == pytest.approx(np.average(X, weights=np.linspace(1, 5, 12)))
    assert "weighted rows" in sampled.note


def test_no_rows() -> None:
    from trueerror.inference._answer import interval_of
    from trueerror.inference._problem import Problem
    from trueerror.inference.loss._mean import MeanSample
    from trueerror.metrics._registry import find_measure

    sample = MeanSample.of(Moments.of(np.zeros(0)))
    made = interval_of(Problem(metric=find_measure("mean_score"), sample=sample, spec=IntervalSpec()))
    assert math.isnan(made.estimate)
    assert made.note == "there are no rows"


@settings(deadline=None, max_examples=40)
@given(GRADES, st.integers(0, 1000))
def test_the_paired_test_and_its_interval_agree_and_swapping_turns_the_sign(grades: list[float], seed: int) -> None:
    first = np.array(grades)
    d = first - np.random.default_rng(seed).permutation(first) * 0.8
    spec = IntervalSpec()
    one, two = (difference_of_means(Moments.of(x), (-1.0, 1.0), spec, True) for x in (d, -d))
    assert 0 < one.p_value <= 1
    assert one.p_value == pytest.approx(two.p_value)
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))
    assert -1 <= one.low <= one.estimate <= one.high <= 1
    if abs(one.p_value - 0.05) > 1e-3:
        assert (one.p_value < 0.05) == (one.low > 0 or one.high < 0)


def test_identical_models_and_constant_differences() -> None:
    same = te.compare(te.graded({"a": X, "b": X}))["a", "b"]
    assert (same.estimate, same.p_value) == (0.0, 1.0)
    assert same.low < 0 < same.high
    moved = te.compare(te.graded({"a": np.full(30, 0.6), "b": np.full(30, 0.5)}))["a", "b"]
    assert moved.low < 0.1 < moved.high
    assert 0 < moved.p_value < 1
