"""How a threshold that was tuned on the rows is recognised."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.findings.scores import MEASURES, cost_of_errors, tuned_threshold
from trueerror.tallies import ScoreTable


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
    costly = cost_of_errors(1.0, 20.0)
    tp, fp = (np.cumsum(c[::-1])[::-1].astype(float) for c in (t.positives, t.negatives))
    best = float(t.scores[int(np.argmax(costly(tp, fp, tp[0], fp[0])))])
    found = tuned_threshold(t, best, measures=[("expected cost", costly)])
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
