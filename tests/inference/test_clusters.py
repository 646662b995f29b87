import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inference import _two_models
from trueerror.inference._clusters import (
    cluster_error,
    cluster_t_contrast,
    effective_clusters,
)
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._two_models import PairedRows
from trueerror.inference.loss._mean import mean_over_units
from trueerror.metrics._registry import find_measure

# R 4 with clubSandwich and survey:
#   vcovCR(lm(y ~ 1), cluster = g, type = "CR3"); vcovCR(lm(I(y - b) ~ 1), cluster = g, type = "CR3")
Y = np.array([1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1])
B = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1])
G = np.repeat(np.arange(6), [5, 2, 9, 1, 3, 6])


def over_clusters(d, groups=G):
    sums, sizes = np.bincount(groups, weights=d), np.bincount(groups).astype(float)
    return mean_over_units(sums, sizes, (-1.0, 1.0))


def answered(e, **spec):
    return effective_t_contrast(e, IntervalSpec(**spec), n=26, higher_is_better=True)


@pytest.mark.parametrize(("values", "variance"), [(Y, 0.00501093750173898), (Y - B, 0.00738105940253763)])
def test_the_variance_is_that_of_clubsandwich(values, variance):
    d = values.astype(float)
    assert cluster_error(over_clusters(d)) ** 2 == pytest.approx(variance, rel=1e-12)
    c = cluster_t_contrast(over_clusters(d), IntervalSpec(), n=26)
    assert (c.estimate / c.statistic) ** 2 == pytest.approx(variance, rel=1e-10)


@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_the_spread_of_clusters_is_the_centred_jackknife(groups, seed):
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(groups), rng.integers(1, 9, groups))
    d = rng.integers(-1, 2, len(g)).astype(float)
    without = np.array([d[g != k].mean() for k in range(groups)])
    error = math.sqrt((groups - 1) / groups * ((without - without.mean()) ** 2).sum())
    assert float(over_clusters(d, g).spread.error) == pytest.approx(error, rel=1e-10, abs=1e-13)


def test_limits_and_p_value_agree_and_more_confidence_is_wider():
    c = over_clusters((Y - B).astype(float))
    found = [answered(c, confidence=x) for x in (0.5, 0.8, 0.9, 0.95, 0.99)]
    for narrow, wide in pairwise(found):
        assert wide.low < narrow.low < float(c.value) < narrow.high < wide.high
    for x in found:
        assert (x.low > 0 or x.high < 0) == (x.p_value < 1 - x.confidence)


def test_a_cluster_that_comes_out_even_does_not_make_the_interval_wide():
    # Ten clusters of 20 rows; wins less losses in each. The last wins one row more, or as many as it loses.
    truth, groups = np.zeros(200, int), np.repeat(np.arange(10), 20)

    def width(nets):
        wins = np.concatenate([np.arange(20) < net for net in nets]).astype(int)
        return te.compare(truth, {"a": truth, "b": wins}, clusters=groups, labels=[0, 1])["a", "b"].width

    won, even = width([1, 2, 3, 1, 2, 3, 1, 2, 2, 1]), width([1, 2, 3, 1, 2, 3, 1, 2, 2, 0])
    assert won < even < 1.5 * won


def test_effective_clusters_count_what_weighs():
    assert effective_clusters(np.full(40, 10)) == pytest.approx(40)
    assert effective_clusters(np.array([495] + [5] * 99)) == pytest.approx(990**2 / (495**2 + 99 * 25))
    assert effective_clusters(np.array([])) == 0


