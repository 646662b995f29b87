"""The difference of a metric between two models on the same rows (`_unpaired` has those on rows of their own).

`PairedRows` counts what the pairs of one sample share; a `ModelPair` of it is the sample of a `Problem`. The
methods that answer these questions are registered here, each for the kind of metric that it is for, and call the
statistics of the folders beside this file. A significance test of one's own is one more function here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property, reduce
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._answer import contrast_of, interval_of
from trueerror.inference._clusters import cluster_t_contrast, clusters_left_out, without_gaps
from trueerror.inference._contrast import mirrored, nothing_known, of_better
from trueerror.inference._designs import ClusterUnits, WeightedRows
from trueerror.inference._effective_t import ALONE, KEY, effective_t_contrast
from trueerror.inference._estimate import Estimate
from trueerror.inference._joined import has_two_keys, key_words, views
from trueerror.inference._model_pairs import ROW_REPLICATES, AreaPair, LossPair, ModelPair, Pair, pair_of
from trueerror.inference._problem import IntervalSpec, Problem, Range
from trueerror.inference._score_tables import PlacedRows, clusters_of_classes
from trueerror.inference._variance import ClusteredRows
from trueerror.inference.auc._binned import binned_delong
from trueerror.inference.auc._interval import (
    CentredPlacements,
    area_on_scale,
    area_without_clusters,
    centred_placements,
    estimate_of_areas,
    rows_of_classes,
)
from trueerror.inference.auc._tests import area_contrast
from trueerror.inference.auc._within_folds import FoldedRows, within_folds_contrast
from trueerror.inference.bootstrap._paired import paired_score_contrast
from trueerror.inference.calibration import TOO_NARROW, calibration_contrast
from trueerror.inference.learner._fold_scores import ACROSS, PartScores, fold_codes, part_scores
from trueerror.inference.loss._t_tests import paired_t_of_losses
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._two_samples import difference
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label, need_positive
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError
from trueerror.methods._registry import SAME, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior, prior_of_each, ranks_rows
from trueerror.results import Contrast, Interval
from trueerror.results._values import joined_notes
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import (
    ArraySource,
    ScoredRows,
    SkippedRows,
    class_scored_rows,
    rows_as_clusters,
    scored_rows,
    silence_as_wrong,
    weighted_rows,
)
from trueerror.tallies import Moments, ScoreTable
from trueerror.tallies._moments import Placements

UNWEIGHTED = (
    "{} cannot be compared under sampling weights; metrics of labels, the AUC and mean losses can, and evaluate gives "
    "each model's own interval"
)
NO_PRIOR = (
    "models are compared at another class mix by metrics of labels and by areas, not by {}: leave prior= out, or ask "
    "evaluate for each model's own"
)


class PairedRows:
    """What all pairs of models on the same rows share, counted once and only when a method asks for it."""

    def __init__(
        self,
        p: Predictions,
        measure: Measure,
        options: MetricOptions,
        *,
        threshold: float | None = None,
        prior: Prior | None = None,
        of_class: Label | None = None,
    ) -> None:
        self.of_class = of_class
        measure = measure.on_scale_of(options)
        self.weighted = p.weights_kind == "sampling"
        self.units, self.drawn = "clusters", ClusterUnits
        self._areas: dict[int, Estimate] = {}
        of_tables = measure.of_labels or measure.area
        for asked, offered, why in (
            (self.weighted, of_tables or measure.of_losses, UNWEIGHTED), (prior is not None, of_tables, NO_PRIOR),
        ):  # fmt: skip
            if asked and not offered:
                raise InputError(why.format(measure.name))
        if self.weighted and not p.has_key("clusters"):
            p, self.units, self.drawn = rows_as_clusters(p), "weighted rows", WeightedRows
        # Where rows have two keys, or stand in order of time: those by each key.
        self.views = (has_two_keys(p) and views(p)) or ()
        self.keys = key_words(self.views)
        self.by_key = [
            PairedRows(v.rows, measure, options, threshold=threshold, prior=prior, of_class=of_class)
            for v in self.views
        ]
        self.p, self.measure, self.options, self.threshold = p, measure, options, threshold
        free = prior is None or measure.area or measure.is_prior_free(len(p.labels))
        # The class distribution asked for, where the metric depends on it.
        self.prior = None if free else prior_of_each(prior, p.labels, p.positive)
        self._pairs: dict[tuple[str, str], ModelPair] = {}

    def pair(self, first: str, second: str) -> ModelPair:
        """Two of the models; with gaps on the rows that both answered, whatever the others left out."""
        if (first, second) not in self._pairs:
            several = len(self.p.models) > 2 and not self.measure.of_labels
            if several and any(self.p._unanswered(m, of_labels=False) for m in self.p.models):
                two = self.p.select([first, second])
                rows = PairedRows(two, self.measure, self.options, threshold=self.threshold, prior=self.prior)
            else:
                rows = self
            self._pairs[first, second] = pair_of(rows, first, second)
        return self._pairs[first, second]

    def contrast(self, first: str, second: str, spec: IntervalSpec, method: str | None = None) -> Contrast:
        """First − second, by the method that was asked for or the one that the metric and the rows call for."""
        q = Problem(metric=self.measure, sample=self.pair(first, second), spec=spec, options=self.options)
        return contrast_of(q, method)

    def with_silence(self, model: str, other: str) -> PairedRows | None:
        """The rows that the other answered, with those that the model left out counted as wrong; None without any."""
        of_labels = self.measure.of_labels
        if self.p.missing != "drop" or not self.p._unanswered(model, of_labels=of_labels, threshold=self.threshold):
            return None
        p = silence_as_wrong(self.p, model, other, of_labels=of_labels, threshold=self.threshold)
        if p is None or not p.n:
            return None
        return PairedRows(p, self.measure, self.options, threshold=self.threshold, prior=self.prior)

    def silence_counted(self, c: Contrast, spec: IntervalSpec, method: str | None = None) -> Contrast | None:
        """The model ahead less the other, the rows that it left out counted against it; None where it left out none.

        A p-value of 1 says that nothing is left of the lead.
        """
        up = bool(self.measure.higher_is_better)
        ahead, behind = (c.first, c.second) if (c.estimate > 0) == up else (c.second, c.first)
        rows = self.with_silence(ahead, behind)
        if rows is None:
            return None
        contrast = rows.contrast(c.first, c.second, spec, method)
        contrast = contrast if ahead == c.first else mirrored(contrast)
        return contrast if (contrast.estimate > 0) == up and contrast.p_value <= 1 else replace(contrast, p_value=1.0)

    @property
    def clustered(self) -> bool:
        """Whether rows depend on each other by cluster."""
        return self.p.has_key("clusters")

    @cached_property
    def ranked_within_folds(self) -> bool:
        """Whether rows are ranked, and each fold has a model of its own: then only rows of one fold are compared."""
        if not ranks_rows(self.measure) or not self.p.folded:
            return False
        parts = [self.p.slice(name, "folds").truth_counts() for name in self.p.keys("folds").names]
        return sum(bool((counts > 0).all()) for counts in parts) > 1

    @property
    def large_folds(self) -> bool:
        """Whether each fold has several rows, so that its own scores say something."""
        return bool(self.p.keys("folds").sizes.min() > 1)

    @cached_property
    def parts(self) -> PartScores:
        """The metric of every model on every fold."""
        return part_scores(
            self.p, self.p.models, self.measure, self.options, positive=self.positive, threshold=self.threshold
        )

    @property
    def pooled(self) -> PairedRows:
        """The same rows without their folds."""
        return PairedRows(self.p.without("folds"), self.measure, self.options, threshold=self.threshold)

    @property
    def positive(self) -> Label | None:
        """The positive class, for metrics of one class."""
        if not self.measure.of_one_class:
            return None
        chosen = next((c for c in (self.of_class, self.p.positive) if c is not None), None)
        if chosen is None:
            raise need_positive(self.p.labels, self.measure.name)
        return chosen

    @property
    def reach(self) -> Range:
        """Between which values a difference of losses lies."""
        low, high = self.measure.bounds(self.options)
        return low - high, high - low

    @cached_property
    def columns(self) -> ScoredRows:
        """The models' scores row by row."""
        return scored_rows(self.p, self.p.models)

    @cached_property
    def weighted_columns(self) -> tuple[ScoredRows, Floats | None]:
        """The same with the rows' sampling weights."""
        return weighted_rows(self.p, self.p.models) if self.weighted else (self.columns, None)

    @cached_property
    def cluster_codes(self) -> NDArray[np.intp]:
        """The clusters of these rows, from 0 up."""
        keys = self.weighted_columns[0].clusters
        assert keys is not None
        return without_gaps(keys)

    def area(self, *places: int) -> Estimate:
        """A model's area, once for all pairs that it is in, or that of the first less that of the second."""
        scale = self.measure.area
        if not self.clustered:
            return estimate_of_areas(self.placements, places, scale)
        (up, scores, _), weights = self.weighted_columns
        for place in places:
            if place not in self._areas:
                made = area_without_clusters(up, scores[:, place], self.cluster_codes, weights)
                self._areas[place] = area_on_scale(made, scale)
        return reduce(sub, (self._areas[place] for place in places))

    @property
    def placed(self) -> bool:
        """Whether each model's own area follows from what its differences need, row by row or cluster by cluster."""
        p = self.p
        return (
            bool(self.measure.area) and isinstance(p.source, ArraySource) and p.weights_kind is None and not p.folded
            and len(p.labels) == 2 and p.positive is not None and bool((p.truth_counts() > 0).all())
            and all(m.scores == "one" and not m.absent for m in p.facts.models)
            and (self.clustered or isinstance(self.placements, CentredPlacements))
        )  # fmt: skip

    def own(self, model: str, spec: IntervalSpec) -> Interval:
        """A model's own area, placed as its differences are."""
        alike = rows_of_classes(self.class_sizes)
        if self.clustered:
            alike = rows_of_classes(clusters_of_classes(self.columns.up, self.cluster_codes))
        made = self.area(self.p.models.index(model))
        sample = PlacedRows(made=made, alike=alike, sizes=self.class_sizes)
        return interval_of(Problem(metric=self.measure, sample=sample, spec=spec, options=self.options))

    @cached_property
    def placements(self) -> CentredPlacements | Placements:
        """All models' areas with what each row adds; counted where the rows are when they do not fit into memory."""
        counted = self.p.placements(self.p.models)
        if counted is not None:
            return counted
        up, scores, _ = self.columns
        return centred_placements(up, [scores[:, i] for i in range(scores.shape[1])])

    @property
    def class_sizes(self) -> tuple[int, int]:
        """How many positives and negatives the areas are of."""
        if not self.clustered:
            return self.placements.sizes
        up = self.weighted_columns[0].up
        return int(up.sum()), int((~up).sum())


