"""The one entry: any metric of any tally, with its interval.

A confusion matrix becomes a `Problem`, the decision table chooses, and the raw limits are finished once: undefined
values, clipping, notes. The bootstraps of a confusion matrix are entered here, since they serve every count metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec, Problem, choose, general, method_named
from trueerror.inference._score_metrics import score_interval
from trueerror.inference._variance import Design, Sample
from trueerror.inference.bootstrap._tables import TableBootstrap, Unfit, bootstrap_of_table
from trueerror.inference.counts._all_classes import cost_bounds, rarely_seen_errors, savings_by_shares
from trueerror.inference.counts._at_prior import multilabel_interval
from trueerror.inference.counts._one_class import (
    CountProblem,
    CountView,
    every_class,
    rows_spoken_of,
    situation_of,
    view_of_sample,
)
from trueerror.inference.loss._mean import loss_interval
from trueerror.inference.proportion._array_intervals import RawLimits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods import Default, default_for, inference_method
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    check_metric_options,
    find_measure,
    prior_of_each,
    undefined_reason,
)
from trueerror.results import Interval, Side
from trueerror.results._values import Note
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Confusion
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._scores import ScoreTable

# The rows of the decision table that a bootstrap of a confusion matrix answers.
RESAMPLED_SITUATIONS = (
    "other", "proportion", "f1", "macro-f1", "mean-of-recalls", "macro-of-shares", "geometric-mean", "mcc", "smooth",
    "smooth-share", "correlation", "ratio", "mean-cost", "clustered",
)  # fmt: skip


def metric_interval(
    measure: Measure | str,
    table: Confusion | ScoreTable | Moments | MultiLabel,
    *,
    positive: Label | None = None,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: MetricOptions | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> Interval:
    """A metric of a tally, and where the true value may lie.

    Without `method` the decision table chooses (`trueerror.methods.decisions()`); `method="bootstrap"` is BCa over
    10,000 resamples of the tally's cells (2,000 for scores). `clusters` counts the same rows by cluster; `prior` asks
    for another class distribution; `simultaneous_over=m` makes this one of m intervals that hold together.

    >>> t = Confusion([[80, 10], [8, 30]])
    >>> print(metric_interval("f1", t))
    f1 0.769 [0.652, 0.856], 95 % wilson-f1, n = 48
    >>> print(metric_interval("mcc", t))
    mcc 0.669 [0.504, 0.787], 95 % fisher-z, n = 128
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    chosen = dict(options or {})
    check_metric_options(m, chosen)
    spec = IntervalSpec(
        confidence=confidence, side=side, over=simultaneous_over, estimand=estimand, rng=rng,
        replicates=replicates or 10_000,
    )  # fmt: skip
    if isinstance(table, Moments):
        return loss_interval(m, table, chosen, spec, method)
    if isinstance(table, MultiLabel):
        for word, given in (("method", method), ("clusters", clusters), ("prior", prior)):
            if given is not None:
                raise InputError(f"{word}= is not offered for rows with several labels")
        return multilabel_interval(m, table, chosen, spec, positive)
    if isinstance(table, ScoreTable):
        return score_interval(
            m, table, chosen, spec, method, prior=prior, design=design, rng=rng, replicates=replicates or 2_000
        )
    sample = Sample.of(m, table, positive=positive, clusters=clusters, prior=prior, design=design)
    return table_interval(m, sample, chosen, spec, method=method, prior=prior, positive=positive)


