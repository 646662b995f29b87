"""The variance of a mean over test parts whose training sets overlap.

Scores of resampled splits are not independent: the models behind them share most of their training rows. s²/J, the
variance of a mean of J independent scores, is then far too small; more splits would shrink it to nothing although the
rows stay the same.

Source: Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD, 3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError

Floats = NDArray[np.float64]
# A spread this small beside the numbers themselves is rounding error.
ROUNDING = 10 * float(np.finfo(np.float64).eps)


class Spread(NamedTuple):
    """The mean of J scores, the standard error of that mean, and J − 1; the error is 0 where nothing varies."""

    mean: float
    error: float
    df: int


def corrected_factor(splits: int, test_train_ratio: float) -> float:
    """1/J + n_test/n_train, what the variance of J scores is multiplied by; a ratio of 0 is the plain 1/J.

    >>> round(corrected_factor(100, 1 / 9), 4)
    0.1211
    """
    ratio = float(test_train_ratio)
    if not (math.isfinite(ratio) and ratio >= 0):
        raise InputError(f"test_train_ratio={test_train_ratio!r} must be n_test/n_train, such as 1/9 for 10 folds")
    return 1 / splits + ratio


def corrected_spread(scores: Floats, test_train_ratio: float) -> Spread:
    """The mean of the scores and √(s²(1/J + n_test/n_train)).

    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01])
    >>> mean, error, df = corrected_spread(d, 1 / 9)
    >>> round(mean / error, 4), df
    (2.277, 9)
    """
    splits = len(scores)
    if splits == 0:
        raise InputError("there are no scores; a mean needs at least one")
    mean = float(scores.mean())
    if splits == 1:
        return Spread(mean, 0.0, 0)
    error = float(scores.std(ddof=1)) * math.sqrt(corrected_factor(splits, test_train_ratio))
    if error <= ROUNDING * float(np.abs(scores).max(initial=0.0)):
        error = 0.0
    return Spread(mean, error, splits - 1)
