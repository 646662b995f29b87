"""Equal data in other containers and behind other doors: the same rows give the same JSON.

A call with sensible values is made twice, the second time with its columns in other containers (`in_containers`); and a
small table is read as a frame and from files (`through_doors`). Where the two answers differ, or one of the two is
refused, something reads its input by itself.
"""

from __future__ import annotations

import array
import collections
import contextlib
import decimal
import fractions
import gzip
import itertools
import json
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import trueerror as te
from tests.fuzz import calls
from tests.fuzz.calls import FITTED, REFUSED, Pick, asked, functions, need, sample, split, usual
from trueerror.results import Result

# What any column can be; an iterator is read once.
ANY: dict[str, Callable[[list[Any]], Any]] = {
    "list": list, "tuple": tuple, "generator": lambda v: (x for x in v),
    "map": lambda v: map(v.__getitem__, range(len(v))), "iterator": iter,
    "chain": lambda v: itertools.chain(v[:1], v[1:]), "deque": collections.deque,
    "numpy": np.array, "objects": lambda v: np.array([*v, None], dtype=object)[:-1],
    "strided": lambda v: np.array(v)[::-1][::-1], "masked": np.ma.array, "pandas": pd.Series,
    "read only": lambda v: _locked(np.array(v)),
    "pandas objects": lambda v: pd.Series(v, dtype=object), "pandas index": pd.Index,
    "pandas extension": lambda v: pd.Series(v).convert_dtypes(), "pandas array": lambda v: pd.array(v),
    "pandas on arrow": lambda v: pd.Series(v).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series, "polars in chunks": lambda v: pl.concat([pl.Series(v[:1]), pl.Series(v[1:])], rechunk=False),
    "arrow": pa.array,
    "arrow in chunks": lambda v: pa.chunked_array([pa.array(v[:1]), pa.array(v[1:], pa.array(v).type)]),
}  # fmt: skip
# What columns of one type can be besides.
OF_TYPE: dict[type, dict[str, Callable[[list[Any]], Any]]] = {
    int: {"int8": lambda v: np.array(v, dtype=np.int8), "array": lambda v: array.array("q", v), "memory":
          lambda v: memoryview(np.array(v)), "Int64": lambda v: pd.array(v, dtype="Int64"), "numpy numbers":
          lambda v: list(map(np.int64, v)), "polars Int16": lambda v: pl.Series(v, dtype=pl.Int16),
          "big endian": lambda v: np.array(v, dtype=">i4"), "Decimal": lambda v: list(map(decimal.Decimal, v))},
    float: {"array": lambda v: array.array("d", v), "Float64": lambda v: pd.array(v, dtype="Float64"),
            "Decimal": lambda v: [decimal.Decimal(repr(x)) for x in v], "memory": lambda v: memoryview(np.array(v)),
            "Fraction": lambda v: list(map(fractions.Fraction, v)), "long": lambda v: np.array(v, dtype=np.longdouble),
            "arrow Decimal": lambda v: pa.array([decimal.Decimal(repr(x)) for x in v]),
            "polars Decimal": lambda v: pl.Series([decimal.Decimal(repr(x)) for x in v])},
    str: {"category": lambda v: pd.Series(v, dtype="category"), "string": lambda v: pd.Series(v, dtype="string"),
          "numpy text": lambda v: np.array(v, dtype="T"), "Categorical": lambda v: pl.Series(v).cast(pl.Categorical),
          "dictionary": lambda v: pa.array(v).dictionary_encode(), "large": lambda v: pa.array(v, pa.large_string()),
          "view": lambda v: pa.array(v, pa.string_view()), "own text": lambda v: list(map(_Text, v))},
    bool: {"boolean": lambda v: pd.array(v, dtype="boolean"), "numpy numbers": lambda v: list(map(np.bool_, v))},
}  # fmt: skip
# Columns by their name to columns in one table.
TABLES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas frame": pd.DataFrame,
    "polars frame": pl.DataFrame,
    "lazy frame": pl.LazyFrame,
    "arrow table": pa.table,
    "record batch": pa.record_batch,
}
# Arguments that are columns with a cell for each row.
COLUMNS = {"truth", "truth_or_predictions", "predicted", "scores", "first", "second", "by", "weights", "clusters",
           "ids", "human", "judge", "judge_unlabelled", "strata", "values", "truth1", "truth2", "scores1", "scores2",
           "grades", "positives", "negatives", "inclusion", "folds"}  # fmt: skip
