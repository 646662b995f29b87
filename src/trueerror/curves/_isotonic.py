"""The isotonic fit of the proportion of positives on the scores, and what is the same: the corners of the ROC hull.

Pool adjacent violators: Ayer et al. 1955, Ann. Math. Stat. 26:641; that its blocks are the segments of the hull:
Fawcett and Niculescu-Mizil 2007, Machine Learning 68:97.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._points import Counts, Places
from trueerror.inputs._arrays import Floats
from trueerror.kernels._threads import in_threads, parts
from trueerror.tallies import ScoreTable

# From so many scores on, blocks of the isotonic fit are pooled within so many scores first, which stay in the cache.
MANY_SCORES, POOLED = 1 << 16, 1 << 16


def pooled_blocks(positives: Counts, negatives: Counts) -> Places:
    """Where each block of the isotonic fit starts, scores ascending; neighbours with equal proportions are one block.

    >>> pooled_blocks(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3]
    """
    from scipy.optimize import isotonic_regression

    # Neighbours that do not rise are of one block: few of very many scores are left to SciPy. Sums of whole numbers are
    # the same in any order; those of weights are not.
    if len(positives) >= MANY_SCORES and positives.dtype.kind in "iu":
        cuts = parts(len(positives), -(-len(positives) // POOLED))
        pooled = in_threads(lambda part: _pooled_within(positives[part], negatives[part], part.start), cuts)
        at, up, rows = (np.concatenate(columns) for columns in zip(*pooled, strict=True))
        at[0] = 0
    else:
        up = np.asarray(positives, dtype=np.float64)
        at, rows = np.arange(len(up)), up + negatives
    # A score without rows, such as a class that is never called, belongs to the block below it.
    starts: Places = np.flatnonzero(rows > 0)
    starts[0] = 0
    blocks = [np.add.reduceat(x, starts) for x in (up, rows)]
    starts = starts[isotonic_regression(blocks[0] / blocks[1], weights=blocks[1]).blocks[:-1]]
    while True:
        # SciPy pools rounded means, which may leave neighbours with equal proportions apart: counts tell.
        begins = _rises(up, rows, starts)
        if begins.all():
            return at[starts]
        starts = starts[begins]


def _pooled_within(positives: Counts, negatives: Counts, first: int) -> tuple[Places, Floats, Floats]:
    """Where blocks of a stretch of scores start, with the positives and the rows of each, neighbours that do not rise
    pooled until there are none."""
    up = positives.astype(np.float64)
    rows = up + negatives
    starts: Places = np.flatnonzero(rows > 0)
    at = np.arange(first, first + len(up))
    if len(starts) == 0:
        return at[:0], up[:0], rows[:0]
    while True:
        if len(starts) < len(up):
            at, up, rows = at[starts], np.add.reduceat(up, starts), np.add.reduceat(rows, starts)
        proportion = up / rows
        starts = np.flatnonzero(np.concatenate(([True], proportion[1:] > proportion[:-1])))
        if len(starts) == len(up):
            return at, up, rows


def _rises(positives: Counts, rows: Counts, starts: Places) -> NDArray[np.bool_]:
    """Whether each block has a higher proportion of positives than the one below it."""
    proportion = np.add.reduceat(positives, starts) / np.add.reduceat(rows, starts)
    return np.concatenate(([True], proportion[1:] > proportion[:-1]))


def isotonic_proportions(positives: Counts, negatives: Counts) -> Floats:
    """The isotonic fit at each score: the proportion of positives in the score's block.

    >>> isotonic_proportions(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 1.0]
    """
    starts = pooled_blocks(positives, negatives)
    up = np.add.reduceat(np.asarray(positives, dtype=np.float64), starts)
    down = np.add.reduceat(np.asarray(negatives, dtype=np.float64), starts)
    return np.repeat(up / (up + down), np.diff(np.append(starts, len(positives))))


def hull_of(table: ScoreTable) -> Places:
    """The cutoffs of a table on its ROC hull."""
    return table._once("hull", lambda: hull_places(table.positives, table.negatives))


def hull_places(positives: Counts, negatives: Counts) -> Places:
    """The cutoffs on the ROC hull, as places in the arrays that run from "nothing called" down to the lowest score.

    >>> hull_places(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3, 4]
    """
    starts = pooled_blocks(positives, negatives)
    return np.concatenate(([0], len(positives) - starts[::-1])).astype(np.intp)
