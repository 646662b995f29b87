"""Curves as SVG inside the page: coloured by its style sheet, so that they follow light and dark, and print.

Whatever has a picture, as a figure of the page: a table with lines, curves, a matrix; else an image.
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from trueerror.plots import picture as picture_of
from trueerror.plots._dispatch import write_spec
from trueerror.plots._save import to_bytes
from trueerror.plots._simplify import drawn, hover_places, legend_names, placed
from trueerror.plots._specs import Axis, Band, Curves, Forest, Histogram, Line, Mark, Whiskers
from trueerror.plots.vega._curves import DEVIATE_TICKS, say
from trueerror.reports._html import el, html_forest, joined, named, place, ticks
from trueerror.results._format import percent

LEFT, TOP, RIGHT, BOTTOM = 46, 26, 12, 44
# Words at the right edge of the plot need this much room.
BESIDE = 46
HISTOGRAM = 70
SLACK = 3
# As many curves have a colour of their own; the others are grey until they are pointed at.
COLOURED = 7
# Points that answer to the pointer, in one picture; each costs about forty bytes.
MOST_HOVERED = 900


@dataclass(frozen=True, slots=True)
class Plot:
    """Where the plot lies in its picture."""

    picture: Curves
    right: float

    def x(self, value: float) -> float:
        """Pixels from the left, of a number as it was placed on its axis."""
        return LEFT + self.picture.size[0] * _share(value, self.picture.x)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return TOP + self.picture.size[1] * (1 - _share(value, self.picture.y))

    def raw(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point that was not placed yet."""
        px, py = (placed(np.array([v], dtype=float), a) for v, a in ((x, self.picture.x), (y, self.picture.y)))
        return self.x(float(px[0])), self.y(float(py[0]))


def _share(value: float, axis: Axis) -> float:
    """Where a number that was already placed lies on its axis, from 0 to 1."""
    low, high = placed(np.array([axis.low, axis.high]), axis).tolist()
    return float((value - low) / (high - low))


def svg_curves(picture: Curves, *, key: str, words: str) -> tuple[Markup, dict[str, Any]]:
    """The picture with its legend, and what its points tell the pointer. `words` is the text alternative."""
    beside = any(
        n.words and n.words_at and n.words_at[0] >= picture.x.high and n.align == "left" for n in picture.lines
    )
    plot = Plot(picture, BESIDE if beside else RIGHT)
    width, height = picture.size
    total = (LEFT + width + plot.right, TOP + height + BOTTOM + (HISTOGRAM if picture.histogram else 0))
    inner = [_band(b, plot) for b in picture.bands]
    curves = [n for n in picture.lines if n.role == "curve"]
    inner += [_line(n, plot, f"line {n.role}{_coloured(n.series)}") for n in picture.lines if n.role != "curve"]
    fine = replace(picture, size=_fineness(picture.size, len(curves)))
    inner += [_line(n, plot, f"curve {look(_series(n, i))}", fine, i) for i, n in enumerate(curves)]
    inner += [part for w in picture.whiskers for part in _whiskers(w, plot)]
    parts = [_frame(plot), _clipped(inner, picture.size)]
    parts += [_mark(m, plot) for m in picture.marks]
    parts += [_words(n.words, n.words_at, n.align, n.shift, plot) for n in picture.lines if n.words and n.words_at]
    parts += [_words(m.words, (m.x, m.y), m.align, m.shift, plot) for m in picture.marks if m.words]
    if picture.histogram:
        parts += _histogram(picture.histogram, plot)
    drawing = el(
        "svg",
        el("title", words),
        joined(parts),
        viewBox=f"0 0 {total[0]:.0f} {total[1]:.0f}",
        width=f"{total[0]:.0f}",
        role="img",
        class_="plot",
        data_picture=key,
    )
    return el("div", drawing, legend(picture, curves), class_="picture"), _hover(picture, plot, curves)


def _clipped(parts: list[Markup], size: tuple[int, int]) -> Markup:
    """What belongs to the plot: where it goes beyond the axes it is cut off, a line's breadth outside of them."""
    x, y, width, height = LEFT - SLACK, TOP - SLACK, size[0] + 2 * SLACK, size[1] + 2 * SLACK
    view = f"{x} {y} {width} {height}"
    return el("svg", joined(parts), x=x, y=y, width=width, height=height, viewBox=view, class_="inner")


def _coloured(series: int | None) -> str:
    return "" if series is None else f" c{series}" if series < COLOURED else " rest"


def look(series: int) -> str:
    """The class of a curve: a colour, or grey where there are too many."""
    return f"s{series}" if series < COLOURED else "rest"


