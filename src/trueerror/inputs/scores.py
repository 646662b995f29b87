"""Scores: higher is more positive, never flipped; −0.0 equals 0.0; NaN is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import Column, matrix, missing_rows
from trueerror.inputs.errors import InputError

Scores = NDArray[np.floating[Any]]


def score_array(values: Any, name: str = "scores") -> Scores:
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
        except (TypeError, ValueError):
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
    """0.5 when all scores lie in [0, 1]; otherwise it must be given.

    A double of NumPy's own, so that scores of 32 bits are widened to it, as everywhere else: a plain number would be
    rounded to 32 bits instead.

    >>> [bool(s >= default_threshold(s, 0.7)) for s in (np.array([0.7]), np.array([0.7], dtype=np.float32))]
    [True, False]
    """
    if threshold is not None:
        value = float(threshold)
        if np.isnan(value):
            raise InputError("threshold=nan calls no row positive or negative; give a number")
        return np.float64(value)
    if len(scores) and (scores.min() < 0 or scores.max() > 1):
        raise InputError(
            f"scores run from {scores.min():.4g} to {scores.max():.4g}, not within [0, 1], so 0.5 may be the wrong "
            "cut: pass threshold="
        )
    return 0.5


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
        worst = int(np.argmax(np.abs(scores.sum(axis=1, dtype=np.float64) - 1)))
        total = float(scores[worst].sum(dtype=np.float64))
        if abs(total - 1) > 1e-3:
            raise InputError(f"{name} must add up to 1 in each row, but row {worst + 1:,} adds up to {total:.4g}")
