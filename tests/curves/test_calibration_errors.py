"""ECE under perfect calibration, bins as in the metric, Spiegelhalter's z."""

import itertools
import math

import numpy as np
import pytest

import trueerror as te
from trueerror.curves import _calibration as calibration_errors
from trueerror.curves._calibration import _exact_gaps, calibration_error, spiegelhalter_test
from trueerror.metrics.scores import bin_places
from trueerror.tallies import ScoreTable


def test_the_metric_has_the_same_bins():
    rng = np.random.default_rng(0)
    for _ in range(10):
        p = rng.integers(0, 21, 100) / 20
        table = ScoreTable.count(rng.random(100) < p, p)
        for bins, binning in itertools.product((1, 4, 10), ("width", "mass")):
            made = calibration_error(table, bins=bins, binning=binning, replicates=100)
            assert made.estimate == pytest.approx(te.metric("ece", table, bins=bins, binning=binning))
            assert made.largest == pytest.approx(te.metric("mce", table, bins=bins, binning=binning))


def test_mean_gap_by_enumeration():
    p = [0.2, 0.2, 0.2, 0.9, 0.9]
    expected = sum(
        math.prod(q if y else 1 - q for y, q in zip(ys, p, strict=True)) * abs(sum(ys) - sum(p))
        for ys in itertools.product((0, 1), repeat=5)
    )
    values, chances = _exact_gaps(np.array([3.0, 2.0]), np.array([0.2, 0.9]))
    assert values @ chances == pytest.approx(expected, abs=1e-9)
    made = calibration_error(ScoreTable.count([0, 0, 1, 1, 1], p), bins=1)
    assert made.expected == pytest.approx(expected / 5, abs=1e-9)


def test_expected_value_by_simulation():
    rng = np.random.default_rng(1)
    p = rng.random(200)
    drawn = [calibration_error(ScoreTable.count(rng.random(200) < p, p), replicates=100).estimate for _ in range(400)]
    made = calibration_error(ScoreTable.count(rng.random(200) < p, p))
    assert made.expected == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 20)
    assert made.high_by_chance == pytest.approx(np.quantile(drawn, 0.95), abs=0.01)


def test_exact_and_normal_agree_where_both_hold(monkeypatch):
    rng = np.random.default_rng(2)
    p = rng.random(3000)
    table = ScoreTable.count(rng.random(3000) < p, p)
    exact = calibration_error(table)
    monkeypatch.setattr(calibration_errors, "EXACT_ROWS", 0)
    assert calibration_error(table).expected == pytest.approx(exact.expected, rel=5e-3)


def test_p_values_are_uniform_under_calibration_and_never_0():
    rng = np.random.default_rng(3)
    values = []
    for _ in range(200):
        p = rng.random(100)
        values.append(calibration_error(ScoreTable.count(rng.random(100) < p, p), replicates=200).p_value)
    assert 0.02 <= np.mean(np.array(values) <= 0.1) <= 0.2
    certain = calibration_error(ScoreTable.count([0, 1, 1, 0], [1.0, 0.0, 0.0, 1.0]), replicates=999)
    assert (certain.estimate, certain.expected, certain.p_value) == (1, 0, 0.001)


def test_excess_and_words():
    made = calibration_error(ScoreTable.count([1, 0, 0, 1], [0.85, 0.85, 0.15, 0.15]))
    assert float(made) == made.estimate == pytest.approx(0.35)
    assert made.excess == pytest.approx(0.35 - made.expected)
    assert te.load(made.to_json()) == made
    assert "of equal width" in str(made)


def test_bins_of_mass_never_split_equal_scores():
    table = ScoreTable([0.1, 0.2, 0.9], [1, 50, 1], [1, 50, 1])
    assert len(set(bin_places(table.scores, table.positives + table.negatives, 3, "mass").tolist())) <= 3


def test_spiegelhalter_by_hand():
    p = np.array([0.1, 0.3, 0.8, 0.6])
    y = np.array([0, 1, 1, 0])
    test = spiegelhalter_test(ScoreTable.count(y, p))
    z = np.sum((y - p) * (1 - 2 * p)) / math.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p)))
    assert test.statistic == pytest.approx(z)
    assert test.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)))
    none = spiegelhalter_test(ScoreTable.count([0, 1, 1], [0.0, 0.5, 1.0]))
    assert math.isnan(none.statistic)
    assert "does not vary" in none.note
