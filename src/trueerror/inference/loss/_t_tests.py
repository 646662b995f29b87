"""Student's t for measured scores: the same folds or rows, different ones, and folds whose training sets overlap.

Scores of resampled splits are not independent: the models behind them share most of their training rows. s²/J, the
variance of a mean of J independent scores, is then far too small; more splits would shrink it to nothing although the
rows stay the same.

Source: Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD, 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from scipy import special

from trueerror.inference._contrast import LEARNERS, REALS, SCORES, check_test_options, contrast, student_p, t_contrast
from trueerror.inference._problem import IntervalSpec, critical_t
from trueerror.inference.loss._mean import difference_of_means
from trueerror.inputs._arrays import Floats, count, matrix, numbers, paired_numbers
from trueerror.inputs._options import InputError, check_word
from trueerror.results import Alternative, Contrast, Df, Result, Table
from trueerror.results._format import fixed, folded, p_cell, p_value, percent, signed
from trueerror.tallies import Moments

UnpairedDf = Literal["welch", "pooled", "conservative"]

# A spread or a mean this small beside the numbers themselves is rounding error: t would divide noise by noise.
ROUNDING = 10 * float(np.finfo(np.float64).eps)


def paired_t(first: Any, second: Any, *, confidence: float = 0.95, alternative: Alternative = "two-sided") -> Contrast:
    """Two sets of scores that belong together (the same folds, rows or data sets): t = d̄/(s/√k), k − 1 df.

    Assumes independent differences. Scores of cross-validation folds are not: their training sets overlap, and this
    test then calls equal learners different far too often; use `corrected_t`. Student 1908, Biometrika 6:1.

    >>> print(paired_t([0.82, 0.79, 0.85, 0.88], [0.80, 0.78, 0.83, 0.85]))
    difference: first − second = +0.020 [0.007, 0.033], 95 % paired-t, p = .016, n = 4
    """
    level = check_test_options(confidence, alternative)
    return _t_contrast(paired_facts(*paired_numbers(first, second)), level, alternative, "paired-t", SCORES)


def corrected_t(
    differences: Any, *, test_train_ratio: float, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast:
    """Differences over resampled splits, with the variance that overlapping training sets add.

    t = d̄/√(s²(1/J + n_test/n_train)) with J − 1 df, J the number of splits (repeats × folds are read as one list);
    `test_train_ratio` is n_test/n_train: 1/9 for 10-fold cross-validation. Nadeau and Bengio 2003, Mach. Learn. 52:239;
    Bouckaert and Frank 2004, PAKDD. Conservative on a single run of 10 folds; made for repeats.

    >>> d = [0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01]
    >>> print(corrected_t(d, test_train_ratio=1 / 9))
    difference: first − second = +0.0150 [0.0001, 0.0299], 95 % corrected-t-test, p = .049, n = 10
    """
    level = check_test_options(confidence, alternative)
    d = numbers(matrix(differences, "differences").reshape(-1), "differences")
    facts = _mean_difference(d, _scale(d), _checked_ratio(test_train_ratio))
    return _t_contrast(facts, level, alternative, "corrected-t-test", LEARNERS)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FoldDifferences(Result):
    """Scores of two learners fold by fold, their differences with mean and s, and both t-tests; or those of one.

    `plain` takes the folds for independent, which they are not: they share training rows. `corrected` adds the variance
    that this hides, and is the one to report. Of different folds they are Welch's t and that with the fewer degrees of
    freedom, and there is no `test_train_ratio`. One learner is held against 0, and its limits are those of its mean.
    """

    names: tuple[str, str]
    first: tuple[float, ...]
    second: tuple[float, ...]
    plain: Contrast
    corrected: Contrast
    test_train_ratio: float | None

    @property
    def differences(self) -> tuple[float, ...]:
        """First − second, fold by fold; of one learner its scores, of different folds none."""
        pairs = zip(self.first, self.second or [0.0] * len(self.first), strict=False)
        return () if self.test_train_ratio is None else tuple(a - b for a, b in pairs)

    @property
    def mean(self) -> float:
        """The mean difference."""
        return self.plain.estimate

    @property
    def s(self) -> float:
        """The standard deviation of the differences, Σ(δ − δ̄)²/(k − 1) under the root."""
        return float(np.std(self.differences, ddof=1)) if self.differences else math.nan

    def _columns(self) -> dict[str, tuple[float, ...]]:
        """The columns of scores, and of differences where there are some."""
        both = {x: v for x, v in zip(self.names, (self.first, self.second), strict=True) if v}
        return both | ({"difference": self.differences} if self.second and self.differences else {})

    def records(self) -> list[dict[str, object]]:
        """One record for each fold."""
        columns = self._columns()
        rows = enumerate(zip_longest(*columns.values()), start=1)
        return [{"fold": i, **dict(zip(columns, row, strict=True))} for i, row in rows]

    def _made_by(self) -> list[tuple[str, Contrast]]:
        words = ("plain t", "corrected t") if self.differences else ("Welch's t", "t, fewer df")
        return list(zip(words, (self.plain, self.corrected), strict=True))

    def _tables(self) -> list[Table]:
        digits = max(3, *(_decimals(x) for x in (*self.first, *self.second)))
        columns, more = self._columns(), digits + 1
        paired = "difference" in columns
        say = {name: signed if name == "difference" else fixed for name in columns}
        parts = zip_longest(*([say[name](x, digits) for x in column] for name, column in columns.items()), fillvalue="")
        rows = [(str(i), *cells) for i, cells in enumerate(parts, start=1)]
        rows.append(("mean", *(say[name](float(np.mean(x)), more) for name, x in columns.items())))
        rows.append(("s", *("" if paired and name != "difference" else fixed(float(np.std(x, ddof=1)), more)
                            for name, x in columns.items())))  # fmt: skip
        change = signed if self.second else fixed
        tests = [
            (words, *([signed(c.statistic, 2)] if self.second else []), f"{c.df:.4g}",
             fixed(critical_t(c.confidence, cast("float", c.df), c.side), 2),
             *([p_cell(p_value(c.p_value))] if self.second else []), f"[{change(c.low, more)}, {change(c.high, more)}]")
            for words, c in self._made_by()
        ]  # fmt: skip
        level = f"{percent(self.plain.confidence)} CI"
        head = ("test", "t", "df", "critical t", "p", level) if self.second else ("mean", "df", "critical t", level)
        named = tuple(" − ".join(self.names) if name == "difference" else name for name in columns)
        return [Table(columns=("fold", *named), rows=tuple(rows)), Table(columns=head, rows=tuple(tests))]

    def _table(self) -> Table:
        return self._tables()[0]

    def __str__(self) -> str:
        folds, tests = (table.text() for table in self._tables())
        words = NULL if self.second else ""
        if self.test_train_ratio is not None:
            words += (
                "Folds share training rows: the plain t takes them for independent and is too sure; report the "
                f"corrected one (variance s²(1/{len(self.first)} + {self.test_train_ratio:.3g}))."
            )
        return f"{folds}\n\n{tests}\n{folded(words)}"

    __repr__ = __str__


NULL = "Null hypothesis: on average the two do not differ; rejected where t is beyond its critical value. "


def _decimals(x: float) -> int:
    """Decimals that a score was written with, at most 6."""
    return next((d for d in range(6) if round(x, d) == x), 6)


def fold_differences(
    first: Any,
    second: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    paired: bool = True,
    repeats: int = 1,
    test_train_ratio: float | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> FoldDifferences:
    """Scores of two learners on the same folds: δ_i, their mean and s, the plain t-test beside the corrected one.

    Scores of one learner alone have its mean, s and limits. `paired=False` is for learners on different folds.

    t = δ̄/(s/√J) with J − 1 df, and Nadeau and Bengio's √(s²(1/J + n_test/n_train)) in the place of s/√J. Without
    `test_train_ratio` the scores are those of `repeats` rounds of k folds, J = repeats·k, and the ratio is 1/(k − 1).
    Sources: Mitchell 1997, Machine Learning, ch. 5; Nadeau and Bengio 2003, Mach. Learn. 52:239.

    >>> found = fold_differences([0.81, 0.84, 0.79, 0.85], [0.80, 0.80, 0.78, 0.82])
    >>> round(found.mean, 4), round(found.s, 4), round(found.plain.p_value, 3), round(found.corrected.p_value, 3)
    (0.0225, 0.015, 0.058, 0.144)
    """
    how: dict[str, Any] = {"confidence": confidence, "alternative": alternative}
    apart = second is not None and not paired
    a = numbers(first, "first")
    b = np.zeros(len(a)) if second is None else numbers(second, "second") if apart else paired_numbers(first, second)[1]
    if (k := min(len(a), len(b))) < 2:
        raise InputError(f"a spread needs the scores of two folds or more, but there {'is 1' if k else 'are none'}")
    if apart:
        ratio, (plain, corrected) = None, (unpaired_t(a, b, df=df, **how) for df in ("welch", "conservative"))
    else:
        ratio = _ratio_of(k, count(repeats, "repeats")) if test_train_ratio is None else float(test_train_ratio)
        plain, corrected = paired_t(a, b, **how), corrected_t(a - b, test_train_ratio=ratio, **how)
    one, two = map(str, names)
    two = "0" if second is None else two
    return FoldDifferences(
        names=(one, two), first=tuple(a.tolist()), second=() if second is None else tuple(b.tolist()),
        plain=replace(plain, first=one, second=two), corrected=replace(corrected, first=one, second=two),
        test_train_ratio=ratio,
    )  # fmt: skip


def _ratio_of(scores: int, rounds: int) -> float:
    if rounds < 1 or scores % rounds or scores // rounds < 2:
        words = f"{scores} scores are not {rounds} rounds of two or more folds: pass repeats="
        raise InputError(f"{words}, or test_train_ratio= (1/9 for ten folds)")
    return 1 / (scores // rounds - 1)


def unpaired_t(
    first: Any,
    second: Any,
    *,
    df: UnpairedDf = "welch",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Two sets of scores from different folds or rows, k and j of them.

    "welch": t = (m1 − m2)/√(s1²/k + s2²/j) with Satterthwaite's df; "conservative": the same t with min(k, j) − 1 df;
    "pooled": one common variance, k + j − 2 df. Welch 1947, Biometrika 34:28.

    >>> print(unpaired_t([0.81, 0.83, 0.79, 0.85], [0.75, 0.77, 0.80], df="conservative"))
    difference: first − second = +0.047 [−0.037, 0.130], 95 % conservative-t, p = .138, n = 7
    """
    check_word(df, ("welch", "pooled", "conservative"), "df")
    level = check_test_options(confidence, alternative)
    facts = unpaired_facts(numbers(first, "first"), numbers(second, "second"), df)
    return _t_contrast(facts, level, alternative, f"{df}-t", SCORES)


