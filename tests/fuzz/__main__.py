"""`python -m tests.fuzz --calls 1000000`: calls of every public function until there are so many; failures with seeds.

Each worker is a process with a limit on its memory; a call that takes longer than its limit is a failure too.
"""

from __future__ import annotations

import argparse
import collections
import json
import resource
import signal
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.calls import calls, functions, run

MEMORY = 6 << 30
SECONDS = 60
BATCH = 400
KEPT = Path(__file__).parents[2] / "validation" / "FUZZ.json"


def work(number: int) -> tuple[int, dict[str, str]]:
    """A batch of calls by its seed: how many, and what went wrong, by where."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    made, wrong = 0, {}

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGALRM, late)

    @seed(number)
    @settings(max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(calls())
    def batch(call: tuple[str, dict[str, Any]]) -> None:
        nonlocal made
        signal.alarm(SECONDS)
        try:
            made += run(*call)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            made += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            key = f"{call[0]}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
            wrong.setdefault(key, f"seed {number}: {str(error)[:200]} with {str(call[1])[:400]}")
        finally:
            signal.alarm(0)

    batch()
    return made, wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000, metavar="N", help="how many calls (1,000,000)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="where seeds begin (0)")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes (2)")
    asked = parser.parse_args()
    started, made, number = time.perf_counter(), 0, asked.seed
    wrong: dict[str, str] = {}
    times: collections.Counter[str] = collections.Counter()
    with ProcessPoolExecutor(asked.jobs) as pool:
        while made < asked.calls:
            for more, found in pool.map(work, range(number, number + 4 * asked.jobs)):
                made += more
                times.update(list(found))
                wrong = found | wrong
            number += 4 * asked.jobs
            print(f"\r{made:,} calls, {len(wrong)} kinds of failure", end="", file=sys.stderr, flush=True)
    took = time.perf_counter() - started
    print(f"\n{made:,} calls of {len(functions())} functions and their results in {took:,.0f} s, seeds {asked.seed} to "
          f"{number - 1}: {len(wrong)} kinds of failure")  # fmt: skip
    for key, example in sorted(wrong.items()):
        print(f"- {key} ({times[key]} batches)\n    {example}")
    KEPT.write_text(json.dumps({
        "command": f"python -m tests.fuzz --calls {asked.calls} --seed {asked.seed}", "calls": made,
        "functions": len(functions()), "seeds": [asked.seed, number - 1], "seconds": round(took),
        "failures": sorted(wrong),
    }, indent=1) + "\n", encoding="utf-8")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
