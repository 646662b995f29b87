"""Critical values: how many standard errors a limit lies from the estimate."""

from __future__ import annotations

import math
from statistics import NormalDist

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.results import Side

SIDES: tuple[Side, ...] = ("two-sided", "lower", "upper")
_STANDARD = NormalDist()


def tail(confidence: float, side: Side = "two-sided") -> float:
    """The probability left out at one end: α/2 with two sides, α with one.

    >>> round(tail(0.95), 6), round(tail(0.95, "lower"), 6)
    (0.025, 0.05)
    """
    level = check_confidence(confidence)
    check_word(side, SIDES, "side")
    return (1 - level) / 2 if side == "two-sided" else 1 - level


def critical_z(confidence: float = 0.95, side: Side = "two-sided") -> float:
    """The normal quantile z with Φ(z) = 1 − α/2 (two sides) or 1 − α (one side).

    Taken from the lower tail, where no digits are lost however near the confidence is to 1 (Wichura 1988, AS 241).

    >>> round(critical_z(0.95), 4), round(critical_z(0.95, "lower"), 4)
    (1.96, 1.6449)
    """
    return -_STANDARD.inv_cdf(tail(confidence, side))


def critical_t(confidence: float = 0.95, df: float = math.inf, side: Side = "two-sided") -> float:
    """The quantile of Student's t with `df` degrees of freedom; with infinitely many it is `critical_z`.

    >>> round(critical_t(0.95, 10), 3), round(critical_t(0.9, 2), 2)
    (2.228, 2.92)
    """
    if not df > 0:
        raise InputError(f"df={df!r} must be positive: a spread needs at least two values")
    if math.isinf(df):
        return critical_z(confidence, side)
    from scipy import special

    return -float(special.stdtrit(df, tail(confidence, side)))
