"""The page about models on a test sample (predictions, an evaluation, a comparison), or about any other result.

The leaderboard, the table of models, all pairs, and the folded sections of curves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import TypeGuard

from markupsafe import Markup

from trueerror.findings._rules import Evidence, Finding, find
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._chart_sections import chart_sections, gap_figures
from trueerror.reports._contents import (
    Contents,
    ReportOptions,
    Said,
    Sayings,
    Used,
    comparison_answer,
    merged,
    of_model,
    used_in_comparison,
    used_in_evaluation,
)
from trueerror.reports._explorer import IN_FILE, IN_VERDICT, Explored, explore, explorer_section
from trueerror.reports._html import Gallery, Section, clipped, html_table, unwrapped
from trueerror.reports._leaderboard import (
    Column,
    cell,
    errors,
    evaluation_board,
    leaderboard,
    leaderboards,
    model_board,
    pairs_matrix,
    table_metrics,
)
from trueerror.results import Result
from trueerror.results._document import Cell, Table, TableBlock, cells_block
from trueerror.results._format import (
    BRIEF,
    brief_names,
    capitalised,
    clip,
    key_names,
    one_line,
    percent,
    whole,
)
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import compare
from trueerror.verbs._compare_costs import CostComparison
from trueerror.verbs._comparison import Comparison, alike_within_margin, slices_table, together_words
from trueerror.verbs._evaluate import evaluate
from trueerror.verbs._evaluation import (
    Evaluation,
    judged_sentences,
    models_block,
    reasons,
    verdict_lines,
)
from trueerror.verbs._model_metrics import constant_answers

# A model and five figures: more cannot be read at a glance.
TABLE_FIGURES = 5


def models_tables(ev: Evaluation, metric: str | None = None, order: Sequence[str] = ()) -> Markup:
    """A row for each model, in tables of at most six columns; `metric` is what models are compared by."""
    chosen = table_metrics(ev)
    if metric is not None and all(metric in p.overall for p in ev.parts):
        chosen = [metric, *(m for m in chosen if m != metric)]
    place = {m: i for i, m in enumerate(order)}
    ev = replace(ev, parts=tuple(sorted(ev.parts, key=lambda p: place.get(p.name, len(place)))))
    requested = bool(ev.settings.get("asked"))
    counted = not requested and all(p.confusion is not None and p.positive is not None for p in ev.parts)
    most = TABLE_FIGURES - (2 if counted else 0)
    groups = [chosen[i : i + most] for i in range(0, len(chosen), most)] if requested else [chosen[:most]]
    return joined(_figures_table(ev, group, counted) for group in groups)


def _figures_table(ev: Evaluation, metrics: list[str], counted: bool) -> Markup:
    """The table that an evaluation prints, with short names and the errors as counts."""
    block, names = models_block(ev, metrics), brief_names(ev.models)
    columns, keys = list(block.table.columns), block.keys or ()
    rows: list[list[Cell]] = [list(zip(*row, strict=True)) for row in zip(block.table.rows, keys, strict=True)]
    for row in rows:
        row[0] = names.get(row[0][0], row[0][0]), None
    if counted:
        columns[2:2] = ["misses", "false alarms"]
        for row, part in zip_longest(rows, ev.parts):
            row[2:2] = [("", None), ("", None)] if part is None else errors(part)
    return sortable(cells_block(columns, rows, title=block.table.remark))


def sortable(block: TableBlock) -> Markup:
    """A block of a document as a table that readers can sort."""
    return html_table(block.table, sortable=True, keys=block.keys)


def costs_block(cmp: CostComparison) -> Markup:
    """The errors that make the cost of each model, cheapest first, at the threshold that the costs name."""
    return html_table(cmp._table(), title="Cheapest first, at the threshold that follows from the costs", sortable=True)


def holds_for(cmp: Comparison) -> str:
    """For what the intervals of differences hold, as a sentence for a paper."""
    words = together_words(cmp)
    return f"Differences: {percent(cmp.confidence)} intervals{words}." if words else ""


TITLE = "How good are these models, really?"
MOST_REASONS = 8
# More names cannot be read across the head of a matrix.
MOST_IN_MATRIX = 60


def about_predictions(p: Predictions, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Everything about the models of predictions."""
    p.source.expect_scores()
    cmp, note = _compared(p, asked)
    # Judged by costs, scores are cut where the costs themselves say.
    cut = p
    if isinstance(cmp, CostComparison):
        cut = p.with_threshold(cmp.threshold)
        asked = replace(asked, cost_fp=cmp.cost_fp, cost_fn=cmp.cost_fn, costs=None)
    costs = _price_table(p, asked) if asked.by_cost and cmp is not None else asked.costs
    # Of two classes the page holds the curves of all models at once: their tables are counted once.
    with cut._tables_kept() if len(cut.labels) == 2 and cut.positive is not None else nullcontext():
        ev = evaluate(
            cut, metrics=asked.metric if len(p.models) == 1 else None, costs=costs, confidence=asked.confidence,
            rng=asked.rng, prior=asked.prior,
        )  # fmt: skip
        contents = about_models(ev, cmp, cut, gallery, asked)
    undo = [
        f"Column {one_line(column)!r} is used as {kind} (by its name). To change it: --{kind} none or {kind}=False."
        for kind, column in p.roles.recognised.items()
    ]
    return replace(contents, reading="\n".join([contents.reading, *undo, *([note] if note else [])]))


