"""How every test here becomes a Contrast: tails, sides, range, the words for a close call, the contrast from the other
side; then many of them at once: adjusted p-values, limits that hold together, groups without a clear difference.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._problem import IntervalSpec, critical_t, critical_z, tail
from trueerror.inputs._arrays import column, plain_numbers
from trueerror.inputs._options import InputError, check_alternative, check_confidence, check_word
from trueerror.results import Alternative, Contrast, Df, Side

Limits = tuple[float, float]

# A difference of two proportions, and a difference of measured numbers.
SHARES: Limits = (-1.0, 1.0)
REALS: Limits = (-math.inf, math.inf)

# The side of the limit that belongs to each alternative.
SIDES: dict[str, Side] = {"two-sided": "two-sided", "greater": "lower", "less": "upper"}

# Of what the true difference is meant.
THESE_MODELS = "these two models, on rows like these"
LEARNERS = "the two learners, at this number of training rows"
SCORES = "the two, over pairs or groups of scores like these"

BORDERLINE = "borderline: the p-value and the interval fall on different sides of the level; the p-value decides"


def tail_area(confidence: float, alternative: Alternative) -> float:
    """α/2 for two sides, α for one."""
    return tail(confidence, SIDES[alternative])


def normal_quantile(confidence: float, alternative: Alternative) -> float:
    """z for the limits: both sides, or one side at the whole confidence.

    >>> round(normal_quantile(0.95, "two-sided"), 3), round(normal_quantile(0.95, "greater"), 3)
    (1.96, 1.645)
    """
    return critical_z(confidence, SIDES[alternative])


def student_quantile(confidence: float, alternative: Alternative, df: float) -> float:
    """t for the limits."""
    return critical_t(confidence, df, SIDES[alternative])


def normal_p(z: float, alternative: Alternative) -> float:
    """The p-value of a statistic that is standard normal when there is no difference.

    >>> round(normal_p(1.96, "two-sided"), 3), round(normal_p(1.96, "greater"), 3), round(normal_p(1.96, "less"), 3)
    (0.05, 0.025, 0.975)
    """
    if alternative == "two-sided":
        return min(1.0, 2 * float(special.ndtr(-abs(z))))
    return float(special.ndtr(-z if alternative == "greater" else z))


def student_p(t: float, df: float, alternative: Alternative) -> float:
    """The p-value of a Student t statistic."""
    if alternative == "two-sided":
        return min(1.0, 2 * float(special.stdtr(df, -abs(t))))
    return float(special.stdtr(df, -t if alternative == "greater" else t))


def check_test_options(confidence: float, alternative: Alternative) -> float:
    """The two options of every test; the confidence as a float."""
    check_alternative(alternative)
    return check_confidence(confidence, one_sided=alternative != "two-sided")


def check_margin(margin: Any, *, smallest: float = 0.0, strictly: bool = True, widest: float = math.inf) -> float:
    """A margin of practical importance; one as wide as the metric's whole range would let anything pass."""
    try:
        value = float(margin)
    except (TypeError, ValueError):
        raise InputError(f"margin={margin!r} is not a number; give the smallest difference that matters") from None
    if not math.isfinite(value) or value < smallest or (strictly and value == smallest):
        raise InputError(f"margin={margin!r} must be {'above' if strictly else 'at least'} {smallest:g}")
    if value >= widest:
        raise InputError(
            f"margin={margin!r} is as wide as the whole range, so anything would pass; is {value / 100:g} meant, "
            f"{value:g} points of 100?"
        )
    return value


