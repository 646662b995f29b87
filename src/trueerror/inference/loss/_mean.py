"""The mean of a loss over rows: from its moments, from a score table, and over clusters.

A loss is infinite where a model gave probability 0 to what happened; its mean then has no limits to compare.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import cr3_variance, degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import contrast
from trueerror.inference._problem import (
    IntervalLimits,
    IntervalSpec,
    Problem,
    Range,
    choose,
    method_named,
)
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import effective_rows, satterthwaite
from trueerror.inference.bootstrap._half_row import half_unit_limit
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.loss._interval import t_limits
from trueerror.inference.proportion._distributions import limits, on_log
from trueerror.inputs._labels import Codes
from trueerror.methods._registry import ROWS, Default, Method, declare, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, loss_moments, table_losses
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results._format import listing, one_line, whole
from trueerror.sources._predictions import Loss, Predictions
from trueerror.tallies._moments import Moments

Floats = NDArray[np.float64]
FEW = 10
# With fewer clusters, counted by size, none that goes wrong may have been seen.
FEW_CLUSTERS = 30
INFINITE = "a row that was called certain was wrong, which costs an infinite loss; clip= sets the highest"


class ClusterSums(NamedTuple):
    """How many rows each cluster has (or what they weigh), and the sum of their losses; `n` rows in all.

    `units` is what the clusters are called; `worst` the mean loss if no row had had the class that it was called.
    """

    sizes: NDArray[np.integer[Any]] | Floats
    sums: Floats
    n: float | None = None
    units: str = "clusters"
    worst: float = math.inf


def as_if_wrong(loss: Loss) -> Loss:
    """The loss of each row if another class than the likeliest one had been true, each of the others as likely."""

    def wrong(codes: Codes, chances: Floats) -> Floats:
        classes = max(chances.shape[1], 2)
        other = (1 - chances.max(axis=1)) / (classes - 1)
        losses = loss(np.zeros(len(codes), dtype=np.intp), np.column_stack([other] + [1 - other] * (classes - 1)))
        # A certain forecast would have cost an infinite loss: as the worst of the others.
        known = losses[np.isfinite(losses)]
        return np.where(np.isfinite(losses), losses, known.max() if len(known) else np.inf)

    return wrong


LossSample = Moments | ClusterSums | ScoreSample


class MeanLoss(NamedTuple):
    """A mean, its standard error with degrees of freedom, and how many independent rows (or clusters) it rests on."""

    mean: float
    error: float
    df: float
    rows: float


def loss_interval(
    measure: Measure,
    sample: Moments | ClusterSums,
    options: MetricOptions,
    spec: IntervalSpec,
    method: str | None = None,
) -> Interval:
    """The interval of a mean loss, within the loss's range: t on the scale of the logarithm, or plain ("t-mean").

    >>> from trueerror.metrics._registry import find_measure
    >>> print(loss_interval(find_measure("brier"), Moments(100, 0.2, 4.0), {}, IntervalSpec()))
    brier 0.200 [0.163, 0.245], 95 % t-log-mean, n = 100
    """
    q: Problem[LossSample] = Problem(situation="mean-loss", metric=measure, sample=sample, spec=spec, options=options)
    chosen = choose(q) if method is None else method_named(q, method)
    bounds = measure.bounds(options)
    if isinstance(sample, ClusterSums):
        weight = float(sample.sizes.sum())
        mean = float(sample.sums[sample.sizes > 0].sum()) / weight if weight else math.nan
        n = weight if sample.n is None else sample.n
    else:
        mean, n = (sample.mean, sample.n) if sample.n else (math.nan, 0)
    answer = chosen.function(q) if n else IntervalLimits(*_ends(bounds), chosen.key, "there are no rows")
    return spec.interval(
        measure.name, mean, answer.low, answer.high, bounds=bounds, method=answer.method, n=n, note=answer.note
    )


@inference_method(
    "cluster-t",
    answers="mean-loss",
    applies=lambda q: isinstance(q.sample, ClusterSums),
    default=Default(
        why="Of rows in clusters cluster-t, with the variance of the clusters' sums",
        when=lambda q: isinstance(q.sample, ClusterSums),
    ),
)
def clustered_mean(q: Problem[ClusterSums]) -> IntervalLimits:
    """mean ± t(G_eff − 1)·√Σ(s/(1 − w))² over clusters, s = Σ(ℓ − mean)/n.

    A loss that is never negative is taken on the scale of the logarithm, with at most (ΣL)²/ΣL² clusters, L a cluster's
    sum of losses. It reaches at least as far as half an unseen cluster of size √(Σn²/G) would take it
    (`half_unit_limit`): a few bad clusters hold most of the loss, and a sample may have missed large ones of them. Such
    a cluster has the highest loss that there is; without one (log loss) that of rows that were all called wrong, and is
    reckoned with where clusters are few, or one that is about as bad was seen.
    """
    occupied = q.sample.sizes > 0
    sizes, sums = np.asarray(q.sample.sizes[occupied], dtype=np.float64), q.sample.sums[occupied]
    n, groups = float(sizes.sum()), len(sizes)
    mean = float(sums.sum()) / n
    if math.isinf(mean):
        return IntervalLimits(math.nan, mean, "cluster-t", INFINITE)
    if groups < 2:
        return IntervalLimits(math.nan, math.nan, "cluster-t", ONE_CLUSTER)
    moved, effective = sums - mean * sizes, effective_clusters(sizes)
    error = math.sqrt(cr3_variance(moved / n, sizes))
    if q.sample.units != "clusters":
        squared, plain = float((moved**2).sum()), float((moved**2 / sizes).sum())
        error = max(error, math.sqrt(_at_most_kish(n, squared, plain, effective)))
    bounds = q.metric.bounds(q.options)
    with_loss = min(effective, effective_clusters(sums)) if bounds[0] == 0 else effective
    df = max(degrees_of_freedom(with_loss), min(2.0, degrees_of_freedom(effective)), 1.0)
    low, high, key, note = loss_limits(mean, error, df, max(effective, 1.0), bounds, q.spec, "t-log-mean")
    end, size = bounds[1], math.sqrt(float((sizes**2).mean()))
    if math.isinf(end):
        shrunk = float(((sums + sizes.mean() / 4 * mean) / (sizes + sizes.mean() / 4)).max())
        end = q.sample.worst if effective < FEW_CLUSTERS or shrunk > (mean + q.sample.worst) / 2 else math.inf
    if math.isfinite(end) and math.isfinite(bounds[0]) and bounds[0] < mean < end:
        if math.isfinite(bounds[1]):
            low = float(np.fmin(low, half_unit_limit(sums, sizes, bounds[0], q.spec.tail)))
        high = float(np.fmax(high, half_unit_limit(sums, sizes, end, q.spec.tail, size)))
    return IntervalLimits(
        low, high, "cluster-t" if key in ("t-mean", "t-log-mean") else key, note or f"{whole(groups)} {q.sample.units}"
    )


def independent_rows(q: Problem[LossSample]) -> bool:
    """Whether the rows are not in clusters."""
    return not isinstance(q.sample, ClusterSums)


@inference_method(
    "wilson",
    answers="mean-loss",
    applies=lambda q: counted_hits(q) is not None,
    default=Default(
        why="rows that are right or wrong are a plain proportion", when=lambda q: counted_hits(q) is not None
    ),
)
def wilson_of_hits(q: Problem[LossSample]) -> IntervalLimits:
    """Wilson's interval of the share of rows that count 1."""
    hits = counted_hits(q)
    assert hits is not None
    low, high = limits(hits.mean * hits.n, hits.n, "wilson", q.spec.level, q.spec.side)
    return IntervalLimits(float(low), float(high), "wilson")


