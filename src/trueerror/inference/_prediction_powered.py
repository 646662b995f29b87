"""Few labels of people, many of a judge: the true mean of all rows, and which rows to label next.

A judge's labels are cheap and biased, people's are few and right. Rows are split by what the judge says of them: how
many there are is known from all rows, and how often people agree from those that were labelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import normal_p
from trueerror.inference._problem import IntervalSpec
from trueerror.inputs._options import InputError
from trueerror.methods._registry import Method, declare

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PoweredMethod = Literal["post-stratified", "ppi++", "classical"]
POWERED: tuple[PoweredMethod, ...] = ("post-stratified", "ppi++", "classical")
# A judge with more answers than this gives scores, which are cut into groups of equal size.
MOST_ANSWERS = 8
LABELS_A_GROUP = 20
# Pseudo-rows at each end of the range, in each group: of shares, and of other values.
PSEUDO_SHARE, PSEUDO_VALUE = 1.0, 1.0


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """Labelled rows: what people say (`truth`), what the judge says, the group of each and its weight.

    `shares` are the groups' shares among all rows, `rows` how many those are; `judge_all` is the mean and the variance
    of the judge's answers over the rows without a label, and how many those are; None where answers are no numbers.
    """

    truth: Floats
    groups: Ints
    shares: Floats
    rows: int
    bounds: tuple[float, float] | None
    weights: Floats | None = None
    judge: Floats | None = None
    judge_all: tuple[float, float, int] | None = None

    @property
    def n(self) -> int:
        """Labelled rows."""
        return len(self.truth)

    @property
    def share(self) -> bool:
        """Whether labels are 0 and 1."""
        return self.bounds is not None and bool(np.isin(self.truth, self.bounds).all())


class Powered(NamedTuple):
    """A mean, its standard error, limits and how many plain labels would say as much."""

    estimate: float
    error: float
    low: float
    high: float
    size: float


def judge_groups(answers: Floats, labelled: int) -> tuple[Floats, int]:
    """Where scores of a judge are cut into groups, and how many groups: each answer of a few, else equal shares.

    >>> judge_groups(np.array([0.0, 1.0, 1.0]), 50)
    (array([0., 1.]), 2)
    """
    kinds = np.unique(answers)
    if len(kinds) <= MOST_ANSWERS:
        return kinds, len(kinds)
    count = int(min(max(labelled // LABELS_A_GROUP, 2), MOST_ANSWERS))
    edges = np.unique(np.quantile(answers, np.arange(count) / count, method="lower"))
    return edges, len(edges)


def grouped_by(answers: Floats, edges: Floats) -> Ints:
    """The group of each answer: the last edge at or below it."""
    return np.asarray(np.maximum(np.searchsorted(edges, answers, side="right") - 1, 0), dtype=np.int64)


def post_stratified(s: LabelledSample, spec: IntervalSpec) -> Powered:
    """Σ W_k·ȳ_k over groups k of the judge's answers, with Wilson's limits at its effective number of labels.

    W_k are the groups' shares among all rows, ȳ_k means of the labels in a group (weighted where rows were labelled
    with unequal chances). The variance is Σ W_k²·s̃_k²/n_k + (Σ W_k·ỹ_k² − ỹ²)/N with one pseudo-row at each end of the
    range in each group, so that a group in which all labels agree still has one. With a judge of two answers the
    estimate is that of power-tuned prediction-powered inference (PPI++).
    """
    if s.bounds is None:
        raise InputError("post-stratified limits need values with bounds: pass bounds=(lowest, highest)")
    low, high = s.bounds
    y = (s.truth - low) / (high - low)
    w = np.ones(s.n) if s.weights is None else s.weights
    k = len(s.shares)
    totals, squares = (np.bincount(s.groups, weights=x, minlength=k) for x in (w, w * w))
    size = np.where(totals > 0, totals**2 / np.where(squares > 0, squares, 1.0), 0.0)
    pooled = float((w * y).sum() / w.sum())
    sums = np.bincount(s.groups, weights=w * y, minlength=k)
    means = np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), pooled)
    second = np.bincount(s.groups, weights=w * y * y, minlength=k)
    second = np.where(totals > 0, second / np.where(totals > 0, totals, 1.0), pooled)
    estimate = float(s.shares @ means)
    if k == 1 and s.share:
        variance = estimate * (1 - estimate) / size[0]
        return _at_size(s, estimate, variance, float(size[0]), spec)
    add = PSEUDO_SHARE if s.share else PSEUDO_VALUE * s.shares
    smooth = (means * size + add) / (size + 2 * add)
    spread = np.maximum((second * size + add) / (size + 2 * add) - smooth**2, 0.0)
    of_shares = max(float(s.shares @ smooth**2) - float(s.shares @ smooth) ** 2, 0.0) / max(s.rows, 1)
    variance = float((s.shares**2 * spread / np.maximum(size, 0.5)).sum()) + of_shares
    middle = float(s.shares @ smooth)
    return _at_size(s, estimate, variance, middle * (1 - middle) / variance, spec)


def _at_size(s: LabelledSample, p: float, variance: float, size: float, spec: IntervalSpec) -> Powered:
    """Wilson's limits of a mean in [0, 1] that so many labels would give, on the scale of the values."""
    z = spec.factor()
    middle, reach = (p + z * z / (2 * size)) / (1 + z * z / size), z / (1 + z * z / size)
    reach *= math.sqrt(max(p * (1 - p), 0.0) / size + z * z / (4 * size * size))
    low, high = s.bounds or (0.0, 1.0)
    width = high - low
    return Powered(
        low + width * p, width * math.sqrt(variance), low + width * max(middle - reach, 0.0),
        low + width * min(middle + reach, 1.0), size,
    )  # fmt: skip


