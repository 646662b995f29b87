"""One test body, every source: the same rows give the same tallies, to the last count, wherever they are kept."""

from __future__ import annotations

import csv
import datetime
import gzip
import json
import math
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import (
    BLIND_TO_CASE,
    LAZY,
    QUIET,
    arrow_dataset,
    dask_frame,
    duckdb_relation,
    ibis_table,
    postgres_log,
    postgres_table,
    spark_table,
    sqlite_table,
)
from trueerror.sources.engines._duckdb import FileSource
from trueerror.sources.engines._groupby import GroupedSource

pytestmark = list(QUIET)
N = 60
rng = np.random.default_rng(7)
TRUTH = rng.integers(0, 2, N)
ANIMALS = np.array(["cat", "dög", 'fi"sh; --', "new\nline", "naïve, yes"])
CLASSES = rng.integers(0, 5, N)
PROBABILITIES = rng.dirichlet(np.ones(5), N)

Column = list[Any]


def binary_columns() -> dict[str, Column]:
    """Two classes with labels, scores, ties, −0.0, gaps, keys and weights, under names that need quoting."""
    score = np.round(TRUTH * 0.3 + rng.random(N) * 0.7, 2)
    score[:4] = [0.0, -0.0, 0.5, 1.0]
    label = [int(v) for v in rng.integers(0, 2, N)]
    flags = [bool(v) for v in rng.integers(0, 2, N)]
    return {
        "id": [f"r{i}" for i in range(N)],
        'tr"uth; DROP TABLE data; --': [int(v) for v in TRUTH],
        "a b": [float(v) for v in score],
        "select": label,
        "SELECT": flags,
        "it's": [float(np.float32(v)) for v in score],
        "patient": [int(v) for v in rng.integers(0, 9, N)],
        "site": [str(v) for v in rng.choice(["Oslo", "São Paulo", "x'y"], N)],
        "w": [int(v) for v in rng.integers(0, 4, N)],
        "fold": [int(v) for v in rng.integers(1, 4, N)],
    }


BINARY = binary_columns()
SETTINGS: dict[str, Any] = {
    "truth": 'tr"uth; DROP TABLE data; --',
    "models": ["a b", "select", "SELECT", "it's"],
    "by": "site",
}
MULTI: dict[str, Column] = {
    "key": [int(i) for i in range(N)],
    "gold": [str(ANIMALS[i]) for i in CLASSES],
    "svm": [str(ANIMALS[i]) for i in rng.integers(0, 5, N)],
    **{f"net {a}": [float(p) for p in PROBABILITIES[:, i]] for i, a in enumerate(ANIMALS)},
}
MULTI_MODELS = {"svm": {"label": "svm"}, "net": {"score": {str(a): f"net {a}" for a in ANIMALS}}}


def plain(columns: dict[str, Column], folder: Path) -> Any:
    return columns


def arrays(columns: dict[str, Column], folder: Path) -> Any:
    def array(values: Column) -> Any:
        if any(v is None for v in values):
            kinds = {type(v) for v in values if v is not None}
            if kinds == {float}:
                return np.array([math.nan if v is None else v for v in values])
            return np.array(values, dtype=object)
        return np.array(values)

    return {name: array(values) for name, values in columns.items()}


