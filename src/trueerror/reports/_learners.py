"""The page about learners: an experiment with its test folds, on one data set or several, or a ranking of learners."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import mean
from typing import TypeVar

from markupsafe import Markup

from trueerror.experiments._experiment import Experiment
from trueerror.experiments._summary import constant_figure, data_words, estimates_by_data
from trueerror.findings._rules import Finding
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, find_measure
from trueerror.plots._specs import ForestRow, Panel
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._contents import (
    Contents,
    ReportOptions,
    Said,
    Sayings,
    Used,
    comparison_answer,
    merged,
    of_ranking,
    used_in_comparison,
)
from trueerror.reports._explorer import explore, explorer_section, three_digits
from trueerror.reports._html import Gallery, Section, clipped, html_table, scrolled, unwrapped
from trueerror.reports._leaderboard import (
    LEADS,
    MOST_OPEN,
    REFERENCE,
    Column,
    axis_line,
    cell,
    interval_line,
    leaderboards,
    name_cell,
    pairs_matrix,
    sort_key,
    told,
    told_by,
)
from trueerror.reports._models import findings_of, holds_for, sortable
from trueerror.resampling._cross_validation import KFold
from trueerror.resampling._plan import Plan
from trueerror.results import Interval
from trueerror.results._document import Cell, Table, cells_block
from trueerror.results._format import (
    brief,
    brief_names,
    capitalised,
    ci_words,
    common_format,
    fixed,
    name_key,
    number,
    one_line,
    p_cell,
    p_value,
    percent,
    unbroken,
    whole,
)
from trueerror.results._values import decided, deciding_p
from trueerror.verbs._comparison import Comparison, alike_within_margin, letters_of
from trueerror.verbs._ranking_result import LearnerRanking, ranking_headline, scores_table

T = TypeVar("T")
# Data set → learner → metric → interval.
Estimates = dict[str, dict[str, dict[str, Interval]]]


def what_was_compared(run: Experiment, metric: str) -> str:
    """Learners, data sets and how they were split, in words; then the rows of one data set, and what failed."""
    lead, *failed = run.lines(f" by {find_measure(metric).title}; {plan_words(run.plan)}")
    # Of several data sets the rows stand in the table.
    each = data_words(run) if len(run.datasets) == 1 else ()
    return "\n".join(line for line in (lead, *each, _constant_words(run, metric), *failed) if line)


def plan_words(plan: Plan) -> str:
    """How rows were split, in words where there are short ones.

    >>> from trueerror.resampling._cross_validation import KFold
    >>> plan_words(KFold(10, repeats=2)), plan_words(KFold(5))
    ('10 folds × 2 repeats', '5 folds, 1 round')
    """
    if isinstance(plan, KFold):
        return f"{plan.k} folds × {plan.repeats} repeats" if plan.repeats > 1 else f"{plan.k} folds, 1 round"
    return str(plan)


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


# Steps of the difference from the best of a row, as shares of the largest in the table.
SHADES = (0.0, 0.1, 0.25, 0.5, 0.75)
MARKS = "● the best of its row, ○ no clear difference from it; the warmer a cell, the further behind"


def grid(
    run: Experiment, metric: str, estimates: Estimates, comparisons: dict[str, Comparison], order: Sequence[str],
    ranking: Ranking | None,
) -> list[Section]:  # fmt: skip
    """The first figure of several data sets: a row for each, a column for each learner, the best ranked first.

    A cell has the estimate, coloured by how far it is behind the best of its row, and a mark where that is not clear.
    """
    measure = find_measure(metric)
    by_data = {
        d: {x: intervals[metric] for x, intervals in rows.items() if metric in intervals}
        for d, rows in estimates.items()
    }
    by_data = {d: intervals for d, intervals in by_data.items() if intervals}
    if not by_data:
        return []
    share = _in_percent(comparisons)
    column = Column.of(
        [i for intervals in by_data.values() for i in intervals.values()],
        power=2 if share else 0,
        least=1 if share else 3,
    )
    largest = max(
        (abs(i.estimate - best(intervals, measure)) for intervals in by_data.values() for i in intervals.values()),
        default=0.0,
    )
    short_names, body = brief_names(tuple(order)), []
    for k, (d, intervals) in enumerate(by_data.items()):
        top, c = best(intervals, measure), comparisons.get(d)
        cells = [_grid_cell(intervals.get(x), top, largest, column, c, x) for x in order]
        base = constant(run, d, metric)
        rest = [] if base is None else [el("td", column.say(base[1]), el("span", class_="mark"), title=base[0])]
        name = el(
            "th", el("a", clipped(d), href="#one-set", data_set=k), scope="row", class_="name", data_text=clipped(d)
        )
        body.append(el("tr", name, el("td", whole(run.datasets[d].n), class_="number"), *cells, *rest))
    based = constant(run, next(iter(by_data)), metric) is not None
    heads = [el("th", short_names[x], scope="col", class_="number", title=clipped(x)) for x in order]
    head = [el("th", "data set", scope="col", class_="name"), el("th", "rows", scope="col", class_="number"), *heads]
    head += [el("th", "commonest class", scope="col", class_="number")] if based else []
    foot = Markup("")
    if ranking is not None:
        ranks = [el("td", f"{ranking.ranks[x]:.2f}", el("span", class_="mark")) for x in order]
        foot = el("tfoot", el("tr", el("th", "mean rank", scope="row", class_="name"), el("td"), *ranks,
                              *([el("td")] if based else [])))  # fmt: skip
    caption = f"{capitalised(measure.title)}{', %' if share else ''}: {MARKS}"
    table = el(
        "table", el("caption", caption), el("thead", el("tr", *head)), el("tbody", joined(body)), foot, class_="grid"
    )
    notes = [*name_key(order), "Point at a cell for its interval and its difference; open a data set for more."]
    blocks = (scrolled(table, "Data sets by learners"), el("p", " ".join(notes), class_="note"))
    return [Section(key="sets", title="Every learner on every data set", blocks=blocks)]


def _in_percent(comparisons: Mapping[str, Comparison]) -> bool:
    """Whether the page gives scores in per cent."""
    return bool(comparisons) and all(c.facts.share for c in comparisons.values())


def best(own: dict[str, Interval], measure: Measure) -> float:
    """The best estimate of a data set."""
    values = [i.estimate for i in own.values() if not math.isnan(i.estimate)]
    return (min if measure.higher_is_better is False else max)(values, default=math.nan)


def _grid_cell(
    i: Interval | None, top: float, largest: float, column: Column, c: Comparison | None, learner: str
) -> Markup:  # fmt: skip
    if i is None or math.isnan(i.estimate):
        return el("td", "–")
    gap = abs(i.estimate - top)
    shade = sum(gap > largest * s for s in SHADES) if largest else 0
    words, mark = [f"{column.words(i)}"], ""
    if c is not None and learner in c.estimates:
        if learner in c.leaders:
            mark = "●"
        else:
            pair = c[learner, c.best]
            verdict = told(c, pair)
            mark = "○" if verdict.kind == "open" else ""
            words.append(f"{column.words(pair, sign=True)} from {one_line(c.best)}, {decided(pair)}: {verdict.word}")
    return el("td", column.say(i.estimate), el("span", mark, class_="mark"),
              class_=f"g{shade}" + (" top" if mark == "●" else ""), title="; ".join(words))  # fmt: skip


def ranking_board(ranking: Ranking, *, of_shares: bool = False) -> Markup:
    """Mean ranks as dots on their axis, with the scores (shares in per cent), the median difference from the best, and
    the verdict."""
    anchor, order = ranking.control or ranking.best, ranking.order
    scored = ranking if isinstance(ranking, LearnerRanking) else None
    short_names, ranks = brief_names(tuple(ranking.names)), ranking.ranks
    letters = {} if ranking.control is not None else letters_of(order, ranking.groups)
    panel = Panel(rows=(), axis="", domain=(1.0, float(max(2, len(order)))))
    scale = 100 if scored is not None and scored.share else 1
    in_percent = scored is not None and (scored.share or scored.percent)
    gaps = {} if scored is None else {m: _shown_gap(scored, m, anchor) for m in order if m != anchor}
    means = {} if scored is None else scored.means
    head = [el("th", "learner" if scored else "model", scope="col", class_="name")]
    head += [el("th", "tier", scope="col", class_="tier")] if letters else []
    head += [el("td", class_="line"), el("th", "mean rank", scope="col", class_="number", data_low=True)]
    if scored is not None:
        unit = ", points" if in_percent else ""
        title = f"mean {one_line(scored.value_name or 'score')}{', %' if of_shares else ''}"
        head.append(el("th", title, scope="col", class_="number"))
        head.append(el("th", f"median difference from {short_names[anchor]}{unit}", scope="col", class_="number"))
    head += [el("th", "won–tied–lost", scope="col", class_="number"),
             el("th", "adjusted p" if len(ranking.pairs) > 1 else "p", scope="col", class_="number p"),
             el("th", "verdict", scope="col")]  # fmt: skip
    body = []
    for m in order:
        row = ForestRow(label="", estimate=ranks[m], low=math.nan, high=math.nan)
        cells = [name_cell(m, short_names[m]), *([el("td", letters[m], class_="tier")] if letters else [])]
        cells += [el("td", interval_line(row, panel), class_="line"),
                  el("td", f"{ranks[m]:.2f}", class_="number", data_sort=sort_key(ranks[m]),
                     data_label="mean rank")]  # fmt: skip
        if scored is not None:
            mean = fixed(means[m], 1 if of_shares or scored.percent else 3, power=2 if of_shares else 0)
            cells.append(el("td", mean, class_="number", data_sort=sort_key(means[m]), data_label="mean"))
            gap = "" if m == anchor else fixed(scale * gaps[m], 1 if in_percent else 3, sign=True)
            cells.append(
                el("td", gap, class_="number", data_sort=sort_key(gaps.get(m, 0.0)), data_label="median difference")
            )
        if m == anchor:
            verdict = REFERENCE if ranking.control else LEADS
            cells += [el("td", class_="number"), el("td", class_="number p")]
        else:
            pair, outcome = ranking._compared(m, anchor)
            p = deciding_p(pair)
            verdict = told_by(p, ranking.alpha, ranks[m] < ranks[anchor])
            cells += [el("td", "–".join(map(str, outcome)), class_="number", data_label="won–tied–lost"),
                      el("td", p_cell(p_value(p)), class_="number p", data_sort=sort_key(p))]  # fmt: skip
        cells.append(el("td", el("b", verdict.sign, aria_hidden="true"), " ", verdict.word, class_="told"))
        body.append(el("tr", *cells, class_=f"is-{verdict.kind}"))
    empty = [el("td")] * (len(head) - 2 - bool(letters))
    foot = el("tr", el("td"), *([el("td")] if letters else []), el("td", axis_line(panel), class_="line"), *empty,
              class_="axis")  # fmt: skip
    sets = "1 data set" if ranking.n == 1 else f"{ranking.n:,} data sets"
    caption = f"Mean ranks over {sets}; 1 is best"
    table = el("table", el("caption", caption), el("thead", el("tr", *head)), el("tbody", joined(body)),
               el("tfoot", foot, aria_hidden="true"), class_="leaderboard sortable", data_open=MOST_OPEN)  # fmt: skip
    notes = [f"Any difference at all: {_omnibus(ranking)}."] if len(order) > 2 else []
    if letters:
        notes.append("Learners that share a letter in “tier” show no clear difference from each other.")
    if ranking.critical_difference is not None:
        notes.append(f"Critical difference of mean ranks: {ranking.critical_difference:.2f}.")
    return el(
        "div", scrolled(table, caption), el("p", " ".join([*notes, *name_key(order)]), class_="note"), class_="board"
    )


def _shown_gap(r: LearnerRanking, m: str, anchor: str) -> float:
    """The difference of the numbers as shown: of errors, + is worse."""
    return r.gap(m, anchor) if r.higher_is_better else -r.gap(m, anchor)


def _omnibus(ranking: Ranking) -> str:
    return f"Friedman {p_value(ranking.friedman.p_value)}, Iman and Davenport {p_value(ranking.iman_davenport.p_value)}"


RANKING_TITLE = "Which learner is best over these data sets?"
# With more learners than this a matrix of pairs cannot be read.
MOST_PAIRED = 12


def about_ranking(ranking: Ranking, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Mean ranks, who differs clearly, and the scores behind them."""
    asked.refuse("a ranking", allowed=("ignore",))
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
        verdicts=(ranking_answer(ranking),),
        reading=reading,
        estimand="Estimates: these learners on data sets like these.",
        first=(Section(key="ranks", title="Mean ranks", blocks=(ranking_board(ranking),)),),
        then=tuple(then),
        findings=findings_of(ranking),
        used=ranking_methods(ranking),
        confidence=1 - ranking.alpha,
        results=(("ranking", ranking),),
    )


