"""What clusters make of a curve: how many independent rows its rates rest on, and whole clusters drawn again.

A rate at a cutoff is a share of rows, and Wilson's limits with Student's t at n_eff rows are those with z at
n_eff·(z/t)² rows, since they hang on t²/n alone. So a curve whose rows come in clusters is one with fewer rows, and
bands, points and areas between limits follow from that number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import clusters_with_events, cr3_variance, degrees_of_freedom, effective_clusters
from trueerror.inference._problem import critical_t, critical_z
from trueerror.inference._variance import ClusteredRows, effective_size
from trueerror.inference.loss._mean import ClusterSums
from trueerror.inputs._arrays import Floats
from trueerror.kernels._random import row_weights
from trueerror.metrics._registry import Measure, table_losses
from trueerror.tallies import KeyedConfusion
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from scipy import sparse

# Cutoffs at which a class' variance is looked at, to say what its rows are worth all along the curve.
PLACES = 19
# Cutoffs at which precisions have a number of rows of their own; it is interpolated between them.
CUTS = 201


@lru_cache(maxsize=64)
def t_rows(size: float, df: float, confidence: float) -> float:
    """With z as many rows have the limits that `size` rows have with t.

    >>> round(t_rows(100, 10, 0.95), 1)
    77.4
    """
    return float(size * (critical_z(confidence) / critical_t(confidence, df)) ** 2)


@dataclass(frozen=True, eq=False)
class CurveClusters:
    """The rows of a curve, each in its cluster.

    What many cutoffs ask of the rows is counted along their ranking, from the highest score down: each row enters the
    counts of its cluster once, at the first cutoff that calls it.
    """

    rows: ClusteredRows

    @cached_property
    def groups(self) -> int:
        """How many clusters there are."""
        return self.rows.groups

    @property
    def note(self) -> str:
        """How many, for a note."""
        return f"{self.groups:,} clusters"

    @cached_property
    def _sides(self) -> tuple[ClusteredRows, ClusteredRows]:
        """The negatives and the positives, from the highest score down."""
        up = self.rows.positive
        one, two = (side.take(np.argsort(side.scores)[::-1]) for side in map(self.rows.take, (~up, up)))
        return one, two

    @cached_property
    def _sizes(self) -> tuple[Floats, Floats]:
        """Negatives and positives of each cluster."""
        down, up = map(self._counts, self._sides)
        return down, up

    def rate_worth(self, positive: bool, threshold: float, confidence: float) -> float:
        """How many independent rows the share of a class that is called from a threshold up rests on, as `te.evaluate`
        has it for a share."""
        hits = self._counts(_called(self._sides[positive], threshold))
        return _worth(hits, self._sizes[positive], confidence)

    def rate_effects(self, positive: bool, thresholds: Floats) -> Floats:
        """The design effects of these shares at thresholds that descend: see `design_effects`."""
        return _effects(accumulate(self._between(self._sides[positive], thresholds)), self._sizes[positive], 0.95)

    def precision_worth(self, threshold: float, confidence: float) -> float:
        """The same for the share of positives among the rows from a threshold up."""
        down, up = (self._counts(_called(side, threshold)) for side in self._sides)
        return _worth(up, down + up, confidence)

    def of_class(self, positive: bool, confidence: float) -> float:
        """The same for the rates of a class all along the curve: by the mean of its variance over cutoffs."""
        return t_rows(*self._of_rates[positive], confidence)

    @cached_property
    def _of_rates(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """What the negatives and the positives are worth, before t takes the place of z, and the degrees of freedom."""
        down, up = map(self._of_rate, self._sides, self._sizes)
        return down, up

    def _of_rate(self, side: ClusteredRows, sizes: Floats) -> tuple[float, float]:
        effective, total = effective_clusters(sizes), float(sizes.sum())
        if not len(side.codes):
            return 0.0, degrees_of_freedom(effective)
        cuts = np.unique(np.quantile(side.scores, np.arange(1, PLACES + 1) / (PLACES + 1), method="higher"))[::-1]
        spread = binomial = 0.0
        for hits in accumulate(self._between(side, cuts)):
            p = float(hits.sum()) / total
            spread += cr3_variance((hits - p * sizes) / total, sizes)
            binomial += p * (1 - p)
        size = binomial / spread if spread > 0 and binomial > 0 else effective
        return min(float(len(side.codes)), size), degrees_of_freedom(effective)

    def of_mix(self, confidence: float) -> float:
        """The same for the share of positives."""
        down, up = self._sizes
        worth = _worth(up, down + up, confidence)
        return 1.0 if math.isnan(worth) else worth

    def of_precision(self, thresholds: Floats, confidence: float) -> Floats:
        """The same for the precision at each of the thresholds, which descend."""
        places = np.unique(np.linspace(0, len(thresholds) - 1, CUTS).astype(np.int64))
        down, up = (accumulate(self._between(side, thresholds[places])) for side in self._sides)
        worths = np.array([_worth(hits, misses + hits, confidence) for misses, hits in zip(down, up, strict=True)])
        calls = np.add(*(_calls(side, thresholds) for side in self._sides), dtype=np.float64)
        share = np.nan_to_num(worths) / np.maximum(calls[places], 1)
        worth: Floats = calls * np.interp(np.arange(len(thresholds)), places, share)
        return worth

    def of_bins(self, starts: Floats, confidence: float) -> Floats:
        """The same for the share of positives from each start, which rise, to the next; NaN within one cluster."""
        down, up = (self._between(side, starts[::-1]) for side in self._sides)
        worths = [_worth(hits, misses + hits, confidence) for misses, hits in zip(down, up, strict=True)]
        return np.array(worths[::-1])

    def _counts(self, rows: ClusteredRows) -> Floats:
        return np.bincount(rows.codes, weights=rows.weights, minlength=self.groups).astype(np.float64)

    def _between(self, ranked: ClusteredRows, thresholds: Floats) -> Iterator[Floats]:
        """Rows of each cluster from each threshold up to the one before, which was higher."""
        start = 0
        for stop in _calls(ranked, thresholds).tolist():
            yield self._counts(ranked.take(slice(start, stop)))
            start = stop

    def losses(self, table: ScoreTable, measure: Measure) -> ClusterSums:
        """The sum of a loss over each cluster."""
        place, rows = np.searchsorted(table.scores, self.rows.scores + 0.0), self.rows
        up, down = table_losses(table, measure)
        lost = np.where(rows.positive, up[place], down[place])
        weights = np.ones(len(lost)) if rows.weights is None else rows.weights
        sums = np.bincount(rows.codes, weights=lost * weights).astype(np.float64)
        return ClusterSums(self._counts(rows), sums, float(len(lost)))

    def calls(self, threshold: float) -> KeyedConfusion:
        """The confusion matrix of each cluster at a threshold, the positive class being 1."""
        called = (self.rows.scores >= threshold).astype(np.int64)
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


def _calls(ranked: ClusteredRows, thresholds: Floats) -> NDArray[np.intp]:
    """How many rows, which go from the highest score down, each threshold calls."""
    return len(ranked.scores) - np.searchsorted(ranked.scores[::-1], thresholds, side="left")


def _called(ranked: ClusteredRows, threshold: float) -> ClusteredRows:
    return ranked.take(slice(int(_calls(ranked, np.array([threshold]))[0])))


def _worth(hits: Floats, trials: Floats, confidence: float) -> float:
    total = float(trials.sum())
    if not total > 0:
        return 0.0
    if np.count_nonzero(trials > 0) < 2:
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
    return _effects((np.ascontiguousarray(column) for column in called.T), rows, confidence)


def _effects(columns: Iterable[Floats], rows: Floats, confidence: float) -> Floats:
    worth = np.array([_worth(column, rows, confidence) for column in columns])
    return np.maximum(float(rows.sum()) / np.where(worth > 0, worth, 1.0), 1.0)
