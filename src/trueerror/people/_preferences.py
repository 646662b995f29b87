"""Pairwise preferences: Bradley–Terry strengths with ties and a position effect, of battles that may share prompts.

A battle is a choice between two models: the first, the second, or a tie. The log-likelihood is that of a conditional
logit with utilities d/2, −d/2 and τ, d = β_a − β_b + δ: Bradley and Terry's model, Davidson's ties, and an advantage
δ of the place in which a model is shown. Parameters are the strengths β (the first is held at 0), then δ, then τ; δ is
0 and τ is −∞ where they are not fitted. Tables have a cell for each pair (shown first, shown second).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse, special
from scipy.sparse import csgraph

from trueerror.inference._contrast import contrast, normal_p, student_p
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.proportion._interval import wilson
from trueerror.inference.proportion._paired import mcnemar_test
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.results import Contrast, Interval, Test
from trueerror.results._format import some
from trueerror.results._values import Note

Ints = NDArray[np.int64]
# Elo points for each unit of log-odds.
ELO = 400 / math.log(10)
# Outcomes as the last axis of tables.
FIRST, TIE, SECOND = range(3)
# What an outcome counts for the model that is shown first.
POINTS = np.array([1.0, 0.5, 0.0])
# How the advantage d of the first goes with its strength, that of the second, and the place; ties do not.
SIDES = np.array([1.0, -1.0, 1.0, 0.0])
# Steps, and gains of a likelihood beside it, that are rounding.
ROUNDING = float(np.finfo(np.float64).eps) ** 0.75
FEW_BATTLES = "too few battles to tell how far apart they may be"


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles: the models shown first and second, the outcome (0 first, 1 tie, 2 second), and each one's cluster."""

    names: tuple[str, ...]
    first: Ints
    second: Ints
    outcome: Ints
    clusters: Ints | None = None
    # Whether it is known which was shown first.
    ordered: bool = True

    @property
    def n(self) -> int:
        """Battles."""
        return len(self.outcome)

    @cached_property
    def counts(self) -> Floats:
        """How often each outcome came up: shown first × shown second × outcome."""
        k = len(self.names)
        cell = (self.first * k + self.second) * 3 + self.outcome
        return np.bincount(cell, minlength=3 * k * k).reshape(k, k, 3).astype(np.float64)

    @cached_property
    def wins(self) -> Floats:
        """Wins of row over column; a tie counts one half for each."""
        return np.asarray(self.counts @ POINTS + (self.counts @ POINTS[::-1]).T)

    @cached_property
    def decided(self) -> Floats:
        """Wins of row over column, ties aside."""
        return np.asarray(self.counts[..., FIRST] + self.counts[..., SECOND].T)


def components(edges: NDArray[np.bool_]) -> list[list[int]]:
    """The connected parts of a graph without directions, largest first."""
    count, part = csgraph.connected_components(edges, directed=False)
    return sorted((np.flatnonzero(part == i).tolist() for i in range(count)), key=lambda models: (-len(models), models))


def never_beaten(wins: Floats) -> Ints:
    """A code for each model; two have the same if each beat the other, directly or through others.

    The likeliest difference of two models is finite only then (Ford 1957, Am. Math. Mon. 64:28).

    >>> never_beaten(np.array([[0, 2, 1], [1, 0, 1], [0, 0, 0]])).tolist()
    [1, 1, 0]
    """
    return np.asarray(csgraph.connected_components(wins > 0, connection="strong")[1], dtype=np.int64)


def shown_one_way(b: Battles) -> bool:
    """Whether levels of the models, one lower from the first shown to the second in every battle, say all that being
    first does; of models that met, directly or through others.

    >>> make = lambda first, second: Battles(("x", "y", "z"), np.array(first), np.array(second), np.zeros(2, dtype=int))
    >>> shown_one_way(make([0, 1], [1, 2])), shown_one_way(make([0, 1], [1, 0]))
    (True, False)
    """
    met, k = (b.counts.sum(axis=2) > 0).ravel(), len(b.names)
    products = _products(met[:, None, None] * np.outer(SIDES, SIDES), _places(k))[: k + 1, : k + 1]
    ranks = (np.linalg.matrix_rank(part, hermitian=True) for part in (products, products[:k, :k]))
    return len(set(ranks)) == 1


