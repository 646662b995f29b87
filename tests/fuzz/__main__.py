"""`python -m tests.fuzz --calls 1000000`: calls of every public function until there are so many; failures with seeds.

Runs add up: each goes on after the seeds of those before, whose failures it tries again first; figures and seeds are
kept in validation/FUZZ.json (`--afresh` begins a new count). A worker is a process with a limit on its memory, and a
call that takes too much time of the processor is a failure too. `--again SEED` makes one call and shows what it does.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.fuzz.batch import BATCH, begin, one, work
from tests.fuzz.calls import FILES, functions, make, run, seeded

KEPT = Path(__file__).parents[2] / "validation" / "FUZZ.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000, metavar="N", help="how many calls in all (1,000,000)")
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="stop then")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes (2)")
    parser.add_argument("--afresh", action="store_true", help="begin a new count")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FILE", help="where figures and seeds are kept")
    parser.add_argument("--again", metavar="SEED", help="make the one call of this seed")
    asked = parser.parse_args()
    if asked.again:
        name, given, then = make(seeded(asked.again))
        print(name, given)
        print(run(name, given, then), "calls")
        return 0
    before: dict[str, Any] = {"calls": 0, "batches": 0, "seconds": 0, "failures": {}}
    if asked.kept.exists() and not asked.afresh:
        before = json.loads(asked.kept.read_text(encoding="utf-8"))
    begin()
    wrong: dict[str, tuple[str, str]] = {}
    for seed in before["failures"].values():
        _, key, seen = one(seed)
        if key:
            wrong[key] = (seed, seen)
    started, made, number = time.monotonic(), before["calls"], before["batches"]
    times: collections.Counter[str] = collections.Counter()
    with ProcessPoolExecutor(asked.jobs, get_context("spawn"), begin) as pool:
        while made < asked.calls and time.monotonic() - started < 60 * asked.minutes:
            for more, found in pool.map(work, range(number, number + asked.jobs)):
                made += more
                times.update(list(found))
                wrong = found | wrong
            number += asked.jobs
            print(f"\r{made:,} calls, {len(wrong)} kinds of failure", end="", file=sys.stderr, flush=True)
            asked.kept.write_text(json.dumps({
                "command": "python -m tests.fuzz", "calls": made, "functions": len(functions()), "files": len(FILES),
                "batches": number, "seeds": f"0.0 to {number - 1}.{BATCH - 1}",
                "seconds": round(before["seconds"] + time.monotonic() - started),
                "failures": {key: seed for key, (seed, _) in sorted(wrong.items())},
            }, indent=1) + "\n", encoding="utf-8")  # fmt: skip
    print(f"\n{made:,} calls of {len(functions())} functions, {len(FILES)} kinds of file and their results, batches "
          f"0 to {number - 1}: {len(wrong)} kinds of failure")  # fmt: skip
    for key, (seed, seen) in sorted(wrong.items()):
        print(f"- {key} ({times[key]} batches), --again {seed}\n    {seen}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
