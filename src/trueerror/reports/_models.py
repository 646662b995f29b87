"""The page about models on a test sample (predictions, an evaluation, a comparison), or about any other result.

Differences from the leader as lines, the table of models, all pairs, and the folded sections of curves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TypeGuard

from markupsafe import Markup

from trueerror.findings._rules import Finding
from trueerror.inputs._options import InputError
from trueerror.plots._specs import ForestRow
from trueerror.plots.compose.forests import evaluation_forest, make_panel
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._chart_sections import MOST_CURVES, chart_sections, gap_figures
from trueerror.reports._contents import (
    Contents,
    ReportOptions,
    Used,
    Verdicts,
    merged,
    of_comparison,
    of_model,
    used_in_comparison,
    used_in_evaluation,
)
from trueerror.reports._explorer import Explored, explore, explorer_section
from trueerror.reports._html import (
    Section,
    brief,
    brief_names,
    clipped,
    html_panel,
    html_table,
    unwrapped,
)
from trueerror.reports._svg import Gallery
from trueerror.results import Contrast, Result
from trueerror.results._document import Cell, Table, TableBlock, cells_block
from trueerror.results._format import p_cell, percent
from trueerror.results._values import decided, deciding_p, interval_cell, significantly_different
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import compare
from trueerror.verbs._compare_costs import CostComparison
from trueerror.verbs._comparison import (
    Comparison,
    alike_within_margin,
    own_figure,
    points,
    tiers,
    together_words,
    unit,
)
from trueerror.verbs._evaluate import evaluate
from trueerror.verbs._evaluation import (
    Evaluation,
    metrics_table,
    models_block,
    reasons,
    shown_metrics,
    slice_table,
)

# A model and five figures: more cannot be read at a glance.
TABLE_FIGURES = 5
# Pairs of more than 45 models are a list that nobody reads.
MOST_PAIRS = 1000


def models_tables(ev: Evaluation, metric: str | None = None) -> Markup:
    """A row for each model, in tables of at most six columns; `metric` is what models are compared by."""
    chosen = shown_metrics(ev)
    if metric is not None and all(metric in p.overall for p in ev.parts):
        chosen = [metric, *(m for m in chosen if m != metric)]
    asked = bool(ev.settings.get("asked"))
    errors = not asked and all(p.confusion is not None and p.positive is not None for p in ev.parts)
    most = TABLE_FIGURES - (2 if errors else 0)
    groups = [chosen[i : i + most] for i in range(0, len(chosen), most)] if asked else [chosen[:most]]
    blocks = [
        models_block(ev, group, missing="", errors=errors, constant=group[:1] == ["accuracy"]) for group in groups
    ]
    return joined(map(sortable, blocks))


def sortable(block: TableBlock) -> Markup:
    """A block of a document as a table that readers can sort."""
    return html_table(block.table, sortable=True, keys=block.keys)


def estimates_block(cmp: Comparison) -> Markup:
    """Each model's own estimate, best first; compared by cost, with the errors that make the cost."""
    if isinstance(cmp, CostComparison):
        return html_table(cmp._table(), title="Cheapest first, cut where the costs say", sortable=True)
    columns = ("model", f"{cmp.title}, {percent(cmp.confidence)} interval")
    return sortable(cells_block(columns, [[(m, None), interval_cell(cmp.estimates[m])] for m in cmp.ranked]))


def differences_block(cmp: Comparison) -> Markup:
    """Each model's difference from the leader (or the reference), with zero and the margin."""
    anchor = cmp.reference or cmp.best
    shown = brief_names(cmp.models)
    scale = 100.0 if _per_hundred(cmp) else 1.0
    parts = cmp.facts.parts
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
        heading = f"{title}, model − {shown[anchor]} ({own_figure(cmp, own)}){in_points}; {better} is better"
    panel = make_panel(rows, axis="", heading=heading, references=((0.0, "no difference"),), margin=margin)
    notes = [f"{percent(cmp.confidence)} intervals{together_words(cmp)}; the dashed line is no difference."]
    if margin is not None:
        notes.append(f"Shaded: differences of up to {_amount(cmp, abs(cmp.margin or 0))}{unit(cmp)} do not matter.")
    if any(r.points for r in rows):
        notes.append("Dots: the test parts.")
    return html_panel(panel) + el("p", " ".join(notes), class_="note")


