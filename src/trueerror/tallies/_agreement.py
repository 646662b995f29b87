"""The agreement table: truth × first × second, which holds all that a paired comparison of labels can use.

`KeyedConfusion` and `KeyedAgreement` keep counts apart under a key (folds, clusters, slices), as dependent rows need;
they are pooled only when asked to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import ArrayLike, Floats, check_indexes, column, same_length
from trueerror.inputs._labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    merge_labels,
    natural_labels,
    natural_positive,
    recode,
)
from trueerror.inputs._options import InputError, nearest
from trueerror.kernels._counting import count_codes, count_sparse
from trueerror.tallies._confusion import DENSE_CELLS, Confusion, amounts_at
from trueerror.tallies._missing import Missing, settle_missing

Ints = NDArray[np.int64]


class Discordance(NamedTuple):
    """How often both, one or none of two models was right."""

    both_right: int
    only_first: int
    only_second: int
    both_wrong: int

    @property
    def n(self) -> int:
        """All rows."""
        return sum(self)

    @property
    def turned(self) -> Discordance:
        """The same where errors were counted."""
        return Discordance(*self[::-1])


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Occupied cells of truth × first × second; shards of one sample add up.

    With sampling weights `weight_sums` are those of the cells.

    >>> Agreement.count([0, 1, 1], [0, 1, 0], [0, 0, 1]).discordance()
    Discordance(both_right=1, only_first=1, only_second=1, both_wrong=0)
    """

    labels: tuple[Label, ...]
    positive: Label | None
    truth: Ints
    first: Ints
    second: Ints
    counts: Ints
    weight_sums: NDArray[np.float64] | None = None

    @classmethod
    def count(
        cls,
        truth: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        *,
        labels: Iterable[object] | None = None,
        positive: Label | None = None,
        missing: Missing = "error",
    ) -> Agreement:
        """Count three columns."""
        given = {"truth": truth, "first": first, "second": second}
        check_indexes(given)
        columns = {name: column(values, name) for name, values in given.items()}
        same_length(columns)
        coded = {name: code_column(values, name) for name, values in columns.items()}
        seen = merge_labels({name: c.values for name, c in coded.items()})
        names = natural_labels(seen) if labels is None else check_labels(labels)
        t, a, b = (recode(c, names, name) for name, c in coded.items())
        chosen = None if positive is None else find_label(positive, names)
        return cls.from_codes(t, a, b, names, positive=chosen, missing=missing)

    @classmethod
    def from_codes(
        cls,
        truth: Codes,
        first: Codes,
        second: Codes,
        labels: tuple[Label, ...],
        *,
        positive: Label | None = None,
        missing: Missing = "error",
    ) -> Agreement:
        """Count coded columns (−1 is missing; "drop" leaves out a row that either model lacks)."""
        if missing == "drop":
            kept = (first >= 0) & (second >= 0)
            truth, first, second = truth[kept], first[kept], second[kept]
        k = len(labels)
        _, a, _ = settle_missing(truth, first, k, None, missing)
        _, b, _ = settle_missing(truth, second, k, None, missing)
        width = k + 1 if len(truth) and max(int(a.max()), int(b.max())) == k else k
        if k * width * width <= DENSE_CELLS:
            dense = count_codes([truth, a, b], [k, width, width])
            cells = np.flatnonzero(dense)
            counts = dense[cells]
        else:
            cells, counts = count_sparse([truth, a, b], [k, width, width])
        chosen = natural_positive(labels) if positive is None else positive
        return cls(labels, chosen, cells // (width * width), cells // width % width, cells % width, counts)

    def with_mirror(self) -> Agreement:
        """The same counts, with a cell (of 0 rows, if need be) for each exchange of first and second; in cell order."""
        width = len(self.labels) + 2
        cell_codes = (self.truth * width + self.first) * width + self.second
        cells = np.unique(np.concatenate((cell_codes, (self.truth * width + self.second) * width + self.first)))
        counts = np.zeros(len(cells), dtype=np.int64)
        counts[np.searchsorted(cells, cell_codes)] = self.counts
        parts = cells // (width * width), cells // width % width, cells % width
        return Agreement(self.labels, self.positive, *parts, counts)

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def masses(self) -> NDArray[np.float64]:
        """What each cell weighs: its rows, or their sampling weights."""
        return self.counts.astype(np.float64) if self.weight_sums is None else self.weight_sums

    def discordance(self) -> Discordance:
        """The four counts of right and wrong."""
        right_first, right_second = self.first == self.truth, self.second == self.truth
        groups = (right_first & right_second, right_first & ~right_second, ~right_first & right_second)
        both, only_first, only_second = (int(self.counts[g].sum()) for g in groups)
        return Discordance(both, only_first, only_second, self.n - both - only_first - only_second)

    def model(self, which: int) -> Confusion:
        """The confusion matrix of the first (0) or second (1) model."""
        k = len(self.labels)
        called = self.second if which else self.first
        cells, where = np.unique(self.truth * (k + 1) + called, return_inverse=True)
        return Confusion.from_cells(
            labels=self.labels, positive=self.positive, row=cells // (k + 1), col=cells % (k + 1), declared=True,
            **amounts_at(where, len(cells), self),
        )  # fmt: skip

    def swapped(self) -> Agreement:
        """The same rows with first and second exchanged."""
        order = np.lexsort((self.first, self.second, self.truth))
        weights = None if self.weight_sums is None else self.weight_sums[order]
        parts = self.truth[order], self.second[order], self.first[order], self.counts[order], weights
        return Agreement(self.labels, self.positive, *parts)

    def __add__(self, other: object) -> Agreement:
        if not isinstance(other, Agreement):
            return NotImplemented
        if (self.labels, self.positive) != (other.labels, other.positive):
            raise InputError("cannot add two agreement tables with different labels or positive classes; pass labels=")
        if (self.weight_sums is None) != (other.weight_sums is None):
            raise InputError("cannot add an agreement table with sampling weights to one without")
        width = len(self.labels) + 1
        cell = np.concatenate([(t.truth * width + t.first) * width + t.second for t in (self, other)])
        cells, where = np.unique(cell, return_inverse=True)
        parts = cells // (width * width), cells // width % width, cells % width
        return Agreement(self.labels, self.positive, *parts, **amounts_at(where, len(cells), self, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Agreement):
            return NotImplemented
        same = self.labels == other.labels and self.positive == other.positive
        arrays = ("truth", "first", "second", "counts", "masses")
        return same and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in arrays)

    __hash__ = None  # type: ignore[assignment]


Tally = TypeVar("Tally", Confusion, Agreement)


@dataclass(frozen=True, slots=True, eq=False)
class _Keyed(Generic[Tally]):
    """One table for each key, all in the cells of the pooled one: fit for a million clusters.

    `key`, `cell` and `counts` list the occupied (key, cell) pairs; `cell` is a position in the pooled table. With
    sampling weights `weight_sums` are those of the pairs.
    """

    keys: tuple[Label, ...]
    table: Tally
    key: Ints
    cell: Ints
    counts: Ints
    weight_sums: Floats | None = None

    def pooled(self) -> Tally:
        """All keys together. Pooling hides that rows of one key depend on each other: say so when you use it."""
        return self.table

    def sums(self, values: Floats) -> Floats:
        """For each key the (weighted) sum over its rows of a value that depends on the row's cell alone."""
        weighted = self.masses * values[self.cell]
        return np.bincount(self.key, weights=weighted, minlength=len(self.keys)).astype(np.float64)

    @property
    def masses(self) -> Floats:
        """What each (key, cell) pair weighs: its rows, or their sampling weights."""
        return self.counts.astype(np.float64) if self.weight_sums is None else self.weight_sums

    @property
    def weights(self) -> Floats:
        """What each key weighs."""
        return np.bincount(self.key, weights=self.masses, minlength=len(self.keys)).astype(np.float64)

    @property
    def sizes(self) -> Ints:
        """Rows for each key."""
        return np.bincount(self.key, weights=self.counts, minlength=len(self.keys)).astype(np.int64)


class KeyedAgreement(_Keyed[Agreement]):
    """Truth × first × second for each cluster, slice, fold or repeat."""

    __slots__ = ()


class KeyedConfusion(_Keyed[Confusion]):
    """A confusion matrix for each cluster, slice, fold or repeat."""

    __slots__ = ()

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

    def __getitem__(self, key: Label) -> Confusion:
        if key not in self.keys:
            raise InputError(f"no rows were counted under the key {key!r}{nearest(key, self.keys)}")
        mine = self.key == self.keys.index(key)
        cell = self.cell[mine]
        return Confusion.from_cells(
            labels=self.table.labels, positive=self.table.positive, row=self.table.row[cell],
            col=self.table.col[cell], counts=self.counts[mine],
            weight_sums=None if self.weight_sums is None else self.weight_sums[mine], declared=True,
        )  # fmt: skip

    def items(self) -> Iterator[tuple[Label, Confusion]]:
        """Each key with its table."""
        for key in self.keys:
            yield key, self[key]

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
        return KeyedConfusion(names, table, pairs // size, pairs % size, **amounts_at(where, len(pairs), self, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyedConfusion):
            return NotImplemented
        same = self.keys == other.keys and self.table == other.table
        return same and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in ("key", "cell", "masses"))

    __hash__ = None  # type: ignore[assignment]