def five_by_two_t(differences: Any, *, confidence: float = 0.95, alternative: Alternative = "two-sided") -> Contrast:
    """Five repeats of 2-fold cross-validation: t = p₁⁽¹⁾/√(mean s²), 5 df; differences are 5 rows × 2.

    s²ᵢ = (p⁽¹⁾ − p̄)² + (p⁽²⁾ − p̄)² within repeat i. The estimate is the mean of the ten differences, and its limits
    are mean ± t·√(mean s²): they credit the mean with no more precision than the single difference of the
    statistic, so the two can disagree. Dietterich 1998, Neural Comput. 10:1895.

    >>> d = [[0.02, -0.01], [0.03, 0.01], [0, 0.02], [0.01, 0.04], [0.02, 0]]
    >>> round(five_by_two_t(d).statistic, 4)
    1.1547
    """

    def of_the_first(p: Floats, variance: float) -> tuple[float, Df, float]:
        t = float(p[0, 0]) / math.sqrt(variance)
        return t, 5.0, student_p(t, 5.0, alternative)

    return _five_by_two(differences, confidence, alternative, "five-by-two-t", of_the_first)


def five_by_two_f(differences: Any, *, confidence: float = 0.95) -> Contrast:
    """The combined 5×2cv test F = ΣΣp²/(2Σs²) with 10 and 5 df, which does not hang on which fold came first.

    F has no sign, so it is two-sided; estimate and limits are those of `five_by_two_t`. Alpaydın 1999, Neural Comput.
    11:1885.

    >>> d = [[0.02, -0.01], [0.03, 0.01], [0, 0.02], [0.01, 0.04], [0.02, 0]]
    >>> f = five_by_two_f(d)
    >>> round(f.statistic, 4), round(f.p_value, 4)
    (1.3333, 0.3955)
    """

    def of_all(p: Floats, variance: float) -> tuple[float, Df, float]:
        f = float((p * p).sum()) / (10 * variance)
        return f, (10.0, 5.0), float(special.fdtrc(10, 5, f))

    return _five_by_two(differences, confidence, "two-sided", "five-by-two-f", of_all)


