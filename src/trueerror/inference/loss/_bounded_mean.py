"""The mean of grades that lie between two ends: of independent rows, of clusters, and of rows with sampling weights;
and what several answers to each question say (pass@k and the like), which is one such grade a question.

What a mean of bounded values can hide is a rare row at the far end that the sample does not hold. Half a unit more, put
there, is what the default adds (`inference.bootstrap._half_row`); t adds nothing, and betting and Bernstein's bound
hold whatever the grades' distribution is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._clusters import (
    ClusterDifference,
    cluster_contrast,
    cr3_variance,
    degrees_of_freedom,
    effective_clusters,
)
from trueerror.inference._contrast import tail_area
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, Range, choose, method_named
from trueerror.inference.bootstrap._half_row import half_row_p, half_unit_limit
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.loss._interval import t_limits
from trueerror.inference.loss._t_tests import paired_t_of_losses
from trueerror.inference.proportion._distributions import crossing
from trueerror.methods._registry import ROWS, Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.results import Contrast, Interval
from trueerror.results._format import whole
from trueerror.results._values import joined_notes
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import loss_rows, rows_as_clusters
from trueerror.tallies._moments import Moments

Floats = NDArray[np.float64]
# The share of one's wealth that is bet at most (Waudby-Smith and Ramdas take a half), and where the bets begin.
MOST_BET = 0.5
FIRST_SPREAD = 0.25


class GradedUnits(NamedTuple):
    """What counts as one draw: a row, a cluster or a row with a weight; its size (or weight) and its sum of grades."""

    sums: Floats
    sizes: Floats
    n: float
    kind: str = "rows"

    @property
    def mean(self) -> float:
        """The weighted mean of the grades; NaN without rows."""
        total = float(self.sizes.sum())
        return float(self.sums.sum()) / total if total else math.nan

    @property
    def independent(self) -> bool:
        """Whether every row is a draw of its own, and all weigh alike."""
        return self.kind == "rows"


def graded_units(p: Predictions, model: str, measure: Measure, options: MetricOptions) -> GradedUnits:
    """The draws of one model's grades: rows, clusters where there are any, or rows with their sampling weights."""
    if p.has_key("clusters") or p.weights_kind == "sampling":
        clustered = p.has_key("clusters")
        keyed_losses = (p if clustered else rows_as_clusters(p)).keyed_losses(
            model, "clusters", measure.function, **options
        )
        kind = "clusters" if clustered else "weighted rows"
        return GradedUnits(keyed_losses.sums, keyed_losses.weights, float(keyed_losses.sizes.sum()), kind)
    values = loss_rows(p, [model], partial(measure.function, **options)).values
    return GradedUnits(values, np.ones(len(values)), float(len(values)))


Scores = Problem[GradedUnits]


def score_interval_of(
    measure: Measure, units: GradedUnits, options: MetricOptions, spec: IntervalSpec, method: str | None = None
) -> Interval:
    """The interval of a mean grade, within the grades' scale.

    >>> from trueerror.metrics._registry import find_measure
    >>> grades = np.array([0.5, 1.0, 0.25, 0.75, 1.0, 0.0, 0.5, 0.75])
    >>> print(score_interval_of(find_measure("mean_score"), GradedUnits(grades, np.ones(8), 8), {}, IntervalSpec()))
    mean_score 0.594 [0.327, 0.815], 95 % half-row-mean, n = 8
    """
    kept = units.sizes > 0
    units = units._replace(sums=units.sums[kept], sizes=units.sizes[kept])
    q: Scores = Problem(situation=measure.situation, metric=measure, sample=units, spec=spec, options=options)
    chosen = choose(q) if method is None else method_named(q, method)
    bounds = measure.bounds(options)
    answer = chosen.function(q) if len(units.sums) else IntervalLimits(*bounds, chosen.key, "there are no rows")
    return spec.interval(
        measure.name,
        units.mean,
        answer.low,
        answer.high,
        bounds=bounds,
        method=answer.method,
        n=units.n,
        note=answer.note,
    )


def _independent(q: Scores) -> bool:
    return q.sample.independent


def _in_units(q: Scores) -> bool:
    return not q.sample.independent


def _half_unit(q: Scores) -> Range:
    low, high = q.metric.bounds(q.options)
    s, side = q.sample, q.spec.side
    return (
        low if side == "upper" else half_unit_limit(s.sums, s.sizes, low, q.spec.tail),
        high if side == "lower" else half_unit_limit(s.sums, s.sizes, high, q.spec.tail),
    )


