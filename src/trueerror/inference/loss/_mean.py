"""The mean of a loss over rows: from its moments, from a score table, over clusters, and under sampling weights.

Whatever the rows are, the mean is an `Estimate`, whose units add (ℓ − mean)/n, or what leaving a cluster or a weighted
row out takes away.

A loss is infinite where a model gave probability 0 to what happened; its mean then has no limits to compare.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import clusters_in_words, cr3_variance, degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import contrast
from trueerror.inference._effective_t import KEY, effective_t_contrast, effective_t_limits, effective_units
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, left_out, spread
from trueerror.inference._problem import (
    IntervalLimits,
    IntervalSpec,
    Problem,
    Range,
    choose,
    method_named,
)
from trueerror.inference._variance import ScoreSample
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.loss._interval import t_limits
from trueerror.inference.proportion._distributions import limits
from trueerror.inputs._labels import Codes
from trueerror.methods._registry import Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, loss_moments, table_losses
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results._format import listing, one_line, whole
from trueerror.sources._predictions import Predictions
from trueerror.tallies._moments import Moments

Floats = NDArray[np.float64]
INFINITE = "a row that was called certain was wrong, which costs an infinite loss; clip= sets the highest"


class ClusterSums(NamedTuple):
    """How many rows each cluster has (or what they weigh), and the sum of their losses; `n` rows in all.

    `units` is what the clusters are called.
    """

    sizes: NDArray[np.integer[Any]] | Floats
    sums: Floats
    n: float | None = None
    units: str = "clusters"

    @property
    def occupied(self) -> ClusterSums:
        """Those clusters that have rows."""
        kept = self.sizes > 0
        sizes = np.asarray(self.sizes[kept], dtype=np.float64)
        return self._replace(sizes=sizes, sums=self.sums[kept], n=float(sizes.sum()) if self.n is None else self.n)

    @property
    def mean(self) -> float:
        """The mean loss of a row; NaN without any."""
        total = float(self.sizes.sum())
        return float(self.sums.sum()) / total if total else math.nan

    def over_units(self, ends: Range) -> Estimate:
        """The mean, over those that have rows."""
        held = self.occupied
        return mean_over_units(held.sums, np.asarray(held.sizes, dtype=np.float64), ends)

    @property
    def note(self) -> str:
        """How many clusters there are, and what they are worth."""
        return clusters_in_words(self.sizes, self.units)


LossSample = Moments | ClusterSums | ScoreSample


def mean_of_rows(m: Moments, ends: Range) -> Estimate:
    """The mean of independent values, from their moments.

    >>> values = np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.9])
    >>> e = mean_of_rows(Moments.of(values), (0, 1))
    >>> own = spread(Estimate(value=e.value, units=(values - values.mean()) / 8, range=(0, 1)))
    >>> [round(float(x), 6) for x in (*spread(e), *own)]
    [0.096247, 3.833844, 0.096247, 3.833844]
    """
    # To single precision, so that the order of rows, on which the last digits hang, does not show.
    fourths = float(np.float32(m.fourths / m.n**4)) if 0 < m.fourths < math.inf else None
    return estimate_of_sums(m.mean, [Sums(m.n, m.squares / m.n**2, fourths)], ends)


def mean_over_units(sums: Floats, sizes: Floats, ends: Range, count: Floats | None = None) -> Estimate:
    """The mean over units of unlike size (clusters, weighted rows): (G − 1)/G times what it loses without each.

    >>> x, ones = np.array([0.1, 0.2, 0.2, 0.9, 0.4]), np.ones(5)
    >>> np.allclose(mean_over_units(x, ones, (0, 1)).units, (x - x.mean()) / 5)
    True
    """
    often = np.ones(len(sums)) if count is None else count
    total, units = float((often * sizes).sum()), float(often.sum())
    mean = float((often * sums).sum()) / total
    moves = (units - 1) / units * left_out(sizes / total, (sums - mean * sizes) / total)
    return Estimate(value=np.array(mean), units=moves, count=count, sizes=sizes, range=ends)


def mean_of_table(measure: Measure, sample: ScoreSample, options: MetricOptions, ends: Range) -> Estimate:
    """The mean loss of a score table: rows, weighted rows, or classes that are samples of their own.

    Rows of one score and class that are weighted count as (Σw)²/Σw² equal ones. At another class mix each class is a
    stratum, brought to the share that is asked for.
    """
    table, share = sample.table, sample.share
    if share is None and table.squares is None:
        return mean_of_rows(loss_moments(table, measure, **options), ends)
    losses = table_losses(table, measure, **options)
    values, rows, heavy = [], [], []
    for i, counts in enumerate((table.positives, table.negatives)):
        masses = np.asarray(counts, dtype=np.float64)
        kept = masses > 0
        masses, squares = masses[kept], masses[kept] if table.squares is None else table.squares[i][kept]
        values.append(losses[i][kept])
        heavy.append(squares / masses)
        rows.append(masses * masses / squares)
    if share is None:
        x, w, k = map(np.concatenate, (values, heavy, rows))
        return mean_over_units(w * x, w, ends, k)
    parts = [mean_over_units(w * x, w, ends, k) for x, w, k in zip(values, heavy, rows, strict=True) if len(x)]
    shares = [s for s, x in zip((share, 1 - share), values, strict=True) if len(x)]
    units = [s * e.units for s, e in zip(shares, parts, strict=True)]
    return Estimate(
        value=np.array(sample.estimate), units=np.concatenate(units),
        count=np.concatenate([k for k in rows if len(k)]), sizes=np.concatenate([w for w in heavy if len(w)]),
        strata=np.repeat(np.arange(len(parts)), [len(e.units) for e in parts]), range=ends,
    )  # fmt: skip


def mean_estimate(q: Problem[LossSample]) -> Estimate:
    """The mean loss of whatever the sample is."""
    ends, sample = q.metric.bounds(q.options), q.sample
    if isinstance(sample, ClusterSums):
        return mean_over_units(sample.sums, np.asarray(sample.sizes, dtype=np.float64), ends)
    if isinstance(sample, ScoreSample):
        return mean_of_table(q.metric, sample, q.options, ends)
    return mean_of_rows(sample, ends)


def loss_interval(
    measure: Measure,
    sample: Moments | ClusterSums,
    options: MetricOptions,
    spec: IntervalSpec,
    method: str | None = None,
) -> Interval:
    """The interval of a mean loss, within the loss's range.

    >>> from trueerror.metrics._registry import find_measure
    >>> print(loss_interval(find_measure("brier"), Moments(100, 0.2, 4.0, 0.0, 0.3), {}, IntervalSpec()))
    brier 0.200 [0.163, 0.243], 95 % effective-t, n = 100
    """
    sample = sample.occupied if isinstance(sample, ClusterSums) else sample
    q: Problem[LossSample] = Problem(situation="mean-loss", metric=measure, sample=sample, spec=spec, options=options)
    chosen = choose(q) if method is None else method_named(q, method)
    bounds = measure.bounds(options)
    n = sample.n or 0.0
    answer = chosen.function(q) if n else IntervalLimits(*_ends(bounds), chosen.key, "there are no rows")
    return spec.interval(
        measure.name, sample.mean if n else math.nan, answer.low, answer.high, bounds=bounds, method=answer.method,
        n=n, note=answer.note,
    )  # fmt: skip


def _infinite(q: Problem[Any], method: str) -> IntervalLimits | None:
    """Of a mean that is infinite nothing is known; None where it is finite."""
    mean = q.sample.estimate if isinstance(q.sample, ScoreSample) else q.sample.mean
    return IntervalLimits(math.nan, mean, method, INFINITE) if math.isinf(mean) else None


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
    KEY,
    answers="mean-loss",
    default=Default(
        why="Brier score, log loss and grades of 34 designs covered in .941–.982, median .953, at 0.98 to 1.21 times "
        "the width that the true spread would give; over 6 to 70 clusters .937–.975 (simulated)"
    ),
)
def effective_t_of_mean(q: Problem[LossSample]) -> IntervalLimits:
    """The effective t of a mean loss."""
    sample = q.sample
    if isinstance(sample, ClusterSums) and len(sample.sums) < 2:
        return IntervalLimits(math.nan, math.nan, KEY, ONE_CLUSTER)
    note = sample.note if isinstance(sample, ClusterSums) else ""
    return _infinite(q, KEY) or effective_t_limits(mean_estimate(q), q.spec, note)


@inference_method("cluster-t", answers="mean-loss", applies=lambda q: isinstance(q.sample, ClusterSums))
def clustered_mean(q: Problem[ClusterSums]) -> IntervalLimits:
    """mean ± t(G_eff − 1)·√Σ(s/(1 − w))² over clusters, s = Σ(ℓ − mean)/n."""
    return _infinite(q, "cluster-t") or cluster_t_limits(q.sample, q.spec)


def cluster_t_limits(sample: ClusterSums, spec: IntervalSpec) -> IntervalLimits:
    """The plain t of a mean over clusters."""
    if len(sample.sums) < 2:
        return IntervalLimits(math.nan, math.nan, "cluster-t", ONE_CLUSTER)
    sizes = np.asarray(sample.sizes, dtype=np.float64)
    error = math.sqrt(cr3_variance((sample.sums - sample.mean * sizes) / float(sizes.sum()), sizes))
    df = max(degrees_of_freedom(effective_clusters(sizes)), 1.0)
    low, high, note = t_limits(sample.mean, error, df, spec.level, spec.side)
    return IntervalLimits(low, high, "cluster-t", note or sample.note)


@inference_method(
    "t-mean", answers=("mean", "mean-loss"), applies=independent_rows, default=Default(why="exact for normal values")
)
def t_mean(q: Problem[LossSample]) -> IntervalLimits:
    """t as it is."""
    unknown = _infinite(q, "t-mean")
    if unknown is not None:
        return unknown
    e = mean_estimate(q)
    rows = effective_units(e)
    error = float(spread(e).error) if rows > 1 else math.nan
    low, high, key, note = mean_limits(float(e.value), error, rows - 1, rows, q.metric.bounds(q.options), q.spec)
    return IntervalLimits(low, high, key, note)


def mean_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, spec: IntervalSpec, method: str = "t-mean"
) -> tuple[float, float, str, str]:
    """mean ± t·error; equal losses leave room for the share of rows that would have another, where there is a range.

    Also the key of the method that was used in the end, and a note.
    """
    # Rounding dust in the squares of equal losses must not pass for a spread.
    flat = df >= 1 and not error > 1e-13 * max(abs(mean), 1e-300)
    if flat and all(map(math.isfinite, bounds)):
        _, share = limits(0.0, rows, "wilson", spec.level, "two-sided" if spec.side == "two-sided" else "upper")
        low, high = mean - float(share) * (mean - bounds[0]), mean + float(share) * (bounds[1] - mean)
        return low, high, "wilson-constant-loss", "all rows have the same loss"
    low, high, note = t_limits(mean, 0.0 if flat else error, df, spec.level, spec.side)
    return low, high, method, note


def difference_of_means(
    sample: Moments | ClusterSums, reach: Range, spec: IntervalSpec, higher_is_better: bool | None
) -> Contrast:
    """The mean of paired differences, of rows or over clusters; `reach` is where a difference can lie.

    >>> d = np.array([0.3, 0.1, 0.2, 0.4, -0.1, 0.2, 0.2])
    >>> print(difference_of_means(Moments.of(d), (-1.0, 1.0), IntervalSpec(), True))
    difference: first − second = +0.186 [0.038, 0.326], 95 % effective-t, p = .022, n = 7
    """
    sample = sample.occupied if isinstance(sample, ClusterSums) else sample
    if not sample.n:
        return contrast(
            estimate=math.nan, limits=(math.nan, math.nan), whole=reach, confidence=spec.confidence,
            alternative=spec.alternative, method=KEY, n=0, statistic=math.nan, p_value=math.nan,
            notes=("no row has an answer of both",),
        )  # fmt: skip
    if isinstance(sample, Moments):
        e, note = mean_of_rows(sample, reach), ""
    else:
        e, note = sample.over_units(reach), sample.note
    return effective_t_contrast(e, spec, n=sample.n, higher_is_better=higher_is_better, note=note)


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
