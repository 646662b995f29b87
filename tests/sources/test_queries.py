"""How often an engine is asked: every question of a lazy table is a job in Spark, so none is asked twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import trueerror as te
from trueerror.sources.engines import _groupby, _narwhals

N = 9_000
rng = np.random.default_rng(1)
TRUTH = rng.random(N) < 0.4
FRAME = pl.DataFrame({"truth": TRUTH.astype(int), **{f"{m}_score": rng.random(N) for m in "abc"}})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    before = _narwhals.answer

    def answer(frame: Any) -> Any:
        seen.append(frame)
        return before(frame)

    monkeypatch.setattr(_narwhals, "answer", answer)
    return seen


def test_accuracy_of_three_models_takes_four_queries(asked: list[Any]) -> None:
    made = te.evaluate(FRAME.lazy(), metrics=["accuracy"])
    # Rows, gaps and ranges; the first rows; the classes; the confusion matrices.
    assert len(asked) == 4
    eager = te.evaluate(FRAME, metrics=["accuracy"])
    for model in "abc":
        assert made.model(model)["accuracy"] == eager.model(model)["accuracy"]


def test_comparing_takes_no_more(asked: list[Any]) -> None:
    made = te.compare(FRAME.lazy(), metric="accuracy")
    assert len(asked) == 4
    assert made["a", "b"] == te.compare(FRAME, metric="accuracy")["a", "b"]


def test_scores_that_hardly_repeat_are_taken_once_for_all_models(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_groupby, "MANY_ROWS", 1000)
    made = te.evaluate(FRAME.lazy(), metrics=["auc", "brier"])
    # Rows, gaps and ranges; the first rows; the classes; the calls; a sample of the scores; truth and all scores.
    assert len(asked) == 6
    compared = te.compare(FRAME.lazy(), metric="auc")
    assert len(asked) == 6 + 5
    eager = te.evaluate(FRAME, metrics=["auc", "brier"])
    for model in "abc":
        assert made.model(model)["auc"] == eager.model(model)["auc"]
        assert made.model(model)["brier"].estimate == pytest.approx(eager.model(model)["brier"].estimate, rel=1e-14)
    assert compared["a", "b"] == te.compare(FRAME, metric="auc")["a", "b"]


def test_groups_of_scores_serve_areas_and_losses(asked: list[Any]) -> None:
    te.evaluate(FRAME.lazy(), metrics=["auc", "brier"])
    # Rows, gaps and ranges; the first rows; the classes; the calls; the scores of each model.
    assert len(asked) == 4 + 3


@pytest.mark.parametrize("how", ["numbers", "words", "gaps", "little room", "repeated"])
def test_rows_and_groups_make_the_same_tables(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = FRAME
    if how == "words":
        frame = frame.with_columns(truth=pl.when(pl.col("truth") == 1).then(pl.lit("yes")).otherwise(pl.lit("no")))
    if how == "gaps":
        gone = pl.Series(np.arange(N) % 7 == 0)
        frame = frame.with_columns(b_score=pl.when(gone).then(None).otherwise(pl.col("b_score")))
    if how == "repeated":
        frame = frame.with_columns(b_score=pl.col("b_score").round(2))
    options: dict[str, Any] = {"gaps": {"missing": "drop"}, "words": {"positive": "yes"}}.get(how, {})
    # Room for the rows of one model, but not for all of them beside a table.
    options |= {"budget": N * 90} if how == "little room" else {}
    grouped = te.read(frame.lazy(), **options)
    tables = {m: grouped.scores(m) for m in "abc"}
    losses = {m: grouped.moments(m, _loss) for m in "abc"}
    monkeypatch.setattr(_groupby, "MANY_ROWS", 1000)
    rows = te.read(frame.lazy(), **options)
    assert rows.source.nearly_distinct("a_score")
    assert rows.source.nearly_distinct("b_score") == (how != "repeated")
    for m in "abc":
        assert rows.scores(m) == tables[m]
        assert rows.moments(m, _loss) == losses[m]


def _loss(codes: Any, chances: Any) -> Any:
    return (1 - np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]) ** 2


def test_binned_tables_are_counted_once(asked: list[Any]) -> None:
    p = te.read(FRAME.lazy(), budget="400kB")
    first = p.source.scores("a")
    before = len(asked)
    assert p.source.scores("a") is first
    assert len(asked) == before
    assert not first.exact


def test_classes_are_those_of_the_rows() -> None:
    gaps = pl.DataFrame({"truth": ["yes", "no", "yes", "no"], "a": ["yes", None, "no", "no"]})
    p = te.read(gaps.lazy(), truth="truth", models={"a": {"label": "a"}}, missing="drop", positive="yes")
    assert p.truth_counts().tolist() == [2, 2]
