"""Files: formats, patterns, standard input, hostile names; and that DuckDB is kept on a short leash."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import trueerror as te
from trueerror.inputs._options import FileError, InputError
from trueerror.sources._paths import damaged
from trueerror.sources.engines._duckdb import FileSource
from trueerror.sources.engines._duckdb_tables import DuckDBTable, open_files

SMALL = "truth,svm\n0,0.2\n1,0.9\n1,0.4\n"


def small(folder: Path, name: str = "p.csv", text: str = SMALL) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def check_small(p: te.Predictions) -> None:
    assert p.n == 3
    assert p.confusion("svm").matrix.tolist() == [[1, 0], [1, 1]]
    assert p.scores("svm").scores.tolist() == [0.2, 0.4, 0.9]


HOSTILE = [
    "it's",
    'say "hi"',
    "x; DROP TABLE raw; --",
    "'); ATTACH 'x.db'; --",
    "new\nline",
    "tab\tname",
    "Ünïcödé 名前",
    "c0",
    "counted",
    "%s {} $1 ?",
    " spaces ",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_column_names_and_labels(name: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["truth", name, "site"])
        writer.writerows([[name, name, name], ["b", name, "k"], ["b", "b", "k"]])
    name = name.strip()  # spaces around what a CSV file holds are no part of it
    p = te.read(path, models=[name], by="site", cluster=False)
    model = p.models[0]
    assert isinstance(p.source, FileSource)
    assert set(p.labels) == {name, "b"}
    direct = te.predictions([name, "b", "b"], {model: [name, name, "b"]})
    assert p.confusion(model) == direct.confusion(model)
    assert p.slice(name).confusion(model).n == 1
    assert set(p.slices()) == {name, "k"}


@pytest.mark.parametrize(
    "name",
    [
        "a'b.csv",
        "a[1]*.csv",
        "q?.csv",
        "x; DROP.csv",
        "Ünï 名.csv",
        '"quoted".csv',
        "~home.csv",
        "year=2020.csv",
        "{a,b}.csv",
        "-dash.csv",
        "no ending",
    ],
)
def test_hostile_paths(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, name)
    (tmp_path / "a1x.csv").write_text("not,this\n1,2\n", encoding="utf-8")
    check_small(te.read(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    check_small(te.read(name))


def test_formats(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4]})
    frame.write_parquet(tmp_path / "p.parquet")
    frame.write_ndjson(tmp_path / "p.jsonl")
    frame.write_json(tmp_path / "p.json")
    frame.write_csv(tmp_path / "p.tsv", separator="\t")
    small(tmp_path, "semicolon.csv", SMALL.replace(",", ";").replace(".", ","))
    small(tmp_path, "pipe.txt", SMALL.replace(",", "|"))
    small(tmp_path, "bom.csv", "\ufeff" + SMALL)
    small(tmp_path, "crlf.csv", SMALL.replace("\n", "\r\n"))
    small(tmp_path, "no_last_newline.csv", SMALL.rstrip())
    small(tmp_path, "empty_lines.csv", SMALL + "\n\n")
    small(tmp_path, "spaces.csv", SMALL.replace("0.9", " 0.9"))
    for packed in ("p.jsonl", "p.tsv"):
        (tmp_path / f"{packed}.gz").write_bytes(gzip.compress((tmp_path / packed).read_bytes()))
    (tmp_path / "packed").write_bytes(gzip.compress(SMALL.encode()))
    (tmp_path / "parquet without ending").write_bytes((tmp_path / "p.parquet").read_bytes())
    (tmp_path / "json without ending").write_bytes((tmp_path / "p.jsonl").read_bytes())
    for path in sorted(tmp_path.iterdir()):
        check_small(te.read(path))


def test_patterns_folders_and_lists(tmp_path: Path) -> None:
    for i in range(3):
        small(tmp_path, f"part-{i}.csv", f"truth,svm\n{i % 2},0.{i + 1}\n")
    for several in (str(tmp_path / "part-*.csv"), tmp_path, [tmp_path / f"part-{i}.csv" for i in range(3)]):
        p = te.read(several)
        assert p.source.fetched().columns["svm"].scores.tolist() == [0.1, 0.2, 0.3]  # type: ignore[union-attr]
    assert p.source.name == "part-0.csv and 2 more"
    reverse = te.read([tmp_path / "part-2.csv", tmp_path / "part-0.csv"])
    assert reverse.fingerprint == te.predictions([0, 0], [0, 0]).fingerprint


def test_standard_input(tmp_path: Path) -> None:
    parquet = tmp_path / "p.parquet"
    pytest.importorskip("polars").DataFrame({"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4]}).write_parquet(parquet)
    for data in (SMALL.encode(), gzip.compress(SMALL.encode()), parquet.read_bytes(), b'{"truth":0,"svm":0.5}\n'):
        code = "import trueerror as te; p = te.read('-'); print(p); print(p.scores('svm'))"
        done = subprocess.run([sys.executable, "-W", "error", "-c", code], input=data, capture_output=True, check=False)
        assert done.stderr == b""
        assert done.returncode == 0
        assert b"1 model with scores: svm" in done.stdout


def test_standard_input_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(SMALL))
    check_small(te.read("-"))


def test_types_are_told_from_all_rows(tmp_path: Path) -> None:
    n = 30_000
    text = "truth,svm,site\n" + "1,0,7\n" * n + "0,0.25,x\n"
    p = te.read(small(tmp_path, text=text), by="site")
    assert p.scores("svm").scores.tolist() == [0.0, 0.25]
    assert p.slices() == ("7", "x")


def test_words_are_not_booleans_and_true_is(tmp_path: Path) -> None:
    p = te.read(small(tmp_path, text="truth,svm\nyes,no\nno,no\n"))
    assert p.labels == ("no", "yes")
    q = te.read(small(tmp_path, text="truth,svm\nTrue,FALSE\nFalse,FALSE\n"))
    assert q.labels == (False, True)
    assert q.confusion("svm").matrix.tolist() == [[1, 0], [1, 0]]
    with pytest.raises(InputError, match="says 'FALSE' where the truth says 'false'; spell labels alike"):
        te.read(small(tmp_path, text="truth,svm\nTrue,FALSE\nfalse,false\n"))
    r = te.read(small(tmp_path, text="truth,svm\n007,008\n008,008\n"))
    assert r.labels == ("007", "008")


def test_missing_in_many_spellings(tmp_path: Path) -> None:
    text = "truth,svm,knn\n0,0.2,0\n1,NA,\n1,nan,1\n0,,NA\n"
    p = te.read(small(tmp_path, text=text), missing="drop")
    assert (p.absent("svm"), p.absent("knn")) == (3, 2)


def test_large_ids_keep_every_digit(tmp_path: Path) -> None:
    text = "id,truth,svm\n" + "".join(f"{10**19 + i},{i % 2},0.5\n" for i in range(4))
    assert te.read(small(tmp_path, text=text)).has_ids


def test_provenance_travels_with_the_tally(tmp_path: Path) -> None:
    p = te.read(small(tmp_path))
    assert p.confusion("svm").sources == ("p.csv",)
    assert p.scores("svm").sources == ("p.csv",)


def test_later_changes_of_the_file_change_nothing(tmp_path: Path) -> None:
    path = small(tmp_path)
    p = te.read(path)
    path.unlink()
    check_small(p)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_the_connection_reads_nothing_else(ending: str, tmp_path: Path) -> None:
    other = small(tmp_path, "secret.csv")
    path = small(tmp_path)
    if ending == "jsonl":
        path = small(tmp_path, "p.jsonl", '{"truth": 0, "svm": 0.5}')
    elif ending == "parquet":
        path = tmp_path / "p.parquet"
        pytest.importorskip("polars").DataFrame({"truth": [0, 1], "svm": [0.5, 0.5]}).write_parquet(path)
    table = open_files(path)
    assert table.n in (1, 2, 3)
    for query in (
        f"SELECT * FROM read_csv('{other}')",
        "INSTALL httpfs",
        "LOAD httpfs",
        f"ATTACH '{tmp_path / 'x.db'}'",
        f"COPY data TO '{tmp_path / 'out.csv'}'",
        "SET enable_external_access = true",
        "SET autoload_known_extensions = true",
    ):
        with pytest.raises(duckdb.Error):
            table.run(query)
    leak = [1, 2, 3]
    with pytest.raises(duckdb.Error):
        table.run("SELECT * FROM leak")
    assert leak


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "in").mkdir()
    path = small(tmp_path / "in", "a[1].csv")
    p = te.read(path)
    assert any(f.name.startswith("trueerror-") for f in tmp_path.iterdir())
    check_small(p)
    del p
    import gc

    gc.collect()
    assert [f.name for f in tmp_path.iterdir()] == ["in"]
    with pytest.raises(ValueError):
        te.read(small(tmp_path / "in", "bad.csv", "a,b\n"))
    assert [f.name for f in tmp_path.iterdir()] == ["in"]


def test_nothing_is_written_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_small(te.read(small(tmp_path)))
    assert os.listdir(tmp_path) == ["p.csv"]


def test_many_rows_of_a_file(tmp_path: Path) -> None:
    n = 300_000
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    path = tmp_path / "big.csv"
    scores = (truth * 300_000 + rng.integers(0, 700_000, (3, n))).tolist()
    with path.open("w", encoding="utf-8") as stream:
        stream.write("id,truth,svm,knn,net\n")
        stream.writelines(
            f"{i},{t},0.{a:06d},0.{b:06d},0.{c:06d}\n"
            for i, t, a, b, c in zip(range(n), truth.tolist(), *scores, strict=True)
        )
    p = te.read(path)
    assert {p.confusion(m).n for m in p.models} == {n}
    assert p.agreement("svm", "knn").n == n
    assert p.scores("svm").n_positive == int(truth.sum())
    assert isinstance(p.source, FileSource)
    curve = p.scores("svm")
    assert curve == p.source.fetched().scores("svm")


def test_questions_to_a_table(tmp_path: Path) -> None:
    table = open_files(small(tmp_path, text="truth,a,b,c\n1,x,1.5,2024-01-01\n0,y,2.0,2024-01-02\n1,,3,\n"))
    assert isinstance(table, DuckDBTable)
    kinds: list[Any] = [table.kind(c) for c in table.columns]
    assert kinds == ["integer", "text", "number", "text"]
    assert table.filled("a") == 2
    assert table.few("a", 1) is None
    assert set(table.few("a", 2) or ()) == {"x", "y"}
    assert table.distinct("truth") == 2
    assert (table.is_whole("truth"), table.is_whole("b"), table.is_whole("a")) == (True, False, False)
    assert table.narrowed("truth", 1).n == 2
    assert table.values("a").tolist() == ["x", "y", None]


@pytest.mark.parametrize("kind", [None, "frequency", "sampling"])
def test_nearly_distinct_scores_are_not_grouped(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    truth, scores, weights = rng.integers(0, 2, 50), rng.random(50), rng.integers(0, 3, 50)
    rows = "".join(
        f"{t},{s!r},{w}\n" for t, s, w in zip(truth.tolist(), scores.tolist(), weights.tolist(), strict=True)
    )
    path = small(tmp_path, text="truth,svm,weight\n" + rows + "1,,1\n")
    options: dict[str, Any] = {"weights_kind": kind, "missing": "drop"}
    grouped = te.read(path, **options)
    expected = grouped.scores("svm")

    def brier(codes: Any, table: Any) -> Any:
        return ((table - np.eye(2)[codes]) ** 2).sum(axis=1)

    moments = grouped.moments("svm", brier)
    monkeypatch.setattr("trueerror.sources.engines._groupby.MANY_ROWS", 0)
    p = te.read(path, **options)
    assert isinstance(p.source, FileSource)
    assert p.source.nearly_distinct("svm")
    assert not p.source.nearly_distinct("truth")
    assert p.scores("svm") == expected
    again = p.moments("svm", brier)
    assert (again.n, again.mean) == (moments.n, pytest.approx(moments.mean, rel=1e-12))


def test_fifty_thousand_classes_in_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.arange(50_000), rng.integers(0, 50_000, 50_000)])
    called = np.where(rng.random(100_000) < 0.9, truth, 7)
    path = small(
        tmp_path, text="truth,svm_pred,knn\n" + "".join(f"k{t},k{c},k{c}\n" for t, c in zip(truth, called, strict=True))
    )
    start = time.process_time()
    p = te.read(path)
    assert p.models == ("svm", "knn")
    table = p.confusion("svm")
    assert time.process_time() - start < 20
    assert len(p.labels) == 50_000
    assert table.n == 100_000
    assert table.classes().hits.sum() == (truth == called).sum()


def test_nan_in_parquet_is_missing(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "gaps.parquet"
    scores = [0.1, math.nan, 0.8, 0.4]
    polars.DataFrame({"truth": [0, 1, 1, 0], "svm": scores}).write_parquet(path)
    # The statistics in the file say that all scores are between 0.1 and 0.8.
    with pytest.raises(InputError, match="row 2"):
        te.read(path)
    p = te.read(path, missing="drop")
    assert p.absent("svm") == 1
    assert p.scores("svm").n == 3


def test_a_file_read_again_gives_the_same_bits(tmp_path: Path) -> None:
    """DuckDB gives groups in any order, and a sum in another order differs in its last digit."""
    rng = np.random.default_rng(2)
    lines = (f"{int(u < s)},{s:.4f}\n" for u, s in zip(rng.random(400), rng.random(400), strict=True))
    path = small(tmp_path, text="truth,svm\n" + "".join(lines))

    def square(codes: Any, table: Any) -> Any:
        return (table[:, 1] - codes) ** 2

    assert len({te.read(path).moments("svm", square) for _ in range(40)}) == 1


def _table(path: Path, **more: Any) -> Path:
    pl = pytest.importorskip("polars")
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame({"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4], **more})
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_without_a_column_is_named_whatever_the_order(tmp_path: Path, ending: str) -> None:
    for lacks, has in (("a", "b"), ("b", "a")):
        folder = tmp_path / f"{lacks} lacks"
        _table(folder / f"{lacks}.{ending}")
        _table(folder / f"{has}.{ending}", knn=[0.1, 0.8, 0.7])
        with pytest.raises(FileError) as said:
            te.read(folder)
        assert str(said.value) == (
            f"{folder.name}/{lacks}.{ending} lacks the column 'knn', which {folder.name}/{has}.{ending} has; files "
            "read together must have the same columns: name one of them, or those that are parts of one table"
        )


def test_columns_of_parquet_files_may_be_in_any_order(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    _table(tmp_path / "a.parquet", nested=[{"x": 1, "y": [1, 2]}] * 3)
    pl.read_parquet(tmp_path / "a.parquet").select("svm", "nested", "truth").write_parquet(tmp_path / "b.parquet")
    assert te.read(tmp_path).n == 6


def test_no_message_shows_where_files_lie(tmp_path: Path) -> None:
    error = Exception(f'Invalid Error: in "{tmp_path}/two words/a.parquet": bad page at {tmp_path}/b.parquet')
    assert str(damaged("a.parquet", error)) == (
        'a.parquet is damaged inside and cannot be read: in "a.parquet": bad page at b.parquet'
    )


def test_folders_that_name_a_column(tmp_path: Path) -> None:
    for year in (2024, 2025):
        _table(tmp_path / f"year={year}" / "part=0" / "x.parquet")
    p = te.read(tmp_path, by="year")
    assert p.slices() == ("2024", "2025")
    assert p.models == ("svm",)
    assert te.read(tmp_path).models == ("svm",)
    # A column of that name in the files goes first.
    _table(tmp_path / "own" / "svm=1" / "x.parquet")
    _table(tmp_path / "own" / "svm=2" / "x.parquet")
    assert te.read(tmp_path / "own").score_range("svm").high == 0.9


def test_words_beside_tables_are_passed_over(tmp_path: Path) -> None:
    _table(tmp_path / "a.parquet")
    (tmp_path / "README.txt").write_text("made by hand\n")
    p = te.read(tmp_path)
    assert p.n == 3
    assert p.notes == ("Not taken for tables: README.txt.",)
    _table(tmp_path / "b.csv")
    with pytest.raises(
        FileError, match=r"a.parquet is Parquet, and .*b.csv is CSV: read files of one format, by a patt"
    ):
        te.read(tmp_path)


def test_many_groups_of_whole_numbers_are_counted_from_one_number_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, low = 90_000, -7
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, n)
    columns = {"truth": truth, "a": truth ^ (rng.random(n) < 0.1), "person": low + rng.integers(0, 20_000, n)}
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet")
    hashed: list[str] = []
    fetched = DuckDBTable._fetched
    monkeypatch.setattr(DuckDBTable, "_fetched", lambda table, query: hashed.append(query) or fetched(table, query))

    def estimated(source: Any) -> Any:
        return te.evaluate(te.read(source, cluster="person"), metrics=["accuracy", "f1"]).model("a")

    counted = estimated(tmp_path / "rows.parquet")
    # Two labels twice and 20,000 people are too many for a table without hashing, and no hash table is made of them.
    assert any("min(c2)" in query for query in hashed)
    assert not any("GROUP BY" in query and "c2" in query and "c0" in query for query in hashed)
    eager = estimated(pl.DataFrame(columns))
    assert counted["accuracy"] == eager["accuracy"]
    assert counted["f1"] == eager["f1"]


def _looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that look at rows: not those that the file's statistics answer."""
    seen: list[str] = []
    fetched, stream = DuckDBTable._fetched, DuckDBTable.stream

    def noted(query: str) -> None:
        if "GROUP BY" in query or "LIMIT" in query or " AS k" in query:
            seen.append(query)

    monkeypatch.setattr(DuckDBTable, "_fetched", lambda t, query: noted(query) or fetched(t, query))
    monkeypatch.setattr(DuckDBTable, "stream", lambda t, frame, kinds: noted(frame.query) or stream(t, frame, kinds))
    return seen


