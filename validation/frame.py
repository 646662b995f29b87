"""Scenarios with a known truth, procedures that are judged by it, and the lines that come out.

A cell is one scenario with the procedures that are tried on it. Samples come in blocks, each with a Philox generator
of its own that is keyed by the cell's name, so that a cell gives the same line in any order and on any number of
processes. An `Exact` is a part of a family in which every possible sample is looked at, each with its probability. A
line says how often the truth lay below and above the limits, or how often a test rejected.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal, Protocol
from zlib import crc32

import numpy as np

BLOCK = 500
SEED = 20_240
CONFIDENCES = (0.95, 0.9, 0.99)
# The claims about each cell: coverage at nominal 95 %, type I error at 5 %.
POINTWISE, TYPE_ONE = 0.925, 0.055
# The full size of a cell; where a sample takes long (learners are fitted anew), a fifth.
ESTABLISHED, ESTABLISHED_LEARNERS = 10_000, 2_000
# From so many samples on, a cell is decided where its rate is so many Monte Carlo errors away from what is claimed.
LEAST, LEAST_LEARNERS, SURE = 2_000, 500, 4.0
# A cell is looked at after so many samples, and at its full size: few looks, so that four errors are not met by chance.
ROUNDS = (500, 1_000, 2_000, 4_000)
# So many samples tell whether the code still answers as it did when a cell was run.
PROBED = 12

# What is counted for each procedure and confidence, and how often each method stood in the answer.
FIELDS = (
    "samples", "undefined", "no_limits", "below", "above", "widths", "finite", "rejected", "sizes", "squared_widths",
    "errors", "squared_errors",
)  # fmt: skip


@dataclass
class Tally:
    """The counts of one procedure at one confidence."""

    values: np.ndarray = field(default_factory=lambda: np.zeros(len(FIELDS)))
    methods: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.values + other.values, self.methods + other.methods)


Counts = dict[tuple[str, float], Tally]


class Found(Protocol):
    """What an interval must tell."""

    @property
    def estimate(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


# A method where it does not belong: shown in RESULTS.md, never cited as what is known of the method.
MISUSED = "misused"


@dataclass(frozen=True)
class Procedure:
    """An interval (sample, confidence) → Found, or a test (sample, level) → whether it rejects."""

    name: str
    apply: Callable[[Any, float], Any]
    default: bool = True
    kind: Literal["interval", "test"] = "interval"
    target: str = ""  # which of the scenario's truths; the procedure's name where empty
    method: str = ""  # the catalogue's key, where the answers do not name it; MISUSED where they should not

    @property
    def truth_name(self) -> str:
        return self.target or self.name


class Later(Mapping[str, float]):
    """Truths that take a while: each is found when it is first asked for."""

    def __init__(self, **finders: Callable[[], float]) -> None:
        self.finders = finders

    def __getitem__(self, target: str) -> float:
        return self.finders[target]()

    def __iter__(self) -> Iterator[str]:
        return iter(self.finders)

    def __len__(self) -> int:
        return len(self.finders)


# The evidence that the linter would have of a sample drawn by this generator.
Evident = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Cell:
    """One scenario: how a sample is drawn, what is true there, and how many events stand behind each truth."""

    family: str
    scenario: str
    draw: Callable[[np.random.Generator], Any]
    procedures: tuple[Procedure, ...]
    truth: Mapping[str, float] = field(default_factory=dict)
    events: Mapping[str, float] = field(default_factory=dict)
    confidences: tuple[float, ...] = CONFIDENCES
    wanted: int = ESTABLISHED
    # Run to its full size, whatever is settled before: widths are looked at, too.
    whole: bool = False
    block: int = BLOCK
    # Slow cells of a quick run take a part of the replications.
    effort: float = 1.0
    n: float = math.nan
    purpose: str = "level"
    # Cells of rank 1 are run before those of rank 2, and so on: a run that is stopped has seen every family.
    rank: int = 1
    evident: Evident | None = None
    # The warnings that stand beside the public answer to a sample, where that is what was asked.
    heard: Callable[[Any], Iterable[str]] | None = None

    @property
    def key(self) -> str:
        return f"{self.family}: {self.scenario}"


@dataclass(frozen=True)
class Exact:
    """A part of a family that is enumerated; `probe` gives a few of the numbers that its lines rest on."""

    family: str
    name: str
    make: Callable[[], Iterable[Line]]
    probe: Callable[[], Iterable[float]]
    rank: int = 0
    evident: Mapping[str, Evident] = field(default_factory=dict)  # by scenario

    @property
    def key(self) -> str:
        return f"{self.family}: {self.name}"


@dataclass(frozen=True)
class Line:
    """One result. Rates are exact where `samples` is 0 (enumerated)."""

    family: str
    scenario: str
    procedure: str
    kind: str
    default: bool
    confidence: float
    truth: float
    events: float
    rate: float  # coverage of an interval, or how often a test rejected
    below: float = math.nan  # the truth lay below the lower limit
    above: float = math.nan  # the truth lay above the upper limit
    width: float = math.nan
    undefined: float = 0.0  # the share of samples in which the metric was undefined, which are left out
    samples: int = 0
    n: float = math.nan  # the rows that the answers spoke of, on average
    method: str = ""  # the catalogue's key of the method that most answers named
    metric: str = ""
    needed: int = ESTABLISHED
    shown: bool = True  # points of a fine grid go into the table that is shipped, not into RESULTS.md
    purpose: str = "level"  # "power": how often a test finds a difference that is there
    width_error: float = math.nan  # Monte Carlo standard error of the mean width
    spread: float = math.nan  # standard deviation of the estimate over samples

    @property
    def over_oracle(self) -> float:
        """The mean width in that of limits which know the sampling error, ± 1.96 of it at 95 %."""
        wide = 2 * NormalDist().inv_cdf((1 + self.confidence) / 2) * self.spread
        return self.width / wide if wide > 0 else math.nan

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        if self.samples == 0:
            return 0.0
        judged = max(2.0, self.samples * (1 - self.undefined))
        p = min(max(self.rate, 1 / judged), 1 - 1 / judged)
        return math.sqrt(p * (1 - p) / judged)

    @property
    def measured(self) -> bool:
        """Whether it has samples enough to be cited with their number, whichever side of a claim it is on."""
        return self.samples == 0 or self.samples >= (LEAST if self.needed >= ESTABLISHED else LEAST_LEARNERS)

    @property
    def established(self) -> bool:
        """Whether it is enumerated, or of full size, or has samples enough to be far on one side of what is claimed."""
        if self.samples == 0 or self.samples >= self.needed:
            return True
        claimed = self.default and self.confidence == 0.95 and (self.kind == "interval" or self.purpose == "level")
        off = abs(self.rate - (TYPE_ONE if self.kind == "test" else POINTWISE))
        return self.measured and (not claimed or off >= SURE * self.error)


def generator(cell: Cell, block: int) -> np.random.Generator:
    """The generator of one block of a cell's samples."""
    seed = np.random.SeedSequence(SEED, spawn_key=(crc32(cell.key.encode()), block))
    return np.random.Generator(np.random.Philox(seed))


