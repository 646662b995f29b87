"""A metric of scores as an `Estimate`: rows at random, in clusters, with weights, or at another class mix.

What a row at each score adds is what the metric loses without it, or its derivative (`score_units`); where neither is
known, each row is left out in turn. A cluster, and a weighted row, is always left out. The two classes are samples of
their own for areas under the ROC curve, whose standard error is then DeLong's, and at another class mix.

Of very many rows only sums over them are kept: `estimate_of_sums` gives the same standard error and degrees of freedom
from three units for each sample.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import effective_clusters
from trueerror.inference._effective_t import KEY, effective_t_limits
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, left_out, spread
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range
from trueerror.inference._variance import ClusteredRows, ScoreSample
from trueerror.inference.auc._average_precision import average_precision_limits
from trueerror.inference.auc._influences import score_units
from trueerror.inference.auc._interval import (
    CentredPlacements,
    area_without_clusters,
    effective_rows,
    newcombe_area_limits,
    of_area,
    on_scale,
)
from trueerror.inference.bootstrap._paired_scores import BLOCK, OrderedScores
from trueerror.inference.bootstrap._tables import ClusterCells, coarse_table, one_row_less, score_statistic
from trueerror.inputs._options import generator
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import Default, inference_method
from trueerror.metrics._registry import value
from trueerror.results._format import whole
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import MANY, ScoreTable

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
# Rows are left out one by one of a metric without a known derivative up to so many, else in so many parts.
MOST_PARTS = 2_000


def score_estimate(q: Problem[ScoreSample]) -> Estimate:
    """The metric of a score table, and what its rows, or clusters, add to it.

    Of a table of very many scores an area knows the sums of squared placements alone: its degrees of freedom are then
    Welch's, from the sizes of the classes.

    >>> from trueerror.inference._problem import IntervalSpec
    >>> from trueerror.inference._estimate import limits
    >>> from trueerror.metrics._registry import find_measure
    >>> table, auc = ScoreTable.count([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]), find_measure("auc")
    >>> made = score_estimate(Problem(situation="auc", metric=auc, sample=ScoreSample(table=table, estimate=8 / 9),
    ...                               spec=IntervalSpec()))
    >>> [round(float(x), 2) for x in limits(made, 0.025)]
    [0.27, 0.99]
    """
    s, measure = q.sample, q.metric
    bounds = measure.bounds(q.options)
    if s.clusters is not None:
        return _of_clusters(q, s.clusters, bounds)
    table = s.table
    if measure.area and table.many and table.n >= MANY and table.squares is None:
        _, *among = table.placement_sums()
        sizes = float(table.n_positive), float(table.n_negative)
        sums = [Sums(n, total * (measure.area / n) ** 2) for n, total in zip(sizes, among, strict=True)]
        return estimate_of_sums(s.estimate, sums, bounds)
    if measure.by_rank and not measure.area:
        table = table._at_positives()
    influences = score_units(measure, table, q.options, share=s.share)
    if influences is None:
        table = coarse_table(table)
    masses = np.concatenate([table.positives, table.negatives]).astype(np.float64)
    heavy, rows = _equal_rows(table, masses)
    apart = bool(measure.area) or s.share is not None
    if influences is None:
        units = _each_left_out(q, table, masses, heavy, float(rows.sum()))
    else:
        units = np.concatenate(influences)
        if table.squares is not None:
            # As of clusters, (n − 1)/n times what is lost: equal weights are rows.
            whole, n = (_of_samples(x, apart) for x in (masses, rows))
            units = np.where(rows > 0, (1 - 1 / n) * left_out(heavy / whole, heavy * units), 0.0)
    if table.squares is None:
        parts = np.split(np.arange(len(masses)), 2) if apart else [slice(None)]
        return estimate_of_sums(s.estimate, [Sums.of(units[part], masses[part]) for part in parts], bounds)
    strata = np.repeat([0, 1], len(table.scores)) if apart else None
    return Estimate(value=np.array(s.estimate), units=units, count=rows, strata=strata, sizes=heavy, range=bounds)


def _of_samples(cells: Floats, apart: bool) -> Floats:
    """The sum of all cells, or of those of the same class, at each cell."""
    sums = cells.reshape(2, -1).sum(axis=1) if apart else cells.sum()
    return np.repeat(sums, len(cells) // sums.size)


def _equal_rows(table: ScoreTable, masses: Floats) -> tuple[Floats, Floats]:
    """What each row of a score weighs, Σw²/Σw, and how many such rows there are, (Σw)²/Σw²."""
    if table.squares is None:
        return np.ones(len(masses)), masses
    heavy = np.where(masses > 0, np.concatenate(list(table.squares)) / np.where(masses > 0, masses, 1.0), 0.0)
    return heavy, np.where(heavy > 0, masses / np.where(heavy > 0, heavy, 1.0), 0.0)


def _each_left_out(q: Problem[ScoreSample], table: ScoreTable, masses: Floats, heavy: Floats, n: float) -> Floats:
    """A row of each cell left out in turn, of a metric whose derivative is not known."""
    statistic, size, there = score_statistic(q.metric, table, q.options, q.sample.share), len(table.scores), masses > 0
    lost = float(statistic(masses[None, :size], masses[None, size:])[0]) - one_row_less(masses, statistic, heavy)
    units = np.zeros(len(masses))
    units[there] = np.where(np.isfinite(lost), (n - 1) / n * lost, 0.0)
    return units


def _of_clusters(q: Problem[ScoreSample], rows: ClusteredRows, bounds: Range) -> Estimate:
    """(G − 1)/G times what the metric loses without each cluster."""
    s = q.sample
    if q.metric.area:
        units = q.metric.area * area_without_clusters(rows.positive, rows.scores, rows.codes, rows.weights).units
    else:
        units = units_of_clusters(q, rows)
    sizes = np.bincount(rows.codes, weights=rows.weights, minlength=rows.groups).astype(np.float64)
    return Estimate(value=np.array(s.estimate), units=units, sizes=sizes, range=bounds)


def units_of_clusters(q: Problem[ScoreSample], rows: ClusteredRows) -> Floats:
    """What each cluster adds to a metric of scores; nothing where the metric has no value without it."""
    cells = ClusterCells.of(q, rows)
    lost = float(cells.evaluate(cells.total)[0]) - cells.one_less()
    return np.where(np.isfinite(lost), (rows.groups - 1) / rows.groups * lost, 0.0)


def estimate_of_influences(value: float, sums: Floats, sizes: Floats, bounds: Range) -> Estimate:
    """Clusters left out to first order: what each moves an estimate by, as its rows' influences add up."""
    groups = len(sums)
    units = (groups - 1) / groups * left_out(sizes / float(sizes.sum()), sums)
    return Estimate(value=np.array(value), units=units, sizes=sizes, range=bounds)


