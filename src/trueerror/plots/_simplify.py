"""From a picture's values to what is drawn of them: axes and their ticks, lines thinned to the pixels, legend names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueerror.inputs._arrays import Floats
from trueerror.plots._specs import Axis, Curves, Line
from trueerror.plots._text import distinct
from trueerror.results._format import percent

Ints = NDArray[np.int64]

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
        names = axis.names or [f"{t:,.6g}" for t in axis.ticks]
        return _placed_ticks(list(zip(axis.ticks, names, strict=True)), axis)
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
    if value == 0:
        return "0"
    return (f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 else f"{value:.3g}").replace("-", "−")


# The two steps may err by this many pixels each; together they stay below one.
COLUMN = 0.5
CHORD = 0.25
LARGEST_ERROR = COLUMN + CHORD
# Rows looked at in one go, so that ten million points need no copies of ten million.
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Thinned:
    """Which points to draw, and how far in pixels the drawn line may be from the true one (never above 0.75)."""

    index: Ints
    error: float
    of: int

    def __str__(self) -> str:
        return f"{len(self.index):,} of {self.of:,} points are drawn, nowhere more than {self.error:.2g} pixel off"


def thin(
    x: ArrayLike, y: ArrayLike, pixels: tuple[float, float], *, ranges: Sequence[tuple[float, float]] | None = None
) -> Thinned:
    """The points of a polyline that are needed to draw it on `pixels` (width, height).

    `ranges` are ((x low, x high), (y low, y high)) of the axes; without them, of the points. The Hausdorff distance
    between the line through the kept points and the line through all of them is at most `error` < 1 pixel: of the
    points within a column of half a pixel only the first, last, lowest and highest are kept (the line between them
    passes every height that the true one passes, within the column), then Douglas and Peucker's algorithm drops what
    lies within a quarter of a pixel of the line through its neighbours. Source of the second: Douglas and Peucker
    1973, Cartographica 10:112.

    >>> x = np.linspace(0, 1, 1_000_001)
    >>> kept = thin(x, x * x, (400, 400))
    >>> len(kept.index) < 100, kept.error < 1
    (True, True)
    """
    xs, ys = (np.asarray(v, dtype=np.float64) for v in (x, y))
    if xs.shape != ys.shape or xs.ndim != 1:
        raise ValueError(f"x and y must be equally long lists of numbers, not {xs.shape} and {ys.shape}")
    if len(xs) <= 2:
        return Thinned(np.arange(len(xs)), 0.0, len(xs))
    spans = ranges or ((np.min(xs), np.max(xs)), (np.min(ys), np.max(ys)))
    (left, across), (bottom, up) = ((float(low), float(high) - float(low)) for low, high in spans)
    scale = (pixels[0] / across if across > 0 else 0.0, pixels[1] / up if up > 0 else 0.0)
    kept, error = np.arange(len(xs)), 0.0
    # Four points a column: where that many points would not be fewer, the first step cannot help.
    if len(xs) > 4 * pixels[0] / COLUMN:
        kept, error = _by_columns(xs, ys, left, scale)
    px, py = (xs[kept] - left) * scale[0], (ys[kept] - bottom) * scale[1]
    if not (np.isfinite(px).all() and np.isfinite(py).all()):
        raise ValueError("a curve to be drawn must have finite points only")
    simplified, more = _douglas_peucker(px, py, CHORD)
    return Thinned(kept[simplified], error + more, len(xs))


def _by_columns(x: Floats, y: Floats, left: float, scale: tuple[float, float]) -> tuple[Ints, float]:
    """First, lowest, highest and last point of each run of points in one column, and the error of that in pixels."""
    parts: list[Ints] = []
    worst = 0.0
    for begin in range(0, len(x), CHUNK):
        xs, ys = x[begin : begin + CHUNK], y[begin : begin + CHUNK]
        column = np.floor((xs - left) * (scale[0] / COLUMN))
        starts = np.concatenate(([0], np.flatnonzero(column[1:] != column[:-1]) + 1))
        ends = np.concatenate((starts[1:], [len(xs)]))
        low, high = np.minimum.reduceat(ys, starts), np.maximum.reduceat(ys, starts)
        wide = np.maximum.reduceat(xs, starts) - np.minimum.reduceat(xs, starts)
        # Both lines pass every height within the column, so they differ by at most its width; where the first and the
        # last point span the column both also pass every x, so they differ by at most its height too.
        spanned = np.abs(xs[ends - 1] - xs[starts]) >= wide
        tall = np.where(spanned, (high - low) * scale[1], np.inf)
        lengths = ends - starts
        off = np.minimum(wide * scale[0], tall)[lengths > 2]
        worst = max(worst, float(off.max(initial=0.0)))
        extremes = [_first_at(ys, bound, starts, lengths) for bound in (low, high)]
        parts.append(np.unique(np.concatenate((starts, ends - 1, *extremes))) + begin)
    return np.concatenate(parts), worst


def _first_at(y: Floats, bound: Floats, starts: Ints, lengths: Ints) -> Ints:
    """Index of the first point in each run that is at the run's bound."""
    hits = np.flatnonzero(y == np.repeat(bound, lengths))
    return hits[np.searchsorted(hits, starts)]


