"""Tests of one proportion against a value, and of two proportions from different rows."""

from __future__ import annotations

import math
from typing import Any, Literal

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count, open_share
from trueerror.inputs.options import check_word
from trueerror.intervals.closed_forms import wilson
from trueerror.intervals.exact_forms import clopper_pearson
from trueerror.results import Alternative, Contrast
from trueerror.significance.binomials import as_likely, at_least, at_most, hypergeometric_p
from trueerror.significance.contrasts import (
    THESE_MODELS,
    Limits,
    check_options,
    contrast,
    normal_p,
    normal_quantile,
    tail_area,
)
from trueerror.significance.independent import NO_ROWS, Share, difference, wald_z

TwoProportionsMethod = Literal["pooled-z", "unpooled-z", "fisher", "yates"]
# The interval that goes with each test of two proportions: the one that is nearest to inverting it.
INTERVALS: dict[str, Any] = {
    "pooled-z": ("miettinen-nurminen", "Miettinen and Nurminen's"),
    "unpooled-z": ("wald", "Wald's"),
    "fisher": ("miettinen-nurminen", "Miettinen and Nurminen's"),
    "yates": ("newcombe-cc", "Newcombe's with continuity correction"),
}


def one_proportion(
    x: int,
    n: int,
    p0: float,
    *,
    method: Literal["exact", "score"] = "exact",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Is the true proportion behind x successes of n the value p0? The contrast is p̂ − p0.

    - "exact": binomial; two-sided p is the probability of all counts that are at most as likely as x under p0 (the
      minimum-likelihood rule of R's `binom.test`, not twice a tail). Interval: Clopper–Pearson less p0.
    - "score": z = (p̂ − p0)/√(p0(1 − p0)/n). Interval: Wilson less p0, which inverts it.

    >>> print(one_proportion(75, 100, 0.7))
    difference: first − second = +0.050 [-0.047, 0.131], 95 % binomial-exact, p = .326, n = 100
        (interval: Clopper–Pearson less p0)
    """
    check_word(method, ("exact", "score"), "method")
    level = check_options(confidence, alternative)
    successes, rows, null = count(x, "x"), count(n, "n"), open_share(p0, "p0")
    if successes > rows:
        raise InputError(f"x={successes} is more than n={rows}")
    if rows == 0:
        limits: Limits = (0.0, 1.0)
        statistic, p_value, notes = 0.0, 1.0, ("no rows: nothing is known",)
    elif method == "exact":
        low, high = clopper_pearson(successes, rows, tail_area(level, alternative))
        limits = float(low), float(high)
        statistic, notes = float(successes), ("interval: Clopper–Pearson less p0",)
        p_value = _exact_p(successes, rows, null, alternative)
    else:
        limits = wilson(successes, rows, normal_quantile(level, alternative))
        statistic = (successes - rows * null) / math.sqrt(rows * null * (1 - null))
        notes = ("interval: Wilson less p0",)
        p_value = normal_p(statistic, alternative)
    return contrast(
        estimate=successes / rows - null if rows else math.nan,
        limits=(limits[0] - null, limits[1] - null),
        whole=(-null, 1 - null),
        confidence=level,
        alternative=alternative,
        method=f"binomial-{method}",
        p_value=p_value,
        statistic=statistic,
        n=rows,
        notes=notes,
        estimand="this model, on rows like these",
    )


def _exact_p(x: int, n: int, p0: float, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return as_likely(x, n, p0)
    return float(at_least(x, n, p0) if alternative == "greater" else at_most(x, n, p0))


def two_proportions(
    x1: int,
    n1: int,
    x2: int,
    n2: int,
    *,
    method: TwoProportionsMethod = "pooled-z",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Do two samples of different rows have the same true proportion? The contrast is x1/n1 − x2/n2.

    - "pooled-z": z = d/√(p̄q̄(1/n1 + 1/n2)), the square root of the chi² test; with Miettinen–Nurminen's interval.
    - "unpooled-z": z = d/√(p1q1/n1 + p2q2/n2), with Wald's interval.
    - "yates": pooled with |d| less ½(1/n1 + 1/n2), at most to 0; with Newcombe's interval, continuity corrected.
    - "fisher": exact given both margins; two-sided p sums the tables at most as likely; Miettinen–Nurminen's interval.

    Two samples without any success, or with nothing else, show no difference: p = 1.

    >>> print(two_proportions(20, 100, 30, 100))
    difference: first − second = -0.100 [-0.219, 0.021], 95 % pooled-z, p = .102, n = 200
        (interval: Miettinen and Nurminen's)
    """
    check_word(method, INTERVALS, "method")
    level = check_options(confidence, alternative)
    interval, words = INTERVALS[method]
    a, b = Share(count(x1, "x1"), count(n1, "n1")), Share(count(x2, "x2"), count(n2, "n2"))
    size = difference(a, b, method=interval, confidence=level, alternative=alternative)
    # A Wald interval that fell back to another says so itself.
    notes = [size.note if interval == "wald" and size.note else f"interval: {words}"]
    if a.n == 0 or b.n == 0:
        statistic, p_value, notes = 0.0, 1.0, [NO_ROWS]
    elif a.x + b.x in (0, a.n + b.n):
        statistic, p_value = 0.0, 1.0
        notes.append("both proportions are the same end of the range")
    elif method == "fisher":
        statistic = a.x
        p_value = hypergeometric_p(int(a.x), a.n, b.n, int(a.x + b.x))[alternative]
    else:
        if method == "unpooled-z" and a.variance + b.variance == 0:
            method = "pooled-z"
            notes.append("the unpooled variance is 0; the pooled test is given instead")
        statistic = wald_z(a, b) if method == "unpooled-z" else _pooled_z(a, b, corrected=method == "yates")
        p_value = normal_p(statistic, alternative)
    return contrast(
        estimate=size.estimate,
        limits=(size.low, size.high),
        confidence=level,
        alternative=alternative,
        method=method,
        p_value=p_value,
        statistic=statistic,
        n=a.n + b.n,
        notes=tuple(notes),
        p_better=size.p_better,
        estimand=THESE_MODELS,
    )


def _pooled_z(a: Share, b: Share, *, corrected: bool) -> float:
    pooled = (a.x + b.x) / (a.n + b.n)
    scale = 1 / a.n + 1 / b.n
    d = a.p - b.p
    if corrected:
        # The correction never turns the sign: Yates' term is at most the difference itself.
        d = math.copysign(max(0.0, abs(d) - scale / 2), d)
    return d / math.sqrt(pooled * (1 - pooled) * scale)
