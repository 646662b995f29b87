"""Models on the same rows: McNemar for two, Cochran's Q for several, Bowker for two tables of labels."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from trueerror.inputs.arrays import matrix
from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count
from trueerror.inputs.options import check_word
from trueerror.intervals.closed_forms import wilson
from trueerror.results import Alternative, Contrast, Test
from trueerror.significance.binomials import at_least, at_most, pmf
from trueerror.significance.contrasts import THESE_MODELS, Limits, check_options, contrast, normal_p, normal_quantile
from trueerror.significance.score_statistics import tango_limits

McNemarMethod = Literal["mid-p", "exact", "chi2", "chi2-cc"]
McNemarInterval = Literal["tango", "bonett-price", "newcombe", "wald"]
METHODS = ("mid-p", "exact", "chi2", "chi2-cc")
INTERVALS = ("tango", "bonett-price", "newcombe", "wald")


class Pairs(NamedTuple):
    """Rows on which both, one or none of two models was right; None where it is not known."""

    only_first: int
    only_second: int
    n: int | None
    both_right: int | None


def mcnemar(
    only_first: int,
    only_second: int,
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
    Wilson limits with his corrected φ and needs both_right or both_wrong; "wald" has the variance
    (b + c − (b − c)²/n)/n². Without n (or both_right and both_wrong) only the p-value is given. The interval inverts
    another test than mid-p: where the two disagree the note says "borderline" and the p-value decides.
    `p_better` is P(Beta(b + ½, c + ½) > ½). Sources: Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91;
    Tango 1998, Stat. Med. 17:891.

    >>> print(mcnemar(60, 40, n=1000))
    difference: first − second = +0.020 [0.00041, 0.040], 95 % mcnemar-mid-p, p = .046, n = 1,000 (interval: tango)
    """
    check_word(method, METHODS, "method")
    check_word(interval, INTERVALS, "interval")
    level = check_options(confidence, alternative)
    pairs = _pairs(only_first, only_second, n, both_right, both_wrong)
    if interval == "newcombe" and pairs.both_right is None:
        raise InputError('interval="newcombe" needs both_right or both_wrong beside n, or both of them')
    b, c = pairs.only_first, pairs.only_second
    statistic, p_value = mcnemar_test(b, c, method, alternative)
    limits, note = _limits(pairs, interval, normal_quantile(level, alternative))
    return contrast(
        estimate=(b - c) / pairs.n if pairs.n else math.nan,
        limits=limits,
        # Without n there is no interval to cut to one side.
        whole=(-1.0, 1.0) if pairs.n is not None else (math.nan, math.nan),
        confidence=level,
        alternative=alternative,
        method=f"mcnemar-{method}",
        p_value=p_value,
        statistic=statistic,
        df=1.0 if method.startswith("chi2") else None,
        n=pairs.n,
        notes=(note,),
        p_better=float(special.betaincc(b + 0.5, c + 0.5, 0.5)),
        estimand=THESE_MODELS,
    )


def mcnemar_test(b: int, c: int, method: McNemarMethod, alternative: Alternative) -> tuple[float, float]:
    """The statistic (chi², or b for the exact forms) and the p-value."""
    total = b + c
    if total == 0:
        return 0.0, 1.0
    if method.startswith("chi2"):
        gap = max(0, abs(b - c) - 1) if method == "chi2-cc" else abs(b - c)
        z = math.copysign(gap / math.sqrt(total), b - c)
        return z * z, normal_p(z, alternative)
    half = float(pmf(b, total, 0.5)) / 2 if method == "mid-p" else 0.0
    if alternative == "greater":
        return float(b), float(at_least(b, total, 0.5)) - half
    if alternative == "less":
        return float(b), float(at_most(b, total, 0.5)) - half
    if b == c:
        return float(b), 1 - half
    return float(b), min(1.0, 2 * (float(at_most(min(b, c), total, 0.5)) - half))


