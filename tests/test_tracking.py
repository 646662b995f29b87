"""Results into trackers and pytest: numbers with their limits, words, and verdicts at the end of a test run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tracking import numbers_of, to_mlflow, to_wandb

Y = [0, 1, 1, 0] * 25
SAID = {"svm": [0, 1, 0, 0] * 25, "net": [0, 1, 1, 1] * 25}
ROOT = Path(__file__).parents[1]


class Tracker:
    """What a tracker was told."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}

    def log_metrics(self, numbers: dict[str, float]) -> None:
        self.told |= numbers

    def log_text(self, text: str, file: str) -> None:
        self.told[file] = text

    def log_artifact(self, path: str) -> None:
        self.told["artifact"] = path


def test_numbers_go_with_their_limits() -> None:
    ev = te.evaluate(Y, SAID, metrics=["accuracy"])
    found = numbers_of(ev)
    svm = ev.model("svm")["accuracy"]
    assert (found["svm/accuracy"], found["svm/accuracy/low"]) == (svm.estimate, svm.low)
    pair = te.compare(Y, SAID)["svm", "net"]
    assert pair.estimate in numbers_of(te.compare(Y, SAID)).values()
    assert 0.15 in numbers_of(te.interval(3, 20)).values()
    with pytest.raises(InputError, match="no numbers"):
        numbers_of(te.read({"y": Y, "svm": SAID["svm"]}))  # type: ignore[arg-type]


def test_no_number_takes_the_place_of_another() -> None:
    by = ["x", "y"] * 50
    ev = te.evaluate(Y, SAID["svm"], by=by, metrics=["accuracy"])
    found = numbers_of(ev)
    assert found["accuracy"] == ev["accuracy"].estimate == 0.75
    assert found["x/accuracy"] == ev.slices["x"]["accuracy"].estimate == 0.5
    cmp = te.compare(Y, SAID, by=by)
    pairs = numbers_of(cmp)
    assert pairs["svm/accuracy/low"] == cmp.estimates["svm"].low
    assert pairs["svm - net"] == cmp["svm", "net"].estimate
    assert pairs["x/svm - net"] == cmp.slices["x"]["svm", "net"].estimate == -0.5
    raters = te.agreement({"a": Y, **SAID})
    logged = numbers_of(raters)
    assert set(logged.values()) >= {r["estimate"] for r in raters.records()}
    arena = numbers_of(te.arena([("a", "b", "a")] * 5 + [("a", "b", "b")] * 3))
    assert arena["a/elo/low"] < arena["a/elo"] < arena["a/elo/high"]


def test_trackers_take_a_result_for_a_mapping() -> None:
    for result in (te.evaluate(Y, SAID), te.compare(Y, SAID)):
        assert isinstance(result, Mapping)
        assert dict(result.items()) == result.copy() == numbers_of(result)
        assert list(result) == list(result.copy())
        # It is one result all the same.
        assert te.load(result.to_json()) == result
        assert result.plot().svg.startswith("<svg")
        with pytest.raises(InputError, match=r"not an? (Evaluation|Comparison)|read a"):
            te.evaluate(result)
    small, large = (te.evaluate(Y * n, SAID["svm"] * n) for n in (1, 2))
    assert small != large


def test_mlflow(tmp_path: Path) -> None:
    ev = te.evaluate(Y, SAID, metrics=["accuracy"])
    tracker = Tracker()
    found = to_mlflow(ev, report="page.html", client=tracker)
    assert found.items() <= tracker.told.items()
    assert tracker.told["artifact"] == "page.html"
    assert all(re.fullmatch(r"[\w\-. /]+", name) for name in found)
    to_mlflow(te.compare(Y, SAID), client=tracker)
    assert te.load(tracker.told["trueerror/evaluation.json"]) == ev


@pytest.mark.filterwarnings("default")
def test_mlflow_itself(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    page = tmp_path / "page.html"
    page.write_text("<p>report</p>")
    ev = te.evaluate(Y, SAID, metrics=["accuracy"])
    mlflow.create_experiment("e", artifact_location=(tmp_path / "kept").as_uri())
    with mlflow.start_run(experiment_id=mlflow.get_experiment_by_name("e").experiment_id) as run:
        found = to_mlflow(ev, report=page)
        mlflow.log_metrics(te.compare(Y, SAID))
    assert found.items() <= mlflow.get_run(run.info.run_id).data.metrics.items()
    kept = {path.name for path in (tmp_path / "kept").rglob("*") if path.is_file()}
    assert kept == {"page.html", "evaluation.json", "evaluation.md"}


@pytest.mark.filterwarnings("default")
def test_wandb_itself(tmp_path: Path) -> None:
    wandb = pytest.importorskip("wandb")
    page = tmp_path / "page.html"
    page.write_text("<p>report</p>")
    ev, cmp = te.evaluate(Y, SAID, metrics=["accuracy"]), te.compare(Y, SAID)
    with wandb.init(mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True)) as run:
        run.log(ev)
        found = to_wandb(cmp, run=run, report=page)
        logged = dict(run.summary)
    assert ev.copy().items() <= logged.items()
    assert found.items() <= logged.items()
    assert {"comparison", "comparison table", "report"} <= logged.keys()


@pytest.mark.slow
def test_the_fixture_lists_its_verdicts(tmp_path: Path) -> None:
    (tmp_path / "test_models.py").write_text(
        "Y = [0, 1] * 100\n"
        "def test_good(model_gate):\n    model_gate.not_worse(Y, Y, Y)\n"
        "def test_bad(model_gate):\n    model_gate.not_worse(Y, [0] * 200, Y)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout
    assert len(re.findall(r"^test_models\.py::test_(?:good|bad): ", done.stdout, re.MULTILINE)) == 2


def test_action_and_hook_are_what_their_readers_take() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        # What people pass in is never pasted into a script.
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], "data/preds.csv")
