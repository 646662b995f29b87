"""Comparisons from what papers print: confusion matrices, four counts, two shares of the same rows."""

import json
import math

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import trueerror as te
from trueerror.cli._app import command_of
from trueerror.inference.proportion._paired import METHODS, mcnemar_bounds, mcnemar_test

M1 = te.Confusion([[150, 40], [60, 250]])
M2 = te.Confusion([[250, 45], [5, 200]])
COSTS = [[-1, 100], [1, 0]]


def shell(*words):
    # A program of its own: other tests register commands too.
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command(words[0])(command_of(words[0]))
    return CliRunner().invoke(made, list(words))


def test_two_matrices_are_compared_as_different_rows():
    cmp = te.compare({"M1": M1, "M2": M2})
    c = cmp["M2", "M1"]
    assert c.estimate == pytest.approx(0.1)
    same = te.difference((450, 500), (400, 500))
    assert (c.low, c.high, c.p_value) == pytest.approx((same.low, same.high, same.p_value))
    assert "not paired" in cmp.reading


def test_the_cost_of_two_matrices_is_compared_at_their_own_mixes_and_at_one():
    own = te.compare({"M1": M1, "M2": M2}, costs=COSTS)
    assert [round(own.estimates[m].estimate, 2) for m in ("M1", "M2")] == [7.82, 8.51]
    assert own.best == "M1"
    assert "TE413" in own.findings
    # At one mix, by hand: each class's mean cost, weighted by the mix.
    at = te.compare({"M1": M1, "M2": M2}, costs=COSTS, prior=0.5)
    first = 0.5 * (-150 + 40 * 100) / 190 + 0.5 * 60 / 310
    second = 0.5 * (-250 + 45 * 100) / 295 + 0.5 * 5 / 205
    assert [at.estimates[m].estimate for m in ("M1", "M2")] == pytest.approx([first, second])
    assert at.best == "M2"
    assert "TE413" not in at.findings
    assert "50 % 1" in str(at)


@pytest.mark.parametrize("metric", ["accuracy", "precision", "f1", "mcc", "balanced_accuracy", "kappa"])
def test_any_metric_of_labels_at_one_mix_is_that_of_evaluate(metric):
    cmp = te.compare(M1, M2, metric=metric, prior=0.2)
    for name, table in (("first", M1), ("second", M2)):
        own = te.evaluate(table, metrics=[metric], prior=0.2)[metric]
        assert cmp.estimates[name].estimate == pytest.approx(own.estimate)
    c = cmp["first", "second"]
    assert c.low < c.estimate < c.high


def test_metrics_that_no_mix_moves_raise_no_warning_about_it():
    assert "TE413" not in te.compare(M1, M2, metric="recall").findings
    alike = te.Confusion([[160, 30], [60, 250]])
    assert "TE413" not in te.compare(M1, alike).findings


def test_several_matrices_and_a_reference():
    cmp = te.compare({"a": M1, "b": M2, "c": M1}, metric="mcc")
    assert len(cmp.pairs) == 3
    assert cmp.tiers == (("b",), ("a", "c"))
    to_one = te.compare({"a": M1, "b": M2, "c": M1}, reference="b")
    assert [(c.first, c.second) for c in to_one.pairs] == [("a", "b"), ("c", "b")]


