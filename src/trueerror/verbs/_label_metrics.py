"""An evaluation of rows that carry several labels at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.findings import Findings
from trueerror.inference._metric_interval import metric_interval
from trueerror.inputs._arrays import matrix
from trueerror.inputs._labels import Label, find_label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Interval
from trueerror.sources._table_types import is_lazy
from trueerror.tallies._moments import MultiLabel
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation
from trueerror.verbs._evidence import allowing_for_choice
from trueerror.verbs._model_metrics import CLASS_METRICS, ModelMetrics, Settings, unknown

USUAL = ("accuracy", "hamming_loss", "micro_f1", "macro_f1", "macro_precision", "macro_recall")


class LabelMetrics(ModelMetrics):
    """The metrics of one model of rows with several labels each."""

    def __init__(self, model: str, settings: Settings, tally: MultiLabel, estimand: str) -> None:
        super().__init__(model, settings, estimand=estimand)
        self.tally = tally

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
        return metric_interval(
            measure, self.tally, positive=chosen, options=self.settings.options(measure),
            confidence=self.settings.confidence, estimand=self.estimand,
        )  # fmt: skip

    def per_class(self) -> dict[tuple[str, Label], Interval]:
        return {(name, label): self.interval(name, label) for name in CLASS_METRICS for label in self.labels}


def is_multilabel(truth: Any) -> bool:
    """Whether the truth is a table of indicators, one column a label."""
    shape = None if is_lazy(truth) else getattr(truth, "shape", None)
    if shape is None and isinstance(truth, list | tuple) and truth and isinstance(truth[0], list | tuple):
        try:
            shape = np.shape(truth)
        except ValueError:
            return False  # rows of unequal lengths, which a column refuses by name
    return shape is not None and len(shape) == 2 and shape[1] > 1


def evaluate_labels(truth: Any, predicted: Any, labels: Any, settings: Settings) -> Evaluation:
    """Evaluate (n, L) indicators of one model or of several."""
    if predicted is None:
        raise InputError("rows with several labels need predicted=, a table of 0/1 of the same shape as the truth")
    models = predicted if isinstance(predicted, dict) else {"model": predicted}
    rows, columns = matrix(truth, "truth").shape
    estimand = f"Estimates: this model as it stands, on rows drawn at random like these {rows:,}."
    parts = []
    names = USUAL if settings.metrics is None else tuple(settings.metrics)
    for name, values in models.items():
        tally = MultiLabel.count(truth, values, labels=labels)
        bench = LabelMetrics(str(name), settings, tally, estimand)
        why = "rows with several labels have no commonest class"
        none = unknown("accuracy", settings.confidence, why, estimand=estimand)
        parts.append(
            ModelEvaluation(
                name=str(name),
                confusion=None,
                positive=None,
                overall={m: bench.interval(m) for m in names},
                loaded_baseline=none,
                baseline_label=None,
                loaded_baseline_p=math.nan,
                cheapest=None,
                loaded_selective={},
                loaded_classes=bench.per_class(),
                counted=bench,
            )
        )
    reading = f"Read {rows:,} rows with up to {columns:,} labels each: {len(parts)} model{'s' * (len(parts) > 1)}."
    made = Evaluation(
        n=rows, labels=parts[0].bench.labels, parts=tuple(parts), reading=reading, estimand=estimand,
        findings=Findings(), settings={"confidence": settings.confidence, "several_labels": True},
    )  # fmt: skip
    return allowing_for_choice(made)
