"""Files and relations as DuckDB sees them: opening them, and asking by SQL.

CSV, TSV, Parquet, JSON and JSON Lines become one table of safely named columns: types of CSV from all rows, no guess at
the dialect, no digit lost; the same columns in all files, and those that folders name (site=a/…). Names and paths come
from strangers: columns are c0, c1, … by position, paths and values are quoted literals. The connection has no network,
loads no extension and, once the rows are in, reads no other file.

Relations stay in the connection they are from. They do not go through narwhals, which would leave words of DuckDB 2 on
stderr when Python ends.

NaN is found without trusting what a file says of itself: the lowest and highest values among a Parquet file's own
statistics leave NaN out, and DuckDB 2 takes them for the whole truth, so that isnan(x), and isnan of any function it
sees through, is false without a look at the rows. A sum has to look at them. Where it is no number the rows are counted
here, and of several ways to ask for NaN one is taken that finds as many.

Batches of numbers come out as NumPy arrays, without copies and without pyarrow: DuckDB hands over a stream by the Arrow
C interface (https://arrow.apache.org/docs/format/CStreamInterface.html). The queries of this package give numbers
without gaps, so one buffer a column is all that has to be read.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial, partialmethod
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import DTypeLike

from trueerror.inputs._arrays import EXACT, Column
from trueerror.inputs._cells import BLANKS, MISSING, NUMBER
from trueerror.inputs._options import FileError, InputError
from trueerror.sources._bytes import check_parquet, head_of
from trueerror.sources._paths import (
    Files,
    Header,
    damaged,
    engine_failed,
    find_files,
    read_header,
    refuse_csv,
    refuse_json,
    refuse_other_columns,
    refuse_parquet,
    rows_of_json,
)
from trueerror.sources._predictions import Source
from trueerror.sources._tables import Kind, Layout, Options
from trueerror.sources.engines._arrow_stream import Batch, batches, counted_places
from trueerror.sources.engines._engine_table import EngineTable, Weight
from trueerror.sources.engines._group_tallies import (
    ArgmaxCode,
    ColumnValue,
    GroupKey,
    Groups,
    ThresholdCode,
    WeightedCounts,
)

# Groups of whole numbers that DuckDB counts in a table without hashing (a power of two); of more, up to so many, the
# rows come out as one number each and are counted here, which takes less than half the time of a hash table.
UNHASHED = 16
MOST_PLACES = 1 << 23
PLACES_A_ROW = 4
# The query under which a relation is asked.
VIEW = "trueerror_given"


WAYS = ("isnan({0} // 1.0::DOUBLE)", "isnan(coalesce(nullif({0}, {0} + 1), {0}))", "{0}::VARCHAR = 'nan'")


# Columns of labels or keys, each with those that are compared with it.
Alike = tuple[tuple[str, ...], ...]
# A query as a relation that has not been fetched.
Run = Callable[[str], duckdb.DuckDBPyRelation]


def without_nan(ask: Run, names: Mapping[str, str]) -> dict[str, str]:
    """For each column of numbers, place → name, an expression in which NaN is missing and −0.0 is 0.0.

    `ask` runs a query over `given`, the columns as they are.
    """
    if not names:
        return {}
    sums = ask(f"SELECT {', '.join(f'sum({place}::DOUBLE)' for place in names)} FROM given").fetchall()[0]
    expressions = {}
    for (place, name), total in zip(names.items(), sums, strict=True):
        # No number: there is NaN, or infinity of both signs. Not there: all are missing.
        unsure = total is not None and math.isnan(total)
        expressions[place] = _guarded(ask, place, name) if unsure else _plain(place)
    return expressions


def _plain(place: str) -> str:
    return f"{place}::DOUBLE + 0.0::DOUBLE"


def _guarded(ask: Run, place: str, name: str) -> str:
    number = f"{place}::DOUBLE"
    nan = 0
    for batch in batches(ask(f"SELECT coalesce({number}, 0.0::DOUBLE) AS x FROM given"), [np.float64]):
        nan += int(np.isnan(batch.columns[0]).sum())
        batch.release()
    if nan == 0:
        return _plain(place)
    gone = nan + int(ask(f"SELECT count(*) - count({number}) FROM given").fetchall()[0][0])
    for way in WAYS:
        expression = f"CASE WHEN {way.format(number)} THEN NULL ELSE {_plain(place)} END"
        # Both forms: as a condition it may be judged by the statistics, though it is not as a value.
        seen = [
            ask(f"SELECT {what} FROM (SELECT {expression} AS x FROM given){where}").fetchall()[0][0]
            for what, where in (("count(*) - count(x)", ""), ("count(*)", " WHERE x IS NULL"))
        ]
        if seen == [gone, gone]:
            return expression
    raise InputError(
        f"column {name!r} holds NaN in {nan:,} rows, which DuckDB {duckdb.__version__} does not find; write them as "
        "missing values (null)"
    )


def quoted(text: str) -> str:
    """A text as an SQL literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def literal(value: object) -> str:
    """A text, number or boolean as an SQL literal; floats by their own digits, so that none is rounded.

    >>> literal(True), literal(0.1), literal(float("-inf"))
    ('true', "'0.1'::DOUBLE", "'-inf'::DOUBLE")
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    return str(int(value)) if isinstance(value, int) else quoted(str(value))


def listed(texts: Iterable[object]) -> str:
    """Texts as an SQL list of literals."""
    return "[" + ", ".join(quoted(str(text)) for text in texts) + "]"


def described(connection: duckdb.DuckDBPyConnection, relation: str) -> tuple[tuple[str, ...], list[str]]:
    """The names and the types of a relation's columns."""
    description = connection.execute(f"DESCRIBE {relation}").fetchall()
    return tuple(str(row[0]) for row in description), [str(row[1]) for row in description]


