"""Pairwise preferences: Bradley–Terry strengths with ties and a position effect, of battles that may share prompts.

A battle is a choice between two models: the first, the second, or a tie. The log-likelihood is that of a conditional
logit with utilities d/2, −d/2 and τ, d = β_a − β_b + δ: Bradley and Terry's model, Davidson's ties, and an advantage
δ of the place in which a model is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from trueerror.inference._contrast import contrast, normal_p, student_p
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.proportion._paired import mcnemar_test
from trueerror.inputs._options import InputError
from trueerror.results import Contrast, Interval, Test
from trueerror.results._format import some
from trueerror.results._values import Note

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 200
# After so many steps a penalised fit of not too many parameters goes by its own curvature, from differences this near.
SLOW, MOST_CURVED, NEAR = 8, 60, 1e-5
# Elo points for each unit of log-odds.
ELO = 400 / math.log(10)
# First, tie, second, as columns of outcomes.
FIRST, TIE, SECOND = 0, 1, 2
# The variance of a pair's wins below which its χ² says nothing.
LEAST_SPREAD = 1.0
# Differences of more models than this are judged by standard errors alone.
MOST_TESTED = 12
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
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """Ordered pairs that met, and how often each outcome came up: pairs × 3."""
        k = len(self.names)
        codes, inverse = np.unique(self.first * k + self.second, return_inverse=True)
        counts = np.zeros((len(codes), 3))
        np.add.at(counts, (inverse.ravel(), self.outcome), 1.0)
        return codes // k, codes % k, counts

    @cached_property
    def wins(self) -> Floats:
        """Wins of row over column; a tie counts one half for each."""
        k = len(self.names)
        wins = np.zeros((k, k))
        a, b, counts = self.cells
        np.add.at(wins, (a, b), counts[:, FIRST] + counts[:, TIE] / 2)
        np.add.at(wins, (b, a), counts[:, SECOND] + counts[:, TIE] / 2)
        return wins

    @cached_property
    def decided(self) -> Floats:
        """Wins of row over column, ties aside."""
        k = len(self.names)
        wins = np.zeros((k, k))
        a, b, counts = self.cells
        np.add.at(wins, (a, b), counts[:, FIRST])
        np.add.at(wins, (b, a), counts[:, SECOND])
        return wins


def components(edges: NDArray[np.bool_]) -> list[list[int]]:
    """The connected parts of a graph without directions, largest first."""
    left, parts = set(range(len(edges))), []
    both = edges | edges.T
    while left:
        start = min(left)
        seen, open_ = {start}, [start]
        while open_:
            for other in np.flatnonzero(both[open_.pop()]).tolist():
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
        parts.append(sorted(seen))
        left -= seen
    return sorted(parts, key=lambda part: (-len(part), part))


def separated(wins: Floats) -> bool:
    """Whether some models never lost to the others, so that no finite strengths are the likeliest (Ford 1957)."""
    reach = wins > 0
    np.fill_diagonal(reach, True)
    for _ in range(max(1, math.ceil(math.log2(max(len(wins), 2))))):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return not bool(reach.all())


def shown_one_way(b: Battles) -> bool:
    """Whether levels of the models, one lower from the first shown to the second in every battle, say all that being
    first does; of models that met, directly or through others.

    >>> make = lambda first, second: Battles(("x", "y", "z"), np.array(first), np.array(second), np.zeros(2, dtype=int))
    >>> shown_one_way(make([0, 1], [1, 2])), shown_one_way(make([0, 1], [1, 0]))
    (True, False)
    """
    first, second, _ = b.cells
    level = np.full(len(b.names), np.nan)
    level[first[0]] = 0.0
    while len(open_ := np.flatnonzero(np.isnan(level[first]) != np.isnan(level[second]))):
        for i in open_:
            level[second[i]] = level[first[i]] - 1 if np.isnan(level[second[i]]) else level[second[i]]
            level[first[i]] = level[second[i]] + 1
    return bool((level[first] - level[second] == 1).all())


def separated_by_place(b: Battles, *, with_ties: bool) -> bool:
    """Whether some strengths together with an advantage of being first are never contradicted by an outcome, so that
    the likeliest are infinite (Albert and Anderson 1984, Biometrika 71:1): a linear programme finds them.

    >>> once = Battles(("x", "y"), np.array([0, 1]), np.array([1, 0]), np.array([0, 0]))
    >>> separated_by_place(once, with_ties=False)
    True
    """
    first, second, counts = b.cells
    half = counts[:, TIE] * (not with_ties)
    places = np.arange(len(first))
    ones = np.ones(len(first))
    design = sparse.csr_array((ones, (places, first)), shape=(len(first), len(b.names) + 1))
    design = design - sparse.csr_array((ones, (places, second)), shape=design.shape)
    design = design + sparse.csr_array((ones, (places, np.full(len(first), len(b.names)))), shape=design.shape)
    constraints = sparse.vstack([design[counts[:, FIRST] + half > 0], -design[counts[:, SECOND] + half > 0]])
    solution = optimize.linprog(
        -constraints.sum(axis=0), A_ub=cast("Floats", -constraints), b_ub=np.zeros(constraints.shape[0]), bounds=(-1, 1)
    )
    return solution.fun is None or -float(solution.fun) > 1e-7


class Shape(NamedTuple):
    """What is fitted: models, then the position effect, then ties; the first model is held at 0."""

    models: int
    position: bool
    ties: bool

    @property
    def size(self) -> int:
        return self.models + self.position + self.ties

    @property
    def tie_place(self) -> int:
        return self.models + self.position


class Fit(NamedTuple):
    """Parameters, their covariance (the first model's are 0) and the penalised log-likelihood."""

    parameters: Floats
    covariance: Floats
    likelihood: float


def _chances(d: Floats, tau: float, ties: bool) -> Floats:
    utilities = np.column_stack([d / 2, np.full(len(d), tau if ties else -np.inf), -d / 2])
    utilities -= utilities.max(axis=1, keepdims=True)
    weights = np.exp(utilities)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _gaps(shape: Shape, a: Ints, b: Ints, theta: Floats) -> Floats:
    d = theta[a] - theta[b]
    return np.asarray(d + theta[shape.models] if shape.position else d)


def _added(shape: Shape, a: Ints, b: Ints, along_d: Floats, along_tie: Floats) -> Floats:
    """Per-cell derivatives along d and τ as a vector over the parameters."""
    gradient = np.zeros(shape.size)
    np.add.at(gradient, a, along_d)
    np.add.at(gradient, b, -along_d)
    if shape.position:
        gradient[shape.models] = along_d.sum()
    if shape.ties:
        gradient[shape.tie_place] = along_tie.sum()
    return gradient


def _information(shape: Shape, a: Ints, b: Ints, dd: Floats, dt: Floats, tt: Floats) -> Floats:
    information = np.zeros((shape.size, shape.size))
    for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        np.add.at(information, (i, j), sign * dd)
    edges = [(shape.models, dd, float(dd.sum()))] if shape.position else []
    if shape.ties:
        edges.append((shape.tie_place, dt, float(tt.sum())))
    for place, along, diagonal in edges:
        column = np.zeros(shape.size)
        np.add.at(column, a, along)
        np.add.at(column, b, -along)
        information[place] += column
        information[:, place] += column
        information[place, place] = diagonal
    if shape.position and shape.ties:
        information[shape.models, shape.tie_place] = information[shape.tie_place, shape.models] = float(dt.sum())
    return information


def _inverse(information: Floats) -> Floats:
    """The inverse with the first model held at 0."""
    inverse = np.zeros_like(information)
    inverse[1:, 1:] = np.linalg.pinv(information[1:, 1:], hermitian=True)
    return inverse


def _deviations(chances: Floats) -> tuple[Floats, Floats]:
    """What each outcome adds to the score along d and along τ, less its mean."""
    mean = (chances[:, FIRST] - chances[:, SECOND]) / 2
    along_d = np.column_stack([0.5 - mean, -mean, -0.5 - mean])
    p = chances[:, TIE]
    return along_d, np.column_stack([-p, 1 - p, -p])


def fit_strengths(
    b: Battles,
    *,
    position: bool,
    ties: bool,
    penalised: bool,
    fixed: tuple[int, int, float] | None = None,
    close: float = 1e-11,
) -> Fit:
    """The likeliest strengths by Newton's method; `penalised` by Jeffreys' prior (Firth 1993), which keeps them finite.

    The first model is held at 0. With `fixed` (i, j, gap) the strengths of i and j differ by the gap.
    """
    shape = Shape(len(b.names), position, ties)
    first, second, counts = b.cells
    if not ties:
        half = counts[:, TIE] / 2
        counts = np.column_stack([counts[:, FIRST] + half, np.zeros(len(half)), counts[:, SECOND] + half])
    battles = counts.sum(axis=1)
    theta = np.zeros(shape.size)
    if ties:
        share = (counts[:, TIE].sum() + 0.5) / (battles.sum() + 1)
        theta[shape.tie_place] = math.log(share / (1 - share)) + math.log(2)

    def look(theta: Floats) -> tuple[float, Floats, Floats]:
        d = _gaps(shape, first, second, theta)
        tau = float(theta[shape.tie_place]) if ties else 0.0
        chances = _chances(d, tau, ties)
        along_d, along_t = _deviations(chances)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(counts > 0, counts * np.log(np.maximum(chances, 1e-300)), 0.0)
        value = float(logs.sum())
        spread = [battles * (chances * x * y).sum(axis=1) for x, y in
                  ((along_d, along_d), (along_d, along_t), (along_t, along_t))]  # fmt: skip
        information = _information(shape, first, second, *spread)
        pull_d, pull_t = (counts * along_d).sum(axis=1), (counts * along_t).sum(axis=1)
        if penalised:
            inverse = _inverse(information)
            sign, size = np.linalg.slogdet(information[1:, 1:])
            value += size / 2 if sign > 0 else -math.inf
            quadratic, cross, tie = _quadratics(shape, first, second, inverse)
            whole = along_d**2 * quadratic[:, None] + 2 * along_d * along_t * cross[:, None] + along_t**2 * tie
            weight = battles[:, None] * chances * whole / 2
            pull_d, pull_t = pull_d + (weight * along_d).sum(axis=1), pull_t + (weight * along_t).sum(axis=1)
        return value, _added(shape, first, second, pull_d, pull_t), information

    ways = np.eye(shape.size)[:, 1:]
    if fixed is not None:
        i, j, gap = fixed
        theta[i], theta[j] = gap / 2, -gap / 2
        # Models i and j move together.
        ways = np.eye(shape.size)
        ways[j, i] = 1.0
        ways = np.delete(ways, j, axis=1)
    value, gradient, information = look(theta)
    for taken in range(STEPS):
        # The prior bends the likelihood too: where the information alone leads there slowly, its own curvature does.
        bent = information
        if penalised and taken >= SLOW and shape.size <= MOST_CURVED:
            sides = [(look(theta + NEAR * way)[1], look(theta - NEAR * way)[1]) for way in np.eye(shape.size)]
            bent = np.array([(before - after) / (2 * NEAR) for after, before in sides])
            bent = (bent + bent.T) / 2
            if np.linalg.eigvalsh(ways.T @ bent @ ways).min(initial=math.inf) <= 0:
                bent = information
        step = ways @ np.linalg.pinv(ways.T @ bent @ ways, hermitian=True) @ (ways.T @ gradient)
        largest = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, 2.0 / largest) if largest > 0 else 1.0
        factor = 1.0
        after = look(theta + step)
        while after[0] < value - 1e-10 * (1 + abs(value)) and factor > 1e-4:
            factor /= 2
            after = look(theta + factor * step)
        if after[0] < value - 1e-10 * (1 + abs(value)):
            break
        theta = theta + factor * step
        value, gradient, information = after
        if factor * largest < close:
            break
    return Fit(theta, _inverse(information), value)


