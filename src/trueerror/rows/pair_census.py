"""All pairs of many models in one scan: how often two models gave which answers together, for each true class.

The answers of a batch become a matrix of zeros and ones, a column for each model and code; its products with itself
are the counts of all pairs. The last code of a model follows from the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.rows.streams import Batch, in_flight

Ints = NDArray[np.int64]
# Rows of a matrix at a time: sums of so many ones are exact in 32 bits, and the matrix stays small.
BLOCK = 1 << 14
# Columns of the matrix: beyond it pairs are counted one by one.
MOST_COLUMNS = 1024


class PairCounts:
    """Counts over truth × model × code × model × code. Codes run from 0; the last one may stand for absent answers."""

    def __init__(self, classes: int, models: int, codes: int) -> None:
        self.classes, self.models, self.codes = classes, models, codes
        self.sums = np.zeros((classes, models * (codes - 1) + 1, models * (codes - 1) + 1), dtype=np.int64)

    def add(self, truth: NDArray[Any], calls: NDArray[Any]) -> None:
        """Count rows: their classes, and (rows, models) codes."""
        for start in range(0, len(truth), BLOCK):
            rows = slice(start, start + BLOCK)
            told = calls[rows, :, None] == np.arange(self.codes - 1, dtype=calls.dtype)
            matrix = np.ones((len(told), self.sums.shape[1]), dtype=np.float32)
            matrix[:, :-1] = told.reshape(len(told), -1)
            for c in range(self.classes):
                mine = matrix[truth[rows] == c]
                self.sums[c] += np.rint(mine.T @ mine).astype(np.int64)

    def pair(self, first: int, second: int) -> Ints:
        """Truth × codes of the first × codes of the second."""
        width = self.codes - 1
        a, b = (slice(i * width, (i + 1) * width) for i in (first, second))
        found = np.zeros((self.classes, self.codes, self.codes), dtype=np.int64)
        found[:, :width, :width] = self.sums[:, a, b]
        found[:, :width, width] = self.sums[:, a, -1] - found[:, :width, :width].sum(axis=2)
        found[:, width, :width] = self.sums[:, -1, b] - found[:, :width, :width].sum(axis=1)
        found[:, width, width] = self.sums[:, -1, -1] - found.sum(axis=(1, 2))
        return found


def count_pairs(found: Iterable[Batch], classes: int, models: int, codes: int) -> PairCounts:
    """All batches counted in threads; the columns are the truth and the models' codes, −1 for absent answers."""
    mine: dict[int, PairCounts] = {}

    def add(batch: Batch) -> None:
        counts = mine.setdefault(get_ident(), PairCounts(classes, models, codes))
        truth, *calls = batch.columns
        side_by_side = np.stack(calls, axis=1)
        counts.add(truth, np.where(side_by_side < 0, codes - 1, side_by_side))

    in_flight(found, add)
    total = PairCounts(classes, models, codes)
    for counts in mine.values():
        total.sums += counts.sums
    return total
