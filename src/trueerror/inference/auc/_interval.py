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
from dataclasses import dataclass, replace
from functools import reduce
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._estimate import ROUNDING, Estimate, Sums, estimate_of_sums
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._sample import scored
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.proportion._distributions import crossing, on_logit
from trueerror.inputs._arrays import Floats
from trueerror.kernels import RANKING, chosen
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, find_measure
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import ScoreTable

# From so many rows on, models are ranked in threads.
THREADED = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class CentredPlacements:
    """Areas of several models on the same rows, and how far each row's placement lies from its model's area.

    `positives` (models, m) and `negatives` (models, n) hold the rows of each class in the order of the rows.
    """

    areas: Floats
    positives: Floats
    negatives: Floats

    @property
    def sizes(self) -> tuple[int, int]:
        """How many positives and negatives there are."""
        return self.positives.shape[1], self.negatives.shape[1]

    @property
    def slack(self) -> Floats:
        """Nothing is left open."""
        return np.zeros(len(self.areas))

    error = slack

    @property
    def sums(self) -> Placements:
        """Their sums of squares and products."""
        up, down = self.positives, self.negatives
        return Placements(
            areas=self.areas, among_positives=up @ up.T, among_negatives=down @ down.T, positives=up.shape[1],
            negatives=down.shape[1], slack=self.slack, error=self.error,
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


def sums_of_areas(found: CentredPlacements | Placements, models: Sequence[int], scale: float = 1.0) -> list[Sums]:
    """What the positives, and the negatives, add to an area, or to the first less the second."""
    signed = dict(zip(models, (scale, -scale), strict=False))
    if isinstance(found, CentredPlacements):
        sides = (found.positives, found.negatives)
        # Subtracted first: models that place the rows alike differ by nothing.
        return [Sums.of(np.add.reduce([w * side[i] for i, w in signed.items()]) / side.shape[1]) for side in sides]
    w = np.array([signed.get(i, 0.0) for i in range(len(found.areas))])
    among = (found.among_positives, found.among_negatives)
    return [Sums(n, float(w @ x @ w) / n**2) for n, x in zip(found.sizes, among, strict=True)]


def estimate_of_areas(found: CentredPlacements | Placements, models: Sequence[int], scale: float) -> Estimate:
    """An area, or the first less the second over the same rows, the classes drawn apart: its variance is DeLong's.

    Where the rows are beyond the memory budget only sums of squared placements are known, and the degrees of freedom
    are Welch's, from the sizes of the classes.

    >>> truth, scores = np.array([False, False, True, True]), [np.array([1, 4, 3, 8]), np.array([1, 2, 3, 4])]
    >>> found = centred_placements(truth, scores)
    >>> [float(estimate_of_areas(found, models, 1.0).value) for models in ([0], [0, 1])]
    [0.75, -0.25]
    """
    values, lowest = [scale * float(found.areas[i]) - (scale - 1) for i in models], 1 - scale
    ends = (lowest, 1.0) if len(models) == 1 else (lowest - 1, 1 - lowest)
    return estimate_of_sums(reduce(sub, values), sums_of_areas(found, models, scale), ends)


def area_on_scale(e: Estimate, scale: float) -> Estimate:
    """A multiple of an area: 2·A − 1 for Gini's coefficient."""
    return replace(e, value=scale * e.value - (scale - 1), units=scale * e.units, range=(1 - scale, 1.0))


def area_sums(table: ScoreTable, scale: float = 1.0) -> list[Sums]:
    """What the positives, and the negatives, of a table add to its area; equal placements leave rounding dust."""
    _, *among = table.placement_sums()
    sizes = float(table.n_positive), float(table.n_negative)
    return [Sums(n, sum_ * (scale / n) ** 2 if sum_ > 1e-30 * n else 0.0) for n, sum_ in zip(sizes, among, strict=True)]


def area_limits(table: ScoreTable, area: float, spec: IntervalSpec, method: str = "delong-logit") -> IntervalLimits:
    """Limits of the area under the ROC curve of a score table with both classes.

    >>> t = ScoreTable.count([0] * 20 + [1] * 20, list(range(40)))
    >>> round(area_limits(t, 1.0, IntervalSpec()).low, 4)
    0.8987
    """
    sizes, z = effective_rows(table), max(spec.factor(), 0.0)
    if method == "newcombe":
        return IntervalLimits(*newcombe_area_limits(area, *sizes, z), "newcombe-auc")
    variance = hanley_mcneil_variance(area, *sizes) if method == "hanley-mcneil" else delong_variance(table)
    if not variance > 0 or not 0 < area < 1:
        return newcombe_instead(area, sizes, spec, f" of {method}")
    reach = z * math.sqrt(variance)
    low, high = max(0.0, area - reach), min(1.0, area + reach)
    if method == "delong-logit":
        low, high = (float(x) for x in on_logit(area, variance, z))
    return IntervalLimits(low, high, method)


def newcombe_instead(area: float, sizes: Sequence[float], spec: IntervalSpec, of: str = "") -> IntervalLimits:
    """Newcombe's method 5, for areas whose placements show no variance."""
    why = "one row in a class" if min(sizes) < 2 else "no variance in the order of the scores"
    limits = newcombe_area_limits(area, sizes[0], sizes[1], max(spec.factor(), 0.0))
    return IntervalLimits(*limits, "newcombe-auc", f"{why}: Newcombe's method 5 instead{of}")


def rows_of_classes(sizes: Sequence[float] | Floats) -> float:
    """K²/Σ(1/n): as many rows as K classes have that say as much of each other, all of one size.

    Of two, Hanley and McNeil's variance of an area near 1, both classes counted alike as in Newcombe's method 5, is
    (1 − θ)·(1/m + 1/n)/4: that of a share of so many rows.

    >>> rows_of_classes([20, 20]), round(rows_of_classes([10, 1000]), 1)
    (40.0, 39.6)
    """
    return len(sizes) ** 2 / sum(1 / n for n in sizes)


def of_area(measure: Measure, value: float) -> float:
    """The area that a multiple of it stands for: (G + 1)/2 of Gini's coefficient."""
    return (value + (measure.area - 1)) / measure.area


def on_scale(measure: Measure, limits: IntervalLimits) -> IntervalLimits:
    """The limits of an area as those of a multiple of it: 2·A − 1 for Gini's coefficient."""
    low, high = (measure.area * limit - (measure.area - 1) for limit in limits[:2])
    return limits._replace(low=low, high=high)


def of_areas(q: Problem[ScoreSample]) -> bool:
    """Whether the question is of an area over independent rows."""
    return bool(q.metric.area) and scored(q)


def _by(method: str) -> Callable[[Problem[ScoreSample]], IntervalLimits]:
    def answer(q: Problem[ScoreSample]) -> IntervalLimits:
        return on_scale(q.metric, area_limits(q.sample.table, of_area(q.metric, q.sample.estimate), q.spec, method))

    return answer


for _key, _word in {"delong-logit": "", "delong": "", "hanley-mcneil": "", "newcombe-auc": "newcombe"}.items():
    inference_method(_key, word=_word, on=ONE, applies=of_areas)(_by(_word or _key))


def effective_rows(table: ScoreTable) -> tuple[float, float]:
    """Positives and negatives; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
    up, down = (float(x.sum()) for x in squared_weights(table))
    m, n = float(table.n_positive), float(table.n_negative)
    return m * m / (up or 1.0), n * n / (down or 1.0)


def squared_weights(table: ScoreTable) -> NDArray[Any] | tuple[NDArray[Any], NDArray[Any]]:
    """Σw² of the positives, and of the negatives, at each score; without weights how many there are."""
    return (table.positives, table.negatives) if table.squares is None else table.squares


def delong_variance(table: ScoreTable) -> float:
    """S10/m + S01/n from placements; with weights Σw²(V − A)²/(Σw)² for each class. NaN where a class has one row."""
    slopes = score_influences(find_measure("auc"), table)
    sizes = effective_rows(table)
    if slopes is None or min(sizes) <= 1:
        return math.nan
    each = zip(sizes, squared_weights(table), slopes, strict=True)
    parts = (n / (n - 1) * float((x * u * u).sum()) for n, x, u in each)
    # Equal placements leave the square of a rounding error, which must not pass for a variance.
    variance = sum(parts)
    return variance if variance > ROUNDING**2 else 0.0


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

    def low(area: float) -> float:
        def gap(theta: float) -> float:
            nu = (m + n) / 2 - 1
            spread = theta * (1 - theta) / (m * n) * (1 + nu * (1 - theta) / (2 - theta) + nu * theta / (1 + theta))
            return area - theta - z * math.sqrt(max(spread, 0.0))

        return crossing(gap, 0.0, min(area, 1 - 1e-15))

    return low(area), 1 - low(1 - area)


def ordered_rightly(scores: NDArray[Any], positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """For each row what those of the other class weigh that it is ordered rightly with, ties counting half.

    >>> up = np.array([False, True, True])
    >>> ordered_rightly(np.array([0.4, 0.3, 0.9]), up, np.array([1.0, 1.0, 3.0])).tolist()
    [3.0, 0.0, 1.0]
    """
    _, place = np.unique(scores, return_inverse=True)
    ups, downs = (np.bincount(place, weights=np.where(side, weights, 0.0)) for side in (positive, ~positive))
    above, below = ups.sum() - np.cumsum(ups) + ups / 2, np.cumsum(downs) - downs / 2
    rightly: Floats = np.where(positive, below[place], above[place])
    return rightly


def area_without_clusters(
    positive: NDArray[np.bool_], column: NDArray[Any], codes: NDArray[np.integer[Any]], weights: Floats | None = None
) -> Estimate:
    """An area, each cluster left out in turn, exactly, from sums over the rows; `codes` number the clusters from 0 up.

    Without cluster g the pairs that are ordered rightly are U − s + w, s the sum of those that its rows are in, which
    has the pairs w within it twice; all pairs are (P − p)(N − q). A cluster that holds all rows of a class adds its
    rows' placements less the area. Source: the placements are those of Obuchowski 1997, Biometrics 53:567.

    >>> truth, clusters = np.array([False, False, True, True]), np.array([0, 1, 1, 0])
    >>> made = area_without_clusters(truth, np.array([0.1, 0.4, 0.35, 0.8]), clusters)
    >>> float(made.value), made.units.tolist()
    (0.75, [0.375, -0.125])
    """
    w, groups = np.ones(len(positive)) if weights is None else weights, int(codes.max()) + 1

    def of_clusters(values: Floats) -> Floats:
        return np.bincount(codes, weights=values, minlength=groups).astype(np.float64)

    _, place = np.unique(column, return_inverse=True)
    mine, rightly = np.where(positive, w, 0.0), ordered_rightly(place, positive, w)
    ups, downs = of_clusters(mine), of_clusters(w - mine)
    p, n, whole = float(ups.sum()), float(downs.sum()), float((mine * rightly).sum())
    # In the order of the clusters a row stands above all rows of the clusters before its own.
    inside = ordered_rightly(codes.astype(np.int64) * (int(place.max()) + 1) + place, positive, w)
    within = of_clusters(mine * (inside - (np.cumsum(downs) - downs)[codes]))
    in_pairs, left, area = of_clusters(w * rightly), (p - ups) * (n - downs), whole / (p * n)
    known = left > ROUNDING * p * n
    without = (whole - in_pairs + within) / np.where(known, left, 1.0)
    moves = in_pairs / (p * n) - area * (ups / p + downs / n)
    units = np.where(known, (groups - 1) / groups * (area - without), moves)
    return Estimate(value=np.array(area), units=units, sizes=ups + downs, range=(0.0, 1.0))
