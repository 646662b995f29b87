"""Answers of lazy engines as NumPy columns: the one place that knows how each engine hands over a small table.

Narwhals writes the queries for all engines alike; what they answer is taken from the engine itself, since collecting
through narwhals would need pyarrow even where the engine does without.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.inputs._arrays import Column


def answer(frame: Any) -> dict[str, Column]:
    """The columns of a lazy narwhals frame: None, or NaN in floats, where a value is missing."""
    native = frame.to_native()
    engine = type(native).__module__.split(".")[0]
    take = {"polars": _polars, "ibis": _ibis, "pyspark": _spark}.get(engine)
    if take is None:
        return _arrow(frame.collect(backend="pyarrow").to_native())
    return take(native)


def spark_by_position(frame: Any, names: list[str]) -> Any:
    """A Spark table under other column names, given by position: dots, backticks and twins cannot matter then."""
    return frame.toDF(*names)


def is_spark(frame: Any) -> bool:
    """Whether this is a Spark table, without loading pyspark."""
    return type(frame).__module__.split(".")[0] == "pyspark" and hasattr(frame, "toDF")


def _polars(frame: Any) -> dict[str, Column]:
    found = frame.collect()
    return {
        column.name: np.array(column.to_list(), dtype=object) if _gaps(column) else column.to_numpy()
        for column in found.get_columns()
    }


def _gaps(column: Any) -> bool:
    """Whether polars would change values on the way: whole numbers and booleans with gaps turn into floats."""
    return bool(column.null_count()) and not column.dtype.is_float()


def _ibis(table: Any) -> dict[str, Column]:
    return _arrow(table.to_pyarrow())


def _spark(frame: Any) -> dict[str, Column]:
    if hasattr(frame, "toArrow"):
        return _arrow(frame.toArrow())
    rows = frame.collect()  # Spark before 4
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(frame.columns)}


def _arrow(table: Any) -> dict[str, Column]:
    return {name: _arrow_column(table.column(name)) for name in table.column_names}


def _arrow_column(column: Any) -> Column:
    kind = str(column.type)
    if column.null_count and not kind.startswith(("double", "float")):
        return _column(column.to_pylist())
    return np.asarray(column.to_numpy())


def _column(values: list[Any]) -> Column:
    """Plain values as an array; floats with gaps as floats."""
    if values and all(v is None or isinstance(v, float) for v in values) and any(v is not None for v in values):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if values and all(isinstance(v, int | bool) for v in values):
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def unmasked(array: Any) -> Column:
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
