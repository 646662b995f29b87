"""Resamples of a score table by its cells: positives at each score, then negatives at each score.

Drawing rows again is one multinomial draw over the cells, whatever the number of rows; leaving out one row of each
cell gives how far a row moves a statistic, for BCa's acceleration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# (positives, negatives), one table a row → one number a row.
Statistic = Callable[[NDArray[Any], NDArray[Any]], Floats]
# Cells held at a time: 16 MB.
BLOCK = 1 << 21


def table_cells(positives: NDArray[Any], negatives: NDArray[Any]) -> Counts:
    """Both classes' rows at each score, one after the other."""
    return np.concatenate((positives, negatives)).astype(np.int64)


def drawn_tables(
    cells: Counts, draw: np.random.Generator, replicates: int, *, by_class: bool = False
) -> Iterator[tuple[Counts, Counts]]:
    """Blocks of resamples, one a row; with `by_class` the rows of each class are drawn among themselves.

    The draws come one after the other, so the size of a block changes nothing.

    >>> blocks = list(drawn_tables(np.array([2, 0, 1, 3]), np.random.default_rng(0), 5))
    >>> [int(sum(part.sum() for part in block)) for block in blocks], blocks[0][0][:, 1].tolist()
    ([30], [0, 0, 0, 0, 0])
    """
    size = len(cells) // 2
    there = np.flatnonzero(cells)
    parts = [p for p in (there[there < size], there[there >= size]) if len(p)] if by_class else [there]
    step = max(1, BLOCK // len(cells))
    for start in range(0, replicates, step):
        full = np.zeros((min(step, replicates - start), len(cells)), dtype=np.int64)
        if len(parts) == 1:
            full[:, there] = draw.multinomial(int(cells.sum()), cells[there] / cells.sum(), size=len(full))
        else:
            for row in full:
                for p in parts:
                    row[p] = draw.multinomial(int(cells[p].sum()), cells[p] / cells[p].sum())
        yield full[:, :size], full[:, size:]


def one_row_less(cells: Counts, statistic: Statistic) -> Floats:
    """The statistic without one row of each occupied cell, in the order of the cells."""
    size = len(cells) // 2
    there = np.flatnonzero(cells)
    step = max(1, BLOCK // len(cells))
    values = []
    for start in range(0, len(there), step):
        part = there[start : start + step]
        full = np.repeat(cells[None], len(part), axis=0)
        full[np.arange(len(part)), part] -= 1
        values.append(statistic(full[:, :size], full[:, size:]))
    return np.concatenate(values)


def row_influences(one_less: Sequence[float] | Floats, sizes: Counts) -> Floats:
    """How far a row of each cell moves the statistic; 0 where the statistic has no value without it.

    >>> row_influences(np.array([1.0, 3.0, np.nan]), np.array([1, 1, 5]))
    array([ 1., -1.,  0.])
    """
    values = np.asarray(one_less, dtype=np.float64)
    known = np.isfinite(values)
    mean = float(sizes[known] @ values[known]) / max(1, int(sizes[known].sum()))
    return np.where(known, mean - np.where(known, values, 0.0), 0.0)
