"""How often each row is drawn in a bootstrap replicate: counter-based, so that no order of work changes a draw.

Replicate b of row i is a function of (seed, b, i) alone: Philox 4×64 with ten rounds (Salmon et al. 2011, SC '11),
keyed by (seed, b), the row giving the counter. Any chunk of rows or replicates, in any thread, meets the same numbers.

Up to `EXACT` rows the draws are the multinomial of sampling rows with replacement. Beyond it each row is drawn a
Poisson(1) number of times: for ratios the two agree to order 1/rows (Hanley and MacGibbon 2006, Comput. Methods
Programs Biomed. 83:57), and Poisson weights of rows in score order need no further sorting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