def _quadratics(shape: Shape, a: Ints, b: Ints, m: Floats) -> tuple[Floats, Floats, float]:
    """x′Mx, x′M_τ and M_ττ of each cell, x its row of the design."""
    quadratic = m[a, a] + m[b, b] - 2 * m[a, b]
    if shape.position:
        p = shape.models
        quadratic = quadratic + 2 * (m[a, p] - m[b, p]) + m[p, p]
    if not shape.ties:
        return np.asarray(quadratic), np.zeros(len(a)), 0.0
    t = shape.tie_place
    cross = m[a, t] - m[b, t] + (m[shape.models, t] if shape.position else 0.0)
    return np.asarray(quadratic), np.asarray(cross), float(m[t, t])


def robust_covariance(b: Battles, fit: Fit, *, position: bool, ties: bool) -> tuple[Floats, float]:
    """The sandwich over clusters of battles, G/(G − 1)·I⁻¹·Σ U_g·U_g′·I⁻¹; and its degrees of freedom."""
    shape = Shape(len(b.names), position, ties)
    tau = float(fit.parameters[shape.tie_place]) if ties else 0.0
    chances = _chances(_gaps(shape, b.first, b.second, fit.parameters), tau, ties)
    along_d, along_t = _deviations(chances)
    rows = np.arange(b.n)
    d, t = along_d[rows, b.outcome], along_t[rows, b.outcome]
    if not ties:
        # A tie is half a win of each.
        d = np.where(b.outcome == TIE, (along_d[:, FIRST] + along_d[:, SECOND]) / 2, d)
    names, groups = np.unique(rows if b.clusters is None else b.clusters, return_inverse=True)
    count = len(names)
    scores = np.zeros((count, shape.size))
    np.add.at(scores, (groups, b.first), d)
    np.add.at(scores, (groups, b.second), -d)
    if shape.position:
        np.add.at(scores, (groups, np.full(b.n, shape.models)), d)
    if ties:
        np.add.at(scores, (groups, np.full(b.n, shape.tie_place)), t)
    if count < 2:
        return np.full_like(fit.covariance, np.nan), 0.0
    meat = scores.T @ scores * count / (count - 1)
    return np.asarray(fit.covariance @ meat @ fit.covariance), float(count - 1)


