"""Bands: they say what they are, and cover what they say."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(9)


def curve_of(positives, negatives, shift=1.0, rng=RNG):
    scores = np.concatenate([rng.normal(shift, 1, positives), rng.normal(0, 1, negatives)])
    return te.roc(np.arange(positives + negatives) < positives, scores)


def truth_at(fpr, shift=1.0):
    return ndtr(shift + ndtri(fpr))


def test_kinds_are_named_in_words_and_title():
    curve = curve_of(40, 60)
    pointwise, both = curve.band(), curve.band("simultaneous", replicates=200)
    assert (pointwise.kind, both.kind) == ("pointwise", "simultaneous")
    assert pointwise.title == "95 % pointwise band"
    assert both.title == "95 % simultaneous band"
    assert "not over the whole curve" in str(pointwise)
    assert "over the whole curve at once" in str(both)
    assert "seed 0" in both.note
    with pytest.raises(InputError, match="did you mean 'pointwise'"):
        curve.band("pointwize")


def test_pointwise_band_is_wilsons_where_the_fpr_is_not_in_doubt():
    # With endless negatives only the doubt about the TPR is left.
    table = te.ScoreTable([1, 2], [10, 30], [9 * 10**8, 10**8])
    band = te.roc(table).band()
    low, high = band.at(0.1)
    alone = te.interval(30, 40)
    assert (float(low), float(high)) == pytest.approx((alone.low, alone.high), abs=2e-3)


def test_pointwise_coverage():
    grid = np.array([0.05, 0.1, 0.3, 0.6])
    inside = np.zeros(4)
    for _ in range(150):
        low, high = curve_of(30, 50).band().at(grid)
        inside += (low <= truth_at(grid)) & (truth_at(grid) <= high)
    assert (inside / 150 > 0.90).all()
    assert (inside / 150).mean() < 0.999


def test_simultaneous_coverage_and_that_pointwise_bands_are_left():
    held = {"pointwise": 0, "simultaneous": 0}
    draw = np.random.default_rng(3)
    for i in range(60):
        curve = curve_of(60, 60, rng=draw)
        for kind in held:
            band = curve.band(kind, replicates=150, rng=i)
            true = truth_at(band.fpr)
            held[kind] += bool(((band.low <= true + 1e-12) & (true <= band.high + 1e-12)).all())
    assert held["simultaneous"] >= 53
    assert held["pointwise"] < held["simultaneous"]


def test_more_rows_and_less_confidence_are_narrower():
    few, many = curve_of(30, 30).band(), curve_of(3000, 3000).band()
    assert (many.high - many.low).mean() < 0.2 * (few.high - few.low).mean()
    curve = curve_of(50, 50)
    assert (curve.band(confidence=0.5).high <= curve.band(confidence=0.99).high + 1e-12).all()


def test_perfect_separation_keeps_a_width():
    curve = te.roc([0] * 15 + [1] * 15, range(30))
    for kind in ("pointwise", "simultaneous"):
        band = curve.band(kind, replicates=100)
        assert (band.low[1:] < 0.9).all()
        assert (band.high == 1).all()


def test_the_same_seed_and_json():
    curve = curve_of(40, 40)
    one = curve.band("simultaneous", replicates=150, rng=4)
    assert one == curve.band("simultaneous", replicates=150, rng=4)
    assert te.load(one.to_json()) == one
    assert set(one.records()[0]) == {"fpr", "tpr", "low", "high"}
    assert "Campbell" in one.explain()
