"""A learner's error with learners of scikit-learn: logistic regression, a tree, neighbours, boosting.

Two classes of normal features, as for naive Bayes in `bayes_cells`; a learner's true error is the mean, over many
training sets of the size that the method speaks of, of the error on a large test set. It takes a while to find, so it
is kept in `learner_truths.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from trueerror.intervals.learners import bayle, corrected_t_interval, fold_t
from trueerror.resampling.dealing import Rows
from trueerror.resampling.folds import KFold
from trueerror.results import Interval
from validation.bayes_cells import queries, rows, seed
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell, Later, Procedure

TRUTHS = Path(__file__).parent / "learner_truths.json"
TRAINING_SETS = 1_000
FAMILY = "a learner's error, learners of scikit-learn"


@cache
def learners() -> dict[str, Callable[[], Any]]:
    """Real learners, small enough to be fitted a million times."""
    import sklearn
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    return {
        "logistic regression": lambda: LogisticRegression(solver="newton-cholesky"),
        "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "5 neighbours": lambda: KNeighborsClassifier(5, algorithm="brute"),
        "boosting": lambda: GradientBoostingClassifier(n_estimators=10, max_depth=1, random_state=0),
    }


def true_error(name: str, n: int) -> float:
    """The learner's mean error over training sets of n rows."""
    kept: dict[str, float] = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
    key = f"{name}, {n}"
    if key not in kept:
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(7, spawn_key=(n,))))
        X, y = queries(1_024)
        wrong = [np.mean(learners()[name]().fit(*rows(rng, n)).predict(X) != y) for _ in range(TRAINING_SETS)]
        # Another process may have added its own meanwhile.
        kept = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
        kept[key] = round(float(np.mean(wrong)), 5)
        TRUTHS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    return kept[key]


def folds_cell(name: str, n: int) -> Cell:
    """One round of ten folds."""
    plan = KFold(10)

    def draw(rng: np.random.Generator) -> list[np.ndarray]:
        X, y = rows(rng, n)
        losses = []
        for split in plan.splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)):
            model = learners()[name]().fit(X[split.train], y[split.train])
            losses.append((model.predict(X[split.test]) != y[split.test]).astype(float))
        return losses

    def corrected(losses: list[np.ndarray], confidence: float) -> Interval:
        means = [float(x.mean()) for x in losses]
        made = corrected_t_interval(
            means, test_train_ratio=1 / 9, repeats=1, bounds=(0, 1), confidence=confidence, rows=n
        )
        # All test parts alike: what an experiment gives then.
        return bayle(np.concatenate(losses), bounds=(0, 1)) if np.isnan(made.low) else made

    def plain(losses: list[np.ndarray], confidence: float) -> Interval:
        return fold_t([float(x.mean()) for x in losses], bounds=(0, 1), confidence=confidence, rows=n)

    return Cell(
        family=FAMILY, scenario=f"{name}, n = {n}, 1 × 10 folds", draw=draw,
        procedures=(
            Procedure("corrected t, 1 × 10 folds", corrected, target="learner"),
            Procedure("fold t, 1 × 10 folds", plain, default=False, target="learner"),
        ),
        truth=Later(learner=partial(true_error, name, round(0.9 * n))), events={"learner": 0.3 * n},
        confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=100,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Four learners of scikit-learn over one round of folds; naive Bayes, which is quicker, has every plan."""
    if quick:
        return
    for name in learners():
        yield replace(folds_cell(name, 100), rank=2)
