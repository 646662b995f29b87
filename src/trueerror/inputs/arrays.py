"""Anything array-like as a NumPy column; rows match by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError

Column = NDArray[Any]


def column(values: Any, name: str) -> Column:
    """One column: lists, arrays, and series of pandas, polars and pyarrow.

    >>> column([1, 2], "truth")
    array([1, 2])
    """
    array = _to_numpy(values, name)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        shape = " × ".join(str(s) for s in array.shape) or "a single value"
        raise InputError(f"{name} must be one column, but it is {shape}; pass a one-dimensional array")
    return array


def matrix(values: Any, name: str) -> Column:
    """One or two dimensions: a column, or one column for each class."""
    array = _to_numpy(values, name)
    if array.ndim not in (1, 2):
        raise InputError(f"{name} must have one or two dimensions, not {array.ndim}")
    return array


def _to_numpy(values: Any, name: str) -> Column:
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            filled = np.asarray(values).astype(object)
            filled[np.ma.getmaskarray(values)] = None
            return filled
        return np.asarray(values)
    if isinstance(values, str | bytes | Mapping) or values is None:
        raise InputError(f"{name} must be an array, not {type(values).__name__} {values!r:.40}")
    if not hasattr(values, "to_numpy") and hasattr(values, "collect"):
        raise InputError(f"{name} is a lazy column; collect it, or pass the whole table to te.read")
    if hasattr(values, "to_numpy"):
        kind = type(values).__module__.split(".")[0]
        return np.asarray(values.to_numpy(zero_copy_only=False) if kind == "pyarrow" else values.to_numpy())
    if not isinstance(values, Sized) and not hasattr(values, "__array__"):
        if not isinstance(values, Iterable):
            raise InputError(f"{name} must be an array, not the single value {values!r:.40}")
        values = list(values)
    items = values if hasattr(values, "__array__") else list(values)
    return _from_items(items, name)


def _from_items(items: Any, name: str) -> Column:
    if not isinstance(items, list):
        return np.asarray(items)
    # np.asarray turns ["a", 1] into strings without a word: lists of mixed kinds keep their objects.
    kinds = {type(item) for item in items}
    plain = len(kinds) <= 1 and kinds <= {int, bool, str}
    plain = plain or kinds <= {int, float} or all(issubclass(k, np.number) for k in kinds)
    plain = plain or (len(kinds) == 1 and all(issubclass(k, np.generic) for k in kinds))
    if plain or any(hasattr(item, "__len__") and not isinstance(item, str) for item in items[:1]):
        try:
            return np.asarray(items)
        except ValueError:
            raise InputError(f"{name} has rows of unequal lengths") from None
        except OverflowError:
            pass
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def same_length(columns: Mapping[str, Sized]) -> int:
    """The common number of rows; unequal lengths are an error that names both."""
    lengths = {name: len(values) for name, values in columns.items()}
    names = list(lengths)
    for name in names[1:]:
        if lengths[name] != lengths[names[0]]:
            raise InputError(
                f"{names[0]} has {lengths[names[0]]:,} rows but {name} has {lengths[name]:,}; "
                "rows match by position, so both must have the same number"
            )
    return lengths[names[0]] if names else 0


def check_indexes(columns: Mapping[str, Any]) -> None:
    """Two pandas inputs whose indexes differ are refused: position and index would disagree."""
    indexed = [
        (name, values.index)
        for name, values in columns.items()
        if type(values).__module__.split(".")[0] == "pandas" and hasattr(values, "index")
    ]
    for name, index in indexed[1:]:
        if len(index) == len(indexed[0][1]) and not index.equals(indexed[0][1]):
            raise InputError(
                f"{indexed[0][0]} and {name} are pandas objects with different indexes; rows match by position: "
                "reindex one of them, or pass plain arrays (.to_numpy()) if the positions are right, or ids="
            )


def missing_rows(array: Column) -> NDArray[np.bool_]:
    """Where a value is absent: None, NaN, NaT or pandas' NA."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind == "O":
        # pandas' NA has no truth value, so it must be asked for before anything is compared.
        return np.fromiter((v is None or _is_na(v) or v != v for v in array), dtype=bool, count=len(array))
    return np.zeros(len(array), dtype=bool)


def _is_na(value: object) -> bool:
    return type(value).__name__ == "NAType"
