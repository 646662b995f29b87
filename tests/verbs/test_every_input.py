"""Every verb that judges predictions takes them wherever they are: as a path, a frame, or a lazy table."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import QUIET, duckdb_relation, ibis_table, polars_lazy, spark_table
from trueerror.inputs._options import InputError

pytestmark = list(QUIET)
N = 120
rng = np.random.default_rng(3)
TRUTH = rng.integers(0, 2, N)
COLUMNS: dict[str, list[Any]] = {
    "id": [f"r{i}" for i in range(N)],
    "truth": TRUTH.tolist(),
    "svm": np.round(0.3 * TRUTH + 0.7 * rng.random(N), 2).tolist(),
    "forest": np.round(0.2 * TRUTH + 0.8 * rng.random(N), 2).tolist(),
    "fold": rng.integers(1, 4, N).tolist(),
}


def parquet_path(columns: dict[str, list[Any]], folder: Path) -> Any:
    path = folder / "rows.parquet"
    pytest.importorskip("polars").DataFrame(columns).write_parquet(path)
    return str(path)


def csv_path(columns: dict[str, list[Any]], folder: Path) -> Any:
    path = folder / "rows.csv"
    pytest.importorskip("polars").DataFrame(columns).write_csv(path)
    return path


def list_of_paths(columns: dict[str, list[Any]], folder: Path) -> Any:
    return [csv_path(columns, folder)]


def pandas_frame(columns: dict[str, list[Any]], folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def mapping(columns: dict[str, list[Any]], folder: Path) -> Any:
    return columns


IN_FULL = (parquet_path, pandas_frame, polars_lazy, duckdb_relation, ibis_table)
SOURCES = (*IN_FULL, csv_path, list_of_paths, mapping)
VERBS: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda s: te.evaluate(s, metrics=["accuracy", "auc", "brier"]),
    "compare": lambda s: te.compare(s, metric="auc"),
    "compare by cost": lambda s: te.compare(s, cost_fp=1, cost_fn=5, replicates=200),
    "gate": lambda s: te.gate(s, "forest"),
    "check": lambda s: te.check(s),
    "metric": lambda s: te.metric("auc", s, model="svm"),
    "training gap": lambda s: te.training_gap(s, s),
    "bootstrap of nothing else": lambda s: te.predictions(s).confusion("svm"),
    "roc": lambda s: te.roc(s, model="svm"),
    "roc by the model's name": lambda s: te.roc(s, "svm"),
    "precision_recall": lambda s: te.precision_recall(s, model="svm"),
    "precision_recall_gain": lambda s: te.precision_recall_gain(s, model="svm"),
    "lift": lambda s: te.lift(s, model="svm"),
    "gains": lambda s: te.gains(s, model="svm"),
    "cost_curve": lambda s: te.cost_curve(s, model="svm"),
    "brier_curve": lambda s: te.brier_curve(s, model="svm"),
    "calibration": lambda s: te.calibration(s, model="svm"),
    "det": lambda s: te.det(s, model="svm"),
    "decision_curve": lambda s: te.decision_curve(s, model="svm"),
    "risk_coverage": lambda s: te.risk_coverage(s, model="svm"),
    "measure_curve": lambda s: te.measure_curve(s, model="svm", x="recall", y="precision"),
    "roc_hull": lambda s: te.roc_hull(s),
    "roc_difference": lambda s: te.roc_difference(s, "svm", "forest", replicates=200),
    "auc_over_folds": lambda s: te.auc_over_folds(s, model="svm"),
    "average_curves": lambda s: te.average_curves(s, model="svm"),
}
SLOW_IN_SPARK = ("evaluate", "compare", "roc", "metric")


def answer(made: Any) -> list[dict[str, Any]]:
    return made.records() if hasattr(made, "records") else [{"value": made}]


def same(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> None:
    assert len(a) == len(b) > 0
    for mine, other in zip(a, b, strict=True):
        assert mine.keys() == other.keys()
        for key, value in other.items():
            if isinstance(value, float) and math.isfinite(value):
                assert mine[key] == pytest.approx(value, rel=1e-9, abs=1e-12), key
            else:
                assert repr(mine[key]) == repr(value), key


@functools.cache
def expected(verb: str) -> list[dict[str, Any]]:
    """The answer to the same rows, given as arrays."""
    return answer(VERBS[verb](as_arrays()))


def as_arrays() -> te.Predictions:
    return te.predictions(
        COLUMNS["truth"], scores={m: COLUMNS[m] for m in ("svm", "forest")}, ids=COLUMNS["id"], folds=COLUMNS["fold"]
    )


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", IN_FULL)
def test_every_verb_takes_every_source(place: Callable[..., Any], verb: str, tmp_path: Path) -> None:
    source = place(COLUMNS, tmp_path)
    for given in (source, te.read(source)):
        same(answer(VERBS[verb](given)), expected(verb))


@pytest.mark.parametrize("verb", ["evaluate", "compare", "check", "roc", "metric", "roc_hull", "auc_over_folds"])
@pytest.mark.parametrize("place", [csv_path, list_of_paths, mapping])
def test_the_ways_that_share_their_code_with_others(place: Callable[..., Any], verb: str, tmp_path: Path) -> None:
    same(answer(VERBS[verb](place(COLUMNS, tmp_path))), expected(verb))


@pytest.mark.parametrize("verb", SLOW_IN_SPARK)
def test_a_few_verbs_in_spark(verb: str, tmp_path: Path) -> None:
    same(answer(VERBS[verb](spark_table(COLUMNS, tmp_path))), expected(verb))


@pytest.mark.parametrize("place", SOURCES)
def test_two_tables_are_joined_and_compared(place: Callable[..., Any], tmp_path: Path) -> None:
    halves = []
    for i, model in enumerate(("svm", "forest")):
        folder = tmp_path / str(i)
        folder.mkdir()
        halves.append(place({c: v for c, v in COLUMNS.items() if c in ("id", "truth", model)}, folder))
    made = te.compare(*halves, metric="auc")
    direct = te.compare(COLUMNS["truth"], scores={m: COLUMNS[m] for m in ("svm", "forest")}, metric="auc")
    same(answer(made), answer(direct))
    gated, other = te.gate(*halves, margin=0.1), te.gate(te.read(COLUMNS), "forest", model="svm", margin=0.1)
    assert gated.decision == other.decision
    assert gated.checks[0].low == pytest.approx(other.checks[0].low)


@pytest.mark.parametrize("place", SOURCES)
def test_a_report_of_every_source(place: Callable[..., Any], tmp_path: Path) -> None:
    made = te.report(place(COLUMNS, tmp_path), tmp_path / "report.html")
    assert "svm" in made.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", SOURCES)
def test_options_name_columns_of_any_source(place: Callable[..., Any], tmp_path: Path) -> None:
    columns = {**COLUMNS, "who": [i % 20 for i in range(N)], "site": [("x", "y")[i % 2] for i in range(N)]}
    made = te.evaluate(place(columns, tmp_path), clusters="who", by="site")
    direct = te.evaluate(
        TRUTH, scores={m: COLUMNS[m] for m in ("svm", "forest")}, clusters=columns["who"], by=columns["site"]
    )
    assert set(made.slices) == {"x", "y"}
    mine, other = (e.model("svm")["accuracy"] for e in (made, direct))
    assert (mine.estimate, mine.low, mine.method) == (other.estimate, pytest.approx(other.low), other.method)
    # What is recognised in a table is not forgotten on the way to a curve.
    known = place({**columns, "patient": columns["who"]}, tmp_path)
    assert "20 clusters" in te.lift(known, "svm").at(share=0.2).note
    assert "20 clusters" in te.roc(known, "svm").auc().note


@pytest.mark.parametrize("place", SOURCES)
def test_scores_of_learners_are_ranked_from_every_source(place: Callable[..., Any], tmp_path: Path) -> None:
    sheet = {"dataset": list("abcdef"), "x": [0.9, 0.8, 0.9, 0.9, 0.7, 0.8], "y": [0.8, 0.7, 0.7, 0.8, 0.6, 0.6]}
    source = place(sheet, tmp_path)
    made = te.rank(source[0] if place is list_of_paths else source)
    same(answer(made), answer(te.rank({name: sheet[name] for name in ("x", "y")})))


def test_what_was_read_already_is_not_read_otherwise() -> None:
    arrays = as_arrays()
    for option in ({"clusters": "who"}, {"by": "site"}, {"missing": "drop"}, {"weights": "w"}, {"labels": [0, 1]}):
        for verb in (te.evaluate, te.compare, te.predictions):
            with pytest.raises(InputError, match="read already"):
                verb(arrays, **option)
    assert te.evaluate(arrays, positive=1, threshold=0.4).model("svm").confusion.n == N


def test_words_where_a_source_does_not_fit(tmp_path: Path) -> None:
    path = csv_path(COLUMNS, tmp_path)
    # A curve of several models is one result; what is of one model asks which.
    assert set(te.roc(path)) == {"svm", "forest"}
    with pytest.raises(InputError, match="2 models; choose one of 'svm', 'forest'"):
        te.auc_over_folds(path)
    with pytest.raises(InputError, match=r"use te.roc\(table, model=…\)"):
        te.pool_curves(path)
    with pytest.raises(InputError, match="there is no file"):
        te.roc(str(tmp_path / "rows.cvs"), "svm")
    # Labels are not taken for paths.
    with pytest.raises(InputError, match="needs scores"):
        te.roc(["spam", "ham"])
