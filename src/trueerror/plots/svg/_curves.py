"""Curves as SVG: bands beneath, references, curves, points, words; for files and notebooks with a legend beside them.

The report draws the same plot and has its legend as a list of the page, and a script that answers the pointer. Files
run no script: there unseen points along the curves tell the browser's own tooltip where they lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup

from trueerror.inputs._arrays import Floats
from trueerror.plots._simplify import aside_names, axis_ticks, drawn, ends, hover_places, legend_names, placed
from trueerror.plots._specs import Band, Curves, Histogram, Line, Mark, Row, Whiskers
from trueerror.plots._style import PALETTE, series_style
from trueerror.plots._text import fold, plain
from trueerror.plots.svg._elements import Drawing, box, corners, el, joined, outline, place, straight, text, widest
from trueerror.results._format import number

LEFT, TOP, RIGHT, BOTTOM = 46, 26, 12, 44
HISTOGRAM = 70
# What lies on an axis is not cut off, by so many pixels.
OVERLAP = 3
# Points that answer to the pointer, in one picture of a file; each costs about 150 bytes.
MOST_HOVERED = 480
LEGEND_COLUMNS = 46
LEGEND_LINE = WORDS_LINE = 15
DRAWING_ORDER = {"faint": 0, "reference": 1, "aside": 1, "iso": 2, "hull": 4}


@dataclass(frozen=True)
class Plot:
    """A picture's plot and where it lies; `coloured` is how many curves have a colour of their own, None for all."""

    picture: Curves
    coloured: int | None = None

    @cached_property
    def left(self) -> float:
        """Pixels from the left edge to the plot: room for what is written along the axis."""
        return max(float(LEFT), widest(words for _, words in axis_ticks(self.picture.y)) + 12)

    @property
    def right(self) -> float:
        """Pixels beside the plot: room for words that stand there, and for half a number under the axis."""
        return max(float(RIGHT), widest(self.beside) + 10 if self.beside else 0.0)

    @property
    def beside(self) -> list[str]:
        """Words that stand at the right of the plot."""
        p = self.picture
        return [n.words for n in p.lines if n.words_at and n.words_at[0] >= p.x.high and n.align == "left"]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with everything around the plot."""
        width, height = self.picture.size
        under = HISTOGRAM if self.picture.histogram else 0
        return self.left + width + self.right, TOP + height + BOTTOM + under

    def x(self, value: Any) -> Any:
        """Pixels from the left, of a number as it was placed on its axis."""
        low, high = ends(self.picture.x)
        return self.left + self.picture.size[0] * (value - low) / (high - low)

    def y(self, value: Any) -> Any:
        """Pixels from the top."""
        low, high = ends(self.picture.y)
        return TOP + self.picture.size[1] * (1 - (value - low) / (high - low))

    def pixels(self, x: Floats, y: Floats) -> list[tuple[float, float]]:
        """Where points lie that were not placed yet."""
        return self.spots(placed(x, self.picture.x), placed(y, self.picture.y))

    def spots(self, x: Floats, y: Floats) -> list[tuple[float, float]]:
        """Where points lie that were placed on their axes."""
        return list(zip(self.x(x).tolist(), self.y(y).tolist(), strict=True))

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where one point lies."""
        return self.pixels(np.array([x]), np.array([y]))[0]

    def look(self, series: int) -> tuple[str, str | None]:
        """Class and dash of a series: grey where there are too many for colours."""
        if self.coloured is not None and series >= self.coloured:
            return "rest", None
        return f"c{series % len(PALETTE)}", " ".join(str(d) for d in series_style(series)[1]) or None


def curves_of(picture: Curves) -> list[Line]:
    """The lines that stand in the legend by name."""
    return [line for line in picture.lines if line.role == "curve"]


def series_of(line: Line, position: int) -> int:
    """Which colour a curve has: its own, or that of its position."""
    return position if line.series is None else line.series


def plot_body(plot: Plot) -> Markup:
    """Everything between and along the axes."""
    picture = plot.picture
    inner = [_band(b, plot) for b in picture.bands]
    beside = sorted((n for n in picture.lines if n.role != "curve"), key=lambda line: DRAWING_ORDER[line.role])
    inner += [_plain_line(n, plot) for n in beside if n.role != "hull"]
    curves = curves_of(picture)
    fine = replace(picture, size=fineness(picture.size, len(curves)))
    for i, line in enumerate(curves):
        kind, dash = plot.look(series_of(line, i))
        inner.append(_path(line, plot, fine, class_=f"curve {kind}", stroke_dasharray=dash, data_line=i))
    inner += [_plain_line(n, plot) for n in beside if n.role == "hull"]
    inner += [part for w in picture.whiskers for part in _whiskers(w, plot)]
    parts = [_frame(plot), _clipped(inner, plot)]
    parts += [_mark(m, plot) for m in picture.marks]
    parts += [_words(one, plot) for one in words_apart(plot)]
    if picture.histogram:
        parts += _histogram(picture.histogram, plot)
    return joined(parts)


