"""Mean losses of two models: on the same rows, over clusters, and on different rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inference._estimate import apart

METRICS = ("brier", "log_loss")


def two(n: int, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rows and the probabilities of two models."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, n)
    y = (rng.random(n) < special.expit(z)).astype(int)
    return y, {"a": special.expit(z + rng.normal(0, 1, n)), "b": special.expit(z + rng.normal(0, 0.5, n))}


def compared(y: np.ndarray, scores: dict[str, np.ndarray], **options: object) -> te.Contrast:
    return te.compare(y, scores=scores, positive=1, **options)[tuple(scores)]


@pytest.mark.parametrize("metric", METRICS)
def test_interval_p_value_and_verdict_are_one(metric: str) -> None:
    for seed in range(30):
        y, scores = two(80, seed)
        cmp = te.compare(y, scores=scores, metric=metric, positive=1)
        c = cmp["a", "b"]
        assert c.low <= c.estimate <= c.high
        assert (c.p_value < 0.05) == (c.low > 0 or c.high < 0) == cmp.told_apart("a", "b")


@pytest.mark.parametrize("metric", METRICS)
def test_swapping_turns_the_sign(metric: str) -> None:
    y, scores = two(200, 1)
    for clusters in (None, np.arange(200) // 5):
        c = compared(y, scores, metric=metric, clusters=clusters)
        turned = compared(y, {k: scores[k] for k in "ba"}, metric=metric, clusters=clusters)
        assert (turned.low, turned.high, turned.p_value) == pytest.approx((-c.high, -c.low, c.p_value), rel=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_limits_are_nested_in_confidence(metric: str) -> None:
    y, scores = two(60, 2)
    made = [compared(y, scores, metric=metric, confidence=level) for level in (0.5, 0.8, 0.95, 0.999)]
    for inner, outer in pairwise(made):
        assert outer.low < inner.low < inner.high < outer.high


@pytest.mark.parametrize("metric", METRICS)
def test_clusters_of_one_row_and_equal_weights_are_rows(metric: str) -> None:
    y, scores = two(70, 3)
    plain = compared(y, scores, metric=metric)
    for options in ({"clusters": np.arange(70)}, {"weights": np.full(70, 3.0), "weights_kind": "sampling"}):
        c = compared(y, scores, metric=metric, **options)
        assert (c.low, c.high, c.p_value) == pytest.approx((plain.low, plain.high, plain.p_value), rel=1e-5)


def test_a_difference_that_has_no_end_is_plain_t_where_no_row_stands_out() -> None:
    # R: t.test(first, second, paired = TRUE) with losses of no more kurtosis than a normal.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    right, better = rng.uniform(0.6, 0.7, 3000), rng.uniform(0.65, 0.7, 3000)
    scores = {k: np.where(y == 1, v, 1 - v) for k, v in (("a", right), ("b", better))}
    own, plain = compared(y, scores, metric="log_loss"), compared(y, scores, metric="log_loss", method="t")
    assert (own.low, own.high) == pytest.approx((plain.low, plain.high), rel=1e-4)


@pytest.mark.parametrize("metric", METRICS)
def test_identical_models_do_not_differ(metric: str) -> None:
    y, scores = two(40, 4)
    c = compared(y, {"a": scores["a"], "b": scores["a"].copy()}, metric=metric)
    assert (c.estimate, c.p_value) == (0.0, 1.0)
    assert c.low < 0 < c.high


def test_certain_forecasts_that_were_all_right_have_limits() -> None:
    y = np.repeat([1, 0], 50)
    c = compared(y, {"sure": y * 1.0, "soft": 0.8 * y + 0.1}, metric="brier")
    assert c.low < c.estimate < 0 < c.high
    assert c.p_value > 0.05


def test_rows_that_stand_for_many_count_as_often() -> None:
    y, scores = two(40, 5)
    often = np.random.default_rng(2).integers(1, 4, 40)
    one = compared(y, scores, metric="brier", weights=often, weights_kind="frequency")
    other = compared(np.repeat(y, often), {k: np.repeat(s, often) for k, s in scores.items()}, metric="brier")
    assert (one.low, one.high, one.p_value) == pytest.approx((other.low, other.high, other.p_value), rel=1e-6)


@pytest.mark.parametrize("metric", ["brier", "log_loss", "auc"])
def test_different_rows_have_limits_by_those_of_each(metric: str) -> None:
    parts = []
    for name, n, seed in (("a", 60, 7), ("b", 90, 8)):
        y, scores = two(n, seed)
        parts.append(te.predictions(y, scores={name: scores["a"]}, positive=1))
    c = te.compare(*parts, paired=False, metric=metric)["a", "b"]
    a, b = (te.evaluate(p, metrics=[metric])[metric] for p in parts)
    expected = apart(a.estimate, (a.low, a.high), b.estimate, (b.low, b.high))
    # But for the degrees of freedom, which are those of the difference.
    assert (c.low, c.high) == pytest.approx(expected, abs=0.1 * (expected[1] - expected[0]))
    at = te.compare(*parts, paired=False, metric=metric, confidence=1 - c.p_value)["a", "b"]
    assert min(abs(at.low), abs(at.high)) < 1e-6
    assert te.compare(*parts, paired=False, metric=metric, method="mover")["a", "b"].low == c.low
