"""Metrics of confusion matrices against R: caret 6.0, vcd 1.4, e1071 1.7 and explicit formulas."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "e_confusion_matrices.json").read_text(encoding="utf-8"))["cases"]
SPECIAL = {"NaN": math.nan, "NA": math.nan, "Inf": math.inf, "-Inf": -math.inf}
ONE_CLASS = {
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "f1": "f1",
    "informedness": "informedness",
    "markedness": "markedness",
    "balanced_accuracy": "balanced_accuracy",
    "jaccard": "jaccard",
    "mcc_one_vs_rest": "mcc",
    "lr_plus": "lr_plus",
    "lr_minus": "lr_minus",
    "diagnostic_odds_ratio": "diagnostic_odds_ratio",
    "gmean": "g_mean",
}
AVERAGES = {
    "accuracy": "accuracy",
    "macro_precision": "macro_precision",
    "macro_recall": "macro_recall",
    "macro_f1": "macro_f1",
    "micro_f1": "micro_f1",
    "weighted_precision": "weighted_precision",
    "weighted_recall": "weighted_recall",
    "weighted_f1": "weighted_f1",
    "balanced_accuracy_mean_recall": "balanced_accuracy",
    "geometric_mean_recall": "g_mean",
}
CARET = {
    "Sensitivity": "recall",
    "Specificity": "specificity",
    "Pos Pred Value": "ppv",
    "Neg Pred Value": "npv",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
    "Prevalence": "prevalence",
    "Detection Rate": "detection_rate",
    "Detection Prevalence": "detection_prevalence",
    "Balanced Accuracy": "balanced_accuracy",
}

each_case = pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])


def near(value: Any) -> Any:
    return pytest.approx(
        SPECIAL.get(value, value) if isinstance(value, str) else value, rel=1e-9, abs=1e-12, nan_ok=True
    )


def table(case: dict[str, Any]) -> te.Confusion:
    return te.Confusion(case["true_by_pred"], labels=case["classes"])


@each_case
def test_one_class_against_the_rest(case: dict[str, Any]) -> None:
    t, expected = table(case), case["per_class_explicit"]
    for i, label in enumerate(case["classes"]):
        for theirs, ours in ONE_CLASS.items():
            assert te.metric(ours, t, positive=label) == near(expected[theirs][i]), (ours, label)
        assert te.metric("f_beta", t, positive=label, beta=2) == near(expected["f2"][i])
        assert te.metric("f_beta", t, positive=label, beta=0.5) == near(expected["f0.5"][i])


@each_case
def test_averages(case: dict[str, Any]) -> None:
    t, expected = table(case), case["averages_explicit"]
    for theirs, ours in AVERAGES.items():
        assert te.metric(ours, t) == near(expected[theirs]), ours


@each_case
def test_powers_informedness_is_the_mean_over_the_calls(case: dict[str, Any]) -> None:
    t = table(case)
    called = [te.metric("detection_prevalence", t, positive=label) for label in case["classes"]]
    each = [te.metric("informedness", t, positive=label) for label in case["classes"]]
    mean = sum(a * b for a, b in zip(called, each, strict=True))
    assert mean == near(case["averages_explicit"]["informedness_prevalence_weighted_by_prediction"])


@each_case
def test_caret_by_class(case: dict[str, Any]) -> None:
    t, by_class = table(case), case["caret_byClass"]
    assert set(by_class["columns"]) == set(CARET)
    for label, row in zip(by_class["rows"], by_class["values"], strict=True):
        for column, value in zip(by_class["columns"], row, strict=True):
            ours = te.metric(CARET[column], t, positive=label)
            if column == "F1" and value == "NA":
                # caret forms F1 from an undefined precision; 2TP / (2TP + FP + FN) is 0 for a class that has rows.
                assert ours == 0
            else:
                assert ours == near(value), (column, label)


@each_case
def test_mcc_and_kappa(case: dict[str, Any]) -> None:
    t, kappa = table(case), case["kappa"]
    assert te.metric("mcc", t) == near(case["multiclass_mcc_gorodkin"])
    assert te.metric("kappa", t) == near(kappa["value"])
    assert te.metric("kappa", t, weights="linear") == near(kappa["weighted_linear"])
    assert te.metric("kappa", t, weights="quadratic") == near(kappa["weighted_quadratic"])
    expected_agreement = kappa["expected_agreement"]
    accuracy = te.metric("accuracy", t)
    assert (accuracy - expected_agreement) / (1 - expected_agreement) == near(kappa["value"])
    assert accuracy == near(case["caret_overall"]["Accuracy"])


@each_case
def test_the_majority_class(case: dict[str, Any]) -> None:
    shares = [te.metric("prevalence", table(case), positive=label) for label in case["classes"]]
    assert max(shares) == near(case["caret_overall"]["AccuracyNull"])
