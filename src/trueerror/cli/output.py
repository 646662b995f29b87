"""How commands answer: the result on stdout in the wanted format; a one-sentence error on stderr with exit code 2."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Any, ParamSpec

import typer

from trueerror.cli.terminals import PLAIN, RED, Waiting, fitted, is_terminal, painted, width_of
from trueerror.results import Result

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
    from trueerror.inputs.errors import nearest

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
    from trueerror.results.tables import markdown_escape

    table = result.to_markdown()
    words = markdown_escape(str(getattr(result, "verdict", "")))
    return f"{words}\n\n{table}" if words and words not in table else table
