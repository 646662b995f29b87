"""The page about any other result: what it says, its picture, its table, how it was made."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from trueerror.findings.finding import Finding
from trueerror.inputs.errors import InputError
from trueerror.reports.contents import Contents
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import Section, el, named
from trueerror.reports.pictures import Gallery
from trueerror.results import Result
from trueerror.results.tables import Table

# Rows of a table that nobody laid out for reading.
MOST_ROWS = 200


def is_result(source: Any) -> bool:
    """Whether this can be shown: a result of this library."""
    return isinstance(source, Result)


def about_result(result: Result, gallery: Gallery, *, key: str = "", title: str = "") -> Contents:
    """Learning curves, lesions, tests, intervals, curves: whatever can print, plot and tabulate itself.

    With a `key` it is a section beneath others, which says its verdict itself.
    """
    verdict = spoken(result)
    heading = title or heading_of(result)
    blocks = (*_figure(result, gallery), *_table(result)) or (el("pre", str(result)),)
    lead = verdict if key else ""
    section = Section(key=key or "result", title=named(heading), lead=lead, blocks=blocks)
    return Contents(
        title=heading,
        verdicts=((None, verdict),),
        reading=read(result),
        estimand=str(getattr(result, "estimand", "")),
        first=(section,),
        findings=findings_of(result),
        explained=str(result.explain()),
    )


def heading_of(result: Result) -> str:
    """The name of a result's kind, as words.

    >>> from trueerror.results import Interval
    >>> heading_of(Interval(name="x", estimate=0.5, low=0.4, high=0.6, confidence=0.95, method="wilson"))
    'Interval'
    """
    name = type(result).__name__
    return "".join(f" {c.lower()}" if c.isupper() and i else c for i, c in enumerate(name))


def spoken(result: Result) -> str:
    """The verdict of a result, or the first paragraph of what it prints."""
    verdict = getattr(result, "verdict", "")
    return " ".join((str(verdict) if verdict else str(result).split("\n\n")[0]).split())


def read(result: Result) -> str:
    """What was read: as the result says it, or the paragraph before its verdict."""
    own = str(getattr(result, "reading", ""))
    first = " ".join(str(result).split("\n\n")[0].split())
    return own or ("" if not getattr(result, "verdict", "") or first in spoken(result) else first)


def findings_of(result: Any) -> tuple[Finding, ...]:
    """The findings that a result carries, where it carries any."""
    return tuple(f for f in getattr(result, "findings", ()) if isinstance(f, Finding))


def _figure(result: Result, gallery: Gallery) -> list[Markup]:
    try:
        return [gallery.figure(result)]
    except InputError:
        # The result says by this that it has no picture; its table follows.
        return []


def _table(result: Result) -> list[Markup]:
    table = result if isinstance(result, Table) else result._table()
    if not table.columns:
        return []
    cut = len(table.rows) > MOST_ROWS
    title = f"The first {MOST_ROWS} of {len(table.rows):,} rows" if cut else ""
    short = Table(columns=table.columns, rows=table.rows[:MOST_ROWS], names=table.names, title=table.title or title)
    return [html_table(short, title="All figures", sortable=True)]