@dataclass(frozen=True, slots=True, eq=False)
class Sql:
    """An expression as text."""

    text: str

    def joined(self, sign: str, other: object) -> Sql:
        """Two expressions, or one and a value, with a sign between them."""
        return Sql(f"({self.text} {sign} {other.text if isinstance(other, Sql) else literal(other)})")

    __add__, __sub__ = partialmethod(joined, "+"), partialmethod(joined, "-")
    __mul__, __mod__ = partialmethod(joined, "*"), partialmethod(joined, "%")
    __and__, __or__ = partialmethod(joined, "AND"), partialmethod(joined, "OR")
    __ge__, __le__ = partialmethod(joined, ">="), partialmethod(joined, "<=")
    __gt__, __lt__ = partialmethod(joined, ">"), partialmethod(joined, "<")

    def __invert__(self) -> Sql:
        return Sql(f"(NOT {self.text})")

    def alias(self, name: str) -> Sql:
        return Sql(f"{self.text} AS {name}")


def _written(template: str) -> Callable[[Sql], Sql]:
    return lambda expression: Sql(template.format(expression.text))


class SqlDialect:
    """Expressions of DuckDB's SQL."""

    column = staticmethod(Sql)
    number, whole = staticmethod(_written("{}::DOUBLE")), staticmethod(_written("({})::BIGINT"))
    text, boolean = staticmethod(_written("({})::VARCHAR")), staticmethod(_written("({})::BOOLEAN"))
    missing, finite = staticmethod(_written("({} IS NULL)")), staticmethod(_written("isfinite({})"))
    log = staticmethod(_written("ln({})"))
    count, whole_total = staticmethod(_written("count({})")), staticmethod(_written("sum({})::BIGINT"))
    lowest, highest = staticmethod(_written("min({})")), staticmethod(_written("max({})"))
    # fsum compensates, so that the order in which threads add does not show.
    total = staticmethod(_written("fsum({})"))

    def rows(self) -> Sql:
        return Sql("count(*)")

    def equal(self, expression: Sql, value: object) -> Sql:
        return expression.joined("=", value)

    def constant(self, value: object) -> Sql:
        return Sql(literal(value))

    def choose(self, condition: Sql, then: Sql, otherwise: Sql | None = None) -> Sql:
        return Sql(f"CASE WHEN {condition.text} THEN {then.text}{f' ELSE {otherwise.text}' if otherwise else ''} END")

    def steps(self, expression: Sql, low: float, scale: float) -> Sql:
        return Sql(f"floor(({expression.text} - {literal(low)}) * {literal(scale)})")

    def argmax(self, scores: Sequence[Sql]) -> Sql:
        listed = ", ".join(score.text for score in scores)
        # The list finds the first of equal scores, so the first class wins ties.
        return Sql(f"(list_position([{listed}], greatest({listed})) - 1)")

    def any_of(self, conditions: Sequence[Sql]) -> Sql:
        return Sql(f"({' OR '.join(condition.text for condition in conditions)})")


@dataclass(frozen=True, slots=True)
class SqlFrame:
    """A SELECT, with the names by which its rows are grouped next."""

    query: str
    names: tuple[str, ...] = ()

    def select(self, *expressions: Sql) -> SqlFrame:
        return SqlFrame(f"SELECT {', '.join(e.text for e in expressions)} FROM ({self.query})")

    def filter(self, *conditions: Sql) -> SqlFrame:
        return SqlFrame(f"SELECT * FROM ({self.query}) WHERE {' AND '.join(c.text for c in conditions)}")

    def group_by(self, *names: str) -> SqlFrame:
        return SqlFrame(self.query, names)

    def agg(self, *amounts: Sql) -> SqlFrame:
        keys = ", ".join(self.names)
        return SqlFrame(f"SELECT {keys}, {', '.join(a.text for a in amounts)} FROM ({self.query}) GROUP BY {keys}")

    def unpivot(self, *, on: Sequence[str], index: Sequence[str], variable_name: str, value_name: str) -> SqlFrame:
        both = f"unnest({listed(on)}) AS {variable_name}, unnest([{', '.join(on)}]) AS {value_name}"
        return SqlFrame(f"SELECT {', '.join(index)}, {both} FROM ({self.query})")

    def unique(self) -> SqlFrame:
        return SqlFrame(f"SELECT DISTINCT * FROM ({self.query})")

    def head(self, n: int) -> SqlFrame:
        return SqlFrame(f"SELECT * FROM ({self.query}) LIMIT {n:d}")