def both_readings(c: Contrast, counted: Iterable[Contrast]) -> Contrast:
    """A pair whose limits and p-value hold whether the rows that the model ahead left out count as wrong or not."""
    left = [s if s.first == c.first else mirrored(s) for s in counted if {s.first, s.second} == {c.first, c.second}]
    if not left or left[0].p_value <= c.p_value:
        return c
    p, note = left[0].p_value, "limits hold whether the rows left out are right or wrong"
    return replace(
        c, p_value=p, low=min(c.low, left[0].low), high=max(c.high, left[0].high), note=joined_notes(c.note, note),
        statistic=math.nan, p_better=c.p_better if p <= 1 - c.confidence else None,
    )  # fmt: skip


def gaps_from(
    best: str, p: Predictions, measure: Measure, options: MetricOptions, spec: IntervalSpec, **asked: Any
) -> list[Contrast]:
    """The best less each other model; none where these rows cannot be paired, by this metric or in this memory."""
    try:
        rows = PairedRows(p, measure, options, **asked)
        return [rows.contrast(best, other, spec) for other in p.models if other != best]
    except (InputError, MemoryBudgetExceeded):
        return []  # then models are taken as independent, which is wider


def _losses(q: Pair) -> bool:
    return q.metric.of_losses and not q.sample.repeated and not q.sample.is_share(q.metric)


