"""Opening files with DuckDB: CSV, TSV, Parquet, JSON and JSON Lines as one table of safely named columns.

Paths come from strangers and are quoted literals. The connection has no network, loads no extension and, once the
rows are in, reads no other file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from trueerror.inputs.errors import FileError
from trueerror.rows.fileerrors import refuse_csv, refuse_json, refuse_parquet
from trueerror.rows.files import FileTable
from trueerror.rows.headers import Header, read_header
from trueerror.rows.paths import Files, find_files
from trueerror.rows.tables import Kind

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
MISSING = ("", "NA", "NaN", "nan")


def open_files(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> FileTable:
    """The table in one file or several of one format."""
    workshop = Path(tempfile.mkdtemp(prefix="trueerror-"))
    try:
        files = find_files(path, workshop)
        connection = _connect(workshop)
        if files.format == "csv":
            names, types = _load_csv(connection, files)
        elif files.format == "json":
            names, types = _load_json(connection, files)
        else:
            names, types = _view_parquet(connection, files)
        kinds = _normalise(connection, types, text_booleans=files.format == "csv")
        connection.execute("SET lock_configuration = true")
        table = FileTable(connection, files.name, names, kinds)
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
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = true")
    return connection


def quoted(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _listed(texts: Sequence[Any]) -> str:
    return "[" + ", ".join(quoted(str(text)) for text in texts) + "]"


def _load_csv(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    header = read_header(files)
    try:
        connection.execute(
            _csv_query(files, header, "auto_type_candidates = ['BIGINT', 'HUGEINT', 'DOUBLE', 'VARCHAR']")
        )
    except duckdb.ConversionException:
        # The types were told from the first rows, and a later one does not fit: look at all rows.
        try:
            options = "auto_type_candidates = ['BIGINT', 'HUGEINT', 'DOUBLE', 'VARCHAR'], sample_size = -1"
            connection.execute(_csv_query(files, header, options))
        except duckdb.Error as error:
            raise refuse_csv(files, header.names, error) from None
    except duckdb.Error as first:
        raise refuse_csv(files, header.names, _exact_error(connection, files, header) or first) from None
    connection.execute("SET enable_external_access = false")
    return header.names, _types(connection, "raw")


def _exact_error(connection: duckdb.DuckDBPyConnection, files: Files, header: Header) -> duckdb.Error | None:
    """Without guessing types, DuckDB says in which row a file breaks."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    try:
        connection.execute(_csv_query(files, header, f"auto_detect = false, columns = {{{columns}}}", names=False))
    except duckdb.Error as error:
        return error
    return None


def _csv_query(files: Files, header: Header, options: str, *, names: bool = True) -> str:
    ending = (
        "" if header.newline is None else f"new_line = {quoted(header.newline.encode('unicode_escape').decode())}, "
    )
    named = f"names = {_listed([f'c{i}' for i in range(len(header.names))])}, " if names else ""
    return (
        f"CREATE TABLE raw AS SELECT * FROM read_csv({_listed(files.paths)}, header = true, skip = 0, "
        f"delim = {quoted(header.delimiter)}, quote = '\"', escape = '\"', comment = '', nullstr = {_listed(MISSING)}, "
        f"decimal_separator = {quoted(header.decimal)}, compression = {quoted('gzip' if files.gzipped else 'none')}, "
        f"hive_partitioning = false, {ending}{named}{options})"
    )


def _load_json(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    compression = quoted("gzip" if files.gzipped else "none")
    try:
        connection.execute(
            f"CREATE TABLE raw AS SELECT * FROM read_json({_listed(files.paths)}, sample_size = -1, "
            f"compression = {compression}, hive_partitioning = false)"
        )
    except duckdb.Error as error:
        raise refuse_json(files, error) from None
    connection.execute("SET enable_external_access = false")
    names, types = _described(connection, "raw")
    if len(connection.execute("SELECT 1 FROM raw LIMIT 2").fetchall()) == 1 and all(
        t.endswith("[]") or t.startswith(("STRUCT", "MAP")) for t in types
    ):
        raise FileError(f"{files.name} holds one object of columns; write one object for each row (JSON Lines)")
    return names, types


def _view_parquet(connection: duckdb.DuckDBPyConnection, files: Files) -> tuple[tuple[str, ...], list[str]]:
    if files.gzipped:
        raise FileError(f"{files.name} is a gzipped Parquet file; unpack it: Parquet is compressed inside")
    try:
        connection.execute(
            f"CREATE VIEW raw AS SELECT * FROM read_parquet({_listed(files.paths)}, hive_partitioning = false)"
        )
        names, types = _described(connection, "raw")
        schema = connection.execute(
            "SELECT name, num_children FROM parquet_schema(?)", [str(files.paths[0])]
        ).fetchall()
    except duckdb.Error as error:
        raise refuse_parquet(files, error) from None
    # DuckDB renames columns that differ in case only; the file's own names are the ones that people know.
    flat = tuple(str(name) for name, children in schema[1:] if not children)
    return (flat if len(flat) == len(names) and len(schema) == len(names) + 1 else names), types


def _described(connection: duckdb.DuckDBPyConnection, relation: str) -> tuple[tuple[str, ...], list[str]]:
    found = connection.execute(f"DESCRIBE {relation}").fetchall()
    return tuple(str(row[0]) for row in found), [str(row[1]) for row in found]


def _types(connection: duckdb.DuckDBPyConnection, relation: str) -> list[str]:
    return _described(connection, relation)[1]


def _normalise(connection: duckdb.DuckDBPyConnection, types: list[str], *, text_booleans: bool) -> tuple[Kind, ...]:
    """The view `data`: few types, NULL the only missing value, no −0.0."""
    places = [f"c{i}" for i in range(len(types))]
    boolean = [False] * len(types)
    texts = [i for i, t in enumerate(types) if t == "VARCHAR"]
    if text_booleans and texts:
        renamed = f"raw AS r({', '.join(places)})"
        terms = ", ".join(f"bool_and(lower({places[i]}) IN ('true', 'false'))" for i in texts)
        for i, answer in zip(texts, connection.execute(f"SELECT {terms} FROM {renamed}").fetchall()[0], strict=True):
            boolean[i] = answer is True
    kinds: list[Kind] = []
    parts = []
    for place, type_, is_boolean in zip(places, types, boolean, strict=True):
        part, kind = _plain(place, type_, is_boolean)
        kinds.append(kind)
        parts.append(f"{part} AS {place}")
    connection.execute(f"CREATE VIEW data AS SELECT {', '.join(parts)} FROM raw AS r({', '.join(places)})")
    return tuple(kinds)


def _plain(place: str, type_: str, text_boolean: bool) -> tuple[str, Kind]:
    if text_boolean:
        return f"lower({place}) = 'true'", "boolean"
    if type_ == "BOOLEAN":
        return place, "boolean"
    if type_ in WHOLE:
        return place, "integer"
    if type_ in ("FLOAT", "DOUBLE") or type_.startswith("DECIMAL"):
        number = f"{place}::DOUBLE"
        return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} + 0.0::DOUBLE END", "number"
    if type_.startswith(("DATE", "TIME", "INTERVAL")):
        return f"{place}::VARCHAR", "date"
    text = type_ in ("VARCHAR", "UUID", "HUGEINT", "UHUGEINT") or type_.startswith("ENUM")
    return f"{place}::VARCHAR", "text" if text else "other"
