"""Rows in files and in DuckDB's own relations, counted inside DuckDB."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Codes, Label, code_column, recode
from trueerror.rows import groups
from trueerror.rows.arrays import ArraySource
from trueerror.rows.binning import EXACT_BYTES, SAMPLE, guessed_distinct
from trueerror.rows.building import build
from trueerror.rows.census import Census
from trueerror.rows.counted import counted_facts, named_keys
from trueerror.rows.files import FileTable
from trueerror.rows.gathering import given_rows
from trueerror.rows.grouping import GroupedSource, key_columns
from trueerror.rows.layout import Layout, Options
from trueerror.rows.losses import probabilities
from trueerror.rows.pair_census import MOST_COLUMNS, PairCounts, count_pairs
from trueerror.rows.parts import Cut, Groups, Is, Part, Place, Value, Within
from trueerror.rows.room import need_room
from trueerror.rows.source import Floats, KeyKind, Loss, ScoreRange
from trueerror.rows.sqltext import literal
from trueerror.rows.streams import Batch
from trueerror.tallies import Moments, ScoreTable
from trueerror.tallies.placements import Placements

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
