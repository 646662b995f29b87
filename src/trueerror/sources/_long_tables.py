"""Long tables, one row for each item and model, turned into columns for each model.

Within the memory budget that is done in memory; beyond it where the rows are, by one GROUP BY over the items: for each
item and model there is at most one row, so the largest value of a model's rows is the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, missing_rows
from trueerror.inputs._labels import Codes, Label
from trueerror.inputs._memory import need_memory
from trueerror.inputs._options import InputError, nearest
from trueerror.sources._keys import key_column, plain_id
from trueerror.sources._tables import ColumnsTable, InputTable, Kind, Layout, ModelLayout
from trueerror.sources.engines._engine_table import AnyTable, EngineTable

# More models than this in a column are a mistake, and a query of so many columns would take long.
MOST_MODELS = 1_000


class WideColumn(NamedTuple):
    """A column of the wide table: the values of `source` in the rows of one model, or (None) in all rows of an item."""

    source: str
    model: str | None
    name: str
    kind: Kind


def widened_there(table: AnyTable, layout: Layout, models: Sequence[str], budget: int) -> tuple[InputTable, Layout]:
    """The wide table, its rows where they were, and its layout."""
    assert layout.model is not None
    if layout.id is None:
        need_memory(
            table.n, len(table.columns), "the rows of a long table without an id column (id= names one), side by side,",
            budget,
        )  # fmt: skip
        raise InputError("a long table needs an id column to be put side by side: name it with id=")
    spreads, wide = _spreads(table, layout, models)
    return _wide_table(table, layout, spreads, models), wide


def _spreads(table: AnyTable, layout: Layout, models: Sequence[str]) -> tuple[list[WideColumn], Layout]:
    """All columns of the wide table, and which are whose."""
    shared = [layout.truth, *layout.keys.values(), *([layout.weight] if layout.weight else [])]
    spreads = [WideColumn(str(layout.id), None, str(layout.id), table.kind(str(layout.id)))]
    spreads += [WideColumn(c, None, c, table.kind(c)) for c in dict.fromkeys(shared) if c != layout.id]
    parts, layouts = layout.models[""], {}

    def column(source: str | None, model: str) -> str | None:
        if source is None:
            return None
        spreads.append(WideColumn(source, model, f"{source!r} of model {model!r}", table.kind(source)))
        return spreads[-1].name

    for model in models:
        classes: Mapping[Label, str] | None = None
        if parts.class_scores is not None:
            classes = {v: str(column(source, model)) for v, source in parts.class_scores.items()}
        layouts[model] = ModelLayout(
            label=column(parts.label, model), score=column(parts.score, model), class_scores=classes
        )
    return spreads, replace(layout, models=layouts, model=None)


def _item_columns(layout: Layout) -> list[str]:
    """The columns that together name an item."""
    repeats = layout.keys.get("repeats")
    return [str(layout.id), *([repeats] if repeats is not None else [])]


def _wide_table(table: AnyTable, layout: Layout, spreads: Sequence[WideColumn], models: Sequence[str]) -> AnyTable:
    d, col = table.dialect, table.col
    whose = d.text(col(str(layout.model)))
    is_model = {m: d.equal(whose, m) for m in models}
    one, none = d.constant(1), d.constant(0)
    items = _item_columns(layout)
    same = [s.source for s in spreads if s.model is None and s.source not in items]

    def comparable(column: str) -> Any:
        return d.whole(col(column)) if table.kind(column) == "boolean" else col(column)

    parts = [col(c).alias(f"i{i}") for i, c in enumerate(items)]
    amounts = [d.rows().alias("rows")]
    for i, s in enumerate(spreads):
        value = comparable(s.source)
        parts.append((value if s.model is None else d.choose(is_model[s.model], value)).alias(f"v{i}"))
        amounts.append(d.highest(d.column(f"v{i}")).alias(f"v{i}"))
    for i, m in enumerate(models):
        parts.append(d.choose(is_model[m], one, none).alias(f"m{i}"))
        amounts.append(d.whole_total(d.column(f"m{i}")).alias(f"m{i}"))
    for i, c in enumerate(same):
        parts.append(comparable(c).alias(f"s{i}"))
        value = d.column(f"s{i}")
        amounts += [d.lowest(value).alias(f"low{i}"), d.highest(value).alias(f"high{i}"), d.count(value).alias(f"n{i}")]
    rows = table.frame.filter(d.any_of(list(is_model.values()))).select(*parts)
    wide = rows.group_by(*(f"i{i}" for i in range(len(items)))).agg(*amounts)
    typed = [d.boolean(d.column(f"v{i}")) if s.kind == "boolean" else d.column(f"v{i}") for i, s in enumerate(spreads)]
    twice = d.any_of([d.column(f"m{i}") > 1 for i in range(len(models))])
    checks = [d.choose(twice, one, none).alias("twice")]
    for i in range(len(same)):
        filled = d.column(f"n{i}")
        differ = (d.column(f"low{i}") < d.column(f"high{i}")) | (filled < d.column("rows"))
        checks.append(d.choose((filled > 0) & differ, one, none).alias(f"changes{i}"))
    columns, kinds = tuple(s.name for s in spreads), tuple(s.kind for s in spreads)
    wide_table = table.made(
        wide.select(*(part.alias(f"c{i}") for i, part in enumerate(typed)), *checks), columns, kinds
    )
    flags = ["twice", *(f"changes{i}" for i in range(len(same)))]
    twice_there, *changes = wide_table.ask(*(d.highest(d.column(flag)).alias(flag) for flag in flags)).values()
    if twice_there:
        raise InputError(
            f"{table.name} has two rows of one model for one {layout.id!r}; ids must differ from row to row of a model"
        )
    changing = [c for c, changed in zip(same, changes, strict=True) if changed]
    if changing:
        raise InputError(
            f"column {changing[0]!r} of {table.name} differs between rows of one {layout.id!r}; it must be the same in "
            "the rows of all models"
        )
    return wide_table


Ints = NDArray[np.int64]


def widen(table: InputTable, layout: Layout, wanted: Sequence[str] | None, budget: int) -> tuple[InputTable, Layout]:
    """A wide table of the same answers, items in the order in which they first come, and its layout.

    What is in files or in an engine comes into memory within the budget, and is put side by side there beyond it.
    """
    assert layout.model is not None
    if isinstance(table, EngineTable) and 8 * table.n * len(table.columns) > budget:
        named = table.few(layout.model, MOST_MODELS)
        if table.kind(layout.model) not in ("text", "integer"):
            raise InputError(f"column {layout.model!r} of {table.name} must name models by text or by whole numbers")
        if named is None:
            raise InputError(f"column {layout.model!r} of {table.name} names more than {MOST_MODELS:,} models")
        if table.filled(layout.model) < table.n:
            raise InputError(f"column {layout.model!r} of {table.name} is missing in some rows; it names their models")
        return widened_there(table, layout, _chosen([str(name) for name in sorted(named)], wanted, table), budget)
    codes, names = key_column(table.values(layout.model), f"column {layout.model!r} of {table.name}")
    models = [str(name) for name in names]
    chosen = _chosen(models, wanted, table)
    items, item_names = _items(table, layout, codes)
    first = _first_rows(items)
    cell = items * max(len(models), 1) + codes
    _refuse_twice(cell, len(models), models, item_names, table)
    columns: dict[str, Column] = {}
    shared = [layout.truth, *layout.keys.values(), *([layout.weight] if layout.weight else [])]
    for column in dict.fromkeys(shared):
        values = table.values(column)
        _refuse_change(
            values, items, first, item_names, f"column {column!r} of {table.name}", by_id=layout.id is not None
        )
        columns[column] = values[first]
    if layout.id is not None:
        columns[layout.id] = table.values(layout.id)[first]
    spread: dict[str, ModelLayout] = {}
    for name in chosen:
        rows = np.flatnonzero(codes == models.index(name))
        spread[name] = _spread(table, layout.models[""], name, rows, items[rows], len(first), columns)
    wide = ColumnsTable(columns, name=table.name, backend=table.backend, provenance=table.provenance)
    return wide, Layout(
        truth=layout.truth,
        models=spread,
        id=layout.id,
        keys=layout.keys,
        weight=layout.weight,
        roles=layout.roles,
        notes=layout.notes,
    )


def _chosen(models: list[str], wanted: Sequence[str] | None, table: InputTable) -> list[str]:
    if wanted is None:
        return models
    unknown = next((name for name in wanted if name not in models), None)
    if unknown is not None:
        raise InputError(f"models= names {unknown!r}, which is not in {table.name}{nearest(unknown, models)}")
    return list(wanted)


def _items(table: InputTable, layout: Layout, codes: Codes) -> tuple[Ints, Column]:
    """Which item each row is of, numbered by first appearance, and how to name it in a message."""
    if layout.id is not None:
        ids, _ = key_column(table.values(layout.id), f"column {layout.id!r} of {table.name}")
        if "repeats" in layout.keys:
            repeats, _ = key_column(table.values(layout.keys["repeats"]), "repeats")
            ids = ids.astype(np.int64) * (int(repeats.max(initial=0)) + 1) + repeats
        return _by_appearance(ids.astype(np.int64)), table.values(layout.id)
    # Without ids the k-th row of every model is the same item; a truth that changes tells when that is wrong.
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max(initial=0)) + 1))
    running = np.empty(len(codes), dtype=np.int64)
    running[order] = np.arange(len(codes)) - starts[codes[order]]
    return running, running + 1


def _by_appearance(codes: Ints) -> Ints:
    _, first, again = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[again]


def _first_rows(items: Ints) -> Ints:
    first = np.full(int(items.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[items[::-1]] = np.arange(len(items) - 1, -1, -1)
    return first


def _refuse_twice(cell: Ints, size: int, models: list[str], shown: Column, table: InputTable) -> None:
    order = np.argsort(cell, kind="stable")
    same = np.flatnonzero(cell[order][1:] == cell[order][:-1])
    if len(same):
        first, again = int(order[same[0]]), int(order[same[0] + 1])
        raise InputError(
            f"{table.name} has two rows of model {models[cell[first] % size]!r} for id {plain_id(shown[first])!r} "
            f"(rows {first + 1:,} and {again + 1:,}); ids must differ from row to row"
        )


def _refuse_change(values: Column, items: Ints, first: Ints, shown: Column, place: str, *, by_id: bool) -> None:
    usual = values[first][items]
    absent = missing_rows(values)
    changed = np.asarray(values != usual) & ~(absent & missing_rows(usual))
    if changed.any():
        row = int(np.argmax(changed))
        item = f"id {plain_id(shown[row])!r}" if by_id else f"item {plain_id(shown[row])}"
        hint = "" if by_id else "; without ids the rows of each model must be in one order: name the id column with id="
        raise InputError(
            f"{place} is {plain_id(usual[row])!r} in one row of {item} and {plain_id(values[row])!r} in another "
            f"(row {row + 1:,}){hint}"
        )


def _spread(
    table: InputTable, parts: ModelLayout, name: str, rows: Ints, items: Ints, n: int, columns: dict[str, Column]
) -> ModelLayout:
    """The answers of one model as columns of their own, under names that no other column has."""

    def column(source: str, word: str) -> str | None:
        values = table.values(source)[rows]
        if missing_rows(values).all():
            return None
        numeric = table.kind(source) in ("integer", "number", "boolean") and word != "labels"
        spread: Column = np.full(n, np.nan) if numeric else np.full(n, None, dtype=object)
        spread[items] = values.astype(np.float64) if numeric and values.dtype.kind != "O" else values
        key = f"{source!r} of model {name!r}"
        columns[key] = spread
        return key

    label = None if parts.label is None else column(parts.label, "labels")
    score = None if parts.score is None else column(parts.score, "scores")
    classes = None
    if parts.class_scores is not None:
        score_columns = {v: column(source, "scores") for v, source in parts.class_scores.items()}
        classes = {v: c for v, c in score_columns.items() if c is not None} or None
    if label is None and score is None and classes is None:
        raise InputError(f"model {name!r} has neither labels nor scores in {table.name}")
    return ModelLayout(label=label, score=score, class_scores=classes)
