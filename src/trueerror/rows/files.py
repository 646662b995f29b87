"""Rows in files as DuckDB sees them.

Column names come from strangers, so none enters a query: columns are c0, c1, … by position, and values travel as
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np

from trueerror.inputs.arrays import Column
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.engines import unmasked
from trueerror.rows.fileerrors import damaged
from trueerror.rows.layout import Layout, Options
from trueerror.rows.source import Source
from trueerror.rows.sqltext import literal
from trueerror.rows.streams import Batch, batches
from trueerror.rows.tables import Kind

# Distinct values are looked for among so many rows first: a column of scores shows itself there.
FIRST_ROWS = 4096
# In the place of a value: whatever it is, it is there.
ANY = object()


class FileTable:
    """Rows in files, asked by SQL. `where` narrows them to those whose columns hold certain values, or any at all."""

    source = "data"

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection | None,
        name: str,
        columns: tuple[str, ...],
        kinds: tuple[Kind, ...],
        where: tuple[tuple[str, Any], ...] = (),
    ) -> None:
        self.connection = connection
        self.name = name
        self.columns = columns
        self.provenance = name
        self.backend: str | None = None
        # What there is to say about the files.
        self.notes: tuple[str, ...] = ()
        self.where = where
        self._kinds = dict(zip(columns, kinds, strict=True))
        self._places = {column: f"c{i}" for i, column in enumerate(columns)}
        self._filled: dict[str, int] = {}
        self._tallied: dict[str, dict[Any, int]] = {}
        self.n = int(self.ask("SELECT count(*) FROM counted")[0][0])

    def narrowed(self, column: str, value: Any) -> FileTable:
        """The rows in which a column holds one value."""
        return self._where(((column, value),))

    def complete(self, columns: Sequence[str]) -> FileTable:
        """The rows in which all of these columns hold something."""
        return self._where(tuple((column, ANY) for column in columns))

    def _where(self, more: tuple[tuple[str, Any], ...]) -> FileTable:
        kinds = tuple(self._kinds.values())
        return FileTable(self.connection, self.name, self.columns, kinds, (*self.where, *more))

    def _terms(self, *, literals: bool) -> str:
        """What narrows the rows, as the end of a SELECT; values as literals, or as parameters."""
        terms = [
            f"{self.place(column)} IS NOT NULL"
            if value is ANY
            else f"{self.place(column)} = {literal(value) if literals else '?'}"
            for column, value in self.where
        ]
        return f" WHERE {' AND '.join(terms)}" if terms else ""

    def place(self, column: str) -> str:
        """The safe name of a column inside queries."""
        return self._places[column]

    def run(self, query: str, values: Sequence[Any] = ()) -> Any:
        """A query over `counted`, the rows at hand, with its parameters."""
        assert self.connection is not None
        values = [*(value for _, value in self.where if value is not ANY), *values]
        counted = f"(SELECT * FROM {self.source}{self._terms(literals=False)})"
        return self.connection.cursor().execute(f"WITH counted AS {counted} {query}", values)

    def stream(self, query: str, dtypes: Sequence[Any]) -> Iterator[Batch]:
        """The columns of an answer, batch by batch: numbers without gaps."""
        with self._reading():
            yield from batches(self.relation_of(query), dtypes)

    def relation_of(self, query: str) -> Any:
        """An answer that has not been fetched. The query holds its values as literals."""
        assert self.connection is not None
        counted = f"(SELECT * FROM {self.source}{self._terms(literals=True)})"
        return self.connection.cursor().sql(f"WITH counted AS {counted} {query}")

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of an answer as plain values."""
        with self._reading():
            found: list[tuple[Any, ...]] = self.run(query, values).fetchall()
        return found

    def fetch(self, query: str, values: Sequence[Any] = ()) -> list[Column]:
        """The columns of an answer as arrays: None (or NaN, in floats) where missing."""
        with self._reading():
            found = self.run(query, values).fetchnumpy()
        return [unmasked(array) for array in found.values()]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A damaged part of a file may show itself only when a query comes to it."""
        try:
            yield
        except duckdb.Error as error:
            raise damaged(self.name, error) from None

    def kind(self, name: str) -> Kind:
        return self._kinds[name]

    def filled(self, name: str) -> int:
        if not self._filled:
            counts = [f"count({place})" for place in self._places.values()]
            self._filled = dict(zip(self.columns, self.ask(f"SELECT {', '.join(counts)} FROM counted")[0], strict=True))
        return self._filled[name]

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        """An answer about the columns as the file holds them: NaN is not missing there, and text is not read."""
        return self.ask(f"{select} FROM raw AS r({', '.join(self._places.values())})")[0]

    def column_range(self, name: str) -> tuple[float, float]:
        """The lowest and the highest value of a column; NaN where it is empty."""
        both = f"SELECT min({self.place(name)}::DOUBLE), max({self.place(name)}::DOUBLE)"
        whole = not self.where and self.kind(name) == "number" and self.filled(name) == self.n
        # Without gaps the file's own statistics hold, so that no row has to be looked at.
        low, high = self.ask_raw(both) if whole else self.ask(f"{both} FROM counted")[0]
        return (math.nan, math.nan) if low is None else (float(low) + 0.0, float(high) + 0.0)

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        place = self.place(name)
        if name not in self._tallied:
            if self.n > FIRST_ROWS and most < FIRST_ROWS:
                seen = self.ask(f"SELECT count(DISTINCT {place}) FROM (SELECT {place} FROM counted LIMIT {FIRST_ROWS})")
                if seen[0][0] > most:
                    return None
            # Counting takes no longer than looking for what is there, and labels are counted soon after.
            query = f"SELECT {place}, count(*) FROM counted WHERE {place} IS NOT NULL GROUP BY 1 LIMIT ?"
            found = dict(self.ask(query, [most + 1]))
            if len(found) > most:
                return None
            if len(found) > FIRST_ROWS:
                return tuple(found)
            self._tallied[name] = found
        tallied = self._tallied[name]
        return tuple(tallied) if len(tallied) <= most else None

    def tallied(self, name: str) -> dict[Any, int] | None:
        """The rows of each value of a column, where its values were few and have been asked for."""
        return self._tallied.get(name)

    def first(self, name: str, most: int) -> Column:
        return self.fetch(f"SELECT {self.place(name)} FROM counted LIMIT ?", [most])[0]

    def distinct(self, name: str) -> int:
        return int(self.ask(f"SELECT count(DISTINCT {self.place(name)}) FROM counted")[0][0])

    def is_whole(self, name: str) -> bool:
        if self.kind(name) in ("boolean", "integer"):
            return True
        if self.kind(name) != "number":
            return False
        place = self.place(name)
        whole = f"SELECT bool_and(isfinite({place}) AND {place} = floor({place})) FROM"
        # A fraction among the first rows is enough to know.
        for rows in (f"(SELECT {place} FROM counted LIMIT {FIRST_ROWS})", "counted"):
            if self.ask(f"{whole} {rows}")[0][0] is False:
                return False
        return True

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = " + ".join(f"{self.place(name)}::DOUBLE" for name in names)
        return self.ask(f"SELECT bool_and(abs({total} - 1) <= 1e-3) FROM counted")[0][0] is True

    def absent(self, columns: Sequence[str]) -> int:
        """How many rows lack a value in one of these columns."""
        if all(self.filled(column) == self.n for column in columns):
            return 0
        gone = " OR ".join(f"{self.place(column)} IS NULL" for column in columns)
        return int(self.ask(f"SELECT count(*) FROM counted WHERE {gone}")[0][0])

    def all_distinct(self, columns: Sequence[str]) -> bool:
        """Whether no two rows agree in all of these columns."""
        if any(self.filled(column) < self.n for column in columns):
            return False
        if len(columns) == 1 and self.kind(columns[0]) == "integer":
            # Sorting whole numbers is far quicker than grouping so many.
            values = self.values(columns[0])
            ascending = bool((values[1:] > values[:-1]).all())
            values = values if ascending else np.sort(values)
            return ascending or bool((values[1:] > values[:-1]).all())
        places = ", ".join(self.place(column) for column in columns)
        return int(self.ask(f"SELECT count(*) FROM (SELECT DISTINCT {places} FROM counted)")[0][0]) == self.n

    def weights_sound(self, column: str, kind: WeightsKind) -> bool:
        """Whether weights are finite, not negative and not all 0; whole where rows are repeated."""
        weight = f"{self.place(column)}::DOUBLE"
        whole = f"AND {weight} = floor({weight})" if kind == "frequency" else ""
        sound, most = self.ask(
            f"SELECT bool_and(isfinite({weight}) AND {weight} >= 0 {whole}), max({weight}) FROM counted"
        )[0]
        return bool(sound) and most > 0

    def counted(self, layout: Layout, options: Options) -> Source | None:
        from trueerror.rows.filesource import build_file_source

        return build_file_source(self, layout, options)

    def values(self, name: str) -> Column:
        return self.fetch(f"SELECT {self.place(name)} FROM counted")[0]
