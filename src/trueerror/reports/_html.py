"""Parts of the page: tables, intervals and figures, with classes instead of styles, which the page's policy forbids.

Intervals stand under each other as a table: a name, a line with a dot, and the same in figures, which are its text
alternative. Whatever has a picture is a figure: curves with their legend, coloured by the page's style sheet, so that
they follow light and dark, and print; their points answer the pointer and the arrow keys by the page's script, which
gets what they tell from here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NotRequired, TypedDict

import numpy as np
from markupsafe import Markup

from trueerror.inputs._arrays import Floats
from trueerror.plots import picture as picture_of
from trueerror.plots._figure import write_drawing
from trueerror.plots._simplify import axis_ticks, drawn, legend_names
from trueerror.plots._specs import Axis, Band, Curves, Forest, ForestRow, Line, Panel, Picture
from trueerror.plots.svg._charts import axis_marks, interval_marks
from trueerror.plots.svg._curves import (
    BOTTOM,
    TOP,
    HoverLine,
    Plot,
    curves_of,
    fineness,
    hover_lines,
    plot_body,
    series_of,
)
from trueerror.plots.svg._elements import el, inline, joined, outline, place, straight, text, text_width, widest
from trueerror.results._document import Table
from trueerror.results._format import LONGEST_NAME, clip, one_line, real_minus


def clipped(text: object) -> str:
    """User text as one line that is not too long.

    >>> clipped("a\\nb"), len(clipped("x" * 500))
    ('a b', 120)
    """
    return clip(one_line(str(text)), LONGEST_NAME)


def unwrapped(text: str) -> str:
    """Lines of a paragraph as one."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of the page. `folded` ones are closed at first; `lead` stands under the heading.

    On paper folded ones stand in two columns, but the `broad` ones, and those for the `screen` are left off.
    """

    key: str
    title: str
    blocks: tuple[Markup, ...]
    lead: str = ""
    folded: bool = False
    broad: bool = False
    screen: bool = False


def html_table(
    table: Table, *, title: str = "", sortable: bool = False, keys: Sequence[Sequence[float | None]] | None = None
) -> Markup:
    """A table that scrolls sideways inside its own box where the screen is narrow.

    `title` is its caption, if it has none of its own. `keys[row][column]` is what a cell is sorted by, where that is
    not its text.

    >>> print(html_table(Table(columns=("model", "n"), rows=(("<b>", "3"),))))
    <div class="wide" ...<th scope="col" class="name">model</th>...<th scope="row" class="name">&lt;b&gt;</th>...
    """
    caption = table.title or title
    kinds = ["name" if i < table.names else "number" for i in range(len(table.columns))]
    titles = zip(table.columns, kinds, strict=True)
    head = el("tr", *(el("th", clipped(name), scope="col", class_=kind) for name, kind in titles))
    body = [
        el("tr", *(_cell(cell, i, table.names, _key(keys, r, i)) for i, cell in enumerate(row)))
        for r, row in enumerate(table.rows)
    ]
    kind = "sortable" if sortable and len(table.rows) > 1 else None
    return _wide(caption, head, body, kind)


# Longer tables scroll in their box, under a head that stays.
MOST_FREE = 20


def _wide(caption: str, head: Markup, body: Iterable[Markup], kind: str | None) -> Markup:
    above = el("caption", caption) if caption else None
    rows = list(body)
    table = el("table", above, el("thead", head), el("tbody", joined(rows)), class_=kind)
    return scrolled(table, caption, tall=len(rows) > MOST_FREE)


def scrolled(table: Markup, caption: str, *, tall: bool = False) -> Markup:
    """A table in its box: what scrolls must be reachable by keyboard, and what is reachable must have a name."""
    kind = "wide tall" if tall else "wide"
    return el("div", table, class_=kind, tabindex="0", role="group", aria_label=caption or "Table")


def _cell(text: str, column: int, names: int, key: float | None) -> Markup:
    tag, scope = ("th", "row") if column == 0 else ("td", None)
    kind = "name" if column < names else "number"
    content = clipped(text if column < names else real_minus(text))
    # A number that a cell begins with is its key.
    plain = key is None or content.lstrip("+−.")[:1].isdigit()
    return el(tag, content, scope=scope, class_=kind, data_sort=None if plain else f"{key:.6g}")


def _key(keys: Sequence[Sequence[float | None]] | None, row: int, column: int) -> float | None:
    return None if keys is None or row >= len(keys) or column >= len(keys[row]) else keys[row][column]


HEIGHT = 26
# Rows that stand open; a longer list would push the rest of the page away.
MOST_OPEN = 10


def html_forest(picture: Forest) -> Markup:
    """All panels of a forest, with its title and what is said beneath it."""
    notes = [el("p", line, class_="note") for line in picture.subtitle]
    return el("div", joined([html_panel(p, picture.title) for p in picture.panels]), joined(notes), class_="forests")


def html_panel(panel: Panel, title: str = "") -> Markup:
    """One panel: rows that share an axis. Of many rows the first stand open, the others are folded."""
    caption = panel.heading or panel.axis or title
    if len(panel.rows) <= MOST_OPEN + 2:
        return _table(panel, panel.rows, caption)
    rest = panel.rows[MOST_OPEN:]
    folded = el("details", el("summary", f"{len(rest)} more"), _table(panel, rest, f"{caption}, continued"))
    return _table(panel, panel.rows[:MOST_OPEN], caption) + folded


def _table(panel: Panel, rows: tuple[ForestRow, ...], caption: str) -> Markup:
    scale = el("svg", *axis_marks(panel), width="100%", height="22", class_="te-picture", aria_hidden="true")
    axis = el("tr", el("td"), el("td", scale), el("td"), class_="axis", aria_hidden="true")
    body = el("tbody", joined([_row(row, panel) for row in rows]), axis)
    return el("table", el("caption", caption) if caption else None, body, class_="forest")


def _row(row: ForestRow, panel: Panel) -> Markup:
    look = "te-picture interval aside" if row.aside else "te-picture interval"
    line = el("svg", *interval_marks(row, panel, HEIGHT), width="100%", height=HEIGHT, class_=look, aria_hidden="true")
    name = el("th", clipped(row.label), scope="row", class_="name")
    return el("tr", name, el("td", line), el("td", row.words, class_="words"))


# As many curves have a colour of their own; the others are grey until they are pointed at.
COLOURED = 7
# Points that answer to the pointer, in one picture, and in one that is looked at less; each costs about forty bytes.
MOST_HOVERED, FEW_HOVERED = 900, 240


def svg_curves(picture: Curves, gallery: Gallery, *, words: str, points: int = MOST_HOVERED) -> Markup:
    """The picture with its legend; what its points tell goes to the gallery. `words` is the text alternative.

    Of several bands the first is seen; the others appear with the curve that is pointed at.
    """
    plot = Plot(replace(picture, bands=()), COLOURED)
    width, height = plot.size
    bands, later = _bands(picture.bands, plot)
    body = el(
        "svg",
        el("title", words),
        bands,
        plot_body(plot),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        class_="te-picture plot",
        data_picture=gallery.told(hover_lines(plot, points), later),
    )
    return el("div", body, legend(plot, picture.bands), class_="picture")


def _bands(bands: Sequence[Band], plot: Plot) -> tuple[Markup | None, list[str]]:
    """The bands, beneath everything and cut at the axes; the shapes of all but the first are for the page's script."""
    if not bands:
        return None, []
    x, y, (width, height) = plot.left, TOP, plot.picture.size
    shapes: list[Markup] = []
    later: list[str] = []
    fine = replace(plot.picture, size=fineness(plot.picture.size, 1 + 4 * (len(bands) - 1)))
    for i, band in enumerate(bands):
        edges = [drawn(Line(x=band.x, y=side), fine) for side in (band.low, band.high)]
        low, high = (plot.spots(e.x, e.y) for e in edges)
        look, shape = f"band {plot.look(band.series)[0]}", outline([*low, *reversed(high)], closed=True)
        if i:
            later.append(shape)
        shapes.append(el("path", d=None if i else shape, class_=f"{look} quiet" if i else look, data_band=band.series))
    box_ = f"{place(x)} {y} {width} {height}"
    made = el("svg", *shapes, x=place(x), y=y, width=width, height=height, viewBox=box_, class_="bands",
              aria_hidden="true")  # fmt: skip
    return made, later


