"""Models on the same rows: McNemar for two, Cochran's Q for several, Bowker for two tables of labels.

Not only different or not: the same within a margin, and not worse by more than a margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import (
    REALS,
    SCORES,
    THESE_MODELS,
    Limits,
    check_margin,
    check_test_options,
    contrast,
    normal_p,
    student_quantile,
)
from trueerror.inference.loss._t_tests import paired_facts, unpaired_facts
from trueerror.inference.proportion._distributions import (
    at_most,
    first_true,
    miettinen_nurminen_limits,
    miettinen_nurminen_z,
    tango_limits,
    tango_z,
)
from trueerror.inference.proportion._interval import normal_model_caution, wilson
from trueerror.inference.proportion._two_samples import reaches
from trueerror.inputs._arrays import count, count_matrix, matrix, numbers, paired_numbers, plain_numbers
from trueerror.inputs._options import InputError, check_confidence, check_word
from trueerror.results import Alternative, Contrast, Test
from trueerror.tallies import Discordance

McNemarMethod = Literal["mid-p", "exact", "chi2", "chi2-cc"]
McNemarInterval = Literal["tango", "bonett-price", "newcombe", "wald"]
METHODS: tuple[McNemarMethod, ...] = get_args(McNemarMethod)


class Pairs(NamedTuple):
    """Rows on which both, one or none of two models was right; None where it is not known."""

    only_first: int
    only_second: int
    n: int | None
    both_right: int | None


def mcnemar(
    only_first: Any,
    only_second: int | None = None,
    *,
    n: int | None = None,
    both_right: int | None = None,
    both_wrong: int | None = None,
    method: McNemarMethod = "mid-p",
    interval: McNemarInterval = "tango",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Two models on the same rows: b rows only the first got right, c only the second; the contrast is (b − c)/n.

    Tests, given b + c rows on which they differ, each won by either with probability ½ when the models are equally
    good: "exact" 2·P(Bin ≤ min(b, c)); "mid-p" that less P(Bin = min), 1 − ½P at b = c; "chi2" (b − c)²/(b + c);
    "chi2-cc" (max(0, |b − c| − 1))²/(b + c). With no row on which they differ p = 1.

    Intervals: "tango" inverts the score test; "bonett-price" adds one to b and c and two to n; "newcombe" combines
    Wilson limits with his corrected φ and needs both_right or both_wrong; "wald" has the variance (b + c − (b −
    c)²/n)/n². Only the p-value is given if n (or both_right and both_wrong) is missing. The interval inverts another
    test than mid-p: where the two disagree the note says "borderline" and the p-value decides. In place of b and c the
    table [[both right, b], [c, both wrong]] may stand: rows the first model, columns the other. `p_better` is P(Beta(b
    + ½, c + ½) > ½). Sources: Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91; Tango 1998, Stat. Med.
    17:891.

    >>> print(mcnemar(60, 40, n=1000))
    difference: first − second = +0.0200 [0.0004, 0.0401], 95 % mcnemar-mid-p, p = .046, n = 1,000 (interval: tango)
    """
    check_word(method, METHODS, "method")
    check_word(interval, INTERVALS, "interval")
    level = check_test_options(confidence, alternative)
    if only_second is None:
        if n is not None or both_right is not None or both_wrong is not None:
            raise InputError("a table of all four counts needs neither n= nor both_right= and both_wrong=")
        both_right, only_first, only_second, both_wrong = _four_cells(only_first)
    pairs = _pairs(only_first, only_second, n, both_right, both_wrong)
    if interval == "newcombe" and pairs.both_right is None:
        raise InputError('interval="newcombe" needs both_right or both_wrong beside n, or both of them')
    b, c = pairs.only_first, pairs.only_second
    statistic, p_value = mcnemar_test(b, c, method, alternative)
    limits, note = _limits(pairs, interval, student_quantile(level, alternative))
    # Without n there is no interval to cut to one side.
    whole = (-1.0, 1.0) if pairs.n is not None else (math.nan, math.nan)
    return contrast(
        estimate=(b - c) / pairs.n if pairs.n else math.nan, limits=limits, whole=whole, confidence=level,
        alternative=alternative, method=f"mcnemar-{method}", p_value=p_value, statistic=statistic, df=TESTS[method].df,
        n=pairs.n, notes=(note,), p_better=float(special.betaincc(b + 0.5, c + 0.5, 0.5)), estimand=THESE_MODELS,
    )  # fmt: skip


