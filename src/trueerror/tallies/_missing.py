"""Absent predictions: an error, counted as wrong, or left out; never settled in silence."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes, any_missing
from trueerror.inputs._options import InputError, check_word

Missing = Literal["error", "wrong", "drop"]
# Of two classes a row without a prediction counts as the other one. For each true class: how many such rows there are,
# their weights and squared weights, so that a sum with more classes can take them out again.
Filled = tuple[tuple[float, float, float], tuple[float, float, float]]


def settle_missing(
    truth: Codes, predicted: Codes, k: int, weights: Floats | None, missing: Missing
) -> tuple[Codes, Codes, Floats | None]:
    """Apply the rule for absent predictions; an absent truth is always an error."""
    check_word(missing, ("error", "wrong", "drop"), "missing")
    if any_missing(truth):
        gone = truth < 0
        row = int(np.argmax(gone))
        raise InputError(f"truth is missing at row {row + 1:,} ({int(gone.sum()):,} in all); leave those rows out")
    if not any_missing(predicted):
        return truth, predicted, weights
    absent = predicted < 0
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
    if k != 2 or not any_missing(predicted):
        return None
    absent = predicted < 0
    w = np.ones(len(truth)) if weights is None else weights
    parts = []
    for i in (0, 1):
        class_weights = w[absent & (truth == i)]
        total = float(class_weights.sum())
        # Rows that stand for several equal ones are as many rows, each of weight 1.
        sampled = (float(len(class_weights)), total, float((class_weights * class_weights).sum()))
        parts.append((total, total, total) if kind == "frequency" else sampled)
    return parts[0], parts[1]
