"""Intervals under each other as a table: a name, a line with a dot, and the same in figures.

Lines are placed in percent of their cell, so they fit any width; the figures beside them are their text alternative.
"""

from __future__ import annotations

import math

from markupsafe import Markup

from trueerror.plots.pictures import Forest, ForestRow, Panel
from trueerror.reports.markup import el, joined, named
from trueerror.reports.scales import ticks

HEIGHT = 26
# Test parts of one learner that are drawn; more would be a blot.
MOST_DOTS = 100
# Rows that stand open; a longer list would push the rest of the page away.
MOST_OPEN = 10


def html_forest(picture: Forest) -> Markup:
    """All panels of a forest, with its title and what is said beneath it."""
    notes = [el("p", line, class_="note") for line in picture.subtitle]
    return el("div", joined([html_panel(p, picture.title) for p in picture.panels]), joined(notes), class_="forests")


def html_panel(panel: Panel, title: str = "") -> Markup:
    """One panel: rows that share an axis. Of many rows the first stand open, the others are folded."""
    caption = panel.heading or panel.axis or title
    if len(panel.rows) <= MOST_OPEN + 2:
        return _table(panel, panel.rows, caption)
    rest = panel.rows[MOST_OPEN:]
    folded = el("details", el("summary", f"{len(rest)} more"), _table(panel, rest, f"{caption}, continued"))
    return _table(panel, panel.rows[:MOST_OPEN], caption) + folded


def _table(panel: Panel, rows: tuple[ForestRow, ...], caption: str) -> Markup:
    axis = el("tr", el("td"), el("td", _axis(panel)), el("td"), class_="axis", aria_hidden="true")
    body = el("tbody", joined([_row(row, panel) for row in rows]), axis)
    return el("table", el("caption", caption) if caption else None, body, class_="forest")


def _row(row: ForestRow, panel: Panel) -> Markup:
    return el(
        "tr",
        el("th", named(row.label), scope="row", class_="name"),
        el("td", _bar(row, panel), class_="line"),
        el("td", row.words, class_="words"),
    )


def _bar(row: ForestRow, panel: Panel) -> Markup:
    middle = HEIGHT / 2
    parts: list[Markup] = []
    if panel.margin is not None:
        left, right = (_percent(v, panel) for v in panel.margin)
        parts.append(el("rect", x=_at(left), y="0", width=_at(right - left), height=HEIGHT, class_="margin"))
    for value, _ in panel.references:
        x = _at(_percent(value, panel))
        parts.append(el("line", x1=x, x2=x, y1="0", y2=HEIGHT, class_="zero"))
    for x_value, dy in [(x, y) for x, y in row.dots(0.0) if math.isfinite(x)][:MOST_DOTS]:
        y = f"{middle + dy * HEIGHT:.1f}"
        parts.append(el("circle", cx=_at(_percent(x_value, panel)), cy=y, r="2", class_="dot"))
    if row.drawn:
        parts += _interval(row, panel, middle)
    return el("svg", *parts, width="100%", height=HEIGHT, class_="aside" if row.aside else None, aria_hidden="true")


def _interval(row: ForestRow, panel: Panel, middle: float) -> list[Markup]:
    open_left = row.side == "upper" or math.isinf(row.low)
    open_right = row.side == "lower" or math.isinf(row.high)
    parts = []
    if not (math.isnan(row.low) or math.isnan(row.high)):
        left = 0.0 if open_left else _percent(row.low, panel)
        right = 100.0 if open_right else _percent(row.high, panel)
        parts.append(el("line", x1=_at(left), x2=_at(right), y1=middle, y2=middle, class_="limits"))
        for end, is_open in ((left, open_left), (right, open_right)):
            if not is_open:
                parts.append(el("line", x1=_at(end), x2=_at(end), y1=middle - 4, y2=middle + 4, class_="limits"))
        # The open end of a one-sided interval goes on beyond the picture.
        arrows = (("0%", "start", "◂", open_left), ("100%", "end", "▸", open_right))
        parts += [el("text", sign, x=x, y=middle + 5, text_anchor=anchor) for x, anchor, sign, shown in arrows if shown]
    parts.append(el("circle", cx=_at(_percent(row.estimate, panel)), cy=middle, r="5", class_="estimate"))
    return parts


def _axis(panel: Panel) -> Markup:
    parts = [el("line", x1="0", x2="100%", y1="0.5", y2="0.5", class_="axis")]
    for value, words in ticks(*panel.domain, most=5):
        share = _percent(value, panel)
        x = _at(share)
        anchor = "start" if share < 5 else "end" if share > 95 else "middle"
        parts.append(el("line", x1=x, x2=x, y1="0", y2="5", class_="axis"))
        parts.append(el("text", words, x=x, y="18", text_anchor=anchor))
    return el("svg", *parts, width="100%", height="22", aria_hidden="true")


def _percent(value: float, panel: Panel) -> float:
    low, high = panel.domain
    return min(100.0, max(0.0, 100 * (value - low) / (high - low)))


def _at(percent: float) -> str:
    return f"{percent:.2f}%"
