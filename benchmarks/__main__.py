"""Run the benchmarks: `python -m benchmarks [--quick] [--write] [--only WORD]`."""

from __future__ import annotations

import argparse
import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.growth import growth
from benchmarks.measuring import Row
from benchmarks.runner import cases, run
from benchmarks.writing import RESULTS, notes, table, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split(":")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rows, under three minutes; writes nothing")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name} after a quick or partial run too")
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose name holds this word")
    given = parser.parse_args()
    chosen = cases(given.only)
    if not chosen:
        parser.error(f"no case is named {given.only!r}; there are {', '.join(map(str, cases()))}")
    console = Console(stderr=True)
    started = time.perf_counter()
    rows: list[Row] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("benchmarks", total=len(chosen))
        for case in chosen:
            progress.update(task, description=str(case))
            rows += run(case, quick=given.quick)
            progress.advance(task)
        grown = None if given.only else growth(quick=given.quick)
    print("\n".join([table(rows), "", *notes(rows)]).rstrip())
    if given.quick:
        console.print("quick: fewer rows, so targets for large inputs may show as missed", highlight=False)
    took = time.perf_counter() - started
    if given.write or not (given.quick or given.only):
        write(rows, grown, quick=given.quick, took=took, command=" ".join(["python -m benchmarks", *sys.argv[1:]]))
        console.print(f"wrote {RESULTS.parent.name}/{RESULTS.name} ({took:.0f} s)", highlight=False)
    missed = [r for r in rows if r["met"] is False or r["agree"] is False]
    return 1 if missed and not given.quick else 0


if __name__ == "__main__":
    sys.exit(main())
