"""Curves of any metric of predicted labels against any other, over the threshold, as R's ROCR draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, overload

import numpy as np

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, frozen
from trueerror.curves._input import CurveInput
from trueerror.curves._points import Records, counts_at_cutoffs, cutoffs
from trueerror.curves._verb import ModelCurves, curve_verb, typed_as
from trueerror.inputs._arrays import Floats, WeightsKind, one_number
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import Measure, every_measure, find_measure, ratio
from trueerror.results._format import whole
from trueerror.tallies._confusion import Amount, BinaryCounts, Confusion, binary_as_classes
from trueerror.tallies._scores import ScoreTable

_JSON_NAMES = {"x_name": "x", "y_name": "y"}
# What ROCR calls them. Its "cost" is a mean over rows: here "expected_cost", while "cost" is the total.
ROCR_NAMES = {
    "err": "error_rate", "sens": "recall", "rec": "recall", "fall": "fpr", "miss": "fnr", "spec": "specificity",
    "prec": "precision", "pcfall": "false_discovery_rate", "pcmiss": "false_omission_rate",
    "rpp": "detection_prevalence", "rnp": "rejection_rate", "phi": "mcc", "mat": "mcc", "mi": "mutual_information",
    "chisq": "chi_squared", "odds": "diagnostic_odds_ratio", "f": "f_beta",
    "cutoff": "threshold",
}  # fmt: skip


class MeasureVerb(Protocol):
    """How a curve of measures is asked for, with its own options."""

    __name__: str

    @overload
    def __call__(
        self, truth: object, scores: Mapping[str, object], *, positive: object = None, weights: object = None,
        weights_kind: WeightsKind | None = None, x: str, y: str,
        x_options: Mapping[str, Any] | None = None, y_options: Mapping[str, Any] | None = None, **columns: object,
    ) -> ModelCurves[MeasureCurve]: ...  # fmt: skip
    @overload
    def __call__(
        self, truth: object, scores: Any = None, *, model: str | None = None, positive: object = None,
        weights: object = None, weights_kind: WeightsKind | None = None, x: str, y: str,
        x_options: Mapping[str, Any] | None = None, y_options: Mapping[str, Any] | None = None, **columns: object,
    ) -> MeasureCurve: ...  # fmt: skip


@typed_as(MeasureVerb)  # type: ignore[type-abstract]
@curve_verb("a curve of measures")
def measure_curve(
    data: CurveInput, *, x: str, y: str, x_options: Mapping[str, Any] | None = None,
    y_options: Mapping[str, Any] | None = None,
) -> MeasureCurve:  # fmt: skip
    """One measure against another at every cutoff.

    `x` and `y` are names of `te.catalogue()` that come from calls, ROCR's names, or "threshold", "lift",
    "false_discovery_rate", "false_omission_rate", "rejection_rate", "mutual_information" (bits) and "chi_squared".
    Undefined values are NaN. Source: Sing et al. 2005, Bioinformatics 21:3940.

    >>> curve = measure_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], x="threshold", y="f_beta", y_options={"beta": 2})
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([inf, 0.9, 0.8, 0.7, 0.1], [0.0, 0.556, 0.5, 0.909, 0.833])
    """
    for option, value in (("x_options", x_options), ("y_options", y_options)):
        if value is not None and not isinstance(value, Mapping):
            raise InputError(
                f"{option}={value!r:.40} must be a dictionary of the metric's own options, such as {{'beta': 2}}"
            )
    return MeasureCurve(
        data.table, name=data.name, caution=data.caution, x_name=x, y_name=y, x_options=dict(x_options or {}),
        y_options=dict(y_options or {}),
    )  # fmt: skip


@curve_kind("measure-curve", verb="measure_curve", picture="curves.measure_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasureCurve(TableCurve):
    """`x` and `y` at each of `thresholds`, which descend; the first is infinite: nothing is predicted positive."""

    x_name: str
    y_name: str
    x_options: Mapping[str, Any] = field(default_factory=dict)
    y_options: Mapping[str, Any] = field(default_factory=dict)
    by_cluster: ClassVar[bool] = False

    def __post_init__(self) -> None:
        # What is wrong with a name or an option is said when the curve is made.
        for axis in ("x", "y"):
            name, values = measure_at_cutoffs(
                self.table, getattr(self, f"{axis}_name"), **getattr(self, f"{axis}_options")
            )
            object.__setattr__(self, f"{axis}_name", name)
            object.__setattr__(self, axis, frozen(values))

    x: Floats = field(init=False, metadata={"saved": False})
    y: Floats = field(init=False, metadata={"saved": False})

    def _to_data(self) -> dict[str, Any]:
        # In JSON `x` and `y` are the names of the measures.
        return {_JSON_NAMES.get(key, key): value for key, value in super()._to_data().items()}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        fields = {json: name for name, json in _JSON_NAMES.items()}
        return cls(**{fields.get(key, key): value for key, value in data.items()})

    @property
    def thresholds(self) -> Floats:
        """Descending; the first is infinite."""
        return cutoffs(self.table)

    def at(self, threshold: float) -> tuple[float, float]:
        """(x, y) when rows from this score up are predicted positive."""
        threshold = one_number(threshold, "threshold")
        if self.table.bounds.words_at(threshold):
            raise InputError(
                f"threshold={threshold!r} lies within a bin of scores; `thresholds` lists those that do not"
            )
        place = int(np.count_nonzero(self.table.scores >= threshold))
        return float(self.x[place]), float(self.y[place])

    @property
    def of_threshold(self) -> bool:
        """Whether an axis is the threshold itself, of which counts know nothing."""
        return "threshold" in (self.x_name, self.y_name)

    def of_counts(self, counts: BinaryCounts) -> tuple[Floats, Floats]:
        """(x, y) at counts that need not be those of a cutoff, such as mixtures of two.

        >>> curve = measure_curve([1, 0], [0.5, 0.5], x="recall", y="precision")
        >>> [v.tolist() for v in curve.of_counts(BinaryCounts(*(np.array([0.5]) for _ in range(4))))]
        [[0.5], [0.5]]
        """
        if self.of_threshold:
            raise InputError("a threshold does not follow from counts")
        return (
            _of_counts(self.x_name, counts, self.x_options)[1],
            _of_counts(self.y_name, counts, self.y_options)[1],
        )

    def records(self) -> Records:
        """One record for each cutoff."""
        names = ("threshold", self.x_name, self.y_name)
        return columns_to_records(names, (self.thresholds, self.x, self.y))

    def _words(self) -> str:
        return (
            f"{self.y_name} against {self.x_name}{self._subject()} at {len(self.x):,} cutoffs, "
            f"{whole(self.table.n_positive)} positives of {whole(self.table.n)} rows."
        )


def measure_at_cutoffs(table: ScoreTable, name: str, **options: Any) -> tuple[str, Floats]:
    """A measure's full name, and its values from "nothing is predicted positive" down through each distinct score.

    >>> measure_at_cutoffs(ScoreTable.count([1, 0], [0.9, 0.1]), "acc")
    ('accuracy', array([0.5, 1. , 0.5]))
    """
    word = str(name).strip().lower().replace("-", "_").replace(" ", "_")
    word = ROCR_NAMES.get(word, word)
    if word == "threshold":
        return word, cutoffs(table)
    return _of_counts(word, counts_at_cutoffs(table), options, asked=name)


def _of_counts(
    word: str, counts: BinaryCounts, options: Mapping[str, object], *, asked: str = ""
) -> tuple[str, Floats]:
    """A measure's full name, and its values at counts; `asked` is how it was called, for the words of an error."""
    if word in EXTRA:
        if options:
            raise InputError(f"{word} takes no options, but got {', '.join(options)}")
        return word, np.asarray(EXTRA[word](counts), dtype=np.float64)
    try:
        measure = find_measure(word)
    except InputError:
        known = [*ROCR_NAMES, *EXTRA, *(m.name for m in every_measure().values() if m.of_labels)]
        raise InputError(f"measure {asked or word!r} is not known{nearest(word, known)}") from None
    if not measure.of_labels:
        raise InputError(
            f"{measure.name} is one number for all scores, not one for each cutoff; choose a measure of calls, such as "
            "'recall' or 'accuracy'"
        )
    unknown = [o for o in options if o not in measure.options]
    if unknown:
        raise InputError(f"{measure.name} has no option {unknown[0]!r}{nearest(unknown[0], measure.options)}")
    with np.errstate(invalid="ignore", divide="ignore"):
        return measure.name, np.asarray(_evaluate(measure, counts, options), dtype=np.float64)


