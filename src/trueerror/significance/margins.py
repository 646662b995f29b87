"""Not only different or not: the same within a margin, and not worse by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count, numbers, paired_numbers
from trueerror.inputs.options import check_confidence
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import REALS, SCORES, SHARES, THESE_MODELS, Limits, check_margin, contrast
from trueerror.significance.means import paired_facts, unpaired_facts
from trueerror.significance.score_statistics import (
    miettinen_nurminen_limits,
    miettinen_nurminen_z,
    tango_limits,
    tango_z,
)


class Shifted(NamedTuple):
    """A difference that can be tested against any value: its statistic there, its tails and its limits."""

    estimate: float
    statistic: Callable[[float], float]
    tail: Callable[[float], float]
    limits: Callable[[float], Limits]
    whole: Limits
    family: str
    n: int
    df: float | None = None
    note: str = ""


def equivalence(
    first: Any,
    second: Any,
    *,
    margin: float,
    n: int | None = None,
    paired: bool = True,
    confidence: float = 0.95,
) -> Contrast:
    """Are two models the same within ±margin? Two one-sided tests; p is the larger of the two.

    What is compared follows from what is given:

    - two counts and `n`: rows that only the first, only the second got right, of n (Tango's score test);
    - two pairs (successes, rows), as tuples: different rows (Miettinen–Nurminen's score test);
    - two columns of scores, as lists, arrays or series: paired t, or Welch's t with `paired=False`.

    `confidence` is that of each one-sided test, so the interval has 1 − 2(1 − confidence): 90 % for 0.95. Equivalence
    is shown (p < 1 − confidence) exactly when that interval lies within ±margin. Not shown does not mean different.
    Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657.

    >>> print(equivalence(12, 10, n=1000, margin=0.02))
    equivalence within ±0.02: first − second = +0.002 [-0.006, 0.010], 90 % tango-equivalence, p < .001, n = 1,000
    """
    level, width = check_confidence(confidence), check_margin(margin)
    if level <= 0.5:
        raise InputError(f"confidence={confidence!r} must be above 0.5 for two one-sided tests")
    shifted = _shifted(first, second, n, paired)
    above, below = shifted.statistic(-width), shifted.statistic(width)
    p_values = (shifted.tail(above), shifted.tail(-below))
    weaker = above if p_values[0] >= p_values[1] else below
    return _answer(
        shifted, name=f"equivalence within ±{width:g}", kind="equivalence", confidence=2 * level - 1, tail=1 - level,
        alternative="two-sided", p_value=max(p_values), statistic=weaker,
    )  # fmt: skip


def noninferiority(
    first: Any,
    second: Any,
    *,
    margin: float,
    n: int | None = None,
    paired: bool = True,
    higher_is_better: bool = True,
    confidence: float = 0.95,
) -> Contrast:
    """Is the first not worse than the second by more than the margin? One one-sided test against −margin.

    Takes the same three kinds of data as `equivalence`. The contrast has the one-sided limit at `confidence`: with
    p < 1 − confidence it lies above −margin and non-inferiority is shown. For scores where lower is better the test
    is against +margin and the limit is an upper one.

    Identical models on n rows (no row on which they differ) pass a margin of 0.02 from n = 133:

    >>> noninferiority(0, 0, n=133, margin=0.02).p_value < 0.05
    True
    >>> noninferiority(0, 0, n=132, margin=0.02).p_value < 0.05
    False
    """
    level, width = check_confidence(confidence), check_margin(margin, strictly=False)
    shifted = _shifted(first, second, n, paired)
    sign = 1.0 if higher_is_better else -1.0
    statistic = shifted.statistic(-sign * width)
    return _answer(
        shifted, name=f"non-inferiority within {width:g}", kind="noninferiority", confidence=level, tail=1 - level,
        alternative="greater" if higher_is_better else "less", p_value=shifted.tail(sign * statistic),
        statistic=statistic,
    )  # fmt: skip


def _answer(
    shifted: Shifted,
    *,
    name: str,
    kind: str,
    confidence: float,
    tail: float,
    alternative: Alternative,
    p_value: float,
    statistic: float,
) -> Contrast:
    return contrast(
        name=name, estimate=shifted.estimate, limits=shifted.limits(tail), whole=shifted.whole, confidence=confidence,
        alternative=alternative, method=f"{shifted.family}-{kind}", p_value=p_value, statistic=statistic, df=shifted.df,
        n=shifted.n, null=None, notes=(shifted.note,), estimand=THESE_MODELS if shifted.whole == SHARES else SCORES,
    )  # fmt: skip


def _shifted(first: Any, second: Any, n: int | None, paired: bool) -> Shifted:
    if n is not None:
        return _paired_counts(count(first, "first"), count(second, "second"), count(n, "n"))
    if _is_pair(first) and _is_pair(second):
        return _independent_counts(first, second)
    if not hasattr(first, "__len__") and not hasattr(first, "__array__"):
        raise InputError(
            f"first={first!r:.40}: give counts of rows that only one model got right together with n=, "
            "or pairs (successes, rows), or columns of scores"
        )
    return _scores(first, second, paired)


def _is_pair(value: Any) -> bool:
    """A tuple of two is never scores: those come as a list, an array or a series."""
    return isinstance(value, tuple) and len(value) == 2


def _paired_counts(b: int, c: int, n: int) -> Shifted:
    if b + c > n:
        raise InputError(f"n={n} is less than the {b + c} rows on which the models differ")
    return Shifted(
        estimate=(b - c) / n if n else math.nan,
        statistic=lambda delta: tango_z(b, c, n, delta) if n else 0.0,
        tail=_normal_tail,
        limits=lambda tail: tango_limits(b, c, n, -float(special.ndtri(tail))) if n else SHARES,
        whole=SHARES,
        family="tango",
        n=n,
        note="" if n else "no rows: nothing is known",
    )


def _independent_counts(first: tuple[int, int], second: tuple[int, int]) -> Shifted:
    (x1, n1), (x2, n2) = (
        (count(x, f"{name} successes"), count(rows, f"{name} rows"))
        for name, (x, rows) in (("first", first), ("second", second))
    )
    for name, x, rows in (("first", x1, n1), ("second", x2, n2)):
        if x > rows or rows == 0:
            raise InputError(f"{name}=({x}, {rows}) must be successes and rows, with 0 ≤ successes ≤ rows and rows > 0")
    return Shifted(
        estimate=x1 / n1 - x2 / n2,
        statistic=lambda delta: miettinen_nurminen_z(x1, n1, x2, n2, delta),
        tail=_normal_tail,
        limits=lambda tail: miettinen_nurminen_limits(x1, n1, x2, n2, -float(special.ndtri(tail))),
        whole=SHARES,
        family="miettinen-nurminen",
        n=n1 + n2,
    )


def _scores(first: Any, second: Any, paired: bool) -> Shifted:
    if paired:
        facts = paired_facts(*paired_numbers(first, second))
    else:
        facts = unpaired_facts(numbers(first, "first"), numbers(second, "second"), "welch")
    if not facts.varies:
        return Shifted(
            estimate=facts.estimate, statistic=lambda _: math.nan, tail=lambda _: math.nan,
            limits=lambda _: REALS, whole=REALS, family="paired-t" if paired else "welch-t", n=facts.n, note=facts.note,
        )  # fmt: skip

    def limits(tail: float) -> Limits:
        half = -float(special.stdtrit(facts.df, tail)) * facts.error
        return facts.estimate - half, facts.estimate + half

    return Shifted(
        estimate=facts.estimate,
        statistic=lambda delta: (facts.estimate - delta) / facts.error,
        tail=lambda t: float(special.stdtr(facts.df, -t)),
        limits=limits,
        whole=REALS,
        family="paired-t" if paired else "welch-t",
        n=facts.n,
        df=facts.df,
    )


def _normal_tail(z: float) -> float:
    return float(special.ndtr(-z))
