"""How to use it: examples under the help of each command, and wrong usage in one sentence."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import typer

from trueerror.inputs.errors import nearest

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
        from trueerror.cli.app import COMMANDS

        return f"there is no command {wrong[1]!r}{nearest(wrong[1], COMMANDS)}"
    more = "" if message.endswith("?") else f"; {command} --help says more"
    return f"{message[:1].lower()}{message[1:]}{more}"


def complete_formats(incomplete: str) -> list[str]:
    """The formats that begin so, for the shell."""
    return [word for word in ("text", "json", "markdown", "latex", "html") if word.startswith(incomplete)]


def complete_metrics(incomplete: str) -> list[str]:
    """The metrics that begin so, for the shell."""
    from trueerror.metrics.registry import every_measure

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
