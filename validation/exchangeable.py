"""Tests of two learners that are exchangeable, after Dietterich: one learner on two pairs of features.

The two pairs of features are alike in law, so neither learner is better; on the alternative the second pair tells less.
Leave-one-out stands by itself: an experiment compares its models as models on the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t
from trueerror.inference.proportion._paired import mcnemar
from trueerror.resampling._cross_validation import KFold
from trueerror.resampling._plan import Rows
from trueerror.resampling._random_splits import Subsampling
from validation.fast_bayes import weights_of
from validation.fast_learners import LEARNERS
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, MISUSED, Cell, Procedure
from validation.learner_plans import one_out, over_parts, seed

BAYES = "naive Bayes"


def pairs_of_features(
    rng: np.random.Generator, n: int, first: float, second: float
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Rows whose classes lie so far apart in the first pair of features, and in the second."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 4))
    X[:, :2] += first * y[:, None] / np.sqrt(2)
    X[:, 2:] += second * y[:, None] / np.sqrt(2)
    return (X[:, :2], X[:, 2:]), y


def _named(learner: str, words: str) -> str:
    return words if learner == BAYES else f"{learner}, {words}"


def two_learners_cell(n: int, first: float, second: float, learner: str = BAYES) -> Cell:
    """One learner on the first pair of features, and on the second."""
    calls = LEARNERS[learner].calls
    PLANS = {
        "folds": KFold(10, repeats=10), "halves": KFold(2, repeats=5), "splits": Subsampling(repeats=30, test=1 / 3),
    }  # fmt: skip

    def draw(rng: np.random.Generator) -> dict[str, np.ndarray]:
        parts, y = pairs_of_features(rng, n, first, second)
        found = {}
        for key, plan in PLANS.items():
            train, test = weights_of(plan.splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)), n)
            right = [((calls(part, y, train) == y) & test).sum(axis=1) for part in parts]
            found[key] = np.stack(right, axis=1) / test.sum(axis=1)[:, None]
        return found

    def differences(sample: dict[str, np.ndarray], key: str) -> Any:
        return sample[key][:, 0] - sample[key][:, 1]

    def rejects(p_value: float, level: float) -> bool:
        return p_value <= level  # NaN (no difference anywhere) does not reject

    def corrected(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(corrected_t(differences(s, "folds"), test_train_ratio=1 / 9).p_value, level)

    def corrected_once(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(corrected_t(differences(s, "folds")[:10], test_train_ratio=1 / 9).p_value, level)

    def fold_t(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(paired_t(*s["folds"][:10].T).p_value, level)

    def naive(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(paired_t(*s["folds"].T).p_value, level)

    def resampled(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(paired_t(*s["splits"].T).p_value, level)

    def five_t(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(five_by_two_t(differences(s, "halves").reshape(5, 2)).p_value, level)

    def five_f(s: dict[str, np.ndarray], level: float) -> bool:
        return rejects(five_by_two_f(differences(s, "halves").reshape(5, 2)).p_value, level)

    equal = first == second
    return Cell(
        family="two learners", draw=draw,
        scenario=_named(
            learner, f"n = {n}, " + ("exchangeable" if equal else f"classes apart by {first:g} and {second:g}")
        ),
        procedures=(
            Procedure("corrected t, 10 × 10 folds", corrected, kind="test", method="corrected-t-test"),
            Procedure("corrected t, one round of 10 folds", corrected_once, kind="test", method="corrected-t-test"),
            Procedure("5 × 2 cv t", five_t, kind="test", default=False, method="five-by-two-t"),
            Procedure("5 × 2 cv F", five_f, kind="test", default=False, method="five-by-two-f"),
            Procedure("t over one round of 10 folds", fold_t, kind="test", default=False, method=MISUSED),
            Procedure("t over 10 × 10 folds", naive, kind="test", default=False, method=MISUSED),
            Procedure("t over 30 random splits", resampled, kind="test", default=False, method=MISUSED),
        ),
        confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=50,
        purpose="level" if equal else "power", evident=over_parts(10),
    )  # fmt: skip


def left_out_cell(n: int, learner: str) -> Cell:
    """Leave-one-out: what `compare` gives for it."""
    calls = LEARNERS[learner].calls

    def draw(rng: np.random.Generator) -> tuple[int, int]:
        parts, y = pairs_of_features(rng, n, 1.2, 1.2)
        first, second = ((calls(part, y, 1 - np.eye(n)) == y).diagonal() for part in parts)
        return int((first & ~second).sum()), int((second & ~first).sum())

    def apply(sample: tuple[int, int], level: float) -> bool:
        return mcnemar(*sample, n=n).p_value <= level

    return Cell(
        family="two learners", draw=draw, scenario=f"{learner}, n = {n}, exchangeable, leave one out",
        procedures=(Procedure("McNemar mid-p, leave one out", apply, kind="test", method=MISUSED),),
        confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=100, evident=one_out(n),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """The null, and one alternative, with five learners."""
    for n in (100,) if quick else (100, 300):
        yield two_learners_cell(n, 1.2, 1.2)
    if quick:
        return
    yield replace(two_learners_cell(300, 1.6, 1.2), rank=2)
    for learner in ("logistic regression", "5 neighbours", "boosting"):
        yield two_learners_cell(100, 1.2, 1.2, learner)
    for learner in (BAYES, "logistic regression", "5 neighbours", "boosting"):
        yield replace(left_out_cell(100, learner), rank=2)
        yield replace(left_out_cell(40, learner), rank=2)
    for learner in ("logistic regression", "5 neighbours"):
        yield replace(two_learners_cell(100, 1.6, 1.2, learner), rank=2)
        yield replace(two_learners_cell(300, 1.2, 1.2, learner), rank=3)
    yield replace(two_learners_cell(100, 1.2, 1.2, "tree"), rank=3)
