"""Reliability curves: bins with intervals, the isotonic fit, the decomposition of the Brier score."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError


def sample(n, seed=0, sharpen=1.0, shift=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    truth = rng.random(n) < 1 / (1 + np.exp(-x))
    return truth, 1 / (1 + np.exp(-(sharpen * x + shift)))


def test_bins_of_equal_width_are_closed_on_the_right():
    curve = te.calibration([0, 1, 1, 0], [0.0, 0.1, 0.2, 0.2000001])
    low, high = curve.edges
    assert low.tolist() == [0.0, 0.1, 0.2]
    assert high.tolist() == [0.1, 0.2, pytest.approx(0.3)]
    assert curve.sizes.tolist() == [2, 1, 1]


def test_wilson_limits_in_each_bin():
    truth, p = sample(300)
    curve = te.calibration(truth, p, bins=5, confidence=0.9)
    for record in curve.records():
        there = (p > record["from"]) & (p <= record["to"])
        wilson = te.interval(int(truth[there].sum()), int(there.sum()), confidence=0.9)
        assert record["n"] == there.sum()
        assert record["forecast"] == pytest.approx(p[there].mean())
        assert (record["observed"], record["low"], record["high"]) == pytest.approx(
            (wilson.estimate, wilson.low, wilson.high)
        )


def test_bins_of_equal_mass():
    truth, p = sample(1000)
    curve = te.calibration(truth, p, bins=8, binning="mass")
    assert curve.sizes.tolist() == [125] * 8
    low, high = curve.edges
    assert (low[1:] > high[:-1]).all()
    # Equal forecasts stay together.
    tied = te.calibration([0, 1] * 50, [0.5] * 90 + [0.9] * 10, bins=5, binning="mass")
    assert tied.sizes.tolist() == [90, 10]


def test_isotonic_bins_rise_and_are_calibrated():
    truth, p = sample(400)
    curve = te.calibration(truth, p, binning="isotonic")
    assert (np.diff(curve.observed) > 0).all()
    fit = curve.isotonic()
    assert (np.diff(fit) >= 0).all()
    again = te.calibration(te.ScoreTable(np.unique(fit), *_merged(curve, fit)))
    # Recalibrated forecasts say what happened: their own fit is themselves.
    np.testing.assert_allclose(again.isotonic(), again.table.scores, atol=1e-12)
    assert again.decomposition().miscalibration == pytest.approx(0, abs=1e-12)


def _merged(curve, fit):
    _, where = np.unique(fit, return_inverse=True)
    sums = [np.bincount(where, weights=c).astype(int) for c in (curve.table.positives, curve.table.negatives)]
    return sums[0], sums[1]


def test_decomposition_adds_up_to_the_brier_score():
    truth, p = sample(300, sharpen=2.0)
    curve = te.calibration(truth, p)
    parts = curve.decomposition()
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(np.mean((p - truth) ** 2))
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0
    assert curve.brier().estimate == pytest.approx(np.mean((p - truth) ** 2))
    flat = te.calibration([0, 1, 1, 0], [0.5] * 4).decomposition()
    assert flat == (0, 0, 0.25)


def test_calibrated_and_overconfident_forecasts_are_told_apart():
    good, bad = te.calibration(*sample(5000)), te.calibration(*sample(5000, sharpen=2.0))
    assert 1 in good.slope()
    assert 0 in good.in_the_large()
    assert good.spiegelhalter().p_value > 0.01
    assert good.ece().p_value > 0.01
    assert bad.slope().high < 0.6
    assert bad.spiegelhalter().p_value < 1e-6
    assert bad.ece().p_value == 1 / 2001
    high = te.calibration(*sample(5000, shift=1.0))
    assert high.in_the_large().high < 0


def test_the_words_name_what_is_right():
    shown = str(te.calibration(*sample(300), model="m"))
    assert max(map(len, shown.splitlines())) <= 80
    words = " ".join(shown.split())
    assert words.startswith("Calibration of m, 300 rows: slope")
    assert "(1 is right)" in words
    assert "with perfect calibration it would be" in words


def test_histogram_counts_every_row():
    truth, p = sample(300)
    edges, up, down = te.calibration(truth, p).histogram(10)
    assert len(edges) == 11
    assert (up.sum(), down.sum()) == (truth.sum(), 300 - truth.sum())
    with pytest.raises(InputError, match="bins=0"):
        te.calibration(truth, p).histogram(0)


def test_perfect_forecasts():
    curve = te.calibration([0] * 20 + [1] * 20, [0.0] * 20 + [1.0] * 20)
    assert math.isnan(curve.slope().estimate)
    assert "exactly 0 or 1" in curve.slope().note
    assert curve.brier().estimate == 0
    assert curve.brier().high > 0
    assert (curve.low < curve.high).all()
    assert "undefined" in str(curve)


def test_one_class_and_one_row():
    curve = te.calibration([1, 1, 1], [0.2, 0.5, 0.9])
    assert math.isnan(curve.slope().estimate)
    assert "one class" in curve.slope().note
    assert curve.in_the_large().estimate == math.inf
    assert math.isfinite(curve.in_the_large().low)
    assert str(curve)
    one = te.calibration([1], [0.3])
    assert one.sizes.tolist() == [1]
    assert str(one)


def test_sampling_weights():
    truth, p = sample(300)
    plain = te.calibration(truth, p)
    even = te.calibration(truth, p, weights=[0.25] * 300, weights_kind="sampling")
    np.testing.assert_allclose(even.low, plain.low)
    assert even.slope().estimate == pytest.approx(plain.slope().estimate)
    assert even.slope().method == "wald-sandwich"
    assert even.slope().width == pytest.approx(plain.slope(method="wald").width, rel=0.2)
    assert even.spiegelhalter().statistic == pytest.approx(plain.spiegelhalter().statistic)
    assert even.ece().expected == pytest.approx(plain.ece().expected, rel=0.05)


def test_bad_options():
    for bad in (0, -1, 2.5, True):
        with pytest.raises(InputError, match="bins="):
            te.calibration([0, 1], [0.1, 0.9], bins=bad)
    with pytest.raises(InputError, match="binning"):
        te.calibration([0, 1], [0.1, 0.9], binning="equal")
    with pytest.raises(InputError, match="method"):
        te.calibration([0, 1], [0.1, 0.9]).slope(method="exact")


def test_copies_in_one_cluster_are_worth_one_row():
    rng = np.random.default_rng(3)
    said = 1 / (1 + np.exp(-rng.standard_normal(150)))
    came = (rng.random(150) < said).astype(int)
    copied = {"truth": np.repeat(came, 6), "scores": {"m": np.repeat(said, 6)}}
    once = te.calibration(came, said)
    blind = te.calibration(te.predictions(copied["truth"], scores=copied["scores"], positive=1))
    known = te.calibration(
        te.predictions(copied["truth"], scores=copied["scores"], clusters=np.repeat(np.arange(150), 6), positive=1)
    )
    for figure in ("slope", "intercept", "in_the_large"):
        one, two, three = (getattr(curve, figure)() for curve in (once, blind, known))
        assert three.estimate == pytest.approx(one.estimate, abs=1e-6)
        assert three.high - three.low == pytest.approx(one.high - one.low, rel=0.2)
        assert three.high - three.low > 2 * (two.high - two.low)
        assert three.method == "cluster-recalibration"
    assert (known.high - known.low >= 0.95 * (once.high - once.low)).all()
    assert known.spiegelhalter().p_value == pytest.approx(once.spiegelhalter().p_value, abs=0.1)
    assert not known.caution