class Unpublished(NamedTuple):
    """McNemar's contrast over every agreement that two published shares leave open.

    `contrasts` are those where the models differ on as few rows as the shares allow, on as many as independent errors
    would give, and on as many as possible, `differ` how many rows those are. `p_low` and `p_high` are the least and the
    greatest p-value; `deciding` is the largest number of differing rows with p at or below the level, where the level
    lies between.
    """

    contrasts: tuple[Contrast, Contrast, Contrast]
    differ: tuple[int, int, int]
    p_low: float
    p_high: float
    deciding: int | None


def mcnemar_bounds(
    first: int, second: int, n: int, *, method: McNemarMethod = "mid-p", confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Unpublished:  # fmt: skip
    """What McNemar's test can be where only the two shares of rows that are right are known, first/n and second/n.

    b − c = first − second is known, and the rows b that only the first got right can be anything from
    max(0, first − second) to min(first, n − second): both right = first − b, both wrong = n − second − b. The p-value
    changes in one direction with the rows on which they differ, from the first of them on; a p-value that decides is
    found between. Errors of the two that are independent would differ on n(p1q2 + q1p2) rows; models of one task
    mostly err together more often than that, and differ on fewer.

    >>> found = mcnemar_bounds(456, 445, 500)
    >>> round(found.p_low, 4), round(found.p_high, 2), found.deciding
    (0.0005, 0.27, 29)
    """
    check_word(method, METHODS, "method")
    level = 1 - check_test_options(confidence, alternative)
    x, y, rows = count(first, "first"), count(second, "second"), count(n, "n")
    if max(x, y) > rows:
        raise InputError(f"{max(x, y):,} right answers are more than {rows:,} rows")
    if rows == 0:
        raise InputError("there are no rows: nothing is known")
    least, most = max(0, x - y), min(x, rows - y)

    def at(b: int) -> Contrast:
        return mcnemar(
            b, b - (x - y), both_right=x - b, both_wrong=rows - y - b, method=method, confidence=confidence,
            alternative=alternative,
        )  # fmt: skip

    def undecided(b: int) -> bool:
        return mcnemar_test(b, b - (x - y), method, alternative)[1] > level

    places = least, min(max(round(x * (rows - y) / rows), least), most), most
    few, likely, many = (at(b) for b in places)
    fewest, expected, largest = (2 * b - (x - y) for b in places)
    p_values = [c.p_value for c in (few, at(min(least + 1, most)), likely, many)]
    deciding = None
    if few.p_value <= level < many.p_value:
        deciding = 2 * (first_true(undecided, least, most) - 1) - (x - y)
    return Unpublished((few, likely, many), (fewest, expected, largest), min(p_values), max(p_values), deciding)


def mcnemar_test(b: int, c: int, method: McNemarMethod, alternative: Alternative) -> tuple[float, float]:
    """The statistic (chi², or b for the exact forms) and the p-value."""
    return TESTS[method].of(b, c, alternative) if b + c else (0.0, 1.0)


def _squared(b: int, c: int, alternative: Alternative, *, less: int) -> tuple[float, float]:
    z = math.copysign(max(0, abs(b - c) - less) / math.sqrt(b + c), b - c)
    return z * z, normal_p(z, alternative)


def _binomial(b: int, c: int, alternative: Alternative, *, share: float) -> tuple[float, float]:
    """P(X < k) and a `share` of P(X = k), X of Binomial(b + c, ½) and k what speaks against a difference."""
    k = {"two-sided": min(b, c), "greater": c, "less": b}[alternative]
    through, below = (float(at_most(j, b + c, 0.5)) for j in (k, k - 1))
    p = below + share * (through - below)
    if alternative == "two-sided":
        p = min(1.0, 2 * p) if b != c else 1 - (1 - share) * (through - below)
    return float(b), p


class McNemarTest(NamedTuple):
    """A form of the test: statistic and p-value of b, c and the alternative, and its degrees of freedom."""

    of: Callable[[int, int, Alternative], tuple[float, float]]
    df: float | None = None


TESTS: dict[str, McNemarTest] = {
    "mid-p": McNemarTest(partial(_binomial, share=0.5)),
    "exact": McNemarTest(partial(_binomial, share=1.0)),
    "chi2": McNemarTest(partial(_squared, less=0), df=1.0),
    "chi2-cc": McNemarTest(partial(_squared, less=1), df=1.0),
}


def _four_cells(table: Any) -> tuple[int, int, int, int]:
    """[[both right, only the first], [only the second, neither]] as four counts."""
    if isinstance(table, str) or not (hasattr(table, "__len__") or hasattr(table, "shape")):
        raise InputError(
            "only_second is missing: give the rows that only the first and only the second model got right, such as "
            "(60, 40), or the table [[both, first], [second, neither]]"
        )
    cells = count_matrix(table)
    if cells.shape != (2, 2):
        raise InputError(
            f"McNemar's table is 2 × 2, [[both right, only first], [only second, neither]], but this is "
            f"{cells.shape[0]} × {cells.shape[1]}; for the labels of two models see te.significance.bowker"
        )
    both, first, second, neither = (int(x) for x in cells.ravel())
    return both, first, second, neither


def _pairs(b: Any, c: Any, n: Any, both_right: Any, both_wrong: Any) -> Pairs:
    known = {"only_first": count(b, "only_first"), "only_second": count(c, "only_second")}
    agreements = {"both_right": both_right, "both_wrong": both_wrong}
    known |= {name: count(value, name) for name, value in agreements.items() if value is not None}
    every = len(known) == 4
    if n is None and not every:
        return Pairs(known["only_first"], known["only_second"], None, None)
    rows = sum(known.values()) if n is None else count(n, "n")
    agreed = rows - sum(known.values())
    if agreed < 0 or (agreed and every):
        parts = " + ".join(f"{name} {value}" for name, value in known.items())
        raise InputError(f"n={rows} does not fit {parts}")
    right = known.get("both_right", agreed if "both_wrong" in known else None)
    return Pairs(known["only_first"], known["only_second"], rows, right)


def _limits(pairs: Pairs, interval: McNemarInterval, z: float) -> tuple[Limits, str]:
    b, c, n, _ = pairs
    if n is None:
        return (math.nan, math.nan), "no interval: give n, or both_right and both_wrong"
    if n == 0:
        return REALS, "no rows: nothing is known"
    spread, caution = (b + c) - (b - c) ** 2 / n, None
    if interval == "wald":
        if spread == 0:
            return tango_limits(b, c, n, z), "Wald's variance is 0 here; interval: tango"
        caution = normal_model_caution(n, spread, "tango")
    return INTERVALS[interval](*pairs, z), "; ".join(map(str, filter(None, (f"interval: {interval}", caution))))


def _wald_limits(b: int, c: int, n: int, both_right: int | None, z: float) -> Limits:
    """Limits with the variance (b + c − (b − c)²/n)/n², from whole numbers so that nothing cancels."""
    d, half = (b - c) / n, z * math.sqrt(((b + c) * n - (b - c) ** 2) / n**3)
    return d - half, d + half


def _newcombe_limits(b: int, c: int, n: int, both_right: int, z: float) -> Limits:
    """Newcombe 1998, Stat. Med. 17:2635, method 10: φ loses n/2 of its numerator where positive."""
    first, second, both_wrong = both_right + b, both_right + c, n - both_right - b - c
    margins = first * (n - first) * second * (n - second)
    twice = 2 * (both_right * both_wrong - b * c)
    if twice > 0:
        twice = max(0, twice - n)
    phi = twice / 2 / math.sqrt(margins) if margins else 0.0
    down, up = reaches((first / n, *wilson(first, n, z)), (second / n, *wilson(second, n, z)), phi)
    return (b - c) / n - down, (b - c) / n + up


INTERVALS: dict[McNemarInterval, Callable[..., Limits]] = {
    "tango": lambda b, c, n, both_right, z: tango_limits(b, c, n, z),
    "bonett-price": lambda b, c, n, both_right, z: _wald_limits(b + 1, c + 1, n + 2, both_right, z),
    "newcombe": _newcombe_limits,
    "wald": _wald_limits,
}


def cochran_q(correct: Any) -> Test:
    """Are several models equally often right on the same rows? Rows × models of 0 and 1.

    Q = (k − 1)(kΣC² − T²)/(kT − ΣR²) with C the models' totals, R the rows' and T all; chi² with k − 1 degrees of
    freedom. Rows on which all models agree do not count; when there are no others p = 1. Cochran 1950, Biometrika
    37:256.

    >>> print(cochran_q([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]]))
    Cochran's Q: 4.500 on 2 degrees of freedom, p = .105
    """
    table = matrix(correct, "correct")
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("correct must have one column for each model, at least two, and one row for each item")
    flags = plain_numbers(table, "correct")
    if not np.isin(flags, (0, 1)).all():
        wrong = flags[~np.isin(flags, (0, 1))].flat[0]
        raise InputError(f"correct must hold 0 and 1 (or False and True), but it holds {wrong!r}")
    flags = flags.astype(np.int64)
    squares = int((flags.sum(axis=1) ** 2).sum())
    return _cochran(flags.sum(axis=0).tolist(), squares, len(flags), "no row on which the models differ")


def cochran_from_pairs(pairs: Mapping[tuple[str, str], Discordance], models: tuple[str, ...]) -> Test | None:
    """Is any of the models different? From the counts of their pairs; None unless all are of the same rows.

    ΣR² is ΣC + 2·Σ over pairs of the rows that both got right, so that no row is looked at again.
    """
    k = len(models)
    if k < 3 or len(pairs) < k * (k - 1) // 2 or len({d.n for d in pairs.values()}) > 1:
        return None
    right: dict[str, int] = {}
    for (a, b), d in pairs.items():
        right[a] = d.both_right + d.only_first
        right[b] = d.both_right + d.only_second
    squares = sum(right.values()) + 2 * sum(d.both_right for d in pairs.values())
    return _cochran(right.values(), squares, next(iter(pairs.values())).n, "all models are right on the same rows")


def _cochran(right: Iterable[int], squares: int, n: int, same: str) -> Test:
    """Q from the rows that each model got right and ΣR², the squares of how many models got each row right."""
    columns = list(right)
    k, total = len(columns), sum(columns)
    spread = k * total - squares
    q = (k - 1) * (k * sum(c * c for c in columns) - total * total) / spread if spread else 0.0
    return Test(
        name="Cochran's Q", statistic=q, df=float(k - 1), p_value=float(special.chdtrc(k - 1, q)) if spread else 1.0,
        method="cochran-q", n=n, note="" if spread else same,
    )  # fmt: skip


def bowker(matrix: Any) -> Test:
    """Is a K × K table symmetric: do two models (or raters) give each label equally often, pair by pair?

    χ² = Σ_{i<j} (n_ij − n_ji)²/(n_ij + n_ji) with one degree of freedom for each pair of labels that was ever
    confused; a pair of empty cells says nothing and does not count. For K = 2 it is McNemar's chi². Bowker 1948,
    JASA 43:572.

    >>> print(bowker([[20, 5, 3], [10, 30, 4], [2, 8, 18]]))
    Bowker's test of symmetry: 3.200 on 3 degrees of freedom, p = .362
    """
    cells = _square(matrix)
    upper = np.triu_indices(len(cells), 1)
    one, other = cells[upper], cells.T[upper]
    seen = one + other > 0
    df = int(seen.sum())
    empty = len(seen) - df
    note = f"{empty} pair{'s' if empty > 1 else ''} of labels never confused" if empty else ""
    statistic = float((((one - other) ** 2)[seen] / (one + other)[seen]).sum())
    return Test(
        name="Bowker's test of symmetry", statistic=statistic, df=float(df), method="bowker", n=int(cells.sum()),
        p_value=float(special.chdtrc(df, statistic)) if df else 1.0, note=note,
    )  # fmt: skip


def _square(values: Any) -> NDArray[np.float64]:
    cells = plain_numbers(matrix(getattr(values, "matrix", values), "matrix"), "matrix")
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 2:
        shape = " × ".join(map(str, cells.shape))
        raise InputError(f"matrix must be square with two labels or more, but it is {shape}")
    if not (np.isfinite(cells).all() and (cells >= 0).all() and (cells == np.floor(cells)).all()):
        raise InputError("matrix must hold counts: whole numbers, zero or more")
    return cells


class Shifted(NamedTuple):
    """A difference that can be tested against any value: its statistic there, and its limits at a quantile.

    The statistic is Student's t with `df` degrees of freedom, or normal where these are infinite.
    """

    estimate: float
    statistic: Callable[[float], float]
    limits: Callable[[float], Limits]
    family: str
    n: int
    df: float = math.inf
    whole: Limits = (-1.0, 1.0)
    estimand: str = THESE_MODELS
    note: str = ""

    def p_above(self, t: float) -> float:
        """The chance of so large a statistic."""
        return float(special.stdtr(self.df, -t))

    def answer(self, name: str, kind: str, tail: float, confidence: float, alternative: Alternative, p_value: float,
               statistic: float) -> Contrast:  # fmt: skip
        """The contrast, with limits that leave `tail` out at an end."""
        return contrast(
            name=name, estimate=self.estimate, limits=self.limits(-float(special.stdtrit(self.df, tail))),
            whole=self.whole, confidence=confidence, alternative=alternative, method=f"{self.family}-{kind}",
            p_value=p_value, statistic=statistic, df=self.df if 0 < self.df < math.inf else None, n=self.n, null=None,
            notes=(self.note,), estimand=self.estimand,
        )  # fmt: skip


def equivalence(
    first: Any, second: Any, *, margin: float, n: int | None = None, paired: bool = True, confidence: float = 0.95
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
    equivalence within ±0.02: first − second = +0.002 [−0.006, 0.010], 90 % tango-equivalence, p < .001, n = 1,000
    """
    level, width = check_confidence(confidence), check_margin(margin)
    if level <= 0.5:
        raise InputError(f"confidence={confidence!r} must be above 0.5 for two one-sided tests")
    shifted = _shifted(first, second, n, paired)
    above, below = shifted.statistic(-width), shifted.statistic(width)
    p_values = shifted.p_above(above), shifted.p_above(-below)
    return shifted.answer(
        f"equivalence within ±{width:g}", "equivalence", 1 - level, 2 * level - 1, "two-sided", max(p_values),
        above if p_values[0] >= p_values[1] else below,
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
    return shifted.answer(
        f"non-inferiority within {width:g}", "noninferiority", 1 - level, level,
        "greater" if higher_is_better else "less", shifted.p_above(sign * statistic), statistic,
    )  # fmt: skip


def _shifted(first: Any, second: Any, n: int | None, paired: bool) -> Shifted:
    if not paired and (n is not None or _is_pair(first)):
        raise InputError("paired=False is for columns of scores; counts of different rows are pairs (successes, rows)")
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
    if n == 0:
        return Shifted(math.nan, lambda _: 0.0, lambda _: REALS, "tango", n, note="no rows: nothing is known")
    return Shifted((b - c) / n, partial(tango_z, b, c, n), partial(tango_limits, b, c, n), "tango", n)


def _independent_counts(first: tuple[int, int], second: tuple[int, int]) -> Shifted:
    (x1, n1), (x2, n2) = counts = [
        (count(x, f"{name} successes"), count(rows, f"{name} rows"))
        for name, (x, rows) in (("first", first), ("second", second))
    ]
    for name, (x, rows) in zip(("first", "second"), counts, strict=True):
        if x > rows or rows == 0:
            raise InputError(f"{name}=({x}, {rows}) must be successes and rows, with 0 ≤ successes ≤ rows and rows > 0")
    return Shifted(
        x1 / n1 - x2 / n2, partial(miettinen_nurminen_z, x1, n1, x2, n2),
        partial(miettinen_nurminen_limits, x1, n1, x2, n2), "miettinen-nurminen", n1 + n2,
    )  # fmt: skip


def _scores(first: Any, second: Any, paired: bool) -> Shifted:
    if paired:
        facts, family = paired_facts(*paired_numbers(first, second)), "paired-t"
    else:
        facts, family = unpaired_facts(numbers(first, "first"), numbers(second, "second"), "welch"), "welch-t"
    d, error = facts.estimate, facts.error if facts.varies else math.nan
    return Shifted(
        d, lambda delta: (d - delta) / error, lambda t: (d - t * error, d + t * error) if facts.varies else REALS,
        family, facts.n, facts.df if facts.varies else math.inf, REALS, SCORES, facts.note,
    )  # fmt: skip
