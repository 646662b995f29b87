"""The program: its commands, and how errors end."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

import typer

from trueerror.version import __version__

# Command → module in this folder; each holds a function `command`. The order is the order of the help.
COMMANDS = {
    "interval": "one_proportion",
    "difference": "differing",
    "power": "power_planning",
    "sample-size": "size_planning",
    "evaluate": "evaluating",
    "compare": "comparing",
    "report": "reporting",
    "plot": "plotting",
    "check": "checking",
    "gate": "gating",
    "run": "running",
    "rank": "ranking_table",
    "demo": "demonstration",
}

app = typer.Typer(
    name="trueerror",
    help="How good is a classifier really, is it better than that one, and which one to run: "
    "each answer with its uncertainty.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"trueerror {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """How good is a classifier really, is it better than that one, and which one to run."""


def _register(names: list[str]) -> None:
    for name in names:
        module = import_module(f"trueerror.cli.{COMMANDS[name]}")
        app.command(name, help=module.HELP, epilog=getattr(module, "EPILOG", None))(module.command)


def run() -> None:
    """Run the program; a reader that closes the pipe early is no error."""
    # One command is loaded when one is named: the help alone needs them all.
    named = [a for a in sys.argv[1:2] if a in COMMANDS]
    _register(named or list(COMMANDS))
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
