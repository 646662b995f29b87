"""Metrics of a confusion matrix: of one class against the rest (its four counts), of all classes at once (hits and
margins), and of every cell by itself (Cohen's kappa, costs), with the derivatives that are written out.

Formulas of cells take a table and, in place of its own counts, `masses` (…, cells): bootstrap replicates, other priors,
complex numbers for derivatives. They never build a K × K table of their own, so many classes are no trouble.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from trueerror.inputs._arrays import Floats
from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._options import InputError, check_word
from trueerror.metrics._registry import MarginGradients, classes_in_play, measure, odds, ratio
from trueerror.tallies._confusion import Amount, BinaryCounts, ClassCounts, Confusion

NO_POSITIVES = "there are no positive rows"
NO_NEGATIVES = "there are no negative rows"
NO_CALLS = "no row was predicted positive"
NO_REJECTIONS = "no row was predicted negative"


@measure(
    "precision", best=1.0, aliases=("ppv", "positive_predictive_value"),
    share=lambda t: (t.tp, t.tp + t.fp), undefined=NO_CALLS, takahashi=("macro",),
)  # fmt: skip
def precision(t: BinaryCounts) -> Amount:
    """Share of the rows predicted positive that are: TP / (TP + FP)."""
    return ratio(t.tp, t.tp + t.fp)


@measure(
    "recall", best=1.0, aliases=("tpr", "sensitivity", "true_positive_rate"),
    share=lambda t: (t.tp, t.tp + t.fn), undefined=NO_POSITIVES, prior_free="always", within_class=True,
    takahashi=("macro",),
)  # fmt: skip
def recall(t: BinaryCounts) -> Amount:
    """Share of the positives that were found: TP / (TP + FN)."""
    return ratio(t.tp, t.tp + t.fn)


@measure(
    "specificity", best=1.0, aliases=("tnr", "true_negative_rate"),
    share=lambda t: (t.tn, t.tn + t.fp), undefined=NO_NEGATIVES, prior_free="two classes",
)  # fmt: skip
def specificity(t: BinaryCounts) -> Amount:
    """Share of the negatives that were left alone: TN / (TN + FP)."""
    return ratio(t.tn, t.tn + t.fp)


@measure(
    "fpr", best=0.0, title="false positive rate", aliases=("false_positive_rate", "fall_out"),
    share=lambda t: (t.fp, t.tn + t.fp), undefined=NO_NEGATIVES, prior_free="two classes",
)  # fmt: skip
def fpr(t: BinaryCounts) -> Amount:
    """Share of the negatives that were predicted positive: FP / (FP + TN)."""
    return ratio(t.fp, t.tn + t.fp)


@measure(
    "fnr", best=0.0, title="false negative rate", aliases=("false_negative_rate", "miss_rate"),
    share=lambda t: (t.fn, t.tp + t.fn), undefined=NO_POSITIVES, prior_free="always", within_class=True,
)  # fmt: skip
def fnr(t: BinaryCounts) -> Amount:
    """Share of the positives that were missed: FN / (FN + TP)."""
    return ratio(t.fn, t.tp + t.fn)


@measure(
    "npv", best=1.0, title="negative predictive value",
    aliases=("negative_predictive_value",), share=lambda t: (t.tn, t.tn + t.fn), undefined=NO_REJECTIONS,
)  # fmt: skip
def npv(t: BinaryCounts) -> Amount:
    """Share of the rows called negative that are: TN / (TN + FN)."""
    return ratio(t.tn, t.tn + t.fn)


@measure(
    "prevalence", best=None, share=lambda t: (t.tp + t.fn, t.total),
    undefined="there are no rows", given_by_prior=True,
)  # fmt: skip
def prevalence(t: BinaryCounts) -> Amount:
    """Share of the rows that are positive: (TP + FN) / n."""
    return ratio(t.tp + t.fn, t.total)


@measure(
    "detection_rate", best=None, share=lambda t: (t.tp, t.total),
    undefined="there are no rows",
)  # fmt: skip
def detection_rate(t: BinaryCounts) -> Amount:
    """Share of all rows that are positive and were called so: TP / n."""
    return ratio(t.tp, t.total)


@measure(
    "detection_prevalence", best=None, aliases=("predicted_prevalence", "selection_rate"),
    share=lambda t: (t.tp + t.fp, t.total), undefined="there are no rows",
)  # fmt: skip
def detection_prevalence(t: BinaryCounts) -> Amount:
    """Share of all rows that were predicted positive: (TP + FP) / n."""
    return ratio(t.tp + t.fp, t.total)


@measure("f1", best=1.0, title="F1", aliases=("f_1", "f1_score", "f_measure"), rows_in_play=True,
         takahashi=("macro", "micro"),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def f1(t: BinaryCounts) -> Amount:
    """Harmonic mean of precision and recall: 2TP / (2TP + FP + FN)."""
    return ratio(2 * t.tp, 2 * t.tp + t.fp + t.fn)


@measure("f_beta", best=1.0, title="F-beta", aliases=("fbeta",), options=("beta",),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def f_beta(t: BinaryCounts, beta: float = 1.0) -> Amount:
    """F with recall worth beta times precision: (1 + β²)TP / ((1 + β²)TP + β²FN + FP) (van Rijsbergen 1979)."""
    if not 0 <= beta < np.inf:
        raise InputError(f"beta={beta!r} must be a number from 0 up; 1 gives F1, 2 makes recall count more")
    weight = beta * beta
    return ratio((1 + weight) * t.tp, (1 + weight) * t.tp + weight * t.fn + t.fp)


@measure("jaccard", title="Jaccard index", best=1.0, aliases=("iou", "critical_success_index"),
         share=lambda t: (t.tp, t.tp + t.fp + t.fn),
         undefined="no row is positive and none was predicted positive")  # fmt: skip
def jaccard(t: BinaryCounts) -> Amount:
    """Overlap of called and true positives: TP / (TP + FP + FN)."""
    return ratio(t.tp, t.tp + t.fp + t.fn)


@measure("informedness", best=1.0, range=(-1.0, 1.0), aliases=("youden", "youden_j"),
         undefined="a class has no rows", prior_free="two classes", sum_of=("recall", "specificity"))  # fmt: skip
def informedness(t: BinaryCounts) -> Amount:
    """Youden's J: recall + specificity − 1."""
    return recall(t) + specificity(t) - 1


