"""Intervals for learners against the figures of the literature and against direct formulas."""

import math

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.learner._intervals import (
    bayle,
    conservative_z,
    corrected_t_interval,
    fold_t,
)
from trueerror.inputs._options import InputError
from trueerror.methods import every_method

D = [0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01]


def t_of(interval, df):
    """The t and p that the limits imply."""
    error = (interval.high - interval.estimate) / stats.t.ppf(0.975, df)
    t = interval.estimate / error
    return t, 2 * stats.t.sf(abs(t), df)


def test_one_ten_fold_example():
    t, p = t_of(fold_t(D), 9)
    assert (round(t, 4), round(p, 4)) == (3.3085, 0.0091)
    t, p = t_of(corrected_t_interval(D, test_train_ratio=1 / 9), 9)
    assert (round(t, 4), round(p, 4)) == (2.2770, 0.0488)


def test_ten_by_ten_folds_are_read_as_one_list():
    scores = np.random.default_rng(1).normal(0.8, 0.03, (10, 10))
    made = corrected_t_interval(scores, test_train_ratio=1 / 9)
    reach = stats.t.ppf(0.975, 99) * math.sqrt(scores.var(ddof=1) * (1 / 100 + 1 / 9))
    assert made.low == pytest.approx(scores.mean() - reach, abs=1e-12)
    assert made.high == pytest.approx(scores.mean() + reach, abs=1e-12)
    assert (made.n, made.note) == (100, "")


def test_corrected_is_wider_than_plain_and_one_round_says_so():
    made = corrected_t_interval(D, test_train_ratio=1 / 9, repeats=1)
    assert made.width > fold_t(D).width
    assert "conservative" in made.note
    assert "too narrow" in fold_t(D).note


def test_limits_stay_within_the_range():
    made = corrected_t_interval([0.9, 1.0, 1.0, 0.95], test_train_ratio=1 / 3, bounds=(0, 1))
    assert made.high == 1.0
    assert made.low < made.estimate


@pytest.mark.parametrize("scores", [[0.9], [0.9, 0.9, 0.9]])
def test_no_spread_is_no_interval_and_says_why(scores):
    for made in (fold_t(scores), corrected_t_interval(scores, test_train_ratio=0.1)):
        assert math.isnan(made.low)
        assert math.isnan(made.high)
        assert "spread" in made.note


def test_fold_t_from_summaries_is_fold_t_from_scores():
    a, b = fold_t(D), fold_t(mean=float(np.mean(D)), sd=float(np.std(D, ddof=1)), folds=10)
    assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-15)
    with pytest.raises(InputError, match="not both"):
        fold_t(D, mean=0.1)
    with pytest.raises(InputError, match="all of"):
        fold_t(mean=0.1)
    with pytest.raises(InputError, match="not negative"):
        fold_t(mean=0.1, sd=-1, folds=5)
    with pytest.raises(InputError):
        fold_t([0.1, math.nan])


def test_bayle_directly():
    losses = np.random.default_rng(0).random(57)
    made = bayle(losses, confidence=0.9)
    reach = stats.norm.ppf(0.95) * math.sqrt(sum((x - losses.mean()) ** 2 for x in losses) / 57 / 57)
    assert (made.low, made.high) == pytest.approx((losses.mean() - reach, losses.mean() + reach), abs=1e-12)
    assert (made.method, made.n, made.estimand) == ("bayle", 57, "these K models")


def test_bayle_never_has_zero_width():
    made = bayle(np.zeros(20), bounds=(0, 1))
    assert (made.low, round(made.high, 4)) == (0, 0.1611)  # Wilson for 0 of 20
    assert made.method == "wilson-constant-loss"
    assert math.isnan(bayle(np.zeros(20)).low)
    with pytest.raises(InputError, match="empty"):
        bayle([])


def test_conservative_z_directly():
    halves = np.random.default_rng(3).normal(0.2, 0.02, (6, 2))
    made = conservative_z(0.21, halves)
    variance = sum((a - b) ** 2 for a, b in halves) / 12
    assert made.high - 0.21 == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(variance), abs=1e-12)
    assert math.isnan(conservative_z(0.2, [[0.2, 0.2]]).low)
    with pytest.raises(InputError, match="two columns"):
        conservative_z(0.2, [[0.1, 0.2, 0.3]])


def test_conservative_z_covers_too_often_rather_than_too_seldom():
    """The variance of a mean of 50 rows stands in for that of 100: coverage beyond the nominal .95."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        rows = rng.normal(0, 1, 100)
        halves = [(p[:50].mean(), p[50:].mean()) for p in (rng.permutation(rows) for _ in range(10))]
        made = conservative_z(float(rows.mean()), halves)
        hits += made.low <= 0 <= made.high
    assert hits / 300 > 0.95


def test_every_method_is_in_the_catalogue():
    for key in ("fold-t", "corrected-t", "bayle", "conservative-z", "bates", "bootstrap-632+", "bbc-cv"):
        assert every_method()[key].formula


def test_limits_of_several_rounds_are_those_of_one():
    rng = np.random.default_rng(0)
    scores = rng.normal(0.8, 0.05, (5, 10))
    rounds = np.repeat(np.arange(5), 10)
    made = corrected_t_interval(scores, test_train_ratio=1 / 9, round_of=rounds)
    assert made.estimate == pytest.approx(scores.mean())
    half = 2.2621571627409915 * np.sqrt(scores.var(axis=1, ddof=1).mean() * (1 / 10 + 1 / 9))
    assert made.high - made.estimate == pytest.approx(half)
    assert "limits as of one" in made.note