def likelihood_limits(
    b: Battles, i: int, j: int, gap: float, error: float, likelihood: float, z: float, *, position: bool, ties: bool
) -> tuple[float, float, float] | None:
    """Limits of a difference of penalised strengths, and its p-value by the penalised likelihood ratio.

    A standard error is far too large where a model never lost. The limit towards 0 is the test-based one, gap·(1 − z/r)
    with r the root of twice the loss of penalised likelihood at no difference; the other is the wider of both.
    """
    null_likelihood = fit_strengths(
        b, position=position, ties=ties, penalised=True, fixed=(i, j, 0.0), close=1e-6
    ).likelihood
    root = math.sqrt(max(2 * (likelihood - null_likelihood), 0.0))
    if root < 1e-3 or abs(gap) < 1e-6:
        return None
    near, far = gap * (1 - z / root), gap + math.copysign(z * max(error, abs(gap) / root), gap)
    return min(near, far), max(near, far), normal_p(root, "two-sided")


@dataclass(frozen=True, eq=False)
class Strengths:
    """Strengths in log-odds around their mean, with their covariance and degrees of freedom.

    `tested` are (low, high, p-value) of differences that were judged by their penalised likelihood ratio.
    """

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    df: float
    penalised: bool
    robust: bool
    position: tuple[float, float] | None
    tie: float | None
    method: str
    tested: Mapping[tuple[int, int], tuple[float, float, float]] = field(default_factory=dict)

    def difference(self, i: int, j: int, spec: IntervalSpec, n: float) -> Contrast:
        """The strength of one less that of another, in log-odds, with its test."""
        gap = float(self.values[i] - self.values[j])
        c = self.covariance
        error = math.sqrt(max(float(c[i, i] + c[j, j] - 2 * c[i, j]), 0.0))
        reach = spec.factor(self.df) * error if error > 0 and self.df > 0 else math.nan
        z = gap / error if error > 0 and self.df > 0 else math.nan
        p = math.nan if math.isnan(z) else (
            normal_p(z, "two-sided") if math.isinf(self.df) else student_p(z, self.df, "two-sided")
        )  # fmt: skip
        low, high = gap - reach, gap + reach
        if (i, j) in self.tested:
            low, high, p = self.tested[i, j]
        few = (FEW_BATTLES,) if math.isnan(low) or math.isnan(high) else ()
        return contrast(
            estimate=gap, limits=(low, high), whole=(-math.inf, math.inf), confidence=spec.confidence,
            method=self.method, n=n, first=self.names[i], second=self.names[j], statistic=z,
            df=None if math.isinf(self.df) else self.df,
            p_value=p, alternative="two-sided", name="strength",
            notes=(str(Note("one-cluster")),) if self.df <= 0 else few,
        )  # fmt: skip

    def own(self, i: int, spec: IntervalSpec, n: float) -> Interval:
        """One strength from the mean of all, in log-odds."""
        error = math.sqrt(max(float(self.covariance[i, i]), 0.0))
        reach = spec.factor(self.df) * error if error > 0 and self.df > 0 else math.nan
        why = str(Note("one-cluster")) if self.df <= 0 else FEW_BATTLES if math.isnan(reach) else ""
        value = float(self.values[i])
        return spec.interval(
            self.names[i], value, value - reach, value + reach, bounds=(-math.inf, math.inf), method=self.method, n=n,
            note=why,
        )  # fmt: skip


