"""What methods see of a metric of labels, and the methods that serve them.

Rows at random at their own class mix have textbook limits for a share (`proportion`), for F1 (Wilson's, through the
Jaccard index) and for ratios (the logarithm). Every other metric, and every other design, has the effective t of its
label table (`_label_tables`). The delta method on several scales can be asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._effective_t import KEY, effective_t
from trueerror.inference._estimate import Estimate, scaled
from trueerror.inference._label_tables import LabelTable, label_range
from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.inference._sample import Estimated, OneSample, known_ends
from trueerror.inference._variance import Sample, binary_gradients, variance
from trueerror.inference.proportion._distributions import RawLimits, on_log, on_logit, share_limits, straight_limits
from trueerror.inputs._arrays import Floats
from trueerror.methods._registry import ONE, InferenceMethod, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, undefined_reason
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion

# Rounding leaves about 1e−34 where a variance is 0; one error in a billion rows gives 1e−18.
VARIANCE_TOLERANCE = 1e-27


@dataclass(eq=False, kw_only=True)
class Counts(OneSample):
    """A metric of labels as methods see it, with one element for each class where it is of every class.

    `seen` is what formulas are given (weights or another class mix in it), `rows` counts rows.
    """

    tally = "labels"
    measure: Measure
    options: MetricOptions
    seen: Any
    rows: Any
    estimate: Floats

    @property
    def drawable(self) -> bool:
        """Whether rows can be drawn again."""
        return True

    @property
    def df(self) -> float:
        """Degrees of freedom for methods that take normal units."""
        return math.inf

    @property
    def variances(self) -> Floats:
        """The variance of each estimate by the delta method, or by leaving out; 0 where rounding alone is left."""
        with np.errstate(invalid="ignore", over="ignore"):
            slopes = binary_gradients(self.measure, self.seen, self.options)
            return seen_at_all(sum(c * s * s for c, s in zip(self.seen, slopes, strict=True)))

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is a plain proportion."""
        return metric.share is not None and self.plain

    @property
    def successes(self) -> tuple[Floats, Floats]:
        """Successes and trials of a plain proportion."""
        assert self.measure.share is not None
        x, n = (np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in self.measure.share(self.seen))
        return x, n

    @property
    def rows_spoken_of(self) -> Floats:
        """How many rows an interval speaks of: the trials of a proportion, those in play for F1, else all."""
        m, total = self.measure, np.asarray(self.rows.total, dtype=np.float64) + np.zeros_like(self.estimate)
        if m.rows_in_play:
            in_play = np.asarray(self.rows.tp + self.rows.fp + self.rows.fn, dtype=np.float64)
            return np.where(in_play > 0, in_play, total)
        if m.share is not None and (m.of_one_class or self.plain):
            return np.atleast_1d(np.asarray(m.share(self.rows)[1], dtype=np.float64))
        return total


class EveryClass(Counts):
    """A metric of each class against the rest, of plain rows."""

    @classmethod
    def of(cls, measure: Measure, counts: BinaryCounts, options: MetricOptions) -> EveryClass:
        """From the four counts of many classes."""
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = np.asarray(measure.function(counts, **options), dtype=np.float64)
        return cls(measure=measure, options=options, seen=counts, rows=counts, estimate=estimate)

    @property
    def plain(self) -> bool:
        """They are."""
        return True

    def by_effective_t(self, q: CountProblem) -> RawLimits:
        """Of each class against the rest by itself."""
        parts = []
        for tp, fp, fn, tn in zip(*self.seen, strict=True):
            sample = Sample.of(self.measure, Confusion(tp=tp, fp=fp, fn=fn, tn=tn))
            one = LabelSample.of(self.measure, sample, self.options)
            parts.append(one.by_effective_t(replace(q, sample=one)))
        low, high, method, note = (np.concatenate([part[i] for part in parts]) for i in range(4))
        return RawLimits(low, high, method, note)


