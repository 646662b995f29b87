"""`trueerror gate`: may this candidate go in? For continuous integration: the exit code is the decision."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from trueerror.cli._option_groups import OutputOptions, RowsOptions
from trueerror.inputs._groups import Certainty, Costs, Demands
from trueerror.inputs._options import InputError, nearest

if TYPE_CHECKING:
    from trueerror.sources._predictions import Predictions


def gate_command(
    files: list[str],
    *,
    baseline: str | None,
    unpaired: bool,
    demands: Demands,
    rows: RowsOptions,
    costs: Costs,
    chance: Certainty,
    output: OutputOptions,
) -> None:
    """Whether a candidate may go in."""
    from trueerror.verbs._gate import gate

    margins = parse_numbers(demands.margin, "--margin")
    least = parse_numbers(demands.at_least, "--at-least")
    given, other, baseline = candidate_and_baseline(files, baseline, demands.model, rows)
    if rows.columns:
        output.show_columns(given, other)
        return
    alone = rows.models[0] if rows.models and len(rows.models) == 1 and other is None else None
    asked = demands.given() | {
        "metric": demands.metric or None,
        "margin": margins or 0.0,
        "at_least": least,
        "paired": False if unpaired else None,
        "model": demands.model or alone,
        "threshold": rows.threshold,
    }
    judged = gate(given, baseline if other is None else other, **asked, **costs.given(), **chance.given())
    output.show(judged)
    if judged.exit_code and not output.explain:
        raise typer.Exit(judged.exit_code)


def candidate_and_baseline(
    files: list[str], baseline: str | None, candidate: str | None, rows: RowsOptions
) -> tuple[Predictions, Predictions | None, str | None]:
    """The candidate's rows; those of the baseline, where they are in a file of their own; and the baseline's name."""
    named = [*files, *([baseline] if baseline is not None and os.path.isfile(baseline) else [])]
    if 1 < len(named) < 4 and rows.truth_first(named):
        given = rows.read(named)
        return given, None, given.models[1] if len(given.models) > 1 else baseline
    if len(files) == 2 and baseline is None:
        files, baseline = files[:1], files[1]
    if len(files) > 1:
        raise InputError(
            f"a gate judges one candidate against one baseline, not {len(files) + (baseline is not None)} files: "
            "trueerror gate new.csv --baseline old.csv, or with the truth in a file of its own trueerror gate "
            "truth.csv new.csv old.csv"
        )
    (file,) = files
    rows = _both_named(file, baseline, candidate, rows)
    if file == baseline == "-":
        raise InputError("standard input can be read once; give a file for one of the two")
    given = rows.read(file, beside=baseline)
    if baseline is None or (baseline in given.models and not os.path.exists(baseline)):
        return given, None, baseline
    if not os.path.exists(baseline) and not re.search(r"[-/\\.*?\[]", baseline):
        raise InputError(
            f"--baseline {baseline!r} is neither a file nor a model of {file}{nearest(baseline, given.models)}"
        )
    return given, rows.read(baseline, beside=file), baseline


def _both_named(file: str, baseline: str | None, candidate: str | None, rows: RowsOptions) -> RowsOptions:
    """Both models, where the baseline is a column of the same file: what else is in it is none of theirs."""
    from trueerror.sources._api import input_table

    named = [*(rows.models or ([] if candidate is None else [candidate]))]
    if (
        baseline is None
        or not named
        or file == "-"
        or rows.score
        or not os.path.isfile(file)
        or os.path.exists(baseline)
    ):
        return rows
    known = input_table(file, table=rows.table).columns
    both = list(dict.fromkeys([*named, baseline]))
    return replace(rows, models=both) if {*both} <= {*known} else rows


def parse_numbers(words: Any, option: str) -> float | dict[str, float] | None:
    """One number for all metrics, or METRIC=NUMBER for some.

    >>> parse_numbers(["0.02"], "--margin"), parse_numbers(["recall=0.01", "f1=0.03"], "--margin")
    (0.02, {'recall': 0.01, 'f1': 0.03})
    """
    if not words:
        return None
    named: dict[str, float] = {}
    for word in words:
        name, mark, number = word.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            share = re.fullmatch(r"([\d.]+) ?%", number)
            meant = f"; write a share: {float(share[1]) / 100:g}" if share else ""
            raise InputError(f"{option} {word!r} is neither a number nor METRIC=NUMBER{meant}") from None
        if not mark:
            if len(words) > 1:
                raise InputError(f"{option} is given {len(words)} times: write METRIC=NUMBER, one for each metric")
            return value
        named[name] = value
    return named
