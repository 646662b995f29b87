"""`trueerror gate`: the exit code is the decision; only the answer on stdout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import trueerror as te
from tests.cli import program
from trueerror.cli._app import command_of

RNG = np.random.default_rng(1)
N = 500
TRUTH = RNG.integers(0, 2, N)
CALLS = {
    "good": np.where(RNG.random(N) < 0.93, TRUTH, 1 - TRUTH),
    "poor": np.where(RNG.random(N) < 0.80, TRUTH, 1 - TRUTH),
}


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("gate")(command_of("gate"))
    return CliRunner().invoke(made, ["gate", *args])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("gate")
    found = {}
    for name, calls in CALLS.items():
        path = folder / f"{name}.csv"
        path.write_text(
            "id,truth,pred\n" + "".join(f"{i},{t},{c}\n" for i, (t, c) in enumerate(zip(TRUTH, calls, strict=True)))
        )
        found[name] = str(path)
    path = folder / "both.csv"
    rows = zip(TRUTH, CALLS["good"], CALLS["poor"], strict=True)
    path.write_text("truth,good,poor\n" + "".join(f"{t},{a},{b}\n" for t, a, b in rows))
    return {**found, "both": str(path)}


@pytest.mark.parametrize(
    ("candidate", "baseline", "more", "code", "word"),
    [
        ("good", "poor", (), 0, "Pass"),
        ("poor", "good", (), 1, "Fail"),
        ("good", "good", (), 3, "Cannot tell"),
        ("good", "good", ("--margin", "0.02"), 0, "Pass"),
        ("poor", "good", ("--margin", "0.02", "--sequential"), 1, "Fail"),
    ],
)
def test_exit_codes(files: dict[str, str], candidate: str, baseline: str, more: Any, code: int, word: str) -> None:
    done = run(files[candidate], "--baseline", files[baseline], *more)
    assert done.exit_code == code, done.output
    assert word in done.stdout
    assert done.stderr == ""


def test_for_real(files: dict[str, str]) -> None:
    done = program.run("gate", files["good"], "--baseline", files["good"])
    assert (done.returncode, done.stderr) == (3, "")
    assert "Cannot tell" in done.stdout


def test_a_threshold_alone(files: dict[str, str]) -> None:
    assert run(files["good"], "--at-least", "0.85").exit_code == 0
    assert run(files["good"], "--at-least", "0.99").exit_code == 1
    assert run(files["good"], "--at-least", "accuracy=0.93", "--at-least", "recall=0.5", "--metric", "accuracy",
               "--metric", "recall").exit_code == 3  # fmt: skip


def test_a_model_of_the_same_file(files: dict[str, str]) -> None:
    assert run(files["both"], "--baseline", "poor").exit_code == 0
    assert run(files["both"], "--baseline", "good").exit_code == 1
    assert run(files["both"], "--baseline", "poor", "--candidate", "good").exit_code == 0


def test_json_is_read_back_and_markdown_is_a_comment(files: dict[str, str]) -> None:
    done = run(files["poor"], "--baseline", files["good"], "--format", "json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["decision"] == "fail"
    assert te.load(done.stdout).exit_code == 1
    assert run(files["good"], "-b", files["poor"], "--format", "markdown").stdout.startswith("### ✅ Pass")
    explained = run(files["poor"], "-b", files["good"], "--explain")
    assert explained.exit_code == 0
    assert "Tango" in explained.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "--baseline"),
        (("--baseline", "nowhere.csv"), "no file nowhere.csv"),
        (("--at-least", "much"), "--at-least 'much'"),
        (("--margin", "0.1", "--margin", "0.2"), "METRIC=NUMBER"),
        (("--at-least", "0.9", "--margin", "-1"), "--margin"),
        (("--at-least", "0.9", "--adjust", "holms"), "--adjust"),
        (("--at-least", "0.9", "--metric", "acuracy"), "accuracy"),
    ],
)
def test_bad_input_is_code_2(files: dict[str, str], args: Any, words: str) -> None:
    done = run(files["good"], *args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_different_rows(files: dict[str, str], tmp_path: Path) -> None:
    half = tmp_path / "half.csv"
    half.write_text("".join(Path(files["poor"]).read_text().splitlines(keepends=True)[:251]))
    assert run(files["good"], "--baseline", str(half)).exit_code == 2
    assert run(files["good"], "--baseline", str(half), "--unpaired").exit_code == 0


def test_columns(files: dict[str, str]) -> None:
    done = run(files["good"], "--baseline", files["poor"], "--columns")
    assert done.exit_code == 0
    assert done.stdout.count("truth") >= 2


@pytest.mark.parametrize(("rows", "code"), [(132, 3), (133, 0)])
def test_identical_files_are_not_worse_when_there_are_enough_rows(tmp_path: Path, rows: int, code: int) -> None:
    file = tmp_path / "same.csv"
    file.write_text("id,truth,pred\n" + "".join(f"{i},{i % 2},{i % 2}\n" for i in range(rows)))
    done = run(str(file), "--baseline", str(file), "--margin", "0.02")
    assert done.exit_code == code, done.output
    assert ("About 133 rows like these would settle it" in " ".join(done.stdout.split())) == (code == 3)
    better = run(str(file), "--baseline", str(file))
    assert better.exit_code == 3


def test_costs_of_the_two_errors(files: dict[str, str]) -> None:
    args = (files["good"], "--baseline", files["poor"], "--positive", "1")
    done = run(*args, "--cost-fn", "10")
    assert done.exit_code == 0
    assert "expected cost" in done.stdout
    assert run(*args, "--cost-fn", "10", "--costs", "[[0, 1], [10, 0]]").exit_code == 2


def test_a_baseline_that_is_neither_file_nor_model(files: dict[str, str]) -> None:
    done = run(files["both"], "--baseline", "por")
    assert done.exit_code == 2
    assert "neither a file nor a model" in done.stderr
    assert "did you mean 'poor'" in done.stderr


def test_notes_are_of_the_models_that_are_judged(tmp_path: Path) -> None:
    lines = [f"{i % 2},{i % 2},{(i // 2) % 2},{'' if i == 3 else i % 2}" for i in range(40)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["truth,a,b,c", *lines]))
    options = ("--candidate", "a", "--baseline", "b", "--missing", "drop")
    assert "prediction of c" not in run(str(path), *options).stdout
    judged = " ".join(run(str(path), *options[:3], "c", *options[4:]).stdout.split())
    assert "1 of 40 rows have no prediction of c" in judged
