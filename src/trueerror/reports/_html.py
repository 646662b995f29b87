"""HTML and SVG as values: whatever is not markup already is text, and text is escaped.

Tables as HTML: sortable, with classes instead of styles, since the page's policy forbids styles on elements.

Intervals under each other as a table: a name, a line with a dot, and the same in figures.

Lines are placed in percent of their cell, so they fit any width; the figures beside them are their text alternative.

Confusion matrices as tables, shaded by the share of the true class; with many classes, the commonest errors.

Round numbers along an axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from markupsafe import Markup, escape

from trueerror.plots._specs import Forest, ForestRow, Panel
from trueerror.plots._style import distinct
from trueerror.plots.compose.matrices import worst_pairs
from trueerror.results._format import clip, one_line, short_names, whole
from trueerror.results._tables import Table
from trueerror.tallies import Confusion

# Names longer than this are cut in the middle: nobody reads on, and a page repeats them in many places.
LONGEST_NAME = 120
# In sentences, and where many stand under each other, names are cut to this.
BRIEF = 40
# Elements without an end tag.
VOID = frozenset({"img", "input", "br"})


def el(tag: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Children that are markup are kept, others are escaped, None is left out.

    An attribute's underscores become hyphens (`class_` is class); None and False leave it out, True gives it no value.

    >>> print(el("td", "a < b", class_="name", data_sort=1.5))
    <td class="name" data-sort="1.5">a &lt; b</td>
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in VOID:
        return Markup(f"<{tag}{written}>")
    inside = Markup("").join(escape(child) for child in children if child is not None)
    return Markup(f"<{tag}{written}>") + inside + Markup(f"</{tag}>")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    shown = name.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{escape(value)}"'


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Parts after each other."""
    return escape(between).join(escape(part) for part in parts)


def named(text: object) -> str:
    """User text as one line that is not too long.

    >>> named("a\\nb"), len(named("x" * 500))
    ('a b', 120)
    """
    return clip(one_line(str(text)), LONGEST_NAME)


@cache
def brief_names(names: tuple[str, ...]) -> dict[str, str]:
    """Each name, and how it is shown where room is short: at most `BRIEF` columns, and no two alike.

    >>> rate = ", learning rate 0.05, trained in May"
    >>> list(brief_names((f"gradient boosting, depth 3{rate}", f"gradient boosting, depth 4{rate}", "svm")).values())
    ['gradient boosting, depth 3, learning ra…', 'gradient boosting, depth 4, learning ra…', 'svm']
    """
    return dict(zip(names, short_names([one_line(n) for n in names], BRIEF), strict=True))


def brief(text: str, names: Iterable[object]) -> str:
    """A sentence with its long names cut.

    >>> brief(f"Use {'x' * 30}{'y' * 30} here", ["x" * 30 + "y" * 30])
    'Use xxxxxxxxxxxxxxxxxxxx…yyyyyyyyyyyyyyyyyyy here'
    """
    shown = brief_names(tuple(str(n) for n in names))
    # A name may be the beginning of another one.
    for name in sorted((n for n in shown if len(n) > BRIEF), key=len, reverse=True):
        text = text.replace(one_line(name), shown[name])
    return text


def place(x: float) -> str:
    """A coordinate with a tenth of a pixel.

    >>> place(12.0), place(3.14159), place(-0.01)
    ('12', '3.1', '0')
    """
    shown = f"{x:.1f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of the page. `folded` ones are closed at first; `lead` stands under the heading."""

    key: str
    title: str
    blocks: tuple[Markup, ...]
    lead: str = ""
    folded: bool = False


