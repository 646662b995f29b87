"""Metrics of one class against the rest, from its four counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import measure, odds, ratio
from trueerror.tallies.counts import BinaryCounts

NO_POSITIVES = "there are no positive rows"
NO_NEGATIVES = "there are no negative rows"
NO_CALLS = "no row was predicted positive"
NO_REJECTIONS = "no row was predicted negative"


@measure(
    "precision", best=1.0, situation="proportion", aliases=("ppv", "positive_predictive_value"),
    share=lambda t: (t.tp, t.tp + t.fp), undefined=NO_CALLS,
)  # fmt: skip
def precision(t: BinaryCounts) -> Any:
    """Share of the rows called positive that are: TP / (TP + FP)."""
    return ratio(t.tp, t.tp + t.fp)


@measure(
    "recall", best=1.0, situation="proportion", aliases=("tpr", "sensitivity", "true_positive_rate"),
    share=lambda t: (t.tp, t.tp + t.fn), undefined=NO_POSITIVES,
)  # fmt: skip
def recall(t: BinaryCounts) -> Any:
    """Share of the positives that were found: TP / (TP + FN)."""
    return ratio(t.tp, t.tp + t.fn)


@measure(
    "specificity", best=1.0, situation="proportion", aliases=("tnr", "true_negative_rate"),
    share=lambda t: (t.tn, t.tn + t.fp), undefined=NO_NEGATIVES,
)  # fmt: skip
def specificity(t: BinaryCounts) -> Any:
    """Share of the negatives that were left alone: TN / (TN + FP)."""
    return ratio(t.tn, t.tn + t.fp)


@measure(
    "fpr", best=0.0, situation="proportion", title="false positive rate", aliases=("false_positive_rate", "fall_out"),
    share=lambda t: (t.fp, t.tn + t.fp), undefined=NO_NEGATIVES,
)  # fmt: skip
def fpr(t: BinaryCounts) -> Any:
    """Share of the negatives that were called positive: FP / (FP + TN)."""
    return ratio(t.fp, t.tn + t.fp)


@measure(
    "fnr", best=0.0, situation="proportion", title="false negative rate", aliases=("false_negative_rate", "miss_rate"),
    share=lambda t: (t.fn, t.tp + t.fn), undefined=NO_POSITIVES,
)  # fmt: skip
def fnr(t: BinaryCounts) -> Any:
    """Share of the positives that were missed: FN / (FN + TP)."""
    return ratio(t.fn, t.tp + t.fn)


@measure(
    "npv", best=1.0, situation="proportion", title="negative predictive value",
    aliases=("negative_predictive_value",), share=lambda t: (t.tn, t.tn + t.fn), undefined=NO_REJECTIONS,
)  # fmt: skip
def npv(t: BinaryCounts) -> Any:
    """Share of the rows called negative that are: TN / (TN + FN)."""
    return ratio(t.tn, t.tn + t.fn)


@measure(
    "prevalence", best=None, situation="proportion", share=lambda t: (t.tp + t.fn, t.total),
    undefined="there are no rows",
)  # fmt: skip
def prevalence(t: BinaryCounts) -> Any:
    """Share of the rows that are positive: (TP + FN) / n."""
    return ratio(t.tp + t.fn, t.total)


@measure(
    "detection_rate", best=None, situation="proportion", share=lambda t: (t.tp, t.total),
    undefined="there are no rows",
)  # fmt: skip
def detection_rate(t: BinaryCounts) -> Any:
    """Share of all rows that are positive and were called so: TP / n."""
    return ratio(t.tp, t.total)


@measure(
    "detection_prevalence", best=None, situation="proportion", aliases=("predicted_prevalence",),
    share=lambda t: (t.tp + t.fp, t.total), undefined="there are no rows",
)  # fmt: skip
def detection_prevalence(t: BinaryCounts) -> Any:
    """Share of all rows that were called positive: (TP + FP) / n."""
    return ratio(t.tp + t.fp, t.total)


@measure("f1", best=1.0, situation="f1", title="F1", aliases=("f_1", "f1_score"),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def f1(t: BinaryCounts) -> Any:
    """Harmonic mean of precision and recall: 2TP / (2TP + FP + FN)."""
    return ratio(2 * t.tp, 2 * t.tp + t.fp + t.fn)


@measure("f_beta", best=1.0, situation="f1", title="F-beta", aliases=("fbeta",), options=("beta",),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def f_beta(t: BinaryCounts, beta: float = 1.0) -> Any:
    """F with recall worth beta times precision: (1 + β²)TP / ((1 + β²)TP + β²FN + FP) (van Rijsbergen 1979)."""
    if not 0 <= beta < np.inf:
        raise InputError(f"beta={beta!r} must be a number from 0 up; 1 gives F1, 2 makes recall count more")
    weight = beta * beta
    return ratio((1 + weight) * t.tp, (1 + weight) * t.tp + weight * t.fn + t.fp)


@measure("jaccard", title="Jaccard index", best=1.0, situation="proportion", aliases=("iou", "critical_success_index"),
         share=lambda t: (t.tp, t.tp + t.fp + t.fn),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def jaccard(t: BinaryCounts) -> Any:
    """Overlap of called and true positives: TP / (TP + FP + FN)."""
    return ratio(t.tp, t.tp + t.fp + t.fn)


@measure("informedness", best=1.0, range=(-1.0, 1.0), situation="mean-of-recalls", aliases=("youden", "youden_j"),
         undefined="a class has no rows")  # fmt: skip
def informedness(t: BinaryCounts) -> Any:
    """Youden's J: recall + specificity − 1."""
    return recall(t) + specificity(t) - 1


