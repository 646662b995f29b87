"""Whatever has a picture, as a figure of the page: a table with lines, curves with their legend, else a drawing.

Curves are coloured by the page's style sheet, so that they follow light and dark, and print. Their points answer the
pointer and the arrow keys by the page's script, which gets what they tell from here.
"""

from __future__ import annotations

import math

from markupsafe import Markup

from trueerror.plots import picture as picture_of
from trueerror.plots._figure import write_drawing
from trueerror.plots._simplify import legend_names
from trueerror.plots._specs import Curves, Forest, Picture
from trueerror.plots.svg._curves import Plot, curves_of, hover_lines, plot_body, series_of
from trueerror.plots.svg._elements import el, joined
from trueerror.plots.svg._standalone import inline
from trueerror.reports._html import clipped, html_forest

# As many curves have a colour of their own; the others are grey until they are pointed at.
COLOURED = 7
# Points that answer to the pointer, in one picture; each costs about forty bytes.
MOST_HOVERED = 900


def svg_curves(picture: Curves, *, key: str, words: str) -> tuple[Markup, dict[str, object]]:
    """The picture with its legend, and what its points tell the pointer. `words` is the text alternative."""
    plot = Plot(picture, COLOURED)
    width, height = plot.size
    drawing = el(
        "svg",
        el("title", words),
        plot_body(plot),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        class_="te-picture plot",
        data_picture=key,
    )
    return el("div", drawing, legend(plot), class_="picture"), _hover(plot)


def legend(plot: Plot) -> Markup | None:
    """The curves by name, as a list beside the picture."""
    picture, curves = plot.picture, curves_of(plot.picture)
    if not any(n.name for n in curves) or (len(curves) == 1 and not picture.histogram):
        return None
    names = legend_names(picture)
    items = []
    for i, line in enumerate(curves):
        kind, dash = plot.look(series_of(line, i))
        swatch = el("line", x1="1", x2="25", y1="6", y2="6", class_=f"curve {kind}", stroke_dasharray=dash)
        items.append(el("li", _swatch(swatch), el("span", names[i]), data_line=i))
    if picture.histogram:
        for name, kind in zip(picture.histogram.names, ("first", "second"), strict=True):
            square = el("rect", x="7", y="0", width="12", height="12", class_=f"bar {kind}")
            items.append(el("li", _swatch(square), el("span", name)))
    return el("ul", joined(items), class_="legend")


def _swatch(shape: Markup) -> Markup:
    return el("svg", shape, width="26", height="12", class_="te-picture", aria_hidden="true")


def _hover(plot: Plot) -> dict[str, object]:
    """Points along each curve, by pixel, with what they tell: {titles, lines: [[name, xs, ys, columns of words]]}."""
    lines = hover_lines(plot, MOST_HOVERED)
    if not lines:
        return {}
    rows = []
    for line in lines:
        xs, ys = ([round(v, 1) if math.isfinite(v) else None for v in side] for side in zip(*line.at, strict=True))
        rows.append([clipped(line.name), xs, ys, line.told])
    return {"titles": list(lines[0].titles), "lines": rows}


class Gallery:
    """Draws figures, and keeps what their points tell the pointer until the page is written."""

    def __init__(self) -> None:
        self.hover: dict[str, object] = {}

    def figure(self, result: object) -> Markup:
        """The figure of a result, or of several of one kind by name."""
        return self.draw(picture_of(result))

    def draw(self, picture: Picture, caption: str = "") -> Markup:
        """The figure of a picture that was already composed."""
        if isinstance(picture, Forest):
            return html_forest(picture)
        title = caption or picture.title
        words = ". ".join([title, *picture.subtitle])
        if isinstance(picture, Curves):
            key = f"p{len(self.hover) + 1}"
            drawn, hover = svg_curves(picture, key=key, words=words)
            if hover:
                self.hover[key] = hover
        else:
            # Its words must stay large enough to be read: on a narrow screen it is scrolled, not shrunk.
            drawn = el("div", inline(write_drawing(picture), words), class_="wide", tabindex="0", role="region",
                       aria_label=title)  # fmt: skip
        notes = [el("span", note) for note in picture.subtitle if note]
        return el("figure", drawn, el("figcaption", el("b", title), joined(notes)))
