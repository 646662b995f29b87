"""A forest as a Vega-Lite specification.

Heat maps and bars as Vega-Lite specifications.

A critical-difference picture as a Vega-Lite specification.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.plots import _style as theme
from trueerror.plots._specs import Bars, Forest, ForestRow, Heat, Panel, Ranks
from trueerror.plots._style import columns_needed, distinct, fold_all
from trueerror.plots.compose.matrices import RankLayout, lay_out, ruler
from trueerror.plots.vega._curves import Spec, as_is, layer, number_at, shown, values

WIDTH = 340
LABEL_COLUMNS = 30
LABEL_LINE = 15


def forest_spec(picture: Forest) -> Spec:
    """All panels under each other, their plots aligned."""
    panels = [_panel(p) for p in picture.panels]
    title = theme.title_style(picture.title, picture.subtitle)
    if len(panels) == 1:
        return panels[0] | {"title": title}
    return {"title": title | {"offset": 16}, "vconcat": panels, "spacing": 26, "bounds": "full"}


def _panel(panel: Panel) -> Spec:
    labels = fold_all([r.label for r in panel.rows], LABEL_COLUMNS)
    step = LABEL_LINE * max(len(lines) for lines in labels) + 10
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
        for field, shift in (("line", 0), ("above", -LABEL_LINE / 2), ("below", LABEL_LINE / 2))
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


RANKS_WIDTH = 420
LEVEL = 24
RULER = -2.3  # level of the critical difference


def ranks_spec(picture: Ranks) -> Spec:
    """Ranks across, the best at the left; names beside their level."""
    layout = lay_out(picture)
    # Above the axis stand its numbers, its title and the ruler of the critical difference.
    top = RULER - 0.5 if picture.difference is not None else RULER + 0.6
    y = number_at("level", (top, layout.depth + 0.5), axis=None, scale={"reverse": True})
    step = max(1, math.ceil((layout.high - layout.low) / 14))
    ticks = [layout.low + i for i in range(0, int(layout.high - layout.low) + 1, step)]
    axis = theme.axis_style(title="mean rank (1 is best)", orient="top", values=ticks, grid=False, format="d",
                            offset=top * LEVEL, domainColor=theme.INK)  # fmt: skip
    x = number_at("rank", (layout.low, layout.high), axis=axis)
    return {
        "title": theme.title_style(picture.title, picture.subtitle),
        "width": RANKS_WIDTH,
        "height": (layout.depth + 0.5 - top) * LEVEL,
        "view": {"stroke": None},
        "layer": [
            *_difference(picture, layout, x, y),
            *_elbows(picture, layout, x, y),
            *_bars(layout, x, y),
        ],
    }


def _elbows(picture: Ranks, layout: RankLayout, x: Spec, y: Spec) -> list[Spec]:
    corners: list[dict[str, float]] = []
    dots: list[dict[str, float]] = []
    names: dict[bool, list[dict[str, object]]] = {True: [], False: []}
    for elbow in layout.elbows:
        edge = layout.low if elbow.left else layout.high
        path = ((elbow.rank, 0.0), (elbow.rank, elbow.level), (edge, elbow.level))
        corners += [{"line": elbow.place, "k": k, "rank": r, "level": v} for k, (r, v) in enumerate(path)]
        control = picture.control == elbow.place
        name = picture.names[elbow.place] + (" (control)" if control else "")
        figure = f"{elbow.rank:.2f}"
        names[elbow.left].append(
            {"level": elbow.level, "text": f"{name} · {figure}" if elbow.left else f"{figure} · {name}"}
        )
        dots.append({"rank": elbow.rank, "level": 0.0})
    line = {"type": "line", "color": theme.REFERENCE, "strokeWidth": 1.2}
    made = [
        layer(line, {"x": x, "y": y, "detail": {"field": "line", "type": "nominal"},
                     "order": {"field": "k", "type": "quantitative"}}, values(corners)),
        layer({"type": "point", "filled": True, "color": theme.ACCENT, "size": 45, "opacity": 1},
              {"x": x, "y": y}, values(dots)),
    ]  # fmt: skip
    for left, rows in names.items():
        if rows:
            mark = theme.text_mark(align="right" if left else "left", baseline="middle")
            at = {"x": {"value": -8 if left else RANKS_WIDTH + 8}, "y": y, "text": {"field": "text", "type": "nominal"}}
            made.append(layer(mark, at, values(rows)))
    return made


def _bars(layout: RankLayout, x: Spec, y: Spec) -> list[Spec]:
    """A thick line over each group, with a dot at each member: a model that is crossed without a dot is not in it."""
    if not layout.bars:
        return []
    spans = [{"level": b.level, "rank": b.ranks[0], "end": b.ranks[-1]} for b in layout.bars]
    dots = [{"level": b.level, "rank": r} for b in layout.bars for r in b.ranks]
    return [
        layer({"type": "rule", "color": theme.INK, "strokeWidth": 4, "strokeCap": "round"},
              {"x": x, "x2": {"field": "end"}, "y": y}, values(spans)),
        layer({"type": "point", "filled": True, "color": theme.INK, "size": 60, "opacity": 1}, {"x": x, "y": y},
              values(dots)),
    ]  # fmt: skip


def _difference(picture: Ranks, layout: RankLayout, x: Spec, y: Spec) -> list[Spec]:
    """The critical difference as a ruler above the axis; around the control where there is one."""
    if picture.difference is None:
        return []
    start, end, words = ruler(picture, layout)
    data = values([{"level": RULER, "rank": start, "end": end, "words": words}])
    rule = {"type": "rule", "color": theme.PALETTE[1], "strokeWidth": 2}
    tick = {"type": "tick", "color": theme.PALETTE[1], "thickness": 2, "size": 9, "orient": "vertical", "opacity": 1}
    at = {"x": x, "y": y}
    return [
        layer(rule, at | {"x2": {"field": "end"}}, data),
        layer(tick, at, data),
        layer(tick, at | {"x": x | {"field": "end"}}, data),
        layer(theme.text_mark(align="left", baseline="middle", dx=8, fontSize=theme.SMALL),
              {"x": x | {"field": "end"}, "y": y, "text": {"field": "words", "type": "nominal"}}, data),
    ]  # fmt: skip
