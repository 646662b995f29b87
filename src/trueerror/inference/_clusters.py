"""Clusters of unequal size: what they are worth, the variance of a sum over them, and the sign-flip test.

Rows of one cluster (a patient, a document, a user) may repeat each other. A cluster's influence s_g on a metric is the
sum over its rows, and w_g its share of what the metric is made of (of the rows, or of the variance that independent
rows would have). Two corrections make a few large clusters count as few:

- the variance is Σ (s_g/(1 − w_g))² (CR3, the jackknife of a mean): a cluster pulls the estimate towards itself, which
  hides its own deviation in the share w_g;
- Student's t has G_eff − 1 degrees of freedom, G_eff = 1/Σ w_g² = (Σn)²/Σn²: as many clusters of equal size.

The difference of two models on the same clusters is tested by turning the sign of each cluster's contribution
z_g = s_g + w_g·d, whose sum is the difference d. Where the two are equally good, either sign was as likely, so the
share of sign patterns with a sum at least as far from 0 is a p-value that needs no variance and no large number of
clusters. The same patterns at other differences δ, z_g(δ) = s_g + w_g·(d − δ), are inverted to limits: a pattern ε with
A = Σ ε·s and B = Σ ε·w reaches as far as d − δ as long as that is at most max(A/(1 − B), −A/(1 + B)), so limits
are quantiles of these, and they agree with the p-value.

Sources: Bell and McCaffrey 2002, Surv. Methodol. 28:169 (CR3); Kish 1965, Survey Sampling (G_eff); Canay, Romano and
Shaikh 2017, Econometrica 85:1013, and Kline and Santos 2012, J. Econom. Methods 1:23 (sign changes of cluster scores).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import (
    Limits,
    contrast,
    limits_without_spread,
    one_cluster_contrast,
    t_contrast,
    tail_area,
)
from trueerror.inference._problem import IntervalSpec
from trueerror.inputs._options import Rng, generator
from trueerror.results import Contrast

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
# Two numbers as the parts of a complex one, so that they are looked up and added together.
Pairs = NDArray[np.complex128]

# Up to so many clusters every sign pattern is tried; of more a random choice of them is drawn.
EVERY_PATTERN = 14
# Beyond so many clusters the smaller ones are joined: sums of independent clusters are as good for turning signs.
MOST_UNITS = 2_000
# Numbers held at a time.
BLOCK = 1 << 21
# What the patterns of a seed may take to be kept for the next pair.
KEPT_BYTES = 1 << 23
# With fewer differing clusters than this, those that do not differ say how far the difference may be.
FEW_DIFFER = 10
# Contributions this close to 0, beside the largest, are rounding.
ROUNDING = 1e-11
# Below this t is so wide that its limits say nothing more.
LEAST_DF = 0.25


def without_gaps(codes: NDArray[np.integer]) -> NDArray[np.intp]:
    """Codes from 0 up, in the same order, without those that no row has.

    >>> without_gaps(np.array([4, 0, 4, 2])).tolist()
    [2, 0, 2, 1]
    """
    used = np.bincount(codes) > 0
    return codes.astype(np.intp, copy=False) if used.all() else (np.cumsum(used) - 1)[codes]


def effective_clusters(sizes: NDArray[np.floating] | NDArray[np.integer]) -> float:
    """(Σn)²/Σn²: as many clusters of equal size; 0 without any.

    >>> effective_clusters(np.array([10, 10, 10])), round(effective_clusters(np.array([100, 5, 5])), 3)
    (3.0, 1.204)
    """
    n = np.asarray(sizes, dtype=np.float64)
    squares = float((n * n).sum())
    return float(n.sum()) ** 2 / squares if squares > 0 else 0.0


def clusters_in_words(sizes: NDArray[np.floating] | NDArray[np.integer], units: str = "clusters") -> str:
    """How many clusters there are, and what they are worth where their sizes differ.

    >>> clusters_in_words(np.array([10, 10, 10])), clusters_in_words(np.array([100, 5, 5]))
    ('3 clusters', '3 clusters, worth about 1.2 of equal size')
    """
    groups, effective = len(sizes), effective_clusters(sizes)
    worth = "" if effective > 0.995 * groups else f", worth about {effective:,.1f} of equal size"
    return f"{groups:,} {units}{worth}"


def degrees_of_freedom(effective: float) -> float:
    """G_eff − 1, and never so near to 0 that t overflows."""
    return max(effective - 1.0, LEAST_DF)


def clusters_with_events(effective: float, *counts: Floats) -> float:
    """As many clusters as hold the events, at most `effective`: (Σe)²/Σe(e − 1) of the rarer kind, at least 3.

    Errors that come in a few clusters make a share skewed, however many clusters there are. Pairs of events in the same
    cluster tell how few those are; errors that are alone in their clusters have none, and change nothing.

    >>> round(clusters_with_events(40.0, np.array([10.0] * 4 + [0.0] * 36)), 2)
    4.44
    >>> clusters_with_events(40.0, np.array([1.0] * 8 + [0.0] * 32))
    40.0
    """
    least = effective
    for events in counts:
        pairs = float((events * np.maximum(events - 1, 0.0)).sum())
        if pairs > 0:
            least = min(least, float(events.sum()) ** 2 / pairs)
    return max(least, min(3.0, effective))


def class_weighted_sizes(
    codes: NDArray[np.integer], truth: NDArray[np.integer], influences: Floats, weights: Floats | None = None
) -> Floats:
    """What each cluster weighs in a metric of several classes: its share of the variance that independent rows have.

    That is its rows (by their sampling weights), each by the mean squared influence of its class.

    >>> clusters, truth = np.array([0, 0, 1, 1]), np.array([1, 0, 0, 0])
    >>> class_weighted_sizes(clusters, truth, np.array([0.3, 0.1, 0.1, -0.2])).round(3).tolist()
    [0.11, 0.04]
    """
    w = np.ones(len(truth)) if weights is None else weights
    rows = np.bincount(truth, weights=w)
    mean = np.bincount(truth, weights=influences**2) / np.where(rows > 0, rows, 1.0)
    sizes = np.bincount(codes, weights=w * mean[truth]).astype(np.float64)
    return sizes if sizes.sum() > 0 else np.bincount(codes, weights=w).astype(np.float64)


def jackknifed(sums: Floats, sizes: Floats) -> Floats:
    """s_g/(1 − w_g), w_g = n_g/Σn."""
    total = float(sizes.sum())
    return sums / (1 - np.minimum(sizes / total, 1 - 1e-9)) if total > 0 else sums


def cr3_variance(sums: Floats, sizes: Floats) -> float:
    """Σ (s_g/(1 − w_g))²; NaN with a single cluster.

    >>> cr3_variance(np.array([0.1, -0.1]), np.array([5.0, 5.0]))
    0.08000000000000002
    """
    if np.count_nonzero(sizes > 0) < 2:
        return math.nan
    adjusted = jackknifed(sums, sizes)
    return float((adjusted * adjusted).sum())


class ClusterDifference(NamedTuple):
    """A difference, how far each cluster moves it (summing to 0), and what each weighs.

    `units` is what a cluster is called where it is said how many there are.
    """

    estimate: float
    sums: Floats
    sizes: Floats
    whole: Limits
    n: int
    units: str = "clusters"

    @property
    def shares(self) -> Floats:
        """w_g."""
        return self.sizes / float(self.sizes.sum())

    @property
    def effective(self) -> float:
        """G_eff."""
        return effective_clusters(self.sizes)

    @property
    def differing(self) -> int:
        """How many clusters contribute to the difference."""
        parts = np.abs(self.sums + self.shares * self.estimate)
        return int((parts > ROUNDING * float(parts.max(initial=0.0))).sum())

    @property
    def error(self) -> float:
        """The CR3 standard error."""
        return math.sqrt(cr3_variance(self.sums, self.sizes))

    @property
    def flat(self) -> bool:
        """Whether clusters show no spread beyond rounding."""
        return not self.error > 1e-13 * max(1.0, abs(self.estimate))

    @property
    def note(self) -> str:
        """How many clusters, and what they are worth."""
        return clusters_in_words(self.sizes, self.units)


def cluster_t_contrast(c: ClusterDifference, spec: IntervalSpec, *, higher_is_better: bool | None = True) -> Contrast:
    """d ± t(G_eff − 1)·√(Σ (s_g/(1 − w_g))²).

    Source: Bell and McCaffrey 2002, Surv. Methodol. 28:169; Cameron and Miller 2015, J. Hum. Resour. 50:317.
    """
    if len(c.sums) < 2:
        return one_cluster_contrast(c.estimate, c.whole, c.n, spec)
    if c.flat:
        return _no_spread(c, spec, "cluster-t-difference")
    return t_contrast(
        c.estimate, c.error, degrees_of_freedom(c.effective), spec, method="cluster-t-difference", n=c.n, whole=c.whole,
        note=c.note, higher_is_better=higher_is_better,
    )  # fmt: skip


def _no_spread(c: ClusterDifference, spec: IntervalSpec, method: str) -> Contrast:
    note = f"no spread between the {c.note}: limits as for as many rows that agree"
    return contrast(
        estimate=c.estimate, limits=limits_without_spread(c.estimate, max(c.effective, 1.0 + LEAST_DF), spec, c.whole),
        whole=c.whole, confidence=spec.confidence, alternative=spec.alternative, method=method, n=c.n, statistic=0.0,
        df=degrees_of_freedom(c.effective), p_value=1.0 if c.estimate == 0 else math.nan, p_better=0.5, notes=(note,),
    )  # fmt: skip


def sign_flip_contrast(c: ClusterDifference, spec: IntervalSpec, *, higher_is_better: bool | None = True) -> Contrast:
    """The cluster sign-flip test with the limits that it inverts to; t where there are too few clusters for it.

    With so few clusters that no pattern of signs is rare enough, `cluster_t_contrast` answers. Where few
    clusters differ and others do not, the limit beyond the estimate is at least as far as for clusters that agree.

    >>> sums = np.array([0.02, -0.01, 0.01, 0.03, -0.02, 0.01, 0.0, -0.04]) / 8
    >>> found = sign_flip_contrast(ClusterDifference(0.05, sums, np.full(8, 10.0), (-1.0, 1.0), 80), IntervalSpec())
    >>> round(found.p_value, 4), round(found.low, 3), round(found.high, 3)
    (0.0078, 0.03, 0.07)
    """
    if len(c.sums) < 2 or c.flat or 0.5 ** (len(c.sums) - 1) > 2 * tail_area(spec.confidence, spec.alternative):
        return cluster_t_contrast(c, spec, higher_is_better=higher_is_better)
    patterns = SignPatterns.of(c, spec)
    level, d = 1 - spec.confidence, c.estimate
    if spec.alternative == "two-sided":
        p = patterns.two_sided(d)
        below, above = patterns.reach_two_sided(level)
    else:
        p = patterns.one_sided(d if spec.alternative == "greater" else -d, spec.alternative)
        below, above = patterns.reach("greater", level), patterns.reach("less", level)
    if c.differing < min(FEW_DIFFER, len(c.sums)):
        least = abs(limits_without_spread(0.0, max(c.effective, 1.0 + LEAST_DF), spec, c.whole)[1])
        below, above = max(below, least if d <= 0 else 0.0), max(above, least if d >= 0 else 0.0)
    ahead = 1 - patterns.one_sided(d, "greater", ties=0.5)
    drawn = "every pattern of signs" if patterns.every else f"{patterns.tried:,} patterns of signs"
    low, high = (0.0 if abs(x) < 1e-13 else x for x in (d - below, d + above))
    return contrast(
        estimate=d, limits=(low, high), whole=c.whole, confidence=spec.confidence,
        alternative=spec.alternative, method="cluster-sign-flip", n=c.n, statistic=d / c.error,
        df=degrees_of_freedom(c.effective), p_value=p, p_at_most=not patterns.every and p <= 1.5 / patterns.tried,
        p_better=ahead if higher_is_better is not False else 1 - ahead, notes=(f"{c.note}; {drawn}",),
    )  # fmt: skip


class SignPatterns(NamedTuple):
    """A = Σ ε·s and B = Σ ε·w of sign patterns ε, one of each pair ±ε; the first is that of the sample, all +1."""

    a: Floats
    b: Floats
    every: bool

    @classmethod
    def of(cls, c: ClusterDifference, spec: IntervalSpec) -> SignPatterns:
        """All patterns of few clusters, `spec.replicates` random ones of many."""
        both = _joined(np.stack([c.sums, c.shares], axis=1))
        units = len(both)
        if units <= EVERY_PATTERN:
            totals = _every_pattern(units) @ both
        else:
            tables = _signed_sums(both)
            blocks = _patterns(units, max(spec.replicates - 1, 1), spec.rng)
            totals = np.concatenate([both.sum(axis=0)[None], *(_totals(tables, packed) for packed in blocks)])
        # Sums of rounded numbers: what is 0 but for dust is 0.
        totals[np.abs(totals) < 1e-14 * float(np.abs(both).sum())] = 0.0
        return cls(totals[:, 0], totals[:, 1], units <= EVERY_PATTERN)

    @property
    def tried(self) -> int:
        """How many patterns there are, ±ε counted once."""
        return len(self.a)

    def _ends(self) -> tuple[Floats, Floats]:
        """A/(1 − B) and −A/(1 + B): as far as a difference above 0 may be for ε and −ε to reach it."""
        with np.errstate(divide="ignore", invalid="ignore"):
            plus = np.where(self.b >= 1 - 1e-12, np.inf, self.a / (1 - self.b))
            minus = np.where(self.b <= -1 + 1e-12, np.inf, -self.a / (1 + self.b))
        return plus, minus

    def two_sided(self, d: float) -> float:
        """The share of patterns whose sum at the difference 0 is as far from 0 as d."""
        return float((np.abs(self.a + d * self.b) >= abs(d) * (1 - 1e-9)).mean())

    def one_sided(self, d: float, side: str, ties: float = 1.0) -> float:
        """The share of patterns, ε and −ε, whose sum is at least d (or at most −d, for "less")."""
        sign = 1.0 if side == "greater" else -1.0
        sums = sign * self.a + d * self.b
        slack = 1e-9 * abs(d)
        above = float((sums > d + slack).mean() + (-sums > d + slack).mean()) / 2
        equal = float((np.abs(sums - d) <= slack).mean() + (np.abs(-sums - d) <= slack).mean()) / 2
        return above + ties * equal

    def reach_two_sided(self, level: float) -> tuple[float, float]:
        """How far below and above the estimate differences are not rejected."""
        plus, minus = self._ends()
        mirrored = SignPatterns(-self.a, self.b, self.every)._ends()
        return _quantile(np.maximum(plus, minus), level), _quantile(np.maximum(*mirrored), level)

    def reach(self, side: str, level: float) -> float:
        """The same for one side alone."""
        ends = self._ends() if side == "greater" else SignPatterns(-self.a, self.b, self.every)._ends()
        return _quantile(np.concatenate(ends), level)


def _quantile(reach: Floats, level: float) -> float:
    """The largest value that more than a share `level` of patterns reach."""
    place = min(math.floor(level * len(reach) + 1e-9), len(reach) - 1)
    quantile = float(np.partition(reach, len(reach) - 1 - place)[len(reach) - 1 - place])
    return max(quantile, 0.0)


def _every_pattern(units: int) -> Floats:
    """All ± patterns with + for the first unit, the sample's own first."""
    codes = np.arange(1 << (units - 1))
    rest = (codes[:, None] >> np.arange(units - 1)) & 1
    return np.concatenate([np.ones((len(codes), 1)), 1.0 - 2.0 * rest], axis=1)


