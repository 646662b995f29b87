"""A metric of scores as an `Estimate`: rows at random, in clusters, with weights, or at another class mix.

What a row at each score adds is what the metric loses without it, or its derivative (`score_units`); where neither is
known, each row is left out in turn. A cluster, and a weighted row, is always left out. The two classes are samples of
their own for areas under the ROC curve, whose standard error is then DeLong's, and at another class mix.

Of very many rows only sums over them are kept: `estimate_of_sums` gives the same standard error and degrees of freedom
from three units for each sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._binned_limits import with_bounds
from trueerror.inference._clusters import effective_clusters, without_gaps
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, left_out
from trueerror.inference._ordered_scores import OrderedScores
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range
from trueerror.inference._sample import Estimated, OneSample
from trueerror.inference._variance import ClusteredRows, Design, ScoreSample
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
from trueerror.inference.bootstrap._tables import ClusterCells, coarse_table, one_row_less, score_statistic
from trueerror.inference.loss._mean import infinite_limits, mean_of_table
from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, generator
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import InferenceMethod
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    loss_moments,
    score_share,
    undefined_reason,
    value,
)
from trueerror.metrics.scores import middled
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
# Rows are left out one by one of a metric without a known derivative up to so many, else in so many parts.
MOST_PARTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreRows(ScoreSample, OneSample):
    """A metric of a score table: `counted` is the table as it came, `rows` its number of rows where weights hide it."""

    counted: ScoreTable
    measure: Measure
    options: MetricOptions
    prior: Prior | None = None
    rows: float | None = None
    tally = "scores"

    @classmethod
    def of(
        cls,
        measure: Measure,
        table: ScoreTable,
        options: MetricOptions,
        *,
        prior: Prior | None = None,
        design: Design = "random",
        clusters: ClusteredRows | None = None,
        rows: float | None = None,
    ) -> ScoreRows:
        """The metric of a table, at another share of positives, of rows in clusters."""
        if not (measure.of_scores or measure.of_losses):
            raise InputError(f"{measure.name} cannot be computed from a score table; it needs labels")
        if design == "case-control" and prior is None and not measure.area:
            raise InputError(
                f'{measure.name} depends on how common the positives are, which a sample with design="case-control" '
                "does not show: pass prior= (their share where the model will be used)"
            )
        prior = None if measure.area else prior
        # Probabilities are best read in the middle of a bin; its lowest score is where a threshold is exact.
        used = middled(table) if measure.of_losses or measure.probabilities else table
        return cls(
            table=used, counted=table, measure=measure, options=options, prior=prior, design=design, clusters=clusters,
            estimate=value(measure, used, prior=prior, **options), rows=rows,
            share=None if prior is None else score_share(prior, used),
        )  # fmt: skip

    @property
    def value(self) -> float:
        """The metric."""
        return self.estimate

    @property
    def n(self) -> float:
        """How many rows it is of; a table of weighted rows knows what they weigh, not how many they are."""
        if self.rows is not None:
            return self.rows
        return float(self.table.n if self.clusters is None else len(self.clusters.positive))

    @property
    def clustered(self) -> bool:
        """Whether rows are in clusters."""
        return self.clusters is not None

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        assert self.clusters is not None
        return self.clusters.groups

    def is_share(self, metric: Measure) -> bool:
        """Whether each of these rows counts 1 or 0, and they count alike."""
        return metric.row_hits and self.share is None and self.table.squares is None

    @property
    def successes(self) -> tuple[float, float]:
        """How many rows count 1, and of how many."""
        hits = loss_moments(self.table, self.measure, **self.options)
        return hits.mean * hits.n, hits.n

    def why_undefined(self, q: Problem[Any]) -> str:
        """Why the metric has no value."""
        return undefined_reason(self.measure, self.table, prior=self.prior, **self.options)

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, of one cluster, and of a mean loss that is infinite."""
        return super(ScoreRows, self).nothing(q) or infinite_limits(self.estimate)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """What rows at each score, or clusters, add; at the ends of its range an area has limits of its own."""
        if self.measure.of_losses:
            return Estimated(estimate=mean_of_table(self.measure, self, self.options, q.ends))
        notes = () if self.clusters is None else (f"{whole(self.groups)} clusters",)
        return Estimated(estimate=score_estimate(q), notes=notes, instead=lambda: self._at_the_end(q, notes))

    def _at_the_end(self, q: Problem[Any], notes: tuple[str, ...]) -> IntervalLimits | None:
        """Newcombe's method 5 of areas without spread, and Wilson's interval at the positives of average precision."""
        if not self.measure.by_rank:
            return None
        positives, negatives = effective_rows(self.table)
        if self.clusters is not None:
            parts = (self.clusters.take(side) for side in (self.clusters.positive, ~self.clusters.positive))
            positives, negatives = (effective_clusters(np.bincount(x.codes, weights=x.weights)) for x in parts)
        if not self.measure.area:
            low, high, key, why = average_precision_limits(self.estimate, positives, q.spec)
            return IntervalLimits(low, high, key, (*notes, why))
        why = "one row in a class" if min(positives, negatives) < 2 else "no variance in the order of the scores"
        area = of_area(self.measure, self.estimate)
        pair = newcombe_area_limits(area, positives, negatives, max(q.spec.factor(), 0.0))
        why = f"{why}: Newcombe's method 5 instead"
        return on_scale(self.measure, IntervalLimits(*pair, "newcombe-auc", (*notes, why)))

    def widened(self, q: Problem[Any], found: Interval, made: IntervalLimits, chosen: InferenceMethod) -> Interval:
        """The interval widened by what binned scores leave open."""
        if self.counted.exact or math.isnan(found.estimate):
            return found
        return with_bounds(q, found, made, chosen, self.counted, self.prior)


