"""The t-interval of a mean; it needs no NumPy where mean, spread and number are given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from trueerror.inference._problem import SIDES, critical_t
from trueerror.inputs._options import InputError, check_confidence, check_word
from trueerror.results import Interval, Side

ONE_VALUE = "one value shows no spread, so there is no interval"
NO_SPREAD = "all values are equal: no spread to tell how far the true mean may be"


def mean_interval(
    values: Iterable[float] | None = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    n: int | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
) -> Interval:
    """A mean, and where the true one may lie: mean ± t(n − 1)·s/√n.

    Give the values, or their mean, standard deviation (with divisor n − 1) and number. With one value, or where all
    values are equal, the limits are NaN and the note says why: a spread of 0 in a sample does not mean that the true
    mean is known. The errors of cross-validation folds are not independent; `te.experiment` corrects for that.

    Source: Student 1908, Biometrika 6:1.

    >>> print(mean_interval(mean=0.1, sd=0.01, n=11))
    mean 0.100 [0.093, 0.107], 95 % t-mean, n = 11
    """
    level = check_confidence(confidence)
    check_word(side, SIDES, "side")
    if values is not None:
        if not (mean is None and sd is None and n is None):
            raise InputError("give the values, or mean=, sd= and n=, not both")
        values = list(values) if isinstance(values, Iterator) else values
        centre, spread, size = _moments(values)
    else:
        if mean is None or sd is None or n is None:
            missing = ", ".join(f"{k}=" for k, v in (("mean", mean), ("sd", sd), ("n", n)) if v is None)
            raise InputError(f"give the values, or all of mean=, sd= and n= ({missing} missing)")
        centre, spread, size = _finite(mean, "mean"), _finite(sd, "sd"), _whole(n)
        if spread < 0:
            raise InputError(f"sd={sd!r} is negative; a standard deviation is 0 or more")
    low, high, note = t_limits(centre, spread / math.sqrt(size), size - 1, level, side)
    if values is not None and not note:
        note = _skew_note(values)
    return Interval(
        name="mean", estimate=centre, low=low, high=high, confidence=level, side=side, method="t-mean", n=size,
        note=note, estimand="the mean of all values like " + (f"these {size:,}" if size > 1 else "this one"),
    )  # fmt: skip


def _skew_note(values: Any) -> str:
    """Cochran's rule: t wants n > 25·skewness² values, where the skewness is more than chance makes of normal ones."""
    from trueerror.inputs._arrays import numbers

    array = numbers(values, "values")
    n, gaps = len(array), array - array.mean()
    spread = float((gaps**2).mean())
    skewness = float((gaps**3).mean()) / spread**1.5 if n > 2 and spread > 0 else 0.0
    if n < 25 * skewness**2 and abs(skewness) > 2.6 * math.sqrt(6 / n):
        return (
            f"{n:,} values with a skewness of {skewness:.1f} are too few for a t-interval: it is too short, mostly on "
            "the longer side; te.bootstrap holds better"
        )
    return ""


def t_limits(mean: float, error: float, df: float, confidence: float, side: Side) -> tuple[float, float, str]:
    """mean ± t·error, open at the other end for one side; NaN with a reason where no error can be had."""
    if df < 1:
        return math.nan, math.nan, ONE_VALUE
    if not error > 0:
        return math.nan, math.nan, NO_SPREAD
    reach = critical_t(confidence, df, side) * error
    low = -math.inf if side == "upper" else mean - reach
    high = math.inf if side == "lower" else mean + reach
    return low, high, ""


def _moments(values: Any) -> tuple[float, float, int]:
    from trueerror.inputs._arrays import numbers
    from trueerror.tallies._moments import Moments

    array = numbers(values, "values")
    if len(array) == 0:
        raise InputError("values is empty; a mean needs at least one value")
    moments = Moments.of(array)
    # Equal values leave rounding dust in the squares, which must not pass for a spread.
    spread = math.sqrt(moments.variance) if moments.n > 1 and array.min() < array.max() else 0.0
    return moments.mean, spread, moments.n


def _finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number") from None
    if not math.isfinite(number):
        raise InputError(f"{name}={value!r:.40} must be a finite number")
    return number


def _whole(n: Any) -> int:
    size = _finite(n, "n")
    if size != math.floor(size) or size < 1:
        raise InputError(f"n={n!r:.40} must be a whole number of at least 1")
    return int(size)
