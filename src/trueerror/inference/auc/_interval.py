"""Areas under ROC curves: placements by one sort a model, DeLong's covariance of them, and the textbook intervals.

With m positives and n negatives, V10 of a positive is the share of negatives that it beats and V01 of a negative the
share of positives that beat it (ties half); the area is the mean of either, and the covariance of two areas is
S10/m + S01/n, where S10 and S01 are the sample covariances of the placements. A placement less the area, over the size
of its class, is what its row adds to the area.

Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; the mid-rank form is Sun and Xu 2014,
IEEE Signal Process. Lett. 21:1389.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._sample import scored
from trueerror.inference._variance import ScoreSample
from trueerror.inference.proportion._distributions import on_logit
from trueerror.kernels import RANKING, chosen
from trueerror.kernels._numpy import table_placements
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]

# From so many rows on, models are ranked in threads.
THREADED = 1 << 16
# A cluster that holds all but this part of a class cannot be left out of an area.
LEAST_LEFT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class AreaCovariance:
    """Areas of one or more models on the same rows, and both parts of their covariance.

    `among_positives` is S10/m and `among_negatives` S01/n; a part is NaN where its class has a single row.
    """

    areas: Floats
    among_positives: Floats
    among_negatives: Floats
    positives: int
    negatives: int

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the areas."""
        return self.among_positives + self.among_negatives

    def parts(self, weights: Sequence[float] | Floats) -> tuple[float, float]:
        """What the positives and the negatives add to the variance of Σ w·area."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = (float(w @ part @ w) for part in (self.among_positives, self.among_negatives))
        # A difference of identical models leaves rounding dust, which must not pass for a variance.
        if of_positives + of_negatives <= 1e-14 * float((w * w) @ np.diag(self.covariance)):
            of_positives = of_negatives = 0.0
        return of_positives, of_negatives

    def contrast(self, weights: Sequence[float] | Floats) -> tuple[float, float, float]:
        """Σ w·area, its variance and its Satterthwaite degrees of freedom."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = self.parts(w)
        return (
            float(w @ self.areas),
            of_positives + of_negatives,
            satterthwaite((of_positives, self.positives - 1), (of_negatives, self.negatives - 1)),
        )


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of independent variances: V² / Σ v²/df, from (v, df) pairs; NaN when V is 0.

    >>> satterthwaite((2.0, 10), (2.0, 10))
    20.0
    """
    total = sum(v for v, _ in parts)
    if not total > 0:
        return float("nan")
    return total * total / sum(v * v / df for v, df in parts if v > 0)


@dataclass(frozen=True, slots=True, eq=False)
class CentredPlacements:
    """Areas of several models on the same rows, and how far each row's placement lies from its model's area.

    `positives` (models, m) and `negatives` (models, n) hold the rows of each class in the order of the rows.
    """

    areas: Floats
    positives: Floats
    negatives: Floats

    @property
    def covariance(self) -> AreaCovariance:
        """DeLong's covariance of the areas."""
        return AreaCovariance(
            self.areas, _spread(self.positives), _spread(self.negatives), self.positives.shape[1],
            self.negatives.shape[1],
        )  # fmt: skip


def centred_placements(positive: NDArray[np.bool_], scores: Sequence[NDArray[Any]]) -> CentredPlacements:
    """The placements of several score columns over the same rows, each column sorted once.

    >>> truth = np.array([False, False, True, True])
    >>> centred_placements(truth, [np.array([0.1, 0.4, 0.35, 0.8])]).negatives
    array([[ 0.25, -0.25]])
    """
    positives = np.flatnonzero(positive)
    negatives = np.flatnonzero(~positive)
    m, n = len(positives), len(negatives)
    over_positives = np.empty((len(scores), m))
    over_negatives = np.empty((len(scores), n))
    areas = np.empty(len(scores))
    kernels = chosen(RANKING * len(positive) * len(scores))

    def place(i: int) -> None:
        twice = kernels.placements(scores[i], positive)
        # "clip" writes straight into the row; no index is out of range.
        twice.take(positives, out=over_positives[i], mode="clip")
        twice.take(negatives, out=over_negatives[i], mode="clip")
        # Doubled placements are whole numbers, so this sum is exact up to 2⁵³ and the area has one rounding.
        areas[i] = over_positives[i].sum() / (2.0 * m * n)
        for placed, others in ((over_positives[i], n), (over_negatives[i], m)):
            placed /= 2.0 * others
            placed -= areas[i]

    if len(positive) < THREADED:
        for i in range(len(scores)):
            place(i)
    else:
        in_threads(place, range(len(scores)))
    return CentredPlacements(areas, over_positives, over_negatives)


