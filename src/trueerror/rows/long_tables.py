"""Long tables too large to be pulled, put side by side where the rows are: one GROUP BY over the items.

For each item and model there is at most one row, so the largest value of a model's rows is the value. Files and DuckDB
relations do it in SQL, once, into a table that DuckDB may spill to disk; lazy tables do it in a query of narwhals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from trueerror.inputs.errors import InputError
from trueerror.rows.layout import Layout, ModelLayout
from trueerror.rows.room import need_room
from trueerror.rows.tables import Kind, Table

# More models than this in a column are a mistake, and a query of so many columns would take long.
MOST_MODELS = 1_000


class Spread(NamedTuple):
    """A column of the wide table: the values of `source` in the rows of one model, or (None) in all rows of an item."""

    source: str
    model: str | None
    name: str
    kind: Kind


def is_engine(table: Table) -> bool:
    """Whether the rows are in files or in an engine, rather than in memory."""
    return hasattr(table, "narrowed")


def widened_there(table: Any, layout: Layout, models: Sequence[str], budget: int) -> tuple[Table, Layout]:
    """The wide table, its rows where they were, and its layout."""
    assert layout.model is not None
    if layout.id is None:
        need_room(
            table.n, len(table.columns), "the rows of a long table without an id column (id= names one), side by side,",
            budget,
        )  # fmt: skip
        raise InputError("a long table needs an id column to be put side by side: name it with id=")
    spreads, wide = _spreads(table, layout, models)
    make = _wide_frame if hasattr(table, "frame") else _wide_sql
    return make(table, layout, spreads, models), wide


def _spreads(table: Any, layout: Layout, models: Sequence[str]) -> tuple[list[Spread], Layout]:
    """All columns of the wide table, and which are whose."""
    shared = [layout.truth, *layout.keys.values(), *([layout.weight] if layout.weight else [])]
    spreads = [Spread(str(layout.id), None, str(layout.id), table.kind(layout.id))]
    spreads += [Spread(c, None, c, table.kind(c)) for c in dict.fromkeys(shared) if c != layout.id]
    parts, found = layout.models[""], {}

    def column(source: str | None, model: str) -> str | None:
        if source is None:
            return None
        spreads.append(Spread(source, model, f"{source!r} of model {model!r}", table.kind(source)))
        return spreads[-1].name

    for model in models:
        classes: Mapping[Any, str] | None = None
        if parts.class_scores is not None:
            classes = {v: str(column(source, model)) for v, source in parts.class_scores.items()}
        found[model] = ModelLayout(
            label=column(parts.label, model), score=column(parts.score, model), class_scores=classes
        )
    return spreads, replace(layout, models=found, model=None)


def _items(layout: Layout) -> list[str]:
    """The columns that together name an item."""
    repeats = layout.keys.get("repeats")
    return [str(layout.id), *([repeats] if repeats is not None else [])]


def _refuse(table: Any, layout: Layout, twice: bool, changing: Sequence[str]) -> None:
    if twice:
        raise InputError(
            f"{table.name} has two rows of one model for one {layout.id!r}; ids must differ from row to row of a model"
        )
    if changing:
        raise InputError(
            f"column {changing[0]!r} of {table.name} differs between rows of one {layout.id!r}; it must be the same in "
            "the rows of all models"
        )


def _wide_sql(table: Any, layout: Layout, spreads: Sequence[Spread], models: Sequence[str]) -> Any:
    from trueerror.rows.relations import RelationTable
    from trueerror.rows.sqltext import literal
    from trueerror.rows.wide_files import WideFileTable, WideRelationTable

    place = table.place
    items = [place(c) for c in _items(layout)]
    whose = f"{place(layout.model)}::VARCHAR"
    terms = []
    for i, s in enumerate(spreads):
        only = "" if s.model is None else f" FILTER (WHERE {whose} = {literal(s.model)})"
        terms.append(f"max({place(s.source)}){only} AS c{i}")
    same = [s.source for s in spreads if s.model is None and s.source not in _items(layout)]
    often = [f"count(*) FILTER (WHERE {whose} = {literal(m)}) > 1" for m in models]
    terms.append(f"({' OR '.join(often)}) AS twice")
    for i, c in enumerate(map(place, same)):
        terms.append(f"(min({c}) IS DISTINCT FROM max({c}) OR count({c}) NOT IN (0, count(*))) AS changes_{i}")
    source = f"({table.data})" if isinstance(table, RelationTable) else "data"
    chosen = ", ".join(literal(m) for m in models)
    pivot = f"SELECT {', '.join(terms)} FROM {source} WHERE {whose} IN ({chosen}) GROUP BY {', '.join(items)}"
    columns, kinds = tuple(s.name for s in spreads), tuple(s.kind for s in spreads)
    made: WideFileTable | WideRelationTable
    if isinstance(table, RelationTable):
        made = WideRelationTable(table.relation, pivot, columns, kinds)
    else:
        made = WideFileTable.made(table, pivot, columns, kinds)
    flags = ["bool_or(twice)", *(f"bool_or(changes_{i})" for i in range(len(same)))]
    twice, *changes = made.ask(f"SELECT {', '.join(flags)} FROM counted")[0]
    _refuse(table, layout, bool(twice), [c for c, changed in zip(same, changes, strict=True) if changed])
    return made


def _wide_frame(table: Any, layout: Layout, spreads: Sequence[Spread], models: Sequence[str]) -> Any:
    import narwhals as nw

    from trueerror.rows.engines import answer
    from trueerror.rows.lazy import LazyTable

    items = _items(layout)
    same = [s.source for s in spreads if s.model is None and s.source not in items]
    whole = {c: f"i{i}" for i, c in enumerate(items)}
    whose = table.col(layout.model).cast(nw.String)
    kept = table.frame.filter(whose.is_in(list(models)))
    parts = [table.col(c).alias(key) for c, key in whole.items()]
    parts += [nw.when(whose == m).then(nw.lit(1)).otherwise(nw.lit(0)).alias(f"m{i}") for i, m in enumerate(models)]
    checks = [nw.len().alias("rows_all"), *(nw.col(f"m{i}").sum().alias(f"m{i}") for i in range(len(models)))]
    for i, c in enumerate(same):
        value = table.col(c).cast(nw.Int64) if table.kind(c) == "boolean" else table.col(c)
        parts.append(value.alias(f"s{i}"))
        checks += [nw.col(f"s{i}").min().alias(f"lo_{i}"), nw.col(f"s{i}").max().alias(f"hi_{i}")]
        checks.append(nw.col(f"s{i}").count().alias(f"there_{i}"))
    counts = kept.select(*parts).group_by(*whole.values()).agg(*checks)
    asked = [nw.col(f"m{i}").max().alias(f"m{i}") for i in range(len(models))]
    for i in range(len(same)):
        partly = (nw.col(f"there_{i}") > 0) & (nw.col(f"there_{i}") < nw.col("rows_all"))
        apart = (nw.col(f"there_{i}") > 0) & (nw.col(f"lo_{i}") != nw.col(f"hi_{i}"))
        asked.append(nw.when(partly | apart).then(nw.lit(1)).otherwise(nw.lit(0)).max().alias(f"changed_{i}"))
    found = {key: int(values[0]) for key, values in answer(counts.select(*asked)).items()}
    twice = max(found[f"m{i}"] for i in range(len(models))) > 1
    _refuse(table, layout, twice, [c for i, c in enumerate(same) if found[f"changed_{i}"]])
    columns = [table.col(c).alias(key) for c, key in whole.items()]
    for i, s in enumerate(spreads):
        value = table.col(s.source)
        value = value.cast(nw.Int64) if s.kind == "boolean" else value
        columns.append((value if s.model is None else nw.when(whose == s.model).then(value)).alias(f"c{i}"))
    wide = kept.select(*columns).group_by(*whole.values())
    frame = wide.agg(*(nw.col(f"c{i}").max().alias(f"c{i}") for i in range(len(spreads))))
    typed = [
        nw.col(f"c{i}").cast(nw.Boolean).alias(f"c{i}") if s.kind == "boolean" else nw.col(f"c{i}")
        for i, s in enumerate(spreads)
    ]
    names, kinds = tuple(s.name for s in spreads), tuple(s.kind for s in spreads)
    return LazyTable(frame.select(*typed), names, kinds, name=table.name, backend=table.backend)
