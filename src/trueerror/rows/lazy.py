"""Lazy tables (DuckDB relations, polars LazyFrames, PySpark DataFrames, Ibis tables) through narwhals.

Columns go by position (c0, c1, …) and in few types: booleans, whole numbers, doubles without NaN and −0.0, text. So
every engine counts the same things, and no name has to be quoted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw

from trueerror.inputs.arrays import Column
from trueerror.inputs.errors import InputError
from trueerror.inputs.settings import current
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.engines import answer, is_spark, spark_by_position
from trueerror.rows.layout import Layout, Options
from trueerror.rows.room import need_room
from trueerror.rows.source import Source
from trueerror.rows.tables import ColumnsTable, Kind

# Distinct values are looked for among so many rows first: a column of scores shows itself there.
FIRST_ROWS = 4096
# Tables of at most so many columns have the range of each looked up when their rows are counted: one look fewer later.
RANGED = 64


ENDS: tuple[tuple[str, Callable[[nw.Expr], nw.Expr]], ...] = (("low", nw.Expr.min), ("high", nw.Expr.max))


class LazyTable:
    """A table that stays in its engine; every question is one query, and only answers come out."""

    provenance = ""

    def __init__(
        self, frame: Any, columns: tuple[str, ...], kinds: tuple[Kind, ...], *, name: str, backend: str | None
    ) -> None:
        self.frame = frame
        self.columns = columns
        self.name = name
        self.backend = backend
        self._kinds = dict(zip(columns, kinds, strict=True))
        self._places = {column: f"c{i}" for i, column in enumerate(columns)}
        self._rows: ColumnsTable | None = None
        self._seen: dict[str, Column] | None = None
        self._sample: tuple[tuple[str, int], list[Any]] | None = None
        self._tallied: dict[str, dict[Any, int]] = {}
        self._held: ColumnsTable | None = None
        # About how many distinct values columns have, as far as samples were looked at.
        self.guessed: dict[str, float] = {}
        numbers = [c for c in columns if self.kind(c) in ("number", "integer")] if len(columns) <= RANGED else []
        ends = [
            end(self.col(c).cast(nw.Float64)).alias(f"{word}{self._places[c]}") for c in numbers for word, end in ENDS
        ]
        counts = self.ask(nw.len().alias("n"), *(nw.col(p).count().alias(p) for p in self._places.values()), *ends)
        self.n = int(counts["n"])
        self._filled = {column: int(counts[place]) for column, place in self._places.items()}
        self._ranges = {c: tuple(_or_nan(counts[f"{word}{self._places[c]}"]) for word, _ in ENDS) for c in numbers}

    def narrowed(self, column: str, value: Any) -> LazyTable:
        """The rows in which a column holds one value."""
        kinds = tuple(self._kinds.values())
        frame = self.frame.filter(self.col(column) == value)
        return LazyTable(frame, self.columns, kinds, name=self.name, backend=self.backend)

    def complete(self, columns: Sequence[str]) -> LazyTable:
        """The rows in which all of these columns hold something."""
        kinds = tuple(self._kinds.values())
        frame = self.frame.filter(*(~self.col(column).is_null() for column in columns))
        return LazyTable(frame, self.columns, kinds, name=self.name, backend=self.backend)

    def col(self, column: str) -> nw.Expr:
        """A column inside queries."""
        return nw.col(self._places[column])

    def place(self, column: str) -> str:
        """A column's name inside queries."""
        return self._places[column]

    def ask(self, *expressions: nw.Expr) -> dict[str, Any]:
        """Aggregates over all rows, one value each."""
        found = answer(self.frame.select(*expressions))
        return {name: column[0].item() if hasattr(column[0], "item") else column[0] for name, column in found.items()}

    def sampled(self, name: str, most: int) -> list[Any]:
        """The values of some rows, whichever the engine has at hand; missing ones are left out."""
        # Whoever asks for a large sample asks twice: how many values there are, then where they lie.
        if self._sample is None or self._sample[0] != (name, most):
            values = [value for value in self.first(name, most).tolist() if value is not None and value == value]
            self._sample = (name, most), values
        return self._sample[1]

    def kind(self, name: str) -> Kind:
        return self._kinds[name]

    def filled(self, name: str) -> int:
        return self._filled[name]

    def range(self, name: str) -> tuple[float, ...] | None:
        """The lowest and the highest number of a column, NaN where it has none; None where nobody has looked."""
        return self._ranges.get(name)

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        if self.n > FIRST_ROWS and most < FIRST_ROWS and len(set(self.sampled(name, FIRST_ROWS))) > most:
            return None
        if name not in self._tallied:
            # Counting takes no longer than looking for what is there, and labels are counted soon after.
            there = self.frame.select(self.col(name)).drop_nulls().group_by(self._places[name])
            found = answer(there.agg(nw.len().alias("rows")).head(most + 1))
            values = found[self._places[name]].tolist()
            if len(values) > most:
                return None
            if len(values) > FIRST_ROWS:
                return tuple(values)
            self._tallied[name] = dict(zip(values, found["rows"].tolist(), strict=True))
        tallied = self._tallied[name]
        return tuple(tallied) if len(tallied) <= most else None

    def tallied(self, name: str) -> dict[Any, int] | None:
        """The rows of each value of a column, where its values were few and have been asked for."""
        return self._tallied.get(name)

    def first(self, name: str, most: int) -> Column:
        place = self._places[name]
        if most > FIRST_ROWS:
            return answer(self.frame.select(self.col(name)).head(most))[place]
        if self._seen is None:
            # All columns at once: a query costs an engine more than its answer.
            self._seen = answer(self.frame.head(FIRST_ROWS))
        return self._seen[place][:most]

    def distinct(self, name: str) -> int:
        values = self.frame.select(self.col(name)).drop_nulls().unique()
        return int(answer(values.select(nw.len().alias("n")))["n"][0])

    def _count(self, condition: nw.Expr) -> int:
        """In how many rows a condition holds; where it is missing it does not."""
        return int(answer(self.frame.filter(condition).select(nw.len().alias("n")))["n"][0])

    def is_whole(self, name: str) -> bool:
        if self.kind(name) != "number":
            return self.kind(name) in ("boolean", "integer")
        value = self.col(name)
        if self.n > FIRST_ROWS and any(v % 1.0 > 0 for v in self.sampled(name, FIRST_ROWS)):
            return False
        # Not by floor, which Ibis turns into a whole number of 64 bits.
        return self._count(~(value.is_finite() & (value % 1.0 == 0.0))) == 0

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = sum((self.col(name).cast(nw.Float64) for name in names[1:]), self.col(names[0]).cast(nw.Float64))
        return self._count((total - 1.0).abs() > 1e-3) == 0

    def absent(self, columns: Sequence[str]) -> int:
        """How many rows lack a value in one of these columns."""
        if all(self.filled(column) == self.n for column in columns):
            return 0
        return self._count(nw.any_horizontal(*(self.col(column).is_null() for column in columns), ignore_nulls=True))

    def all_distinct(self, columns: Sequence[str]) -> bool:
        """Whether no two rows agree in all of these columns."""
        places = [self.col(column) for column in columns]
        found = answer(self.frame.select(*places).unique().select(nw.len().alias("n")))["n"][0]
        return int(found) == self.n and all(self.filled(column) == self.n for column in columns)

    def weights_sound(self, column: str, kind: WeightsKind) -> bool:
        """Whether weights are finite, not negative and not all 0; whole where rows are repeated."""
        weight = self.col(column).cast(nw.Float64)
        sound = weight.is_finite() & (weight >= 0.0)
        if kind == "frequency":
            sound = sound & (weight % 1.0 == 0.0)
        return self._count(~sound) == 0 and self._count(weight > 0.0) > 0

    def counted(self, layout: Layout, options: Options) -> Source | None:
        from trueerror.rows.lazysource import build_lazy_source

        return build_lazy_source(self, layout, options)

    def pulled(
        self, columns: Sequence[str], budget: int, *, all_columns: int = 0, clustered: bool = False
    ) -> ColumnsTable:
        """Some of the columns in memory, by one query: an engine may give rows in another order the next time."""
        if self._held is not None and set(columns) <= set(self._held.columns):
            return self._held
        need_room(
            self.n, len(columns), f"the rows of {self.name}", budget, all_columns=all_columns, clustered=clustered
        )
        found = answer(self.frame.select(*(self.col(column) for column in columns)))
        values = {column: found[self._places[column]] for column in columns}
        return ColumnsTable(values, name=self.name, backend=self.backend)

    def held(self, columns: Sequence[str], budget: int) -> ColumnsTable:
        """The same, kept for whoever asks for these columns next."""
        self._held = self.pulled(columns, budget)
        return self._held

    def values(self, name: str) -> Column:
        if self._rows is None:
            self._rows = self.pulled(self.columns, current().budget_bytes)
        return self._rows.values(name)


