"""Averaged and pooled curves."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies import ScoreTable


def folds(k=5, n=40, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    made = []
    for i in range(k):
        truth = np.arange(n) < n // 2
        made.append(ScoreTable.count(truth, truth + rng.normal(size=n) + shift * i))
    return made


def roc_at(table, fpr):
    """TPR reached with at most this share of the negatives, points joined by lines, on a vertical piece its top."""
    x = np.concatenate(([0], np.cumsum(table.negatives[::-1]))) / table.n_negative
    y = np.concatenate(([0], np.cumsum(table.positives[::-1]))) / table.n_positive
    best = y[x <= fpr + 1e-12].max()
    after = np.flatnonzero(x > fpr + 1e-12)
    if len(after) == 0:
        return best
    i = after[0]
    return y[i - 1] + (fpr - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1])


def test_vertical_average():
    tables = folds()
    mean = te.average_curves(tables, grid=[0, 0.05, 0.33, 0.5, 1])
    by_hand = np.array([[roc_at(t, x) for x in mean.fpr] for t in tables])
    np.testing.assert_allclose(mean.tpr, by_hand.mean(axis=0))
    np.testing.assert_allclose(mean.tpr_sd, by_hand.std(axis=0, ddof=1))
    half = 2.7764451 * by_hand.std(axis=0, ddof=1) / math.sqrt(5)
    np.testing.assert_allclose(mean.tpr_low, np.clip(by_hand.mean(axis=0) - half, 0, 1), atol=1e-7)
    assert np.isnan(mean.fpr_sd).all()
    assert mean.thresholds is None


def test_grid_points_find_points_that_differ_by_rounding():
    table = ScoreTable.count([0] * 10 + [1] * 2, [*range(10), 7.5, 20])
    mean = te.average_curves([table, table], grid=[0.1 + 0.2 - 0.1, 0.2])
    assert mean.tpr.tolist() == [1, 1]


def test_horizontal_average_is_the_vertical_one_of_the_turned_curves():
    tables = folds()
    turned = [ScoreTable(-t.scores[::-1], t.negatives[::-1], t.positives[::-1]) for t in tables]
    grid = np.linspace(0, 1, 11)
    across = te.average_curves(tables, how="horizontal", grid=grid)
    upward = te.average_curves(turned, how="vertical", grid=1 - grid)
    np.testing.assert_allclose(across.fpr, 1 - upward.tpr, atol=1e-12)
    np.testing.assert_allclose(across.fpr_sd, upward.tpr_sd, atol=1e-12)
    assert across.tpr.tolist() == grid.tolist()


def test_threshold_average_counts_the_rows_from_each_threshold_up():
    tables = folds()
    mean = te.average_curves(tables, how="threshold", grid=[2.0, 1.0, 0.0])
    for place, cut in enumerate([2.0, 1.0, 0.0]):
        rates = [
            (t.negatives[t.scores >= cut].sum() / t.n_negative, t.positives[t.scores >= cut].sum() / t.n_positive)
            for t in tables
        ]
        np.testing.assert_allclose([mean.fpr[place], mean.tpr[place]], np.mean(rates, axis=0))
        np.testing.assert_allclose([mean.fpr_sd[place], mean.tpr_sd[place]], np.std(rates, axis=0, ddof=1))
    assert mean.thresholds.tolist() == [2, 1, 0]
    ends = te.average_curves(tables, how="threshold", grid=[99.0, -99.0])
    assert (ends.fpr.tolist(), ends.tpr.tolist()) == ([0, 1], [0, 1])


def test_default_grids():
    assert len(te.average_curves(folds()).fpr) == 101
    mean = te.average_curves(folds(), how="threshold")
    assert len(mean.thresholds) == 101
    assert (np.diff(mean.thresholds) < 0).all()
    assert (np.diff(mean.tpr) >= 0).all()


def test_incomparable_thresholds_are_said_to_be_so():
    assert "not on one scale" in te.average_curves(folds(shift=3.0), how="threshold").note
    assert "not on one scale" not in te.average_curves(folds(), how="threshold").note
    assert "training rows" in te.average_curves(folds()).note


def test_from_predictions_with_folds():
    rng = np.random.default_rng(1)
    truth = rng.random(90) < 0.5
    scores = truth + rng.normal(size=90)
    keys = np.arange(90) % 3
    predictions = te.predictions(truth, scores={"m": scores}, folds=keys)
    tables = [ScoreTable.count(truth[keys == k], scores[keys == k]) for k in range(3)]
    assert te.average_curves(predictions).tpr.tolist() == te.average_curves(tables).tpr.tolist()
    assert te.average_curves(predictions).name == "m"


def test_area_words_and_json():
    mean = te.average_curves(folds())
    area = mean.auc()
    assert area.estimate == pytest.approx(mean.areas.mean())
    assert area.low < area.estimate < area.high
    assert str(mean).startswith("Mean of 5 ROC curves (vertical averaging), 101 points; mean AUC")
    assert te.load(mean.to_json()) == mean
    assert len(mean.records()) == 101
    same = te.average_curves([folds()[0]] * 3).auc()
    assert math.isnan(same.low)
    assert "same area" in same.note


def test_bad_input():
    with pytest.raises(InputError, match="at least two"):
        te.average_curves(folds(k=1))
    with pytest.raises(InputError, match="one class only"):
        te.average_curves([*folds(k=2), ScoreTable.count([1, 1], [1, 2])])
    with pytest.raises(InputError, match="one positive class"):
        te.average_curves([ScoreTable.count([0, 1], [1, 2]), ScoreTable.count(["a", "b"], [1, 2], positive="a")])
    with pytest.raises(InputError, match="not a score table"):
        te.average_curves([[1, 2], [3, 4]])
    with pytest.raises(InputError, match="between 0 and 1"):
        te.average_curves(folds(), grid=[2])
    with pytest.raises(InputError, match="how="):
        te.average_curves(folds(), how="diagonal")
    with pytest.raises(InputError, match="list of score tables"):
        te.average_curves(folds()[0])
    with pytest.raises(InputError, match="needs folds="):
        te.average_curves(te.predictions([0, 1], scores=[1.0, 2.0]))


def test_pooled_curves_are_of_the_same_kind():
    tables = folds(k=3)
    both = te.pool_curves(tables)
    assert both == tables[0] + tables[1] + tables[2]
    curves = [te.precision_recall(t) for t in tables]
    assert te.pool_curves(curves) == te.precision_recall(both)
    rng = np.random.default_rng(2)
    parts = [te.calibration(rng.random(30) < 0.5, rng.random(30), bins=4) for _ in range(2)]
    assert te.pool_curves(parts).bins == 4
    assert te.pool_curves(parts).n == 60
    with pytest.raises(InputError, match="one kind"):
        te.pool_curves([curves[0], te.det(tables[1])])


def test_roc_curves_are_averaged_and_pooled():
    tables = folds(k=3)
    curves = [te.roc(t, model="m") for t in tables]
    mean = te.average_curves(curves)
    assert mean.name == "m"
    np.testing.assert_allclose(mean.tpr, te.average_curves(tables).tpr)
    np.testing.assert_allclose(mean.tpr, np.mean([c.interpolate(mean.fpr) for c in curves], axis=0))
    pooled = te.pool_curves(curves)
    assert type(pooled) is type(curves[0])
    assert pooled.auc().estimate == pytest.approx(te.metric("auc", te.pool_curves(tables)))
