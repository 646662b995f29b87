"""One model's rows in the order of their scores."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats
from trueerror.kernels._sorting import ascending_order
from trueerror.metrics.scores import ScoreInfluences
from trueerror.tallies._scores import ScoreTable

Flags = NDArray[np.bool_]
Masses = tuple[NDArray[Any], NDArray[Any]]


class OrderedScores:
    """One model's rows in the order of their scores: the score table, and how rows and table belong together."""

    def __init__(self, is_positive: Flags, scores: Floats) -> None:
        plain = scores + 0.0  # −0.0 is 0.0
        self.order = ascending_order(plain)
        self.ascending = plain.take(self.order)
        new = np.ones(len(plain), dtype=bool)
        np.not_equal(self.ascending[1:], self.ascending[:-1], out=new[1:])
        # None where no two rows share a score.
        self.starts = None if new.all() else np.flatnonzero(new)
        self.is_positive = is_positive.take(self.order)

    @cached_property
    def table(self) -> ScoreTable:
        """The score table of all rows."""
        distinct = self.ascending if self.starts is None else self.ascending[self.starts]
        return ScoreTable._counted(distinct, *self.masses(np.ones(len(self.order), np.int64)), positive=1, sources=())

    def masses(self, weights: NDArray[Any]) -> Masses:
        """How many positives and negatives there are at each distinct score when rows (…, n) count so often."""
        placed = weights.take(self.order, axis=-1)
        positives = np.multiply(placed, self.is_positive, dtype=np.result_type(placed, np.int64))
        negatives = placed - positives
        if self.starts is None:
            return positives, negatives
        return np.add.reduceat(positives, self.starts, axis=-1), np.add.reduceat(negatives, self.starts, axis=-1)

    def influences_at_rows(self, influences: ScoreInfluences) -> Floats:
        """Each row's influence, by its score and class."""
        by_class: tuple[Floats, Floats] = (influences.positives, influences.negatives)
        if self.starts is not None:
            often = np.diff(self.starts, append=len(self.order))
            by_class = np.repeat(by_class[0], often), np.repeat(by_class[1], often)
        by_row = np.empty(len(self.order))
        by_row[self.order] = np.where(self.is_positive, *by_class)
        return by_row