def _evaluate(measure: Measure, t: BinaryCounts, options: Mapping[str, Any]) -> Amount:
    if measure.of_one_class:
        return measure.function(t, **options)
    if measure.of_all_classes:
        return measure.function(binary_as_classes(t), **options)
    # All four cells are occupied in this table, so its cells are TN, FP, FN, TP; the counts come as masses.
    cells = Confusion([[1, 1], [1, 1]])
    return measure.function(cells, np.stack([t.tn, t.fp, t.fn, t.tp], axis=-1), **options)


def _lift(t: BinaryCounts) -> Amount:
    return ratio(ratio(t.tp, t.tp + t.fp), ratio(t.tp + t.fn, t.total))


def _chi_squared(t: BinaryCounts) -> Amount:
    """Pearson's, without continuity correction: n(TP·TN − FP·FN)² / product of the margins."""
    margins = (t.tp + t.fp) * (t.fn + t.tn) * (t.tp + t.fn) * (t.fp + t.tn)
    return ratio(t.total * (t.tp * t.tn - t.fp * t.fn) ** 2, margins)


def _mutual_information(t: BinaryCounts) -> Amount:
    """Σ p·log₂(p / (row · column)) over the four cells, an empty cell adding 0."""
    cells = ((t.tp, t.tp + t.fp, t.tp + t.fn), (t.fp, t.tp + t.fp, t.fp + t.tn),
             (t.fn, t.fn + t.tn, t.tp + t.fn), (t.tn, t.fn + t.tn, t.fp + t.tn))  # fmt: skip
    total = np.zeros(np.shape(t.tp))
    for count, row, column in cells:
        occupied = count > 0
        quotient = np.where(occupied, count * t.total / np.where(occupied, row * column, 1), 1.0)
        total = total + count / t.total * np.log2(quotient)
    return total


# Measures of calls that speak of a curve rather than of a classifier, so they are not in the registry.
EXTRA: dict[str, Callable[[BinaryCounts], Amount]] = {
    "lift": _lift,
    "false_discovery_rate": lambda t: ratio(t.fp, t.tp + t.fp),
    "false_omission_rate": lambda t: ratio(t.fn, t.fn + t.tn),
    "rejection_rate": lambda t: ratio(t.fn + t.tn, t.total),
    "mutual_information": _mutual_information,
    "chi_squared": _chi_squared,
}
