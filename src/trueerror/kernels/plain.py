"""The hot loops in NumPy alone; `fast` has the same names where compiling pays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels.draws import row_weights
from trueerror.kernels.layout import RankLayout
from trueerror.kernels.ranks import placements as placements
from trueerror.kernels.sorting import scores_of, sorted_parts, tagged_keys
from trueerror.kernels.threads import in_threads, parts

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Blocks of this many rows stay in the processor's cache while they are combined and counted.
BLOCK = 1 << 16
# Up to this many cells it is quicker to compare codes of one byte with each cell in turn.
COMPARED = 24


def count_codes(parts: list[Integers], sizes: list[int], weights: Floats | None = None) -> NDArray[Any]:
    """Dense counts (or sums of weights) over the product of several code columns, as one flat array.

    Codes of −1 (missing) must have been taken out. Memory is the product of `sizes`: callers choose sparse counting
    when that is large.
    """
    cells = int(np.prod(sizes, dtype=np.int64))
    n = len(parts[0])
    if 0 < cells <= COMPARED and weights is None and all(p.dtype == np.int8 for p in parts):
        return _count_by_comparing(parts, sizes, cells)
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


def score_groups(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """Distinct scores, ascending, with how many positives and negatives have each; −0.0 is 0.0.

    One sort of integers that carry the class in their last bit; no permutation has to be carried along.

    >>> score_groups(np.array([0.5, -0.0, 0.5, 0.0]), np.array([True, False, False, False]))
    (array([0. , 0.5]), array([0, 1]), array([2, 1]))
    """
    tagged = tagged_keys(scores, positive)
    if tagged is None:
        return _groups_by_class(scores, positive)
    keys, power = tagged
    runs = sorted_parts(keys, scores)
    del keys, tagged
    ends = in_threads(_group_ends, runs)
    starts = np.cumsum([0, *(len(e) for e in ends)])
    size = int(starts[-1])
    distinct = np.empty(size, dtype=np.float64)
    ups, downs = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)

    def fill(i: int) -> None:
        part = slice(starts[i], starts[i + 1])
        distinct[part] = scores_of(runs[i].take(ends[i]), power)
        _count_groups(runs[i], ends[i], ups[part], downs[part])

    in_threads(fill, range(len(runs)))
    return distinct, ups, downs


def _group_ends(keys: Counts) -> NDArray[np.intp]:
    """Where each run of equal scores ends."""
    plain = keys >> 1
    last = np.ones(len(keys), dtype=bool)
    np.not_equal(plain[1:], plain[:-1], out=last[:-1])
    return np.flatnonzero(last)


def _count_groups(keys: Counts, ends: NDArray[np.intp], ups: Counts, downs: Counts) -> None:
    if len(ends) == len(keys):
        np.bitwise_and(keys, 1, out=ups)
        np.subtract(1, ups, out=downs)
        return
    found = np.cumsum(keys & 1)[ends]
    ups[0], downs[0] = found[0], ends[0] + 1
    np.subtract(found[1:], found[:-1], out=ups[1:])
    np.subtract(ends[1:], ends[:-1], out=downs[1:])
    downs -= ups


def _groups_by_class(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """The same for any scores: the two classes sorted apart and merged."""
    whole = scores.astype(np.float64) + 0.0
    distinct_up, count_up = run_lengths(np.sort(whole[positive]))
    distinct_down, count_down = run_lengths(np.sort(whole[~positive]))
    distinct = np.union1d(distinct_up, distinct_down)
    ups, downs = np.zeros(len(distinct), dtype=np.int64), np.zeros(len(distinct), dtype=np.int64)
    ups[np.searchsorted(distinct, distinct_up)] = count_up
    downs[np.searchsorted(distinct, distinct_down)] = count_down
    return distinct, ups, downs


def run_lengths(ascending: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values of a sorted array and how often each occurs."""
    n = len(ascending)
    if n == 0:
        return ascending, np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
    return ascending[starts], np.diff(np.append(starts, n))


def ordered_pairs(positives: NDArray[Any], negatives: NDArray[Any]) -> float:
    """From a score table: twice the pairs in which the positive has the higher score, ties half.

    >>> ordered_pairs(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]))
    6.0
    """
    return _pairs_by_block(positives, negatives, _blocks(positives))[0]


