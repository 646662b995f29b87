"""WEKA 3.6.14's own evaluation of eight cross-validations: counts, rates, areas and every point of its curves.

Where a rate is undefined WEKA says 0 (`meta.notes`); we say NaN.
"""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "j_weka_evaluation.json").read_text(encoding="utf-8"))["cases"]
CURVES = [(c, t) for c in CASES for t in c["threshold_curve"] if "Threshold" in t]


def rows_of(case: dict[str, Any]) -> tuple[list[str], NDArray[np.float64]]:
    with (DATA / case["predictions_csv"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = np.array([[float(r[f"p{i}"]) for i in range(len(case["classes"]))] for r in rows])
    return [case["classes"][int(float(r["actual"]))] for r in rows], scores


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_counts_and_rates(case: dict[str, Any]) -> None:
    truth, scores = rows_of(case)
    labels = case["classes"]
    counts = te.Confusion.count(truth, [labels[i] for i in scores.argmax(axis=1)], labels=labels)
    assert counts == te.Confusion(case["confusion_true_by_pred"], labels)
    assert 100 * te.metric("accuracy", counts) == near(case["pct_correct"])
    assert te.metric("kappa", counts) == near(case["kappa"])
    for i, label in enumerate(labels):
        for ours, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f_measure"), ("fpr", "fp_rate")):
            found = te.metric(ours, counts, positive=label)
            assert (case[theirs][i] == 0) if math.isnan(found) else found == near(case[theirs][i])
    if all(p > 0 for p in case["precision"]):
        assert te.metric("weighted_precision", counts) == near(case["weighted_precision"])
        assert te.metric("weighted_f1", counts) == near(case["weighted_f_measure"])
    assert te.metric("weighted_recall", counts) == near(case["weighted_recall"])
    if "total_cost" in case:
        costs = [[0, case["cost_fn_true0_pred1"]], [case["cost_true1_pred0"], 0]]
        assert te.cost(counts, costs) == near(case["total_cost"])
        assert te.cost(counts, costs, mean=True) == near(case["avg_cost"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_areas_and_squared_errors(case: dict[str, Any]) -> None:
    truth, scores = rows_of(case)
    for i, label in enumerate(case["classes"]):
        up = [t == label for t in truth]
        area = float(te.roc(up, scores[:, i]).auc())
        assert area == near(case["pROC_auc"][i])
        assert area == near(case["area_under_roc_evaluation"][i])
    bits = case["explicit_R"]["log_loss_bits"]
    order = np.argsort(case["classes"])
    loss = te.metric("log_loss", truth, scores=scores[:, order]) / math.log(2)
    assert loss == near(math.inf if bits == "Inf" else bits)
    if len(case["classes"]) == 2:
        brier = te.metric("brier", [t == case["classes"][1] for t in truth], scores=scores[:, 1])
        assert math.sqrt(brier) == near(case["root_mean_squared_error"])


@pytest.mark.parametrize(("case", "theirs"), CURVES, ids=[f"{c['id']}-{t['class_index']}" for c, t in CURVES])
def test_every_point_of_the_threshold_curve(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    truth, scores = rows_of(case)
    i = theirs["class_index"]
    curve = te.roc([t == case["classes"][i] for t in truth], scores[:, i])
    # WEKA runs upwards, from calling all rows positive to calling none.
    assert curve.tpr[::-1] == near(theirs["True Positive Rate"])
    assert curve.fpr[::-1] == near(theirs["False Positive Rate"])
