"""Metrics of scores: losses of probabilities, calibration, ranking, and what binned scores leave open of them."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats, Scores
from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError, check_word
from trueerror.kernels import chosen
from trueerror.metrics._registry import Masses, Measure, MetricOptions, Prior, measure, ratio, score_share, value
from trueerror.tallies._confusion import Amount
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Binning = Literal["width", "mass"]
# (weighted) rows of either class at each score.
Rows = tuple[Floats, Floats]
NO_ROWS = "there are no rows"
# Of several classes programs differ by a factor of two or more.
BRIER_SCALES = {
    "half": 'on the scale 0 to 1, half of scikit-learn\'s; scale="sum" gives that',
    "sum": "on the scale 0 to 2, as scikit-learn's",
    "mean": "as the sum of squares over the number of classes",
}


class ScoreInfluences(NamedTuple):
    """How far one more positive, and one more negative, at each distinct score moves a metric.

    Σ over the rows is 0, since a metric does not change when every row is there twice.
    """

    positives: Floats
    negatives: Floats


@measure("log_loss", needs="losses", best=0.0, range=(0.0, np.inf),
         aliases=("cross_entropy", "logloss"), options=("clip", "unit"), undefined=NO_ROWS,
         of_truth=lambda p: np.abs(np.log(p)))  # fmt: skip
def log_loss(
    codes: Codes, probabilities: Scores, *, clip: float = 0.0, unit: Literal["nats", "bits"] = "nats"
) -> Floats:
    """−log of the probability that the true class was given: infinite where a certain forecast is wrong.

    `clip` keeps probabilities within [clip, 1 − clip], as several programs do without saying so (often 1e−15).

    >>> log_loss(np.array([1]), np.array([[0.5, 0.5]]), unit="bits")
    array([1.])
    """
    if not 0 <= clip < 0.5:
        raise InputError(f"clip={clip!r} must be at least 0 and below 0.5, such as 1e-15")
    check_word(unit, ("nats", "bits"), "unit")
    if probabilities.shape[1] == 2:
        given, _ = _of_truth_and_other(codes, probabilities)
    else:
        given = np.take_along_axis(probabilities, codes[:, None].astype(np.intp), axis=1)[:, 0].astype(np.float64)
    if clip:
        given = np.clip(given, clip, 1 - clip)
    with np.errstate(divide="ignore"):
        loss = np.abs(np.log(given))  # of a number in [0, 1]; −log 1 would be −0.0
    return loss / math.log(2) if unit == "bits" else loss


@measure("brier", needs="losses", best=0.0, title="Brier score",
         aliases=("brier_score", "brier_score_loss"), options=("scale",), undefined=NO_ROWS,
         range_for=lambda scale="half": (0.0, 1.0 if scale == "half" else 2.0),
         scale_words=lambda classes, scale="half": "" if classes < 3 else BRIER_SCALES[scale],
         of_truth=lambda p: (1 - p) ** 2)  # fmt: skip
def brier(
    codes: Codes, probabilities: Scores, *, scale: Literal["half", "sum", "mean"] = "half"
) -> Floats:  # fmt: skip
    """Squared distance of the probabilities from what happened (Brier 1950).

    "half" is ½ Σ_k (p_k − y_k)², which lies in [0, 1] and for two classes is the usual (p − y)². "sum" is Brier's own
    form without the half, "mean" divides the sum by the number of classes.

    >>> brier(np.array([1]), np.array([[0.3, 0.7]])).round(3)
    array([0.09])
    """
    check_word(scale, ("half", "sum", "mean"), "scale")
    classes = probabilities.shape[1]
    if classes == 2:
        gap, other = _of_truth_and_other(codes, probabilities)
        gap = gap - 1
        total = gap * gap + other * other
    else:
        gap = np.array(probabilities, dtype=np.float64)
        gap[np.arange(len(gap)), codes] -= 1
        # As a sum of products, since NumPy's sums over a short last axis are ten times slower.
        total = np.einsum("ij,ij->i", gap, gap)
    return np.asarray(total / {"half": 2, "sum": 1, "mean": max(classes, 1)}[scale])


def _of_truth_and_other(codes: Codes, probabilities: Scores) -> tuple[Floats, Floats]:
    """Of two classes the probability of the true one and that of the other; picking columns by row takes longer."""
    second = codes == 1
    first_column, second_column = probabilities[:, 0].astype(np.float64), probabilities[:, 1].astype(np.float64)
    return np.where(second, second_column, first_column), np.where(second, first_column, second_column)


@measure("ranked_probability_score", needs="losses", best=0.0, aliases=("rps",),
         ordinal=True, undefined=NO_ROWS)  # fmt: skip
def ranked_probability_score(codes: Codes, probabilities: Scores) -> Floats:
    """For ordered classes: mean over the K − 1 cuts of (P(at or below) − whether it is)² (Epstein 1969).

    The classes' order is the label order. With two classes it is the Brier score.
    """
    k = probabilities.shape[1]
    below = np.cumsum(probabilities, axis=1, dtype=np.float64)[:, :-1] - (codes[:, None] <= np.arange(k - 1))
    return np.asarray((below * below).sum(axis=1) / max(k - 1, 1))


@measure("top_k_accuracy", needs="losses", best=1.0, title="top-k accuracy",
         aliases=("top_k", "topk_accuracy", "top_k_categorical_accuracy"), options=("k",), undefined=NO_ROWS,
         row_hits=True)  # fmt: skip
def top_k_accuracy(codes: Codes, scores: Scores, *, k: int = 2) -> Floats:
    """Share of the rows whose class is among the k with the highest scores; k = 2 unless told, 1 is accuracy.

    1 of a row where fewer than k classes stand before its own: those with a higher score, and, as in scikit-learn's
    top_k_accuracy_score, those with the same score that come later in label order. With k classes or fewer it is 1.

    >>> top_k_accuracy(np.array([0, 0]), np.array([[0.3, 0.5, 0.2], [0.2, 0.5, 0.3]]))
    array([1., 0.])
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k={k!r} must be a whole number of at least 1, such as 5")
    true_scores = np.take_along_axis(scores, codes[:, None].astype(np.intp), axis=1)
    later = np.arange(scores.shape[1]) > codes[:, None]
    before = (scores > true_scores) | ((scores == true_scores) & later)
    return np.asarray(before.sum(axis=1) < k, dtype=np.float64)


