"""Results as forests, intervals under each other: intervals and contrasts, evaluations, comparisons (or all pairs as a
matrix), experiments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueerror.experiments._summary import constant_name, constant_value
from trueerror.inputs._options import InputError, check_word, nearest
from trueerror.metrics._registry import find_measure
from trueerror.people._agreement import BARS
from trueerror.plots._specs import Forest, ForestRow, Heat, Panel
from trueerror.plots._text import distinct, first_sentence, plain, shorten
from trueerror.results import Contrast, Interval
from trueerror.results._format import (
    brief,
    brief_names,
    capitalised,
    in_points,
    key_names,
    listing,
    number,
    p_value,
    percent,
    percents,
    whole,
    with_limits,
)
from trueerror.results._values import short_percent
from trueerror.verbs._comparison import points, together_words, unit
from trueerror.verbs._evaluation import best_parts_first

if TYPE_CHECKING:
    from trueerror.experiments._summary import LearnerEstimate, Summary
    from trueerror.people._agreement import RaterAgreement
    from trueerror.people._arena import Arena
    from trueerror.people._repeats import Repeats
    from trueerror.verbs._comparison import Comparison
    from trueerror.verbs._evaluation import Evaluation, ModelEvaluation
    from trueerror.verbs._gaps import Gap, Gaps
    from trueerror.verbs._gate import Gate
    from trueerror.verbs._training_gap import TrainingGap

# More rows than this under each other are a list, not a picture.
MOST_ROWS = 60


def intervals_forest(
    given: Interval | Sequence[Interval] | Mapping[str, Interval],
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
        panels=(_cut_panel(rows, axis=names[0] if len(names) == 1 else "estimate", references=references),),
    )


def contrasts_forest(
    given: Contrast | Sequence[Contrast] | Mapping[str, Contrast],
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
    names, first = list(dict.fromkeys(plain(c.name) for _, c in named)), named[0][1]
    heading = names[0] if len(names) == 1 else "differences"
    if len(named) == 1:
        heading = f"{shorten(first.first, 30)} against {shorten(first.second, 30)}: {heading}"
    alone = "" if all(math.isfinite(c.low_alone) for _, c in named) else ", not adjusted for the number of comparisons"
    subtitle = list(how_words([c for _, c in named], more=alone))
    if margin is not None:
        subtitle.append(f"shaded: differences up to ±{number(abs(margin))} do not matter")
    return Forest(
        title=heading if title is None else title,
        subtitle=tuple(subtitle),
        panels=(
            _cut_panel(
                rows,
                axis="difference, first − second",
                references=((0.0, "no difference"),),
                margin=None if margin is None else (-abs(margin), abs(margin)),
                shares=False,
            ),
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
    values = [v for row in ends for v in row if math.isfinite(v)]
    values += [v for v, _ in references] + ([*margin] if margin else [])
    return Panel(
        rows=kept, axis=axis, heading=heading, references=references, margin=margin, domain=domain_of(values, within)
    )


def domain_of(values: Sequence[float], within: tuple[float, float] = (-math.inf, math.inf)) -> tuple[float, float]:
    """The range of an axis: all values with a little air, but not beyond the range that the number can have.

    >>> domain_of([0.8, 0.9], (0, 1))
    (0.792, 0.908)
    >>> domain_of([1.0], (0, 1))
    (0.95, 1)
    >>> domain_of([3.0, 4.0], (0, 1))
    (2.92, 4.08)
    """
    if not values:
        return (max(0.0, within[0]), min(1.0, within[1])) if within[0] < 1 and within[1] > 0 else (0.0, 1.0)
    low, high = min(values), max(values)
    if low < within[0] or high > within[1]:  # a metric on another scale than its usual one
        within = (-math.inf, math.inf)
    air = 0.08 * (high - low) or 0.05 * (abs(high) or 1.0)
    left, right = max(low - air, within[0]), min(high + air, within[1])
    if round(left, 12) < round(right, 12):
        return round(left, 12), round(right, 12)
    return (left, right) if right - left > 1e-300 else (left - 0.5, right + 0.5)


def _cut_panel(
    rows: tuple[ForestRow, ...],
    *,
    axis: str,
    references: tuple[tuple[float, str], ...] = (),
    margin: tuple[float, float] | None = None,
    shares: bool = True,
) -> Panel:
    """The first rows of a forest, on an axis that stays within 0 and 1 where they are shares."""
    if not rows:
        raise InputError("there is nothing to plot: no interval was given")
    kept = rows[:MOST_ROWS]
    values = [v for r in kept if r.drawn for v in (r.estimate, r.low, r.high)]
    # A share stays within its range; nobody should see an axis that ends at 1.04.
    values += [v for v, _ in references]
    within = (0.0, 1.0) if shares and all(0 <= v <= 1 for v in values) else (-math.inf, math.inf)
    heading = f"the first {len(kept)} of {len(rows):,}" if len(kept) < len(rows) else ""
    return make_panel(kept, axis=axis, heading=heading, references=references, margin=margin, within=within)


def _named(given: Interval | Sequence[Interval] | Mapping[str, Interval]) -> list[tuple[str, Interval]]:
    if isinstance(given, Mapping):
        return [(plain(k), i) for k, i in given.items()]
    several = [given] if isinstance(given, Interval) else list(given)
    return [(plain(i.name), i) for i in several]


def interval_row(label: str, i: Interval, *, signed: bool = False, more: str = "", aside: bool = False) -> ForestRow:
    brief = interval_text(i, signed=signed)
    return ForestRow(
        label=label, estimate=i.estimate, low=i.low, high=i.high, side=i.side, brief=brief, tip=plain(str(i)),
        words=f"{brief} · {more}" if more else brief, aside=aside,
    )  # fmt: skip


def interval_text(i: Interval, *, signed: bool = False) -> str:
    """An interval in as few words as can stand beside its line."""
    say = signed_number if signed else number
    if math.isnan(i.estimate):
        return f"undefined{': ' + shorten(i.note, 60) if i.note else ''}"
    if math.isnan(i.low) and math.isnan(i.high):
        return f"{say(i.estimate)}, no interval"
    if i.side == "lower" or math.isinf(i.high):
        return f"{say(i.estimate)}, at least {say(i.low)}"
    if i.side == "upper" or math.isinf(i.low):
        return f"{say(i.estimate)}, at most {say(i.high)}"
    return f"{say(i.estimate)} [{say(i.low)}, {say(i.high)}]"


def signed_number(x: float) -> str:
    """A number with its sign, plus or minus."""
    return ("+" if x > 0 else "") + number(x)


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


# With several models, this many metrics; the table has the rest.
MOST_METRICS = 6
FIRST = ("expected_cost", "accuracy", "auc", "hand_till_auc", "recall", "precision", "brier", "log_loss")
MOST_CLASSES = 20
MOST_SLICES = 20


# Characters of what was read that stand under the title.
READ = 100


def evaluation_forest(ev: Evaluation, *, metric: str | None = None) -> Forest:
    """An Evaluation: metrics of one model, or models under each metric; `metric` shows that one alone."""
    if not ev.parts:
        raise InputError("there is nothing to plot: the evaluation has no model")
    if len(ev.parts) == 1:
        panels = _one_model(ev.parts[0], metric)
        title = plain(ev.parts[0].name)
    else:
        panels = _several_models(best_parts_first(ev), metric)
        title = f"{len(ev.parts)} models"
    if ev.slices:
        panels.append(_slices(ev, metric))
    # A few models under several metrics: small panels beside each other.
    beside = 2 if len(ev.parts) > 1 and len(panels) > 2 and not ev.slices else 1
    intervals = [i for part in ev.parts for i in part.overall.values()]
    first = str(ev.reading).split("\n")[0]
    # The names of many models stand beside their rows.
    first = shorten(first if len(first) <= READ else first.split(": ")[0], READ)
    subtitle = tuple(line for line in (first, *(how_words(intervals) if intervals else ())) if line)
    return Forest(title=shorten(title, 60), subtitle=subtitle, panels=tuple(panels), columns=beside)


def agreement_forest(found: RaterAgreement) -> Forest:
    """Coefficients under each other, then Cohen's kappa of each pair of raters, with the usual bars for labels."""
    rows = tuple(interval_row(plain(i.name), i) for i in found.coefficients.values())
    bars = tuple((bar, "") for bar in BARS)
    panels = [_cut_panel(rows, axis="agreement", references=bars, shares=False)]
    if found.pairs:
        pairs = tuple(interval_row(f"{plain(a)} and {plain(b)}", i) for a, b, i in found.pairs)
        kappa = found.pairs[0][2].name
        panels.append(replace(_cut_panel(pairs, axis=kappa, references=bars, shares=False), heading="Pairs of raters"))
    lines = (
        *how_words(list(found.coefficients.values())[:1]),
        "lines at 0.667 and 0.800: bars for tentative and firm use",
    )
    return Forest(title="Agreement of raters", subtitle=lines, panels=tuple(panels))


