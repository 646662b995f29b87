"""Evaluations as pictures: the metrics that tell most, and models without calls."""

import trueerror as te
from trueerror.plots.compose.forests import evaluation_forest


def test_ranking_and_probabilities_are_among_the_metrics_of_several_models():
    ev = te.evaluate(te.read(te.data.path("breast_cancer"), positive="malignant"))
    headings = [panel.heading for panel in evaluation_forest(ev).panels]
    assert headings[:2] == ["accuracy", "AUC"]
    assert "Brier score" in headings
    assert len(headings) == 6


def test_few_metrics_keep_their_order():
    ev = te.evaluate(te.read(te.data.path("breast_cancer"), positive="malignant"), metrics=["recall", "accuracy"])
    assert [panel.heading for panel in evaluation_forest(ev).panels] == ["recall", "accuracy"]


def test_scores_that_were_never_cut_have_a_picture():
    ev = te.evaluate([0, 1, 1, 0] * 10, scores=[-3.0, 2.0, 1.0, 0.5] * 10)
    assert evaluation_forest(ev).panels
