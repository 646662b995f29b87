"""Many contrasts at once: adjusted p-values, limits that hold together, groups without a clear difference."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import REALS, Limits, alike_within, df_of_limits, mirrored, statistic_of
from trueerror.inference._problem import critical_t, critical_z
from trueerror.inference.proportion._paired import equivalence, mcnemar_test
from trueerror.inputs._arrays import Floats, column, plain_numbers
from trueerror.inputs._options import InputError, check_word
from trueerror.kernels._threads import PIECE, parts
from trueerror.results import Contrast
from trueerror.results._values import significantly_different
from trueerror.tallies import Discordance

Adjustment = Literal["holm", "hochberg", "hommel", "bonferroni", "sidak", "holm-sidak", "bh", "by", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)
SOUND_FORMS: tuple[Literal["mid-p", "exact", "chi2"], ...] = ("mid-p", "exact", "chi2")


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
    return np.minimum(_in_order(_probabilities(p_values), _STEPS[method]), 1.0)


def _in_order(given: Floats, step: Callable[[Floats], Floats]) -> Floats:
    """What a step makes of the sorted p-values, each in its place; it may exceed 1, and NaN stays NaN."""
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    result = np.full(len(given), np.nan)
    result[order] = step(given[order])
    return result


def adjust_contrasts(
    contrasts: Sequence[Contrast], method: str, *, every: bool = False, whole: Limits = REALS
) -> list[Contrast]:
    """The same contrasts with p-values and limits adjusted for each other; a single one needs no adjusting.

    Limits are the contrast's own, stretched to the level at which its p-value decides: α·p/p_adjusted. Those that are
    not set aside share the level of the nearest to it, so that limits leave 0 out just where the adjusted p-value is at
    or below α (for Holm: Strassburger and Bretz 2008, Stat. Med. 27:4914, without their bounds at 0). With `every`, a
    single one has an adjusted p-value too (its own), and one without a p-value counts as 1.
    """
    alone = [c.alone() for c in contrasts]
    if method == "none" or not alone or (len(alone) < 2 and not every):
        return alone
    given = np.array([c.p_value for c in alone])
    given = np.where(every & np.isnan(given), 1.0, given)
    values = _in_order(_probabilities(np.maximum(given, sys.float_info.min)), _STEPS[method])
    part = given / values
    open_ = values > 1 - alone[0].confidence + 1e-12
    part = np.where(open_, part[np.argmin(np.where(open_, given, np.inf))], part)
    return [
        c if math.isnan(p) else _at_level(replace(c, p_adjusted=min(float(p), 1.0)), (1 - c.confidence) * share, whole)
        for c, p, share in zip(alone, values, part, strict=True)
    ]


def adjust_shaffer(p_values: Any, models: int) -> Floats:
    """Shaffer's static procedure for all pairs of `models`: Holm that knows which sets of pairs can be true together.

    Step i multiplies by the most hypotheses that can still be true when i − 1 are false: if a differs from b, then c
    cannot equal both.

    Source: Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677.

    >>> adjust_shaffer([0.01, 0.02, 0.03], 3).tolist()
    [0.03, 0.03, 0.03]
    """
    p = _probabilities(p_values)
    return np.minimum(_in_order(p, lambda ordered: _step_down(ordered * shaffer_multipliers(models))), 1.0)


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


def with_anchor(
    contrasts: Sequence[Contrast], anchor: str, *, chosen: bool, whole: Limits = REALS
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
    contrasts = [c.alone() for c in contrasts]
    left = [c.alone() for c in differences if limits_known(c)]
    if len(differences) < 2 or not left:
        return tuple(differences)
    level = left[0].confidence
    settled: dict[str, Contrast] = {}
    least = 0.0
    while left:
        out = [normal_score(c) for c in left]
        # The quantile that all of so many pairs keep to with the probability `level`, and p-values by it.
        sidak = float(-special.ndtri(-math.expm1(math.log(level) / len(out)) / 2))
        of_pairs = sidak, _at_least_one(_beyond(out), len(out)).tolist()
        critical, values = _of_the_best(contrasts, anchor, out, left) if chosen else of_pairs
        values = [max(p, c.p_value, least) for p, c in zip(values, left, strict=True)]
        tail = float(2 * special.ndtr(-critical))
        stretched = [_at_level(replace(c, p_adjusted=p), tail, whole) for c, p in zip(left, values, strict=True)]
        apart = [c for c, z in zip(stretched, out, strict=True) if z >= critical]
        # The next step is judged among those that are left, and made without those that are not.
        for c in apart or stretched:
            settled[c.first] = c
        least = max([least, *(c.p_adjusted or 0.0 for c in apart)])
        left = [c for c in left if c.first not in settled]
    return tuple(settled.get(c.first, c) for c in differences)


def _of_the_best(
    contrasts: Sequence[Contrast], anchor: str, out: Sequence[float], left: Sequence[Contrast]
) -> tuple[float, list[float]]:
    """The quantile of what luck makes of the best of these models, and p-values by it; at most Bonferroni's."""
    level, pairs = left[0].confidence, (len(left) + 1) * len(left) / 2
    bonferroni, bounds = critical_z(1 - (1 - level) / pairs), pairs * _beyond(out)
    if len(left) == 1:
        return bonferroni, bounds.tolist()
    luck = _luck_of_the_best(contrasts, [anchor, *(c.first for c in left)])
    drawn = float(luck[min(math.ceil(level * DRAWS), DRAWS - 1)])
    above = np.maximum(DRAWS - np.searchsorted(luck, out, side="left"), 1) / DRAWS
    return max(min(drawn, bonferroni), critical_z(level)), np.minimum(above, bounds).tolist()


