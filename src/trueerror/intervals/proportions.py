"""Many proportions at once: the same intervals as `te.interval`, over arrays of successes and trials."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.options import check_word
from trueerror.intervals.binomial import BINOMIAL_METHODS
from trueerror.intervals.closed_forms import CLOSED_FORMS
from trueerror.intervals.critical import critical_z, tail
from trueerror.results import Side

Floats = NDArray[np.float64]


def limits(
    x: Any,
    n: Any,
    method: str = "wilson",
    confidence: float = 0.95,
    side: Side = "two-sided",
    *,
    z: float | None = None,
) -> tuple[Floats, Floats]:
    """Lower and upper limits for each x of n; [0, 1] where n is 0.

    Trials need not be whole (effective sizes are not). `z` replaces the normal quantile in the closed forms, as where
    Student's t is wanted. A limit pair without width becomes Wilson's, then Clopper and Pearson's.

    >>> low, high = limits([750, 0], [1000, 0], confidence=0.8)
    >>> low.round(3), high.round(3)
    (array([0.732, 0.   ]), array([0.767, 1.   ]))
    """
    check_word(method, BINOMIAL_METHODS, "method")
    successes, trials = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64))
    empty = ~(trials > 0)
    any_empty = bool(empty.any())
    size = np.where(empty, 1.0, trials) if any_empty else trials
    count = np.where(empty, 0.0, successes) if any_empty else successes
    factor = critical_z(confidence, side) if z is None else z
    if method in CLOSED_FORMS:
        low, high = CLOSED_FORMS[method](count, size, factor)
    else:
        from trueerror.intervals.exact_forms import EXACT_FORMS

        low, high = EXACT_FORMS[method](count, size, tail(confidence, side))
    estimate = count / size
    low = np.zeros_like(estimate) if side == "upper" else np.clip(low, 0.0, estimate)
    high = np.ones_like(estimate) if side == "lower" else np.clip(high, estimate, 1.0)
    flat = ~(low < high)
    if flat.any():
        if method == "clopper-pearson":
            again = np.nextafter(low, 0.0), np.nextafter(high, 1.0)
        else:
            other = "wilson" if method != "wilson" and np.all(factor > 0) else "clopper-pearson"
            again = limits(count, size, other, confidence, side, z=z)
        low, high = np.where(flat, again[0], low), np.where(flat, again[1], high)
    if any_empty:
        low, high = np.where(empty, 0.0, low), np.where(empty, 1.0, high)
    return low, high
