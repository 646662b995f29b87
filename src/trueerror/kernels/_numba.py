"""The hot loops compiled by Numba (the extra `fast`), with the names and answers of `_numpy`; importing loads Numba.

Whole numbers agree to the last bit; sums of fractions are made in a fixed order and agree to 1e-12. Draws are those of
`_random`, bit for bit: Philox as NumPy has it. Sorting (score, row) pairs by radix is kept, since it takes less than
half the time of NumPy's argsort; scores alone are sorted by NumPy, as quick as a compiled radix sort (decision 10).

All loops run without the interpreter's lock, on parts of arrays. None uses Numba's own threads, whose default layer
ends the process when two Python threads enter it at once.
"""

# Numba infers the types of compiled loops; mypy cannot follow it.
# mypy: disable-error-code="untyped-decorator, assignment, arg-type, no-any-return"
from __future__ import annotations

import logging
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats, Foreign
from trueerror.kernels import _numpy as plain
from trueerror.kernels._counting import count_codes as count_codes
from trueerror.kernels._numpy import run_lengths as run_lengths
from trueerror.kernels._random import EXACT
from trueerror.kernels._random import STEPS as POISSON_STEPS
from trueerror.kernels._ranks import RankLayout
from trueerror.kernels._sorting import tagged_keys
from trueerror.kernels._threads import in_threads, parts

U = np.uint64
SIGN = U(0x8000000000000000)
ALL = U(0xFFFFFFFFFFFFFFFF)
ONE = U(1)
# Runs of at most this many keys are sorted by insertion.
FEW = 24
DIGITS = 11

compiled = njit(nogil=True, cache=True)


@compiled
def order_keys(bits: Array, positive: Array, keys: Array, loads: Array, start: int, stop: int) -> tuple[U, U]:
    """Unsigned keys that sort as the doubles do, with (row, class) beside them; returns the extremes."""
    low, high = ALL, U(0)
    for i in range(start, stop):
        b = bits[i]
        if U(b) == SIGN:  # −0.0 is 0.0
            b = np.int64(0)
        key = U(b) ^ (U(b >> 63) | SIGN)
        keys[i] = key
        loads[i] = np.uint32(i << 1) | np.uint32(positive[i])
        low = min(low, key)
        high = max(high, key)
    return low, high


@compiled
def histogram(keys: Array, start: int, stop: int, low: U, shift: U, counts: Array) -> None:
    """How many keys have each leading digit."""
    for i in range(start, stop):
        counts[(keys[i] - low) >> shift] += 1


@compiled
def scatter(
    keys: Array, loads: Array, to_keys: Array, to_loads: Array, start: int, stop: int, low: U, shift: U, places: Array
) -> None:
    """Move keys to the places of their leading digits."""
    for i in range(start, stop):
        key = keys[i]
        digit = (key - low) >> shift
        place = places[digit]
        places[digit] = place + 1
        to_keys[place] = key
        to_loads[place] = loads[i]


@compiled
def insertion_sort(keys: Array, loads: Array, start: int, stop: int) -> None:
    """For a few keys."""
    for i in range(start + 1, stop):
        key, load = keys[i], loads[i]
        j = i
        while j > start and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            loads[j] = loads[j - 1]
            j -= 1
        keys[j] = key
        loads[j] = load


@compiled
def insertion_copy(keys: Array, loads: Array, to_keys: Array, to_loads: Array, start: int, stop: int) -> None:
    """The same, from one place to another."""
    for i in range(start, stop):
        key, load = keys[i], loads[i]
        j = i
        while j > start and to_keys[j - 1] > key:
            to_keys[j] = to_keys[j - 1]
            to_loads[j] = to_loads[j - 1]
            j -= 1
        to_keys[j] = key
        to_loads[j] = load


