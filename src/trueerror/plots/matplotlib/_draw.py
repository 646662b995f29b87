"""Pictures on matplotlib axes, as the SVG writers show them: for figures that users compose, for PNG and PDF files."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.plots import _style as theme
from trueerror.plots._simplify import axis_ticks, ends, legend_names, placed
from trueerror.plots._simplify import drawn as needed_points
from trueerror.plots._specs import Axis, Bars, Curves, Forest, ForestRow, Heat, Line, Mark, Panel, Picture, Ranks, Row
from trueerror.plots._text import columns_needed, distinct, fold, fold_all, shorten
from trueerror.plots.compose.matrices import CHARACTER, COLUMN_NAME, GAP, ROW_NAME, cell_size, lay_out, ruler
from trueerror.plots.svg._curves import PlacedWords, Plot, words_apart
from trueerror.plots.svg._elements import PictureFrame, text_width, widest

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import Container

Pair = tuple[float, float]
Entries = list[tuple["Artist | Container", str]]
POINTS_A_CHARACTER = 4.9  # of the subtitle's font, about
# The pixels of the SVG picture on an inch, and so in points.
PIXELS = 90
POINTS = 72 / PIXELS
# Dots an inch of PNG files: twice the pixels of the SVG picture, sharp on dense screens and in print.
DENSITY = 180
# Lines that are not curves: colour, width, dash.
ROLES: dict[str, tuple[str, float, tuple[float, ...]]] = {
    "hull": (theme.INK, 1.4, (2, 2)),
    "iso": (theme.INK, 1.2, ()),
    "reference": (theme.REFERENCE, 1.3, (5, 4)),
    "aside": (theme.REFERENCE, 1.5, (1.5, 3)),
    "faint": ("#C4C4C4", 1.0, ()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a picture goes onto axes: names and colours of its curves, and whether its title and words are written.

    None leaves it to the axes: those that hold a picture already get a curve and a line of the legend, no more.
    """

    label: str | Sequence[str] | None = None
    color: Any = None
    title: bool | str | None = None
    annotate: bool | None = None


@dataclass(slots=True)
class Drawn:
    """What our pictures have put on axes: lines of the legend, what is written above, and what is about one curve."""

    entries: Entries = field(default_factory=list)
    titles: list[Artist] = field(default_factory=list)
    own: list[Artist] = field(default_factory=list)
    is_curves: bool = False
    below: Axes | None = None  # where the legend is that has no place among the curves

    def clear(self) -> None:
        """Take away the title and all that is about the first curve alone: another one joins it."""
        for artist in (*self.titles, *self.own):
            artist.remove()
        self.titles.clear()
        self.own.clear()


# Axes that hold pictures of ours; they are forgotten with their figure.
DRAWN: WeakKeyDictionary[Axes, Drawn] = WeakKeyDictionary()


def draw_picture(picture: Picture, ax: Axes | None, look: Look, frame_of: Callable[[Picture], PictureFrame]) -> Axes:
    """The picture on the given axes, or on those of a new figure of pyplot as large as its frame; returns the axes."""
    before = None if ax is None else DRAWN.get(ax)
    if before is not None and not (before.is_curves and isinstance(picture, Curves)):
        raise InputError("these axes hold a picture already, and only curves can share axes: draw on others")
    picture = _looking(picture, look, before)
    if before is not None:
        before.clear()
    frame = None
    if ax is None:
        import matplotlib.pyplot as plt

        frame = frame_of(picture)
        ax = plt.figure(figsize=_inches(frame), layout="constrained").add_subplot()
    drawn = DRAWN.setdefault(ax, Drawn(is_curves=isinstance(picture, Curves)))
    colours: Sequence[Any] | None = None
    if isinstance(picture, Curves) and (look.color is not None or frame is None):
        colours = _colours(picture, look, ax)
    _draw_on(picture, ax, frame, drawn, colours=colours, named=look.label is not None)
    return ax


def _looking(picture: Picture, look: Look, before: Drawn | None) -> Picture:
    """The picture with the names that were asked for, without the title and the words that were not."""
    if not isinstance(picture, Curves):
        for word, given in (("label", look.label), ("color", look.color)):
            if given is not None:
                raise InputError(f"{word}= goes with curves; this picture has none")
    annotate = before is None if look.annotate is None else look.annotate
    title = (before is None) if look.title is None else look.title
    if title is False or not annotate:
        picture = replace(picture, subtitle=())
    if title is not True:
        picture = replace(picture, title=title or "")
    if isinstance(picture, Curves):
        return _curves_looking(picture, look, before, annotate=annotate)
    if not annotate and isinstance(picture, Forest):
        panels = tuple(replace(p, rows=tuple(replace(r, words="") for r in p.rows)) for p in picture.panels)
        return replace(picture, panels=panels)
    if not annotate and isinstance(picture, Bars):
        return replace(picture, words=("",) * len(picture.labels))
    if not annotate and isinstance(picture, Heat):
        return replace(picture, words=((),) * len(picture.words), row_notes=())
    return picture


