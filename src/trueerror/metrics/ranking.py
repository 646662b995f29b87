"""Areas: how well scores order the rows, for two classes from the score table, for more from the rows' scores."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Codes
from trueerror.inputs._options import check_word
from trueerror.metrics._registry import measure, ratio
from trueerror.tallies._confusion import Amount
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Masses = tuple[Amount, Amount] | None
ONE_CLASS = "all rows are of one class"


@measure("auc", needs="scores", best=1.0, situation="auc", title="AUC",
         aliases=("roc_auc", "auroc", "auc_roc", "c_statistic", "c_index"), undefined=ONE_CLASS,
         prior_free="always", area=1.0, by_rank=True)  # fmt: skip
def auc(t: ScoreTable, masses: Masses = None) -> Amount:
    """Probability that a positive scores above a negative, ties counting half: (S₊ − P(P + 1)/2) / (P·N).

    The rank sum of Wilcoxon, Mann and Whitney; the area by trapezoids is the same number (Bamber 1975).

    >>> auc(ScoreTable.count([1, 1, 0, 0], [0.9, 0.4, 0.4, 0.1]))
    0.875
    """
    if masses is None and t.many:
        return ratio(t.ordered_pairs(), 2.0 * float(t.n_positive) * float(t.n_negative))
    up, down = (t.positives, t.negatives) if masses is None else masses
    rows_up, rows_down = up.sum(axis=-1), down.sum(axis=-1)
    if up.dtype.kind == "i" and float(np.max(rows_up, initial=0)) * float(np.max(rows_down, initial=0)) >= 2.0**61:
        up = up.astype(np.float64)  # 64-bit integers would overflow
    # Doubled, so that counts stay whole: one division at the end, the same on every machine.
    twice = (up * (2 * np.cumsum(down, axis=-1) - down)).sum(axis=-1)
    return ratio(twice, 2.0 * rows_up * rows_down)


@measure("gini", title="Gini coefficient", needs="scores", best=1.0, range=(-1.0, 1.0), situation="auc",
         aliases=("somers_d",), undefined=ONE_CLASS, prior_free="always", area=2.0, by_rank=True)  # fmt: skip
def gini(t: ScoreTable, masses: Masses = None) -> Amount:
    """2·AUC − 1: the share of ordered pairs that are right less the share that are wrong (Somers' D)."""
    return 2 * auc(t, masses) - 1


@measure("average_precision", needs="scores", best=1.0, situation="average-precision",
         aliases=("ap", "pr_auc", "auc_pr", "auprc", "aucpr", "prauc"),
         undefined="there are no positive rows", by_rank=True)  # fmt: skip
def average_precision(t: ScoreTable, masses: Masses = None) -> Amount:
    """Mean precision at the positives: Σ (R_i − R_{i−1})·P_i over the distinct scores, highest first.

    >>> average_precision(ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7]))
    0.8333333333333333
    """
    up, down = (t.positives, t.negatives) if masses is None else masses
    up = 1.0 * up[..., ::-1]
    found = np.cumsum(up, axis=-1)
    called = found + np.cumsum(down[..., ::-1], axis=-1)
    precision = found / np.where(called == 0, 1, called)
    return ratio((up * precision).sum(axis=-1), up.sum(axis=-1))


def pairwise_auc(codes: Codes, scores: NDArray[Any]) -> Floats:
    """A(i | j) for all pairs: how often a row of class i has a higher i-score than a row of class j; diagonal NaN."""
    k = scores.shape[1]
    sizes = np.bincount(codes, minlength=k).astype(np.float64)
    area = np.full((k, k), np.nan)
    for i in range(k):
        own = np.sort(scores[codes == i, i])
        if len(own) == 0:
            continue
        # For every row, twice the number of rows of class i that score below it, ties counting half.
        below = np.searchsorted(own, scores[:, i], side="left") + np.searchsorted(own, scores[:, i], side="right")
        lost = np.bincount(codes, weights=below, minlength=k)
        area[i] = 1 - ratio(lost, 2 * len(own) * sizes)
        area[i, i] = np.nan
    return area


@measure("hand_till_auc", needs="class_scores", best=1.0, situation="class-areas", title="Hand and Till's AUC",
         aliases=("auc_ovo", "ovo_auc", "roc_auc_ovo"),
         undefined="a class has no rows", prior_free="always", by_pairs=True)  # fmt: skip
def hand_till_auc(codes: Codes, scores: NDArray[Any], shares: Floats | None = None) -> float:
    """Mean over all pairs of classes of (A(i | j) + A(j | i)) / 2 (Hand and Till 2001); class sizes do not matter.

    >>> hand_till_auc(np.array([0, 1, 2]), np.eye(3))
    1.0
    """
    k = scores.shape[1]
    if k < 2:
        return float("nan")
    area = pairwise_auc(codes, scores)
    return float(area[~np.eye(k, dtype=bool)].mean())


@measure("ovr_auc", needs="class_scores", best=1.0, situation="class-areas", title="one-vs-rest AUC",
         aliases=("auc_ovr", "roc_auc_ovr"),
         options=("average",), undefined="a class has no rows")  # fmt: skip
def ovr_auc(
    codes: Codes, scores: NDArray[Any], shares: Floats | None = None, *,
    average: Literal["macro", "weighted"] = "macro",
) -> float:  # fmt: skip
    """Mean over the classes of the AUC of each class against the rest.

    "macro" weighs all classes alike, "weighted" by their shares of the rows (Provost and Domingos 2000).

    >>> ovr_auc(np.array([0, 1, 2]), np.eye(3), average="weighted")
    1.0
    """
    check_word(average, ("macro", "weighted"), "average")
    k = scores.shape[1]
    if k < 2:
        return float("nan")
    mass = np.bincount(codes, minlength=k).astype(np.float64) if shares is None else shares
    area = pairwise_auc(codes, scores)
    np.fill_diagonal(area, 0.0)
    # A row of class i meets the rest class by class, so its area is the mean of the pairs', weighted by class size.
    each = ratio((area * mass).sum(axis=1), mass.sum() - mass)
    weights = np.ones(k) if average == "macro" else mass
    return float(ratio((each * weights).sum(), weights.sum()))