def _patterns(units: int, draws: int, rng: Rng) -> Iterable[Bytes]:
    """Random patterns; those of a seed, the same for all pairs of models, are drawn once where they take little."""
    if isinstance(rng, int | None) and units * draws <= 8 * KEPT_BYTES:
        return _patterns_of_seed(units, draws, rng)
    return _drawn_patterns(units, draws, rng)


@lru_cache(maxsize=2, typed=True)
def _patterns_of_seed(units: int, draws: int, seed: int | None) -> tuple[Bytes, ...]:
    return (np.concatenate(list(_drawn_patterns(units, draws, seed)), axis=1),)


def _drawn_patterns(units: int, draws: int, rng: Rng) -> Iterator[Bytes]:
    """Eight signs a byte, + where the bit is set; a row for each eight units, a column for each pattern."""
    random, _ = generator(rng)
    step = max(1, BLOCK // units)
    for start in range(0, draws, step):
        signs = random.integers(0, 2, size=(min(step, draws - start), units), dtype=np.int8)
        yield np.ascontiguousarray(np.packbits(signs.view(np.bool_), axis=1).T)


def _signed_sums(parts: Floats) -> Pairs:
    """For each eight units the sums of their parts under all 256 patterns of signs, both at once: (eights, 256)."""
    eights = np.zeros(-(-len(parts) // 8) * 8, dtype=np.complex128)
    eights[: len(parts)] = parts[:, 0] + 1j * parts[:, 1]
    sums: Pairs = np.zeros((len(eights) // 8, 1), dtype=np.complex128)
    for part in eights.reshape(-1, 8).T[:, :, None]:
        # The first unit is the highest bit.
        sums = np.stack([sums - part, sums + part], axis=-1).reshape(len(sums), -1)
    return sums


def _totals(tables: Pairs, packed: Bytes) -> Floats:
    """The sums of patterns, one row each, eight units at a time in their order: the same to the last bit anywhere."""
    totals: Pairs = np.zeros(packed.shape[1], dtype=np.complex128)
    for table, signs in zip(tables, packed, strict=True):
        totals += table.take(signs)
    return totals.view(np.float64).reshape(-1, 2)


def _joined(parts: Floats) -> Floats:
    """At most `MOST_UNITS` units: the largest half as they are, the others joined in turn."""
    if len(parts) <= MOST_UNITS:
        return parts
    ordered = parts[np.argsort(-parts[:, 1], kind="stable")]
    half = MOST_UNITS // 2
    place = np.concatenate([np.arange(half), half + np.arange(len(parts) - half) % half])
    return np.stack([np.bincount(place, weights=ordered[:, i], minlength=MOST_UNITS) for i in (0, 1)], axis=1)