def separated_by_place(b: Battles, *, with_ties: bool) -> bool:
    """Whether some strengths together with an advantage of being first are never contradicted by an outcome, so that
    the likeliest are infinite (Albert and Anderson 1984, Biometrika 71:1): a linear programme finds them.

    >>> once = Battles(("x", "y"), np.array([0, 1]), np.array([1, 0]), np.array([0, 0]))
    >>> separated_by_place(once, with_ties=False)
    True
    """
    k = len(b.names)
    first, second = np.nonzero(b.counts.sum(axis=2))
    counts, places = b.counts[first, second], np.arange(len(first))
    half = counts[:, TIE] * (not with_ties)
    signs, columns = np.repeat([1.0, -1.0, 1.0], len(first)), [first, second, np.full(len(first), k)]
    design = sparse.csr_array((signs, (np.tile(places, 3), np.concatenate(columns))), shape=(len(first), k + 1))
    constraints = sparse.vstack([design[counts[:, FIRST] + half > 0], -design[counts[:, SECOND] + half > 0]])
    solution = optimize.linprog(
        -constraints.sum(axis=0), A_ub=cast("Floats", -constraints), b_ub=np.zeros(constraints.shape[0]), bounds=(-1, 1)
    )
    return solution.fun is None or -float(solution.fun) > 1e-7


class Fit(NamedTuple):
    """Parameters, their covariance (0 for those that are held) and the penalised log-likelihood."""

    parameters: Floats
    covariance: Floats
    likelihood: float


class _Look(NamedTuple):
    """The log-likelihood at some parameters, its gradient, the curvature of a Newton step, and the covariance."""

    value: float
    gradient: Floats
    curvature: Floats
    covariance: Floats


def _places(k: int) -> Ints:
    """The parameters that a battle of each cell goes by: strengths of the first and the second, δ, τ."""
    first, second = np.divmod(np.arange(k * k), k)
    return np.stack([first, second, np.full(k * k, k), np.full(k * k, k + 1)], axis=-1)


def _chances(theta: Floats) -> Floats:
    """The chance of each outcome in each cell, one below the other."""
    *beta, delta, tau = theta
    d = np.subtract.outer(beta, beta).ravel() + delta
    return np.asarray(special.softmax(np.stack([d / 2, np.full_like(d, tau), -d / 2], axis=-1), axis=-1))


def _scores(chances: Floats) -> Floats:
    """What each outcome in each cell adds to the derivatives by the parameters at its places."""
    along_d = POINTS - chances @ POINTS[:, None]
    along_t = np.array([0.0, 1.0, 0.0]) - chances[:, [TIE]]
    return np.where(SIDES == 0, along_t[..., None], along_d[..., None] * SIDES)


def _products(of_cells: Floats, places: Ints) -> Floats:
    """Products of derivatives in each cell, added up by pairs of parameters."""
    k = int(places[-1, -1]) + 1
    flat = places[:, :, None] * k + places[:, None, :]
    sums = np.bincount(flat.ravel(), np.broadcast_to(of_cells, flat.shape).ravel(), k * k)
    return np.asarray(sums, dtype=np.float64).reshape(k, k)


def _free(k: int, position: bool, ties: bool, equal: tuple[int, int] | None = None) -> Floats:
    """The directions in which parameters move, as columns; with `equal` two models move together."""
    group = np.arange(k)
    if equal is not None:
        group[max(equal)] = min(equal)
    strengths_ = (group[:, None] == np.unique(group)[1:]).astype(np.float64)
    moves = np.eye(k + 2)[:, [k] * position + [k + 1] * ties]
    return np.column_stack([np.vstack([strengths_, np.zeros((2, strengths_.shape[1]))]), moves])


