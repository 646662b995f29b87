"""Orders and placements against plain sorting and counting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from trueerror.kernels._numpy import average_ranks, placements, table_placements
from trueerror.kernels._sorting import ascending_order

N = 20_000
RNG = np.random.default_rng(0)
SHAPES: dict[str, Callable[[], NDArray[np.floating]]] = {
    "uniform": lambda: RNG.random(N),
    "normal": lambda: RNG.normal(size=N),
    "heavy tails": lambda: RNG.standard_cauchy(N),
    "many octaves": lambda: np.exp(20 * RNG.normal(size=N)),
    "ties": lambda: np.round(RNG.random(N), 2),
    "constant": lambda: np.full(N, 0.3),
    "two values": lambda: (RNG.random(N) < 0.5).astype(float),
    "zeros of both signs": lambda: np.where(RNG.random(N) < 0.5, -0.0, 0.0),
    "infinite": lambda: np.where(RNG.random(N) < 0.1, np.inf, RNG.normal(size=N)),
    "tiny": lambda: RNG.normal(size=N) * 1e-310,
    "huge": lambda: RNG.normal(size=N) * 1e307,
    "close together": lambda: 1 + RNG.integers(0, 50, N) * np.finfo(float).eps,
    "crowded in one place": lambda: np.append(RNG.random(N - 1) * 1e-9, 1e6),
    "single precision": lambda: RNG.normal(size=N).astype(np.float32),
    "single precision zeros": lambda: np.where(RNG.random(N) < 0.5, -0.0, 0.0).astype(np.float32),
    "few rows": lambda: RNG.normal(size=50),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_order(shape: str) -> None:
    scores = SHAPES[shape]()
    order = ascending_order(scores)
    assert (np.bincount(order, minlength=len(scores)) == 1).all()
    assert (scores[order] == np.sort(scores)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_placements_are_differences_of_midranks(shape: str) -> None:
    scores = SHAPES[shape]()
    positive = RNG.random(len(scores)) < 0.3
    within, codes = np.empty(len(scores)), np.unique(scores, return_inverse=True)[1]
    within[positive], within[~positive] = rankdata(codes[positive]), rankdata(codes[~positive])
    below = rankdata(codes) - within
    expected = np.where(positive, 2 * below, 2 * (positive.sum() - below))
    assert (placements(scores, positive) == expected).all()


def test_table_placements() -> None:
    for_positives, for_negatives = table_placements(np.array([0, 2, 1]), np.array([3, 2, 0]))
    # A positive in the middle beats three and ties with two; a negative there is beaten by one and ties with two.
    assert for_positives.tolist() == [3, 8, 10]
    assert for_negatives.tolist() == [6, 4, 1]


def test_average_ranks() -> None:
    values = np.round(np.random.default_rng(3).random((200, 7)), 1)
    assert (average_ranks(values) == rankdata(values, axis=1)).all()
    assert average_ranks(np.zeros((1, 4))).tolist() == [[2.5, 2.5, 2.5, 2.5]]
