"""What the matplotlib twins share: axes to draw on, and text that matplotlib takes as it is.

Curves on matplotlib axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from trueerror.plots import _style as theme
from trueerror.plots._simplify import drawn, legend_names, placed
from trueerror.plots._specs import Axis, Curves, Floats, Line, Mark
from trueerror.plots._style import fold, shorten
from trueerror.plots.vega._curves import DEVIATE_TICKS, ROLES

# Names are not formulas: no mathtext, no TeX.
AS_TEXT: dict[str, Any] = {"parse_math": False, "usetex": False}

POINTS_A_CHARACTER = 4.4  # of the subtitle's font, about


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "drawing on axes needs matplotlib: pip install 'trueerror[matplotlib]'; .plot() and .save() work without it"
        ) from None
    return plt


def axes_for(ax: Any, width: float, height: float) -> Any:
    """The given axes, or new ones of a size in pixels at the size of the Altair picture."""
    plt = pyplot()
    if ax is not None:
        return ax
    figure = plt.figure(figsize=(width / 90, height / 90), layout="constrained")
    return figure.add_subplot()


def split(ax: Any, heights: Sequence[float]) -> list[Any]:
    """The place of the axes shared out among as many axes above each other; the first are the given ones."""
    cell = ax.get_subplotspec()
    if cell is None:
        # Axes that somebody placed by hand have no grid: the others hang below them.
        total, down = heights[0], 0.0
        others = []
        for height in heights[1:]:
            down += (height + 0.15 * total) / total
            others.append(ax.inset_axes((0, -down, 1, height / total)))
        return [ax, *others]
    grid = cell.subgridspec(len(heights), 1, height_ratios=list(heights))
    ax.set_subplotspec(grid[0])
    return [ax, *(ax.figure.add_subplot(grid[i]) for i in range(1, len(heights)))]


def write_title(ax: Any, title: str, subtitle: tuple[str, ...], *, heading: str = "", above: bool = False) -> None:
    """Title and what was read, left-aligned above the axes, over a heading, or over words that stand there already."""
    room = 4.0 + (15.0 if heading else 0.0) + (12.0 if above else 0.0)
    if heading:
        write_above(ax, heading, 5.0 + (12.0 if above else 0.0), fontsize=9, fontweight="bold")
    columns = max(40, int(72 * ax.figure.get_figwidth() * ax.get_position().width / POINTS_A_CHARACTER))
    lines = [part for line in subtitle for part in fold(line, columns, lines=3)]
    for place, line in enumerate(reversed(lines)):
        write_above(ax, line, room + 11.5 * place, fontsize=8.5, color=theme.FAINT_INK)
    write_above(ax, shorten(title, columns), room + 3.0 + 11.5 * len(lines), fontsize=10.5, fontweight="bold")


def write_above(ax: Any, text: str, points: float, **style: Any) -> None:
    """A line of text so many points above the axes."""
    look = {"color": theme.INK, "ha": "left", "va": "bottom", "annotation_clip": False, **AS_TEXT, **style}
    ax.annotate(drawable(text), (0, 1), (0, points), xycoords="axes fraction", textcoords="offset points", **look)


def drawable(text: str) -> str:
    """The text with a box for each character that the font lacks, which matplotlib would warn of at every drawing."""
    return "".join(c if c.isascii() or has_glyph(c, _families()) else "□" for c in text)


def _families() -> tuple[str, ...]:
    from matplotlib.font_manager import FontProperties

    return tuple(FontProperties().get_family())


@cache
def has_glyph(character: str, families: tuple[str, ...]) -> bool:
    """Whether one of the font families can show a character."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in families]
    return any(font.get_char_index(ord(character)) for font in fonts)


def tidy(ax: Any) -> None:
    """A frame as light as in the Altair pictures."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(theme.REFERENCE)
    ax.tick_params(colors=theme.INK, labelsize=8.5)
    ax.set_axisbelow(True)


def dash_style(dash: tuple[int, ...]) -> Any:
    """A dash pattern in matplotlib's words."""
    return (0, tuple(0.7 * d for d in dash)) if dash else "-"


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