def fit_strengths(
    b: Battles, *, position: bool, ties: bool, penalised: bool, equal: tuple[int, int] | None = None,
    start: Floats | None = None, close: float = ROUNDING,
) -> Fit:  # fmt: skip
    """The likeliest strengths by Newton's method; `penalised` by Jeffreys' prior (Firth 1993), which keeps them finite.

    With `equal` two models are as strong as each other. The prior acts like as many battles more as a cell has
    leverage, so a step goes by the information of both.
    """
    k, counts = len(b.names), b.counts.reshape(-1, 3)
    if not ties:
        counts = np.stack([counts @ POINTS, np.zeros(k * k), counts @ POINTS[::-1]], axis=-1)
    battles, places = counts.sum(axis=-1, keepdims=True), _places(k)
    ways, every = _free(k, position, ties, equal), _free(k, position, ties)

    def look(theta: Floats) -> _Look:
        chances = _chances(theta)
        u = _scores(chances)
        value, pull = float(special.xlogy(counts, chances).sum()), counts
        expected = np.einsum("co,coi,coj->cij", chances, u, u)
        information = _products(battles[..., None] * expected, places)
        curvature, covariance = information, _inverse(information, every)
        if penalised:
            sign, size = np.linalg.slogdet(every.T @ information @ every)
            value += float(size) / 2 if sign > 0 else -math.inf
            leverages = np.einsum("coi,cij,coj->co", u, covariance[places[:, :, None], places[:, None, :]], u)
            more = battles * chances * leverages
            pull = counts + more / 2
            curvature = _products((battles + more.sum(axis=-1, keepdims=True))[..., None] * expected, places)
        gradient = np.bincount(places.ravel(), np.einsum("co,coi->ci", pull, u).ravel(), k + 2)
        return _Look(value, gradient.astype(np.float64), curvature, covariance)

    theta = np.append(np.zeros(k + 1), -math.inf) if start is None else start.copy()
    if ties and start is None:
        share = (counts[:, TIE].sum() + 0.5) / (battles.sum() + 1)
        theta[-1] = math.log(2 * share / (1 - share))
    if equal is not None:
        theta[list(equal)] = theta[list(equal)].mean()
    theta[:k] -= theta[0]
    at, before = look(theta), math.inf
    while True:
        step = _inverse(at.curvature, ways) @ at.gradient
        moved = float(np.abs(step).max())
        step, moved = step * min(1.0, 2.0 / max(moved, close)), min(moved, 2.0)
        lowest = at.value - ROUNDING * (1 + abs(at.value))
        after = look(theta + step)
        while after.value < lowest and moved > close:
            step, moved = step / 2, moved / 2
            after = look(theta + step)
        # Where rounding alone is left, steps do not become smaller.
        stuck = after.value < lowest or (after.value <= 2 * at.value - lowest and moved >= before)
        if after.value >= lowest:
            theta, at = theta + step, after
        if stuck or moved <= close:
            break
        before = moved
    return Fit(theta, at.covariance, at.value)


def _inverse(information: Floats, ways: Floats) -> Floats:
    """The inverse among the directions in which parameters move."""
    return np.asarray(ways @ np.linalg.inv(ways.T @ information @ ways) @ ways.T)


def robust_covariance(b: Battles, fit: Fit) -> tuple[Floats, float]:
    """The sandwich over clusters of battles, G/(G − 1)·I⁻¹·Σ U_g·U_g′·I⁻¹; and its degrees of freedom."""
    k, each = len(b.names), np.arange(b.n) if b.clusters is None else b.clusters
    names, groups = np.unique(each, return_inverse=True)
    count, cell = len(names), b.first * k + b.second
    if count < 2:
        return np.full_like(fit.covariance, np.nan), 0.0
    u = _scores(_chances(fit.parameters))[cell, b.outcome]
    where = (np.repeat(groups.ravel(), 4), _places(k)[cell].ravel())
    scores = sparse.csr_array((u.ravel(), where), shape=(count, k + 2))
    meat = (scores.T @ scores).toarray() * count / (count - 1)
    return np.asarray(fit.covariance @ meat @ fit.covariance), float(count - 1)


def likelihood_limits(
    gap: float, error: float, likelihood: float, null_likelihood: float, z: float
) -> tuple[float, float, float] | None:
    """Limits of a difference of penalised strengths, and its p-value by the penalised likelihood ratio.

    A standard error is far too large where a model never lost. The limit towards 0 is the test-based one, gap·(1 − z/r)
    with r the root of twice the loss of penalised likelihood at no difference; the other is the wider of both.
    """
    lost = 2 * (likelihood - null_likelihood)
    if lost <= math.sqrt(np.finfo(np.float64).eps) * (1 + abs(likelihood)):
        return None
    root = math.sqrt(lost)
    near, far = gap * (1 - z / root), gap + math.copysign(z * max(error, abs(gap) / root), gap)
    return min(near, far), max(near, far), normal_p(root, "two-sided")


