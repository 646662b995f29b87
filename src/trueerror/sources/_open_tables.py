"""Tables as people have them, opened: frames of every library, mappings, sheets, databases."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from trueerror.inputs._arrays import Foreign
from trueerror.inputs._options import FileError, InputError
from trueerror.results import Result
from trueerror.sources._bytes import check_archive
from trueerror.sources._paths import DATABASES, DUCKDB_FILES, OF_TABLES, asking, begins_duckdb
from trueerror.sources._table_types import FILE_SETS, is_relation, is_stream
from trueerror.sources._tables import ColumnsTable, InputTable


def _cells(values: object) -> object:
    """A column whose cells are lists, such as the probabilities of all classes, stays one column."""
    nested = isinstance(values, list) and len(values) > 0 and isinstance(values[0], list | tuple | dict)
    if not nested:
        return values
    cells = np.empty(len(cast("list[object]", values)), dtype=object)
    cells[:] = [str(v) if isinstance(v, list | tuple) else v for v in cast("list[object]", values)]
    return cells


def _column(series: Foreign) -> Foreign:
    import narwhals as nw

    if series.dtype == nw.Boolean or series.dtype.is_integer():
        # Whole numbers with gaps would turn into floats on the way, and large ones change.
        # NumPy has none of 128 bits.
        wide = series.dtype in (nw.Int128, nw.UInt128)
        return series.to_list() if wide or series.null_count() else series.to_numpy()
    if "string_view" in str(getattr(series.to_native(), "dtype", "")):
        return series.to_list()  # pandas does not hand over such texts
    # A gap in Arrow's dictionaries would become their last value.
    coded = series.dtype in (nw.Categorical, nw.Enum, nw.Unknown)
    return series.to_list() if coded and series.null_count() else series.to_numpy()


def open_frame(frame: Foreign) -> InputTable:
    """A data frame, or a mapping of columns, as a table in memory; a lazy table as one that stays in its engine.

    >>> open_frame({"truth": [0, 1], "svm": [0.1, 0.9]}).columns
    ('truth', 'svm')
    """
    if isinstance(frame, Mapping) and not isinstance(frame, Result):
        return ColumnsTable({name: _cells(values) for name, values in frame.items()})
    with asking(type(frame).__module__.split(".")[0]):
        frame = _behind(frame)
    if is_relation(frame):
        from trueerror.sources.engines._duckdb_tables import open_relation

        return open_relation(frame)
    import narwhals as nw

    _refuse_twins(frame)
    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"cannot read a {type(frame).__name__}: te.read takes a path, a data frame, or a mapping of columns"
        ) from None
    if not isinstance(wrapped, nw.DataFrame):
        from trueerror.sources.engines._narwhals import open_lazy

        return open_lazy(wrapped, frame, "polars" if type(frame).__module__.startswith("polars") else None)
    columns = {str(name): _column(wrapped.get_column(name)) for name in wrapped.columns}
    library = type(frame).__module__.split(".")[0]
    table = ColumnsTable(columns, backend=library if library in ("pandas", "polars", "pyarrow") else None)
    table.index_names = tuple(getattr(getattr(frame, "index", None), "names", ()))
    return table


# Ending → what it is, the function of pandas that reads it, and what pandas needs for it.
PROGRAMS = {
    **dict.fromkeys((".xlsx", ".xlsm"), ("an Excel file", "read_excel", "openpyxl")),
    ".xls": ("an old Excel file", "read_excel", "xlrd"),
    ".ods": ("an OpenDocument file", "read_excel", "odfpy"),
    ".dta": ("a Stata file", "read_stata", ""),
    **dict.fromkeys((".sav", ".zsav"), ("an SPSS file", "read_spss", "pyreadstat")),
    ".sas7bdat": ("a SAS file", "read_sas", ""),
    # pandas reads 0 in transport files as 5e-79, and the newer ones not at all.
    ".xpt": ("a SAS transport file", "read_xport", "pyreadstat"),
    ".por": ("an SPSS portable file", "read_por", "pyreadstat"),
    **dict.fromkeys((".feather", ".arrow"), ("a Feather file", "read_feather", "pyarrow")),
    ".orc": ("an ORC file", "read_orc", "pyarrow"),
}
# A workbook unpacks to ten times its size, and its cells take more memory than that.
MOST_SHEETS, SHEETS_TIMES = 16 << 20, 25
PICKLES = (".pkl", ".pickle", ".joblib")


def holds_tables(path: object) -> bool:
    """Whether this names a file that may hold several tables: a database, or a workbook with its sheets."""
    return isinstance(path, str | os.PathLike) and Path(path).suffix.lower() in OF_TABLES


def alone(source: Foreign) -> Foreign:
    """A database or a workbook that is the only one of a list, itself; others as they are."""
    listed = isinstance(source, list | tuple) and len(source) == 1 and holds_tables(source[0])
    return source[0] if listed else source


def table_for(source: object, beside: object, table: str | None) -> str | None:
    """The name of a table for one of two sources: that of a database is none of the CSV file beside it.

    >>> table_for("old.csv", "runs.sqlite", "may"), table_for("runs.sqlite", "old.csv", "may")
    (None, 'may')
    """
    return None if holds_tables(alone(beside)) and not holds_tables(alone(source)) else table


def columns_for(source: object, beside: object, columns: Mapping[str, Foreign]) -> dict[str, Foreign]:
    """Options of te.read for one of two sources."""
    given = dict(columns)
    return given | {"table": table_for(source, beside, given["table"])} if "table" in given else given


def check_table_name(source: object, table: str | None) -> None:
    """The name of a table goes with one file that may hold several, and is refused elsewhere."""
    if table is None or holds_tables(alone(source)):
        return
    several = isinstance(source, list | tuple) and any(map(holds_tables, source))
    raise InputError(
        f"table={table!r} names a table of a SQLite or DuckDB file, or a sheet of a workbook: "
        + ("name one such file alone" if several else "leave it out here")
    )


def file_table(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], table: str | None = None) -> InputTable:
    """The table in a file of any kind, or in several files of one format; `table` is one of those in a database or a
    workbook."""
    from trueerror.sources.engines._duckdb_tables import open_files

    check_table_name(path, table)
    return foreign_table(alone(path), table) or open_files(path)


def foreign_table(path: Foreign, table_name: str | None = None) -> InputTable | None:
    """The table in a file of another program, read through pandas; None where the ending is none of theirs.

    `table_name` chooses among the tables of a database and the sheets of a workbook.
    """
    file = Path(path) if isinstance(path, str | os.PathLike) else None
    ending = "" if file is None else file.suffix.lower()
    if file is None or not os.path.isfile(file):  # also of a name that no system takes
        return None
    if ending in PICKLES:
        raise FileError(
            f"{file.name} is a pickle, which can run anything when it is opened: save the table as Parquet or CSV"
        )
    if ending in DATABASES or ending in DUCKDB_FILES:
        with open(file, "rb") as stream:
            is_duckdb = ending in DUCKDB_FILES or begins_duckdb(stream.read(20))
        return _duckdb_table(file, table_name) if is_duckdb else _sqlite_table(file, table_name)
    if ending not in PROGRAMS:
        return None
    what, function, needs = PROGRAMS[ending]
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            check_archive(file, archive.infolist(), MOST_SHEETS, SHEETS_TIMES)
    packages = "pandas" + (f" {needs}" if needs else "")
    try:
        import pandas
    except ImportError:
        raise FileError(f"{file.name} is {what}: pip install {packages}, or save it as CSV or Parquet") from None
    notes: tuple[str, ...] = ()
    try:
        if function == "read_excel":
            frame, notes = _sheet(
                pandas.read_excel(file, sheet_name=None, dtype=object, na_filter=False), file.name, table_name
            )
        elif hasattr(pandas, function):
            frame = getattr(pandas, function)(file)
        else:
            frame, _ = getattr(import_module(needs), function)(file)
    except ImportError:
        raise FileError(f"{file.name} is {what}: pip install {packages}, or save it as CSV or Parquet") from None
    except FileError:
        raise
    except Exception as error:  # noqa: BLE001
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(f"{file.name} cannot be read as {what}: {reason}") from None
    for name in frame.columns:
        if frame[name].dtype == object and any(isinstance(v, bytes) for v in frame[name]):
            frame[name] = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in frame[name]]
    table = cast("ColumnsTable", open_frame(frame))
    table.name, table.provenance, table.notes = file.name, file.name, notes
    return table


def _sheet(sheets: Mapping[str, Any], name: str, wanted: str | None) -> tuple[Any, tuple[str, ...]]:
    """The sheet that was named, or the first one with several columns and rows: others are words about it."""
    if wanted is not None:
        return sheets[_one_of(list(sheets), wanted, name)], ()
    tables = [sheet for sheet, frame in sheets.items() if min(frame.shape) > 1]
    chosen = tables[0] if tables else next(iter(sheets))
    return sheets[chosen], (f"Read the sheet {chosen!r} of {len(sheets)} in {name}.",) if len(sheets) > 1 else ()


def _one_of(names: Sequence[str], wanted: str | None, file: str, instead: str = "") -> str:
    """The table that was named, or the only one; `instead` is another way to name one."""
    listed = f"{', '.join(map(repr, names[:12]))}{', …' if len(names) > 12 else ''}"
    if wanted is not None and wanted not in names:
        raise FileError(f"{file} has no table {wanted!r}; it has {listed or 'none'}")
    if wanted is not None or len(names) == 1:
        return wanted or names[0]
    if not names:
        raise FileError(f"{file} holds no table")
    raise FileError(f"{file} holds {len(names)} tables ({listed}): name the one that is meant with table={instead}")


def _identifier(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _duckdb_table(file: Path, wanted: str | None) -> InputTable:
    """One table of a DuckDB file, opened for reading only and counted there; those of other schemas as schema.name."""
    import duckdb

    from trueerror.sources.engines._duckdb_tables import open_relation

    try:
        # A view of a stranger's must not reach other files; a connection that the user has open stays as it is.
        database = duckdb.connect(str(file), read_only=True, config={"enable_external_access": "false"})
        listed = database.execute("SELECT table_schema, table_name FROM information_schema.tables").fetchall()
    except duckdb.Error as error:
        raise _not_duckdb(file, error) from None
    places = {(name if schema == "main" else f"{schema}.{name}"): (schema, name) for schema, name in listed}
    try:
        chosen = _one_of(sorted(places), wanted, file.name, ', or pass connection.table("name")')
        relation = database.table(".".join(map(_identifier, places[chosen])))
    except FileError:
        database.close()
        raise
    except duckdb.Error as error:
        database.close()
        raise _not_duckdb(file, error) from None
    table = open_relation(relation)
    table.name = table.provenance = file.name
    return table


def _not_duckdb(file: Path, error: Exception) -> FileError:
    reason = str(error).splitlines()[0].replace(str(file.absolute()), file.name).replace(str(file), file.name)
    return FileError(f'{file.name} cannot be read as DuckDB: {reason}; pass the table itself, connection.table("name")')


def _sqlite_table(file: Path, wanted: str | None) -> InputTable:
    """One table of an SQLite file, opened for reading only."""
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            names = [
                str(name)
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
                )
            ]
            chosen = _one_of(names, wanted, file.name, ", or pass the frame that pandas.read_sql makes of it")
            cursor = database.execute(f"SELECT * FROM {_identifier(chosen)}")
            columns = [str(part[0]) for part in cursor.description]
            rows = cursor.fetchall()
    except sqlite3.Error as error:
        raise FileError(f"{file.name} cannot be read as SQLite: {error}") from None
    if not rows:
        raise FileError(f"{file.name} has column names but no rows")
    cells = zip(*rows, strict=True)
    return ColumnsTable(
        {name: list(values) for name, values in zip(columns, cells, strict=True)}, name=file.name, provenance=file.name
    )


def _behind(frame: Foreign) -> Foreign:
    """The table of the engine that holds the rows of a set of files, an Ibis table or a stream; others as they are."""
    library, name = type(frame).__module__.split(".")[0], type(frame).__name__
    if library == "narwhals":
        return _behind(frame.to_native())
    if (library, name) in FILE_SETS:
        return _file_set(frame, library)
    if library == "ibis" and hasattr(frame, "get_backend"):
        return _behind_ibis(frame)
    return held(frame)


def held(frame: Foreign) -> Foreign:
    """A stream or a batch of Arrow as a table in memory; others as they are."""
    if not is_stream(frame) and type(frame).__name__ != "RecordBatch":
        return frame
    import pyarrow as pa

    return pa.table(frame)


def _file_set(frame: Foreign, library: str) -> Foreign:
    """The relation of a pyarrow Dataset, a Delta table, an Iceberg table or Ray's Dataset."""
    import duckdb

    if library == "pyiceberg":
        frame = frame.scan().to_arrow_batch_reader().read_all()
    if library == "ray":
        import pyarrow as pa
        import ray

        # Blocks come from Ray's own store, which they share with this process.
        frame = pa.concat_tables(ray.get(frame.to_arrow_refs()))
    dataset = frame.to_pyarrow_dataset() if library == "deltalake" else frame
    return duckdb.from_arrow(dataset)


def _behind_ibis(frame: Foreign) -> Foreign:
    """The relation or the LazyFrame behind an Ibis table: DuckDB hides NaN in Parquet files from Ibis, and Ibis does
    not write for polars what narwhals asks it."""
    engine = frame.get_backend()
    if engine.name == "polars":
        return engine.compile(frame)
    if engine.name != "duckdb":
        return frame
    # Rows in memory reach DuckDB when something is asked of them.
    frame.limit(0).count().to_pyarrow()
    return engine.con.sql(engine.compile(frame))


def _refuse_twins(frame: object) -> None:
    """Two columns of one name cannot both be used; pyarrow calls its names `column_names`."""
    if hasattr(frame, "collect"):
        return
    names: object = getattr(frame, "column_names", None)
    names = getattr(frame, "columns", None) if names is None else names
    if not isinstance(names, Iterable):
        return
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise InputError(f"two columns of the table are called {name!r}; rename one")
        seen.add(name)
