"""What was counted, on disk: a run that is stopped goes on where it stood.

Each cell has a file with its counts so far, the fingerprint of the code that made them and the answers to its first
samples. After a change of the code a cell is kept when those samples (12 of a simulated cell, a few numbers of an
enumerated one) are still answered alike, and run anew when not, so that a change elsewhere does not cost hours. A
change that shows in few samples may go unseen, and old results then stand for new code: delete the store to be sure.

The counts of the last full run are kept in the project too, in counts.jsonl with a line a cell, for where there is no
store yet.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import trueerror
from validation.frame import FIELDS, Cell, Counts, Exact, Line, Tally, lines, probe

STORE = Path(__file__).parent.parent / ".validation_store"
KEPT = Path(__file__).with_name("counts.jsonl")
# How lines are judged and written may change freely.
TELLING = ("__main__", "judging", "picturing", "running", "shipping", "storing", "warning", "writing")
ROOMS = (
    "inputs", "kernels", "tallies", "metrics", "inference", "significance", "curves", "resampling", "experiments",
    "studies", "verbs",
)  # fmt: skip


@cache
def fingerprint() -> str:
    """Of the library's statistics and of the scenarios."""
    code = hashlib.sha256()
    package = Path(trueerror.__file__).parent
    paths = [path for room in ROOMS for path in sorted((package / room).rglob("*.py"))]
    told = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.stem not in TELLING]
    for path in (*paths, *told):
        code.update(path.name.encode() + path.read_bytes())
    return code.hexdigest()[:16]


def answers(values: Iterable[float]) -> str:
    """A digest of answers, to nine digits."""
    digits = ("nan" if math.isnan(v) else f"{v:.9g}" for v in map(float, values))
    return hashlib.sha256(" ".join(digits).encode()).hexdigest()[:16]


def probed(unit: Cell | Exact) -> str:
    """The digest of what the code answers now."""
    return answers(unit.probe() if isinstance(unit, Exact) else probe(unit))


class Store:
    """Files of counts and lines, one a cell."""

    def __init__(self, quick: bool, folder: Path = STORE) -> None:
        self.folder = folder / ("quick" if quick else "full")
        self.folder.mkdir(parents=True, exist_ok=True)

    def _path(self, unit: Cell | Exact) -> Path:
        return self.folder / f"{hashlib.sha256(unit.key.encode()).hexdigest()[:24]}.json"

    def _read(self, unit: Cell | Exact) -> dict[str, Any] | None:
        """What is kept, if the code still answers as it did."""
        path = self._path(unit)
        kept: dict[str, Any] | None = json.loads(path.read_text()) if path.exists() else self._last().get(unit.key)
        if kept is None or kept["code"] == fingerprint():
            return kept
        if kept["asked"] != _asked(unit) or kept["probe"] != probed(unit):
            return None
        kept = {**kept, "code": fingerprint()}
        self._write(unit, kept)
        return kept

    def _last(self) -> dict[str, Any]:
        return {} if self.folder.name == "quick" else _last_run(KEPT)

    def knows(self, unit: Cell | Exact) -> bool:
        """Whether anything is kept of a cell, by this code or another."""
        return self._path(unit).exists() or unit.key in self._last()

    def keep_together(self, units: Iterable[Cell | Exact], path: Path | None = None) -> int:
        """Write what is known of all cells into one file, which is shorter; how many there are."""
        kept = [found for found in map(self._read, units) if found is not None]
        made = [json.dumps(_short({**k, "code": ""}), ensure_ascii=False, separators=(",", ":")) for k in kept]
        (path or KEPT).write_text("".join(line + "\n" for line in made), encoding="utf-8")
        return len(made)

    def _write(self, unit: Cell | Exact, kept: dict[str, Any]) -> None:
        part = self._path(unit).with_suffix(".part")
        part.write_text(json.dumps(kept, default=_plain))
        part.replace(self._path(unit))

    def exact(self, unit: Exact) -> list[Line] | None:
        """The lines of an enumerated part, or None."""
        kept = self._read(unit)
        return None if kept is None else [Line(unit.family, *line) for line in kept["lines"]]

    def keep_exact(self, unit: Exact, found: list[Line]) -> None:
        """Write the lines of an enumerated part."""
        made = {"key": unit.key, "lines": [astuple(line)[1:] for line in found]}
        self._write(unit, {**made, "code": fingerprint(), "asked": _asked(unit), "probe": probed(unit)})

    def counts(self, cell: Cell) -> tuple[int, Counts]:
        """How many blocks of a cell are done, and what they counted."""
        kept = self._read(cell)
        if kept is None:
            return 0, {}
        found = {
            (name, confidence): Tally(np.append(values, [math.nan] * (len(FIELDS) - len(values))), Counter(methods))
            for name, confidence, values, methods in kept["counts"]
        }
        return kept["blocks"], found

    def keep_counts(self, cell: Cell, blocks: int, counts: Counts, probe_of_cell: str) -> None:
        """Write what the blocks so far have counted."""
        rows = [[name, c, t.values.tolist(), dict(t.methods)] for (name, c), t in counts.items()]
        made = {"key": cell.key, "blocks": blocks, "counts": rows, "code": fingerprint()}
        self._write(cell, {**made, "asked": _asked(cell), "probe": probe_of_cell})

    def lines(self, unit: Cell | Exact) -> list[Line]:
        """What is known of a cell so far; nothing where it was not reached."""
        if isinstance(unit, Exact):
            return self.exact(unit) or []
        done, counts = self.counts(unit)
        return lines(unit, counts) if done else []


@cache
def _last_run(path: Path) -> dict[str, Any]:
    rows = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["key"]: row for row in map(json.loads, rows)}


def _asked(unit: Cell | Exact) -> str:
    """A digest of what a cell asks."""
    if isinstance(unit, Exact):
        return unit.key
    truths = [[k, round(v, 9)] for k, v in unit.truth.items()]
    asked = [unit.key, unit.block, [p.name for p in unit.procedures], list(unit.confidences), truths]
    return hashlib.sha256(json.dumps(asked, default=_plain).encode()).hexdigest()[:16]


def _short(kept: Any) -> Any:
    """The same with fewer digits."""
    if isinstance(kept, dict):
        return {key: _short(value) for key, value in kept.items()}
    if isinstance(kept, list):
        return [_short(value) for value in kept]
    if isinstance(kept, float):
        return int(kept) if kept.is_integer() else float(f"{kept:.7g}")
    return kept


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)
