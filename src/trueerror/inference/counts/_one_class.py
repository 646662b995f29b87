"""What methods see of a metric of labels, and the methods that serve them.

Rows at random at their own class mix have textbook limits for a share (`proportion`), for F1 (Wilson's, through the
Jaccard index) and for ratios (the logarithm). Every other metric, and every other design, has the effective t of its
label table (`_label_tables`). The delta method on several scales can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._effective_t import KEY, effective_t, effective_units
from trueerror.inference._estimate import Estimate, effective_rows, spread
from trueerror.inference._label_tables import label_estimate, label_range
from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.inference._sample import Estimated, OneSample
from trueerror.inference._variance import Kind, Sample, binary_gradients, variance
from trueerror.inference.proportion._distributions import (
    RawLimits,
    limits,
    on_log,
    on_logit,
    straight_limits,
)
from trueerror.methods._registry import ONE, InferenceMethod, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior, undefined_reason
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion

Floats = NDArray[np.float64]

# Rounding leaves about 1e−34 where a variance is 0; one error in a billion rows gives 1e−18.
VARIANCE_TOLERANCE = 1e-27


@dataclass(eq=False, kw_only=True)
class CountView(OneSample):
    """A metric of labels as methods see it: of one sample, or of every class of plain rows at once (no `source`).

    `seen` is what formulas are given (weights or another class mix in it), `rows` counts rows.
    """

    tally = "labels"
    measure: Measure
    seen: Any
    rows: Any
    estimate: Floats
    source: Sample | None = None
    options: dict[str, Any] = field(default_factory=dict)
    prior: Prior | None = None

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class mix."""
        return self.source is None or self.source.plain

    @property
    def clustered(self) -> bool:
        """Whether the rows are in clusters."""
        return self.kind == "clustered"

    @property
    def value(self) -> float:
        """The metric of the sample."""
        return float(self.estimate[0]) if self.sample.rows.n else np.nan

    @property
    def n(self) -> float:
        """How many rows it speaks of."""
        return float(self.rows_spoken_of[0])

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return self.sample.groups

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
    def kind(self) -> Kind:
        """How the rows were drawn."""
        return "random" if self.source is None else self.source.kind

    @property
    def sample(self) -> Sample:
        """The sample, of a view that is not of every class at once."""
        assert self.source is not None
        return self.source

    @property
    def scale(self) -> float:
        """A total is so many times the mean over the rows."""
        return float(self.sample.rows.masses.sum()) if self.measure.additive else 1.0

    def ends(self, q: Problem[Any]) -> Range:
        """Between which values it lies."""
        low, high = label_range(self.measure, self.sample, self.options)
        return low * self.scale, high * self.scale

    @property
    def total(self) -> Floats:
        """How many rows there are, for each estimate."""
        return np.asarray(self.rows.total, dtype=np.float64) + np.zeros_like(self.estimate)

    @property
    def rows_spoken_of(self) -> Floats:
        """How many rows an interval speaks of: the trials of a proportion, those in play for F1, else all."""
        m = self.measure
        if m.rows_in_play:
            in_play = np.asarray(self.rows.tp + self.rows.fp + self.rows.fn, dtype=np.float64)
            return np.where(in_play > 0, in_play, self.total)
        if m.share is not None and (m.of_one_class or self.plain):
            return np.atleast_1d(np.asarray(m.share(self.rows)[1], dtype=np.float64))
        return self.total

    @cached_property
    def bare(self) -> Estimate:
        """The estimate with what its units add, without half a row."""
        bounds = label_range(self.measure, self.sample, self.options)
        return label_estimate(self.measure, self.sample, self.options, bounds, bare=True)

    @cached_property
    def variances(self) -> Floats:
        """The variance of each estimate by the delta method, or by leaving out; 0 where rounding alone is left."""
        with np.errstate(invalid="ignore", over="ignore"):
            if self.plain and self.measure.of_one_class:
                slopes = binary_gradients(self.measure, self.seen, self.options)
                v: Any = sum(c * s * s for c, s in zip(self.seen, slopes, strict=True))
            elif self.plain:
                v = variance(self.sample.influence(self.measure, self.options), self.sample.rows.counts)
            else:
                v = float(spread(self.bare).error) ** 2 * self.scale**2
        v = np.atleast_1d(np.asarray(v, dtype=np.float64))
        return np.where(v > VARIANCE_TOLERANCE, v, 0.0)

    def why_undefined(self, q: Problem[Any]) -> str | Note:
        """Why the metric has no value."""
        s = self.sample
        positive = s.positive if s.place is None else s.of_class
        reason = undefined_reason(self.measure, s.rows, positive=positive, prior=self.prior, **self.options)
        return reason or Note("no-rows")

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, of one cluster, and of a value that the class mix asked for gives."""
        if self.measure.given_by_prior and self.sample.shares is not None and not np.isnan(self.value):
            return IntervalLimits(np.nan, np.nan, "", Note("given-by-prior"))
        return super().nothing(q)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """The label table with half a row in its worst cell.

        The ends of the range stand where the metric has no value without one of the clusters.
        """
        bounds = label_range(self.measure, self.sample, self.options)
        if self.clustered and not np.isfinite(self.bare.units).all():
            low, high = (b if np.isfinite(b) else np.nan for b in bounds)
            ends = IntervalLimits(low, high, KEY, Note("class-in-one-cluster"))
            return Estimated(estimate=self.bare, instead=lambda: ends)
        e = label_estimate(self.measure, self.sample, self.options, bounds)
        return Estimated(estimate=e, notes=_of_design(self))

    def limits(self, q: Problem[Any], chosen: InferenceMethod) -> IntervalLimits:
        """What the method gives."""
        return limits_of_counts(q, chosen).only


CountProblem = Problem[CountView]


def limits_of_counts(q: CountProblem, chosen: InferenceMethod) -> RawLimits:
    """What a method gives, of one sample or of every class by itself."""
    if chosen.function is effective_t:
        return by_effective_t(q)
    raw: RawLimits = chosen.function(q)
    return raw


def by_effective_t(q: CountProblem) -> RawLimits:
    """The effective t of one sample, or of each class against the rest by itself."""
    if q.sample.source is not None:
        return _of_one(q)
    parts = []
    for four in zip(*(np.asarray(c, dtype=np.int64) for c in q.sample.seen), strict=True):
        sample = Sample.of(q.metric, table_of(BinaryCounts(*four)))
        parts.append(_of_one(replace(q, sample=view_of_sample(q.metric, sample, q.options))))
    low, high, method, note = (np.concatenate([part[i] for part in parts]) for i in range(4))
    return RawLimits(low, high, method, note)


def _of_one(q: CountProblem) -> RawLimits:
    """A total has its mean's limits, so many times."""
    made = IntervalLimits(np.nan, np.nan, KEY, Note("zero-count"))
    if np.isfinite(q.sample.estimate[0]):
        made = effective_t(q)
    low, high = (np.array([x * q.sample.scale]) for x in made[:2])
    return RawLimits.of((low, high), made.method, in_array(made.note or None))


