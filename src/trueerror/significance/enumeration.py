"""Power of tests on counts by adding up the probability of every outcome that they would call significant."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.results import Alternative
from trueerror.significance.binomials import EQUALLY_LIKELY, at_least, at_most, log_pmf, pmf
from trueerror.significance.chances import Chances
from trueerror.significance.contrasts import normal_quantile
from trueerror.significance.paired import McNemarMethod
from trueerror.significance.score_statistics import tango_z

Floats = NDArray[np.float64]

# Outcomes further out than this many standard deviations have less than 1e-16 in all.
REACH = 8.6


def mcnemar_chances(
    n: int, p10: float, p01: float, alpha: float, method: McNemarMethod, alternative: Alternative
) -> Chances:
    """Over all numbers of differing rows and all ways that they split; p10 is P(only the first is right).

    >>> round(mcnemar_chances(500, 0.0225, 0.0025, 0.05, "exact", "two-sided").power, 3)
    0.798
    """
    if alternative == "less":
        return mcnemar_chances(n, p01, p10, alpha, method, "greater")
    differ, weights = _differing(n, p10 + p01)
    share = p10 / (p10 + p01) if p10 + p01 else 0.5
    k = critical_count(differ, alpha, method, alternative)
    up, up_size = _upper(differ, differ - k, share)
    if alternative == "two-sided":
        down, down_size = _upper(differ, differ - k, 1 - share)
    else:
        down, down_size = np.zeros_like(up), np.zeros_like(up)
    ups, downs = float(weights @ up), float(weights @ down)
    size = float(weights @ (up_size + down_size)) / n if n else 0.0
    delta, significant = p10 - p01, ups + downs
    if significant <= 0 or delta == 0:
        return Chances(significant, 0.5 if delta == 0 else math.nan, math.nan)
    return Chances(significant, (downs if delta > 0 else ups) / significant, size / significant / abs(delta))


def critical_count(
    differ: NDArray[np.int64], alpha: float, method: McNemarMethod, alternative: Alternative
) -> NDArray[np.int64]:
    """For each number of differing rows, the most that the loser may win for the test to be significant; −1: none."""
    sides = 2 if alternative == "two-sided" else 1
    z = normal_quantile(1 - alpha, alternative)

    def significant(k: NDArray[np.int64]) -> NDArray[np.bool_]:
        if method.startswith("chi2"):
            gap = np.maximum(0, differ - 2 * k - (method == "chi2-cc"))
            return np.asarray(gap >= z * np.sqrt(differ))
        half = pmf(k, differ, 0.5) / 2 if method == "mid-p" else 0.0
        return sides * (at_most(k, differ, 0.5) - half) <= alpha

    # Near the normal answer, or anywhere where that is not a bracket.
    guess = np.floor((differ - z * np.sqrt(differ)) / 2).astype(np.int64)
    low, high = np.maximum(-1, guess - 3), np.minimum((differ + 1) // 2, np.maximum(0, guess + 3))
    low = np.where((low >= 0) & significant(np.maximum(low, 0)), low, -1)
    high = np.where(significant(high), (differ + 1) // 2, high)
    while (high - low > 1).any():
        middle = (low + high) // 2
        passed = (middle >= 0) & significant(np.maximum(middle, 0))
        open_ = high - low > 1
        low, high = np.where(open_ & passed, middle, low), np.where(open_ & ~passed, middle, high)
    return low


def margin_chances(n: int, p10: float, p01: float, margin: float, alpha: float, *, both: bool) -> Chances:
    """Tango's tests against −margin, and with `both` against +margin too (equivalence)."""
    differ, weights = _differing(n, p10 + p01)
    share = p10 / (p10 + p01) if p10 + p01 else 0.5
    z = -float(special.ndtri(alpha))
    wins = np.empty(len(differ), dtype=np.int64)
    b = 0
    for place, total in enumerate(differ.tolist()):
        # The least number of wins that passes moves little from one total to the next: walk from the last one.
        while b <= total and tango_z(b, total - b, n, -margin) < z:
            b += 1
        while b > 0 and tango_z(b - 1, total - b + 1, n, -margin) >= z:
            b -= 1
        wins[place] = b
    passed = at_least(wins, differ, share)
    if both:
        passed = np.maximum(0.0, passed - at_least(differ - wins + 1, differ, share))
    return Chances(min(1.0, float(weights @ passed)), math.nan, math.nan)


