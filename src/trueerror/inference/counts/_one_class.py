"""What methods see of a metric of counts, and the methods that serve one class, every class at once, or all together.

Wilson's interval for F1 and at effective sizes, the delta method on several scales, MOVER for a sum of two proportions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import LEAST_DF
from trueerror.inference._problem import IntervalSpec, Problem, tail
from trueerror.inference._variance import (
    ClassClusters,
    Kind,
    Parts,
    Sample,
    binary_gradients,
    class_cluster_variances,
    class_clusters,
    class_weighted_variances,
    effective_size,
    kish_rows,
    occupied,
)
from trueerror.inference.proportion._distributions import (
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
from trueerror.methods import Default, Method, declare, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Share, find_measure
from trueerror.results._values import Note
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import BinaryCounts, ClassCounts, Confusion

Floats = NDArray[np.float64]
ALL_PARTS: Parts = (True, True, True, True)

DELTA = "Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1"
MOVER = "Zou and Donner 2008, Stat. Med. 27:1693"
WITHIN_CLASSES = ROWS + ", or at random within each class"
MANY_ROWS = ROWS + "; many rows in each class"

ONE_CLUSTER = str(Note("one-cluster"))
# Rounding leaves about 1e−34 where a variance is 0; one error in a billion rows gives 1e−18.
VARIANCE_TOLERANCE = 1e-27
# An estimate within this many standard errors of the end of (−1, 1) has its delta interval on Fisher's scale.
NEAR_THE_END = 1.96


@dataclass(eq=False)
class CountView:
    """A metric of counts as methods see it: of one class, of every class at once, or of all classes together.

    `seen` is what formulas are given (weights or another class distribution in it), `rows` counts rows, and `estimate`
    is the metric of each class, or one. `variance` is the metric's, by the sampling design; `groups` and `spread_rows`
    say, for the rows in given of the four counts, how many clusters they are from and how many equal weights they are
    worth; `worth` says how many clusters of equal size those in play are worth, and how many hold the events of a
    share. `source` is the sample, unless every class is asked for at once.
    """

    seen: Any
    rows: Any
    kind: Kind
    at_prior: bool
    estimate: Floats
    variance: Callable[[], Any]
    groups: Callable[[Parts], Any]
    spread_rows: Callable[[Parts], Any]
    worth: Callable[[], tuple[Any, Any]]
    source: Sample | None = None

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class distribution."""
        return self.kind == "random" and not self.at_prior

    @property
    def sample(self) -> Sample:
        """The sample, of a view that is not of every class at once."""
        assert self.source is not None
        return self.source

    @cached_property
    def variances(self) -> Floats:
        """The variance of each estimate, 0 where rounding alone is left."""
        with np.errstate(invalid="ignore", over="ignore"):
            v = np.asarray(self.variance(), dtype=np.float64)
        return np.where(v > VARIANCE_TOLERANCE, v, 0.0)

    @cached_property
    def total(self) -> Floats:
        """How many rows there are, for each estimate."""
        return self._each(self.rows.total)

    def _each(self, counts: object) -> Floats:
        return np.asarray(counts, dtype=np.float64) + np.zeros_like(self.estimate)

    @cached_property
    def clusters_in(self) -> Callable[[Parts], Floats]:
        """How many clusters have rows among the given counts, for each estimate; counted once."""
        return cache(lambda parts: self._each(self.groups(parts)))

    @cached_property
    def _worth(self) -> tuple[Floats, Floats]:
        of_rows, of_events = self.worth()
        return self._each(of_rows), self._each(of_events)

    @property
    def effective_clusters(self) -> Floats:
        """As many clusters of equal size, for each estimate."""
        return self._worth[0]

    @property
    def df(self) -> Floats:
        """Degrees of freedom of a variance over clusters: those of equal size that hold the events, less 1."""
        return np.maximum(self._worth[1] - 1, LEAST_DF)


CountProblem = Problem[CountView]


def situation_of(measure: Measure, kind: Kind) -> str:
    """The row of the decision table for a metric of rows that were drawn in this way."""
    effective = measure.share is not None if measure.of_one_class else measure.range == (0.0, 1.0)
    if kind == "random" or not effective:
        return measure.situation
    return "clustered" if kind == "clustered" else "sampling-weights"


def rows_spoken_of(q: CountProblem) -> Floats:
    """How many rows an interval speaks of: the trials of a proportion, those in play for F1, else all."""
    m, view = q.metric, q.sample
    if m.of_one_class and m.situation == "f1":
        return np.asarray(view.rows.tp + view.rows.fp + view.rows.fn, dtype=np.float64)
    if m.share is not None and (m.of_one_class or view.plain):
        return np.atleast_1d(np.asarray(m.share(view.rows)[1], dtype=np.float64))
    return view.total


