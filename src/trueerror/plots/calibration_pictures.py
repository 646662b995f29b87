"""Calibration as a picture: what was observed against what was forecast, and how often each forecast was made."""

from __future__ import annotations

import numpy as np

from trueerror.plots.curve_words import Named, heading, series_name, sizes_words
from trueerror.plots.pictures import Axis, Curves, Histogram, Line, Whiskers
from trueerror.results.words import limits, number, percent

UNIT = np.array([0.0, 1.0])


def calibration_picture(named: Named) -> Curves:
    """Bins with intervals around the diagonal, the isotonic fit behind them, and a histogram for one model."""
    lines = [
        Line(x=UNIT, y=UNIT, role="reference", words="calibrated", words_at=(0.8, 0.8), shift=(8.0, 8.0)),
    ]
    whiskers = []
    for place, (name, c) in enumerate(named):
        tips = {
            "mean forecast": c.forecast,
            "share positive": c.observed,
            "low": c.low,
            "high": c.high,
            "rows": c.sizes,
        }
        slope = c.slope()
        words = f"slope {number(slope.estimate)} {limits(slope.low, slope.high)}"
        if len(named) == 1:
            lines.append(Line(x=np.asarray(c.table.scores), y=c.isotonic(), role="faint"))
        lines.append(Line(x=c.forecast, y=c.observed, name=series_name(name, words), series=place))
        whiskers.append(
            Whiskers(x=c.forecast, y=c.observed, low=c.low, high=c.high, name=name, series=place, tips=tips)
        )
    histogram = None
    if len(named) == 1:
        edges, positives, negatives = named[0][1].histogram(20)
        histogram = Histogram(
            edges=edges, first=positives, second=negatives, names=("positive", "negative"), axis="rows"
        )
    return Curves(
        title=heading("Calibration", named),
        subtitle=_words(named),
        x=Axis(title="mean forecast"),
        y=Axis(title="share that was positive"),
        lines=tuple(lines),
        whiskers=tuple(whiskers),
        histogram=histogram,
        size=(420, 380),
    )


def _words(named: Named) -> tuple[str, ...]:
    level = percent(named[0][1].confidence)
    if len(named) > 1:
        return (f"bins with {level} intervals; a slope of 1 is right, below 1 is overconfident", sizes_words(named))
    c = named[0][1]
    slope, large = c.slope(), c.in_the_large()
    return (
        f"slope {number(slope.estimate)} {limits(slope.low, slope.high)} (1 is right), in the large "
        f"{number(large.estimate)} {limits(large.low, large.high)} (0 is right)",
        f"bins with {level} intervals; grey: isotonic fit; {sizes_words(named)}",
    )
