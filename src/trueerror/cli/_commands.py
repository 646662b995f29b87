"""The commands: `commands.toml` says what each is called, takes and means, and a function of its module answers.

Groups of options reach that function as one object each, the other options by name. A command that names a verb of the
library needs no function: the verb is given the file and the options.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from trueerror.cli import _answers as answers
from trueerror.cli._answers import ARGUMENTS, PLACES, Setting
from trueerror.cli._option_groups import MatrixOptions, OutputOptions, RowsOptions
from trueerror.cli._terminal import Waiting
from trueerror.inputs._groups import Certainty, Costs, Demands, Evaluated, Group, Judged, Option, Pairwise
from trueerror.inputs._options import InputError, check_word, nearest

# What a command is handed, by the word that `commands.toml` has for it.
GROUPS: dict[str, type[Group]] = {
    "rows": RowsOptions,
    "matrices": MatrixOptions,
    "judged": Judged,
    "pairwise": Pairwise,
    "evaluated": Evaluated,
    "demands": Demands,
    "costs": Costs,
    "chance": Certainty,
    "output": OutputOptions,
}
KINDS: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "path": Path,
    "ints": list[int],
    "floats": list[float],
    "words": list[str],
}


@dataclass(frozen=True)
class CommandRow:
    """A command as it is written down."""

    name: str
    help: str
    examples: list[str]
    before: str = ""
    after: str = ""
    verb: str = ""
    groups: Sequence[str] = ("output",)
    without: Sequence[str] = ()
    own: tuple[Setting, ...] = ()

    def grouped(self) -> dict[str, list[Setting]]:
        """The options of each group."""
        return {word: [s for s in _of_group(GROUPS[word]) if s.name not in self.without] for word in self.groups}

    def settings(self) -> list[Setting]:
        """All its options, in the order of the help."""
        return [*self.own, *(s for settings in self.grouped().values() for s in settings)]


@cache
def _written() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))


# The commands as the help shows them, in order of use.
SECTIONS: dict[str, list[str]] = _written()["sections"]
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


def short_help(name: str) -> str:
    """What a command is for."""
    return str(_written()[name]["help"])


def command_row(name: str) -> CommandRow:
    """What is written down of a command, with the options of what its verb asks for where it names that."""
    written: dict[str, Any] = dict(_written()[name])
    asked = written.pop("asks", None)
    own = [] if asked is None else [*_of_group(_named(asked))]
    own += [
        _setting(word, title, record)
        for place, title in PLACES.items()
        for word, record in written.pop(place, {}).items()
    ]
    return CommandRow(name, **written, own=tuple(own))


def _named(place: str) -> Any:
    """A function or a group of the library, as "inference.power._sample_size:sample_size"."""
    module, _, word = place.partition(":")
    return getattr(import_module(f"trueerror.{module}"), word)


def _setting(name: str, place: str, written: Any) -> Setting:
    known = _record(written)
    metavar = known["metavar"]
    usual = "bool" if not metavar else "float" if metavar in ("NUMBER", "SHARE") else "str"
    kind = KINDS[known.get("kind", usual)]
    about = Option(known["help"], metavar, kind, known.get("flags", ""), least=known.get("least"))
    default = known.get("default", False if kind is bool else None)
    return Setting(name, about, default, place, known.get("needed", place == ARGUMENTS))


def _record(written: Any) -> dict[str, Any]:
    """An option as it is written: the name of a shared one, that with changes, or [metavar, help, what else]."""
    if isinstance(written, str):
        return _record(_written()["shared"][written])
    if isinstance(written, dict):
        return _record(written["like"]) | written
    return {"metavar": written[0], "help": written[1], **(written[2] if len(written) > 2 else {})}


def _of_group(kind: type[Group]) -> Iterator[Setting]:
    defaults = {f.name: f.default for f in dataclasses.fields(kind)}
    for name, known in kind.described().items():
        if known.metavar is not None:
            # What Python writes between ticks is an option.
            words = re.sub(r"`(\w+)`", lambda word: f"--{word[1].replace('_', '-')}", known.meaning)
            default = known.usual if known.usual is not None else None if known.several else defaults[name]
            needed = default is dataclasses.MISSING
            known = dataclasses.replace(known, meaning=words)
            yield Setting(name, known, None if needed else default, kind.PLACE or answers.JUDGE, needed)


def command_of(name: str) -> Callable[..., None]:
    """The function that a command runs: its options in, the answer on stdout, bad input as one sentence."""
    row = command_row(name)
    settings = row.settings()

    def run_command(**given: Any) -> None:
        typed = {s.name: given[s.name] for s in settings if s.name == "rng" or given.get(s.name) != s.default}
        # Long work with a bar of its own says how far it is.
        has_bar = any(s.name == "progress" for s in settings)
        with answers.speaking(answers.Running(settings, command_row("compare").settings(), typed)):
            try:
                with _pipes_as_files(settings, given) as readable, contextlib.nullcontext() if has_bar else Waiting():
                    _answer(row, {s.name: _typed(s, readable[s.name]) for s in settings if s.name in readable})
            except BrokenPipeError:
                # What a shell says of SIGPIPE: 0 and 1 would be taken for verdicts.
                answers.discard_output()
                raise typer.Exit(141) from None
            except (ValueError, OSError, ImportError, MemoryError) as error:
                answers.complain(f"Error: {answers.as_options(answers.sentence_of(error))}")
                raise typer.Exit(2) from None
            except KeyboardInterrupt:
                raise typer.Exit(130) from None
            except RuntimeError as error:
                # DuckDB answers Ctrl-C by an error of its own.
                if "interrupted" not in str(error).lower():
                    raise
                raise typer.Exit(130) from None

    run_command.__dict__["__signature__"] = inspect.Signature([_for_parser(s) for s in settings])
    return run_command


def _answer(row: CommandRow, given: dict[str, Any]) -> None:
    """Hand the options to the function of the command, or to its verb."""
    for word, settings in row.grouped().items():
        given[word] = GROUPS[word](**{s.name: given.pop(s.name) for s in settings if s.name in given})
    if not row.verb:
        name = row.name.replace("-", "_")
        getattr(import_module(f"trueerror.cli.{name}"), f"{name}_command")(**given)
        return
    output = given.pop("output")
    rows = [given.pop(s.name) for s in row.own if s.place == ARGUMENTS]
    output.show(_named(row.verb)(*rows, **given))


def _for_parser(setting: Setting) -> inspect.Parameter:
    """A setting as Typer reads it."""
    known = setting.known
    shown: dict[str, Any] = {"help": known.meaning, "metavar": known.metavar or None}
    if setting.place == ARGUMENTS:
        mark: Any = typer.Argument(**shown)
    else:
        complete = COMPLETIONS.get(setting.name)
        mark = typer.Option(
            *setting.flags, **shown, rich_help_panel=setting.place, min=known.least, autocompletion=complete
        )
    kind: Any = known.kind if setting.needed or setting.default is not None else known.kind | None
    how: Any = {"default": inspect.Parameter.empty if setting.needed else setting.default}
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, mark], **how)


# What files that a command reads are called in its help; those that it writes are of the kind "path".
READ = ("FILE", "CANDIDATE")


@contextlib.contextmanager
def _pipes_as_files(settings: list[Setting], given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What was given, with pipes such as `<(…)` copied to files: a command may look into a file before it reads it."""
    copies = contextlib.ExitStack()

    def readable(value: Any) -> Any:
        from tempfile import TemporaryDirectory

        from trueerror.sources._bytes import copy_pipe, is_piped

        if isinstance(value, list):
            return [readable(one) for one in value]
        if not isinstance(value, str) or not is_piped(value):
            return value
        folder = copies.enter_context(TemporaryDirectory(prefix="trueerror-"))
        copy = str(copy_pipe(value, Path(folder) / os.path.basename(value)))
        answers.running().pipes[copy] = value
        return copy

    files = [s.name for s in settings if s.known.metavar in READ]
    with copies:
        yield {**given, **{name: readable(given[name]) for name in files if name in given}}


