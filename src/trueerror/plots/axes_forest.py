"""A forest on matplotlib axes."""

from __future__ import annotations

import math
from typing import Any

from trueerror.plots import theme
from trueerror.plots.axes import AS_TEXT, axes_for, drawable, split, tidy, write_title
from trueerror.plots.labels import fold_all
from trueerror.plots.pictures import Forest, ForestRow, Panel

ROW = 26
PANEL = 70  # heading, axis and the gap to the next panel, in pixels


def draw_forest(picture: Forest, ax: Any = None) -> Any:
    """One panel on the axes themselves; several share their place."""
    heights = [ROW * len(p.rows) + PANEL for p in picture.panels]
    ax = axes_for(ax, 640, sum(heights) + 50)
    places = split(ax, [ROW * len(p.rows) for p in picture.panels]) if len(heights) > 1 else [ax]
    for place, panel in zip(places, picture.panels, strict=True):
        _draw_panel(place, panel)
        above = any(words for _, words in panel.references)
        title, subtitle = (picture.title, picture.subtitle) if place is ax else ("", ())
        write_title(place, title, subtitle, heading=panel.heading, above=above)
    return ax


def _draw_panel(ax: Any, panel: Panel) -> None:
    if panel.margin is not None:
        ax.axvspan(*panel.margin, color=theme.MARGIN, lw=0, zorder=0)
    for value, words in panel.references:
        ax.axvline(value, color=theme.REFERENCE, lw=1.1, ls=(0, (4, 3)), zorder=1)
        if words:
            ax.annotate(
                drawable(words), (value, 1), (0, 2), xycoords=("data", "axes fraction"), textcoords="offset points",
                ha="center", va="bottom", fontsize=8, color=theme.FAINT_INK, annotation_clip=False, **AS_TEXT,
            )  # fmt: skip
    for place, row in enumerate(panel.rows):
        _draw_row(ax, row, place, panel.domain)
    ax.set_xlim(*panel.domain)
    ax.set_ylim(len(panel.rows) - 0.5, -0.5)
    labels = [drawable("\n".join(lines)) for lines in fold_all([r.label for r in panel.rows], 30)]
    ax.set_yticks(range(len(panel.rows)), labels=labels, fontsize=9, **AS_TEXT)
    ax.set_xlabel(drawable(panel.axis), fontsize=9, color=theme.INK, **AS_TEXT)
    ax.xaxis.grid(visible=True, color=theme.GRID, lw=0.8)
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _draw_row(ax: Any, row: ForestRow, place: int, domain: tuple[float, float]) -> None:
    colour = theme.REFERENCE if row.aside else theme.ACCENT
    text = theme.FAINT_INK if row.aside or not row.drawn else theme.INK
    ax.annotate(
        drawable(row.words), (1, place), (9, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
        va="center", ha="left", fontsize=9, color=text, annotation_clip=False, **AS_TEXT,
    )  # fmt: skip
    if not row.drawn:
        return
    if row.points:
        across, down = zip(*row.dots(place), strict=True)
        ax.plot(across, down, ls="", marker="o", ms=2.4, mew=0, color=theme.REFERENCE, alpha=0.55, zorder=1.5)
    if not math.isnan(row.low + row.high):
        low, high = max(row.low, domain[0]), min(row.high, domain[1])
        ax.plot([low, high], [place, place], color=colour, lw=1.8, solid_capstyle="butt", zorder=2)
        for end, is_open, arrow in (
            (low, row.side == "upper" or math.isinf(row.low), "<"),
            (high, row.side == "lower" or math.isinf(row.high), ">"),
        ):
            ax.plot(
                [end], [place], marker=arrow if is_open else "|", color=colour, ms=7, mew=1.6, clip_on=False, zorder=3
            )
    ax.plot(
        [row.estimate], [place], marker="D" if row.aside else "s", ms=6, color=colour,
        mfc="white" if row.aside else colour, zorder=4, clip_on=False,
    )  # fmt: skip