# Curves that a legend names at once; more are folded.
MOST_NAMED = 12


def legend(plot: Plot, bands: Sequence[Band] = ()) -> Markup | None:
    """The curves by name, as a list beside the picture, and what the band is."""
    picture, curves = plot.picture, curves_of(plot.picture)
    if not any(n.name for n in curves) or (len(curves) == 1 and not picture.histogram):
        return None
    names = legend_names(picture)
    items = []
    for i, line in enumerate(curves):
        kind, dash = plot.look(series_of(line, i))
        swatch = el("line", x1="1", x2="25", y1="6", y2="6", class_=f"curve {kind}", stroke_dasharray=dash)
        series = series_of(line, i)
        # Of those without a colour of their own the style sheet draws it.
        made = [None if kind == "rest" else _swatch(swatch), el("span", names[i])]
        items.append(el("li", *made, class_="grey" if kind == "rest" else None, data_line=i,
                        data_series=None if series == i else series))  # fmt: skip
    if picture.histogram:
        for name, kind in zip(picture.histogram.names, ("first", "second"), strict=True):
            square = el("rect", x="7", y="0", width="12", height="12", class_=f"bar {kind}")
            items.append(el("li", _swatch(square), el("span", name)))
    if bands:
        square = el("rect", x="4", y="0", width="18", height="12", class_=f"band key {plot.look(bands[0].series)[0]}")
        items.append(el("li", _swatch(square), el("span", bands[0].name), class_="about"))
    rest = items[MOST_NAMED:-1] if bands else items[MOST_NAMED:]
    if len(rest) < 3:
        return el("ul", joined(items), class_="legend")
    kept = [i for i in items if i not in rest]
    more = el("details", el("summary", f"{len(rest)} more"), el("ul", joined(rest), class_="legend"))
    return el("div", el("ul", joined(kept), class_="legend"), more, class_="legends")


