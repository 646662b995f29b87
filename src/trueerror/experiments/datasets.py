"""te.Dataset: the rows that learners are fitted to and tested on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.experiments.learners import by_name
from trueerror.inputs.arrays import check_indexes, column, same_length
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, code_column, find_label, natural_positive
from trueerror.resampling.dealing import Ints, Rows, take


class Dataset:
    """Rows for learners: features `X` (array, sparse matrix or data frame), classes `y`, and what is known of rows.

    `positive` names the positive class where a metric needs one; rows of one of the `clusters` stay together in every
    split; `weights` are handed to learners that take `sample_weight`; `ids` name rows.

    >>> data = Dataset([[0.1], [0.7], [0.4]], ["no", "yes", "no"], positive="yes")
    >>> data
    Dataset(3 rows, 1 feature, 2 classes: no, yes)
    """

    def __init__(
        self, X: Any, y: Any, *, positive: Any = None, clusters: Any = None, weights: Any = None, ids: Any = None
    ) -> None:
        check_indexes({"X": X, "y": y})
        self.X = X if hasattr(X, "shape") else np.asarray(X)
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
        self.n = same_length(lengths)
        self._fingerprint = ""
        # What the columns are called, where X does not know: an indicator has the name of the column that it is of.
        self.names: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, target: str, **columns: Any) -> Dataset:
        """A data set from a CSV, Parquet or JSON Lines file; `target` is the column of classes.

        Features are all other columns, or those named by `features=[...]`; `drop=[...]` leaves some out. `cluster`,
        `weight` and `id` name columns too. Numbers are taken as they are, a text column becomes a 0/1 column for each
        of its values.
        """
        from trueerror.experiments.tables import read_dataset

        return read_dataset(path, target=target, **columns)

    @property
    def rows(self) -> Rows:
        """What a plan may know of the rows."""
        return Rows(codes=self.codes, clusters=self.cluster_codes, X=self.X)

    def features(self, index: Ints) -> Any:
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
            share = f"{counts[self.labels.index(self.positive)]:,} positive = {self.positive}"
        else:
            named = [
                f"{n:,} {label}" if isinstance(label, str) else f"{label}: {n:,}"
                for n, label in zip(counts, self.labels, strict=True)
            ]
            share = ", ".join(named) if len(named) <= 4 else f"{len(named):,} classes"
        features = f"{self.X.shape[1]:,} feature{'s' * (self.X.shape[1] != 1)}"
        clusters = "" if self.clusters is None else f", {self.rows.units:,} clusters"
        return f"{self.n:,} rows ({share}), {features}{clusters}"

    def __repr__(self) -> str:
        features = f"{self.X.shape[1]} feature{'s' * (self.X.shape[1] != 1)}"
        shown = ", ".join(map(str, self.labels[:6])) + (", …" if len(self.labels) > 6 else "")
        return f"Dataset({self.n:,} rows, {features}, {len(self.labels)} classes: {shown})"


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


def _frame_rows(X: Any, index: Ints) -> Any:
    if type(X).__module__.split(".")[0] == "pyarrow":
        return X.take(index)
    return take(X, index)


def _weights(values: Any) -> Any:
    weights = column(values, "weights").astype(np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"weights has {weights[row]} at row {row + 1:,}; weights are finite and not negative")
    return weights


def _update(digest: Any, values: Any) -> None:
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
