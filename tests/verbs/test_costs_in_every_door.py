"""Costs decide the calls of probabilities: in evaluate, compare, gate and slices, of two classes and of more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from tests.cli.program import run

RNG = np.random.default_rng(2)
N = 500
CHANCE = RNG.random(N)
TRUTH = (RNG.random(N) < CHANCE).astype(int)
SCORES = {"p": CHANCE, "q": np.clip(CHANCE + 0.1 * RNG.normal(size=N), 0.001, 0.999)}
TWO = [[0, 1], [10, 0]]
THREE = np.array([[0, 1, 1], [1, 0, 1], [8, 8, 0]])
MIX = RNG.dirichlet([1, 1, 1], size=N)
CLASSES = np.array([RNG.choice(3, p=row) for row in MIX])


def by_hand(scores: Any, costs: Any, truth: Any) -> float:
    """What the cheapest calls cost on average."""
    prices = np.asarray(costs)
    each = np.column_stack([1 - scores, scores]) if np.ndim(scores) == 1 else scores
    return float(prices[truth, np.argmin(each @ prices, axis=1)].mean())


@pytest.mark.parametrize("costs", [{"costs": TWO}, {"costs": {"fp": 1, "fn": 10}}, {"cost_fn": 10}])
def test_s4_every_verb_calls_what_costs_least(costs: dict[str, Any]):
    expected = {m: by_hand(s, TWO, TRUTH) for m, s in SCORES.items()}
    p = te.predictions(TRUTH, scores=SCORES)
    compared, gated, judged = te.compare(p, **costs), te.gate(p, "q", **costs), te.evaluate(p, **costs)
    for m, price in expected.items():
        assert compared.estimates[m].estimate == pytest.approx(price)
        assert judged.model(m)["expected_cost"] == compared.estimates[m]
    check = gated["expected_cost"]
    assert (check.candidate, check.baseline) == pytest.approx((expected["p"], expected["q"]))
    assert check.estimate == pytest.approx(compared["p", "q"].estimate)
    assert "Threshold 0.091 (from the costs)." in " ".join(str(judged).split())


def test_s4_more_classes_too():
    scores = {"a": MIX, "b": 0.7 * MIX + 0.3 * RNG.dirichlet([1, 1, 1], size=N)}
    p = te.predictions(CLASSES, scores=scores)
    expected = {m: by_hand(s, THREE, CLASSES) for m, s in scores.items()}
    compared, judged = te.compare(p, costs=THREE), te.evaluate(p, costs=THREE)
    assert {m: i.estimate for m, i in compared.estimates.items()} == pytest.approx(expected)
    assert judged.model("a")["expected_cost"].estimate == pytest.approx(expected["a"])
    assert te.gate(p, "b", costs=THREE).checks[0].candidate == pytest.approx(expected["a"])
    assert "Each row gets the call that costs least" in " ".join(str(judged).split())
    # Labels are judged as they stand.
    calls = te.evaluate(CLASSES, MIX.argmax(axis=1), costs=THREE)
    assert calls["expected_cost"].estimate == pytest.approx(THREE[CLASSES, MIX.argmax(axis=1)].mean())
    assert calls["expected_cost"].estimate > expected["a"]


def test_s4_labels_beside_probabilities_give_way_to_the_costs_and_labels_alone_stay():
    half = (CHANCE >= 0.5).astype(int)
    both = te.evaluate(TRUTH, half, scores=CHANCE, costs=TWO)
    assert both["expected_cost"].estimate == pytest.approx(by_hand(CHANCE, TWO, TRUTH))
    alone = te.evaluate(TRUTH, half, costs=TWO)
    assert alone["expected_cost"].estimate == pytest.approx(np.asarray(TWO)[TRUTH, half].mean())
    mixed = te.compare(te.predictions(TRUTH, {"labels": half}, scores={"scores": CHANCE}), costs=TWO)
    assert mixed.estimates["scores"] == te.compare(TRUTH, scores=SCORES, costs=TWO).estimates["p"]


def test_s4_another_class_mix_moves_the_threshold_and_slices_keep_it():
    at_mix = te.evaluate(TRUTH, scores=CHANCE, costs=TWO, prior=0.1)
    cut = te.roc(TRUTH, CHANCE).operating_point(prior=0.1, cost_fn=10).untuned
    given = te.evaluate(TRUTH, scores=CHANCE, costs=TWO, prior=0.1, threshold=cut)
    assert at_mix["expected_cost"].estimate == pytest.approx(given["expected_cost"].estimate)
    site = np.arange(N) % 2
    sliced = te.evaluate(TRUTH, scores=CHANCE, costs=TWO, prior=0.1, by=site)
    one = te.evaluate(TRUTH[site == 0], scores=CHANCE[site == 0], costs=TWO, prior=0.1, threshold=cut)
    assert sliced.slices[0]["expected_cost"].estimate == pytest.approx(one["expected_cost"].estimate)


def test_s4_costs_with_gains_name_a_threshold_as_well():
    gains = [[-1, 4], [10, -5]]
    assert te.evaluate(TRUTH, scores=CHANCE, costs=gains)["expected_cost"].estimate == pytest.approx(
        by_hand(CHANCE, gains, TRUTH)
    )
    # One answer is never dearer: no threshold follows, and 0.5 stays.
    odd = te.evaluate(TRUTH, scores=CHANCE, costs=[[0, -1], [10, 0]])
    assert "Threshold 0.5." in " ".join(str(odd).split())


@pytest.mark.parametrize("words", [["--cost-fn", "10"], ["--costs", "[[0, 1], [10, 0]]"]])
def test_s4_the_shell_and_files_say_the_same(words: list[str], tmp_path: Path):
    file = tmp_path / "pq.csv"
    pd.DataFrame({"truth": TRUTH, **SCORES}).to_csv(file, index=False)

    def said(*command: str) -> Any:
        out = run(*command, str(file), *words, "--format", "json")
        assert out.returncode in (0, 1, 3), out.stderr
        return te.load(out.stdout)

    library = te.compare(TRUTH, scores=SCORES, costs=TWO)
    compared = said("compare")
    assert compared.estimates["p"] == library.estimates["p"]
    gated = said("gate", "--model", "p", "--baseline", "q")
    assert gated.checks[0].candidate == library.estimates["p"].estimate


def test_s7_costs_lead_the_verdict_and_the_constant_is_judged_by_cost():
    table = te.Confusion([[150, 40], [60, 250]], labels=["+", "-"], positive="+")
    made = te.evaluate(table, costs=[[-1, 100], [1, 0]])
    assert made.verdict == (
        "model costs 7.8 a row, 95 % CI 5.7 to 10.5. "
        'Always answering "+" would cost 0.240: the model is clearly more costly than that (p < .001).'
    )
    assert te.load(made.to_json()).verdict == made.verdict
    good = te.evaluate(TRUTH, scores=CHANCE, costs=[[0, 1], [1, 0]])
    assert "the model is clearly cheaper than that (p < .001)" in good.verdict


def test_s8_a_matrix_is_echoed_with_its_positive_class_and_the_other_order_is_offered():
    out = run("evaluate", "--matrix", "150 40 60 250").stdout
    said = " ".join(out.split())
    assert 'Counts of 500 rows, "1" is positive: TP 250, FN 60, FP 40, TN 150.' in said
    assert "if they are the positive one: --positive 0." in said
    turned = run("evaluate", "--matrix", "150 40 60 250", "--positive", "0").stdout
    assert 'Counts of 500 rows, "0" is positive: TP 150, FN 40, FP 60, TN 250.' in " ".join(turned.split())
    assert "if they are the positive one" not in " ".join(turned.split())


def test_s10_another_class_mix_is_said_and_rows_like_these_are_not():
    out = run("evaluate", "--matrix", "tp=43 fp=7 fn=5 tn=95", "--prior", "0.02").stdout
    said = " ".join(out.split())
    assert "At another class mix: 2 % 1." in said
    assert "rows like these" not in said
    assert "right on 93.1 % of rows at the class mix asked for" in said


def test_b4_two_matrices_are_evaluated_beside_each_other():
    tables = {"M1": te.Confusion([[150, 40], [60, 250]], ["+", "-"], positive="+"),
              "M2": te.Confusion([[250, 45], [5, 200]], ["+", "-"], positive="+")}  # fmt: skip
    made = te.evaluate(tables, costs=[[-1, 100], [1, 0]])
    for name, table in tables.items():
        assert made.model(name)["expected_cost"] == te.evaluate(table, costs=[[-1, 100], [1, 0]])["expected_cost"]
    out = run("evaluate", "--matrix", "M1=150 40 60 250", "--matrix", "M2=250 45 5 200")
    assert out.returncode == 0
    assert "M1" in out.stdout
    assert "M2" in out.stdout
