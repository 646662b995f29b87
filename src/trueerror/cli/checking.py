"""`trueerror check`: what should a reader of these predictions know, before believing any number?"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import options as o
from trueerror.cli.output import Format, answers, as_options, show
from trueerror.results.tables import one_line
from trueerror.results.words import filled, listing

if TYPE_CHECKING:
    from trueerror.findings import Finding, Findings
    from trueerror.rows.predictions import Predictions

HELP = "What the evaluation linter finds in a file of predictions; exit code 1 when there is an error among it."
EPILOG = (
    "Examples: trueerror check preds.csv · trueerror check preds.csv --fail-on warning --ignore TE103 · "
    "trueerror check test.csv --training train.csv"
)
WIDTH = 80


class FailOn(StrEnum):
    """From which severity on the exit code is 1."""

    warning = "warning"
    error = "error"
    never = "never"


@answers
def command(
    file: o.File,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="Exit with 1 when there is a finding of this severity or worse.")
    ] = FailOn.error,
    training: Annotated[
        str | None,
        typer.Option("--training", help="The same models' predictions for the training rows.", metavar="FILE"),
    ] = None,
    truth: o.Truth = None,
    model: o.Model = None,
    score: o.Score = None,
    positive: o.Positive = None,
    id: o.Id = None,
    cluster: o.Cluster = None,
    by: o.By = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    weight: o.Weight = None,
    weights_kind: o.WeightsKind = None,
    missing: o.Missing = "error",
    budget: o.Budget = None,
    threshold: o.Threshold = None,
    form: o.OutputFormat = Format.text,
    ignore: o.Ignore = None,
    columns: o.Columns = False,
) -> None:
    """What the evaluation linter finds."""
    from trueerror.cli.reading import read_file
    from trueerror.verbs.checking import check_predictions, lenient

    def opened(path: str) -> tuple[Predictions, dict[str, Any]]:
        return lenient(
            partial(read_file, path),
            truth=truth, model=model, score=score, positive=positive, id=id, cluster=cluster, by=by, fold=fold,
            repeat=repeat, weight=weight, weights_kind=weights_kind, missing="drop" if columns else missing,
            budget=budget, threshold=threshold,
        )  # fmt: skip

    given, facts = opened(file)
    if columns:
        print(given.roles)
        return
    known = None if training is None else opened(training)[0]
    found = check_predictions(given, facts, known).without(*(ignore or ()))
    show(found, form, text=lambda: f"{filled(one_line(str(given)), WIDTH)}\n\n{findings_page(found)}")
    if fails(found, fail_on):
        raise typer.Exit(1)


def fails(found: Findings, fail_on: FailOn) -> bool:
    """Whether there is a finding at the chosen severity or worse."""
    counted = {"warning": ("warning", "error"), "error": ("error",), "never": ()}[fail_on.value]
    return any(f.severity in counted for f in found)


def findings_page(found: Findings) -> str:
    """How many there are, then each with what to do; findings that several models share stand there once."""
    if not len(found):
        return "  No findings."
    grouped: dict[tuple[str, str], list[Finding]] = {}
    for f in found:
        grouped.setdefault((f.code, f.message), []).append(f)
    counts = {s: sum(g[0].severity == s for g in grouped.values()) for s in ("error", "warning", "note")}
    total = sum(counts.values())
    parts = listing([f"{n} {s}{'' if n == 1 else 's'}" for s, n in counts.items() if n])
    lines = [f"  {total} finding{'' if total == 1 else 's'}: {parts}.", ""]
    for (code, message), group in grouped.items():
        names = [one_line(f.about) for f in group if f.about]
        who = f"{listing(names[:4] + ([f'{len(names) - 4} more'] if len(names) > 4 else []))}: " if names else ""
        first = group[0]
        words = as_options(one_line(message))
        lines.append(filled(f"! {code} ({first.severity}) {who}{words}", WIDTH, subsequent_indent="  "))
        if first.fix:
            lines.append(filled(as_options(first.fix), WIDTH, initial_indent="  → ", subsequent_indent="    "))
    return "\n".join(lines)
