"""Metrics of all classes together: averages over classes, geometric means, MCC and kappa of rare classes, costs.

**Means over classes.** MOVER combines the classes' own limits. It gives a mean of K parts the skew of one part, whereas
the skew of a mean falls with √K; and the square root of a sum of Wilson's squared reaches is too short where each class
has few rows. Both grow with K: balanced accuracy of 100 classes of 10 rows, each found at .95, is covered .84 by MOVER.
From four classes on that carry the uncertainty the mean is taken for what it is then, nearly a proportion, of as many
rows as its variance tells ("wilson-of-classes"). Where the parts are curved (F1, logarithms) their mean is too low by
about ½·f''·variance, which does not average out over classes; limits are moved up by it.

**Rare classes.** The delta method sees only what occurred. Of 100 rows with one positive that was missed and two false
alarms it makes kappa −.014 with limits −.032 and .005, whatever other positives would show. With two rows added, spread
evenly over all K² cells (½ each for two classes: Haldane 1956 for the odds ratio, Jeffreys' prior), every cell has a
variance; but that table is drawn towards chance, so its upper limit falls short for a model that is nearly perfect. The
outer limits of both tables are taken where a count is small.

**Costs.** Rare costly errors make the plain t-interval of a mean cost far too narrow, so the shares of rows at each
price carry the doubt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec
from trueerror.inference._variance import (
    Cross,
    Sample,
    binary_gradients,
    class_correlations,
    effective_size,
    influence,
    kish_rows,
    mover,
    multinomial_correlations,
    variance,
)
from trueerror.inference.bootstrap._half_row import HALF, gamma_quantile
from trueerror.inference.counts._one_class import (
    AVERAGES_OF_SHARES,
    DELTA,
    MOVER,
    VARIANCE_TOLERANCE,
    WITHIN_CLASSES,
    CountProblem,
    delta,
    delta_log,
    delta_logit,
    fisher_z,
    is_plain,
    one_cluster,
    sum_of_two_limits,
    t_factors,
    view_of_sample,
)
from trueerror.inference.proportion._distributions import (
    Pair,
    RawLimits,
    as_jaccard,
    at_size,
    from_jaccard,
    limits,
    on_log,
    on_logit,
    straight_limits,
)
from trueerror.inference.proportion._interval import ROWS
from trueerror.inputs._costs import cost_matrix
from trueerror.methods import Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure
from trueerror.metrics.counts import cell_costs
from trueerror.results._values import Note
from trueerror.tallies._confusion import BinaryCounts, Confusion

Floats = NDArray[np.float64]
# From this many parts on, counted by how evenly they share the variance, a mean has lost most of its parts' skew.
MANY_PARTS = 3.5
# With fewer than five errors a class MOVER's limits are too short already for three classes of like sizes.
THREE_PARTS = 2.5
FEW_ERRORS = 5
# Each class borrows this many rows from all classes together, and those as many right and wrong ones (Agresti and
# Coull's 2 and 2): a class of one row then has a variance too. Both are the same for every confidence, so that more
# confidence is always wider.
BORROWED = 2.0
ADDED = 2.0


def parts_that_count(weights: Floats, rows: Floats) -> float:
    """(Σa)²/Σa² with a = w²/n: the number of equal parts that would share the variance as evenly.

    >>> round(parts_that_count(np.full(5, 0.2), np.full(5, 30.0)), 6)
    5.0
    >>> round(parts_that_count(np.full(3, 1 / 3), np.array([500.0, 50.0, 5.0])), 1)
    1.2
    """
    known = rows > 0
    a = weights[known] ** 2 / rows[known]
    square = float((a * a).sum())
    return float(a.sum()) ** 2 / square if square > 0 else 0.0


def few_errors(successes: Floats, rows: Floats) -> bool:
    """Whether there are fewer than five errors a class (or, of classes hardly ever found, successes), on average.

    >>> few_errors(np.array([16.0, 17.0, 15.0]), np.array([17.0, 17.0, 16.0]))
    True
    >>> few_errors(np.array([45.0, 15.0, 20.0]), np.array([50.0, 30.0, 40.0]))
    False
    """
    right = float(successes.sum())
    return min(right, float(rows.sum()) - right) < FEW_ERRORS * len(rows)


def shrunk(successes: Floats, rows: Floats) -> Floats:
    """Each class's share, with two rows at the rate of all classes added to it; classes without rows have that rate.

    >>> shrunk(np.array([8.0, 4.0]), np.array([8.0, 8.0]))
    array([0.94, 0.54])
    """
    overall = (float(successes.sum()) + ADDED) / (float(rows.sum()) + 2 * ADDED)
    return np.asarray((successes + BORROWED * overall) / (rows + BORROWED), dtype=np.float64)


def shrunk_rest(successes: Floats, rows: Floats) -> Floats:
    """1 − `shrunk`, from the errors: of a billion rows without one the difference itself would be rounding.

    >>> bool(shrunk_rest(np.full(3, 1e9), np.full(3, 1e9))[0] > 0)
    True
    """
    return shrunk(np.maximum(rows - successes, 0.0), rows)


def shares_of_uncertainty(successes: Floats, rows: Floats) -> Floats:
    """How much of the variance of the mean of the classes' shares each class carries: p̃(1 − p̃)/n over their sum.

    >>> shares_of_uncertainty(np.array([24.0, 24.0, 290.0]), np.array([25.0, 25.0, 300.0])).round(2)
    array([0.48, 0.48, 0.03])
    """
    variances = np.where(rows > 0, shrunk(successes, rows) * shrunk_rest(successes, rows) / np.maximum(rows, 1.0), 0.0)
    return np.asarray(variances / max(float(variances.sum()), 1e-300), dtype=np.float64)


def mean_of_shares(
    estimate: float, successes: Floats, rows: Floats, weights: Floats, spec: IntervalSpec, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """Wilson's limits of Σ w·p at t(1 − t)/V rows, V = ΣΣ w_i·w_j·ρ_ij·s_i·s_j, s² = p̃(1 − p̃)/n, t = Σ w·p̃.

    >>> low, high = mean_of_shares(0.9, np.full(10, 45.0), np.full(10, 50.0), np.full(10, 0.1), IntervalSpec())
    >>> [round(float(v[0]), 4) for v in (low, high)]     # equal classes: Wilson's of 450 of 500
    [0.8706, 0.9233]
    """
    share, rest = shrunk(successes, rows), shrunk_rest(successes, rows)
    return _limits(estimate, (share, rest), share * rest / np.maximum(rows, 1.0), weights, spec, cross)


def mean_of_f1s(
    estimate: float, values: Floats, rows: Floats, weights: Floats, spec: IntervalSpec, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """The same for F1 through the Jaccard index of each class: J̃ is shrunk, F = 2J/(1 + J), s = s_J·2/(1 + J̃)².

    Among the rows in play the hits are binomial, so J is unbiased and F is too low by 2·s_J²/(1 + J)³.
    """
    hits = as_jaccard(values) * rows
    jaccard, rest = shrunk(hits, rows), shrunk_rest(hits, rows)
    spread = jaccard * rest / np.maximum(rows, 1.0)
    short = float((weights * 2 * spread / (1 + jaccard) ** 3).sum())
    slope = 2 / (1 + jaccard) ** 2
    shares = from_jaccard(jaccard), rest / (1 + jaccard)
    return _limits(estimate + short, shares, spread * slope**2, weights, spec, cross)


def geometric_mean_of_shares(successes: Floats, rows: Floats, spec: IntervalSpec) -> tuple[Floats, Floats]:
    """Wilson's limits of exp(mean log p + mean b) at t(1 − t)/V rows, t = exp(mean log p̃), V = t²·Σ 2b/K².

    b = (1 − p̃)/(2·n·p̃): the variance of log p is 2b, its bias −b. A class that was never found has no logarithm; p̃
    stands in for its share.

    >>> low, high = geometric_mean_of_shares(np.full(10, 45.0), np.full(10, 50.0), IntervalSpec())
    >>> [round(float(v[0]), 3) for v in (low, high)]
    [0.872, 0.924]
    """
    share, rest = shrunk(successes, rows), shrunk_rest(successes, rows)
    short = rest / (2 * rows * share)
    middle = np.log(np.where(successes > 0, successes, share * rows) / rows) + np.where(successes > 0, short, 0.0)
    mean = float(np.log1p(-rest).mean())
    size = -math.expm1(mean) * len(rows) ** 2 / (math.exp(mean) * float(2 * short.sum()))
    estimate = min(math.exp(float(middle.mean())), 1.0)
    return at_size(np.array([estimate]), np.array([size]), spec, spec.factor())


def _limits(
    estimate: float, shares: Pair, variances: Floats, weights: Floats, spec: IntervalSpec, cross: Cross | None
) -> Pair:
    """Wilson's limits of the weighted mean of shares, which come with what they leave to 1."""
    reach = np.where(weights > 0, weights * np.sqrt(variances), 0.0)
    alone = float((reach * reach).sum())
    joint = alone if cross is None else alone + cross(reach)
    # Parts that cancel each other leave rounding or less: then they count as independent.
    variance = joint if joint > 1e-9 * alone else alone
    middle, rest = (float((weights * values).sum()) for values in shares)
    size = middle * rest / variance
    return at_size(np.array([estimate]), np.array([size]), spec, spec.factor())


