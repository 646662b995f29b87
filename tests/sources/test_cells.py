"""One table of awkward cells through every door: each gives the same answer, to the last byte of its JSON."""

from __future__ import annotations

import csv
import datetime
import json
import re
import sqlite3
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

import trueerror as te
from tests.sources.lazy_places import QUIET, dask_frame, duckdb_relation, ibis_table, postgres_table, spark_table
from trueerror.inputs._options import InputError

pytestmark = list(QUIET)
N = 24

# Kind → cells that are repeated down its column.
TEXTS: dict[str, list[str]] = {
    "exponents": ["1e3", "1000", "1E3"],
    "hexadecimal": ["0x10", "16", "0x11"],
    "leading zeros": ["007", "7", "0007"],
    "underscores": ["1_000", "1000"],
    "points and none": ["1.0", "1", "1."],
    "more digits than are printed": ["1.00", "2.00"],
    "decimals": ["1.50", "1.5", "2.5"],
    "signs": ["+5", "5", "-5"],
    "zeros": ["0", "-0", "00"],
    "no numbers": ["inf", "-inf", "Infinity"],
    "long": ["12345678901234567890", "12345678901234567891"],
    "longer than floats hold": ["9007199254740993.0", "9007199254740992.0"],
    "thousands": ["1,000", "2,000"],
    "per cent": ["12 %", "13 %"],
    "blanks": [" yes", "no ", "yes"],
    "words": ["yes", "No", "t"],
    "dates": ["2024-01-02", "2024-01-03"],
    "moments": ["2024-01-02 00:00:00", "2024-01-03T04:05:06", "2024-01-03 04:05:06.5"],
    "dates and words": ["2024-01-02", "later"],
    "letters": ["naïve", "日本", "١٢"],
    "quotes": ['say "a, b"', "it's", "a;b"],
    "near missing": ["none", "N.A.", "-", "na"],
}
MISSING: dict[str, list[str]] = {
    "NA": ["NA", "x", "y"],
    "null": ["null", "x", "y"],
    "n/a": [" n/a", "1e3", "1000"],
    "empty": ["", "x", "y"],
    "NaN": ["NaN", "7", "007"],
}
TYPED: dict[str, list[Any]] = {
    "whole": [1, 20, 300],
    "whole floats": [1.0, 20.0, 0.0],
    "long whole": [2**53 + 1, 2**53, -(2**53) - 1],
    "boolean": [True, False],
    "fractions": [0.5, 1.5, 2.25],
}
DATES: dict[str, list[Any]] = {
    "days": [datetime.date(2024, 1, 2), datetime.date(900, 5, 1)],
    "times": [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 3, 4, 5, 6, 500_000)],
}
EVERY = {**TEXTS, **MISSING, **TYPED, **DATES}
Columns = dict[str, list[Any]]


def table(kinds: dict[str, list[Any]]) -> Columns:
    """A truth, what a model said of it, and a column of each kind with the answers to it."""
    columns: Columns = {"y": [i % 2 for i in range(N)], "score": [((7 * i) % N + 0.5) / 32 for i in range(N)]}
    for kind, cells in kinds.items():
        columns[kind] = [cells[i % len(cells)] for i in range(N)]
        columns[f"{kind} said"] = [cells[i % len(cells) if i % 5 else 0] for i in range(N)]
    return columns


def as_csv(columns: Columns, folder: Path, delimiter: str = ",") -> Path:
    path = folder / f"cells{ord(delimiter)}.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, delimiter=delimiter)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


def as_json_lines(columns: Columns, folder: Path) -> Path:
    path = folder / "cells.jsonl"
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def as_json(columns: Columns, folder: Path) -> Path:
    path = folder / "cells.json"
    path.write_text(json.dumps(columns), encoding="utf-8")
    return path


def as_parquet(columns: Columns, folder: Path) -> Path:
    path = folder / "cells.parquet"
    pytest.importorskip("polars").DataFrame(columns).write_parquet(path)
    return path


def as_sqlite(columns: Columns, folder: Path) -> Path:
    path = folder / "cells.sqlite"
    path.unlink(missing_ok=True)
    names = ", ".join(f'"{name}"' for name in columns)
    made = sqlite3.connect(path)
    with made:
        made.execute(f"CREATE TABLE cells ({names})")
        made.executemany(
            f"INSERT INTO cells VALUES ({', '.join('?' * len(columns))})", zip(*columns.values(), strict=True)
        )
    made.close()
    return path


