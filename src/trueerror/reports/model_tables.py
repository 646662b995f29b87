"""The tables about models: each with its figures, all pairs, and differences from the leader as lines."""

from __future__ import annotations

import math
from dataclasses import replace

from markupsafe import Markup

from trueerror.metrics.registry import find_measure
from trueerror.plots.forests import make_panel
from trueerror.plots.pictures import ForestRow
from trueerror.reports.html_forest import html_panel
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import brief_names, el, joined, named
from trueerror.results import Contrast, Interval
from trueerror.results.tables import Table
from trueerror.results.words import listing, percent, whole
from trueerror.verbs.comparison import Comparison, told_apart
from trueerror.verbs.comparison_words import adjusted, decided, level, points, unit
from trueerror.verbs.costing import CostComparison
from trueerror.verbs.evaluation import Evaluation, ModelEvaluation
from trueerror.verbs.evaluation_words import short, shown_metrics

# A model and five figures: more cannot be read at a glance.
FIGURES = 5
# Pairs of more than 45 models are a list that nobody reads.
MOST_PAIRS = 1000

Cell = tuple[str, float | None]


def models_block(ev: Evaluation, metric: str | None = None) -> Markup:
    """A row for each model, in tables of at most six columns; `metric` is what models are compared by."""
    chosen = shown_metrics(ev)
    if metric is not None and all(metric in p.overall for p in ev.parts):
        chosen = [metric, *(m for m in chosen if m != metric)]
    asked = bool(ev.settings.get("asked"))
    counted = not asked and all(_binary(p) for p in ev.parts)
    room = FIGURES - (2 if counted else 0)
    groups = [chosen[i : i + room] for i in range(0, len(chosen), room)] if asked else [chosen[:room]]
    return joined([_models_table(ev, group, counted) for group in groups])


def _binary(part: ModelEvaluation) -> bool:
    return part.confusion is not None and part.positive is not None


def _models_table(ev: Evaluation, metrics: list[str], counted: bool) -> Markup:
    first = ev.parts[0]
    columns = ["model", *(find_measure(m).title for m in metrics)]
    rows: list[list[Cell]] = [[(p.name, None), *(_figure(p.overall.get(m)) for m in metrics)] for p in ev.parts]
    if counted:
        columns[2:2] = ["misses", "false alarms"]
        for row, part in zip(rows, ev.parts, strict=True):
            row[2:2] = _counts(part)
    if "accuracy" in metrics and first.baseline_label is not None:
        constant: list[Cell] = [("", None)] * len(columns)
        constant[0] = (f'always "{first.baseline_label}"', None)
        constant[1 + metrics.index("accuracy")] = (short(first.baseline), _known(first.baseline.estimate))
        if metrics.index("accuracy") == 0:
            rows.append(constant)
    confidence = percent(next((i.confidence for i in first.overall.values()), 0.95))
    of_class = [find_measure(m).title for m in metrics if find_measure(m).needs in ("binary", "scores")]
    title = f"In brackets: {confidence} intervals."
    if of_class and first.positive not in (None, 1):
        title += f" {listing(of_class)}: of {named(first.positive)}."
    table = Table(columns=tuple(columns), rows=tuple(tuple(c for c, _ in row) for row in rows), title=title)
    return html_table(table, sortable=True, keys=[[k for _, k in row] for row in rows])


def _figure(found: Interval | None) -> Cell:
    """A metric with its interval; empty for a model that cannot have it."""
    return ("", None) if found is None else (short(found), _known(found.estimate))


def _known(x: float) -> float | None:
    return None if math.isnan(x) else x


def _counts(part: ModelEvaluation) -> list[Cell]:
    assert part.confusion is not None
    c = part.confusion.binary(part.positive)
    cells = ((c.fn, c.tp + c.fn), (c.fp, c.fp + c.tn))
    return [(f"{whole(round(float(x), 1))} of {whole(round(float(n), 1))}", float(x)) for x, n in cells]


def estimates_block(cmp: Comparison) -> Markup:
    """Each model's own estimate, best first; compared by cost, with the errors that make the cost."""
    if isinstance(cmp, CostComparison):
        return html_table(cmp._table(), title="Cheapest first, cut where the costs say", sortable=True)
    rows = [(m, cmp.estimates[m]) for m in cmp.ranked]
    table = Table(
        columns=("model", f"{cmp.title}, {percent(cmp.confidence)} interval"),
        rows=tuple((m, short(i)) for m, i in rows),
    )
    return html_table(table, sortable=True, keys=[[None, _known(i.estimate)] for _, i in rows])


