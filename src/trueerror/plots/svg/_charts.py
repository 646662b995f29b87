"""Forests, heat maps, bars and mean ranks as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup

from trueerror.plots._simplify import ticks
from trueerror.plots._specs import Bars, Forest, ForestRow, Heat, Panel, Ranks
from trueerror.plots._text import distinct, fold_all
from trueerror.plots.compose.matrices import COLUMN_NAME, GAP, ROW_NAME, RanksLayout, cell_size, lay_out, ruler
from trueerror.plots.svg._elements import Drawing, box, corners, el, joined, place, straight, text, text_width, widest

# A line of a name, and the air around a row.
LINE, AIR = 15, 10
# Test folds of one learner that are drawn; more would be a blot.
MOST_DOTS = 100
# Width of a plot of intervals, and of one that stands beside another.
FOREST, SMALL_FOREST = 340, 200
NAME_COLUMNS = 30


def write_forest(picture: Forest) -> Drawing:
    """All panels under each other or in columns, their plots aligned: names, lines, and the same in figures."""
    plot = FOREST if picture.columns == 1 else SMALL_FOREST
    names = [fold_all([row.label for row in panel.rows], NAME_COLUMNS) for panel in picture.panels]
    left = widest(line for panel in names for lines in panel for line in lines) + 12
    right = widest(row.words for panel in picture.panels for row in panel.rows) + 14
    headings = widest((panel.heading for panel in picture.panels), 12.8)
    parts: list[Markup] = []
    across = max(left + plot + right, headings) + 24
    y = lowest = 0.0
    for i, (panel, labels) in enumerate(zip(picture.panels, names, strict=True)):
        column = i % picture.columns
        if column == 0:
            y = lowest
        top = y
        if panel.heading:
            parts.append(text(panel.heading, across * column, top + 12, kind="heading"))
            top += 22
        drawn, high = _panel(panel, labels, left, plot)
        parts.append(el("g", *drawn, transform=f"translate({place(across * column)} {place(top)})"))
        lowest = max(lowest, top + high + 18)
    columns = min(picture.columns, len(picture.panels))
    return Drawing(joined(parts), across * columns - 24, lowest - 18, left)


def _panel(panel: Panel, labels: list[list[str]], left: float, wide: int = FOREST) -> tuple[list[Markup], float]:
    """The elements of a panel and its height."""
    step = float(LINE * max(len(lines) for lines in labels) + AIR)
    top = 16.0 if any(words for _, words in panel.references) else 0.0
    bottom = top + step * len(panel.rows)

    def x(value: float) -> float:
        return left + wide * share_of(value, panel) / 100

    parts = [straight(x(v), top, x(v), bottom, "grid") for v, _ in ticks(*panel.domain, most=5)]
    parts += [text(words, x(v), top - 5, align="center") for v, words in panel.references if words]
    for i, (row, lines) in enumerate(zip(panel.rows, labels, strict=True)):
        y = top + step * i
        kind = None if row.aside or not row.drawn else "name"
        first = y + step / 2 + 4 - LINE * (len(lines) - 1) / 2
        parts += [text(line, left - 12, first + LINE * k, align="right", kind=kind) for k, line in enumerate(lines)]
        ground = el("rect", el("title", row.tip) if row.tip else None, width="100%", height="100%", class_="ground")
        look = "interval aside" if row.aside else "interval"
        marks = interval_marks(row, panel, step)
        parts.append(el("svg", *marks, ground, x=place(left), y=place(y), width=wide, height=place(step), class_=look))
        parts.append(text(row.words, left + wide + 14, y + step / 2 + 4, kind=kind))
    scale = axis_marks(panel)
    parts.append(el("svg", *scale, x=place(left), y=place(bottom), width=wide, height="24", class_="interval"))
    high = bottom + 22
    if panel.axis:
        high += 18
        parts.append(text(panel.axis, left + wide / 2, high - 4, align="center", kind="axis"))
    return parts, high


def interval_marks(row: ForestRow, panel: Panel, height: float) -> list[Markup]:
    """A row of a forest: margin, references, points, the limits and the estimate, in percent of its width."""
    middle = height / 2
    parts: list[Markup] = []
    if panel.margin is not None:
        left, right = (share_of(v, panel) for v in panel.margin)
        parts.append(el("rect", x=_at(left), y="0", width=_at(right - left), height=place(height), class_="margin"))
    for value, _ in panel.references:
        x = _at(share_of(value, panel))
        parts.append(el("line", x1=x, x2=x, y1="0", y2=place(height), class_="zero"))
    for value, dy in [(v, y) for v, y in row.dots(0.0) if math.isfinite(v)][:MOST_DOTS]:
        parts.append(el("circle", cx=_at(share_of(value, panel)), cy=place(middle + dy * height), r="2", class_="dot"))
    if not row.drawn:
        return parts
    open_left = row.side == "upper" or math.isinf(row.low)
    open_right = row.side == "lower" or math.isinf(row.high)
    y = place(middle)
    if not (math.isnan(row.low) or math.isnan(row.high)):
        left = 0.0 if open_left else share_of(row.low, panel)
        right = 100.0 if open_right else share_of(row.high, panel)
        caps = {"y1": place(middle - 4), "y2": place(middle + 4)}
        ends = [at for at, is_open in ((_at(left), open_left), (_at(right), open_right)) if not is_open]
        parts.append(el("g", el("line", x1=_at(left), x2=_at(right), y1=y, y2=y),
                        *(el("line", x1=at, x2=at, **caps) for at in ends), class_="limits"))  # fmt: skip
        # The open end of a one-sided interval goes on beyond the picture.
        for x, anchor, sign, is_open in (("0%", None, "◂", open_left), ("100%", "end", "▸", open_right)):
            if is_open:
                parts.append(el("text", sign, x=x, y=place(middle + 5), text_anchor=anchor, class_="open"))
    parts.append(el("circle", cx=_at(share_of(row.estimate, panel)), cy=y, r="5", class_="estimate"))
    return parts


def axis_marks(panel: Panel, most: int = 5, *, every: int = 1) -> list[Markup]:
    """The axis under the rows of a forest, in percent of its width: so many marks, every so many with a number."""
    parts = [el("line", x1="0", x2="100%", y1="0.5", y2="0.5", class_="tick")]
    for i, (value, words) in enumerate(ticks(*panel.domain, most=most)):
        x = _at(share_of(value, panel))
        parts.append(el("line", x1=x, x2=x, y1="0", y2="5", class_="tick"))
        if i % every == 0:
            parts.append(el("text", words, x=x, y="18", text_anchor="middle"))
    return parts


def share_of(value: float, panel: Panel) -> float:
    """Where a number lies on the axis of its panel, in percent; one beyond it lies at its end."""
    low, high = panel.domain
    return min(100.0, max(0.0, 100 * (value - low) / (high - low)))


def _at(percent: float) -> str:
    return f"{place(percent)}%"


# Where numbers are written in the cells, the darkest is no darker than lets them be read, on white and on dark ground.
WRITTEN_OPACITY = 0.5
STEPS = 24


def write_heat(picture: Heat) -> Drawing:
    """The map, its names, and what the colours mean where no numbers say it."""
    side_x, side_y = cell_size(picture)
    rows, columns = len(picture.rows), len(picture.columns)
    base = columns - picture.extra_columns
    gap = GAP * side_x if picture.extra_columns else 0.0
    row_names, column_names = distinct(picture.rows, ROW_NAME), distinct(picture.columns, COLUMN_NAME)
    flat = widest(column_names) <= side_x - 4
    above = 40.0 if flat else widest(column_names) * math.sqrt(0.5) + 34
    left = max(widest(row_names), text_width(f"{picture.row_title} ↓")) + 10
    width, height = side_x * columns + gap, side_y * rows

    def x(column: float) -> float:
        return left + side_x * column + (gap if column >= base else 0.0)

    cells = enumerate(picture.place.tolist())
    parts = [_cell(picture, k, x(j), above + side_y * i, (side_x, side_y)) for k, (i, j) in cells]
    parts.append(box(left, above, side_x * base, height, "frame"))
    if columns > base:
        parts.append(box(x(base), above, side_x * (columns - base), height, "frame"))
    kind = "name small" if min(side_x, side_y) < 24 else "name"
    for i in range(0, rows, max(1, math.ceil(14 / side_y))):
        y = above + side_y * (i + 0.5) + 4
        parts.append(text(row_names[i], left - 8, y, align="right", kind=kind))
    for i, note in enumerate(picture.row_notes):
        parts.append(text(note, left + width + 8, above + side_y * (i + 0.5) + 4))
    step = max(1, math.ceil(14 / side_x))
    for j in [j for j in range(columns) if j % step == 0 or j >= base]:
        middle = x(j) + side_x / 2
        if flat:
            parts.append(text(column_names[j], middle, above - 8, align="center", kind=kind))
        else:
            turned = f"rotate(-45 {place(middle)} {place(above - 6)})"
            parts.append(text(column_names[j], middle, above - 6, kind=kind, transform=turned))
    parts.append(text(f"{picture.column_title} →", left, 12))
    parts.append(text(f"{picture.row_title} ↓", left - 8, above - 8, align="right"))
    right = left + width
    turned_end = 0.0 if flat else right - side_x / 2 + text_width(column_names[-1]) * math.sqrt(0.5)
    if picture.row_notes:
        parts.append(text("all", right + 8, above - 8))
        right += widest(picture.row_notes) + 12
    right = max(right, turned_end)
    if not picture.text:
        parts.append(_scale(picture, left + width + 24, above))
        right = max(right, left + width + 24 + text_width(picture.scale_title) + 4)
    return Drawing(joined(parts), right, above + height + 2, left)


def _cell(picture: Heat, k: int, x: float, y: float, sides: tuple[float, float]) -> Markup:
    """A cell with what it says; shaded by the square root of the share, so that a few per cent differ from none."""
    share = float(picture.share[k])
    tip = "\n".join(f"{title}: {words}" for title, words in picture.tips[k].items()) if picture.tips else ""
    hover = el("title", tip) if tip else None
    empty = math.isnan(share)
    opacity = None if empty else f"{(WRITTEN_OPACITY if picture.text else 1.0) * math.sqrt(share):.3f}"
    kind = "empty" if empty else "cell"
    colour = box(x, y, *sides, kind, hover, fill_opacity=opacity)
    if not picture.text:
        return colour
    lines = picture.words[k]
    high = sides[1] >= 44
    line = 16 if high else 12
    first = y + sides[1] / 2 + 4 - line * (len(lines) - 1) / 2
    weight = "name" if high else "name small"
    words = [
        text(words, x + sides[0] / 2, first + line * n, align="center", kind=weight if n else f"{weight} heading",
             pointer_events="none")
        for n, words in enumerate(lines)
    ]  # fmt: skip
    return joined([colour, box(x, y, *sides, "gap", pointer_events="none"), *words])


def _scale(picture: Heat, x: float, y: float) -> Markup:
    """What the shades mean."""
    high = 160 / STEPS
    parts = [text(picture.scale_title, x, y + 10)]
    for k in range(STEPS):
        opacity = f"{math.sqrt(1 - (k + 0.5) / STEPS):.3f}"
        parts.append(box(x, y + 24 + high * k, 14, high + 0.3, "cell", fill_opacity=opacity))
    parts.append(box(x, y + 24, 14, 160, "frame"))
    parts += [text(f"{share} %", x + 20, y + 28 + 1.6 * (100 - share)) for share in (100, 50, 0)]
    return joined(parts)


BARS = 300


def write_bars(picture: Bars) -> Drawing:
    """Horizontal bars, names at the left, words at the ends."""
    labels = fold_all(picture.labels, 44)
    left = widest(line for lines in labels for line in lines) + 10
    step = float(LINE * max(len(lines) for lines in labels) + 8)
    highest = picture.highest or max(picture.amounts) or 1.0
    starts = picture.starts or (0.0,) * len(labels)
    parts: list[Markup] = []
    right = 0.0
    for i, (lines, amount, words) in enumerate(zip(labels, picture.amounts, picture.words, strict=True)):
        middle = step * (i + 0.5)
        begin, end = (left + BARS * v / highest for v in (starts[i], amount))
        first = middle + 4 - LINE * (len(lines) - 1) / 2
        parts += [text(n, left - 8, first + LINE * k, align="right", kind="name") for k, n in enumerate(lines)]
        parts.append(box(begin, middle - 8, end - begin, 16, "bar c0"))
        beside = (left + BARS if picture.starts else end) + 6
        parts.append(text(words, beside, middle + 4))
        right = max(right, beside + text_width(words))
    high = step * len(labels)
    if picture.starts:
        for value, words in ticks(0.0, highest):
            x = left + BARS * value / highest
            parts += [straight(x, high, x, high + 5, "tick"), text(words, x, high + 18, align="center")]
        parts.append(straight(left, high + 0.5, left + BARS, high + 0.5, "tick"))
        parts.append(text(picture.axis, left + BARS / 2, high + 38, align="center", kind="axis"))
        high += 42
        right = max(right, left + (BARS + text_width(picture.axis)) / 2)
    return Drawing(joined(parts), max(right, left + BARS), high, left)


Scale = Callable[[float], float]
RANKS = 420
LEVEL = 24
RULER = -2.3  # level of the critical difference


def write_ranks(picture: Ranks) -> Drawing:
    """Ranks across, the best at the left; names beside their level."""
    layout = lay_out(picture)
    left = widest(e.words for e in layout.elbows if e.left) + 10
    right = widest(e.words for e in layout.elbows if not e.left) + 10
    # Above the axis stand its numbers, its title and the ruler of the critical difference.
    top = RULER - 0.5 if picture.difference is not None else RULER + 0.6

    def x(rank: float) -> float:
        return left + RANKS * (rank - layout.low) / (layout.high - layout.low)

    def y(level: float) -> float:
        return (level - top) * LEVEL

    parts = []
    if picture.difference is not None:
        start, end, words = ruler(picture, layout)
        parts += [straight(x(at), y(RULER) - 5, x(at), y(RULER) + 5, "ruler") for at in (start, end)]
        parts += [
            straight(x(start), y(RULER), x(end), y(RULER), "ruler"),
            text(words, x(end) + 8, y(RULER) + 4, kind="name"),
        ]
        right = max(right, x(end) + 8 + text_width(words) - left - RANKS)
    parts.append(text("mean rank (1 is best)", left + RANKS / 2, y(0) - 24, align="center", kind="axis"))
    parts.append(straight(x(layout.low), y(0), x(layout.high), y(0), "tick"))
    step = max(1, math.ceil((layout.high - layout.low) / 14))
    for i in range(0, int(layout.high - layout.low) + 1, step):
        at = x(layout.low + i)
        parts += [straight(at, y(0) - 5, at, y(0), "tick"), text(f"{layout.low + i:.0f}", at, y(0) - 9, align="center")]
    parts += _elbows(layout, x, y)
    for bar in layout.bars:
        # A dot at each member: a model that is crossed without one is not of the group.
        parts.append(straight(x(bar.ranks[0]), y(bar.level), x(bar.ranks[-1]), y(bar.level), "group"))
        parts += [el("circle", cx=place(x(r)), cy=place(y(bar.level)), r="4.2", class_="point") for r in bar.ranks]
    return Drawing(joined(parts), left + RANKS + right, y(layout.depth) + 14, left)


def _elbows(layout: RanksLayout, x: Scale, y: Scale) -> list[Markup]:
    """A line from each rank down to its level and out to its name."""
    parts = []
    for e in layout.elbows:
        edge = x(layout.low if e.left else layout.high)
        path = ((x(e.rank), y(0)), (x(e.rank), y(e.level)), (edge, y(e.level)))
        parts.append(el("polyline", points=corners(path), class_="elbow"))
        parts.append(el("circle", cx=place(x(e.rank)), cy=place(y(0)), r="3.8", class_="point c0"))
        beside = edge - 8 if e.left else edge + 8
        parts.append(text(e.words, beside, y(e.level) + 4, align="right" if e.left else "left", kind="name"))
    return parts
