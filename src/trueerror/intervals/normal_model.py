"""The binomial model of an error count, and when the normal curve may stand in for it."""

from __future__ import annotations

import math
from typing import NamedTuple

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_share

# Rules of thumb for the simple normal interval.
FEWEST_TRIALS = 30
LEAST_VARIANCE = 5.0


class CountModel(NamedTuple):
    """How a count of errors varies from one sample of n rows to another, when each row errs with probability p."""

    mean: float
    variance: float
    normal_holds: bool
    reason: str

    @property
    def sd(self) -> float:
        """The standard deviation of the count."""
        return math.sqrt(self.variance)


def count_model(p: float, n: float) -> CountModel:
    """Binomial: mean np, variance np(1 − p); the normal approximation wants n ≥ 30 and np(1 − p) ≥ 5.

    >>> count_model(0.5, 100)
    CountModel(mean=50.0, variance=25.0, normal_holds=True, reason='')
    >>> count_model(0.02, 100).reason
    'n·p·(1 − p) is 1.96, below 5'
    """
    share = check_share(p, "p")
    if not n >= 0:
        raise InputError(f"n={n!r} must be 0 or more")
    variance = n * share * (1 - share)
    reasons = []
    if n < FEWEST_TRIALS:
        reasons.append(f"n is {n:g}, below {FEWEST_TRIALS}")
    if variance < LEAST_VARIANCE:
        reasons.append(f"n·p·(1 − p) is {variance:.3g}, below {LEAST_VARIANCE:g}")
    return CountModel(n * share, variance, not reasons, " and ".join(reasons))