def _difference(cmp: Comparison, model: str, anchor: str, scale: float, shown: str) -> ForestRow:
    c = cmp.judged(model, anchor)
    return ForestRow(
        label=shown, estimate=scale * c.estimate, low=scale * c.low, high=scale * c.high, side=c.side,
        words=f"{_amount(cmp, c.estimate)} {interval_words(cmp, c)} · {decided(c)} · {_kept(told(cmp, c))}",
    )  # fmt: skip


def _per_hundred(cmp: Comparison) -> bool:
    return cmp.facts.share or isinstance(cmp, CostComparison)


def _amount(cmp: Comparison, x: float) -> str:
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
    return f"[{_amount(cmp, c.low)}, {_amount(cmp, c.high)}]"


def told(cmp: Comparison, c: Contrast) -> str:
    """Whether a pair is told apart, by a sign and a word."""
    if not significantly_different(c):
        return "? too close to call"
    return "▲ better" if (c.estimate > 0) == cmp.higher_is_better else "▼ worse"


def pairs_block(cmp: Comparison) -> Markup:
    """Every pair, the better one first."""
    place = {m: i for i, m in enumerate(cmp.ranked)}
    pairs = [cmp.judged(*sorted((c.first, c.second), key=place.__getitem__)) for c in cmp.pairs]
    pairs.sort(key=lambda c: (place[c.first], place[c.second]))
    kept = pairs[:MOST_PAIRS]
    head = "p" if len(cmp.pairs) < 2 or cmp.adjust == "none" else "adjusted p"
    per = "per 100 rows" if isinstance(cmp, CostComparison) else "points"
    sized = f"first − second ({per})" if _per_hundred(cmp) else "first − second"
    shown = brief_names(cmp.models)
    rows: list[list[Cell]] = [
        [
            (shown[c.first], None), (shown[c.second], None), (_amount(cmp, c.estimate), c.estimate),
            (interval_words(cmp, c), None), (p_cell(decided(c)), deciding_p(c)), (told(cmp, c), None),
        ]
        for c in kept
    ]  # fmt: skip
    columns = ("first", "second", sized, f"{percent(cmp.confidence)} interval", head, "first is")
    title = f"The first {len(kept):,} of {len(pairs):,} pairs, best models first."
    return sortable(
        cells_block(columns, rows, names=2, title="The better one first." if len(kept) == len(pairs) else title)
    )


TITLE = "How good are these models, really?"
MOST_REASONS = 8
# With more models the sets that were not told apart stand with the pairs.
MOST_TIERED = 6
FIGURES = "Each figure with its interval"


