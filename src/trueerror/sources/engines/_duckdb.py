"""Rows in files and relations, counted inside DuckDB; beyond the memory budget batches stream into counting kernels.

A GROUP BY of as many groups as there are scores needs a hash table of that size; adding batches into plain arrays of
counts takes a fraction of the time, and of the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import get_ident

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.inputs._labels import Label
from trueerror.kernels._histogram import BLOCK, Counter, Grid, tagged_places
from trueerror.kernels._threads import in_threads
from trueerror.sources._predictions import Loss
from trueerror.sources._tables import Layout, Options
from trueerror.sources.engines import _group_tallies as groups
from trueerror.sources.engines._array_source import probabilities
from trueerror.sources.engines._arrow_stream import Batch, count_pairs, in_flight
from trueerror.sources.engines._duckdb_tables import DuckDBTable, Sql, literal
from trueerror.sources.engines._engine_table import SAMPLE
from trueerror.sources.engines._group_tallies import ColumnValue, GroupKey
from trueerror.sources.engines._groupby import (
    GroupedSource,
    Models,
    OfTruth,
    counted_facts,
    first_losses,
    pivot,
    summed_moments,
)
from trueerror.sources.engines._score_bins import (
    ROUNDS,
    TARGET,
    Bins,
    bin_count,
    bins_of,
    finer,
    fitted_grid,
    value_grid,
)
from trueerror.tallies import Moments, ScoreTable
from trueerror.tallies._moments import Placements
from trueerror.tallies._score_bounds import ScoreBounds

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
    positives: Ints
    negatives: Ints


class StreamedCounts:
    """Passes over the scores of one positive class."""

    def __init__(self, source: FileSource, columns: Mapping[str, str], positive: Label, budget: int) -> None:
        self.source = source
        self.columns = dict(columns)
        self.positive = positive
        self.budget = budget
        self.counted: dict[str, Counted] = {}
        # The bins of all rows, batch by batch, where the budget allows: then comparing needs no second pass.
        self.kept: dict[int, list[NDArray[np.uint32]]] = {}
        self.found: dict[tuple[str, ...], Placements] = {}

    def _batches(self, models: Sequence[str], most: int | None = None) -> Iterator[Batch]:
        """Whether rows are positive (1 or 0), and the scores of some models, NaN where there is none."""
        return self.source.stream([self.columns[model] for model in models], self.positive, most, narrow=True)

    def tables(self) -> dict[str, Counted]:
        """All models in bins, by as few passes as bring the areas within the target: mostly one."""
        if self.counted:
            return self.counted
        size = bin_count(self.budget, len(self.columns))
        grids = self._fitted(size)
        keep = len(grids) > 1 and self.source.facts.n * 4 * len(grids) < KEPT * self.budget
        for _ in range(ROUNDS):
            counts = self._pass(grids, keep=keep)
            again: dict[str, Grid] = {}
            for model, (positives, negatives) in counts.items():
                grid = grids[model]
                bins = bins_of(grid, positives, negatives)
                # The grid of each pass keeps the bins of the one before and cuts some of them; a pass that left as much
                # open, since no steps are fine enough, is the last.
                last = model in self.counted and bins.slack > 0.9 * self.counted[model].bins.slack
                self.counted[model] = Counted(grid, bins, positives, negatives)
                if bins.slack > TARGET and grid.cells < 4 * size and not last:
                    better = finer(grid, positives, negatives, size)
                    again |= {} if better is None else {model: better}
            if not again:
                break
            grids, keep = again, False
            self.kept = {}
        return self.counted

    def _fitted(self, size: int) -> dict[str, Grid]:
        models = list(self.columns)
        flags: list[Array] = []
        scores: list[list[Floats]] = [[] for _ in models]
        for batch in self._batches(models, SAMPLE):
            is_positive, *columns = batch.columns
            flags.append(is_positive.astype(bool))
            for kept, column in zip(scores, columns, strict=True):
                kept.append(column.astype(np.float64) + 0.0)
            del is_positive, columns
            batch.release()
        positive = np.concatenate(flags)
        grids = {}
        for model, parts in zip(models, scores, strict=True):
            sample = np.concatenate(parts)
            scored = ~np.isnan(sample)
            low, high = self.source.table.range(self.columns[model])
            few = self.source.few_scores(self.columns[model], size // 2)
            if few is not None:
                # As many bins as scores, where there are so few: ties then are known to be ties.
                grids[model] = value_grid(low, high, size, few)
            else:
                grids[model] = fitted_grid(low, high, size, sample[scored], positive[scored])
        return grids

    def _pass(self, grids: Mapping[str, Grid], *, keep: bool) -> dict[str, tuple[Ints, Ints]]:
        """All rows counted once; each thread has counts of its own, which add up in any order."""
        models = list(grids)
        gaps = [self.source.gaps(self.columns[model]) for model in models]
        mine: dict[int, list[Counter]] = {}

        def add(batch: Batch) -> None:
            if get_ident() not in mine:
                mine[get_ident()] = [Counter(2 * grids[model].cells) for model in models]
            is_positive, *columns = batch.columns
            tagged = []
            for i, counter in enumerate(mine[get_ident()]):
                scores, rows = _complete(columns[i], is_positive, gaps[i])
                places = counter.add(grids[models[i]], scores, rows)
                if keep:
                    tagged.append(places.astype(np.uint32))
            if keep:
                self.kept[batch.number] = tagged

        in_flight(self._batches(models), add)
        counts = {}
        for i, model in enumerate(models):
            total = np.zeros(2 * grids[model].cells, dtype=np.int64)
            for counters in mine.values():
                total += counters[i].total()
            counts[model] = (total[1::2], total[::2])
        return counts

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

        def add(number: int, tagged: Sequence[Array]) -> None:
            sums, size = np.zeros((2 * k, k)), len(tagged[0])
            # One buffer for all blocks: memory that is asked for again and again is the larger part of the work.
            buffer = np.empty((2 * k, min(BLOCK, size)))
            for start in range(0, size, BLOCK):
                rows = slice(start, start + BLOCK)
                block = buffer[:, : min(BLOCK, size - start)]
                positives, part = block[:k], block[k:]
                for i in range(k):
                    looks[i].take(tagged[i][rows], out=part[i], mode="clip")
                np.multiply(part, tagged[0][rows] & 1, out=positives)
                sums += _products(block, part)
            parts[number] = np.stack([sums[k:] - sums[:k], sums[:k]])

        def add_batch(batch: Batch) -> None:
            is_positive, *columns = batch.columns
            tagged = np.empty((k, len(is_positive)), dtype=np.int64)
            for i, model in enumerate(models):
                tagged_places(tables[model].grid, columns[i], is_positive, tagged[i])
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
            positives=int(first.positives.sum()),
            negatives=int(first.negatives.sum()),
            slack=np.array([tables[model].bins.slack for model in models]),
            error=np.array([bound.standard_error_slack() for bound in bounds]),
        )


def _complete(scores: Floats, positive: Array, gaps: bool) -> tuple[Floats, Array]:
    if not gaps:
        return scores, positive
    scored = ~np.isnan(scores)
    return scores[scored], positive[scored]


def _products(first: Floats, second: Floats) -> Floats:
    """Sums of products of rows with rows, in pieces so small that BLAS keeps to the thread that asks."""
    step = max(256, ALONE // (len(first) * len(second)))
    pieces = (slice(start, start + step) for start in range(0, second.shape[1], step))
    return sum((first[:, piece] @ second[:, piece].T for piece in pieces), np.zeros((len(first), len(second))))


def _area(bins: Bins) -> float:
    positives, negatives = bins.positives.astype(np.float64), bins.negatives.astype(np.float64)
    below = np.cumsum(negatives) - negatives / 2
    return float((positives * below).sum()) / (float(positives.sum()) * float(negatives.sum()))


def _placement_by_place(counted: Counted) -> Floats:
    """For each bin of the grid what a negative's (even) and a positive's (odd) placement is off the area."""
    positives, negatives = counted.positives.astype(np.float64), counted.negatives.astype(np.float64)
    placements = np.empty(2 * len(positives))
    placements[1::2] = (np.cumsum(negatives) - negatives / 2) / negatives.sum()
    placements[::2] = 1 - (np.cumsum(positives) - positives / 2) / positives.sum()
    return placements - _area(counted.bins)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileSource(GroupedSource):
    """A wide table that DuckDB reads; where tables do not fit into memory, batches of its rows are counted here."""

    table: DuckDBTable

    def binned(self, model: str, chosen: Label) -> ScoreTable:
        if self.facts.weights_kind is not None:
            return GroupedSource.binned(self, model, chosen)
        return self._streamed_counts(chosen).tables()[model].bins.table(chosen, self.name)

    def counted_placements(self, models: Sequence[str], chosen: Sequence[Label]) -> Placements:
        return self._streamed_counts(chosen[0]).placements(models)

    def _streamed_counts(self, chosen: Label) -> StreamedCounts:
        """Counts of all models in passes that serve all of them."""
        key = ("streamed", chosen)
        if key not in self.memory:
            columns = {model: self.score_column(model, chosen) for model in self.scored(chosen)}
            self.memory[key] = StreamedCounts(self, columns, chosen, self.memory_budget)
        return self.memory[key]  # type: ignore[no-any-return]

    def pairs_at_once(self, every: Mapping[str, GroupKey], threshold: float | None) -> groups.PairCounts | None:
        labels = self.facts.labels
        codes = len(labels) + any(m.absent for m in self.facts.models)
        if self.facts.weights_kind is not None or len(every) * codes > groups.MOST_COLUMNS or len(labels) < 2:
            return None
        key = ("pairs", threshold)
        if key not in self.memory:
            keys = [ColumnValue(self.layout.truth), *every.values()]
            wanted = [Sql(f"({self._code(one)})::SMALLINT AS k{i}") for i, one in enumerate(keys)]
            batches = self.table.stream(self.table.frame.select(*wanted), [np.int16] * len(keys))
            self.memory[key] = count_pairs(batches, len(labels), len(every), codes)
        return self.memory[key]  # type: ignore[no-any-return]

    def _code(self, key: GroupKey) -> str:
        """A label or a prediction as a code in label order, −1 where it is absent."""
        if not isinstance(key, ColumnValue):
            return str(self.table.expression(key).text)
        stored = [literal(self.table.stored(key.column, label)) for label in self.facts.labels]
        cases = " ".join(f"WHEN {value} THEN {i:d}" for i, value in enumerate(stored))
        return f"CASE {self.table.place(key.column)} {cases} ELSE -1 END"

    def moments(self, model: str, loss: Loss) -> Moments:
        chosen = self._streamable([model])
        if chosen is None or self.table_fits(self.score_column(model, chosen)):
            return GroupedSource.moments(self, model, loss)
        return summed_moments(self, (model,), loss) or self._streamed([model], loss, chosen)

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        chosen = self._streamable([first, second])
        if chosen is None or not self.summed():
            return GroupedSource.paired_moments(self, first, second, loss)
        return summed_moments(self, (first, second), loss) or self._streamed([first, second], loss, chosen)

    def loss_moments(self, wanted: Sequence[Models], function: OfTruth) -> dict[Models, Moments | None]:
        models = list(dict.fromkeys(m for pair in wanted for m in pair))
        assert self.facts.positive is not None
        columns = [self.score_column(model, self.facts.positive) for model in models]
        about = first_losses(self, models, function)
        gaps = any(map(self.gaps, columns))
        place = {model: i for i, model in enumerate(models)}
        places = [[place[m] for m in pair] for pair in wanted]
        parts: dict[int, Floats] = {}

        # The loss of a probability of 0 may be infinite: such a model is asked row by row.
        @np.errstate(divide="ignore", invalid="ignore")
        def add(batch: Batch) -> None:
            is_positive, *scores = batch.columns
            sums = np.zeros((len(wanted), 5))
            buffer = np.empty((len(models), min(BLOCK, len(is_positive))))
            for start in range(0, len(is_positive), BLOCK):
                rows = slice(start, start + BLOCK)
                # The probability of the true class, p or 1 − p, without a branch: 0 + p, or 1 + (−1) · p.
                negative = 1.0 - is_positive[rows]
                sign = 1.0 - 2.0 * negative
                losses = buffer[:, : len(negative)]
                for i, model in enumerate(models):
                    np.multiply(scores[i][rows], sign, out=losses[i])
                    losses[i] += negative
                    np.subtract(function(losses[i]), about[model], out=losses[i])
                for i, (first, *second) in enumerate(places):
                    x = losses[first] - losses[second[0]] if second else losses[first]
                    x = x[~np.isnan(x)] if gaps else x
                    # Not by BLAS, which would share so long a product among threads of its own.
                    square = x * x
                    sums[i] += len(x), x.sum(), square.sum(), *(np.einsum("i,i->", square, y) for y in (x, square))
            parts[batch.number] = sums

        in_flight(self.stream(columns, self.facts.positive), add)
        # In the order of the batches, so that the sums do not depend on which thread was first.
        sums = sum((parts[number] for number in sorted(parts)), np.zeros((len(wanted), 5)))
        return {
            pair: Moments.about(pivot(about, pair), int(n), powers) if np.isfinite(powers[:2]).all() else None
            for pair, (n, *powers) in zip(wanted, sums.tolist(), strict=True)
        }

    def _streamable(self, models: Sequence[str]) -> Label | None:
        """The class that one column of scores of each of these models speaks of; None where there are others."""
        plain = self.facts.weights_kind is None and all(self.facts.model(m).scores == "one" for m in models)
        return self.facts.score_class(models[0], None) if plain else None

    def _streamed(self, models: Sequence[str], loss: Loss, chosen: Label) -> Moments:
        """The loss of a model, or of the first less that of the second, over the rows that all scored."""
        columns = [self.score_column(model, chosen) for model in models]
        for model, column in zip(models, columns, strict=True):
            groups.absent_scores(self.facts, model, self.facts.n - self.table.filled(column))
        index = self.facts.labels.index(chosen)
        total = Moments(0, 0.0, 0.0)
        for batch in self.stream(columns, chosen):
            is_positive, *scores = batch.columns
            scored = ~np.isnan(scores).any(axis=0)
            codes = np.where(is_positive[scored] == 1, index, 1 - index)
            values = [
                np.asarray(loss(codes, probabilities(column[scored], self.facts, model)), dtype=np.float64)
                for model, column in zip(models, scores, strict=True)
            ]
            with np.errstate(invalid="ignore"):
                total += Moments.of(values[0] if len(values) == 1 else values[0] - values[1])
            batch.release()
        return total

    def stream(
        self, columns: Sequence[str], positive: Label, most: int | None = None, *, narrow: bool = False
    ) -> Iterator[Batch]:
        """Batches of rows: whether each is positive (1 or 0), and its scores, NaN where there is none; `narrow` takes
        floats of 32 bits as they are."""
        place, truth = self.table.place, self.layout.truth
        kinds = self.table.narrow(truth, columns) if narrow else None
        wanted = [f"({place(truth)} = {literal(self.table.stored(truth, positive))})::TINYINT"]
        if kinds is not None:
            wanted += [f"{place(c)}{'' if kind is np.float32 else '::DOUBLE'}" for c, kind in kinds.items()]
        else:
            wanted += [
                f"coalesce({place(c)}::DOUBLE, 'nan'::DOUBLE)" if self.gaps(c) else f"{place(c)}::DOUBLE"
                for c in columns
            ]
        frame = self.table.frame if kinds is None else self.table.raw_frame
        frame = frame.select(*(Sql(expression).alias(f"k{i}") for i, expression in enumerate(wanted)))
        frame = frame if most is None else frame.head(most)
        return self.table.stream(frame, [np.int8, *(kinds.values() if kinds else [np.float64] * len(columns))])

    def gaps(self, column: str) -> bool:
        """Whether a column lacks values."""
        return self.table.filled(column) < self.table.n

    def few_scores(self, column: str, most: int) -> Floats | None:
        """The distinct values of a column, where there are few."""
        # What a sample shows to be many needs no look at all rows.
        if self.guessed_distinct(column) > 2 * most or self.about_distinct(column) > 2 * most:
            return None
        values = self.table.few(column, most)
        return None if values is None else np.sort(np.array(values, dtype=np.float64))


def build_file_source(table: DuckDBTable, layout: Layout, options: Options) -> FileSource | None:
    """The rows of a wide file, or None where something is wrong that a look at the rows explains best."""
    facts = counted_facts(table, layout, options)
    return None if facts is None else FileSource(facts=facts, layout=layout, table=table, budget=options.budget)
