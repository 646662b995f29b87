"""`trueerror check`: what should a reader of these predictions know, before believing any number?"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, as_advice, command, flag
from trueerror.results._format import filled, listing, one_line

if TYPE_CHECKING:
    from trueerror.findings import Finding, Findings

CHECK_HELP = "Findings about an evaluation, from a file of predictions; exit code 1 when one is an error."
CHECK_EPILOG = (
    "Examples: trueerror check preds.csv · trueerror check preds.csv --fail-on warning --ignore TE103 · "
    "trueerror check test.csv --training train.csv"
)
WIDTH = 80


class FailOn(StrEnum):
    """From which severity on the exit code is 1."""

    warning = "warning"
    error = "error"
    never = "never"


@command
def check_command(
    *,
    file: o.Files,
    fail_on: Annotated[FailOn, flag("Exit with 1 when there is a finding of this severity or worse.")] = FailOn.error,
    training: Annotated[str | None, flag("The same models' predictions for the training rows.", "FILE")] = None,
    rows: o.RowsOptions,
    output: Annotated[o.OutputOptions, Without("explain")],
) -> None:
    """What the evaluation linter finds."""
    from trueerror.verbs._check import check_predictions, lenient

    options = rows.to_read(output)
    given, seen = lenient(partial(o.read_file, file), **options | {"table": rows.table_of(file, training)})
    if output.show_columns(given):
        return
    options["table"] = None if training is None else rows.table_of(training, file)
    known = None if training is None else lenient(partial(o.read_file, training), **options)[0]
    findings = output.kept(check_predictions(given, seen, known))
    output.show(findings, lambda: f"{filled(one_line(str(given)), WIDTH)}\n\n{findings_page(findings)}")
    if fails(findings, fail_on):
        raise typer.Exit(1)


def fails(findings: Findings, fail_on: FailOn) -> bool:
    """Whether there is a finding at the chosen severity or worse."""
    counted = {"warning": ("warning", "error"), "error": ("error",), "never": ()}[fail_on.value]
    return any(f.severity in counted for f in findings)


def findings_page(findings: Findings) -> str:
    """How many there are, then each with what to do; findings that several models share stand there once."""
    if not len(findings):
        return "  No findings."
    grouped: dict[tuple[str, str], list[Finding]] = {}
    for f in findings:
        grouped.setdefault((f.code, f.message), []).append(f)
    counts = {s: sum(g[0].severity == s for g in grouped.values()) for s in ("error", "warning", "note")}
    total = sum(counts.values())
    parts = listing([f"{n} {s}{'' if n == 1 else 's'}" for s, n in counts.items() if n])
    lines = [f"  {total} finding{'' if total == 1 else 's'}: {parts}.", ""]
    for (code, message), group in grouped.items():
        names = [one_line(f.about) for f in group if f.about]
        who = f"{listing(names[:4] + ([f'{len(names) - 4} more'] if len(names) > 4 else []))}: " if names else ""
        first = group[0]
        words = as_advice(one_line(message))
        lines.append(filled(f"! {code} ({first.severity}) {who}{words}", WIDTH, subsequent_indent="  "))
        if first.fix:
            lines.append(filled(as_advice(first.fix), WIDTH, initial_indent="  → ", subsequent_indent="    "))
    return "\n".join(lines)
