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
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, leave_out
from trueerror.inference._ordered_scores import OrderedScores
from trueerror.inference._problem import IntervalLimits, Problem
from trueerror.inference._sample import Estimated, OneSample
from trueerror.inference._variance import ClusteredRows, Design, ScoreSample
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.auc._interval import (
    area_on_scale,
    area_sums,
    area_without_clusters,
    effective_rows,
    rows_of_classes,
    squared_weights,
)
from trueerror.inference.bootstrap._tables import (
    ClusterCells,
    coarse_table,
    group_starts,
    one_row_less,
    score_statistic,
)
from trueerror.inference.loss._mean import infinite_limits, mean_of_table
from trueerror.inputs._arrays import Floats, WeightsKind
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
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
from trueerror.metrics.scores import ScoreInfluences, middled
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.tallies._scores import ScoreTable

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreRows(ScoreSample, OneSample):
    """A metric of a score table: `counted` is the table as it came, `rows` its number of rows where weights hide it."""

    counted: ScoreTable
    measure: Measure
    options: MetricOptions
    prior: Prior | None = None
    rows: float | None = None
    tally = "scores"

    @staticmethod
    def of(
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
        kinds: dict[type[ScoreRows], Any] = {
            AreaRows: measure.area, RankedRows: measure.by_rank, MeanLossRows: measure.of_losses, ScoreRows: True,
        }  # fmt: skip
        kind = next(kind for kind, holds in kinds.items() if holds)
        if design == "case-control" and prior is None and not measure.area:
            raise InputError(
                f'{measure.name} depends on how common the positives are, which a sample with design="case-control" '
                "does not show: pass prior= (their share where the model will be used)"
            )
        prior = None if measure.area else prior
        # Probabilities are best read in the middle of a bin; its lowest score is where a threshold is exact.
        used = middled(table) if measure.of_losses or measure.probabilities else table
        return kind(
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
        return float(self.table.n) if self.rows is None else self.rows

    @property
    def clustered(self) -> bool:
        """Whether rows are in clusters."""
        return self.clusters is not None

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        assert self.clusters is not None
        return self.clusters.groups

    def why_undefined(self, q: Problem[Any]) -> str:
        """Why the metric has no value."""
        return undefined_reason(self.measure, self.table, prior=self.prior, **self.options)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """What rows at each score, or clusters, add."""
        notes = () if self.clusters is None else (f"{whole(self.groups)} clusters",)
        rows, units = (self.alike(sizes) for sizes in (effective_rows(self.table), self.class_sizes))
        return Estimated(estimate=score_estimate(q), notes=notes, alike=units, rows=rows)

    @property
    def class_sizes(self) -> tuple[float, float]:
        """As many positives, and negatives, of equal weight; of rows in clusters, as many clusters of equal size."""
        if self.clusters is None:
            return effective_rows(self.table)
        return clusters_of_classes(self.clusters.positive, self.clusters.codes, self.clusters.weights)

    def alike(self, sizes: tuple[float, float]) -> float:
        """Of a metric of ranks as many rows as say as much at the end of its range, by the sizes of the classes."""
        return math.inf

    def widened(self, q: Problem[Any], found: Interval, made: IntervalLimits, chosen: InferenceMethod) -> Interval:
        """The interval widened by what binned scores leave open."""
        if self.counted.exact or math.isnan(found.estimate):
            return found
        return with_bounds(q, found, made, chosen, self.counted, self.prior)


class MeanLossRows(ScoreRows):
    """A mean of losses."""

    __slots__ = ()

    def is_share(self, metric: Measure) -> bool:
        """Whether each of these rows counts 1 or 0, and they count alike."""
        return metric.row_hits and self.share is None and self.table.squares is None

    @property
    def successes(self) -> tuple[float, float]:
        """How many rows count 1, and of how many."""
        hits = loss_moments(self.table, self.measure, **self.options)
        return hits.mean * hits.n, hits.n

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, and of a mean that is infinite."""
        return ScoreRows.nothing(self, q) or infinite_limits(self.estimate)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """The losses of the rows at each score."""
        return Estimated(estimate=mean_of_table(self.measure, self, self.options, q.ends))


class RankedRows(ScoreRows):
    """Average precision."""

    __slots__ = ()

    def alike(self, sizes: tuple[float, float]) -> float:
        """The positives."""
        return sizes[0]


def clusters_of_classes(
    positive: NDArray[np.bool_], codes: NDArray[np.intp], weights: Floats | None = None
) -> tuple[float, float]:
    """As many clusters of equal size as the positives, and the negatives, are in."""
    w = np.ones(len(codes)) if weights is None else weights
    up, down = (effective_clusters(np.bincount(codes[side], weights=w[side])) for side in (positive, ~positive))
    return up, down


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedRows(OneSample):
    """A model's area over rows, or clusters of rows, that were placed for several models at once."""

    made: Estimate
    alike: float
    sizes: tuple[int, int]
    tally = "scores"

    @property
    def value(self) -> float:
        """The area."""
        return float(self.made.value)

    @property
    def n(self) -> float:
        """How many rows it is of."""
        return float(sum(self.sizes))

    @property
    def clustered(self) -> bool:
        """Whether rows are in clusters."""
        return self.made.sizes is not None

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return len(self.made.units)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """As it was placed."""
        notes = (f"{whole(self.groups)} clusters",) * self.clustered
        return Estimated(estimate=self.made, notes=notes, alike=self.alike, rows=rows_of_classes(self.sizes))


class AreaRows(RankedRows):
    """An area under the ROC curve."""

    __slots__ = ()

    def alike(self, sizes: tuple[float, float]) -> float:
        """As many rows as classes of equal size would have."""
        return rows_of_classes(sizes)


def clustered_scores(
    positive: NDArray[np.bool_],
    scores: NDArray[Any],
    keys: NDArray[np.integer[Any]],
    label: Label = 1,
    weights: NDArray[np.float64] | None = None,
) -> tuple[ScoreTable, ClusteredRows]:
    """Rows with a cluster each, and sampling weights where they have them, as `ScoreRows` takes them.

    >>> from trueerror.inference._answer import interval_of
    >>> from trueerror.inference._problem import IntervalSpec
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
    >>> from trueerror.inference._estimate import ends_of
    >>> from trueerror.metrics._registry import find_measure
    >>> table, auc = ScoreTable.count([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]), find_measure("auc")
    >>> sample = ScoreSample(table=table, estimate=8 / 9)
    >>> made = score_estimate(Problem(metric=auc, sample=sample, spec=IntervalSpec()))
    >>> [round(float(x), 2) for x in ends_of(made, 0.025)]
    [0.27, 0.99]
    """
    s = q.sample
    if s.clusters is not None:
        return _of_clusters(q, s.clusters)
    if q.metric.area and s.table.many and s.table.squares is None:
        return estimate_of_sums(s.estimate, area_sums(s.table, q.metric.area), q.ends)
    return _of_rows(q)


def _of_rows(q: Problem[ScoreSample]) -> Estimate:
    """What rows at each score add; the classes are samples of their own for areas and at another class mix."""
    s, measure = q.sample, q.metric
    table = s.table._at_positives() if measure.by_rank and not measure.area else s.table
    masses = [np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives)]
    samples = [score_units(measure, table, q.options, share=s.share), masses, squared_weights(table)]
    if not measure.area and s.share is None:
        samples = [[np.concatenate(classes)] for classes in samples]
    if table.squares is None:
        each = list(zip(*samples, strict=True))
        value = _unbiased(q, sum(float((rows * u).sum()) for u, rows, _ in each))
        return estimate_of_sums(value, [Sums.of(u, rows) for u, rows, _ in each], q.ends)
    parts = [_weighted(*sample) for sample in zip(*samples, strict=True)]
    units, count, sizes = (np.concatenate(x) for x in zip(*parts, strict=True))
    strata = np.repeat(np.arange(len(parts)), len(units) // len(parts))
    value = _unbiased(q, float((count * units).sum()))
    return Estimate(value=np.array(value), units=units, count=count, strata=strata, sizes=sizes, range=q.ends)


def _unbiased(q: Problem[ScoreSample], added: float) -> float:
    """The estimate less its bias, so far as leaving out rows tells it: what all rows add is its negative.

    Average precision is too high on average, since no negative stands before the first one, however dear that is at
    another class mix. Derivatives add up to 0. Source: Quenouille 1956, Biometrika 43:353.
    """
    low, high = q.ends
    value = q.sample.estimate + added
    return value if low < value < high else q.sample.estimate


def _weighted(influences: Floats, masses: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """(n − 1)/n times what is lost without a row of each score, how many there are, (Σw)²/Σw², and their weight."""
    heavy, rows = _row_weights(masses, squares), np.zeros_like(masses)
    np.divide(masses, heavy, out=rows, where=heavy > 0)
    units = (1 - 1 / rows.sum()) * leave_out(heavy / masses.sum(), heavy * influences)
    return np.where(rows > 0, units, 0.0), rows, heavy


def _row_weights(masses: Floats, squares: Floats) -> Floats:
    """What each row of a class and score weighs, Σw²/Σw, as if rows of the same score weighed alike."""
    return np.divide(squares, masses, out=np.zeros_like(masses), where=masses > 0)


def score_units(
    measure: Measure, table: ScoreTable, options: MetricOptions | None = None, *, share: float | None = None
) -> ScoreInfluences:
    """What one row at each score adds to θ: (n − 1)/n times what is lost without it, where the metric knows it.

    Of other metrics it is the derivative, which is the same to first order; where that is not known either, rows are
    left out in turn. n counts the rows, or with `share` those of the class; with weights it is that of a row of the
    mean weight, as if it weighed 1.

    >>> from trueerror.metrics._registry import find_measure
    >>> made = score_units(find_measure("average_precision"), ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7]))
    >>> made.positives.round(3).tolist(), made.negatives.round(3).tolist()
    ([-0.111, 0.0, 0.222], [0.0, -0.111, 0.0])
    """
    if measure.left_out is None:
        slopes = score_influences(measure, table, options, share=share)
        return _each_left_out(measure, table, options or {}, share) if slopes is None else slopes
    # What a row of the mean weight adds, over its weight.
    weight = sum(float(x.sum()) for x in squared_weights(table)) / float(table.n)
    found = measure.left_out([np.asarray(x) / weight for x in (table.positives, table.negatives)], share)
    return ScoreInfluences(*(x / weight for x in found))


def _each_left_out(
    measure: Measure, table: ScoreTable, options: MetricOptions, share: float | None
) -> ScoreInfluences:  # fmt: skip
    """A row of each cell left out in turn; of many scores neighbours are joined."""
    starts, small = group_starts(table), coarse_table(table)
    masses, size = np.concatenate([small.positives, small.negatives]).astype(np.float64), len(small.scores)
    there, heavy = masses > 0, _row_weights(masses, np.concatenate(squared_weights(small)))
    statistic = score_statistic(measure, small, options, share)
    lost = float(statistic(masses[None, :size], masses[None, size:])[0]) - one_row_less(masses, statistic, heavy)
    # What is lost for a unit of weight, so far as it is not the row's part of the whole.
    units = np.zeros(len(masses))
    units[there] = np.where(np.isfinite(lost), lost * (1 / heavy[there] - 1 / masses.sum()), 0.0)
    group = np.searchsorted(starts, np.arange(len(table.scores)), side="right") - 1
    return ScoreInfluences(units[:size][group], units[size:][group])


def _of_clusters(q: Problem[ScoreSample], rows: ClusteredRows) -> Estimate:
    """(G − 1)/G times what the metric loses without each cluster; nothing where it has no value without it."""
    if q.metric.area:
        made = area_without_clusters(rows.positive, rows.scores, rows.codes, rows.weights)
        return area_on_scale(made, q.metric.area)
    cells = ClusterCells.of(q, rows)
    lost = cells.value - cells.one_less()
    units = np.where(np.isfinite(lost), (rows.groups - 1) / rows.groups * lost, 0.0)
    sizes = np.bincount(rows.codes, weights=rows.weights, minlength=rows.groups).astype(np.float64)
    return Estimate(value=np.array(q.sample.estimate), units=units, sizes=sizes, range=q.ends)


def difference_of_scores(
    q: Problem[Any], is_positive: NDArray[np.bool_], scores: tuple[Floats, Floats], clusters: Ints | None = None
) -> Estimate:
    """First − second of a metric of scores over the same rows, or over clusters of them."""
    if clusters is not None:
        one, two = (_of_model(q, is_positive, s, clusters.astype(np.intp)) for s in scores)
        return one - two
    models = in_threads(lambda s: OrderedScores(is_positive, s), scores)
    values = [float(q.metric.function(m.table, **q.options)) for m in models]
    first, second = (m.influences_at_rows(score_units(q.metric, m.table, q.options)) for m in models)
    first -= second
    low, high = q.metric.bounds(q.options)
    return estimate_of_sums(values[0] - values[1], [Sums.of(first)], (low - high, high - low))


def _of_model(q: Problem[Any], is_positive: NDArray[np.bool_], scores: Floats, clusters: NDArray[np.intp]) -> Estimate:
    """One of the models over clusters."""
    table = ScoreTable.from_codes(is_positive, scores, 1)
    rows = ClusteredRows(positive=is_positive, scores=scores, codes=clusters)
    sample = ScoreSample(table=table, estimate=value(q.metric, table, **q.options), clusters=rows)
    return score_estimate(replace(q, sample=sample))
