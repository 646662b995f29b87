"""`trueerror run`: an experiment written down as TOML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Format, answers, complain, show
from trueerror.cli._terminal import target

if TYPE_CHECKING:
    from trueerror.experiments._outcomes import Failure

RUN_HELP = "Fit learners to data sets by a plan in a TOML file, and say how good each is."
RUN_EPILOG = (
    "Examples: trueerror run experiment.toml --jobs 4 · trueerror run experiment.toml --resume · "
    "trueerror run experiment.toml -o report.html"
)
MOST_FAILURES = 10
ENDINGS = (".html", ".csv", ".json", ".md", ".tex", ".txt", ".png", ".svg", ".pdf")


@answers
def run_command(
    file: Annotated[str, typer.Argument(help="TOML file: learners, data, plan, metrics, study.", metavar="EXPERIMENT")],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the store; finished fits are kept.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Go on with the run in the store, and do its failed fits again.")
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
            help="Also write a file: .html is a report, .csv has a line for each test part, .json .md .tex .txt the "
            "summary, .png .svg .pdf a picture.",
        ),
    ] = None,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    ignore: o.Ignore = None,
) -> None:
    """Run an experiment."""
    from trueerror.experiments._experiment import experiment
    from trueerror.experiments._toml import check_metrics, read_recipe
    from trueerror.inputs._options import check_confidence

    written = None if output is None else target(output, ENDINGS, "what an experiment found")
    recipe = read_recipe(file)
    metrics = check_metrics(tuple(metric or recipe.metrics), recipe.data)
    given = {"store": store, "jobs": jobs, "engine": engine, "rng": seed}
    options: dict[str, Any] = recipe.options | {key: value for key, value in given.items() if value is not None}
    level = check_confidence(recipe.confidence if confidence is None else confidence)
    _check_store(options.get("store"), resume or retry)
    if recipe.study is not None:
        from trueerror.cli._studies import run_study

        name = metric[0] if metric else None
        study = run_study(recipe, options, metric=name, confidence=level, progress=progress)
        if written is not None:
            study.save(written)
        show(study, form, explain=explain)
        return
    try:
        run = experiment(recipe.learners, recipe.data, progress=progress, retry=retry, **options)
    except KeyboardInterrupt:
        kept = "" if options.get("store") is None else "; finished fits are kept: go on with --resume"
        complain(f"Stopped{kept}")
        raise
    for line in failure_lines(run.failures):
        complain(f"Warning: {line}")
    found = run.summary(metrics, confidence=level).without(*(ignore or ()))
    if written is not None and written.suffix.lower() == ".html":
        from trueerror.cli.report_plot import repeated
        from trueerror.reports import report

        told = {"metric": metric, "seed": seed, "confidence": confidence, "output": str(output)}
        report(
            run, written, metric=metrics[0], confidence=level, ignore=ignore or (), command=repeated("run", file, told)
        )
    elif written is not None and written.suffix.lower() == ".csv":
        run.save(written, metrics)
    elif written is not None:
        found.save(written)
    show(found, form, explain=explain)
    # A learner without a single fit is an experiment that did not do what it was asked for.
    if any(
        all(o.status != "done" for (_, learner), made in run.outcomes.items() if learner == name for o in made)
        for name in run.learners
    ):
        raise typer.Exit(1)


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """Failures with the same words once, with how often and where they came first."""
    same: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        same.setdefault((failure.learner, failure.data, " ".join(failure.error.split())), []).append(failure)
    lines = []
    for (learner, data, error), found in list(same.items())[:MOST_FAILURES]:
        often = "1 fit" if len(found) == 1 else f"{len(found):,} fits"
        where = f"{'first ' if len(found) > 1 else ''}in repeat {found[0].repeat + 1}, fold {found[0].fold + 1}"
        lines.append(f"{learner} on {data}: {often} failed, {where}: {error[:300]}{'…' if len(error) > 300 else ''}")
    if len(same) > MOST_FAILURES:
        lines.append(f"and {len(same) - MOST_FAILURES:,} other kinds of failure")
    return lines


def _check_store(store: str | None, resume: bool) -> None:
    """Going on with an old run is asked for, so that nobody does it unawares."""
    from trueerror.experiments._store import holds_run
    from trueerror.inputs._options import InputError

    if store is None:
        if resume:
            raise InputError('--resume needs a store: put store = "folder" in the file, or pass --store')
        return
    if not resume and holds_run(store):
        raise InputError(
            f"the store {store} holds a run already; add --resume to go on with it, or pass another --store"
        )
