"""Limits of an area from binned scores that hold those of the exact area, wherever it lies within its bounds.

The exact area A lies in [low, high], and DeLong's standard error in s ± δ (see `ScoreBounds`). The limits of an exact
table are a function of the two, so that the outermost values of that function over what is possible are sought: cell
by cell of [low, high], with every part of the formula at its worst end of the cell, so that nothing lies between.

Placements are in [0, 1] and have the mean A. Of k of them, how far they fall short of 1 adds up to k(1 − A), so that
their squares add up to no more than min(k(1 − A), k²(1 − A)²); hence what they add to the variance of the area is at
most min((1 − A)², A(1 − A)/(k − 1)), and so with A for 1 − A. Near the ends of the range this says more than s + δ.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.intervals.proportions import limits
from trueerror.intervals.roc_area import FEW, delong_variance, effective_rows, hanley_mcneil_variance, newcombe_limits
from trueerror.intervals.scales import on_logit
from trueerror.intervals.terms import Terms
from trueerror.tallies.bounds import ROUNDING, Bounds
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
CELLS = 256


def area_reach(table: ScoreTable, terms: Terms, method: str = "delong-logit") -> tuple[float, float]:
    """The outermost limits by `method` of the area of any table that these bins may hold.

    >>> table = ScoreTable([0.0, 0.5], [10, 20], [20, 10], exact=False, uppers=np.array([0.4, 1.0]))
    >>> [round(x, 3) for x in area_reach(table, Terms())]
    [0.23, 0.976]
    """
    low, high = table.bounds.auc()
    m, n = effective_rows(table)
    z = max(terms.factor(), 0.0)
    own = newcombe_limits(low, m, n, z)[0], newcombe_limits(high, m, n, z)[1]
    if method == "newcombe" or (method != "hanley-mcneil" and min(m, n) < 2):
        return own
    slack = table.bounds.standard_error_slack()
    spread = math.sqrt(delong_variance(table, (low + high) / 2)) if min(m, n) > 1 else math.inf
    # Inside (0, 1) an area is a multiple of 1/2mn; at its ends, and where nothing varies, Newcombe's method is taken.
    hair = max(0.5 / (m * n), 1e-15)
    ends = special.logit(np.clip([low, high], hair, 1 - hair))
    a = special.expit(np.linspace(ends[0], ends[1], CELLS + 1))
    first, last = a[:-1], a[1:]
    if method == "delong-logit":
        reach = z * _relative_error(first, last, (m, n), spread + slack)
        made = special.expit(special.logit(first) - reach).min(), special.expit(special.logit(last) + reach).max()
    else:
        error: Floats | float = spread + slack
        if method == "hanley-mcneil":
            # Its slope is at most 2/m + 2/n.
            at = np.array([hanley_mcneil_variance(float(x), m, n) for x in a])
            error = np.sqrt(np.maximum(at[:-1], at[1:]) + (last - first) * (2 / m + 2 / n))
        made = (first - z * error).min(), (last + z * error).max()
    found = max(0.0, float(made[0]) - ROUNDING), min(1.0, float(made[1]) + ROUNDING)
    few = method == "delong-logit" and min(m, n) * min(low, 1 - high) < FEW
    if few or spread <= slack or low <= hair or high >= 1 - hair:
        return min(found[0], own[0]), max(found[1], own[1])
    return found


def _relative_error(first: Floats, last: Floats, sizes: tuple[float, float], error: float) -> Floats:
    """The largest SE/(A(1 − A)) for A between `first` and `last`, where SE is at most `error`."""
    # 1/(A(1 − A)) is convex, so that it is largest at an end.
    steep = np.maximum(1 / (first * (1 - first)), 1 / (last * (1 - last)))
    farther = np.maximum(first, 1 - last)
    capped = sum(np.minimum(farther**-2.0, steep / (size - 1)) for size in sizes)
    return np.minimum(error * steep, np.sqrt(capped))


def precision_reach(bounds: Bounds, positives: float, terms: Terms) -> tuple[float, float]:
    """The outermost limits of an average precision that lies between bounds: Boyd's, and Wilson's near the ends.

    logit θ ∓ c/√(θ(1 − θ)) rises and then falls (or falls and then rises) with θ, so that over a range it is outermost
    at an end; so is Wilson's. Which of the two is taken changes where P·θ(1 − θ) = 1.

    >>> [round(x, 3) for x in precision_reach(Bounds(0.5, 0.6), 100, Terms())]
    [0.403, 0.691]
    """
    low, high = float(bounds.low), float(bounds.high)
    root = math.sqrt(max(0.0, 0.25 - 1 / positives))
    turns = (0.5 - root, 0.5 + root)
    made = []
    if root > 0 and low <= turns[1] and high >= turns[0]:
        for theta in (max(low, turns[0]), min(high, turns[1])):
            made.append([float(x) for x in on_logit(theta, theta * (1 - theta) / positives, terms.factor())])
    if root == 0 or low < turns[0] or high > turns[1]:
        for theta in (low, high):
            wilson = limits(theta * positives, positives, "wilson", terms.level, terms.side)
            made.append([float(x) for x in wilson])
    return max(0.0, min(x[0] for x in made) - ROUNDING), min(1.0, max(x[1] for x in made) + ROUNDING)
