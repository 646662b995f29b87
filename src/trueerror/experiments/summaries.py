"""The summary of an experiment: every learner on every data set, each metric with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

from trueerror.experiments.gathered import Experiment
from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import find_measure
from trueerror.results import Result, Table
from trueerror.results.words import number, percent


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerEstimate(Result):
    """One metric of one learner on one data set."""

    data: str
    learner: str
    metric: str
    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    estimand: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Summary(Result):
    """What `trueerror run` answers."""

    title: str
    estimates: tuple[LearnerEstimate, ...]
    verdicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, object]]:
        return [record for e in self.estimates for record in e.records()]

    def _table(self) -> Table:
        rows = [
            (e.data, e.learner, e.metric, number(e.estimate), number(e.low), number(e.high)) for e in self.estimates
        ]
        return Table(columns=("data", "learner", "metric", "estimate", "low", "high"), rows=tuple(rows), names=3)

    def __str__(self) -> str:
        lines = [self.title, "", self._table().text(), ""]
        methods = ", ".join(dict.fromkeys(e.method for e in self.estimates))
        if methods:
            level = percent(self.estimates[0].confidence)
            lines.append(f"Intervals of {level} confidence ({methods}); they speak of learners, not of one model.")
        lines += [*self.verdicts, *self.notes]
        # The table keeps its own lines.
        return "\n".join(line if line in lines[1:3] else fill(line, 80) for line in lines).rstrip()

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def summarise(run: Experiment, metrics: Sequence[str], *, confidence: float = 0.95) -> Summary:
    """Every learner on every data set; the first metric also decides who is told apart from whom."""
    estimates, notes = [], []
    for data in run.datasets:
        for metric in metrics:
            for learner in run.learners:
                try:
                    found = run.estimate(learner, data, metric, confidence=confidence)
                except InputError as error:
                    notes.append(f"Not estimated: {metric} of {learner} on {data}: {error}")
                    continue
                estimates.append(
                    LearnerEstimate(
                        data=data,
                        learner=learner,
                        metric=find_measure(metric).name,
                        estimate=found.estimate,
                        low=found.low,
                        high=found.high,
                        confidence=found.confidence,
                        method=found.method,
                        estimand=found.estimand,
                        note=found.note,
                    )
                )
    verdicts = []
    if len(run.learners) > 1:
        for data in run.datasets:
            try:
                verdicts.append(f"{data}: {run.compare(metrics[0], data, confidence=confidence).verdict}")
            except InputError as error:
                notes.append(f"Not compared on {data}: {error}")
    return Summary(title=str(run), estimates=tuple(estimates), verdicts=tuple(verdicts), notes=tuple(notes))