@measure("markedness", best=1.0, range=(-1.0, 1.0),
         undefined="a class was never predicted", sum_of=("precision", "npv"))  # fmt: skip
def markedness(t: BinaryCounts) -> Amount:
    """Precision + negative predictive value − 1."""
    return precision(t) + npv(t) - 1


@measure("fowlkes_mallows", best=1.0, title="Fowlkes–Mallows",
         undefined="no row is positive, or none was predicted positive")  # fmt: skip
def fowlkes_mallows(t: BinaryCounts) -> Amount:
    """Geometric mean of precision and recall."""
    return np.sqrt(precision(t) * recall(t))


@measure("lr_plus", best=np.inf, range=(0.0, np.inf), title="positive likelihood ratio",
         aliases=("positive_likelihood_ratio", "lr+"),
         undefined="a class has no rows, or no row was predicted positive", prior_free="two classes")  # fmt: skip
def lr_plus(t: BinaryCounts) -> Amount:
    """How much more often positives are predicted positive than negatives are: recall / FPR.

    Infinite where positives but no negatives were predicted positive.
    """
    return odds(recall(t), fpr(t))


@measure("lr_minus", best=0.0, range=(0.0, np.inf), title="negative likelihood ratio",
         aliases=("negative_likelihood_ratio", "lr_"),
         undefined="a class has no rows, or no row was predicted negative", prior_free="two classes")  # fmt: skip
def lr_minus(t: BinaryCounts) -> Amount:
    """How much more often positives are missed than negatives are left alone: FNR / specificity.

    Infinite where positives were missed but no negative was left alone.
    """
    return odds(fnr(t), specificity(t))


@measure("diagnostic_odds_ratio", best=np.inf, range=(0.0, np.inf), aliases=("dor",),
         undefined="a class has no rows, or was never predicted", prior_free="two classes")  # fmt: skip
def diagnostic_odds_ratio(t: BinaryCounts) -> Amount:
    """Odds of a call among positives against negatives: TP·TN / (FP·FN).

    Infinite where one kind of error never occurs and both classes were found at times.
    """
    return odds(t.tp * t.tn, t.fp * t.fn)


