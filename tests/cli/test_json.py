"""`--format json` is JSON with every other option, and fits the schema; what is typed is echoed in a few words."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import trueerror as te
from tests.cli.program import run
from trueerror.cli import _commands
from trueerror.results._document import ANSWERS, schema_for

KINDS = schema_for("gate")["$defs"]

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
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema_for(command))
    for part in described(answer):
        known = KINDS.get(part["type"], {}).get("properties", part)
        assert not {*part} - {*known, "schema"}, part["type"]
    assert te.load(done.stdout) is not None


# The tables that the first examples of the commands read.
HALF = [i % 2 for i in range(60)]
TABLES = {
    "preds.csv": "id,truth,svm,tree\n"
    + "\n".join(f"{i},{y},{y ^ (i % 7 == 0)},{y ^ (i % 5 == 0)}" for i, y in enumerate(HALF)),
    "new.csv": "id,truth,m\n" + "\n".join(f"{i},{y},{y ^ (i % 9 == 0)}" for i, y in enumerate(HALF)),
    "old.csv": "id,truth,m\n" + "\n".join(f"{i},{y},{y ^ (i % 8 == 0)}" for i, y in enumerate(HALF)),
    "answers.csv": "question,correct\n" + "\n".join(f"q{i // 3},{int(i % 4 > 0)}" for i in range(60)),
    "battles.csv": "model_a,model_b,winner\n"
    + "\n".join(f"{'xyz'[i % 3]},{'yzx'[i % 3]},{('model_a', 'model_b', 'tie')[i * 7 % 11 % 3]}" for i in range(60)),
    "ratings.csv": "item,ann,bob\n" + "\n".join(f"{i},{y},{y ^ (i % 7 == 0)}" for i, y in enumerate(HALF)),
    "items.csv": "human,judge,score\n"
    + "\n".join(f"{y if i < 30 else ''},{y ^ (i % 7 == 0)},{0.3 + 0.4 * y:.1f}" for i, y in enumerate(HALF * 5)),
    "scores.csv": "dataset,p,q\n" + "\n".join(f"d{i},{0.8 + i / 90:.3f},{0.75 + i / 80:.3f}" for i in range(7)),
    "experiment.toml": """metrics = ["accuracy"]
[plan]
kind = "KFold"
k = 3
[data.iris]
bundled = "iris"
[learners.tree]
class = "sklearn.tree.DecisionTreeClassifier"
[learners.bayes]
class = "sklearn.naive_bayes.GaussianNB"
""",
}
# What answers with a picture or a page, and has no format to choose.
NO_FORMAT = {"report", "plot"}


def described(tree: object) -> Iterator[dict[str, Any]]:
    """Every object in some JSON that says what it is."""
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    if isinstance(tree, dict) and "type" in tree:
        yield tree
    for one in inside:
        yield from described(one)


@pytest.mark.parametrize("command", _commands.COMMANDS)
def test_the_first_example_of_each_command_answers_in_json_of_the_schema(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda page: pytest.fail(f"{page} is opened"))
    for name, content in TABLES.items():
        (tmp_path / name).write_text(content)
    example = _commands.command_row(command).examples[0].partition(" > ")[0].replace("--jobs 4", "--jobs 1")
    form = [] if command == "schema" else ["--format", "json"]
    done = run(*shlex.split(example), *form, cwd=tmp_path)
    if command in NO_FORMAT:
        assert (done.returncode, done.stdout) == (2, "")
        assert "has no option --format" in done.stderr
        return
    assert done.returncode in (0, 1, 3), done.stderr
    answer = json.loads(done.stdout)
    if command == "schema":
        jsonschema.Draft202012Validator.check_schema(answer)
        return
    assert answer["schema"] == "trueerror/1"
    if command in ANSWERS:
        jsonschema.validate(answer, schema_for(command))
    for part in described(answer):
        if part["type"] in KINDS:
            jsonschema.validate({**part, "schema": "trueerror/1"}, schema_for(part["type"]))
            assert not {*part} - {*KINDS[part["type"]]["properties"], "schema"}, part["type"]
    assert json.loads(te.load(done.stdout).to_json()) == answer


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
