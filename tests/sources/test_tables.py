"""Frames: each library alone, without loading another."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.sources._tables import FIRST, ColumnsTable


@pytest.mark.parametrize(
    ("make", "forbidden"),
    [
        ("import polars as pl; t = pl.DataFrame(data)", ("pandas", "pyarrow", "sklearn", "duckdb")),
        # pyarrow loads pandas by itself, where it is installed
        ("import pyarrow as pa; t = pa.table(data)", ("polars", "sklearn", "duckdb")),
        ("import pandas as pd; t = pd.DataFrame(data)", ("polars", "sklearn", "duckdb")),
        ("t = data", ("pandas", "polars", "pyarrow", "sklearn", "duckdb", "narwhals")),
        (
            "import pathlib, tempfile; t = pathlib.Path(tempfile.mkdtemp(), 'x.csv'); "
            "t.write_text('truth,svm\\n0,0.1\\n1,0.9\\n')",
            ("pandas", "polars", "pyarrow", "sklearn", "narwhals"),
        ),
    ],
)
def test_no_library_loads_another(make: str, forbidden: tuple[str, ...]) -> None:
    code = (
        "data = {'truth': [0, 1], 'svm': [0.1, 0.9]}\n"
        f"{make}\n"
        "import sys, trueerror as te\n"
        "p = te.read(t)\n"
        "p.confusion('svm'), p.scores('svm'), p.fingerprint, str(p), p.source.fetched()\n"
        f"print([m for m in {forbidden!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"


def test_the_library_is_remembered() -> None:
    data = {"truth": [0, 1], "svm": [0.1, 0.9]}
    for name, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        frame = getattr(pytest.importorskip(name), make)(data)
        assert te.read(frame).backend == name
    assert te.read(data).backend is None


def test_columns_of_every_type() -> None:
    pandas, polars, arrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    import decimal

    truth = ["a", "b", "b"]
    few = polars.Enum(["a", "b"])
    frames: list[Any] = [
        pandas.DataFrame({"truth": pandas.Categorical(truth), "svm": pandas.Series(truth, dtype="string")}),
        polars.DataFrame({"truth": truth, "svm": truth}, schema={"truth": polars.Categorical, "svm": few}),
        arrow.table({"truth": arrow.array(truth).dictionary_encode(), "svm": arrow.array(truth, arrow.large_string())}),
    ]
    for frame in frames:
        p = te.read(frame)
        assert p.labels == ("a", "b")
        assert p.confusion("svm").matrix.tolist() == [[1, 0], [0, 2]]
    numbers = {"truth": [0, 1, 1], "svm": [decimal.Decimal("0.25"), decimal.Decimal("0.5"), decimal.Decimal("1")]}
    for frame in (numbers, pandas.DataFrame(numbers), polars.DataFrame(numbers), arrow.table(numbers)):
        assert te.read(frame).scores("svm").scores.tolist() == [0.25, 0.5, 1.0]


def test_large_whole_numbers_with_gaps_keep_their_digits() -> None:
    polars = pytest.importorskip("polars")
    big = 2**53 + 1
    frame = polars.DataFrame({"truth": [big, big - 1, big], "svm": [big, None, big - 1]})
    p = te.read(frame, missing="drop")
    assert p.labels == (big - 1, big)
    assert p.confusion("svm").n == 2


def test_uneven_mapping_is_refused() -> None:
    with pytest.raises(ValueError, match="column 'truth' has 2 rows but column 'svm' has 1"):
        te.read({"truth": [0, 1], "svm": [0]})


def test_column_names_that_are_not_text() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({0: [0.1, 0.9, 0.3], "truth": [0, 1, 1], ("a", 1): [0, 1, 1]})
    p = te.read(frame)
    assert p.models == ("0", "('a', 1)")
    assert p.scores("0").n == 3


def test_what_comes_after_the_first_rows_counts() -> None:
    n = 5 * FIRST
    late, whole = np.zeros(n), np.arange(n, dtype=float)
    late[-1] = 0.5
    whole[3] = np.nan
    labels = np.arange(n) % 2
    columns = {"late": late, "whole": whole, "labels": labels, "far": labels * 10**12, "flag": labels > 0}
    table = ColumnsTable({**columns, "text": np.where(labels, "b", "a"), "gap": [None, *labels[1:].tolist()]})
    assert [table.is_whole(c) for c in ("late", "whole", "labels")] == [False, True, True]
    assert table.few("late", 3) == (0.0, 0.5)
    assert table.few("whole", 10) is None
    # Whatever was asked before, the answer goes by what is asked now.
    for most, expected in ((1, None), (2, (0, 1)), (1, None), (n, (0, 1))):
        assert table.few("labels", most) == expected
    assert table.few("far", 2) == (0, 10**12)
    assert table.few("flag", 2) == (False, True)
    assert sorted(table.few("text", 5) or ()) == ["a", "b"]
    assert sorted(table.few("gap", 5) or ()) == [0, 1]
    assert table.few("whole", n) == tuple(x for x in whole.tolist() if x == x)


def test_categories_that_are_numbers_are_numbers() -> None:
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"truth": [0, 1, 1, 0] * 5, "m": pd.Categorical([0, 1, None, 0] * 5)})
    p = te.read(frame, models=["m"], missing="drop")
    assert p.labels == (0, 1)
    assert p.confusion("m").matrix.tolist() == [[10, 0], [0, 5]]
    assert te.read(pa.table({"truth": [3, 5] * 5, "m": pa.array([3, 5] * 5).dictionary_encode()})).labels == (3, 5)


def test_whole_numbers_from_2_to_the_63_up_in_a_list() -> None:
    assert te.read({"truth": [2**63 + 1, 7] * 9, "m": [2**63 + 1, 7, 7] * 6}).labels == (7, 2**63 + 1)
