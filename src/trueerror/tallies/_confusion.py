"""The confusion matrix, kept sparsely, so that 50,000 classes are no trouble; shards of one sample add up.

`BinaryCounts` (one class against the rest) and `ClassCounts` (the margins of many classes) are what metrics look at:
their fields are numbers or arrays of one shape, so one formula serves one table, all classes at once, and ten thousand
bootstrap replicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import (
    Array,
    ArrayLike,
    Floats,
    WeightsKind,
    check_indexes,
    column,
    count,
    count_matrix,
    same_length,
    weight_column,
)
from trueerror.inputs._labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    merge_answers,
    merge_labels,
    natural_labels,
    natural_positive,
    need_positive,
    recode,
)
from trueerror.inputs._margins import labelled_counts, refuse_margins
from trueerror.inputs._options import InputError, check_word
from trueerror.kernels._counting import combine, count_codes, count_sparse, sum_by_cell
from trueerror.results import Result, Table
from trueerror.results._format import one_line, whole
from trueerror.tallies._missing import Filled, Missing, counted_as_other, settle_missing

# A float, or an array of floats of any shape: metric formulas are written for both.
Amount = Any


class BinaryCounts(NamedTuple):
    """True positives, false positives, false negatives, true negatives."""

    tp: Amount
    fp: Amount
    fn: Amount
    tn: Amount

    @property
    def total(self) -> Amount:
        """All rows."""
        return self.tp + self.fp + self.fn + self.tn


class ClassCounts(NamedTuple):
    """Hits and margins of a K-class table; the last axis of each array runs over the classes."""

    hits: NDArray[np.float64]
    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    total: Amount

    def one_vs_rest(self) -> BinaryCounts:
        """Each class against the rest."""
        fp = self.predicted - self.hits
        fn = self.truth - self.hits
        rest = np.asarray(self.total)[..., None] - self.truth - fp
        return BinaryCounts(self.hits, fp, fn, rest)


# Cells times groups up to which a product of matrices is quicker than sorting.
SMALL = 1 << 12


def sum_columns(masses: Array, index: NDArray[np.integer[Any]], k: int) -> Array:
    """Sums of the last axis over groups: (…, cells) → (…, k); complex masses stay complex."""
    if masses.ndim == 1 and masses.dtype.kind != "c":
        return np.bincount(index, weights=masses, minlength=k).astype(np.float64)
    if masses.shape[-1] == 0:  # no model ever right, say: nothing to group, and -1 would not say how many rows
        return np.zeros((*masses.shape[:-1], k))
    if len(index) * k <= SMALL:
        out: Array = masses @ (index[:, None] == np.arange(k)).astype(np.float64)
        return out
    flat = masses.reshape(-1, masses.shape[-1])
    # Cells stand in order of their row: to sum by row nothing is moved.
    order = slice(None) if (index[1:] >= index[:-1]).all() else np.argsort(index, kind="stable")
    groups, starts = np.unique(index[order], return_index=True)
    sums = np.zeros((len(flat), k), dtype=np.result_type(flat.dtype, np.float64))
    if len(groups):
        sums[:, groups] = np.add.reduceat(flat[:, order], starts, axis=1)
    return sums.reshape(*masses.shape[:-1], k)


def binary_as_classes(counts: BinaryCounts) -> ClassCounts:
    """The four counts as a two-class table, negative class first."""
    tp, fp, fn, tn = (np.asarray(x) for x in counts)
    return ClassCounts(
        hits=np.stack([tn, tp], axis=-1),
        truth=np.stack([tn + fp, tp + fn], axis=-1),
        predicted=np.stack([tn + fn, tp + fp], axis=-1),
        total=tp + fp + fn + tn,
    )


Ints = NDArray[np.int64]

# Up to this many cells a dense count is cheaper than sorting the rows.
DENSE_CELLS = 1 << 22
SHOWN_CLASSES = 12
# What a table is made of and saved as, each with its slot; and what those are that nothing is said of.
FIELDS = {
    "labels": "labels", "positive": "_chosen", "row": "row", "col": "col", "counts": "counts",
    "weight_sums": "weight_sums", "weight_squares": "weight_squares", "sources": "sources", "declared": "_declared",
    "implied": "_implied", "filled": "_filled",
}  # fmt: skip
UNSAID: dict[str, object] = {
    "weight_sums": None, "weight_squares": None, "sources": (), "declared": False, "implied": (), "filled": None,
}  # fmt: skip


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Confusion(Result):
    """Counts of truth × predicted. Rows are the truth; shards of one sample add up.

    `positive` is the class that binary metrics are about. A row without a prediction that counts as wrong sits in an
    extra column, `unpredicted` (with two classes it counts as the other class instead). A data frame, such as
    `pd.crosstab(truth, predicted)`, goes by its own labels, in whatever order they stand; totals are refused. The four
    counts of two classes may be named: `tp=, fp=, fn=, tn=`.

    >>> t = Confusion([[50, 5], [10, 35]])            # unlabelled 2 × 2: [[TN, FP], [FN, TP]]
    >>> t.n, t.binary().tp
    (100, 35.0)
    >>> t + t == Confusion([[100, 10], [20, 70]])
    True
    >>> t == Confusion(tp=35, fp=5, fn=10, tn=50)
    True
    """

    __slots__ = (
        "_chosen", "_declared", "_filled", "_implied", "_margins", "_one_class", "col", "counts", "labels",
        "masses", "n", "positive", "row", "sources", "weight_squares", "weight_sums",
    )  # fmt: skip
    labels: tuple[Label, ...]
    row: Ints
    col: Ints
    counts: Ints
    weight_sums: Floats | None
    weight_squares: Floats | None
    sources: tuple[str, ...]
    # How many rows were counted, and what each occupied cell weighs: its sampling weights, else its count.
    n: int
    masses: Floats
    # The class that binary metrics speak of: the one that was named, else True, or 1 of {0, 1} or {−1, 1}.
    positive: Label | None
    _chosen: Label | None
    _declared: bool  # the label order was given, not found in the rows
    _implied: tuple[Label, ...]  # the other side of 0/1, which no row has shown
    _filled: Filled | None
    _margins: dict[bool, ClassCounts]  # of the table's own masses, weighted or not, once asked for
    _one_class: dict[int, BinaryCounts]  # the same of each class against the rest

    def __init__(
        self,
        matrix: ArrayLike = None,
        labels: Iterable[object] | None = None,
        *,
        tp: float | None = None,
        fp: float | None = None,
        fn: float | None = None,
        tn: float | None = None,
        rows: Literal["truth", "predicted"] = "truth",
        positive: object = None,
    ) -> None:
        check_word(rows, ("truth", "predicted"), "rows")
        given = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        declared = True
        if matrix is None or any(v is not None for v in given.values()):
            if matrix is not None:
                raise InputError("give the matrix or tp=, fp=, fn= and tn=, not both")
            cells, names, positive = _four_counts(given, labels, positive)
        elif (framed := labelled_counts(matrix, transposed=rows == "predicted")) is not None:
            cells, names = _in_order(framed.cells, framed.labels, labels)
            declared = labels is not None
        else:
            cells = count_matrix(matrix)
            if rows == "predicted":
                cells = cells.T
            if labels is None:
                refuse_margins(cells, None)
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
            declared=declared,
        )

    def _fill(self, **fields: object) -> None:
        for name, value in {**UNSAID, **fields}.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, FIELDS[name], value)
        positive = natural_positive(self.labels) if self._chosen is None else self._chosen
        masses = self.counts.astype(np.float64) if self.weight_sums is None else self.weight_sums
        masses.flags.writeable = False
        for name, value in (
            ("positive", positive),
            ("n", int(self.counts.sum())),
            ("masses", masses),
            ("_margins", {}),
            ("_one_class", {}),
        ):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self._to_data(),))

    @classmethod
    def from_cells(cls, **fields: object) -> Self:
        """A table from its occupied cells (row, col, counts in ascending cell order): for the rooms that count."""
        table = cls.__new__(cls)
        table._fill(**fields)
        return table

    @classmethod
    def count(
        cls,
        truth: ArrayLike,
        predicted: ArrayLike,
        *,
        labels: Iterable[object] | None = None,
        positive: object = None,
        weights: ArrayLike = None,
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
        seen = (merge_labels if declared else merge_answers)({name: c.values for name, c in coded.items()})
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
            dense = count_codes([truth, predicted], [k, width], weights if frequency else None)
            cells = np.flatnonzero(dense)
            counts = dense[cells].astype(np.int64)
        elif frequency:
            assert weights is not None
            cell = combine([truth, predicted], [k, width])
            cells = np.unique(cell)
            counts = sum_by_cell(cells, cell, weights).astype(np.int64)
            cells, counts = cells[counts > 0], counts[counts > 0]
        else:
            cells, counts = count_sparse([truth, predicted], [k, width])
        sums = squares = None
        if weights is not None and not frequency:
            cell = combine([truth, predicted], [k, width])
            sums = sum_by_cell(cells, cell, weights)
            squares = sum_by_cell(cells, cell, weights * weights)
        width = max(width, 1)
        return cls.from_cells(
            labels=labels, positive=positive, row=cells // width, col=cells % width, counts=counts,
            weight_sums=sums, weight_squares=squares, sources=sources, declared=declared, implied=implied,
            filled=filled,
        )  # fmt: skip

    # What can be read off.

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

    def most_confused(self, k: int = 5) -> MostConfused:
        """The k pairs of classes that are mixed up most often, both ways together, and either way by itself.

        >>> print(Confusion([[8, 2, 0], [3, 6, 1], [0, 0, 9]], labels=["a", "b", "c"]).most_confused(1))
        a and b: 5 of 6 errors (a called b 2, b called a 3)
        """
        wanted = count(k, "k")
        off = (self.row != self.col) & (self.col < len(self.labels))
        low, high = np.minimum(self.row, self.col)[off], np.maximum(self.row, self.col)[off]
        upward = np.where(self.row[off] < self.col[off], self.counts[off], 0)
        pairs, where = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
        where = where.reshape(-1)
        ways = [np.bincount(where, weights=w, minlength=pairs.shape[1]) for w in (upward, self.counts[off] - upward)]
        order = np.argsort(-(ways[0] + ways[1]), kind="stable")[:wanted]
        return MostConfused(
            pairs=tuple(
                ConfusedPair(
                    self.labels[int(pairs[0, i])], self.labels[int(pairs[1, i])], int(ways[0][i]), int(ways[1][i])
                )
                for i in order
            ),
            errors=int(self.counts[off].sum()),
        )

    def classes(self, masses: Array | None = None, *, weighted: bool = True) -> ClassCounts:
        """The margins that multi-class metrics need; `masses` (…, cells) replaces the counts, as in a bootstrap."""
        if masses is None or masses is self.masses:
            weighted = weighted and self.weight_sums is not None
            if weighted not in self._margins:
                amounts = self.masses if weighted else self.counts.astype(np.float64)
                self._margins[weighted] = _frozen(self._class_counts(amounts))
            return self._margins[weighted]
        return self._class_counts(masses)

    def _class_counts(self, m: Array) -> ClassCounts:
        k = len(self.labels)
        diagonal = self.row == self.col
        return ClassCounts(
            hits=sum_columns(m[..., diagonal], self.row[diagonal], k),
            truth=sum_columns(m, self.row, k),
            predicted=sum_columns(m, self.col, k + 1)[..., :k],  # the last column is that of rows without a prediction
            total=m.sum(axis=-1),
        )

    def binary(self, positive: object = None, masses: Array | None = None) -> BinaryCounts:
        """One class against the rest; without `positive` the table's own positive class."""
        is_default = positive is None or positive is self.positive
        chosen = self.positive if is_default else find_label(positive, self.labels)
        if chosen is None:
            raise need_positive(self.labels, "a binary metric")
        index = self.labels.index(chosen)
        if masses is None or masses is self.masses:
            if index not in self._one_class:
                self._one_class[index] = self._binary_counts(index, self.masses)
            return self._one_class[index]
        return self._binary_counts(index, masses)

    def _binary_counts(self, index: int, m: Array) -> BinaryCounts:
        is_true, is_called = self.row == index, self.col == index
        parts = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        sums = [m[..., part].sum(axis=-1) for part in parts]
        return BinaryCounts(*(s.item() for s in sums)) if m.ndim == 1 else BinaryCounts(*sums)

    def with_positive(self, positive: object) -> Confusion:
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
        return add_confusions(self, other)

    # As a result.

    def _to_data(self) -> dict[str, object]:
        return {name: getattr(self, slot) for name, slot in FIELDS.items()}

    @classmethod
    def _from_data(cls, data: dict[str, object]) -> Self:
        kinds = {"row": np.int64, "col": np.int64, "counts": np.int64, "weight_sums": float, "weight_squares": float}
        fields = {k: np.array(v, dtype=kinds[k]) if k in kinds and v is not None else v for k, v in data.items()}
        cells = [v for k, v in fields.items() if k in kinds and isinstance(v, np.ndarray)]
        whole = all(c.shape == cells[0].shape and c.ndim == 1 and not (c < 0).any() for c in cells)
        if not whole:
            raise ValueError("this saved result is damaged: its cells do not belong together")
        return cls.from_cells(**fields)

    def _key(self) -> tuple[object, ...]:
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

    def _html(self, picture: str = "") -> str:
        # The picture of a few classes has all numbers in it.
        if len(self.labels) <= SHOWN_CLASSES:
            return picture or self._table()._repr_html_()
        return Result._html(self, picture)

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


