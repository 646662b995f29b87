"""Logistic recalibration and Spiegelhalter's test against rms::val.prob.

rms fits by an iterative algorithm that stops at about 1e-6; our fit goes on to the last digits.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import trueerror as te

DATA = Path(__file__).parent / "data"
CASES = [c for c in json.loads((DATA / "e_probability_scores.json").read_text())["cases"] if c.get("rms_val.prob")]


def curve(case, **options):
    with open(DATA / case["csv"], newline="") as file:
        table = list(csv.DictReader(file))
    return te.calibration([int(r["label"]) for r in table], [float(r["p"]) for r in table], **options)


def test_both_cases_are_there():
    assert [c["id"] for c in CASES] == ["binary300", "binary_overconfident"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_intercept_and_slope(case):
    theirs = case["rms_val.prob"]
    made = curve(case)
    assert made.intercept().estimate == pytest.approx(theirs["Intercept"], abs=1e-6)
    assert made.slope().estimate == pytest.approx(theirs["Slope"], abs=1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_spiegelhalter(case):
    theirs = case["rms_val.prob"]
    test = curve(case).spiegelhalter()
    assert test.statistic == pytest.approx(theirs["S:z"], rel=1e-9)
    assert test.p_value == pytest.approx(theirs["S:p"], rel=1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_unreliability_chi_squared_is_twice_the_likelihood_lost_at_a_0_b_1(case):
    """rms's U test compares the fitted line with (0, 1): our likelihoods must give its statistic."""
    from trueerror.curves._recalibration import LogitTable, fit_logistic

    data = LogitTable.of(curve(case).table)
    drop = 2 * (data.likelihood(*fit_logistic(data, [0, 1])) - data.likelihood(0.0, 1.0))
    assert drop == pytest.approx(case["rms_val.prob"]["U:Chi-sq"], rel=1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_brier_and_binned_errors(case):
    made = curve(case)
    assert made.brier().estimate == pytest.approx(case["brier"], abs=1e-9)
    for bins in (5, 10, 15):
        theirs = case["ece_equal_width_right_closed"][f"bins{bins}"]
        error = made.ece(bins=bins)
        assert error.estimate == pytest.approx(theirs["ece"], abs=1e-9)
        assert error.largest == pytest.approx(theirs["mce"], abs=1e-9)
        own = curve(case, bins=bins)
        assert np.sum(own.sizes * np.abs(own.observed - own.forecast)) / own.n == pytest.approx(theirs["ece"], abs=1e-9)


def test_statsmodels_agrees_on_estimates_and_wald_errors():
    sm = pytest.importorskip("statsmodels.api")
    made = curve(CASES[0])
    table = made.table
    x = np.repeat(np.log(table.scores / (1 - table.scores)), table.positives + table.negatives)
    y = np.concatenate([[1] * int(p) + [0] * int(q) for p, q in zip(table.positives, table.negatives, strict=True)])
    fitted = sm.Logit(y, sm.add_constant(x)).fit(disp=0)
    a, b = made.intercept(method="wald"), made.slope(method="wald")
    np.testing.assert_allclose([a.estimate, b.estimate], fitted.params, rtol=1e-7)
    np.testing.assert_allclose([[a.low, a.high], [b.low, b.high]], fitted.conf_int(), rtol=1e-6)
