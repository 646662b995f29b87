"""Score tables beyond the memory budget: bins that are made finer where it matters, until the area is known well.

The area under the ROC curve lies within Σ pᵦnᵦ / (2PN) of the binned one, over the bins b that may hold more than one
score. Bins with the largest products are split first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Label
from trueerror.kernels.bins import Grid, even_grid, leading_grid, pivoted, refined
from trueerror.kernels.plain import run_lengths
from trueerror.tallies import ScoreTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The exact area is known to ± this, where the budget allows.
TARGET = 1e-4
# What an exact table takes for each distinct score while it is made: the rows that come in, sorting, and the table.
EXACT_BYTES = 80
# Bins of a first pass; finer where a large sample tells areas apart that are close, as long as counts stay in cache.
MOST_BINS = 1 << 17
ROUNDS = 6
# Rows that show how scores lie, before all are counted.
SAMPLE = 1 << 17
# A value that at least this share of a sample has gets a bin of its own.
COMMON = 5e-4


def guessed_distinct(rows: int, distinct: int) -> float:
    """How many values there are, from how many distinct ones a sample has: of D values m rows repeat about m²/2D."""
    return rows * rows / (2 * max(rows - distinct, 20))


class Bins(NamedTuple):
    """Bins in ascending order: the lowest and highest score that each may hold, and the rows of each class."""

    lower: Floats
    upper: Floats
    up: Ints
    down: Ints

    @property
    def open_pairs(self) -> Floats:
        """For each bin the pairs of a positive and a negative whose order is not known."""
        return np.where(self.upper > self.lower, self.up.astype(np.float64) * self.down, 0.0)

    @property
    def slack(self) -> float:
        """The exact area lies within ± this of the binned one."""
        total = float(self.up.sum()) * float(self.down.sum())
        return float(self.open_pairs.sum()) / (2 * total) if total else 0.0

    def table(self, positive: Label, source: str) -> ScoreTable:
        """The score table of these bins; exact where each can hold one score only."""
        exact = bool((self.upper == self.lower).all())
        return ScoreTable(
            self.lower, self.up, self.down, positive=positive, exact=exact, sources=(source,) if source else (),
            uppers=None if exact else self.upper,
        )  # fmt: skip


def bins_of(grid: Grid, up: Ints, down: Ints) -> Bins:
    """The occupied bins of a grid, from the rows of each class in all of its bins."""
    there = np.flatnonzero(up + down)
    return Bins(*grid.spans(there), up[there], down[there])


def bin_count(budget: int, models: int) -> int:
    """How many bins each of some models may have: a power of two."""
    # Counts of both classes, and as much again for the edges and the tables that come of them.
    room = budget // (64 * max(models, 1))
    return max(64, min(MOST_BINS, 1 << max(room.bit_length() - 1, 0)))


def heaviest(open_pairs: Floats, total: float, most: int) -> Ints:
    """The bins to split: as few as leave less than a tenth of the target open, and no more than `most`."""
    order = np.argsort(-open_pairs, kind="stable")
    left = float(open_pairs.sum()) - np.cumsum(open_pairs[order])
    enough = int(np.searchsorted(-left, -0.1 * TARGET * 2 * total)) + 1
    chosen = order[: min(enough, most)]
    return np.sort(chosen[open_pairs[chosen] > 0])


def finer(grid: Grid, up: Ints, down: Ints, spare: int) -> Grid | None:
    """The grid with its heaviest bins split; None where nothing can be split, or there is no room for it."""
    there = np.flatnonzero(up + down)
    bins = bins_of(grid, up, down)
    total = float(up.sum()) * float(down.sum())
    heavy = heaviest(bins.open_pairs, total, spare // 2)
    if not total or not len(heavy):
        return None
    return refined(grid, there[heavy], bins.open_pairs[heavy], spare)


def fitted_grid(low: float, high: float, size: int, sample: Floats, positive: NDArray[np.bool_]) -> Grid:
    """A grid that suits a sample: even steps or leading bits, whichever leaves less open, and a bin for each value that
    many rows have. What the sample does not show is split later."""

    values, counts = run_lengths(np.sort(sample))
    common = values[counts >= max(8, COMMON * len(sample))]
    common = common if len(common) <= 4096 else common[:0]
    # Rows of a common value will be tied in a bin of their own: they leave nothing open.
    rest = ~np.isin(sample, common)
    sides = (sample[rest & positive], sample[rest & ~positive])

    def counted(grid: Grid) -> tuple[Ints, Ints]:
        up, down = (np.bincount(grid.places(side), minlength=grid.cells) for side in sides)
        return up, down

    def open_pairs(grid: Grid) -> float:
        up, down = counted(grid)
        return float((up * down).sum())

    even, leading = (
        pivoted(grid, common) if len(common) and grid.cells > 1 else grid
        for grid in (make(low, high, size) for make in (even_grid, leading_grid))
    )
    best = leading if 4 * open_pairs(leading) < open_pairs(even) else even
    if open_pairs(best) > TARGET / 4 * float(positive.sum()) * float((~positive).sum()):
        best = finer(best, *counted(best), size) or best
    return best
