"""`trueerror demo`: the main job on bundled real predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import OUTPUT, Format, Without, command, flag, tell
from trueerror.cli._target import target
from trueerror.cli.report import say_written
from trueerror.inputs._options import InputError

DEMO_HELP = "Judge bundled real predictions, print the verdict and write report.html."
DEMO_EPILOG = "Examples: trueerror demo · trueerror demo -o first.html"


@command
def demo_command(
    *,
    page: Annotated[Path, flag("Where to write the report (.html).", "FILE", words="--output -o")] = Path(
        "report.html"
    ),
    open_it: Annotated[bool, flag("Open the page in a browser.", group=OUTPUT, words="--open")] = False,
    output: Annotated[o.OutputOptions, Without("explain", "ignore", "columns")],
) -> None:
    """Judge bundled real predictions."""
    from trueerror.data import path as bundled
    from trueerror.reports import report
    from trueerror.sources._api import read
    from trueerror.verbs._compare import compare

    path = target(page, (".html", ".htm"), "a report")
    if open_it and output.form is not Format.text:
        raise InputError("--open goes with text, not with --format")
    given = read(bundled("breast_cancer"), positive="malignant")
    output.show(compare(given))
    written = report(given, path, title="Four models on 285 breast tumours", command="trueerror demo",
                     file="breast_cancer.csv")  # fmt: skip
    if output.form is Format.text:
        tell("")
        say_written(written, open_it)
