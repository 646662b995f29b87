"""Many models on many data sets, by ranks: is there any difference, and between whom?

Rows are data sets, columns are models; rank 1 is the best. Each function takes what `score_matrix` reads. Nemenyi's
test needs the studentized range with infinite degrees of freedom: SciPy's general version integrates twice and takes
milliseconds a value; with a known variance one integral is enough. Paired scores: Wilcoxon's signed ranks, exact with
ties, and the sign test.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import (
    REALS,
    SCORES,
    Limits,
    check_test_options,
    contrast,
    normal_p,
    student_quantile,
    tail_area,
)
from trueerror.inference._many import DRAWS, adjust_shaffer, groups_not_told_apart
from trueerror.inference.proportion._distributions import at_least, at_most, crossing
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._arrays import Floats, matrix, paired_numbers, plain_numbers
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, check_confidence, check_word, nearest
from trueerror.inputs._words import speaks
from trueerror.kernels._numpy import average_ranks
from trueerror.kernels._threads import PIECE, parts
from trueerror.results import Alternative, Contrast, Test
from trueerror.sources._open_tables import open_frame
from trueerror.sources._table_types import is_table


def range_above(q: Floats | float, k: int) -> Floats:
    """P(range of k standard normals > q), precise in the far tail too.

    With x the largest of the k: k·∫ φ(x)·(Φ(x)^(k−1) − (Φ(x) − Φ(x − q))^(k−1)) dx. The difference is taken inside the
    integral, so nothing cancels. The integrand is entire and falls like a normal density, so equal steps are exact to
    rounding: with φ(r) = φ(0)·ε, steps of 1/r serve densities as narrow as a sixth of the normal one.

    >>> range_above(3.633160, 4).round(6)
    array([0.05])
    """
    points = np.atleast_1d(np.asarray(q, dtype=np.float64))
    reach = math.sqrt(-2 * math.log(np.finfo(np.float64).eps))
    x = np.arange(-reach, float(points.max(initial=0.0)) + reach, 1 / reach)
    log_below = special.log_ndtr(x)
    weight = np.exp((k - 1) * log_below - 0.5 * x * x)
    # The weights add up to 1, and a range above 0 is certain.
    weight /= weight.sum()
    below, parts = np.exp(log_below), np.array_split(points, 1 + len(points) * len(x) // BLOCK)
    with np.errstate(divide="ignore"):
        shares = (np.minimum(special.ndtr(x - part[:, None]) / below, 1.0) for part in parts)
        above = np.concatenate([-np.expm1((k - 1) * np.log1p(-share)) @ weight for share in shares])
    return np.where(points <= 0, 1.0, np.clip(above, 0.0, 1.0))


@lru_cache(maxsize=256)
def range_point(alpha: float, k: int) -> float:
    """The q that the range of k standard normals exceeds with probability alpha; Bonferroni's over all pairs is higher.

    >>> round(range_point(0.05, 4) / 2**0.5, 3)
    2.569
    """
    high = -math.sqrt(2) * float(special.ndtri(alpha / (k * (k - 1))))
    return crossing(lambda q: math.log(max(float(range_above(q, k)[0]), TINY) / alpha), 0.0, high)


TOGETHER: Final = "westfall-young"
# A p-value that underflows is tiny, never 0.
TINY = sys.float_info.min


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """A complete table of scores with the names of its columns and, where known, of its rows."""

    values: Floats
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    higher_is_better: bool = True

    @property
    def ranks(self) -> Floats:
        """Rank 1 is the best model of a data set; ties share their mean rank."""
        return average_ranks(-self.values if self.higher_is_better else self.values)

    @property
    def n(self) -> int:
        """How many data sets."""
        return len(self.values)

    @property
    def k(self) -> int:
        """How many models."""
        return len(self.models)

    @property
    def rank_error(self) -> float:
        """The standard deviation of a difference of two mean ranks when no model is better, √(k(k+1)/(6N))."""
        return math.sqrt(self.k * (self.k + 1) / (6 * self.n))


def score_matrix(scores: Any, *, higher_is_better: bool = True) -> ScoreMatrix:
    """Read a table of scores: a frame or a mapping of columns, or an array with one column for each model.

    One column of text in a frame names the data sets; so does a text index of pandas. A cell without a score is an
    error that names it.

    >>> score_matrix({"a": [0.9, 0.8], "b": [0.7, 0.8]}).ranks
    array([[1. , 2. ],
           [1.5, 1.5]])
    """
    if not isinstance(higher_is_better, bool | np.bool_):
        raise InputError(f"higher_is_better={higher_is_better!r:.40} must be True (scores) or False (errors, losses)")
    if isinstance(scores, ScoreMatrix):
        return scores
    texts: list[str] = []
    if isinstance(scores, Mapping) or is_table(scores):
        table = open_frame(scores)
        named = {name: table.values(name) for name in table.columns}
        texts = [name for name in table.columns if table.kind(name) == "text"]
    else:
        values = matrix(scores, "scores")
        if values.ndim != 2:
            raise InputError("scores must be a table: one row for each data set, one column for each model")
        named = {f"model {j + 1}": values[:, j] for j in range(values.shape[1])}
    if len(texts) > 1:
        raise InputError(f"scores has text in {texts[0]!r} and {texts[1]!r}; only one column may name the data sets")
    datasets = named.pop(texts[0]) if texts else ()
    if not texts and getattr(getattr(scores, "index", None), "inferred_type", "") == "string":
        datasets = scores.index
    models = list(named)
    if len(models) < 2:
        raise InputError(f"scores has {len(models)} model; ranking needs at least two columns")
    cells = np.column_stack([plain_numbers(c, f"the scores of {m!r}") for m, c in named.items()])
    if len(cells) == 0:
        raise InputError("scores has no rows; ranking needs at least one data set")
    rows = tuple(map(str, datasets if len(datasets) else range(1, len(cells) + 1)))
    wrong = np.argwhere(~np.isfinite(cells))
    if len(wrong):
        i, j = (int(v) for v in wrong[0])
        raise InputError(
            f"scores has {cells[i, j]} for {models[j]!r} on data set {rows[i]!r} ({len(wrong)} such cells); "
            "leave out the model or the data set, or let te.rank say what to do with missing cells"
        )
    return ScoreMatrix(cells, tuple(models), rows, higher_is_better)


ALL_TIE = "all models tie on every data set"


def friedman(scores: Any, *, ties: bool = True, higher_is_better: bool = True) -> Test:
    """Friedman's test that all models have the same mean rank.

    χ² = 12N/(k(k+1))·Σ(R̄ⱼ − (k+1)/2)² on k − 1 degrees of freedom, divided by 1 − Σ(t³ − t)/(N(k³ − k)) for ties of t
    models; `ties=False` leaves the correction out, as Demšar (2006) does. Friedman 1937, JASA 32:675.

    >>> print(friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Friedman: 3.500 on 2 degrees of freedom, p = .174
    """
    m, ranks, statistic = _chi2(scores, ties, higher_is_better)
    return Test(
        name="Friedman", statistic=statistic, df=m.k - 1, p_value=max(float(special.chdtrc(m.k - 1, statistic)), TINY),
        method="friedman", n=m.n, note=ALL_TIE if _all_tied(ranks) else "",
    )  # fmt: skip


def _chi2(scores: Any, ties: bool, higher_is_better: bool) -> tuple[ScoreMatrix, Floats, float]:
    """The scores, their ranks and Friedman's statistic."""
    m = score_matrix(scores, higher_is_better=higher_is_better)
    ranks = m.ranks
    return m, ranks, friedman_statistic(ranks.mean(axis=0), m.n, _squares(ranks) if ties else None)


def friedman_statistic(mean_ranks: Floats, n: int, squares: float | None = None) -> float:
    """χ² = N²(k − 1)·Σ(R̄ⱼ − (k+1)/2)²/ΣΣ(rᵢⱼ − (k+1)/2)² of mean ranks over n data sets.

    `squares` is the sum below the line; without ties it is N(k³ − k)/12.

    >>> round(friedman_statistic(np.array([2.1, 3.25, 2.2, 4.333, 3.117]), 30), 1)
    39.6
    """
    k = len(mean_ranks)
    squares = n * (k**3 - k) / 12 if squares is None else squares
    between = n * n * (k - 1) * float(((mean_ranks - (k + 1) / 2) ** 2).sum())
    return between / squares if squares > 0 else 0.0


def iman_davenport(scores: Any, *, ties: bool = True, higher_is_better: bool = True) -> Test:
    """Iman and Davenport's F = (N − 1)χ²/(N(k − 1) − χ²) on k − 1 and (k − 1)(N − 1) df, from Friedman's χ².

    When every data set ranks the models alike F is infinite; p is then the chance of that, (Πt!/k!)^(N − 1). Iman and
    Davenport 1980, Commun. Stat. A 9:571.

    >>> print(iman_davenport([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Iman–Davenport: 2.333 on 2 and 6 degrees of freedom, p = .178
    """
    return _f_test("Iman–Davenport", *_chi2(scores, ties, higher_is_better), "iman-davenport")


def iman_davenport_statistic(chi2: float, n: int, k: int) -> float:
    """F from Friedman's χ².

    >>> round(iman_davenport_statistic(39.647, 30, 5), 3)
    14.309
    """
    return (n - 1) * chi2 / (n * (k - 1) - chi2)


def _f_test(name: str, m: ScoreMatrix, ranks: Floats, chi2: float, method: str) -> Test:
    """F from χ², or why there is none."""
    df, note = (m.k - 1.0, (m.k - 1.0) * (m.n - 1.0)), ""
    if m.n == 1:
        statistic, p, note = math.nan, 1.0, "one data set alone shows nothing over data sets"
    elif _all_tied(ranks):
        statistic, p, note = 0.0, 1.0, ALL_TIE
    elif math.isclose(chi2, m.n * (m.k - 1), rel_tol=1e-12):
        statistic, p = math.inf, _chance_of_one_order(ranks)
        note = "every data set ranks the models alike: F is infinite, and p is the chance of that when none is better"
    else:
        statistic = iman_davenport_statistic(chi2, m.n, m.k)
        p = max(float(special.fdtrc(*df, statistic)), TINY)
    return Test(name=name, statistic=statistic, df=df, p_value=p, method=method, n=m.n, note=note)


def quade(scores: Any, *, higher_is_better: bool = True) -> Test:
    """Quade's test: data sets on which the models lie further apart count for more.

    Sᵢⱼ = Qᵢ(rᵢⱼ − (k+1)/2) with Q the rank of the range of data set i; F = (N − 1)B/(A − B), A = ΣΣS², B = Σⱼ(Σᵢ S)²/N,
    on k − 1 and (k − 1)(N − 1) df. Ranges that differ by rounding alone are tied. Quade 1979, JASA 74:680.

    >>> print(quade([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Quade: 3.415 on 2 and 6 degrees of freedom, p = .102
    """
    m = score_matrix(scores, higher_is_better=higher_is_better)
    ranks, ranges = m.ranks, m.values.max(axis=1) - m.values.min(axis=1)
    weights = average_ranks(_settled(ranges, 4 * float(np.finfo(np.float64).eps * np.abs(m.values).max())))
    middle = (m.k + 1) / 2
    weighed = weights[:, None] * (ranks - middle) + middle
    return _f_test("Quade", m, ranks, friedman_statistic(weighed.mean(axis=0), m.n, _squares(weighed)), "quade")


@partial(speaks, room="te.significance")
def nemenyi(scores: Any, *, confidence: float = 0.95, higher_is_better: bool = True) -> Ranking:
    """All pairs of models on mean ranks: two differ when their mean ranks lie further apart than the critical
    difference q·√(k(k+1)/(6N)), q from the studentized range.

    The verdict on two models depends on which others are in the pool. Nemenyi 1963; Demšar 2006, JMLR 7:1.

    >>> r = nemenyi({"a": [0.9, 0.8, 0.9, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.7, 0.6, 0.6, 0.6]})
    >>> round(r.critical_difference, 3), r.groups
    (1.657, (('a', 'b'), ('b', 'c')))
    """
    m, alpha, pairs = _mean_ranks(scores, "nemenyi", confidence, higher_is_better)
    adjusted = range_above(np.array([abs(p.statistic) for p in pairs]) * math.sqrt(2), m.k)
    critical = nemenyi_distance(m.k, m.n, alpha)
    return ranking_of(m, pairs, np.maximum(adjusted, TINY), "nemenyi", alpha, critical)


def nemenyi_distance(k: int, n: int, alpha: float = 0.05) -> float:
    """The critical difference of mean ranks of k models over n data sets, q·√(k(k+1)/(6n)); the largest difference
    that there can be is k − 1.

    >>> round(nemenyi_distance(5, 30), 3)
    1.114
    """
    return range_point(alpha, k) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))