def test_swapping_the_models_turns_the_signs():
    there, back = (answered(over_clusters(sign * (Y - B).astype(float), np.arange(26) // 2)) for sign in (1, -1))
    assert (back.estimate, back.low, back.high) == pytest.approx((-there.estimate, -there.high, -there.low))
    assert back.p_value == there.p_value
    assert back.p_better == pytest.approx(1 - there.p_better)


def test_degenerate_clusters():
    same = te.compare(Y, {"a": B, "b": B}, clusters=G)["a", "b"]
    assert (same.estimate, same.p_value) == (0, 1)
    assert same.low < 0 < same.high
    alone = te.compare(Y, {"a": Y, "b": B}, clusters=np.zeros(26, int))["a", "b"]
    assert math.isnan(alone.low)
    assert "one unit alone" in alone.note
    right = te.evaluate(Y, Y, clusters=G)["accuracy"]
    assert 0 < right.low < right.high == 1


def unequal(seed, groups=40):
    rng = np.random.default_rng(seed)
    sizes = np.maximum(1, np.round(10 * np.exp(1.5 * rng.standard_normal(groups)))).astype(int)
    cluster = np.repeat(np.arange(groups), sizes)
    chance = [rng.beta(3.2, 0.8, groups)[cluster] for _ in range(2)]
    truth = rng.integers(0, 2, len(cluster))
    calls = {
        name: np.where(rng.random(len(cluster)) < p, truth, 1 - truth) for name, p in zip("ab", chance, strict=True)
    }
    return truth, calls, cluster


@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "f1", "mcc", "balanced_accuracy", "macro_f1"])
def test_limits_and_verdict_agree_for_every_metric_of_labels(metric):
    for seed in range(6):
        truth, calls, cluster = unequal(seed)
        c = te.compare(truth, calls, clusters=cluster, metric=metric, replicates=1000)["a", "b"]
        assert (c.low > 0 or c.high < 0) == (c.p_value <= 0.05)
        assert "borderline" not in c.note


def test_clusters_of_very_unequal_size_are_said():
    truth, calls, cluster = unequal(1)
    ev = te.evaluate(truth, calls["a"], clusters=cluster)
    assert "TE204" in ev.findings
    assert "of equal size" in str(ev)
    equal = te.evaluate(
        np.tile([0, 1], 200),
        np.where(np.arange(400) % 7 == 0, 0, np.tile([0, 1], 200)),
        clusters=np.repeat(np.arange(40), 10),
    )
    assert "TE204" not in equal.findings


def test_few_clusters_are_said_also_where_no_row_is_called():
    random = np.random.default_rng(4)
    cluster = np.repeat(np.arange(32), [150, 120, *[4] * 30])
    truth = (random.random(len(cluster)) < 0.4).astype(int)
    scores = {name: random.standard_normal(len(cluster)) + truth for name in "ab"}
    rows = te.predictions(truth, scores=scores, clusters=cluster)
    for made in (te.compare(rows, metric="auc", replicates=500), te.evaluate(rows, metrics=["auc"])):
        assert "very unequal size" in " ".join(str(made).split())
        assert "TE204" in made.findings


def test_a_cluster_moves_a_difference_of_areas_as_leaving_it_out_does():
    random = np.random.default_rng(6)
    cluster = np.repeat(np.arange(6), [40, 25, 10, 10, 6, 5])
    truth = random.random(96) < 0.4
    scores = [np.round(random.standard_normal(96) + truth, 1) for _ in "ab"]
    rows = te.predictions(truth.astype(int), scores=dict(zip("ab", scores, strict=True)), clusters=cluster)
    found = PairedRows(rows, find_measure("auc"), {}).pair("a", "b").areas()

    def gap(kept):
        one, two = (te.metric("auc", truth[kept].astype(int), scores=s[kept], positive=1) for s in scores)
        return one - two

    lost = gap(cluster >= 0) - np.array([gap(cluster != g) for g in range(6)])
    assert found.units == pytest.approx(5 / 6 * lost, abs=1e-12)


# R 4 with survey, W the weights: d <- svydesign(ids = ~1, weights = ~w, data = …); svymean(~I(y - b), d), and ids = ~g.
W = np.array([1, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1, 1, 4, 1, 1, 1, 2, 1, 1, 1, 1, 3, 1, 1, 1, 1], dtype=float)


@pytest.mark.parametrize(("clusters", "variance"), [(None, 0.00600365797896662), (G, 0.00317786922725194)])
def test_weighted_differences_are_those_of_survey(clusters, variance):
    truth = np.tile([0, 1], 13)
    calls = {"a": np.where(Y == 1, truth, 1 - truth), "b": np.where(B == 1, truth, 1 - truth)}
    p = te.predictions(truth, calls, weights=W, weights_kind="sampling", clusters=clusters)
    found = PairedRows(p, find_measure("accuracy"), {}).pair("a", "b").made
    assert float(found.value) == pytest.approx(0.111111111111111)
    groups = len(found.units)
    sums = found.units * groups / (groups - 1) * (1 - found.sizes / found.sizes.sum())
    assert groups / (groups - 1) * (sums**2).sum() == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1", "mcc", "auc", "brier", "log_loss"])
@pytest.mark.parametrize("clustered", [False, True])
def test_equal_weights_are_no_weights(metric, clustered):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 240)
    scores = {m: np.clip(0.3 * truth + 0.7 * rng.random(240), 0.01, 0.99) for m in "ab"}
    groups = np.arange(240) // 6 if clustered else np.arange(240)
    plain = te.compare(truth, scores=scores, metric=metric, clusters=groups)["a", "b"]
    weighted = te.compare(
        truth, scores=scores, metric=metric, weights=np.full(240, 2.5), weights_kind="sampling",
        clusters=groups if clustered else None,
    )["a", "b"]  # fmt: skip
    near = 1e-9 if clustered else 0.02  # a cluster is left out, a row of its own weight to first order
    for name in ("estimate", "low", "high", "p_value", "df"):
        assert getattr(weighted, name) == pytest.approx(
            getattr(plain, name), rel=near, abs=1e-12 if clustered else 2e-3
        ), name