class DuckDBTable(EngineTable[Sql, SqlFrame]):
    """Rows that DuckDB reads: those of `source`, which is a table, a view or a query in brackets.

    `raw` names the columns as a file holds them, where its own statistics may be asked; None where there are none.
    `store` makes a table of a query once, which DuckDB may put on disk; without it the query is run each time.
    """

    dialect = SqlDialect()
    costly_queries = False

    def __init__(
        self,
        run: Run,
        source: str,
        columns: tuple[str, ...],
        kinds: tuple[Kind, ...],
        *,
        name: str,
        provenance: str = "",
        raw: str | None = None,
        store: Callable[[str], str] | None = None,
        where: tuple[str, ...] = (),
        rows: int | None = None,
    ) -> None:
        super().__init__(columns, kinds, name=name, provenance=provenance)
        self.run, self.source, self.raw, self.store, self.where = run, source, raw, store, where
        self._whole_ends: dict[str, tuple[int, int]] | None = None
        self._settled: set[tuple[str, ...]] = set()
        self.written_again: Callable[[Alike], tuple[Kind, ...]] | None = None
        if rows is not None:  # known, and without gaps
            self.n, self._filled = rows, dict.fromkeys(columns, rows)
            return
        self.n = int(self.ask(self.dialect.rows().alias("n"))["n"])

    def as_written(self, labels: Sequence[str], keys: Sequence[str] = ()) -> None:
        groups = [tuple(labels), *((key,) for key in keys)]
        alike = tuple(group for group in groups if any(self.kind(column) == "number" for column in group))
        if set(alike) - self._settled and self.written_again is not None:
            self._settled |= set(alike)
            kinds = self.written_again(alike)
            EngineTable.__init__(self, self.columns, kinds, name=self.name, provenance=self.provenance)

    @property
    def frame(self) -> SqlFrame:
        return SqlFrame(f"SELECT * FROM {self.source}{' WHERE ' if self.where else ''}{' AND '.join(self.where)}")

    def answer(self, frame: SqlFrame) -> dict[str, Column]:
        return self._fetched(frame.query)

    def _fetched(self, query: str) -> dict[str, Column]:
        with self._reading():
            arrays = self.run(query).fetchnumpy()
        return {name: unmasked(array) for name, array in arrays.items()}

    def stream(self, frame: SqlFrame, dtypes: Sequence[DTypeLike]) -> Iterator[Batch]:
        """The columns of an answer, batch by batch: numbers without gaps."""
        with self._reading():
            yield from batches(self.run(frame.query), dtypes)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A damaged part of a file may show itself only when a query comes to it, and so may a fault in a query."""
        try:
            yield
        except duckdb.Error as error:
            raise (damaged(self.name, error) if self.provenance else engine_failed("DuckDB", error)) from None

    def _over(
        self,
        source: str,
        columns: tuple[str, ...],
        kinds: tuple[Kind, ...],
        where: tuple[str, ...] = (),
        rows: int | None = None,
    ) -> DuckDBTable:
        return DuckDBTable(
            self.run, source, columns, kinds, name=self.name, provenance=self.provenance, store=self.store,
            where=where, rows=rows,
        )  # fmt: skip

    def filtered(self, *conditions: Sql) -> DuckDBTable:
        where = (*self.where, *(condition.text for condition in conditions))
        return self._over(self.source, self.columns, self.kinds, where=where)

    def part(self, conditions: Sequence[Sql], rows: int) -> DuckDBTable:
        where = (*self.where, *(condition.text for condition in conditions))
        return self._over(self.source, self.columns, self.kinds, where=where, rows=rows)

    def made(self, frame: SqlFrame, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> DuckDBTable:
        with self._reading():
            source = f"({frame.query})" if self.store is None else self.store(frame.query)
        return self._over(source, columns, kinds)

    def group(self, keys: Sequence[GroupKey], *, weight: Weight | None = None) -> Groups:
        counted = (self._two_values(keys) or self._counted_here(keys)) if weight is None else None
        return super().group(keys, weight=weight) if counted is None else counted

    def _two_values(self, keys: Sequence[GroupKey]) -> Groups | None:
        """The rows of two neighbouring whole numbers by their sum, which takes a third of the time of groups."""
        key = keys[0]
        ends = self._ends(key.column) if len(keys) == 1 and isinstance(key, ColumnValue) else None
        if not isinstance(key, ColumnValue) or ends is None or ends[1] - ends[0] != 1:
            return None
        above = int(self.ask(Sql(f"sum({self.place(key.column)} - ({ends[0]}))::BIGINT AS total"))["total"])
        return Groups((np.array(ends),), WeightedCounts(np.array([self.n - above, above])))

    def _counted_here(self, keys: Sequence[GroupKey]) -> Groups | None:
        """The groups of codes and of a file's whole numbers, each row's as one number; None where another way is
        quicker."""
        spans = [self._span(key) for key in keys] if self.raw is not None and not self.where else [None]
        known = [span for span in spans if span is not None]
        cells = math.prod(size for _, size in known)
        if len(known) < len(spans) or not 1 << UNHASHED < cells <= min(MOST_PLACES, PLACES_A_ROW * self.n):
            return None
        sizes = [size for _, size in known]
        parts = [
            f"(({self.expression(key).text})::INTEGER - ({low}))" for key, (low, _) in zip(keys, known, strict=True)
        ]
        steps = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
        place = " + ".join(f"{part} * {step}" for part, step in zip(parts, steps, strict=True))
        total = counted_places(self.stream(self.frame.select(Sql(f"({place})::INTEGER AS k")), [np.int32]), cells)
        there = np.flatnonzero(total)
        # Places are few enough for 32 bits, which are divided in less than half the time.
        rest, codes = there.astype(np.int32), []
        for step, (low, _) in zip(steps, known, strict=True):
            code = rest // np.int32(step)
            rest -= code * np.int32(step)
            codes.append(code.astype(np.int64) + low)
        return Groups(tuple(codes), WeightedCounts(total[there]))

    def most_groups(self, keys: Sequence[GroupKey]) -> int | None:
        spans = [self._span(key) for key in keys]
        return None if None in spans else math.prod(span[1] for span in spans if span is not None)

    def _span(self, key: GroupKey) -> tuple[int, int] | None:
        """The lowest value that a key may have and how many there may be; None where that is not known."""
        if isinstance(key, ThresholdCode):
            return -1, 3
        if isinstance(key, ArgmaxCode):
            return -1, len(key.columns) + 1
        ends = self._ends(key.column) if isinstance(key, ColumnValue) else None
        return None if ends is None or max(map(abs, ends)) >= 2**31 else (ends[0], ends[1] - ends[0] + 1)

    def _ends(self, name: str) -> tuple[int, int] | None:
        """The lowest and the highest of a file's whole numbers without gaps: its statistics know them."""
        if self.raw is None or self.where or self.kind(name) != "integer" or self.filled(name) < self.n:
            return None
        if self._whole_ends is None:
            whole = [c for c in self.columns if self.kind(c) == "integer" and self.filled(c) == self.n]
            both = ((self.place(c), end) for c in whole for end in ("min", "max"))
            found = self.ask(*(Sql(f"{end}({place}) AS {end}{place}") for place, end in both))
            self._whole_ends = {c: (int(found[f"min{p}"]), int(found[f"max{p}"])) for c, p in self._places.items()
                                if c in whole}  # fmt: skip
        return self._whole_ends[name]

    def narrow(self, truth: str, columns: Sequence[str]) -> dict[str, DTypeLike] | None:
        """How scores without gaps lie in a file: as floats of 32 bits, which come out in half the time, or of 64; None
        where they, or the truth, are not what the file holds."""
        exact = self.raw is not None and not self.where and self.kind(truth) in ("integer", "boolean")
        if not exact or any(self.kind(c) != "number" or self.filled(c) < self.n for c in columns):
            return None
        types = dict(zip(self.columns, self.run(f"SELECT * FROM {self.raw}").types, strict=True))
        return {c: np.float32 if str(types[c]) == "FLOAT" else np.float64 for c in columns}

    @property
    def raw_frame(self) -> SqlFrame:
        """The columns as the file holds them."""
        return SqlFrame(f"SELECT * FROM {self.raw} AS r({', '.join(self._places.values())})")

    def few(self, name: str, most: int) -> tuple[object, ...] | None:
        # Labels such as 0 and 1 are known by their ends, and are counted once it is known by what: one look fewer.
        ends = self._ends(name) if self.raw != VIEW and name not in self._tallied else None
        if ends is not None and ends[1] - ends[0] <= 1:
            return tuple(range(ends[0], ends[1] + 1)) if ends[1] - ends[0] < most else None
        return super().few(name, most)

    def range(self, name: str) -> tuple[float, float]:
        both = f"SELECT min({self.place(name)})::DOUBLE AS low, max({self.place(name)})::DOUBLE AS high FROM"
        # Without gaps the file's own statistics hold, so that no row has to be looked at.
        whole = self.raw is not None and self.kind(name) == "number" and self.filled(name) == self.n
        rows = f"({(self.raw_frame if whole else self.frame).query})"
        low, high = (
            float(end[0]) if end[0] is not None else math.nan for end in self._fetched(f"{both} {rows}").values()
        )
        return low + 0.0, high + 0.0

    def estimated_distinct(self, names: Sequence[str]) -> dict[str, int]:
        counts = self.ask(*(Sql(f"approx_count_distinct({self.place(c)}) AS n{i}") for i, c in enumerate(names)))
        # The estimate is off by some percent.
        return {c: min(int(1.1 * counts[f"n{i}"]), self.n) for i, c in enumerate(names)}

    def all_distinct(self, columns: Sequence[str]) -> bool:
        if len(columns) > 1 or self.kind(columns[0]) != "integer" or self.filled(columns[0]) < self.n:
            return super().all_distinct(columns)
        # Sorting whole numbers is far quicker than grouping so many.
        values = self.values(columns[0])
        ascending = bool((values[1:] > values[:-1]).all())
        values = values if ascending else np.sort(values)
        return ascending or bool((values[1:] > values[:-1]).all())

    def counted(self, layout: Layout, options: Options) -> Source | None:
        from trueerror.sources.engines._duckdb import build_file_source

        return build_file_source(self, layout, options)


