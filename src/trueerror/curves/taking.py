"""How every curve takes its input: rows, a Predictions object, a score table, or another curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from trueerror.curves.views import TableCurve
from trueerror.inputs.arrays import check_indexes, column, matrix
from trueerror.inputs.errors import InputError, MissingPredictionError
from trueerror.inputs.labels import code_column, find_label, natural_labels, natural_positive, need_positive
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.openable import is_openable, opened, refuse_columns
from trueerror.tallies import Missing
from trueerror.tallies.scores import ScoreTable

Curve = TypeVar("Curve", bound=TableCurve)


class Taken(NamedTuple):
    """The score table, the model's name ("" where there is none), and what was given, opened where it was a table."""

    table: ScoreTable
    name: str
    given: Any


def take_table(
    data: Any,
    scores: Any = None,
    *,
    model: str | None = None,
    positive: Any = None,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    what: str = "a curve",
    missing: Missing | None = None,
    **columns: Any,
) -> Taken:
    """The score table behind whatever was passed.

    `data` is the truth (with `scores`), a Predictions object (with `model`, or the model's name in the place of the
    scores), a path or a table that te.read takes (with `model` too; `weights` may name its column, and `columns` are
    further options of te.read), a ScoreTable, or anything that carries one as `.table`. (n, K) scores give the column
    of the positive class. `missing="drop"` leaves rows without a score out.

    >>> take_table([0, 1, 1], [0.2, 0.9, 0.2]).table.n_positive
    2
    >>> take_table({"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4]}).name
    'svm'
    """
    table = data if isinstance(data, ScoreTable) else getattr(data, "table", None)
    if isinstance(table, ScoreTable):
        refuse_columns({**columns, "missing": missing})
        if scores is not None or weights is not None or positive is not None:
            raise InputError(f"{what} from counted scores takes no scores=, weights= or positive=: they are counted in")
        return Taken(_occupied(table, what), str(getattr(data, "name", "") or model or ""), data)
    given = data
    data, weights = open_table(data, scores, model, positive, weights, weights_kind, {**columns, "missing": missing})
    if is_predictions(data):
        if data is given:
            opened(data, missing=missing)
        if isinstance(scores, str) and model is None:
            scores, model = None, scores
        if scores is not None or weights is not None:
            raise InputError(f"{what} from Predictions takes no scores= or weights=: they are in it; choose by model=")
        return _from_predictions(data, model, positive, what)
    if scores is None:
        raise InputError(f"{what} needs scores: pass (truth, scores), Predictions, a path, a table, or a ScoreTable")
    check_indexes({"truth": data, "scores": scores})
    array = matrix(scores, "scores")
    if len(array) == 0:
        raise InputError(f"{what} needs rows, but there are none")
    if array.ndim == 2 and 1 not in array.shape[1:]:
        scores, positive = _one_column(data, array, positive, what)
    if missing is not None:
        from trueerror.rows.collecting import ONE_MODEL, predictions

        rows = predictions(data, scores=scores, positive=positive, weights=weights, weights_kind=weights_kind,
                           missing=missing)  # fmt: skip
        return Taken(_from_predictions(rows, ONE_MODEL, None, what).table, str(model or ""), data)
    counted = ScoreTable.count(data, scores, positive=positive, weights=weights, weights_kind=weights_kind)
    return Taken(_occupied(counted, what), str(model or ""), data)


def open_table(
    data: Any,
    scores: Any,
    model: str | None,
    positive: Any,
    weights: Any,
    weights_kind: WeightsKind | None,
    columns: Mapping[str, Any],
) -> tuple[Any, Any]:
    """A path or a table in the place of the truth as Predictions, unless scores are given beside it; and the weights
    that are left to be counted. Of a table only the model at hand must be complete."""
    named = all(x is None or isinstance(x, str) for x in (scores, weights))
    if is_predictions(data) or not (named and is_openable(data)):
        rest = {key: value for key, value in columns.items() if key not in ("missing", "labels")}
        if is_predictions(data):
            opened(data, **rest)
        else:
            refuse_columns(rest)
        return data, weights
    options = {**columns, "weight": weights, "weights_kind": weights_kind}
    try:
        return opened(data, positive=positive, **options), None
    except MissingPredictionError:
        if data == "-":
            raise
        found = opened(data, positive=positive, **{**options, "missing": "drop"})
        name = found.only(scores if model is None else model)
        if found.absent(name):
            raise
        rows = found.select(name)
        return replace(rows, source=rows.source.with_facts(replace(rows.facts, missing="error"))), None


