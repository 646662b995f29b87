"""Parquet files as one view of DuckDB's: the same columns in all of them, and those that folders name (site=a/…)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb

from trueerror.inputs.errors import FileError
from trueerror.rows.fileerrors import refuse_other_columns, refuse_parquet
from trueerror.rows.paths import Files
from trueerror.rows.sqltext import described, listed


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
