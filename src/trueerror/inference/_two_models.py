"""The difference of a metric between two models on the same rows (`_unpaired` has those on rows of their own).

`PairedRows` counts what the pairs of one sample share; a `ModelPair` of it is the sample of a `Problem`. The
methods that answer these questions are registered here, each for the kind of metric that it is for, and call the
statistics of the folders beside this file. A significance test of one's own is one more function here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import (
    class_weighted_sizes,
    cluster_t_contrast,
    clusters_in_words,
    without_gaps,
)
from trueerror.inference._contrast import mirrored, one_cluster_contrast
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate
from trueerror.inference._fragility import undone_by
from trueerror.inference._problem import IntervalSpec, Problem, solve
from trueerror.inference._score_tables import difference_of_areas, difference_of_scores, estimate_of_influences
from trueerror.inference._variance import ClusteredRows
from trueerror.inference.auc._binned import binned_contrast
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.auc._interval import (
    AreaCovariance,
    CentredPlacements,
    ClusteredArea,
    area_without_clusters,
    centred_placements,
    delong_from_placements,
)
from trueerror.inference.auc._multiclass import class_area_estimate, class_area_rows
from trueerror.inference.auc._tests import area_contrast
from trueerror.inference.auc._within_folds import FoldedRows, within_folds_contrast
from trueerror.inference.bootstrap._paired import paired_bootstrap
from trueerror.inference.bootstrap._paired_scores import paired_score_contrast
from trueerror.inference.calibration import TOO_NARROW, calibration_contrast
from trueerror.inference.counts._paired import PairedMetric, paired_metric
from trueerror.inference.learner._fold_scores import ACROSS, PartScores, fold_codes, part_scores
from trueerror.inference.loss._mean import (
    ClusterSums,
    difference_of_means,
    infinite_contrast,
    infinite_rows,
)
from trueerror.inference.loss._t_tests import paired_t_of_losses
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._two_samples import difference
from trueerror.inputs._labels import Codes, Label, need_positive
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError
from trueerror.methods import Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior, prior_of_each, ranks_rows
from trueerror.results import Contrast
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import (
    ArraySource,
    ScoredRows,
    SkippedRows,
    class_scored_rows,
    loss_rows,
    rows_as_clusters,
    scored_rows,
    silence_as_wrong,
    weighted_rows,
)
from trueerror.tallies import Agreement, Discordance, Moments, ScoreTable
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._moments import Placements

# Replicates of a statistic of ranks cost more than those of a table of counts.
ROW_REPLICATES = 2_000
# Rows from which one sort less for each model is worth a table that is counted later.
RANKED_ONCE = 1 << 17
Range = tuple[float, float]
Floats = NDArray[np.float64]


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
        self.units = "clusters"
        self._areas: dict[int, ClusteredArea] = {}
        if self.weighted:
            if not (measure.of_labels or measure.of_losses or measure.area):
                raise InputError(
                    f"{measure.name} cannot be compared under sampling weights; metrics of labels, the AUC and mean "
                    "losses can, and evaluate gives each model's own interval"
                )
            if not p.has_key("clusters"):
                p, self.units = rows_as_clusters(p), "weighted rows"
        if prior is not None and not (measure.of_labels or measure.area):
            raise InputError(
                f"models are compared at another class mix by metrics of labels and by areas, not by {measure.name}: "
                "leave prior= out, or ask evaluate for each model's own"
            )
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
            self._pairs[first, second] = ModelPair(rows, first, second)
        return self._pairs[first, second]

    def contrast(self, first: str, second: str, spec: IntervalSpec, method: str | None = None) -> Contrast:
        """First − second, by the method that was asked for or the one that the metric and the rows call for."""
        pair = self.pair(first, second)
        q = Problem(situation=pair.situation, metric=self.measure, sample=pair, spec=spec, options=self.options)
        answer: Contrast = solve(q, method)
        return replace(
            answer,
            name=self.measure.title,
            first=first,
            second=second,
            estimand=self._estimand(pair, answer),
            undone_by=undone_by(answer, spec, pair.extreme),
        )

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

    def _estimand(self, pair: ModelPair, answer: Contrast) -> str:
        p = pair.rows.p
        if answer.method == "corrected-t-test":
            return answer.estimand  # of the learners behind the models
        mix = "" if pair.rows.prior is None else ", at the class mix asked for"
        who = "these two models"
        if p.folded:
            who = f"the two models of each of these {len(p.keys('folds').names):,} folds"
        return f"the difference in {self.measure.title} between {who}, on rows like these {p.n:,}{mix}"

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
        if self.of_class is not None:
            return self.of_class
        if self.p.positive is None:
            raise need_positive(self.p.labels, self.measure.name)
        return self.p.positive

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

    def area_over_clusters(self, place: int) -> ClusteredArea:
        """A model's area, once for all pairs that it is in."""
        if place not in self._areas:
            (up, scores, _), weights = self.weighted_columns
            self._areas[place] = area_without_clusters(up, scores[:, place], self.cluster_codes, weights)
        return self._areas[place]

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
        found = self.placements
        if isinstance(found, CentredPlacements):
            return found.positives.shape[1], found.negatives.shape[1]
        return found.positives, found.negatives

    @cached_property
    def covariance(self) -> AreaCovariance:
        """DeLong's, of all models' areas."""
        found = self.placements
        return found.covariance if isinstance(found, CentredPlacements) else delong_from_placements(found)

    def rank_once(self) -> None:
        """Have the models' own areas from the ranking that their differences need: many rows are not sorted twice."""
        p, source = self.p, self.p.source
        plain = isinstance(source, ArraySource) and p.weights_kind is None and not p.folded and not self.clustered
        if not plain or not self.measure.area or p.n < RANKED_ONCE or len(p.labels) != 2 or p.positive is None:
            return
        if any(m.scores != "one" or m.absent for m in p.facts.models) or not (p.truth_counts() > 0).all():
            return
        area = self.covariance
        m, n = area.positives, area.negatives
        spreads = area.among_positives.diagonal() * ((m - 1.0) * m), area.among_negatives.diagonal() * ((n - 1.0) * n)
        for i, model in enumerate(p.models):
            placed = float(round(float(area.areas[i]) * 2 * m * n)), float(spreads[0][i]), float(spreads[1][i])
            count = partial(source.scores, model, positive=self.positive)
            named = (source.name,) if source.name else ()
            p._keep_scores(model, self.positive, ScoreTable._ranked(count, (m, n), placed, p.positive, named))


