"""Lazy tables (DuckDB relations, polars LazyFrames, PySpark DataFrames, Ibis tables) through narwhals.

Columns go by position (c0, c1, …) and in few types: booleans, whole numbers, doubles without NaN and −0.0, text. So
every engine counts the same things, and no name has to be quoted.

Rows in a lazy table, counted by GROUP BY inside its engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, WeightsKind
from trueerror.inputs._labels import Codes, Label, code_column, recode
from trueerror.inputs._options import InputError, current
from trueerror.sources._build import build, given_rows
from trueerror.sources._protocols import ColumnsTable, KeyKind, Kind, Layout, Loss, Options, ScoreRange, Source
from trueerror.sources.engines import _group_tallies as groups
from trueerror.sources.engines._binned import EXACT_BYTES, SAMPLE, guessed_distinct
from trueerror.sources.engines._group_tallies import Cut, Groups, Is, Part, Place, Value, Within
from trueerror.sources.engines._groupby import GroupedSource, counted_facts, key_columns, named_keys
from trueerror.sources.engines._memory import need_room
from trueerror.sources.engines._native import answer, is_spark, spark_by_position
from trueerror.sources.engines._numpy import ArraySource, table_moments
from trueerror.tallies import Moments, ScoreTable

# Distinct values are looked for among so many rows first: a column of scores shows itself there.
FIRST_ROWS = 4096
# Tables of at most so many columns have the range of each looked up when their rows are counted: one look fewer later.
RANGED = 64


ENDS: tuple[tuple[str, Callable[[nw.Expr], nw.Expr]], ...] = (("low", nw.Expr.min), ("high", nw.Expr.max))


class LazyTable:
    """A table that stays in its engine; every question is one query, and only answers come out."""

    provenance = ""

    def __init__(
        self, frame: Any, columns: tuple[str, ...], kinds: tuple[Kind, ...], *, name: str, backend: str | None
    ) -> None:
        self.frame = frame
        self.columns = columns
        self.name = name
        self.backend = backend
        self._kinds = dict(zip(columns, kinds, strict=True))
        self._places = {column: f"c{i}" for i, column in enumerate(columns)}
        self._rows: ColumnsTable | None = None
        self._seen: dict[str, Column] | None = None
        self._sample: tuple[tuple[str, int], list[Any]] | None = None
        self._tallied: dict[str, dict[Any, int]] = {}
        self._held: ColumnsTable | None = None
        # About how many distinct values columns have, as far as samples were looked at.
        self.guessed: dict[str, float] = {}
        numbers = [c for c in columns if self.kind(c) in ("number", "integer")] if len(columns) <= RANGED else []
        ends = [
            end(self.col(c).cast(nw.Float64)).alias(f"{word}{self._places[c]}") for c in numbers for word, end in ENDS
        ]
        counts = self.ask(nw.len().alias("n"), *(nw.col(p).count().alias(p) for p in self._places.values()), *ends)
        self.n = int(counts["n"])
        self._filled = {column: int(counts[place]) for column, place in self._places.items()}
        self._ranges = {c: tuple(_or_nan(counts[f"{word}{self._places[c]}"]) for word, _ in ENDS) for c in numbers}

    def narrowed(self, column: str, value: Any) -> LazyTable:
        """The rows in which a column holds one value."""
        kinds = tuple(self._kinds.values())
        frame = self.frame.filter(self.col(column) == value)
        return LazyTable(frame, self.columns, kinds, name=self.name, backend=self.backend)

    def complete(self, columns: Sequence[str]) -> LazyTable:
        """The rows in which all of these columns hold something."""
        kinds = tuple(self._kinds.values())
        frame = self.frame.filter(*(~self.col(column).is_null() for column in columns))
        return LazyTable(frame, self.columns, kinds, name=self.name, backend=self.backend)

    def col(self, column: str) -> nw.Expr:
        """A column inside queries."""
        return nw.col(self._places[column])

    def place(self, column: str) -> str:
        """A column's name inside queries."""
        return self._places[column]

    def ask(self, *expressions: nw.Expr) -> dict[str, Any]:
        """Aggregates over all rows, one value each."""
        found = answer(self.frame.select(*expressions))
        return {name: column[0].item() if hasattr(column[0], "item") else column[0] for name, column in found.items()}

    def sampled(self, name: str, most: int) -> list[Any]:
        """The values of some rows, whichever the engine has at hand; missing ones are left out."""
        # Whoever asks for a large sample asks twice: how many values there are, then where they lie.
        if self._sample is None or self._sample[0] != (name, most):
            values = [value for value in self.first(name, most).tolist() if value is not None and value == value]
            self._sample = (name, most), values
        return self._sample[1]

    def kind(self, name: str) -> Kind:
        return self._kinds[name]

    def filled(self, name: str) -> int:
        return self._filled[name]

    def range(self, name: str) -> tuple[float, ...] | None:
        """The lowest and the highest number of a column, NaN where it has none; None where nobody has looked."""
        return self._ranges.get(name)

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        if self.n > FIRST_ROWS and most < FIRST_ROWS and len(set(self.sampled(name, FIRST_ROWS))) > most:
            return None
        if name not in self._tallied:
            # Counting takes no longer than looking for what is there, and labels are counted soon after.
            there = self.frame.select(self.col(name)).drop_nulls().group_by(self._places[name])
            found = answer(there.agg(nw.len().alias("rows")).head(most + 1))
            values = found[self._places[name]].tolist()
            if len(values) > most:
                return None
            if len(values) > FIRST_ROWS:
                return tuple(values)
            self._tallied[name] = dict(zip(values, found["rows"].tolist(), strict=True))
        tallied = self._tallied[name]
        return tuple(tallied) if len(tallied) <= most else None

    def tallied(self, name: str) -> dict[Any, int] | None:
        """The rows of each value of a column, where its values were few and have been asked for."""
        return self._tallied.get(name)

    def first(self, name: str, most: int) -> Column:
        place = self._places[name]
        if most > FIRST_ROWS:
            return answer(self.frame.select(self.col(name)).head(most))[place]
        if self._seen is None:
            # All columns at once: a query costs an engine more than its answer.
            self._seen = answer(self.frame.head(FIRST_ROWS))
        return self._seen[place][:most]

    def distinct(self, name: str) -> int:
        values = self.frame.select(self.col(name)).drop_nulls().unique()
        return int(answer(values.select(nw.len().alias("n")))["n"][0])

    def _count(self, condition: nw.Expr) -> int:
        """In how many rows a condition holds; where it is missing it does not."""
        return int(answer(self.frame.filter(condition).select(nw.len().alias("n")))["n"][0])

    def is_whole(self, name: str) -> bool:
        if self.kind(name) != "number":
            return self.kind(name) in ("boolean", "integer")
        value = self.col(name)
        if self.n > FIRST_ROWS and any(v % 1.0 > 0 for v in self.sampled(name, FIRST_ROWS)):
            return False
        # Not by floor, which Ibis turns into a whole number of 64 bits.
        return self._count(~(value.is_finite() & (value % 1.0 == 0.0))) == 0

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = sum((self.col(name).cast(nw.Float64) for name in names[1:]), self.col(names[0]).cast(nw.Float64))
        return self._count((total - 1.0).abs() > 1e-3) == 0

    def absent(self, columns: Sequence[str]) -> int:
        """How many rows lack a value in one of these columns."""
        if all(self.filled(column) == self.n for column in columns):
            return 0
        return self._count(nw.any_horizontal(*(self.col(column).is_null() for column in columns), ignore_nulls=True))

    def all_distinct(self, columns: Sequence[str]) -> bool:
        """Whether no two rows agree in all of these columns."""
        places = [self.col(column) for column in columns]
        found = answer(self.frame.select(*places).unique().select(nw.len().alias("n")))["n"][0]
        return int(found) == self.n and all(self.filled(column) == self.n for column in columns)

    def weights_sound(self, column: str, kind: WeightsKind) -> bool:
        """Whether weights are finite, not negative and not all 0; whole where rows are repeated."""
        weight = self.col(column).cast(nw.Float64)
        sound = weight.is_finite() & (weight >= 0.0)
        if kind == "frequency":
            sound = sound & (weight % 1.0 == 0.0)
        return self._count(~sound) == 0 and self._count(weight > 0.0) > 0

    def counted(self, layout: Layout, options: Options) -> Source | None:

        return build_lazy_source(self, layout, options)

    def pulled(
        self, columns: Sequence[str], budget: int, *, all_columns: int = 0, clustered: bool = False
    ) -> ColumnsTable:
        """Some of the columns in memory, by one query: an engine may give rows in another order the next time."""
        if self._held is not None and set(columns) <= set(self._held.columns):
            return self._held
        need_room(
            self.n, len(columns), f"the rows of {self.name}", budget, all_columns=all_columns, clustered=clustered
        )
        found = answer(self.frame.select(*(self.col(column) for column in columns)))
        values = {column: found[self._places[column]] for column in columns}
        return ColumnsTable(values, name=self.name, backend=self.backend)

    def held(self, columns: Sequence[str], budget: int) -> ColumnsTable:
        """The same, kept for whoever asks for these columns next."""
        self._held = self.pulled(columns, budget)
        return self._held

    def values(self, name: str) -> Column:
        if self._rows is None:
            self._rows = self.pulled(self.columns, current().budget_bytes)
        return self._rows.values(name)


