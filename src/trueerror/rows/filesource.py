"""Rows in files and in DuckDB's own relations, counted inside DuckDB."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from trueerror.inputs.labels import Codes, Label, code_column, recode
from trueerror.rows import groups
from trueerror.rows.arrays import ArraySource
from trueerror.rows.building import build
from trueerror.rows.counted import counted_facts, named_keys
from trueerror.rows.files import FileTable
from trueerror.rows.gathering import given_rows
from trueerror.rows.grouping import Cut, GroupedSource, Groups, Is, Part, Value, key_columns
from trueerror.rows.layout import Layout, Options
from trueerror.rows.source import Facts, KeyKind, ScoreRange

# Below this many rows a GROUP BY is quick whatever it finds.
MANY_ROWS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileSource(GroupedSource):
    """A wide table in files; nothing but counts leaves DuckDB, unless a method needs rows."""

    facts: Facts
    layout: Layout
    table: FileTable
    memory: dict[Any, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.table.provenance

    def with_facts(self, facts: Facts) -> FileSource:
        return replace(self, facts=facts, memory={})

    def group(self, parts: Sequence[Part], *, weighted: bool = True) -> Groups:
        amounts = ["count(*)"]
        kind = self.facts.weights_kind if weighted else None
        if kind is not None and self.layout.weight is not None:
            weight = f"{self.table.place(self.layout.weight)}::DOUBLE"
            frequency = [f"sum({self.table.place(self.layout.weight)}::HUGEINT)::BIGINT"]
            # fsum compensates, so that the order in which threads add does not show.
            amounts = (
                frequency if kind == "frequency" else ["count(*)", f"fsum({weight})", f"fsum({weight} * {weight})"]
            )
        return self._groups(parts, amounts, f" GROUP BY {', '.join(str(i + 1) for i in range(len(parts)))}")

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

    def nearly_distinct(self, column: str) -> bool:
        if self.table.n < MANY_ROWS:
            return False
        place = self.table.place(column)
        return int(self.table.ask(f"SELECT approx_count_distinct({place}) FROM counted")[0][0]) > self.table.n // 8

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
        asked: list[str] = []
        columns = {m: [f"{self.table.place(c)}::DOUBLE" for c in names] for m, names in self._score_columns().items()}
        for scores in columns.values():
            total = " + ".join(scores)
            asked += [f"least({', '.join(f'min({s})' for s in scores)})"]
            asked += [f"greatest({', '.join(f'max({s})' for s in scores)})"]
            asked += [f"min({total})", f"max({total})"]
        found = [
            math.nan if v is None else float(v) for v in self.table.ask(f"SELECT {', '.join(asked)} FROM counted")[0]
        ]
        return {
            model: ScoreRange(*found[4 * i : 4 * i + (4 if len(scores) > 1 else 2)])
            for i, (model, scores) in enumerate(columns.items())
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
        return build(given_rows(self.table, layout, options)).with_facts(facts)


def build_file_source(table: FileTable, layout: Layout, options: Options) -> FileSource | None:
    """The rows of a wide file, or None where something is wrong that a look at the rows explains best."""
    facts = counted_facts(table, layout, options)
    return None if facts is None else FileSource(facts=facts, layout=layout, table=table)
