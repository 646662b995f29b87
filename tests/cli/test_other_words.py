"""Words and forms that people bring from other programs: each is taken, or answered in one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from trueerror.cli._app import run

DRAWN = np.random.default_rng(1)
Y = DRAWN.integers(0, 2, 60)


def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["trueerror", *words])
    with pytest.raises(SystemExit) as end:
        run()
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """Labels of one model beside scores of another, in folds, as cross-validation leaves them."""
    rows = zip(Y, np.where(DRAWN.random(60) < 0.8, Y, 1 - Y), (0.3 * Y + 0.7 * DRAWN.random(60)).round(3), strict=True)
    lines = [f"{y},{label},{score},{i % 5}" for i, (y, label, score) in enumerate(rows)]
    (tmp_path / "mixed.csv").write_text("truth,svm,rf_proba,fold\n" + "\n".join(lines))
    return str(tmp_path / "mixed.csv")


def test_labels_beside_scores_in_folds_of_a_file(mixed: str) -> None:
    found = te.evaluate(mixed)
    assert [part.name for part in found.parts] == ["svm", "rf"]
    # A threshold cuts the scores, and labels stay as they are.
    cut = te.evaluate(mixed, threshold=0.3)
    assert cut.model("svm")["accuracy"] == found.model("svm")["accuracy"]
    assert cut.model("rf")["recall"].estimate > found.model("rf")["recall"].estimate
    with pytest.raises(ValueError, match=r"threshold=0.3 was given, but no model has scores to cut"):
        te.evaluate(te.read(mixed, models=["svm"]), threshold=0.3)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("--label", "y"), "here it is called --labels"), (("--json",), "it is --format json"),
        (("-o", "x.json"), "> FILE keeps what is printed"), (("--tp", "5"), "--matrix 'TN FP FN TP'"),
    ],
)  # fmt: skip
def test_options(
    words: tuple[str, ...], answer: str, mixed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(monkeypatch, capsys, "evaluate", mixed, *words)
    assert (code, out) == (2, "")
    assert answer in err


def test_commands_lists_of_metrics_and_shares(
    mixed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "it is trueerror evaluate" in told(monkeypatch, capsys, "eval", mixed)[2]
    code, out, _ = told(monkeypatch, capsys, "evaluate", mixed, "--metric", "f1,recall", "--model", "svm")
    assert code == 0
    assert "F1" in out
    assert "recall" in out
    answer = told(monkeypatch, capsys, "gate", mixed, "--candidate", "svm", "--at-least", "75%")[2]
    assert "write a share: 0.75" in answer
    assert "holds predictions ('truth' is the truth)" in told(monkeypatch, capsys, "rank", mixed)[2]