@compiled
def sort_runs(
    keys: Array, loads: Array, spare_keys: Array, spare_loads: Array, starts: Array, first: int, last: int
) -> None:
    """Sort the runs `first` to `last` in place: radix from the leading digit that tells a run's keys apart."""
    # Each level narrows the span of a run by at least 2², and pushes at most 2¹¹ runs: this never overflows.
    begins, ends = np.empty(1 << 17, np.int64), np.empty(1 << 17, np.int64)
    counts = np.empty((1 << DIGITS) + 1, np.int64)
    for run in range(first, last):
        begins[0], ends[0] = starts[run], starts[run + 1]
        top = 1
        while top > 0:
            top -= 1
            a, b = begins[top], ends[top]
            size = b - a
            if size <= FEW:
                insertion_sort(keys, loads, a, b)
                continue
            low, high = keys[a], keys[a]
            for i in range(a + 1, b):
                low = min(low, keys[i])
                high = max(high, keys[i])
            if low == high:
                continue
            digits = 2
            while digits < DIGITS and (size >> (digits + 3)) > 0:
                digits += 1
            shift = U(0)
            while ((high - low) >> shift) >= U(1 << digits):
                shift += ONE
            width = np.int64((high - low) >> shift) + 1
            for d in range(width + 1):
                counts[d] = 0
            for i in range(a, b):
                counts[((keys[i] - low) >> shift) + ONE] += 1
            for d in range(1, width + 1):
                counts[d] += counts[d - 1]
            for i in range(a, b):
                digit = (keys[i] - low) >> shift
                place = a + counts[digit]
                counts[digit] += 1
                spare_keys[place] = keys[i]
                spare_loads[place] = loads[i]
            begin = a
            for d in range(width):
                end = a + counts[d]
                if end - begin > FEW and shift > U(0):
                    for i in range(begin, end):
                        keys[i] = spare_keys[i]
                        loads[i] = spare_loads[i]
                    begins[top], ends[top] = begin, end
                    top += 1
                elif shift > U(0):
                    insertion_copy(spare_keys, spare_loads, keys, loads, begin, end)
                else:
                    for i in range(begin, end):
                        keys[i] = spare_keys[i]
                        loads[i] = spare_loads[i]
                begin = end


@compiled
def fill_placements(keys: Array, loads: Array, result: Array) -> None:
    """Doubled placements of all rows from sorted keys: what a row beats in the other class, ties half."""
    n = len(keys)
    total = 0
    for i in range(n):
        total += np.int64(loads[i] & np.uint32(1))
    ups = downs = start = 0
    for i in range(n):
        if i + 1 < n and keys[i] == keys[i + 1]:
            continue
        up = 0
        for j in range(start, i + 1):
            up += np.int64(loads[j] & np.uint32(1))
        down = i + 1 - start - up
        for j in range(start, i + 1):
            if loads[j] & np.uint32(1):
                result[loads[j] >> np.uint32(1)] = 2 * downs + down
            else:
                result[loads[j] >> np.uint32(1)] = 2 * (total - ups) - up
        ups += up
        downs += down
        start = i + 1


@compiled
def fill_tagged(keys: Array, power: int, scores: Array, positives: Array, negatives: Array) -> int:
    """Distinct scores and their class counts; the scores may lie where the keys do."""
    unscale = 2.0**power
    place = 0
    up = down = np.int64(0)
    for i in range(len(keys)):
        key = keys[i]
        up += key & 1
        down += 1 - (key & 1)
        if i + 1 == len(keys) or key >> 1 != keys[i + 1] >> 1:
            bits = key >> 1
            scores[place] = np.int64(bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)).view(np.float64) * unscale
            positives[place] = up
            negatives[place] = down
            place += 1
            up = down = np.int64(0)
    return place


# Rows drawn at a time; a multiple of 16.
CHUNK = 1 << 13


@compiled
def class_sums(positives: Array, negatives: Array, start: int, stop: int) -> tuple[int, int, float]:
    """Rows of both classes in a stretch of a score table, and twice the pairs within it that are in order."""
    up = down = 0
    twice = 0.0
    for i in range(start, stop):
        twice += np.float64(positives[i]) * np.float64(2 * down + negatives[i])
        up += positives[i]
        down += negatives[i]
    return up, down, twice


@compiled
def spread_sums(
    positives: Array, negatives: Array, start: int, stop: int, below: int, over: int, m: float, n: float, area: float
) -> tuple[float, float]:
    """Σ(V10 − A)² over positives and Σ(V01 − A)² over negatives of a stretch of a score table."""
    among_up = among_down = 0.0
    for i in range(start, stop):
        up, down = positives[i], negatives[i]
        above = np.float64(2 * below + down) / (2 * n) - area
        beaten = np.float64(2 * over - up) / (2 * m) - area
        among_up += np.float64(up) * above * above
        among_down += np.float64(down) * beaten * beaten
        below += down
        over -= up
    return among_up, among_down


@intrinsic
def both_halves(context: Foreign, a: Foreign, b: Foreign) -> Foreign:
    """The upper and the lower 64 bits of a 128-bit product."""

    def generate(target: Foreign, builder: Foreign, signature: Foreign, arguments: Foreign) -> Foreign:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        return target.make_tuple(builder, signature.return_type, (high, builder.trunc(product, narrow)))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


