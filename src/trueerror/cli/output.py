"""How commands answer: the result on stdout in the wanted format; a one-sentence error on stderr with exit code 2."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Any, ParamSpec

import typer

from trueerror.results import Result

P = ParamSpec("P")


class Format(StrEnum):
    """Output formats."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    html = "html"


def answers(command: Callable[P, None]) -> Callable[P, None]:
    """Bad input ends with one sentence and exit code 2, never with a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (ValueError, FileNotFoundError, ImportError) as error:
            fail(str(error))
        except KeyboardInterrupt:
            raise typer.Exit(130) from None

    return wrapped


def fail(message: str) -> None:
    """One sentence on stderr, exit code 2."""
    sentence = " ".join(message.split())
    print(f"Error: {sentence}", file=sys.stderr)
    raise typer.Exit(2)


def show(result: Result, form: Format, *, explain: bool = False, text: Callable[[], str] | None = None) -> None:
    """Print a result in the wanted format."""
    if explain:
        print(result.explain())
        return
    writers: dict[str, Callable[[], Any]] = {
        "text": text or result.__str__,
        "json": result.to_json,
        "markdown": result.to_markdown,
        "latex": result.to_latex,
        "html": result._repr_html_,
    }
    print(writers[form.value]())
