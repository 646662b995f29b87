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
# Scores looked at to see how unevenly they lie.
SAMPLE = 1 << 10


def ascending_order(scores: NDArray[Any]) -> Order:
    """Positions of the scores from lowest to highest; the order within ties is not defined.

    NumPy sorts 16-bit keys by radix, in a fraction of the time of a comparison sort. So scores are mapped by a monotone
    function to 32 bits and sorted in two passes. Where unequal scores fall on one key, those few rows are put right;
    where too many do, the comparison sort takes over.
    """
    if len(scores) < SMALL or scores.dtype not in (np.float32, np.float64):
        return np.argsort(scores)
    keys = _keys(scores)
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    upper = (keys >> np.uint32(16)).astype(np.uint16)
    order = order.take(np.argsort(upper.take(order), kind="stable"))
    if scores.dtype == np.float32:
        return order
    ranked = scores.take(order)
    wrong = np.flatnonzero(ranked[1:] < ranked[:-1])
    return order if len(wrong) == 0 else _mend(order, keys, scores, wrong)


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
    return ((scores - low) * (1 / step)).astype(np.uint32)


def _leading_bits(scores: NDArray[Any]) -> NDArray[np.uint32]:
    """The first 32 bits, so changed that they sort as the numbers do: sign flipped, and all bits of negatives."""
    # Adding zero turns −0.0 into 0.0, whose bits would otherwise differ.
    bits = (scores + scores.dtype.type(0)).view(np.int32 if scores.dtype == np.float32 else np.int64)
    if bits.dtype == np.int64:
        bits = (bits >> 32).astype(np.int32)
    keys: NDArray[np.uint32] = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).view(np.uint32) ^ np.uint32(1 << 31)
    return keys


def _mend(order: Order, keys: NDArray[np.uint32], scores: NDArray[Any], wrong: Order) -> Order:
    """Sort again, by score, the runs of equal keys in which something is out of place."""
    ranked = keys.take(order)
    crowded = np.unique(ranked[wrong])
    starts = np.searchsorted(ranked, crowded, side="left")
    sizes = np.searchsorted(ranked, crowded, side="right") - starts
    total = int(sizes.sum())
    if total * 4 > len(order):
        return np.argsort(scores)
    places = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(total)
    rows = order[places]
    order[places] = rows[np.lexsort((scores[rows], keys[rows]))]
    return order


def placements(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Floats:
    """For each row, how many rows of the other class it beats, ties counting half, doubled to stay whole.

    A positive beats the negatives below it, a negative the positives above it. The sum over either class is
    2·AUC·m·n. One sort; no m × n table.
    """
    order = ascending_order(scores)
    result = np.empty(len(scores), dtype=np.float64)
    result[order] = _twice_beaten(scores.take(order), positive.take(order))
    return result


def _twice_beaten(ranked: NDArray[Any], up: NDArray[np.bool_]) -> Counts:
    n = len(ranked)
    whole: type[np.signedinteger[Any]] = np.int32 if n < 1 << 29 else np.int64
    # Up to and with each place in the ranking: how many positives; the others there are negatives.
    ups = np.cumsum(up, dtype=whole)
    total = ups[-1]
    # Without ties: the negatives below for a positive, the positives above for a negative.
    beaten = np.where(up, np.arange(1, n + 1, dtype=whole), total)
    beaten -= ups
    beaten *= whole(2)
    tied = np.flatnonzero(ranked[1:] == ranked[:-1])
    if len(tied) == 0:
        return beaten
    # A run of equal scores goes from `first` to `last`; all of it gets the mean of its two ends.
    breaks = np.flatnonzero(np.diff(tied) > 1)
    first = tied[np.concatenate(([0], breaks + 1))]
    last = tied[np.append(breaks, len(tied) - 1)] + 1
    ups_around = ups[first] - up[first] + ups[last]
    places_around = first + last + 1
    sizes = last - first + 1
    places = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    for_up = np.repeat((places_around - ups_around).astype(whole), sizes)
    for_down = np.repeat((2 * total - ups_around).astype(whole), sizes)
    beaten[places] = np.where(up[places], for_up, for_down)
    return beaten


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
