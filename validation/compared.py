"""What `te.compare` says of two models: an interval and a test that share the work."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import trueerror as te
from trueerror.inference._two_models import PairedRows
from trueerror.metrics._registry import find_measure
from trueerror.verbs._model_metrics import ModelMetrics, Settings
from validation.frame import Procedure


class Sample:
    """A drawn sample with the answers to it, so that an interval and a test do not ask twice."""

    def __init__(self, ask: Callable[[float], te.Comparison | te.Contrast]) -> None:
        self.ask = cache(ask)
        self.found: dict[float, Answer] = {}

    def at(self, confidence: float) -> Answer:
        """The one pair, with limits at this confidence."""
        if confidence not in self.found:
            made = self.ask(confidence)
            (pair,) = made.pairs if isinstance(made, te.Comparison) else (made,)
            self.found[confidence] = Answer(*(getattr(pair, field) for field in Answer._fields))
        return self.found[confidence]

    @property
    def p_value(self) -> float:
        """It does not depend on the confidence."""
        return next(iter(self.found.values())).p_value if self.found else self.at(0.95).p_value


class Numbers(Sample):
    """The numbers of `te.compare` for two models, without the findings and sentences beside them: a third of the time.

    tests/validation holds them against the public call.
    """

    def __init__(self, rows: te.Predictions, metric: str, replicates: int = 10_000) -> None:
        measure, models = find_measure(metric), rows.models

        def settings(confidence: float) -> Settings:
            return Settings(confidence=confidence, metrics={metric: {}}, replicates=replicates)

        pair = PairedRows(rows, measure, {}, threshold=None, prior=None)
        super().__init__(lambda c: pair.contrast(models[0], models[1], settings(c).spec()))
        self.own = lambda c: ModelMetrics(models[0], settings(c), predictions=rows).interval(metric)


class Answer(NamedTuple):
    """What is kept of a contrast, so that an interval and a test do not do the work twice."""

    estimate: float
    low: float
    high: float
    n: float
    method: str
    p_value: float


def heard(sample: Sample) -> list[str]:
    """The codes of the findings beside the answer."""
    made = sample.ask(0.95)
    return [f.code for f in made.findings if f.severity != "note"] if isinstance(made, te.Comparison) else []


def interval_and_test(words: str, method: str, target: str = "difference") -> tuple[Procedure, Procedure]:
    """The two procedures of a default of `te.compare`."""

    def interval(sample: Sample, confidence: float) -> Any:
        return sample.at(confidence)

    def test(sample: Sample, level: float) -> bool:
        return sample.p_value <= level

    return (
        Procedure(words, interval, target=target),
        Procedure(f"{words}, test", test, kind="test", method=method),
    )