def pandas_frame(columns: dict[str, Column], folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def polars_frame(columns: dict[str, Column], folder: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(columns: dict[str, Column], folder: Path) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


def csv_file(columns: dict[str, Column], folder: Path) -> Any:
    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def tsv_gz_file(columns: dict[str, Column], folder: Path) -> Any:
    path = folder / "rows.tsv.gz"
    with gzip.open(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def parquet_file(columns: dict[str, Column], folder: Path) -> Any:
    path = folder / "rows.parquet"
    polars_frame(columns, folder).write_parquet(path)
    return path


def json_lines_file(columns: dict[str, Column], folder: Path) -> Any:
    path = folder / "rows.jsonl"
    # JSON readers fold names that differ in case only; Parquet and CSV keep them.
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


PLACES: list[Callable[[dict[str, Column], Path], Any]] = [
    plain, arrays, pandas_frame, polars_frame, arrow_table, csv_file, tsv_gz_file, parquet_file, json_lines_file,
    *LAZY,
]  # fmt: skip
FILES = (csv_file, tsv_gz_file, parquet_file, json_lines_file)


def read(place: Callable[..., Any], columns: dict[str, Column], folder: Path, **settings: Any) -> te.Predictions:
    if place in (json_lines_file, *BLIND_TO_CASE) and "SELECT" in columns:
        columns = {"other" if c == "SELECT" else c: v for c, v in columns.items()}
        models = settings.get("models")
        if isinstance(models, list):
            settings = settings | {"models": {m: ("other" if m == "SELECT" else m) for m in models}}
    p = te.read(place(columns, folder), **settings)
    # Files are counted inside DuckDB, lazy tables inside their engine; neither is pulled.
    assert isinstance(p.source, FileSource) == (place in (*FILES, duckdb_relation, ibis_table))
    assert (type(p.source) is GroupedSource) == (place in LAZY and place not in (duckdb_relation, ibis_table))
    return p


def same_confusion(a: te.Predictions, b: te.Predictions, model: str, **options: Any) -> None:
    assert a.confusion(model, **options) == b.confusion(model, **options)


@pytest.fixture(scope="module")
def binary() -> te.Predictions:
    """The same rows by te.predictions: every other place must agree with it."""
    return te.predictions(
        BINARY['tr"uth; DROP TABLE data; --'],
        {"select": BINARY["select"], "SELECT": BINARY["SELECT"]},
        scores={"a b": BINARY["a b"], "it's": BINARY["it's"]},
        ids=BINARY["id"],
        clusters=BINARY["patient"],
        by=BINARY["site"],
        folds=BINARY["fold"],
    )


@pytest.mark.parametrize("place", PLACES)
def test_two_classes(place: Callable[..., Any], binary: te.Predictions, tmp_path: Path) -> None:
    p = read(place, BINARY, tmp_path, **SETTINGS)
    assert p.n == N
    assert p.labels == binary.labels == (0, 1)
    assert p.positive == 1
    assert set(p.models) == set(binary.models)
    assert p.fingerprint == binary.fingerprint
    assert p.truth_counts().tolist() == binary.truth_counts().tolist()
    for model in binary.models:
        same_confusion(p, binary, model)
        for kind in ("clusters", "slices", "folds"):
            mine, other = p.keyed_confusion(model, kind), binary.keyed_confusion(model, kind)
            assert mine.keys == other.keys
            assert mine.pooled() == other.pooled()
            assert [mine[k] for k in mine.keys] == [other[k] for k in other.keys]
    for model in ("a b", "it's"):
        assert p.scores(model) == binary.scores(model)
        assert p.score_range(model) == binary.score_range(model)
        for threshold in (0.5, 0.37, -math.inf, 2.0):
            same_confusion(p, binary, model, threshold=threshold)
    assert p.agreement("a b", "select") == binary.agreement("a b", "select")
    mine, other = (x.keyed_agreement("a b", "SELECT", "clusters") for x in (p, binary))
    assert mine.pooled() == other.pooled()
    assert mine.sizes.tolist() == other.sizes.tolist()
    values = np.arange(len(other.table.counts), dtype=float)
    assert mine.sums(values).tolist() == other.sums(values).tolist()
    for kind in ("clusters", "slices", "folds"):
        assert p.keys(kind).names == binary.keys(kind).names
        assert p.keys(kind).sizes.tolist() == binary.keys(kind).sizes.tolist()
    truth, columns = p.score_columns(["a b", "it's"])
    truth2, columns2 = binary.score_columns(["a b", "it's"])
    assert (truth == truth2).all()
    assert (columns == columns2).all()


def brier(codes: Any, table: Any) -> Any:
    return ((table - np.eye(table.shape[1])[codes]) ** 2).sum(axis=1)


@pytest.mark.parametrize("place", PLACES)
def test_losses(place: Callable[..., Any], binary: te.Predictions, tmp_path: Path) -> None:
    p = read(place, BINARY, tmp_path, **SETTINGS)
    mine, other = p.moments("a b", brier), binary.moments("a b", brier)
    assert mine == other
    assert mine.n == N
    difference = p.paired_moments("a b", "it's", brier)
    assert difference.mean == pytest.approx(mine.mean - p.moments("it's", brier).mean, abs=1e-12)
    by_patient = p.keyed_losses("a b", "clusters", brier)
    assert by_patient.sums.sum() == pytest.approx(N * mine.mean, rel=1e-12)
    assert by_patient.sizes.tolist() == p.keys("clusters").sizes.tolist()


BYTES = ("accuracy", "f1", "auc", "average_precision", "brier", "log_loss", "brier_skill_score", "ece")


@pytest.mark.parametrize("place", PLACES)
def test_the_same_bytes(place: Callable[..., Any], tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    rows = {"truth": [int(v) for v in draw.integers(0, 2, 137)], "m": [int(v) / 19 for v in draw.integers(1, 19, 137)]}
    direct = te.evaluate(rows["truth"], scores={"m": rows["m"]}, positive=1, metrics=BYTES)
    ev = te.evaluate(read(place, rows, tmp_path, truth="truth", positive=1), metrics=BYTES)
    assert [ev[name].to_json() for name in BYTES] == [direct[name].to_json() for name in BYTES]


EVERY_ENGINE = (
    arrays, pandas_frame, polars_frame, arrow_table, arrow_dataset, parquet_file, csv_file, *LAZY, sqlite_table,
    postgres_table, dask_frame,
)  # fmt: skip
ASKED = ("accuracy", "f1", "auc", "brier", "log_loss")


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
@pytest.mark.parametrize("place", EVERY_ENGINE)
def test_every_engine_writes_the_same_json(place: Callable[..., Any], tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    truth = draw.integers(0, 2, 150)
    scores = {m: np.clip(truth * 0.3 + draw.random(150) * 0.7, 0.001, 0.999) for m in ("a", "b")}
    part = draw.choice(["Oslo", "it's"], 150)
    columns = {"truth": truth.tolist(), "part": part.tolist()}
    columns |= {m: (s > 0.6).astype(int).tolist() for m, s in scores.items()}
    columns |= {f"{m}_score": s.tolist() for m, s in scores.items()}
    named = {m: {"label": m, "score": f"{m}_score"} for m in scores}
    p = te.read(place(columns, tmp_path), truth="truth", models=named, by="part")
    labels = {m: (s > 0.6).astype(int) for m, s in scores.items()}
    direct = te.predictions(truth, labels, scores=scores, by=part)
    mine, other = (te.evaluate(x, metrics=ASKED) for x in (p, direct))
    assert mine.records() == other.records()
    for m in scores:
        assert [mine.model(m)[name].to_json() for name in ASKED] == [other.model(m)[name].to_json() for name in ASKED]
    for metric in ASKED:
        pairs = [te.compare(x, metric=metric)["a", "b"].to_json() for x in (p, direct)]
        assert pairs[0] == pairs[1], metric


def test_spark_runs_few_jobs(tmp_path: Path) -> None:
    """Counted by Spark itself: every job is a pass over the rows."""
    draw = np.random.default_rng(9)
    columns: dict[str, Column] = {"truth": draw.integers(0, 2, 9000).tolist()}
    columns |= {f"{m}_score": draw.random(9000).tolist() for m in "abc"} | {"part": (np.arange(9000) % 5).tolist()}
    columns |= {m: (np.array(columns[f"{m}_score"]) > 0.6).astype(int).tolist() for m in "abc"}
    table = spark_table(columns, tmp_path)
    context = table.sparkSession.sparkContext
    named = {m: {"label": m, "score": f"{m}_score"} for m in "abc"}

    def jobs(ask: Callable[[te.Predictions], Any], models: Any = named, **options: Any) -> int:
        group = f"group {next(number)} of the test"
        context.setJobGroup(group, group)
        ask(te.read(table, truth="truth", models=models, **options))
        return len(context.statusTracker().getJobIdsForGroup(group))

    number, counted = count(), {}
    for metric in ("accuracy", "auc", "brier"):
        counted[metric] = jobs(lambda p, m=metric: te.compare(p, metric=m))  # type: ignore[misc]
    counted["evaluate"] = jobs(te.evaluate)
    counted["slices"] = jobs(te.evaluate, by="part")
    assert counted == {"accuracy": 2, "auc": 3, "brier": 3, "evaluate": 3, "slices": 3}
    # As Spark is set up by default, where a shuffle is a job of its own: with labels beside scores, and without.
    by_scores = {m: {"score": f"{m}_score"} for m in "abc"}
    table.sparkSession.conf.set("spark.sql.adaptive.enabled", "true")
    try:
        adaptive = {
            metric: [jobs(lambda p, m=metric: te.compare(p, metric=m), models) for models in (named, by_scores)]  # type: ignore[misc]
            for metric in ("accuracy", "auc")
        }
        evaluated = jobs(te.evaluate, by_scores)
    finally:
        table.sparkSession.conf.set("spark.sql.adaptive.enabled", "false")
    assert adaptive == {"accuracy": [3, 3], "auc": [4, 4]}
    assert evaluated == 4


def test_calls_at_a_half_are_counted_at_the_first_look_in_spark(tmp_path: Path) -> None:
    """Gaps and NaN, scores at the cut itself, scores beyond [0, 1] after the first rows, and other cuts."""
    draw = np.random.default_rng(11)
    truth = draw.integers(0, 2, 6000)
    scores = {m: np.round(np.clip(0.3 * truth + draw.random(6000) * 0.7, 0, 1), 2 if m == "a" else 9) for m in "abc"}
    scores["c"][5000] = 1.5
    columns: dict[str, Column] = {"truth": truth.tolist()} | {m: s.tolist() for m, s in scores.items()}
    columns["b"][77], columns["b"][5900] = None, math.nan
    table = spark_table(columns, tmp_path)
    context = table.sparkSession.sparkContext

    def asked(models: str, **options: Any) -> te.Predictions:
        return te.read(table, truth="truth", models=list(models), missing="drop", **options)

    def direct(models: str) -> te.Predictions:
        return te.predictions(truth, scores={m: columns[m] for m in models}, missing="drop")

    found, same = asked("ab"), direct("ab")
    context.setJobGroup("calls at a half", "calls at a half")
    assert found.agreement("a", "b") == same.agreement("a", "b")
    assert found.confusion("b") == same.confusion("b")
    assert len(context.statusTracker().getJobIdsForGroup("calls at a half")) == 0
    assert found.confusion("a", threshold=0.6) == same.confusion("a", threshold=0.6)
    with pytest.raises(te.InputError, match="not within"):
        asked("c").confusion("c")
    assert asked("c").confusion("c", threshold=0.5) == direct("c").confusion("c", threshold=0.5)


def test_slices_of_scores_are_counted_by_one_query_in_spark(tmp_path: Path) -> None:
    """The calls of all rows are those of the slices, added up."""
    draw = np.random.default_rng(10)
    truth = draw.integers(0, 2, 6000)
    columns: dict[str, Column] = {"truth": truth.tolist(), "part": (np.arange(6000) % 5).tolist()}
    columns |= {m: np.clip(0.3 * truth + draw.random(6000) * 0.7, 0, 1).tolist() for m in "abc"}
    table = spark_table(columns, tmp_path)
    context = table.sparkSession.sparkContext
    context.setJobGroup("slices of scores", "slices of scores")
    ev = te.evaluate(te.read(table, truth="truth", models=list("abc"), by="part"))
    assert len(context.statusTracker().getJobIdsForGroup("slices of scores")) == 3
    direct = te.evaluate(truth, scores={m: columns[m] for m in "abc"}, by=columns["part"])
    assert ev.records() == direct.records()
    assert {k: v.records() for k, v in ev.slices.items()} == {k: v.records() for k, v in direct.slices.items()}


@pytest.mark.parametrize("whole", [True, False])
def test_postgres_is_asked_few_questions(whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the server's own log: a small table comes by one query, after a look at its plan; a large one is counted."""
    if not whole:
        monkeypatch.setattr("trueerror.sources.engines._narwhals.WHOLE_BYTES", 0)
    draw = np.random.default_rng(9)
    columns: dict[str, Column] = {"truth": draw.integers(0, 2, 6000).tolist()}
    columns |= {f"{m}_score": draw.random(6000).tolist() for m in "abc"}
    columns |= {m: (np.array(columns[f"{m}_score"]) > 0.6).astype(int).tolist() for m in "abc"}
    table = postgres_table(columns, tmp_path)
    named = {m: {"label": m, "score": f"{m}_score"} for m in "abc"}
    direct = te.read(columns, truth="truth", models=named)
    for metric, most in (("accuracy", 2), ("auc", 3), ("brier", 3)):
        before = len(postgres_log())
        found = te.compare(te.read(table, truth="truth", models=named), metric=metric)
        asked = [line for line in postgres_log()[before:] if f'"{table.get_name()}"' in line]
        assert len(asked) == (2 if whole else 1 + most), asked
        assert sum("EXPLAIN" in line for line in asked) == 1
        assert found["a", "b"].to_json() == te.compare(direct, metric=metric)["a", "b"].to_json()


@pytest.mark.parametrize(("place", "most"), [(postgres_table, 1 << 25), (postgres_table, 0), (sqlite_table, 0)])
@pytest.mark.filterwarnings("ignore:The .future.infer_string")
def test_servers_with_odd_names_gaps_and_text(
    place: Callable[..., Any], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trueerror.sources.engines._narwhals.WHOLE_BYTES", most)
    gaps = {name: list(values) for name, values in MULTI.items()}
    gaps["svm"][3] = None
    gaps["svm"][7] = None
    p = te.read(place(gaps, tmp_path), models=MULTI_MODELS, id="key", missing="drop")
    direct = te.predictions(gaps["gold"], {"svm": gaps["svm"]}, missing="drop")
    same_confusion(p, direct, "svm")
    whole = (
        te.read(place(BINARY | {"SELECT": BINARY["select"]}, tmp_path), **SETTINGS) if place is postgres_table else p
    )
    assert whole.n == N
    numbers = {"truth": [1, 0, 1, 0], "flag": [True, None, False, False], "m": [0.5, None, -0.0, 0.25]}
    found = te.read(place(numbers, tmp_path), truth="truth", missing="drop")
    direct = te.predictions([1, 0, 1, 0], {"flag": [True, None, False, False]}, scores={"m": [0.5, None, 0.0, 0.25]},
                            missing="drop")  # fmt: skip
    assert found.absent("flag") == found.absent("m") == 1
    assert found.scores("m") == direct.scores("m")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["frequency", "sampling"])
def test_weights(place: Callable[..., Any], kind: Any, tmp_path: Path) -> None:
    p = read(place, BINARY, tmp_path, **SETTINGS, weight="w", weights_kind=kind)
    direct = te.predictions(
        BINARY[SETTINGS["truth"]],
        {"select": BINARY["select"]},
        scores={"a b": BINARY["a b"]},
        weights=BINARY["w"],
        weights_kind=kind,
    )
    assert p.weights_kind == kind
    for model in ("select", "a b"):
        same_confusion(p, direct, model)
    assert p.scores("a b") == direct.scores("a b")
    mine, other = p.moments("a b", brier), direct.moments("a b", brier)
    assert (mine.n, mine.mean) == (other.n, pytest.approx(other.mean, rel=1e-12))
    assert mine.squares == pytest.approx(other.squares, rel=1e-12)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rule", ["wrong", "drop"])
def test_missing_predictions(place: Callable[..., Any], rule: Any, tmp_path: Path) -> None:
    gaps = {name: list(values) for name, values in BINARY.items()}
    for row in (3, 7, 50):
        gaps["select"][row] = None
        gaps["a b"][row] = None
    gaps["a b"][8] = None
    settings = {"truth": SETTINGS["truth"], "models": ["a b", "select"], "by": "site", "missing": rule}
    p = read(place, gaps, tmp_path, **settings)
    direct = te.predictions(
        gaps[SETTINGS["truth"]],
        {"select": gaps["select"]},
        scores={"a b": gaps["a b"]},
        clusters=gaps["patient"],
        by=gaps["site"],
        missing=rule,
    )
    assert (p.absent("select"), p.absent("a b")) == (3, 4)
    assert [note for note in p.notes if "prediction of select" in note]
    for model, gone in (("select", 3), ("a b", 4)):
        same_confusion(p, direct, model)
        assert p.confusion(model).n == (N if rule == "wrong" else N - gone)
        assert p.keyed_confusion(model, "clusters").pooled() == direct.keyed_confusion(model, "clusters").pooled()
    assert p.agreement("select", "a b") == direct.agreement("select", "a b")
    if rule == "drop":
        assert p.scores("a b") == direct.scores("a b")
        assert p.scores("a b").n == N - 4
        assert p.moments("a b", brier).n == N - 4
    else:
        with pytest.raises(ValueError, match="'a b' has no score in 4 rows"):
            p.scores("a b")
    for name in p.slices():
        part = p.slice(name)
        assert part.absent("select") == direct.slice(name).absent("select")
        assert part.confusion("select") == direct.slice(name).confusion("select")


def gappy(values: Column, gone: Any) -> Column:
    return [None if g else v for v, g in zip(values, gone, strict=True)]


def same_pair(gaps: te.Comparison, common: te.Comparison) -> None:
    """With rows left out a pair is compared as if only the rows that both answered had ever been there."""
    mine, want = gaps.pairs[0], common.pairs[0]
    assert (mine.n, mine.df, mine.method) == (want.n, want.df, want.method)
    for name in ("estimate", "low", "high", "p_value", "p_better"):
        assert getattr(mine, name) == pytest.approx(getattr(want, name), rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("weight", [None, "w"])
def test_losses_of_clusters_with_gaps_are_compared_on_the_rows_that_both_answered(
    place: Callable[..., Any], weight: str | None, tmp_path: Path
) -> None:
    draw = np.random.default_rng(3)
    gone = [draw.random(N) < 0.3, draw.random(N) < 0.2]
    patient = np.array(BINARY["patient"])
    gone[0][patient == patient[0]] = True  # one cluster has no row that both answered
    scores = [np.clip(np.round(TRUTH * 0.4 + draw.random(N) * 0.6, 3), 0.01, 0.99).tolist() for _ in range(2)]
    columns = {name: BINARY[name] for name in ("patient", "w")} | {"y": BINARY[SETTINGS["truth"]]}
    columns |= {"a_score": gappy(scores[0], gone[0]), "b_score": gappy(scores[1], gone[1])}
    kept = np.flatnonzero(~(gone[0] | gone[1]))
    p = read(
        place, columns, tmp_path, truth="y", models={"a": {"score": "a_score"}, "b": {"score": "b_score"}},
        cluster="patient", missing="drop", **({"weight": weight, "weights_kind": "frequency"} if weight else {}),
    )  # fmt: skip
    for metric in ("brier", "log_loss", "ranked_probability_score"):
        common = te.compare(
            TRUTH[kept], scores={"a": np.array(scores[0])[kept], "b": np.array(scores[1])[kept]}, metric=metric,
            clusters=patient[kept], **({"weights": np.array(BINARY["w"])[kept], "weights_kind": "frequency"} if weight
                                       else {}),
        )  # fmt: skip
        same_pair(te.compare(p, metric=metric), common)


@pytest.mark.parametrize("place", PLACES)
def test_losses_of_many_classes_and_clusters_with_gaps(place: Callable[..., Any], tmp_path: Path) -> None:
    draw = np.random.default_rng(4)
    order = sorted(str(a) for a in ANIMALS)
    tables = {m: draw.dirichlet(np.ones(5), N) for m in ("a", "b")}
    gone = {"a": draw.random(N) < 0.3, "b": draw.random(N) < 0.2}
    columns: dict[str, Column] = {"gold": MULTI["gold"], "patient": BINARY["patient"]}
    for m, table in tables.items():
        columns |= {f"{m} {c}": gappy(table[:, i].tolist(), gone[m]) for i, c in enumerate(order)}
    models = {m: {"score": {c: f"{m} {c}" for c in order}} for m in tables}
    p = read(place, columns, tmp_path, truth="gold", models=models, cluster="patient", missing="drop")
    kept = np.flatnonzero(~(gone["a"] | gone["b"]))
    for metric in ("brier", "log_loss", "ranked_probability_score"):
        common = te.compare(
            np.array(MULTI["gold"])[kept], scores={m: t[kept] for m, t in tables.items()}, metric=metric,
            labels=order, clusters=np.array(BINARY["patient"])[kept],
        )  # fmt: skip
        same_pair(te.compare(p, metric=metric), common)


@pytest.mark.parametrize("place", PLACES)
def test_many_classes(place: Callable[..., Any], tmp_path: Path) -> None:
    p = read(place, MULTI, tmp_path, models=MULTI_MODELS, id="key")
    order = sorted(str(a) for a in ANIMALS)
    table = PROBABILITIES[:, [ANIMALS.tolist().index(a) for a in order]]
    direct = te.predictions(MULTI["gold"], {"svm": MULTI["svm"]}, scores={"net": table}, ids=MULTI["key"])
    assert p.labels == direct.labels == tuple(order)
    assert p.positive is None
    same_confusion(p, direct, "svm")
    same_confusion(p, direct, "net")
    assert p.agreement("svm", "net") == direct.agreement("svm", "net")
    assert p.scores("net", positive="dög") == direct.scores("net", positive="dög")
    codes, scores = p.class_scores("net")
    codes2, scores2 = direct.class_scores("net")
    assert (codes == codes2).all()
    assert (scores == scores2).all()
    assert p.moments("net", brier).mean == pytest.approx(direct.moments("net", brier).mean, rel=1e-12)
    assert p.score_range("net").highest_sum == pytest.approx(1)
    assert p.fingerprint == direct.fingerprint
    with pytest.raises(ValueError, match="which class is positive"):
        p.scores("net")


@pytest.mark.parametrize("place", PLACES)
def test_ties_of_the_highest_score_go_to_the_first_class(place: Callable[..., Any], tmp_path: Path) -> None:
    columns = {"y": ["a", "b", "c", "c"], "p_c": [0.2, 0.0, 0.4, 0.5], "p_a": [0.4, -0.0, 0.3, 0.0],
               "p_b": [0.4, 0.0, 0.3, 0.5]}  # fmt: skip
    p = read(place, {k: list(v) for k, v in columns.items()}, tmp_path)
    assert p.models == ("model",)
    assert p.confusion().matrix.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("place", PLACES)
def test_slices_are_rows(place: Callable[..., Any], binary: te.Predictions, tmp_path: Path) -> None:
    p = read(place, BINARY, tmp_path, **SETTINGS)
    assert p.slices() == ("Oslo", "São Paulo", "x'y")
    total = None
    for name in p.slices():
        part = p.slice(name)
        assert part.n == int(np.sum(np.array(BINARY["site"]) == name))
        assert part.scores("a b") == binary.slice(name).scores("a b")
        assert part.fingerprint == binary.slice(name).fingerprint
        assert part.keys("clusters").names == binary.slice(name).keys("clusters").names
        total = part.confusion("select") if total is None else total + part.confusion("select")
    assert total == p.confusion("select")
    with pytest.raises(ValueError, match="did you mean 'Oslo'"):
        p.slice("Osle")


MOMENTS = [
    datetime.datetime(2024, 1, 2, 3, 4, 5, 120_000),
    datetime.datetime(2023, 5, 6),
    datetime.datetime(2024, 1, 2, 3),
]


@pytest.mark.parametrize("place", [p for p in PLACES if p is not json_lines_file])
@pytest.mark.parametrize("zone", [None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=2))])
def test_moments_have_one_name_everywhere(place: Callable[..., Any], zone: Any, tmp_path: Path) -> None:
    shift = datetime.timedelta(0) if zone is None else zone.utcoffset(None)
    moments = [m if zone is None else (m + shift).replace(tzinfo=zone) for m in MOMENTS]
    columns = {"truth": [0, 1] * 9, "m": [0, 1, 1] * 6, "when": moments * 6}
    p = te.read(place(columns, tmp_path), by="when", models=["m"])
    assert p.keys("slices").names == ("2023-05-06", "2024-01-02 03:00:00", "2024-01-02 03:04:05.12")
    fetched = p.source.fetched()
    assert fetched.keys("slices").names == p.keys("slices").names
    assert list(te.evaluate(p).slices) == list(p.keys("slices").names)


@pytest.mark.parametrize("place", [p for p in PLACES if p is not plain])
def test_labels_and_keys_from_2_to_the_53_up_are_told_apart(place: Callable[..., Any], tmp_path: Path) -> None:
    large = [2**53, 2**53 + 1, 7]
    columns = {"truth": large * 8, "m": [*large, *large[::-1]] * 4, "group": [-1, 2**53 + 1, 2**53] * 8}
    here, there = (te.read(t, by="group", models=["m"]) for t in (columns, place(columns, tmp_path)))
    assert there.confusion("m") == here.confusion("m")
    assert there.keys("slices").names == (-1, 2**53, 2**53 + 1)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [None, "frequency", "sampling"])
def test_rows_counted_as_wrong_are_kept_in_mind(place: Callable[..., Any], kind: Any, tmp_path: Path) -> None:
    calls = [None if i % 5 == 0 else (i // 2) % 2 for i in range(N)]
    columns = {"truth": [int(v) for v in TRUTH], "m": calls, "w": [i % 4 for i in range(N)]}
    named = {"models": ["m"], "missing": "wrong", "weight": "w" if kind else False, "weights_kind": kind}
    here, there = (te.read(t, **named).confusion("m") for t in (columns, place(columns, tmp_path)))
    assert json.loads(there.to_json())["filled"] == json.loads(here.to_json())["filled"] != None  # noqa: E711
    third = te.Confusion.count([2], [2])
    if kind != "sampling":
        assert (there + third).matrix.tolist() == (here + third).matrix.tolist()


@pytest.mark.parametrize("place", PLACES)
def test_boolean_truth_and_whole_floats(place: Callable[..., Any], tmp_path: Path) -> None:
    columns: dict[str, Column] = {
        "truth": [True, False, True, False, True],
        "whole": [1.0, 0.0, 0.0, 0.0, 1.0],
        "flag": [True, True, False, False, True],
    }
    p = read(place, columns, tmp_path)
    assert p.labels == (False, True)
    assert p.positive is True
    assert [p.has_labels(m) for m in p.models] == [True, True]
    assert p.confusion("whole").matrix.tolist() == [[2, 0], [1, 2]]
    assert p.confusion("flag").matrix.tolist() == [[1, 1], [1, 2]]
    # A boolean equals 0 or 1, so the rows are the same rows.
    assert p.fingerprint == te.predictions([1, 0, 1, 0, 1], [1, 0, 1, 0, 1]).fingerprint


def test_32_bit_scores_are_cut_at_full_precision(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    # 0.7 in 32 bits lies below 0.7, and must not be called positive at 0.7 by one source and negative by another.
    scores, truth = np.array([0.7, 0.7, 0.1, 0.9], dtype=np.float32), [1, 1, 0, 1]
    path = tmp_path / "f.parquet"
    frame = polars.DataFrame({"y": truth, "m": scores})
    frame.write_parquet(path)
    duckdb = pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis")
    connection = duckdb.connect()
    relation = connection.from_parquet(str(path))
    relation.create("stored")
    sources = [path, frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), {"y": truth, "m": scores}, relation,
               ibis.duckdb.from_connection(connection).table("stored")]  # fmt: skip
    direct = te.predictions(truth, scores={"m": scores})
    for p in map(te.read, sources):
        assert p.scores("m") == direct.scores("m")
        assert p.confusion("m", threshold=0.7).matrix.tolist() == [[1, 0], [2, 1]]
        # The very score is reached by its own number.
        assert p.confusion("m", threshold=float(np.float32(0.7))).matrix.tolist() == [[1, 0], [0, 3]]
    both = np.stack([1 - scores, scores], axis=1)
    table = te.ScoreTable.count(truth, scores)
    assert te.metric("accuracy", truth, scores=scores, threshold=0.7) == 0.5
    assert te.metric("accuracy", truth, scores=both, threshold=0.7) == 0.5
    assert te.metric("accuracy", table, threshold=0.7) == 0.5
    assert te.evaluate(truth, scores=scores, threshold=0.7)["accuracy"].estimate == 0.5
    assert te.roc(truth, scores).at(threshold=0.7).tpr == pytest.approx(1 / 3)
    for curve in (te.risk_coverage(truth, scores, threshold=0.7), te.risk_coverage(direct, threshold=0.7)):
        assert curve.accuracy[-1] == 0.5


def test_repeated_folds_with_scores_in_a_file_are_as_in_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth, scores = np.tile(rng.integers(0, 2, 40), 2), rng.random(80).round(3)
    fold, repeat = np.tile(np.arange(40) % 4, 2), np.repeat([1, 2], 40)
    (tmp_path / "x.csv").write_text(
        "id,fold,repeat,truth,svm\n"
        + "".join(
            f"{i % 40},{f},{r},{t},{s}\n"
            for i, (f, r, t, s) in enumerate(zip(fold, repeat, truth, scores, strict=False))
        )
    )
    there = te.evaluate(te.read(tmp_path / "x.csv"))
    here = te.evaluate(
        te.predictions(truth, scores={"svm": scores}, folds=fold, repeats=repeat, ids=np.tile(np.arange(40), 2))
    )
    for metric in ("accuracy", "auc", "brier"):
        assert there[metric] == here[metric]
