"""Rows in a lazy table, counted by GROUP BY inside its engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Codes, Label, code_column, recode
from trueerror.rows import groups
from trueerror.rows.arrays import ArraySource
from trueerror.rows.binning import EXACT_BYTES, SAMPLE, guessed_distinct
from trueerror.rows.building import build
from trueerror.rows.counted import counted_facts, named_keys
from trueerror.rows.engines import answer
from trueerror.rows.gathering import given_rows
from trueerror.rows.grouping import GroupedSource, key_columns
from trueerror.rows.layout import Layout, Options
from trueerror.rows.lazy import LazyTable
from trueerror.rows.losses import table_moments
from trueerror.rows.parts import Cut, Groups, Is, Part, Place, Value, Within
from trueerror.rows.source import KeyKind, Loss, ScoreRange
from trueerror.rows.tables import ColumnsTable
from trueerror.tallies import Moments, ScoreTable

# With fewer rows grouping takes no time.
MANY_ROWS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LazySource(GroupedSource):
    """A wide lazy table; nothing but counts leaves the engine, unless a method needs rows."""

    table: LazyTable

    def group(self, parts: Sequence[Part], *, weighted: bool = True, within: Within | None = None) -> Groups:
        kind = self.facts.weights_kind if weighted and self.layout.weight is not None else None
        names = [f"p{i}" for i in range(len(parts))]
        wanted = [self._expression(part).alias(name) for part, name in zip(parts, names, strict=True)]
        amounts = [nw.len().alias("rows")]
        if kind is not None:
            weight = self.table.col(str(self.layout.weight))
            if kind == "frequency":
                wanted.append(weight.cast(nw.Int64).alias("w"))
                amounts = [nw.col("w").sum().alias("rows")]
            else:
                value = weight.cast(nw.Float64)
                wanted += [value.alias("w"), (value * value).alias("w2")]
                amounts += [nw.col("w").sum().alias("w"), nw.col("w2").sum().alias("w2")]
        frame = self.table.frame
        if within is not None:
            value = self.table.col(within.column).cast(nw.Float64)
            frame = frame.filter((value >= within.low) & (value <= within.high))
        found = answer(frame.select(*wanted).group_by(*names).agg(*amounts))
        masses = groups.Masses(found["rows"].astype(np.int64))
        if kind == "sampling":
            masses = groups.Masses(masses.counts, *(found[name].astype(np.float64) for name in ("w", "w2")))
        return Groups(tuple(found[name] for name in names), masses)

    def truth_counts(self) -> NDArray[np.int64]:
        known = self.table.tallied(self.layout.truth)
        if known is None:
            return GroupedSource.truth_counts(self)
        return np.array([known.get(label, 0) for label in self.facts.labels], dtype=np.int64)

    def rows(self, parts: Sequence[Part]) -> Groups:
        columns = list(dict.fromkeys([self.layout.truth, *self._scored()]))
        words = self.table.kind(self.layout.truth) not in ("boolean", "integer", "number")
        if words or self.facts.n * (EXACT_BYTES + 8 * len(columns)) > self.room:
            names = [f"p{i}" for i in range(len(parts))]
            wanted = [self._expression(part).alias(name) for part, name in zip(parts, names, strict=True)]
            found = list(answer(self.table.frame.select(*wanted)).values())
        else:
            # All models at once: an engine hands over all columns in little more time than one.
            held = self.table.held(columns, self.room)
            found = [self._local(part, held) for part in parts]
        return Groups(tuple(found), groups.Masses(np.ones(len(found[0]), dtype=np.int64)))

    def _local(self, part: Part, held: ColumnsTable) -> NDArray[Any]:
        """A part of rows that are in memory."""
        if isinstance(part, Value):
            return held.values(part.column)
        assert isinstance(part, Is)
        return np.asarray(held.values(part.column) == self._raw(part.column, part.label))

    def nearly_distinct(self, column: str) -> bool:
        """Engines that hand rows around to group them (Spark) take ten times longer for that than for the rows."""
        facts, guessed = self.facts, self.table.guessed
        if facts.weights_kind is not None or facts.n < MANY_ROWS or facts.n * EXACT_BYTES > self.room:
            return False
        if column not in guessed:
            # Of all columns of scores at once: one look serves every model.
            places = {self.table.place(c): c for c in dict.fromkeys([column, *self._scored()])}
            for place, values in answer(self.table.frame.select(*places).head(SAMPLE)).items():
                there = [v for v in values.tolist() if v is not None and v == v]
                seen = len(set(there))
                # Of few values most are in the sample.
                guessed[places[place]] = guessed_distinct(len(there), seen) if 2 * seen > len(there) else seen
        return guessed[column] > facts.n // 8

    def _scored(self) -> list[str]:
        return [column for columns in self._score_columns().values() for column in columns]

    def scores(self, model: str, *, positive: Any = None) -> ScoreTable:
        table = GroupedSource.scores(self, model, positive=positive)
        if table.exact:
            self.memory["latest"] = (model, self.facts.score_class(model, positive), table)
        return table

    def moments(self, model: str, loss: Loss) -> Moments:
        facts = self.facts
        if facts.model(model).scores != "one" or facts.weights_kind == "sampling":
            return GroupedSource.moments(self, model, loss)
        chosen = facts.score_class(model, None)
        if not self.table_fits(self._score_column(model, chosen)):
            return GroupedSource.moments(self, model, loss)
        # Areas and losses of a model are asked for one after the other, and the table of its scores serves both.
        latest: tuple[str, Label, ScoreTable] | None = self.memory.get("latest")
        known = latest is not None and latest[:2] == (model, chosen)
        table = latest[2] if latest is not None and known else self.scores(model)
        return table_moments(table, facts, model, loss)

    def about_distinct(self, column: str) -> int:
        key = ("distinct", column)
        if key not in self.memory:
            # A sample without repetitions shows that there are many, without a look at all rows.
            sample = self.table.sampled(column, SAMPLE)
            guess = guessed_distinct(len(sample), len(set(sample)))
            many = guess * EXACT_BYTES > 4 * self.room
            self.memory[key] = min(int(guess), self.facts.n) if many else self.table.distinct(column)
        return int(self.memory[key])

    def _expression(self, part: Part) -> nw.Expr:
        col = self.table.col
        if isinstance(part, Value):
            return col(part.column)
        if isinstance(part, Is):
            return nw.when(col(part.column) == self._raw(part.column, part.label)).then(nw.lit(1)).otherwise(nw.lit(0))
        if isinstance(part, Cut):
            value = col(part.column).cast(nw.Float64)
            called = nw.when(value >= part.threshold).then(nw.lit(part.above)).otherwise(nw.lit(part.below))
            return nw.when(value.is_null()).then(nw.lit(-1)).otherwise(called)
        if isinstance(part, Place):
            return _place(col(part.column).cast(nw.Float64), part.pieces[::-1]).cast(nw.Int64)
        scores = [col(column).cast(nw.Float64) for column in part.columns]
        best = nw.max_horizontal(*scores)
        place = nw.lit(len(scores) - 1)
        # From the last to the first, so that the first of equal scores wins.
        for i in range(len(scores) - 2, -1, -1):
            place = nw.when(scores[i] == best).then(nw.lit(i)).otherwise(place)
        absent = nw.any_horizontal(*(score.is_null() for score in scores), ignore_nulls=True)
        return nw.when(absent).then(nw.lit(-1)).otherwise(place)

    def _raw(self, column: str, label: Label) -> Any:
        """A label as the column holds it: booleans equal 0 and 1."""
        if isinstance(label, str):
            return label
        kind = self.table.kind(column)
        return bool(label) if kind == "boolean" else float(label) if kind == "number" else int(label)

    def score_ranges(self) -> dict[str, ScoreRange]:
        asked: list[nw.Expr] = []
        names = self._score_columns()
        known = {m: self.table.range(c[0]) for m, c in names.items() if len(c) == 1}
        ranges = {m: ScoreRange(*ends) for m, ends in known.items() if ends is not None}
        columns = {
            m: [self.table.col(c).cast(nw.Float64) for c in wanted] for m, wanted in names.items() if m not in ranges
        }
        if not columns:
            return ranges
        for i, scores in enumerate(columns.values()):
            asked += [s.min().alias(f"low{i}_{j}") for j, s in enumerate(scores)]
            asked += [s.max().alias(f"high{i}_{j}") for j, s in enumerate(scores)]
            if len(scores) > 1:
                total = sum(scores[1:], scores[0])
                asked += [total.min().alias(f"lowest{i}"), total.max().alias(f"highest{i}")]
        found = {key: math.nan if v is None else float(v) for key, v in self.table.ask(*asked).items()}
        for i, (model, scores) in enumerate(columns.items()):
            ends = [f(found[f"{end}{i}_{j}"] for j in range(len(scores))) for f, end in ((min, "low"), (max, "high"))]
            ranges[model] = ScoreRange(*ends, *(found[f"{end}{i}"] for end in ("lowest", "highest") if len(scores) > 1))
        return ranges

    def key_values(self, kind: KeyKind) -> tuple[list[tuple[Any, ...]], tuple[Label, ...]]:
        columns = key_columns(self.layout, kind)
        found = answer(self.table.frame.select(*(self.table.col(column) for column in columns)).unique())
        return named_keys(list(zip(*(values.tolist() for values in found.values()), strict=True)))

    def narrowed(self, kind: KeyKind, values: tuple[Any, ...]) -> LazySource:
        table = self.table
        for column, value in zip(key_columns(self.layout, kind), values, strict=True):
            table = table.narrowed(column, value)
        models = tuple(replace(m, absent=table.absent(self.layout.models[m.name].columns())) for m in self.facts.models)
        return replace(self, table=table, facts=replace(self.facts, n=table.n, models=models), memory={})

    def truth_codes(self) -> Codes:
        values = self.table.pulled([self.layout.truth], self.room).values(self.layout.truth)
        return recode(code_column(values, "truth"), self.facts.labels, "truth")

    def fetched(self) -> ArraySource:
        facts = self.facts
        layout = self.layout.select(tuple(m.name for m in facts.models))
        layout = layout if facts.has_ids else replace(layout, id=None)
        options = Options(labels=facts.labels, weights_kind=facts.weights_kind, missing=facts.missing)
        extra = [column for column in (layout.id, layout.weight) if column is not None]
        models = [column for model in layout.models.values() for column in model.columns()]
        columns = list(dict.fromkeys([layout.truth, *models, *layout.keys.values(), *extra]))
        whole = len(columns) - len(models) + sum(len(m.columns()) for m in self.layout.models.values())
        rows = self.table.pulled(columns, self.room, all_columns=whole, clustered="clusters" in facts.kinds)
        return build(given_rows(rows, layout, options)).with_facts(facts)


def _place(value: nw.Expr, pieces: Sequence[tuple[float, float, int, int]]) -> nw.Expr:
    """The bin of a value, its stretch found by halving: engines that go row by row look at few stretches then."""
    if len(pieces) == 1:
        low, scale, top, first = pieces[0]
        return ((value - low) * scale).floor().clip(0.0, float(top)) + float(first)
    middle = len(pieces) // 2
    above, below = _place(value, pieces[middle:]), _place(value, pieces[:middle])
    return nw.when(value >= pieces[middle][0]).then(above).otherwise(below)


def build_lazy_source(table: LazyTable, layout: Layout, options: Options) -> LazySource | None:
    """The rows of a wide lazy table, or None where something is wrong that a look at the rows explains best."""
    facts = counted_facts(table, layout, options)
    return None if facts is None else LazySource(facts=facts, layout=layout, table=table, budget=options.budget)
