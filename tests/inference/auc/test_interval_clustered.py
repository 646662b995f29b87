import math
import time

import numpy as np
import pytest

from trueerror.inference._answer import interval_of
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._score_tables import ScoreRows, clustered_scores, score_estimate
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import area_without_clusters, delong_variance
from trueerror.inference.loss._mean import ClusterSums, MeanSample
from trueerror.metrics._registry import find_measure
from trueerror.tallies import ScoreTable


def rows(seed=0, groups=40, size=8, effect=1.0):
    rng = np.random.default_rng(seed)
    keys = np.repeat(np.arange(groups), size)
    up = np.where(rng.random(groups * size) < 0.7, (rng.random(groups) < 0.5)[keys], rng.random(groups * size) < 0.5)
    scores = 1.5 * up + effect * rng.normal(size=groups)[keys] + rng.normal(size=groups * size)
    return up, 1 / (1 + np.exp(-scores)), keys


def clustered_loss_interval(measure, sizes, sums, options, spec):
    sample = MeanSample.of(ClusterSums(sizes, sums))
    return interval_of(Problem(metric=measure, sample=sample, spec=spec, options=options))


def interval(name, up, scores, keys, label=1, method=None, replicates=2_000, prior=None):
    table, clusters = clustered_scores(up, scores, keys, label)
    measure = find_measure(name)
    sample = ScoreRows.of(measure, table, {}, clusters=clusters, prior=prior)
    return interval_of(Problem(metric=measure, sample=sample, spec=IntervalSpec(replicates=replicates)), method)


@pytest.mark.parametrize("name", ["auc", "gini"])
def test_rows_as_their_own_clusters_change_next_to_nothing(name):
    up, scores, _ = rows()
    own, alone = metric_interval(name, ScoreTable.from_codes(up, scores, 1)), interval(name, up, scores, np.arange(320))
    assert alone.estimate == pytest.approx(own.estimate)
    assert (alone.low, alone.high) == pytest.approx((own.low, own.high), abs=0.003)


def test_each_cluster_is_left_out_exactly():
    up, scores, keys = rows(groups=12)
    weights = np.random.default_rng(5).lognormal(size=len(up))
    for w in (None, weights):
        made = area_without_clusters(up, np.round(scores, 1), keys, w)
        for g in range(12):
            left = keys != g
            kind = None if w is None else "sampling"
            table = ScoreTable.from_codes(
                up[left], np.round(scores, 1)[left], 1, weights=None if w is None else w[left], weights_kind=kind
            )
            without = metric_interval("auc", table).estimate
            assert made.units[g] == pytest.approx(11 / 12 * (float(made.value) - without), abs=1e-12)


def test_the_variance_of_rows_as_their_own_clusters_is_delongs():
    up, scores, _ = rows()
    units = area_without_clusters(up, scores, np.arange(320)).units
    ours = 320 / 319 * ((units - units.mean()) ** 2).sum()
    assert ours == pytest.approx(delong_variance(ScoreTable.from_codes(up, scores, 1)), rel=0.01)


def test_the_bootstrap_of_single_rows_is_the_bootstrap_of_rows():
    up, scores, _ = rows()
    own = metric_interval("brier_skill_score", ScoreTable.from_codes(up, scores, 1), method="bootstrap")
    alone = interval("brier_skill_score", up, scores, np.arange(320), method="bootstrap-bca")
    assert alone.width == pytest.approx(own.width, rel=0.15)
    assert alone.note == "320 clusters, 2,000 resamples of them, seed 0"


def test_gaps_of_single_rows_are_gaps_of_rows():
    up, scores, _ = rows()
    own, alone = (
        metric_interval("ece", ScoreTable.from_codes(up, scores, 1)),
        interval("ece", up, scores, np.arange(320)),
    )
    assert (alone.low, alone.high) == pytest.approx((own.low, own.high), abs=0.003)
    assert (alone.method, alone.note) == ("calibration-gaps", "320 clusters")


def test_duplicated_rows_in_one_cluster_add_nothing():
    up, scores, _ = rows(effect=0)
    keys = np.arange(320)
    once = interval("auc", up, scores, keys)
    thrice = interval("auc", np.tile(up, 3), np.tile(scores, 3), np.tile(keys, 3))
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert metric_interval("auc", ScoreTable.from_codes(np.tile(up, 3), np.tile(scores, 3), 1)).width < 0.7 * once.width


