"""Confusion matrices as heat maps, and as a list of the worst pairs where there are too many classes for a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.plots.labels import distinct, fold, plain
from trueerror.plots.pictures import Bars, Heat
from trueerror.results.words import whole

# Up to this many classes each cell has its numbers written in it; up to the second, there is a map without them.
WRITTEN_CLASSES = 15
MAPPED_CLASSES = 200
WORST_PAIRS = 25
NAMED_PAIRS = 3


def confusion_picture(table: Any, *, title: str | None = None) -> Heat | Bars:
    """Counts and row percentages; colour is the share of the row (of the true class)."""
    if len(table.labels) > MAPPED_CLASSES:
        return worst_pairs(table, title=title)
    k = len(table.labels)
    masses = table.masses
    outside = table.col >= k
    width = k + (1 if outside.any() else 0)
    dense = np.zeros((k, width))
    np.add.at(dense, (table.row, np.minimum(table.col, k)), masses)
    totals = dense.sum(axis=1)
    shares = np.divide(dense, totals[:, None], out=np.full_like(dense, np.nan), where=totals[:, None] > 0)
    written = k <= WRITTEN_CLASSES
    # A map of many classes is mostly empty: only cells with rows are drawn.
    rows, columns = np.nonzero(np.ones_like(dense) if written else dense)
    names = [plain(v) for v in table.labels]
    column_names = [*names, "no prediction"][:width]
    words, tips = [], []
    for i, j in zip(rows, columns, strict=True):
        mass, share = float(dense[i, j]), float(shares[i, j])
        percentage = _percent(share, mass)
        # Where there are many cells, a bare 0 says enough.
        words.append(((whole(mass), percentage) if mass or k <= 12 else ("0",)) if written else ())
        tips.append(
            {"truth": names[i], "predicted": column_names[j], "rows": whole(mass), "share of the truth": percentage}
        )
    return Heat(
        title="Confusion matrix" if title is None else title,
        subtitle=(f"{_accuracy_words(table)}; each row adds to 100 %", *([] if written else _confused_words(table))),
        row_title="truth",
        column_title="predicted",
        rows=tuple(distinct(names)),
        columns=tuple(distinct(column_names)),
        place=np.column_stack((rows, columns)).astype(np.int64),
        share=shares[rows, columns],
        words=tuple(words),
        tips=tuple(tips),
        row_notes=tuple(whole(float(t)) for t in totals) if written else (),
        scale_title="share of the truth’s row",
        extra_columns=width - k,
        text=written,
    )


def worst_pairs(table: Any, *, title: str | None = None) -> Bars:
    """The most frequent errors, for any number of classes."""
    k = len(table.labels)
    off = np.flatnonzero(table.row != table.col)
    masses = table.masses
    worst = off[np.argsort(-masses[off], kind="stable")][:WORST_PAIRS]
    totals = np.bincount(table.row, weights=masses, minlength=k)
    names = [plain(v) for v in table.labels]
    shown = [*names, "no prediction"]
    errors = float(masses[off].sum())
    listed = float(masses[worst].sum())
    subtitle = [_accuracy_words(table)]
    if len(worst):
        subtitle.append(
            f"the {len(worst)} most frequent of {len(off):,} kinds of error: {_percent_of(listed, errors)} of all"
        )
    return Bars(
        title=f"Most confused of {k:,} classes" if title is None else title,
        subtitle=tuple(subtitle),
        axis="rows",
        labels=tuple(f"{shown[table.row[i]]} called {shown[table.col[i]]}" for i in worst) or ("no errors",),
        amounts=tuple(float(masses[i]) for i in worst) or (0.0,),
        words=tuple(
            f"{whole(float(masses[i]))} ({_percent_of(float(masses[i]), float(totals[table.row[i]]))} of its class)"
            for i in worst
        )
        or ("0",),
    )


def _confused_words(table: Any) -> list[str]:
    """The most frequent errors, where the cells of a map have no numbers."""
    off = np.flatnonzero(table.row != table.col)
    masses = table.masses
    worst = off[np.argsort(-masses[off], kind="stable")][:NAMED_PAIRS]
    names = [*distinct(table.labels, 26), "no prediction"]
    pairs = [
        f"{names[table.row[i]]} called {names[min(table.col[i], len(names) - 1)]} ({whole(masses[i])})" for i in worst
    ]
    return fold(f"most confused: {'; '.join(pairs)}", 100, lines=2) if pairs else []


def _accuracy_words(table: Any) -> str:
    masses = table.masses
    total = float(masses.sum())
    right = float(masses[table.row == table.col].sum())
    share = f" ({_percent_of(right, total)})" if total > 0 else ""
    return f"{whole(right)} of {whole(total)} rows right{share}"


def _percent_of(part: float, total: float) -> str:
    return _percent(part / total, part) if total > 0 else "–"


def _percent(share: float, mass: float) -> str:
    """A share in percent that never reads 0 % or 100 % when it is not.

    >>> _percent(0.9999, 9999), _percent(0.0001, 1), _percent(0.5, 5), _percent(float("nan"), 0)
    ('>99.9 %', '<0.1 %', '50.0 %', '–')
    """
    if np.isnan(share):
        return "–"
    if mass > 0 and share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.0f} %" if share in (0.0, 1.0) else f"{100 * share:.1f} %"