class ConfusedPair(NamedTuple):
    """Two classes, and how often each was called the other."""

    first: Label
    second: Label
    first_as_second: int
    second_as_first: int

    @property
    def errors(self) -> int:
        """Both ways together."""
        return self.first_as_second + self.second_as_first


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MostConfused(Result):
    """The pairs of classes that are mixed up most often, the worst first; `errors` are those of the whole table."""

    pairs: tuple[ConfusedPair, ...]
    errors: int

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return cls(pairs=tuple(ConfusedPair(*pair) for pair in data["pairs"]), errors=data["errors"])

    def __iter__(self) -> Iterator[ConfusedPair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, place: int) -> ConfusedPair:
        return self.pairs[place]

    def records(self) -> list[dict[str, object]]:
        """One record for each pair."""
        return [
            {**pair._asdict(), "errors": pair.errors, "share_of_errors": pair.errors / self.errors}
            for pair in self.pairs
        ]

    def words(self) -> str:
        """The pairs on one line."""
        return ", ".join(
            f"{one_line(str(p.first))} and {one_line(str(p.second))} ({whole(p.errors)})" for p in self.pairs
        )

    def __str__(self) -> str:
        lines = []
        for p in self.pairs:
            a, b = one_line(str(p.first)), one_line(str(p.second))
            ways = f"{a} called {b} {whole(p.first_as_second)}, {b} called {a} {whole(p.second_as_first)}"
            lines.append(f"{a} and {b}: {whole(p.errors)} of {whole(self.errors)} errors ({ways})")
        return "\n".join(lines) or "no errors: nothing is confused"

    __repr__ = __str__


