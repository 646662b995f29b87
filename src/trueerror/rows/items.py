"""Which column of a long table says which item a row is about, when none is called an id."""

from __future__ import annotations

import numpy as np

from trueerror.inputs.errors import ColumnError
from trueerror.rows import naming
from trueerror.rows.identity import key_column
from trueerror.rows.tables import Table


def item_column(table: Table, model: str, spare: list[str]) -> str | None:
    """The one column among `spare` that is different in every row of a model and the same set for all models.

    Such a column can only number the items. Row numbers are passed over where another column does it too: they follow
    the order of the rows, which is what an id must not depend on.
    """
    whose, names = key_column(table.values(model), f"column {model!r} of {table.name}")
    sizes = np.bincount(whose, minlength=len(names))
    if len(names) < 2 or len(set(sizes.tolist())) != 1:
        return None
    size = int(sizes[0])
    found = [c for c in spare if table.filled(c) == table.n and table.distinct(c) == size and _pairs(table, whose, c)]
    named = [c for c in found if naming.bare(c) not in naming.ROW_NUMBER] or found
    if len(named) > 1:
        shown = ", ".join(map(repr, named))
        raise ColumnError(f"several columns of {table.name} could be the id: {shown}; say which with id=")
    return named[0] if named else None


def _pairs(table: Table, whose: np.ndarray[tuple[int, ...], np.dtype[np.int64]], column: str) -> bool:
    """Whether no model has a value twice."""
    codes, values = key_column(table.values(column), f"column {column!r} of {table.name}")
    return len(np.unique(whose.astype(np.int64) * len(values) + codes)) == len(codes)
