"""Any measure against any other: names, options, undefined values."""

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._measure import EXTRA, ROCR_NAMES, measure_at_cutoffs
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import every_measure
from trueerror.tallies import Confusion, ScoreTable

RNG = np.random.default_rng(0)
TRUTH = (RNG.random(40) < 0.4).astype(int)
SCORES = (TRUTH + RNG.normal(size=40)).round(1)
TABLE = ScoreTable.count(TRUTH, SCORES)


@pytest.mark.parametrize(
    "name", [m.name for m in every_measure().values() if m.needs in ("binary", "classes", "cells")]
)
def test_every_registered_measure_of_calls_is_what_its_confusion_matrix_gives(name):
    options = {"beta": 2.0} if name == "f_beta" else {}
    full, values = measure_at_cutoffs(TABLE, name, **options)
    assert full == name
    assert len(values) == len(TABLE.scores) + 1
    for place in (0, 1, 7, 15, len(values) - 1):
        cut = np.inf if place == 0 else TABLE.scores[::-1][place - 1]
        matrix = Confusion.count(TRUTH, (cut <= SCORES).astype(int), labels=[0, 1])
        expected = te.metric(name, matrix, positive=1, **options)
        np.testing.assert_allclose(values[place], expected, rtol=1e-12, err_msg=f"{name} at {cut}")


def test_rocr_names_lead_to_the_same_measures():
    for short, full in ROCR_NAMES.items():
        assert measure_at_cutoffs(TABLE, short)[0] == full
    assert measure_at_cutoffs(TABLE, "TPR")[0] == "recall"


def test_extra_measures_by_hand():
    place = 10
    t = {n: float(measure_at_cutoffs(TABLE, n)[1][place]) for n in ("tpr", "fpr", "precision", "npv", "prevalence")}
    e = {n: float(measure_at_cutoffs(TABLE, n)[1][place]) for n in EXTRA}
    assert e["false_discovery_rate"] == pytest.approx(1 - t["precision"])
    assert e["false_omission_rate"] == pytest.approx(1 - t["npv"])
    assert e["lift"] == pytest.approx(t["precision"] / t["prevalence"])
    from scipy.stats import chi2_contingency

    cut = TABLE.scores[::-1][place - 1]
    called = cut <= SCORES
    cells = np.array([[called[TRUTH == k].sum(), (~called)[TRUTH == k].sum()] for k in (0, 1)])  # noqa: SIM300
    assert e["chi_squared"] == pytest.approx(chi2_contingency(cells, correction=False).statistic)
    joint = cells / cells.sum()
    information = np.sum(joint * np.log2(joint / joint.sum(0) / joint.sum(1, keepdims=True)))
    assert e["mutual_information"] == pytest.approx(information)


def test_undefined_is_nan_and_a_constant_call_tells_nothing():
    assert np.isnan(measure_at_cutoffs(TABLE, "precision")[1][0])
    assert np.isnan(measure_at_cutoffs(TABLE, "npv")[1][-1])
    information = measure_at_cutoffs(TABLE, "mutual_information")[1]
    assert information[0] == information[-1] == 0
    assert (information >= -1e-12).all()


def test_curve_and_points():
    curve = te.measure_curve(TRUTH, SCORES, x="fpr", y="tpr", model="m")
    assert (curve.x_name, curve.y_name) == ("fpr", "recall")
    det = te.det(TRUTH, SCORES)
    np.testing.assert_allclose(curve.x, det.fpr)
    np.testing.assert_allclose(curve.y, 1 - det.fnr)
    assert curve.at(np.inf) == (0, 0)
    assert curve.at(-np.inf) == (1, 1)
    assert curve.records()[0] == {"threshold": np.inf, "fpr": 0.0, "recall": 0.0}
    assert str(curve).startswith("recall against fpr of m")


def test_options_travel():
    curve = te.measure_curve(
        TRUTH, SCORES, x="rpp", y="expected_cost", y_options={"costs": [[0, 1], [5, 0]]}, x_options={}
    )
    again = te.load(curve.to_json())
    np.testing.assert_allclose(again.y, curve.y)
    assert again.records() == curve.records()


def test_errors_for_people():
    with pytest.raises(InputError, match="did you mean 'recall'"):
        te.measure_curve(TRUTH, SCORES, x="recal", y="precision")
    with pytest.raises(InputError, match="one number for all scores"):
        te.measure_curve(TRUTH, SCORES, x="auc", y="precision")
    with pytest.raises(InputError, match="no option 'gamma'"):
        te.measure_curve(TRUTH, SCORES, x="f_beta", x_options={"gamma": 1}, y="precision")
    with pytest.raises(InputError, match="takes no options"):
        te.measure_curve(TRUTH, SCORES, x="lift", x_options={"beta": 1}, y="precision")
