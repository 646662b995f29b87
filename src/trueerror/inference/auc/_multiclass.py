"""Means of areas over many classes (Hand and Till, one-vs-rest), of one model and of two on the same rows: DeLong's
variance of a mean of areas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import class_weighted_sizes, cr3_variance, degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import contrast, student_p, student_quantile, tail_area
from trueerror.inference._problem import (
    IntervalLimits,
    IntervalSpec,
    Problem,
    choose,
    clustered,
    independent,
    method_named,
)
from trueerror.inference.auc._interval import DELONG, FEW, satterthwaite, score_low
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.proportion._distributions import on_logit
from trueerror.inputs._labels import Codes, Label
from trueerror.kernels import chosen
from trueerror.methods._registry import Default, Method, declare, inference_method
from trueerror.metrics._registry import ClassScores, Measure, MetricOptions, undefined_reason
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results._format import whole
from trueerror.results._values import Note

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
WHOLE = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassScoreSample:
    """Rows with one score for each class, and the cluster of each where there are any."""

    codes: Codes
    scores: Floats
    estimate: float
    clusters: Ints | None = None


def class_area_interval(
    measure: Measure,
    codes: Codes,
    scores: Floats,
    labels: tuple[Label, ...],
    options: MetricOptions,
    spec: IntervalSpec,
    clusters: Ints | None = None,
    method: str | None = None,
) -> Interval:
    """A mean of areas, and where the true one may lie."""
    estimate = float(measure.function(codes, scores, **options))
    sample = ClassScoreSample(codes=codes, scores=scores, estimate=estimate, clusters=clusters)
    q = Problem(situation=measure.situation, metric=measure, sample=sample, spec=spec, options=options)
    chosen_method = choose(q) if method is None else method_named(q, method)
    if math.isnan(estimate):
        note = undefined_reason(measure, ClassScores(codes, scores, labels), **options)
        answer = IntervalLimits(*WHOLE, chosen_method.key, note)
    else:
        answer = chosen_method.function(q)
    return spec.interval(
        measure.name,
        estimate,
        answer.low,
        answer.high,
        bounds=WHOLE,
        method=answer.method,
        n=len(codes),
        note=answer.note,
    )


@inference_method(
    "delong-classes-clustered",
    answers="class-areas",
    applies=clustered,
    default=Default(
        why="Of rows in clusters delong-classes-clustered, which sums the rows' shares within them", when=clustered
    ),
    part="areas",
    title="DeLong's variance of a mean of areas over classes, rows in clusters",
    formula="logit A ± t(G_eff − 1)·√V/(A(1 − A)), V = Σ_g(Σ h/(1 − w_g))² over the clusters' sums of the rows' shares",
    source="Obuchowski 1997, Biometrics 53:567; Bell and McCaffrey 2002, Surv. Methodol. 28:169; Hand and Till 2001, "
    "Mach. Learn. 45:171",
    assumes="independent clusters, any dependence within; one score for each class",
)
def delong_classes_clustered(q: Problem[ClassScoreSample]) -> IntervalLimits:
    """V = Σ(Σ h/(1 − w))² over clusters, and t(G_eff − 1)."""
    assert q.sample.clusters is not None
    _, groups = np.unique(q.sample.clusters, return_inverse=True)
    g = int(groups.max()) + 1
    if g < 2:
        return IntervalLimits(math.nan, math.nan, "delong-classes", ONE_CLUSTER)
    shares, sizes = _shares_and_sizes(q)
    weighed = class_weighted_sizes(groups, q.sample.codes, shares)
    joint = cr3_variance(np.bincount(groups, weights=shares).astype(np.float64), weighed)
    variance = area_variance(shares, q.sample.codes, sizes)
    # As many independent rows as would give this variance; without any, the clusters of each class.
    apart = np.array([effective_clusters(np.bincount(groups[q.sample.codes == c])) for c in range(len(sizes))])
    sizes = np.maximum(1.0, sizes * min(1.0, variance / joint)) if min(variance, joint) > 0 else apart
    z = max(q.spec.factor(degrees_of_freedom(effective_clusters(weighed))), 0.0)
    return _logit_limits(q, joint, sizes, z, "delong-classes-clustered", f"{whole(g)} clusters")


@inference_method(
    "delong-classes",
    answers="class-areas",
    applies=independent,
    default=Default(
        why="carries the dependence of areas that share rows; with a rare class, where that alone covers .28–.90, "
        "joined by limits from Hanley and McNeil's variance (.92–1.00, simulated)"
    ),
    part="areas",
    title="DeLong's variance of a mean of areas over classes, on the logit scale",
    formula="logit A ± z·√V/(A(1 − A)), V = Σ_c n_c/(n_c − 1)·Σ h² over the rows' shares h of the mean of areas; "
    "where min(n_c)·min(A, 1 − A) < 10 the outer limits with θ of (A − θ)² = z²·V(θ), V from Hanley and McNeil's",
    source=f"{DELONG}; Hand and Till 2001, Mach. Learn. 45:171; Newcombe 2006, Stat. Med. 25:559, for two classes",
    assumes="independent rows with one score for each class; class sizes taken as they are",
    measured=".92–1.00 with classes of 1 to 100 rows; DeLong's variance alone: .28 with a class of one row "
    "and .78 with one of three (simulated)",
)
def delong_classes(q: Problem[ClassScoreSample]) -> IntervalLimits:
    """Every row's placements, averaged over the areas that it takes part in, and logit limits.

    The variance is Σ over classes of n_c/(n_c − 1)·Σ h², h the row's share of the mean less its expectation: DeLong's
    structural components, which carry the dependence of areas that share rows. A class with few rows shows too little
    of its own spread, so where few pairs are misordered the limits of `modelled_limits` join in.
    """
    shares, sizes = _shares_and_sizes(q)
    variance = area_variance(shares, q.sample.codes, sizes)
    return _logit_limits(q, variance, sizes, max(q.spec.factor(), 0.0), "delong-classes", "")


def _shares_and_sizes(q: Problem[ClassScoreSample]) -> tuple[Floats, Floats]:
    codes, scores = q.sample.codes, q.sample.scores
    return area_shares(q.metric, codes, scores, q.options), np.bincount(codes, minlength=scores.shape[1]).astype(float)


def _logit_limits(
    q: Problem[ClassScoreSample], variance: float, sizes: Floats, z: float, method: str, note: str
) -> IntervalLimits:
    estimate = q.sample.estimate
    low, high = (float(v) for v in on_logit(estimate, variance, z))
    if math.isnan(low):
        low, high = modelled_limits(estimate, sizes, z)
        why = "no variance in the order of the scores: limits from Hanley and McNeil's variance alone"
        return IntervalLimits(low, high, method, (note, why))
    if sizes.min() * min(estimate, 1 - estimate) < FEW:
        modelled = modelled_limits(estimate, sizes, z)
        low, high = min(low, modelled[0]), max(high, modelled[1])
        return IntervalLimits(low, high, method, (note, Note("auc-near-end")))
    return IntervalLimits(low, high, method, note)


def area_variance(shares: Floats, codes: Codes, sizes: Floats) -> float:
    """Σ over classes of n_c/(n_c − 1)·Σ h²; a class of one row adds nothing, which its caller must make good."""
    sums = np.bincount(codes, weights=shares**2, minlength=len(sizes))
    variance = float((sums * np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 0.0)).sum())
    return variance if variance > 1e-30 else 0.0


def modelled_limits(area: float, sizes: Floats, z: float) -> tuple[float, float]:
    """θ with (A − θ)² = z²·V(θ), as in Newcombe's method 5 for two classes.

    V(θ) = Σ over classes of (a + 2√(ab)/(K − 1)^1.5 + b/(K − 1))/(K²·n_c), with Hanley and McNeil's variances of a
    row's placement in its own class's scores, a = θ(1 − θ)²/(2 − θ), and in those of another, b = θ²(1 − θ)/(1 + θ):
    scores that add up to 1 have the correlation −1/(K − 1).

    >>> [round(v, 3) for v in modelled_limits(1.0, np.array([20.0, 20.0]), 1.96)]
    [0.917, 1.0]
    """
    k, rows = len(sizes), float((1 / sizes).sum()) / len(sizes) ** 2

    def spread(theta: float) -> float:
        own_class, other_classes = theta * (1 - theta) ** 2 / (2 - theta), theta * theta * (1 - theta) / (1 + theta)
        return (
            float(own_class + 2 * math.sqrt(own_class * other_classes) / (k - 1) ** 1.5 + other_classes / (k - 1))
            * rows
        )

    return score_low(area, z, spread), 1 - score_low(1 - area, z, spread)


def area_shares(measure: Measure, codes: Codes, scores: Floats, options: MetricOptions) -> Floats:
    """What each row adds to the mean of areas, less its expectation."""
    return _hand_till(codes, scores) if measure.by_pairs else _one_vs_rest(codes, scores, options)


def _placed(scores: Floats, is_positive: NDArray[np.bool_]) -> Floats:
    """Each row's placement among the other class, less the area, over the rows of its own class."""
    positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
    placed = chosen(len(is_positive)).placements(np.ascontiguousarray(scores), is_positive) / (
        2.0 * np.where(is_positive, negatives, positives)
    )
    share: Floats = (placed - placed[is_positive].mean()) / np.where(is_positive, positives, negatives)
    return share


