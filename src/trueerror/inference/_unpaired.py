"""Models on rows of their own, and groups of rows, compared by one metric.

Two `ModelRows` are the sample of a `Problem`, as a pair on the same rows is in `_two_models`.

Groups of rows compared by one metric: which differ, and how far apart the best and the worst are.

The best and the worst group are picked after looking, so a test of that pair alone would find gaps where there are
none. Every pair of groups is tested, and its p-value read as that of the range of all: with z = Φ⁻¹(1 − p/2) of a pair
and Q the range of k standard normals, p_adjusted = P(Q > √2·z) (Tukey; for unequal variances no smaller than exact).
Limits of pairs are taken at the level that belongs to Q's quantile, so all hold together, and the pair that was picked
with them. The gap itself, the largest difference of true values, then lies between the largest lower and the largest
upper limit.

Shares of rows: the score test alone has type I error up to .19 where a small group stands beside a large one near 1;
the larger of its p-value and Fisher's mid-p is at most .055 in all cells (`validation/gaps.py`).

Sources: Tukey 1953, The Problem of Multiple Comparisons; Hayter 1984, Ann. Stat. 12:61; Lancaster 1961, JASA 56:223,
for the mid-p; Zou and Donner 2008, Stat. Med. 27:1693, and Donner and Zou 2012, Stat. Methods Med. Res. 21:347, for
differences and ratios of two estimates with limits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._answer import contrast_of
from trueerror.inference._clusters import clusters_in_words
from trueerror.inference._contrast import contrast, of_better
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate, apart
from trueerror.inference._label_tables import label_estimate
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._sample import Sampled
from trueerror.inference._variance import Sample
from trueerror.inference.auc._binned import unpaired_table_contrast, within_words
from trueerror.inference.auc._tests import delong_unpaired
from trueerror.inference.loss._mean import infinite_contrast
from trueerror.inference.proportion._distributions import crossing, hypergeometric_p
from trueerror.inference.proportion._two_samples import difference
from trueerror.inference.ranking._rank_tests import range_above, range_point
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError
from trueerror.methods._registry import DIFFERENT, InferenceMethod, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior
from trueerror.metrics.scores import metric_bounds
from trueerror.results import Contrast, Interval
from trueerror.results._values import joined_notes
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import scored_rows
from trueerror.tallies import Confusion
from trueerror.tallies._score_bounds import Bounds

Range = tuple[float, float]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ModelRows(NamedTuple):
    """One model on rows of its own; `interval` gives its metric at a confidence."""

    p: Predictions | Confusion
    model: str
    threshold: float | None
    prior: Prior | None
    interval: Callable[[float], Interval]

    @property
    def table(self) -> Confusion:
        """Truth × predicted."""
        return self.p if isinstance(self.p, Confusion) else self.p.confusion(self.model, threshold=self.threshold)

    @property
    def rows(self) -> Predictions:
        """The rows, for metrics that counts of calls do not hold."""
        if isinstance(self.p, Confusion):
            raise InputError(f"{self.model!r} is a confusion matrix, which has no scores")
        return self.p

    def proportion(self, measure: Measure) -> tuple[int, int]:
        """Successes and trials of a metric that is a share of rows."""
        table = self.table
        assert measure.share is not None
        x, n = measure.share(table.binary() if measure.of_one_class else table.classes(weighted=False))
        if n == 0:
            raise InputError(f"{measure.name} of {self.model!r} is undefined: {measure.undefined}")
        return round(float(x)), round(float(n))

    def bounds(self, measure: Measure) -> Bounds | None:
        """Between which values the exact metric lies, where scores are binned and that is known."""
        if not measure.of_scores or self.rows.has_class_scores(self.model):
            return None
        table = self.rows.scores(self.model)
        prior = None if measure.area else self.prior
        return None if table.exact else metric_bounds(measure, table, prior=prior)

    @property
    def plain(self) -> bool:
        """Neither clusters nor sampling weights."""
        if isinstance(self.p, Confusion):
            return self.p.weight_sums is None
        return not self.p.has_key("clusters") and self.p.weights_kind != "sampling"

    def own_mix(self, measure: Measure) -> bool:
        """Whether the class mix of the rows is the one that is asked for, or does not matter."""
        return self.prior is None or measure.is_prior_free(len(self.p.labels))


class TwoSamples(Sampled):
    """Two models, each on rows of its own."""

    on = DIFFERENT

    def __init__(self, first: ModelRows, second: ModelRows) -> None:
        self.both = (first, second)

    def __iter__(self) -> Iterator[ModelRows]:
        return iter(self.both)

    @property
    def n(self) -> int:
        """The rows of both."""
        return sum(rows.p.n for rows in self.both)

    @property
    def plain(self) -> bool:
        """Whether both have neither clusters nor sampling weights."""
        return all(rows.plain for rows in self.both)

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is a share of plain rows at their own class mix."""
        share = metric.of_labels and metric.share is not None
        return share and self.plain and all(rows.own_mix(metric) for rows in self.both)

    def answered(self, q: Two, chosen: InferenceMethod) -> Contrast:
        """The contrast by a method, with the models' names."""
        names = [rows.model for rows in self.both]
        if names[0] == names[1]:
            names = [f"{m} ({place})" for m, place in zip(names, ("first", "second"), strict=True)]
        made: Contrast = chosen.function(q)
        return replace(made, name=q.metric.title, first=names[0], second=names[1])