def counted_hits(q: Problem[LossSample]) -> Moments | None:
    """The rows of a metric that counts each as 1 or 0, where they are independent and weigh alike."""
    sample = q.sample
    if not q.metric.row_hits:
        return None
    if isinstance(sample, ScoreSample) and sample.share is None and sample.table.squares is None:
        return loss_moments(sample.table, q.metric, **q.options)
    return sample if isinstance(sample, Moments) else None


@inference_method(
    "t-log-mean",
    answers="mean-loss",
    applies=independent_rows,
    default=Default(
        why="a few rows hold most of a loss; the plain t-interval covers .89–.94 below 300 rows and misses nearly "
        "always on one side, on the log scale .94–.96 (simulated)"
    ),
    part="binomial",
    title="t-interval of a mean loss, on the scale of the logarithm",
    formula="mean·exp(±t(m)·s/(√n·mean)), m = min(n − 1, max(2, (Σℓ)²/Σℓ²)); of a loss in [0, c] within "
    "c times Wilson's limits for Σℓ/c of n",
    source=(
        "the delta method for the logarithm of a mean; Student 1908, Biometrika 6:1; the rows that a loss is worth "
        "as Kish 1965, Survey Sampling, counts weights"
    ),
    assumes=ROWS + "; a loss that is never negative",
    measured="covers .94–.96 with 30 to 1,000 rows; the plain t-interval covers .89–.95 and misses on one side",
    advice="where (mean/standard error)² is below 5 a few rows decide, and the limits are wide",
)
def t_log_mean(q: Problem[LossSample]) -> IntervalLimits:
    """t on the scale of the logarithm."""
    return _t_limits(q, "t-log-mean")