def _hand_till(codes: Codes, scores: Floats) -> Floats:
    k = scores.shape[1]
    rows = [np.flatnonzero(codes == i) for i in range(k)]
    total = np.zeros(len(codes))
    for i in range(k):
        for j in range(k):
            if i != j:
                both = np.concatenate([rows[i], rows[j]])
                total[both] += _placed(scores[both, i], codes[both] == i)
    return np.asarray(total / (k * (k - 1)))


def _one_vs_rest(codes: Codes, scores: Floats, options: MetricOptions) -> Floats:
    k = scores.shape[1]
    weights = np.full(k, 1 / k)
    if options.get("average") == "weighted":
        weights = np.bincount(codes, minlength=k) / len(codes)
    total = np.zeros(len(codes))
    for i in range(k):
        total += weights[i] * _placed(scores[:, i], codes == i)
    return total


def class_area_rows(
    measure: Measure, codes: Codes, first: Floats, second: Floats, options: MetricOptions
) -> tuple[float, Floats]:
    """First − second, and what each row adds to it, less its expectation."""
    one, two = (float(measure.function(codes, s, **options)) for s in (first, second))
    rows = area_shares(measure, codes, first, options) - area_shares(measure, codes, second, options)
    # Identical models leave rounding dust, which must not pass for a variance.
    return one - two, np.where(np.abs(rows) > 1e-15, rows, 0.0)


