"""A metric of a tally: one place that knows which part of which tally each kind of metric looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.labels import find_label
from trueerror.inputs.scores import check_probabilities
from trueerror.metrics.class_scores import ClassScores
from trueerror.metrics.priors import Prior, class_shares, reweighted, reweighted_scores
from trueerror.metrics.probabilities import mean_loss
from trueerror.metrics.registry import Measure
from trueerror.tallies.collapse import collapsed
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import sum_columns
from trueerror.tallies.multilabel import MultiLabel
from trueerror.tallies.scores import ScoreTable

Tally = Confusion | ScoreTable | MultiLabel | ClassScores
KINDS = {
    "Confusion": "a confusion matrix",
    "ScoreTable": "a score table",
    "MultiLabel": "rows with several labels",
    "ClassScores": "one score for each class",
}


def value(measure: Measure, tally: Tally, *, positive: Any = None, prior: Prior | None = None, **options: Any) -> float:
    """The metric of a tally as a plain float, NaN where it is undefined (`undefined_reason` says why).

    `positive` turns a table of several classes into one class against the rest; `prior` is another class distribution.

    >>> from trueerror.metrics.registry import find_measure
    >>> value(find_measure("recall"), Confusion([[50, 5], [10, 30]]))
    0.75
    """
    check_options(measure, options)
    if isinstance(tally, Confusion) and measure.needs in ("binary", "classes", "cells"):
        return _of_confusion(measure, tally, positive, prior, options)
    if isinstance(tally, MultiLabel) and measure.needs in ("binary", "classes"):
        return _of_multilabel(measure, tally, positive, prior, options)
    if isinstance(tally, ScoreTable) and measure.needs in ("scores", "losses"):
        return _of_score_table(measure, tally, positive, prior, options)
    if isinstance(tally, ClassScores) and measure.needs in ("losses", "class_scores"):
        return _of_class_scores(measure, tally, prior, options)
    raise InputError(f"{measure.name} cannot be computed from {KINDS[type(tally).__name__]}; {NEEDED[measure.needs]}")


NEEDED = {
    "binary": "it needs labels: a Confusion, or truth and predicted",
    "classes": "it needs labels: a Confusion, or truth and predicted",
    "cells": "it needs labels, one for each row: a Confusion, or truth and predicted",
    "scores": "it needs scores: a ScoreTable, or truth and scores=",
    "losses": "it needs probabilities: a ScoreTable, or truth and scores=",
    "class_scores": "it needs one score for each class: truth and scores= of shape (rows, classes)",
}


def check_options(measure: Measure, options: dict[str, Any]) -> None:
    """Options that the metric does not have are refused, with the nearest that it has."""
    for option in options:
        if option in measure.options:
            continue
        if option in ("weights", "weights_kind", "sample_weight"):
            raise InputError(
                f"{measure.name} has no option {option}=; to weigh rows, count them with weights= and weights_kind= "
                "(te.Confusion.count, te.ScoreTable.count) and pass the table"
            )
        known = nearest(option, measure.options) if measure.options else "; it has none"
        raise InputError(f"{measure.name} has no option {option}={known}")


def needs_collapse(measure: Measure, table: Confusion, positive: Any) -> bool:
    """Whether a named class turns the table into one class against the rest."""
    if positive is None:
        return False
    find_label(positive, table.labels)
    if len(table.labels) <= 2:
        return False
    if measure.average is not None:
        raise InputError(
            f"{measure.name} is an average over all classes; leave positive= out, or ask for {measure.of} of one class"
        )
    return measure.needs != "binary"


def _of_confusion(
    measure: Measure, table: Confusion, positive: Any, prior: Prior | None, options: dict[str, Any]
) -> float:
    table, masses, positive = prepared(measure, table, positive, prior)
    if measure.needs == "binary":
        return float(measure.function(table.binary(positive, masses), **options))
    if measure.needs == "classes":
        return float(measure.function(table.classes(masses), **options))
    return float(measure.function(table, masses, **options))


def prepared(
    measure: Measure, table: Confusion, positive: Any = None, prior: Prior | None = None
) -> tuple[Confusion, Any, Any]:
    """The table and masses that the formula sees: one class against the rest where a class is named, at the prior."""
    masses = None
    by_class = isinstance(prior, Mapping) or (prior is not None and len(table.labels) <= 2)
    if prior is not None and by_class:
        chosen = table.positive if positive is None else find_label(positive, table.labels)
        masses = reweighted(table, class_shares(prior, table.labels, chosen))
    elif prior is not None and positive is None:
        class_shares(prior, table.labels)  # raises: one share does not fit many classes
    if needs_collapse(measure, table, positive) or (prior is not None and not by_class):
        table, place = collapsed(table, positive)
        masses = None if masses is None else sum_columns(masses, place, len(table.counts))
        positive = True
        if prior is not None and not by_class:
            masses = reweighted(table, class_shares(prior, table.labels, True))
    elif positive is not None and len(table.labels) == 2:
        table = table.with_positive(positive)
    return table, masses, positive


def _of_multilabel(
    measure: Measure, tally: MultiLabel, positive: Any, prior: Prior | None, options: dict[str, Any]
) -> float:
    if prior is not None:
        raise InputError("prior= is for rows with one label each; here each row has several")
    if measure.needs == "binary":
        if positive is None:
            raise InputError(
                f"{measure.name} is of one label: pass positive= one of {tally.labels!r:.80}, or ask for "
                f"macro_{measure.name}"
            )
        return float(measure.function(tally.binary(positive), **options))
    if positive is not None:
        raise InputError(f"{measure.name} is of all labels together; leave positive= out")
    if measure.average is not None:
        return float(measure.function(tally.classes(), **options))
    if measure.multilabel is None:
        raise InputError(f"{measure.name} is not defined for rows with several labels; macro_f1 or hamming_loss are")
    return float(measure.multilabel(tally))


def _of_score_table(
    measure: Measure, table: ScoreTable, positive: Any, prior: Prior | None, options: dict[str, Any]
) -> float:
    check_same_positive(table, positive)
    if measure.probabilities:
        check_probabilities(table.scores)
    masses = None if prior is None else reweighted_scores(table, score_share(prior, table))
    if measure.needs == "losses":
        return float(mean_loss(table, measure, masses, **options))
    return float(measure.function(table, masses, **options))


def check_same_positive(table: ScoreTable, positive: Any) -> None:
    """A score table speaks of one positive class; another cannot be asked of it."""
    if positive is not None and positive != table.positive:
        raise InputError(f"positive={positive!r}, but the score table was counted for {table.positive!r}")


def score_share(prior: Prior, table: ScoreTable) -> float:
    """The prior's share of the positives, for a table that knows only its positive label."""
    if isinstance(prior, Mapping):
        shares = class_shares(prior, tuple(prior))
        return float(shares[tuple(prior).index(find_label(table.positive, tuple(prior), "prior"))])
    return float(class_shares(prior, (False, True), True)[1])


def _of_class_scores(measure: Measure, rows: ClassScores, prior: Prior | None, options: dict[str, Any]) -> float:
    shares = None if prior is None else class_shares(prior, rows.labels)
    if measure.needs == "class_scores":
        return float(measure.function(rows.codes, rows.scores, shares, **options))
    check_probabilities(rows.scores)
    if len(rows.codes) == 0:
        return float("nan")
    losses = measure.function(rows.codes, rows.scores, **options)
    if shares is None:
        return float(np.mean(losses, dtype=np.float64))
    sizes = rows.sizes()
    if ((sizes == 0) & (shares > 0)).any():
        return float("nan")
    means = np.bincount(rows.codes, weights=losses, minlength=len(sizes)) / np.where(sizes == 0, 1, sizes)
    return float((np.where(shares > 0, means, 0) * shares).sum())
