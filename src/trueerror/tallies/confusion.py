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
from trueerror.inputs.options import check_word
from trueerror.inputs.weights import WeightsKind, weight_column
from trueerror.kernels import plain
from trueerror.results import Result, Table
from trueerror.results.words import whole
from trueerror.tallies.counts import BinaryCounts, ClassCounts

Missing = Literal["error", "wrong", "drop"]
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

    __slots__ = ("_chosen", "_declared", "col", "counts", "labels", "row", "sources", "weight_squares", "weight_sums")
    labels: tuple[Label, ...]
    row: Ints
    col: Ints
    counts: Ints
    weight_sums: Floats | None
    weight_squares: Floats | None
    sources: tuple[str, ...]
    _chosen: Label | None
    _declared: bool

    def __init__(
        self,
        matrix: Any,
        labels: Iterable[Any] | None = None,
        *,
        rows: Literal["truth", "predicted"] = "truth",
        positive: Any = None,
    ) -> None:
        check_word(rows, ("truth", "predicted"), "rows")
        cells = _count_matrix(matrix)
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
    ) -> None:
        for array in (row, col, counts, weight_sums, weight_squares):
            if array is not None:
                array.flags.writeable = False
        values = {
            "labels": labels,
            "_chosen": positive,
            "row": row,
            "col": col,
            "counts": counts,
            "weight_sums": weight_sums,
            "weight_squares": weight_squares,
            "sources": sources,
            "_declared": declared,
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
        check_indexes({"truth": truth, "predicted": predicted})
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
            declared=declared,
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
        sources: tuple[str, ...] = (),
    ) -> Self:
        """Count coded columns (−1 is missing)."""
        truth, predicted, weights = settle_missing(truth, predicted, len(labels), weights, missing)
        k = len(labels)
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
            weight_sums=sums, weight_squares=squares, sources=sources, declared=declared,
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

    def classes(self, masses: Floats | None = None, *, weighted: bool = True) -> ClassCounts:
        """The margins that multi-class metrics need; `masses` (…, cells) replaces the counts, as in a bootstrap."""
        k = len(self.labels)
        m = (self.masses if weighted else self.counts.astype(np.float64)) if masses is None else masses
        diagonal = self.row == self.col
        inside = self.col < k
        return ClassCounts(
            hits=sum_columns(m[..., diagonal], self.row[diagonal], k),
            truth=sum_columns(m, self.row, k),
            predicted=sum_columns(m[..., inside], self.col[inside], k),
            total=m.sum(axis=-1),
        )

    def binary(self, positive: Any = None, masses: Floats | None = None) -> BinaryCounts:
        """One class against the rest; without `positive` the table's own positive class."""
        chosen = self.positive if positive is None else find_label(positive, self.labels)
        if chosen is None:
            raise need_positive(self.labels, "a binary metric")
        index = self.labels.index(chosen)
        m = self.masses if masses is None else masses
        is_true, is_called = self.row == index, self.col == index
        parts = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        sums = [m[..., part].sum(axis=-1) for part in parts]
        return BinaryCounts(*(float(s) for s in sums)) if m.ndim == 1 else BinaryCounts(*sums)

    def with_positive(self, positive: Any) -> Confusion:
        """The same counts, speaking of another class."""
        data = self._to_data() | {"positive": find_label(positive, self.labels)}
        return type(self)._from_data(data)

    # Shards add.

    def __add__(self, other: object) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        labels = _common_labels(self, other)
        chosen = {t._chosen for t in (self, other)} - {None}
        if len(chosen) > 1:
            raise InputError(f"cannot add: positive is {self.positive!r} in one and {other.positive!r} in the other")
        if (self.weight_sums is None) != (other.weight_sums is None):
            raise InputError("cannot add a table with sampling weights to one without")
        declared = self._declared or other._declared
        width = len(labels) + 1
        moved = [_move(t, labels, width) for t in (self, other)]
        cells, where = np.unique(np.concatenate(moved), return_inverse=True)
        split = len(moved[0])

        def joined(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
            total = np.zeros(len(cells), dtype=a.dtype)
            total[where[:split]] += a
            total[where[split:]] += b
            return total

        sums = squares = None
        if self.weight_sums is not None and other.weight_sums is not None:
            assert self.weight_squares is not None
            assert other.weight_squares is not None
            sums = joined(self.weight_sums, other.weight_sums)
            squares = joined(self.weight_squares, other.weight_squares)
        return Confusion.from_cells(
            labels=labels, positive=next(iter(chosen), None), row=cells // width, col=cells % width,
            counts=joined(self.counts, other.counts), weight_sums=sums, weight_squares=squares,
            sources=tuple(sorted({*self.sources, *other.sources})), declared=declared,
        )  # fmt: skip

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
        }

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        kinds = {"row": np.int64, "col": np.int64, "counts": np.int64, "weight_sums": float, "weight_squares": float}
        fields = {k: np.array(v, dtype=kinds[k]) if k in kinds and v is not None else v for k, v in data.items()}
        return cls.from_cells(**fields)

    def _key(self) -> tuple[Any, ...]:
        data = self._to_data()
        bare = {k: v for k, v in data.items() if k not in ("sources", "declared")} | {"positive": self.positive}
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


