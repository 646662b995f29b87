"""`trueerror check`: what should a reader of these predictions know, before believing any number?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import typer

from trueerror.cli._answers import as_advice
from trueerror.cli._option_groups import OutputOptions, RowsOptions, read_file
from trueerror.inputs._options import check_word
from trueerror.results._format import filled, listing, one_line

if TYPE_CHECKING:
    from trueerror.findings import Finding, Findings

WIDTH = 80
# Severities that end with exit code 1, by the word of --fail-on.
FAILING = {"warning": ("warning", "error"), "error": ("error",), "never": ()}


def check_command(
    file: list[str], *, fail_on: str, training: str | None, rows: RowsOptions, output: OutputOptions
) -> None:
    """What the evaluation linter finds."""
    from trueerror.verbs._check import check_predictions, lenient

    counted = check_word(fail_on, FAILING, "fail_on")
    options = rows.to_read()
    given, seen = lenient(partial(read_file, file), **options | {"table": rows.table_of(file, training)})
    if rows.columns:
        output.show_columns(given)
        return
    options["table"] = None if training is None else rows.table_of(training, file)
    known = None if training is None else lenient(partial(read_file, training), **options)[0]
    findings = output.kept(check_predictions(given, seen, known))
    output.show(findings, lambda: f"{filled(one_line(str(given)), WIDTH)}\n\n{findings_page(findings)}")
    if any(f.severity in FAILING[counted] for f in findings):
        raise typer.Exit(1)


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
