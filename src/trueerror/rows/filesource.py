"""Rows in files, counted inside DuckDB."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    merge_labels,
    natural_labels,
    ordered,
    plain_label,
    recode,
)
from trueerror.inputs.weights import WeightsKind
from trueerror.rows import groups
from trueerror.rows.arrays import ArraySource
from trueerror.rows.building import build
from trueerror.rows.files import FileTable
from trueerror.rows.gathering import given_rows
from trueerror.rows.grouping import Cut, GroupedSource, Groups, Is, Part, Value, key_columns
from trueerror.rows.layout import Layout, Options
from trueerror.rows.source import KINDS, Facts, KeyKind, ModelFacts, ScoreRange
from trueerror.rows.thresholds import apply_threshold

# Below this many rows a GROUP BY is quick whatever it finds.
MANY_ROWS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FileSource(GroupedSource):
    """A wide table in files; nothing but counts leaves DuckDB, unless a method needs rows."""

    facts: Facts
    layout: Layout
    table: FileTable

    @property
    def name(self) -> str:
        return self.table.name

    def with_facts(self, facts: Facts) -> FileSource:
        return replace(self, facts=facts)

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

    def score_range(self, model: str) -> ScoreRange:
        facts = self.facts.model(model)
        if facts.scores == "none":
            raise InputError(f"{model!r} has labels only; this needs its scores: pass them in scores=")
        layout = self.layout.models[model]
        names = [layout.score] if layout.score is not None else list((layout.class_scores or {}).values())
        columns = [f"{self.table.place(str(name))}::DOUBLE" for name in names]
        both = [f"min({c})" for c in columns] + [f"max({c})" for c in columns]
        if facts.scores == "each":
            both += [f"min({' + '.join(columns)})", f"max({' + '.join(columns)})"]
        found = [
            math.nan if v is None else float(v) for v in self.table.ask(f"SELECT {', '.join(both)} FROM counted")[0]
        ]
        k = len(columns)
        return ScoreRange(min(found[:k]), max(found[k : 2 * k]), *found[2 * k :])

    def key_values(self, kind: KeyKind) -> tuple[list[tuple[Any, ...]], tuple[Label, ...]]:
        columns = key_columns(self.layout, kind)
        places = ", ".join(self.table.place(column) for column in columns)
        found = self.table.ask(f"SELECT DISTINCT {places} FROM counted")
        named = [_names(sorted({row[i] for row in found}, key=_key_order)) for i in range(len(columns))]
        order = [{label: i for i, label in enumerate(ordered(names.values()))} for names in named]
        found.sort(key=lambda row: [order[i][named[i][value]] for i, value in enumerate(row)])
        if len(columns) == 1:
            return found, tuple(named[0][value] for (value,) in found)
        return found, tuple(f"repeat {named[0][r]}, fold {named[1][f]}" for r, f in found)

    def narrowed(self, kind: KeyKind, values: tuple[Any, ...]) -> FileSource:
        table = self.table
        for column, value in zip(key_columns(self.layout, kind), values, strict=True):
            table = table.narrowed(column, value)
        models = tuple(replace(m, absent=_absent(table, self.layout, m.name)) for m in self.facts.models)
        return replace(self, table=table, facts=replace(self.facts, n=table.n, models=models))

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
    n = table.n
    needed = [layout.truth, *layout.keys.values(), *([layout.weight] if layout.weight else [])]
    if any(table.filled(column) < n for column in needed) or not _sound(table, layout, options.weights_kind):
        return None
    try:
        seen = {"truth": _labels(table, layout.truth)}
        for name, model in layout.models.items():
            if model.label is not None:
                seen[f"the labels of {name}"] = _labels(table, model.label)
            if any(
                table.kind(c) not in ("boolean", "integer", "number")
                for c in model.columns()[model.label is not None :]
            ):
                return None
        order = natural_labels(merge_labels(seen)) if options.labels is None else check_labels(options.labels)
        chosen = None if options.positive is None else find_label(options.positive, order)
    except InputError:
        return None
    known = frozenset(order)
    if any(value not in known for values in seen.values() for value in values):
        return None
    if any(m.class_scores is not None and set(m.class_scores) != known for m in layout.models.values()):
        return None
    models = tuple(
        ModelFacts(
            name=name,
            has_labels=model.label is not None,
            scores="one" if model.score is not None else "each" if model.class_scores is not None else "none",
            absent=_absent(table, layout, name),
        )
        for name, model in layout.models.items()
    )
    if options.missing == "error" and any(m.absent for m in models):
        return None
    facts = Facts(
        n=n,
        labels=order,
        chosen=chosen,
        models=apply_threshold(models, options.threshold),
        declared=options.labels is not None,
        kinds=tuple(kind for kind in KINDS if kind in layout.keys),
        has_ids=layout.id is not None,
        weights_kind=options.weights_kind,
        missing=options.missing,
    )
    return FileSource(facts=facts, layout=layout, table=table)


def _labels(table: FileTable, column: str) -> tuple[Label, ...]:
    """The distinct labels of a column; a value that is none raises."""
    values = table.few(column, table.n) or ()
    if table.kind(column) == "other":
        raise InputError(f"column {column!r} holds neither text nor numbers")
    return ordered(plain_label(value, f"column {column!r}") for value in values)


def _absent(table: FileTable, layout: Layout, model: str) -> int:
    places = [table.place(column) for column in layout.models[model].columns()]
    gone = " OR ".join(f"{place} IS NULL" for place in places)
    return int(table.ask(f"SELECT count(*) FROM counted WHERE {gone}")[0][0])


def _sound(table: FileTable, layout: Layout, weights_kind: WeightsKind | None) -> bool:
    """Whether ids differ from row to row and weights are what their kind says."""
    if layout.id is not None and not _plainly_distinct(table, layout.id):
        columns = [table.place(layout.id)]
        columns += [table.place(layout.keys["repeats"])] if "repeats" in layout.keys else []
        distinct = table.ask(f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(columns)} FROM counted)")[0][0]
        if distinct < table.n or table.filled(layout.id) < table.n:
            return False
    if layout.weight is not None:
        if weights_kind is None or table.kind(layout.weight) not in ("boolean", "integer", "number"):
            return False
        weight = f"{table.place(layout.weight)}::DOUBLE"
        whole = f"AND {weight} = floor({weight})" if weights_kind == "frequency" else ""
        sound, most = table.ask(
            f"SELECT bool_and(isfinite({weight}) AND {weight} >= 0 {whole}), max({weight}) FROM counted"
        )[0]
        return bool(sound) and most > 0
    return weights_kind is None


def _plainly_distinct(table: FileTable, column: str) -> bool:
    """Whether whole numbers differ, by sorting them: far quicker than grouping so many."""
    if table.kind(column) != "integer" or table.filled(column) < table.n:
        return False
    values = table.values(column)
    if bool((values[1:] > values[:-1]).all()):
        return True
    values = np.sort(values)
    return bool((values[1:] > values[:-1]).all())


def _key_order(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _names(values: Sequence[Any]) -> dict[Any, Label]:
    """Keys as labels; where one is no label, all go by their text."""
    try:
        return {value: plain_label(value) for value in values}
    except InputError:
        return {value: str(value) for value in values}
