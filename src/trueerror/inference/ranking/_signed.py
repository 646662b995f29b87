"""Rank tests of paired scores: Wilcoxon's signed ranks, exact with ties, and the sign test."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import (
    REALS,
    SCORES,
    Limits,
    check_test_options,
    contrast,
    normal_p,
    normal_quantile,
    tail_area,
)
from trueerror.inference.proportion._distributions import at_least, at_most
from trueerror.inputs._arrays import paired_numbers
from trueerror.inputs._options import check_word
from trueerror.kernels._numpy import average_ranks
from trueerror.methods._registry import Method, declare
from trueerror.results import Alternative, Contrast

Floats = NDArray[np.float64]
WilcoxonMethod = Literal["auto", "exact", "normal", "normal-cc"]

# Up to here the exact distribution takes a millisecond or so; asked for, it goes on to EXACT_MOST.
EXACT_UP_TO = 100
EXACT_MOST = 1000
# Up to here all pairwise means fit in memory at once.
WALSH_DIRECT = 1500
# Differences nearer than this, beside the scores themselves, are equal: 0.82 − 0.80 and 0.83 − 0.81 are a tie.
ROUNDING = 16 * float(np.finfo(np.float64).eps)


class SignedRanks(NamedTuple):
    """Doubled ranks of the absolute differences that are not 0, and which of these differences are positive."""

    twice: NDArray[np.int64]
    positive: NDArray[np.bool_]

    @property
    def sum_positive(self) -> float:
        """W₊, the rank sum of the positive differences."""
        return int(self.twice[self.positive].sum()) / 2


def wilcoxon(
    first: Any,
    second: Any,
    *,
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    method: WilcoxonMethod = "auto",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Wilcoxon's signed-rank test of paired scores; the estimate is the Hodges–Lehmann median of pairwise means.

    Absolute differences are ranked, ties sharing their mean rank; W₊ sums the ranks of the positive ones. Differences
    of 0 are left out before ranking (zeros="wilcox") or ranked and then left out (zeros="pratt"). The p-value is exact
    for up to 100 differences that are not 0, ties included, by counting all sign patterns; beyond, normal with
    Var = Σ rank²/4 ("normal-cc" corrects for continuity). Differences equal to rounding are ties. The limits are order
    statistics of the pairwise means of all differences. Wilcoxon 1945, Biometrics Bull. 1:80; Pratt 1959, JASA 54:655.

    >>> print(wilcoxon([0.82, 0.79, 0.85, 0.88, 0.80, 0.84, 0.79], [0.80, 0.78, 0.83, 0.85, 0.81, 0.80, 0.77]))
    difference: first − second = +0.020 [0.005, 0.030], 95 % wilcoxon, p = .047, n = 7
    """
    check_word(zeros, ("wilcox", "pratt"), "zeros")
    check_word(method, ("auto", "exact", "normal", "normal-cc"), "method")
    level = check_test_options(confidence, alternative)
    d = _differences(first, second)
    ranks = signed_ranks(d, pratt=zeros == "pratt")
    m = len(ranks.twice)
    exact = method == "exact" or (method == "auto" and m <= EXACT_UP_TO)
    note = ""
    if exact and m > EXACT_MOST:
        exact, note = False, f"more than {EXACT_MOST:,} differences: normal approximation"
    if m == 0:
        p_value = 1.0 if len(d) else math.nan
        note = "no difference is other than 0" if len(d) else "no values"
    elif exact:
        p_value = _exact_p(ranks, alternative)
    else:
        p_value = _normal_p(ranks, alternative, corrected=method == "normal-cc")
    limits, more = _walsh_limits(d, level, alternative)
    return contrast(
        estimate=_walsh_quantile(np.sort(d), 0.5) if len(d) else math.nan, limits=limits, whole=REALS, confidence=level,
        alternative=alternative, method="wilcoxon" if zeros == "wilcox" else "wilcoxon-pratt", p_value=p_value,
        statistic=ranks.sum_positive, n=len(d), notes=(note, more), estimand=SCORES,
    )  # fmt: skip


