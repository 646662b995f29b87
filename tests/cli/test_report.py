"""`trueerror report`: a page is written, or the name is refused before any work."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from trueerror.cli._app import command_of
from trueerror.data import path

DIGITS = str(path("digits"))
CANCER = str(path("breast_cancer"))


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("report")(command_of("report"))
    return CliRunner().invoke(made, ["report", *args])


def test_a_page_with_its_title_and_command(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run(DIGITS, "-o", str(out), "--title", "Digits <b>", "--model", "svm", "--model", "forest")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert done.stdout.startswith("  svm is better: ")
    assert done.stdout.splitlines()[-1].startswith("Wrote ")
    page = out.read_text(encoding="utf-8")
    assert "Digits &lt;b&gt;" in page
    assert "Digits <b>" not in page
    assert "--model svm --model forest" in page
    assert "--confidence" not in page
    assert "--seed 0" in page
    assert re.search(r"[ >]digits\.csv · ", page)


def test_what_was_asked_for_is_judged_and_repeated(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run(CANCER, "--positive", "malignant", "--cost-fn", "10", "-o", str(out), "--ignore", "TE306", "-c", "0.9")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    page = out.read_text(encoding="utf-8")
    assert "--cost-fn 10.0 --confidence 0.9 --seed 0 --ignore TE306" in page
    assert "Run logreg at threshold" in page
    packed = re.findall(r'id="page-data">(.*?)</script>', page)[0].replace(".", "<")
    assert json.loads(gzip.decompress(base64.b85decode(packed)))["explorer"]["start"]["fn"] == 10
    assert ">TE306<" not in page
    wrong = run(CANCER, "--positive", "malignant", "--cost-fn", "10", "--metric", "auc", "-o", str(out))
    assert wrong.exit_code == 2
    assert "leave --metric" in wrong.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nowhere.csv", "-o", "page.pdf"), ".html"),
        (("nowhere.csv", "-o", "no/page.html"), "no folder"),
        (("nowhere.csv", "-o", "folder.html"), "is a folder"),
        (("nowhere.csv", "-o", "page.html"), "nowhere.csv"),
        ((DIGITS, "--truth", "lable", "-o", "page.html"), "lable"),
    ],
)
def test_refused(args: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    done = run(*args)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "page.html").exists()


def test_columns(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run(DIGITS, "-o", str(out), "--columns")
    assert done.exit_code == 0
    assert "svm" in done.stdout
    assert not out.exists()