@dataclass(eq=False)
class ModelPair:
    """Two models on the same rows."""

    rows: PairedRows
    first: str
    second: str

    @property
    def situation(self) -> str:
        """The row of the decision table: what kind of metric it is, and whether rows depend on each other."""
        m = self.rows.measure
        if self.rows.p.repeated:
            return "paired-over-folds"
        if m.of_labels:
            if self.rows.clustered:
                return "clustered-difference"
            return "paired-metric" if self.discordance is None else "paired-proportions"
        if m.of_losses:
            if m.of_grades:
                return "paired-score"
            return "paired-loss" if self.discordance is None else "paired-proportions"
        if m.area:
            return "paired-auc"
        if m.calibration_error:
            return "paired-calibration-error"
        return "paired-score-metric" if m.of_scores else "paired-class-areas"

    @property
    def agreement(self) -> Agreement:
        """Truth × first × second."""
        return self.rows.p.agreement(self.first, self.second, threshold=self.rows.threshold)

    @cached_property
    def metric(self) -> PairedMetric:
        """The metric of both models, over the cells of their agreement."""
        r = self.rows
        return paired_metric(self.agreement, r.measure.name, r.positive, r.options, r.prior)

    def labels(self) -> Estimate | None:
        """The difference of a metric of labels over rows, clusters or weighted rows; None without a derivative."""
        r, compared = self.rows, self.metric
        if not r.clustered:
            return compared.estimate()
        if math.isnan(compared.difference()):
            raise InputError(f"{r.measure.name} cannot be compared over clusters: {compared.why}")
        keyed = r.p.keyed_agreement(self.first, self.second, "clusters", threshold=r.threshold)
        return compared.over_clusters(keyed, each_row=r.units == "weighted rows")

    @cached_property
    def discordance(self) -> Discordance | None:
        """Right and wrong row by row, where the metric is a share of rows that the truth alone picks; else None."""
        m = self.rows.measure
        if m.row_hits and not self.rows.clustered:
            return self._hits()
        if m.share is None or self.rows.prior is not None or not (m.right_or_wrong or m.of_one_class):
            return None
        table = self.agreement
        if m.right_or_wrong:
            right, first, second, wrong = cells = table.discordance()
            return cells if m.right_or_wrong == 1 else Discordance(wrong, second, first, right)
        index = table.labels.index(self.rows.positive)
        true = table.truth == index
        parts = []
        for called in (table.first == index, table.second == index):
            unit = (true & called, ~true & called, true & ~called, ~true & ~called)
            parts.append([np.asarray(v, dtype=float) for v in m.share(BinaryCounts(*(u.astype(float) for u in unit)))])
        (x1, n1), (x2, n2) = parts
        if not np.array_equal(n1, n2):
            return None
        counts = table.counts * n1
        both, one, two = (int((counts * w).sum()) for w in (x1 * x2, x1 * (1 - x2), (1 - x1) * x2))
        return Discordance(both, one, two, int(counts.sum()) - both - one - two)

    def _hits(self) -> Discordance | None:
        """The same of a metric that counts each row as 1 or 0: Σd = b − c and Σd² = b + c of the differences d."""
        r = self.rows
        apart = r.p.paired_moments(self.first, self.second, r.measure.function, **r.options)
        first_moments = r.p.moments(self.first, r.measure.function, **r.options)
        if apart.n == 0 or apart.n != first_moments.n:
            return None
        gap, differ = apart.n * apart.mean, apart.squares + apart.n * apart.mean**2
        one, two = round((differ + gap) / 2), round((differ - gap) / 2)
        both = round(first_moments.n * first_moments.mean) - one
        return Discordance(both, one, two, apart.n - both - one - two)

    @property
    def places(self) -> tuple[int, int]:
        """Where the two stand among the models."""
        return self.rows.p.models.index(self.first), self.rows.p.models.index(self.second)

    def losses(self) -> Moments | ClusterSums:
        """The differences of the losses of rows: their moments, or their sums over clusters."""
        r = self.rows
        if not r.clustered:
            return r.p.paired_moments(self.first, self.second, r.measure.function, **r.options)
        keyed = r.p.paired_keyed_losses(self.first, self.second, "clusters", r.measure.function, **r.options)
        return ClusterSums(keyed.weights, keyed.sums, float(keyed.sizes.sum()), r.units)

    def extreme(self) -> Range | None:
        """The least and the most that one more row, or cluster of mean size, could add to the difference.

        A row may be called anything, ranked first or last, or have the label that its forecasts make dearest. In a
        cluster one of the models may fail throughout, the other doing as elsewhere. None where that is not known.
        """
        r, m = self.rows, self.rows.measure
        groups = float(len(r.p.keys("clusters").names)) if r.p.has_key("clusters") else None
        if m.of_grades or m.row_hits:
            units = float(r.p.n) if groups is None else 2 * groups
            return r.reach[0] / units, r.reach[1] / units
        if m.of_losses:
            return None if r.weighted else self._extreme_losses(groups)
        ends = self.metric.extremes() if m.of_labels else self._extreme_ranks()
        if ends is None:
            return None
        (low1, high1), (low2, high2) = ends
        if groups is None:
            return low1 - high2, high1 - low2
        size = r.p.n / groups
        return min(low1, -high2) * size, max(high1, -low2) * size

    def _extreme_ranks(self) -> tuple[Range, Range] | None:
        """The least and the most that one more row at any score seen adds to the metric of either model."""
        r, ends = self.rows, []
        if r.p.positive is None:
            return None
        if r.measure.area and not r.clustered:  # ranked last, or first, of all
            scale, few = r.measure.area, min(r.class_sizes)
            one, two = (float(r.placements.areas[place]) for place in self.places)
            return (-scale * one / few, scale * (1 - one) / few), (-scale * two / few, scale * (1 - two) / few)
        for model in (self.first, self.second):
            moves = score_influences(r.measure, r.p.scores(model), r.options)
            if moves is None:
                return None
            ends.append((float(min(x.min() for x in moves)), float(max(x.max() for x in moves))))
        return ends[0], ends[1]

    def _extreme_losses(self, groups: float | None) -> Range | None:
        """By the labels that the forecasts seen would have made dearest: of one row, or to one model of a cluster."""
        r = self.rows
        loss = partial(r.measure.function, **r.options)
        try:
            if groups is None:
                rows = loss_rows(r.p, (self.first, self.second), loss)
                return rows.lowest / r.p.n, rows.highest / r.p.n
            one, two = (loss_rows(r.p, (model,), loss) for model in (self.first, self.second))
        except MemoryBudgetExceeded:
            return None
        return -(two.all_highest - float(two.values.mean())) / groups, (
            one.all_highest - float(one.values.mean())
        ) / groups

    def areas(self) -> Estimate:
        """The difference of two areas over rows, clusters or weighted rows."""
        r, scale = self.rows, self.rows.measure.area
        if not r.clustered:
            return difference_of_areas(r.placements, *self.places, scale)
        one, two = map(r.area_over_clusters, self.places)
        sizes = np.bincount(r.cluster_codes, weights=r.weighted_columns[1]).astype(np.float64)
        return Estimate(
            value=np.array(scale * (one.area - two.area)), units=scale * (one.units - two.units), sizes=sizes,
            range=(-scale, scale),
        )  # fmt: skip

    @property
    def left_open(self) -> tuple[float, float]:
        """By how much binned scores leave the difference of two areas open, and by how much its standard error."""
        plain = self.rows.measure.area and not self.rows.clustered
        found = self.rows.placements if plain else None
        if not isinstance(found, Placements):
            return 0.0, 0.0
        (i, j), scale = self.places, self.rows.measure.area
        return scale * float(found.slack[i] + found.slack[j]), scale * float(found.error[i] + found.error[j])

    def infinite(self, estimate: float, spec: IntervalSpec, method: str, n: int) -> Contrast:
        """Nothing can be said of the difference from a loss that is infinite."""
        r = self.rows
        rows = {m: infinite_rows(r.p, m, r.measure, r.options) for m in (self.first, self.second)}
        return infinite_contrast(
            estimate, {m: k for m, k in rows.items() if k}, r.measure, confidence=spec.confidence,
            alternative=spec.alternative, method=method, n=n,
        )  # fmt: skip