def parts_of(trials: Callable[[BinaryCounts], Any]) -> Parts:
    """Which of TP, FP, FN, TN a function of the counts looks at.

    >>> parts_of(lambda t: t.tp + t.fn)
    (True, False, True, False)
    """
    units = (BinaryCounts(*(float(i == j) for j in range(4))) for i in range(4))
    a, b, c, d = (bool(trials(u) > 0) for u in units)
    return a, b, c, d


def not_plain(q: CountProblem) -> bool:
    """Clusters, weights or another class distribution."""
    return not q.sample.plain


def is_plain(q: CountProblem) -> bool:
    """Rows at random, at their own class distribution."""
    return q.sample.plain


def _random(q: CountProblem) -> bool:
    return q.sample.kind == "random"


def _share_range(q: CountProblem) -> bool:
    return q.metric.range == (0.0, 1.0)


def _correlation_range(q: CountProblem) -> bool:
    return q.metric.range == (-1.0, 1.0)


def carried_through(q: CountProblem) -> bool:
    """Whether the limits of two rates decide: two classes, or one of several, at a prior; rows at random in each."""
    sample = q.sample.source
    if sample is None or sample.shares is None or sample.kind != "random":
        return False
    if len(sample.table.labels) == 2:
        return sample.place is None or not sample.shares_of_rows
    return q.metric.of_one_class and sample.place is None


AVERAGES_OF_SHARES = ("macro-f1", "mean-of-recalls", "macro-of-shares", "geometric-mean")
_NOT_PLAIN = Default(why="", when=lambda q: not_plain(q) and _share_range(q))


# Rows in clusters or with sampling weights: Wilson's limits at the number of independent rows that the variance shows.


def _effective_rows(q: CountProblem, without: Any) -> tuple[Floats, Floats]:
    """The number of independent rows that would show the variance, and how many there are."""
    view, m = q.sample, q.metric
    rows = np.asarray(m.share(view.rows)[1], dtype=np.float64) if m.of_one_class and m.share else view.total
    return effective_size(view.estimate, view.variances, rows, without), rows


def _trial_parts(q: CountProblem) -> Parts:
    share = q.metric.share
    return parts_of(lambda t: share(t)[1]) if q.metric.of_one_class and share is not None else ALL_PARTS


@inference_method(
    "wilson-weighted",
    answers="sampling-weights",
    default=Default(
        why="covers .947–.980 with lognormal weights (sd 0.5 to 1.5), where z at the linearised variance alone covers "
        ".81–.95 and Korn and Graubard's beta limits .82–.96"
    ),
    title="Wilson score interval at the effective number of rows, for weighted rows",
    formula="Wilson with n_eff = p̂q̂/V and t(k − 1) for z, V = k/(k − 1)·Σ(w_i·d_i)², k = (Σw)²/Σw²; n_eff ≤ k, and "
    "= k where V = 0",
    source="Korn and Graubard 1998, Surv. Methodol. 24:193; Kish 1965, Survey Sampling",
    assumes="rows drawn independently with the chances that the weights undo",
    measured=".947–.980 with 60 to 1,000 rows and lognormal weights of sd 0.5 to 1.5 (simulated)",
)
def wilson_weighted(q: CountProblem) -> RawLimits:
    """Wilson's limits at no more rows than the weights leave, with Student's t."""
    kish = np.asarray(q.sample.spread_rows(_trial_parts(q)), dtype=np.float64)
    size = np.minimum(_effective_rows(q, kish)[0], kish)
    pair = at_size(q.sample.estimate, size, q.spec, t_factors(q.spec, np.maximum(kish - 1, LEAST_DF)))
    return RawLimits.of(pair, "wilson-weighted", each_note("weights-worth", size))


@inference_method(
    "wilson-clustered",
    answers="clustered",
    default=Default(
        why="covers .93–.99 whatever the sizes of the clusters, where CR1 with t(G − 1) covers .66–.95; a plain "
        "cluster-robust t-interval falls to .74 near 1"
    ),
    title="Wilson score interval at the effective number of rows, for clustered rows",
    formula="Wilson with n_eff = p̂q̂/V and t(G_eff − 1) for z; V = Σ_g(s_g/(1 − w_g))² (CR3), s_g = Σ d_i, w_g = n_g/n; "
    "G_eff = (Σn)²/Σn², at most (Σe)²/Σe(e − 1) of the clusters' errors or successes e; n_eff ≤ n, and = G_eff where "
    "V = 0",
    source="Bell and McCaffrey 2002, Surv. Methodol. 28:169; Korn and Graubard 1998, Surv. Methodol. 24:193; Kish "
    "1965, Survey Sampling",
    assumes="independent clusters; any dependence within",
    measured=".93–.99 with 10 to 100 clusters, equal, lognormal (sd 1 and 1.5), Pareto (1.2) or one with half the "
    "rows; .92 where correlated errors are rare (simulated)",
)
def wilson_clustered(q: CountProblem) -> RawLimits:
    """Wilson's limits at the independent rows that the clusters are worth, with Student's t."""
    groups = q.sample.clusters_in(_trial_parts(q))
    size, _ = _effective_rows(q, q.sample.effective_clusters)
    pair = at_size(q.sample.estimate, size, q.spec, t_factors(q.spec, q.sample.df))
    return one_cluster(RawLimits.of(pair, "wilson-clustered", each_note("clusters-worth", groups, size)), groups)


