"""Counting rows by the combination of their codes, and sums over the cells that they fill."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats

Integers = NDArray[np.integer[Any]]
Counts = NDArray[np.int64]

# Blocks of this many rows stay in the processor's cache while they are combined and counted.
BLOCK = 1 << 16
# Up to this many cells it is quicker to compare codes of one byte with each cell in turn.
COMPARED = 24


def count_codes(parts: list[Integers], sizes: list[int], weights: Floats | None = None) -> Array:
    """Dense counts (or sums of weights) over the product of several code columns, as one flat array.

    Codes of −1 (missing) must have been taken out. Memory is the product of `sizes`: callers choose sparse counting
    when that is large.
    """
    cells = int(np.prod(sizes, dtype=np.int64))
    n = len(parts[0])
    if 0 < cells <= COMPARED and weights is None and all(p.dtype == np.int8 for p in parts):
        return _count_bits(parts) if max(sizes) == 2 == min(sizes) else _count_by_comparing(parts, sizes, cells)
    total = np.zeros(cells, dtype=np.int64 if weights is None else np.float64)
    block = max(BLOCK, cells // 4)
    for start in range(0, n, block):
        part = slice(start, start + block)
        cell = combine([p[part] for p in parts], sizes)
        total += np.bincount(cell, weights=None if weights is None else weights[part], minlength=cells)
    return total


def _count_by_comparing(parts: list[Integers], sizes: list[int], cells: int) -> Counts:
    """Dense counts of few cells: comparing bytes runs sixteen or more at a time, where a table of counts takes one."""
    total = np.zeros(cells, dtype=np.int64)
    n = len(parts[0])
    for start in range(0, n, BLOCK):
        block = slice(start, start + BLOCK)
        cell = parts[0][block]
        for part, size in zip(parts[1:], sizes[1:], strict=True):
            cell = cell * np.int8(size) + part[block]
        for i in range(1, cells):
            total[i] += np.count_nonzero(cell == i)
    total[0] = n - total.sum()
    return total


def _count_bits(parts: list[Integers]) -> Counts:
    """Dense counts of columns of 0 and 1: rows with 1 in all columns of each set, then in those and no others."""
    packed = [np.packbits(p.view(np.bool_)) for p in reversed(parts)]
    sets = packed[:1]
    for place, values in enumerate(packed[1:], start=1):
        sets += [values, *(values & other for other in sets[: (1 << place) - 1])]
    total = np.array([len(parts[0]), *map(_ones, sets)], dtype=np.int64)
    cube = total.reshape((2,) * len(parts))
    for axis in range(len(parts)):
        turned = np.moveaxis(cube, axis, 0)
        turned[0] -= turned[1]
    return total


def _ones(packed: NDArray[np.uint8]) -> int:
    """How many bits are set."""
    if not hasattr(np, "bitwise_count"):  # NumPy before 2.0
        return int.from_bytes(packed.tobytes(), "little").bit_count()
    words = len(packed) // 8 * 8
    return sum(
        int(np.bitwise_count(part).sum(dtype=np.intp)) for part in (packed[:words].view(np.uint64), packed[words:])
    )


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
