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
from validation.bayes_cells import seed
from validation.fast_bayes import calls, weights_of
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, MISUSED, Cell, Procedure


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
        found = {}
        for key, plan in PLANS.items():
            train, test = weights_of(plan.splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)), n)
            right = [((calls(part, y, train) == y) & test).sum(axis=1) for part in (X[:, :2], X[:, 2:])]
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
        scenario=f"n = {n}, " + ("exchangeable" if equal else f"classes apart by {first:g} and {second:g}"),
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
        purpose="level" if equal else "power",
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """The null, and one alternative."""
    for n in (100,) if quick else (100, 300):
        yield two_learners_cell(n, 1.2, 1.2)
    if not quick:
        yield replace(two_learners_cell(300, 1.6, 1.2), rank=2)
