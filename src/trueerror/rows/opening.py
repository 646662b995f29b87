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

import duckdb

from trueerror.inputs.errors import FileError
from trueerror.rows.csvfiles import load_csv
from trueerror.rows.fileerrors import damaged, refuse_json
from trueerror.rows.files import FileTable
from trueerror.rows.nans import without_nan
from trueerror.rows.parquetfiles import view_parquet
from trueerror.rows.paths import Files, find_files
from trueerror.rows.sqltext import described, listed, quoted
from trueerror.rows.tables import Kind

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
