"""ROC points, partial area and hull against R's ROCR 1.0-11."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "i_rocr_curves.json").read_text(encoding="utf-8"))["cases"]
NUMBERS = {"Inf": np.inf, "-Inf": -np.inf}


@pytest.fixture(scope="module", params=CASES, ids=lambda c: c["id"])
def both(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Any]:
    with (DATA / request.param["csv"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return request.param, te.roc([int(r["label"]) for r in rows], [float(r["score"]) for r in rows])


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def test_every_cutoff(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    assert curve.thresholds == near([NUMBERS.get(c, c) for c in case["cutoffs"]])
    assert curve.tpr == near(case["at_cutoffs"]["tpr"])
    assert curve.fpr == near(case["at_cutoffs"]["fpr"])


def test_area_and_area_up_to_a_false_positive_rate(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    assert curve.auc().estimate == near(case["auc"])
    assert curve.partial_auc(0, 0.2, replicates=100).estimate == near(case["auc_fpr_stop_0.2"])


def test_hull(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    hull = curve.hull()
    x, y = np.array(case["rch"]["fpr"]), np.array(case["rch"]["tpr"])
    assert hull.area == near(case["rch"]["area"])
    # ROCR keeps some points that lie on a line between others, so the two are compared as curves.
    assert hull.interpolate(x) == near(np.maximum(y, [y[x == v].max() for v in x]))
    for corner in hull.corners:
        assert np.hypot(x - corner.fpr, y - corner.tpr).min() < 1e-9


def test_cheapest_point_costs_what_rocr_says(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    for prices, key in (({}, "cost"), ({"cost_fn": 5}, "cost_fp1_fn5")):
        point = curve.operating_point(**prices, replicates=100)
        assert point.cost == near(min(case["at_cutoffs"][key]))
        best = [i for i, c in enumerate(case["at_cutoffs"][key]) if c <= point.cost + 1e-9]
        assert point.threshold == near(NUMBERS.get(case["cutoffs"][best[0]], case["cutoffs"][best[0]]))


def test_best_accuracy(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    point = curve.best_threshold("accuracy")
    assert curve.condition().accuracy(point.fpr, point.tpr) == near(max(case["at_cutoffs"]["acc"]))
    f = [v for v in case["at_cutoffs"]["f"] if v != "NaN"]
    point = curve.best_threshold("f1")
    tp, fp = point.tpr * case["n_pos"], point.fpr * case["n_neg"]
    assert 2 * tp / (tp + fp + case["n_pos"]) == near(max(f))