Pair = Problem[ModelPair]


def _clustered(q: Pair) -> bool:
    return q.sample.rows.clustered


def _within_folds(q: Pair) -> bool:
    return q.sample.rows.ranked_within_folds


def _folded(q: Pair) -> bool:
    return q.sample.rows.p.folded


def _plain(q: Pair) -> bool:
    return not q.sample.rows.clustered and not q.sample.rows.ranked_within_folds


RANKED = ("paired-auc", "paired-score-metric", "paired-class-areas")
_WITHIN = Default(
    why="scores of different folds come from different models, so rows are ranked within folds; it speaks of these "
    "models, one for each fold",
    when=_within_folds,
)


@inference_method(
    "within-folds-paired", answers=RANKED, word="within-folds", applies=_within_folds,
    default=dict.fromkeys(RANKED, _WITHIN),
)  # fmt: skip
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


@inference_method("pooled", answers=RANKED, applies=_within_folds)
def pooled_of_pair(q: Pair) -> Contrast:
    """All rows in one ranking, as if the folds' scores were on one scale."""
    pair = q.sample.rows.pooled.pair(q.sample.first, q.sample.second)
    contrast: Contrast = solve(replace(q, sample=pair))
    return replace(contrast, note="; ".join(x for x in (contrast.note, ACROSS) if x))


