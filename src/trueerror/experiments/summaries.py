"""The summary of an experiment: every learner on every data set, who is better where, and over all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.judging import experiment_findings, fitted_learners, rank
from trueerror.experiments.learner_intervals import learner_interval
from trueerror.experiments.learner_questions import ask
from trueerror.experiments.scored_parts import CHOSEN
from trueerror.experiments.summary_words import (
    choice_verdict,
    estimates_table,
    single_verdict,
    summary_html,
    summary_text,
)
from trueerror.findings import Findings
from trueerror.findings.finding import sorted_findings
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence
from trueerror.metrics.registry import find_measure
from trueerror.results import Interval, Result, Table, Text
from trueerror.results.tables import one_line
from trueerror.results.words import listing


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerEstimate(Result):
    """One metric of one learner on one data set; `parts` are its scores on the test parts."""

    data: str
    learner: str
    metric: str
    interval: Interval
    parts: tuple[float, ...] = ()

    def records(self) -> list[dict[str, object]]:
        return [
            {"data": self.data, "learner": self.learner, "metric": self.metric, **record}
            for record in self.interval.records()
        ]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Summary(Result):
    """What an experiment says: `verdicts` for each data set, `overall` over several of them, and the estimates.

    `constants` hold the commonest class of each data set and its share: what needs no learner at all.
    """

    reading: str
    estimates: tuple[LearnerEstimate, ...]
    verdicts: dict[str, str] = field(default_factory=dict)
    overall: str = ""
    findings: Findings = field(default_factory=Findings)
    notes: tuple[str, ...] = ()
    constants: dict[str, tuple[str, float]] = field(default_factory=dict)

    def records(self) -> list[dict[str, object]]:
        return [record for e in self.estimates for record in e.records()]

    def without(self, *codes: str) -> Summary:
        """The same summary with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain

        keys = dict.fromkeys(e.interval.method for e in self.estimates)
        return Text("\n\n".join([self.reading, *(explain(key) for key in keys)]))

    def _table(self) -> Table:
        return estimates_table(self)

    def __str__(self) -> str:
        return summary_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return summary_html(self)


MOST_READ = 8
# What could not be told: the reason → what, and on which data set → of which learners; none is named if it is of all.
Problems = dict[str, dict[tuple[str, str], list[str]]]


def _note(reason: str, about: dict[tuple[str, str], list[str]], learners: int) -> str:
    """What could not be told, and why."""
    places = [
        f"{what}{f' of {listing(names)}' if names and len(names) < learners else ''} on {data}"
        for (what, data), names in about.items()
    ]
    return f"Not told: {listing(places)}: {reason}"


def summarise(run: Experiment, metrics: Sequence[str], *, confidence: float = 0.95) -> Summary:
    """Every learner on every data set by each metric; the first metric also decides who is told apart from whom."""
    level = check_confidence(confidence)
    problems: Problems = {}
    estimates = tuple(_estimates(run, metrics, level, problems))
    verdicts = {}
    for data in run.datasets:
        found = _verdict(run, data, metrics[0], level, estimates, problems)
        if found:
            verdicts[data] = found
    overall, more = _overall(run, metrics[0], problems)
    notes = tuple(_note(reason, about, len(run.learners)) for reason, about in problems.items())
    return Summary(
        reading=_reading(run),
        estimates=estimates,
        verdicts=verdicts,
        overall=overall,
        findings=sorted_findings([*experiment_findings(run), *more]),
        notes=notes,
        constants={name: (str(label), share) for name, d in run.datasets.items() for label, share in (d.commonest,)},
    )


def _reading(run: Experiment) -> str:
    """What was run, and what was read of each data set."""
    return "\n".join([str(run), *data_words(run)])


def data_words(run: Experiment) -> list[str]:
    """A line for each data set: rows, classes, features."""
    shown = [f"{name}: {d.words()}." for name, d in list(run.datasets.items())[:MOST_READ]]
    more = [f"… and {len(run.datasets) - MOST_READ:,} more data sets."] if len(run.datasets) > MOST_READ else []
    return [*shown, *more]


def _estimates(
    run: Experiment, metrics: Sequence[str], confidence: float, problems: Problems
) -> Iterator[LearnerEstimate]:
    learners = [CHOSEN, *run.learners] if run.plan.name == "NestedCV" else list(run.learners)
    for data in run.datasets:
        for metric in metrics:
            for learner in learners:
                if learner != CHOSEN and run.failed(learner, data) == len(run.outcomes[data, learner]):
                    continue  # a finding says so
                try:
                    question = ask(run, learner, data, metric, confidence=confidence)
                    found = learner_interval(question, None)
                except InputError as error:
                    problems.setdefault(str(error), {}).setdefault((metric, data), []).append(learner)
                    continue
                if math.isnan(found.low) and found.note:
                    place = problems.setdefault(found.note, {})
                    place.setdefault((f"limits of {metric}", data), []).append(learner)
                yield LearnerEstimate(
                    data=data, learner=learner, metric=find_measure(metric).name, interval=found,
                    parts=tuple(question.scores.tolist()) if len(question.splits) > 1 else (),
                )  # fmt: skip


def _verdict(
    run: Experiment,
    data: str,
    metric: str,
    confidence: float,
    estimates: Sequence[LearnerEstimate],
    problems: Problems,
) -> str:
    """Who is better on one data set; of settings, how good the chosen one is; of a single learner, how good it is."""
    own = {e.learner: e.interval for e in estimates if (e.data, e.metric) == (data, find_measure(metric).name)}
    if CHOSEN in own:
        return choice_verdict(own[CHOSEN], Counter(run.chosen(metric, data)))
    if len(fitted_learners(run, [data])) < 2:
        return "".join(single_verdict(name, interval) for name, interval in own.items())
    try:
        lead = "Out of the bag: " if run.plan.name == "Bootstrap" else ""
        return lead + run.compare(metric, data, confidence=confidence).verdict
    except InputError as error:
        problems.setdefault(str(error), {("differences", data): []})
        return ""


def _overall(run: Experiment, metric: str, problems: Problems) -> tuple[str, Findings]:
    if len(fitted_learners(run, list(run.datasets))) < 2 or len(run.datasets) < 2 or run.plan.name == "NestedCV":
        return "", Findings()
    try:
        ranking = rank(run, metric)
    except InputError as error:
        problems.setdefault(str(error), {("ranks", "all data sets"): []})
        return "", Findings()
    gone = [one_line(data) for data in run.datasets if data not in ranking.data_sets]
    without = f"Without {listing(gone)}, where a learner has no result: " if gone else ""
    return without + ranking.verdict, ranking.findings