def _curves_looking(picture: Curves, look: Look, before: Drawn | None, *, annotate: bool) -> Curves:
    curves = [line for line in picture.lines if line.role == "curve"]
    names = [line.name for line in curves]
    if look.label is not None:
        names = [look.label] if isinstance(look.label, str) else [str(name) for name in look.label]
        if len(names) != len(curves):
            raise InputError(f"label= names {len(names)} curves, and this picture has {len(curves)}")
    renamed = iter(names)
    lines = [replace(line, name=next(renamed)) if line.role == "curve" else line for line in picture.lines]
    if annotate:
        return replace(picture, lines=tuple(lines))
    kept = ("curve",) if before is not None else ("curve", "reference")
    quiet = tuple(replace(line, words="") for line in lines if line.role in kept)
    marks = () if curves else picture.marks  # classifiers without scores are nothing but marks
    return replace(picture, lines=quiet, marks=marks, histogram=None)


def _colours(picture: Curves, look: Look, ax: Axes) -> Sequence[Any]:
    """A colour for each series: those given, else the next ones of the axes' own cycle."""
    from matplotlib.colors import is_color_like

    count = 1 + max((s for s in _series(picture)), default=-1)
    if look.color is None:
        colours = []
        for _ in range(count):
            (line,) = ax.plot([], [])
            colours.append(line.get_color())
            line.remove()
        return colours
    given = [look.color] if is_color_like(look.color) else list(look.color)
    if len(given) != count:
        raise InputError(f"color= has {len(given)} colours, and this picture has {count} curves")
    wrong = next((c for c in given if not is_color_like(c)), None)
    if wrong is not None:
        raise InputError(f"color={wrong!r} is no colour that matplotlib knows")
    return given


def _series(picture: Curves) -> list[int]:
    """The series that have a colour in a picture."""
    place, curve_series = 0, []
    for line in picture.lines:
        if line.role == "curve":
            curve_series.append(place if line.series is None else line.series)
            place += 1
    marked = (m.series for m in picture.marks if m.series is not None)
    return [*curve_series, *(b.series for b in picture.bands), *(w.series for w in picture.whiskers), *marked]


