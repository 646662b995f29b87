"""Right or wrong, and how confident: the tally behind risk and coverage."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.taking import is_predictions, refuse_repeats
from trueerror.inputs.arrays import check_indexes, column, matrix, same_length
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    merge_labels,
    natural_labels,
    natural_positive,
    need_positive,
    recode,
)
from trueerror.inputs.options import check_word
from trueerror.inputs.scores import default_threshold, score_array
from trueerror.inputs.weights import WeightsKind, weight_column
from trueerror.tallies.missing import Missing
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]


class Answers(NamedTuple):
    """Confidence → right (as positives) and wrong (as negatives); rows without an answer, and the model's name."""

    table: ScoreTable
    absent: int
    name: str


def count_answers(
    truth: Any,
    scores: Any,
    predicted: Any,
    *,
    model: str | None,
    positive: Any,
    labels: Any,
    threshold: float | None,
    missing: Missing,
    weights: Any,
    weights_kind: WeightsKind | None,
) -> Answers:
    """Count rows by the confidence of the answer and by whether it is right."""
    check_word(missing, ("error", "wrong", "drop"), "missing")
    if is_predictions(truth):
        return _from_predictions(truth, model if scores is None else scores, threshold)
    if isinstance(truth, ScoreTable) or isinstance(getattr(truth, "table", None), ScoreTable):
        table = truth if isinstance(truth, ScoreTable) else truth.table
        return Answers(from_score_table(table, threshold), 0, getattr(truth, "name", ""))
    if scores is None:
        raise InputError("risk and coverage need scores: how confident each answer was")
    check_indexes({"truth": truth, "scores": scores, **({} if predicted is None else {"predicted": predicted})})
    array, gone = _scores(scores, missing)
    if len(array) == 0:
        raise InputError("risk and coverage need rows with predictions, but there are none")
    codes, called, names, chosen = _labels(truth, predicted, positive, labels, array)
    same_length({"truth": codes, "scores": array, **({} if called is None else {"predicted": called})})
    if called is None:
        called, confidence = _calls(array, names, chosen, threshold)
    else:
        confidence = _confidence(array, called)
    w = None if weights is None else weight_column(weights, weights_kind)
    if w is not None:
        same_length({"truth": codes, "weights": w})
    return _counted(codes, called, confidence, gone, missing, w, weights_kind, model or "")


def _counted(
    truth: Codes,
    called: Codes,
    confidence: Floats,
    gone: NDArray[np.bool_],
    missing: Missing,
    weights: Floats | None,
    weights_kind: WeightsKind | None,
    name: str,
) -> Answers:
    gone = gone | (called < 0)
    absent = int(gone.sum())
    if absent and missing == "error":
        raise InputError(
            f"row {int(np.argmax(gone)) + 1:,} has no prediction ({absent:,} rows in all); say what to do with "
            'missing="wrong" (an answer that was not given is wrong, and is the last to be covered) or missing="drop"'
        )
    right = (truth == called) & ~gone
    confidence = np.where(gone, -np.inf, confidence)
    if missing == "drop" and absent:
        right, confidence = right[~gone], confidence[~gone]
        weights = None if weights is None else weights[~gone]
    table = ScoreTable.from_codes(right, confidence, True, weights=weights, weights_kind=weights_kind)
    return Answers(table, absent, name)


def from_score_table(table: ScoreTable, threshold: float | None) -> ScoreTable:
    """Binary scores as answers: positive from the threshold up, the more confident the farther from it."""
    cut = default_threshold(table.scores, threshold)
    confidence = _distance(table.scores, cut)
    called = table.scores >= cut
    right = np.where(called, table.positives, table.negatives)
    wrong = np.where(called, table.negatives, table.positives)
    distinct, where = np.unique(confidence, return_inverse=True)

    def summed(counts: NDArray[Any]) -> NDArray[Any]:
        total = np.zeros(len(distinct), dtype=counts.dtype)
        np.add.at(total, where, counts)
        return total

    squares = None
    if table.squares is not None:
        up, down = table.squares
        squares = np.stack([summed(np.where(called, up, down)), summed(np.where(called, down, up))])
    return ScoreTable(
        distinct, summed(right), summed(wrong), positive=True, exact=table.exact, squares=squares, sources=table.sources
    )


