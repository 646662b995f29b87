"""Where a monotone function crosses a level."""

from __future__ import annotations

from collections.abc import Callable

# Bisection alone needs about 60 halvings to the last bit; the secant steps end most searches in ten.
STEPS = 200


def crossing(f: Callable[[float], float], low: float, high: float, *, within: float = 0.0) -> float:
    """The point in [low, high] where f changes sign, to the last few bits or `within` so much; an end where it never
    does.

    Secant steps are taken only when they shrink the bracket, so that infinite or flat values do no harm.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    at_low, at_high = f(low), f(high)
    if at_low == 0 or (at_low > 0) == (at_high > 0):
        return low if abs(at_low) <= abs(at_high) else high
    halve = False
    for _ in range(STEPS):
        middle = low + (high - low) / 2
        if not low < middle < high or high - low <= within:
            break
        slope = at_high - at_low
        point = middle if halve or slope in (0, float("inf"), float("-inf")) else low - at_low * (high - low) / slope
        # A step that lands within a hair of an end would creep: go a little way inside.
        edge = (high - low) * 1e-3
        point = min(max(point, low + edge), high - edge)
        if not low < point < high:
            point = middle
        at_point = f(point)
        width = high - low
        if at_point == 0:
            return point
        if (at_point > 0) == (at_low > 0):
            low, at_low = point, at_point
        else:
            high, at_high = point, at_point
        halve = high - low > width / 2
    return low if abs(at_low) <= abs(at_high) else high
