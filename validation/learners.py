"""A learner's error with learners of scikit-learn: logistic regression, a tree, neighbours, boosting.

Two classes of normal features, as for naive Bayes in `bayes_cells`; a learner's true error is the mean, over many
training sets of the size that the method speaks of, of the error on a large test set. It takes a while to find, so it
is kept in `learner_truths.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from validation.fast_learners import LEARNERS
from validation.frame import Cell
from validation.learner_plans import Plans, rows, true_errors

TRUTHS = Path(__file__).parent / "learner_truths.json"
TRAINING_SETS = 1_000
FAMILY = "a learner's error, learners of scikit-learn"
NAMES = tuple(name for name in LEARNERS if name != "naive Bayes")
# A tree has no quick form: it takes part where a plan asks for few fits.
QUICK = tuple(name for name in NAMES if name != "tree")


def true_error(name: str, n: int) -> float:
    """The learner's mean error over training sets of n rows."""
    kept: dict[str, float] = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
    key = f"{name}, {n}"
    if key not in kept:
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(7, spawn_key=(n,))))
        one = np.ones((1, n))
        wrong = [true_errors(LEARNERS[name], *rows(rng, n), one)[0] for _ in range(TRAINING_SETS)]
        # Another process may have added its own meanwhile.
        kept = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
        kept[key] = round(float(np.mean(wrong)), 5)
        TRUTHS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    return kept[key]


def plans(name: str) -> Plans:
    return Plans(LEARNERS[name], FAMILY, partial(true_error, name), f"{name}, ")


def cells(*, quick: bool) -> Iterator[Cell]:
    """Each plan with 100 rows first, then with fewer, then with more rows or rounds where it is quick."""
    if quick:
        return
    rounds = {name: 10 if name in QUICK else 4 for name in NAMES}
    for name in NAMES:
        own = plans(name)
        usual = (
            own.folds(100, 1), own.folds(100, 5), own.bootstrap(100, 50), own.pairs_of_folds(100, 5, rounds[name]),
            own.random_parts(100, 15), own.areas(100), own.leave_one_out(100),
        )  # fmt: skip
        yield from (replace(made, rank=1 if name in QUICK else 2) for made in usual)
    for name in NAMES:
        own = plans(name)
        few = own.folds(40, 5), own.bootstrap(40, 50), own.pairs_of_folds(40, 5, rounds[name]), own.leave_one_out(40)
        yield from (replace(made, rank=2 if name in QUICK else 3) for made in few)
    for name in QUICK:
        own = plans(name)
        for made in (own.folds(400, 5), own.areas(300), own.folds(100, 10)):
            yield replace(made, rank=3)
    for name in ("logistic regression", "5 neighbours"):
        yield replace(plans(name).leave_one_out(400), rank=3)
    yield replace(plans("5 neighbours").pairs_of_folds(100, 10, 10), rank=3)
    yield replace(plans("logistic regression").halves(100, 10, 15), rank=3)
