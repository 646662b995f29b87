"""Scenarios with a known truth, procedures that are judged by it, and the lines that come out.

A cell is one scenario with the procedures that are tried on it. Samples come in blocks, each with a Philox generator
of its own that is keyed by the cell's name, so that a cell gives the same line in any order and on any number of
processes. A line says how often the truth lay below and above the limits, or how often a test rejected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from zlib import crc32

import numpy as np

BLOCK = 250
SEED = 20_240
CONFIDENCES = (0.95, 0.9, 0.99)
# A cell that was simulated less often is "not established".
ESTABLISHED = 10_000

Counts = dict[tuple[str, float], np.ndarray]
# What is counted for each procedure and confidence.
FIELDS = ("samples", "undefined", "no_limits", "below", "above", "widths", "finite", "rejected")


class Found(Protocol):
    """What an interval must tell."""

    @property
    def estimate(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


@dataclass(frozen=True)
class Procedure:
    """An interval (sample, confidence) → Found, or a test (sample, level) → whether it rejects."""

    name: str
    apply: Callable[[Any, float], Any]
    default: bool = True
    kind: Literal["interval", "test"] = "interval"
    target: str = ""  # which of the scenario's truths; the procedure's name where empty

    @property
    def truth_name(self) -> str:
        return self.target or self.name


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
    # Slow cells of a quick run take a part of the replications.
    effort: float = 1.0

    @property
    def key(self) -> str:
        return f"{self.family}: {self.scenario}"


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

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        if self.samples == 0:
            return 0.0
        judged = max(2.0, self.samples * (1 - self.undefined))
        p = min(max(self.rate, 1 / judged), 1 - 1 / judged)
        return math.sqrt(p * (1 - p) / judged)

    @property
    def established(self) -> bool:
        return self.samples == 0 or self.samples >= ESTABLISHED


def generator(cell: Cell, block: int) -> np.random.Generator:
    """The generator of one block of a cell's samples."""
    seed = np.random.SeedSequence(SEED, spawn_key=(crc32(cell.key.encode()), block))
    return np.random.Generator(np.random.Philox(seed))


def blocks(replications: int) -> int:
    return math.ceil(replications / BLOCK)


def run_block(cell: Cell, block: int) -> Counts:
    """Draw the samples of one block and judge every procedure by each."""
    rng = generator(cell, block)
    found: Counts = {(p.name, c): np.zeros(len(FIELDS)) for p in cell.procedures for c in cell.confidences}
    for _ in range(BLOCK):
        sample = cell.draw(rng)
        for p in cell.procedures:
            for confidence in cell.confidences:
                if p.kind == "test":
                    _judge_test(found[p.name, confidence], p.apply(sample, 1 - confidence))
                else:
                    _judge_interval(found[p.name, confidence], p.apply(sample, confidence), cell.truth[p.truth_name])
    return found


def _judge_test(counts: np.ndarray, rejects: bool) -> None:
    counts[0] += 1
    counts[7] += bool(rejects)


def _judge_interval(counts: np.ndarray, made: Found, truth: float) -> None:
    counts[0] += 1
    if math.isnan(made.estimate):
        counts[1] += 1
    elif math.isnan(made.low) or math.isnan(made.high):
        counts[2] += 1
    else:
        # Rounding must not decide whether a limit that equals the truth holds it.
        dust = 1e-12 * max(1.0, abs(truth))
        counts[3] += truth < made.low - dust
        counts[4] += truth > made.high + dust
        if math.isfinite(made.high - made.low):
            counts[5] += made.high - made.low
            counts[6] += 1


def added(first: Counts, second: Counts) -> Counts:
    """The counts of two blocks."""
    return {key: first[key] + second[key] for key in first}


def lines(cell: Cell, counts: Counts) -> list[Line]:
    """The results of a cell; samples in which a metric is undefined are left out, and their share is told."""
    made = []
    for p in cell.procedures:
        for confidence in cell.confidences:
            samples, undefined, no_limits, below, above, widths, finite, rejected = counts[p.name, confidence].tolist()
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
                )
            )
    return made
