import math
from itertools import pairwise

import numpy as np
import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import area_limits, hanley_mcneil_variance, newcombe_area_limits
from trueerror.inference.bootstrap._tables import coarse_table
from trueerror.inputs._options import InputError
from trueerror.tallies import Moments, ScoreTable


def separated(positives, negatives):
    truth = [0] * negatives + [1] * positives
    return ScoreTable.count(truth, list(range(len(truth))))


def noisy(n=400, seed=0, weights=False):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    scores = np.clip(0.5 + 0.3 * (truth - 0.5) + rng.normal(0, 0.2, n), 0.01, 0.99)
    extra = {"weights": rng.random(n) + 0.5, "weights_kind": "sampling"} if weights else {}
    return ScoreTable.count(truth, scores, **extra)


@pytest.mark.parametrize(("m", "n", "low"), [(20, 20, 0.907), (50, 50, 0.962), (10, 500, 0.905), (4, 4, 0.589)])
def test_a_perfect_order_is_that_of_so_many_rows(m, n, low):
    made = metric_interval("auc", separated(m, n))
    assert (made.estimate, made.high) == (1, 1)
    assert made.low == pytest.approx(low, abs=1e-3)
    assert "no variance" in made.note
    # About Newcombe's method 5.
    assert made.low == pytest.approx(newcombe_area_limits(1.0, m, n, 1.96)[0], abs=0.01)


@pytest.mark.parametrize("metric", ["auc", "average_precision"])
@pytest.mark.parametrize("positives", [6, 20, 60])
def test_a_worse_ranking_has_no_higher_limits(metric, positives):
    """One positive falls below more and more of the negatives."""
    truth = [0] * 100 + [1] * positives
    scores = [[*range(100), 99.5 - below if below else 100, *range(101, 100 + positives)] for below in range(0, 100, 4)]
    made = [metric_interval(metric, ScoreTable.count(truth, s)) for s in scores]
    for better, worse in pairwise(made):
        assert worse.low <= better.low + 1e-12
        assert worse.high <= better.high + 1e-12


def test_newcombe_limits_solve_their_equation_and_mirror():
    low, high = newcombe_area_limits(0.8, 15, 40, 1.959964)
    for theta in (low, high):
        nu = 55 / 2 - 1
        spread = theta * (1 - theta) * (1 + nu * (1 - theta) / (2 - theta) + nu * theta / (1 + theta)) / 600
        assert (0.8 - theta) ** 2 == pytest.approx(1.959964**2 * spread, rel=1e-9)
    assert newcombe_area_limits(0.2, 15, 40, 1.959964) == pytest.approx((1 - high, 1 - low))
    assert newcombe_area_limits(0.0, 15, 40, 1.96)[0] == 0


def test_near_one_limits_stay_inside_and_hold_the_estimate():
    t = ScoreTable.count([0] * 20 + [1] * 20, [*range(19), 21, 19, 20, *range(22, 40)])
    made = metric_interval("auc", t)
    assert 0 < made.low < made.estimate < made.high < 1
    # As wide as Newcombe's, which takes the spread from the area alone.
    assert made.width > 0.7 * area_limits(t, made.estimate, IntervalSpec(), "newcombe")[1] - made.low


def test_all_methods_of_an_area():
    t = noisy()
    widths = {
        m: metric_interval("auc", t, method=m).width
        for m in ("effective-t", "delong-logit", "delong", "hanley-mcneil", "newcombe")
    }
    assert max(widths.values()) < 1.3 * min(widths.values())
    boot = metric_interval("auc", t, method="bootstrap", replicates=1000)
    assert boot.method == "bootstrap-bca"
    assert boot.width == pytest.approx(widths["delong"], rel=0.15)
    with pytest.raises(InputError, match="delong-logit"):
        metric_interval("auc", t, method="delong-logti")


def test_hanley_mcneil_by_hand():
    assert hanley_mcneil_variance(0.5, 1, 1) == pytest.approx(0.25)


def test_gini_is_twice_the_area_less_one():
    t = noisy()
    area, gini = metric_interval("auc", t), metric_interval("gini", t)
    assert (gini.low, gini.high) == pytest.approx((2 * area.low - 1, 2 * area.high - 1))


def test_one_positive():
    made = metric_interval("auc", ScoreTable.count([0, 0, 0, 1], [0.1, 0.5, 0.7, 0.6]))
    assert made.low < 0.2
    assert made.high > 0.9


def test_one_class_alone():
    made = metric_interval("auc", ScoreTable.count([1, 1], [0.1, 0.5]))
    assert math.isnan(made.estimate)
    assert (made.low, made.high) == (0, 1)
    assert "one class" in made.note


