"""Metrics over all classes against scikit-learn, and their treatment of rows without a prediction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics as oracle

import trueerror as te

rng = np.random.default_rng(6)
TRUTH = rng.choice(list("abcd"), 400, p=[0.5, 0.3, 0.15, 0.05])
CALLED = np.where(rng.random(400) < 0.6, TRUTH, rng.choice(list("abcd"), 400))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_against_scikit_learn(average: str) -> None:
    functions = {
        "precision": oracle.precision_score,
        "recall": oracle.recall_score,
        "f1": oracle.f1_score,
        "jaccard": oracle.jaccard_score,
    }
    for name, function in functions.items():
        expected = function(TRUTH, CALLED, average=average)
        assert te.metric(f"{average}_{name}", TRUTH, CALLED) == pytest.approx(expected, rel=1e-12), name


def test_all_classes_against_scikit_learn() -> None:
    assert te.metric("accuracy", TRUTH, CALLED) == pytest.approx(oracle.accuracy_score(TRUTH, CALLED))
    assert te.metric("mcc", TRUTH, CALLED) == pytest.approx(oracle.matthews_corrcoef(TRUTH, CALLED))
    assert te.metric("balanced_accuracy", TRUTH, CALLED) == pytest.approx(oracle.balanced_accuracy_score(TRUTH, CALLED))
    assert te.metric("hamming_loss", TRUTH, CALLED) == pytest.approx(oracle.hamming_loss(TRUTH, CALLED))
    for weights in (None, "linear", "quadratic"):
        expected = oracle.cohen_kappa_score(TRUTH, CALLED, weights=weights)
        assert te.metric("kappa", TRUTH, CALLED, weights=weights) == pytest.approx(expected, rel=1e-12)


def test_one_class_against_the_rest() -> None:
    for label in "abcd":
        truth, called = label == TRUTH, label == CALLED
        for name in ("accuracy", "mcc", "kappa", "balanced_accuracy", "g_mean", "savings"):
            expected = te.metric(name, truth, called)
            assert te.metric(name, TRUTH, CALLED, positive=label) == pytest.approx(expected), (name, label)


def test_a_class_that_was_never_found_makes_the_g_mean_nought() -> None:
    assert te.metric("g_mean", te.Confusion([[5, 0, 0], [1, 0, 4], [0, 0, 5]])) == 0


def test_the_g_mean_of_many_classes_does_not_underflow() -> None:
    k = 3000
    table = te.Confusion.count(
        np.repeat(np.arange(k), 4), np.where(np.arange(4 * k) % 4 == 0, np.arange(4 * k) // 4, 0)
    )
    recalls = np.full(k, 0.25)
    recalls[0] = 1
    assert te.metric("g_mean", table) == pytest.approx(math.exp(np.log(recalls).mean()))


def test_rows_without_a_prediction_count_as_wrong() -> None:
    called = [None if i % 10 == 0 else c for i, c in enumerate(CALLED)]
    as_strange = ["?" if c is None else c for c in called]
    table = te.Confusion.count(TRUTH, called, missing="wrong")
    other = te.Confusion.count(TRUTH, as_strange)
    assert te.metric("accuracy", table) == te.metric("accuracy", other)
    assert te.metric("kappa", table) == pytest.approx(te.metric("kappa", other))
    assert te.metric("mcc", table) == pytest.approx(te.metric("mcc", other))
    assert te.metric("balanced_accuracy", table) == pytest.approx(te.metric("balanced_accuracy", other))
    assert te.metric("micro_recall", table) == te.metric("accuracy", other)
    assert te.metric("micro_precision", table) > te.metric("accuracy", other)


def test_a_class_with_rows_that_is_never_called_has_f1_nought_and_no_precision() -> None:
    table = te.Confusion([[10, 0, 5], [3, 0, 7], [2, 0, 20]], labels=["a", "b", "c"])
    assert te.metric("f1", table, positive="b") == 0
    assert math.isnan(te.metric("precision", table, positive="b"))
    assert math.isnan(te.metric("macro_precision", table))
    assert te.metric("macro_f1", table) == pytest.approx((20 / 30 + 0 + 40 / 54) / 3)


def test_a_class_with_neither_rows_nor_calls_leaves_the_average() -> None:
    with_ghost = te.Confusion([[8, 2, 0], [1, 9, 0], [0, 0, 0]], labels=["a", "b", "ghost"])
    without = te.Confusion([[8, 2], [1, 9]], labels=["a", "b"])
    for name in ("macro_f1", "macro_precision", "macro_recall", "balanced_accuracy", "g_mean", "kappa", "mcc"):
        assert te.metric(name, with_ghost) == pytest.approx(te.metric(name, without)), name
