"""A table before it is read as predictions: named columns, and what must be known of them to tell their roles."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np

from trueerror.inputs.arrays import Column, column, missing_rows, same_length
from trueerror.inputs.errors import ColumnError, nearest
from trueerror.rows.layout import Layout, Options
from trueerror.rows.source import Source

Kind = Literal["boolean", "integer", "number", "text", "date", "other"]


class Table(Protocol):
    """Columns that can be asked about without being pulled."""

    @property
    def name(self) -> str:
        """How to call the table in a message."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        ...

    @property
    def n(self) -> int:
        """How many rows there are."""
        ...

    @property
    def provenance(self) -> str:
        """Where the rows are from, as tallies note it; "" for rows in memory."""
        ...

    @property
    def backend(self) -> str | None:
        """The data frame library that the table is from."""
        ...

    def kind(self, name: str) -> Kind:
        """What a column holds."""
        ...

    def filled(self, name: str) -> int:
        """In how many rows the column is not missing."""
        ...

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        """The distinct values, missing left out, when there are at most `most`; None when there are more."""
        ...

    def first(self, name: str, most: int) -> Column:
        """The first values of a column."""
        ...

    def distinct(self, name: str) -> int:
        """How many distinct values there are, missing left out."""
        ...

    def is_whole(self, name: str) -> bool:
        """Whether a column of numbers holds whole numbers only."""
        ...

    def sum_to_one(self, names: Sequence[str]) -> bool:
        """Whether these columns add up to 1 in every row."""
        ...

    def values(self, name: str) -> Column:
        """The column itself, None or NaN where missing."""
        ...

    def counted(self, layout: Layout, options: Options) -> Source | None:
        """The rows as a source that counts where they are; None where they must come to memory."""
        ...


class ColumnsTable:
    """A table in memory: named NumPy columns."""

    def __init__(
        self,
        columns: Mapping[str, Any],
        *,
        name: str = "the table",
        backend: str | None = None,
        provenance: str = "",
    ) -> None:
        arrays = {str(key): column(values, f"column {str(key)!r}") for key, values in columns.items()}
        self.n = same_length({f"column {key!r}": array for key, array in arrays.items()})
        self.name = name
        self.provenance = provenance
        self.backend = backend
        self.columns = tuple(arrays)
        self._columns = {key: _plain(array) for key, array in arrays.items()}
        self._filled: dict[str, int] = {}

    def values(self, name: str) -> Column:
        return self._columns[name][0]

    def kind(self, name: str) -> Kind:
        return self._columns[name][1]

    def filled(self, name: str) -> int:
        if name not in self._filled:
            self._filled[name] = self.n - int(missing_rows(self.values(name)).sum())
        return self._filled[name]

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        array = self.values(name)
        if array.dtype.kind == "O":
            found: dict[Any, None] = {}
            for value in array[~missing_rows(array)]:
                found[value] = None
                if len(found) > most:
                    return None
            return tuple(found)
        if len(array) > 1 << 14 and len(np.unique(array[: 1 << 13])) > most + 1:
            return None  # seen on the first rows already, without sorting them all
        kept = np.unique(array[~missing_rows(array)])
        return tuple(kept.tolist()) if len(kept) <= most else None

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
        array = array[~missing_rows(array)]
        return self.kind(name) == "number" and bool((array == np.floor(array)).all() and np.isfinite(array).all())

    def counted(self, layout: Layout, options: Options) -> None:
        return None

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = np.sum([self.values(name).astype(np.float64) for name in names], axis=0)
        return bool((np.abs(total - 1) <= 1e-3).all())


def need_column(table: Table, name: Any, option: str) -> str:
    """A column that the user named, or an error that suggests the nearest."""
    if isinstance(name, str) and name in table.columns:
        return name
    raise ColumnError(f"{option}={name!r}: {table.name} has no such column{nearest(name, table.columns)}")


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
    if types and all(issubclass(t, str) for t in types):
        return array, "text"
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return (array if gone.any() else array.astype(bool)), "boolean"
    if types and all(issubclass(t, int | np.integer) and not issubclass(t, bool) for t in types):
        return (array if gone.any() else _whole_numbers(array)), "integer"
    if types and all(issubclass(t, numbers.Number | np.bool_) or t.__name__ == "Decimal" for t in types):
        floats = np.full(len(array), np.nan)
        floats[~gone] = array[~gone].astype(np.float64)
        return floats, "number"
    if types and all(issubclass(t, datetime.date | datetime.time | datetime.timedelta | np.datetime64) for t in types):
        return array, "date"
    # Text beside numbers is a mistake that the check of labels words best.
    return array, "text" if any(issubclass(t, str) for t in types) else "other"


def _whole_numbers(array: Column) -> Column:
    try:
        return array.astype(np.int64)
    except OverflowError:
        return array
