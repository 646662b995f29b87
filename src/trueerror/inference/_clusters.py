"""Clusters of unequal size: what they are worth, the variance of a sum over them, and differences.

Rows of one cluster (a patient, a document, a user) may repeat each other. A cluster's influence s_g on a metric is the
sum over its rows, and w_g its share of what the metric is made of (of the rows, or of the variance that independent
rows would have). Two corrections make a few large clusters count as few:

- the variance is Σ (s_g/(1 − w_g))² (CR3, the jackknife of a mean): a cluster pulls the estimate towards itself, which
  hides its own deviation in the share w_g;
- Student's t has G_eff − 1 degrees of freedom, G_eff = 1/Σ w_g² = (Σn)²/Σn²: as many clusters of equal size.

Sources: Bell and McCaffrey 2002, Surv. Methodol. 28:169 (CR3); Kish 1965, Survey Sampling (G_eff).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import Limits, t_contrast
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import ROUNDING, Estimate, left_out
from trueerror.inference._problem import IntervalSpec
from trueerror.results import Contrast

Floats = NDArray[np.float64]

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
    return f"one {units.removesuffix('s')}" if groups == 1 else f"{groups:,} {units}{worth}"


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
    def each(self) -> Estimate:
        """What each cluster adds: (G − 1)/G times what is lost without it."""
        groups = len(self.sums)
        lost = (groups - 1) / groups * left_out(self.shares, self.sums)
        return Estimate(value=np.array(self.estimate), units=lost, sizes=self.sizes, range=self.whole)

    @property
    def note(self) -> str:
        """How many clusters, and what they are worth."""
        return clusters_in_words(self.sizes, self.units)


def cluster_contrast(c: ClusterDifference, spec: IntervalSpec, *, higher_is_better: bool | None = True) -> Contrast:
    """The effective t of a difference over clusters.

    >>> sums = np.array([0.02, -0.01, 0.01, 0.03, -0.02, 0.01, 0.0, -0.04]) / 8
    >>> found = cluster_contrast(ClusterDifference(0.05, sums, np.full(8, 10.0), (-1.0, 1.0), 80), IntervalSpec())
    >>> round(found.p_value, 4), round(found.low, 3), round(found.high, 3)
    (0.0004, 0.031, 0.069)
    """
    answer = effective_t_contrast(c.each, spec, n=c.n, higher_is_better=higher_is_better, note=c.note)
    lost = int(np.isnan(c.sums).sum())
    if lost and len(c.sums) > 1:
        reason = f"without {'one' if lost == 1 else lost} of them the metric is undefined, so they show no spread"
        return replace(answer, note=f"{c.note}; {reason}")
    return answer


def cluster_t_contrast(c: ClusterDifference, spec: IntervalSpec, *, higher_is_better: bool | None = True) -> Contrast:
    """d ± t(G_eff − 1)·√(Σ (s_g/(1 − w_g))²); without spread, what the effective t says.

    Source: Bell and McCaffrey 2002, Surv. Methodol. 28:169; Cameron and Miller 2015, J. Hum. Resour. 50:317.
    """
    error = math.sqrt(cr3_variance(c.sums, c.sizes))
    if not error > ROUNDING * max(1.0, abs(c.estimate)):
        return replace(cluster_contrast(c, spec, higher_is_better=higher_is_better), method="cluster-t-difference")
    return t_contrast(
        c.estimate, error, degrees_of_freedom(effective_clusters(c.sizes)), spec, method="cluster-t-difference", n=c.n,
        whole=c.whole, note=c.note, higher_is_better=higher_is_better,
    )  # fmt: skip
