"""ROC curves as pictures: curves, hull, the line of equal cost through the chosen point, averages over folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.plots.curve_words import Named, heading, series_name
from trueerror.plots.pictures import Axis, Curves, Line, Whiskers
from trueerror.results.words import limits, number, percent

UNIT = np.array([0.0, 1.0])
FPR = "false positive rate: share of the negatives called"
TPR = "true positive rate: share of the positives called"
# Error bars of an averaged curve, spread along it.
BARS = 11


def diagonal() -> Line:
    """What chance reaches."""
    return Line(x=UNIT, y=UNIT, role="reference", words="chance", words_at=(0.72, 0.72), shift=(9.0, 7.0))


def average_picture(named: Named) -> Curves:
    """Curves averaged over folds, with error bars where the averaging was done."""
    lines, whiskers = [diagonal()], []
    for place, (name, c) in enumerate(named):
        area = c.auc()
        words = f"mean AUC {number(area.estimate)} {limits(area.low, area.high)}"
        tips = {"false positive rate": c.fpr, "true positive rate": c.tpr}
        if c.thresholds is not None:
            tips = {"threshold": c.thresholds, **tips}
        lines.append(Line(x=c.fpr, y=c.tpr, name=series_name(name, words), series=place, tips=tips))
        some = np.unique(np.linspace(0, len(c.fpr) - 1, BARS).round().astype(int))
        arms: dict[str, Any] = {}
        for side, low, high in (("tpr", "low", "high"), ("fpr", "left", "right")):
            ends = [getattr(c, f"{side}_{end}")[some] for end in ("low", "high")]
            if not np.isnan(ends[0]).all():
                arms |= {low: ends[0], high: ends[1]}
        whiskers.append(Whiskers(x=c.fpr[some], y=c.tpr[some], name=name, series=place, **arms))
    first = named[0][1]
    folds = f"{first.how} averages of {len(first.areas)} curves, bars: {percent(first.confidence)} t-intervals"
    area = first.auc()
    own = (f"mean AUC {number(area.estimate)} {limits(area.low, area.high)}",) if len(named) == 1 else ()
    return Curves(
        title=heading("Averaged ROC curve" if len(named) == 1 else "Averaged ROC curves", named),
        subtitle=(*own, folds),
        x=Axis(title=FPR),
        y=Axis(title=TPR),
        lines=tuple(lines),
        whiskers=tuple(whiskers),
    )
