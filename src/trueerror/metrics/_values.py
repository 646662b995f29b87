"""The value of a metric of a tally, also at another class distribution, and why it is undefined.

At another class distribution what happens within a class (its recall, its errors) is kept, and how many rows it has is
not: the accuracy at a prior is pos·TPR + neg·(1 − FPR) for any pos + neg = 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import check_probabilities
from trueerror.inputs._labels import Codes, Label, find_label, need_positive
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import Measure, classes_in_play, find_measure, ratio
from trueerror.metrics.probabilities import mean_loss
from trueerror.results._format import listing
from trueerror.tallies._confusion import Amount, ClassCounts, Confusion, collapsed, sum_columns
from trueerror.tallies._moments import MultiLabel
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Prior = float | Mapping[Any, float]
Options = Mapping[str, Any]
# Shares that were typed with few digits (0.333, 0.333, 0.334) need not add up to the last bit.
TOLERANCE = 1e-6


def class_shares(prior: Prior, labels: Sequence[Label], positive: Label | None = None) -> Floats:
    """The prior as one share for each label, adding up to 1.

    >>> class_shares(0.1, ("no", "yes"), "yes").tolist()
    [0.9, 0.1]
    >>> class_shares({"a": 0.5, "b": 0.25, "c": 0.25}, ("a", "b", "c")).tolist()
    [0.5, 0.25, 0.25]
    """
    if isinstance(prior, Mapping):
        return _from_mapping(prior, labels)
    share = _share(prior, "prior")
    if len(labels) != 2:
        raise InputError(
            f"prior={prior!r} is the share of the positives among two classes, but there are {len(labels)}: "
            "give every class its share, as in {label: share}"
        )
    if positive is None:
        raise need_positive(labels, "prior=")
    return np.array([share if label == positive else 1 - share for label in labels])


def prior_of_each(prior: Prior | None, labels: Sequence[Label], positive: Label | None) -> Prior | None:
    """One share is that of the positive class, whichever class is asked for: both classes by name.

    >>> prior_of_each(0.25, ("no", "yes"), "yes")
    {'no': 0.75, 'yes': 0.25}
    """
    if prior is None or isinstance(prior, Mapping) or len(labels) != 2 or positive is None:
        return prior
    return dict(zip(labels, map(float, class_shares(prior, labels, positive)), strict=True))


def _from_mapping(prior: Mapping[Any, float], labels: Sequence[Label]) -> Floats:
    given = {find_label(key, labels, "prior"): _share(value, f"prior[{key!r}]") for key, value in prior.items()}
    absent = [label for label in labels if label not in given]
    if absent:
        raise InputError(
            f"prior= does not name the class {absent[0]!r}; give every class a share (0 where it is absent)"
        )
    shares = np.array([given[label] for label in labels])
    if abs(shares.sum() - 1) > TOLERANCE:
        raise InputError(f"prior= adds up to {shares.sum():.6g}; the shares of all classes must add up to 1")
    return np.asarray(shares / shares.sum())


def _share(value: Any, name: str) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number; a prior is a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{name}={value!r} must lie between 0 and 1")
    return share


def reweighted(table: Confusion, shares: Floats, masses: Amount | None = None) -> Amount:
    """The cells' masses with the classes in the given shares; their sum stays what it was.

    All NaN where a class with a share has no rows: what would happen to its rows is not known. Leading axes of
    `masses` (bootstrap replicates) are kept, each replicate being brought to the prior by itself.

    >>> t = Confusion([[40, 10], [5, 45]])
    >>> reweighted(t, np.array([0.9, 0.1])).tolist()
    [72.0, 18.0, 1.0, 9.0]
    """
    m = table.masses if masses is None else masses
    rows = sum_columns(m, table.row, len(table.labels))
    wanted = shares * np.asarray(m.sum(axis=-1))[..., None]
    scale = np.where((rows == 0) & (shares == 0), 0, ratio(wanted, rows))
    unknown = np.isnan(scale).any(axis=-1, keepdims=True)
    return np.where(unknown, np.nan, m * scale[..., table.row])


def reweighted_scores(
    table: ScoreTable, share: float, masses: tuple[Amount, Amount] | None = None
) -> tuple[Amount, Amount]:
    """The positives and negatives of a score table with the positives in the given share."""
    up, down = (np.asarray(x) for x in ((table.positives, table.negatives) if masses is None else masses))
    total = up.sum(axis=-1) + down.sum(axis=-1)
    parts = []
    for mass, wanted in ((up, share), (down, 1 - share)):
        rows = mass.sum(axis=-1)
        scale = np.where((rows == 0) & (wanted == 0), 0, ratio(wanted * total, rows))
        parts.append(mass * np.asarray(scale)[..., None])
    return parts[0], parts[1]


def missing_class(sizes: Floats, shares: Floats, labels: Sequence[Label]) -> str:
    """Why a result at a prior is undefined: the class that has a share but no rows."""
    for size, share, label in zip(sizes, shares, labels, strict=True):
        if size == 0 and share > 0:
            return f"the prior gives class {label!r} a share of {share:.4g}, but it has no rows"
    return ""


class ClassScores(NamedTuple):
    """True classes as codes, (n, K) scores in label order, and the labels."""

    codes: Codes
    scores: NDArray[np.floating[Any]]
    labels: tuple[Label, ...]

    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64)

    def top_label(self) -> ScoreTable:
        """How often the called class was right, by the score that it had; the first wins ties.

        >>> ClassScores(np.array([0, 2]), np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), ("a", "b", "c")).top_label()
        2 distinct scores, 1 positives (True), 1 negatives
        """
        called = self.scores.argmax(axis=1) if len(self.scores) else np.zeros(0, dtype=np.intp)
        confidence = np.take_along_axis(self.scores, called[:, None], axis=1)[:, 0]
        return ScoreTable.from_codes(called == self.codes, confidence, True)


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

    >>> from trueerror.metrics._registry import find_measure
    >>> value(find_measure("recall"), Confusion([[50, 5], [10, 30]]))
    0.75
    """
    check_metric_options(measure, options)
    if isinstance(tally, Confusion) and measure.needs in ("binary", "classes", "cells"):
        return _of_confusion(measure, tally, positive, prior, options)
    if isinstance(tally, MultiLabel) and measure.needs in ("binary", "classes"):
        return _of_multilabel(measure, tally, positive, prior, options)
    if isinstance(tally, ScoreTable) and measure.needs in ("scores", "losses"):
        return _of_score_table(measure, tally, positive, prior, options)
    if isinstance(tally, ClassScores) and measure.needs in ("losses", "grades", "class_scores"):
        return _of_class_scores(measure, tally, prior, options)
    raise InputError(f"{measure.name} cannot be computed from {KINDS[type(tally).__name__]}; {NEEDED[measure.needs]}")


