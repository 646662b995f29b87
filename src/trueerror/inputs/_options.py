"""The errors that users see, checks of the options that all verbs share, and the settings of `te.config`.

No setting changes a result beyond rounding.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from trueerror.results import Result
from trueerror.results._format import one_line

if TYPE_CHECKING:
    import numpy as np


# A message with a whole table in it tells nobody anything.
LONGEST = 300
MOST_REPLICATES = 10_000_000


class InputError(ValueError):
    """Something in the input is wrong; the message says in one line what, where and what to do.

    >>> str(InputError("a name with \\x1b in it,\\nand more"))
    'a name with   in it, and more'
    >>> len(str(InputError("a value " * 1000 + "; pass a list"))) <= LONGEST
    True
    """

    def __init__(self, message: object = "") -> None:
        words = one_line(str(message))
        if len(words) > LONGEST:
            words = f"{words[: LONGEST - 100].rstrip()} … {words[-90:].lstrip()}"
        super().__init__(words)


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


def in_few_words(value: object) -> str:
    """A value in a few words: text and numbers as they are, all else by its kind and size.

    >>> in_few_words("75%"), in_few_words([1, 2, 3]), in_few_words({"a": 1}), in_few_words(3.5)
    ("'75%'", 'a list of 3', 'a dict of 1', '3.5')
    """
    if value is None or isinstance(value, str | bytes | int | float | complex):
        return f"{value!r:.40}"
    kind = type(value).__name__
    article = "an" if kind[:1] in "AEIOUaeio" else "a"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{article} {kind} of {' × '.join(map(str, shape))}"
    size = f" of {len(value)}" if isinstance(value, list | tuple | dict | set) else ""
    return f"{article} {kind}{size}"


LOOKALIKES = str.maketrans("OoIl", "0011")


def nearest(name: object, choices: Iterable[object]) -> str:
    """A hint at the nearest known name, or the known names when there are few, or nothing.

    >>> nearest("acuracy", ["accuracy", "recall"])
    "; did you mean 'accuracy'?"
    >>> nearest("zzz", ["a", "b"])
    "; there are 'a', 'b'"
    >>> nearest("TE2O2", ["TE202", "TE212"])
    "; did you mean 'TE202'?"
    """
    known = [str(c) for c in choices]
    # A letter typed for the digit that it looks like is nearer than any other slip: TE2O2 is TE202.
    alike = str(name).translate(LOOKALIKES)
    if alike != str(name) and alike in (as_digits := {k.translate(LOOKALIKES): k for k in known}):
        return f"; did you mean {as_digits[alike]!r}?"
    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    if 0 < len(known) <= 30:
        return "; there are " + ", ".join(repr(k) for k in known)
    return ""


Word = TypeVar("Word", bound=str)


def check_confidence(confidence: float, *, one_sided: bool = False) -> float:
    """A confidence level strictly between 0 and 1; a one-sided limit below one half would leave the estimate out."""
    try:
        level = float(confidence)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"confidence={confidence!r} is not a number; give a share such as 0.95") from None
    if not 0 < level < 1:
        hint = f"; did you mean {level / 100:g}?" if 1 < level < 100 else ""
        raise InputError(f"confidence={confidence!r} must lie between 0 and 1, such as 0.95{hint}")
    if one_sided and level < 0.5:
        raise InputError(
            f"confidence={confidence!r} is below one half, which leaves the estimate itself outside; give 0.95"
        )
    if 1 - level == 1:
        raise InputError(f"confidence={confidence!r} is so small that the limits would be one point")
    return level


def check_word(value: Word, choices: Iterable[str], option: str) -> Word:
    """One of a few words, or an error that suggests the nearest."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{option}={value!r} is not known{nearest(value, known)}")
    return value


def check_alternative(alternative: str) -> None:
    """two-sided, greater or less."""
    check_word(alternative, ("two-sided", "greater", "less"), "alternative")


def check_replicates(replicates: object, *, least: int = 100, usual: int = 1_000) -> int:
    """How many resamples to draw: enough for limits, and not so many that it never ends.

    >>> check_replicates(2000.0)
    2000
    """
    counts = isinstance(replicates, int | float) or type(replicates).__module__ == "numpy"
    value = float(cast("float", replicates)) if counts and not isinstance(replicates, bool) else math.nan
    if not (value.is_integer() and least <= value <= MOST_REPLICATES):
        raise InputError(
            f"replicates={replicates!r:.40} must be a whole number from {least:,} to {MOST_REPLICATES:,}; {usual:,} is "
            "usual"
        )
    return int(value)