@dataclass(frozen=True, eq=False)
class ClassMean:
    """A mean over classes: the classes' counts, weights, values, variances and correlations of the averaged metric."""

    base: Measure
    table: Confusion
    counts: BinaryCounts
    weights: Floats
    values: Floats
    options: MetricOptions

    @cached_property
    def slopes(self) -> BinaryCounts:
        """The derivatives of each class's metric by its four counts; 0 of classes that are not in play."""
        slopes = binary_gradients(self.base, self.counts, self.options)
        return BinaryCounts(*(np.where(self.weights > 0, s, 0.0) for s in slopes))

    @cached_property
    def variances(self) -> Floats:
        """By the delta method, of each class alone; 0 where rounding alone is left."""
        v = np.maximum(sum(c * s * s for c, s in zip(self.counts, self.slopes, strict=True)), 0.0)
        return np.where(v > VARIANCE_TOLERANCE, v, 0.0)

    @cached_property
    def cross(self) -> Cross | None:
        """What correlations add; None of shares of the rows of different classes, which are independent.

        An error is missed by one class and a false alarm of another. Where there is none to show it, both are taken to
        lose alike, as classes of one size do: half the variance of a sum over classes is then what they share.
        """
        if self.base.within_class:
            return None
        if not self.variances.any() and (np.asarray(self.slopes.fn) * np.asarray(self.slopes.fp)).any():
            return lambda reach: float((reach * reach).sum())
        return class_correlations(self.table, self.slopes, self.variances)

    @property
    def of_f1(self) -> bool:
        """Whether F1 or one of its kin is averaged."""
        return self.base.share is None

    def _successes_and_rows(self) -> Pair:
        """Those of each class; of F1 the hits among the rows in play."""
        in_play = self.weights > 0
        hits, rows = (
            (self.counts.tp, self.counts.tp + self.counts.fp + self.counts.fn)
            if self.base.share is None
            else self.base.share(self.counts)
        )
        return np.where(in_play, hits, 0.0), np.where(in_play, rows, 0.0)

    def three_carry_it(self) -> bool:
        """Whether three classes or more carry the uncertainty, and few errors were seen."""
        in_play = self.weights > 0
        hits, rows = self._successes_and_rows()
        return parts_that_count(self.weights, rows) >= THREE_PARTS and few_errors(hits[in_play], rows[in_play])

    def limits_of_mean(self, estimate: float, spec: IntervalSpec) -> Pair:
        """Those of the mean, taken for a proportion."""
        hits, rows = self._successes_and_rows()
        if self.base.share is not None:
            return mean_of_shares(estimate, hits, rows, self.weights, spec, self.cross)
        in_play = np.asarray(self.counts.tp + self.counts.fp + self.counts.fn, dtype=np.float64)
        v = self.variances * (2 / (2 - self.values) ** 2) ** 2
        size = np.where(self.weights > 0, effective_size(as_jaccard(self.values), v, in_play, in_play), 0.0)
        return mean_of_f1s(estimate, self.values, size, self.weights, spec, self.cross)


