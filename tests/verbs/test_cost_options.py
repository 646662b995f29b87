"""Comparing scores by cost: options that are obeyed or refused, slices, and words that are true."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.findings._rules import Evidence, find
from trueerror.inference._tuned import Tuned, cost_of_errors
from trueerror.inputs._options import InputError
from trueerror.results import Interval

N = 900
DRAWN = np.random.default_rng(8)
TRUTH = (DRAWN.random(N) < 0.25).astype(int)
SCORES = {
    name: 1 / (1 + np.exp(1.4 - 2 * skill * (TRUTH - 0.2) - DRAWN.normal(size=N)))
    for name, skill in (("good", 1.5), ("fair", 1.0), ("poor", 0.4))
}
SITE = np.array(["Oslo", "Rome", "Lima"])[np.arange(N) % 3]


@cache
def by_cost(threshold: float = 0.3, by: bool = False) -> te.results.Comparison:
    return te.compare(TRUTH, scores=SCORES, cost_fn=50, threshold=threshold, replicates=200, by=SITE if by else None)


def test_the_method_is_obeyed_or_refused():
    made = te.compare(TRUTH, scores=SCORES, cost_fn=50, threshold=0.3, method="bootstrap", replicates=200)
    assert {c.method for c in made.pairs}.isdisjoint(c.method for c in by_cost().pairs)
    with pytest.raises(InputError, match="'exact' is not offered for expected_cost"):
        te.compare(TRUTH, scores=SCORES, cost_fn=50, method="exact")


@pytest.mark.parametrize("option", [{"alternative": "greater"}, {"margin": 0.1}])
@pytest.mark.parametrize("costs", [{"cost_fn": 50}, {"costs": [[0, 1], [50, 0]]}])
def test_a_side_or_a_margin_goes_with_costs_however_they_are_given(option: dict[str, Any], costs: dict[str, Any]):
    made = te.compare(TRUTH, scores=SCORES, **costs, **option)
    assert made.pairs[0].alternative == option.get("alternative", "two-sided")
    assert bool(made.within_margin) == ("margin" in option)
    plain = te.compare(TRUTH, scores=SCORES, **costs)
    assert [c.estimate for c in made.pairs] == [c.estimate for c in plain.pairs]


def test_the_margin_of_labels_is_one_of_costs():
    calls = {name: (s >= 0.3).astype(int) for name, s in SCORES.items()}
    made = te.compare(TRUTH, calls, cost_fn=50, margin=2, positive=1)
    assert made.margin == 2


def test_different_rows_are_compared_by_costs_too():
    halves = [
        te.predictions(TRUTH[half], scores={"good": SCORES["good"][half]}) for half in (SITE == "Oslo", SITE == "Rome")
    ]
    by_two, by_table = (te.compare(*halves, paired=False, **c) for c in ({"cost_fn": 50}, {"costs": [[0, 1], [50, 0]]}))
    assert by_two.metric == "expected_cost"
    assert by_two.pairs == by_table.pairs


def test_slices_are_compared_by_the_same_costs_at_the_same_threshold():
    made = by_cost(by=True)
    assert set(made.slices) == set(SITE)
    for site, inner in made.slices.items():
        rows = site == SITE
        alone = te.compare(TRUTH[rows], scores={m: s[rows] for m, s in SCORES.items()}, cost_fn=50, threshold=0.3)
        for c in inner.pairs:
            same = alone[c.first, c.second]
            assert (c.estimate, c.p_value) == (same.estimate, same.p_value)
    assert made.pairs == by_cost().pairs
    assert te.load(made.to_json()) == made


def test_differences_of_costs_are_shown_per_100_rows():
    made = by_cost(by=True)
    text = str(made)
    first, second = made.ranked[:2]
    assert f"{first} − {second} in expected cost per 100 rows, by slice" in text
    gap = 100 * made.slices["Oslo"][first, second].estimate
    shown = next(line for line in text.splitlines() if line.startswith("Oslo")).split()[2]
    assert float(shown.replace("−", "-").replace(",", "")) == pytest.approx(gap, abs=0.06)
    table = made.all_pairs()
    assert table.columns[2] == "first − second (per 100 rows)"
    assert float(str(table.rows[0][2]).replace("−", "-")) == pytest.approx(100 * made[first, second].estimate, abs=0.06)


def test_clear_differences_are_called_clear_where_another_threshold_would_be_cheaper():
    made = by_cost()
    assert made.cheaper_tuned is not None
    assert all(made.told_apart(made.best, m) for m in made.ranked[1:])
    assert "Clear differences: at 0.3, fair costs more (" in made.verdict
    assert "Not certain" not in made.verdict
    # Where both flag nearly every row the difference is open.
    assert "Not certain: at 0.02, fair may be as cheap" in by_cost(0.02).verdict


def test_a_tie_for_the_best_leaves_what_is_clear_clear():
    scores = {"good": SCORES["good"], "same": SCORES["good"], "poor": SCORES["poor"]}
    tied = te.compare(TRUTH, scores=scores, cost_fn=50, threshold=0.3, replicates=200)
    assert tied.leaders == ("good", "same")
    assert "Clear differences: at 0.3, poor costs more (" in tied.verdict


@pytest.mark.parametrize(
    ("apparent", "honest", "said"),
    [
        (0.9, 0.85, True),
        (0.9, 0.9001, False),
        (0.9, 0.92, False),
        (-31.6, -31.62, False),
        (-31.6, -30.0, False),
        (-31.6, -34.0, True),
        (0.9, math.nan, True),
    ],
)
@pytest.mark.parametrize("used", [True, False])
def test_a_threshold_chosen_on_the_rows_is_found_where_something_is_lost(
    apparent: float, honest: float, said: bool, used: bool
):
    corrected = Interval(estimate=honest, low=math.nan, high=math.nan)
    promise = Tuned(0.123, cost_of_errors(1.0, 1.0), apparent, corrected, used=used)
    assert ("TE304" in find([Evidence(tuned_threshold=promise)])) == said


def test_the_advice_on_missing_predictions_goes_with_either_way_to_count_them():
    gappy = [None, *(SCORES["good"][1:] >= 0.3).astype(int)]
    (found,) = [f for f in te.evaluate(TRUTH, gappy, positive=1, missing="drop").findings if f.code == "TE206"]
    assert found.fix.startswith("Get what is missing, or see what the other way")


def test_several_models_on_different_rows_are_told_to_choose():
    draw = np.random.default_rng(1)
    samples = []
    for size in (300, 200):
        truth = draw.integers(0, 2, size)
        samples.append(te.predictions(truth, {m: np.where(draw.random(size) < 0.8, truth, 1 - truth) for m in "ab"}))
    with pytest.raises(te.InputError, match=r"one model is compared with one, .* 'a' and 'b'.*: name one of each"):
        te.compare(*samples, paired=False)
    one = te.compare(samples[0].select("a"), samples[1].select("b"), paired=False)
    assert one.models == ("a", "b")
