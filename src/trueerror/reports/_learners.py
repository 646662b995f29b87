"""The page about learners: an experiment with its test parts, on one data set or several, or a ranking of learners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import mean
from typing import TypeVar

from markupsafe import Markup

from trueerror.experiments._result import Experiment
from trueerror.experiments._summary import constant_figure, data_words, estimates_by_data, learner_rows
from trueerror.findings._rules import Finding
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure
from trueerror.plots.svg._elements import el
from trueerror.reports._contents import (
    Contents,
    ReportOptions,
    Used,
    Verdicts,
    merged,
    of_comparison,
    of_ranking,
    used_in_comparison,
)
from trueerror.reports._explorer import explore, explorer_section
from trueerror.reports._html import Section, clipped, html_table, unwrapped
from trueerror.reports._models import differences_block, findings_of, pairs_block, sortable
from trueerror.reports._svg import Gallery
from trueerror.resampling._cross_validation import KFold
from trueerror.resampling._plan import Plan
from trueerror.results import Interval
from trueerror.results._document import Cell, Table, cells_block
from trueerror.results._format import number, percent, whole
from trueerror.results._values import interval_cell
from trueerror.verbs._comparison import Comparison
from trueerror.verbs._ranking_result import LearnerRanking, scores_table

# Learners beside each other in the table of data sets, best first.
MOST_LEARNERS = 4
T = TypeVar("T")
# Data set → learner → metric → interval.
Estimates = dict[str, dict[str, dict[str, Interval]]]


def what_was_compared(run: Experiment, metric: str) -> str:
    """Learners, data sets and how they were split, in words; then the rows of each data set, and what failed."""
    lead, *failed = run.lines(f" by {find_measure(metric).title}; {plan_words(run.plan)}")
    return "\n".join(line for line in (lead, *data_words(run), _constant_words(run, metric), *failed) if line)


def plan_words(plan: Plan) -> str:
    """How rows were split, in words where there are short ones.

    >>> from trueerror.resampling._cross_validation import KFold
    >>> plan_words(KFold(10, repeats=2)), plan_words(KFold(5))
    ('10 folds × 2 repeats', '5 folds, 1 round')
    """
    if isinstance(plan, KFold):
        return f"{plan.k} folds × {plan.repeats} repeats" if plan.repeats > 1 else f"{plan.k} folds, 1 round"
    return repr(plan)


def constant(run: Experiment, data: str, metric: str) -> tuple[str, float] | None:
    """Always answering the commonest class, and its accuracy or error rate; None for other metrics."""
    label, share = run.commonest(data)
    figure = constant_figure(share, find_measure(metric).name)
    return None if figure is None else (f'always "{label}"', figure)


def _constant_words(run: Experiment, metric: str) -> str:
    """A sentence about it where there is one data set."""
    data = next(iter(run.datasets))
    base = constant(run, data, metric)
    if base is None or len(run.datasets) > 1:
        return ""
    label = run.commonest(data)[0]
    return f'Always answering "{label}", without a learner, has {find_measure(metric).title} {number(base[1])}.'


def overview(run: Experiment, metric: str, estimates: Estimates, order: tuple[str, ...]) -> list[Section]:
    """A row for each data set: how many rows, what no learner would get, what the best learners get."""
    name = find_measure(metric).name
    found = {d: rows for d, rows in estimates.items() if any(metric in own or name in own for own in rows.values())}
    if not found:
        return []
    shown = order[:MOST_LEARNERS]
    rows: list[list[Cell]] = []
    for d, own in found.items():
        base = constant(run, d, metric)
        figures = [interval_cell(own.get(x, {}).get(metric)) for x in shown]
        bare_cells: list[Cell] = [] if base is None else [(f"{number(base[1])} ({base[0]})", base[1])]
        rows.append([(d, None), (whole(run.datasets[d].n), float(run.datasets[d].n)), *bare_cells, *figures])
    level = percent(next(i.confidence for own in found.values() for r in own.values() for i in r.values()))
    few = f", the {len(shown)} best ranked of {len(order)} learners" if len(shown) < len(order) else ""
    title = f"{find_measure(metric).title} with {level} intervals{few}"
    bare = () if constant(run, next(iter(found)), metric) is None else ("no learner",)
    block = cells_block(("data set", "rows", *bare, *shown), rows, title=title)
    return [Section(key="sets", title="The data sets", blocks=(sortable(block),))]


RANKING_TITLE = "Which learner is best over these data sets?"
# With more learners than this a matrix of pairs cannot be read.
MOST_PAIRED = 12


def about_ranking(ranking: Ranking, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Mean ranks, who can be told apart, and the scores behind them."""
    asked.refuse("a ranking", allowed=("ignore",))
    blocks = [gallery.figure(ranking), html_table(ranking._table(), title="Mean ranks; 1 is best", sortable=True)]
    then: list[Section] = []
    if isinstance(ranking, LearnerRanking):
        scores = scores_table(ranking)
        if scores is not None:
            then.append(Section(key="scores", title="Scores by data set", blocks=(html_table(scores),)))
        if len(ranking.names) <= MOST_PAIRED:
            pairs = html_table(ranking.matrix(), title="Row against column: mean difference · won–tied–lost · p")
            then.append(Section(key="pairs", title="All pairs", blocks=(pairs,), folded=True))
    sets = "1 data set" if ranking.n == 1 else f"{ranking.n:,} data sets"
    reading = getattr(ranking, "reading", "") or f"Read {sets} × {len(ranking.names)} models."
    return Contents(
        title=RANKING_TITLE,
        names=ranking.names,
        verdicts=((of_ranking(ranking), unwrapped(ranking.verdict)),),
        reading=reading,
        estimand="Estimates: these learners on data sets like these.",
        first=(Section(key="ranks", title="Mean ranks", blocks=tuple(blocks), lead=ranking.note),),
        then=tuple(then),
        findings=findings_of(ranking),
        used=ranking_methods(ranking),
        confidence=1 - ranking.alpha,
    )


