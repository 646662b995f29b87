"""Risk–coverage curves (selective classification): how good the answers are when only the most confident are given.

Behind them stands a table of right and wrong answers by confidence.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind
from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._input import cluster_caution, is_predictions, key_caution, open_table, refuse_repeats
from trueerror.curves._points import Counts, Figures, Records, downward, wilson_proportion
from trueerror.curves._replicates import bootstrap_area
from trueerror.curves._verb import of_each_model
from trueerror.inference._clusters import without_gaps
from trueerror.inference._variance import ClusteredRows
from trueerror.inference.bootstrap._tables import Statistic
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import (
    Array,
    Floats,
    WeightsKind,
    check_indexes,
    column,
    default_threshold,
    matrix,
    same_length,
    score_array,
    weight_column,
)
from trueerror.inputs._labels import (
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
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share, check_word
from trueerror.kernels._groups import one_row_each
from trueerror.kernels._numpy import table_of_sorted
from trueerror.results import Interval
from trueerror.results._format import number, percent, whole, with_limits
from trueerror.results._values import joined_notes
from trueerror.sources._collect import refuse_columns, takes_table_options
from trueerror.sources._predictions import Predictions, labels_only
from trueerror.tallies._missing import Missing
from trueerror.tallies._scores import ScoreTable


class Answers(NamedTuple):
    """Confidence → right (as positives) and wrong (as negatives); rows without an answer, the model's name, and the
    rows in their clusters where there are any."""

    table: ScoreTable
    absent: int
    name: str
    clusters: CurveClusters | None = None


def count_answers(
    truth: Any, scores: Any, predicted: Any, *, model: str | None, positive: Any, labels: Any, threshold: float | None,
    missing: Missing, weights: Any, weights_kind: WeightsKind | None,
) -> Answers:  # fmt: skip
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
    array, absent = _scores(scores, missing)
    if len(array) == 0:
        raise InputError("risk and coverage need rows with predictions, but there are none")
    codes, called, names, chosen = _labels(truth, predicted, positive, labels, array)
    same_length({"truth": codes, "scores": array, **({} if called is None else {"predicted": called})})
    if called is None:
        called, confidence = _calls(array, names, chosen, threshold)
    else:
        confidence = _confidence(array, called)
    if weights is None and weights_kind is not None:
        raise InputError(f"weights_kind={weights_kind!r} was given without weights")
    w = None if weights is None else weight_column(weights, weights_kind)
    if w is not None:
        same_length({"truth": codes, "weights": w})
    return _counted(codes, called, confidence, absent, missing, w, weights_kind, "" if model is None else str(model))


def _counted(
    truth: Codes, called: Codes, confidence: Floats, absent: NDArray[np.bool_], missing: Missing,
    weights: Floats | None, weights_kind: WeightsKind | None, name: str, clusters: Codes | None = None,
) -> Answers:  # fmt: skip
    absent = absent | (called < 0)
    count = int(absent.sum())
    if count and missing == "error":
        raise InputError(
            f"row {int(np.argmax(absent)) + 1:,} has no prediction ({count:,} rows in all); say what to do with "
            'missing="wrong" (an answer that was not given is wrong, and is the last to be covered) or missing="drop"'
        )
    right = (truth == called) & ~absent
    chances = _are_probabilities(confidence[~absent])
    confidence = np.where(absent, -np.inf, confidence.round(DIGITS) if chances else confidence)
    if missing == "drop" and count:
        right, confidence = right[~absent], confidence[~absent]
        weights = None if weights is None else weights[~absent]
        clusters = None if clusters is None else clusters[~absent]
    table = ScoreTable.from_codes(right, confidence, True, weights=weights, weights_kind=weights_kind)
    if clusters is None:
        return Answers(table, count, name)
    clustered_rows = ClusteredRows(positive=right, scores=confidence, codes=without_gaps(clusters), weights=weights)
    return Answers(table, count, name, CurveClusters(clustered_rows))


def from_score_table(table: ScoreTable, threshold: float | None) -> ScoreTable:
    """Binary scores as answers: positive from the threshold up; of probabilities, as confident as that of the answer,
    of other scores the more confident the farther from the threshold.
    """
    cut = default_threshold(table.scores, threshold)
    return table._once(f"answers at {cut!r}", lambda: _folded_at(table, cut))


# 0.07 and 0.93 are equally confident, and 1 − 0.07 is not 0.93 in the last bit: probabilities have so many decimals.
DIGITS = 15


def _folded_at(table: ScoreTable, cut: float) -> ScoreTable:
    middle = int(np.searchsorted(table.scores, cut))
    below, above = table.scores[:middle][::-1], table.scores[middle:]
    chances = _are_probabilities(table.scores)
    # Confidence rises above the cut and falls beneath it: two sorted runs, which a stable sort finds and merges.
    confidence = np.empty(len(table.scores))
    np.subtract(1.0 if chances else cut, below, out=confidence[:middle])
    np.subtract(above, 0.0 if chances else cut, out=confidence[middle:])
    if chances:
        np.round(confidence, DIGITS, out=confidence)
    plain = table.exact and len(confidence) > 0 and confidence.max() < 2
    if plain and one_row_each(table.positives, table.negatives):
        # A row at each score: whether it is right rides in the last bit of its confidence, read as an integer.
        keys = confidence.view(np.int64)
        keys <<= 1
        keys[:middle] |= table.negatives[:middle][::-1]
        keys[middle:] |= table.positives[middle:]
        keys.sort(kind="stable")
        return ScoreTable._counted(*table_of_sorted(keys), positive=True, sources=table.sources)
    order = np.argsort(confidence, kind="stable")
    confidence = confidence.take(order)
    apart = confidence[1:] != confidence[:-1]
    starts = None if apart.all() else np.flatnonzero(np.concatenate(([True], apart)))

    def summed(under: Array, over: Array) -> Array:
        """What each answer has of one count beneath the cut and of another above it."""
        folded = np.concatenate((under[:middle][::-1], over[middle:])).take(order)
        return folded if starts is None else np.add.reduceat(folded, starts)

    scores = confidence if starts is None else confidence[starts]
    right, wrong = summed(table.negatives, table.positives), summed(table.positives, table.negatives)
    if table.exact and table.squares is None:
        return ScoreTable._counted(scores, right, wrong, positive=True, sources=table.sources)
    squares = None
    if table.squares is not None:
        up, down = table.squares
        squares = np.stack([summed(down, up), summed(up, down)])
    return ScoreTable(scores, right, wrong, positive=True, exact=table.exact, squares=squares, sources=table.sources)


def _cut_alone(data: Predictions, name: str) -> bool:
    """Whether a model has one score for each row of two classes, and rows count alike."""
    alike = data.weights_kind is None and not data.absent(name) and not cluster_caution(data)
    return alike and len(data.labels) == 2 and data.positive is not None and data.facts.model(name).scores == "one"


def _from_predictions(data: Predictions, model: str | None, threshold: float | None) -> Answers:
    name = data.only(model)
    refuse_repeats(data, "risk and coverage")
    if _cut_alone(data, name):
        rule = data.facts.decision_rule(name, threshold)
        # Scores that are cut: all is in their table, which others have asked for as well.
        if rule.kind == "cut" and (table := data.scores(name)).exact:
            return Answers(from_score_table(table, rule.threshold), 0, name)
    rows = data.source.fetched()
    scores = rows.columns[name].scores
    if scores is None:
        raise labels_only("a risk–coverage curve", name)
    array = np.asarray(scores, dtype=np.float64)
    absent = _lacking(array)
    called = np.asarray(rows.predicted_codes(name, threshold))
    if array.ndim == 1:
        if len(data.labels) > 2:
            raise InputError(
                f"{name!r} has one score a row for {len(data.labels)} classes; give it one column of scores for each "
                "class, or call te.risk_coverage(truth, confidence, predicted=labels)"
            )
        cut = default_threshold(array[~absent], data.facts.decision_rule(name, threshold).threshold)
        # Where no class is positive, labels do not say on which side of the cut they lie.
        flagged = array >= cut if data.positive is None else called == data.labels.index(data.positive)
        confidence = _of_answers(array, flagged, cut)
    else:
        confidence = _confidence(array, called)
    facts = data.facts
    keys = rows.keyed["clusters"].codes if cluster_caution(data) else None
    return _counted(rows.truth, called, confidence, absent, facts.missing, rows.weights, facts.weights_kind, name, keys)


def _scores(scores: Any, missing: Missing) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The scores, with 0 in the rows that have none, and which rows those are; without a rule for them, an error."""
    array = matrix(scores, "scores")
    if array.dtype.kind == "O":
        array = np.array([np.nan if v is None else v for v in array.ravel()], dtype=object).reshape(array.shape)
        with suppress(TypeError, ValueError):  # score_array says what is wrong
            array = array.astype(np.float64)
    absent = np.zeros(len(array), dtype=bool)
    if missing != "error" and array.dtype.kind == "f":
        absent = _lacking(array)
        array = np.where(np.isnan(array), 0.0, array)
    return score_array(array), absent


