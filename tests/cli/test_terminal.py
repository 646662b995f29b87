"""On a terminal there is a line while people wait and a bold verdict; in a pipe there is neither."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time

import pytest

from tests.cli import program
from trueerror.cli._terminal import CLEAR, Waiting, fitted, is_terminal, width_of
from trueerror.cli._terminal import Screen as Sheet
from trueerror.results import Table
from trueerror.results._document import Bullets, Document, Footer, TableBlock, Verdict, data_summary


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_line_while_waiting_that_is_wiped() -> None:
    screen = Screen()
    with Waiting(screen, patience=0.01):
        time.sleep(0.4)
    shown = screen.getvalue()
    assert "working, 0 s" in shown
    assert shown.endswith(CLEAR)


def test_quick_work_and_pipes_have_none() -> None:
    for stream in (Screen(), io.StringIO()):
        with Waiting(stream, patience=5 if stream.isatty() else 0):
            time.sleep(0.05)
        assert stream.getvalue() == ""


def test_the_line_is_wiped_before_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    order = Screen()
    monkeypatch.setattr(sys, "stdout", order)
    with Waiting(order, patience=0.01):
        time.sleep(0.3)
        sys.stdout.write("the answer\n")
        time.sleep(0.3)
    assert order.getvalue().endswith(f"{CLEAR}the answer\n")
    assert sys.stdout is order


def test_plain_text_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_terminal(Screen())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_terminal(Screen())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not is_terminal(Screen())


DOCUMENT = Document(
    (
        data_summary("Read 4 rows."),
        Verdict(("Use a.", "It is best."), tone="clear"),
        TableBlock(Table(columns=("model", "x"), rows=(("a", "1"), ("b" * 110, "2")))),
        Bullets(("! TE101 few rows", "! TE102 copies"), grave=(1,)),
        Footer(("Methods: wilson.",)),
    )
)


def test_paint_changes_no_words_and_shows_how_sure_a_verdict_is() -> None:
    plain, coloured = (Sheet(colour=colour).written(DOCUMENT) for colour in (False, True))
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    assert "\x1b[1m\x1b[32m  Use a.\n  It is best.\x1b[0m" in coloured
    assert "\x1b[33m! TE101\x1b[0m few rows\n\x1b[31m! TE102\x1b[0m copies" in coloured


def test_small_print_is_asked_for_and_tables_take_the_width() -> None:
    narrow, wide = Sheet().written(DOCUMENT), Sheet(tables=120).written(DOCUMENT)
    assert "wilson" not in narrow
    assert narrow.endswith("Add --explain for methods and assumptions.")
    assert "b" * 110 not in narrow
    assert "b" * 110 in wide


def test_a_verdict_that_scrolled_away_is_said_again() -> None:
    assert Sheet(rows=40, columns=120).written(DOCUMENT).count("It is best.") == 1
    assert Sheet(rows=8, columns=120).written(DOCUMENT).endswith("\n\n  Use a.\n  It is best.")


def test_screens_are_80_to_120_columns_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, tables in (("60", 80), ("100", 100), ("400", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        assert Sheet.of(Screen()).tables == tables
    assert Sheet.of(io.StringIO(), "always").colour
    assert not Sheet.of(Screen(), "never").colour


ANSWER = """400 rows, 151 positive, 3 models with scores: logreg, forest, bayes.
Threshold 0.5.

  logreg is best, 95.0 % accuracy: better than both others, by each
  interval. The nearest is forest, −4.0 points from logreg, 95 % CI
  −7.8 to −0.3 (adjusted p = .033).

first   second  difference (points)   95 % interval  adjusted p  P(better)
logreg  forest                 +4.0    [+0.3, +7.8]        .033       .984

! TE401 logreg and forest: their intervals overlap, yet the test of the
  difference is significant
! TE306 logreg: probabilities are off"""


@pytest.mark.parametrize("width", [24, 33, 40, 50, 60, 72, 79])
def test_sentences_fit_a_narrow_window_and_tables_stay(width: int) -> None:
    shown = fitted(ANSWER, width)
    rows = ANSWER.split("\n")[7:9]
    assert shown.split("\n\n")[2].split("\n") == rows
    assert all(len(line) <= width for line in shown.split("\n") if line not in rows)
    assert shown.split() == ANSWER.split()
    for whole in ("95.0 %", "−4.0 points", "p = .033", "400 rows"):
        assert whole in shown
    assert re.search(r"(?m)^! TE306", shown)
    assert shown.split("\n\n")[1].startswith("  ")


def test_broken_sentences_are_joined_before_they_are_broken_anew() -> None:
    broken = fitted(ANSWER, 42)
    assert "  logreg is best, 95.0 % accuracy: better\n  than both others, by each interval. The\n" in broken


def test_pipes_and_wide_windows_change_nothing() -> None:
    long = "Error: " + "a rather long sentence that goes on and on " * 4
    assert fitted(long, None) == long
    assert fitted(ANSWER, 80) == ANSWER
    assert width_of(io.StringIO()) is None


def test_what_people_may_copy_is_not_cut() -> None:
    path = "/a/path/that/is/longer/than/the/window/of/forty/columns.csv"
    assert path in fitted(f"Wrote {path}: open it in a browser.", 40)


def test_the_width_is_that_of_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "61")
    assert width_of(Screen()) == 61
    monkeypatch.setenv("COLUMNS", "3")
    assert width_of(Screen()) == 20
    monkeypatch.setenv("COLUMNS", "")
    assert width_of(Screen()) is None  # no file number, so no width


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_errors_are_broken_between_words_on_terminals_alone() -> None:
    words = ("interval", "seven hundred and fifty of a thousand rows")
    command = [sys.executable, "-m", "trueerror", *words]
    piped = program.run(*words)
    assert piped.returncode == 2
    assert piped.stderr.count("\n") == 1
    parent, child = os.openpty()
    told = {**os.environ, "COLUMNS": "40", "NO_COLOR": "1"}
    assert subprocess.run(command, stdout=subprocess.PIPE, stderr=child, check=False, env=told).returncode == 2
    os.close(child)
    shown = os.read(parent, 65536).decode()
    os.close(parent)
    assert shown.split() == piped.stderr.split()
    assert max(len(line) for line in shown.splitlines()) <= 40


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_for_real_on_a_terminal() -> None:
    parent, child = os.openpty()
    words = ("compare", "--counts", "both=810", "new=60", "old=40", "neither=90")
    subprocess.run([sys.executable, "-m", "trueerror", *words], stdout=child, stderr=subprocess.PIPE, check=True)
    os.close(child)
    shown = b""
    try:
        while chunk := os.read(parent, 65536):
            shown += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    finally:
        os.close(parent)
    assert b"\x1b[1m\x1b[33m  new is probably better" in shown
    piped = program.run(*words)
    assert piped.returncode == 0
    assert "\x1b" not in piped.stdout + piped.stderr
