"""The agreement table: truth × first × second, which holds all that a paired comparison of labels can use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import check_indexes, column, same_length
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import (
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
from trueerror.kernels import plain
from trueerror.tallies.confusion import DENSE_CELLS, Confusion
from trueerror.tallies.missing import Missing, settle_missing

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


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """Occupied cells of truth × first × second; shards of one sample add up.

    >>> Agreement.count([0, 1, 1], [0, 1, 0], [0, 0, 1]).discordance()
    Discordance(both_right=1, only_first=1, only_second=1, both_wrong=0)
    """

    labels: tuple[Label, ...]
    positive: Label | None
    truth: Ints
    first: Ints
    second: Ints
    counts: Ints

    @classmethod
    def count(
        cls,
        truth: Any,
        first: Any,
        second: Any,
        *,
        labels: Iterable[Any] | None = None,
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
        width = k + 1
        if k * width * width <= DENSE_CELLS:
            dense = plain.count_codes([truth, a, b], [k, width, width])
            cells = np.flatnonzero(dense)
            counts = dense[cells]
        else:
            cells, counts = plain.count_sparse([truth, a, b], [k, width, width])
        chosen = natural_positive(labels) if positive is None else positive
        return cls(labels, chosen, cells // (width * width), cells // width % width, cells % width, counts)

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

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
        counts = np.bincount(where, weights=self.counts, minlength=len(cells)).astype(np.int64)
        return Confusion.from_cells(
            labels=self.labels, positive=self.positive, row=cells // (k + 1), col=cells % (k + 1), counts=counts,
            declared=True,
        )  # fmt: skip

    def swapped(self) -> Agreement:
        """The same rows with first and second exchanged."""
        order = np.lexsort((self.first, self.second, self.truth))
        return Agreement(
            self.labels, self.positive, self.truth[order], self.second[order], self.first[order], self.counts[order]
        )

    def __add__(self, other: object) -> Agreement:
        if not isinstance(other, Agreement):
            return NotImplemented
        if (self.labels, self.positive) != (other.labels, other.positive):
            raise InputError("cannot add two agreement tables with different labels or positive classes; pass labels=")
        width = len(self.labels) + 1
        cell = np.concatenate([(t.truth * width + t.first) * width + t.second for t in (self, other)])
        cells, where = np.unique(cell, return_inverse=True)
        both = np.concatenate([self.counts, other.counts]).astype(np.float64)
        counts = np.bincount(where, weights=both, minlength=len(cells)).astype(np.int64)
        return Agreement(
            self.labels, self.positive, cells // (width * width), cells // width % width, cells % width, counts
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Agreement):
            return NotImplemented
        same = self.labels == other.labels and self.positive == other.positive
        arrays = ("truth", "first", "second", "counts")
        return same and all(np.array_equal(getattr(self, a), getattr(other, a)) for a in arrays)

    __hash__ = None  # type: ignore[assignment]
