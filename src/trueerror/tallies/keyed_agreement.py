"""The agreement table kept apart under a key: what a paired comparison of dependent rows needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Label
from trueerror.tallies.agreement import Agreement

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedAgreement:
    """Truth × first × second for each key, all in the cells of the pooled table.

    `key`, `cell` and `counts` list the occupied (key, cell) pairs; `cell` is a position in the pooled table.
    """

    keys: tuple[Label, ...]
    table: Agreement
    key: Ints
    cell: Ints
    counts: Ints

    def pooled(self) -> Agreement:
        """All keys together. Pooling hides that rows of one key depend on each other: say so when you use it."""
        return self.table

    def sums(self, values: Floats) -> Floats:
        """For each key the sum over its rows of a value that depends on the row's cell alone."""
        weighted = self.counts * values[self.cell]
        return np.bincount(self.key, weights=weighted, minlength=len(self.keys)).astype(np.float64)

    @property
    def sizes(self) -> Ints:
        """Rows for each key."""
        return np.bincount(self.key, weights=self.counts, minlength=len(self.keys)).astype(np.int64)