@dataclass(eq=False, kw_only=True)
class LabelSample(Counts):
    """A metric of the labels of one sample."""

    sample: Sample

    @classmethod
    def of(cls, measure: Measure, sample: Sample, options: MetricOptions) -> LabelSample:
        """As weights and the class mix make it, and as rows."""
        seen = rows = sample.counts(measure, sample.seen.masses(sample.rows.masses))
        if not sample.plain:
            rows = sample.counts(measure, sample.seen.table.counts.astype(np.float64))
        estimate = np.atleast_1d(np.asarray(sample.value(measure, options), dtype=np.float64))
        return cls(measure=measure, options=dict(options), seen=seen, rows=rows, estimate=estimate, sample=sample)

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class mix."""
        return self.sample.plain

    @property
    def clustered(self) -> bool:
        """Whether the rows are in clusters."""
        return self.sample.clusters is not None

    @property
    def drawable(self) -> bool:
        """Sampling weights were summed over rows."""
        return self.sample.kind != "weighted"

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return self.sample.groups

    @property
    def n(self) -> float:
        """How many rows it speaks of."""
        return float(self.rows_spoken_of[0])

    @property
    def value(self) -> float:
        """The metric of the sample."""
        return float(self.estimate[0]) if self.sample.rows.n else math.nan

    @cached_property
    def bounds(self) -> Range:
        """Between which values it lies; a total its mean over the rows."""
        return label_range(self.measure, self.sample, self.options)

    @property
    def scale(self) -> float:
        """A total is so many times the mean over the rows."""
        return float(self.sample.rows.masses.sum()) if self.measure.total_of else 1.0

    def ends(self, q: Problem[Any]) -> Range:
        """Between which values it lies."""
        return self.bounds[0] * self.scale, self.bounds[1] * self.scale

    @cached_property
    def table(self) -> LabelTable:
        """The table with every cell that could have been filled."""
        return LabelTable.of(self.measure, self.sample, self.options, self.bounds)

    @cached_property
    def bare(self) -> Estimate:
        """The estimate with what its units add, without half a row."""
        return scaled(self.table.bare(), self.scale)

    @property
    def worth(self) -> float:
        """How many independent rows a share is worth; NaN of other metrics, and where its units show no spread."""
        return float(self.bare.rows()) if self.measure.share is not None else math.nan

    @property
    def df(self) -> float:
        """Of rows that do not count alike as many as units of equal size less 1."""
        return math.inf if self.sample.drawn.alike else max(self.bare.effective - 1, 1.0)

    @cached_property
    def variances(self) -> Floats:
        """The variance of the estimate."""
        if self.plain and self.measure.of_one_class:
            return super().variances
        if not self.plain:
            return seen_at_all(float(self.bare.spread.error) ** 2)
        return seen_at_all(variance(self.sample.influence(self.measure, self.options), self.sample.rows.counts))

    @property
    def reason(self) -> str:
        """Why the metric has no value; "" where it has one."""
        s = self.sample
        return undefined_reason(self.measure, s.rows, positive=s.positive, prior=s.prior, **self.options)

    def why_undefined(self, q: Problem[Any]) -> str | Note:
        """Why the metric has no value."""
        return self.reason or Note("no-rows")

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, of one cluster, and of a value that the class mix asked for gives."""
        if self.measure.given_by_prior and self.sample.seen.mix is not None and not np.isnan(self.value):
            return IntervalLimits(math.nan, math.nan, "", Note("given-by-prior"))
        return super().nothing(q)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """The label table with half a row in its worst cell.

        The ends of the range stand where the metric has no value without one of the clusters.
        """
        if not np.isfinite(self.value):
            unknown = IntervalLimits(math.nan, math.nan, KEY, Note("zero-count"))
            return Estimated(estimate=Estimate(value=np.array(math.nan), units=np.zeros(0)), instead=lambda: unknown)
        if self.clustered and not np.isfinite(self.bare.units).all():
            ends = IntervalLimits(*known_ends(self.ends(q)), KEY, Note("class-in-one-cluster"))
            return Estimated(estimate=self.bare, instead=lambda: ends)
        e = scaled(self.table.with_worst(), self.scale)
        return Estimated(estimate=e, notes=self.sample.drawn.notes(self))

    def by_effective_t(self, q: CountProblem) -> RawLimits:
        """The effective t."""
        made = effective_t(q)
        pair = np.array([made.low]), np.array([made.high])
        return RawLimits.of(pair, made.method, in_array(made.note or None))


CountProblem = Problem[EveryClass | LabelSample]


def limits_of_counts(q: CountProblem, chosen: InferenceMethod) -> RawLimits:
    """What a method gives, of one sample or of every class by itself."""
    if chosen.function is effective_t:
        return q.sample.by_effective_t(q)
    raw: RawLimits = chosen.function(q)
    return raw


def seen_at_all(variances: Any) -> Floats:
    """0 where rounding alone is left."""
    v = np.atleast_1d(np.asarray(variances, dtype=np.float64))
    return np.where(v > VARIANCE_TOLERANCE, v, 0.0)


def in_array(note: Any) -> NDArray[np.object_]:
    """One note, or several in a tuple, as an array of one element."""
    array = np.empty(1, dtype=object)
    array[0] = note
    return array