@inference_method(
    "corrected-t-test", word="corrected-t", applies=_folded,
    answers=(
        "paired-over-folds", "paired-proportions", "paired-metric", "clustered-difference", "paired-loss",
        "paired-score", *RANKED
    ),
    default=Default(why="rows that were tested in several repeats cannot be pooled; it speaks of the two learners"),
)  # fmt: skip
def corrected_t_of_folds(q: Pair) -> Contrast:
    """Fold by fold, with the variance that overlapping training sets add: of the learners behind the models."""
    return q.sample.rows.parts.contrast(q.sample.first, q.sample.second, q.spec)


def _mcnemar(form: Any) -> Callable[[Pair], Contrast]:
    def answer(q: Pair) -> Contrast:
        d = q.sample.discordance
        assert d is not None
        return mcnemar(
            d.only_first, d.only_second, both_right=d.both_right, both_wrong=d.both_wrong, method=form,
            confidence=q.spec.confidence, alternative=q.spec.alternative,
        )  # fmt: skip

    return answer


inference_method(
    "mcnemar-mid-p", answers="paired-proportions", word="mid-p",
    default=Default(why="coverage at least .933 by enumeration; Tango's interval for the size"),
)(_mcnemar("mid-p"))  # fmt: skip
for _form in ("exact", "chi2", "chi2-cc"):
    inference_method(f"mcnemar-{_form}", answers="paired-proportions", word=_form)(_mcnemar(_form))


