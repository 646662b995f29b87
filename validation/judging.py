"""What is claimed of the defaults, and whether the lines bear it out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trueerror.findings.rules import every_rule
from validation.frame import Line

MEAN, POINTWISE, EVENTS, TYPE_ONE = 0.945, 0.925, 5.0, 0.055
# Coverage among the few samples in which a metric is defined says little.
MOSTLY_UNDEFINED = 0.5
# A finding that comes up in fewer of a cell's samples does not warn there.
WARNS = 0.9

# Findings that come up whatever the number of rows and events, since the condition they speak of cannot be seen in the
# rows: a cell that misses is warned of.
STANDING = tuple(code for code, rule in every_rule().items() if rule.standing)

# For each cell (family: scenario) the findings that come up there, with the share of samples in which one of them does.
Warned = Mapping[str, tuple[float, str]]


@dataclass(frozen=True)
class Judgement:
    """One default procedure over its grid, at 95 %."""

    family: str
    procedure: str
    kind: str
    cells: int
    mean: float  # over all cells
    mean_enough: float  # over cells with enough events; NaN where there is none
    worst: Line | None  # among cells with enough events (a test: among all)
    worst_anywhere: Line | None
    established: bool
    reasons: tuple[str, ...]
    findings: tuple[str, ...]  # which warn where coverage is below the claim for want of events
    standing: tuple[str, ...] = ()  # which warn where a claim is missed whatever the number of events
    spared: int = 0  # in so many cells

    @property
    def holds(self) -> bool:
        return not self.reasons

    @property
    def everywhere(self) -> bool:
        """Whether the claim holds without looking at the number of events."""
        short = self.kind == "interval" and (self.mean < MEAN or bool(self.findings))
        return self.holds and not short and not self.spared


def judge(lines: Sequence[Line], warned: Warned | None = None) -> list[Judgement]:
    """Every default procedure, in the order of the lines."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        counted = line.shown and line.undefined < MOSTLY_UNDEFINED
        # The truth of an alternative is an interval's business too; a test's error is not.
        level = line.purpose == "level" or line.kind == "interval"
        if line.default and line.confidence == 0.95 and counted and level:
            groups.setdefault((line.family, line.procedure), []).append(line)
    return [_judged(found, warned) for found in groups.values()]


def place(line: Line) -> str:
    """The name of a line's cell."""
    return f"{line.family}: {line.scenario}"


def short_of_events(line: Line) -> bool:
    """An interval that covers less than is claimed, in a cell for which nothing is claimed."""
    few = not line.events >= EVENTS
    return line.kind == "interval" and "mean over" not in line.scenario and few and _low(line)


def _low(line: Line) -> bool:
    return line.rate + 2 * line.error < POINTWISE


def misses(line: Line) -> bool:
    """What would spoil a mean or a maximum by more than two Monte Carlo errors."""
    return line.rate - 2 * line.error > TYPE_ONE if line.kind == "test" else line.rate + 2 * line.error < MEAN


def _standing(line: Line, warned: Warned | None) -> list[str]:
    share, codes = (warned or {}).get(place(line), (0.0, ""))
    return [code for code in codes.split() if code in STANDING and share >= WARNS and misses(line)]


def _judged(lines: list[Line], warned: Warned | None) -> Judgement:
    test = lines[0].kind == "test"
    means = [line for line in lines if "mean over" in line.scenario]
    points = [line for line in lines if "mean over" not in line.scenario]
    over = means or points
    mean = math.fsum(line.rate for line in over) / len(over)
    reasons: list[str] = []
    findings: dict[str, None] = {}
    standing = sorted({code for line in points for code in _standing(line, warned)})
    claimed = [line for line in points if not _standing(line, warned)]
    worst: Line | None
    mean_enough = math.nan
    if test:
        anywhere = max(points, key=lambda line: line.rate)
        worst = max(claimed, key=lambda line: line.rate) if claimed else None
        if worst is not None and worst.rate - 2 * worst.error > TYPE_ONE:
            reasons.append(f"type I error {worst.rate:.3f}")
    else:
        anywhere = min(points, key=lambda line: line.rate)
        enough = [line for line in claimed if line.events >= EVENTS]
        worst = min(enough, key=lambda line: line.rate) if enough else None
        counted = means or enough
        if counted:
            mean_enough = math.fsum(line.rate for line in counted) / len(counted)
            if mean_enough + 2 * _mean_error(counted) < MEAN:
                reasons.append(f"mean coverage {mean_enough:.3f}")
        if worst is not None and _low(worst):
            low = [line for line in enough if _low(line)]
            reasons.append(f"below {POINTWISE} in {len(low)} of {len(enough)} cells with ≥ {EVENTS:g} events")
        for line in claimed if warned is not None else ():
            if short_of_events(line):
                share, codes = (warned or {}).get(place(line), (0.0, ""))
                if share >= WARNS:
                    findings.update(dict.fromkeys(codes.split()))
                else:
                    reasons.append(f"{line.rate:.3f} at {line.scenario}, where no finding warns")
    return Judgement(
        family=lines[0].family, procedure=lines[0].procedure, kind=lines[0].kind, cells=len(over), mean=mean,
        mean_enough=mean_enough, worst=worst, worst_anywhere=anywhere,
        established=all(line.established for line in lines), reasons=tuple(dict.fromkeys(reasons)),
        findings=tuple(sorted(findings)), standing=tuple(standing), spared=len(points) - len(claimed),
    )  # fmt: skip


def _mean_error(lines: Sequence[Line]) -> float:
    return math.sqrt(math.fsum(line.error**2 for line in lines)) / len(lines)
