"""A forest on matplotlib axes.

Heat maps and bars on matplotlib axes.

A critical-difference picture on matplotlib axes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.plots import _style as theme
from trueerror.plots._specs import Bars, Forest, ForestRow, Heat, Panel, Ranks
from trueerror.plots._style import columns_needed, distinct, fold_all
from trueerror.plots.compose.matrices import lay_out, ruler
from trueerror.plots.matplotlib._curves import AS_TEXT, axes_for, drawable, split, tidy, write_title
from trueerror.plots.vega._other import CHARACTER, COLUMN_NAME, GAP, LINE, ROW_NAME, cell_size

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


def draw_heat(picture: Heat, ax: Any = None) -> Any:
    """Cells, what they say, and the names around them."""
    rows, columns = len(picture.rows), len(picture.columns)
    gap = GAP if picture.extra_columns else 0.0
    side_x, side_y = cell_size(picture)
    ax = axes_for(ax, side_x * (columns + gap) + 190, side_y * rows + 150)
    base = columns - picture.extra_columns
    for low, high, shift in ((0, base, 0.0), (base, columns, gap)):
        if high > low:
            _draw_block(ax, picture, low, high, shift)
    if picture.text:
        _write_cells(ax, picture, base, gap, side_y)
    else:
        _draw_scale(ax, picture)
    ax.set_xlim(0, columns + gap)
    ax.set_ylim(rows, 0)
    _name_axes(ax, picture, base, gap, (side_x, side_y))
    write_title(ax, picture.title, picture.subtitle)
    return ax


def _draw_block(ax: Any, picture: Heat, low: int, high: int, shift: float) -> None:
    """The colours of neighbouring columns as one image."""
    from matplotlib.colors import to_rgb

    rows = len(picture.rows)
    image = np.ones((rows, high - low, 3))
    for (i, j), share in zip(picture.place.tolist(), picture.share.tolist(), strict=True):
        if low <= j < high:
            image[i, j - low] = to_rgb(theme.EMPTY if math.isnan(share) else theme.shade(math.sqrt(share)))
    left, right = low + shift, high + shift
    ax.imshow(image, extent=(left, right, rows, 0), interpolation="nearest", aspect="auto", zorder=1)
    ax.plot(
        [left, right, right, left, left], [0, 0, rows, rows, 0], color=theme.REFERENCE, lw=0.8, clip_on=False, zorder=3
    )
    if picture.text:
        for i in range(1, rows):
            ax.plot([left, right], [i, i], color="white", lw=0.8, zorder=2)
        for j in range(low + 1, high):
            ax.plot([j + shift, j + shift], [0, rows], color="white", lw=0.8, zorder=2)


def _draw_scale(ax: Any, picture: Heat) -> None:
    """What the colours mean, where no numbers say it."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    colours = LinearSegmentedColormap.from_list("shares", theme.SHADES)
    made = ScalarMappable(norm=PowerNorm(0.5, 0, 1), cmap=colours)
    bar = ax.figure.colorbar(made, ax=ax, shrink=0.3, anchor=(0.0, 1.0), format="{x:.0%}")
    bar.set_label(drawable(picture.scale_title), fontsize=8, **AS_TEXT)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


def _write_cells(ax: Any, picture: Heat, base: int, gap: float, side: float) -> None:
    size = 9 if side >= 44 else 7
    for k, (i, j) in enumerate(picture.place.tolist()):
        share = float(picture.share[k])
        ink = theme.ink_on(theme.EMPTY if math.isnan(share) else theme.shade(math.sqrt(share)))
        x = j + 0.5 + (gap if j >= base else 0.0)
        ax.text(x, i + 0.5, "\n".join(picture.words[k]), ha="center", va="center", fontsize=size, color=ink, zorder=4)


