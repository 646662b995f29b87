"""The shell of action.yml as it stands: its steps are taken out and run by bash, with hostile inputs."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import trueerror as te

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
_, GATE, COMMENT, END = ACTION["runs"]["steps"]
DEFAULTS = {name: str(of.get("default", "")) for name, of in ACTION["inputs"].items()}


def inputs_of(step: dict[str, object], given: dict[str, str]) -> dict[str, str]:
    """The variables of a step, as a runner fills them in."""
    values = DEFAULTS | given
    return {k: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: values[m[1]], v) for k, v in step["env"].items()}


class Runner:
    """What a step writes, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.work, self.temp, self.tools = folder / "work", folder / "temp dir", folder / "tools"
        for one in (self.work, self.temp, self.tools):
            one.mkdir()
        self.tool("python", f'exec "{sys.executable}" "$@"')
        self.tool("trueerror", f'exec "{sys.executable}" -m trueerror "$@"')

    def tool(self, name: str, script: str) -> None:
        path = self.tools / name
        path.write_text(f"#!/bin/bash\n{script}\n", "utf-8")
        path.chmod(0o755)

    def step(self, step: dict[str, object], **given: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **inputs_of(step, given), "PATH": f"{self.tools}:{os.environ['PATH']}",
               "RUNNER_TEMP": str(self.temp), "GITHUB_STEP_SUMMARY": str(self.temp / "summary"),
               "GITHUB_OUTPUT": str(self.temp / "output"), "VIRTUAL_ENV": ""}  # fmt: skip
        (self.temp / "output").write_text("")
        script = self.temp / "step.sh"
        script.write_text(str(step["run"]), "utf-8")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            env=env, cwd=self.work, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    def decision(self, **given: str) -> str:
        done = self.step(GATE, **given)
        assert done.returncode == 0, done.stderr
        said = dict(line.split("=", 1) for line in (self.temp / "output").read_text().splitlines())
        assert {"pass": "0", "fail": "1", "cannot tell": "3", "error": "2"}[said["decision"]] == said["code"]
        return said["decision"]

    @property
    def comment(self) -> str:
        return (self.temp / "gate.md").read_text("utf-8")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.fixture
def recorder(runner: Runner, tmp_path: Path) -> tuple[Runner, Path]:
    """A runner whose trueerror writes down its words, and whose answer is taken for a pass."""
    kept = tmp_path / "words"
    runner.tool("trueerror", f"printf '%s\\0' \"$@\" > '{kept}'")
    runner.tool("python", f'case "$2" in *decide.py) printf pass ;; *) exec "{sys.executable}" -S "$@" ;; esac')
    return runner, kept


def table(path: Path, first: str = "old", second: str = "new", *, right: float = 0.95) -> None:
    rng = random.Random(7)
    rows = [f"truth,{first},{second}"]
    for _ in range(400):
        truth = rng.choice(["very good", "bad"])
        other = "bad" if truth == "very good" else "very good"
        rows.append(",".join([truth, truth if rng.random() < 0.9 else other, truth if rng.random() < right else other]))
    path.write_text("\n".join(rows) + "\n", "utf-8")