def _restore(data: dict[str, Any]) -> Confusion:
    return Confusion._from_data(data)


def sum_columns(masses: Floats, index: Ints, k: int) -> Floats:
    """Sums of the last axis over groups: (…, cells) → (…, k)."""
    if masses.ndim == 1:
        return np.bincount(index, weights=masses, minlength=k).astype(np.float64)
    flat = masses.reshape(-1, masses.shape[-1])
    order = np.argsort(index, kind="stable")
    groups, starts = np.unique(index[order], return_index=True)
    out = np.zeros((len(flat), k))
    if len(groups):
        out[:, groups] = np.add.reduceat(flat[:, order], starts, axis=1)
    return out.reshape(*masses.shape[:-1], k)


def settle_missing(
    truth: Codes, predicted: Codes, k: int, weights: Floats | None, missing: Missing
) -> tuple[Codes, Codes, Floats | None]:
    """Apply the rule for absent predictions; an absent truth is always an error."""
    check_word(missing, ("error", "wrong", "drop"), "missing")
    gone = truth < 0
    if gone.any():
        row = int(np.argmax(gone))
        raise InputError(f"truth is missing at row {row + 1:,} ({int(gone.sum()):,} in all); leave those rows out")
    absent = predicted < 0
    if not absent.any():
        return truth, predicted, weights
    if missing == "error":
        row = int(np.argmax(absent))
        raise InputError(
            f"predicted is missing at row {row + 1:,} ({int(absent.sum()):,} in all); say what to do with "
            'missing="wrong" (they count as errors) or missing="drop" (they are left out)'
        )
    if missing == "drop":
        kept = ~absent
        return truth[kept], predicted[kept], None if weights is None else weights[kept]
    filled = predicted.astype(np.int64)
    filled[absent] = 1 - truth[absent].astype(np.int64) if k == 2 else k
    return truth, filled, weights


def _count_matrix(matrix: Any) -> Ints:
    values = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
    try:
        cells = np.asarray(values, dtype=object if isinstance(values, list) else None)
        cells = np.asarray(cells, dtype=np.float64) if cells.dtype.kind not in "iu" else cells
    except (TypeError, ValueError):
        raise InputError("the confusion matrix must be a square table of counts") from None
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
        shape = " × ".join(map(str, cells.shape))
        raise InputError(f"the confusion matrix must be square, but it is {shape or 'a single value'}")
    wrong = ~np.isfinite(cells) | (cells < 0) | (cells != np.floor(cells))
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InputError(f"counts are whole numbers from 0 up, but row {i + 1}, column {j + 1} is {cells[i, j]:g}")
    return cells.astype(np.int64)


def _common_labels(a: Confusion, b: Confusion) -> tuple[Label, ...]:
    """Labels of a sum: declared orders must agree; labels that were merely seen are united."""
    if a.labels == b.labels:
        return a.labels
    if a._declared and b._declared:
        raise InputError(f"cannot add: the label orders differ ({a.labels!r:.60} and {b.labels!r:.60})")
    for declared, seen in ((a, b), (b, a)):
        if declared._declared:
            unknown = [v for v in seen.labels if v not in declared.labels]
            if unknown:
                raise InputError(f"cannot add: {unknown[0]!r} is not among the declared labels")
            return declared.labels
    return merge_labels({"one table": a.labels, "the other table": b.labels})


def _move(table: Confusion, labels: tuple[Label, ...], width: int) -> Ints:
    """The table's cells as cell numbers in another label order."""
    position = {label: i for i, label in enumerate(labels)}
    places = np.array([*(position[v] for v in table.labels), width - 1], dtype=np.int64)
    col = np.minimum(table.col, len(table.labels))
    return places[table.row] * width + places[col]