def ranking_answer(ranking: Ranking) -> Said:
    """The verdict of a ranking, the worst finding by itself."""
    if not isinstance(ranking, LearnerRanking):
        return Said(surety=of_ranking(ranking), words=unwrapped(ranking.verdict))
    but = " ".join(ranking.findings.without("TE507").but(()))
    head = ranking_headline(ranking)
    words = unwrapped(ranking.verdict.removesuffix(but).removeprefix(head).strip())
    return Said(surety=of_ranking(ranking), headline=head, words=words, but=but)


def ranking_methods(ranking: Ranking) -> Used:
    """The methods behind a ranking."""
    used: Used = {ranking.method: ["pairs of learners over data sets"]}
    adjusted_by = getattr(ranking, "adjusted_by", "none")
    if adjusted_by != "none":
        used[adjusted_by] = [f"p-values of {len(ranking.pairs)} pairs"]
    if len(ranking.names) > 2:
        used |= {"friedman": ["any difference at all"], "iman-davenport": ["any difference at all"]}
    if getattr(ranking, "within", ()):
        used["corrected-t-test"] = ["pairs within a data set"]
    return used


TITLE = "How good are these learners, really?"
# Learners beside each other in the table of test folds, and its rows.
MOST_COLUMNS = 6
MOST_FOLDS = 100


