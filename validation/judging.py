"""What is claimed of the defaults, and whether the lines bear it out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from validation.frame import Line

MEAN, POINTWISE, EVENTS, TYPE_ONE = 0.945, 0.925, 5.0, 0.055
# Coverage among the few samples in which a metric is defined says little.
MOSTLY_UNDEFINED = 0.5


@dataclass(frozen=True)
class Judgement:
    """One default procedure over its grid, at 95 %."""

    family: str
    procedure: str
    kind: str
    cells: int
    mean: float
    worst: Line | None  # among cells with enough events (a test: among all)
    worst_anywhere: Line | None
    established: bool
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.reasons


def judge(lines: Sequence[Line]) -> list[Judgement]:
    """Every default procedure, in the order of the lines."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        counted = line.shown and line.purpose == "level" and line.undefined < MOSTLY_UNDEFINED
        if line.default and line.confidence == 0.95 and counted:
            groups.setdefault((line.family, line.procedure), []).append(line)
    return [_judged(found) for found in groups.values()]


def _judged(lines: list[Line]) -> Judgement:
    test = lines[0].kind == "test"
    means = [line for line in lines if "mean over" in line.scenario]
    points = [line for line in lines if "mean over" not in line.scenario]
    over = means or points
    mean = math.fsum(line.rate for line in over) / len(over)
    reasons = []
    if test:
        worst = anywhere = max(points, key=lambda line: line.rate)
        if worst.rate - 2 * worst.error > TYPE_ONE:
            reasons.append(f"type I error {worst.rate:.3f}")
    else:
        anywhere = min(points, key=lambda line: line.rate)
        enough = [line for line in points if line.events >= EVENTS]
        worst = min(enough, key=lambda line: line.rate) if enough else None
        if mean + 2 * _mean_error(over) < MEAN:
            reasons.append(f"mean coverage {mean:.3f}")
        if worst is not None and worst.rate + 2 * worst.error < POINTWISE:
            low = [line for line in enough if line.rate + 2 * line.error < POINTWISE]
            reasons.append(f"below {POINTWISE} in {len(low)} of {len(enough)} cells with ≥ {EVENTS:g} events")
    return Judgement(
        family=lines[0].family, procedure=lines[0].procedure, kind=lines[0].kind, cells=len(over), mean=mean,
        worst=worst, worst_anywhere=anywhere, established=all(line.established for line in lines),
        reasons=tuple(reasons),
    )  # fmt: skip


def _mean_error(lines: Sequence[Line]) -> float:
    return math.sqrt(math.fsum(line.error**2 for line in lines)) / len(lines)
