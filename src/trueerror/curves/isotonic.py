"""Pool adjacent violators over a score table: the isotonic fit, which is the ROC hull seen from the side.

The blocks of the isotonic regression of the outcome on the score are the segments of the upper ROC hull, so one
routine serves calibration, cost curves and score decompositions.

Source: Ayer et al. 1955, Ann. Math. Stat. 26:641; Fawcett and Niculescu-Mizil 2007, Machine Learning 68:97.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# After this many passes over whole arrays the few blocks that still change are pooled one by one.
PASSES = 40


def pooled_blocks(positives: NDArray[Any], negatives: NDArray[Any]) -> Places:
    """Where each block of the increasing fit starts, scores ascending; neighbours with equal shares are one block.

    Every run of neighbours whose shares do not increase is pooled at once, and again until none is left: any order of
    pooling gives the same blocks, and a few passes over arrays suffice where a loop would visit every score.

    >>> pooled_blocks(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3]
    """
    starts = np.arange(len(positives), dtype=np.intp)
    up = np.asarray(positives, dtype=np.float64)
    down = np.asarray(negatives, dtype=np.float64)
    for _ in range(PASSES):
        share = up / (up + down)
        begins = np.concatenate(([True], share[1:] > share[:-1]))
        if begins.all():
            return starts
        first = np.flatnonzero(begins)
        starts = starts[first]
        up, down = np.add.reduceat(up, first), np.add.reduceat(down, first)
    return _one_by_one(starts, up, up + down)


def _one_by_one(starts: Places, up: Floats, size: Floats) -> Places:
    """The classical algorithm with a stack, for the rare input that loses one block in each pass."""
    kept: list[tuple[int, float, float]] = []
    for start, hits, rows in zip(starts.tolist(), up.tolist(), size.tolist(), strict=True):
        while kept and kept[-1][1] / kept[-1][2] >= hits / rows:
            start, more_hits, more_rows = kept.pop()
            hits, rows = hits + more_hits, rows + more_rows
        kept.append((start, hits, rows))
    return np.array([block[0] for block in kept], dtype=np.intp)


def isotonic_shares(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """The increasing fit at each score: the share of positives in the score's block.

    >>> isotonic_shares(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 1.0]
    """
    starts = pooled_blocks(positives, negatives)
    up = np.add.reduceat(np.asarray(positives, dtype=np.float64), starts)
    down = np.add.reduceat(np.asarray(negatives, dtype=np.float64), starts)
    return np.repeat(up / (up + down), np.diff(np.append(starts, len(positives))))


def hull_places(positives: NDArray[Any], negatives: NDArray[Any]) -> Places:
    """The cutoffs on the ROC hull, as places in the arrays that run from "nothing called" down to the lowest score.

    >>> hull_places(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3, 4]
    """
    starts = pooled_blocks(positives, negatives)
    return np.concatenate(([0], len(positives) - starts[::-1])).astype(np.intp)