@measure("mean_score", needs="grades", best=1.0, aliases=("mean_grade",), options=("scale",),
         undefined=NO_ROWS, range_for=lambda scale=None: (0.0, 1.0) if scale is None else scale)  # fmt: skip
def mean_score(codes: Codes, grades: Scores, *, scale: tuple[float, float] | None = None) -> Floats:
    """Mean of the grades that rows carry, from 0 to 1 or on the scale of te.graded; never rounded to right or wrong.

    >>> mean_score(np.array([0, 0]), np.array([[0.25], [1.0]]))
    array([0.25, 1.  ])
    """
    return np.take_along_axis(np.asarray(grades, dtype=np.float64), codes[:, None].astype(np.intp), axis=1)[:, 0]


def _brier_skill_slopes(t: ScoreTable, rows: Rows) -> ScoreInfluences:
    """Those of 1 − Σ(s − y)²·n/(PN)."""
    m, n = (float(x.sum()) for x in rows)
    at_positive, at_negative = (1 - t.scores) ** 2, t.scores**2
    scale = -(m + n) / (m * n)
    mean = float((rows[0] * at_positive + rows[1] * at_negative).sum()) * scale
    grows = 1 / (m + n)
    return ScoreInfluences(
        scale * at_positive + mean * (grows - 1 / m), scale * at_negative + mean * (grows - 1 / n)
    )  # fmt: skip


@measure("brier_skill_score", title="Brier skill score", needs="scores", best=1.0, range=(-np.inf, 1.0),
         aliases=("brier_skill", "bss"), probabilities=True, undefined="all rows are of one class",
         gradient=_brier_skill_slopes)  # fmt: skip
def brier_skill_score(t: ScoreTable, masses: Masses = None) -> Amount:
    """1 − Brier score / that of always forecasting the share of positives, q(1 − q)."""
    up, down = (t.positives, t.negatives) if masses is None else masses
    rows_up, rows_down = up.sum(axis=-1), down.sum(axis=-1)
    squares = (up * (1 - t.scores) ** 2 + down * t.scores**2).sum(axis=-1)
    return 1 - ratio(squares * (rows_up + rows_down), 1.0 * rows_up * rows_down)