def limits_known(c: Contrast) -> bool:
    """Whether a contrast has two limits apart."""
    return all(map(math.isfinite, (c.estimate, c.low, c.high))) and c.low < c.high and c.alternative == "two-sided"


def _beyond(z: Sequence[float]) -> Floats:
    """The area beyond ±z."""
    out: Floats = 2 * special.ndtr(-np.asarray(z))
    return out


def normal_score(c: Contrast) -> float:
    """How far 0 lies from the estimate, by the limit on that side, as a quantile of the normal distribution."""
    arm = c.estimate - c.low if c.estimate > 0 else c.high - c.estimate
    if c.estimate == 0 or not arm > 0:
        return 0.0 if c.estimate == 0 else math.inf
    df = df_of_limits(c)
    return -float(special.ndtri(float(special.stdtr(df, -critical_t(c.confidence, df) * abs(c.estimate) / arm))))


def _at_level(c: Contrast, level: float, whole: Limits) -> Contrast:
    """The limits at another level than their own, by the distribution that they are made with."""
    df = df_of_limits(c)
    more = max(critical_t(1 - level, df, c.side) / critical_t(c.confidence, df, c.side) - 1.0, 0.0)
    low, high = (x if math.isinf(x) else x + more * (x - c.estimate) for x in (c.low, c.high))
    low = c.low if c.side == "upper" else max(low, whole[0])
    high = c.high if c.side == "lower" else min(high, whole[1])
    return replace(c, low=low, high=high, low_alone=c.low, high_alone=c.high)


def _luck_of_the_best(contrasts: Sequence[Contrast], models: Sequence[str]) -> Floats:
    """The largest z between the best and any other of equal models, sorted, over draws."""
    place, k = {m: i for i, m in enumerate(models)}, len(models)
    variance = np.full((k, k), np.nan)
    np.fill_diagonal(variance, 0.0)
    for c in contrasts:
        if c.first in place and c.second in place and limits_known(c):
            i, j = place[c.first], place[c.second]
            variance[i, j] = variance[j, i] = (c.width / (2 * critical_t(c.confidence, df_of_limits(c)))) ** 2
    variance[np.isnan(variance)] = np.nanmax(variance)
    centred = variance - variance.mean(axis=0) - variance.mean(axis=1)[:, None] + variance.mean()
    values, vectors = np.linalg.eigh(-0.5 * centred)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    error = np.sqrt(np.maximum(((root[:, None] - root[None]) ** 2).sum(axis=2), 1e-300))
    rng, maxima = np.random.default_rng(0), []
    for part in parts(DRAWS, min(DRAWS, -(-DRAWS * k // PIECE))):
        drawn = rng.standard_normal((part.stop - part.start, k)) @ root.T
        best = drawn.argmax(axis=1)
        # Model by model: rows of so few numbers take their time.
        by_model = np.ascontiguousarray(drawn.T)
        gap = by_model.max(axis=0) - by_model
        z = np.divide(gap, error.take(best, axis=1), out=np.zeros_like(gap), where=gap > 1e-12)
        maxima.append(z.max(axis=0))
    return np.sort(np.concatenate(maxima))


def _probabilities(p_values: Any) -> Floats:
    array = np.asarray([p_values]) if isinstance(p_values, int | float) else column(p_values, "p_values")
    p = plain_numbers(array, "p_values")
    wrong = (p < 0) | (p > 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"p_values has {p[i]:g} at place {i + 1}; a p-value lies between 0 and 1")
    return p


def _step_down(p: Floats) -> Floats:
    return np.maximum.accumulate(p)


def _step_up(p: Floats) -> Floats:
    return np.minimum.accumulate(p[::-1])[::-1]


def _left(p: Floats) -> NDArray[np.int64]:
    """How many hypotheses each step still has: m, m − 1, …, 1."""
    return np.arange(len(p), 0, -1)


def _bh(p: Floats) -> Floats:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)))