def _from_predictions(data: Any, model: str | None, threshold: float | None) -> Answers:
    name = data.only(model)
    refuse_repeats(data, "risk and coverage")
    rows = data.source.fetched()
    scores = rows.columns[name].scores
    if scores is None:
        raise InputError(f"{name!r} has labels only; risk and coverage need its scores: pass them in scores=")
    array = np.asarray(scores, dtype=np.float64)
    gone = _lacking(array)
    called = np.asarray(rows.calls(name, threshold))
    if array.ndim == 1:
        if len(data.labels) > 2:
            raise InputError(
                f"{name!r} has one score a row for {len(data.labels)} classes; give it one column of scores for each "
                "class, or call te.risk_coverage(truth, confidence, predicted=labels)"
            )
        cut = data.facts.way(name, threshold).threshold
        confidence = _distance(array, default_threshold(array[~gone], cut))
    else:
        confidence = _confidence(array, called)
    facts = data.facts
    return _counted(rows.truth, called, confidence, gone, facts.missing, rows.weights, facts.weights_kind, name)


def _scores(scores: Any, missing: Missing) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The scores, with 0 in the rows that have none, and which rows those are; without a rule for them, an error."""
    array = matrix(scores, "scores")
    if array.dtype.kind == "O":
        array = np.array([np.nan if v is None else v for v in array.ravel()], dtype=object).reshape(array.shape)
        with suppress(TypeError, ValueError):  # score_array says what is wrong
            array = array.astype(np.float64)
    gone = np.zeros(len(array), dtype=bool)
    if missing != "error" and array.dtype.kind == "f":
        gone = _lacking(array)
        array = np.where(np.isnan(array), 0.0, array)
    return score_array(array), gone


def _lacking(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows lack a score."""
    gone: NDArray[np.bool_] = np.isnan(array).reshape(len(array), -1).any(axis=1)
    return gone


def _labels(
    truth: Any, predicted: Any, positive: Any, labels: Any, scores: NDArray[Any]
) -> tuple[Codes, Codes | None, tuple[Label, ...], Label | None]:
    columns = {"truth": code_column(column(truth, "truth"), "truth")}
    if predicted is not None:
        columns["predicted"] = code_column(column(predicted, "predicted"), "predicted")
    if labels is not None:
        names = check_labels(labels)
    else:
        names = natural_labels(merge_labels({name: coded.values for name, coded in columns.items()}))
    codes = {name: recode(coded, names, name) for name, coded in columns.items()}
    if (codes["truth"] < 0).any():
        row = int(np.argmax(codes["truth"] < 0))
        raise InputError(f"truth is missing at row {row + 1:,}; leave those rows out")
    if scores.ndim == 2 and scores.shape[1] != len(names):
        raise InputError(
            f"scores has {scores.shape[1]} columns but there are {len(names)} classes; columns follow the label order: "
            "pass labels= with all classes"
        )
    chosen = natural_positive(names) if positive is None else find_label(positive, names)
    if predicted is None and scores.ndim == 1:
        if chosen is None:
            raise need_positive(names, "one column of scores")
        if len(names) > 2:
            raise InputError(
                f"one column of scores tells two classes apart, but there are {len(names)}; pass predicted= with the "
                "confidence of each prediction, or one column of scores for each class"
            )
    return codes["truth"], codes.get("predicted"), names, chosen


def _calls(
    scores: NDArray[Any], names: tuple[Label, ...], chosen: Label | None, threshold: float | None
) -> tuple[Codes, Floats]:
    if scores.ndim == 2:
        called: Codes = np.argmax(scores, axis=1)
        return called, np.max(scores, axis=1).astype(np.float64)
    assert chosen is not None
    cut = default_threshold(scores, threshold)
    index = names.index(chosen)
    return np.where(scores >= cut, index, 1 - index), _distance(scores, cut)


def _confidence(scores: NDArray[Any], called: Codes) -> Floats:
    """Of one column the score itself; of one column a class the score of the class that was called."""
    if scores.ndim == 1:
        return scores.astype(np.float64)
    own = np.take_along_axis(scores, np.maximum(called, 0)[:, None].astype(np.intp), axis=1)
    return own[:, 0].astype(np.float64)


def _distance(scores: NDArray[Any], cut: float) -> Floats:
    """How far from the cut; of probabilities cut at one half, the probability of the called class."""
    values = scores.astype(np.float64)
    known = values[~np.isnan(values)]
    if cut == 0.5 and len(known) and known.min() >= 0 and known.max() <= 1:
        # 0.3 and 0.7 are equally confident; the distance to 0.5 would tell them apart in the last bit.
        return np.maximum(values, 1 - values)
    return np.abs(values - cut)
