"""Large files, counted in passes: batches stream out of DuckDB into counting kernels.

A GROUP BY of as many groups as there are scores needs a hash table of that size; adding batches into plain arrays of
counts takes a fraction of the time, and of the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Label
from trueerror.kernels.bins import Grid, count_places, even_grid, pivoted
from trueerror.kernels.threads import in_threads
from trueerror.rows.binning import ROUNDS, TARGET, Bins, bin_count, bins_of, finer, fitted_grid
from trueerror.tallies.bounds import ScoreBounds
from trueerror.tallies.placements import Placements

if TYPE_CHECKING:
    from trueerror.rows.filesource import FileSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Rows that show how scores lie, before all are counted.
SAMPLE = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The scores of one column in bins."""

    grid: Grid
    bins: Bins
    up: Ints
    down: Ints


class Census:
    """Passes over the scores of one positive class."""

    def __init__(self, source: FileSource, columns: Mapping[str, str], positive: Label, budget: int) -> None:
        self.source = source
        self.columns = dict(columns)
        self.positive = positive
        self.budget = budget
        self.counted: dict[str, Counted] = {}

    def _batches(
        self, models: Sequence[str], *, most: int | None = None
    ) -> Iterator[tuple[NDArray[Any], list[Floats]]]:
        """Which rows are positive, and the scores of some models, NaN where there is none."""
        columns = [self.columns[model] for model in models]
        for up, *scores in self.source.stream(columns, self.positive, most):
            yield up, scores

    def tables(self) -> dict[str, Counted]:
        """All models in bins, by as few passes as bring the areas within the target: mostly one."""
        if self.counted:
            return self.counted
        size = bin_count(self.budget, len(self.columns))
        grids = self._fitted(size)
        for _ in range(ROUNDS):
            found = self._pass(grids)
            again: dict[str, Grid] = {}
            for model, (up, down) in found.items():
                grid = grids[model]
                bins = bins_of(grid, up, down)
                self.counted[model] = Counted(grid, bins, up, down)
                # The grid of each pass keeps the bins of the one before and cuts some of them.
                better = finer(grid, up, down, size) if bins.slack > TARGET and grid.cells < 4 * size else None
                if better is not None:
                    again[model] = better
            if not again:
                break
            grids = again
        return self.counted

    def _fitted(self, size: int) -> dict[str, Grid]:
        models = list(self.columns)
        ups: list[Any] = []
        scores: list[list[Floats]] = [[] for _ in models]
        for up, columns in self._batches(models, most=SAMPLE):
            ups.append(up.astype(bool))
            for kept, column in zip(scores, columns, strict=True):
                kept.append(column + 0.0)
        positive = np.concatenate(ups)
        grids = {}
        for model, parts in zip(models, scores, strict=True):
            sample = np.concatenate(parts)
            there = ~np.isnan(sample)
            low, high = self.source.column_range(self.columns[model])
            few = self.source.few_scores(self.columns[model], size // 2)
            if few is not None:
                # As many bins as scores, where there are so few: ties then are known to be ties.
                grids[model] = pivoted(even_grid(low, high, size), few)
            else:
                grids[model] = fitted_grid(low, high, size, sample[there], positive[there])
        return grids

    def _pass(self, grids: Mapping[str, Grid]) -> dict[str, tuple[Ints, Ints]]:
        models = list(grids)
        up = {model: np.zeros(grids[model].cells, dtype=np.int64) for model in models}
        down = {model: np.zeros(grids[model].cells, dtype=np.int64) for model in models}
        for positive, columns in self._batches(models):

            def count(i: int, positive: Any = positive, columns: Any = columns) -> None:
                model = models[i]
                scores, rows = _complete(columns[i], positive, self.source.gaps(self.columns[model]))
                ups, downs = count_places(grids[model].places(scores), rows, grids[model].cells)
                up[model] += ups
                down[model] += downs

            in_threads(count, range(len(models)))
        return {model: (up[model], down[model]) for model in models}

    def placements(self, models: Sequence[str]) -> Placements:
        """Areas and the sums that their covariance needs: one more pass, with every bin's placement at hand."""
        tables = self.tables()
        looks = [_placement_by_place(tables[model]) for model in models]
        k = len(models)
        sums = np.zeros((2, k, k))
        for positive, columns in self._batches(models):

            def place(i: int, positive: Any = positive, columns: Any = columns) -> Floats:
                found: Floats = looks[i].take(2 * tables[models[i]].grid.places(columns[i]) + positive)
                return found

            off = np.stack(in_threads(place, range(k)))
            ups = off * positive
            sums[1] += _products(ups, off)
            sums[0] += _products(off - ups, off)
        bounds = [ScoreBounds(tables[model].bins.table(self.positive, "")) for model in models]
        first = tables[models[0]].bins
        return Placements(
            areas=np.array([_area(tables[model].bins) for model in models]),
            among_positives=sums[1],
            among_negatives=sums[0],
            positives=int(first.up.sum()),
            negatives=int(first.down.sum()),
            slack=np.array([tables[model].bins.slack for model in models]),
            error=np.array([bound.standard_error_slack() for bound in bounds]),
        )


def _complete(scores: Floats, positive: Any, gaps: bool) -> tuple[Floats, Any]:
    if not gaps:
        return scores, positive
    there = ~np.isnan(scores)
    return scores[there], positive[there]


def _products(first: Floats, second: Floats) -> Floats:
    """Sums of products of rows with rows; few rows without BLAS, whose threads would wait for each other."""
    if len(first) > 8:
        return first @ second.T
    return np.array([[float((a * b).sum()) for b in second] for a in first])


def _area(bins: Bins) -> float:
    up, down = bins.up.astype(np.float64), bins.down.astype(np.float64)
    below = np.cumsum(down) - down / 2
    return float((up * below).sum()) / (float(up.sum()) * float(down.sum()))


def _placement_by_place(counted: Counted) -> Floats:
    """For each bin of the grid what a negative's (even) and a positive's (odd) placement is off the area."""
    up, down = counted.up.astype(np.float64), counted.down.astype(np.float64)
    found = np.empty(2 * len(up))
    found[1::2] = (np.cumsum(down) - down / 2) / down.sum()
    found[::2] = 1 - (np.cumsum(up) - up / 2) / up.sum()
    return found - _area(counted.bins)
