"""A question about one learner: which metric, on which data set, on what terms; and the scores that answer it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.scored_parts import CHOSEN
from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import Measure, find_measure
from trueerror.results import Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """How good is this learner, by this metric, on this data set?"""

    run: Experiment
    learner: str
    data: str
    measure: Measure
    positive: Any
    options: dict[str, Any]
    confidence: float
    rng: Any = None

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return self.measure.name in ("accuracy", "error_rate") or (
            self.measure.needs == "losses" and not self.options and self.positive is None
        )

    @cached_property
    def scores(self) -> Floats:
        """The metric on each test part; of the chosen setting, where choosing is asked for."""
        table = self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)
        if self.learner != CHOSEN:
            return table.of(self.learner)
        picked = self.run.chosen(self.measure.name, self.data, positive=self.positive, **self.options)
        rows = [self.run.learners.index(name) for name in picked]
        found: Floats = table.values[rows, np.arange(len(rows))]
        return found

    @property
    def splits(self) -> list[Any]:
        """The splits with ordinary test parts."""
        every = self.run.splits[self.data]
        return [every[i] for i in self.run.parts(self.data)]

    def settled(self, made: Interval, estimand: str, *notes: str) -> Interval:
        """The result under the metric's name, with what it is an estimate of."""
        words = "; ".join(w for w in (made.note, *notes) if w)
        return replace(made, name=self.measure.title, estimand=estimand, note=words)

    def from_losses(self, made: Interval) -> Interval:
        """Of accuracy, losses count the wrong rows: turned about."""
        if self.measure.name != "accuracy":
            return made
        return replace(made, estimate=1 - made.estimate, low=1 - made.high, high=1 - made.low)

    @property
    def common(self) -> dict[str, Any]:
        """What every interval takes."""
        return {"bounds": self.measure.range, "confidence": self.confidence, "rows": self.run.datasets[self.data].n}


def ask(
    run: Experiment,
    learner: str,
    data: str | None,
    metric: str,
    *,
    positive: Any = None,
    confidence: float = 0.95,
    rng: Any = None,
    **options: Any,
) -> Question:
    """A question with its names checked."""
    measure = find_measure(metric)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so learners cannot be judged by it")
    name = learner if learner == CHOSEN else run.learner_name(learner)
    return Question(
        run=run, learner=name, data=run.data_name(data), measure=measure, positive=positive, options=options,
        confidence=confidence, rng=rng,
    )  # fmt: skip