@dataclass(frozen=True, eq=False, kw_only=True)
class Strengths:
    """Strengths of the models of some battles, in log-odds, with their covariance and degrees of freedom.

    `position`: whether being shown first has an advantage; `tested` are (low, high, p-value) of differences that were
    judged by their penalised likelihood ratio.
    """

    battles: Battles
    spec: IntervalSpec
    fit: Fit
    covariance: Floats
    df: float
    penalised: bool
    position: bool
    tested: Mapping[tuple[int, int], tuple[float, float, float]] = field(default_factory=dict)

    @property
    def values(self) -> Floats:
        """Strengths around their mean."""
        beta = self.fit.parameters[: len(self.battles.names)]
        return np.asarray(beta - beta.mean())

    @property
    def order(self) -> list[int]:
        """The models, strongest first; those that are equal but for rounding by name."""
        names, values = self.battles.names, self.values.round(9)
        return sorted(range(len(names)), key=lambda i: (-values[i], names[i]))

    @property
    def method(self) -> str:
        """The key of how they were found."""
        clustered = self.battles.clusters is not None
        return "bradley-terry" + ("-firth" if self.penalised else "") + ("-clustered" if clustered else "")

    def told(self, way: Floats) -> tuple[float, float, float, float]:
        """A sum of parameters, its standard error and its limits; NaN where the battles do not tell them."""
        inside = slice(len(way))
        value, variance = float(way @ self.fit.parameters[inside]), float(way @ self.covariance[inside, inside] @ way)
        error = math.sqrt(variance) if self.df > 0 and variance > 0 else math.nan
        reach = self.spec.factor(max(self.df, 1.0)) * error
        return value, error, value - reach, value + reach

    def _why(self, low: float) -> str:
        few = FEW_BATTLES if math.isnan(low) else ""
        return str(Note("one-cluster")) if self.df <= 0 else few

    def difference(self, i: int, j: int) -> Contrast:
        """The strength of one less that of another, with its test."""
        b, each = self.battles, np.eye(len(self.battles.names))
        gap, error, low, high = self.told(each[i] - each[j])
        p = student_p(gap / error, self.df, "two-sided")
        if (i, j) in self.tested:
            low, high, p = self.tested[i, j]
        return contrast(
            estimate=gap, limits=(low, high), whole=(-math.inf, math.inf), confidence=self.spec.confidence,
            method=self.method, n=b.n, first=b.names[i], second=b.names[j], statistic=gap / error,
            df=None if math.isinf(self.df) else self.df, p_value=p, alternative="two-sided", name="strength",
            notes=(self._why(low),),
        )  # fmt: skip

    def own(self, i: int, n: float) -> Interval:
        """One strength from the mean of all, over its n battles."""
        names = self.battles.names
        value, _, low, high = self.told(np.eye(len(names))[i] - 1 / len(names))
        return self.spec.interval(
            names[i], value, low, high, bounds=(-math.inf, math.inf), method=self.method, n=n, note=self._why(low)
        )


def strengths(
    b: Battles, spec: IntervalSpec, *, position: bool = False, ties: bool = True, penalised: bool = False
) -> Strengths:
    """Bradley–Terry strengths of models that met, directly or through others."""
    _check_battles(b, position)
    k, tied = len(b.names), b.outcome == TIE
    with_ties = ties and bool(tied.any()) and not bool(tied.all())
    # A tie holds two models together only where it is half a win of each.
    parts = never_beaten(b.decided if with_ties else b.wins)
    if penalised or (position and not parts.any() and separated_by_place(b, with_ties=with_ties)):
        parts = np.arange(k)
    firth = bool(parts.any())
    fit = fit_strengths(b, position=position, ties=with_ties, penalised=firth)
    found = Strengths(
        battles=b, spec=spec, fit=fit, covariance=fit.covariance, df=math.inf, penalised=firth, position=position
    )
    if b.clusters is not None or (not with_ties and bool(tied.any())):
        covariance, df = robust_covariance(b, fit)
        # Clusters cannot show less spread than independent battles where some never lost.
        return replace(found, covariance=covariance + fit.covariance * firth, df=df)
    tested: dict[tuple[int, int], tuple[float, float, float]] = {}
    for i, j in combinations(found.order, 2):
        if parts[i] != parts[j]:
            null = fit_strengths(
                b, position=position, ties=with_ties, penalised=True, equal=(i, j), start=fit.parameters,
                close=math.sqrt(ROUNDING),
            )  # fmt: skip
            gap, error, *_ = found.told(np.eye(k)[i] - np.eye(k)[j])
            judged = likelihood_limits(gap, error, fit.likelihood, null.likelihood, spec.factor())
            tested |= {} if judged is None else {(i, j): judged}
    return replace(found, tested=tested)


