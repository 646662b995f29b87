import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._multiclass import class_area_estimate, class_area_rows
from trueerror.inference.auc._tests import delong
from trueerror.metrics._registry import find_measure


def sample(n=90, pulls=(1.2, 0.6), seed=0, k=3):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    tables = []
    for pull in pulls:
        raw = np.exp(rng.normal(size=(n, k)) + pull * np.eye(k)[codes])
        tables.append(raw / raw.sum(axis=1, keepdims=True))
    return codes, *tables


def estimate(name, codes, a, b):
    difference, rows = class_area_rows(find_measure(name), codes, a, b, {})
    return class_area_estimate(difference, rows, codes, (-1.0, 1.0))


def compared(name, codes, a, b):
    return effective_t_contrast(estimate(name, codes, a, b), IntervalSpec(), n=len(codes), higher_is_better=True)


@pytest.mark.parametrize("name", ["hand_till_auc", "ovr_auc"])
def test_the_difference_is_that_of_the_metrics_and_swapping_turns_it(name):
    codes, a, b = sample()
    measure = find_measure(name)
    made, other = compared(name, codes, a, b), compared(name, codes, b, a)
    assert made.estimate == pytest.approx(measure.function(codes, a) - measure.function(codes, b))
    assert [made.low, made.high, made.p_value] == pytest.approx([-other.high, -other.low, other.p_value])
    assert made.p_better == pytest.approx(1 - other.p_better)


@pytest.mark.parametrize("name", ["hand_till_auc", "ovr_auc"])
def test_two_classes_have_delongs_variance(name):
    codes, a, b = sample(k=2)
    made = estimate(name, codes, a, b)
    plain = delong(codes, a[:, 1], b[:, 1])
    assert made.value == pytest.approx(plain.estimate)
    assert float(made.value) / float(made.spread.error) == pytest.approx(plain.statistic, rel=1e-10)


@pytest.mark.parametrize("name", ["hand_till_auc", "ovr_auc"])
def test_identical_models_and_small_classes(name):
    codes, a, _ = sample()
    same = te.compare(codes, scores={"a": a, "b": a.copy()}, metric=name)["a", "b"]
    assert (same.p_value, same.estimate, same.p_better) == (1.0, 0.0, 0.5)
    assert -1 <= same.low < 0 < same.high <= 1
    lone = compared(name, np.array([0, 0, 1, 1, 2]), *(t[:5] for t in sample()[1:]))
    assert math.isnan(lone.p_value)
    assert "one unit alone" in lone.note


def test_compare_takes_clusters_of_equal_rows_for_one_row_each():
    codes, a, b = sample()
    often = 6
    wide = te.compare(
        np.repeat(codes, often), scores={k: np.repeat(s, often, axis=0) for k, s in (("a", a), ("b", b))},
        clusters=np.repeat(np.arange(len(codes)), often), metric="hand_till_auc",
    )["a", "b"]  # fmt: skip
    once = te.compare(codes, scores={"a": a, "b": b}, metric="hand_till_auc")["a", "b"]
    assert wide.high - wide.low == pytest.approx(once.high - once.low, rel=0.1)


def test_type_one_error_stays_near_its_level():
    rejected = 0
    for seed in range(300):
        codes, a, b = sample(60, (1.0, 1.0), seed)
        rejected += compared("hand_till_auc", codes, a, b).p_value <= 0.05
    assert rejected <= 27
