"""Counts, shares and columns of measured numbers, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import check_indexes, column, same_length
from trueerror.inputs.errors import InputError

Floats = NDArray[np.float64]


def count(value: Any, name: str) -> int:
    """A whole number, zero or more; 12.0 is taken for 12.

    >>> count(12.0, "n")
    12
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number; give a count") from None
    if math.isnan(number) or math.isinf(number) or number < 0 or number != math.floor(number):
        raise InputError(f"{name}={value!r:.40} must be a whole number, zero or more")
    return int(value) if isinstance(value, int) else int(number)


def open_share(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number; give a share such as 0.8") from None
    if not 0 < share < 1:
        raise InputError(f"{name}={value!r:.40} must lie strictly between 0 and 1")
    return share


def numbers(values: Any, name: str) -> Floats:
    """A column of finite numbers; NaN, infinities and text are errors that name the row.

    >>> numbers([1, 0.5], "first")
    array([1. , 0.5])
    """
    array = column(values, name)
    try:
        floats = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers, but it holds {array.flat[0]!r:.30}") from None
    wrong = ~np.isfinite(floats)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{name} has {floats[row]} at row {row + 1:,}; leave such rows out of both columns")
    return floats


def paired_numbers(first: Any, second: Any) -> tuple[Floats, Floats]:
    """Two columns of numbers that belong together row by row."""
    check_indexes({"first": first, "second": second})
    columns = {"first": numbers(first, "first"), "second": numbers(second, "second")}
    same_length(columns)
    return columns["first"], columns["second"]
