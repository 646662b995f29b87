"""Metrics of a score table: areas, mean losses of probabilities, calibration errors, and what binned scores leave open.

Limits from binned scores hold for every order that the rows may have within bins: the lower one is at most, the upper
one at least that of the exact table, whichever it is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._problem import (
    IntervalLimits,
    IntervalSpec,
    Problem,
    choose,
    clustered,
    method_named,
)
from trueerror.inference._variance import ClusteredRows, Design, ScoreSample
from trueerror.inference.auc._average_precision import RankedRows, tilted_low, unseen_reach, worth_fewer
from trueerror.inference.auc._binned import area_reach, precision_reach
from trueerror.inference.auc._delong import delong_from_table
from trueerror.inference.auc._interval import on_scale
from trueerror.inference.bootstrap._tables import ClusterCells
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.loss._mean import loss_limits
from trueerror.inference.proportion._array_intervals import limits, on_logit
from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods._registry import Default, inference_method
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    loss_moments,
    score_share,
    table_losses,
    undefined_reason,
    value,
)
from trueerror.metrics.scores import NO_BOUND, bound_words, metric_bounds, middled, with_scores
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.results._values import sentences_of
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
    rng: Any = None,
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
        made = IntervalLimits(low, high, chosen.key, undefined_reason(measure, used, prior=prior, **options))
    elif clusters is not None and clusters.groups < 2:
        made = IntervalLimits(math.nan, math.nan, chosen.key, ONE_CLUSTER)
    else:
        made = chosen.function(q)
    found = spec.interval(
        measure.name, sample.estimate, made.low, made.high, bounds=bounds, method=made.method, n=float(table.n),
        note=made.note,
    )  # fmt: skip
    return found if table.exact or math.isnan(found.estimate) else _with_bounds(found, made, q, table, prior)


def clustered_score_interval(
    measure: Measure,
    positive: NDArray[np.bool_],
    scores: NDArray[Any],
    keys: NDArray[np.integer[Any]],
    options: MetricOptions,
    spec: IntervalSpec,
    *,
    method: str | None = None,
    label: Label = 1,
    weights: NDArray[np.float64] | None = None,
    prior: Prior | None = None,
    rng: Any = None,
    replicates: int = 2_000,
) -> Interval:
    """A metric of scores, from rows with a cluster each, and sampling weights where they have them.

    >>> from trueerror.metrics._registry import find_measure
    >>> positive, keys = np.array([False, True] * 20), np.repeat(np.arange(10), 4)
    >>> scores = np.arange(40) % 7 + positive
    >>> clustered_score_interval(find_measure("auc"), positive, scores, keys, {}, IntervalSpec()).method
    'delong-clustered'
    """
    codes = np.unique(keys, return_inverse=True)[1]
    rows = ClusteredRows(positive=positive, scores=scores, codes=codes, weights=weights)
    kind: WeightsKind | None = None if weights is None else "sampling"
    table = ScoreTable.from_codes(positive, scores, label, weights=weights, weights_kind=kind)
    return score_interval(
        measure, table, options, spec, method, prior=prior, rng=rng, replicates=replicates, clusters=rows
    )


@inference_method(
    "boyd-clustered",
    answers="average-precision",
    word="boyd-logit",
    applies=clustered,
    default=Default(
        why="Of rows in clusters boyd-clustered, with the larger of Boyd's error and that of leaving out clusters",
        when=clustered,
    ),
    part="areas",
    title="Boyd's logit interval of an area under PR, for clustered rows",
    formula="logit(θ) ± t(G_eff − 1)·√V/(θ(1 − θ)), V the larger of θ(1 − θ)/P and Σ(θ₋g − mean)², θ₋g without cluster "
    "g, G_eff = (Σm)²/Σm² of the clusters' positives m; where P·θ(1 − θ) < 1 Wilson's limits at G_eff; below at least "
    "as far as one unseen negative above all would take as many independent rows as these are worth",
    source="Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451; Efron and Stein 1981, Ann. Stat. 9:586 (jackknife)",
    assumes="independent clusters; any dependence within",
    measured=".94–.98 with 12 to 40 clusters of 5 to 20 rows, where BCa over clusters covers .89 (simulated)",
)
def boyd_clustered(q: Problem[ScoreSample]) -> IntervalLimits:
    """Boyd's logit interval with t(G_eff − 1) and the larger of his error and that of leaving out clusters in turn.

    Where the positives are few or the value is near its end, Wilson's at the effective clusters that hold positives.
    """
    rows, estimate, method = q.sample.clusters, q.sample.estimate, "boyd-clustered"
    assert rows is not None
    own = np.ones(len(rows.positive)) if rows.weights is None else rows.weights
    positives, g = effective_clusters(own[rows.positive]), rows.groups
    effective = effective_clusters(np.bincount(rows.codes[rows.positive], weights=own[rows.positive]))
    z = max(q.spec.factor(degrees_of_freedom(effective)), 0.0)
    note, inside = f"{whole(g)} clusters", estimate * (1 - estimate)
    if positives * inside < 1:
        size = min(effective, positives)
        low, high = limits(estimate * size, size, "wilson", q.spec.level, q.spec.side, z=z)
        note += "; a value near its end: Wilson's interval at those with positives"
        return IntervalLimits(float(low), float(high), method, note)
    one_less = ClusterCells.of(q, rows).one_less()
    known = one_less[np.isfinite(one_less)]
    spread = float(((known - known.mean()) ** 2).sum()) if len(known) > 1 else 0.0
    low, high = on_logit(estimate, max(spread, inside / positives), z)
    unseen = worth_fewer(RankedRows.of(q.sample.table, q.sample.share), spread)
    return IntervalLimits(min(float(low), tilted_low(unseen, estimate, z)), float(high), method, note)


def _with_bounds(
    found: Interval, made: IntervalLimits, q: Problem[ScoreSample], table: ScoreTable, prior: Prior | None
) -> Interval:
    """The interval widened to hold that of the exact table, whatever it is.

    Areas, average precision and mean losses have limits of their own for this (`area_reach`, `precision_reach`);
    those of a bootstrap move out by what is open, and areas' grow in the ratio of the largest to the binned standard
    error besides.
    """
    bounds = metric_bounds(q.metric, table, options=dict(q.options), prior=prior)
    if bounds is None:
        return noted(found, NO_BOUND)
    low, high = moved(found, bounds)
    if q.metric.area and not made.resampled and made.asked:
        low, high = on_scale(q.metric, IntervalLimits(*area_reach(table, q.spec, made.asked), made.method))[:2]
    elif q.metric.area:
        variance = float(delong_from_table(table).covariance[0, 0])
        growth = table.bounds.standard_error_slack() / math.sqrt(variance) if variance > 0 else 0.0
        low -= growth * (found.estimate - found.low)
        high += growth * (found.high - found.estimate)
    elif q.situation == "average-precision" and not made.resampled:
        low, high = precision_reach(bounds, float(table.n_positive), q.spec)
        if made.method == "boyd-unseen-negative":
            low, high = unseen_reach(table, bounds, q.spec, q.sample.share, (low, high))
    elif q.metric.of_losses and not made.resampled and prior is None:
        low, high = _loss_reach(found, q, table, bounds)
    ends = q.metric.bounds(q.options)
    low, high = max(ends[0], min(low, found.low)), min(ends[1], max(high, found.high))
    if q.spec.side == "upper":
        low = found.low
    elif q.spec.side == "lower":
        high = found.high
    return noted(found, bound_words(bounds), (low, high))


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
    """The outer limits of the smallest and the largest mean with the largest standard error.

    The losses of a bin lie between those at its ends; a standard error is a norm, so it grows by no more than that of
    how far the losses may be off.
    """
    measure, options, n = q.metric, q.options, float(table.n)
    ends = measure.bounds(options)
    if not math.isfinite(bounds.high):
        return ends  # the standard error may be anything
    if table.squares is not None or n < 2:
        return moved(found, bounds)
    middle = middled(table)
    at = [table_losses(x, measure, **options) for x in (middle, table, with_scores(table, table.bounds.uppers))]
    off = 0.0
    for side, rows in ((0, table.positives), (1, table.negatives)):
        occupied = rows > 0
        centre, lowest, highest = (x[side][occupied] for x in at)
        gap = np.maximum(np.abs(lowest - centre), np.abs(highest - centre))
        off += float((rows[occupied] * gap * gap).sum())
    error = loss_moments(middle, measure, **options).standard_error + math.sqrt(off / ((n - 1) * n))
    method = "t-log-mean" if found.method == "t-log-mean" else "t-mean"
    outer = [loss_limits(mean, error, n - 1, n, ends, q.spec, method) for mean in bounds]
    return min(x[0] for x in outer), max(x[1] for x in outer)
