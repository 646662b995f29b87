"""Where the parts of a critical-difference picture stand: in ranks across, in levels down."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueerror.plots.pictures import Ranks

# Between two levels there is room for one name.
BAR_LEVEL = 0.45


@dataclass(frozen=True, slots=True)
class Elbow:
    """A model's line: from its rank on the axis down to its level, then out to its name."""

    place: int
    rank: float
    level: float
    left: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar over a group, with the ranks of its members."""

    level: float
    ranks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RankLayout:
    """Everything in its place; levels grow downwards from the axis at 0."""

    low: float
    high: float
    elbows: tuple[Elbow, ...]
    bars: tuple[Bar, ...]
    depth: float


def lay_out(picture: Ranks) -> RankLayout:
    """The better half of the models has its names at the left, the best on top; the others at the right."""
    count = len(picture.names)
    bars = _bars(picture)
    first = max((b.level for b in bars), default=0.0) + 0.8
    half = math.ceil(count / 2)
    elbows = []
    for place, rank in enumerate(picture.ranks):
        left = place < half
        down = place if left else count - 1 - place
        elbows.append(Elbow(place, rank, first + down, left))
    # The axis shows all ranks where they are few, and else those that occur.
    whole = count <= 12
    low = 1.0 if whole else float(math.floor(min(picture.ranks)))
    high = float(max(count, 2)) if whole else float(math.ceil(max(picture.ranks)))
    if picture.difference is not None and picture.control is None:
        # The ruler must fit, even where no difference between these ranks could reach it.
        high = max(high, float(math.ceil(low + picture.difference)))
    return RankLayout(low, max(high, low + 1), tuple(elbows), bars, first + max(half - 1, 0))


def ruler(picture: Ranks, layout: RankLayout) -> tuple[float, float, str]:
    """From where to where the critical difference is drawn, and its words: around the control, else from the left."""
    width = picture.difference or 0.0
    if picture.control is None:
        return layout.low, layout.low + width, f"CD = {width:.2f}"
    middle = picture.ranks[picture.control]
    return max(layout.low, middle - width), min(layout.high, middle + width), f"control ± {width:.2f}"


def _bars(picture: Ranks) -> tuple[Bar, ...]:
    """Bars on as few levels as keep them apart."""
    made: list[Bar] = []
    ends: list[float] = []
    for group in sorted(picture.groups):
        ranks = tuple(picture.ranks[i] for i in group)
        level = next((i for i, end in enumerate(ends) if end < ranks[0] - 0.05), len(ends))
        if level == len(ends):
            ends.append(ranks[-1])
        ends[level] = ranks[-1]
        made.append(Bar(BAR_LEVEL * (level + 1), ranks))
    return tuple(made)
