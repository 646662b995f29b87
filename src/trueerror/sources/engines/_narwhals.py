"""Lazy tables (polars LazyFrames, PySpark DataFrames, Ibis tables) through narwhals.

Narwhals writes the queries for all engines alike; what they answer is taken from the engine itself (`answer`), since
collecting through narwhals would need pyarrow even where the engine does without.
"""

from __future__ import annotations

import functools
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import EXACT, Column, Foreign
from trueerror.inputs._cells import BLANKS, MISSING
from trueerror.inputs._options import InputError
from trueerror.inputs._settings import current
from trueerror.sources._paths import asking, engine_failed
from trueerror.sources._tables import ColumnsTable, Kind, Layout, Options
from trueerror.sources.engines._engine_table import FIRST_ROWS, MOST_CELLS, EngineTable, call_name
from trueerror.sources.engines._group_tallies import ThresholdCode
from trueerror.sources.engines._groupby import GroupedSource, counted_facts

# Tables of at most so many columns have the range of each looked up when their rows are counted: one look fewer later.
RANGED = 64
# A column of at most so many values among the first rows is counted together with its like when the table is opened.
FEW = 64
# What is asked of the columns that are not.
AMOUNTS: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "": nw.Expr.count, "low": nw.Expr.min, "high": nw.Expr.max, "sum": nw.Expr.sum,
}  # fmt: skip
_NONE = np.zeros(0)
ENGINES = {"pyspark": "Spark", "dask": "Dask", "duckdb": "DuckDB"}
# Those that tell how long a duration is.
SPANS = ("polars", "dask")
# Types of pandas that have gaps, by the kind of their values.
NULLABLE = {"i": "Int64", "u": "UInt64", "b": "boolean"}
# So many digits a double always holds.
DIGITS = 15


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

    def steps(self, expression: nw.Expr, low: float, scale: float) -> nw.Expr:
        return ((expression - low) * scale).floor()

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


class DaskDialect(NarwhalsDialect):
    """Where the largest of a row's values cannot be set beside the row again."""

    def argmax(self, scores: Sequence[nw.Expr]) -> nw.Expr:
        place = nw.lit(len(scores) - 1)
        for i in range(len(scores) - 2, -1, -1):
            # From the last to the first, so that the first of equal scores wins.
            largest = functools.reduce(
                operator.and_, (scores[i] >= other for other in scores if other is not scores[i])
            )
            place = nw.when(largest).then(nw.lit(i)).otherwise(place)
        return place