def test_weights_move_the_estimate_and_what_has_no_weighted_form_is_refused():
    rng = np.random.default_rng(4)
    truth, weights = rng.integers(0, 2, 200), np.exp(rng.standard_normal(200))
    scores = {m: np.clip(0.3 * truth + 0.7 * rng.random(200), 0.01, 0.99) for m in "ab"}
    options = {"weights": weights, "weights_kind": "sampling"}
    area = te.compare(truth, scores=scores, metric="auc", **options)
    assert area.estimates["a"].estimate - area.estimates["b"].estimate == pytest.approx(area["a", "b"].estimate)
    pairs = PairedRows(te.predictions(truth, scores=scores, **options), find_measure("brier"), {})
    d = (scores["a"] - truth) ** 2 - (scores["b"] - truth) ** 2
    assert pairs.pair("a", "b").losses.mean == pytest.approx(np.average(d, weights=weights))
    with pytest.raises(ValueError, match="average_precision cannot be compared under sampling weights"):
        te.compare(truth, scores=scores, metric="average_precision", **options)


def test_few_heavy_rows_are_said():
    rng = np.random.default_rng(5)
    truth, weights = rng.integers(0, 2, 200), np.exp(1.5 * rng.standard_normal(200))
    calls = np.where(rng.random(200) < 0.8, truth, 1 - truth)
    assert "TE212" in te.evaluate(truth, calls, weights=weights, weights_kind="sampling").findings
    even = te.evaluate(truth, calls, weights=1 + rng.random(200), weights_kind="sampling")
    assert "TE212" not in even.findings


def test_areas_over_clusters_are_placed_once_for_each_model(monkeypatch):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 240)
    scores = {name: y + rng.standard_normal(240) for name in "abcd"}
    p = te.predictions(y, scores=scores, clusters=rng.integers(0, 30, 240))
    two_by_two = {pair: te.compare(p.select(pair), metric="auc").pairs[0] for pair in combinations("abcd", 2)}
    placed, place = [], _two_models.area_without_clusters
    monkeypatch.setattr(_two_models, "area_without_clusters", lambda *a: placed.append(1) or place(*a))
    for c in te.compare(p, metric="auc").pairs:
        alone = two_by_two[tuple(sorted((c.first, c.second)))]
        assert (abs(c.estimate), c.p_value) == pytest.approx((abs(alone.estimate), alone.p_value), rel=1e-12)
    assert len(placed) == 4


def test_rows_without_weight_change_no_comparison():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    said = {m: np.where(rng.random(60) < right, y, 1 - y) for m, right in (("a", 0.8), ("b", 0.6))}
    weights = rng.random(60)
    asked = {"positive": 1, "metric": "mcc", "weights_kind": "sampling"}
    one = te.compare(y, said, weights=weights, **asked)["a", "b"]
    none = {m: np.r_[s, np.zeros(500, int)] for m, s in said.items()}
    other = te.compare(np.r_[y, np.zeros(500, int)], none, weights=np.r_[weights, np.zeros(500)], **asked)["a", "b"]
    assert (other.low, other.high, other.p_value) == pytest.approx((one.low, one.high, one.p_value), rel=1e-9)


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "kappa", "balanced_accuracy", "brier"])
def test_units_that_all_agree_are_no_certainty(metric):
    p_values = []
    for n in (4, 8, 20, 60):
        y = np.arange(n) % 2
        said = {"scores": {"a": y * 1.0, "b": 1.0 - y}} if metric == "brier" else {"predicted": {"a": y, "b": 1 - y}}
        found = te.compare(y, **said, positive=1, metric=metric)["a", "b"]
        t = math.sqrt(n)
        assert found.p_value == pytest.approx(2 * special.stdtr(n - 1, -t), rel=1e-6)
        assert (found.low > 0 or found.high < 0) == (found.p_value < 0.05)
        p_values.append(found.p_value)
    assert p_values == sorted(p_values, reverse=True)
