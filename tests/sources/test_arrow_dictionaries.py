"""Dictionary columns of Arrow: a gap is a gap, whatever holds the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import trueerror as te

TRUTH = ["x", "y", "x", "y"] * 10
GAPS = ["x", None, "x", "y"] * 10
MATRICES = {"drop": [[20, 0], [0, 10]], "wrong": [[20, 0], [10, 10]]}


def holders(table: pa.Table, folder: Path) -> dict[str, Any]:
    pyarrow.parquet.write_table(table, folder / "rows.parquet")
    return {
        "table": table, "batch": table.to_batches()[0], "reader": table.to_reader(), "pandas": table.to_pandas(),
        "dataset": pyarrow.dataset.dataset(folder / "rows.parquet"), "file": folder / "rows.parquet",
    }  # fmt: skip


@pytest.mark.parametrize("holder", ["table", "batch", "reader", "pandas", "dataset", "file"])
def test_a_gap_is_no_label(holder: str, tmp_path: Path) -> None:
    for values in (GAPS, [None if v is None else TRUTH.index(v) for v in GAPS]):
        truth = TRUTH if values is GAPS else [TRUTH.index(v) for v in TRUTH]
        table = pa.table({"truth": truth, "a": pa.array(values).dictionary_encode()})
        with pytest.raises(te.InputError, match=r"is missing at row 2 \(10 in all\)"):
            te.read(holders(table, tmp_path)[holder])
        for missing, matrix in MATRICES.items():
            p = te.read(holders(table, tmp_path)[holder], missing=missing)  # type: ignore[arg-type]
            assert p.confusion("a").matrix.tolist() == matrix


def test_a_gap_is_no_score_and_no_key() -> None:
    scores = pa.array([0.1, 0.9, None, 0.8] * 10).dictionary_encode()
    table = pa.table({"truth": [0, 1] * 20, "s": scores, "a": [0, 1] * 20})
    p = te.read(table.drop(["a"]), models={"s": {"score": "s"}}, missing="drop")
    assert p.unscored("s") == 10
    with pytest.raises(te.InputError, match="column 's' of the table is missing at row 3"):
        te.read(table, models=["a"], cluster="s")


def test_a_gap_of_arrays_in_pieces() -> None:
    pieces = pa.chunked_array([pa.array(GAPS[:20]).dictionary_encode(), pa.array(GAPS[20:]).dictionary_encode()])
    with pytest.raises(te.InputError, match="missing at row 2"):
        te.evaluate(TRUTH, {"a": pieces})
    assert te.evaluate(TRUTH, {"a": pieces}, missing="wrong").model("a")["accuracy"].estimate == 0.75
