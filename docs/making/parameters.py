"""What every public parameter means, from `parameters.toml`, where it is said once."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ALWAYS: dict[str, str] = WORDS["always"]
HERE: dict[str, dict[str, str]] = WORDS["here"]


def meaning(function: str, parameter: str) -> str | None:
    """What a parameter of a function, or of a Class.method, means; None where nobody said."""
    for pattern, text in HERE.get(parameter, {}).items():
        if fnmatchcase(function, pattern):
            return text
    return ALWAYS.get(parameter)


def unused(known: set[tuple[str, str]]) -> list[str]:
    """Entries that no parameter of (function, parameter) uses."""
    names = {parameter for _, parameter in known}
    spare = [name for name in ALWAYS if name not in names]
    for name, patterns in HERE.items():
        functions = [function for function, parameter in known if parameter == name]
        spare += [f"{name} of {p}" for p in patterns if not any(fnmatchcase(f, p) for f in functions)]
    return spare
