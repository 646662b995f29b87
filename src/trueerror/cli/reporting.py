"""`trueerror report`: everything about the models of a file on one page."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from trueerror.cli import options as o
from trueerror.cli.output import answers, tell
from trueerror.cli.usage import complete_metrics

HELP = "One HTML page about the models in a file: verdict, differences, findings, tables and pictures, offline."
EPILOG = (
    "Examples: trueerror report preds.csv -o report.html · "
    "trueerror report preds.csv --positive 1 --cost-fn 10 -o report.html · "
    "trueerror report preds.csv --positive 1 --metric auc --title Churn"
)

# Options that need no saying when a command is repeated.
USUAL = {"missing": "error", "metric": "accuracy", "confidence": 0.95}


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
    budget: o.Budget = None,
    threshold: o.Threshold = None,
    metric: Annotated[
        str, typer.Option("--metric", help="What to compare by.", metavar="NAME", autocompletion=complete_metrics)
    ] = "accuracy",
    reference: Annotated[
        str | None, typer.Option("--reference", help="Compare only with this model.", metavar="MODEL")
    ] = None,
    margin: Annotated[
        float | None, typer.Option("--margin", help="The smallest difference that matters.", metavar="NUMBER")
    ] = None,
    cost_fp: Annotated[
        float | None, typer.Option("--cost-fp", help="What a false alarm costs (default 1).", metavar="NUMBER")
    ] = None,
    cost_fn: Annotated[
        float | None, typer.Option("--cost-fn", help="What a miss costs (default 1).", metavar="NUMBER")
    ] = None,
    prior: o.Prior = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    ignore: o.Ignore = None,
    columns: o.Columns = False,
) -> None:
    """One HTML page about the models in a file."""
    from trueerror.cli.reading import read_file
    from trueerror.cli.targets import target

    path = target(output, (".html", ".htm"), "a report")
    reading: dict[str, Any] = {
        "truth": truth, "model": model, "score": score, "positive": positive, "id": id, "cluster": cluster, "by": by,
        "fold": fold, "weight": weight, "weights_kind": weights_kind, "missing": missing, "budget": budget,
        "threshold": threshold,
    }  # fmt: skip
    given = read_file(file, **reading)
    if columns:
        print(given.roles)
        return
    from trueerror.reports import report

    asked: dict[str, Any] = {
        "metric": metric, "reference": reference, "margin": margin, "cost_fp": cost_fp, "cost_fn": cost_fn,
        "prior": prior, "confidence": confidence, "ignore": ignore or [],
    }  # fmt: skip
    told = {"output": str(output), "title": title, **reading, **asked, "seed": seed}
    kept = {k: v for k, v in told.items() if v != USUAL.get(k)}
    written = report(given, path, title=title, rng=seed, command=repeated("report", file, kept), **asked)
    tell(f"Wrote {written}: open it in a browser.")


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
