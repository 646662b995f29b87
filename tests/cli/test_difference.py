"""`trueerror difference`: verdict first, sizes beside p-values, never "equal"."""

from __future__ import annotations

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import trueerror as te
from tests.cli import program
from trueerror.cli._app import command_of


def run(*args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command("difference")(command_of("difference"))
    return CliRunner().invoke(made, ["difference", *args])


def good(*args: str) -> str:
    done = run(*args)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return " ".join(done.stdout.split())


def test_for_real() -> None:
    done = program.run("difference", "20/100", "30/100")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("  Too close to call: 20.0 % against 30.0 %, −10.0 points,")
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_an_open_question_says_what_would_settle_it() -> None:
    text = good("20/100", "30/100")
    assert "95 % CI −21.9 to +2.1" in text
    assert "a gap this large would come up about 1 time in 10 (p = .103)" in text
    assert "Posterior P(first lower) = .949 (Jeffreys' prior)" in text
    assert "Next: about 290 rows in each group settle a gap of 10.0 points (80 % power)." in text


def test_null_alternative_and_level_are_said_in_words() -> None:
    text = good("20/100", "30/100", "--confidence", "0.9", "--alternative", "less")
    assert "no difference (null hypothesis) against a lower first rate (alternative), at the 10 % level" in text
    assert "CI −" in text
    assert "or less" in text


def test_proven_and_probable() -> None:
    assert good("56/70", "30/80").startswith("The first rate is higher: 80.0 % against 37.5 %, +42.5 points")
    assert good("20/100", "34/100").startswith("The first rate is probably lower:")
    assert "Next:" not in good("20/100", "34/100")
    # The wrong way round, a one-sided test shows nothing.
    assert good("20/100", "34/100", "--alternative", "greater").startswith("Too close to call")


@pytest.mark.parametrize("counts", [("5/5", "5/5"), ("0/5", "0/5"), ("50/100", "50/100"), ("10/10", "0/10")])
def test_edges_have_words_too(counts: tuple[str, str]) -> None:
    text = good(*counts).lower()
    for word in ("equal", "nan", "same", "p = 0.000", "p = .000"):
        assert word not in text
    assert "95 % ci" in text


def test_rates() -> None:
    text = good("0.15/30", "0.25/5000", "--method", "wald")
    assert "−10.0 points, 95 % CI −22.8 to +2.8" in text
    assert "newcombe-difference" in good("0.15/30", "0.25/5000")
    assert "miettinen-nurminen" in good("0.2/100", "0.3/100")


def test_every_format_is_the_result() -> None:
    expected = te.difference((20, 100), (30, 100))
    assert te.load(run("20/100", "30/100", "--format", "json").stdout) == expected
    assert json.loads(run("20/100", "30/100", "-f", "json").stdout)["type"] == "Contrast"
    assert run("20/100", "30/100", "--format", "markdown").stdout.startswith("| ")
    assert "\\begin{tabular}" in run("20/100", "30/100", "--format", "latex").stdout
    assert run("20/100", "30/100", "--format", "html").stdout.startswith("<div>")
    assert "Miettinen" in run("20/100", "30/100", "--explain").stdout


@pytest.mark.parametrize(("args", "words"), [
    (("a/b", "3/4"), "cannot read 'a/b': write counts as X/N"),
    (("5/4", "3/4"), "more successes than rows"),
    (("1/4", "3/4", "--method", "walt"), "did you mean 'wald'"),
    (("1/4", "3/4", "--confidence", "95"), "did you mean 0.95"),
    (("1/4", "3/4", "--alternative", "bigger"), "'bigger' is not known"),
])  # fmt: skip
def test_errors_are_one_sentence(args: tuple[str, ...], words: str) -> None:
    done = run(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_usage_errors_exit_with_2() -> None:
    assert run("20/100").exit_code == 2
    assert run("20/100", "30/100", "--format", "xml").exit_code == 2


def test_the_method_that_a_caution_names_takes_the_same_rates() -> None:
    cautious = run("0.15/30", "0.25/5000", "--method", "wald").stdout
    method = " ".join(cautious.split()).partition("3.825; use ")[2].split()[0]
    assert run("0.15/30", "0.25/5000", "--method", method).exit_code == 0
