"""The program: its commands, how their help looks, how they answer, and how errors end.

A command is a function whose parameters are its options; a dataclass among them stands for a group of options that
several commands share. The answer goes to stdout in the wanted format; what is wrong is one sentence on stderr, with
exit code 2.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import inspect
import json
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from enum import StrEnum
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
import typer.core

from trueerror.cli._terminal import PLAIN, RED, Colour, Screen, Waiting, fitted, is_terminal, width_of
from trueerror.inputs._groups import Group
from trueerror.inputs._options import InputError, nearest
from trueerror.inputs._words import known_words, option_for
from trueerror.results import Result, Table
from trueerror.results._document import Block, Document, Footer, Words
from trueerror.results._format import clip, one_line
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
        return f"{command} has no option {option}{_meant(option, context, known) or f'; {command} --help lists all'}"
    message = " ".join(error.format_message().split()).rstrip(".")
    wrong = re.match(r"No such command '([^']*)'", message)
    if wrong:
        known_as = COMMANDS_ELSEWHERE.get(wrong[1])
        if known_as is None and os.path.isfile(wrong[1]):
            return f"say what to do with {wrong[1]}: trueerror check, evaluate, compare or report {wrong[1]}"
        hint = f"; it is trueerror {known_as}" if known_as else nearest(wrong[1], COMMANDS)
        return f"there is no command {wrong[1]!r}{hint}"
    more = "" if message.endswith("?") else f"; {command} --help says more"
    return f"{message[:1].lower()}{message[1:]}{more}"


# Commands and options as other programs have them.
COMMANDS_ELSEWHERE = {
    "eval": "evaluate", "help": "--help", "version": "--version", "ci": "interval", "diff": "compare",
    "assert": "gate", "benchmark": "run", "roc": "plot --kind roc", "samplesize": "sample-size",
}  # fmt: skip
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
    ours = option_for(word, flags) or flags.get(f"{word}s", "") or flags.get(word.removesuffix("s"), "")
    if ours:
        other_way = (
            " (1 − it)"
            if word in known_words() and known_words()[word].turned is not None and ours == "confidence"
            else ""
        )
        return f"; here it is called {flags.get(ours, ours)}{other_way}"
    meaning = known_words().get(word)
    if meaning is not None and meaning.say and meaning.in_shell:
        return f": {meaning.in_shell}"
    if option in OPTIONS_ELSEWHERE:
        return f"; {OPTIONS_ELSEWHERE[option]}"
    close = nearest(option, [word for word in known if word.startswith("--")])
    return close if "did you mean" in close else ""


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
    try:
        return Format({"md": "markdown", "tex": "latex"}.get(word, word))
    except ValueError:
        raise typer.BadParameter(f"{word!r} is not a format{nearest(word, [f.value for f in Format])}") from None


# The groups of options in the help of a command, in this order; an option that names none is of the first.
JUDGE, COLUMNS, COSTS, OUTPUT = "What to judge", "Columns", "Costs", "Output"


def flag(help: str, metavar: str | None = None, *, words: str = "", group: str | None = None, **more: Any) -> Any:
    """An option for the type of a parameter, called as the parameter is, or by `words` such as "--model -m".

    `group` is its place in the help.
    """
    return typer.Option(*words.split(), help=help, metavar=metavar, rich_help_panel=group, **more)


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
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], COLUMNS: [], JUDGE: [], COSTS: [], OUTPUT: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            named = getattr(param, "rich_help_panel", None)
            is_help = "--help" in param.opts
            group = "Arguments" if param.param_type_name == "argument" else OUTPUT if is_help else named or JUDGE
            rows[group].append(record)
        few = sum(len(records) for group, records in rows.items() if group != "Arguments") < FEW_OPTIONS
        if few:
            rows = {"Arguments": rows["Arguments"], "Options": [r for g in list(rows)[1:] for r in rows[g]]}
        for group, records in rows.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


# So few options need no groups.
FEW_OPTIONS = 12


class GroupedProgram(typer.core.TyperGroup):
    """The program, whose help has its commands in order of use and the calculators by themselves."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        known = set(self.list_commands(ctx))
        for title, names in SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names if name in known]
            rows = [(name, command.get_short_help_str(200)) for name, command in commands if command is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Without:
    """In `Annotated[Group, Without("by")]`: the options of the group but these."""

    def __init__(self, *names: str) -> None:
        self.names = names


# The options of the command that is running: sentences made for Python name them, and are spoken with their flags.
_RUNNING: ContextVar[Sequence[inspect.Parameter]] = ContextVar("options", default=())
# What was typed of them.
_TYPED: ContextVar[Mapping[str, Any]] = ContextVar("typed", default=MappingProxyType({}))
# Names of models and classes that look like an option: sentences keep them as they are written.
_KEPT: ContextVar[frozenset[str]] = ContextVar("kept", default=frozenset())

# Copy of a pipe → the name that it was given by.
_PIPES: ContextVar[Mapping[str, str]] = ContextVar("pipes", default=MappingProxyType({}))


def keep_names(names: Iterable[object]) -> None:
    """Names from the user's own file, which no sentence of this command may rewrite as flags."""
    _KEPT.set(_KEPT.get() | {str(name) for name in names if "=" in str(name)})


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A function as a command: groups among its parameters become their options, bad input ends with one sentence."""
    options, groups = _options_of(function)
    # Long work with a bar of its own says how far it is.
    has_bar = any(p.name == "progress" for p in options)

    @functools.wraps(function)
    def run_command(**given: Any) -> None:
        running, kept = _RUNNING.set(options), _KEPT.set(frozenset())
        typed = _TYPED.set(
            {p.name: given[p.name] for p in options if p.name == "rng" or given.get(p.name) != p.default}
        )
        try:
            with _pipes_as_files(options, given) as readable, contextlib.nullcontext() if has_bar else Waiting():
                for name, (kind, fields) in groups.items():
                    readable[name] = kind(**{field: _typed(field, readable.pop(field)) for field in fields})
                function(**readable)
        except BrokenPipeError:
            # What a shell says of SIGPIPE: 0 and 1 would be taken for verdicts.
            _discard_output()
            raise typer.Exit(141) from None
        except (ValueError, OSError, ImportError, MemoryError) as error:
            complain(f"Error: {as_options(_sentence(error))}")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except RuntimeError as error:
            # DuckDB answers Ctrl-C by an error of its own.
            if "interrupted" not in str(error).lower():
                raise
            raise typer.Exit(130) from None
        finally:
            _RUNNING.reset(running)
            _KEPT.reset(kept)
            _TYPED.reset(typed)

    run_command.__dict__["__signature__"] = inspect.Signature(options)
    run_command.__annotations__ = {}
    return run_command


def _typed(name: str, value: Any) -> Any:
    """An option as the library takes it: costs from their JSON."""
    if name != "costs" or value is None:
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        raise InputError(f"--costs {value!r} is not a JSON table such as '[[0, 1], [10, 0]]'") from None


# What the files that a command reads are called in its help; those that it writes are of the type Path.
READ = ("FILE", "CANDIDATE")


@contextlib.contextmanager
def _pipes_as_files(options: Sequence[inspect.Parameter], given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What was given, with pipes such as `<(…)` copied to files: a command may look into a file before it reads it."""
    copies = contextlib.ExitStack()

    def readable(path: str) -> str:
        from tempfile import TemporaryDirectory

        from trueerror.sources._bytes import copy_pipe, is_piped

        if not is_piped(path):
            return path
        folder = copies.enter_context(TemporaryDirectory(prefix="trueerror-"))
        copy = str(copy_pipe(path, Path(folder) / os.path.basename(path)))
        _PIPES.set({**_PIPES.get(), copy: path})
        return copy

    files = [
        p.name for p in options if any(getattr(mark, "metavar", None) in READ for mark in _unpacked(p.annotation)[1])
    ]
    replaced = dict(given)
    with copies:
        for name in files:
            value = given.get(name)
            if isinstance(value, str):
                replaced[name] = readable(value)
            elif isinstance(value, list):
                replaced[name] = [readable(one) for one in value]
        yield replaced


def _options_of(
    function: Callable[..., None],
) -> tuple[list[inspect.Parameter], dict[str, tuple[type[Any], list[str]]]]:
    """The options of a command one by one, and its groups: parameter → (dataclass, names of its options)."""
    options: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    for p in inspect.signature(function, eval_str=True).parameters.values():
        kind, marks = _unpacked(p.annotation)
        if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
            options.append(p.replace(annotation=_for_parser(p.name, p.annotation)))
            continue
        left_out = [name for mark in marks if isinstance(mark, Without) for name in mark.names]
        if issubclass(kind, Group):
            own = [q for q in _of_group(kind) if q.name not in left_out]
            groups[p.name] = (kind, [q.name for q in own])
            options += own
            continue
        types = get_type_hints(kind, include_extras=True)
        for mark in (mark for hint in types.values() for mark in _unpacked(hint)[1]):
            if isinstance(mark, typer.models.OptionInfo) and mark.rich_help_panel is None:
                mark.rich_help_panel = getattr(kind, "GROUP", None)
        fields = [f for f in dataclasses.fields(kind) if f.name not in left_out]
        groups[p.name] = (kind, [f.name for f in fields])
        options += [
            inspect.Parameter(f.name, p.KEYWORD_ONLY, default=f.default, annotation=_for_parser(f.name, types[f.name]))
            for f in fields
        ]
    return options, groups


def _of_group(kind: type[Group]) -> Iterator[inspect.Parameter]:
    """The options of a group that the library and the command line share."""
    defaults = {f.name: f.default for f in dataclasses.fields(kind)}
    for name, known in kind.described().items():
        if known.metavar is None:
            continue
        default = known.usual if known.usual is not None else None if known.several else defaults[name]
        declared = flag(
            known.meaning, known.metavar or None, words=known.flags, group=kind.PLACE or None, min=known.least,
            autocompletion=complete_metrics if name in ("metric", "metrics") else None,
        )  # fmt: skip
        read = known.kind if default is not None else known.kind | None
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=_for_parser(name, Annotated[read, declared]),
        )


