"""Studies as pictures: learning curves with their bands, spread at small sizes."""

from __future__ import annotations

import math
import textwrap
from typing import Any, Literal

import numpy as np

from trueerror.inputs.options import check_word
from trueerror.plots.curve_words import series_name
from trueerror.plots.forests import domain_of
from trueerror.plots.labels import plain, shorten
from trueerror.plots.pictures import Axis, Band, Curves, Floats, Line, Mark, Whiskers
from trueerror.results.words import limits, number, percent, whole
from trueerror.studies.curve_shapes import SURE

SIZE = (520, 340)
# Points of a fitted curve.
STEPS = 80
# Learners' points stand beside each other by this factor on a logarithmic axis.
APART = 1.025


def learning_picture(curve: Any, *, show: Literal["curve", "spread"] = "curve") -> Curves:
    """Test error with intervals, the fitted curve with its band up to twice the data, and the training error dotted.

    show="spread": how far models of each size are from those of the largest (bias), and how much they vary (sd).
    """
    check_word(show, ("curve", "spread"), "show")
    return _curve_picture(curve) if show == "curve" else _spread_picture(curve)


def _curve_picture(curve: Any) -> Curves:
    sizes = np.asarray(curve.sizes, dtype=np.float64)
    ahead = 2.0 * curve.rows
    lines, bands, whiskers, marks = [], [], [], []
    drawn: list[float] = []
    for place, learner in enumerate(curve.learners):
        points = curve.of(learner)
        test, low, high, training = (
            np.array([getattr(p, f) for p in points]) for f in ("estimate", "low", "high", "training")
        )
        expected = curve.extrapolate(learner=learner)
        known = not math.isnan(expected.estimate)
        if known:
            x = np.geomspace(sizes[0], ahead, STEPS)
            middle, below, above = curve.band(learner, x)
            words = f"{percent(curve.confidence)} band of the fitted curve"
            bands.append(Band(x=x, low=below, high=above, name=words, series=place))
            marks.append(Mark(x=ahead, y=expected.estimate, shape="diamond", series=place))
            drawn += [*below.tolist(), *above.tolist()]
        else:
            x, middle = sizes, test
        told = f"{number(expected.estimate)} {limits(expected.low, expected.high)} at {whole(ahead)}"
        said = series_name(learner, told if known else "not extrapolated")
        lines.append(Line(x=x, y=middle, name=said, series=place))
        lines.append(_training_line(sizes, training, place))
        beside = sizes * APART ** (place - (len(curve.learners) - 1) / 2)
        tips = {"rows": sizes, curve.title: test, "low": low, "high": high, "on training rows": training}
        whiskers.append(
            Whiskers(x=beside, y=test, low=low, high=high, name=shorten(learner, 30), series=place, tips=tips)
        )
        drawn += [v for part in (test, low, high, training) for v in part.tolist()]
    drawn = [v for v in drawn if math.isfinite(v)]
    y = domain_of(drawn, (0.0, 1.0) if all(0 <= v <= 1 for v in drawn) else (-math.inf, math.inf))
    lines += [_last_size(float(sizes[-1]), y)] if bands else []
    lines += [_crossing_line(c, y) for c in curve.crossings if c.share >= SURE and not math.isnan(c.size)]
    subtitle = _verdict_lines(curve.verdict)
    beyond = f"; right of {whole(sizes[-1])} rows: extrapolated" if bands else ""
    subtitle.append(f"{curve.plan} of {whole(curve.rows)} rows{beyond}")
    who = f"{len(curve.learners)} learners" if len(curve.learners) > 1 else shorten(curve.learners[0], 40)
    return Curves(
        title=f"Learning curve of {who}",
        subtitle=tuple(subtitle),
        x=Axis(
            title="training rows", low=sizes[0] / 1.15, high=ahead * 1.1, scale="log", ticks=(*sizes.tolist(), ahead)
        ),
        y=Axis(title=plain(curve.title), low=y[0], high=y[1]),
        lines=tuple(lines),
        bands=tuple(bands),
        whiskers=tuple(whiskers),
        marks=tuple(marks),
        size=SIZE,
        empty_corner="upper right" if curve.metric == "error_rate" else "best",
    )


def _crossing_line(c: Any, y: tuple[float, float]) -> Line:
    """Where two learners change places."""
    return Line(
        x=np.array([c.size, c.size]), y=np.array(y), role="faint",
        words=f"cross at {c.size:,.0f} [{c.low:,.0f}, {c.high:,.0f}]", words_at=(c.size, y[1]), align="left",
        shift=(5.0, 10.0),
    )  # fmt: skip


def _last_size(size: float, y: tuple[float, float]) -> Line:
    """Where the rows end and the fitted curve goes on alone."""
    return Line(
        x=np.array([size, size]), y=np.array(y), role="faint", words="extrapolated →", words_at=(size, y[1]),
        align="left", shift=(5.0, -8.0),
    )  # fmt: skip


