"""Row weights: how often a row stands for itself, or how it was sampled; never guessed which."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import column
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word

WeightsKind = Literal["frequency", "sampling"]


def weight_column(values: Any, kind: WeightsKind | None) -> NDArray[np.float64]:
    """Finite weights that are not negative; frequencies are whole numbers."""
    if kind is None:
        raise InputError(
            'weights= needs weights_kind="frequency" (a row stands for so many equal rows) or "sampling" '
            "(a row stands for a share of the population): the intervals differ"
        )
    check_word(kind, ("frequency", "sampling"), "weights_kind")
    try:
        raw = column(values, "weights")
        if raw.dtype.kind in "US":
            raise InputError("weights must be numbers, not text")
        weights = raw.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("weights must be numbers") from None
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"weights has {weights[row]} at row {row + 1:,}; weights are finite and not negative")
    if kind == "frequency":
        broken = weights != np.floor(weights)
        if broken.any():
            row = int(np.argmax(broken))
            raise InputError(
                f"weights has {weights[row]} at row {row + 1:,}; frequency weights are whole numbers: "
                'use weights_kind="sampling" for shares'
            )
    if len(weights) and not weights.any():
        raise InputError("weights are all zero; at least one row must count")
    return weights