@inference_method(
    "cluster-t",
    answers="clustered",
    title="cluster-robust t-interval",
    formula="p̂ ± t(G_eff − 1)·√V, V = Σ_g(s_g/(1 − w_g))² (CR3), s_g = Σ d_i, cut to [0, 1]",
    source="Bell and McCaffrey 2002, Surv. Methodol. 28:169; Cameron and Miller 2015, J. Hum. Resour. 50:317",
    assumes="many independent clusters",
    measured="falls to .74 near 1 (simulated)",
    advice="prefer wilson-clustered",
)
def cluster_t(q: CountProblem) -> RawLimits:
    """Student's t on as many degrees of freedom as clusters of equal size less 1; wilson-clustered without variance."""
    at_effective_size = wilson_clustered(q)
    groups = q.sample.clusters_in(_trial_parts(q))
    pair = straight_limits(q.sample.estimate, q.sample.variances, t_factors(q.spec, q.sample.df))
    straight = RawLimits.of(pair, "cluster-t", at_effective_size.note)
    return one_cluster(straight.replaced(np.isnan(straight.low), at_effective_size), groups)


@inference_method(
    "delta-logit",
    answers="proportion",
    default=Default(why="", when=lambda q: q.sample.at_prior),
    applies=lambda q: q.sample.at_prior,
)
def proportion_at_prior(q: CountProblem) -> RawLimits:
    """A proportion at another class distribution, on the logit scale; Wilson's where that has no variance."""
    if not q.metric.of_one_class:
        return delta_logit(q)
    p, spec = q.sample.estimate, q.spec
    raw_limits = RawLimits.of(on_logit(p, q.sample.variances, spec.factor()), "delta-logit")
    at_rows = RawLimits.of(at_size(p, rows_spoken_of(q), spec, spec.factor()), "wilson-effective")
    return raw_limits.replaced(np.isnan(raw_limits.low), at_rows)


# F1 and its kin.


@inference_method(
    "wilson-f1",
    answers="f1",
    default=Default(why="covers .949–.957; the delta method covers .87–.94 and collapses to zero width"),
    title="Wilson score interval of the Jaccard index, as an interval of F",
    formula="J = TP/(TP + FP + FN) as a proportion; F = 2J/(1 + J) of its limits. F-beta and Fowlkes–Mallows: "
    "J = F/(2 − F) at the effective number of rows J(1 − J)/V, at most TP + FP + FN",
    source="Wilson 1927, JASA 22:209; Takahashi et al. 2022, Appl. Intell. 52:4961 (the delta method)",
    assumes=ROWS,
    measured="F1 .949–.957 (simulated), where the delta method covers .87–.94; F-beta .93–.965",
)
def wilson_f1(q: CountProblem) -> RawLimits:
    """Wilson's limits of J = F/(2 − F), and back."""
    view, spec, f = q.sample, q.spec, q.sample.estimate
    parts: Parts = (True, True, True, False)
    in_play = rows_spoken_of(q)
    jaccard = as_jaccard(f)
    groups = view.clusters_in(parts)
    clustered = view.kind == "clustered"
    kish = np.asarray(view.spread_rows(parts), dtype=np.float64)
    z = np.asarray(spec.factor())
    if view.kind != "random":
        z = t_factors(spec, view.df if clustered else np.maximum(kish - 1, LEAST_DF))
    if view.plain and q.metric.rows_in_play:
        size = in_play
    else:
        v = view.variances * (2 / (2 - f) ** 2) ** 2
        without = in_play if view.kind == "random" else view.effective_clusters if clustered else kish
        size = effective_size(jaccard, v, np.minimum(in_play, kish) if view.kind == "weighted" else in_play, without)
    low, high = at_size(jaccard, size, spec, z)
    raw_limits = RawLimits.of((from_jaccard(low), from_jaccard(high)), "wilson-f1")
    return one_cluster(raw_limits._replace(note=each_note("clusters", groups)), groups) if clustered else raw_limits


@inference_method("delta", answers="f1", applies=_random)
def delta_of_f1(q: CountProblem) -> RawLimits:
    """The straight delta method, wilson-f1 where it has no width."""
    raw_limits = RawLimits.of(straight_limits(q.sample.estimate, q.sample.variances, q.spec.factor()), "delta")
    return raw_limits.replaced(np.isnan(raw_limits.low), wilson_f1(q))


@inference_method("delta-logit", answers="f1", applies=_random)
def delta_logit_of_f1(q: CountProblem) -> RawLimits:
    """The same on the logit scale."""
    raw_limits = RawLimits.of(on_logit(q.sample.estimate, q.sample.variances, q.spec.factor()), "delta-logit")
    return raw_limits.replaced(np.isnan(raw_limits.low), wilson_f1(q))


