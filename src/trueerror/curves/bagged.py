"""Resamples of a score table with the rows that they leave out: choose in the bag, score out of the bag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.replicates import grouped
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import generator
from trueerror.kernels.draws import POISSON, STEPS, row_weights, seed_of
from trueerror.tallies.scores import ScoreTable

Counts = NDArray[np.int64]
# Up to this many rows every row is drawn by itself; beyond, rows of one cell are drawn together.
BY_ROW = 1 << 16


class Bag(NamedTuple):
    """Counts at each (group of) score, ascending: of the rows drawn, and of those not drawn."""

    positives: Counts
    negatives: Counts
    left_positives: Counts
    left_negatives: Counts


def bags(table: ScoreTable, *, replicates: int, rng: Any = None) -> Iterator[Bag]:
    """Resamples of the grouped table, one after the other; each is a function of the seed and its number alone.

    Rows of one cell are alike: how many of them are drawn 0, 1, 2, … times is one multinomial draw.
    """
    if table.squares is not None:
        raise InputError("resampling draws rows, but sampling weights were summed over rows")
    if replicates < 100:
        raise InputError(f"replicates={replicates} are too few; use 500 or more")
    seed = seed_of(generator(rng)[0])
    up, down = (np.asarray(c, dtype=np.int64) for c in grouped(table))
    by_row = table.n <= BY_ROW
    for b in range(replicates):
        yield _by_row(up, down, seed, b) if by_row else _by_cell(up, down, seed, b)


def _by_row(up: Counts, down: Counts, seed: int, b: int) -> Bag:
    cells = np.concatenate((up, down))
    weights = row_weights(int(cells.sum()), seed, b)
    place = np.repeat(np.arange(len(cells)), cells)
    drawn = np.bincount(place, weights=weights, minlength=len(cells)).astype(np.int64)
    left = np.bincount(place[weights == 0], minlength=len(cells))
    size = len(up)
    return Bag(drawn[:size], drawn[size:], left[:size], left[size:])


def _by_cell(up: Counts, down: Counts, seed: int, b: int) -> Bag:
    cells = np.concatenate((up, down))
    draw = np.random.Generator(np.random.Philox(key=np.array([seed, b], dtype=np.uint64)))
    often = draw.multinomial(cells, np.array(STEPS) / len(POISSON))
    drawn = often @ np.arange(len(STEPS))
    size = len(up)
    return Bag(drawn[:size], drawn[size:], often[:size, 0], often[size:, 0])
