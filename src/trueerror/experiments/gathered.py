"""Experiment: what the learners said of the test rows, ready to be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trueerror.experiments.out_of_fold import out_of_fold
from trueerror.experiments.outcomes import Outcome
from trueerror.experiments.part_records import part_records
from trueerror.experiments.scored_parts import ScoredParts
from trueerror.resampling.plans import Split
from trueerror.results.base import to_frame
from trueerror.rows.predictions import Predictions

if TYPE_CHECKING:
    from trueerror.curves.averaging import AverageCurve
    from trueerror.curves.receiver import Roc
    from trueerror.experiments.summaries import Summary
    from trueerror.findings import Findings
    from trueerror.results import Interval
    from trueerror.verbs.comparison import Comparison
    from trueerror.verbs.learner_ranking import LearnerRanking


def _answers(module: str) -> Any:
    """The answers are in modules of their own, which know this one."""
    return import_module(f"trueerror.experiments.{module}")


class Failure(NamedTuple):
    """A fit that failed ("failed") or took too long ("timeout")."""

    data: str
    learner: str
    repeat: int
    fold: int
    status: str
    error: str
    trace: str


class FitTime(NamedTuple):
    """How long one fit and its predictions took."""

    data: str
    learner: str
    repeat: int
    fold: int
    part: str
    fit_seconds: float
    predict_seconds: float


class FitWarning(NamedTuple):
    """A warning that a learner gave while it was fitted or tested."""

    data: str
    learner: str
    repeat: int
    fold: int
    message: str


class Experiment(ScoredParts):
    """Learners × data sets × plan, fitted and tested. Made by `te.experiment`.

    It speaks of *learners*: what to expect of a model that this algorithm makes from so many rows. `.summary` says it
    all, `.estimate`, `.compare` and `.rank` answer one question each; `.predictions` gives the out-of-fold predictions
    to the verbs for models.
    """

    def summary(self, metrics: Sequence[str] | str = ("accuracy",), *, confidence: float = 0.95) -> Summary:
        """Every learner on every data set, who is better where and over all, and what a reader should know."""
        named = (metrics,) if isinstance(metrics, str) else tuple(metrics)
        found: Summary = _answers("summaries").summarise(self, named, confidence=confidence)
        return found

    def estimate(
        self, learner: str | None = None, data: str | None = None, metric: str = "accuracy", **options: Any
    ) -> Interval:
        """How good a learner is, with an interval of the kind that the plan calls for."""
        found: Interval = _answers("estimating").estimate(self, learner, data, metric, **options)
        return found

    def compare(self, metric: str = "accuracy", data: str | None = None, **options: Any) -> Comparison:
        """Every pair of learners on one data set."""
        found: Comparison = _answers("judging").compare(self, metric, data, **options)
        return found

    def rank(self, metric: str = "accuracy", **options: Any) -> LearnerRanking:
        """The learners over all data sets."""
        found: LearnerRanking = _answers("judging").rank(self, metric, **options)
        return found

    def roc(
        self, learner: str | None = None, data: str | None = None, *, how: str = "pooled", **options: Any
    ) -> Roc | AverageCurve:
        """The ROC curve of a learner: test parts pooled, or averaged."""
        found: Roc | AverageCurve = _answers("estimating").roc(self, learner, data, how=how, **options)
        return found

    def predictions(
        self,
        data: str | None = None,
        *,
        learners: Sequence[str] | None = None,
        positive: Any = None,
        chosen_by: str = "accuracy",
        **options: Any,
    ) -> Predictions:
        """The out-of-fold predictions of one data set, with folds, repeats and row ids.

        Learners with a failed fit have no prediction for some rows: they are left out, with a note, unless they are
        asked for by name, which is an error. Of a NestedCV plan, learners=["the chosen one"] gives those of the
        settings chosen by the metric `chosen_by`.
        """
        name = self.data_name(data)
        return out_of_fold(self, name, learners, chosen_by=chosen_by, positive=positive, **options)

    # What happened.

    @property
    def findings(self) -> Findings:
        """What a reader should know before believing the results: small test parts, failed fits and so on."""
        found: Findings = _answers("judging").experiment_findings(self)
        return found

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Fits that failed or took too long, with the traceback."""
        return tuple(
            Failure(data, learner, s.repeat, s.fold, o.status, o.error, o.trace)
            for (data, learner), s, o in self._every()
            if o.status != "done"
        )

    @property
    def warnings(self) -> tuple[FitWarning, ...]:
        """Warnings of the learners."""
        return tuple(
            FitWarning(data, learner, s.repeat, s.fold, text)
            for (data, learner), s, o in self._every()
            for text in o.warnings
        )

    @property
    def times(self) -> tuple[FitTime, ...]:
        """How long each fit took."""
        return tuple(
            FitTime(data, learner, s.repeat, s.fold, s.part, o.fit_seconds, o.predict_seconds)
            for (data, learner), s, o in self._every()
        )

    def _every(self) -> Iterator[tuple[tuple[str, str], Split, Outcome]]:
        for key, outcomes in self.outcomes.items():
            for split, outcome in zip(self.splits[key[0]], outcomes, strict=True):
                yield key, split, outcome

    # In tables, pictures and words.

    def records(self, metrics: Sequence[str] = ("accuracy",)) -> list[dict[str, object]]:
        """One record for each learner on each test part: rows, times, metrics; `te.rank` reads such a table."""
        return part_records(self, metrics)

    def frame(self, backend: str | None = None, *, metrics: Sequence[str] = ("accuracy",)) -> Any:
        """The records as a data frame."""
        return to_frame(self.records(metrics), backend)

    def plot(self, metric: str = "accuracy") -> Any:
        """Each learner on each data set: its interval over the scores of its test parts."""
        return self.summary(metric).plot()

    def draw(self, ax: Any = None, metric: str = "accuracy") -> Any:
        """The same picture on matplotlib axes (extra `matplotlib`)."""
        return self.summary(metric).draw(ax)

    def save(self, path: str | Path, metrics: Sequence[str] | str = ("accuracy",)) -> Path:
        """The summary by the file's ending: .json .md .tex .txt, .csv (one line a test part), or the picture."""
        target = Path(path)
        if target.suffix.lower() == ".csv":
            from trueerror.results.base import to_csv

            named = (metrics,) if isinstance(metrics, str) else tuple(metrics)
            target.write_text(to_csv(self.records(named)), encoding="utf-8", newline="")
            return target
        return self.summary(metrics).save(target)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def __str__(self) -> str:
        fits = sum(len(o) for o in self.outcomes.values())
        learners = f"{len(self.learners)} learner{'s' * (len(self.learners) != 1)}"
        sets = f"{len(self.datasets)} data set{'s' * (len(self.datasets) != 1)}"
        lines = [f"{learners} × {sets}, {self.plan!r}: {fits:,} fit{'s' * (fits != 1)}, seed {self.seed}."]
        failures = self.failures
        if failures:
            first = failures[0]
            why = first.error.partition("\n")[0][:120]
            often = f"{len(failures):,} fit{'s' * (len(failures) != 1)}"
            lines.append(f"{often} failed; the first: {first.learner} on {first.data}, {why}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)