# The delta method on the scale that suits a metric's range.


@inference_method(
    "fisher-z",
    answers=("mcc", "correlation", "smooth", "mean-of-recalls"),
    default={
        "mean-of-recalls": Default(why="", when=lambda q: not_plain(q) and _correlation_range(q)),
        "mcc": Default(why="covers .93–.96 with the delta-method standard error; 1/√(n − 3) is wrong here"),
        "correlation": Default(why="as for Matthews correlation"),
    },
    applies=_correlation_range,
    title="Fisher's z with the delta-method standard error",
    formula="tanh(atanh(m) ± z·SE/(1 − m²))",
    source=f"Fisher 1915, Biometrika 10:507; {DELTA}",
    assumes=ROWS,
    measured="Matthews correlation .93–.96, with heavy sampling weights, where Wilson's limits at (Σw)²/Σw² rows are "
    "joined, .94–.99 (simulated); with SE 1/√(n − 3), as for Pearson's, it would be wrong",
)
def fisher_z(q: CountProblem) -> RawLimits:
    """The delta method on the scale of atanh."""
    z = _factors(q)
    return _spread_or_wilson(
        q, RawLimits.of(on_logit(q.sample.estimate, q.sample.variances, z, (-1.0, 1.0)), "fisher-z")
    )


@inference_method(
    "delta",
    answers=("smooth", "mcc", "correlation", "smooth-share", "ratio", *AVERAGES_OF_SHARES),
    default=Default(
        why="the large-sample error of Fleiss, Cohen and Everitt, on Fisher's scale where it would pass the range"
    ),
    title="delta method",
    formula="θ̂ ± z·√(Σ n_c·d_c²), d_c = ∂θ/∂n_c, cut to the range",
    source=f"{DELTA}; kappa: Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72:323",
    assumes=MANY_ROWS,
    measured="kappa .93–.99 (simulated), with Fisher's scale where the straight interval would leave the range",
    advice="fisher-z covers a high kappa better",
)
def delta(q: CountProblem) -> RawLimits:
    """The straight delta method."""
    return _straight(q, "delta")


@inference_method(
    "takahashi",
    answers=("proportion", "macro-f1", "macro-of-shares", "mean-of-recalls"),
    applies=lambda q: q.metric.average in q.metric.takahashi,
    title="delta method of Takahashi and others",
    formula="macro-F1 ± z·√(2(a + b)/(n·r²)), a = ΣF(S − 2p_ii)/S²·((S − 2p_ii)/S + F/2), b = Σ p_ij·F_i·F_j/(S_i·S_j)",
    source="Takahashi, Yamamoto, Kuchiba and Koyama 2022, Appl. Intell. 52:4961",
    assumes=MANY_ROWS,
    measured="macro-F1 .76–.945 (simulated)",
    advice="prefer mover-f1",
)
def takahashi(q: CountProblem) -> RawLimits:
    """The straight delta method, of the averages that it was published for."""
    return _straight(q, "takahashi")


def _straight(q: CountProblem, key: str) -> RawLimits:
    view, bounds, z = q.sample, q.metric.range, _factors(q)
    if q.situation == "ratio" and q.metric.of_one_class:
        return _ratio(q, RawLimits.of(straight_limits(view.estimate, view.variances, z), key))
    raw_limits = RawLimits.of(straight_limits(view.estimate, view.variances, z), key)
    if _correlation_range(q):
        # Near an end of the range the interval is bent to stay within; where that is does not depend on the confidence,
        # so that more confidence is always wider.
        reach = NEAR_THE_END * np.sqrt(view.variances)
        past = (view.estimate - reach < bounds[0]) | (view.estimate + reach > bounds[1])
        bent = RawLimits.of(on_logit(view.estimate, view.variances, z, bounds), "fisher-z", Note("bent"))
        raw_limits = raw_limits.replaced(past & ~np.isnan(bent.low), bent)
    return _spread_or_wilson(q, raw_limits)


@inference_method(
    "delta-logit",
    answers=("smooth-share", *AVERAGES_OF_SHARES),
    default={
        "smooth-share": Default(
            why="covers .93–.97 where the straight delta method covers .78–.95; always within the range"
        ),
        **dict.fromkeys(AVERAGES_OF_SHARES, _NOT_PLAIN),
    },
    applies=_share_range,
    title="delta method on the logit scale",
    formula="logit(θ̂) ± z·SE/(θ̂(1 − θ̂)), and back; precision at another prior: SE of the logit is "
    "√((1 − Se)/(Se·n₁) + Sp/((1 − Sp)·n₀))",
    source=f"{DELTA}; Mercaldo, Lau and Zhou 2007, Stat. Med. 26:2170",
    assumes=ROWS + ", or at random within each class where a prior is given",
    measured=".93–.97 where the straight delta method covers .78–.95 (simulated)",
)
def delta_logit(q: CountProblem) -> RawLimits:
    """The delta method on the logit scale."""
    pair = on_logit(q.sample.estimate, q.sample.variances, _factors(q))
    raw_limits = _spread_or_wilson(q, RawLimits.of(pair, "delta-logit"))
    return _with_unseen_errors(q, raw_limits) if q.metric.of_one_class and q.sample.plain else raw_limits


