"""A threshold that was tuned on the rows is recognised, and its rates on other rows are told with limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._tuned import CRITERIA, Criterion, cost_of_errors, counts_above, recall_of, tuned_for
from trueerror.tallies import ScoreTable

COSTLY = cost_of_errors(1.0, 20.0)


def scored(n: int = 300, seed: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return ScoreTable.count(truth, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * truth - 0.7))))


def best_of(t: ScoreTable, criterion: Criterion) -> int:
    return criterion.place(*counts_above(t.positives, t.negatives))


@pytest.mark.parametrize("criterion", [*CRITERIA, COSTLY, recall_of(0.9)], ids=lambda c: c.name)
def test_the_best_cutoff_of_the_rows_is_recognised(criterion: Criterion) -> None:
    t = scored()
    found = tuned_for(t, float(t.scores[best_of(t, criterion)]), [criterion])
    assert found is not None
    assert found.criterion.name == criterion.name
    assert found.expected.low < found.expected.estimate <= found.apparent < found.expected.high


@pytest.mark.parametrize("written", [round, lambda x, d: math.nextafter(x, 1.0)], ids=["rounded", "the next float"])
def test_or_next_to_it(written) -> None:
    t = scored()
    best = float(t.scores[best_of(t, CRITERIA[2])])
    assert tuned_for(t, written(best, 4)) is not None


def test_a_threshold_half_way_between_two_scores() -> None:
    t = scored()
    at = best_of(t, CRITERIA[0])
    assert tuned_for(t, float(t.scores[at - 1] + t.scores[at]) / 2) is not None


def test_the_best_step_of_a_grid() -> None:
    t, steps = scored(seed=3), np.arange(1, 90) / 100
    counts = counts_above(t.positives, t.negatives)
    values = CRITERIA[2].worth(*counts)[np.searchsorted(t.scores, steps)]
    found = [float(x) for x, v in zip(steps, values, strict=True) if v == values.max() and round(100 * x) % 5]
    assert found
    assert all(tuned_for(t, x) is not None for x in found)


def test_thresholds_named_beforehand_are_not() -> None:
    t = scored()
    assert all(tuned_for(t, x) is None for x in (0.5, 0.09, 0.25, 1.0, 0.123456, math.inf))
    # A score that is not the best one.
    assert tuned_for(t, float(t.scores[3])) is None


def test_thresholds_of_other_rows_are_hardly_ever_taken_for_tuned() -> None:
    taken = 0
    for seed in range(60):
        other = scored(seed=100 + seed)
        taken += tuned_for(scored(seed=seed), float(other.scores[best_of(other, CRITERIA[seed % 3])])) is not None
    assert taken <= 1


def test_tuning_costs_little_on_large_tables() -> None:
    rng = np.random.default_rng(1)
    scores = np.unique(rng.random(200_000))
    up = (rng.random(len(scores)) < scores).astype(int)
    t = ScoreTable(scores, up, 1 - up)
    found = tuned_for(t, float(scores[best_of(t, CRITERIA[0])]))
    assert found is not None
    assert math.isnan(found.expected.estimate)


def rows(n: int = 200) -> tuple[np.ndarray, dict[str, np.ndarray], float]:
    """The truth, two models' scores and the threshold that is best for F1 of the first."""
    rng = np.random.default_rng(7)
    truth = (rng.random(n) < 0.3).astype(int)
    scores = {name: 1 / (1 + np.exp(-(1.6 * truth + rng.normal(size=n) - 0.8))) for name in "ab"}
    t = ScoreTable.count(truth, scores["a"])
    return truth, scores, float(t.scores[best_of(t, CRITERIA[2])])


def test_evaluate_and_compare_say_so_once_for_the_model_that_it_was_tuned_for() -> None:
    truth, scores, cut = rows()
    for made in (
        te.evaluate(truth, scores=scores, threshold=cut, metrics=["f1", "recall"]),
        te.compare(truth, scores=scores, threshold=cut, metric="f1"),
    ):
        (found,) = [f for f in made.findings if f.code == "TE304"]
        assert found.about == "a"
        assert "looks best for F1" in found.message
        assert "on other rows expect 0." in found.message
    assert "TE304" not in te.evaluate(truth, scores=scores, threshold=0.5).findings


def test_costs_that_were_given_are_looked_at_too() -> None:
    truth, scores, _ = rows()
    t = ScoreTable.count(truth, scores["a"])
    cut = float(t.scores[best_of(t, cost_of_errors(1.0, 5.0))])
    ev = te.evaluate(truth, scores=scores["a"], threshold=cut, cost_fn=5)
    assert any("expected cost" in f.message for f in ev.findings if f.code == "TE304")


def test_a_gate_does_not_pass_what_a_tuned_threshold_flatters() -> None:
    truth, scores, cut = rows()
    p = te.predictions(truth, scores=scores)
    at_least = te.evaluate(truth, scores=scores["a"], threshold=cut, metrics="f1", confidence=0.9)["f1"].low - 1e-3
    asked = {"model": "a", "metric": "f1", "at_least": at_least, "threshold": cut}
    made = te.gate(p, **asked)
    assert made.decision == "cannot tell"
    assert "chosen on these rows" in made["f1"].note
    # A little lower threshold is not the best one, and the calls are the same but for one row.
    assert te.gate(p, **{**asked, "at_least": at_least - 0.1, "threshold": 0.5}).decision == "pass"


def test_nor_a_difference() -> None:
    truth, scores, cut = rows()
    worse = {"a": scores["a"], "b": np.random.default_rng(0).random(len(truth))}
    p = te.predictions(truth, scores=worse)
    made = te.gate(p, "b", metric="f1", threshold=cut)
    assert made.decision == "cannot tell"
    assert "chosen on these rows" in str(made)
    assert te.gate(p, "b", metric="f1", threshold=0.5).decision == "pass"
