"""Cluster-robust variances: rows of one cluster (a patient, a document, a user) may repeat each other.

With d_c the influence of a row in cell c, a cluster's influence is the sum over its rows, and the variance is
G/(G − 1)·Σ_g (Σ_{i in g} d_i)² over G clusters, to be used with t on G − 1 degrees of freedom.

Source: Liang and Zeger 1986, Biometrika 73:13; Cameron and Miller 2015, J. Hum. Resour. 50:317.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueerror.tallies.counts import BinaryCounts
from trueerror.tallies.keyed import KeyedConfusion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def cluster_variance(clusters: KeyedConfusion, influences: Floats) -> float:
    """CR1 variance of a metric from its influence per cell; NaN with a single cluster."""
    groups = occupied(clusters)
    if groups < 2:
        return float("nan")
    sums = clusters.sums(influences)
    # The total is 0 for metrics that doubling leaves alone; for sums over rows its mean is taken out.
    centred = sums[clusters.sizes > 0] - sums.sum() / groups
    return float(groups / (groups - 1) * (centred * centred).sum())


def occupied(clusters: KeyedConfusion, cells: NDArray[np.bool_] | None = None) -> int:
    """How many clusters have rows, or rows in the given cells."""
    if cells is None:
        return int((clusters.sizes > 0).sum())
    return len(np.unique(clusters.key[cells[clusters.cell]]))


def class_cluster_variances(clusters: KeyedConfusion, slopes: BinaryCounts) -> Floats:
    """CR1 variances of one metric for every class against the rest, from its slopes by the four counts.

    A row outside a class's row and column has the slope for true negatives; only the others are listed, so the work
    grows with the occupied (cluster, cell) pairs and not with clusters × classes.
    """
    table = clusters.table
    k = len(table.labels)
    tp, fp, fn, tn = (np.asarray(s, dtype=np.float64) for s in slopes)
    groups = occupied(clusters)
    if groups < 2:
        return np.full(k, np.nan)
    row, col = table.row[clusters.cell], table.col[clusters.cell]
    hit, called = row == col, (row != col) & (col < k)
    of_truth = clusters.counts * np.where(hit, (tp - tn)[row], (fn - tn)[row])
    of_call = clusters.counts[called] * (fp - tn)[col[called]]
    pairs = np.concatenate([clusters.key * k + row, clusters.key[called] * k + col[called]])
    known, where = np.unique(pairs, return_inverse=True)
    sums = np.bincount(where, weights=np.concatenate([of_truth, of_call]), minlength=len(known))
    sizes = clusters.sizes.astype(np.float64)
    own, group = known % k, known // k
    # Σ_g (n_g·t + s_g)², with the clusters that a class does not touch in the first term alone.
    base = tn * tn * float((sizes * sizes).sum())
    mixed = 2 * tn * np.bincount(own, weights=sums * sizes[group], minlength=k)
    squares = np.bincount(own, weights=sums * sums, minlength=k)
    total = base + mixed + squares
    # Terms that cancel leave rounding dust, which must not pass for a variance.
    out: Floats = np.where(total > 1e-13 * (base + squares), total, 0.0)
    return out * groups / (groups - 1)


def class_clusters(clusters: KeyedConfusion, parts: tuple[bool, bool, bool, bool]) -> Ints:
    """For each class the number of clusters with rows among the given of TP, FP, FN, TN."""
    table = clusters.table
    k = len(table.labels)
    row, col = table.row[clusters.cell], table.col[clusters.cell]
    hit = row == col
    # True negatives are too many to list: a cluster has a row among the parts unless all its rows are elsewhere.
    listed = [part != parts[3] for part in parts[:3]]
    pairs, rows = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for wanted, mask, own in zip(listed, (hit, ~hit & (col < k), ~hit), (row, col, row), strict=True):
        if wanted:
            pairs.append(clusters.key[mask] * k + own[mask])
            rows.append(clusters.counts[mask])
    known, where = np.unique(np.concatenate(pairs), return_inverse=True)
    sums = np.bincount(where, weights=np.concatenate(rows), minlength=len(known))
    if not parts[3]:
        return np.bincount(known % k, minlength=k).astype(np.int64)
    full = sums == clusters.sizes[known // k]
    return occupied(clusters) - np.bincount(known[full] % k, minlength=k).astype(np.int64)