def check_share(value: float, option: str) -> float:
    """A number in [0, 1]."""
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{option}={value!r:.40} is not a number; give a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{option}={value!r} must lie between 0 and 1")
    return share


def generator(rng: int | np.random.SeedSequence | np.random.Generator | None) -> tuple[np.random.Generator, str]:
    """A random generator and how to name its seed; None is seed 0.

    Philox is counter-based: the same seed gives the same stream on every platform.
    """
    import numpy as np

    if isinstance(rng, np.random.Generator):
        return rng, "the caller's generator"
    if isinstance(rng, np.random.SeedSequence):
        return np.random.Generator(np.random.Philox(rng)), f"seed {rng.entropy}"
    if rng is None:
        rng = 0
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng={rng!r} must be a non-negative integer, a SeedSequence or a Generator")
    return np.random.Generator(np.random.Philox(int(rng))), f"seed {int(rng)}"


KernelChoice = Literal["auto", "plain", "fast"]
UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Settings(Result):
    """How computations are run.

    `kernels`: which hot loops run, "plain" (NumPy), "fast" (Numba) or "auto" (whichever is quicker for the size).
    `budget`: memory for exact tables of files and lazy tables, such as "2GB"; beyond it tables are binned, with bounds.
    Arrays and data frames are in memory already: they are always counted exactly, whatever the budget.
    `threads`: how many threads large inputs may use; None is as many as there are processors, at most 8.
    """

    kernels: KernelChoice = "auto"
    budget: str = "2GB"
    threads: int | None = None

    @property
    def budget_bytes(self) -> int:
        """The memory budget in bytes."""
        return memory_bytes(self.budget)

    @property
    def thread_count(self) -> int:
        """How many threads large inputs use."""
        return self.threads or min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _count())

    @property
    def kernels_in_use(self) -> Literal["plain", "fast"]:
        """Which hot loops large inputs get now; "auto" loads the fast ones when the first input is large enough."""
        if self.kernels == "auto":
            return "fast" if "trueerror.kernels._numba" in sys.modules else "plain"
        return self.kernels

    def __str__(self) -> str:
        there = "installed" if find_spec("numba") else "not installed"
        return (
            f"kernels {self.kernels}, {self.kernels_in_use} in use (numba is {there}), memory budget {self.budget} for "
            f"exact tables, {self.thread_count} threads for large inputs"
        )


_current = Settings()


def config(**settings: Any) -> Settings:
    """Change settings by name, and return those that hold from now on; without arguments only look.

    >>> config().kernels
    'auto'
    >>> config(kernels="plain").kernels
    'plain'
    >>> config(kernels="auto").budget
    '2GB'
    """
    global _current
    known = tuple(Settings.__dataclass_fields__)
    for name, value in settings.items():
        if name not in known:
            raise InputError(f"setting {name!r} is not known{nearest(name, known)}")
        if name == "kernels":
            check_word(value, ("auto", "plain", "fast"), "kernels")
            if value == "fast" and find_spec("numba") is None:
                raise InputError('kernels="fast" needs numba: pip install "trueerror[fast]", or keep kernels="auto"')
        elif name == "budget":
            memory_bytes(value)
        elif value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InputError(f"threads={value!r} must be a whole number from 1 up, or None")
    _current = replace(_current, **settings)
    return _current


def current() -> Settings:
    """The settings that hold now."""
    return _current


def memory_bytes(budget: object) -> int:
    """An amount of memory in bytes, from a number or a text such as "2GB".

    >>> memory_bytes("1.5 GB")
    1500000000
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]?b?)\s*", str(budget).lower())
    unit = "" if match is None else match[2] if match[2].endswith("b") or not match[2] else match[2] + "b"
    if match is None or unit not in (*UNITS, "b") or isinstance(budget, bool) or float(match[1]) <= 0:
        raise InputError(f'budget={budget!r} is not an amount of memory; give one such as "2GB" or "500MB"')
    return int(float(match[1]) * UNITS.get(unit, 1))


def _count() -> int:
    return os.cpu_count() or 1
