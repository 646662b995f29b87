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

U = np.uint64

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
def high_product(context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of a 128-bit product."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


M0, M1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
W0, W1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)


@njit(nogil=True, cache=True, inline="always")
def philox(counter: Any, key0: Any, key1: Any) -> Any:
    """Four words of Philox 4×64 with ten rounds, as NumPy's bit generator gives them."""
    x0, x1, x2, x3 = counter, U(0), U(0), U(0)
    for _ in range(10):
        h0, l0 = high_product(M0, x0), M0 * x0
        h1, l1 = high_product(M1, x2), M1 * x2
        x0, x1, x2, x3 = h1 ^ x1 ^ key0, l1, h0 ^ x3 ^ key1, l0
        key0 += W0
        key1 += W1
    return x0, x1, x2, x3


@compiled
def poisson_weights(table: Any, seed: Any, replicate: Any, weights: Any) -> None:
    """Sixteen rows from each block of the stream; the length of `weights` is a multiple of 16."""
    mask = U(0xFFFF)
    for block in range(len(weights) // 16):
        place = 16 * block
        for word in philox(U(block + 1), seed, replicate):
            weights[place] = table[word & mask]
            weights[place + 1] = table[(word >> U(16)) & mask]
            weights[place + 2] = table[(word >> U(32)) & mask]
            weights[place + 3] = table[word >> U(48)]
            place += 4


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
def replicate_areas(
    positives: int, negatives: int, ends: Any, above: Any, through: Any, table: Any, exact: bool,
    seed: Any, first: int, last: int, precision: bool, areas: Any, precisions: Any,
) -> None:  # fmt: skip
    """Areas and average precisions of the replicates `first` to `last`; see `plain.area_replicates`."""
    rows = positives + negatives
    weights = np.empty((rows + 15) // 16 * 16, np.int16)
    false = np.empty(negatives + 1, np.int32)
    shared = len(ends) > 0
    for b in range(first, last):
        if exact:
            drawn_weights(rows, seed, U(b), weights)
        else:
            poisson_weights(table, seed, U(b), weights)
        down = np.int32(0)
        false[0] = 0
        for j in range(negatives):
            down += np.int32(weights[positives + j])
            false[j + 1] = down
        up = lost = np.int64(0)
        found = 0.0
        begin = np.int64(0)
        for g in range(len(above)):
            if shared:
                gain = np.int64(0)
                for i in range(begin, ends[g]):
                    gain += np.int64(weights[i])
                begin = ends[g]
            else:
                gain = np.int64(weights[g])
            up += gain
            worse = np.int64(false[through[g]])
            lost += gain * (worse + np.int64(false[above[g]]))
            if precision:
                found += np.float64(gain) * (np.float64(up) / np.float64(max(up + worse, 1)))
        if up > 0:
            if down > 0:
                pairs = 2 * up * np.int64(down)
                areas[b - first] = np.float64(pairs - lost) / np.float64(pairs)
            if precision:
                precisions[b - first] = found / np.float64(up)
