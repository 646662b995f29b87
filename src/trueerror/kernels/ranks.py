"""Orders and mid-ranks of scores: the one costly step of every statistic of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.signedinteger[Any]]
Order = NDArray[np.intp]

# Below this many rows a comparison sort is the fastest.
SMALL = 1 << 13
# Rows handled at a time stay in the processor's cache.
BLOCK = 1 << 15
# Scores looked at to see how unevenly they lie.
SAMPLE = 1 << 10


def ascending_order(scores: NDArray[Any]) -> Order:
    """Positions of the scores from lowest to highest; the order within ties is not defined.

    NumPy sorts 16-bit keys by radix, in a fraction of the time of a comparison sort. So scores are mapped by a monotone
    function to 32 bits and sorted in two passes. Where unequal scores fall on one key, those few rows are put right;
    where too many do, the comparison sort takes over.
    """
    return _ranked(scores)[0]


def _ranked(scores: NDArray[Any]) -> tuple[Order, Order]:
    """The ascending order, and the places in it whose score is that of the next place too."""
    if len(scores) < SMALL or scores.dtype not in (np.float32, np.float64):
        return _compared(scores)
    keys = _keys(scores)
    order = _radix_order(keys)
    shared = _shared(keys, order)
    if len(shared) == 0 or scores.dtype == np.float32:
        return order, shared
    # Only where keys are shared can scores be out of order, or tied.
    wrong, tied = _compare(scores, order, shared)
    if len(wrong):
        if not _mend(order, keys, scores, wrong):
            return _compared(scores)
        _, tied = _compare(scores, order, shared)
    return order, tied


def _radix_order(keys: NDArray[np.uint32]) -> Order:
    first = np.argsort(keys.astype(np.uint16), kind="stable")
    upper = (keys >> np.uint32(16)).astype(np.uint16)
    order = np.argsort(upper.take(first), kind="stable")
    # Fresh memory costs more than the work on it: the second order is turned into the final one where it stands.
    for block in _blocks(len(order)):
        order[block] = first.take(order[block])
    return order


def _shared(keys: NDArray[np.uint32], order: Order) -> Order:
    """The places whose key is that of the next place too."""
    found = []
    for block in _blocks(len(order)):
        ranked = keys.take(order[block.start : block.stop + 1])
        found.append(np.flatnonzero(ranked[1:] == ranked[:-1]) + block.start)
    return np.concatenate(found)


def _blocks(size: int) -> list[slice]:
    return [slice(start, min(size, start + BLOCK)) for start in range(0, size, BLOCK)]


def _compare(scores: NDArray[Any], order: Order, shared: Order) -> tuple[Order, Order]:
    """The places, among those that share a key with the next, whose score is above the next's, and equal to it."""
    if len(shared) * 8 < len(order):
        here, following = scores.take(order.take(shared)), scores.take(order.take(shared + 1))
        return shared[following < here], shared[following == here]
    ranked = scores.take(order)
    return np.flatnonzero(ranked[1:] < ranked[:-1]), np.flatnonzero(ranked[1:] == ranked[:-1])


def _compared(scores: NDArray[Any]) -> tuple[Order, Order]:
    order = np.argsort(scores)
    ranked = scores.take(order)
    return order, np.flatnonzero(ranked[1:] == ranked[:-1])


def _keys(scores: NDArray[Any]) -> NDArray[np.uint32]:
    """A monotone map to 32 bits: equal steps between the extremes, or leading bits where the scores are too uneven."""
    if scores.dtype == np.float32:
        return _leading_bits(scores)
    low, high = float(scores.min()), float(scores.max())
    step = (high - low) / (2.0**32 - 1)
    if not 1e-290 < step < 1e290:
        return _leading_bits(scores)
    sample = np.sort(scores[:: max(1, len(scores) // SAMPLE)][:SAMPLE])
    gaps = np.diff(sample)
    # Between two neighbours of the sample lie about n / SAMPLE rows, which want a key each.
    crowded = (gaps > 0) & (gaps * SAMPLE < 2 * step * len(scores))
    if crowded.sum() * 16 > SAMPLE:
        return _leading_bits(scores)
    keys = np.empty(len(scores), dtype=np.uint32)
    for block in _blocks(len(scores)):
        keys[block] = (scores[block] - low) * (1 / step)
    return keys


def _leading_bits(scores: NDArray[Any]) -> NDArray[np.uint32]:
    """The first 32 bits, so changed that they sort as the numbers do: sign flipped, and all bits of negatives."""
    # Adding zero turns −0.0 into 0.0, whose bits would otherwise differ.
    bits = (scores + scores.dtype.type(0)).view(np.int32 if scores.dtype == np.float32 else np.int64)
    if bits.dtype == np.int64:
        bits = (bits >> 32).astype(np.int32)
    keys: NDArray[np.uint32] = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).view(np.uint32) ^ np.uint32(1 << 31)
    return keys


def _mend(order: Order, keys: NDArray[np.uint32], scores: NDArray[Any], wrong: Order) -> bool:
    """Sort again, by score, the runs of equal keys in which something is out of place; False when they are too many."""
    ranked = keys.take(order)
    crowded = np.unique(ranked[wrong])
    starts = np.searchsorted(ranked, crowded, side="left")
    sizes = np.searchsorted(ranked, crowded, side="right") - starts
    total = int(sizes.sum())
    if total * 4 > len(order):
        return False
    places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(total)
    rows = order[places]
    order[places] = rows[np.lexsort((scores[rows], keys[rows]))]
    return True


def placements(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Floats:
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
    for block in _blocks(len(order)):
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


def _by_group(up: NDArray[np.bool_], tied: Order, total: int) -> Counts:
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