NEEDED = {
    "binary": "it needs labels: a Confusion, or truth and predicted",
    "classes": "it needs labels: a Confusion, or truth and predicted",
    "cells": "it needs labels, one for each row: a Confusion, or truth and predicted",
    "scores": "it needs scores: a ScoreTable, or truth and scores=",
    "losses": "it needs probabilities: a ScoreTable, or truth and scores=",
    "grades": "it needs rows that carry grades: te.graded(grades)",
    "class_scores": "it needs one score for each class: truth and scores= of shape (rows, classes)",
}


def check_metric_options(measure: Measure, options: Options) -> None:
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


def _of_confusion(measure: Measure, table: Confusion, positive: Any, prior: Prior | None, options: Options) -> float:
    table, masses, positive = prepared(measure, table, positive, prior)
    return float(measure.of_table(table, masses, positive=positive, **options))


def prepared(
    measure: Measure, table: Confusion, positive: Any = None, prior: Prior | None = None
) -> tuple[Confusion, Amount | None, Any]:
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


def _of_multilabel(measure: Measure, tally: MultiLabel, positive: Any, prior: Prior | None, options: Options) -> float:
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


def _of_score_table(measure: Measure, table: ScoreTable, positive: Any, prior: Prior | None, options: Options) -> float:
    check_same_positive(table, positive)
    if measure.probabilities or measure.of_losses:
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


def _of_class_scores(measure: Measure, rows: ClassScores, prior: Prior | None, options: Options) -> float:
    shares = None if prior is None else class_shares(prior, rows.labels)
    if measure.needs == "class_scores":
        return float(measure.function(rows.codes, rows.scores, shares, **options))
    if measure.probabilities:
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