LABELS = ("paired-metric", "clustered-difference")


@inference_method(
    "effective-t", answers=LABELS,
    default=dict.fromkeys(LABELS, Default(
        why="equal models were called different in .01–.065 of 16 designs of F1, macro F1, MCC, kappa, recalls and "
            "costs with 60 to 1,000 rows, and over clusters of any sizes in .02–.06 (simulated)",
    )),
)  # fmt: skip
def effective_t_of_labels(q: Pair) -> Contrast:
    """From what each row, or cluster, adds to the difference; the bootstrap where the metric has no derivative."""
    pair = q.sample
    made, n = pair.labels(), pair.agreement.n
    if made is None:
        return bootstrap_of_pair(q)
    lost = int(np.isnan(made.units).sum())
    answer = effective_t_contrast(made, q.spec, n=n, higher_is_better=q.metric.higher_is_better, note=_worth(q, made))
    if lost and len(made.units) > 1:
        return replace(answer, note=f"without {'one' if lost == 1 else lost} of the {pair.rows.units} the metric is "
                                    "undefined, so they show no spread")  # fmt: skip
    return answer


def _worth(q: Pair, made: Estimate) -> str:
    """How many clusters there are, and what they are worth; nothing of rows."""
    return "" if made.sizes is None else clusters_in_words(made.sizes, q.sample.rows.units)


@inference_method("paired-bootstrap-bca", answers=("paired-metric", "paired-proportions"), word="bootstrap")
def bootstrap_of_pair(q: Pair) -> Contrast:
    """Rows drawn again, for both models together."""
    # A function of the user's own is called for every replicate.
    replicates = min(q.spec.replicates, ROW_REPLICATES) if q.metric.origin else q.spec.replicates
    return paired_bootstrap(
        q.sample.agreement, metric=q.metric.name, positive=q.sample.rows.positive, prior=q.sample.rows.prior,
        replicates=replicates, confidence=q.spec.confidence, alternative=q.spec.alternative, rng=q.spec.rng,
        **q.options,
    )  # fmt: skip


def _by_cluster(q: Pair) -> bool:
    return _clustered(q) and not _within_folds(q)


LOSSES = ("paired-loss", "paired-score")
AREAS = ("paired-auc", "paired-class-areas")


