"""The hot loops in NumPy alone; `fast` has the same names where compiling pays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]

# Blocks of this many rows stay in the processor's cache while they are combined and counted.
BLOCK = 1 << 16


def count_codes(parts: list[Integers], sizes: list[int], weights: Floats | None = None) -> NDArray[Any]:
    """Dense counts (or sums of weights) over the product of several code columns, as one flat array.

    Codes of −1 (missing) must have been taken out. Memory is the product of `sizes`: callers choose sparse counting
    when that is large.
    """
    cells = int(np.prod(sizes, dtype=np.int64))
    n = len(parts[0])
    total = np.zeros(cells, dtype=np.int64 if weights is None else np.float64)
    block = max(BLOCK, cells // 4)
    for start in range(0, n, block):
        part = slice(start, start + block)
        cell = combine([p[part] for p in parts], sizes)
        total += np.bincount(cell, weights=None if weights is None else weights[part], minlength=cells)
    return total


def count_sparse(parts: list[Integers], sizes: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The occupied cells, ascending, and their counts: memory grows with what occurs, not with the product."""
    cell = combine(parts, sizes)
    cells, counts = np.unique(cell, return_counts=True)
    return cells.astype(np.int64), counts.astype(np.int64)


def combine(parts: list[Integers], sizes: list[int]) -> NDArray[np.int64]:
    """Several codes as one cell number, the last one running fastest."""
    cell = parts[0].astype(np.int64)
    for part, size in zip(parts[1:], sizes[1:], strict=True):
        cell *= size
        cell += part
    return cell


def sum_by_cell(cells: NDArray[np.int64], cell: NDArray[np.int64], values: Floats) -> Floats:
    """Sums of row values over the given sorted cells."""
    return np.bincount(np.searchsorted(cells, cell), weights=values, minlength=len(cells)).astype(np.float64)


def score_groups(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Floats, Integers, Integers]:
    """Distinct scores, ascending, with how many positives and negatives have each.

    Sorting the two classes apart costs less than sorting pairs: no permutation has to be carried along.
    """
    up = np.sort(scores[positive])
    down = np.sort(scores[~positive])
    distinct_up, count_up = run_lengths(up)
    distinct_down, count_down = run_lengths(down)
    distinct = np.union1d(distinct_up, distinct_down)
    positives = np.zeros(len(distinct), dtype=np.int64)
    negatives = np.zeros(len(distinct), dtype=np.int64)
    positives[np.searchsorted(distinct, distinct_up)] = count_up
    negatives[np.searchsorted(distinct, distinct_down)] = count_down
    return distinct.astype(np.float64, copy=False), positives, negatives


def run_lengths(ascending: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values of a sorted array and how often each occurs."""
    n = len(ascending)
    if n == 0:
        return ascending, np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
    return ascending[starts], np.diff(np.append(starts, n))