def delong_covariance(positive: NDArray[np.bool_], scores: Sequence[NDArray[Any]]) -> AreaCovariance:
    """Areas and covariance of several score columns over the same rows.

    >>> truth = np.array([False, False, True, True])
    >>> delong_covariance(truth, [np.array([0.1, 0.4, 0.35, 0.8])]).areas
    array([0.75])
    """
    return centred_placements(positive, scores).covariance


def _spread(apart: Floats) -> Floats:
    """The sample covariance of placements over their number."""
    models, size = apart.shape
    if size < 2:
        return np.full((models, models), np.nan)
    spread: Floats = (apart @ apart.T) / ((size - 1.0) * size)
    return spread


def delong_from_table(table: ScoreTable) -> AreaCovariance:
    """One model from its score table: how many positives and negatives have each distinct score, ascending.

    >>> delong_from_table(ScoreTable.count([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])).areas
    array([0.75])
    """
    m, n = int(table.n_positive), int(table.n_negative)
    twice, among_positives, among_negatives = table.placement_sums()
    return AreaCovariance(
        areas=np.array([twice / (2.0 * m * n)]),
        among_positives=_mean_square(among_positives, m),
        among_negatives=_mean_square(among_negatives, n),
        positives=m,
        negatives=n,
    )


def delong_from_placements(found: Placements) -> AreaCovariance:
    """Several models from the sums of their placements, which were counted where the rows are."""
    parts = [
        sums / ((size - 1.0) * size) if size > 1 else np.full(sums.shape, np.nan)
        for sums, size in ((found.among_positives, found.positives), (found.among_negatives, found.negatives))
    ]
    return AreaCovariance(found.areas, parts[0], parts[1], found.positives, found.negatives)


def _mean_square(total: float, size: int) -> Floats:
    if size < 2:
        return np.full((1, 1), np.nan)
    # Equal placements leave the square of a rounding error, which must not pass for a variance.
    return np.array([[total / ((size - 1.0) * size) if total > 1e-30 * size else 0.0]])


HALVINGS = 100


def area_limits(
    table: ScoreTable, area: float, spec: IntervalSpec, method: str = "delong-logit", variance: float | None = None
) -> IntervalLimits:
    """Limits of the area under the ROC curve of a score table with both classes; `variance` where it is known already.

    >>> t = ScoreTable.count([0] * 20 + [1] * 20, list(range(40)))
    >>> round(area_limits(t, 1.0, IntervalSpec()).low, 4)
    0.8987
    """
    m, n = effective_rows(table)
    z = max(spec.factor(), 0.0)
    modelled = newcombe_area_limits(area, m, n, z)
    if method == "newcombe":
        return IntervalLimits(*modelled, "newcombe-auc", asked=method)
    if variance is None:
        variance = hanley_mcneil_variance(area, m, n) if method == "hanley-mcneil" else delong_variance(table, area)
    if not variance > 0 or not 0 < area < 1:
        why = "one row in a class" if min(m, n) < 2 else "no variance in the order of the scores"
        note = f"{why}: Newcombe's method 5 instead of {method}"
        return IntervalLimits(*modelled, "newcombe-auc", note, asked=method)
    if method != "delong-logit":
        reach = z * math.sqrt(variance)
        return IntervalLimits(max(0.0, area - reach), min(1.0, area + reach), method, asked=method)
    low, high = (float(v) for v in on_logit(area, variance, z))
    return IntervalLimits(low, high, method, asked=method)


def of_area(measure: Measure, value: float) -> float:
    """The area that a multiple of it stands for: (G + 1)/2 of Gini's coefficient."""
    return (value + (measure.area - 1)) / measure.area


def on_scale(measure: Measure, limits: IntervalLimits) -> IntervalLimits:
    """The limits of an area as those of a multiple of it: 2·A − 1 for Gini's coefficient."""
    low, high = (measure.area * limit - (measure.area - 1) for limit in limits[:2])
    return limits._replace(low=low, high=high)