def unmasked(array: object) -> Column:
    """What DuckDB hands over, without NumPy's masks."""
    if not isinstance(array, np.ma.MaskedArray):
        return np.asarray(array)
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return np.asarray(array.data)
    if array.dtype.kind == "f":
        return np.asarray(array.filled(np.nan))
    plain = array.data.astype(object)
    plain[mask] = None
    return np.asarray(plain)


# No booleans: DuckDB would take "yes" and "t" for true. No dates: they are text to us.
CANDIDATES = "auto_type_candidates = ['BIGINT', 'DOUBLE', 'VARCHAR']"
# A text as the table of cells has it: without blanks, NULL where a spelling says that it is missing.
BARE = f"trim({{0}}, {quoted(BLANKS)})"
PLAIN = f"CASE WHEN {BARE} IN ({', '.join(map(quoted, MISSING))}) THEN NULL ELSE {BARE} END"
ODD = f"bool_or({{0}} <> {BARE} OR {{0}} IN ({', '.join(map(quoted, MISSING))}))"
IS_NUMBER = f"regexp_full_match({{0}}, {quoted(NUMBER)}) AND abs(try_cast({{0}} AS DOUBLE)) < {EXACT}"
# How programs write booleans, each in one way throughout a column.
FLAGS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
# Beside numbers a spelling of missing may have blanks around it.
NULLS = {f"{before}{text}{after}": "" for text in MISSING for before in ("", " ") for after in ("", " ")}


def load_csv(
    connection: duckdb.DuckDBPyConnection, files: Files, written: Alike = ()
) -> tuple[tuple[str, ...], list[str]]:
    """The files as the table `raw`, with columns c0, c1, …; returns their real names and their types.

    `written` are columns of labels and keys: numbers only where each cell is written as its number is printed.
    """
    header = read_header(files)
    alike = [[f"c{header.names.index(name)}" for name in columns] for columns in written]
    texts = {c for columns in alike for c in columns}
    whole = _load(connection, files, header, texts)
    if long := _long_numbers(connection, whole):
        whole = _load(connection, files, header, texts | long)
    _settle_whole(connection, header, whole, texts)
    for columns in alike:
        _settle_alike(connection, *columns)
    _tidy_texts(connection, texts)
    connection.execute("SET enable_external_access = false")
    return header.names, described(connection, "raw")[1]


def _load(
    connection: duckdb.DuckDBPyConnection, files: Files, header: Header, texts: Collection[str], rows: int = 0
) -> list[str]:
    """Load the rows, types told from the first ones (`rows`: from so many, −1 for all); returns the columns that
    seem to hold whole numbers: of c5 these are the numbers, and w5 is the text where a number does not print it."""
    seen = CANDIDATES + (f", sample_size = {rows:d}" if rows else "")
    try:
        names, kinds = described(connection, _selection(files, header, seen))
        again = described(connection, _selection(files, header, seen, gaps=True))[1] if "VARCHAR" in kinds else kinds
        types, gaps = dict(zip(names, again, strict=True)), bool(rows) or again != kinds
        whole = [c for c, kind in types.items() if kind == "BIGINT"]
        read = {c: "DOUBLE" if kind == "DOUBLE" and c not in texts else "VARCHAR" for c, kind in types.items()}
        typed = f"{CANDIDATES}, types = {{{', '.join(f'{quoted(c)}: {quoted(kind)}' for c, kind in read.items())}}}"
        numbers = "".join(f", try_cast({c} AS BIGINT) AS n{c}" for c in whole)
        parts = [f"n{c} AS {c}" if c in whole else c for c in types]
        parts += [f"nullif({c}, n{c}::VARCHAR) AS w{c[1:]}" for c in whole]
        rows_read = _selection(files, header, typed, gaps=gaps)
        connection.execute(
            f"CREATE OR REPLACE TABLE raw AS SELECT {', '.join(parts)} FROM (SELECT *{numbers} FROM ({rows_read}))"
        )
    except duckdb.ConversionException as error:
        if not rows:
            return _load(connection, files, header, texts, -1)  # a later row is no number
        raise refuse_csv(files, header.names, error) from None
    except duckdb.Error as first:
        raise refuse_csv(files, header.names, _exact_error(connection, files, header) or first) from None
    return whole