@pytest.mark.parametrize("key", ["slice", "person"])
def test_labels_and_keys_of_whole_numbers_take_one_look(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, rng = 40_000, np.random.default_rng(5)
    truth = rng.integers(0, 2, n)
    columns = {"truth": truth, **{m: truth ^ (rng.random(n) < 0.1 * (i + 1)) for i, m in enumerate("abc")}}
    columns |= {"slice": rng.integers(3, 40, n), "person": rng.integers(0, 9_000, n) - 50}
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet")
    looks = _looks(monkeypatch)

    def asked(source: Any) -> te.Predictions:
        options: dict[str, Any] = {"by": "slice", "cluster": False} if key == "slice" else {"cluster": "person"}
        return te.read(source, truth="truth", models=list("abc"), **options)

    kind: Any = "slices" if key == "slice" else "clusters"
    p = asked(tmp_path / "rows.parquet")
    counts, names, sizes = p.truth_counts(), p.keys(kind).names, p.keys(kind).sizes
    keyed, pair, alone = p.keyed_confusion("b", kind), p.keyed_agreement("a", "c", kind), p.confusion("b")
    slices = [p.slice(name).confusion("c") for name in names[:2]] if key == "slice" else []
    assert len(looks) == 1
    eager = asked(pl.DataFrame(columns))
    assert counts.tolist() == eager.truth_counts().tolist()
    assert names == eager.keys(kind).names
    assert sizes.tolist() == eager.keys(kind).sizes.tolist()
    assert keyed == eager.keyed_confusion("b", kind)
    assert pair.table == eager.keyed_agreement("a", "c", kind).table
    assert pair.counts.tolist() == eager.keyed_agreement("a", "c", kind).counts.tolist()
    assert alone == eager.confusion("b")
    assert [t.matrix.tolist() for t in slices] == [
        eager.slice(name).confusion("c").matrix.tolist() for name in names[: len(slices)]
    ]


def test_two_neighbouring_numbers_are_known_by_their_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"two": [4, 5, 5], "one": [7, 7, 7], "three": [0, 2, 2], "gap": [0, None, 1], "real": [0.0, 1.0, 1.0]}
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet")
    table = open_files(tmp_path / "rows.parquet")
    looks = _looks(monkeypatch)
    assert (table.few("two", 2), table.few("one", 1)) == ((4, 5), (7,))
    assert table.few("two", 1) is None
    assert looks == []
    assert [set(table.few(c, 3) or ()) for c in ("three", "gap", "real")] == [{0, 2}, {0, 1}, {0.0, 1.0}]
    assert looks != []