def _scores(q: Pair) -> bool:
    """Metrics of scores, calibration errors apart, whose rows are not ranked within folds."""
    return _ranking(q) and not q.sample.ranks_within_folds(q.metric)


def _ranking(q: Pair) -> bool:
    m = q.metric
    return (m.of_scores or m.of_class_scores) and not m.calibration_error and not q.sample.repeated


def _labels(q: Pair) -> bool:
    return q.metric.of_labels and not q.sample.repeated and not q.sample.is_share(q.metric)


def _shares(q: Pair) -> bool:
    return not q.sample.repeated and q.sample.is_share(q.metric)


def _within_folds(q: Pair) -> bool:
    return _ranking(q) and q.sample.ranks_within_folds(q.metric)


@inference_method("within-folds-paired", on=SAME, word="within-folds", applies=_within_folds)
def within_folds_of_pair(q: Pair) -> Contrast:
    """The mean over folds of the difference within each."""
    rows, two = q.sample.rows, (q.sample.first, q.sample.second)
    folds = fold_codes(rows.p, two)
    if q.metric.of_class_scores:
        of_classes = class_scored_rows(rows.p, two)
        sample = FoldedRows(of_classes.codes, folds, of_classes.clusters)
        first, second = of_classes.scores
        return within_folds_contrast(q.metric, sample, first, second, q.options, q.spec)
    up, scores, clusters = scored_rows(rows.p, two)
    sample = FoldedRows(up.astype(np.int64), folds, clusters)
    return within_folds_contrast(q.metric, sample, scores[:, 0], scores[:, 1], q.options, q.spec)


