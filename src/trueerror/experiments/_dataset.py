"""te.Dataset: the rows that learners are fitted to and tested on, from arrays, frames or files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._learners import by_name
from trueerror.inputs._arrays import check_indexes, column, matrix, missing_rows, same_length
from trueerror.inputs._labels import Label, code_column, find_label, natural_positive
from trueerror.inputs._options import InputError
from trueerror.resampling._plan import Ints, Plan, Rows, take
from trueerror.results._format import listing, one_line
from trueerror.sources._open_tables import file_table
from trueerror.sources._tables import InputTable, need_column

# An array, a sparse matrix or a data frame.
Features: TypeAlias = Any


class Dataset:
    """Rows for learners: features `X` (array, sparse matrix or data frame), classes `y`, and what is known of rows.

    `positive` names the positive class where a metric needs one; rows of one of the `clusters` stay together in every
    split; `weights` are handed to learners that take `sample_weight`; `ids` name rows. `time` says when each row was
    seen (a date, a number, a period such as "2024-03"): rows are put into that order, for `te.TimeOrdered`, and rows of
    one period are a cluster of the predictions, since they depend on each other.

    >>> data = Dataset([[0.1], [0.7], [0.4]], ["no", "yes", "no"], positive="yes")
    >>> data
    Dataset(3 rows, 1 feature, 2 classes: no, yes)
    """

    def __init__(
        self,
        X: Features,
        y: Any,
        *,
        positive: Label | None = None,
        clusters: Any = None,
        weights: Any = None,
        ids: Any = None,
        time: Any = None,
    ) -> None:
        if isinstance(y, Plan) or hasattr(y, "get_n_splits"):
            raise InputError(f"{type(y).__name__} is a plan, not the classes of the rows: it goes in plan=")
        check_indexes({"X": X, "y": y})
        # When each row was seen, or its period; rows are put into that order.
        self.time = None if time is None else column(time, "time")
        if self.time is not None:
            X, y, clusters, weights, ids = self._in_order(X, y, clusters, weights, ids)
        self.X = X if hasattr(X, "shape") else matrix(X, "X")
        if len(getattr(self.X, "shape", ())) < 2:
            raise InputError("X must have a row for each example and a column for each feature: two dimensions")
        self.y = column(y, "y")
        lengths: dict[str, Any] = {"X": range(self.X.shape[0]), "y": self.y}
        coded = code_column(self.y, "y")
        if (coded.codes < 0).any():
            row = int(np.argmax(coded.codes < 0)) + 1
            raise InputError(f"y is missing at row {row:,}; a row without a class cannot be learned from: leave it out")
        if len(coded.values) < 2:
            raise InputError(f"y has {len(coded.values)} class; learning to classify takes at least 2")
        self.labels: tuple[Label, ...] = coded.values
        self.codes: Ints = coded.codes.astype(np.intp)
        self.positive = natural_positive(self.labels) if positive is None else find_label(positive, self.labels)
        self.clusters = None if clusters is None else column(clusters, "clusters")
        self.cluster_codes: Ints | None = None
        if self.clusters is not None:
            lengths["clusters"] = self.clusters
            self.cluster_codes = np.unique(self.clusters.astype(str), return_inverse=True)[1].astype(np.intp)
        self.weights = None if weights is None else _weights(weights)
        self.ids = None if ids is None else column(ids, "ids")
        lengths |= {} if self.weights is None else {"weights": self.weights}
        lengths |= {} if self.ids is None else {"ids": self.ids}
        lengths |= {} if self.time is None else {"time": self.time}
        self.n = same_length(lengths)
        self._fingerprint = ""
        # What the columns are called, where X does not know: an indicator has the name of the column that it is of.
        self.names: tuple[str, ...] = ()
        # What there is to say about the file that it was read from.
        self.notes: tuple[str, ...] = ()

    def _in_order(self, X: Any, y: Any, *others: Any) -> tuple[Any, ...]:
        """Everything in the order of time; rows of one period keep their order, and rows without ids their numbers."""
        assert self.time is not None
        same_length({"time": self.time, "y": column(y, "y")})
        order = np.argsort(self.time, kind="stable")
        self.time = self.time[order]
        *rest, ids = others
        ids = np.arange(len(order)) if ids is None else ids
        table = X if hasattr(X, "shape") else np.asarray(X)
        moved = [None if values is None else column(values, "rows")[order] for values in (*rest, ids)]
        return (take(table, order), column(y, "y")[order], *moved)

    @property
    def periods(self) -> Any:
        """What rows depend on each other by: their clusters, else periods of time that several rows share."""
        if self.clusters is not None or self.time is None:
            return self.clusters
        return self.time.astype(str) if 1 < len(np.unique(self.time.astype(str))) < self.n else None

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, target: str, **columns: Any) -> Dataset:
        """A data set from a file (CSV, Parquet, JSON Lines; SQLite, DuckDB, Excel); `target` is the column of classes.

        Features are all other columns, or those named by `features=[...]`; `drop=[...]` leaves some out. `cluster`,
        `weight` and `id` name columns too, `table` a table of a SQLite or DuckDB file, or a sheet of a workbook.
        Numbers are taken as they are, a text column becomes a 0/1 column for each of its values.
        """

        return read_dataset(path, target=target, **columns)

    @property
    def rows(self) -> Rows:
        """What a plan may know of the rows."""
        return Rows(codes=self.codes, clusters=self.cluster_codes, X=self.X)

    def features(self, index: Ints) -> Features:
        """The features of some of the rows."""
        return _frame_rows(self.X, index)

    @property
    def fingerprint(self) -> str:
        """A digest of everything that can change a result."""
        if not self._fingerprint:
            digest = hashlib.blake2b(digest_size=16)
            _update(digest, self.X)
            digest.update(repr(self.labels).encode())
            _update(digest, self.codes.astype("<i8"))
            for part in (self.cluster_codes, self.weights):
                digest.update(b"-" if part is None else b"+")
                if part is not None:
                    _update(digest, part)
            self._fingerprint = digest.hexdigest()
        return self._fingerprint

    @property
    def commonest(self) -> tuple[Label, float]:
        """The commonest class and its share of the rows: what always answering it would get right.

        >>> Dataset([[0.1], [0.7], [0.4]], ["no", "yes", "no"]).commonest
        ('no', 0.6666666666666666)
        """
        counts = np.bincount(self.codes, minlength=len(self.labels))
        first = int(counts.argmax())
        return self.labels[first], float(counts[first] / self.n)

    def words(self) -> str:
        """What was read: rows, positives, features, clusters."""
        counts = np.bincount(self.codes, minlength=len(self.labels))
        if self.positive is not None:
            positives, name = int(counts[self.labels.index(self.positive)]), one_line(str(self.positive))
            share = f", {positives:,} positive" if name == "1" else f", {positives:,} {name} (positive)"
        else:
            named = [
                f"{n:,} {label}" if isinstance(label, str) else f"{label}: {n:,}"
                for n, label in zip(counts, self.labels, strict=True)
            ]
            share = f" ({', '.join(named)})" if len(named) <= 4 else f", {len(named):,} classes"
        features = f"{self.X.shape[1]:,} feature{'s' * (self.X.shape[1] != 1)}"
        clusters = "" if self.clusters is None else f", {self.rows.units:,} clusters"
        return f"{self.n:,} rows{share}, {features}{clusters}"

    def __repr__(self) -> str:
        features = f"{self.X.shape[1]} feature{'s' * (self.X.shape[1] != 1)}"
        labels = ", ".join(map(str, self.labels[:6])) + (", …" if len(self.labels) > 6 else "")
        return f"Dataset({self.n:,} rows, {features}, {len(self.labels)} classes: {labels})"


def as_datasets(data: Any) -> dict[str, Dataset]:
    """One data set or several by name; (X, y) is short for one."""
    if isinstance(data, Mapping):
        if not data:
            raise InputError('data is an empty mapping; pass {"name": data set}')
        return {name: as_dataset(value, f"data[{name!r}]") for name, value in by_name(data, "data").items()}
    return {"data": as_dataset(data, "data")}


def as_dataset(value: Any, place: str) -> Dataset:
    """A data set as given."""
    if isinstance(value, Dataset):
        return value
    if isinstance(value, tuple) and len(value) == 2:
        return Dataset(*value)
    hint = '; te.Dataset.read(path, target="column") reads a file' if isinstance(value, str | os.PathLike) else ""
    raise InputError(f"{place} must be a te.Dataset or a pair (X, y), not {type(value).__name__}{hint}")


def _frame_rows(X: Features, index: Ints) -> Features:
    if type(X).__module__.split(".")[0] == "pyarrow":
        return X.take(index)
    return take(X, index)


def _weights(values: Any) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = column(values, "weights").astype(np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"weights has {weights[row]} at row {row + 1:,}; weights are finite and not negative")
    return weights


def _update(digest: hashlib.blake2b, values: Any) -> None:
    """The content of an array, a sparse matrix or a frame, with its shape and types."""
    if isinstance(values, np.ndarray):
        digest.update(f"{values.dtype.str}{values.shape}".encode())
        if values.dtype.kind == "O":
            for item in values.reshape(-1):
                digest.update(f"{type(item).__name__}:{item!r};".encode("utf-8", "replace"))
        else:
            digest.update(np.ascontiguousarray(values).data.cast("B") if values.size else b"")
    elif hasattr(values, "tocsr"):
        sparse = values.tocsr(copy=True)
        sparse.sum_duplicates()
        for part in (sparse.data, sparse.indices.astype("<i8"), sparse.indptr.astype("<i8")):
            _update(digest, np.asarray(part))
        digest.update(str(values.shape).encode())
    elif hasattr(values, "columns") or hasattr(values, "column_names"):
        for name in list(getattr(values, "column_names", None) or values.columns):
            digest.update(f"{name!r}".encode("utf-8", "replace"))
            _update(digest, column(values[name], f"column {name!r}"))
    else:
        _update(digest, np.asarray(values))


# A text column with more values than this is a name or a note, not a feature.
MOST_VALUES = 50


def read_dataset(
    path: str | os.PathLike[str],
    *,
    target: str,
    positive: Label | None = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    cluster: str | None = None,
    weight: str | None = None,
    id: str | None = None,
    table: str | None = None,
) -> Dataset:
    """A data set from a file; `table` is one of those in a database or a workbook.

    `target` is the column of classes; `features` all other columns unless they are named. Numbers and booleans are
    taken as they are (NaN where missing: use a learner that takes it, or an imputer), a text column becomes a 0/1
    column for each of its values, in alphabetical order.
    """
    rows = file_table(os.fspath(path), table)
    target = need_column(rows, target, "target")
    special = {
        option: need_column(rows, column, option)
        for option, column in (("cluster", cluster), ("weight", weight), ("id", id))
        if column is not None
    }
    left_out = {target, *special.values(), *(need_column(rows, column, "drop") for column in drop)}
    if features is None:
        chosen = [column for column in rows.columns if column not in left_out]
    else:
        chosen = [need_column(rows, column, "features") for column in features]
        if target in chosen:
            raise InputError(f"features= names {target!r}, the column of classes, which learners must not see")
    if not chosen:
        raise InputError(f"{rows.name} has no features beside {target!r}")
    parts = {column: _numbers(rows, column) for column in chosen}
    unfit = [f"{column!r} ({reason})" for column, reason in parts.items() if isinstance(reason, str)]
    if unfit:
        raise InputError(
            f"of the columns of {rows.name} {listing(unfit)} cannot be features: name them under drop, cluster or "
            "id, or turn them into numbers first"
        )
    rows.as_written((), [target, *(column for option, column in special.items() if option != "weight")])
    X = np.column_stack([part for feature_columns in parts.values() for part in feature_columns])
    y = rows.values(target)
    if isinstance(positive, str):
        values = Dataset(np.zeros((len(y), 1)), y).labels
        positive = find_label(positive, values)
    dataset = Dataset(
        X,
        y,
        positive=positive,
        clusters=rows.values(special["cluster"]) if "cluster" in special else None,
        weights=rows.values(special["weight"]) if "weight" in special else None,
        ids=rows.values(special["id"]) if "id" in special else None,
    )
    dataset.names = tuple(column for column, feature_columns in parts.items() for _ in feature_columns)
    dataset.notes = rows.notes
    return dataset


def _numbers(table: InputTable, column: str) -> list[Any] | str:
    """The feature columns that a column of the file becomes, or why it becomes none."""
    kind = table.kind(column)
    values = table.values(column)
    if kind in ("boolean", "integer", "number"):
        gone = missing_rows(values)
        if not gone.any():
            return [values.astype(np.float64)]
        filled = np.full(len(values), np.nan)
        filled[~gone] = values[~gone].astype(np.float64)
        return [filled]
    if kind != "text":
        return f"{kind}s"
    texts = np.array(["" if v is None else str(v) for v in values])
    names = np.unique(texts)
    if len(names) > MOST_VALUES:
        return f"text with {len(names):,} different values"
    return [(texts == name).astype(np.float64) for name in names]