# These learn, draw thousands or write; a table is no argument of the calculators.
NEVER = {*FITTED, "report", "read", "load", "label_plan", "training_history", "auc_over_folds"}


class _Text(str):
    __slots__ = ()


def _locked(values: Any) -> Any:
    values.setflags(write=False)
    return values


def kind_of(values: Any) -> type | None:
    """The one type of a column's cells; None for what is no column."""
    cells = values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else values
    if not isinstance(cells, list) or not cells:
        return None
    kinds = {type(x) for x in cells}
    return kinds.pop() if len(kinds) == 1 and kinds <= set(OF_TYPE) else None


# Arguments where a tuple of two is one pair: successes and rows, false and true positive rate.
PAIRS = {"truth", "first", "second"}
# Columns of a frame that are called as the classes are one model's scores of them; a dictionary holds models.
AS_CLASSES = {"0", "1"}


def other(pick: Pick, values: Any, argument: str = "") -> tuple[str, Callable[[], Any]]:
    """A column, or columns by name, in another container: what it is called, and how it is made, each time anew."""
    if isinstance(values, dict):
        alike = {key: other(pick, one) for key, one in values.items() if kind_of(one)}
        if alike and len(alike) == len(values) and not AS_CLASSES & {*alike} and pick([True, False, False]):
            name = pick(sorted(TABLES))
            cells = {key: list(one) for key, one in values.items()}
            return name, lambda: TABLES[name](cells)
        return " and ".join(sorted({name for name, _ in alike.values()})), lambda: {
            key: alike[key][1]() if key in alike else one for key, one in values.items()
        }
    kind = kind_of(values)
    if kind is None:
        return "", lambda: values
    ways = ANY | OF_TYPE[kind]
    name = pick(sorted({*ways} - ({"tuple"} if len(values) == 2 and argument in PAIRS else set())))
    cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return name, lambda: ways[name](cells)


def answer(function: Callable[..., Any], name: str, given: dict[str, Any]) -> str:
    """What a call gives, as JSON where it is a result; that it was refused; the error that is none of ours."""
    positional, named = split(function, given)
    result = asked(lambda: function(*positional, **named), narrow=name != "load")
    if result is REFUSED:
        return "refused"
    if isinstance(result, Result):
        text = asked(result.to_json)
        return "refused" if text is REFUSED else text
    return str(result) if isinstance(result, te.Predictions) else repr(result)


def in_containers(pick: Pick) -> tuple[str, dict[str, Any]]:
    """A call, and the other containers of its columns."""
    name = pick(sorted(n for n in functions() if n not in NEVER and not n.startswith("testing.")))
    function, s = functions()[name], sample(pick)
    given = {}
    for p in calls.parameters(function):
        columns = p.name in COLUMNS
        if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) or p.name in calls.INNER:
            continue
        if p.default is p.empty or pick(range(3 if columns else 8)) == 0:
            value = pick(usual(p.name, s, name.split(".")[-1]))
            given[p.name] = value.make() if isinstance(value, calls.Late) else value
    if "statistic" in given:
        given["statistic"] = "mean"
    ways = {key: other(pick, value, key) for key, value in given.items() if key in COLUMNS}
    return name, {"given": given, "ways": {key: way for key, way in ways.items() if way[0]}}


