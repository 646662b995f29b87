"""What is claimed of the defaults, and whether the lines bear it out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from trueerror.findings._rules import every_rule
from validation.frame import POINTWISE, TYPE_ONE, Cell, Exact, Line

MEAN, EVENTS = 0.945, 5.0
# Coverage among the few samples in which a metric is defined says little.
MOSTLY_UNDEFINED = 0.5
# A finding that comes up in fewer of a cell's samples does not warn there; one of several is named from a quarter on.
WARNS, OFTEN = 0.9, 0.25

# Findings that come up whatever the number of rows and events, since the condition they speak of cannot be seen in the
# rows. They do not make a claim hold: a procedure that misses where one comes up is counted apart.
STANDING = tuple(code for code, rule in every_rule().items() if rule.standing)


@dataclass(frozen=True)
class ComesUp:
    """In what share of a cell's samples findings come up."""

    about_size: float = 0.0  # any of those about too few rows or events
    each: Mapping[str, float] = field(default_factory=dict)  # by code
    # Of a procedure's wrong answers, the share with each warning; the empty code is any of them.
    beside: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def warns(self, procedure: str) -> list[str]:
        """The warnings that stand beside nearly all of a procedure's wrong answers."""
        shares = self.beside.get(procedure, {})
        return [code for code, share in shares.items() if code and share >= OFTEN] if shares.get("", 0) >= WARNS else []


# By cell (family: scenario).
Warned = Mapping[str, ComesUp]

Verdict = Literal["everywhere", "from five events", "missed, warned", "missed", "not tested", "not established"]


@dataclass(frozen=True)
class Judgement:
    """One default procedure over its grid, at 95 %. Means and worst cells are over all cells, warned of or not."""

    family: str
    procedure: str
    kind: str
    cells: int
    mean: float  # over all cells
    mean_enough: float  # over cells with enough events; NaN where there is none
    worst: Line | None  # among cells with enough events (a test: among all)
    worst_anywhere: Line | None
    tested: bool  # whether any cell has enough events (a test: always)
    established: bool  # whether its cells have samples enough
    reasons: tuple[str, ...]  # claims that are missed without a finding
    findings: tuple[str, ...]  # which warn where coverage is below the claim for want of events
    standing: tuple[str, ...] = ()  # which come up where a claim is missed whatever the number of events
    spared: int = 0  # in so many cells
    reached: bool = True  # whether every cell of the grid was run

    @property
    def holds(self) -> bool:
        return self.tested and not self.reasons and not self.spared

    @property
    def everywhere(self) -> bool:
        """Whether the claim holds without looking at the number of events."""
        short = self.kind == "interval" and (self.mean < MEAN or bool(self.findings))
        return self.holds and not short

    @property
    def found(self) -> Verdict:
        """The verdict by the samples so far."""
        if self.reasons:
            return "missed"
        if self.spared:
            return "missed, warned"
        if not self.tested:
            return "not tested"
        return "everywhere" if self.everywhere else "from five events"

    @property
    def verdict(self) -> Verdict:
        """The one as which the procedure is counted: a cell that was not reached can undo anything but a miss."""
        missed = bool(self.reasons or self.spared)
        return self.found if self.established and (self.reached or missed) else "not established"


def judge(lines: Sequence[Line], warned: Warned | None = None, units: Iterable[Cell | Exact] = ()) -> list[Judgement]:
    """Every default procedure, in the order of the lines; with units, those that lack a cell are not established."""
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        counted = line.shown and line.undefined < MOSTLY_UNDEFINED
        # The truth of an alternative is an interval's business too; a test's error is not.
        level = line.purpose == "level" or line.kind == "interval"
        if line.default and line.confidence == 0.95 and counted and level:
            groups.setdefault((line.family, line.procedure), []).append(line)
    judged = [_judged(found, warned) for found in groups.values()]
    left = _not_reached(lines, units)
    return [replace(j, reached=False) if (j.family, j.procedure) in left else j for j in judged]


def _not_reached(lines: Sequence[Line], units: Iterable[Cell | Exact]) -> set[tuple[str, str]]:
    """Default procedures (family, name) of simulated cells that have no line yet."""
    there = {place(line) for line in lines}
    return {
        (unit.family, p.name)
        for unit in units
        if isinstance(unit, Cell) and unit.key not in there
        for p in unit.procedures
        if p.default and (unit.purpose == "level" or p.kind == "interval")
    }


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