def _verdict_lines(verdict: str, room: int = 118) -> list[str]:
    return [part for line in verdict.split("\n") for part in textwrap.wrap(plain(line), room)][:8]


def _training_line(sizes: Floats, training: Floats, place: int) -> Line:
    return Line(x=sizes, y=training, name="on the training rows", role="aside", series=place)


def _spread_picture(curve: Any) -> Curves:
    sizes = np.asarray(curve.sizes, dtype=np.float64)
    lines, whiskers, drawn = [], [], [0.0]
    for place, learner in enumerate(curve.learners):
        points = curve.of(learner)
        for at, (field, words) in enumerate((("bias", "bias"), ("sd", "sd between test parts"))):
            values = np.array([getattr(p, field) for p in points])
            series = 2 * place + at
            lines.append(Line(x=sizes, y=values, name=series_name(learner, words), series=series))
            whiskers.append(Whiskers(x=sizes, y=values, name=words, series=series, tips={"rows": sizes, words: values}))
            drawn += [v for v in values.tolist() if math.isfinite(v)]
    low, high = domain_of(drawn)
    zero = Line(x=sizes[[0, -1]], y=np.zeros(2), role="reference")
    return Curves(
        title=f"{plain(curve.title)}: bias and spread of small training sets",
        subtitle=(
            f"bias: how far models of this size are from those of {whole(curve.sizes[-1])} rows, on average",
            "sd: how much the test parts of one size vary, by their rows and by their training sets",
        ),
        x=Axis(
            title="training rows", low=sizes[0] / 1.1, high=sizes[-1] * 1.1, scale="log", ticks=tuple(sizes.tolist())
        ),
        y=Axis(title=f"in points of {plain(curve.title)}", low=low, high=high),
        lines=(zero, *lines),
        whiskers=tuple(whiskers),
        size=SIZE,
    )


def overfitting_picture(view: Any) -> Curves:
    """Error on training rows and on held-out rows over the complexity parameter; overfitting settings are marked."""
    places = np.array([p.place for p in view.points])
    order = np.argsort(places)
    points = [view.points[i] for i in order]
    places = places[order]
    lines, whiskers, drawn = [], [], []
    for series, (field, words) in enumerate((("estimate", "on held-out rows"), ("training", "on training rows"))):
        ends = ("low", "high") if field == "estimate" else ("training_low", "training_high")
        middle, low, high = (np.array([getattr(p, f) for p in points]) for f in (field, *ends))
        lines.append(Line(x=places, y=middle, name=words, series=series))
        tips = {view.title: middle, "low": low, "high": high}
        whiskers.append(Whiskers(x=places, y=middle, low=low, high=high, name=words, series=series, tips=tips))
        drawn += [v for part in (middle, low, high) for v in part.tolist() if math.isfinite(v)]
    shares = all(0 <= v <= 1 for v in drawn)
    bottom, top = domain_of(drawn, (0.0, 1.0) if shares else (-math.inf, math.inf))
    marks = [
        Mark(x=p.place, y=p.estimate, shape="cross", words="overfits", align="center", shift=(0.0, -16.0))
        for p in points
        if p.setting in view.overfits
    ]
    best = view.best
    marks.append(Mark(x=best.place, y=best.estimate, shape="diamond", words="best", align="center", shift=(0.0, 18.0)))
    x, names = _settings_axis(view, points, places, bottom, top)
    return Curves(
        title=f"{plain(view.title)} over {plain(view.parameter)}",
        subtitle=(
            *_verdict_lines(view.verdict, 100),
            f"{view.plan}, {whole(view.size)} training rows; {percent(view.confidence)} intervals (corrected t)",
        ),
        x=x,
        y=Axis(title=plain(view.title), low=bottom, high=top),
        lines=(*names, *lines),
        whiskers=tuple(whiskers),
        marks=tuple(marks),
        size=SIZE,
    )


def _settings_axis(view: Any, points: list[Any], places: Floats, low: float, high: float) -> tuple[Axis, list[Line]]:
    """Numbers on an axis, logarithmic where they span much; names are written where they stand."""
    numbers = all(_is_number(p.setting, p.place) for p in points)
    title = plain(view.parameter)
    if not numbers:
        names = [
            Line(x=np.array([p.place, p.place]), y=np.array([low, high]), role="faint", words=shorten(p.setting, 16),
                 words_at=(p.place, low), align="center", shift=(0.0, 14.0))
            for p in points
        ]  # fmt: skip
        return Axis(title=" ", low=places[0] - 0.5, high=places[-1] + 0.5, ticks=(places[0] - 10,)), names
    ticks = tuple(places.tolist())
    if places[0] > 0 and places[-1] / places[0] >= 10:
        return Axis(title=title, low=places[0] / 1.25, high=places[-1] * 1.25, scale="log", ticks=ticks), []
    air = 0.06 * (places[-1] - places[0])
    return Axis(title=title, low=places[0] - air, high=places[-1] + air, ticks=ticks), []


def _is_number(setting: str, place: float) -> bool:
    try:
        return float(setting) == place
    except ValueError:
        return False
