"""Results into trackers and pytest: numbers with their limits, words, and verdicts at the end of a test run."""

from __future__ import annotations

import re
import subprocess
import sys
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

    def log(self, values: dict[str, Any]) -> None:
        self.told |= values


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


def test_mlflow_and_wandb() -> None:
    ev = te.evaluate(Y, SAID, metrics=["accuracy"])
    tracker, run = Tracker(), Tracker()
    found = to_mlflow(ev, report="page.html", client=tracker)
    assert found.items() <= tracker.told.items()
    assert tracker.told["artifact"] == "page.html"
    assert all(re.fullmatch(r"[\w\-. /]+", name) for name in found)
    assert to_wandb(ev, run=run).items() <= run.told.items()
    assert "accuracy" in run.told["trueerror"]


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