def sign(first: Any, second: Any, *, confidence: float = 0.95, alternative: Alternative = "two-sided") -> Contrast:
    """The sign test: how often is the first higher? Exact binomial over the differences that are not 0.

    p = 2·P(Bin(m, ½) ≤ min(wins, losses)) for two sides. The statistic is the number of wins; the estimate is the
    median difference with order-statistic limits. Dixon and Mood 1946, JASA 41:557.

    >>> print(sign([5, 6, 7, 8, 9, 9], [4, 4, 6, 5, 8, 9]))
    difference: first − second = +1.000 [0.000, 3.000], 95 % sign, p = .062, n = 6
    """
    level = check_test_options(confidence, alternative)
    d = _differences(first, second)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    m = wins + losses
    greater, less = float(at_least(wins, m, 0.5)), float(at_most(wins, m, 0.5))
    p_value = {"two-sided": min(1.0, 2 * min(greater, less)), "greater": greater, "less": less}[alternative]
    note = ""
    if m == 0:
        p_value, note = (1.0, "no difference is other than 0") if len(d) else (math.nan, "no values")
    limits, more = _median_limits(np.sort(d), level, alternative)
    return contrast(
        estimate=float(np.median(d)) if len(d) else math.nan, limits=limits, whole=REALS, confidence=level,
        alternative=alternative, method="sign", p_value=p_value, statistic=wins, n=len(d), notes=(note, more),
        p_better=float(special.betaincc(wins + 0.5, losses + 0.5, 0.5)), estimand=SCORES,
    )  # fmt: skip


def signed_ranks(d: Floats, *, pratt: bool = False) -> SignedRanks:
    """Ranks of |d|, doubled to stay whole.

    >>> signed_ranks(np.array([2.0, -1.0, 2.0])).twice.tolist()
    [5, 2, 5]
    """
    kept = d[d != 0]
    if pratt:
        twice = 2 * average_ranks(np.abs(d))[d != 0]
    else:
        twice = 2 * average_ranks(np.abs(kept))
    return SignedRanks(np.rint(twice).astype(np.int64), kept > 0)


