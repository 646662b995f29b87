"""The hot loops over scores in NumPy alone: groups of equal scores, placements, ordered pairs.

`_numba` has the same names where compiling pays.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.kernels._counting import BLOCK, Counts
from trueerror.kernels._sorting import (
    SORT_BLOCK,
    Keys,
    Order,
    ascending_order,
    pieces,
    scores_of,
    sort_keys,
    tagged_keys,
)
from trueerror.kernels._threads import in_threads, parts

RankCounts = NDArray[np.signedinteger[Any]]

# Rows handled at a time stay in the processor's cache.
RANK_BLOCK = 1 << 15


def _ranked(scores: Array) -> tuple[Order, Order]:
    """The ascending order, and the places in it whose score is that of the next place too."""
    order = ascending_order(scores)
    ranked = scores.take(order)
    return order, np.flatnonzero(ranked[1:] == ranked[:-1])


def _rank_blocks(size: int) -> list[slice]:
    return [slice(start, min(size, start + RANK_BLOCK)) for start in range(0, size, RANK_BLOCK)]


def placements(scores: Array, positive: NDArray[np.bool_]) -> Floats:
    """For each row, how many rows of the other class it beats, ties counting half, doubled to stay whole.

    A positive beats the negatives below it, a negative the positives above it. The sum over either class is
    2·AUC·m·n. One sort; no m × n table.
    """
    order, tied = _ranked(scores)
    total = int(np.count_nonzero(positive))
    result = np.empty(len(scores), dtype=np.float64)
    if len(tied) * 4 > len(order):
        result[order] = _by_group(positive.take(order), tied, total)
        return result
    ups = 0
    for block in _rank_blocks(len(order)):
        rows = order[block]
        up = positive.take(rows)
        # Up to and with each place in the ranking: how many positives; the others there are negatives.
        so_far = np.cumsum(up, dtype=np.int64)
        so_far += ups
        ups = int(so_far[-1])
        # Without ties: the negatives below for a positive, the positives above for a negative.
        result[rows] = 2 * (np.where(up, np.arange(block.start + 1, block.stop + 1), total) - so_far)
    if len(tied):
        _share(result, order, tied, positive, total)
    return result


def _by_group(up: NDArray[np.bool_], tied: Order, total: int) -> RankCounts:
    """Doubled placements of rows in ascending order when most are tied: one value a class for each distinct score."""
    n = len(up)
    whole: type[np.signedinteger[Any]] = np.int32 if n < 1 << 29 else np.int64
    ends = np.ones(n, dtype=bool)
    ends[tied] = False
    last = np.flatnonzero(ends)
    first = np.concatenate(([0], last[:-1] + 1))
    through = np.cumsum(np.add.reduceat(up, first, dtype=np.int64))
    ups_around = through + np.concatenate(([0], through[:-1]))
    sizes = last - first + 1
    for_up = np.repeat((first + last + 1 - ups_around).astype(whole), sizes)
    for_down = np.repeat((2 * total - ups_around).astype(whole), sizes)
    return np.where(up, for_up, for_down)


def _share(result: Floats, order: Order, tied: Order, positive: NDArray[np.bool_], total: int) -> None:
    """Give each run of equal scores the mean of its two ends."""
    up = positive.take(order)
    ups = np.cumsum(up, dtype=np.int64)
    breaks = np.flatnonzero(np.diff(tied) > 1)
    first = tied[np.concatenate(([0], breaks + 1))]
    last = tied[np.append(breaks, len(tied) - 1)] + 1
    ups_around = ups[first] - up[first] + ups[last]
    sizes = last - first + 1
    places = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    for_up = np.repeat(first + last + 1 - ups_around, sizes)
    for_down = np.repeat(2 * total - ups_around, sizes)
    result[order[places]] = np.where(up[places], for_up, for_down)


def table_placements(positives: NDArray[np.integer[Any]], negatives: NDArray[np.integer[Any]]) -> tuple[Floats, Floats]:
    """The same for a table of distinct scores, ascending: doubled placements of a positive and of a negative there."""
    down = np.cumsum(negatives, dtype=np.float64)
    up = np.cumsum(positives, dtype=np.float64)
    return 2 * down - negatives, 2 * (float(up[-1]) - up) + positives


# Values looked up at a time, from which cells pay, and how many cells there are.
LOOKED_UP, LOOKUP_CELLS = 1 << 16, 1 << 16


def places_among(edges: Floats, values: Floats) -> Order:
    """np.searchsorted(edges, values, side="right") of many values, none NaN: by cells of equal width, and by a search
    for values in cells that hold an edge.

    >>> places_among(np.array([0.2, 0.5]), np.array([0.5, 0.1, 0.3])).tolist()
    [2, 0, 1]
    """
    reach = float(edges[-1] - edges[0]) if len(edges) else 0.0
    if len(values) < LOOKED_UP or not 0 < reach < np.inf:
        return np.searchsorted(edges, values, side="right")
    scale = (LOOKUP_CELLS - 2) / reach

    def cells(part: Floats) -> Order:
        # Rounding keeps the order, and so does the cast: a value in a lower cell than an edge is below it.
        with np.errstate(over="ignore"):
            place: Floats = (part - edges[0]) * scale + 1
        np.clip(place, 0, LOOKUP_CELLS - 1, out=place)
        cell: Order = place.astype(np.intp)
        return cell

    edge_cells = cells(edges)
    below = np.searchsorted(edge_cells, np.arange(LOOKUP_CELLS), side="left")
    shared = np.zeros(LOOKUP_CELLS, dtype=bool)
    shared[edge_cells] = True
    places = np.empty(len(values), dtype=np.intp)

    def look_up(part: slice) -> None:
        cell = cells(values[part])
        found = below.take(cell)
        searched = np.flatnonzero(shared.take(cell))
        found[searched] = np.searchsorted(edges, values[part][searched], side="right")
        places[part] = found

    in_threads(look_up, parts(len(values), -(-len(values) // LOOKED_UP)))
    return places


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis, ties sharing their mean rank.

    >>> average_ranks(np.array([[0.3, 0.1, 0.3]]))
    array([[2.5, 1. , 2.5]])
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ranked = np.take_along_axis(values, order, axis=-1)
    k = values.shape[-1]
    new = np.ones(values.shape, dtype=bool)
    new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    places = np.arange(k)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    ends = np.ones(values.shape, dtype=bool)
    ends[..., :-1] = new[..., 1:]
    last = np.minimum.accumulate(np.where(ends, places, k)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape, dtype=np.float64)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def score_groups(scores: Array, positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """Distinct scores, ascending, with how many positives and negatives have each; −0.0 is 0.0.

    One sort of integers that carry the class in their last bit; no permutation has to be carried along.

    >>> score_groups(np.array([0.5, -0.0, 0.5, 0.0]), np.array([True, False, False, False]))
    (array([0. , 0.5]), array([0, 1]), array([2, 1]))
    """
    tagged = tagged_keys(scores, positive)
    if tagged is None:
        return _groups_by_class(scores, positive)
    return table_of(*tagged, _fill_groups)


def table_of(keys: Keys, power: int, fill: Callable[..., int]) -> tuple[Floats, Counts, Counts]:
    """The score table of tagged keys, which are sorted and then give way to the scores.

    `fill(keys, power, scores, positives, negatives)` writes the table of a stretch and returns its length.
    """
    sort_keys(keys)
    return table_of_sorted(keys, power, fill)


def table_of_sorted(
    keys: Keys, power: int = 0, fill: Callable[..., int] | None = None
) -> tuple[Floats, Counts, Counts]:
    """The same of keys in order."""
    if len(keys) == 0:
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    write: Callable[..., int] = _fill_groups if fill is None else fill
    cuts = [part.start for part in parts(len(keys), pieces(len(keys)))]
    # Equal scores are never in two stretches; the last bit is the class.
    starts = np.unique(np.searchsorted(keys, keys[cuts] & ~np.int64(1)))
    stretches = [slice(a, b) for a, b in pairwise([*starts, len(keys)])]
    columns = keys.view(np.float64), np.empty(len(keys), dtype=np.int64), np.empty(len(keys), dtype=np.int64)
    sizes = in_threads(lambda part: write(keys[part], power, *(column[part] for column in columns)), stretches)
    total = sum(sizes)
    if total < 3 * len(keys) // 4:
        kept = [slice(part.start, part.start + size) for part, size in zip(stretches, sizes, strict=True)]
        scores, ups, downs = (np.concatenate([column[part] for part in kept]) for column in columns)
        return scores, ups, downs
    # Few scores are shared: stretches move up within their columns, by pieces that stay in the cache.
    for part, size, place in zip(stretches, sizes, np.cumsum(sizes) - sizes, strict=True):
        for start in range(0, size if place < part.start else 0, SORT_BLOCK):
            length = min(SORT_BLOCK, size - start)
            for column in columns:
                column[place + start :][:length] = column[part.start + start :][:length]
    return columns[0][:total], columns[1][:total], columns[2][:total]


def _fill_groups(keys: Keys, power: int, scores: Floats, ups: Counts, downs: Counts) -> int:
    """Block by block, since what is made of a block stays in the cache; a block may overwrite those before it."""
    place = waiting = waiting_ups = 0
    last = np.ones(SORT_BLOCK, dtype=bool)
    for start in range(0, len(keys), SORT_BLOCK):
        block = keys[start : start + SORT_BLOCK]
        plain = keys[start : start + SORT_BLOCK + 1] >> 1
        last = last[: len(block)]
        last[-1] = True
        np.not_equal(plain[1:], plain[:-1], out=last[: len(plain) - 1])
        tags = block & 1
        size = int(np.count_nonzero(last))
        part = slice(place, place + size)
        if size == len(block) and not waiting:
            ups[part] = tags
            np.subtract(1, tags, out=downs[part])
            scores[part] = scores_of(block, power)
        elif size:
            ends = np.flatnonzero(last)
            cum_ups = np.cumsum(tags)
            ups[part] = np.diff(cum_ups.take(ends), prepend=-waiting_ups)
            downs[part] = np.diff(ends + 1, prepend=-waiting)
            downs[part] -= ups[part]
            waiting, waiting_ups = len(block) - 1 - int(ends[-1]), int(cum_ups[-1] - cum_ups[ends[-1]])
            scores[part] = scores_of(block.take(ends), power)
        else:
            waiting += len(block)
            waiting_ups += int(tags.sum())
        place += size
    return place


def _groups_by_class(scores: Array, positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """The same for any scores: the two classes sorted apart and merged."""
    whole = scores.astype(np.float64) + 0.0
    distinct_up, count_up = run_lengths(np.sort(whole[positive]))
    distinct_down, count_down = run_lengths(np.sort(whole[~positive]))
    distinct = np.union1d(distinct_up, distinct_down)
    ups, downs = np.zeros(len(distinct), dtype=np.int64), np.zeros(len(distinct), dtype=np.int64)
    ups[np.searchsorted(distinct, distinct_up)] = count_up
    downs[np.searchsorted(distinct, distinct_down)] = count_down
    return distinct, ups, downs


def run_lengths(ascending: Array) -> tuple[Array, NDArray[np.int64]]:
    """Distinct values of a sorted array and how often each occurs."""
    n = len(ascending)
    if n == 0:
        return ascending, np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], ascending[1:] != ascending[:-1])))
    return ascending[starts], np.diff(np.append(starts, n))


def ordered_pairs(positives: Array, negatives: Array) -> float:
    """From a score table: twice the pairs in which the positive has the higher score, ties half.

    >>> ordered_pairs(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]))
    6.0
    """
    return _pairs_by_block(positives, negatives, _blocks(positives))[0]


def _blocks(counts: Array) -> list[slice]:
    return parts(len(counts), max(1, -(-len(counts) // (2 * BLOCK))))


def _pairs_by_block(positives: Array, negatives: Array, blocks: list[slice]) -> tuple[float, Floats, Floats]:
    """The ordered pairs, doubled, and how many rows of each class the blocks have."""

    def within(block: slice) -> tuple[float, float, float]:
        up, down = positives[block], negatives[block]
        running = np.cumsum(down)
        # Doubled placements are whole numbers, so this sum is exact up to 2⁵³ and the area has one rounding.
        twice = (running + running - down).astype(np.float64)
        twice *= up
        return float(up.sum()), float(down.sum()), float(twice.sum())

    sums = in_threads(within, blocks)
    ups, downs = (np.array([f[i] for f in sums]) for i in (0, 1))
    below = np.cumsum(downs) - downs
    return float(sum(f[2] for f in sums) + (2 * ups * below).sum()), ups, downs


def placement_sums(positives: Array, negatives: Array) -> tuple[float, float, float]:
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
