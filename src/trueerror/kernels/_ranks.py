"""What the rank bootstrap walks along: rows in score order, positives and negatives apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class RankLayout:
    """Rows from the highest score down: first all positives, then all negatives, so that a draw needs no sorting.

    For each distinct score that positives have: `ends`, how many positives there are down to and with it (None where
    no two positives share a score); `above` and `through`, how many negatives lie above it, without and with the ties.
    """

    positives: int
    negatives: int
    ends: Places | None
    above: Places
    through: Places

    @property
    def rows(self) -> int:
        """All rows."""
        return self.positives + self.negatives


def rank_layout(positives: Array, negatives: Array) -> RankLayout:
    """The layout of a score table: counts at each distinct score, ascending.

    >>> layout = rank_layout(np.array([0, 1, 2]), np.array([1, 1, 0]))
    >>> layout.ends.tolist(), layout.above.tolist(), layout.through.tolist()
    ([2, 3], [0, 0], [0, 1])
    """
    up, down = positives[::-1], negatives[::-1]
    occupied = np.flatnonzero(up)
    ups = up[occupied]
    through = np.cumsum(down, dtype=np.intp).take(occupied)
    tied = down[occupied]
    above = through - tied if tied.any() else through
    ends = None if len(ups) == 0 or int(ups.max()) == 1 else np.cumsum(ups, dtype=np.intp)
    return RankLayout(int(ups.sum()), int(down.sum()), ends, above, through)