def strengths(
    b: Battles,
    *,
    position: bool = False,
    ties: bool = True,
    penalised: bool | None = None,
    z: float = 1.959963984540054,
) -> Strengths:
    """Bradley–Terry strengths of models that met, directly or through others; `z` is that of the limits."""
    k = len(b.names)
    if k < 2:
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
    with_ties = ties and bool((b.outcome == TIE).any())
    if with_ties and not bool((b.outcome != TIE).any()):
        with_ties = False
    # A tie holds two models together only where it is half a win of each.
    firth = separated(b.decided if with_ties else b.wins) if penalised is None else penalised
    if penalised is None and position and not firth:
        firth = separated_by_place(b, with_ties=with_ties)
    fit = fit_strengths(b, position=position, ties=with_ties, penalised=firth)
    covariance, df = fit.covariance, math.inf
    half_ties = not with_ties and bool((b.outcome == TIE).any())
    robust = b.clusters is not None or half_ties
    if robust:
        covariance, df = robust_covariance(b, fit, position=position, ties=with_ties)
        if firth:
            # Clusters cannot show less spread than independent battles where some never lost.
            covariance = covariance + fit.covariance if not np.isnan(covariance).any() else covariance
    centre = np.eye(k) - 1 / k
    values = fit.parameters[:k] - fit.parameters[:k].mean()
    at = None
    if position:
        at = (float(fit.parameters[k]), math.sqrt(max(float(covariance[k, k]), 0.0)))
    method = "bradley-terry" + ("-firth" if firth else "") + ("-clustered" if b.clusters is not None else "")
    tie = float(fit.parameters[k + position]) if with_ties else None
    tested = {}
    if firth and not robust and k <= MOST_TESTED:
        for i, j in combinations(sorted(range(k), key=lambda m: (-values[m], b.names[m])), 2):
            error = math.sqrt(max(float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]), 0.0))
            gap = float(values[i] - values[j])
            limits = likelihood_limits(b, i, j, gap, error, fit.likelihood, z, position=position, ties=with_ties)
            if limits is not None:
                tested[i, j] = limits
    return Strengths(
        b.names, values, centre @ covariance[:k, :k] @ centre.T, df, firth, robust, at, tie, method, tested
    )


