"""The score table behind any input of a curve: arrays, tables, predictions, or a classifier's calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._joined import has_two_keys
from trueerror.inference.auc._within_folds import fold_comparability
from trueerror.inputs._arrays import WeightsKind, check_indexes, column, matrix
from trueerror.inputs._labels import Label, code_column, find_label, natural_labels, natural_positive, need_positive
from trueerror.inputs._options import InputError, MissingPredictionError, check_share, in_few_words
from trueerror.kernels._threads import PIECE, parts
from trueerror.sources._collect import is_openable, opened, predictions, refuse_columns
from trueerror.sources._predictions import Predictions, labels_only
from trueerror.sources._table_types import is_lazy
from trueerror.tallies import Confusion, Missing
from trueerror.tallies._scores import ScoreTable

# What a curve is made of where it is not scores: the calls of a classifier.
Calls = Literal["", "labels", "counted", "rates"]
# Rows of each class that stand for a rate whose own rows are not known; six decimals are exact.
STAND_IN = 1_000_000


class CurveInput(NamedTuple):
    """What a curve is made from: the score table, the model's name ("" where there is none), and the Predictions that
    it was counted from, where it was, with the positive class that was asked for."""

    table: ScoreTable
    name: str = ""
    predictions: Predictions | None = None
    positive: Any = None
    calls: Calls = ""

    @property
    def caution(self) -> str:
        """Of rows in clusters limits as of independent ones are too narrow; and scores of folds have other scales."""
        return "; ".join(filter(None, (cluster_caution(self.predictions), self.fold_caution())))

    def fold_caution(self) -> str:
        """What to say where scores of folds are not on one scale, and where limits know of one key alone."""
        found = fold_comparability(self.fold_tables())
        return "; ".join(filter(None, ("" if found is None else found.words, key_caution(self.predictions))))

    def fold_tables(self) -> list[ScoreTable]:
        """The scores of each fold, where each has a model of its own; none where rows have no folds."""
        p = self.predictions
        if p is None or not p.folded or p.weights_kind == "sampling":
            return []
        return [p.slice(name, "folds").scores(self.name, positive=self.positive) for name in p.keys("folds").names]


def cluster_caution(predictions: Predictions | None) -> str:
    """What to say where rows come in clusters, "" where they do not."""
    known = predictions is not None and predictions.has_key("clusters")
    sizes = predictions.keys("clusters").sizes if predictions is not None and known else np.zeros(0)
    return cluster_words(len(sizes)) if sizes.max(initial=0) > 1 else ""


def key_caution(p: Predictions | None) -> str:
    """What to say of limits that know of one key alone, where rows have two or stand in order of time."""
    return "these limits ignore time and a second key: they may be too narrow" * (p is not None and has_two_keys(p))


def cluster_words(groups: int) -> str:
    """What limits that do not know of clusters must say."""
    return f"rows come in {groups:,} clusters, and these limits take rows as independent: they are too narrow"


def calls_table(table: Confusion, positive: Any = None) -> ScoreTable:
    """What a classifier calls as a table of two scores: 1 for rows that it calls positive, 0 for the others.

    >>> calls_table(Confusion([[50, 5], [10, 35]])).positives.tolist()
    [10, 35]
    """
    chosen = table.positive if positive is None else find_label(positive, table.labels)
    if chosen is None:
        raise need_positive(table.labels, "a point in ROC space")
    tp, fp, fn, tn = table.binary(chosen)
    if table.weight_sums is not None:
        raise InputError("a point in ROC space is not offered with sampling weights; leave them out")
    return ScoreTable([0.0, 1.0], [int(fn), int(tp)], [int(tn), int(fp)], positive=chosen)


def is_rates(given: Any) -> bool:
    """Whether this is a point (FPR, TPR)."""
    return (
        isinstance(given, tuple | list)
        and len(given) == 2
        and all(isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in given)
    )


def rates_table(point: tuple[float, float], positive: Label = 1) -> ScoreTable:
    """A point (FPR, TPR) without its rows as a table of two scores."""
    fpr, tpr = (check_share(float(x), word) for x, word in zip(point, ("fpr", "tpr"), strict=True))
    up, down = round(tpr * STAND_IN), round(fpr * STAND_IN)
    return ScoreTable([0.0, 1.0], [STAND_IN - up, up], [STAND_IN - down, down], positive=positive)


def curve_input(
    what: str, data: Any, scores: Any = None, model: str | None = None, positive: Any = None, weights: Any = None,
    weights_kind: WeightsKind | None = None, columns: Mapping[str, Any] | None = None, *, points: bool = False,
) -> CurveInput:  # fmt: skip
    """The score table behind whatever was passed to the curve that is called `what`.

    `data` is the truth (with `scores`), a Predictions object (with `model`, or the model's name in the place of the
    scores), a path or a table that te.read takes (with `model` too; `weights` may name its column, and `columns` are
    further options of te.read), a ScoreTable, or anything that carries one as `.table`. (n, K) scores give the column
    of the positive class. `missing="drop"` among the columns leaves rows without a score out. With `points` a model of
    the table that gives labels is a curve of one point.

    >>> curve_input("a curve", [0, 1, 1], [0.2, 0.9, 0.2]).table.n_positive
    2
    >>> curve_input("a curve", {"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4]}).name
    'svm'
    """
    if model is not None and not isinstance(model, str):
        raise InputError(f"model={in_few_words(model)} must be the name of a model")
    columns = columns or {}
    missing: Missing | None = columns.get("missing")
    table = data if isinstance(data, ScoreTable) or is_lazy(data) else getattr(data, "table", None)
    if isinstance(table, ScoreTable):
        refuse_columns(columns)
        if scores is not None or weights is not None or positive is not None:
            raise InputError(f"{what} from counted scores takes no scores=, weights= or positive=: they are counted in")
        return CurveInput(_occupied(table, what), str(getattr(data, "name", "") or model or ""))
    given = data
    data, weights = open_table(data, scores, model, positive, weights, weights_kind, columns)
    if is_predictions(data):
        if data is given:
            opened(data, missing=missing)
        if isinstance(scores, str) and model is None:
            scores, model = None, scores
        if scores is not None or weights is not None:
            raise InputError(f"{what} from Predictions takes no scores= or weights=: they are in it; choose by model=")
        point = point_input(data, None, model, positive) if points else None
        return point or _from_predictions(data, model, positive, what)
    if weights is None and weights_kind is not None:
        raise InputError(f"weights_kind={weights_kind!r} was given without weights")
    if scores is None:
        raise InputError(f"{what} needs scores: pass (truth, scores), Predictions, a path, a table, or a ScoreTable")
    check_indexes({"truth": data, "scores": scores})
    array = matrix(scores, "scores")
    if len(array) == 0:
        raise InputError(f"{what} needs rows, but there are none")
    if array.ndim == 2 and 1 not in array.shape[1:]:
        scores, positive = _one_column(data, array, positive, what)
    if missing is not None:
        from trueerror.sources._collect import ONE_MODEL

        rows = predictions(data, scores=scores, positive=positive, weights=weights, weights_kind=weights_kind,
                           missing=missing)  # fmt: skip
        return CurveInput(_from_predictions(rows, ONE_MODEL, None, what).table, model or "")
    counted = ScoreTable.count(data, scores, positive=positive, weights=weights, weights_kind=weights_kind)
    return CurveInput(_occupied(counted, what), model or "")


def is_point(data: object) -> bool:
    """Whether this is one point in ROC space: a confusion matrix, or (FPR, TPR)."""
    return isinstance(data, Confusion) or (isinstance(data, tuple) and is_rates(data))


def point_input(data: Any, scores: Any, model: str | None, positive: Any) -> CurveInput | None:
    """The one point of a confusion matrix, of (FPR, TPR), or of a model that gives labels; None for anything else."""
    if scores is not None and not (isinstance(scores, str) and is_predictions(data)):
        return None
    if isinstance(data, Confusion):
        return CurveInput(calls_table(data, positive), model or "", calls="counted")
    if isinstance(data, tuple) and is_rates(data):
        return CurveInput(rates_table(data), model or "", calls="rates")
    if is_predictions(data):
        name = data.only(model or scores)
        if not data.has_scores(name):
            refuse_repeats(data, "a point in ROC space")
            return CurveInput(calls_table(data.confusion(name), positive), name, data, positive, "labels")
    return None


def open_table(
    data: Any, scores: Any, model: str | None, positive: Any, weights: Any, weights_kind: WeightsKind | None,
    columns: Mapping[str, Any],
) -> tuple[Any, Any]:  # fmt: skip
    """A path or a table in the place of the truth as Predictions, unless scores are given beside it; and the weights
    that are left to be counted. Of a table only the model at hand must be complete."""
    named = all(x is None or isinstance(x, str) for x in (scores, weights))
    if is_predictions(data) or not (named and is_openable(data)):
        rest = {key: value for key, value in columns.items() if key not in ("missing", "labels")}
        if is_predictions(data):
            opened(data, **rest)
        elif rest:
            refuse_columns(rest)
        return data, weights
    options = {**columns, "weight": weights, "weights_kind": weights_kind}
    try:
        return opened(data, positive=positive, **options), None
    except MissingPredictionError:
        if data == "-":
            raise
        complete = opened(data, positive=positive, **{**options, "missing": "drop"})
        name = complete.only(scores if model is None else model)
        if complete.absent(name):
            raise
        rows = complete.select(name)
        return replace(rows, source=rows.source.with_facts(replace(rows.facts, missing="error"))), None


def is_predictions(data: Any) -> TypeGuard[Predictions]:
    """Whether this is a Predictions object."""
    return isinstance(data, Predictions)


def _from_predictions(data: Predictions, model: str | None, positive: Any, what: str) -> CurveInput:
    name = data.only(model)
    refuse_repeats(data, what)
    if not data.has_scores(name):
        raise labels_only(what, name)
    return CurveInput(_occupied(data.scores(name, positive=positive), what), name, data, positive)


def refuse_repeats(predictions: Predictions, what: str) -> None:
    """Rows that several repeats of an experiment predicted are not more rows."""
    if predictions.has_key("repeats") and len(predictions.keys("repeats").names) > 1:
        raise InputError(
            f'{what} would count each row once for every repeat; take one (predictions.slice(1, "repeats")), or '
            "te.average_curves over the curves of all"
        )


def _one_column(truth: Any, array: NDArray[Any], positive: Any, what: str) -> tuple[NDArray[Any], Label]:
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

    def everywhere() -> bool:
        # Block by block: millions of scores would not stay in the cache.
        blocks = parts(len(table.positives), 1 + len(table.positives) // PIECE)
        return all(((table.positives[block] + table.negatives[block]) > 0).all() for block in blocks)

    if table._once("occupied", everywhere):
        return table
    occupied = table.positives + table.negatives > 0
    return ScoreTable(
        table.scores[occupied],
        table.positives[occupied],
        table.negatives[occupied],
        positive=table.positive,
        exact=table.exact,
        squares=None if table.squares is None else table.squares[:, occupied],
        sources=table.sources,
        uppers=None if table.uppers is None else table.uppers[occupied],
    )


def need_classes(table: ScoreTable, what: str, *, positives: bool = True, negatives: bool = True) -> None:
    """Refuse a table that lacks a class without which the curve has no meaning."""
    for wanted, rows, word in ((positives, table.n_positive, "positive"), (negatives, table.n_negative, "negative")):
        if wanted and not rows > 0:
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
