"""Rows in files and in DuckDB's own relations, counted inside DuckDB.

Large files, counted in passes: batches stream out of DuckDB into counting kernels.

A GROUP BY of as many groups as there are scores needs a hash table of that size; adding batches into plain arrays of
counts takes a fraction of the time, and of the memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Codes, Label, code_column, recode
from trueerror.kernels._histogram import BLOCK, Counter, Grid, even_grid, pivoted, tagged_places
from trueerror.kernels._random import in_threads
from trueerror.sources._build import build, given_rows
from trueerror.sources._protocols import KeyKind, Layout, Loss, Options, ScoreRange
from trueerror.sources.engines import _group_tallies as groups
from trueerror.sources.engines._arrow_stream import MOST_COLUMNS, Batch, PairCounts, count_pairs, in_flight
from trueerror.sources.engines._binned import (
    EXACT_BYTES,
    ROUNDS,
    SAMPLE,
    TARGET,
    Bins,
    bin_count,
    bins_of,
    finer,
    fitted_grid,
    guessed_distinct,
)
from trueerror.sources.engines._duckdb_tables import FileTable, literal
from trueerror.sources.engines._group_tallies import Cut, Groups, Is, Part, Place, Value, Within
from trueerror.sources.engines._groupby import GroupedSource, counted_facts, key_columns, named_keys
from trueerror.sources.engines._memory import need_room
from trueerror.sources.engines._numpy import ArraySource, probabilities
from trueerror.tallies import Moments, ScoreTable
from trueerror.tallies._moments import Placements
from trueerror.tallies._score_bounds import ScoreBounds

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


# Below this many rows a GROUP BY is quick whatever it finds.
MANY_ROWS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileSource(GroupedSource):
    """A wide table in files; nothing but counts leaves DuckDB, unless a method needs rows."""

    table: FileTable

    def group(self, parts: Sequence[Part], *, weighted: bool = True, within: Within | None = None) -> Groups:
        amounts = ["count(*)"]
        kind = self.facts.weights_kind if weighted else None
        if kind is not None and self.layout.weight is not None:
            weight = f"{self.table.place(self.layout.weight)}::DOUBLE"
            frequency = [f"sum({self.table.place(self.layout.weight)}::HUGEINT)::BIGINT"]
            # fsum compensates, so that the order in which threads add does not show.
            amounts = (
                frequency if kind == "frequency" else ["count(*)", f"fsum({weight})", f"fsum({weight} * {weight})"]
            )
        grouped = f" GROUP BY {', '.join(str(i + 1) for i in range(len(parts)))}"
        if within is None:
            return self._groups(parts, amounts, grouped)
        low, high = literal(within.low), literal(within.high)
        place = f"{self.table.place(within.column)}::DOUBLE"
        return self._groups(parts, amounts, f" WHERE {place} BETWEEN {low} AND {high}{grouped}")

    def rows(self, parts: Sequence[Part]) -> Groups:
        amounts = ["1"]
        if self.layout.weight is not None and self.facts.weights_kind is not None:
            weight = f"{self.table.place(self.layout.weight)}::DOUBLE"
            frequency = self.facts.weights_kind == "frequency"
            amounts = [f"{weight}::BIGINT"] if frequency else ["1", weight, f"{weight} * {weight}"]
        return self._groups(parts, amounts, "")

    def _groups(self, parts: Sequence[Part], amounts: list[str], ending: str) -> Groups:
        expressions, values = [], []
        for part in parts:
            expression, parameters = self._expression(part)
            expressions.append(expression)
            values += parameters
        named = ", ".join(f"{e} AS p{i}" for i, e in enumerate([*expressions, *amounts]))
        found = self.table.fetch(f"SELECT {named} FROM counted{ending}", values)
        columns, counts = found[: len(parts)], found[len(parts)].astype(np.int64)
        sums, squares = [*found[len(parts) + 1 :], None, None][:2]
        return Groups(tuple(columns), groups.Masses(counts, sums, squares))

    def truth_counts(self) -> NDArray[np.int64]:
        known = self.table.tallied(self.layout.truth)
        if known is None:
            return GroupedSource.truth_counts(self)
        return np.array([known.get(label, 0) for label in self.facts.labels], dtype=np.int64)

    def nearly_distinct(self, column: str) -> bool:
        return self.table.n >= MANY_ROWS and self.about_distinct(column) > self.table.n // 8

    def about_distinct(self, column: str) -> int:
        if ("distinct", column) not in self.memory:
            # Of all columns of scores at once: one look at the rows serves every model.
            scored = [c for columns in self._score_columns().values() for c in columns]
            self._guess_distinct([c for c in dict.fromkeys([column, *scored]) if ("distinct", c) not in self.memory])
        return int(self.memory["distinct", column])

    def _guess_distinct(self, columns: Sequence[str]) -> None:
        left = list(columns)
        if not self.table.where:
            # A sample without repetitions shows that there are many, without a look at all rows.
            places = [self.table.place(column) for column in left]
            asked = ", ".join(f"count({place}), count(DISTINCT {place})" for place in places)
            sample = f"(SELECT {', '.join(places)} FROM counted LIMIT {SAMPLE})"
            found = self.table.ask(f"SELECT {asked} FROM {sample}")[0]
            guesses = [guessed_distinct(*found[i : i + 2]) for i in range(0, len(found), 2)]
            many = {c: guess for c, guess in zip(left, guesses, strict=True) if guess * EXACT_BYTES > 4 * self.room}
            self.memory.update({("distinct", c): min(int(guess), self.table.n) for c, guess in many.items()})
            left = [c for c in left if c not in many]
        if left:
            asked = ", ".join(f"approx_count_distinct({self.table.place(column)})" for column in left)
            counts = self.table.ask(f"SELECT {asked} FROM counted")[0]
            # The estimate is off by some percent.
            guessed = zip(left, counts, strict=True)
            self.memory.update({("distinct", c): min(int(1.1 * k), self.table.n) for c, k in guessed})

    def binned(self, model: str, chosen: Label) -> ScoreTable:
        if self.facts.weights_kind is not None:
            return GroupedSource.binned(self, model, chosen)
        return self._census(chosen).tables()[model].bins.table(chosen, self.name)

    def counted_placements(self, models: Sequence[str], chosen: Sequence[Label]) -> Placements:
        return self._census(chosen[0]).placements(models)

    def pairs_at_once(self, every: Mapping[str, Part], threshold: float | None) -> PairCounts | None:
        labels = self.facts.labels
        codes = len(labels) + any(m.absent for m in self.facts.models)
        if self.facts.weights_kind is not None or len(every) * codes > MOST_COLUMNS or len(labels) < 2:
            return None
        key = ("pairs", threshold)
        if key not in self.memory:
            parts = [Value(self.layout.truth), *every.values()]
            wanted = ", ".join(f"({self._code(part)})::SMALLINT AS p{i}" for i, part in enumerate(parts))
            batches = self.table.stream(f"SELECT {wanted} FROM counted", [np.int16] * len(parts))
            self.memory[key] = count_pairs(batches, len(labels), len(every), codes)
        return self.memory[key]  # type: ignore[no-any-return]

    def _code(self, part: Part) -> str:
        """A label or a call as a code in label order, −1 where it is absent; values as literals."""
        if isinstance(part, Value):
            place = self.table.place(part.column)
            cases = " ".join(
                f"WHEN {literal(self._raw(part.column, label))} THEN {i:d}" for i, label in enumerate(self.facts.labels)
            )
            return f"CASE {place} {cases} ELSE -1 END"
        expression, values = self._expression(part)
        first, *rest = expression.split("?")
        return first + "".join(literal(v) + text for v, text in zip(values, rest, strict=True))

    def _census(self, chosen: Label) -> Census:
        """Counts of all models in passes that serve all of them."""
        key = ("census", chosen)
        if key not in self.memory:
            one = chosen == self.facts.positive
            scored = [m.name for m in self.facts.models if m.scores == "each" or (m.scores == "one" and one)]
            columns = {model: self._score_column(model, chosen) for model in scored}
            self.memory[key] = Census(self, columns, chosen, self.room)
        return self.memory[key]  # type: ignore[no-any-return]

    def moments(self, model: str, loss: Loss) -> Moments:
        chosen = self._streamable([model])
        if chosen is None or self.table_fits(self._score_column(model, chosen)):
            return GroupedSource.moments(self, model, loss)
        return self._streamed([model], loss, chosen)

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        chosen = self._streamable([first, second])
        # Rows that fit are fetched once, and serve every loss.
        if chosen is None or 8 * self.facts.n * 2 <= self.room:
            return GroupedSource.paired_moments(self, first, second, loss)
        return self._streamed([first, second], loss, chosen)

    def _streamable(self, models: Sequence[str]) -> Label | None:
        """The class that one column of scores of each of these models speaks of; None where there are others."""
        plain = self.facts.weights_kind is None and all(self.facts.model(m).scores == "one" for m in models)
        return self.facts.score_class(models[0], None) if plain else None

    def _streamed(self, models: Sequence[str], loss: Loss, chosen: Label) -> Moments:
        """The loss of a model, or of the first less that of the second, over the rows that all scored."""
        columns = [self._score_column(model, chosen) for model in models]
        for model, column in zip(models, columns, strict=True):
            groups.absent_scores(self.facts, model, self.facts.n - self.table.filled(column))
        index = self.facts.labels.index(chosen)
        total = Moments(0, 0.0, 0.0)
        for batch in self.stream(columns, chosen):
            up, *scores = batch.columns
            there = ~np.isnan(scores).any(axis=0)
            codes = np.where(up[there] == 1, index, 1 - index)
            values = [
                np.asarray(loss(codes, probabilities(column[there], self.facts, model)), dtype=np.float64)
                for model, column in zip(models, scores, strict=True)
            ]
            with np.errstate(invalid="ignore"):
                total += Moments.of(values[0] if len(values) == 1 else values[0] - values[1])
            batch.release()
        return total

    def stream(self, columns: Sequence[str], positive: Label, most: int | None = None) -> Iterator[Batch]:
        """Batches of rows: whether each is positive (1 or 0), and its scores, NaN where there is none."""
        place = self.table.place
        label = literal(self._raw(self.layout.truth, positive))
        wanted = [f"({place(self.layout.truth)} = {label})::TINYINT"]
        wanted += [
            f"coalesce({place(c)}::DOUBLE, 'nan'::DOUBLE)" if self.gaps(c) else f"{place(c)}::DOUBLE" for c in columns
        ]
        named = ", ".join(f"{expression} AS p{i}" for i, expression in enumerate(wanted))
        limit = "" if most is None else f" LIMIT {most:d}"
        query = f"SELECT {named} FROM counted{limit}"
        return self.table.stream(query, [np.int8, *[np.float64] * len(columns)])

    def gaps(self, column: str) -> bool:
        """Whether a column lacks values."""
        return self.table.filled(column) < self.table.n

    def few_scores(self, column: str, most: int) -> Floats | None:
        """The distinct values of a column, where there are few."""
        if self.about_distinct(column) > 2 * most:
            return None
        found = self.table.few(column, most)
        return None if found is None else np.sort(np.array(found, dtype=np.float64))

    def _expression(self, part: Part) -> tuple[str, list[Any]]:
        place = self.table.place
        if isinstance(part, Value):
            return place(part.column), []
        if isinstance(part, Is):
            return f"CASE WHEN {place(part.column)} = ? THEN 1 ELSE 0 END", [self._raw(part.column, part.label)]
        if isinstance(part, Cut):
            column = place(part.column)
            cut = f"WHEN {column}::DOUBLE >= ?::DOUBLE THEN {part.above:d} ELSE {part.below:d}"
            return f"CASE WHEN {column} IS NULL THEN -1 {cut} END", [part.threshold]
        if isinstance(part, Place):
            column, lowest = f"{place(part.column)}::DOUBLE", part.pieces[-1]
            cases = "".join(f" WHEN {column} >= {literal(p[0])} THEN {_step(column, *p)}" for p in part.pieces[:-1])
            other = f" WHEN {column} IS NOT NULL THEN {_step(column, *lowest)}"
            return f"(CASE{cases}{other} END)::BIGINT", []
        columns = [f"{place(column)}::DOUBLE" for column in part.columns]
        listed = ", ".join(columns)
        # The list finds the first of equal scores, so the first class wins ties.
        best = f"list_position([{listed}], greatest({listed})) - 1"
        absent = " OR ".join(f"{column} IS NULL" for column in columns)
        return f"CASE WHEN {absent} THEN -1 ELSE {best} END", []

    def _raw(self, column: str, label: Label) -> Any:
        """A label as the column holds it: booleans equal 0 and 1."""
        if isinstance(label, str):
            return label
        return bool(label) if self.table.kind(column) == "boolean" else int(label)

    def score_ranges(self) -> dict[str, ScoreRange]:
        columns = self._score_columns()
        found = {c: self.table.column_range(c) for names in columns.values() for c in names}
        sums = {
            model: f"{' + '.join(f'{self.table.place(c)}::DOUBLE' for c in names)}"
            for model, names in columns.items()
            if self.facts.model(model).scores == "each"
        }
        asked = ", ".join(f"min({total}), max({total})" for total in sums.values())
        ends = self.table.ask(f"SELECT {asked} FROM counted")[0] if sums else ()
        totals = {m: [math.nan if v is None else float(v) for v in ends[2 * i : 2 * i + 2]] for i, m in enumerate(sums)}
        return {
            model: ScoreRange(min(found[c][0] for c in names), max(found[c][1] for c in names), *totals.get(model, ()))
            for model, names in columns.items()
        }

    def key_values(self, kind: KeyKind) -> tuple[list[tuple[Any, ...]], tuple[Label, ...]]:
        places = ", ".join(self.table.place(column) for column in key_columns(self.layout, kind))
        return named_keys(self.table.ask(f"SELECT DISTINCT {places} FROM counted"))

    def narrowed(self, kind: KeyKind, values: tuple[Any, ...]) -> FileSource:
        table = self.table
        for column, value in zip(key_columns(self.layout, kind), values, strict=True):
            table = table.narrowed(column, value)
        models = tuple(replace(m, absent=table.absent(self.layout.models[m.name].columns())) for m in self.facts.models)
        return replace(self, table=table, facts=replace(self.facts, n=table.n, models=models), memory={})

    def truth_codes(self) -> Codes:
        coded = code_column(self.table.values(self.layout.truth), "truth")
        return recode(coded, self.facts.labels, "truth")

    def fetched(self) -> ArraySource:
        facts = self.facts
        layout = self.layout.select(tuple(m.name for m in facts.models))
        layout = layout if facts.has_ids else replace(layout, id=None)
        options = Options(labels=facts.labels, weights_kind=facts.weights_kind, missing=facts.missing)
        columns, whole = (sum(len(m.columns()) for m in part.models.values()) for part in (layout, self.layout))
        need_room(
            facts.n, columns, f"the rows of {self.table.name}", self.room, all_columns=whole,
            clustered="clusters" in facts.kinds,
        )  # fmt: skip
        return build(given_rows(self.table, layout, options)).with_facts(facts)


def _step(column: str, low: float, scale: float, top: int, first: int) -> str:
    steps = f"floor(({column} - {literal(low)}) * {literal(scale)})"
    return f"{first:d} + greatest(0, least({top:d}, {steps}))"


def build_file_source(table: FileTable, layout: Layout, options: Options) -> FileSource | None:
    """The rows of a wide file, or None where something is wrong that a look at the rows explains best."""
    facts = counted_facts(table, layout, options)
    return None if facts is None else FileSource(facts=facts, layout=layout, table=table, budget=options.budget)
