"""The program: its commands, how their help looks, and how errors end.

How to use it: examples under the help of each command, and wrong usage in one sentence.

How commands answer: the result on stdout in the wanted format; a one-sentence error on stderr with exit code 2.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, ParamSpec

import typer

from trueerror.cli._terminal import PLAIN, RED, Waiting, fitted, is_terminal, painted, width_of
from trueerror.inputs._options import nearest
from trueerror.results import Result
from trueerror.version import __version__

WIDTH = 78


def examples(epilog: str) -> str:
    r"""An epilog such as "Examples: one · two. More words." with a line for each example, ready to paste.

    >>> print(examples("Examples: trueerror demo · trueerror check preds.csv. That is all.").replace("\b\n", ""))
    Examples:
      trueerror demo
      trueerror check preds.csv
    <BLANKLINE>
    That is all.
    """
    before, mark, after = epilog.partition("Examples: ")
    if not mark:
        return epilog
    # What follows the last example is set off by a full stop and a capital letter.
    commands, *rest = re.split(r"\. (?=[A-Z])|\. (?=trueerror COMMAND)", after, maxsplit=1)
    lines = [_pasteable(command.strip()) for command in commands.split(" · ")]
    # \b keeps the lines of a paragraph as they are.
    blocks = [before.strip(), "\b\nExamples:\n" + "\n".join(lines), *(textwrap.fill(r, WIDTH) for r in rest)]
    return "\n\n".join(b for b in blocks if b)


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
        close = nearest(option, [word for word in known if word.startswith("--")])
        hint = close if "did you mean" in close else f"; {command} --help lists those that there are"
        return f"{command} has no option {option}{hint}"
    message = " ".join(error.format_message().split()).rstrip(".")
    wrong = re.match(r"No such command '([^']*)'", message)
    if wrong:
        return f"there is no command {wrong[1]!r}{nearest(wrong[1], COMMANDS)}"
    more = "" if message.endswith("?") else f"; {command} --help says more"
    return f"{message[:1].lower()}{message[1:]}{more}"


def complete_formats(incomplete: str) -> list[str]:
    """The formats that begin so, for the shell."""
    return [word for word in ("text", "json", "markdown", "latex", "html") if word.startswith(incomplete)]


def complete_metrics(incomplete: str) -> list[str]:
    """The metrics that begin so, for the shell."""
    from trueerror.metrics._registry import every_measure

    return [name for name in ("all", *every_measure()) if name.startswith(incomplete)]


def complete_codes(incomplete: str) -> list[str]:
    """The codes of findings that begin so, for the shell."""
    from trueerror.findings import every_rule

    return [code for code in every_rule() if code.startswith(incomplete)]


def known_codes(codes: list[str] | None) -> list[str] | None:
    """Codes of findings as they were given; one that does not exist would silence nothing, and is refused."""
    if not codes:
        return codes
    from trueerror.findings import every_rule

    known = [*every_rule()]
    for code in codes:
        if code not in known:
            close = nearest(code, known)
            raise typer.BadParameter(f"there is no finding {code!r}{close if 'did you mean' in close else ''}")
    return codes


P = ParamSpec("P")
# Options whose Python names stand in error messages.
OPTIONS = (
    "positive|missing|threshold|weights_kind|costs|cost_fp|cost_fn|prior|method|confidence|truth|models|reference|adjust"
    "|margin|metric|design|alternative|clusters|cluster|id|by|fold|weight|first|second|disagreement|half_width|accuracy|power"
    "|prevalence|alpha|scores|score|at_least|baseline|icc|cluster_size|control|test|learner|dataset|value|rope|repeat|budget"
)
# Where the command line's word is another one.
SPOKEN = {"models": "model", "scores": "score", "clusters": "cluster"}


class Format(StrEnum):
    """Output formats."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    html = "html"


def format_named(word: str) -> Format:
    """A format by its name; "md" is short for "markdown".

    >>> format_named("md")
    <Format.markdown: 'markdown'>
    """
    from trueerror.inputs._options import nearest

    try:
        return Format({"md": "markdown", "tex": "latex"}.get(word, word))
    except ValueError:
        raise typer.BadParameter(f"{word!r} is not a format{nearest(word, [f.value for f in Format])}") from None


def answers(command: Callable[P, None]) -> Callable[P, None]:
    """Bad input ends with one sentence and exit code 2, never with a traceback."""

    # Long work with a bar of its own says how far it is.
    own_bar = "progress" in inspect.signature(command).parameters

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with contextlib.nullcontext() if own_bar else Waiting():
                command(*args, **kwargs)
        except (ValueError, FileNotFoundError, ImportError) as error:
            fail(str(error))
        except KeyboardInterrupt:
            raise typer.Exit(130) from None

    return wrapped


