"""Run cells on all cores, keep what is done, go on where a run was stopped."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import trueerror
from validation import count_metrics, dependent, differences, familywise, frame, proportions, scores
from validation.frame import CONFIDENCES, Cell, Counts, Line, added, blocks, lines, run_block

STORE = Path(__file__).parent.parent / ".validation_store"
EXACT: dict[str, Callable[..., Iterator[Line]]] = {
    "one proportion": proportions.exact_lines,
    "two proportions": differences.exact_lines,
}
SIMULATED = (count_metrics.cells, scores.cells, dependent.cells, familywise.cells)
QUICK, FULL = 1_000, 10_000


@lru_cache(maxsize=2)
def registry(*, quick: bool) -> dict[str, Cell]:
    """All simulated cells by name; a quick run looks at 95 % alone."""
    found: dict[str, Cell] = {}
    for family in SIMULATED:
        for cell in family(quick=quick):
            if cell.key in found:
                raise ValueError(f"two cells are named {cell.key!r}")
            found[cell.key] = replace(cell, confidences=CONFIDENCES[:1]) if quick else cell
    return found


def _simulate(key: str, quick: bool, block: int) -> Counts:
    return run_block(registry(quick=quick)[key], block)


def _enumerate(name: str, quick: bool) -> list[Line]:
    return list(EXACT[name](quick=quick))


def run(
    *, quick: bool, replications: int | None = None, word: str = "", told: Callable[[str, int, int], None] | None = None
) -> list[Line]:
    """The lines of all cells whose name holds the word; `told` hears of what is done, and of how much there is."""
    wanted = replications or (QUICK if quick else FULL)
    cells = {key: cell for key, cell in registry(quick=quick).items() if word in key}
    exact = [name for name in EXACT if word in name]
    due = {key: max(1, blocks(math.ceil(wanted * (cell.effort if quick else 1)))) for key, cell in cells.items()}
    total, done = len(exact) + sum(due.values()), 0
    store = _Store(quick)
    found: dict[str, list[Line]] = {}
    counts: dict[str, Counts] = {}
    left = dict(due)

    def tell(name: str, steps: int) -> None:
        nonlocal done
        done += steps
        if told is not None:
            told(name, done, total)

    with ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting: dict[Any, tuple[str, int | None]] = {}
        for name in exact:
            kept = store.read(name, 0)
            if kept is None:
                waiting[pool.submit(_enumerate, name, quick)] = (name, None)
            else:
                found[name] = [Line(**line) for line in kept]
                tell(name, 1)
        for key, number in due.items():
            kept = store.read(key, number)
            if kept is not None:
                found[key] = [Line(**line) for line in kept]
                tell(key, number)
                continue
            for block in range(number):
                waiting[pool.submit(_simulate, key, quick, block)] = (key, block)
        for future in as_completed(list(waiting)):
            name, block = waiting.pop(future)
            answer = future.result()
            if block is None:
                found[name] = answer
                store.keep(name, 0, answer)
            else:
                # Counts are whole numbers but for widths, whose sum may differ in its last digit with the order.
                counts[name] = added(counts[name], answer) if name in counts else answer
                left[name] -= 1
                if left[name] == 0:
                    found[name] = lines(cells[name], counts.pop(name))
                    store.keep(name, due[name], found[name])
            tell(name, 1)
    return [line for name in (*exact, *due) for line in found[name]]


class _Store:
    """Finished cells as files, under a name that changes when the code does: old results never pass for new ones."""

    def __init__(self, quick: bool) -> None:
        self.folder = STORE / fingerprint() / ("quick" if quick else "full")
        self.folder.mkdir(parents=True, exist_ok=True)

    def _path(self, name: str, number: int) -> Path:
        return self.folder / f"{hashlib.sha256(f'{name} {number}'.encode()).hexdigest()[:24]}.json"

    def read(self, name: str, number: int) -> list[dict[str, Any]] | None:
        path = self._path(name, number)
        return json.loads(path.read_text()) if path.exists() else None

    def keep(self, name: str, number: int, found: list[Line]) -> None:
        path = self._path(name, number)
        path.with_suffix(".part").write_text(json.dumps([asdict(line) for line in found], default=_plain))
        path.with_suffix(".part").replace(path)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def fingerprint() -> str:
    """Of the library's statistics and of the scenarios; how lines are judged and written may change freely."""
    code = hashlib.sha256()
    package = Path(trueerror.__file__).parent
    rooms = ("inputs", "kernels", "tallies", "metrics", "variances", "intervals", "significance")
    paths = [path for room in rooms for path in sorted((package / room).glob("*.py"))]
    told = (frame, count_metrics, dependent, differences, familywise, proportions, scores)
    for path in (*paths, *(Path(module.__file__) for module in told)):
        code.update(path.name.encode() + path.read_bytes())
    return code.hexdigest()[:16]