def file_bytes(picture: Picture, frame: PictureFrame, ending: Literal["png", "pdf"]) -> bytes:
    """The picture as a file, by a figure of its own that pyplot knows nothing of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_inches(frame), layout="constrained", facecolor="white")
    _draw_on(picture, figure.add_subplot(facecolor="white"), frame, Drawn())
    # Without a date, so that the same picture is the same file.
    about = {"Title": picture.title} | ({"CreationDate": None} if ending == "pdf" else {})
    out = io.BytesIO()
    figure.savefig(out, format=ending, dpi=DENSITY, bbox_inches="tight", pad_inches=0.15, metadata=about)
    return out.getvalue()


def _inches(frame: PictureFrame) -> tuple[float, float]:
    return frame.width / PIXELS, frame.height / PIXELS


def _draw_on(
    picture: Picture,
    ax: Axes,
    frame: PictureFrame | None,
    drawn: Drawn,
    *,
    colours: Sequence[Any] | None = None,
    named: bool = False,
) -> None:
    """The picture with its title; a figure of our own has the title at its left edge and the legend beside the plot."""
    heading, above = False, False
    columns, left, size = 0, 0.0, TEXT
    if frame is None:
        room = _room_of(ax)
        # Words over a plot begin at its own left edge, and end before the next axes.
        wide = 72 * ax.get_position().width * ax.figure.bbox.width / ax.figure.dpi
        broad = room[0] if isinstance(picture, Forest) else min(room[0], 1.15 * wide)
        columns = max(30, int(broad / POINTS_A_CHARACTER))
        # In a column of a paper the caption says the rest, and numbers and titles of axes need their room.
        slim = ax.figure.bbox.width < NARROW * ax.figure.dpi
        picture, needed = _fitting(replace(picture, subtitle=()) if slim else picture, room, columns)
        needed = (max(needed[0], 52.0), *needed[1:3], 34.0) if slim else needed
        left = needed[0]
        _make_room(ax, needed)
        if isinstance(picture, Forest):
            # Many rows on low axes are written smaller, so that none stands on the next.
            between = BETWEEN * (len(picture.panels) - 1) + 24.0
            high = (room[1] - needed[2] - between) / sum(len(p.rows) for p in picture.panels)
            if 0.85 * high < LEAST_TEXT and len(picture.panels) > 1:  # the first panel is what there is room for
                picture = replace(picture, panels=picture.panels[:1])
                high = (room[1] - needed[2] - 24.0) / len(picture.panels[0].rows)
            size = min(TEXT, max(4.0, 0.85 * high))
    if isinstance(picture, Forest):
        draw_forest(picture, ax, size)
        first = picture.panels[0]
        heading, above = bool(first.heading), any(words for _, words in first.references)
    elif isinstance(picture, Heat):
        draw_heat(picture, ax)
    elif isinstance(picture, Bars):
        draw_bars(picture, ax)
    elif isinstance(picture, Curves):
        # Right of somebody's own axes others may stand: words at the edge are written inside.
        picture = picture if frame is not None else replace(picture, lines=tuple(map(_inside, picture.lines)))
        draw_curves(picture, ax, drawn, colours=colours, named=named, beside=frame is not None)
        # Words above the right end of the plot, such as where a curve is extrapolated.
        above = any(
            n.words and n.words_at and n.words_at[1] >= picture.y.high and n.shift[1] < 0 for n in picture.lines
        )
    elif isinstance(picture, Row):
        for part, curves in zip(split(ax, [1.0], len(picture.pictures)), picture.pictures, strict=True):
            draw_curves(curves, part, Drawn(is_curves=True))
            part.set_title(curves.title, loc="left", fontsize=TEXT, fontweight="bold")
        heading = True
    else:
        draw_ranks(picture, ax)
    height = 8.0 + (15.0 if heading else 0.0) + (12.0 if above else 0.0)
    write_title(ax, picture, frame, height, drawn, columns, left)


Points = tuple[float, float, float, float]


def _inside(line: Line) -> Line:
    """A line whose words stand right of its end, with the words before it."""
    beyond = line.words and line.align == "left" and line.role == "faint" and line.shift[0] > 0
    return replace(line, align="right", shift=(-3.0, -7.0)) if beyond else line


def _room_of(ax: Axes) -> tuple[float, float]:
    """Width and height in points of what belongs to axes: their place, and the margins of the figure beside it."""
    figure: Any = ax.figure
    wide, high = (72 * side / figure.dpi for side in (figure.bbox.width, figure.bbox.height))
    cell = ax.get_subplotspec()
    if cell is None:
        place = ax.get_position()
        return place.width * wide, place.height * high
    if figure.get_layout_engine() is not None:
        return wide / cell.get_gridspec().ncols, high / cell.get_gridspec().nrows
    left, right, top, _ = _margins(ax)
    place = cell.get_position(figure)
    return place.width * wide + left + right, place.height * high + top


def _margins(ax: Axes) -> Points:
    """Points left of, right of, above and below the place of axes that no others claim: where the figure ends there."""
    figure: Any = ax.figure
    cell = ax.get_subplotspec()
    assert cell is not None
    if cell.get_topmost_subplotspec() is not cell:
        return 0.0, 0.0, 0.0, 0.0
    wide, high = (72 * side / figure.dpi for side in (figure.bbox.width, figure.bbox.height))
    place = cell.get_position(figure)
    left = place.x0 * wide if cell.is_first_col() else 0.0
    right = (1 - place.x1) * wide if cell.is_last_col() else 0.0
    above, below = cell.is_first_row() * (1 - place.y1) * high, cell.is_last_row() * place.y0 * high
    return left, right, above, below


# What names and words beside a plot may take of the width of somebody's own axes, and a plot at least.
NAMES_SHARE, WORDS_SHARE = 0.34, 0.34
TEXT, LEAST_TEXT = 9.0, 6.0
NARROW = 4.2  # figures of fewer inches are a column of a paper
BETWEEN = 56.0  # points between two panels of a figure that nobody lays out


def _fitting(picture: Picture, room: tuple[float, float], columns: int) -> tuple[Picture, Points]:
    """The picture with names and words cut to the room there is, and the points they need left, right, above, below."""
    above = 14.0 * bool(picture.title) + 11.5 * sum(len(fold(line, columns, lines=3)) for line in picture.subtitle)
    above += 8.0
    if isinstance(picture, Forest) and picture.columns > 1:
        picture = replace(picture, columns=1)
    if not isinstance(picture, Forest):
        return picture, (0.0, 0.0, above, 0.0)
    a_column = text_width("n", TEXT)
    count = sum(len(p.rows) for p in picture.panels)
    lines = 2 if (room[1] - above) / count > 2.6 * TEXT else 1
    names = int(NAMES_SHARE * room[0] / a_column)
    labels = [fold_all([r.label for r in p.rows], names, lines) for p in picture.panels]
    wide = int((1 - NAMES_SHARE) * room[0] / text_width("n", 10.0))
    allowed = WORDS_SHARE * room[0]
    full = widest((r.words for p in picture.panels for r in p.rows), TEXT) <= allowed
    narrow = int(allowed / a_column)
    panels = []
    for p, named in zip(picture.panels, labels, strict=True):
        words = [r.words if full else _first_part(r.brief, narrow, " [") for r in p.rows]
        rows = [replace(r, label="\n".join(n), words=w) for r, n, w in zip(p.rows, named, words, strict=True)]
        heading = shorten(_first_part(_first_part(p.heading, wide, " ("), wide, " from "), wide)
        panels.append(replace(p, heading=heading, axis=shorten(p.axis, wide), rows=tuple(rows)))
    left = widest((line for p in panels for r in p.rows for line in r.label.split("\n")), TEXT) + 14
    right = widest((r.words for p in panels for r in p.rows), TEXT) + 18
    above += 21.0 * bool(panels[0].heading) + 12.0 * any(words for _, words in panels[0].references)
    return replace(picture, panels=tuple(panels)), (left, right, above, 0.0)


def _first_part(words: str, most: float, mark: str) -> str:
    """The words, or what stands before a mark where all are too many."""
    return words if len(words) <= most else words.partition(mark)[0]


def _make_room(ax: Axes, needed: Points) -> None:
    """Move axes inwards, within their own place, by what is written around them; layout engines do that themselves."""
    figure: Any = ax.figure
    cell = ax.get_subplotspec()
    if cell is None or figure.get_layout_engine() is not None:
        return
    place = cell.get_position(figure)
    wide = 72 * place.width * figure.bbox.width / figure.dpi
    high = 72 * place.height * figure.bbox.height / figure.dpi
    left, right, top, low = (max(0.0, n - m) for n, m in zip(needed, _margins(ax), strict=True))
    if max(left, right, top, low) <= 0:
        return
    across = (left, max(wide - left - right, 0.2 * wide), right)
    down = (top, max(high - top - low, 0.2 * high), low)
    tiny = 1e-6  # a part of a grid cannot have no width at all
    grid = cell.subgridspec(
        3, 3, wspace=0, hspace=0, width_ratios=[w + tiny for w in across], height_ratios=[h + tiny for h in down]
    )
    ax.set_subplotspec(grid[1, 1])


def split(ax: Axes, heights: Sequence[float], columns: int = 1, count: int | None = None) -> list[Axes]:
    """The place of the axes shared out among as many rows of axes, `count` in all; the first are the given ones."""
    cell = ax.get_subplotspec()
    if cell is None:
        # Axes that somebody placed by hand have no grid: the others hang below them.
        total, down = heights[0], 0.0
        others = []
        for height in heights[1:]:
            down += (height + 0.15 * total) / total
            others.append(ax.inset_axes((0, -down, 1, height / total)))
        return [ax, *others]
    # Between two of them stand the numbers and the title of an axis and the next heading.
    figure: Any = ax.figure
    high = 72 * cell.get_position(figure).height * figure.bbox.height / figure.dpi
    each = max(high - BETWEEN * (len(heights) - 1), 8.0 * len(heights)) / len(heights)
    between = None if figure.get_layout_engine() is not None else BETWEEN / each
    grid = cell.subgridspec(len(heights), columns, height_ratios=list(heights), hspace=between)
    ax.set_subplotspec(grid[0, 0])
    rest = [(i, j) for i in range(len(heights)) for j in range(columns)][1:count]
    return [ax, *(ax.figure.add_subplot(grid[i, j]) for i, j in rest)]


def write_title(
    ax: Axes, picture: Picture, frame: PictureFrame | None, height: float, drawn: Drawn, columns: int, left: float
) -> None:
    """Title and what was read, so many points above the axes: over words that stand there already."""
    if frame is None:
        lines = [part for line in picture.subtitle for part in fold(line, columns, lines=3)]
        names, x = [shorten(picture.title, columns)] if picture.title else [], -left
    else:
        names, lines, x = list(frame.title), list(frame.subtitle), -POINTS * frame.left
    for line in reversed(lines):
        drawn.titles.append(write_above(ax, line, (x, height), fontsize=8.5, color=theme.FAINT_INK))
        height += 11.5
    for name in reversed(names):
        drawn.titles.append(write_above(ax, name, (x, height + 3.0), fontsize=10.5, fontweight="bold"))
        height += 14.0


def write_above(ax: Axes, text: str, points: tuple[float, float], **style: object) -> Artist:
    """A line of text so many points right of and above the upper left corner of the axes."""
    return write_beside(ax, text, (0, 1), points, xycoords="axes fraction", **{"ha": "left", "va": "bottom", **style})


def write_beside(ax: Axes, text: str, at: Pair, points: Pair, **style: object) -> Artist:
    """Text so many points right of and above a place, on the axes or beside them."""
    look: dict[str, Any] = {"color": theme.INK, "fontsize": 9, "va": "center", **as_text(), **style}
    artist: Artist = ax.annotate(drawable(text), at, points, textcoords="offset points", annotation_clip=False, **look)
    return artist


def as_text() -> dict[str, Any]:
    """Names are not formulas: no mathtext, no TeX; and fonts for names in any script that one is installed for."""
    return {"parse_math": False, "usetex": False, "fontfamily": list(_families())}


def drawable(text: str) -> str:
    """The text with a box for each character that the font lacks, which matplotlib would warn of at every drawing."""
    return "".join(c if c.isascii() or has_glyph(c, _families()) else "□" for c in text)


def _families() -> tuple[str, ...]:
    from matplotlib.font_manager import FontProperties

    return (*FontProperties().get_family(), *_other_scripts())


@cache
def _other_scripts() -> tuple[str, ...]:
    """Installed fonts that have Chinese, Japanese and Korean."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return tuple(name for name in theme.FONT.split(", ")[5:] if name in installed)