M0, M1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
W0, W1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)
C0, C1, C2, C3, C4, C5, C6, C7 = (np.uint16(c) for c in np.cumsum(POISSON_STEPS)[:-1])


@njit(nogil=True, cache=True, inline="always")
def philox(counter: U, key0: U, key1: U) -> tuple[U, ...]:
    """Four words of Philox 4×64 with ten rounds, as NumPy's bit generator gives them."""
    x0, x1, x2, x3 = counter, U(0), U(0), U(0)
    for _ in range(10):
        h0, l0 = both_halves(M0, x0)
        h1, l1 = both_halves(M1, x2)
        x0, x1, x2, x3 = h1 ^ x1 ^ key0, l1, h0 ^ x3 ^ key1, l0
        key0 += W0
        key1 += W1
    return x0, x1, x2, x3


@compiled
def fill_words(seed: U, replicate: U, block: int, words: Array) -> None:
    """A replicate's stream of words from a block of four on; their number is a multiple of 4."""
    for i in range(len(words) // 4):
        a, b, c, d = philox(U(block + i + 1), seed, replicate)
        words[4 * i] = a
        words[4 * i + 1] = b
        words[4 * i + 2] = c
        words[4 * i + 3] = d


@compiled
def poisson_weights(lanes: Array, weights: Array) -> None:
    """How often each row is drawn, from 16 random bits each: as many as there are steps at or below."""
    for i in range(len(weights)):
        lane = lanes[i]
        # Sums of comparisons run sixteen rows at a time; a look into a table does not.
        weights[i] = (
            np.int16(lane >= C0) + np.int16(lane >= C1) + np.int16(lane >= C2) + np.int16(lane >= C3)
            + np.int16(lane >= C4) + np.int16(lane >= C5) + np.int16(lane >= C6) + np.int16(lane >= C7)
        )  # fmt: skip


@compiled
def drawn_weights(rows: int, seed: U, replicate: U, weights: Array) -> None:
    """Row numbers drawn with replacement, counted: eight from each block of the stream."""
    weights[:] = 0
    size = U(rows)
    half = U(32)
    low = U(0xFFFFFFFF)
    left = rows
    for block in range((rows + 7) // 8):
        for word in philox(U(block + 1), seed, replicate):
            if left > 0:
                weights[np.int64(((word & low) * size) >> half)] += 1
            if left > 1:
                weights[np.int64(((word >> half) * size) >> half)] += 1
            left -= 2


@compiled
def keep_rows(
    part: Array, start: int, stop: int, positives: int, weights: Array, down: np.int32, false: Array
) -> np.int32:
    """Of the rows `start` to `stop`: the weights of positives, and running sums of the negatives'."""
    # Slices whose index starts at 0 spare a check for negative places.
    cut = min(max(positives - start, 0), stop - start)
    if cut > 0:
        weights[start : start + cut] = part[:cut]
    drawn = part[cut : stop - start]
    sums = false[start + cut - positives + 1 : stop - positives + 1]
    for j in range(len(drawn)):
        down += np.int32(drawn[j])
        sums[j] = down
    return down


@compiled
def draw_rows(
    positives: int, negatives: int, exact: bool, seed: U, replicate: U, words: Array, part: Array, weights: Array,
    false: Array,
) -> np.int32:  # fmt: skip
    """All rows of a replicate, in chunks that stay in the processor's cache; returns the negatives drawn."""
    rows = positives + negatives
    false[0] = 0
    if exact:
        drawn_weights(rows, seed, replicate, part)
        return keep_rows(part, 0, rows, positives, weights, np.int32(0), false)
    down = np.int32(0)
    for start in range(0, rows, len(part)):
        fill_words(seed, replicate, start // 16, words)
        poisson_weights(words.view(np.uint16), part)
        down = keep_rows(part, start, min(start + len(part), rows), positives, weights, down, false)
    return down


@compiled
def ordered_sums(ends: Array, above: Array, through: Array, weights: Array, false: Array) -> tuple[np.int64, np.int64]:
    """Positives drawn, and over them twice the negatives drawn above, ties half.

    `ends` is empty where no positives share a score, `above` where no positive shares one with a negative.
    """
    up = lost = begin = np.int64(0)
    if len(ends) == 0 and len(above) == 0:
        for g in range(len(through)):
            gain = np.int64(weights[g])
            up += gain
            lost += gain * np.int64(false[through[g]])
        return up, 2 * lost
    for g in range(len(through)):
        end = np.int64(ends[g]) if len(ends) else begin + 1
        gain = np.int64(0)
        for i in range(begin, end):
            gain += np.int64(weights[i])
        begin = end
        up += gain
        worse = np.int64(false[through[g]])
        lost += gain * (worse + (np.int64(false[above[g]]) if len(above) else worse))
    return up, lost


@compiled
def precision_sum(ends: Array, through: Array, weights: Array, false: Array) -> float:
    """Σ over the positives drawn of the precision at their scores."""
    up = begin = np.int64(0)
    total = 0.0
    for g in range(len(through)):
        end = np.int64(ends[g]) if len(ends) else begin + 1
        gain = np.int64(0)
        for i in range(begin, end):
            gain += np.int64(weights[i])
        begin = end
        up += gain
        called = up + np.int64(false[through[g]])
        total += np.float64(gain) * (np.float64(up) / np.float64(max(called, 1)))
    return total


@compiled
def replicate_areas(
    positives: int, negatives: int, ends: Array, above: Array, through: Array, exact: bool, seed: U, first: int,
    last: int, precision: bool, areas: Array, precisions: Array,
) -> None:  # fmt: skip
    """Areas and average precisions of the replicates `first` to `last`; see `plain.area_replicates`."""
    words = np.empty(0 if exact else CHUNK // 4, np.uint64)
    part = np.empty(positives + negatives if exact else CHUNK, np.int16)
    weights = np.empty(positives, np.int16)
    false = np.empty(negatives + 1, np.int32)
    for b in range(first, last):
        down = np.int64(draw_rows(positives, negatives, exact, seed, U(b), words, part, weights, false))
        up, lost = ordered_sums(ends, above, through, weights, false)
        if up > 0:
            if down > 0:
                pairs = 2 * up * down
                areas[b - first] = np.float64(pairs - lost) / np.float64(pairs)
            if precision:
                precisions[b - first] = precision_sum(ends, through, weights, false) / np.float64(up)


Counts = NDArray[np.int64]

# Bits of the leading digit.
LEADING = 14
# Rows that one task of a thread goes through.
STRETCH = 1 << 18


def leading(low: int, high: int) -> tuple[int, int]:
    """By how many bits keys are shifted to leave their leading digit, and how many digits there are."""
    shift = max(0, (high - low).bit_length() - LEADING)
    return shift, ((high - low) >> shift) + 1


def places_of(counts: Counts, n: int) -> tuple[Counts, Counts]:
    """Where each piece puts its keys of each digit, and where the digits start.

    Within a digit the pieces follow one another, so that each piece knows its places without the others.
    """
    flat = counts.T.ravel()
    places = np.ascontiguousarray((np.cumsum(flat) - flat).reshape(counts.shape[1], len(counts)).T)
    return places, np.append(places[0], n)


def run_cuts(starts: Counts, n: int) -> list[int]:
    """The runs of digits, cut into parts of about equally many rows."""
    cuts = np.searchsorted(starts, [p.start for p in parts(n, max(1, min(64, n // STRETCH)))])
    return [*(int(c) for c in cuts), len(starts) - 1]


_announced = False


def announce(folder: Path) -> None:
    """Say once that loops are being compiled: on the logger, and on stderr where a person is looking."""
    global _announced
    if _announced:
        return
    _announced = True
    if folder.is_dir() and any(folder.glob("*.nbi")):
        return
    words = "compiling the fast kernels with Numba: some seconds, once for this installation"
    logging.getLogger("trueerror").info(words)
    if sys.stderr.isatty():
        sys.stderr.write(f"trueerror: {words}\n")


def score_groups(scores: Array, positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """Distinct scores, ascending, with how many positives and negatives have each; −0.0 is 0.0."""
    tagged = tagged_keys(scores, positive)
    if tagged is None:
        return plain.score_groups(scores, positive)
    announce(Path(fill_tagged.stats.cache_path))
    return plain.table_of(*tagged, fill_tagged)


Sorted = tuple[NDArray[np.uint64], NDArray[np.uint32]]
# Row and class share 32 bits beside each key.
MOST = 1 << 31


def placements(scores: Array, positive: NDArray[np.bool_]) -> Floats:
    """For each row, how many rows of the other class it beats, ties counting half, doubled to stay whole."""
    if not 0 < len(scores) < MOST:
        return plain.placements(scores, positive)
    keys, loads = _sorted_rows(scores, positive)
    result = np.empty(len(scores), dtype=np.float64)
    fill_placements(keys, loads, result)
    return result


def ordered_pairs(positives: Array, negatives: Array) -> float:
    """From a score table: twice the pairs in which the positive has the higher score, ties half."""
    if positives.dtype != np.int64 or negatives.dtype != np.int64:
        return plain.ordered_pairs(positives, negatives)
    return _pairs_by_stretch(positives, negatives, _stretches(positives))[0]


def _stretches(counts: Counts) -> list[slice]:
    return parts(len(counts), max(1, len(counts) // STRETCH))


def _pairs_by_stretch(
    positives: Counts, negatives: Counts, stretches: list[slice]
) -> tuple[float, list[int], list[int]]:
    """The ordered pairs, doubled; and before each stretch, the negatives below and the positives from there on."""
    announce(Path(replicate_areas.stats.cache_path))
    sums = in_threads(lambda s: class_sums(positives, negatives, s.start, s.stop), stretches)
    below, over = [0], [sum(up for up, _, _ in sums)]
    total = 0.0
    for up, down, twice in sums:
        total += twice + 2.0 * up * below[-1]
        below.append(below[-1] + down)
        over.append(over[-1] - up)
    return total, below, over


def placement_sums(positives: Array, negatives: Array) -> tuple[float, float, float]:
    """From a score table the sum and the spreads of placements; see `plain.placement_sums`."""
    if positives.dtype != np.int64 or negatives.dtype != np.int64:
        return plain.placement_sums(positives, negatives)
    stretches = _stretches(positives)
    total, below, over = _pairs_by_stretch(positives, negatives, stretches)
    m, n = over[0], below[-1]
    if m == 0 or n == 0:
        return 0.0, float("nan"), float("nan")
    area = total / (2.0 * m * n)
    spreads = in_threads(
        lambda i: spread_sums(
            positives, negatives, stretches[i].start, stretches[i].stop, below[i], over[i], float(m), float(n), area
        ),
        range(len(stretches)),
    )
    return total, sum(s for s, _ in spreads), sum(s for _, s in spreads)


def area_replicates(
    layout: RankLayout, seed: int, first: int, last: int, *, precision: bool = True
) -> tuple[Floats, Floats]:
    """Bootstrap replicates of the area under the ROC curve and of the average precision; see `plain`."""
    announce(Path(replicate_areas.stats.cache_path))
    areas, precisions = np.full(last - first, np.nan), np.full(last - first, np.nan)
    nothing = np.empty(0, dtype=np.int32)
    ends = nothing if layout.ends is None else layout.ends.astype(np.int32)
    # Half as wide, places are read in half the time; rows beyond 2³¹ would take days anyway.
    through = layout.through.astype(np.int32)
    above = nothing if layout.above is layout.through else layout.above.astype(np.int32)
    count = last - first
    # Pieces long enough to pay for their buffers, short enough to keep all threads busy to the end.
    pieces = parts(count, max(1, min(count, layout.rows * count // (1 << 25))))

    def run(piece: slice) -> None:
        replicate_areas(
            layout.positives, layout.negatives, ends, above, through, layout.rows <= EXACT,
            U(seed), first + piece.start, first + piece.stop, precision, areas[piece], precisions[piece],
        )  # fmt: skip

    in_threads(run, pieces)
    return areas, precisions


def _sorted_rows(scores: Array, positive: NDArray[np.bool_]) -> Sorted:
    """Keys in ascending order with (row, class) beside each: one scatter by leading digit, then run by run."""
    announce(Path(sort_runs.stats.cache_path))
    n = len(scores)
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    keys, loads = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint32)
    pieces = parts(n, max(1, min(8, n // STRETCH)))
    extremes = in_threads(lambda p: order_keys(bits, positive, keys, loads, p.start, p.stop), pieces)
    low, high = min(int(a) for a, _ in extremes), max(int(b) for _, b in extremes)
    shift, width = leading(low, high)
    counts = np.zeros((len(pieces), width), dtype=np.int64)
    in_threads(
        lambda i: histogram(keys, pieces[i].start, pieces[i].stop, U(low), U(shift), counts[i]), range(len(pieces))
    )
    places, starts = places_of(counts, n)
    to_keys, to_loads = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint32)
    in_threads(
        lambda i: scatter(keys, loads, to_keys, to_loads, pieces[i].start, pieces[i].stop, U(low), U(shift), places[i]),
        range(len(pieces)),
    )
    in_threads(lambda r: sort_runs(to_keys, to_loads, keys, loads, starts, *r), list(pairwise(run_cuts(starts, n))))
    return to_keys, to_loads