@measure("weighted_accuracy", best=1.0, options=("weights",), undefined="nothing has weight")
def weighted_accuracy(t: BinaryCounts, weights: tuple[float, float, float, float] = (1, 1, 1, 1)) -> Amount:
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


NO_ROWS = "there are no rows"


def _accuracy_gradient(t: ClassCounts) -> MarginGradients:
    n = np.asarray(t.total, dtype=np.float64)
    zero = np.zeros_like(t.hits)
    return MarginGradients(zero + 1 / n[..., None], zero, zero, -t.hits.sum(axis=-1) / (n * n))


@measure("accuracy", needs="classes", best=1.0, undefined=NO_ROWS,
         aliases=("acc", "subset_accuracy"), multilabel=lambda t: ratio(t.exact, t.n),
         share=lambda t: (t.hits.sum(axis=-1), t.total), right_or_wrong=1, share_of_rows=1,
         gradient=_accuracy_gradient)  # fmt: skip
def accuracy(t: ClassCounts) -> Amount:
    """Share of the rows that were called right; of rows with several labels, those that are all right."""
    return ratio(t.hits.sum(axis=-1), t.total)


def _error_rate_gradient(t: ClassCounts) -> MarginGradients:
    return MarginGradients(*(-np.asarray(g) for g in _accuracy_gradient(t)))


@measure("error_rate", needs="classes", best=0.0, undefined=NO_ROWS,
         aliases=("error", "zero_one_loss"), multilabel=lambda t: ratio(t.n - t.exact, t.n),
         share=lambda t: (t.total - t.hits.sum(axis=-1), t.total), right_or_wrong=-1, share_of_rows=-1,
         gradient=_error_rate_gradient)  # fmt: skip
def error_rate(t: ClassCounts) -> Amount:
    """Share of the rows that were called wrong; of rows with several labels, those that are not all right."""
    return ratio(t.total - t.hits.sum(axis=-1), t.total)


@measure("hamming_loss", needs="classes", best=0.0, undefined=NO_ROWS, title="Hamming loss",
         multilabel=lambda t: ratio((t.fp + t.fn).sum(), t.n * len(t.labels)),
         share=lambda t: (t.total - t.hits.sum(axis=-1), t.total), share_of_rows=-1,
         gradient=_error_rate_gradient)  # fmt: skip
def hamming_loss(t: ClassCounts) -> Amount:
    """Share of wrong label decisions; with one label a row this is the error rate."""
    return ratio(t.total - t.hits.sum(axis=-1), t.total)


def _balanced_accuracy_gradient(t: ClassCounts) -> MarginGradients:
    present = t.truth != 0
    rows = np.where(present, t.truth, 1.0)
    share = present / np.maximum(present.sum(axis=-1), 1)[..., None]
    zero = np.zeros_like(t.hits)
    return MarginGradients(share / rows, -share * t.hits / (rows * rows), zero, np.zeros(t.hits.shape[:-1]))


@measure("balanced_accuracy", needs="classes", best=1.0,
         undefined=NO_ROWS, prior_free="always",
         gradient=_balanced_accuracy_gradient)  # fmt: skip
def balanced_accuracy(t: ClassCounts) -> Amount:
    """Mean recall over the classes that have rows."""
    recalls = ratio(t.hits, t.truth)
    present = t.truth != 0
    return ratio(np.where(present, recalls, 0).sum(axis=-1), present.sum(axis=-1))


def _g_mean_gradient(t: ClassCounts) -> MarginGradients:
    in_play = classes_in_play(t)
    share = in_play / np.maximum(in_play.sum(axis=-1), 1)[..., None]
    value = np.asarray(g_mean(t))[..., None]
    hits = np.where(in_play, value * share / np.where(in_play, t.hits, 1.0), 0.0)
    truth = np.where(in_play, -value * share / np.where(in_play, t.truth, 1.0), 0.0)
    return MarginGradients(hits, truth, np.zeros_like(t.hits), np.zeros(t.hits.shape[:-1]))


@measure("g_mean", needs="classes", best=1.0, title="G-mean",
         undefined="a class was predicted but has no rows", prior_free="always",
         gradient=_g_mean_gradient)  # fmt: skip
