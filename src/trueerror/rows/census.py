"""Large files, counted in passes: batches stream out of DuckDB into counting kernels.

A GROUP BY of as many groups as there are scores needs a hash table of that size; adding batches into plain arrays of
counts takes a fraction of the time, and of the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Label
from trueerror.kernels.bins import BLOCK, Counter, Grid, even_grid, pivoted, tagged_places
from trueerror.kernels.threads import in_threads
from trueerror.rows.binning import ROUNDS, SAMPLE, TARGET, Bins, bin_count, bins_of, finer, fitted_grid
from trueerror.rows.streams import Batch, in_flight
from trueerror.tallies.bounds import ScoreBounds
from trueerror.tallies.placements import Placements

if TYPE_CHECKING:
    from trueerror.rows.filesource import FileSource

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# The share of the budget that the bins of all rows may take.
KEPT = 0.7
# Products of matrices with more multiplications are shared among threads by OpenBLAS, which would wait for each other.
ALONE = 1 << 17


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
        # The bins of all rows, batch by batch, where there is room for them: then comparing needs no second pass.
        self.kept: dict[int, list[NDArray[np.uint32]]] = {}
        self.found: dict[tuple[str, ...], Placements] = {}

    def _batches(self, models: Sequence[str], most: int | None = None) -> Iterator[Batch]:
        """Whether rows are positive (1 or 0), and the scores of some models, NaN where there is none."""
        return self.source.stream([self.columns[model] for model in models], self.positive, most)

    def tables(self) -> dict[str, Counted]:
        """All models in bins, by as few passes as bring the areas within the target: mostly one."""
        if self.counted:
            return self.counted
        size = bin_count(self.budget, len(self.columns))
        grids = self._fitted(size)
        keep = len(grids) > 1 and self.source.facts.n * 4 * len(grids) < KEPT * self.budget
        for _ in range(ROUNDS):
            found = self._pass(grids, keep=keep)
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
            grids, keep = again, False
            self.kept = {}
        return self.counted

    def _fitted(self, size: int) -> dict[str, Grid]:
        models = list(self.columns)
        ups: list[Any] = []
        scores: list[list[Floats]] = [[] for _ in models]
        for batch in self._batches(models, SAMPLE):
            up, *columns = batch.columns
            ups.append(up.astype(bool))
            for kept, column in zip(scores, columns, strict=True):
                kept.append(column + 0.0)
            del up, columns
            batch.release()
        positive = np.concatenate(ups)
        grids = {}
        for model, parts in zip(models, scores, strict=True):
            sample = np.concatenate(parts)
            there = ~np.isnan(sample)
            low, high = self.source.table.column_range(self.columns[model])
            few = self.source.few_scores(self.columns[model], size // 2)
            if few is not None:
                # As many bins as scores, where there are so few: ties then are known to be ties.
                grids[model] = pivoted(even_grid(low, high, size), few)
            else:
                grids[model] = fitted_grid(low, high, size, sample[there], positive[there])
        return grids

    def _pass(self, grids: Mapping[str, Grid], *, keep: bool) -> dict[str, tuple[Ints, Ints]]:
        """All rows counted once; each thread has counts of its own, which add up in any order."""
        models = list(grids)
        gaps = [self.source.gaps(self.columns[model]) for model in models]
        mine: dict[int, list[Counter]] = {}

        def add(batch: Batch) -> None:
            if get_ident() not in mine:
                mine[get_ident()] = [Counter(2 * grids[model].cells) for model in models]
            up, *columns = batch.columns
            tagged = []
            for i, counter in enumerate(mine[get_ident()]):
                scores, rows = _complete(columns[i], up, gaps[i])
                places = counter.add(grids[models[i]], scores, rows)
                if keep:
                    tagged.append(places.astype(np.uint32))
            if keep:
                self.kept[batch.number] = tagged

        in_flight(self._batches(models), add)
        found = {}
        for i, model in enumerate(models):
            total = np.zeros(2 * grids[model].cells, dtype=np.int64)
            for counters in mine.values():
                total += counters[i].total()
            found[model] = (total[1::2], total[::2])
        return found

    def placements(self, models: Sequence[str]) -> Placements:
        """Areas and the sums that their covariance needs: one more pass, with every bin's placement at hand."""
        key = tuple(models)
        if key not in self.found:
            self.found[key] = self._placements(models)
        return self.found[key]

    def _placements(self, models: Sequence[str]) -> Placements:
        tables = self.tables()
        looks = [_placement_by_place(tables[model]) for model in models]
        k = len(models)
        parts: dict[int, Floats] = {}

        def add(number: int, tagged: Sequence[NDArray[Any]]) -> None:
            sums, size = np.zeros((2 * k, k)), len(tagged[0])
            # One room for all blocks: memory that is asked for again and again is the larger part of the work.
            room = np.empty((2 * k, min(BLOCK, size)))
            for start in range(0, size, BLOCK):
                rows = slice(start, start + BLOCK)
                block = room[:, : min(BLOCK, size - start)]
                positives, part = block[:k], block[k:]
                for i in range(k):
                    looks[i].take(tagged[i][rows], out=part[i], mode="clip")
                np.multiply(part, tagged[0][rows] & 1, out=positives)
                sums += _products(block, part)
            parts[number] = np.stack([sums[k:] - sums[:k], sums[:k]])

        def add_batch(batch: Batch) -> None:
            up, *columns = batch.columns
            tagged = np.empty((k, len(up)), dtype=np.int64)
            for i, model in enumerate(models):
                tagged_places(tables[model].grid, columns[i], up, tagged[i])
            add(batch.number, list(tagged))

        if self.kept:
            which = [list(self.columns).index(model) for model in models]
            in_threads(lambda kept: add(kept[0], [kept[1][i] for i in which]), list(self.kept.items()))
            self.kept = {}
        else:
            in_flight(self._batches(models), add_batch)
        # In the order of the batches, so that the sums do not depend on which thread was first.
        sums = sum((parts[number] for number in sorted(parts)), np.zeros((2, k, k)))
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
    """Sums of products of rows with rows, in pieces so small that BLAS keeps to the thread that asks."""
    step = max(256, ALONE // (len(first) * len(second)))
    pieces = (slice(start, start + step) for start in range(0, second.shape[1], step))
    return sum((first[:, piece] @ second[:, piece].T for piece in pieces), np.zeros((len(first), len(second))))


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