def contrast(
    *,
    estimate: float,
    limits: Limits,
    confidence: float,
    alternative: Alternative,
    method: str,
    p_value: float,
    statistic: float,
    whole: Limits = SHARES,
    df: Df = None,
    n: float | None = None,
    notes: tuple[str, ...] = (),
    p_better: float | None = None,
    p_at_most: bool = False,
    undone_by: float | None = None,
    name: str = "difference",
    first: str = "first",
    second: str = "second",
    null: float | None = 0.0,
    estimand: str = "",
) -> Contrast:
    """Limits are cut to the range and to the side of the alternative, and always hold the estimate.

    A p-value that underflows is written as the smallest normal float: tiny, never 0. `null` is the difference that
    the test is against, None where p-value and limits cannot disagree. `p_at_most`: replicates, or a
    search, could show no smaller p.
    """
    low, high = limits
    low, high = max(low, whole[0]), min(high, whole[1])
    if alternative == "greater":
        high = whole[1]
    elif alternative == "less":
        low = whole[0]
    elif not math.isnan(estimate):
        # Shrinkage methods can miss their own estimate at low confidence; rounding can by a hair.
        low, high = min(low, estimate), max(high, estimate)
    if p_value == 0:
        p_value = sys.float_info.min
    if null is not None and _disagree(low - null, high - null, p_value, confidence):
        notes = (*notes, BORDERLINE)
    return Contrast(
        name=name, first=first, second=second, estimate=estimate, low=low, high=high, confidence=confidence,
        side=SIDES[alternative], method=method, n=n, note="; ".join(note for note in notes if note),
        statistic=statistic, df=df, p_value=p_value, alternative=alternative, p_better=p_better,
        p_at_most=p_at_most or None, undone_by=undone_by, estimand=estimand,
    )  # fmt: skip


def _disagree(low: float, high: float, p_value: float, confidence: float) -> bool:
    if math.isnan(low) or math.isnan(high) or math.isnan(p_value):
        return False
    excludes_zero = low > 0 or high < 0
    return excludes_zero != (p_value < 1 - confidence)


def p_better_of_t(statistic: float, df: float, higher_is_better: bool | None) -> float:
    """A flat-prior posterior probability that the first is better."""
    ahead = float(special.stdtr(df, statistic))
    return ahead if higher_is_better is not False else 1 - ahead


def limits_without_spread(estimate: float, units: float, spec: IntervalSpec, whole: Limits) -> Limits:
    """All units agree: as far as t² more of them could move the mean."""
    t = student_quantile(spec.confidence, spec.alternative, units - 1)
    half = t * t / (units + t * t) * whole[1]
    return estimate - half, estimate + half


def t_contrast(
    estimate: float, error: float, df: float, spec: IntervalSpec, *, method: str, n: float, whole: Limits = REALS,
    note: str = "", estimand: str = "", higher_is_better: bool | None = True,
) -> Contrast:  # fmt: skip
    """A difference with its standard error: d ± t(df)·SE, and the p-value of t = d/SE."""
    half, statistic = student_quantile(spec.confidence, spec.alternative, df) * error, estimate / error
    return contrast(
        estimate=estimate, limits=(estimate - half, estimate + half), whole=whole, confidence=spec.confidence,
        alternative=spec.alternative, method=method, n=n, statistic=statistic, df=df, estimand=estimand, notes=(note,),
        p_value=student_p(statistic, df, spec.alternative), p_better=p_better_of_t(statistic, df, higher_is_better),
    )  # fmt: skip


def one_cluster_contrast(estimate: float, whole: Limits, n: int, spec: IntervalSpec) -> Contrast:
    """One cluster alone shows no spread."""
    return contrast(
        estimate=estimate, limits=(math.nan, math.nan), p_value=math.nan, statistic=math.nan, whole=whole,
        confidence=spec.confidence, alternative=spec.alternative, method="cluster-t-difference", n=n,
        notes=("one cluster alone shows no spread between clusters",),
    )  # fmt: skip


def alike_within(c: Contrast, margin: float) -> Contrast:
    """Two one-sided tests of a contrast against ±margin, by the standard errors that its limits imply.

    Each looks towards its own end of the margin, so it takes the limit on that side. For t and normal intervals this is
    the usual test (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657); skewed ones keep their skew.
    """
    df = c.df if isinstance(c.df, float) else math.inf
    quantile = float(special.stdtrit(df, 0.5 + c.confidence / 2)) if math.isfinite(df) else float(
        special.ndtri(0.5 + c.confidence / 2)
    )  # fmt: skip
    inside = ((c.estimate + margin, c.estimate - c.low), (margin - c.estimate, c.high - c.estimate))
    t = min(slack / reach * quantile if reach > 0 else math.nan for slack, reach in inside)
    p = float(special.stdtr(df, -t)) if math.isfinite(df) else float(special.ndtr(-t))
    return replace(c, name=f"equivalence within ±{margin:g}", p_value=p, statistic=t, p_adjusted=None, p_at_most=None)


