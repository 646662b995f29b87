"""`trueerror repeats`: several answers to the same questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Format, command, flag, show
from trueerror.inputs._groups import Group, option

REPEATS_HELP = "Several answers to the same questions: pass@k, majority, consistency, and whether to ask again."
REPEATS_EPILOG = (
    "Examples: trueerror repeats answers.csv --id question --grade correct · trueerror repeats answers.csv --k 10 · "
    "trueerror repeats answers.csv --grade score --scale 1,5 --cost-ratio 20 · "
    "trueerror repeats logs/*.eval --grade match"
)


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnswerColumns(Group):
    """Which column of a file of answers is what."""

    PLACE = COLUMNS
    grade: str | None = option(None, "Column with the grade of each answer, 0 or 1; of a log, the scorer.", "COLUMN")
    id: str | None = option(None, "Column that names the question of an answer.", "COLUMN")
    models: list[str] | None = option(
        None, "A model to look at (default: all); repeat for several.", "NAME", list[str], "--model -m")
    cluster: str | None = option(None, "Column of clusters of questions that depend on each other.", "COLUMN")
    scale: str | None = option(None, "Lowest and highest grade, if not 0 and 1: 1,5.", "LOW,HIGH")
    missing: str = option("error", "Answers without a grade: error, wrong or drop.", "RULE")
    table: str | None = option(None, "Table of a SQLite or DuckDB file with several, or sheet of a workbook.", "NAME")
    # fmt: on


@command
def repeats_command(
    *,
    file: o.Files,
    columns: AnswerColumns,
    k: Annotated[list[int] | None, flag("Number of answers k in pass@k; repeat for several.", "NUMBER")] = None,
    cost_ratio: Annotated[
        float | None, flag("Cost of a new question in answers; gives the best number of repeats.", "NUMBER")
    ] = None,
    method: Annotated[str | None, flag("Interval by name: effective-t, t.", "WORD")] = None,
    adjust: o.Adjust = "holm",
    confidence: o.Confidence = 0.95,
    form: o.Form = Format.text,
    explain: Annotated[bool, flag("Show the method of each number, with formula and source.")] = False,
) -> None:
    """Several answers to the same questions."""
    from trueerror.people._repeats import repeats

    analysis = repeats(
        file[0] if len(file) == 1 else file,
        k=k or None,
        grade=columns.grade,
        models=columns.models or None,
        scale=o.scale_typed(columns.scale),  # type: ignore[arg-type]
        ids=columns.id,
        clusters=columns.cluster,
        cost_ratio=cost_ratio,
        method=method,
        adjust=adjust,
        confidence=confidence,
        missing=columns.missing,  # type: ignore[arg-type]
        table=columns.table,
    )
    show(analysis, form, explain=explain)
