import math

import numpy as np
import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.bootstrap import _tables as resampled
from trueerror.inputs._options import InputError
from trueerror.tallies import Confusion, KeyedConfusion

BOOTSTRAPS = ("bootstrap-bca", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal", "bootstrap-studentised")
THREE = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
BIG = Confusion([[5000, 500, 200], [600, 3000, 400], [100, 300, 1900]])


@pytest.mark.parametrize("method", BOOTSTRAPS)
@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "mcc", "kappa", "balanced_accuracy", "weighted_precision"])
def test_every_bootstrap_agrees_with_the_analytic_interval_on_many_rows(method, name):
    made, analytic = metric_interval(name, BIG, method=method, replicates=4000), metric_interval(name, BIG)
    assert made.method == method
    assert (made.low, made.high) == pytest.approx((analytic.low, analytic.high), abs=0.0012)


def test_the_word_bootstrap_is_bca():
    assert metric_interval("f1", THREE, positive=0, method="bootstrap").method == "bootstrap-bca"


def test_the_seed_decides_and_is_told():
    first = metric_interval("macro_f1", THREE, method="bootstrap", rng=7)
    assert first == metric_interval("macro_f1", THREE, method="bootstrap", rng=7)
    assert first != metric_interval("macro_f1", THREE, method="bootstrap", rng=8)
    assert first.note == "10,000 resamples, seed 7"


def test_blocks_do_not_change_what_is_drawn(monkeypatch):
    whole = metric_interval("macro_f1", THREE, method="bootstrap", replicates=500)
    monkeypatch.setattr(resampled, "BLOCK", 64)
    assert metric_interval("macro_f1", THREE, method="bootstrap", replicates=500) == whole


def test_time_and_memory_do_not_grow_with_the_rows():
    huge = Confusion([[5 * 10**8, 10**7], [10**7, 10**8]])
    made = metric_interval("accuracy", huge, method="bootstrap")
    analytic = metric_interval("accuracy", huge)
    assert made.width == pytest.approx(analytic.width, rel=0.05)


def test_a_perfect_score_falls_back_to_the_analytic_interval():
    t = Confusion([[10, 0], [0, 10]])
    made, analytic = metric_interval("f1", t, method="bootstrap"), metric_interval("f1", t)
    assert (made.low, made.high, made.method) == (analytic.low, analytic.high, "wilson-f1")
    assert "no spread: wilson-f1 instead of the bootstrap" in made.note


def test_resamples_that_lose_a_class_are_counted():
    t = Confusion([[60, 3], [1, 1]])
    made = metric_interval("recall", t, method="bootstrap")
    assert made.method == "wilson"
    assert "of the resamples had no value" in made.note
    fine = metric_interval("recall", Confusion([[60, 3], [2, 3]]), method="bootstrap")
    assert "without a value left out" in fine.note


def test_bca_counts_ties_half():
    """Ties not counted would shift the limits of a coarse statistic (.884 against .930 for accuracy of 30 rows)."""
    t = Confusion([[13, 1], [2, 14]])
    made = metric_interval("accuracy", t, method="bootstrap-bca", replicates=20_000)
    values = np.random.default_rng(0).binomial(30, 27 / 30, 20_000) / 30
    share = (values < 0.9).mean() + (values == 0.9).mean() / 2
    from scipy.special import ndtr, ndtri

    z0 = ndtri(share)
    a = (27 * 0.1**3 + 3 * (-0.9) ** 3) / (6 * (27 * 0.1**2 + 3 * 0.9**2) ** 1.5)
    expected = [np.quantile(values, ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))) for z in (-1.959964, 1.959964)]
    assert (made.low, made.high) == pytest.approx(expected, abs=0.034)


def test_whole_clusters_are_resampled():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    right = np.repeat(rng.random(40) < 0.8, 10)  # clusters are all right or all wrong
    keyed = KeyedConfusion.from_codes(
        np.repeat(np.arange(40), 10), tuple(range(40)), truth, np.where(right, truth, 1 - truth), (0, 1)
    )
    by_cluster = metric_interval("accuracy", keyed.table, clusters=keyed, method="bootstrap-percentile")
    by_row = metric_interval("accuracy", keyed.table, method="bootstrap-percentile")
    assert by_cluster.width == pytest.approx(by_row.width * math.sqrt(10), rel=0.15)
    assert by_cluster.width == pytest.approx(metric_interval("accuracy", keyed.table, clusters=keyed).width, rel=0.15)
    bca = metric_interval("accuracy", keyed.table, clusters=keyed, method="bootstrap")
    assert bca.low < bca.estimate < bca.high
    with pytest.raises(InputError, match="not offered with clusters"):
        metric_interval("accuracy", keyed.table, clusters=keyed, method="bootstrap-studentised")


def test_classes_of_fixed_size_are_resampled_class_by_class():
    t = Confusion([[160, 40], [5, 45]])
    fixed = metric_interval("precision", t, prior=0.1, design="case-control", method="bootstrap", replicates=2000)
    analytic = metric_interval("precision", t, prior=0.1, design="case-control")
    assert (fixed.low, fixed.high) == pytest.approx((analytic.low, analytic.high), abs=0.02)


def test_random_samples_are_not_stratified():
    """Stratified by class, precision would vary far less than it does."""
    t = Confusion([[980, 5], [5, 10]])
    made = metric_interval("prevalence", t, method="bootstrap-percentile")
    assert made.width == pytest.approx(metric_interval("prevalence", t).width, rel=0.15)


def test_savings_are_resampled_where_resamples_differ():
    made = metric_interval("savings", THREE, method="bootstrap", replicates=1000)
    assert made.method == "bootstrap-bca"
    asked = metric_interval("savings", Confusion([[5, 0], [0, 5]]), method="bootstrap", replicates=1000)
    assert asked.low < asked.high == 1
    assert "instead of the bootstrap" in asked.note


def test_bad_replicates():
    with pytest.raises(InputError, match="replicates=10 "):
        metric_interval("accuracy", THREE, method="bootstrap", replicates=10)
