"""Differences of metrics of scores by the bootstrap of rows and clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import trueerror as te
from trueerror.inference.bootstrap._paired_scores import (
    expanded_tail,
    narrowed_tail,
    paired_replicates,
    paired_score_contrast,
)
from trueerror.inputs._options import InputError, generator
from trueerror.kernels._random import seed_of
from trueerror.metrics._registry import find_measure
from trueerror.results import Alternative
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
    monkeypatch.setattr("trueerror.inference.bootstrap._paired_scores.BLOCK", 1_000)
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
        assert excluded == (made.p_value < 0.05)


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
        made = te.compare(
            up,
            scores={"a": one, "b": two},
            positive=True,
            metric="average_precision",
            clusters=keys,
            method="bootstrap",
        )
        own = paired_score_contrast(find_measure("average_precision"), up, one, two, clusters=keys)
        (pair,) = made.pairs
        assert (pair.low, pair.high, pair.p_value, pair.method) == (own.low, own.high, own.p_value, own.method)


ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def few_rows(m: int, seed: int, pull: float) -> tuple[NDArray[np.bool_], list[NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    up = np.arange(40) < m
    return up, [rng.standard_normal(40) + p * up for p in (pull, 0.0)]


@pytest.mark.parametrize("m", range(1, 9))
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_limits_and_p_value_never_disagree_however_few_rows(m: int, alternative: Alternative) -> None:
    for metric in ("average_precision", "brier_skill_score"):
        for seed, pull in enumerate((0.5, 2.0, 4.0)):
            up, (one, two) = few_rows(m, seed, pull)
            if metric == "brier_skill_score":
                one, two = (1 / (1 + np.exp(2 - s)) for s in (one, two))
            for confidence in (0.5, 0.8, 0.95, 0.99):
                made = paired_score_contrast(
                    find_measure(metric), up, one, two, replicates=300, rng=seed, alternative=alternative,
                    confidence=confidence,
                )  # fmt: skip
                assert (made.low > 0 or made.high < 0) == (made.p_value < 1 - confidence), made
                assert 0 < made.p_value <= 1
                assert made.low < made.high


def test_replicates_on_the_other_side_of_0_do_not_set_the_p_value_against_the_limits() -> None:
    """Resampling adds to calibration errors, most where forecasts hold: replicates turn the sign of the difference."""
    rng = np.random.default_rng(0)
    holds = rng.uniform(0.02, 0.98, 1_000)
    up = rng.random(1_000) < holds
    measure, options = find_measure("ece"), {"bins": 200}
    error = float(measure.function(ScoreTable.count(up, holds), **options))
    constant = np.full(1_000, up.mean() + error + 0.002)
    for first, second, sign in ((holds, constant, -1), (constant, holds, 1)):
        made = paired_score_contrast(measure, up, first, second, options=options, replicates=400)
        assert made.estimate == pytest.approx(sign * 0.002)
        # A smaller error is better; nearly all replicates say so of the one that the rows say it is not.
        assert (made.p_better or 0) * sign > (0.99 if sign > 0 else -0.01)
        assert made.low <= 0 <= made.high
        assert made.p_value == 1
        assert "borderline" not in made.note


def test_two_rows_of_a_class_by_hand() -> None:
    """t with 1 degree of freedom is 12.706, √(2/1) = 1.4142; the spread is that of the replicates themselves."""
    up, (one, two) = few_rows(2, 1, 2.0)
    measure = find_measure("average_precision")
    made = paired_score_contrast(measure, up, one, two, replicates=400, rng=7)
    estimate, values, _ = paired_replicates(measure, up, one, two, draws=400, seed=seed_of(generator(7)[0]))
    error = math.sqrt(2) * float(np.nanstd(values))
    assert made.estimate == estimate
    ends = max(-1.0, estimate - 12.7062 * error), min(1.0, estimate + 12.7062 * error)
    assert (made.low, made.high) == pytest.approx(ends)
    # Student's t with one degree of freedom is Cauchy's distribution.
    assert made.p_value == pytest.approx(1 - 2 / math.pi * math.atan(abs(estimate) / error))
    assert "2 rows of the rarer class" in made.note
    assert "Student's t" in made.note


def test_one_row_of_a_class_tells_nothing() -> None:
    up, (one, two) = few_rows(1, 0, 5.0)
    for alternative in ALTERNATIVES:
        made = paired_score_contrast(find_measure("average_precision"), up, one, two, alternative=alternative)
        assert (made.low, made.high, made.p_value, made.p_better) == (-1, 1, 1, None)
        assert "whole range" in made.note


def test_one_class_alone_is_refused() -> None:
    for up in (np.ones(20, dtype=bool), np.zeros(20, dtype=bool)):
        one, two = np.linspace(0.1, 0.9, 20), np.linspace(0.9, 0.1, 20)
        for metric in ("brier_skill_score", "auc"):
            with pytest.raises(InputError, match="is undefined"):
                paired_score_contrast(find_measure(metric), up, one, two, replicates=50)
        made = paired_score_contrast(find_measure("ece"), up, one, two, replicates=50)
        assert (made.low, made.high, made.p_value) == (-1, 1, 1)
    with pytest.raises(InputError, match="no rows"):
        paired_score_contrast(find_measure("auc"), np.zeros(0, dtype=bool), np.zeros(0), np.zeros(0))


def test_replicates_that_are_alike_need_enough_rows_to_tell_models_apart() -> None:
    # A model that is always right beside one that is always wrong: every replicate has the area 1 − 0.
    for m, apart in ((3, False), (40, True)):
        up = np.arange(2 * m) < m
        made = paired_score_contrast(find_measure("auc"), up, up + 0.0, 1.0 - up, replicates=200)
        assert "alike" in made.note
        half = 2 * (1 - 0.025 ** (1 / m))
        assert made.low == pytest.approx(1 - half)
        assert (made.p_value < 0.05) == apart == (made.low > 0)
        # By inversion: 2·(1 − (p/2)^(1/m)) = 1.
        assert made.p_value == pytest.approx(min(1, 2 * 0.5**m))


def test_the_smallest_p_that_replicates_can_show_is_written_as_a_bound() -> None:
    draw = np.random.default_rng(0)
    up = np.arange(400) < 200
    good, fair, poor = (draw.standard_normal(400) + pull * up for pull in (3.0, 1.0, 0.3))
    measure = find_measure("average_precision")
    sure = paired_score_contrast(measure, up, good, poor, replicates=200)
    assert sure.p_at_most is True
    assert sure.p_value == pytest.approx(2 * narrowed_tail(1 / 201, 200))
    assert f"p ≤ {sure.p_value:.3f}".replace("0.", ".") in str(sure)
    open_ = paired_score_contrast(measure, up, fair, fair + 1e-3 * draw.standard_normal(400), replicates=200)
    assert open_.p_at_most is None
    assert "≤" not in str(open_)
    away = paired_score_contrast(measure, up, good, poor, replicates=200, alternative="less")
    assert away.p_at_most is None
    drawn = {"metric": "average_precision", "method": "bootstrap", "replicates": 1000}
    cmp = te.compare(up.astype(int), scores={"good": good, "fair": fair, "poor": poor}, **drawn)
    # By how far the limits are from 0 it is less, for both differences together; replicates show no smaller one.
    assert "adjusted p ≤ .002" in cmp.verdict
    assert "≤ .002" in str(cmp.to_markdown())
    assert cmp["poor", "good"].p_at_most is True
    assert cmp["good", "poor"].p_adjusted == pytest.approx(3 * cmp["good", "poor"].p_value)
    two = te.compare(up.astype(int), scores={"good": good, "poor": poor}, **drawn)
    assert "at most 1 time in 4" in two.verdict
    assert "p ≤ .002" in two.verdict