def class_mean(q: CountProblem) -> ClassMean:
    """What a macro average, or balanced accuracy, is the mean of."""
    measure, table = q.metric, q.sample.sample.table
    t = table.classes()
    base = find_measure(measure.of) if measure.average else find_measure("recall")
    in_play = classes_in_play(t) if measure.average else t.truth > 0
    counts = t.one_vs_rest()
    weights = np.where(in_play, 1.0 / max(int(in_play.sum()), 1), 0.0)
    values = np.where(in_play, np.asarray(base.function(counts, **q.options), dtype=np.float64), 0.0)
    return ClassMean(base, table, counts, weights, values, q.options)


def _many_classes(q: CountProblem) -> bool:
    """Whether four or more classes carry the uncertainty of a mean over plain rows."""
    if q.metric.of_one_class or not q.sample.plain or len(q.sample.sample.table.labels) <= MANY_PARTS:
        return False
    t = q.sample.sample.table.classes()
    if q.metric.average is None:
        in_play = t.truth > 0
        rows: Any = t.truth
    else:
        in_play = classes_in_play(t)
        base, counts = find_measure(q.metric.of), t.one_vs_rest()
        rows = counts.tp + counts.fp + counts.fn if base.share is None else base.share(counts)[1]
    weights = np.where(in_play, 1.0 / max(int(in_play.sum()), 1), 0.0)
    return parts_that_count(weights, np.where(in_play, rows, 0.0).astype(np.float64)) >= MANY_PARTS


_OF_CLASSES = "from four classes of like sizes on wilson-of-classes"


# Of more classes than this the mean over classes is taken for a proportion.
MOST_TRIED = 20
# Their plain means over classes are 1/K in every table: a bootstrap of the cells shows no spread.
CONSTANT_MEANS = ("prevalence", "detection_prevalence")
# Class sizes are skewed where the largest is so many times the smallest.
SKEWED = 3.0


def _skewed_classes(q: CountProblem) -> bool:
    """Whether the mean is over classes of unlike sizes, of plain rows."""
    if q.metric.of_one_class or not q.sample.plain or not 2 <= len(q.sample.sample.table.labels) <= MOST_TRIED:
        return False
    if q.metric.average in ("macro", "micro") and q.metric.of in CONSTANT_MEANS:
        return False
    rows = q.sample.sample.table.classes(weighted=False).truth
    return bool(rows.min() > 0 and rows.max() >= SKEWED * rows.min())


_HALF_ROW = "of classes of unlike sizes half-row-classes, which covers .94–.99 where MOVER covers .90–.98, on one side"


