"""`trueerror report`: everything about the models of a file on one page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import OUTPUT, Without, command, flag, repeated, tell
from trueerror.cli._target import target
from trueerror.inputs._groups import Certainty, Costs, Judged
from trueerror.results._format import filled

REPORT_HELP = "One HTML page about the models in a file: verdict, differences, findings, tables and pictures, offline."
REPORT_EPILOG = (
    "Examples: trueerror report preds.csv -o report.html · "
    "trueerror report preds.csv --positive 1 --cost-fn 10 -o report.html · "
    "trueerror report preds.csv --positive 1 --metric auc --title Churn"
)


@command
def report_command(
    *,
    file: o.Files,
    page: Annotated[Path, flag("Where to write the page (.html).", "FILE", group=OUTPUT, words="--output -o")] = Path(
        "report.html"
    ),
    title: Annotated[str | None, flag("The page's heading.", "TEXT", group=OUTPUT)] = None,
    open_it: Annotated[bool, flag("Open the page in a browser.", group=OUTPUT, words="--open")] = False,
    rows: o.RowsOptions,
    judged: Judged,
    costs: Costs,
    chance: Certainty,
    output: Annotated[o.OutputOptions, Without("form", "explain", "color")],
) -> None:
    """One HTML page about the models in a file."""
    path = target(page, (".html", ".htm"), "a report")
    given = rows.read(file, output, cut=True)
    if output.show_columns(given):
        return
    from trueerror.reports._contents import ReportOptions
    from trueerror.reports._report import written_report

    options = ReportOptions(**judged.given(), **costs.given(), **chance.given(), ignore=tuple(output.ignore or ()))
    command_line = repeated("report")
    names = ", ".join(Path(one).name for one in file)
    written, verdicts = written_report(given, path, options, {}, title=title, command=command_line, file=names)
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
