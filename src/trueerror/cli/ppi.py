"""`trueerror ppi`: few labels of people and many of a judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.cli.label_plan import label_of, two_numbers, values_of
from trueerror.inputs._options import InputError

PPI_HELP = "The true mean when people labelled only some rows and a judge labelled all."
PPI_EPILOG = (
    "The file has a row for each item, with gaps in the column of people's labels. Examples: trueerror ppi items.csv "
    "--human human --judge judge · trueerror ppi items.csv --human human --judge score --positive right · "
    "trueerror ppi two.csv --human a_human --human b_human --judge a_judge --judge b_judge"
)


@command
def ppi_command(
    *,
    file: o.File,
    human: Annotated[
        list[str], flag("Column of people's labels, with gaps; twice for two models.", "COLUMN", group=COLUMNS)
    ],
    judge: Annotated[
        list[str], flag("Column of the judge's labels or scores, in the same order.", "COLUMN", group=COLUMNS)
    ],
    positive: Annotated[str | None, flag("The label to count.", "LABEL", group=COLUMNS)] = None,
    strata: Annotated[
        str | None, flag("Column of strata, within which rows were labelled at random.", "COLUMN", group=COLUMNS)
    ] = None,
    inclusion: Annotated[
        str | None, flag("Column of each row's chance to be labelled, where they differ.", "COLUMN", group=COLUMNS)
    ] = None,
    table: o.Table = None,
    bounds: Annotated[str | None, flag("Lowest and highest value of a grade, such as 1,5.", "LOW,HIGH")] = None,
    method: Annotated[str | None, flag("post-stratified (the default), ppi++ or classical.", "WORD")] = None,
    power: Annotated[float | None, flag("λ of ppi++, where it is not tuned.", "NUMBER")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Few labels of people and many of a judge."""
    from trueerror.people._judges import prediction_powered
    from trueerror.sources._open_tables import file_table

    if len(human) != len(judge):
        raise InputError(f"--human names {len(human)} columns and --judge {len(judge)}: one of each for each model")
    items = file_table(file, table)
    two = len(human) > 1
    people: Any = {name: values_of(items, name, "human") for name in human}
    answers: Any = dict(zip(human, (values_of(items, name, "judge") for name in judge), strict=True))
    estimate = prediction_powered(
        people if two else people[human[0]],
        answers if two else answers[human[0]],
        positive=None if positive is None else label_of(positive, people[human[0]]),
        strata=None if strata is None else values_of(items, strata, "strata"),
        inclusion=None if inclusion is None else values_of(items, inclusion, "inclusion"),
        bounds=None if bounds is None else two_numbers(bounds),
        method=method,  # type: ignore[arg-type]
        power=power,
        confidence=confidence,
    )
    output.show(replace(estimate, reading=" ".join((estimate.reading, *items.notes))))
