"""Arrays that users give, checked: columns, matrices of counts, numbers, scores and row weights.

Rows match by position. Scores: higher is more positive, never flipped; −0.0 equals 0.0; NaN is an error. Weights say
how often a row stands for itself, or how it was sampled; which of the two is never guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._cells import changed_texts
from trueerror.inputs._options import InputError, check_word, in_few_words

# What a user may give as a column: a list, an array, a series of any library; for several models {name: column}.
# `column` and `matrix` check it.
ArrayLike: TypeAlias = object
# A frame, a series or a model of another library, known by its methods only.
Foreign: TypeAlias = Any
# What float() takes.
Numeric: TypeAlias = str | SupportsFloat | SupportsIndex
# An array of any type and shape, one of doubles, and one of one dimension.
Array = NDArray[Any]
Floats = NDArray[np.float64]
Column = NDArray[Any]


def column(values: ArrayLike, name: str) -> Column:
    """One column: lists, arrays, series of pandas, polars and pyarrow, tensors of torch, JAX and CuPy on any device.

    >>> column([1, 2], "truth")
    array([1, 2])
    """
    array = _in_memory(values, name)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        shape = " × ".join(str(s) for s in array.shape) or "a single value"
        raise InputError(f"{name} must be one column, but it is {shape}; pass a one-dimensional array")
    return _decimals(array) if array.dtype.kind == "O" else array


def matrix(values: ArrayLike, name: str) -> Column:
    """One or two dimensions: a column, or one column for each class."""
    array = _in_memory(values, name)
    if array.ndim not in (1, 2):
        raise InputError(f"{name} must have one or two dimensions, not {array.ndim}")
    return array


def _in_memory(values: ArrayLike, name: str) -> Column:
    """The values, whatever their library says where it cannot give them; polars panics, which is no Exception."""
    try:
        return _to_numpy(values, name)
    except (InputError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"{name} is a {type(values).__module__.split('.')[0]} {type(values).__name__} whose values cannot be had "
            f"({reason:.80}); pass it as a NumPy array"
        ) from None


def _to_numpy(values: ArrayLike, name: str) -> Column:
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            filled = np.asarray(values).astype(object)
            filled[np.ma.getmaskarray(values)] = None
            return filled
        # NumPy's text of variable length does not compare its gaps with anything.
        return values.astype(object) if hasattr(values.dtype, "na_object") else np.asarray(values)
    if type(values).__module__.startswith("scipy.sparse"):
        return np.asarray(cast("Foreign", values).toarray())
    if _is_tensor(values):
        return _from_tensor(values)
    if isinstance(values, str | bytes | Mapping) or values is None:
        raise InputError(f"{name} must be an array, not {in_few_words(values)}")
    relation = type(values).__name__ == "DuckDBPyRelation"
    if relation or (not hasattr(values, "to_numpy") and hasattr(values, "collect")):
        raise InputError(f"{name} is a lazy column; collect it, or pass the whole table to te.read")
    if hasattr(values, "to_numpy"):
        kind = type(values).__module__.split(".")[0]
        # Whole numbers that NumPy has no type for, and text that pandas does not hand over.
        if re.search("128|string_view", str(getattr(values, "dtype", ""))) and hasattr(values, "to_list"):
            return np.array(values.to_list(), dtype=object)
        if hasattr(values, "combine_chunks") and str(getattr(values, "type", "")).startswith("dictionary"):
            values = values.combine_chunks()  # a gap in a dictionary of several pieces would become its last value
        return np.asarray(values.to_numpy(zero_copy_only=False) if kind == "pyarrow" else values.to_numpy())
    if not isinstance(values, Sized | Iterable) and not hasattr(values, "__array__"):
        raise InputError(f"{name} must be an array, not {in_few_words(values)}")
    return _from_items(values if hasattr(values, "__array__") else list(cast("Iterable[object]", values)), name)


def _is_tensor(values: ArrayLike) -> bool:
    """Whether this is a tensor of torch, JAX, CuPy, TensorFlow or the like: it can be exchanged, or moved."""
    if hasattr(values, "to_numpy") or isinstance(values, type):
        return False
    return hasattr(values, "__dlpack__") or (hasattr(values, "dtype") and hasattr(values, "shape"))


def _from_tensor(tensor: Foreign) -> Column:
    """A tensor's values in memory: without its gradient, off its device, in a type that NumPy has.

    torch tracks gradients and knows bfloat16; CuPy moves by `get`; the others answer to `__array__` or DLPack.
    """
    steps = ("detach", "cpu", "resolve_conj", "resolve_neg")
    for step in steps if hasattr(tensor, "__array__") else (*steps, "get"):
        move = getattr(tensor, step, None)
        tensor = move() if callable(move) else tensor
    if str(getattr(tensor, "dtype", "")).endswith(("bfloat16", "float8_e5m2", "float8_e4m3fn")):
        tensor = tensor.float() if callable(getattr(tensor, "float", None)) else tensor.astype("float32")
    array = np.asarray(tensor) if hasattr(tensor, "__array__") else np.from_dlpack(tensor)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _from_items(items: object, name: str) -> Column:
    if not isinstance(items, list):
        return np.asarray(items)
    if items and _is_tensor(items[0]) and not isinstance(items[0], np.generic | np.ndarray):
        return np.asarray([_from_tensor(item) for item in items])
    # np.asarray turns ["a", 1] into strings without a word: lists of mixed kinds keep their objects.
    kinds = {type(item) for item in items}
    plain = len(kinds) <= 1 and kinds <= {int, bool, str}
    plain = plain or kinds <= {int, float} or all(issubclass(k, np.number) for k in kinds)
    plain = plain or (len(kinds) == 1 and all(issubclass(k, np.generic) for k in kinds))
    if plain or any(hasattr(item, "__len__") and not isinstance(item, str) for item in items[:1]):
        try:
            array = np.asarray(items)
            # Small whole numbers beside those from 2^63 up would turn into floats.
            if array.dtype.kind != "f" or kinds != {int}:
                return array
        except ValueError:
            raise InputError(f"{name} has rows of unequal lengths") from None
        except OverflowError:
            pass
    return as_objects(items)


# Doubles hold every whole number up to here and skip some beyond.
EXACT = 2**53


def _decimals(array: Column) -> Column:
    """Decimals and fractions as floats, or as whole numbers where floats lose digits; other columns as they are."""
    # A gap may be a NaN.
    first = next((v for v in array if not (v is None or _is_na(v) or isinstance(v, float))), None)
    if not isinstance(first, Decimal | Fraction):
        return array
    gone = missing_rows(array)
    present = array[~gone].tolist()
    if not all(isinstance(v, Decimal | Fraction | float | int) for v in present):
        return array
    if any(abs(v) >= EXACT for v in present) and all(math.isfinite(v) and v == int(v) for v in present):
        return _from_items([None if absent else int(v) for v, absent in zip(array, gone, strict=True)], "decimals")
    return np.array([math.nan if absent else float(v) for v, absent in zip(array, gone, strict=True)])


def plain_cells(array: Column) -> Column:
    """Text without the blanks around it, None where it says that the cell is missing; other cells as they are."""
    if array.dtype.kind not in "UTO":
        return array
    cells = array.tolist()
    plain = changed_texts({cell for cell in cells if isinstance(cell, str)})
    return as_objects([plain.get(c, c) if isinstance(c, str) else c for c in cells]) if plain else array


def as_objects(values: Sequence[object]) -> Column:
    """Values as they are, one a cell."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
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


