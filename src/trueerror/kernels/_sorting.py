"""Sorting scores with their class, which rides in the last bit of an integer that sorts as the score does.

A sort of integers, by NumPy (SIMD) or by way of buckets, needs no order of rows.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from time import thread_time

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array
from trueerror.inputs._settings import current
from trueerror.kernels._threads import PIECE, in_threads, parts

Keys = NDArray[np.int64]

SORT_BLOCK = 1 << 15
# Rows from which sorting is shared among threads.
LARGE = 1 << 20
LOW_BITS = np.int64(0x7FFFFFFFFFFFFFFF)


def tagged_keys(scores: Array, positive: NDArray[np.bool_]) -> tuple[Keys, int] | None:
    """Integers that sort as the scores do, with the class in the last bit, and the power of two that scores lost.

    None where 63 bits do not suffice: infinite scores, or very large beside very small ones.
    """
    if len(scores) == 0:
        return None
    largest = float(max(abs(scores.max()), abs(scores.min())))
    if not largest < np.inf:
        return None
    # Below 2 the order of a double fits into 63 bits; larger scores are scaled down, if that loses nothing.
    power = max(0, int(np.frexp(largest)[1]) - 1)
    keys = np.empty(len(scores), dtype=np.int64)

    def fill(part: slice) -> bool:
        for start in range(part.start, part.stop, SORT_BLOCK):
            stop = min(start + SORT_BLOCK, part.stop)
            block = scores[start:stop].astype(np.float64)
            block += 0.0  # turns −0.0 into 0.0
            if power:
                scaled = block * 2.0**-power
                if (scaled * 2.0**power != block).any():
                    return False
                block = scaled
            bits = block.view(np.int64)
            key = keys[start:stop]
            np.right_shift(bits, 63, out=key)
            key &= LOW_BITS
            key ^= bits
            key <<= 1
            key |= positive[start:stop]
        return True

    return (keys, power) if all(in_threads(fill, parts(len(scores), pieces(len(scores))))) else None


def scores_of(keys: Keys, power: int) -> NDArray[np.float64]:
    """The scores that tagged keys stand for."""
    bits = keys >> 1
    bits ^= (bits >> 63) & LOW_BITS
    scores = bits.view(np.float64)
    if power:
        scores *= 2.0**power
    return scores


def sort_keys(keys: Keys) -> None:
    """Sort in place, in threads: by NumPy, or by way of buckets where its sort of long arrays is slow."""
    if len(keys) >= BUCKETED and _buckets_pay():
        _sort_by_buckets(keys)
    else:
        _sort_halves(keys, current().thread_count)


def _sort_halves(keys: Keys, threads: int) -> None:
    """NumPy's partition at the middle costs a tenth of the sort of both halves."""
    if len(keys) < LARGE or threads < 2:
        keys.sort()
        return
    middle = len(keys) // 2
    keys.partition(middle)
    in_threads(lambda half: _sort_halves(half, threads // 2), [keys[:middle], keys[middle:]])


# Keys from which sorting by way of buckets may pay; a bucket of the first round has about so many.
BUCKETED = 1 << 17
BUCKET_KEYS = 1 << 16
# NumPy sorts rows of up to so many integers without branches (a sorting network).
WINDOW = 1 << 8
CELLS = 1 << 16


@cache
def _buckets_pay() -> bool:
    """Whether NumPy's sort of long arrays is slow on this processor, beside its sort of short ones.

    On AMD's Zen 4 its AVX-512 sort takes six times as long as its AVX2 sort, rows of up to `WINDOW` integers excepted:
    65,536 of them in one array take 19 times as long as in such rows there, and twice as long by its AVX2 sort.
    """
    sample = np.random.default_rng(0).integers(0, 1 << 62, CELLS)

    def seconds(shape: tuple[int, ...]) -> float:
        started = thread_time()  # what other programs do at the same time does not count
        np.sort(sample.reshape(shape))
        return thread_time() - started

    return min(seconds((-1,)) for _ in range(3)) > 6 * min(seconds((-1, WINDOW)) for _ in range(3))


def _sort_by_buckets(keys: Keys) -> None:
    spread, _, buckets = _into_buckets(keys)

    def sort_part(part: slice) -> None:
        for one in buckets[part]:
            _sort_bucket(spread[one], keys[one])

    in_threads(sort_part, parts(len(buckets), pieces(len(keys))))


def _into_buckets(keys: Keys, *, with_rows: bool = False) -> tuple[Keys, NDArray[np.uint32] | None, list[slice]]:
    """The keys in buckets of about equal size, ascending, by a sample of them (the first round of a sample sort).

    Also the rows that they come from, where asked for, and the stretch of each bucket. Source: Frazer and McKellar
    1970, J. ACM 17:496.
    """
    size, low, high = len(keys), int(keys.min()), int(keys.max())
    count = max(1, min(1 << 8, size // BUCKET_KEYS))
    below = np.cumsum(np.bincount(_cells(keys[:: -(-size // CELLS)], low, high, CELLS), minlength=CELLS))
    of_cell = np.minimum(below * count // below[-1], count - 1).astype(np.uint8)
    blocks = parts(size, max(1, size // PIECE))
    bucket = np.empty(size, dtype=np.uint8)

    def counted(block: slice) -> NDArray[np.int64]:
        bucket[block] = of_cell.take(_cells(keys[block], low, high, CELLS))
        return np.bincount(bucket[block], minlength=count)

    counts = np.array(in_threads(counted, blocks))
    ends = np.cumsum(counts.sum(axis=0))
    # Where the keys of each bucket (column) go that are in each block (row).
    places = ends - counts.sum(axis=0) + np.cumsum(counts, axis=0) - counts
    spread = np.empty_like(keys)
    rows = np.empty(size, dtype=np.uint32) if with_rows else None

    def distribute(i: int) -> None:
        order = np.argsort(bucket[blocks[i]], kind="stable")
        by_bucket = keys[blocks[i]].take(order)
        order += blocks[i].start
        start = 0
        for place, many in zip(places[i].tolist(), counts[i].tolist(), strict=True):
            spread[place : place + many] = by_bucket[start : start + many]
            if rows is not None:
                rows[place : place + many] = order[start : start + many]
            start += many

    in_threads(distribute, range(len(blocks)))
    return spread, rows, [slice(a, b) for a, b in pairwise([0, *ends.tolist()])]


def _cells(keys: Keys, low: int, high: int, count: int) -> Keys:
    """Which of at most `count` (a power of two) cells of equal width between `low` and `high` each key is in."""
    shift = max(0, (high - low).bit_length() - count.bit_length() + 1)
    cells = keys.view(np.uint64) - np.uint64(low % (1 << 64))
    cells >>= np.uint64(shift)
    return cells.view(np.int64)


def _sort_bucket(keys: Keys, out: Keys) -> None:
    """Cells of about 16 keys in order, then the keys in rows of `WINDOW`, twice, the second time half a row further.

    A key in its cell is less than half a row from its place, so that two rounds bring it there; larger cells are sorted
    one by one.
    """
    low, high = (int(keys.min()), int(keys.max())) if len(keys) else (0, 0)
    if low == high:
        out[:] = keys
        return
    cell = _cells(keys, low, high, min(CELLS, 1 << max(0, len(keys).bit_length() - 4))).astype(np.uint16)
    np.take(keys, np.argsort(cell, kind="stable"), out=out, mode="clip")
    ends = np.cumsum(np.bincount(cell))
    sizes = np.diff(ends, prepend=0)
    large = sizes > WINDOW // 2
    for stop, many in zip(ends[large].tolist(), sizes[large].tolist(), strict=True):
        out[stop - many : stop].sort()
    for start in (0, WINDOW // 2):
        stop = start + (len(keys) - start) // WINDOW * WINDOW
        out[start:stop].reshape(-1, WINDOW).sort(axis=1)
        out[max(start, stop) :].sort()


def pieces(size: int) -> int:
    return max(1, min(16, size >> 18))


Order = NDArray[np.intp]


def ascending_order(scores: Array) -> Order:
    """Positions of the scores from lowest to highest; the order within ties is not defined."""
    if not BUCKETED <= len(scores) < 1 << 32 or not _buckets_pay():
        return np.argsort(scores)
    keys = (scores.astype(np.float64) + 0.0).view(np.int64)
    keys ^= (keys >> 63) & LOW_BITS
    spread, rows, buckets = _into_buckets(keys, with_rows=True)
    assert rows is not None
    order = keys  # which have gone into the buckets

    def order_part(part: slice) -> None:
        for one in buckets[part]:
            order[one] = rows[one].take(_bucket_order(spread[one]))

    in_threads(order_part, parts(len(buckets), pieces(len(keys))))
    return order


def _bucket_order(keys: Keys) -> Order:
    """The order of the keys, whose first bits, above the lowest key, are sorted with their places behind them.

    Should keys differ in the other bits alone, NumPy's argsort gives the order.
    """
    bits = len(keys).bit_length()
    low, high = (int(keys.min()), int(keys.max())) if len(keys) else (0, 0)
    numbered = keys.view(np.uint64) - np.uint64(low % (1 << 64))
    numbered >>= np.uint64(max(0, (high - low).bit_length() + bits - 63))
    numbered <<= np.uint64(bits)
    numbered |= np.arange(len(keys), dtype=np.uint64)
    order = np.empty(len(keys), dtype=np.int64)
    _sort_bucket(numbered.view(np.int64), order)
    order &= (1 << bits) - 1
    ranked = keys.take(order)
    return order if (ranked[1:] >= ranked[:-1]).all() else np.argsort(keys)
