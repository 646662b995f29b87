"""Binomial and hypergeometric probabilities that stay accurate from one row to a billion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

# Two probabilities that differ by less than this factor count as equally likely, as in R.
EQUALLY_LIKELY = 1 + 1e-7


def log_pmf(k: Any, n: Any, p: float) -> Floats:
    """log P(X = k) for X ~ Binomial(n, p), by the saddle-point form of Loader (2000).

    Differences of log-factorials lose all digits for large n; deviances do not.
    """
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if p in (0.0, 1.0):
        return np.where(x == p * size, 0.0, -np.inf)
    y = size - x
    inside = (x > 0) & (y > 0)
    a, b, m = np.where(inside, x, 1.0), np.where(inside, y, 1.0), np.where(inside, size, 2.0)
    deviance = _stirling_error(m) - _stirling_error(a) - _stirling_error(b) - _deviance(a, m * p)
    deviance = deviance - _deviance(b, m * (1 - p))
    core = deviance + 0.5 * np.log(m / (2 * math.pi * a * b))
    edge = np.where(x == 0, size * math.log1p(-p), size * math.log(p))
    out: Floats = np.where(inside, core, np.where((x < 0) | (y < 0), -np.inf, edge))
    return out


def pmf(k: Any, n: Any, p: float) -> Floats:
    """P(X = k)."""
    return np.exp(log_pmf(k, n, p))


def at_most(k: Any, n: Any, p: Any) -> Floats:
    """P(X ≤ k) = I_{1−p}(n − k, k + 1)."""
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    inside = (x >= 0) & (x < size)
    tail = special.betaincc(np.where(inside, x + 1, 1.0), np.where(inside, size - x, 1.0), p)
    out: Floats = np.where(inside, tail, np.where(x < 0, 0.0, 1.0))
    return out


def at_least(k: Any, n: Any, p: Any) -> Floats:
    """P(X ≥ k) = I_p(k, n − k + 1)."""
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    inside = (x > 0) & (x <= size)
    tail = special.betainc(np.where(inside, x, 1.0), np.where(inside, size - x + 1, 1.0), p)
    out: Floats = np.where(inside, tail, np.where(x <= 0, 1.0, 0.0))
    return out


def as_likely(x: int, n: int, p: float) -> float:
    """P of all counts that are at most as likely as x: the two-sided exact p-value (minimum likelihood).

    >>> round(as_likely(9, 10, 0.5), 6)
    0.021484
    """
    mode = min(n, int((n + 1) * p))
    level = float(log_pmf(x, n, p)) + math.log(EQUALLY_LIKELY)
    if x <= mode:
        start = _first(lambda k: float(log_pmf(k, n, p)) <= level, mode - 1, n + 1)
        total = 1.0 if start <= x + 1 else float(at_most(x, n, p)) + float(at_least(start, n, p))
    else:
        start = _first(lambda k: float(log_pmf(k, n, p)) > level, -1, mode + 1)
        total = 1.0 if start >= x else float(at_most(start - 1, n, p)) + float(at_least(x, n, p))
    return min(1.0, total)


def hypergeometric_p(x: int, n1: int, n2: int, drawn: int) -> dict[str, float]:
    """Fisher's p-values for x successes among n1, `drawn` successes among n1 + n2 in all.

    "two-sided" sums the tables that are at most as likely as the one seen.
    """
    low, high = max(0, drawn - n2), min(n1, drawn)
    total = n1 + n2
    mode = min(high, max(low, (n1 + 1) * (drawn + 1) // (total + 2)))
    spread = math.sqrt(max(1.0, n1 / total * n2 / total * drawn * (total - drawn) / total)) if total else 1.0
    # Beyond 40 standard deviations a term adds nothing to the sum that starts nearer the mode.
    reach = int(40 * spread) + 50
    share = drawn / total if total else 0.0

    def weights(start: int, stop: int) -> Floats:
        k = np.arange(start, stop + 1, dtype=np.float64)
        logs = log_pmf(k, n1, share) + log_pmf(drawn - k, n2, share) - float(log_pmf(drawn, total, share))
        return np.exp(logs)

    here = float(weights(x, x)[0])
    if x <= mode:
        below = float(weights(max(low, x - reach), x).sum())
        less, greater = below, 1 - below + here
    else:
        above = float(weights(x, min(high, x + reach)).sum())
        less, greater = 1 - above + here, above
    if x <= mode:
        start = _first(lambda k: float(weights(k, k)[0]) <= here * EQUALLY_LIKELY, mode - 1, high + 1)
        far = float(weights(start, min(high, start + reach)).sum()) if start <= high else 0.0
        both = 1.0 if start <= x + 1 else less + far
    else:
        start = _first(lambda k: float(weights(k, k)[0]) > here * EQUALLY_LIKELY, low - 1, mode + 1)
        far = float(weights(max(low, start - 1 - reach), start - 1).sum()) if start > low else 0.0
        both = 1.0 if start >= x else greater + far
    return {"two-sided": min(1.0, both), "greater": min(1.0, greater), "less": min(1.0, less)}


def _first(true_from: Any, low: int, high: int) -> int:
    """The first k in (low, high] where a condition that turns true once is true; `high` is taken as true."""
    while high - low > 1:
        middle = (low + high) // 2
        if true_from(middle):
            high = middle
        else:
            low = middle
    return high


def _stirling_error(n: Floats) -> Floats:
    """log n! − log(√(2πn)·(n/e)^n)."""
    small = n < 16
    m = np.where(small, n, 1.0)
    exact = special.gammaln(m + 1) - (m + 0.5) * np.log(m) + m - 0.5 * math.log(2 * math.pi)
    q = 1 / np.where(small, 16.0, n)
    q2 = q * q
    series = q * (1 / 12 - q2 * (1 / 360 - q2 * (1 / 1260 - q2 * (1 / 1680 - q2 / 1188))))
    out: Floats = np.where(small, exact, series)
    return out


def _deviance(x: Floats, mean: Floats) -> Floats:
    """x·log(x/mean) + mean − x without cancellation near x = mean."""
    gap = x - mean
    v = gap / (x + mean)
    near = np.abs(v) < 0.1
    v2 = np.where(near, v * v, 0.0)
    tail = np.zeros_like(v2)
    for j in range(9, 0, -1):
        tail = v2 * (tail + 1 / (2 * j + 1))
    series = gap * v + 2 * x * np.where(near, v, 0.0) * tail
    # A mean this much below x makes the event impossible in any case, and the ratio must not overflow.
    plain = x * np.log(x / np.maximum(mean, x * 1e-300)) - gap
    out: Floats = np.where(near, series, plain)
    return out
