"""Laws of ROC curves, hulls, bands and operating points, over any scores."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te

few = settings(max_examples=40, deadline=None)
quick = settings(max_examples=15, deadline=None)
METHODS = ("delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap")


@st.composite
def samples(draw, most=24):
    """Truth with both classes and scores with ties, infinities, zeros of both signs and subnormals."""
    size = draw(st.integers(2, most))
    some = st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0, -3.0, 5e-324, 1e300, math.inf, -math.inf])
    scores = draw(st.lists(st.one_of(some, st.floats(-5, 5, width=32)), min_size=size, max_size=size))
    truth = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    truth[0], truth[-1] = True, False
    return np.array(truth), np.array(scores)


@few
@given(samples())
def test_points_run_up_from_the_origin_one_for_each_score(sample):
    truth, scores = sample
    curve = te.roc(truth, scores)
    assert len(curve.fpr) == len(np.unique(scores + 0.0)) + 1
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= 0).all()
    assert (np.diff(curve.fpr) + np.diff(curve.tpr) > 0).all()
    for threshold, fpr, tpr in zip(curve.thresholds[1:], curve.fpr[1:], curve.tpr[1:], strict=True):
        called = scores >= threshold
        assert (called[~truth].mean(), called[truth].mean()) == pytest.approx((fpr, tpr))


@few
@given(samples())
def test_area_is_invariant_under_increasing_transforms_and_reversal_gives_the_rest(sample):
    truth, scores = sample
    area = te.roc(truth, scores).auc().estimate
    ranks = np.searchsorted(np.unique(scores + 0.0), scores)
    assert te.roc(truth, ranks**3).auc().estimate == area
    assert te.roc(truth, -scores).auc().estimate == pytest.approx(1 - area, abs=1e-12)
    assert te.roc(~truth, scores).auc().estimate == pytest.approx(1 - area, abs=1e-12)


@few
@given(samples(), st.randoms())
def test_order_of_rows_does_not_matter_and_shards_add(sample, random):
    truth, scores = sample
    order = list(range(len(truth)))
    random.shuffle(order)
    whole = te.ScoreTable.count(truth, scores)
    assert te.roc(truth[order], scores[order]) == te.roc(whole)
    cut = len(truth) // 2
    parts = [te.ScoreTable.count(truth[p], scores[p], labels=[False, True]) for p in (slice(cut), slice(cut, None))]
    assert te.roc(parts[0] + parts[1]) == te.roc(whole)


@quick
@given(samples(), st.sampled_from(METHODS))
def test_intervals_hold_the_estimate_within_the_range_and_have_width(sample, method):
    made = te.roc(*sample).auc(method, replicates=200)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high


@few
@given(samples())
def test_hull_is_convex_above_the_curve_and_touches_it(sample):
    curve = te.roc(*sample)
    hull = curve.hull()
    assert (hull.interpolate(curve.fpr) >= curve.tpr - 1e-12).all()
    slopes = [
        math.inf if b.fpr == a.fpr else (b.tpr - a.tpr) / (b.fpr - a.fpr)
        for a, b in zip(hull.corners[:-1], hull.corners[1:], strict=True)
    ]
    assert all(a > b for a, b in itertools.pairwise(slopes))
    points = set(zip(curve.fpr, curve.tpr, strict=True))
    assert all((c.fpr, c.tpr) in points for c in hull.corners)
    assert hull.area >= curve.auc().estimate - 1e-12


@few
@given(samples(), samples())
def test_the_hull_of_two_is_above_both_hulls(one, two):
    first, second = te.roc(*one), te.roc(*two)
    both = te.roc_hull({"a": first, "b": second})
    grid = np.linspace(0, 1, 33)
    for single in (first.hull(), second.hull()):
        assert (both.interpolate(grid) >= single.interpolate(grid) - 1e-12).all()


@few
@given(samples(), st.floats(0.1, 10), st.floats(0.1, 10))
def test_ranges_tile_all_class_distributions_and_hold_what_is_cheapest(sample, fp, fn):
    hull = te.roc(*sample).hull()
    ranges = hull.ranges(cost_fp=fp, cost_fn=fn)
    assert ranges[0]["from"] == 0
    assert ranges[len(ranges) - 1]["to"] == 1
    rows = list(ranges)
    assert all(a["to"] == b["from"] for a, b in itertools.pairwise(rows))
    for row in rows:
        prior = (row["from"] + row["to"]) / 2
        costs = prior * fn * (1 - hull.tpr) + (1 - prior) * fp * hull.fpr
        own = prior * fn * (1 - row["tpr"]) + (1 - prior) * fp * row["fpr"]
        assert own == pytest.approx(costs.min(), abs=1e-9)


@few
@given(samples(), st.floats(0, 1))
def test_a_mixture_lies_on_the_hull(sample, fpr):
    hull = te.roc(*sample).hull()
    made = hull.mixture(fpr=fpr)
    assert made.fpr == pytest.approx(fpr, abs=1e-12)
    assert made.tpr == pytest.approx(float(hull.interpolate(fpr)), abs=1e-9)
    assert hull.mixture(tpr=fpr).tpr == pytest.approx(fpr, abs=1e-12)


@quick
@given(samples(), st.sampled_from(["pointwise", "simultaneous"]))
def test_bands_hold_the_curve_rise_and_have_width_inside(sample, kind):
    band = te.roc(*sample).band(kind, replicates=100)
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()
    assert (band.low <= band.tpr).all()
    assert (band.tpr <= band.high).all()
    assert (np.diff(band.low) >= -1e-12).all()
    assert (np.diff(band.high) >= -1e-12).all()
    assert (band.high > band.low)[:-1].all()


@quick
@given(samples())
def test_a_simultaneous_band_is_nowhere_narrower(sample):
    curve = te.roc(*sample)
    narrow, wide = curve.band("pointwise"), curve.band("simultaneous", replicates=100)
    assert (wide.low <= narrow.low + 1e-12).all()
    assert (wide.high >= narrow.high - 1e-12).all()


@quick
@given(samples(), st.floats(0.01, 0.99), st.floats(0.1, 20))
def test_an_operating_point_is_the_cheapest_cutoff(sample, prior, fn):
    curve = te.roc(*sample)
    point = curve.operating_point(prior=prior, cost_fn=fn, replicates=100)
    costs = prior * fn * (1 - curve.tpr) + (1 - prior) * curve.fpr
    assert point.cost == pytest.approx(costs.min(), abs=1e-9)
    assert point.corrected.low <= point.corrected.estimate <= point.corrected.high
    assert point.corrected.low < point.corrected.high
    if not math.isnan(point.optimism):
        assert point.corrected.estimate == pytest.approx(point.cost + point.optimism, abs=1e-9)


@quick
@given(samples(), st.data())
def test_frequency_weights_are_repeated_rows(sample, data):
    truth, scores = sample
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(truth), max_size=len(truth))))
    weighted = te.roc(truth, scores, weights=times, weights_kind="frequency")
    assert weighted == te.roc(np.repeat(truth, times), np.repeat(scores, times))


@quick
@given(samples())
def test_partial_areas_add_up(sample):
    curve = te.roc(*sample)
    for axis in ("fpr", "tpr"):
        parts = [curve.partial_auc(a, b, axis=axis, replicates=100) for a, b in ((0, 0.3), (0.3, 1))]
        assert sum(p.estimate for p in parts) == pytest.approx(curve.auc().estimate, abs=1e-12)
        for p in parts:
            assert p.low <= p.estimate <= p.high
            assert p.low < p.high
