"""A batch of calls in a process of its own, with limits on memory and time; what went wrong is kept by its seed."""

from __future__ import annotations

import resource
import signal
import traceback
from pathlib import Path

from tests.fuzz.calls import make, run, seeded

MEMORY = 6 << 30
SECONDS = 60
BATCH = 200


def one(seed: str) -> tuple[int, str, str]:
    """A call by its seed: how many calls it came to, and what went wrong where, if anything did."""
    name, given, then = make(seeded(seed))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return run(name, given, then), "", ""
    except Exception as error:  # noqa: BLE001 - any other one is what is looked for
        where = [
            f
            for f in traceback.extract_tb(error.__traceback__)
            if "/tests/fuzz/" not in f.filename or f.name == "check"
        ]
        place = f"{Path(where[-1].filename).name}:{where[-1].lineno}" if where else "the fuzzer"
        return 1, f"{name}: {type(error).__name__} at {place}", f"{str(error)[:200]} with {str(given)[:400]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def begin() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGPROF, late)


def work(batch: int) -> tuple[int, dict[str, tuple[str, str]]]:
    """A batch of calls: how many, and for each kind of failure the first seed and what was seen."""
    made, wrong = 0, {}
    for i in range(BATCH):
        more, key, seen = one(f"{batch}.{i}")
        made += more
        if key:
            wrong.setdefault(key, (f"{batch}.{i}", seen))
    return made, wrong