def g_mean(t: ClassCounts) -> Amount:
    """Geometric mean of the classes' recalls; of two classes √(recall · specificity) (Kubat and Matwin 1997)."""
    in_play = classes_in_play(t)
    recalls = ratio(t.hits, t.truth)
    lost = (in_play & (t.hits == 0) & (t.truth != 0)).any(axis=-1)
    # Logarithms, since a product over many classes would underflow; a class that was never found makes it 0.
    logs = np.log(np.where(in_play & (t.hits != 0), recalls, 1)) + np.where(in_play & (t.truth == 0), np.nan, 0)
    mean = ratio(logs.sum(axis=-1), in_play.sum(axis=-1))
    value = np.where(lost & ~np.isnan(mean), 0, np.exp(mean))
    return value if value.ndim else value.item()


def _mcc_gradient(t: ClassCounts) -> MarginGradients:
    n = np.asarray(t.total, dtype=np.float64)[..., None]
    none = n - t.predicted.sum(axis=-1, keepdims=True)
    called = (t.predicted * (n - t.predicted)).sum(axis=-1, keepdims=True) + none * (n - none)
    truth = (t.truth * (n - t.truth)).sum(axis=-1, keepdims=True)
    hits = t.hits.sum(axis=-1, keepdims=True)
    scale = np.sqrt(called) * np.sqrt(truth)
    with np.errstate(invalid="ignore", divide="ignore"):
        m = (hits * n - (t.truth * t.predicted).sum(axis=-1, keepdims=True)) / scale
        by_total = hits / scale - m / 2 * (2 * (n - none) / called + n / truth)
        return MarginGradients(
            np.zeros_like(t.hits) + n / scale,
            -t.predicted / scale - m / 2 * (n - 2 * t.truth) / truth,
            -t.truth / scale - m * (none - t.predicted) / called,
            by_total[..., 0],
        )


@measure("mcc", needs="classes", best=1.0, range=(-1.0, 1.0), title="Matthews correlation",
         aliases=("matthews", "matthews_correlation", "matthews_corrcoef", "phi"),
         undefined="all rows are of one class, or all were predicted as one", chance_corrected=True,
         gradient=_mcc_gradient)  # fmt: skip
def mcc(t: ClassCounts) -> Amount:
    """Matthews correlation, for any number of classes (Gorodkin 2004)."""
    n = np.asarray(t.total)
    none = n - t.predicted.sum(axis=-1)  # rows without a prediction are a class of their own among the calls
    # Σ p(n − p) rather than n² − Σ p²: no digits are lost when one class is rare among a billion rows.
    spread_called = (t.predicted * (n[..., None] - t.predicted)).sum(axis=-1) + none * (n - none)
    spread_truth = (t.truth * (n[..., None] - t.truth)).sum(axis=-1)
    # At a prior that leaves one class alone, rounding leaves dust (of either sign) where a spread is 0.
    spread_called, spread_truth = (
        np.where(np.real(s) > 1e-14 * np.real(n * n), s, 0) for s in (spread_called, spread_truth)
    )
    top = t.hits.sum(axis=-1) * n - (t.truth * t.predicted).sum(axis=-1)
    # One root of the product, so that a perfect table scores 1 to the last bit.
    return ratio(top, np.sqrt(spread_called * spread_truth))


KappaWeights = Literal["linear", "quadratic"] | None