def _name_axes(ax: Any, picture: Heat, base: int, gap: float, sides: tuple[float, float]) -> None:
    across, down = (max(1, math.ceil(LINE / side)) for side in sides)
    names = distinct(picture.columns, COLUMN_NAME)
    flat = columns_needed(names) * CHARACTER <= sides[0] - 4
    shown = [j for j in range(len(names)) if j % across == 0 or j >= base]
    places = [j + 0.5 + (gap if j >= base else 0.0) for j in shown]
    size = 9 if min(sides) >= 24 else 7
    # Beneath the map, not above it as in the Altair picture: there the title needs the room.
    ax.xaxis.set_ticks_position("bottom")
    turned = {} if flat else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(places, labels=[drawable(names[j]) for j in shown], fontsize=size, **turned, **AS_TEXT)
    rows = [i for i in range(len(picture.rows)) if i % down == 0]
    row_names = distinct(picture.rows, ROW_NAME)
    labels = [drawable(row_names[i]) for i in rows]
    ax.set_yticks([i + 0.5 for i in rows], labels=labels, fontsize=size, **AS_TEXT)
    ax.set_xlabel(drawable(picture.column_title), fontsize=9, **AS_TEXT)
    ax.set_ylabel(drawable(picture.row_title), fontsize=9, **AS_TEXT)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    for i, note in enumerate(picture.row_notes):
        ax.annotate(
            note, (1, i + 0.5), (5, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
            fontsize=size, color=theme.FAINT_INK, annotation_clip=False, **AS_TEXT,
        )  # fmt: skip


def draw_bars(picture: Bars, ax: Any = None) -> Any:
    """Horizontal bars with words at their ends."""
    count = len(picture.labels)
    ax = axes_for(ax, 640, 24 * count + 90)
    highest = picture.highest or max(picture.amounts) or 1.0
    starts = picture.starts or (0.0,) * count
    lengths = [end - start for start, end in zip(starts, picture.amounts, strict=True)]
    ax.barh(range(count), lengths, left=starts, height=0.6, color=theme.ACCENT)
    ends = [highest] * count if picture.starts else picture.amounts
    for i, (amount, words) in enumerate(zip(ends, picture.words, strict=True)):
        ax.annotate(drawable(words), (amount, i), (5, 0), textcoords="offset points", va="center", fontsize=9,
                    annotation_clip=False, **AS_TEXT)  # fmt: skip
    labels = [drawable("\n".join(lines)) for lines in fold_all(picture.labels, 44)]
    ax.set_yticks(range(count), labels=labels, fontsize=9, **AS_TEXT)
    ax.set_xlim(0, highest)
    ax.set_ylim(count - 0.5, -0.5)
    if picture.starts:
        ax.set_xlabel(drawable(picture.axis), fontsize=9, **AS_TEXT)
    else:
        ax.set_xticks([])
    tidy(ax)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0)
    write_title(ax, picture.title, picture.subtitle)
    return ax


RULER = -2.3


def draw_ranks(picture: Ranks, ax: Any = None) -> Any:
    """Ranks across with the best at the left, names beside their level."""
    layout = lay_out(picture)
    ax = axes_for(ax, 720, 26 * (layout.depth + 4) + 70)
    for elbow in layout.elbows:
        edge = layout.low if elbow.left else layout.high
        ax.plot([elbow.rank, elbow.rank, edge], [0, elbow.level, elbow.level], color=theme.REFERENCE, lw=1.0, zorder=1)
        ax.plot([elbow.rank], [0], "o", color=theme.ACCENT, ms=5, zorder=4, clip_on=False)
        name = picture.names[elbow.place] + (" (control)" if picture.control == elbow.place else "")
        words = f"{name} · {elbow.rank:.2f}" if elbow.left else f"{elbow.rank:.2f} · {name}"
        ax.annotate(
            drawable(words), (edge, elbow.level), (-6 if elbow.left else 6, 0), textcoords="offset points",
            ha="right" if elbow.left else "left", va="center", fontsize=9, color=theme.INK, annotation_clip=False,
            **AS_TEXT,
        )  # fmt: skip
    for bar in layout.bars:
        ax.plot(bar.ranks, [bar.level] * len(bar.ranks), "-o", color=theme.INK, lw=3.2, ms=5.5, zorder=3)
    if picture.difference is not None:
        start, end, words = ruler(picture, layout)
        ax.plot([start, end], [RULER, RULER], "-|", color=theme.PALETTE[1], lw=1.8, ms=8, clip_on=False)
        ax.annotate(
            words, (end, RULER), (6, 0), textcoords="offset points", va="center", fontsize=8, annotation_clip=False
        )
    ax.set_xlim(layout.low, layout.high)
    ax.set_ylim(layout.depth + 0.5, RULER - 0.5 if picture.difference is not None else -1.7)
    ax.xaxis.set_ticks_position("top")
    ax.xaxis.set_label_position("top")
    ax.spines["top"].set_position(("data", 0))
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_yticks([])
    ax.tick_params(labelsize=8.5)
    # The label belongs to the axis at level 0, not to the top of the plot.
    ax.text(
        (layout.low + layout.high) / 2,
        -1.3,
        "mean rank (1 is best)",
        ha="center",
        va="center",
        fontsize=9,
        color=theme.INK,
    )
    write_title(ax, picture.title, picture.subtitle)
    return ax
