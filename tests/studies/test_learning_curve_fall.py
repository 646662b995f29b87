"""Learning curves that have not begun to fall, and what twice the rows would bring."""

import re

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

import trueerror as te

OPTIONS = {"steps": 5, "folds": 4, "repeats": 2, "jobs": 1, "progress": False}


def test_no_fall_is_not_carried_on():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(160, 3)), rng.integers(0, 2, 160)
    curve = te.learning_curve({"nb": GaussianNB()}, X, y, metric="error_rate", **OPTIONS)
    assert not curve.begun()
    ahead = curve.extrapolate()
    assert np.isnan(ahead.estimate)
    assert "no fall seen yet" in ahead.note
    assert "no fall seen yet" in curve.verdict
    assert np.isnan(curve.benefit().estimate)
    assert not np.isnan(curve.extrapolate(anyway=True).estimate)


def test_the_gain_has_an_interval_in_the_metrics_direction():
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 100)
    X = rng.normal(size=(200, 12))
    X[:, 0] += 1.5 * y
    for metric, sign in (("error_rate", -1), ("accuracy", 1), ("auc", 1)):
        curve = te.learning_curve({"lda": LinearDiscriminantAnalysis()}, X, y, metric=metric, **OPTIONS)
        gain = curve.benefit()
        assert sign * gain.estimate >= 0
        assert gain.low < gain.estimate < gain.high
        assert "rom more rows" in curve.verdict
        assert re.search(r"by [−+][.0-9]+, 95 % CI", curve.verdict.replace("\u00a0", " "))
    assert "1.000 − AUC = " in str(curve)