def gate_forest(gate: Gate) -> Forest:
    """A panel for each demand: what was found, and where the line is drawn."""
    panels = []
    for check in gate.checks[:MOST_PANELS]:
        # In the unit of the verdict.
        gap, scale = check.kind == "difference", 100.0 if check.share else 1.0
        say = number if not check.share else in_points if gap else percents
        row = ForestRow(label=check.decision, estimate=scale * check.estimate, low=scale * check.low,
                        high=scale * check.high,
                        words=f"{say(check.estimate)} [{say(check.low)}, {say(check.high)}]")  # fmt: skip
        what = f"{check.title}{f' on {plain(check.slice)}' if check.slice else ''}"
        counted_in = "" if not check.share else ", points" if gap else ", %"
        heading = f"{what}, candidate − baseline{counted_in}" if gap else f"{what}{counted_in}"
        bound = (scale * check.bound, f"{'at least' if check.higher_is_better else 'at most'} {say(check.bound)}")
        panels.append(make_panel((row,), axis="", heading=heading, references=(bound,)))
    if not panels:
        raise InputError("there is nothing to plot: nothing was demanded")
    return Forest(title=f"{plain(gate.candidate)}: {gate.decision}", subtitle=(first_sentence(gate.verdict),),
                  panels=tuple(panels))  # fmt: skip