@partial(speaks, room="te.significance")
def bonferroni_dunn(scores: Any, *, control: Any, confidence: float = 0.95, higher_is_better: bool = True) -> Ranking:
    """Each model against one control, named beforehand, on mean ranks: k − 1 tests instead of k(k − 1)/2.

    `control` is a model's name, or its column number from 0. Dunn 1961, JASA 56:52; Demšar 2006, JMLR 7:1.

    >>> r = bonferroni_dunn({"a": [0.9, 0.8, 0.9, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.7, 0.6, 0.6, 0.6]},
    ...                     control="a")
    >>> [(p.second, round(p.p_adjusted, 3)) for p in r.pairs]
    [('b', 0.315), ('c', 0.009)]
    """
    m, alpha, pairs = _mean_ranks(scores, "bonferroni-dunn", confidence, higher_is_better, control)
    adjusted = np.array([min(1.0, len(pairs) * p.p_value) for p in pairs])
    critical = -float(special.ndtri(alpha / (2 * len(pairs)))) * m.rank_error
    return ranking_of(m, pairs, adjusted, "bonferroni-dunn", alpha, critical, pairs[0].first)


@partial(speaks, room="te.significance")
def shaffer(scores: Any, *, confidence: float = 0.95, higher_is_better: bool = True) -> Ranking:
    """All pairs on mean ranks with Shaffer's static correction, which uses that not all sets of pairs can be equal.

    Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677.

    >>> r = shaffer({"a": [0.9, 0.8, 0.9, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.7, 0.6, 0.6, 0.6]})
    >>> [round(p.p_adjusted, 3) for p in r.pairs]
    [0.157, 0.014, 0.157]
    """
    m, alpha, pairs = _mean_ranks(scores, "shaffer", confidence, higher_is_better)
    return ranking_of(m, pairs, adjust_shaffer([p.p_value for p in pairs], m.k), "shaffer", alpha)


