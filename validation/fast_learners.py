"""Learners of scikit-learn fitted to many training sets at once: the same classifiers (a test checks it), far quicker.

Each takes rows, classes 0 and 1, weights (models × training rows: how often a row stands in a training set) and query
rows, and gives a score for each model and query: above 0 the call is 1. A tree has no such form and is scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from validation import fast_bayes

Scorer = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]
NEIGHBOURS, STUMPS, RATE = 5, 10, 0.1


@dataclass(frozen=True)
class Learner:
    """A name, how it is fitted and asked, and how many rows of each class stand for all in telling its true error."""

    name: str
    scores: Scorer
    asked: int = 4_096

    def calls(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
        """Which class each model gives each query row: models × rows."""
        return (self.scores(X, y, weights, queries) > 0).astype(np.intp)


def logistic(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """Logistic regression with the penalty ½|w|², by Newton's steps, all models at once."""
    ones = np.column_stack([X, np.ones(len(X))])
    d = ones.shape[1]
    products = (ones[:, :, None] * ones[:, None, :]).reshape(len(X), d * d)
    penalty = np.append(np.ones(d - 1), 0.0)
    beta = np.zeros((len(weights), d))
    for _ in range(30):
        p = special.expit(beta @ ones.T)
        slope = (weights * (y - p)) @ ones - penalty * beta
        curve = ((weights * p * (1 - p)) @ products).reshape(-1, d, d) + np.diag(penalty)
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    asked = X if queries is None else queries
    found: np.ndarray = beta[:, :-1] @ asked.T + beta[:, -1:]
    return found


def neighbours(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """The votes of the 5 nearest rows of each training set, from 5 against to 5 for."""
    asked = X if queries is None else queries
    far = (asked * asked).sum(axis=1)[:, None] - 2 * asked @ X.T + (X * X).sum(axis=1)
    if queries is None:
        np.fill_diagonal(far, -1.0)  # a row is its own nearest; rounding must not say otherwise
    vote = np.where(y == 1, 1.0, -1.0)
    for looked in (24, len(X)):
        near = _nearest(far, min(looked, len(X)))
        # Weights of the nearest rows, until five stand there; a row that was drawn twice counts twice.
        so_far = np.minimum(np.cumsum(weights[:, near], axis=2), NEIGHBOURS)
        if so_far[:, :, -1].min() >= NEIGHBOURS or looked >= len(X):
            break
    # Each row's own part of so_far is its difference to the one before: summed by parts.
    signs = vote[near]
    last: np.ndarray = so_far[:, :, -1] * signs[:, -1]
    return last - np.einsum("mqk,qk->mq", so_far[:, :, :-1], np.diff(signs, axis=1))


def _nearest(far: np.ndarray, k: int) -> np.ndarray:
    if k == far.shape[1]:
        return np.argsort(far, axis=1)
    some = np.argpartition(far, k, axis=1)[:, :k]
    order = np.argsort(np.take_along_axis(far, some, axis=1), axis=1)
    return np.take_along_axis(some, order, axis=1)


def boosting(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """Gradient boosting of the log loss with ten stumps and a rate of 0.1."""
    asked = X if queries is None else queries
    models, n = weights.shape
    features = X.shape[1]
    total = weights.sum(axis=1)
    start = special.logit(weights @ y / total)[:, None]
    own, found = np.repeat(start, n, axis=1), np.repeat(start, len(asked), axis=1)
    order = np.argsort(X, axis=0, kind="stable")
    sorted_weights = weights[:, order]  # models × rows × features
    left = np.cumsum(sorted_weights, axis=1)
    right = total[:, None, None] - left
    possible = (sorted_weights > 0) & (right > 0)
    # The next row that is in the training set, for the middle of the gap; from the back.
    place = np.where(sorted_weights > 0, np.arange(n)[None, :, None], n)
    after = np.minimum.accumulate(place[:, ::-1], axis=1)[:, ::-1]
    values = np.take_along_axis(X, order, axis=0)
    each = np.arange(models)
    for _ in range(STUMPS):
        p = special.expit(own)
        slopes = weights * (y - p)
        ups = np.cumsum(slopes[:, order], axis=1)
        # Friedman's gain, (w_r·Σ_l − w_l·Σ_r)²/(w_l·w_r), with Σ_r = Σ − Σ_l.
        gap = total[:, None, None] * ups - left * slopes.sum(axis=1)[:, None, None]
        gain = np.where(possible, gap * gap / np.where(possible, left * right, 1.0), -1.0)
        best = gain.reshape(models, -1).argmax(axis=1)
        at, feature = np.divmod(best, features)
        following = np.minimum(after[each, np.minimum(at + 1, n - 1), feature], n - 1)
        cut = (values[at, feature] + values[following, feature]) / 2
        below = cut[:, None] >= X[:, feature].T
        curves = weights * p * (1 - p)
        down = _leaf((slopes * below).sum(axis=1), (curves * below).sum(axis=1))
        up = _leaf((slopes * ~below).sum(axis=1), (curves * ~below).sum(axis=1))
        own += RATE * np.where(below, down[:, None], up[:, None])
        found += RATE * np.where(cut[:, None] >= asked[:, feature].T, down[:, None], up[:, None])
    return found


def _leaf(slope: np.ndarray, curve: np.ndarray) -> np.ndarray:
    return np.where(curve > 0, slope / np.where(curve > 0, curve, 1.0), 0.0)


@cache
def of_scikit_learn() -> dict[str, Callable[[], Any]]:
    """The learners that stand behind the names."""
    import sklearn
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    return {
        "naive Bayes": GaussianNB,
        "logistic regression": lambda: LogisticRegression(solver="newton-cholesky", tol=1e-8),
        "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "5 neighbours": lambda: KNeighborsClassifier(NEIGHBOURS, algorithm="brute"),
        "boosting": lambda: GradientBoostingClassifier(n_estimators=STUMPS, max_depth=1, random_state=0),
    }


def tree(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """scikit-learn's tree with leaves of five rows or more, one model after the other."""
    asked = np.asarray(X if queries is None else queries, dtype=np.float32)
    taken, numbers = np.arange(len(y)), np.asarray(X, dtype=np.float32)
    found = np.empty((len(weights), len(asked)))
    for row, w in zip(found, weights, strict=True):
        kept = np.repeat(taken, w.astype(np.intp))
        model = of_scikit_learn()["tree"]().fit(numbers[kept], y[kept], check_input=False)
        row[:] = model.tree_.predict(asked)[:, 1] - 0.5
    return found


LEARNERS = {
    made.name: made
    for made in (
        Learner("naive Bayes", fast_bayes.scores),
        Learner("logistic regression", logistic),
        Learner("tree", tree, 1_024),
        Learner("5 neighbours", neighbours, 1_024),
        Learner("boosting", boosting, 1_024),
    )
}