class LazyTable(EngineTable[nw.Expr, Foreign]):
    """A lazy frame; every question is one query."""

    dialect: NarwhalsDialect = NarwhalsDialect()
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
        if type(frame.to_native()).__module__.startswith("dask"):
            self.dialect = DaskDialect()
        self.backend = backend
        self._process = os.getpid() if process is None else process
        self._rows: dict[str, Column] | None = None
        self._ranges: dict[str, tuple[float, float]] = {}
        if rows is not None:  # known, and without gaps
            self.n, self._filled = rows, dict.fromkeys(columns, rows)
            return
        # Rows, gaps and ranges, and what few values occur together, by one query; and whether there is NaN.
        guarded = self._look(nan)
        if guarded:
            self._frame = frame.with_columns(
                # Without a null written out, which would make objects of the numbers of Dask.
                nw.when(~nw.col(place).is_nan()).then(nw.col(place)).alias(place)
                for place in guarded
            )
            self._look(False)

    def _look(self, nan: bool) -> list[str]:
        """Learn of all rows what is asked of every table; the places of columns with NaN, if `nan` asks for them."""
        self._first_rows = self.answer(self._frame.head(FIRST_ROWS))
        if len(self._first_rows["c0"]) < FIRST_ROWS:
            keys, groups = list(self.columns), self._first_rows | {"rows": np.ones(len(self._first_rows["c0"]))}
        else:
            keys, calls = self._of_few_values()
            groups = self._grouped(keys, calls, nan)
            if len(groups["rows"]) > MOST_CELLS:
                keys, calls, groups = [], {}, self._grouped([], {}, nan)
            if keys:
                self._keep_joint(keys, {name: groups[name] for name in (*map(self.place, keys), *calls, "rows")})
        rows = groups["rows"].astype(np.int64)
        self.n, with_nan = int(rows.sum()), []
        for column, place in self._places.items():
            numeric = self.kind(column) in ("number", "integer")
            if column in keys:
                present = _present(groups[place])
                self._filled[column] = int(rows[present].sum())
                low = high = groups[place][present]
                strange = not present.all()
            else:
                self._filled[column] = int(groups[place].sum())
                low, high = (groups.get(f"{end}{place}", _NONE) for end in ("low", "high"))
                strange = bool(np.isnan(groups.get(f"sum{place}", _NONE).astype(np.float64)).any())
            if numeric and len(self.columns) <= RANGED:
                self._ranges[column] = _ends(low, high)
            if nan and strange and self.kind(column) == "number":
                with_nan.append(place)
        return with_nan

    def _of_few_values(self) -> tuple[list[str], dict[str, ThresholdCode]]:
        """The columns that have few values among the first rows, none where these may make many combinations; and, by
        name, calls at 0.5 by columns that look like probabilities, where counting them later would be another job."""
        if len(self.columns) > RANGED:
            return [], {}
        few = {c: k for c, k in self._seen().items() if k <= FEW and self.kind(c) not in ("other", "date")}
        cells = math.prod(k + 1 for k in few.values())
        if not few or cells > MOST_CELLS:
            return [], {}
        scores = [c for c in self.columns if c not in few and self.kind(c) == "number" and self._within_unit(c)]
        if not is_spark(self._frame.to_native()) or cells * 3 ** len(scores) > MOST_CELLS:
            scores = []
        return list(few), {call_name(self.place(c)): ThresholdCode(c, 0.5, above=1, below=0) for c in scores}

    def _within_unit(self, column: str) -> bool:
        """Whether the numbers of a column lie in [0, 1], as far as the first rows show."""
        first = self.first(column, FIRST_ROWS).astype(np.float64)
        return bool(np.fmin.reduce(first) >= 0 and np.fmax.reduce(first) <= 1)

    def _grouped(self, keys: Sequence[str], calls: Mapping[str, ThresholdCode], nan: bool) -> dict[str, Column]:
        """By the values of the key columns and by calls, or of all rows: their number; of other columns how many rows
        hold something, from where to where, and a sum of x·0, which no number but NaN makes NaN."""
        wanted, amounts = [], [nw.len().alias("rows")]
        for column in (c for c in self.columns if c not in keys):
            place, value = self.place(column), self.number(column)
            parts = {"": nw.col(place)}
            if self.kind(column) in ("number", "integer") and len(self.columns) <= RANGED:
                parts |= {"low": value, "high": value}
            if nan and self.kind(column) == "number":
                parts["sum"] = value * 0.0
            wanted += [part.alias(f"{name}{place}") for name, part in parts.items()]
            amounts += [AMOUNTS[name](nw.col(f"{name}{place}")) for name in parts]
        if not keys:
            return self.answer(self._frame.select(*wanted).select(*amounts))
        places = list(map(self.place, keys))
        called = [self.expression(code).alias(name) for name, code in calls.items()]
        grouped = self._frame.select(*map(nw.col, places), *called, *wanted).group_by(*places, *calls)
        return self.answer(grouped.agg(*amounts).head(MOST_CELLS + 1))

    @property
    def frame(self) -> Foreign:
        return self._frame

    def answer(self, frame: Foreign) -> dict[str, Column]:
        # The threads of polars and of the connections of others do not live on in a forked process: it would wait.
        if os.getpid() != self._process:
            raise InputError("a lazy table cannot be asked in a forked process; open it there, or spawn processes")
        with _asking(engine_name(frame.to_native())):
            return _answered(frame)

    def filtered(self, *conditions: nw.Expr) -> LazyTable:
        return self.made(self._frame.filter(*conditions), self.columns, self.kinds)

    def part(self, conditions: Sequence[nw.Expr], rows: int) -> LazyTable:
        frame = self._frame.filter(*conditions)
        return LazyTable(frame, self.columns, self.kinds, name=self.name, backend=self.backend, rows=rows)

    def made(self, frame: Foreign, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> LazyTable:
        return LazyTable(frame, columns, kinds, name=self.name, backend=self.backend, process=self._process)

    def stacked(self, frame: Foreign, columns: Sequence[str], others: Sequence[str], name: str) -> Foreign:
        if len(columns) < 2 or all(_knows(frame.to_native(), part) for part in ("Array", "StructColumn")):
            return super().stacked(frame, columns, others, name)
        return nw.concat([super(LazyTable, self).stacked(frame, [c], others, name) for c in columns], how="vertical")

    def range(self, name: str) -> tuple[float, float] | None:
        return self._ranges.get(name)

    def values(self, name: str) -> Column:
        if self._rows is None:
            self.need_memory()
            self._rows = self.answer(self._frame)
        return self._rows[self.place(name)]

    def counted(self, layout: Layout, options: Options) -> GroupedSource | None:
        for column in (layout.id, *layout.keys.values()):
            # All that is known of such a column is where it holds something.
            if column is not None and self.kind(column) == "other":
                why = "holds neither text nor numbers; cast it to text first"
                raise InputError(f"column {column!r} of {self.name} {why}")
        facts = counted_facts(self, layout, options)
        return None if facts is None else GroupedSource(facts=facts, layout=layout, table=self, budget=options.budget)


def _present(values: Column) -> NDArray[np.bool_]:
    """Where a column holds something."""
    if values.dtype.kind == "f":
        return ~np.isnan(values)
    return np.array([v is not None and v == v for v in values.tolist()], dtype=np.bool_)


def _ends(low: Column, high: Column) -> tuple[float, float]:
    """The least and the largest of numbers; NaN where there are none."""
    ends = [values[~np.isnan(values)] for values in (low.astype(np.float64), high.astype(np.float64))]
    return (float(ends[0].min()), float(ends[1].max())) if len(ends[0]) else (math.nan, math.nan)


def _names(wrapped: Foreign, native: Foreign) -> Sequence[str]:
    """The names of the columns; polars warns where they are asked for as `columns`, others may have one twice."""
    by_schema = type(native).__module__.startswith("polars")
    return list(wrapped.collect_schema().names() if by_schema else wrapped.columns)


def open_lazy(wrapped: Foreign, native: Foreign, backend: str | None) -> LazyTable | ColumnsTable:
    """A lazy frame of narwhals as a table; of a small one in PostgreSQL the rows, by one query."""
    with _asking(engine_name(native)):
        return _opened(wrapped, native, backend)


@contextmanager
def _asking(engine: str) -> Iterator[None]:
    """`asking`, also where polars panics, which is no Exception."""
    try:
        with asking(engine):
            yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        said = re.search(r'ErrString\("([^.\\]+)', str(error))
        raise engine_failed(engine, RuntimeError(said[1] if said else str(error))) from None


def engine_name(native: Foreign) -> str:
    """How to call the engine of a table in a message."""
    library = type(native).__module__.split(".")[0]
    return f"{native.get_backend().name} (by Ibis)" if library == "ibis" else ENGINES.get(library, library)


def _opened(wrapped: Foreign, native: Foreign, backend: str | None) -> LazyTable | ColumnsTable:
    library = type(native).__module__.split(".")[0]
    columns = tuple(str(name) for name in _names(wrapped, native))
    twice = next((name for i, name in enumerate(columns) if name in columns[:i]), None)
    if twice is not None:
        raise InputError(f"two columns of the table are called {twice!r}; rename one")
    if not columns:
        raise InputError("the table has no columns")
    if library == "dask":
        wrapped = nw.from_native(_as_in_pandas(native))
    dtypes = list(wrapped.collect_schema().values())
    if is_spark(native):
        # By position, so that dots, backticks and names that differ in case only cannot matter.
        wrapped = nw.from_native(native.toDF(*(f"r{i}" for i in range(len(columns)))))
    # Polars takes names such as * and ^…$ for patterns.
    plain_columns = [_plain(nw.nth(i), dtype, library) for i, dtype in enumerate(dtypes)]
    large = _fit_in_64_bits(wrapped, dtypes)
    for i, fits in large.items():
        whole: tuple[nw.Expr, Kind] = (nw.nth(i).cast(nw.Int64), "integer")
        plain_columns[i] = whole if fits else (nw.nth(i).cast(nw.String), "text")
    kinds = tuple(kind for _, kind in plain_columns)
    plain = functools.partial(wrapped.select, *(part.alias(f"c{i}") for i, (part, _) in enumerate(plain_columns)))
    if _is_postgres(native):
        rows = _whole_postgres(plain().to_native() if large or {"date", "other"} & set(kinds) else native)
        if rows is not None:
            named = dict(zip(columns, rows.values(), strict=True))
            return ColumnsTable(named, backend=backend, kinds=dict(zip(columns, kinds, strict=True)))
    table = LazyTable(plain(), columns, kinds, name="the table", backend=backend, nan=_knows(native, "IsNan"))
    if table.n == 0:
        raise InputError("the table has no rows")
    return table


def _fit_in_64_bits(wrapped: Foreign, dtypes: Sequence[nw.dtypes.DType]) -> dict[int, bool]:
    """The places of whole decimals, which are integers on some servers, and whether all their values have 64 bits.

    Decimals with a scale are whole where they hold no fraction; it is asked for where doubles would lose digits.
    """
    scales = {i: d.scale for i, d in enumerate(dtypes) if isinstance(d, nw.Decimal) and d.precision - d.scale > DIGITS}
    scales |= {i: 0 for i, d in enumerate(dtypes) if isinstance(d, nw.Decimal) and d.scale == 0}
    if not scales:
        return {}
    largest = _answered(wrapped.select(*(nw.nth(i).cast(nw.Float64).abs().max().alias(f"c{i}") for i in scales)))
    most = {i: float(largest[f"c{i}"][0] or 0.0) for i in scales}
    fits = {i: not most[i] >= 2.0**63 for i, scale in scales.items() if scale == 0}
    unsure = [i for i, scale in scales.items() if scale and EXACT <= most[i] < 2.0**63]
    if unsure:
        rest = {i: nw.nth(i) - nw.nth(i).cast(nw.Int64) for i in unsure}
        rests = _answered(wrapped.select(*(x.cast(nw.Float64).abs().max().alias(f"c{i}") for i, x in rest.items())))
        fits |= {i: True for i in unsure if float(rests[f"c{i}"][0]) == 0.0}
    return fits


def _as_in_pandas(frame: Foreign) -> Foreign:
    """A Dask frame whose columns hold what pandas would: the values of categories, whole numbers with their gaps.

    Dask goes by what it was told of a column; a partition that holds fractions under whole numbers is refused.
    """
    frame = frame.rename(columns=str)
    for name, dtype in frame.dtypes.items():
        column = frame[name]
        if str(dtype) == "category":
            values = (column if column.cat.known else column.cat.as_known()).dtype.categories.dtype
            if values.kind in "iubfmM":
                frame[name] = column.astype(NULLABLE.get(values.kind, values))
        elif dtype.kind in "iu" and not isinstance(dtype, np.dtype):
            frame[name] = column.astype(NULLABLE[dtype.kind])
        elif dtype.kind in "iub":
            frame[name] = column.map_partitions(_as_told, name, meta=column._meta)
    return frame


def _as_told(part: Foreign, name: str) -> Foreign:
    if part.dtype.kind == "f" and not (part % 1 == 0).all():
        raise InputError(
            f"column {name!r} is whole numbers, as Dask was told, but a partition holds fractions or gaps: cast it "
            f"first, frame.astype({{{name!r}: 'float64'}})"
        )
    return part


def _knows(native: Foreign, operation: str) -> bool:
    """Whether an engine has an operation of Ibis, by its name; those without a test for NaN (SQLite, …) hold none."""
    if type(native).__module__.split(".")[0] != "ibis":
        return True
    from ibis.expr import operations

    return bool(native.get_backend().has_operation(getattr(operations, operation)))


def _plain(value: nw.Expr, dtype: nw.dtypes.DType, library: str) -> tuple[nw.Expr, Kind]:
    """A column in one of the few types, and what it holds; numbers may hold NaN yet."""
    if dtype == nw.Boolean:
        return value, "boolean"
    if dtype.is_integer():
        wide = dtype in (nw.Int64, nw.UInt64, nw.UInt128, nw.Int128)
        return (value if wide else value.cast(nw.Int64)), "integer"
    if dtype.is_numeric():
        # Adding zero turns −0.0 into 0.0.
        return value.cast(nw.Float64) + 0.0, "number"
    if dtype == nw.Duration and library in SPANS:
        return nw.concat_str(value.dt.total_microseconds().cast(nw.String), nw.lit(" µs")), "date"
    if dtype.is_temporal() and dtype != nw.Duration:
        return value.cast(nw.String), "date"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        # polars takes other blanks away too where it is not told which; Ibis cannot be told.
        bare = value.cast(nw.String).str.strip_chars(None if library == "ibis" else BLANKS)
        return nw.when(~bare.is_in(MISSING)).then(bare), "text"
    # Lists, structures and the like only have to be counted as there or not.
    return nw.when(~value.is_null()).then(nw.lit(1)), "other"


def _answered(frame: Foreign) -> dict[str, Column]:
    """The columns of a lazy narwhals frame: None, or NaN in floats, where a value is missing."""
    native = frame.to_native()
    engine = type(native).__module__.split(".")[0]
    if engine == "polars":
        return _polars(native)
    if engine == "pyspark":
        return _spark(native)
    if engine == "ibis":
        return _postgres(native) if _is_postgres(native) else _arrow(native.to_pyarrow())
    return _arrow(frame.collect(backend="pyarrow").to_native())


def _is_postgres(native: Foreign) -> bool:
    return type(native).__module__.split(".")[0] == "ibis" and native.get_backend().name == "postgres"


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
    """Whether polars would change values on the way: whole numbers and booleans with gaps turn into floats, and NumPy
    has no whole numbers of 128 bits."""
    return (bool(column.null_count()) and not column.dtype.is_float()) or str(column.dtype).endswith("Int128")


def _spark(frame: Foreign) -> dict[str, Column]:
    if hasattr(frame, "toArrow"):
        return _arrow(frame.toArrow())
    rows = frame.collect()  # Spark before 4
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(frame.columns)}