def repeats_forest(found: Repeats) -> Forest:
    """A panel for each measure of repeated answers, a row for each model."""
    panels = []
    for metric in list(found.parts[0].metrics)[:MOST_METRICS]:
        rows = tuple(interval_row(plain(part.name), part.metrics[metric]) for part in found.parts[:MOST_ROWS])
        panels.append(make_panel(rows, axis="", heading=metric, within=found.scale))
    every = [i for part in found.parts for i in part.metrics.values()]
    return Forest(title="Several answers to the same questions", subtitle=how_words(every), panels=tuple(panels),
                  columns=2 if len(panels) > 2 else 1)  # fmt: skip


def arena_forest(found: Arena) -> Forest:
    """Strengths under each other, strongest first, with the letters of their tiers."""
    letters = found.letters()
    rows = tuple(interval_row(f"{plain(m)} ({letters[m]})", i) for m, i in found.elo.items())
    how = how_words(list(found.elo.values())[:1])[0].partition(", n =")[0]
    lines = (f"{how}; {whole(found.n)} battles", "models that share a letter show no clear difference")
    return Forest(
        title="Strengths on Elo's scale", subtitle=lines, panels=(_cut_panel(rows, axis="Elo", shares=False),)
    )


def gap_forest(gap: Gap) -> Forest:
    """The groups, lowest first, with their intervals and the metric of the highest and lowest as references."""
    return Forest(title=_gap_title(gap), subtitle=(_gap_words(gap),), panels=(_gap_panel(gap, ""),))