def _unpacked(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    return (get_args(annotation)[0], get_args(annotation)[1:]) if get_origin(annotation) is Annotated else (
        annotation, ()
    )  # fmt: skip


def _for_parser(name: str, annotation: Any) -> Any:
    """An option that has its name; a choice of words is plain text, as the verbs check words and name the nearest."""
    kind, marks = _unpacked(annotation)
    for mark in marks:
        if isinstance(mark, typer.models.OptionInfo) and mark.default is ...:
            mark.default = f"--{name.replace('_', '-')}"
    return Annotated[(str, *marks)] if get_origin(kind) is Literal else annotation


def _sentence(error: Exception) -> str:
    """What went wrong, in one line; the system's own errors without their numbers and whole paths."""
    if isinstance(error, OSError) and error.strerror:
        name = os.path.basename(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else ""
        return f"{clip(name, 60) or 'the output'}: {error.strerror.lower()}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; give fewer rows or models, or a smaller budget"
    return " ".join(one_line(str(error)).split())


# A longer word is somebody's file, and is echoed by its ends; so is a message of which nobody would read the middle.
LONGEST_WORD, LONGEST_COMPLAINT = 120, 390


def complain(message: str) -> None:
    """A sentence on stderr, within the columns of the terminal; the word "Error" in red."""
    if sys.stderr is None:
        return
    message = re.sub(rf"\S{{{LONGEST_WORD},}}", lambda word: f"{word[0][:50]}…{word[0][-20:]}", message)
    if len(message) > LONGEST_COMPLAINT:
        message = f"{message[: LONGEST_COMPLAINT - 110].rstrip()} … {message[-100:].lstrip()}"
    words = fitted(message, width_of(sys.stderr))
    if is_terminal(sys.stderr):
        words = re.sub(r"^Error:", f"{RED}Error:{PLAIN}", words)
    print(words, file=sys.stderr)


def tell(message: str) -> None:
    """Words on stdout, within the columns of the terminal."""
    print(fitted(message, width_of(sys.stdout)))


# What Python says that is no option, and what the command line has for it.
PHRASES = {
    "paired=False": "--unpaired",
    "sequential=True": "--sequential",
    "; min_rows= sets how many are needed": "",
    ', or pass connection.table("name")': "",
    '; pass the table itself, connection.table("name")': "",
    ", or pass the frame that pandas.read_sql makes of it": "",
    'pass what duckdb.sql("SELECT …") gives': "name the file, and with --table a table or view of a database",
    "pass ibis.connect(url).table(name), or a frame": "name a SQLite or DuckDB file, or save the table as CSV",
    "te.catalogue() lists all": "`evaluate --metric all` shows all",
}
QUOTED = r"(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")"
# Text in quotes is somebody's own; an option is `name=`, `name=value`, `name="word"` or `name='any text'`.
VALUE = rf"\"(?P<word>[\w-]+)\"|(?P<value>{QUOTED}|[^\s;,:.()]+)|(?=[\s;,.()]|$)"
SPOKEN = rf"(?<!\w){QUOTED}(?!\w)|\b(?P<name>[a-z]\w*)=(?:{VALUE})"


def as_options(sentence: str, options: Sequence[inspect.Parameter] | None = None) -> str:
    """A sentence that names options as Python does, with the flags of the command that is running.

    >>> from trueerror.cli._option_groups import RowsOptions
    >>> from trueerror.inputs._groups import Costs
    >>> def judge(*, rows: RowsOptions, costs: Costs): ...
    >>> options, groups = _options_of(judge)
    >>> as_options('pass positive= one of 0, 1, or positive="yes" (cost_fp=1); no seed= here', options)
    'pass --positive one of 0, 1, or --positive yes (--cost-fp 1); no seed= here'
    >>> as_options("clusters= are in column 'positive='; cluster=False leaves it out", options)
    "--cluster are in column 'positive='; --cluster none leaves it out"
    """
    flags = _flags(_RUNNING.get() if options is None else options)

    def spoken(match: re.Match[str]) -> str:
        name = match["name"] or ""
        # te.predictions says in the plural what te.read and the command line say of one column.
        declared = flags.get(name) or flags.get(name.removesuffix("s"))
        if declared is None:
            return match[0]
        value = match["word"] or match["value"] or ""
        if declared.metavar == "COLUMN":
            value = {"False": "none", "True": "all"}.get(value, value)
        return f"{declared.default} {value}".rstrip()

    for phrase, instead in PHRASES.items():
        sentence = sentence.replace(phrase, instead)
    kept = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(_KEPT.get(), key=len, reverse=True)]
    return re.sub("|".join([*kept, SPOKEN]), spoken, sentence)