def ranking_methods(ranking: Ranking) -> Used:
    """The methods behind a ranking."""
    used: Used = {ranking.method: ["pairs of learners over data sets"]}
    adjust = getattr(ranking, "adjust", "none")
    if ranking.method in ("wilcoxon", "sign") and adjust != "none" and len(ranking.pairs) > 1:
        used[adjust] = [f"p-values of {len(ranking.pairs)} pairs"]
    if len(ranking.names) > 2:
        used |= {"friedman": ["any difference at all"], "iman-davenport": ["any difference at all"]}
    if getattr(ranking, "within", ()):
        used["corrected-t-test"] = ["pairs within a data set"]
    return used


TITLE = "How good are these learners, really?"
# Learners beside each other in the table of test parts, and its rows.
MOST_COLUMNS = 5
MOST_PARTS = 100
MOST_SETS_OPEN = 3


def about_experiment(run: Experiment, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Learners over data sets: who is better, the figures of each, the test parts behind them, what went wrong."""
    asked.refuse("an experiment", allowed=("metric", "reference", "margin", "confidence", "rng", "ignore"))
    if run.plan.name == "NestedCV":
        return _about_choice(run, asked)
    metric = asked.metric_name
    notes: list[str] = []
    compared = {d: _compared(run, asked, d, notes) for d in run.datasets} if len(run.learners) > 1 else {}
    comparisons = {d: c for d, c in compared.items() if c is not None}
    several = len(run.datasets) > 1 and len(run.learners) > 1
    ranking = _tried(partial(run.rank, metric), notes, "Not ranked") if several else None
    estimates = _estimates(run, asked, notes)
    first: list[Section] = []
    if len(run.datasets) > 1:
        first += overview(run, metric, estimates, run.learners if ranking is None else ranking.order)
    if ranking is not None:
        blocks = (gallery.figure(ranking), html_table(ranking._table(), title="Mean ranks; 1 is best", sortable=True))
        first.append(Section(key="ranks", title="Ranks over the data sets", blocks=blocks))
    for i, (d, c) in enumerate(comparisons.items(), start=1):
        where = "" if len(run.datasets) == 1 else f" on {clipped(d)}"
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
        compares=bool(comparisons),
        explorer=data,
        confidence=asked.confidence,
        settings={"plan": repr(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )


SETTINGS_ALONE = (
    "The chosen one is what choosing among the settings gives, test rows never taking part. The settings below it are "
    "each judged by itself: the best-looking of them is picked by these very rows, and flatters."
)


def _about_choice(run: Experiment, asked: ReportOptions) -> Contents:
    """Settings among which each training part chooses: the chosen one leads, and no setting is crowned by test rows."""
    summary = run.summary([asked.metric_name], confidence=asked.confidence, ignore=asked.ignore)
    several = len(summary.verdicts) > 1
    notes = [f"{note}." for note in summary.notes]
    table = html_table(summary._table(), sortable=True)
    every = [e.interval for e in summary.estimates]
    return Contents(
        title="How good is the chosen setting, really?",
        names=run.learners,
        verdicts=tuple((None, f"{clipped(d)}: {v}" if several else v) for d, v in summary.verdicts.items()),
        reading=what_was_compared(run, asked.metric_name),
        estimand=next((f"Estimates: {i.estimand}." for i in every if i.estimand), ""),
        first=(Section(key="models", title="The chosen one, and each setting by itself", lead=SETTINGS_ALONE,
                       blocks=(table,)),),
        then=(*_parts(run, asked.metric_name, notes), _fits(run, notes)),
        findings=tuple(summary.findings),
        used=_estimate_methods(estimates_by_data(summary)),
        confidence=asked.confidence,
        settings={"plan": repr(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )  # fmt: skip


def _estimand(comparisons: dict[str, Comparison], every: list[Interval]) -> str:
    if len(comparisons) > 1:
        return "Estimates: these learners at the training sizes of this plan, on rows like those of each data set."
    compared = next((c.estimand for c in comparisons.values()), "")
    return compared or next((f"Estimates: {i.estimand}." for i in every if i.estimand), "")


def _explorer(run: Experiment, gallery: Gallery, notes: list[str]) -> tuple[list[Section], dict[str, object] | None]:
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


def _tried(make: Callable[[], T], notes: list[str], failure: str) -> T | None:
    """What is made, or a note why it could not be."""
    try:
        return make()
    except InputError as reason:
        notes.append(f"{failure}: {reason}.")
        return None


def _compared(run: Experiment, asked: ReportOptions, data: str, notes: list[str]) -> Comparison | None:
    make = partial(
        run.compare, asked.metric_name, data, reference=asked.reference, margin=asked.margin, rng=asked.rng,
        confidence=asked.confidence,
    )  # fmt: skip
    return _tried(make, notes, f"Not compared on {clipped(data)}")


def _estimates(run: Experiment, asked: ReportOptions, notes: list[str]) -> Estimates:
    metric = asked.metric_name
    estimates: Estimates = {}
    for d, dataset in run.datasets.items():
        metrics = [metric, *(["auc"] if dataset.positive is not None and metric != "auc" else [])]
        for learner, m in product(run.learners, metrics):
            make = partial(run.estimate, learner, d, m, confidence=asked.confidence, rng=asked.rng)
            interval = _tried(make, notes, f"Not estimated: {m} of {clipped(learner)} on {clipped(d)}")
            if interval is not None:
                estimates.setdefault(d, {}).setdefault(learner, {})[m] = interval
    return estimates


def _estimates_table(run: Experiment, data: str, rows: dict[str, dict[str, Interval]]) -> Markup:
    metrics = list(dict.fromkeys(m for found in rows.values() for m in found))
    times = {x: [t.fit_seconds for t in run.times if t.data == data and t.learner == x] for x in run.learners}
    cells = learner_rows(rows, metrics)
    for row, learner in zip(cells, rows, strict=True):
        row.append((f"{number(mean(times[learner]))} s", mean(times[learner])))
    bases = [constant(run, data, m) for m in metrics]
    if any(bases):
        name = next(base[0] for base in bases if base is not None)
        figures: list[Cell] = [("", None) if base is None else (number(base[1]), base[1]) for base in bases]
        cells.append([(name, None), *figures, ("", None)])
    level = percent(next(i.confidence for found in rows.values() for i in found.values()))
    where = "" if len(run.datasets) == 1 else f"{clipped(data)}. "
    title = f"{where}In brackets: {level} intervals; they speak of learners, not of one model."
    return sortable(
        cells_block(("learner", *(m.replace("_", " ") for m in metrics), "time of a fit"), cells, title=title)
    )


def _estimate_methods(estimates: Estimates) -> Used:
    return merged(
        *({i.method: [m.replace("_", " ")]} for rows in estimates.values() for found in rows.values()
          for m, i in found.items() if i.method)
    )  # fmt: skip


def _verdicts(ranking: Ranking | None, comparisons: dict[str, Comparison], estimates: Estimates) -> Verdicts:
    if ranking is not None:
        return ((of_ranking(ranking), unwrapped(ranking.verdict)),)
    if comparisons:
        return tuple((of_comparison(c), c.verdict) for c in comparisons.values())
    lines = []
    for d, rows in estimates.items():
        for learner, found in rows.items():
            m, i = next(iter(found.items()))
            plausible = f"plausibly {number(i.low)} to {number(i.high)}"
            lines.append((None, f"{clipped(learner)} on {clipped(d)}: {m} {number(i.estimate)}, {plausible}."))
    return tuple(lines)


def _all_findings(ranking: Ranking | None, comparisons: dict[str, Comparison]) -> tuple[Finding, ...]:
    several = len(comparisons) > 1
    # Of several data sets, a finding says on which it was made.
    findings = (
        replace(f, about=f"{d}: {f.about}" if f.about else d) if several else f
        for d, c in comparisons.items()
        for f in c.findings
    )
    return (*findings_of(ranking), *findings)


def _pairs(comparisons: dict[str, Comparison]) -> Iterator[Section]:
    for i, (d, c) in enumerate(comparisons.items(), start=1):
        if len(c.pairs) > 1:
            where = "" if len(comparisons) == 1 else f" on {clipped(d)}"
            yield Section(key=f"pairs-{i}", title=f"All pairs{where}", blocks=(pairs_block(c),), folded=True)


def _parts(run: Experiment, metric: str, notes: list[str]) -> Iterator[Section]:
    """The score of every learner on every test part."""
    for i, d in enumerate(run.datasets, start=1):
        scores = _tried(partial(run.fold_scores, metric, d), notes, f"No scores of test parts on {clipped(d)}")
        if scores is None:
            continue
        blocks = []
        count = len(scores.folds)
        kept = min(count, MOST_PARTS)
        for start in range(0, len(run.learners), MOST_COLUMNS):
            some = run.learners[start : start + MOST_COLUMNS]
            rows: list[list[Cell]] = [
                [
                    (f"{int(scores.repeats[k]) + 1}.{int(scores.folds[k]) + 1}", None),
                    *((number(score), score) for score in (float(scores.of(x)[k]) for x in some)),
                ]
                for k in range(kept)
            ]
            cut = "" if kept == count else f" (the first {kept} of {count:,})"
            title = f"{metric.replace('_', ' ')} on each test part{cut}; repeat.part"
            blocks.append(sortable(cells_block(("part", *some), rows, title=title)))
        where = "" if len(run.datasets) == 1 else f" of {clipped(d)}"
        yield Section(key=f"parts-{i}", title=f"Test parts{where}", blocks=tuple(blocks), folded=True)


def _curves(run: Experiment, gallery: Gallery, notes: list[str]) -> Iterator[Section]:
    """ROC curves averaged over the test parts, with what the parts differ by."""
    for i, (d, dataset) in enumerate(run.datasets.items(), start=1):
        if dataset.positive is None:
            continue
        block = _tried(partial(_average_curves, run, d, gallery), notes, f"No ROC curves on {clipped(d)}")
        if block is None:
            continue
        where = "" if len(run.datasets) == 1 else f" on {clipped(d)}"
        yield Section(
            key=f"roc-{i}", title=f"ROC curves, averaged over test parts{where}", blocks=(block,), folded=True
        )


def _average_curves(run: Experiment, data: str, gallery: Gallery) -> Markup:
    return gallery.figure({x: run.roc(x, data, how="vertical") for x in run.learners})


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