def _price_table(p: Predictions, asked: ReportOptions) -> list[list[float]]:
    """What each call of each class costs."""
    place = p.labels.index(p.positive)
    prices = [[0.0, 0.0], [0.0, 0.0]]
    prices[1 - place][place] = 1.0 if asked.cost_fp is None else float(asked.cost_fp)
    prices[place][1 - place] = 1.0 if asked.cost_fn is None else float(asked.cost_fn)
    return prices


def _compared(p: Predictions, asked: ReportOptions) -> tuple[Comparison | None, str]:
    """Every pair; where nobody asked for a comparison and there can be none, why there is none."""
    try:
        return _compare(p, asked), ""
    except InputError as reason:
        if {"metric", "reference", "margin", "cost_fp", "cost_fn", "costs"} & set(asked.changed()):
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
        return judge(
            metric=asked.metric, costs=asked.costs, margin=asked.margin, cost_fp=asked.cost_fp, cost_fn=asked.cost_fn
        )
    judged = p.scale is not None or all(p.has_predictions(m) for m in p.models)
    if asked.metric is None and asked.costs is None and not judged:
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
    explored, reason = _explored(p, asked, cmp)
    first = [_hero(ev, cmp, p)]
    data = None
    if explored is not None:
        section, data = explorer_section(explored, gallery, cmp, metric="accuracy" if ev is None else ev.first_metric)
        first.append(section)
    used: list[Used] = [] if cmp is None else [used_in_comparison(cmp)]
    used += [] if ev is None else [used_in_evaluation(ev)]
    results = (("comparison", cmp), ("evaluation", ev))
    return Contents(
        title=TITLE if len(judged.models) > 1 else f"How good is {clip(one_line(judged.models[0]), BRIEF)}, really?",
        names=judged.models,
        verdicts=answers(ev, cmp),
        reading=judged.reading,
        estimand=judged.estimand,
        next_step="" if cmp is None else cmp.next_step,
        first=tuple(first),
        then=(*_tables(ev, cmp, gallery), *_folded(ev, cmp, p, explored, reason, gallery)),
        findings=_findings(ev, cmp),
        used=merged(*used),
        compares="" if cmp is None else holds_for(cmp),
        why="" if cmp is None else cmp.facts.why,
        settings={} if ev is None else ev.settings,
        confidence=float(ev.settings.get("confidence", 0.95)) if ev is not None else cmp.confidence if cmp else 0.95,
        explorer=data,
        results=tuple((name, result) for name, result in results if result is not None),
    )


def _hero(ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None) -> Section:
    """The first figure: the leaderboard, or of one model its metrics."""
    if cmp is not None:
        blocks: tuple[Markup, ...] = (leaderboards([cmp, *_by_others(cmp, p)]), *_text(alike_within_margin(cmp).text()))
        return Section(key="board", title="Leaderboard", blocks=blocks)
    assert ev is not None
    if len(ev.parts) == 1:
        reasons = _text(_reasons(ev))
        return Section(key="models", title="How good it is", blocks=(model_board(ev.parts[0]), *reasons))
    return Section(key="board", title="Leaderboard", blocks=(leaderboard(evaluation_board(ev)),))


# What models are judged by too, where it can be had, and of how many models.
ALSO_BY = ("accuracy", "auc", "f1", "macro_f1", "hand_till_auc", "log_loss")
MOST_JUDGED = 12


def _by_others(cmp: Comparison, p: Predictions | None) -> Iterator[Comparison]:
    """The same models judged by other metrics; of many models by the one that was looked at already."""
    known = {} if cmp.also is None else {cmp.also.metric: cmp.also}
    yield from known.values()
    if p is None or len(cmp.models) > MOST_JUDGED:
        return
    for metric in ALSO_BY:
        if metric not in (cmp.metric, *known) and (metric != "macro_f1" or p.positive is None):
            with suppress(InputError):  # scores, probabilities or a positive class are missing
                yield compare(p, metric=metric, reference=cmp.reference, confidence=cmp.confidence)


def answers(ev: Evaluation | None, cmp: Comparison | None) -> Sayings:
    """The comparison's verdict where there is one, else the models'."""
    if cmp is not None:
        return (comparison_answer(cmp),)
    assert ev is not None
    if len(ev.parts) > 1:
        return (Said(words=ev.verdict),)
    first, *rest = verdict_lines(ev)
    head, *more = judged_sentences(ev.parts[0]) or (first,)
    rest = [*more, *rest]
    but = [line for line in rest if line in ev.findings.but()]
    words = [line for line in rest if line not in but]
    return (Said(surety=of_model(ev.parts[0]), headline=head, words=" ".join(words), but=" ".join(but)),)


