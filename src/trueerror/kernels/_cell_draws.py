"""How often rows are drawn in a bootstrap replicate when they were counted into cells first.

A row is drawn a Poisson(1) number of times, as in `draws`, so a cell of c rows is drawn a Poisson(c) number of times:
one number for a cell instead of one for a row. As there, replicate b is a function of (seed, b) alone, whatever the
order of work or the number of threads.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.kernels._random import words

# Up to so many rows a cell has a table of its own; beyond, a rounded normal of the same mean and variance.
TABLED = 32
# One of so many equally likely values picks a quantile.
LANES = 1 << 16


class CellDraws:
    """Cells with so many rows each, in any order; `draw` gives how many rows of each are in a replicate.

    >>> made = CellDraws(np.array([1, 400, 0, 3]))
    >>> made.draw(7, 0).tolist(), np.array_equal(made.draw(7, 5), made.draw(7, 5))
    ([0.0, 423.0, 0.0, 2.0], True)
    """

    def __init__(self, counts: NDArray[Any]) -> None:
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
    steps = (np.arange(LANES) + 0.5) / LANES
    most = np.arange(127)
    tables = [np.searchsorted(special.pdtr(most, c), steps).astype(np.int8) for c in range(1, TABLED + 1)]
    made = np.concatenate([np.zeros(LANES, dtype=np.int8), *tables])
    made.flags.writeable = False
    return made


@cache
def _normal_table() -> NDArray[np.float32]:
    """The same of the normal distribution, with its variance brought back to 1."""
    values = special.ndtri((np.arange(LANES) + 0.5) / LANES)
    made: NDArray[np.float32] = (values / values.std()).astype(np.float32)
    made.flags.writeable = False
    return made
