"""What methods see of a metric of labels, and the methods that serve them.

Rows at random at their own class mix have textbook limits for a share (`proportion`), for F1 (Wilson's, through the
Jaccard index) and for ratios (the logarithm). Every other metric, and every other design, has the effective t of its
label table (`_label_tables`). The delta method on several scales can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._effective_t import KEY, effective_t_limits, effective_units
from trueerror.inference._estimate import Estimate, effective_rows, spread
from trueerror.inference._label_tables import label_estimate, label_range
from trueerror.inference._problem import IntervalLimits, Notes, Problem
from trueerror.inference._variance import Kind, Sample, binary_gradients, variance
from trueerror.inference.proportion._distributions import (
    RawLimits,
    as_jaccard,
    at_size,
    from_jaccard,
    on_log,
    on_logit,
    straight_limits,
)
from trueerror.methods import Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion

Floats = NDArray[np.float64]

# The row of the decision table for metrics of labels that have no textbook limits of their own.
ANY_LABELS = "label-metric"

ONE_CLUSTER = str(Note("one-cluster"))
# Rounding leaves about 1e−34 where a variance is 0; one error in a billion rows gives 1e−18.
VARIANCE_TOLERANCE = 1e-27


@dataclass(eq=False, kw_only=True)
class CountView:
    """A metric of labels as methods see it: of one sample, or of every class of plain rows at once (no `source`).

    `seen` is what formulas are given (weights or another class mix in it), `rows` counts rows.
    """

    measure: Measure
    seen: Any
    rows: Any
    estimate: Floats
    source: Sample | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class mix."""
        return self.source is None or self.source.plain

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

    @property
    def range(self) -> tuple[float, float]:
        """Between which values it lies."""
        low, high = self.measure.range if self.source is None else label_range(self.measure, self.source, self.options)
        return low * self.scale, high * self.scale

    @property
    def total(self) -> Floats:
        """How many rows there are, for each estimate."""
        return np.asarray(self.rows.total, dtype=np.float64) + np.zeros_like(self.estimate)

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


CountProblem = Problem[CountView]


def situation_of(measure: Measure, view: CountView) -> str:
    """The row of the decision table for a metric of rows that were drawn in this way."""
    return measure.situation if view.plain else ANY_LABELS


def rows_spoken_of(q: CountProblem) -> Floats:
    """How many rows an interval speaks of: the trials of a proportion, those in play for F1, else all."""
    m, view = q.metric, q.sample
    if m.of_one_class and m.rows_in_play:
        return np.asarray(view.rows.tp + view.rows.fp + view.rows.fn, dtype=np.float64)
    if m.share is not None and (m.of_one_class or view.plain):
        return np.atleast_1d(np.asarray(m.share(view.rows)[1], dtype=np.float64))
    return view.total


def is_plain(q: CountProblem) -> bool:
    """Rows at random, at their own class mix."""
    return q.sample.plain


# Everything that has no textbook limits.


@inference_method(
    KEY,
    answers=(ANY_LABELS, "proportion", "f1", "ratio"),
    default=Default(
        why="covers .91–.98 in every design at 1.0–1.2 times the least possible width; half a row in the worst cell "
        "keeps a table without an error from being taken for one that can have none"
    ),
)
def effective_t(q: CountProblem) -> RawLimits:
    """The effective t of the label table, with half a row in its worst cell."""
    view = q.sample
    if view.source is None:
        return _each_class(q)
    key, bounds = KEY, label_range(q.metric, view.source, q.options)
    low, high = np.nan, np.nan
    note: Notes = None
    if view.kind == "clustered" and view.sample.groups < 2:
        note = Note("one-cluster")
    elif not np.isfinite(view.estimate[0]):
        note = Note("zero-count")
    else:
        low, high, key, note = _limits(q, label_estimate(q.metric, view.source, q.options, bounds))[:4]
    low, high = (x * view.scale if np.isfinite(x) else x for x in (low, high))
    notes = np.empty(1, dtype=object)
    notes[0] = note or None
    return RawLimits.of((np.array([low]), np.array([high])), key, notes)


