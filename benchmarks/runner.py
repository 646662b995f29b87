"""Find the cases and run each in its own process, so that none inherits another's memory or caches.

python -m benchmarks.runner counting case_integers [--quick]     # one case, its answer as JSON on stdout
"""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import Row, row

ROOT = Path(__file__).parent.parent
MODULES = ("starting", "counting", "resampling", "curves", "pairs", "experiments", "verbs", "peers", "load", "scale")


class Case(NamedTuple):
    """A function `case_…(quick)` of a module of this package."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{self.module}.{self.function.removeprefix('case_')}"


def cases(word: str = "") -> list[Case]:
    """All cases whose name holds the word, in the order of their files."""
    found = []
    for module in MODULES:
        if find_spec(f"benchmarks.{module}") is None:
            continue
        source = Path(str(find_spec(f"benchmarks.{module}").origin)).read_text(encoding="utf-8")  # type: ignore[union-attr]
        names = [line[4:].split("(")[0] for line in source.splitlines() if line.startswith("def case_")]
        found += [Case(module, name) for name in names]
    return [case for case in found if word in str(case)]


def run(case: Case, *, quick: bool, timeout: float = 3600) -> list[Row]:
    """The rows that a case gave, or one that says why there is none."""
    command = [sys.executable, "-m", "benchmarks.runner", *case, *(["--quick"] if quick else [])]
    started = time.perf_counter()
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return [_failed(case, f"stopped after {timeout:.0f} s")]
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return [_failed(case, last[0])]
    rows: list[Row] = json.loads(done.stdout.splitlines()[-1])
    for each in rows:
        each["whole_s"] = time.perf_counter() - started
    return rows


def _failed(case: Case, why: str) -> Row:
    return {**row(str(case), ours_s=math.nan), "met": False, "target": "runs", "note": f"failed: {why[:200]}"}


def shaped(given: dict[str, Any]) -> Row:
    """What a case gave, in one shape: a number as target means at least so many times as fast as the peer."""
    found = row(
        given["name"], ours_s=given["ours_s"], peer=given.get("peer") or "", peer_s=_number(given.get("peer_s"))
    )
    target = given.get("target")
    if isinstance(target, int | float):
        found |= {"target": f"≥ {target:,g}×", "met": found["ratio"] >= target}
    elif target:
        found |= {"target": str(target)}
    return found | {key: given[key] for key in ("met", "memory_mb", "agree", "note") if given.get(key) is not None}


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def _one(module: str, function: str, *, quick: bool) -> Iterator[Row]:
    given = getattr(import_module(f"benchmarks.{module}"), function)(quick)
    for each in given if isinstance(given, list | tuple) else [given]:
        yield shaped(each)


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        answers = list(_one(sys.argv[1], sys.argv[2], quick="--quick" in sys.argv))
    print(json.dumps(answers, default=_plain))
