"""te.roc: what it takes, what it refuses, and its single answers."""

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(11)
TRUTH = (RNG.random(300) < 0.4).astype(int)
SCORES = RNG.normal(size=300) + 1.2 * TRUTH


def test_takes_arrays_tables_predictions_and_curves():
    curve = te.roc(TRUTH, SCORES)
    rows = te.predictions(TRUTH, scores={"svm": SCORES, "coin": RNG.random(300)})
    assert te.roc(te.ScoreTable.count(TRUTH, SCORES)) == curve
    assert te.roc(curve) == curve
    named = te.roc(rows, model="svm")
    assert named.name == "svm"
    assert (named.fpr == curve.fpr).all()
    assert te.roc(rows, "svm") == named
    both = te.roc(rows)
    assert list(both) == ["svm", "coin"]
    assert both["svm"] == named


@pytest.mark.parametrize(
    ("truth", "scores", "options", "words"),
    [
        ([0, 1], None, {}, "needs scores"),
        ([0, 1, 1], [1, 2], {}, "3 rows but scores has 2"),
        ([0, 1], [0.1, math.nan], {}, "NaN at row 2"),
        ([1, 1], [0.1, 0.2], {}, "at least one negative"),
        ([0, 0], [0.1, 0.2], {}, "at least one positive"),
        ([], [], {}, "needs rows"),
        (["a", "b"], [0.1, 0.2], {}, "which class is positive"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], {}, "positive= one of 'a', 'b', 'c', which is then set against the rest"),
        ([0, 1], [0.1, 0.2], {"weights": [1, 2]}, "weights_kind"),
    ],
)
def test_refuses_with_a_reason(truth, scores, options, words):
    with pytest.raises(InputError, match=words):
        te.roc(truth, scores, **options)


def test_one_class_of_many_against_the_rest():
    truth = ["a", "b", "c", "a", "b", "c"]
    scores = [0.9, 0.2, 0.4, 0.3, 0.1, 0.8]
    curve = te.roc(truth, scores, positive="a")
    assert curve.table.n_positive == 2
    assert curve.auc().estimate == pytest.approx(6 / 8)
    table = np.column_stack([scores, [0.05, 0.5, 0.3, 0.3, 0.7, 0.1], [0.05, 0.3, 0.3, 0.4, 0.2, 0.1]])
    assert te.roc(truth, table, positive="a") == curve


@pytest.mark.parametrize(
    "scores",
    [
        np.array([np.inf, -np.inf, 0.0, 1.0, np.inf, -1.0]),
        np.array([0.0, -0.0, 0.0, -0.0, 0.0, -0.0]),
        np.array([5e-324, 1e-310, 0.0, -1e-310, 1e-320, 0.0]),
        np.array([1e308, -1e308, 1e-308, 0.0, 1.0, -1.0]),
        np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], dtype=np.float32),
        np.full(6, 0.5),
        np.array([1, 2, 3, 4, 5, 6]),
    ],
    ids=["infinite", "zeros", "subnormal", "huge", "float32", "equal", "integers"],
)
@pytest.mark.parametrize("truth", [[1, 0, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1]])
@pytest.mark.parametrize("method", ["delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap"])
def test_awkward_scores_have_sound_intervals(scores, truth, method):
    made = te.roc(truth, scores).auc(method, replicates=100)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high


def test_perfect_separation_keeps_a_width():
    made = te.roc([0] * 20 + [1] * 20, range(40)).auc()
    assert (made.estimate, made.high) == (1, 1)
    # A share of 40 rows that are all right has this limit, with Student's t for the normal quantile.
    assert made.low == pytest.approx(40 / (40 + special.stdtrit(39, 0.975) ** 2))


@pytest.mark.slow
def test_bootstrap_of_many_rows_is_reproducible_and_near_delong():
    truth, noise = RNG.random(30_000)[:12_000] < 0.3, RNG.normal(size=30_000)[:12_000]
    curve = te.roc(truth, noise + truth)
    few, same, other = (curve.auc("bootstrap", replicates=100, rng=seed) for seed in (5, 5, 6))
    assert few == same != other
    one = curve.auc("bootstrap", replicates=400, rng=5)
    analytic = curve.auc()
    assert one.low == pytest.approx(analytic.low, abs=0.15 * analytic.width)
    assert one.high == pytest.approx(analytic.high, abs=0.15 * analytic.width)
    assert one.method == "bootstrap-bca"