def _ece_slopes(t: ScoreTable, rows: Rows, *, bins: int = 10, binning: Binning = "width") -> ScoreInfluences:
    """Those of Σ|Σ(y − s)|/n, the bins held where they are; at a kink that of the side with more positives."""
    gaps, sizes = _bin_gaps(t, rows, bins, binning)
    n, sign = sizes.sum(), np.where(gaps < 0, -1.0, 1.0)[bin_places(t.scores, rows[0] + rows[1], bins, binning)]
    value = np.abs(gaps).sum() / n
    return ScoreInfluences((sign * (1 - t.scores) - value) / n, (-sign * t.scores - value) / n)


@measure("ece", needs="scores", best=0.0, title="expected calibration error", aliases=("expected_calibration_error",),
         options=("bins", "binning"), probabilities=True, top_label=True, undefined=NO_ROWS,
         calibration_error=True, gradient=_ece_slopes)  # fmt: skip
def ece(t: ScoreTable, masses: Masses = None, *, bins: int = 10, binning: Binning = "width") -> Amount:
    """Mean over bins, weighted by rows, of |share of positives − mean forecast| (Naeini et al. 2015).

    `binning="width"`: equal bins over [0, 1], closed on the right, 0 in the first; "mass": bins of about as many rows
    each, equal forecasts staying together. With more than two classes: of the called class and its probability. It
    is biased upward: a perfectly calibrated forecaster scores above 0 by chance alone.

    >>> ece(ScoreTable.count([1, 0, 0, 1], [0.85, 0.85, 0.15, 0.15]))
    0.35
    """
    gaps, sizes = _bin_gaps(t, masses, bins, binning)
    return ratio(np.abs(gaps).sum(axis=-1), sizes.sum(axis=-1))


def _mce_slopes(t: ScoreTable, rows: Rows, *, bins: int = 10, binning: Binning = "width") -> ScoreInfluences:
    """Those of |Σ(y − s)|/n in the bin where it is largest; other bins do not move it."""
    gaps, sizes = _bin_gaps(t, rows, bins, binning)
    errors = gaps / np.where(sizes == 0, 1, sizes)
    worst = int(np.argmax(np.abs(errors)))
    inside = np.where(bin_places(t.scores, rows[0] + rows[1], bins, binning) == worst, 1 / sizes[worst], 0.0)
    inside *= -1.0 if gaps[worst] < 0 else 1.0
    return ScoreInfluences(inside * (1 - t.scores - errors[worst]), inside * (-t.scores - errors[worst]))


@measure("mce", needs="scores", best=0.0, title="maximum calibration error", aliases=("maximum_calibration_error",),
         options=("bins", "binning"), probabilities=True, top_label=True, undefined=NO_ROWS,
         calibration_error=True, worst_bin=True, gradient=_mce_slopes)  # fmt: skip
def mce(t: ScoreTable, masses: Masses = None, *, bins: int = 10, binning: Binning = "width") -> Amount:
    """Largest |share of positives − mean forecast| of any bin; bins as in `ece`."""
    gaps, sizes = _bin_gaps(t, masses, bins, binning)
    largest = np.max(np.abs(gaps) / np.where(sizes == 0, 1, sizes), axis=-1)
    return ratio(largest * sizes.sum(axis=-1), sizes.sum(axis=-1))


def _bin_gaps(t: ScoreTable, masses: Masses, bins: int, binning: Binning) -> tuple[Amount, Amount]:
    """For each bin positives − sum of forecasts, and its rows; leading axes of the masses are kept."""
    up, down = (np.asarray(x, dtype=np.float64) for x in ((t.positives, t.negatives) if masses is None else masses))
    mass = up + down
    place = bin_places(t.scores, mass, bins, binning)
    batch = mass.shape[:-1]
    rows = int(np.prod(batch))
    cell = (place.reshape(rows, -1) + bins * np.arange(rows)[:, None]).reshape(-1)

    def summed(values: Floats) -> Amount:
        return np.bincount(cell, weights=values.reshape(-1), minlength=rows * bins).reshape(*batch, bins)

    return summed(up - mass * t.scores), summed(mass)


