"""Log loss, Brier score and calibration error against R (explicit formulas, MLmetrics 1.1, rms 6.5)."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.metrics._registry import find_measure, loss_moments

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "e_probability_scores.json").read_text(encoding="utf-8"))["cases"]
BINARY = [c for c in CASES if "k" not in c]
MULTI = [c for c in CASES if "k" in c]

each_binary = pytest.mark.parametrize("case", BINARY, ids=lambda c: c["id"])
each_multi = pytest.mark.parametrize("case", MULTI, ids=lambda c: c["id"])


def rows(case: dict[str, Any]) -> tuple[Any, Any]:
    with (DATA / case["csv"]).open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    truth = np.array([int(r["label"]) for r in records])
    scores = np.array([[float(v) for k, v in r.items() if k != "label"] for r in records])
    return truth, scores[:, 0] if scores.shape[1] == 1 else scores


def near(value: Any) -> Any:
    return pytest.approx(math.inf if value == "Inf" else value, rel=1e-9, abs=1e-15)


@each_binary
def test_losses(case: dict[str, Any]) -> None:
    truth, p = rows(case)
    assert te.metric("log_loss", truth, scores=p) == near(case["log_loss_nats"])
    assert te.metric("log_loss", truth, scores=p, clip=1e-15) == near(case["log_loss_MLmetrics_LogLoss"])
    assert te.metric("brier", truth, scores=p) == near(case["brier"])
    assert te.metric("brier", truth, scores=np.column_stack([1 - p, p])) == near(case["brier"])
    assert te.metric("brier_skill_score", truth, scores=p) == near(case["brier_skill_score"])


@each_binary
def test_losses_from_the_score_table_alone(case: dict[str, Any]) -> None:
    truth, p = rows(case)
    table = te.ScoreTable.count(truth, p)
    moments = loss_moments(table, find_measure("brier"))
    assert moments.mean == near(case["brier"])
    assert moments.n == case["n"]
    assert moments.variance == near(float(np.var((p - truth) ** 2, ddof=1)))
    assert te.metric("log_loss", table) == near(case["log_loss_nats"])


@pytest.mark.parametrize(
    ("case", "bins"),
    # The reference gives no value where a forecast lies on an edge of a bin.
    [(c, b) for c in BINARY for b in (5, 10, 15) if c["ece_equal_width_right_closed"][f"bins{b}"]],
    ids=lambda x: x["id"] if isinstance(x, dict) else str(x),
)
def test_calibration_errors(case: dict[str, Any], bins: int) -> None:
    expected = case["ece_equal_width_right_closed"][f"bins{bins}"]
    truth, p = rows(case)
    assert te.metric("ece", truth, scores=p, bins=bins) == near(expected["ece"])
    assert te.metric("mce", truth, scores=p, bins=bins) == near(expected["mce"])


@pytest.mark.parametrize("case", [c for c in BINARY if c["rms_val.prob"]], ids=lambda c: c["id"])
def test_area_and_somers_d(case: dict[str, Any]) -> None:
    # rms puts the probabilities into bins of 0.002 before it ranks them; the exact ranks differ in the fourth decimal.
    truth, p = rows(case)
    theirs = case["rms_val.prob"]
    assert te.metric("auc", truth, scores=p) == pytest.approx(theirs["C (ROC)"], abs=1e-4)
    assert te.metric("gini", truth, scores=p) == pytest.approx(theirs["Dxy"], abs=2e-4)


def test_the_binned_area_of_rms_is_the_rank_sum_of_binned_scores() -> None:
    case = next(c for c in BINARY if c["id"] == "binary300")
    truth, p = rows(case)
    assert te.metric("auc", truth, scores=np.floor(500 * p)) == near(case["rms_val.prob"]["C (ROC)"])


@each_multi
def test_losses_of_many_classes(case: dict[str, Any]) -> None:
    truth, p = rows(case)
    labels = range(1, case["k"] + 1)

    def ours(name: str, **options: Any) -> float:
        return te.metric(name, truth, scores=p, labels=labels, **options)

    assert ours("log_loss") == near(case["log_loss_nats"])
    assert ours("log_loss", unit="bits") == near(case["log_loss_bits"])
    assert ours("brier", scale="sum") == near(case["brier_sum_over_classes"])
    assert ours("brier") == near(case["brier_half"])
    assert ours("brier", scale="mean") == near(case["brier_mean_over_classes"])
    assert ours("ranked_probability_score") == near(case["ranked_probability_score"])
    assert ours("accuracy") == near(case["accuracy_argmax"])
