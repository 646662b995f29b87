"""Checks of the options that all verbs share: confidence, words for methods, randomness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from trueerror.inputs.errors import InputError, nearest

if TYPE_CHECKING:
    import numpy as np

Word = TypeVar("Word", bound=str)


def check_confidence(confidence: float) -> float:
    """A confidence level strictly between 0 and 1."""
    try:
        level = float(confidence)
    except (TypeError, ValueError):
        raise InputError(f"confidence={confidence!r} is not a number; give a share such as 0.95") from None
    if not 0 < level < 1:
        hint = f"; did you mean {level / 100:g}?" if 1 < level < 100 else ""
        raise InputError(f"confidence={confidence!r} must lie between 0 and 1, such as 0.95{hint}")
    return level


def check_word(value: Word, choices: Iterable[str], option: str) -> Word:
    """One of a few words, or an error that suggests the nearest."""
    known = list(choices)
    if value not in known:
        raise InputError(f"{option}={value!r} is not known{nearest(value, known)}")
    return value


def check_alternative(alternative: str) -> None:
    """two-sided, greater or less."""
    check_word(alternative, ("two-sided", "greater", "less"), "alternative")


def check_share(value: float, option: str) -> float:
    """A number in [0, 1]."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{option}={value!r:.40} is not a number; give a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{option}={value!r} must lie between 0 and 1")
    return share


def generator(
    rng: int | np.random.SeedSequence | np.random.Generator | None,
) -> tuple[np.random.Generator, str]:
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
