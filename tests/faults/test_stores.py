"""Stores that come from strangers, cannot be written to, or are tampered with; learners that end Python."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.experiments._store import INSERT, NAME, Outcome, Task, to_row
from trueerror.inputs._options import InputError


class Constant:
    """Always answers 0."""

    def fit(self, X: Any, y: Any) -> Constant:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


class Leaver(Constant):
    """Ends Python."""

    def fit(self, X: Any, y: Any) -> Leaver:
        sys.exit(3)


X, Y = np.arange(80.0).reshape(40, 2), np.arange(40) % 2


def run(store: Path | None, **learners: Any) -> te.Experiment:
    learners = learners or {"constant": Constant()}
    return te.experiment(learners, te.Dataset(X, Y), plan=te.KFold(4), store=store, rng=0, jobs=1)


@pytest.mark.parametrize("engine", ["threading", "loky"])
def test_a_learner_that_exits_is_a_failure(engine: str) -> None:
    learners = {"good": Constant(), "leaver": Leaver()}
    done = te.experiment(learners, te.Dataset(X, Y), plan=te.KFold(4), engine=engine, rng=0)
    assert {f.learner for f in done.failures} == {"leaver"}
    assert all("SystemExit" in f.error for f in done.failures)
    assert done.estimate(learner="good").estimate == pytest.approx(0.5)


def test_a_store_that_cannot_be_written_to_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(tmp_path / "store")
    before = {p.name: p.read_bytes() for p in (tmp_path / "store").iterdir() if p.name == NAME}
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode == os.W_OK and Path(path) == tmp_path / "store"))
    again = run(tmp_path / "store")
    assert again.resumed == 4
    assert again.estimate() == first.estimate()
    assert {p.name: p.read_bytes() for p in (tmp_path / "store").iterdir() if p.name == NAME} == before


@pytest.mark.parametrize(
    ("labels", "scores"),
    [([99] * 10, None), ([-5] * 10, None), ([0] * 3, None), ([0] * 10, np.zeros((10, 5)))],
)
def test_answers_that_cannot_be_are_made_again(tmp_path: Path, labels: list[int], scores: Any) -> None:
    whole = run(tmp_path / "store")
    outcome = Outcome(task=Task(0, 0, 1), status="done", labels=np.array(labels, dtype="<i4"), scores=scores)
    with sqlite3.connect(tmp_path / "store" / NAME) as database:
        database.execute(INSERT, to_row(outcome))
    database.close()
    again = run(tmp_path / "store")
    assert again.resumed == 3
    assert again.estimate() == whole.estimate()


@pytest.mark.parametrize(
    "change",
    [
        {"data": [{}]},
        {"plan": "x"},
        {"plan": {}},
        {"learners": [{}]},
        {"data": [{"name": "d", "rows": 1e400}]},
        {"x": 1},
    ],
)
def test_a_tampered_manifest_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    run(tmp_path / "store")
    with sqlite3.connect(tmp_path / "store" / NAME) as database:
        ((content,),) = database.execute("SELECT content FROM manifest").fetchall()
        database.execute("UPDATE manifest SET content = ?", (json.dumps(json.loads(content) | change),))
    database.close()
    with pytest.raises(InputError, match="damaged"):
        run(tmp_path / "store")


def test_deep_nesting_in_a_manifest(tmp_path: Path) -> None:
    run(tmp_path / "store")
    with sqlite3.connect(tmp_path / "store" / NAME) as database:
        database.execute("UPDATE manifest SET content = ?", ("[" * 100_000,))
    database.close()
    with pytest.raises(InputError, match="damaged"):
        run(tmp_path / "store")
    shutil.rmtree(tmp_path / "store")
