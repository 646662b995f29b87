"""Precision–recall–gain: the formulas, the entry at recall = prevalence, and straight lines."""

import math
from itertools import pairwise

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._precision_recall import gain_areas


def test_gains_are_harmonic_rescalings_of_precision_and_recall():
    """(x − π)/((1 − π)x) for precision and recall alike (Flach and Kull, definition 1)."""
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.3
    scores = truth + rng.normal(size=80)
    gain, plain = te.precision_recall_gain(truth, scores), te.precision_recall(truth, scores)
    there = plain.recall > 0
    pi = plain.prevalence
    for mine, value in ((gain.precision_gain, plain.precision[there]), (gain.recall_gain, plain.recall[there])):
        np.testing.assert_allclose(mine, (value - pi) / ((1 - pi) * value), atol=1e-12)
    assert gain.thresholds.tolist() == plain.thresholds[there].tolist()


def area_by_hand(up, down):
    """Trapezoids over finely interpolated (TP, FP) points from recall = prevalence on."""
    tp = np.concatenate(([0], np.cumsum(up[::-1])))
    fp = np.concatenate(([0], np.cumsum(down[::-1])))
    t = np.linspace(0, 1, 4001)
    a = np.concatenate([p + t * (q - p) for p, q in pairwise(tp)])
    b = np.concatenate([p + t * (q - p) for p, q in pairwise(fp)])
    total, negatives = tp[-1], fp[-1]
    inside = a >= total * total / (total + negatives) - 1e-12
    a, b = a[inside], b[inside]
    x = 1 - total / negatives * (total - a) / a
    y = 1 - total / negatives * b / a
    return np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2


def test_area_against_fine_interpolation():
    rng = np.random.default_rng(1)
    for _ in range(20):
        up, down = rng.integers(0, 5, 8), rng.integers(0, 5, 8)
        if up.sum() and down.sum():
            assert gain_areas(up[None], down[None])[0] == pytest.approx(area_by_hand(up, down), abs=2e-3)


def test_known_areas():
    assert te.precision_recall_gain([0, 0, 1, 1], [1, 2, 3, 4]).auc(replicates=100).estimate == 1
    assert te.precision_recall_gain([0, 1, 0, 1], [1] * 4).auc(replicates=100).estimate == pytest.approx(0)
    assert te.precision_recall_gain([1, 1, 0, 0], [1, 2, 3, 4]).auc(replicates=100).estimate < 0
    assert math.isnan(gain_areas(np.array([[0, 0]]), np.array([[1, 1]]))[0])


@pytest.mark.parametrize(("positives", "negatives"), [(7, 6), (3, 1), (11, 9), (1, 1000)])
def test_a_perfect_area_is_not_above_one(positives, negatives):
    """Summed without care, seven positives above six negatives have an area of 1 + 4e-16."""
    area = te.precision_recall_gain([0] * negatives + [1] * positives, [0] * negatives + [1] * positives).auc()
    assert 1 - 1e-12 <= area.estimate <= area.high <= 1


@pytest.mark.parametrize(
    ("truth", "scores"),
    [
        ([0] * 20 + [1] * 20, list(range(40))),
        ([0] * 20 + [1] * 20, [1] * 40),
        ([0] * 20 + [1] * 2, list(range(22))),
        ([1] * 20 + [0] * 20, list(range(40))),
    ],
)
def test_limits_where_resampling_has_none(truth, scores):
    area = te.precision_recall_gain(truth, scores).auc(replicates=200)
    assert area.low < area.high <= 1
    assert area.low <= area.estimate <= area.high
    if sum(truth) == 20 and scores[0] != scores[1] and truth[0] == 0:
        assert area.method == "unseen-share"
        assert area.low > 0


def test_sampling_weights():
    rng = np.random.default_rng(2)
    truth = rng.random(300) < 0.3
    made = te.precision_recall_gain(truth, truth + rng.normal(size=300), weights=[0.5] * 300, weights_kind="sampling")
    assert made.auc().low < made.auc().estimate < made.auc().high
