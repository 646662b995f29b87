"""From a line to what is drawn of it: placed on the axes, thinned to the pixels, named in the legend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueerror.plots.labels import distinct
from trueerror.plots.pictures import Axis, Curves, Floats, Line
from trueerror.plots.thinning import Thinned, thin

# Points of one curve that answer to the pointer; at this many their circles overlap along the longest curve.
HOVERED = 120


@dataclass(frozen=True, slots=True)
class Drawn:
    """The places of the points that are drawn, and how far off the line through them may be."""

    x: Floats
    y: Floats
    thinned: Thinned


def placed(share: Floats, axis: Axis) -> Floats:
    """Where a number lies on its axis."""
    if axis.scale == "linear":
        return np.asarray(share, dtype=np.float64)
    if axis.scale == "log":
        return np.log10(share, dtype=np.float64)
    from scipy.special import ndtri

    places: Floats = ndtri(share)
    return places


def drawn(line: Line, picture: Curves) -> Drawn:
    """The points of a line that are needed at the picture's size."""
    x, y = placed(line.x, picture.x), placed(line.y, picture.y)
    # On normal-deviate axes rates of 0 and 1 are infinitely far away: the line ends before them.
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    ranges = [placed(np.array([a.low, a.high]), a) for a in (picture.x, picture.y)]
    kept = thin(x[there], y[there], picture.size, ranges=ranges)
    index = there[kept.index]
    return Drawn(x[index], y[index], Thinned(index, kept.error, kept.of))


def hover_places(line: Line, picture: Curves) -> NDArray[np.int64]:
    """Indexes of points spread evenly along a line, as it is seen."""
    x, y = placed(line.x, picture.x), placed(line.y, picture.y)
    # A point put between two of the curve's own has nothing exact to tell.
    known = np.logical_and.reduce([~np.isnan(tip) for tip in line.tips.values()], initial=True)
    there = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & known)
    if len(there) <= HOVERED:
        return there
    spans = [float(np.diff(placed(np.array([a.low, a.high]), a))[0]) for a in (picture.x, picture.y)]
    steps = np.abs(np.diff(x[there])) / spans[0] + np.abs(np.diff(y[there])) / spans[1]
    along = np.concatenate(([0.0], np.cumsum(steps)))
    places = np.searchsorted(along, np.linspace(0.0, along[-1], HOVERED))
    spread: NDArray[np.int64] = there[np.unique(np.minimum(places, len(there) - 1))]
    return spread


def aside_names(picture: Curves) -> list[str]:
    """What stands in the legend beneath the curves: each kind of line beside them, once."""
    return list(dict.fromkeys(line.name for line in picture.lines if line.role == "aside" and line.name))


def legend_names(picture: Curves) -> list[str]:
    """A different name for each curve, in order."""
    curves = [line for line in picture.lines if line.role == "curve"]
    if len(curves) == 1:
        return [curves[0].name]
    return distinct((line.name for line in curves), room=90)
