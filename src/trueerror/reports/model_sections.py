"""The page about models on a test sample: from predictions, an evaluation or a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from trueerror.findings.finding import Finding
from trueerror.inputs.errors import InputError
from trueerror.plots.evaluations import evaluation_forest
from trueerror.reports.asked import Asked
from trueerror.reports.confusions import confusion_block
from trueerror.reports.contents import Contents
from trueerror.reports.curve_sections import MOST_CURVES, class_sections, curve_sections
from trueerror.reports.explorer import explorer_section
from trueerror.reports.explorer_data import Explored, explore
from trueerror.reports.html_forest import html_panel
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import Section, brief, el, joined, named
from trueerror.reports.methods_words import Used, merged, used_in_comparison, used_in_evaluation
from trueerror.reports.model_tables import differences_block, estimates_block, models_block, pairs_block
from trueerror.reports.pictures import Gallery
from trueerror.reports.verdicts import Surety, of_comparison, of_model
from trueerror.rows.predictions import Predictions
from trueerror.verbs.comparing import compare
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.comparison_words import margin_text, tiers_text
from trueerror.verbs.costing import CostComparison
from trueerror.verbs.evaluating import evaluate
from trueerror.verbs.evaluation import Evaluation
from trueerror.verbs.evaluation_words import class_table, overall_table, reasons_text, slice_table, spoken_verdict

TITLE = "How good are these models, really?"
MOST_REASONS = 8
# With more models the sets that were not told apart stand with the pairs.
MOST_TIERED = 6
FIGURES = "Each figure with its interval"


def about_predictions(p: Predictions, gallery: Gallery, asked: Asked) -> Contents:
    """Everything about the models of predictions."""
    cmp, note = _compared(p, asked)
    # Judged by costs, scores are cut where the costs themselves say.
    threshold = cmp.threshold if isinstance(cmp, CostComparison) else None
    cut = p if threshold is None else p.with_threshold(threshold)
    ev = evaluate(cut, confidence=asked.confidence, rng=asked.rng, prior=asked.prior)
    made = about_models(ev, cmp, cut, gallery, asked)
    return replace(made, reading=f"{made.reading}\n{note}") if note else made


def _compared(p: Predictions, asked: Asked) -> tuple[Comparison | None, str]:
    """Every pair; where nobody asked for a comparison and there can be none, why there is none."""
    try:
        return _compare(p, asked), ""
    except InputError as reason:
        if {"metric", "reference", "margin", "cost_fp", "cost_fn"} & set(asked.changed):
            raise
        return None, f"Not compared: {reason}."


def _compare(p: Predictions, asked: Asked) -> Comparison | None:
    """Every pair, where there are pairs and the models can be judged by what was asked."""
    if len(p.models) < 2:
        if asked.reference is not None or asked.margin is not None:
            raise InputError("reference= and margin= compare models, but there is only one")
        return None
    common = {"reference": asked.reference, "confidence": asked.confidence, "rng": asked.rng}
    if asked.by_cost:
        if asked.metric != "accuracy" or asked.margin is not None:
            raise InputError("cost_fp= and cost_fn= judge by cost: leave metric= and margin= out")
        return compare(p, cost_fp=asked.cost_fp, cost_fn=asked.cost_fn, prior=asked.prior, **common)
    if asked.metric == "accuracy" and not all(p.can_call(m) for m in p.models):
        return None
    return compare(p, metric=asked.metric, margin=asked.margin, **common)


def about_evaluation(ev: Evaluation, gallery: Gallery, asked: Asked) -> Contents:
    """How good each model is; with the rows still at hand, their curves too."""
    asked.refuse("an evaluation", allowed=("ignore",))
    bench = ev.parts[0]._bench if ev.parts else None
    return about_models(ev, None, None if bench is None else bench.predictions, gallery, asked)


def about_comparison(cmp: Comparison, gallery: Gallery, asked: Asked) -> Contents:
    """Which model is better."""
    asked.refuse("a comparison", allowed=("ignore",))
    return about_models(None, cmp, None, gallery, asked)


def about_models(
    ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None, gallery: Gallery, asked: Asked
) -> Contents:
    """The page, as far as its parts are there."""
    shown: Any = ev if cmp is None else cmp
    explored, reason = _explored(p, asked)
    first: list[Section] = []
    if cmp is not None:
        tiers = _text(brief(tiers_text(cmp), cmp.models)) if len(cmp.models) <= MOST_TIERED else ()
        blocks = (differences_block(cmp), *tiers, *_text(margin_text(cmp)))
        first.append(Section(key="differences", title="Differences from the best", blocks=blocks))
    elif ev is not None:
        single = len(ev.parts) == 1
        blocks = tuple(html_panel(panel, FIGURES) for panel in evaluation_forest(ev).panels)
        first.append(Section(key="figures", title="Its figures" if single else "Figures", blocks=blocks))
    data = None
    if explored is not None:
        section, data = explorer_section(explored, gallery)
        first.append(section)
    used: list[Used] = [] if cmp is None else [used_in_comparison(cmp)]
    used += [] if ev is None else [used_in_evaluation(ev)]
    return Contents(
        title=TITLE,
        names=shown.models,
        verdicts=verdicts(ev, cmp),
        reading=shown.reading,
        estimand=shown.estimand,
        next_step="" if cmp is None else cmp.next_step,
        first=tuple(first),
        then=(*_tables(ev, cmp), *_folded(ev, cmp, p, explored, reason, gallery)),
        findings=_findings(ev, cmp),
        used=merged(*used),
        why="" if cmp is None else str(cmp.facts.get("why", "")),
        settings={} if ev is None else ev.settings,
        confidence=shown.confidence if ev is None else float(ev.settings.get("confidence", 0.95)),
        explorer=data,
    )


def verdicts(ev: Evaluation | None, cmp: Comparison | None) -> tuple[tuple[Surety | None, str], ...]:
    """The comparison's verdict where there is one, else the models'."""
    if cmp is not None:
        return ((of_comparison(cmp), cmp.verdict),)
    assert ev is not None
    surety = of_model(ev.parts[0]) if len(ev.parts) == 1 else None
    return ((surety, spoken_verdict(ev)),)


def _explored(p: Predictions | None, asked: Asked) -> tuple[Explored | None, str]:
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


def _tables(ev: Evaluation | None, cmp: Comparison | None) -> Iterator[Section]:
    if ev is None:
        assert cmp is not None
        yield Section(key="models", title="The models", blocks=(estimates_block(cmp),))
        return
    single = len(ev.parts) == 1
    metric = None if cmp is None else cmp.metric
    table = html_table(overall_table(ev), title=FIGURES) if single else models_block(ev, metric)
    reasons = _text(_reasons(ev))
    # What models were compared by is always shown, even where it is not among the usual figures.
    compared = () if cmp is None or cmp.metric in ev.parts[0].overall else (estimates_block(cmp),)
    yield Section(key="models", title="The model" if single else "The models", blocks=(*compared, table, *reasons))
    if ev.slices:
        yield Section(key="slices", title="By slice", blocks=(html_table(slice_table(ev), sortable=True),))


def _reasons(ev: Evaluation) -> str:
    """Why figures are missing: each reason once, however many models it is said of."""
    lines = [line for part in ev.parts for line in reasons_text(part).replace("\n  ", " ").split("\n") if line]
    return "\n".join(list(dict.fromkeys(lines))[:MOST_REASONS])


def _folded(
    ev: Evaluation | None, cmp: Comparison | None, p: Predictions | None, explored: Explored | None, reason: str,
    gallery: Gallery,
) -> Iterator[Section]:  # fmt: skip
    if cmp is not None and len(cmp.pairs) > 1:
        more = (html_table(cmp.wins(), title=WINS),) if 2 < len(cmp.models) <= MOST_CURVES else ()
        if len(cmp.models) > MOST_TIERED:
            more = (*_text(brief(tiers_text(cmp), cmp.models)), *more)
        yield Section(key="pairs", title="All pairs", blocks=(pairs_block(cmp), *more), folded=True)
    if ev is not None and any(part.confusion is not None for part in ev.parts):
        yield Section(key="confusions", title="Confusion matrices", blocks=(_confusions(ev),), folded=True)
    if explored is not None and p is not None:
        yield from curve_sections(p, list(explored.curves), gallery)
    elif p is not None and not reason:
        yield from class_sections(p, gallery)
    elif reason:
        yield Section(key="curves", title="Curves", blocks=(el("p", reason),), folded=True)


WINS = "Who beats whom: v where the column is better than the row, * where it is worse, ? where that cannot be told."


def _confusions(ev: Evaluation) -> Markup:
    blocks = []
    for part in ev.parts:
        if part.confusion is None:
            continue
        inner = [confusion_block(part.confusion, part.name)]
        if len(part.confusion.labels) > 2 or part.positive is None:
            inner.append(html_table(class_table(part), title=f"{named(part.name)} by class", sortable=True))
        blocks.append(el("div", *inner, class_="matrix"))
    return el("div", joined(blocks), class_="matrices")
