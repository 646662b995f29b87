"""The public verbs of this room: one metric of anything, and the cost of a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.scores import default_threshold
from trueerror.metrics import cells
from trueerror.metrics.binned import NO_BOUND, bound_words, metric_bounds, middled
from trueerror.metrics.class_scores import ClassScores
from trueerror.metrics.priors import Prior
from trueerror.metrics.registry import Measure, find_measure
from trueerror.metrics.tallying import LABEL_METRICS, tally_predictions, tally_rows
from trueerror.metrics.values import check_options, check_same_positive, score_share, value
from trueerror.rows.openable import is_openable, opened
from trueerror.rows.predictions import Predictions
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.missing import Missing
from trueerror.tallies.multilabel import MultiLabel
from trueerror.tallies.scores import ScoreTable


def metric(
    name: str,
    data: Any,
    predicted: Any = None,
    *,
    scores: Any = None,
    positive: Any = None,
    labels: Iterable[Any] | None = None,
    threshold: float | None = None,
    prior: Prior | None = None,
    missing: Missing = "error",
    model: str | None = None,
    **options: Any,
) -> float:
    """One metric as a plain number; NaN where it is undefined. `te.catalogue()` lists the names.

    `data` is a `Confusion`, a `ScoreTable`, what `te.predictions` or `te.read` gave or a path or a table of any kind
    that it takes (`model` chooses one), or the truth with `predicted` labels or `scores` (higher = more positive; one
    column, or one for each class in label order). Metrics of one class need `positive`, unless the labels are
    False/True, 0/1 or −1/1; of several classes, `positive="b"` is one class against the rest. macro_, micro_ and
    weighted_ in front of such a metric average it over the classes. Truth and predictions with one 0/1 column for each
    label are rows with several labels. `threshold` calls a score at or above it positive (0.5 when all scores are in
    [0, 1]). `prior` is another class distribution: P(positive) or {label: share}. `options` are the metric's own:
    f_beta(beta=), weighted_accuracy(weights=), kappa(weights=), cost(costs=), log_loss(clip=), ece(bins=, binning=), …

    >>> metric("accuracy", ["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    >>> metric("recall", ["a", "b", "b"], ["a", "b", "a"], positive="b")
    0.5
    >>> metric("macro_f1", Confusion([[40, 10], [10, 40]]))
    0.8
    >>> metric("auc", [0, 0, 1, 1], scores=[0.1, 0.4, 0.4, 0.8])
    0.875
    """
    measure = find_measure(name)
    check_options(measure, options)
    if predicted is None and scores is None and is_openable(data):
        data = opened(data, positive=positive, labels=labels, missing=missing)
        labels = None
    if isinstance(data, Predictions):
        _nothing_beside(predicted=predicted, scores=scores, labels=labels)
        tally = tally_predictions(measure, data, model, positive=positive, threshold=threshold)
        named = positive if isinstance(tally, Confusion) else None
        return value(measure, _told(measure, tally, prior, options), positive=named, prior=prior, **options)
    if model is not None:
        raise InputError("model= chooses among the models of predictions that were read; it has no effect here")
    if not isinstance(data, Confusion | ScoreTable | MultiLabel | ClassScores):
        tally, positive = tally_rows(
            measure, data, predicted, scores=scores, positive=positive, labels=labels, threshold=threshold,
            missing=missing,
        )  # fmt: skip
        return value(measure, tally, positive=positive, prior=prior, **options)
    _nothing_beside(predicted=predicted, scores=scores, labels=labels)
    if isinstance(data, ScoreTable) and measure.needs in LABEL_METRICS:
        check_same_positive(data, positive)
        prior = None if prior is None else score_share(prior, data)
        return value(measure, confusion_at(data, threshold), prior=prior, **options)
    if threshold is not None:
        raise InputError("threshold= calls scores positive or negative; it has no effect here")
    return value(measure, _told(measure, data, prior, options), positive=positive, prior=prior, **options)


def _told(measure: Measure, tally: Any, prior: Prior | None, options: dict[str, Any]) -> Any:
    """The tally; a warning where it is of binned scores, since a plain number cannot say how far it is off."""
    if not isinstance(tally, ScoreTable) or tally.exact:
        return tally
    bounds = metric_bounds(measure, tally, options=options, prior=prior)
    words = NO_BOUND if bounds is None else bound_words(bounds, allowed=False)
    if bounds is None or bounds.low < bounds.high:
        warnings.warn(f"{measure.name}: {words}", UserWarning, stacklevel=3)
    return middled(tally) if measure.probabilities else tally


def _nothing_beside(**given: Any) -> None:
    for word, value_ in given.items():
        if value_ is not None:
            raise InputError(f"{word} has no place beside a table that is already counted; leave it out")


def confusion_at(table: ScoreTable, threshold: float | None = None) -> Confusion:
    """The confusion matrix (False, True) of calling every score at or above the threshold positive.

    >>> confusion_at(ScoreTable.count([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8])).matrix.tolist()
    [[1, 1], [1, 1]]
    """
    if table.squares is not None:
        raise InputError(
            "a score table with sampling weights does not know its rows; count labels with weights instead"
        )
    cut = default_threshold(table.scores, threshold)
    if table.bounds.words_at(cut):
        raise InputError(
            f"threshold={cut:g} lies within a bin of scores, so that its calls cannot be counted from the bins; count "
            "the rows (predictions.confusion(threshold=…)), or allow more memory (budget=)"
        )
    called = table.scores >= cut
    parts = [(mass, where) for mass in (table.negatives, table.positives) for where in (~called, called)]
    counts = np.array([mass[where].sum() for mass, where in parts], dtype=np.int64).reshape(2, 2)
    return Confusion(counts, labels=(False, True))


def cost(confusion: Any, costs: Any, *, mean: bool = False) -> float:
    """What the calls of a confusion matrix cost in all, or for a row (`mean=True`).

    `costs[i][j]` is what it costs to call a row of class i class j, in label order; negative costs are gains. For two
    classes {"fp": 1, "fn": 10} will do, and {(truth, predicted): cost} for any.

    >>> cost(Confusion([[150, 40], [60, 250]]), [[-1, 100], [1, 0]])
    3910.0
    >>> cost(Confusion([[150, 40], [60, 250]]), [[-1, 100], [1, 0]], mean=True)
    7.82
    """
    table = confusion if isinstance(confusion, Confusion) else Confusion(confusion)
    if costs is None:
        raise InputError("costs is None; give a table of costs, costs[i][j] for truth i called j")
    formula = cells.expected_cost if mean else cells.cost
    return float(formula(table, costs=costs))