def test_perfect_order_rests_on_the_clusters_of_each_class():
    up = np.array([False] * 40 + [True] * 40)
    made = interval("auc", up, np.arange(80.0), np.repeat(np.arange(20), 4))
    by_rows = metric_interval("auc", ScoreTable.from_codes(up, np.arange(80.0), 1))
    assert made.high == 1
    assert made.low < by_rows.low
    assert "no variance" in made.note


def test_one_cluster_and_one_class():
    up, scores, keys = rows()
    for name in ("auc", "ece"):
        made = interval(name, up, scores, np.zeros_like(keys))
        assert math.isnan(made.low)
        assert "one cluster" in made.note
    assert "one class" in interval("auc", np.ones_like(up), scores, keys).note
    loss = find_measure("brier")
    assert (
        "one cluster" in clustered_loss_interval(loss, np.array([5, 0]), np.array([1.0, 0.0]), {}, IntervalSpec()).note
    )
    assert clustered_loss_interval(loss, np.array([0]), np.array([0.0]), {}, IntervalSpec()).note == "there are no rows"
    infinite = clustered_loss_interval(
        find_measure("log_loss"), np.array([2, 2]), np.array([1.0, math.inf]), {}, IntervalSpec()
    )
    assert infinite.estimate == math.inf
    flat = clustered_loss_interval(loss, np.array([2, 2]), np.array([0.0, 0.0]), {}, IntervalSpec())
    assert flat.low == 0
    assert flat.high > 0.5


def test_clustered_areas_cover():
    from scipy.special import ndtr

    true = ndtr(1.5 / math.sqrt(2 * 2.0))
    held, naive = 0, 0
    for seed in range(200):
        up, scores, keys = rows(seed)
        made = interval("auc", up, scores, keys)
        held += made.low <= true <= made.high
        plain = metric_interval("auc", ScoreTable.from_codes(up, scores, 1))
        naive += plain.low <= true <= plain.high
    assert held / 200 > 0.9
    assert naive / 200 < 0.85


def test_average_precision_by_leaving_out_clusters_written_out():
    up, scores, keys = rows()
    measure, (table, clusters) = find_measure("average_precision"), clustered_scores(up, scores, keys)
    sample = ScoreSample(table=table, estimate=0.5, clusters=clusters)
    e = score_estimate(Problem(metric=measure, sample=sample, spec=IntervalSpec()))
    groups = np.unique(keys)

    def area(kept):
        order = np.argsort(-scores[kept], kind="stable")
        hits = up[kept][order]
        return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())

    assert len(np.unique(scores)) == len(scores)
    left = np.array([area(keys != g) for g in groups])
    g = len(groups)
    assert e.spread.error**2 == pytest.approx((g - 1) / g * ((left - left.mean()) ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("name", ["average_precision", "brier_skill_score", "ece"])
@pytest.mark.parametrize("prior", [None, {True: 0.1, False: 0.9}])
def test_clusters_left_out_to_first_order_are_clusters_left_out_in_turn(name, prior, monkeypatch):
    up, scores, keys = rows(groups=900, size=3)
    turned = interval(name, up, scores, keys, prior=prior, label=True)
    monkeypatch.setattr("trueerror.inference.bootstrap._tables.TURNS", 0)
    if name == "average_precision":
        monkeypatch.setattr("trueerror.inference.bootstrap._tables.blocks", lambda *_: pytest.fail("left out in turn"))
    first_order = interval(name, up, scores, keys, prior=prior, label=True)
    assert (first_order.low, first_order.high) == pytest.approx((turned.low, turned.high), abs=0.03 * turned.width)


def test_many_clusters_are_judged_in_seconds():
    up, scores, keys = rows(groups=60_000, size=5)
    begin = time.process_time()
    made = interval("average_precision", up, scores, keys)
    assert time.process_time() - begin < 5
    assert made.low < made.estimate < made.high
    drawn = interval("ece", up, scores, keys, replicates=100)
    assert drawn.low < drawn.estimate < drawn.high
