"""Work on parts of one array in threads: NumPy and compiled loops both let go of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array
from trueerror.inputs._settings import current

Task = TypeVar("Task")
Answer = TypeVar("Answer")
# Numbers taken in one go: the dozen arrays that a formula needs of them stay in a core's cache. Short enough that
# OpenBLAS (which divides sums of products from 10,000 on) starts no threads of its own within ours.
SUMMED = 1 << 13
# What a thread is handed at a time.
PIECE = 1 << 17


def in_threads(work: Callable[[Task], Answer], tasks: Sequence[Task]) -> list[Answer]:
    """The answers in the order of the tasks, whatever the number of threads."""
    count = min(current().thread_count, len(tasks))
    if count < 2:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, tasks))


def parts(size: int, count: int) -> list[slice]:
    """A range cut into `count` slices of nearly equal length.

    >>> parts(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    cuts = [size * i // count for i in range(count + 1)]
    return [slice(a, b) for a, b in pairwise(cuts)]


def block_sums(work: Callable[[slice], Array], size: int) -> Array:
    """The sum of what `work` returns for each block of a range; the same to the last digit for any number of threads.

    >>> block_sums(lambda part: np.array([part.stop - part.start, 1]), 100_000)
    array([100000,     13])
    """

    def piece(start: int) -> Array:
        last = min(start + PIECE, size)
        blocks = [slice(i, min(i + SUMMED, last)) for i in range(start, max(last, 1), SUMMED)]
        subtotal: Array = np.sum([work(block) for block in blocks], axis=0)
        return subtotal

    total: Array = np.sum(in_threads(piece, range(0, max(size, 1), PIECE)), axis=0)
    return total


def sums_between(values: Callable[[slice], Array], starts: NDArray[np.intp], size: int) -> Array:
    """`np.add.reduceat(values, starts)` of values that are made for a few stretches at a time, which stay in the cache.

    >>> sums_between(lambda part: np.arange(6)[part], np.array([0, 2, 5]), 6).tolist()
    [1, 9, 5]
    """
    first = np.unique(np.append(np.searchsorted(starts, np.arange(0, size, PIECE)), len(starts)))
    ends = np.append(starts, size)
    return np.concatenate(
        [np.add.reduceat(values(slice(ends[i], ends[j])), starts[i:j] - starts[i]) for i, j in pairwise(first)]
    )