def gaps_forest(gaps: Gaps) -> Forest:
    """A panel for each metric, model and column."""
    if len(gaps.parts) == 1:
        return gap_forest(gaps.parts[0])
    panels = tuple(_gap_panel(g, f"{_gap_title(g)}: {_gap_words(g)}") for g in gaps.parts[:MOST_PANELS])
    return Forest(title="Gaps between groups", subtitle=how_words(list(gaps.parts[0].groups.values())), panels=panels)


MOST_PANELS = 8


def _gap_title(gap: Gap) -> str:
    whose = f" of {shorten(gap.model, 30)}" if gap.model not in ("", "model") and gap.model not in gap.title else ""
    return f"{capitalised(gap.title)}{whose} by {shorten(gap.by, 30)}"


def _gap_words(gap: Gap) -> str:
    d = gap.difference
    return f"gap {with_limits(d.estimate, d.low, d.high)}, {p_value(gap.p_value)} adjusted"


def _gap_panel(gap: Gap, heading: str) -> Panel:
    order = sorted(gap.groups, key=lambda g: gap.groups[g].estimate)
    signed = any(isinstance(i, Contrast) for i in gap.groups.values())
    shown = key_names(gap.groups)
    rows = tuple(interval_row(plain(shown[g]), gap.groups[g], signed=signed) for g in order)
    panel = _cut_panel(rows, axis=gap.title, references=((0.0, "no difference"),) if signed else (), shares=not signed)
    return replace(panel, heading=heading) if heading else panel


def model_forest(part: ModelEvaluation, *, metric: str | None = None) -> Forest:
    """A ModelEvaluation."""
    how = how_words(list(part.overall.values()))
    return Forest(title=shorten(part.name, 60), subtitle=how, panels=tuple(_one_model(part, metric)))


def _range(name: str) -> tuple[float, float]:
    try:
        return find_measure(name).range
    except InputError:
        return (-math.inf, math.inf)


def _title(name: str) -> str:
    try:
        return find_measure(name).title
    except InputError:
        return name.replace("_", " ")


def _one_model(part: ModelEvaluation, metric: str | None) -> list[Panel]:
    """Metrics that share the range 0 to 1 (or −1 to 1) under each other; each other one on an axis of its own."""
    metrics = part.overall if metric is None else {metric: part.metric(metric)}
    shares = {m: i for m, i in metrics.items() if _range(m) in ((0.0, 1.0), (-1.0, 1.0))}
    rows: list[ForestRow] = []
    for name, interval in shares.items():
        rows.append(interval_row(_title(name), interval))
        if name == "accuracy":
            rows += _baseline(part)
    panels = []
    if rows:
        negative = any(r.drawn and min(r.estimate, r.low) < 0 for r in rows)
        references = ((0.0, ""),) if negative else ()
        panels.append(make_panel(rows, axis="value", references=references, within=(-1.0 if negative else 0.0, 1.0)))
    for name, interval in metrics.items():
        if name not in shares:
            panels.append(make_panel([interval_row(_title(name), interval)], axis="", within=_range(name)))
    if metric is None and part.confusion is not None and len(part.confusion.labels) > 2:
        panels += _per_class(part)
    return panels


def _per_class(part: ModelEvaluation) -> list[Panel]:
    panels = []
    labels = () if part.confusion is None else part.confusion.labels
    left_out = f" (the first {MOST_CLASSES} of {len(labels):,})" if len(labels) > MOST_CLASSES else ""
    for name in ("recall", "precision"):
        kept = [label for label in labels[:MOST_CLASSES] if (name, label) in part.classes]
        if kept:
            rows = [interval_row(plain(label), part.classes[name, label]) for label in kept]
            heading = f"{name} of each class{left_out}"
            panels.append(make_panel(rows, axis="", heading=heading, within=(0.0, 1.0)))
    return panels


def _baseline(part: ModelEvaluation) -> list[ForestRow]:
    if part.baseline_label is None or math.isnan(part.baseline.estimate):
        return []
    return [interval_row(f"always “{shorten(part.baseline_label, 20)}”", part.baseline, aside=True)]