def _hommel(p: Floats) -> Floats:
    """For every set size s, Simes' test of the largest that contains each hypothesis; O(m²)."""
    m = len(p)
    ranks = np.arange(1, m + 1)
    adjusted = np.full(m, np.min(m * p / ranks, initial=np.inf))
    for size in range(m - 1, 1, -1):
        first = m - size + 1
        simes = np.min(size * p[first:] / ranks[1:size])
        bound = np.minimum(size * p[:first], simes)
        np.maximum(adjusted[:first], bound, out=adjusted[:first])
        np.maximum(adjusted[first:], bound[-1], out=adjusted[first:])
    return np.maximum(adjusted, p)


def _at_least_one(p: Floats, times: Any) -> Floats:
    """1 − (1 − p)^times without losing small p."""
    with np.errstate(divide="ignore"):
        out: Floats = -np.expm1(times * np.log1p(-p))
    return out


_STEPS: dict[str, Callable[[Floats], Floats]] = {
    "holm": lambda p: _step_down(p * _left(p)),
    "hochberg": lambda p: _step_up(p * _left(p)),
    "hommel": _hommel,
    "bonferroni": lambda p: p * len(p),
    "sidak": lambda p: _at_least_one(p, len(p)),
    "holm-sidak": lambda p: _step_down(_at_least_one(p, _left(p))),
    "bh": _bh,
    "by": lambda p: _bh(p) * (1 / _left(p)).sum(),
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


def alike_by_pairs(
    c: Contrast, discordance: Mapping[tuple[str, str], Discordance], margin: float, confidence: float
) -> Contrast:
    """Two one-sided tests against ±margin: Tango's score test for shares, else the pair's own standard error."""
    counts = discordance.get((c.first, c.second))
    if counts is not None and statistic_of(c).of_rows:
        test = equivalence(counts.only_first, counts.only_second, n=counts.n, margin=margin, confidence=confidence)
        return replace(test, first=c.first, second=c.second)
    return alike_within(c, margin)


def together_with_best(
    pairs: Sequence[Contrast], order: tuple[str, ...], reference: str | None, adjust: str, reach: float
) -> tuple[Contrast, ...]:
    """Each model − the best one (or the reference), with limits that hold together; only in the usual family."""
    if adjust != "holm" or len(pairs) < 2 or any(c.alternative != "two-sided" for c in pairs):
        return ()
    anchor = reference or order[0]
    with_it = [c for c in pairs if anchor in (c.first, c.second)]
    # Different rows: each model of one sample was compared with those of the other alone.
    if len(with_it) < 2 or (reference is None and len(pairs) < len(order) * (len(order) - 1) / 2):
        return ()
    return with_anchor(pairs, anchor, chosen=reference is None, whole=(-reach, reach))


def groups_of_equals(order: tuple[str, ...], pairs: Sequence[Contrast]) -> tuple[tuple[str, ...], ...]:
    """The largest groups in which no two models differ significantly."""
    # An infinite loss and a finite one need no test to be put into different groups.
    apart = {frozenset((c.first, c.second)) for c in pairs if significantly_different(c) or math.isinf(c.estimate)}
    return groups_not_told_apart(order, apart)


def sound_p_values(c: Contrast, counts: Discordance | None) -> dict[str, float]:
    """The p-values of the sound forms of McNemar's test; none for pairs that were compared otherwise."""
    return {
        form: mcnemar_test(counts.only_first, counts.only_second, form, c.alternative)[1]
        for form in SOUND_FORMS
        if counts is not None and statistic_of(c).of_rows
    }


def straddles(p_values: Mapping[str, float], *, level: float) -> bool:
    """Whether sound tests disagree at the level."""
    return bool(p_values) and min(p_values.values()) <= level < max(p_values.values())
