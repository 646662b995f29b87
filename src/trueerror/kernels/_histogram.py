"""Bins of scores: a monotone map from scores to whole numbers, whose bins have edges that are known to the last bit.

A grid has equal steps between the lowest and the highest score, or steps of leading bits where scores are too uneven
for that. Where many rows share a bin, levels split it further. Whatever the map rounds, it never changes the order of
two scores; the edges are found by bisection among all doubles, so that "at least the edge" and "in this bin or a
higher one" are the same rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats

Ints = NDArray[np.int64]
# Rows at a time: what is made of them stays in the cache, memory is not asked for again and again, and threads seldom
# wait for the interpreter's lock.
BLOCK = 1 << 15


class Steps(NamedTuple):
    """Some bins cut into equal steps: bin b becomes offset[b] + ⌊(x − edge[b])·scale[b]⌋, at most top[b] more."""

    offset: Ints
    edge: Floats
    scale: Floats
    top: Ints


class Pivots(NamedTuple):
    """Some bins cut in three, below, at and above one value that many rows have; NaN leaves a bin whole."""

    offset: Ints
    value: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """`cells` bins over [low, high]. `scale` is bins a unit; NaN stands for steps of leading bits, `shift` of them."""

    low: float
    high: float
    scale: float
    size: int
    shift: int = 0
    levels: tuple[Steps | Pivots, ...] = ()
    cells: int = 0

    def places(self, scores: Array) -> Ints:
        """The bin of each score; scores beyond the ends go to the bins at the ends."""
        values = scores.astype(np.float64, copy=False)
        if math.isnan(self.scale):
            # Shifted before they are subtracted: keys of unlike sign lie too far apart for 64 bits.
            bins = ordered_bits(values) >> np.int64(self.shift)
            bins -= ordered_bits(np.array([self.low])) >> np.int64(self.shift)
            np.clip(bins, 0, self.size - 1, out=bins)
        else:
            steps = values - self.low
            steps *= self.scale
            np.clip(steps, 0.0, self.size - 1.0, out=steps)
            bins = steps.astype(np.int64)
        for level in self.levels:
            bins = _split(level, values, bins)
        return bins

    def edges(self, places: Ints) -> Floats:
        """The lowest score of each of these bins: the smallest double that goes there or higher; the one after the
        highest score where none does."""
        low, high = self._brackets(places)
        open_ = np.flatnonzero(low + 1 < high)
        while len(open_):
            a, b = low[open_], high[open_]
            # Halving apart, since the sum of two keys may not fit.
            middle = (a >> 1) + (b >> 1) + (a & b & 1)
            reached = self.places(from_ordered_bits(middle)) >= places[open_]
            high[open_] = np.where(reached, middle, b)
            low[open_] = np.where(reached, a, middle)
            open_ = open_[low[open_] + 1 < high[open_]]
        edges = from_ordered_bits(high)
        edges[places <= 0] = self.low
        with np.errstate(invalid="ignore"):  # what comes after infinity is no number
            return edges + 0.0

    def _brackets(self, places: Ints) -> tuple[Ints, Ints]:
        """Keys of doubles below and at or above each edge: close ones where the steps are equal, else the ends."""
        ends = ordered_bits(np.array([self.low, self.high]))
        low, high = np.full(len(places), ends[0] - 1), np.full(len(places), ends[1] + 1)
        if math.isnan(self.scale) or self.scale == 0 or self.levels:
            return low, high
        guess = ordered_bits(self.low + places / self.scale)
        below, above = np.maximum(guess - 16, low), np.minimum(guess + 16, high)
        close = (self.places(from_ordered_bits(below)) < places) & (self.places(from_ordered_bits(above)) >= places)
        return np.where(close, below, low), np.where(close, above, high)

    def spans(self, places: Ints) -> tuple[Floats, Floats]:
        """The lowest and the highest double that goes to each of these bins, which ascend."""
        last = places >= self.cells - 1
        needed = np.zeros(self.cells + 1, dtype=bool)
        needed[places] = needed[np.where(last, places, places + 1)] = True
        wanted = np.flatnonzero(needed)
        edges = self.edges(wanted)
        lower, following = edges[np.searchsorted(wanted, places)], edges[np.searchsorted(wanted, places + 1) - last]
        with np.errstate(all="ignore"):  # beside infinity and 0
            return lower, np.where(last, self.high, np.nextafter(following, -math.inf)) + 0.0

    def with_level(self, level: Steps | Pivots, cells: int) -> Grid:
        """The same with some bins cut further."""
        return Grid(self.low, self.high, self.scale, self.size, self.shift, (*self.levels, level), cells)


def even_grid(low: float, high: float, size: int) -> Grid:
    """Equal steps; leading bits where the range is infinite, or so wide or narrow that steps would be equal."""
    width = high - low
    if not width > 0:
        return Grid(low, high, 0.0, 1, cells=1)
    scale = size / width if math.isfinite(width) else math.inf
    if not math.isfinite(scale) or scale < 1e-290:
        return leading_grid(low, high, size)
    # So that the highest score goes to the last bin without being held back.
    while not width * scale < size:
        scale = math.nextafter(scale, 0.0)
    return Grid(low, high, scale, size, cells=size)


def leading_grid(low: float, high: float, size: int) -> Grid:
    """Steps of leading bits: fine near 0, where small probabilities crowd."""
    first, last = (int(v) for v in ordered_bits(np.array([low, high])))
    shift = max(0, (last - first).bit_length() - (size.bit_length() - 1))
    cells = (last >> shift) - (first >> shift) + 1
    return Grid(low, high, math.nan, cells, shift, cells=cells)


def refined(grid: Grid, places: Ints, shares: Floats, spare: int) -> Grid:
    """The grid with these bins cut into steps, `spare` in all, in proportion to their shares."""
    lower, upper = grid.spans(places)
    # From the lowest score of a bin to just beyond its highest.
    with np.errstate(all="ignore"):
        width = np.nextafter(upper, math.inf) - lower
    pieces = np.clip(np.floor(spare * shares / shares.sum()), 2, 1 << 16).astype(np.int64)
    usable = np.isfinite(width) & (upper > lower)
    pieces = np.where(usable, pieces, 1)
    edge, scale = np.zeros(grid.cells), np.zeros(grid.cells)
    top = np.zeros(grid.cells, dtype=np.int64)
    edge[places], top[places] = np.where(usable, lower, 0.0), pieces - 1
    with np.errstate(over="ignore", divide="ignore"):
        steps = np.where(usable, pieces / np.where(usable, width, 1.0), 0.0)
    scale[places] = np.where(np.isfinite(steps), steps, np.finfo(np.float64).max)
    sizes = np.ones(grid.cells, dtype=np.int64)
    sizes[places] = pieces
    offset = np.cumsum(sizes) - sizes
    return grid.with_level(Steps(offset, edge, scale, top), int(sizes.sum()))


def pivoted(grid: Grid, values: Floats) -> Grid:
    """The grid with a bin of its own for each of these values, the first that falls into a bin; ties cannot be cut."""
    places, first = np.unique(grid.places(values), return_index=True)
    value = np.full(grid.cells, np.nan)
    value[places] = values[first]
    sizes = np.ones(grid.cells, dtype=np.int64)
    sizes[places] = 3
    return grid.with_level(Pivots(np.cumsum(sizes) - sizes, value), int(sizes.sum()))


def _split(level: Steps | Pivots, values: Floats, places: Ints) -> Ints:
    bins: Ints = level.offset.take(places)
    if isinstance(level, Pivots):
        pivot = level.value.take(places)
        bins += values >= pivot
        bins += values > pivot
        return bins
    steps = values - level.edge.take(places)
    with np.errstate(over="ignore", invalid="ignore"):
        steps *= level.scale.take(places)
    # A product 0·∞ is no number: such a bin has one piece.
    np.nan_to_num(steps, copy=False, nan=0.0)
    np.clip(steps, 0.0, level.top.take(places), out=steps)
    bins += steps.astype(np.int64)
    return bins


def ordered_bits(values: Floats) -> Ints:
    """Whole numbers that sort as the doubles do; −0.0 is 0.0.

    >>> ordered_bits(np.array([-1.0, -0.0, 0.0, 1.0])).tolist()
    [-4607182418800017408, 0, 0, 4607182418800017408]
    """
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def from_ordered_bits(keys: Ints) -> Floats:
    """The doubles behind such numbers."""
    return np.where(keys < 0, np.int64(-(2**63)) - keys, keys).view(np.float64)


class Counter:
    """Adds rows to counts of bins. Rows wait until there are many: each addition goes through all bins once."""

    def __init__(self, bins: int) -> None:
        self.counts = np.zeros(bins, dtype=np.int64)
        self._waiting = np.empty(max(2 * bins, 1 << 17), dtype=np.int64)
        self._rows = 0

    def add(self, grid: Grid, scores: Array, positive: Array) -> Ints:
        """Count rows, and give the places at which they were counted; these hold until rows are added again."""
        if self._rows + len(scores) > len(self._waiting):
            self.total()
        if len(scores) > len(self._waiting):
            self._waiting = np.empty(len(scores), dtype=np.int64)
        places = self._waiting[self._rows : self._rows + len(scores)]
        self._rows += len(scores)
        tagged_places(grid, scores, positive, places)
        return places

    def total(self) -> Ints:
        """The counts of all rows so far."""
        if self._rows:
            self.counts += np.bincount(self._waiting[: self._rows], minlength=len(self.counts))
            self._rows = 0
        return self.counts


def tagged_places(grid: Grid, scores: Array, positive: Array, out: Ints) -> None:
    """2·bin + whether positive, for scores within the range of the grid."""
    if grid.levels or math.isnan(grid.scale):
        out[:] = grid.places(scores)
    else:
        steps, low = np.empty(min(BLOCK, len(scores))), np.float64(grid.low)
        for start in range(0, len(scores), BLOCK):
            rows = slice(start, start + BLOCK)
            part = steps[: len(scores[rows])]
            np.subtract(scores[rows], low, out=part)
            part *= grid.scale
            out[rows] = part
    out <<= 1
    out += positive
