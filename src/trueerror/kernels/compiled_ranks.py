"""Compiled loops over score tables: spreads of placements, and the rank bootstrap with its draws.

The draws are those of `draws`, bit for bit: Philox as NumPy has it.
"""

# Numba infers the types of compiled loops; mypy cannot follow it.
# mypy: disable-error-code="untyped-decorator, assignment, arg-type"
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

from trueerror.kernels.draws import STEPS

U = np.uint64
# Rows drawn at a time; a multiple of 16.
CHUNK = 1 << 13

compiled = njit(nogil=True, cache=True)


@compiled
def class_sums(positives: Any, negatives: Any, start: int, stop: int) -> Any:
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
    positives: Any, negatives: Any, start: int, stop: int, below: int, over: int, m: float, n: float, area: float
) -> Any:
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
def both_halves(context: Any, a: Any, b: Any) -> Any:
    """The upper and the lower 64 bits of a 128-bit product."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        return target.make_tuple(builder, signature.return_type, (high, builder.trunc(product, narrow)))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


M0, M1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
W0, W1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)
C0, C1, C2, C3, C4, C5, C6, C7 = (np.uint16(c) for c in np.cumsum(STEPS)[:-1])


@njit(nogil=True, cache=True, inline="always")
def philox(counter: Any, key0: Any, key1: Any) -> Any:
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
def fill_words(seed: Any, replicate: Any, block: int, words: Any) -> None:
    """A replicate's stream of words from a block of four on; their number is a multiple of 4."""
    for i in range(len(words) // 4):
        a, b, c, d = philox(U(block + i + 1), seed, replicate)
        words[4 * i] = a
        words[4 * i + 1] = b
        words[4 * i + 2] = c
        words[4 * i + 3] = d


@compiled
def poisson_weights(lanes: Any, weights: Any) -> None:
    """How often each row is drawn, from 16 random bits each: as many as there are steps at or below."""
    for i in range(len(weights)):
        lane = lanes[i]
        # Sums of comparisons run sixteen rows at a time; a look into a table does not.
        weights[i] = (
            np.int16(lane >= C0) + np.int16(lane >= C1) + np.int16(lane >= C2) + np.int16(lane >= C3)
            + np.int16(lane >= C4) + np.int16(lane >= C5) + np.int16(lane >= C6) + np.int16(lane >= C7)
        )  # fmt: skip


@compiled
def drawn_weights(rows: int, seed: Any, replicate: Any, weights: Any) -> None:
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
def keep_rows(part: Any, start: int, stop: int, positives: int, weights: Any, down: Any, false: Any) -> Any:
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
    positives: int, negatives: int, exact: bool, seed: Any, replicate: Any, words: Any, part: Any, weights: Any,
    false: Any,
) -> Any:  # fmt: skip
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
def ordered_sums(ends: Any, above: Any, through: Any, weights: Any, false: Any) -> Any:
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
def precision_sum(ends: Any, through: Any, weights: Any, false: Any) -> float:
    """Σ over the positives drawn of the precision at their scores."""
    up = begin = np.int64(0)
    found = 0.0
    for g in range(len(through)):
        end = np.int64(ends[g]) if len(ends) else begin + 1
        gain = np.int64(0)
        for i in range(begin, end):
            gain += np.int64(weights[i])
        begin = end
        up += gain
        called = up + np.int64(false[through[g]])
        found += np.float64(gain) * (np.float64(up) / np.float64(max(called, 1)))
    return found


@compiled
def replicate_areas(
    positives: int, negatives: int, ends: Any, above: Any, through: Any, exact: bool, seed: Any, first: int, last: int,
    precision: bool, areas: Any, precisions: Any,
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
