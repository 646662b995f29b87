"""Assigning rows to folds: shuffled, each class spread evenly, clusters kept together.

Random order comes from counter-based words (Philox, `kernels._random`), not from a library's shuffle: one seed gives
the same folds on every machine and with every version of NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.kernels._random import words
from trueerror.resampling._plan import Ints, Rows


def shuffled(n: int, seed: int, stream: int) -> Ints:
    """A random order of 0 … n − 1.

    >>> sorted(shuffled(5, 0, 0).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.argsort(words(seed, stream, 0, n), kind="stable")


def assign_folds(rows: Rows, k: int, *, seed: int, stream: int, stratify: bool) -> Ints:
    """The part of each row, 0 … k − 1: sizes differ by at most one, and so do those of each class.

    >>> parts = assign_folds(Rows(codes=np.array([0] * 6 + [1] * 3)), 3, seed=0, stream=0, stratify=True)
    >>> np.bincount(parts).tolist(), np.bincount(parts[6:]).tolist()
    ([3, 3, 3], [1, 1, 1])
    """
    if rows.clusters is not None:
        return assign_clusters(rows, [1 / k] * k, seed=seed, stream=stream, stratify=stratify)
    order = shuffled(rows.n, seed, stream)
    if stratify:
        order = order[np.argsort(rows.codes[order], kind="stable")]
    parts = np.empty(rows.n, dtype=np.intp)
    # Assigning goes on from class to class, so that leftovers of one class fill up where the last one stopped.
    parts[order] = np.arange(rows.n) % k
    return parts


def draw_share(rows: Rows, share: float, *, seed: int, stream: int, stratify: bool) -> NDArray[np.bool_]:
    """Which rows are in the test fold: `share` of all rows and, stratified, of each class, to the nearest row.

    >>> test = draw_share(Rows(codes=np.array([0] * 60 + [1] * 30)), 1 / 3, seed=0, stream=0, stratify=True)
    >>> int(test[:60].sum()), int(test[60:].sum())
    (20, 10)
    """
    if rows.clusters is not None:
        parts = assign_clusters(rows, [1 - share, share], seed=seed, stream=stream, stratify=stratify)
        return np.equal(parts, 1)
    order = shuffled(rows.n, seed, stream)
    wanted = min(max(1, round(share * rows.n)), rows.n - 1)
    test = np.zeros(rows.n, dtype=bool)
    if not stratify:
        test[order[:wanted]] = True
        return test
    sizes = np.bincount(rows.codes)
    quota = largest_remainders(sizes, wanted)
    order = order[np.argsort(rows.codes[order], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for start, count in zip(starts, quota, strict=True):
        test[order[start : start + count]] = True
    return test


def largest_remainders(sizes: Ints, total: int) -> Ints:
    """`total` split in proportion to the sizes, in whole numbers, by the largest remainders.

    >>> largest_remainders(np.array([50, 30, 20]), 7).tolist()
    [4, 2, 1]
    """
    exact = sizes * total / sizes.sum()
    base: Ints = np.floor(exact + 1e-9).astype(np.intp)
    left = total - int(base.sum())
    base[np.argsort(-(exact - base), kind="stable")[:left]] += 1
    return base


def assign_clusters(rows: Rows, shares: Sequence[float], *, seed: int, stream: int, stratify: bool) -> Ints:
    """The part of each row when clusters stay whole: large clusters first, each to the part that it suits best.

    A cluster with a_c rows of class c goes where Σ_c ((x_c + a_c)² − x_c²) / (share · T_c²) is least, x being what the
    part has and T the totals: parts grow towards their share of every class.
    """
    assert rows.clusters is not None
    if rows.units < len(shares):
        raise InputError(
            f"there are {rows.units} clusters but {len(shares)} parts are wanted; clusters stay together: use fewer"
        )
    codes = rows.codes if stratify else np.zeros(rows.n, dtype=np.intp)
    counts = np.zeros((rows.units, int(codes.max(initial=0)) + 1))
    np.add.at(counts, (rows.clusters, codes), 1)
    order = shuffled(rows.units, seed, stream)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    totals = counts.sum(axis=0)
    scale = 1 / np.where(totals > 0, totals, 1) ** 2
    share = np.asarray(shares)
    part_counts = np.zeros((len(shares), counts.shape[1]))
    part_of = np.empty(rows.units, dtype=np.intp)
    for cluster in order:
        added = counts[cluster]
        cost = ((2 * part_counts + added) * added * scale).sum(axis=1) / share
        part_of[cluster] = best = int(np.argmin(cost))
        part_counts[best] += added
    if (np.bincount(part_of, minlength=len(shares)) == 0).any():
        # A tiny share can stay empty beside one huge cluster; it gets the smallest cluster.
        for empty in np.flatnonzero(np.bincount(part_of, minlength=len(shares)) == 0):
            crowded = np.bincount(part_of, minlength=len(shares))[part_of] > 1
            part_of[next(c for c in order[::-1] if crowded[c])] = empty
    return part_of[rows.clusters]
