"""How a command answers: results in the wanted format, complaints in one sentence, both with the flags of the command.

The answer goes to stdout; what is wrong is one sentence on stderr. Sentences that were made for Python name options as
Python does: here they are spoken with flags.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from trueerror.cli._terminal import PLAIN, RED, Colour, Screen, fitted, is_terminal, width_of
from trueerror.inputs._groups import Option
from trueerror.results import Result, Table
from trueerror.results._document import Block, Document, Footer, Words
from trueerror.results._format import clip, one_line

FORMATS = ("text", "json", "markdown", "latex", "html")


@dataclass(frozen=True)
class Setting:
    """An option or argument of a command: what is known of it, its default, and its place in the help."""

    name: str
    known: Option
    default: Any = None
    place: str = ""
    needed: bool = False

    @property
    def flags(self) -> list[str]:
        """How it is written, the longest first; nothing for an argument."""
        if self.place == ARGUMENTS:
            return []
        return self.known.flags.split() or [f"--{self.name.replace('_', '-')}"]


# Where the help of a command has its options, in this order.
ARGUMENTS, JUDGE, OUTPUT = "Arguments", "What to judge", "Output"
PLACES = {"arguments": ARGUMENTS, "columns": "Columns", "options": JUDGE, "costs": "Costs", "output": OUTPUT}


@dataclass(frozen=True)
class Running:
    """The command that is running: its options, those of `compare` for its advice, and what was typed of its own.

    Sentences keep the `names` of the user's models and classes as they are written, and pipes go by what they were
    called (copy → pipe).
    """

    settings: Sequence[Setting] = ()
    elsewhere: Sequence[Setting] = ()
    typed: Mapping[str, Any] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    pipes: dict[str, str] = field(default_factory=dict)


_RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)


@contextlib.contextmanager
def speaking(running: Running) -> Iterator[None]:
    """While a command runs, sentences have its flags."""
    token = _RUNNING.set(running)
    try:
        yield
    finally:
        _RUNNING.reset(token)


def running() -> Running:
    """The command that is running; outside of one there are no options."""
    return _RUNNING.get() or Running()


def keep_names(names: Iterable[object]) -> None:
    """Names from the user's own file, which no sentence of this command may rewrite as flags."""
    running().names.update(str(name) for name in names if "=" in str(name))


def sentence_of(error: Exception) -> str:
    """What went wrong, in one line; the system's own errors without their numbers and whole paths."""
    if isinstance(error, OSError) and error.strerror:
        name = os.path.basename(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else ""
        return f"{clip(name, 60) or 'the output'}: {error.strerror.lower()}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; give fewer rows or models, or a smaller budget"
    return " ".join(one_line(str(error)).split())


# A longer word is somebody's file, and is echoed by its ends; so is a message of which nobody would read the middle.
LONGEST_WORD, LONGEST_COMPLAINT = 120, 300


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


def as_options(sentence: str, settings: Sequence[Setting] | None = None) -> str:
    """A sentence that names options as Python does, with the flags of the command that is running.

    >>> column = Setting("cluster", Option("", "COLUMN"))
    >>> label, cost = Setting("positive", Option("", "LABEL")), Setting("cost_fp", Option("", "NUMBER"))
    >>> as_options('pass positive= one of 0, 1, or positive="yes" (cost_fp=1); no seed= here', [label, cost])
    'pass --positive one of 0, 1, or --positive yes (--cost-fp 1); no seed= here'
    >>> as_options("clusters= are in column 'positive='; cluster=False leaves it out", [label, column])
    "--cluster are in column 'positive='; --cluster none leaves it out"
    """
    known = {s.name: s for s in (running().settings if settings is None else settings) if s.flags}

    def spoken(match: re.Match[str]) -> str:
        name = match["name"] or ""
        # te.predictions says in the plural what te.read and the command line say of one column.
        declared = known.get(name) or known.get(name.removesuffix("s"))
        if declared is None:
            return match[0]
        value = match["word"] or match["value"] or ""
        if declared.known.metavar == "COLUMN":
            value = {"False": "none", "True": "all"}.get(value, value)
        return f"{declared.flags[0]} {value}".rstrip()

    for phrase, instead in PHRASES.items():
        sentence = sentence.replace(phrase, instead)
    kept = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(running().names, key=len, reverse=True)]
    return re.sub("|".join([*kept, SPOKEN]), spoken, sentence)


def as_advice(text: str) -> str:
    """The words of a finding with flags: where the command that is running lacks an option, those of `compare`."""
    return as_options(text, [*running().elsewhere, *running().settings])


def show(
    result: Result,
    form: str,
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
        if form == "text":
            tell("\n\n".join(parts))
            return
        paragraphs = [part for text in parts for part in text.split("\n\n")]
        result = Table(columns=("explanation",), rows=tuple((" ".join(part.split()),) for part in paragraphs))
    writers: dict[str, Callable[[], str]] = {
        "text": lambda: Screen.of(sys.stdout, colour).written(document, advice=as_advice),
        "json": result.to_json,
        "markdown": lambda: _markdown(result),
        "latex": result.to_latex,
        "html": result._html,
    }
    print(writers[form]())


def _markdown(result: Result) -> str:
    """The verdict, where there is one, and the table: a table by itself says nothing to those who paste it."""
    from trueerror.results._document import markdown_escape

    table = result.to_markdown()
    words = markdown_escape(str(getattr(result, "verdict", "")))
    return f"{words}\n\n{table}" if words and words not in table else table


def repeated(name: str, *but: str) -> str:
    """The line that repeats the command that is running: its files, and the options that were given, but some."""
    files: list[str] = []
    words: list[str] = []
    for setting in running().settings:
        value = running().typed.get(setting.name)
        several = [str(one) for one in (value if isinstance(value, list) else [value])]
        if value is None or setting.name in but:
            continue
        if not setting.flags:
            files += [running().pipes.get(one, one) for one in several]
        else:
            word = setting.flags[0]
            words += [word] if value is True else [part for one in several for part in (word, one)]
    return shlex.join(["trueerror", name, *files, *words])


def discard_output() -> None:
    """What is still in the buffer goes nowhere, so that Python ends without a second complaint."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