def _blocks(counts: NDArray[Any]) -> list[slice]:
    return parts(len(counts), max(1, -(-len(counts) // (2 * BLOCK))))


def _pairs_by_block(
    positives: NDArray[Any], negatives: NDArray[Any], blocks: list[slice]
) -> tuple[float, Floats, Floats]:
    """The ordered pairs, doubled, and how many rows of each class the blocks have."""

    def within(block: slice) -> tuple[float, float, float]:
        up, down = positives[block], negatives[block]
        running = np.cumsum(down)
        # Doubled placements are whole numbers, so this sum is exact up to 2⁵³ and the area has one rounding.
        twice = (running + running - down).astype(np.float64)
        twice *= up
        return float(up.sum()), float(down.sum()), float(twice.sum())

    found = in_threads(within, blocks)
    ups, downs = (np.array([f[i] for f in found]) for i in (0, 1))
    below = np.cumsum(downs) - downs
    return float(sum(f[2] for f in found) + (2 * ups * below).sum()), ups, downs


def placement_sums(positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[float, float, float]:
    """From a score table: the ordered pairs, doubled, and the spreads of placements among positives and negatives.

    The spreads are Σ(V10 − A)² over the positives and Σ(V01 − A)² over the negatives, where V10 is the share of
    negatives that a positive beats, V01 the share of positives that beat a negative, and A the mean of either.

    >>> placement_sums(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]))
    (6.0, 0.125, 0.125)
    """
    blocks = _blocks(positives)
    total, ups, downs = _pairs_by_block(positives, negatives, blocks)
    m, n = float(ups.sum()), float(downs.sum())
    if m == 0 or n == 0:
        return 0.0, float("nan"), float("nan")
    below, over = np.cumsum(downs) - downs, m - np.cumsum(ups) + ups
    area = total / (2 * m * n)

    def spreads(i: int) -> tuple[float, float]:
        up, down = positives[blocks[i]], negatives[blocks[i]]
        running = np.cumsum(down)
        beats = (running + running - down) + 2 * below[i]
        beats /= 2 * n
        beats -= area
        running = np.cumsum(up)
        beaten = (up - running - running) + 2 * over[i]
        beaten /= 2 * m
        beaten -= area
        beats *= beats
        beats *= up
        beaten *= beaten
        beaten *= down
        # Sums rather than dot products, which BLAS would hand to threads of its own.
        return float(beats.sum()), float(beaten.sum())

    both = in_threads(spreads, range(len(blocks)))
    return total, sum(s for s, _ in both), sum(s for _, s in both)


def area_replicates(
    layout: RankLayout, seed: int, first: int, last: int, *, precision: bool = True
) -> tuple[Floats, Floats]:
    """Bootstrap replicates `first` to `last` of the area under the ROC curve and of the average precision.

    Rows are drawn with replacement (see `draws`). A replicate without positives or negatives is NaN; so is all average
    precision where it is not asked for.
    """
    areas, precisions = np.full(last - first, np.nan), np.full(last - first, np.nan)

    def replicate(b: int) -> None:
        weights = row_weights(layout.rows, seed, b)
        up = _running(weights[: layout.positives])
        down = _running(weights[layout.positives :])
        m, n = int(up[-1]), int(down[-1])
        if m == 0:
            return
        if layout.ends is None:
            drawn, found = weights[: layout.positives], up[1:]
        else:
            found = up.take(layout.ends)
            drawn = np.diff(found, prepend=0)
        false = down.take(layout.through)
        both = false if layout.above is layout.through else false + down.take(layout.above)
        if n:
            scale = 2 if both is false else 1
            lost = scale * int(np.multiply(drawn, both, dtype=np.int64).sum())
            areas[b - first] = (2 * m * n - lost) / (2 * m * n)
        if precision:
            precisions[b - first] = float((drawn * (found / np.maximum(found + false, 1))).sum()) / m

    in_threads(replicate, range(first, last))
    return areas, precisions


def _running(weights: NDArray[Any]) -> NDArray[Any]:
    """Running sums from 0."""
    total = np.zeros(len(weights) + 1, dtype=np.int32)
    np.cumsum(weights, dtype=np.int32, out=total[1:])
    return total