@inference_method("pooled", on=SAME, applies=_within_folds)
def pooled_of_pair(q: Pair) -> Contrast:
    """All rows in one ranking, as if the folds' scores were on one scale."""
    contrast = contrast_of(replace(q, sample=q.sample.rows.pooled.pair(q.sample.first, q.sample.second)))
    return replace(contrast, note=joined_notes(contrast.note, ACROSS))


@inference_method(
    "corrected-t-test", on=SAME, word="corrected-t", of_learners=True,
    applies=lambda q: q.sample.repeated or (q.sample.rows.p.folded and not q.metric.calibration_error),
)  # fmt: skip
def corrected_t_of_folds(q: Pair) -> Contrast:
    """Fold by fold, with the variance that overlapping training sets add: of the learners behind the models."""
    return q.sample.rows.parts.contrast(q.sample.first, q.sample.second, q.spec)


def _mcnemar(form: Any) -> Callable[[Pair], Contrast]:
    def answer(q: Pair) -> Contrast:
        d = q.sample.discordance
        assert d is not None
        table, spec = [[d.both_right, d.only_first], [d.only_second, d.both_wrong]], q.spec
        made = mcnemar(table, method=form, confidence=spec.confidence, alternative=spec.alternative)
        return of_better(made, q.metric.higher_is_better)

    return answer


for _form in ("mid-p", "exact", "chi2", "chi2-cc"):
    inference_method(f"mcnemar-{_form}", on=SAME, word=_form, applies=_shares)(_mcnemar(_form))


@inference_method(KEY, on=SAME, applies=lambda q: _labels(q) or _losses(q) or _scores(q))
def effective_t_of_pair(q: Pair) -> Contrast:
    """What each row, cluster or weighted row adds to the difference."""
    return q.sample.by_effective_t(q)


@inference_method(
    "paired-bootstrap-bca", on=SAME, word="bootstrap",
    applies=lambda q: (_labels(q) and not q.sample.rows.clustered) or _shares(q),
)  # fmt: skip
def bootstrap_of_pair(q: Pair) -> Contrast:
    """Rows drawn again, for both models together."""
    return q.sample.resampled(q)


def _by_cluster(q: Pair) -> bool:
    m = q.metric
    return q.sample.rows.clustered and (_labels(q) or _losses(q) or ((m.area or m.of_class_scores) and _scores(q)))


@inference_method("cluster-t-difference", on=SAME, word="t", applies=_by_cluster)
def cluster_t_of_pair(q: Pair) -> Contrast:
    """What the difference loses without each cluster, and t on one less than the clusters of equal size."""
    pair = q.sample
    if (nothing := pair.nothing(q, "cluster-t-difference")) is not None:
        return nothing
    made, n = pair.difference(q)
    return cluster_t_contrast(made, q.spec, n=n, higher_is_better=q.metric.higher_is_better, note=pair.note(made))


@inference_method("paired-t-losses", on=SAME, word="t", applies=lambda q: _losses(q) and not q.sample.rows.clustered)
def t_of_paired_losses(q: Problem[LossPair]) -> Contrast:
    """Student's t of the differences of row losses."""
    pair, moments = q.sample, q.sample.losses
    assert isinstance(moments, Moments)
    return pair.nothing(q, "paired-t-losses") or paired_t_of_losses(
        moments, pair.rows.reach, q.spec, higher_is_better=q.metric.higher_is_better
    )