def as_advice(text: str) -> str:
    """The words of a finding with flags: where the command that is running lacks an option, those of `compare`."""
    return as_options(text, [*inspect.signature(command_of("compare")).parameters.values(), *_RUNNING.get()])


def _flags(options: Sequence[inspect.Parameter]) -> Mapping[str, typer.models.OptionInfo]:
    """What an option is called in Python → how the command line declares it; its first word is the flag."""
    declared = {p.name: mark for p in options for mark in _unpacked(p.annotation)[1]}
    return {name: mark for name, mark in declared.items() if isinstance(mark, typer.models.OptionInfo)}


def show(
    result: Result,
    form: Format,
    *,
    explain: bool = False,
    colour: Colour = "auto",
    text: Callable[[], str] | None = None,
    more: Sequence[Block] = (),
) -> None:
    """Print a result in the wanted format; `text` writes it in words where its document does not, `more` ends it."""
    original = result.document() if text is None else Document((Words(text()),))
    footers = tuple(block for block in original.blocks if isinstance(block, Footer))
    rest = (block for block in original.blocks if not isinstance(block, Footer))
    document = dataclasses.replace(original, blocks=(*rest, *more, *footers))
    if explain:
        parts = [*(as_options(words) for block in footers if (words := block.text())), str(result.explain())]
        if form is Format.text:
            tell("\n\n".join(parts))
            return
        paragraphs = [part for text in parts for part in text.split("\n\n")]
        result = Table(columns=("explanation",), rows=tuple((" ".join(part.split()),) for part in paragraphs))
        document = result.document()
    writers: dict[str, Callable[[], str]] = {
        "text": lambda: Screen.of(sys.stdout, colour).written(document, advice=as_advice),
        "json": result.to_json,
        "markdown": lambda: _markdown(result),
        "latex": result.to_latex,
        "html": result._html,
    }
    print(writers[form.value]())