@inference_method(
    "half-row-mean", answers="mean-score", word="half-row", applies=_independent,
    default=Default(
        why="covers .93–1.00 for grades of every shape with 10 to 3,000 rows, where t covers .11–.96: a rare grade at "
            "the far end that the sample does not hold is what t cannot know (simulated)",
    ),
    part="binomial",
    title="half-row Bayesian bootstrap of a mean between two ends",
    formula="the limits L, U with P(Σ g·x + h·a < L·(Σ g + h)) = α/2 and P(Σ g·x + h·b > U·(Σ g + h)) = α/2, g "
            "exponential for each row, h Gamma(½), [a, b] the scale",
    source="Rubin 1981, Ann. Stat. 9:130; Gaffke 2005, Math. Methods Stat. 14:40; Lugannani and Rice 1980, Adv. Appl. "
           "Probab. 12:475",
    assumes=ROWS + "; grades that cannot leave the scale",
    measured="covers .93–1.00 with 10 to 3,000 rows: beta shapes, 1 to 50 % of the rows not 0, rubrics, rare disasters",
    advice="wide where grades lie close together in the middle of a wide scale and rows are few; with 300 rows it is "
           "as short as t",
)  # fmt: skip
def half_row_mean(q: Scores) -> IntervalLimits:
    """Half an unseen row at either end of the scale, in the Bayesian bootstrap of the rows."""
    return IntervalLimits(*_half_unit(q), "half-row-mean")


@inference_method(
    "half-cluster-mean", answers="mean-score", word="half-cluster", applies=_in_units,
    default=Default(
        why="covers .92–1.00 with 5 to 100 clusters of any sizes, where cluster-t covers .48–1.00 near the ends of the "
            "scale, and the half cluster alone .76–1.00 with one large cluster (simulated)",
        when=_in_units,
    ),
    part="binomial",
    title="the wider of cluster-t and the half-cluster Bayesian bootstrap of a mean between two ends",
    formula="below and above the limit that is further away: mean ± t(G_eff − 1)·√Σ(s/(1 − w))², and the half-row "
            "limits with clusters for rows, half a cluster of mean size at either end of the scale",
    source="Bell and McCaffrey 2002, Surv. Methodol. 28:169; Rubin 1981, Ann. Stat. 9:130; Gaffke 2005, Math. Methods "
           "Stat. 14:40",
    assumes="independent clusters; any dependence within them",
    measured="covers .92–1.00 with 5 to 100 clusters of equal, lognormal and Pareto sizes, one with half the rows",
    advice="rests on the number of clusters, not of rows",
)  # fmt: skip
def half_cluster_mean(q: Scores) -> IntervalLimits:
    """Half an unseen cluster at either end of the scale, or the clusters' own spread where that says more."""
    low, high = _half_unit(q)
    robust = cluster_t_mean(q)
    low, high = float(np.fmin(low, robust.low)), float(np.fmax(high, robust.high))
    return IntervalLimits(low, high, "half-cluster-mean", f"{whole(len(q.sample.sums))} {q.sample.kind}")


@inference_method("cluster-t", answers="mean-score", applies=_in_units)
def cluster_t_mean(q: Scores) -> IntervalLimits:
    """mean ± t(G_eff − 1)·√Σ(s/(1 − w))² over clusters, s = Σ(x − mean)/n."""
    s = q.sample
    groups, total = len(s.sums), float(s.sizes.sum())
    if groups < 2:
        return IntervalLimits(math.nan, math.nan, "cluster-t", ONE_CLUSTER)
    error = math.sqrt(cr3_variance((s.sums - s.mean * s.sizes) / total, s.sizes))
    df = max(degrees_of_freedom(effective_clusters(s.sizes)), 1.0)
    low, high, note = t_limits(s.mean, error, df, q.spec.level, q.spec.side)
    return IntervalLimits(low, high, "cluster-t", note or f"{whole(groups)} {s.kind}")


@inference_method("t-mean", answers="mean-score", word="t", applies=_independent)
def t_of_grades(q: Scores) -> IntervalLimits:
    """mean ± t(n − 1)·s/√n, cut to the scale; nothing where all grades are equal."""
    x = q.sample.sums
    spread = float(x.std(ddof=1)) if len(x) > 1 and x.min() < x.max() else 0.0
    low, high, note = t_limits(q.sample.mean, spread / math.sqrt(len(x)), len(x) - 1, q.spec.level, q.spec.side)
    return IntervalLimits(low, high, "t-mean", note)


