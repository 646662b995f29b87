"""Test folds in order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueerror.inputs._options import InputError
from trueerror.resampling._plan import Plan, Rows, Split, check_whole, enough


@dataclass(frozen=True)
class TimeOrdered(Plan):
    """k test folds one after the other, each tested by a model of all the rows before it; rows stand in order of time.

    Never shuffled. `gap` rows between training and test are left out, where neighbours depend on each other. Training
    parts grow, or keep to the last `window` rows.

    >>> rows = Rows(codes=np.zeros(12, dtype=int))
    >>> [(len(s.train), s.test.tolist()) for s in TimeOrdered(3).splits(rows, seed=0)]
    [(3, [3, 4, 5]), (6, [6, 7, 8]), (9, [9, 10, 11])]
    """

    k: int = 5
    gap: int = 0
    window: int | None = None

    def __post_init__(self) -> None:
        check_whole(self.k, "k", 1)
        check_whole(self.gap, "gap", 0)
        if self.window is not None:
            check_whole(self.window, "window", 1)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k + 1, f"{self.k} parts in order of time")
        if rows.clusters is not None:
            raise InputError("rows in order of time cannot also keep clusters together; leave clusters= out")
        size = rows.n // (self.k + 1)
        for fold in range(self.k):
            start = rows.n - (self.k - fold) * size
            end = start - self.gap
            first = 0 if self.window is None else max(0, end - self.window)
            if end - first < 1:
                raise InputError(f"gap={self.gap} leaves no training rows before row {start + 1}; use a smaller gap")
            yield Split(repeat=0, fold=fold, n=rows.n, drawn=np.arange(first, end), test=np.arange(start, start + size))

    def fits_of(self, rows: Rows) -> int:
        return self.k