@measure("markedness", best=1.0, range=(-1.0, 1.0), situation="mean-of-recalls",
         undefined="a class was never predicted")  # fmt: skip
def markedness(t: BinaryCounts) -> Any:
    """Precision + negative predictive value − 1."""
    return precision(t) + npv(t) - 1


@measure("fowlkes_mallows", best=1.0, situation="f1", title="Fowlkes–Mallows",
         undefined="no row is positive, or none was predicted positive")  # fmt: skip
def fowlkes_mallows(t: BinaryCounts) -> Any:
    """Geometric mean of precision and recall."""
    return np.sqrt(precision(t) * recall(t))


@measure("lr_plus", best=np.inf, range=(0.0, np.inf), situation="ratio", title="positive likelihood ratio",
         aliases=("positive_likelihood_ratio",),
         undefined="a class has no rows, or no row was predicted positive")  # fmt: skip
def lr_plus(t: BinaryCounts) -> Any:
    """How much more often positives are called positive than negatives are: recall / FPR.

    Infinite where positives but no negatives were called positive.
    """
    return odds(recall(t), fpr(t))


@measure("lr_minus", best=0.0, range=(0.0, np.inf), situation="ratio", title="negative likelihood ratio",
         aliases=("negative_likelihood_ratio",),
         undefined="a class has no rows, or no row was predicted negative")  # fmt: skip
def lr_minus(t: BinaryCounts) -> Any:
    """How much more often positives are missed than negatives are left alone: FNR / specificity.

    Infinite where positives were missed but no negative was left alone.
    """
    return odds(fnr(t), specificity(t))


@measure("diagnostic_odds_ratio", best=np.inf, range=(0.0, np.inf), situation="ratio", aliases=("dor",),
         undefined="a class has no rows, or was never predicted")  # fmt: skip
def diagnostic_odds_ratio(t: BinaryCounts) -> Any:
    """Odds of a call among positives against negatives: TP·TN / (FP·FN).

    Infinite where one kind of error never occurs and both classes were found at times.
    """
    return odds(t.tp * t.tn, t.fp * t.fn)


@measure("weighted_accuracy", best=1.0, situation="smooth-share", options=("weights",), undefined="nothing has weight")
def weighted_accuracy(t: BinaryCounts, weights: tuple[float, float, float, float] = (1, 1, 1, 1)) -> Any:
    """(w1·TP + w4·TN) / (w1·TP + w2·FN + w3·FP + w4·TN).

    Precision is (1, 0, 1, 0), recall (1, 1, 0, 0), F1 (2, 1, 1, 0), accuracy (1, 1, 1, 1).
    """
    w1, w2, w3, w4 = _four_weights(weights)
    return ratio(w1 * t.tp + w4 * t.tn, w1 * t.tp + w2 * t.fn + w3 * t.fp + w4 * t.tn)


def _four_weights(weights: Any) -> list[float]:
    try:
        four = [float(w) for w in weights]
    except (TypeError, ValueError):
        four = []
    if len(four) != 4 or not all(np.isfinite(w) and w >= 0 for w in four) or not any(four):
        raise InputError(
            f"weights={weights!r:.60} must be four numbers from 0 up, for TP, FN, FP and TN, and not all 0"
        )
    return four
