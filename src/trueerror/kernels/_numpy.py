"""The hot loops in NumPy alone; `_numba` has the same names where compiling pays.

Scores are sorted with their class, which rides in the last bit of an integer that sorts as the score does: a sort of
integers, by NumPy (SIMD) or by way of buckets, then needs no order of rows.

How often each row is drawn in a bootstrap replicate: counter-based, so that no order of work changes a draw.

Replicate b of row i is a function of (seed, b, i) alone: Philox 4×64 with ten rounds (Salmon et al. 2011, SC '11),
keyed by (seed, b), the row giving the counter. Any chunk of rows or replicates, in any thread, meets the same numbers.

Up to `EXACT` rows the draws are the multinomial of sampling rows with replacement. Beyond it each row is drawn a
Poisson(1) number of times: for ratios the two agree to order 1/rows (Hanley and MacGibbon 2006, Comput. Methods
Programs Biomed. 83:57), and Poisson weights of rows in score order need no further sorting.

What the rank bootstrap walks along: rows in score order, positives and negatives apart.

Work on parts of one array in threads: NumPy and compiled loops both let go of the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from time import thread_time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.inputs._options import current

# Sampling with replacement up to this many rows, Poisson weights beyond.
EXACT = 1 << 14
# Poisson(1) in steps of 2⁻¹⁶: how many of 65,536 equally likely values stand for 0, 1, 2, … draws. The counts are the
# rounded probabilities, balanced so that mean and variance are exactly 1 (and the third moment 5.00003).
STEPS = (24109, 24110, 12055, 4017, 1005, 201, 34, 4, 1)
POISSON: NDArray[np.int8] = np.repeat(np.arange(len(STEPS), dtype=np.int8), STEPS)
POISSON.flags.writeable = False

Weights = NDArray[np.signedinteger[Any]]


def row_weights(rows: int, seed: int, replicate: int, first: int = 0, last: int | None = None) -> Weights:
    """How often each of the rows `first` to `last` is drawn in one replicate.

    >>> int(row_weights(5, 0, 0).sum())
    5
    >>> np.array_equal(row_weights(50_000, 3, 7)[100:200], row_weights(50_000, 3, 7, 100, 200))
    True
    """
    stop = rows if last is None else last
    if rows <= EXACT:
        # The upper 32 bits of (32 random bits × rows): a row number, uniform to within rows / 2³².
        lanes = words(seed, replicate, 0, (rows + 1) // 2).view("<u4")[:rows]
        drawn = (lanes.astype(np.uint64) * np.uint64(rows)) >> np.uint64(32)
        return np.bincount(drawn.astype(np.intp), minlength=rows)[first:stop]
    start = first // 4
    lanes = words(seed, replicate, start, -(-stop // 4)).view("<u2")
    return POISSON.take(lanes[first - 4 * start : stop - 4 * start])


def words(seed: int, replicate: int, first: int, last: int) -> NDArray[np.uint64]:
    """The 64-bit words `first` to `last` of a replicate's stream."""
    block = first // 4
    # NumPy steps the counter before it draws: block k comes from counter k + 1.
    stream = np.random.Philox(key=np.array([seed, replicate], dtype=np.uint64), counter=block)
    drawn = stream.random_raw(max(0, last - 4 * block))
    return np.asarray(drawn[first - 4 * block :], dtype="<u8")


def seed_of(generator: np.random.Generator) -> int:
    """A seed for the draws, taken from a generator."""
    return int(generator.integers(0, 1 << 63))


Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class RankLayout:
    """Rows from the highest score down: first all positives, then all negatives, so that a draw needs no sorting.

    For each distinct score that positives have: `ends`, how many positives there are down to and with it (None where
    no two positives share a score); `above` and `through`, how many negatives lie above it, without and with the ties.
    """

    positives: int
    negatives: int
    ends: Places | None
    above: Places
    through: Places

    @property
    def rows(self) -> int:
        """All rows."""
        return self.positives + self.negatives


def rank_layout(positives: Array, negatives: Array) -> RankLayout:
    """The layout of a score table: counts at each distinct score, ascending.

    >>> layout = rank_layout(np.array([0, 1, 2]), np.array([1, 1, 0]))
    >>> layout.ends.tolist(), layout.above.tolist(), layout.through.tolist()
    ([2, 3], [0, 0], [0, 1])
    """
    up, down = positives[::-1], negatives[::-1]
    occupied = np.flatnonzero(up)
    ups = up[occupied]
    through = np.cumsum(down, dtype=np.intp).take(occupied)
    tied = down[occupied]
    above = through - tied if tied.any() else through
    ends = None if len(ups) == 0 or int(ups.max()) == 1 else np.cumsum(ups, dtype=np.intp)
    return RankLayout(int(ups.sum()), int(down.sum()), ends, above, through)


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


