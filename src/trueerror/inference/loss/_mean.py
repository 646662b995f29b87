"""The mean of a loss over rows: from its moments, from a score table, over clusters, and under sampling weights.

Whatever the rows are, the mean is an `Estimate`, whose units add (ℓ − mean)/n, or what leaving a cluster or a weighted
row out takes away.

A loss is infinite where a model gave probability 0 to what happened; its mean then has no limits to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import cluster_error, clusters_in_words, degrees_of_freedom
from trueerror.inference._contrast import limits_without_spread, nothing_known
from trueerror.inference._effective_t import KEY, effective_t_contrast
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, leave_out
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range
from trueerror.inference._sample import Estimated, OneSample, scored
from trueerror.inference._variance import ScoreSample
from trueerror.inference.loss._interval import t_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, loss_moments, table_losses
from trueerror.results import Contrast, Interval
from trueerror.results._format import listing, one_line, whole
from trueerror.sources._predictions import Predictions
from trueerror.tallies._moments import Moments

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
        made = mean_over_units(held.sums, np.asarray(held.sizes, dtype=np.float64), ends)
        return replace(made, rows_alike=float(held.n or 0))

    @property
    def note(self) -> str:
        """How many clusters there are, and what they are worth."""
        return clusters_in_words(self.sizes, self.units)


def mean_of_rows(m: Moments, ends: Range) -> Estimate:
    """The mean of independent values, from their moments.

    >>> values = np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.9])
    >>> e = mean_of_rows(Moments.of(values), (0, 1))
    >>> own = Estimate(value=e.value, units=(values - values.mean()) / 8, range=(0, 1)).spread
    >>> [round(float(x), 6) for x in (*e.spread, *own)]
    [0.096247, 3.833844, 0.096247, 3.833844]
    """
    # To single precision, so that the order of rows, on which the last digits hang, does not show.
    fourths = float(np.float32(m.fourths / m.n**4)) if m.fourths < math.inf else 0.0
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
    moves = (units - 1) / units * leave_out(sizes / total, (sums - mean * sizes) / total)
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


@dataclass(frozen=True, slots=True, eq=False)
class MeanSample(OneSample):
    """A mean of losses or grades: moments of the rows, or sums of clusters or weighted rows."""

    counted: Moments | ClusterSums
    tally = "values"

    @classmethod
    def of(cls, units: Moments | ClusterSums) -> MeanSample:
        """Of moments, or the clusters that have rows."""
        return cls(units.occupied if isinstance(units, ClusterSums) else units)

    @property
    def value(self) -> float:
        """The mean."""
        return self.counted.mean if self.n else math.nan

    @property
    def n(self) -> float:
        """How many rows there are."""
        return self.counted.n or 0.0

    @property
    def clustered(self) -> bool:
        """Whether units are clusters, or rows of unlike weight."""
        return isinstance(self.counted, ClusterSums)

    @property
    def groups(self) -> int:
        """How many clusters, or weighted rows, there are."""
        assert isinstance(self.counted, ClusterSums)
        return len(self.counted.sums)

    def is_share(self, metric: Measure) -> bool:
        """Whether each of these rows counts 1 or 0."""
        return metric.row_hits and not self.clustered

    @property
    def successes(self) -> tuple[float, float]:
        """How many rows count 1, and of how many."""
        return self.value * self.n, self.n

    def why_undefined(self, q: Problem[Any]) -> str:
        """There is nothing to take the mean of."""
        return "there are no rows"

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said without rows, of one cluster, and of a mean that is infinite."""
        return super(MeanSample, self).nothing(q) or infinite_limits(self.value)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """What rows, or clusters, add to the mean."""
        notes = () if isinstance(self.counted, Moments) else (self.counted.note,)
        return Estimated(estimate=mean_estimate(self.counted, q.ends), notes=notes)


def infinite_limits(mean: float) -> IntervalLimits | None:
    """Of a mean that is infinite nothing is known; None where it is finite."""
    return IntervalLimits(math.nan, mean, "", INFINITE) if math.isinf(mean) else None


def of_values(q: Problem[Any]) -> bool:
    """Whether the sample is a mean of independent rows."""
    return q.sample.tally == "values" and not q.sample.clustered


