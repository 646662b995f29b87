"""How a test becomes a Contrast: tails, sides, range, words for a close call, and the contrast from the other side."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.inference._problem import IntervalSpec, critical_t, tail
from trueerror.inputs._options import InputError, check_alternative, check_confidence
from trueerror.results import Alternative, Contrast, Side

Limits = tuple[float, float]

# Where a difference of measured numbers lies.
REALS: Limits = (-math.inf, math.inf)

# The side of the limit that belongs to each alternative, and both of them from the other side.
SIDES: dict[str, Side] = {"two-sided": "two-sided", "greater": "lower", "less": "upper"}
ALTERNATIVES: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
OTHER_SIDE: dict[str, Side] = {"two-sided": "two-sided", "lower": "upper", "upper": "lower"}

# As far as limits are inverted, in standard errors, and where the p-values of such a search end: 2.6e-12.
FURTHEST = 7.0
SEARCHED_P = 2 * float(special.ndtr(-FURTHEST))

# Of what the true difference is meant.
THESE_MODELS = "these two models, on rows like these"
LEARNERS = "the two learners, at this number of training rows"
SCORES = "the two, over pairs or groups of scores like these"

BORDERLINE = "borderline: the p-value and the interval fall on different sides of the level; the p-value decides"


def tail_area(confidence: float, alternative: Alternative) -> float:
    """α/2 for two sides, α for one."""
    return tail(confidence, SIDES[alternative])


def student_quantile(confidence: float, alternative: Alternative, df: float = math.inf) -> float:
    """t for the limits, z for infinitely many degrees of freedom."""
    return critical_t(confidence, df, SIDES[alternative])


def student_p(t: float, df: float, alternative: Alternative) -> float:
    """The p-value of a Student t statistic."""
    sides, end = {"two-sided": (2, -abs(t)), "greater": (1, -t), "less": (1, t)}[alternative]
    return min(1.0, sides * float(special.stdtr(df, end)))


def chance_ahead(t: float, df: float, higher_is_better: bool | None) -> float | None:
    """The flat-prior posterior probability that the first is better; None where neither direction is."""
    return None if higher_is_better is None else student_p(t * (2 * higher_is_better - 1), df, "less")


def normal_p(z: float, alternative: Alternative) -> float:
    """The p-value of a statistic that is standard normal when there is no difference."""
    return student_p(z, math.inf, alternative)


def check_test_options(confidence: float, alternative: Alternative) -> float:
    """The two options of every test; the confidence as a float."""
    check_alternative(alternative)
    return check_confidence(confidence, one_sided=alternative != "two-sided")


def check_margin(margin: Any, *, smallest: float = 0.0, strictly: bool = True, widest: float = math.inf) -> float:
    """A margin of practical importance; one as wide as the metric's whole range would let anything pass."""
    try:
        value = float(margin)
    except (TypeError, ValueError):
        raise InputError(f"margin={margin!r} is not a number; give the smallest difference that matters") from None
    if not math.isfinite(value) or value < smallest or (strictly and value == smallest):
        raise InputError(f"margin={margin!r} must be {'above' if strictly else 'at least'} {smallest:g}")
    if value >= widest:
        raise InputError(
            f"margin={margin!r} is as wide as the whole range, so anything would pass; is {value / 100:g} meant, "
            f"{value:g} points of 100?"
        )
    return value


def contrast(
    *,
    estimate: float,
    limits: Limits,
    confidence: float,
    alternative: Alternative,
    p_value: float,
    whole: Limits = (-1.0, 1.0),
    notes: tuple[str, ...] = (),
    null: float | None = 0.0,
    name: str = "difference",
    p_at_most: bool = False,
    **facts: Any,
) -> Contrast:
    """Limits are cut to the range and to the side of the alternative, and always hold the estimate.

    A p-value that underflows is written as the smallest normal float: tiny, never 0. `null` is the difference that
    the test is against, None where p-value and limits cannot disagree. `facts` are other fields of the contrast.
    """
    (least, most), low, high = whole, max(limits[0], whole[0]), min(limits[1], whole[1])
    # Shrinkage methods can miss their own estimate at low confidence; rounding can by a hair.
    both = min(low, estimate), max(high, estimate)
    low, high = {"two-sided": both, "greater": (low, most), "less": (least, high)}[alternative]
    p_value = max(p_value, sys.float_info.min)
    if null is not None and _disagree(low - null, high - null, p_value, confidence):
        notes = (*notes, BORDERLINE)
    return Contrast(
        estimate=estimate, low=low, high=high, confidence=confidence, side=SIDES[alternative], alternative=alternative,
        p_value=p_value, p_at_most=p_at_most or None, name=name, note="; ".join(filter(None, notes)), **facts,
    )  # fmt: skip


def _disagree(low: float, high: float, p_value: float, confidence: float) -> bool:
    """Whether the limits leave 0 out and the test does not, or the other way round; what is NaN says nothing."""
    return not any(map(math.isnan, (low, high, p_value))) and (low > 0 or high < 0) != (p_value < 1 - confidence)


def limits_without_spread(estimate: float, rows: float, q: float, whole: Limits) -> Limits:
    """All rows agree: as far as q² more of them, at either end of the range, could move the mean (Wilson at an end).

    >>> limits_without_spread(1.0, 12.0, 2.0, (0.0, 1.0))
    (0.75, 1.0)
    """
    share = q * q / (rows + q * q)
    return estimate - share * (estimate - whole[0]), estimate + share * (whole[1] - estimate)


