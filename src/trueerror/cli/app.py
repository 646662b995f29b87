"""The program: its commands, how their help looks, and how errors end."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from trueerror.cli.output import complain
from trueerror.cli.usage import examples, usage_sentence
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
    "schema": "describing",
    "demo": "demonstration",
}
# Every error of usage that the parser raises is of this class.
UsageError: type[Any] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="trueerror",
    help="How good is a classifier really, is it better than that one, and which one to run: "
    "each answer with its uncertainty.",
    epilog=examples(
        "Examples: trueerror demo · trueerror compare preds.csv --positive 1 · trueerror interval 750/1000. "
        "Exit codes: 0 done or pass, 1 gate failed or findings, 2 wrong usage or bad input, 3 gate cannot tell. "
        "trueerror COMMAND --help has more."
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    # Boxes cost three times the time of all the rest, and squeeze the words.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
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
        epilog = examples(getattr(module, "EPILOG", ""))
        app.command(name, help=module.HELP, short_help=module.HELP, epilog=epilog or None)(module.command)


def run() -> None:
    """Run the program; a reader that closes the pipe early is no error."""
    # One command is loaded when one is named: the help alone needs them all.
    named = [a for a in sys.argv[1:2] if a in COMMANDS]
    _register(named or list(COMMANDS))
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        if len(sys.argv) == 1:  # no command at all: the help is the answer
            print(error.format_message())
            sys.exit(2)
        complain(f"Error: {usage_sentence(error)}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)
