"""Schedules of training-set sizes: geometric (each a multiple of the last) or arithmetic (each a step more)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word

Schedule = Literal["geometric", "arithmetic"]
# Below this many rows hardly any learner has anything to go by.
FEWEST_ROWS = 10
# The smallest size is at least this share of the largest: one curve does not fit much more than two decades.
SMALLEST_SHARE = 1 / 64


def sizes_of(
    schedule: Schedule,
    largest: int,
    *,
    classes: int = 2,
    steps: int = 8,
    smallest: int | None = None,
    ratio: float | None = None,
    step: int | None = None,
) -> tuple[int, ...]:
    """The sizes up to the largest, which always ends the schedule.

    Geometric: smallest · ratio^i (Provost, Jensen and Oates 1999, KDD, 23); arithmetic: smallest + i · step (John and
    Langley 1996, KDD, 367). Without `ratio` or `step` there are `steps` sizes.

    >>> sizes_of("geometric", 320, smallest=20, ratio=2)
    (20, 40, 80, 160, 320)
    >>> sizes_of("arithmetic", 100, smallest=20, step=30)
    (20, 50, 80, 100)
    """
    check_word(schedule, ("geometric", "arithmetic"), "schedule")
    least = math.ceil(max(FEWEST_ROWS, 2 * classes, largest * SMALLEST_SHARE))
    first = min(least, max(2, largest // 2)) if smallest is None else smallest
    if isinstance(first, bool) or not isinstance(first, int | np.integer) or not 2 <= first < largest:
        raise InputError(f"smallest={smallest!r} must be a whole number of rows from 2 to below {largest:,}")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 2:
        raise InputError(f"steps={steps!r} must be a whole number of sizes, at least 2")
    if schedule == "geometric":
        if step is not None:
            raise InputError('step= belongs to schedule="arithmetic"; for "geometric" pass ratio=')
        factor = (largest / first) ** (1 / (steps - 1)) if ratio is None else float(ratio)
        if not (math.isfinite(factor) and factor > 1):
            raise InputError(f"ratio={ratio!r} must be a number above 1, such as 2")
        count = math.floor(math.log(largest / first) / math.log(factor) + 1e-9)
        sizes = [round(first * factor**i) for i in range(count + 1)]
        # A last size just below the largest would tell nothing more.
        sizes = [s for s in sizes if s * math.sqrt(factor) <= largest]
    else:
        if ratio is not None:
            raise InputError('ratio= belongs to schedule="geometric"; for "arithmetic" pass step=')
        width = (largest - first) / (steps - 1) if step is None else float(step)
        if not (math.isfinite(width) and width >= 1):
            raise InputError(f"step={step!r} must be a whole number of rows, at least 1")
        sizes = [round(first + i * width) for i in range(int((largest - first) / width + 1e-9) + 1)]
        sizes = [s for s in sizes if s + width / 2 <= largest]
    return tuple(sorted({*sizes, largest}))


def given_sizes(sizes: Sequence[int | float], largest: int) -> tuple[int, ...]:
    """Sizes as given: whole numbers of rows, or shares of the largest.

    >>> given_sizes([0.1, 0.5, 1.0], 200), given_sizes([50, 100], 200)
    ((20, 100, 200), (50, 100))
    """
    made = []
    for size in sizes:
        if isinstance(size, float) and 0 < size <= 1:
            made.append(max(1, round(size * largest)))
        elif isinstance(size, bool) or float(size) != int(size) or not 1 <= size <= largest:
            raise InputError(f"sizes: {size!r} is neither a whole number of rows up to {largest:,} nor a share")
        else:
            made.append(int(size))
    if len(set(made)) < 2:
        raise InputError("a learning curve needs at least two different sizes")
    return tuple(sorted(set(made)))
