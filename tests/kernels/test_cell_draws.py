"""Draws of whole cells have the mean, spread and independence of draws of their rows."""

from __future__ import annotations

import numpy as np
import pytest

from trueerror.kernels._random import TABLED, CellDraws, row_weights


@pytest.mark.parametrize("size", [1, 2, 5, TABLED, TABLED + 1, 1_000, 250_000])
def test_mean_and_variance_are_those_of_poisson(size: int) -> None:
    cells = CellDraws(np.full(40_000, size))
    drawn = np.concatenate([cells.draw(3, b) for b in range(5)])
    assert drawn.min() >= 0
    assert np.array_equal(drawn, np.rint(drawn))
    assert drawn.mean() == pytest.approx(size, abs=4 * np.sqrt(size / len(drawn)))
    # The variance of a sample variance of Poisson counts is (2 + 1/size)·size²/n.
    assert drawn.var() / size == pytest.approx(1, abs=4 * np.sqrt((2 + 1 / size) / len(drawn)) + 5e-4)


def test_cells_keep_their_places_and_empty_cells_stay_empty() -> None:
    counts = np.array([0, 5_000, 1, 0, 70, 31, 33, 5_000_000])
    cells = CellDraws(counts)
    drawn = np.array([cells.draw(11, b) for b in range(4_000)])
    assert (drawn[:, counts == 0] == 0).all()
    assert drawn.mean(axis=0) == pytest.approx(counts, rel=0.06, abs=0.1)
    together = np.corrcoef(drawn[:, counts > 0].T)
    assert np.abs(together[~np.eye(len(together), dtype=bool)]).max() < 0.08


def test_replicates_depend_on_seed_and_number_alone() -> None:
    cells = CellDraws(np.arange(100))
    assert np.array_equal(cells.draw(1, 4), CellDraws(np.arange(100)).draw(1, 4))
    assert not np.array_equal(cells.draw(1, 4), cells.draw(1, 5))
    assert not np.array_equal(cells.draw(1, 4), cells.draw(2, 4))


def test_a_sum_over_cells_spreads_like_a_sum_over_rows() -> None:
    cell = np.random.default_rng(0).integers(0, 50, 20_000)
    worth = np.linspace(-1, 2, 50)
    cells = CellDraws(np.bincount(cell, minlength=50))
    by_cell = [float(cells.draw(5, b) @ worth) for b in range(1_500)]
    by_row = [float(row_weights(len(cell), 5, b) @ worth[cell]) for b in range(1_500)]
    assert np.mean(by_cell) == pytest.approx(np.mean(by_row), abs=4 * np.std(by_row) / np.sqrt(750))
    assert np.std(by_cell) == pytest.approx(np.std(by_row), rel=0.08)