@inference_method(
    "half-row-classes",
    answers=AVERAGES_OF_SHARES,
    default=dict.fromkeys(AVERAGES_OF_SHARES, Default(why=_HALF_ROW, when=_skewed_classes)),
    applies=_skewed_classes,
    title="Bayesian bootstrap of the cells with half an unseen row",
    formula="θ(n + ½e) + the α/2 quantile of Σ u_c·(g_c − n_c), g_c Gamma(n_c), u the influences there and e the cell "
    "in which half a row more lowers θ most; above likewise with the cell that raises it most",
    source="Rubin 1981, Ann. Stat. 9:130; Gaffke 2005, Math. Methods Stat. 14:40; Lugannani and Rice 1980, Adv. Appl. "
    "Probab. 12:475",
    assumes=ROWS,
    measured="balanced accuracy, geometric mean and macro-F1 .935–1.00 in eight mixes such as 25/25/25/300 and "
    "240/120/60/30/15, no tail above .045 (simulated), where MOVER and wilson-of-classes cover .90–.98 with all misses "
    "on one side",
    advice="wide where a class has fewer than 10 rows",
)
def half_row_of_classes(q: CountProblem) -> RawLimits:
    """An error in the class where it would hurt most, or a hit where it would help most, was just not seen."""
    spec, table = q.spec.both_sides, q.sample.sample.table
    k = len(table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels, positive=table.positive)
    counts = np.zeros(k * k)
    inside = table.col < k  # a row without an answer is in no cell
    np.add.at(counts, table.row[inside] * k + table.col[inside], table.counts[inside])
    with np.errstate(invalid="ignore", divide="ignore"):
        tried = np.asarray(q.metric.of_table(full, counts + HALF * np.eye(k * k), **q.options), dtype=np.float64)
    limits_found = []
    for worst, share in ((np.nanargmin(tried), spec.tail), (np.nanargmax(tried), 1 - spec.tail)):
        masses = counts.copy()
        masses[worst] += HALF
        slopes = influence(q.metric, full, positive=None, options=q.options, masses=masses)
        occupied = masses > 0
        u = np.where(occupied & np.isfinite(slopes), slopes, 0.0)
        u = u - float((u * masses).sum()) / float(masses.sum())
        limits_found.append(float(tried[worst]) + gamma_quantile(u, masses, share))
    low, high = np.clip(limits_found, *q.metric.range)
    return RawLimits.of((np.array([low]), np.array([high])), "half-row-classes")


@inference_method(
    "wilson-of-classes",
    answers=AVERAGES_OF_SHARES,
    default={
        situation: Default(why=why, when=_many_classes)
        for situation, why in {
            "macro-f1": f"{_OF_CLASSES}, which covers .92–.96 where MOVER falls to .72",
            "mean-of-recalls": f"{_OF_CLASSES}, which covers .93–.96 where MOVER falls to .84",
            "macro-of-shares": _OF_CLASSES,
            "geometric-mean": f"{_OF_CLASSES}, which covers .93–.96 where MOVER falls to .50",
        }.items()
    },
    applies=_many_classes,
    title="Wilson score interval of a mean over many classes, at its effective number of rows",
    formula="Wilson of θ̂ + b at t(1 − t)/V rows; V = ΣΣ w_i·w_j·ρ_ij·s_i·s_j, s² = p̃(1 − p̃)/n, t = Σ w·p̃, "
    "p̃ with two rows at the rate of all classes added. F1 through J = TP/(TP + FP + FN), "
    "b = Σ w·2J̃(1 − J̃)/((1 + J̃)³·n), else 0. Geometric mean: Wilson of exp(mean log p + mean c), "
    "t = exp(mean log p̃), V = t²·Σ2c/K², c = (1 − p̃)/(2·n·p̃)",
    source="Wilson 1927, JASA 22:209; Agresti and Coull 1998, Am. Stat. 52:119 (borrowed rows); "
    "Korn and Graubard 1998, Surv. Methodol. 24:193 (effective rows)",
    assumes=WITHIN_CLASSES,
    measured=".92–.965 for 4 to 100 classes of 10 to 50 rows, and for sizes that fall as 1/rank (simulated): "
    "balanced accuracy, macro-F1, macro precision, macro F2, geometric mean. MOVER covers .49–.95 there",
    advice="used where the classes that carry the uncertainty are four or more",
)
def wilson_of_classes(q: CountProblem) -> RawLimits:
    """The mean over many classes as nearly a proportion."""
    if q.situation == "geometric-mean":
        hits, n = _found_and_rows(q)
        low, high = geometric_mean_of_shares(hits, n, q.spec)
        lost = not (hits > 0).all()
        note = Note("class-borrowed") if lost else None
        return RawLimits.of((np.zeros(1) if lost else low, high), "wilson-of-classes", note)
    mean, estimate = class_mean(q), float(q.sample.estimate[0])
    pair = mean.limits_of_mean(estimate, q.spec.both_sides)
    centre, width = float(pair[0][0] + pair[1][0]) / 2, float(pair[1][0] - pair[0][0])
    # Limits stand off the estimate where the mean of small classes' F1s is known to be too low.
    moved = mean.of_f1 and centre - estimate > width / 4
    if q.spec.side != "two-sided":
        pair = mean.limits_of_mean(estimate, q.spec)
    return RawLimits.of(pair, "wilson-of-classes", Note("moved-up") if moved else None)


@inference_method(
    "mover-f1",
    answers="macro-f1",
    default=Default(why="covers .92–.95; Takahashi's delta method .76–.945", when=is_plain),
    applies=is_plain,
    title="MOVER over the classes' F1 intervals",
    formula="θ̂ − √(ΣΣ w²·ρ_ij·(F_i − l_i)(F_j − l_j)), likewise above; ρ by the delta method, "
    "cov_ij = (n_ij + n_ji)·F_i·F_j/(S_i·S_j), S = row + column",
    source=MOVER,
    assumes=ROWS,
    measured="macro-F1 .92–.95 (simulated) for two or three classes, where the delta method covers .76–.945",
)
def mover_f1(q: CountProblem) -> RawLimits:
    """The classes' limits of F1, combined with delta-method correlations."""
    return _mover(q, "mover-f1")


