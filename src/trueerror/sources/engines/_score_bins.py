"""Score tables beyond the memory budget: bins that are made finer where it matters, until the area is known well.

The area under the ROC curve lies within Σ pᵦnᵦ / (2PN) of the binned one, over the bins b that may hold more than one
score. Bins with the largest products are split first. `binned_by_groups` and `placements_by_groups` count bins, and
pairs of bins, by GROUP BY, for engines that own their data; batches out of DuckDB are counted in `_duckdb`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.kernels._histogram import Grid, even_grid, leading_grid, pivoted, refined
from trueerror.kernels._numpy import run_lengths
from trueerror.sources.engines._group_tallies import BinNumber, IsLabel, ValueRange
from trueerror.tallies import ScoreTable
from trueerror.tallies._moments import Placements

if TYPE_CHECKING:
    from trueerror.sources.engines._groupby import GroupedSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The exact area is known to ± this, where the budget allows.
TARGET = 1e-4
# What an exact table takes for each distinct score while it is made: the rows that come in, sorting, and the table.
EXACT_BYTES = 120
# Bins of a first pass; finer where a large sample tells areas apart that are close, as long as counts stay in cache.
MOST_BINS = 1 << 17
ROUNDS = 6
# A value that at least this share of a sample has gets a bin of its own.
COMMON = 5e-4


def guessed_distinct(rows: int, distinct: int) -> float:
    """How many values there are, from how many distinct ones a sample has: of D values m rows repeat about m²/2D."""
    return rows * rows / (2 * max(rows - distinct, 20))


class Bins(NamedTuple):
    """Bins in ascending order: the lowest and highest score that each may hold, and the rows of each class."""

    lower: Floats
    upper: Floats
    positives: Ints
    negatives: Ints

    @property
    def open_pairs(self) -> Floats:
        """For each bin the pairs of a positive and a negative whose order is not known."""
        return np.where(self.upper > self.lower, self.positives.astype(np.float64) * self.negatives, 0.0)

    @property
    def slack(self) -> float:
        """The exact area lies within ± this of the binned one."""
        total = float(self.positives.sum()) * float(self.negatives.sum())
        return float(self.open_pairs.sum()) / (2 * total) if total else 0.0

    def table(self, positive: Label, source: str) -> ScoreTable:
        """The score table of these bins; exact where each can hold one score only."""
        exact = bool((self.upper == self.lower).all())
        return ScoreTable(
            self.lower, self.positives, self.negatives, positive=positive, exact=exact,
            sources=(source,) if source else (), uppers=None if exact else self.upper,
        )  # fmt: skip


def bins_of(grid: Grid, positives: Ints, negatives: Ints) -> Bins:
    """The occupied bins of a grid, from the rows of each class in all of its bins."""
    occupied = np.flatnonzero(positives + negatives)
    return Bins(*grid.spans(occupied), positives[occupied], negatives[occupied])


def bin_count(budget: int, models: int) -> int:
    """How many bins each of some models may have: a power of two."""
    # Counts of both classes, and as much again for the edges and the tables that come of them.
    most = budget // (64 * max(models, 1))
    return max(64, min(MOST_BINS, 1 << max(most.bit_length() - 1, 0)))


def heaviest(open_pairs: Floats, total: float, most: int) -> Ints:
    """The bins to split: as few as leave less than a tenth of the target open, and no more than `most`."""
    order = np.argsort(-open_pairs, kind="stable")
    left = float(open_pairs.sum()) - np.cumsum(open_pairs[order])
    enough = int(np.searchsorted(-left, -0.1 * TARGET * 2 * total)) + 1
    chosen = order[: min(enough, most)]
    return np.sort(chosen[open_pairs[chosen] > 0])


def finer(grid: Grid, positives: Ints, negatives: Ints, spare: int) -> Grid | None:
    """The grid with its heaviest bins split; None where nothing can be split, or there are no spare bins for it."""
    occupied = np.flatnonzero(positives + negatives)
    bins = bins_of(grid, positives, negatives)
    total = float(positives.sum()) * float(negatives.sum())
    heavy = heaviest(bins.open_pairs, total, spare // 2)
    if not total or not len(heavy):
        return None
    return refined(grid, occupied[heavy], bins.open_pairs[heavy], spare)


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
        positives, negatives = (np.bincount(grid.places(side), minlength=grid.cells) for side in sides)
        return positives, negatives

    def open_pairs(grid: Grid) -> float:
        positives, negatives = counted(grid)
        return float((positives * negatives).sum())

    even, leading = (
        pivoted(grid, common) if len(common) and grid.cells > 1 else grid
        for grid in (make(low, high, size) for make in (even_grid, leading_grid))
    )
    best = leading if 4 * open_pairs(leading) < open_pairs(even) else even
    if open_pairs(best) > TARGET / 4 * float(positive.sum()) * float((~positive).sum()):
        best = finer(best, *counted(best), size) or best
    return best


# Fewer take an engine no less time.
FEWEST_BINS = 1 << 14
# Bins that one round splits, all by one query.
SPLIT = 12
# Values that many rows of a sample share, each of which gets a bin of its own.
MOST_COMMON = 8
# Bins of each of two models in one GROUP BY, and the stretches of equal shares in which they are.
PAIRED_BINS = 512
PIECES = 16


class Stretch(NamedTuple):
    """Scores from `low` to `high`, both included, in `cells` bins of equal steps."""

    low: float
    high: float
    cells: int

    @property
    def grid(self) -> Grid:
        """Its bins; a single one where steps would be equal."""
        grid = even_grid(self.low, self.high, self.cells)
        return Grid(self.low, self.high, 0.0, 1, cells=1) if np.isnan(grid.scale) else grid


def binned_by_groups(
    source: GroupedSource, column: str, chosen: Label, reach: tuple[float, float], budget: int
) -> Bins:
    """All rows in bins, finer where a sample has more rows, and the heaviest of these again in finer ones."""
    if not np.isfinite(reach).all():
        raise InputError("these scores are infinite, so that they cannot be put into bins; cut them to a finite range")
    size = min(bin_count(budget, 1), enough_bins(source.facts.n))
    bins = _counted(source, column, chosen, _sampled_stretches(source, column, reach, size))
    for _ in range(ROUNDS - 1):
        total = float(bins.positives.sum()) * float(bins.negatives.sum())
        heavy = heaviest(bins.open_pairs, total, SPLIT)
        if bins.slack <= TARGET or len(bins.lower) > 4 * size or not len(heavy):
            break
        kept = np.ones(len(bins.lower), dtype=bool)
        kept[heavy] = False
        shares = bins.open_pairs[heavy] / bins.open_pairs[heavy].sum()
        parts = []
        for low, high, share in zip(bins.lower[heavy], bins.upper[heavy], shares, strict=True):
            # Rows that share the lowest score, such as a probability of 0, are cut out: halving would take long.
            above = float(np.nextafter(low, np.inf))
            parts += [Stretch(float(low), float(low), 1), Stretch(above, float(high), max(2, int(size * share)))]
        finer = _counted(source, column, chosen, parts)
        joined = [np.concatenate([x[kept], y]) for x, y in zip(bins, finer, strict=True)]
        order = np.argsort(joined[0])
        bins = Bins(*(x[order] for x in joined))
    return bins


def enough_bins(rows: int) -> int:
    """So many bins that what they leave open of an area is a quarter of its standard error or less; a power of two.

    In bins with equally many rows the area is known to ± 1/(2·bins), and its standard error is about 1/(3·√n). More
    would cost an engine that hands groups around (Spark) twice the time for eight times as many.

    >>> [enough_bins(10**power) for power in (4, 6, 7, 8)]
    [16384, 16384, 32768, 65536]
    """
    return max(FEWEST_BINS, 1 << round(math.log2(9 * math.sqrt(max(rows, 1)))))


def _sampled_stretches(source: GroupedSource, column: str, reach: tuple[float, float], size: int) -> list[Stretch]:
    """Stretches between values that cut a sample into equal shares, and the values that many of its rows have."""
    sample = np.sort(source.table.samples([column])[column])
    if len(sample) < MOST_COMMON * PIECES or not reach[0] < reach[1]:
        return [Stretch(*reach, size)]
    values, counts = run_lengths(sample)
    often = np.argsort(-counts, kind="stable")[:MOST_COMMON]
    common = values[often[counts[often] >= max(8, COMMON * len(sample))]]
    rest = sample[~np.isin(sample, common)]
    cuts = rest[np.arange(1, PIECES) * len(rest) // PIECES] if len(rest) else rest
    with np.errstate(over="ignore"):
        lows = np.unique(np.concatenate([[reach[0]], cuts, common, np.nextafter(common, np.inf)]) + 0.0)
    lows = lows[(lows >= reach[0]) & (lows <= reach[1])]
    highs = np.append(np.nextafter(lows[1:], -np.inf), reach[1])
    single = lows == highs
    cells = np.where(single, 1, max(2, size // max(int((~single).sum()), 1)))
    return [Stretch(float(a), float(b), int(c)) for a, b, c in zip(lows, highs, cells, strict=True)]


def _counted(source: GroupedSource, column: str, chosen: Label, stretches: Sequence[Stretch]) -> Bins:
    """The rows in some stretches, which ascend, by one query; those between them are left out."""
    grids: list[Grid] = []
    wanted: list[bool] = []
    for i, stretch in enumerate(stretches):
        if i and float(np.nextafter(stretches[i - 1].high, np.inf)) < stretch.low:
            beyond = float(np.nextafter(stretches[i - 1].high, np.inf))
            grids.append(Grid(beyond, float(np.nextafter(stretch.low, -np.inf)), 0.0, 1, cells=1))
            wanted.append(False)
        grids.append(stretch.grid)
        wanted.append(True)
    place = BinNumber(
        column,
        tuple(grid.low for grid in grids),
        tuple(grid.scale for grid in grids),
        tuple(grid.cells - 1 for grid in grids),
    )
    within = ValueRange(column, stretches[0].low, stretches[-1].high)
    grouped = source.group([place, IsLabel(source.layout.truth, chosen)], within=within)
    places, is_positive = grouped.keys[0].astype(np.int64), grouped.keys[1] == 1
    counts = grouped.weighed.counts
    positives, negatives = (
        np.bincount(places[side], weights=counts[side], minlength=place.cells).astype(np.int64)
        for side in (is_positive, ~is_positive)
    )
    starts = np.cumsum([0, *(grid.cells for grid in grids)])
    parts = [
        bins_of(grid, positives[start : start + grid.cells], negatives[start : start + grid.cells])
        for grid, start, take in zip(grids, starts[:-1], wanted, strict=True)
        if take
    ]
    return Bins(*(np.concatenate(x) for x in zip(*parts, strict=True)))


def placements_by_groups(
    source: GroupedSource,
    columns: Sequence[str],
    chosen: Label,
    ranges: Sequence[tuple[float, float]],
    tables: Sequence[ScoreTable],
) -> Placements:
    """Areas from the score tables; products of placements from a GROUP BY of two models' bins for each pair."""
    k = len(columns)
    places = [_even_shares(c, r, t) for c, r, t in zip(columns, ranges, tables, strict=True)]
    sums = np.zeros((2, k, k))
    error = np.zeros(k)
    for i, j in combinations(range(k), 2):
        grouped = source.group([places[i], places[j], IsLabel(source.layout.truth, chosen)]).ordered()
        cells = [part.astype(np.int64) for part in grouped.keys[:2]]
        is_positive = (grouped.keys[2] == 1).astype(np.int64)
        counts = grouped.weighed.counts.astype(np.float64)
        off = []
        for which, cell in zip((i, j), cells, strict=True):
            amounts = np.zeros((2, places[which].cells))
            np.add.at(amounts, (is_positive, cell), counts)
            centred = _off_area(amounts)
            off.append(centred[is_positive, cell])
            sums[:, which, which] = (amounts * centred**2).sum(axis=1)
            error[which] = _coarse(amounts, _tied(places[which], tables[which])).bounds.standard_error_slack()
        for side in (0, 1):
            sums[side, i, j] = sums[side, j, i] = float((counts * off[0] * off[1])[is_positive == side].sum())
    bounds = [table.bounds.auc() for table in tables]
    return Placements(
        areas=np.array([(low + high) / 2 for low, high in bounds]),
        among_positives=sums[1],
        among_negatives=sums[0],
        positives=int(tables[0].n_positive),
        negatives=int(tables[0].n_negative),
        slack=np.array([(high - low) / 2 for low, high in bounds]),
        error=error,
    )


