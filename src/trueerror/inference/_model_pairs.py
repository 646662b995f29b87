"""Two models on the same rows: the sample of a `Problem` on their difference, one class for each kind of metric.

A pair knows what each row, cluster or weighted row adds to the difference (`difference`), whether it is of shares, how
far one more row could move it (`extreme`), and what is to be said where nothing can be estimated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from trueerror.inference._clusters import clusters_in_words, clusters_left_out, without_gaps
from trueerror.inference._contrast import nothing_known
from trueerror.inference._effective_t import KEY, effective_t_contrast
from trueerror.inference._estimate import Estimate
from trueerror.inference._fragility import Failing, Failures, furthest, undone_by
from trueerror.inference._joined import over_views
from trueerror.inference._problem import Problem, Range
from trueerror.inference._sample import Sampled
from trueerror.inference._score_tables import difference_of_scores
from trueerror.inference.auc._binned import binned_contrast
from trueerror.inference.auc._multiclass import class_area_estimate, class_area_rows
from trueerror.inference.bootstrap._paired import paired_bootstrap
from trueerror.inference.counts._paired import PairedMetric
from trueerror.inference.loss._mean import NO_ROWS, ClusterSums, infinite_contrast, mean_estimate
from trueerror.inputs._labels import Codes, Label
from trueerror.methods._registry import SAME, InferenceMethod
from trueerror.metrics._registry import Measure
from trueerror.results import Contrast
from trueerror.sources.engines._array_source import class_scored_rows
from trueerror.tallies import Agreement, Discordance, Moments
from trueerror.tallies._confusion import BinaryCounts, ClassCounts

if TYPE_CHECKING:
    from trueerror.inference._two_models import PairedRows

# Replicates of a function of the user's own, and of a statistic of ranks, cost more than those of a table of counts.
ROW_REPLICATES = 2_000


@dataclass(eq=False)
class ModelPair(Sampled):
    """Two models on the same rows."""

    on = SAME
    rows: PairedRows
    first: str
    second: str

    @property
    def positive(self) -> Label | None:
        """The class that a metric of labels is of."""
        return None

    @property
    def repeated(self) -> bool:
        """Whether the rows were tested several times."""
        return self.rows.p.repeated

    @property
    def discordance(self) -> Discordance | None:
        """Right and wrong row by row, where the metric is a share of rows that the truth alone picks; else None."""
        return None

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is a share of these rows, each by itself."""
        return not self.rows.clustered and self.discordance is not None

    def ranks_within_folds(self, metric: Measure) -> bool:
        """Whether rows are ranked within folds."""
        return self.rows.ranked_within_folds

    @property
    def plain(self) -> bool:
        """Whether rows are neither in clusters nor ranked within folds."""
        return not self.rows.clustered and not self.rows.ranked_within_folds

    @property
    def places(self) -> tuple[int, int]:
        """Where the two stand among the models."""
        return self.rows.p.models.index(self.first), self.rows.p.models.index(self.second)

    @property
    def agreement(self) -> Agreement:
        """Truth × first × second."""
        return self.rows.p.agreement(self.first, self.second, threshold=self.rows.threshold)

    @property
    def groups(self) -> int:
        """How many clusters there are; 0 of rows."""
        return self.rows.clustered and len(self.rows.p.keys("clusters").names)

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """What each row, cluster or weighted row adds to the difference, and how many rows it is of."""
        raise NotImplementedError

    def over_keys(self, q: Pair) -> tuple[Estimate, float]:
        """The same, joined over each of two keys, or in order of time."""
        made, n = self.difference(q)
        pairs = [rows.pair(self.first, self.second) for rows in self.rows.by_key]
        return (
            pairs and over_views([pair.difference(replace(q, sample=pair))[0] for pair in pairs], self.rows.views)
        ) or made, n

    def nothing(self, q: Problem[Any], method: str) -> Contrast | None:
        """What is said where nothing can be estimated; else None."""
        return None

    def by_effective_t(self, q: Pair) -> Contrast:
        """The effective t of the difference."""
        return self.nothing(q, KEY) or self._by_effective_t(q)

    def _by_effective_t(self, q: Pair) -> Contrast:
        made, n = self.over_keys(q)
        note = self.note(made)
        return effective_t_contrast(made, q.spec, n=n, higher_is_better=q.metric.higher_is_better, note=note)

    def resampled(self, q: Pair) -> Contrast:
        """Rows drawn again, for both models together."""
        # A function of the user's own is called for every replicate.
        replicates = min(q.spec.replicates, ROW_REPLICATES) if q.metric.origin else q.spec.replicates
        return paired_bootstrap(
            self.agreement, metric=q.metric.name, positive=self.rows.positive, prior=self.rows.prior,
            replicates=replicates, confidence=q.spec.confidence, alternative=q.spec.alternative, rng=q.spec.rng,
            **q.options,
        )  # fmt: skip

    def note(self, made: Estimate) -> str:
        """How many clusters there are, and what they are worth; nothing of rows."""
        return self.rows.keys or (made.sizes is not None and clusters_in_words(made.sizes, self.rows.units)) or ""

    def answered(self, q: Pair, chosen: InferenceMethod) -> Contrast:
        """The contrast by a method, with the models' names, what it estimates and what would undo it."""
        made: Contrast = chosen.function(q)
        estimand = made.estimand if chosen.of_learners else self._estimand()
        undone = undone_by(made, q.spec, self.extreme)
        unit = None if undone is None or not self.groups else self.rows.units.removesuffix("s")
        return replace(
            made, name=q.metric.title, first=self.first, second=self.second, estimand=estimand, undone_by=undone,
            undone_unit=unit,
        )  # fmt: skip

    def _estimand(self) -> str:
        r = self.rows
        mix = ", at the class mix asked for" * (r.prior is not None)
        who = "these two models"
        if r.p.folded:
            who = f"the two models of each of these {len(r.p.keys('folds').names):,} folds"
        return f"the difference in {r.measure.title} between {who}, on rows like these {r.p.n:,}{mix}"

    def extreme(self) -> Range | None:
        """The least and the most that one more unit could add to the difference, one model alone failing on it.

        A unit is a row of the class that hurts most, or a cluster with as many rows of each class as others have. None
        where that is not known.
        """
        return furthest(self.failed(self.first), self.failed(self.second))

    def failed(self, model: str) -> Failures | None:
        """What a unit on which the model fails adds to its metric; None where that is not known."""
        r = self.rows
        return Failing(
            p=r.p, model=model, measure=r.measure, options=r.options, positive=self.positive, prior=r.prior,
            threshold=r.threshold,
        ).failures()  # fmt: skip


