"""A batch of calls in a process of its own, with limits on memory and time; what went wrong is kept by its seed."""

from __future__ import annotations

import collections
import os
import resource
import signal
import traceback
from pathlib import Path
from typing import Any

from tests.fuzz import calls, commands, same
from tests.fuzz.calls import seeded

MEMORY = 6 << 30
SECONDS = 60
BATCH = 1000
# How often each family is drawn: a table behind two doors and a command line take long.
FAMILIES = ("calls",) * 100 + ("readers",) * 23 + ("same",) * 73 + ("doors",) * 2 + ("commands",) * 2


def one(seed: str) -> tuple[str, int, str, str]:
    """A call by its seed: its family, how many calls it came to, and what went wrong where, if anything did."""
    family = seeded(f"family {seed}")(FAMILIES)
    pick = seeded(seed)
    name, seen, more = "", "", 1
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        if family in ("calls", "readers"):
            name, given, then = calls.make(pick, calls.readers() if family == "readers" else None)
            seen = str(given)
            more = calls.run(name, given, then)
        elif family == "commands":
            name, drawn = commands.make(pick)
            seen = str(drawn["words"])
            more = commands.run(name, drawn)
        else:
            name, drawn = same.make(pick, doors=family == "doors")
            seen = str(same.words(name, drawn))
            more = same.run(name, drawn)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - any other one is what is looked for, a panic of polars too
        error = error.__cause__ or error
        where = [
            f
            for f in traceback.extract_tb(error.__traceback__)
            if "/tests/fuzz/" not in f.filename or f.name == "check"
        ]
        place = f"{Path(where[-1].filename).name}:{where[-1].lineno}" if where else family
        return family, 1, f"{name}: {type(error).__name__} at {place}", f"{str(error)[:300]} with {seen[:400]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return family, more, "", ""


def begin(turns: Any = None) -> None:
    """Limits of a process; with turns, which hand out processors, all its threads keep to one."""
    if turns is not None:
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {mine[turns.get() % len(mine)]})
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGPROF, late)


def work(batch: int) -> tuple[dict[str, int], dict[str, tuple[str, str]]]:
    """A batch of calls: how many of each family, and for each kind of failure the first seed and what was seen."""
    made: collections.Counter[str] = collections.Counter()
    wrong: dict[str, tuple[str, str]] = {}
    for i in range(BATCH):
        family, more, key, seen = one(f"{batch}.{i}")
        made[family] += more
        if key:
            wrong.setdefault(key, (f"{batch}.{i}", seen))
    return dict(made), wrong
