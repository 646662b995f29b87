"""Awkward texts through every door: the labels are the same, to the last letter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sources import test_cells as doors
from tests.sources.lazy_places import QUIET, duckdb_relation, ibis_table, postgres_table
from trueerror.inputs._labels import code_column
from trueerror.sources._api import input_table

pytestmark = list(QUIET)
CELLS = (
    "7.", "7", "0", "00", "0.", ".5", "0.5", "-0", "+0", "-7", "+7", "7.0", "7.00", "07", "1e3", "1E3", "1e+3",
    "1000", "1_000", "1,000", "0x10", "0b1", "0o7", "١", "1/2", "50%", "50 %", "$5", "5€", "1.5e3", "1e400",
    "-1e400", "1e-400", "inf", "-inf", "Inf", "Infinity", "+inf", "nan", "NaN", "NAN", "Nan", "-nan", "NA", "N/A",
    "n/a", "na", "n.a.", "N.A.", "#N/A", "#NA", "<NA>", "NaT", "null", "NULL", "Null", "None", "none", "NONE", "nil",
    "-", "--", "?", ".", "..", "*", "true", "True", "TRUE", "tRue", "false", "False", "FALSE", "t", "f", "T", "F",
    "yes", "no", "Yes", "No", "YES", "y", "n", "on", "off", " a", "a ", " a ", "\ta", "a\t", "\xa0a", "\u200ba",
    "a\nb", "a\r\nb", "a\rb", "\na", 'a"b', '"a"', "'a'", '"', "'", 'a""b', "a,b", "a;b", "a\tb", "a", "b", "a\\b",
    "\\N", "\n", '\\', "#a", "#", "//a", "=1+1", "@a", "+a", "-a", "12:30", "12:30:00", "1:2", "2024-01-02",
    "2024-1-2", "02/01/2024", "2024/01/02", "20240102", "2024-01-02T00:00:00", "2024-01-02 00:00",
    "2024-01-02 00:00:00", "2024-01-02 12:30:00Z", "2024-01-02T12:30:00+02:00", "P1D", "1 day", "1 days", "1d",
    "Jan", "2024", "2024-13-45", "9007199254740993", "9007199254740992", "9223372036854775807",
    "9223372036854775808", "18446744073709551616", "12345678901234567890", "0.1", "0.10", "0.30000000000000004",
    "0.3", "1.0000000000000002", "1e22", "100000000000000000000000", "3.0e0", "ä", "Ä", "ß", "ss", "é", "日本", "😀",
    "a b", "a  b", "A", "[1]", "[1, 2]", '{"a": 1}', "{}", "[]", "(1)", "()", "null_", "_", "__label__a", "1:2 3:4",
    "a:1", "id", "truth", "NaN_", "0,5", "1.000,5", "1 000", "1\u202f000", "1'000", "૧", "½", "²", "Ⅷ", "１", "%",
    "1%%", "1e", "e1", "1e1e1", "1-1", "1 2", "--1", "+-1", "1+", "-.", "+.", ".e1", "0e0", "0e1", "-0.0", "0.0",
    "00.0", "01.5", "1.50", "550e8400-e29b-41d4-a716-446655440000", "127.0.0.1", "1.2.3", "a.b", "\x7f", "\u2028",
    "\u2029", "𝟙", "NaN ", "nan nan", "NULL1", "1NULL", "Infinity1", "1L", "1f", "1d0", "1D3", "0xFF", "0XFF", "#FF",
    "1j", "1+2j", "True ", "TRUE1", "01", "001", "1.", "1.0", "-1", "-1.0", "1e0", "10e-1",
)  # fmt: skip
# Three in a column, beside a word or a number; forty columns in a table.
COLUMNS = [[*CELLS[i : i + 3], beside] for beside in ("A", "0") for i in range(0, len(CELLS), 3)]
TABLES = [{f"c{j}": COLUMNS[j] for j in range(i, min(i + 40, len(COLUMNS)))} for i in range(0, len(COLUMNS), 40)]


def as_tsv(columns: doors.Columns, folder: Path) -> Path:
    return doors.as_csv(columns, folder, "\t")


def labels(rows: Any, columns: doors.Columns) -> dict[str, tuple[list[str], list[int]]]:
    """What is coded of each column, numbers and flags as a file of text writes them."""
    table = input_table(rows)
    table.as_written((), list(columns))
    found = {}
    for name in columns:
        values = table.values(name)
        fractions = values.dtype.kind == "f" and not np.isnan(values).all()
        coded = code_column(np.array([str(v) for v in values], dtype=object) if fractions else values, name)
        texts = [spelt(v, columns[name]) for v in coded.values]
        order = np.argsort(texts)
        rank = np.append(np.argsort(order), -1)
        found[name] = (sorted(texts), rank[coded.codes].tolist())
    return found


def spelt(label: object, cells: list[Any]) -> str:
    """A flag as the file writes it."""
    flags = [cell.strip() for cell in cells if cell.strip().lower() == str(label).lower()]
    return flags[0] if isinstance(label, bool) else str(label)


@cache
def of_lists(i: int) -> dict[str, tuple[list[str], list[int]]]:
    return labels(dict(TABLES[i]), TABLES[i])


@pytest.mark.parametrize(
    "door",
    [*doors.FRAMES, duckdb_relation, ibis_table, postgres_table, as_tsv, *doors.FILES],
    ids=lambda door: str(door.__name__),
)
def test_awkward_texts_are_the_same_through_every_door(door: Callable[..., Any], tmp_path: Path) -> None:
    for i, columns in enumerate(TABLES):
        found, expected = labels(door(columns, tmp_path), columns), of_lists(i)
        # XML, and so a sheet, has one way to end a line.
        told = [c for c in columns if door is not doors.as_sheet or "\r" not in "".join(columns[c])]
        assert not [(columns[c], expected[c], found[c]) for c in told if found[c] != expected[c]][:5]
