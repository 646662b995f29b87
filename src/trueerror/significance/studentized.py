"""The studentized range with infinite degrees of freedom, which Nemenyi's test needs.

SciPy's general version integrates twice and takes milliseconds a value; with a known variance one integral is enough.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.significance.roots import crossing

Floats = NDArray[np.float64]

# The integrand is entire and falls like a normal density, so equal steps converge at once: .05 is exact to rounding.
STEP = 0.05
REACH = 9.0
BLOCK = 256


def range_above(q: Floats | float, k: int) -> Floats:
    """P(range of k standard normals > q), precise in the far tail too.

    With x the largest of the k: k·∫ φ(x)·(Φ(x)^(k−1) − (Φ(x) − Φ(x − q))^(k−1)) dx. The difference is taken inside the
    integral, so nothing cancels.

    >>> range_above(3.633160, 4).round(6)
    array([0.05])
    """
    points = np.atleast_1d(np.asarray(q, dtype=np.float64))
    x = np.arange(-REACH, float(points.max(initial=0.0)) + REACH, STEP)
    log_below = special.log_ndtr(x)
    weight = np.exp((k - 1) * log_below - 0.5 * x * x) * (k * STEP / math.sqrt(2 * math.pi))
    below = np.exp(log_below)
    above = np.empty(len(points))
    for start in range(0, len(points), BLOCK):
        part = points[start : start + BLOCK, None]
        share = np.minimum(special.ndtr(x - part) / below, 1.0)
        with np.errstate(divide="ignore"):
            above[start : start + BLOCK] = -np.expm1((k - 1) * np.log1p(-share)) @ weight
    # The weights add up to 1 but for rounding, and a range above 0 is certain.
    return np.where(points <= 0, 1.0, np.clip(above / weight.sum(), 0.0, 1.0))


@lru_cache(maxsize=256)
def range_point(alpha: float, k: int) -> float:
    """The q that the range of k standard normals exceeds with probability alpha.

    >>> round(range_point(0.05, 4) / 2**0.5, 3)
    2.569
    """
    target = math.log(alpha)
    high = 4.0
    while float(range_above(high, k)[0]) > alpha:
        high *= 1.5

    def excess(q: float) -> float:
        return math.log(max(float(range_above(q, k)[0]), 1e-323)) - target

    return crossing(excess, 0.0, high)
