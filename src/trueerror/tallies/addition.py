"""Shards of one sample add up: which labels their sum has, and where each cell goes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, merge_labels, natural_labels
from trueerror.tallies.confusion import Confusion, without

Ints = NDArray[np.int64]


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
    if any(t._filled and t.labels != labels for t in (a, b)):
        raise InputError(
            "cannot add: in a table of two classes rows without a prediction counted as the other class, but together "
            "there are other classes; pass labels= with all of them when counting"
        )
    width = len(labels) + 1
    moved = [_move(t, labels, width) for t in (a, b)]
    cells, where = np.unique(np.concatenate(moved), return_inverse=True)
    split = len(moved[0])

    def joined(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        # Two cells of one shard can meet (a missing prediction and the other one of two classes), so += is not enough.
        total = np.zeros(len(cells), dtype=x.dtype)
        np.add.at(total, where[:split], x)
        np.add.at(total, where[split:], y)
        return total

    sums = squares = None
    if a.weight_sums is not None and b.weight_sums is not None:
        assert a.weight_squares is not None
        assert b.weight_squares is not None
        sums = joined(a.weight_sums, b.weight_sums)
        squares = joined(a.weight_squares, b.weight_squares)
    return Confusion.from_cells(
        labels=labels, positive=next(iter(chosen), None), row=cells // width, col=cells % width,
        counts=joined(a.counts, b.counts), weight_sums=sums, weight_squares=squares,
        sources=tuple(sorted({*a.sources, *b.sources})), declared=a._declared or b._declared, implied=implied,
        filled=a._filled or b._filled or (len(labels) == 2 and any((t.col >= len(t.labels)).any() for t in (a, b))),
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


def _move(table: Confusion, labels: tuple[Label, ...], width: int) -> Ints:
    """The table's cells as cell numbers in another label order."""
    position = {label: i for i, label in enumerate(labels)}
    places = np.array([*(position.get(v, -1) for v in table.labels), width - 1], dtype=np.int64)
    row = places[table.row]
    col = places[np.minimum(table.col, len(table.labels))]
    if len(labels) == 2:
        # Of two classes, a row without a prediction counts as the other one.
        col = np.where(col == 2, 1 - row, col)
    return row * width + col
