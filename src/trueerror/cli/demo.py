"""`trueerror demo`: the main job on bundled real predictions."""

from __future__ import annotations

from pathlib import Path

from trueerror.cli._answers import tell
from trueerror.cli._option_groups import OutputOptions
from trueerror.cli._target import PAGES, target
from trueerror.cli.report import say_written
from trueerror.inputs._options import InputError


def demo_command(*, page: Path, open_it: bool, output: OutputOptions) -> None:
    """Judge bundled real predictions."""
    from trueerror.data import path as bundled
    from trueerror.reports import report
    from trueerror.sources._api import read
    from trueerror.verbs._compare import compare

    path = target(page, PAGES, "a report")
    if open_it and output.form != "text":
        raise InputError("--open goes with text, not with --format")
    given = read(bundled("breast_cancer"), positive="malignant")
    output.show(compare(given))
    title = "Four models on 285 breast tumours"
    written = report(given, path, title=title, command="trueerror demo", file="breast_cancer.csv")
    if output.form == "text":
        tell("")
        say_written(written, open_it)
