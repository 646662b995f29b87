"""Areas within folds: against DeLong's in one fold, by hand, and under shifts of a fold's scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import delong_variance
from trueerror.inference.auc._within_folds import (
    FoldedRows,
    fold_comparability,
    within_folds_contrast,
    within_folds_interval,
)
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure
from trueerror.metrics.scores import auc
from trueerror.tallies import ScoreTable

AUC = find_measure("auc")


def drawn(seed=0, n=200, folds=5, pull=1.0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, n)
    return codes, np.arange(n) % folds, pull * codes + rng.normal(size=n)


def tables(codes, folds, scores):
    return [ScoreTable.from_codes(codes[folds == f] == 1, scores[folds == f], 1) for f in np.unique(folds)]


def test_the_mean_of_the_folds_areas():
    codes, folds, scores = drawn()
    made = within_folds_interval(tables(codes, folds, scores))
    areas = [auc(t) for t in tables(codes, folds, scores)]
    assert made.estimate == pytest.approx(np.mean(areas))
    assert made.low < made.estimate < made.high


def test_the_variance_is_that_of_the_mean_of_independent_areas():
    # With equal folds the pooled variance is near the mean of the folds' DeLong variances over K.
    codes, folds, scores = drawn(n=4000)
    made = within_folds_interval(tables(codes, folds, scores))
    each = [delong_variance(t) for t in tables(codes, folds, scores)]
    error = np.sqrt(np.sum(each)) / len(each)
    a = made.estimate
    low = 1 / (1 + np.exp(-(np.log(a / (1 - a)) - 1.96 * error / (a * (1 - a)))))
    assert made.low == pytest.approx(low, abs=1e-3)


@given(st.lists(st.floats(-50, 50), min_size=5, max_size=5))
def test_shifting_a_fold_changes_nothing(shifts):
    codes, folds, scores = drawn(n=100)
    other = drawn(seed=1, n=100)[2]
    moved = np.round(scores, 3) + np.round(np.array(shifts), 0)[folds]
    spec, rows = IntervalSpec(), FoldedRows(codes, folds)
    one = within_folds_contrast(AUC, rows, np.round(scores, 3), other, {}, spec)
    two = within_folds_contrast(AUC, rows, moved, other, {}, spec)
    assert two.estimate == pytest.approx(one.estimate, abs=0.02)  # rounding may tie two scores
    assert within_folds_interval(tables(codes, folds, moved)).estimate == pytest.approx(
        within_folds_interval(tables(codes, folds, np.round(scores, 3))).estimate, abs=0.02
    )


def test_swapping_the_models_turns_the_sign():
    codes, folds, first = drawn()
    second = drawn(seed=3)[2]
    rows = FoldedRows(codes, folds)
    there = within_folds_contrast(AUC, rows, first, second, {}, IntervalSpec())
    back = within_folds_contrast(AUC, rows, second, first, {}, IntervalSpec())
    assert back.estimate == pytest.approx(-there.estimate)
    assert back.p_value == pytest.approx(there.p_value)


def test_identical_models_have_p_1_and_finite_limits():
    codes, folds, scores = drawn()
    made = within_folds_contrast(AUC, FoldedRows(codes, folds), scores, scores, {}, IntervalSpec())
    assert made.p_value == 1
    assert made.low < 0 < made.high


def test_a_perfect_order_has_room_below():
    codes, folds, _ = drawn()
    made = within_folds_interval(tables(codes, folds, codes + 0.0))
    assert made.estimate == 1
    assert made.low < 1


def test_folds_of_one_class_are_left_out_and_said():
    codes, folds, scores = drawn()
    codes = np.where(folds == 0, 0, codes)
    assert "1 fold with one class left out" in within_folds_interval(tables(codes, folds, scores)).note
    with pytest.raises(InputError, match="fewer than two folds"):
        within_folds_interval(tables(codes, folds, scores)[:1])


def test_clusters_count_as_wholes():
    codes, folds, first = drawn(n=100)
    second = drawn(seed=3, n=100)[2]
    twice = [np.repeat(x, 2) for x in (codes, folds, first, second)]
    clusters = np.repeat(np.arange(100), 2)
    plain = within_folds_contrast(AUC, FoldedRows(codes, folds), first, second, {}, IntervalSpec())
    doubled = within_folds_contrast(
        AUC, FoldedRows(twice[0], twice[1], clusters), twice[2], twice[3], {}, IntervalSpec()
    )
    assert doubled.estimate == pytest.approx(plain.estimate)
    assert doubled.high - doubled.low == pytest.approx(plain.high - plain.low, rel=0.1)


def test_comparability():
    codes, folds, scores = drawn(n=400)
    assert not fold_comparability(tables(codes, folds, scores)).doubtful
    found = fold_comparability(tables(codes, folds, scores + 3 * folds))
    assert found.doubtful
    assert found.within > found.across + 0.1
    assert fold_comparability(tables(codes, folds, scores)[:1]) is None