def _typed(setting: Setting, value: Any) -> Any:
    """What was typed as the library takes it."""
    read = READERS.get(setting.name) or READERS.get(setting.known.metavar or "")
    return value if read is None or value is None else read(value, (setting.flags or [""])[0])


def _costs(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise InputError(f"{option} {text!r} is not a JSON table such as '[[0, 1], [10, 0]]'") from None


def _two_numbers(text: str, option: str) -> tuple[float, ...]:
    try:
        low, high = (float(part) for part in re.split(r"[,;:\s]+", text.strip()))
        return low, high
    except ValueError:
        raise InputError(f"{option} {text!r} must be the lowest and the highest value, such as 1,5") from None


def _labels(text: str, option: str) -> list[object]:
    """Labels with commas between them; numbers where all of them are."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return [float(word) for word in words]
    except ValueError:
        return list(words)


def _anchor(text: str, option: str) -> dict[str, float]:
    name, mark, value = text.rpartition("=")
    try:
        return {name: float(value)} if mark else {text: 1000.0}
    except ValueError:
        raise InputError(f"{option} {text!r}: write a model and its Elo, such as gpt=1000") from None


def _codes(codes: list[str], option: str) -> list[str]:
    """Codes of findings; one that does not exist would silence nothing, and is refused."""
    known = [*_named("findings:every_rule")()]
    for code in codes:
        if code not in known:
            close = nearest(code, known)
            raise InputError(f"there is no finding {code!r}{close if 'did you mean' in close else ''}")
    return codes


def _format(word: str, option: str) -> str:
    return check_word({"md": "markdown", "tex": "latex"}.get(word, word), answers.FORMATS, "format")


# How text becomes a value: by the name of an option, or by what its help calls the value.
READERS: dict[str, Callable[[Any, str], Any]] = {
    "form": _format,
    "JSON": _costs,
    "LOW,HIGH": _two_numbers,
    "LABELS": _labels,
    "MODEL=ELO": _anchor,
    "CODE": _codes,
}


def _beginning(words: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """The words that begin as what was typed, for the shell."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words() if word.startswith(incomplete)]

    return complete


METRICS = _beginning(lambda: ("all", *_named("metrics._registry:every_measure")()))
COMPLETIONS = {
    "form": _beginning(lambda: answers.FORMATS),
    "ignore": _beginning(lambda: _named("findings:every_rule")()),
    "kind": _beginning(lambda: _named("cli.plot:KINDS")),
    **dict.fromkeys(("metric", "metrics", "gap"), METRICS),
}
