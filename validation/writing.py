"""RESULTS.md and the summary on the screen, from lines alone."""

from __future__ import annotations

import datetime
import math
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from validation.frame import ESTABLISHED, Line
from validation.judging import EVENTS, MEAN, POINTWISE, TYPE_ONE, Judgement, judge

RESULTS = Path(__file__).parent / "RESULTS.md"


def _rate(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}".lstrip("0") if value < 1 else "1.0000"


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table in columns of even width."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    shown = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in lines]
    shown.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(shown)


def summary(lines: Sequence[Line]) -> str:
    """Every default at 95 %, with its mean and its worst scenario."""
    return table(
        ("family", "default", "cells", "mean", f"worst (≥ {EVENTS:g} events)", "where", "worst anywhere", "claim"),
        (_summary_row(j) for j in judge(lines)),
    )


def _summary_row(j: Judgement) -> tuple[str, ...]:
    verdict = "holds" if j.holds else "**missed**: " + "; ".join(j.reasons)
    worst, anywhere = j.worst, j.worst_anywhere
    return (
        j.family,
        j.procedure,
        str(j.cells),
        _rate(j.mean),
        "" if worst is None else _rate(worst.rate),
        "no cell has so many" if worst is None else worst.scenario,
        "" if anywhere is None or anywhere is worst else f"{_rate(anywhere.rate)} ({anywhere.scenario})",
        verdict if j.established else f"{verdict} (not established)",
    )


def details(lines: Sequence[Line]) -> str:
    """The lines of one family at 95 %."""
    test = all(line.kind == "test" for line in lines)
    header = ("scenario", "procedure", "events", "rejects" if test else "coverage", "±")
    if not test:
        header += ("truth", "truth below", "truth above", "mean width", "undefined")
    rows = []
    for line in lines:
        cells: tuple[str, ...] = (
            line.scenario,
            line.procedure if line.default else f"{line.procedure} (not the default)",
            _number(line.events),
            _rate(line.rate),
            "exact" if line.replications == 0 else f"{2 * line.error:.4f}".lstrip("0"),
        )
        if not test:
            cells += (
                _number(line.truth),
                _rate(line.below),
                _rate(line.above),
                _number(line.width),
                "" if line.undefined == 0 else _rate(line.undefined),
            )
        rows.append(cells)
    return table(header, rows)


def _other_confidences(lines: Sequence[Line]) -> str:
    """Mean coverage at other confidences, over the cells in which they were tried."""
    groups: dict[tuple[str, str, float], list[float]] = {}
    for line in lines:
        whole = line.replications > 0 or "mean over" in line.scenario
        if line.default and line.kind == "interval" and line.confidence != 0.95 and whole and line.undefined < 0.5:
            groups.setdefault((line.family, line.procedure, line.confidence), []).append(line.rate)
    rows = (
        (family, procedure, f"{confidence:.0%}", str(len(rates)), _rate(sum(rates) / len(rates)), _rate(min(rates)))
        for (family, procedure, confidence), rates in groups.items()
    )
    return table(("family", "default", "confidence", "cells", "mean", "least"), rows)


def write(lines: Sequence[Line], *, command: str, took: float) -> None:
    """RESULTS.md."""
    judged = judge(lines)
    missed = [j for j in judged if not j.holds]
    replications = {
        line.replications + round(line.undefined * line.replications) for line in lines if line.replications
    }
    least = min(replications, default=0)
    words = f"{len(judged)} default procedures: {len(judged) - len(missed)} hold their claim, {len(missed)} miss it."
    if least < ESTABLISHED:
        words += f" Cells with fewer than {ESTABLISHED:,} replications are not established."
    stated = (
        f"Claims, at nominal 95 %: mean coverage over the grid at least {MEAN}, and at least {POINTWISE} in every cell "
        f"in which {EVENTS:g} or more events are expected on each side of the metric's own denominator; type I error "
        f"of tests at 5 % at most {TYPE_ONE}. A claim is missed when it fails by more than two Monte Carlo errors. "
        "Samples in which a metric is undefined are left out, and cells in which most are do not count; limits that "
        "cannot be told count as a miss. `truth below` and `truth above` are the two tails, ± is twice the Monte Carlo "
        "error, and `exact` is enumeration of all samples."
    )
    parts = [
        "# Validation",
        "Generated by `make validate`; do not edit.",
        f"- Command: `{command}`, {took:.0f} s, {datetime.date.today().isoformat()}\n"
        f"- Versions: Python {platform.python_version()}, trueerror {version('trueerror')}, NumPy {version('numpy')}, "
        f"SciPy {version('scipy')}\n"
        "- Samples: Philox generators keyed by the cell's name; the same for any number of processes",
        f"**{words}**",
        stated,
        "## Defaults",
        summary(lines),
    ]
    others = [line for line in lines if line.confidence != 0.95]
    if others:
        parts += ["## Other confidences", _other_confidences(lines)]
    for family in dict.fromkeys(line.family for line in lines):
        own = [line for line in lines if line.family == family and line.confidence == 0.95]
        parts += [f"## {family[0].upper()}{family[1:]}", details(own)]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
