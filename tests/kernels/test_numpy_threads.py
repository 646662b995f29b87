"""Work in threads: the same answer for any number of them, and for nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import trueerror as te
from trueerror.kernels._numpy import PIECE, SUMMED, block_sums, in_threads, sums_between


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