def _long_numbers(connection: duckdb.DuckDBPyConnection, whole: Collection[str]) -> set[str]:
    """Columns of whole numbers that a float does not hold, such as ids of twenty digits."""
    floats = [c for c, type_ in zip(*described(connection, "raw"), strict=True) if type_ == "DOUBLE" and c not in whole]
    if not floats:
        return set()
    terms = ", ".join(f"bool_and({c} = floor({c})) AND max(abs({c})) BETWEEN {EXACT} AND 1e40" for c in floats)
    answers = connection.execute(f"SELECT {terms} FROM raw").fetchall()[0]
    return {c for c, is_long in zip(floats, answers, strict=True) if is_long}


def _settle_whole(
    connection: duckdb.DuckDBPyConnection, header: Header, whole: Sequence[str], texts: Collection[str]
) -> None:
    """Columns of whole numbers as such, as floats, or as text: the first where every cell is written as printed."""
    if not whole:
        return
    counts = ", ".join(f"count(w{c[1:]})" for c in whole)
    odd = [c for c, n in zip(whole, connection.execute(f"SELECT {counts} FROM raw").fetchall()[0], strict=True) if n]
    for c in odd:
        w = f"w{c[1:]}"
        # Blanks around a number are no part of it.
        connection.execute(f"UPDATE raw SET {w} = nullif({PLAIN.format(w)}, {c}::VARCHAR) WHERE {w} IS NOT NULL")
        number = f"replace({w}, {quoted(header.thousands)}, '')" if header.thousands else w
        number = f"replace({number}, ',', '.')" if header.decimal == "," else number
        look = f"SELECT count({w}), bool_and({IS_NUMBER.format(number)}) FROM raw"
        left, are_numbers = connection.execute(look).fetchall()[0]
        if left and are_numbers and c not in texts:
            as_float = f"coalesce(try_cast({number} AS DOUBLE), {c}::DOUBLE)"
            connection.execute(f"ALTER TABLE raw ALTER {c} TYPE DOUBLE USING {as_float}")
        elif left:
            connection.execute(f"ALTER TABLE raw ALTER {c} TYPE VARCHAR USING coalesce({w}, {c}::VARCHAR)")
    for c in whole:
        connection.execute(f"ALTER TABLE raw DROP w{c[1:]}")


def _settle_alike(connection: duckdb.DuckDBPyConnection, key: str, *answers: str) -> None:
    """A column of labels or keys holds numbers where its cells are written in the one way in which these are printed:
    as whole numbers, or as floats. Answers are of the kind of such labels, each cell in either way, or text."""
    types = dict(zip(*described(connection, "raw"), strict=True))
    bare = {c: PLAIN.format(f"{c}::VARCHAR") for c in (key, *answers)}
    number = {c: f"try_cast({text} AS DOUBLE)" for c, text in bare.items()}
    as_float = {c: f"{text} IS NOT DISTINCT FROM {number[c]}::VARCHAR" for c, text in bare.items()}
    floats = f"bool_or(isfinite({number[key]}) AND {number[key]} % 1 <> 0) OR bool_and(abs({number[key]}) < {EXACT})"
    looks = [f"bool_and({as_float[key]}) AND ({floats})"]
    looks += [f"bool_and({as_float[c]} OR {bare[c]} = try_cast({bare[c]} AS BIGINT)::VARCHAR)" for c in answers]
    are_floats, *printed = connection.execute(f"SELECT {', '.join(looks)} FROM raw").fetchall()[0]
    numeric = types[key] == "BIGINT" or are_floats
    for c, yes in zip((key, *answers), (True, *printed), strict=True):
        if types[c] != "BIGINT" or not (numeric and yes):
            held = f"DOUBLE USING {number[c]}" if numeric and yes else "VARCHAR"
            connection.execute(f"ALTER TABLE raw ALTER {c} TYPE {held}")


def _tidy_texts(connection: duckdb.DuckDBPyConnection, texts: Collection[str]) -> None:
    """Columns of per cent, such as 12.5 %, and of numbers with blanks around them hold numbers."""
    spaced = f"bool_and({IS_NUMBER.format(PLAIN)}) AND bool_or({{0}} <> {BARE})"
    number = f"replace(rtrim({PLAIN}, ' %'), ',', '.')::DOUBLE / CASE WHEN contains({{0}}, '%') THEN 100.0 ELSE 1.0 END"
    look = f"SELECT bool_and(regexp_matches({{0}}, {quoted(PER_CENT)})) OR ({spaced}) FROM"
    for c, type_ in zip(*described(connection, "raw"), strict=True):
        asked = (f"{look.format(c)} {rows}" for rows in ("(SELECT * FROM raw LIMIT 1000)", "raw"))
        if type_ == "VARCHAR" and c not in texts and all(connection.execute(a).fetchall()[0][0] for a in asked):
            connection.execute(f"ALTER TABLE raw ALTER {c} TYPE DOUBLE USING {number.format(c)}")


