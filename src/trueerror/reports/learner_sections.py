"""The page about learners: an experiment with its test parts, over one data set or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import mean
from typing import Any

from markupsafe import Markup

from trueerror.experiments.gathered import Experiment
from trueerror.findings.finding import Finding
from trueerror.inputs.errors import InputError
from trueerror.reports.any_sections import findings_of
from trueerror.reports.asked import Asked
from trueerror.reports.contents import Contents
from trueerror.reports.explorer import explorer_section
from trueerror.reports.explorer_data import explore
from trueerror.reports.html_tables import html_table
from trueerror.reports.learner_overview import Estimates, constant, overview, what_was_compared
from trueerror.reports.markup import Section, el, named
from trueerror.reports.methods_words import Used, merged, used_in_comparison
from trueerror.reports.model_tables import differences_block, pairs_block
from trueerror.reports.pictures import Gallery
from trueerror.reports.ranking_sections import ranking_methods
from trueerror.reports.verdicts import of_comparison, of_ranking
from trueerror.results import Interval
from trueerror.results.tables import Table
from trueerror.results.words import number, percent
from trueerror.significance.ranking import Ranking
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.evaluation_words import short

TITLE = "How good are these learners, really?"
# Learners beside each other in the table of test parts, and its rows.
MOST_COLUMNS = 5
MOST_PARTS = 100
MOST_SETS_OPEN = 3


def about_experiment(run: Experiment, gallery: Gallery, asked: Asked) -> Contents:
    """Learners over data sets: who is better, the figures of each, the test parts behind them, what went wrong."""
    asked.refuse("an experiment", allowed=("metric", "reference", "margin", "confidence", "rng", "ignore"))
    if run.plan.name == "NestedCV":
        return _about_choice(run, asked)
    metric = asked.metric
    notes: list[str] = []
    compared = {d: _compared(run, asked, d, notes) for d in run.datasets} if len(run.learners) > 1 else {}
    comparisons = {d: c for d, c in compared.items() if c is not None}
    ranking = _ranked(run, metric, notes) if len(run.datasets) > 1 and len(run.learners) > 1 else None
    estimates = _estimates(run, asked, notes)
    first: list[Section] = []
    if len(run.datasets) > 1:
        first += overview(run, metric, estimates, run.learners if ranking is None else ranking.order)
    if ranking is not None:
        blocks = (gallery.figure(ranking), html_table(ranking._table(), title="Mean ranks; 1 is best", sortable=True))
        first.append(Section(key="ranks", title="Ranks over the data sets", blocks=blocks))
    for i, (d, c) in enumerate(comparisons.items(), start=1):
        where = "" if len(run.datasets) == 1 else f" on {named(d)}"
        blocks = (el("p", c.verdict, class_="verdict") if where else Markup(""), differences_block(c))
        folded = len(comparisons) > MOST_SETS_OPEN
        first.append(
            Section(key=f"differences-{i}", title=f"Differences from the best{where}", blocks=blocks, folded=folded)
        )
    panels, data = _explorer(run, gallery, notes)
    first += panels
    tables = tuple(_estimates_table(run, d, e) for d, e in estimates.items())
    then = [
        Section(key="models", title="The learners", blocks=tables),
        *_pairs(comparisons),
        *_parts(run, metric, notes),
        *_curves(run, gallery, notes),
        _fits(run, notes),
    ]
    every: list[Interval] = [i for rows in estimates.values() for found in rows.values() for i in found.values()]
    used = merged(*(used_in_comparison(c) for c in comparisons.values()), _estimate_methods(estimates))
    if ranking is not None:
        used = merged(ranking_methods(ranking), used)
    return Contents(
        title=TITLE,
        names=run.learners,
        verdicts=_verdicts(ranking, comparisons, estimates),
        reading=what_was_compared(run, metric),
        estimand=_estimand(comparisons, every),
        next_step=next((c.next_step for c in comparisons.values() if c.next_step), "") if ranking is None else "",
        first=tuple(first),
        then=tuple(then),
        findings=_all_findings(ranking, comparisons),
        used=used,
        explorer=data,
        confidence=asked.confidence,
        settings={"plan": repr(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )


SETTINGS_ALONE = (
    "The chosen one is what choosing among the settings gives, test rows never taking part. The settings below it are "
    "each judged by itself: the best-looking of them is picked by these very rows, and flatters."
)


def _about_choice(run: Experiment, asked: Asked) -> Contents:
    """Settings among which each training part chooses: the chosen one leads, and no setting is crowned by test rows."""
    summary = run.summary([asked.metric], confidence=asked.confidence)
    several = len(summary.verdicts) > 1
    notes = [f"{note}." for note in summary.notes]
    table = html_table(summary._table(), sortable=True)
    estimates: Estimates = {}
    for e in summary.estimates:
        estimates.setdefault(e.data, {}).setdefault(e.learner, {})[e.metric] = e.interval
    every = [e.interval for e in summary.estimates]
    return Contents(
        title="How good is the chosen setting, really?",
        names=run.learners,
        verdicts=tuple((None, f"{named(d)}: {v}" if several else v) for d, v in summary.verdicts.items()),
        reading=what_was_compared(run, asked.metric),
        estimand=next((f"Estimates: {i.estimand}." for i in every if i.estimand), ""),
        first=(Section(key="models", title="The chosen one, and each setting by itself", lead=SETTINGS_ALONE,
                       blocks=(table,)),),
        then=(*_parts(run, asked.metric, notes), _fits(run, notes)),
        findings=tuple(summary.findings),
        used=_estimate_methods(estimates),
        confidence=asked.confidence,
        settings={"plan": repr(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )  # fmt: skip


def _estimand(comparisons: dict[str, Comparison], every: list[Interval]) -> str:
    if len(comparisons) > 1:
        return "Estimates: these learners at the training sizes of this plan, on rows like those of each data set."
    found = next((c.estimand for c in comparisons.values()), "")
    return found or next((f"Estimates: {i.estimand}." for i in every if i.estimand), "")


def _explorer(run: Experiment, gallery: Gallery, notes: list[str]) -> tuple[list[Section], dict[str, Any] | None]:
    """The explorer over the test rows of one round, where every row was tested once in it."""
    if len(run.datasets) > 1 or run.plan.name in ("Bootstrap", "Subsampling"):
        return [], None
    try:
        p = run.predictions()
        if p.has_key("repeats"):
            p = p.slice(p.keys("repeats").names[0], "repeats")
        explored = explore(p)
    except InputError as reason:
        notes.append(f"No operating points: {reason}.")
        return [], None
    if explored is None:
        return [], None
    section, data = explorer_section(explored, gallery)
    pooled = "The test rows of one round stand in one ranking, as if the scores of different folds were comparable."
    return [replace(section, lead=f"{section.lead} {pooled}")], data


def _compared(run: Experiment, asked: Asked, data: str, notes: list[str]) -> Comparison | None:
    options = {"reference": asked.reference, "margin": asked.margin, "confidence": asked.confidence, "rng": asked.rng}
    try:
        return run.compare(asked.metric, data, **options)
    except InputError as reason:
        notes.append(f"Not compared on {named(data)}: {reason}.")
        return None


def _ranked(run: Experiment, metric: str, notes: list[str]) -> Ranking | None:
    try:
        return run.rank(metric)
    except InputError as reason:
        notes.append(f"Not ranked: {reason}.")
        return None


def _estimates(run: Experiment, asked: Asked, notes: list[str]) -> Estimates:
    metric = asked.metric
    found: Estimates = {}
    for d, dataset in run.datasets.items():
        metrics = [metric, *(["auc"] if dataset.positive is not None and metric != "auc" else [])]
        for learner in run.learners:
            for m in metrics:
                try:
                    made = run.estimate(learner, d, m, confidence=asked.confidence, rng=asked.rng)
                except InputError as reason:
                    notes.append(f"Not estimated: {m} of {named(learner)} on {named(d)}: {reason}.")
                    continue
                found.setdefault(d, {}).setdefault(learner, {})[m] = made
    return found


def _estimates_table(run: Experiment, data: str, rows: dict[str, dict[str, Interval]]) -> Markup:
    metrics = list(dict.fromkeys(m for found in rows.values() for m in found))
    times = {x: [t.fit_seconds for t in run.times if t.data == data and t.learner == x] for x in run.learners}
    cells = tuple(
        (x, *(short(found[m]) if m in found else "–" for m in metrics), f"{number(mean(times[x]))} s")
        for x, found in rows.items()
    )
    keys = [
        [None, *(found[m].estimate if m in found else None for m in metrics), mean(times[x])]
        for x, found in rows.items()
    ]
    bases = [constant(run, data, m) for m in metrics]
    if any(bases):
        name = next(base[0] for base in bases if base is not None)
        cells = (*cells, (name, *("" if base is None else number(base[1]) for base in bases), ""))
        keys.append([None, *(None if base is None else base[1] for base in bases), None])
    level = percent(next(i.confidence for found in rows.values() for i in found.values()))
    where = "" if len(run.datasets) == 1 else f"{named(data)}. "
    title = f"{where}In brackets: {level} intervals; they speak of learners, not of one model."
    table = Table(
        columns=("learner", *(m.replace("_", " ") for m in metrics), "time of a fit"), rows=cells, title=title
    )
    return html_table(table, sortable=True, keys=keys)


def _estimate_methods(estimates: Estimates) -> Used:
    return merged(
        *({i.method: [m.replace("_", " ")]} for rows in estimates.values() for found in rows.values()
          for m, i in found.items() if i.method)
    )  # fmt: skip


def _verdicts(ranking: Ranking | None, comparisons: dict[str, Comparison], estimates: Estimates) -> Any:
    if ranking is not None:
        return ((of_ranking(ranking), " ".join(ranking.verdict.split())),)
    if comparisons:
        return tuple((of_comparison(c), c.verdict) for c in comparisons.values())
    lines = []
    for d, rows in estimates.items():
        for learner, found in rows.items():
            m, i = next(iter(found.items()))
            plausible = f"plausibly {number(i.low)} to {number(i.high)}"
            lines.append((None, f"{named(learner)} on {named(d)}: {m} {number(i.estimate)}, {plausible}."))
    return tuple(lines)


def _all_findings(ranking: Ranking | None, comparisons: dict[str, Comparison]) -> tuple[Finding, ...]:
    several = len(comparisons) > 1
    found = [_on(f, d) if several else f for d, c in comparisons.items() for f in c.findings]
    return (*findings_of(ranking), *found)


def _on(f: Finding, data: str) -> Finding:
    """A finding that says on which data set it was made."""
    return replace(f, about=f"{data}: {f.about}" if f.about else data)


def _pairs(comparisons: dict[str, Comparison]) -> Iterator[Section]:
    for i, (d, c) in enumerate(comparisons.items(), start=1):
        if len(c.pairs) > 1:
            where = "" if len(comparisons) == 1 else f" on {named(d)}"
            yield Section(key=f"pairs-{i}", title=f"All pairs{where}", blocks=(pairs_block(c),), folded=True)


def _parts(run: Experiment, metric: str, notes: list[str]) -> Iterator[Section]:
    """The score of every learner on every test part."""
    for i, d in enumerate(run.datasets, start=1):
        try:
            scores = run.fold_scores(metric, d)
        except InputError as reason:
            notes.append(f"No scores of test parts on {named(d)}: {reason}.")
            continue
        blocks = []
        count = len(scores.folds)
        kept = min(count, MOST_PARTS)
        for start in range(0, len(run.learners), MOST_COLUMNS):
            some = run.learners[start : start + MOST_COLUMNS]
            rows = tuple(
                (
                    f"{int(scores.repeats[k]) + 1}.{int(scores.folds[k]) + 1}",
                    *(number(float(scores.of(x)[k])) for x in some),
                )
                for k in range(kept)
            )
            keys = [[None, *(float(scores.of(x)[k]) for x in some)] for k in range(kept)]
            cut = "" if kept == count else f" (the first {kept} of {count:,})"
            title = f"{metric.replace('_', ' ')} on each test part{cut}; repeat.part"
            blocks.append(html_table(Table(columns=("part", *some), rows=rows, title=title), sortable=True, keys=keys))
        where = "" if len(run.datasets) == 1 else f" of {named(d)}"
        yield Section(key=f"parts-{i}", title=f"Test parts{where}", blocks=tuple(blocks), folded=True)


def _curves(run: Experiment, gallery: Gallery, notes: list[str]) -> Iterator[Section]:
    """ROC curves averaged over the test parts, with what the parts differ by."""
    for i, (d, dataset) in enumerate(run.datasets.items(), start=1):
        if dataset.positive is None:
            continue
        try:
            curves = {x: run.roc(x, d, how="vertical") for x in run.learners}
            block = gallery.figure(curves)
        except InputError as reason:
            notes.append(f"No ROC curves on {named(d)}: {reason}.")
            continue
        where = "" if len(run.datasets) == 1 else f" on {named(d)}"
        yield Section(
            key=f"roc-{i}", title=f"ROC curves, averaged over test parts{where}", blocks=(block,), folded=True
        )


def _fits(run: Experiment, notes: list[str]) -> Section:
    """How the fits went: how many, how long, what failed, what warned."""
    seconds = sum(t.fit_seconds + t.predict_seconds for t in run.times)
    blocks = [el("p", f"{len(run.times):,} fits took {number(seconds)} seconds in all; {len(run.failures):,} failed.")]
    blocks += [el("p", note, class_="note") for note in notes]
    if run.failures:
        rows = tuple((f.learner, f.data, f"{f.repeat + 1}.{f.fold + 1}", f.error[:200]) for f in run.failures[:50])
        table = Table(columns=("learner", "data set", "part", "error"), rows=rows, names=4)
        blocks.append(html_table(table, title="Fits that failed (at most 50 are shown)"))
    warned = list(dict.fromkeys((w.learner, w.message[:200]) for w in run.warnings))[:50]
    if warned:
        table = Table(columns=("learner", "warning"), rows=tuple(warned), names=2)
        blocks.append(html_table(table, title="What learners warned of (each once)"))
    return Section(key="fits", title="The fits", blocks=tuple(blocks), folded=True)
