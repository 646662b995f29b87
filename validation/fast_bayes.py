"""Gaussian naive Bayes fitted to many training sets at once, from weighted sums.

The same classifier as scikit-learn's GaussianNB (a test checks it); all splits of a resampling cost one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from trueerror.resampling._plan import Split


def calls(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """Which class (0 or 1) each model gives each query row: models × rows; `weights` are models × training rows."""
    return (scores(X, y, weights, queries) > 0).astype(np.intp)


def scores(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """log P(1)/P(0) of each query row by each model."""
    asked = X if queries is None else queries
    found = np.zeros((len(weights), len(asked)))
    total = weights.sum(axis=1)
    mean = weights @ X / total[:, None]
    # scikit-learn adds a billionth of the largest variance of a feature.
    most = (weights @ (X * X) / total[:, None] - mean * mean).max(axis=1, keepdims=True)
    for c, sign in ((1, 1.0), (0, -1.0)):
        own = weights * (y == c)
        rows = own.sum(axis=1)[:, None]
        centre = own @ X / rows
        spread = own @ (X * X) / rows - centre * centre + 1e-9 * most
        # Σ (x − m)²/v, expanded so that models × rows × features is never held.
        far = (asked * asked) @ (1 / spread).T - 2 * asked @ (centre / spread).T
        far = far.T + (centre * centre / spread).sum(axis=1)[:, None]
        found += sign * (np.log(rows / total[:, None]) - 0.5 * np.log(spread).sum(axis=1)[:, None] - 0.5 * far)
    return found


def weights_of(splits: Iterable[Split], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Training weights (a bootstrap's rows repeat) and test rows of splits, models × rows."""
    train, test = [], []
    for split in splits:
        train.append(np.bincount(split.train, minlength=n).astype(np.float64))
        tested = np.zeros(n, dtype=bool)
        tested[split.test] = True
        test.append(tested)
    return np.array(train), np.array(test)
