"""Work on parts of one array in threads: NumPy and compiled loops both let go of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from trueerror.inputs.settings import current

Task = TypeVar("Task")
Answer = TypeVar("Answer")


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