ALTERNATIVES: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
OTHER_SIDE: dict[str, Side] = {"lower": "upper", "upper": "lower"}
# Statistics that are a count of rows which only the first has right.
COUNTS_OF_ROWS = ("mcnemar-mid-p", "mcnemar-exact")
# Squares, the same either way round.
SQUARES = ("mcnemar-chi2", "mcnemar-chi2-cc")


def mirrored(c: Contrast, *, untied: int | None = None) -> Contrast:
    """The contrast that the same test gives when first and second change places.

    Differences, limits and signed statistics turn their sign, and no 0 becomes −0. A count of what speaks for the first
    becomes the count of what speaks for the second: of McNemar's b + c rows those that only the second has right, of
    `untied` differences the losses (sign test) or the ranks of the losses (Wilcoxon).

    >>> from trueerror.inference.proportion._paired import mcnemar
    >>> there = mcnemar(16, 6, both_right=100, both_wrong=39)
    >>> back = mirrored(there)
    >>> there.statistic, back.statistic, back.estimate == -there.estimate
    (16.0, 6.0, True)
    """
    return replace(
        c, first=c.second, second=c.first, estimate=0.0 - c.estimate, low=0.0 - c.high, high=0.0 - c.low,
        side=OTHER_SIDE.get(c.side, c.side), statistic=_statistic(c, untied), alternative=ALTERNATIVES[c.alternative],
        p_better=None if c.p_better is None else 1 - c.p_better,
    )  # fmt: skip


def _statistic(c: Contrast, untied: int | None) -> float:
    if c.method in SQUARES:
        return c.statistic
    if c.method in COUNTS_OF_ROWS:
        # The estimate is (b − c)/n, so b less n times it is c.
        gap = c.estimate * (c.n or 0)
        return c.statistic - round(gap) if math.isfinite(gap) else math.nan
    if c.method == "sign":
        return math.nan if untied is None else untied - c.statistic
    if c.method == "wilcoxon":
        return math.nan if untied is None else untied * (untied + 1) / 2 - c.statistic
    return 0.0 - c.statistic


Floats = NDArray[np.float64]
Adjustment = Literal["holm", "hochberg", "hommel", "bonferroni", "sidak", "holm-sidak", "bh", "by", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)


def adjust(p_values: Any, method: Adjustment = "holm") -> Floats:
    """Adjusted p-values: reject where one is at most the level. NaN stays NaN and does not count.

    With the m p-values sorted, Holm takes the running maximum of (m − i + 1)·p₍ᵢ₎, so its level changes from step to
    step; Hochberg the running minimum of the same from the largest down; Hommel closes Simes' test; "bh" the running
    minimum of m·p₍ᵢ₎/i (false discovery rate), "by" the same times Σ 1/i for any dependence.

    Source: Holm 1979, Scand. J. Stat. 6:65; Hochberg 1988 and Hommel 1988, Biometrika 75:800 and 75:383; Benjamini and
    Hochberg 1995, JRSS B 57:289; Benjamini and Yekutieli 2001, Ann. Stat. 29:1165.

    >>> adjust([0.01, 0.02, 0.03, 0.04]).tolist()
    [0.04, 0.06, 0.06, 0.06]
    """
    check_word(method, ADJUSTMENTS, "method")
    given = _probabilities(p_values)
    known = ~np.isnan(given)
    p = given[known]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(_STEPS[method](p[order]), 1.0) if len(p) else p
    result = np.full(len(given), np.nan)
    result[known] = adjusted
    return result


def adjust_contrasts(contrasts: Sequence[Contrast], method: str, *, every: bool = False) -> list[Contrast]:
    """The same contrasts with their p-values adjusted for each other; a single one needs no adjusting.

    With `every`, a single one has an adjusted p-value too (its own), and one without a p-value counts as 1.
    """
    if method == "none" or not contrasts or (len(contrasts) < 2 and not every):
        return list(contrasts)
    given = [1.0 if every and math.isnan(c.p_value) else c.p_value for c in contrasts]
    values = adjust(given, method)  # type: ignore[arg-type]
    return [replace(c, p_adjusted=None if p != p else float(p)) for c, p in zip(contrasts, values, strict=True)]


