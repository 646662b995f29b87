"""Slices in one scan, and engines beside the usual ones: SQLite and servers through Ibis, pyarrow's sets of files."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import sqlite_table
from trueerror.metrics.scores import log_loss
from trueerror.sources.engines import _groupby, _narwhals
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


@pytest.mark.parametrize("kind", ["cluster", "fold"])
def test_folds_and_clusters_of_slices_take_no_query_each(tmp_path, queries, kind):
    inner = RNG.integers(0, 6, N)
    path = written(tmp_path, inner=inner)
    named = {"truth": "truth", "models": ["a", "b"], "by": "part", kind: "inner"}
    ours = te.evaluate(te.read(path, **named))
    assert len(queries) <= 10
    assert len(ours.slices) == 30
    assert [s.records() for s in ours.slices.values()] == [
        s.records() for s in te.evaluate(te.read({**COLUMNS, "inner": inner}, **named)).slices.values()
    ]


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


def dask_frame(frame):
    return pytest.importorskip("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=2)


def polars_by_ibis(frame):
    return (
        pytest.importorskip("ibis").polars.connect().create_table("t", pytest.importorskip("polars").from_arrow(frame))
    )


def narwhals_lazy(frame):
    import narwhals as nw

    return nw.from_native(pytest.importorskip("polars").from_arrow(frame).lazy())


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
@pytest.mark.parametrize(
    "made", [dask_frame, polars_by_ibis, narwhals_lazy, lambda t: t.to_reader(), lambda t: t.to_batches()[0]]
)
def test_tables_of_every_kind_go_to_the_verbs_as_they_are(made):
    frame = pytest.importorskip("pyarrow").table(COLUMNS)
    named = {"truth": "truth", "models": ["a", "b"]}
    assert te.evaluate(made(frame), **named).to_json() == te.evaluate(COLUMNS, **named).to_json()
    assert te.check(made(frame), **named).to_json() == te.check(COLUMNS, **named).to_json()
    assert te.roc(made(frame), truth="truth", models=["a_score"]).auc() == te.roc(TRUTH, COLUMNS["a_score"]).auc()


def test_sets_of_files_without_rows_are_empty(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    with pytest.raises(te.InputError, match="has no rows"):
        te.evaluate(dataset.dataset(pytest.importorskip("pyarrow").table(COLUMNS).slice(0, 0)))


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
def test_queries_compile_for_servers_that_are_not_here(tmp_path, monkeypatch):
    """Each question that SQLite answers here is written for the others as well, those about NaN included."""
    pytest.importorskip("ibis")
    from ibis.backends.sql import compilers

    names = ("BigQuery", "Snowflake", "Trino", "Databricks", "ClickHouse", "Postgres")
    written = {name: getattr(compilers, f"{name}Compiler")() for name in names}
    shapes = set()
    answered = _narwhals._answered

    def answer(frame):
        question = frame.to_native().unbind()
        for name, compiler in written.items():
            text = compiler.to_sqlglot(question).sql(dialect=compiler.dialect)
            assert text.startswith(("SELECT", "WITH"))
            shapes.update(
                (name, word) for word in ("GROUP BY", "LIMIT", "LN(", "SUM(", "FLOOR(") if word in text.upper()
            )
        return answered(frame)

    monkeypatch.setattr(_narwhals, "_answered", answer)
    monkeypatch.setattr(_narwhals, "_knows", lambda native, operation: True)
    monkeypatch.setattr(_groupby, "SUMMED", 1000)
    table = sqlite_table({c: v.tolist() for c, v in COLUMNS.items()}, tmp_path)
    p = te.read(table, truth="truth", models={"a": {"label": "a", "score": "a_score"}}, by="part")
    te.evaluate(p, metrics=["f1", "auc", "brier", "log_loss"])
    scored = te.read(table, truth="truth", models={"a": {"score": "a_score"}})
    assert scored.moments("a", log_loss).n == N
    table_of_bins = te.read(table, truth="truth", models={"a": {"score": "a_score"}}, budget="12kB").scores("a")
    assert not table_of_bins.exact
    assert {name for name, word in shapes if word == "GROUP BY"} == set(names)
    assert {name for name, word in shapes if word == "FLOOR("} == set(names)
    assert {name for name, word in shapes if word == "SUM("} == set(names)
    guarded = nan_left_out(table)
    for name, compiler in written.items():
        assert compiler.to_sqlglot(guarded).sql(dialect=compiler.dialect), name


def nan_left_out(table):
    import narwhals as nw

    x = nw.col("a_score")
    return nw.from_native(table).select(nw.when(x.is_nan()).then(None).otherwise(x).alias("x")).to_native().unbind()
