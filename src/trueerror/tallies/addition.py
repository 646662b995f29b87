"""Shards of one sample add up: which labels their sum has, and where each cell goes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, merge_labels, natural_labels
from trueerror.tallies.confusion import Confusion, without
from trueerror.tallies.missing import Filled

Ints = NDArray[np.int64]
# What is added cell by cell: counts, then sums of weights and of squared weights where there are some.
Amounts = list[NDArray[Any]]


def add_confusions(a: Confusion, b: Confusion) -> Confusion:
    """The table that counting both shards at once would have given.

    >>> (Confusion.count([0], [0]) + Confusion.count([2], [0])).labels
    (0, 2)
    """
    labels, implied = _common_labels(a, b)
    chosen = {t._chosen for t in (a, b)} - {None}
    if len(chosen) > 1:
        raise InputError(f"cannot add: positive is {a.positive!r} in one and {b.positive!r} in the other")
    if (a.weight_sums is None) != (b.weight_sums is None):
        raise InputError("cannot add a table with sampling weights to one without")
    width = len(labels) + 1
    moved = [_moved(t, labels, width) for t in (a, b)]
    amounts = [np.concatenate(pair) for pair in zip(moved[0][1], moved[1][1], strict=True)]
    cells, amounts = _merged(np.concatenate([moved[0][0], moved[1][0]]), amounts)
    filled = None
    if len(labels) == 2:
        cells, amounts, filled = _folded(cells, amounts)
    return Confusion.from_cells(
        labels=labels, positive=next(iter(chosen), None), row=cells // width, col=cells % width, counts=amounts[0],
        weight_sums=amounts[1] if len(amounts) > 1 else None, weight_squares=amounts[2] if len(amounts) > 1 else None,
        sources=tuple(sorted({*a.sources, *b.sources})), declared=a._declared or b._declared, implied=implied,
        filled=filled,
    )  # fmt: skip


def _common_labels(a: Confusion, b: Confusion) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of a sum and which of them are only implied: declared orders must agree, seen labels are united."""
    if a._declared and b._declared:
        if a.labels != b.labels:
            raise InputError(f"cannot add: the label orders differ ({a.labels!r:.60} and {b.labels!r:.60})")
        return a.labels, ()
    for declared, other in ((a, b), (b, a)):
        if declared._declared:
            unknown = without(without(other.labels, other._implied), declared.labels)
            if unknown:
                raise InputError(f"cannot add: {unknown[0]!r} is not among the declared labels")
            return declared.labels, ()
    parts = {"one table": a, "the other table": b}
    seen = merge_labels({name: without(t.labels, t._implied) for name, t in parts.items()})
    labels = natural_labels(seen)
    return labels, without(labels, seen)


def _moved(table: Confusion, labels: tuple[Label, ...], width: int) -> tuple[Ints, Amounts]:
    """The table's cells as cell numbers in another label order, rows without a prediction in the last column."""
    row, col = table.row, np.minimum(table.col, len(table.labels))
    amounts: Amounts = [table.counts]
    if table.weight_sums is not None and table.weight_squares is not None:
        amounts += [table.weight_sums, table.weight_squares]
    if table._filled is not None:
        row, col, amounts = _unfolded(row, col, amounts, table._filled)
    position = {label: i for i, label in enumerate(labels)}
    places = np.array([*(position.get(v, -1) for v in table.labels), width - 1], dtype=np.int64)
    return places[row] * width + places[col], amounts


def _merged(cells: Ints, amounts: Amounts) -> tuple[Ints, Amounts]:
    """Equal cells added up, ascending."""
    distinct, where = np.unique(cells, return_inverse=True)
    totals = []
    for amount in amounts:
        total = np.zeros(len(distinct), dtype=amount.dtype)
        np.add.at(total, where, amount)
        totals.append(total)
    return distinct, totals


def _unfolded(row: Ints, col: Ints, amounts: Amounts, filled: Filled) -> tuple[Ints, Ints, Amounts]:
    """Rows without a prediction out of the other class again, into a column of their own."""
    truth = np.array([0, 1])
    cells = np.concatenate([row * 3 + col, truth * 3 + 1 - truth, truth * 3 + 2])
    moved = np.array(filled).T
    changes = [np.concatenate([a, -m.astype(a.dtype), m.astype(a.dtype)]) for a, m in zip(amounts, moved, strict=False)]
    cells, amounts = _merged(cells, changes)
    there = amounts[0] > 0
    return cells[there] // 3, cells[there] % 3, [a[there] for a in amounts]


def _folded(cells: Ints, amounts: Amounts) -> tuple[Ints, Amounts, Filled | None]:
    """Of two classes, rows without a prediction count as the other one; what was moved is kept in mind."""
    row, col = cells // 3, cells % 3
    absent = col == 2
    if not absent.any():
        return cells, amounts, None
    counts, sums, squares = amounts if len(amounts) == 3 else amounts * 3

    def moved(i: int) -> tuple[float, float, float]:
        own = absent & (row == i)
        return float(counts[own].sum()), float(sums[own].sum()), float(squares[own].sum())

    filled = (moved(0), moved(1))
    return *_merged(row * 3 + np.where(absent, 1 - row, col), amounts), filled
