"""Section C of the requirements that speaks of ROC curves: C1–C4 and C9."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te

# Two examples of the seeds, as (scores, classes).
FIRST = ([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25], "++---+-+-+")
SECOND = ([0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01], "++-++--+--")


def curve_of(example):
    scores, classes = example
    return te.roc([c == "+" for c in classes], scores)


def near(value):
    return pytest.approx(value, abs=1e-12)


def test_c1_ties_stay_together():
    curve = curve_of(FIRST)
    assert curve.auc().estimate == near(0.56)
    # The origin and 8 distinct scores; the seed's table prints the three rows at 0.85 as three columns, against its
    # own rule of one threshold for each score.
    assert len(curve.fpr) == len(curve.tpr) == len(curve.thresholds) == 9
    at = curve.at(threshold=0.85)
    assert (at.tpr * 5, at.fpr * 5) == near((3, 3))
    assert curve.thresholds[0] == np.inf
    assert (np.diff(curve.thresholds) < 0).all()


def test_c1_corners_area_and_gini():
    curve = curve_of(SECOND)
    points = set(zip(curve.fpr.round(9), curve.tpr.round(9), strict=True))
    for corner in ((0, 2 / 5), (1 / 5, 2 / 5), (1 / 5, 4 / 5), (3 / 5, 4 / 5), (3 / 5, 1), (1, 1)):
        assert (round(corner[0], 9), round(corner[1], 9)) in points
    assert curve.auc().estimate == near(0.8)
    assert curve.gini == near(0.6)


@pytest.mark.parametrize("example", [FIRST, SECOND])
def test_c2_three_ways_to_the_area_agree(example):
    curve = curve_of(example)
    trapezoid = float((np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1])).sum() / 2)
    scores, positive = np.array(example[0]), np.array([c == "+" for c in example[1]])
    p, n = positive.sum(), (~positive).sum()
    ranks = np.array([(scores < s).sum() + ((scores == s).sum() + 1) / 2 for s in scores])
    rank_sum = (ranks[positive].sum() - p * (p + 1) / 2) / (p * n)
    pairs = scores[positive][:, None] - scores[~positive]
    ordering = ((pairs > 0).sum() + 0.5 * (pairs == 0).sum()) / (p * n)
    for area in (trapezoid, rank_sum, ordering):
        assert curve.auc().estimate == near(area)
    assert curve.gini == near(2 * trapezoid - 1)


def test_c2_perfect_random_and_wrong():
    truth = [0, 0, 1, 1]
    assert te.roc(truth, [1, 2, 3, 4]).auc().estimate == 1
    assert te.roc(truth, [5, 5, 5, 5]).auc().estimate == 0.5
    assert te.roc(truth, [4, 3, 2, 1]).auc().estimate == 0


def test_c3_hull_and_the_mixture_between_two_classifiers():
    hull = curve_of(SECOND).hull()
    corners = [(round(c.fpr, 9), round(c.tpr, 9)) for c in hull.corners]
    assert corners == [(0, 0), (0, 0.4), (0.2, 0.8), (0.6, 1), (1, 1)]
    mixture = hull.mixture(fpr=0.1)
    assert (mixture.fpr, mixture.tpr) == near((0.1, 0.6))
    assert (mixture.share, mixture.first.threshold, mixture.second.threshold) == near((0.5, 0.98, 0.65))
    # A coin for each row gets there: count both classifiers' calls by their probabilities.
    scores, positive = np.array(SECOND[0]), np.array([c == "+" for c in SECOND[1]])
    called = (1 - mixture.share) * (scores >= mixture.first.threshold) + mixture.share * (
        scores >= mixture.second.threshold
    )
    assert called[positive].mean() == near(mixture.tpr)
    assert called[~positive].mean() == near(mixture.fpr)


def hull_with_slopes():
    """One classifier whose hull starts with slope 0.91/0.09 and ends with 0.11/0.89."""
    # A thousand rows of each class; at the three scores, from the lowest.
    positives = np.array([11 * 10, 1000 - 11 * 10 - 91 * 5, 91 * 5])
    negatives = np.array([89 * 10, 1000 - 89 * 10 - 9 * 5, 9 * 5])
    return te.roc(te.ScoreTable([0.1, 0.5, 0.9], positives, negatives)).hull()


def test_c4_always_negative_below_nine_percent_always_positive_below_eleven_percent_negatives():
    ranges = hull_with_slopes().ranges()
    first, last = ranges[0], ranges[len(ranges) - 1]
    assert (first["classifier"], last["classifier"]) == ("AlwaysNeg", "AlwaysPos")
    assert (first["from"], first["to"]) == near((0.0, 0.09))
    assert (last["from"], last["to"]) == near((0.89, 1.0))
    hull = hull_with_slopes()
    slopes = np.diff(hull.tpr) / np.diff(hull.fpr)
    assert slopes[0] == near(0.91 / 0.09)
    assert slopes[-1] == near(0.11 / 0.89)
    assert round(slopes[0], 1) == 10.1
    assert round(slopes[-1], 3) == 0.124
    for prior, expected in ((0.08, "AlwaysNeg"), (0.5, "model"), (0.9, "AlwaysPos")):
        assert hull.best(prior=prior, replicates=100).classifier == expected


def test_c4_iso_accuracy_lines_have_slope_negatives_over_positives():
    curve = curve_of(SECOND)
    line = curve.iso_accuracy(0.8, prior=0.25)
    assert line.slope == near(3)
    for fpr in (0.0, 0.05):
        tpr = float(line.at(fpr))
        assert 0.25 * tpr + 0.75 * (1 - fpr) == near(0.8)
    # On the descending diagonal tpr = 1 − fpr, accuracy is the tpr, whatever the mix of classes.
    for prior in (0.1, 0.5, 0.8):
        line = curve.iso_accuracy(0.7, prior=prior)
        assert float(line.at(1 - 0.7)) == near(0.7)


def test_c4_iso_cost_line_through_the_best_point_has_no_curve_above_it():
    curve = curve_of(SECOND)
    for prior, fp, fn in ((0.3, 1, 1), (0.1, 1, 20), (0.7, 3, 1)):
        point = curve.operating_point(prior=prior, cost_fp=fp, cost_fn=fn, replicates=100)
        assert point.slope == near(fp * (1 - prior) / (fn * prior))
        assert (curve.tpr <= point.line.at(curve.fpr) + 1e-12).all()
        assert float(point.line.at(point.fpr)) == near(point.tpr)
        assert point.cost == near(prior * fn * (1 - point.tpr) + (1 - prior) * fp * point.fpr)
        assert point.accuracy == near(prior * point.tpr + (1 - prior) * (1 - point.fpr))


def test_c4_ranges_name_the_best_classifier_of_several():
    truth = [0, 0, 0, 0, 1, 1, 1, 1]
    careful = te.roc(truth, [1, 2, 3, 6, 4, 5, 7, 8])
    bold = te.roc(truth, [1, 5, 6, 7, 4, 2.5, 8, 9])
    worse = te.roc(truth, [5, 6, 7, 8, 1, 2, 3, 4])
    hull = te.roc_hull({"careful": careful, "bold": bold, "worse": worse})
    names = {r["classifier"] for r in hull.ranges()}
    assert "worse" not in names
    assert {"AlwaysNeg", "AlwaysPos", "careful"} <= names
    assert "Never the cheapest, whatever the costs: " in str(hull)
    for row in hull.ranges(cost_fp=2, cost_fn=3):
        if row["to"] - row["from"] > 1e-9:
            middle = (row["from"] + row["to"]) / 2
            best = hull.best(prior=middle, cost_fp=2, cost_fn=3, replicates=100)
            assert (best.classifier, best.threshold) == (row["classifier"], row["threshold"])


def test_c9_crossing_curves_who_is_better_where():
    draw = np.random.default_rng(1)
    truth = draw.random(3000) < 0.5
    narrow = draw.normal(size=3000) + 1.0 * truth
    wide = np.where(truth, draw.normal(1.5, 3.0, size=3000), draw.normal(size=3000))
    rows = te.predictions(truth, scores={"narrow": narrow, "wide": wide})
    found = te.roc_difference(rows, "narrow", "wide", replicates=300)
    left, right = found.regions[0], found.regions[-1]
    assert (left[0], right[0]) == ("wide", "narrow")
    assert left[2] < right[1]
    assert len(found.crossings) >= 1
    assert left[1] < found.crossings[0] < right[2]
    assert str(found).startswith("narrow is above wide at FPR ")
    assert "wide is above narrow at FPR " in str(found)
    assert "elsewhere no clear difference" in str(found)