@inference_method(
    "cluster-t-difference", word="t", applies=_by_cluster, answers=("clustered-difference", *LOSSES, *AREAS)
)
def cluster_t_of_pair(q: Pair) -> Contrast:
    """What the difference loses without each cluster, and t on one less than the clusters of equal size."""
    pair, made, n = q.sample, None, float(q.sample.rows.p.n)
    if q.metric.of_labels:
        made, n = pair.labels(), pair.agreement.n
    elif q.metric.of_losses:
        losses = pair.losses()
        assert isinstance(losses, ClusterSums)
        if not math.isfinite(losses.mean):
            return replace(effective_t_of_losses(q), method="cluster-t-difference")
        made, n = losses.over_units(pair.rows.reach), float(losses.occupied.n or 0)
    else:
        made, n = _of_scores(q)
    assert made is not None
    return cluster_t_contrast(made, q.spec, n=n, higher_is_better=q.metric.higher_is_better, note=_worth(q, made))


@inference_method(
    "effective-t", answers=("paired-loss", "paired-score"), applies=lambda q: not _within_folds(q),
    default=dict.fromkeys(
        ("paired-loss", "paired-score"),
        Default(
            why="equal models were called different in .021–.059 of 24 designs of log loss, Brier score, AUC and AP, "
                "over clusters of any sizes in .027–.058; where rare rows hold the loss more often, which a finding "
                "tells (simulated)",
        ),
    ),
)  # fmt: skip
def effective_t_of_losses(q: Pair) -> Contrast:
    """The effective t of the mean difference of losses or grades, over rows, clusters or weighted rows."""
    differences = q.sample.losses()
    if differences.n and not math.isfinite(differences.mean):
        return q.sample.infinite(differences.mean, q.spec, "effective-t", int(differences.n))
    return difference_of_means(differences, q.sample.rows.reach, q.spec, q.metric.higher_is_better)


@inference_method("paired-t-losses", answers=("paired-loss", "paired-score"), word="t", applies=_plain)
def t_of_paired_losses(q: Pair) -> Contrast:
    """Student's t of the differences of row losses."""
    pair, loss = q.sample, q.metric.function
    moments = pair.rows.p.paired_moments(pair.first, pair.second, loss, **q.options)
    if moments.n and not math.isfinite(moments.mean):
        return pair.infinite(moments.mean, q.spec, "paired-t-losses", moments.n)
    return paired_t_of_losses(moments, pair.rows.reach, q.spec, higher_is_better=q.metric.higher_is_better)


ONE_RULE = Default(
    why="equal models were called different in .021–.059 of 24 designs of AUC, average precision and losses, over "
    "clusters of any sizes in .027–.058 (simulated)",
    when=lambda q: not _within_folds(q),
)


@inference_method(
    "effective-t", answers=RANKED, applies=lambda q: not _within_folds(q), default=dict.fromkeys(RANKED, ONE_RULE)
)
def effective_t_of_scores(q: Pair) -> Contrast:
    """What each row, or cluster, adds to the difference."""
    made, n = _of_scores(q)
    if any(left_open := q.sample.left_open):
        return binned_contrast(made, *left_open, q.spec, n=n)
    return effective_t_contrast(
        made, q.spec, n=n, higher_is_better=q.metric.higher_is_better, note=_worth(q, made)
    )  # fmt: skip


def _of_scores(q: Pair) -> tuple[Estimate, int]:
    """The difference of a metric of scores over rows or clusters, and how many rows it is of."""
    pair, rows = q.sample, q.sample.rows
    if q.metric.area:
        return pair.areas(), len(rows.weighted_columns[0][0]) if rows.clustered else sum(rows.class_sizes)
    if not q.metric.of_class_scores:
        up, scores, keys = rows.columns
        one, two = (scores[:, place] for place in pair.places)
        return difference_of_scores(q, up, (one, two), None if keys is None else without_gaps(keys)), len(up)
    of_classes = class_scored_rows(rows.p, (pair.first, pair.second))
    codes, (first, second) = of_classes.codes, of_classes.scores
    value, parts = class_area_rows(q.metric, codes, first, second, q.options)
    if of_classes.clusters is None:
        return class_area_estimate(value, parts, codes, (-1.0, 1.0)), len(codes)
    return _summed(value, parts, codes, without_gaps(of_classes.clusters)), len(codes)