def _four_counts(
    given: dict[str, float | None], labels: Iterable[object] | None, positive: object
) -> tuple[Ints, tuple[Label, ...], Label]:
    """The table that TP, FP, FN and TN are, the negative class first."""
    absent = [name for name, value in given.items() if value is None]
    if len(absent) == 4:
        raise InputError("give a table of counts, or the four counts tp=, fp=, fn= and tn=")
    if absent:
        raise InputError(f"{absent[0]}= is missing: the four counts are tp=, fp=, fn= and tn=")
    tp, fp, fn, tn = (count(value, name) for name, value in given.items() if value is not None)
    names = (0, 1) if labels is None else check_labels(labels)
    if len(names) != 2:
        raise InputError(f"tp=, fp=, fn= and tn= are counts of two classes, but labels= names {len(names)}")
    if labels is None and positive is not None:
        raise InputError(f"positive={positive!r} needs labels= beside it: the names of both classes")
    chosen = natural_positive(names) if positive is None else find_label(positive, names)
    if chosen is None:
        raise need_positive(names, "four counts")
    cells = np.array([[tn, fp], [fn, tp]], dtype=np.int64)
    return (cells, names, chosen) if names.index(chosen) == 1 else (cells[::-1, ::-1], names, chosen)


def _in_order(cells: Ints, found: tuple[Label, ...], labels: Iterable[object] | None) -> tuple[Ints, tuple[Label, ...]]:
    """A labelled table in the order that was asked for; a class that is not in it has no rows."""
    if labels is None:
        return cells, found
    names = check_labels(labels)
    unknown = without(found, names)
    if unknown:
        raise InputError(
            f"the table has the class {unknown[0]!r}, which labels= does not name; a labelled table needs no labels= "
            "but for their order"
        )
    places = [names.index(v) for v in found]
    moved = np.zeros((len(names), len(names)), dtype=np.int64)
    moved[np.ix_(places, places)] = cells
    return moved, names


