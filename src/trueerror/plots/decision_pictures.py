"""Curves about decisions as pictures: costs, net benefit, the Brier curve, risk against coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trueerror.plots.curve_words import Named, heading, series_name, sizes_words
from trueerror.plots.pictures import Axis, Curves, Line
from trueerror.results import Interval
from trueerror.results.words import limits, listing, number, percent, whole

# A cost curve of one model also shows its thresholds' lines, at most so many.
THRESHOLD_LINES = 16
UNIT = np.array([0.0, 1.0])


def cost_curve_picture(named: Named) -> Curves:
    """The lower envelope over all class distributions and costs, within the triangle of the constant classifiers."""
    lines = [
        Line(
            x=UNIT,
            y=UNIT,
            role="reference",
            words="call nothing",
            words_at=(0.44, 0.44),
            align="right",
            shift=(-10.0, 0.0),
        ),
        Line(x=UNIT, y=1 - UNIT, role="reference", words="call everything", words_at=(0.56, 0.44), shift=(10.0, 0.0)),
    ]
    if len(named) == 1:
        curve = named[0][1]
        places = np.unique(np.linspace(0, len(curve.fpr) - 1, THRESHOLD_LINES).round().astype(int))
        lines += [Line(x=UNIT, y=np.array([curve.fpr[i], curve.fnr[i]]), role="faint") for i in places]
    for place, (name, c) in enumerate(named):
        pc = c.envelope[0]
        # The envelope's corners, and points between them for the pointer.
        grid = np.union1d(pc, np.linspace(0, 1, 101))
        tips = {"PC": grid, "lowest cost": c.cost(grid)}
        lines.append(Line(x=grid, y=c.cost(grid), name=series_name(name), series=place, tips=tips))
    grey = ("grey: single thresholds",) if len(named) == 1 else ()
    return Curves(
        title=heading("Cost curve", named),
        subtitle=(
            "lower is cheaper; each point takes the threshold that is best there on these rows",
            ", ".join((sizes_words(named), *grey)),
        ),
        x=Axis(title="PC: weight of the positives, P(+)·cost of a miss, as a share"),
        y=Axis(title="normalised expected cost", low=0.0, high=0.55),
        lines=tuple(lines),
        size=(460, 340),
    )


def decision_curve_picture(named: Named) -> Curves:
    """Net benefit of acting on the forecasts, against acting on all and on none."""
    lines = []
    highest = 0.0
    for c in {(round(c.act_on_all[0], 12), len(c.thresholds)): c for _, c in named}.values():
        inside = c.act_on_all >= -0.5
        lines.append(Line(x=c.thresholds[inside], y=c.act_on_all[inside], role="reference"))
        highest = max(highest, float(c.act_on_all.max()))
    first = named[0][1]
    share = float(first.prevalence if first.prior is None else first.prior)
    highest = max([highest] + [float(c.net_benefit.max()) for _, c in named])
    low = -0.12 * (highest or 1.0)
    # Acting on all passes 0 at t = prevalence; below 0 there is room for words.
    at = (share, 0.55 * low)
    lines[0] = replace(lines[0], words="act on all", words_at=at, shift=(9.0, 0.0))
    lines.append(
        Line(
            x=UNIT,
            y=0 * UNIT,
            role="reference",
            words="act on none",
            words_at=(0.99, 0.0),
            align="right",
            shift=(0.0, 9.0),
        )
    )
    for place, (name, c) in enumerate(named):
        tips = {"threshold": c.thresholds, "net benefit": c.net_benefit, "acting on all": c.act_on_all}
        lines.append(Line(x=c.thresholds, y=c.net_benefit, name=series_name(name), series=place, tips=tips))
    subtitle = [sizes_words(named)]
    if len(named) == 1:
        ranges = [f"{number(a)} to {number(b)}" for a, b in first.useful()]
        better = f"from {listing(ranges[:4])}" if ranges else "at no threshold shown"
        subtitle.insert(0, f"better than acting on all and on none {better}")
    return Curves(
        title=heading("Decision curve", named),
        subtitle=tuple(subtitle),
        x=Axis(title="threshold probability: act from this forecast up"),
        y=Axis(title="net benefit per row", low=low, high=1.08 * (highest or 1.0)),
        lines=tuple(lines),
        size=(460, 340),
    )


def brier_curve_picture(named: Named) -> Curves:
    """The loss of the forecasts as they are, and after recalibration, at every ratio of the costs."""
    areas = [c.area() for _, c in named]
    lines, highest = [], 0.0
    for place, (name, c) in enumerate(named):
        x, y = c.points
        highest = max(highest, float(y.max()))
        words = f"Brier score {number(areas[place].estimate)} {limits(areas[place].low, areas[place].high)}"
        lines.append(
            Line(x=x, y=y, name=series_name(name, words), series=place, tips={"cost proportion": x, "loss": y})
        )
    if len(named) == 1:
        c = named[0][1]
        grid = np.linspace(0, 1, 201)
        best = c.best_loss(grid)
        middle = int(np.argmax(best))
        lines.append(
            Line(x=grid, y=best, role="reference", words="best cutoff on these rows",
                 words_at=(float(grid[middle]), float(best[middle])), align="center", shift=(0.0, 12.0))
        )  # fmt: skip
    return Curves(
        title=heading("Brier curve", named),
        subtitle=_brier_words(named, areas),
        x=Axis(title="cost proportion: a false alarm’s share of both costs; cut there"),
        y=Axis(title="loss", low=0.0, high=1.08 * (highest or 1.0)),
        lines=tuple(lines),
        size=(460, 340),
    )


def _brier_words(named: Named, areas: list[Interval]) -> tuple[str, ...]:
    if len(named) > 1:
        return ("the area under each curve is its Brier score", sizes_words(named))
    area = areas[0]
    words = f"its area is the Brier score, {number(area.estimate)} {limits(area.low, area.high)}"
    return (words, sizes_words(named))


def risk_coverage_picture(named: Named) -> Curves:
    """Share of wrong answers among the most confident share of the rows."""
    lines, highest = [], 0.0
    for place, (name, c) in enumerate(named):
        half = c.at(coverage=0.5)
        words = f"{percent(round(1 - half.estimate, 3))} wrong in the surest half"
        tips = {"confidence from": c.thresholds, "share answered": c.coverage, "share wrong": c.risk}
        lines.append(Line(x=c.coverage, y=c.risk, name=series_name(name, words), series=place, tips=tips))
        # The first few answers swing between all right and all wrong; the axis is made for the rest.
        highest = max(highest, float(c.risk[c.coverage >= 0.02].max(initial=0.0)))
    subtitle = [f"{whole(named[0][1].n)} rows"]
    if len(named) == 1:
        shown = [named[0][1].at(coverage=share) for share in (1.0, 0.8, 0.5)]
        parts = [
            f"{percent(round(1 - i.estimate, 3))} [{percent(round(1 - i.high, 3))}, {percent(round(1 - i.low, 3))}]"
            for i in shown
        ]
        subtitle = [
            f"wrong: {parts[0]} of all, {parts[1]} of the surest 80 %, {parts[2]} of the surest half",
            f"{whole(named[0][1].n)} rows, 95 % intervals",
        ]
    return Curves(
        title=heading("Risk and coverage", named),
        subtitle=tuple(subtitle),
        x=Axis(title="coverage: share of the rows answered, surest first"),
        y=Axis(title="risk: share of the answers that are wrong", low=0.0, high=min(1.0, 1.15 * highest) or 1.0),
        lines=tuple(lines),
        size=(460, 340),
    )
