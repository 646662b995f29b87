"""`trueerror report`: everything about the models of a file on one page."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from trueerror.cli._answers import repeated, tell
from trueerror.cli._option_groups import OutputOptions, RowsOptions
from trueerror.cli._target import PAGES, target
from trueerror.inputs._groups import Certainty, Costs, Judged
from trueerror.results._format import filled


def report_command(
    file: list[str],
    *,
    page: Path,
    title: str | None,
    open_it: bool,
    rows: RowsOptions,
    judged: Judged,
    costs: Costs,
    chance: Certainty,
    output: OutputOptions,
) -> None:
    """One HTML page about the models in a file."""
    path = target(page, PAGES, "a report")
    given = rows.read(file, cut=True)
    if rows.columns:
        output.show_columns(given)
        return
    from trueerror.reports._contents import ReportOptions
    from trueerror.reports._report import written_report

    options = ReportOptions(**judged.given(), **costs.given(), **chance.given(), ignore=tuple(output.ignore or ()))
    names = ", ".join(Path(one).name for one in file)
    written, verdicts = written_report(given, path, options, {}, title=title, command=repeated("report"), file=names)
    for verdict in verdicts:
        for line in filter(None, verdict.lines or (verdict.headline, verdict.words, verdict.but)):
            print(filled(line, initial_indent="  ", subsequent_indent="  "))
    say_written(written, open_it)


def say_written(page: Path, open_it: bool) -> None:
    """Say where the page is and how large, and open it where that is wanted."""
    # Two digits: the next ones hang on the last digits of numbers in the page.
    size = f"{max(1, int(float(f'{page.stat().st_size / 1000:.2g}'))):,} KB"
    if not open_it:
        tell(f"Wrote {page} ({size}); --open shows it in a browser.")
        return
    opened = webbrowser.open(page.resolve().as_uri())
    tell(f"Wrote {page} ({size}){'' if opened else '; there is no browser to open it with'}.")