@inference_method(
    "betting-mean", answers="mean-score", word="betting", applies=_independent,
    part="binomial",
    title="betting interval of a mean between two ends (hedged capital)",
    formula="all m against which neither player reaches 2/α: Π (1 ± λ_i·(x_i − m)), λ_i = √(2·log(2/α)/(n·σ²_{i−1})), "
            "at most ½ of what may be lost; grades put on [0, 1]",
    source="Waudby-Smith and Ramdas 2024, JRSS B 86:1, section 4",
    assumes=ROWS + "; grades that cannot leave the scale; nothing else, at any number of rows",
    measured="covers .93–1.00 with 30 to 1,000 rows; 1.2 to 2.2 times as wide as the half-row limits",
    advice="for a guarantee that holds for every distribution; the rows are taken in an order drawn with rng=",
)  # fmt: skip
def betting_mean(q: Scores) -> IntervalLimits:
    """Two players bet that the mean is above m, and that it is below; m is excluded where one of them gets rich."""
    low, high = q.metric.bounds(q.options)
    x = (q.sample.sums - low) / (high - low)
    below, above = betting_limits(np.random.default_rng(q.spec.rng or 0).permutation(x), q.spec.tail)
    return IntervalLimits(low + (high - low) * below, low + (high - low) * above, "betting-mean")


def betting_limits(x: Floats, tail: float) -> Range:
    """The limits of a mean in [0, 1], each of which the mean lies beyond with probability `tail` at most.

    >>> low, high = betting_limits(np.tile([0.2, 0.4, 0.6, 0.8], 25), 0.025)
    >>> round(low, 2), round(high, 2)
    (0.44, 0.56)
    """
    n = len(x)
    i = np.arange(1, n + 1)
    running = (0.5 + np.cumsum(x)) / (i + 1)
    spread = (FIRST_SPREAD + np.cumsum((x - running) ** 2)) / (i + 1)
    before = np.concatenate([[FIRST_SPREAD], spread[:-1]])
    stakes = np.sqrt(2 * math.log(1 / tail) / (n * before))
    bar = math.log(1 / tail)

    def above(m: float) -> float:  # the most that a player has had who says that the mean is above m
        bets = np.minimum(stakes, MOST_BET / m if m > 0 else math.inf)
        return float(np.cumsum(np.log1p(bets * (x - m))).max()) - bar

    def below(m: float) -> float:
        bets = np.minimum(stakes, MOST_BET / (1 - m) if m < 1 else math.inf)
        return float(np.cumsum(np.log1p(-bets * (x - m))).max()) - bar

    mean = min(max(float(x.mean()), 1e-12), 1 - 1e-12)
    low = crossing(above, 1e-12, mean, within=1e-9) if above(1e-12) > 0 > above(mean) else 0.0
    high = crossing(below, mean, 1 - 1e-12, within=1e-9) if below(1 - 1e-12) > 0 > below(mean) else 1.0
    return low, high


@inference_method(
    "empirical-bernstein", answers="mean-score", word="bernstein", applies=_independent,
    part="binomial",
    title="empirical Bernstein bound of a mean between two ends",
    formula="mean ± (b − a)·(√(2·V·log(4/α)/n) + 7·log(4/α)/(3·(n − 1))), V the variance of the grades put on [0, 1]",
    source="Maurer and Pontil 2009, COLT, theorem 4",
    assumes=ROWS + "; grades that cannot leave the scale; nothing else, at any number of rows",
    measured="covers 1.00 with 30 to 1,000 rows; 2 to 5 times as wide as the half-row limits",
    advice="much wider than the betting interval, which gives the same guarantee",
)  # fmt: skip
def empirical_bernstein(q: Scores) -> IntervalLimits:
    """A bound that holds for every distribution on the scale."""
    low, high = q.metric.bounds(q.options)
    n = len(q.sample.sums)
    if n < 2:
        return IntervalLimits(low, high, "empirical-bernstein", "one row: the whole scale")
    x, log = (q.sample.sums - low) / (high - low), math.log(2 / q.spec.tail)
    reach = (high - low) * (math.sqrt(2 * float(x.var(ddof=1)) * log / n) + 7 * log / (3 * (n - 1)))
    return IntervalLimits(q.sample.mean - reach, q.sample.mean + reach, "empirical-bernstein")


