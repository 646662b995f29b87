"""How often each row is drawn in a bootstrap replicate: counter-based, so that no order of work changes a draw.

Replicate b of row i is a function of (seed, b, i) alone: Philox 4×64 with ten rounds (Salmon et al. 2011, SC '11),
keyed by (seed, b), the row giving the counter. Any chunk of rows or replicates, in any thread, meets the same numbers.

Up to `EXACT` rows the draws are the multinomial of sampling rows with replacement. Beyond it each row is drawn a
Poisson(1) number of times: for ratios the two agree to order 1/rows (Hanley and MacGibbon 2006, Comput. Methods
Programs Biomed. 83:57), and Poisson weights of rows in score order need no further sorting.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array

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