def _squares(ranks: Floats) -> float:
    return float(((ranks - (ranks.shape[1] + 1) / 2) ** 2).sum())


def _all_tied(ranks: Floats) -> bool:
    return bool((ranks == ranks[0, 0]).all())


def _chance_of_one_order(ranks: Floats) -> float:
    """That all other data sets repeat the first one's order: (Πt!/k!)^(N − 1), t the sizes of its ties."""
    n, k = ranks.shape
    sizes = np.unique(ranks[0], return_counts=True)[1]
    return max(TINY, math.exp((n - 1) * (sum(math.lgamma(t + 1) for t in sizes.tolist()) - math.lgamma(k + 1))))


def _mean_ranks(
    scores: Any, method: str, confidence: float, higher_is_better: bool, control: Any = None
) -> tuple[ScoreMatrix, float, list[Contrast]]:
    """The scores, the level, and differences of mean ranks with normal p-values; below 0 the first ranks better."""
    m, alpha = score_matrix(scores, higher_is_better=higher_is_better), round(1 - check_confidence(confidence), 12)
    mean_ranks = dict(zip(m.models, m.ranks.mean(axis=0).tolist(), strict=True))
    half = -float(special.ndtri(alpha / 2)) * m.rank_error
    pairs = []
    for first, second in pairs_of(m.models, None if control is None else _find_model(control, m.models)):
        gap = mean_ranks[first] - mean_ranks[second]
        z, low, high = gap / m.rank_error, max(1.0 - m.k, gap - half), min(m.k - 1.0, gap + half)
        pairs.append(
            Contrast(
                name="mean rank", first=first, second=second, estimate=gap, low=low, high=high, confidence=1 - alpha,
                method=method, statistic=z, p_value=max(normal_p(z, "two-sided"), TINY), n=m.n,
            )
        )  # fmt: skip
    return m, alpha, pairs