def _with_unseen_errors(q: CountProblem, found: RawLimits) -> RawLimits:
    """Where a count that weighs is 0, the outer limits with those from counts with ½ added to each.

    An error that was not seen adds nothing to the variance, however heavy it is: with misses that weigh 20 and one
    expected among 100 rows the delta method covers .61, so joined .97 (simulated).
    """
    centre, spread, slopes = _half_added(q)
    unseen = np.any([(np.asarray(c) == 0) & (s != 0) for c, s in zip(q.sample.seen, slopes, strict=True)], axis=0)
    if not unseen.any():
        return found
    low, high = on_logit(centre, spread, q.spec.factor())
    outer = found._replace(low=np.fmin(found.low, low), high=np.fmax(found.high, high))
    return found.replaced(unseen, outer.noted(Note("unseen-error")))


def _half_added(q: CountProblem, scale: Any = 1.0) -> tuple[Floats, Any, BinaryCounts]:
    """The metric of the counts (in units of `scale`) with ½ added to each, its variance and its slopes."""
    more = BinaryCounts(*(np.asarray(c) * scale + 0.5 for c in q.sample.seen))
    slopes = binary_gradients(q.metric, more, q.options)
    spread = sum(c * s * s for c, s in zip(more, slopes, strict=True))
    return np.asarray(q.metric.function(more, **q.options)), spread, slopes


@inference_method(
    "delta-log",
    answers="ratio",
    default=Default(why="the logarithm of a ratio is near to normal; ½ is added to each count where one is 0"),
    title="delta method on the log scale",
    formula="θ̂·exp(±z·SE/θ̂)",
    source="Simel, Samsa and Matchar 1991, J. Clin. Epidemiol. 44:763; Woolf 1955, Ann. Hum. Genet. 19:251",
    assumes=WITHIN_CLASSES,
)
def delta_log(q: CountProblem) -> RawLimits:
    """The delta method on the scale of the logarithm."""
    raw_limits = RawLimits.of(on_log(q.sample.estimate, q.sample.variances, _factors(q)), "delta-log")
    return _ratio(q, raw_limits) if q.metric.of_one_class else _spread_or_wilson(q, raw_limits)


def _ratio(q: CountProblem, found: RawLimits) -> RawLimits:
    """A ratio of one class; ½ is added to each count where one is 0."""
    view = q.sample
    if view.kind == "clustered":
        found = one_cluster(found, view.clusters_in(ALL_PARTS))
    if view.kind == "weighted":
        # As many rows of equal weight as the weights leave: heavy rows that are all right hide the spread.
        kish = np.asarray(view.spread_rows(ALL_PARTS), dtype=np.float64)
        centre, spread, _ = _half_added(q, kish / np.asarray(view.seen.total, dtype=np.float64))
        low, high = on_log(centre, spread, _factors(q))
        found = found._replace(low=np.fmin(found.low, low), high=np.fmax(found.high, high))
    lost = np.isnan(found.low) & ~np.isnan(view.estimate)
    if not lost.any():
        return found
    if not view.plain:
        return found.replaced(lost & found.without_note, found.noted(Note("zero-count")))
    centre, spread, _ = _half_added(q)
    low, high = on_log(centre, spread, q.spec.factor())
    # An infinite estimate has no finite upper limit.
    high = np.where(np.isinf(view.estimate), np.inf, high)
    return found.replaced(lost, RawLimits.of((low, high), "haldane-log", Note("half-added")))


def _factors(q: CountProblem) -> Any:
    """How many standard errors to go: Student's t with clusters or sampling weights."""
    if q.sample.kind == "clustered":
        return t_factors(q.spec, q.sample.df)
    if q.sample.kind == "weighted":
        return t_factors(q.spec, np.maximum(np.asarray(q.sample.spread_rows(ALL_PARTS)) - 1, LEAST_DF))
    return q.spec.factor()


