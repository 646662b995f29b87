"""`trueerror demo`: the main job on bundled real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueerror.cli.output import answers

HELP = "Judge bundled real predictions, print the verdict and write report.html."


@answers
def command(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the report.")] = Path("report.html"),
) -> None:
    """Judge bundled real predictions."""
    from trueerror.data import path
    from trueerror.reports import report
    from trueerror.rows.reading import read
    from trueerror.verbs.comparing import compare

    given = read(path("breast_cancer"), positive="malignant")
    print(compare(given))
    written = report(given, output, title="Four models on 285 breast tumours", command="trueerror demo")
    print(f"\nWrote {written}: open it in a browser.")