def blocks(cell: Cell, replications: int) -> int:
    return max(1, math.ceil(replications / cell.block))


def run_block(cell: Cell, block: int) -> Counts:
    """Draw the samples of one block and judge every procedure by each; at other confidences the least are enough."""
    rng = generator(cell, block)
    confidences = cell.confidences if block * cell.block < LEAST else cell.confidences[:1]
    found: Counts = {(p.name, c): Tally() for p in cell.procedures for c in cell.confidences}
    for _ in range(cell.block):
        sample = cell.draw(rng)
        for p in cell.procedures:
            for confidence in confidences:
                if p.kind == "test":
                    _judge_test(found[p.name, confidence], p.apply(sample, 1 - confidence))
                else:
                    _judge_interval(found[p.name, confidence], p.apply(sample, confidence), cell.truth[p.truth_name])
    return found


def probe(cell: Cell) -> list[float]:
    """What the procedures answer on the first samples of a cell: the same numbers as long as the code is the same."""
    rng = generator(cell, 0)
    seen: list[float] = []
    for _ in range(min(PROBED, cell.block)):
        sample = cell.draw(rng)
        for p in cell.procedures:
            for confidence in cell.confidences:
                made = p.apply(sample, 1 - confidence if p.kind == "test" else confidence)
                seen += [float(made)] if p.kind == "test" else [made.estimate, made.low, made.high]
    return seen


