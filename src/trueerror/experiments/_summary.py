"""The summary of an experiment: every learner on every data set, who is better where, and over all.

Verdicts come first, then the estimates, then what a reader should know.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trueerror.experiments._compare import compare_learners, experiment_findings, fitted_learners, rank_learners
from trueerror.experiments._estimate import ask
from trueerror.experiments._outcomes import CHOSEN, ResampleResults
from trueerror.findings import Findings
from trueerror.findings._rules import Finding, sorted_findings
from trueerror.inference._answer import answer
from trueerror.inputs._options import InputError, check_confidence
from trueerror.metrics._registry import find_measure
from trueerror.results import DocumentResult, Interval, Result, Table, Text
from trueerror.results._document import Cell, Document, Footer, Media, Paragraph, TableBlock, Verdict, data_summary
from trueerror.results._format import ci_words, common_format, listing, number, one_line, percent, whole
from trueerror.results._values import interval_cell, short

# More metrics than this would make lines that are too long: each estimate then gets a line of its own.
MOST_COLUMNS = 3
MOST_DATA = 6
# Of more learners than this the table has the best, in order.
MOST_LEARNERS = 12


def single_verdict(learner: str, found: Interval) -> str:
    """How good one learner is."""
    return f"{one_line(learner)} has {_figure(found)}."


def choice_verdict(found: Interval, chosen: Counter[str]) -> str:
    """How good the chosen setting is, and which were chosen."""
    total = sum(chosen.values())
    names = [f"{one_line(name)} ({whole(n)} of {whole(total)})" for name, n in chosen.most_common(4)]
    rest = len(chosen) - 4
    more = [f"{rest} other{'s' if rest > 1 else ''}"] if rest > 0 else []
    return f"Choosing inside the training rows gives {_figure(found)}. Chosen: {listing([*names, *more])}."


def _figure(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.name} {number(found.estimate)} ({found.note})"
    shown = common_format(found.estimate, found.low, found.high)
    return f"{found.name} {shown(found.estimate)}, {ci_words(found.low, found.high, found.confidence, shown)}"


def _in_order(s: Summary) -> Summary:
    """Where there are many learners, the best by the first metric come first on each data set."""
    learners = {data: list(of) for data, of in estimates_by_data(s).items()}
    if all(len(names) <= MOST_LEARNERS for names in learners.values()):
        return s
    first = s.estimates[0].metric
    sign = -1.0 if find_measure(first).higher_is_better else 1.0
    figure = {(e.data, e.learner): sign * e.interval.estimate for e in s.estimates if e.metric == first}

    def place(e: LearnerEstimate) -> tuple[float, ...]:
        score = figure.get((e.data, e.learner), math.nan)
        return (
            list(learners).index(e.data),
            e.learner != CHOSEN,
            math.isnan(score),
            0.0 if math.isnan(score) else score,
        )

    return replace(s, estimates=tuple(sorted(s.estimates, key=place)))


def _cut(s: Summary) -> tuple[Summary, int]:
    """The best learners of each data set, and how many more there are at most."""
    of_data = estimates_by_data(s)
    best_learners = {(data, name) for data, of in of_data.items() for name in list(of)[:MOST_LEARNERS]}
    more = max((len(of) - MOST_LEARNERS for of in of_data.values()), default=0)
    return replace(s, estimates=tuple(e for e in s.estimates if (e.data, e.learner) in best_learners)), max(more, 0)


def _estimates_table(s: Summary) -> Table:
    """A line for each learner on each data set with a column for each metric; many metrics have lines of their own."""
    metrics = list(dict.fromkeys(e.metric for e in s.estimates))
    several = len({e.data for e in s.estimates}) > 1
    lead = ("data", "learner") if several else ("learner",)
    if len(metrics) > MOST_COLUMNS:
        rows = [(*_lead(e, several), find_measure(e.metric).title, short(e.interval)) for e in s.estimates]
        rows += [
            (*((data,) if several else ()), constant_name(s, data), find_measure(m).title, _constant_cell(s, data, m))
            for data in dict.fromkeys(e.data for e in s.estimates)
            for m in metrics
            if _constant_cell(s, data, m)
        ]
        return Table(columns=(*lead, "metric", _level(s)), rows=tuple(rows), names=len(lead) + 1)
    body: list[tuple[str, ...]] = []
    for data, estimates in estimates_by_data(s).items():
        body += [
            (*((data,) if several else ()), *(text for text, _ in row)) for row in learner_rows(estimates, metrics)
        ]
        constants = [_constant_cell(s, data, m) for m in metrics]
        if any(constants):
            body.append((*((data,) if several else ()), constant_name(s, data), *constants))
    heads = tuple(f"{find_measure(m).title} {_level(s)}" for m in metrics)
    return Table(columns=(*lead, *heads), rows=tuple(body), names=len(lead))


def learner_rows(estimates: Mapping[str, Mapping[str, Interval]], metrics: Sequence[str]) -> list[list[Cell]]:
    """A row for each learner: its name and its metrics."""
    return [[(x, None), *(interval_cell(intervals.get(m)) for m in metrics)] for x, intervals in estimates.items()]


def estimates_by_data(s: Summary) -> dict[str, dict[str, dict[str, Interval]]]:
    """The estimates by data set, learner and metric."""
    estimates: dict[str, dict[str, dict[str, Interval]]] = {}
    for e in s.estimates:
        estimates.setdefault(e.data, {}).setdefault(e.learner, {})[e.metric] = e.interval
    return estimates


def constant_name(s: Summary, data: str) -> str:
    """What always answering the commonest class is called."""
    return f'always "{one_line(s.constants[data][0])}"' if data in s.constants else ""


def constant_value(s: Summary, data: str, metric: str) -> float | None:
    """The accuracy or error rate of always answering the commonest class; None for other metrics."""
    return constant_figure(s.constants[data][1], metric) if data in s.constants else None


def constant_figure(share: float, metric: str) -> float | None:
    """The accuracy or error rate of always answering a class of this share; None for other metrics."""
    return {"accuracy": share, "error_rate": 1 - share}.get(metric)


def _constant_cell(s: Summary, data: str, metric: str) -> str:
    """The same for a table, as `short` writes it."""
    value = constant_value(s, data, metric)
    return "" if value is None else number(value)


def _lead(e: LearnerEstimate, several: bool) -> tuple[str, ...]:
    return (e.data, e.learner) if several else (e.learner,)


def _level(s: Summary) -> str:
    return f"{percent(s.estimates[0].interval.confidence)} CI"


def _verdict_lines(s: Summary) -> list[str]:
    """The verdict over all data sets first, then that of each."""
    named = len(s.verdicts) > 1
    lines = [f"Over all data sets: {s.overall}"] if s.overall else []
    return lines + [f"{one_line(data)}: {words}" if named else words for data, words in s.verdicts.items()]


def _footer_lines(s: Summary) -> tuple[str, ...]:
    """Of what the estimates speak, and by which methods."""
    # The first of each data set: a learner that scores alike on all parts may have another method than the rest.
    speaks = {e.data: e.interval.estimand for e in reversed(s.estimates) if e.interval.estimand}
    speaks = dict(reversed(speaks.items()))
    if len(set(speaks.values())) > 1:
        heads = [f"{one_line(data)}: {s.subjects.get(data, words)}" for data, words in list(speaks.items())[:MOST_DATA]]
        spoken = "; ".join([*heads, *(["…"] if len(speaks) > MOST_DATA else [])])
    else:
        spoken = next(iter(speaks.values()), "")
    methods = ", ".join(_methods(s))
    lines = (f"Estimates: {spoken}.",) if spoken else ()
    return (*lines, f"Methods: {methods}; .explain() for more.") if methods else lines


def _methods(s: Summary) -> list[str]:
    """Those of the estimates, and of the differences that verdicts rest on."""
    return list(dict.fromkeys([*(e.interval.method for e in s.estimates), *s.tests]))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerEstimate(Result):
    """One metric of one learner on one data set; `parts` are its scores on the test folds."""

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


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Summary(DocumentResult):
    """What an experiment says: `verdicts` for each data set, `overall` over several of them, and the estimates.

    `constants` hold the commonest class of each data set and its share: what needs no learner at all; `subjects` say of
    what the estimates speak, where that differs between data sets.
    """

    reading: str
    estimates: tuple[LearnerEstimate, ...]
    verdicts: dict[str, str] = field(default_factory=dict)
    overall: str = ""
    findings: Findings = field(default_factory=Findings)
    notes: tuple[str, ...] = ()
    constants: dict[str, tuple[str, float]] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = ()

    def records(self) -> list[dict[str, object]]:
        return [record for e in self.estimates for record in e.records()]

    def without(self, *codes: str) -> Summary:
        """The same summary with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain

        return Text("\n\n".join([self.reading, *(explain(key) for key in _methods(self))]))

    def document(self) -> Document:
        ordered = _in_order(self)
        best, more = _cut(ordered)
        whole_table = Media.NOTEBOOK | Media.EXPORT if more else Media.ALL if self.estimates else Media.EXPORT
        tables = [TableBlock(_estimates_table(ordered), where=whole_table)]
        if more:
            behind = f"… and {more:,} more learner{'s' * (more > 1)} behind these."
            tables.append(TableBlock(_estimates_table(best), beneath=(behind,), where=Media.TEXT))
        return Document(
            (
                data_summary(self.reading, by_line=True),
                *(Verdict((line,)) for line in _verdict_lines(self)),
                *tables,
                self.findings.block(several=True),
                Paragraph(tuple(map(one_line, self.notes)), where=Media.SCREEN),
                Footer(_footer_lines(self)),
            )
        )


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


