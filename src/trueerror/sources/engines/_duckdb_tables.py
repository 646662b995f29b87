"""Rows in files as DuckDB sees them.

Column names come from strangers, so none enters a query: columns are c0, c1, … by position, and values travel as
parameters.

DuckDB relations: tables that stay in the connection they are from, asked by the same SQL as files.

They do not go through narwhals, which would leave words of DuckDB 2 on stderr when Python ends.

Long tables that DuckDB has put side by side: of files in a table of its own, of relations in the query itself.

Opening files with DuckDB: CSV, TSV, Parquet, JSON and JSON Lines as one table of safely named columns.

Paths come from strangers and are quoted literals. The connection has no network, loads no extension and, once the
rows are in, reads no other file.

CSV files into DuckDB: types from all rows, no guess at the dialect, no digit lost.

Parquet files as one view of DuckDB's: the same columns in all of them, and those that folders name (site=a/…).

NaN in columns of numbers, found without trusting what a file says of itself.

The lowest and highest values among a Parquet file's own statistics leave NaN out. DuckDB 2 takes them for the whole
truth, so that isnan(x), and isnan of any function it sees through, is false without a look at the rows. A sum has to
look at them. Where it is no number the rows are counted here, and of several ways to ask for NaN one is taken that
finds as many.

Text that goes into queries, and what a relation looks like.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from trueerror.inputs._arrays import Column, WeightsKind
from trueerror.inputs._options import FileError, InputError
from trueerror.sources._paths import (
    Files,
    Header,
    damaged,
    find_files,
    read_header,
    refuse_csv,
    refuse_json,
    refuse_other_columns,
    refuse_parquet,
)
from trueerror.sources._protocols import Kind, Layout, Options, Source
from trueerror.sources.engines._arrow_stream import Batch, batches
from trueerror.sources.engines._native import unmasked

WAYS = ("isnan({0} // 1.0::DOUBLE)", "isnan(coalesce(nullif({0}, {0} + 1), {0}))", "{0}::VARCHAR = 'nan'")

# A query over `given`, the columns as they are, as a relation that has not been fetched.
Ask = Callable[[str], Any]


def without_nan(ask: Ask, names: Mapping[str, str]) -> dict[str, str]:
    """For each column of numbers, place → name, an expression in which NaN is missing and −0.0 is 0.0."""
    if not names:
        return {}
    sums = ask(f"SELECT {', '.join(f'sum({place}::DOUBLE)' for place in names)} FROM given").fetchall()[0]
    found = {}
    for (place, name), total in zip(names.items(), sums, strict=True):
        # No number: there is NaN, or infinity of both signs. Not there: all are missing.
        unsure = total is not None and math.isnan(total)
        found[place] = _guarded(ask, place, name) if unsure else _plain(place)
    return found


def _plain(place: str) -> str:
    return f"{place}::DOUBLE + 0.0::DOUBLE"


def _guarded(ask: Ask, place: str, name: str) -> str:
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
    found = connection.execute(f"DESCRIBE {relation}").fetchall()
    return tuple(str(row[0]) for row in found), [str(row[1]) for row in found]


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
        from trueerror.sources.engines._duckdb import build_file_source

        return build_file_source(self, layout, options)

    def values(self, name: str) -> Column:
        return self.fetch(f"SELECT {self.place(name)} FROM counted")[0]


MISSING = ("", "NA", "NaN", "nan")
# Floats hold every whole number up to here and skip some beyond.
EXACT = 2**53


def load_csv(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    """The files as the table `raw`, with columns c0, c1, …; returns their real names and their types."""
    header = read_header(files)
    _load(connection, files, header)
    long_numbers = _long_numbers(connection)
    if long_numbers:
        _load(connection, files, header, as_text=long_numbers)
    connection.execute("SET enable_external_access = false")
    return header.names, described(connection, "raw")[1]


def _load(connection: duckdb.DuckDBPyConnection, files: Files, header: Header, as_text: Iterable[str] = ()) -> None:
    # No booleans: DuckDB would take "yes" and "t" for true. No dates: they are text to us.
    types = "".join(f"{quoted(column)}: 'VARCHAR', " for column in as_text)
    options = "auto_type_candidates = ['BIGINT', 'DOUBLE', 'VARCHAR']" + (f", types = {{{types}}}" if types else "")
    try:
        connection.execute(_query(files, header, options))
    except duckdb.ConversionException:
        # The types were told from the first rows, and a later one does not fit: look at all rows.
        try:
            connection.execute(_query(files, header, f"{options}, sample_size = -1"))
        except duckdb.Error as error:
            raise refuse_csv(files, header.names, error) from None
    except duckdb.Error as first:
        raise refuse_csv(files, header.names, _exact_error(connection, files, header) or first) from None


def _long_numbers(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Columns of whole numbers that a float does not hold, such as ids of twenty digits."""
    names, types = described(connection, "raw")
    floats = [name for name, type_ in zip(names, types, strict=True) if type_ == "DOUBLE"]
    if not floats:
        return []
    terms = ", ".join(f"bool_and({c} = floor({c})) AND max(abs({c})) BETWEEN {EXACT} AND 1e300" for c in floats)
    found = connection.execute(f"SELECT {terms} FROM raw").fetchall()[0]
    return [name for name, long in zip(floats, found, strict=True) if long]


