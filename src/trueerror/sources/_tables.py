"""Tables whose columns have roles (`InputTable`, `Layout`)."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from trueerror.inputs._arrays import Column, WeightsKind, column, missing_rows, plain_cells, same_length
from trueerror.inputs._cells import PLAIN_NUMBER
from trueerror.inputs._labels import DATES, Label, code_column, respelt_label
from trueerror.inputs._options import ColumnError, nearest
from trueerror.sources._predictions import ColumnRoles, KeyKind, Source, Threshold
from trueerror.tallies import Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLayout:
    """The columns of one model: labels, one score, or one score for each class."""

    label: str | None = None
    score: str | None = None
    class_scores: Mapping[Label, str] | None = None

    def labels(self) -> tuple[str, ...]:
        """The column of labels, where there is one."""
        return () if self.label is None else (self.label,)

    def columns(self) -> tuple[str, ...]:
        """All columns of the model."""
        one = tuple(c for c in (self.label, self.score) if c is not None)
        return one if self.class_scores is None else (*one, *self.class_scores.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All roles. In a long table `model` names the column that says whose answer a row is."""

    truth: str
    models: Mapping[str, ModelLayout]
    id: str | None = None
    keys: Mapping[KeyKind, str] = field(default_factory=dict)
    weight: str | None = None
    model: str | None = None
    roles: Mapping[str, ColumnRoles] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # All labels, where positive= declares one that the truth never shows.
    declared: tuple[Label, ...] | None = None

    def select(self, names: tuple[str, ...]) -> Layout:
        """The same with some of the models."""
        return replace(self, models={name: self.models[name] for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What counting depends on beside the columns."""

    labels: tuple[Label, ...] | None = None
    positive: object = None
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"
    threshold: Threshold = None
    budget: int | None = None


Kind = Literal["boolean", "integer", "number", "text", "date", "other"]


class InputTable(Protocol):
    """Columns that can be asked about without being pulled."""

    @property
    def name(self) -> str:
        """How to call the table in a message."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def n(self) -> int:
        """How many rows there are."""

    @property
    def provenance(self) -> str:
        """Where the rows are from, as tallies note it; "" for rows in memory."""

    @property
    def backend(self) -> str | None:
        """The data frame library that the table is from."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about the files."""

    def kind(self, name: str) -> Kind:
        """What a column holds."""

    def filled(self, name: str) -> int:
        """In how many rows the column is not missing."""

    def few(self, name: str, most: int) -> tuple[object, ...] | None:
        """The distinct values, missing left out, when there are at most `most`; None when there are more."""

    def first(self, name: str, most: int) -> Column:
        """The first values of a column."""

    def distinct(self, name: str) -> int:
        """How many distinct values there are, missing left out."""

    def is_whole(self, name: str) -> bool:
        """Whether a column of numbers holds whole numbers only."""

    def sum_to_one(self, names: Sequence[str]) -> bool:
        """Whether these columns add up to 1 in every row."""

    def values(self, name: str) -> Column:
        """The column itself, None or NaN where missing."""

    def as_written(self, labels: Sequence[str], keys: Sequence[str] = ()) -> None:
        """Labels, which are compared with each other, and keys: where a file writes numbers as text, only those are
        numbers that are written as printed."""

    def counted(self, layout: Layout, options: Options) -> Source | None:
        """The rows as a source that counts where they are; None where they must come to memory."""


# Rows that mostly show what a column holds.
FIRST = 1 << 12


class ColumnsTable:
    """A table in memory: named NumPy columns."""

    notes: tuple[str, ...] = ()
    # What pandas keeps beside the columns.
    index_names: tuple[object, ...] = ()

    def __init__(
        self,
        columns: Mapping[str, object],
        *,
        name: str = "the table",
        backend: str | None = None,
        provenance: str = "",
        kinds: Mapping[str, Kind] | None = None,
    ) -> None:
        """`kinds` are what an engine knows of the columns, where values do not show it."""
        arrays = {str(key): column(values, f"column {str(key)!r}") for key, values in columns.items()}
        self.n = same_length({f"column {key!r}": array for key, array in arrays.items()})
        self.name = name
        self.provenance = provenance
        self.backend = backend
        self.columns = tuple(arrays)
        self._columns = {key: _plain(plain_cells(array)) for key, array in arrays.items()}
        if kinds is not None:
            self._columns = {key: (values, kinds[key]) for key, (values, _) in self._columns.items()}
        self._filled: dict[str, int] = {}
        self._among_first: dict[str, int] = {}
        self._distinct: dict[str, tuple[object, ...]] = {}

    def values(self, name: str) -> Column:
        return self._columns[name][0]

    def kind(self, name: str) -> Kind:
        return self._columns[name][1]

    def filled(self, name: str) -> int:
        if name not in self._filled:
            self._filled[name] = self.n - int(missing_rows(self.values(name)).sum())
        return self._filled[name]

    def few(self, name: str, most: int) -> tuple[object, ...] | None:
        if name not in self._distinct:
            array = self.values(name)
            if array.dtype.kind == "O":
                distinct: dict[Any, None] = {}
                for value in array[~missing_rows(array)]:
                    distinct[value] = None
                    if len(distinct) > most:
                        return None
                self._distinct[name] = tuple(distinct)
            else:
                # Seen on the first rows already, without sorting them all.
                if len(array) > 1 << 14 and self._seen(name) > most + 1:
                    return None
                # Whole numbers close to each other are not sorted.
                whole = array.dtype.kind in "iub"
                kept = code_column(array, name).values if whole else np.unique(array[~missing_rows(array)]).tolist()
                if len(kept) > max(most, FIRST):
                    return None
                self._distinct[name] = tuple(kept)
        return self._distinct[name] if len(self._distinct[name]) <= most else None

    def _seen(self, name: str) -> int:
        """How many distinct values the first rows hold."""
        if name not in self._among_first:
            self._among_first[name] = len(np.unique(self.first(name, FIRST)))
        return self._among_first[name]

    def first(self, name: str, most: int) -> Column:
        return self.values(name)[:most]

    def distinct(self, name: str) -> int:
        array = self.values(name)
        array = array[~missing_rows(array)]
        return len(set(array)) if array.dtype.kind == "O" else len(np.unique(array))

    def is_whole(self, name: str) -> bool:
        if self.kind(name) in ("boolean", "integer"):
            return True
        array = self.values(name)
        # A fraction among the first rows is enough to know.
        return self.kind(name) == "number" and _all_whole(array[:FIRST]) and _all_whole(array)

    def counted(self, layout: Layout, options: Options) -> None:
        return None

    def as_written(self, labels: Sequence[str], keys: Sequence[str] = ()) -> None:
        """Cells in memory have types of their own."""

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = np.sum([self.values(name).astype(np.float64) for name in names], axis=0)
        return bool((np.abs(total - 1) <= 1e-3).all())


def _all_whole(numbers: Column) -> bool:
    numbers = numbers[~missing_rows(numbers)]
    return bool((numbers == np.floor(numbers)).all() and np.isfinite(numbers).all())


def remade(table: InputTable, columns: Mapping[str, object]) -> ColumnsTable:
    """The table with other columns."""
    made = ColumnsTable(columns, name=table.name, backend=table.backend, provenance=table.provenance)
    made.notes = table.notes
    return made


def need_column(table: InputTable, name: object, option: str) -> str:
    """A column that the user named, or an error that suggests the nearest."""
    if isinstance(name, str) and name in table.columns:
        return name
    inside = "; it is in the index: pass frame.reset_index()" if name in getattr(table, "index_names", ()) else None
    raise ColumnError(f"{option}={name!r}: {table.name} has no such column{inside or nearest(name, table.columns)}")


def _plain(array: Column) -> tuple[Column, Kind]:
    """A column in its simplest type, and what it holds."""
    simple: dict[str, Kind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "date", "m": "date"}
    if array.dtype.kind in simple:
        return array, simple[array.dtype.kind]
    if array.dtype.kind in "UST":
        return array, "text"
    if array.dtype.kind != "O":
        return array, "other"
    gone = missing_rows(array)
    types = {type(v) for v in array[~gone]}

    def every(*kinds: type) -> bool:
        return bool(types) and all(issubclass(t, kinds) for t in types)

    if every(*DATES):
        return array, "date"
    if every(bool, np.bool_):
        return (array if gone.any() else array.astype(bool)), "boolean"
    # What is beyond all numbers of 64 bits is no number that can be worked with: the check of labels words it.
    with contextlib.suppress(OverflowError):
        if every(int, np.integer) and bool not in types:
            return (array if gone.any() else array.astype(np.int64)), "integer"
        if every(numbers.Real, np.bool_):
            floats = np.full(len(array), np.nan)
            floats[~gone] = array[~gone].astype(np.float64)
            return floats, "number"
    # Text beside numbers is a mistake that the check of labels words best.
    words: Kind = "text" if any(issubclass(t, str) for t in types) else "other"
    return array, "integer" if every(int, np.integer) else words


LOOKED_AT = 1000
MOSTLY = 0.8


def spoilt_scores(table: InputTable, column: str) -> str:
    """What is wrong with a column of text that is mostly fractions; "" where it is not.

    House numbers and codes are whole, so they are left in peace.
    """
    seen = table.first(column, LOOKED_AT)
    numbers = [x for x in map(_number, seen[~missing_rows(seen)]) if x is not None]
    # One cell among a handful is one cell still.
    if len(numbers) < max(2, min(MOSTLY * len(seen), len(seen) - 1)) or all(
        x == int(x) for x in numbers if math.isfinite(x)
    ):
        return ""
    values = table.values(column)
    odd = [i for i, gone in enumerate(missing_rows(values)) if not gone and _number(values[i]) is None]
    if not odd:
        return ""
    more = f", and {len(odd) - 1:,} more such" if len(odd) > 1 else ""
    return (
        f"column {column!r} of {table.name} holds numbers, but {str(values[odd[0]])!r:.40} in row {odd[0] + 1:,}{more}"
        "; mend it, or leave the cell empty"
    )


def respelt_labels(table: InputTable, column: str, labels: Iterable[Label]) -> str:
    """What is wrong with labels that are the truth's but for case and spaces; "" where they are not."""
    given = list(labels)
    found = respelt_label([v for v in table.few(column, 2 * len(given)) or () if isinstance(v, str)], given)
    if found is None:
        return ""
    return (
        f"column {column!r} of {table.name} says {found[0]!r:.40} where the truth says {found[1]!r:.40}; "
        "spell labels alike"
    )


def odd_labels(table: InputTable, column: str, labels: Iterable[Label]) -> str:
    """What is wrong with a column that mostly holds the truth's labels; "" where it does not.

    A cell such as "-" or "null" turns given into text; a class that no row shows is no label until it is declared.
    """
    given = set(labels)
    known = given | {str(label) for label in given}
    seen = table.first(column, LOOKED_AT)
    filled = seen[~missing_rows(seen)]
    if sum(value in given or str(value) in known for value in filled) < max(1, len(filled) / 2):
        return ""
    values = table.values(column)
    odd = [
        i
        for i, gone in enumerate(missing_rows(values))
        if not gone and values[i] not in given and str(values[i]) not in known
    ]
    if not odd:
        return ""
    more = f", and {len(odd) - 1:,} more such" if len(odd) > 1 else ""
    return (
        f"column {column!r} of {table.name} holds labels, but {str(values[odd[0]])!r:.40} in row {odd[0] + 1:,}{more}, "
        "which the truth never is; leave the cell empty if it is missing, or list all classes with labels="
    )


def _number(value: object) -> float | None:
    """A number, also as text; not what Python alone takes for one ("nan", "00", digits of other scripts)."""
    if isinstance(value, str) and not PLAIN_NUMBER.fullmatch(value):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return None if isinstance(value, str) and math.isinf(number) else number
