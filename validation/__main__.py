"""Run the validation: `python -m validation`; `--help` has the options."""

from __future__ import annotations

import argparse
import math
import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from validation.frame import ESTABLISHED
from validation.running import QUICK, registry, run
from validation.shipping import SHIPPED, ship
from validation.storing import KEPT, Store, fingerprint
from validation.writing import RESULTS, summary, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__.split(":")[0])
    parser.add_argument("--quick", action="store_true", help=f"fewer cells, {QUICK:,} samples each, under five minutes")
    parser.add_argument("--only", default="", metavar="WORD", help="cells whose name holds this word")
    parser.add_argument("--replications", type=int, default=None, metavar="N", help=f"samples a cell ({ESTABLISHED:,})")
    parser.add_argument("--jobs", type=int, default=None, metavar="J", help="processes (one for each core)")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="stop then; a later run goes on")
    given = parser.parse_args()
    console = Console(stderr=True)
    code = fingerprint()
    started = time.perf_counter()
    columns = (TextColumn("{task.description:.60}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("validation", total=None)
        lines = run(
            quick=given.quick,
            replications=given.replications,
            word=given.only,
            jobs=given.jobs,
            minutes=given.minutes,
            told=lambda name, done, total: progress.update(task, description=name, completed=done, total=total),
        )
    if not lines:
        parser.error(f"no cell is named {given.only!r}")
    took = time.perf_counter() - started
    if given.quick or given.only:
        print(summary(lines))
        return 0
    judged = write(
        lines, registry(quick=False), command=" ".join(["python -m validation", *sys.argv[1:]]), took=took, code=code
    )
    print(summary(lines))
    shipped = ship(lines)
    Store(False).keep_together(registry(quick=False).values())
    wrote = f"wrote {RESULTS.parent.name}/{RESULTS.name}, {KEPT.name} and {shipped:,} rows of {SHIPPED.name}"
    console.print(wrote, highlight=False)
    return 1 if any(not j.holds and j.established for j in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