def check_indexes(columns: Mapping[str, object]) -> None:
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


# Values of these types are there.
NEVER_MISSING = {str, int, bool}


def missing_rows(array: Column) -> NDArray[np.bool_]:
    """Where a value is absent: None, NaN, NaT or pandas' NA."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind in "mM":
        return np.isnat(array)
    if array.dtype.kind == "O" and set(map(type, array.tolist())) - NEVER_MISSING:
        # pandas' NA has no truth value, so it must be asked for before anything is compared.
        try:
            return np.fromiter((v is None or _is_na(v) or v != v for v in array), dtype=bool, count=len(array))
        except (ValueError, ArithmeticError):  # arrays within cells, a signalling NaN
            raise InputError("a column holds values that cannot be compared: one plain value a row is needed") from None
    return np.zeros(len(array), dtype=bool)


def _is_na(value: object) -> bool:
    return type(value).__name__ == "NAType"


def count_matrix(matrix: ArrayLike, *, square: bool = True) -> NDArray[np.int64]:
    """A table of whole numbers from 0 up, square unless told otherwise.

    >>> int(count_matrix([[50, 5], [10, 35]]).sum())
    100
    """
    values = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
    try:
        cells = np.asarray(values, dtype=object if isinstance(values, list) else None)
        if cells.dtype.kind == "c":
            raise TypeError
        cells = np.asarray(cells, dtype=np.float64) if cells.dtype.kind not in "iu" else cells
    except (TypeError, ValueError, OverflowError):
        raise InputError("the confusion matrix must be a square table of counts") from None
    if cells.ndim != 2 or (square and cells.shape[0] != cells.shape[1]):
        shape = " × ".join(map(str, cells.shape))
        column = "; of columns of labels te.Confusion.count(truth, predicted) makes one" if cells.ndim == 1 else ""
        raise InputError(f"the confusion matrix must be square, but it is {shape or 'a single value'}{column}")
    wrong = ~np.isfinite(cells) | (cells < 0) | (cells != np.floor(cells))
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InputError(f"counts are whole numbers from 0 up, but row {i + 1}, column {j + 1} is {cells[i, j]:g}")
    return cells.astype(np.int64)


# Third powers of larger counts leave the range of floats.
MOST = 1e100


def count(value: Numeric, name: str) -> int:
    """A whole number, zero or more; 12.0 is taken for 12.

    >>> count(12.0, "n")
    12
    """
    try:
        if isinstance(value, np.complexfloating):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}={value!r:.40} is not a number; give a count") from None
    if math.isnan(number) or math.isinf(number) or number < 0 or number != math.floor(number):
        raise InputError(f"{name}={value!r:.40} must be a whole number, zero or more")
    if number > MOST:
        raise InputError(f"{name}={number:g} is no count of anything: give one up to {MOST:g}")
    return int(value) if isinstance(value, int) else int(number)


def open_share(value: Numeric, name: str) -> float:
    """A number strictly between 0 and 1."""
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}={value!r:.40} is not a number; give a share such as 0.8") from None
    if not 0 < share < 1:
        raise InputError(f"{name}={value!r:.40} must lie strictly between 0 and 1")
    return share


# Squares of larger numbers, and sums of squares, leave the range of floats.
LARGEST = 1e152


def numbers(values: ArrayLike, name: str) -> Floats:
    """A column of finite numbers; NaN, infinities and text are errors that name the row.

    >>> numbers([1, 0.5], "first")
    array([1. , 0.5])
    """
    array = column(values, name)
    try:
        floats = plain_numbers(array, name)
    except InputError:
        raise InputError(f"{name} must be numbers, but it holds {array.flat[0]!r:.30}") from None
    wrong = ~np.isfinite(floats)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{name} has {floats[row]} at row {row + 1:,}; leave such rows out of both columns")
    if len(floats) and np.abs(floats).max() > LARGEST:
        row = int(np.argmax(np.abs(floats)))
        raise InputError(f"{name} has {floats[row]:g} at row {row + 1:,}, too large for a variance; scale the numbers")
    return floats


def plain_numbers(values: ArrayLike, name: str) -> Floats:
    """A number or an array of them, of any shape."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "cmM" or (array.dtype.kind == "O" and any(isinstance(v, complex) for v in array.flat)):
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers, not {in_few_words(values)}") from None


