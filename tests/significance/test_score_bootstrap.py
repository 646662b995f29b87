"""Differences of metrics of scores by the bootstrap of rows and clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import trueerror as te
from trueerror.metrics.registry import find_measure
from trueerror.significance.score_bootstrap import expanded_tail, narrowed_tail, paired_score_contrast
from trueerror.tallies import ScoreTable

METRICS = ("average_precision", "brier_skill_score", "ece", "auc")


def rows(n: int = 80, seed: int = 0) -> tuple[NDArray[np.bool_], list[NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    up = rng.random(n) < 0.3
    return up, [np.round(1 / (1 + np.exp(1 - rng.standard_normal(n) - pull * up)), 2) for pull in (2.0, 1.0)]


@pytest.mark.parametrize("metric", METRICS)
def test_the_estimate_is_the_difference_of_the_metric_itself(metric: str) -> None:
    up, (one, two) = rows()
    measure = find_measure(metric)
    made = paired_score_contrast(measure, up, one, two, replicates=200)
    alone = [float(measure.function(ScoreTable.count(up, s))) for s in (one, two)]
    assert made.estimate == pytest.approx(alone[0] - alone[1], abs=1e-12)
    assert made.low < made.estimate < made.high


def test_replicates_do_not_depend_on_how_they_are_dealt_out(monkeypatch: pytest.MonkeyPatch) -> None:
    up, (one, two) = rows()
    measure = find_measure("average_precision")
    whole = paired_score_contrast(measure, up, one, two, replicates=150, rng=3)
    monkeypatch.setattr("trueerror.significance.score_resamples.BLOCK", 1_000)
    parts = paired_score_contrast(measure, up, one, two, replicates=150, rng=3)
    assert (whole.low, whole.high, whole.p_value) == (parts.low, parts.high, parts.p_value)


def test_changing_places_turns_the_signs() -> None:
    up, (one, two) = rows()
    measure = find_measure("average_precision")
    ahead = paired_score_contrast(measure, up, one, two, replicates=400, rng=1)
    behind = paired_score_contrast(measure, up, two, one, replicates=400, rng=1)
    assert (behind.estimate, behind.low, behind.high) == pytest.approx((-ahead.estimate, -ahead.high, -ahead.low))
    assert behind.p_value == pytest.approx(ahead.p_value)
    assert behind.p_better == pytest.approx(1 - (ahead.p_better or 0))


def test_the_interval_and_the_test_agree() -> None:
    measure = find_measure("average_precision")
    for seed in range(12):
        up, (one, two) = rows(60, seed)
        made = paired_score_contrast(measure, up, one, two, replicates=999, rng=seed)
        excluded = not made.low <= 0 <= made.high
        if abs(made.p_value - 0.05) > 0.004:
            assert excluded == (made.p_value <= 0.05)


def test_whole_clusters_are_drawn() -> None:
    up, (one, two) = rows(40)
    many = [np.repeat(a, 5) for a in (up, one, two)]
    keys = np.repeat(np.arange(40), 5)
    measure = find_measure("average_precision")
    plain = paired_score_contrast(measure, up, one, two, replicates=800, rng=2)
    copied = paired_score_contrast(measure, *many, clusters=keys, replicates=800, rng=2)
    # Rows that are there five times tell no more than once.
    assert (copied.low, copied.high) == pytest.approx((plain.low, plain.high), abs=1e-12)
    assert "40 clusters drawn whole" in copied.note
    ignored = paired_score_contrast(measure, *many, replicates=800, rng=2)
    assert ignored.high - ignored.low < 0.6 * (plain.high - plain.low)


def test_models_that_never_differ_have_width_and_no_verdict() -> None:
    up, (one, _) = rows()
    made = paired_score_contrast(find_measure("average_precision"), up, one, one, replicates=200)
    assert made.estimate == 0
    assert made.low < 0 < made.high
    assert made.p_value == 1.0
    assert "alike" in made.note


def test_few_rows_of_a_class_widen_the_limits() -> None:
    assert expanded_tail(0.025, 2) < 1e-50
    assert expanded_tail(0.025, 10) < expanded_tail(0.025, 20) < 0.025
    for rows_, tail in ((2, 0.1), (5, 0.025), (500, 0.005)):
        assert narrowed_tail(expanded_tail(tail, rows_), rows_) == pytest.approx(tail, rel=1e-6)
    # By hand: t(19) = 2.0930, times √(20/19) = 2.1474.
    assert expanded_tail(0.025, 20) == pytest.approx(0.5 * math.erfc(2.1474 / math.sqrt(2)), rel=1e-3)
    up = np.arange(50) < 2
    rng = np.random.default_rng(0)
    one, two = (rng.standard_normal(50) + up for _ in range(2))
    made = paired_score_contrast(find_measure("average_precision"), up, one, two, replicates=300)
    assert -1 <= made.low < made.high <= 1
    assert made.p_value > 0.2


def test_compare_gives_this_contrast() -> None:
    up, (one, two) = rows()
    for keys in (None, np.repeat(np.arange(16), 5)):
        made = te.compare(up, scores={"a": one, "b": two}, positive=True, metric="average_precision", clusters=keys)
        own = paired_score_contrast(find_measure("average_precision"), up, one, two, clusters=keys)
        (pair,) = made.pairs
        assert (pair.low, pair.high, pair.p_value, pair.method) == (own.low, own.high, own.p_value, own.method)