# Options as they are written → the words that reach the program.
WORDS: dict[str, list[str]] = {
    "": [],
    " \n\t\n ": [],
    "--metric recall --positive 1": ["--metric", "recall", "--positive", "1"],
    "--candidate hgb --positive yes\n--metric recall\n--at-least recall=0.9\n":
        ["--candidate", "hgb", "--positive", "yes", "--metric", "recall", "--at-least", "recall=0.9"],
    '--positive "very good"': ["--positive", "very good"],
    "--positive 'very good'": ["--positive", "very good"],
    r"--positive very\ good": ["--positive", "very good"],
    "--positive 'a\nb'": ["--positive", "a\nb"],
    '--positive ""': ["--positive", ""],
    "a'b'\"c\"d": ["abcd"],
    "'it'\\''s'": ["it's"],
    '"it\'s"': ["it's"],
    r'"a \" b"': ['a " b'],
    r'"a\$b\`c\\d\e"': ["a$b`c\\d\\e"],
    r"'a\b'": [r"a\b"],
    "a \\\n b": ["a", "b"],
    "a\\\nb": ["ab"],
    '"a\\\nb"': ["ab"],
    "a\r\nb\r\n": ["a", "b"],
    "*": ["*"],
    "? [a-z]*": ["?", "[a-z]*"],
    "{a,b}": ["{a,b}"],
    "~": ["~"],
    "$HOME ${PATH}": ["$HOME", "${PATH}"],
    '"$HOME"': ["$HOME"],
    "$(touch ran)": ["$(touch", "ran)"],
    '"$(touch ran)"': ["$(touch ran)"],
    "`touch ran`": ["`touch", "ran`"],
    "a; touch ran": ["a;", "touch", "ran"],
    "a && touch ran": ["a", "&&", "touch", "ran"],
    "a | tee ran": ["a", "|", "tee", "ran"],
    "> ran": [">", "ran"],
    "<(touch ran)": ["<(touch", "ran)"],
    "a & touch ran &": ["a", "&", "touch", "ran", "&"],
    "--metric recall # the one\n--sequential": ["--metric", "recall", "--sequential"],
    "# all of it": [],
    "--model user/repo#1": ["--model", "user/repo#1"],
    "--model '#1'": ["--model", "#1"],
    "$'a\\nb'": ["$a\\nb"],
    "END": ["END"],
    "END\ntouch ran": ["END", "touch", "ran"],
    "--positive \u00a0": ["--positive", "\u00a0"],
    "--positive naïve–😀": ["--positive", "naïve–😀"],
    "a\vb": ["a\vb"],
    "-n -e": ["-n", "-e"],
    "%s %n": ["%s", "%n"],
}  # fmt: skip


@pytest.mark.parametrize("options", list(WORDS))
def test_options_are_words_by_the_rules_of_the_shell(options: str, recorder: tuple[Runner, Path]) -> None:
    runner, kept = recorder
    (runner.work / "file of the checkout").touch()
    assert runner.decision(candidate="--new file*.csv", options=options, margin="") == "pass"
    words = kept.read_text("utf-8").split("\0")[:-1]
    assert words == ["gate", "--format", "json", *WORDS[options], "--", "--new file*.csv"]
    assert not (runner.work / "ran").exists()


def test_baseline_and_margin_are_one_word_each_and_options_have_the_last_word(recorder: tuple[Runner, Path]) -> None:
    runner, kept = recorder
    runner.decision(candidate="new.csv", baseline="--help", margin="0.02 --sequential")
    said = kept.read_text("utf-8").split("\0")
    assert said[:-1] == ["gate", "--format", "json", "--baseline=--help", "--margin=0.02 --sequential", "--", "new.csv"]
    runner.decision(candidate="new.csv", options="--margin recall=0.1 --margin=f1=0.2")
    assert "--margin=0.01" not in kept.read_text("utf-8").split("\0")


@pytest.mark.parametrize(
    "given",
    [
        {"candidate": "--help"},
        {"candidate": ""},
        {"candidate": "-"},
        {"candidate": "nosuch.csv"},
        {"candidate": "p.csv", "baseline": "--help"},
        {"candidate": "p.csv", "baseline": "old", "options": "--help"},
        {"candidate": "p.csv", "baseline": "old", "options": "--columns"},
        {"candidate": "p.csv", "baseline": "old", "options": "--format text"},
        {"candidate": "p.csv", "baseline": "old", "options": "'--positive"},
        {"candidate": "p.csv", "baseline": "old", "options": '--positive "'},
        {"candidate": "p.csv", "baseline": "old", "options": "--positive \\"},
        {"candidate": "p.csv", "baseline": "old", "options": "-- -- --"},
        {"candidate": "p.csv", "baseline": "old", "options": "*"},
        {"candidate": "p.csv", "baseline": "old", "margin": "much"},
    ],
    ids=str,
)
def test_what_is_no_answer_of_a_gate_is_an_error(given: dict[str, str], runner: Runner) -> None:
    table(runner.work / "p.csv")
    assert runner.decision(**given) == "error"
    assert "no decision" in runner.comment


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", 0), ("pass", 0), ("decision=pass\n", 0), ('{"decision": "pass"}', 0), ("null", 0), ("[1]", 0),
        ('{"schema": "trueerror/1", "type": "Gate", "decision": "pass"}', 0),
        (te.evaluate([0, 1] * 9, [0, 1] * 9).to_json(), 0),
        (te.gate([1] * 50, [1] * 50, at_least=0.5).to_json(), 2),
        (te.gate([1] * 50, [1] * 50, at_least=0.5).to_json(), 137),
        (te.gate([1] * 50, [1] * 50, at_least=0.5).to_json(), 1),
        (te.gate([1] * 50, [1] * 50, at_least=0.5).to_json()[:-9], 0),
        ("::set-output name=decision::pass", 2),
    ],
)  # fmt: skip
def test_another_answer_or_another_exit_code_is_an_error(answer: str, code: int, runner: Runner) -> None:
    (runner.temp / "answer").write_text(answer)
    runner.tool("trueerror", f"cat '{runner.temp / 'answer'}'; exit {code}")
    assert runner.decision(candidate="new.csv") == "error"


