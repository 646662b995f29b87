"""C5 to C8 and B8 of the requirements: retrieval, lift and gains, curves and areas from cross-validation, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trueerror as te

# The two rankings of the seeds.
FIRST = ([1, 1, 0, 0, 0, 1, 0, 1, 0, 1], [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
SECOND = ([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01])


def cross_validated(k: int = 10, n: int = 200, seed: int = 0, shift: float = 0.0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    folds = np.arange(n) % k
    return truth, 1.2 * truth + rng.normal(size=n) + shift * folds, folds


def test_c5_precision_and_recall_in_the_retrieval_reading() -> None:
    curve = te.precision_recall(*SECOND)
    point = curve.at(threshold=0.65)
    # 5 of 10 documents retrieved, 4 of them relevant; 5 are relevant in all.
    assert (point.retrieved, point.found, point.relevant) == (5, 4, 5)
    assert point.precision.estimate == pytest.approx(4 / 5)
    assert point.recall.estimate == pytest.approx(4 / 5)
    assert "retrieves 5 of 10 rows, 4 of them relevant" in str(point)
    assert "finds 4 of 5 relevant rows" in str(point)
    # The three rows tied at 0.85 are one point: precision 3/6 there, and nothing in between.
    tied = te.precision_recall(*FIRST)
    assert len(tied.thresholds) == 8
    assert tied.at(threshold=0.85).precision.estimate == 0.5


def test_c5_curve_starts_at_the_top_and_ends_at_the_prevalence() -> None:
    curve = te.precision_recall(*SECOND)
    assert (curve.precision[0], curve.recall[0]) == (1, 0.2)
    assert (curve.precision[-1], curve.recall[-1]) == (curve.prevalence, 1)
    area = curve.average_precision()
    assert area.estimate == pytest.approx((1 + 1 + 3 / 4 + 4 / 5 + 5 / 8) / 5)
    assert area.low < area.estimate < area.high


def test_c6_cumulative_gains_and_lift() -> None:
    gains, lift = te.gains(*SECOND), te.lift(*SECOND)
    # The best fifth of the rows holds two of five positives: twice as many as a random fifth.
    assert gains.at(share=0.2).estimate == pytest.approx(0.4)
    assert lift.at(share=0.2).estimate == pytest.approx(2)
    assert gains.at(share=0.5).estimate == pytest.approx(0.8)
    assert lift.at(share=1).estimate == 1
    assert gains.at(share=0.25).estimate == pytest.approx(0.4)
    for share in (0.1, 0.2, 0.5):
        made = gains.at(share=share)
        assert 0 <= made.low < made.high <= 1


def test_c7_pooled_predictions_make_one_curve() -> None:
    truth, scores, folds = cross_validated()
    curves = [te.precision_recall(truth[folds == f], scores[folds == f]) for f in range(10)]
    assert te.pool_curves(curves) == te.precision_recall(truth, scores)


def test_c7_vertical_averaging_with_error_bars() -> None:
    truth, scores, folds = cross_validated()
    predictions = te.predictions(truth, scores={"m": scores}, folds=folds)
    mean = te.average_curves(predictions, how="vertical")
    assert mean.fpr.tolist() == np.linspace(0, 1, 101).tolist()
    assert ((mean.tpr_low <= mean.tpr) & (mean.tpr <= mean.tpr_high)).all()
    assert (mean.tpr_sd[1:-1] > 0).any()
    at = 20
    parts = []
    for f in range(10):
        t = te.ScoreTable.count(truth[folds == f], scores[folds == f])
        fpr = np.concatenate(([0], np.cumsum(t.negatives[::-1]))) / t.n_negative
        tpr = np.concatenate(([0], np.cumsum(t.positives[::-1]))) / t.n_positive
        i = np.flatnonzero(fpr <= 0.2 + 1e-12)[-1]
        step = (0.2 - fpr[i]) / (fpr[i + 1] - fpr[i]) if fpr[i] < 0.2 - 1e-12 else 0.0
        parts.append(tpr[i] + step * (tpr[i + 1] - tpr[i]))
    assert mean.tpr[at] == pytest.approx(np.mean(parts))
    assert mean.tpr_sd[at] == pytest.approx(np.std(parts, ddof=1))
    assert "training rows" in mean.note


def test_c7_threshold_averaging_with_error_bars_both_ways() -> None:
    truth, scores, folds = cross_validated()
    predictions = te.predictions(truth, scores={"m": scores}, folds=folds)
    mean = te.average_curves(predictions, how="threshold", grid=[1.0, 0.0])
    rates = [
        [np.mean(scores[(folds == f) & (truth == c)] >= cut) for f in range(10)] for cut in (1.0, 0.0) for c in (0, 1)
    ]
    assert mean.fpr.tolist() == pytest.approx([np.mean(rates[0]), np.mean(rates[2])])
    assert mean.tpr.tolist() == pytest.approx([np.mean(rates[1]), np.mean(rates[3])])
    assert mean.fpr_sd.tolist() == pytest.approx([np.std(rates[0], ddof=1), np.std(rates[2], ddof=1)])
    # Scores that each fold puts elsewhere cannot be cut at one threshold, and the note says so.
    truth, scores, folds = cross_validated(shift=2.0)
    shifted = te.predictions(truth, scores={"m": scores}, folds=folds)
    assert "not on one scale" in te.average_curves(shifted, how="threshold").note


def test_c8_auc_averaged_over_folds_with_error_bounds() -> None:
    truth, scores, folds = cross_validated()
    predictions = te.predictions(truth, scores={"m": scores}, folds=folds)
    areas = [te.metric("auc", truth[folds == f], scores=scores[folds == f]) for f in range(10)]
    plain = te.auc_over_folds(predictions, method="mean-t")
    half = 2.2621571628 * np.std(areas, ddof=1) / math.sqrt(10)
    assert plain.estimate == pytest.approx(np.mean(areas))
    assert (plain.low, plain.high) == pytest.approx((np.mean(areas) - half, min(1, np.mean(areas) + half)))
    # E5: the folds' training sets overlap, so this is too narrow for the learner; the corrected one is wider.
    assert "too narrow for the learner" in plain.note
    corrected = te.auc_over_folds(predictions, method="corrected-t")
    assert corrected.width > plain.width
    assert corrected.estimand == "this learner"
    ledell = te.auc_over_folds(predictions)
    assert ledell.estimate == plain.estimate
    assert ledell.estimand == "these 10 models"


def test_c8_auc_pooled_with_bootstrap_bounds() -> None:
    truth, scores, folds = cross_validated()
    predictions = te.predictions(truth, scores={"m": scores}, folds=folds)
    made = te.auc_over_folds(predictions, method="pooled-bootstrap", rng=1)
    assert made.estimate == pytest.approx(te.metric("auc", truth, scores=scores))
    assert made.low < made.estimate < made.high
    assert "2,000 replicates, seed 1" in made.note
    truth, scores, folds = cross_validated(shift=2.0)
    shifted = te.predictions(truth, scores={"m": scores}, folds=folds)
    made = te.auc_over_folds(shifted, method="pooled-bootstrap")
    assert "average over folds rather than pool them" in made.note
    assert made.estimate < te.auc_over_folds(shifted).estimate


def test_b8_accuracy_on_the_most_confident_share() -> None:
    truth = ["a", "a", "b", "b", "a", "b", "a", "b", "b", "a"]
    said = ["a", "a", "b", "b", "b", "b", "a", "a", "b", "b"]
    sure = [0.99, 0.95, 0.9, 0.88, 0.6, 0.8, 0.75, 0.65, 0.7, 0.55]
    curve = te.risk_coverage(truth, sure, predicted=said)
    half = curve.at(coverage=0.5)
    wilson = te.interval(5, 5)
    assert (half.estimate, half.low, half.high) == pytest.approx((1, wilson.low, 1))
    assert curve.at(coverage=0.8).estimate == pytest.approx(7 / 8)
    assert curve.at(coverage=1).estimate == pytest.approx(0.7)
    assert "confidence at least 0.800" in half.note


def test_b8_missing_predictions_are_handled_openly() -> None:
    truth, said = ["a", "b", "b", "a"], ["a", "b", None, "a"]
    sure = [0.9, 0.8, math.nan, 0.6]
    with pytest.raises(ValueError, match=r"NaN at row 3.*missing="):
        te.risk_coverage(truth, sure, predicted=said)
    counted = te.risk_coverage(truth, sure, predicted=said, missing="wrong")
    assert counted.at(coverage=1).estimate == 0.75
    assert counted.at(coverage=0.75).estimate == 1
    left = te.risk_coverage(truth, sure, predicted=said, missing="drop")
    assert left.at(coverage=1).estimate == 1
    assert counted.absent == left.absent == 1
    assert "counted as wrong" in str(counted)
    assert "left out" in str(left)
