"""Bins of scores: whatever the scores, edges and bins mean the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueerror.kernels._histogram import Counter, Grid, even_grid, leading_grid, pivoted, refined, tagged_places

rng = np.random.default_rng(0)
SCORES = {
    "uniform": rng.random(2000),
    "normal": rng.normal(size=2000) * 1e3,
    "skewed": 10 ** rng.uniform(-300, 0, 2000),
    "infinite": np.r_[rng.normal(size=50), np.inf, -np.inf],
    "constant": np.ones(5),
    "neighbours": np.array([0.1, np.nextafter(0.1, 1)]),
    "whole": rng.integers(-5, 5, 1000).astype(float),
    "huge": np.array([-1.7e308, 0.0, 1.7e308, 3.0]),
    "subnormal": np.array([0.0, 5e-324, 1e-323]),
    "with zeros": np.array([-0.0, 0.0, 1.0, -1.0]),
    "32 bits": rng.random(100).astype(np.float32),
}


def check(grid: Grid, scores: Any) -> None:
    places = grid.places(scores)
    assert places.min() >= 0
    assert places.max() < grid.cells
    order = np.argsort(scores, kind="stable")
    assert (np.diff(places[order]) >= 0).all()
    there = np.unique(places)
    edges, tops = grid.spans(there)
    assert (edges == grid.edges(there)).all()
    assert (edges <= tops).all()
    assert (tops[:-1] < edges[1:]).all()
    at = np.searchsorted(there, places)
    assert (scores >= edges[at]).all()
    assert (scores <= tops[at]).all()
    for ends in (edges, tops):
        assert (grid.places(ends) == there).all()
    # At least the edge, and in this bin or a higher one, are the same rows.
    for i in range(0, len(there), max(1, len(there) // 20)):
        assert ((scores >= edges[i]) == (places >= there[i])).all()


def heavy(grid: Grid, scores: Any) -> tuple[Any, Any]:
    counts = np.bincount(grid.places(scores), minlength=grid.cells)
    places = np.sort(np.argsort(-counts)[: min(5, np.count_nonzero(counts))])
    return places, counts[places].astype(float)


@pytest.mark.parametrize("make", [even_grid, leading_grid])
@pytest.mark.parametrize("kind", SCORES)
def test_edges_and_bins_mean_the_same_rows(make: Any, kind: str) -> None:
    scores = SCORES[kind]
    grid = make(float(scores.min()), float(scores.max()), 1 << 8)
    check(grid, scores)
    grid = refined(grid, *heavy(grid, scores), 1000)
    check(grid, scores)
    grid = pivoted(grid, np.unique(scores.astype(float) + 0.0)[:7])
    check(grid, scores)
    grid = refined(grid, *heavy(grid, scores), 1000)
    check(grid, scores)


def test_a_value_that_many_rows_have_gets_a_bin_of_its_own() -> None:
    grid = pivoted(even_grid(0.0, 1.0, 4), np.array([0.3]))
    place = grid.places(np.array([0.3]))
    low, high = grid.spans(place)
    assert low == high == 0.3
    assert grid.cells == 6


@pytest.mark.parametrize("make", [even_grid, leading_grid])
@pytest.mark.parametrize("kind", SCORES)
def test_counting_takes_the_same_bins(make: Any, kind: str) -> None:
    scores = SCORES[kind].astype(float)
    positive = (np.arange(len(scores)) % 3 == 0).astype(np.int8)
    grid = make(float(scores.min()), float(scores.max()), 1 << 8)
    found = np.empty(len(scores), dtype=np.int64)
    tagged_places(grid, scores, positive, found)
    assert (found == 2 * grid.places(scores) + positive).all()
    counter = Counter(2 * grid.cells)
    for part in (slice(0, 2), slice(2, None)):
        assert (counter.add(grid, scores[part], positive[part]) == found[part]).all()
    assert (counter.total() == np.bincount(found, minlength=2 * grid.cells)).all()


def test_infinite_ends_need_no_warning() -> None:
    scores = SCORES["infinite"]
    for grid in (even_grid(-np.inf, np.inf, 64), leading_grid(-np.inf, np.inf, 64)):
        with np.errstate(all="raise"):
            lower, upper = grid.spans(np.unique(grid.places(scores)))
        assert lower[0] == -np.inf
        assert upper[-1] == np.inf
