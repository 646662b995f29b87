"""What the matplotlib twins share: axes to draw on, and text that matplotlib takes as it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from trueerror.plots import theme
from trueerror.plots.labels import fold, shorten

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