def _lacking(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows lack a score."""
    absent: NDArray[np.bool_] = np.isnan(array if array.ndim == 2 else array[:, None]).any(axis=1)
    return absent


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
    flagged = scores.astype(np.float64) >= cut
    return np.where(flagged, index, 1 - index), _of_answers(scores, flagged, cut)


def _confidence(scores: NDArray[Any], called: Codes) -> Floats:
    """Of one column the score itself; of one column a class the score of the class that was called."""
    if scores.ndim == 1:
        return scores.astype(np.float64)
    of_called = np.take_along_axis(scores, np.maximum(called, 0)[:, None].astype(np.intp), axis=1)
    return of_called[:, 0].astype(np.float64)


def _are_probabilities(scores: Floats) -> bool:
    return len(scores) > 0 and bool(np.fmin.reduce(scores) >= 0 and np.fmax.reduce(scores) <= 1)


def _of_answers(scores: NDArray[Any], flagged: NDArray[np.bool_], cut: float) -> Floats:
    """How confident each answer is: the probability of the class that was called, wherever probabilities are cut and
    whoever gave the labels, which orders answers by how likely they are right (Chow 1970, IEEE Trans. Inf. Theory
    16:41); of other scores how far they lie on the answer's side of the cut.
    """
    values = scores.astype(np.float64, copy=False)
    if _are_probabilities(values):  # scores that are absent are NaN, which it leaves out
        return np.where(flagged, values, 1 - values)
    return np.where(flagged, values - cut, cut - values)


@takes_table_options
@of_each_model
def risk_coverage(
    truth: Any, scores: Any = None, *, predicted: Any = None, model: str | None = None, positive: Any = None,
    labels: Any = None, threshold: float | None = None, missing: Missing = "error", weights: Any = None,
    weights_kind: WeightsKind | None = None, **columns: Any,
) -> RiskCoverage:  # fmt: skip
    """Accuracy on the most confident share of the predictions, as that share grows from nothing to all.

    Takes the truth and scores, or Predictions, a path or a table that te.read takes (with `model`).
    With `predicted`, `scores` is the confidence of each prediction, or (n, K) of which that of the predicted class
    counts. Without, (n, K) scores are called by the highest, which is the confidence; one column is cut at
    `threshold`, and the confidence is the probability of the class called, p or 1 − p, also at other thresholds than
    0.5 (of scores that are no probabilities, their distance from the threshold).
    A prediction that is absent is an error, or counts as wrong and as the last to be covered (`missing="wrong"`), or
    is left out and counted in `.absent` ("drop"). Source: El-Yaniv and Wiener 2010, J. Mach. Learn. Res. 11:1605.

    >>> curve = risk_coverage([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.45])
    >>> curve.coverage.tolist(), curve.accuracy.round(3).tolist()
    ([0.25, 0.5, 0.75, 1.0], [1.0, 1.0, 0.667, 0.75])
    """
    check_word(missing, ("error", "wrong", "drop"), "missing")
    if predicted is None:
        rule = None if missing == "error" else missing
        columns |= {"labels": labels, "missing": rule}
        truth, weights = open_table(truth, scores, model, positive, weights, weights_kind, columns)
    else:
        refuse_columns(columns)
    answers = count_answers(
        truth, scores, predicted, model=model, positive=positive, labels=labels, threshold=threshold, missing=missing,
        weights=weights, weights_kind=weights_kind,
    )  # fmt: skip
    predictions = truth if is_predictions(truth) else None
    return RiskCoverage(
        answers.table, name=answers.name, absent=answers.absent, clusters=answers.clusters,
        missing=missing if predictions is None else predictions.missing, caution=key_caution(predictions),
    )  # fmt: skip


@curve_kind("risk-coverage-curve", verb="risk_coverage", picture="curves.risk_coverage_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RiskCoverage(TableCurve):
    """Selective risk against coverage. `table` holds right answers as positives and wrong ones as negatives, by
    confidence; `absent` counts the rows without a prediction, `missing` says what was done with them.
    """

    absent: int = 0
    missing: Missing = "error"

    def __post_init__(self) -> None:
        check_word(self.missing, ("error", "wrong", "drop"), "missing")
        if not self.table.n > 0:
            raise InputError("risk and coverage need rows with predictions, but there are none")

    @cached_property
    def _covered(self) -> Floats:
        """Rows that get an answer at each cutoff of the confidence."""
        return self._tp + self._fp

    @property
    def thresholds(self) -> Floats:
        """Confidences, descending; an answer is given when its confidence is at or above."""
        return self.table.scores[::-1]

    @property
    def coverage(self) -> Floats:
        """Share of the rows that get an answer."""
        return self._covered[1:] / float(self._covered[-1])

    @property
    def risk(self) -> Floats:
        """Share of the answers that are wrong."""
        return self._fp[1:] / self._covered[1:]

    @property
    def accuracy(self) -> Floats:
        """Share of the answers that are right."""
        return 1 - self.risk

    def at(
        self,
        *,
        coverage: float | None = None,
        threshold: float | None = None,
        accuracy: float | None = None,
        confidence: float = 0.95,
    ) -> Interval:
        """Accuracy on the most confident `coverage` of the rows, from a confidence `threshold` up, or at the largest
        coverage that still reaches an `accuracy` on these rows. Wilson's interval, for rows like those covered.

        >>> print(risk_coverage([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.45]).at(coverage=0.5))
        accuracy on the most confident 50 % 1.000 [0.342, 1.000], 95 % wilson, n = 2 (confidence at least 0.800)
        """
        if sum(v is not None for v in (coverage, threshold, accuracy)) != 1:
            raise InputError("give one of coverage=, threshold= or accuracy=")
        read, total = "", self._rows_covered(len(self.table.scores))
        if threshold is not None:
            place = int(np.count_nonzero(self.table.scores >= threshold))
            rows = self._rows_covered(place)
            if rows == 0:
                raise InputError(f"no answer has a confidence of {threshold!r} or more; the highest is "
                                 f"{float(self.table.scores[-1]):.6g}")  # fmt: skip
        elif accuracy is not None:
            good = np.flatnonzero(self.accuracy >= check_share(accuracy, "accuracy"))
            if len(good) == 0:
                raise InputError(
                    f"no coverage reaches accuracy={accuracy}: the highest is {number(float(self.accuracy.max()))}"
                )
            rows, read = float(self._covered[good[-1] + 1]), ", read off these rows"
        else:
            assert coverage is not None
            if not 0 < coverage <= 1:
                raise InputError(f"coverage={coverage!r} must lie in (0, 1]: the share of the rows that get an answer")
            rows = coverage * total
        place = max(1, self._first_covering(rows * (1 - 1e-12)))
        cut = float(self.thresholds[place - 1])
        right, wrong_ones = self._counts_around(rows)
        wrong = float(np.interp(rows, right + wrong_ones, wrong_ones))
        ties = "" if self._rows_covered(place) <= rows * (1 + 1e-12) else "; ties at the cut in random order"
        part = rows / total
        return self._noted(wilson_proportion(
            f"accuracy on the most confident {percent(round(part, 6))}", rows - wrong, wrong, confidence=confidence,
            squares=self._squares(rows), clustered=self._effective(cut, confidence),
            note=joined_notes(f"confidence at least {number(cut)}{read}{ties}", self._units),
            estimand=f"this model on rows with confidence at least {number(cut)}",
        ))  # fmt: skip

    def _rows_covered(self, place: int) -> float:
        """Rows that get an answer at one cutoff."""
        tp, fp = self._counts_at(np.array([place]))
        return float((tp + fp)[0])

    def _first_covering(self, rows: float) -> int:
        """The first cutoff at which so many rows get an answer."""
        if self.table.squares is None and self.table.many:
            return self.table._first_with(rows)
        return int(np.searchsorted(self._covered, rows, side="left"))

    def _effective(self, cut: float, confidence: float) -> float | None:
        """The effective number of the answers from a confidence up; None without clusters."""
        if self.clusters is None:
            return None
        return float(self.clusters.of_precision(np.array([cut]), confidence).min()) or 1.0

    def area(self, *, confidence: float = 0.95, replicates: int = 2000, rng: Rng = None) -> Interval:
        """AURC: the mean over all coverages of the risk; within ties, as if in random order.

        With n rows it is the mean over k = 1 … n of the risk among the k most confident. Bootstrap limits; where the
        replicates have no spread, as with no error at all, [0, U(1 − ln U)] with U Wilson's upper limit of the error
        rate: that is the AURC when all errors are the most confident answers. Of rows in clusters the limits lie
        farther off by √(n/m), m the effective number of rows. Source: Geifman, Uziel and El-Yaniv
        2019, ICLR.
        """
        level = check_confidence(confidence)
        rows = self._all_rows(level)
        rate = float(self._fp[-1] / self._covered[-1])
        low, high = (float(x) for x in share_limits(rate * rows, rows, "wilson", level))
        fallback = (max(0.0, best_risk_area(low)), high * (1 - math.log(high)) if high < 1 else 1.0, "unseen-share")
        interval = bootstrap_area(
            self.table, self._areas, name="area under risk and coverage", estimate=self._area(), confidence=level,
            replicates=replicates, rng=rng, fallback=fallback, estimand="this model", bounds=None,
        )  # fmt: skip
        resampled = (interval.low, interval.high) != fallback[:2]
        if self.clusters is not None and resampled:
            wider = math.sqrt(self.table.n / max(rows, 1.0))
            low, high = (
                interval.estimate + wider * (limit - interval.estimate) for limit in (interval.low, interval.high)
            )
            note = joined_notes(interval.note, f"{self._units}, at which the limits are taken")
            interval = replace(interval, low=max(0.0, low), high=min(1.0, high), note=note)
        return self._noted(interval, binned=False)

    @property
    def excess(self) -> float:
        """AURC less what the same answers would reach in perfect order, κ + (1 − κ)·ln(1 − κ) at the error rate κ."""
        return self._area() - best_risk_area(float(self._fp[-1] / self._covered[-1]))

    @property
    def _areas(self) -> Statistic:
        return risk_areas if self.table.squares is None else continuous_risk_areas

    def _area(self) -> float:
        return float(self._areas(self.table.positives[None], self.table.negatives[None])[0])

    def _figures(self) -> Figures:
        return [("accuracy at a coverage, .at()", self.at(coverage=1.0)), ("the area (AURC)", self.area())]

    def records(self) -> Records:
        """One record for each distinct confidence."""
        columns = (self.thresholds, self.coverage, self.risk, self.accuracy)
        return columns_to_records(("threshold", "coverage", "risk", "accuracy"), columns)

    def _words(self) -> str:
        accuracies = [self.at(coverage=c) for c in (1.0, 0.8, 0.5)]
        parts = [with_limits(x.estimate, x.low, x.high) for x in accuracies]
        done = {"wrong": "counted as wrong, the last to be covered", "drop": "left out"}.get(self.missing, "")
        rows = "1 row without a prediction was" if self.absent == 1 else f"{whole(self.absent)} rows without one were"
        absent = f"\n{rows} {done}." if self.absent else ""
        return (
            f"Risk and coverage{self._subject()}, {whole(self.table.n)} rows: accuracy {parts[0]} on all,\n"
            f"{parts[1]} on the most confident 80 %, {parts[2]} on the most confident half.{absent}"
        )

    def _squares(self, rows: float) -> tuple[float, float] | None:
        if self.table.squares is None:
            return None
        up, down = (float(np.interp(rows, self._covered, downward(s))) for s in self.table.squares)
        return up, down


def best_risk_area(rate: float) -> float:
    """AURC of perfectly ordered answers, all errors last: κ + (1 − κ)·ln(1 − κ).

    >>> round(best_risk_area(0.5), 4)
    0.1534
    """
    return 1.0 if rate >= 1 else rate + (1 - rate) * math.log1p(-rate)


def risk_areas(right: Counts, wrong: Counts) -> Floats:
    """Mean over k = 1 … n of the risk among the k most confident rows, for tables in rows.

    Within a tie of g rows with e errors, after k₀ rows with E errors, the j-th adds E + e·j/g errors on average, and
    the sum over j is e + (E − e·k₀/g)·(ψ(k₀ + g + 1) − ψ(k₀ + 1)).

    >>> risk_areas(np.array([[1, 1]]), np.array([[1, 0]])).round(6).tolist()
    [0.194444]
    """
    from scipy.special import digamma

    errors, rows, begin_errors, begin = _steps(right, wrong)
    growth = digamma(begin + rows + 1) - digamma(begin + 1)
    return _mean_risk(errors, rows, begin_errors, begin, growth)


def continuous_risk_areas(right: Counts, wrong: Counts) -> Floats:
    """The same as an integral over coverage, for weights that are not whole: a logarithm in the place of ψ."""
    errors, rows, begin_errors, begin = _steps(right, wrong)
    growth = np.log1p(rows / np.where(begin > 0, begin, 1.0))
    return _mean_risk(errors, rows, begin_errors, begin, growth)


def _steps(right: Counts, wrong: Counts) -> tuple[Floats, Floats, Floats, Floats]:
    errors = np.asarray(wrong, dtype=np.float64)[:, ::-1]
    rows = errors + np.asarray(right, dtype=np.float64)[:, ::-1]
    return errors, rows, np.cumsum(errors, axis=1) - errors, np.cumsum(rows, axis=1) - rows


def _mean_risk(errors: Floats, rows: Floats, begin_errors: Floats, begin: Floats, growth: Floats) -> Floats:
    offset = begin_errors - errors * begin / np.where(rows > 0, rows, 1.0)
    sums = np.where(rows > 0, errors + np.where(begin > 0, offset * growth, 0.0), 0.0).sum(axis=1)
    total = rows.sum(axis=1)
    areas: Floats = sums / np.where(total > 0, total, 1.0)
    return np.where(total > 0, areas, np.nan)
