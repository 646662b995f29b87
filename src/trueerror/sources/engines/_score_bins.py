"""Score tables beyond the memory budget: bins that are made finer where it matters, until the area is known well.

The area under the ROC curve lies within Σ pᵦnᵦ / (2PN) of the binned one, over the bins b that may hold more than one
score. Bins with the largest products are split first. `binned_by_groups` and `placements_by_groups` count bins, and
pairs of bins, by GROUP BY, for engines that own their data; batches out of DuckDB are counted in `_duckdb`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats, Foreign
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.kernels._histogram import Grid, even_grid, leading_grid, pivoted, refined
from trueerror.kernels._numpy import run_lengths
from trueerror.sources._predictions import KeyKind, ScoreRange
from trueerror.sources.engines._group_tallies import BinNumber, IsLabel, log_origin
from trueerror.tallies import ScoreTable
from trueerror.tallies._moments import Placements

if TYPE_CHECKING:
    from trueerror.sources.engines._groupby import GroupedSource

Ints = NDArray[np.int64]

# The exact area is known to ± this, where the budget allows.
TARGET = 1e-4
# What an exact table takes for each distinct score while it is made: the rows that come in, sorting, and the table.
EXACT_BYTES = 120
# Bins of a first pass; finer where a large sample tells areas apart that are close, as long as counts stay in cache.
MOST_BINS = 1 << 17
ROUNDS = 6
# How often a grid is split before any row is counted.
LEVELS = 3
# A value that at least this share of a sample has gets a bin of its own.
COMMON = 5e-4


def guessed_distinct(rows: int, distinct: int) -> float:
    """How many values there are, from how many distinct ones a sample has: of D values m rows repeat about m²/2D."""
    return rows * rows / (2 * max(rows - distinct, 20))


def ranges_by_key(source: GroupedSource, kind: KeyKind, name: Label) -> dict[str, ScoreRange]:
    """Between which values the scores of each model lie in the rows of one key; of all keys by one look at the rows."""
    known: dict[Label, dict[str, ScoreRange]] = source.memory.setdefault(("ranges", kind), {})
    if known:
        return known[name]
    table, d, models = source.table, source.table.dialect, source.scored_columns()
    keys, names, places_of = source.key_groups(kind)
    given = {f"k{i}": table.expression(key) for i, key in enumerate(keys)}
    scores: dict[str, Foreign] = {}
    for i, columns in enumerate(models.values()):
        numbers = [table.number(column) for column in columns]
        scores |= {f"x{i}_{j}": number for j, number in enumerate(numbers)}
        scores |= {f"s{i}": sum(numbers[1:], numbers[0])} if len(numbers) > 1 else {}
    ends = [end(d.column(x)).alias(f"{x}{way}") for x in scores for way, end in (("l", d.lowest), ("h", d.highest))]
    frame = table.frame.select(*(value.alias(x) for x, value in (given | scores).items()))
    found = table.answer(frame.group_by(*given).agg(*ends))
    for at, place in enumerate(places_of([found[key] for key in given]).tolist()):
        low, high = ({x: float(found[f"{x}{way}"][at]) for x in scores} for way in "lh")
        known[names[place]] = {
            model: ScoreRange(
                min(low[f"x{i}_{j}"] for j in range(len(columns))),
                max(high[f"x{i}_{j}"] for j in range(len(columns))),
                *((low[f"s{i}"], high[f"s{i}"]) if len(columns) > 1 else ()),
            )
            for i, (model, columns) in enumerate(models.items())
        }
    return known[name]


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

    even, leading = (_apart(make(low, high, size), common, size) for make in (even_grid, leading_grid))
    best = leading if 4 * open_pairs(leading) < open_pairs(even) else even
    # Splitting here takes each row a few more steps; splitting after a pass takes another pass.
    for _ in range(LEVELS):
        if open_pairs(best) <= TARGET / 4 * float(positive.sum()) * float((~positive).sum()):
            break
        best = finer(best, *counted(best), size // LEVELS) or best
    return best


def value_grid(low: float, high: float, size: int, values: Floats) -> Grid:
    """A grid with a bin for each of some ascending values."""
    grids = [make(low, high, size) for make in (even_grid, leading_grid)]
    return _apart(max(grids, key=lambda grid: len(np.unique(grid.places(values)))), values, size)


def _apart(grid: Grid, values: Floats, size: int) -> Grid:
    """The grid with a bin of its own for each of some ascending values; bins that hold several are split for that."""
    if grid.cells < 2 or not len(values):
        return grid
    for _ in range(LEVELS):
        places, counts = np.unique(grid.places(values), return_counts=True)
        if counts.max() == 1:
            break
        grid = refined(grid, places[counts > 1], counts[counts > 1].astype(np.float64), size // LEVELS)
    return pivoted(grid, values)


# Fewer take an engine no less time.
FEWEST_BINS = 1 << 14
# Bins of a model that one round splits; those of all models by one query.
SPLIT = 12
# Values that many rows of a sample share, each of which gets a bin of its own.
MOST_COMMON = 8
# How often bins are split: a look at all rows each.
REFINEMENTS = 1
# Models that one query puts into bins.
MOST_COLUMNS = 16
# Cells of two models' bins in one GROUP BY, of all pairs together.
PAIRED_CELLS = 1 << 20
# Stretches of equal shares of which a query is made, over all models: Java does not compile what is longer, and takes
# five times as long. Where so few leave too much open, each model has `PIECES` of its own.
FEW_PIECES = 16
PIECES = 16
# A bin of so many times the mean share of rows is too large.
UNEVEN = 8
# Where scores of a stretch differ by more than this factor, steps may be of equal ratios.
RATIO = 64.0
TINY = 1e-290


class Stretch(NamedTuple):
    """Scores from `low` to `high`, both included, in `cells` bins of equal steps, in `log` of equal ratios; in none
    where they are left out."""

    low: float
    high: float
    cells: int
    log: bool = False


def binned_by_groups(
    source: GroupedSource, ranges: Mapping[str, tuple[float, float]], chosen: Label, budget: int
) -> dict[str, Bins]:
    """All rows of each column in bins, finer where a sample has more rows, and the heaviest of these again in finer
    ones: one query for all columns, and one for each time that some are split."""
    if not np.isfinite(list(ranges.values())).all():
        raise InputError("these scores are infinite, so that they cannot be put into bins; cut them to a finite range")
    size = min(bin_count(budget, len(ranges)), enough_bins(source.facts.n))
    samples = source.table.samples(list(ranges))
    columns = list(ranges)
    binned: dict[str, Bins] = {}
    for start in range(0, len(columns), MOST_COLUMNS):
        some = columns[start : start + MOST_COLUMNS]
        pieces = _few_pieces(len(some))
        found = _counted(source, {c: _sampled_stretches(samples[c], ranges[c], size, pieces) for c in some}, chosen)
        for _ in range(REFINEMENTS):
            heavy = {c: h for c, bins in found.items() if len(h := _heavy(bins, size))}
            if not heavy:
                break
            finer = _counted(source, {c: _split(found[c], h, size) for c, h in heavy.items()}, chosen)
            for c, places in heavy.items():
                joined = [np.concatenate([np.delete(x, places), y]) for x, y in zip(found[c], finer[c], strict=True)]
                order = np.argsort(joined[0])
                found[c] = Bins(*(x[order] for x in joined))
        binned |= found
    return binned


def _heavy(bins: Bins, size: int) -> Ints:
    """The bins to split; none where the area is known well enough, or there are very many already."""
    if bins.slack <= TARGET or len(bins.lower) > 4 * size:
        return np.zeros(0, dtype=np.int64)
    total = float(bins.positives.sum()) * float(bins.negatives.sum())
    return heaviest(bins.open_pairs, total, SPLIT)


def _split(bins: Bins, places: Ints, size: int) -> list[Stretch]:
    """These bins, which ascend, in finer steps, and what lies between them left out."""
    shares = bins.open_pairs[places] / bins.open_pairs[places].sum()
    parts = [Stretch(-math.inf, -math.inf, 0)]
    for low, high, share in zip(bins.lower[places].tolist(), bins.upper[places].tolist(), shares, strict=True):
        # Rows that share the lowest score, such as a probability of 0, are cut out: halving would take long.
        above = [math.nextafter(low, math.inf), *((0.0, math.nextafter(0.0, 1.0)) if low < 0.0 < high else ())]
        tops = [*(math.nextafter(x, -math.inf) for x in above[1:]), high]
        cells = max(2, int(size * share / len(above)))
        parts += [
            Stretch(low, low, 1),
            *(Stretch(a, b, cells, _powers(a, b)) for a, b in zip(above, tops, strict=True)),
        ]
        parts.append(Stretch(math.nextafter(high, math.inf), math.inf, 0))
    return parts


def enough_bins(rows: int) -> int:
    """So many bins that what they leave open of an area is a quarter of its standard error or less; a power of two.

    In bins with equally many rows the area is known to ± 1/(2·bins), and its standard error is about 1/(3·√n). More
    would cost an engine that hands groups around (Spark) twice the time for eight times as many.

    >>> [enough_bins(10**power) for power in (4, 6, 7, 8)]
    [16384, 16384, 32768, 65536]
    """
    return max(FEWEST_BINS, 1 << round(math.log2(9 * math.sqrt(max(rows, 1)))))


def _few_pieces(columns: int) -> int:
    """How many stretches each of some columns has in a short query."""
    return min(4, max(1, FEW_PIECES // columns))


def _sampled_stretches(sample: Array, reach: tuple[float, float], size: int, pieces: int) -> list[Stretch]:
    """Stretches between values that cut a sample into equal shares, and the values that many of its rows have: few,
    unless that leaves much open in the sample."""
    stretches = _cut(sample, reach, size, pieces)
    bins = _places(_bin_numbers("", stretches), sample)
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.diff(bins[order], prepend=-1))
    values, counts = sample[order], np.diff(np.append(starts, len(bins))).astype(np.float64)
    spread = np.maximum.reduceat(values, starts) > np.minimum.reduceat(values, starts) if len(starts) else counts > 0
    # The share of pairs of rows that fall together, without a bias for the size of the sample.
    share = float((counts * (counts - 1))[spread].sum()) / max(len(bins) * (len(bins) - 1.0), 1.0)
    return stretches if share / 2 <= TARGET / 2 else _cut(sample, reach, size, PIECES)


def _cut(sample: Array, reach: tuple[float, float], size: int, pieces: int) -> list[Stretch]:
    if len(sample) < MOST_COMMON * PIECES or not reach[0] < reach[1]:
        return [_stretch(*reach, size if reach[0] < reach[1] else 1, sample, np.ones(len(sample)))]
    values, counts = run_lengths(np.sort(sample))
    often = np.argsort(-counts, kind="stable")[:MOST_COMMON]
    common = values[often[counts[often] >= max(8, COMMON * len(sample))]]
    # Few values get equal shares of the bins, so that each may have one for itself.
    rest = values if 2 * len(values) < min(len(sample), size) else np.repeat(values, counts)
    rest = rest[~np.isin(rest, common)]
    cuts = rest[np.arange(1, pieces) * len(rest) // pieces] if len(rest) else rest
    zero = np.zeros(int(pieces == PIECES))
    with np.errstate(over="ignore"):
        single = np.concatenate([common, zero])
        lows = np.unique(np.concatenate([[reach[0]], cuts, single, np.nextafter(single, np.inf)]) + 0.0)
    lows = lows[(lows >= reach[0]) & (lows <= reach[1])]
    highs = np.append(np.nextafter(lows[1:], -np.inf), reach[1])
    cells = max(2, size // max(int((lows < highs).sum()), 1))
    starts = np.searchsorted(rest, np.append(lows, np.inf)).tolist()
    parts = zip(lows.tolist(), highs.tolist(), (rest[a:b] for a, b in pairwise(starts)), strict=True)
    return [_stretch(a, b, cells if a < b else 1, part, np.ones(len(part))) for a, b, part in parts]


def _stretch(low: float, high: float, cells: int, values: Array, rows: Array) -> Stretch:
    """Steps of equal width, or of equal ratio where those leave far less open of some rows: logarithms take time."""
    made = [Stretch(low, high, cells, log) for log in (False, _powers(low, high))]
    if cells < 2 or not made[1].log or not len(values):
        return made[0]
    shares = [np.bincount(_places(_bin_numbers("", [s]), values), rows, cells) for s in made]
    return made[int(2 * (shares[1] ** 2).sum() < (shares[0] ** 2).sum())]


def _powers(low: float, high: float) -> bool:
    """Whether scores between these may lie on a scale of powers, or are too small for steps of equal width."""
    if low <= 0.0 <= high:
        return False
    near, far = sorted((abs(low), abs(high)))
    return near < far / (RATIO if far > TINY else 1.001)


def _bin_numbers(column: str, stretches: Sequence[Stretch]) -> BinNumber:
    """The bins of stretches as an engine writes them; a single one where steps would be equal."""
    scales, tops = [], []
    for low, high, cells, log in stretches:
        width = abs(math.log(abs(high)) - math.log(abs(low))) if log else 0.0
        grid = even_grid(low, high, cells) if cells > 1 and not log else None
        scale = cells / (width * (1 + 1e-8)) if log else 0.0 if grid is None or math.isnan(grid.scale) else grid.scale
        scales.append(scale)
        tops.append(cells - 1 if scale else min(cells, 1) - 1)
    return BinNumber(
        column, tuple(s.low for s in stretches), tuple(scales), tuple(tops), tuple(s.log for s in stretches)
    )


def _counted(source: GroupedSource, wanted: Mapping[str, Sequence[Stretch]], chosen: Label) -> dict[str, Bins]:
    """The rows of each column in some stretches, which ascend, by one query; a bin reaches from the lowest to the
    highest score that it holds."""
    keys = [_bin_numbers(column, stretches) for column, stretches in wanted.items()]
    rows = source.table.group_bins(keys, IsLabel(source.layout.truth, chosen), weight=source.weight())
    binned = {}
    for i, key in enumerate(keys):
        mine = rows.which == i
        places, counts, up = rows.place[mine], rows.weighed.counts[mine], rows.is_positive[mine]
        lower, upper = np.full(key.cells, np.inf), np.full(key.cells, -np.inf)
        np.minimum.at(lower, places, rows.low[mine])
        np.maximum.at(upper, places, rows.high[mine])
        both = [np.bincount(places[side], counts[side], key.cells).astype(np.int64) for side in (up, ~up)]
        there = np.flatnonzero(both[0] + both[1])
        # Bins of logarithms that are not in order, since an engine rounds as it likes, become one.
        starts = np.flatnonzero(np.append(-np.inf, np.maximum.accumulate(upper[there])[:-1]) < lower[there])
        binned[key.column] = Bins(
            np.minimum.reduceat(lower[there], starts) + 0.0, np.maximum.reduceat(upper[there], starts) + 0.0,
            *(np.add.reduceat(x[there], starts) for x in both),
        ) if len(there) else Bins(lower[there], upper[there], both[0][there], both[1][there])  # fmt: skip
    return binned


def placements_by_groups(
    source: GroupedSource,
    columns: Sequence[str],
    chosen: Label,
    ranges: Sequence[tuple[float, float]],
    tables: Sequence[ScoreTable],
) -> Placements:
    """Areas from the score tables; products of placements from a GROUP BY of two models' bins, of all pairs at once."""
    k = len(columns)
    every = list(combinations(range(k), 2))
    # Of many pairs in coarser bins, which widen the limits by less than a hundredth.
    bins = 512 if len(every) * 512**2 <= PAIRED_CELLS else 256
    places = [_even_shares(c, r, t, bins, _few_pieces(k)) for c, r, t in zip(columns, ranges, tables, strict=True)]
    sums = np.zeros((2, k, k))
    error = np.zeros(k)
    at_once = max(1, PAIRED_CELLS // bins**2)
    for start in range(0, len(every), at_once):
        pairs = every[start : start + at_once]
        grouped = source.table.group_pairs(places, pairs, IsLabel(source.layout.truth, chosen))
        for (i, j), groups in zip(pairs, grouped, strict=True):
            cells, is_positive = groups.keys[:2], groups.keys[2]
            counts = groups.weighed.counts.astype(np.float64)
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


def _even_shares(column: str, reach: tuple[float, float], table: ScoreTable, bins: int, pieces: int) -> BinNumber:
    """Equal steps between values that cut the rows into equal shares: few, unless a bin had far too many rows."""
    rows = table.positives + table.negatives
    through = np.cumsum(rows, dtype=np.float64)
    wanted = np.arange(1, pieces) * through[-1] / pieces
    places = np.searchsorted(through, wanted)
    # Where one score has a large share, it is cut out on both sides.
    cuts = table.scores[np.concatenate([places, np.minimum(places + 1, len(through) - 1)])]
    lows = np.unique(np.concatenate(([reach[0]], cuts[(cuts > reach[0]) & (cuts < reach[1])])))
    highs = np.append(np.nextafter(lows[1:], -np.inf), reach[1])
    cells = bins // len(lows)
    starts = np.searchsorted(table.scores, np.append(lows, np.inf)).tolist()
    parts = zip(lows.tolist(), highs.tolist(), (slice(a, b) for a, b in pairwise(starts)), strict=True)
    key = _bin_numbers(column, [_stretch(a, b, cells, table.scores[p], rows[p]) for a, b, p in parts])
    shares = np.bincount(_places(key, table.scores), rows, key.cells)[~_tied(key, table)] / through[-1]
    even = pieces >= PIECES or not len(shares) or shares.max() <= UNEVEN / bins
    return key if even else _even_shares(column, reach, table, bins, PIECES)


def _places(key: BinNumber, scores: Array) -> Ints:
    """The bin of each score."""
    cells = np.zeros(len(scores), dtype=np.int64)
    for low, scale, top, first, log in key.pieces:
        mine = scores >= low
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            far = scores[mine] - low
            if log:
                far = np.nan_to_num(
                    (np.log(np.abs(scores[mine])) - log_origin(low, top / scale)) * math.copysign(1, low)
                )
        cells[mine] = np.clip(np.floor(far * scale), 0, top).astype(np.int64) + first
    return cells


def _tied(place: BinNumber, table: ScoreTable) -> NDArray[np.bool_]:
    """Which coarse bins hold one score only, as far as the finer table knows."""
    cells = _places(place, table.scores)
    uppers = table.scores if table.uppers is None else table.uppers
    single: NDArray[np.bool_] = np.bincount(cells, minlength=place.cells) == 1
    single[cells[uppers > table.scores]] = False
    # Engines may round logarithms in another way.
    for _, _, top, first, log in place.pieces:
        if log:
            single[first : first + top + 1] = False
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
