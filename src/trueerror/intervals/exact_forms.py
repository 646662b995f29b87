"""Intervals for one proportion from the binomial and Beta distributions themselves; on numbers and arrays alike.

Each takes successes, trials and the probability to leave out at one end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
# The bracket's ends are of the same size, so this many halvings reach the spacing of floats.
HALVINGS = 60


def clopper_pearson(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x); 0 at no success, 1 at no failure."""
    x, n = _pair(x, n)
    none, all_ = x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1.0, x), n - x + 1, alpha)
    high = special.betainccinv(x + 1, np.where(all_, 1.0, n - x), alpha)
    return np.where(none, 0.0, low), np.where(all_, 1.0, high)


def jeffreys(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Quantiles of Beta(x + ½, n − x + ½); 0 at no success, 1 at no failure (Brown, Cai and DasGupta 2001)."""
    x, n = _pair(x, n)
    low = special.betaincinv(x + 0.5, n - x + 0.5, alpha)
    high = special.betainccinv(x + 0.5, n - x + 0.5, alpha)
    return np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high)


def mid_p(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Where P(beyond x) + ½P(x) is α: the exact interval with half of the observed probability in each tail."""
    x, n = _pair(x, n)
    # The upper limit for x is 1 less the lower limit for the failures.
    return _mid_p_low(x, n, alpha), 1 - _mid_p_low(n - x, n, alpha)


def _mid_p_low(x: Floats, n: Floats, alpha: Any) -> Floats:
    """p with ½P(X ≥ x) + ½P(X ≥ x + 1) = α, by bisection: both terms rise with p."""
    none = x <= 0
    a = np.where(none, 1.0, x)
    all_ = a >= n
    b = np.where(all_, 1.0, n - a)

    def excess(p: Floats) -> Floats:
        beyond = np.where(all_, 0.0, special.betainc(a + 1, b, p))
        out: Floats = (special.betainc(a, n - a + 1, p) + beyond) / 2 - alpha
        return out

    # The exact limit at α bounds it from below, the one at 2α from above.
    low = special.betaincinv(a, n - a + 1, alpha)
    high = np.where(2 * np.asarray(alpha) < 1, special.betaincinv(a, n - a + 1, np.minimum(2 * alpha, 1.0)), 1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        under = excess(middle) < 0
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    out: Floats = np.where(none, 0.0, (low + high) / 2)
    return out


def _pair(x: Any, n: Any) -> tuple[Floats, Floats]:
    return np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)


EXACT_FORMS: dict[str, Callable[[Any, Any, Any], tuple[Floats, Floats]]] = {
    "clopper-pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "mid-p": mid_p,
}
