"""What an experiment compared, before what came of it: learners, data sets, folds, and how good no learner would be."""

from __future__ import annotations

from typing import Any

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.summaries import data_words
from trueerror.metrics.registry import find_measure
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import Section
from trueerror.results import Interval
from trueerror.results.tables import Table
from trueerror.results.words import number, percent, whole
from trueerror.verbs.evaluation_words import short

# Learners beside each other in the table of data sets, best first.
MOST_LEARNERS = 4
# Data set → learner → metric → interval.
Estimates = dict[str, dict[str, dict[str, Interval]]]


def what_was_compared(run: Experiment, metric: str) -> str:
    """Learners, data sets and how they were split, in words; then the rows of each data set, and what failed."""
    lead, *failed = str(run).split("\n")
    plan = repr(run.plan)
    lead = lead.replace(f", {plan}:", f" by {find_measure(metric).title}; {plan_words(run.plan)}:")
    return "\n".join(line for line in (lead, *data_words(run), _constant_words(run, metric), *failed) if line)


def plan_words(plan: Any) -> str:
    """How rows were split, in words where there are short ones.

    >>> from trueerror.resampling.folds import KFold
    >>> plan_words(KFold(10, repeats=2)), plan_words(KFold(5))
    ('10 folds × 2 repeats', '5 folds, 1 round')
    """
    if plan.name == "KFold":
        return f"{plan.k} folds × {plan.repeats} repeats" if plan.repeats > 1 else f"{plan.k} folds, 1 round"
    return repr(plan)


def constant(run: Experiment, data: str, metric: str) -> tuple[str, float] | None:
    """Always answering the commonest class, and its accuracy or error rate; None for other metrics."""
    if find_measure(metric).name not in ("accuracy", "error_rate"):
        return None
    label, share = run.datasets[data].commonest
    return f'always "{label}"', share if find_measure(metric).name == "accuracy" else 1 - share


def _constant_words(run: Experiment, metric: str) -> str:
    """A sentence about it where there is one data set."""
    found = constant(run, next(iter(run.datasets)), metric)
    if found is None or len(run.datasets) > 1:
        return ""
    label = run.datasets[next(iter(run.datasets))].commonest[0]
    return f'Always answering "{label}", without a learner, has {find_measure(metric).title} {number(found[1])}.'


def overview(run: Experiment, metric: str, estimates: Estimates, order: tuple[str, ...]) -> list[Section]:
    """A row for each data set: how many rows, what no learner would get, what the best learners get."""
    name = find_measure(metric).name
    found = {d: rows for d, rows in estimates.items() if any(metric in own or name in own for own in rows.values())}
    if not found:
        return []
    shown = order[:MOST_LEARNERS]
    rows, keys = [], []
    for d, own in found.items():
        intervals = [own.get(x, {}).get(metric) for x in shown]
        base = constant(run, d, metric)
        rows.append(
            (d, whole(run.datasets[d].n), *([] if base is None else [f"{number(base[1])} ({base[0]})"]),
             *("–" if i is None else short(i) for i in intervals))
        )  # fmt: skip
        keys.append(
            [None, float(run.datasets[d].n), *([] if base is None else [base[1]]),
             *(None if i is None else i.estimate for i in intervals)]
        )  # fmt: skip
    level = percent(next(i.confidence for own in found.values() for r in own.values() for i in r.values()))
    few = f", the {len(shown)} best ranked of {len(order)} learners" if len(shown) < len(order) else ""
    title = f"{find_measure(metric).title} with {level} intervals{few}"
    bare = () if constant(run, next(iter(found)), metric) is None else ("no learner",)
    table = Table(columns=("data set", "rows", *bare, *shown), rows=tuple(rows), title=title)
    return [Section(key="sets", title="The data sets", blocks=(html_table(table, sortable=True, keys=keys),))]