DELONG = "delong-paired-t"


@inference_method(DELONG, on=SAME, word="delong", applies=lambda q: q.metric.area and _scores(q) and q.sample.plain)
def delong_of_pair(q: Problem[AreaPair]) -> Contrast:
    """DeLong's covariance of the two areas."""
    if any(left_open := q.sample.left_open):
        return binned_delong(q.sample.areas(), *left_open, q.spec, n=q.sample.rows.p.n, method=DELONG)
    c, scale = area_contrast(q.sample.rows.placements, *q.sample.places, q.spec), q.metric.area
    return replace(c, estimate=scale * c.estimate, low=scale * c.low, high=scale * c.high)


def _gaps(q: Pair) -> bool:
    return q.metric.calibration_error and not q.sample.repeated


@inference_method(
    "paired-bootstrap-percentile", on=SAME, word="bootstrap",
    applies=lambda q: _gaps(q) or (q.metric.of_scores and _scores(q)),
)  # fmt: skip
def bootstrap_of_scores(q: Pair) -> Contrast:
    """Rows, or whole clusters, drawn again, the same ones for both models."""
    pair = q.sample
    up, scores, keys = pair.rows.columns
    one, two = (scores[:, place] for place in pair.places)

    def instead(why: str) -> Contrast:
        made = pair.by_effective_t(q)
        return replace(made, note=joined_notes(why, made.note))

    made = paired_score_contrast(
        q, up, one, two, clusters=keys, replicates=min(q.spec.replicates, ROW_REPLICATES), instead=instead
    )
    if not q.metric.calibration_error:
        return made
    return replace(made, note=joined_notes(TOO_NARROW, made.note))


@inference_method("calibration-gaps-difference", on=SAME, word="gaps", applies=_gaps)
def gaps_of_pair(q: Pair) -> Contrast:
    """Two calibration errors, from each model's own limits."""
    up, scores, keys = q.sample.rows.columns
    columns = [scores[:, place] for place in q.sample.places]
    tables = [ScoreTable.from_codes(up, column, 1) for column in columns]
    codes = np.arange(len(up)) if keys is None else np.unique(keys, return_inverse=True)[1]
    if codes.max(initial=0) == 0:
        values = [float(q.metric.function(table, **q.options)) for table in tables]
        return nothing_known(
            values[0] - values[1], "one cluster alone shows no spread between clusters" if len(up) > 1 else ALONE,
            q.spec, method="calibration-gaps-difference", n=len(up), whole=q.sample.rows.reach,
        )  # fmt: skip
    clusters: tuple[ClusteredRows | None, ClusteredRows | None] = (None, None)
    if keys is not None:
        one, two = (ClusteredRows(positive=up, scores=column, codes=codes) for column in columns)
        clusters = one, two
    return calibration_contrast(
        q.metric, *tables, options=dict(q.options), confidence=q.spec.confidence, alternative=q.spec.alternative,
        clusters=clusters,
    )  # fmt: skip


def harder_rows(skipped: SkippedRows, confidence: float = 0.95) -> Contrast:
    """Another model's accuracy on the rows that a model left out less that on the others; by clusters where there are.

    >>> gone, there = np.repeat([True, False], [11, 9]), np.repeat([True, False], [95, 5])
    >>> harder_rows(SkippedRows("skips", "bold", gone, there, None)).p_value < 0.001
    True
    """
    spec = IntervalSpec(confidence=confidence, alternative="less")
    left, kept = skipped.left_out, skipped.answered
    if skipped.clusters is None:
        counts = [(int(part.sum()), len(part)) for part in (left, kept)]
        return difference(counts[0], counts[1], confidence=confidence, alternative="less")
    one, two = float(left.mean()), float(kept.mean())
    moved = np.concatenate([(left - one) / len(left), -(kept - two) / len(kept)])
    _, codes = np.unique(np.concatenate(skipped.clusters), return_inverse=True)
    which = np.repeat([0, 1], [len(left), len(kept)])
    made = clusters_left_out(one - two, moved, which, codes, (-1.0, 1.0))
    return effective_t_contrast(made, spec, n=len(codes), higher_is_better=None)
