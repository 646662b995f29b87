"""Round numbers along an axis."""

from __future__ import annotations

import math


def ticks(low: float, high: float, *, most: int = 6) -> list[tuple[float, str]]:
    """At most `most` round numbers from low to high, each with how it is written.

    >>> ticks(0.0, 1.0)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1')]
    >>> ticks(-0.031, 0.024, most=4)
    [(-0.02, '−0.02'), (0.0, '0'), (0.02, '0.02')]
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return []
    rough = 10.0 ** math.floor(math.log10(span / most))
    step = next(rough * m for m in (1, 2, 5, 10, 20) if span / (rough * m) < most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [float(f"{k * step:.12g}") for k in range(first, last + 1)]
    return [(v + 0.0, _words(v)) for v in values]


def _words(value: float) -> str:
    shown = f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 or value == 0 else f"{value:.3g}"
    return ("0" if value == 0 else shown).replace("-", "−")