def pairs_of(models: Sequence[str], control: str | None) -> list[tuple[str, str]]:
    """All pairs, or those with the control."""
    return list(combinations(models, 2)) if control is None else [(control, m) for m in models if m != control]


def ranking_of(
    m: ScoreMatrix, pairs: Sequence[Contrast], p_adjusted: Floats, method: str, alpha: float,
    critical: float | None = None, control: str | None = None,
) -> Ranking:  # fmt: skip
    """A ranking from its parts, whatever test compared the pairs."""
    ranks = dict(zip(m.models, m.ranks.T, strict=True))
    adjusted = tuple(replace(p, p_adjusted=q) for p, q in zip(pairs, p_adjusted.tolist(), strict=True))
    gaps = [ranks[p.first] - ranks[p.second] for p in pairs]
    outcomes = tuple((int((gap < 0).sum()), int((gap == 0).sum()), int((gap > 0).sum())) for gap in gaps)
    mean_ranks = tuple(m.ranks.mean(axis=0).tolist())
    order = [m.models[i] for i in np.argsort(mean_ranks, kind="stable")]
    apart = {frozenset((p.first, p.second)) for p, q in zip(pairs, p_adjusted, strict=True) if q <= alpha}
    if control is None:
        groups = groups_not_told_apart(order, apart)
    else:
        groups = (tuple(name for name in order if name == control or frozenset((name, control)) not in apart),)
    return Ranking(
        names=m.models, mean_ranks=mean_ranks, n=m.n, friedman=friedman(m), iman_davenport=iman_davenport(m),
        pairs=adjusted, outcomes=outcomes, groups=groups, method=method, alpha=float(alpha),
        critical_difference=critical, control=control, higher_is_better=m.higher_is_better,
    )  # fmt: skip