@inference_method(
    "mover-wilson",
    answers=("mean-of-recalls", "macro-of-shares"),
    default={
        "mean-of-recalls": Default(why="covers .91–.95; the delta method .65–.94", when=is_plain),
        "macro-of-shares": Default(
            why="covers .90–.96 (simulated); the delta method falls to .53 where a class is rare", when=is_plain
        ),
    },
    applies=lambda q: q.sample.plain and not q.metric.of_one_class,
)
def mover_wilson(q: CountProblem) -> RawLimits:
    """The classes' Wilson limits, combined with delta-method correlations."""
    return _mover(q, "mover-wilson")


def _mover(q: CountProblem, key: str) -> RawLimits:
    mean, spec = class_mean(q), q.spec.both_sides
    in_play = mean.weights > 0
    low, high = _class_limits(mean, q.options, spec)
    ends = mover(mean.values, np.where(in_play, low, 0.0), np.where(in_play, high, 0.0), mean.weights, mean.cross)
    raw_limits = RawLimits.of((np.array([ends[0]]), np.array([ends[1]])), key)
    if mean.three_carry_it() and not _many_classes(q):
        other = mean.limits_of_mean(float(q.sample.estimate[0]), spec)
        outer = np.fmin(raw_limits.low, other[0]), np.fmax(raw_limits.high, other[1])
        wider = (outer[0] < raw_limits.low) | (outer[1] > raw_limits.high)
        raw_limits = raw_limits.replaced(wider, RawLimits.of(outer, key, Note("outer-of-classes")))
    return _other_class_unknown(q, raw_limits)


def _class_limits(mean: ClassMean, options: MetricOptions, spec: IntervalSpec) -> Pair:
    """Wilson's limits of each class's proportion, or of its F1."""
    if mean.base.share is not None:
        x, n = mean.base.share(mean.counts)
        return limits(x, n, "wilson", spec.level, spec.side)
    in_play = np.asarray(mean.counts.tp + mean.counts.fp + mean.counts.fn, dtype=np.float64)
    values = np.asarray(mean.base.function(mean.counts, **options), dtype=np.float64)
    jaccard, size = as_jaccard(values), in_play
    if not mean.base.rows_in_play:
        size = effective_size(jaccard, mean.variances * (2 / (2 - values) ** 2) ** 2, in_play, in_play)
    low, high = at_size(jaccard, size, spec, np.asarray(spec.factor()))
    return from_jaccard(low), from_jaccard(high)


@inference_method(
    "mover-log",
    answers="geometric-mean",
    default=Default(
        why="covers .90–.97 (simulated); the delta method falls to .45 where a class is rare", when=is_plain
    ),
    applies=is_plain,
    title="MOVER over the logarithms of Wilson intervals",
    formula="exp(mean log p − √(Σ(log p_i − log l_i)²)/K), likewise above; l, u Wilson's limits of each recall",
    source=MOVER,
    assumes=WITHIN_CLASSES,
    measured=".90–.97 (simulated), where the delta method falls to .45 with a rare class",
)
def mover_log(q: CountProblem) -> RawLimits:
    """MOVER over the logarithms of the recalls' Wilson limits.

    A class that was never found makes the mean 0; its upper limit then takes the place of its recall.
    """
    hits, n = _found_and_rows(q)
    spec = q.spec.both_sides
    low, high = limits(hits, n, "wilson", spec.level, spec.side)
    known = hits > 0
    values = np.log(np.where(known, hits / n, high))
    ends = mover(values, np.log(np.where(known, low, high)), np.log(high), 1.0 / len(n))
    bottom = math.exp(ends[0]) if known.all() else 0.0
    note = None if known.all() else Note("class-never-found")
    raw_limits = RawLimits.of((np.array([bottom]), np.array([math.exp(ends[1])])), "mover-log", note)
    return _other_class_unknown(q, raw_limits)


def _found_and_rows(q: CountProblem) -> Pair:
    """The hits and the rows of each class that has rows."""
    t = q.sample.sample.table.classes()
    present = t.truth > 0
    return t.hits[present].astype(np.float64), t.truth[present].astype(np.float64)


def _other_class_unknown(q: CountProblem, found: RawLimits) -> RawLimits:
    """With two classes both are asked about: one that no row shows may be found always or never.

    The estimate is the other class's value, as everywhere; of many classes those without rows leave the average.
    """
    table, measure = q.sample.sample.table, q.metric
    t = table.classes()
    by_recall = find_measure(measure.of).within_class if measure.average else True
    unseen = t.truth == 0 if by_recall else ~classes_in_play(t)
    if len(table.labels) != 2 or unseen.sum() != 1:
        return found
    if q.situation == "geometric-mean":
        low, high = np.zeros_like(found.low), np.sqrt(found.high)
    else:
        low, high = found.low / 2, (1 + found.high) / 2
    label = table.labels[int(np.flatnonzero(unseen)[0])]
    return found._replace(low=low, high=high).noted(Note("unseen-class", (label,)))


# Averages of both classes that are the same for either.


def _same_for_either(q: CountProblem) -> bool:
    """Of two classes both have the same informedness and markedness, so that their average is that of either."""
    one = find_measure(q.metric.of) if q.metric.average else None
    return one is not None and one.sum_of is not None and q.sample.plain and len(q.sample.sample.table.labels) == 2