def _or_nan(value: Any) -> float:
    return math.nan if value is None else float(value)


def open_lazy(wrapped: Any, native: Any, backend: str | None) -> LazyTable:
    """A lazy frame of narwhals as a table."""
    columns = tuple(str(name) for name in wrapped.columns)
    twice = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if twice is not None:
        raise InputError(f"two columns of the table are called {twice!r}; rename one")
    dtypes = list(wrapped.collect_schema().values())
    if is_spark(native):
        wrapped = nw.from_native(spark_by_position(native, [f"r{i}" for i in range(len(columns))]))
        columns_there: Sequence[str] = [f"r{i}" for i in range(len(columns))]
    else:
        columns_there = columns
    found = [_plain(nw.col(there), dtype) for there, dtype in zip(columns_there, dtypes, strict=True)]
    frame = wrapped.select(*(part.alias(f"c{i}") for i, (part, _) in enumerate(found)))
    table = LazyTable(frame, columns, tuple(kind for _, kind in found), name="the table", backend=backend)
    if table.n == 0:
        raise InputError("the table has no rows")
    return table


def _plain(value: nw.Expr, dtype: Any) -> tuple[nw.Expr, Kind]:
    """A column in one of the few types, and what it holds."""
    if dtype == nw.Boolean:
        return value, "boolean"
    if dtype.is_integer():
        narrow = dtype in (nw.UInt64, nw.UInt128, nw.Int128)
        return (value if narrow else value.cast(nw.Int64)), "integer"
    if dtype.is_numeric():
        number = value.cast(nw.Float64)
        # Adding zero turns −0.0 into 0.0.
        return nw.when(number.is_nan()).then(None).otherwise(number + 0.0), "number"
    if dtype.is_temporal():
        return value.cast(nw.String), "date"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return value.cast(nw.String), "text"
    # Lists, structures and the like only have to be counted as there or not.
    return nw.when(~value.is_null()).then(nw.lit(1)), "other"


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
