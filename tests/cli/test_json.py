"""`--format json` is JSON with every other option, and fits the schema; what is typed is echoed in a few words."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import trueerror as te
from tests.cli.program import run
from trueerror.results._document import schema_for

ROWS = "id,y,a,b,s,g\n" + "\n".join(
    f"{i},{i % 2},{(i % 2) ^ (i % 7 == 0)},{(i % 2) ^ (i % 5 == 0)},{0.3 + 0.4 * (i % 2):.1f},{i % 3}"
    for i in range(60)
)
COMMANDS = {
    "evaluate": ["rows.csv", "--truth", "y", "--model", "a", "--positive", "1"],
    "compare": ["rows.csv", "--truth", "y", "--model", "a", "--model", "b", "--positive", "1"],
    "gate": ["rows.csv", "--truth", "y", "--model", "a", "--model", "b", "--baseline", "b"],
    "check": ["rows.csv", "--truth", "y", "--model", "a", "--positive", "1"],
}
OPTIONS = [
    [],
    ["--explain"],
    ["--columns"],
    ["--confidence", "0.9"],
    ["--seed", "3"],
    ["--by", "g"],
    ["--cost-fn", "3"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("json")
    (place / "rows.csv").write_text(ROWS)
    return place


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_json(command: str, options: list[str], folder: Path) -> None:
    done = run(command, *COMMANDS[command], "--format", "json", *options, cwd=folder)
    if done.returncode == 2:
        assert command == "check", done.stderr
        assert "has no option" in done.stderr
        return
    jsonschema.validate(json.loads(done.stdout), schema_for(command))
    assert te.load(done.stdout) is not None


LONG = "x" * 3000


@pytest.mark.parametrize(
    "typed",
    [
        [LONG],
        ["y" * 119],
        ["evaluate", "rows.csv", f"--{LONG}"],
        ["evaluate", "rows.csv", "-c", LONG],
        ["evaluate", "rows.csv", "--seed", LONG],
        ["evaluate", "rows.csv", "--truth", LONG],
        ["evaluate", "rows.csv", "--truth", "y", "--ignore", LONG],
        ["evaluate", "rows.csv", "--costs", LONG],
        ["evaluate", "rows.csv", "--format", LONG],
        ["evaluate", "rows.csv", "--matrix", LONG],
        ["power", "--icc", LONG],
        ["plot", "rows.csv", "--kind", LONG, "-o", "x.svg"],
        ["check", "rows.csv", "--fail-on", LONG],
        ["arena", "rows.csv", "--anchor", f"a={LONG}"],
        ["gate", "rows.csv", "--margin", LONG],
    ],
    ids=lambda typed: " ".join(typed)[:30],
)
def test_what_was_typed_is_echoed_in_few_words(typed: list[str], folder: Path) -> None:
    done = run(*typed, cwd=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.removeprefix("Error: ").strip()) <= 300, done.stderr
