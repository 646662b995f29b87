"""`trueerror ppi`: few labels of people and many of a judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.cli.label_plan import label_of, values_of
from trueerror.inputs._options import InputError


def ppi_command(
    file: str,
    *,
    human: list[str],
    judge: list[str],
    positive: str | None,
    strata: str | None,
    inclusion: str | None,
    table: str | None,
    output: OutputOptions,
    **how: Any,
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
    named = {"strata": strata, "inclusion": inclusion}
    known: Any = {word: None if name is None else values_of(items, name, word) for word, name in named.items()}
    estimate = prediction_powered(
        people if two else people[human[0]],
        answers if two else answers[human[0]],
        positive=None if positive is None else label_of(positive, people[human[0]]),
        **known,
        **how,
    )
    output.show(replace(estimate, reading=" ".join((estimate.reading, *items.notes))))
