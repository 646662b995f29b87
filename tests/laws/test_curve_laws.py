"""Laws of curves: what must hold for any rows, with ties, few rows of a class, and any increasing change of scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.curves._calibration import calibration_error
from trueerror.curves._cost import envelope_corners
from trueerror.curves._det import equal_rates
from trueerror.curves._isotonic import hull_places
from trueerror.curves._points import downward
from trueerror.curves._precision_recall import davis_goadrich_area, gain_areas
from trueerror.curves._risk_coverage import risk_areas
from trueerror.tallies import ScoreTable

FEW = settings(max_examples=40, deadline=None)
RANKED = [te.precision_recall, te.precision_recall_gain, te.gains, te.lift, te.det, te.cost_curve]
FORECAST = [te.calibration, te.brier_curve, te.decision_curve, te.risk_coverage]


@st.composite
def scored(draw, both: bool = True):
    n = draw(st.integers(2, 40))
    truth = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if both:
        assume(truth.any() and not truth.all())
    # Sixteenths are exact, so that bending them makes and breaks no ties.
    scores = np.array(draw(st.lists(st.integers(0, 16), min_size=n, max_size=n))) / 16
    return truth, scores


def values(curve):
    """The points of a curve without their thresholds, as an array."""
    return np.array([[v for k, v in r.items() if k != "threshold"] for r in curve.records()])


def halved(curve):
    """The records of a curve of doubled rows with the counts of one copy."""
    return [{k: v / 2 if k in ("tp", "fp", "tn", "fn") else v for k, v in r.items()} for r in curve.records()]


@given(scored())
@FEW
def test_curves_of_ranks_do_not_change_under_rising_functions(rows) -> None:
    truth, scores = rows
    for kind in RANKED:
        assert np.array_equal(values(kind(truth, scores)), values(kind(truth, np.exp(3 * scores) - 7)))


@given(scored(), st.randoms(use_true_random=False))
@FEW
def test_row_order_changes_nothing(rows, random) -> None:
    truth, scores = rows
    order = list(range(len(truth)))
    random.shuffle(order)
    for kind in RANKED + FORECAST:
        assert kind(truth, scores) == kind(truth[order], scores[order])


@given(scored())
@FEW
def test_doubling_every_row_leaves_points_and_areas_and_narrows_limits(rows) -> None:
    truth, scores = rows
    two = np.tile(truth, 2), np.tile(scores, 2)
    for kind in RANKED:
        twofold = [[v for k, v in r.items() if k != "threshold"] for r in halved(kind(*two))]
        np.testing.assert_allclose(twofold, values(kind(truth, scores)), atol=1e-12)
    once, twice = te.precision_recall(truth, scores).average_precision(), te.precision_recall(*two).average_precision()
    assert twice.estimate == pytest.approx(once.estimate)
    assert twice.width < once.width
    one, other = te.gains(truth, scores).at(share=0.3), te.gains(*two).at(share=0.3)
    assert other.estimate == pytest.approx(one.estimate)


@given(scored())
@FEW
def test_points_stay_in_their_range_and_run_one_way(rows) -> None:
    truth, scores = rows
    pr = te.precision_recall(truth, scores)
    assert ((pr.precision >= 0) & (pr.precision <= 1)).all()
    assert (np.diff(pr.recall) >= 0).all()
    assert pr.recall[-1] == 1
    assert pr.precision[-1] == pytest.approx(pr.prevalence)
    gains = te.gains(truth, scores)
    assert (np.diff(gains.share) > 0).all()
    assert (gains.found[0], gains.found[-1]) == (0, 1)
    assert te.lift(truth, scores).lift[-1] == pytest.approx(1)
    perfect = np.interp(gains.share, *gains.perfect())
    assert (gains.found <= perfect + 1e-12).all()


@given(scored())
@FEW
def test_gains_lift_and_auc_say_the_same(rows) -> None:
    """Area under gains = π/2 + (1 − π)·AUC; lift = precision / prevalence = gain / share."""
    truth, scores = rows
    gains, lift, pr = (kind(truth, scores) for kind in (te.gains, te.lift, te.precision_recall))
    area = te.metric("auc", truth, scores=scores)
    assert gains.area == pytest.approx(gains.prevalence / 2 + (1 - gains.prevalence) * area)
    np.testing.assert_allclose(lift.lift, pr.precision / pr.prevalence)
    np.testing.assert_allclose(lift.lift, gains.found[1:] / gains.share[1:])


@given(scored())
@FEW
def test_reversing_scores_turns_det_and_the_equal_error_rate_around(rows) -> None:
    truth, scores = rows
    table, back = ScoreTable.count(truth, scores), ScoreTable.count(truth, -scores)
    rate, other = (float(equal_rates(t.positives[None], t.negatives[None])[0]) for t in (table, back))
    assert rate + other == pytest.approx(1)
    # Calling the other class positive by reversed scores swaps misses and false alarms.
    det, swapped = te.det(truth, scores), te.det(~truth, -scores)
    np.testing.assert_allclose(swapped.fpr, det.fnr[::-1], atol=1e-12)
    np.testing.assert_allclose(swapped.fnr, det.fpr[::-1], atol=1e-12)


@given(scored())
@FEW
def test_the_cost_envelope_is_concave_below_every_line_and_below_the_constant_calls(rows) -> None:
    truth, scores = rows
    curve = te.cost_curve(truth, scores)
    pc = np.linspace(0, 1, 101)
    lowest = curve.cost(pc)
    lines = curve.fnr[:, None] * pc + curve.fpr[:, None] * (1 - pc)
    np.testing.assert_allclose(lowest, lines.min(axis=0), atol=1e-12)
    assert (np.diff(lowest, 2) <= 1e-12).all()
    assert (lowest <= np.minimum(pc, 1 - pc) + 1e-12).all()
    assert lowest[0] == lowest[-1] == 0


@given(scored())
@FEW
def test_the_hull_is_above_the_curve_and_its_slopes_fall(rows) -> None:
    table = ScoreTable.count(*rows)
    tp, fp = downward(table.positives), downward(table.negatives)
    places = hull_places(table.positives, table.negatives)
    edges = np.diff(fp[places]), np.diff(tp[places])
    assert (edges[0][:-1] * edges[1][1:] < edges[1][:-1] * edges[0][1:]).all()
    for x, y in zip(fp, tp, strict=True):
        # Above or on every edge's line, for each point.
        side = edges[0] * (y - tp[places][:-1]) - edges[1] * (x - fp[places][:-1])
        assert (side <= 1e-9).all()
    corners = envelope_corners(fp[places] / fp[-1], 1 - tp[places] / tp[-1])
    assert (np.diff(corners[0]) > 0).all()


@given(scored())
@FEW
def test_every_interval_holds_its_estimate_within_its_range(rows) -> None:
    truth, scores = rows
    pr, det = te.precision_recall(truth, scores), te.det(truth, scores)
    share = (0.0, 1.0)
    made = [
        (pr.average_precision(), share), (pr.auc(), share), (pr.auc("linear"), share),
        (pr.average_precision(method="bootstrap", replicates=100), share),
        (det.equal_error_rate(replicates=100), share),
        (te.gains(truth, scores).at(share=0.25), share), (te.lift(truth, scores).at(share=0.25), (0.0, 4.0)),
        (te.precision_recall_gain(truth, scores).auc(replicates=100), (-math.inf, 1.0)),
        (te.cost_curve(truth, scores).at(pc=0.3).cost, share),
        (te.cost_curve(truth, scores).area(replicates=100), (0.0, 0.25)),
        (te.brier_curve(truth, scores).area(), share), (te.brier_curve(truth, scores).at(0.4), (0.0, 2.0)),
        (te.decision_curve(truth, scores).at(0.4), (-2 / 3, 1.0)),
        (te.risk_coverage(truth, scores).at(coverage=0.6), share),
        (te.risk_coverage(truth, scores).area(replicates=100), share),
    ]  # fmt: skip
    for x, (low, high) in made:
        assert low <= x.low <= x.estimate <= x.high <= high, x
        assert x.low < x.high, x
    for x in (te.calibration(truth, scores).slope(), te.calibration(truth, scores).in_the_large()):
        assert math.isnan(x.estimate) and x.note if math.isnan(x.estimate) else x.low <= x.estimate <= x.high


@given(scored())
@FEW
def test_areas_under_precision_and_recall_lie_between_the_worst_and_the_best_order(rows) -> None:
    truth, scores = rows
    table = ScoreTable.count(truth, scores)
    up, down = table.positives[None], table.negatives[None]
    area = float(davis_goadrich_area(up, down)[0])
    # All positives last is the worst order, all first the best.
    worst = ScoreTable.count(truth, 1.0 - truth)
    assert float(davis_goadrich_area(worst.positives[None], worst.negatives[None])[0]) <= area + 1e-12
    best = ScoreTable.count(truth, truth * 1.0)
    assert area <= float(davis_goadrich_area(best.positives[None], best.negatives[None])[0]) + 1e-12
    assert float(gain_areas(up, down)[0]) <= 1 + 1e-12


@given(scored(both=False))
@FEW
def test_forecast_areas_and_decompositions_add_up(rows) -> None:
    truth, p = rows
    curve = te.calibration(truth, p)
    brier = float(np.mean((p - truth) ** 2))
    parts = curve.decomposition()
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(brier, abs=1e-12)
    assert min(parts) >= -1e-12
    x, y = te.brier_curve(truth, p).points
    assert np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2 == pytest.approx(brier, abs=1e-12)
    assert curve.sizes.sum() == len(truth)
    assert (curve.low <= curve.observed).all()
    assert (curve.observed <= curve.high).all()
    error = calibration_error(curve.table, replicates=100)
    assert 0 < error.p_value <= 1
    assert error.estimate <= 1


@given(scored(both=False))
@FEW
def test_risk_at_full_coverage_is_the_error_rate(rows) -> None:
    truth, p = rows
    curve = te.risk_coverage(truth, p)
    wrong = float(np.mean((p >= 0.5) != truth))
    assert curve.risk[-1] == pytest.approx(wrong)
    assert curve.at(coverage=1).estimate == pytest.approx(1 - wrong)
    assert (np.diff(curve.coverage) > 0).all()
    table = curve.table
    area = float(risk_areas(table.positives[None], table.negatives[None])[0])
    assert -1e-12 <= area <= 1 + 1e-12
    # Perfectly ordered answers do no worse, reversed ones no better.
    total = np.array([[0, table.n_positive]]), np.array([[table.n_negative, 0]])
    assert float(risk_areas(*total)[0]) <= area + 1e-12
    assert area <= float(risk_areas(total[0][:, ::-1], total[1][:, ::-1])[0]) + 1e-12


@given(scored(both=False))
@FEW
def test_net_benefit_never_beats_acting_on_the_positives_alone(rows) -> None:
    truth, p = rows
    curve = te.decision_curve(truth, p)
    assert (curve.net_benefit <= truth.mean() + 1e-12).all()
    assert curve.act_on_all[0] >= curve.act_on_all[-1]


@given(st.lists(scored(), min_size=2, max_size=4))
@settings(max_examples=25, deadline=None)
def test_averages_of_equal_curves_are_the_curve_and_order_does_not_matter(parts) -> None:
    tables = [ScoreTable.count(*p) for p in parts]
    grid = np.linspace(0, 1, 21)
    mean = te.average_curves(tables, grid=grid)
    back = te.average_curves(tables[::-1], grid=grid)
    np.testing.assert_allclose(mean.tpr, back.tpr)
    assert (np.diff(mean.tpr) >= -1e-12).all()
    assert ((mean.tpr_low <= mean.tpr) & (mean.tpr <= mean.tpr_high)).all()
    same = te.average_curves([tables[0]] * 3, grid=grid)
    np.testing.assert_allclose(same.tpr_sd, 0, atol=1e-12)
    np.testing.assert_allclose(same.tpr, te.average_curves([tables[0]] * 2, grid=grid).tpr)
    # The pooled table does not depend on the order of the folds either.
    assert te.pool_curves(tables) == te.pool_curves(tables[::-1])