def lack_of_fit(b: Battles, s: Strengths) -> Test | None:
    """Whether head-to-head results follow from one strength each: χ² of wins seen and expected over pairs that met.

    None with clusters, or where pairs are too few to show anything beyond the strengths.
    """
    shape = Shape(len(b.names), s.position is not None, s.tie is not None)
    theta = np.concatenate([s.values, [s.position[0]] if s.position else [], [s.tie] if s.tie is not None else []])
    first, second, counts = b.cells
    chances = _chances(_gaps(shape, first, second, theta), s.tie or 0.0, s.tie is not None)
    battles = counts.sum(axis=1)
    worth = np.array([1.0, 0.5, 0.0])
    mean = chances @ worth
    spread = battles * (chances @ worth**2 - mean**2)
    gap = counts @ worth - battles * mean
    sign = np.where(first < second, 1.0, -1.0)
    k = len(b.names)
    pair = np.minimum(first, second) * k + np.maximum(first, second)
    kinds, inverse = np.unique(pair, return_inverse=True)
    gaps, spreads = (np.bincount(inverse, weights=x) for x in (sign * gap, spread))
    df = len(kinds) - (k - 1)
    if b.clusters is not None or df < 1 or float(spreads.min()) <= LEAST_SPREAD or s.penalised:
        return None
    from scipy import special

    statistic = float((gaps**2 / spreads).sum())
    return Test(
        name="fit of the strengths", statistic=statistic, df=df, p_value=float(special.chdtrc(df, statistic)),
        method="bradley-terry", n=b.n,
    )  # fmt: skip