def check_bins(bins: int, binning: str) -> None:
    """Refuse a number of bins, or a kind of them, that there is not."""
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or not 1 <= bins <= 1_000_000:
        raise InputError(f"bins={bins!r} must be a whole number from 1 up, such as 10")
    check_word(binning, ("width", "mass"), "binning")


def bin_places(scores: Floats, mass: Floats, bins: int, binning: Binning) -> NDArray[np.int64]:
    """The bin of each distinct score, ascending, under masses whose leading axes are kept: equal widths over [0, 1],
    closed on the right, or about equally many rows.

    >>> bin_places(np.array([0.0, 0.7, 0.71]), np.ones(3), 10, "width").tolist()
    [0, 6, 7]
    """
    check_bins(bins, binning)
    if binning == "width":
        # Edges as correctly rounded fractions: 0.7 typed by hand is the edge 7/10 and falls in the bin below it.
        edges = np.arange(1, bins) / bins
        if len(scores) < bins:
            return np.broadcast_to(np.searchsorted(edges, scores, side="left"), mass.shape)
        # Each bin is a stretch of the ascending scores.
        ends = np.concatenate(([0], np.searchsorted(scores, edges, side="right"), [len(scores)]))
        return np.broadcast_to(np.repeat(np.arange(bins, dtype=np.int64), np.diff(ends)), mass.shape)
    middle = np.cumsum(mass, axis=-1) - mass / 2
    total = mass.sum(axis=-1, keepdims=True)
    place: NDArray[np.int64] = np.minimum(middle * bins / np.where(total == 0, 1, total), bins - 1).astype(np.int64)
    return place


ONE_CLASS = "all rows are of one class"


def _auc_slopes(t: ScoreTable, rows: Rows) -> ScoreInfluences:
    """A row's placement in the other class less the area, over the rows of its own class."""
    (up, down), (m, n) = rows, (float(x.sum()) for x in rows)
    beats, beaten = (np.cumsum(down) - down / 2) / n, (m - np.cumsum(up) + up / 2) / m
    area = float((up * beats).sum()) / m
    return ScoreInfluences((beats - area) / m, (beaten - area) / n)


@measure("auc", needs="scores", best=1.0, title="AUC",
         aliases=("roc_auc", "auroc", "auc_roc", "c_statistic", "c_index"), undefined=ONE_CLASS,
         prior_free="always", area=1.0, by_rank=True, gradient=_auc_slopes)  # fmt: skip
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


def _gini_slopes(t: ScoreTable, rows: Rows) -> ScoreInfluences:
    return ScoreInfluences(*(2 * slopes for slopes in _auc_slopes(t, rows)))


@measure("gini", title="Gini coefficient", needs="scores", best=1.0, range=(-1.0, 1.0),
         aliases=("somers_d",), undefined=ONE_CLASS, prior_free="always", area=2.0, by_rank=True,
         gradient=_gini_slopes)  # fmt: skip
def gini(t: ScoreTable, masses: Masses = None) -> Amount:
    """2·AUC − 1: the share of ordered pairs that are right less the share that are wrong (Somers' D)."""
    return 2 * auc(t, masses) - 1


def average_precision_slopes(t: ScoreTable | None, rows: Rows) -> ScoreInfluences:
    """Those of Σ u·F/C over P, with F positives and C rows at or above a score, u positives at it.

    A row of a score adds to F and C of all scores up to its own: a positive gains Σ u·(C − F)/C² there, a negative
    costs Σ u·F/C².
    """
    up, m = rows[0], float(rows[0].sum())
    hits, calls = (np.cumsum(x[::-1])[::-1] for x in rows)
    called = hits + calls
    called[called == 0] = 1
    precision, weight = hits / called, up / called
    lost = np.cumsum(weight * precision)
    return ScoreInfluences((np.cumsum(weight) - lost + precision - float((up * precision).sum()) / m) / m, -lost / m)