def adjust_shaffer(p_values: Any, models: int) -> Floats:
    """Shaffer's static procedure for all pairs of `models`: Holm that knows which sets of pairs can be true together.

    Step i multiplies by the most hypotheses that can still be true when i − 1 are false: if a differs from b, then c
    cannot equal both.

    Source: Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677.

    >>> adjust_shaffer([0.01, 0.02, 0.03], 3).tolist()
    [0.03, 0.03, 0.03]
    """
    p = _probabilities(p_values)
    pairs = models * (models - 1) // 2
    if len(p) != pairs:
        raise InputError(f"{models} models have {pairs} pairs, but there are {len(p)} p-values")
    if np.isnan(p).any():
        raise InputError(f"p-value {int(np.argmax(np.isnan(p))) + 1} is NaN; Shaffer's procedure needs every pair")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * shaffer_multipliers(models)), 1.0)
    return adjusted


def shaffer_multipliers(models: int) -> NDArray[np.int64]:
    """For each step the most pairs of equal models that are possible when the earlier pairs differ.

    >>> shaffer_multipliers(5).tolist()
    [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    """
    pairs = models * (models - 1) // 2
    possible = np.array(sorted(true_pair_counts(models)))
    left = np.arange(pairs, 0, -1)
    return possible[np.searchsorted(possible, left, side="right") - 1]


@cache
def true_pair_counts(models: int) -> frozenset[int]:
    """How many of the pairs can be equal: S(k) = ∪ⱼ {j(j − 1)/2 + x : x ∈ S(k − j)}.

    Equal models form groups, and a group of j has j(j − 1)/2 equal pairs.

    >>> sorted(true_pair_counts(4))
    [0, 1, 2, 3, 6]
    """
    if models < 2:
        return frozenset({0})
    for size in range(2, models):
        true_pair_counts(size)  # from the bottom, so that the recursion stays shallow
    return frozenset(
        group * (group - 1) // 2 + rest for group in range(1, models + 1) for rest in true_pair_counts(models - group)
    )


# Draws of the joint distribution: a level of .05 is met to ±.002.
DRAWS = 20_000
BLOCK = 2_000_000
FEW_DRAWS = 50
# As far as limits are inverted, in standard errors, and where the p-values of such a search end: 2.6e-12.
FURTHEST = 7.0
SEARCHED_P = 2 * float(special.ndtr(-FURTHEST))


def with_anchor(
    contrasts: Sequence[Contrast], anchor: str, *, chosen: bool, whole: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Contrast, ...]:
    """Each model less `anchor`, with limits and p-values that hold together for all of these differences.

    A pair's zᵢ is as far out in the normal distribution as 0 is in the one that its limits were made with, Student's t
    with its own degrees of freedom where it has some. An anchor that was `chosen` as the best of these models pays for
    having been picked: all pairs are among the `contrasts`, their variances V give the covariances of the models'
    estimates (−½V, centred in rows and columns), and Z is the largest z of the best model of each draw from N(0, Σ),
    which is what luck makes of equal models. p = P(Z ≥ zᵢ), no lower than the pair's own p-value and no higher than
    Bonferroni's over all pairs. An anchor named beforehand is compared with k − 1 others, and
    p = 1 − (1 − pᵢ)^(k − 1). Models that differ are set aside and the others judged among themselves, until none is
    set aside. Limits are the pair's own, stretched to the quantile of its step: they leave 0 out just where
    p ≤ 1 − confidence, but for a pair whose own p-value and limits disagree.

    Source: Hsu 1996, Multiple Comparisons, ch. 4 (comparisons with the best); Westfall and Young 1993, Resampling-Based
    Multiple Testing (max-T); Hansen, Lunde and Nason 2011, Econometrica 79:453; Šidák 1967, JASA 62:626.

    >>> from trueerror.inference.proportion._paired import mcnemar
    >>> pairs = [("a", "b", 30, 10), ("a", "c", 25, 15), ("b", "c", 14, 24)]
    >>> made = [replace(mcnemar(x, y, n=200), first=f, second=s) for f, s, x, y in pairs]
    >>> for c in with_anchor(made, "a", chosen=True):
    ...     print(c.first, round(c.p_value, 3), round(c.p_adjusted, 2), round(c.low, 3), round(c.high, 3))
    b 0.001 0.0 -0.176 -0.028
    c 0.117 0.12 -0.114 0.012
    """
    differences = [c if c.second == anchor else mirrored(c) for c in contrasts if anchor in (c.first, c.second)]
    left = [c for c in differences if _limits_known(c)]
    if len(differences) < 2 or not left:
        return tuple(differences)
    level = left[0].confidence
    settled: dict[str, Contrast] = {}
    least = 0.0
    while left:
        out = [_normal_score(c) for c in left]
        if chosen:
            critical, values = _of_the_best(contrasts, anchor, left, out, level)
        else:
            critical = float(-special.ndtri(-math.expm1(math.log(level) / len(left)) / 2))
            values = [float(_at_least_one(np.array(_beyond(z)), len(left))) for z in out]
        values = [max(p, c.p_value, least) for p, c in zip(values, left, strict=True)]
        stretched = [_stretched(c, p, critical, whole) for c, p in zip(left, values, strict=True)]
        apart = [c for c, z in zip(stretched, out, strict=True) if z >= critical]
        # The next step is judged among those that are left, and made without those that are not.
        for c in apart or stretched:
            settled[c.first] = c
        least = max([least, *(c.p_adjusted or 0.0 for c in apart)])
        left = [c for c in left if c.first not in settled]
    return tuple(settled.get(c.first, c) for c in differences)


