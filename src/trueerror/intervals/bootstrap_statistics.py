"""The bootstrap of any statistic: variance, percentile limits, bias and the bias-corrected estimate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import numbers
from trueerror.intervals.critical import tail

Floats = NDArray[np.float64]


class BootstrapFacts(NamedTuple):
    """What B replicates say of an estimate; `corrected` is the estimate less the bias."""

    estimate: float
    bias: float
    corrected: float
    variance: float
    error: float
    low: float
    high: float


def order_limits(replicates: Floats, confidence: float) -> tuple[float, float]:
    """The ⌈B·α/2⌉-th and ⌈B·(1 − α/2)⌉-th replicates in order of size, no interpolation.

    >>> order_limits(np.arange(1.0, 1001.0), 0.9)
    (50.0, 950.0)
    """
    ranked = np.sort(replicates)
    share, size = tail(confidence), len(ranked)
    # Rounded first: 1000 · 0.95 must not become 950.0000000001 and so the 951st.
    first, last = (max(1, math.ceil(round(size * s, 9))) for s in (share, 1 - share))
    return float(ranked[first - 1]), float(ranked[last - 1])


def bootstrap_facts(replicates: Any, estimate: float, *, confidence: float = 0.95) -> BootstrapFacts:
    """Variance, percentile limits and bias of an estimate, from its replicates on samples drawn with replacement.

    bias = mean of the replicates − estimate; corrected = estimate − bias. Efron and Tibshirani 1993, An Introduction to
    the Bootstrap, chapters 6, 10 and 13.

    >>> facts = bootstrap_facts(np.arange(1.0, 1001.0), 490.5, confidence=0.9)
    >>> facts.bias, facts.corrected, facts.low, facts.high
    (10.0, 480.5, 50.0, 950.0)
    """
    values = numbers(replicates, "replicates")
    if len(values) < 2:
        raise InputError(f"there are {len(values)} replicates; a spread needs at least two, better 1,000")
    bias = float(values.mean()) - float(estimate)
    variance = float(values.var(ddof=1)) if values.min() < values.max() else 0.0
    low, high = order_limits(values, confidence)
    return BootstrapFacts(float(estimate), bias, float(estimate) - bias, variance, math.sqrt(variance), low, high)