def about_predictions(p: Predictions, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Everything about the models of predictions."""
    cmp, note = _compared(p, asked)
    # Judged by costs, scores are cut where the costs themselves say.
    threshold = cmp.threshold if isinstance(cmp, CostComparison) else None
    cut = p if threshold is None else p.with_threshold(threshold)
    ev = evaluate(
        cut, metrics=asked.metric if len(p.models) == 1 else None, costs=asked.costs, confidence=asked.confidence,
        rng=asked.rng, prior=asked.prior,
    )  # fmt: skip
    contents = about_models(ev, cmp, cut, gallery, asked)
    return replace(contents, reading=f"{contents.reading}\n{note}") if note else contents


def _compared(p: Predictions, asked: ReportOptions) -> tuple[Comparison | None, str]:
    """Every pair; where nobody asked for a comparison and there can be none, why there is none."""
    try:
        return _compare(p, asked), ""
    except InputError as reason:
        if {"metric", "reference", "margin", "cost_fp", "cost_fn", "costs"} & set(asked.changed):
            raise
        return None, f"Not compared: {reason}."


def _compare(p: Predictions, asked: ReportOptions) -> Comparison | None:
    """Every pair, where there are pairs and the models can be judged by what was asked."""
    if len(p.models) < 2:
        if asked.reference is not None or asked.margin is not None:
            raise InputError("reference= and margin= compare models, but there is only one")
        return None
    judge = partial(
        compare, p, reference=asked.reference, confidence=asked.confidence, rng=asked.rng, prior=asked.prior
    )
    if asked.by_cost:
        if asked.metric is not None or asked.margin is not None or asked.costs is not None:
            raise InputError("cost_fp= and cost_fn= judge by cost: leave metric=, costs= and margin= out")
        return judge(cost_fp=asked.cost_fp, cost_fn=asked.cost_fn)
    if asked.metric is None and asked.costs is None and not all(p.has_predictions(m) for m in p.models):
        return None
    return judge(metric=asked.metric, costs=asked.costs, margin=asked.margin)


def about_evaluation(ev: Evaluation, gallery: Gallery, asked: ReportOptions) -> Contents:
    """How good each model is; with the rows still at hand, their curves too."""
    asked.refuse("an evaluation", allowed=("ignore",))
    counted = ev.parts[0].counted if ev.parts else None
    return about_models(ev, None, None if counted is None else counted.predictions, gallery, asked)


def about_comparison(cmp: Comparison, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Which model is better."""
    asked.refuse("a comparison", allowed=("ignore",))
    return about_models(None, cmp, None, gallery, asked)


def about_models(
    ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None, gallery: Gallery, asked: ReportOptions
) -> Contents:
    """The page, as far as its parts are there."""
    judged = ev if cmp is None else cmp
    assert judged is not None
    explored, reason = _explored(p, asked)
    first: list[Section] = []
    if cmp is not None:
        groups = _text(brief(tiers(cmp).text(), cmp.models)) if len(cmp.models) <= MOST_TIERED else ()
        blocks = (differences_block(cmp), *groups, *_text(alike_within_margin(cmp).text()))
        first.append(Section(key="differences", title="Differences from the best", blocks=blocks))
    elif ev is not None:
        single = len(ev.parts) == 1
        blocks = tuple(html_panel(panel, FIGURES) for panel in evaluation_forest(ev).panels)
        first.append(Section(key="figures", title="Its figures" if single else "Figures", blocks=blocks))
    data = None
    if explored is not None:
        section, data = explorer_section(explored, gallery, cmp)
        first.append(section)
    used: list[Used] = [] if cmp is None else [used_in_comparison(cmp)]
    used += [] if ev is None else [used_in_evaluation(ev)]
    return Contents(
        title=TITLE,
        names=judged.models,
        verdicts=verdicts(ev, cmp),
        reading=judged.reading,
        estimand=judged.estimand,
        next_step="" if cmp is None else cmp.next_step,
        first=tuple(first),
        then=(*_tables(ev, cmp, gallery), *_folded(ev, cmp, p, explored, reason, gallery)),
        findings=_findings(ev, cmp),
        used=merged(*used),
        compares=cmp is not None,
        why="" if cmp is None else cmp.facts.why,
        settings={} if ev is None else ev.settings,
        confidence=float(ev.settings.get("confidence", 0.95)) if ev is not None else cmp.confidence if cmp else 0.95,
        explorer=data,
    )


def verdicts(ev: Evaluation | None, cmp: Comparison | None) -> Verdicts:
    """The comparison's verdict where there is one, else the models'."""
    if cmp is not None:
        return ((of_comparison(cmp), cmp.verdict),)
    assert ev is not None
    surety = of_model(ev.parts[0]) if len(ev.parts) == 1 else None
    return ((surety, ev.verdict),)


def _explored(p: Predictions | None, asked: ReportOptions) -> tuple[Explored | None, str]:
    """The curves for the explorer, or why there are none."""
    if p is None:
        return None, ""
    try:
        return explore(p, asked), ""
    except InputError as reason:
        return None, f"No curves: {reason}."


def _findings(ev: Evaluation | None, cmp: Comparison | None) -> tuple[Finding, ...]:
    return tuple(f for source in (cmp, ev) if source is not None for f in source.findings)


def _text(words: str) -> tuple[Markup, ...]:
    return (el("p", words, class_="lines"),) if words else ()


def _tables(ev: Evaluation | None, cmp: Comparison | None, gallery: Gallery) -> Iterator[Section]:
    if ev is None:
        assert cmp is not None
        yield Section(key="models", title="The models", blocks=(estimates_block(cmp),))
        return
    single = len(ev.parts) == 1
    metric = None if cmp is None else cmp.metric
    table = html_table(metrics_table(ev.parts[0]), title=FIGURES) if single else models_tables(ev, metric)
    reasons = _text(_reasons(ev))
    # What models were compared by is always shown, even where it is not among the usual figures.
    compared = () if cmp is None or cmp.metric in ev.parts[0].overall else (estimates_block(cmp),)
    yield Section(key="models", title="The model" if single else "The models", blocks=(*compared, table, *reasons))
    slices = slice_table(ev)
    if slices is not None:
        gap, verdict = gap_figures(ev, metric, gallery)
        blocks = (*gap, html_table(slices, sortable=True))
        yield Section(key="slices", title="By slice", lead=verdict, blocks=blocks)


def _reasons(ev: Evaluation) -> str:
    """Why figures are missing: each reason once, however many models it is said of."""
    lines = [line for part in ev.parts for line in reasons(part)]
    return "\n".join(list(dict.fromkeys(lines))[:MOST_REASONS])


def _folded(
    ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None, explored: Explored | None, reason: str,
    gallery: Gallery,
) -> Iterator[Section]:  # fmt: skip
    if cmp is not None and len(cmp.pairs) > 1:
        more = (html_table(cmp.wins(), title=WINS),) if 2 < len(cmp.models) <= MOST_CURVES else ()
        if len(cmp.models) > MOST_TIERED:
            more = (*_text(brief(tiers(cmp).text(), cmp.models)), *more)
        yield Section(key="pairs", title="All pairs", blocks=(pairs_block(cmp), *more), folded=True)
    yield from chart_sections(ev, p, explored, reason, gallery)


WINS = "Who beats whom: v where the column is better than the row, * where it is worse, ? where that cannot be told."


# Rows of a table that nobody laid out for reading.
MOST_ROWS = 200


def is_result(source: object) -> TypeGuard[Result]:
    """Whether this can be shown: a result of this library."""
    return isinstance(source, Result)


def about_result(result: Result, gallery: Gallery, *, key: str = "", title: str = "") -> Contents:
    """Learning curves, lesions, tests, intervals, curves: whatever can print, plot and tabulate itself.

    With a `key` it is a section beneath others, which says its verdict itself.
    """
    verdict = spoken(result)
    heading = title or heading_of(result)
    blocks = (*_result_figures(result, gallery), *_table(result)) or (el("pre", str(result)),)
    lead = verdict if key else ""
    section = Section(key=key or "result", title=clipped(heading), lead=lead, blocks=blocks)
    return Contents(
        title=heading,
        verdicts=((None, verdict),),
        reading=data_read(result),
        estimand=str(getattr(result, "estimand", "")),
        first=(section,),
        findings=findings_of(result),
        explained=str(result.explain()),
    )


def heading_of(result: Result) -> str:
    """The name of a result's kind, as words.

    >>> from trueerror.results import Interval
    >>> heading_of(Interval(name="x", estimate=0.5, low=0.4, high=0.6, confidence=0.95, method="wilson"))
    'Interval'
    """
    name = type(result).__name__
    return "".join(f" {c.lower()}" if c.isupper() and i else c for i, c in enumerate(name))


def spoken(result: Result) -> str:
    """The verdict of a result, or the first paragraph of what it prints."""
    return unwrapped(str(getattr(result, "verdict", ""))) or result.document().lead


def data_read(result: Result) -> str:
    """What was read: as the result says it, or the paragraph before its verdict."""
    summary = str(getattr(result, "reading", ""))
    first = result.document().lead
    return summary or ("" if not getattr(result, "verdict", "") or first in spoken(result) else first)


def findings_of(result: object) -> tuple[Finding, ...]:
    """The findings that a result carries, where it carries any."""
    return tuple(f for f in getattr(result, "findings", ()) if isinstance(f, Finding))


def _result_figures(result: Result, gallery: Gallery) -> list[Markup]:
    try:
        return [gallery.figure(result)]
    except InputError:
        # The result says by this that it has no picture; its table follows.
        return []


def _table(result: Result) -> list[Markup]:
    table = result if isinstance(result, Table) else result._table()
    if not table.columns:
        return []
    cut = len(table.rows) > MOST_ROWS
    title = f"The first {MOST_ROWS} of {len(table.rows):,} rows" if cut else ""
    short = Table(columns=table.columns, rows=table.rows[:MOST_ROWS], names=table.names, title=table.title or title)
    return [html_table(short, title="All figures", sortable=True)]