def test_classes_in_another_order_are_the_same_classes():
    named = te.Confusion([[50, 5], [10, 35]], ["no", "yes"], positive="yes")
    turned = te.Confusion([[35, 10], [5, 50]], ["yes", "no"], positive="yes")
    assert te.compare(named, turned, metric="recall")["first", "second"].estimate == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.compare(M1), "second confusion matrix is missing"),
        (lambda: te.compare({"a": M1}), "te.evaluate"),
        (lambda: te.compare(M1, [0, 1]), "no confusion matrix"),
        (lambda: te.compare(M1, M2, clusters=[1, 2]), "clusters= cannot be used here"),
        (lambda: te.compare(M1, M2, metric="auc"), "needs scores"),
        (lambda: te.compare(M1, M2, paired=True), "marginals="),
        (lambda: te.compare(M1, te.Confusion(np.eye(3, dtype=int) * 5)), "classes"),
        (lambda: te.compare(M1, M2, reference="third"), "not among the models"),
        (lambda: te.compare(M1, te.Confusion([[5, 0], [5, 0]]), metric="precision"), "undefined"),
        (lambda: te.compare(), "nothing to compare"),
        (lambda: te.compare(counts={"both": 1, "a": 2, "neither": 3}), "two models"),
        (lambda: te.compare(counts=[[1, 2], [3, 4]], metric="f1"), "metric= says nothing"),
        (lambda: te.compare(counts=[[1, 2], [3, 4]], paired=False), "same rows"),
        (lambda: te.compare(counts=[[1, 2], [3, 4]], marginals={}), "not both"),
        (lambda: te.compare(marginals={"A": (4, 5)}), "two models"),
        (lambda: te.compare(marginals={"A": (4, 5), "B": (4, 6)}), "5 and 6"),
        (lambda: te.compare(marginals={"A": (6, 5), "B": (4, 5)}), "more right answers"),
        (lambda: te.compare(marginals={"A": (1.0, 5), "B": (4, 5)}), "rate of 1"),
        (lambda: te.compare(marginals={"A": (0, 0), "B": (0, 0)}), "no rows"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_four_counts_in_python_are_those_of_the_shell():
    cmp = te.compare(counts={"both": 810, "new": 60, "old": 40, "neither": 90})
    out = shell("compare", "--counts", "both=810", "new=60", "old=40", "neither=90")
    assert out.exit_code == 0
    assert out.stdout.split("Add --explain")[0].split() == str(cmp).split("Estimates:")[0].split()
    table = te.compare(counts=[[810, 60], [40, 90]])
    assert table["first", "second"].p_value == cmp["new", "old"].p_value


def test_two_published_shares_leave_bounds():
    cmp = te.compare(marginals={"A": (456, 500), "B": (445, 500)})
    # b − c = 11, b + c from 11 to 99: Bin(11, ½) at 0 alone, and 55 of 99.
    assert cmp.p_low == pytest.approx(0.5**11)
    assert cmp.p_high == pytest.approx(te.significance.mcnemar(55, 44).p_value)
    assert cmp.differ == (11, 89, 99)
    assert cmp.deciding == 29
    assert te.significance.mcnemar(20, 9).p_value <= 0.05 < te.significance.mcnemar(21, 10).p_value
    assert "Too close to call without the pairs" in cmp.verdict
    assert cmp["A", "B"].p_value == cmp.p_high  # the most cautious
    assert cmp.at(agreement=0.9).p_value == pytest.approx(te.significance.mcnemar(31, 20).p_value)
    with pytest.raises(ValueError, match=r"0\.802 to 0\.978"):
        cmp.at(agreement=0.5)
    assert te.load(cmp.to_json()) == cmp
    rated = te.compare(marginals={"A": (0.912, 500), "B": (0.89, 500)})
    assert rated.p_high == cmp.p_high


def test_the_verdict_follows_the_bounds():
    assert "A is better" in te.compare(marginals={"A": (456, 500), "B": (400, 500)}).verdict
    assert "B is better" in te.compare(marginals={"A": (400, 500), "B": (456, 500)}).verdict
    assert "Too close to call" in te.compare(marginals={"A": (450, 500), "B": (450, 500)}).verdict
    assert "Too close to call" in te.compare(marginals={"A": (4, 5), "B": (3, 5)}).verdict


@settings(deadline=None, max_examples=60)
@given(n=st.integers(1, 60), data=st.data())
def test_every_possible_agreement_lies_within_the_bounds(n, data):
    x, y = (data.draw(st.integers(0, n)) for _ in range(2))
    method = data.draw(st.sampled_from(METHODS))
    alternative = data.draw(st.sampled_from(("two-sided", "greater", "less")))
    found = mcnemar_bounds(x, y, n, method=method, alternative=alternative)
    every = []
    for both in range(min(x, y) + 1):
        if n - x - y + both >= 0:
            every.append((x + y - 2 * both, mcnemar_test(x - both, y - both, method, alternative)[1]))
    assert found.p_low == pytest.approx(min(p for _, p in every))
    assert found.p_high == pytest.approx(max(p for _, p in every))
    assert {found.differ[0], found.differ[2]} == {min(m for m, _ in every), max(m for m, _ in every)}
    if found.deciding is not None:
        assert all((p <= 0.05) == (m <= found.deciding) for m, p in every if x != y)


def test_bounds_of_huge_samples_are_quick_and_finite():
    found = mcnemar_bounds(900_000_000, 899_990_000, 1_000_000_000)
    assert 0 < found.p_low <= found.p_high <= 1
    assert all(math.isfinite(c.low) and math.isfinite(c.high) for c in found.contrasts)


def test_slices_and_evaluations_are_compared():
    truth = np.repeat([0, 1], [450, 50])
    calls = np.array([0] * 420 + [1] * 30 + [0] * 14 + [1] * 36)
    group = np.where(np.arange(500) % 3 == 0, "a", "b")
    ev = te.evaluate(truth, calls, by=group)
    cmp = te.compare(ev.slices["a"], ev.slices["b"], metric="recall")
    c = te.difference(ev.slices["a"], ev.slices["b"], metric="recall")
    assert cmp.pairs[0].estimate == pytest.approx(c.estimate)
    assert cmp.pairs[0].p_value == pytest.approx(c.p_value)
    loaded = [te.load(ev.slices[s].to_json()) for s in ("a", "b")]
    assert te.compare(*loaded, metric="recall").pairs[0].p_value == pytest.approx(c.p_value)


def test_the_shell_compares_typed_matrices():
    out = shell("compare", "--matrix", "M1=150 40 60 250", "--matrix", "M2=250 45 5 200", "--costs", str(COSTS),
                "--prior", "0.5", "--format", "json")  # fmt: skip
    assert out.exit_code == 0
    data = json.loads(out.stdout)
    ours = te.compare({"M1": M1, "M2": M2}, costs=COSTS, prior=0.5)
    assert data["pairs"][0]["p_value"] == pytest.approx(ours.pairs[0].p_value)
    plain = shell("compare", "--matrix", "M1=150 40 60 250", "--matrix", "M2=250 45 5 200")
    assert "at one mix" in " ".join(plain.stdout.split())
    assert "prior=" not in plain.stdout


@pytest.mark.parametrize(
    "written",
    ["150 40 60 250", "150 40; 60 250", "[[150, 40], [60, 250]]", "tp=250 fp=40 fn=60 tn=150", "150,40,60,250"],
)
def test_the_shell_evaluates_a_typed_matrix(written):
    out = shell(
        "evaluate", "--matrix", written, "--costs", str(COSTS), "--metric", "accuracy", "--metric", "total_cost"
    )
    assert out.exit_code == 0, out.output
    assert "0.800" in out.stdout
    assert "3,910" in out.stdout
    assert '"0" rightly predicted −1' in " ".join(out.stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate"], "--matrix"),
        (["evaluate", "--matrix", "1 2 3"], "no square"),
        (["evaluate", "--matrix", "1 2 x 3"], "'x' is no count"),
        (["evaluate", "rows.csv", "--matrix", "1 2 3 4"], "not both"),
        (["evaluate", "--matrix", "a=1 2 3 4", "--matrix", "a=1 2 3 4"], "two matrices are called 'a'"),
        (["compare", "--matrix", "1 2 3 4"], "judges one"),
        (["compare", "--matrix", "a=1 2 3 4", "--matrix", "a=1 2 3 4"], "two matrices are called 'a'"),
        (["compare", "--counts", "--marginals", "a=1"], "one of them"),
        (["compare", "--marginals", "A=456"], "NAME=RIGHT/ROWS"),
        (["compare", "rows.csv", "--agreement", "0.9"], "goes with --marginals"),
    ],
)
def test_wrong_counts_in_the_shell_end_with_one_sentence(words, said):
    out = shell(*words)
    assert out.exit_code == 2
    assert said in out.stderr


def test_the_shell_bounds_two_shares():
    out = shell("compare", "--marginals", "A=456/500", "B=0.89/500")
    assert ".00049 and .271" in " ".join(out.stdout.split())
    at = shell("compare", "--marginals", "A=456/500", "B=445/500", "--agreement", "0.9")
    assert "p = .126" in at.stdout