def compare_containers(name: str, drawn: dict[str, Any]) -> int:
    function, given = functions()[name], drawn["given"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = answer(function, name, given)
        changed = dict(given)
        for key, (_, way) in drawn["ways"].items():
            try:
                changed[key] = way()
            except Exception:  # noqa: BLE001 - the container cannot hold these cells
                return 1
        found = answer(function, name, changed)
    said = ", ".join(f"{key} as {way}" for key, (way, _) in drawn["ways"].items())
    need(found == expected, f"another answer with {said}: {difference(expected, found)}")
    return 2


def difference(a: str, b: str) -> str:
    """Where two answers part."""
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return f"{a[max(0, at - 30) : at + 50]!r} and {b[max(0, at - 30) : at + 50]!r}"


# Cells that readers take for something else: numbers, dates, nothing, a formula, two columns.
AWKWARD = ["1e3", "1000", "0x10", "16", "1_000", "007", "7", "+7", "7.0", "7.", ".5", "1,5", "1 000", "-0", "0",
           "NaN", "nan", "inf", "Infinity", "None", "null", "NA", "N/A", "n/a", "true", "True", "TRUE", "yes",
           "2024-01-01", "01/02/2024", "12:30", "=1+1", "@x", "'7", '"7"', "a b", " a", "a ", "é", 'e\u0301',
           "1e400", "9007199254740993", "18446744073709551616", "٣", "½", "-", "--", "#N/A", "?", "a,b", "a;b",
           'line\nbreak', "MAR1", "SEPT2", "1E-5", "0.00001", "1/2", "1%", "$1", '\uff11']  # fmt: skip


def a_table(pick: Pick) -> dict[str, list[str]]:
    """A truth and two models whose classes are awkward text, with slices and ids of the same kind."""
    classes = [pick(AWKWARD) for _ in range(pick([2, 2, 3]))]
    n = pick([6, 20])
    cells = {name: [pick(classes) for _ in range(n)] for name in ("truth", "one", "two")}
    if pick([True, False]):
        cells["group"] = [pick([classes[0], pick(AWKWARD)]) for _ in range(n)]
    return cells


def _csv(cells: dict[str, list[str]], separator: str = ",") -> bytes:
    quoted = [[f'"{x.replace(chr(34), chr(34) * 2)}"' for x in row] for row in zip(*cells.values(), strict=True)]
    return "\n".join(separator.join(row) for row in [list(cells), *quoted]).encode()


def _sqlite(cells: dict[str, list[str]], path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.execute(f"CREATE TABLE t ({', '.join(f'[{name}] TEXT' for name in cells)})")
        base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(cells))})", zip(*cells.values(), strict=True))


def _written(cells: dict[str, list[str]], path: Path) -> Path:
    ending = path.name.partition(".")[2]
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    if ending == "sqlite":
        _sqlite(cells, path)
    elif ending == "parquet":
        pq.write_table(pa.table(cells), path)
    elif ending == "xlsx":
        pd.DataFrame(cells).to_excel(path, index=False)
    else:
        content = {"csv": _csv(cells), "csv.gz": gzip.compress(_csv(cells)), "tsv": _csv(cells, "\t"),
                   "jsonl": "\n".join(map(json.dumps, rows)).encode(), "json": json.dumps(rows).encode()}  # fmt: skip
        path.write_bytes(content[ending])
    return path


def plain_json(tree: Any) -> Any:
    """Without the names of files, and with labels as text: a file of text has no types, a frame has."""
    if isinstance(tree, dict) and tree.get("type") == "mapping":
        return {str(k): plain_json(v) for k, v in tree["pairs"]}
    if isinstance(tree, dict):
        kept = {k: v for k, v in tree.items() if k != "sources"}
        return {k: list(map(str, v)) if k == "labels" and v else plain_json(v) for k, v in kept.items()}
    return [plain_json(one) for one in tree] if isinstance(tree, list) else tree


DOORS = ("csv", "csv.gz", "tsv", "parquet", "jsonl", "json", "sqlite")


def through_doors(pick: Pick) -> tuple[str, dict[str, Any]]:
    """A table of text, and a door besides the data frame."""
    tables = sorted(TABLES)
    door = pick([*DOORS, *DOORS, *tables])
    return f"door.{door}", {"cells": a_table(pick), "door": door, "plain": pick(tables[3:])}


def compare_doors(cells: dict[str, list[str]], door: str, plain: str) -> int:
    roles = {"truth": "truth", "models": ["one", "two"], **({"by": "group"} if "group" in cells else {})}

    def judged(source: Any) -> str:
        read = asked(lambda: te.read(source, **roles))
        made = read if read is REFUSED else asked(lambda: te.evaluate(read))
        return "refused" if made is REFUSED else json.dumps(plain_json(json.loads(made.to_json())))

    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        warnings.simplefilter("error")
        expected = judged(TABLES[plain](cells))
        found = judged(TABLES[door](cells) if door in TABLES else _written(cells, Path(folder) / f"p.{door}"))
    need(found == expected, f"{plain} and {door} differ: {difference(expected, found)}")
    return 2


def make(pick: Pick, doors: bool) -> tuple[str, dict[str, Any]]:
    return through_doors(pick) if doors else in_containers(pick)


def run(name: str, drawn: dict[str, Any]) -> int:
    return compare_doors(**drawn) if name.startswith("door.") else compare_containers(name, drawn)


def words(name: str, drawn: dict[str, Any]) -> Sequence[Any]:
    """What is kept of a failure, to repeat it by hand."""
    if name.startswith("door."):
        return [drawn]
    return [drawn["given"], {key: way for key, (way, _) in drawn["ways"].items()}]
