"""A metric of a label table as an `Estimate`: rows at random, in clusters, with weights, or at another class mix.

What one more row in each cell does to the metric is its derivative by the cell (`_variance.influence`); a cluster, and
a weighted row, is left out instead. At another class mix each class is a sample of its own, brought to the share that
is asked for.

The table is looked at with half a row more in the cell that lowers, and in the cell that raises, the metric most (one
in each class, where classes are samples of their own): a boundary pseudo-count, as Haldane's and Jeffreys'. It enters
the standard error alone, so that a table without an error is not taken for one that can have none.

A mean over classes has the bias of its parts, which grows with their number beside its standard error: limits are
centred on the mean less its bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._designs import HALF, RowUnits
from trueerror.inference._estimate import ROUNDING, Estimate
from trueerror.inference._problem import Range
from trueerror.inference._variance import STEPPED_CELLS, Sample, slopes_seen
from trueerror.inputs._arrays import Floats
from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._memory import BLOCK
from trueerror.metrics._registry import Measure, MetricOptions, Seen, classes_in_play, find_measure
from trueerror.tallies._confusion import BinaryCounts, ClassCounts, Confusion, Ints, amounts_at, collapsed, sum_columns

# Slopes that differ by less are equal but for rounding.
TIED = 1e-9

# No half rows.
NONE: Ints = np.zeros(0, dtype=np.int64)


def label_estimate(
    measure: Measure, sample: Sample, options: MetricOptions, bounds: Range, *, bare: bool = False
) -> Estimate:
    """The metric of a sample; `bare` leaves the half rows out, as in a difference on the same rows.

    >>> from trueerror.inference._estimate import ends_of
    >>> m, table = find_measure("mcc"), Confusion([[80, 10], [8, 30]])
    >>> low, high = ends_of(label_estimate(m, Sample.of(m, table), {}, m.range), 0.025)
    >>> round(float(low), 2), round(float(high), 2)
    (0.5, 0.79)
    """
    table = LabelTable.of(measure, sample, options, bounds)
    return table.bare() if bare else table.with_worst()


def with_half_rows(measure: Measure, sample: Sample, options: MetricOptions, cells: list[int]) -> Estimate:
    """The metric of a table that lists every cell, with half a row more in some of them."""
    table, half = LabelTable.of(measure, sample, options, label_range(measure, sample, options)), np.array(cells)
    return table.drawn.estimate(table, table.with_more(table.masses, half), half)


def label_range(measure: Measure, sample: Sample, options: MetricOptions) -> Range:
    """Between which values the metric of a sample lies; of a total its mean over the rows.

    A cost lies between the least and the largest price of a row, at another class mix in each class.
    """
    if "costs" not in measure.options or measure.relative_cost:
        return measure.range
    seen, costs = sample.seen, options.get("costs")
    table = seen.table
    k = len(table.labels)
    unanswered = bool((table.col >= k).any())
    if costs is None:
        return 0.0, 1.0
    prices = cost_matrix(costs, table.labels, table.positive)[:, : k + unanswered]
    least, most = prices.min(axis=1), prices.max(axis=1)
    if seen.mix is None or len(seen.steps) > 1:
        return float(least.min()), float(most.max())
    return float(seen.mix.shares @ least), float(seen.mix.shares @ most)


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """A sample's table with every cell that could have been filled, and a metric of it; of a total its mean.

    `rows` has those cells, `seen` is how the formula sees them, and `place` where the sample's own cells are. `masses`
    (…, cells) are those of many tables where the amounts of the sample's table have leading axes; the rows of each
    class are then the same in all: calls of the same rows at the thresholds of a curve.
    """

    measure: Measure
    options: MetricOptions
    bounds: Range
    drawn: RowUnits
    rows: Confusion
    seen: Seen
    place: Ints
    masses: Floats

    @classmethod
    def of(cls, measure: Measure, sample: Sample, options: MetricOptions, bounds: Range) -> LabelTable:
        """Of one class among several the four cells against the rest."""
        measure = find_measure(measure.total_of or measure)
        rows, positive, place = sample.rows, sample.positive, np.arange(len(sample.rows.row))
        if sample.one_class is not None:
            rows, place = collapsed(rows, sample.one_class)
            positive = True
        if measure.origin is None:  # a metric of one's own is called once for each cell
            rows, found = every_cell(rows)
            place = found[place]
        seen = Seen.of(measure, rows, positive, sample.prior)
        masses = sum_columns(sample.rows.masses, place, len(rows.row))
        return cls(measure, options, bounds, sample.drawn, rows, seen, place, masses)

    def value(self, masses: Floats) -> Floats:
        """The metric under other masses (…, cells)."""
        return np.asarray(self.seen.value(self.measure, masses, self.options), dtype=np.float64)

    def without(self, masses: Floats, group: Ints, cell: Ints, weights: Floats, groups: int) -> Floats:
        """The metric of tables (…, cells) without the rows of each group (…, groups).

        Of a metric of all classes the margins of each group are taken off; what rounding leaves of one is 0.
        """
        if self.seen.steps or not self.measure.of_all_classes:
            flat = np.bincount(group * masses.shape[-1] + cell, weights, groups * masses.shape[-1])
            return self.value(_less(masses, flat.reshape(groups, -1)))
        table, k = self.seen.table, len(self.seen.table.labels)
        row, col = table.row[cell], table.col[cell]
        right, width = row == col, k + 1  # the last column is that of rows without a prediction
        parts = [
            np.bincount((group * width + codes)[among], weights[among], groups * width).reshape(groups, width)[:, :k]
            for codes, among in ((row, right), (row, slice(None)), (col, slice(None)))
        ]
        whole, total = table.classes(masses), np.bincount(group, weights, groups)
        hits, truth, predicted = map(_less, whole[:3], parts)
        left = ClassCounts(hits, truth, predicted, np.asarray(whole.total)[..., None] - total)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.measure.function(left, **self.options), dtype=np.float64)

    def moves(self, masses: Floats) -> Floats:
        """How far one more row in each cell moves it."""
        return slopes_seen(self.measure, self.seen, masses, self.options)

    def known(self, masses: Floats) -> Estimate:
        """The estimate of tables (…, cells), units apart."""
        bounded = bool(np.isfinite(self.bounds).any())
        return Estimate(value=self.value(masses), units=np.zeros(0), range=self.bounds, labels=bounded)

    def strata(self, cells: Ints | slice = slice(None)) -> Ints | None:
        """At another class mix each class is a sample of its own: that of each of these cells."""
        return None if self.seen.mix is None else self.rows.row[cells]

    def bare(self) -> Estimate:
        """The estimate without half rows."""
        return self.drawn.estimate(self, self.masses, NONE)

    def with_worst(self) -> Estimate:
        """The estimate, and what it is with half a row in the worst and in the best cell."""
        if self.measure.origin is not None:  # a metric of one's own need not take fractions of rows
            return self.bare()
        half = self._half_rows()
        worst = self.drawn.estimate(self, self.with_more(np.stack([self.masses, self.masses]), half), half)
        value = np.clip(self.value(self.masses) - self.bias(), *self.bounds)
        return Estimate(value=value, units=np.zeros(0), range=self.bounds, labels=True, worst=worst)

    def with_more(self, masses: Floats, half: Ints) -> Floats:
        """Tables with half a row more in these cells."""
        more = masses.copy()
        np.put_along_axis(more, half, np.take_along_axis(more, half, -1) + HALF * self.drawn.weight, -1)
        return more

    def bias(self) -> float:
        """How far a mean over classes is off on average, by leaving out rows: limits are centred on what is left.

        The F1 of a class with few rows is too low on average, which does not average out over many such classes.
        Source: Quenouille 1956, Biometrika 43:353.
        """
        if self.measure.average != "macro" or self.seen.mix is not None or not np.isfinite(self.bounds).all():
            return 0.0
        base, t, one = find_measure(self.measure.of), self.rows.classes(self.masses), self.drawn.weight
        four, off = t.one_vs_rest(), np.zeros(len(t.truth))
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.asarray(base.function(four, **self.options))
            for i, count in enumerate(four):
                less = [np.maximum(c - one * (i == j), 0.0) for j, c in enumerate(four)]
                moved = np.asarray(base.function(BinaryCounts(*less), **self.options)) - value
                off = off + np.where(np.isfinite(moved), count / one * moved, 0.0)
        return float(off[classes_in_play(t)].mean())

    def _half_rows(self) -> Ints:
        """The cells (ends, …, strata) in which half a row more lowers, and raises, the metric most."""
        moves, rows = self.moves(self.masses), self.rows
        sizes = self.masses.reshape(-1, len(rows.row))[0]
        present = np.bincount(rows.row, weights=sizes, minlength=len(rows.labels)) > 0
        possible = np.flatnonzero(present[rows.row])
        groups = [possible]
        if self.strata() is not None:
            groups = [possible[rows.row[possible] == k] for k in np.flatnonzero(present)]
        return np.array([np.stack([self._furthest(s, s * moves, g) for g in groups], axis=-1) for s in (1, -1)])

    def _furthest(self, side: int, moves: Floats, cells: Ints) -> Ints:
        """The cell with the least slope in each table; of equal ones and those without a slope see `_of_tied`.

        Of a class that was never found the geometric mean has no derivative.
        """
        slopes = moves[..., cells]
        known = np.isfinite(slopes)
        least = slopes.min(axis=-1, keepdims=True, initial=np.inf, where=known)
        tied = (~known | (slopes <= least + TIED * abs(least))).reshape(-1, len(cells))
        masses, found = self.masses.reshape(len(tied), -1), cells[np.argmax(tied, axis=-1)]
        several = np.flatnonzero(tied.sum(axis=-1) > 1)
        for kind in set(map(bytes, tied[several])):
            alike = np.frombuffer(kind, dtype=np.bool_)
            tables = several[(tied[several] == alike).all(axis=-1)]
            found[tables] = self._of_tied(side, cells[alike], masses[tables])
        return np.asarray(found.reshape(slopes.shape[:-1]))

    def _of_tied(self, side: int, tied: Ints, masses: Floats) -> Ints:
        """Of tied cells that where half a row lowers the metric of each table (tables, cells) most."""
        tied = tied[: max(1, BLOCK // masses.shape[-1])]
        more = HALF * self.drawn.weight * (tied[:, None] == np.arange(masses.shape[-1]))
        values = side * self.value(masses[:, None, :] + more)
        values = np.where(np.isnan(values), np.inf, values)
        least = values.min(axis=-1, keepdims=True)
        # Of those that are alike even so the one of the smallest class, whatever the order of the labels.
        row, col = self.rows.row, self.rows.col
        one, two = (sum_columns(masses, codes, int(codes.max()) + 1)[:, codes[tied]] for codes in (row, col))
        sizes = np.where(values <= least + TIED * abs(least), one + two, np.inf)
        return np.asarray(tied[np.argmin(sizes, axis=-1)])


def _less(whole: Floats, parts: NDArray[Any]) -> Floats:
    """Amounts (…, k) less those of each group (groups, k); what rounding alone leaves is 0."""
    left = whole[..., None, :] - parts
    return np.where(left > ROUNDING * whole[..., None, :], left, 0.0)


def every_cell(table: Confusion) -> tuple[Confusion, Ints]:
    """The table with every cell that a row could have fallen into, and where its own cells are among them.

    Of very many classes the right call of each and its least and most frequent wrong ones stand for all.
    """
    k = len(table.labels)
    width = max(k, int(table.col.max(initial=0)) + 1)
    known = table.row * width + table.col
    if k * k <= STEPPED_CELLS:
        more = (np.arange(k)[:, None] * width + np.arange(k)).ravel()
    else:
        order = np.argsort(np.bincount(table.col, weights=table.counts, minlength=k)[:k], kind="stable")
        truth = np.arange(k)
        ends = [np.where(order[i] == truth, order[j], order[i]) for i, j in ((0, 1), (-1, -2))]
        more = np.concatenate([truth * width + called for called in (truth, *ends)])
    cells = np.union1d(known, more)
    where = np.searchsorted(cells, known)
    full = Confusion.from_cells(
        labels=table.labels, positive=table.positive, row=cells // width, col=cells % width, declared=True,
        **amounts_at(where, len(cells), table),
    )  # fmt: skip
    return full, where
