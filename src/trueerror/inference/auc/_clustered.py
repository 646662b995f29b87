"""The area under the ROC curve over clustered rows: DeLong's placements, summed within clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import class_weighted_sizes, degrees_of_freedom, effective_clusters, jackknifed
from trueerror.inference._problem import IntervalLimits, Problem, clustered
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import FEW, newcombe_area_limits, of_area, on_scale
from trueerror.inference.proportion._array_intervals import on_logit
from trueerror.kernels import chosen
from trueerror.methods._registry import Default, inference_method
from trueerror.results._format import whole
from trueerror.results._values import Note

Floats = NDArray[np.float64]


class ClusteredAreas(NamedTuple):
    """Areas of one or more models on the same clustered rows.

    `sums` (models, clusters) is what each cluster adds to an area, less its expectation, and `sizes` what it weighs in
    that; `unclustered` are the variances that independent rows would have.
    """

    areas: Floats
    sums: Floats
    sizes: Floats
    unclustered: Floats

    @property
    def covariance(self) -> Floats:
        """Obuchowski's (1997) covariance matrix of the areas: Σ over clusters of the products of sums, as in CR3."""
        apart = np.stack([jackknifed(s, n) for s, n in zip(self.sums, self.sizes, strict=True)])
        matrix: Floats = apart @ apart.T
        return matrix


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


def clustered_area_covariance(
    positive: NDArray[np.bool_],
    scores: Sequence[NDArray[Any]],
    codes: NDArray[np.integer[Any]],
    weights: Floats | None = None,
) -> ClusteredAreas:
    """Areas and covariance of several score columns over the same rows; `codes` number the clusters from 0 up.

    Source: Obuchowski 1997, Biometrics 53:567.

    >>> truth, clusters = np.array([False, False, True, True]), np.array([0, 1, 1, 0])
    >>> made = clustered_area_covariance(truth, [np.array([0.1, 0.4, 0.35, 0.8])], clusters)
    >>> made.areas, made.covariance
    (array([0.75]), array([[0.5]]))
    """
    clusters = int(codes.max()) + 1
    areas, unclustered = np.empty(len(scores)), np.empty(len(scores))
    sums, weighed = np.empty((len(scores), clusters)), np.empty((len(scores), clusters))
    for i, column in enumerate(scores):
        areas[i], rows = row_areas(positive, column, weights)
        sums[i] = np.bincount(codes, weights=rows, minlength=clusters)
        weighed[i] = class_weighted_sizes(codes, positive.astype(np.int64), rows, weights)
        unclustered[i] = (rows * rows).sum()
    return ClusteredAreas(areas, sums, weighed, unclustered)


@inference_method(
    "delong-clustered",
    answers="auc",
    applies=clustered,
    default=Default(why="Of rows in clusters delong-clustered, which sums placements within them", when=clustered),
    part="areas",
    title="DeLong's placements summed within clusters, on the logit scale",
    formula="logit(A) ± t(G_eff − 1)·SE/(A(1 − A)), SE² = Σ_g(Σ h_i/(1 − w_g))² (CR3), h a row's placement less A, "
    "over its class's rows, w_g the cluster's share of the variance of independent rows, G_eff = 1/Σ w_g²; with few "
    "misranked rows the outer limits of this and Newcombe's method 5 at the effective rows",
    source="Obuchowski 1997, Biometrics 53:567; Bell and McCaffrey 2002, Surv. Methodol. 28:169",
    assumes="independent clusters, any dependence within; higher scores are more positive",
)
def delong_clustered(q: Problem[ScoreSample]) -> IntervalLimits:
    """Obuchowski's variance on the logit scale; Newcombe's method 5 where few pairs are misordered."""
    rows = q.sample.clusters
    assert rows is not None
    positive, codes = rows.positive, rows.codes
    area = of_area(q.metric, q.sample.estimate)
    found = clustered_area_covariance(positive, [rows.scores], codes, rows.weights)
    variance, effective = float(found.covariance[0, 0]), effective_clusters(found.sizes[0])
    z = max(q.spec.factor(degrees_of_freedom(effective)), 0.0)
    note, m, n = f"{whole(found.sums.shape[1])} clusters", int(positive.sum()), int((~positive).sum())
    if not variance > 1e-18 or not 0 < area < 1:
        of_class = [effective_clusters(np.bincount(codes[side])) for side in (positive, ~positive)]
        low, high = newcombe_area_limits(area, of_class[0], of_class[1], z)
        note += "; no variance in the order: Newcombe's method 5 at the clusters of each class"
    else:
        low, high = (float(v) for v in on_logit(area, variance, z))
        if min(m, n) * min(area, 1 - area) < FEW:
            # As many independent rows as would give this variance.
            shrink = min(1.0, float(found.unclustered[0]) / variance)
            modelled = newcombe_area_limits(area, max(1.0, m * shrink), max(1.0, n * shrink), z)
            low, high = min(low, modelled[0]), max(high, modelled[1])
            note += f"; {Note('auc-near-end')}"
    return on_scale(q.metric, IntervalLimits(low, high, "delong-clustered", note))
