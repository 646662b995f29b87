"""Two models' scores on many rows, counted into cells: (group of the first, group of the second, class).

Groups join neighbouring scores, as many as keep the cells few, so finer where the models agree in their order. Half of
a group's width is measured in positives and half in negatives, so that rare positives are not all in one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from trueerror.intervals.score_replicates import joined
from trueerror.kernels.cell_draws import CellDraws
from trueerror.kernels.draws import row_weights
from trueerror.kernels.ranks import ascending_order
from trueerror.kernels.threads import in_threads
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.score_influences import ScoreInfluences

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]
Masses = tuple[NDArray[Any], NDArray[Any]]
# Most cells that are drawn in a replicate.
CELLS = 1 << 15
# Fewest and most groups of either model, as powers of two, and those that are tried first; up to DENSE, cells are
# counted in a table of all there are.
FEWEST, FIRST, DENSE, MOST = 6, 8, 11, 14
# Whole clusters are drawn over so many groups: their rows are visited one by one anyway.
CLUSTERED = 10
# Replicates of clusters that are drawn together at most, and how many weights they may take.
TOGETHER, WEIGHTS = 16, 1 << 22


class OrderedScores:
    """One model's rows in the order of their scores: the score table, and how rows and table belong together."""

    def __init__(self, up: Flags, scores: Floats) -> None:
        plain = scores + 0.0  # −0.0 is 0.0
        self.order = ascending_order(plain)
        ascending = plain.take(self.order)
        new = np.ones(len(ascending), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
        # None where no two rows share a score.
        self.starts = None if new.all() else np.flatnonzero(new)
        self.up = up.take(self.order).astype(np.int64)
        distinct = ascending if self.starts is None else ascending[self.starts]
        self.table = ScoreTable._counted(distinct, *self._summed(self.up, 1 - self.up), positive=1, sources=())

    def masses(self, weights: NDArray[Any]) -> Masses:
        """How many positives and negatives there are at each distinct score when rows (…, n) count so often."""
        placed = weights.take(self.order, axis=-1)
        positives = placed * self.up
        return self._summed(positives, placed - positives)

    def _summed(self, positives: NDArray[Any], negatives: NDArray[Any]) -> Masses:
        """Of rows in their order, the sums over each distinct score."""
        if self.starts is None:
            return positives, negatives
        return np.add.reduceat(positives, self.starts, axis=-1), np.add.reduceat(negatives, self.starts, axis=-1)

    def at_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value for each distinct score, given to the rows that have it."""
        return self._back(self._repeated(values))

    def influences_at_rows(self, influences: ScoreInfluences) -> Floats:
        """Each row's influence, by its score and class."""
        by_class = (self._repeated(influences.positives), self._repeated(influences.negatives))
        return self._back(np.where(self.up, *by_class))

    def _repeated(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value for each distinct score, once for each row in the order of scores."""
        return values if self.starts is None else np.repeat(values, np.diff(self.starts, append=len(self.order)))

    def _back(self, ordered: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in the order of scores, in the order of the rows."""
        found = np.empty_like(ordered)
        found[self.order] = ordered
        return found

    def groups(self, power: int) -> Codes:
        """The group of each distinct score, of 2^power; halving the power joins groups two by two."""
        parts = [np.asarray(x, dtype=np.float64) for x in (self.table.positives, self.table.negatives)]
        depth = sum((np.cumsum(x) - x / 2) / (2 * x.sum()) for x in parts)
        place: Codes = np.minimum(depth * (1 << power), (1 << power) - 1).astype(np.int32)
        return place

    def joined(self, groups: Codes) -> ScoreTable:
        """The table with one score for each group that occurs."""
        return joined(self.table, np.flatnonzero(np.concatenate(([True], groups[1:] > groups[:-1]))))


class JointCells(NamedTuple):
    """Both models' joined tables, how many rows are in each cell, its class, and its place in either table."""

    tables: tuple[ScoreTable, ScoreTable]
    counts: NDArray[np.int64]
    up: Flags
    places: tuple[Codes, Codes]

    def spread(self, influences: Sequence[ScoreInfluences]) -> float:
        """Σ over the rows of the squared influence on the difference, as the cells have it."""
        one, two = (
            np.where(self.up, i.positives.take(p), i.negatives.take(p))
            for i, p in zip(influences, self.places, strict=True)
        )
        return float((self.counts * (one - two) ** 2).sum())


def joint_cells(up: Flags, models: Sequence[OrderedScores], most: int = CELLS) -> JointCells:
    """The cells of as many groups as keep them at most `most`.

    >>> up, scores = np.arange(4000) % 4 == 0, np.arange(4000.0)
    >>> alike = [OrderedScores(up, scores), OrderedScores(up, scores + 1)]
    >>> [len(joint_cells(up, alike, most).counts) for most in (100, 1000, 10_000)]
    [128, 512, 4000]
    """
    fine = in_threads(lambda m: m.groups(MOST), models)
    rows = in_threads(lambda i: models[i].at_rows(fine[i]), range(len(models)))
    power, cells, counts = _fitting(rows, up, most)
    both, side = np.divmod(cells, 2)
    tables, places = [], []
    for model, found, group in zip(models, fine, np.divmod(both, 1 << power), strict=True):
        coarse = found >> (MOST - power)
        tables.append(model.joined(coarse))
        places.append(np.searchsorted(np.unique(coarse), group))
    return JointCells((tables[0], tables[1]), counts, side == 1, (places[0], places[1]))


def _fitting(rows: Sequence[Codes], up: Flags, most: int) -> tuple[int, Codes, NDArray[np.int64]]:
    """The largest power with at most `most` cells (the fewest groups are taken anyhow), its cells and their counts."""
    dense = np.bincount(_codes(rows, up, FIRST), minlength=2 << 2 * FIRST)
    power = FIRST
    while power > FEWEST and np.count_nonzero(dense) > most:
        # Two groups of either model become one: four cells of a class.
        power -= 1
        dense = dense.reshape(1 << power, 2, 1 << power, 2, 2).sum(axis=(1, 3)).ravel()
    cells = np.flatnonzero(dense)
    best = power, cells, dense[cells].astype(np.int64)
    if power < FIRST:
        return best
    for power in range(FIRST + 1, MOST + 1):
        cells, counts = _counted(rows, up, power)
        if len(cells) > most:
            break
        best = power, cells, counts
    return best


def _codes(rows: Sequence[Codes], up: Flags, power: int) -> Codes:
    """The cell of each row when groups are joined down to 2^power."""
    first, second = (r >> (MOST - power) for r in rows)
    # Two groups and a class take at most 2 · 14 + 1 bits.
    return (first << power | second) << 1 | up


def _counted(rows: Sequence[Codes], up: Flags, power: int) -> tuple[Codes, NDArray[np.int64]]:
    """The cells that occur when groups are joined down to 2^power, and how many rows are in each."""
    code = _codes(rows, up, power)
    if power > DENSE:
        cells, counts = np.unique(code, return_counts=True)
        return cells, counts.astype(np.int64)
    dense = np.bincount(code, minlength=2 << 2 * power)
    cells = np.flatnonzero(dense)
    return cells, dense[cells].astype(np.int64)


class DrawnCells:
    """Both models' masses in each replicate, cells drawn as a whole."""

    step = 1

    def __init__(self, joint: JointCells, seed: int) -> None:
        self.draws, self.seed = CellDraws(joint.counts), seed
        self.sizes = [len(t.scores) for t in joint.tables]
        self.slots = [p + n * ~joint.up for p, n in zip(joint.places, self.sizes, strict=True)]

    def masses(self, replicates: range) -> list[Masses]:
        """Positives and negatives at each joined score (replicates, scores), of the first model and of the second."""
        drawn = [self.draws.draw(self.seed, b) for b in replicates]
        found = [
            np.stack([np.bincount(s, weights=weights, minlength=2 * n) for weights in drawn])
            for s, n in zip(self.slots, self.sizes, strict=True)
        ]
        return [(f[:, :n], f[:, n:]) for f, n in zip(found, self.sizes, strict=True)]


class DrawnClusters:
    """The same with whole clusters drawn: a row is in a replicate as often as its cluster.

    How many rows of each cluster lie at each joined score is one sparse matrix for either model, so several replicates
    at a time are a product: rows are read once for all of them.
    """

    def __init__(self, up: Flags, models: Sequence[OrderedScores], codes: Codes, seed: int) -> None:
        self.units, self.seed = int(codes.max()) + 1, seed
        self.step = max(1, min(TOGETHER, WEIGHTS // self.units))
        groups = [m.groups(CLUSTERED) for m in models]
        self.tables = [m.joined(g) for m, g in zip(models, groups, strict=True)]
        self.sizes = [len(t.scores) for t in self.tables]
        width: Any = np.int32 if len(up) < np.iinfo(np.int32).max else np.int64
        order = np.argsort(codes, kind="stable")
        ends = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=self.units)))).astype(width)
        ones = np.ones(len(up))
        self.rows: list[Any] = []
        for m, g, n in zip(models, groups, self.sizes, strict=True):
            slots = m.at_rows(np.unique(g, return_inverse=True)[1]) + n * ~up
            placed = slots.take(order).astype(width)
            self.rows.append(sparse.csc_array((ones, placed, ends), shape=(2 * n, self.units)))

    def spread(self, influences: Sequence[ScoreInfluences]) -> float:
        """Σ over clusters of their squared influence on the difference, as the joined tables have it."""
        one, two = (rows.T @ np.concatenate(i) for rows, i in zip(self.rows, influences, strict=True))
        return float(((one - two) ** 2).sum())

    def masses(self, replicates: range) -> list[Masses]:
        """Positives and negatives at each joined score (replicates, scores), of the first model and of the second."""
        often = np.stack([row_weights(self.units, self.seed, b) for b in replicates], axis=1).astype(np.float64)
        found = [np.ascontiguousarray((rows @ often).T) for rows in self.rows]
        return [(f[:, :n], f[:, n:]) for f, n in zip(found, self.sizes, strict=True)]