def average_precision_left_out(rows: Rows, share: float | None = None) -> ScoreInfluences:
    """AP less that without a positive, and without a negative, at each score, times (n − 1)/n.

    A row takes itself out of F and C at all scores up to its own; with `share` the other rows of its class then weigh
    more, so that the class keeps its part, and n counts the rows of the class.
    """
    up, down = rows
    m, n = float(up.sum()), float(down.sum())
    weights = (1.0, 1.0) if share is None else (share * (m + n) / m, (1 - share) * (m + n) / n)
    more = (1.0, 1.0) if share is None else (m / max(m - 1, 1.0), n / max(n - 1, 1.0))
    sizes = (m + n, m + n) if share is None else (m, n)
    hits, calls = (w * np.cumsum(x[::-1])[::-1] for w, x in zip(weights, rows, strict=True))

    def precision(f: Floats, d: Floats) -> Floats:
        called = f + d
        return np.divide(f, called, out=np.zeros_like(called), where=called > 0)

    def without(kept: Floats, less: Floats, rest: float) -> Floats:
        """The mean over positives, of those above each score as they were and of those up to it with one row less."""
        whole = up * kept
        return np.asarray((float(whole.sum()) - np.cumsum(whole) + np.cumsum(up * less)) / max(rest, 1.0))

    value = float((up * precision(hits, calls)).sum()) / m
    fewer = precision(more[0] * (hits - weights[0]), calls)
    without_positive = without(precision(more[0] * hits, calls), fewer, m - 1) - fewer / max(m - 1, 1.0)
    less = precision(hits, more[1] * np.maximum(calls - weights[1], 0.0))
    without_negative = without(precision(hits, more[1] * calls), less, m)
    return ScoreInfluences(*(
        np.where(x > 0, (size - 1) / size * (value - rest), 0.0)
        for x, size, rest in zip(rows, sizes, (without_positive, without_negative), strict=True)
    ))  # fmt: skip


@measure("average_precision", needs="scores", best=1.0,
         aliases=("ap", "pr_auc", "auc_pr", "auprc", "aucpr", "prauc"),
         undefined="there are no positive rows", by_rank=True, gradient=average_precision_slopes,
         left_out=average_precision_left_out)  # fmt: skip
def average_precision(t: ScoreTable, masses: Masses = None) -> Amount:
    """Mean precision at the positives: Σ (R_i − R_{i−1})·P_i over the distinct scores, highest first.

    >>> average_precision(ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7]))
    0.8333333333333333
    """
    if masses is None:
        few = t._at_positives()
        masses = few.positives, few.negatives
    up, down = masses[0][..., ::-1], masses[1]
    hits = np.cumsum(up, axis=-1)
    called = hits + np.cumsum(down[..., ::-1], axis=-1)
    called[called == 0] = 1
    precision = hits / called
    precision *= up
    return ratio(precision.sum(axis=-1), up.sum(axis=-1))


def _against_class(codes: Codes, scores: NDArray[Any], i: int) -> tuple[Any, list[Any], Floats]:
    """Rows of class i by their i-score; how many of them are below each row, and not above; A(i | j) for all j."""
    own = np.flatnonzero(codes == i)
    own = own[np.argsort(scores[own, i], kind="stable")]
    below = [np.searchsorted(scores[own, i], scores[:, i]), np.searchsorted(scores[own, i], scores[:, i], "right")]
    sizes = np.bincount(codes, minlength=scores.shape[1]).astype(np.float64)
    area = 1 - ratio(np.bincount(codes, below[0] + below[1], len(sizes)), 2 * len(own) * sizes)
    area[i] = np.nan
    return own, below, area


def pairwise_auc(codes: Codes, scores: NDArray[Any]) -> Floats:
    """A(i | j) for all pairs: how often a row of class i has a higher i-score than a row of class j; diagonal NaN."""
    area = np.full((scores.shape[1],) * 2, np.nan)
    for i in np.unique(codes).tolist():
        area[i] = _against_class(codes, scores, i)[-1]
    return area


def _placed(scores: NDArray[Any], is_positive: NDArray[np.bool_]) -> Floats:
    """What each row adds to an area: its placement among the other class less the area, over the rows of its class."""
    positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
    others, own = (np.where(is_positive, *sizes) for sizes in ((negatives, positives), (positives, negatives)))
    placed = chosen(len(is_positive)).placements(np.ascontiguousarray(scores), is_positive) / (2.0 * others)
    return np.asarray((placed - placed[is_positive].mean()) / own)