def _clipped(parts: list[Markup], plot: Plot) -> Markup:
    """What belongs to the plot: where it goes beyond the axes it is cut off, a line's breadth outside of them."""
    width, height = (side + 2 * OVERLAP for side in plot.picture.size)
    x, y = place(plot.left - OVERLAP), TOP - OVERLAP
    return el(
        "svg", joined(parts), x=x, y=y, width=width, height=height, viewBox=f"{x} {y} {width} {height}", class_="inner"
    )


def fineness(size: tuple[int, int], curves: int) -> tuple[int, int]:
    """Many curves are drawn a little coarser, so that the page stays small."""
    factor = 1.0 if curves <= 8 else 0.4 if curves <= 20 else 0.25
    return round(size[0] * factor), round(size[1] * factor)


def _frame(plot: Plot) -> Markup:
    p = plot.picture
    left, right = plot.left, plot.left + p.size[0]
    top, bottom = TOP, TOP + p.size[1]
    across = [(plot.x(value), words) for value, words in axis_ticks(p.x)]
    up = [(plot.y(value), words) for value, words in axis_ticks(p.y)]
    lines = [[(x, top), (x, bottom)] for x, _ in across] + [[(left, y), (right, y)] for y, _ in up]
    parts = [el("path", d="".join(map(outline, lines)), class_="grid")]
    if not p.histogram:
        parts.append(el("g", *(text(words, x, bottom + 18) for x, words in _apart(across)), text_anchor="middle"))
    parts.append(el("g", *(text(words, left - 7, y + 4) for y, words in up), text_anchor="end"))
    if p.y.title.strip():
        parts.append(text("↑ " + p.y.title, 0, 13, kind="axis"))
    if p.x.title.strip():
        under = bottom + (HISTOGRAM if p.histogram else 0) + 38
        x, align = (0.0, "left") if widest([p.x.title + " →"]) > right else (right, "right")
        parts.append(text(p.x.title + " →", x, under, align=align, kind="axis"))
    return joined(parts)


