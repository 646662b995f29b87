"""An experiment as a picture: every learner on every data set, its interval over the scores of its test parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from trueerror.experiments._summary import constant_name, constant_value
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import find_measure
from trueerror.plots._specs import Forest, Panel
from trueerror.plots._style import fold, plain, shorten
from trueerror.plots.compose.forests import MOST_ROWS, how_words, interval_row, make_panel
from trueerror.results._format import number

# More panels than this under each other are a list, not a picture.
MOST_PANELS = 12


def summary_forest(summary: Any, *, metric: str | None = None) -> Forest:
    """A panel for each data set and metric, the learners in the same order in each; dots are test parts."""
    estimates = [e for e in summary.estimates if metric is None or e.metric == find_measure(metric).name]
    if not estimates:
        known = list(dict.fromkeys(e.metric for e in summary.estimates))
        if not known:
            raise InputError("there is nothing to plot: no learner could be judged")
        raise InputError(f"{metric!r} is not in this summary{nearest(str(metric), known)}")
    places = list(dict.fromkeys((e.data, e.metric) for e in estimates))
    several = len({data for data, _ in places}) > 1
    panels = [
        _panel(summary, [e for e in estimates if (e.data, e.metric) == (data, name)], several)
        for data, name in places[:MOST_PANELS]
    ]
    subtitle = [*fold(summary.overall, 115, lines=3)] if summary.overall else []
    if not subtitle and len(summary.verdicts) == 1:
        subtitle += fold(next(iter(summary.verdicts.values())), 115, lines=4)
    subtitle += how_words([e.interval for e in estimates])
    counts = sorted({len(e.parts) for e in estimates} - {0})
    if counts:
        subtitle.append(f"dots: the {counts[0]:,} test parts" if len(counts) == 1 else "dots: test parts")
    if len(places) > MOST_PANELS:
        subtitle.append(f"the first {MOST_PANELS} of {len(places)} panels")
    learners = len({e.learner for e in estimates})
    title = f"{learners} learner{'s' * (learners != 1)}" + (f" on {len(summary.verdicts)} data sets" if several else "")
    return Forest(title=title, subtitle=tuple(subtitle), panels=tuple(panels))


def _panel(summary: Any, estimates: Sequence[Any], several: bool) -> Panel:
    measure, data = find_measure(estimates[0].metric), estimates[0].data
    lead = f"{plain(data)}: " if several else ""
    rows = [
        replace(interval_row(plain(e.learner), e.interval), points=tuple(v for v in e.parts if math.isfinite(v)))
        for e in estimates[:MOST_ROWS]
    ]
    better = "higher" if measure.higher_is_better else "lower"
    heading = f"{lead}{measure.title} ({better} is better)"
    constant = constant_value(summary, data, measure.name)
    made = make_panel(rows, axis="", heading=heading, within=measure.range)
    if constant is None:
        return made
    name = shorten(plain(constant_name(summary, data)), 24)
    low, high = made.domain
    # A line far away would press the intervals together: then its place is told in words.
    if not low - (high - low) <= constant <= high + (high - low):
        return replace(made, heading=f"{heading}; {name}: {number(constant)}")
    return make_panel(rows, axis="", heading=heading, references=((constant, name),), within=measure.range)