def ppi_plus(s: LabelledSample, spec: IntervalSpec, power: float | None = None) -> Powered:
    """PPI++ as published: λ·f̄ + mean of (y − λ·f), limits ± t·√(λ²·s²(f)/N + s²(y − λf)/n).

    λ = cov(y, f)/((1 + n/N)·s²(f)), cut to [0, 1], unless `power` gives it.
    """
    if s.judge is None or s.judge_all is None:
        raise InputError('method="ppi++" needs answers of the judge that are numbers, of labelled and other rows')
    if s.n < 3:
        raise InputError(f'method="ppi++" needs three labels or more, here {s.n}')
    w = np.ones(s.n) / s.n if s.weights is None else s.weights / s.weights.sum()
    mean, variance, others = s.judge_all
    y, f = s.truth, s.judge
    df = 1 / float((w * w).sum()) - 1
    y_mean, f_mean = float(w @ y), float(w @ f)
    slope_top = float(w @ ((y - y_mean) * (f - f_mean)))
    slope_bottom = float(w @ ((f - f_mean) ** 2))
    factor = power
    if factor is None:
        tuned = slope_top / slope_bottom / (1 + (df + 1) / others) if slope_bottom > 0 else 0.0
        factor = min(max(tuned, 0.0), 1.0)
    rest = y - factor * f
    left = float(w @ rest)
    own = float(w @ ((rest - left) ** 2)) * (df + 1) / df
    error = math.sqrt(factor**2 * variance / others + own / (df + 1))
    estimate = factor * mean + left
    reach = spec.factor(df) * error
    plain = float(w @ ((y - y_mean) ** 2)) * (df + 1) / df
    low, high = s.bounds or (-math.inf, math.inf)
    return Powered(
        estimate, error, max(estimate - reach, low), min(estimate + reach, high), plain / error**2 if error else 0.0
    )


def tuned_power(s: LabelledSample) -> float:
    """λ of PPI++, how much of the judge is used: 0 none of it, 1 all of it; NaN where its answers are no numbers."""
    if s.judge is None or s.judge_all is None or s.n < 3:
        return math.nan
    bottom = float(((s.judge - s.judge.mean()) ** 2).sum())
    top = float(((s.truth - s.truth.mean()) * (s.judge - s.judge.mean())).sum())
    return min(max(top / bottom / (1 + s.n / s.judge_all[2]), 0.0), 1.0) if bottom > 0 else 0.0


def p_of_zero(found: Powered, bounds: tuple[float, float]) -> float:
    """The two-sided p-value of a mean of 0, by the score test that the limits invert.

    >>> round(p_of_zero(Powered(0.2, 0.1, 0.0, 0.4, 96.0), (-1.0, 1.0)), 3)
    0.05
    """
    low, high = bounds
    nothing, seen = (0 - low) / (high - low), (found.estimate - low) / (high - low)
    return normal_p((seen - nothing) / math.sqrt(nothing * (1 - nothing) / found.size), "two-sided")


