"""The few hot loops, twice: plain (NumPy) and fast (Numba, the extra `fast`), with the same names and answers."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.inputs._options import InputError
from trueerror.inputs._settings import current
from trueerror.kernels import _numpy as plain

Counts = NDArray[np.int64]

# Visits of rows from which compiled loops pay: where they have to be compiled first (seven seconds), where their
# code only has to be loaded (a second at most), and once they are loaded.
UNCOMPILED = 3_000_000_000
COLD = 300_000_000
WARM = 500_000
# Ranking rows takes as long as so many visits of each.
RANKING = 48


class Kernels(Protocol):
    """What both kinds of kernels offer."""

    def score_groups(self, scores: Array, positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]: ...
    def placements(self, scores: Array, positive: NDArray[np.bool_]) -> Floats: ...
    def ordered_pairs(self, positives: Array, negatives: Array) -> float: ...
    def placement_sums(self, positives: Array, negatives: Array) -> tuple[float, float, float]: ...


def chosen(work: int) -> Kernels:
    """The kernels for so many row visits, by `te.config(kernels=…)`.

    "auto" takes the compiled ones where numba is installed and the work outweighs loading them, and compiling
    them where that was not done yet.
    """
    choice = current().kernels
    if choice == "plain" or (choice == "auto" and not _pays(work)):
        return cast(Kernels, plain)
    try:
        from trueerror.kernels import _numba as fast
    except (ImportError, RuntimeError) as error:  # a broken Numba, or no folder in which it may keep what it compiles
        if choice == "fast":
            raise InputError(f'kernels="fast" cannot be loaded ({error}); te.config(kernels="plain") works') from None
        return cast(Kernels, plain)
    return cast(Kernels, fast)


def _pays(work: int) -> bool:
    if "trueerror.kernels._numba" in sys.modules:
        return work >= WARM
    if work < COLD or find_spec("numba") is None:
        return False
    return work >= UNCOMPILED or any(Path(__file__).with_name("__pycache__").glob("_numba.*.nbi"))
