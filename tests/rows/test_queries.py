"""How often an engine is asked: every question of a lazy table is a job in Spark, so none is asked twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import trueerror as te
from trueerror.rows import engines, lazy, lazysource

N = 9_000
rng = np.random.default_rng(1)
TRUTH = rng.random(N) < 0.4
FRAME = pl.DataFrame({"truth": TRUTH.astype(int), **{f"{m}_score": rng.random(N) for m in "abc"}})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []

    def answer(frame: Any) -> Any:
        seen.append(frame)
        return engines.answer(frame)

    for module in (lazy, lazysource):
        monkeypatch.setattr(module, "answer", answer)
    return seen


def test_accuracy_of_three_models_takes_five_queries(asked: list[Any]) -> None:
    made = te.evaluate(FRAME.lazy(), metrics=["accuracy"])
    # Rows and gaps; the first rows; the classes; the range of the scores; the confusion matrices.
    assert len(asked) == 5
    eager = te.evaluate(FRAME, metrics=["accuracy"])
    for model in "abc":
        assert made.model(model)["accuracy"] == eager.model(model)["accuracy"]


def test_comparing_takes_no_more(asked: list[Any]) -> None:
    made = te.compare(FRAME.lazy(), metric="accuracy")
    assert len(asked) == 5
    assert made["a", "b"] == te.compare(FRAME, metric="accuracy")["a", "b"]


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
