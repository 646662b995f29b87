"""Curves of a ranking as pictures: precision and recall, their gains, lift and gains, misses and false alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.plots.curve_words import Named, heading, series_name, sizes_words
from trueerror.plots.forests import domain_of
from trueerror.plots.labels import plain
from trueerror.plots.pictures import Axis, Band, Curves, Floats, Line
from trueerror.results.words import limits, number, percent

# Between two points further apart than this share of the recall, the curved path of mixtures is drawn.
LONG_STEP = 1 / 200
STEPS = 12


def precision_recall_picture(
    named: Named, *, band: bool = False, iso_f: Sequence[float] = (0.2, 0.4, 0.6, 0.8)
) -> Curves:
    """Precision against recall, with the prevalence (a random ranking) and lines of equal F1."""
    lines = []
    for f, (recall, precision) in named[0][1].iso_f(iso_f).items():
        words = f"F1 {f:g}"
        # The end of the line is at the right edge; outside of it no curve runs through the words.
        end = (1.0, f / (2 - f))
        lines.append(Line(x=recall, y=precision, role="faint", words=words, words_at=end, shift=(5.0, 0.0)))
    for level in sorted({round(c.prevalence, 12) for _, c in named}):
        lines.append(
            Line(x=np.array([0.0, 1.0]), y=np.array([level, level]), role="reference",
                 words=f"random: prevalence {number(level)}", words_at=(0.01, level), shift=(0.0, 9.0))
        )  # fmt: skip
    areas = [c.average_precision() for _, c in named]
    bands = []
    for place, (name, c) in enumerate(named):
        x, y, thresholds = davis_goadrich_path(c)
        shown = series_name(name, f"AP {number(areas[place].estimate)} {limits(areas[place].low, areas[place].high)}")
        tips = {"threshold": thresholds, "recall": x, "precision": y}
        lines.append(Line(x=x, y=y, name=shown, series=place, tips=tips))
        if band:
            low, high = c.band()
            bands.append(Band(x=c.recall, low=low, high=high, name="95 % pointwise band (Wilson)", series=place))
    return Curves(
        title=heading("Precision and recall", named),
        subtitle=(_area_words("average precision", areas, named), sizes_words(named)),
        x=Axis(title="recall: share of the positives that are found"),
        y=Axis(title="precision: share of the found that are positive"),
        lines=tuple(lines),
        bands=tuple(bands),
    )


def davis_goadrich_path(curve: Any) -> tuple[Floats, Floats, Floats]:
    """(recall, precision, threshold) along the curve; between points FP grows in proportion to TP, as in mixtures.

    The points put in between have no threshold (NaN).
    """
    tp, fp = curve._tp, curve._fp
    total = float(tp[-1])
    x, y, cuts = curve.recall, curve.precision, np.asarray(curve.thresholds, dtype=np.float64)
    long = np.flatnonzero(np.diff(tp[1:]) > LONG_STEP * total) + 1
    if len(long):
        part = np.arange(1, STEPS) / STEPS
        inner_tp = tp[long][:, None] + part * (tp[long + 1] - tp[long])[:, None]
        inner_fp = fp[long][:, None] + part * (fp[long + 1] - fp[long])[:, None]
        at = np.repeat(long, len(part))
        x = np.insert(x, at, (inner_tp / total).ravel())
        y = np.insert(y, at, (inner_tp / (inner_tp + inner_fp)).ravel())
        cuts = np.insert(cuts, at, np.nan)
    if x[0] > 0:
        # Nothing else can be had by calling fewer: level to recall 0.
        x, y, cuts = (np.concatenate(([first], rest)) for first, rest in ((0.0, x), (y[0], y), (np.inf, cuts)))
    return x, y, cuts


def gain_picture(named: Named) -> Curves:
    """Precision gain against recall gain; the part where both are positive."""
    lines = [
        Line(
            x=np.array([0.0, 1.0]), y=np.array([1.0, 0.0]), role="reference", words="F1 gain 0.5", words_at=(0.5, 0.5)
        ),
    ]
    for place, (name, c) in enumerate(named):
        tips = {"threshold": c.thresholds, "recall gain": c.recall_gain, "precision gain": c.precision_gain}
        lines.append(Line(x=c.recall_gain, y=c.precision_gain, name=series_name(name), series=place, tips=tips))
    return Curves(
        title=heading("Precision and recall gain", named),
        subtitle=("0 is what calling every row positive gets, 1 is perfect", sizes_words(named)),
        x=Axis(title="recall gain"),
        y=Axis(title="precision gain"),
        lines=tuple(lines),
    )


def gains_picture(named: Named) -> Curves:
    """Cumulative gains with the random and the perfect ranking."""
    lines = [
        Line(x=np.array([0.0, 1.0]), y=np.array([0.0, 1.0]), role="reference", words="random", words_at=(0.75, 0.75),
             shift=(8.0, 6.0)),
        *_perfect(named, "found"),
    ]  # fmt: skip
    for place, (name, c) in enumerate(named):
        at = c.at(share=0.1)
        words = f"top 10 %: {percent(round(at.estimate, 3))}"
        tips = {"threshold": c.thresholds, "share of the rows": c.share, "positives found": c.found}
        lines.append(Line(x=c.share, y=c.found, name=series_name(name, words), series=place, tips=tips))
    return Curves(
        title=heading("Cumulative gains", named),
        subtitle=_top_words(named, "gain"),
        x=Axis(title="share of the rows called, highest scores first"),
        y=Axis(title="share of the positives found"),
        lines=tuple(lines),
    )


def lift_picture(named: Named) -> Curves:
    """Lift with the random and the perfect ranking."""
    highest = max(float(c.lift.max()) for _, c in named)
    top = max(1.25, 1.1 * highest)
    lines = [
        Line(x=np.array([0.0, 1.0]), y=np.array([1.0, 1.0]), role="reference", words="random", words_at=(0.01, 1.0),
             shift=(0.0, 9.0)),
        *_perfect(named, "lift", top),
    ]  # fmt: skip
    for place, (name, c) in enumerate(named):
        words = f"top 10 %: {c.at(share=0.1).estimate:.3g} times"
        tips = {"threshold": c.thresholds, "share of the rows": c.share, "lift": c.lift}
        lines.append(Line(x=c.share, y=c.lift, name=series_name(name, words), series=place, tips=tips))
    return Curves(
        title=heading("Lift", named),
        subtitle=_top_words(named, "lift"),
        x=Axis(title="share of the rows called, highest scores first"),
        y=Axis(title="positives found, as a multiple of random", low=0.0, high=top),
        lines=tuple(lines),
    )


def det_picture(named: Named) -> Curves:
    """Misses against false alarms on normal-deviate axes."""
    x, y = (_deviate_range([getattr(c, rate) for _, c in named]) for rate in ("fpr", "fnr"))
    ends = np.array([min(x[0], y[0]), max(x[1], y[1])])
    top = min(x[1], y[1])
    lines = [
        Line(
            x=ends,
            y=ends,
            role="reference",
            words="misses = false alarms",
            words_at=(top, top),
            align="right",
            shift=(-8.0, 0.0),
        ),
    ]
    for place, (name, c) in enumerate(named):
        tips = {"threshold": c.thresholds, "false alarms": c.fpr, "misses": c.fnr}
        lines.append(Line(x=c.fpr, y=c.fnr, name=series_name(name), series=place, tips=tips))
    return Curves(
        title=heading("Detection error tradeoff", named),
        subtitle=("axes by normal quantiles", sizes_words(named)),
        x=Axis(title="false alarms: share of the negatives called", low=x[0], high=x[1], scale="deviate"),
        y=Axis(title="misses: share of the positives not called", low=y[0], high=y[1], scale="deviate"),
        lines=tuple(lines),
    )


def measure_picture(named: Named) -> Curves:
    """Any measure against any other over the threshold, where both are finite."""
    lines = []
    first = named[0][1]
    x_title, y_title = (plain(n).replace("_", " ") for n in (first.x_name, first.y_name))
    for place, (name, c) in enumerate(named):
        if (c.x_name, c.y_name) != (first.x_name, first.y_name):
            raise InputError(f"one picture shows {y_title} against {x_title}, not {c.y_name} against {c.x_name} too")
        there = np.isfinite(c.x) & np.isfinite(c.y)
        if not there.any():
            raise InputError(f"{y_title} against {x_title} has no point at which both are defined")
        tips = {"threshold": c.thresholds[there], x_title: c.x[there], y_title: c.y[there]}
        lines.append(Line(x=c.x[there], y=c.y[there], name=series_name(name), series=place, tips=tips))
    axes = []
    for title, all_values in ((x_title, [one.x for one in lines]), (y_title, [one.y for one in lines])):
        values = np.concatenate(all_values)
        inside = bool(((values >= 0) & (values <= 1)).all())
        low, high = (0.0, 1.0) if inside else domain_of([float(values.min()), float(values.max())])
        axes.append(Axis(title=title, low=low, high=high))
    return Curves(
        title=heading(f"{y_title} against {x_title}", named), subtitle=(sizes_words(named),), x=axes[0], y=axes[1],
        lines=tuple(lines), size=(440, 360),
    )  # fmt: skip


def _deviate_range(rates: Sequence[Floats]) -> tuple[float, float]:
    """From below the smallest rate that occurs to above the largest, without 0 and 1."""
    inside = np.concatenate([r[(r > 0) & (r < 1)] for r in rates])
    if not len(inside):
        return 0.01, 0.99
    return max(1e-6, float(inside.min()) / 1.5), min(1 - 1e-6, max(0.55, 1 - (1 - float(inside.max())) / 1.5))


def _perfect(named: Named, what: str, top: float = 1.0) -> list[Line]:
    """The perfect ranking, once for each prevalence."""
    made = []
    for level in sorted({round(c.prevalence, 12) for _, c in named}):
        c = next(c for _, c in named if round(c.prevalence, 12) == level)
        x, y = c.perfect()
        # Beside the corner of the perfect line, or where that line enters the picture.
        corner = (level, 1.0) if what == "found" else (max(level, 1 / top), min(top, 1 / level))
        shift = (8.0, 12.0) if what == "found" else (10.0, 6.0)
        made.append(Line(x=x, y=y, role="reference", words="perfect", words_at=corner, shift=shift))
    return made


def _top_words(named: Named, what: str) -> tuple[str, ...]:
    if len(named) > 1:
        return (sizes_words(named),)
    at = named[0][1].at(share=0.1)
    if what == "lift":
        range_words = f"{at.estimate:.3g} [{at.low:.3g}, {at.high:.3g}]"
        return (f"the top 10 % hold {range_words} times as many positives as random rows", sizes_words(named))
    low, high = (percent(round(v, 3)) for v in (at.low, at.high))
    return (f"the top 10 % hold {percent(round(at.estimate, 3))} [{low}, {high}] of the positives", sizes_words(named))


def _area_words(what: str, areas: Sequence[Any], named: Named) -> str:
    if len(named) > 1:
        return f"{what} with {percent(areas[0].confidence)} intervals in the legend"
    area = areas[0]
    return f"{what} {number(area.estimate)} {limits(area.low, area.high)} ({percent(area.confidence)} {area.method})"