def _or_nan(value: Any) -> float:
    return math.nan if value is None else float(value)


def open_lazy(wrapped: Any, native: Any, backend: str | None) -> LazyTable:
    """A lazy frame of narwhals as a table."""
    columns = tuple(str(name) for name in wrapped.columns)
    twice = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if twice is not None:
        raise InputError(f"two columns of the table are called {twice!r}; rename one")
    dtypes = list(wrapped.collect_schema().values())
    if is_spark(native):
        wrapped = nw.from_native(spark_by_position(native, [f"r{i}" for i in range(len(columns))]))
        columns_there: Sequence[str] = [f"r{i}" for i in range(len(columns))]
    else:
        columns_there = columns
    found = [_plain(nw.col(there), dtype) for there, dtype in zip(columns_there, dtypes, strict=True)]
    frame = wrapped.select(*(part.alias(f"c{i}") for i, (part, _) in enumerate(found)))
    table = LazyTable(frame, columns, tuple(kind for _, kind in found), name="the table", backend=backend)
    if table.n == 0:
        raise InputError("the table has no rows")
    return table


def _plain(value: nw.Expr, dtype: Any) -> tuple[nw.Expr, Kind]:
    """A column in one of the few types, and what it holds."""
    if dtype == nw.Boolean:
        return value, "boolean"
    if dtype.is_integer():
        narrow = dtype in (nw.UInt64, nw.UInt128, nw.Int128)
        return (value if narrow else value.cast(nw.Int64)), "integer"
    if dtype.is_numeric():
        number = value.cast(nw.Float64)
        # Adding zero turns −0.0 into 0.0.
        return nw.when(number.is_nan()).then(None).otherwise(number + 0.0), "number"
    if dtype.is_temporal():
        return value.cast(nw.String), "date"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return value.cast(nw.String), "text"
    # Lists, structures and the like only have to be counted as there or not.
    return nw.when(~value.is_null()).then(nw.lit(1)), "other"
