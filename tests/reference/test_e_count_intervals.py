"""Intervals of counts against R: kappa's error and interval by vcd, the exact interval of accuracy by caret.

vcd gives an interval of no width for a perfect table and for a constant prediction; ours never does.
"""

import json
from pathlib import Path

import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._variance import influence, variance
from trueerror.metrics._registry import find_measure
from trueerror.tallies import Confusion

CASES = json.loads((Path(__file__).parent / "data" / "e_confusion_matrices.json").read_text())["cases"]


def error_of_kappa(t, weights):
    return float(variance(influence(find_measure("kappa"), t, options={"weights": weights}), t.counts)) ** 0.5


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_kappa(case):
    t, kappa = Confusion(case["true_by_pred"]), case["kappa"]
    assert error_of_kappa(t, None) == pytest.approx(kappa["vcd_ASE"], rel=1e-9, abs=1e-12)
    for weights in ("linear", "quadratic"):
        expected = kappa[f"weighted_{weights}_vcd_ASE"]
        if expected is not None:
            assert error_of_kappa(t, weights) == pytest.approx(expected, rel=1e-9)
    made = metric_interval("kappa", t, method="delta")
    low, high = kappa["vcd_ci95"]
    if low < high:
        assert (made.low, made.high) == pytest.approx((max(low, -1), min(high, 1)), rel=1e-9)
        assert made.method == "delta"
    else:
        assert made.low < made.high
        assert made.method == "effective-t"


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_exact_interval_of_accuracy(case):
    made = metric_interval("accuracy", Confusion(case["true_by_pred"]), method="clopper-pearson")
    overall = case["caret_overall"]
    expected = (overall["Accuracy"], overall["AccuracyLower"], overall["AccuracyUpper"])
    assert (made.estimate, made.low, made.high) == pytest.approx(expected, rel=1e-9)