@cache
def has_glyph(character: str, families: tuple[str, ...]) -> bool:
    """Whether one of the font families can show a character."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in families]
    return any(font.get_char_index(ord(character)) for font in fonts)


def tidy(ax: Axes) -> None:
    """A frame as light as in the SVG pictures."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(theme.REFERENCE)
    ax.tick_params(colors=theme.INK, labelsize=8.5)
    ax.set_axisbelow(True)


def dash_style(dash: Sequence[float]) -> str | tuple[int, tuple[float, ...]]:
    """A dash pattern in matplotlib's words."""
    return (0, tuple(0.7 * d for d in dash)) if dash else "-"


SHAPES = {"circle": "o", "diamond": "D", "square": "s", "cross": "P"}


def draw_curves(
    picture: Curves,
    ax: Axes,
    drawn: Drawn,
    *,
    colours: Sequence[Any] | None = None,
    named: bool = False,
    beside: bool = False,
) -> None:
    """Bands, references, curves, points and words, in this order; the legend where there is something to tell apart.

    `drawn` is what the axes hold already: the legend is of all of it, and the axes reach as far as all of it does.
    """
    entries: Entries = []

    def colour_of(series: int) -> Any:
        return theme.series_style(series)[0] if colours is None else colours[series]

    for band in picture.bands:
        colour = colour_of(band.series)
        x, low, high = placed(band.x, picture.x), placed(band.low, picture.y), placed(band.high, picture.y)
        area = ax.fill_between(x, low, high, color=colour, alpha=0.2, lw=0, zorder=1)
        if band.name not in [name for _, name in entries]:
            entries.append((area, band.name))
    lines = _draw_lines(ax, picture, colour_of, drawn)
    drawn_names = {name for _, name in drawn.entries}
    entries = [*lines, *(entry for entry in entries if entry[1] not in drawn_names)]
    for w in picture.whiskers:
        colour = colour_of(w.series)
        upright, across = _arms(w.y, w.low, w.high), _arms(w.x, w.left, w.right)
        ax.errorbar(
            placed(w.x, picture.x), w.y, upright, across, fmt="o", color=colour, ms=5, lw=1.6, capsize=3, zorder=5
        )
    for mark in picture.marks:
        drawn.own.append(_draw_mark(ax, mark, picture, colour_of))
    plot = Plot(picture)
    for words in words_apart(plot):
        written = _write(ax, words, picture)
        drawn.own += [] if words.of_reference else [written]
    for which, axis in (("x", picture.x), ("y", picture.y)):
        _set_axis(ax, axis, which, getattr(ax, f"get_{which}lim")() if drawn.entries else ())
    ax.grid(visible=True, color=theme.GRID, lw=0.8)
    tidy(ax)
    if picture.bare:
        ax.set_axis_off()
        ax.set_aspect("equal")
    # Beyond words that stand at the right of the plot.
    away = 1.01 + plot.right / picture.size[0] if plot.beside else 1.01
    first, user_entries = not drawn.entries, _labelled_by_user(ax, drawn)
    drawn.entries += entries
    for handle, name in entries:  # for a legend that somebody makes anew
        handle.set_label(name.replace("$", r"\$"))
    if len(lines) > 1 or named or not first or user_entries or len(entries) > len(lines):
        named_entries = [(handle, name or f"curve {i}") for i, (handle, name) in enumerate(drawn.entries, start=1)]
        _draw_legend(ax, [*user_entries, *named_entries], "" if beside else picture.empty_corner, away)
    if picture.histogram is not None:
        _draw_histogram(ax, picture, "" if beside else "best")