def _most_telling(names: list[str]) -> list[str]:
    """A few metrics, none of which says what another says: ranking and probabilities before further rates."""
    first = [m for m in FIRST if m in names]
    kept = (first + [m for m in names if m not in first])[:MOST_METRICS]
    return kept if len(names) > MOST_METRICS else names


def _several_models(parts: Sequence[ModelEvaluation], metric: str | None) -> list[Panel]:
    """One panel a metric, the models in the same order in each."""
    if metric is None:
        common = [m for m in parts[0].overall if all(m in p.overall for p in parts)]
        names = _most_telling(common) or list(parts[0].overall)[:1]
    else:
        names = [metric]
    panels = []
    for name in names:
        rows = [interval_row(plain(p.name), p.metric(name)) for p in parts[:MOST_ROWS]]
        references: tuple[tuple[float, str], ...] = ()
        if name == "accuracy":
            aside = _baseline(parts[0])
            rows += aside
            references = tuple((r.estimate, "") for r in aside)
        heading = _title(name) + (f" (the first {MOST_ROWS} of {len(parts)} models)" if len(parts) > MOST_ROWS else "")
        panels.append(make_panel(rows, axis="", heading=heading, references=references, within=_range(name)))
    return panels


def _slices(ev: Evaluation, metric: str | None) -> Panel:
    """The first metric (or the one asked for) in each slice, beside all rows."""
    several = len(ev.parts) > 1
    everywhere = [p.overall for inner in (ev, *ev.slices.values()) for p in inner.parts]
    name = metric or next((m for m in ev.parts[0].overall if all(m in o for o in everywhere)), "accuracy")
    rows, shown = [], key_names(ev.slices)
    kept = dict(list(ev.slices.items())[: max(1, MOST_SLICES // len(ev.parts))])
    for value, inner in {"all rows": ev, **kept}.items():
        named = plain(shown.get(value, value))
        for part in inner.parts:
            label = f"{named} · {plain(part.name)}" if several else named
            rows.append(interval_row(label, part.metric(name), aside=inner is ev))
    left_out = f" (the first {len(kept)} of {len(ev.slices):,})" if len(kept) < len(ev.slices) else ""
    return make_panel(rows, axis="", heading=f"{_title(name)} by slice{left_out}", within=_range(name))


# In a matrix of pairs colour fills up as p falls to this: p = 1 is white.
SMALLEST_P = 1e-4
MOST_MODELS = 30


def comparison_picture(
    comparison: Comparison, *, show: Literal["differences", "pairs"] = "differences"
) -> Forest | Heat:
    """Each model's difference from the leader (or the reference) and its own estimate; or a matrix of all pairs."""
    check_word(show, ("differences", "pairs"), "show")
    return differences_forest(comparison) if show == "differences" else pairs_heat(comparison)


def differences_forest(c: Comparison) -> Forest:
    """Differences first, since overlapping bars mislead; the models' own intervals beneath."""
    anchor = c.best if c.reference is None else c.reference
    ranked = [m for m in c.ranked if m != anchor][:MOST_ROWS]
    pairs = [c[model, anchor] for model in ranked]
    parts = {m: tuple(values) for m, values in (c.facts.parts or {}).items()}
    rows = [_difference_row(c, pair, plain(model), parts) for model, pair in zip(ranked, pairs, strict=True)]
    scale = 100.0 if c.facts.share else 1.0
    margin = None if c.margin is None else (-abs(scale * c.margin), abs(scale * c.margin))
    better = "higher" if c.higher_is_better else "lower"
    panels: list[Panel] = []
    if rows:
        leader = plain(brief_names(c.models)[anchor])
        heading = f"difference in {plain(c.title)} from {leader} ({better} is better)"
        panels.append(
            make_panel(
                rows,
                axis=f"model − {leader}{f', {unit(c).strip()}' if unit(c) else ''}",
                heading=heading,
                references=((0.0, "no difference"),),
                margin=margin,
            )
        )
    model_rows = [_own_row(c, m, parts) for m in [anchor, *ranked]]
    inside = all(0 <= v <= scale for r in model_rows if r.drawn for v in (r.low, r.high))
    within = (0.0, scale) if inside else (-math.inf, math.inf)
    panels.append(
        make_panel(model_rows, axis="", heading=f"{plain(c.title)}{', %' if c.facts.share else ''}", within=within)
    )
    subtitle = [*_verdict_lines(c), *how_words(pairs or list(c.estimates.values()), more=together_words(c))]
    if margin is not None:
        subtitle.append(f"shaded: differences up to ±{number(margin[1])}{unit(c)} do not matter")
    if parts:
        subtitle.append(f"dots: the {len(next(iter(parts.values()))):,} test folds")
    what = "learners" if parts else "models"
    return Forest(
        title=f"{len(c.models)} {what} compared", subtitle=tuple(s for s in subtitle if s), panels=tuple(panels)
    )


def _own_row(c: Comparison, model: str, parts: dict[str, tuple[float, ...]]) -> ForestRow:
    """A model's own figure in the unit of the comparison's words: percent for shares."""
    interval = c.estimates[model]
    row = replace(interval_row(plain(model), interval), points=parts.get(model, ()))
    if (
        not c.facts.share
        or interval.side != "two-sided"
        or math.isnan(interval.estimate + interval.low + interval.high)
    ):
        return row
    words = short_percent(interval, c._decimals)
    return replace(
        row, estimate=100 * row.estimate, low=100 * row.low, high=100 * row.high, brief=words, words=words,
        points=tuple(100 * x for x in row.points),
    )  # fmt: skip


def _difference_row(c: Comparison, pair: Contrast, label: str, parts: dict[str, tuple[float, ...]]) -> ForestRow:
    """A pair in the unit of the comparison's words: points of a percent for shares."""
    row = interval_row(label, pair, signed=True, more=_told(c, pair))
    both = zip(parts.get(pair.first, ()), parts.get(pair.second, ()), strict=True)
    dots = tuple(a - b for a, b in both)
    if not c.facts.share:
        return replace(row, points=dots)
    brief = row.brief
    if not math.isnan(pair.estimate + pair.low + pair.high):
        estimate, low, high = (points(c, x) for x in (pair.estimate, pair.low, pair.high))
        brief = f"{estimate} [{low}, {high}]"
        if pair.side != "two-sided":
            brief = f"{estimate}, at least {low}" if pair.side == "lower" else f"{estimate}, at most {high}"
    return replace(
        row, estimate=100 * row.estimate, low=100 * row.low, high=100 * row.high, brief=brief,
        words=f"{brief} · {_told(c, pair)}", points=tuple(100 * d for d in dots),
    )  # fmt: skip


def _verdict_lines(c: Comparison) -> list[str]:
    """What the comparison comes to, with short names; the whole verdict is printed."""
    return [first_sentence(plain(brief(c.verdict, c.models)))]


def training_forest(gap: TrainingGap) -> Forest:
    """How much better each model looks on its training rows than on test rows."""
    forest = contrasts_forest({g.name: g for g in gap.gaps}, title="Accuracy on training rows − on test rows")
    return replace(forest, panels=tuple(replace(p, axis="training − test") for p in forest.panels))


def _told(c: Comparison, pair: Contrast) -> str:
    words = p_words(pair)
    if c.told_apart(pair.first, pair.second):
        return f"{words} · {'better' if c.better(pair.first, pair.second) else 'worse'}"
    return f"{words} · too close to call"


def pairs_heat(c: Comparison) -> Heat:
    """Row − column for each pair: the difference, its p-value and what it says; darker where p is smaller."""
    models = list(c.ranked)[:MOST_MODELS]
    place: list[tuple[int, int]] = []
    share: list[float] = []
    words: list[tuple[str, ...]] = []
    tips: list[dict[str, str]] = []
    for i, a in enumerate(models):
        for j, b in enumerate(models):
            pair = _pair(c, a, b)
            place.append((i, j))
            if pair is None:
                share.append(math.nan)
                words.append(("",))
                tips.append({"row": plain(a), "column": plain(b), "difference": "not compared", "p": ""})
                continue
            p = pair.p_value if pair.p_adjusted is None else pair.p_adjusted
            share.append(_strength(p))
            verdict = "better" if c.better(a, b) else "worse" if c.told_apart(a, b) else "too close to call"
            written = p_value(p, at_most=pair.p_at_most)
            words.append((points(c, pair.estimate), written, verdict))
            tips.append({"row": plain(a), "column": plain(b), "difference": plain(str(pair)), "p": written})
    names = tuple(distinct(models))
    return Heat(
        title=f"{plain(c.title)}: row − column for each pair{f', {unit(c).strip()}' if unit(c) else ''}",
        subtitle=(*_verdict_lines(c), "darker: smaller p, adjusted for the number of pairs"),
        row_title="this model",
        column_title="against this one",
        rows=names,
        columns=names,
        place=np.array(place, dtype=np.int64).reshape(-1, 2),
        share=np.array(share),
        words=tuple(words),
        tips=tuple(tips),
        scale_title="strength of evidence",
    )


def _pair(c: Comparison, first: str, second: str) -> Contrast | None:
    if first == second or (c.reference is not None and c.reference not in (first, second)):
        return None
    pair: Contrast = c[first, second]
    return pair


def _strength(p: float) -> float:
    """From 0 at p = 1 to 1 at the smallest p; squared, since colours go by the square root."""
    if math.isnan(p):
        return math.nan
    return (min(1.0, math.log(max(p, SMALLEST_P)) / math.log(SMALLEST_P)) * 0.8) ** 2


# More panels than this under each other are a list, not a picture.
MOST_PANELS = 12


def summary_forest(summary: Summary, *, metric: str | None = None) -> Forest:
    """A panel for each data set and metric, the learners in the same order in each; dots are test folds."""
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
    subtitle = [first_sentence(summary.overall)] if summary.overall else []
    if not subtitle and len(summary.verdicts) == 1:
        subtitle.append(first_sentence(next(iter(summary.verdicts.values()))))
    subtitle += how_words([e.interval for e in estimates])
    counts = sorted({len(e.parts) for e in estimates} - {0})
    if counts:
        subtitle.append(f"dots: the {counts[0]:,} test folds" if len(counts) == 1 else "dots: test folds")
    if len(places) > MOST_PANELS:
        subtitle.append(f"the first {MOST_PANELS} of {len(places)} panels")
    learners = len({e.learner for e in estimates})
    title = f"{learners} learner{'s' * (learners != 1)}" + (f" on {len(summary.verdicts)} data sets" if several else "")
    return Forest(title=title, subtitle=tuple(subtitle), panels=tuple(panels))


def _panel(summary: Summary, estimates: Sequence[LearnerEstimate], several: bool) -> Panel:
    measure, data = find_measure(estimates[0].metric), estimates[0].data
    lead = f"{plain(data)}: " if several else ""
    rows = [
        replace(interval_row(plain(e.learner), e.interval), points=tuple(v for v in e.parts if math.isfinite(v)))
        for e in estimates[:MOST_ROWS]
    ]
    better = "higher" if measure.higher_is_better else "lower"
    heading = f"{lead}{measure.title} ({better} is better)"
    constant = constant_value(summary, data, measure.name)
    panel = make_panel(rows, axis="", heading=heading, within=measure.range)
    if constant is None:
        return panel
    name = shorten(plain(constant_name(summary, data)), 24)
    low, high = panel.domain
    # A line far away would press the intervals together: then its place is told in words.
    if not low - (high - low) <= constant <= high + (high - low):
        return replace(panel, heading=f"{heading}; {name}: {number(constant)}")
    return make_panel(rows, axis="", heading=heading, references=((constant, name),), within=measure.range)
