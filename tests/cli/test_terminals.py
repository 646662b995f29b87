"""On a terminal there is a line while people wait and a bold verdict; in a pipe there is neither."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time

import pytest

from trueerror.cli.terminals import CLEAR, Waiting, is_terminal, painted


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


def test_paint_changes_no_words() -> None:
    text = "Read 4 rows.\n\n  Use a.\n  It is best.\n\nmodel  x\na      1\n\n! TE101 few rows\n  more"
    assert re.sub(r"\x1b\[\d*m", "", painted(text)) == text
    assert "\x1b[1m  Use a.\n  It is best.\x1b[0m" in painted(text)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_for_real_on_a_terminal() -> None:
    parent, child = os.openpty()
    command = [sys.executable, "-m", "trueerror", "compare", "--counts", "both=810", "new=60", "old=40", "neither=90"]
    subprocess.run(command, stdout=child, stderr=subprocess.PIPE, check=True)
    os.close(child)
    shown = b""
    try:
        while chunk := os.read(parent, 65536):
            shown += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    finally:
        os.close(parent)
    assert b"\x1b[1m  new is probably better" in shown
    piped = subprocess.run(command, capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout + piped.stderr
