"""A critical-difference picture as a Vega-Lite specification."""

from __future__ import annotations

import math

from trueerror.plots import theme
from trueerror.plots.pictures import Ranks
from trueerror.plots.rank_layout import RankLayout, lay_out, ruler
from trueerror.plots.vega import Spec, layer, number_at, values

WIDTH = 420
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
        "width": WIDTH,
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
            at = {"x": {"value": -8 if left else WIDTH + 8}, "y": y, "text": {"field": "text", "type": "nominal"}}
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
