"""The settings of `te.config`; none changes a result beyond rounding."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Literal

from trueerror.inputs._options import InputError, check_word, nearest
from trueerror.results import Result

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
        there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.threads or min(8, there)

    @property
    def kernels_in_use(self) -> Literal["plain", "fast"]:
        """Which hot loops large inputs get now; "auto" loads the fast ones when the first input is large enough."""
        if self.kernels == "auto":
            return "fast" if "trueerror.kernels._numba" in sys.modules else "plain"
        return self.kernels

    def __str__(self) -> str:
        state = "installed" if find_spec("numba") else "not installed"
        return (
            f"kernels {self.kernels}, {self.kernels_in_use} in use (numba is {state}), memory budget {self.budget} for "
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
    if match is None or unit not in (*UNITS, "b") or isinstance(budget, bool) or not 0 < float(match[1]) < 1e12:
        raise InputError(f'budget={budget!r} is not an amount of memory; give one such as "2GB" or "500MB"')
    return int(float(match[1]) * UNITS.get(unit, 1))