Two = Problem[TwoSamples]


def unpaired_contrast(
    samples: tuple[ModelRows, ModelRows],
    measure: Measure,
    spec: IntervalSpec,
    options: MetricOptions,
    method: str | None = None,
) -> Contrast:
    """First − second, each on rows of its own."""
    return contrast_of(Problem(metric=measure, sample=TwoSamples(*samples), spec=spec, options=options), method)


def _difference(form: Any) -> Callable[[Two], Contrast]:
    def answer(q: Two) -> Contrast:
        pairs = [rows.proportion(q.metric) for rows in q.sample]
        made = difference(*pairs, method=form, confidence=q.spec.confidence, alternative=q.spec.alternative)
        return of_better(made, q.metric.higher_is_better)

    return answer


def _shares(q: Two) -> bool:
    return q.sample.is_share(q.metric)


for _key, _form in {
    "miettinen-nurminen": "miettinen-nurminen", "newcombe-difference": "newcombe",
    "newcombe-difference-cc": "newcombe-cc", "agresti-caffo": "agresti-caffo", "wald-difference": "wald",
}.items():  # fmt: skip
    inference_method(_key, on=DIFFERENT, word=_form, applies=_shares)(_difference(_form))


@inference_method(
    "delong-unpaired-t", on=DIFFERENT, word="delong", applies=lambda q: q.metric.area == 1 and q.sample.plain
)
def delong_of_two(q: Two) -> Contrast:
    """DeLong over the rows; over score tables where the rows do not fit into memory."""
    confidence, alternative = q.spec.confidence, q.spec.alternative
    try:
        (up1, s1, _), (up2, s2, _) = (scored_rows(rows.rows, [rows.model]) for rows in q.sample)
    except MemoryBudgetExceeded:
        tables = [rows.rows.scores(rows.model) for rows in q.sample]
        return unpaired_table_contrast(*tables, confidence=confidence, alternative=alternative)
    return delong_unpaired(
        up1, s1[:, 0], up2, s2[:, 0], confidence=confidence, alternative=alternative, df="satterthwaite"
    )


@inference_method(
    "newcombe-hybrid", on=DIFFERENT, word="newcombe", aliases=("mover",),
    applies=lambda q: not _shares(q) and not q.metric.calibration_error,
)  # fmt: skip
def newcombe_hybrid(q: Two) -> Contrast:
    """d − √((θ1 − l1)² + (u2 − θ2)²) and its mirror image."""
    return _of_limits(q, "newcombe-hybrid", apart)


@inference_method(
    "calibration-gaps-difference", on=DIFFERENT, word="gaps", applies=lambda q: q.metric.calibration_error
)
def gaps_of_two(q: Two) -> Contrast:
    """From l1 − u2 to u1 − l2: what pushes an estimate up is no chance, and adds up."""
    return _of_limits(q, "calibration-gaps-difference", lambda _, a, __, b: (a[0] - b[1], a[1] - b[0]))


