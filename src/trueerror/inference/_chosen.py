"""The best of several, after looking: limits and an estimate that allow for the choice.

Whoever names the best of k estimates names one that luck has helped: it is too high on average, and its own limits
miss the truth far more often than they say (of 20 equal models in one sample of three). Luck pushes the best up, never
down, so only the limit below pays (the one above, where the lowest is named):

1. Contenders are the models whose gap to the best is at most q of the gap's own standard errors.
2. q is the quantile of the largest of the contenders' errors, P(max ≤ q) = 1 − α/2. Each error is correlated with the
   best's as the gaps tell (ρ by the variance of the difference), and given that one the others are taken as
   independent, which is a little wider than they are: P = ∫_{z ≤ q} φ(z) Π Φ((q − ρ_i·z)/√(1 − ρ_i²)) dz.
3. Fewer contenders make q smaller, so both steps are repeated until none leaves. Without rivals q is the usual one.
4. The limit is the estimate's own, on its own scale, q instead of the usual quantile away; the other stays as it is.

The estimate lies half way to where that limit would lie at even odds, P(max ≤ q) = ½: what the largest of equal errors
reaches by luck corrects too much where the best is really better. Rows of slices differ, so ρ is 0 there.

`validation/CHOSEN.md` has what was measured beside max-|t| and the zoom correction (Zrnic and Fithian 2024, arXiv
2411.18569). Sources: Dunnett 1955, JASA 50:1096; Hsu 1996, Multiple Comparisons, ch. 4 (contenders for the best).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import df_of_limits
from trueerror.inference._many import limits_known, normal_score
from trueerror.inference._problem import Range, critical_t
from trueerror.inputs._arrays import Floats
from trueerror.results import Contrast, Interval

KEY = "best-of-several"
_nodes = cache(np.polynomial.legendre.leggauss)


def quantile_of_largest(correlations: Sequence[float] | Floats, tail: float) -> float:
    """What the largest of an error and others, each so correlated with it, passes with probability `tail`.

    >>> [round(quantile_of_largest(each, 0.025), 2) for each in ([], [0.0], [0.5] * 19, [1.0] * 19)]
    [1.96, 2.24, 2.98, 1.96]
    """
    rho = np.minimum(np.asarray(correlations, dtype=np.float64), 1 - 1e-9)[:, None]
    x, weights = _nodes(120)
    low, high, start = -9.0, 9.0, -9.0
    for _ in range(60):
        q = (low + high) / 2
        z = start + (q - start) * (x + 1) / 2
        inside = special.ndtr((q - rho * z) / np.sqrt(1 - rho * rho)).prod(axis=0)
        held = float(((q - start) / 2 * weights * np.exp(-z * z / 2) * inside).sum()) / math.sqrt(2 * math.pi)
        low, high = (q, high) if held < 1 - tail else (low, q)
    return (low + high) / 2


def moved_limit(estimate: float, limit: float, times: float, ends: Range) -> float:
    """A limit so many times as many quantiles away, on the scale that the metric's range gives it.

    Between two ends Wilson's form, (θ − L)² = c·(L − a)(b − L); with one end the same with the other at infinity; with
    none a straight line.

    >>> round(moved_limit(0.9, 0.8256, 2.576 / 1.96, (0, 1)), 3)     # Wilson's limits of 90 of 100 at 95 and 99 %
    0.796
    """
    if times == 1 or not math.isfinite(limit) or limit == estimate:
        return limit
    start, end = ends
    bounded = math.isfinite(start), math.isfinite(end)
    room = (limit - start if bounded[0] else 1.0) * (end - limit if bounded[1] else 1.0)
    if not any(bounded) or not room > 0:
        return estimate + times * (limit - estimate)
    c = times * times * (estimate - limit) ** 2 / room
    if all(bounded):
        square, linear, rest = 1 + c, -(2 * estimate + c * (start + end)), estimate**2 + c * start * end
    else:
        away = 1 if bounded[0] else -1
        square, linear, rest = 1.0, -(2 * estimate + away * c), estimate**2 + away * c * (start if bounded[0] else end)
    root = math.sqrt(max(linear * linear - 4 * square * rest, 0.0))
    return (-linear + math.copysign(root, limit - estimate)) / (2 * square)


class Chosen(NamedTuple):
    """The interval that allows for the choice, and how many others were close."""

    interval: Interval
    close: int


def best_of_several(
    estimates: Mapping[Any, Interval],
    name: Any,
    *,
    lowest: bool = False,
    gaps: Iterable[Contrast] = (),
    ends: Range = (-math.inf, math.inf),
    level: float | None = None,
    what: str = "models",
) -> Chosen | None:
    """The estimate of the best (or the lowest) of several with limits that allow for its having been named.

    `gaps` are the differences from it as far as they are known; others are taken as of different rows. `level` is the
    confidence at which the limits of each were made, where they hold together. None where there is nothing to choose
    from.

    >>> from trueerror.inference.proportion._interval import interval
    >>> each = {f"m{i}": interval(x, 200) for i, x in enumerate((170, 168, 167, 140))}
    >>> print(best_of_several(each, "m0", ends=(0, 1)).interval)
    proportion 0.839 [0.780, 0.893], 95 % best-of-several, n = 200 (picked as the highest of 4 models, 3 of them close)
    """
    own = estimates[name]
    others = [m for m, i in estimates.items() if m != name and _limited(i)]
    if not others or not _limited(own):
        return None
    with_it = (c for c in gaps if str(name) in (c.first, c.second) and limits_known(c))
    known = {c.second if c.first == str(name) else c.first: c for c in with_it}
    found = [_rival(own, estimates[m], level or own.confidence, known.get(str(m))) for m in others]
    z, rho = (np.array(x) for x in zip(*found, strict=True))
    df = max(map(df_of_limits, known.values()), default=math.inf)
    near, q = _contenders(z, rho, (1 - own.confidence) / 2)
    usual, far = critical_t(level or own.confidence, df), critical_t(1 - 2 * float(special.ndtr(-q)), df)
    even = max(quantile_of_largest(rho[near], 0.5), 0.0)
    paying, other = (own.high, own.low) if lowest else (own.low, own.high)
    limit, middle = (moved_limit(own.estimate, paying, x / usual, ends) for x in (far, even))
    other = moved_limit(own.estimate, other, critical_t(own.confidence, df) / usual, ends)
    close = f", {near.sum() + 1} of them close" if near.any() else ""
    made = replace(
        own, estimate=(own.estimate + middle) / 2, low=other if lowest else limit, high=limit if lowest else other,
        method=KEY, note=f"picked as the {'lowest' if lowest else 'highest'} of {len(others) + 1} {what}{close}",
    )  # fmt: skip
    return Chosen(made, int(near.sum()))


def _limited(i: Interval) -> bool:
    """Whether it has two limits."""
    return i.side == "two-sided" and all(map(math.isfinite, (i.estimate, i.low, i.high))) and i.low < i.high


def _rival(own: Interval, rival: Interval, level: float, gap: Contrast | None) -> tuple[float, float]:
    """How many of its own standard errors the gap is wide, and how the two errors are correlated."""
    df = math.inf if gap is None else df_of_limits(gap)
    one, two = (i.width / (2 * critical_t(level, df)) for i in (own, rival))
    if gap is None:
        return abs(own.estimate - rival.estimate) / math.hypot(one, two), 0.0
    apart = gap.width / (2 * critical_t(gap.confidence, df))
    return normal_score(gap), min(max((one * one + two * two - apart * apart) / (2 * one * two), 0.0), 1.0)


def _contenders(z: Floats, rho: Floats, tail: float) -> tuple[NDArray[np.bool_], float]:
    """Who is close to the best, and the quantile of the largest of their errors and the best's."""
    near = np.ones(len(z), dtype=np.bool_)
    while True:
        q = quantile_of_largest(rho[near], tail)
        left = near & (z <= q)
        if left.sum() == near.sum():
            return near, q
        near = left
