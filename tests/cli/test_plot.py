"""`trueerror plot`: every kind, and names that are refused before any work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from trueerror.cli._app import command_of
from trueerror.cli.plot import KINDS
from trueerror.data import path

CANCER, DIGITS = str(path("breast_cancer")), str(path("digits"))


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("plot")(command_of("plot"))
    return CliRunner().invoke(made, ["plot", *args])


OF_ONE = ("confusion", "scores", "thresholds", "slices", "confusion-difference")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in OF_ONE])
def test_every_kind(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    done = run(CANCER, "--positive", "malignant", "--kind", kind, "-o", str(out))
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert done.stdout == f"Wrote {out}.\n"
    text = out.read_text()
    assert text.startswith("<svg")
    for model in ("logreg", "forest", "bayes", "knn"):
        assert model in text


@pytest.mark.parametrize("kind", ["scores", "thresholds"])
def test_kinds_of_one_model(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    done = run(CANCER, "--positive", "malignant", "--kind", kind, "--model", "knn", "-o", str(out))
    assert done.exit_code == 0, done.output
    assert "knn" in out.read_text()
    refused = run(CANCER, "--positive", "malignant", "--kind", kind, "-o", str(out))
    assert refused.exit_code == 2
    assert "choose one with --model" in " ".join(refused.stderr.split())


def test_slices_and_differences_of_matrices(tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    done = run(CANCER, "--positive", "malignant", "--kind", "confusion-difference", "-o", str(out))
    assert done.exit_code == 0, done.output
    assert "logreg − forest" in out.read_text()
    refused = run(CANCER, "--positive", "malignant", "--kind", "slices", "-o", str(out))
    assert "--by COLUMN" in " ".join(refused.stderr.split())


def test_help_loads_no_curve() -> None:
    heavy = "numpy", "trueerror.curves._base", "trueerror.curves._roc"
    check = f"import sys, trueerror.cli.plot as p; assert 'roc' in p.KINDS; assert not {{*{heavy}}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_confusion_of_one_model(tmp_path: Path) -> None:
    out = tmp_path / "x.png"
    done = run(DIGITS, "--kind", "confusion", "--model", "svm", "-o", str(out))
    assert done.exit_code == 0, done.output
    assert out.read_bytes()[:4] == b"\x89PNG"
    refused = run(DIGITS, "--kind", "confusion", "-o", str(out))
    assert refused.exit_code == 2
    assert "svm, forest, bayes" in refused.stderr


@pytest.mark.parametrize(("ending", "start"), [(".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")])
def test_other_files(ending: str, start: bytes, tmp_path: Path) -> None:
    out = tmp_path / f"x{ending}"
    assert run(DIGITS, "--kind", "differences", "-o", str(out)).exit_code == 0
    assert out.read_bytes().startswith(start)


def test_one_metric(tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    assert run(DIGITS, "--kind", "forest", "--metric", "kappa", "-o", str(out)).exit_code == 0
    assert "kappa" in out.read_text()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nowhere.csv", "-o", "x.gif"), ".svg, .png, .pdf or .html"),
        (("nowhere.csv", "-o", "no/such/folder/x.svg"), "no folder"),
        (("nowhere.csv", "-o", "x.svg"), "nowhere.csv"),
        ((DIGITS, "--kind", "roc", "-o", "x.svg"), "pass --positive one of"),
        ((CANCER, "--metric", "f1", "-o", "x.svg"), "--metric"),
    ],
)
def test_refused(args: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*args)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_hull_at_other_costs_says_who_is_never_the_cheapest() -> None:
    app = typer.Typer()
    app.command()(command_of("hull"))
    lines = CliRunner().invoke(app, [CANCER, "--positive", "malignant", "--cost-fn", "10"]).output.splitlines()
    assert any(line.startswith("ROC hull of ") for line in lines)
    assert any(line.startswith("Never the cheapest") for line in lines)
    assert any("a miss 10)" in line for line in lines)