def _spread_or_wilson(q: CountProblem, found: RawLimits) -> RawLimits:
    """Limits from a variance; Wilson's at the number of rows (or clusters) where there is none to be seen."""
    view, bounds = q.sample, q.metric.range
    groups = view.clusters_in(ALL_PARTS) if view.kind == "clustered" else None
    lost = np.isnan(found.low) & ~np.isnan(view.estimate)
    if lost.any() and np.isfinite(bounds).all():
        units = view.effective_clusters if groups is not None else view.total
        if view.kind == "weighted":
            units = np.asarray(view.spread_rows(ALL_PARTS), dtype=np.float64)
        pair = at_size(view.estimate, units, q.spec, _factors(q), bounds)
        note = Note("wilson-at-rows", ("rows" if groups is None else "clusters",))
        found = found.replaced(lost, RawLimits.of(pair, "wilson-effective", note))
        if q.metric.chance_corrected and view.plain:
            found = _without_errors(q, found)
    elif lost.any():
        found = found.replaced(lost, found.noted(Note("no-variance")))
    if view.kind == "weighted" and _correlation_range(q):
        found = _with_kish_rows(q, found)
    if groups is not None:
        found = one_cluster(found, groups)
        found = found._replace(note=np.where(found.without_note, each_note("clusters", groups), found.note))
    return found


def _with_kish_rows(q: CountProblem, found: RawLimits) -> RawLimits:
    """The outer limits with Wilson's on the range of a correlation, at no more rows than the weights leave.

    Heavy rows that are all right add next to nothing to the variance: with one row in twenty of weight 40 the delta
    method alone covers .79, Wilson's limits, which balanced accuracy has, .97 (simulated).
    """
    view, bounds = q.sample, q.metric.range
    kish = np.asarray(view.spread_rows(ALL_PARTS), dtype=np.float64)
    place = (view.estimate - bounds[0]) / (bounds[1] - bounds[0])
    size = np.minimum(effective_size(place, view.variances / (bounds[1] - bounds[0]) ** 2, kish, kish), kish)
    low, high = at_size(view.estimate, size, q.spec, _factors(q), bounds)
    return found._replace(low=np.minimum(found.low, low), high=np.maximum(found.high, high))


def _without_errors(q: CountProblem, found: RawLimits) -> RawLimits:
    """MCC or kappa of a table without errors (or without hits): 1 − ε/(1 − Σ share²), ε Wilson's limit of the errors.

    The chance agreement Σ share² is what the margins give; with no errors both metrics fall by this much for each
    error at first.
    """
    t = q.sample.sample.table.classes()
    n = float(t.total)
    right = float(t.hits.sum()) == n
    if not right and q.sample.estimate[0] > -1 + 1e-9:
        return found
    chance = float((t.truth * t.truth).sum()) / (n * n)
    both = q.spec.both_sides
    low, _ = limits([n], [n], "wilson", both.level, both.side)
    # A sample of all hits is mirrored by one of all misses.
    worst = np.maximum(1 - (1 - low) / (1 - chance), -1.0)
    one = np.ones(1)
    return RawLimits.of((worst, one) if right else (-one, -worst), "wilson-agreement", Note("no-errors", (right,)))


@inference_method(
    "mover-wilson",
    answers="mean-of-recalls",
    default=Default(why="", when=lambda q: q.metric.sum_of is not None and q.sample.plain),
    applies=lambda q: q.metric.sum_of is not None and q.sample.plain,
    title="MOVER over Wilson intervals",
    formula="θ̂ − √(ΣΣ w_i·w_j·ρ_ij·(p_i − l_i)(p_j − l_j)), likewise above; l, u Wilson's limits of each "
    "proportion; ρ = 0 where they are of different rows, else by the delta method",
    source=MOVER,
    assumes=WITHIN_CLASSES,
    measured="balanced accuracy .91–.95 (simulated) for two or three classes, where the delta method covers "
    ".65–.94; with 100 classes of 10 rows it would cover .84–.92",
)
def sum_of_two(q: CountProblem) -> RawLimits:
    """MOVER over Wilson's limits of two proportions of different rows."""
    return sum_of_two_limits(q.metric, q.sample.seen, q.sample.estimate, q.spec)


def sum_of_two_limits(measure: Measure, seen: BinaryCounts, estimate: Floats, spec: IntervalSpec) -> RawLimits:
    """The same, from counts."""
    spec = spec.both_sides
    reach = []
    for name in measure.sum_of or ():
        part = find_measure(name)
        assert part.share is not None
        x, n = part.share(seen)
        low, high = limits(x, n, "wilson", spec.level, spec.side)
        p = np.asarray(part.function(seen))
        reach.append((p - low, high - p))
    down, up = (np.sqrt(reach[0][i] ** 2 + reach[1][i] ** 2) for i in (0, 1))
    return RawLimits.of((estimate - down, estimate + up), "mover-wilson")


declare(
    Method(
        key="haldane-log",
        title="delta method on the log scale with ½ added to each count",
        formula="as delta-log, from TP + ½, FP + ½, FN + ½, TN + ½; open above where the estimate is infinite",
        source="Haldane 1956, Ann. Hum. Genet. 20:309; Anscombe 1956, Biometrika 43:461",
        assumes=WITHIN_CLASSES,
    ),
    Method(
        key="wilson-effective",
        title="Wilson score interval where the counts show no variance",
        formula="Wilson's limits of the place in the range, as a proportion of all rows (or clusters)",
        source="Wilson 1927, JASA 22:209",
        assumes=ROWS,
    ),
    Method(
        key="wilson-agreement",
        title="MCC or kappa of a table without errors",
        formula="1 − ε/(1 − Σ share²), ε = z²/(n + z²), Wilson's limit of the error rate",
        source="Wilson 1927, JASA 22:209, through kappa = 1 − error/(1 − chance)",
        assumes=ROWS,
    ),
)


