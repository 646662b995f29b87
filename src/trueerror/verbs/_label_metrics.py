"""An evaluation of rows that carry several labels at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from trueerror.findings import Findings
from trueerror.inference._metric_interval import metric_interval
from trueerror.inputs._arrays import matrix, same_length
from trueerror.inputs._labels import Label, find_label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Interval
from trueerror.sources._collect import predictions
from trueerror.sources._grades import graded
from trueerror.sources._predictions import Predictions
from trueerror.sources._table_types import is_lazy
from trueerror.tallies._moments import MultiLabel, indicators
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation
from trueerror.verbs._evidence import allowing_for_choice
from trueerror.verbs._model_metrics import CLASS_METRICS, ModelMetrics, Settings

if TYPE_CHECKING:
    from trueerror.verbs._compare import Comparing

USUAL = ("accuracy", "hamming_loss", "micro_f1", "macro_f1", "macro_precision", "macro_recall")

OF_EACH_LABEL = {"hamming_loss": "error_rate"}


def _of_each_label(measure: Measure) -> str:
    """What a metric of rows with several labels is, of each label by itself; "" of others."""
    return measure.of if measure.average == "micro" else OF_EACH_LABEL.get(measure.name, "")


class LabelMetrics(ModelMetrics):
    """The metrics of one model of rows with several labels each."""

    def __init__(self, model: str, settings: Settings, tally: MultiLabel, estimand: str, each: Predictions) -> None:
        super().__init__(model, settings, estimand=estimand)
        self.tally, self.each = tally, each

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.tally.labels

    @property
    def positive(self) -> Label | None:
        return None

    def interval(self, metric: str | Measure, label: Any = None) -> Interval:
        measure = find_measure(metric) if isinstance(metric, str) else metric
        chosen = None if label is None else find_label(label, self.labels, "label")
        if measure.of_one_class and chosen is None:
            raise InputError(f"{measure.name} is of one label: ask for [{measure.name!r}, {self.labels[0]!r}]")
        if chosen is None and (name := _of_each_label(measure)):
            each = ModelMetrics(self.model, self.settings, predictions=self.each, estimand=self.estimand)
            return replace(each.interval(name), name=measure.name)
        return metric_interval(
            measure, self.tally, positive=chosen, options=self.settings.options(measure),
            confidence=self.settings.confidence, estimand=self.estimand,
        )  # fmt: skip

    def per_class(self) -> dict[tuple[str, Label], Interval]:
        return {(name, label): self.interval(name, label) for name in CLASS_METRICS for label in self.labels}


def is_multilabel(truth: Any, predicted: Any = None) -> bool:
    """Whether the truth is a table of indicators, one column a label; a frame of 0 and 1 is, beside another like it."""
    shape = None if is_lazy(truth) else getattr(truth, "shape", None)
    if shape is not None and hasattr(truth, "columns"):
        alike = next(iter(predicted.values()), None) if isinstance(predicted, Mapping) else predicted
        same = [*truth.columns] == [*getattr(alike, "columns", ())] and len(truth.columns) > 1
        return same and bool(np.isin(np.asarray(truth, dtype=object), (0, 1)).all())
    if shape is None and isinstance(truth, list | tuple) and truth and isinstance(truth[0], list | tuple):
        try:
            shape = np.shape(truth)
        except ValueError:
            return False  # rows of unequal lengths, which a column refuses by name
    return shape is not None and len(shape) == 2 and shape[1] > 1


def _each_label(truth: Any, models: Mapping[str, Any]) -> Predictions:
    """Each label of each row as a row of its own; those of one row are a cluster."""
    actual = indicators(truth, "truth")
    called = {name: indicators(values, name) for name, values in models.items()}
    same_length({"truth": actual, **called})
    rows = np.repeat(np.arange(len(actual)), actual.shape[1])
    flat = {name: values.ravel().astype(np.int8) for name, values in called.items()}
    return predictions(actual.ravel().astype(np.int8), flat, clusters=rows, positive=1)


def one_label_each(asked: Comparing) -> Comparing:
    """A comparison of rows with several labels as one of rows with one.

    The share of rows with all labels right is that of right answers; micro averages and the Hamming loss are of each
    label, and the labels of one row are a cluster.
    """
    truth, predicted = asked.given_rows
    models = predicted if isinstance(predicted, Mapping) else {"model": predicted}
    measure = find_measure("accuracy" if asked.metric is None else cast("str", asked.metric))
    if measure.right_or_wrong == 1:
        actual = indicators(truth, "truth")
        right = {str(m): (indicators(v, m) == actual).all(axis=1).astype(int) for m, v in models.items()}
        return replace(
            asked, truth_or_predictions=graded(right, clusters=asked.clusters), predicted=None, clusters=None
        )
    if not (name := _of_each_label(measure)):
        raise InputError(
            "rows with several labels are compared by accuracy (all labels right), hamming_loss or an average such as "
            f"micro_f1, not by {measure.name}; one label is a column of its own"
        )
    each = _each_label(truth, {str(m): v for m, v in models.items()})
    return replace(asked, truth_or_predictions=each, predicted=None, metric=name)


def evaluate_labels(truth: Any, predicted: Any, labels: Any, settings: Settings) -> Evaluation:
    """Evaluate (n, L) indicators of one model or of several."""
    if predicted is None:
        raise InputError("rows with several labels need predicted=, a table of 0/1 of the same shape as the truth")
    models = predicted if isinstance(predicted, dict) else {"model": predicted}
    rows, columns = matrix(truth, "truth").shape
    estimand = f"Estimates: this model as it stands, on rows drawn at random like these {rows:,}."
    parts, names = [], USUAL if settings.metrics is None else tuple(settings.metrics)
    for name, values in models.items():
        tally = MultiLabel.count(truth, values, labels=labels)
        bench = LabelMetrics(str(name), settings, tally, estimand, _each_label(truth, {str(name): values}))
        why = "rows with several labels have no commonest class"
        overall = {m: bench.interval(m) for m in names}
        parts.append(ModelEvaluation.of_figures(bench, overall, why, loaded_classes=bench.per_class()))
    reading = f"Read {rows:,} rows with up to {columns:,} labels each: {len(parts)} model{'s' * (len(parts) > 1)}."
    made = Evaluation(
        n=rows, labels=parts[0].bench.labels, parts=tuple(parts), reading=reading, estimand=estimand,
        findings=Findings(), settings={"confidence": settings.confidence, "several_labels": True},
    )  # fmt: skip
    return allowing_for_choice(made)