NAMED = 3


def undefined_reason(
    measure: Measure, tally: Tally, *, positive: Any = None, prior: Prior | None = None, **options: Any
) -> str:
    """Why the metric of this tally is NaN, or "" where it is a number.

    >>> t = Confusion([[10, 0, 5], [3, 0, 7], [2, 0, 20]], labels=["a", "b", "c"])
    >>> undefined_reason(find_measure("macro_precision"), t)
    "precision of class 'b' is undefined: no row was predicted positive"
    """
    if not math.isnan(value(measure, tally, positive=positive, prior=prior, **options)):
        return ""
    if _size(tally) == 0:
        return "there are no rows"
    reason = "" if prior is None else _prior_reason(tally, prior, positive)
    if reason:
        return reason
    if isinstance(tally, ClassScores):
        return _absent_classes(tally) or measure.undefined
    if measure.average in ("macro", "weighted"):
        if isinstance(tally, Confusion):
            table, masses, _ = prepared(measure, tally, positive, prior)
            return _average_reason(measure, table.classes(masses), table.labels, options)
        assert isinstance(tally, MultiLabel)
        return _average_reason(measure, tally.classes(), tally.labels, options)
    if measure.needs == "classes" and isinstance(tally, Confusion):
        table, masses, _ = prepared(measure, tally, positive, prior)
        return _margin_reason(measure, table.classes(masses), table)
    return measure.undefined


def _size(tally: Tally) -> float:
    return len(tally.codes) if isinstance(tally, ClassScores) else tally.n


def _prior_reason(tally: Tally, prior: Prior, positive: Any) -> str:
    if isinstance(tally, Confusion):
        sizes = tally.classes().truth
        if isinstance(prior, Mapping) or len(tally.labels) <= 2:
            chosen = tally.positive if positive is None else find_label(positive, tally.labels)
            return missing_class(sizes, class_shares(prior, tally.labels, chosen), tally.labels)
        own = sizes[tally.labels.index(find_label(positive, tally.labels))]
        parts = np.array([sizes.sum() - own, own])
        return missing_class(parts, class_shares(prior, (False, True), True), ("the rest", positive))
    if isinstance(tally, ScoreTable):
        share = score_share(prior, tally)
        parts = np.array([tally.n_negative, tally.n_positive])
        return missing_class(parts, np.array([1 - share, share]), ("the rest", tally.positive))
    if isinstance(tally, ClassScores):
        return missing_class(tally.sizes().astype(np.float64), class_shares(prior, tally.labels), tally.labels)
    return ""


def _absent_classes(rows: ClassScores) -> str:
    absent = [repr(label) for label, size in zip(rows.labels, rows.sizes(), strict=True) if size == 0]
    if not absent:
        return "" if len(rows.labels) > 1 else "there is only one class"
    return f"{_classes(absent)} {'has' if len(absent) == 1 else 'have'} no rows"


def _average_reason(measure: Measure, t: ClassCounts, labels: tuple[Label, ...], options: Options) -> str:
    base = find_measure(measure.of)
    counted = classes_in_play(t) if measure.average == "macro" else t.truth != 0
    values = np.asarray(base.function(t.one_vs_rest(), **options))
    wrong = [repr(labels[i]) for i in np.flatnonzero(counted & np.isnan(values))]
    if not wrong:
        return measure.undefined
    return f"{base.title} of {_classes(wrong)} is undefined: {base.undefined}"


def _margin_reason(measure: Measure, t: ClassCounts, table: Confusion) -> str:
    """A metric of all classes: name a class that was predicted but has no rows, where that is the trouble."""
    strange = [repr(table.labels[i]) for i in np.flatnonzero((t.truth == 0) & (t.predicted != 0))]
    if strange and measure.undefined.startswith("a class was predicted"):
        verbs = ("was", "has") if len(strange) == 1 else ("were", "have")
        return f"{_classes(strange)} {verbs[0]} predicted but {verbs[1]} no rows"
    return measure.undefined


def _classes(names: list[str]) -> str:
    more = len(names) - NAMED
    shown = names if more <= 0 else [*names[:NAMED], f"{more} more"]
    return f"{'class' if len(names) == 1 else 'classes'} {listing(shown)}"
