"""`trueerror schema`: the JSON Schema of what a command answers."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from trueerror.cli._app import command

SCHEMA_HELP = "The JSON Schema of what a command answers under --format json."
SCHEMA_EPILOG = (
    "Examples: trueerror schema gate > gate.schema.json · trueerror schema evaluate. "
    "Under one version of the schema (trueerror/1) fields may be added; none is dropped or changes its meaning."
)


class Answer(StrEnum):
    """The commands whose answers have a published schema."""

    evaluate = "evaluate"
    compare = "compare"
    gate = "gate"
    check = "check"
    repeats = "repeats"
    agreement = "agreement"
    arena = "arena"
    ppi = "ppi"
    label_plan = "label-plan"


@command
def schema_command(
    of: Annotated[Answer, typer.Argument(help="The command whose answer to describe.", metavar="COMMAND")],
) -> None:
    """The JSON Schema of what a command answers."""
    from trueerror.results._document import schema_for

    print(json.dumps(schema_for(of.value), indent=2, ensure_ascii=False))
