"""Command lines of every command: options with sensible and odd values, in one process.

Each ends with exit code 0, 1, 2 or 3, without a traceback; a complaint is one paragraph of at most 300 characters;
`--format json` that succeeds is JSON.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz.calls import NAMES, Pick, need

ODD = ["", "-", "--", "nan", "-1", "1e400", "inf", "x" * 5000, "\x1b[5m", "'", '"', "a=b", "=", "[", "[[0,1],[1,0]]",
       "{}", "0.5", "1", "2", "9" * 400, "all", "none", "truth", "*", "$(id)", "`id`", "\N{SNOWMAN}", "0,1", "1;2",
       "*.csv", "nosuch.csv", "--help", "1/2", "50%", "\ud800", ".", "/dev/null", *NAMES]  # fmt: skip
GOOD = {
    "--truth": ["truth"], "--model": ["a", "b"], "--score": ["p"], "--positive": ["yes", "no"], "--id": ["id", "none"],
    "--by": ["group"], "--cluster": ["group", "none"], "--metric": ["accuracy", "f1", "auc", "all"], "--weight": ["w"],
    "--format": ["json", "json", "text", "markdown", "latex", "html"], "--confidence": ["0.9", "0.99"],
    "--baseline": ["a", "p.csv"], "--margin": ["0.02", "accuracy=0.1"], "--at-least": ["0.8"], "--threshold": ["0.5"],
    "--cost-fn": ["5"], "--prior": ["0.2"], "--seed": ["3"], "--kind": ["roc", "pr", "calibration"],
    "--color": ["never"],
}  # fmt: skip
FILES = ["p.csv", "p.csv", "p.csv", "p.jsonl", "scores.csv", "empty.csv", "nosuch.csv", "."]
# A demo or a report takes a second each; a run fits learners.
DEAR = {"demo", "report", "run"}


@functools.cache
def options() -> dict[str, tuple[tuple[str, bool], ...]]:
    """Each command with its options, and whether they take a value."""
    from trueerror.cli import _app

    return {
        name: tuple(
            (max(p.opts, key=len), not getattr(p, "is_flag", False))
            for p in command.params
            if p.opts[0].startswith("-")
        )
        for name, command in sorted((name, _app.made(name)) for name in _app.COMMANDS)
    }


def make(pick: Pick) -> tuple[str, dict[str, Any]]:
    """A command with its words."""
    names = [name for name in options() for _ in range(1 if name in DEAR else 8)]
    name = pick(names)
    words = [name]
    for _ in range(pick([0, 1, 2, 3, 5])):
        option, takes = pick(options()[name]) if options()[name] else ("--nosuch", True)
        if option in ("--open", "--output"):
            continue
        words.append(option)
        if takes:
            words.append(pick(GOOD.get(option, ["2", "0.5", "10"])) if pick(range(4)) else pick(ODD))
    if pick(range(8)) == 0:
        words.insert(pick(range(len(words) + 1)), pick(ODD))
    words += [pick(FILES) if pick(range(10)) else pick(ODD) for _ in range(pick([0, 1, 1, 1, 2]))]
    if name in DEAR and "p.csv" in words:
        words.append("--help")
    return "command", {"words": [w.replace("\0", "") for w in words]}


@functools.cache
def folder() -> Path:
    """Where commands run: some small tables."""
    place = Path(tempfile.mkdtemp(prefix="fuzz-commands-"))
    said = ("no", "yes")
    rows = [
        (said[i % 2], said[(i % 5 == 0) ^ (i % 2)], said[i % 3 == 0], i, "xyz"[i % 3], i % 4, i / 40) for i in range(40)
    ]
    head = ("truth", "a", "b", "id", "group", "w", "p")
    (place / "p.csv").write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]))
    (place / "p.jsonl").write_text("\n".join(json.dumps(dict(zip(head, row, strict=True))) for row in rows))
    (place / "scores.csv").write_text("\n".join(["truth,p,q", *(f"{i % 2},{i / 40},{1 - i / 50}" for i in range(40))]))
    (place / "empty.csv").write_text("")
    return place


def run(name: str, drawn: dict[str, Any]) -> int:
    """One command line, in this process."""
    from trueerror.cli import _app

    words, before, place = drawn["words"], sys.argv, Path.cwd()
    out, err, code = io.StringIO(), io.StringIO(), 0
    sys.argv = ["trueerror", *words]
    os.chdir(folder())
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error")
            with contextlib.suppress(KeyError):
                del os.environ["COLUMNS"]
            try:
                _app.run()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.argv = before
        os.chdir(place)
    said, complaint = out.getvalue(), err.getvalue()
    need(code in (0, 1, 2, 3), f"exit code {code}")
    need("Traceback" not in complaint and "a fault of trueerror" not in complaint, complaint[-300:])
    need("\x1b" not in said + complaint, "an escape")
    sentences = [p for p in complaint.split("Error: ")[1:] if p.strip()]
    need(
        len(sentences) <= 1 and all(len(" ".join(p.split())) <= 300 for p in sentences), f"a flood: {complaint[:80]!r}"
    )
    need(code != 2 or bool(complaint or said), "exit code 2 without a word")
    json_asked = any(words[i : i + 2] == ["--format", "json"] for i in range(len(words)))
    if json_asked and code != 2 and "--help" not in words and said:
        json.loads(said)
    return 1
