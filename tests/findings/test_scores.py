"""TE3xx: each rule with a case that fires and cases that do not; and how a tuned threshold is recognised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trueerror.findings import Evidence, every_rule, find
from trueerror.findings.scores import MEASURES, TunedThreshold, cost_of_errors, tuned_threshold
from trueerror.results import Interval
from trueerror.sources._protocols import ScoreRange
from trueerror.tallies import ScoreTable


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


def area(estimate: float, low: float, high: float) -> Evidence:
    return fact(auc=Interval(name="AUC", estimate=estimate, low=low, high=high))


def forecasts(power: float, n: int = 2000) -> Evidence:
    """Truth drawn with probability p, forecasts p^power / (p^power + q^power): overconfident above 1."""
    rng = np.random.default_rng(3)
    p = rng.random(n)
    truth = (rng.random(n) < p).astype(int)
    shown = p**power / (p**power + (1 - p) ** power)
    return Evidence(scores=ScoreTable.count(truth, shown), facts={"probabilities": True})


def rare_forecasts(times):
    """1,000 forecasts of 1 %, 3,000 of 3 %, and so many times as many come true as `times` says."""
    return Evidence(scores=ScoreTable([0.01, 0.03], [int(10 / times), int(90 / times)], [990, 2910]),
                    facts={"probabilities": True})  # fmt: skip


CALLS = ScoreTable([0.0, 1.0], [10, 40], [45, 5])
TUNED = TunedThreshold(0.2371, "accuracy", 0.911, 0.894)
CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
    "TE301": (fact(score_range=ScoreRange(0.37, 0.37)), "every score is 0.370",
              [fact(score_range=ScoreRange(0.1, 0.9))]),
    "TE302": (area(0.31, 0.22, 0.41), "AUC 0.310 [0.220, 0.410] is clearly below 0.5",
              [area(0.45, 0.35, 0.55), area(0.9, 0.85, 0.94)]),
    "TE303": (
        fact(score_range=ScoreRange(-0.02, 1.03)), "scores run from -0.020 to 1.030",
        [fact(score_range=ScoreRange(0.0, 1.0)), fact(score_range=ScoreRange(-4.2, 5.1)),
         fact(score_range=ScoreRange(0.0, 1.0, 0.9999, 1.0001)), fact(score_range=ScoreRange(-3.0, 4.0, -2.0, 5.0))],
    ),
    "TE304": (fact(tuned_threshold=TUNED),
              "looks best for accuracy on these very rows (0.911; out of the bag it is 0.894)", [fact(threshold=0.5)]),
    "TE305": (
        Evidence(scores=CALLS), "the only scores are 0 and 1",
        [Evidence(scores=ScoreTable([0.0, 0.5, 1.0], [1, 9, 40], [40, 5, 5])),
         Evidence(scores=ScoreTable([0.2, 0.8], [10, 40], [45, 5]))],
    ),
    "TE307": (
        fact(score_range=ScoreRange(0.5, 98.0)), "are they percentages?",
        [fact(score_range=ScoreRange(0.0, 1.0)), fact(score_range=ScoreRange(-20.0, 90.0)),
         fact(score_range=ScoreRange(0.0, 12.0)), fact(score_range=ScoreRange(0.0, 300.0)),
         fact(score_range=ScoreRange(60.0, 80.0)), fact(score_range=ScoreRange(0.0, 90.0, 20.0, 140.0))],
    ),
    "TE306": (forecasts(4.0), "probabilities are off by",
              [forecasts(1.0), forecasts(4.0, 30), forecasts(1.1), rare_forecasts(1.0)]),
}  # fmt: skip


def test_every_rule_of_the_family_has_cases() -> None:
    assert set(CASES) == {code for code in every_rule() if code.startswith("TE3")}


@pytest.mark.parametrize("code", CASES)
def test_fires(code: str) -> None:
    evidence, words, _ = CASES[code]
    messages = [f.message for f in find([evidence]) if f.code == code]
    assert len(messages) == 1
    assert words in messages[0]


@pytest.mark.parametrize("code", CASES)
def test_stays_silent(code: str) -> None:
    for evidence in CASES[code][2]:
        assert code not in find([evidence])


def test_class_scores_that_are_no_probabilities() -> None:
    sums = find([fact(score_range=ScoreRange(0.0, 1.0, 0.91, 1.2))])
    assert "add up to 0.910 to 1.200" in sums[0].message
    values = find([fact(score_range=ScoreRange(-0.4, 1.3, 1.0, 1.0))])
    assert "add up to 1 but run from -0.400 to 1.300" in values[0].message


def test_labels_of_minus_one_and_one_are_labels_too() -> None:
    assert "TE305" in find([Evidence(scores=ScoreTable([-1.0, 1.0], [10, 40], [45, 5]))])


def test_probabilities_only_are_judged_by_calibration() -> None:
    odd = forecasts(4.0)
    assert "TE306" not in find([Evidence(scores=odd.scores, facts={"probabilities": False})])


def test_a_threshold_that_would_be_tuned() -> None:
    would = TunedThreshold(0.036, "cost", -0.12, -0.19, used=False)
    assert find([fact(tuned_threshold=would)])[0].message == (
        "a threshold tuned on these rows would be 0.036 and look like cost 0.120; out of the bag it is 0.190"
    )
    unknown = TunedThreshold(0.2371, "F1", 0.8, math.nan)
    assert find([fact(tuned_threshold=unknown)])[0].message.endswith("on these very rows (0.800)")


def scored(n: int = 300, seed: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return ScoreTable.count(truth, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * truth - 0.7))))


@pytest.mark.parametrize("metric", MEASURES)
def test_the_best_cutoff_of_the_rows_is_recognised(metric: str) -> None:
    t = scored()
    tp, fp = (np.cumsum(c[::-1])[::-1].astype(float) for c in (t.positives, t.negatives))
    best = float(t.scores[int(np.argmax(MEASURES[metric](tp, fp, tp[0], fp[0])))])
    found = tuned_threshold(t, best, measures=[(metric, MEASURES[metric])])
    assert found is not None
    assert found.metric == metric
    # In the bag it looks better than out of it.
    assert found.honest < found.apparent


def test_thresholds_named_beforehand_are_not() -> None:
    t = scored()
    assert all(tuned_threshold(t, x) is None for x in (0.5, 0.09, 0.25, 1.0, 0.123456, math.inf))
    # A score that is not the best one.
    assert tuned_threshold(t, float(t.scores[3])) is None


def test_a_threshold_half_way_between_two_scores() -> None:
    t = scored()
    tp, fp = (np.cumsum(c[::-1])[::-1].astype(float) for c in (t.positives, t.negatives))
    at = int(np.argmax(MEASURES["accuracy"](tp, fp, tp[0], fp[0])))
    assert tuned_threshold(t, float(t.scores[at - 1] + t.scores[at]) / 2) is not None


def test_costs_move_the_best_cutoff() -> None:
    t = scored()
    dear = cost_of_errors(1.0, 20.0)
    tp, fp = (np.cumsum(c[::-1])[::-1].astype(float) for c in (t.positives, t.negatives))
    best = float(t.scores[int(np.argmax(dear(tp, fp, tp[0], fp[0])))])
    found = tuned_threshold(t, best, measures=[("expected cost", dear)])
    assert found is not None
    assert found.apparent < 0
    assert tuned_threshold(t, best, measures=[("accuracy", MEASURES["accuracy"])]) is None


def test_tuning_costs_little_on_large_tables() -> None:
    rng = np.random.default_rng(1)
    scores = np.unique(rng.random(200_000))
    up = (rng.random(len(scores)) < scores).astype(int)
    t = ScoreTable(scores, up, 1 - up)
    tp, fp = (np.cumsum(c[::-1])[::-1].astype(float) for c in (t.positives, t.negatives))
    best = float(scores[int(np.argmax(MEASURES["accuracy"](tp, fp, tp[0], fp[0])))])
    found = tuned_threshold(t, best)
    assert found is not None
    assert math.isnan(found.honest)


def test_scores_of_a_row_that_add_up_to_100_are_percentages() -> None:
    assert "TE307" in find([fact(score_range=ScoreRange(20.0, 45.0, 100.0, 100.0))])
    assert "TE307" not in find([fact(score_range=ScoreRange(0.2, 0.5, 1.0, 1.0))])


def test_for_a_rare_class_five_points_would_be_too_many():
    assert "TE306" in find([rare_forecasts(2.5)])