def _frozen(counts: ClassCounts) -> ClassCounts:
    for array in (counts.hits, counts.truth, counts.predicted):
        array.flags.writeable = False
    return counts


def without(labels: Iterable[Label], others: Iterable[Label]) -> tuple[Label, ...]:
    """The labels that are not among the others."""
    known = set(others)
    return tuple(v for v in labels if v not in known)


def _restore(data: dict[str, object]) -> Confusion:
    return Confusion._from_data(data)


# What is added cell by cell: counts, then sums of weights and of squared weights where there are some.
Amounts = list[Array]


def add_confusions(a: Confusion, b: Confusion) -> Confusion:
    """The table that counting both shards at once would have given.

    >>> (Confusion.count([0], [0]) + Confusion.count([2], [0])).labels
    (0, 2)
    """
    labels, implied = _common_labels(a, b)
    chosen = {t._chosen for t in (a, b)} - {None}
    if len(chosen) > 1:
        raise InputError(f"cannot add: positive is {a.positive!r} in one and {b.positive!r} in the other")
    if (a.weight_sums is None) != (b.weight_sums is None):
        raise InputError("cannot add a table with sampling weights to one without")
    width = len(labels) + 1
    moved = [_moved(t, labels, width) for t in (a, b)]
    amounts = [np.concatenate(pair) for pair in zip(moved[0][1], moved[1][1], strict=True)]
    cells, amounts = _merged(np.concatenate([moved[0][0], moved[1][0]]), amounts)
    filled = None
    if len(labels) == 2:
        cells, amounts, filled = _folded(cells, amounts)
    return Confusion.from_cells(
        labels=labels, positive=next(iter(chosen), None), row=cells // width, col=cells % width, counts=amounts[0],
        weight_sums=amounts[1] if len(amounts) > 1 else None, weight_squares=amounts[2] if len(amounts) > 1 else None,
        sources=tuple(sorted({*a.sources, *b.sources})), declared=a._declared or b._declared, implied=implied,
        filled=filled,
    )  # fmt: skip