def _exact_error(connection: duckdb.DuckDBPyConnection, files: Files, header: Header) -> duckdb.Error | None:
    """Without guessing types, DuckDB says in which row a file breaks."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    try:
        typed = f"auto_detect = false, columns = {{{columns}}}"
        connection.execute(f"CREATE OR REPLACE TABLE raw AS {_selection(files, header, typed, names=False)}")
    except duckdb.Error as error:
        return error
    return None


def _selection(files: Files, header: Header, options: str, *, names: bool = True, gaps: bool = False) -> str:
    """The rows of the files; with `gaps` all spellings of missing are, which takes its time."""
    ending = "" if header.newline is None else f"new_line = {quoted(repr(header.newline)[1:-1])}, "
    ending += f"thousands = {quoted(header.thousands)}, " if header.thousands else ""
    named = f"names = {listed(f'c{i}' for i in range(len(header.names)))}, " if names else ""
    named += f"nullstr = {listed(NULLS if gaps else [''])}, "
    return (
        f"SELECT * FROM read_csv({listed(files.paths)}, skip = {header.skip:d}, "
        f"header = {str(header.first_line).lower()}, "
        f"delim = {quoted(header.delimiter)}, quote = '\"', escape = '\"', comment = '', "
        f"decimal_separator = {quoted(header.decimal)}, compression = {quoted('gzip' if files.gzipped else 'none')}, "
        f"hive_partitioning = false, {ending}{named}{options})"
    )


def view_parquet(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    """The files as the view `raw`; returns the names and the types of its columns."""
    if files.gzipped:
        raise FileError(f"{files.name} is a gzipped Parquet file; unpack it: Parquet is compressed inside")
    try:
        check_parquet(connection, files.paths, listed(files.paths))
        schema = connection.execute(
            "SELECT file_name, name, num_children, "
            "concat_ws(' ', type, logical_type, converted_type, precision, scale) "
            f"FROM parquet_schema({listed(files.paths)})"
        ).fetchall()
        columns = _top_columns(schema, files.paths)
        refuse_other_columns(files, [[name.lower() for name in names] for names in columns])
        # As text: folders called year=2024 must not pass for the scores of a model.
        hive = _folder_keys(files.paths, columns[0])
        how = "hive_partitioning = true, hive_types_autocast = false" if hive else "hive_partitioning = false"
        # The types of the first file would be those of all, and other values cut to fit.
        how += ", union_by_name = true" if _types_differ(schema) else ""
        connection.execute(f"CREATE VIEW raw AS SELECT * FROM read_parquet({listed(files.paths)}, {how})")
        names, types = described(connection, "raw")
    except duckdb.Error as error:
        raise refuse_parquet(files, error) from None
    # From here on only these files may be read; DuckDB before 1.2 cannot tell files apart.
    with suppress(duckdb.CatalogException):
        connection.execute(f"SET allowed_paths = {listed(files.paths)}")
        connection.execute("SET enable_external_access = false")
    # DuckDB renames columns that differ in case only; the file's own names are the ones that people know.
    file_columns = columns[0]
    return (
        (*file_columns, *names[len(file_columns) :]) if len(file_columns) + len(hive) == len(names) else names
    ), types


def _types_differ(schema: Iterable[tuple[str, str, int | None, str]]) -> bool:
    """Whether columns of one name have several types in files that are read together."""
    kinds: dict[str, set[str]] = {}
    roots: set[str] = set()
    for file, name, _, kind in schema:
        if file in roots:
            kinds.setdefault(name.lower(), set()).add(kind)
        roots.add(file)
    return any(len(every) > 1 for every in kinds.values())


def _top_columns(schema: Iterable[tuple[str, str, int | None, str]], paths: Sequence[Path]) -> list[list[str]]:
    """The columns of each file: a schema lists the root, and then each column before what is nested in it."""
    columns: dict[str, list[str]] = {}
    nested: dict[str, int] = {}
    for file, name, children, _ in schema:
        if file not in columns:
            columns[file], nested[file] = [], 0
            continue
        if nested[file] == 0:
            columns[file].append(str(name))
        else:
            nested[file] -= 1
        nested[file] += children or 0
    return [columns[str(path)] for path in paths]


def _folder_keys(paths: Sequence[Path], columns: Sequence[str]) -> list[str]:
    """What folders called key=value tell the files apart by; nothing where they do not agree, or a column has it."""
    known = {column.lower() for column in columns}
    each = [dict(part.split("=", 1) for part in path.parts[:-1] if part.count("=") == 1) for path in paths]
    same = all(list(keys) == list(each[0]) for keys in each)
    told_apart = len({tuple(keys.values()) for keys in each}) > 1
    return list(each[0]) if same and told_apart and not known & {key.lower() for key in each[0]} else []


WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
WHOLE_DECIMAL = re.compile(r"DECIMAL\(\d+, ?0\)")
PER_CENT = r"^\s*-?\d+([.,]\d+)?\s*%\s*$"


def open_files(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], columns: Mapping[int, str] | None = None
) -> DuckDBTable:
    """The table in one file or several of one format; `columns` are named where they have no header."""
    temp_folder = Path(tempfile.mkdtemp(prefix="trueerror-"))
    try:
        files = find_files(path, temp_folder, columns)
        opened = FileConnection(files, temp_folder)
        table = DuckDBTable(
            opened.run, "data", opened.names, opened.kinds, name=files.name, provenance=files.name, raw="raw",
            store=opened.store,
        )  # fmt: skip
        table.notes, table.in_order = files.notes, True
        table.written_again = opened.as_written if files.format == "csv" else None
        if table.n == 0:
            raise FileError(f"{files.name} has column names but no rows")
    except BaseException:
        shutil.rmtree(temp_folder, ignore_errors=True)
        raise
    weakref.finalize(opened, _remove, temp_folder, os.getpid())
    return table


class FileConnection:
    """Files in a connection of their own; a forked process, which has none of DuckDB's threads, opens them again."""

    def __init__(self, files: Files, temp_folder: Path) -> None:
        self.files, self.temp_folder = files, temp_folder
        self.made: list[str] = []
        self.written: Alike = ()
        self.names, self.kinds = self._open()

    def _open(self) -> tuple[tuple[str, ...], tuple[Kind, ...]]:
        self.process = os.getpid()
        self.connection = connect_alone(self.temp_folder / f"spill-{self.process}")
        if self.files.format == "csv":
            names, types = load_csv(self.connection, self.files, self.written)
        elif self.files.format == "json":
            names, types = _load_json(self.connection, self.files, self.temp_folder)
        else:
            names, types = view_parquet(self.connection, self.files)
        kinds = _normalise(self.connection, names, types, self.files)
        self.connection.execute("SET lock_configuration = true")
        return names, kinds

    def as_written(self, alike: Alike) -> tuple[Kind, ...]:
        """Load the rows once more, these columns as they are written; returns what all columns hold."""
        self.written = (*self.written, *alike)
        self.connection.close()
        self.names, self.kinds = self._open()
        return self.kinds

    def _here(self) -> duckdb.DuckDBPyConnection:
        if os.getpid() != self.process:
            # The parent's connection must never be closed here, not even when Python ends: its threads are not there.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.connection))
            self._open()
            for number, query in enumerate(self.made):
                self.connection.cursor().execute(f"CREATE TABLE made_{number} AS {query}")
        return self.connection

    def run(self, query: str) -> duckdb.DuckDBPyRelation:
        """A query as a relation."""
        return self._here().cursor().sql(query)

    def store(self, query: str) -> str:
        """The name of a table that holds what a query answers."""
        name = f"made_{len(self.made)}"
        self._here().cursor().execute(f"CREATE TABLE {name} AS {query}")
        self.made.append(query)
        return name


