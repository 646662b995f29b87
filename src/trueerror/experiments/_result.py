"""Experiment: what the learners said of the test rows, ready to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trueerror.experiments._outcomes import ResampleResults, part_records
from trueerror.results._document import to_frame

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._roc import Roc
    from trueerror.experiments._summary import Summary
    from trueerror.findings import Findings
    from trueerror.results import Interval, Text
    from trueerror.verbs._comparison import Comparison
    from trueerror.verbs._ranking_result import LearnerRanking


def _several(metrics: Any) -> tuple[Any, ...]:
    """One metric, by name or as a function, or several."""
    return (metrics,) if isinstance(metrics, str) or callable(metrics) else tuple(metrics)


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


class Experiment(ResampleResults):
    """Learners × data sets × plan, fitted and tested. Made by `te.experiment`.

    It speaks of *learners*: what to expect of a model that this algorithm makes from so many rows. `.summary` says it
    all, `.estimate`, `.compare` and `.rank` answer one question each; `.predictions` gives the out-of-fold predictions
    to the verbs for models.
    """

    def __str__(self) -> str:
        return str(self.summary())

    def summary(
        self, metrics: Sequence[str] | str = ("accuracy",), *, confidence: float = 0.95, ignore: Sequence[str] = ()
    ) -> Summary:
        """Every learner on every data set, who is better where and over all, and what a reader should know.

        `ignore` silences findings by their codes.
        """
        from trueerror.experiments._summary import summarise

        named = _several(metrics)
        return summarise(self, named, confidence=confidence, ignore=ignore)

    def estimate(
        self, learner: str | None = None, data: str | None = None, metric: str = "accuracy", **options: Any
    ) -> Interval:
        """How good a learner is, with an interval of the kind that the plan calls for."""
        from trueerror.experiments._estimate import estimate_learner

        return estimate_learner(self, learner, data, metric, **options)

    def compare(self, metric: str = "accuracy", data: str | None = None, **options: Any) -> Comparison:
        """Every pair of learners on one data set."""
        from trueerror.experiments._compare import compare_learners

        return compare_learners(self, metric, data, **options)

    def rank(self, metric: str = "accuracy", **options: Any) -> LearnerRanking:
        """The learners over all data sets."""
        from trueerror.experiments._compare import rank_learners

        return rank_learners(self, metric, **options)

    def roc(
        self, learner: str | None = None, data: str | None = None, *, how: str = "pooled", **options: Any
    ) -> Roc | AverageCurve:
        """The ROC curve of a learner: test folds pooled, or averaged."""
        from trueerror.experiments._estimate import learner_roc

        return learner_roc(self, learner, data, how=how, **options)

    # What happened.

    @property
    def findings(self) -> Findings:
        """What a reader should know before believing the results: small test folds, failed fits and so on."""
        from trueerror.experiments._compare import experiment_findings

        return experiment_findings(self)

    @property
    def warnings(self) -> tuple[FitWarning, ...]:
        """Warnings of the learners."""
        return tuple(
            FitWarning(data, learner, s.repeat, s.fold, text)
            for (data, learner), s, o in self._each_fit()
            for text in o.warnings
        )

    @property
    def times(self) -> tuple[FitTime, ...]:
        """How long each fit took."""
        return tuple(
            FitTime(data, learner, s.repeat, s.fold, s.part, o.fit_seconds, o.predict_seconds)
            for (data, learner), s, o in self._each_fit()
        )

    # In tables, pictures and words.

    def records(self, metrics: Sequence[str] = ("accuracy",)) -> list[dict[str, object]]:
        """One record for each learner on each test fold: rows, times, metrics; `te.rank` reads such a table."""
        return part_records(self, metrics)

    def frame(self, backend: str | None = None, *, metrics: Sequence[str] = ("accuracy",)) -> Any:
        """The records as a data frame."""
        return to_frame(self.records(metrics), backend)

    def explain(self, metrics: Sequence[str] | str = ("accuracy",)) -> Text:
        """Each method behind the summary, with formula, source and what it assumes."""
        return self.summary(metrics).explain()

    def to_json(self, metrics: Sequence[str] | str = ("accuracy",), *, indent: int | None = 2) -> str:
        """The summary as JSON; `te.load` reads it back, as a summary. A `store` keeps the experiment itself."""
        return self.summary(metrics).to_json(indent=indent)

    def to_markdown(self, metrics: Sequence[str] | str = ("accuracy",)) -> str:
        """The table of the summary as Markdown."""
        return self.summary(metrics).to_markdown()

    def to_latex(
        self, metrics: Sequence[str] | str = ("accuracy",), *, caption: str | None = None, label: str | None = None,
        bold: bool = True,
    ) -> str:  # fmt: skip
        """The same as a LaTeX tabular (booktabs), the best figure of each column in bold."""
        return self.summary(metrics).to_latex(caption=caption, label=label, bold=bold)

    def plot(self, metric: str = "accuracy", **options: Any) -> Any:
        """Each learner on each data set: its interval over the scores of its test folds; `kind` as in the summary."""
        return self.summary(metric).plot(**options)

    def draw(self, ax: Any = None, metric: str = "accuracy", **options: Any) -> Any:
        """The same picture on matplotlib axes (extra `matplotlib`)."""
        return self.summary(metric).draw(ax, **options)

    def save(self, path: str | Path, metrics: Sequence[str] | str = ("accuracy",)) -> Path:
        """The summary by the file's ending: .json .md .tex .txt, .csv (one line a test fold), or the picture."""
        target = Path(path)
        if target.suffix.lower() == ".csv":
            from trueerror.results._document import to_csv
            from trueerror.results._files import write_file

            named = _several(metrics)
            return write_file(target, to_csv(self.records(named)))
        return self.summary(metrics).save(target)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()
