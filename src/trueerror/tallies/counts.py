"""What metrics look at: the four counts of one class against the rest, and the margins of many classes.

Fields are numbers or arrays of one shape, so one formula serves one table, all classes at once, and ten thousand
bootstrap replicates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# A float, or an array of floats of any shape: metric formulas are written for both.
Amount = Any


class BinaryCounts(NamedTuple):
    """True positives, false positives, false negatives, true negatives."""

    tp: Amount
    fp: Amount
    fn: Amount
    tn: Amount

    @property
    def total(self) -> Amount:
        """All rows."""
        return self.tp + self.fp + self.fn + self.tn


class ClassCounts(NamedTuple):
    """Hits and margins of a K-class table; the last axis of each array runs over the classes."""

    hits: NDArray[np.float64]
    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    total: Amount

    def one_vs_rest(self) -> BinaryCounts:
        """Each class against the rest."""
        fp = self.predicted - self.hits
        fn = self.truth - self.hits
        rest = np.asarray(self.total)[..., None] - self.truth - fp
        return BinaryCounts(self.hits, fp, fn, rest)


def sum_columns(masses: NDArray[Any], index: NDArray[np.integer[Any]], k: int) -> NDArray[Any]:
    """Sums of the last axis over groups: (…, cells) → (…, k); complex masses stay complex."""
    if masses.ndim == 1 and masses.dtype.kind != "c":
        return np.bincount(index, weights=masses, minlength=k).astype(np.float64)
    if masses.shape[-1] == 0:  # no model ever right, say: nothing to group, and -1 would not say how many rows
        return np.zeros((*masses.shape[:-1], k))
    flat = masses.reshape(-1, masses.shape[-1])
    order = np.argsort(index, kind="stable")
    groups, starts = np.unique(index[order], return_index=True)
    out = np.zeros((len(flat), k), dtype=np.result_type(flat.dtype, np.float64))
    if len(groups):
        out[:, groups] = np.add.reduceat(flat[:, order], starts, axis=1)
    return out.reshape(*masses.shape[:-1], k)


def binary_as_classes(counts: BinaryCounts) -> ClassCounts:
    """The four counts as a two-class table, negative class first."""
    tp, fp, fn, tn = (np.asarray(x) for x in counts)
    return ClassCounts(
        hits=np.stack([tn, tp], axis=-1),
        truth=np.stack([tn + fp, tp + fn], axis=-1),
        predicted=np.stack([tn + fn, tp + fp], axis=-1),
        total=tp + fp + fn + tn,
    )
