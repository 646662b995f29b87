"""Risk and coverage: from labels with confidence, binary scores and class scores; absent predictions; AURC."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._risk_coverage import best_risk_area, continuous_risk_areas, risk_areas
from trueerror.inputs._options import InputError


def test_binary_probabilities_by_distance_from_one_half():
    curve = te.risk_coverage([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.45])
    assert curve.thresholds.tolist() == [0.9, 0.8, 0.6, 0.55]
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    np.testing.assert_allclose(curve.risk, [0, 0, 1 / 3, 1 / 4])
    # 0.3 and 0.7 are equally sure.
    assert te.risk_coverage([1, 0], [0.3, 0.7]).thresholds.tolist() == [0.7]


def test_other_scores_need_a_threshold():
    with pytest.raises(InputError, match="threshold="):
        te.risk_coverage([1, 0], [-2.0, 3.0])
    curve = te.risk_coverage([1, 0, 1], [-2.0, 3.0, 0.5], threshold=0.0)
    assert curve.thresholds.tolist() == [3.0, 2.0, 0.5]
    np.testing.assert_allclose(curve.accuracy, [0, 0, 1 / 3])


def test_class_scores_by_the_highest():
    truth = ["a", "b", "c", "a"]
    scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.5, 0.3, 0.2], [0.9, 0.05, 0.05]]
    curve = te.risk_coverage(truth, scores)
    assert curve.thresholds.tolist() == [0.9, 0.7, 0.5]
    np.testing.assert_allclose(curve.accuracy, [1, 1, 0.75])
    own = te.risk_coverage(truth, scores, predicted=["a", "b", "b", "a"])
    assert own.thresholds.tolist() == [0.9, 0.7, 0.5, 0.3]
    with pytest.raises(InputError, match="labels="):
        te.risk_coverage(["a", "b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    assert te.risk_coverage(["a", "b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], labels=["a", "b", "c"]).accuracy[-1] == 0


def test_labels_with_a_confidence():
    curve = te.risk_coverage(["a", "b", "c"], [0.9, 0.5, 0.7], predicted=["a", "c", "c"])
    assert curve.thresholds.tolist() == [0.9, 0.7, 0.5]
    np.testing.assert_allclose(curve.accuracy, [1, 1, 2 / 3])
    with pytest.raises(InputError, match="predicted="):
        te.risk_coverage(["a", "b", "c"], [0.9, 0.5, 0.7], positive="a")


def test_absent_predictions_are_never_settled_in_silence():
    truth, said, sure = ["a", "b", "c", "a"], ["a", "b", "a", None], [0.7, 0.6, 0.5, math.nan]
    with pytest.raises(InputError, match="NaN at row 4"):
        te.risk_coverage(truth, sure, predicted=said)
    with pytest.raises(InputError, match="row 4 has no prediction"):
        te.risk_coverage(truth, [0.7, 0.6, 0.5, 0.4], predicted=said)
    wrong = te.risk_coverage(truth, sure, predicted=said, missing="wrong")
    assert (wrong.n, wrong.absent) == (4, 1)
    assert wrong.thresholds[-1] == -np.inf
    np.testing.assert_allclose(wrong.accuracy, [1, 1, 2 / 3, 2 / 4])
    assert "1 row without a prediction was counted as wrong" in str(wrong)
    left = te.risk_coverage(truth, sure, predicted=said, missing="drop")
    assert (left.n, left.absent) == (3, 1)
    assert "left out" in str(left)
    scored = te.risk_coverage([0, 1, 1], [0.1, None, 0.8], missing="wrong")
    np.testing.assert_allclose(scored.accuracy, [1, 1, 2 / 3])
    classes = te.risk_coverage([0, 1], [[0.6, 0.4], [math.nan, math.nan]], missing="drop")
    assert (classes.n, classes.absent) == (1, 1)
    assert te.load(wrong.to_json()) == wrong


def test_from_predictions():
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.4
    p = np.clip(0.5 + 0.3 * (truth - 0.5) + 0.2 * rng.normal(size=80), 0, 1)
    predictions = te.predictions(truth, scores={"m": p})
    assert te.risk_coverage(predictions) == te.risk_coverage(truth, p, model="m")
    assert te.risk_coverage(predictions, threshold=0.3) == te.risk_coverage(truth, p, model="m", threshold=0.3)
    labels = np.array(["a", "b", "c"])[rng.integers(0, 3, 80)]
    scores = rng.dirichlet(np.ones(3), 80)
    several = te.predictions(labels, scores={"m": scores})
    assert te.risk_coverage(several) == te.risk_coverage(labels, scores, model="m")
    with pytest.raises(InputError, match="labels only"):
        te.risk_coverage(te.predictions([0, 1], {"m": [0, 1]}))


def test_from_a_score_table():
    truth, p = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.45]
    table = te.ScoreTable.count(truth, p)
    assert te.risk_coverage(table) == te.risk_coverage(truth, p)
    weights = [0.5, 2, 1, 1]
    table = te.ScoreTable.count(truth, p, weights=weights, weights_kind="sampling")
    rows = te.risk_coverage(truth, p, weights=weights, weights_kind="sampling")
    assert te.risk_coverage(table).records() == rows.records()
    np.testing.assert_allclose(te.risk_coverage(table).table.squares, rows.table.squares)


def test_accuracy_at_a_coverage():
    rng = np.random.default_rng(1)
    sure = rng.random(100)
    right = rng.random(100) < 0.5 + sure / 2
    curve = te.risk_coverage(right, sure, predicted=np.ones(100, dtype=bool))
    at = curve.at(coverage=0.3)
    top = right[np.argsort(-sure)[:30]].sum()
    wilson = te.interval(int(top), 30)
    assert (at.estimate, at.low, at.high) == pytest.approx((wilson.estimate, wilson.low, wilson.high))
    assert at.n == 30
    assert curve.at(threshold=float(np.sort(sure)[-30])) == at
    reached = curve.at(accuracy=0.8)
    assert reached.estimate >= 0.8
    assert "read off these rows" in reached.note
    with pytest.raises(InputError, match="no coverage reaches"):
        te.risk_coverage([0, 0], [0.9, 0.8]).at(accuracy=0.5)
    with pytest.raises(InputError, match="one of coverage="):
        curve.at()
    with pytest.raises(InputError, match=r"in \(0, 1\]"):
        curve.at(coverage=0)
    with pytest.raises(InputError, match="highest"):
        curve.at(threshold=2)


def test_ties_at_the_cut_are_in_random_order():
    curve = te.risk_coverage([1, 1, 0, 1], [0.9, 0.7, 0.7, 0.7])
    at = curve.at(coverage=0.5)
    assert at.estimate == pytest.approx((1 + 2 / 3) / 2)
    assert "random order" in at.note


def aurc_by_enumeration(sure, right, rng, draws=3000):
    total = 0.0
    for _ in range(draws):
        order = np.lexsort((rng.random(len(sure)), -np.asarray(sure)))
        wrong = 1 - np.asarray(right)[order]
        total += (np.cumsum(wrong) / np.arange(1, len(sure) + 1)).mean()
    return total / draws


def test_aurc_is_the_mean_risk_over_all_coverages():
    rng = np.random.default_rng(2)
    sure, right = rng.permutation(12), rng.random(12) < 0.7
    curve = te.risk_coverage(right, sure, predicted=np.ones(12, dtype=bool))
    assert curve.area(replicates=200).estimate == pytest.approx(aurc_by_enumeration(sure, right, rng, 1))
    tied = np.array([3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1])
    curve = te.risk_coverage(right, tied, predicted=np.ones(12, dtype=bool))
    assert curve.area(replicates=200).estimate == pytest.approx(aurc_by_enumeration(tied, right, rng), abs=0.01)


def test_aurc_with_weights_that_are_not_whole_is_the_integral():
    right, wrong = np.array([[3, 1, 4]]), np.array([[2, 0, 1]])
    fine = risk_areas(right * 10_000, wrong * 10_000)
    assert continuous_risk_areas(right, wrong) == pytest.approx(fine, abs=1e-4)
    sampled = te.risk_coverage([1, 0, 1], [0.9, 0.6, 0.7], weights=[0.2, 0.5, 0.3], weights_kind="sampling").area()
    assert 0 <= sampled.low <= sampled.estimate <= sampled.high <= 1


def test_no_error_at_all():
    curve = te.risk_coverage([1] * 50, np.linspace(0.6, 0.9, 50))
    area = curve.area(replicates=200)
    assert (area.estimate, area.low) == (0, 0)
    upper = te.interval(0, 50).high
    assert area.high == pytest.approx(upper * (1 - math.log(upper)))
    assert curve.excess == 0
    all_wrong = te.risk_coverage([0] * 50, np.linspace(0.6, 0.9, 50)).area(replicates=200)
    assert all_wrong.estimate == pytest.approx(1)
    assert all_wrong.low < all_wrong.high


def test_perfect_order():
    assert best_risk_area(0) == 0
    assert best_risk_area(1) == 1
    sure = np.arange(1000)
    curve = te.risk_coverage(sure >= 300, sure, predicted=np.ones(1000, dtype=bool))
    assert curve.excess == pytest.approx(0, abs=2e-3)


def test_frequency_weights_are_rows():
    a = te.risk_coverage([1, 0, 1], [0.9, 0.6, 0.4], weights=[2, 1, 3], weights_kind="frequency")
    b = te.risk_coverage([1, 1, 0, 1, 1, 1], [0.9, 0.9, 0.6, 0.4, 0.4, 0.4])
    assert a == b


def test_at_any_threshold_the_surest_answers_are_the_most_probable_ones() -> None:
    """0.3 is flagged at 0.25, and right with a probability of 0.3; 0.2 is not, and right with 0.8."""
    truth, chances = [0, 0, 1, 1], [0.3, 0.2, 0.6, 0.95]
    curve = te.risk_coverage(truth, chances, threshold=0.25)
    assert curve.thresholds.tolist() == [0.95, 0.8, 0.6, 0.3]
    assert curve.accuracy.tolist() == [1, 1, 1, 0.75]
    # Labels that were cut there, and scores beside them, say the same.
    given = te.predictions(truth, {"m": [1, 0, 1, 1]}, scores={"m": chances})
    assert te.risk_coverage(given).table == curve.table
    assert te.risk_coverage(te.predictions(truth, scores={"m": chances}), threshold=0.25).table == curve.table
    # Other scores have a distance alone.
    far = te.risk_coverage(truth, [30, 20, 60, 95], threshold=25)
    assert far.thresholds.tolist() == [70, 35, 5]


@pytest.mark.parametrize(("digits", "scale"), [(17, 1.0), (2, 1.0), (17, 8.0), (1, 8.0)])
@pytest.mark.parametrize("threshold", [0.5, 0.3, -1.0, 9.0])
def test_a_table_is_folded_as_its_rows_are(digits: int, scale: float, threshold: float) -> None:
    rng = np.random.default_rng(digits)
    truth = (rng.random(3_000) < 0.4).astype(int)
    scores = ((rng.random(3_000) + 0.2 * truth) / 1.2).round(digits) * scale
    scores[:2] = 0.25, 0.75
    one = te.risk_coverage(truth, scores, threshold=threshold)
    other = te.risk_coverage(te.ScoreTable.count(truth, scores), threshold=threshold)
    assert other.table == one.table


def test_a_binned_table_stays_one_and_one_without_rows_is_refused() -> None:
    binned = te.ScoreTable(
        [0.1, 0.4, 0.8], [0, 1, 1], [1, 0, 0], exact=False, uppers=np.array([0.2, 0.5, 0.9])
    )  # fmt: skip
    assert not te.risk_coverage(binned).table.exact
    with pytest.raises(InputError, match="there are none"):
        te.risk_coverage(te.ScoreTable([], [], []))


@pytest.mark.parametrize(("high", "low"), [(0.93, 0.07), (0.57, 0.43), (0.75, 0.25), (0.7, 0.3), (0.6, 0.4)])
def test_equally_confident_answers_are_tied_whatever_their_last_bit(high, low):
    truth = [1] * 50 + [0] * 20 + [1] * 30
    scores = [high] * 50 + [low] * 50
    for curve in (te.risk_coverage(truth, scores), te.risk_coverage(te.ScoreTable.count(truth, scores))):
        assert curve.at(coverage=0.5).estimate == pytest.approx(0.7)