def sums_between(values: Callable[[slice], Array], starts: Places, size: int) -> Array:
    """`np.add.reduceat(values, starts)` of values that are made for a few stretches at a time, which stay in the cache.

    >>> sums_between(lambda part: np.arange(6)[part], np.array([0, 2, 5]), 6).tolist()
    [1, 9, 5]
    """
    first = np.unique(np.append(np.searchsorted(starts, np.arange(0, size, PIECE)), len(starts)))
    ends = np.append(starts, size)
    return np.concatenate(
        [np.add.reduceat(values(slice(ends[i], ends[j])), starts[i:j] - starts[i]) for i, j in pairwise(first)]
    )


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


# Up to so many rows a cell has a table of its own; beyond, a rounded normal of the same mean and variance.
TABLED = 32
# One of so many equally likely values picks a quantile.
LANES = 1 << 16


class CellDraws:
    """Cells with so many rows each, in any order; `draw` gives how many rows of each are in a replicate.

    A row is drawn a Poisson(1) number of times, so a cell of c rows a Poisson(c) number of times: one number for a cell
    instead of one for a row.

    >>> made = CellDraws(np.array([1, 400, 0, 3]))
    >>> made.draw(7, 0).tolist(), np.array_equal(made.draw(7, 5), made.draw(7, 5))
    ([0.0, 423.0, 0.0, 2.0], True)
    """

    def __init__(self, counts: Array) -> None:
        self.order = np.argsort(counts, kind="stable")
        ascending = np.asarray(counts, dtype=np.int64)[self.order]
        self.tabled = int(np.searchsorted(ascending, TABLED, side="right"))
        # Cells of one size lie together, so that one table at a time is in the processor's cache.
        self.rows = ascending[: self.tabled] * LANES
        self.means = ascending[self.tabled :].astype(np.float32)
        self.spreads = np.sqrt(self.means)

    def draw(self, seed: int, replicate: int) -> NDArray[np.float64]:
        """How many rows of each cell are drawn."""
        size = len(self.order)
        lanes = words(seed, replicate, 0, -(-size // 4)).view("<u2")[:size]
        sorted_draws = np.empty(size, dtype=np.float64)
        sorted_draws[: self.tabled] = _small_tables().take(self.rows + lanes[: self.tabled])
        normal = _normal_table().take(lanes[self.tabled :])
        sorted_draws[self.tabled :] = np.maximum(np.rint(self.means + self.spreads * normal), 0)
        drawn = np.empty(size, dtype=np.float64)
        drawn[self.order] = sorted_draws
        return drawn


@cache
def _small_tables() -> NDArray[np.int8]:
    """The quantiles of Poisson(c) at the middles of 65,536 equal steps, c = 0 … 32, one after the other."""
    from scipy import special

    steps = (np.arange(LANES) + 0.5) / LANES
    most = np.arange(127)
    tables = [np.searchsorted(special.pdtr(most, c), steps).astype(np.int8) for c in range(1, TABLED + 1)]
    quantiles = np.concatenate([np.zeros(LANES, dtype=np.int8), *tables])
    quantiles.flags.writeable = False
    return quantiles


@cache
def _normal_table() -> NDArray[np.float32]:
    """The same of the normal distribution, with its variance brought back to 1."""
    from scipy import special

    values = special.ndtri((np.arange(LANES) + 0.5) / LANES)
    quantiles: NDArray[np.float32] = (values / values.std()).astype(np.float32)
    quantiles.flags.writeable = False
    return quantiles


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

    return (keys, power) if all(in_threads(fill, parts(len(scores), _pieces(len(scores))))) else None


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

    in_threads(sort_part, parts(len(buckets), _pieces(len(keys))))


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

    def counted(block: slice) -> Counts:
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


def _pieces(size: int) -> int:
    return max(1, min(16, size >> 18))


RankCounts = NDArray[np.signedinteger[Any]]
Order = NDArray[np.intp]

# Rows handled at a time stay in the processor's cache.
RANK_BLOCK = 1 << 15


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

    in_threads(order_part, parts(len(buckets), _pieces(len(keys))))
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
    cuts = [part.start for part in parts(len(keys), _pieces(len(keys)))]
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
            drawn, hits = weights[: layout.positives], up[1:]
        else:
            hits = up.take(layout.ends)
            drawn = np.diff(hits, prepend=0)
        false = down.take(layout.through)
        both = false if layout.above is layout.through else false + down.take(layout.above)
        if n:
            scale = 2 if both is false else 1
            lost = scale * int(np.multiply(drawn, both, dtype=np.int64).sum())
            areas[b - first] = (2 * m * n - lost) / (2 * m * n)
        if precision:
            precisions[b - first] = float((drawn * (hits / np.maximum(hits + false, 1))).sum()) / m

    in_threads(replicate, range(first, last))
    return areas, precisions


def _running(weights: Array) -> Array:
    """Running sums from 0."""
    total = np.zeros(len(weights) + 1, dtype=np.int32)
    np.cumsum(weights, dtype=np.int32, out=total[1:])
    return total
