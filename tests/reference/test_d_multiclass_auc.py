"""Areas of several classes against R's pROC 1.18 (multiclass.roc and auc)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "d_multiclass_auc.json").read_text(encoding="utf-8"))["cases"]


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_hand_till_and_one_vs_rest(case: dict[str, Any]) -> None:
    with (DATA / case["csv"]).open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    truth = [r["label"] for r in records]
    scores = np.array([[float(r[label]) for label in case["classes"]] for r in records])
    assert te.metric("hand_till_auc", truth, scores=scores) == near(case["hand_till_M"])
    assert te.metric("ovr_auc", truth, scores=scores) == near(case["ovr_macro"])
    weighted = te.metric("ovr_auc", truth, scores=scores, average="weighted")
    assert weighted == near(case["ovr_prevalence_weighted"])
    for label, area in case["ovr_auc"].items():
        assert te.metric("auc", truth, scores=scores, positive=label) == near(area)