def summarise(
    run: ResampleResults, metrics: Sequence[str], *, confidence: float = 0.95, ignore: Sequence[str] = ()
) -> Summary:
    """Every learner on every data set by each metric; the first metric also decides who differs clearly from whom.

    Findings with a code in `ignore` stand neither in the list nor in a verdict.
    """
    level = check_confidence(confidence)
    problems: Problems = {}
    subjects: dict[str, str] = {}
    estimates = tuple(_estimates(run, metrics, level, problems, subjects))
    verdicts, chosen = {}, []
    tests: list[str] = []
    for data in run.datasets:
        verdict, cursed, tested = _verdict(run, data, metrics[0], level, estimates, problems, ignore)
        tests += tested
        if verdict:
            verdicts[data] = verdict
        chosen += [replace(f, about=data) for f in cursed] if len(run.datasets) > 1 else [*cursed]
    overall, more = _overall(run, metrics[0], problems, ignore)
    about = experiment_findings(run).without(*ignore)
    if not any(find_measure(m).right_or_wrong for m in metrics):
        about = about.without("TE201")
    for data in verdicts:
        # Of a comparison the verdict says it already.
        if len(fitted_learners(run, [data])) < 2 or run.plan.name == "NestedCV":
            data_findings = [
                f for f in about if f.code == "TE201" and (len(run.datasets) < 2 or f.about.endswith(f" on {data}"))
            ]
            verdicts[data] = " ".join([verdicts[data], *Findings(items=tuple(data_findings)).but()])
    notes = tuple(_note(reason, about, len(run.learners)) for reason, about in problems.items())
    return Summary(
        reading=_reading(run),
        estimates=estimates,
        verdicts=verdicts,
        overall=overall,
        findings=sorted_findings([*about, *chosen, *more]).without(*ignore),
        notes=notes,
        constants={name: (str(label), share) for name in run.datasets for label, share in (run.commonest(name),)},
        subjects=subjects if len(subjects) > 1 else {},
        tests=tuple(dict.fromkeys(tests)),
    )


