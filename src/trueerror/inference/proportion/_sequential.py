"""Looking while data arrive: e-values and betting confidence sequences, valid at every look and at any stop.

A player bets on the differences D = first − second, row by row, each in [−1, 1]. Against the claim that the true
difference is at most δ a bet of share f turns each unit of wealth into 1 + f·(D − δ)/(1 + δ), which is not expected
to grow when the claim holds. Spreading the wealth over all f = sin φ, φ uniform on (0, π/2), gives E₊(δ); the
wealth against "at least δ", E₋(δ), is E₊(−δ) of the turned differences. At δ = 0 with D in {−1, 0, 1} they have
closed forms, and (E₊ + E₋)/2 is the mixture over Beta(½, ½).
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.inference._contrast import THESE_MODELS, Limits, check_test_options, contrast
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._arrays import Floats, count, paired_numbers
from trueerror.inputs._options import InputError
from trueerror.results import Alternative, Contrast

LARGEST = math.log(sys.float_info.max)
# Wealth so far below its peak, in logarithms, is lost in rounding: it adds nothing to the integral.
DEPTH = -math.log(sys.float_info.epsilon)
# Just below a share of 1, where a lost bet takes everything.
TOP = math.nextafter(1.0, 0.0)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)


class Bets(NamedTuple):
    """The distinct differences that were seen and how often; n is None where agreements were not counted."""

    values: Floats
    times: Floats
    n: int | None

    @property
    def mean(self) -> float:
        """The mean difference, NaN where the rows are not known."""
        total = float(self.times.sum())
        return float(self.values @ self.times) / total if total and self.n is not None else math.nan

    def turned(self) -> Bets:
        """The same with first and second exchanged."""
        return Bets(-self.values[::-1], self.times[::-1], self.n)


def e_value(
    first: Any,
    second: Any,
    *,
    n: int | None = None,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    confidence: float = 0.95,
) -> Contrast:
    """Evidence that one model is better, that may be looked at after every row: the statistic is the e-value E.

    Give the rows that only the first, only the second got right (and `n`, all rows, for the size), or two columns of
    scores in [0, 1], row by row. When there is no difference E is not expected to exceed 1, whatever the moment of
    looking: E ≥ 1/α rejects at level α, and p = min(1, 1/E). Two-sided: E = 2^(b+c)·B(b + ½, c + ½)/B(½, ½);
    "greater": E₊ = 2E·P(Beta(b + ½, c + ½) > ½), and "less" its mirror image; the side must be chosen before looking.

    `margin` asks for more: the null hypothesis is then first − second ≤ margin ("greater"), second − first ≤ margin
    ("less") or both; a negative margin asks only for not much worse. It needs n or columns. The limits are those of
    `confidence_sequence`. Rows must arrive in random order; a cluster of dependent rows enters as one row, by its mean.
    Waudby-Smith and Ramdas 2024, JRSS B 86:1; Ramdas and others 2023, Stat. Sci. 38:576.

    >>> round(e_value(7, 1, alternative="greater").statistic, 2)
    6.61
    """
    level, bets = check_test_options(confidence, alternative), _bets(first, second, n)
    value = float(margin)
    lowest = 0.0 if alternative == "two-sided" else -1.0
    if not (lowest <= value < 1 and value != -1):
        raise InputError(f"margin={margin!r} must be {'at least 0' if lowest == 0 else 'above -1'} and below 1")
    if value != 0 and bets.n is None:
        raise InputError("margin= needs n: rows on which both agree count against a margin")
    return _answer(bets, value, level, alternative, "e-value" if value == 0 else "e-value-margin")


def confidence_sequence(
    first: Any, second: Any, *, n: int | None = None, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast:
    """Limits for first − second that hold at all looks at once: every δ against which no bet has won 1/α.

    Takes what `e_value` takes, with n for counts. However often you look, and whenever you stop, all the intervals
    that you saw hold the true difference together with probability `confidence`; the price is width. The p-value is
    that of the e-value against no difference, which is below 1 − confidence exactly when 0 is outside.

    >>> print(confidence_sequence(40, 10, n=500))
    difference: first − second = +0.060 [0.017, 0.110], 95 % betting-sequence, p < .001, n = 500
    """
    level, bets = check_test_options(confidence, alternative), _bets(first, second, n)
    if bets.n is None:
        raise InputError("confidence_sequence needs n: the size of the difference depends on all rows")
    return _answer(bets, 0.0, level, alternative, "betting-sequence")


def _answer(bets: Bets, margin: float, level: float, alternative: Alternative, method: str) -> Contrast:
    log_e = log_e_value(bets, margin, alternative)
    large = f"the e-value is about 10^{log_e / math.log(10):.0f}, written as the largest float"
    unknown = {None: "no interval: give n", 0: "no rows: nothing is known"}.get(bets.n, "")
    # Without n there is no interval to cut to one side.
    whole = (-1.0, 1.0) if bets.n is not None else (math.nan, math.nan)
    return contrast(
        estimate=bets.mean, limits=_limits(bets, level, alternative) if bets.n else whole, whole=whole,
        confidence=level, alternative=alternative, method=method, p_value=math.exp(-max(0.0, log_e)),
        statistic=math.exp(log_e) if log_e <= LARGEST else sys.float_info.max, n=bets.n, null=None,
        notes=(unknown, large if log_e > LARGEST else ""), estimand=THESE_MODELS,
    )  # fmt: skip


def log_e_value(bets: Bets, margin: float, alternative: Alternative) -> float:
    """log E against first − second ≤ margin, its mirror image, or both (the mean of the two)."""
    if alternative == "greater":
        return _log_wealth(bets, margin)
    if alternative == "less":
        return _log_wealth(bets.turned(), margin)
    return _log_mean(_log_wealth(bets, margin), _log_wealth(bets.turned(), margin))


def _log_mean(a: float, b: float) -> float:
    return float(np.logaddexp(a, b)) - math.log(2)


def _limits(bets: Bets, level: float, alternative: Alternative) -> Limits:
    bar = -math.log(1 - level)

    def lower(side: Bets) -> float:
        def excess(delta: float) -> float:
            up = _log_wealth(side, delta)
            return (_log_mean(up, _log_wealth(side.turned(), -delta)) if alternative == "two-sided" else up) - bar

        return crossing(excess, -1.0, side.mean) if excess(-1.0) > 0 else -1.0

    return lower(bets), -lower(bets.turned())


def _log_wealth(bets: Bets, delta: float) -> float:
    """log E₊(δ) = log of (2/π)∫ Π(1 + sin φ·(D − δ)/(1 + δ)) dφ over (0, π/2)."""
    if not len(bets.values):
        return 0.0
    if delta <= -1:
        # Any difference above −1 disproves "at most −1" at once; without one there is nothing to win.
        return math.inf if bets.values[-1] > -1 else -math.inf
    gains = (bets.values - delta) / (1 + delta)

    def log_growth(f: float) -> float:
        return float(_log_growths(np.array([f]), gains, bets.times)[0])

    peak = _peak(gains, bets.times)
    floor = log_growth(peak) - DEPTH
    low = 0.0 if log_growth(0.0) >= floor else crossing(lambda f: log_growth(f) - floor, 0.0, peak)
    high = 1.0 if log_growth(TOP) >= floor else crossing(lambda f: log_growth(f) - floor, peak, TOP)
    middle = math.asin(peak)
    logs, sizes = [], []
    for start, stop in ((math.asin(low), middle), (middle, math.asin(high))):
        if stop > start:
            phi = start + (stop - start) * (NODES + 1) / 2
            logs.append(_log_growths(np.sin(phi), gains, bets.times))
            sizes.append(WEIGHTS * (stop - start) / 2)
    return float(special.logsumexp(np.concatenate(logs), b=np.concatenate(sizes))) + math.log(2 / math.pi)


def _log_growths(shares: Floats, gains: Floats, times: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        out: Floats = np.log1p(shares[:, None] * gains) @ times
    return out


def _peak(gains: Floats, times: Floats) -> float:
    """The share f in [0, 1] that would have grown the most: the logarithm of the wealth is concave in f."""

    def slope(f: float) -> float:
        return float(times @ (gains / (1 + f * gains)))

    if slope(0.0) <= 0:
        return 0.0
    return 1.0 if slope(TOP) >= 0 else crossing(slope, 0.0, TOP)


def _bets(first: Any, second: Any, n: Any) -> Bets:
    if hasattr(first, "__len__") or np.ndim(first):
        if n is not None:
            raise InputError("n= goes with counts; columns of scores know their rows")
        one, two = paired_numbers(first, second)
        for name, scores in (("first", one), ("second", two)):
            if len(scores) and (scores.min() < 0 or scores.max() > 1):
                raise InputError(f"{name} must lie in [0, 1], but runs from {scores.min():g} to {scores.max():g}")
        distinct, often = np.unique(one - two, return_counts=True)
        return Bets(distinct, often.astype(np.float64), len(one))
    b, c = count(first, "only_first"), count(second, "only_second")
    rows = None if n is None else count(n, "n")
    if rows is not None and rows < b + c:
        raise InputError(f"n={rows} is less than the {b + c} rows on which the models differ")
    agreed = 0 if rows is None else rows - b - c
    values, times = np.array([-1.0, 0.0, 1.0]), np.array([c, agreed, b], dtype=np.float64)
    return Bets(values[times > 0], times[times > 0], rows)