def in_array(note: Any) -> NDArray[np.object_]:
    """One note, or several in a tuple, as an array of one element."""
    array = np.empty(1, dtype=object)
    array[0] = note
    return array


def is_plain(q: Problem[Any]) -> bool:
    """Rows at random, at their own class mix."""
    return bool(q.sample.plain)


def of_labels(q: Problem[Any]) -> bool:
    """Whether the sample is a table of labels whose metric is no plain proportion."""
    return q.sample.tally == "labels" and not q.sample.is_share(q.metric)


def table_of(counts: BinaryCounts) -> Confusion:
    """The table of False and True with these four counts."""
    tp, fp, fn, tn = (int(c) for c in counts)
    return Confusion([[tn, fp], [fn, tp]], labels=[False, True], positive=True)


def _of_design(view: CountView) -> tuple[Note, ...]:
    """How many clusters, and how many independent rows a share of clustered or weighted rows is worth."""
    if view.kind == "random":
        return ()
    found = spread(view.bare)
    share = view.measure.share is not None and float(found.error) > 0
    worth = float(effective_rows(view.bare, found.error)) if share else np.nan
    if view.kind == "weighted":
        return (Note("weights-worth", (worth,)),) if worth > 0 else ()
    groups = float(view.groups)
    return (Note("clusters-worth", (groups, worth)) if worth > 0 else Note("clusters", (groups,)),)