@inference_method("mover-wilson", answers="correlation", word=None, default=Default(why="", when=_same_for_either))
def of_either_class(q: CountProblem) -> RawLimits:
    """MOVER over the two proportions of one class."""
    one = find_measure(q.metric.of)
    view = view_of_sample(one, q.sample.sample, q.options)
    found = sum_of_two_limits(one, view.seen, view.estimate, q.spec)
    # Pooled counts have an average where a class without rows has none of its own; nothing bounds it.
    return found.noted(Note("zero-count")) if np.isnan(view.estimate).any() else found


# Shares of rows at another class distribution: the classes' recalls, weighted by the shares that were asked for.


def _recalls_decide(q: CountProblem) -> bool:
    return q.metric.share_of_rows != 0 and not q.metric.of_one_class and q.sample.at_prior and q.sample.kind == "random"


def _recalls(q: CountProblem) -> tuple[Floats, Floats, Floats]:
    """Rows that count, all rows and the share asked for, of each class."""
    sample = q.sample.sample
    t, shares = sample.table.classes(weighted=False), sample.shares
    assert shares is not None
    present = (shares > 0) & (t.truth > 0)
    hits = t.hits[present] if q.metric.share_of_rows == 1 else (t.truth - t.hits)[present]
    return hits.astype(np.float64), t.truth[present].astype(np.float64), shares[present]


def _many_recalls_decide(q: CountProblem) -> bool:
    if not _recalls_decide(q):
        return False
    _, rows, weights = _recalls(q)
    return parts_that_count(weights, rows) >= MANY_PARTS


@inference_method(
    "wilson-of-classes",
    answers="proportion",
    default=Default(why="", when=_many_recalls_decide),
    applies=_many_recalls_decide,
)
def many_recalls_at_shares(q: CountProblem) -> RawLimits:
    """Σ share·recall over many classes."""
    hits, rows, weights = _recalls(q)
    mean = float((weights * hits / rows).sum())
    return RawLimits.of(mean_of_shares(mean, hits, rows, weights, q.spec), "wilson-of-classes")


@inference_method(
    "mover-wilson", answers="proportion", default=Default(why="", when=_recalls_decide), applies=_recalls_decide
)
def recalls_at_shares(q: CountProblem) -> RawLimits:
    """Σ share·recall by MOVER over Wilson's limits of the recalls."""
    hits, rows, weights = _recalls(q)
    spec = q.spec.both_sides
    low, high = limits(hits, rows, "wilson", spec.level, spec.side)
    ends = mover(hits / rows, low, high, weights)
    return RawLimits.of((np.array([ends[0]]), np.array([ends[1]])), "mover-wilson")


# With this many rows of each class found the delta method holds (validation/RESULTS.md).
FEW = 5
ADDED_ROWS = 2.0
# Of more classes than this one decides little, and the full table grows with their square.
MOST_CLASSES = 30


def has_small_counts(measure: Measure, sample: Sample) -> bool:
    """Whether the delta method may have seen too little.

    Kappa and MCC of two classes: one was found fewer than five times, or one of the two kinds of error never seen.
    Smooth averages over classes (informedness, likelihood ratios, weighted shares): a class has fewer than five hits,
    misses or false alarms.

    >>> from trueerror.metrics._registry import find_measure
    >>> kappa = find_measure("kappa")
    >>> tables = [[97, 2], [1, 0]], [[81, 9], [0, 10]], [[80, 10], [8, 30]]
    >>> [has_small_counts(kappa, Sample.of(kappa, Confusion(t))) for t in tables]
    [True, True, False]
    """
    table, k = sample.table, len(sample.table.labels)
    if not sample.plain or not 2 <= k <= MOST_CLASSES or table.unpredicted.any():
        return False
    t = table.classes()
    errors = np.minimum(t.truth - t.hits, t.predicted - t.hits)
    if measure.chance_corrected:
        # Without any error Wilson's limit of the accuracy holds already.
        one_kind = int(errors.min()) == 0 and int(t.hits.sum()) < int(t.total)
        return k == 2 and (int(t.hits.min()) < FEW or one_kind)
    return measure.of_all_classes and int(np.minimum(t.hits, errors).min()) < FEW


def _small_counts(q: CountProblem) -> bool:
    return has_small_counts(q.metric, q.sample.sample) if q.sample.source is not None else False


_RARE = Default(
    why="of two classes, one of which was found fewer than five times or never confused, haldane-z", when=_small_counts
)


@inference_method(
    "haldane-z",
    answers=("mcc", "smooth"),
    word=None,
    default={"mcc": _RARE, "smooth": _RARE},
    title="kappa or Matthews correlation of a class that was hardly found, or an error never seen",
    formula="the outer limits of the plain ones and of tanh(atanh(m̃) ± z·SE/(1 − m̃²)), m̃ and its delta-method SE "
    "from n_c + ½",
    source=f"Haldane 1956, Ann. Hum. Genet. 20:309; Fisher 1915, Biometrika 10:507; {DELTA}",
    assumes=ROWS + "; two classes, one of which was found fewer than five times or never confused",
    measured="kappa .93–1.00 over all tables of 20 rows with 1–50 % positives (enumerated), where the delta method "
    "falls to .58; .87 for a nearly perfect model with one positive expected",
)
def haldane_z(q: CountProblem) -> RawLimits:
    """The outer limits with those of two rows more, by the name of haldane-z where they are wider."""
    return _with_two_rows_more(q, (fisher_z if q.situation == "mcc" else delta)(q), "haldane-z")