def _labelled_by_user(ax: Axes, drawn: Drawn) -> Entries:
    """What somebody else drew on the axes, with a label of its own."""
    return [e for e in zip(*ax.get_legend_handles_labels(), strict=True) if e[0] not in [h for h, _ in drawn.entries]]


def _arms(middle: Floats, low: Floats | None, high: Floats | None) -> Floats | None:
    return None if low is None or high is None else np.abs(np.stack([middle - low, high - middle]))


def _draw_lines(ax: Axes, picture: Curves, colour_of: Callable[[int], Any], drawn: Drawn) -> Entries:
    entries: Entries = []
    names = iter(legend_names(picture))
    beside: dict[str, Artist] = {}
    place = 0
    for line in picture.lines:
        shape = needed_points(line, picture)
        if line.role == "curve":
            series = place if line.series is None else line.series
            colour, dash = colour_of(series), theme.series_style(series)[1]
            place += 1
            handle = ax.plot(shape.x, shape.y, color=colour, ls=dash_style(dash), lw=1.7, zorder=4)[0]
            entries.append((handle, next(names)))
        else:
            stroke, width, pattern = ROLES[line.role]
            colour = stroke if line.series is None else colour_of(line.series)
            style: dict[str, Any] = {"ls": dash_style(pattern), "lw": width}
            stroked = ax.plot(shape.x, shape.y, color=colour, zorder=3 if line.role == "hull" else 2, **style)
            drawn.own += stroked if line.role in ("hull", "iso", "faint") else []
            if line.role == "aside" and line.name and line.name not in beside:
                beside[line.name] = ax.plot([], [], color=stroke, **style)[0]
    return [*entries, *((handle, name) for name, handle in beside.items())]