def neyman(shares: Floats, spreads: Floats, available: Ints, budget: int, least: int = 2) -> Ints:
    """How many labels each group gets: n_k ∝ W_k·s_k (Neyman 1934), at least `least`, at most what there is.

    >>> neyman(np.array([0.9, 0.1]), np.array([0.1, 0.5]), np.array([900, 100]), 100).tolist()
    [64, 36]
    """
    taken = np.minimum(available, least)
    if int(taken.sum()) > budget:
        raise InputError(f"budget={budget} is less than {least} labels for each of {len(shares)} groups")
    wanted = shares * np.maximum(spreads, 1e-9)
    goal = min(budget, int(available.sum()))

    def at(scale: float) -> Floats:
        return np.clip(scale * wanted, taken, available)

    # The sum of the clipped amounts grows with the scale: halve until it is the budget.
    low, high = 0.0, float((available / wanted).max())
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle).sum() <= goal else (low, middle)
    ideal = at(low)
    whole: Ints = np.minimum(np.floor(ideal + 1e-9).astype(np.int64), available)
    order = np.argsort(-(ideal - whole), kind="stable")
    while int(whole.sum()) < goal:
        for i in order[whole[order] < available[order]][: goal - int(whole.sum())]:
            whole[i] += 1
    return whole


def inclusion_chances(spreads: Floats, budget: int, mix: float = 0.2) -> Floats:
    """The chance of each row to be labelled: ∝ its spread, mixed with `mix` of an even chance, in all `budget`.

    An even part keeps every chance away from 0, so that no label counts for very many rows (Zrnic and Candès 2024).

    >>> inclusion_chances(np.array([0.0, 0.1, 0.1, 0.4]), 2).round(2).tolist()
    [0.12, 0.44, 0.44, 1.0]
    """
    n = len(spreads)
    weight = (1 - mix) * spreads / max(float(spreads.sum()), 1e-300) + mix / n
    chance = np.minimum(budget * weight, 1.0)
    for _ in range(50):
        free = chance < 1
        left = budget - float((~free).sum())
        if not free.any() or left <= 0:
            break
        scaled = np.minimum(left * weight / float(weight[free].sum()), 1.0)
        after = np.where(free, scaled, 1.0)
        if np.allclose(after, chance, atol=1e-12):
            break
        chance = after
    return np.asarray(chance)


def systematic_sample(chances: Floats, rng: np.random.Generator) -> Ints:
    """Rows drawn with given chances, a fixed number of them: systematic sampling in random order (Madow 1949)."""
    order = rng.permutation(len(chances))
    steps = np.cumsum(chances[order])
    start = rng.random()
    hits = np.floor(steps - start).astype(np.int64)
    taken = np.diff(hits, prepend=math.floor(-start)) > 0
    return np.sort(order[taken])


RANDOM_LABELS = (
    "labelled rows are a random sample of all rows, or drawn with known chances (inclusion=, strata=); people are right"
)
declare(
    Method(
        key="post-stratified",
        title="Few labels and a judge: post-stratified by the judge's answer, Wilson's limits at the effective size",
        formula="θ = Σ W_k·ȳ_k over groups of the judge's answers; Wilson at n* = θ̃(1 − θ̃)/V, V = Σ W_k²·s̃_k²/n_k + "
        "var(ỹ_k)/N with a pseudo-row at each end in each group; with two answers the estimate of PPI++",
        source="Angelopoulos, Duchi and Zrnic 2023, PPI++, arXiv:2311.01453; Holt and Smith 1979, JRSS A 142:33; "
        "Wilson 1927, JASA 22:209",
        assumes=RANDOM_LABELS,
        measured="50 labels, judges right in 60–99 %, true share .02–.98: 92–100 %, where PPI++ with z holds 57–97 %",
        advice="a judge saves labels by how well it tells right from wrong, not by how many rows it labels",
    ),
    Method(
        key="ppi++",
        title="Prediction-powered inference, power-tuned",
        formula="λ·f̄_N + mean(y − λ·f), ± t·√(λ²·s²(f)/N + s²(y − λf)/n), λ = cov(y, f)/((1 + n/N)·s²(f))",
        source="Angelopoulos, Duchi and Zrnic 2023, PPI++, arXiv:2311.01453",
        assumes=RANDOM_LABELS,
        advice="with 50 labels and rare errors it is far too short: use the default for values with bounds",
    ),
    Method(
        key="classical",
        title="The labels alone",
        formula="their mean; Wilson's limits of a share, else at the effective size of values with bounds",
        source="Wilson 1927, JASA 22:209",
        assumes=RANDOM_LABELS,
    ),
    Method(
        key="label-plan",
        title="Which rows to label next",
        formula="n_k ∝ W_k·s_k over groups of the judge's answers (Neyman); or each row with a chance ∝ its "
        "spread, and an even part",
        source="Neyman 1934, JRSS 97:558; Zrnic and Candès 2024, Active statistical inference, arXiv:2403.03208",
        assumes="the judge's answers tell where it is unsure; else the plan costs a little and stays valid",
    ),
)  # fmt: skip
