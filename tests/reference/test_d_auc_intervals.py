"""Single areas against pROC: DeLong's variance and interval, Hanley and McNeil's error.

pROC gives an interval of no width where the scores separate the classes or never differ, and none with one positive;
ours is Newcombe's method 5 there.
"""

import csv
import json
import math
from pathlib import Path

import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.auc._interval import delong_variance, hanley_mcneil_variance
from trueerror.tallies import ScoreTable

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "d_roc_auc.json").read_text())["cases"]


def table(case):
    with (DATA / case["csv"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return ScoreTable.count([int(float(r["label"])) for r in rows], [float(r[case["score"]]) for r in rows], positive=1)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_area_and_its_interval(case):
    t = table(case)
    area = case["auc"]
    for level, (low, _, high) in case["ci_delong"].items():
        made = metric_interval("auc", t, method="delong", confidence=float(level))
        assert made.estimate == pytest.approx(area, rel=1e-12)
        if isinstance(low, int | float) and low < high:
            assert (made.low, made.high) == pytest.approx((low, high), rel=1e-9)
            assert made.method == "delong"
        else:
            assert made.method == "newcombe-auc"
            assert made.low < made.high
    if isinstance(case["var_delong"], float) and case["var_delong"] > 0:
        assert delong_variance(t) == pytest.approx(case["var_delong"], rel=1e-9)
    error = math.sqrt(max(0.0, hanley_mcneil_variance(area, case["n_pos"], case["n_neg"])))
    assert error == pytest.approx(case["se_hanley_mcneil"], rel=1e-9, abs=1e-12)
