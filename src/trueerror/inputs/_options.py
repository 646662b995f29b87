"""The errors that users see, and checks of the options that all verbs share."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from trueerror._errors import LONGEST as LONGEST
from trueerror._errors import InputError as InputError

if TYPE_CHECKING:
    import numpy as np


MOST_REPLICATES = 10_000_000


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


Chosen = TypeVar("Chosen", bound=str)


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


def check_word(value: Chosen, choices: Iterable[str], option: str) -> Chosen:
    """One of a few words, or an error that suggests the nearest."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{option}={value!r} is not known{nearest(value, known)}")
    return value


def check_alternative(alternative: str) -> None:
    """two-sided, greater or less."""
    check_word(alternative, ("two-sided", "greater", "less"), "alternative")


def check_replicates(replicates: object, *, least: int = 100, usual: int = 1_000, option: str = "replicates") -> int:
    """How many resamples to draw: enough for limits, and not so many that it never ends.

    >>> check_replicates(2000.0)
    2000
    """
    counts = isinstance(replicates, int | float) or type(replicates).__module__ == "numpy"
    try:
        value = float(cast("float", replicates)) if counts and not isinstance(replicates, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not (value.is_integer() and least <= value <= MOST_REPLICATES):
        raise InputError(
            f"{option}={replicates!r:.40} must be a whole number from {least:,} to {MOST_REPLICATES:,}; {usual:,} is "
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


# What draws start from.
Rng: TypeAlias = "int | np.random.SeedSequence | np.random.Generator | None"


def generator(rng: Rng) -> tuple[np.random.Generator, str]:
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
