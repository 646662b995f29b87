"""The program: its help, how words that it does not know are answered, and how it ends."""

from __future__ import annotations

import errno
import os
import re
import sys
import textwrap
from typing import Annotated, Any

import typer
import typer.core

from trueerror.cli._answers import ARGUMENTS, JUDGE, OUTPUT, PLACES, complain, discard_output, sentence_of
from trueerror.cli._commands import COMMANDS, SECTIONS, CommandRow, command_of, command_row, short_help
from trueerror.inputs._options import nearest
from trueerror.inputs._words import known_words, option_for
from trueerror.results._format import clip
from trueerror.version import __version__

WIDTH = 78


def epilog(row: CommandRow) -> str:
    r"""What stands below the options of a command, with a line for each example, ready to paste.

    >>> row = CommandRow("check", "", ["demo", "check preds.csv"], after="That is all.")
    >>> print(epilog(row).replace("\b\n", ""))
    Examples:
      trueerror demo
      trueerror check preds.csv
    <BLANKLINE>
    That is all.
    """
    lines = [_pasteable(f"trueerror {example}") for example in row.examples]
    # \b keeps the lines of a paragraph as they are.
    parts = [row.before, "\b\nExamples:\n" + "\n".join(lines), textwrap.fill(row.after, WIDTH)]
    return "\n\n".join(part for part in parts if part)


