"""A learning curve in words: what twice the data would bring, who refuses to be extrapolated, who overtakes whom."""

from __future__ import annotations

import math
from typing import Any

from trueerror.metrics.registry import find_measure
from trueerror.results.tables import one_line
from trueerror.results.words import filled, limits, number, p_value, percent, whole
from trueerror.studies.curve_shapes import SURE

WIDTH = 80
EXPECTED = (
    "What is expected of more rows is the median of curves fitted to resampled splits, the form chosen anew for each; "
    "the formulas are fitted to the mean of all splits, so at the same size they may give a slightly different number."
)


def verdict(curve: Any) -> str:
    """One sentence for each learner, then the crossings."""
    lines = [learner_words(curve, name) for name in curve.learners]
    lines += [crossing_words(c) for c in curve.crossings if c.share >= SURE]
    if curve.stopped:
        lines.append(curve.stopped)
    return "\n".join(lines)


def learner_words(curve: Any, learner: str) -> str:
    """What to expect of twice the data, against what there is now."""
    last = curve.of(learner)[-1]
    ahead = curve.extrapolate(learner=learner)
    who = "" if len(curve.learners) == 1 else f"{one_line(learner)}: "
    now = f"{number(last.estimate)} {limits(last.low, last.high)} at {whole(last.size)}"
    if math.isnan(ahead.estimate):
        rise = curve.rise(learner)
        if not curve.well_behaved(learner):
            size = f"{abs(rise.estimate):.3f}"
            return (
                f"{who}more rows made it worse: {curve.title} loses {size} from {rise.second} to {rise.first} "
                f"({p_value(rise.p_adjusted)}), so the curve is not extrapolated. It is {now} rows."
            )
        reason = ahead.note.removeprefix("not extrapolated: ")
        return f"{who}{curve.title} is {now} rows; it is not extrapolated: {reason}."
    factor = 2 * curve.rows / last.size
    times = "" if abs(factor - 2) < 0.05 else f", {factor:.2g} times the largest size"
    higher = find_measure(curve.metric).higher_is_better
    gains = ahead.estimate > last.estimate if higher else ahead.estimate < last.estimate
    hope = "" if gains else ", so more rows are not expected to help"
    return (
        f"{who}at twice the data ({whole(2 * curve.rows)} rows{times}) expect {curve.title} {number(ahead.estimate)} "
        f"{limits(ahead.low, ahead.high)}; it is {now} rows{hope}."
    )


def crossing_words(c: Any) -> str:
    """Who is better below and above."""
    return (
        f"{one_line(c.second)} overtakes {one_line(c.first)} at about {c.size:,.0f} rows, plausibly {c.low:,.0f} to "
        f"{c.high:,.0f}."
    )


def in_words(curve: Any) -> str:
    """Verdict, table, and how it was made."""
    several = "the same subsets and test rows for all learners" if len(curve.learners) > 1 else "nested subsets"
    lead = (
        f"{whole(curve.rows)} rows, {len(curve.sizes)} sizes from {whole(curve.sizes[0])} to {whole(curve.sizes[-1])}"
    )
    head = filled(f"{lead}; {curve.plan}; {several}.", WIDTH)
    body = "\n".join(
        filled(line, WIDTH - 2, initial_indent="  ", subsequent_indent="  ") for line in verdict(curve).split("\n")
    )
    parts = [head, body, curve._table().text(WIDTH)]
    last = [
        f"Intervals of {percent(curve.confidence)} confidence, each size by itself. bias: how far models of that size "
        f"are from those of {whole(curve.sizes[-1])} rows; sd: how much single test parts vary."
    ]
    forms = [form_words(curve, name) for name in curve.learners if any(f.learner == name for f in curve.fits)]
    last += [f for f in forms if f]
    if any(forms):
        last.append(EXPECTED)
    last += list(curve.notes)
    return "\n\n".join([*parts, "\n".join(filled(line, WIDTH) for line in last)])


def form_words(curve: Any, learner: str) -> str:
    """The fitted curve, and how well each form foretold the largest sizes."""
    best = curve.best_form(learner)
    others = [f for f in curve.fits if f.learner == learner and f.form != best.form]
    shown = ", ".join(f"{f.form} {number(f.held_out)}" for f in others)
    who = "" if len(curve.learners) == 1 else f"{one_line(learner)}: "
    return f"{who}{best.form} {best.formula}; off by {number(best.held_out)} at sizes held out (others: {shown})."