def _kappa_gradient(table: Confusion, masses: Floats, *, weights: str | None = None) -> Floats:
    """κ = 1 − O·N/C with O = Σ w·n and C = ΣΣ w_ij·truth_i·called_j: dκ = −(N·dO + O·dN)/C + (O·N/C²)·dC.

    This is the large-sample error of Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72:323.
    """
    k = len(table.labels)
    t = table.classes(masses)
    n = np.asarray(t.total, dtype=np.float64)[..., None]
    missed = n - t.predicted.sum(axis=-1, keepdims=True)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    farthest = float(max(k - 1, 1) ** power) if power else 1.0
    apart = np.abs(table.row - table.col).astype(np.float64)
    cell = (table.row != table.col).astype(np.float64) if power == 0 else apart**power
    cell = np.where(table.col >= k, farthest, cell)
    # What a row of class i meets among the calls, and what a call j meets among the classes.
    from_truth = _distances(t.predicted, power) + farthest * missed
    from_called = _distances(t.truth, power)
    observed = (masses * cell).sum(axis=-1, keepdims=True)
    chance = (t.truth * from_truth).sum(axis=-1, keepdims=True)
    called = np.minimum(table.col, k - 1)
    slope = from_truth[..., table.row] + np.where(table.col < k, from_called[..., called], farthest * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = -(n * cell + observed) / chance + observed * n / chance**2 * slope
    return out


def _distances(mass: Floats, power: int) -> Floats:
    """Σ_j w_ij·mass_j for each class i, w = [i ≠ j], |i − j| or (i − j)², in one pass over the classes."""
    total: Floats = mass.sum(axis=-1, keepdims=True)
    if power == 0:
        return total - mass
    place = np.arange(mass.shape[-1], dtype=np.float64)
    if power == 1:
        count = np.cumsum(mass, axis=-1)
        moment = np.cumsum(mass * place, axis=-1)
        steps: Floats = place * (2 * count - total) - 2 * moment + moment[..., -1:]
        return steps
    centre = (mass * place).sum(axis=-1, keepdims=True) / np.where(total == 0, 1, total)
    spread = (mass * (place - centre) ** 2).sum(axis=-1, keepdims=True)
    out: Floats = total * (place - centre) ** 2 + spread
    return out


@measure("kappa", needs="cells", best=1.0, range=(-1.0, 1.0), title="Cohen's kappa",
         aliases=("cohen_kappa", "cohens_kappa", "cohen_kappa_score"), options=("weights",),
         undefined="all rows are of one class and were all predicted as it", chance_corrected=True,
         gradient=_kappa_gradient)  # fmt: skip
def kappa(t: Confusion, masses: Floats | None = None, *, weights: KappaWeights = None) -> Amount:
    """Agreement less what chance would give: 1 − observed / expected disagreement (Cohen 1960; weighted: 1968).

    `weights`: None counts every error alike; "linear" and "quadratic" by the distance |i − j| or (i − j)² of the two
    classes in label order. A row without a prediction disagrees with every class as much as the two classes that
    lie farthest apart.

    >>> kappa(Confusion([[85, 15], [10, 90]]))
    0.75
    """
    m = t.masses if masses is None else masses
    margins = t.classes(m)
    k = len(t.labels)
    none = t.col >= k
    if weights is None:
        cell = (t.row != t.col).astype(np.float64)
        chance = (margins.truth * (np.asarray(margins.total)[..., None] - margins.predicted)).sum(axis=-1)
    else:
        check_word(weights, ("linear", "quadratic"), "weights")
        power = 1 if weights == "linear" else 2
        farthest = float(max(k - 1, 1) ** power)
        cell = np.where(none, farthest, np.abs(t.row - t.col).astype(np.float64) ** power)
        apart = _linear_distance if weights == "linear" else _squared_distance
        missed = margins.total - margins.predicted.sum(axis=-1)
        chance = apart(margins) + farthest * missed * margins.total
    return 1 - ratio((m * cell).sum(axis=-1) * margins.total, chance)


def _linear_distance(t: ClassCounts) -> Amount:
    """Σ |i − j| · truth_i · predicted_j: |i − j| counts the steps between, so sum over steps instead of pairs."""
    below_truth = np.cumsum(t.truth, axis=-1)[..., :-1]
    below_called = np.cumsum(t.predicted, axis=-1)[..., :-1]
    rows = np.asarray(t.truth.sum(axis=-1))[..., None]
    calls = np.asarray(t.predicted.sum(axis=-1))[..., None]
    return (below_truth * (calls - below_called) + (rows - below_truth) * below_called).sum(axis=-1)


def _squared_distance(t: ClassCounts) -> Amount:
    """Σ (i − j)² · truth_i · predicted_j, from means and spreads: no digits are lost to large squares."""
    place = np.arange(t.truth.shape[-1], dtype=np.float64)

    def spread(mass: Floats) -> tuple[Amount, Amount, Amount]:
        size = mass.sum(axis=-1)
        mean = (mass * place).sum(axis=-1) / np.where(size == 0, 1, size)
        return size, mean, (mass * (place - np.asarray(mean)[..., None]) ** 2).sum(axis=-1)

    rows, mean_truth, within_truth = spread(t.truth)
    calls, mean_called, within_called = spread(t.predicted)
    return calls * within_truth + rows * within_called + rows * calls * (mean_truth - mean_called) ** 2


def _cost_gradient(table: Confusion, masses: Floats, *, costs: object = None) -> Floats:
    """One more row adds its cost."""
    return np.broadcast_to(cell_costs(table, costs), masses.shape)


@measure("cost", needs="cells", best=0.0, range=(-np.inf, np.inf), title="total cost",
         aliases=("total_cost",), options=("costs",), total_of="expected_cost",
         gradient=_cost_gradient)  # fmt: skip
def total_cost(t: Confusion, masses: Floats | None = None, *, costs: object = None) -> Amount:
    """Sum over the rows of what their calls cost; without `costs` every error costs 1.

    `costs[i][j]` is for truth i called j; see `inputs.costs.cost_matrix` for the other forms.

    >>> total_cost(Confusion([[150, 40], [60, 250]]), costs=[[-1, 100], [1, 0]])
    3910.0
    """
    m = t.masses if masses is None else masses
    total = (m * cell_costs(t, costs)).sum(axis=-1)
    return total if total.ndim else total.item()


def _expected_cost_gradient(table: Confusion, masses: Floats, *, costs: object = None) -> Floats:
    """(cost − mean cost)/n."""
    cost = cell_costs(table, costs)
    n = masses.sum(axis=-1, keepdims=True)
    out: Floats = (cost - (masses * cost).sum(axis=-1, keepdims=True) / n) / n
    return out


@measure("expected_cost", needs="cells", best=0.0, range=(-np.inf, np.inf),
         aliases=("mean_cost",), options=("costs",), undefined="there are no rows",
         gradient=_expected_cost_gradient)  # fmt: skip
def expected_cost(t: Confusion, masses: Floats | None = None, *, costs: object = None) -> Amount:
    """Mean cost of a row; without `costs` every error costs 1, which gives the error rate."""
    m = t.masses if masses is None else masses
    return ratio((m * cell_costs(t, costs)).sum(axis=-1), m.sum(axis=-1))


def _savings_gradient(table: Confusion, masses: Floats, *, costs: object = None) -> Floats:
    """(C·d − D·c)/D²: a row adds c to the cost C and d to the cost D of the cheapest constant call."""
    k, price = len(table.labels), cell_costs(table, costs)
    prices = 1.0 - np.eye(k) if costs is None else cost_matrix(costs, table.labels, table.positive)[:, :k]
    constant = table.classes(masses).truth @ prices
    called = np.argmin(constant, axis=-1)
    cheapest = np.take_along_axis(constant, called[..., None], axis=-1)
    spent = (masses * price).sum(axis=-1, keepdims=True)
    out: Floats = (spent * prices.T[called][..., table.row] - cheapest * price) / cheapest**2
    return out


@measure("savings", needs="cells", best=1.0, range=(-np.inf, 1.0), options=("costs",),
         relative_cost=True, gradient=_savings_gradient,
         title="savings against the best constant call",
         undefined="there are no rows, or giving every row the same class costs nothing, so there is nothing "
                   "to save")  # fmt: skip
def savings(t: Confusion, masses: Floats | None = None, *, costs: object = None) -> Amount:
    """1 − cost / cost of the cheapest constant call: the share of that cost which the classifier saves.

    Undefined where some constant call costs nothing or brings a gain: there is no cost to take a share of.

    >>> savings(Confusion([[90, 5], [2, 3]]), costs={"fp": 1, "fn": 10})
    0.5
    """
    m = t.masses if masses is None else masses
    spent = (m * cell_costs(t, costs)).sum(axis=-1)
    margins = t.classes(m)
    if costs is None:
        constant = np.asarray(margins.total)[..., None] - margins.truth
    else:
        constant = margins.truth @ cost_matrix(costs, t.labels, t.positive)[:, : len(t.labels)]
    if not len(t.labels):
        return ratio(spent, 0 * spent)
    cheapest = np.take_along_axis(constant, np.argmin(constant.real, axis=-1)[..., None], axis=-1)[..., 0]
    return 1 - ratio(spent, np.where(cheapest.real > 0, cheapest, 0))


def cell_costs(t: Confusion, costs: object = None) -> Floats:
    """What one row in each occupied cell costs; without `costs` every error costs 1."""
    if costs is None:
        return np.not_equal(t.row, t.col).astype(np.float64)
    prices: Floats = cost_matrix(costs, t.labels, t.positive)[t.row, np.minimum(t.col, len(t.labels))]
    return prices