def _draw_mark(ax: Axes, mark: Mark, picture: Curves, colour_of: Callable[[int], Any]) -> Artist:
    colour = theme.INK if mark.series is None else colour_of(mark.series)
    x, y = (float(placed(np.array([v]), a)[0]) for v, a in ((mark.x, picture.x), (mark.y, picture.y)))
    return ax.plot([x], [y], marker=SHAPES[mark.shape], ms=7, color=colour, mfc="white" if mark.hollow else colour,
                   clip_on=False, zorder=6, ls="")[0]  # fmt: skip


def _write(ax: Axes, one: PlacedWords, picture: Curves) -> Artist:
    from matplotlib.patheffects import withStroke

    x, y = (float(placed(np.array([v]), a)[0]) for v, a in zip(one.at, (picture.x, picture.y), strict=True))
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    colour = theme.INK if one.of_mark else theme.FAINT_INK
    shift = (POINTS * one.shift[0], -POINTS * one.shift[1])
    look = {"fontsize": 8, "color": colour, "zorder": 7, "path_effects": halo}
    return write_beside(ax, one.words, (x, y), shift, ha=one.align, **look)


def _set_axis(ax: Axes, axis: Axis, which: str, held: Sequence[float]) -> None:
    """Title, ticks and ends of an axis, which reaches as far as it did before too."""
    reach = (*ends(axis), *held)
    getattr(ax, f"set_{which}lim")(min(reach), max(reach))
    place = ax.get_window_extent()
    most = 72 / ax.figure.dpi * (place.width if which == "x" else place.height) / text_width("n", 9)
    getattr(ax, f"set_{which}label")(
        drawable(_first_part(axis.title, most, ":")), fontsize=9, color=theme.INK, **as_text()
    )
    if axis.scale != "linear" or axis.ticks:
        written = axis_ticks(axis)
        written = written[:: 1 + (which == "x" and sum(2 + len(words) for _, words in written) > most)]
        getattr(ax, f"set_{which}ticks")([place for place, _ in written], labels=[words for _, words in written])


LETTER = 0.6  # width of a character, of its height


def _draw_legend(ax: Axes, entries: Entries, corner: str, away: float = 1.01) -> None:
    """Beside the plot for many or without a corner, else there, or below where it would hide a curve; names are set
    afterwards, so that `_x` is shown too."""
    if not entries:
        return
    handles = [handle for handle, _ in entries]
    labels = [str(i) for i in range(len(entries))]
    many = len(entries) > 4
    # Beside axes that have a neighbour it would cover that.
    inside = bool(corner) and (not many or len(ax.figure.axes) > 1)
    where = {"loc": corner} if inside else {"loc": "upper left", "bbox_to_anchor": (away, 1.0)}
    size = 6 if inside and many else 8
    # A legend inside narrow axes must not reach over their edge; a line and its margins take about 40 points.
    broad = 72 * ax.get_window_extent().width / ax.figure.dpi
    most = max(16, min(46, int((broad - 40) / (LETTER * size)))) if inside else 46

    def write(size: float, most: int, **where: Any) -> Any:
        legend = ax.legend(handles, labels, fontsize=size, frameon=True, framealpha=0.85, edgecolor="none", **where)
        legend.set_zorder(8)
        for text, (_, name) in zip(legend.get_texts(), entries, strict=True):
            text.set_parse_math(False)
            text.set_usetex(False)
            text.set_fontfamily(list(_families()))
            text.set_text(drawable("\n".join(fold(name, most))))
        return legend

    drawn = DRAWN.get(ax)
    below = None if drawn is None else drawn.below
    box = write(size, most, **where).get_window_extent() if below is None else None
    if box is not None and (not inside or not _hides(box, handles)):
        return
    dense = partial(write, 6.5, 46, loc="upper center", labelspacing=0.2, borderpad=0.0, borderaxespad=0.0)
    if below is None:  # the axes make way for it
        needed, high = dense().get_window_extent().height, ax.get_window_extent().height
        below = split(ax, (1.0, min(0.8, needed / max(needed, high - needed))))[1]
        below.set_axis_off()
        if drawn is not None:
            drawn.below = below
    dense(bbox_to_anchor=(0.5, 1.0), bbox_transform=below.transAxes).set_in_layout(False)


