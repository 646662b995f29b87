"""Naive Bayes under every plan: the learner's error by the method that each plan calls for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from validation.fast_learners import LEARNERS
from validation.frame import Cell
from validation.learner_plans import Plans, rows, true_errors

TRAINING_SETS = 2_000
BAYES = LEARNERS["naive Bayes"]


@cache
def true_error(n: int) -> float:
    """The mean error over training sets of n rows, half of each class."""
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(7, spawn_key=(n,))))
    return float(np.mean([true_errors(BAYES, *rows(rng, n), np.ones((1, n)))[0] for _ in range(TRAINING_SETS)]))


PLANS = Plans(BAYES, "a learner's error, naive Bayes", true_error)


def cells(*, quick: bool) -> Iterator[Cell]:
    """Each plan."""
    yield PLANS.folds(100, 1)
    if quick:
        return
    yield PLANS.folds(40, 1)
    yield replace(PLANS.folds(400, 1), rank=2)
    for n in (40, 100):
        yield PLANS.folds(n, 5)
    yield replace(PLANS.folds(400, 5), rank=2)
    yield PLANS.folds(100, 10)
    for n in (40, 100, 400):
        yield replace(PLANS.leave_one_out(n), rank=1 if n == 40 else 2)
    yield replace(PLANS.random_parts(100, 30), rank=2)
    for n in (40, 100):
        yield PLANS.bootstrap(n, 100)
    yield PLANS.pairs_of_folds(100, 10, 10)
    yield PLANS.pairs_of_folds(40, 5, 10)
    yield PLANS.halves(100, 10, 15)
    yield PLANS.areas(100)
    yield PLANS.areas(300)