# What a column in PostgreSQL is as a double; a text is its length, and comes apart.
DOUBLES = {
    "floating": "{}::double precision",
    "decimal": "{}::double precision",
    "integer": "{}::double precision",
    "boolean": "{}::int::double precision",
    "string": "octet_length(convert_to({}::text, 'UTF8'))::double precision",
}
# How up to four doubles become bytes: to make a point, a circle or a segment of them and send that takes the server
# half the time of sending and joining each.
PACKED = (
    "float8send({})",
    "point_send(point({}, {}))",
    "circle_send(circle(point({}, {}), {}))",
    "lseg_send(lseg(point({}, {}), point({}, {})))",
)
# What the server says of a value beyond a gigabyte.
TOO_LONG = "54000"
# How it begins to say that it lacks something (it only speaks like PostgreSQL), and that, or that a limit is reached.
LACKING = ("0A", "42")
STRANGE = (*LACKING, "54")
# Rows in each value beyond a gigabyte.
PACKED_ROWS = 1 << 23
# Rows, or 32 bytes of text, in a piece of an answer: longer ones take the server new memory at every step of their way.
PIECE = 1 << 12
# A table of at most so many bytes comes whole: a server counts it once or twice in that time.
WHOLE_BYTES = 1 << 25
# From here up it is worth a second process, and has so many shares: equal work for two processes and for three.
SHARED_BYTES, SHARES = 1 << 21, 6
# The version that finds rows by their places.
BY_PLACE = 140_000


