"""CSV files into DuckDB: types from all rows, no guess at the dialect, no digit lost."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from trueerror.rows.fileerrors import refuse_csv
from trueerror.rows.headers import Header, read_header
from trueerror.rows.paths import Files
from trueerror.rows.sqltext import described, listed, quoted

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