def _come_up(line: Line, warned: Warned | None) -> ComesUp:
    return (warned or {}).get(place(line), ComesUp())


def _standing(line: Line, warned: Warned | None) -> list[str]:
    """The findings that come up in a cell whatever its rows, each by itself in nearly all samples, or beside nearly all
    answers that are wrong."""
    heard = _come_up(line, warned)
    always = [code for code, share in heard.each.items() if code in STANDING and share >= WARNS]
    return always + heard.warns(line.procedure)


@dataclass
class _Misses:
    """What fails a claim: without a finding, or in cells where one stands or comes with the wrong answers."""

    warned: Warned | None
    reasons: list[str] = field(default_factory=list)
    spared: dict[str, Line] = field(default_factory=dict)

    def split(self, lines: Sequence[Line]) -> list[Line]:
        """Cells that fail: those with a standing finding are noted, the others are given back."""
        self.spared.update((place(line), line) for line in lines if _standing(line, self.warned))
        return [line for line in lines if place(line) not in self.spared]


def _judged(lines: list[Line], warned: Warned | None) -> Judgement:
    means = [line for line in lines if "mean over" in line.scenario]
    points = [line for line in lines if "mean over" not in line.scenario]
    over = means or points
    found = _Misses(warned)
    findings: tuple[str, ...] = ()
    mean_enough, tested = math.nan, True
    worst: Line | None
    if lines[0].kind == "test":
        worst = anywhere = max(points, key=lambda line: line.rate)
        wrong = found.split([line for line in points if misses(line)])
        if wrong:
            found.reasons.append(f"type I error {max(line.rate for line in wrong):.3f}")
    else:
        anywhere = min(points, key=lambda line: line.rate)
        enough = [line for line in points if line.events >= EVENTS]
        worst = min(enough, key=lambda line: line.rate, default=None)
        counted = means or enough
        tested = bool(counted)
        mean_enough = _mean(counted)
        _mean_claim(counted, found)
        low = found.split([line for line in enough if _low(line)])
        if low:
            found.reasons.append(f"below {POINTWISE} in {len(low)} of {len(enough)} cells with ≥ {EVENTS:g} events")
        if warned is not None:
            findings = _few_events([line for line in points if short_of_events(line)], found)
    return Judgement(
        family=lines[0].family, procedure=lines[0].procedure, kind=lines[0].kind, cells=len(over), mean=_mean(over),
        mean_enough=mean_enough, worst=worst, worst_anywhere=anywhere, tested=tested,
        established=all(line.established for line in lines), reasons=tuple(dict.fromkeys(found.reasons)),
        findings=findings, spared=len(found.spared),
        standing=tuple(sorted({code for line in found.spared.values() for code in _standing(line, warned)})),
    )  # fmt: skip


def _mean_claim(counted: Sequence[Line], found: _Misses) -> None:
    """A mean that is too low is warned of where every cell that draws it down is, and the others bear the claim."""
    if not _short(counted):
        return
    down = [line for line in counted if misses(line)]
    unwarned = found.split(down)
    if unwarned or not down or _short([line for line in counted if line not in down]):
        found.reasons.append(f"mean coverage {_mean(counted):.3f}")


def _few_events(lines: Sequence[Line], found: _Misses) -> tuple[str, ...]:
    """The findings about size that warn in these cells; cells without one are a miss."""
    codes: set[str] = set()
    bare = []
    for line in lines:
        heard = _come_up(line, found.warned)
        if heard.about_size >= WARNS:
            codes.update(code for code, share in heard.each.items() if code not in STANDING and share >= OFTEN)
        elif heard.warns(line.procedure):
            codes.update(heard.warns(line.procedure))
        else:
            bare.append(line)
    found.reasons += [f"{line.rate:.3f} at {line.scenario}, where no finding warns" for line in found.split(bare)]
    return tuple(sorted(codes))


def _mean(lines: Sequence[Line]) -> float:
    return math.fsum(line.rate for line in lines) / len(lines) if lines else math.nan


def _short(lines: Sequence[Line]) -> bool:
    """Whether the mean misses by more than two Monte Carlo errors."""
    error = math.sqrt(math.fsum(line.error**2 for line in lines)) / max(1, len(lines))
    return bool(lines) and _mean(lines) + 2 * error < MEAN
