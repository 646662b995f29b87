"""One class against the rest, as a table of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import find_label
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import sum_columns


def collapsed(table: Confusion, positive: Any) -> tuple[Confusion, NDArray[np.int64]]:
    """The table of False (the rest) and True (the class), and for each old cell its place among the new ones.

    A row of the rest without a prediction was rightly not called the class, as in `Confusion.binary`.

    >>> collapsed(Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"]), "b")[0].matrix.tolist()
    [[12, 4], [3, 6]]
    """
    index = table.labels.index(find_label(positive, table.labels))
    cell = 2 * (table.row == index) + (table.col == index)
    cells, where = np.unique(cell, return_inverse=True)

    def summed(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else sum_columns(values.astype(np.float64), where, len(cells))

    counts = summed(table.counts)
    assert counts is not None
    made = Confusion.from_cells(
        labels=(False, True), positive=True, row=cells // 2, col=cells % 2, counts=counts.astype(np.int64),
        weight_sums=summed(table.weight_sums), weight_squares=summed(table.weight_squares), sources=table.sources,
        declared=True,
    )  # fmt: skip
    return made, where.astype(np.int64)
