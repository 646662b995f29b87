"""`te.roc` against R's pROC 1.18: points, areas, partial areas, thresholds, intervals."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "d_roc_auc.json").read_text(encoding="utf-8"))["cases"]
NUMBERS = {"Inf": np.inf, "-Inf": -np.inf, "NaN": np.nan, "NA": np.nan}


def curve_of(case: dict[str, Any]) -> Any:
    with (DATA / case["csv"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return te.roc([int(r["label"]) for r in rows], [float(r[case["score"]]) for r in rows])


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.fixture(scope="module", params=CASES, ids=lambda c: c["id"])
def both(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Any]:
    return request.param, curve_of(request.param)


@pytest.mark.parametrize("case", [c for c in CASES if "roc" in c], ids=lambda c: c["id"])
def test_points(case: dict[str, Any]) -> None:
    curve, theirs = curve_of(case), case["roc"]
    # pROC runs upwards through midpoints between scores; ours runs down through the scores themselves.
    assert curve.tpr[::-1] == near(theirs["sensitivities"])
    assert curve.fpr[::-1] == near(1 - np.array(theirs["specificities"]))
    middles = np.array([NUMBERS.get(t, t) for t in theirs["thresholds"]], dtype=float)[::-1]
    assert (curve.thresholds[1:] > middles[1:]).all()
    assert (curve.thresholds[1:] <= middles[:-1]).all()


def test_area_and_gini(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    assert curve.auc().estimate == near(case["auc"])
    assert curve.auc().estimate * case["n_pos"] * case["n_neg"] == near(case["mann_whitney_U"])
    assert curve.gini == near(case["gini"])


@pytest.mark.parametrize("level", ["0.8", "0.9", "0.95", "0.99"])
def test_delong_interval(both: tuple[dict[str, Any], Any], level: str) -> None:
    case, curve = both
    low, _, high = case["ci_delong"][level]
    made = curve.auc("delong", confidence=float(level))
    if low == "NA" or low == high:
        # One positive, or no variance: pROC gives nothing, or no width. Ours says which method took over.
        assert made.low < made.high
        assert "Newcombe" in made.note
        return
    assert (made.low, made.high) == near((low, high))


def test_hanley_mcneil_interval(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    made = curve.auc("hanley-mcneil", confidence=0.5)
    half = 0.6744897501960817 * case["se_hanley_mcneil"]
    assert made.low == near(max(0.0, case["auc"] - half))
    assert made.high == near(min(1.0, case["auc"] + half))


def test_partial_areas(both: tuple[dict[str, Any], Any]) -> None:
    case, curve = both
    for part in case["partial"]:
        ends = sorted(1 - e for e in part["range"]) if part["focus"] == "specificity" else sorted(part["range"])
        axis = "fpr" if part["focus"] == "specificity" else "tpr"
        options = {"axis": axis, "replicates": 100}
        assert curve.partial_auc(*ends, **options).estimate == near(part["pauc"])
        # pROC refuses to scale an area below the diagonal; there is no reason to.
        if part["pauc_mcclish_corrected"] not in ("NA", None):
            scaled = curve.partial_auc(*ends, standardized=True, **options)
            assert scaled.estimate == near(part["pauc_mcclish_corrected"])


@pytest.mark.parametrize(("criterion", "theirs"), [("youden", "best_youden"), ("closest", "best_topleft")])
def test_best_thresholds(both: tuple[dict[str, Any], Any], criterion: Any, theirs: str) -> None:
    case, curve = both
    expected = case[theirs]
    point = curve.best_threshold(criterion)
    pairs = list(zip(expected["specificity"], expected["sensitivity"], strict=True))
    assert any((1 - point.fpr, point.tpr) == near(pair) for pair in pairs)
    # Of equals ours is the one with the fewest false alarms, pROC's last.
    assert 1 - point.fpr == near(max(expected["specificity"]))
