"""Counts kept apart under a key: folds, clusters, slices. They are pooled only when asked to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.labels import Codes, Label, merge_labels
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.missing import Missing, settle_missing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedConfusion:
    """One confusion matrix for each key, all in the cells of `pooled`: fit for a million clusters.

    `key`, `cell` and `counts` list the occupied (key, cell) pairs; `cell` is a position in the pooled table.
    """

    keys: tuple[Label, ...]
    table: Confusion
    key: Ints
    cell: Ints
    counts: Ints

    @classmethod
    def from_codes(
        cls,
        keys: Codes,
        key_names: tuple[Label, ...],
        truth: Codes,
        predicted: Codes,
        labels: tuple[Label, ...],
        *,
        positive: Label | None = None,
        missing: Missing = "error",
    ) -> KeyedConfusion:
        """Count coded columns under coded keys."""
        if len(keys) and int(keys.min()) < 0:
            raise InputError(f"the key of row {int(np.argmin(keys)) + 1:,} is missing; each row needs one")
        if missing == "drop":
            kept = predicted >= 0
            keys, truth, predicted = keys[kept], truth[kept], predicted[kept]
        truth, predicted, _ = settle_missing(truth, predicted, len(labels), None, missing)
        table = Confusion.from_codes(truth, predicted, labels, positive=positive, declared=True)
        width = len(labels) + 1
        known = table.row * width + table.col
        cell = np.searchsorted(known, truth.astype(np.int64) * width + predicted)
        size = max(len(known), 1)
        pairs, counts = np.unique(keys.astype(np.int64) * size + cell, return_counts=True)
        return cls(key_names, table, pairs // size, pairs % size, counts.astype(np.int64))

    def pooled(self) -> Confusion:
        """All keys together. Pooling hides that rows of one key depend on each other: say so when you use it."""
        return self.table

    def __getitem__(self, key: Label) -> Confusion:
        if key not in self.keys:
            raise InputError(f"no rows were counted under the key {key!r}{nearest(key, self.keys)}")
        mine = self.key == self.keys.index(key)
        cell = self.cell[mine]
        return Confusion.from_cells(
            labels=self.table.labels, positive=self.table.positive, row=self.table.row[cell],
            col=self.table.col[cell], counts=self.counts[mine], declared=True,
        )  # fmt: skip

    def items(self) -> Iterator[tuple[Label, Confusion]]:
        """Each key with its table."""
        for key in self.keys:
            yield key, self[key]

    def sums(self, values: Floats) -> Floats:
        """For each key the sum over its rows of a value that depends on the row's cell alone."""
        return np.bincount(self.key, weights=self.counts * values[self.cell], minlength=len(self.keys)).astype(
            np.float64
        )

    @property
    def sizes(self) -> Ints:
        """Rows for each key."""
        return np.bincount(self.key, weights=self.counts, minlength=len(self.keys)).astype(np.int64)

    def __add__(self, other: object) -> KeyedConfusion:
        if not isinstance(other, KeyedConfusion):
            return NotImplemented
        names = merge_labels({"the keys of one table": self.keys, "those of the other": other.keys})
        table = self.table + other.table
        width = len(table.labels) + 1
        known = table.row * width + table.col
        position = {name: i for i, name in enumerate(names)}
        size = max(len(known), 1)
        parts = []
        for t in (self, other):
            cells = np.searchsorted(known, t.table.row * width + t.table.col)
            places = np.array([position[k] for k in t.keys], dtype=np.int64)
            parts.append(places[t.key] * size + cells[t.cell])
        pairs, where = np.unique(np.concatenate(parts), return_inverse=True)
        both = np.concatenate([self.counts, other.counts]).astype(np.float64)
        counts = np.bincount(where, weights=both, minlength=len(pairs)).astype(np.int64)
        return KeyedConfusion(names, table, pairs // size, pairs % size, counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyedConfusion):
            return NotImplemented
        same = self.keys == other.keys and self.table == other.table
        return same and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in ("key", "cell", "counts"))

    __hash__ = None  # type: ignore[assignment]