def _remove(folder: Path, process: int) -> None:
    """A forked process leaves its parent's files alone."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def connect_alone(spill: Path) -> duckdb.DuckDBPyConnection:
    """A connection without network, extensions and a view of Python's variables; `spill` is where it may write."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "perfect_ht_threshold": str(UNHASHED),
            "temp_directory": str(spill),
        },
    )
    # A query must never reach a Python variable by its name.
    connection.execute("SET python_enable_replacements = false")
    # In a notebook without ipywidgets there is no bar, and DuckDB refuses even to switch it off.
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = true")
    return connection


# Types that DuckDB finds in texts of JSON.
WRITTEN = re.compile(r"\b(DATE|TIMESTAMP|TIME|UUID|INTERVAL)( WITH TIME ZONE)?(?=$|[],)[])")
LISTS = re.compile(rb"(\xef\xbb\xbf)?\s*(\[\s*[^\s{]|([\[{]\s*(\"[^\"]{0,99}\"\s*:\s*)?){100})")


def _load_json(
    connection: duckdb.DuckDBPyConnection, files: Files, temp_folder: Path
) -> tuple[tuple[str, ...], list[str]]:
    compression = quoted("gzip" if files.gzipped else "uncompressed")

    def load(paths: Iterable[Path], compression: str) -> tuple[tuple[str, ...], list[str]]:
        rows = f"FROM read_json({listed(paths)}, compression = {compression}, hive_partitioning = false"
        names, types = described(connection, f"SELECT * {rows}, sample_size = -1)")
        # JSON has no dates: what looks like one stays as it is written.
        texts = [WRITTEN.sub("VARCHAR", type_) for type_ in types]
        columns = ", ".join(f"{quoted(name)}: {quoted(type_)}" for name, type_ in zip(names, texts, strict=True))
        typed = "sample_size = -1" if names == ("json",) else f"columns = {{{columns}}}"
        connection.execute(f"CREATE OR REPLACE TABLE raw AS SELECT * {rows}, {typed})")
        return names, texts

    try:
        # DuckDB takes gigabytes for lists within lists, of which it can make no columns.
        if any(LISTS.match(head_of(path, 1 << 12)) for path in files.paths):
            names, types = load([rows_of_json(path, files, temp_folder) for path in files.paths], "'uncompressed'")
            return _mixed_as_text(connection, *_flattened(connection, names, types))
        names, types = load(files.paths, compression)
        one = len(connection.execute("SELECT 1 FROM raw LIMIT 2").fetchall()) == 1
        if (one and any(t.endswith("[]") or t.startswith(("STRUCT", "MAP")) for t in types)) or names == ("json",):
            names, types = load([rows_of_json(path, files, temp_folder) for path in files.paths], "'uncompressed'")
        return _mixed_as_text(connection, *_flattened(connection, names, types))
    except duckdb.Error as error:
        raise refuse_json(files, error) from None
    finally:
        connection.execute("SET enable_external_access = false")


def _flattened(
    connection: duckdb.DuckDBPyConnection, names: tuple[str, ...], types: list[str]
) -> tuple[tuple[str, ...], list[str]]:
    """`raw` with a column for each part of objects that hold single values: {"instance": {"label": 1}} is
    instance.label."""
    parts: list[str] = []
    for name, type_ in zip(names, types, strict=True):
        column = '"' + name.replace('"', '""') + '"'
        single = type_.startswith("STRUCT") and not type_.endswith("[]")
        inner, kinds = described(connection, f"SELECT {column}.* FROM raw") if single else ((), [])
        flat = inner and not any(t.endswith("[]") or t.startswith(("STRUCT", "MAP", "JSON")) for t in kinds)
        quotes = [part.replace('"', '""') for part in inner]
        parts += [f'{column}."{part}" AS "{column[1:-1]}.{part}"' for part in quotes] if flat else [column]
    if len(parts) == len(names):
        return names, types
    connection.execute(f"CREATE OR REPLACE TABLE raw AS SELECT {', '.join(parts)} FROM raw")
    return described(connection, "raw")


def _mixed_as_text(
    connection: duckdb.DuckDBPyConnection, names: tuple[str, ...], types: list[str]
) -> tuple[tuple[str, ...], list[str]]:
    """`raw` with text in columns that hold numbers beside words, as in CSV: one odd cell makes no column disappear."""
    columns = ['"' + name.replace('"', '""') + '"' for name in names]
    mixed = [i for i, type_ in enumerate(types) if type_ == "JSON"]
    if not mixed:
        return names, types
    # Of single values only; a column of nothing is none. Beside spellings of missing alone numbers stay numbers.
    cell = PLAIN.format("json_extract_string({0}, '$')")
    place = "list_position(['UBIGINT', 'BIGINT', 'DOUBLE'], json_type({0}))"
    place = f"CASE WHEN {cell} IS NOT NULL THEN coalesce({place}, 4) END"
    most = f"max(CASE WHEN json_type({{0}}) IN ('OBJECT', 'ARRAY') THEN 5 ELSE {place} END)"
    found = connection.execute(f"SELECT {', '.join(most.format(columns[i]) for i in mixed)} FROM raw").fetchall()[0]
    made = {
        columns[i]: (None, "HUGEINT", "HUGEINT", "DOUBLE", "VARCHAR", None)[kind or 0]
        for i, kind in zip(mixed, found, strict=True)
    }
    parts = [f"({cell.format(c)})::{made[c]} AS {c}" if made.get(c) else c for c in columns]
    connection.execute(f"CREATE OR REPLACE TABLE raw AS SELECT {', '.join(parts)} FROM raw")
    return described(connection, "raw")


