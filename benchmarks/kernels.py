"""Do our ways of sorting scores pay beside NumPy's? Needs NumPy alone; `python -m benchmarks.kernels --rows 1e6 1e7`.

A table of scores is made by one sort of integers that carry the class (tagged keys), by way of buckets or by NumPy's
own sort; or by NumPy's argsort of the scores; or by NumPy's sort of each class. An order of rows is made by way of
buckets or by NumPy's argsort.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import trueerror as te
from trueerror.kernels import _numpy, _sorting


def seconds(work: Callable[[], Any], rounds: int) -> float:
    """The quickest of some rounds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def table_by_argsort(scores: Any, positive: Any) -> Any:
    """A table of scores as one would write it with NumPy."""
    order = np.argsort(scores)
    ranked, ups = scores[order], positive[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    rows = np.diff(np.append(starts, len(ranked)))
    found = np.add.reduceat(ups, starts, dtype=np.int64)
    return ranked[starts], found, rows - found


def ways(scores: Any, positive: Any) -> dict[str, Callable[[], Any]]:
    """What is timed."""

    def with_buckets(pay: bool, work: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> Any:
            with patch.object(_sorting, "_buckets_pay", lambda: pay):
                return work()

        return run

    return {
        "table: tagged keys, buckets": with_buckets(True, lambda: _numpy.score_groups(scores, positive)),
        "table: tagged keys, NumPy's sort": with_buckets(False, lambda: _numpy.score_groups(scores, positive)),
        "table: NumPy's sort of each class": lambda: _numpy._groups_by_class(scores, positive),
        "table: NumPy's argsort": lambda: table_by_argsort(scores, positive),
        "order: buckets": with_buckets(True, lambda: _sorting.ascending_order(scores)),
        "order: NumPy's argsort": lambda: np.argsort(scores),
    }


def processor() -> str:
    """What the machine says of its processor."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8").splitlines() if about.is_file() else []
    said = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines}
    wide = " with AVX-512" if "avx512f" in said.get("flags", "").split() else ""
    return f"{said.get('model name') or platform.processor()}{wide}"


def main() -> None:
    """Time every way at every size, in one thread and in all."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=float, nargs="*", default=[1e6, 1e7, 3e7])
    asked.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    asked.add_argument("--rounds", type=int, default=3)
    options = asked.parse_args()
    pay = _sorting._buckets_pay()
    print(f"{processor()}; NumPy {np.__version__}; buckets are chosen: {pay}")
    for rows in map(int, options.rows):
        drawn = np.random.default_rng(0)
        positive = drawn.random(rows) < 0.3
        for kind, scores in {
            "distinct": drawn.normal(size=rows) + positive,
            "two decimals": drawn.random(rows).round(2),
        }.items():
            for threads in options.threads:
                te.config(threads=threads)
                print(f"{rows:.0e} rows, {kind} scores, {threads} threads", flush=True)
                for name, work in ways(scores, positive).items():
                    print(f"    {name:36s} {seconds(work, options.rounds):8.3f} s", flush=True)


if __name__ == "__main__":
    main()