Pair = Problem[ModelPair]


class LabelPair(ModelPair):
    """By a metric of labels."""

    @property
    def positive(self) -> Label | None:
        """The class that the metric is of."""
        return self.rows.positive

    @cached_property
    def metric(self) -> PairedMetric:
        """The metric of both models, over the cells of their agreement or over clusters."""
        r, asked = self.rows, (self.rows.measure, self.positive, self.rows.options, self.rows.prior)
        if not r.clustered:
            return PairedMetric.of(self.agreement, *asked)
        keyed = r.p.keyed_agreement(self.first, self.second, "clusters", threshold=r.threshold)
        return PairedMetric.of(keyed.table, *asked, keyed, drawn=r.drawn)

    @cached_property
    def made(self) -> Estimate:
        """The difference over rows, clusters or weighted rows."""
        return self.metric.estimate

    @cached_property
    def discordance(self) -> Discordance | None:
        """Right and wrong row by row, where the metric is a share of rows that the truth alone picks; else None."""
        m = self.rows.measure
        if m.share is None or self.rows.prior is not None or not (m.right_or_wrong or m.of_one_class):
            return None
        table = self.agreement
        of_row = partial(_row_of_class, table.labels.index(self.rows.positive)) if m.of_one_class else _row
        (x1, n1), (x2, n2) = (
            [np.asarray(v, dtype=float) for v in m.share(of_row(table.truth, called))]
            for called in (table.first, table.second)
        )
        if not np.array_equal(n1, n2):
            return None
        counts = table.counts * n1
        both, one, two = (int((counts * w).sum()) for w in (x1 * x2, x1 * (1 - x2), (1 - x1) * x2))
        return Discordance(both, one, two, int(counts.sum()) - both - one - two)

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """One model's metric less the other's."""
        return self.made, self.metric.agreement.n

    def nothing(self, q: Problem[Any], method: str) -> Contrast | None:
        """What is said of an undefined metric, and of one that is undefined without some unit.

        Where it has no derivative rows are drawn again.
        """
        made, lost = self.made, int((~np.isfinite(self.made.units)).sum())
        if not np.isnan(made.value):
            if not lost or len(made.units) == 1:
                return None
            if not self.rows.clustered:
                return self.resampled(q)
            without = f"{lost:,} of the {self.rows.units}"
            why = f"without {without} the metric is undefined, so they show no spread"
        else:
            why = self.metric.why
        n = self.metric.agreement.n
        return nothing_known(float(made.value), why, q.spec, method=method, n=n, whole=made.range)


def _row(truth: Codes, called: Codes) -> ClassCounts:
    """One row of each cell, as its classes are counted: whether it is right."""
    one = np.ones((len(truth), 1))
    return ClassCounts((truth == called)[:, None] * 1.0, one, one, one[:, 0])


def _row_of_class(positive: int, truth: Codes, called: Codes) -> BinaryCounts:
    """One row of each cell, as a class is counted against the rest."""
    true, said = truth == positive, called == positive
    return BinaryCounts(*(x * 1.0 for x in (true & said, ~true & said, true & ~said, ~true & ~said)))