def half_row_of_differences(values: Floats, whole_range: Range, spec: IntervalSpec) -> Contrast:
    """Student's t of paired differences of grades, and the half-row Bayesian bootstrap beside it.

    The half row is one in which the first has the worst grade and the second the best, or the other way round: p is the
    larger of the two, and each limit is the one that is further away, so that they cannot disagree.
    """
    m = Moments.of(values)
    t_test = paired_t_of_losses(m, whole_range, spec, higher_is_better=True)
    if m.n == 0 or (m.mean == 0 and m.squares == 0):
        return replace(t_test, method="t-half-row", note="the grades are the same on every row" if m.n else t_test.note)
    p = half_row_p(values, whole_range, spec.alternative)
    tail, ones = tail_area(spec.confidence, spec.alternative), np.ones(len(values))
    low, high = (half_unit_limit(values, ones, end, tail) for end in whole_range)
    # Differences that are all equal have no t; its limits are the whole scale then, those of the half row are not.
    own = (math.nan, math.nan) if math.isnan(t_test.p_value) and m.n > 1 else (t_test.low, t_test.high)
    low = whole_range[0] if spec.alternative == "less" else float(np.fmin(low, own[0]))
    high = whole_range[1] if spec.alternative == "greater" else float(np.fmax(high, own[1]))
    larger = p if math.isnan(t_test.p_value) else max(p, t_test.p_value)
    better = t_test.p_better
    if better is not None:
        better = min(better, 1 - larger / 2) if better > 0.5 else max(better, larger / 2)
    undone = t_test.p_value <= 1 - spec.confidence < p
    note = "half an unseen row at the other end of the scale would undo it" if undone else ""
    return replace(
        t_test, method="t-half-row", p_value=larger, low=max(low, whole_range[0]), high=min(high, whole_range[1]),
        p_better=better, note=joined_notes(t_test.note if not math.isnan(t_test.p_value) else "", note),
    )  # fmt: skip


class AnswerGrades(NamedTuple):
    """Grades of several answers to each question, (questions, answers), NaN beyond a question's last one."""

    grades: Floats
    scale: Range

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many answers each question has."""
        return np.asarray((~np.isnan(self.grades)).sum(axis=1), dtype=np.int64)

    def _weighted(self, weights: Callable[[int], Floats], fewest: int) -> Floats:
        """Σ w_j·x_(j) of each question's grades in order, the weights by its number of answers; NaN below `fewest`."""
        ordered, counts = np.sort(self.grades, axis=1), self.counts
        sums = np.full(len(ordered), np.nan)
        for n in np.unique(counts[counts >= fewest]):
            rows = counts == n
            sums[rows] = ordered[rows, :n] @ weights(int(n))
        return sums

    def best_of(self, k: int) -> Floats:
        """The expected best grade of k answers, question by question: of right and wrong ones pass@k.

        Without bias: Σ_j C(j − 1, k − 1)/C(n, k)·x_(j), which with c of n right is 1 − C(n − c, k)/C(n, k) (Chen and
        others 2021, arXiv 2107.03374).

        >>> AnswerGrades(np.array([[1.0, 0.0, 0.0, 1.0, 0.0]]), (0.0, 1.0)).best_of(2).round(3)
        array([0.7])
        """
        return self._weighted(lambda n: _choices(np.arange(n), k - 1, n, k), k).clip(*self.scale)

    def worst_of(self, k: int) -> Floats:
        """The expected worst grade of k answers: of right and wrong ones pass^k, C(c, k)/C(n, k).

        >>> AnswerGrades(np.array([[1.0, 0.0, 1.0, 1.0, 0.0]]), (0.0, 1.0)).worst_of(2).round(3)
        array([0.3])
        """
        return self._weighted(lambda n: _choices(np.arange(n)[::-1], k - 1, n, k), k).clip(*self.scale)

    def majority_of(self, k: int) -> Floats:
        """The chance that most of k answers are right, a tie counting half: hypergeometric, without bias.

        >>> AnswerGrades(np.array([[1.0, 0.0, 1.0, 1.0, 0.0]]), (0.0, 1.0)).majority_of(3).round(3)
        array([0.7])
        """
        counts, right = self.counts, np.nansum(self.grades == self.scale[1], axis=1)
        majorities = np.full(len(counts), np.nan)
        for i in np.flatnonzero(counts >= k):
            n, c, j = int(counts[i]), int(right[i]), np.arange(k + 1)
            chances = np.exp(_log_choose(c, j) + _log_choose(n - c, k - j) - _log_choose(n, np.array(k)))
            majorities[i] = chances[2 * j > k].sum() + chances[2 * j == k].sum() / 2
        return majorities.clip(0.0, 1.0)

    def alike(self) -> Floats:
        """How alike two answers to a question are: 1 − mean |x − x′|/(b − a) over its pairs, the share of equal ones
        where answers are right or wrong."""
        low, high = self.scale

        def apart(n: int) -> Floats:
            return (2 * np.arange(1, n + 1) - n - 1) / (n * (n - 1) / 2)

        return np.clip(1 - self._weighted(apart, 2) / (high - low), 0.0, 1.0)

    def components(self) -> Components:
        """The variance between questions and within them: analysis of variance with unequal numbers of answers.

        within = Σ(n_i − 1)·s_i²/Σ(n_i − 1); between = (MSB − within)/n₀, n₀ = (N − Σn_i²/N)/(Q − 1), at least 0
        (Searle, Casella and McCulloch 1992, chapter 3).

        >>> AnswerGrades(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]), (0.0, 1.0)).components()
        Components(between=0.16666666666666669, within=0.16666666666666666)
        """
        counts = self.counts
        x, n = self.grades[counts > 0], counts[counts > 0].astype(np.float64)
        spare = float((n - 1).sum())
        if len(n) < 2 or spare == 0:
            return Components(math.nan, math.nan)
        means = np.nanmean(x, axis=1)
        within = float(np.nansum((x - means[:, None]) ** 2)) / spare
        total = float(n.sum())
        msb = float((n * (means - float(n @ means) / total) ** 2).sum()) / (len(n) - 1)
        return Components(max((msb - within) / ((total - float(n @ n) / total) / (len(n) - 1)), 0.0), within)


