"""Every ROCR measure at every cutoff of six data sets, to 1e-9.

Where nothing, or everything, is called positive ROCR has NaN for three measures that are defined there: F is 0 when
nothing is called (2TP/(2TP + FP + FN) = 0/P), a constant call tells 0 bits about the truth, and its odds ratio is
undefined in both.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "i_rocr_curves.json").read_text())["cases"]
# ROCR's name → ours, and options.
NAMES = {
    "acc": ("accuracy", {}), "err": ("error_rate", {}), "fpr": ("fpr", {}), "tpr": ("recall", {}),
    "fnr": ("fnr", {}), "tnr": ("specificity", {}), "ppv": ("precision", {}), "npv": ("npv", {}),
    "pcfall": ("false_discovery_rate", {}), "pcmiss": ("false_omission_rate", {}),
    "rpp": ("detection_prevalence", {}), "rnp": ("rejection_rate", {}), "phi": ("mcc", {}),
    "mi": ("mutual_information", {}), "chisq": ("chi_squared", {}), "odds": ("diagnostic_odds_ratio", {}),
    "lift": ("lift", {}), "f": ("f1", {}), "f2_alpha0.2": ("f_beta", {"beta": 2}), "cost": ("expected_cost", {}),
    "cost_fp1_fn5": ("expected_cost", {"costs": [[0, 1], [5, 0]]}),
}  # fmt: skip
# Ours where ROCR has NaN.
DEFINED = {"f": 0.0, "f2_alpha0.2": 0.0, "mi": 0.0}


def rows(case):
    with open(DATA / case["csv"], newline="") as file:
        table = list(csv.DictReader(file))
    return [int(r["label"]) for r in table], [float(r["score"]) for r in table]


def plain(values):
    return np.array([float(str(v).replace("NA", "NaN")) if isinstance(v, str) else v for v in values], dtype=float)


def test_all_cases_and_all_measures_are_there():
    assert [c["id"] for c in CASES] == ["ROCR_simple", "tiny_m1", "separable_m2", "aSAH_s100b", "constant_m1", "anti"]
    assert {m for c in CASES for m in c["at_cutoffs"]} <= set(NAMES)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_counts_at_every_cutoff(case):
    from trueerror.curves._points import counts_at_cutoffs, cutoffs

    table = te.ScoreTable.count(*rows(case))
    assert cutoffs(table).tolist() == plain(case["cutoffs"]).tolist()
    counts = counts_at_cutoffs(table)
    for name in ("tp", "fp", "fn", "tn"):
        assert getattr(counts, name).tolist() == case[name], name


# ROCR computes some measures for some of the data sets only.
COMPUTED = [pytest.param(c, m, id=f"{c['id']}-{m}") for c in CASES for m in NAMES if m in c["at_cutoffs"]]


@pytest.mark.parametrize(("case", "measure"), COMPUTED)
def test_measure_at_every_cutoff(case, measure):
    theirs = plain(case["at_cutoffs"][measure])
    name, options = NAMES[measure]
    curve = te.measure_curve(*rows(case), x="threshold", y=name, y_options=options)
    if measure in DEFINED:
        theirs = np.where(np.isnan(theirs), DEFINED[measure], theirs)
    np.testing.assert_allclose(curve.y, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_the_gains_and_lift_charts(case):
    at = case["at_cutoffs"]
    gains, lift = te.gains(*rows(case)), te.lift(*rows(case))
    np.testing.assert_allclose(gains.share, plain(at["rpp"]), atol=1e-12)
    np.testing.assert_allclose(gains.found, plain(at["tpr"]), atol=1e-12)
    np.testing.assert_allclose(lift.share, plain(at["rpp"])[1:], atol=1e-12)
    np.testing.assert_allclose(lift.lift, plain(at["lift"])[1:], rtol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_det_has_the_same_rates(case):
    curve = te.det(*rows(case))
    np.testing.assert_allclose(curve.fpr, plain(case["at_cutoffs"]["fpr"]), atol=1e-12)
    np.testing.assert_allclose(curve.fnr, plain(case["at_cutoffs"]["fnr"]), atol=1e-12)
