"""A picture for each family: coverage or error against the number of events (the claim starts at five) or rows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trueerror.plots._figure import Figure
from trueerror.plots._specs import Axis, Curves, Whiskers
from trueerror.plots._specs import Line as Rule
from validation.frame import Line
from validation.judging import EVENTS, POINTWISE, TYPE_ONE

PICTURES = Path(__file__).parent / "pictures"
MOST_NAMES = 12


def slug(family: str) -> str:
    """A file name."""
    return re.sub(r"[^a-z0-9]+", "-", family.lower()).strip("-")


def picture(family: str, lines: Sequence[Line]) -> Path | None:
    """Draw the lines of a family at 95 %; None where there is nothing to place."""
    test = all(line.kind == "test" for line in lines)
    usable = [x for x in lines if x.confidence == 0.95 and x.undefined < 0.5 and "mean over" not in x.scenario]
    usable = [x for x in usable if x.purpose == "level" or x.kind == "interval"]
    usable = [x for x in usable if x.kind == ("test" if test else "interval")]
    by_events = sum(x.events > 0 for x in usable) > 0.7 * len(usable) and not test
    points = []
    for x in usable:
        across = x.events if by_events else x.n
        if math.isfinite(across) and across > 0:
            points.append({"across": across, "rate": x.rate, "procedure": x.procedure, "scenario": x.scenario})
    if not points:
        return None
    names = list(dict.fromkeys(p["procedure"] for p in points))
    if len(names) > MOST_NAMES:
        defaults = {x.procedure for x in usable if x.default}
        names = [n for n in names if n in defaults] or names[:MOST_NAMES]
        points = [p for p in points if p["procedure"] in names]
    rates = [p["rate"] for p in points]
    y = (0.0, max(0.1, min(1.0, 1.1 * max(rates)))) if test else (max(0.0, min(0.85, min(rates) - 0.02)), 1.0)
    across = [p["across"] for p in points]
    x = min(across) / 1.3, max(across) * 1.3
    levels = ((0.05, "nominal"), (TYPE_ONE, "claim")) if test else ((0.95, "nominal"), (POINTWISE, "claim"))
    lines = [
        Rule(x=np.array(x), y=np.array([level, level]), role="reference" if words == "nominal" else "faint",
             words=words, words_at=(x[1], level), shift=(5.0, 0.0))
        for level, words in levels
    ]  # fmt: skip
    if by_events and x[0] < EVENTS < x[1]:
        lines.append(Rule(x=np.array([EVENTS, EVENTS]), y=np.array(y), role="reference"))
    dots = []
    for series, name in enumerate(names):
        own = [p for p in points if p["procedure"] == name]
        at = np.array([[p["across"], min(max(p["rate"], y[0]), y[1])] for p in own])
        dots.append(Whiskers(x=at[:, 0], y=at[:, 1], name=name, series=series))
    chart = Curves(
        title=family[0].upper() + family[1:],
        x=Axis(title="expected events on the rarer side" if by_events else "rows", low=x[0], high=x[1], scale="log"),
        y=Axis(
            title="how often it rejects equal models" if test else "coverage of 95 % intervals", low=y[0], high=y[1]
        ),
        lines=tuple(lines),
        whiskers=tuple(dots),
        size=(420, 260),
    )
    PICTURES.mkdir(exist_ok=True)
    return Figure(chart).save(PICTURES / f"{slug(family)}.svg")