def _common_labels(a: Confusion, b: Confusion) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of a sum and which of them are only implied: declared orders must agree, seen labels are united."""
    if a._declared and b._declared:
        if a.labels != b.labels:
            raise InputError(f"cannot add: the label orders differ ({a.labels!r:.60} and {b.labels!r:.60})")
        return a.labels, ()
    for declared, other in ((a, b), (b, a)):
        if declared._declared:
            unknown = without(without(other.labels, other._implied), declared.labels)
            if unknown:
                raise InputError(f"cannot add: {unknown[0]!r} is not among the declared labels")
            return declared.labels, ()
    parts = {"one table": a, "the other table": b}
    seen = merge_labels({name: without(t.labels, t._implied) for name, t in parts.items()})
    labels = natural_labels(seen)
    return labels, without(labels, seen)


def _moved(table: Confusion, labels: tuple[Label, ...], width: int) -> tuple[Ints, Amounts]:
    """The table's cells as cell numbers in another label order, rows without a prediction in the last column."""
    row, col = table.row, np.minimum(table.col, len(table.labels))
    amounts: Amounts = [table.counts]
    if table.weight_sums is not None and table.weight_squares is not None:
        amounts += [table.weight_sums, table.weight_squares]
    if table._filled is not None:
        row, col, amounts = _unfolded(row, col, amounts, table._filled)
    position = {label: i for i, label in enumerate(labels)}
    places = np.array([*(position.get(v, -1) for v in table.labels), width - 1], dtype=np.int64)
    return places[row] * width + places[col], amounts