def as_sheet(columns: Columns, folder: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (list(columns), *zip(*columns.values(), strict=True)):
        book.active.append(row)
    for cell in (cell for row in book.active for cell in row if isinstance(cell.value, str)):
        cell.data_type = "s"  # also of texts that begin as formulas do
    book.save(folder / "cells.xlsx")
    return folder / "cells.xlsx"


def pandas_frame(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def pandas_objects(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns, dtype=object)


def polars_frame(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def polars_lazy(columns: Columns, folder: Path) -> Any:
    return polars_frame(columns, folder).lazy()


def arrow_table(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


def record_batch(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("pyarrow").RecordBatch.from_pydict(columns)


def lists(columns: Columns, folder: Path) -> Any:
    return columns


def rows_of(columns: Columns, folder: Path) -> Any:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


FRAMES = (pandas_frame, pandas_objects, polars_frame, polars_lazy, arrow_table, record_batch, rows_of)
ENGINES = (duckdb_relation, ibis_table)
FILES = (as_csv, as_parquet, as_json, as_json_lines, as_sqlite, as_sheet)
SLOW = (spark_table, postgres_table, dask_frame)


def answers(rows: Any, kinds: list[str]) -> dict[str, str]:
    """What is read where each kind is the truth, the slices, the clusters and the folds; errors by their words."""
    known = {}
    for i, kind in enumerate(kinds):
        by, cluster, fold = (kinds[(i + step) % len(kinds)] for step in (0, 1, 2))
        labels = {"truth": kind, "models": {"a": f"{kind} said"}}
        keys = {"truth": "y", "models": {"a": "score"}, "by": by, "cluster": cluster, "fold": fold}
        known |= {f"labels {kind}": written(rows, labels), f"keys {kind}": written(rows, keys)}
    whole = {"truth": "y", "models": {"a": "score"}, "by": kinds[0], "missing": "drop"}
    try:
        known["evaluation"] = te.evaluate(te.read(rows, **whole)).to_json()
    except InputError as error:
        known["evaluation"] = str(error)
    return known


def written(rows: Any, asked: dict[str, Any]) -> str:
    try:
        read = te.read(rows, id=False, **asked)
    except InputError as error:
        return f"InputError: {error}"
    keyed = {kind: (read.keys(kind).names, read.keys(kind).sizes.tolist()) for kind in read.source.facts.kinds}
    return json.dumps([read.labels, keyed, read.confusion("a").matrix.tolist(), read.notes], indent=0)


@cache
def of_lists(names: tuple[str, ...]) -> dict[str, str]:
    """What lists answer."""
    return answers(table({name: EVERY[name] for name in names}), list(names))


def check(door: Callable[..., Any], kinds: dict[str, list[Any]], folder: Path) -> None:
    """A door against lists; the name of a file is no answer."""
    given = answers(door(table(kinds), folder), list(kinds))
    for what, expected in of_lists(tuple(kinds)).items():
        said = NAMED.sub('"sources": []', FILE.sub("the table", given[what]))
        odd = [pair for pair in zip_longest(expected.splitlines(), said.splitlines()) if pair[0] != pair[1]]
        assert not odd, (what, odd[:3])


FILE = re.compile(r"cells(44)?\.\w+")
NAMED = re.compile(r'"sources": \[\s*"the table"\s*\]')


DOORS = (*FRAMES, *ENGINES, *FILES)
# A type that a file does not have.
NOT_HELD: dict[Callable[..., Any], str] = {as_sqlite: "boolean", as_sheet: "long whole"}
GROUPS = {
    f"texts {i}": {kind: TEXTS[kind] for kind in list(TEXTS)[4 * i : 4 * i + 4]} for i in range((len(TEXTS) + 3) // 4)
} | {"missing": MISSING, "typed": TYPED}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: str(door.__name__))
@pytest.mark.parametrize("group", GROUPS)
def test_a_cell_is_the_same_through_every_door(door: Callable[..., Any], group: str, tmp_path: Path) -> None:
    check(door, {k: v for k, v in GROUPS[group].items() if k != NOT_HELD.get(door)}, tmp_path)


@pytest.mark.parametrize("door", [*FRAMES, *ENGINES, as_csv, as_parquet], ids=lambda door: str(door.__name__))
def test_a_date_is_the_same_through_every_door(door: Callable[..., Any], tmp_path: Path) -> None:
    check(door, DATES, tmp_path)


@pytest.mark.parametrize("door", SLOW, ids=lambda door: str(door.__name__))
def test_engines_that_take_their_time_read_the_same(door: Callable[..., Any], tmp_path: Path) -> None:
    check(door, {k: EVERY[k] for k in ("exponents", "blanks", "moments", "NA", "n/a", "long whole")}, tmp_path)


@pytest.mark.parametrize("cells", [["1e3", "1000", "7.", "7"], ["1.0", "1", "2.0", "2"], ["0x10", "16", "007", "7"]])
def test_keys_of_a_file_are_told_apart_wherever_they_are_read(cells: list[str], tmp_path: Path) -> None:
    of_rows = {"truth": [0, 1] * 4, "a": [0.1, 0.9, 0.4, 0.3] * 2, "city": cells * 2, "zone": [*"uuuuvvvv"]}
    of_models = {"model": [*"mmmmnnnn"], "id": cells * 2, "grade": [0.1, 0.5, 0.25, 1] * 2, "topic": cells * 2}
    right = {"id": cells, "passed": [1, 0, 1, 0], "topic": cells}
    truth, answers = {"id": cells, "truth": [0, 1, 0, 1]}, {"id": cells[::-1], "pred": [0, 1, 0, 1]}

    def saved(columns: Columns, name: str) -> Path:
        (tmp_path / name).mkdir()
        return as_csv(columns, tmp_path / name)

    def slices(rows: te.Predictions) -> tuple[Any, ...]:
        return rows.keys("slices").names

    asked: list[tuple[tuple[Columns, ...], Callable[..., Any]]] = [
        ((of_rows,), lambda rows: slices(te.read(rows, by="city"))),
        ((of_rows,), lambda rows: slices(te.read(rows, by=["city", "zone"]))),
        ((of_models,), lambda rows: slices(te.graded(rows, grade="grade", by="topic"))),
        ((of_models,), lambda rows: te.repeats(rows, grade="grade").frame().to_dict()),
        ((right,), lambda rows: slices(te.read(rows, by="topic"))),
        ((truth, answers), lambda a, b: te.read(a, predictions={"a": b}).confusion("a").matrix.tolist()),
    ]
    for i, (tables, answer) in enumerate(asked):
        files = [saved(table, f"{i}{j}") for j, table in enumerate(tables)]
        assert answer(*files) == answer(*tables)


def test_answers_of_a_file_are_numbers_where_they_are_written_as_such(tmp_path: Path) -> None:
    columns = {"truth": ["1", "0", "0", "1"] * 3, "floats": ["1.0", "0.0", "1.0", "1.0"] * 3}
    assert te.read(as_csv(columns, tmp_path)).confusion("floats").matrix.tolist() == [[3, 3], [0, 6]]
    columns = {"truth": ["7", "0", "0", "7"] * 3, "points": ["7.", "0", "0", "7"] * 3}
    with pytest.raises(InputError, match="'7\\.' in row 1"):
        te.read(as_csv(columns, tmp_path))


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz"])
@pytest.mark.parametrize("scored", [False, True])
def test_floats_that_pandas_wrote_are_the_floats_of_the_frame(ending: str, scored: bool, tmp_path: Path) -> None:
    frame = pytest.importorskip("pandas").DataFrame(
        {
            "truth": [1.0, 0.0] * 8,
            "svm": [1.0, 0.0, 1.0, 1.0] * 4,
            "tree": [0.0, 0.0, 1.0, 1.0] * 4,
            "city": [1.0, 2.0] * 8,
        }
    )
    if scored:
        frame[["svm", "tree"]] = frame[["svm", "tree"]] * 0.8 + 0.1
    frame.to_csv(tmp_path / f"rows{ending}", index=False, sep="\t" if ending == ".tsv" else ",")
    read = te.read(tmp_path / f"rows{ending}", by="city")
    assert (read.labels, read.keys("slices").names) == ((0, 1), (1, 2))
    assert te.compare(read).to_json() == te.compare(frame, by="city").to_json()


def test_text_in_json_is_never_a_date(tmp_path: Path) -> None:
    for cells in (["12:30", "12:31"], ["2024-1-2", "2024-01-02"], [f"{'A' * 8}{'-0000' * 3}-{'0' * 12}", "b"]):
        rows = te.read(as_json({"truth": cells * 3, "a": cells * 3}, tmp_path))
        assert rows.labels == tuple(sorted(cells))