def _even_shares(column: str, reach: tuple[float, float], table: ScoreTable) -> BinNumber:
    """Equal steps between values that cut the rows into equal shares."""
    through = np.cumsum(table.positives + table.negatives, dtype=np.float64)
    wanted = np.arange(1, PIECES) * through[-1] / PIECES
    places = np.searchsorted(through, wanted)
    # Where one score has a large share, it is cut out on both sides.
    cuts = table.scores[np.concatenate([places, np.minimum(places + 1, len(through) - 1)])]
    lows = np.unique(np.concatenate(([reach[0]], cuts[(cuts > reach[0]) & (cuts < reach[1])])))
    tops = np.full(len(lows), PAIRED_BINS // len(lows) - 1)
    with np.errstate(over="ignore", divide="ignore"):
        scales = (tops + 1) / np.diff(np.append(lows, reach[1]))
    sound = np.isfinite(scales)
    tops, scales = np.where(sound, tops, 0), np.where(sound, scales, 0.0)
    return BinNumber(column, tuple(lows.tolist()), tuple(scales.tolist()), tuple(tops.tolist()))


def _tied(place: BinNumber, table: ScoreTable) -> NDArray[np.bool_]:
    """Which coarse bins hold one score only, as far as the finer table knows."""
    cells = np.zeros(len(table.scores), dtype=np.int64)
    for low, scale, top, first in reversed(place.pieces):
        steps = np.clip(np.floor((table.scores - low) * scale), 0, top).astype(np.int64) + first
        cells = np.where(table.scores >= low, steps, cells)
    uppers = table.scores if table.uppers is None else table.uppers
    single: NDArray[np.bool_] = np.bincount(cells, minlength=place.cells) == 1
    single[cells[uppers > table.scores]] = False
    return single


def _coarse(amounts: Floats, tied: NDArray[np.bool_]) -> ScoreTable:
    """Coarse bins as a table, of which only the order counts."""
    occupied = np.flatnonzero(amounts.sum(axis=0))
    positives, negatives = amounts[1, occupied].astype(np.int64), amounts[0, occupied].astype(np.int64)
    lower = occupied.astype(np.float64)
    return ScoreTable(lower, positives, negatives, exact=False, uppers=np.where(tied[occupied], lower, lower + 0.5))


def _off_area(amounts: Floats) -> Floats:
    """For each bin what a negative's (row 0) and a positive's (row 1) placement is off the area of these bins."""
    negatives, positives = amounts
    placements = np.empty_like(amounts)
    placements[1] = (np.cumsum(negatives) - negatives / 2) / negatives.sum()
    placements[0] = 1 - (np.cumsum(positives) - positives / 2) / positives.sum()
    return placements - float((positives * placements[1]).sum() / positives.sum())
