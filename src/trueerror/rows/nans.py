"""NaN in columns of numbers, found without trusting what a file says of itself.

The lowest and highest values among a Parquet file's own statistics leave NaN out. DuckDB 2 takes them for the whole
truth, so that isnan(x), and isnan of any function it sees through, is false without a look at the rows. A sum has to
look at them. Where it is no number the rows are counted here, and of several ways to ask for NaN one is taken that
finds as many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.rows.streams import batches

WAYS = ("isnan({0} // 1.0::DOUBLE)", "isnan(coalesce(nullif({0}, {0} + 1), {0}))", "{0}::VARCHAR = 'nan'")

# A query over `given`, the columns as they are, as a relation that has not been fetched.
Ask = Callable[[str], Any]


def without_nan(ask: Ask, names: Mapping[str, str]) -> dict[str, str]:
    """For each column of numbers, place → name, an expression in which NaN is missing and −0.0 is 0.0."""
    if not names:
        return {}
    sums = ask(f"SELECT {', '.join(f'sum({place}::DOUBLE)' for place in names)} FROM given").fetchall()[0]
    found = {}
    for (place, name), total in zip(names.items(), sums, strict=True):
        # No number: there is NaN, or infinity of both signs. Not there: all are missing.
        unsure = total is not None and math.isnan(total)
        found[place] = _guarded(ask, place, name) if unsure else _plain(place)
    return found


def _plain(place: str) -> str:
    return f"{place}::DOUBLE + 0.0::DOUBLE"


def _guarded(ask: Ask, place: str, name: str) -> str:
    number = f"{place}::DOUBLE"
    nan = 0
    for batch in batches(ask(f"SELECT coalesce({number}, 0.0::DOUBLE) AS x FROM given"), [np.float64]):
        nan += int(np.isnan(batch.columns[0]).sum())
        batch.release()
    if nan == 0:
        return _plain(place)
    gone = nan + int(ask(f"SELECT count(*) - count({number}) FROM given").fetchall()[0][0])
    for way in WAYS:
        expression = f"CASE WHEN {way.format(number)} THEN NULL ELSE {_plain(place)} END"
        # Both forms: as a condition it may be judged by the statistics, though it is not as a value.
        seen = [
            ask(f"SELECT {what} FROM (SELECT {expression} AS x FROM given){where}").fetchall()[0][0]
            for what, where in (("count(*) - count(x)", ""), ("count(*)", " WHERE x IS NULL"))
        ]
        if seen == [gone, gone]:
            return expression
    raise InputError(
        f"column {name!r} holds NaN in {nan:,} rows, which DuckDB {duckdb.__version__} does not find; write them as "
        "missing values (null)"
    )
