"""Rows that may carry several labels at once: each label is judged against its absence, averages over all labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.findings import Findings
from trueerror.inputs.arrays import matrix
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, find_label
from trueerror.intervals.of_metric import metric_interval
from trueerror.metrics.registry import find_measure
from trueerror.results import Interval
from trueerror.tallies.multilabel import MultiLabel
from trueerror.verbs.bench import CLASS_METRICS, Bench
from trueerror.verbs.evaluation import Evaluation, ModelEvaluation
from trueerror.verbs.settings import Settings

USUAL = ("accuracy", "hamming_loss", "micro_f1", "macro_f1", "macro_precision", "macro_recall")


class LabelsBench(Bench):
    """A bench whose tally has several labels a row."""

    def __init__(self, model: str, settings: Settings, tally: MultiLabel, estimand: str) -> None:
        super().__init__(model, settings, estimand=estimand)
        self.tally = tally

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.tally.labels

    @property
    def positive(self) -> Label | None:
        return None

    def interval(self, metric: str, label: Any = None) -> Interval:
        measure = find_measure(metric)
        chosen = None if label is None else find_label(label, self.labels, "label")
        if measure.needs == "binary" and chosen is None:
            raise InputError(f"{measure.name} speaks of one label: ask for [{measure.name!r}, {self.labels[0]!r}]")
        return metric_interval(
            measure,
            self.tally,
            positive=chosen,
            options=self.settings.options(measure.name),
            confidence=self.settings.confidence,
            estimand=self.estimand,
        )

    def per_class(self) -> dict[tuple[str, Label], Interval]:
        return {(name, label): self.interval(name, label) for name in CLASS_METRICS for label in self.labels}


def is_multilabel(truth: Any) -> bool:
    """Whether the truth is a table of indicators, one column a label."""
    shape = getattr(truth, "shape", None)
    if shape is None and isinstance(truth, list | tuple) and truth and isinstance(truth[0], list | tuple):
        shape = np.shape(truth)
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
        bench = LabelsBench(str(name), settings, tally, estimand)
        none = Interval(
            name="accuracy",
            estimate=math.nan,
            low=math.nan,
            high=math.nan,
            confidence=settings.confidence,
            note="rows with several labels have no commonest class",
            estimand=estimand,
        )
        parts.append(
            ModelEvaluation(
                name=str(name),
                confusion=None,
                positive=None,
                overall={m: bench.interval(m) for m in names},
                baseline=none,
                baseline_label=None,
                baseline_p=math.nan,
                selective={},
                classes=bench.per_class(),
                bench=bench,
            )
        )
    reading = f"Read {rows:,} rows with up to {columns:,} labels each: {len(parts)} model{'s' * (len(parts) > 1)}."
    return Evaluation(
        n=rows,
        labels=parts[0].bench.labels,
        parts=tuple(parts),
        reading=reading,
        estimand=estimand,
        findings=Findings(),
        settings={"confidence": settings.confidence, "several_labels": True},
    )