def _summed(value: float, influences: Floats, truth: Codes, clusters: Codes) -> Estimate:
    """Clusters by what their rows move a difference between −1 and 1."""
    sums = np.bincount(clusters, weights=influences).astype(np.float64)
    return estimate_of_influences(value, sums, class_weighted_sizes(clusters, truth, influences), (-1.0, 1.0))


DELONG = "delong-paired-t"


@inference_method(DELONG, answers="paired-auc", word="delong", applies=_plain)
def delong_of_pair(q: Pair) -> Contrast:
    """DeLong's covariance of the two areas."""
    rows, (i, j) = q.sample.rows, q.sample.places
    if isinstance(rows.placements, Placements) and not rows.placements.exact:
        straight = replace(q.sample.areas(), range=(-math.inf, math.inf))
        made = binned_contrast(straight, *q.sample.left_open, q.spec, n=rows.p.n)
        return replace(made, low=max(made.low, -q.metric.area), high=min(made.high, q.metric.area), method=DELONG)
    made = area_contrast(rows.covariance, i, j, confidence=q.spec.confidence, alternative=q.spec.alternative)
    return _scaled(made, q.metric.area)


def _scaled(c: Contrast, scale: float) -> Contrast:
    return c if scale == 1.0 else replace(c, estimate=scale * c.estimate, low=scale * c.low, high=scale * c.high)


def _gaps_known(q: Pair) -> bool:
    rows = q.sample.rows
    if not _plain(q) and (rows.p.weights_kind is not None or not rows.clustered or rows.p.folded):
        return False
    up, _, keys = rows.columns
    return len(up if keys is None else np.unique(keys)) > 1


@inference_method(
    "paired-bootstrap-expanded", word="bootstrap", applies=lambda q: not _within_folds(q),
    answers=("paired-score-metric", "paired-auc", "paired-calibration-error"),
    default={
        "paired-calibration-error": Default(
            why="rows with weights or folds are drawn again, for want of a standard error of their gaps",
            when=lambda q: not _gaps_known(q)),
    },
)  # fmt: skip
def bootstrap_of_scores(q: Pair) -> Contrast:
    """Rows, or whole clusters, drawn again, the same ones for both models; expanded percentile limits."""
    up, scores, keys = q.sample.rows.columns
    one, two = (scores[:, place] for place in q.sample.places)
    if (len(up) if keys is None else len(np.unique(keys))) < 2:
        values = [float(q.metric.function(ScoreTable.from_codes(up, s, 1), **q.options)) for s in (one, two)]
        contrast = one_cluster_contrast(values[0] - values[1], q.sample.rows.reach, len(up), q.spec)
    else:
        contrast = paired_score_contrast(
            q.metric, up, one, two, clusters=keys, options=dict(q.options),
            replicates=min(q.spec.replicates, ROW_REPLICATES), confidence=q.spec.confidence,
            alternative=q.spec.alternative, rng=q.spec.rng,
        )  # fmt: skip
    if not q.metric.calibration_error:
        return contrast
    return replace(contrast, note="; ".join(note for note in (TOO_NARROW, contrast.note) if note))


@inference_method(
    "calibration-gaps-difference", answers="paired-calibration-error", word="gaps", applies=_gaps_known,
    default=Default(
        why="holds the truth in .99 or more of the samples; the bootstrap of rows does in .77, .47, .13 and .00 with "
            "100, 300, 1,000 and 4,000 rows of a calibrated and an overconfident model (simulated)",
    ),
)  # fmt: skip
def gaps_of_pair(q: Pair) -> Contrast:
    """Two calibration errors, from each model's own limits."""
    up, scores, keys = q.sample.rows.columns
    columns = [scores[:, place] for place in q.sample.places]
    tables = [ScoreTable.from_codes(up, column, 1) for column in columns]
    clusters: tuple[ClusteredRows | None, ClusteredRows | None] = (None, None)
    if keys is not None:
        codes = np.unique(keys, return_inverse=True)[1]
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
    made = _summed(one - two, moved, which, codes)
    return effective_t_contrast(made, spec, n=len(codes), higher_is_better=None)