def _swatch(shape: Markup) -> Markup:
    return el("svg", shape, width="26", height="12", class_="te-picture", aria_hidden="true")


Places = list[float | None]


class Hover(TypedDict):
    """What the points of a picture tell: for each line its name, its places in pixels and columns of words."""

    titles: list[str]
    lines: list[tuple[str, Places, Places, list[list[str]]]]
    bands: NotRequired[list[str]]


def _hover(lines: Sequence[HoverLine], bands: Sequence[str]) -> Hover:
    rows: list[tuple[str, Places, Places, list[list[str]]]] = []
    for line in lines:
        xs, ys = ([round(at[i], 1) if math.isfinite(at[i]) else None for at in line.at] for i in (0, 1))
        rows.append((clipped(line.name), xs, ys, line.told))
    made: Hover = {"titles": list(lines[0].titles), "lines": rows}
    return {**made, "bands": list(bands)} if bands else made


def packed_hover(pictures: Mapping[str, Hover]) -> dict[str, object]:
    """What hovering tells as the page reads it: tenths of a pixel, each as what it adds; words in one text."""

    def added(places: Sequence[float | None]) -> list[int | None]:
        out: list[int | None] = []
        at = 0
        for x in places:
            out.append(None if x is None else round(10 * x) - at)
            at = at if x is None else round(10 * x)
        return out

    def row(
        name: str, xs: Sequence[float | None], ys: Sequence[float | None], columns: Sequence[Sequence[str]]
    ) -> list[object]:
        texts = [re.sub(r"(^|\|)0\.", r"\1.", "|".join(column)) for column in columns]
        return [name, added(xs), added(ys), texts]

    return {key: {**picture, "lines": [row(*line) for line in picture["lines"]]} for key, picture in pictures.items()}


class Gallery:
    """Draws figures, and keeps what their points, and the cells of large matrices of pairs, tell the pointer."""

    def __init__(self) -> None:
        self.hover: dict[str, Hover] = {}
        self.pairs: list[list[str]] = []

    def told(self, lines: Sequence[HoverLine], bands: Sequence[str] = ()) -> str | None:
        """Keep what the points of a picture tell, and shapes of bands that are seen later; the name to find them by."""
        if not lines:
            return None
        self.hover[key := f"p{len(self.hover) + 1}"] = _hover(lines, bands)
        return key

    def figure(self, result: object) -> Markup:
        """The figure of a result, or of several of one kind by name."""
        return self.draw(picture_of(result))

    def draw(self, picture: Picture, caption: str = "", *, titled: bool = True, points: int = MOST_HOVERED) -> Markup:
        """The figure of a picture that was already composed; without its title where a heading says it."""
        if isinstance(picture, Forest):
            return html_forest(picture)
        title = caption or picture.title
        words = ". ".join([title, *picture.subtitle])
        if isinstance(picture, Curves):
            figure = svg_curves(picture, self, words=words, points=points)
        else:
            # Its words must stay large enough to be read: on a narrow screen it is scrolled, not shrunk.
            figure = el("div", inline(write_drawing(picture), words), class_="wide", tabindex="0", role="region",
                      aria_label=title)  # fmt: skip
        return framed(figure, title, [note for note in picture.subtitle if note], titled=titled)

    def zoomed(self, picture: Curves, corner: Curves | None, *, points: int = MOST_HOVERED) -> Markup:
        """The picture; where there is a corner to look at, that at first, with a box that brings the whole back."""
        if corner is None:
            return self.draw(picture, points=points)
        name = f"zoom-{len(self.hover) + 1}"
        switch = el("input", type="checkbox", checked=True, id=name, data_zoom=True, autocomplete="off")
        return el(
            "div",
            el("label", switch, " Zoom into the corner", for_=name, class_="js-only zoom"),
            el("div", self.draw(corner, points=points), data_view="corner"),
            el("div", self.draw(picture, points=points), data_view="whole", hidden=True),
            class_="zoomable",
        )


