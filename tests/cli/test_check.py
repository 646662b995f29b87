"""`trueerror check`: findings, and exit codes by severity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import trueerror as te
from tests.cli import program
from trueerror.cli._app import command_of
from trueerror.data import path

CANCER, DIGITS = str(path("breast_cancer")), str(path("digits"))
N = 300
RNG = np.random.default_rng(4)
X = RNG.normal(size=N)
TRUTH = (RNG.random(N) < 1 / (1 + np.exp(-2 * X))).astype(int)


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("check")(command_of("check"))
    return CliRunner().invoke(made, ["check", *args])


def write(file: Path, columns: dict[str, Any]) -> str:
    rows = zip(*columns.values(), strict=True)
    file.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(file)


@pytest.fixture(scope="module")
def constant(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that always answers 0: two warnings, no error."""
    return write(tmp_path_factory.mktemp("check") / "constant.csv", {"truth": TRUTH, "lazy": np.zeros(N, dtype=int)})


@pytest.fixture(scope="module")
def swapped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Scores that point the wrong way: an error."""
    return write(tmp_path_factory.mktemp("check") / "swapped.csv", {"truth": TRUTH, "score": 1 / (1 + np.exp(2 * X))})


def test_for_real_nothing_found() -> None:
    done = program.run("check", DIGITS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "899 rows, 10 classes, 3 models with labels: svm, forest, bayes.\n\n  No findings.\n"


def test_for_real_an_error(swapped: str) -> None:
    done = program.run("check", swapped)
    assert done.returncode == 1
    assert done.stderr == ""
    assert "! TE302 (error)" in done.stdout


@pytest.mark.parametrize(("name", "fail_on", "code"), [
    ("constant", "warning", 1), ("constant", "error", 0), ("constant", "never", 0), ("constant", None, 0),
    ("swapped", "warning", 1), ("swapped", "error", 1), ("swapped", "never", 0), ("swapped", None, 1),
])  # fmt: skip
def test_exit_codes(name: str, fail_on: str | None, code: int, request: pytest.FixtureRequest) -> None:
    file = request.getfixturevalue(name)
    assert run(file, *(["--fail-on", fail_on] if fail_on else [])).exit_code == code


def test_silenced_findings_do_not_count(constant: str) -> None:
    assert run(constant, "--fail-on", "warning", "--ignore", "TE201", "--ignore", "TE408").exit_code == 0
    assert run(constant, "--fail-on", "warning", "--ignore", "TE201").exit_code == 1
    assert "TE201" not in run(constant, "--ignore", "TE201").stdout


def test_text_says_how_many_then_each_with_what_to_do(constant: str) -> None:
    text = run(constant).stdout
    lines = text.splitlines()
    assert lines[0].startswith("300 rows, ")
    assert lines[2] == "  3 findings: 2 warnings and 1 note."
    assert "! TE201 (warning) lazy: right on 46.7 % of the rows, no more than the 53.3 %" in text
    assert "! TE408 (warning) lazy: found none of the 160 rows" in text
    assert "  → Do not use accuracy to praise this model" in text
    assert max(len(line) for line in lines) <= 80


def test_models_that_share_a_finding_stand_there_once() -> None:
    text = " ".join(run(CANCER, "--positive", "malignant").stdout.split())
    assert text.count("TE202") == 1
    assert "logreg, forest, bayes and knn:" in text


def test_repeated_ids_are_found_not_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "ids.csv", {"id": [*range(N - 1), 0], "truth": TRUTH, "a": TRUTH})
    done = run(file)
    assert done.exit_code == 1
    assert "! TE107 (error) 1 row repeats the id of an earlier row, such as 0" in done.stdout


def test_missing_predictions_are_found_not_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "gaps.csv", {"truth": TRUTH, "a": ["", *TRUTH[1:]], "b": TRUTH})
    done = run(file)
    assert done.exit_code == 1
    words = " ".join(done.stdout.split())
    assert f"! TE112 (error) a lacks 1 of {N} predictions; those rows were left out here" in words
    # Advice in the words of the command line.
    assert "--missing wrong (as errors), or --missing drop (left out" in words
    assert "missing=" not in words
    decided = run(file, "--missing", "wrong")
    assert decided.exit_code == 0
    assert f"! TE206 (note) a: 1 of {N} rows have no prediction and were counted as wrong" in " ".join(
        decided.stdout.split()
    )


def test_training_rows(tmp_path: Path) -> None:
    noise = np.where(RNG.random(N) < 0.6, TRUTH, 1 - TRUTH)
    test = write(tmp_path / "test.csv", {"id": range(N), "truth": TRUTH, "tree": noise})
    train = write(tmp_path / "train.csv", {"id": range(N, 2 * N), "truth": TRUTH, "tree": TRUTH})
    done = run(test, "--training", train)
    assert "! TE208 (warning) tree: accuracy is" in done.stdout
    assert "TE111" not in done.stdout
    same = run(test, "--training", test)
    assert same.exit_code == 1
    assert "all 300 test rows are training rows too" in " ".join(same.stdout.split())


def test_every_format_is_the_result(constant: str) -> None:
    assert te.load(run(constant, "--format", "json").stdout) == te.check(constant)
    assert run(constant, "--format", "markdown").stdout.startswith("| code | severity |")
    assert "\\begin{tabular}" in run(constant, "--format", "latex").stdout
    assert "TE201" in run(constant, "--format", "html").stdout


def test_columns_shows_how_the_file_was_read(constant: str) -> None:
    assert "truth" in run(constant, "--columns").stdout
    assert "TE201" not in run(constant, "--columns").stdout


@pytest.mark.parametrize(("args", "words"), [
    (("none.csv",), "none.csv"),
    (("{file}", "--truth", "trooth"), "did you mean 'truth'"),
    (("{file}", "--model", "lazi"), "did you mean 'lazy'"),
])  # fmt: skip
def test_errors_are_one_sentence(args: tuple[str, ...], words: str, constant: str) -> None:
    done = run(*(a.replace("{file}", constant) for a in args))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_usage_errors_exit_with_2(constant: str) -> None:
    assert run(constant, "--fail-on", "sometimes").exit_code == 2


def test_the_default_is_in_the_help() -> None:
    text = " ".join(run("--help").stdout.split())
    assert "[default: error]" in text