def _merged(cells: Ints, amounts: Amounts) -> tuple[Ints, Amounts]:
    """Equal cells added up, ascending."""
    distinct, where = np.unique(cells, return_inverse=True)
    totals = []
    for amount in amounts:
        total = np.zeros(len(distinct), dtype=amount.dtype)
        np.add.at(total, where, amount)
        totals.append(total)
    return distinct, totals


def _unfolded(row: Ints, col: Ints, amounts: Amounts, filled: Filled) -> tuple[Ints, Ints, Amounts]:
    """Rows without a prediction out of the other class again, into a column of their own."""
    truth = np.array([0, 1])
    cells = np.concatenate([row * 3 + col, truth * 3 + 1 - truth, truth * 3 + 2])
    moved = np.array(filled).T
    changes = [np.concatenate([a, -m.astype(a.dtype), m.astype(a.dtype)]) for a, m in zip(amounts, moved, strict=False)]
    cells, amounts = _merged(cells, changes)
    occupied = amounts[0] > 0
    return cells[occupied] // 3, cells[occupied] % 3, [a[occupied] for a in amounts]


def _folded(cells: Ints, amounts: Amounts) -> tuple[Ints, Amounts, Filled | None]:
    """Of two classes, rows without a prediction count as the other one; what was moved is kept in mind."""
    row, col = cells // 3, cells % 3
    absent = col == 2
    if not absent.any():
        return cells, amounts, None
    counts, sums, squares = amounts if len(amounts) == 3 else amounts * 3

    def moved(i: int) -> tuple[float, float, float]:
        in_class = absent & (row == i)
        return float(counts[in_class].sum()), float(sums[in_class].sum()), float(squares[in_class].sum())

    filled = (moved(0), moved(1))
    return *_merged(row * 3 + np.where(absent, 1 - row, col), amounts), filled


def collapsed(table: Confusion, positive: object) -> tuple[Confusion, NDArray[np.int64]]:
    """The table of False (the rest) and True (the class), and for each old cell its place among the new ones.

    A row of the rest without a prediction was rightly kept out of the class, as in `Confusion.binary`.

    >>> collapsed(Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"]), "b")[0].matrix.tolist()
    [[12, 4], [3, 6]]
    """
    index = table.labels.index(find_label(positive, table.labels))
    cell = 2 * (table.row == index) + (table.col == index)
    cells, where = np.unique(cell, return_inverse=True)
    binary_table = Confusion.from_cells(
        labels=(False, True), positive=True, row=cells // 2, col=cells % 2, sources=table.sources, declared=True,
        **amounts_at(where, len(cells), table),
    )  # fmt: skip
    return binary_table, where.astype(np.int64)


def amounts_at(where: NDArray[np.integer[Any]], cells: int, *tables: Any) -> dict[str, Array]:
    """What tables count, added up cell by cell: each cell's place among so many; weights where all have some.

    >>> amounts_at(np.array([0, 2, 2]), 3, Confusion([[5, 1], [2, 0]]))
    {'counts': array([5, 0, 3])}
    """
    found = {}
    for name in ("counts", "weight_sums", "weight_squares"):
        parts: list[Array] = [x for t in tables if (x := getattr(t, name, None)) is not None]
        if len(parts) == len(tables):
            column = np.concatenate(parts, axis=-1)
            found[name] = sum_columns(column.astype(np.float64), where, cells).astype(column.dtype)
    return found
