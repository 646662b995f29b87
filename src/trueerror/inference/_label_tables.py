"""A metric of a label table as an `Estimate`: rows at random, in clusters, with weights, or at another class mix.

What one more row in each cell does to the metric is its derivative by the cell (`_variance.influence`); a cluster, and
a weighted row, is left out instead. At another class mix each class is a sample of its own, brought to the share that
is asked for.

The table is looked at with half a row more in the cell that lowers, and in the cell that raises, the metric most (one
in each class, where classes are samples of their own): a boundary pseudo-count, as Haldane's and Jeffreys'. It enters
the standard error alone, so that a table without an error is not taken for one that can have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._estimate import Estimate, Floats, left_out
from trueerror.inference._problem import Range
from trueerror.inference._variance import STEPPED_CELLS, Sample
from trueerror.inputs._labels import Label
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.tallies._confusion import Confusion, collapsed

# Haldane's and Jeffreys' pseudo-count.
HALF = 0.5
# Numbers held at a time.
BLOCK = 1 << 20

Ints = NDArray[np.int64]


def label_estimate(
    measure: Measure, sample: Sample, options: MetricOptions, bounds: Range, *, bare: bool = False
) -> Estimate:
    """The metric of a sample; `bare` leaves the half rows out, as in a difference on the same rows.

    >>> from trueerror.inference._estimate import limits
    >>> from trueerror.metrics._registry import find_measure
    >>> m, table = find_measure("mcc"), Confusion([[80, 10], [8, 30]])
    >>> low, high = limits(label_estimate(m, Sample.of(m, table), {}, m.range), 0.025)
    >>> round(float(low), 2), round(float(high), 2)
    (0.5, 0.79)
    """
    seen = _Seen.of(measure, sample, dict(options), bounds)
    return seen.estimate(seen.masses, ()) if bare else seen.with_worst()


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A sample whose table lists every cell that could have been filled; `place` is where its own cells went."""

    measure: Measure
    sample: Sample
    options: dict[str, Any]
    bounds: Range
    source: Sample
    place: Ints
    masses: Floats

    @classmethod
    def of(cls, measure: Measure, sample: Sample, options: dict[str, Any], bounds: Range) -> _Seen:
        """The cells of the table that the formula sees; of the rows, where a class mix is asked for by their class."""
        rows, one_class = sample.rows, sample.of_class
        if measure.of_one_class and one_class is None:
            one_class = rows.positive if sample.positive is None else sample.positive
        by_row = sample.shares is not None and sample.shares_of_rows
        table: Confusion
        place: Ints | None
        positive: Label | None
        if one_class is not None and len(rows.labels) > 2 and not by_row:
            small, moved = collapsed(rows, one_class)
            full, found = every_cell(small)
            table, place, moved, positive = full, None, found[moved], True
        else:
            full, moved = every_cell(rows if by_row else sample.table)
            table, place, positive = full, None, sample.positive
            if sample.place is not None:
                table, place = collapsed(full, one_class)
        masses = np.bincount(moved, weights=rows.masses, minlength=len(full.row)).astype(np.float64)
        seen = replace(sample, rows=full, table=table, place=place, positive=positive, clusters=None)
        return cls(measure, seen, options, bounds, sample, moved, masses)

    def value(self, masses: Floats) -> Floats:
        """The metric under other masses (…, cells); of a total its mean over the rows."""
        value = np.asarray(self.sample.value(self.measure, self.options, masses), dtype=np.float64)
        return value / masses.sum(axis=-1) if self.measure.additive else value

    def moves(self, masses: Floats) -> Floats:
        """How far one more row in each cell moves it; 0 where no row is and the metric has no derivative."""
        slopes = np.asarray(self.sample.influence(self.measure, self.options, masses))
        if self.measure.additive:
            total = masses.sum()
            slopes = (slopes - float(self.value(masses))) / total
        return slopes

    def with_worst(self) -> Estimate:
        """The estimate, and what it is with half a row in the worst and in the best cell."""
        ends = [self.estimate(*self._half_row(np.nanargmin)), self.estimate(*self._half_row(np.nanargmax))]
        value = self.value(self.masses)
        return Estimate(value=value, units=np.zeros(0), range=self.bounds, labels=True, worst=(ends[0], ends[1]))

    def _half_row(self, worst: Callable[[Floats], Any]) -> tuple[Floats, tuple[int, ...]]:
        """The masses with half a row more where it counts most, and the cells that have it."""
        moves, rows = self.moves(self.masses), self.sample.rows
        present = np.bincount(rows.row, weights=self.masses, minlength=len(rows.labels)) > 0
        moves = np.where(present[rows.row], moves, np.nan)
        groups = [np.arange(len(moves))] if self.sample.shares is None else [
            np.flatnonzero(rows.row == k) for k in np.flatnonzero(present)
        ]  # fmt: skip
        cells = tuple(int(g[worst(moves[g])]) for g in groups if np.isfinite(moves[g]).any())
        masses = self.masses.copy()
        masses[list(cells)] += HALF * self.weight
        return masses, cells

    @property
    def weight(self) -> float:
        """What a row weighs: Σw²/Σw."""
        rows = self.source.rows
        return 1.0 if rows.weight_squares is None else float(rows.weight_squares.sum() / rows.masses.sum())

    def estimate(self, masses: Floats, half: tuple[int, ...]) -> Estimate:
        """The metric of a table, and what its units add; `half` are the cells with half a row more."""
        value, moves = self.value(masses), self.moves(masses)
        made = Estimate(value=value, units=moves, count=masses, range=self.bounds, labels=True)
        if self.sample.shares is not None:
            made = replace(made, strata=self.sample.rows.row)
        if self.source.clusters is not None:
            return self._of_clusters(made, masses, half)
        if self.source.rows.weight_squares is not None:
            made = self._of_weights(made, masses, half)
        moves = np.where(np.asarray(made.count) > 0, made.units, 0.0)
        return replace(made, units=moves)

    def _of_weights(self, e: Estimate, masses: Floats, half: tuple[int, ...]) -> Estimate:
        """Of a cell (Σw)²/Σw² equal rows of weight Σw²/Σw, each left out."""
        weighed = self.source.rows.weight_squares
        squares = np.bincount(self.place, weights=weighed, minlength=len(masses)).astype(np.float64)
        squares[list(half)] += HALF * self.weight**2
        heavy = np.where(squares > 0, squares / np.where(masses > 0, masses, 1.0), 0.0)
        rows = np.where(squares > 0, masses / np.where(heavy > 0, heavy, 1.0), 0.0)
        return replace(e, units=left_out(heavy / masses.sum(), heavy * e.units), count=rows, sizes=heavy)

    def _of_clusters(self, e: Estimate, masses: Floats, half: tuple[int, ...]) -> Estimate:
        """(G − 1)/G times what the metric loses without each cluster; half a row is a unit of its own."""
        keyed = self.source.clusters
        assert keyed is not None
        sizes = keyed.weights
        held = np.flatnonzero(sizes > 0)
        groups, cells = len(held), len(masses)
        order = np.searchsorted(held, keyed.key)
        step, without = max(1, BLOCK // cells), np.empty(groups)
        for start in range(0, groups, step):
            stop = min(start + step, groups)
            mine = (order >= start) & (order < stop) & (keyed.masses > 0)
            flat = (order[mine] - start) * cells + self.place[keyed.cell[mine]]
            taken = np.bincount(flat, weights=keyed.masses[mine], minlength=(stop - start) * cells)
            without[start:stop] = self.value(masses - taken.reshape(stop - start, cells))
        lost = (groups - 1) / groups * (float(e.value) - without)
        units = np.concatenate([lost, e.units[list(half)]])
        count = np.concatenate([np.ones(groups), np.full(len(half), HALF * self.weight)])
        weighed = np.concatenate([sizes[held], np.ones(len(half))])
        return replace(e, units=units, count=count, sizes=weighed, strata=None)


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
    if len(known) == len(more) and np.array_equal(known, more):
        return table, np.arange(len(known))
    cells = np.union1d(known, more)
    where = np.searchsorted(cells, known)

    def spread_out(values: NDArray[Any] | None) -> NDArray[Any] | None:
        if values is None:
            return None
        out = np.zeros(len(cells), dtype=values.dtype)
        out[where] = values
        return out

    full = Confusion.from_cells(
        labels=table.labels, positive=table.positive, row=cells // width, col=cells % width,
        counts=spread_out(table.counts), weight_sums=spread_out(table.weight_sums),
        weight_squares=spread_out(table.weight_squares), declared=True,
    )  # fmt: skip
    return full, where