@inference_method(
    "t-mean",
    answers=("mean", "mean-loss"),
    applies=independent_rows,
    default=Default(why="exact for normal values"),
    part="binomial",
    title="t-interval of a mean",
    formula="mean ± t(n − 1)·s/√n, cut to the range where there is one",
    source="Student 1908, Biometrika 6:1",
    assumes="independent values; near to normal, or many of them",
    advice="the errors of cross-validation folds share training rows: use a corrected interval for those",
)
def t_mean(q: Problem[LossSample]) -> IntervalLimits:
    """t as it is."""
    return _t_limits(q, "t-mean")


def _t_limits(q: Problem[LossSample], method: str) -> IntervalLimits:
    loss = mean_loss_of(q)
    if math.isinf(loss.mean):
        return IntervalLimits(math.nan, loss.mean, method, INFINITE)
    return IntervalLimits(*loss_limits(*loss, q.metric.bounds(q.options), q.spec, method))


def mean_loss_of(q: Problem[LossSample]) -> MeanLoss:
    """A mean loss with its standard error: plain, with sampling weights, or at another share of positives."""
    sample = q.sample
    if isinstance(sample, ScoreSample):
        if sample.share is None and sample.table.squares is None:
            sample = loss_moments(sample.table, q.metric, **q.options)
        else:
            return _of_weighted_table(q.metric, sample, q.options)
    assert isinstance(sample, Moments)
    return MeanLoss(sample.mean, sample.standard_error, sample.n - 1, sample.n)


def _of_weighted_table(measure: Measure, sample: ScoreSample, options: MetricOptions) -> MeanLoss:
    table, estimate, share = sample.table, sample.estimate, sample.share
    if math.isinf(estimate):
        return MeanLoss(estimate, math.nan, math.nan, math.nan)
    losses = table_losses(table, measure, **options)
    rows = effective_rows(table)
    # Of each class the total weight, and the squared deviations by squared weights and by weights.
    classes = []
    for i, counts in enumerate((table.positives, table.negatives)):
        weights = np.asarray(counts, dtype=np.float64)
        occupied = weights > 0
        squares = weights if table.squares is None else table.squares[i]
        total = float(weights.sum())
        centre = estimate
        if total > 0 and share is not None:
            centre = float((weights[occupied] * losses[i][occupied]).sum()) / total
        apart = (losses[i][occupied] - centre) ** 2
        classes.append((total, float((squares[occupied] * apart).sum()), float((weights[occupied] * apart).sum())))
    if share is None:
        assert table.squares is not None
        total, squared, plain = (first + second for first, second in zip(*classes, strict=True))
        kish = total**2 / float(np.sum(table.squares))
        return MeanLoss(estimate, math.sqrt(_at_most_kish(total, squared, plain, kish)), kish - 1, kish)
    parts = [
        (w * w * _at_most_kish(*class_sums, r), max(r - 1, 1.0))
        for w, class_sums, r in zip((share, 1 - share), classes, rows, strict=True)
        if class_sums[0] > 0
    ]
    variance, size = sum(p[0] for p in parts), sum(rows)
    return MeanLoss(estimate, math.sqrt(variance), satterthwaite(*parts) if variance > 0 else size - 1, size)


def _at_most_kish(total: float, squared: float, plain: float, kish: float) -> float:
    """The variance of a weighted mean, at least that of as many rows of equal weight as the weights leave.

    Heavy rows whose losses lie near the mean hide how uncertain it is: Σw²(ℓ − m)² alone covers .89 where one row in
    twenty weighs 40, so .98 (simulated).
    """
    return max(squared / total**2 * kish, plain / total) / max(kish - 1, 1.0)


def loss_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, spec: IntervalSpec, method: str
) -> tuple[float, float, str, str]:
    """mean·exp(±t·error/mean) for "t-log-mean": a few rows hold most of a loss, so its mean is skewed; else
    `mean_limits`, as also below ten rows, where t on that scale reaches beyond all bounds.

    The error is as uncertain as if it came from as many rows as hold the loss, (Σℓ)²/Σℓ² of them (Kish's count, with
    losses for weights): t has that many degrees of freedom, or n − 1 if that is less. A loss that has a highest value
    varies at most as one that is either 0 or that, so Wilson's limits for the share of the highest hold too: they cut
    the others.
    """
    low, high, key, note = mean_limits(mean, error, df, rows, bounds, spec)
    curved = method == "t-log-mean" and key == "t-mean" and not note
    if not (curved and df >= FEW - 1 and bounds[0] == 0 and mean > 0):
        return low, high, key, note
    low, high = map(float, on_log(mean, error * error, spec.factor(_settled(df, error / mean))))
    if math.isfinite(bounds[1]) and rows == df + 1:  # independent rows
        least, most = limits(mean / bounds[1] * rows, rows, "wilson", spec.level, spec.side)
        low, high = max(low, float(least) * bounds[1]), min(high, float(most) * bounds[1])
    low, high = -math.inf if spec.side == "upper" else low, math.inf if spec.side == "lower" else high
    return low, high, "t-log-mean", ""


