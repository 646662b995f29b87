"""`trueerror demo`: the main job on bundled real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueerror.cli import options as o
from trueerror.cli.output import Format, answers, show, tell

HELP = "Judge bundled real predictions, print the verdict and write report.html."
EPILOG = "Examples: trueerror demo · trueerror demo -o first.html"


@answers
def command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report (.html).", metavar="FILE")
    ] = Path("report.html"),
    form: o.OutputFormat = Format.text,
) -> None:
    """Judge bundled real predictions."""
    from trueerror.cli.targets import target
    from trueerror.data import path
    from trueerror.reports import report
    from trueerror.rows.reading import read
    from trueerror.verbs.comparing import compare

    output = target(output, (".html", ".htm"), "a report")
    given = read(path("breast_cancer"), positive="malignant")
    show(compare(given), form)
    written = report(given, output, title="Four models on 285 breast tumours", command="trueerror demo")
    if form is Format.text:
        tell(f"\nWrote {written}: open it in a browser.")
