"""Confusion matrices as tables, shaded by the share of the true class; with many classes, the commonest errors."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from trueerror.plots.heats import worst_pairs
from trueerror.plots.labels import distinct
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import el, joined, named
from trueerror.results.tables import Table
from trueerror.results.words import whole
from trueerror.tallies import Confusion

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
    rows_ = [_row(names[i], dense[i], i) for i in range(k)]
    made = el("table", el("caption", title), el("thead", head), el("tbody", joined(rows_)), class_="confusion")
    return el("div", made, class_="wide", tabindex="0", role="region", aria_label=title)


def _absent(shown: bool) -> Markup | None:
    return el("th", "no prediction", scope="col", class_="number") if shown else None


def _row(name: str, masses: np.ndarray[tuple[int], np.dtype[np.float64]], place: int) -> Markup:
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
