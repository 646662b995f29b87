"""Slices in one scan, and engines beside the usual ones: SQLite through Ibis, pyarrow's sets of files."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import trueerror as te
from trueerror.sources.engines._duckdb_tables import DuckDBTable

N = 3_000
RNG = np.random.default_rng(4)
TRUTH = (RNG.random(N) < 0.3).astype(int)
COLUMNS = {
    "truth": TRUTH,
    "a": np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH),
    "b": np.where(RNG.random(N) < 0.7, TRUTH, 1 - TRUTH),
    "a_score": RNG.random(N).round(3),
    "part": np.array([f"p{i:02d}" for i in RNG.integers(0, 30, N)]),
}


def written(tmp_path, **more):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({**COLUMNS, **more}), path)
    return path


@pytest.fixture
def queries(monkeypatch):
    asked = []
    whole = DuckDBTable._fetched
    monkeypatch.setattr(DuckDBTable, "_fetched", lambda self, query: asked.append(query) or whole(self, query))
    return asked


def test_slices_take_no_query_each(tmp_path, queries):
    path = written(tmp_path)
    sliced = te.evaluate(te.read(path, truth="truth", models=["a", "b"], by="part"))
    assert len(queries) < 20
    models = {"a": COLUMNS["a"], "b": COLUMNS["b"]}
    assert sliced.records() == te.evaluate(TRUTH, models, by=COLUMNS["part"]).records()


def test_slices_with_gaps_are_those_of_arrays(tmp_path):
    gaps = np.where(np.arange(N) % 7 == 0, None, COLUMNS["b"])
    path = written(tmp_path, b=gaps.tolist())
    for options in ({"models": ["a"]}, {"models": ["b"], "missing": "drop"}, {"models": ["b"], "missing": "wrong"}):
        ours = te.evaluate(te.read(path, truth="truth", by="part", **options))
        (name,) = options.pop("models")
        held = te.predictions(TRUTH, {name: {"a": COLUMNS["a"], "b": gaps}[name]}, by=COLUMNS["part"], **options)
        one, two = ours.frame(), te.evaluate(held).frame()
        assert one["metric"].tolist() == two["metric"].tolist()
        for column in ("estimate", "low", "high"):
            np.testing.assert_allclose(one[column].to_numpy(float), two[column].to_numpy(float), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
def test_sqlite_through_ibis(tmp_path):
    ibis = pytest.importorskip("ibis")
    with sqlite3.connect(tmp_path / "rows.db") as made:
        made.execute("create table t (truth integer, a integer, a_score real)")
        rows = zip(*(COLUMNS[c].tolist() for c in ("truth", "a", "a_score")), strict=True)
        made.executemany("insert into t values (?, ?, ?)", rows)
    made.close()
    table = ibis.sqlite.connect(tmp_path / "rows.db").table("t")
    p = te.read(table, truth="truth")
    held = te.predictions(TRUTH, {"a": COLUMNS["a"]}, scores={"a": COLUMNS["a_score"]})
    for metrics in (None, ["auc", "brier"]):
        ours, arrays = (te.evaluate(q, metrics=metrics).frame() for q in (p, held))
        assert ours["estimate"].tolist() == pytest.approx(arrays["estimate"].tolist())
        assert ours["low"].tolist() == pytest.approx(arrays["low"].tolist(), nan_ok=True)


def test_sets_of_files_of_pyarrow(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    opened = dataset.dataset(written(tmp_path))
    ours = te.evaluate(opened, truth="truth", models=["a", "b"])
    assert ours.records() == te.evaluate(TRUTH, {"a": COLUMNS["a"], "b": COLUMNS["b"]}).records()
