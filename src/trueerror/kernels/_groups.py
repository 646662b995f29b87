"""Groups of neighbours in a table of scores, with about equally many rows each, found block by block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array
from trueerror.kernels._threads import PIECE, parts, sums_between


def one_row_each(positives: Array, negatives: Array) -> bool:
    """Whether a table of scores has counts, and one row at each score.

    >>> one_row_each(np.array([0, 1]), np.array([1, 0])), one_row_each(np.array([0, 2]), np.array([2, 0]))
    (True, False)
    """
    if positives.dtype.kind != "i" or negatives.dtype.kind != "i":
        return False
    for part in parts(len(positives), 1 + len(positives) // PIECE):
        rows = positives[part] + negatives[part]
        if not rows.min(initial=1) == 1 == rows.max(initial=1):
            return False
    return True


Places = NDArray[np.intp]
Grouped = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def neighbour_groups(values: NDArray[np.float64], positives: Array, negatives: Array, count: int) -> Grouped:
    """Mean value, positives and rows of about `count` groups of neighbours with about as many rows each: the bins of
    `metrics.scores.bin_places` by mass, block by block.

    Values ascend; one with the rows of ranks r to s is in group ⌊count·(r − 1 + s)/2n⌋, and those without rows in none.

    >>> [part.tolist() for part in neighbour_groups(np.arange(5.0), np.array([1, 1, 0, 3, 0]), np.eye(5)[2], 2)]
    [[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]]
    """
    size, pieces = len(values), parts(len(values), 1 + len(values) // PIECE)
    if one_row_each(positives, negatives):
        # The place of a row is its rank.
        starts = np.ceil(np.arange(count) * (size / count) - 0.5).astype(np.intp)
        return grouped_from(np.unique(starts[starts < size]), values, positives, negatives)
    below = np.append(0.0, np.cumsum([_rows(positives, negatives, part).sum() for part in pieces]))
    steps = np.arange(count) * (below[-1] / count)
    found = []
    for part, before in zip(pieces, below[:-1], strict=True):
        rows = _rows(positives, negatives, part)
        middle = np.cumsum(rows)
        rows /= 2
        middle -= rows
        middle += before
        passed, steps = np.split(steps, [np.searchsorted(steps, middle[-1:].max(initial=-1), side="right")])
        found.append(part.start + np.searchsorted(middle, passed))
    return grouped_from(np.unique(np.concatenate(found)), values, positives, negatives)


def class_starts(positives: Array, negatives: Array, count: int) -> Places:
    """Where about `count` groups of neighbours begin, with at most 2/`count` of either class each, or one value.

    >>> class_starts(np.eye(6, dtype=int)[4], 1 - np.eye(6, dtype=int)[4], 4).tolist()
    [0, 2, 3, 4, 5]
    """
    levels = np.arange(1, count // 2 + 1) / (count // 2)
    starts = [np.array([0])]
    for counts in (positives, negatives):
        total = float(counts.sum())
        at = passed_at(counts, levels * total)
        # The rows of a rare class are groups of their own.
        starts += [at, at + 1] if total <= 2 * count else [at + 1]
    together = np.unique(np.concatenate(starts))
    return together[together < len(positives)]


def grouped_from(starts: Places, values: NDArray[np.float64], positives: Array, negatives: Array) -> Grouped:
    """Mean value, positives and rows of the values from each start to the next; of stretches without rows nothing."""
    size = len(values)
    if one_row_each(positives, negatives):
        mass, sums = np.diff(np.append(starts, size)).astype(np.float64), np.add.reduceat(values, starts)
    else:
        mass = sums_between(lambda part: _rows(positives, negatives, part), starts, size)
        sums = sums_between(lambda part: _rows(positives, negatives, part) * values[part], starts, size)
    there = mass > 0
    ups = np.add.reduceat(positives, starts).astype(np.float64)
    return sums[there] / mass[there], ups[there], mass[there]


def _rows(positives: Array, negatives: Array, part: slice) -> NDArray[np.float64]:
    return np.add(positives[part], negatives[part], dtype=np.float64)


def passed_at(counts: Array | Callable[[slice], Array], levels: NDArray[np.floating[Any]], size: int = 0) -> Places:
    """np.searchsorted(np.cumsum(counts), levels) of ascending levels, block by block; `size` amounts may be made so.

    >>> passed_at(np.array([1, 0, 2, 1]), np.array([0.5, 1, 1.5, 4, 5])).tolist()
    [0, 0, 2, 3, 4]
    """
    given = counts if callable(counts) else counts.__getitem__
    size = size if callable(counts) else len(counts)
    found, below = [], 0
    for part in parts(size, 1 + size // PIECE):
        running = np.cumsum(given(part))
        running += below
        below = running[-1] if len(running) else below
        passed, levels = np.split(levels, [np.searchsorted(levels, below, side="right")])
        found.append(part.start + np.searchsorted(running, passed))
    return np.concatenate([*found, np.full(len(levels), size)])
