"""A table of counts with its labels, as a data frame or with margins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import count_matrix
from trueerror.inputs._labels import Label, casefolded, few_of, natural_labels, ordered, plain_label
from trueerror.inputs._options import InputError

# What the margins of a printed table are called.
MARGINS = frozenset({"all", "total", "totals", "sum", "sums", "subtotal", "grand total", "margin", "margins", "σ", "∑"})
PREDICTED = frozenset({"predicted", "prediction", "predictions", "pred", "preds", "y_pred", "ypred", "y_hat", "yhat"})


class LabelledCounts(NamedTuple):
    """A square table of counts, rows = truth, and its classes in their natural order."""

    labels: tuple[Label, ...]
    cells: NDArray[np.int64]


def labelled_counts(frame: Any, *, transposed: bool = False) -> LabelledCounts | None:
    """The counts of a data frame whose rows and columns are named by classes, both in one order.

    None where nothing is named: a table without labels, or rows and columns that are only numbered. A frame without an
    index (polars, Arrow, a file that was read) names its rows in the first column. A class that has rows but no column
    was never predicted; `transposed` says that rows are what was predicted.
    """
    if not hasattr(frame, "shape") or not hasattr(frame, "columns"):
        return None
    side = ("truth", "predicted") if transposed else ("predicted", "truth")
    names = [_plain_name(v) for v in getattr(frame, "column_names", frame.columns)]
    index = getattr(frame, "index", None)
    values = _frame_values(frame)
    numbered = index is None or _is_numbered(list(index))
    if numbered and values.shape[1] == values.shape[0] + 1:
        rows = [_plain_name(v) for v in values[:, 0]]
        names, values = names[1:], values[:, 1:]
    elif index is not None and numbered and _is_numbered(names) and len(names) == len(index):
        refuse_margins(values, None)
        return None
    elif index is None:
        raise InputError(
            f"the columns of the confusion matrix are {few_of(names)}, but its rows have no names: put them into the "
            "first column, or pass the numbers as an array with labels="
        )
    else:
        rows = [_plain_name(v) for v in index]
        called = casefolded(getattr(index, "name", None))
        if called in PREDICTED and not transposed and casefolded(getattr(frame.columns, "name", None)) not in PREDICTED:
            raise InputError(f'the rows of the confusion matrix are named {index.name!r}: pass rows="predicted"')
    for place, given in (("rows", rows), ("columns", names)):
        twice = next((v for i, v in enumerate(given) if v in given[:i]), None)
        if twice is not None:
            raise InputError(f"the {place} of the confusion matrix name {twice!r} twice")
    _refuse_named_margins(rows, names, values)
    if index is None and all(isinstance(v, str) for v in names):  # such frames name columns by text alone
        texts = {str(v): v for v in rows}
        names = [texts.get(str(v), v) for v in names]
    only = [v for v in rows if v not in names], [v for v in names if v not in rows]
    if all(only):
        raise InputError(
            f"the rows of the confusion matrix are {few_of(rows)} but its columns are {few_of(names)}: "
            f"{only[0][0]!r} is no column and {only[1][0]!r} no row; name both by the same classes"
        )
    labels = natural_labels(ordered([*rows, *names], f"the {side[1]} and {side[0]} labels"))
    order = {label: i for i, label in enumerate(labels)}
    cells = np.zeros((len(labels), len(labels)), dtype=np.int64)
    part = count_matrix(values, square=False)
    cells[np.ix_([order[v] for v in rows], [order[v] for v in names])] = part
    return LabelledCounts(labels, cells.T if transposed else cells)


def refuse_margins(cells: Any, label: Label | None) -> None:
    """Refuse totals that stand in the last row and column of a table as if they were a class."""
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 3:
        return
    try:
        inner = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        return
    sums = np.array_equal(inner[:-1].sum(axis=0), inner[-1]) and np.array_equal(inner[:, :-1].sum(axis=1), inner[:, -1])
    if sums and inner[:-1, :-1].any():
        which = "the last row and column" if label is None else f"{label!r}"
        raise InputError(f"{which} of the confusion matrix holds totals, which are no class: leave them out")


def _refuse_named_margins(rows: list[Label], names: list[Label], values: Any) -> None:
    for place, given, other in (("row", rows, names), ("column", names, rows)):
        margin = next((v for v in given if casefolded(v) in MARGINS), None)
        lines = values if place == "row" else values.T
        if margin is not None:
            index = given.index(margin)
            rest = [i for i in range(len(given)) if i != index]
            numbers = np.asarray(lines, dtype=np.float64)
            if margin not in other or np.array_equal(numbers[rest].sum(axis=0), numbers[index]):
                raise InputError(
                    f"the {place} {margin!r} of the confusion matrix holds totals, which are no class: leave it out "
                    "(pandas: margins=False)"
                )
    if rows == names and rows:
        refuse_margins(values, rows[-1])


def _frame_values(frame: Any) -> Any:
    if hasattr(frame, "to_numpy"):
        return np.asarray(frame.to_numpy())
    columns = [np.asarray(frame[name]) for name in getattr(frame, "column_names", frame.columns)]
    mixed = np.empty((len(columns[0]) if columns else 0, len(columns)), dtype=object)
    for i, values in enumerate(columns):
        mixed[:, i] = values
    return mixed


def _plain_name(value: object) -> Label:
    """The class that a row or column is named by; of several levels the last, which is the innermost."""
    return plain_label(value[-1] if isinstance(value, tuple) and value else value, "a row or column of the table")


def _is_numbered(names: list[Any]) -> bool:
    return all(not isinstance(v, str | tuple | bool) for v in names) and names == list(range(len(names)))
