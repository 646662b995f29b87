"""REQUIREMENTS E7: level, p-value, null and alternative hypothesis in words; no difference shown is never "equal"."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import trueerror as te
from trueerror.cli._app import command_of
from trueerror.findings import every_rule

N = 200
RNG = np.random.default_rng(2)
TRUTH = RNG.integers(0, 2, N)


def called(wrong: int) -> Any:
    values = TRUTH.copy()
    rows = RNG.permutation(N)[:wrong]
    values[rows] = 1 - values[rows]
    return values


def said(command: str, *args: str) -> str:
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command(command)(command_of(command))
    done = CliRunner().invoke(made, [command, *args])
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


@cache
def open_questions() -> dict[str, str]:
    """Answers to questions that the data leave open."""
    scores = RNG.normal(0.8, 0.05, (10, 1)) + RNG.normal(0, 0.02, (10, 3))
    folds = RNG.normal(0.8, 0.05, (3, 2, 10))
    twins = te.predictions(TRUTH, {"a": (a := called(40)), "b": a})
    models = {"a": called(40), "b": called(42), "c": called(38)}
    return {
        "difference": said("difference", "20/100", "25/100"),
        "difference of twins": said("difference", "20/100", "20/100"),
        "rank": str(te.rank(scores)),
        "rank of two": str(te.rank(scores[:, :2])),
        "rank of twins": str(te.rank(np.column_stack((scores[:, 0], scores[:, 0])))),
        "rank with folds": str(te.rank(folds)),
        "nemenyi": str(te.rank(scores, method="nemenyi")),
        "compare": str(te.compare(TRUTH, {m: models[m] for m in "ab"})),
        "compare three": str(te.compare(TRUTH, models)),
        "compare twins": str(te.compare(twins)),
        "gap": str(te.training_gap(te.predictions(TRUTH, models), te.predictions(TRUTH, models))),
        "check": str(te.check(te.predictions(TRUTH, models))),
    }


@pytest.mark.parametrize(("question", "answer"), open_questions().items())
def test_E7_no_evidence_of_a_difference_is_never_called_equal(question: str, answer: str) -> None:
    text = " ".join(answer.lower().split())
    # What states the null hypothesis, or denies the claim, makes none.
    for said_rightly in ("if they were equally good", "does not mean that they are equally good"):
        text = text.replace(said_rightly, "")
    assert "equal" not in text
    for claim in (
        "identical",
        "no difference between",
        "are the same",
        "is the same",
        "as good as",
        "p = .000",
        "p = 0.000",
    ):
        assert claim not in text, question


@pytest.mark.parametrize("question", ["difference", "rank", "rank of two", "compare", "compare three"])
def test_E7_an_open_question_is_called_open(question: str) -> None:
    text = " ".join(open_questions()[question].split()).lower()
    assert "too close to call" in text


def test_E7_null_alternative_level_and_p_in_words() -> None:
    text = said("difference", "20/100", "34/100")
    assert "no difference (null hypothesis) against a difference either way (alternative), at the 5 % level" in text
    assert re.search(
        r"If they did not differ, a gap this large would come up about 1 time in \d+ \(p = \.\d{3}\)", text
    )
    one_sided = said("difference", "20/100", "34/100", "--alternative", "less", "--confidence", "0.99")
    assert "against a lower first rate (alternative), at the 1 % level" in one_sided


def test_E7_the_size_stands_beside_every_p_value() -> None:
    text = said("difference", "20/100", "34/100")
    assert text.index("−14.0 points") < text.index("p = ")
    scores = RNG.normal(0.8, 0.05, (12, 1)) + np.array([0.03, 0.0, -0.05]) + RNG.normal(0, 0.005, (12, 3))
    verdict = te.rank(scores, names=["a", "b", "c"]).verdict
    for found in re.finditer(r"p [=<] ", verdict):
        assert re.search(r"\d points", verdict[: found.start()][-80:])


def test_E7_a_posterior_is_labelled_so() -> None:
    # "95 % sure that the first is better" is a posterior with a prior, not what a p-value says.
    assert "Posterior P(first lower) = .949 (Jeffreys' prior)" in said("difference", "20/100", "30/100")


def test_E7_findings_do_not_claim_it_either() -> None:
    for r in every_rule().values():
        words = f"{r.title} {r.fix}".lower()
        assert "equal" not in words
        assert "prove" not in words


def test_D3_typed_folds_of_one_learner_have_mean_and_s() -> None:
    errors = [0.1, 0.12, 0.09, 0.11, 0.1, 0.08, 0.12, 0.1, 0.09, 0.11]
    one = te.significance.fold_differences(errors, names=("tree", ""))
    assert one.mean == pytest.approx(np.mean(errors))
    assert one.s == pytest.approx(np.std(errors, ddof=1))
    reach = 2.2622 * one.s / np.sqrt(10)
    assert (one.plain.low, one.plain.high) == pytest.approx((one.mean - reach, one.mean + reach), abs=1e-5)
    assert one.corrected.high > one.plain.high
    assert te.load(one.to_json()) == one
    typed = said("folds", "tree=" + ",".join(map(str, errors)))
    assert f"s {one.s:.4f}" in typed
    assert "corrected t 9 2.26" in typed


def test_E4_E7_unpaired_folds_in_the_shell_with_critical_value_and_null_hypothesis() -> None:
    a, b = [0.12, 0.10, 0.15, 0.11], [0.13, 0.12, 0.14]
    typed = said("folds", "A=" + ",".join(map(str, a)), "B=" + ",".join(map(str, b)), "--unpaired")
    known = te.significance.unpaired_t(a, b, df="conservative")
    assert known.df == 2
    assert f"t, fewer df −{-known.statistic:.2f} 2 4.30 .{round(1000 * known.p_value)}" in typed
    assert "Null hypothesis: on average the two do not differ" in typed
