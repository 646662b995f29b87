"""Heat maps and bars on matplotlib axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.plots import theme
from trueerror.plots.axes import AS_TEXT, axes_for, drawable, tidy, write_title
from trueerror.plots.labels import columns_needed, distinct, fold_all
from trueerror.plots.pictures import Bars, Heat
from trueerror.plots.vega_heat import CHARACTER, COLUMN_NAME, GAP, LINE, ROW_NAME, cell_size


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
