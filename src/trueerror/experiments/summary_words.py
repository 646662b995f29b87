"""How the summary of an experiment speaks: verdicts first, then the estimates, then what a reader should know."""

from __future__ import annotations

import html
import math
from collections import Counter
from typing import TYPE_CHECKING

from trueerror.metrics.registry import find_measure
from trueerror.results import Interval, Table
from trueerror.results.tables import one_line
from trueerror.results.words import filled, limits, listing, number, percent, whole
from trueerror.verbs.evaluation_words import WIDTH, findings_text, short

if TYPE_CHECKING:
    from trueerror.experiments.summaries import LearnerEstimate, Summary

# More metrics than this would make lines that are too long: each estimate then gets a line of its own.
MOST_COLUMNS = 3
MOST_DATA = 6


def single_verdict(learner: str, found: Interval) -> str:
    """How good one learner is."""
    return f"{one_line(learner)} has {_plausible(found)}."


def choice_verdict(found: Interval, chosen: Counter[str]) -> str:
    """How good the chosen setting is, and which were chosen."""
    total = sum(chosen.values())
    names = [f"{one_line(name)} ({whole(n)} of {whole(total)})" for name, n in chosen.most_common(4)]
    rest = len(chosen) - 4
    more = [f"{rest} other{'s' if rest > 1 else ''}"] if rest > 0 else []
    return f"Choosing inside the training rows gives {_plausible(found)}. Chosen: {listing([*names, *more])}."


def _plausible(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.name} {number(found.estimate)} ({found.note})"
    low, _, high = limits(found.low, found.high).strip("[]").partition(", ")
    return f"{found.name} {number(found.estimate)}, plausibly {low} to {high}"


def estimates_table(s: Summary) -> Table:
    """A line for each learner on each data set with a column for each metric; many metrics have lines of their own."""
    metrics = list(dict.fromkeys(e.metric for e in s.estimates))
    several = len({e.data for e in s.estimates}) > 1
    lead = ("data", "learner") if several else ("learner",)
    if len(metrics) > MOST_COLUMNS:
        rows = [(*_lead(e, several), find_measure(e.metric).title, short(e.interval)) for e in s.estimates]
        rows += [
            (*((data,) if several else ()), constant_name(s, data), find_measure(m).title, constant_cell(s, data, m))
            for data in dict.fromkeys(e.data for e in s.estimates)
            for m in metrics
            if constant_cell(s, data, m)
        ]
        return Table(columns=(*lead, "metric", _level(s)), rows=tuple(rows), names=len(lead) + 1)
    cells = {(e.data, e.learner, e.metric): short(e.interval) for e in s.estimates}
    first = {(e.data, e.learner): e for e in reversed(s.estimates)}
    body: list[tuple[str, ...]] = []
    for data in dict.fromkeys(e.data for e in s.estimates):
        order = dict.fromkeys((e.data, e.learner) for e in s.estimates if e.data == data)
        body += [(*_lead(first[key], several), *(cells.get((*key, m), "–") for m in metrics)) for key in order]
        constants = [constant_cell(s, data, m) for m in metrics]
        if any(constants):
            body.append((*((data,) if several else ()), constant_name(s, data), *constants))
    heads = tuple(f"{find_measure(m).title} {_level(s)}" for m in metrics)
    return Table(columns=(*lead, *heads), rows=tuple(body), names=len(lead))


def constant_name(s: Summary, data: str) -> str:
    """What always answering the commonest class is called."""
    return f'always "{one_line(s.constants[data][0])}"' if data in s.constants else ""


def constant_value(s: Summary, data: str, metric: str) -> float | None:
    """The accuracy or error rate of always answering the commonest class; None for other metrics."""
    if data not in s.constants or metric not in ("accuracy", "error_rate"):
        return None
    share = s.constants[data][1]
    return share if metric == "accuracy" else 1 - share


def constant_cell(s: Summary, data: str, metric: str) -> str:
    """The same for a table, as `short` writes it."""
    value = constant_value(s, data, metric)
    return "" if value is None else number(value).removeprefix("0")


def _lead(e: LearnerEstimate, several: bool) -> tuple[str, ...]:
    return (e.data, e.learner) if several else (e.learner,)


def _level(s: Summary) -> str:
    return percent(s.estimates[0].interval.confidence)


def verdict_lines(s: Summary) -> list[str]:
    """The verdict over all data sets first, then that of each."""
    named = len(s.verdicts) > 1
    lines = [f"Over all data sets: {s.overall}"] if s.overall else []
    return lines + [f"{one_line(data)}: {words}" if named else words for data, words in s.verdicts.items()]


def footer(s: Summary) -> str:
    """Of what the estimates speak, and by which methods."""
    # The first of each data set: a learner that scores alike on all parts may have another method than the rest.
    speaks = {e.data: e.interval.estimand for e in reversed(s.estimates) if e.interval.estimand}
    speaks = dict(reversed(speaks.items()))
    if len(set(speaks.values())) > 1:
        heads = [f"{one_line(data)}: {words.split(', on rows')[0]}" for data, words in list(speaks.items())[:MOST_DATA]]
        spoken = "; ".join([*heads, *(["…"] if len(speaks) > MOST_DATA else [])])
    else:
        spoken = next(iter(speaks.values()), "")
    methods = ", ".join(dict.fromkeys(e.interval.method for e in s.estimates))
    lines = [f"Estimates: {spoken}."] if spoken else []
    lines += [f"Methods: {methods}; .explain() or --explain for more."] if methods else []
    return "\n".join(filled(line, WIDTH) for line in lines)


def summary_text(s: Summary) -> str:
    """The whole summary for a terminal."""
    blocks = ["\n".join(filled(one_line(line), WIDTH) for line in s.reading.splitlines())]
    blocks += [filled(line, WIDTH - 2, initial_indent="  ", subsequent_indent="  ") for line in verdict_lines(s)]
    blocks.append(estimates_table(s).text(WIDTH) if s.estimates else "")
    blocks.append(findings_text(s.findings, several=True) if len(s.findings) else "")
    blocks.append("\n".join(filled(one_line(note), WIDTH) for note in s.notes))
    blocks.append(footer(s))
    return "\n\n".join(b for b in blocks if b)


def summary_html(s: Summary) -> str:
    """The same for a notebook."""
    parts = [f"<p>{html.escape(s.reading)}</p>"]
    parts += [f"<p><b>{html.escape(line)}</b></p>" for line in verdict_lines(s)]
    parts += [estimates_table(s)._repr_html_()] if s.estimates else []
    told = [str(f) for f in s.findings] + list(s.notes)
    parts += [f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in told)}</ul>"] if told else []
    parts.append(f"<p><small>{html.escape(footer(s))}</small></p>")
    return f"<div>{''.join(parts)}</div>"