def differences_block(cmp: Comparison) -> Markup:
    """Each model's difference from the leader (or the reference), with zero and the margin."""
    anchor = cmp.reference or cmp.best
    shown = brief_names(cmp.models)
    scale = 100.0 if _per_hundred(cmp) else 1.0
    parts = cmp.facts.get("parts", {})
    rows = [_difference(cmp, m, anchor, scale, shown[m]) for m in cmp.ranked if m != anchor]
    if parts:
        models = [m for m in cmp.ranked if m != anchor]
        gaps = [tuple(scale * (a - b) for a, b in zip(parts[m], parts[anchor], strict=True)) for m in models]
        rows = [replace(r, points=g) for r, g in zip(rows, gaps, strict=True)]
    margin = None if cmp.margin is None else (-scale * abs(cmp.margin), scale * abs(cmp.margin))
    better = "higher" if cmp.higher_is_better else "lower"
    own = cmp.estimates[anchor].estimate
    if isinstance(cmp, CostComparison):
        heading = f"Cost per 100 rows, model − {shown[anchor]} ({100 * own:.3g}); lower is better"
    else:
        in_points = ", in points" if scale == 100 else ""
        title = cmp.title[:1].upper() + cmp.title[1:]
        heading = f"{title}, model − {shown[anchor]} ({level(cmp, own)}){in_points}; {better} is better"
    panel = make_panel(rows, axis="", heading=heading, references=((0.0, "no difference"),), margin=margin)
    notes = [f"{percent(cmp.confidence)} intervals of each pair by itself; the dashed line is no difference."]
    if len(cmp.pairs) > 1 and cmp.adjust != "none":
        notes.append(f"p-values are adjusted for {len(cmp.pairs)} pairs ({cmp.adjust}).")
    if margin is not None:
        notes.append(f"Shaded: differences of up to {amount(cmp, abs(cmp.margin or 0))}{unit(cmp)} do not matter.")
    if any(r.points for r in rows):
        notes.append("Dots: the test parts.")
    return html_panel(panel) + el("p", " ".join(notes), class_="note")


def _difference(cmp: Comparison, model: str, anchor: str, scale: float, shown: str) -> ForestRow:
    c = cmp[model, anchor]
    return ForestRow(
        label=shown, estimate=scale * c.estimate, low=scale * c.low, high=scale * c.high, side=c.side,
        words=f"{amount(cmp, c.estimate)} {interval_words(cmp, c)} · {decided(c)} · {_kept(told(cmp, c))}",
    )  # fmt: skip


def _per_hundred(cmp: Comparison) -> bool:
    return bool(cmp.facts.get("share")) or isinstance(cmp, CostComparison)


def amount(cmp: Comparison, x: float) -> str:
    """A difference with its sign: costs of 100 rows, points of a percent, or as it is."""
    if isinstance(cmp, CostComparison) and math.isfinite(x):
        return f"{100 * x:+.3g}"
    return points(cmp, x)


def _kept(words: str) -> str:
    """Words that stay on one line."""
    return words.replace(" ", "\u00a0")


def interval_words(cmp: Comparison, c: Contrast) -> str:
    """The limits of a difference."""
    if math.isnan(c.low) and math.isnan(c.high):
        return "(no interval)"
    return f"[{amount(cmp, c.low)}, {amount(cmp, c.high)}]"


def told(cmp: Comparison, c: Contrast) -> str:
    """Whether a pair is told apart, by a sign and a word."""
    if not told_apart(c):
        return "? cannot tell"
    return "▲ better" if (c.estimate > 0) == cmp.higher_is_better else "▼ worse"


def pairs_block(cmp: Comparison) -> Markup:
    """Every pair, the better one first."""
    place = {m: i for i, m in enumerate(cmp.ranked)}
    pairs = [cmp[tuple(sorted((c.first, c.second), key=place.__getitem__))] for c in cmp.pairs]  # type: ignore[index]
    pairs.sort(key=lambda c: (place[c.first], place[c.second]))
    kept = pairs[:MOST_PAIRS]
    head = "p" if len(cmp.pairs) < 2 or cmp.adjust == "none" else "adjusted p"
    per = "per 100 rows" if isinstance(cmp, CostComparison) else "points"
    sized = f"first − second ({per})" if _per_hundred(cmp) else "first − second"
    shown = brief_names(cmp.models)
    rows = tuple(
        (shown[c.first], shown[c.second], amount(cmp, c.estimate), interval_words(cmp, c), _p(c), told(cmp, c))
        for c in kept
    )
    columns = ("first", "second", sized, f"{percent(cmp.confidence)} interval", head, "first is")
    title = "" if len(kept) == len(pairs) else f"The first {len(kept):,} of {len(pairs):,} pairs, best models first."
    keys = [[None, None, c.estimate, None, adjusted(c), None] for c in kept]
    table = Table(columns=columns, rows=rows, names=2, title=title or "The better one first.")
    return html_table(table, sortable=True, keys=keys)


def _p(c: Contrast) -> str:
    return decided(c)[2:].lstrip("= ")
