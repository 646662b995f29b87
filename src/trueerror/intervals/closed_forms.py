"""Closed forms for one proportion, in arithmetic that serves numbers and arrays alike: no import is needed.

Each takes successes, trials and z, and gives raw limits, not yet cut to [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def wald(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """p ± z√(pq/n)."""
    p = x / n
    reach = z * (p * (1 - p) / n) ** 0.5
    return p - reach, p + reach


def wald_cc(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """p ± (z√(pq/n) + 1/2n)."""
    low, high = wald(x, n, z)
    return low - 0.5 / n, high + 0.5 / n


def wilson(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """(p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), written in counts."""
    square = z * z
    centre = x + square / 2
    # q is taken as (n − x)/n, so that the mirrored count gives the mirrored limits.
    reach = z * (x * ((n - x) / n) + square / 4) ** 0.5
    return (centre - reach) / (n + square), (centre + reach) / (n + square)


def wilson_cc(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """Wilson's limits for half a success less and half a success more (Newcombe 1998, method 4)."""
    # Below 0 or above n there is nothing to invert; the clipping later sets 0 or 1 there.
    fewer, more = x - 0.5, x + 0.5
    fewer = fewer * (fewer > 0)
    more = more - (more - n) * (more > n)
    return wilson(fewer, n, z)[0], wilson(more, n, z)[1]


def agresti_coull(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """Wald's form with z²/2 successes and z²/2 failures added."""
    return wald(x + z * z / 2, n + z * z, z)


CLOSED_FORMS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "wald": wald,
    "wald-cc": wald_cc,
    "wilson": wilson,
    "wilson-cc": wilson_cc,
    "agresti-coull": agresti_coull,
}