def one_number(value: object, name: str) -> float:
    """A single number."""
    array = plain_numbers(value, name)
    if array.ndim:
        raise InputError(f"{name} must be one number, not {in_few_words(value)}")
    return float(array)


def paired_numbers(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Two columns of numbers that belong together row by row."""
    check_indexes({"first": first, "second": second})
    columns = {"first": numbers(first, "first"), "second": numbers(second, "second")}
    same_length(columns)
    return columns["first"], columns["second"]


Scores = NDArray[np.floating[Any]]


def score_array(values: ArrayLike, name: str = "scores") -> Scores:
    """Scores as floats: one column, or one column for each class; NaN and text are errors."""
    array = matrix(values, name)
    if array.dtype.kind == "O":
        array = _objects_to_floats(array, name)
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    if array.dtype.kind != "f":
        raise InputError(f"{name} must be numbers, not {array.dtype}; labels go in predicted")
    check_no_nan(array, name)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # what no double holds is infinite
            array = array.astype(np.float64)
    return array


def _objects_to_floats(array: Column, name: str) -> Column:
    flat = array.reshape(-1)
    gone = missing_rows(flat)
    numbers = np.full(flat.shape, np.nan)
    for i in np.flatnonzero(~gone):
        value = flat[i]
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            numbers[i] = float(value)
        except (TypeError, ValueError, OverflowError):
            row = i // (array.shape[1] if array.ndim == 2 else 1)
            raise InputError(
                f"{name} must be numbers, but row {row + 1:,} holds {value!r:.30}; labels go in predicted"
            ) from None
    return numbers.reshape(array.shape)


def check_no_nan(array: Column, name: str) -> None:
    """A NaN score has no place in an order."""
    # The sum is NaN whenever a part is, and far cheaper than a mask; inf − inf then needs the second look.
    with np.errstate(invalid="ignore", over="ignore"):
        total = float(np.sum(array))
    if np.isnan(total):
        gone = np.isnan(array)
        if gone.any():
            row = int(np.argmax(gone if gone.ndim == 1 else gone.any(axis=1)))
            count = int(gone.sum())
            raise InputError(
                f"{name} has NaN at row {row + 1:,} ({count:,} in all); leave rows without a score out, or let "
                'te.predictions or te.read do it with missing="drop"'
            )


def default_threshold(scores: Scores, threshold: float | None) -> float:
    """0.5 when all scores lie in [0, 1]; otherwise it must be given. Beside it scores of 32 bits have to be widened."""
    if threshold is not None:
        value = float(threshold)
        if np.isnan(value):
            raise InputError("threshold=nan makes no row positive or negative; give a number")
        return value
    if len(scores) and (scores.min() < 0 or scores.max() > 1):
        raise InputError(
            f"scores run from {scores.min():.4g} to {scores.max():.4g}, not within [0, 1], so 0.5 may be the wrong "
            "cut: pass threshold="
        )
    return 0.5


# Sums of probabilities may miss 1 by this much, whatever their decimals.
SUM_SLACK = 1e-3


def sum_slack(values: Sequence[float], classes: int) -> float:
    """How far probabilities of K classes may miss a sum of 1: K/2 units of their last decimal, where they are rounded.

    `values` are the lowest and the highest probability and sum of a row: rounded ones all have one to six decimals. Two
    shares of one decimal do not miss it: what one gains the other loses.

    >>> sum_slack((0.01, 0.98, 0.99, 1.01), 3) > 0.015
    True
    >>> sum_slack((0.0123, 0.98765432, 0.99, 1.01), 3)
    0.001
    """
    if not all(map(math.isfinite, values)):
        return SUM_SLACK
    for decimals in range(1 if classes > 2 else 2, 7):
        unit = 10.0**-decimals
        # float32 keeps seven digits.
        if all(abs(v / unit - round(v / unit)) < max(1e-6, 1e-7 / unit) for v in values):
            return max(SUM_SLACK, (classes / 2 + 1e-4) * unit)
    return SUM_SLACK


def check_probabilities(scores: Scores, name: str = "scores") -> None:
    """Log loss, Brier score and calibration need probabilities."""
    if scores.size == 0:
        return
    low, high = float(scores.min()), float(scores.max())
    if low < 0 or high > 1:
        raise InputError(
            f"{name} must be probabilities in [0, 1] for this metric, but they run from {low:.4g} to {high:.4g}"
        )
    if scores.ndim == 2:
        sums = scores.sum(axis=1, dtype=np.float64)
        worst = int(np.argmax(np.abs(sums - 1)))
        total = float(sums[worst])
        reach = (low, high, float(sums.min()), float(sums.max()))
        if abs(total - 1) > SUM_SLACK and abs(total - 1) > sum_slack(reach, scores.shape[1]):
            raise InputError(f"{name} must add up to 1 in each row, but row {worst + 1:,} adds up to {total:.4g}")


WeightsKind = Literal["frequency", "sampling"]


def weight_column(values: ArrayLike, kind: WeightsKind | None) -> NDArray[np.float64]:
    """Finite weights that are not negative; frequencies are whole numbers."""
    if kind is None:
        raise InputError(
            'weights= needs weights_kind="frequency" (a row stands for so many equal rows) or "sampling" '
            "(a row stands for a share of the population): the intervals differ"
        )
    check_word(kind, ("frequency", "sampling"), "weights_kind")
    raw = column(values, "weights")
    try:
        if raw.dtype.kind in "USmMcV":
            raise TypeError
        if raw.dtype.kind == "O":  # a whole number may be beyond all floats
            raw = as_objects([math.inf if isinstance(v, int) and v > MOST else v for v in raw])
        weights = raw.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("weights must be numbers") from None
    whole, most = kind == "frequency", weights.max(initial=0)
    rules = (
        (
            ~((weights == 0) | ((weights >= 1 / MOST) & (weights <= MOST))),
            f"weights are not negative and up to {MOST:g}",
        ),
        (
            whole & (weights != np.floor(weights)),
            'frequency weights are whole numbers: use weights_kind="sampling" for shares',
        ),
        (whole & (weights == most) & (weights.sum() >= EXACT), "together they must stand for less than 2^53 rows"),
    )
    for wrong, rule in rules:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(f"weights has {weights[row]} at row {row + 1:,}; {rule}")
    if len(weights) and not weights.any():
        raise InputError("weights are all zero; at least one row must count")
    return weights


def on_device(values: object) -> bool:
    """Whether an array lies on a GPU: a CuPy array, or a CUDA tensor of torch beside which CuPy is installed."""
    library = type(values).__module__.split(".")[0]
    if library == "torch":
        return bool(getattr(values, "is_cuda", False)) and _has_cupy()
    return library == "cupy"


@cache
def _has_cupy() -> bool:
    return find_spec("cupy") is not None
