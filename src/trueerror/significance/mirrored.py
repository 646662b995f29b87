"""A contrast seen from the other side: second − first."""

from __future__ import annotations

import math
from dataclasses import replace

from trueerror.results import Alternative, Contrast, Side

ALTERNATIVES: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
SIDES: dict[str, Side] = {"lower": "upper", "upper": "lower"}
# Statistics that are a count of rows which only the first has right.
COUNTS_OF_ROWS = ("mcnemar-mid-p", "mcnemar-exact")
# Squares, the same either way round.
SQUARES = ("mcnemar-chi2", "mcnemar-chi2-cc")


def mirrored(c: Contrast, *, untied: int | None = None) -> Contrast:
    """The contrast that the same test gives when first and second change places.

    Differences, limits and signed statistics turn their sign, and no 0 becomes −0. A count of what speaks for the first
    becomes the count of what speaks for the second: of McNemar's b + c rows those that only the second has right, of
    `untied` differences the losses (sign test) or the ranks of the losses (Wilcoxon).

    >>> from trueerror.significance.paired import mcnemar
    >>> there = mcnemar(16, 6, both_right=100, both_wrong=39)
    >>> back = mirrored(there)
    >>> there.statistic, back.statistic, back.estimate == -there.estimate
    (16.0, 6.0, True)
    """
    return replace(
        c,
        first=c.second,
        second=c.first,
        estimate=0.0 - c.estimate,
        low=0.0 - c.high,
        high=0.0 - c.low,
        side=SIDES.get(c.side, c.side),
        statistic=_statistic(c, untied),
        alternative=ALTERNATIVES[c.alternative],
        p_better=None if c.p_better is None else 1 - c.p_better,
    )


def _statistic(c: Contrast, untied: int | None) -> float:
    if c.method in SQUARES:
        return c.statistic
    if c.method in COUNTS_OF_ROWS:
        # The estimate is (b − c)/n, so b less n times it is c.
        gap = c.estimate * (c.n or 0)
        return c.statistic - round(gap) if math.isfinite(gap) else math.nan
    if c.method == "sign":
        return math.nan if untied is None else untied - c.statistic
    if c.method == "wilcoxon":
        return math.nan if untied is None else untied * (untied + 1) / 2 - c.statistic
    return 0.0 - c.statistic
