"""`trueerror run`: an experiment written down as TOML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from trueerror.cli import options as o
from trueerror.cli.output import Format, answers, show
from trueerror.cli.targets import target

HELP = "Fit learners to data sets by a plan in a TOML file, and say how good each is."
EPILOG = (
    "Examples: trueerror run experiment.toml --jobs 4 · trueerror run experiment.toml --resume · "
    "trueerror run experiment.toml -o parts.csv"
)
ENDINGS = (".csv", ".json", ".md", ".tex", ".txt", ".png", ".svg", ".pdf")


@answers
def command(
    file: Annotated[str, typer.Argument(help="TOML file: learners, data sets, plan, metrics.", metavar="EXPERIMENT")],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the store; finished fits are kept.")
    ] = False,
    store: Annotated[
        str | None, typer.Option("--store", help="Folder or URL for the run, if not the file's.", metavar="PLACE")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="How many fits at once; -1 for all processors.", metavar="NUMBER")
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", help="loky, threading, dask or ray.", metavar="WORD")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="A metric to show, if not the file's; repeat for several.",
            metavar="NAME",
            autocompletion=o.complete_metrics,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed, if not the file's.", min=0, metavar="NUMBER")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", "-c", help="Confidence of the intervals, between 0 and 1.", metavar="SHARE"),
    ] = None,
    progress: Annotated[bool, typer.Option("--progress/--no-progress", help="A progress bar on terminals.")] = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Also write a file: .csv has a line for each test part, .json .md .tex .txt the summary, "
            ".png .svg .pdf a picture.",
        ),
    ] = None,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    ignore: o.Ignore = None,
) -> None:
    """Run an experiment."""
    from trueerror.experiments.recipes import check_metrics, read_recipe
    from trueerror.experiments.running import experiment
    from trueerror.inputs.options import check_confidence

    written = None if output is None else target(output, ENDINGS, "what an experiment found")
    recipe = read_recipe(file)
    metrics = check_metrics(tuple(metric or recipe.metrics), recipe.data)
    given = {"store": store, "jobs": jobs, "engine": engine, "rng": seed}
    options: dict[str, Any] = recipe.options | {key: value for key, value in given.items() if value is not None}
    level = check_confidence(recipe.confidence if confidence is None else confidence)
    _check_store(options.get("store"), resume)
    run = experiment(recipe.learners, recipe.data, progress=progress, **options)
    for failure in run.failures[:10]:
        words = f"{failure.learner} on {failure.data}, repeat {failure.repeat + 1}, fold {failure.fold + 1}"
        print(f"Warning: {words}: {' '.join(failure.error.split())}", file=sys.stderr)
    if len(run.failures) > 10:
        print(f"Warning: and {len(run.failures) - 10} more fits failed", file=sys.stderr)
    found = run.summary(metrics, confidence=level).without(*(ignore or ()))
    if written is not None and written.suffix.lower() == ".csv":
        run.save(written, metrics)
    elif written is not None:
        found.save(written)
    show(found, form, explain=explain)


def _check_store(store: str | None, resume: bool) -> None:
    """Going on with an old run is asked for, so that nobody does it unawares."""
    from trueerror.experiments.manifest import NAME
    from trueerror.experiments.storage import open_folder
    from trueerror.inputs.errors import InputError

    if store is None:
        if resume:
            raise InputError('--resume needs a store: put store = "folder" in the file, or pass --store')
        return
    if not resume and NAME in open_folder(store).names():
        raise InputError(
            f"the store {store} holds a run already; add --resume to go on with it, or pass another --store"
        )
