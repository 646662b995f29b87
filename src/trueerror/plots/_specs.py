"""Pictures as plain values: what is to be seen, before it is written as SVG or drawn on matplotlib axes.

Results are turned into one of these; each kind of picture has one SVG writer and one matplotlib twin, so both show the
same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """A name, an estimate and its limits; infinite or one-sided limits become arrows."""

    label: str
    estimate: float
    low: float
    high: float
    side: Literal["two-sided", "lower", "upper"] = "two-sided"
    words: str = ""
    brief: str = ""  # the same without p-values and verdicts, where room is short
    tip: str = ""
    aside: bool = False  # a baseline: hollow and grey
    points: tuple[float, ...] = ()  # what the estimate is the mean of: small dots behind it

    @property
    def drawn(self) -> bool:
        """Whether there is a number to draw."""
        return not math.isnan(self.estimate)

    def dots(self, place: float) -> list[tuple[float, float]]:
        """The points around the row's place, spread up and down by a fixed rule so that equal ones stay apart."""
        return [(x, place + 0.56 * ((i * 0.618034) % 1 - 0.5)) for i, x in enumerate(self.points)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Rows that share one axis."""

    rows: tuple[ForestRow, ...]
    axis: str
    domain: tuple[float, float]
    heading: str = ""
    references: tuple[tuple[float, str], ...] = ()
    margin: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Intervals under each other, in one or several panels, of which `columns` stand beside each other."""

    title: str
    panels: tuple[Panel, ...]
    subtitle: tuple[str, ...] = ()
    columns: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """A matrix of shares with what each cell says; `empty` cells have no share (a class without rows)."""

    title: str
    row_title: str
    column_title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    place: NDArray[np.int64]  # (cells, 2): row, column
    share: Floats
    words: tuple[tuple[str, ...], ...]  # the lines of text in each cell; empty: none is written
    tips: tuple[dict[str, str], ...]
    row_notes: tuple[str, ...] = ()
    subtitle: tuple[str, ...] = ()
    scale_title: str = "share of the row"
    extra_columns: int = 0  # columns at the right that stand apart, such as "no prediction"
    text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Named amounts as horizontal bars, with words at their ends."""

    title: str
    axis: str
    labels: tuple[str, ...]
    amounts: tuple[float, ...]
    words: tuple[str, ...]
    subtitle: tuple[str, ...] = ()
    highest: float | None = None  # where the axis ends; without it, at the longest bar
    starts: tuple[float, ...] = ()  # where the bars begin, when not at 0: then the axis is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of a curve; "deviate" places shares by the normal quantile, "log" amounts by their logarithm.

    `ticks` are where numbers stand, when not at round ones.
    """

    title: str
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "deviate", "log"] = "linear"
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()  # of the ticks, where they are no numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through points. A "curve" stands in the legend, an "aside" too, once for each name and without colour; a
    "reference" carries its words itself.
    """

    x: Floats
    y: Floats
    name: str = ""
    role: Literal["curve", "aside", "hull", "iso", "reference", "faint"] = "curve"
    series: int | None = None  # which colour; lines of one series share it
    tips: dict[str, Floats] = field(default_factory=dict)
    words: str = ""  # written at `words_at`, for references
    words_at: tuple[float, float] | None = None
    align: Literal["left", "center", "right"] = "left"
    shift: tuple[float, float] = (0.0, -8.0)  # of the words, in pixels right and down


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A filled region between two lines over the same x; its kind is named in the legend."""

    x: Floats
    low: Floats
    high: Floats
    name: str
    series: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point with words beside it."""

    x: float
    y: float
    words: str = ""
    shape: Literal["circle", "diamond", "square", "cross"] = "circle"
    series: int | None = None
    align: Literal["left", "center", "right"] = "left"
    shift: tuple[float, float] = (8.0, -11.0)
    hollow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Whiskers:
    """Points with an interval each: upright (`low`, `high`), across (`left`, `right`), or both."""

    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None
    left: Floats | None = None
    right: Floats | None = None
    name: str
    series: int = 0
    tips: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts over bins of x, beneath a curve; the second counts are stacked on the first."""

    edges: Floats
    first: Floats
    second: Floats
    names: tuple[str, str]
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Lines, bands and points over two axes."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    subtitle: tuple[str, ...] = ()
    bands: tuple[Band, ...] = ()
    marks: tuple[Mark, ...] = ()
    whiskers: tuple[Whiskers, ...] = ()
    histogram: Histogram | None = None
    empty_corner: Literal["best", "lower right", "upper left", "lower left", "upper right"] = "best"  # for a legend
    size: tuple[int, int] = (420, 420)
    bare: bool = False  # without axes, which have one unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """Mean ranks on a line, bars over models without a clear difference, and the critical difference."""

    title: str
    names: tuple[str, ...]  # best first
    ranks: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]  # places in `names`
    difference: float | None
    control: int | None = None
    subtitle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Pictures of curves beside each other, each under its own title."""

    title: str
    pictures: tuple[Curves, ...]
    subtitle: tuple[str, ...] = ()


Picture = Forest | Heat | Bars | Curves | Ranks | Row
