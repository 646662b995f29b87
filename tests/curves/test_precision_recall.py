"""Precision and recall: points, areas, operating points, degenerate inputs."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

import trueerror as te
from trueerror.curves._precision_recall import PrecisionRecall, davis_goadrich_area, linear_area, step_area
from trueerror.inputs._options import InputError
from trueerror.plots.compose.curves import precision_recall_picture
from trueerror.tallies import ScoreTable

TRUTH = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
SCORES = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]


def test_one_point_for_each_distinct_score():
    curve = te.precision_recall(TRUTH, SCORES)
    assert curve.thresholds.tolist() == sorted(set(SCORES), reverse=True)
    assert curve.recall.tolist() == [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    np.testing.assert_allclose(curve.precision, [1, 1, 2 / 3, 1 / 2, 3 / 7, 4 / 8, 4 / 9, 5 / 10])


def test_davis_goadrich_between_two_points():
    """(TP 5, FP 5) to (TP 10, FP 30) with 20 positives: recall .25 to .5."""
    table = ScoreTable([0.1, 0.5, 0.9], [10, 5, 5], [0, 25, 5])
    curve = PrecisionRecall(table)
    wanted = curve.interpolate(np.arange(5, 11) / 20)
    np.testing.assert_allclose(wanted, [0.5, 0.375, 0.31818, 0.28571, 0.26471, 0.25], atol=5e-6)


def test_the_closed_form_integral_is_that_of_the_interpolation():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n = int(rng.integers(3, 40))
        truth = rng.random(n) < 0.4
        truth[0] = True
        curve = te.precision_recall(truth, rng.integers(0, 12, n) + 3.0 * truth)
        # Each segment is smooth: the midpoint rule on a fine grid is enough.
        grid = (np.arange(200_000) + 0.5) / 200_000
        assert curve.auc().estimate == pytest.approx(curve.interpolate(grid).mean(), abs=2e-5)


def test_areas_of_many_tables_at_once():
    rng = np.random.default_rng(2)
    up, down = rng.integers(0, 4, (50, 8)), rng.integers(0, 4, (50, 8))
    up[0] = 0
    for area in (step_area, linear_area, davis_goadrich_area):
        together = area(up, down)
        assert math.isnan(together[0])
        apart = [float(area(u[None], d[None])[0]) for u, d in zip(up, down, strict=True)]
        np.testing.assert_allclose(together, apart, rtol=1e-13)
        assert (together[1:] <= 1).all()
        assert (together[1:] > 0).all()


def test_boyd_interval():
    area = PrecisionRecall(ScoreTable([0.2, 0.5, 0.9], [10, 10, 30], [200, 20, 4])).average_precision(
        method="boyd-logit"
    )
    z = 1.959963984540054
    theta = area.estimate
    half = z / math.sqrt(50 * theta * (1 - theta))
    centre = math.log(theta / (1 - theta))
    assert area.low == pytest.approx(1 / (1 + math.exp(half - centre)))
    assert area.high == pytest.approx(1 / (1 + math.exp(-half - centre)))
    assert area.method == "boyd-logit"


def test_perfect_separation_has_a_width():
    area = te.precision_recall([0] * 30 + [1] * 10, range(40)).average_precision()
    wilson = te.interval(10, 10)
    assert (area.estimate, area.high, area.method) == (1.0, 1.0, "effective-t")
    # A share of the 10 positives that are all found has this limit, with Student's t for the normal quantile.
    assert area.low == pytest.approx(10 / (10 + stdtrit(9, 0.975) ** 2))
    boyd = te.precision_recall([0] * 30 + [1] * 10, range(40)).average_precision(method="boyd-logit")
    assert boyd.low == pytest.approx(wilson.low)
    assert "Wilson" in boyd.note
    boot = te.precision_recall([0] * 30 + [1] * 10, range(40)).average_precision(method="bootstrap", replicates=200)
    assert boot.low == area.low < boot.high
    assert "no spread" in boot.note


def test_all_scores_equal():
    curve = te.precision_recall([0, 1, 0, 1, 0], [3.0] * 5)
    for area in (curve.average_precision(), curve.auc(), curve.auc("step")):
        assert area.estimate == pytest.approx(0.4)
        assert 0 <= area.low < area.estimate < area.high <= 1
    assert curve.auc("linear").estimate == pytest.approx(0.7)


def test_bootstrap_is_the_same_for_any_block_size(monkeypatch):
    from trueerror.inference.bootstrap import _tables as score_cells

    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.3
    curve = te.precision_recall(truth, truth + rng.normal(size=200))
    first = curve.average_precision(method="bootstrap", replicates=300, rng=7)
    monkeypatch.setattr(score_cells, "BLOCK", 1000)
    assert curve.average_precision(method="bootstrap", replicates=300, rng=7) == first
    assert first.method == "bootstrap-bca"
    assert "seed 7" in first.note


def test_operating_points():
    curve = te.precision_recall(TRUTH, SCORES)
    point = curve.at(threshold=0.85)
    assert (point.retrieved, point.found, point.relevant) == (6, 3, 5)
    wilson = te.interval(3, 6)
    assert (point.precision.low, point.precision.high) == (pytest.approx(wilson.low), pytest.approx(wilson.high))
    assert point.note == ""
    assert curve.at(recall=0.6).threshold == 0.85
    assert curve.at(recall=0).threshold == 0.95
    assert "read off these rows" in curve.at(recall=0.6).note
    assert curve.at(precision=0.5).threshold == 0.25
    none = curve.at(threshold=1.0)
    assert math.isnan(none.precision.estimate)
    assert "nothing is retrieved" in none.precision.note
    assert none.recall.estimate == 0
    assert none.recall.low == 0 < none.recall.high


def test_a_precision_that_is_never_reached():
    curve = te.precision_recall([0, 1, 0, 1], [4, 3, 2, 1])
    with pytest.raises(InputError, match=r"highest is 0\.500"):
        curve.at(precision=0.9)
    with pytest.raises(InputError, match="one of threshold"):
        curve.at(precision=0.9, recall=0.1)
    with pytest.raises(InputError, match="nan"):
        curve.at(threshold=math.nan)


def test_break_even_is_precision_at_as_many_as_are_relevant():
    assert te.precision_recall(TRUTH, list(range(10, 0, -1))).break_even == pytest.approx(2 / 5)
    # Among ties the order is random: half of the two that are called from the four tied at the top.
    assert te.precision_recall([1, 0, 1, 0, 0], [2, 2, 2, 2, 1]).break_even == 0.5


def test_iso_f_lines():
    for beta in (0.5, 1.0, 2.0):
        for f, (recall, precision) in te.precision_recall([0, 1], [0, 1]).iso_f([0.3, 0.7], beta=beta).items():
            again = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            np.testing.assert_allclose(again, f)
            assert precision.max() <= 1
            assert recall.max() == 1
    with pytest.raises(InputError, match="between 0 and 1"):
        te.precision_recall([0, 1], [0, 1]).iso_f([1.0])


def test_one_class():
    with pytest.raises(InputError, match="at least one positive row"):
        te.precision_recall([0, 0, 0], [1, 2, 3])
    every = te.precision_recall([1, 1, 1], [1, 2, 3])
    assert every.precision.tolist() == [1, 1, 1]
    assert every.average_precision().low < 1


def test_weights():
    double = te.precision_recall(TRUTH, SCORES, weights=[2] * 10, weights_kind="frequency")
    twice = te.precision_recall(TRUTH * 2, SCORES * 2)
    assert double == twice
    sampled = te.precision_recall(TRUTH, SCORES, weights=[0.5] * 10, weights_kind="sampling")
    plain = te.precision_recall(TRUTH, SCORES)
    assert sampled.average_precision().estimate == pytest.approx(plain.average_precision().estimate)
    # Equal weights are worth as many rows as there are, whatever their size.
    assert sampled.average_precision().low == pytest.approx(plain.average_precision().low)
    assert "sampling weights" in sampled.average_precision(method="bootstrap").note


def test_words_and_json():
    curve = te.precision_recall(TRUTH, SCORES, model="svm")
    assert str(curve).startswith("Precision/recall curve of svm: 8 thresholds, 5 relevant of 10 rows")
    assert te.load(curve.to_json()) == curve
    point = curve.at(recall=0.5)
    assert te.load(point.to_json()) == point
    assert "retrieves" in str(point)
    assert len(curve.records()) == 8
    with pytest.raises(FrozenInstanceError):
        curve.name = "x"
    with pytest.raises(ValueError, match="read-only"):
        curve.thresholds[0] = 3


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30),
    st.floats(0.01, 0.99),
)
@settings(deadline=None, max_examples=50)
def test_another_mix_weighs_the_classes_and_leaves_roc_alone(rows, prior):
    truth, scores = [a for a, _ in rows], [b for _, b in rows]
    assume(any(truth) and not all(truth))
    curve, ours = te.precision_recall(truth, scores, prior=prior), te.roc(truth, scores)
    tpr, fpr = ours.tpr[1:], ours.fpr[1:]
    np.testing.assert_allclose(curve.recall, tpr)
    np.testing.assert_allclose(curve.precision, prior * tpr / (prior * tpr + (1 - prior) * fpr))
    # Rows repeated until positives have that share: PR moves to it, ROC stays.
    times = [2 if t else 5 for t in truth]
    more = [np.repeat(x, times) for x in (truth, scores)]
    share = float(np.mean(more[0]))
    np.testing.assert_allclose(te.roc(*more).tpr, ours.tpr)
    np.testing.assert_allclose(te.roc(*more).fpr, ours.fpr)
    moved = te.precision_recall(truth, scores, prior=share)
    np.testing.assert_allclose(moved.precision, te.precision_recall(*more).precision)
    np.testing.assert_allclose(moved.interpolate([0.3, 1.0]), te.precision_recall(*more).interpolate([0.3, 1.0]))
    for one in ("davis-goadrich", "linear", "step"):
        assert moved.auc(one).estimate == pytest.approx(te.precision_recall(*more).auc(one).estimate)
    area, band = curve.average_precision(), curve.band()
    assert 0 <= area.low <= area.estimate <= area.high <= 1
    assert area.high > area.low
    assert (band.low <= curve.precision + 1e-12).all()
    assert (band.high >= curve.precision - 1e-12).all()
    assert ((band.high > band.low) & (band.low >= 0) & (band.high <= 1)).all()


@pytest.mark.parametrize("prior", [0.01, 0.3, 0.9])
def test_another_mix_has_the_limits_of_evaluate(prior):
    p = te.predictions(TRUTH, scores={"m": SCORES}, positive=1)
    curve, ev = te.precision_recall(p, prior=prior), te.evaluate(p, prior=prior)
    point = curve.at(threshold=0.5).precision
    assert [point.estimate, point.low, point.high] == pytest.approx(
        [getattr(ev["precision"], x) for x in ("estimate", "low", "high")], abs=1e-5
    )
    assert point.method == ev["precision"].method == "effective-t"
    band = curve.band()
    place = int(np.flatnonzero(band.thresholds >= 0.5)[-1])
    assert [band.low[place], band.high[place]] == pytest.approx([point.low, point.high])
    area, same = (
        curve.average_precision(),
        te.evaluate(p, prior=prior, metrics=["average_precision"])["average_precision"],
    )
    assert [area.estimate, area.low, area.high] == pytest.approx([same.estimate, same.low, same.high])
    assert f"{round(100 * prior)} %" in area.estimand


def test_another_mix_in_words_and_json():
    curve = te.precision_recall(TRUTH, SCORES, prior=0.1)
    assert "precision at another class mix: 10 % 1" in " ".join(str(curve).split())
    assert te.load(curve.to_json()) == curve
    assert curve.prevalence == 0.1
    assert "at 10 % relevant rows precision" in " ".join(str(curve.at(threshold=0.5)).split())
    assert curve.records()[-1]["precision"] == pytest.approx(0.1)
    assert curve.average_precision(method="bootstrap", replicates=200).estimate == curve.average_precision().estimate
    drawn = precision_recall_picture([("m", curve)], band=True)
    assert "10 % 1" in drawn.subtitle[-1]
    assert "effective t" in drawn.bands[0].name
    with pytest.raises(InputError, match="negatives"):
        curve.average_precision(method="boyd-logit")
    for wrong in (0.0, 1.0, 1.5):
        with pytest.raises(InputError, match="prior="):
            te.precision_recall(TRUTH, SCORES, prior=wrong)
    with pytest.raises(InputError, match="at least one negative row"):
        te.precision_recall([1, 1], [0.2, 0.3], prior=0.5)


def test_another_mix_of_several_models_and_weights():
    both = te.precision_recall(TRUTH, {"a": SCORES, "b": SCORES[::-1]}, prior=0.2)
    assert {c.prior for c in both.values()} == {0.2}
    weighted = te.precision_recall(TRUTH, SCORES, weights=[0.5] * 10, weights_kind="sampling", prior=0.2)
    plain = te.precision_recall(TRUTH, SCORES, prior=0.2)
    assert weighted.average_precision().low == pytest.approx(plain.average_precision().low)


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("grouped", [False, True])
def test_weighted_rows_have_the_limits_of_evaluate(prior, grouped):
    rng = np.random.default_rng(6)
    truth, weights = rng.integers(0, 2, 120), rng.uniform(0.5, 3.0, 120)
    clusters = rng.integers(0, 20, 120) if grouped else None
    p = te.predictions(
        truth, scores={"m": (truth + rng.normal(size=120)).round(1)}, positive=1, weights=weights,
        weights_kind="sampling", clusters=clusters,
    )  # fmt: skip
    curve = te.precision_recall(p, prior=prior)
    band = curve.band()
    for cut in (-0.4, 0.5, 1.3):
        ev, point, rates = (
            te.evaluate(p, threshold=cut, prior=prior),
            curve.at(threshold=cut),
            te.roc(p).at(threshold=cut),
        )
        for own, found in (
            (ev["precision"], point.precision), (ev["recall"], point.recall), (ev["recall"], rates.tpr_interval),
        ):  # fmt: skip
            assert (found.estimate, found.low, found.high) == pytest.approx((own.estimate, own.low, own.high))
        place = int(np.flatnonzero(band.thresholds >= cut)[-1])
        assert [band.low[place], band.high[place]] == pytest.approx([ev["precision"].low, ev["precision"].high])