def html_table(
    table: Table, *, title: str = "", sortable: bool = False, keys: Sequence[Sequence[float | None]] | None = None
) -> Markup:
    """A table that scrolls sideways inside its own box where the screen is narrow.

    `title` is its caption, if it has none of its own. `keys[row][column]` is what a cell is sorted by, where that is
    not its text.

    >>> print(html_table(Table(columns=("model", "n"), rows=(("<b>", "3"),))))
    <div class="wide" ...<th scope="col" class="name">model</th>...<th scope="row" class="name">&lt;b&gt;</th>...
    """
    caption = table.title or title
    head = el("tr", *(_head(name, i < table.names) for i, name in enumerate(table.columns)))
    body = [
        el("tr", *(_cell(cell, i, table.names, _key(keys, r, i)) for i, cell in enumerate(row)))
        for r, row in enumerate(table.rows)
    ]
    made = el(
        "table",
        el("caption", caption) if caption else None,
        el("thead", head),
        el("tbody", joined(body)),
        class_="sortable" if sortable and len(table.rows) > 1 else None,
    )
    # What scrolls must be reachable by keyboard, and what is reachable must have a name.
    return el("div", made, class_="wide", tabindex="0", role="region", aria_label=caption or "Table")


def _head(name: str, is_name: bool) -> Markup:
    return el("th", named(name), scope="col", class_="name" if is_name else "number")


def _cell(text: str, column: int, names: int, key: float | None) -> Markup:
    kind = "name" if column < names else "number"
    sort = None if key is None else f"{key:.9g}"
    if column == 0:
        return el("th", named(text), scope="row", class_=kind, data_sort=sort)
    return el("td", named(text), class_=kind, data_sort=sort)


def _key(keys: Sequence[Sequence[float | None]] | None, row: int, column: int) -> float | None:
    return None if keys is None or row >= len(keys) or column >= len(keys[row]) else keys[row][column]


# With more classes than this a matrix cannot be read.
MOST_CLASSES = 12
SHADES = 8


def confusion_block(confusion: Confusion, model: str) -> Markup:
    """The matrix of one model, or its commonest errors."""
    title = f"{named(model)}: rows are the truth, columns the calls"
    if len(confusion.labels) > MOST_CLASSES:
        bars = worst_pairs(confusion)
        rows = tuple(zip(bars.labels, bars.words, strict=True))
        return html_table(Table(columns=("error", "rows"), rows=rows, title=f"{named(model)}: {bars.title}"))
    k = len(confusion.labels)
    outside = bool((confusion.col >= k).any())
    dense = np.zeros((k, k + outside))
    np.add.at(dense, (confusion.row, np.minimum(confusion.col, k)), confusion.masses)
    names = distinct(confusion.labels)
    head = el("tr", el("td"), *(el("th", n, scope="col", class_="number") for n in names), _absent(outside))
    rows_ = [_confusion_row(names[i], dense[i], i) for i in range(k)]
    made = el("table", el("caption", title), el("thead", head), el("tbody", joined(rows_)), class_="confusion")
    return el("div", made, class_="wide", tabindex="0", role="region", aria_label=title)


def _absent(shown: bool) -> Markup | None:
    return el("th", "no prediction", scope="col", class_="number") if shown else None


def _confusion_row(name: str, masses: np.ndarray[tuple[int], np.dtype[np.float64]], place: int) -> Markup:
    total = float(masses.sum())
    cells = []
    for j, mass in enumerate(masses.tolist()):
        share = mass / total if total > 0 else 0.0
        shade = min(SHADES, round(SHADES * share))
        right = " right" if j == place else ""
        cells.append(
            el("td", whole(mass), el("small", f"{100 * share:.1f} %") if total else None, class_=f"h{shade}{right}")
        )
    return el("tr", el("th", name, scope="row", class_="name"), *cells)


def ticks(low: float, high: float, *, most: int = 6) -> list[tuple[float, str]]:
    """At most `most` round numbers from low to high, each with how it is written.

    >>> ticks(0.0, 1.0)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1')]
    >>> ticks(-0.031, 0.024, most=4)
    [(-0.02, '−0.02'), (0.0, '0'), (0.02, '0.02')]
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return []
    rough = 10.0 ** math.floor(math.log10(span / most))
    step = next(rough * m for m in (1, 2, 5, 10, 20) if span / (rough * m) < most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [float(f"{k * step:.12g}") for k in range(first, last + 1)]
    return [(v + 0.0, _words(v)) for v in values]


def _words(value: float) -> str:
    shown = f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 or value == 0 else f"{value:.3g}"
    return ("0" if value == 0 else shown).replace("-", "−")


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