def _differences(first: Any, second: Any) -> Floats:
    """first − second with rounding error taken out: nearly equal sizes become equal, nearly 0 becomes 0."""
    a, b = paired_numbers(first, second)
    d = a - b
    if not len(d):
        return d
    tolerance = ROUNDING * max(float(np.abs(a).max()), float(np.abs(b).max()))
    size = np.abs(d)
    size[size <= tolerance] = 0.0
    order = np.argsort(size)
    ranked = size[order]
    group = np.cumsum(np.diff(ranked, prepend=ranked[:1]) > tolerance)
    # Each group of ties takes its middle member, so that swapping the models only turns signs.
    starts = np.searchsorted(group, np.arange(group[-1] + 1))
    ends = np.append(starts[1:], len(group))
    merged = np.empty_like(size)
    merged[order] = ranked[(starts + ends - 1) // 2][group]
    return np.copysign(merged, d) + 0.0


def rank_sum_chances(ranks: NDArray[np.int64]) -> Floats:
    """P(sum = s) for s = 0, 1, … when each rank joins the sum with probability ½.

    >>> rank_sum_chances(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    reached = 0
    for rank in ranks.tolist():
        halves = chances[: reached + 1] / 2
        chances[: reached + 1] = halves
        chances[rank : reached + rank + 1] += halves
        reached += rank
    return chances


def _exact_p(ranks: SignedRanks, alternative: Alternative) -> float:
    chances = rank_sum_chances(ranks.twice)
    seen = int(ranks.twice[ranks.positive].sum())
    greater, less = float(chances[seen:].sum()), float(chances[: seen + 1].sum())
    return min(1.0, {"two-sided": 2 * min(greater, less), "greater": greater, "less": less}[alternative])


def _normal_p(ranks: SignedRanks, alternative: Alternative, *, corrected: bool) -> float:
    ranked = ranks.twice / 2
    gap = ranks.sum_positive - float(ranked.sum()) / 2
    if corrected:
        toward = {"two-sided": math.copysign(0.5, gap) if gap else 0.0, "greater": 0.5, "less": -0.5}[alternative]
        gap -= toward
    return normal_p(gap / math.sqrt(float((ranked**2).sum()) / 4), alternative)


def _walsh_limits(d: Floats, level: float, alternative: Alternative) -> tuple[Limits, str]:
    """Order statistics of the n(n + 1)/2 pairwise means, from the exact null distribution or its normal limit."""
    n = len(d)
    tail = tail_area(level, alternative)
    if n == 0:
        return REALS, ""
    total = n * (n + 1) // 2
    if n <= EXACT_UP_TO:
        below = np.cumsum(rank_sum_chances(np.arange(1, n + 1)))
        k = int(np.searchsorted(below, tail, side="right"))
    else:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        k = math.floor(total / 2 - normal_quantile(level, alternative) * spread)
    if k < 1:
        return REALS, f"{n} values cannot give {100 * level:g} % limits"
    ranked = np.sort(d)
    low, high = _walsh_order(ranked, k), _walsh_order(ranked, total + 1 - k)
    return _opened(low, high, ranked)


def _walsh_quantile(ranked: Floats, share: float) -> float:
    total = len(ranked) * (len(ranked) + 1) // 2
    low = math.floor((total - 1) * share)
    high = math.ceil((total - 1) * share)
    return (_walsh_order(ranked, low + 1) + _walsh_order(ranked, high + 1)) / 2


def _walsh_order(ranked: Floats, k: int) -> float:
    """The k-th smallest of the pairwise means (x_i + x_j)/2, i ≤ j, of sorted values."""
    n = len(ranked)
    if n <= WALSH_DIRECT:
        rows, columns = np.triu_indices(n)
        means = (ranked[rows] + ranked[columns]) / 2
        return float(np.partition(means, k - 1)[k - 1])
    # Too many to list: halve the range by counting how many lie at or below a value.
    low, high = float(ranked[0]), float(ranked[-1])
    places = np.arange(n)

    def at_or_below(value: float) -> int:
        ends = np.searchsorted(ranked, 2 * value - ranked, side="right")
        return int(np.maximum(0, ends - places).sum())

    if at_or_below(low) >= k:
        return low
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        if at_or_below(middle) >= k:
            high = middle
        else:
            low = middle


def _median_limits(ranked: Floats, level: float, alternative: Alternative) -> tuple[Limits, str]:
    n = len(ranked)
    if n == 0:
        return REALS, ""
    tail = tail_area(level, alternative)
    if n <= 100_000:
        k = int(np.searchsorted(at_most(np.arange(n), n, 0.5), tail, side="right"))
    else:
        k = math.floor(n / 2 - normal_quantile(level, alternative) * math.sqrt(n) / 2)
    if k < 1:
        return REALS, f"{n} values cannot give {100 * level:g} % limits"
    return _opened(float(ranked[k - 1]), float(ranked[n - k]), ranked)


def _opened(low: float, high: float, ranked: Floats) -> tuple[Limits, str]:
    """Limits that fall on one tied value reach out to the next different ones: wider holds at least as often."""
    if low != high:
        return (low, high), ""
    below, above = ranked[ranked < low], ranked[ranked > high]
    low = float(below[-1]) if len(below) else -math.inf
    high = float(above[0]) if len(above) else math.inf
    return (low, high), "tied values: limits reach out to the next different value"


PAIRED_SCORES = "independent pairs of scores, such as one pair a data set"
declare(
    Method(
        key="wilcoxon",
        title="Wilcoxon's signed-rank test",
        formula="W₊ = ranks of |d| summed over d > 0, zeros left out, ties sharing ranks; exact up to 100 values, "
        "beyond normal with Var = Σ rank²/4; Hodges–Lehmann estimate",
        source="Wilcoxon 1945, Biometrics Bull. 1:80; Hodges and Lehmann 1963, Ann. Math. Stat. 34:598",
        assumes=PAIRED_SCORES + "; differences symmetric about their median",
    ),
    Method(
        key="wilcoxon-pratt",
        title="Wilcoxon's signed-rank test with Pratt's zeros",
        formula="as Wilcoxon's, with zeros ranked and then left out",
        source="Pratt 1959, JASA 54:655",
        assumes=PAIRED_SCORES + "; differences symmetric about their median",
    ),
    Method(
        key="sign",
        title="sign test",
        formula="2·P(Bin(wins + losses, ½) ≤ min(wins, losses)); median difference with order-statistic limits",
        source="Dixon and Mood 1946, JASA 41:557",
        assumes=PAIRED_SCORES,
        advice="sees only who won, not by how much: less power than Wilcoxon's",
    ),
    part="differences",
)