@inference_method("fisher-z", answers="correlation", word=None, default=Default(why="", when=_small_counts))
def rare_correlation(q: CountProblem) -> RawLimits:
    """fisher-z, joined with two rows more."""
    return _with_two_rows_more(q, fisher_z(q), "fisher-z")


@inference_method("delta-logit", answers="smooth-share", word=None, default=Default(why="", when=_small_counts))
def rare_share(q: CountProblem) -> RawLimits:
    """delta-logit, joined with two rows more."""
    return _with_two_rows_more(q, delta_logit(q), "delta-logit")


@inference_method("delta-log", answers="ratio", word=None, default=Default(why="", when=_small_counts))
def rare_ratio(q: CountProblem) -> RawLimits:
    """delta-log, joined with two rows more."""
    return _with_two_rows_more(q, delta_log(q), "delta-log")


def _with_two_rows_more(q: CountProblem, found: RawLimits, key: str) -> RawLimits:
    """The outer limits of the rows as they are and with two more; a value without variance keeps its method's name."""
    measure, estimate = q.metric, q.sample.estimate
    full, counts = with_rows_added(q.sample.sample.table)
    centre = np.array([float(measure.of_table(full, counts, **q.options))])
    spread = np.array([float(variance(influence(measure, full, options=q.options, masses=counts), counts))])
    bounds = measure.range
    if np.isfinite(bounds).all():
        low, high = on_logit(centre, spread, q.spec.factor(), bounds)
    else:
        low, high = on_log(centre, spread, q.spec.factor())
    high = np.where(np.isinf(estimate), np.inf, high)
    outer = np.fmin(np.fmin(found.low, low), estimate), np.fmax(np.fmax(found.high, high), estimate)
    wider = (outer[0] < found.low) | (outer[1] > found.high) | np.isnan(found.low)
    named = RawLimits.of(outer, key, Note("two-rows-added"))
    return found.replaced(wider, named if measure.chance_corrected else named._replace(method=found.method))


def with_rows_added(table: Confusion) -> tuple[Confusion, Floats]:
    """A table of all K² cells, and the counts with two rows spread over them."""
    k = len(table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels, positive=table.positive)
    return full, table.matrix.ravel().astype(np.float64) + ADDED_ROWS / (k * k)


# With more prices than this the limits of all the shares that were never seen would add up to too much.
MANY_PRICES = 24


def _by_shares_of_prices(q: CountProblem) -> bool:
    """Whether the shares of rows at each price can carry the doubt."""
    sample = q.sample.sample
    drawn = sample.kind == "random" and (sample.shares is None or sample.place is None)
    return drawn and len(np.unique(_price_matrix(sample, q.options))) <= MANY_PRICES


@inference_method("t-mean", answers="mean-cost", default=Default(why="", when=lambda q: not _by_shares_of_prices(q)))
def mean_cost_t(q: CountProblem) -> RawLimits:
    """The t-interval of the mean cost; rows that all cost the same leave room for the share that would not.

    A few clusters hold most of the cost, so that its mean is skewed: above at least as far as on a scale of logarithms.
    """
    sample, spec = q.sample.sample, q.spec
    n, scale, prices = sample.rows.n, _rows_in_total(q), _price_matrix(sample, q.options)
    d, every = sample.influence(q.metric, dict(q.options)), np.ones(len(sample.rows.row), dtype=bool)
    v = sample.variance(d, every) / scale**2
    if sample.kind == "random" and n > 1:
        v *= n / (n - 1)  # the unbiased variance of a row's cost
    centre = q.sample.estimate / scale
    groups = sample.effective_groups(d, every) if sample.kind != "random" else float(sample.groups)
    if v > VARIANCE_TOLERANCE * max(1.0, float(np.abs(prices).max(initial=0.0)) ** 2):
        t = t_factors(spec, [groups - 1])
        low, high = straight_limits(centre, np.array([v]), t)
        if sample.clusters is not None and prices.min() >= 0 and centre.min() > 0:
            high = np.fmax(high, np.minimum(on_log(centre, np.array([v]), t)[1], prices.max()))
        if sample.kind == "weighted":
            # A heavy row with a costly error may be one that was not drawn: no more rows than the weights leave.
            kish, bounds = kish_rows(sample.rows), (float(prices.min()), float(prices.max()))
            width = bounds[1] - bounds[0]
            size = np.minimum(effective_size((centre - bounds[0]) / width, v / width**2, kish, kish), kish)
            least, most = at_size(centre, size, spec, t_factors(spec, [kish - 1]), bounds)
            low, high = np.minimum(low, least), np.maximum(high, most)
        raw_limits = RawLimits.of((low, high), "t-mean")
    else:
        _, share = limits([0.0], [groups], "wilson", spec.level, "upper" if spec.side != "two-sided" else "two-sided")
        low, high = centre - share * (centre - prices.min()), centre + share * (prices.max() - centre)
        raw_limits = RawLimits.of((low, high), "wilson-constant-loss", Note("same-cost"))
    raw_limits = raw_limits._replace(low=raw_limits.low * scale, high=raw_limits.high * scale)
    return raw_limits if sample.clusters is None else one_cluster(raw_limits, np.array([sample.groups]))