# F1.


def _is_f1(q: Problem[Any]) -> bool:
    return of_labels(q) and bool(q.metric.rows_in_play) and is_plain(q)


@inference_method("wilson-f1", on=ONE, applies=_is_f1)
def wilson_f1(q: CountProblem) -> RawLimits:
    """Wilson's limits of J = F1/(2 − F1), and back."""
    f1, rows = q.sample.estimate, q.sample.rows_spoken_of
    low, high = limits(f1 / (2 - f1) * rows, rows, "wilson", q.spec.level, q.spec.side)
    return RawLimits.of((2 * low / (1 + low), 2 * high / (1 + high)), "wilson-f1")


# Ratios.


@inference_method("delta-log", on=ONE, applies=lambda q: of_labels(q) and q.metric.range == (0.0, np.inf))
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
    if q.sample.kind == "random":
        return q.spec.factor()
    return q.spec.factor(max(effective_units(q.sample.bare) - 1, 1.0))


def _or_default(q: CountProblem, found: RawLimits) -> RawLimits:
    """The default's limits where these show no variance."""
    lost = np.isnan(found.low) & ~np.isnan(q.sample.estimate)
    if not lost.any():
        return found
    return found.replaced(lost, wilson_f1(q) if _is_f1(q) else by_effective_t(q))


@inference_method("delta", on=ONE, applies=of_labels)
def delta(q: CountProblem) -> RawLimits:
    """The straight delta method."""
    return _straight(q, "delta")


@inference_method(
    "takahashi", on=ONE,
    applies=lambda q: q.sample.tally == "labels" and is_plain(q) and q.metric.average in q.metric.takahashi,
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


# Views of counts.


def every_class(measure: Measure, table: Confusion, options: MetricOptions) -> CountView:
    """All classes of plain rows at once."""
    return view_of_counts(measure, table.classes(weighted=False).one_vs_rest(), options)


def view_of_counts(measure: Measure, rows: BinaryCounts, options: MetricOptions) -> CountView:
    """Plain rows, from the four counts of many classes."""
    return CountView(
        measure=measure, seen=rows, rows=rows, estimate=_values(measure, rows, options), options=dict(options)
    )


def view_of_sample(measure: Measure, sample: Sample, options: MetricOptions, prior: Prior | None = None) -> CountView:
    """A sample's metric, of one class or of all together, as arrays of one element."""
    table, masses = sample.table, None if sample.plain else sample.masses()
    seen: Any
    rows: Any
    if measure.of_one_class:
        # Plain rows are seen as they were counted.
        seen = _as_arrays(table.binary(sample.positive, masses))
        rows = seen if sample.plain else _as_arrays(table.binary(sample.positive, table.counts.astype(np.float64)))
        estimate = _values(measure, seen, options)
    else:
        seen = table.classes(masses)
        rows = seen if sample.plain else sample.rows.classes(weighted=False)
        with np.errstate(invalid="ignore", divide="ignore"):
            exact = measure.function(seen, **options) if measure.of_all_classes else sample.value(measure, {**options})
        estimate = np.array([float(exact)])
    return CountView(
        measure=measure, seen=seen, rows=rows, estimate=estimate, source=sample, options=dict(options), prior=prior
    )  # fmt: skip


@np.errstate(invalid="ignore", divide="ignore")
def _values(measure: Measure, counts: BinaryCounts, options: MetricOptions) -> Floats:
    return np.asarray(measure.function(counts, **options), dtype=np.float64)


def _as_arrays(counts: BinaryCounts) -> BinaryCounts:
    return BinaryCounts(*(np.array([c], dtype=np.float64) for c in counts))