def _hides(box: Any, curves: Sequence[Any]) -> bool:
    """Whether a legend lies over one of the curves."""
    paths = (c.get_transform().transform_path(c.get_path()) for c in curves if hasattr(c, "get_path"))
    return any(path.intersects_bbox(box, filled=False) for path in paths)


def _draw_histogram(ax: Axes, picture: Curves, corner: str) -> None:
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
    _draw_legend(below, [(first, h.names[0]), (second, h.names[1])], corner)


ROW = 26


def draw_forest(picture: Forest, ax: Axes, size: float = TEXT) -> None:
    """One panel on the axes themselves; several share their place."""
    several = len(picture.panels) > 1
    columns = picture.columns
    lines = [picture.panels[i : i + columns] for i in range(0, len(picture.panels), columns)]
    heights = [float(ROW * max(len(p.rows) for p in line)) for line in lines]
    places = split(ax, heights, columns, len(picture.panels)) if several else [ax]
    for place, panel in zip(places, picture.panels, strict=True):
        _draw_panel(place, panel, size)
        above = any(words for _, words in panel.references)
        if panel.heading:
            write_above(place, panel.heading, (0.0, 5.0 + (12.0 if above else 0.0)), fontsize=9, fontweight="bold")


def _draw_panel(ax: Axes, panel: Panel, size: float) -> None:
    if panel.margin is not None:
        ax.axvspan(*panel.margin, color=theme.MARGIN, lw=0, zorder=0)
    for value, words in panel.references:
        ax.axvline(value, color=theme.REFERENCE, lw=1.1, ls=(0, (4, 3)), zorder=1)
        if words:
            look = {"ha": "center", "va": "bottom", "fontsize": 8, "color": theme.FAINT_INK}
            write_beside(ax, words, (value, 1), (0, 2), xycoords=("data", "axes fraction"), **look)
    for place, row in enumerate(panel.rows):
        _draw_row(ax, row, place, panel.domain, size)
    ax.set_xlim(*panel.domain)
    ax.set_ylim(len(panel.rows) - 0.5, -0.5)
    # Names that were folded to the room of the axes already keep their lines.
    folded = [r.label.split("\n") for r in panel.rows]
    if not any(len(lines) > 1 for lines in folded):
        folded = fold_all([r.label for r in panel.rows], 30)
    labels = [drawable("\n".join(lines)) for lines in folded]
    ax.set_yticks(range(len(panel.rows)), labels=labels, fontsize=size, **as_text())
    ax.set_xlabel(drawable(panel.axis), fontsize=9, color=theme.INK, **as_text())
    ax.xaxis.grid(visible=True, color=theme.GRID, lw=0.8)
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, pad=9, labelsize=size)


def _draw_row(ax: Axes, row: ForestRow, place: int, domain: tuple[float, float], size: float) -> None:
    colour = theme.REFERENCE if row.aside else theme.ACCENT
    text = theme.FAINT_INK if row.aside or not row.drawn else theme.INK
    write_beside(ax, row.words, (1, place), (9, 0), xycoords=("axes fraction", "data"), color=text, fontsize=size)
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
        [row.estimate], [place], marker="o", ms=6, color=colour,
        mfc="white" if row.aside else colour, zorder=4, clip_on=False,
    )  # fmt: skip


def draw_heat(picture: Heat, ax: Axes) -> None:
    """Cells, what they say, and the names around them."""
    rows, columns = len(picture.rows), len(picture.columns)
    gap = GAP if picture.extra_columns else 0.0
    side_x, side_y = cell_size(picture)
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


def _draw_block(ax: Axes, picture: Heat, low: int, high: int, shift: float) -> None:
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


