"""Absent predictions: an error, counted as wrong, or left out; never settled in silence."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Codes
from trueerror.inputs.options import check_word

Missing = Literal["error", "wrong", "drop"]
# Of two classes a row without a prediction counts as the other one. For each true class: how many such rows there are,
# their weights and squared weights, so that a sum with more classes can take them out again.
Filled = tuple[tuple[float, float, float], tuple[float, float, float]]
Floats = NDArray[np.float64]


def settle_missing(
    truth: Codes, predicted: Codes, k: int, weights: Floats | None, missing: Missing
) -> tuple[Codes, Codes, Floats | None]:
    """Apply the rule for absent predictions; an absent truth is always an error."""
    check_word(missing, ("error", "wrong", "drop"), "missing")
    gone = truth < 0
    if gone.any():
        row = int(np.argmax(gone))
        raise InputError(f"truth is missing at row {row + 1:,} ({int(gone.sum()):,} in all); leave those rows out")
    absent = predicted < 0
    if not absent.any():
        return truth, predicted, weights
    if missing == "error":
        row = int(np.argmax(absent))
        raise InputError(
            f"predicted is missing at row {row + 1:,} ({int(absent.sum()):,} in all); say what to do with "
            'missing="wrong" (they count as errors) or missing="drop" (they are left out)'
        )
    if missing == "drop":
        kept = ~absent
        return truth[kept], predicted[kept], None if weights is None else weights[kept]
    filled = predicted.astype(np.int64)
    filled[absent] = 1 - truth[absent].astype(np.int64) if k == 2 else k
    return truth, filled, weights


def counted_as_other(truth: Codes, predicted: Codes, k: int, weights: Floats | None, kind: str | None) -> Filled | None:
    """The rows without a prediction that `settle_missing` counts as the other one of two classes."""
    absent = predicted < 0
    if k != 2 or not absent.any():
        return None
    w = np.ones(len(truth)) if weights is None else weights
    parts = []
    for i in (0, 1):
        own = w[absent & (truth == i)]
        rows = float(own.sum()) if kind == "frequency" else float(len(own))
        parts.append((rows, float(own.sum()), float((own * own).sum())))
    return parts[0], parts[1]