def test_confidence_widens():
    widths = [te.roc(TRUTH, SCORES).auc(confidence=c).width for c in (0.5, 0.8, 0.95, 0.999)]
    assert widths == sorted(widths)
    with pytest.raises(InputError, match=r"did you mean 0\.95"):
        te.roc(TRUTH, SCORES).auc(confidence=95)
    with pytest.raises(InputError, match="did you mean 'delong'"):
        te.roc(TRUTH, SCORES).auc("delonge")


def test_at_reads_thresholds_that_exist():
    curve = te.roc([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    at = curve.at(threshold=7)
    assert (at.threshold, at.fpr, at.tpr) == (7, 1 / 7, 2 / 3)
    # A threshold between two scores is the same point.
    assert curve.at(threshold=6.5).tpr == at.tpr
    assert curve.at(fpr=0.1).threshold == 8
    assert curve.at(fpr=1 / 7).threshold == 6
    assert curve.at(tpr=0.5).threshold == 8
    assert curve.at(tpr=1).threshold == 6
    assert curve.at(tpr=0).threshold == math.inf
    assert "Flagging nothing" in str(curve.at(threshold=math.inf))
    assert "read off these rows" in curve.at(fpr=0.1).note
    assert curve.at(threshold=7).note == ""
    assert at.tpr_interval.method == "wilson"
    assert float(at) == 7
    for wrong in ({}, {"fpr": 0.1, "tpr": 0.2}, {"fpr": 1.5}, {"threshold": math.nan}):
        with pytest.raises(InputError):
            curve.at(**wrong)


def test_best_thresholds():
    curve = te.roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    assert curve.best_threshold().threshold == 0.8
    assert curve.best_threshold("closest").threshold == 0.8
    assert curve.best_threshold("accuracy").threshold == 0.8
    assert "does as well" in curve.best_threshold("accuracy").note
    assert curve.best_threshold("f1").threshold == 0.6
    with pytest.raises(InputError, match="did you mean 'youden'"):
        curve.best_threshold("youdens")


def test_interpolation_joins_the_points():
    curve = te.roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    assert curve.interpolate([0, 0.25, 0.5, 1]) == pytest.approx([2 / 3, 2 / 3, 1, 1])
    with pytest.raises(InputError):
        curve.interpolate([1.5])


def test_sampling_weights():
    weights = RNG.random(300) + 0.5
    curve = te.roc(TRUTH, SCORES, weights=weights, weights_kind="sampling")
    pairs = SCORES[TRUTH == 1][:, None] > SCORES[TRUTH == 0]
    mass = weights[TRUTH == 1][:, None] * weights[TRUTH == 0]
    made = curve.auc()
    assert made.estimate == pytest.approx((pairs * mass).sum() / mass.sum())
    plain = te.roc(TRUTH, SCORES).auc()
    assert plain.width < made.width < 1.3 * plain.width
    point = curve.at(threshold=0.5)
    assert point.tpr == pytest.approx(weights[(TRUTH == 1) & (SCORES >= 0.5)].sum() / weights[TRUTH == 1].sum())
    assert point.tpr_interval.method == "effective-t"
    assert curve.band().method == "roc-band-wilson"
    with pytest.raises(InputError, match="pointwise"):
        curve.band("simultaneous")
    assert "instead of the bootstrap" in curve.partial_auc(0, 0.2).note
    chosen = curve.operating_point(cost_fn=3)
    assert math.isnan(chosen.optimism)
    assert "not corrected" in chosen.note
    assert chosen.corrected.low < chosen.cost < chosen.corrected.high


def test_is_frozen_equal_and_travels():
    curve = te.roc(TRUTH, SCORES)
    with pytest.raises(FrozenInstanceError):
        curve.name = "x"
    with pytest.raises(ValueError, match="read-only"):
        curve.fpr[0] = 1
    assert pickle.loads(pickle.dumps(curve)) == curve
    assert te.load(curve.to_json()) == curve
    assert te.load(curve.at(fpr=0.2).to_json()) == curve.at(fpr=0.2)
    assert len(curve.records()) == len(curve.fpr)
    assert {"threshold", "tp", "fp", "tn", "fn", "fpr", "tpr", "precision", "recall"} == set(curve.records()[0])
    assert str(curve).startswith("ROC curve: ")
    assert "<p>" in curve._repr_html_()


def test_scores_of_a_billion_rows():
    table = te.ScoreTable([0.1, 0.5, 0.9], [10**8, 2 * 10**8, 3 * 10**8], [6 * 10**8, 3 * 10**8, 10**8])
    curve = te.roc(table)
    made = curve.auc()
    up, down = np.array([1, 2, 3]) / 6, np.array([6, 3, 1]) / 10
    expected = (up * (np.cumsum(down) - down / 2)).sum()
    assert made.estimate == pytest.approx(expected, rel=1e-12)
    assert 0 < made.width < 1e-4
    assert curve.operating_point(replicates=100).optimism == pytest.approx(0, abs=1e-4)
    assert curve.band("simultaneous", replicates=100).high.max() == 1


def _scored(seed=0, up=100, down=300, shift=1.2):
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], [up, down])
    return truth, rng.standard_normal(up + down) + shift * truth