class Components(NamedTuple):
    """Variance of a question's true mean between questions, and of one answer within its question."""

    between: float
    within: float

    @property
    def share_within(self) -> float:
        """The share of one answer's variance that other answers to the same question show."""
        total = self.between + self.within
        return self.within / total if total > 0 else math.nan

    def error(self, questions: float, repeats: float) -> float:
        """The standard error of the mean: √((between + within/repeats)/questions)."""
        return math.sqrt((self.between + self.within / repeats) / questions)

    @property
    def break_even(self) -> float:
        """How many answers a new question must cost until two answers to each are better than one: 2·between/within."""
        return 2 * self.between / self.within if self.within > 0 else math.inf

    def best_repeats(self, cost_ratio: float) -> float:
        """Answers to each question that make the mean surest for a given outlay, a new question costing as much as
        `cost_ratio` answers: the least r with r·(r + 1) ≥ cost_ratio·within/between; infinite without between.

        The whole-number form of √(cost_ratio·within/between) (Cochran 1977, Sampling Techniques, section 10.6).

        >>> Components(0.1, 0.1).best_repeats(1.0), Components(0.1, 0.1).best_repeats(10.0)
        (1.0, 3.0)
        """
        if self.between == 0:
            return math.inf if self.within > 0 and cost_ratio > 0 else 1.0
        wanted = cost_ratio * self.within / self.between
        return float(max(1, math.ceil((math.sqrt(1 + 4 * wanted) - 1) / 2 - 1e-9)))


def _log_choose(n: float | Floats, k: NDArray[np.int64]) -> Floats:
    """log C(n, k); −∞ where k is not in 0 … n."""
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        logs = special.gammaln(n + 1) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1)
    return np.where((k < 0) | (k > n), -np.inf, logs)


def _choices(above: NDArray[np.int64], k: int, n: int, chosen: int) -> Floats:
    """C(above, k)/C(n, chosen), made to add up to 1."""
    weights = np.exp(_log_choose(above.astype(np.float64), np.full(n, k)) - _log_choose(n, np.array(chosen)))
    return np.asarray(weights / weights.sum())


def question_units(values: Floats, clusters: NDArray[np.int64] | None) -> GradedUnits:
    """One value a question as draws, those without one left out; clusters of questions where there are any."""
    known = ~np.isnan(values)
    x = values[known]
    if clusters is None:
        return GradedUnits(x, np.ones(len(x)), float(len(x)))
    _, codes = np.unique(clusters[known], return_inverse=True)
    sums = np.bincount(codes, weights=x).astype(np.float64)
    return GradedUnits(sums, np.bincount(codes).astype(np.float64), float(len(x)), "clusters")


def question_contrast(
    first: Floats, second: Floats, scale: Range, clusters: NDArray[np.int64] | None, spec: IntervalSpec
) -> Contrast:
    """First − second over the questions that both have, paired; clusters of questions by their signs."""
    d = first - second
    known = ~np.isnan(d)
    d, reach = d[known], (scale[0] - scale[1], scale[1] - scale[0])
    if clusters is None or not len(d):
        return half_row_of_differences(d, reach, spec)
    _, codes = np.unique(clusters[known], return_inverse=True)
    sizes, mean = np.bincount(codes).astype(np.float64), float(d.mean())
    moved = np.bincount(codes, weights=d - mean) / len(d)
    by_cluster = ClusterDifference(mean, moved, sizes, reach, len(d))
    return cluster_contrast(by_cluster, spec, higher_is_better=True)
