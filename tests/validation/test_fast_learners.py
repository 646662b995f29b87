"""The quick learners are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from validation.fast_learners import LEARNERS, of_scikit_learn
from validation.learner_plans import rows

N = 60


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("repeated", [False, True])
def test_calls_are_those_of_scikit_learn(name: str, repeated: bool) -> None:
    """On folds, and on bootstrap samples, in which rows stand several times."""
    rng = np.random.default_rng(11)
    X, y = rows(rng, N)
    weights = rng.multinomial(N, np.full(N, 1 / N), 12) if repeated else rng.random((12, N)) > 0.1
    weights = weights.astype(float)
    far = rng.standard_normal((300, X.shape[1]))
    for queries in (None, far):
        ours = LEARNERS[name].calls(X, y, weights, queries)
        for row, w in zip(ours, weights, strict=True):
            kept = np.repeat(np.arange(N), w.astype(int))
            theirs = of_scikit_learn()[name]().fit(X[kept], y[kept])
            assert row.tolist() == theirs.predict(X if queries is None else far).tolist()


@pytest.mark.parametrize("name", ["logistic regression", "boosting", "5 neighbours"])
def test_scores_rank_as_probabilities_do(name: str) -> None:
    rng = np.random.default_rng(12)
    X, y = rows(rng, N)
    (ours,) = LEARNERS[name].scores(X, y, np.ones((1, N)), None)
    theirs = of_scikit_learn()[name]().fit(X, y).predict_proba(X)[:, 1]
    if name == "5 neighbours":
        assert (ours + 5) / 10 == pytest.approx(theirs)
    else:
        assert 1 / (1 + np.exp(-ours)) == pytest.approx(theirs, abs=1e-6)


def test_neighbours_are_found_where_the_near_ones_were_left_out() -> None:
    """A training set of a few far rows: the first look at 24 neighbours does not find five of them."""
    rng = np.random.default_rng(13)
    X, y = rows(rng, N)
    near = np.argsort(((X - X[0]) ** 2).sum(axis=1))
    weights = np.zeros((1, N))
    weights[0, near[-7:]] = 1
    theirs = of_scikit_learn()["5 neighbours"]().fit(X[near[-7:]], y[near[-7:]])
    assert LEARNERS["5 neighbours"].calls(X, y, weights)[0].tolist() == theirs.predict(X).tolist()
