"""Heat maps and bars as Vega-Lite specifications."""

from __future__ import annotations

import math

import numpy as np

from trueerror.plots import theme
from trueerror.plots.labels import columns_needed, distinct, fold_all
from trueerror.plots.pictures import Bars, Heat
from trueerror.plots.vega import Spec, as_is, layer, number_at, shown, values

MAP_SIZE = 620
ROW_NAME, COLUMN_NAME = 26, 18
# Average width of a character and height of a line of the small font, in pixels.
CHARACTER, LINE = 6.3, 14
GAP = 0.35  # of a cell, before columns that stand apart


def heat_spec(picture: Heat) -> Spec:
    """The map with its names as text: the scales know places only."""
    side_x, side_y = cell_size(picture)
    rows, columns = len(picture.rows), len(picture.columns)
    gap = GAP if picture.extra_columns else 0.0
    width, height = side_x * (columns + gap), side_y * rows
    x = number_at("left", (0, columns + gap), axis=None)
    y = number_at("top", (0, rows), axis=None, scale={"reverse": True})
    base = columns - picture.extra_columns
    count = max((len(words) for words in picture.words), default=0)
    cells = []
    for k, (i, j) in enumerate(picture.place.tolist()):
        share = float(picture.share[k])
        colour = theme.EMPTY if math.isnan(share) else theme.shade(math.sqrt(share))
        left = j + (gap if j >= base else 0.0)
        lines = picture.words[k]
        cells.append(
            {"left": left, "right": left + 1, "middle": left + 0.5, "top": i, "bottom": i + 1, "centre": i + 0.5,
             "share": share, "colour": colour, "ink": theme.ink_on(colour),
             **{f"line{n}": lines[n] if n < len(lines) else "" for n in range(count)},
             **{f"tip{n}": v for n, v in enumerate(picture.tips[k].values())}}
        )  # fmt: skip
    tips = [shown(f"tip{n}", title) for n, title in enumerate(picture.tips[0])] if picture.tips else []
    where = {"x": x, "x2": {"field": "right"}, "y": y, "y2": {"field": "bottom"}, "tooltip": tips}
    edge: Spec = {"stroke": "#FFFFFF", "strokeWidth": 1} if picture.text else {"strokeWidth": 0}
    centre = {"x": x | {"field": "middle"}, "y": y | {"field": "centre"}}
    made = [layer({"type": "rect", **edge}, where | {"color": _colour(picture)})]
    if picture.text:
        size = theme.NORMAL if side_y >= 44 else theme.SMALL - 1
        for n in range(count):
            mark = theme.text_mark(fontSize=size, dy=(n - (count - 1) / 2) * 1.34 * size, baseline="middle",
                                   fontWeight="normal" if n else "bold")  # fmt: skip
            text = {"field": f"line{n}", "type": "nominal"}
            made.append(layer(mark, centre | {"text": text, "color": as_is("ink")}))
    frame = layer(
        {"type": "rect", "filled": False, "stroke": theme.REFERENCE, "strokeWidth": 1},
        {"x": x, "x2": {"field": "right"}, "y": y, "y2": {"field": "bottom"}},
        values(_frames(rows, base, columns, gap)),
    )
    return {
        "title": theme.title_style(picture.title, picture.subtitle),
        "width": width,
        "height": height,
        "view": {"stroke": None},
        "data": values(cells),
        "layer": [*made, frame, *_row_names(picture, y, side_y, width), *_column_names(picture, x, side_x, gap, base)],
    }


def cell_size(picture: Heat) -> tuple[float, float]:
    """Width and height of a cell: room for what is written, or as large as the whole map allows."""
    rows, columns = len(picture.rows), len(picture.columns)
    if not picture.text:
        side = MAP_SIZE / max(rows, columns)
        return side, side
    written = columns_needed(picture.words) * CHARACTER + 14
    roomy = 76 if rows <= 4 else 60 if rows <= 12 else 34
    if rows <= 6:
        # A few classes: wide enough for their names to stand level.
        named = columns_needed(distinct(picture.columns, COLUMN_NAME)) * CHARACTER + 12
        written = max(written, named)
    return max(written, float(roomy) if rows <= 12 else 46.0), float(roomy)


def _colour(picture: Heat) -> Spec:
    """By the square root of the share, so that the few per cent of an error can be told from none."""
    if picture.text:
        return as_is("colour")
    legend = theme.legend_style(title=picture.scale_title, titleFont=theme.FONT, titleFontSize=theme.SMALL,
                                titleFontWeight="normal", titleLimit=300, format=".0%", gradientLength=160)  # fmt: skip
    scale = {"domain": [0, 1], "range": list(theme.SHADES), "type": "sqrt", "interpolate": "rgb"}
    return {"field": "share", "type": "quantitative", "scale": scale, "legend": legend}


