"""Compiled loops that put scores in order: radix sort, distinct scores, placements. Importing this loads Numba.

All run without the interpreter's lock, on parts of arrays. None uses Numba's own threads, whose default layer ends the
process when two Python threads enter it at once.
"""

# Numba infers the types of compiled loops; mypy cannot follow it.
# mypy: disable-error-code="untyped-decorator, assignment, arg-type"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

U = np.uint64
SIGN = U(0x8000000000000000)
ALL = U(0xFFFFFFFFFFFFFFFF)
ONE = U(1)
# Runs of at most this many keys are sorted by insertion.
FEW = 24
DIGITS = 11

compiled = njit(nogil=True, cache=True)


@compiled
def order_keys(bits: Any, positive: Any, keys: Any, loads: Any, start: int, stop: int) -> Any:
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
def histogram(keys: Any, start: int, stop: int, low: Any, shift: Any, counts: Any) -> None:
    """How many keys have each leading digit."""
    for i in range(start, stop):
        counts[(keys[i] - low) >> shift] += 1


@compiled
def scatter(
    keys: Any, loads: Any, to_keys: Any, to_loads: Any, start: int, stop: int, low: Any, shift: Any, places: Any
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
def insertion_sort(keys: Any, loads: Any, start: int, stop: int) -> None:
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
def insertion_copy(keys: Any, loads: Any, to_keys: Any, to_loads: Any, start: int, stop: int) -> None:
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
def sort_runs(keys: Any, loads: Any, spare_keys: Any, spare_loads: Any, starts: Any, first: int, last: int) -> None:
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
def fill_placements(keys: Any, loads: Any, result: Any) -> None:
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