def _reading(run: ResampleResults) -> str:
    """What was run, and what was read of each data set."""
    return "\n".join([repr(run), *data_words(run)])


def data_words(run: ResampleResults) -> list[str]:
    """A line for each data set: rows, classes, features."""
    lines = [f"{name}: {d.words()}." for name, d in list(run.datasets.items())[:MOST_READ]]
    more = [f"… and {len(run.datasets) - MOST_READ:,} more data sets."] if len(run.datasets) > MOST_READ else []
    return [*lines, *more]


def _estimates(
    run: ResampleResults, metrics: Sequence[str], confidence: float, problems: Problems, subjects: dict[str, str]
) -> Iterator[LearnerEstimate]:
    learners = [CHOSEN, *run.learners] if run.plan.name == "NestedCV" else list(run.learners)
    for data in run.datasets:
        for metric in metrics:
            for learner in learners:
                if learner != CHOSEN and run.failed(learner, data) == len(run.outcomes[data, learner]):
                    continue  # a finding says so
                try:
                    question = ask(run, learner, data, metric, confidence=confidence)
                    interval, subject, _ = answer(question)
                except InputError as error:
                    problems.setdefault(str(error), {}).setdefault((metric, data), []).append(learner)
                    continue
                subjects.setdefault(data, subject)
                if math.isnan(interval.low) and interval.note:
                    place = problems.setdefault(interval.note, {})
                    place.setdefault((f"limits of {metric}", data), []).append(learner)
                yield LearnerEstimate(
                    data=data, learner=learner, metric=find_measure(metric).name, interval=interval,
                    parts=tuple(question.sample.scores.tolist()) if len(question.sample.splits) > 1 else (),
                )  # fmt: skip


