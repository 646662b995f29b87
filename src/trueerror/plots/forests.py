"""Results as forests: intervals under each other, with zero, baselines and margins where they matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.plots.labels import plain, shorten
from trueerror.plots.pictures import Forest, ForestRow, Panel
from trueerror.results import Contrast, Interval
from trueerror.results.words import listing, number, p_value, percent, whole

# More rows than this under each other are a list, not a picture.
MOST_ROWS = 60


def intervals_forest(
    given: Interval | Sequence[Interval] | Mapping[Any, Interval],
    *,
    reference: float | None = None,
    reference_name: str = "",
    title: str | None = None,
) -> Forest:
    """One interval or several; with a mapping its keys are the names."""
    named = _named(given)
    names = list(dict.fromkeys(plain(i.name) for _, i in named))
    # One interval is named by the title and the axis already.
    alone = isinstance(given, Interval)
    rows = tuple(interval_row("" if alone else label, interval) for label, interval in named)
    heading = names[0] if len(names) == 1 else "Intervals"
    references = () if reference is None else ((float(reference), reference_name or number(reference)),)
    return Forest(
        title=heading if title is None else title,
        subtitle=how_words([i for _, i in named]),
        panels=tuple(_panels(rows, axis=names[0] if len(names) == 1 else "estimate", references=references)),
    )


def contrasts_forest(
    given: Contrast | Sequence[Contrast] | Mapping[Any, Contrast],
    *,
    margin: float | None = None,
    title: str | None = None,
) -> Forest:
    """Differences with the line of no difference, and the band of differences that do not matter."""
    if isinstance(given, Mapping):
        named = [(plain(k), c) for k, c in given.items()]
    else:
        several = [given] if isinstance(given, Contrast) else list(given)
        named = [(f"{plain(c.first)} − {plain(c.second)}", c) for c in several]
    rows = tuple(interval_row(label, c, signed=True, more=p_words(c)) for label, c in named)
    names = list(dict.fromkeys(plain(c.name) for _, c in named))
    first = named[0][1]
    heading = names[0] if len(names) == 1 else "differences"
    if len(named) == 1:
        heading = f"{shorten(first.first, 30)} against {shorten(first.second, 30)}: {heading}"
    subtitle = list(how_words([c for _, c in named], more=", not adjusted for the number of comparisons"))
    if margin is not None:
        subtitle.append(f"shaded: differences up to ±{number(abs(margin))} do not matter")
    return Forest(
        title=heading if title is None else title,
        subtitle=tuple(subtitle),
        panels=tuple(
            _panels(
                rows,
                axis="difference, first − second",
                references=((0.0, "no difference"),),
                margin=None if margin is None else (-abs(margin), abs(margin)),
                shares=False,
            )
        ),
    )


def make_panel(
    rows: Iterable[ForestRow],
    *,
    axis: str,
    heading: str = "",
    references: tuple[tuple[float, str], ...] = (),
    margin: tuple[float, float] | None = None,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Panel:
    """A panel whose axis shows every estimate, finite limit and reference, and never goes beyond `within`."""
    kept = tuple(rows)
    # The open end of a one-sided interval is an arrow to the edge, wherever that is.
    ends = [
        (r.estimate, *([r.low] if r.side != "upper" else []), *([r.high] if r.side != "lower" else []), *r.points)
        for r in kept
    ]
    shown = [v for row in ends for v in row if math.isfinite(v)]
    shown += [v for v, _ in references] + ([*margin] if margin else [])
    return Panel(
        rows=kept, axis=axis, heading=heading, references=references, margin=margin, domain=domain_of(shown, within)
    )


def domain_of(values: Sequence[float], within: tuple[float, float] = (-math.inf, math.inf)) -> tuple[float, float]:
    """The range of an axis: all values with a little air, but not beyond the range that the number can have.

    >>> domain_of([0.8, 0.9], (0, 1))
    (0.792, 0.908)
    >>> domain_of([1.0], (0, 1))
    (0.95, 1)
    """
    if not values:
        return (max(0.0, within[0]), min(1.0, within[1])) if within[0] < 1 and within[1] > 0 else (0.0, 1.0)
    low, high = min(values), max(values)
    air = 0.08 * (high - low) or 0.05 * (abs(high) or 1.0)
    left, right = max(low - air, within[0]), min(high + air, within[1])
    return (round(left, 12), round(right, 12)) if left < right else (left - 0.5, right + 0.5)


def _panels(
    rows: tuple[ForestRow, ...],
    *,
    axis: str,
    references: tuple[tuple[float, str], ...] = (),
    margin: tuple[float, float] | None = None,
    shares: bool = True,
) -> list[Panel]:
    if not rows:
        raise InputError("there is nothing to plot: no interval was given")
    kept = rows[:MOST_ROWS]
    values = [v for r in kept if r.drawn for v in (r.estimate, r.low, r.high)]
    # A share stays within its range; nobody should see an axis that ends at 1.04.
    values += [v for v, _ in references]
    within = (0.0, 1.0) if shares and all(0 <= v <= 1 for v in values) else (-math.inf, math.inf)
    left_out = len(rows) - len(kept)
    heading = f"the first {len(kept)} of {len(rows):,}" if left_out else ""
    return [make_panel(kept, axis=axis, heading=heading, references=references, margin=margin, within=within)]


def _named(given: Interval | Sequence[Interval] | Mapping[Any, Interval]) -> list[tuple[str, Interval]]:
    if isinstance(given, Mapping):
        return [(plain(k), i) for k, i in given.items()]
    several = [given] if isinstance(given, Interval) else list(given)
    return [(plain(i.name), i) for i in several]


def interval_row(label: str, i: Interval, *, signed: bool = False, more: str = "", aside: bool = False) -> ForestRow:
    words = words_of(i, signed=signed) + (f" · {more}" if more else "")
    return ForestRow(
        label=label, estimate=i.estimate, low=i.low, high=i.high, side=i.side, words=words, tip=plain(str(i)),
        aside=aside,
    )  # fmt: skip


def words_of(i: Interval, *, signed: bool = False) -> str:
    """An interval in as few words as can stand beside its line."""

    def say(x: float) -> str:
        sign = "+" if signed and x > 0 else ""
        return sign + number(x).replace("-", "−")

    if math.isnan(i.estimate):
        return f"undefined{': ' + shorten(i.note, 60) if i.note else ''}"
    if math.isnan(i.low) and math.isnan(i.high):
        return f"{say(i.estimate)}, no interval"
    if i.side == "lower" or math.isinf(i.high):
        return f"{say(i.estimate)}, at least {say(i.low)}"
    if i.side == "upper" or math.isinf(i.low):
        return f"{say(i.estimate)}, at most {say(i.high)}"
    return f"{say(i.estimate)} [{say(i.low)}, {say(i.high)}]"


def p_words(c: Contrast) -> str:
    """The p-value, adjusted where it was."""
    if c.p_adjusted is not None:
        return p_value(c.p_adjusted, at_most=c.p_at_most) + " adj."
    return "" if math.isnan(c.p_value) else p_value(c.p_value, at_most=c.p_at_most)


def how_words(intervals: Sequence[Interval], more: str = "") -> tuple[str, ...]:
    """Level, methods and sizes in one line; `more` is said of several."""
    levels = sorted({i.confidence for i in intervals})
    methods = sorted({i.method for i in intervals if i.method})
    sizes = {i.n for i in intervals}
    noun = "interval" if len(intervals) == 1 else f"intervals{more}"
    how = f"{listing([percent(v) for v in levels])} {noun}"
    if methods:
        how += f" ({', '.join(methods[:3])}{', …' if len(methods) > 3 else ''})"
    size = next(iter(sizes))
    return (how + (f", n = {whole(size)}" if len(sizes) == 1 and size is not None else ""),)
