"""`trueerror check`: what should a reader of these predictions know, before believing any number?

`trueerror gate`: may this candidate go in? For continuous integration: the exit code is the decision.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Format, answers, as_options, complete_metrics, show
from trueerror.results._format import filled, listing
from trueerror.results._tables import one_line

if TYPE_CHECKING:
    from trueerror.findings import Finding, Findings
    from trueerror.sources._predictions import Predictions

CHECK_HELP = "What the evaluation linter finds in a file of predictions; exit code 1 when there is an error among it."
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


@answers
def check_command(
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
    from trueerror.cli._reading import read_file
    from trueerror.verbs._check import check_predictions, lenient

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


GATE_HELP = "Whether a candidate may go in: exit code 0 pass, 1 fail, 3 cannot tell (2 bad input)."
GATE_EPILOG = (
    "Examples: trueerror gate new.csv --baseline old.csv --margin 0.02 · trueerror gate preds.csv --baseline old "
    "--metric accuracy --metric recall --positive 1 · trueerror gate new.csv --at-least 0.9 · "
    "trueerror gate new.csv --baseline old.csv --margin 0.01 --format markdown > comment.md"
)


@answers
def gate_command(
    file: Annotated[
        str, typer.Argument(help="The candidate's predictions: a file, or - for standard input.", metavar="CANDIDATE")
    ],
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", "-b", help="The baseline's file, or a model in the same file.", metavar="FILE"),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", help="What to judge by; repeat for several.", metavar="NAME", autocompletion=complete_metrics
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option("--margin", help="How much worse is still good enough; also METRIC=NUMBER.", metavar="NUMBER"),
    ] = None,
    at_least: Annotated[
        list[str] | None,
        typer.Option("--at-least", help="What the candidate itself must reach; also METRIC=NUMBER.", metavar="NUMBER"),
    ] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Limits that hold however often the gate is asked.")
    ] = False,
    unpaired: Annotated[bool, typer.Option("--unpaired", help="The two files hold different rows.")] = False,
    adjust: Annotated[
        str, typer.Option("--adjust", help="For several checks: bonferroni, sidak or none.", metavar="WORD")
    ] = "bonferroni",
    truth: o.Truth = None,
    model: o.Model = None,
    score: o.Score = None,
    candidate: Annotated[
        str | None, typer.Option("--candidate", help="Which model of the file to judge.", metavar="MODEL")
    ] = None,
    positive: o.Positive = None,
    id: o.Id = None,
    cluster: o.Cluster = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    weight: o.Weight = None,
    weights_kind: o.WeightsKind = None,
    missing: o.Missing = "error",
    budget: o.Budget = None,
    threshold: o.Threshold = None,
    costs: o.Costs = None,
    cost_fp: o.CostFp = None,
    cost_fn: o.CostFn = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    columns: o.Columns = False,
) -> None:
    """Whether a candidate may go in."""
    import os
    import re

    from trueerror.cli._reading import read_file
    from trueerror.cli.evaluate import parse_costs
    from trueerror.inputs._options import InputError, nearest
    from trueerror.verbs._evaluate import named_costs
    from trueerror.verbs._gate import gate

    prices = named_costs(None if costs is None else parse_costs(costs), cost_fp, cost_fn)
    metrics = metric or (["expected_cost"] if prices is not None else ["accuracy"])
    margins, least = parse_numbers(margin, "--margin"), parse_numbers(at_least, "--at-least")
    if file == baseline == "-":
        raise InputError("standard input can be read once; give a file for one of the two")
    reading: dict[str, Any] = {
        "truth": truth, "model": model, "score": score, "positive": positive, "id": id, "cluster": cluster,
        "fold": fold, "repeat": repeat, "weight": weight, "weights_kind": weights_kind,
        "missing": "drop" if columns else missing, "budget": budget,
    }  # fmt: skip
    given = read_file(file, **reading)
    other: Any = baseline
    if baseline is not None and (os.path.exists(baseline) or baseline not in given.models):
        if not os.path.exists(baseline) and not re.search(r"[-/\\.*?\[]", baseline):
            raise InputError(
                f"--baseline {baseline!r} is neither a file nor a model of {file}{nearest(baseline, given.models)}"
            )
        other = read_file(baseline, **reading)
    if columns:
        print(given.roles if other is None or isinstance(other, str) else f"{given.roles}\n\n{other.roles}")
        return
    found = gate(
        given,
        other,
        metric=metrics,
        margin=0.0 if margins is None else margins,
        at_least=least,
        confidence=confidence,
        adjust=adjust,  # type: ignore[arg-type]
        sequential=sequential,
        paired=False if unpaired else None,
        model=candidate,
        threshold=threshold,
        costs=prices,
        rng=seed,
    )
    show(found, form, explain=explain)
    if found.exit_code and not explain:
        raise typer.Exit(found.exit_code)


def parse_numbers(words: list[str] | None, option: str) -> float | dict[str, float] | None:
    """One number for all metrics, or METRIC=NUMBER for some.

    >>> parse_numbers(["0.02"], "--margin"), parse_numbers(["recall=0.01", "f1=0.03"], "--margin")
    (0.02, {'recall': 0.01, 'f1': 0.03})
    """
    from trueerror.inputs._options import InputError

    if not words:
        return None
    named: dict[str, float] = {}
    for word in words:
        name, mark, number = word.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise InputError(f"{option} {word!r} is neither a number nor METRIC=NUMBER") from None
        if not mark:
            if len(words) > 1:
                raise InputError(f"{option} is given {len(words)} times: write METRIC=NUMBER, one for each metric")
            return value
        named[name] = value
    return named
