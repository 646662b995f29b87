"""Many models on many data sets, by ranks: is there any difference, and between whom?

Rows are data sets, columns are models; rank 1 is the best. Each function takes what `score_matrix` reads. Nemenyi's
test needs the studentized range with infinite degrees of freedom: SciPy's general version integrates twice and takes
milliseconds a value; with a known variance one integral is enough.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import adjust_shaffer, normal_p
from trueerror.inference.proportion._distributions import crossing
from trueerror.inference.ranking._ranking import Ranking, compose_ranking
from trueerror.inputs._arrays import column, matrix, plain_numbers, same_length
from trueerror.inputs._options import InputError, check_confidence, nearest, speaks
from trueerror.kernels._numpy import average_ranks
from trueerror.methods._registry import Method, declare
from trueerror.results import Contrast, Test

Floats = NDArray[np.float64]

# The integrand is entire and falls like a normal density, so equal steps converge at once: .05 is exact to rounding.
STEP = 0.05
REACH = 9.0
BLOCK = 256


def range_above(q: Floats | float, k: int) -> Floats:
    """P(range of k standard normals > q), precise in the far tail too.

    With x the largest of the k: k·∫ φ(x)·(Φ(x)^(k−1) − (Φ(x) − Φ(x − q))^(k−1)) dx. The difference is taken inside the
    integral, so nothing cancels.

    >>> range_above(3.633160, 4).round(6)
    array([0.05])
    """
    points = np.atleast_1d(np.asarray(q, dtype=np.float64))
    x = np.arange(-REACH, float(points.max(initial=0.0)) + REACH, STEP)
    log_below = special.log_ndtr(x)
    weight = np.exp((k - 1) * log_below - 0.5 * x * x) * (k * STEP / math.sqrt(2 * math.pi))
    below = np.exp(log_below)
    above = np.empty(len(points))
    for start in range(0, len(points), BLOCK):
        part = points[start : start + BLOCK, None]
        share = np.minimum(special.ndtr(x - part) / below, 1.0)
        with np.errstate(divide="ignore"):
            above[start : start + BLOCK] = -np.expm1((k - 1) * np.log1p(-share)) @ weight
    # The weights add up to 1 but for rounding, and a range above 0 is certain.
    return np.where(points <= 0, 1.0, np.clip(above / weight.sum(), 0.0, 1.0))


@lru_cache(maxsize=256)
def range_point(alpha: float, k: int) -> float:
    """The q that the range of k standard normals exceeds with probability alpha.

    >>> round(range_point(0.05, 4) / 2**0.5, 3)
    2.569
    """
    target = math.log(alpha)
    high = 4.0
    while float(range_above(high, k)[0]) > alpha:
        high *= 1.5

    def excess(q: float) -> float:
        return math.log(max(float(range_above(q, k)[0]), 1e-323)) - target

    return crossing(excess, 0.0, high)


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


def score_matrix(scores: Any, *, higher_is_better: bool = True, names: Iterable[Any] | None = None) -> ScoreMatrix:
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
    named = _named_columns(scores)
    if named is None:
        values = matrix(scores, "scores")
        if values.ndim != 2:
            raise InputError("scores must be a table: one row for each data set, one column for each model")
        models = [f"model {j + 1}" for j in range(values.shape[1])]
        columns: list[Any] = [values[:, j] for j in range(values.shape[1])]
        datasets: list[str] = []
    else:
        models, columns, datasets = named
    if names is not None:
        given = [str(name) for name in names]
        if len(given) != len(models):
            raise InputError(f"names= has {len(given)} names for {len(models)} columns")
        models = given
    if len(models) < 2:
        raise InputError(f"scores has {len(models)} model; ranking needs at least two columns")
    twice = next((m for i, m in enumerate(models) if m in models[:i]), None)
    if twice is not None:
        raise InputError(f"scores has two columns named {twice!r}; name them apart")
    same_length(dict(zip(models, columns, strict=True)))
    table = np.column_stack([_numbers(c, m) for c, m in zip(columns, models, strict=True)])
    if len(table) == 0:
        raise InputError("scores has no rows; ranking needs at least one data set")
    rows = tuple(datasets) or tuple(str(i + 1) for i in range(len(table)))
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        i, j = (int(v) for v in wrong[0])
        raise InputError(
            f"scores has {table[i, j]} for {models[j]!r} on data set {rows[i]!r} ({len(wrong)} such cells); "
            "leave out the model or the data set, or let te.rank say what to do with missing cells"
        )
    return ScoreMatrix(table, tuple(models), rows, higher_is_better)


def _named_columns(scores: Any) -> tuple[list[str], list[Any], list[str]] | None:
    """The columns of a mapping or a frame by name, and the names of the rows; None for a plain array."""
    if isinstance(scores, Mapping):
        columns = {str(name): values for name, values in scores.items()}
    elif hasattr(scores, "column_names"):
        columns = {str(name): scores.column(i) for i, name in enumerate(scores.column_names)}
    elif hasattr(scores, "columns"):
        if hasattr(scores, "collect"):
            raise InputError("scores is a lazy table; collect it first")
        if len(set(map(str, scores.columns))) < len(scores.columns):
            raise InputError("scores has two columns of the same name; name them apart")
        columns = {str(name): scores[name] for name in scores.columns}
    else:
        return None
    arrays = {name: column(values, name) for name, values in columns.items()}
    texts = [name for name, values in arrays.items() if _is_text(values)]
    if len(texts) > 1:
        raise InputError(f"scores has text in {texts[0]!r} and {texts[1]!r}; only one column may name the data sets")
    datasets: list[str] = []
    if texts:
        datasets = [str(v) for v in arrays.pop(texts[0])]
    elif hasattr(scores, "index") and getattr(scores.index, "inferred_type", "") == "string":
        datasets = [str(v) for v in scores.index]
    return list(arrays), list(arrays.values()), datasets


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "UST" or (values.dtype.kind == "O" and any(isinstance(v, str) for v in values))


def _numbers(values: Any, model: str) -> Floats:
    return plain_numbers(values, f"the scores of {model!r}")


# A p-value that underflows is tiny, never 0.
TINY = sys.float_info.min


def friedman(scores: Any, *, ties: bool = True, higher_is_better: bool = True) -> Test:
    """Friedman's test that all models have the same mean rank.

    χ² = 12N/(k(k+1))·Σ(R̄ⱼ − (k+1)/2)² on k − 1 degrees of freedom, divided by 1 − Σ(t³ − t)/(N(k³ − k)) for ties of t
    models; `ties=False` leaves the correction out, as Demšar (2006) does. Friedman 1937, JASA 32:675.

    >>> print(friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Friedman: 3.500 on 2 degrees of freedom, p = .174
    """
    m = score_matrix(scores, higher_is_better=higher_is_better)
    ranks = m.ranks
    statistic = friedman_statistic(ranks.mean(axis=0), m.n, tie_sum(ranks) if ties else 0.0)
    note = "all models tie on every data set" if _all_tied(ranks) else ""
    return Test(
        name="Friedman", statistic=statistic, df=m.k - 1, p_value=max(float(special.chdtrc(m.k - 1, statistic)), TINY),
        method="friedman", n=m.n, note=note,
    )  # fmt: skip


def friedman_statistic(mean_ranks: Floats, n: int, tied: float = 0.0) -> float:
    """χ² from mean ranks over n data sets; `tied` is Σ(t³ − t) over all groups of ties.

    >>> round(friedman_statistic(np.array([2.1, 3.25, 2.2, 4.333, 3.117]), 30), 1)
    39.6
    """
    k = len(mean_ranks)
    spread = 12 * n / (k * (k + 1)) * float(((mean_ranks - (k + 1) / 2) ** 2).sum())
    left = 1 - tied / (n * (k**3 - k))
    return spread / left if left > 0 else 0.0


def iman_davenport(scores: Any, *, ties: bool = True, higher_is_better: bool = True) -> Test:
    """Iman and Davenport's F = (N − 1)χ²/(N(k − 1) − χ²) on k − 1 and (k − 1)(N − 1) df, from Friedman's χ².

    When every data set ranks the models alike F is infinite; p is then the chance of that, (Πt!/k!)^(N − 1). Iman and
    Davenport 1980, Commun. Stat. A 9:571.

    >>> print(iman_davenport([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Iman–Davenport: 2.333 on 2 and 6 degrees of freedom, p = .178
    """
    m = score_matrix(scores, higher_is_better=higher_is_better)
    ranks = m.ranks
    chi2 = friedman_statistic(ranks.mean(axis=0), m.n, tie_sum(ranks) if ties else 0.0)
    df = (m.k - 1.0, (m.k - 1.0) * (m.n - 1.0))
    room = m.n * (m.k - 1) - chi2
    if m.n == 1:
        statistic, p, note = math.nan, 1.0, "one data set alone shows nothing over data sets"
    elif _all_tied(ranks):
        statistic, p, note = 0.0, 1.0, "all models tie on every data set"
    elif room <= 1e-12 * m.n * m.k:
        statistic, p, note = math.inf, _chance_of_one_order(ranks), _ONE_ORDER
    else:
        statistic = iman_davenport_statistic(chi2, m.n, m.k)
        p, note = max(float(special.fdtrc(*df, statistic)), TINY), ""
    return Test(name="Iman–Davenport", statistic=statistic, df=df, p_value=p, method="iman-davenport", n=m.n, note=note)


def iman_davenport_statistic(chi2: float, n: int, k: int) -> float:
    """F from Friedman's χ².

    >>> round(iman_davenport_statistic(39.647, 30, 5), 3)
    14.309
    """
    return (n - 1) * chi2 / (n * (k - 1) - chi2)


def quade(scores: Any, *, higher_is_better: bool = True) -> Test:
    """Quade's test: data sets on which the models lie further apart count for more.

    Sᵢⱼ = Qᵢ(rᵢⱼ − (k+1)/2) with Q the rank of the range of data set i; F = (N − 1)B/(A − B), A = ΣΣS², B = Σⱼ(Σᵢ S)²/N,
    on k − 1 and (k − 1)(N − 1) df. Ranges that differ by rounding alone are tied. Quade 1979, JASA 74:680.

    >>> print(quade([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.7, 0.6], [0.9, 0.8, 0.6]]))
    Quade: 3.415 on 2 and 6 degrees of freedom, p = .102
    """
    m = score_matrix(scores, higher_is_better=higher_is_better)
    ranks = m.ranks
    weights = _range_ranks(m.values)
    parts = weights[:, None] * (ranks - (m.k + 1) / 2)
    a, b = float((parts**2).sum()), float((parts.sum(axis=0) ** 2).sum()) / m.n
    df = (m.k - 1.0, (m.k - 1.0) * (m.n - 1.0))
    if m.n == 1:
        statistic, p, note = math.nan, 1.0, "one data set alone shows nothing over data sets"
    elif a == 0:
        statistic, p, note = 0.0, 1.0, "all models tie on every data set"
    elif a - b <= 1e-12 * a:
        statistic, p, note = math.inf, _chance_of_one_order(ranks), _ONE_ORDER
    else:
        statistic = (m.n - 1) * b / (a - b)
        p, note = max(float(special.fdtrc(*df, statistic)), TINY), ""
    return Test(name="Quade", statistic=statistic, df=df, p_value=p, method="quade", n=m.n, note=note)


@partial(speaks, room="te.significance")
def nemenyi(scores: Any, *, confidence: float = 0.95, higher_is_better: bool = True) -> Ranking:
    """All pairs of models on mean ranks: two differ when their mean ranks lie further apart than the critical
    difference q·√(k(k+1)/(6N)), q from the studentized range.

    The verdict on two models depends on which others are in the pool. Nemenyi 1963; Demšar 2006, JMLR 7:1.

    >>> r = nemenyi({"a": [0.9, 0.8, 0.9, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.7, 0.6, 0.6, 0.6]})
    >>> round(r.critical_difference, 3), r.groups
    (1.657, (('a', 'b'), ('b', 'c')))
    """
    m, level, se = _prepared(scores, confidence, higher_is_better)
    pairs = _pairs(m, se, level, "nemenyi", list(combinations(range(m.k), 2)))
    adjusted = np.maximum(range_above(np.array([abs(p.statistic) for p in pairs]) * math.sqrt(2), m.k), TINY)
    return _ranking(m, pairs, adjusted, "nemenyi", level, nemenyi_distance(m.k, m.n, level))


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
    m, level, se = _prepared(scores, confidence, higher_is_better)
    chosen = _find_model(control, m.models)
    pairs = _pairs(m, se, level, "bonferroni-dunn", [(chosen, j) for j in range(m.k) if j != chosen])
    adjusted = np.minimum(1.0, np.array([p.p_value for p in pairs]) * (m.k - 1))
    critical = -float(special.ndtri(level / (2 * (m.k - 1)))) * se
    return _ranking(m, pairs, adjusted, "bonferroni-dunn", level, critical, m.models[chosen])


@partial(speaks, room="te.significance")
def shaffer(scores: Any, *, confidence: float = 0.95, higher_is_better: bool = True) -> Ranking:
    """All pairs on mean ranks with Shaffer's static correction, which uses that not all sets of pairs can be equal.

    Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677.

    >>> r = shaffer({"a": [0.9, 0.8, 0.9, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.7, 0.6, 0.6, 0.6]})
    >>> [round(p.p_adjusted, 3) for p in r.pairs]
    [0.157, 0.014, 0.157]
    """
    m, level, se = _prepared(scores, confidence, higher_is_better)
    pairs = _pairs(m, se, level, "shaffer", list(combinations(range(m.k), 2)))
    adjusted = adjust_shaffer(np.array([p.p_value for p in pairs]), m.k)
    return _ranking(m, pairs, adjusted, "shaffer", level, None)


def tie_sum(ranks: Floats) -> float:
    """Σ(t³ − t) over the groups of tied ranks in each row."""
    total = 0.0
    for row in ranks:
        sizes = np.unique(row, return_counts=True)[1].astype(np.float64)
        total += float((sizes**3 - sizes).sum())
    return total


_ONE_ORDER = "every data set ranks the models alike: F is infinite, and p is the chance of that when none is better"


def _all_tied(ranks: Floats) -> bool:
    return bool((ranks == ranks[0, 0]).all())


def _chance_of_one_order(ranks: Floats) -> float:
    """That all other data sets repeat the first one's order: (Πt!/k!)^(N − 1), t the sizes of its ties."""
    n, k = ranks.shape
    sizes = np.unique(ranks[0], return_counts=True)[1]
    return max(TINY, math.exp((n - 1) * (sum(math.lgamma(t + 1) for t in sizes.tolist()) - math.lgamma(k + 1))))


def _range_ranks(values: Floats) -> Floats:
    """Ranks of the data sets' ranges, with ranges that rounding alone tells apart tied."""
    ranges = values.max(axis=1) - values.min(axis=1)
    order = np.argsort(ranges, kind="stable")
    dust = 4 * np.finfo(np.float64).eps * float(np.abs(values).max())
    group = np.concatenate(([0], np.cumsum(np.diff(ranges[order]) > dust)))
    places = np.bincount(group, weights=np.arange(1, len(ranges) + 1)) / np.bincount(group)
    ranks = np.empty(len(ranges))
    ranks[order] = places[group]
    return ranks


def _prepared(scores: Any, confidence: float, higher_is_better: bool) -> tuple[ScoreMatrix, float, float]:
    m = score_matrix(scores, higher_is_better=higher_is_better)
    return m, round(1 - check_confidence(confidence), 12), math.sqrt(m.k * (m.k + 1) / (6 * m.n))


def _pairs(m: ScoreMatrix, se: float, alpha: float, method: str, chosen: list[tuple[int, int]]) -> list[Contrast]:
    """Differences of mean ranks with normal p-values; a lower rank is better, so the first is better below 0."""
    mean_ranks = m.ranks.mean(axis=0)
    half = -float(special.ndtri(alpha / 2)) * se
    pairs = []
    for i, j in chosen:
        difference = float(mean_ranks[i] - mean_ranks[j])
        z = difference / se
        pairs.append(
            Contrast(
                name="mean rank",
                first=m.models[i],
                second=m.models[j],
                estimate=difference,
                low=max(1.0 - m.k, difference - half),
                high=min(m.k - 1.0, difference + half),
                confidence=1 - alpha,
                method=method,
                statistic=z,
                p_value=max(normal_p(z, "two-sided"), TINY),
                n=m.n,
            )
        )
    return pairs


def _ranking(
    m: ScoreMatrix,
    pairs: list[Contrast],
    adjusted: Floats,
    method: str,
    alpha: float,
    critical: float | None,
    control: str | None = None,
) -> Ranking:
    return compose_ranking(
        m, friedman=friedman(m), iman_davenport=iman_davenport(m), pairs=pairs, p_adjusted=adjusted.tolist(),
        method=method, alpha=alpha, critical_difference=critical, control=control,
    )  # fmt: skip


def _find_model(control: Any, models: tuple[str, ...]) -> int:
    if str(control) in models:
        return models.index(str(control))
    if isinstance(control, int | np.integer) and not isinstance(control, bool) and 0 <= control < len(models):
        return int(control)
    raise InputError(f"control={control!r} is not among the models{nearest(control, models)}")


_DEMSAR = "Demšar 2006, JMLR 7:1"
_RANKS = "independent data sets; scores of one data set can be compared with each other"
_POOL = "mean ranks, and so the verdict on two models, depend on which other models are in the pool"
declare(
    Method(
        key="friedman",
        title="Friedman's test of equal mean ranks",
        formula="χ² = 12N/(k(k+1))·(Σ R̄ⱼ² − k(k+1)²/4) on k − 1 df, divided by 1 − Σ(t³ − t)/(N(k³ − k)) for ties",
        source=f"Friedman 1937, JASA 32:675; {_DEMSAR}",
        assumes=_RANKS,
        measured="too careful with few data sets; Iman and Davenport's F is closer to its level",
        advice="Demšar's paper leaves out the correction for ties: ties=False",
    ),
    Method(
        key="iman-davenport",
        title="Iman and Davenport's F for equal mean ranks",
        formula="F = (N − 1)χ²/(N(k − 1) − χ²) on k − 1 and (k − 1)(N − 1) df",
        source=f"Iman and Davenport 1980, Commun. Stat. A 9:571; {_DEMSAR}",
        assumes=_RANKS,
        advice="when every data set ranks alike F is infinite; p is then the chance of that, (Πt!/k!)^(N − 1)",
    ),
    Method(
        key="quade",
        title="Quade's test: ranks weighted by how far the models lie apart on a data set",
        formula="Sᵢⱼ = Qᵢ(rᵢⱼ − (k+1)/2), Q the rank of the range; F = (N − 1)B/(A − B), A = ΣΣS², B = Σⱼ(Σᵢ S)²/N",
        source="Quade 1979, JASA 74:680; Conover 1999, Practical Nonparametric Statistics, 3rd ed., 5.8",
        assumes="independent data sets whose score ranges can be compared",
        advice="ranges that differ by rounding alone count as tied",
    ),
    Method(
        key="nemenyi",
        title="Nemenyi's test of all pairs on mean ranks",
        formula="critical difference q_α·√(k(k+1)/(6N)), q from the studentized range with infinite df over √2",
        source=f"Nemenyi 1963, PhD thesis, Princeton; {_DEMSAR}",
        assumes=_RANKS,
        advice=f"{_POOL}; signed-rank tests with Holm's correction do not",
    ),
    Method(
        key="bonferroni-dunn",
        title="Bonferroni–Dunn test of all models against one control on mean ranks",
        formula="critical difference z_{α/(2(k−1))}·√(k(k+1)/(6N)); adjusted p = (k − 1)·p",
        source=f"Dunn 1961, JASA 56:52; {_DEMSAR}",
        assumes=f"{_RANKS}; the control was named before the results were seen",
        advice=_POOL,
    ),
    Method(
        key="shaffer",
        title="Shaffer's static procedure for all pairs on mean ranks",
        formula="step i multiplies p₍ᵢ₎ by the most pairs that can be equal when i − 1 differ",
        source="Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677",
        assumes=_RANKS,
        advice=f"{_POOL}; more powerful than Nemenyi and Holm",
    ),
    part="omnibus",
)
