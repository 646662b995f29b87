"""Curves as a Vega-Lite specification: bands beneath, references, curves, points, and tooltips on top.

What stands over curves in a Vega-Lite specification: intervals, points, words, tooltips, and what stands beneath.

Small parts of Vega-Lite specifications.

User text only ever enters as a data value or as the literal text of a title: field names are ours, and no expression
holds a name. So nothing that a user calls a model can be read as an accessor or an expression.

A Vega-Lite specification as Altair objects.

`altair.Chart.from_dict` looks for the class of every part by trial, which takes a second for a picture of a few
layers. The classes are known here; what is inside marks and channels stays plain, and `to_dict` checks it as always.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trueerror.plots import _style as theme
from trueerror.plots._simplify import aside_names, drawn, hover_places, legend_names, placed
from trueerror.plots._specs import Axis, Band, Curves, Floats, Histogram, Line, Mark, Whiskers
from trueerror.results._format import number

Spec = dict[str, Any]


def values(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Inline data; numbers that are not finite become null, which Vega-Lite leaves out."""
    return {"values": [{k: _plain(v) for k, v in row.items()} for row in rows]}


def columns(**arrays: Any) -> Spec:
    """Inline data from columns of equal length; a single value stands for the whole column."""
    size = max((len(a) for a in arrays.values() if _is_column(a)), default=1)
    full = {k: (a.tolist() if hasattr(a, "tolist") else a) if _is_column(a) else [a] * size for k, a in arrays.items()}
    return values([dict(zip(full, row, strict=True)) for row in zip(*full.values(), strict=True)])


def _is_column(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        # Nine digits are more than any screen shows, and half the file.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return value


def number_at(field: str, domain: tuple[float, float] | None = None, **more: Any) -> Spec:
    """A quantitative channel with a fixed domain and no guessing of zero or round ends."""
    scale: Spec = {"zero": False, "nice": False}
    if domain is not None:
        scale["domain"] = list(domain)
    if "scale" in more:
        scale |= more.pop("scale")
    return {"field": field, "type": "quantitative", "scale": scale, **more}


def as_is(field: str) -> Spec:
    """A channel whose data are already colours, sizes or shapes."""
    return {"field": field, "type": "nominal", "scale": None, "legend": None}


def shown(field: str, title: str, number_format: str | None = None) -> Spec:
    """A line of a tooltip."""
    if number_format is None:
        return {"field": field, "type": "nominal", "title": title}
    return {"field": field, "type": "quantitative", "title": title, "format": number_format}


def layer(mark: Spec | str, encoding: Spec, data: Spec | None = None, **more: Any) -> Spec:
    """One layer."""
    made: Spec = {"mark": mark, "encoding": encoding, **more}
    return made if data is None else {"data": data, **made}


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


def altair_chart(spec: dict[str, Any]) -> Any:
    """A Chart, LayerChart or VConcatChart, by what the specification holds."""
    import altair

    rest = {key: value for key, value in spec.items() if key not in ("data", "layer", "vconcat", "mark", "encoding")}
    data = altair.InlineData(values=spec["data"]["values"]) if "data" in spec else altair.Undefined
    if "vconcat" in spec:
        return altair.VConcatChart(data=data, vconcat=[altair_chart(part) for part in spec["vconcat"]], **rest)
    if "layer" in spec:
        return altair.LayerChart(data=data, layer=[altair_chart(part) for part in spec["layer"]], **rest)
    return altair.Chart(data, mark=spec["mark"], encoding=altair.FacetedEncoding(**spec["encoding"]), **rest)
