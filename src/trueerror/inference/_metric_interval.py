"""The one entry: any metric of any tally, with its interval.

A confusion matrix becomes a `Problem`, the decision table chooses, and the raw limits are finished once: undefined
values, clipping, notes. The bootstraps of a confusion matrix are entered here, since they serve every count metric.

Metrics of a score table: areas, mean losses of probabilities, calibration errors, and what binned scores leave open.

Limits from binned scores hold for every order that the rows may have within bins: the lower one is at most, the upper
one at least that of the exact table, whichever it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial, update_wrapper
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import without_gaps
from trueerror.inference._effective_t import effective_t_limits
from trueerror.inference._problem import (
    IntervalLimits,
    IntervalSpec,
    Problem,
    choose,
    general,
    method_named,
)
from trueerror.inference._variance import ClusteredRows, Design, Sample, ScoreSample
from trueerror.inference.auc._interval import delong_variance, of_area
from trueerror.inference.bootstrap._tables import TableBootstrap, Unfit, bootstrap_of_table
from trueerror.inference.counts._at_prior import multilabel_interval
from trueerror.inference.counts._one_class import (
    ANY_LABELS,
    ONE_CLUSTER,
    CountProblem,
    CountView,
    every_class,
    rows_spoken_of,
    situation_of,
    view_of_sample,
)
from trueerror.inference.loss._mean import loss_interval, mean_limits, mean_of_rows
from trueerror.inference.proportion._distributions import RawLimits
from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng
from trueerror.methods import default_for, inference_method
from trueerror.methods._registry import InferenceMethod
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    check_metric_options,
    find_measure,
    loss_moments,
    prior_of_each,
    reweighted_scores,
    score_share,
    table_losses,
    undefined_reason,
    value,
)
from trueerror.metrics.scores import NO_BOUND, bound_words, metric_bounds, middled, with_scores
from trueerror.results import Interval, Side
from trueerror.results._values import Note, sentences_of
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Confusion
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Range = tuple[float, float]


def score_interval(
    measure: Measure,
    table: ScoreTable,
    options: MetricOptions,
    spec: IntervalSpec,
    method: str | None = None,
    *,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Rng = None,
    replicates: int = 2_000,
    clusters: ClusteredRows | None = None,
) -> Interval:
    """A metric of scores, and where the true value may lie; binned scores widen it by what they leave open."""
    if not (measure.of_scores or measure.of_losses):
        raise InputError(f"{measure.name} cannot be computed from a score table; it needs labels")
    if design == "case-control" and prior is None and not measure.area:
        raise InputError(
            f'{measure.name} depends on how common the positives are, which a sample with design="case-control" does '
            "not show: pass prior= (their share where the model will be used)"
        )
    prior = None if measure.area else prior
    # Probabilities are best read in the middle of a bin; its lowest score is where a threshold is exact.
    used = middled(table) if measure.of_losses or measure.probabilities else table
    sample = ScoreSample(
        table=used, estimate=value(measure, used, prior=prior, **options), design=design, clusters=clusters,
        share=None if prior is None else score_share(prior, used),
    )  # fmt: skip
    q = Problem(
        situation=measure.situation, metric=measure, sample=sample, options=options,
        spec=replace(spec, rng=rng, replicates=replicates),
    )  # fmt: skip
    chosen = choose(q) if method is None else method_named(q, "bootstrap-bca" if method == "bootstrap" else method)
    bounds = measure.bounds(options)
    if math.isnan(sample.estimate):
        low, high = (b if math.isfinite(b) else math.nan for b in bounds)
        answer = IntervalLimits(low, high, chosen.key, undefined_reason(measure, used, prior=prior, **options))
    elif clusters is not None and clusters.groups < 2:
        answer = IntervalLimits(math.nan, math.nan, chosen.key, ONE_CLUSTER)
    else:
        answer = chosen.function(q)
    # A table of weighted rows knows what they weigh, not how many they are.
    n = float(table.n if clusters is None else len(clusters.positive))
    interval = spec.interval(
        measure.name, sample.estimate, answer.low, answer.high, bounds=bounds, method=answer.method, n=n,
        note=answer.note,
    )  # fmt: skip
    return interval if table.exact or math.isnan(interval.estimate) else _with_bounds(
        interval, answer, q, table, prior, chosen
    )  # fmt: skip


def clustered_scores(
    positive: NDArray[np.bool_],
    scores: NDArray[Any],
    keys: NDArray[np.integer[Any]],
    label: Label = 1,
    weights: NDArray[np.float64] | None = None,
) -> tuple[ScoreTable, ClusteredRows]:
    """Rows with a cluster each, and sampling weights where they have them, as `score_interval` takes them.

    >>> from trueerror.metrics._registry import find_measure
    >>> positive, keys = np.array([False, True] * 20), np.repeat(np.arange(10), 4)
    >>> table, rows = clustered_scores(positive, np.arange(40) % 7 + positive, keys)
    >>> score_interval(find_measure("auc"), table, {}, IntervalSpec(), clusters=rows).method
    'effective-t'
    """
    rows = ClusteredRows(positive=positive, scores=scores, codes=without_gaps(keys), weights=weights)
    kind: WeightsKind | None = None if weights is None else "sampling"
    return ScoreTable.from_codes(positive, scores, label, weights=weights, weights_kind=kind), rows


def _with_bounds(
    found: Interval,
    made: IntervalLimits,
    q: Problem[ScoreSample],
    table: ScoreTable,
    prior: Prior | None,
    chosen: InferenceMethod,
) -> Interval:
    """The interval widened to hold that of the exact table, whatever it is.

    Limits move out by what is open. Those of areas grow besides in the ratio of the largest to the binned standard
    error, and ranks have limits of their own in the best and in the worst order that the rows may have.
    """
    bounds = metric_bounds(q.metric, table, options=dict(q.options), prior=prior)
    if bounds is None:
        return noted(found, NO_BOUND)
    low, high = moved(found, bounds)
    if q.metric.area:
        variance = delong_variance(table, of_area(q.metric, found.estimate))
        growth = table.bounds.standard_error_slack() / math.sqrt(variance) if variance > 0 else 0.0
        low -= growth * (found.estimate - found.low)
        high += growth * (found.high - found.estimate)
    if q.metric.by_rank and not made.resampled:
        outer = [_limits_of_order(order, q, chosen) for order in (table.bounds.worst, table.bounds.best)]
        low, high = min(low, outer[0][0], outer[1][0]), max(high, outer[0][1], outer[1][1])
    elif q.metric.of_losses and not made.resampled and prior is None:
        low, high = _loss_reach(found, q, table, bounds)
    ends = q.metric.bounds(q.options)
    low, high = max(ends[0], min(low, found.low)), min(ends[1], max(high, found.high))
    if q.spec.side == "upper":
        low = found.low
    elif q.spec.side == "lower":
        high = found.high
    return noted(found, bound_words(bounds), (low, high))


def _limits_of_order(order: ScoreTable, q: Problem[ScoreSample], method: InferenceMethod) -> Range:
    """The limits of rows in an order that binned scores leave open."""
    share = q.sample.share
    with_counts = reweighted_scores(order, share) if share is not None else None
    estimate = float(q.metric.function(order, with_counts, **q.options))
    answer = method.function(replace(q, sample=replace(q.sample, table=order, estimate=estimate)))
    return answer.low, answer.high


def moved(found: Interval, bounds: Bounds) -> Range:
    """The limits moved out by as much as the exact value may be off."""
    return found.low - (found.estimate - bounds.low), found.high + (bounds.high - found.estimate)


def widened(found: Interval, bounds: Bounds, within: Range) -> Interval:
    """An interval of a statistic that is known only between bounds: its limits move out with them."""
    low, high = moved(found, bounds)
    low, high = max(within[0], min(low, found.low)), min(within[1], max(high, found.high))
    return noted(found, bound_words(bounds), (low, high))


def noted(found: Interval, words: str, limits: Range | None = None) -> Interval:
    """The interval with something added to its note, and perhaps with the limits that this is about."""
    low, high = limits or (found.low, found.high)
    changed = replace(found, low=low, high=high, note=sentences_of((found.note, words)))
    changed._keep_notes(found.notes)
    return changed


def _loss_reach(found: Interval, q: Problem[ScoreSample], table: ScoreTable, bounds: Bounds) -> Range:
    """The outer limits of the smallest and the largest mean with the largest standard error and the heaviest tails.

    The losses of a bin lie between those at its ends. A standard error is a norm, so it grows by no more than that of
    how far the losses may be off; so does the fourth root of the sum of fourth powers.
    """
    measure, options, n = q.metric, q.options, float(table.n)
    ends = measure.bounds(options)
    if not math.isfinite(bounds.high):
        return ends  # the standard error may be anything
    if table.squares is not None or n < 2:
        return moved(found, bounds)
    middle = middled(table)
    at = [table_losses(x, measure, **options) for x in (middle, table, with_scores(table, table.bounds.uppers))]
    squares = fourths = 0.0
    for side, rows in ((0, table.positives), (1, table.negatives)):
        occupied = rows > 0
        centre, lowest, highest = (x[side][occupied] for x in at)
        gap = np.maximum(np.abs(lowest - centre), np.abs(highest - centre))
        squares += float((rows[occupied] * gap**2).sum())
        fourths += float((rows[occupied] * gap**4).sum())
    m, off = loss_moments(middle, measure, **options), math.sqrt(squares)
    most, least = math.sqrt(m.squares) + off, max(math.sqrt(m.squares) - off, 0.0)
    if found.method == "t-mean":
        error = most / math.sqrt(n * (n - 1))
        outer = [mean_limits(mean, error, n - 1, n, ends, q.spec)[:2] for mean in bounds]
    else:
        # The mean of how far they are off is no further than their own fourth root.
        tails = (m.fourths**0.25 + 2 * fourths**0.25) ** 4
        wide = replace(m, squares=most**2, fourths=most**4 * (min(tails / least**4, 1.0) if least > 0 else 1.0))
        outer = [effective_t_limits(mean_of_rows(replace(wide, mean=x), ends), q.spec)[:2] for x in bounds]
    return min(x[0] for x in outer), max(x[1] for x in outer)


# The rows of the decision table that a bootstrap of a confusion matrix answers.
RESAMPLED_SITUATIONS = (ANY_LABELS, "proportion", "f1", "ratio")


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
    rng: Rng = None,
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
    mcc 0.669 [0.504, 0.786], 95 % effective-t, n = 128
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
    return table_intervals(m, sample, chosen, method=method, prior=prior, positive=positive)(spec)


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
    rng: Rng = None,
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
    q = _count_problem(m, every_class(m, table, chosen), chosen, spec)
    free = prior is None or m.is_prior_free(len(table.labels))
    plain = free and design == "random" and clusters is None and table.weight_sums is None
    named_method = method_named(q, method) if method is not None and plain else None
    if not plain or (named_method is not None and named_method.function in _BOOTSTRAPS):
        each_prior = None if free else prior_of_each(prior, table.labels, table.positive)
        return {
            table.labels[i]: metric_interval(
                m, table, positive=table.labels[i], method=method, confidence=confidence, side=side, options=chosen,
                clusters=clusters, prior=each_prior, design=design, rng=rng, replicates=replicates,
                simultaneous_over=simultaneous_over, estimand=estimand,
            )
            for i in occurring
        }  # fmt: skip
    view = q.sample
    raw_limits: RawLimits = (choose(q) if named_method is None else named_method).function(q)
    undefined = np.isnan(view.estimate)
    if undefined.any():
        low, high = (np.full(view.estimate.shape, b if math.isfinite(b) else math.nan) for b in m.range)
        key = default_for(q.situation) if named_method is None else named_method.key
        reason = np.full(view.estimate.shape, m.undefined, dtype=object)
        raw_limits = raw_limits.replaced(undefined, RawLimits.of((low, high), key, reason))
    rows = np.broadcast_to(rows_spoken_of(q), view.estimate.shape)
    columns = [
        a[occurring].tolist()
        for a in (view.estimate, raw_limits.low, raw_limits.high, rows, raw_limits.method, raw_limits.note)
    ]
    return {
        table.labels[i]: spec.interval(m.name, e, lo, hi, bounds=m.range, method=key, n=size, note=note)
        for i, e, lo, hi, size, key, note in zip(occurring.tolist(), *columns, strict=True)
    }


def _count_problem(m: Measure, view: CountView, options: MetricOptions, spec: IntervalSpec) -> CountProblem:
    return Problem(situation=situation_of(m, view), metric=m, sample=view, spec=spec, options=options)


def table_intervals(
    m: Measure,
    sample: Sample,
    options: MetricOptions,
    *,
    method: str | None = None,
    prior: Prior | None = None,
    positive: Label | None = None,
) -> Callable[[IntervalSpec], Interval]:
    """A metric of a sample of rows, as it is asked for; its variance is worked out once for all that is asked."""
    view = view_of_sample(m, sample, options)
    return lambda spec: _table_interval(_count_problem(m, view, options, spec), method, prior, positive)


def _table_interval(q: CountProblem, method: str | None, prior: Prior | None, positive: Label | None) -> Interval:
    m, sample, options, spec = q.metric, q.sample.sample, q.options, q.spec
    named_method = None if method is None else method_named(q, method)
    estimate = float(q.sample.estimate[0])
    given = m.given_by_prior and sample.shares is not None
    if math.isnan(estimate) or given or sample.rows.n == 0:
        key = default_for(q.situation) if named_method is None else named_method.key
        if given and not math.isnan(estimate):
            note = Note("given-by-prior")
            return spec.interval(
                m.name, estimate, math.nan, math.nan, bounds=m.range, method=key, n=sample.rows.n, note=note
            )
        return _undefined(q, key, undefined_reason(m, sample.rows, positive=positive, prior=prior, **options))
    raw_limits: RawLimits = (choose(q) if named_method is None else named_method).function(q)
    n = float(rows_spoken_of(q)[0]) if raw_limits.n is None else raw_limits.n
    low, high = raw_limits.low.item(0), raw_limits.high.item(0)
    used, said = str(raw_limits.method.item(0)), raw_limits.note.item(0)
    return spec.interval(m.name, estimate, low, high, bounds=q.sample.range, method=used, n=n, note=said)


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
    estimate, bounds = float(q.sample.estimate[0]), q.sample.range
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
    raw_limits: RawLimits = other.function(q)
    return raw_limits._replace(note=_in_array((Note("instead-of-bootstrap", (why, other.key)), raw_limits.note[0])))


def _has_rows(q: CountProblem) -> bool:
    """Whether rows can be drawn again: sampling weights were summed over them."""
    return q.sample.kind != "weighted"


@inference_method(
    "bootstrap-bca",
    answers=RESAMPLED_SITUATIONS,
    word="bootstrap",
    applies=_has_rows,
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