def _of_limits(q: Two, method: str, joined: Callable[[float, Range, float, Range], Range]) -> Contrast:
    """Limits from the two models' own; the p-value is the level at which a limit reaches 0."""
    spec = q.spec
    first, second = (rows.interval(spec.confidence) for rows in q.sample)
    estimate, n = first.estimate - second.estimate, q.sample.n
    if math.isinf(first.estimate) or math.isinf(second.estimate):
        models = {rows.model: rows.rows for rows in q.sample}
        return infinite_contrast(estimate, models, q.metric, q.options, spec, method=method, n=n)
    if math.isnan(estimate):
        raise InputError(f"{q.metric.name} is undefined: {first.note or second.note}")
    # Where scores are binned, the intervals are wider by what is open; that adds up, chance does not.
    (low1, high1), (low2, high2) = (
        _inner(own, rows.bounds(q.metric)) for own, rows in zip((first, second), q.sample, strict=True)
    )
    least, most = low1 - high2, high1 - low2
    slack = max(estimate - least, most - estimate)

    def limits(confidence: float) -> Range:
        a, b = ((own.low, own.high) for own in (rows.interval(confidence) for rows in q.sample))
        return joined(low1, a, high2, b)[0], joined(high1, a, low2, b)[1]

    p = two_sided_p = _inverted(limits, estimate)
    two_sided = spec.confidence
    if spec.alternative != "two-sided":
        two_sided = max(2 * spec.confidence - 1, 1e-6)
        towards = estimate > 0 if spec.alternative == "greater" else estimate < 0
        # With binned scores the largest that is possible.
        unknown = slack > 0 and (not towards or least <= 0 <= most)
        p = 1.0 if unknown else p / 2 if towards else 1 - p / 2
    lacking = next((own.note for own in (first, second) if math.isnan(own.low) or math.isnan(own.high)), "")
    ends = q.metric.bounds(q.options)
    reach = ends[1] - ends[0]
    return contrast(
        estimate=estimate, limits=limits(two_sided), whole=(-reach, reach), confidence=spec.confidence,
        alternative=spec.alternative, method=method, statistic=estimate, p_value=p, n=n,
        notes=(lacking,) if lacking and math.isnan(p) else within_words(slack),
        p_at_most=p <= two_sided_p == LEAST_LEVEL,
    )  # fmt: skip


def _inner(own: Interval, bounds: Bounds | None) -> Range:
    """Between which values an estimate lies."""
    return (own.estimate, own.estimate) if bounds is None else (float(bounds.low), float(bounds.high))


# Where the search for the level at which limits reach 0 ends.
LEAST_LEVEL = 1e-9


def _inverted(limits: Callable[[float], Range], estimate: float) -> float:
    """1 − the confidence at which the interval just reaches 0; NaN where there are no limits."""
    if estimate == 0:
        return 1.0
    side = 0 if estimate > 0 else 1

    def gap(z: float) -> float:
        # By the normal quantile, in which limits are nearly straight.
        return limits(1 - 2 * float(special.ndtr(-z)))[side] * (1 if side == 0 else -1)

    near, far = (-float(special.ndtri(level / 2)) for level in (1 - 1e-6, LEAST_LEVEL))
    narrow, wide = gap(near), gap(far)
    if math.isnan(narrow) or math.isnan(wide):
        return math.nan
    if narrow <= 0:
        return 1.0
    if wide > 0:
        return LEAST_LEVEL
    return 2 * float(special.ndtr(-crossing(gap, near, far, within=1e-10)))


def against_known(interval: Callable[[float], Interval], known: float, spec: IntervalSpec) -> Contrast:
    """A metric less a value that is known: the metric's own limits, moved; p is the level at which one reaches 0."""
    metric_ci = interval(spec.confidence)

    def limits(confidence: float) -> Range:
        at = interval(confidence)
        return at.low - known, at.high - known

    estimate = metric_ci.estimate - known
    p = _inverted(limits, estimate)
    return contrast(
        estimate=estimate, limits=(metric_ci.low - known, metric_ci.high - known), whole=(-math.inf, math.inf),
        confidence=spec.confidence, alternative="two-sided", method=metric_ci.method, statistic=estimate,
        p_value=p, p_at_most=p == LEAST_LEVEL, n=metric_ci.n,
    )  # fmt: skip


SHARED = "the groups share clusters, and are taken as independent"
DRAWN = "Fisher's mid-p does not exclude 0, so the limit is drawn to 0"


def simultaneous_level(confidence: float, groups: int) -> float:
    """The confidence of each pair's limits with which all pairs of so many groups hold together.

    >>> round(simultaneous_level(0.95, 2), 3), round(simultaneous_level(0.95, 4), 4)
    (0.95, 0.9898)
    """
    return float(2 * special.ndtr(range_point(1 - confidence, groups) / math.sqrt(2)) - 1)


