"""Score statistics of a difference at any hypothetical value Δ, and the limits that invert them.

Each statistic falls as Δ grows, so a lower limit is the one Δ where it equals z; the upper limit is the lower limit
of the swapped pair with its sign turned, which makes every interval here turn exactly when the models are swapped.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from trueerror.significance.contrasts import Limits
from trueerror.significance.roots import crossing


def lower_limit(statistic: Callable[[float], float], estimate: float, z: float) -> float:
    """The Δ in [−1, 1] where the statistic is z; it is 0 at the estimate."""
    ends = (-1.0, estimate) if z >= 0 else (estimate, 1.0)
    return crossing(lambda delta: statistic(delta) - z, *ends)


def tango_z(only_first: float, only_second: float, n: float, delta: float) -> float:
    """Tango's score statistic (b − c − nΔ)/√(n(2q + Δ(1 − Δ))), q the constrained share of c.

    >>> round(tango_z(6, 16, 161, 0.0) ** 2, 4)
    4.5455
    """
    if delta < 0:
        return -tango_z(only_second, only_first, n, -delta)
    b, c = only_first, only_second
    gap = b - c - n * delta
    # q solves 2n·q² + B·q + C = 0 with C ≤ 0: the form without cancellation, by the sign of B.
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = math.sqrt(linear * linear - 8 * n * constant)
    if linear > 0:
        q = -2 * constant / (linear + root)
    else:
        q = (root - linear) / (4 * n) if n else 0.0
    variance = n * (2 * q + delta * (1 - delta))
    return _over_root(gap, variance)


def tango_limits(only_first: int, only_second: int, n: int, z: float) -> Limits:
    """Tango's interval; no discordant row gives ±z²/(n + z²)."""
    if only_first == only_second == 0:
        edge = z * abs(z) / (n + z * z) if n or z else 0.0
        return -edge, edge
    d = (only_first - only_second) / n
    low = lower_limit(lambda delta: tango_z(only_first, only_second, n, delta), d, z)
    high = -lower_limit(lambda delta: tango_z(only_second, only_first, n, delta), -d, z)
    return low, high


def miettinen_nurminen_z(x1: float, n1: float, x2: float, n2: float, delta: float) -> float:
    """The score statistic (p̂1 − p̂2 − Δ)/√(V(Δ)·N/(N − 1)), V at the shares that fit best under Δ.

    >>> round(miettinen_nurminen_z(56, 70, 48, 80, 0.0), 4)
    2.6413
    """
    if delta < 0:
        return -miettinen_nurminen_z(x2, n2, x1, n1, -delta)
    total = n1 + n2
    p2 = constrained_share(x1, n1, x2, n2, delta)
    p1 = min(1.0, p2 + delta)
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * total / (total - 1)
    return _over_root(x1 / n1 - x2 / n2 - delta, variance)


def constrained_share(x1: float, n1: float, x2: float, n2: float, delta: float) -> float:
    """The second share that maximises the likelihood when the first is Δ ≥ 0 higher.

    The derivative falls in p2 on (0, 1 − Δ), so its sign change is found in a bracket: the closed form of the
    cubic loses half the digits near its double roots.
    """
    if delta == 0:
        return (x1 + x2) / (n1 + n2)
    top = 1 - delta
    if top <= 0:
        return 0.0

    def slope(p2: float) -> float:
        # The derivative of the log-likelihood times p2(1 − p2)(p2 + Δ)(1 − p2 − Δ), all factors positive inside.
        p1 = p2 + delta
        first = x1 * (1 - p1) - (n1 - x1) * p1
        second = x2 * (1 - p2) - (n2 - x2) * p2
        return first * p2 * (1 - p2) + second * p1 * max(0.0, top - p2)

    # Where the product form vanishes at an end of the bracket, look just inside for the true sign.
    inside = 1e-15 * top
    if slope(inside) <= 0:
        return 0.0
    if slope(top - inside) >= 0:
        return top
    return crossing(slope, inside, top - inside)


def miettinen_nurminen_limits(x1: float, n1: float, x2: float, n2: float, z: float) -> Limits:
    """Miettinen and Nurminen's interval for p1 − p2."""
    d = x1 / n1 - x2 / n2
    low = lower_limit(lambda delta: miettinen_nurminen_z(x1, n1, x2, n2, delta), d, z)
    high = -lower_limit(lambda delta: miettinen_nurminen_z(x2, n2, x1, n1, delta), -d, z)
    return low, high


def _over_root(gap: float, variance: float) -> float:
    """gap/√variance, with the limits where the variance vanishes."""
    if gap == 0:
        return 0.0
    if variance <= 0:
        return math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)
