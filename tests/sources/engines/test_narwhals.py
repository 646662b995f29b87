"""Lazy tables: odd values, odd names and the verbs, the same on every engine, without a word on stderr."""

from __future__ import annotations

import math
import subprocess
import sys
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import (
    LAZY,
    QUIET,
    dask_frame,
    polars_lazy,
    postgres,
    postgres_log,
    postgres_table,
    sqlite_table,
)
from trueerror.inputs._options import InputError
from trueerror.sources.engines import _narwhals as lazysource

pytestmark = list(QUIET)
N = 40
rng = np.random.default_rng(11)
UP = rng.random(N) < 0.4
ODD = ["it's", 'a "b"', "naïve\n`x`", "50 %; --", "日本"]
WHAT = [ODD[i] for i in rng.integers(0, 5, N)]
SCORES = np.round(0.4 * UP + 0.6 * rng.random(N), 2)
SCORES[:6] = [0.0, -0.0, 0.5, 0.7, 1.0, 0.25]


def odd_table() -> Any:
    polars = pytest.importorskip("polars")
    gaps = SCORES.copy()
    gaps[[9, 10]] = math.nan
    holes = [None if i in (11, 30) else float(v) for i, v in enumerate(gaps)]
    return polars.DataFrame(
        {
            "y.true": polars.Series(WHAT, dtype=polars.Categorical),
            "pre`d": polars.Series(WHAT[1:] + WHAT[:1], dtype=polars.Enum(ODD)),
            "flag": UP,
            "sc.ore": polars.Series(SCORES, dtype=polars.Float32),
            "with gaps": polars.Series(holes, dtype=polars.Float64),
            "call": polars.Series([None if i == 3 else bool(v) for i, v in enumerate(~UP)]),
            "small": polars.Series(UP.astype(int), dtype=polars.UInt8),
        }
    )


@pytest.fixture(params=LAZY, ids=lambda place: place.__name__)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: Callable[..., Any] = request.param
    return made(odd_table().to_dict(as_series=True), tmp_path)


