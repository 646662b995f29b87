"""Areas by three routes, against scikit-learn, and where a class is missing."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import integrate
from sklearn import metrics as oracle

import trueerror as te
from trueerror.metrics.scores import auc, average_precision, hand_till_auc, ovr_auc, pairwise_auc

rng = np.random.default_rng(8)
TRUTH = rng.integers(0, 2, 300)
SCORES = np.round(TRUTH + rng.normal(0, 1.2, 300), 1)
CODES = rng.integers(0, 4, 250)
COLUMNS = np.round(rng.dirichlet(np.ones(4), 250) + 0.3 * np.eye(4)[CODES], 2)
COLUMNS /= COLUMNS.sum(axis=1, keepdims=True)


def test_three_routes_to_the_area_agree() -> None:
    table = te.ScoreTable.count(TRUTH, SCORES)
    up, down = SCORES[TRUTH == 1], SCORES[TRUTH == 0]
    pairs = np.mean([(a > b) + 0.5 * (a == b) for a, b in product(up, down)])
    assert auc(table) == pytest.approx(pairs, rel=1e-14)
    fpr = np.concatenate([[0], np.cumsum(table.negatives[::-1]) / len(down)])
    tpr = np.concatenate([[0], np.cumsum(table.positives[::-1]) / len(up)])
    assert auc(table) == pytest.approx(integrate.trapezoid(tpr, fpr), rel=1e-12)
    assert auc(table) == pytest.approx(oracle.roc_auc_score(TRUTH, SCORES), rel=1e-14)
    assert te.metric("gini", table) == pytest.approx(2 * auc(table) - 1)


def test_scores_are_never_flipped() -> None:
    assert te.metric("auc", TRUTH, scores=-SCORES) == pytest.approx(1 - te.metric("auc", TRUTH, scores=SCORES))
    assert te.metric("auc", [1, 1, 0, 0], scores=[0, 0, 1, 1]) == 0


def test_average_precision_against_scikit_learn() -> None:
    expected = oracle.average_precision_score(TRUTH, SCORES)
    assert te.metric("average_precision", TRUTH, scores=SCORES) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("truth", "area", "precision"),
    [([0, 0], math.nan, math.nan), ([1, 1], math.nan, 1.0), ([0, 1], 0.5, 0.5)],
)
def test_one_class_or_one_score(truth: list[int], area: float, precision: float) -> None:
    table = te.ScoreTable.count(truth, [0.3, 0.3])
    assert auc(table) == pytest.approx(area, nan_ok=True)
    assert average_precision(table) == pytest.approx(precision, nan_ok=True)


def test_infinite_scores_are_scores() -> None:
    assert te.metric("auc", [0, 1, 1], scores=[-math.inf, math.inf, 0]) == 1


def test_huge_counts_do_not_overflow() -> None:
    big = te.ScoreTable([0.1, 0.5, 0.9], [10**9, 3 * 10**9, 6 * 10**9], [7 * 10**9, 2 * 10**9, 10**9])
    small = te.ScoreTable([0.1, 0.5, 0.9], [1, 3, 6], [7, 2, 1])
    assert auc(big) == pytest.approx(auc(small), rel=1e-14)
    assert average_precision(big) == pytest.approx(average_precision(small), rel=1e-14)


def test_sampling_weights_weigh_the_pairs() -> None:
    w = rng.random(300)
    table = te.ScoreTable.count(TRUTH, SCORES, weights=w, weights_kind="sampling")
    assert auc(table) == pytest.approx(oracle.roc_auc_score(TRUTH, SCORES, sample_weight=w))
    expected = oracle.average_precision_score(TRUTH, SCORES, sample_weight=w)
    assert average_precision(table) == pytest.approx(expected)


def test_the_area_has_a_slope() -> None:
    """The derivative of the area by a row's weight is DeLong's placement, less the area, over the class size."""
    table = te.ScoreTable([0.1, 0.4, 0.8], [1, 2, 3], [4, 2, 1])
    step = 1e-20
    for formula in (auc, average_precision):
        for i, side in product(range(3), (0, 1)):
            masses = [table.positives.astype(complex), table.negatives.astype(complex)]
            masses[side][i] += 1j * step
            slope = np.imag(formula(table, tuple(masses))) / step
            values = []
            for h in (1e-5, -1e-5):
                moved = [table.positives.astype(float), table.negatives.astype(float)]
                moved[side][i] += h
                values.append(formula(table, tuple(moved)))
            assert slope == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-6, abs=1e-9)


def test_several_classes_against_scikit_learn() -> None:
    one_to_one = oracle.roc_auc_score(CODES, COLUMNS, multi_class="ovo")
    assert te.metric("hand_till_auc", CODES, scores=COLUMNS) == pytest.approx(one_to_one, rel=1e-12)
    for average in ("macro", "weighted"):
        expected = oracle.roc_auc_score(CODES, COLUMNS, multi_class="ovr", average=average)
        assert te.metric("ovr_auc", CODES, scores=COLUMNS, average=average) == pytest.approx(expected, rel=1e-12)


def test_pairs_by_counting() -> None:
    area = pairwise_auc(CODES, COLUMNS)
    a, b = COLUMNS[CODES == 1, 1], COLUMNS[CODES == 3, 1]
    assert area[1, 3] == pytest.approx(np.mean([(x > y) + 0.5 * (x == y) for x, y in product(a, b)]))
    assert np.isnan(np.diag(area)).all()


def test_two_classes_give_the_plain_area() -> None:
    table_value = te.metric("auc", TRUTH, scores=SCORES)
    for name in ("hand_till_auc", "ovr_auc"):
        assert te.metric(name, TRUTH, scores=SCORES) == pytest.approx(table_value, rel=1e-12)


def test_a_class_without_rows_leaves_the_areas_undefined() -> None:
    codes = np.where(CODES == 2, 0, CODES)
    assert math.isnan(hand_till_auc(codes, COLUMNS))
    assert math.isnan(ovr_auc(codes, COLUMNS))
    assert math.isnan(ovr_auc(codes, COLUMNS, average="weighted"))
    assert math.isnan(hand_till_auc(np.zeros(3, int), np.ones((3, 1))))
    assert math.isnan(ovr_auc(np.zeros(3, int), np.ones((3, 1))))


def test_the_one_vs_rest_area_at_a_prior() -> None:
    """Resampling the classes to the prior gives, in the limit, the area at the prior: here exactly, by weights."""
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    weights = (shares / np.bincount(CODES))[CODES]
    each = [oracle.roc_auc_score(i == CODES, COLUMNS[:, i], sample_weight=weights) for i in range(4)]
    ours = te.metric("ovr_auc", CODES, scores=COLUMNS, prior=dict(enumerate(shares)))
    assert ours == pytest.approx(np.mean(each))
    plain = te.metric("hand_till_auc", CODES, scores=COLUMNS)
    assert te.metric("hand_till_auc", CODES, scores=COLUMNS, prior=dict(enumerate(shares))) == plain