def _frames(rows: int, base: int, columns: int, gap: float) -> list[dict[str, float]]:
    frames = [{"left": 0.0, "right": float(base), "top": 0.0, "bottom": float(rows)}]
    if columns > base:
        frames.append({"left": base + gap, "right": columns + gap, "top": 0.0, "bottom": float(rows)})
    return frames


def _every(side: float) -> int:
    """Which names fit: each one, or each so manyth."""
    return max(1, math.ceil(LINE / side))


def _row_names(picture: Heat, y: Spec, side: float, width: float) -> list[Spec]:
    step = _every(side)
    size = theme.NORMAL if side >= 24 else theme.SMALL - 1
    notes = picture.row_notes or ("",) * len(picture.rows)
    rows = [
        {"centre": i + 0.5, "name": name, "note": notes[i]}
        for i, name in enumerate(distinct(picture.rows, ROW_NAME))
        if i % step == 0
    ]
    data = values(rows)
    at = y | {"field": "centre"}
    made = [
        layer(theme.text_mark(align="right", baseline="middle", fontSize=size),
              {"x": {"value": -8}, "y": at, "text": {"field": "name", "type": "nominal"}}, data),
        _heading(f"{picture.row_title} ↓", -8, -8, "right"),
    ]  # fmt: skip
    if picture.row_notes:
        made.append(
            layer(theme.text_mark(align="left", baseline="middle", color=theme.FAINT_INK),
                  {"x": {"value": width + 8}, "y": at, "text": {"field": "note", "type": "nominal"}}, data)
        )  # fmt: skip
        made.append(_heading("all", width + 8, -8, "left"))
    return made


def _column_names(picture: Heat, x: Spec, side: float, gap: float, base: int) -> list[Spec]:
    step = _every(side)
    names = distinct(picture.columns, COLUMN_NAME)
    longest = columns_needed(names)
    flat = longest * CHARACTER <= side - 4
    size = theme.NORMAL if side >= 24 else theme.SMALL - 1
    columns = [
        {"middle": j + 0.5 + (gap if j >= base else 0.0), "name": name}
        for j, name in enumerate(names)
        if j % step == 0 or j >= base
    ]
    turned: Spec = {"align": "center"} if flat else {"align": "left", "angle": 315, "dx": 2}
    high = LINE if flat else longest * CHARACTER * math.sqrt(0.5) + LINE / 2
    mark = theme.text_mark(baseline="bottom" if flat else "middle", fontSize=size, **turned)
    return [
        layer(mark, {"x": x | {"field": "middle"}, "y": {"value": -8}, "text": {"field": "name", "type": "nominal"}},
              values(columns)),
        _heading(f"{picture.column_title} →", 0, -high - 16, "left"),
    ]  # fmt: skip


def _heading(text: str, x: float, y: float, align: str) -> Spec:
    return layer(
        theme.text_mark(align=align, baseline="bottom", color=theme.FAINT_INK),
        {"x": {"value": x}, "y": {"value": y}, "text": {"field": "text", "type": "nominal"}},
        values([{"text": text}]),
    )


def bars_spec(picture: Bars) -> Spec:
    """Horizontal bars, names at the left, words at the ends."""
    labels = fold_all(picture.labels, 44)
    step = LINE * max(len(lines) for lines in labels) + 8
    highest = picture.highest or float(np.max(picture.amounts)) or 1.0
    axis = theme.axis_style(title=picture.axis, tickCount=6) if picture.starts else None
    x = number_at("amount", (0.0, highest), axis=axis)
    starts = picture.starts or (0.0,) * len(labels)
    y = number_at("row", (-0.5, len(labels) - 0.5), axis=None, scale={"reverse": True})
    rows = [
        {"row": i, "amount": amount, "zero": starts[i], "words": words, "top": i - 0.3, "bottom": i + 0.3,
         "line": lines[0] if len(lines) == 1 else "", "above": lines[0] if len(lines) > 1 else "",
         "below": lines[1] if len(lines) > 1 else ""}
        for i, (lines, amount, words) in enumerate(zip(labels, picture.amounts, picture.words, strict=True))
    ]  # fmt: skip
    names = [
        layer(theme.text_mark(align="right", baseline="middle", dy=shift),
              {"x": {"value": -8}, "y": y, "text": {"field": field, "type": "nominal"}})
        for field, shift in (("line", 0), ("above", -LINE / 2), ("below", LINE / 2))
    ]  # fmt: skip
    return {
        "title": theme.title_style(picture.title, picture.subtitle),
        "width": 300,
        "height": step * len(labels),
        "view": {"stroke": None},
        "data": values(rows),
        "layer": [
            layer({"type": "rect", "color": theme.ACCENT},
                  {"x": x | {"field": "zero"}, "x2": {"field": "amount"}, "y": y | {"field": "top"},
                   "y2": {"field": "bottom"}}),
            layer(theme.text_mark(align="left", baseline="middle", dx=6),
                  {"x": {"value": 300} if picture.starts else x, "y": y,
                   "text": {"field": "words", "type": "nominal"}}),
            *names,
        ],
    }  # fmt: skip
