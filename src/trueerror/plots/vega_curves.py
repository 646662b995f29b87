"""Curves as a Vega-Lite specification: bands beneath, references, curves, points, and tooltips on top."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.plots import theme
from trueerror.plots.drawn_lines import aside_names, drawn, legend_names, placed
from trueerror.plots.pictures import Axis, Band, Curves, Line
from trueerror.plots.vega import Spec, columns, layer, number_at, values
from trueerror.plots.vega_overlays import histogram_spec, hover_layers, marks_layers, whiskers_layers, words_layers

ROLES: dict[str, dict[str, Any]] = {
    "hull": {"stroke": theme.INK, "width": 1.4, "dash": [2, 2]},
    "iso": {"stroke": theme.INK, "width": 1.2, "dash": [1, 0]},
    "reference": {"stroke": theme.REFERENCE, "width": 1.3, "dash": [5, 4]},
    "aside": {"stroke": theme.REFERENCE, "width": 1.5, "dash": [1.5, 3]},
    "faint": {"stroke": "#C4C4C4", "width": 1.0, "dash": [1, 0]},
}


def curves_spec(picture: Curves) -> Spec:
    """The whole picture; a histogram stands beneath with the same x axis."""
    x, y = _axis(picture.x, "x"), _axis(picture.y, "y")
    made: list[Spec] = [*_bands(picture, x, y)]
    notes = []
    order = {"faint": 0, "reference": 1, "aside": 1, "iso": 2, "curve": 3, "hull": 4}
    for line in sorted(picture.lines, key=lambda one: order[one.role]):
        if line.role != "curve":
            made.append(_plain_line(line, picture, x, y))
    curves, thinned = _curve_layer(picture, x, y)
    made += curves
    notes += thinned
    for whiskers in picture.whiskers:
        made += whiskers_layers(whiskers, picture, x, y)
    made += marks_layers(picture, x, y)
    made += words_layers(picture, x, y)
    made += hover_layers(picture, x, y)
    width, height = picture.size
    title = theme.title_style(picture.title, picture.subtitle)
    body: Spec = {"width": width, "height": height, "view": {"stroke": None}, "layer": made}
    if picture.histogram is None:
        return {"title": title, "description": " ".join(notes), **body}
    return {
        "title": title,
        "description": " ".join(notes),
        "vconcat": [body, histogram_spec(picture.histogram, picture)],
        "spacing": 14,
        "resolve": {"legend": {"fill": "independent"}},
    }


def _axis(axis: Axis, field: str) -> Spec:
    """A channel; on a normal-deviate axis the labels are the shares again."""
    low, high = placed(np.array([axis.low, axis.high]), axis).tolist()
    if axis.scale == "deviate":
        ticks = placed(np.array([t for t in DEVIATE_TICKS if axis.low <= t <= axis.high]), axis).tolist()
        style = theme.axis_style(
            title=axis.title, values=ticks, labelExpr="format(100 * cumulativeNormal(datum.value), '.3~') + ' %'"
        )
        return number_at(field, (low, high), axis=style)
    style = theme.axis_style(title=axis.title, tickCount=6)
    if axis.ticks:
        # Vega would leave out ticks beyond a number of them.
        del style["tickCount"]
        ticks = np.array([t for t in axis.ticks if axis.low <= t <= axis.high])
        style |= {"values": placed(ticks, axis).tolist(), "labelOverlap": "greedy"}
    if axis.scale == "log":
        style["labelExpr"] = "format(pow(10, datum.value), ',.6~g')"
    return number_at(field, (low, high), axis=style)


DEVIATE_TICKS = (0.00001, 0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def _curve_layer(picture: Curves, x: Spec, y: Spec) -> tuple[list[Spec], list[str]]:
    """All curves in one layer with one legend; each is thinned to what the pixels can show."""
    curves = [line for line in picture.lines if line.role == "curve"]
    if not curves:
        return [], []
    names = legend_names(picture)
    rows: list[dict[str, Any]] = []
    notes = []
    for place, line in enumerate(curves):
        shape = drawn(line, picture)
        if shape.thinned.of > len(shape.thinned.index):
            notes.append(f"{names[place]}: {shape.thinned}.")
        rows += [
            {"x": a, "y": b, "k": k, "name": names[place], "line": place}
            for k, (a, b) in enumerate(zip(shape.x.tolist(), shape.y.tolist(), strict=True))
        ]
    styles = [theme.series_style(place if line.series is None else line.series) for place, line in enumerate(curves)]
    beside = aside_names(picture)
    named = (len(curves) > 1 or bool(beside)) and any(line.name for line in curves)
    legend = theme.legend_style(symbolType="stroke", offset=_legend_offset(picture)) if named else None
    look, every = ROLES["aside"], [*names, *beside]
    colour = {"domain": every, "range": [*(c for c, _ in styles), *(look["stroke"] for _ in beside)]}
    dash = {"domain": every, "range": [*(list(d) or [1, 0] for _, d in styles), *(look["dash"] for _ in beside)]}
    encoding = {
        "x": x, "y": y, "order": {"field": "k", "type": "quantitative"},
        "detail": {"field": "line", "type": "nominal"},
        "color": {"field": "name", "type": "nominal", "scale": colour, "legend": legend},
        "strokeDash": {"field": "name", "type": "nominal", "scale": dash, "legend": legend},
    }  # fmt: skip
    mark = {"type": "line", "strokeWidth": 2.2, "clip": True, "strokeJoin": "round"}
    return [layer(mark, encoding, values(rows))], notes


def _legend_offset(picture: Curves) -> int:
    """Further away where words stand at the right of the plot."""
    outside = any(
        line.words and line.align == "left" and line.words_at and line.words_at[0] >= picture.x.high
        for line in picture.lines
    )
    return 56 if outside else 18


def _plain_line(line: Line, picture: Curves, x: Spec, y: Spec) -> Spec:
    look = ROLES[line.role]
    shape = drawn(line, picture)
    data = columns(x=shape.x, y=shape.y, k=np.arange(len(shape.x)))
    colour = look["stroke"] if line.series is None else theme.series_style(line.series)[0]
    mark = {"type": "line", "color": colour, "strokeWidth": look["width"], "strokeDash": look["dash"], "clip": True}
    return layer(mark, {"x": x, "y": y, "order": {"field": "k", "type": "quantitative"}}, data)


def _bands(picture: Curves, x: Spec, y: Spec) -> list[Spec]:
    """Filled bands; the legend names each kind once."""
    made = []
    for band in picture.bands:
        shape = _band_data(band, picture)
        mark = {"type": "area", "opacity": 0.2, "color": theme.series_style(band.series)[0], "clip": True}
        made.append(layer(mark, {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}, shape))
    kinds = list(dict.fromkeys(b.name for b in picture.bands))
    if kinds:
        colours = [theme.series_style(next(b.series for b in picture.bands if b.name == kind))[0] for kind in kinds]
        legend = theme.legend_style(
            symbolType="square", symbolOpacity=0.3, symbolStrokeWidth=0, offset=_legend_offset(picture)
        )
        scale = {
            "domain": kinds,
            "range": colours if len(picture.bands) == len(kinds) else [theme.REFERENCE] * len(kinds),
        }
        entry = {"fill": {"field": "name", "type": "nominal", "scale": scale, "legend": legend}}
        made.append(
            layer({"type": "square", "opacity": 0, "tooltip": None}, entry, values([{"name": k} for k in kinds]))
        )
    return made


def _band_data(band: Band, picture: Curves) -> Spec:
    """A band thinned by both of its edges at once."""
    low = drawn(Line(x=band.x, y=band.low), picture).thinned.index
    high = drawn(Line(x=band.x, y=band.high), picture).thinned.index
    kept = np.union1d(low, high)
    return columns(
        x=placed(band.x[kept], picture.x),
        low=placed(band.low[kept], picture.y),
        high=placed(band.high[kept], picture.y),
    )
