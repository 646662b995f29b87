"""`trueerror power` and `trueerror sample-size`."""

from __future__ import annotations

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import trueerror as te
from tests.cli import program
from trueerror.cli._app import command_of


def run(name: str, *args: str) -> Any:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command(name)(command_of(name))
    return CliRunner().invoke(made, [name, *args])


def good(name: str, *args: str) -> str:
    done = run(name, *args)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    return " ".join(done.stdout.split())


def test_for_real() -> None:
    done = program.run("sample-size", "--accuracy", "0.9", "--half-width", "0.02")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("  868 rows: an accuracy near 90.0 % is then known to ±2 points (95 %")


def test_power_begins_with_whether_it_is_enough() -> None:
    text = good("power", "--n", "500", "--first", "0.82", "--second", "0.80", "--disagreement", "0.025")
    assert text.startswith("Enough: 500 rows find a difference of +2.0 points (82.0 % against 80.0 %) with 86 % power")
    assert "86 % power" in text
    assert "its sign is almost surely right; the estimate will be" in text
    few = good("power", "--n", "60", "--first", "0.82", "--second", "0.80")
    assert few.startswith("Too few: 60 rows")
    assert "its sign is wrong with probability" in few
    half = good("power", "--test", "two-proportions", "--n", "500", "--first", "0.85", "--second", "0.80")
    assert half.startswith("Hardly enough: 500 rows in each group")


def test_without_first_the_smallest_difference() -> None:
    text = good("power", "--n", "500", "--second", "0.8", "--disagreement", "0.1")
    expected = te.significance.smallest_difference(n=500, baseline=0.8, disagreement=0.1)
    assert f"{100 * expected.difference:+.1f} points" in text
    assert "Smaller differences are found less often" in text


def test_sample_size() -> None:
    text = good("sample-size", "--first", "0.87", "--second", "0.85", "--disagreement", "0.1")
    assert text.startswith("1,960 rows find a difference of +2.0 points")
    two = good("sample-size", "--test", "two-proportions", "--first", "0.8", "--second", "0.85")
    assert two.startswith("906 rows in each group")
    more = good("sample-size", "--accuracy", "0.9", "--half-width", "0.02", "--icc", "0.1", "--cluster-size", "11")
    assert more.startswith("1,735 rows")
    margin = good(
        "sample-size", "--test", "noninferiority", "--first", "0.9", "--margin", "0.02", "--disagreement", "0.05"
    )
    assert "show noninferiority within 2 points" in margin
    area = good("power", "--test", "auc", "--n", "100", "--first", "0.7", "--prevalence", "0.3")
    assert "+0.2 (0.700 against 0.500)" in area


def test_every_format_is_the_result() -> None:
    args = ("sample-size", "--first", "0.87", "--second", "0.85", "--disagreement", "0.1")
    expected = te.sample_size(first=0.87, second=0.85, disagreement=0.1)
    assert te.load(run(*args, "--format", "json").stdout) == expected
    assert run(*args, "--format", "markdown").stdout.startswith("| ")
    assert "\\begin{tabular}" in run(*args, "--format", "latex").stdout
    assert run(*args, "--format", "html").stdout.startswith("<div>")
    assert "Formula" in run(*args, "--explain").stdout
    power = run("power", "--n", "100", "--first", "0.9", "--second", "0.8", "--format", "json").stdout
    assert te.load(power) == te.power(n=100, first=0.9, second=0.8)


@pytest.mark.parametrize(("args", "words"), [
    (("power", "--n", "100"), "--second is needed: the accuracy that you start from"),
    (("power", "--n", "100", "--test", "auc"), "--first is needed"),
    (("power", "--n", "100", "--first", "0.9", "--second", "1.8"), "must lie between 0 and 1"),
    (("sample-size", "--accuracy", "0.9"), "--accuracy and --half-width go together"),
    (("sample-size", "--first", "0.8", "--second", "0.8"), "no number of rows shows a difference"),
    (("sample-size", "--test", "mcnemer", "--first", "0.8", "--second", "0.7"), "did you mean 'mcnemar'"),
])  # fmt: skip
def test_errors_are_one_sentence(args: tuple[str, ...], words: str) -> None:
    done = run(*args)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_power_needs_rows() -> None:
    assert run("power", "--first", "0.9", "--second", "0.8").exit_code == 2


def test_tables_of_a_plan_have_a_handful_of_titled_columns():
    made = te.power(n=500, first=0.82, second=0.80)
    head = made.to_markdown().splitlines()[0]
    assert head == "| test | rows | first | second | difference | level | power | wrong sign | times too large |"
    assert "margin" in te.power(test="equivalence", n=500, first=0.82, second=0.8, margin=0.05).to_markdown()
    assert te.sample_size(accuracy=0.9, half_width=0.02).to_markdown().splitlines()[0] == (
        "| test | rows | accuracy | half-width | confidence |"
    )
    assert max(map(len, str(made).splitlines())) <= 80
