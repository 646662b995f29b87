"""Parts of the page: tables with classes instead of styles, since the page's policy forbids styles on elements.

Intervals stand under each other as a table: a name, a line with a dot, and the same in figures, which are its text
alternative. Confusion matrices are tables, shaded by the share of the true class; with many classes, the commonest
errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from markupsafe import Markup

from trueerror.plots._specs import Forest, ForestRow, Panel
from trueerror.plots._style import distinct
from trueerror.plots.compose.matrices import worst_pairs
from trueerror.plots.svg._charts import axis_marks, interval_marks
from trueerror.plots.svg._elements import el, joined
from trueerror.results._document import Table
from trueerror.results._format import clip, one_line, short_names, whole
from trueerror.tallies import Confusion

# Names longer than this are cut in the middle: nobody reads on, and a page repeats them in many places.
LONGEST_NAME = 120
# In sentences, and where many stand under each other, names are cut to this.
BRIEF = 40


def clipped(text: object) -> str:
    """User text as one line that is not too long.

    >>> clipped("a\\nb"), len(clipped("x" * 500))
    ('a b', 120)
    """
    return clip(one_line(str(text)), LONGEST_NAME)


def unwrapped(text: str) -> str:
    """Lines of a paragraph as one."""
    return " ".join(text.split())


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
    kinds = ["name" if i < table.names else "number" for i in range(len(table.columns))]
    titles = zip(table.columns, kinds, strict=True)
    head = el("tr", *(el("th", clipped(name), scope="col", class_=kind) for name, kind in titles))
    body = [
        el("tr", *(_cell(cell, i, table.names, _key(keys, r, i)) for i, cell in enumerate(row)))
        for r, row in enumerate(table.rows)
    ]
    kind = "sortable" if sortable and len(table.rows) > 1 else None
    return _wide(caption, head, body, kind)


def _wide(caption: str, head: Markup, body: Iterable[Markup], kind: str | None) -> Markup:
    """A table in its box: what scrolls must be reachable by keyboard, and what is reachable must have a name."""
    above = el("caption", caption) if caption else None
    table = el("table", above, el("thead", head), el("tbody", joined(body)), class_=kind)
    return el("div", table, class_="wide", tabindex="0", role="region", aria_label=caption or "Table")


def _cell(text: str, column: int, names: int, key: float | None) -> Markup:
    tag, scope = ("th", "row") if column == 0 else ("td", None)
    kind = "name" if column < names else "number"
    return el(tag, clipped(text), scope=scope, class_=kind, data_sort=None if key is None else f"{key:.9g}")


def _key(keys: Sequence[Sequence[float | None]] | None, row: int, column: int) -> float | None:
    return None if keys is None or row >= len(keys) or column >= len(keys[row]) else keys[row][column]


# With more classes than this a matrix cannot be read.
MOST_CLASSES = 12
SHADES = 8


def confusion_block(confusion: Confusion, model: str) -> Markup:
    """The matrix of one model, or its commonest errors."""
    title = f"{clipped(model)}: rows are the truth, columns the calls"
    if len(confusion.labels) > MOST_CLASSES:
        bars = worst_pairs(confusion)
        rows = tuple(zip(bars.labels, bars.words, strict=True))
        return html_table(Table(columns=("error", "rows"), rows=rows, title=f"{clipped(model)}: {bars.title}"))
    k = len(confusion.labels)
    outside = bool((confusion.col >= k).any())
    dense = np.zeros((k, k + outside))
    np.add.at(dense, (confusion.row, np.minimum(confusion.col, k)), confusion.masses)
    names = distinct(confusion.labels)
    columns = [*names, "no prediction"][: dense.shape[1]]
    head = el("tr", el("td"), *(el("th", n, scope="col", class_="number") for n in columns))
    return _wide(title, head, [_confusion_row(names[i], dense[i], i) for i in range(k)], "confusion")


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


HEIGHT = 26
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
    scale = el("svg", *axis_marks(panel), width="100%", height="22", class_="te-picture", aria_hidden="true")
    axis = el("tr", el("td"), el("td", scale), el("td"), class_="axis", aria_hidden="true")
    body = el("tbody", joined([_row(row, panel) for row in rows]), axis)
    return el("table", el("caption", caption) if caption else None, body, class_="forest")


def _row(row: ForestRow, panel: Panel) -> Markup:
    look = "te-picture interval aside" if row.aside else "te-picture interval"
    line = el("svg", *interval_marks(row, panel, HEIGHT), width="100%", height=HEIGHT, class_=look, aria_hidden="true")
    name = el("th", clipped(row.label), scope="row", class_="name")
    return el("tr", name, el("td", line), el("td", row.words, class_="words"))