def _find_model(control: Any, models: tuple[str, ...]) -> str:
    if str(control) in models:
        return str(control)
    if isinstance(control, int | np.integer) and not isinstance(control, bool) and 0 <= control < len(models):
        return models[int(control)]
    raise InputError(f"control={control!r} is not among the models{nearest(control, models)}")


WilcoxonMethod = Literal["auto", "exact", "normal", "normal-cc"]

# Up to here the exact distribution takes a millisecond or so; asked for, it goes on to EXACT_MOST.
EXACT_UP_TO = 100
EXACT_MOST = 1000
# Differences nearer than this, beside the scores themselves, are equal: 0.82 − 0.80 and 0.83 − 0.81 are a tie.
ROUNDING = 16 * float(np.finfo(np.float64).eps)


def wilcoxon(
    first: Any,
    second: Any,
    *,
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    method: WilcoxonMethod = "auto",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Wilcoxon's signed-rank test of paired scores; the estimate is the Hodges–Lehmann median of pairwise means.

    Absolute differences are ranked, ties sharing their mean rank; W₊ sums the ranks of the positive ones. Differences
    of 0 are left out before ranking (zeros="wilcox") or ranked and then left out (zeros="pratt"). The p-value is exact
    for up to 100 differences that are not 0, ties included, by counting all sign patterns; beyond, normal with
    Var = Σ rank²/4 ("normal-cc" corrects for continuity). Differences equal to rounding are ties. The limits are order
    statistics of the pairwise means of all differences. Wilcoxon 1945, Biometrics Bull. 1:80; Pratt 1959, JASA 54:655.

    >>> print(wilcoxon([0.82, 0.79, 0.85, 0.88, 0.80, 0.84, 0.79], [0.80, 0.78, 0.83, 0.85, 0.81, 0.80, 0.77]))
    difference: first − second = +0.020 [0.005, 0.030], 95 % wilcoxon, p = .047, n = 7
    """
    check_word(zeros, ("wilcox", "pratt"), "zeros")
    check_word(method, ("auto", "exact", "normal", "normal-cc"), "method")
    level = check_test_options(confidence, alternative)
    d = differences(first, second)
    ranks = signed_ranks(d, pratt=zeros == "pratt")
    m, n = np.count_nonzero(ranks), len(d)
    exact = method == "exact" or (method == "auto" and m <= EXACT_UP_TO)
    note = ""
    if exact and m > EXACT_MOST:
        exact, note = False, f"more than {EXACT_MOST:,} differences: normal approximation"
    if m == 0:
        p_value, note = _none_differs(d)
    elif exact:
        chances, seen = rank_sum_chances(np.abs(ranks)), int(ranks[ranks > 0].sum())
        p_value = _one_of(float(chances[seen:].sum()), float(chances[: seen + 1].sum()), alternative)
    else:
        p_value = _normal_p(ranks, alternative, corrected=method == "normal-cc")
    if n <= EXACT_UP_TO:
        k = int(
            np.searchsorted(np.cumsum(rank_sum_chances(np.arange(1, n + 1))), tail_area(level, alternative), "right")
        )
    else:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        k = math.floor(n * (n + 1) / 4 - student_quantile(level, alternative) * spread)
    ranked, total = np.sort(d), n * (n + 1) // 2
    low, high, *middle = _walsh_orders(ranked, max(k, 1), total + 1 - max(k, 1), (total + 1) // 2, total // 2 + 1)
    limits, more = _order_limits(k, low, high, ranked, level)
    return contrast(
        estimate=sum(middle) / 2, limits=limits, whole=REALS, confidence=level,
        alternative=alternative, method="wilcoxon" if zeros == "wilcox" else "wilcoxon-pratt", p_value=p_value,
        statistic=int(ranks[ranks > 0].sum()) / 2, n=n, notes=(note, more), estimand=SCORES,
    )  # fmt: skip


def sign(first: Any, second: Any, *, confidence: float = 0.95, alternative: Alternative = "two-sided") -> Contrast:
    """The sign test: how often is the first higher? Exact binomial over the differences that are not 0.

    p = 2·P(Bin(m, ½) ≤ min(wins, losses)) for two sides. The statistic is the number of wins; the estimate is the
    median difference with order-statistic limits. Dixon and Mood 1946, JASA 41:557.

    >>> print(sign([5, 6, 7, 8, 9, 9], [4, 4, 6, 5, 8, 9]))
    difference: first − second = +1.000 [0.000, 3.000], 95 % sign, p = .062, n = 6
    """
    level = check_test_options(confidence, alternative)
    d = differences(first, second)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    n, m = len(d), wins + losses
    p_value, note = _one_of(float(at_least(wins, m, 0.5)), float(at_most(wins, m, 0.5)), alternative), ""
    if m == 0:
        p_value, note = _none_differs(d)
    ranked = np.sort(d) if n else np.array([math.nan])
    k = bisect_right(range(n), tail_area(level, alternative), key=lambda j: float(at_most(j, n, 0.5)))
    limits, more = _order_limits(k, float(ranked[k - 1]), float(ranked[n - k]) if k else math.nan, ranked[:n], level)
    return contrast(
        estimate=float(np.median(ranked)), limits=limits, whole=REALS, confidence=level,
        alternative=alternative, method="sign", p_value=p_value, statistic=wins, n=n, notes=(note, more),
        p_better=float(special.betaincc(wins + 0.5, losses + 0.5, 0.5)), estimand=SCORES,
    )  # fmt: skip


def _none_differs(d: Floats) -> tuple[float, str]:
    return (1.0, "no difference is other than 0") if len(d) else (math.nan, "no values")


def _one_of(greater: float, less: float, alternative: Alternative) -> float:
    """The p-value of the side that was asked for."""
    return min(1.0, {"two-sided": 2 * min(greater, less), "greater": greater, "less": less}[alternative])


def signed_ranks(d: Floats, *, pratt: bool = False) -> NDArray[np.int64]:
    """Ranks of |d| with the signs of d, doubled to stay whole.

    >>> signed_ranks(np.array([2.0, 0.0, -1.0, 2.0])).tolist()
    [5, 0, -2, 5]
    """
    twice = 2 * (average_ranks(np.abs(d)) - (0 if pratt else np.count_nonzero(d == 0)))
    return np.rint(np.sign(d) * twice).astype(np.int64)


def differences(first: Any, second: Any) -> Floats:
    """first − second with rounding error taken out: nearly equal sizes become equal, nearly 0 becomes 0."""
    a, b = paired_numbers(first, second)
    d = a - b
    if not len(d):
        return d
    tolerance = ROUNDING * max(float(np.abs(a).max()), float(np.abs(b).max()))
    size = np.abs(d)
    size[size <= tolerance] = 0.0
    return np.copysign(_settled(size, tolerance), d) + 0.0


def _settled(values: Floats, tolerance: float) -> Floats:
    """Values nearer than this become equal: each group takes its middle member, so that −x gives the same turned."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    group = np.cumsum(np.diff(ranked, prepend=ranked[:1]) > tolerance)
    starts = np.searchsorted(group, np.arange(group[-1] + 1))
    ends = np.append(starts[1:], len(group))
    merged = np.empty_like(values)
    merged[order] = ranked[(starts + ends - 1) // 2][group]
    return merged


def rank_sum_chances(ranks: NDArray[np.int64]) -> Floats:
    """P(sum = s) for s = 0, 1, … when each rank joins the sum with probability ½.

    >>> rank_sum_chances(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    reached = 0
    for rank in ranks.tolist():
        halves = chances[: reached + 1] / 2
        chances[: reached + 1] = halves
        chances[rank : reached + rank + 1] += halves
        reached += rank
    return chances


def _normal_p(ranks: NDArray[np.int64], alternative: Alternative, *, corrected: bool) -> float:
    gap = float(ranks.sum()) / 4
    if corrected:
        toward = {"two-sided": math.copysign(0.5, gap) if gap else 0.0, "greater": 0.5, "less": -0.5}[alternative]
        gap -= toward
    return normal_p(gap / math.sqrt(float((ranks.astype(np.float64) ** 2).sum()) / 16), alternative)


def _walsh_orders(ranked: Floats, *places: int) -> list[float]:
    """The k-th smallest of the pairwise means (x_i + x_j)/2, i ≤ j, of sorted values, for each k; NaN of none."""
    n = len(ranked)
    if n == 0:
        return [math.nan for _ in places]
    if n * (n + 1) // 2 > BLOCK:
        return [_counted(ranked, k) for k in places]
    rows, columns = np.triu_indices(n)
    means = np.partition((ranked[rows] + ranked[columns]) / 2, [k - 1 for k in places])
    return [float(means[k - 1]) for k in places]


def _counted(ranked: Floats, k: int) -> float:
    """The k-th smallest pairwise mean where they are too many to list: halve the range by counting."""
    low, high = float(ranked[0]), float(ranked[-1])
    places = np.arange(len(ranked))

    def at_or_below(value: float) -> int:
        ends = np.searchsorted(ranked, 2 * value - ranked, side="right")
        return int(np.maximum(0, ends - places).sum())

    if at_or_below(low) >= k:
        return low
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if at_or_below(middle) >= k else (middle, high)
    return high


def _order_limits(k: int, low: float, high: float, ranked: Floats, level: float) -> tuple[Limits, str]:
    """The k-th value from either end; limits that fall on one tied value reach out to the next different ones.

    Wider limits hold at least as often.
    """
    n = len(ranked)
    if k < 1 or n == 0:
        return REALS, f"{n} values cannot give {100 * level:g} % limits" if n else ""
    if low != high:
        return (low, high), ""
    below, above = ranked[ranked < low], ranked[ranked > high]
    opened = float(below[-1]) if len(below) else -math.inf, float(above[0]) if len(above) else math.inf
    return opened, "tied values: limits reach out to the next different value"


class PairTest(NamedTuple):
    """A test of pairs over data sets: its name, the middle of the differences it estimates, and its signed ranks."""

    test: Callable[..., Contrast]
    name: str
    middle: str
    ranks: Callable[[Floats], NDArray[Any]]


# The tests that compare each pair of models by itself, by key; others compare mean ranks of all.
PAIR_TESTS = {
    "wilcoxon": PairTest(wilcoxon, "signed-rank", "Hodges–Lehmann", signed_ranks),
    "sign": PairTest(sign, "sign", "of the data sets", np.sign),
}


def turned_together(scores: Floats) -> Floats:
    """Adjusted p-values of pairs (columns) whose scores have signs that luck turns, those of a data set (row) together.

    Where two learners are equally good, their difference on a data set could as well have the other sign, and so could
    those of all such pairs at once. Turning them shows how far luck puts the farthest of the pairs, |Σs|/√Σs² out;
    pairs are set aside from the farthest on, and the others judged among themselves. Every pattern of signs is tried
    where these are no more than the random ones. Westfall and Young 1993, Resampling-Based Multiple Testing, ch. 2.

    >>> turned_together(np.random.default_rng(0).normal(size=(8, 3)) + [0, 0, 3]).tolist()
    [0.9140625, 0.9140625, 0.0078125]
    """
    n, pairs = scores.shape
    units = scores / np.maximum(np.sqrt((scores * scores).sum(axis=0)), TINY)
    seen = np.abs(units.sum(axis=0))
    order = np.argsort(seen, kind="stable")
    drawn = n > DRAWS.bit_length()
    count, rng, beyond = DRAWS if drawn else 1 << (n - 1), np.random.default_rng(0), np.zeros(pairs)
    for part in parts(count, min(count, -(-count * pairs // PIECE))):
        patterns = np.arange(part.start, part.stop)
        bits = rng.integers(0, 2, (len(patterns), n)) if drawn else (patterns[:, None] >> np.arange(n)) & 1
        out = np.abs((1.0 - 2.0 * bits) @ units)[:, order]
        beyond += (np.maximum.accumulate(out, axis=1) >= seen[order] - 1e-9).sum(axis=0)
    p = np.empty(pairs)
    p[order] = np.maximum.accumulate(((beyond + drawn) / (count + drawn))[::-1])[::-1]
    return p


def judged_together(m: ScoreMatrix, test: PairTest, pairs: Sequence[Contrast]) -> Floats:
    """Adjusted p-values by the signed ranks of the differences of all pairs together, no smaller than a pair's own."""
    column = dict(zip(m.models, m.values.T, strict=True))
    apart = np.concatenate([differences(column[c.first], column[c.second]) for c in pairs])
    ranks = test.ranks(apart).reshape(len(pairs), m.n).T
    return np.maximum(turned_together(ranks.astype(np.float64)), [c.p_value for c in pairs])


def kinship(ranks: Floats, families: Sequence[str], draws: int = 1999) -> float:
    """How likely data sets of a family rank learners (columns) as alike as these, if families are dealt at random."""
    names, codes = np.unique(families, return_inverse=True)
    members, rng = np.equal.outer(np.arange(len(names)), codes) * 1.0, np.random.default_rng(0)
    each, apart = members / np.sqrt(members.sum(axis=1, keepdims=True)), ranks - ranks.mean(axis=0)
    orders = [np.arange(len(ranks)), *(rng.permutation(len(ranks)) for _ in range(draws))]
    seen, *dealt = (float(((each @ apart[order]) ** 2).sum()) for order in orders)
    return (1 + sum(x >= seen * (1 - 1e-9) for x in dealt)) / (1 + draws)
