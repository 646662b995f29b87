"""Tables as HTML: sortable, with classes instead of styles, since the page's policy forbids styles on elements."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from trueerror.reports.markup import el, joined, named
from trueerror.results.tables import Table


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
