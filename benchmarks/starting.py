"""How long it takes until something happens: importing, the shortest answer, the help page."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.measuring import Row, quickest_process, row

LIMIT_WORDS = 'python -c "import numpy, scipy.special"'
LIMIT = [sys.executable, "-c", "import numpy, scipy.special"]


def _command(*words: str) -> list[str]:
    # `python -m trueerror` is what the installed command runs.
    return [sys.executable, "-m", "trueerror", *words]


def case_import(quick: bool) -> Row:
    runs = quickest_process(
        {"bare": [sys.executable, "-c", "pass"], "ours": [sys.executable, "-c", "import trueerror"]},
        10 if quick else 30,
    )
    beyond = runs["ours"] - runs["bare"]
    return row("import trueerror, beyond bare Python", ours_s=beyond, seconds=0.05)


def case_interval(quick: bool) -> Row:
    command = _command("interval", "750/1000", "--confidence", "0.8")
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    runs = quickest_process({"ours": command, "limit": LIMIT}, 5 if quick else 15)
    return row(
        "trueerror interval 750/1000 --confidence 0.8", ours_s=runs["ours"], peer=LIMIT_WORDS, peer_s=runs["limit"],
        slower=2, agree="0.732" in shown and "0.767" in shown,
    )  # fmt: skip


def case_help(quick: bool) -> Row:
    typer = [sys.executable, "-c", "import typer"]
    runs = quickest_process({"ours": _command("--help"), "limit": typer}, 5 if quick else 15)
    return row("trueerror --help", ours_s=runs["ours"], peer='python -c "import typer"', peer_s=runs["limit"], slower=3)
