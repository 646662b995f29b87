"""How rows of a label table were drawn: at random, with sampling weights, or in clusters.

A design says what its units are and what each adds to a metric: a row the derivative by its cell; a weighted row, or a
cluster, what the metric loses without it. `half` are cells with half a row more (…, cells that have it), none where
there are none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from trueerror.inference._estimate import Estimate, leave_out
from trueerror.inputs._arrays import Floats
from trueerror.inputs._memory import BLOCK
from trueerror.results._values import Note
from trueerror.tallies._agreement import Agreement, KeyedConfusion
from trueerror.tallies._confusion import Confusion, Ints, sum_columns

if TYPE_CHECKING:
    from trueerror.inference._label_tables import LabelTable
    from trueerror.inference.counts._one_class import LabelSample

Kind = Literal["random", "clustered", "weighted"]

# Haldane's and Jeffreys' pseudo-count.
HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class RowUnits:
    """Rows that were drawn at random and count alike."""

    kind: ClassVar[Kind] = "random"
    alike: ClassVar[bool] = True
    rows: Confusion

    @property
    def groups(self) -> int:
        """How many units there are."""
        return self.rows.n

    @property
    def squares(self) -> Floats | None:
        """Σw² of each cell, where rows have weights."""
        return self.rows.weight_squares

    @property
    def weight(self) -> float:
        """What a row weighs: Σw²/Σw."""
        squares = self.squares
        return 1.0 if squares is None else float(squares.sum() / self.rows.masses.sum())

    def estimate(self, t: LabelTable, masses: Floats, half: Ints) -> Estimate:
        """The metric of tables (…, cells), and what their units add."""
        units = np.where(masses > 0, t.moves(masses), 0.0)
        return replace(t.known(masses), units=units, count=masses, strata=t.strata())

    def notes(self, found: LabelSample) -> tuple[Note, ...]:
        """What is said of the design beside an interval."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class SharedRows(RowUnits):
    """The same rows as another model labelled: units are the cells of both, `place` is where each is in this table."""

    both: Agreement
    place: Ints

    def estimate(self, t: LabelTable, masses: Floats, half: Ints) -> Estimate:
        """The metric of a table, and what a row of each cell of both adds."""
        cells = t.place[self.place]
        return replace(t.known(masses), units=t.moves(masses)[cells], count=self.both.masses, strata=t.strata(cells))


class WeightedUnits(RowUnits):
    """Rows with sampling weights: of a cell (Σw)²/Σw² equal rows of weight Σw²/Σw, each left out."""

    __slots__ = ()
    kind = "weighted"
    alike = False

    @property
    def squares(self) -> Floats:
        """Σw² of each cell; where it was not counted, as of equal weights."""
        known = self.rows.weight_squares
        return self.rows.masses**2 / self.rows.counts if known is None else known

    def estimate(self, t: LabelTable, masses: Floats, half: Ints) -> Estimate:
        """The metric of tables (…, cells), and what their units add."""
        squares = np.broadcast_to(sum_columns(self.squares, t.place, masses.shape[-1]), masses.shape).copy()
        np.put_along_axis(squares, half, np.take_along_axis(squares, half, -1) + HALF * self.weight**2, -1)
        heavy = np.where(squares > 0, squares / np.where(masses > 0, masses, 1.0), 0.0)
        rows = np.where(squares > 0, masses / np.where(heavy > 0, heavy, 1.0), 0.0)
        units = leave_out(heavy / masses.sum(axis=-1, keepdims=True), heavy * t.moves(masses))
        units = np.where(rows > 0, units, 0.0)
        return replace(t.known(masses), units=units, count=rows, sizes=heavy, strata=t.strata())

    def notes(self, found: LabelSample) -> tuple[Note, ...]:
        """What a share is worth."""
        return (Note("weights-worth", (found.worth,)),) if found.worth > 0 else ()


@dataclass(frozen=True, slots=True, eq=False)
class ClusterUnits(RowUnits):
    """Rows in clusters: (G − 1)/G times what the metric loses without each; half a row is a unit of its own."""

    kind = "clustered"
    alike = False
    keyed: KeyedConfusion

    @property
    def groups(self) -> int:
        """Clusters with rows; one without weight is no unit."""
        return int((self.keyed.weights > 0).sum())

    def estimate(self, t: LabelTable, masses: Floats, half: Ints) -> Estimate:
        """The metric of tables (…, cells), and what their units add."""
        keyed, held, groups = self.keyed, self.keyed.weights > 0, self.groups
        known = replace(t.known(masses), rows_alike=float(keyed.sizes.sum()))
        order, place = (np.cumsum(held) - 1)[keyed.key], t.place[keyed.cell]
        step, without = max(1, BLOCK // masses.size), []
        for start in range(0, groups, step):
            stop = min(start + step, groups)
            mine = (order >= start) & (order < stop)
            without.append(t.without(masses, order[mine] - start, place[mine], keyed.masses[mine], stop - start))
        units = (groups - 1) / groups * (np.asarray(known.value)[..., None] - np.concatenate(without, axis=-1))
        more = half.shape[-1]
        units = np.concatenate([units, np.take_along_axis(t.moves(masses), half, -1)], axis=-1)
        count = np.concatenate([np.ones(groups), np.full(more, HALF * self.weight)])
        return replace(known, units=units, count=count, sizes=np.concatenate([keyed.weights[held], np.ones(more)]))

    def notes(self, found: LabelSample) -> tuple[Note, ...]:
        """How many clusters, and what a share is worth."""
        groups = float(self.groups)
        return (Note("clusters-worth", (groups, found.worth)) if found.worth > 0 else Note("clusters", (groups,)),)


class WeightedRows(ClusterUnits):
    """Clusters of one row each that weigh apart, left out to first order: what a row adds over 1 − w."""

    __slots__ = ()

    def estimate(self, t: LabelTable, masses: Floats, half: Ints) -> Estimate:
        """The metric of a table, and what its rows add."""
        keyed, held, groups = self.keyed, self.keyed.weights > 0, self.groups
        sizes, sums = keyed.weights[held], keyed.sums(t.moves(masses)[t.place])[held]
        units = (groups - 1) / groups * leave_out(sizes / sizes.sum(), sums)
        return replace(t.known(masses), units=units, sizes=sizes, rows_alike=float(groups))


def units_of(rows: Confusion, clusters: KeyedConfusion | None) -> RowUnits:
    """How the rows of a table were drawn."""
    if clusters is not None:
        return ClusterUnits(rows, clusters)
    return RowUnits(rows) if rows.weight_sums is None else WeightedUnits(rows)