def _limits(q: Problem[ScoreSample], method: str) -> IntervalLimits:
    return on_scale(q.metric, area_limits(q.sample.table, of_area(q.metric, q.sample.estimate), q.spec, method))


def of_areas(q: Problem[ScoreSample]) -> bool:
    """Whether the question is of an area over independent rows."""
    return bool(q.metric.area) and scored(q)


@inference_method("delong-logit", on=ONE, applies=of_areas)
def delong_logit(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance on the logit scale."""
    return _limits(q, "delong-logit")


@inference_method("delong", on=ONE, applies=of_areas)
def delong_straight(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance as it is."""
    return _limits(q, "delong")


@inference_method("hanley-mcneil", on=ONE, applies=of_areas)
def hanley_mcneil(q: Problem[ScoreSample]) -> IntervalLimits:
    """Hanley and McNeil's variance, from the area and the class sizes alone."""
    return _limits(q, "hanley-mcneil")


@inference_method("newcombe-auc", word="newcombe", on=ONE, applies=of_areas)
def newcombe_auc(q: Problem[ScoreSample]) -> IntervalLimits:
    """Newcombe's method 5."""
    return _limits(q, "newcombe")


def effective_rows(table: ScoreTable) -> tuple[float, float]:
    """Positives and negatives; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
    sums = np.array([float(table.n_positive), float(table.n_negative)])
    if table.squares is None:
        return float(sums[0]), float(sums[1])
    squares = table.squares.sum(axis=-1)
    positives, negatives = np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)
    return float(positives), float(negatives)


def delong_variance(table: ScoreTable, area: float) -> float:
    """S10/m + S01/n from placements; with weights Σw²(V − A)²/(Σw)² for each class. NaN where a class has one row."""
    if table.squares is None:
        return float(delong_from_table(table).covariance[0, 0])
    m, n = float(table.n_positive), float(table.n_negative)
    beats, beaten = table_placements(table.positives, table.negatives)
    total = 0.0
    rows = effective_rows(table)
    for values, squares, mass, size in (
        (beats / (2 * n), table.squares[0], m, rows[0]),
        (beaten / (2 * m), table.squares[1], n, rows[1]),
    ):
        if size <= 1:
            return math.nan
        total += float((squares * (values - area) ** 2).sum()) / mass**2 * size / (size - 1)
    return total


def hanley_mcneil_variance(area: float, m: float, n: float) -> float:
    """(A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn, Q1 = A/(2−A), Q2 = 2A²/(1+A) (Hanley and McNeil 1982).

    >>> round(hanley_mcneil_variance(0.9, 20, 30) ** 0.5, 5)
    0.0497
    """
    square = area * area
    q1, q2 = area / (2 - area), 2 * square / (1 + area)
    return (area * (1 - area) + (m - 1) * (q1 - square) + (n - 1) * (q2 - square)) / (m * n)


def newcombe_area_limits(area: float, m: float, n: float, z: float) -> tuple[float, float]:
    """Method 5 of Newcombe 2006: θ with (A − θ)² = z²·V(θ), V Hanley and McNeil's with both class sizes at (m + n)/2.

    The upper limit is the mirror image of the lower one for 1 − A.

    >>> [round(newcombe_area_limits(1.0, a, b, 1.959964)[0], 4) for a, b in ((20, 20), (50, 50), (10, 500))]
    [0.8987, 0.9603, 0.9001]
    """

    def spread(theta: float) -> float:
        nu = (m + n) / 2 - 1
        return theta * (1 - theta) / (m * n) * (1 + nu * (1 - theta) / (2 - theta) + nu * theta / (1 + theta))

    return score_low(area, z, spread), 1 - score_low(1 - area, z, spread)


def score_low(area: float, z: float, variance: Callable[[float], float]) -> float:
    """The θ below the area with (A − θ)² = z²·V(θ), by halving."""
    low, high = 0.0, min(area, 1 - 1e-15)
    for _ in range(HALVINGS if area > 0 else 0):
        theta = (low + high) / 2
        if (area - theta) ** 2 > z * z * variance(theta):
            low = theta
        else:
            high = theta
    return (low + high) / 2


def weighted_placements(scores: NDArray[Any], positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """For each row the weighted share of the other class that it is ordered rightly with, ties counting half.

    >>> up = np.array([False, True, True])
    >>> weighted_placements(np.array([0.4, 0.3, 0.9]), up, np.array([1.0, 1.0, 3.0])).tolist()
    [0.75, 0.0, 1.0]
    """
    _, place = np.unique(scores, return_inverse=True)
    shares = []
    for side in (positive, ~positive):
        at = np.bincount(place[side], weights=weights[side], minlength=int(place.max()) + 1)
        shares.append((np.cumsum(at) - at / 2) / at.sum())
    ups, downs = shares
    placed: Floats = np.where(positive, downs[place], 1 - ups[place])
    return placed


def row_areas(positive: NDArray[np.bool_], column: NDArray[Any], weights: Floats | None = None) -> tuple[float, Floats]:
    """The area under the ROC curve, and what each row moves it by: its placement less the area, over its class."""
    if weights is None:
        m, n = int(positive.sum()), int((~positive).sum())
        sizes, others = np.where(positive, m, n), np.where(positive, n, m)
        twice = chosen(len(positive)).placements(np.ascontiguousarray(column), positive)
        area = float(twice[positive].sum() / (2.0 * m * n))
        return area, (twice / (2.0 * others) - area) / sizes
    placed = weighted_placements(column, positive, weights)
    area = float((weights * placed)[positive].sum() / weights[positive].sum())
    of_class = np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return area, weights * (placed - area) / of_class


def area_within_clusters(
    positive: NDArray[np.bool_], column: NDArray[Any], codes: NDArray[np.integer[Any]], weights: Floats | None = None
) -> Floats:
    """What the pairs of rows of the same cluster, `codes` from 0 up, add to the area.

    >>> up, scores = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> area_within_clusters(up, scores, np.array([0, 1, 1, 0])).tolist()
    [0.25, 0.0]
    """
    w, groups = np.ones(len(positive)) if weights is None else weights, int(codes.max()) + 1
    _, place = np.unique(column, return_inverse=True)
    placed = weighted_placements(codes.astype(np.int64) * (int(place.max()) + 1) + place, positive, w)
    of_cluster = np.bincount(codes[~positive], weights=w[~positive], minlength=groups)
    before = (np.cumsum(of_cluster) - of_cluster) / of_cluster.sum()
    mine = codes[positive]
    sums = np.bincount(mine, weights=w[positive] * (placed[positive] - before[mine]), minlength=groups)
    return np.asarray(sums / w[positive].sum())


class ClusteredArea(NamedTuple):
    """An area, and what each cluster adds to it: (G − 1)/G times what the area loses without the cluster."""

    area: float
    units: Floats


def area_without_clusters(
    positive: NDArray[np.bool_], column: NDArray[Any], codes: NDArray[np.integer[Any]], weights: Floats | None = None
) -> ClusteredArea:
    """Each cluster left out in turn, exactly, from sums over the rows; `codes` number the clusters from 0 up.

    Without cluster g the area is (A(1 − p − q) − s + w)/((1 − p)(1 − q)), with p and q its shares of the positives and
    of the negatives, s the sum of its rows' influences and w what pairs within it add to A. A cluster that holds all
    rows of a class adds s. Source: the placements are those of Obuchowski 1997, Biometrics 53:567.

    >>> truth, clusters = np.array([False, False, True, True]), np.array([0, 1, 1, 0])
    >>> made = area_without_clusters(truth, np.array([0.1, 0.4, 0.35, 0.8]), clusters)
    >>> made.area, made.units.tolist()
    (0.75, [0.375, -0.125])
    """
    area, moves = row_areas(positive, column, weights)
    w, groups = np.ones(len(positive)) if weights is None else weights, int(codes.max()) + 1
    ups, downs = (np.bincount(codes[c], weights=w[c], minlength=groups) / w[c].sum() for c in (positive, ~positive))
    sums = np.bincount(codes, weights=moves, minlength=groups)
    left = (1 - ups) * (1 - downs)
    known = left > LEAST_LEFT
    within = area_within_clusters(positive, column, codes, weights)
    without = (area * (1 - ups - downs) - sums + within) / np.where(known, left, 1.0)
    return ClusteredArea(area, np.where(known, (groups - 1) / groups * (area - without), sums))
