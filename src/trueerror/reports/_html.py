"""Parts of the page: tables with classes instead of styles, since the page's policy forbids styles on elements.

Intervals stand under each other as a table: a name, a line with a dot, and the same in figures, which are its text
alternative. Confusion matrices are tables, shaded by the share of the true class; with many classes, the commonest
errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from trueerror.plots._specs import Forest, ForestRow, Panel
from trueerror.plots.svg._charts import axis_marks, interval_marks
from trueerror.plots.svg._elements import el, joined
from trueerror.results._document import Table
from trueerror.results._format import clip, one_line, real_minus, shared_ends, short_names, width

# Names longer than this are cut in the middle: nobody reads on, and a page repeats them in many places.
LONGEST_NAME = 120
# In sentences, and where many stand under each other, names are cut to this.
BRIEF = 28
# What long names share is cut from this many characters on, if this many are left of each.
LEAST_CUT, LEAST_OWN = 8, 3


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
    """Each name, and its handle where room is short: at most `BRIEF` columns, and no two alike.

    What all long names begin and end with is cut, and `name_key` says it once; else each is cut in its middle.

    >>> list(brief_names(("trees_depth3_rate0.05_of-the-week-31", "trees_depth12_rate0.05_of-the-week-31")).values())
    ['depth3', 'depth12']
    >>> list(brief_names(("logreg", "a forest of 500 trees with a very long name")).values())
    ['logreg', 'a forest of 50…ery long name']
    """
    flat = [one_line(n) for n in names]
    front, back = _cut_ends(tuple(flat))
    if front or back:
        own = [n[len(front) : len(n) - len(back)] for n in flat]
        return dict(zip(names, short_names(own, BRIEF), strict=True))
    return dict(zip(names, short_names(flat, BRIEF), strict=True))


def _cut_ends(names: tuple[str, ...]) -> tuple[str, str]:
    """What is cut from both ends of all names: nothing where they are short, or where too little would be left."""
    if len(names) < 2 or max(map(width, names)) <= BRIEF:
        return "", ""
    front, back = shared_ends(names)
    if len(front) + len(back) < LEAST_CUT:
        return "", ""
    if any(len(n) - len(front) - len(back) < LEAST_OWN for n in names):
        # A bare number says too little: the word before it stays.
        kept = front.rstrip(" _-.,;/")
        front = front[: max(kept.rfind(c) for c in " _-.,;/") + 1]
    own = [n[len(front) : len(n) - len(back)] for n in names]
    return (front, back) if len(set(own)) == len(set(names)) and all(map(str.strip, own)) else ("", "")


def name_key(names: Sequence[str]) -> list[str]:
    """What was cut from all names, as a sentence; nothing where nothing was.

    >>> name_key(("trees_depth3_rate0.05_of-the-week-31", "trees_depth12_rate0.05_of-the-week-31"))
    ['Names are short here: all begin with “trees_” and end with “_rate0.05_of-the-week-31”.']
    """
    front, back = _cut_ends(tuple(one_line(n) for n in names))
    ends = [f"{verb} with “{clipped(end)}”" for verb, end in (("begin", front), ("end", back)) if end]
    return [f"Names are short here: all {' and '.join(ends)}."] if ends else []


def brief(text: str, names: Iterable[object]) -> str:
    """A sentence with its long names cut to their handles, and real minus signs before numbers.

    >>> brief(f"Use {'x' * 30}{'y' * 30} here: -1.5", ["x" * 30 + "y" * 30])
    'Use xxxxxxxxxxxxxx…yyyyyyyyyyyyy here: −1.5'
    """
    shown = {one_line(n): short for n, short in brief_names(tuple(str(n) for n in names)).items() if n}
    if not shown:
        return real_minus(text)
    # A name may be the beginning of another one, and may hold what looks like a negative number.
    pattern = re.compile("|".join(re.escape(n) for n in sorted(shown, key=len, reverse=True)))
    out, end = [], 0
    for found in pattern.finditer(text):
        name = found.group()
        whole_word = not (_joins(text, found.start() - 1, name[0]) or _joins(text, found.end(), name[-1]))
        if len(name) > BRIEF or whole_word:
            out += [real_minus(text[end : found.start()]), shown[name]]
            end = found.end()
    return "".join([*out, real_minus(text[end:])])


def _joins(text: str, place: int, edge: str) -> bool:
    """Whether a character goes on with the word that a name begins or ends with."""
    return 0 <= place < len(text) and text[place].isalnum() and edge.isalnum()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of the page. `folded` ones are closed at first; `lead` stands under the heading.

    On paper folded ones stand in two columns, but the `broad` ones, and those for the `screen` are left off.
    """

    key: str
    title: str
    blocks: tuple[Markup, ...]
    lead: str = ""
    folded: bool = False
    broad: bool = False
    screen: bool = False


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


# Longer tables scroll in their box, under a head that stays.
MOST_FREE = 20


def _wide(caption: str, head: Markup, body: Iterable[Markup], kind: str | None) -> Markup:
    above = el("caption", caption) if caption else None
    rows = list(body)
    table = el("table", above, el("thead", head), el("tbody", joined(rows)), class_=kind)
    return scrolled(table, caption, tall=len(rows) > MOST_FREE)


def scrolled(table: Markup, caption: str, *, tall: bool = False) -> Markup:
    """A table in its box: what scrolls must be reachable by keyboard, and what is reachable must have a name."""
    kind = "wide tall" if tall else "wide"
    return el("div", table, class_=kind, tabindex="0", role="group", aria_label=caption or "Table")


def _cell(text: str, column: int, names: int, key: float | None) -> Markup:
    tag, scope = ("th", "row") if column == 0 else ("td", None)
    kind = "name" if column < names else "number"
    shown = clipped(text if column < names else real_minus(text))
    return el(tag, shown, scope=scope, class_=kind, data_sort=None if key is None else f"{key:.9g}")


def _key(keys: Sequence[Sequence[float | None]] | None, row: int, column: int) -> float | None:
    return None if keys is None or row >= len(keys) or column >= len(keys[row]) else keys[row][column]


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
