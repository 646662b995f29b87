"""`trueerror rank`: scores by data set and learner, with folds or without."""

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

MEANS = {"cancer": (0.95, 0.955, 0.91), "digits": (0.96, 0.955, 0.83), "wine": (0.955, 0.95, 0.93)}


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("rank")(command_of("rank"))
    return CliRunner().invoke(made, ["rank", *args])


def good(*args: str) -> str:
    done = run(*args)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return str(done.stdout)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(2)
    lines = ["dataset,learner,fold,accuracy"]
    for d, means in MEANS.items():
        shared = rng.normal(0, 0.02, 10)
        for m, mean in zip(("logreg", "forest", "tree"), means, strict=True):
            own = rng.normal(0, 0.005, 10)
            lines += [f"{d},{m},{f + 1},{mean + shared[f] + own[f] - own.mean():.6f}" for f in range(10)]
    file = tmp_path_factory.mktemp("rank") / "cv.csv"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(3)
    lines = ["data set,svm,tree,bayes"]
    for i in range(14):
        base = rng.uniform(0.7, 0.9)
        lines.append(f"set {i}," + ",".join(f"{base + s + rng.normal(0, 0.01):.4f}" for s in (0.02, -0.02, -0.05)))
    file = tmp_path_factory.mktemp("rank") / "wide.csv"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


def test_for_real_the_transcript(folds: str) -> None:
    done = program.run("rank", folds)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Read 3 data sets × 3 learners × 10 folds; the same folds for all learners."
    text = " ".join(done.stdout.split())
    assert "No clear winner: logreg and forest are too close to call. tree is worse on all three (by 2 to 13" in text
    assert "clearly on" in text
    assert '! TE507 three data sets are too few for "best overall"' in text
    assert "Folds were not counted as data sets." in text
    assert max(len(line) for line in lines) <= 80
    for word in ("equal", "p = .000", "nan"):
        assert word not in done.stdout.lower()


def test_a_report_of_ranks(folds: str, tmp_path: Path) -> None:
    page = tmp_path / "ranks.html"
    done = program.run("rank", folds, "-o", page)
    assert done.returncode == 0
    text = page.read_text(encoding="utf-8")
    assert "Mean ranks" in text
    assert Path(folds).name in text
    assert "give a path that ends in .html" in program.run("rank", folds, "-o", tmp_path / "ranks.png").stderr


def test_wide_files(wide: str) -> None:
    text = " ".join(good(wide).split())
    assert "Read 14 data sets × 3 learners. Higher scores are better." in text
    assert "svm is best overall. tree is worse than svm on" in text
    assert "TE507" not in text


def test_options_reach_the_ranking(wide: str, folds: str) -> None:
    assert "Mean ranks must lie" in good(wide, "--method", "nemenyi")
    strict = " ".join(good(wide, "--control", "svm", "--confidence", "0.9999").split())
    assert "tree and bayes have no clear difference from svm" in strict
    explained = " ".join(good(wide, "--control", "svm", "--confidence", "0.9999", "--explain").split())
    assert "at 0.01 %" in explained
    assert "svm is worse than tree" in " ".join(good(wide, "--lower-is-better", "--control", "tree").split())
    assert "TE507" not in good(folds, "--ignore", "TE507")
    named = good(folds, "--dataset", "dataset", "--learner", "learner", "--fold", "fold", "--value", "accuracy")
    assert named == good(folds)


def test_missing_cells(tmp_path: Path) -> None:
    file = tmp_path / "gaps.csv"
    file.write_text("dataset,a,b\nx,0.9,0.8\ny,,0.7\nz,0.8,0.75\n")
    done = run(str(file))
    assert done.exit_code == 2
    assert "'a' has no score on 'y'" in done.stderr
    assert "! TE501 left out because a score is missing: y" in good(str(file), "--missing", "drop")


def test_every_format_is_the_result(folds: str) -> None:
    assert te.load(good(folds, "--format", "json")) == te.rank(folds, rng=0)
    words, table = good(folds, "--format", "markdown").split("\n\n", 1)
    assert words.startswith("No clear winner")
    assert table.startswith("| learner | mean rank |")
    assert "\\begin{tabular}" in good(folds, "--format", "latex")
    assert "<table>" in good(folds, "--format", "html")
    assert "Wilcoxon" in good(folds, "--explain")


@pytest.mark.parametrize(("args", "words"), [
    (("none.csv",), "none.csv"),
    (("{folds}", "--value", "auc"), "no such column"),
    (("{folds}", "--method", "nemeny"), "did you mean 'nemenyi'"),
    (("{folds}", "--method", "bonferroni-dunn"), "needs --reference"),
    (("{folds}", "--confidence", "1.5"), "must lie between 0 and 1"),
])  # fmt: skip
def test_errors_are_one_sentence(args: tuple[str, ...], words: str, folds: str) -> None:
    done = run(*(a.replace("{folds}", folds) for a in args))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