def wrong(cell: Cell, p: Procedure, sample: Any) -> bool:
    """Whether a procedure errs on a sample at 95 %: no limits, or none with the truth; equal models told apart."""
    if p.kind == "test":
        return cell.purpose == "level" and bool(p.apply(sample, 0.05))
    tally = Tally()
    _judge_interval(tally, p.apply(sample, 0.95), cell.truth[p.truth_name])
    return bool(tally.values[2:5].any())


def _judge_test(tally: Tally, rejects: bool) -> None:
    tally.values[0] += 1
    tally.values[7] += bool(rejects)


def _judge_interval(tally: Tally, made: Found, truth: float) -> None:
    counts = tally.values
    counts[0] += 1
    if math.isnan(made.estimate):
        counts[1] += 1
        return
    counts[8] += getattr(made, "n", None) or 0
    tally.methods[str(getattr(made, "method", ""))] += 1
    if math.isnan(made.low) or math.isnan(made.high):
        counts[2] += 1
    else:
        # Rounding must not decide whether a limit that equals the truth holds it.
        dust = 1e-12 * max(1.0, abs(truth))
        counts[3] += truth < made.low - dust
        counts[4] += truth > made.high + dust
        if math.isfinite(made.high - made.low):
            counts[5] += made.high - made.low
            counts[6] += 1
            counts[9] += (made.high - made.low) ** 2
    if math.isfinite(made.estimate):
        counts[10] += made.estimate - truth
        counts[11] += (made.estimate - truth) ** 2


def added(first: Counts, second: Counts) -> Counts:
    """The counts of two blocks."""
    return {key: first[key] + second[key] for key in first}


def settled(cell: Cell, counts: Counts) -> bool:
    """Whether more samples of a cell would not change what is said of its procedures."""
    return not cell.whole and all(line.established for line in lines(cell, counts))


def lines(cell: Cell, counts: Counts) -> list[Line]:
    """The results of a cell; samples in which a metric is undefined are left out, and their share is told."""
    made = []
    for p in cell.procedures:
        for confidence in cell.confidences:
            tally = counts[p.name, confidence]
            samples, undefined, no_limits, below, above, widths, finite, rejected, sizes = tally.values.tolist()[:9]
            squared_widths, errors, squared_errors = tally.values.tolist()[9:]
            judged = max(1.0, samples - undefined)
            test = p.kind == "test"
            made.append(
                Line(
                    family=cell.family,
                    scenario=cell.scenario,
                    procedure=p.name,
                    kind=p.kind,
                    default=p.default,
                    confidence=confidence,
                    truth=cell.truth.get(p.truth_name, math.nan),
                    events=cell.events.get(p.truth_name, math.nan),
                    rate=rejected / judged if test else 1 - (below + above + no_limits) / judged,
                    below=math.nan if test else below / judged,
                    above=math.nan if test else above / judged,
                    width=widths / finite if finite else math.nan,
                    undefined=undefined / samples,
                    samples=int(samples),
                    n=cell.n if test else sizes / judged or cell.n,
                    method=p.method or (tally.methods.most_common(1)[0][0] if tally.methods else ""),
                    metric=p.truth_name,
                    needed=max(cell.wanted, ESTABLISHED_LEARNERS),
                    purpose=cell.purpose,
                    width_error=_deviation(widths, squared_widths, finite) / math.sqrt(max(finite, 1.0)),
                    spread=_deviation(errors, squared_errors, judged),
                )
            )
    return made


def _deviation(total: float, squares: float, n: float) -> float:
    """The standard deviation by sums; NaN of nothing."""
    return math.sqrt(max(squares / n - (total / n) ** 2, 0.0)) if n > 1 and squares > 0 else math.nan