class LossPair(ModelPair):
    """By a mean of losses or grades."""

    @cached_property
    def discordance(self) -> Discordance | None:
        """Of a metric that counts each row as 1 or 0: Σd = b − c and Σd² = b + c of the differences d."""
        r = self.rows
        if not r.measure.row_hits or r.clustered:
            return None
        apart = r.p.paired_moments(self.first, self.second, r.measure.function, **r.options)
        first_moments = r.p.moments(self.first, r.measure.function, **r.options)
        if apart.n == 0 or apart.n != first_moments.n:
            return None
        gap, differ = apart.n * apart.mean, apart.squares + apart.n * apart.mean**2
        one, two = round((differ + gap) / 2), round((differ - gap) / 2)
        both = round(first_moments.n * first_moments.mean) - one
        return Discordance(both, one, two, apart.n - both - one - two)

    @cached_property
    def losses(self) -> Moments | ClusterSums:
        """The differences of the losses of rows: their moments, or their sums over clusters."""
        r = self.rows
        if not r.clustered:
            return r.p.paired_moments(self.first, self.second, r.measure.function, **r.options)
        keyed = r.p.paired_keyed_losses(self.first, self.second, "clusters", r.measure.function, **r.options)
        return ClusterSums(keyed.weights, keyed.sums, float(keyed.sizes.sum()), r.units)

    def nothing(self, q: Problem[Any], method: str) -> Contrast | None:
        """What is said without rows, and of a mean loss that is infinite."""
        r, losses = self.rows, self.losses
        if not losses.n:
            return nothing_known(math.nan, NO_ROWS, q.spec, method=method, n=0, whole=r.reach)
        if math.isfinite(losses.mean):
            return None
        models = {self.first: r.p, self.second: r.p}
        return infinite_contrast(
            losses.mean, models, r.measure, r.options, q.spec, method=method, n=int(losses.n)
        )  # fmt: skip

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """The mean of the differences."""
        return mean_estimate(self.losses, self.rows.reach), float(self.losses.n or 0)


class ScorePair(ModelPair):
    """By a metric of scores."""

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """What rows, or clusters, add by leaving out or to first order."""
        up, scores, keys = self.rows.columns
        one, two = (scores[:, place] for place in self.places)
        return difference_of_scores(q, up, (one, two), None if keys is None else without_gaps(keys)), len(up)


class AreaPair(ScorePair):
    """By an area under the ROC curve."""

    def areas(self) -> Estimate:
        """The difference of two areas over rows, clusters or weighted rows."""
        return self.rows.area(*self.places)

    @property
    def left_open(self) -> tuple[float, float]:
        """By how much binned scores leave the difference of two areas open, and by how much its standard error."""
        if self.rows.clustered:
            return 0.0, 0.0
        found, places, scale = self.rows.placements, [*self.places], self.rows.measure.area
        return scale * float(found.slack[places].sum()), scale * float(found.error[places].sum())

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """DeLong's structural components."""
        return self.areas(), sum(self.rows.class_sizes)

    def _by_effective_t(self, q: Pair) -> Contrast:
        """The same, widened by what binned scores leave open."""
        if not any(left_open := self.left_open):
            return super()._by_effective_t(q)
        made, n = self.difference(q)
        return binned_contrast(made, *left_open, q.spec, n=int(n))

    def failed(self, model: str) -> Failures | None:
        """A row that scores as rows of the other class do is placed in their middle, and both classes so."""
        r, each = self.rows, np.array(self.rows.class_sizes, dtype=np.float64)
        moved = (1 - r.measure.area / 2 - float(r.area(r.p.models.index(model)).value)) / each
        return Failures(np.minimum(moved, 0.0), np.maximum(moved, 0.0), each).of_clusters(self.groups)


class ClassAreaPair(ModelPair):
    """By a mean of areas over many classes."""

    def difference(self, q: Pair) -> tuple[Estimate, float]:
        """Placements of rows, each class a sample of its own; clusters to first order."""
        rows = self.rows
        of_classes = class_scored_rows(rows.p, (self.first, self.second))
        codes, (first, second) = of_classes.codes, of_classes.scores
        value, parts = class_area_rows(q.metric, codes, first, second, q.options)
        if of_classes.clusters is None:
            return class_area_estimate(value, parts, codes, (-1.0, 1.0)), len(codes)
        return clusters_left_out(value, parts, codes, without_gaps(of_classes.clusters), (-1.0, 1.0)), len(codes)


def pair_of(rows: PairedRows, first: str, second: str) -> ModelPair:
    """The pair that the metric calls for."""
    m = rows.measure
    kinds: dict[type[ModelPair], Any] = {
        LabelPair: m.of_labels, LossPair: m.of_losses, AreaPair: m.area, ClassAreaPair: m.of_class_scores,
        ScorePair: True,
    }  # fmt: skip
    return next(kind for kind, holds in kinds.items() if holds)(rows, first, second)