def test_every_line_of_the_options_counts(runner: Runner) -> None:
    table(runner.work / "p.csv")
    lines = "--candidate new --positive 'very good'\n--metric recall\n--at-least recall=0.99\n"
    assert runner.decision(candidate="p.csv", options=lines) == "fail"
    assert "recall" in runner.comment
    assert "0.99" in json.dumps(te.load(runner.temp / "gate.json").records())
    assert runner.decision(candidate="p.csv", options="--candidate new", baseline="old", margin="0.02") == "pass"
    assert (runner.temp / "summary").read_text("utf-8").endswith(runner.comment)


def test_nothing_of_the_checkout_is_imported(runner: Runner) -> None:
    table(runner.work / "p.csv")
    for name in ("trueerror", "secrets", "json", "re"):
        (runner.work / f"{name}.py").write_text("open('ran', 'w'); raise SystemExit(0)")
    runner.tool("trueerror", f'exec "{sys.executable}" -P -m trueerror "$@"')
    assert runner.decision(candidate="p.csv", baseline="old", options="--candidate new", margin="0.02") == "pass"
    assert not (runner.work / "ran").exists()


# What is left when code is taken away is what a page reads as Markdown.
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
ALIVE = re.compile(r"@\w|#\d|GH-\d|://|www\.|\]\(|(?<!\\)\*\*|:tada:|\$|<|deadbeef1|-->")


@pytest.mark.parametrize(
    "name",
    ["@octocat", "#1", "user/repo#1", "GH-12", "https://evil.example/x", "www.evil.example", "a@evil.example",
     "[click](http://evil.example)", "![x](http://evil.example/x.png)", "**bold**", "`code` @x", ":tada:", "$x^2$",
     "<img src=x>", "deadbeef1", "a | b", "-->", "``", "by @me, or #2"],
)  # fmt: skip
def test_names_are_code_in_a_comment(name: str) -> None:
    truth = [0, 1] * 100
    made = te.gate(truth, truth, [1] * 200, metric=["accuracy", "recall"], positive=1)
    named = dataclasses.replace(made, candidate=name, baseline=f"{name} before")
    comment = named.to_markdown()
    assert not ALIVE.search(CODE.sub("", comment))
    assert CODE.search(comment.splitlines()[0])


@pytest.mark.parametrize("name", ["@octocat", "`code` http://x", "::error::x"])
def test_names_of_a_file_are_code_in_the_comment(name: str, runner: Runner) -> None:
    table(runner.work / "p.csv", first="old", second=name)
    done = runner.step(GATE, candidate="p.csv", baseline="old", options=f"--candidate={json.dumps(name)}")
    assert not ALIVE.search(CODE.sub("", runner.comment.removeprefix("<!-- trueerror gate -->")))
    assert "against `old`" in runner.comment
    first, *_, last = done.stdout.splitlines()
    assert first == f"::stop-commands::{last.strip(':')}"


def test_a_comment_is_written_over_only_by_its_writer(runner: Runner, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    runner.tool("gh", f'printf "%s\\n" "$*" >> "{seen}"; if [ "$2" = graphql ]; then echo "$OLD"; fi')
    (runner.temp / "gate.md").write_text("said")
    os.environ["OLD"] = "77"
    try:
        assert runner.step(COMMENT).returncode == 0
        os.environ["OLD"] = ""
        assert runner.step(COMMENT).returncode == 0
    finally:
        del os.environ["OLD"]
    asked = seen.read_text()
    assert asked.count("viewerDidAuthor and") == 2
    assert asked.count("--method PATCH") == 1
    assert asked.count("--method POST") == 1


def test_the_exit_code_is_the_decision(runner: Runner) -> None:
    for code in (0, 1, 2, 3):
        assert runner.step(END | {"env": {"CODE": str(code)}}).returncode == code