def _apart(places: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Words along an axis, without those that would stand on the ones before."""
    kept: list[tuple[float, str]] = []
    for x, words in places:
        if not kept or x - kept[-1][0] > (widest([words]) + widest([kept[-1][1]])) / 2 + 5:
            kept.append((x, words))
    return kept


def _path(line: Line, plot: Plot, picture: Curves, **look: object) -> Markup:
    shape = drawn(line, picture)
    return el("path", d=outline(plot.spots(shape.x, shape.y)), **look)


def _plain_line(line: Line, plot: Plot) -> Markup:
    colour = "" if line.series is None else f" {plot.look(line.series)[0]}"
    role = "beside" if line.role == "aside" else line.role
    return _path(line, plot, plot.picture, class_=f"line {role}{colour}")


def _band(band: Band, plot: Plot) -> Markup:
    edges = [drawn(Line(x=band.x, y=y), plot.picture) for y in (band.low, band.high)]
    low, high = (plot.spots(e.x, e.y) for e in edges)
    return el("path", d=outline([*low, *reversed(high)], closed=True), class_=f"band {plot.look(band.series)[0]}")


def _whiskers(w: Whiskers, plot: Plot) -> list[Markup]:
    kind = plot.look(w.series)[0]
    parts = []
    for i, (x, y) in enumerate(plot.pixels(w.x, w.y)):
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        if w.low is not None and w.high is not None and not math.isnan(w.low[i] + w.high[i]):
            low, high = (plot.pixel(w.x[i], v[i])[1] for v in (w.low, w.high))
            caps = [straight(x - 3, end, x + 3, end, f"limits {kind}") for end in (low, high)]
            parts += [straight(x, low, x, high, f"limits {kind}"), *caps]
        if w.left is not None and w.right is not None and not math.isnan(w.left[i] + w.right[i]):
            left, right = (plot.pixel(v[i], w.y[i])[0] for v in (w.left, w.right))
            caps = [straight(end, y - 3, end, y + 3, f"limits {kind}") for end in (left, right)]
            parts += [straight(left, y, right, y, f"limits {kind}"), *caps]
        parts.append(el("circle", cx=place(x), cy=place(y), r="3.5", class_=f"point {kind}"))
    return parts


# Corners of the shapes of marks around their middle.
SHAPES = {
    "diamond": ((0, -6), (6, 0), (0, 6), (-6, 0)),
    "square": ((-4, -4), (4, -4), (4, 4), (-4, 4)),
    "cross": (
        (-2, -6), (2, -6), (2, -2), (6, -2), (6, 2), (2, 2), (2, 6), (-2, 6), (-2, 2), (-6, 2), (-6, -2), (-2, -2),
    ),
}  # fmt: skip


def _mark(mark: Mark, plot: Plot) -> Markup:
    x, y = plot.pixel(mark.x, mark.y)
    colour = "" if mark.series is None else f" {plot.look(mark.series)[0]}"
    kind = f"mark{' hollow' if mark.hollow else ''}{colour}"
    if mark.shape == "circle":
        return el("circle", cx=place(x), cy=place(y), r="4.5", class_=kind)
    return el("polygon", points=corners((x + dx, y + dy) for dx, dy in SHAPES[mark.shape]), class_=kind)


@dataclass(frozen=True, slots=True)
class PlacedWords:
    """What a mark or a line says, beside its point by `shift` pixels right and down."""

    words: str
    at: tuple[float, float]
    align: str
    shift: tuple[float, float]
    of_mark: bool
    of_reference: bool = False


def words_apart(plot: Plot) -> list[PlacedWords]:
    """What marks and lines say; where words would stand on others they move down, or are left out."""
    picture = plot.picture
    wanted = [PlacedWords(m.words, (m.x, m.y), m.align, m.shift, True) for m in picture.marks if m.words]
    wanted += [
        PlacedWords(n.words, n.words_at, n.align, n.shift, False, n.role == "reference")
        for n in picture.lines
        if n.words and n.words_at
    ]
    taken: list[tuple[float, float, float]] = []
    kept = []
    for one in wanted:
        x, y = plot.pixel(*one.at)
        wide = widest([one.words])
        left = x + one.shift[0] - {"left": 0.0, "center": wide / 2, "right": wide}[one.align]
        for down in (0.0, WORDS_LINE, 2.0 * WORDS_LINE):
            middle = y + one.shift[1] + down
            if all(abs(middle - v) >= WORDS_LINE or left >= end or left + wide <= begin for begin, end, v in taken):
                taken.append((left, left + wide, middle))
                kept.append(replace(one, shift=(one.shift[0], one.shift[1] + down)))
                break
    return kept


def _words(one: PlacedWords, plot: Plot) -> Markup:
    x, y = plot.pixel(*one.at)
    return text(one.words, x + one.shift[0], y + one.shift[1] + 4, align=one.align, kind="words")


def _histogram(h: Histogram, plot: Plot) -> list[Markup]:
    """Stacked counts beneath the curve, over the same axis."""
    top = TOP + plot.picture.size[1] + 10
    high = HISTOGRAM - 14
    highest = float((h.first + h.second).max()) or 1.0
    parts = []
    for left, right, first, second in zip(h.edges[:-1], h.edges[1:], h.first, h.second, strict=True):
        x, width = plot.x(float(left)), plot.x(float(right)) - plot.x(float(left))
        bottom = float(top + high)
        for amount, kind in ((float(first), "first"), (float(second), "second")):
            tall = high * amount / highest
            bottom -= tall
            if amount:
                parts.append(
                    el("rect", x=place(x), y=f"{bottom:.2f}", width=place(width - 1), height=f"{tall:.2f}",
                       class_=f"bar {kind}")
                )  # fmt: skip
    parts.append(text(h.axis, plot.left - 7, top + 12, align="right"))
    for value, words in axis_ticks(plot.picture.x):
        parts.append(text(words, plot.x(value), top + high + 16, align="center"))
    return parts


@dataclass(frozen=True, slots=True)
class HoverLine:
    """Points that answer the pointer: in pixels, with what each tells under the titles."""

    name: str
    at: list[tuple[float, float]]
    titles: tuple[str, ...]
    told: list[list[str]]  # a list for each title

    def tips(self) -> Iterable[tuple[tuple[float, float], str]]:
        """Each point with its words."""
        for at, values in zip(self.at, zip(*self.told, strict=True), strict=True):
            words = [f"{title}: {value}" for title, value in zip(self.titles, values, strict=True)]
            yield at, "\n".join([self.name, *words]).strip()


def hover_lines(plot: Plot, most: int = MOST_HOVERED) -> list[HoverLine]:
    """Points along each curve, and the points with intervals, at most `most` of them."""
    picture = plot.picture
    names = legend_names(picture)
    series: list[tuple[str, Floats, Floats, dict[str, Floats]]] = []
    for i, line in enumerate(curves_of(picture)):
        if line.tips:
            kept = hover_places(line, picture)
            series.append((names[i], line.x[kept], line.y[kept], {t: v[kept] for t, v in line.tips.items()}))
    series += [(w.name, w.x, w.y, w.tips) for w in picture.whiskers if w.tips]
    lines = []
    for name, xs, ys, tips in series:
        count = min(max(10, most // len(series)), len(xs))
        some = np.unique(np.linspace(0, len(xs) - 1, count).round().astype(int))
        words = [[tip_words(float(v)) for v in np.asarray(column)[some]] for column in tips.values()]
        lines.append(HoverLine(name, plot.pixels(np.asarray(xs)[some], np.asarray(ys)[some]), tuple(tips), words))
    return lines


def tip_words(value: float) -> str:
    """A number in a tooltip."""
    return "none" if math.isnan(value) else "above all" if value == math.inf else number(value)


def write_curves(picture: Curves) -> Drawing:
    """The plot, its legend at the right, and points that answer the pointer."""
    plot = Plot(picture)
    width, height = plot.size
    several = len(curves_of(picture)) > 1
    hover = [
        el("circle", el("title", words if several else words.removeprefix(line.name).strip()),
           cx=place(x), cy=place(y), r="6", class_="hover")
        for line in hover_lines(plot)
        for (x, y), words in line.tips()
        if math.isfinite(x) and math.isfinite(y)
    ]  # fmt: skip
    entries, wide, high = _legend(plot)
    legend = el("g", joined(entries), transform=f"translate({place(width + 8)} {TOP + 4})", class_="legend")
    names = legend_names(picture)
    shapes = ((names[i], drawn(line, picture).thinned) for i, line in enumerate(curves_of(picture)))
    notes = tuple(f"{plain(name)}: {t}.".removeprefix(": ") for name, t in shapes if t.of > len(t.index))
    return Drawing(
        body=joined([plot_body(plot), *([legend] if entries else []), *hover]),
        width=width + (8 + wide if entries else 0),
        height=max(height, TOP + 4 + high),
        left=plot.left,
        notes=notes,
    )


def write_row(picture: Row) -> Drawing:
    """The pictures from left to right."""
    parts, across, high, left = [], 0.0, 0.0, 0.0
    for one in picture.pictures:
        drawing = write_curves(one)
        parts.append(text(one.title, across, 12, kind="heading"))
        parts.append(el("g", drawing.body, transform=f"translate({place(across)} 22)"))
        left = left or drawing.left
        across, high = across + drawing.width + 28, max(high, drawing.height + 22)
    return Drawing(body=joined(parts), width=across - 28, height=high, left=left)


def _legend(plot: Plot) -> tuple[list[Markup], float, float]:
    """What the lines, bands and bars are, under each other, and the size of it all."""
    p = plot.picture
    curves, names, beside = curves_of(p), legend_names(p), aside_names(p)
    swatches: list[tuple[Markup, str]] = []
    if (len(curves) > 1 or beside) and any(n.name for n in curves):
        for i, line in enumerate(curves):
            kind, dash = plot.look(series_of(line, i))
            swatches.append((_stroke(f"curve {kind}", dash), names[i]))
    swatches += [(_stroke("line beside"), name) for name in beside]
    if not curves:
        swatches += [
            (el("circle", cx="14", cy="-4", r="3.5", class_=f"point {plot.look(w.series)[0]}"), w.name)
            for w in p.whiskers
        ]
    bands: dict[str, set[int]] = {}
    for b in p.bands:
        bands.setdefault(b.name, set()).add(b.series)
    for name, series in bands.items():
        # Where bands of several colours have one name, it is about all of them.
        kind = plot.look(min(series))[0] if len(series) == 1 else "rest"
        swatches.append((box(4, -10, 18, 12, f"band key {kind}"), name))
    if p.histogram:
        swatches += [
            (box(7, -10, 12, 12, f"bar {k}"), n) for n, k in zip(p.histogram.names, ("first", "second"), strict=True)
        ]
    parts: list[Markup] = []
    wide, y = 0.0, 10.0
    for swatch, name in swatches:
        lines = fold(name, LEGEND_COLUMNS)
        words = [text(line, 34, i * LEGEND_LINE, kind="name") for i, line in enumerate(lines)]
        parts.append(el("g", swatch, *words, transform=f"translate(0 {place(y)})"))
        wide = max(wide, 34 + widest(lines))
        y += LEGEND_LINE * len(lines) + 5
    return parts, wide, y


def _stroke(kind: str, dash: str | None = None) -> Markup:
    return el("line", x1="1", x2="28", y1="-4", y2="-4", class_=kind, stroke_dasharray=dash)
