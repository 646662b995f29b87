"""The table that is shipped in the package: what `.explain()` cites."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

import trueerror
from trueerror.methods import every_method
from validation.frame import Line

SHIPPED = Path(trueerror.__file__).parent / "methods" / "coverage.json"
COLUMNS = ("method", "metric", "kind", "confidence", "n", "truth", "rate", "samples", "scenario")


def rows(lines: Iterable[Line]) -> list[list[object]]:
    """Lines with samples enough, of methods in the catalogue, at single places of the grid."""
    known = every_method()
    found = []
    for line in lines:
        single = "mean over" not in line.scenario and "least" not in line.scenario
        sized = math.isfinite(line.n) and line.n > 0
        told = line.measured and line.undefined < 0.5 and (line.kind == "interval" or line.purpose == "level")
        if single and sized and told and line.method in known:
            truth = None if math.isnan(line.truth) or line.metric == "these models" else round(line.truth, 4)
            found.append(
                [line.method, line.metric, line.kind, line.confidence, round(line.n, 1), truth, round(line.rate, 4),
                 line.samples, line.scenario]
            )  # fmt: skip
    return found


def ship(lines: Iterable[Line]) -> int:
    """Write the table; how many rows it has."""
    made = rows(lines)
    body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in made)
    head = json.dumps("measured by `make validate`; see validation/RESULTS.md")
    SHIPPED.write_text(
        f'{{"about": {head},\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{body}\n]}}\n', encoding="utf-8"
    )
    return len(made)