def is_predictions(data: Any) -> bool:
    """Whether this is a Predictions object, without loading its room."""
    return type(data).__name__ == "Predictions" and type(data).__module__.startswith("trueerror.rows")


def _from_predictions(data: Any, model: str | None, positive: Any, what: str) -> Taken:
    name = data.only(model)
    refuse_repeats(data, what)
    return Taken(_occupied(data.scores(name, positive=positive), what), name, data)


def refuse_repeats(predictions: Any, what: str) -> None:
    """Rows that several repeats of an experiment predicted are not more rows."""
    if predictions.has_key("repeats") and len(predictions.keys("repeats").names) > 1:
        raise InputError(
            f'{what} would count each row once for every repeat; take one (predictions.slice(1, "repeats")), or '
            "te.average_curves over the curves of all"
        )


def curve_of(make: Callable[..., Curve], what: str, data: Any, scores: Any = None, **asked: Any) -> Curve:
    """A curve that needs nothing but a score table and a name, from whatever was passed."""
    table, name, given = take_table(data, scores, what=what, **asked)
    return cautioned(make(table, name=name), given)


def cautioned(curve: Curve, data: Any) -> Curve:
    """The curve, with a caution where it was made from rows that depend on each other."""
    if is_predictions(data) and data.has_key("clusters"):
        sizes = data.keys("clusters").sizes
        if int(sizes.max(initial=0)) > 1:
            words = (
                f"rows come in {len(sizes):,} clusters, and curves take rows as independent: the limits are too narrow"
            )
            curve._set(caution=words)
    return curve


def _one_column(truth: Any, array: Any, positive: Any, what: str) -> tuple[Any, Any]:
    """Of (n, K) scores the column of the positive class; the columns follow the label order."""
    labels = natural_labels(code_column(column(truth, "truth"), "truth").values)
    if len(labels) != array.shape[1]:
        raise InputError(
            f"scores has {array.shape[1]} columns but truth has {len(labels)} classes; columns follow the sorted "
            "labels: pass the column of the positive class"
        )
    chosen = natural_positive(labels) if positive is None else find_label(positive, labels)
    if chosen is None:
        raise need_positive(labels, what)
    return np.ascontiguousarray(array[:, labels.index(chosen)]), chosen


def _occupied(table: ScoreTable, what: str) -> ScoreTable:
    """The table without the scores of rows that have no weight."""
    if not table.n > 0:
        raise InputError(f"{what} needs rows, but there are none")
    there = table.positives + table.negatives > 0
    if there.all():
        return table
    return ScoreTable(
        table.scores[there],
        table.positives[there],
        table.negatives[there],
        positive=table.positive,
        exact=table.exact,
        squares=None if table.squares is None else table.squares[:, there],
        sources=table.sources,
        uppers=None if table.uppers is None else table.uppers[there],
    )


def need_classes(table: ScoreTable, what: str, *, positives: bool = True, negatives: bool = True) -> None:
    """Refuse a table that lacks a class without which the curve has no meaning."""
    for wanted, there, word in (
        (positives, table.n_positive > 0, "positive"),
        (negatives, table.n_negative > 0, "negative"),
    ):
        if wanted and not there:
            raise InputError(
                f"{what} needs at least one {word} row, but all {table.n:,.6g} rows are of the other class "
                f"(positive is {table.positive!r}); check positive= and which rows were selected"
            )


def need_probabilities(table: ScoreTable, what: str) -> None:
    """Refuse scores that are not probabilities, where the curve reads them as such."""
    low, high = float(table.scores[0]), float(table.scores[-1])
    if low < 0 or high > 1:
        raise InputError(
            f"{what} reads scores as probabilities in [0, 1], but they run from {low:.4g} to {high:.4g}; "
            "calibrate them first, or use a curve of ranks such as te.roc"
        )