def binomial_chances(n: int, p: float, p0: float, alpha: float, alternative: Alternative) -> Chances:
    """The exact test of one proportion: p is true, p0 is tested."""
    centre, spread = n * p0, math.sqrt(n * p0 * (1 - p0))
    low, high = max(0, math.floor(centre - REACH * spread - 10)), min(n, math.ceil(centre + REACH * spread + 10))
    x = np.arange(low, high + 1)
    accepted = x[~_binomial_significant(x, n, p0, alpha, alternative)]
    chance = pmf(accepted, n, p)
    above = math.floor(centre) + 1

    def part(side: NDArray[np.bool_], total: float, mean: float, sign: float) -> tuple[float, float]:
        kept = float(chance[side].sum())
        size = sign * (mean - centre * total - float(chance[side] @ (accepted[side] - centre)))
        return max(0.0, total - kept), max(0.0, size)

    over, over_mean = float(at_least(above, n, p)), n * p * float(at_least(above - 1, n - 1, p))
    up, up_size = part(accepted >= above, over, over_mean, 1.0)
    down, down_size = part(accepted < above, 1 - over, n * p - over_mean, -1.0)
    if alternative == "greater":
        down = down_size = 0.0
    elif alternative == "less":
        up = up_size = 0.0
    delta, significant = p - p0, up + down
    if significant <= 0 or delta == 0:
        return Chances(significant, 0.5 if delta == 0 else math.nan, math.nan)
    wrong = down if delta > 0 else up
    return Chances(significant, wrong / significant, (up_size + down_size) / n / significant / abs(delta))


def _binomial_significant(
    x: NDArray[np.int64], n: int, p0: float, alpha: float, alternative: Alternative
) -> NDArray[np.bool_]:
    if alternative == "greater":
        return at_least(x, n, p0) <= alpha
    if alternative == "less":
        return at_most(x, n, p0) <= alpha
    # Minimum likelihood: each outcome's p-value is the total of those at most as likely.
    chance = pmf(x, n, p0)
    ranked = np.sort(chance)
    totals = np.concatenate(([0.0], np.cumsum(ranked)))
    return totals[np.searchsorted(ranked, chance * EQUALLY_LIKELY, side="right")] <= alpha


def _differing(n: int, share: float) -> tuple[NDArray[np.int64], Floats]:
    """The numbers of differing rows that can be expected, and their probabilities."""
    centre, spread = n * share, math.sqrt(n * share * (1 - share))
    low, high = max(0, math.floor(centre - REACH * spread - 10)), min(n, math.ceil(centre + REACH * spread + 10))
    differ = np.arange(low, high + 1)
    return differ, np.exp(log_pmf(differ, n, share))


def _upper(differ: NDArray[np.int64], from_: NDArray[np.int64], share: float) -> tuple[Floats, Floats]:
    """P(wins ≥ from) and E(2·wins − differ; wins ≥ from); from above `differ` means never."""
    chance = at_least(from_, differ, share)
    mean = differ * share * at_least(from_ - 1, differ - 1, share)
    never = from_ > differ
    return np.where(never, 0.0, chance), np.where(never, 0.0, 2 * mean - differ * chance)


def smallest_n(power_at: Callable[[int], float], target: float, start: float) -> int | None:
    """The first n, from below, at which the power reaches the target; None when a trillion rows do not.

    Power rises with n but for small teeth; the search ends where one row less would miss the target.
    """
    high = max(2, math.ceil(start))
    while power_at(high) < target:
        high *= 2
        if high > 10**12:
            return None
    low = 1 if high == 2 else high // 2
    while low > 1 and power_at(low) >= target:
        high, low = low, max(1, low // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= target else (middle, high)
    return low if power_at(low) >= target else high