def _draw_scale(ax: Axes, picture: Heat) -> None:
    """What the colours mean, where no numbers say it."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm
    from matplotlib.ticker import PercentFormatter

    colours = LinearSegmentedColormap.from_list("shares", theme.SHADES)
    scale = ScalarMappable(norm=PowerNorm(0.5, 0, 1), cmap=colours)
    bar = ax.figure.colorbar(scale, ax=ax, shrink=0.3, anchor=(0.0, 1.0), format=PercentFormatter(1, 0))
    bar.set_label(drawable(picture.scale_title), fontsize=8, **as_text())
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


def _write_cells(ax: Axes, picture: Heat, base: int, gap: float, side: float) -> None:
    size = 9 if side >= 44 else 7
    for k, (i, j) in enumerate(picture.place.tolist()):
        share = float(picture.share[k])
        ink = theme.ink_on(theme.EMPTY if math.isnan(share) else theme.shade(math.sqrt(share)))
        x = j + 0.5 + (gap if j >= base else 0.0)
        ax.text(x, i + 0.5, "\n".join(picture.words[k]), ha="center", va="center", fontsize=size, color=ink, zorder=4)


def _name_axes(ax: Axes, picture: Heat, base: int, gap: float, sides: tuple[float, float]) -> None:
    across, down = (max(1, math.ceil(14 / side)) for side in sides)
    names = distinct(picture.columns, COLUMN_NAME)
    flat = columns_needed(names) * CHARACTER <= sides[0] - 4
    columns = [j for j in range(len(names)) if j % across == 0 or j >= base]
    places = [j + 0.5 + (gap if j >= base else 0.0) for j in columns]
    size = 9 if min(sides) >= 24 else 7
    # Beneath the map, not above it as in the SVG picture: there the title stands.
    ax.xaxis.set_ticks_position("bottom")
    turned: dict[str, Any] = {} if flat else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    # Names side by side are written a little smaller where they would touch.
    fitting = POINTS * (sides[0] - 4) / (LETTER * columns_needed(names)) if flat else size
    labels = [drawable(names[j]) for j in columns]
    ax.set_xticks(places, labels=labels, fontsize=min(size, fitting), **turned, **as_text())
    rows = [i for i in range(len(picture.rows)) if i % down == 0]
    row_names = distinct(picture.rows, ROW_NAME)
    labels = [drawable(row_names[i]) for i in rows]
    ax.set_yticks([i + 0.5 for i in rows], labels=labels, fontsize=size, **as_text())
    ax.set_xlabel(drawable(picture.column_title), fontsize=9, **as_text())
    ax.set_ylabel(drawable(picture.row_title), fontsize=9, **as_text())
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    for i, note in enumerate(picture.row_notes):
        look = {"fontsize": size, "color": theme.FAINT_INK}
        write_beside(ax, note, (1, i + 0.5), (5, 0), xycoords=("axes fraction", "data"), **look)


def draw_bars(picture: Bars, ax: Axes) -> None:
    """Horizontal bars with words at their ends."""
    count = len(picture.labels)
    highest = picture.highest or max(picture.amounts) or 1.0
    starts = picture.starts or (0.0,) * count
    lengths = [end - start for start, end in zip(starts, picture.amounts, strict=True)]
    ax.barh(range(count), lengths, left=starts, height=0.6, color=theme.ACCENT)
    ends = [highest] * count if picture.starts else picture.amounts
    for i, (amount, words) in enumerate(zip(ends, picture.words, strict=True)):
        ax.annotate(drawable(words), (amount, i), (5, 0), textcoords="offset points", va="center", fontsize=9,
                    annotation_clip=False, **as_text())  # fmt: skip
    labels = [drawable("\n".join(lines)) for lines in fold_all(picture.labels, 44)]
    ax.set_yticks(range(count), labels=labels, fontsize=9, **as_text())
    ax.set_xlim(0, highest)
    ax.set_ylim(count - 0.5, -0.5)
    if picture.starts:
        ax.set_xlabel(drawable(picture.axis), fontsize=9, **as_text())
    else:
        ax.set_xticks([])
    tidy(ax)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0)


RULER = -2.3


def draw_ranks(picture: Ranks, ax: Axes) -> None:
    """Ranks across with the best at the left, names beside their level."""
    layout = lay_out(picture)
    for elbow in layout.elbows:
        edge = layout.low if elbow.left else layout.high
        ax.plot([elbow.rank, elbow.rank, edge], [0, elbow.level, elbow.level], color=theme.REFERENCE, lw=1.0, zorder=1)
        ax.plot([elbow.rank], [0], "o", color=theme.ACCENT, ms=5, zorder=4, clip_on=False)
        side, away = ("right", -6) if elbow.left else ("left", 6)
        write_beside(ax, elbow.words, (edge, elbow.level), (away, 0), ha=side)
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
    middle = (layout.low + layout.high) / 2
    ax.text(middle, -1.3, "mean rank (1 is best)", ha="center", va="center", fontsize=9, color=theme.INK)