def _postgres(query: Foreign) -> dict[str, Column]:
    """What a PostgreSQL server answers, without a cursor, which would keep it from working in parallel."""
    engine, types = query.get_backend(), dict(query.schema())
    # A transaction of the user's is left as it is, also where a query fails: this one is a savepoint in it.
    with engine.con.transaction(), engine.con.cursor(binary=True) as cursor:
        given = f"({engine.compile(query)}) AS answered"
        try:
            with engine.con.transaction():
                packed = _packed(cursor, [given], types)
        except engine.con.Error as error:
            if (error.sqlstate or "")[:2] not in STRANGE:
                raise
            numbered = f"(SELECT *, row_number() OVER () / {PACKED_ROWS} AS part FROM {given}) AS numbered"
            packed = _packed(cursor, [numbered], types, in_parts=True) if error.sqlstate == TOO_LONG else None
        if packed is not None:
            return packed
        # Sums of whole numbers are decimals in the server.
        places = [_quoted(name) + ("::bigint" if t.is_integer() else "") for name, t in types.items()]
        rows = cursor.execute(f"SELECT {', '.join(places)} FROM {given}", prepare=False).fetchall()
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(types)}


def _packed(
    cursor: Foreign,
    shares: Sequence[str],
    types: Mapping[str, Foreign],
    *,
    in_parts: bool = False,
    large: Sequence[str] = (),
) -> dict[str, Column] | None:
    """The columns of an answer, given in shares, its rows packed into bytes; None where one is of another type.

    Rows as objects of Python would take most of the time, and COPY sends a message for each. Every number travels as a
    double, NaN where it is missing; whole numbers too `large` for that as two.
    """
    kinds = {name: next((kind for kind in DOUBLES if getattr(t, f"is_{kind}")()), "") for name, t in types.items()}
    if not all(kinds.values()):
        return None
    quoted = {name: _quoted(name) for name in types}
    halves = {name: [f"({quoted[name]}::bigint {sign} {1 << 32})" for sign in "/%"] for name in large}
    doubles = [DOUBLES[kinds[name]].format(x) for name in types for x in halves.get(name, [quoted[name]])]
    fours = [[f"coalesce({double}, 'NaN')" for double in doubles[i : i + 4]] for i in range(0, len(doubles), 4)]
    texts = [name for name, kind in kinds.items() if kind == "string"]
    values = {f"v{i}": (PACKED[len(four) - 1].format(*four), 8 * len(four)) for i, four in enumerate(fours)}
    values |= {f"t{i}": (f"convert_to({quoted[name]}::text, 'UTF8')", 32) for i, name in enumerate(texts)}
    amounts = [f"string_agg({value}, NULL) AS {v}" for v, (value, _) in values.items()]
    last = [f"(length({v}) - 1) / {PIECE * width}" for v, (_, width) in values.items()]
    pieces = [f"substr({v}, 1 + piece * {PIECE * width}, {PIECE * width})" for v, (_, width) in values.items()]
    asked = [
        f"SELECT part, piece, length(v0) / {8 * len(fours[0])}, {', '.join(pieces)} "
        f"FROM (SELECT {'part' if in_parts else f'{i} AS part'}, {', '.join(amounts)} "
        f"FROM {share}{' GROUP BY part' if in_parts else ''}) AS packed, "
        f"generate_series(0, greatest({', '.join(last)})) AS piece"
        for i, share in enumerate(shares)
    ]
    numbers, joined = _received(cursor, " UNION ALL ".join(asked), [len(four) for four in fours], len(asked))
    columns: dict[str, Column] = {}
    beyond = []
    for name, kind in kinds.items():
        number = next(numbers)
        if kind in ("floating", "decimal"):
            columns[name] = number
        elif kind == "string":
            columns[name] = _texts(next(joined, b""), number)
        elif name not in large and (abs(number) >= EXACT).any():
            beyond.append(name)
        else:
            columns[name] = _whole(number, next(numbers) if name in large else None, bool if kind == "boolean" else int)
    return _packed(cursor, shares, types, in_parts=in_parts, large=beyond) if beyond else columns


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _received(
    cursor: Foreign, asked: str, widths: Sequence[int], shares: int
) -> tuple[Iterator[NDArray[np.float64]], Iterator[bytes]]:
    """Columns of doubles, from groups of so many, and texts: by pieces, each in the memory of the one before.

    Shares come as they are ready. Where one begins is known when those before it have told their rows: until then its
    pieces wait.
    """
    rows: dict[int, int] = {}
    starts = {0: 0}
    texts: dict[tuple[int, int], list[bytes]] = {}
    waiting: list[tuple[int, int, list[bytes]]] = []
    columns = np.empty((sum(widths), 0))

    def fill(part: int, piece: int, values: Sequence[bytes]) -> None:
        nonlocal columns
        known, end = columns, starts[part] + rows[part]
        if end > known.shape[1]:
            # Memory that is never written to costs nothing.
            columns = np.empty((len(known), max(end, 2 * rows[part] * shares if shares > 1 else 0)))
            columns[:, : known.shape[1]] = known
        first, start = 0, starts[part] + piece * PIECE
        for width, value in zip(widths, values, strict=False):
            doubles = np.frombuffer(value, ">f8").reshape(-1, width).T
            # Adding zero turns −0.0 into 0.0.
            np.add(doubles, 0.0, out=columns[first : first + width, start : start + doubles.shape[1]])
            first += width

    for part, piece, rows[part], *values in cursor.stream(asked, binary=True):
        texts[part, piece] = [value or b"" for value in values[len(widths) :]]
        last = max(starts)
        while last in rows:
            starts[last + 1] = starts[last] + rows[last]
            last += 1
        if part in starts:
            fill(part, piece, values)
        else:
            waiting.append((part, piece, values))
    # A share without rows has told nothing.
    starts = dict(zip(sorted(rows), accumulate([0, *(rows[part] for part in sorted(rows))]), strict=False))
    for held in waiting:
        fill(*held)
    in_order = [texts[place] for place in sorted(texts)]
    return iter(columns[:, : sum(rows.values())]), map(b"".join, zip(*in_order, strict=True))