def _exact_error(connection: duckdb.DuckDBPyConnection, files: Files, header: Header) -> duckdb.Error | None:
    """Without guessing types, DuckDB says in which row a file breaks."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    try:
        connection.execute(_query(files, header, f"auto_detect = false, columns = {{{columns}}}", names=False))
    except duckdb.Error as error:
        return error
    return None


def _query(files: Files, header: Header, options: str, *, names: bool = True) -> str:
    ending = "" if header.newline is None else f"new_line = {quoted(repr(header.newline)[1:-1])}, "
    named = f"names = {listed(f'c{i}' for i in range(len(header.names)))}, " if names else ""
    return (
        f"CREATE OR REPLACE TABLE raw AS SELECT * FROM read_csv({listed(files.paths)}, header = true, skip = 0, "
        f"delim = {quoted(header.delimiter)}, quote = '\"', escape = '\"', comment = '', nullstr = {listed(MISSING)}, "
        f"decimal_separator = {quoted(header.decimal)}, compression = {quoted('gzip' if files.gzipped else 'none')}, "
        f"hive_partitioning = false, {ending}{named}{options})"
    )


def view_parquet(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    """The files as the view `raw`; returns the names and the types of its columns."""
    if files.gzipped:
        raise FileError(f"{files.name} is a gzipped Parquet file; unpack it: Parquet is compressed inside")
    try:
        schema = connection.execute(
            f"SELECT file_name, name, num_children FROM parquet_schema({listed(files.paths)})"
        ).fetchall()
        columns = _top_columns(schema, files.paths)
        refuse_other_columns(files, [[name.lower() for name in names] for names in columns])
        # As text: folders called year=2024 must not pass for the scores of a model.
        hive = _folder_keys(files.paths, columns[0])
        how = "hive_partitioning = true, hive_types_autocast = false" if hive else "hive_partitioning = false"
        connection.execute(f"CREATE VIEW raw AS SELECT * FROM read_parquet({listed(files.paths)}, {how})")
        names, types = described(connection, "raw")
    except duckdb.Error as error:
        raise refuse_parquet(files, error) from None
    # From here on only these files may be read; DuckDB before 1.2 cannot tell files apart.
    with suppress(duckdb.CatalogException):
        connection.execute(f"SET allowed_paths = {listed(files.paths)}")
        connection.execute("SET enable_external_access = false")
    # DuckDB renames columns that differ in case only; the file's own names are the ones that people know.
    own = columns[0]
    return ((*own, *names[len(own) :]) if len(own) + len(hive) == len(names) else names), types


def _top_columns(schema: Iterable[tuple[str, str, int | None]], paths: Sequence[Path]) -> list[list[str]]:
    """The columns of each file: a schema lists the root, and then each column before what is nested in it."""
    found: dict[str, list[str]] = {}
    nested: dict[str, int] = {}
    for file, name, children in schema:
        if file not in found:
            found[file], nested[file] = [], 0
            continue
        if nested[file] == 0:
            found[file].append(str(name))
        else:
            nested[file] -= 1
        nested[file] += children or 0
    return [found[str(path)] for path in paths]


def _folder_keys(paths: Sequence[Path], columns: Sequence[str]) -> list[str]:
    """What folders called key=value tell the files apart by; nothing where they do not agree, or a column has it."""
    known = {column.lower() for column in columns}
    each = [dict(part.split("=", 1) for part in path.parts[:-1] if part.count("=") == 1) for path in paths]
    same = all(list(keys) == list(each[0]) for keys in each)
    told_apart = len({tuple(keys.values()) for keys in each}) > 1
    return list(each[0]) if same and told_apart and not known & {key.lower() for key in each[0]} else []


WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
DATE = r"^\d{4}-\d\d-\d\d([ T]\d\d:\d\d.*)?$"


def open_files(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> FileTable:
    """The table in one file or several of one format."""
    workshop = Path(tempfile.mkdtemp(prefix="trueerror-"))
    try:
        files = find_files(path, workshop)
        connection = _connect(workshop)
        if files.format == "csv":
            names, types = load_csv(connection, files)
        elif files.format == "json":
            names, types = _load_json(connection, files)
        else:
            names, types = view_parquet(connection, files)
        kinds = _normalise(connection, names, types, files)
        connection.execute("SET lock_configuration = true")
        table = FileTable(connection, files.name, names, kinds)
        if files.passed_over:
            more = f" and {len(files.passed_over) - 3} more" if len(files.passed_over) > 3 else ""
            table.notes = (f"Not taken for tables: {', '.join(files.passed_over[:3])}{more}.",)
        if table.n == 0:
            raise FileError(f"{files.name} has column names but no rows")
    except BaseException:
        shutil.rmtree(workshop, ignore_errors=True)
        raise
    weakref.finalize(connection, shutil.rmtree, workshop, ignore_errors=True)
    return table


def _connect(workshop: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(workshop / "spill"),
        },
    )
    # A query must never reach a Python variable by its name.
    connection.execute("SET python_enable_replacements = false")
    # In a notebook without ipywidgets there is no bar, and DuckDB refuses even to switch it off.
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = true")
    return connection


def _load_json(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    compression = quoted("gzip" if files.gzipped else "uncompressed")
    try:
        connection.execute(
            f"CREATE TABLE raw AS SELECT * FROM read_json({listed(files.paths)}, sample_size = -1, "
            f"compression = {compression}, hive_partitioning = false)"
        )
    except duckdb.Error as error:
        raise refuse_json(files, error) from None
    connection.execute("SET enable_external_access = false")
    names, types = described(connection, "raw")
    if len(connection.execute("SELECT 1 FROM raw LIMIT 2").fetchall()) == 1 and all(
        t.endswith("[]") or t.startswith(("STRUCT", "MAP")) for t in types
    ):
        raise FileError(f"{files.name} holds one object of columns; write one object for each row (JSON Lines)")
    return names, types


def _normalise(
    connection: duckdb.DuckDBPyConnection, names: tuple[str, ...], types: list[str], files: Files
) -> tuple[Kind, ...]:
    """The view `data`: few types, NULL the only missing value, no −0.0."""
    places = [f"c{i}" for i in range(len(types))]
    renamed = f"raw AS r({', '.join(places)})"
    found = [plain_column(place, type_) for place, type_ in zip(places, types, strict=True)]
    # Text in CSV files may hold booleans and dates.
    texts = [i for i, (_, kind) in enumerate(found) if kind == "text"] if files.format == "csv" else []
    if texts:
        terms = [f"bool_and(lower({places[i]}) IN ('true', 'false'))" for i in texts]
        terms += [f"bool_and(regexp_matches({places[i]}, {quoted(DATE)}))" for i in texts]
        answers = connection.execute(f"SELECT {', '.join(terms)} FROM {renamed}").fetchall()[0]
        for i, boolean, date in zip(texts, answers, answers[len(texts) :], strict=False):
            if boolean:
                found[i] = (f"lower({places[i]}) = 'true'", "boolean")
            elif date:
                found[i] = (places[i], "date")
    try:
        numbers = without_nan(
            lambda query: connection.cursor().sql(f"WITH given AS (SELECT * FROM {renamed}) {query}"),
            {place: name for place, name, (_, kind) in zip(places, names, found, strict=True) if kind == "number"},
        )
    except duckdb.Error as error:
        raise damaged(files.name, error) from None
    parts = ", ".join(f"{numbers.get(place, part)} AS {place}" for place, (part, _) in zip(places, found, strict=True))
    connection.execute(f"CREATE VIEW data AS SELECT {parts} FROM {renamed}")
    return tuple(kind for _, kind in found)


def plain_column(place: str, type_: str) -> tuple[str, Kind]:
    """A column in one of the few types, and what it holds; numbers may hold NaN yet, see `nans`."""
    if type_ == "BOOLEAN":
        return place, "boolean"
    if type_ in WHOLE:
        return place, "integer"
    if type_ in ("FLOAT", "DOUBLE") or type_.startswith("DECIMAL"):
        return place, "number"
    if type_.startswith(("DATE", "TIME", "INTERVAL")):
        return f"{place}::VARCHAR", "date"
    text = type_ in ("VARCHAR", "UUID", "HUGEINT", "UHUGEINT") or type_.startswith("ENUM")
    return f"{place}::VARCHAR", "text" if text else "other"


VIEW = "trueerror_given"


class RelationTable(FileTable):
    """The rows of a relation; values go into queries as literals, since a relation takes no parameters."""

    def __init__(
        self, relation: Any, data: str, columns: tuple[str, ...], kinds: tuple[Kind, ...], where: Any = ()
    ) -> None:
        self.relation = relation
        self.data = data
        super().__init__(None, "the table", columns, kinds, where)
        self.provenance = ""

    def _where(self, more: tuple[tuple[str, Any], ...]) -> RelationTable:
        kinds = tuple(self._kinds.values())
        return type(self)(self.relation, self.data, self.columns, kinds, (*self.where, *more))

    def run(self, query: str, values: Sequence[Any] = ()) -> Any:
        first, *rest = query.split("?")
        return self.relation_of(first + "".join(literal(v) + part for v, part in zip(values, rest, strict=True)))

    def relation_of(self, query: str) -> Any:
        counted = f"(SELECT * FROM data{self._terms(literals=True)})"
        return self.relation.query(VIEW, f"WITH data AS ({self.data}), counted AS {counted} {query}")

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM {VIEW} AS r({', '.join(self._places.values())})")[0]


def open_relation(relation: Any) -> RelationTable:
    """A DuckDB relation as a table."""
    columns = tuple(str(name) for name in relation.columns)
    places = [f"c{i}" for i in range(len(columns))]
    found = [plain_column(place, str(type_)) for place, type_ in zip(places, relation.types, strict=True)]
    given = f"SELECT * FROM {VIEW} AS r({', '.join(places)})"
    numbers = without_nan(
        lambda query: relation.query(VIEW, f"WITH given AS ({given}) {query}"),
        {place: name for place, name, (_, kind) in zip(places, columns, found, strict=True) if kind == "number"},
    )
    parts = ", ".join(f"{numbers.get(place, part)} AS {place}" for place, (part, _) in zip(places, found, strict=True))
    data = f"SELECT {parts} FROM {VIEW} AS r({', '.join(places)})"
    table = RelationTable(relation, data, columns, tuple(kind for _, kind in found))
    if table.n == 0:
        raise InputError("the table has no rows")
    return table


_numbers = count()


class WideFileTable(FileTable):
    """Rows of the table `source` of the connection, which holds what `data` holds of other files."""

    @classmethod
    def made(cls, table: FileTable, query: str, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> WideFileTable:
        """The answer of a query over `data` as a table, made once; DuckDB may put parts of it on disk."""
        assert table.connection is not None
        source = f"wide_{next(_numbers)}"
        with table._reading():
            table.connection.cursor().execute(f"CREATE TABLE {source} AS {query}")
        return cls._over(source, table, columns, kinds, ())

    @classmethod
    def _over(
        cls, source: str, table: FileTable, columns: tuple[str, ...], kinds: tuple[Kind, ...], where: Any
    ) -> WideFileTable:
        made = cls.__new__(cls)
        made.source = source
        FileTable.__init__(made, table.connection, table.name, columns, kinds, where)
        made.provenance = table.provenance
        return made

    def _where(self, more: tuple[tuple[str, Any], ...]) -> WideFileTable:
        return self._over(self.source, self, self.columns, tuple(self._kinds.values()), (*self.where, *more))

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]


class WideRelationTable(RelationTable):
    """A relation put side by side; nothing is known of its columns but by asking."""

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]
