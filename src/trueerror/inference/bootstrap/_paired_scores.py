"""The difference of a metric of scores between two models on the same rows, by drawing rows or clusters again.

Few rows are drawn one by one, in the order of their scores, so that no replicate sorts. Many rows are counted first,
neighbouring scores joined, and each cell is drawn as a whole (`JointCells`): replicates then cost the same for a
hundred million rows as for one million. What joining does to the spread is known to first order from the rows'
influences, and is taken back; the estimate is always that of all rows, unjoined.

Cells are (group of the first, group of the second, class). Groups join neighbouring scores, as many as keep the cells
few, so finer where the models agree in their order. Half of a group's width is measured in positives and half in
negatives, so that rare positives are not all in one group.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from trueerror.inference._contrast import Limits, contrast, student_p, tail_area
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.bootstrap._limits import bootstrap_limits
from trueerror.inference.bootstrap._tables import join_scores
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._options import InputError, Rng, generator
from trueerror.kernels._numpy import RANK_BLOCK
from trueerror.kernels._random import CellDraws, row_weights, seed_of
from trueerror.kernels._sorting import ascending_order
from trueerror.kernels._threads import in_threads, parts
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import ScoreInfluences
from trueerror.results import Alternative, Contrast
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]
Places = NDArray[np.intp]
Masses = tuple[NDArray[Any], NDArray[Any]]
# Most cells that are drawn in a replicate.
CELLS = 1 << 15
# Fewest and most groups of either model, as powers of two, and those that are tried first; up to DENSE, cells are
# counted in a table of all there are.
FEWEST, FIRST, DENSE, MOST = 6, 8, 11, 14
# Whole clusters are drawn over so many groups: their rows are visited one by one anyway.
CLUSTERED = 10
# Replicates of clusters that are drawn together at most, and how many weights they may take.
TOGETHER, WEIGHTS = 16, 1 << 22


class OrderedScores:
    """One model's rows in the order of their scores: the score table, and how rows and table belong together."""

    def __init__(self, is_positive: Flags, scores: Floats) -> None:
        self.scores = scores
        plain = scores + 0.0  # −0.0 is 0.0
        self.order = ascending_order(plain)
        ascending = plain.take(self.order)
        new = np.ones(len(ascending), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
        # None where no two rows share a score.
        self.starts = None if new.all() else np.flatnonzero(new)
        self.is_positive = is_positive.take(self.order)

    @cached_property
    def table(self) -> ScoreTable:
        """The score table of all rows."""
        distinct = (self.scores + 0.0).take(self.order if self.starts is None else self.order[self.starts])
        return ScoreTable._counted(distinct, *self.counts(np.int64), positive=1, sources=())

    def counts(self, kind: type[np.int64] | type[np.float64]) -> Masses:
        """How many positives and negatives there are at each distinct score."""
        return self._summed(self.is_positive.astype(kind), (~self.is_positive).astype(kind))

    @cached_property
    def blocks(self) -> list[tuple[slice, Places | None]]:
        """Places in the order of scores, cut so that equal scores stay together, and where each distinct score begins
        in its block; None where no two rows share a score."""
        size, starts = len(self.order), self.starts
        if starts is None:
            return [(part, None) for part in parts(size, -(-size // RANK_BLOCK))]
        cuts = np.unique(np.searchsorted(starts, [part.start for part in parts(size, -(-size // RANK_BLOCK))]))
        groups = [starts[a:b] for a, b in pairwise([*cuts, len(starts)])]
        ends = [*(int(group[0]) for group in groups[1:]), size]
        return [(slice(int(g[0]), end), g - g[0]) for g, end in zip(groups, ends, strict=True)]

    def masses(self, weights: NDArray[Any]) -> Masses:
        """How many positives and negatives there are at each distinct score when rows (…, n) count so often."""
        placed = weights.take(self.order, axis=-1)
        positives = np.multiply(placed, self.is_positive, dtype=np.result_type(placed, np.int64))
        return self._summed(positives, placed - positives)

    def _summed(self, positives: NDArray[Any], negatives: NDArray[Any]) -> Masses:
        """Of rows in their order, the sums over each distinct score."""
        if self.starts is None:
            return positives, negatives
        return np.add.reduceat(positives, self.starts, axis=-1), np.add.reduceat(negatives, self.starts, axis=-1)

    def at_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value for each distinct score, given to the rows that have it."""
        return self._back(self._repeated(values))

    def influences_at_rows(self, influences: ScoreInfluences) -> Floats:
        """Each row's influence, by its score and class."""
        by_class = (self._repeated(influences.positives), self._repeated(influences.negatives))
        return self._back(np.where(self.is_positive, *by_class))

    def _repeated(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value for each distinct score, once for each row in the order of scores."""
        return values if self.starts is None else np.repeat(values, np.diff(self.starts, append=len(self.order)))

    def _back(self, ordered: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in the order of scores, in the order of the rows."""
        by_row = np.empty_like(ordered)
        by_row[self.order] = ordered
        return by_row

    def groups(self, power: int) -> Codes:
        """The group of each distinct score, of 2^power; halving the power joins groups two by two."""
        parts = [np.asarray(x, dtype=np.float64) for x in (self.table.positives, self.table.negatives)]
        depth = sum((np.cumsum(x) - x / 2) / (2 * x.sum()) for x in parts)
        place: Codes = np.minimum(depth * (1 << power), (1 << power) - 1).astype(np.int32)
        return place

    def joined(self, groups: Codes) -> ScoreTable:
        """The table with one score for each group that occurs."""
        return join_scores(self.table, np.flatnonzero(np.concatenate(([True], groups[1:] > groups[:-1]))))


class JointCells(NamedTuple):
    """Both models' joined tables, how many rows are in each cell, its class, and its place in either table."""

    tables: tuple[ScoreTable, ScoreTable]
    counts: NDArray[np.int64]
    is_positive: Flags
    places: tuple[Codes, Codes]

    def spread(self, influences: Sequence[ScoreInfluences]) -> float:
        """Σ over the rows of the squared influence on the difference, as the cells have it."""
        one, two = (
            np.where(self.is_positive, i.positives.take(p), i.negatives.take(p))
            for i, p in zip(influences, self.places, strict=True)
        )
        return float((self.counts * (one - two) ** 2).sum())


def joint_cells(is_positive: Flags, models: Sequence[OrderedScores], most: int = CELLS) -> JointCells:
    """The cells of as many groups as keep them at most `most`.

    >>> is_positive, scores = np.arange(4000) % 4 == 0, np.arange(4000.0)
    >>> alike = [OrderedScores(is_positive, scores), OrderedScores(is_positive, scores + 1)]
    >>> [len(joint_cells(is_positive, alike, most).counts) for most in (100, 1000, 10_000)]
    [128, 512, 4000]
    """
    fine = in_threads(lambda m: m.groups(MOST), models)
    rows = in_threads(lambda i: models[i].at_rows(fine[i]), range(len(models)))
    power, cells, counts = _fitting(rows, is_positive, most)
    both, side = np.divmod(cells, 2)
    tables, places = [], []
    for model, fine_groups, group in zip(models, fine, np.divmod(both, 1 << power), strict=True):
        coarse = fine_groups >> (MOST - power)
        tables.append(model.joined(coarse))
        places.append(np.searchsorted(np.unique(coarse), group))
    return JointCells((tables[0], tables[1]), counts, side == 1, (places[0], places[1]))


def _fitting(rows: Sequence[Codes], is_positive: Flags, most: int) -> tuple[int, Codes, NDArray[np.int64]]:
    """The largest power with at most `most` cells (the fewest groups are taken anyhow), its cells and their counts."""
    dense = np.bincount(_codes(rows, is_positive, FIRST), minlength=2 << 2 * FIRST)
    power = FIRST
    while power > FEWEST and np.count_nonzero(dense) > most:
        # Two groups of either model become one: four cells of a class.
        power -= 1
        dense = dense.reshape(1 << power, 2, 1 << power, 2, 2).sum(axis=(1, 3)).ravel()
    cells = np.flatnonzero(dense)
    best = power, cells, dense[cells].astype(np.int64)
    if power < FIRST:
        return best
    for power in range(FIRST + 1, MOST + 1):
        cells, counts = _counted(rows, is_positive, power)
        if len(cells) > most:
            break
        best = power, cells, counts
    return best


def _codes(rows: Sequence[Codes], is_positive: Flags, power: int) -> Codes:
    """The cell of each row when groups are joined down to 2^power."""
    first, second = (r >> (MOST - power) for r in rows)
    # Two groups and a class take at most 2 · 14 + 1 bits.
    return (first << power | second) << 1 | is_positive


def _counted(rows: Sequence[Codes], is_positive: Flags, power: int) -> tuple[Codes, NDArray[np.int64]]:
    """The cells that occur when groups are joined down to 2^power, and how many rows are in each."""
    code = _codes(rows, is_positive, power)
    if power > DENSE:
        cells, counts = np.unique(code, return_counts=True)
        return cells, counts.astype(np.int64)
    dense = np.bincount(code, minlength=2 << 2 * power)
    cells = np.flatnonzero(dense)
    return cells, dense[cells].astype(np.int64)


class DrawnCells:
    """Both models' masses in each replicate, cells drawn as a whole."""

    step = 1

    def __init__(self, joint: JointCells, seed: int) -> None:
        self.draws, self.seed = CellDraws(joint.counts), seed
        self.sizes = [len(t.scores) for t in joint.tables]
        self.slots = [p + n * ~joint.is_positive for p, n in zip(joint.places, self.sizes, strict=True)]

    def masses(self, replicates: range) -> list[Masses]:
        """Positives and negatives at each joined score (replicates, scores), of the first model and of the second."""
        drawn = [self.draws.draw(self.seed, b) for b in replicates]
        masses = [
            np.stack([np.bincount(s, weights=weights, minlength=2 * n) for weights in drawn])
            for s, n in zip(self.slots, self.sizes, strict=True)
        ]
        return [(f[:, :n], f[:, n:]) for f, n in zip(masses, self.sizes, strict=True)]


class DrawnClusters:
    """The same with whole clusters drawn: a row is in a replicate as often as its cluster.

    How many rows of each cluster lie at each joined score is one sparse matrix for either model, so several replicates
    at a time are a product: rows are read once for all of them.
    """

    def __init__(self, is_positive: Flags, models: Sequence[OrderedScores], codes: Codes, seed: int) -> None:
        self.units, self.seed = int(codes.max()) + 1, seed
        self.step = max(1, min(TOGETHER, WEIGHTS // self.units))
        groups = [m.groups(CLUSTERED) for m in models]
        self.tables = [m.joined(g) for m, g in zip(models, groups, strict=True)]
        self.sizes = [len(t.scores) for t in self.tables]
        width: Any = np.int32 if len(is_positive) < np.iinfo(np.int32).max else np.int64
        order = np.argsort(codes, kind="stable")
        ends = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=self.units)))).astype(width)
        ones = np.ones(len(is_positive))
        self.rows: list[Any] = []
        for m, g, n in zip(models, groups, self.sizes, strict=True):
            slots = m.at_rows(np.unique(g, return_inverse=True)[1]) + n * ~is_positive
            placed = slots.take(order).astype(width)
            self.rows.append(sparse.csc_array((ones, placed, ends), shape=(2 * n, self.units)))

    def spread(self, influences: Sequence[ScoreInfluences]) -> float:
        """Σ over clusters of their squared influence on the difference, as the joined tables have it."""
        one, two = (rows.T @ np.concatenate(i) for rows, i in zip(self.rows, influences, strict=True))
        return float(((one - two) ** 2).sum())

    def masses(self, replicates: range) -> list[Masses]:
        """Positives and negatives at each joined score (replicates, scores), of the first model and of the second."""
        often = np.stack([row_weights(self.units, self.seed, b) for b in replicates], axis=1).astype(np.float64)
        masses = [np.ascontiguousarray((rows @ often).T) for rows in self.rows]
        return [(f[:, :n], f[:, n:]) for f, n in zip(masses, self.sizes, strict=True)]


# Rows times replicates up to which every row is drawn by itself.
VISITS = 40_000_000
# Numbers held at a time; they should stay in the processor's cache.
BLOCK = 1 << 16
# By such a factor joining may change the standard error, which is taken back; beyond it rows are drawn one by one.
TRUSTED = 1.5
JOINED = "many rows: neighbouring scores drawn together"


class Replicates(NamedTuple):
    """The difference on the sample, in each replicate (NaN where it is undefined), and a word on how they were made."""

    estimate: float
    values: Floats
    note: str = ""


def paired_replicates(
    measure: Measure,
    is_positive: Flags,
    first: Floats,
    second: Floats,
    *,
    draws: int,
    seed: int,
    clusters: Codes | None = None,
    options: MetricOptions | None = None,
) -> Replicates:
    """First − second in `draws` replicates; with `clusters` (codes from 0 up) whole clusters are drawn.

    >>> from trueerror.metrics._registry import find_measure
    >>> is_positive = np.array([True, False] * 20)
    >>> measure, scores = find_measure("average_precision"), np.arange(40.0)
    >>> made = paired_replicates(measure, is_positive, is_positive + 0.0, scores, draws=50, seed=1)
    >>> round(made.estimate, 3), len(made.values), made.note
    (0.5, 50, '')
    """
    columns = [np.asarray(s, dtype=np.float64) for s in (first, second)]
    apart = int(np.argmax(columns[0] != columns[1])) if len(is_positive) else 0
    if len(is_positive) and columns[0][apart] > columns[1][apart]:
        # One order of the two for both questions: exchanging the models turns every sign and changes nothing else.
        turned = paired_replicates(
            measure, is_positive, second, first, draws=draws, seed=seed, clusters=clusters, options=options
        )  # fmt: skip
        return Replicates(-turned.estimate, -turned.values, turned.note)
    pair = _Pair(measure, is_positive, columns, options)
    estimate = float(pair.differences([m.table for m in pair.models]))
    if len(is_positive) * draws > VISITS:
        values = pair.by_cells(draws, seed, clusters, estimate)
        if values is not None:
            return Replicates(estimate, values, JOINED)
    return Replicates(estimate, pair.by_rows(draws, seed, clusters))


class _Pair:
    """Two models' scores on the same rows, and a metric of them."""

    def __init__(
        self, measure: Measure, is_positive: Flags, columns: list[Floats], options: MetricOptions | None
    ) -> None:
        self.measure, self.options, self.is_positive = measure, dict(options or {}), is_positive
        self.models = in_threads(lambda scores: OrderedScores(is_positive, scores), columns)

    def differences(self, tables: Sequence[ScoreTable], masses: Sequence[Any] = (None, None)) -> Floats:
        """First − second, by the tables' own rows or by other masses (…, scores)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            one, two = (
                np.asarray(self.measure.function(t, m, **self.options), dtype=np.float64)
                for t, m in zip(tables, masses, strict=True)
            )
            return np.asarray(one - two)

    def influences(self, tables: Sequence[ScoreTable]) -> list[ScoreInfluences] | None:
        """How far a row at each score moves either model's metric; None where that is not known."""
        influences = [score_influences(self.measure, t, self.options) for t in tables]
        known = [i for i in influences if i is not None]
        return known if len(known) == len(influences) else None

    def _spread(self, clusters: Codes | None) -> float | None:
        """Σ over the rows, or clusters, of their squared influence on the difference; None where that is not known."""
        moved = np.zeros(len(self.is_positive))
        # One model after the other: the influences of ten million scores take as much memory as their table.
        for model, sign in zip(self.models, (1.0, -1.0), strict=True):
            influences = score_influences(self.measure, model.table, self.options)
            if influences is None:
                return None
            moved += sign * model.influences_at_rows(influences)
        if clusters is not None:
            moved = np.bincount(clusters, weights=moved).astype(np.float64)
        return float((moved * moved).sum())

    def by_rows(self, draws: int, seed: int, clusters: Codes | None) -> Floats:
        """Every row drawn by itself, or as often as its cluster."""
        units = len(self.is_positive) if clusters is None else int(clusters.max()) + 1
        tables = [m.table for m in self.models]
        step = max(1, BLOCK // max(1, len(self.is_positive)))

        def several(start: int) -> Floats:
            weights = np.stack([row_weights(units, seed, b) for b in range(start, min(start + step, draws))])
            if clusters is not None:
                weights = weights.take(clusters, axis=-1)
            return self.differences(tables, [m.masses(weights) for m in self.models])

        return np.concatenate([np.empty(0), *in_threads(several, range(0, draws, step))])

    def by_cells(self, draws: int, seed: int, clusters: Codes | None, estimate: float) -> Floats | None:
        """Joined scores drawn as a whole; None where that would change too much, or by how much is not known."""
        before = self._spread(clusters)
        if before is None:
            return None
        drawn: DrawnCells | DrawnClusters
        if clusters is None:
            joint = joint_cells(self.is_positive, self.models)
            drawn, tables = DrawnCells(joint, seed), list(joint.tables)
            coarse = self.influences(tables)
            after = math.nan if coarse is None else joint.spread(coarse)
        else:
            drawn = DrawnClusters(self.is_positive, self.models, clusters, seed)
            tables = drawn.tables
            coarse = self.influences(tables)
            after = math.nan if coarse is None else drawn.spread(coarse)
        if before == after == 0:
            return np.full(draws, estimate)
        scale = math.sqrt(before / after) if after > 0 else math.nan
        if not 1 / TRUSTED <= scale <= TRUSTED:
            return None
        centre = float(self.differences(tables))

        def several(start: int) -> Floats:
            return self.differences(tables, drawn.masses(range(start, min(start + drawn.step, draws))))

        values = np.concatenate([np.empty(0), *in_threads(several, range(0, draws, drawn.step))])
        return np.asarray(estimate + (values - centre) * scale)


ALIKE = "all replicates are alike: limits by the rule of three"


def paired_score_contrast(
    measure: Measure,
    is_positive: Flags,
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[Any] | None = None,
    options: MetricOptions | None = None,
    replicates: int = 2_000,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Rng = None,
) -> Contrast:
    """First − second with expanded percentile limits: rows, or whole clusters, are drawn again, the same for both.

    Replicates of m rows vary like a mean with the divisor m, and percentiles read them like a normal: with few rows
    the limits are too narrow, as z·√((m − 1)/m) is for t. So the quantiles are those of Φ(−√(m/(m − 1))·t) with m − 1
    degrees of freedom, m the rows (or clusters) of the rarer class. Replicates in which the metric is undefined (a
    class without rows) are left out; where all are alike the limits are those of the rule of three. With so few rows
    that less than one replicate is expected beyond such a quantile the limits are estimate ± t·√(m/(m − 1))·sd of the
    replicates; a single row of a class shows no spread, and the limits are the whole range. The p-value is the level
    at which a limit reaches 0.

    Source: Hesterberg 2015, The American Statistician 69:371, section 4; Efron and Tibshirani 1993, An Introduction to
    the Bootstrap, chapters 13 and 16.

    >>> from trueerror.metrics._registry import find_measure
    >>> draw = np.random.default_rng(0)
    >>> is_positive = np.arange(60) < 30
    >>> good, poor = (draw.standard_normal(60) + pull * is_positive for pull in (3.0, 0.3))
    >>> c = paired_score_contrast(find_measure("average_precision"), is_positive, good, poor)
    >>> c.low > 0, c.p_value < 0.01, c.method
    (True, True, 'paired-bootstrap-expanded')
    """
    if len(is_positive) == 0:
        raise InputError("there are no rows to compare")
    source, seed = generator(rng)
    key = seed_of(source)
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    estimate, values, how = paired_replicates(
        measure, is_positive, first, second, draws=replicates, seed=key, clusters=codes, options=options
    )
    if math.isnan(estimate):
        raise InputError(f"{measure.name} is undefined: {measure.undefined or 'a class has no rows'}")
    apart = [int(side.sum()) if codes is None else len(np.unique(codes[side])) for side in (is_positive, ~is_positive)]
    low, high = measure.range
    reach = low - high, high - low
    judged = _judged(estimate, values[~np.isnan(values)], apart, tail_area(confidence, alternative), alternative, reach)
    units = "rows" if codes is None else "clusters"
    notes = [judged.note.format(units=units)] if judged.note else []
    if codes is not None:
        notes.append(f"{int(codes.max()) + 1:,} clusters drawn whole")
    notes += [word for word in (how, f"{replicates:,} replicates, {seed}") if word]
    better = judged.ahead if measure.higher_is_better is not False else 1 - judged.ahead
    return contrast(
        estimate=estimate, limits=judged.limits, whole=reach, confidence=confidence, alternative=alternative,
        method="paired-bootstrap-expanded", statistic=estimate, p_value=judged.p_value, n=len(is_positive),
        notes=tuple(notes), p_better=None if math.isnan(better) else better, p_at_most=judged.at_most,
    )  # fmt: skip


class _Judged(NamedTuple):
    """What replicates say: both limits, the p-value that goes with them, P(difference > 0), and a word.

    `at_most`: no more replicates reached 0 than would have in any case, so p is the smallest that they can show.
    """

    limits: Limits
    p_value: float
    ahead: float
    note: str = ""
    at_most: bool = False


def _judged(
    estimate: float, values: Floats, apart: list[int], tail: float, alternative: Alternative, reach: Limits
) -> _Judged:
    """Limits and p-value by one and the same rule, so that 0 lies outside just when p is below the level."""
    m = min(apart)
    if m < 2 or len(values) < 2:
        few = f"{m} {{units}} of the rarer class" if m != 1 else "a single one of the {units} has the rarer class"
        return _Judged(reach, 1.0, math.nan, f"{few}: no spread to judge by, so the limits are the whole range")
    ahead = float((values > 0).mean() + 0.5 * (values == 0).mean())
    share = expanded_tail(tail, m)
    by_t = share * len(values) < 1
    spread = math.sqrt(m / (m - 1)) * float(values.std())
    if by_t:
        half = -float(special.stdtrit(m - 1, tail)) * spread
        limits = estimate - half, estimate + half
    else:
        limits = bootstrap_limits(estimate, values, tail=share, method="percentile")
    if np.ptp(values) == 0 or not limits[1] > limits[0]:
        half = _rule_of_three(tail, apart)
        p = _rule_of_three_p(estimate, apart, alternative)
        return _Judged((estimate - half, estimate + half), p, ahead, ALIKE)
    if by_t:
        t = estimate / spread
        note = f"{m} {{units}} of the rarer class, too few for percentiles: Student's t from the replicates' spread"
        return _Judged(limits, student_p(t, m - 1.0, alternative), float(special.stdtr(m - 1, t)), note)
    if alternative != "two-sided":
        reaching = _share_reaching_0(values, alternative)
        return _Judged(limits, narrowed_tail(reaching, m), ahead, at_most=reaching <= _least(values))
    if estimate == 0:
        return _Judged(limits, 1.0, ahead)
    # Limits always hold the estimate, so only the one between it and 0 can tell them apart.
    towards: Alternative = "greater" if estimate > 0 else "less"
    reaching = _share_reaching_0(values, towards)
    return _Judged(limits, min(1.0, 2 * narrowed_tail(reaching, m)), ahead, at_most=reaching <= _least(values))


def _least(values: Floats) -> float:
    """The smallest share that replicates can show."""
    return 1 / (1 + len(values))


def _share_reaching_0(values: Floats, alternative: Alternative) -> float:
    """The share whose quantile, between neighbours on a line as the limits are, is 0; never below 1/(1 + B)."""
    ranked = np.sort(values if alternative == "greater" else -values)
    below = int(np.searchsorted(ranked, 0.0, side="right"))
    if below == len(ranked):
        return 1.0
    place = below - 1 - ranked[below - 1] / (ranked[below] - ranked[below - 1]) if below else 0.0
    return max(float(place) / (len(ranked) - 1), _least(values))


def _rule_of_three(tail: float, apart: list[int]) -> float:
    """Σ(1 − tail^(1/k)) over the classes: what k rows that all agree leave possible."""
    return math.fsum(-math.expm1(math.log(tail) / k) for k in apart)


def _rule_of_three_p(estimate: float, apart: list[int], alternative: Alternative) -> float:
    """The level at which the limits of the rule of three reach 0."""
    sign = {"two-sided": abs(estimate), "greater": estimate, "less": -estimate}[alternative]
    if sign <= 0:
        return 1.0
    least = sys.float_info.min
    gap = crossing(lambda x: _rule_of_three(math.exp(x), apart) - sign, math.log(least), -1e-12)
    return min(1.0, (2 if alternative == "two-sided" else 1) * math.exp(gap))


def expanded_tail(tail: float, rows: int) -> float:
    """Φ(−√(m/(m − 1))·t), t the upper quantile of Student's t with m − 1 degrees of freedom.

    >>> round(expanded_tail(0.025, 20), 4), round(expanded_tail(0.025, 10_000), 4)
    (0.0159, 0.025)
    """
    t = float(special.stdtrit(rows - 1, 1 - tail))
    return float(special.ndtr(-math.sqrt(rows / (rows - 1)) * t))


def narrowed_tail(tail: float, rows: int) -> float:
    """The tail whose expansion is this one.

    >>> round(narrowed_tail(expanded_tail(0.025, 20), 20), 6)
    0.025
    """
    z = -float(special.ndtri(tail))
    return float(special.stdtr(rows - 1, -z * math.sqrt((rows - 1) / rows)))