def _whole(number: NDArray[np.float64], rest: NDArray[np.float64] | None, kind: type[int]) -> Column:
    """Whole numbers or booleans that came as doubles, or as multiples of 2^32 and a rest; None where one is missing."""
    gone = np.isnan(number)
    if not gone.any():
        return number.astype(kind) if rest is None else (number.astype(kind) << 32) + rest.astype(kind)
    whole = np.full(len(number), None, dtype=object)
    whole[~gone] = _whole(number[~gone], None if rest is None else rest[~gone], kind)
    return whole


def _texts(joined: bytes, lengths: NDArray[np.float64]) -> Column:
    """Texts that stand one after the other; NaN is the length of a gap."""
    lengths = np.where(np.isnan(lengths), -1, lengths).astype(np.int64)
    ends = np.cumsum(np.maximum(lengths, 0))
    # Most texts are labels, of which few differ.
    known: dict[bytes, str] = {}
    column = np.empty(len(lengths), dtype=object)
    for i, (length, end) in enumerate(zip(lengths.tolist(), ends.tolist(), strict=True)):
        if length >= 0:
            piece = joined[end - length : end]
            if piece not in known:
                known[piece] = piece.decode()
            column[i] = known[piece]
    return column


def _whole_postgres(query: Foreign) -> dict[str, Column] | None:
    """All rows of a table, where the server expects them to be few; None where they are many."""
    engine, types = query.get_backend(), dict(query.schema())
    most = min(WHOLE_BYTES, current().budget_bytes // 8)
    asked, rows = engine.compile(query), most // (8 * len(types))
    try:
        with engine.con.transaction(), engine.con.cursor(binary=True) as cursor:
            plan = cursor.execute(f"EXPLAIN (VERBOSE, FORMAT JSON) {asked}", prepare=False).fetchone()[0][0]["Plan"]
            expected = plan["Plan Rows"] * max(plan["Plan Width"], 8 * len(types))
            if expected > most:
                return None
            # What is expected of a table follows from the length of its file; other guesses may be far off.
            sure = plan["Node Type"] == "Seq Scan" and "Filter" not in plan
            columns = None
            if sure and expected >= SHARED_BYTES and engine.con.info.server_version >= BY_PLACE:
                columns = _by_shares(cursor, asked, plan, types)
            if columns is None:
                limit = "" if sure else f" LIMIT {rows + 1}"
                columns = _packed(cursor, [f"(SELECT * FROM ({asked}) AS asked{limit}) AS answered"], types)
    except engine.con.Error as error:
        if (error.sqlstate or "")[:2] not in STRANGE:
            raise
        return None
    lengths = {len(column) for column in (columns or {}).values()}
    return columns if lengths and 0 < max(lengths) <= rows else None


def _by_shares(
    cursor: Foreign, asked: str, plan: Mapping[str, str], types: Mapping[str, Foreign]
) -> dict[str, Column] | None:
    """The rows of a table, packed by several processes of the server; None where the table does not tell their places.

    No aggregate of PostgreSQL before version 16 that keeps all its values is divided among processes, but the parts
    of a UNION ALL are: each packs the rows of some of the table's blocks.
    """
    table = f"{_quoted(plan['Schema'])}.{_quoted(plan['Relation Name'])}"
    counted = "SELECT pg_relation_size(%s::regclass) / current_setting('block_size')::int"
    blocks = cursor.execute(counted, [table], prepare=False).fetchone()[0]
    places = [f"ctid {{}} '({blocks * i // SHARES},0)'" for i in range(1, SHARES)]
    firsts, ends = ["true", *(p.format(">=") for p in places)], [*(p.format("<") for p in places), "true"]
    shares = [f"({asked} WHERE {a} AND {b}) AS answered" for a, b in zip(firsts, ends, strict=True)]
    try:
        with cursor.connection.transaction():
            return _packed(cursor, shares, types)
    except cursor.connection.Error as error:
        # A query within a query has no places, nor have the tables of some servers.
        if (error.sqlstate or "")[:2] not in LACKING:
            raise
        return None


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