def head_to_head(b: Battles, i: int, j: int, spec: IntervalSpec) -> tuple[Contrast, tuple[int, int, int]] | None:
    """The share of battles that i won against j (a tie is half), less one half, and won–tied–lost; None if none.

    Without clusters the p-value is McNemar's mid-p of wins against losses, the limits Wilson's; with clusters t.
    """
    one, other = (b.first == i) & (b.second == j), (b.first == j) & (b.second == i)
    met = np.flatnonzero(one | other)
    if not len(met):
        return None
    value = (2 - b.outcome[met]) / 2
    value = np.where(one[met], value, 1 - value)
    won, tied = int((value == 1).sum()), int((value == 0.5).sum())
    lost, n, mean = len(met) - won - tied, len(met), float(value.mean())
    z, size = spec.factor(), float(n)
    if b.clusters is None:
        p = mcnemar_test(won, lost, "mid-p", "two-sided")[1] if won + lost else 1.0
        spread = float(((value - mean) ** 2).mean()) / n
    else:
        groups = np.unique(b.clusters[met], return_inverse=True)[1]
        count = int(groups.max()) + 1
        sums = np.bincount(groups, weights=value - mean)
        spread = float((sums**2).sum()) / n**2 * (count / (count - 1) if count > 1 else 1)
        size, p = float(count), math.nan
        if count > 1 and spread > 0:
            z = spec.factor(count - 1)
            p = student_p((mean - 0.5) / math.sqrt(spread), count - 1, "two-sided")
        elif count > 1:
            # All clusters say the same: as many wins as there are clusters.
            p = 1.0 if mean == 0.5 else mcnemar_test(count, 0, "mid-p", "two-sided")[1]
    if spread > 0:
        size = mean * (1 - mean) / spread
    middle, reach = (mean + z * z / (2 * size)) / (1 + z * z / size), z / (1 + z * z / size)
    reach *= math.sqrt(mean * (1 - mean) / size + z * z / (4 * size * size))
    difference = contrast(
        estimate=mean - 0.5, limits=(max(middle - reach, 0.0) - 0.5, min(middle + reach, 1.0) - 0.5),
        confidence=spec.confidence, method="head-to-head", n=n, first=b.names[i], second=b.names[j], statistic=math.nan,
        p_value=p, alternative="two-sided", name="win rate − ½",
    )  # fmt: skip
    return difference, (won, tied, lost)