def t_contrast(
    estimate: float, error: float, df: float, spec: IntervalSpec, *, whole: Limits = REALS,
    higher_is_better: bool | None = True, **facts: Any,
) -> Contrast:  # fmt: skip
    """A difference with its standard error: d ± t(df)·SE, and the p-value of t = d/SE."""
    half, statistic = student_quantile(spec.confidence, spec.alternative, df) * error, estimate / error
    return contrast(
        estimate=estimate, limits=(estimate - half, estimate + half), whole=whole, confidence=spec.confidence,
        alternative=spec.alternative, statistic=statistic, df=df, p_value=student_p(statistic, df, spec.alternative),
        p_better=chance_ahead(statistic, df, higher_is_better), **facts,
    )  # fmt: skip


def nothing_known(
    estimate: float, why: str, spec: IntervalSpec, *, method: str, n: float, whole: Limits = REALS
) -> Contrast:
    """A difference without limits and p-value, and why."""
    return contrast(
        estimate=estimate, limits=(math.nan, math.nan), p_value=math.nan, statistic=math.nan, whole=whole,
        confidence=spec.confidence, alternative=spec.alternative, method=method, n=n, notes=(why,),
    )  # fmt: skip


class StatisticKind(NamedTuple):
    """What the statistic of a test is.

    `total` is what it adds up to with the statistic of the test in which first and second change places, from the
    contrast and the number of differences that are not 0. `of_rows` says that it rests on the rows which only one of
    two models has right, `signed` that it is an estimate over its standard error.
    """

    total: Callable[[Contrast, float], float]
    of_rows: bool = False
    signed: bool = False


SIGNED = StatisticKind(lambda c, untied: 0.0, signed=True)
# b and c of McNemar's table: the estimate is (b − c)/n.
ROWS = StatisticKind(lambda c, untied: 2 * c.statistic - float(np.rint(c.estimate * (c.n or 0))), of_rows=True)
SQUARE_OF_ROWS = StatisticKind(lambda c, untied: 2 * c.statistic, of_rows=True)
# The tests whose statistic is not signed, by key.
STATISTICS: dict[str, StatisticKind] = {
    **dict.fromkeys(("mcnemar-mid-p", "mcnemar-exact"), ROWS),
    **dict.fromkeys(("mcnemar-chi2", "mcnemar-chi2-cc"), SQUARE_OF_ROWS),
    "sign": StatisticKind(lambda c, untied: untied),
    "wilcoxon": StatisticKind(lambda c, untied: untied * (untied + 1) / 2),
}


def statistic_of(c: Contrast) -> StatisticKind:
    """What the statistic of a contrast is.

    >>> from trueerror.inference.proportion._paired import mcnemar
    >>> statistic_of(mcnemar(16, 6, n=161)).of_rows
    True
    """
    return STATISTICS.get(c.method, SIGNED)


def mirrored(c: Contrast, *, untied: float = math.nan) -> Contrast:
    """The contrast that the same test gives when first and second change places.

    Differences, limits and signed statistics turn their sign, and no 0 becomes −0. A count of what speaks for the first
    becomes the count of what speaks for the second: of McNemar's b + c rows those that only the second has right, of
    `untied` differences the losses (sign test) or the ranks of the losses (Wilcoxon).

    >>> from trueerror.inference.proportion._paired import mcnemar
    >>> there = mcnemar(16, 6, both_right=100, both_wrong=39)
    >>> back = mirrored(there)
    >>> there.statistic, back.statistic, back.estimate == -there.estimate
    (16.0, 6.0, True)
    """
    return replace(
        c, first=c.second, second=c.first, estimate=0.0 - c.estimate, low=0.0 - c.high, high=0.0 - c.low,
        side=OTHER_SIDE[c.side], statistic=statistic_of(c).total(c, untied) - c.statistic,
        alternative=ALTERNATIVES[c.alternative],
        p_better=None if c.p_better is None else 1 - c.p_better,
        low_alone=0.0 - c.high_alone, high_alone=0.0 - c.low_alone,
    )  # fmt: skip


def of_better(c: Contrast, higher_is_better: bool | None) -> Contrast:
    """The contrast of a method that knows values only: its chance that the first is higher as that of being better."""
    return c if higher_is_better is not False or c.p_better is None else replace(c, p_better=1 - c.p_better)


def df_of_limits(c: Contrast) -> float:
    """The degrees of freedom of the t that a contrast's limits are made with; infinite where it is normal."""
    return c.df if statistic_of(c).signed and isinstance(c.df, float) and c.df > 0 else math.inf


def alike_within(c: Contrast, margin: float) -> Contrast:
    """Two one-sided tests of a contrast against ±margin, by the standard errors that its limits imply.

    Each looks towards its own end of the margin, so it takes the limit on that side. For t and normal intervals this is
    the usual test (Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657); skewed ones keep their skew.
    """
    df = df_of_limits(c)
    quantile = critical_t(c.confidence, df)
    inside = ((c.estimate + margin, c.estimate - c.low), (margin - c.estimate, c.high - c.estimate))
    t = min(slack / reach * quantile if reach > 0 else math.nan for slack, reach in inside)
    p = float(special.stdtr(df, -t))
    return replace(c, name=f"equivalence within ±{margin:g}", p_value=p, statistic=t, p_adjusted=None, p_at_most=None)
