"""Lazy tables (polars LazyFrames, PySpark DataFrames, Ibis tables) through narwhals.

Narwhals writes the queries for all engines alike; what they answer is taken from the engine itself (`answer`), since
collecting through narwhals would need pyarrow even where the engine does without.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence

import narwhals as nw
import numpy as np

from trueerror.inputs._arrays import Column, Foreign
from trueerror.inputs._options import InputError
from trueerror.sources._tables import Kind, Layout, Options
from trueerror.sources.engines._engine_table import EngineTable
from trueerror.sources.engines._groupby import GroupedSource, counted_facts

# Tables of at most so many columns have the range of each looked up when their rows are counted: one look fewer later.
RANGED = 64


def _cast(
    dtype: type[nw.Float64] | type[nw.Int64] | type[nw.String] | type[nw.Boolean],
) -> Callable[[nw.Expr], nw.Expr]:
    return lambda expression: expression.cast(dtype)


class NarwhalsDialect:
    """Expressions of narwhals."""

    column, constant, rows = staticmethod(nw.col), staticmethod(nw.lit), staticmethod(nw.len)
    missing, log = staticmethod(nw.Expr.is_null), staticmethod(nw.Expr.log)
    count, lowest, highest = staticmethod(nw.Expr.count), staticmethod(nw.Expr.min), staticmethod(nw.Expr.max)
    total, whole_total = staticmethod(nw.Expr.sum), staticmethod(nw.Expr.sum)
    number, whole = staticmethod(_cast(nw.Float64)), staticmethod(_cast(nw.Int64))
    text, boolean = staticmethod(_cast(nw.String)), staticmethod(_cast(nw.Boolean))

    def equal(self, expression: nw.Expr, value: object) -> nw.Expr:
        return expression == value

    def choose(self, condition: nw.Expr, then: nw.Expr, otherwise: nw.Expr | None = None) -> nw.Expr:
        chosen = nw.when(condition).then(then)
        return chosen if otherwise is None else chosen.otherwise(otherwise)

    def steps(self, expression: nw.Expr, low: float, scale: float, top: int) -> nw.Expr:
        return ((expression - low) * scale).floor().clip(0.0, float(top))

    def argmax(self, scores: Sequence[nw.Expr]) -> nw.Expr:
        best = nw.max_horizontal(*scores)
        place = nw.lit(len(scores) - 1)
        # From the last to the first, so that the first of equal scores wins.
        for i in range(len(scores) - 2, -1, -1):
            place = nw.when(scores[i] == best).then(nw.lit(i)).otherwise(place)
        return place

    @staticmethod
    def finite(expression: nw.Expr) -> nw.Expr:
        # By comparison, since not every engine (SQLite) has a test for infinity.
        return expression.abs() <= sys.float_info.max

    def any_of(self, conditions: Sequence[nw.Expr]) -> nw.Expr:
        return nw.any_horizontal(*conditions, ignore_nulls=True)


class LazyTable(EngineTable[nw.Expr, Foreign]):
    """A lazy frame; every question is one query."""

    dialect = NarwhalsDialect()
    costly_queries = True

    def __init__(
        self,
        frame: Foreign,
        columns: tuple[str, ...],
        kinds: tuple[Kind, ...],
        *,
        name: str,
        backend: str | None,
        rows: int | None = None,
        nan: bool = False,
        process: int | None = None,
    ) -> None:
        super().__init__(columns, kinds, name=name)
        self._frame = frame
        self.backend = backend
        self._process = os.getpid() if process is None else process
        self._rows: dict[str, Column] | None = None
        self._ranges: dict[str, tuple[float, float]] = {}
        if rows is not None:  # known, and without gaps
            self.n, self._filled = rows, dict.fromkeys(columns, rows)
            return
        # Rows, gaps and ranges by one query, and whether there is NaN: no other number makes the sum of x·0 one.
        floats = [self.place(c) for c in columns if self.kind(c) == "number"]
        numbers = [c for c in columns if self.kind(c) in ("number", "integer")] if len(columns) <= RANGED else []
        amounts = [nw.len().alias("n"), *(nw.col(p).count().alias(p) for p in self._places.values())]
        for c in numbers:
            value = self.number(c)
            amounts += [value.min().alias(f"low{self.place(c)}"), value.max().alias(f"high{self.place(c)}")]
        sums = [(nw.col(place) * 0.0).sum().alias(f"sum{place}") for place in floats] if nan else []
        answers = self.ask(*amounts, *sums)
        guarded = [place for place in floats if math.isnan(answers.get(f"sum{place}") or 0.0)]
        if guarded:
            self._frame = frame.with_columns(
                nw.when(nw.col(place).is_nan()).then(None).otherwise(nw.col(place)).alias(place) for place in guarded
            )
            answers = self.ask(*amounts)
        self.n = int(answers["n"])
        self._filled = {column: int(answers[place]) for column, place in self._places.items()}
        self._ranges = {
            c: (_or_nan(answers[f"low{self.place(c)}"]), _or_nan(answers[f"high{self.place(c)}"])) for c in numbers
        }

    @property
    def frame(self) -> Foreign:
        return self._frame

    def answer(self, frame: Foreign) -> dict[str, Column]:
        # The threads of polars and of the connections of others do not live on in a forked process: it would wait.
        if os.getpid() != self._process:
            raise InputError("a lazy table cannot be asked in a forked process; open it there, or spawn processes")
        return answer(frame)

    def filtered(self, *conditions: nw.Expr) -> LazyTable:
        return self.made(self._frame.filter(*conditions), self.columns, self.kinds)

    def part(self, conditions: Sequence[nw.Expr], rows: int) -> LazyTable:
        frame = self._frame.filter(*conditions)
        return LazyTable(frame, self.columns, self.kinds, name=self.name, backend=self.backend, rows=rows)

    def made(self, frame: Foreign, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> LazyTable:
        return LazyTable(frame, columns, kinds, name=self.name, backend=self.backend, process=self._process)

    def range(self, name: str) -> tuple[float, float] | None:
        return self._ranges.get(name)

    def values(self, name: str) -> Column:
        if self._rows is None:
            self.need_memory()
            self._rows = answer(self._frame)
        return self._rows[self.place(name)]

    def counted(self, layout: Layout, options: Options) -> GroupedSource | None:
        facts = counted_facts(self, layout, options)
        return None if facts is None else GroupedSource(facts=facts, layout=layout, table=self, budget=options.budget)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _names(wrapped: Foreign, native: Foreign) -> Sequence[str]:
    """The names of the columns; polars warns where they are asked for as `columns`, others may have one twice."""
    by_schema = type(native).__module__.startswith("polars")
    return list(wrapped.collect_schema().names() if by_schema else wrapped.columns)


def open_lazy(wrapped: Foreign, native: Foreign, backend: str | None) -> LazyTable:
    """A lazy frame of narwhals as a table."""
    columns = tuple(str(name) for name in _names(wrapped, native))
    twice = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if twice is not None:
        raise InputError(f"two columns of the table are called {twice!r}; rename one")
    dtypes = list(wrapped.collect_schema().values())
    if is_spark(native):
        # By position, so that dots, backticks and names that differ in case only cannot matter.
        wrapped = nw.from_native(native.toDF(*(f"r{i}" for i in range(len(columns)))))
    plain_columns = [_plain(nw.col(name), dtype) for name, dtype in zip(_names(wrapped, native), dtypes, strict=True)]
    frame = wrapped.select(*(part.alias(f"c{i}") for i, (part, _) in enumerate(plain_columns)))
    kinds = tuple(kind for _, kind in plain_columns)
    table = LazyTable(frame, columns, kinds, name="the table", backend=backend, nan=_knows_nan(native))
    if table.n == 0:
        raise InputError("the table has no rows")
    return table


def _knows_nan(native: Foreign) -> bool:
    """Whether an engine has a test for NaN; those without one (SQLite, SQL Server, …) hold no NaN."""
    if type(native).__module__.split(".")[0] != "ibis":
        return True
    from ibis.expr.operations import IsNan

    engine = native.get_backend()
    return bool(engine.has_operation(IsNan))


def _plain(value: nw.Expr, dtype: nw.dtypes.DType) -> tuple[nw.Expr, Kind]:
    """A column in one of the few types, and what it holds; numbers may hold NaN yet."""
    if dtype == nw.Boolean:
        return value, "boolean"
    if dtype.is_integer():
        narrow = dtype in (nw.UInt64, nw.UInt128, nw.Int128)
        return (value if narrow else value.cast(nw.Int64)), "integer"
    if dtype.is_numeric():
        # Adding zero turns −0.0 into 0.0.
        return value.cast(nw.Float64) + 0.0, "number"
    if dtype.is_temporal():
        return value.cast(nw.String), "date"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return value.cast(nw.String), "text"
    # Lists, structures and the like only have to be counted as there or not.
    return nw.when(~value.is_null()).then(nw.lit(1)), "other"


def answer(frame: Foreign) -> dict[str, Column]:
    """The columns of a lazy narwhals frame: None, or NaN in floats, where a value is missing."""
    native = frame.to_native()
    engine = type(native).__module__.split(".")[0]
    if engine == "polars":
        return _polars(native)
    if engine == "pyspark":
        return _spark(native)
    if engine == "ibis":
        return _postgres(native) if native.get_backend().name == "postgres" else _arrow(native.to_pyarrow())
    return _arrow(frame.collect(backend="pyarrow").to_native())


def is_spark(frame: Foreign) -> bool:
    """Whether this is a Spark table, without loading pyspark."""
    return type(frame).__module__.split(".")[0] == "pyspark" and hasattr(frame, "toDF")


def _polars(frame: Foreign) -> dict[str, Column]:
    collected = frame.collect()
    return {
        column.name: np.array(column.to_list(), dtype=object) if _gaps(column) else column.to_numpy()
        for column in collected.get_columns()
    }


def _gaps(column: Foreign) -> bool:
    """Whether polars would change values on the way: whole numbers and booleans with gaps turn into floats."""
    return bool(column.null_count()) and not column.dtype.is_float()


def _spark(frame: Foreign) -> dict[str, Column]:
    if hasattr(frame, "toArrow"):
        return _arrow(frame.toArrow())
    rows = frame.collect()  # Spark before 4
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(frame.columns)}


# How PostgreSQL packs numbers into bytes, and how NumPy reads them.
PACKED = {"integer": ("int8send({}::bigint)", ">i8"), "boolean": ("boolsend({})", "?"),
          "floating": ("float8send(coalesce({}::double precision, 'NaN'))", ">f8")}  # fmt: skip


def _postgres(query: Foreign) -> dict[str, Column]:
    """What a PostgreSQL server answers, without a cursor, which would keep it from working in parallel.

    Numbers come packed, one value for each column; rows as objects of Python would take most of the time.
    """
    engine, types = query.get_backend(), dict(query.schema())
    given = f"FROM ({engine.compile(query)}) AS answered"
    places = {name: f'"{name}"' for name in types}
    packings = {name: next((PACKED[k] for k in PACKED if getattr(t, f"is_{k}")()), None) for name, t in types.items()}
    packed = [f"string_agg({how[0].format(places[name])}, ''::bytea)" for name, how in packings.items() if how]
    with engine.con.transaction(), engine.con.cursor(binary=True) as cursor:
        if len(packed) == len(types):
            # A gap that is no float has no bytes of its own.
            gaps = " OR ".join(f"count({p}) < count(*)" for name, p in places.items() if not types[name].is_floating())
            *parts, gappy = cursor.execute(f"SELECT {', '.join(packed)}, {gaps or 'false'} {given}").fetchone()
            if not gappy:
                kinds = [np.dtype(how[1]) for how in packings.values() if how]
                return {
                    name: np.frombuffer(part or b"", kind).astype(kind.newbyteorder("="))
                    for name, part, kind in zip(types, parts, kinds, strict=True)
                }
        plain = {name: f"{p}::bigint" if types[name].is_integer() else p for name, p in places.items()}
        rows = cursor.execute(f"SELECT {', '.join(plain.values())} {given}").fetchall()
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(types)}


def _arrow(table: Foreign) -> dict[str, Column]:
    return {name: _arrow_column(table.column(name)) for name in table.column_names}


def _arrow_column(column: Foreign) -> Column:
    kind = str(column.type)
    if column.null_count and not kind.startswith(("double", "float")):
        return _column(column.to_pylist())
    return np.asarray(column.to_numpy())


def _column(values: list[object]) -> Column:
    """Plain values as an array; floats with gaps as floats."""
    if values and all(v is None or isinstance(v, float) for v in values) and any(v is not None for v in values):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if values and all(isinstance(v, int | bool) for v in values):
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
