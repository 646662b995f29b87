"""`trueerror report`: a page is written, or the name is refused before any work."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from trueerror.cli.app import COMMANDS
from trueerror.data import path

DIGITS = str(path("digits"))


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("report")(import_module(f"trueerror.cli.{COMMANDS['report']}").command)
    return CliRunner().invoke(made, ["report", *args])


def test_a_page_with_its_title_and_command(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = run(DIGITS, "-o", str(out), "--title", "Digits <b>", "--model", "svm", "--model", "forest")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert done.stdout.startswith("Wrote ")
    page = out.read_text(encoding="utf-8")
    assert "Digits &lt;b&gt;" in page
    assert "Digits <b>" not in page
    assert "--model svm --model forest" in page


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