def legend(picture: Curves, curves: list[Line]) -> Markup | None:
    """The curves by name, as a list beside the picture."""
    if not any(n.name for n in curves) or (len(curves) == 1 and not picture.histogram):
        return None
    names = legend_names(picture)
    items = []
    for i, line in enumerate(curves):
        swatch = el("line", x1="1", x2="25", y1="6", y2="6", class_=f"curve {look(_series(line, i))}")
        image = el("svg", swatch, width="26", height="12", aria_hidden="true")
        items.append(el("li", image, el("span", names[i]), data_line=i))
    if picture.histogram:
        for name, kind in zip(picture.histogram.names, ("first", "second"), strict=True):
            square = el("rect", x="7", y="0", width="12", height="12", class_=f"count {kind}")
            items.append(el("li", el("svg", square, width="26", height="12", aria_hidden="true"), el("span", name)))
    return el("ul", joined(items), class_="legend")


def _series(line: Line, place_: int) -> int:
    return place_ if line.series is None else line.series


def _fineness(size: tuple[int, int], curves: int) -> tuple[int, int]:
    """Many curves are drawn a little coarser, so that the page stays small."""
    factor = 1.0 if curves <= 8 else 0.5 if curves <= 20 else 0.3
    return round(size[0] * factor), round(size[1] * factor)


def _frame(plot: Plot) -> Markup:
    p = plot.picture
    left, right = LEFT, LEFT + p.size[0]
    top, bottom = TOP, TOP + p.size[1]
    parts = []
    across = [(plot.x(value), words) for value, words in _ticks(p.x)]
    parts += [el("line", x1=place(x), x2=place(x), y1=top, y2=bottom, class_="grid") for x, _ in across]
    if not p.histogram:
        parts += [el("text", w, x=place(x), y=bottom + 18, text_anchor="middle") for x, w in _apart(across)]
    for value, words in _ticks(p.y):
        y = plot.y(value)
        parts.append(el("line", x1=left, x2=right, y1=place(y), y2=place(y), class_="grid"))
        parts.append(el("text", words, x=left - 7, y=place(y + 4), text_anchor="end"))
    parts.append(el("text", "↑ " + p.y.title, x="0", y="13", class_="axis"))
    under = bottom + (HISTOGRAM if p.histogram else 0)
    parts.append(el("text", p.x.title + " →", x=right, y=under + 38, text_anchor="end", class_="axis"))
    return joined(parts)


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    if axis.scale == "deviate":
        shares = np.array([t for t in DEVIATE_TICKS if axis.low <= t <= axis.high])
        return [(float(v), percent(t)) for v, t in zip(placed(shares, axis), shares.tolist(), strict=True)]
    if axis.ticks:
        shown = [t for t in axis.ticks if axis.low <= t <= axis.high]
        return [(float(v), f"{t:,.6g}") for v, t in zip(placed(np.array(shown), axis), shown, strict=True)]
    if axis.scale == "log":
        exponents = range(math.ceil(math.log10(axis.low)), math.floor(math.log10(axis.high)) + 1)
        return [(float(e), f"{10.0**e:,.6g}") for e in exponents]
    return ticks(axis.low, axis.high)