def _of_the_best(
    contrasts: Sequence[Contrast], anchor: str, left: Sequence[Contrast], out: Sequence[float], level: float
) -> tuple[float, list[float]]:
    """The quantile of what luck makes of the best of these models, and p-values by it."""
    single = float(-special.ndtri((1 - level) / 2))
    if len(left) == 1:
        return single, [_beyond(out[0])]
    luck = _luck_of_the_best(contrasts, [anchor, *(c.first for c in left)])
    critical = max(float(luck[min(math.ceil(level * len(luck)), len(luck) - 1)]), single)
    pairs = (len(left) + 1) * len(left) / 2
    values = []
    for z, above in zip(out, len(luck) - np.searchsorted(luck, out, side="left"), strict=True):
        # Where draws are too few to show so small a chance, Bonferroni's bound says more.
        bound = pairs * _beyond(z) if above < FEW_DRAWS else 1.0
        values.append(min(max(int(above), 1) / len(luck), bound))
    return critical, values


def _limits_known(c: Contrast) -> bool:
    return all(map(math.isfinite, (c.estimate, c.low, c.high))) and c.low < c.high and c.alternative == "two-sided"


def _beyond(z: float) -> float:
    """The area beyond ±z."""
    return float(2 * special.ndtr(-z))


def _df(c: Contrast) -> float:
    """Of the t that a pair's limits are made with; infinite where it is normal."""
    return c.df if isinstance(c.df, float) and c.df > 0 and c.method not in SQUARES else math.inf


def _quantile(c: Contrast, z: float) -> float:
    """As far out as z in the distribution that a pair's limits are made with."""
    return -float(special.stdtrit(_df(c), float(special.ndtr(-z))))


def _own_quantile(c: Contrast) -> float:
    return _quantile(c, float(-special.ndtri((1 - c.confidence) / 2)))


def _normal_score(c: Contrast) -> float:
    """How far 0 lies from the estimate, by the limit on that side, as a quantile of the normal distribution."""
    arm = c.estimate - c.low if c.estimate > 0 else c.high - c.estimate
    if c.estimate == 0 or not arm > 0:
        return 0.0 if c.estimate == 0 else math.inf
    return -float(special.ndtri(float(special.stdtr(_df(c), -_own_quantile(c) * abs(c.estimate) / arm))))


def _stretched(c: Contrast, p: float, critical: float, whole: tuple[float, float]) -> Contrast:
    """The limits at another quantile."""
    more = max(_quantile(c, critical) / _own_quantile(c) - 1.0, 0.0)
    low, high = (limit + more * (limit - c.estimate) for limit in (c.low, c.high))
    return replace(c, low=max(low, whole[0]), high=min(high, whole[1]), p_adjusted=p)


