"""`python -m tests.fuzz --calls 1000000`: random calls until there are so many; failures with seeds.

There are five families: calls of every public function with odd values, damaged files for the readers, equal data in
other containers, tables of text behind two doors, and command lines. Runs add up: each goes on after the seeds of those
before, whose failures it tries again first; counts and seeds are kept in validation/FUZZ.json (`--afresh` begins a new
count). A worker is a process on one processor with a limit on its memory, and a call that takes too long is a failure
too. `--again SEED` makes one call and shows what it does.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.fuzz.batch import BATCH, begin, one, work
from tests.fuzz.calls import FILES, functions

KEPT = Path(__file__).parents[2] / "validation" / "FUZZ.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=2_000_000, metavar="N", help="how many calls in all (2,000,000)")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="S", help="stop then")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes (2)")
    parser.add_argument("--afresh", action="store_true", help="begin a new count")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FILE", help="where figures and seeds are kept")
    parser.add_argument("--again", metavar="SEED", help="make the one call of this seed")
    asked = parser.parse_args()
    if asked.again:
        family, made, key, seen = one(asked.again)
        print(f"{family}: {made} calls", *([key, seen] if key else []), sep="\n")
        return 1 if key else 0
    before: dict[str, Any] = {"made": {}, "batches": 0, "seconds": 0, "failures": {}}
    if asked.kept.exists() and not asked.afresh:
        before = json.loads(asked.kept.read_text(encoding="utf-8"))
    begin()
    wrong: dict[str, tuple[str, str]] = {}
    for seed in before["failures"].values():
        *_, key, seen = one(seed)
        if key:
            wrong[key] = (seed, seen)
    started, made, number = time.monotonic(), collections.Counter(before["made"]), before["batches"]
    times: collections.Counter[str] = collections.Counter()
    processes = get_context("spawn")
    turns = processes.Queue()
    for turn in range(asked.jobs):
        turns.put(turn)
    with ProcessPoolExecutor(asked.jobs, processes, begin, (turns,)) as pool:
        under_way: dict[Future[Any], int] = {}
        while True:
            while (
                len(under_way) < asked.jobs
                and made.total() < asked.calls
                and time.monotonic() - started < asked.seconds
            ):
                under_way[pool.submit(work, number)] = number
                number += 1
            if not under_way:
                break
            for ended in wait(under_way, return_when=FIRST_COMPLETED).done:
                batch = under_way.pop(ended)
                try:
                    more, found = ended.result()
                except BrokenProcessPool as error:
                    sys.exit(f"a process died within the batches {sorted([batch, *under_way.values()])}: {error}")
                made.update(more)
                times.update(list(found))
                wrong = found | wrong
            print(f"\r{said(made)}: {len(wrong)} kinds of failure", end="", file=sys.stderr, flush=True)
            asked.kept.write_text(json.dumps({
                "command": "python -m tests.fuzz", "made": dict(sorted(made.items())), "functions": len(functions()),
                "files": len(FILES), "batches": number, "seeds": f"0.0 to {number - 1}.{BATCH - 1}",
                "seconds": round(before["seconds"] + time.monotonic() - started), "jobs": asked.jobs,
                "failures": {key: seed for key, (seed, _) in sorted(wrong.items())},
            }, indent=1) + "\n", encoding="utf-8")  # fmt: skip
    print(f"\n{said(made)}, of {len(functions())} functions and {len(FILES)} kinds of file, batches 0 to {number - 1}: "
          f"{len(wrong)} kinds of failure")  # fmt: skip
    for key, (seed, seen) in sorted(wrong.items()):
        print(f"- {key} ({times[key]} batches), --again {seed}\n    {seen}")
    return 1 if wrong else 0


def said(made: dict[str, int]) -> str:
    """How many of each family."""
    names = {"calls": "calls", "readers": "inputs of readers", "same": "equal data", "doors": "tables behind two doors",
             "commands": "command lines"}  # fmt: skip
    return ", ".join(f"{made.get(key, 0):,} {words}" for key, words in names.items())


if __name__ == "__main__":
    sys.exit(main())
