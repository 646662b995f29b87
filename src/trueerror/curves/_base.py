"""What curves are made of: frozen views over a score table, one point for each distinct score.

How every curve takes its input: rows, a Predictions object, a score table, or another curve.

Shares and their combinations at one point of a curve, each with its interval.

Reading a ROC curve between its points: joined by straight lines, with vertical pieces that have a top and a foot.

Pool adjacent violators over a score table: the isotonic fit, which is the ROC hull seen from the side.

The blocks of the isotonic regression of the outcome on the score are the segments of the upper ROC hull, so one
routine serves calibration, cost curves and score decompositions.

Source: Ayer et al. 1955, Ann. Math. Stat. 26:641; Fawcett and Niculescu-Mizil 2007, Machine Learning 68:97.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._delta import mover
from trueerror.inference.auc._interval import effective_rows
from trueerror.inference.proportion._array_intervals import limits
from trueerror.inputs._arrays import WeightsKind, check_indexes, column, matrix
from trueerror.inputs._labels import code_column, find_label, natural_labels, natural_positive, need_positive
from trueerror.inputs._options import InputError, MissingPredictionError, check_confidence
from trueerror.results import Interval, Result
from trueerror.results._format import folded
from trueerror.sources._api import is_openable, refuse_columns
from trueerror.sources._api import opened as opened_predictions
from trueerror.tallies import Missing
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]


class TableCurve(Result):
    """A curve that is computed from its score table; it travels as JSON by that table.

    `name` is the model's; `caution` is what every interval that is read off the curve must say beside it. Subclasses
    list further fields that must travel in `_options`.
    """

    __slots__ = ("caution", "name", "table")
    _options: ClassVar[tuple[str, ...]] = ()
    # How the curve is drawn: an entry of the catalogue of methods.
    _shape: ClassVar[str]
    table: ScoreTable
    name: str
    caution: str

    def __init__(self, table: ScoreTable, *, name: str = "") -> None:
        self._set(table=table, name=name, caution="")

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, frozen(value) if isinstance(value, np.ndarray) else value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make a new one")

    def __reduce__(self) -> Any:
        return (_restore, (type(self), self._to_data()))

    def _to_data(self) -> dict[str, Any]:
        return {**{key: getattr(self, key) for key in ("table", "name", *self._options)}, **self._cautioned()}

    def _cautioned(self) -> dict[str, str]:
        return {"caution": self.caution} if self.caution else {}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        fields = dict(data)
        caution = str(fields.pop("caution", ""))
        made = cls(fields.pop("table"), **fields)
        made._set(caution=caution)
        return made

    @property
    def n(self) -> float:
        """All rows (or their weight)."""
        return self.table.n

    @property
    def prevalence(self) -> float:
        """Share of the rows that are positive."""
        return self.table.n_positive / self.table.n

    def _class_rows(self) -> tuple[float, float]:
        """Positives and negatives; with sampling weights the equal rows that they are worth."""
        return effective_rows(self.table)

    def _all_rows(self) -> float:
        """The rows; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
        n = float(self.table.n)
        return n if self.table.squares is None else n * n / float(self.table.squares.sum())

    def _told(self, interval: Interval) -> Interval:
        """The interval with the caution in its note, and with what binning leaves open, where it does not say that."""
        binned = "" if "binned scores" in interval.note else self._binned()
        if not (self.caution or binned):
            return interval
        return replace(interval, note="; ".join(w for w in (interval.note, binned, self.caution) if w))

    def _words(self) -> str:
        return f"{type(self).__name__}{self._subject()} of {self.table}"

    def __str__(self) -> str:
        return folded(self._words() + self._cautions())

    def _binned(self) -> str:
        """What binned scores leave open of the curve, in words; empty where scores are exact."""
        return self.table.bounds.words()

    def _cautions(self) -> str:
        """What must be said beside the curve, a line each."""
        binned = self._binned()
        lines = [f"{binned[0].upper()}{binned[1:]}."] if binned else []
        return "".join(f"\n{line}" for line in [*lines, *([f"Caution: {self.caution}."] if self.caution else [])])

    def _made_by(self) -> list[tuple[str, object]]:
        return [("the curve", self._shape), *self._figures()]

    def _figures(self) -> list[tuple[str, object]]:
        """What is read off the curve, each with its method or with the figure that names it."""
        return []

    def _subject(self) -> str:
        return f" of {self.name}" if self.name else ""

    def __repr__(self) -> str:
        return str(self)


def _restore(kind: type[TableCurve], data: dict[str, Any]) -> TableCurve:
    return kind._from_data(dict(data))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def counts_at_cutoffs(table: ScoreTable) -> BinaryCounts:
    """The four counts at every cutoff, from "nothing is called positive" down through each distinct score.

    >>> c = counts_at_cutoffs(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))
    >>> c.tp.tolist(), c.fp.tolist()
    ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    """
    tp, fp = downward(table.positives), downward(table.negatives)
    return BinaryCounts(tp, fp, tp[-1] - tp, fp[-1] - fp)


def cutoffs(table: ScoreTable) -> Floats:
    """Thresholds, descending; the first is infinite: nothing is called positive."""
    return np.concatenate(([np.inf], table.scores[::-1]))