def clustered_scores(
    positive: NDArray[np.bool_],
    scores: NDArray[Any],
    keys: NDArray[np.integer[Any]],
    label: Label = 1,
    weights: NDArray[np.float64] | None = None,
) -> tuple[ScoreTable, ClusteredRows]:
    """Rows with a cluster each, and sampling weights where they have them, as `ScoreRows` takes them.

    >>> from trueerror.inference._answer import interval_of
    >>> from trueerror.metrics._registry import find_measure
    >>> positive, keys, auc = np.array([False, True] * 20), np.repeat(np.arange(10), 4), find_measure("auc")
    >>> table, rows = clustered_scores(positive, np.arange(40) % 7 + positive, keys)
    >>> q = Problem(metric=auc, sample=ScoreRows.of(auc, table, {}, clusters=rows), spec=IntervalSpec())
    >>> interval_of(q).method
    'effective-t'
    """
    rows = ClusteredRows(positive=positive, scores=scores, codes=without_gaps(keys), weights=weights)
    kind: WeightsKind | None = None if weights is None else "sampling"
    return ScoreTable.from_codes(positive, scores, label, weights=weights, weights_kind=kind), rows


def score_estimate(q: Problem[ScoreSample]) -> Estimate:
    """The metric of a score table, and what its rows, or clusters, add to it.

    Of a table of very many scores an area knows the sums of squared placements alone: its degrees of freedom are then
    Welch's, from the sizes of the classes.

    >>> from trueerror.inference._problem import IntervalSpec
    >>> from trueerror.inference._estimate import limits
    >>> from trueerror.metrics._registry import find_measure
    >>> table, auc = ScoreTable.count([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]), find_measure("auc")
    >>> sample = ScoreSample(table=table, estimate=8 / 9)
    >>> made = score_estimate(Problem(metric=auc, sample=sample, spec=IntervalSpec()))
    >>> [round(float(x), 2) for x in limits(made, 0.025)]
    [0.27, 0.99]
    """
    s = q.sample
    if s.clusters is not None:
        return _of_clusters(q, s.clusters, q.ends)
    if q.metric.area and s.table.many and s.table.squares is None:
        _, *among = s.table.placement_sums()
        sizes = float(s.table.n_positive), float(s.table.n_negative)
        sums = [Sums(n, total * (q.metric.area / n) ** 2) for n, total in zip(sizes, among, strict=True)]
        return estimate_of_sums(s.estimate, sums, q.ends)
    return _of_rows(q)


def _of_rows(q: Problem[ScoreSample]) -> Estimate:
    """What rows at each score add: their derivative, or what the metric loses without them."""
    s, measure = q.sample, q.metric
    table = s.table._at_positives() if measure.by_rank and not measure.area else s.table
    influences = score_units(measure, table, q.options, share=s.share)
    if influences is None:
        table = coarse_table(table)
        units = _each_left_out(q, table)
    elif table.squares is None:
        units = np.concatenate(influences)
    else:
        units = _weighed(q, table, np.concatenate(influences))
    return _of_cells(q, table, units)


def _classes_apart(q: Problem[ScoreSample]) -> bool:
    """Whether the classes are samples of their own."""
    return bool(q.metric.area) or q.sample.share is not None


def _of_cells(q: Problem[ScoreSample], table: ScoreTable, units: Floats) -> Estimate:
    """The estimate whose rows of each class and score add so much; of equal rows sums tell as much."""
    s, masses, apart = q.sample, _masses(table), _classes_apart(q)
    if table.squares is None:
        parts = np.split(np.arange(len(masses)), 2) if apart else [slice(None)]
        return estimate_of_sums(s.estimate, [Sums.of(units[part], masses[part]) for part in parts], q.ends)
    heavy, rows = _equal_rows(table)
    strata = np.repeat([0, 1], len(table.scores)) if apart else None
    return Estimate(value=np.array(s.estimate), units=units, count=rows, strata=strata, sizes=heavy, range=q.ends)


def _masses(table: ScoreTable) -> Floats:
    return np.concatenate([table.positives, table.negatives]).astype(np.float64)


def _weighed(q: Problem[ScoreSample], table: ScoreTable, influences: Floats) -> Floats:
    """As of clusters, (n − 1)/n times what is lost without a row: equal weights are rows."""
    heavy, rows = _equal_rows(table)
    whole, n = (_of_samples(x, _classes_apart(q)) for x in (_masses(table), rows))
    return np.where(rows > 0, (1 - 1 / n) * left_out(heavy / whole, heavy * influences), 0.0)


def _of_samples(cells: Floats, apart: bool) -> Floats:
    """The sum of all cells, or of those of the same class, at each cell."""
    sums = cells.reshape(2, -1).sum(axis=1) if apart else cells.sum()
    return np.repeat(sums, len(cells) // sums.size)


def _equal_rows(table: ScoreTable) -> tuple[Floats, Floats]:
    """What each row of a score weighs, Σw²/Σw, and how many such rows there are, (Σw)²/Σw²."""
    masses = _masses(table)
    if table.squares is None:
        return np.ones(len(masses)), masses
    heavy = np.where(masses > 0, np.concatenate(list(table.squares)) / np.where(masses > 0, masses, 1.0), 0.0)
    return heavy, np.where(heavy > 0, masses / np.where(heavy > 0, heavy, 1.0), 0.0)


def _each_left_out(q: Problem[ScoreSample], table: ScoreTable) -> Floats:
    """A row of each cell left out in turn, of a metric whose derivative is not known."""
    masses, (heavy, rows) = _masses(table), _equal_rows(table)
    n, size, there = float(rows.sum()), len(table.scores), masses > 0
    statistic = score_statistic(q.metric, table, q.options, q.sample.share)
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
    lost = cells.value - cells.one_less()
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
