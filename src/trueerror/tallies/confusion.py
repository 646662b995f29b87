"""The confusion matrix: how often each true class was called what. Kept sparsely, so 50,000 classes are no trouble."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NoReturn, Self

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
    need_positive,
    recode,
)
from trueerror.inputs.matrices import count_matrix
from trueerror.inputs.options import check_word
from trueerror.inputs.weights import WeightsKind, weight_column
from trueerror.kernels import plain
from trueerror.results import Result, Table
from trueerror.results.words import whole
from trueerror.tallies.counts import BinaryCounts, ClassCounts, sum_columns
from trueerror.tallies.missing import Filled, Missing, counted_as_other, settle_missing

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Up to this many cells a dense count is cheaper than sorting the rows.
DENSE_CELLS = 1 << 22
SHOWN_CLASSES = 12


class Confusion(Result):
    """Counts of truth × predicted. Rows are the truth; shards of one sample add up.

    `positive` is the class that binary metrics speak of. A row without a prediction that counts as wrong sits in an
    extra column, `unpredicted` (with two classes it counts as the other class instead).

    >>> t = Confusion([[50, 5], [10, 35]])            # unlabelled 2 × 2: [[TN, FP], [FN, TP]]
    >>> t.n, t.binary().tp
    (100, 35.0)
    >>> t + t == Confusion([[100, 10], [20, 70]])
    True
    """

    __slots__ = (
        "_chosen", "_declared", "_filled", "_implied", "_margins", "col", "counts", "labels", "row", "sources",
        "weight_squares", "weight_sums",
    )  # fmt: skip
    labels: tuple[Label, ...]
    row: Ints
    col: Ints
    counts: Ints
    weight_sums: Floats | None
    weight_squares: Floats | None
    sources: tuple[str, ...]
    _chosen: Label | None
    _declared: bool  # the label order was given, not found in the rows
    _implied: tuple[Label, ...]  # the other side of 0/1, which no row has shown
    _filled: Filled | None
    _margins: dict[bool, ClassCounts]  # of the table's own masses, weighted or not, once asked for

    def __init__(
        self,
        matrix: Any,
        labels: Iterable[Any] | None = None,
        *,
        rows: Literal["truth", "predicted"] = "truth",
        positive: Any = None,
    ) -> None:
        check_word(rows, ("truth", "predicted"), "rows")
        cells = count_matrix(matrix)
        if rows == "predicted":
            cells = cells.T
        k = len(cells)
        names = tuple(range(k)) if labels is None else check_labels(labels)
        if len(names) != k:
            raise InputError(f"the matrix has {k} classes but labels= names {len(names)}")
        row, col = np.nonzero(cells)
        self._fill(
            labels=names,
            positive=None if positive is None else find_label(positive, names),
            row=row.astype(np.int64),
            col=col.astype(np.int64),
            counts=cells[row, col],
            declared=True,
        )

    def _fill(
        self,
        *,
        labels: tuple[Label, ...],
        positive: Label | None,
        row: Ints,
        col: Ints,
        counts: Ints,
        weight_sums: Floats | None = None,
        weight_squares: Floats | None = None,
        sources: tuple[str, ...] = (),
        declared: bool = False,
        implied: tuple[Label, ...] = (),
        filled: Filled | None = None,
    ) -> None:
        for array in (row, col, counts, weight_sums, weight_squares):
            if array is not None:
                array.flags.writeable = False
        values: dict[str, object] = {
            "labels": labels,
            "_chosen": positive,
            "row": row,
            "col": col,
            "counts": counts,
            "weight_sums": weight_sums,
            "weight_squares": weight_squares,
            "sources": sources,
            "_declared": declared,
            "_implied": implied,
            "_filled": filled,
            "_margins": {},
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Confusion is frozen; make a new one")

    def __reduce__(self) -> Any:
        return (_restore, (self._to_data(),))

    @classmethod
    def from_cells(cls, **fields: Any) -> Self:
        """A table from its occupied cells (row, col, counts in ascending cell order): for the rooms that count."""
        made = cls.__new__(cls)
        made._fill(**fields)
        return made

    @classmethod
    def count(
        cls,
        truth: Any,
        predicted: Any,
        *,
        labels: Iterable[Any] | None = None,
        positive: Any = None,
        weights: Any = None,
        weights_kind: WeightsKind | None = None,
        missing: Missing = "error",
    ) -> Self:
        """Count rows once; everything else works on the counts.

        >>> Confusion.count(["a", "b", "b"], ["a", "b", "a"]).matrix.tolist()
        [[1, 0], [1, 1]]
        """
        check_indexes({"truth": truth, "predicted": predicted, "weights": weights})
        columns = {"truth": column(truth, "truth"), "predicted": column(predicted, "predicted")}
        same_length(columns)
        coded = {name: code_column(values, name) for name, values in columns.items()}
        declared = labels is not None
        seen = merge_labels({name: c.values for name, c in coded.items()})
        names = natural_labels(seen) if labels is None else check_labels(labels)
        chosen = None if positive is None else find_label(positive, names)
        codes = [recode(c, names, name) for name, c in coded.items()]
        w = None if weights is None else weight_column(weights, weights_kind)
        if w is not None:
            same_length({"truth": columns["truth"], "weights": w})
        return cls.from_codes(
            codes[0], codes[1], names, positive=chosen, weights=w, weights_kind=weights_kind, missing=missing,
            declared=declared, implied=() if declared else without(names, seen),
        )  # fmt: skip

    @classmethod
    def from_codes(
        cls,
        truth: Codes,
        predicted: Codes,
        labels: tuple[Label, ...],
        *,
        positive: Label | None = None,
        weights: Floats | None = None,
        weights_kind: WeightsKind | None = None,
        missing: Missing = "error",
        declared: bool = False,
        implied: tuple[Label, ...] = (),
        sources: tuple[str, ...] = (),
    ) -> Self:
        """Count coded columns (−1 is missing)."""
        k = len(labels)
        filled = counted_as_other(truth, predicted, k, weights, weights_kind) if missing == "wrong" else None
        truth, predicted, weights = settle_missing(truth, predicted, k, weights, missing)
        width = k + 1 if len(predicted) and int(predicted.max()) == k else k
        frequency = weights is not None and weights_kind == "frequency"
        if max(k, 1) * max(width, 1) <= DENSE_CELLS and k:
            dense = plain.count_codes([truth, predicted], [k, width], weights if frequency else None)
            cells = np.flatnonzero(dense)
            counts = dense[cells].astype(np.int64)
        elif frequency:
            assert weights is not None
            cell = plain.combine([truth, predicted], [k, width])
            cells = np.unique(cell)
            counts = plain.sum_by_cell(cells, cell, weights).astype(np.int64)
            cells, counts = cells[counts > 0], counts[counts > 0]
        else:
            cells, counts = plain.count_sparse([truth, predicted], [k, width])
        sums = squares = None
        if weights is not None and not frequency:
            cell = plain.combine([truth, predicted], [k, width])
            sums = plain.sum_by_cell(cells, cell, weights)
            squares = plain.sum_by_cell(cells, cell, weights * weights)
        width = max(width, 1)
        return cls.from_cells(
            labels=labels, positive=positive, row=cells // width, col=cells % width, counts=counts,
            weight_sums=sums, weight_squares=squares, sources=sources, declared=declared, implied=implied,
            filled=filled,
        )  # fmt: skip

    # What can be read off.

    @property
    def positive(self) -> Label | None:
        """The class that binary metrics speak of: the one that was named, else True, or 1 of {0, 1} or {−1, 1}."""
        return natural_positive(self.labels) if self._chosen is None else self._chosen

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return int(self.counts.sum())

    @property
    def masses(self) -> Floats:
        """What each occupied cell weighs: its sampling weights where there are some, else its count."""
        return self.counts.astype(np.float64) if self.weight_sums is None else self.weight_sums

    @property
    def matrix(self) -> Ints:
        """The dense K × K counts, rows = truth."""
        k = len(self.labels)
        if k * k > DENSE_CELLS * 4:
            raise InputError(f"a dense matrix of {k:,} classes is too large; use .row, .col and .counts")
        dense = np.zeros((k, k), dtype=np.int64)
        inside = self.col < k
        dense[self.row[inside], self.col[inside]] = self.counts[inside]
        return dense

    @property
    def unpredicted(self) -> Ints:
        """Rows of each class that had no prediction and count as wrong."""
        k = len(self.labels)
        outside = self.col >= k
        return np.bincount(self.row[outside], weights=self.counts[outside], minlength=k).astype(np.int64)

    def shares(self) -> Floats:
        """The dense matrix with each row as shares of its class; a class without rows is NaN."""
        totals = self.classes(weighted=False).truth
        with np.errstate(invalid="ignore"):
            return self.matrix / np.where(totals > 0, totals, np.nan)[:, None]

    def classes(self, masses: NDArray[Any] | None = None, *, weighted: bool = True) -> ClassCounts:
        """The margins that multi-class metrics need; `masses` (…, cells) replaces the counts, as in a bootstrap."""
        if masses is None:
            if weighted not in self._margins:
                own = self.masses if weighted else self.counts.astype(np.float64)
                self._margins[weighted] = _frozen(self._class_counts(own))
            return self._margins[weighted]
        return self._class_counts(masses)

    def _class_counts(self, m: NDArray[Any]) -> ClassCounts:
        k = len(self.labels)
        diagonal = self.row == self.col
        inside = self.col < k
        return ClassCounts(
            hits=sum_columns(m[..., diagonal], self.row[diagonal], k),
            truth=sum_columns(m, self.row, k),
            predicted=sum_columns(m[..., inside], self.col[inside], k),
            total=m.sum(axis=-1),
        )

    def binary(self, positive: Any = None, masses: NDArray[Any] | None = None) -> BinaryCounts:
        """One class against the rest; without `positive` the table's own positive class."""
        chosen = self.positive if positive is None else find_label(positive, self.labels)
        if chosen is None:
            raise need_positive(self.labels, "a binary metric")
        index = self.labels.index(chosen)
        m = self.masses if masses is None else masses
        is_true, is_called = self.row == index, self.col == index
        parts = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        sums = [m[..., part].sum(axis=-1) for part in parts]
        return BinaryCounts(*(s.item() for s in sums)) if m.ndim == 1 else BinaryCounts(*sums)

    def with_positive(self, positive: Any) -> Confusion:
        """The same counts, speaking of another class."""
        data = self._to_data() | {"positive": find_label(positive, self.labels)}
        return type(self)._from_data(data)

    # Shards add.

    def __radd__(self, other: object) -> Confusion:
        # sum() begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __add__(self, other: object) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        from trueerror.tallies.addition import add_confusions

        return add_confusions(self, other)

    # As a result.

    def _to_data(self) -> dict[str, Any]:
        return {
            "labels": self.labels,
            "positive": self._chosen,
            "row": self.row,
            "col": self.col,
            "counts": self.counts,
            "weight_sums": self.weight_sums,
            "weight_squares": self.weight_squares,
            "sources": self.sources,
            "declared": self._declared,
            "implied": self._implied,
            "filled": self._filled,
        }

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        kinds = {"row": np.int64, "col": np.int64, "counts": np.int64, "weight_sums": float, "weight_squares": float}
        fields = {k: np.array(v, dtype=kinds[k]) if k in kinds and v is not None else v for k, v in data.items()}
        return cls.from_cells(**fields)

    def _key(self) -> tuple[Any, ...]:
        data = self._to_data()
        history = ("sources", "declared", "implied", "filled")
        bare = {k: v for k, v in data.items() if k not in history} | {"positive": self.positive}
        return tuple(tuple(v.tolist()) if isinstance(v, np.ndarray) else v for v in bare.values())

    def records(self) -> list[dict[str, object]]:
        """One record for each occupied cell."""
        names = [*self.labels, None]
        return [
            {"truth": self.labels[r], "predicted": names[c], "count": int(n)}
            for r, c, n in zip(self.row, self.col, self.counts, strict=True)
        ]

    def _table(self) -> Table:
        labels = [str(v) for v in self.labels]
        missing = self.unpredicted
        extra = ("no prediction",) if missing.any() else ()
        rows = []
        for i, line in enumerate(self.matrix):
            cells = [whole(float(x)) for x in line] + ([whole(float(missing[i]))] if extra else [])
            rows.append((labels[i], *cells))
        return Table(columns=("truth \\ predicted", *labels, *extra), rows=tuple(rows))

    def _repr_html_(self) -> str:
        if len(self.labels) <= SHOWN_CLASSES:
            return self._table()._repr_html_()
        return Result._repr_html_(self)

    def __str__(self) -> str:
        if len(self.labels) <= SHOWN_CLASSES:
            return self._table().text()
        off = np.flatnonzero(self.row != self.col)
        worst = off[np.argsort(-self.counts[off], kind="stable")][:5]
        names = [*map(str, self.labels), "no prediction"]
        pairs = ", ".join(f"{names[self.row[i]]} called {names[self.col[i]]} ({self.counts[i]:,})" for i in worst)
        return f"{len(self.labels):,} classes, {self.n:,} rows; most frequent errors: {pairs or 'none'}"

    def __repr__(self) -> str:
        return str(self)


def _frozen(counts: ClassCounts) -> ClassCounts:
    for array in (counts.hits, counts.truth, counts.predicted):
        array.flags.writeable = False
    return counts


def without(labels: Iterable[Label], others: Iterable[Label]) -> tuple[Label, ...]:
    """The labels that are not among the others."""
    known = set(others)
    return tuple(v for v in labels if v not in known)


def _restore(data: dict[str, Any]) -> Confusion:
    return Confusion._from_data(data)
