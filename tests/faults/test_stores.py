"""Stores that come from strangers, cannot be written to, or are tampered with; learners that end Python."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
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


class Hog(Constant):
    """Asks for more memory than there is."""

    def fit(self, X: Any, y: Any) -> Hog:
        np.ones(1 << 58)
        return self


def test_a_hog_is_a_failure() -> None:
    done = run(None, good=Constant(), hog=Hog())
    assert {f.learner for f in done.failures} == {"hog"}
    assert all("MemoryError" in f.error for f in done.failures)
    assert done.estimate(learner="good").estimate == pytest.approx(0.5)


class Crasher(Constant):
    """Dies as by a wrong pointer."""

    def fit(self, X: Any, y: Any) -> Crasher:
        os.kill(os.getpid(), signal.SIGSEGV)
        return self


def test_a_learner_that_dies_is_a_failure() -> None:
    learners = {"good": Constant(), "crasher": Crasher()}
    done = te.experiment(learners, te.Dataset(X, Y), plan=te.KFold(2), engine="loky", jobs=2, rng=0)
    assert {f.learner for f in done.failures} == {"crasher"}
    assert done.estimate(learner="good").estimate == pytest.approx(0.5)


def test_a_second_run_in_the_same_store_is_refused(tmp_path: Path) -> None:
    first = run(tmp_path / "store")
    with contextlib.closing(sqlite3.connect(tmp_path / "store" / ".lock", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="another"):
            run(tmp_path / "store")
    assert run(tmp_path / "store").estimate() == first.estimate()


FULL = """
import resource, signal, sys
import numpy as np, trueerror as te
sys.path.insert(0, sys.argv[2])
from test_stores import Constant, X, Y
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
soft = resource.getrlimit(resource.RLIMIT_FSIZE)
wide = te.Dataset(np.zeros((4000, 1)), np.arange(4000) % 2)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, soft[1]))
try:
    te.experiment(Constant(), wide, plan=te.KFold(10), store=sys.argv[1], rng=0, jobs=1)
    print("done")
except OSError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, soft)
again = te.experiment(Constant(), wide, plan=te.KFold(10), store=sys.argv[1], rng=0, jobs=1)
clean = te.experiment(Constant(), wide, plan=te.KFold(10), rng=0, jobs=1)
assert again.estimate() == clean.estimate()
"""


def test_a_store_on_a_full_disk_is_one_sentence_and_goes_on_later(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path / "store"), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    assert "done" not in done.stdout
