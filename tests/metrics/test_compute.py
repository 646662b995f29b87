"""te.metric: what may be asked of what, and what is refused in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH = ["no", "yes", "yes", "no", "yes"]
CALLED = ["no", "yes", "no", "yes", "yes"]
SCORES = [0.2, 0.9, 0.4, 0.6, 0.5]
TABLE = te.Confusion.count(TRUTH, CALLED)
THREE = te.Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"])


def test_rows_and_tables_agree() -> None:
    for name in ("accuracy", "mcc", "kappa", "macro_f1"):
        assert te.metric(name, TRUTH, CALLED) == te.metric(name, TABLE)
    for name in ("precision", "f1"):
        assert te.metric(name, TRUTH, CALLED, positive="yes") == te.metric(name, TABLE, positive="yes")
    assert te.metric("recall", te.Confusion.count(TRUTH, CALLED, positive="yes")) == pytest.approx(2 / 3)


def test_the_answer_is_a_plain_float() -> None:
    for name, data in (("accuracy", TABLE), ("kappa", TABLE), ("macro_f1", TABLE), ("cost", TABLE), ("g_mean", TABLE)):
        assert type(te.metric(name, data)) is float
    for name in ("auc", "log_loss", "ece", "hand_till_auc"):
        assert type(te.metric(name, TRUTH, scores=SCORES, positive="yes")) is float


def test_labels_come_from_scores_by_a_threshold() -> None:
    assert te.metric("recall", TRUTH, scores=SCORES, positive="yes") == pytest.approx(2 / 3)  # 0.5 counts as positive
    assert te.metric("recall", TRUTH, scores=SCORES, positive="yes", threshold=0.3) == 1
    assert te.metric("specificity", TRUTH, scores=SCORES, positive="yes", threshold=0.7) == 1
    assert te.metric("accuracy", [0, 1], scores=[-3.0, 2.0], threshold=0) == 1
    table = te.ScoreTable.count(TRUTH, SCORES, positive="yes")
    assert te.metric("recall", table) == pytest.approx(2 / 3)
    assert te.metric("kappa", table, threshold=0.3) == te.metric(
        "kappa", TRUTH, scores=SCORES, positive="yes", threshold=0.3
    )


def test_scores_outside_0_to_1_need_a_threshold() -> None:
    with pytest.raises(InputError, match="threshold="):
        te.metric("accuracy", [0, 1], scores=[-3.0, 2.0])


def test_of_several_columns_the_highest_is_called_and_the_first_wins_ties() -> None:
    scores = [[0.4, 0.4, 0.2], [0.1, 0.45, 0.45], [0.2, 0.2, 0.6]]
    assert te.metric("accuracy", ["a", "b", "c"], scores=scores) == 1
    assert te.metric("recall", ["a", "c", "c"], scores=scores, positive="c", labels=["a", "b", "c"]) == 0.5
    two = [[0.7, 0.3], [0.4, 0.6]]
    assert te.metric("accuracy", ["a", "b"], scores=two) == 1
    assert te.metric("recall", ["a", "b"], scores=two, positive="b", threshold=0.7) == 0


def test_one_column_for_one_of_many_classes_is_that_class_against_the_rest() -> None:
    truth, scores = ["a", "b", "c", "b"], [0.1, 0.9, 0.6, 0.4]
    assert te.metric("auc", truth, scores=scores, positive="b") == 0.75
    assert te.metric("accuracy", truth, scores=scores, positive="b") == 0.5
    assert te.metric("precision", truth, scores=scores, positive="b") == 0.5


def test_both_labels_and_scores_may_be_given() -> None:
    assert te.metric("accuracy", TRUTH, CALLED, scores=SCORES) == te.metric("accuracy", TRUTH, CALLED)
    auc = te.metric("auc", TRUTH, CALLED, scores=SCORES, positive="yes")
    assert auc == te.metric("auc", TRUTH, scores=SCORES, positive="yes")


def test_missing_predictions_are_settled_openly() -> None:
    called = ["no", None, "no", "yes", "yes"]
    with pytest.raises(InputError, match="missing="):
        te.metric("accuracy", TRUTH, called)
    assert te.metric("accuracy", TRUTH, called, missing="wrong") == pytest.approx(2 / 5)
    assert te.metric("accuracy", TRUTH, called, missing="drop") == pytest.approx(2 / 4)


def test_series_of_any_library() -> None:
    for kind in (pd.Series, pl.Series, np.array):
        assert te.metric("accuracy", kind(TRUTH), kind(CALLED)) == pytest.approx(3 / 5)
        assert te.metric("auc", kind(TRUTH), scores=kind(SCORES), positive="yes") == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("accuracy", TRUTH), {}, "it needs labels"),
        (("auc", TRUTH, CALLED), {"positive": "yes"}, "it needs scores"),
        (("auc", TABLE), {}, "cannot be computed from a confusion matrix; it needs scores"),
        (("hand_till_auc", te.ScoreTable.count([0, 1], [0.1, 0.2])), {}, "one score for each class"),
        (("recall", TRUTH, CALLED), {}, "positive= one of 'no', 'yes'"),
        (("auc", TRUTH), {"scores": SCORES}, "positive= one of 'no', 'yes'"),
        (("recall", TABLE), {"positive": "maybe"}, "'maybe' is not among the labels"),
        (("macro_f1", THREE), {"positive": "a"}, "average over all classes"),
        (("f1", THREE), {}, "which class is positive"),
        (("accuracy", TABLE), {"beta": 2}, "accuracy has no option beta=; it has none"),
        (("f_beta", TABLE), {"positive": "yes", "betta": 2}, "did you mean 'beta'"),
        (("accuracy", TABLE), {"weights": [1, 2]}, "weights_kind="),
        (("accuracy", TABLE, CALLED), {}, "predicted has no place"),
        (("auc", TABLE), {"scores": SCORES}, "scores has no place"),
        (("accuracy", TABLE), {"labels": ["yes"]}, "labels has no place"),
        (("accuracy", TABLE), {"threshold": 0.5}, "threshold="),
        (("accuracy", TRUTH, CALLED), {"threshold": 0.5}, "threshold="),
        (("auc", TRUTH), {"scores": SCORES, "positive": "yes", "threshold": 0.5}, "no effect on auc"),
        (("accuracy", [], []), {}, "empty"),
        (("accuracy", TRUTH, CALLED[:3]), {}, "5 rows but predicted has 3"),
        (("auc", TRUTH), {"scores": SCORES[:3], "positive": "yes"}, "5 rows but scores has 3"),
        (("log_loss", TRUTH), {"scores": np.ones((5, 3)) / 3}, "3 columns but there are 2 classes"),
        (("auc", ["a", "b", "c"]), {"scores": np.ones((3, 3)) / 3}, "positive= one of 'a', 'b', 'c'"),
        (("hand_till_auc", ["a", "b", "c"]), {"scores": [1, 2, 3]}, "one score for each class"),
        (("hand_till_auc", ["a", "b", "c"]), {"scores": np.eye(3), "positive": "a"}, "leave positive= out"),
        (("auc", ["a", None]), {"scores": [1, 2], "positive": "a"}, "truth is missing at row 2"),
        (("accuracy", ["a", None], ["a", "a"]), {}, "truth is missing at row 2"),
        (("auc", te.ScoreTable.count([0, 1], [1, 2])), {"positive": 0}, "counted for 1"),
        (("accuracy", "abc", "abc"), {}, "must be an array"),
        (("accuracy", TRUTH, [0, 1, 1, 0, 1]), {}, "one type"),
        (("cost", TABLE), {"costs": np.ones((3, 3))}, "3 × 3, but there are 2 classes"),
        (("nonsense", TABLE), {}, "not known"),
        (("accuracy", ["a", "b", "c"]), {"scores": np.eye(3), "threshold": 0.5}, "threshold= is for one column"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_words(arguments: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        te.metric(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_undefined_is_nan_not_nought() -> None:
    assert math.isnan(te.metric("precision", te.Confusion([[5, 0], [5, 0]])))
    assert math.isnan(te.metric("accuracy", te.Confusion(np.zeros((2, 2)))))
    assert math.isnan(te.metric("auc", [1, 1], scores=[0.1, 0.2]))


def test_labels_of_a_pair_of_natural_classes_need_no_positive() -> None:
    assert te.metric("recall", [True, False, True], [True, False, False]) == 0.5
    assert te.metric("recall", [1, -1, 1], [1, 1, -1]) == 0.5
    assert te.metric("recall", [1.0, 0.0, 1.0], [1, 0, 0]) == 0.5
    assert te.metric("recall", [True, False, True], [1, 0, 0]) == 0.5
    assert te.metric("recall", [1, 1], [1, 1]) == 1
    assert math.isnan(te.metric("recall", [0, 0], [0, 0]))


def test_sampling_weights_in_a_table_are_used() -> None:
    table = te.Confusion.count([1, 1, 0], [1, 0, 0], weights=[0.5, 1.5, 3], weights_kind="sampling")
    assert te.metric("recall", table) == 0.25
    assert te.metric("accuracy", table) == pytest.approx(3.5 / 5)
    with pytest.raises(InputError, match="sampling weights"):
        te.metric("recall", te.ScoreTable.count([1, 0], [0.2, 0.9], weights=[0.5, 1.5], weights_kind="sampling"))


def test_predictions_that_were_read() -> None:
    p = te.read(te.data.path("breast_cancer"), positive="malignant")
    ev = te.evaluate(p).model("knn")
    for name in ("accuracy", "recall", "macro_f1", "auc", "brier", "log_loss", "ece"):
        assert te.metric(name, p, model="knn") == pytest.approx(ev[name].estimate), name
    assert te.metric("recall", p, model="knn", positive="benign") == pytest.approx(ev["recall", "benign"].estimate)
    assert te.metric("accuracy", p, model="knn", threshold=0.9) == te.metric(
        "accuracy", p.confusion("knn", threshold=0.9)
    )
    with pytest.raises(InputError, match="there are 4 models"):
        te.metric("accuracy", p)
    with pytest.raises(InputError, match="no place beside"):
        te.metric("accuracy", p, [0, 1], model="knn")
    with pytest.raises(InputError, match="model= chooses"):
        te.metric("accuracy", [0, 1], [0, 1], model="knn")
    labels = te.read(te.data.path("digits"))
    with pytest.raises(InputError, match="has labels only"):
        te.metric("auc", labels, model="svm")
