"""Rows of a curve in clusters: the clusters' counts at each cutoff, limits from them, and whole clusters drawn again.

Points, areas and bands ask the one door, as `te.evaluate` does. What has no limits of its own there (a band at a rate,
a cost curve, a gain) takes as many independent rows as have the standard error of the clusters; Wilson's limits with
Student's t at n rows are those with z at n·(z/t)², since they hang on t²/n alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._points import table_of_cells
from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._effective_t import effective_t_limits
from trueerror.inference._estimate import Estimate, leave_out, quantile
from trueerror.inference._label_tables import label_estimate
from trueerror.inference._problem import IntervalSpec, critical_t, critical_z, tail
from trueerror.inference._variance import ClusteredRows, Sample
from trueerror.inference.loss._mean import ClusterSums
from trueerror.inputs._arrays import Floats
from trueerror.kernels._random import row_weights
from trueerror.metrics._registry import Measure, find_measure, table_losses
from trueerror.tallies import KeyedConfusion
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from scipy import sparse

# Cutoffs at which a class' variance is looked at, for the rows of its rates all along the curve.
PLACES = 19
# Cutoffs at which precisions have a number of rows of their own; it is interpolated between them.
CUTS = 201


def rows_by_t(e: Estimate, confidence: float) -> Floats:
    """As many independent rows have the limits with z that an estimate has with t; 0 where its units have no spread."""
    at = e.worst or e
    rows = at.rows() * (critical_z(confidence) / quantile(at.spread.df, tail(confidence))) ** 2
    return np.where(at.spread.error > 0, rows, 0.0)


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

    def tables(self, thresholds: Floats) -> Iterator[KeyedConfusion]:
        """The confusion matrix of each cluster at thresholds that descend, the positive class being 1."""
        every = [self._amounts(side) for side in self._sides]
        ends = np.column_stack([_calls(side, thresholds) for side in self._sides])
        called, before = [np.zeros_like(x) for x in every], (0, 0)
        for stops in ends.tolist():
            for i, side in enumerate(self._sides):
                called[i] = called[i] + self._amounts(side.take(slice(before[i], stops[i])))
            before = tuple(stops)
            yield self._keyed(called, every)

    def at(self, threshold: float) -> KeyedConfusion:
        """The same at one threshold."""
        return next(self.tables(np.array([threshold])))

    def _amounts(self, rows: ClusteredRows) -> Floats:
        """How many rows each cluster has; with sampling weights also the sums of their squares, and of the weights."""
        columns = [None] if rows.weights is None else [None, rows.weights**2, rows.weights]
        return np.array([np.bincount(rows.codes, weights=w, minlength=self.groups) for w in columns], dtype=np.float64)

    def _keyed(self, called: list[Floats], every: list[Floats]) -> KeyedConfusion:
        """Clusters by cells: negatives below and above the cutoff, positives below and above it."""
        both = [x for calls, rows in zip(called, every, strict=True) for x in (rows - calls, calls)]
        amounts = np.stack(both, axis=-1)
        counts, totals = amounts[0].astype(np.int64), amounts.sum(axis=1)
        key, cell = np.nonzero(counts)
        weighted = len(totals) > 1
        table = table_of_cells(totals[-1], totals[1] if weighted else None, totals[0])
        sums = amounts[-1][key, cell] if weighted else None
        return KeyedConfusion(tuple(range(self.groups)), table, key, cell, counts[key, cell], sums)

    def _estimates(
        self, metric: str, thresholds: Floats, prior: float | None = None, *, bare: bool = False
    ) -> Iterator[Estimate]:
        """The estimate of a metric at each of the thresholds, which descend."""
        measure = find_measure(metric)
        for keyed in self.tables(thresholds):
            sample = Sample.of(measure, keyed.table, clusters=keyed, prior=prior)
            yield label_estimate(measure, sample, {}, measure.range, bare=bare)

    @cached_property
    def _of_rates(self) -> list[Floats]:
        """For the negatives and the positives the share that is called at cutoffs, its standard error, and df."""
        made = []
        for side, metric in zip(self._sides, ("false_positive_rate", "recall"), strict=True):
            parts = np.arange(1, PLACES + 1) / (PLACES + 1) if len(side.scores) else np.empty(0)
            cuts = np.unique(np.quantile(side.scores, parts, method="higher")) if len(parts) else parts
            every = [(e.value, *e.spread) for e in self._estimates(metric, cuts[::-1], bare=True)]
            made.append(np.array(every, dtype=np.float64).reshape(-1, 3).T)
        return made

    def of_class(self, positive: bool, confidence: float) -> float:
        """As many independent rows a class has for its rates all along the curve: by the mean of their variances."""
        side = self._sides[positive]
        if not len(side.codes):
            return 0.0
        p, error, df = self._of_rates[positive]
        spreads = float(((error * quantile(df, tail(confidence)) / critical_z(confidence)) ** 2).sum())
        binomial = float((p * (1 - p)).sum())
        if spreads > 0 and binomial > 0:
            return min(float(len(side.codes)), binomial / spreads)
        effective = effective_clusters(self._amounts(side)[-1])
        return effective * float(critical_z(confidence) / critical_t(confidence, degrees_of_freedom(effective))) ** 2

    def of_mix(self, confidence: float) -> float:
        """The same for the share of positives."""
        everything = np.array([-np.inf])
        rows = float(rows_by_t(next(self._estimates("precision", everything, bare=True)), confidence))
        return rows if rows > 0 else 1.0

    def of_precision(self, thresholds: Floats, confidence: float, prior: float | None = None) -> Floats:
        """The rows for the lower and for the upper limits (2, thresholds) of precisions at thresholds that descend."""
        places = np.unique(np.linspace(0, len(thresholds) - 1, CUTS).astype(np.int64))
        every = self._estimates("precision", thresholds[places], prior)
        rows = np.array([rows_by_t(e, confidence) for e in every]).T
        calls = np.add(*(_calls(side, thresholds) for side in self._sides), dtype=np.float64)
        share, at = np.nan_to_num(rows) / np.maximum(calls[places], 1), np.arange(len(thresholds))
        return np.array([calls * np.interp(at, places, x) for x in share])

    def limits_of_bins(self, starts: Floats, confidence: float) -> tuple[Floats, Floats]:
        """Limits of the share of positives among the rows from each start, which rise, to the next.

        A bin without an event has as many rows as clusters.
        """
        spec, found = IntervalSpec(confidence=confidence), []
        place = np.searchsorted(starts, self.rows.scores + 0.0, side="right") - 1
        for i in range(len(starts)):
            rows = self.rows.take(place == i)
            sizes = self._amounts(rows)[-1]
            here, hits = sizes > 0, self._amounts(rows.take(rows.positive))[-1]
            n, total, p = float(here.sum()), float(sizes.sum()), float(hits.sum() / sizes.sum())
            units = leave_out(sizes / total, (hits - p * sizes) / total)[here] * (n - 1) / n if n > 1 else np.zeros(1)
            e = Estimate(value=np.array(p), units=units, sizes=sizes[here], range=(0.0, 1.0), labels=True)
            found.append(effective_t_limits(e, spec)[:2])
        low, high = np.array(found).T
        return low, high

    def losses(self, table: ScoreTable, measure: Measure) -> ClusterSums:
        """The sum of a loss over each cluster."""
        place, rows = np.searchsorted(table.scores, self.rows.scores + 0.0), self.rows
        up, down = table_losses(table, measure)
        lost = np.where(rows.positive, up[place], down[place])
        weights = np.ones(len(lost)) if rows.weights is None else rows.weights
        sums = np.bincount(rows.codes, weights=lost * weights).astype(np.float64)
        sizes = np.bincount(rows.codes, weights=rows.weights, minlength=self.groups).astype(np.float64)
        return ClusterSums(sizes, sums, float(len(lost)))

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
