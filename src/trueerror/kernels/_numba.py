"""The hot loops compiled by Numba (the extra `fast`), with the names and answers of `_numpy`; importing loads Numba.

Whole numbers agree to the last bit; sums of fractions are made in a fixed order and agree to 1e-12. Sorting
(score, row) pairs by radix is kept, since it takes less than half the time of NumPy's argsort; scores alone are sorted
by NumPy, as quick as a compiled radix sort (decision 10).

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
from numba import njit
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.kernels import _numpy as plain
from trueerror.kernels._counting import count_codes as count_codes
from trueerror.kernels._numpy import run_lengths as run_lengths
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


Counts = NDArray[np.int64]

# Bits of the leading digit.
LEADING = 14
# Rows that one task of a thread goes through.
STRETCH = 1 << 18


def leading_digits(low: int, high: int) -> tuple[int, int]:
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
    announce(Path(class_sums.stats.cache_path))
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


def _sorted_rows(scores: Array, positive: NDArray[np.bool_]) -> Sorted:
    """Keys in ascending order with (row, class) beside each: one scatter by leading digit, then run by run."""
    announce(Path(sort_runs.stats.cache_path))
    n = len(scores)
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    keys, loads = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint32)
    pieces = parts(n, max(1, min(8, n // STRETCH)))
    extremes = in_threads(lambda p: order_keys(bits, positive, keys, loads, p.start, p.stop), pieces)
    low, high = min(int(a) for a, _ in extremes), max(int(b) for _, b in extremes)
    shift, width = leading_digits(low, high)
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
