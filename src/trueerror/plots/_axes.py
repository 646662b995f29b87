"""Axes: where a number lies on one, and which round numbers are written along it."""

from __future__ import annotations

import math

import numpy as np

from trueerror.plots._specs import Axis, Floats
from trueerror.results._format import percent

# Shares that are written along a normal-deviate axis.
DEVIATE_TICKS = (0.00001, 0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def placed(value: Floats, axis: Axis) -> Floats:
    """Numbers as they lie on their axis: themselves, their logarithms, or normal quantiles."""
    if axis.scale == "linear":
        return np.asarray(value, dtype=np.float64)
    if axis.scale == "log":
        return np.log10(value, dtype=np.float64)
    from scipy.special import ndtri

    places: Floats = ndtri(value)
    return places


def ends(axis: Axis) -> tuple[float, float]:
    """The placed ends of an axis."""
    low, high = placed(np.array([axis.low, axis.high]), axis).tolist()
    return low, high


def axis_ticks(axis: Axis) -> list[tuple[float, str]]:
    """(placed number, how it is written) along an axis."""
    if axis.scale == "deviate":
        return _placed_ticks([(t, percent(t)) for t in DEVIATE_TICKS], axis)
    if axis.ticks:
        return _placed_ticks([(t, f"{t:,.6g}") for t in axis.ticks], axis)
    if axis.scale == "log":
        exponents = range(math.ceil(math.log10(axis.low)), math.floor(math.log10(axis.high)) + 1)
        return [(float(e), _tick_words(10.0**e)) for e in exponents]
    return ticks(axis.low, axis.high)


def _placed_ticks(wanted: list[tuple[float, str]], axis: Axis) -> list[tuple[float, str]]:
    inside = [(value, words) for value, words in wanted if axis.low <= value <= axis.high]
    places = placed(np.array([value for value, _ in inside], dtype=np.float64), axis)
    return [(float(x), words) for x, (_, words) in zip(places, inside, strict=True)]


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
    return [(v + 0.0, _tick_words(v)) for v in values]


def _tick_words(value: float) -> str:
    shown = f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 or value == 0 else f"{value:.3g}"
    return ("0" if value == 0 else shown).replace("-", "−")
