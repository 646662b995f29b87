"""How the claims ask the library: the one place that knows by which names its inference is called."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._two_models import PairedRows
from trueerror.inference._unpaired import ModelRows, unpaired_contrast
from trueerror.metrics._registry import find_measure
from trueerror.results._values import deciding_p
from trueerror.tallies import Confusion, ScoreTable
from trueerror.verbs._model_metrics import ModelMetrics, Settings
from validation.textbook import Question, Rows, table_of

NAMES = ("a", "b", "c", "d", "e")


class Answer(NamedTuple):
    """An interval, and the p-value that decides where it is one of a difference."""

    estimate: float
    low: float
    high: float
    p_value: float = math.nan
    method: str = ""
    n: float = 0.0


def _options(q: Question) -> dict[str, Any]:
    return {"costs": [list(row) for row in q.costs]} if q.costs else {}


def _settings(q: Question) -> Settings:
    return Settings(confidence=0.95, metrics={q.metric: _options(q)}, rng=0)


def predictions(q: Question, rows: Rows) -> te.Predictions:
    """All models of these rows."""
    said = dict(zip(NAMES, rows.said, strict=False))
    if q.metric == "mean_score":
        return te.graded(said, scale=(0, 1), clusters=rows.keys)
    given: dict[str, Any] = {"clusters": rows.keys}
    if rows.weights is not None:
        given |= {"weights": rows.weights, "weights_kind": "sampling"}
    if q.classes:
        given |= {"labels": list(range(q.classes)), "positive": 1 if q.classes == 2 else None}
        return te.predictions(rows.y, said, **given)
    return te.predictions(rows.y, scores=said, labels=[0, 1], positive=1, **given)


class Sample:
    """Drawn rows, of one sample or of two, with what they are asked by several questions counted once."""

    def __init__(self, rows: Rows, second: Rows | None = None) -> None:
        self.rows, self.second = rows, second
        self._held: dict[tuple[int, bool, int], te.Predictions] = {}

    def predictions(self, q: Question, which: int = 0) -> te.Predictions:
        """Those of one of the samples."""
        rows = self.rows if which == 0 or self.second is None else self.second
        key = (which, q.metric == "mean_score", q.classes)
        if key not in self._held:
            self._held[key] = predictions(q, rows)
        return self._held[key]

    @cached_property
    def _plain(self) -> bool:
        return self.rows.keys is None and self.rows.weights is None

    def interval(self, q: Question) -> Answer:
        """A metric of one model: from its tally where rows are independent."""
        if self._plain and q.classes:
            table = Confusion(table_of(q, self.rows).astype(int), positive=1 if q.classes == 2 else None)
            given: dict[str, Any] = {} if q.prior is None else {"prior": q.prior, "design": "case-control"}
            found = metric_interval(q.metric, table, options=_options(q), rng=0, **given)
        elif self._plain and q.metric != "mean_score":
            found = metric_interval(q.metric, ScoreTable.count(self.rows.y == 1, self.rows.said[0]), rng=0)
        else:
            p = self.predictions(q)
            found = ModelMetrics(p.models[0], _settings(q), predictions=p).interval(q.metric)
        return Answer(found.estimate, found.low, found.high, method=found.method, n=found.n or 0)

    def pair(self, q: Question) -> Answer:
        """The first model less the second on the same rows."""
        p, measure = self.predictions(q), find_measure(q.metric)
        rows = PairedRows(p, measure, _options(q), threshold=None, prior=None)
        found = rows.contrast(p.models[0], p.models[1], _settings(q).spec())
        return Answer(found.estimate, found.low, found.high, deciding_p(found), found.method, found.n or 0)

    def apart(self, q: Question) -> Answer:
        """The model of the first sample less that of the second."""
        measure, sides = find_measure(q.metric), []
        for which in (0, 1):
            p = self.predictions(q, which)
            own = ModelMetrics(p.models[0], _settings(q), predictions=p).intervals(measure)
            sides.append(ModelRows(p, p.models[0], None, None, own))
        found = unpaired_contrast((sides[0], sides[1]), measure, _settings(q).spec(), _options(q))
        return Answer(found.estimate, found.low, found.high, deciding_p(found), found.method, found.n or 0)

    # Through the verbs, as a reader asks.

    def learner(self, learner: Any) -> Answer:
        """The accuracy of a learner on these rows, by the plan and the limits of `te.experiment`'s default."""
        found = te.experiment({"learner": learner}, self.rows.said[0], self.rows.y).estimate()
        return Answer(found.estimate, found.low, found.high, method=found.method, n=found.n or 0)

    def compared(self, q: Question) -> te.Comparison:
        """`te.compare` of all models."""
        return te.compare(self.predictions(q), metric=q.metric)

    def told_apart(self, q: Question) -> bool:
        """Whether any two of the models are told apart."""
        return any(deciding_p(c) <= 0.05 for c in self.compared(q).pairs)

    def silently_told_apart(self, q: Question) -> bool:
        """Whether two models are told apart with no finding beside it that is more than a note."""
        made = self.compared(q)
        return deciding_p(made.pairs[0]) <= 0.05 and not _warned(made)

    def warned(self, q: Question) -> bool:
        """Whether a comparison comes with a finding that is more than a note."""
        return _warned(self.compared(q))

    def missed_silently(self, q: Question, truth: float) -> bool:
        """Whether the interval of `te.evaluate` misses, with no finding beside it that is more than a note."""
        made = te.evaluate(self.predictions(q), metrics=[q.metric])
        found = made[q.metric]
        return not found.low <= truth <= found.high and not _warned(made)

    def passes(self, q: Question, margin: float) -> bool:
        """Whether `te.gate` passes the first model against the second."""
        p = self.predictions(q)
        return te.gate(p, p.models[1], model=p.models[0], metric=q.metric, margin=margin).decision == "pass"


def _warned(made: te.Comparison | te.Evaluation) -> bool:
    return any(f.severity != "note" for f in made.findings)


def as_sample(drawn: Rows | tuple[Rows, Rows]) -> Sample:
    """Of one sample or two."""
    return Sample(drawn) if isinstance(drawn, Rows) else Sample(*drawn)