def class_intervals(
    measure: Measure | str,
    table: Confusion,
    *,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: MetricOptions | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> dict[Label, Interval]:
    """A metric of each class against the rest, for all classes that have rows or predictions, by label.

    >>> print(class_intervals("recall", Confusion([[45, 5], [15, 15]], labels=["a", "b"]))["a"])
    recall 0.900 [0.786, 0.957], 95 % wilson, n = 50
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    if not m.of_one_class:
        raise InputError(f"{m.name} is a metric of all classes together; ask for it without a class")
    chosen = dict(options or {})
    check_metric_options(m, chosen)
    margins = table.classes(weighted=False)
    occurring = np.flatnonzero((margins.truth > 0) | (margins.predicted > 0))
    spec = IntervalSpec(confidence=confidence, side=side, over=simultaneous_over, estimand=estimand)
    q = _count_problem(m, every_class(m, table, clusters, chosen), chosen, spec)
    asked = None if method is None else method_named(q, method)
    free = prior is None or m.is_prior_free(len(table.labels))
    if not free:
        prior = prior_of_each(prior, table.labels, table.positive)
    if not free or design == "case-control" or (asked is not None and asked.function in _BOOTSTRAPS):
        return {
            table.labels[i]: metric_interval(
                m, table, positive=table.labels[i], method=method, confidence=confidence, side=side, options=chosen,
                clusters=clusters, prior=prior, design=design, rng=rng, replicates=replicates,
                simultaneous_over=simultaneous_over, estimand=estimand,
            )
            for i in occurring
        }  # fmt: skip
    view = q.sample
    found: RawLimits = (choose(q) if asked is None else asked).function(q)
    undefined = np.isnan(view.estimate)
    if undefined.any():
        low, high = (np.full(view.estimate.shape, b if math.isfinite(b) else math.nan) for b in m.range)
        key = default_for(m.situation) if asked is None else asked.key
        reason = np.full(view.estimate.shape, m.undefined, dtype=object)
        found = found.replaced(undefined, RawLimits.of((low, high), key, reason))
    rows = np.broadcast_to(rows_spoken_of(q), view.estimate.shape)
    columns = [a[occurring].tolist() for a in (view.estimate, found.low, found.high, rows, found.method, found.note)]
    return {
        table.labels[i]: spec.interval(m.name, e, lo, hi, bounds=m.range, method=key, n=size, note=note)
        for i, e, lo, hi, size, key, note in zip(occurring.tolist(), *columns, strict=True)
    }


def _count_problem(m: Measure, view: CountView, options: MetricOptions, spec: IntervalSpec) -> CountProblem:
    return Problem(situation=situation_of(m, view.kind), metric=m, sample=view, spec=spec, options=options)


def table_interval(
    m: Measure,
    sample: Sample,
    options: MetricOptions,
    spec: IntervalSpec,
    *,
    method: str | None = None,
    prior: Prior | None = None,
    positive: Label | None = None,
) -> Interval:
    """A metric of a sample of rows, as it is asked for."""
    q = _count_problem(m, view_of_sample(m, sample, options), options, spec)
    asked = None if method is None else method_named(q, method)
    estimate = float(q.sample.estimate[0])
    given = m.given_by_prior and sample.shares is not None
    if math.isnan(estimate) or given or sample.rows.n == 0:
        key = default_for(m.situation) if asked is None else asked.key
        if given and not math.isnan(estimate):
            note = Note("given-by-prior")
            return spec.interval(
                m.name, estimate, math.nan, math.nan, bounds=m.range, method=key, n=sample.rows.n, note=note
            )
        return _undefined(q, key, undefined_reason(m, sample.rows, positive=positive, prior=prior, **options))
    found: RawLimits = (choose(q) if asked is None else asked).function(q)
    n = float(rows_spoken_of(q)[0]) if found.n is None else found.n
    low, high, used, note = (np.ravel(a)[0] for a in found[:4])
    return spec.interval(m.name, estimate, float(low), float(high), bounds=_bounds(q), method=str(used), n=n, note=note)


def _bounds(q: CountProblem) -> tuple[float, float]:
    return cost_bounds(q) if q.situation == "mean-cost" else q.metric.range


def _undefined(q: CountProblem, key: str, reason: str) -> Interval:
    """Nothing is known of an undefined metric but its range."""
    m, sample = q.metric, q.sample.sample
    low, high = (b if math.isfinite(b) else math.nan for b in m.range)
    n = float(sample.rows.n)
    if m.share is not None and m.of_one_class:
        n = float(rows_spoken_of(q)[0])
    note = reason or Note("no-rows")
    return q.spec.interval(m.name, math.nan, low, high, bounds=m.range, method=key, n=n, note=note)


# The bootstrap of a confusion matrix.


def _resampled(q: CountProblem, kind: TableBootstrap) -> RawLimits:
    """Limits of resampled tables; raises `Unfit` where they have none."""
    sample, estimate = q.sample.sample, float(q.sample.estimate[0])
    low, high, note = bootstrap_of_table(q.metric, sample, estimate, kind, q.spec, dict(q.options))
    return _one_pair(q, low, high, f"bootstrap-{kind}", note)


def _one_pair(q: CountProblem, low: float, high: float, key: str, note: Any) -> RawLimits:
    """Limits that hold the estimate within the bounds; raises `Unfit` where they meet."""
    estimate, bounds = float(q.sample.estimate[0]), _bounds(q)
    low, high = max(min(low, estimate), bounds[0]), min(max(high, estimate), bounds[1])
    if not low < high:
        raise Unfit(Note("flat-resamples"))
    pair = np.array([low]), np.array([high])
    return RawLimits.of(pair, key, _in_array(note))._replace(n=float(q.sample.sample.rows.n))


def _in_array(note: Any) -> NDArray[np.object_]:
    """One note, or several in a tuple, as an array of one element."""
    array = np.empty(1, dtype=object)
    array[0] = note
    return array


def _bootstrap(q: CountProblem, kind: TableBootstrap) -> RawLimits:
    """Resampled limits, or those of the default with the reason."""
    try:
        return _resampled(q, kind)
    except Unfit as unfit:
        return _instead(q, f"bootstrap-{kind}", unfit.note)


def _instead(q: CountProblem, key: str, why: str | Note) -> RawLimits:
    other = general(q)
    if other.function in _BOOTSTRAPS:
        nothing = np.array([math.nan])
        return RawLimits.of((nothing, nothing), key, _in_array(why))
    found: RawLimits = other.function(q)
    return found._replace(note=_in_array((Note("instead-of-bootstrap", (why, other.key)), found.note[0])))


def _has_rows(q: CountProblem) -> bool:
    """Whether rows can be drawn again: sampling weights were summed over them."""
    return q.sample.kind != "weighted"


def _rare_costly_errors(q: CountProblem) -> bool:
    """A costly error that was hardly seen: resamples know as little of it as the rows."""
    return q.metric.relative_cost and rarely_seen_errors(q.sample.sample)


@inference_method("bootstrap-bca", answers="other", word=None, default=Default(why="", when=_rare_costly_errors))
def savings_of_rare_errors(q: CountProblem) -> RawLimits:
    """The outer limits of the bootstrap and of the mean cost."""
    by_shares = savings_by_shares(q)
    try:
        found = _resampled(q, "bca")
    except Unfit as unfit:
        why = unfit.note
    else:
        low, high = np.fmin(found.low[0], by_shares[0]), np.fmax(found.high[0], by_shares[1])
        return _one_pair(q, float(low), float(high), "bootstrap-bca", (found.note[0], Note("rare-errors")))
    if by_shares[0] < by_shares[1]:
        note = Note("instead-of-bootstrap", (why, "limits of the mean cost"))
        return _one_pair(q, *by_shares, "mover-cost", note)
    return _instead(q, "bootstrap-bca", why)


@inference_method(
    "bootstrap-bca", answers="other", word=None, default=Default(why="", when=lambda q: q.sample.kind == "weighted")
)
def no_weighted_bootstrap(q: CountProblem) -> RawLimits:
    """No limits: weights were summed over rows."""
    nothing = np.array([math.nan])
    return RawLimits.of((nothing, nothing), "bootstrap-bca", Note("summed-weights"))


@inference_method(
    "bootstrap-bca",
    answers=RESAMPLED_SITUATIONS,
    word="bootstrap",
    applies=_has_rows,
    default=Default(
        why="the unstratified multinomial bootstrap holds; stratifying a random test set undercovers "
        "(.71–.92 for precision)"
    ),
)
def bootstrap_bca(q: CountProblem) -> RawLimits:
    """Bias-corrected and accelerated."""
    return _bootstrap(q, "bca")


_BOOTSTRAPS: list[Callable[[CountProblem], RawLimits]] = [bootstrap_bca]
_KINDS: tuple[TableBootstrap, ...] = ("percentile", "basic", "normal", "studentised")
for _kind in _KINDS:
    _function = update_wrapper(partial(_bootstrap, kind=_kind), _bootstrap)
    inference_method(f"bootstrap-{_kind}", answers=RESAMPLED_SITUATIONS, applies=_has_rows)(_function)
    _BOOTSTRAPS.append(_function)
