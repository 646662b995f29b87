"""What stands over curves in a Vega-Lite specification: intervals, points, words, tooltips, and what stands beneath."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.plots import theme
from trueerror.plots.drawn_lines import hover_places, legend_names, placed
from trueerror.plots.pictures import Curves, Floats, Histogram, Mark, Whiskers
from trueerror.plots.vega import Spec, as_is, columns, layer, number_at, shown, values
from trueerror.results.words import number


def _places(line_x: Floats, line_y: Floats, picture: Curves) -> tuple[Floats, Floats]:
    return placed(line_x, picture.x), placed(line_y, picture.y)


def whiskers_layers(w: Whiskers, picture: Curves, x: Spec, y: Spec) -> list[Spec]:
    """Points with their intervals."""
    colour = theme.series_style(w.series)[0]
    px, py = _places(w.x, w.y, picture)
    arms = {k: v for k, v in (("low", w.low), ("high", w.high), ("left", w.left), ("right", w.right)) if v is not None}
    data = columns(x=px, y=py, **arms, **_tips(w.tips, np.arange(len(px))))
    rule = {"type": "rule", "color": colour, "strokeWidth": 2}
    made = []
    for first, second, side, scale, way in (
        ("low", "high", "y", y, "horizontal"),
        ("left", "right", "x", x, "vertical"),
    ):
        if first in arms:
            cap = {"type": "tick", "color": colour, "thickness": 2, "size": 8, "opacity": 1, "orient": way}
            ends = [{"x": x, "y": y} | {side: scale | {"field": field}} for field in (first, second)]
            made.append(layer(rule, ends[0] | {f"{side}2": {"field": second}}, data))
            made += [layer(cap, end, data) for end in ends]
    tips = [shown(f"tip{n}", title) for n, title in enumerate(w.tips)]
    point = {"type": "point", "filled": True, "color": colour, "size": 60, "opacity": 1}
    return [*made, layer(point, {"x": x, "y": y, "tooltip": tips}, data)]


def marks_layers(picture: Curves, x: Spec, y: Spec) -> list[Spec]:
    """Single points and what is written beside them."""
    if not picture.marks:
        return []
    rows = [_mark_data(m, picture) for m in picture.marks]
    made = [
        layer({"type": "point", "filled": True, "opacity": 1, "size": 95, "strokeWidth": 1.6},
              {"x": x, "y": y, "shape": as_is("shape"), "fill": as_is("fill"), "stroke": as_is("stroke"),
               "tooltip": {"field": "words", "type": "nominal"}}, values(rows))
    ]  # fmt: skip
    for mark, row in zip(picture.marks, rows, strict=True):
        if mark.words:
            made += _text((row["x"], row["y"]), mark.words, mark.align, mark.shift, theme.INK, x, y)
    return made


def _mark_data(mark: Mark, picture: Curves) -> dict[str, Any]:
    px, py = _places(np.array([mark.x]), np.array([mark.y]), picture)
    colour = theme.INK if mark.series is None else theme.series_style(mark.series)[0]
    return {
        "x": float(px[0]), "y": float(py[0]), "words": mark.words, "shape": mark.shape, "stroke": colour,
        "fill": "#FFFFFF" if mark.hollow else colour,
    }  # fmt: skip


def words_layers(picture: Curves, x: Spec, y: Spec) -> list[Spec]:
    """What reference lines say, beside them."""
    made = []
    for line in picture.lines:
        if line.words and line.words_at is not None:
            px, py = _places(np.array([line.words_at[0]]), np.array([line.words_at[1]]), picture)
            made += _text((float(px[0]), float(py[0])), line.words, line.align, line.shift, theme.FAINT_INK, x, y)
    return made


def _text(
    at: tuple[float, float], words: str, align: str, shift: tuple[float, float], colour: str, x: Spec, y: Spec
) -> list[Spec]:
    """A few words at a place, on a white halo so that lines do not cross them out."""
    style = {"align": align, "dx": shift[0], "dy": shift[1], "baseline": "middle", "fontSize": theme.SMALL}
    encoding = {"x": x, "y": y, "text": {"field": "words", "type": "nominal"}}
    data = values([{"x": at[0], "y": at[1], "words": words}])
    return [
        layer(theme.halo_mark(**style), encoding, data),
        layer(theme.text_mark(**style, color=colour), encoding, data),
    ]


def _tips(tips: dict[str, Floats], places: Any) -> dict[str, list[str]]:
    return {f"tip{n}": [say(float(v)) for v in column[places]] for n, column in enumerate(tips.values())}


def say(value: float) -> str:
    """A number in a tooltip."""
    return "none" if math.isnan(value) else "above all" if value == math.inf else number(value)


def hover_layers(picture: Curves, x: Spec, y: Spec) -> list[Spec]:
    """Unseen points along each curve that answer the pointer with the exact point, threshold and all."""
    made = []
    names = legend_names(picture)
    curves = [line for line in picture.lines if line.role == "curve"]
    for place, line in enumerate(curves):
        if not line.tips:
            continue
        kept = hover_places(line, picture)
        px, py = _places(line.x[kept], line.y[kept], picture)
        tips = [shown(f"tip{n}", title) for n, title in enumerate(line.tips)]
        if len(curves) > 1:
            tips.insert(0, shown("name", "model"))
        data = columns(x=px, y=py, name=names[place], **_tips(line.tips, kept))
        mark = {"type": "point", "filled": True, "opacity": 0, "size": 140, "clip": True}
        made.append(layer(mark, {"x": x, "y": y, "tooltip": tips}, data))
    return made


def histogram_spec(h: Histogram, picture: Curves) -> Spec:
    """Stacked counts beneath the curve."""
    colours = (theme.PALETTE[0], theme.PALETTE[1])
    rows = []
    for left, right, a, b in zip(
        h.edges[:-1].tolist(), h.edges[1:].tolist(), h.first.tolist(), h.second.tolist(), strict=True
    ):
        rows.append({"left": left, "right": right, "low": 0.0, "high": a, "name": h.names[0]})
        rows.append({"left": left, "right": right, "low": a, "high": a + b, "name": h.names[1]})
    highest = float((h.first + h.second).max()) or 1.0
    scale = {"domain": list(h.names), "range": list(colours)}
    legend = theme.legend_style(symbolType="square", symbolStrokeWidth=0)
    bare = theme.axis_style(title=None, grid=False, tickCount=6)
    axis = theme.axis_style(title=h.axis, tickCount=3, grid=False, format="~s")
    return {
        "width": picture.size[0],
        "height": 84,
        "view": {"stroke": None},
        "data": values(rows),
        "mark": {"type": "rect", "opacity": 0.75, "stroke": "#FFFFFF", "strokeWidth": 0.5},
        "encoding": {
            "x": number_at("left", (picture.x.low, picture.x.high), axis=bare),
            "x2": {"field": "right"},
            "y": number_at("low", (0.0, highest), axis=axis),
            "y2": {"field": "high"},
            "fill": {"field": "name", "type": "nominal", "scale": scale, "legend": legend},
        },
    }  # fmt: skip
