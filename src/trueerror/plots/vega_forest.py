"""A forest as a Vega-Lite specification."""

from __future__ import annotations

import math
from typing import Any

from trueerror.plots import theme
from trueerror.plots.labels import fold_all
from trueerror.plots.pictures import Forest, ForestRow, Panel
from trueerror.plots.vega import Spec, as_is, layer, number_at, values

WIDTH = 340
LABEL_COLUMNS = 30
LINE = 15


def forest_spec(picture: Forest) -> Spec:
    """All panels under each other, their plots aligned."""
    panels = [_panel(p) for p in picture.panels]
    title = theme.title_style(picture.title, picture.subtitle)
    if len(panels) == 1:
        return panels[0] | {"title": title}
    return {"title": title | {"offset": 16}, "vconcat": panels, "spacing": 26, "bounds": "full"}


def _panel(panel: Panel) -> Spec:
    labels = fold_all([r.label for r in panel.rows], LABEL_COLUMNS)
    step = LINE * max(len(lines) for lines in labels) + 10
    y: Spec = number_at("row", (-0.5, len(panel.rows) - 0.5), axis=None, scale={"reverse": True})
    x = number_at(
        "low", panel.domain, axis=theme.axis_style(title=panel.axis or None, tickCount=6, format=_format(panel))
    )
    data = values(
        [_data(r, i, lines, panel.domain) for i, (r, lines) in enumerate(zip(panel.rows, labels, strict=True))]
    )
    made: Spec = {
        "width": WIDTH,
        "height": step * len(panel.rows),
        "view": {"stroke": None},
        "data": data,
        "layer": [
            *_background(panel, x),
            *_dots(panel, x, y),
            layer(
                {"type": "rule", "strokeWidth": 2.4},
                {"x": x, "x2": {"field": "high"}, "y": y, "stroke": as_is("ink")},
            ),
            *_ends(x, y),
            layer(
                {"type": "point", "filled": True, "opacity": 1, "strokeWidth": 2},
                {"x": x | {"field": "estimate"}, "y": y, "shape": as_is("shape"), "fill": as_is("inside"),
                 "stroke": as_is("ink"), "size": as_is("size") | {"type": "quantitative"},
                 "tooltip": {"field": "tip", "type": "nominal"}},
            ),
            *_names(y),
            layer(
                theme.text_mark(align="left", baseline="middle"),
                {"x": {"value": WIDTH + 14}, "y": y, "text": {"field": "words", "type": "nominal"},
                 "color": as_is("text")},
            ),
        ],
    }  # fmt: skip
    if panel.heading:
        made["title"] = theme.title_style(panel.heading) | {"fontSize": theme.NORMAL, "offset": 8, "frame": "group"}
    return made


def _format(panel: Panel) -> str:
    """Enough decimals for the axis's width."""
    wide = panel.domain[1] - panel.domain[0]
    return ",.0f" if wide > 20 else f".{max(1, min(6, 1 - math.floor(math.log10(wide))))}~f" if wide > 0 else ".3~f"


def _data(row: ForestRow, place: int, lines: list[str], domain: tuple[float, float]) -> dict[str, Any]:
    low, high = max(row.low, domain[0]), min(row.high, domain[1])
    left = row.drawn and (row.side == "upper" or math.isinf(row.low))
    right = row.drawn and (row.side == "lower" or math.isinf(row.high))
    ink = theme.REFERENCE if row.aside else theme.ACCENT
    there = row.drawn and not math.isnan(row.low + row.high)
    return {
        "row": place,
        # A name of two lines is centred by writing its halves above and below the middle.
        "line": lines[0] if len(lines) == 1 else "",
        "above": lines[0] if len(lines) > 1 else "",
        "below": lines[1] if len(lines) > 1 else "",
        "estimate": row.estimate,
        "low": low if there else math.nan,
        "high": high if there else math.nan,
        "cap_low": low if there and not left else math.nan,
        "cap_high": high if there and not right else math.nan,
        "arrow_low": low if there and left else math.nan,
        "arrow_high": high if there and right else math.nan,
        "words": row.words,
        "tip": row.tip,
        "ink": ink,
        "inside": "#FFFFFF" if row.aside else ink,
        "shape": "diamond" if row.aside else "square",
        "size": 80 if row.aside else 70,
        "text": theme.FAINT_INK if row.aside or not row.drawn else theme.INK,
    }


def _dots(panel: Panel, x: Spec, y: Spec) -> list[Spec]:
    """What the estimates are means of."""
    dots = [{"low": value, "row": at} for i, r in enumerate(panel.rows) for value, at in r.dots(i)]
    if not dots:
        return []
    mark = {"type": "circle", "size": 16, "color": theme.REFERENCE, "opacity": 0.55}
    return [layer(mark, {"x": x, "y": y}, values(dots))]


def _names(y: Spec) -> list[Spec]:
    """The rows' names at the left."""
    return [
        layer(theme.text_mark(align="right", baseline="middle", dy=shift),
              {"x": {"value": -12}, "y": y, "text": {"field": field, "type": "nominal"}, "color": as_is("text")})
        for field, shift in (("line", 0), ("above", -LINE / 2), ("below", LINE / 2))
    ]  # fmt: skip


def _ends(x: Spec, y: Spec) -> list[Spec]:
    """Caps where an interval ends, arrow heads where it goes on."""
    made = []
    for field in ("cap_low", "cap_high"):
        made.append(
            layer({"type": "tick", "thickness": 2, "size": 11, "orient": "vertical", "opacity": 1},
                  {"x": x | {"field": field}, "y": y, "color": as_is("ink")})
        )  # fmt: skip
    for field, shape in (("arrow_low", "triangle-left"), ("arrow_high", "triangle-right")):
        made.append(
            layer({"type": "point", "shape": shape, "filled": True, "opacity": 1, "size": 110},
                  {"x": x | {"field": field}, "y": y, "color": as_is("ink")})
        )  # fmt: skip
    return made


def _background(panel: Panel, x: Spec) -> list[Spec]:
    made = []
    if panel.margin is not None:
        low, high = panel.margin
        made.append(
            layer({"type": "rect", "color": theme.MARGIN}, {"x": x, "x2": {"field": "high"}},
                  values([{"low": low, "high": high}]))
        )  # fmt: skip
    if panel.references:
        data = values([{"low": v, "words": w} for v, w in panel.references])
        made.append(
            layer({"type": "rule", "color": theme.REFERENCE, "strokeDash": [4, 3], "strokeWidth": 1.4}, {"x": x}, data)
        )
        worded = values([{"low": v, "words": w} for v, w in panel.references if w])
        made.append(
            layer(theme.text_mark(baseline="bottom", color=theme.FAINT_INK, fontSize=theme.SMALL),
                  {"x": x, "y": {"value": -4}, "text": {"field": "words", "type": "nominal"}}, worded)
        )  # fmt: skip
    return made