def test_the_fpr_at_a_tpr_has_the_limits_of_the_curve():
    curve = te.roc(*_scored())
    point, own = curve.at(tpr=0.9), curve.at(threshold=curve.at(tpr=0.9).threshold)
    assert point.fpr == own.fpr
    assert point.fpr_interval.low <= own.fpr_interval.low < own.fpr_interval.high <= point.fpr_interval.high
    assert point.fpr_interval.width > 1.3 * own.fpr_interval.width
    assert point.tpr_interval.low == own.tpr_interval.low
    assert "limits of the FPR at a TPR of 0.900" in point.note
    other = curve.at(fpr=0.1)
    low, high = curve.band().at(0.1)
    assert (other.tpr_interval.low, other.tpr_interval.high) == pytest.approx((float(low), float(high)), abs=0.02)


def test_the_axes_mirror_each_other():
    # With classes and signs exchanged, TPR becomes 1 − FPR.
    truth, scores = _scored()
    one, two = te.roc(truth, scores).at(tpr=0.9), te.roc(1 - truth, -scores).at(fpr=0.1)
    assert 1 - two.tpr_interval.high == pytest.approx(one.fpr_interval.low, abs=0.01)
    assert 1 - two.tpr_interval.low == pytest.approx(one.fpr_interval.high, abs=0.01)


@pytest.mark.parametrize("criterion", ["youden", "closest", "accuracy", "f1"])
def test_limits_at_the_best_threshold_allow_for_its_choice(criterion):
    curve = te.roc(*_scored(up=60, down=140))
    best = curve.best_threshold(criterion)
    plain = curve.at(threshold=best.threshold)
    for word in ("tpr_interval", "fpr_interval"):
        own, wider = getattr(plain, word), getattr(best, word)
        assert wider.estimate == own.estimate
        assert wider.low <= own.low < own.high <= wider.high
        assert wider.method == "wilson-optimism"
    # What was chosen to look high may be lower.
    assert best.tpr_interval.low < plain.tpr_interval.low
    assert "allow for that choice" in best.note
    assert best == curve.best_threshold(criterion)


def test_a_threshold_that_hardly_calls_anything_says_so():
    truth, scores = _scored(up=15, down=200, shift=0.3)
    assert "not reliable" in te.roc(truth, scores).best_threshold("accuracy").note


def test_rates_at_the_best_threshold_hold_together():
    rng, inside = np.random.default_rng(5), 0
    for _ in range(120):
        truth = (rng.random(100) < 0.3).astype(int)
        best = te.roc(truth, rng.standard_normal(100) + 1.2 * truth).best_threshold(confidence=0.975)
        tpr, fpr = (float(special.ndtr(s - best.threshold)) for s in (1.2, 0.0))
        inside += tpr in best.tpr_interval and fpr in best.fpr_interval
    assert inside >= 109


def test_the_rate_at_another_rate_holds_where_few_rows_say_where_that_is():
    random, shift, held = np.random.default_rng(1), 1.6, 0
    truth = np.repeat([1, 0], [60, 200])
    true = float(special.ndtr(special.ndtri(0.95) - shift))
    for _ in range(200):
        found = te.roc(truth, random.standard_normal(260) + shift * truth).at(tpr=0.95).fpr_interval
        held += found.low <= true <= found.high
    assert held >= 185  # .84 with Wilson's limits of the rate in the place of the binomial's quantiles
