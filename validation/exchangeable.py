"""Tests of two learners that are exchangeable, after Dietterich: naive Bayes on one pair of features against another.

The two pairs of features are alike in law, so neither learner is better; on the alternative the second pair tells less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.resampling.dealing import Rows
from trueerror.resampling.folds import KFold
from trueerror.resampling.random_parts import Subsampling
from trueerror.significance import corrected_t, five_by_two_f, five_by_two_t, paired_t
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell, Procedure
from validation.learners import learners


def two_learners_cell(n: int, first: float, second: float) -> Cell:
    """Classes that lie so far apart in the first pair of features, and in the second."""
    PLANS = {
        "folds": KFold(10, repeats=10), "halves": KFold(2, repeats=5), "splits": Subsampling(repeats=30, test=1 / 3),
    }  # fmt: skip

    def draw(rng: np.random.Generator) -> dict[str, np.ndarray]:
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 4))
        X[:, :2] += first * y[:, None] / np.sqrt(2)
        X[:, 2:] += second * y[:, None] / np.sqrt(2)
        rows = Rows(codes=y.astype(np.intp))
        found = {}
        for key, plan in PLANS.items():
            scores = []
            for split in plan.splits(rows, seed=int(rng.integers(2**31))):
                right = []
                for c in ([0, 1], [2, 3]):
                    model = learners()["naive Bayes"]().fit(X[split.train][:, c], y[split.train])
                    right.append(np.mean(model.predict(X[split.test][:, c]) == y[split.test]))
                scores.append(right)
            found[key] = np.array(scores)
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
        scenario=f"n = {n}, " + ("exchangeable" if equal else f"classes apart by {first:g} and {second:g}"),
        procedures=(
            Procedure("corrected t, 10 × 10 folds", corrected, kind="test", method="corrected-t-test"),
            Procedure("corrected t, one round of 10 folds", corrected_once, kind="test", method="corrected-t-test"),
            Procedure("5 × 2 cv t", five_t, kind="test", default=False, method="five-by-two-t"),
            Procedure("5 × 2 cv F", five_f, kind="test", default=False, method="five-by-two-f"),
            Procedure("t over one round of 10 folds", fold_t, kind="test", default=False, method="paired-t"),
            Procedure("t over 10 × 10 folds", naive, kind="test", default=False, method="paired-t"),
            Procedure("t over 30 random splits", resampled, kind="test", default=False, method="paired-t"),
        ),
        confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=50,
        purpose="level" if equal else "power",
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """The null, and one alternative."""
    if quick:
        return
    yield two_learners_cell(100, 1.2, 1.2)
    yield replace(two_learners_cell(100, 1.8, 1.0), rank=4)