def difference_of_areas(found: CentredPlacements | Placements, first: int, second: int, scale: float) -> Estimate:
    """First − second over the same rows, the classes drawn apart: its variance is DeLong's.

    Where the rows are beyond the memory budget only sums of squared placements are known, and the degrees of freedom
    are Welch's, from the sizes of the classes.
    """
    if isinstance(found, CentredPlacements):
        sums = []
        for side in (found.positives, found.negatives):
            apart = side[first] - side[second]
            apart *= scale / side.shape[1]
            sums.append(Sums.of(apart))
    else:
        w = np.zeros(len(found.areas))
        w[first], w[second] = 1.0, -1.0
        parts = ((found.positives, found.among_positives), (found.negatives, found.among_negatives))
        sums = [Sums(size, float(w @ among @ w) * (scale / size) ** 2) for size, among in parts]
    return estimate_of_sums(scale * float(found.areas[first] - found.areas[second]), sums, (-scale, scale))


def difference_of_scores(
    q: Problem[Any], is_positive: NDArray[np.bool_], scores: tuple[Floats, Floats], clusters: Ints | None = None
) -> Estimate:
    """First − second of a metric of scores over the same rows, or over clusters of them."""
    low, high = q.metric.bounds(q.options)
    if clusters is not None:
        rows = (ClusteredRows(positive=is_positive, scores=s, codes=clusters.astype(np.intp)) for s in scores)
        one, two = (score_estimate(_of_model(q, each)) for each in rows)
        return one - two
    models = in_threads(lambda s: OrderedScores(is_positive, s), scores)
    values = [float(q.metric.function(m.table, **q.options)) for m in models]
    influences = [score_units(q.metric, m.table, q.options) for m in models]
    if influences[0] is None or influences[1] is None:
        parts = _parts_of_rows(len(is_positive), q.spec)
        first, second = (_rows_left_out(q, m, parts) for m in models)
    else:
        first, second = (m.influences_at_rows(i) for m, i in zip(models, influences, strict=True) if i is not None)
    first -= second
    return estimate_of_sums(values[0] - values[1], [Sums.of(first)], (low - high, high - low))