def _pasteable(command: str) -> str:
    lines = textwrap.wrap(command, WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    return "  " + " \\\n      ".join(lines)


def usage_sentence(error: Any) -> str:
    """What the parser found wrong, in one sentence that names the nearest option or command."""
    context = getattr(error, "ctx", None)
    command = "trueerror" if context is None else context.command_path
    option = getattr(error, "option_name", None)
    known = [] if context is None else [word for p in context.command.params for word in getattr(p, "opts", ())]
    if option is not None and hasattr(error, "possibilities"):
        return f"{command} has no option {option}{_meant(option, context, known) or f'; {command} --help lists all'}"
    message = " ".join(error.format_message().split()).rstrip(".")
    wrong = re.match(r"No such command '([^']*)'", message)
    if wrong:
        known_as = COMMANDS_ELSEWHERE.get(wrong[1])
        if known_as is None and os.path.isfile(wrong[1]):
            return f"say what to do with {wrong[1]}: trueerror check, evaluate, compare or report {wrong[1]}"
        hint = f"; it is trueerror {known_as}" if known_as else nearest(wrong[1], COMMANDS)
        return f"there is no command {clip(wrong[1], 30)!r}{hint}"
    more = "" if message.endswith("?") else f"; {command} --help says more"
    return f"{message[:1].lower()}{message[1:]}{more}"


# Commands and options as other programs have them.
COMMANDS_ELSEWHERE = {
    "eval": "evaluate",
    "help": "--help",
    "version": "--version",
    "ci": "interval",
    "diff": "compare",
    "assert": "gate",
    "benchmark": "run",
    "roc": "plot --kind roc",
    "samplesize": "sample-size",
}
OPTIONS_ELSEWHERE = {
    **{f"--{word}": f"it is --format {word}" for word in ("json", "markdown", "latex", "html")},
    **dict.fromkeys(("-o", "--output", "--out"), "> FILE keeps what is printed; report and plot have -o"),
    **dict.fromkeys(("--tp", "--fp", "--fn", "--tn"), "four counts go in --matrix 'TN FP FN TP'"),
    **dict.fromkeys(("--verbose", "-v"), "--explain says more"),
}


def _meant(option: str, context: Any, known: list[str]) -> str:
    """The option of a command that a word of other programs, or a slip of the pen, stands for."""
    flags = {p.name: max(p.opts, key=len) for p in context.command.params if getattr(p, "opts", ())}
    if "seed" in flags:
        flags["rng"] = flags["seed"]
    flags = {name: flag for name, flag in flags.items() if flag.startswith("--")}
    word = option.lstrip("-").replace("-", "_")
    meaning = known_words().get(word)
    ours = option_for(word, flags) or flags.get(f"{word}s", "") or flags.get(word.removesuffix("s"), "")
    if ours:
        turned = meaning is not None and meaning.turned is not None and ours == "confidence"
        return f"; here it is called {flags.get(ours, ours)}{' (1 − it)' if turned else ''}"
    if meaning is not None and meaning.say and meaning.in_shell:
        return f": {meaning.in_shell}"
    if option in OPTIONS_ELSEWHERE:
        return f"; {OPTIONS_ELSEWHERE[option]}"
    close = nearest(option, [word for word in known if word.startswith("--")])
    return close if "did you mean" in close else ""


# Every error of usage that the parser raises is of this class.
UsageError: type[Any] = typer.BadParameter.__mro__[1]
# So few options need no groups.
FEW_OPTIONS = 12


class GroupedCommand(typer.core.TyperCommand):
    """A command whose help has its options in groups, and whose options of one value are given once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Of an option given twice the last value would win, and nothing would say so."""
        given = self.make_parser(ctx).parse_args(args=list(args))[-1]
        for option in self.get_params(ctx):
            once = isinstance(option, typer.core.TyperOption) and not option.multiple and not option.is_flag
            if once and (times := given.count(option)) > 1 and not ctx.resilient_parsing:
                one = option.metavar or "value"
                raise UsageError(f"{option.opts[0]} takes one {one}, and was given {times} times", ctx=ctx)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Arguments by their plain names: braces would mean a choice."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        rows: dict[str, list[tuple[str, str]]] = {place: [] for place in PLACES.values()}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            place = getattr(param, "rich_help_panel", None) or (OUTPUT if "--help" in param.opts else JUDGE)
            rows[ARGUMENTS if param.param_type_name == "argument" else place].append(record)
        if sum(map(len, rows.values())) - len(rows[ARGUMENTS]) < FEW_OPTIONS:
            rows = {ARGUMENTS: rows.pop(ARGUMENTS), "Options": [record for group in rows.values() for record in group]}
        for group, records in rows.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def made(name: str) -> Any:
    """A command for the parser."""
    row = command_row(name)
    program = typer.Typer(add_completion=False, rich_markup_mode=None)
    about: dict[str, Any] = {"help": row.help, "short_help": row.help, "epilog": epilog(row)}
    program.command(name, cls=GroupedCommand, **about)(command_of(name))
    return typer.main.get_command(program)


class GroupedProgram(typer.core.TyperGroup):
    """The program, whose help has its commands in order of use; a command is made when it is named."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return made(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, short_help(name)) for name in names])


ABOUT = CommandRow(
    "",
    "How good is a classifier really, is it better than that one, and which one to run: each answer with its "
    "uncertainty.",
    ["demo", "compare preds.csv --positive 1", "interval 750/1000"],
    after="Exit codes: 0 done or pass, 1 gate failed or findings, 2 wrong usage or bad input, 3 gate cannot tell. "
    "trueerror COMMAND --help has more.",
)
app = typer.Typer(
    name="trueerror",
    cls=GroupedProgram,
    help=ABOUT.help,
    epilog=epilog(ABOUT),
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
        bool, typer.Option("--version", help="Show the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """How good is a classifier really, is it better than that one, and which one to run."""


def run() -> None:
    """Run the program; a reader that closes the pipe early changes no verdict."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        code = app(standalone_mode=False)
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
    except UsageError as error:
        if len(sys.argv) == 1:  # no command at all: the help is the answer
            print(error.format_message())
            sys.exit(2)
        complain(f"Error: {usage_sentence(error)}")
        sys.exit(2)
    except OSError as error:
        # Standard output is full or closed: never the 1 that means "failed" for gate and check.
        complain(f"Error: {sentence_of(error)}")
        discard_output()
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        discard_output()
        sys.exit(130)
    except Exception as error:
        # A fault of ours is no verdict either.
        if sys.flags.dev_mode:
            raise
        said = f"{type(error).__name__}: {clip(sentence_of(error), 150)}"
        complain(f"Error: a fault of trueerror, please report it ({said}); python -X dev -m trueerror shows where")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
