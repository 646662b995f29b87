"""Curves of rows in clusters: one interval for one quantity, copies add nothing, and clusters are drawn whole."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._base import every_curve_kind
from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._replicates import bags
from trueerror.inference._variance import ClusteredRows
from trueerror.inputs._options import InputError
from trueerror.tallies import ScoreTable

SHAPES = {
    "equal": np.full(12, 8), "lognormal": np.array([1, 2, 2, 3, 5, 5, 8, 9, 14, 20, 33, 60]),
    "one giant": np.array([55, *[5] * 11]), "few": np.array([10, 20, 30]),
}  # fmt: skip


def drawn(sizes, seed=0, by_cluster=False):
    rng = np.random.default_rng(seed)
    keys = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(np.arange(len(sizes)) % 3 == 0, 0.8, 0.2)
    up = (np.arange(len(sizes)) % 2 == 0)[keys] if by_cluster else rng.random(len(keys)) < chance[keys]
    scores = (0.7 * rng.standard_normal(len(sizes))[keys] + rng.standard_normal(len(keys)) + 1.3 * up).round(2)
    return keys, up.astype(int), scores


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("by_cluster", [False, True])
def test_a_curve_has_the_intervals_of_evaluate(shape, by_cluster):
    keys, y, s = drawn(SHAPES[shape], by_cluster=by_cluster)
    p = te.predictions(y, scores=s, clusters=keys, positive=1)
    for cut in (0.0, 0.8, 1.9):
        e = te.evaluate(p, threshold=cut, metrics=["recall", "precision", "false_positive_rate"])
        point = te.roc(p).at(threshold=cut)
        for own, curve in (
            (e["recall"], point.tpr_interval), (e["false_positive_rate"], point.fpr_interval),
            (e["recall"], te.precision_recall(p).at(threshold=cut).recall),
            (e["precision"], te.precision_recall(p).at(threshold=cut).precision),
            (e["false_positive_rate"], te.det(p).at(threshold=cut).fpr),
        ):  # fmt: skip
            assert (curve.low, curve.high) == pytest.approx((own.low, own.high), abs=1e-9, nan_ok=True)
            assert curve.method == own.method == "effective-t"
    e = te.evaluate(p, metrics=["auc", "average_precision"])
    area, precision = te.roc(p).auc(), te.precision_recall(p).average_precision()
    assert (area.low, area.high, area.method) == (e["auc"].low, e["auc"].high, e["auc"].method)
    assert (precision.low, precision.high) == pytest.approx((e["average_precision"].low, e["average_precision"].high))


@pytest.mark.parametrize("kind", every_curve_kind(), ids=lambda kind: kind.verb)
@pytest.mark.parametrize("label", [0, 1])
def test_rows_of_one_class_are_answered_as_they_are_without_clusters(kind, label):
    make, scores = kind.make(), np.random.default_rng(0).random(200)
    rows = partial(te.predictions, np.full(200, label), scores=scores, positive=1, labels=[0, 1])
    try:
        alone = make(rows())
    except InputError as refusal:
        with pytest.raises(InputError, match=re.escape(str(refusal))):
            make(rows(clusters=np.arange(200) // 4))
        return
    curve = make(rows(clusters=np.arange(200) // 4))
    assert str(curve)
    assert curve.explain()
    assert len(curve.records()) == len(alone.records())


def test_the_brier_curve_has_the_interval_of_evaluate():
    keys, y, s = drawn(SHAPES["lognormal"])
    p = te.predictions(y, scores=1 / (1 + np.exp(-s)), clusters=keys, positive=1)
    own, curve = te.evaluate(p, metrics=["brier"])["brier"], te.brier_curve(p).area()
    assert (curve.low, curve.high) == pytest.approx((own.low, own.high))


def test_copies_of_rows_say_nothing_new():
    rng = np.random.default_rng(3)
    y = (rng.random(60) < 0.4).astype(int)
    s = (rng.standard_normal(60) + y).round(6)
    once = te.roc(te.predictions(y, scores=s, positive=1))
    copied = te.roc(te.predictions(np.repeat(y, 6), scores=np.repeat(s, 6), clusters=np.repeat(np.arange(60), 6)))
    for own, rows in zip(once._class_rows(), copied._class_rows(), strict=True):
        assert 0.8 * own < rows <= own
    one, many = (c.band().high - c.band().low for c in (once, copied))
    assert (many >= one - 0.02).all()
    wide = [c.partial_auc(0, 0.3).high - c.partial_auc(0, 0.3).low for c in (once, copied)]
    assert wide[1] >= wide[0] - 1e-9
    costs = [c.operating_point(cost_fn=3, replicates=100, rng=0).corrected for c in (once, copied)]
    assert costs[1].high - costs[1].low > 0.8 * (costs[0].high - costs[0].low)


def test_rows_alone_in_their_clusters_are_rows():
    rng = np.random.default_rng(5)
    y = (rng.random(80) < 0.5).astype(int)
    s = rng.standard_normal(80) + y
    rows = ClusteredRows(positive=y == 1, scores=s, codes=np.arange(80))
    assert CurveClusters(rows).of_class(True, 0.95) == pytest.approx(y.sum(), rel=0.1)


def test_clusters_are_drawn_and_left_out_whole():
    keys, y, s = drawn(SHAPES["equal"])
    table = ScoreTable.count(y, s)
    clusters = CurveClusters(ClusteredRows(positive=y == 1, scores=s, codes=keys))
    for bag in bags(table, replicates=100, rng=0, clusters=clusters):
        rows = int((bag.positives + bag.negatives).sum())
        left = int((bag.left_positives + bag.left_negatives).sum())
        assert rows % 8 == 0
        assert left % 8 == 0
        assert rows == 96  # twelve clusters of eight
        drawn_at, left_at = (a + b > 0 for a, b in (bag[:2], bag[2:]))
        assert drawn_at.any()
        assert left_at.any()


def test_choices_are_made_over_clusters():
    keys, y, s = drawn(SHAPES["lognormal"], seed=2)
    other = s + np.random.default_rng(1).standard_normal(len(s))
    p = te.predictions(y, scores={"a": s, "b": other}, clusters=keys, positive=1)
    plain = te.predictions(y, scores={"a": s, "b": other}, positive=1)
    chosen, alone = (te.roc_hull(x).best(cost_fn=3).corrected for x in (p, plain))
    assert "12 clusters" in chosen.note
    assert chosen.high - chosen.low > alone.high - alone.low
    best, own = (te.roc(x, model="a").best_threshold() for x in (p, plain))
    assert best.threshold == own.threshold
    assert best.tpr_interval.high - best.tpr_interval.low > own.tpr_interval.high - own.tpr_interval.low
    apart, same = (te.roc_difference(x, "a", "b", replicates=200) for x in (p, plain))
    assert "12 clusters" in apart.note
    assert (apart.high - apart.low).mean() > (same.high - same.low).mean()


def test_a_method_for_independent_rows_is_refused_where_rows_are_not():
    keys, y, s = drawn(SHAPES["equal"])
    with pytest.raises(InputError, match="effective-t"):
        te.roc(te.predictions(y, scores=s, clusters=keys)).auc("delong")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by_cluster", [False, True])
def test_counts_along_the_ranking_are_those_of_every_cutoff(shape, weighted, by_cluster):
    keys, y, s = drawn(SHAPES[shape], seed=4, by_cluster=by_cluster)
    order = np.random.default_rng(9).permutation(len(y))
    keys, up, s = keys[order], y[order] == 1, s[order].round(1)
    weights = np.random.default_rng(8).uniform(0.5, 3.0, len(y)) if weighted else None
    clusters = CurveClusters(ClusteredRows(positive=up, scores=s, codes=keys, weights=weights))
    thresholds = np.concatenate(([np.inf], np.unique(s)[::-7], [-np.inf]))

    def counted(called, weights):
        cell = 2 * up + called
        return np.array(
            [np.bincount(cell[keys == k], weights=weights[keys == k], minlength=4) for k in range(max(keys) + 1)]
        )

    def dense(keyed, values):
        out = np.zeros((len(keyed.keys), 4))
        out[keyed.key, keyed.cell] = values
        return out

    for i, keyed in enumerate(clusters.tables(thresholds)):
        expected = counted(s >= thresholds[i], np.ones(len(s)))
        np.testing.assert_array_equal(dense(keyed, keyed.counts), expected)
        np.testing.assert_array_equal(keyed.table.counts, expected.sum(axis=0))
        if weighted:
            expected = counted(s >= thresholds[i], weights)
            np.testing.assert_allclose(dense(keyed, keyed.masses), expected, atol=1e-12)
            np.testing.assert_allclose(keyed.table.masses, expected.sum(axis=0), atol=1e-12)


def test_curves_of_one_model_count_its_clusters_once():
    keys, y, s = drawn(SHAPES["lognormal"])
    chance = 1 / (1 + np.exp(-s))
    p = te.predictions(y, scores={"a": np.column_stack([1 - chance, chance]), "b": -s}, clusters=keys, positive=1)
    first, second, other = te.roc(p, model="a"), te.gains(p, model="a"), te.roc(p, model="b")
    assert first.clusters is second.clusters
    assert first.clusters is not other.clusters
    assert te.roc(p, model="a", positive=0).clusters is not first.clusters
