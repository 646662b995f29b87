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

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import t_contrast
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import ROUNDING, Estimate, leave_out
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inputs._arrays import Floats
from trueerror.results import Contrast


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
    ('3 clusters', '3 clusters, effective number 1.2')
    """
    groups, effective = len(sizes), effective_clusters(sizes)
    if groups == 1:
        return f"one {units.removesuffix('s')}"
    effect = f", effective number {effective:,.1f}" * (effective <= 0.995 * groups)
    return f"{groups:,} {units}{effect}"


def degrees_of_freedom(effective: float) -> float:
    """G_eff − 1, and at least 1: below it t says nothing more."""
    return max(effective - 1.0, 1.0)


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


def clusters_left_out(
    value: float, influences: Floats, truth: NDArray[np.integer], codes: NDArray[np.integer], bounds: Range
) -> Estimate:
    """Clusters left out to first order: what each moves an estimate by, as its rows' influences add up.

    >>> truth, codes = np.array([1, 0, 0, 1]), np.array([0, 0, 1, 1])
    >>> clusters_left_out(0.5, np.array([0.2, 0.1, -0.1, -0.2]), truth, codes, (0.0, 1.0)).units.round(3).tolist()
    [0.3, -0.3]
    """
    sums = np.bincount(codes, weights=influences).astype(np.float64)
    sizes = class_weighted_sizes(codes, truth, influences)
    units = (len(sums) - 1) / len(sums) * leave_out(sizes / float(sizes.sum()), sums)
    return Estimate(value=np.array(value), units=units, sizes=sizes, range=bounds)


def cluster_error(e: Estimate) -> float:
    """√Σ(θ̂ − θ̂₋g)², of the clusters left out (CR3); NaN with a single cluster.

    >>> round(cluster_error(Estimate(value=np.array(0.0), units=np.array([0.1, -0.1]))), 4)
    0.2828
    """
    groups = len(e.units)
    return math.sqrt(float(((e.units * groups / (groups - 1)) ** 2).sum())) if groups > 1 else math.nan


def cluster_t_contrast(
    e: Estimate, spec: IntervalSpec, *, n: float, higher_is_better: bool | None = True, note: str = ""
) -> Contrast:
    """d ± t(G_eff − 1)·√(Σ (d − d₋g)²); without spread, what the effective t says.

    Source: Bell and McCaffrey 2002, Surv. Methodol. 28:169; Cameron and Miller 2015, J. Hum. Resour. 50:317.

    >>> units = np.array([0.02, -0.01, 0.01, 0.03, -0.02, 0.01, 0.0, -0.04]) / 8
    >>> each = Estimate(value=np.array(0.05), units=units, sizes=np.full(8, 10.0), range=(-1.0, 1.0))
    >>> found = cluster_t_contrast(each, IntervalSpec(), n=80)
    >>> round(found.p_value, 4), round(found.low, 3), round(found.high, 3)
    (0.0006, 0.03, 0.07)
    """
    key, error, value = "cluster-t-difference", cluster_error(e), float(e.value)
    if not error > ROUNDING * max(1.0, abs(value)):
        same = effective_t_contrast(e, spec, n=n, higher_is_better=higher_is_better, note=note)
        return replace(same, method=key)
    return t_contrast(
        value, error, degrees_of_freedom(e.effective), spec, method=key, n=n, whole=e.range, notes=(note,),
        higher_is_better=higher_is_better,
    )  # fmt: skip
