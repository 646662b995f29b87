"""The AUC over folds: LeDell, mean ± t, corrected t, pooled with bootstrap; and scores on different scales."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._folds import comparability
from trueerror.inputs._options import InputError
from trueerror.methods import every_method
from trueerror.tallies import ScoreTable


def folds(k=10, n=60, seed=0, shift=0.0, d=1.0):
    rng = np.random.default_rng(seed)
    made = []
    for i in range(k):
        truth = np.arange(n) < n // 3
        made.append(ScoreTable.count(truth, d * truth + rng.normal(size=n) + shift * i))
    return made


def auc_of(table):
    return te.metric("auc", table)


def test_every_method_explains_itself():
    for method in ("ledell", "mean-t", "corrected-t", "pooled-bootstrap"):
        made = te.auc_over_folds(folds(), method=method, replicates=100)
        assert made.low < made.estimate < made.high
        assert "Formula:" in made.explain()


def test_mean_and_t():
    tables = folds()
    areas = np.array([auc_of(t) for t in tables])
    made = te.auc_over_folds(tables, method="mean-t")
    half = 2.2621571628 * areas.std(ddof=1) / math.sqrt(10)
    assert (made.estimate, made.low, made.high) == pytest.approx(
        (areas.mean(), areas.mean() - half, areas.mean() + half), abs=1e-9
    )
    assert "too narrow for the learner" in made.note


def test_corrected_t():
    tables = folds()
    areas = np.array([auc_of(t) for t in tables])
    made = te.auc_over_folds(tables, method="corrected-t")
    half = 2.2621571628 * areas.std(ddof=1) * math.sqrt(1 / 10 + 1 / 9)
    assert (made.low, made.high) == pytest.approx((areas.mean() - half, areas.mean() + half), abs=1e-9)
    assert made.estimand == "this learner"
    assert "conservative" in made.note
    wider = te.auc_over_folds(tables, method="corrected-t", test_train_ratio=0.5)
    assert wider.width > made.width
    with pytest.raises(InputError, match="test_train_ratio"):
        te.auc_over_folds(tables, method="corrected-t", test_train_ratio=-1)


def test_ledell_by_hand():
    rng = np.random.default_rng(1)
    parts = []
    for _ in range(4):
        truth = rng.random(50) < 0.4
        parts.append((truth, (truth + rng.normal(size=50)).round(1)))
    rows = 200
    up = sum(t.sum() for t, _ in parts)
    squares, areas = [], []
    for truth, scores in parts:
        pos, neg = scores[truth], scores[~truth]
        wins = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
        area = wins.mean()
        areas.append(area)
        of_pos = rows / up * (wins.mean(axis=1) - area)
        of_neg = rows / (rows - up) * (wins.mean(axis=0) - area)
        squares.append((np.sum(of_pos**2) + np.sum(of_neg**2)) / 50)
    error = math.sqrt(np.mean(squares) / rows)
    mean = np.mean(areas)
    made = te.auc_over_folds([ScoreTable.count(*p) for p in parts], method="ledell")
    logit = math.log(mean / (1 - mean))
    reach = 1.959963984540054 * error / (mean * (1 - mean))
    assert made.estimate == pytest.approx(mean)
    assert made.low == pytest.approx(1 / (1 + math.exp(reach - logit)))
    assert made.high == pytest.approx(1 / (1 + math.exp(-reach - logit)))
    assert made.estimand == "these 4 models"


def test_ledell_of_equal_folds_is_near_delong_of_one():
    """With one scale and many rows, the mean over folds knows as much as one sample of all rows."""
    tables = folds(k=5, n=600)
    made = te.auc_over_folds(tables)
    pooled = tables[0] + tables[1] + tables[2] + tables[3] + tables[4]
    from trueerror.inference._metric_interval import metric_interval

    assert made.width == pytest.approx(metric_interval("auc", pooled).width, rel=0.1)


def test_pooled_with_bootstrap():
    tables = folds()
    made = te.auc_over_folds(tables, method="pooled-bootstrap", replicates=400)
    pooled = te.pool_curves(tables)
    assert made.estimate == pytest.approx(auc_of(pooled))
    from trueerror.inference._metric_interval import metric_interval

    assert made.width == pytest.approx(metric_interval("auc", pooled).width, rel=0.15)
    assert "not on one scale" not in made.note


def test_scores_on_different_scales_are_said_to_be_so():
    good, bad = folds(), folds(shift=2.0)
    assert comparability(good) == ""
    assert "pairs across folds" in comparability(bad)
    made = te.auc_over_folds(bad, method="pooled-bootstrap", replicates=200)
    assert "not on one scale" in made.note
    assert made.estimate < te.auc_over_folds(bad).estimate - 0.03
    assert comparability([good[0], ScoreTable.count([1, 1], [1, 2])]) == ""
    # A harmless shift: the folds differ in level, but so little that no pair is lost.
    assert comparability(folds(shift=0.01)) == ""


def test_chance_does_not_cry_wolf():
    assert sum(bool(comparability(folds(seed=s, n=90))) for s in range(60)) <= 1


def test_repeated_folds():
    rng = np.random.default_rng(2)
    n, k, r = 60, 5, 4
    truth = np.tile(rng.random(n) < 0.5, r)
    scores = truth + rng.normal(size=n * r)
    repeats = np.repeat(np.arange(r), n)
    keys = np.concatenate([rng.permutation(np.arange(n) % k) for _ in range(r)])
    predictions = te.predictions(truth, scores={"m": scores}, folds=keys, repeats=repeats)
    made = te.auc_over_folds(predictions, method="corrected-t")
    areas = [
        auc_of(ScoreTable.count(truth[there], scores[there]))
        for i in range(r)
        for j in range(k)
        if (there := (repeats == i) & (keys == j)).any()
    ]
    from trueerror.inference._problem import critical_t

    half = critical_t(0.95, 19) * np.std(areas, ddof=1) * math.sqrt(1 / 20 + 1 / 4)
    assert (made.estimate, made.low) == pytest.approx((np.mean(areas), np.mean(areas) - half))
    assert made.n == n
    assert "conservative" not in made.note
    for method in ("ledell", "pooled-bootstrap"):
        with pytest.raises(InputError, match="for every repeat"):
            te.auc_over_folds(predictions, method=method)


def test_perfect_folds_have_a_width():
    perfect = [ScoreTable.count([0] * 10 + [1] * 10, range(20))] * 5
    for method in ("ledell", "mean-t", "corrected-t", "pooled-bootstrap"):
        made = te.auc_over_folds(perfect, method=method, replicates=200)
        assert made.estimate == 1
        assert made.method in every_method()
        assert 0.85 < made.low < 1 == made.high
        assert "Newcombe" in made.note or "newcombe" in made.note


def test_folds_with_one_class():
    tables = [*folds(k=3), ScoreTable.count([1, 1], [1, 2])]
    made = te.auc_over_folds(tables)
    assert "1 fold with one class left out" in made.note
    assert made.estimate == te.auc_over_folds(folds(k=3)).estimate
    with pytest.raises(InputError, match="both classes"):
        te.auc_over_folds([ScoreTable.count([1, 1], [1, 2])] * 3)


def test_curves_and_weights():
    curves = [te.det(t) for t in folds(k=3)]
    assert te.auc_over_folds(curves).estimate == te.auc_over_folds(folds(k=3)).estimate
    weighted = [
        ScoreTable.count([0, 1, 1, 0], [1, 2, 0, 1], weights=[1, 2, 0.5, 1], weights_kind="sampling") for _ in range(2)
    ]
    with pytest.raises(InputError, match="sampling weights"):
        te.auc_over_folds(weighted)
    with pytest.raises(InputError, match="method="):
        te.auc_over_folds(folds(), method="naive")