def _hand_till_slopes(codes: Codes, scores: NDArray[Any]) -> Floats:
    """A row's placements, averaged over the areas that it takes part in."""
    k = scores.shape[1]
    share = 1 / np.bincount(codes, minlength=k)[codes]
    total = np.zeros(len(codes))
    for i in range(k):
        (own, below, area), others = _against_class(codes, scores, i), codes != i
        above = 1 - (below[0] + below[1]) / (2 * len(own))
        total += np.where(others, (above - area[codes]) * share, 0.0)
        # Of each other class, the share that a row of class i beats; all in one sum.
        beaten = sum(np.bincount(side[others], share[others] / 2, len(own) + 1) for side in below)
        total[own] += (np.cumsum(beaten)[:-1] - np.nansum(area)) / len(own)
    return np.asarray(total / (k * (k - 1)))


@measure("hand_till_auc", needs="class_scores", best=1.0, title="Hand and Till's AUC",
         aliases=("auc_ovo", "ovo_auc", "roc_auc_ovo"),
         undefined="a class has no rows", prior_free="always", gradient=_hand_till_slopes)  # fmt: skip
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


def _ovr_slopes(codes: Codes, scores: NDArray[Any], *, average: Literal["macro", "weighted"] = "macro") -> Floats:
    k = scores.shape[1]
    weights = np.full(k, 1 / k) if average == "macro" else np.bincount(codes, minlength=k) / len(codes)
    return np.asarray(sum(weights[i] * _placed(scores[:, i], codes == i) for i in range(k)))


@measure("ovr_auc", needs="class_scores", best=1.0, title="one-vs-rest AUC",
         aliases=("auc_ovr", "roc_auc_ovr"),
         options=("average",), undefined="a class has no rows", gradient=_ovr_slopes)  # fmt: skip
def ovr_auc(
    codes: Codes, scores: NDArray[Any], shares: Floats | None = None, *, average: Literal["macro", "weighted"] = "macro"
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


# The area is known as well as this where the budget allows; where it is not, the note says how to get there.
TARGET = 2e-4
NO_BOUND = "binned scores: no bound is known for this metric; a larger memory budget (budget=) makes it exact"


def metric_bounds(
    measure: Measure, table: ScoreTable, *, options: MetricOptions | None = None, prior: Prior | None = None
) -> Bounds | None:
    """Between which values the exact metric lies; None where that is not known.

    Losses of probabilities fall as positives rise and negatives fall, so they have their bounds in the tables with
    every row at one end of its bin.
    """
    if measure.area:
        return Bounds(*(measure.area * (end - 1) + 1 for end in table.bounds.auc()))
    if measure.by_rank:
        return table.bounds.average_precision(None if prior is None else score_share(prior, table))
    if measure.needs == "losses" or measure.name == "brier_skill_score":
        if table.scores[0] < 0 or table.bounds.uppers[-1] > 1:
            return None
        return table.bounds.of(lambda t: value(measure, t, prior=prior, **(options or {})))
    return None


def bound_words(bounds: Bounds, what: str = "value", allowed: bool = True) -> str:
    """Where the exact value lies, and what narrows it, in words."""
    low, high = bounds
    digits = max(4, math.ceil(-math.log10(max(high - low, 1e-12))) + 1) if math.isfinite(high - low) else 4
    words = f"binned scores: the exact {what} lies in [{low:.{digits}f}, {high:.{digits}f}]"
    words += ", which the limits allow for" if allowed else ""
    return words + ("; a larger memory budget (budget=) narrows it" if high - low > TARGET else "")


def middled(table: ScoreTable) -> ScoreTable:
    """The table with each bin at its middle, for metrics that read scores as probabilities; the same where exact."""
    if table.exact:
        return table
    uppers = table.bounds.uppers
    if table.scores[0] < 0 or uppers[-1] > 1:
        return table
    return with_scores(table, table.scores / 2 + uppers / 2)


def with_scores(table: ScoreTable, scores: Floats) -> ScoreTable:
    """The same bins, each read at another score."""
    return ScoreTable(
        scores, table.positives, table.negatives, positive=table.positive, exact=False, squares=table.squares,
        sources=table.sources, uppers=table.bounds.uppers,
    )  # fmt: skip
