"""Partial areas: definitions, ends, intervals."""

import numpy as np
import pytest
from scipy import integrate

import trueerror as te
from trueerror.curves._roc import part_areas
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(2)
TRUTH = RNG.random(400) < 0.3
SCORES = RNG.normal(size=400) + 1.5 * TRUTH
CURVE = te.roc(TRUTH, SCORES)


def test_parts_by_hand():
    fine = np.linspace(0, 1, 20_001)
    heights = CURVE.interpolate(fine)
    for low, high in ((0, 0.1), (0.05, 0.4), (0.7, 1)):
        inside = (fine >= low) & (fine <= high)
        by_hand = float(integrate.trapezoid(heights[inside], fine[inside]))
        assert CURVE.partial_auc(low, high, replicates=100).estimate == pytest.approx(by_hand, abs=2e-4)


def test_over_tpr_it_is_the_area_of_the_exchanged_problem():
    # Calling negatives with the scores turned exchanges TPR with 1 − FPR.
    turned = te.roc(~TRUTH, -SCORES)
    for low, high in ((0.8, 1), (0.2, 0.5)):
        ours = CURVE.partial_auc(low, high, axis="tpr", replicates=100).estimate
        assert ours == pytest.approx(turned.partial_auc(1 - high, 1 - low, replicates=100).estimate)


def test_standardised_is_half_for_a_coin_and_one_for_perfect():
    coin, perfect = te.roc([0, 1, 0, 1], [1, 1, 1, 1]), te.roc([0, 0, 1, 1], [1, 2, 3, 4])
    for axis in ("fpr", "tpr"):
        for low, high in ((0, 0.2), (0.3, 0.9), (0, 1)):
            options = {"axis": axis, "standardized": True, "replicates": 100}
            assert coin.partial_auc(low, high, **options).estimate == pytest.approx(0.5)
            made = perfect.partial_auc(low, high, **options)
            assert made.estimate == pytest.approx(1)
            assert made.low < 1
            assert made.method == "roc-band-wilson"


def test_whole_range_is_the_area():
    whole = CURVE.partial_auc(0, 1)
    area = CURVE.auc("bootstrap")
    assert whole.estimate == pytest.approx(area.estimate)
    assert (whole.low, whole.high) == pytest.approx((area.low, area.high), abs=0.01)


def test_tables_in_rows_and_lost_classes():
    ups, downs = np.array([[1, 2, 0], [0, 0, 0]]), np.array([[0, 2, 2], [1, 1, 1]])
    first, second = part_areas(ups, downs, 0.0, 1.0)
    assert first == te.roc(te.ScoreTable([1, 2, 3], ups[0], downs[0])).auc().estimate
    assert np.isnan(second)


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.2), (0.5, 0.1), (-0.1, 0.2), (0, 1.2)])
def test_wrong_ranges(low, high):
    with pytest.raises(InputError):
        CURVE.partial_auc(low, high)
    with pytest.raises(InputError, match="axis"):
        CURVE.partial_auc(0, 0.2, axis="x")


def test_few_rows_in_the_range_have_the_areas_under_the_band():
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [100, 10])
    few = te.roc(truth, rng.standard_normal(110) + 1.2 * truth).partial_auc(0, 0.2)
    assert few.method == "roc-band-wilson"
    assert "about 2 negatives in the range" in few.note
    assert 0 <= few.low < few.estimate < few.high <= 0.2
    truth = np.repeat([1, 0], [100, 400])
    many = te.roc(truth, rng.standard_normal(500) + 1.2 * truth).partial_auc(0, 0.2, replicates=200)
    assert many.method == "bootstrap-bca"
    along = te.roc(truth, rng.standard_normal(500) + 1.2 * truth).partial_auc(0.9, 1, axis="tpr")
    assert "about 10 positives in the range" in along.note