def about_experiment(run: Experiment, gallery: Gallery, asked: ReportOptions) -> Contents:
    """Learners over data sets: who is better, the figures of each, the test folds behind them, what went wrong."""
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
    several_sets = len(run.datasets) > 1
    first: list[Section] = []
    if several_sets:
        order = run.learners if ranking is None else ranking.order
        first += grid(run, metric, estimates, comparisons, order, ranking)
    if ranking is not None:
        board = ranking_board(ranking, of_shares=_in_percent(comparisons))
        first.append(Section(key="ranks", title="Ranks over the data sets", blocks=(board,)))
    panels, data = _explorer(run, metric, gallery, notes)
    inner = {d: list(_data_set(run, d, comparisons.get(d), estimates.get(d, {}), metric, gallery, notes, i))
             for i, d in enumerate(run.datasets, start=1)}  # fmt: skip
    then: list[Section] = []
    if several_sets:
        then.append(_chosen_set(inner, comparisons))
    else:
        ((_, (hero, *rest)),) = inner.items()
        first += [hero, *panels]
        then += rest
    then.append(_fits(run, notes))
    every: list[Interval] = [
        i for rows in estimates.values() for intervals in rows.values() for i in intervals.values()
    ]
    used = merged(*(used_in_comparison(c) for c in comparisons.values()), _estimate_methods(estimates))
    if ranking is not None:
        used = merged(ranking_methods(ranking), used)
    return Contents(
        title=TITLE,
        names=run.learners,
        verdicts=_answers(ranking, comparisons, estimates),
        reading=what_was_compared(run, metric),
        estimand=_estimand(comparisons, every),
        next_step=next((c.next_step for c in comparisons.values() if c.next_step), "") if ranking is None else "",
        first=tuple(first),
        then=tuple(then),
        findings=_all_findings(ranking, comparisons),
        used=used,
        compares=next((holds_for(c) for c in comparisons.values()), ""),
        explorer=data,
        results=(
            *((("ranking", ranking),) if ranking is not None else ()),
            *((f"comparison on {d}", c) for d, c in comparisons.items()),
        ),
        confidence=asked.confidence,
        settings={"plan": str(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )


SETTINGS_ALONE = (
    "The chosen one is judged on rows that took no part in the choice. Each setting below it is judged by itself: "
    "the best of them is picked by these very rows, so its figure is optimistic."
)


def _about_choice(run: Experiment, asked: ReportOptions) -> Contents:
    """Settings among which each training set chooses: the chosen one leads, and no setting is crowned by test rows."""
    summary = run.summary([asked.metric_name], confidence=asked.confidence, ignore=asked.ignore)
    several = len(summary.verdicts) > 1
    notes = [f"{note}." for note in summary.notes]
    table = html_table(summary._table(), sortable=True)
    every = [e.interval for e in summary.estimates]
    return Contents(
        title="How good is the chosen setting, really?",
        names=run.learners,
        verdicts=tuple(Said(words=f"{clipped(d)}: {v}" if several else v) for d, v in summary.verdicts.items()),
        reading=what_was_compared(run, asked.metric_name),
        estimand=next((f"Estimates: {i.estimand}." for i in every if i.estimand), ""),
        first=(Section(key="models", title="The chosen one, and each setting by itself", lead=SETTINGS_ALONE,
                       blocks=(table,)),),
        then=(*(s for i, d in enumerate(run.datasets, start=1) for s in _folds(run, d, asked.metric_name, notes, i)),
              _fits(run, notes)),
        findings=tuple(summary.findings),
        used=_estimate_methods(estimates_by_data(summary)),
        confidence=asked.confidence,
        settings={"plan": str(run.plan), "seed": run.seed, **({"store": run.store} if run.store else {})},
    )  # fmt: skip


def _estimand(comparisons: dict[str, Comparison], every: list[Interval]) -> str:
    if len(comparisons) > 1:
        return "Estimates: these learners at the training sizes of this plan, on rows like those of each data set."
    compared = next((c.estimand for c in comparisons.values()), "")
    return compared or next((f"Estimates: {i.estimand}." for i in every if i.estimand), "")


def _explorer(
    run: Experiment, metric: str, gallery: Gallery, notes: list[str]
) -> tuple[list[Section], dict[str, object] | None]:
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
    section, data = explorer_section(explored, gallery, metric=metric)
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
    metrics = list(dict.fromkeys(m for intervals in rows.values() for m in intervals))
    times = {x: [t.fit_seconds for t in run.times if t.data == data and t.learner == x] for x in run.learners}
    short_names, bases = brief_names(run.learners), [constant(run, data, m) for m in metrics]
    formats = {m: Column.of([intervals[m] for intervals in rows.values() if m in intervals]) for m in metrics}
    cells: list[list[Cell]] = []
    for learner, intervals in rows.items():
        seconds = mean(times[learner])
        figures = [cell(formats[m], intervals.get(m)) for m in metrics]
        cells.append([(short_names[learner], None), *figures, (f"{number(seconds)} s", seconds)])
    if any(bases):
        name = next(base[0] for base in bases if base is not None)
        plain: list[Cell] = [
            ("", None) if base is None else (formats[m].say(base[1]), base[1])
            for m, base in zip(metrics, bases, strict=True)
        ]
        cells.append([(name, None), *plain, ("", None)])
    level = percent(next(i.confidence for intervals in rows.values() for i in intervals.values()))
    title = f"In brackets: {level} intervals for learners, not for one model."
    columns = ("learner", *(find_measure(m).title for m in metrics), "time of a fit")
    return sortable(cells_block(columns, cells, title=title))


def _estimate_methods(estimates: Estimates) -> Used:
    return merged(
        *({i.method: [m.replace("_", " ")]} for rows in estimates.values() for intervals in rows.values()
          for m, i in intervals.items() if i.method)
    )  # fmt: skip


def _answers(ranking: Ranking | None, comparisons: dict[str, Comparison], estimates: Estimates) -> Sayings:
    if ranking is not None:
        return (ranking_answer(ranking),)
    if comparisons:
        return tuple(comparison_answer(c) for c in comparisons.values())
    lines = []
    for d, rows in estimates.items():
        for learner, intervals in rows.items():
            m, i = next(iter(intervals.items()))
            shown = common_format(i.estimate, i.low, i.high)
            figure = f"{shown(i.estimate)}, {ci_words(i.low, i.high, i.confidence, shown)}"
            lines.append(Said(words=f"{clipped(learner)} on {clipped(d)}: {find_measure(m).title} {figure}."))
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


def _data_set(
    run: Experiment, data: str, c: Comparison | None, rows: dict[str, dict[str, Interval]], metric: str,
    gallery: Gallery, notes: list[str], place: int,
) -> Iterator[Section]:  # fmt: skip
    """What is known of one data set: who leads, the figures, all pairs, the test folds, the ROC curves."""
    tables = (_estimates_table(run, data, rows),) if rows else ()
    if c is not None:
        board = leaderboards([c, *_by_others(run, data, c, rows)], key=f"board-{place}")
        alike = alike_within_margin(c).text()
        words = (el("p", alike, class_="lines"),) if alike else ()
        yield Section(key=f"board-{place}", title="Leaderboard", blocks=(board, *words))
        yield Section(key=f"models-{place}", title="The learners", blocks=tables, folded=True, broad=True)
    else:
        yield Section(key=f"models-{place}", title="The learners", blocks=tables)
    if c is not None and len(c.pairs) > 1 and len(c.models) > 2:
        yield Section(
            key=f"pairs-{place}", title="All pairs", blocks=(pairs_matrix(c, gallery),), folded=True, broad=True
        )
    yield from _folds(run, data, metric, notes, place)
    if run.datasets[data].positive is not None:
        block = _tried(partial(_average_curves, run, data, gallery), notes, f"No ROC curves on {clipped(data)}")
        if block is not None:
            title = "ROC curves, averaged over test folds"
            yield Section(key=f"roc-{place}", title=title, blocks=(block,), folded=True)


def _by_others(run: Experiment, data: str, c: Comparison, rows: dict[str, dict[str, Interval]]) -> Iterator[Comparison]:
    """The learners of one data set, judged by each other metric of the page."""
    for m in dict.fromkeys(m for intervals in rows.values() for m in intervals if m != c.metric):
        with suppress(InputError):  # not every learner has it
            yield run.compare(m, data, reference=c.reference, confidence=c.confidence)


def _chosen_set(inner: dict[str, list[Section]], comparisons: dict[str, Comparison]) -> Section:
    """One data set at a time, chosen by the reader; without scripts all of them, folded."""
    options = [el("option", clipped(d), value=i) for i, d in enumerate(inner)]
    choice = el("p", el("label", "Data set ", el("select", joined(options), id="set-choice"), for_="set-choice"),
                class_="tools js-only")  # fmt: skip
    blocks = []
    for d, sections in inner.items():
        c = comparisons.get(d)
        parts = [] if c is None else [el("p", unbroken(brief(c.verdict, c.models)), class_="verdict")]
        for s in sections:
            inside = joined(s.blocks)
            if s.folded:
                parts.append(el("details", el("summary", el("h3", s.title, class_="part")), inside, id=s.key))
            else:
                parts.append(el("div", inside, id=s.key))
        blocks.append(el("details", el("summary", el("h3", clipped(d))), *parts, class_="set"))
    return Section(key="one-set", title="One data set", blocks=(choice, *blocks))


def _folds(run: Experiment, data: str, metric: str, notes: list[str], place: int) -> Iterator[Section]:
    """The score of every learner on every test fold."""
    scores = _tried(partial(run.fold_scores, metric, data), notes, f"No scores of test folds on {clipped(data)}")
    if scores is None:
        return
    blocks, count, short_names = [], len(scores.folds), brief_names(run.learners)
    kept = min(count, MOST_FOLDS)
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
        title = f"On each test fold, {find_measure(metric).title}{cut}; 2.1 is fold 1 of repeat 2"
        blocks.append(sortable(cells_block(("fold", *(short_names[x] for x in some)), rows, title=title)))
    yield Section(key=f"folds-{place}", title="Test folds", blocks=tuple(blocks), folded=True)


def _average_curves(run: Experiment, data: str, gallery: Gallery) -> Markup:
    return gallery.figure({x: run.roc(x, data, how="vertical") for x in run.learners})


def _fits(run: Experiment, notes: list[str]) -> Section:
    """How the fits went: how many, how long, what failed, what warned."""
    seconds = sum(t.fit_seconds + t.predict_seconds for t in run.times)
    took = f"{len(run.times):,} fits took {three_digits(seconds)} seconds in all"
    blocks = [el("p", f"{took}; {len(run.failures):,} failed.")]
    blocks += [el("p", note, class_="note") for note in notes]
    if run.failures:
        rows = tuple((f.learner, f.data, f"{f.repeat + 1}.{f.fold + 1}", f.error[:200]) for f in run.failures[:50])
        table = Table(columns=("learner", "data set", "fold", "error"), rows=rows, names=4)
        blocks.append(html_table(table, title="Fits that failed (at most 50 are shown)"))
    warned = list(dict.fromkeys((w.learner, w.message[:200]) for w in run.warnings))[:50]
    if warned:
        table = Table(columns=("learner", "warning"), rows=tuple(warned), names=2)
        blocks.append(html_table(table, title="What learners warned of (each once)"))
    return Section(key="fits", title="The fits", blocks=tuple(blocks), folded=True)
