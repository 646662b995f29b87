"""What stands for a whole table of predictions, and how every verb opens it: one rule for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

from trueerror.inputs.errors import InputError, nearest
from trueerror.results import Result
from trueerror.rows.frames import is_table
from trueerror.rows.paths import names_files
from trueerror.rows.predictions import Predictions
from trueerror.rows.reading import read


def is_openable(source: Any) -> bool:
    """Whether te.read takes this: a path, a list of paths, a mapping of columns, or a table that is lazy or not.

    >>> is_openable("rows.parquet"), is_openable(["jan.csv", "feb.csv"]), is_openable({"truth": [0, 1], "svm": [0, 1]})
    (True, True, True)
    >>> is_openable(["cat", "dog"]), is_openable([0, 1])
    (False, False)
    """
    if isinstance(source, str | os.PathLike):
        return True
    if isinstance(source, list | tuple):
        return names_files(source)
    if isinstance(source, Mapping):
        # Curves by name are no columns.
        columns = (hasattr(v, "__len__") and not isinstance(v, Result | Predictions) for v in source.values())
        return bool(source) and all(columns)
    return is_table(source)


def opened(source: Any, *, positive: Any = None, **columns: Any) -> Predictions:
    """Predictions as they are, and tables read: `columns` say how, and are refused where the rows were read already.

    >>> p = opened({"truth": [0, 1, 1], "svm": [0, 1, 0]})
    >>> opened(p) is p
    True
    """
    named = {option_word(option): value for option, value in columns.items() if value is not None}
    if not isinstance(source, Predictions):
        return read(source, positive=positive, **named)
    if named:
        raise InputError(
            f"{next(iter(named))}= says how to read a table, but these predictions were read already: give it to "
            "te.read or te.predictions"
        )
    return source if positive is None else source.with_positive(positive)


def option_word(option: str) -> str:
    """An option by the name that te.read has for it."""
    return "truth" if option == "truth_column" else option


def check_read_options(names: Iterable[str], verb: str, own: Sequence[str] = ()) -> None:
    """An error that suggests the nearest, where neither te.read nor the verb has such an option."""
    known = list(signature(read).parameters)[1:]
    for name in names:
        if option_word(name) not in known:
            hint = nearest(name, [*own, *known])
            hint = hint if "did you mean" in hint else ""
            raise InputError(f"te.{verb} has no option {name}={hint}")


def refuse_columns(columns: Mapping[str, Any]) -> None:
    """Options of te.read say nothing where no table is read."""
    named = next((option for option, value in columns.items() if value is not None), None)
    if named is not None:
        raise InputError(f"{option_word(named)}= says how to read a file or a table, but none was given")
