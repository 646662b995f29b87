"""A picture for each family: coverage or error against the number of events (the claim starts at five) or rows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from validation.frame import Line
from validation.judging import EVENTS, POINTWISE, TYPE_ONE

PICTURES = Path(__file__).parent / "pictures"
MOST_NAMES = 12


def slug(family: str) -> str:
    """A file name."""
    return re.sub(r"[^a-z0-9]+", "-", family.lower()).strip("-")


def picture(family: str, lines: Sequence[Line]) -> Path | None:
    """Draw the lines of a family at 95 %; None where there is nothing to place."""
    import altair as alt

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
    lowest = min(p["rate"] for p in points)
    highest = max(p["rate"] for p in points)
    domain = [0.0, max(0.1, min(1.0, 1.1 * highest))] if test else [max(0.0, min(0.85, lowest - 0.02)), 1.0]
    rules = [(0.05, "nominal"), (TYPE_ONE, "claim")] if test else [(0.95, "nominal"), (POINTWISE, "claim")]
    data: Any = alt.Data(values=points)
    title = "how often it rejects equal models" if test else "coverage of 95 % intervals"
    across = "expected events on the rarer side" if by_events else "rows"
    palette = alt.Scale(scheme="tableau10" if len(names) <= 10 else "tableau20")
    marks = (
        alt.Chart(data)
        .mark_point(filled=True, size=36, opacity=0.75)
        .encode(
            x=alt.X("across:Q", scale=alt.Scale(type="log"), title=across),
            y=alt.Y("rate:Q", scale=alt.Scale(domain=domain, clamp=True), title=title),
            color=alt.Color("procedure:N", title=None, sort=names, scale=palette, legend=alt.Legend(labelLimit=320)),
        )
    )
    level = alt.Chart(alt.Data(values=[{"y": y, "what": w} for y, w in rules]))
    ruled = level.mark_rule(color="#777777").encode(
        y="y:Q", strokeDash=alt.StrokeDash("what:N", legend=None, scale=alt.Scale(range=[[4, 3], [1, 0]]))
    )
    layers = ruled + marks
    if by_events:
        five = alt.Chart(alt.Data(values=[{"x": EVENTS}])).mark_rule(color="#777777", strokeDash=[4, 3]).encode(x="x:Q")
        layers = five + layers
    chart = layers.configure_axis(gridOpacity=0.4).properties(
        width=420, height=260, title={"text": family[0].upper() + family[1:], "anchor": "start"}
    )
    PICTURES.mkdir(exist_ok=True)
    path = PICTURES / f"{slug(family)}.svg"
    chart.save(str(path))
    return path