def _check_battles(b: Battles, position: bool) -> None:
    if len(b.names) < 2:
        raise InputError("an arena needs two models or more")
    parts = components(b.wins > 0)
    if len(parts) > 1:
        groups = "; ".join(some([b.names[i] for i in part], 4) for part in parts[:4])
        raise InputError(
            f"the battles fall into {len(parts)} groups of models that never met ({groups}): strengths of different "
            "groups cannot be compared; rank each group by itself, or let them meet"
        )
    if position and shown_one_way(b):
        raise InputError(
            "the advantage of being shown first cannot be told from strength, since models were shown in one order "
            "only; show pairs both ways round, or leave out position="
        )


def lack_of_fit(s: Strengths) -> Test | None:
    """Whether head-to-head results follow from one strength each: χ² of wins seen and expected over pairs that met.

    None with clusters, or where the wins of a pair vary by no more than one battle, which is too few for χ².
    """
    b = s.battles
    chances, battles = _chances(s.fit.parameters).reshape(b.counts.shape), b.counts.sum(axis=2)
    mean = chances @ POINTS
    gap, spread = b.counts @ POINTS - battles * mean, battles * (chances @ POINTS**2 - mean**2)
    met = np.triu(battles + battles.T, 1) > 0
    gaps, spreads = (gap - gap.T)[met], (spread + spread.T)[met]
    df = len(gaps) - (len(b.names) - 1)
    if b.clusters is not None or df < 1 or float(spreads.min()) <= 1 or s.penalised:
        return None
    statistic = float((gaps**2 / spreads).sum())
    return Test(
        name="fit of the strengths", statistic=statistic, df=df, p_value=float(special.chdtrc(df, statistic)),
        method="bradley-terry", n=b.n,
    )  # fmt: skip


def head_to_head(b: Battles, i: int, j: int, spec: IntervalSpec) -> tuple[Contrast, tuple[int, int, int]] | None:
    """The share of battles that i won against j (a tie is half), less one half, and won–tied–lost; None if none.

    Without clusters the p-value is McNemar's mid-p of wins against losses, the limits Wilson's at the effective number
    of battles; with clusters both are those of the effective t.
    """
    one, other = (b.first == i) & (b.second == j), (b.first == j) & (b.second == i)
    met = np.flatnonzero(one | other)
    if not len(met):
        return None
    value = POINTS[b.outcome[met]]
    value = np.where(one[met], value, 1 - value)
    won, lost, n, mean = int((value == 1).sum()), int((value == 0).sum()), len(met), float(value.mean())
    if b.clusters is None:
        spread = float(((value - mean) ** 2).mean())
        size = n * mean * (1 - mean) / spread if spread > 0 else float(n)
        low, high = wilson(mean * size, size, spec.factor())
        found = contrast(
            estimate=mean - 0.5, limits=(float(low) - 0.5, float(high) - 0.5), confidence=spec.confidence,
            method="head-to-head", n=n, statistic=math.nan, alternative="two-sided",
            p_value=mcnemar_test(won, lost, "mid-p", "two-sided")[1] if won + lost else 1.0,
        )  # fmt: skip
    else:
        groups = np.unique(b.clusters[met], return_inverse=True)[1].ravel()
        units, sizes = np.bincount(groups, weights=value - mean) / n, np.bincount(groups).astype(np.float64)
        e = Estimate(value=np.array(mean - 0.5), units=units, sizes=sizes, range=(-0.5, 0.5), labels=True)
        found = replace(effective_t_contrast(e, spec, n=n, higher_is_better=None), method="head-to-head")
    named = replace(found, name="win rate − ½", first=b.names[i], second=b.names[j])
    return named, (won, n - won - lost, lost)