def _five_by_two(
    differences: Any, confidence: float, alternative: Alternative, method: str,
    test: Callable[[Floats, float], tuple[float, Df, float]],
) -> Contrast:  # fmt: skip
    """Limits around the mean; statistic, df and p-value from the ten differences and the mean variance of a repeat."""
    level, table = check_test_options(confidence, alternative), matrix(differences, "differences")
    if table.shape != (5, 2):
        shape = " × ".join(map(str, table.shape))
        raise InputError(f"differences must be 5 rows (repeats) × 2 (folds), but it is {shape}")
    p = numbers(table.reshape(-1), "differences").reshape(5, 2)
    variance = float(((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean())
    facts = MeanDifference(_settled(float(p.mean()), _scale(p)), variance, 5.0, _scale(p), 10, not p.any())
    around_mean = _t_contrast(facts, level, alternative, method, LEARNERS)
    if not facts.varies:
        return around_mean
    statistic, df, p_value = test(p, variance)
    return contrast(
        estimate=facts.estimate, limits=(around_mean.low, around_mean.high), whole=REALS, confidence=level,
        alternative=alternative, method=method, statistic=statistic, df=df, p_value=p_value, n=10,
        notes=("limits around the mean of the ten differences",), estimand=LEARNERS,
    )  # fmt: skip


class MeanDifference(NamedTuple):
    """What a t-test needs to know of its data; NaN variance where there are too few values."""

    estimate: float
    variance: float
    df: float
    scale: float
    n: int
    all_zero: bool

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    @property
    def varies(self) -> bool:
        """Whether there is a spread beyond rounding."""
        return self.variance > (ROUNDING * self.scale) ** 2

    @property
    def note(self) -> str:
        """Why there is no t, where there is none."""
        if self.varies:
            return ""
        if self.all_zero:
            return "no value differs: the difference has no variance, and so no finite limits"
        if math.isnan(self.variance):
            return "too few values for a variance: no test and no finite limits"
        return "the values do not vary, so t is undefined; `wilcoxon` and `sign` need no variance"


def paired_facts(a: Floats, b: Floats) -> MeanDifference:
    """The mean difference and its variance."""
    return _mean_difference(a - b, _scale(a, b))


def unpaired_facts(a: Floats, b: Floats, df: UnpairedDf) -> MeanDifference:
    """The difference of the means and its variance."""
    k, j, scale = len(a), len(b), _scale(a, b)
    estimate = _settled(float(a.mean() - b.mean()), scale) if min(k, j) else math.nan
    freedom, variance = _unpaired_variance(a, b, df)
    return MeanDifference(estimate, variance, freedom, scale, k + j, estimate == 0)


def _mean_difference(d: Floats, scale: float, ratio: float = 0.0) -> MeanDifference:
    k = len(d)
    variance = float(d.var(ddof=1)) * (1 / k + ratio) if k > 1 else math.nan
    all_zero = k > 0 and bool((np.abs(d) <= ROUNDING * scale).all())
    return MeanDifference(_settled(float(d.mean()), scale) if k else math.nan, variance, k - 1.0, scale, k, all_zero)


def _unpaired_variance(a: Floats, b: Floats, df: UnpairedDf) -> tuple[float, float]:
    """Degrees of freedom and the variance of the difference of the means; NaN where they cannot be had."""
    k, j = len(a), len(b)
    if min(k, j) == 0 or k + j < 3 or (df != "pooled" and min(k, j) < 2):
        return 0.0, math.nan
    if df == "pooled":
        squares = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
        return k + j - 2.0, squares / (k + j - 2) * (1 / k + 1 / j)
    va, vb = float(a.var(ddof=1)) / k, float(b.var(ddof=1)) / j
    if df == "conservative" or va + vb == 0:
        return min(k, j) - 1.0, va + vb
    # Shares of the variance, not the variances: their squares would underflow for tiny scores.
    share = va / (va + vb)
    return 1 / (share**2 / (k - 1) + (1 - share) ** 2 / (j - 1)), va + vb


def _t_contrast(facts: MeanDifference, level: float, alternative: Alternative, method: str, estimand: str) -> Contrast:
    """t for an estimate with its variance; without a variance the limits are infinite and the note says why.

    Differences that are all 0 give p = 1. Differences that are all the same but not 0 leave p undefined: the t
    statistic would be infinite, and how sure one may be is not in the data.
    """
    spec = IntervalSpec(confidence=level, alternative=alternative)
    if facts.varies:
        return t_contrast(
            facts.estimate, facts.error, facts.df, spec, method=method, n=facts.n, estimand=estimand
        )  # fmt: skip
    return contrast(
        estimate=facts.estimate, limits=REALS, whole=REALS, confidence=level, alternative=alternative, method=method,
        statistic=0.0 if facts.all_zero else math.nan, df=facts.df if facts.df > 0 else None, n=facts.n,
        p_value=1.0 if facts.all_zero else math.nan, p_better=0.5 if facts.all_zero else None, notes=(facts.note,),
        estimand=estimand,
    )  # fmt: skip


def _settled(estimate: float, scale: float) -> float:
    """A difference of rounding size is no difference."""
    return 0.0 if abs(estimate) <= ROUNDING * scale else estimate


def _scale(*columns: Floats) -> float:
    return max((float(np.abs(c).max()) for c in columns if c.size), default=0.0)


class CorrectedSpread(NamedTuple):
    """The mean of J scores, the standard error of that mean, and J − 1; the error is 0 where nothing varies."""

    mean: float
    error: float
    df: int


def corrected_factor(splits: int, test_train_ratio: float) -> float:
    """1/J + n_test/n_train, what the variance of J scores is multiplied by; a ratio of 0 is the plain 1/J.

    >>> round(corrected_factor(100, 1 / 9), 4)
    0.1211
    """
    return 1 / splits + _checked_ratio(test_train_ratio)


def _checked_ratio(test_train_ratio: float) -> float:
    ratio = float(test_train_ratio)
    if not (math.isfinite(ratio) and ratio >= 0):
        raise InputError(f"test_train_ratio={test_train_ratio!r} must be n_test/n_train, such as 1/9 for 10 folds")
    return ratio


def corrected_spread(scores: Floats, test_train_ratio: float) -> CorrectedSpread:
    """The mean of the scores and √(s²(1/J + n_test/n_train)).

    >>> d = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01])
    >>> mean, error, df = corrected_spread(d, 1 / 9)
    >>> round(mean / error, 4), df
    (2.277, 9)
    """
    if not len(scores):
        raise InputError("there are no scores; a mean needs at least one")
    facts = _mean_difference(scores, _scale(scores), _checked_ratio(test_train_ratio))
    return CorrectedSpread(float(scores.mean()), facts.error if facts.varies else 0.0, len(scores) - 1)


def paired_t_of_losses(
    m: Moments, whole: tuple[float, float], spec: IntervalSpec, *, higher_is_better: bool | None = False
) -> Contrast:
    """The t-test of paired differences of row losses, from their moments; without spread, what the effective t says.

    `whole` is where a difference can lie.
    """
    key = "paired-t-losses"
    if not (m.n >= 2 and m.squares > 0):
        return replace(difference_of_means(m, whole, spec, higher_is_better), method=key)
    return t_contrast(
        m.mean, m.standard_error, m.n - 1.0, spec, method=key, n=m.n, whole=whole, higher_is_better=higher_is_better
    )