def _apart(places: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Words along an axis, without those that would stand on the ones before."""
    kept: list[tuple[float, str]] = []
    for x, words in places:
        if not kept or x - kept[-1][0] > 3.6 * (len(words) + len(kept[-1][1])) + 6:
            kept.append((x, words))
    return kept


def _line(line: Line, plot: Plot, kind: str, picture: Curves | None = None, number: int | None = None) -> Markup:
    shape = drawn(line, picture or plot.picture)
    points = " ".join(
        f"{place(plot.x(x))},{place(plot.y(y))}" for x, y in zip(shape.x.tolist(), shape.y.tolist(), strict=True)
    )
    return el("polyline", points=points, class_=kind, data_line=number)


def _band(band: Band, plot: Plot) -> Markup:
    edges = [drawn(Line(x=band.x, y=y), plot.picture) for y in (band.low, band.high)]
    low, high = ([(plot.x(x), plot.y(y)) for x, y in zip(e.x.tolist(), e.y.tolist(), strict=True)] for e in edges)
    points = " ".join(f"{place(x)},{place(y)}" for x, y in [*low, *reversed(high)])
    return el("polygon", points=points, class_=f"band {look(band.series)}")


def _whiskers(w: Whiskers, plot: Plot) -> list[Markup]:
    kind = look(w.series)
    parts = []
    for i in range(len(w.x)):
        x, y = plot.raw(float(w.x[i]), float(w.y[i]))
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        if w.low is not None and w.high is not None and not math.isnan(w.low[i]):
            ends = [place(plot.raw(float(w.x[i]), float(v[i]))[1]) for v in (w.low, w.high)]
            parts.append(el("line", x1=place(x), x2=place(x), y1=ends[0], y2=ends[1], class_=f"limits {kind}"))
        if w.left is not None and w.right is not None and not math.isnan(w.left[i]):
            ends = [place(plot.raw(float(v[i]), float(w.y[i]))[0]) for v in (w.left, w.right)]
            parts.append(el("line", x1=ends[0], x2=ends[1], y1=place(y), y2=place(y), class_=f"limits {kind}"))
        parts.append(el("circle", cx=place(x), cy=place(y), r="3.5", class_=f"point {kind}"))
    return parts


def _mark(mark: Mark, plot: Plot) -> Markup:
    x, y = plot.raw(mark.x, mark.y)
    kind = f"mark{' hollow' if mark.hollow else ''}{_coloured(mark.series)}"
    if mark.shape == "diamond":
        points = " ".join(f"{place(x + dx)},{place(y + dy)}" for dx, dy in ((0, -6), (6, 0), (0, 6), (-6, 0)))
        return el("polygon", points=points, class_=kind)
    return el("rect", x=place(x - 4), y=place(y - 4), width="8", height="8", class_=kind)


def _words(words: str, at: tuple[float, float], align: str, shift: tuple[float, float], plot: Plot) -> Markup:
    px, py = plot.raw(*at)
    anchor = {"left": "start", "center": "middle", "right": "end"}[align]
    x, y = px + shift[0], py + shift[1] + 4
    return el("text", words, x=place(x), y=place(y), text_anchor=anchor, class_="words")


def _histogram(h: Histogram, plot: Plot) -> list[Markup]:
    """Stacked counts beneath the curve, over the same axis."""
    top = TOP + plot.picture.size[1] + 10
    room = HISTOGRAM - 14
    highest = float((h.first + h.second).max()) or 1.0
    parts = []
    for left, right, a, b in zip(h.edges[:-1], h.edges[1:], h.first, h.second, strict=True):
        x, width = plot.x(float(left)), plot.x(float(right)) - plot.x(float(left))
        bottom = float(top + room)
        for amount, kind in ((float(a), "first"), (float(b), "second")):
            tall = room * amount / highest
            bottom -= tall
            if amount:
                parts.append(
                    el("rect", x=place(x), y=place(bottom), width=place(width - 1), height=f"{tall:.2f}",
                       class_=f"count {kind}")
                )  # fmt: skip
    parts.append(el("text", h.axis, x=LEFT - 7, y=top + 12, text_anchor="end"))
    for value, words in _ticks(plot.picture.x):
        x_text = place(plot.x(value))
        parts.append(el("text", words, x=x_text, y=top + room + 16, text_anchor="middle"))
    return parts


def _hover(picture: Curves, plot: Plot, curves: list[Line]) -> dict[str, Any]:
    """Points along each curve, by pixel, with what they tell: {titles, lines: [[name, xs, ys, columns of words]]}."""
    told: list[tuple[str, Any, Any, dict[str, Any]]] = []
    names = legend_names(picture)
    for i, line in enumerate(curves):
        if line.tips:
            kept = hover_places(line, picture)
            told.append((names[i], line.x[kept], line.y[kept], {t: v[kept] for t, v in line.tips.items()}))
    for w in picture.whiskers:
        if w.tips:
            told.append((named(w.name), w.x, w.y, w.tips))
    if not told:
        return {}
    most = max(10, MOST_HOVERED // len(told))
    lines = []
    for name, xs, ys, tips in told:
        some = np.unique(np.linspace(0, len(xs) - 1, min(most, len(xs))).round().astype(int))
        px = [round(plot.x(float(v)), 1) for v in placed(np.asarray(xs)[some], picture.x)]
        py = [round(plot.y(float(v)), 1) for v in placed(np.asarray(ys)[some], picture.y)]
        lines.append([name, px, py, [[say(float(v)) for v in np.asarray(column)[some]] for column in tips.values()]])
    return {"titles": list(told[0][3]), "lines": lines}


class Gallery:
    """Draws figures, and keeps what their points tell the pointer until the page is written."""

    def __init__(self) -> None:
        self.hover: dict[str, Any] = {}

    def figure(self, result: Any, caption: str = "", **options: Any) -> Markup:
        """The figure of a result, or of several of one kind by name."""
        return self.draw(picture_of(result, **options), caption)

    def draw(self, picture: Any, caption: str = "") -> Markup:
        """The figure of a picture that was already composed."""
        if isinstance(picture, Forest):
            return html_forest(picture)
        words = ". ".join([caption or picture.title, *picture.subtitle])
        if isinstance(picture, Curves):
            key = f"p{len(self.hover) + 1}"
            drawn, hover = svg_curves(picture, key=key, words=words)
            if hover:
                self.hover[key] = hover
            return el("figure", drawn, _caption(caption or picture.title, picture.subtitle))
        return el("figure", image(picture, words), _caption(caption or picture.title, ()))


def image(picture: Any, words: str) -> Markup:
    """A picture as an image, which can run no script: SVG behind a data address."""
    svg = base64.b64encode(to_bytes(write_spec(picture), ".svg")).decode("ascii")
    return el("img", src=f"data:image/svg+xml;base64,{svg}", alt=words, loading="lazy")


def _caption(title: str, notes: tuple[str, ...]) -> Markup:
    return el("figcaption", el("b", title), joined([el("span", note) for note in notes if note]))