def _markdown(result: Result) -> str:
    """The verdict, where there is one, and the table: a table by itself says nothing to those who paste it."""
    from trueerror.results._document import markdown_escape

    table = result.to_markdown()
    words = markdown_escape(str(getattr(result, "verdict", "")))
    return f"{words}\n\n{table}" if words and words not in table else table


def repeated(name: str, *but: str) -> str:
    """The line that repeats the command that is running: its files, and the options that were given, but some."""
    flags = _flags(_RUNNING.get())
    files: list[str] = []
    words: list[str] = []
    for option, value in _TYPED.get().items():
        several = [str(one) for one in (value if isinstance(value, list) else [value])]
        if option not in flags:
            files += [_PIPES.get().get(one, one) for one in several]
        elif option not in but:
            word = str(flags[option].default)
            words += [word] if value is True else [part for one in several for part in (word, one)]
    return shlex.join(["trueerror", name, *files, *words])


# The commands as the help shows them, in order of use. A command is a module of its name, with `<command>_command`,
# `<COMMAND>_HELP` and maybe `<COMMAND>_EPILOG`.
SECTIONS = {
    "Models": ("demo", "evaluate", "compare", "report", "gate", "check", "plot", "hull"),
    "Language models and judges": ("repeats", "arena", "agreement", "ppi", "label-plan"),
    "Learners": ("run", "rank", "folds"),
    "Calculators": ("interval", "difference", "critical", "power", "sample-size"),
    "For programs": ("schema",),
}
COMMANDS = tuple(chain.from_iterable(SECTIONS.values()))
# Every error of usage that the parser raises is of this class.
UsageError: type[Any] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="trueerror",
    cls=GroupedProgram,
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
        bool, flag("Show the version and stop.", words="--version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """How good is a classifier really, is it better than that one, and which one to run."""


def command_of(name: str) -> Callable[..., None]:
    """The function that a command runs."""
    function: Callable[..., None] = getattr(_module_of(name), f"{name.replace('-', '_')}_command")
    return function


def _module_of(name: str) -> ModuleType:
    return import_module(f"trueerror.cli.{name.replace('-', '_')}")


def _register(names: list[str]) -> None:
    for name in names:
        module, word = _module_of(name), name.replace("-", "_").upper()
        words = getattr(module, f"{word}_HELP")
        epilog = examples(getattr(module, f"{word}_EPILOG", ""))
        app.command(name, cls=GroupedCommand, help=words, short_help=words, epilog=epilog or None)(command_of(name))


def run() -> None:
    """Run the program; a reader that closes the pipe early changes no verdict."""
    # One command is loaded when one is named: the help alone needs them all.
    named = [a for a in sys.argv[1:2] if a in COMMANDS]
    _register(named or [*COMMANDS])
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        code = app(standalone_mode=False)
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
    except UsageError as error:
        if len(sys.argv) == 1:  # no command at all: the help is the answer
            print(error.format_message())
            sys.exit(2)
        complain(f"Error: {usage_sentence(error)}")
        sys.exit(2)
    except OSError as error:
        # Standard output is full or closed: never the 1 that means "failed" for gate and check.
        complain(f"Error: {_sentence(error)}")
        _discard_output()
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        _discard_output()
        sys.exit(130)
    except Exception as error:
        # A fault of ours is no verdict either.
        if sys.flags.dev_mode:
            raise
        said = f"{type(error).__name__}: {clip(_sentence(error), 150)}"
        complain(f"Error: a fault of trueerror, please report it ({said}); python -X dev -m trueerror shows where")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _discard_output() -> None:
    """What is still in the buffer goes nowhere, so that Python ends without a second complaint."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