@inference_method(
    "mover-cost",
    answers="mean-cost",
    default=Default(
        why="covers .93–.97 with rare costly errors, where a t-interval covers .26–.95 and BCa .28–.98",
        when=_by_shares_of_prices,
    ),
    applies=_by_shares_of_prices,
    title="MOVER over Wilson intervals of the share of rows at each price",
    formula="mean cost ∓ √(ΣΣ c_i·c_j·ρ_ij·δ_i·δ_j), δ the distance to Wilson's limit of the share at price c_i, "
    "prices counted from the commonest, ρ_ij = −√(p_i·p_j/((1 − p_i)(1 − p_j)))",
    source=MOVER,
    assumes=ROWS + "; prices that are known, also of errors that did not occur",
    measured=".93–.97 with rare costly errors, where a t-interval covers .26–.95 (simulated)",
)
def mover_cost(q: CountProblem) -> RawLimits:
    """The mean cost of a row, or a total, which is as many times that as there are rows."""
    sample, scale = q.sample.sample, _rows_in_total(q)
    prices = _price_matrix(sample, q.options)
    low, high = _by_shares(sample, prices, float(q.sample.estimate[0]) / scale, q.spec)
    return RawLimits.of((np.array([low]) * scale, np.array([high]) * scale), "mover-cost")


def _rows_in_total(q: CountProblem) -> float:
    return float(q.sample.sample.rows.masses.sum()) if q.metric.additive else 1.0


def cost_bounds(q: CountProblem) -> tuple[float, float]:
    """The least and the most that the rows can cost."""
    prices, scale = _price_matrix(q.sample.sample, q.options), _rows_in_total(q)
    return float(prices.min()) * scale, float(prices.max()) * scale


def rarely_seen_errors(sample: Sample) -> bool:
    """Whether some kind of error was made fewer than five times: resamples show too little of what it may cost."""
    table, k = sample.table, len(sample.table.labels)
    if sample.kind != "random" or sample.shares is not None:
        return False
    wrong = table.row != table.col
    return int((wrong & (table.counts > 0)).sum()) < k * (k - 1) or bool((table.counts[wrong] < FEW).any())


def savings_by_shares(q: CountProblem) -> tuple[float, float]:
    """1 − C/D with MOVER's limits of the mean cost C; D, the cheapest constant call's, hardly varies beside a rare C.

    NaN where there are too many prices for that.
    """
    sample = q.sample.sample
    prices = _price_matrix(sample, q.options)
    if prices.ndim == 1 or len(np.unique(prices)) > MANY_PRICES:
        return math.nan, math.nan
    table, k = sample.table, len(sample.table.labels)
    counts = table.counts.astype(np.float64)
    rows = np.bincount(table.row, weights=counts, minlength=k)
    constant = float((rows @ prices[:, :k]).min()) / float(counts.sum())
    mean = float((counts * prices[table.row, table.col]).sum() / counts.sum())
    low, high = _by_shares(sample, prices, mean, q.spec)
    return 1 - max(high, float(prices.min())) / constant, 1 - max(low, float(prices.min())) / constant


def _price_matrix(sample: Sample, options: MetricOptions) -> Floats:
    """K × K prices, with a column more where rows without a prediction occur."""
    table, costs = sample.table, options.get("costs")
    k = len(table.labels)
    unanswered = bool((table.col >= k).any())
    if costs is None:
        return (np.arange(k + unanswered) != np.arange(k)[:, None]).astype(np.float64) if k <= 4096 else np.arange(2.0)
    return cost_matrix(costs, table.labels, table.positive)[:, : k + unanswered]


def _by_shares(sample: Sample, prices: Floats, mean: float, spec: IntervalSpec) -> tuple[float, float]:
    """MOVER over Wilson's limits of the share of rows at each price, within each class where a prior sets its share."""
    spec = spec.both_sides
    table = sample.table
    paid = cell_costs(table, None) if prices.ndim == 1 else prices[table.row, table.col]
    counts = table.counts.astype(np.float64)
    if sample.shares is None:
        strata = [(counts, paid, np.unique(prices), 1.0)]
    else:
        strata = [
            (
                counts[table.row == k],
                paid[table.row == k],
                np.unique(prices[k] if prices.ndim > 1 else prices),
                float(share),
            )
            for k, share in enumerate(sample.shares)
            if share > 0
        ]
    down = up = 0.0
    for rows, price, levels, weight in strata:
        n = float(rows.sum())
        at = np.bincount(np.searchsorted(levels, price), weights=rows, minlength=len(levels))
        # Prices are counted from the commonest one, whose share is what the others leave.
        base = int(at.argmax())
        others = np.arange(len(levels)) != base
        if not others.any():
            continue
        shares = at[others] / n
        low, high = limits(at[others], n, "wilson", spec.level, spec.side)
        extra = levels[others] - levels[base]
        ends = mover(shares, low, high, extra, multinomial_correlations(shares))
        centre = float((extra * shares).sum())
        down += (weight * (centre - ends[0])) ** 2
        up += (weight * (ends[1] - centre)) ** 2
    return mean - float(np.sqrt(down)), mean + float(np.sqrt(up))