def test_calls_by_threshold_are_counted_as_places_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n, rng = 60_000, np.random.default_rng(6)
    truth = rng.integers(0, 2, n)
    columns: dict[str, Any] = {"truth": truth, "person": rng.integers(0, 9_000, n)}
    for m in "ab":
        scores = np.clip(0.3 * truth + 0.7 * rng.random(n), 0, 1)
        columns[m] = [None if i % 997 == 0 else float(s) for i, s in enumerate(scores)]
    pl.DataFrame(columns).write_parquet(tmp_path / "rows.parquet")
    read = {"truth": "truth", "models": ["a", "b"], "cluster": "person", "missing": "drop"}
    looks = _looks(monkeypatch)
    keyed = te.read(tmp_path / "rows.parquet", **read).keyed_agreement("a", "b", "clusters")
    assert not any("GROUP BY" in query and "k2" in query for query in looks)
    eager = te.read(pl.DataFrame(columns), **read).keyed_agreement("a", "b", "clusters")
    assert keyed.table == eager.table
    assert [x.tolist() for x in (keyed.key, keyed.cell, keyed.counts)] == [
        x.tolist() for x in (eager.key, eager.cell, eager.counts)
    ]


def test_whole_numbers_of_128_bits_that_need_fewer_are_numbers(tmp_path: Path) -> None:
    import duckdb

    rows = duckdb.sql("SELECT sum(i % 2) AS truth, sum(-(i % 3))::DECIMAL(38, 0) AS m FROM range(60) r(i) GROUP BY i")
    assert te.read(rows, label="m", labels=[0, 1, -1, -2]).labels == (0, 1, -1, -2)
    assert te.read(duckdb.sql("SELECT 1::HUGEINT << 80 AS truth, 1::HUGEINT << 80 AS m")).labels == (str(2**80),)
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(f'{{"truth": {i % 2 * 2 - 1}, "m": {i % 3 - 1}}}' for i in range(60)))
    assert te.read(path, label="m").labels == (-1, 0, 1)


def test_two_neighbouring_labels_of_any_size(tmp_path: Path) -> None:
    path = tmp_path / "large.parquet"
    duckdb.sql(
        "SELECT (9000000000000000000 + i % 2)::BIGINT AS truth, (9000000000000000000 + (i % 3 > 0)::INT)::BIGINT AS m "
        "FROM range(12) t(i)"
    ).write_parquet(str(path))
    assert te.read(path).confusion("m").matrix.tolist() == [[2, 4], [2, 4]]


def test_a_connection_that_is_open_stays_as_it_is(tmp_path: Path) -> None:
    path, beside = tmp_path / "rows.duckdb", tmp_path / "beside.csv"
    beside.write_text("a\n1\n")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE rows AS SELECT i % 2 AS truth, (i % 3 > 0)::INT AS m FROM range(12) t(i)")
    with duckdb.connect(str(path), read_only=True) as connection:
        with pytest.raises(te.InputError, match="pass the table itself"):
            te.read(path)
        assert connection.execute(f"SELECT a FROM read_csv('{beside}')").fetchall() == [(1,)]
    assert te.read(path).n == 12