def _douglas_peucker(x: Floats, y: Floats, tolerance: float) -> tuple[Ints, float]:
    """Indexes that are kept, and the largest distance of a dropped point from its chord."""
    keep = np.zeros(len(x), dtype=bool)
    keep[0] = keep[-1] = True
    worst = 0.0
    stack = [(0, len(x) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        distance = _from_chord(x, y, first, last)
        far = int(np.argmax(distance))
        if distance[far] > tolerance:
            middle = first + 1 + far
            keep[middle] = True
            stack += [(first, middle), (middle, last)]
        else:
            worst = max(worst, float(distance[far]))
    return np.flatnonzero(keep), worst


def _from_chord(x: Floats, y: Floats, first: int, last: int) -> Floats:
    """Distance of each point between two from the segment (not the line) between them."""
    dx, dy = x[last] - x[first], y[last] - y[first]
    px, py = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
    square = dx * dx + dy * dy
    along = np.clip((px * dx + py * dy) / square, 0.0, 1.0) if square > 0 else np.zeros_like(px)
    distance: Floats = np.hypot(px - along * dx, py - along * dy)
    return distance


# Points of one curve that answer to the pointer; at this many their circles overlap along the longest curve.
HOVERED = 120


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """The places of the points that are drawn, and how far off the line through them may be."""

    x: Floats
    y: Floats
    thinned: Thinned


def drawn(line: Line, picture: Curves) -> DrawnLine:
    """The points of a line that are needed at the picture's size."""
    x, y = placed(line.x, picture.x), placed(line.y, picture.y)
    # On normal-deviate axes rates of 0 and 1 are infinitely far away: the line ends before them.
    finite = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    kept = thin(x[finite], y[finite], picture.size, ranges=(ends(picture.x), ends(picture.y)))
    index = finite[kept.index]
    return DrawnLine(x[index], y[index], Thinned(index, kept.error, kept.of))


def hover_places(line: Line, picture: Curves) -> NDArray[np.int64]:
    """Indexes of points spread evenly along a line, as it is seen."""
    x, y = placed(line.x, picture.x), placed(line.y, picture.y)
    # A point put between two of the curve's own has nothing exact to tell.
    known = np.logical_and.reduce([~np.isnan(tip) for tip in line.tips.values()], initial=True)
    points = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & known)
    if len(points) <= HOVERED:
        return points
    spans = [high - low for low, high in (ends(picture.x), ends(picture.y))]
    steps = np.abs(np.diff(x[points])) / spans[0] + np.abs(np.diff(y[points])) / spans[1]
    along = np.concatenate(([0.0], np.cumsum(steps)))
    places = np.searchsorted(along, np.linspace(0.0, along[-1], HOVERED))
    spread: NDArray[np.int64] = points[np.unique(np.minimum(places, len(points) - 1))]
    return spread


def aside_names(picture: Curves) -> list[str]:
    """What stands in the legend beneath the curves: each kind of line beside them, once."""
    return list(dict.fromkeys(line.name for line in picture.lines if line.role == "aside" and line.name))


def legend_names(picture: Curves) -> list[str]:
    """A different name for each curve, in order."""
    curves = [line for line in picture.lines if line.role == "curve"]
    if len(curves) == 1:
        return [curves[0].name]
    return distinct((line.name for line in curves), columns=90)
