"""Many p-values at once: adjusted so that the family, or the share of false discoveries, keeps its level.

Differences from one model, the best or one named beforehand, with limits that hold together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import mirrored
from trueerror.inputs._arrays import column, plain_numbers
from trueerror.inputs._options import InputError, check_word
from trueerror.methods._registry import Method, declare
from trueerror.results import Contrast

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
# From so many degrees of freedom on t is taken for normal; up to FEW_DF the spread of pairs is drawn as theirs is made.
MANY_DF = 200.0
FEW_DF = 30.0
BLOCK = 2_000_000
FEW_DRAWS = 50
# p-values above speak of less than about a standard error.
ALMOST_NOTHING = 0.3
MOST_P = 0.99


def with_anchor(
    contrasts: Sequence[Contrast], anchor: str, *, chosen: bool, whole: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[Contrast, ...]:
    """Each model less `anchor`, with limits and p-values that hold together for all of these differences.

    The statistic of a pair is how often the distance to its limit goes into the distance to 0: tᵢ = c₀·|dᵢ|/|dᵢ − lᵢ|,
    c₀ the quantile that the limit l on the side of 0 was made with. An anchor that was `chosen` as the best of these
    models pays for having been picked: all pairs are among the `contrasts`, their variances V give the covariances of
    the models' estimates (−½V, centred in rows and columns), and T is the largest t of the best model of each draw
    from N(0, Σ), which is what luck makes of equal models. p = P(T ≥ tᵢ), no lower than the pair's own p-value and no
    higher than Bonferroni's over all pairs. An anchor named beforehand is compared with k − 1 others, and
    p = 1 − (1 − pᵢ)^(k − 1). Models that differ are set aside and the others judged among themselves, until none is
    set aside. Limits are the pair's own, stretched to the quantile of its step: they leave 0 out just where
    p ≤ 1 − confidence.

    Source: Hsu 1996, Multiple Comparisons, ch. 4 (comparisons with the best); Westfall and Young 1993, Resampling-Based
    Multiple Testing (max-T); Hansen, Lunde and Nason 2011, Econometrica 79:453; Šidák 1967, JASA 62:626.

    >>> from trueerror.inference.proportion._paired import mcnemar
    >>> pairs = [("a", "b", 30, 10), ("a", "c", 25, 15), ("b", "c", 14, 24)]
    >>> made = [replace(mcnemar(x, y, n=200), first=f, second=s) for f, s, x, y in pairs]
    >>> for c in with_anchor(made, "a", chosen=True):
    ...     print(c.first, round(c.p_value, 3), round(c.p_adjusted, 2), round(c.low, 3), round(c.high, 3))
    b 0.001 0.0 -0.176 -0.027
    c 0.117 0.12 -0.114 0.013
    """
    own = [c if c.second == anchor else mirrored(c) for c in contrasts if anchor in (c.first, c.second)]
    left = [c for c in own if _limits_known(c)]
    if len(own) < 2 or not left:
        return tuple(own)
    df, level = _freedom(left), left[0].confidence
    single = _quantile((1 - level) / 2, df)
    found: dict[str, Contrast] = {}
    least = 0.0
    while left:
        reach = [_reach(c, single, df) for c in left]
        if chosen:
            critical, values = _of_the_best(contrasts, anchor, left, reach, df, level)
        else:
            critical = _quantile(-math.expm1(math.log(level) / len(left)) / 2, df)
            values = [float(_at_least_one(np.array(_tails(t, df)), len(left))) for t in reach]
        values = [max(p, c.p_value, least) for p, c in zip(values, left, strict=True)]
        made = [_stretched(c, p, t, critical, whole) for c, p, t in zip(left, values, reach, strict=True)]
        apart = [c for c, t in zip(made, reach, strict=True) if t >= critical]
        # The next step is judged among those that are left, and made without those that are not.
        for c in apart or made:
            found[c.first] = c
        least = max([least, *(c.p_adjusted or 0.0 for c in apart)])
        left = [c for c in left if c.first not in found]
    return tuple(found.get(c.first, c) for c in own)


def _of_the_best(
    contrasts: Sequence[Contrast],
    anchor: str,
    left: Sequence[Contrast],
    reach: Sequence[float],
    df: float,
    level: float,
) -> tuple[float, list[float]]:
    """The quantile of what luck makes of the best of these models, and p-values by it."""
    if len(left) == 1:
        return _quantile((1 - level) / 2, df), [_tails(reach[0], df)]
    luck = _luck_of_the_best(contrasts, [anchor, *(c.first for c in left)], df, level)
    critical = max(float(luck[min(math.ceil(level * len(luck)), len(luck) - 1)]), _quantile((1 - level) / 2, df))
    pairs = (len(left) + 1) * len(left) / 2
    values = []
    for t, above in zip(reach, len(luck) - np.searchsorted(luck, reach, side="left"), strict=True):
        # Where draws are too few to show so small a chance, Bonferroni's bound says more.
        bound = pairs * _tails(t, df) if above < FEW_DRAWS else 1.0
        values.append(min(max(int(above), 1) / len(luck), bound))
    return critical, values


def _limits_known(c: Contrast) -> bool:
    return all(map(math.isfinite, (c.estimate, c.low, c.high))) and c.low < c.high and c.alternative == "two-sided"


def _freedom(contrasts: Sequence[Contrast]) -> float:
    """The fewest degrees of freedom; infinite where all are many, or the method has none."""
    known = [c.df for c in contrasts if isinstance(c.df, float) and c.df > 0]
    return min(known) if len(known) == len(contrasts) and min(known) < MANY_DF else math.inf


def _quantile(tail: float, df: float) -> float:
    return float(-special.ndtri(tail) if math.isinf(df) else -special.stdtrit(df, tail))


def _tails(t: float, df: float) -> float:
    """The area beyond ±t."""
    return float(2 * (special.ndtr(-t) if math.isinf(df) else special.stdtr(df, -t)))


def _reach(c: Contrast, single: float, df: float) -> float:
    """How many standard errors lie between the estimate and 0, by the limit on that side or, where less, the p-value.

    A p-value of a test that is no inversion of the limits counts where it speaks of more than a standard error.
    """
    by_limit = _by_limit(c, single)
    p = c.p_value if c.p_unseen is None else min(max(c.p_value, c.p_unseen), MOST_P)
    by_p = _quantile(max(p, 1e-300) / 2, df) if p < ALMOST_NOTHING or c.p_unseen is not None else math.inf
    return min(by_limit, by_p)


def _by_limit(c: Contrast, single: float) -> float:
    arm = c.estimate - c.low if c.estimate > 0 else c.high - c.estimate
    return single * abs(c.estimate) / arm if arm > 0 else 0.0 if c.estimate == 0 else math.inf


def _stretched(c: Contrast, p: float, t: float, critical: float, whole: tuple[float, float]) -> Contrast:
    """The limits at another quantile: on the side of 0 such that they reach it where t does."""
    single = _quantile((1 - c.confidence) / 2, _freedom([c]))
    near = critical / t * abs(c.estimate) if t > 0 and math.isfinite(t) else math.nan
    low, high = (c.estimate + critical / single * (limit - c.estimate) for limit in (c.low, c.high))
    if c.estimate > 0 and near == near:
        low = c.estimate - near
    elif c.estimate < 0 and near == near:
        high = c.estimate + near
    return replace(c, low=max(low, whole[0]), high=min(high, whole[1]), p_adjusted=p)


def _luck_of_the_best(contrasts: Sequence[Contrast], models: Sequence[str], df: float, level: float) -> Floats:
    """The largest t between the best and any other of equal models, sorted, over draws."""
    place, k = {m: i for i, m in enumerate(models)}, len(models)
    variance = np.full((k, k), np.nan)
    np.fill_diagonal(variance, 0.0)
    arm = 2 * _quantile((1 - level) / 2, df)
    for c in contrasts:
        if c.first in place and c.second in place and _limits_known(c):
            i, j = place[c.first], place[c.second]
            variance[i, j] = variance[j, i] = ((c.high - c.low) / arm) ** 2
    variance[np.isnan(variance)] = np.nanmax(variance)
    centred = variance - variance.mean(axis=0) - variance.mean(axis=1)[:, None] + variance.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    spread = np.maximum(((root[:, None] - root[None]) ** 2).sum(axis=2), 1e-300)
    rng = np.random.default_rng(0)
    folds = round(df) + 1 if df <= FEW_DF else 1
    found = []
    step = max(1, BLOCK // (k * folds))
    for start in range(0, DRAWS, step):
        size = min(step, DRAWS - start)
        drawn = rng.standard_normal((folds, size, k)) @ root.T
        mean = drawn.mean(axis=0)
        best = mean.argmax(axis=1)
        rows = np.arange(size)
        gap = mean[rows, best][:, None] - mean
        if folds > 1:
            error = (drawn[:, rows, best][:, :, None] - drawn).var(axis=0, ddof=1) / folds
        elif math.isinf(df):
            error = spread[best]
        else:
            error = spread[best] * rng.chisquare(df, (size, k)) / df
        found.append(np.max(np.divide(gap, np.sqrt(error), out=np.zeros_like(gap), where=gap > 1e-12), axis=1))
    return np.sort(np.concatenate(found))


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


declare(
    Method(
        key="max-t",
        title="comparisons with the best that hold together",
        formula="p = P(T ≥ t), T the largest t between the best and any other of equal models, over draws from N(0, Σ) "
        "in which the best is picked anew; Σ from the variances of all pairs; models that differ are set aside step by "
        "step; limits stretched to the quantile of T. With a reference: 1 − (1 − p)^(k − 1)",
        source="Hsu 1996, Multiple Comparisons, ch. 4; Westfall and Young 1993; Hansen, Lunde and Nason 2011, "
        "Econometrica 79:453",
        assumes="estimates of the models that are jointly about normal",
        advice="any of equal models is called worse in .02–.06 of samples at .05, and more worse models are found than "
        "by Holm's adjustment over all pairs (simulated)",
    ),
    Method(
        key="holm",
        title="Holm's step-down adjustment",
        formula="running maximum of (m − i + 1)·p₍ᵢ₎",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="nothing about dependence",
    ),
    Method(
        key="hochberg",
        title="Hochberg's step-up adjustment",
        formula="running minimum, from the largest, of (m − i + 1)·p₍ᵢ₎",
        source="Hochberg 1988, Biometrika 75:800",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="hommel",
        title="Hommel's adjustment",
        formula="closed testing with Simes' test",
        source="Hommel 1988, Biometrika 75:383; Wright 1992, Biometrics 48:1005",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="bonferroni",
        title="Bonferroni's adjustment",
        formula="m·p",
        source="Dunn 1961, JASA 56:52",
        assumes="nothing about dependence",
        advice="Holm is never worse",
    ),
    Method(
        key="sidak",
        title="Šidák's adjustment",
        formula="1 − (1 − p)^m",
        source="Šidák 1967, JASA 62:626",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="holm-sidak",
        title="Holm's step-down adjustment with Šidák's levels",
        formula="running maximum of 1 − (1 − p₍ᵢ₎)^(m − i + 1)",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="bh",
        title="Benjamini and Hochberg's false discovery rate",
        formula="running minimum, from the largest, of m·p₍ᵢ₎/i",
        source="Benjamini and Hochberg 1995, JRSS B 57:289",
        assumes="independent or positively dependent p-values; controls the share of false discoveries, not any error",
    ),
    Method(
        key="by",
        title="Benjamini and Yekutieli's false discovery rate",
        formula="running minimum, from the largest, of m·(Σ 1/j)·p₍ᵢ₎/i",
        source="Benjamini and Yekutieli 2001, Ann. Stat. 29:1165",
        assumes="nothing about dependence; controls the share of false discoveries, not any error",
    ),
    part="omnibus",
)
