"""`trueerror label-plan`: which rows to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.cli._target import target
from trueerror.cli.arena import LISTS
from trueerror.inputs._options import InputError
from trueerror.results._document import Words

if TYPE_CHECKING:
    from trueerror.inputs._arrays import Column
    from trueerror.sources._tables import InputTable

LABEL_PLAN_HELP = "Which rows to label next, so that few labels say most."
LABEL_PLAN_EPILOG = (
    "Examples: trueerror label-plan items.csv --judge score --budget 200 · trueerror label-plan items.csv --judge "
    "score --budget 200 --method active --rows rows.csv · trueerror label-plan items.csv --judge score --budget 100 "
    "--human human"
)


@command
def label_plan_command(
    *,
    file: o.File,
    judge: Annotated[str, flag("Column of the judge's labels or scores.", "COLUMN", group=COLUMNS)],
    budget: Annotated[int, flag("Number of rows to label.", "NUMBER", min=2)],
    human: Annotated[
        str | None, flag("Column of labels that exist already, with gaps.", "COLUMN", group=COLUMNS)
    ] = None,
    table: o.Table = None,
    method: Annotated[str, flag("neyman (by groups of answers), active (by each score) or random.", "WORD")] = "neyman",
    mix: Annotated[float, flag("For active: share of the chance that is the same for all rows.", "SHARE")] = 0.2,
    rows: Annotated[Path | None, flag("CSV file for the rows and their chances.", "FILE")] = None,
    seed: Annotated[int, flag("Seed of all random draws.", "NUMBER", min=0)] = 0,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Which rows to label next."""
    from trueerror.people._judges import label_plan
    from trueerror.sources._open_tables import file_table

    written = None if rows is None else target(rows, LISTS, "a list of rows")
    items = file_table(file, table)
    known = None if human is None else values_of(items, human, "human")
    plan = label_plan(
        values_of(items, judge, "judge"),
        budget,
        human=known,
        method=method,  # type: ignore[arg-type]
        mix=mix,
        rng=seed,
    )
    if written is not None:
        plan.save(written)
    hint = () if rows is not None else (Words("--rows FILE writes which rows to label."),)
    output.show(plan, more=(*hint, *o.file_notes(items)))


def values_of(table: InputTable, name: str, option: str) -> Column:
    """A column of a file, named by an option."""
    from trueerror.sources._tables import need_column

    return table.values(need_column(table, name, option))


def label_of(text: str, column: Any) -> object:
    """A label as it stands in a column: "1" is 1 where labels are numbers."""
    from trueerror.inputs._arrays import missing_rows
    from trueerror.inputs._labels import find_label, ordered, plain_label

    kept = column[~missing_rows(column)]
    labels = ordered({plain_label(v) for v in kept.tolist()})
    return find_label(text, labels)


def two_numbers(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--bounds {text!r}: write the lowest and the highest value, such as 1,5") from None
    return low, high