def of_labels(q: Problem[Any]) -> bool:
    """Whether the sample is a table of labels whose metric is no plain proportion."""
    return q.sample.tally == "labels" and not q.sample.is_share(q.metric)


# F1.


def _is_f1(q: Problem[Any]) -> bool:
    return of_labels(q) and bool(q.metric.rows_in_play) and bool(q.sample.plain)


@inference_method("wilson-f1", on=ONE, applies=_is_f1)
def wilson_f1(q: CountProblem) -> RawLimits:
    """Wilson's limits of J = F1/(2 − F1), and back."""
    f1, rows = q.sample.estimate, q.sample.rows_spoken_of
    low, high = share_limits(f1 / (2 - f1) * rows, rows, "wilson", q.spec.level, q.spec.side)
    return RawLimits.of((2 * low / (1 + low), 2 * high / (1 + high)), "wilson-f1")


# Ratios.


@inference_method("delta-log", on=ONE, applies=lambda q: of_labels(q) and q.metric.range == (0.0, math.inf))
def delta_log(q: CountProblem) -> RawLimits:
    """The delta method on the scale of the logarithm; of one class with ½ added to each count where one is 0."""
    view = q.sample
    found = RawLimits.of(on_log(view.estimate, view.variances, _factor(q)), "delta-log")
    lost = np.isnan(found.low) & ~np.isnan(view.estimate)
    if not lost.any():
        return found
    if not (view.plain and q.metric.of_one_class):
        return found.replaced(lost, found.noted(Note("zero-count")))
    more = BinaryCounts(*(np.asarray(c) + 0.5 for c in view.seen))
    slopes = binary_gradients(q.metric, more, q.options)
    added = sum(c * s * s for c, s in zip(more, slopes, strict=True))
    low, high = on_log(np.asarray(q.metric.function(more, **q.options)), added, q.spec.factor())
    # An infinite estimate has no finite upper limit.
    high = np.where(np.isinf(view.estimate), np.inf, high)
    return found.replaced(lost, RawLimits.of((low, high), "haldane-log", Note("half-added")))


# The delta method on the scale that suits a metric's range; where it shows no variance the default answers.


def _factor(q: CountProblem) -> float:
    """How many standard errors to go: Student's t over clusters or weighted rows, with as many of equal size less 1."""
    return q.spec.factor(q.sample.df)


def _or_default(q: CountProblem, found: RawLimits) -> RawLimits:
    """The default's limits where these show no variance."""
    lost = np.isnan(found.low) & ~np.isnan(q.sample.estimate)
    if not lost.any():
        return found
    return found.replaced(lost, wilson_f1(q) if _is_f1(q) else q.sample.by_effective_t(q))


@inference_method("delta", on=ONE, applies=of_labels)
def delta(q: CountProblem) -> RawLimits:
    """The straight delta method."""
    return _straight(q, "delta")


@inference_method(
    "takahashi", on=ONE,
    applies=lambda q: q.sample.tally == "labels" and q.sample.plain and q.metric.average in q.metric.takahashi,
)  # fmt: skip
def takahashi(q: CountProblem) -> RawLimits:
    """The straight delta method, of the averages that it was published for."""
    return _straight(q, "takahashi")


@inference_method("cluster-t", on=ONE, applies=lambda q: of_labels(q) and q.sample.clustered)
def cluster_t(q: CountProblem) -> RawLimits:
    """The same with Student's t on as many degrees of freedom as clusters of equal size less 1."""
    return _straight(q, "cluster-t")


def _straight(q: CountProblem, key: str) -> RawLimits:
    return _or_default(q, RawLimits.of(straight_limits(q.sample.estimate, q.sample.variances, _factor(q)), key))


@inference_method("delta-logit", on=ONE, applies=lambda q: of_labels(q) and q.metric.range == (0.0, 1.0))
def delta_logit(q: CountProblem) -> RawLimits:
    """The delta method on the logit scale."""
    pair = on_logit(q.sample.estimate, q.sample.variances, _factor(q))
    return _or_default(q, RawLimits.of(pair, "delta-logit"))


@inference_method("fisher-z", on=ONE, applies=lambda q: of_labels(q) and q.metric.range == (-1.0, 1.0))
def fisher_z(q: CountProblem) -> RawLimits:
    """The delta method on the scale of atanh."""
    pair = on_logit(q.sample.estimate, q.sample.variances, _factor(q), (-1.0, 1.0))
    return _or_default(q, RawLimits.of(pair, "fisher-z"))
