"""Copies of rows, samples repeated below themselves, test rows among training rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.data import path
from trueerror.sources._duplicates import (
    DuplicateRows,
    Overlap,
    RepeatedRows,
    duplicate_rows,
    repeated_sample,
    shared_rows,
)

RNG = np.random.default_rng(5)
N = 200
TRUTH = (RNG.random(N) < 0.4).astype(int)
FINE = RNG.random(N)


def scored(rows: Any, **more: Any) -> te.Predictions:
    return te.predictions(TRUTH[rows], scores={"svm": FINE[rows], "net": FINE[rows] ** 2}, **more)


ALL = np.arange(N)
WITH_COPIES = np.concatenate((ALL, ALL[:30]))


def test_distinct_rows_have_no_copies() -> None:
    assert duplicate_rows(scored(ALL)) == DuplicateRows(0, 0, N)


def test_copies_are_counted() -> None:
    assert duplicate_rows(scored(WITH_COPIES)) == DuplicateRows(30, 0, 230)


def test_a_sample_that_stands_there_twice() -> None:
    assert duplicate_rows(scored(np.tile(ALL, 2))) == DuplicateRows(N, 0, 2 * N)
    assert duplicate_rows(scored(np.repeat(ALL, 3))) == DuplicateRows(2 * N, 0, 3 * N)


def test_copies_in_other_clusters() -> None:
    clusters = np.arange(230) // 10
    found = duplicate_rows(scored(WITH_COPIES, clusters=clusters))
    assert found == DuplicateRows(30, 30, 230)
    together = np.concatenate((np.arange(N) // 10, np.arange(30) // 10))
    assert duplicate_rows(scored(WITH_COPIES, clusters=together)) == DuplicateRows(0, 0, 230)  # they count as one


@pytest.mark.parametrize("scores", [
    np.round(FINE, 2),  # votes of 100 trees
    np.round(FINE * 7) / 7,  # 7 neighbours: many decimals, few values
    np.round(FINE, 4),  # written with four decimals
    (FINE > 0.5).astype(float),
], ids=["forest", "neighbours", "rounded", "calls"])  # fmt: skip
def test_coarse_scores_cannot_tell_rows_apart(scores: Any) -> None:
    p = te.predictions(TRUTH, scores={"model": scores})
    assert duplicate_rows(p) is None


def test_scores_of_exactly_0_and_1_are_no_copies() -> None:
    saturated = np.where(FINE > 0.6, 1.0, np.where(FINE < 0.2, 0.0, FINE))
    found = duplicate_rows(te.predictions(TRUTH, scores={"model": saturated}))
    assert found == DuplicateRows(0, 0, N)


def test_labels_alone_say_nothing() -> None:
    assert duplicate_rows(te.predictions(TRUTH, {"a": TRUTH})) is None


def test_bundled_predictions_hold_no_copies() -> None:
    p = te.read(path("breast_cancer"), positive="malignant")
    assert duplicate_rows(p) == DuplicateRows(0, 0, 285)
    assert repeated_sample(p) is None


def test_files_and_arrays_agree(tmp_path: Path) -> None:
    file = tmp_path / "preds.csv"
    rows = "\n".join(f"{TRUTH[i]},{float(FINE[i])!r},{float(FINE[i]) ** 2!r}" for i in WITH_COPIES)
    file.write_text(f"truth,svm,net\n{rows}\n")
    assert duplicate_rows(te.read(file)) == DuplicateRows(30, 0, 230)


def test_declared_repeats() -> None:
    p = te.predictions(np.tile(TRUTH, 3), {"a": np.tile(TRUTH, 3)}, repeats=np.repeat([1, 2, 3], N))
    assert repeated_sample(p) == RepeatedRows(3, N, True)
    once = te.predictions(TRUTH, {"a": TRUTH}, repeats=np.ones(N, dtype=int))
    assert repeated_sample(once) is None


@pytest.mark.parametrize("times", [2, 3, 5, 10])
def test_a_truth_that_repeats_itself(times: int, tmp_path: Path) -> None:
    truth = np.tile(TRUTH, times)
    called = RNG.integers(0, 2, len(truth))
    assert repeated_sample(te.predictions(truth, {"a": called})) == RepeatedRows(times, N, False)
    file = tmp_path / "preds.csv"
    file.write_text("truth,a\n" + "\n".join(f"{t},{c}" for t, c in zip(truth, called, strict=True)))
    assert repeated_sample(te.read(file)) == RepeatedRows(times, N, False)


def folds_of(rng: np.random.Generator, truth: np.ndarray, k: int, rounds: int, *, even: bool) -> te.Predictions:
    """Rounds of k folds without ids, numbered through; even ones deal each class out fold by fold."""
    rows, folds = [], []
    for r in range(rounds):
        order = rng.permutation(len(truth))
        order = order[np.argsort(truth[order], kind="stable")] if even else order
        rows.append(order)
        folds.append(np.arange(len(truth)) % k + k * r)
    order = rng.permutation(len(truth) * rounds)
    at, fold = np.concatenate(rows)[order], np.concatenate(folds)[order]
    return te.predictions(truth[at], {"a": truth[at]}, folds=fold)


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize(("k", "rounds"), [(5, 5), (10, 10)])
def test_folds_numbered_through_several_rounds(k: int, rounds: int, even: bool) -> None:
    p = folds_of(np.random.default_rng(k), np.random.default_rng(1).integers(0, 2, 173), k, rounds, even=even)
    assert repeated_sample(p) == RepeatedRows(rounds, 173, False, folds=k)
    assert f"{rounds} rounds of {k} folds" in str(te.evaluate(p, metrics=["accuracy"]).findings)


@pytest.mark.parametrize("even", [True, False])
def test_one_round_of_many_folds_is_no_repeat(even: bool) -> None:
    rng = np.random.default_rng(5)
    for n, k in ((120, 12), (125, 20), (173, 9), (250, 25), (400, 40)):
        for _ in range(10):
            assert repeated_sample(folds_of(rng, rng.integers(0, 2, n), k, 1, even=even)) is None


@pytest.mark.parametrize("truth", [
    [0, 1] * 100, [0] * 50 + [1] * 50 + [0] * 50 + [1] * 50, [1] * 120, TRUTH.tolist(), TRUTH.tolist() * 2 + [0],
], ids=["alternating", "sorted twice", "constant", "once", "one row more"])  # fmt: skip
def test_a_truth_that_does_not(truth: list[int]) -> None:
    assert repeated_sample(te.predictions(truth, {"a": truth}, labels=[0, 1])) is None


def test_ids_say_that_rows_differ() -> None:
    twice = te.predictions(np.tile(TRUTH, 2), {"a": np.tile(TRUTH, 2)}, ids=np.arange(2 * N))
    assert repeated_sample(twice) is None


def test_shared_ids() -> None:
    test = te.predictions(TRUTH[:100], {"a": TRUTH[:100]}, ids=[f"r{i}" for i in range(100)])
    training = te.predictions(TRUTH[80:], {"a": TRUTH[80:]}, ids=[f"r{i}" for i in range(80, N)])
    assert shared_rows(test, training) == Overlap(20, 100)


def test_shared_scores() -> None:
    assert shared_rows(scored(ALL[:100]), scored(ALL[80:])) == Overlap(20, 100)
    assert shared_rows(scored(ALL[:100]), scored(ALL[100:])) == Overlap(0, 100)


def test_one_and_the_same_truth() -> None:
    same = te.predictions(TRUTH, {"a": TRUTH})
    assert shared_rows(same, te.predictions(TRUTH, {"a": 1 - TRUTH})) == Overlap(N, N)
    assert shared_rows(same, te.predictions(TRUTH[::-1], {"a": TRUTH})) is None
    # Sorted by class, two samples of equal class sizes look alike without sharing a row.
    ordered = te.predictions(np.sort(TRUTH), {"a": TRUTH})
    assert shared_rows(ordered, te.predictions(np.sort(TRUTH), {"a": 1 - TRUTH})) is None


def _scored(rng: np.random.Generator, negatives: int, positives: int, decimals: int) -> tuple[Any, Any]:
    scores = np.r_[rng.beta(1.5, 3, negatives), rng.beta(3, 1.5, positives)]
    return np.r_[[0] * negatives, [1] * positives], np.round(scores, decimals)


def test_an_oversampled_class_is_copies() -> None:
    rng = np.random.default_rng(0)
    truth, scores = _scored(rng, 450, 50, 15)
    rows = np.r_[np.arange(500), 450 + rng.integers(0, 50, 400)]
    found = duplicate_rows(te.predictions(truth[rows], scores={"a": scores[rows]}))
    assert found is not None
    assert found.rows > 100


@pytest.mark.parametrize("times", [1.3, 1.8, 3, 5])
def test_a_bootstrap_sample_is_copies(times: float) -> None:
    rng = np.random.default_rng(1)
    truth, scores = _scored(rng, 200, 100, 15)
    rows = rng.integers(0, 300, int(300 * times))
    found = duplicate_rows(te.predictions(truth[rows], scores={"a": scores[rows]}))
    assert found is not None
    assert found.rows > 0.2 * len(rows)


@pytest.mark.parametrize("decimals", [15, 4, 3, 2])
def test_rows_that_were_drawn_once_are_no_copies(decimals: int) -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        truth, scores = _scored(rng, 700, 300, decimals)
        found = duplicate_rows(te.predictions(truth, scores={"a": scores}))
        assert found is None or found.rows == 0


def test_leaves_of_a_tree_are_no_copies() -> None:
    rng = np.random.default_rng(3)
    for leaves in (40, 150, 400):
        rates = rng.beta(1, 1, leaves)
        leaf = rng.integers(0, leaves, 1500)
        truth = (rng.random(1500) < rates[leaf]).astype(int)
        assert duplicate_rows(te.predictions(truth, scores={"tree": rates[leaf]})) is None


def test_the_same_rows_in_another_order_are_known_by_rounded_scores() -> None:
    rng = np.random.default_rng(4)
    truth, scores = _scored(rng, 300, 200, 2)
    order = rng.permutation(500)
    test = te.predictions(truth, scores={"a": scores})
    assert shared_rows(test, te.predictions(truth[order], scores={"a": scores[order]})) == Overlap(500, 500)
    others = _scored(rng, 300, 200, 2)
    assert shared_rows(test, te.predictions(others[0], scores={"a": others[1]})) is None


def test_leaves_beside_a_sure_model_are_no_copies():
    """A tree's leaves and a model that is sure of most rows share scores and truth by what they are; copies do not."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    leaf = np.where(rng.random(600) < 0.9, y, 1 - y) * 8 + rng.integers(0, 7, 600)
    tree = np.round((leaf + 0.5) / 15, 6) + 1e-7 * leaf
    sure = np.where(rng.random(600) < 0.6, y, np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=600), 0.01, 0.99))
    crowded = np.where(rng.random(600) < 0.2, 0.003141 + 0.99371 * y, np.round(rng.random(600), 9))
    for scores in ({"tree": tree, "sure": sure}, {"tree": tree, "forest": crowded}):
        clean = duplicate_rows(te.predictions(y, scores=scores))
        assert clean is None or clean.rows <= 0.01 * 600, list(scores)
    again = np.r_[np.arange(600), rng.integers(0, 600, 120)]
    found = duplicate_rows(te.predictions(y[again], scores={"tree": tree[again], "sure": sure[again]}))
    assert 25 < found.rows <= 120
