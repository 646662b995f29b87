"""The progress bar: with the time left, on terminals only."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")

CODE = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import trueerror as te
from simple_learners import Means

class Slower(Means):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)

y = np.arange(40) % 2
te.experiment({{"slower": Slower()}}, (y[:, None] + 0.0, y), plan=10, progress=WANTED)
print("done")
"""


def on_terminal(progress):
    """What a terminal shows of stderr, and stdout."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CODE.replace("WANTED", str(progress))], stdout=subprocess.PIPE, stderr=theirs, text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(theirs)
    out, _ = process.communicate(timeout=300)
    shown = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # a terminal whose other end is closed
            break
        if not more:
            break
        shown += more
    os.close(ours)
    return shown.decode(), out


def test_a_terminal_shows_how_many_fits_and_the_time_left():
    shown, out = on_terminal(True)
    assert out == "done\n"
    assert "fits" in shown
    assert "/10" in shown
    assert "0:00:00 left" in shown


def test_no_bar_where_it_is_not_wanted_or_nobody_looks():
    assert on_terminal(False) == ("", "done\n")
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("WANTED", "True")], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
