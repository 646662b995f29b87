"""What every parameter means: options of verbs by their groups (`inputs/_groups.py`), others by `parameters.toml`."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path

import trueerror as te

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ALWAYS: dict[str, str] = WORDS["always"]
HERE: dict[str, dict[str, str]] = WORDS["here"]


def of_group(function: str, parameter: str) -> str | None:
    """What the group of options of a verb says."""
    verb = attrgetter(function.removeprefix("te."))(te) if function.startswith("te.") else None
    request = getattr(verb, "request", None)
    known = None if request is None else request.described().get(parameter)
    return None if known is None else str(known.meaning)


def meaning(function: str, parameter: str) -> str | None:
    """What a parameter of a function, or of a Class.method, means; None where nobody said."""
    said = of_group(function, parameter)
    if said is not None:
        return said
    for pattern, text in HERE.get(parameter, {}).items():
        if fnmatchcase(function, pattern):
            return text
    return ALWAYS.get(parameter)


def unused(known: set[tuple[str, str]]) -> list[str]:
    """Entries that no parameter of (function, parameter) uses."""
    needed = {(function, parameter) for function, parameter in known if of_group(function, parameter) is None}
    spare = [name for name in ALWAYS if not any(p == name and not _here(f, name) for f, p in needed)]
    for name, patterns in HERE.items():
        functions = [function for function, parameter in needed if parameter == name]
        spare += [f"{name} of {p}" for p in patterns if not any(_here(f, name) == p for f in functions)]
    return spare


def _here(function: str, parameter: str) -> str | None:
    """The pattern of functions under which a parameter is described apart."""
    return next((pattern for pattern in HERE.get(parameter, {}) if fnmatchcase(function, pattern)), None)