def fail(message: str) -> None:
    """One sentence on stderr, exit code 2."""
    sentence = as_options(" ".join(message.split()))
    complain(f"Error: {sentence}")
    raise typer.Exit(2)


def complain(message: str) -> None:
    """A sentence on stderr, within the columns of the terminal; the word "Error" in red."""
    words = fitted(message, width_of(sys.stderr))
    if is_terminal(sys.stderr):
        words = re.sub(r"^Error:", f"{RED}Error:{PLAIN}", words)
    print(words, file=sys.stderr)


def tell(message: str) -> None:
    """Words on stdout, within the columns of the terminal."""
    print(fitted(message, width_of(sys.stdout)))


def as_options(sentence: str) -> str:
    """A sentence that speaks of Python's options, as one that speaks of the command line's.

    >>> as_options('say what to do with missing="wrong", or pass positive= one of 0, 1')
    'say what to do with --missing wrong, or pass --positive one of 0, 1'
    >>> as_options("check which class is positive (positive=), and the costs (cost_fp=1)")
    'check which class is positive (--positive), and the costs (--cost-fp 1)'
    >>> as_options("cluster=False leaves it out")
    '--cluster none leaves it out'
    """

    def spoken(found: re.Match[str]) -> str:
        value = found[2] if found[2] is not None else found[3] or ""
        return f"--{SPOKEN.get(found[1], found[1]).replace('_', '-')}{' ' if value else ''}{value}"

    if "candidate" in sentence or "baseline" in sentence:
        sentence = sentence.replace("pass model= ", "pass --candidate ")
    sentence = sentence.replace("paired=False", "--unpaired").replace(
        "te.catalogue() lists all", "`evaluate --metric all` shows all"
    )

    sentence = re.sub(r"\b(id|cluster|fold|repeat|weight)=False\b", r"--\1 none", sentence)
    return re.sub(rf"\b({OPTIONS})=(?:\"([\w-]+)\"|([^\s;,:.()]+)|(?=[\s;,.()]|$))", spoken, sentence)


def show(result: Result, form: Format, *, explain: bool = False, text: Callable[[], str] | None = None) -> None:
    """Print a result in the wanted format."""
    if explain:
        tell(str(result.explain()))
        return
    writers: dict[str, Callable[[], Any]] = {
        "text": text or result.__str__,
        "json": result.to_json,
        "markdown": lambda: told_in_markdown(result),
        "latex": result.to_latex,
        "html": result._repr_html_,
    }
    written = writers[form.value]()
    if form is Format.text:
        # Advice in findings speaks of options.
        written = re.sub(r"^! TE\d+ .*(?:\n  \S.*)*", lambda found: as_options(found[0]), written, flags=re.MULTILINE)
        written = fitted(written, width_of(sys.stdout))
        written = painted(written) if is_terminal(sys.stdout) else written
    print(written)


def told_in_markdown(result: Result) -> str:
    """The verdict, where there is one, and the table: a table by itself says nothing to those who paste it."""
    from trueerror.results._tables import markdown_escape

    table = result.to_markdown()
    words = markdown_escape(str(getattr(result, "verdict", "")))
    return f"{words}\n\n{table}" if words and words not in table else table


# Command → its module, which holds `<command>_command`, `<COMMAND>_HELP` and maybe `<COMMAND>_EPILOG`.
# The order is the order of the help.
COMMANDS = {
    "interval": "trueerror.cli.interval_difference",
    "difference": "trueerror.cli.interval_difference",
    "power": "trueerror.cli.power",
    "sample-size": "trueerror.cli.power",
    "evaluate": "trueerror.cli.evaluate",
    "compare": "trueerror.cli.compare",
    "report": "trueerror.cli.report_plot",
    "plot": "trueerror.cli.report_plot",
    "check": "trueerror.cli.check_gate",
    "gate": "trueerror.cli.check_gate",
    "run": "trueerror.cli.run",
    "rank": "trueerror.cli.rank_demo_schema",
    "schema": "trueerror.cli.rank_demo_schema",
    "demo": "trueerror.cli.rank_demo_schema",
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


def command_of(name: str) -> Any:
    """The function that a command runs."""
    return getattr(import_module(COMMANDS[name]), f"{_word(name)}_command")


def _word(name: str) -> str:
    return name.replace("-", "_")


def _register(names: list[str]) -> None:
    for name in names:
        module, word = import_module(COMMANDS[name]), _word(name).upper()
        words = getattr(module, f"{word}_HELP")
        epilog = examples(getattr(module, f"{word}_EPILOG", ""))
        app.command(name, help=words, short_help=words, epilog=epilog or None)(command_of(name))


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