def test_odd_values_and_names(odd: Any, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    p = te.read(odd, truth="y.true", models={"m`": "pre`d"})
    assert p.labels == tuple(sorted(ODD))
    assert p.confusion() == te.Confusion.count(WHAT, WHAT[1:] + WHAT[:1])
    models: dict[str, Any] = {"a": {"score": "sc.ore"}, "b": {"score": "with gaps"}, "c": "call", "d": "small"}
    p = te.read(odd, truth="flag", models=models, missing="drop")
    gaps = np.where(np.isin(np.arange(N), [9, 10, 11, 30]), math.nan, SCORES)
    calls = [None if i == 3 else bool(v) for i, v in enumerate(~UP)]
    direct = te.predictions(
        UP, {"c": calls, "d": UP.astype(int)}, scores={"a": SCORES.astype(np.float32), "b": gaps}, missing="drop"
    )
    assert [p.absent(m) for m in "abcd"] == [0, 4, 1, 0]
    for model in "ab":
        assert p.scores(model) == direct.scores(model)
        # 0.7 in 32 bits lies below 0.7.
        assert p.confusion(model, threshold=0.7) == direct.confusion(model, threshold=0.7)
    assert p.scores("a").scores[0] == 0.0
    assert not np.signbit(p.scores("a").scores[0])
    for model in "abcd":
        assert p.confusion(model) == direct.confusion(model)
        assert p.agreement("a", model) == direct.agreement("a", model)
    assert capfd.readouterr().err == ""


def test_the_verbs_on_lazy_tables(odd: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    models: dict[str, Any] = {"a": {"score": "sc.ore"}, "d": "small"}
    p = te.read(odd, truth="flag", models=models)
    direct = te.predictions(UP, {"d": UP.astype(int)}, scores={"a": SCORES.astype(np.float32)})
    capfd.readouterr()
    taken: list[Any] = []
    before = lazysource.LazyTable.pulled
    with monkeypatch.context() as patch:

        def pulled(table: Any, columns: Any) -> Any:
            taken.append(columns)
            return before(table, columns)

        patch.setattr(lazysource.LazyTable, "pulled", pulled)
        ours = te.evaluate(p)
        curve = te.roc(p, model="a")
        contrast = te.compare(p)["d", "a"]
    # Labels are counted where they are; scores that hardly repeat come out once, for all that is asked.
    assert taken in ([], [["flag", "sc.ore"]])
    theirs = te.evaluate(direct)
    for model in ("a", "d"):
        for mine, other in zip(ours.model(model).records(), theirs.model(model).records(), strict=True):
            for name, value in other.items():
                if isinstance(value, float):
                    value = pytest.approx(value, rel=1e-12, nan_ok=True)
                assert mine[name] == value
    assert curve.auc() == te.roc(direct, model="a").auc()
    paired = te.compare(direct)["d", "a"]
    assert (contrast.estimate, contrast.low, contrast.p_value) == (paired.estimate, paired.low, paired.p_value)
    assert te.precision_recall(p, model="a").average_precision().estimate == pytest.approx(
        te.precision_recall(direct, model="a").average_precision().estimate
    )
    assert capfd.readouterr().err == ""


def test_a_lazy_table_may_be_passed_as_it_is(tmp_path: Path) -> None:
    frame = polars_lazy({"truth": UP, "svm": SCORES}, tmp_path)
    assert te.evaluate(frame)["auc"] == te.evaluate(UP, scores=SCORES)["auc"]
    assert te.roc(frame).auc() == te.roc(UP, SCORES).auc()
    both = polars_lazy({"truth": UP, "svm": SCORES, "net": SCORES[::-1].copy()}, tmp_path)
    assert te.compare(both, metric="auc").estimates.keys() == {"svm", "net"}


def test_rows_beyond_the_budget_are_not_pulled(tmp_path: Path) -> None:
    p = te.read(polars_lazy({"truth": UP, "svm": SCORES, "net": SCORES[::-1].copy()}, tmp_path))
    te.config(budget="500b")
    try:
        with pytest.raises(InputError, match="memory budget is 500B"):
            p.source.fetched()
    finally:
        te.config(budget="2GB")
    assert p.source.fetched().facts.n == N


def test_duckdb_relations_leave_nothing_on_stderr() -> None:
    code = (
        "import duckdb, trueerror as te\n"
        'r = duckdb.sql("select i % 2 as truth, i / 100.0 as svm from range(100) t(i)")\n'
        "p = te.read(r)\n"
        "print(p.confusion().n, len(p.scores().scores), te.evaluate(p)['auc'].n)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["100", "100", "100"]


def _view(query: str) -> Any:
    """A query as a table of the server."""
    engine, name = postgres(), f"view_{uuid.uuid4().hex}"
    with engine.con.transaction():
        engine.con.execute(f"CREATE VIEW {name} AS {query}")
    return engine.table(name)


def _answered(query: str) -> dict[str, Any]:
    return lazysource._postgres(_view(query))


def test_postgres_packs_every_kind_of_value_and_gap() -> None:
    rows = """(1::int2, 1.5::float4, true, 'naïve', 9223372036854775807), (NULL, NULL, NULL, NULL, -2),
              (3::int2, 'NaN', false, '', 0), (4::int2, '-Infinity', true, '日本', NULL)"""
    found = _answered(f"SELECT * FROM (VALUES {rows}) AS v(i, x, b, t, k)")
    assert found["i"].tolist() == [1, None, 3, 4]
    assert np.array_equal(found["x"], [1.5, np.nan, np.nan, -np.inf], equal_nan=True)
    assert found["b"].tolist() == [True, None, False, True]
    assert found["t"].tolist() == ["naïve", None, "", "日本"]
    assert found["k"].tolist() == [2**63 - 1, -2, 0, None]
    whole = _answered("SELECT i, i > 1 AS b FROM generate_series(1, 3) AS g(i)")
    assert (whole["i"].dtype, whole["b"].dtype) == (np.int64, np.bool_)
    empty = _answered("SELECT 1 AS i, 'a' AS t WHERE false")
    assert [len(column) for column in empty.values()] == [0, 0]


def test_postgres_tells_the_lowest_number_from_a_gap() -> None:
    lowest = "SELECT * FROM (VALUES (-9223372036854775807 - 1), (NULL), (7)) AS v(k)"
    assert _answered(lowest)["k"].tolist() == [-(2**63), None, 7]


def test_postgres_gives_what_is_too_long_for_one_value_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazysource, "PACKED_ROWS", 3)
    before = lazysource._packed
    asked: list[str] = []

    class Limited:
        """A cursor of a server whose values hold four rows."""

        def __init__(self, cursor: Any) -> None:
            self.cursor, self.connection = cursor, cursor.connection

        def stream(self, query: str, **options: Any) -> Any:
            asked.append(query)
            if "GROUP BY part" not in query:
                self.cursor.execute("DO $$ BEGIN RAISE SQLSTATE '54000'; END $$")
            return self.cursor.stream(query, **options)

    monkeypatch.setattr(lazysource, "_packed", lambda cursor, *rest, **more: before(Limited(cursor), *rest, **more))
    found = _answered("SELECT i, 'n' || i AS t FROM generate_series(1, 10) AS g(i)")
    assert found["i"].tolist() == list(range(1, 11))
    assert found["t"].tolist() == [f"n{i}" for i in range(1, 11)]
    assert len(asked) == 2


def test_a_server_that_lacks_postgres_own_functions_is_asked_for_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazysource, "PACKED", tuple(f"no_such_{part}" for part in lazysource.PACKED))
    columns = {"truth": [0, 1, 1, 0], "m": [0.2, None, 0.4, 0.1], "word": ["a", None, "ä", ""]}
    table = postgres_table(columns, tmp_path)
    assert te.read(table, truth="truth", models=["m"], missing="drop").scores("m").scores.tolist() == [0.1, 0.2, 0.4]


@pytest.mark.parametrize("numbers", [1, 2, 3, 4, 5, 7, 8])
def test_postgres_gives_rows_in_pieces(numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One to four numbers travel together; texts may take more pieces than numbers, and large numbers two places."""
    monkeypatch.setattr(lazysource, "PIECE", 4)
    columns = ", ".join(f"i * {1 + k}.5 AS n{k}" for k in range(numbers))
    texts = "repeat('ä', i * 9) AS long, CASE WHEN i % 2 = 0 THEN 'x' END AS short"
    large = "(1::bigint << 60) - i AS large, -(1::bigint << 53) - i AS low"
    found = _answered(f"SELECT {columns}, {texts}, {large}, i % 3 = 0 AS third FROM generate_series(1, 19) AS g(i)")
    rows = range(1, 20)
    for k in range(numbers):
        assert found[f"n{k}"].tolist() == [i * (k + 1.5) for i in rows]
    assert found["long"].tolist() == ["ä" * (i * 9) for i in rows]
    assert found["short"].tolist() == [None if i % 2 else "x" for i in rows]
    assert found["large"].tolist() == [2**60 - i for i in rows]
    assert found["low"].tolist() == [-(2**53) - i for i in rows]
    assert found["third"].tolist() == [i % 3 == 0 for i in rows]


def _large_table(kinds: str = "truth int, m double precision, word text", rows: int = 40_000) -> Any:
    """A table of many blocks, of which some rows have gone again."""
    engine, name = postgres(), f"large_{uuid.uuid4().hex}"
    with engine.con.transaction():
        engine.con.execute(f'CREATE TABLE "{name}" ({kinds})')
        values = "i % 2, nullif(i % 7, 0) / 8.0, CASE WHEN i % 5 > 0 THEN repeat('ä', i % 4) END"
        engine.con.execute(f'INSERT INTO "{name}" SELECT {values} FROM generate_series(1, {rows}) AS g(i)')
        engine.con.execute(f'DELETE FROM "{name}" WHERE word IS NULL AND m > 0.5')
    return engine.table(name)


def test_a_table_of_many_blocks_is_packed_by_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    table = _large_table()
    one = lazysource._whole_postgres(table)
    monkeypatch.setattr(lazysource, "SHARED_BYTES", 1)
    before = len(postgres_log())
    several = lazysource._whole_postgres(table)
    asked = [line for line in postgres_log()[before:] if "string_agg" in line]
    assert [line.count("ctid >= ") for line in asked] == [lazysource.SHARES - 1]
    assert one is not None
    assert several is not None
    for name, column in one.items():
        assert column.dtype == several[name].dtype
        assert np.array_equal(column, several[name], equal_nan=name == "m")
    # The server divides the work, where it thinks that this pays.
    connection = postgres().con
    with connection.transaction():
        connection.execute("SET LOCAL parallel_setup_cost = 0")
        query = asked[0].split(": ", 1)[1].rpartition(" AS piece")[0] + " AS piece"
        plan = "".join(row[0] for row in connection.execute(f"EXPLAIN {query}", prepare=False).fetchall())
    assert "Parallel Append" in plan
    assert plan.count("Tid Range Scan") == lazysource.SHARES


@pytest.mark.parametrize("seed", range(8))
def test_shares_come_in_any_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a share follow each other, those of other shares between them; some shares have no rows."""
    monkeypatch.setattr(lazysource, "PIECE", 3)
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 12, 5).tolist() if seed else [0, 4, 0, 7, 1]
    values = [draw.random((rows, 2)) for rows in sizes]
    queues = []
    for part, numbers in enumerate(values):
        starts = range(0, len(numbers), 3)
        packed = [numbers[start : start + 3].astype(">f8").tobytes() for start in starts]
        queues.append([(part, i, len(numbers), one, b"%d" % part) for i, one in enumerate(packed)])

    class Cursor:
        """Of a server whose processes take turns."""

        def stream(self, query: str, *, binary: bool) -> Any:
            while left := [queue for queue in queues if queue]:
                yield left[draw.integers(len(left))].pop(0)

    numbers, texts = lazysource._received(Cursor(), "", [2], len(sizes))
    assert np.array_equal(list(numbers), np.concatenate(values).T)
    assert list(texts) == [b"".join(b"%d" % part * -(-rows // 3) for part, rows in enumerate(sizes))]


@pytest.mark.parametrize(("state", "lacks"), [("42703", True), ("0A000", True), ("53200", False), (None, False)])
def test_a_server_whose_tables_have_no_places_is_asked_for_all_rows_at_once(
    state: str | None, lacks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may call them an unknown column, or something that it does not support."""

    class Refusal(Exception):
        sqlstate = state

    def refused(*_: Any) -> Any:
        raise Refusal

    connection = SimpleNamespace(transaction=nullcontext, Error=Refusal)
    answer = SimpleNamespace(fetchone=lambda: (8,))
    cursor = SimpleNamespace(connection=connection, execute=lambda *_, **options: answer)
    monkeypatch.setattr(lazysource, "_packed", refused)
    with nullcontext() if lacks else pytest.raises(Refusal):
        assert lazysource._by_shares(cursor, "TABLE t", {"Schema": "s", "Relation Name": "t"}, {}) is None


@pytest.mark.parametrize("query", ["SELECT * FROM {}", "SELECT truth, m FROM {} WHERE truth >= 0", "TABLE {} LIMIT 99"])
def test_rows_without_places_come_by_one_process(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazysource, "SHARED_BYTES", 1)
    table = _large_table(rows=3000)
    view = _view(query.format(f'"{table.get_name()}"'))
    found = lazysource._whole_postgres(view)
    assert found is not None
    counted = postgres().con.execute(f'SELECT count(*) FROM "{view.get_name()}"')
    assert (len(found["truth"]),) == counted.fetchone()


def test_reading_leaves_nothing_in_the_users_session(tmp_path: Path) -> None:
    table = postgres_table({"truth": [0, 1, 1, 0], 'm"s': [0.2, -0.0, 0.4, 0.1]}, tmp_path)
    connection = postgres().con
    questions = "SELECT count(*) FROM pg_prepared_statements", "SELECT sum(hashtext(name || setting)) FROM pg_settings"
    before = [connection.execute(question, prepare=False).fetchone() for question in questions]
    for _ in range(8):
        assert not np.signbit(lazysource._whole_postgres(table)['m"s']).any()
    assert [connection.execute(question, prepare=False).fetchone() for question in questions] == before


def test_a_transaction_of_the_users_is_left_as_it_is(tmp_path: Path) -> None:
    table = postgres_table({"truth": [0, 1, 1, 0], "m": [0.2, 0.9, 0.4, 0.1]}, tmp_path)
    connection, name = postgres().con, table.get_name()
    connection.execute("BEGIN")
    connection.execute(f'INSERT INTO "{name}" VALUES (1, 0.75)')
    state = connection.info.transaction_status
    try:
        assert te.read(table, truth="truth").n == 5
        assert connection.info.transaction_status == state
        # A query that fails leaves what was written before it.
        with pytest.raises(Exception, match="division by zero"):
            te.read(_view(f'SELECT truth, 1 / (truth - truth) AS m FROM "{name}"'), truth="truth")
        assert connection.info.transaction_status == state
        assert connection.execute(f'SELECT count(*) FROM "{name}"').fetchone() == (5,)
    finally:
        connection.rollback()
    assert te.read(table, truth="truth").n == 4


def test_an_empty_table_of_a_server_is_refused(tmp_path: Path) -> None:
    table = postgres_table({"truth": [0, 1], "m": [0.2, 0.9]}, tmp_path)
    with pytest.raises(InputError, match="no rows"):
        te.read(table.filter(table.truth > 5), truth="truth")


def test_a_server_that_expects_few_rows_and_has_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazysource, "WHOLE_BYTES", 16 * 2000)
    few = _view("SELECT i % 2 AS truth, (i % 3 = 0)::int AS m FROM generate_series(1, 5000) AS g(i)")
    table = lazysource.open_lazy(lazysource.nw.from_native(few), few, None)
    assert isinstance(table, lazysource.LazyTable)
    assert table.n == 5000
    monkeypatch.setattr(lazysource, "WHOLE_BYTES", 16 * 5000)
    assert isinstance(lazysource.open_lazy(lazysource.nw.from_native(few), few, None), lazysource.ColumnsTable)


def test_dates_of_a_server_are_dates(tmp_path: Path) -> None:
    columns = "i % 2 AS truth, i % 2 AS m, DATE '2024-01-01' + i AS day, NULL::text AS gone"
    native = _view(f"SELECT {columns} FROM generate_series(1, 9) AS g(i)")
    table = lazysource.open_lazy(lazysource.nw.from_native(native), native, None)
    assert [table.kind(c) for c in table.columns] == ["integer", "integer", "date", "text"]
    assert table.filled("gone") == 0


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
@pytest.mark.parametrize("name", ["*", "^.*$", "^b.*$", ""])
@pytest.mark.parametrize("place", [polars_lazy, sqlite_table])
def test_names_that_engines_take_for_patterns(tmp_path: Path, place: Callable[..., Any], name: str) -> None:
    columns = {"truth": UP.astype(int).tolist(), name: SCORES.tolist(), "b": (~UP).astype(int).tolist()}
    asked: dict[str, Any] = {"truth": "truth", "models": [name, "b"], "positive": 1}
    assert te.evaluate(te.read(place(columns, tmp_path), **asked)) == te.evaluate(te.read(columns, **asked))


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
@pytest.mark.parametrize("place", [polars_lazy, dask_frame])
def test_few_rows_with_gaps_in_scores(tmp_path: Path, place: Callable[..., Any]) -> None:
    columns = {"truth": UP.astype(int).tolist(), "s": [None, math.nan, *SCORES[2:].tolist()], "t": SCORES.tolist()}
    asked: dict[str, Any] = {"truth": "truth", "positive": 1, "missing": "drop"}
    assert te.evaluate(te.read(place(columns, tmp_path), **asked)) == te.evaluate(te.read(columns, **asked))


def test_whole_numbers_of_128_bits() -> None:
    polars = pytest.importorskip("polars")
    truth, called = ([10**25 + int(up) for up in column] for column in (UP, UP[::-1]))
    frame = polars.DataFrame({"truth": truth, "m": called}, schema={"truth": polars.Int128, "m": polars.Int128})
    for table in (frame, frame.lazy()):
        assert te.read(table).confusion() == te.Confusion.count(truth, called)


def test_lists_make_no_groups_and_durations_do() -> None:
    polars = pytest.importorskip("polars")
    columns = {"truth": [0, 1] * 20, "m": [0, 1, 1, 1] * 10, "took": [timedelta(1), timedelta(2)] * 20}
    frame = polars.LazyFrame(columns | {"tags": [["a"], ["b"]] * 20})
    assert te.read(frame).models == ("m",)
    with pytest.raises(InputError, match="column 'tags' of the table holds neither text nor numbers"):
        te.read(frame, by="tags")
    in_memory = te.read(frame.drop("tags").collect(), by="took").slices()
    relation = duckdb.sql("SELECT i % 2 AS truth, i % 2 AS m, to_days(1 + (i % 2)::INT) AS took FROM range(40) r(i)")
    assert te.read(frame, by="took").slices() == te.read(relation, by="took").slices() == in_memory


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
def test_dask_calls_the_most_probable_class(tmp_path: Path) -> None:
    p = np.round(rng.dirichlet(np.ones(3), N), 1)  # with ties
    columns: dict[str, list[Any]] = {"truth": rng.integers(0, 3, N).tolist()}
    columns |= {f"m_{k}": p[:, k].tolist() for k in range(3)}
    asked: dict[str, Any] = {"truth": "truth", "models": {"m": {"score": {k: f"m_{k}" for k in range(3)}}}}
    called = te.read(dask_frame(columns, tmp_path), **asked).confusion()
    assert called == te.Confusion.count(columns["truth"], p.argmax(axis=1))
