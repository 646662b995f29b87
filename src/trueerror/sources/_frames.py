"""Data frames, those that hold their rows (pandas, polars, pyarrow, …) and lazy ones, through narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trueerror.inputs._arrays import Foreign
from trueerror.inputs._options import InputError
from trueerror.sources._protocols import ColumnsTable, InputTable

LAZY_TYPES = (("polars", "LazyFrame"), ("pyspark", "DataFrame"), ("ibis", "Table"))
# Files that a library has opened and not read; DuckDB reads them through Arrow.
FILE_SETS = (
    ("pyarrow", "FileSystemDataset"), ("pyarrow", "InMemoryDataset"), ("pyarrow", "UnionDataset"),
    ("deltalake", "DeltaTable"), ("pyiceberg", "Table"),
)  # fmt: skip


def open_frame(frame: Foreign) -> InputTable:
    """A data frame, or a mapping of columns, as a table in memory; a lazy table as one that stays in its engine.

    >>> open_frame({"truth": [0, 1], "svm": [0.1, 0.9]}).columns
    ('truth', 'svm')
    """
    if isinstance(frame, Mapping):
        return ColumnsTable(frame)
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


def is_relation(frame: object) -> bool:
    """Whether this is a DuckDB relation, without loading DuckDB."""
    return type(frame).__name__ == "DuckDBPyRelation" and type(frame).__module__.split(".")[0] in ("duckdb", "_duckdb")


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


def is_lazy(frame: object) -> bool:
    """Whether this is a lazy table that te.read takes, without loading its library."""
    library = type(frame).__module__.split(".")[0]
    name = type(frame).__name__
    return is_relation(frame) or (library, name) in LAZY_TYPES + FILE_SETS


def is_table(frame: object) -> bool:
    """Whether this is a whole table that te.read takes, lazy or not, rather than one column of it."""
    library = type(frame).__module__.split(".")[0]
    held = library in ("pandas", "polars", "pyarrow") and type(frame).__name__ in ("DataFrame", "Table")
    return held or is_lazy(frame)


def _refuse_twins(frame: object) -> None:
    """Two columns of one name cannot be told apart; pyarrow calls its names `column_names`."""
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


def _column(series: Foreign) -> Foreign:
    import narwhals as nw

    if series.dtype == nw.Boolean or series.dtype.is_integer():
        # Whole numbers with gaps would turn into floats on the way, and large ones change.
        return series.to_list() if series.null_count() else series.to_numpy()
    if series.dtype in (nw.Categorical, nw.Enum):
        return series.cast(nw.String).to_numpy()
    return series.to_numpy()
