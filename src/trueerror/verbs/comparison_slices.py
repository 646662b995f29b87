"""A comparison slice by slice: the same pairs on the rows of each slice, and what to beware of in reading them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.results import Contrast, Table
from trueerror.results.tables import one_line
from trueerror.results.words import filled, percent, whole
from trueerror.rows.predictions import Predictions
from trueerror.significance.multiplicity import adjust as adjusted
from trueerror.verbs.comparison import Comparison

WIDTH = 80
SHOWN = 20


def sliced(made: Comparison, p: Predictions, compared: Callable[[Predictions], Comparison]) -> Comparison:
    """The comparison with those of its slices, whose p-values are adjusted over all pairs of all slices together.

    A slice in which the metric is undefined for a model is left out, and `facts["slices_left_out"]` says why.
    """
    found: dict[Any, Comparison] = {}
    left_out: dict[Any, str] = {}
    for value in p.slices():
        try:
            found[value] = compared(p.slice(value))
        except InputError as error:
            left_out[value] = str(error)
    pairs = [c for inner in found.values() for c in inner.pairs]
    if made.adjust != "none" and len(pairs) > 1:
        values = iter(adjusted([c.p_value for c in pairs], made.adjust))  # type: ignore[arg-type]
        for value, inner in found.items():
            again = tuple(replace(c, p_adjusted=float(next(values))) for c in inner.pairs)
            found[value] = replace(inner, pairs=again)
    facts = {**made.facts, **({"slices_left_out": left_out} if left_out else {})}
    return replace(made, slices=found, facts=facts)


def shown_pair(cmp: Comparison) -> tuple[str, str]:
    """The pair that a table of slices shows: the leader and the reference, or the leader and the next."""
    if cmp.reference is not None:
        other = next(m for m in cmp.ranked if m != cmp.reference)
        return other, cmp.reference
    return cmp.ranked[0], cmp.ranked[1]


def slices_table(cmp: Comparison) -> Table:
    """The difference of two models in each slice."""
    from trueerror.verbs.comparison_words import decided, limits_words, points

    first, second = shown_pair(cmp)
    rows = []
    for value, inner in list(cmp.slices.items())[:SHOWN]:
        c: Contrast = inner[first, second]
        limits = limits_words(cmp, c)
        p = decided(c).removeprefix("p ").removeprefix("= ")
        rows.append((str(value), whole(int(c.n or 0)), points(cmp, c.estimate), limits, p))
    more = "" if len(cmp.slices) <= SHOWN else f" (the first {SHOWN} of {len(cmp.slices):,})"
    what = f"points of {cmp.title}" if cmp.facts.get("share") else cmp.title
    title = f"{one_line(first)} − {one_line(second)} in {what}, by slice{more}:"
    several = sum(len(inner.pairs) for inner in cmp.slices.values()) > 1 and cmp.adjust != "none"
    columns = ("slice", "rows", "difference", f"{percent(cmp.confidence)} interval", "adjusted p" if several else "p")
    return Table(columns=columns, rows=tuple(rows), title=filled(title, WIDTH))


def slices_text(cmp: Comparison) -> str:
    """The table, slices that were left out, and that a difference in one slice alone proves no interaction."""
    if not cmp.slices and not cmp.facts.get("slices_left_out"):
        return ""
    lines = [slices_table(cmp).text(WIDTH)] if cmp.slices else []
    for value, reason in cmp.facts.get("slices_left_out", {}).items():
        lines.append(filled(f"Left out: {one_line(str(value))}, {one_line(reason)}.", WIDTH))
    caution = (
        "What shows in one slice and not in another need not be a difference between the slices."
        if len(cmp.slices) > 1
        else ""
    )
    return "\n".join([*lines, *([filled(caution, WIDTH)] if caution else [])])
