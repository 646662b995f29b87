"""Which things are whole tables, of which library, without loading it."""

from __future__ import annotations

LAZY_TYPES = (
    ("polars", "LazyFrame"), ("pyspark", "DataFrame"), ("ibis", "Table"), ("dask", "DataFrame"),
    ("narwhals", "LazyFrame"),
)  # fmt: skip


IN_MEMORY = (
    ("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch"),
    ("narwhals", "DataFrame"), ("modin", "DataFrame"), ("cudf", "DataFrame"),
)  # fmt: skip
# Files that a library has opened and not read; DuckDB reads them through Arrow.
FILE_SETS = (
    ("pyarrow", "FileSystemDataset"), ("pyarrow", "InMemoryDataset"), ("pyarrow", "UnionDataset"),
    ("deltalake", "DeltaTable"), ("pyiceberg", "Table"), ("ray", "Dataset"), ("ray", "MaterializedDataset"),
)  # fmt: skip


def is_relation(frame: object) -> bool:
    """Whether this is a DuckDB relation, without loading DuckDB."""
    return type(frame).__name__ == "DuckDBPyRelation" and type(frame).__module__.split(".")[0] in ("duckdb", "_duckdb")


def is_stream(frame: object) -> bool:
    """Whether this is a table of rows that only Arrow's interface gives, batch by batch; a column has no schema."""
    kind = type(frame)
    gives = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    return gives and hasattr(kind, "schema") and not is_relation(frame) and _names(frame) not in LAZY_TYPES + IN_MEMORY


def is_lazy(frame: object) -> bool:
    """Whether this is a lazy table that te.read takes, without loading its library."""
    return is_relation(frame) or _names(frame) in LAZY_TYPES + FILE_SETS or is_stream(frame)


def is_table(frame: object) -> bool:
    """Whether this is a whole table that te.read takes, lazy or not, rather than one column of it."""
    return _names(frame) in IN_MEMORY or is_lazy(frame)


def _names(frame: object) -> tuple[str, str]:
    """The library that a thing is from, and what it is there."""
    return type(frame).__module__.split(".")[0], type(frame).__name__