def _luck_of_the_best(contrasts: Sequence[Contrast], models: Sequence[str]) -> Floats:
    """The largest z between the best and any other of equal models, sorted, over draws."""
    place, k = {m: i for i, m in enumerate(models)}, len(models)
    variance = np.full((k, k), np.nan)
    np.fill_diagonal(variance, 0.0)
    for c in contrasts:
        if c.first in place and c.second in place and _limits_known(c):
            i, j = place[c.first], place[c.second]
            variance[i, j] = variance[j, i] = ((c.high - c.low) / (2 * _own_quantile(c))) ** 2
    variance[np.isnan(variance)] = np.nanmax(variance)
    centred = variance - variance.mean(axis=0) - variance.mean(axis=1)[:, None] + variance.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    error = np.sqrt(np.maximum(((root[:, None] - root[None]) ** 2).sum(axis=2), 1e-300))
    rng, maxima = np.random.default_rng(0), []
    step = max(1, BLOCK // k)
    for start in range(0, DRAWS, step):
        drawn = rng.standard_normal((min(step, DRAWS - start), k)) @ root.T
        best = drawn.argmax(axis=1)
        # Model by model: rows of so few numbers take their time.
        by_model = np.ascontiguousarray(drawn.T)
        gap = by_model.max(axis=0) - by_model
        z = np.divide(gap, error.take(best, axis=1), out=np.zeros_like(gap), where=gap > 1e-12)
        maxima.append(np.max(z, axis=0))
    return np.sort(np.concatenate(maxima))


def _probabilities(p_values: Any) -> Floats:
    array = np.asarray([p_values]) if isinstance(p_values, int | float) else column(p_values, "p_values")
    p = plain_numbers(array, "p_values")
    wrong = (p < 0) | (p > 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"p_values has {p[i]:g} at place {i + 1}; a p-value lies between 0 and 1")
    return p


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _hochberg(p: Floats) -> Floats:
    return _step_up(p * np.arange(len(p), 0, -1))


def _hommel(p: Floats) -> Floats:
    """For every set size s, Simes' test of the largest that contains each hypothesis; O(m²)."""
    m = len(p)
    ranks = np.arange(1, m + 1)
    adjusted = np.full(m, np.min(m * p / ranks))
    for size in range(m - 1, 1, -1):
        upper = p[m - size + 1 :]
        simes = np.min(size * upper / np.arange(2, size + 1))
        bound = np.empty(m)
        bound[: m - size + 1] = np.minimum(size * p[: m - size + 1], simes)
        bound[m - size + 1 :] = bound[m - size]
        np.maximum(adjusted, bound, out=adjusted)
    return np.maximum(adjusted, p)


def _sidak(p: Floats) -> Floats:
    return _at_least_one(p, len(p))


def _holm_sidak(p: Floats) -> Floats:
    return np.maximum.accumulate(_at_least_one(p, np.arange(len(p), 0, -1)))


def _at_least_one(p: Floats, times: Any) -> Floats:
    """1 − (1 − p)^times without losing small p."""
    with np.errstate(divide="ignore"):
        out: Floats = -np.expm1(times * np.log1p(-p))
    return out


def _bh(p: Floats) -> Floats:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)))


def _by(p: Floats) -> Floats:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)) * (1 / np.arange(1, len(p) + 1)).sum())


def _step_up(p: Floats) -> Floats:
    return np.minimum.accumulate(p[::-1])[::-1]


_STEPS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bonferroni": lambda p: p * len(p),
    "sidak": _sidak,
    "holm-sidak": _holm_sidak,
    "bh": _bh,
    "by": _by,
    "none": lambda p: p,
}


def groups_not_told_apart(order: Sequence[str], apart: set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The largest sets in which no two members differ clearly, in the order of their best members.

    These are the maximal cliques of the graph of pairs without a clear difference (Bron and Kerbosch 1973, with a
    pivot); with a critical difference they are the stretches of the rank line that it spans.

    >>> groups_not_told_apart(["a", "b", "c"], {frozenset("ac")})
    (('a', 'b'), ('b', 'c'))
    """
    place = {name: i for i, name in enumerate(order)}
    near = {a: {b for b in order if b != a and frozenset((a, b)) not in apart} for a in order}
    groups: list[tuple[str, ...]] = []

    def grow(group: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            groups.append(tuple(sorted(group, key=place.__getitem__)))
            return
        pivot = max(candidates | done, key=lambda name: (len(near[name] & candidates), -place[name]))
        for name in sorted(candidates - near[pivot], key=place.__getitem__):
            grow(group | {name}, candidates & near[name], done & near[name])
            candidates = candidates - {name}
            done = done | {name}

    grow(set(), set(order), set())
    return tuple(sorted(groups, key=lambda group: [place[name] for name in group]))