def downward(counts: NDArray[Any]) -> Floats:
    """Running sums from the highest score down, starting at 0; the last axis runs over ascending scores.

    As floats, which are exact up to 2⁵³ rows, so that products of counts do not overflow.
    """
    total = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1))
    np.cumsum(counts[..., ::-1], axis=-1, out=total[..., 1:])
    return total


def area_under(x: Floats, y: Floats) -> float:
    """The area under points joined by straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


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
            opened_predictions(data, missing=missing)
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
        from trueerror.sources._collect import ONE_MODEL, predictions

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
            opened_predictions(data, **rest)
        else:
            refuse_columns(rest)
        return data, weights
    options = {**columns, "weight": weights, "weights_kind": weights_kind}
    try:
        return opened_predictions(data, positive=positive, **options), None
    except MissingPredictionError:
        if data == "-":
            raise
        found = opened_predictions(data, positive=positive, **{**options, "missing": "drop"})
        name = found.only(scores if model is None else model)
        if found.absent(name):
            raise
        rows = found.select(name)
        return replace(rows, source=rows.source.with_facts(replace(rows.facts, missing="error"))), None


def is_predictions(data: Any) -> bool:
    """Whether this is a Predictions object, without loading its room."""
    return type(data).__name__ == "Predictions" and type(data).__module__.startswith("trueerror.sources")


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


def rows_for_interval(hits: Any, misses: Any, squares: tuple[Any, Any] | None) -> Floats:
    """How many rows a share rests on: their number, or with sampling weights p̂q̂/V of the linearised ratio.

    V = (q²·Σw² of the hits + p²·Σw² of the misses) / (Σw)²; where all rows are alike, Kish's (Σw)²/Σw².
    """
    up, down = np.asarray(hits, dtype=np.float64), np.asarray(misses, dtype=np.float64)
    rows: Floats = up + down
    if squares is None:
        return rows
    square_up, square_down = (np.asarray(s, dtype=np.float64) for s in squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = up / rows, down / rows
        spread = q * q * square_up + p * p * square_down
        mixed = rows * rows * p * q / spread
        alike = rows * rows / (square_up + square_down)
    return np.where(rows > 0, np.where((up > 0) & (down > 0), mixed, alike), 0.0)


def share(
    name: str,
    hits: float,
    misses: float,
    *,
    confidence: float = 0.95,
    squares: tuple[float, float] | None = None,
    note: str = "",
    estimand: str = "",
    undefined: str = "there are no rows",
) -> Interval:
    """A share with its Wilson interval; with sampling weights at the effective number of rows.

    >>> print(share("precision", 30, 10))
    precision 0.750 [0.598, 0.858], 95 % wilson, n = 40
    """
    level = check_confidence(confidence)
    method = "wilson" if squares is None else "wilson-weighted"
    total = hits + misses
    if not total > 0:
        return Interval(
            name=name, estimate=math.nan, low=math.nan, high=math.nan, confidence=level, method=method, n=0,
            note="; ".join(w for w in (undefined, note) if w), estimand=estimand,
        )  # fmt: skip
    rows = float(rows_for_interval(hits, misses, squares))
    estimate = hits / total
    low, high = limits(estimate * rows, rows, "wilson", level)
    return Interval(
        name=name, estimate=estimate, low=float(low), high=float(high), confidence=level, method=method,
        n=rows if squares is None else round(rows, 1), note=note, estimand=estimand,
    )  # fmt: skip


def opened(found: Interval, bounds: tuple[Bounds, Bounds] | None, **options: Any) -> Interval:
    """The share with the limits of the fewest hits with the most misses, and of the most with the fewest.

    `bounds` are those of the hits and of the misses, where binned scores leave them open; `options` those of `share`.

    >>> print(opened(share("tpr", 30, 10), (Bounds(30, 32), Bounds(8, 10))))
    tpr 0.750 [0.598, 0.895], 95 % wilson, n = 40
    """
    if bounds is None:
        return found
    hits, misses = bounds
    made = [share(found.name, *counts, **options) for counts in ((hits.low, misses.high), (hits.high, misses.low))]
    # Where nothing is called the share is undefined, and anything may be true.
    low, high = (x if math.isfinite(x) else end for x, end in ((made[0].low, 0.0), (made[1].high, 1.0)))
    if math.isnan(found.estimate):
        return found
    return replace(found, low=min(found.low, low), high=max(found.high, high))


def weighted_sum(
    weights: tuple[float, float],
    hits: tuple[float, float],
    rows: tuple[float, float],
    *,
    confidence: float,
    exclusive: bool = False,
) -> tuple[float, float, float]:
    """w₁p₁ + w₂p₂ with limits from Wilson's limits of the two shares (MOVER).

    The shares are of different rows, or, with `exclusive`, of the same rows of which none is in both: then their
    correlation is −√(p₁p₂/q₁q₂).

    >>> [round(x, 4) for x in weighted_sum((0.5, 0.5), (45, 15), (50, 30), confidence=0.95)]
    [0.7, 0.5984, 0.7888]
    """
    parts = np.divide(hits, rows)
    low, high = limits(hits, rows, "wilson", confidence)
    p, q = float(parts[0]), float(parts[1])
    correlation = 0.0
    if exclusive and 0 < p < 1 and 0 < q < 1:
        correlation = -math.sqrt(p * q / ((1 - p) * (1 - q)))
    factors = np.array(weights, dtype=np.float64)
    down, up = mover(parts, low, high, factors, lambda reach: 2 * correlation * float(reach[0] * reach[1]))
    return float(factors @ parts), down, up


# A hair, so that 0.3 finds the point at 3/10.
HAIR = 1e-12


def top_at(fpr: Floats, tpr: Floats, wanted: Any) -> Floats:
    """The highest TPR that the joined points have at each FPR.

    >>> top_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.5 , 0.75])
    """
    x = np.asarray(wanted, dtype=np.float64)
    before = np.searchsorted(fpr, x * (1 + HAIR) + 1e-15, side="right") - 1
    after = np.minimum(before + 1, len(fpr) - 1)
    return _between(fpr, tpr, x, before, after)


def foot_at(fpr: Floats, tpr: Floats, wanted: Any) -> Floats:
    """The lowest TPR that the joined points have at each FPR.

    >>> foot_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.  , 0.75])
    """
    x = np.asarray(wanted, dtype=np.float64)
    after = np.minimum(np.searchsorted(fpr, x * (1 - HAIR) - 1e-15, side="left"), len(fpr) - 1)
    before = np.maximum(after - 1, 0)
    # At the first point there is nothing before it.
    return _between(fpr, tpr, x, np.where(fpr[after] <= x * (1 + HAIR) + 1e-15, after, before), after)


def _between(fpr: Floats, tpr: Floats, x: Floats, before: Any, after: Any) -> Floats:
    width = fpr[after] - fpr[before]
    part = np.where(width > 0, (x - fpr[before]) / np.where(width > 0, width, 1.0), 0.0)
    out: Floats = tpr[before] + np.clip(part, 0.0, 1.0) * (tpr[after] - tpr[before])
    return out


def curve_points(positives: Any, negatives: Any) -> tuple[Floats, Floats]:
    """(fpr, tpr) of one table of counts at ascending scores, from (0, 0) to (1, 1)."""
    tp = np.concatenate(([0.0], np.cumsum(positives[::-1])))
    fp = np.concatenate(([0.0], np.cumsum(negatives[::-1])))
    return fp / fp[-1], tp / tp[-1]


Places = NDArray[np.intp]

# After this many passes over whole arrays the few blocks that still change are pooled one by one.
PASSES = 40


def pooled_blocks(positives: NDArray[Any], negatives: NDArray[Any]) -> Places:
    """Where each block of the increasing fit starts, scores ascending; neighbours with equal shares are one block.

    Every run of neighbours whose shares do not increase is pooled at once, and again until none is left: any order of
    pooling gives the same blocks, and a few passes over arrays suffice where a loop would visit every score.

    >>> pooled_blocks(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3]
    """
    starts = np.arange(len(positives), dtype=np.intp)
    up = np.asarray(positives, dtype=np.float64)
    down = np.asarray(negatives, dtype=np.float64)
    for _ in range(PASSES):
        share = up / (up + down)
        begins = np.concatenate(([True], share[1:] > share[:-1]))
        if begins.all():
            return starts
        first = np.flatnonzero(begins)
        starts = starts[first]
        up, down = np.add.reduceat(up, first), np.add.reduceat(down, first)
    return _one_by_one(starts, up, up + down)


def _one_by_one(starts: Places, up: Floats, size: Floats) -> Places:
    """The classical algorithm with a stack, for the rare input that loses one block in each pass."""
    kept: list[tuple[int, float, float]] = []
    for start, hits, rows in zip(starts.tolist(), up.tolist(), size.tolist(), strict=True):
        while kept and kept[-1][1] / kept[-1][2] >= hits / rows:
            start, more_hits, more_rows = kept.pop()
            hits, rows = hits + more_hits, rows + more_rows
        kept.append((start, hits, rows))
    return np.array([block[0] for block in kept], dtype=np.intp)


def isotonic_shares(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """The increasing fit at each score: the share of positives in the score's block.

    >>> isotonic_shares(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0.0, 0.3333333333333333, 0.3333333333333333, 1.0]
    """
    starts = pooled_blocks(positives, negatives)
    up = np.add.reduceat(np.asarray(positives, dtype=np.float64), starts)
    down = np.add.reduceat(np.asarray(negatives, dtype=np.float64), starts)
    return np.repeat(up / (up + down), np.diff(np.append(starts, len(positives))))


def hull_places(positives: NDArray[Any], negatives: NDArray[Any]) -> Places:
    """The cutoffs on the ROC hull, as places in the arrays that run from "nothing called" down to the lowest score.

    >>> hull_places(np.array([0, 1, 0, 2]), np.array([1, 1, 1, 0])).tolist()
    [0, 1, 3, 4]
    """
    starts = pooled_blocks(positives, negatives)
    return np.concatenate(([0], len(positives) - starts[::-1])).astype(np.intp)
