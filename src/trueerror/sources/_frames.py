"""Data frames, those that hold their rows (pandas, polars, pyarrow, …) and lazy ones, through narwhals.

Files of other programs (Excel, Stata, SPSS, SAS, …) become frames first, by pandas; nothing is ever unpickled.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from trueerror.inputs._arrays import FILE_SETS, Foreign, is_relation
from trueerror.inputs._options import FileError, InputError
from trueerror.sources._protocols import ColumnsTable, InputTable


def open_frame(frame: Foreign) -> InputTable:
    """A data frame, or a mapping of columns, as a table in memory; a lazy table as one that stays in its engine.

    >>> open_frame({"truth": [0, 1], "svm": [0.1, 0.9]}).columns
    ('truth', 'svm')
    """
    if isinstance(frame, Mapping):
        return ColumnsTable({name: _cells(values) for name, values in frame.items()})
    relation = frame if is_relation(frame) else _file_set(frame) or _duckdb_behind(frame)
    if relation is not None:
        from trueerror.sources.engines._duckdb_tables import open_relation

        return open_relation(relation)
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
    return ColumnsTable(columns, backend=library if library in ("pandas", "polars", "pyarrow") else None)


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
PICKLES = (".pkl", ".pickle", ".joblib")
DATABASES = (".sqlite", ".sqlite3", ".db")


def foreign_table(path: Foreign) -> InputTable | None:
    """The table in a file of another program, read through pandas; None where the ending is none of theirs."""
    file = Path(path) if isinstance(path, str | os.PathLike) else None
    ending = "" if file is None else file.suffix.lower()
    if file is None or not os.path.isfile(file):  # also of a name that no system takes
        return None
    if ending in PICKLES:
        raise FileError(
            f"{file.name} is a pickle, which can run anything when it is opened: save the table as Parquet or CSV"
        )
    if ending in DATABASES:
        return _sqlite_table(file)
    if ending not in PROGRAMS:
        return None
    what, function, needs = PROGRAMS[ending]
    packages = "pandas" + (f" {needs}" if needs else "")
    try:
        import pandas
    except ImportError:
        raise FileError(f"{file.name} is {what}: pip install {packages}, or save it as CSV or Parquet") from None
    notes: tuple[str, ...] = ()
    try:
        if function == "read_excel":
            frame, notes = _sheet(pandas.read_excel(file, sheet_name=None), file.name)
        elif hasattr(pandas, function):
            frame = getattr(pandas, function)(file)
        else:
            frame, _ = getattr(import_module(needs), function)(file)
    except ImportError:
        raise FileError(f"{file.name} is {what}: pip install {packages}, or save it as CSV or Parquet") from None
    except Exception as error:  # noqa: BLE001
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(f"{file.name} cannot be read as {what}: {reason}") from None
    for column in frame.columns:
        if frame[column].dtype == object and any(isinstance(v, bytes) for v in frame[column]):
            frame[column] = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in frame[column]]
    made = open_frame(frame)
    table = ColumnsTable(
        {c: made.values(c) for c in made.columns}, name=file.name, backend="pandas", provenance=file.name
    )
    table.notes = notes
    return table


def _sheet(sheets: Mapping[str, Any], name: str) -> tuple[Any, tuple[str, ...]]:
    """The first sheet of a workbook with several columns and rows: others are words about it."""
    tables = [sheet for sheet, frame in sheets.items() if min(frame.shape) > 1]
    chosen = tables[0] if tables else next(iter(sheets))
    return sheets[chosen], (f"Read the sheet {chosen!r} of {len(sheets)} in {name}.",) if len(sheets) > 1 else ()


def _sqlite_table(file: Path) -> InputTable:
    """The one table of an SQLite file, opened for reading only."""
    import sqlite3

    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            names = [
                str(name)
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
                )
            ]
            if len(names) != 1:
                shown = ", ".join(map(repr, names[:12])) or "none"
                raise FileError(
                    f"{file.name} holds {len(names)} tables ({shown}): save the one that is meant as CSV, or pass the "
                    "frame that pandas.read_sql makes of it"
                )
            quoted = names[0].replace('"', '""')
            found = database.execute(f'SELECT * FROM "{quoted}"')
            columns = [str(part[0]) for part in found.description]
            rows = found.fetchall()
    except sqlite3.Error as error:
        raise FileError(f"{file.name} cannot be read as SQLite: {error}") from None
    if not rows:
        raise FileError(f"{file.name} has column names but no rows")
    cells = zip(*rows, strict=True)
    return ColumnsTable(
        {name: list(values) for name, values in zip(columns, cells, strict=True)}, name=file.name, provenance=file.name
    )


def _file_set(frame: Foreign) -> Foreign:
    """The relation of a pyarrow Dataset, a Delta table or an Iceberg table; None of anything else."""
    library, name = type(frame).__module__.split(".")[0], type(frame).__name__
    if (library, name) not in FILE_SETS:
        return None
    import duckdb

    if library == "pyiceberg":
        frame = frame.scan().to_arrow_batch_reader().read_all()
    dataset = frame.to_pyarrow_dataset() if library == "deltalake" else frame
    return duckdb.from_arrow(dataset)


def _duckdb_behind(frame: Foreign) -> Foreign:
    """The relation behind an Ibis table on DuckDB, which hides NaN in Parquet files from Ibis: see `nans`."""
    if type(frame).__module__.split(".")[0] != "ibis" or not hasattr(frame, "get_backend"):
        return None
    engine = frame.get_backend()
    if engine.name != "duckdb":
        return None
    # Rows in memory reach DuckDB when something is asked of them.
    frame.limit(0).to_pyarrow()
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
        return series.to_list() if series.null_count() else series.to_numpy()
    if series.dtype in (nw.Categorical, nw.Enum):
        return series.cast(nw.String).to_numpy()
    return series.to_numpy()