def _verdict(
    run: ResampleResults,
    data: str,
    metric: str,
    confidence: float,
    estimates: Sequence[LearnerEstimate],
    problems: Problems,
    ignore: Sequence[str],
) -> tuple[str, Sequence[Finding], Sequence[str]]:
    """Who is better on one data set; of settings, how good the chosen one is; of a single learner, how good it is.

    With it the finding that the best of many is the best partly by luck, and the methods of the differences.
    """
    intervals = {e.learner: e.interval for e in estimates if (e.data, e.metric) == (data, find_measure(metric).name)}
    if CHOSEN in intervals:
        return choice_verdict(intervals[CHOSEN], Counter(run.chosen(metric, data))), (), ()
    if len(fitted_learners(run, [data])) < 2:
        return "".join(single_verdict(name, interval) for name, interval in intervals.items()), (), ()
    try:
        made = listing(list(dict.fromkeys(i.method.removeprefix("bootstrap-") for i in intervals.values())))
        lead = f"On the rows left out (the table: {made}): " if run.plan.name == "Bootstrap" else ""
        comparison = compare_learners(run, metric, data, confidence=confidence).without(*ignore)
        lucky = [f for f in comparison.findings if f.code == "TE407"]
        return lead + comparison.verdict, lucky, [pair.method for pair in comparison.pairs]
    except InputError as error:
        problems.setdefault(str(error), {("differences", data): []})
        return "", (), ()


def _overall(run: ResampleResults, metric: str, problems: Problems, ignore: Sequence[str]) -> tuple[str, Findings]:
    if len(fitted_learners(run, list(run.datasets))) < 2 or len(run.datasets) < 2 or run.plan.name == "NestedCV":
        return "", Findings()
    try:
        ranking = rank_learners(run, metric)
    except InputError as error:
        problems.setdefault(str(error), {("ranks", "all data sets"): []})
        return "", Findings()
    gone = [one_line(data) for data in run.datasets if data not in ranking.data_sets]
    without = f"Without {listing(gone)}, where a learner has no result: " if gone else ""
    return without + ranking.without(*ignore).verdict, ranking.findings
