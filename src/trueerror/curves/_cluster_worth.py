"""What clusters make of a curve: how many independent rows its rates rest on, and whole clusters drawn again.

A rate at a cutoff is a share of rows, and Wilson's limits with Student's t at n_eff rows are those with z at
n_eff·(z/t)² rows, since they hang on t²/n alone. So a curve whose rows come in clusters is one with fewer rows, and
bands, points and areas between limits follow from that number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import clusters_with_events, cr3_variance, degrees_of_freedom, effective_clusters
from trueerror.inference._problem import critical_t, critical_z
from trueerror.inference._variance import ClusteredRows, effective_size
from trueerror.inference.loss._mean import ClusterSums
from trueerror.kernels._numpy import row_weights
from trueerror.metrics._registry import Measure, table_losses
from trueerror.tallies import KeyedConfusion
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# Cutoffs at which a class' variance is looked at, to say what its rows are worth all along the curve.
PLACES = 19
# Cutoffs at which precisions have a number of rows of their own; it is interpolated between them.
CUTS = 201


def t_rows(size: float, df: float, confidence: float) -> float:
    """With z as many rows have the limits that `size` rows have with t.

    >>> round(t_rows(100, 10, 0.95), 1)
    77.4
    """
    return float(size * (critical_z(confidence) / critical_t(confidence, df)) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class CurveClusters:
    """The rows of a curve, each in its cluster."""

    rows: ClusteredRows

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return self.rows.groups

    @property
    def note(self) -> str:
        """How many, for a note."""
        return f"{self.groups:,} clusters"

    def called(self, threshold: float) -> Mask:
        """The rows from a threshold up."""
        mask: Mask = np.asarray(self.rows.scores >= threshold)
        return mask

    def worth(self, hits: Mask, trials: Mask, confidence: float) -> float:
        """How many independent rows the share of hits among trials rests on, as `te.evaluate` has it for a share."""
        return _worth(self._counts(hits & trials), self._counts(trials), confidence)

    def of_class(self, positive: bool, confidence: float) -> float:
        """The same for the rates of a class all along the curve: by the mean of its variance over cutoffs."""
        side = self.rows.positive if positive else ~self.rows.positive
        sizes, n = self._counts(side), float(side.sum())
        effective = effective_clusters(sizes)
        scores = self.rows.scores[side]
        spread = binomial = 0.0
        for cut in np.unique(np.quantile(scores, np.arange(1, PLACES + 1) / (PLACES + 1), method="higher")):
            hits = self._counts(side & self.called(float(cut)))
            p = float(hits.sum()) / float(sizes.sum())
            spread += cr3_variance((hits - p * sizes) / float(sizes.sum()), sizes)
            binomial += p * (1 - p)
        size = min(n, binomial / spread if spread > 0 and binomial > 0 else effective)
        return t_rows(size, degrees_of_freedom(effective), confidence)

    def of_mix(self, confidence: float) -> float:
        """The same for the share of positives."""
        worth = self.worth(self.rows.positive, np.ones(len(self.rows.positive), dtype=np.bool_), confidence)
        return 1.0 if math.isnan(worth) else worth

    def of_precision(self, thresholds: Floats, confidence: float) -> Floats:
        """The same for the precision at each of the thresholds, which descend."""
        places = np.unique(np.linspace(0, len(thresholds) - 1, CUTS).astype(np.int64))
        counts = [int(c.sum()) for c in map(self.called, thresholds[places].tolist())]
        share = [
            float(np.nan_to_num(self.worth(self.rows.positive, self.called(float(t)), confidence))) / max(n, 1)
            for t, n in zip(thresholds[places], counts, strict=True)
        ]
        order = np.sort(self.rows.scores)
        calls = len(order) - np.searchsorted(order, thresholds, side="left")
        worths: Floats = calls * np.interp(np.arange(len(thresholds)), places, share)
        return worths

    def _counts(self, chosen: Mask) -> Floats:
        weights = None if self.rows.weights is None else self.rows.weights[chosen]
        return np.bincount(self.rows.codes[chosen], weights=weights, minlength=self.groups).astype(np.float64)

    def losses(self, table: ScoreTable, measure: Measure) -> ClusterSums:
        """The sum of a loss over each cluster."""
        place, rows = np.searchsorted(table.scores, self.rows.scores + 0.0), self.rows
        up, down = table_losses(table, measure)
        lost = np.where(rows.positive, up[place], down[place])
        weights = np.ones(len(lost)) if rows.weights is None else rows.weights
        sums = np.bincount(rows.codes, weights=lost * weights).astype(np.float64)
        return ClusterSums(self._counts(np.ones(len(lost), dtype=np.bool_)), sums, float(len(lost)))

    def calls(self, threshold: float) -> KeyedConfusion:
        """The confusion matrix of each cluster at a threshold, the positive class being 1."""
        called = self.called(threshold).astype(np.int64)
        return KeyedConfusion.from_codes(
            self.rows.codes, tuple(range(self.groups)), self.rows.positive.astype(np.int64), called, (0, 1)
        )

    def cells(self, starts: Floats) -> sparse.csr_matrix:
        """Rows of each cluster (clusters, class and score): positives, then negatives, from each start to the next."""
        from scipy import sparse

        size = len(starts)
        place = np.maximum(np.searchsorted(starts, self.rows.scores + 0.0, side="right") - 1, 0)
        cell = np.where(self.rows.positive, place, size + place)
        ones = np.ones(len(cell), dtype=np.int64)
        cells: sparse.csr_matrix = sparse.csr_matrix((ones, (self.rows.codes, cell)), shape=(self.groups, 2 * size))
        return cells

    def draws(self, seed: int, replicates: int) -> Iterator[NDArray[np.int64]]:
        """How often each cluster is in each resample."""
        for b in range(replicates):
            yield row_weights(self.groups, seed, b).astype(np.int64)

    def expansion(self, confidence: float) -> float:
        """How much farther than z limits by resampled clusters must reach: t over z, and √(G/(G − 1))."""
        df = degrees_of_freedom(effective_clusters(np.bincount(self.rows.codes)))
        groups = max(self.groups, 2)
        return float(critical_t(confidence, df) / critical_z(confidence) * np.sqrt(groups / (groups - 1)))


def _worth(hits: Floats, trials: Floats, confidence: float) -> float:
    total = float(trials.sum())
    if not total > 0:
        return 0.0
    if int((trials > 0).sum()) < 2:
        return math.nan  # one cluster shows no spread
    p, effective = float(hits.sum()) / total, effective_clusters(trials)
    variance = cr3_variance((hits - p * trials) / total, trials)
    size = float(effective_size(p, variance if variance > 1e-18 else 0.0, total, effective))
    clusters = clusters_with_events(effective, hits, trials - hits)
    return t_rows(size, degrees_of_freedom(clusters), confidence)


def design_effects(called: Floats, rows: Floats, confidence: float = 0.95) -> Floats:
    """How many times fewer rows than there are the share called at each point rests on, at least 1.

    `called` (clusters, points) are the rows of each cluster that are called, `rows` all of the class.

    >>> design_effects(np.array([[2.0], [0.0], [2.0], [0.0]]), np.full(4, 2.0)).round(1).tolist()
    [9.4]
    """
    n = float(rows.sum())
    worth = np.array([_worth(column, rows, confidence) for column in called.T])
    return np.maximum(n / np.where(worth > 0, worth, 1.0), 1.0)
