"""`trueerror label-plan`: which rows to label next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions, file_notes
from trueerror.cli._target import LISTS, target
from trueerror.results._document import Words

if TYPE_CHECKING:
    from trueerror.inputs._arrays import Column
    from trueerror.sources._tables import InputTable


def label_plan_command(
    file: str,
    *,
    judge: str,
    budget: int,
    human: str | None,
    table: str | None,
    rows: Path | None,
    seed: int,
    output: OutputOptions,
    **how: Any,
) -> None:
    """Which rows to label next."""
    from trueerror.people._judges import label_plan
    from trueerror.sources._open_tables import file_table

    written = None if rows is None else target(rows, LISTS, "a list of rows")
    items = file_table(file, table)
    known = None if human is None else values_of(items, human, "human")
    plan = label_plan(values_of(items, judge, "judge"), budget, human=known, rng=seed, **how)
    if written is not None:
        plan.save(written)
    hint = () if rows is not None else (Words("--rows FILE writes which rows to label."),)
    output.show(plan, more=(*hint, *file_notes(items)))


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
