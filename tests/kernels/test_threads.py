"""Work in threads: the same answer for any number of them, and for nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import trueerror as te
from trueerror.kernels._groups import class_starts, grouped_from, neighbour_groups, one_row_each, passed_at
from trueerror.kernels._threads import PIECE, SUMMED, block_sums, in_threads, sums_between
from trueerror.metrics.scores import bin_places


@pytest.fixture(autouse=True)
def own_threads() -> Iterator[None]:
    yield
    te.config(threads=None)


@pytest.mark.parametrize("size", [0, 1, SUMMED, SUMMED + 1, 3 * PIECE + 5])
def test_sums_over_blocks_are_those_of_one_go(size: int) -> None:
    values = np.random.default_rng(size).random(size)
    made = []
    for threads in (1, 2, 3):
        te.config(threads=threads)
        made.append(block_sums(lambda part: np.array([values[part].sum(), len(values[part])]), size))
    assert made[0] == pytest.approx([values.sum(), size], rel=1e-12)
    assert made[0].tolist() == made[1].tolist() == made[2].tolist()


def test_answers_come_in_the_order_of_the_tasks() -> None:
    te.config(threads=4)
    assert in_threads(lambda i: i * i, range(50)) == [i * i for i in range(50)]


@pytest.mark.parametrize("size", [1, 5, PIECE, 3 * PIECE + 5])
def test_sums_between_starts_are_those_of_the_whole_array(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.normal(size=size)
    for count in (1, 3, 2_000):
        starts = np.unique(np.append(0, rng.integers(0, size, count)))
        assert np.array_equal(sums_between(lambda part: values[part], starts, size), np.add.reduceat(values, starts))


@pytest.mark.parametrize("most", [1, 2, 5], ids=["one row a score", "ties", "scores without rows"])
@pytest.mark.parametrize("size", [1, 7, PIECE, 2 * PIECE + 5])
def test_groups_of_neighbours_are_those_of_bins_of_equal_mass(size: int, most: int) -> None:
    rng = np.random.default_rng(size + most)
    ups = rng.integers(0, 2, size) if most == 1 else rng.integers(0, most, size)
    downs = 1 - ups if most == 1 else rng.integers(1 if most == 2 else 0, most, size)
    downs[0] += 1 - min(1, ups[0] + downs[0])
    values, rows = np.sort(rng.normal(size=size)), (ups + downs).astype(np.float64)
    for count in (1, 10, 2_048):
        mean, up, mass = neighbour_groups(values, ups, downs, count)
        place = bin_places(values, rows, count, "mass")
        whole = [np.bincount(place, weights=w, minlength=count) for w in (rows * values, ups, rows)]
        kept = whole[2] > 0
        assert mass.tolist() == whole[2][kept].tolist()
        assert up.tolist() == whole[1][kept].tolist()
        assert mean == pytest.approx(whole[0][kept] / whole[2][kept], rel=1e-9, abs=1e-12)


def test_one_row_a_score_is_seen_in_every_block() -> None:
    ups = np.zeros(3 * PIECE, dtype=np.int64)
    ups[::3] = 1
    downs = 1 - ups
    assert one_row_each(ups, downs)
    for wrong in (0, 2):
        downs[-1] = wrong
        assert not one_row_each(ups, downs)
    assert not one_row_each(ups.astype(float), 1.0 - ups)


@pytest.mark.parametrize("size", [1, PIECE, 2 * PIECE + 5])
def test_levels_are_passed_where_the_running_sum_reaches_them(size: int) -> None:
    rng = np.random.default_rng(size)
    for counts in (rng.integers(0, 3, size), rng.random(size)):
        total = float(counts.sum())
        levels = np.sort(np.concatenate((rng.random(500) * total, [0.0, 1.0, total, total + 1])))
        expected = np.searchsorted(np.cumsum(counts), levels)
        if counts.dtype.kind == "i":
            assert passed_at(counts, levels).tolist() == expected.tolist()
        else:
            # Sums of weights differ in their last digits.
            assert np.abs(passed_at(counts, levels)[:-3] - expected[:-3]).max() <= 1


@pytest.mark.parametrize("share", [0.5, 0.02, 1e-4])
def test_groups_hold_little_of_either_class(share: float) -> None:
    rng = np.random.default_rng(6)
    ups = (rng.random(2 * PIECE) < share).astype(np.int64)
    values = np.sort(rng.normal(size=len(ups)))
    mean, up, rows = grouped_from(class_starts(ups, 1 - ups, 1_000), values, ups, 1 - ups)
    assert (up.sum(), rows.sum()) == (ups.sum(), len(ups))
    assert (np.diff(mean) > 0).all()
    assert max(up.max() / up.sum(), (rows - up).max() / (rows - up).sum()) <= 2 / 1_000 + 1 / up.sum()
    if up.sum() < 500:
        # Positives are by themselves.
        assert (rows[up > 0] == up[up > 0]).all()