def _settled(df: float, relative: float) -> float:
    """Degrees of freedom: the rows that a loss is worth, from its error relative to its mean; n − 1 if that is less.

    At least 2: with fewer, t reaches so far that its limits say nothing.
    """
    return min(df, max(2.0, 1 / (1 / (df + 1) + relative**2)))


def mean_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, spec: IntervalSpec
) -> tuple[float, float, str, str]:
    """mean ± t·error; equal losses leave room for the share of rows that would have another, where there is a range."""
    # Rounding dust in the squares of equal losses must not pass for a spread.
    flat = df >= 1 and not error > 1e-13 * max(abs(mean), 1e-300)
    if flat and all(map(math.isfinite, bounds)):
        _, share = limits(0.0, rows, "wilson", spec.level, "two-sided" if spec.side == "two-sided" else "upper")
        low, high = mean - float(share) * (mean - bounds[0]), mean + float(share) * (bounds[1] - mean)
        return low, high, "wilson-constant-loss", "all rows have the same loss"
    low, high, note = t_limits(mean, 0.0 if flat else error, df, spec.level, spec.side)
    return low, high, "t-mean", note


def loss_range(measure: Measure, options: MetricOptions) -> Range:
    """Where the loss can lie: Brier's own form is twice the half."""
    return measure.bounds(options)


def _ends(bounds: Range) -> tuple[float, float]:
    low, high = (b if math.isfinite(b) else math.nan for b in bounds)
    return low, high


ADVICE = 'Compare by the Brier score, or in Python set a highest loss with options={"clip": 1e-15}'


def infinite_rows(p: Predictions, model: str, measure: Measure, options: MetricOptions) -> int:
    """On how many rows the model's loss is infinite."""

    def infinite(codes: Codes, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.isinf(measure.function(codes, probabilities, **options)), dtype=np.float64)

    moments = p.source.moments(model, infinite)
    return round(moments.n * moments.mean)


def certain_and_wrong(rows: Mapping[str, int]) -> str:
    """Who was certain and wrong, and on how many rows.

    >>> certain_and_wrong({"gamma": 3})
    'gamma was certain and wrong on 3 rows (it gave probability 0 to what happened)'
    >>> certain_and_wrong({"beta": 1, "gamma": 3})
    'beta was certain and wrong on 1 row and gamma on 3 (they gave probability 0 to what happened)'
    """
    parts = []
    for i, (model, k) in enumerate(rows.items()):
        unit = f" row{'' if k == 1 else 's'}" if i == 0 else ""
        parts.append(f"{one_line(model)} {'was certain and wrong on' if i == 0 else 'on'} {whole(k)}{unit}")
    who = "it" if len(rows) == 1 else "they"
    return f"{listing(parts)} ({who} gave probability 0 to what happened)"


def infinite_contrast(
    estimate: float,
    rows: Mapping[str, int],
    measure: Measure,
    *,
    confidence: float,
    alternative: Alternative,
    method: str,
    n: float,
) -> Contrast:
    """First − second where either loss is infinite: no limits, no p-value, and why."""
    whose = "its" if len(rows) == 1 else "their"
    why = (
        f"{certain_and_wrong(rows)}, so {whose} {measure.title} is infinite, without interval or p-value; the Brier "
        "score has both, and so has a loss with a clip"
    )
    return contrast(
        estimate=estimate, limits=(math.nan, math.nan), whole=(-math.inf, math.inf), confidence=confidence,
        alternative=alternative, method=method, p_value=math.nan, statistic=math.nan, n=n, notes=(why,),
    )  # fmt: skip


def infinite_words(rows: Mapping[str, int], title: str) -> str:
    """What a verdict says of the models whose loss is infinite."""
    whose = "its" if len(rows) == 1 else "their"
    return (
        f"{certain_and_wrong(rows)}, so {whose} {title} is infinite, and differences from it have no interval and no "
        f"p-value. {ADVICE}."
    )


declare(
    Method(
        key="wilson-constant-loss",
        title="limits for a loss that was the same on all rows",
        formula="c − u·(c − min) to c + u·(max − c), u = z²/(n + z²): Wilson's limit for the share of rows that differ",
        source="Wilson 1927, JASA 22:209, on the share of rows with another loss",
        assumes=ROWS + "; a loss that cannot leave [min, max]",
    ),
    part="binomial",
)