def one_cluster(found: RawLimits, groups: Any) -> RawLimits:
    """With a single cluster there is nothing to tell from."""
    alone = np.asarray(groups) < 2
    if not alone.any():
        return found
    nothing = np.full(found.low.shape, np.nan)
    return found.replaced(alone, found._replace(low=nothing, high=nothing).noted(Note("one-cluster")))


def t_factors(spec: IntervalSpec, df: Any) -> Floats:
    """Student's t for each number of degrees of freedom; 1 stands in where there is none to be had."""
    from scipy import special

    safe = np.maximum(np.nan_to_num(np.asarray(df, dtype=np.float64), nan=1.0), LEAST_DF)
    return np.asarray(-special.stdtrit(safe, tail(spec.level, spec.side)), dtype=np.float64)


def each_note(code: str, *values: Any) -> NDArray[np.object_]:
    """A note for each element."""
    flat = [np.asarray(a, dtype=np.float64).reshape(-1) for a in np.broadcast_arrays(*values)]
    notes = np.empty(len(flat[0]), dtype=object)
    notes[:] = [Note(code, tuple(map(float, one))) for one in zip(*flat, strict=True)]
    return notes.reshape(np.broadcast_arrays(*values)[0].shape)


# Views of counts.


def every_class(
    measure: Measure, table: Confusion, clusters: KeyedConfusion | None, options: MetricOptions
) -> CountView:
    """All classes of a table at once, at its own class distribution."""
    if clusters is not None:
        Sample.check_clusters(table, clusters)
        table = clusters.table
    rows = table.classes(weighted=False).one_vs_rest()
    seen = rows
    if table.weight_sums is not None:
        # Weights that cancel leave rounding where there is no row.
        seen = BinaryCounts(
            *(np.where(n > 0, w, 0.0) for n, w in zip(rows, table.classes().one_vs_rest(), strict=True))
        )
    kind: Kind = "clustered" if clusters is not None else "random" if table.weight_sums is None else "weighted"

    @cache
    def by_cluster() -> ClassClusters:
        assert clusters is not None
        return class_cluster_variances(clusters, binary_gradients(measure, seen, options), *play_of(measure))

    def variance() -> Any:
        if clusters is not None:
            return by_cluster().variance
        slopes = binary_gradients(measure, seen, options)
        if kind == "weighted":
            return class_weighted_variances(table, slopes)
        return sum(c * s * s for c, s in zip(seen, slopes, strict=True))

    def groups(parts: Parts) -> Any:
        return rows.total if clusters is None else class_clusters(clusters, parts)

    def spread_rows(parts: Parts) -> Any:
        return _kish_by_class(table, parts) if kind == "weighted" else rows.total

    def worth() -> tuple[Any, Any]:
        return (rows.total, rows.total) if clusters is None else (by_cluster().effective, by_cluster().eventful)

    return CountView(seen, rows, kind, False, _values(measure, seen, options), variance, groups, spread_rows, worth)


def play_of(measure: Measure) -> tuple[Parts | None, Parts | None]:
    """Which of the four counts a metric of one class is made of, and which are the successes of a share.

    >>> play_of(find_measure("recall"))
    ((True, False, True, False), (True, False, False, False))
    >>> play_of(find_measure("balanced_accuracy"))
    (None, None)
    """
    share = measure.share
    if measure.of_one_class and measure.situation == "f1":
        return (True, True, True, False), (True, False, False, False)
    if not measure.of_one_class or share is None:
        return None, None
    return _parts_of_share(share)


@lru_cache(maxsize=256)
def _parts_of_share(share: Share) -> tuple[Parts, Parts]:
    return parts_of(lambda t: share(t)[1]), parts_of(lambda t: share(t)[0])


def view_of_counts(measure: Measure, counts: BinaryCounts, options: MetricOptions) -> CountView:
    """Plain rows, from the four counts of one class or of many."""

    def variance() -> Any:
        slopes = binary_gradients(measure, counts, options)
        return sum(c * s * s for c, s in zip(counts, slopes, strict=True))

    def total(_: Parts) -> Any:
        return counts.total

    return CountView(
        counts, counts, "random", False, _values(measure, counts, options), variance, total, total,
        lambda: (counts.total, counts.total),
    )  # fmt: skip


def view_of_sample(measure: Measure, sample: Sample, options: MetricOptions) -> CountView:
    """A sample's metric, of one class or of all together, as arrays of one element."""
    return (_one_class if measure.of_one_class else _all_classes)(measure, sample, dict(options))