@inference_method("cluster-t", on=ONE, applies=lambda q: q.sample.tally == "values" and q.sample.clustered)
def clustered_mean(q: Problem[MeanSample]) -> IntervalLimits:
    """mean ± t(G_eff − 1)·√Σ(s/(1 − w))² over clusters, s = Σ(ℓ − mean)/n."""
    sample = q.sample.counted
    assert isinstance(sample, ClusterSums)
    e = sample.over_units(q.ends)
    low, high, note = t_limits(
        float(e.value), cluster_error(e), degrees_of_freedom(e.effective), q.spec.level, q.spec.side
    )
    return IntervalLimits(low, high, "cluster-t", note or sample.note)


@inference_method(
    "t-mean", on=ONE, aliases=("t",), applies=lambda q: q.metric.of_losses and (of_values(q) or scored(q))
)
def t_mean(q: Problem[OneSample]) -> IntervalLimits:
    """t as it is."""
    e = q.sample.estimated(q).estimate
    rows = e.effective
    error = float(e.spread.error) if rows > 1 else math.nan
    return IntervalLimits(*mean_limits(float(e.value), error, rows - 1, rows, q.ends, q.spec))


def mean_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, spec: IntervalSpec, method: str = "t-mean"
) -> tuple[float, float, str, str]:
    """mean ± t·error; equal losses leave room for the share of rows that would have another, where there is a range.

    Also the key of the method that was used in the end, and a note.
    """
    # Rounding dust in the squares of equal losses must not pass for a spread.
    flat = df >= 1 and not error > 1e-13 * max(abs(mean), 1e-300)
    if flat and all(map(math.isfinite, bounds)):
        low, high = limits_without_spread(mean, rows, spec.factor(), bounds)
        return low, high, "wilson-constant-loss", "all rows have the same loss"
    low, high, note = t_limits(mean, 0.0 if flat else error, df, spec.level, spec.side)
    return low, high, method, note


def mean_estimate(counted: Moments | ClusterSums, ends: Range) -> Estimate:
    """The mean of rows, or over clusters."""
    return mean_of_rows(counted, ends) if isinstance(counted, Moments) else counted.over_units(ends)


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
        return nothing_known(math.nan, NO_ROWS, spec, method=KEY, n=0, whole=reach)
    note = "" if isinstance(sample, Moments) else sample.note
    return effective_t_contrast(
        mean_estimate(sample, reach), spec, n=sample.n, higher_is_better=higher_is_better, note=note
    )


NO_ROWS = "no row has an answer of both"
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
    estimate: float, models: Mapping[str, Predictions], measure: Measure, options: MetricOptions, spec: IntervalSpec,
    *, method: str, n: float,
) -> Contrast:  # fmt: skip
    """First − second where either loss is infinite: no limits, no p-value, and why."""
    rows = {m: k for m, p in models.items() if (k := infinite_rows(p, m, measure, options))}
    whose = "its" if len(rows) == 1 else "their"
    why = (
        f"{certain_and_wrong(rows)}, so {whose} {measure.title} is infinite, without interval or p-value; the Brier "
        "score has both, and so has a loss with a clip"
    )
    return nothing_known(estimate, why, spec, method=method, n=n)


def infinite_words(rows: Mapping[str, int], title: str) -> str:
    """What a verdict says of the models whose loss is infinite."""
    whose = "its" if len(rows) == 1 else "their"
    return (
        f"{certain_and_wrong(rows)}, so {whose} {title} is infinite, and differences from it have no interval and no "
        f"p-value. {ADVICE}."
    )


def infinite_losses(
    given: Mapping[str, tuple[Predictions, str]],
    measure: Measure,
    options: MetricOptions,
    estimates: Mapping[str, Interval],
    contrasts: Iterable[Contrast],
) -> dict[str, int] | None:
    """Models whose own loss is infinite and so are differences from it, with the number of rows that make it so."""
    apart = {m for c in contrasts if not math.isfinite(c.estimate) for m in (c.first, c.second)}
    wanted = [m for m, interval in estimates.items() if m in apart and math.isinf(interval.estimate)]
    return {m: infinite_rows(*given[m], measure, options) for m in wanted} or None