def _normalise(
    connection: duckdb.DuckDBPyConnection, names: tuple[str, ...], types: list[str], files: Files
) -> tuple[Kind, ...]:
    """The view `data`: few types, NULL the only missing value, no −0.0."""
    places = [f"c{i}" for i in range(len(types))]
    renamed = f"raw AS r({', '.join(places)})"
    ask = partial(_asked, connection, renamed)
    try:
        plain_columns = _plain_columns(ask, places, types)
    except duckdb.Error as error:
        raise damaged(files.name, error) from None
    # Text in CSV files may hold booleans.
    texts = [i for i, (_, kind) in enumerate(plain_columns) if kind == "text"] if files.format == "csv" else []
    if texts:
        one_way = " OR ".join(f"bool_and({{0}} IN ({quoted(yes)}, {quoted(no)}))" for yes, no in FLAGS)
        terms = ", ".join(one_way.format(plain_columns[i][0]) for i in texts)
        for i, yes in zip(texts, connection.execute(f"SELECT {terms} FROM {renamed}").fetchall()[0], strict=True):
            if yes:
                plain_columns[i] = (f"lower({plain_columns[i][0]}) = 'true'", "boolean")
    try:
        numbers = without_nan(
            ask,
            {
                place: name
                for place, name, (_, kind) in zip(places, names, plain_columns, strict=True)
                if kind == "number"
            },
        )
    except duckdb.Error as error:
        raise damaged(files.name, error) from None
    parts = ", ".join(
        f"{numbers.get(place, part)} AS {place}" for place, (part, _) in zip(places, plain_columns, strict=True)
    )
    connection.execute(f"CREATE VIEW data AS SELECT {parts} FROM {renamed}")
    return tuple(kind for _, kind in plain_columns)


def _asked(connection: duckdb.DuckDBPyConnection, renamed: str, query: str) -> duckdb.DuckDBPyRelation:
    return connection.cursor().sql(f"WITH given AS (SELECT * FROM {renamed}) {query}")


def _plain_columns(ask: Run, places: Sequence[str], types: Sequence[str]) -> list[tuple[str, Kind]]:
    """Columns in the few types, and what they hold; `ask` runs a query over `given`, the columns as they are."""
    columns = [plain_column(place, type_) for place, type_ in zip(places, types, strict=True)]
    # A sum of whole numbers, and a negative one in JSON, has 128 bits, of which few need more than 64.
    wide = [i for i, type_ in enumerate(types) if type_ in ("HUGEINT", "UHUGEINT") or WHOLE_DECIMAL.fullmatch(type_)]
    if wide:
        fit = ", ".join(f"bool_and(abs({places[i]}::DOUBLE) < {2.0**63})" for i in wide)
        for i, fits in zip(wide, ask(f"SELECT {fit} FROM given").fetchall()[0], strict=True):
            columns[i] = (f"{places[i]}::BIGINT", "integer") if fits is not False else (f"{places[i]}::VARCHAR", "text")
    texts = [i for i, (_, kind) in enumerate(columns) if kind == "text"]
    if texts:
        odd = ", ".join(ODD.format(columns[i][0]) for i in texts)
        for i, is_odd in zip(texts, ask(f"SELECT {odd} FROM given").fetchall()[0], strict=True):
            columns[i] = (PLAIN.format(columns[i][0]) if is_odd else columns[i][0], "text")
    return columns


def plain_column(place: str, type_: str) -> tuple[str, Kind]:
    """A column in one of the few types, and what it holds; numbers may hold NaN yet, see `without_nan`."""
    if type_ == "BOOLEAN":
        return place, "boolean"
    if type_ in WHOLE:
        return place, "integer"
    if type_ in ("FLOAT", "DOUBLE") or type_.startswith("DECIMAL"):
        return place, "number"
    if type_ == "INTERVAL":
        return f"epoch_us({place})::VARCHAR || ' µs'", "date"
    if type_.startswith(("DATE", "TIME")):
        return f"{place}::VARCHAR", "date"
    text = type_ in ("VARCHAR", "UUID") or type_.startswith("ENUM")
    nested = type_.endswith("[]") or type_.startswith(("STRUCT", "MAP"))
    return f"to_json({place})::VARCHAR" if nested else f"{place}::VARCHAR", "text" if text else "other"


def open_relation(relation: duckdb.DuckDBPyRelation) -> DuckDBTable:
    """A DuckDB relation as a table; values go into queries as literals, since a relation takes no parameters."""
    try:
        return _opened(relation)
    except duckdb.Error as error:
        raise engine_failed("DuckDB", error) from None


def _opened(relation: duckdb.DuckDBPyRelation) -> DuckDBTable:
    columns = tuple(str(name) for name in relation.columns)
    places = [f"c{i}" for i in range(len(columns))]
    given = f"SELECT * FROM {VIEW} AS r({', '.join(places)})"

    def ask(query: str) -> duckdb.DuckDBPyRelation:
        return relation.query(VIEW, f"WITH given AS ({given}) {query}")

    plain_columns = _plain_columns(ask, places, [str(type_) for type_ in relation.types])
    numbers = without_nan(
        ask,
        {
            place: name
            for place, name, (_, kind) in zip(places, columns, plain_columns, strict=True)
            if kind == "number"
        },
    )
    parts = ", ".join(
        f"{numbers.get(place, part)} AS {place}" for place, (part, _) in zip(places, plain_columns, strict=True)
    )
    source = f"(SELECT {parts} FROM {VIEW} AS r({', '.join(places)}))"
    kinds = tuple(kind for _, kind in plain_columns)
    process = os.getpid()

    def run(query: str) -> duckdb.DuckDBPyRelation:
        if os.getpid() != process:
            raise InputError("a DuckDB relation cannot be asked in a forked process; open it there, or spawn processes")
        return relation.query(VIEW, query)

    table = DuckDBTable(run, source, columns, kinds, name="the table", raw=VIEW)
    if table.n == 0:
        raise InputError("the table has no rows")
    return table