def framed(made: Markup, title: str, notes: Sequence[str] = (), *, titled: bool = True) -> Markup:
    """A drawing with its title above and what is to be known of it beneath."""
    above = el("figcaption", el("b", title)) if titled else None
    return el("figure", above, made, *(el("p", note, class_="note") for note in notes), data_title=title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """Rows with a point and its limits for each series: classes or slices by model, the worst row first."""

    title: str
    axis: str
    rows: tuple[str, ...]
    notes: tuple[str, ...]  # beside each row, such as its number of rows
    series: tuple[str, ...]
    estimate: Floats  # (rows, series)
    low: Floats
    high: Floats
    overall: Floats  # of each series, drawn as a line
    subtitle: tuple[str, ...] = ()


DOT_ROW, DOT_GAP, DOT_WIDTH = 11, 8, 330


def svg_dots(picture: Dots, *, limits: tuple[float, float]) -> Markup:
    """The dot plot as a figure: a colour a series, side by side in a row; `limits` are where the axis may end."""
    known = [v[np.isfinite(v)] for v in (picture.estimate, picture.low, picture.high, picture.overall)]
    every = np.concatenate([v.ravel() for v in known])
    low, high = (float(every.min()), float(every.max())) if len(every) else limits
    pad = 0.04 * (high - low) or 0.05
    axis = Axis(title=picture.axis, low=max(limits[0], low - pad), high=min(limits[1], high + pad))
    left = min(260.0, widest(picture.rows) + 14)
    right = widest(picture.notes) + 14
    step = DOT_ROW * len(picture.series) + DOT_GAP
    top, bottom = 6.0, 6.0 + step * len(picture.rows)
    plot = Plot(Curves(title="", x=axis, y=axis, lines=()), COLOURED)

    def x(value: float) -> float:
        return left + DOT_WIDTH * (value - axis.low) / (axis.high - axis.low)

    parts: list[Markup] = []
    for value, words in axis_ticks(axis):
        parts += [straight(x(value), top, x(value), bottom, "grid"), text(words, x(value), bottom + 16, align="center")]
    for j in range(len(picture.series)):
        if math.isfinite(picture.overall[j]):
            at = x(float(picture.overall[j]))
            parts.append(el("line", x1=place(at), x2=place(at), y1=place(top), y2=place(bottom),
                            class_=f"overall {plot.look(j)[0]}"))  # fmt: skip
    for i, name in enumerate(picture.rows):
        start = top + step * i
        middle = start + step / 2
        if i:
            parts.append(straight(0, start, left + DOT_WIDTH + right, start, "grid"))
        label = name if text_width(name) <= left - 10 else f"{name[: max(1, int(left / 8))]}…"
        parts.append(text(label, left - 10, middle + 4, align="right", kind="name"))
        parts.append(text(picture.notes[i], left + DOT_WIDTH + 10, middle + 4))
        for j, series in enumerate(picture.series):
            value, lower, upper = (float(v[i, j]) for v in (picture.estimate, picture.low, picture.high))
            if not math.isfinite(value):
                continue
            y, kind = start + DOT_GAP / 2 + DOT_ROW * (j + 0.5), plot.look(j)[0]
            tooltip = el("title", f"{name}, {series}: {value:.3g} [{lower:.3g}, {upper:.3g}]")
            if math.isfinite(lower) and math.isfinite(upper):
                parts.append(straight(x(max(lower, axis.low)), y, x(min(upper, axis.high)), y, f"limits {kind}"))
            parts.append(el("circle", tooltip, cx=place(x(value)), cy=place(y), r="4", class_=f"point {kind}"))
    width, height = left + DOT_WIDTH + right, bottom + BOTTOM - 4
    parts.append(text(f"{picture.axis} →", left + DOT_WIDTH, bottom + 34, align="right", kind="axis"))
    words = ". ".join([picture.title, *picture.subtitle])
    drawing = el("svg", el("title", words), *parts, viewBox=f"0 0 {width:.0f} {height:.0f}", width=f"{width:.0f}",
                 role="img", class_="te-picture dots")  # fmt: skip
    names = [
        el("li", _swatch(el("circle", cx="13", cy="6", r="4.5", class_=f"point {plot.look(j)[0]}")), el("span", name))
        for j, name in enumerate(picture.series)
    ]
    key = el("ul", *names, class_="legend across") if len(names) > 1 else None
    region = el("div", drawing, class_="wide", tabindex="0", role="region", aria_label=picture.title)
    return framed(el("div", key, region, class_="picture-rows"), picture.title, picture.subtitle)