def _of_model(q: Problem[Any], rows: ClusteredRows) -> Problem[ScoreSample]:
    """The same question of one of the models."""
    table = ScoreTable.from_codes(rows.positive, rows.scores, 1)
    return replace(q, sample=ScoreSample(table=table, estimate=value(q.metric, table, **q.options), clusters=rows))


def _parts_of_rows(n: int, spec: IntervalSpec) -> Ints:
    """Which part each row belongs to; of many rows parts of equal size at random."""
    if n <= MOST_PARTS:
        return np.arange(n)
    return generator(spec.rng)[0].permutation(n) % MOST_PARTS


def _rows_left_out(q: Problem[Any], rows: OrderedScores, codes: Ints) -> Floats:
    """What each part of the rows adds to a metric whose derivative is not known: it is left out in turn."""
    groups, step = int(codes.max()) + 1, max(1, BLOCK // len(codes))
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = float(q.metric.function(rows.table, **q.options))
        without = np.concatenate([
            np.atleast_1d(q.metric.function(rows.table, rows.masses((codes != part[:, None]) + 0), **q.options))
            for part in np.split(np.arange(groups), range(step, groups, step))
        ])  # fmt: skip
    lost = whole - without
    return np.where(np.isfinite(lost), (groups - 1) / groups * lost, 0.0)


ONE_RULE = Default(
    why="covers .93–.99 with twenty or more rows of the rarer class, at 1.0 to 1.4 times the width that limits from "
    "the true standard error would have (simulated)"
)


@inference_method(
    KEY,
    answers=("auc", "average-precision", "score-metric"),
    default=dict.fromkeys(("auc", "average-precision", "score-metric"), ONE_RULE),
)
def effective_t_of_scores(q: Problem[ScoreSample]) -> IntervalLimits:
    """What each row or cluster adds; at the ends of the range Newcombe's method 5 (areas) or Wilson's interval."""
    e, rows = score_estimate(q), q.sample.clusters
    note = "" if rows is None else f"{whole(rows.groups)} clusters"
    if float(spread(e).error) > 0:
        return effective_t_limits(e, q.spec, note)
    if not q.metric.area and q.situation != "average-precision":
        return effective_t_limits(e, q.spec, note)
    positives, negatives = effective_rows(q.sample.table)
    if rows is not None:
        parts = (rows.take(side) for side in (rows.positive, ~rows.positive))
        positives, negatives = (effective_clusters(np.bincount(part.codes, weights=part.weights)) for part in parts)
    if not q.metric.area:
        low, high, key, why = average_precision_limits(q.sample.estimate, positives, q.spec)
        return IntervalLimits(low, high, key, (note, why))
    why = "one row in a class" if min(positives, negatives) < 2 else "no variance in the order of the scores"
    area = of_area(q.metric, q.sample.estimate)
    modelled = newcombe_area_limits(area, positives, negatives, max(q.spec.factor(), 0.0))
    return on_scale(q.metric, IntervalLimits(*modelled, "newcombe-auc", (note, f"{why}: Newcombe's method 5 instead")))
