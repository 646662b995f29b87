"""Why a metric is undefined, in words that name the class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.inputs.labels import find_label
from trueerror.metrics.averages import classes_in_play
from trueerror.metrics.class_scores import ClassScores
from trueerror.metrics.priors import Prior, class_shares, missing_class
from trueerror.metrics.registry import Measure, find_measure
from trueerror.metrics.values import Tally, prepared, score_share, value
from trueerror.results.words import listing
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import ClassCounts
from trueerror.tallies.multilabel import MultiLabel
from trueerror.tallies.scores import ScoreTable

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


def _average_reason(measure: Measure, t: ClassCounts, labels: tuple[Any, ...], options: dict[str, Any]) -> str:
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
        return f"{_classes(strange)} {'was' if len(strange) == 1 else 'were'} predicted but {_has(strange)} no rows"
    return measure.undefined


def _has(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _classes(names: list[str]) -> str:
    more = len(names) - NAMED
    shown = names if more <= 0 else [*names[:NAMED], f"{more} more"]
    return f"{'class' if len(names) == 1 else 'classes'} {listing(shown)}"
