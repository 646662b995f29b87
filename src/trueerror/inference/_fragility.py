"""How fragile a decision is: how many more rows (or clusters) of the kind that hurts most would undo it.

A sample knows nothing of a kind of row that it does not hold, and no interval can. What can be said is a number: with k
more rows that each move the difference by w against it, the gap to the line is |gap| − k·|w| and its variance
s² + k·w². The decision is undone where the gap is as many standard errors as the limits reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from trueerror.inference._contrast import df_of_limits, student_quantile
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.results import Contrast


def units_to_undo(gap: float, error: float, critical: float, worst: float) -> float:
    """How many more units that each move the estimate by `worst` would take the limit to the end of the gap.

    0 where the limit is there already, infinite where a unit moves nothing.

    >>> round(units_to_undo(0.05, 0.02, 1.96, 0.005), 2)
    1.74
    >>> units_to_undo(0.05, 0.03, 1.96, 0.005)
    0.0
    """
    gap, worst = abs(gap), abs(worst)
    left = gap * gap - (critical * error) ** 2
    if not left > 0:
        return 0.0
    if not worst > 0:
        return math.inf
    half = gap * worst + (critical * worst) ** 2 / 2
    # The smaller root of worst²·k² − 2·half·k + left = 0, without cancellation.
    return left / (half + math.sqrt(half * half - worst * worst * left))


def undone_by(c: Contrast, spec: IntervalSpec, extreme: Callable[[], Range | None]) -> float | None:
    """How many more units would undo what the limits of a contrast say of the line; None where they say nothing.

    `extreme` gives the least and the most that one more unit could add to the difference; it is asked only then.
    """
    if not (c.low > spec.bound or c.high < spec.bound):
        return None
    ends = extreme()
    if ends is None:
        return None
    limit, end, sign = (c.low, ends[0], 1) if c.estimate > spec.bound else (c.high, ends[1], -1)
    critical = student_quantile(spec.confidence, spec.alternative, df_of_limits(c))
    reach, worst = sign * (c.estimate - limit), max(-sign * end, 0.0)
    return units_to_undo(c.estimate - spec.bound, reach / critical, critical, worst)
