"""Which findings come up in the samples of a cell: asked where an interval covers too little for want of events.

A finding that comes up whatever the rows is looked for in the first sample of every cell that misses its claim. Where
a cell asks the public functions, the warnings are those beside the answers that are wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any
from zlib import crc32

import numpy as np

from trueerror.findings import find
from validation.frame import Cell, Evident, Exact, Line, generator, wrong
from validation.judging import STANDING, ComesUp, Warned, misses, place, short_of_events

SAMPLES, WRONG_AMONG = 100, 400


def warned(units: Iterable[Cell | Exact], lines: Iterable[Line]) -> Warned:
    """For each cell that is short of events, or misses where a finding always comes up: how often each finding does."""
    judged = [line for line in lines if line.default and line.shown]
    wanted = {place(line) for line in judged if short_of_events(line)}
    missed = {place(line) for line in judged if misses(line)}
    found = {}
    for unit in units:
        scenarios = {unit.scenario: unit.evident} if isinstance(unit, Cell) else unit.evident
        for scenario, evident in scenarios.items():
            key = f"{unit.family}: {scenario}"
            if isinstance(unit, Cell) and unit.heard is not None and key in wanted | missed:
                found[key] = ComesUp(beside=_beside_wrong(unit, unit.heard))
            elif evident is not None and (key in wanted or (key in missed and _stands(key, evident))):
                found[key] = _asked(key, evident)
    return found


def _beside_wrong(cell: Cell, heard: Callable[[Any], Iterable[str]]) -> dict[str, dict[str, float]]:
    """For each default: of its wrong answers, the share with each warning, and with any of them (the empty code)."""
    rng = generator(cell, 0)
    often: dict[str, Counter[str]] = {p.name: Counter() for p in cell.procedures if p.default}
    errs: Counter[str] = Counter()
    for _ in range(WRONG_AMONG):
        sample = cell.draw(rng)
        for p in cell.procedures:
            if p.default and wrong(cell, p, sample):
                codes = set(heard(sample))
                errs[p.name] += 1
                often[p.name].update(codes | ({""} if codes else set()))
    return {name: {code: n / errs[name] for code, n in sorted(seen.items())} for name, seen in often.items()}


def _stands(key: str, evident: Evident) -> bool:
    rng = np.random.default_rng(crc32(key.encode()))
    return any(f.code in STANDING for f in find([evident(rng)]))


def _asked(key: str, evident: Evident) -> ComesUp:
    rng = np.random.default_rng(crc32(key.encode()))
    often: Counter[str] = Counter()
    about_size = 0
    for _ in range(SAMPLES):
        codes = {f.code for f in find([evident(rng)])}.intersection(ABOUT_SIZE + STANDING)
        often.update(codes)
        about_size += bool(codes.intersection(ABOUT_SIZE))
    return ComesUp(about_size / SAMPLES, {code: n / SAMPLES for code, n in sorted(often.items())})


# Findings that say: too few rows, classes without enough of them, too few events, too few clusters.
ABOUT_SIZE = ("TE101", "TE102", "TE104", "TE105", "TE202", "TE204", "TE211")
