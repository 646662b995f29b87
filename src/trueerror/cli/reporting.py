"""`trueerror report`: everything about the models of a file on one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from trueerror.cli import options as o
from trueerror.cli.output import answers

HELP = "One HTML page about the models in a file: verdict, differences, findings, tables and pictures, offline."
EPILOG = (
    "Examples: trueerror report preds.csv -o report.html · "
    "trueerror report preds.csv --positive 1 -o report.html --title 'Churn, May'"
)


@answers
def command(
    file: o.File,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the page (.html).", metavar="FILE")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option("--title", help="The page's heading.", metavar="TEXT")] = None,
    truth: o.Truth = None,
    model: o.Model = None,
    score: o.Score = None,
    positive: o.Positive = None,
    id: o.Id = None,
    cluster: o.Cluster = None,
    by: o.By = None,
    fold: o.Fold = None,
    weight: o.Weight = None,
    weights_kind: o.WeightsKind = None,
    missing: o.Missing = "error",
    threshold: o.Threshold = None,
    columns: o.Columns = False,
) -> None:
    """One HTML page about the models in a file."""
    from trueerror.cli.reading import read_file
    from trueerror.cli.targets import target

    path = target(output, (".html", ".htm"), "a report")
    reading: dict[str, Any] = {
        "truth": truth, "model": model, "score": score, "positive": positive, "id": id, "cluster": cluster, "by": by,
        "fold": fold, "weight": weight, "weights_kind": weights_kind, "missing": missing, "threshold": threshold,
    }  # fmt: skip
    given = read_file(file, **reading)
    if columns:
        print(given.roles)
        return
    from trueerror.reports import report

    repeat = repeated("report", file, {"output": str(output), "title": title, **reading, "missing": _told(missing)})
    written = report(given, path, title=title, command=repeat)
    print(f"Wrote {written}: open it in a browser.")


def _told(missing: str) -> str | None:
    return None if missing == "error" else missing


def repeated(name: str, file: str, given: dict[str, Any]) -> str:
    """The line that repeats a command: only the options that were given.

    >>> repeated("report", "my file.csv", {"positive": "1", "model": ["a", "b"], "id": None})
    "trueerror report 'my file.csv' --positive 1 --model a --model b"
    """
    words = ["trueerror", name, file]
    for option, value in given.items():
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            words += [f"--{option.replace('_', '-')}", str(one)]
    return shlex.join(words)
