"""Curves on matplotlib axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.plots import theme
from trueerror.plots.axes import AS_TEXT, axes_for, dash_style, drawable, split, tidy, write_title
from trueerror.plots.drawn_lines import drawn, legend_names, placed
from trueerror.plots.pictures import Axis, Curves, Floats, Line, Mark
from trueerror.plots.vega_curves import DEVIATE_TICKS, ROLES

SHAPES = {"circle": "o", "diamond": "D", "square": "s", "cross": "P"}


def draw_curves(picture: Curves, ax: Any = None) -> Any:
    """Bands, references, curves, points and words, in this order; the legend where there is something to tell apart."""
    width, height = picture.size
    extra = 130 if picture.histogram is not None else 0
    ax = axes_for(ax, width + 140, height + 130 + extra)
    entries: list[tuple[Any, str]] = []
    for band in picture.bands:
        colour = theme.series_style(band.series)[0]
        x, low, high = placed(band.x, picture.x), placed(band.low, picture.y), placed(band.high, picture.y)
        area = ax.fill_between(x, low, high, color=colour, alpha=0.2, lw=0, zorder=1)
        if band.name not in [name for _, name in entries]:
            entries.append((area, band.name))
    entries = [*_draw_lines(ax, picture), *entries]
    for w in picture.whiskers:
        colour = theme.series_style(w.series)[0]
        upright, across = _arms(w.y, w.low, w.high), _arms(w.x, w.left, w.right)
        ax.errorbar(
            placed(w.x, picture.x), w.y, upright, across, fmt="o", color=colour, ms=5, lw=1.6, capsize=3, zorder=5
        )
    for mark in picture.marks:
        _draw_mark(ax, mark, picture)
    _set_axis(ax, picture.x, "x")
    _set_axis(ax, picture.y, "y")
    ax.grid(visible=True, color=theme.GRID, lw=0.8)
    tidy(ax)
    _draw_legend(ax, entries, picture.empty_corner)
    if picture.histogram is not None:
        _draw_histogram(ax, picture)
    write_title(ax, picture.title, picture.subtitle)
    return ax


def _arms(middle: Floats, low: Floats | None, high: Floats | None) -> Any:
    return None if low is None or high is None else np.abs(np.stack([middle - low, high - middle]))


def _draw_lines(ax: Any, picture: Curves) -> list[tuple[Any, str]]:
    entries: list[tuple[Any, str]] = []
    names = iter(legend_names(picture))
    beside: dict[str, Any] = {}
    place = 0
    for line in picture.lines:
        shape = drawn(line, picture)
        if line.role == "curve":
            colour, dash = theme.series_style(place if line.series is None else line.series)
            place += 1
            handle = ax.plot(shape.x, shape.y, color=colour, ls=dash_style(dash), lw=1.7, zorder=4)[0]
            entries.append((handle, next(names)))
        else:
            look = ROLES[line.role]
            colour = look["stroke"] if line.series is None else theme.series_style(line.series)[0]
            dash = tuple(look["dash"]) if look["dash"] != [1, 0] else ()
            style = {"ls": dash_style(dash), "lw": look["width"]}
            ax.plot(shape.x, shape.y, color=colour, zorder=3 if line.role == "hull" else 2, **style)
            if line.role == "aside" and line.name and line.name not in beside:
                beside[line.name] = ax.plot([], [], color=look["stroke"], **style)[0]
        _write_line(ax, line, picture)
    entries += [(handle, name) for name, handle in beside.items()]
    return entries if len(entries) > 1 else []


def _write_line(ax: Any, line: Line, picture: Curves) -> None:
    if line.words and line.words_at is not None:
        _write(ax, line.words_at, line.words, line.align, line.shift, theme.FAINT_INK, picture)


def _draw_mark(ax: Any, mark: Mark, picture: Curves) -> None:
    colour = theme.INK if mark.series is None else theme.series_style(mark.series)[0]
    x, y = (float(placed(np.array([v]), a)[0]) for v, a in ((mark.x, picture.x), (mark.y, picture.y)))
    ax.plot([x], [y], marker=SHAPES[mark.shape], ms=7, color=colour, mfc="white" if mark.hollow else colour,
            clip_on=False, zorder=6, ls="")  # fmt: skip
    if mark.words:
        _write(ax, (mark.x, mark.y), mark.words, mark.align, mark.shift, theme.INK, picture)


def _write(
    ax: Any, at: tuple[float, float], words: str, align: str, shift: tuple[float, float], colour: str, picture: Curves
) -> None:
    from matplotlib.patheffects import withStroke

    x, y = (float(placed(np.array([v]), a)[0]) for v, a in zip(at, (picture.x, picture.y), strict=True))
    ax.annotate(
        drawable(words), (x, y), (0.8 * shift[0], -0.8 * shift[1]), textcoords="offset points", ha=align, va="center",
        fontsize=8, color=colour, annotation_clip=False, zorder=7,
        path_effects=[withStroke(linewidth=2.5, foreground="white", alpha=0.85)], **AS_TEXT,
    )  # fmt: skip


def _set_axis(ax: Any, axis: Axis, which: str) -> None:
    low, high = placed(np.array([axis.low, axis.high]), axis).tolist()
    getattr(ax, f"set_{which}lim")(low, high)
    getattr(ax, f"set_{which}label")(drawable(axis.title), fontsize=9, color=theme.INK, **AS_TEXT)
    if axis.scale == "deviate":
        ticks = [t for t in DEVIATE_TICKS if axis.low <= t <= axis.high]
        labels = [f"{100 * t:.3g} %" for t in ticks]
        getattr(ax, f"set_{which}ticks")(placed(np.array(ticks), axis), labels=labels)
    elif axis.ticks or axis.scale == "log":
        numbers = np.array([t for t in axis.ticks or (axis.low, axis.high) if axis.low <= t <= axis.high])
        getattr(ax, f"set_{which}ticks")(placed(numbers, axis), labels=[f"{t:,.6g}" for t in numbers.tolist()])


def _draw_legend(ax: Any, entries: list[tuple[Any, str]], corner: str = "best") -> None:
    """Beside the plot for many, else where there is room; names are set afterwards, so that `_x` is shown too."""
    if not entries:
        return
    handles = [handle for handle, _ in entries]
    labels = [str(i) for i in range(len(entries))]
    outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if len(entries) > 4 else {"loc": corner}
    legend = ax.legend(handles, labels, fontsize=8, frameon=True, framealpha=0.85, edgecolor="none", **outside)
    legend.set_zorder(8)
    for text, (_, name) in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_usetex(False)
        text.set_text(drawable(name))


def _draw_histogram(ax: Any, picture: Curves) -> None:
    """Counts beneath the curve, on axes of their own that keep the x axis."""
    h = picture.histogram
    assert h is not None
    below = split(ax, (4.5, 1))[1]
    below.set_xlim(*ax.get_xlim())
    widths = np.diff(h.edges)
    first = below.bar(h.edges[:-1], h.first, widths, align="edge", color=theme.PALETTE[0], alpha=0.75)
    second = below.bar(h.edges[:-1], h.second, widths, bottom=h.first, align="edge", color=theme.PALETTE[1], alpha=0.75)
    below.set_ylabel(h.axis, fontsize=9, color=theme.INK)
    tidy(below)
    _draw_legend(below, [(first, h.names[0]), (second, h.names[1])])