def _explored(p: Predictions | None, asked: ReportOptions, cmp: Comparison | None) -> tuple[Explored | None, str]:
    """The curves for the explorer, or why there are none."""
    if p is None:
        return None, ""
    try:
        return explore(p, asked, now=IN_VERDICT if isinstance(cmp, CostComparison) else IN_FILE), ""
    except InputError as reason:
        return None, f"No curves: {reason}."


def _findings(ev: Evaluation | None, cmp: Comparison | None) -> tuple[Finding, ...]:
    found = tuple(f for source in (cmp, ev) if source is not None for f in source.findings)
    if ev is None or not isinstance(cmp, CostComparison):
        return found
    # The page speaks of 100 rows throughout, an evaluation of one.
    again = find(
        Evidence(model=part.name, constant_answers=[
            a if a.higher_is_better else a._replace(title="cost per 100 rows", per_100_rows=True)
            for a in constant_answers(part)
        ]) for part in ev.parts
    )  # fmt: skip
    at = next((i for i, f in enumerate(found) if f.code == "TE210"), len(found))
    rest = [f for f in found[at:] if f.code != "TE210"]
    return (*found[:at], *again, *rest)


def _text(words: str) -> tuple[Markup, ...]:
    return (el("p", words, class_="lines"),) if words else ()


def _tables(ev: Evaluation | None, cmp: Comparison | None, gallery: Gallery) -> Iterator[Section]:
    metric = None if cmp is None else cmp.metric
    if isinstance(cmp, CostComparison):
        yield Section(key="models", title="The models", blocks=(costs_block(cmp),))
    elif (
        ev is not None and len(ev.parts) > 1 and (cmp is None or ev.positive is not None or len(table_metrics(ev)) > 1)
    ):
        blocks = (models_tables(ev, metric, () if cmp is None else cmp.ranked), *_text(_reasons(ev)))
        yield Section(key="models", title="The models", blocks=blocks)
    if ev is not None and ev.slices:
        yield from _slices(ev, cmp, gallery)


# Slices in a table, and models beside each other in it.
MOST_SLICES = 40
MOST_BESIDE = 4


def _slices(ev: Evaluation, cmp: Comparison | None, gallery: Gallery) -> Iterator[Section]:
    """Each slice by what models are judged by."""
    metric = cmp.metric if cmp is not None else ev.first_metric
    by_cost = isinstance(cmp, CostComparison)
    gap, verdict = gap_figures(ev, metric, gallery, cmp)
    order = (ev.models if cmp is None else cmp.ranked)[:MOST_BESIDE]
    differences = [html_table(slices_table(cmp))] if cmp is not None and cmp.slices else []
    blocks = [*gap, *differences, _slice_table(ev, metric, order, by_cost=by_cost)]
    yield Section(key="slices", title="By slice", lead=verdict, blocks=tuple(blocks))


def _slice_table(ev: Evaluation, metric: str, order: Sequence[str], *, by_cost: bool) -> Markup:
    slices, shown = list(ev.slices.items())[:MOST_SLICES], key_names(ev.slices)
    intervals = {
        m: [next(p for p in inner.parts if p.name == m).metric_or_reason(metric) for _, inner in slices] for m in order
    }
    formats = {
        m: Column.of(model_intervals, power=2, least=1) if by_cost else Column.of(model_intervals)
        for m, model_intervals in intervals.items()
    }
    rows: list[list[Cell]] = [
        [(shown[value], None), (whole(inner.n), float(inner.n)), *(cell(formats[m], intervals[m][i]) for m in order)]
        for i, (value, inner) in enumerate(slices)
    ]
    title = "cost per 100 rows" if by_cost else find_measure(metric).title
    heads = [brief_names(ev.models)[m] for m in order] if len(order) > 1 else [title]
    more = "" if len(slices) == len(ev.slices) else f", the first {MOST_SLICES} of {len(ev.slices):,}"
    how = " that hold together" if ev.settings.get("together") else ", each by itself"
    caption = f"{capitalised(title)} by slice{more}; in brackets: {percent(ev.parts[0].confidence)} intervals{how}"
    return sortable(cells_block(("slice", "rows", *heads), rows, title=caption))


def _reasons(ev: Evaluation) -> str:
    """Why figures are missing: each reason once, however many models it is said of."""
    lines = [line for part in ev.parts for line in reasons(part)]
    return "\n".join(list(dict.fromkeys(lines))[:MOST_REASONS])


def _folded(
    ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None, explored: Explored | None, reason: str,
    gallery: Gallery,
) -> Iterator[Section]:  # fmt: skip
    if cmp is not None and 2 < len(cmp.models) <= MOST_IN_MATRIX and len(cmp.pairs) > 1:
        broad = len(cmp.models) > TABLE_FIGURES
        yield Section(key="pairs", title="All pairs", blocks=(pairs_matrix(cmp, gallery),), folded=True, broad=broad)
    yield from chart_sections(ev, p, explored, reason, gallery)


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
        verdicts=(Said(words=verdict),),
        reading=data_read(result),
        estimand=str(getattr(result, "estimand", "")),
        first=(section,),
        findings=findings_of(result),
        explained=str(result.explain()),
        results=((key or "result", result),),
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
