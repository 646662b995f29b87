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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._estimate import Estimate, Floats, left_out
from trueerror.inference._problem import Range
from trueerror.inference._variance import STEPPED_CELLS, Sample
from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._labels import Label
from trueerror.metrics._registry import Measure, MetricOptions, classes_in_play, find_measure
from trueerror.tallies._confusion import BinaryCounts, Confusion, collapsed, sum_columns

# Haldane's and Jeffreys' pseudo-count.
HALF = 0.5
# Slopes that differ by less are equal but for rounding.
TIED = 1e-9
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
    return seen.estimate(seen.masses) if bare or measure.origin is not None else seen.with_worst()


def with_half_rows(measure: Measure, sample: Sample, options: MetricOptions, cells: list[int]) -> Estimate:
    """The metric of a table that lists every cell, with half a row more in some of them."""
    seen = _Seen.of(measure, sample, dict(options), label_range(measure, sample, options))
    masses, half = seen.masses.copy(), np.array(cells)
    masses[half] += HALF * seen.weight
    return seen.estimate(masses, half)


def label_range(measure: Measure, sample: Sample, options: MetricOptions) -> Range:
    """Between which values the metric of a sample lies; of a total its mean over the rows.

    A cost lies between the least and the largest price of a row, at another class mix in each class.
    """
    if "costs" not in measure.options or measure.relative_cost:
        return measure.range
    table, costs = sample.table, options.get("costs")
    k = len(table.labels)
    unanswered = bool((table.col >= k).any())
    if costs is None:
        return 0.0, 1.0
    prices = cost_matrix(costs, table.labels, table.positive)[:, : k + unanswered]
    least, most = prices.min(axis=1), prices.max(axis=1)
    if sample.shares is None or sample.place is not None:
        return float(least.min()), float(most.max())
    return float(sample.shares @ least), float(sample.shares @ most)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A sample whose table lists every cell that could have been filled; `place` is where its own cells went.

    `masses` (…, cells) are those of many tables where the amounts of the sample's table have leading axes; the rows of
    each class are then the same in all: calls of the same rows at the thresholds of a curve.
    """

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
            full, moved = _as_it_is(sample) if measure.origin else every_cell(rows if by_row else sample.table)
            table, place, positive = full, None, sample.positive
            if sample.place is not None:
                table, place = collapsed(full, one_class)
        masses = sum_columns(rows.masses, moved, len(full.row))
        seen = replace(sample, rows=full, table=table, place=place, positive=positive, clusters=None)
        return cls(measure, seen, options, bounds, sample, moved, masses)

    def value(self, masses: Floats) -> Floats:
        """The metric under other masses (…, cells); of a total its mean over the rows."""
        value = np.asarray(self.sample.value(self.measure, self.options, masses), dtype=np.float64)
        return value / masses.sum(axis=-1) if self.measure.additive else value

    def moves(self, masses: Floats) -> Floats:
        """How far one more row in each cell moves it."""
        slopes = np.asarray(self.sample.influence(self.measure, self.options, masses))
        if self.measure.additive:
            slopes = (slopes - self.value(masses)[..., None]) / masses.sum(axis=-1, keepdims=True)
        return slopes

    def with_worst(self) -> Estimate:
        """The estimate, and what it is with half a row in the worst and in the best cell."""
        half = self._half_rows()
        masses = np.repeat(self.masses[None], 2, axis=0)
        np.put_along_axis(masses, half, np.take_along_axis(masses, half, -1) + HALF * self.weight, -1)
        worst = self.estimate(masses, half)
        value = np.clip(self.value(self.masses) - self.bias(), *self.bounds)
        return Estimate(value=value, units=np.zeros(0), range=self.bounds, labels=True, worst=worst)

    def bias(self) -> float:
        """How far a mean over classes is off on average, by leaving out rows: limits are centred on what is left.

        The F1 of a class with few rows is too low on average, which does not average out over many such classes.
        Source: Quenouille 1956, Biometrika 43:353.
        """
        if self.measure.average != "macro" or self.sample.shares is not None or not np.isfinite(self.bounds).all():
            return 0.0
        base, t = find_measure(self.measure.of), self.sample.table.classes(self.masses)
        four, off = t.one_vs_rest(), np.zeros(len(t.truth))
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.asarray(base.function(four, **self.options))
            for i, count in enumerate(four):
                less = [np.maximum(c - self.weight, 0.0) if i == j else c for j, c in enumerate(four)]
                moved = np.asarray(base.function(BinaryCounts(*less), **self.options)) - value
                off = off + np.where(np.isfinite(moved), count / self.weight * moved, 0.0)
        return float(off[classes_in_play(t)].mean())

    def _half_rows(self) -> Ints:
        """The cells (ends, …, strata) in which half a row more lowers, and raises, the metric most."""
        moves, rows = self.moves(self.masses), self.sample.rows
        sizes = self.masses.reshape(-1, len(rows.row))[0]
        present = np.bincount(rows.row, weights=sizes, minlength=len(rows.labels)) > 0
        possible = np.flatnonzero(present[rows.row])
        groups = [possible]
        if self.sample.shares is not None:
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
        more = HALF * self.weight * (tied[:, None] == np.arange(masses.shape[-1]))
        values = side * self.value(masses[:, None, :] + more)
        values = np.where(np.isnan(values), np.inf, values)
        least = values.min(axis=-1, keepdims=True)
        # Of those that are alike even so the one of the smallest class, whatever the order of the labels.
        row, col = self.sample.rows.row, self.sample.rows.col
        one, two = (sum_columns(masses, codes, int(codes.max()) + 1)[:, codes[tied]] for codes in (row, col))
        sizes = np.where(values <= least + TIED * abs(least), one + two, np.inf)
        return np.asarray(tied[np.argmin(sizes, axis=-1)])

    @property
    def weight(self) -> float:
        """What a row weighs: Σw²/Σw."""
        rows = self.source.rows
        return 1.0 if rows.weight_squares is None else float(rows.weight_squares.sum() / rows.masses.sum())

    def estimate(self, masses: Floats, half: Ints | None = None) -> Estimate:
        """The metric of tables (…, cells), and what their units add; `half` are the cells with half a row more."""
        value, bounded = self.value(masses), bool(np.isfinite(self.bounds).any())
        e = Estimate(value=value, units=np.zeros(0), range=self.bounds, labels=bounded)
        if self.source.clusters is not None:
            return self._of_clusters(e, masses, half)
        e = replace(e, units=self.moves(masses), count=masses)
        if self.sample.shares is not None:
            e = replace(e, strata=self.sample.rows.row)
        if self.source.rows.weight_squares is not None:
            e = self._of_weights(e, masses, half)
        return replace(e, units=np.where(np.asarray(e.count) > 0, e.units, 0.0))

    def _of_weights(self, e: Estimate, masses: Floats, half: Ints | None) -> Estimate:
        """Of a cell (Σw)²/Σw² equal rows of weight Σw²/Σw, each left out."""
        weighed = self.source.rows.weight_squares
        assert weighed is not None
        squares = np.broadcast_to(sum_columns(weighed, self.place, masses.shape[-1]), masses.shape).copy()
        if half is not None:
            np.put_along_axis(squares, half, np.take_along_axis(squares, half, -1) + HALF * self.weight**2, -1)
        heavy = np.where(squares > 0, squares / np.where(masses > 0, masses, 1.0), 0.0)
        rows = np.where(squares > 0, masses / np.where(heavy > 0, heavy, 1.0), 0.0)
        share = heavy / masses.sum(axis=-1, keepdims=True)
        return replace(e, units=left_out(share, heavy * e.units), count=rows, sizes=heavy)

    def _of_clusters(self, e: Estimate, masses: Floats, half: Ints | None) -> Estimate:
        """(G − 1)/G times what the metric loses without each cluster; half a row is a unit of its own."""
        keyed = self.source.clusters
        assert keyed is not None
        held = keyed.sizes > 0
        groups, cells = int(held.sum()), masses.shape[-1]
        order, place = (np.cumsum(held) - 1)[keyed.key], self.place[keyed.cell]
        step, without = max(1, BLOCK // (cells * (1 if half is None else 2))), []
        for start in range(0, groups, step):
            stop = min(start + step, groups)
            mine = slice(None) if stop - start == groups else (order >= start) & (order < stop)
            flat = (order[mine] - start) * cells + place[mine]
            taken = np.bincount(flat, weights=keyed.masses[mine], minlength=(stop - start) * cells)
            without.append(self.value(masses[..., None, :] - taken.reshape(stop - start, cells)))
        units = (groups - 1) / groups * (np.asarray(e.value)[..., None] - np.concatenate(without, axis=-1))
        if half is None:
            return replace(e, units=units, sizes=keyed.weights[held])
        more = half.shape[-1]
        units = np.concatenate([units, np.take_along_axis(self.moves(masses), half, -1)], axis=-1)
        count = np.concatenate([np.ones(groups), np.full(more, HALF * self.weight)])
        return replace(e, units=units, count=count, sizes=np.concatenate([keyed.weights[held], np.ones(more)]))


def _as_it_is(sample: Sample) -> tuple[Confusion, Ints]:
    """The table of a metric of one's own, which is called once for each cell and need not take fractions of rows."""
    return sample.table, np.arange(len(sample.table.row))


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
        np.add.at(out, where, values)
        return out

    full = Confusion.from_cells(
        labels=table.labels, positive=table.positive, row=cells // width, col=cells % width,
        counts=spread_out(table.counts), weight_sums=spread_out(table.weight_sums),
        weight_squares=spread_out(table.weight_squares), declared=True,
    )  # fmt: skip
    return full, where
