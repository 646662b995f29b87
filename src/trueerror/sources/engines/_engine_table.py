"""Tables that stay in their engine: every question to them written once, for SQL and for narwhals.

An engine brings a `Dialect` (how it writes expressions) and queries (select, filter, group_by, unique, head). Columns
go by position (c0, c1, …) and in few types: booleans, whole numbers, doubles without NaN and −0.0, text. So every
engine counts the same things, and no name that a stranger chose enters a query.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from trueerror.inputs._arrays import EXACT, MOST, Array, Column, WeightsKind
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import need_memory
from trueerror.inputs._settings import current
from trueerror.sources._predictions import Source
from trueerror.sources._tables import ColumnsTable, Kind, Layout, Options
from trueerror.sources.engines._group_tallies import (
    ArgmaxCode,
    BinnedRows,
    BinNumber,
    ColumnValue,
    GroupKey,
    Groups,
    IsLabel,
    ThresholdCode,
    WeightedCounts,
    log_origin,
)

# Distinct values are looked for among so many rows first: a column of scores shows itself there.
FIRST_ROWS = 4096
# Rows that show how scores lie, before all are counted.
SAMPLE = 1 << 17
# Up to so many combinations of answers are counted together.
MOST_CELLS = 1 << 16


# A column, or what is made of columns, inside a query; and a query that has not been run.
E = TypeVar("E", bound=Any)
F = TypeVar("F", bound=Any)


class Dialect(Protocol[E]):
    """How an engine writes what queries are made of. Where a value is missing, so is what is made of it."""

    def column(self, place: str, /) -> E: ...
    def constant(self, value: bool | int | float | str, /) -> E: ...
    def equal(self, expression: E, value: object) -> E: ...
    def number(self, expression: E, /) -> E: ...
    def whole(self, expression: E, /) -> E: ...
    def text(self, expression: E, /) -> E: ...
    def boolean(self, expression: E, /) -> E: ...
    def missing(self, expression: E, /) -> E: ...
    def finite(self, expression: E, /) -> E: ...
    def log(self, expression: E, /) -> E: ...
    def choose(self, condition: E, then: E, otherwise: E | None = None) -> E: ...
    def steps(self, expression: E, low: float, scale: float) -> E: ...
    def argmax(self, scores: Sequence[E]) -> E: ...
    def any_of(self, conditions: Sequence[E]) -> E: ...
    def rows(self) -> E: ...
    def count(self, expression: E, /) -> E: ...
    def lowest(self, expression: E, /) -> E: ...
    def highest(self, expression: E, /) -> E: ...
    def total(self, expression: E, /) -> E: ...
    def whole_total(self, expression: E, /) -> E: ...


class Weight(NamedTuple):
    """The column of row weights, and what they mean."""

    column: str
    kind: WeightsKind


class EngineTable(ABC, Generic[E, F]):
    """A table whose rows are counted where they are; only answers come out."""

    dialect: Dialect[E]
    # Whether every query is a job of its own (Spark): then columns are fetched together, and in one order.
    costly_queries: ClassVar[bool]
    # Whether its rows come in the order in which they were written down.
    in_order = False
    backend: str | None = None
    notes: tuple[str, ...] = ()
    n: int

    def __init__(self, columns: tuple[str, ...], kinds: tuple[Kind, ...], *, name: str, provenance: str = "") -> None:
        self.columns = columns
        self.name = name
        self.provenance = provenance
        self.kinds = kinds
        self._kinds = dict(zip(columns, kinds, strict=True))
        self._places = {column: f"c{i}" for i, column in enumerate(columns)}
        self._filled: dict[str, int] = {}
        self._first_rows: dict[str, Column] | None = None
        self._tallied: dict[str, dict[Any, int]] = {}
        # Columns of few values counted together, by their places in queries.
        self._joint: dict[str, Column] = {}
        self._samples: dict[str, Array] = {}

    # What an engine brings.

    @property
    @abstractmethod
    def frame(self) -> F:
        """The rows at hand, as a query."""

    @abstractmethod
    def answer(self, frame: F) -> dict[str, Column]:
        """The columns that a query gives: None, or NaN in floats, where a value is missing."""

    @abstractmethod
    def filtered(self, *conditions: E) -> Self:
        """The rows for which all of these hold."""

    @abstractmethod
    def part(self, conditions: Sequence[E], rows: int) -> Self:
        """The same of a table without gaps, where it is known already how many rows there are."""

    @abstractmethod
    def made(self, frame: F, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> EngineTable[E, F]:
        """A table of the rows that a query gives, its columns called c0, c1, …"""

    @abstractmethod
    def range(self, name: str) -> tuple[float, float] | None:
        """The lowest and the highest number of a column, NaN where it has none; None where that is not known."""

    def as_written(self, labels: Sequence[str], keys: Sequence[str] = ()) -> None:
        """Most engines have types of their own."""

    @abstractmethod
    def counted(self, layout: Layout, options: Options) -> Source | None:
        """The rows as a source that counts where they are; None where they must come to memory."""

    def values(self, name: str) -> Column:
        return self.answer(self.frame.select(self.col(name)))[self._places[name]]

    def estimated_distinct(self, names: Sequence[str]) -> dict[str, int]:
        """About how many distinct values the first of these columns has, or each of them where that costs no more."""
        return {names[0]: self.distinct(names[0])}

    def most_groups(self, keys: Sequence[GroupKey]) -> int | None:
        """How many groups keys can make at most; None where only a look at the rows could tell."""
        return None

    # What follows from it.

    def place(self, column: str) -> str:
        """A column's name inside queries."""
        return self._places[column]

    def col(self, column: str) -> E:
        """A column inside queries."""
        return self.dialect.column(self._places[column])

    def number(self, column: str) -> E:
        """A column of numbers as doubles."""
        return self.dialect.number(self.col(column))

    def ask(self, *amounts: E) -> dict[str, Any]:
        """Sums, counts and the like over all rows, one value each."""
        answers = self.answer(self.frame.select(*amounts))
        return {name: column[0].item() if hasattr(column[0], "item") else column[0] for name, column in answers.items()}

    def _count(self, condition: E) -> int:
        """In how many rows a condition holds; where it is missing it does not."""
        return int(self.answer(self.frame.filter(condition).select(self.dialect.rows().alias("n")))["n"][0])

    def narrowed(self, column: str, value: object) -> Self:
        """The rows in which a column holds one value."""
        return self.filtered(self.dialect.equal(self.col(column), value))

    def complete(self, columns: Sequence[str]) -> Self:
        """The rows in which all of these columns hold something."""
        return self.filtered(*(~self.dialect.missing(self.col(column)) for column in columns))

    def pulled(self, columns: Sequence[str]) -> ColumnsTable:
        """Some of the columns in memory, by one query."""
        by_place = self.answer(self.frame.select(*(self.col(column) for column in columns)))
        values = {column: by_place[self._places[column]] for column in columns}
        kinds = {column: self.kind(column) for column in columns}
        return ColumnsTable(values, name=self.name, backend=self.backend, provenance=self.provenance, kinds=kinds)

    def kind(self, name: str) -> Kind:
        return self._kinds[name]

    def filled(self, name: str) -> int:
        if not self._filled:
            counts = self.ask(*(self.dialect.count(self.col(c)).alias(p) for c, p in self._places.items()))
            self._filled = {column: int(counts[place]) for column, place in self._places.items()}
        return self._filled[name]

    def first(self, name: str, most: int) -> Column:
        if most > FIRST_ROWS:
            return self.answer(self.frame.select(self.col(name)).head(most))[self._places[name]]
        if self._first_rows is None:
            # All columns at once: a query costs an engine more than its answer.
            self._first_rows = self.answer(self.frame.head(FIRST_ROWS))
        return self._first_rows[self._places[name]][:most]

    def samples(self, names: Sequence[str]) -> dict[str, Array]:
        """The values of some rows, whichever the engine has at hand; missing ones are left out."""
        new = [name for name in dict.fromkeys(names) if name not in self._samples]
        if new:
            by_place = self.answer(self.frame.select(*map(self.col, new)).head(SAMPLE))
            for name in new:
                values = by_place[self._places[name]].astype(np.float64)
                self._samples[name] = values[~np.isnan(values)]
        return self._samples

    def few(self, name: str, most: int) -> tuple[Any, ...] | None:
        if self.n > FIRST_ROWS and most < FIRST_ROWS:
            seen = {value for value in self.first(name, FIRST_ROWS).tolist() if value is not None and value == value}
            if len(seen) > most:
                return None
        if name not in self._tallied:
            # Counting takes no longer than looking for what is there, and labels are counted soon after.
            place = self._places[name]
            if not self._count_jointly(name):
                filled_rows = self.frame.select(self.col(name)).filter(~self.dialect.missing(self.col(name)))
                counts = self.answer(filled_rows.group_by(place).agg(self.dialect.rows().alias("rows")).head(most + 1))
                values = counts[place].tolist()
                if len(values) > most:
                    return None
                if len(values) > FIRST_ROWS:
                    return tuple(values)
                self._tallied[name] = dict(zip(values, counts["rows"].tolist(), strict=True))
        tallied = self._tallied[name]
        return tuple(tallied) if len(tallied) <= most else None

    def _count_jointly(self, name: str) -> bool:
        """Count a column together with others whose first rows look like labels too: one look at the rows for all."""
        if self.kind(name) == "other" or self._joint:
            return False
        seen = self._seen()
        chosen, cells = [name], seen[name] + 1
        for column in self.columns:
            like = column != name and self.kind(column) not in ("other", "date") and column not in self._tallied
            if like and seen[column] <= 4 * seen[name] + 4 and cells * (seen[column] + 1) <= MOST_CELLS:
                chosen, cells = [*chosen, column], cells * (seen[column] + 1)
        if cells > MOST_CELLS:
            return False
        places = [self._places[c] for c in chosen]
        if self.n <= FIRST_ROWS:
            assert self._first_rows is not None
            joint_counts = {place: self._first_rows[place] for place in places} | {
                "rows": np.ones(self.n, dtype=np.int64)
            }
        else:
            frame = self.frame.select(*map(self.col, chosen)).group_by(*places)
            joint_counts = self.answer(frame.agg(self.dialect.rows().alias("rows")).head(MOST_CELLS + 1))
            if len(joint_counts["rows"]) > MOST_CELLS:
                return False
        self._keep_joint(chosen, joint_counts)
        return True

    def _seen(self) -> dict[str, int]:
        """How many values each column has among the first rows."""
        return {c: len({v for v in self.first(c, FIRST_ROWS).tolist() if v == v}) for c in self.columns}

    def _keep_joint(self, columns: Sequence[str], joint_counts: dict[str, Column]) -> None:
        """Keep what was counted of columns together, and the rows of each value of each of them."""
        self._joint = joint_counts
        for column in columns:
            tallied = self._tallied[column] = {}
            for value, rows in zip(
                joint_counts[self._places[column]].tolist(), joint_counts["rows"].tolist(), strict=True
            ):
                if value is not None and value == value:
                    tallied[value] = tallied.get(value, 0) + rows

    def tallied(self, name: str) -> dict[Any, int] | None:
        """The rows of each value of a column, where its values were few and have been asked for."""
        return self._tallied.get(name)

    def distinct(self, name: str) -> int:
        if name in self._tallied:
            return len(self._tallied[name])
        values = self.frame.select(self.col(name)).filter(~self.dialect.missing(self.col(name))).unique()
        return int(self.answer(values.select(self.dialect.rows().alias("n")))["n"][0])

    def all_distinct(self, columns: Sequence[str]) -> bool:
        """Whether no two rows agree in all of these columns."""
        if any(self.filled(column) < self.n for column in columns):
            return False
        distinct_rows = self.frame.select(*map(self.col, columns)).unique().select(self.dialect.rows().alias("n"))
        return int(self.answer(distinct_rows)["n"][0]) == self.n

    def is_whole(self, name: str) -> bool:
        if self.kind(name) != "number":
            return self.kind(name) in ("boolean", "integer")
        # A fraction among the first rows is enough to know.
        if self.n > FIRST_ROWS and any(v is not None and v % 1.0 > 0 for v in self.first(name, FIRST_ROWS).tolist()):
            return False
        # Not by floor, which Ibis turns into a whole number of 64 bits.
        return self._count(~self._is_whole(self.number(name))) == 0

    def _is_whole(self, value: E) -> Any:
        return self.dialect.finite(value) & self.dialect.equal(value % 1.0, 0.0)

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = sum((self.number(name) for name in names[1:]), self.number(names[0])) - 1.0
        return self._count((total > 1e-3) | (total < -1e-3)) == 0

    def absent(self, columns: Sequence[str]) -> int:
        """How many rows lack a value in one of these columns."""
        if len(columns) < 2 or all(self.filled(column) == self.n for column in columns):
            return sum(self.n - self.filled(column) for column in columns)
        return self._count(self.dialect.any_of([self.dialect.missing(self.col(column)) for column in columns]))

    def weights_sound(self, column: str, kind: WeightsKind) -> bool:
        """Whether weights are not negative, not all 0 and not too large; whole where rows are repeated."""
        weight = self.number(column)
        sound = (weight <= MOST) & (weight >= 0.0)
        sound = sound & self._is_whole(weight) if kind == "frequency" else sound
        if self._count(~sound) or not self._count(weight > 0.0):
            return False
        return kind == "sampling" or self.ask(self.dialect.total(weight).alias("total"))["total"] < EXACT

    # Groups.

    def group(self, keys: Sequence[GroupKey], *, weight: Weight | None = None) -> Groups:
        """The rows counted by keys: their number, or what they weigh."""
        known = [None if weight is not None else self._counted_jointly(key) for key in keys]
        if all(values is not None for values in known):
            return Groups(tuple(values for values in known if values is not None), WeightedCounts(self._joint["rows"]))
        names = [f"k{i}" for i in range(len(keys))]
        wanted = [self.expression(key).alias(name) for key, name in zip(keys, names, strict=True)]
        weights, amounts = self._weights(weight)
        grouped = self.answer(self.frame.select(*wanted, *weights).group_by(*names).agg(*amounts))
        return Groups(tuple(grouped[name] for name in names), _counts(grouped, grouped["rows"], weight))

    def _counted_jointly(self, key: GroupKey) -> Column | None:
        """The values of a key in the groups of all that was counted together; None where it was not among that."""
        if isinstance(key, ColumnValue):
            return self._joint.get(self._places[key.column])
        if not isinstance(key, ThresholdCode) or key.threshold != 0.5:
            return None
        called = self._joint.get(call_name(self._places[key.column]))
        return None if called is None else np.array([key.below, key.above, -1])[called.astype(np.int64)]

    def _weights(self, weight: Weight | None) -> tuple[list[E], list[E]]:
        """What rows weigh, and what groups of them do."""
        d = self.dialect
        if weight is None:
            return [], [d.rows().alias("rows")]
        if weight.kind == "frequency":
            return [d.whole(self.col(weight.column)).alias("w")], [d.whole_total(d.column("w")).alias("rows")]
        value, both = self.number(weight.column), ("w", "w2")
        return [value.alias("w"), (value * value).alias("w2")], [
            d.rows().alias("rows"), *(d.total(d.column(name)).alias(name) for name in both)
        ]  # fmt: skip

    def group_bins(self, keys: Sequence[BinNumber], label: IsLabel, *, weight: Weight | None = None) -> BinnedRows:
        """The rows in the bins of each of several columns, by one look at them; those in no bin are left out."""
        d, x, k = self.dialect, self.dialect.column("x"), self.dialect.column("k")
        names = [f"v{i}" for i in range(len(keys))]
        weights, amounts = self._weights(weight)
        given = [self.number(key.column).alias(name) for key, name in zip(keys, names, strict=True)]
        more = ["y", *("w", "w2")[: len(weights)]]
        frame = self.stacked(self.frame.select(*given, self.expression(label).alias("y"), *weights), names, more, "x")
        firsts = np.cumsum([0, *(key.cells for key in keys)]).tolist()
        bins = [_bin_number(d, x, key.pieces, first) for key, first in zip(keys, firsts, strict=False)]
        place = bins[-1]
        for name, other in zip(names[-2::-1], bins[-2::-1], strict=True):
            place = d.choose(d.equal(d.column("which"), name), other, place)
        frame = frame.select(d.whole(place).alias("k"), x, *map(d.column, more)).filter(k >= 0)
        grouped = self.answer(
            frame.group_by("k", "y").agg(*amounts, d.lowest(x).alias("low"), d.highest(x).alias("high"))
        )
        places = grouped["k"].astype(np.int64)
        which = np.searchsorted(firsts, places, side="right") - 1
        return BinnedRows(
            which, places - np.array(firsts)[which], grouped["y"] == 1, _counts(grouped, grouped["rows"], weight),
            grouped["low"].astype(np.float64), grouped["high"].astype(np.float64),
        )  # fmt: skip

    def group_pairs(self, keys: Sequence[BinNumber], pairs: Sequence[tuple[int, int]], label: IsLabel) -> list[Groups]:
        """For each pair of columns the rows by the bins of both and a label, all by one look at them."""
        d, names = self.dialect, [f"p{i}" for i in range(len(pairs))]
        bins = [self.expression(key).alias(f"b{i}") for i, key in enumerate(keys)]
        sizes = [keys[i].cells * keys[j].cells for i, j in pairs]
        firsts = np.cumsum([0, *sizes]).tolist()
        codes = [
            (d.column(f"b{i}") * keys[j].cells + d.column(f"b{j}") + first).alias(name)
            for (i, j), first, name in zip(pairs, firsts, names, strict=False)
        ]
        frame = self.frame.select(*bins, self.expression(label).alias("y")).select(*codes, d.column("y"))
        frame = self.stacked(frame, names, ["y"], "k").group_by("k", "y").agg(d.rows().alias("rows"))
        grouped = self.answer(frame)
        k, y, rows = (grouped[name].astype(np.int64) for name in ("k", "y", "rows"))
        of_pairs = []
        for (_, j), first, size in zip(pairs, firsts, sizes, strict=False):
            mine = np.flatnonzero((k >= first) & (k < first + size))
            both = k[mine] - first
            of_pairs.append(Groups((both // keys[j].cells, both % keys[j].cells, y[mine]), WeightedCounts(rows[mine])))
        return of_pairs

    def stacked(self, frame: F, columns: Sequence[str], others: Sequence[str], name: str) -> Any:
        """Some columns one below the other as `name`, `which` of them it is, and the others beside each."""
        if len(columns) > 1:
            return frame.unpivot(on=columns, index=others, variable_name="which", value_name=name)
        d = self.dialect
        one = d.constant(columns[0]).alias("which")
        return frame.select(*map(d.column, others), one, d.column(columns[0]).alias(name))

    def expression(self, key: GroupKey) -> E:
        """A key of groups, as the engine writes it."""
        d = self.dialect
        if isinstance(key, ColumnValue):
            return self.col(key.column)
        if isinstance(key, IsLabel):
            is_label = d.equal(self.col(key.column), self.stored(key.column, key.label))
            return d.choose(is_label, d.constant(1), d.constant(0))
        if isinstance(key, ThresholdCode):
            value = self.number(key.column)
            code = d.choose(value >= key.threshold, d.constant(key.above), d.constant(key.below))
            return d.choose(d.missing(value), d.constant(-1), code)
        if isinstance(key, BinNumber):
            return d.whole(_bin_number(d, self.number(key.column), key.pieces, 0))
        assert isinstance(key, ArgmaxCode)
        scores = [self.number(column) for column in key.columns]
        return d.choose(d.any_of([d.missing(score) for score in scores]), d.constant(-1), d.argmax(scores))

    def stored(self, column: str, label: Label) -> Label | float:
        """A label as the column holds it: booleans equal 0 and 1."""
        if isinstance(label, str):
            return label
        kind = self.kind(column)
        return bool(label) if kind == "boolean" else float(label) if kind == "number" else int(label)

    def need_memory(self) -> None:
        """Refuse to pull all columns where they take more than the memory budget of te.config."""
        need_memory(self.n, len(self.columns), f"the rows of {self.name}", current().budget_bytes)


def call_name(place: str) -> str:
    """What a query calls the calls at 0.5 of a column of scores."""
    return f"call{place}"


def _bin_number(d: Dialect[E], value: E, pieces: Sequence[tuple[float, float, int, int, bool]], start: int) -> Any:
    """The bin of a value, its stretch found by halving: engines that go row by row look at few stretches then."""
    if len(pieces) == 1:
        low, scale, top, first, log = pieces[0]
        if top < 1:
            # A constant would have a bin for what is missing, too.
            return value * 0.0 + float(start + first if top == 0 else -1)
        if log:
            # Some engines look at all rows before they choose, and refuse the logarithm of 0.
            size = value if low > 0 else value * -1.0
            # What is missing stays so.
            value = d.log(d.choose(size > 0.0, size, value * 0.0 + 1.0))
            low, scale = log_origin(low, top / scale), math.copysign(scale, low)
        return d.steps(value, low, scale) + float(start + first)
    middle = len(pieces) // 2
    above, below = _bin_number(d, value, pieces[middle:], start), _bin_number(d, value, pieces[:middle], start)
    return d.choose(value >= pieces[middle][0], above, below)


def _counts(found: dict[str, Column], rows: Column, weight: Weight | None) -> WeightedCounts:
    counts = rows.astype(np.int64)
    if weight is None or weight.kind == "frequency":
        return WeightedCounts(counts)
    return WeightedCounts(counts, found["w"].astype(np.float64), found["w2"].astype(np.float64))


# A table of whichever engine.
AnyTable = EngineTable[Any, Any]


class Chance:
    """An expression of an engine with the operations of arrays; NumPy's functions call its methods."""

    def __init__(self, table: AnyTable, expression: Any, *, logs: bool = False) -> None:
        self.table, self.expression, self.logs = table, expression, logs

    def _made(self, expression: Any) -> Chance:
        return Chance(self.table, expression, logs=self.logs)

    def __rsub__(self, other: float) -> Chance:
        return self._made(self.expression * -1.0 + float(other))

    def __pow__(self, power: int) -> Chance:
        assert power == 2
        return self._made(self.expression * self.expression)

    def __abs__(self) -> Chance:
        x = self.expression
        return self._made(self.table.dialect.choose(x < 0.0, x * -1.0, x))

    def log(self) -> Chance:
        """The logarithm; engines differ in that of 0, so that it is never asked for."""
        d, x = self.table.dialect, self.expression
        return Chance(self.table, d.log(d.choose(x <= 0.0, d.constant(1.0), x)), logs=True)