def class_area_contrast(
    measure: Measure,
    codes: Codes,
    first: Floats,
    second: Floats,
    *,
    options: MetricOptions | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """t = (A₁ − A₂)/√V with V = Σ over classes of n_c/(n_c − 1)·Σ d², d the difference of a row's shares in the areas.

    Degrees of freedom by Satterthwaite over the classes. Without variance p is 1 where the difference is 0, and the
    limits are ± the sum over classes of 1 − (α/2)^(1/n_c) over K, as for two areas.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837, over the areas' mean.

    >>> from trueerror.metrics._registry import find_measure
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1, 2], 30)
    >>> good, poor = (rng.random((90, 3)) + pull * np.eye(3)[codes] for pull in (1.0, 0.2))
    >>> c = class_area_contrast(find_measure("hand_till_auc"), codes, good, poor)
    >>> c.estimate > 0, c.p_value < 0.001
    (True, True)
    """
    estimate, rows = class_area_rows(measure, codes, first, second, options or {})
    sizes = np.bincount(codes, minlength=first.shape[1]).astype(float)
    squares = np.bincount(codes, weights=rows * rows, minlength=len(sizes))
    common: dict[str, Any] = {
        "name": measure.title, "estimate": estimate, "whole": (-1.0, 1.0), "confidence": confidence,
        "alternative": alternative, "method": "delong-classes-paired", "n": len(codes),
    }  # fmt: skip
    if (sizes[sizes > 0] < 2).any():
        note = "a class has a single row, so the variance cannot be estimated"
        return contrast(limits=(np.nan, np.nan), p_value=np.nan, statistic=np.nan, notes=(note,), **common)
    parts = [(s * n / (n - 1), n - 1) for s, n in zip(squares, sizes, strict=True) if n > 1]
    variance = sum(v for v, _ in parts)
    if not variance > 0:
        tail = tail_area(confidence, alternative)
        half = 2 * float(sum(1 - tail ** (1 / n) for n in sizes if n > 0)) / len(sizes)
        note = "no variance: the difference is the same for every row, so the limits come from the class sizes"
        p = 1.0 if estimate == 0 else np.nan
        return contrast(
            limits=(estimate - half, estimate + half), p_value=p, statistic=0.0, p_better=0.5, notes=(note,), **common
        )
    df, error = satterthwaite(*parts), float(np.sqrt(variance))
    t, statistic = student_quantile(confidence, alternative, df), estimate / error
    return contrast(
        limits=(estimate - t * error, estimate + t * error), statistic=statistic, df=df,
        p_value=student_p(statistic, df, alternative), p_better=1 - student_p(statistic, df, "greater"), **common,
    )  # fmt: skip


declare(
    Method(
        key="delong-classes-paired",
        title="difference of two means of areas over classes on the same rows, Satterthwaite t",
        formula="t = (A₁ − A₂)/√V, V = Σ over classes of n_c/(n_c − 1)·Σ d², d the difference of a row's shares in "
        "the two means; df = V²/Σ v_c²/(n_c − 1)",
        source=f"{DELONG}; Hand and Till 2001, Mach. Learn. 45:171; Satterthwaite 1946, Biometrics Bull. 2:110",
        assumes="independent rows; both models scored the same rows",
        measured="type I error .042–.045 with 60 to 200 rows of 3 to 10 classes (simulated)",
    ),
    part="areas",
)