def _one_class(measure: Measure, sample: Sample, options: dict[str, Any]) -> CountView:
    table, positive = sample.table, sample.positive
    # Plain rows are seen as they were counted.
    seen = _as_arrays(table.binary(positive, None if sample.plain else sample.masses()))
    rows = seen if sample.plain else _as_arrays(table.binary(positive, table.counts.astype(np.float64)))

    def variance() -> Any:
        if sample.plain:
            slopes = binary_gradients(measure, seen, options)
            return sum(c * s * s for c, s in zip(seen, slopes, strict=True))
        return np.array([sample.variance(sample.influence(measure, options), in_play())])

    def chosen(parts: Parts) -> Any:
        """Which cells of the rows fall into the given of the four counts."""
        index = table.labels.index(table.positive if positive is None else positive)
        is_true, is_called = table.row == index, table.col == index
        four = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        mask = np.zeros(len(table.row), dtype=bool)
        for wanted, part in zip(parts, four, strict=True):
            if wanted:
                mask |= part
        return mask if sample.place is None else mask[sample.place]

    def groups(parts: Parts) -> Any:
        return occupied(sample.clusters, chosen(parts)) if sample.clusters is not None else sample.rows.n

    def spread_rows(parts: Parts) -> Any:
        mask = chosen(parts)
        if sample.rows.weight_squares is None:
            return float(sample.rows.counts[mask].sum())
        squares = float(sample.rows.weight_squares[mask].sum())
        return float(sample.rows.masses[mask].sum()) ** 2 / squares if squares > 0 else 0.0

    parts, successes = play_of(measure)

    def in_play() -> NDArray[np.bool_] | None:
        # At another class distribution classes weigh otherwise than by their rows.
        mask: NDArray[np.bool_] | None = None if parts is None or sample.shares is not None else chosen(parts)
        return mask

    def worth() -> tuple[Any, Any]:
        if sample.clusters is None:
            return sample.groups, sample.groups
        d, cells = sample.influence(measure, options), in_play()
        effective = sample.effective_groups(d, cells)
        return effective, effective if successes is None else sample.effective_groups(d, cells, chosen(successes))

    estimate = _values(measure, seen, options)
    return CountView(
        seen, rows, sample.kind, sample.shares is not None, estimate, variance, groups, spread_rows, worth, sample
    )


def _all_classes(measure: Measure, sample: Sample, options: dict[str, Any]) -> CountView:
    seen: ClassCounts = sample.table.classes(None if sample.plain else sample.masses())
    rows: ClassCounts = seen if sample.plain else sample.rows.classes(weighted=False)
    if measure.of_all_classes:
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = np.array([float(measure.function(seen, **options))])
    else:
        estimate = np.array([float(sample.value(measure, options))])

    # A share of all rows, such as accuracy, has all of them in play, each alike.
    alike = sample.shares is None and bool(measure.right_or_wrong)
    cells = np.ones(len(sample.rows.row), dtype=bool) if alike else None
    right = sample.rows.row == sample.rows.col if alike else None

    def variance() -> Any:
        return np.array([sample.variance(sample.influence(measure, options), cells)])

    def kish(_: Parts) -> float:
        return kish_rows(sample.rows) if sample.rows.weight_squares is not None else float(sample.rows.n)

    def worth() -> tuple[Any, Any]:
        if sample.clusters is None:
            return sample.groups, sample.groups
        d = sample.influence(measure, options)
        return sample.effective_groups(d, cells), sample.effective_groups(d, cells, right)

    return CountView(
        seen, rows, sample.kind, sample.shares is not None, estimate, variance, lambda _: sample.groups, kish, worth,
        sample,
    )  # fmt: skip


@np.errstate(invalid="ignore", divide="ignore")
def _values(measure: Measure, counts: BinaryCounts, options: MetricOptions) -> Floats:
    return np.asarray(measure.function(counts, **options), dtype=np.float64)


def _as_arrays(counts: BinaryCounts) -> BinaryCounts:
    return BinaryCounts(*(np.array([c], dtype=np.float64) for c in counts))


def _kish_by_class(table: Confusion, parts: Parts) -> Any:
    """(Σw)²/Σw² of each class's rows among the given of its four counts."""
    k = len(table.labels)
    assert table.weight_squares is not None
    hit = table.row == table.col
    called = ~hit & (table.col < k)
    sums = []
    for weights in (table.masses, table.weight_squares):
        tp = np.bincount(table.row[hit], weights=weights[hit], minlength=k)
        fp = np.bincount(table.col[called], weights=weights[called], minlength=k)
        fn = np.bincount(table.row[~hit], weights=weights[~hit], minlength=k)
        four = (tp, fp, fn, float(weights.sum()) - tp - fp - fn)
        sums.append(sum((part for wanted, part in zip(parts, four, strict=True) if wanted), np.zeros(k)))
    return np.where(sums[1] > 0, sums[0] ** 2 / np.where(sums[1] > 0, sums[1], 1.0), 0.0)
