"""What `commands.toml` says of a command holds for the function that answers it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import trueerror as te
from trueerror.cli._commands import COMMANDS, command_row
from trueerror.cli.plot import KINDS
from trueerror.inference.loss._t_tests import fold_differences

VERBS: dict[str, Callable[..., Any]] = {
    "agreement": te.agreement,
    "arena": te.arena,
    "difference": te.difference,
    "folds": fold_differences,
    "interval": te.interval,
    "label-plan": te.label_plan,
    "power": te.power,
    "ppi": te.prediction_powered,
    "rank": te.rank,
    "repeats": te.repeats,
    "sample-size": te.sample_size,
}


@pytest.mark.parametrize("name", VERBS)
def test_defaults_are_those_of_the_verb(name: str) -> None:
    parameters = inspect.signature(VERBS[name]).parameters.values()
    theirs = {p.name: p.default for p in parameters if p.default not in (None, p.empty)}
    ours = {s.name: s.default for s in command_row(name).own if s.name in theirs}
    assert ours == {word: theirs[word] for word in ours}


def test_the_help_of_plot_names_every_kind() -> None:
    (kind,) = (s for s in command_row("plot").own if s.name == "kind")
    assert kind.known.meaning == f"What to show: {', '.join(KINDS)}."


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_one_option_of_a_name_and_of_a_flag(name: str) -> None:
    settings = command_row(name).settings()
    flags = [flag for s in settings for flag in s.flags]
    assert len({s.name for s in settings}) == len(settings)
    assert len(set(flags)) == len(flags)
