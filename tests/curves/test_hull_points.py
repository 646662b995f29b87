"""Classifiers that give labels, as points in ROC space beside curves."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.plots import figure

# Read off a lecture's slide: (FPR, TPR) of three classifiers.
THREE = {"C4.5": (0.2, 0.84), "SVM": (0.604, 0.951), "CN2": (0.0491, 0.4964)}
RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1], 200)
SCORES = TRUTH + RNG.normal(size=400)
LABELS = (SCORES + RNG.normal(size=400) > 0.5).astype(int)


def test_three_points_and_where_each_is_best():
    hull = te.roc_hull(THREE)
    best = {m["prior"]: (m["classifier"], round(m["accuracy"], 2)) for m in hull.by_mix(0.2, 0.5, 0.8)}
    assert best == {0.2: ("CN2", 0.86), 0.5: ("C4.5", 0.82), 0.8: ("SVM", 0.84)}
    ranges = list(hull.ranges())
    assert [r["classifier"] for r in ranges] == ["AlwaysNeg", "CN2", "C4.5", "SVM", "AlwaysPos"]
    assert round(ranges[0]["to"], 2) == 0.09
    assert round(1 - ranges[-1]["from"], 2) == 0.11
    text = str(hull)
    for words in ("9.0 %", "89.0 %", "82.0 %", "84.0 %", "86.0 %", "3 classifiers"):
        assert words in text
    assert te.load(hull.to_json()).corners == hull.corners


def test_rates_alone_say_nothing_of_certainty():
    hull = te.roc_hull(THREE)
    with pytest.raises(ValueError, match="prior= is needed"):
        hull.best()
    choice = hull.best(prior=0.2)
    assert choice.classifier == "CN2"
    assert choice.cost == pytest.approx(0.14, abs=5e-4)
    assert not choice.probabilities
    assert "do not show how sure the choice is" in " ".join(str(choice).split())
    assert "nan" not in str(choice)
    area = te.roc((0.2, 0.84)).auc()
    assert area.estimate == pytest.approx(0.82)
    assert math.isnan(area.low)


def test_a_confusion_matrix_is_its_point():
    table = te.Confusion([[800, 200], [160, 840]])
    hull = te.roc_hull({"C4.5": table, "SVM": te.Confusion([[396, 604], [49, 951]])})
    corner = next(c for c in hull.corners if c.classifier == "C4.5")
    assert (corner.fpr, corner.tpr) == (0.2, 0.84)
    assert math.isnan(corner.threshold)
    choice = hull.best(prior=0.5)
    assert choice.classifier == "C4.5"
    assert sum(choice.probabilities.values()) == pytest.approx(1)
    assert choice.corrected is None  # nothing was tuned
    curve = te.roc(table)
    assert curve.auc().estimate == pytest.approx(te.metric("balanced_accuracy", table))


def test_labels_stand_beside_scores():
    rows = te.predictions(TRUTH, {"labels": LABELS}, scores={"scores": SCORES})
    for hull in (te.roc_hull(rows), te.roc_hull(TRUTH, {"labels": LABELS}, scores={"scores": SCORES})):
        assert set(hull.curves) == {"labels", "scores"}
        assert hull.curves["labels"].calls == "labels"
        assert hull.curves["scores"].calls == ""
        assert "1 curve and 1 classifier" in str(hull)
    fpr = float(LABELS[TRUTH == 0].mean())
    assert hull.curves["labels"].fpr[1] == pytest.approx(fpr)


def test_a_curve_and_its_point_at_the_same_place_are_one_corner():
    curve = te.roc(TRUTH, SCORES)
    place = next(c for c in te.roc_hull(curve).corners if 0 < c.fpr < 1)
    hull = te.roc_hull({"curve": curve, "point": (place.fpr, place.tpr)})
    also = [c for c in hull.corners if "point" in (c.classifier, *c.also)]
    assert len(also) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": (1.2, 0.5)}, "fpr"),
        ({"a": te.Confusion([[5, 1], [2, 3]], ["x", "y"])}, "positive"),
        ({"a": te.roc([0, 1], [0.1, 0.9]), "b": "labels"}, "te.Confusion"),
        ({"AlwaysNeg": (0.1, 0.2)}, "trivial"),
        ({}, "at least one"),
    ],
)
def test_what_is_no_classifier_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        te.roc_hull(given)


def test_a_cost_curve_of_one_classifier_is_a_line():
    curve = te.cost_curve(te.Confusion([[50, 5], [10, 35]]))
    assert curve.at(prior=0.3).cost.estimate == pytest.approx(0.3 * 10 / 45 + 0.7 * 5 / 55)
    assert math.isnan(te.cost_curve((0.1, 0.8)).at(prior=0.3).cost.low)
    assert "from" not in str(curve.at(prior=0.3)).split(":")[0]


def test_points_and_families_of_equal_accuracy_are_drawn():
    drawn = figure(te.roc_hull(THREE)).svg
    for words in ("C4.5", "SVM", "CN2", "80 %", "90 %"):
        assert words in drawn
    by_cost = figure(te.roc_hull(THREE), prior=0.3, cost_fn=5).svg
    assert "cost 0." in by_cost
    plain = figure(te.roc_hull({"a": te.roc(TRUTH, SCORES)})).svg
    assert "80 %" not in plain
    assert "80 %" in figure(te.roc_hull({"a": te.roc(TRUTH, SCORES)}), iso=True).svg
    assert "accuracy 0.800" in figure(te.roc_hull(THREE).iso_accuracy(0.8, prior=0.2)).svg


def test_a_line_through_the_corner_starts_at_nought():
    assert str(te.roc_hull(THREE).iso_accuracy(0.8, prior=0.2)) == "accuracy 0.800 along tpr = 0.000 + 4.000·fpr"


def test_the_table_of_a_roc_curve_has_the_counts():
    curve = te.roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    frame = curve.frame()
    assert list(frame.columns) == ["threshold", "tp", "fp", "tn", "fn", "fpr", "tpr", "precision", "recall"]
    assert frame.tp.tolist() == [0, 1, 2, 2, 3, 3]
    assert frame.tn.tolist() == [2, 2, 2, 1, 1, 0]
    assert (frame.tp + frame.fn).eq(3).all()
    assert [(r["fpr"], round(r["tpr"], 3)) for r in curve.corners()] == [
        (0.0, 0.0), (0.0, 0.667), (0.5, 0.667), (0.5, 1.0), (1.0, 1.0)
    ]  # fmt: skip
    both = te.precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).frame()
    assert both.precision.tolist() == frame.precision.tolist()[1:]