def _limits(q: CountProblem, e: Estimate) -> IntervalLimits:
    """Those of the rule; the ends of the range where the metric has no value without one of the clusters."""
    if q.sample.kind == "clustered" and not np.isfinite(q.sample.bare.units).all():
        low, high = (b if np.isfinite(b) else np.nan for b in e.range)
        return IntervalLimits(low, high, KEY, Note("class-in-one-cluster"))
    return effective_t_limits(e, q.spec, *_of_design(q.sample))


def _each_class(q: CountProblem) -> RawLimits:
    """Each class against the rest by itself."""
    parts = []
    for four in zip(*(np.asarray(c, dtype=np.int64) for c in q.sample.seen), strict=True):
        sample = Sample.of(q.metric, table_of(BinaryCounts(*four)))
        view = view_of_sample(q.metric, sample, q.options)
        parts.append(effective_t(Problem(situation=q.situation, metric=q.metric, sample=view, spec=q.spec,
                                         options=q.options)))  # fmt: skip
    low, high, method, note = (np.concatenate([part[i] for part in parts]) for i in range(4))
    return RawLimits(low, high, method, note)


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
    groups = float(view.sample.groups)
    return (Note("clusters-worth", (groups, worth)) if worth > 0 else Note("clusters", (groups,)),)


# F1.


@inference_method(
    "wilson-f1",
    answers="f1",
    default=Default(why="covers .949–.957; the delta method covers .87–.94 and collapses to zero width", when=is_plain),
    applies=is_plain,
)
def wilson_f1(q: CountProblem) -> RawLimits:
    """Wilson's limits of J = F1/(2 − F1), and back."""
    low, high = at_size(as_jaccard(q.sample.estimate), rows_spoken_of(q), q.spec, np.asarray(q.spec.factor()))
    return RawLimits.of((from_jaccard(low), from_jaccard(high)), "wilson-f1")


# Ratios.


@inference_method(
    "delta-log",
    answers=("ratio", ANY_LABELS),
    default=Default(
        why="the logarithm of a ratio is near to normal; ½ is added to each count where one is 0", when=is_plain
    ),
    applies=lambda q: q.metric.range == (0.0, np.inf),
)
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
    return found.replaced(lost, (wilson_f1 if q.situation == "f1" else effective_t)(q))


@inference_method("delta", answers=(ANY_LABELS, "f1", "ratio"))
def delta(q: CountProblem) -> RawLimits:
    """The straight delta method."""
    return _straight(q, "delta")


@inference_method(
    "takahashi",
    answers=(ANY_LABELS, "proportion"),
    applies=lambda q: q.sample.plain and q.metric.average in q.metric.takahashi,
)
def takahashi(q: CountProblem) -> RawLimits:
    """The straight delta method, of the averages that it was published for."""
    return _straight(q, "takahashi")


@inference_method("cluster-t", answers=ANY_LABELS, applies=lambda q: q.sample.kind == "clustered")
def cluster_t(q: CountProblem) -> RawLimits:
    """The same with Student's t on as many degrees of freedom as clusters of equal size less 1."""
    return _straight(q, "cluster-t")


def _straight(q: CountProblem, key: str) -> RawLimits:
    return _or_default(q, RawLimits.of(straight_limits(q.sample.estimate, q.sample.variances, _factor(q)), key))


@inference_method("delta-logit", answers=(ANY_LABELS, "f1"), applies=lambda q: q.metric.range == (0.0, 1.0))
def delta_logit(q: CountProblem) -> RawLimits:
    """The delta method on the logit scale."""
    pair = on_logit(q.sample.estimate, q.sample.variances, _factor(q))
    return _or_default(q, RawLimits.of(pair, "delta-logit"))


@inference_method("fisher-z", answers=ANY_LABELS, applies=lambda q: q.metric.range == (-1.0, 1.0))
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


def view_of_sample(measure: Measure, sample: Sample, options: MetricOptions) -> CountView:
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
        measure=measure, seen=seen, rows=rows, estimate=estimate, source=sample, options=dict(options)
    )  # fmt: skip


@np.errstate(invalid="ignore", divide="ignore")
def _values(measure: Measure, counts: BinaryCounts, options: MetricOptions) -> Floats:
    return np.asarray(measure.function(counts, **options), dtype=np.float64)


def _as_arrays(counts: BinaryCounts) -> BinaryCounts:
    return BinaryCounts(*(np.array([c], dtype=np.float64) for c in counts))
