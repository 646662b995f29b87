"""The bootstrap of curves: any statistic of a score table over multinomial draws of its cells, whatever the rows; and
resamples with the rows that they leave out, to choose on the rows drawn and score on those left out.

Rows of a random test sample are resampled together, not class by class: stratifying would leave out the doubt about
the share of positives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._points import Counts
from trueerror.inference._binned_limits import noted, widened
from trueerror.inference._problem import tail
from trueerror.inference.bootstrap._limits import bootstrap_limits
from trueerror.inference.bootstrap._tables import Statistic, drawn_tables, one_row_less, row_influences, table_cells
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError, Rng, check_confidence, check_replicates, generator
from trueerror.kernels._numpy import places_among
from trueerror.kernels._random import POISSON, STEPS, row_weights, seed_of
from trueerror.kernels._threads import parts
from trueerror.metrics.scores import NO_BOUND
from trueerror.results import Interval
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

WholeCounts = NDArray[np.int64]
# With more distinct scores neighbours are grouped, and the replicates moved by what that does to the estimate.
GROUPS = 1024
# Rows times curves times replicates up to which every row is drawn by itself.
VISITS = 40_000_000


def balanced_groups(table: ScoreTable, groups: int = GROUPS) -> tuple[Counts, Counts]:
    """Positives and negatives of at most about `groups` neighbourhoods of scores, each class spread over them evenly.

    Metrics group by rows alone; a curve has stretches that belong to a rare class, which would share few groups then.

    >>> up, down = balanced_groups(ScoreTable.count([0, 1, 1], [0.1, 0.2, 0.3]))
    >>> up.tolist(), down.tolist()
    ([0, 1, 1], [1, 0, 0])
    """
    up, down = table.positives, table.negatives
    if len(up) <= groups:
        return up, down
    starts = _starts(table, groups)
    return np.add.reduceat(up, starts), np.add.reduceat(down, starts)


def _starts(table: ScoreTable, groups: int = GROUPS) -> NDArray[np.intp]:
    """Where each neighbourhood begins: half of them hold equal parts of the classes, and half have sizes that grow from
    single rows at the ends of each class, where the best threshold of unlike costs lies.

    >>> starts = _starts(ScoreTable.count([0, 1] * 500, np.arange(1000.0)), 32)
    >>> len(starts), starts[:6].tolist(), starts[-5:].tolist()
    (30, [0, 1, 2, 11, 12, 62], [937, 988, 989, 998, 999])
    """
    if len(table.scores) <= groups:
        return np.arange(len(table.scores))
    mass = table.positives / (2 * max(table.n_positive, 1)) + table.negatives / (2 * max(table.n_negative, 1))
    # Rows with one score are one neighbourhood, however many they are.
    mass = np.minimum(mass, mass.sum() / groups)
    place = np.floor((np.cumsum(mass) - mass / 2) * (groups // 2) / mass.sum())
    starts = [np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))]
    for counts in (table.positives, table.negatives):
        through = np.cumsum(counts)
        sizes = np.geomspace(1, max(1.0, through[-1] / 2), groups // 8).round()
        starts += [through.searchsorted(through[-1] - sizes, side="right"), through.searchsorted(sizes) + 1]
    every = np.unique(np.concatenate(starts))
    return every[every < len(table.scores)]


def resampled_tables(
    table: ScoreTable, *, replicates: int, rng: Rng = None, clusters: CurveClusters | None = None
) -> Iterator[tuple[WholeCounts, WholeCounts]]:
    """Blocks of resamples of the grouped table: positives and negatives, one resample a row; of whole clusters."""
    if table.squares is not None:
        raise InputError(
            "the bootstrap resamples rows, but sampling weights were summed over rows: use an analytic method, or "
            "pass frequency weights"
        )
    replicates = check_replicates(replicates)
    draw, _ = generator(rng)
    if clusters is not None:
        for bag in bags(table, replicates=replicates, rng=draw, clusters=clusters):
            yield bag.positives[None], bag.negatives[None]
        return
    yield from drawn_tables(table_cells(*balanced_groups(table)), draw, replicates)


def table_replicates(
    table: ScoreTable, statistic: Statistic, *, replicates: int, rng: Rng = None
) -> tuple[Floats, Floats, float]:
    """The statistic of `replicates` resamples; of the table without one row of each cell; and of the table itself.

    All three come from the grouped table. The second, with the number of rows of each cell, gives the acceleration
    of a BCa interval.
    """
    drawn = [statistic(up, down) for up, down in resampled_tables(table, replicates=replicates, rng=rng)]
    cells = table_cells(*balanced_groups(table))
    size = len(cells) // 2
    whole = statistic(cells[None, :size], cells[None, size:])
    return np.concatenate(drawn), one_row_less(cells, statistic), float(whole[0])


def cell_sizes(table: ScoreTable) -> NDArray[np.int64]:
    """How many rows the occupied cells of the grouped table have, in the order of the jackknife values."""
    cells = table_cells(*balanced_groups(table))
    return cells[cells > 0]


def bootstrap_area(
    table: ScoreTable, statistic: Statistic, *, name: str, estimate: float, confidence: float,
    fallback: tuple[float, float, str], replicates: int = 2000, rng: Rng = None,
    within: tuple[float, float] = (0.0, 1.0), estimand: str = "this model, rows with this share of positives",
    bounds: Bounds | Literal["monotone"] | None = "monotone", clusters: CurveClusters | None = None,
) -> Interval:  # fmt: skip
    """A statistic of the table with BCa limits from its replicates.

    Binned scores move the limits out by what they leave open: a statistic that can only rise (or only fall) as the ROC
    curve rises is bounded by the highest and the lowest curve; of others pass the `bounds`, or None if not known.

    `fallback` (low, high, method) takes over where the replicates give no limits: sampling weights, rows in clusters
    (of few of them resamples are too narrow), more than 1 % of them without a value, or no spread.
    """
    level = check_confidence(confidence)
    if clusters is not None:
        low, high, method = min(fallback[0], estimate), max(fallback[1], estimate), fallback[2]
        note = f"{clusters.note}, at which the limits are taken"
    else:
        low, high, method, note = _replicated_limits(
            table, statistic, estimate, level, fallback, replicates, rng, within
        )
    interval = Interval(
        name=name, estimate=estimate, low=low, high=high, confidence=level, method=method, n=table.n, note=note,
        estimand=estimand,
    )  # fmt: skip
    if table.exact:
        return interval
    if bounds == "monotone":
        bounds = table.bounds.of(lambda t: statistic(t.positives[None], t.negatives[None])[0])
    return noted(interval, NO_BOUND) if bounds is None else widened(interval, bounds, within)


def _replicated_limits(
    table: ScoreTable, statistic: Statistic, estimate: float, level: float, fallback: tuple[float, float, str],
    replicates: int, rng: Rng, within: tuple[float, float],
) -> tuple[float, float, str, str]:  # fmt: skip
    """Low, high, method and note: BCa's, or the fallback's where the replicates give none."""

    def instead(why: str) -> tuple[float, float, str, str]:
        low, high, method = fallback
        return min(low, estimate), max(high, estimate), method, f"{why}: {method} instead of the bootstrap"

    if table.squares is not None:
        return instead("sampling weights cannot be resampled from sums")
    drawn, one_less, centre = table_replicates(table, statistic, replicates=replicates, rng=rng)
    lost = float(np.isnan(drawn).mean())
    if lost > 0.01:
        return instead(f"{lost:.0%} of the resamples had no value")
    sizes = cell_sizes(table)
    influences = row_influences(one_less, sizes)
    low, high = bootstrap_limits(centre, drawn[~np.isnan(drawn)], tail=tail(level), influences=influences, counts=sizes)
    move = estimate - centre
    low, high = max(within[0], min(low + move, estimate)), min(within[1], max(high + move, estimate))
    # A statistic that is the same in every resample leaves rounding dust at most.
    if not high - low > 1e-9 * max(1.0, abs(estimate)):
        return instead("the resamples have no spread")
    return low, high, "bootstrap-bca", f"{replicates:,} replicates, {generator(rng)[1]}"


# Up to this many rows every row is drawn by itself; beyond, rows of one cell are drawn together.
BY_ROW = 1 << 16


class Bag(NamedTuple):
    """Counts at each (group of) score, ascending: of the rows drawn, and of those not drawn."""

    positives: WholeCounts
    negatives: WholeCounts
    left_positives: WholeCounts
    left_negatives: WholeCounts


def bags(
    table: ScoreTable, *, replicates: int, rng: Rng = None, clusters: CurveClusters | None = None
) -> Iterator[Bag]:
    """Resamples of the grouped table, one after the other; each is a function of the seed and its number alone.

    Rows of one cell are alike: how many of them are drawn 0, 1, 2, … times is one multinomial draw. Clusters are
    drawn, and left out, whole; of one cluster alone rows are.
    """
    if table.squares is not None:
        raise InputError("resampling draws rows, but sampling weights were summed over rows")
    replicates = check_replicates(replicates)
    seed = seed_of(generator(rng)[0])
    if clusters is not None and clusters.groups > 1:
        cells = clusters.cells(table.scores[_starts(table)]).T.tocsr()
        size = cells.shape[0] // 2
        for often in clusters.draws(seed, replicates):
            drawn, left = cells @ often, cells @ (often == 0).astype(np.int64)
            yield Bag(drawn[:size], drawn[size:], left[:size], left[size:])
        return
    up, down = (np.asarray(c, dtype=np.int64) for c in balanced_groups(table))
    by_row = table.n <= BY_ROW
    for b in range(replicates):
        yield _by_row(up, down, seed, b) if by_row else _by_cell(up, down, seed, b)


def _by_row(up: WholeCounts, down: WholeCounts, seed: int, b: int) -> Bag:
    cells = np.concatenate((up, down))
    weights = row_weights(int(cells.sum()), seed, b)
    place = np.repeat(np.arange(len(cells)), cells)
    drawn = np.bincount(place, weights=weights, minlength=len(cells)).astype(np.int64)
    left = np.bincount(place[weights == 0], minlength=len(cells))
    size = len(up)
    return Bag(drawn[:size], drawn[size:], left[:size], left[size:])


def _by_cell(up: WholeCounts, down: WholeCounts, seed: int, b: int) -> Bag:
    cells = np.concatenate((up, down))
    draw = np.random.Generator(np.random.Philox(key=np.array([seed, b], dtype=np.uint64)))
    often = draw.multinomial(cells, np.array(STEPS) / len(POISSON))
    drawn = often @ np.arange(len(STEPS))
    size = len(up)
    return Bag(drawn[:size], drawn[size:], often[:size, 0], often[size:, 0])


# Rows are drawn one by one up to this many; beyond, in so many groups to which they are assigned at random.
MOST_GROUPS = 1 << 12
# A threshold that costs by so many standard errors more than the cheapest is the cheapest in no resample.
NEAR_ERRORS = 6.0
# Rows that are counted at a time.
COUNTED = 1 << 20
# What gives the groups of rows, one stretch after the other.
Following = Callable[[slice], Codes]


def groups_of_rows(rows: int, seed: int, clusters: Codes | None = None) -> tuple[int, Following]:
    """How many groups are drawn, and what gives the groups of rows: each row (or cluster) its own, or with many of them
    one at random.

    Sums over groups of rows that were assigned at random are as independent as the rows, so that drawing groups shows
    the same spread (the random groups method, Wolter 2007, Introduction to Variance Estimation, ch. 2).

    >>> groups, following = groups_of_rows(3, 0)
    >>> groups, following(slice(0, 2)), following(slice(2, 3))
    (3, array([0, 1]), array([2]))
    >>> groups_of_rows(3, 0, np.array([0, 0, 1]))[1](slice(1, 3))
    array([0, 1])
    """
    if clusters is not None:
        count = groups = int(clusters.max()) + 1
        of_row = clusters
        if count > MOST_GROUPS:
            groups, following = groups_of_rows(count, seed)
            of_row = following(slice(0, count))[clusters]
        return groups, lambda part: of_row[part]
    if rows <= MOST_GROUPS:
        return rows, lambda part: np.arange(part.start, part.stop)
    draw = np.random.Generator(np.random.Philox(key=np.array([seed, 0], dtype=np.uint64)))
    return MOST_GROUPS, lambda part: draw.integers(0, MOST_GROUPS, part.stop - part.start)


def in_groups(groups: int, rows: int, clusters: Codes | None = None) -> str:
    """How a note says that rows or clusters are drawn in random groups.

    >>> in_groups(4096, 100_000), in_groups(3, 3)
    (' in 4,096 random groups', '')
    """
    units = rows if clusters is None else int(clusters.max()) + 1
    return f" in {groups:,} random groups" if groups < units else ""


class Flagged(NamedTuple):
    """Of each group of rows the negatives and positives at or above each threshold, (groups, thresholds); and all."""

    quiet: Floats
    hits: Floats
    negatives: Floats
    positives: Floats


def flagged_in_groups(
    up: NDArray[np.bool_], columns: Sequence[NDArray[Any]], cuts: Sequence[Floats], groups: int, following: Following
) -> list[Flagged]:
    """What is flagged of each group of rows by the scores of each model, cut at its thresholds, which fall.

    >>> up, scores, cuts = np.array([True, False, True]), np.array([0.9, 0.5, 0.1]), np.array([0.5, 0.2])
    >>> flagged_in_groups(up, [scores], [cuts], *groups_of_rows(3, 0))[0].hits.tolist()
    [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    """
    widths = [len(cut) + 1 for cut in cuts]
    cells = [np.zeros(2 * groups * width, dtype=np.int64) for width in widths]
    for part in parts(len(up), 1 + len(up) // COUNTED):
        side = 2 * following(part).astype(np.int64, copy=False) + up[part]
        for counts, width, cut, scores in zip(cells, widths, cuts, columns, strict=True):
            # How many of the thresholds a row reaches: from its first one on it is flagged.
            flat = (side + 1) * width - 1
            flat -= places_among(cut[::-1], np.asarray(scores[part], dtype=np.float64))
            counts += np.bincount(flat, minlength=len(counts))
    every = [np.cumsum(c.reshape(groups, 2, w), axis=2).astype(np.float64) for c, w in zip(cells, widths, strict=True)]
    return [Flagged(f[:, 0, :-1], f[:, 1, :-1], f[:, 0, -1], f[:, 1, -1]) for f in every]


def grouped_cuts(table: ScoreTable, groups: int = GROUPS) -> Floats:
    """Thresholds from the highest down: the lowest score of each neighbourhood, but for that which flags all rows."""
    return table.scores[_starts(table, groups)][:0:-1].astype(np.float64)


def near_cheapest(table: ScoreTable, alarm: float, miss: float, *, repeats: float = 1.0, most: int = GROUPS) -> Floats:
    """Thresholds from the highest down that may be the cheapest in a resample: those whose cost is within so many
    standard errors of the lowest; at most about `most` of them, evenly. All rows are never flagged.

    `alarm` and `miss` are what flagging all negatives costs and what flagging all positives saves; `repeats` is how
    many rows of a cluster count as one.

    >>> near_cheapest(ScoreTable.count([0, 1] * 50, np.arange(100.0)), 1.0, 1.0, most=3).tolist()
    [99.0, 87.0, 50.0, 1.0]
    """
    negatives, positives = np.cumsum(table.negatives[::-1]), np.cumsum(table.positives[::-1])
    prices = alarm / max(float(negatives[-1]), 1.0), miss / max(float(positives[-1]), 1.0)
    costs = (prices[0] * negatives - prices[1] * positives)[:-1]
    if not len(costs):
        return np.zeros(0)
    best = int(np.argmin(costs))
    between = np.abs(negatives - negatives[best])[:-1], np.abs(positives - positives[best])[:-1]
    error = np.sqrt(repeats * (prices[0] ** 2 * between[0] + prices[1] ** 2 * between[1]))
    near = np.flatnonzero(costs - costs[best] <= NEAR_ERRORS * error)
    if len(near) > most:
        near = np.unique(np.append(near[np.linspace(0, len(near) - 1, most).astype(np.intp)], best))
    return table.scores[::-1][near].astype(np.float64)


def group_weights(groups: int, *, replicates: int, seed: int) -> Floats:
    """How often each group is drawn in each replicate, (replicates, groups): the draws of `row_weights`.

    >>> group_weights(4, replicates=2, seed=0).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    return np.stack([row_weights(groups, seed, b) for b in range(replicates)]).astype(np.float64)


def rates_of_groups(called: Floats, rows: Floats, weights: Floats) -> Floats:
    """Shares of a class that are called at each point in each replicate, (replicates, points).

    `called` are the rows of each group that are called at each point, `rows` those that the class has in it. A
    replicate without rows of the class keeps the share of all.

    >>> rates_of_groups(np.array([[1.0], [0.0]]), np.array([1.0, 1.0]), np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [[0.5], [1.0]]
    """
    sizes = weights @ rows
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn: Floats = (weights @ called) / sizes[:, None]
        return np.where(sizes[:, None] > 0, drawn, called.sum(axis=0) / rows.sum())