def test_average_precision_by_boyd():
    t = noisy()
    made = metric_interval("average_precision", t, method="boyd-logit")
    p, n = made.estimate, t.n_positive
    centre, reach = math.log(p / (1 - p)), 1.959964 / math.sqrt(n * p * (1 - p))
    assert (made.low, made.high) == pytest.approx(
        [1 / (1 + math.exp(-(centre + s * reach))) for s in (-1, 1)], rel=1e-6
    )
    perfect = metric_interval("average_precision", separated(20, 100), method="boyd-logit")
    assert (perfect.high, perfect.method) == (1, "wilson-boyd")
    assert perfect.low == pytest.approx(20 / (20 + 1.959964**2), rel=1e-6)


@pytest.mark.parametrize("name", ["average_precision", "brier", "ece"])
def test_case_control_needs_a_prior(name):
    with pytest.raises(InputError, match="pass prior="):
        metric_interval(name, noisy(), design="case-control")
    made = metric_interval(name, noisy(), design="case-control", prior=0.2, replicates=200)
    assert made.low < made.estimate < made.high


def test_area_does_not_depend_on_the_prior():
    assert metric_interval("auc", noisy(), prior=0.1, design="case-control") == metric_interval("auc", noisy())


def test_losses_of_a_score_table():
    t = noisy()
    made = metric_interval("brier", t, method="t-mean")
    losses = np.repeat(
        np.concatenate([(1 - t.scores) ** 2, t.scores**2]), np.concatenate([t.positives, t.negatives]).astype(int)
    )
    error = losses.std(ddof=1) / math.sqrt(len(losses))
    assert made.width / 2 == pytest.approx(1.9659 * error, rel=1e-3)
    usual = metric_interval("brier", t)
    assert usual == metric_interval("brier", Moments.of(losses))
    assert usual.width == pytest.approx(made.width, rel=0.02)
    at_own = metric_interval("brier", t, prior=t.n_positive / t.n)
    assert at_own.estimate == pytest.approx(made.estimate)
    assert at_own.width == pytest.approx(usual.width, rel=0.02)
    even = ScoreTable(t.scores, t.positives.astype(float), t.negatives.astype(float),
                      squares=np.stack([t.positives, t.negatives]).astype(float))  # fmt: skip
    assert metric_interval("brier", even).width == pytest.approx(usual.width, rel=1e-3)


def test_weights_in_an_area():
    t = noisy()
    even = ScoreTable(
        t.scores, 2.0 * t.positives, 2.0 * t.negatives, squares=4.0 * np.stack([t.positives, t.negatives])
    )
    own, weighted = metric_interval("auc", t), metric_interval("auc", even)
    assert (weighted.low, weighted.high) == pytest.approx((own.low, own.high))


@pytest.mark.parametrize("name", ["ece", "mce", "brier_skill_score"])
def test_calibration_errors_by_the_bootstrap(name):
    made = metric_interval(name, noisy(), method="bootstrap", replicates=500)
    assert made.method == "bootstrap-bca"
    assert made.low < made.estimate < made.high
    assert "500 resamples, seed 0" in made.note
    assert made == metric_interval(name, noisy(), method="bootstrap", replicates=500, rng=0)


def test_sums_of_weights_are_not_resampled_but_each_row_left_out():
    weighted = noisy(weights=True)
    made = metric_interval("brier_skill_score", weighted)
    asked = metric_interval("brier_skill_score", weighted, method="bootstrap")
    assert made.low < made.estimate < made.high
    assert (asked.low, asked.high) == (made.low, made.high)
    assert "weights" in asked.note


def test_many_scores_are_grouped_for_the_replicates():
    t = noisy(5000)
    small = coarse_table(t)
    assert len(small.scores) <= 1024
    assert (small.n_positive, small.n_negative) == (t.n_positive, t.n_negative)
    made = metric_interval("brier_skill_score", t, method="bootstrap", replicates=200)
    assert made.low < made.estimate < made.high


def test_grouped_scores_keep_their_weights():
    t = noisy(5000, weights=True)
    small = coarse_table(t)
    assert len(small.scores) <= 1024
    assert small.positives.sum() == pytest.approx(t.positives.sum())
    assert small.squares.sum(axis=1) == pytest.approx(t.squares.sum(axis=1))


def test_bad_replicates():
    with pytest.raises(InputError, match="replicates=5"):
        metric_interval("brier_skill_score", noisy(), method="bootstrap", replicates=5)
