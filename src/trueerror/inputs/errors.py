"""Errors for people: what is wrong, with the value and the place, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Something in the input is wrong; the message says what, where and what to do."""


class ColumnError(InputError):
    """A column that was named is not there."""


class FileError(InputError):
    """A file cannot be read as a table."""


class RepeatedIdError(InputError):
    """An id stands for more than one row: `rows` of them repeat the id of an earlier one, such as `example`."""

    def __init__(self, message: str, *, rows: int, example: object) -> None:
        super().__init__(message)
        self.rows = rows
        self.example = example


class MissingPredictionError(InputError):
    """Rows lack a prediction, and nothing says how they count."""


def nearest(name: object, choices: Iterable[object]) -> str:
    """A hint at the nearest known name, or the known names when there are few, or nothing.

    >>> nearest("acuracy", ["accuracy", "recall"])
    "; did you mean 'accuracy'?"
    >>> nearest("zzz", ["a", "b"])
    "; there are 'a', 'b'"
    """
    known = [str(c) for c in choices]
    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    if 0 < len(known) <= 30:
        return "; there are " + ", ".join(repr(k) for k in known)
    return ""