def _pairs(b: Any, c: Any, n: Any, both_right: Any, both_wrong: Any) -> Pairs:
    first, second = count(b, "only_first"), count(c, "only_second")
    right = None if both_right is None else count(both_right, "both_right")
    wrong = None if both_wrong is None else count(both_wrong, "both_wrong")
    rows = None if n is None else count(n, "n")
    if rows is None and right is not None and wrong is not None:
        rows = first + second + right + wrong
    if rows is None:
        return Pairs(first, second, None, None)
    agreed = rows - first - second - (right or 0) - (wrong or 0)
    if agreed < 0 or (agreed and right is not None and wrong is not None):
        given = {"only_first": first, "only_second": second, "both_right": right, "both_wrong": wrong}
        parts = " + ".join(f"{name} {value}" for name, value in given.items() if value is not None)
        raise InputError(f"n={rows} does not fit {parts}")
    if right is None and wrong is not None:
        right = agreed
    return Pairs(first, second, rows, right)


def _limits(pairs: Pairs, interval: McNemarInterval, z: float) -> tuple[Limits, str]:
    b, c, n, _ = pairs
    if n is None:
        return (math.nan, math.nan), "no interval: give n, or both_right and both_wrong"
    if n == 0:
        return (-1.0, 1.0), "no rows: nothing is known"
    if interval == "wald" and _wald_variance(b, c, n) == 0:
        return tango_limits(b, c, n, z), "Wald's variance is 0 here; interval: tango"
    words = f"interval: {interval}"
    if interval == "tango":
        return tango_limits(b, c, n, z), words
    if interval == "newcombe":
        return _newcombe_limits(pairs, z), words
    if interval == "bonett-price":
        b, c, n = b + 1, c + 1, n + 2
    d, half = (b - c) / n, z * math.sqrt(_wald_variance(b, c, n))
    return (d - half, d + half), words


def _wald_variance(b: int, c: int, n: int) -> float:
    """(b + c − (b − c)²/n)/n², from whole numbers so that nothing cancels."""
    return ((b + c) * n - (b - c) ** 2) / n**3


def _newcombe_limits(pairs: Pairs, z: float) -> Limits:
    """Newcombe 1998, Stat. Med. 17:2635, method 10: φ loses n/2 of its numerator where positive."""
    b, c, n, a = pairs
    assert n is not None
    assert a is not None
    d = n - a - b - c
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    twice = 2 * (a * d - b * c)
    if twice > 0:
        twice = max(0, twice - n)
    phi = twice / 2 / math.sqrt(margins) if margins else 0.0
    p1, p2 = (a + b) / n, (a + c) / n
    l1, u1 = wilson(a + b, n, z)
    l2, u2 = wilson(a + c, n, z)
    sign = math.copysign(1.0, z)

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))

    return p1 - p2 - sign * reach(p1 - l1, u2 - p2), p1 - p2 + sign * reach(u1 - p1, p2 - l2)


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
    flags = np.asarray(table)
    if not np.isin(flags, (0, 1)).all():
        wrong = flags[~np.isin(flags, (0, 1))].flat[0]
        raise InputError(f"correct must hold 0 and 1 (or False and True), but it holds {wrong!r}")
    flags = flags.astype(np.int64)
    n, k = flags.shape
    columns, rows = flags.sum(axis=0), flags.sum(axis=1)
    total = int(rows.sum())
    spread = k * total - int((rows * rows).sum())
    if spread == 0:
        return Test(
            name="Cochran's Q", statistic=0.0, df=float(k - 1), p_value=1.0, method="cochran-q", n=n,
            note="no row on which the models differ",
        )  # fmt: skip
    q = (k - 1) * (k * sum(int(c) ** 2 for c in columns) - total**2) / spread
    p_value = float(special.chdtrc(k - 1, q))
    return Test(name="Cochran's Q", statistic=q, df=float(k - 1), p_value=p_value, method="cochran-q", n=n)


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
    p_value = float(special.chdtrc(df, statistic)) if df else 1.0
    return Test(
        name="Bowker's test of symmetry", statistic=statistic, df=float(df), p_value=p_value, method="bowker",
        n=int(cells.sum()), note=note,
    )  # fmt: skip


def _square(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    cells = matrix(getattr(values, "matrix", values), "matrix").astype(np.float64)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 2:
        shape = " × ".join(map(str, cells.shape))
        raise InputError(f"matrix must be square with two labels or more, but it is {shape}")
    if not (np.isfinite(cells).all() and (cells >= 0).all() and (cells == np.floor(cells)).all()):
        raise InputError("matrix must hold counts: whole numbers, zero or more")
    return cells