def range_adjusted(p: float, groups: int) -> float:
    """A pair's p-value, adjusted for all pairs of so many groups.

    >>> round(range_adjusted(0.05, 2), 3), round(range_adjusted(0.05, 4), 3)
    (0.05, 0.203)
    """
    if math.isnan(p):
        return p
    z = -float(special.ndtri(max(p, 1e-300) / 2))
    return min(1.0, max(p, float(range_above(math.sqrt(2) * z, groups)[0])))


def fisher_mid_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Fisher's two-sided mid-p of two shares (successes, rows): twice the smaller tail, less the table that was seen.

    >>> round(fisher_mid_p((9, 10), (150, 200)), 4)
    0.3113
    """
    (x, n), (y, m) = first, second
    tails = hypergeometric_p(x, n, m, x + y)
    smaller = min(tails["less"], tails["greater"])
    here = max(0.0, tails["less"] + tails["greater"] - 1)
    return min(1.0, max(2 * smaller - here, smaller))


def group_contrasts(
    samples: Mapping[Label, ModelRows], measure: Measure, spec: IntervalSpec, options: MetricOptions
) -> list[Contrast]:
    """Every pair of groups, with limits that hold together and p-values adjusted for all pairs."""
    level = simultaneous_level(spec.confidence, len(samples))
    wide = replace(spec, confidence=level)
    numbers: defaultdict[Label, int] = defaultdict(count().__next__)
    groups = {name: _Group(rows, measure, options, numbers) for name, rows in samples.items()}
    contrasts = []
    for (a, first), (b, second) in combinations(groups.items(), 2):
        shared = first.shares_clusters(second)
        if shared and measure.of_labels:
            c = _over_shared_clusters(first, second, wide)
        else:
            pair = first.rows, second.rows
            c = unpaired_contrast(pair, measure, wide, options)
            if measure.of_labels and measure.share is not None and all(rows.plain for rows in pair):
                c = _no_surer_than_exact(c, fisher_mid_p(*(rows.proportion(measure) for rows in pair)))
            elif shared:
                c = replace(c, note=joined_notes(c.note, SHARED))
        adjusted = range_adjusted(c.p_value, len(samples))
        contrasts.append(
            replace(c, name=measure.title, first=str(a), second=str(b), confidence=spec.confidence, p_adjusted=adjusted)
        )
    return contrasts


def _no_surer_than_exact(c: Contrast, exact: float) -> Contrast:
    p = max(c.p_value, exact)
    if p <= 1 - c.confidence or not (c.low > 0 or c.high < 0):
        return replace(c, p_value=p)
    low, high = (0.0, c.high) if c.low > 0 else (c.low, 0.0)
    return replace(c, p_value=p, low=low, high=high, note=joined_notes(c.note, DRAWN))


@dataclass(eq=False)
class _Group:
    """A group of rows and the metric of it; `numbers` has one for each cluster, the same in all groups."""

    rows: ModelRows
    measure: Measure
    options: MetricOptions
    numbers: defaultdict[Label, int]

    def _numbered(self, names: Sequence[Label]) -> Ints:
        return np.fromiter(map(self.numbers.__getitem__, names), dtype=np.int64, count=len(names))

    @cached_property
    def clusters(self) -> Ints:
        """The clusters of the rows; none where these are not in clusters."""
        p = self.rows.p
        clustered = not isinstance(p, Confusion) and p.has_key("clusters")
        return self._numbered(self.rows.rows.keys("clusters").names if clustered else ())

    def shares_clusters(self, other: _Group) -> bool:
        """Whether some cluster has rows in both groups."""
        both = np.concatenate([self.clusters, other.clusters])
        return bool((np.bincount(both) > 1).any())

    @cached_property
    def over_clusters(self) -> tuple[Estimate, Ints, Floats]:
        """The metric with what it loses without each cluster, those clusters, and their rows; once for all pairs."""
        measure = self.measure
        keyed = self.rows.rows.keyed_confusion(self.rows.model, "clusters", threshold=self.rows.threshold)
        positive = self.rows.p.positive if measure.of_one_class else None
        sample = Sample.of(measure, keyed.table, positive=positive, clusters=keyed)
        kept = keyed.weights > 0
        names = [name for name, there in zip(keyed.keys, kept, strict=True) if there]
        e = label_estimate(measure, sample, self.options, measure.range, bare=True)
        return e, self._numbered(names), keyed.weights[kept]


def _over_shared_clusters(first: _Group, second: _Group, spec: IntervalSpec) -> Contrast:
    """The difference with clusters as units, where clusters have rows in both groups.

    A cluster moves the difference by what it adds in the first group less what it adds in the second.
    """
    (a, ours, our_rows), (b, theirs, their_rows) = first.over_clusters, second.over_clusters
    both = np.concatenate([ours, theirs])
    units = np.bincount(both, weights=np.concatenate([a.units, -b.units])).astype(np.float64)
    sizes = np.bincount(both, weights=np.concatenate([our_rows, their_rows])).astype(np.float64)
    held = sizes > 0
    reach = first.measure.range[1] - first.measure.range[0]
    e = Estimate(
        value=np.asarray(a.value - b.value), units=units[held], sizes=sizes[held], range=(-reach, reach)
    )  # fmt: skip
    n = first.rows.p.n + second.rows.p.n
    return effective_t_contrast(e, spec, n=n, higher_is_better=None, note=clusters_in_words(sizes[held]))


def extent(pairs: Sequence[Contrast], estimate: float, name: str, confidence: float) -> Interval:
    """The largest difference between any two groups: between the largest lower and the largest upper limit of pairs."""
    low = max((max(0.0, c.low, -c.high) for c in pairs if not math.isnan(c.low)), default=math.nan)
    high = max((max(c.high, -c.low) for c in pairs if not math.isnan(c.low)), default=math.nan)
    return Interval(name=name, estimate=estimate, low=low, high=high, confidence=confidence, method="tukey-range")


def ratio_of(lowest: Interval, highest: Interval, confidence: float) -> Interval:
    """Lowest over highest, from the limits of both (MOVER for ratios of independent estimates that are not negative).

    >>> a = Interval(name="a", estimate=0.6, low=0.5, high=0.7, confidence=0.95, method="wilson")
    >>> b = Interval(name="b", estimate=0.8, low=0.75, high=0.85, confidence=0.95, method="wilson")
    >>> print(ratio_of(a, b, 0.95))
    ratio 0.750 [0.619, 0.887], 95 % mover-ratio
    """
    a, b = lowest.estimate, highest.estimate
    ratio = Interval(
        name="ratio", estimate=a / b if b else math.nan, low=math.nan, high=math.nan, confidence=confidence,
        method="mover-ratio", note="" if b else "the highest is 0",
    )  # fmt: skip
    (la, ua), (lb, ub) = ((i.low, i.high) for i in (lowest, highest))
    if not b or min(la, lb) < 0 or any(math.isnan(x) for x in (la, ua, lb, ub)):
        return ratio
    below, above = ub * (2 * b - ub), lb * (2 * b - lb)
    down = (a * b) ** 2 - la * (2 * a - la) * below
    up = (a * b) ** 2 - ua * (2 * a - ua) * above
    low = max(0.0, (a * b - math.sqrt(max(down, 0.0))) / below) if below > 0 else 0.0
    high = (a * b + math.sqrt(max(up, 0.0))) / above if above > 0 else math.inf
    return replace(ratio, low=min(low, ratio.estimate), high=max(high, ratio.estimate))


def contrasts_compared(by_group: Mapping[Label, Contrast], spec: IntervalSpec) -> list[Contrast]:
    """Whether a difference between two models differs between groups: every pair of groups, as `group_contrasts`.

    Groups are independent, so limits combine by their distances from the estimates, which grow with the quantile.
    """
    level = simultaneous_level(spec.confidence, len(by_group))
    wide = float(special.ndtri(0.5 + level / 2))
    contrasts = []
    for (a, first), (b, second) in combinations(by_group.items(), 2):
        d = first.estimate - second.estimate
        z = float(special.ndtri(0.5 + first.confidence / 2))
        low, high = apart(first.estimate, (first.low, first.high), second.estimate, (second.low, second.high))
        down, up = (d - low) / z, (high - d) / z
        towards = down if d > 0 else up
        p = 1.0 if d == 0 else 2 * float(special.ndtr(-abs(d) / towards)) if towards > 0 else math.nan
        c = contrast(
            estimate=d, limits=(d - wide * down, d + wide * up), whole=(-math.inf, math.inf), confidence=level,
            alternative="two-sided", method="newcombe-hybrid", statistic=d, p_value=p, name=first.name, first=str(a),
            second=str(b), n=None if first.n is None or second.n is None else first.n + second.n,
        )  # fmt: skip
        contrasts.append(replace(c, confidence=spec.confidence, p_adjusted=range_adjusted(p, len(by_group))))
    return contrasts
