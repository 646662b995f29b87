"""The first figure of the page: who leads, by how much, how sure; a row for each model, the winner included.

Each row has the model's own estimate with its interval, its difference from the best (or the reference) with limits
that hold together, letters for the groups without a clear difference, and the verdict as a sign and a word. One model
has a row for each of its metrics. All pairs are a matrix of signs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from markupsafe import Markup

from trueerror.metrics._registry import Measure, find_measure
from trueerror.plots._simplify import ticks
from trueerror.plots._specs import ForestRow, Panel
from trueerror.plots.compose.forests import make_panel
from trueerror.plots.svg._charts import axis_marks, interval_marks
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._html import Gallery, clipped, scrolled
from trueerror.results import Contrast, Interval
from trueerror.results._format import brief, brief_names, capitalised, fixed, name_key, p_cell, percent, unbroken, whole
from trueerror.results._values import common_decimals, decided, deciding_p, surety
from trueerror.verbs._compare_costs import CostComparison
from trueerror.verbs._comparison import Comparison, tier_letters, together_words
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation, metric_titles, metrics_table, shown_metrics

HEIGHT = 23
# Rows that stand open; the page's script folds the others.
MOST_OPEN = 15
# From so many models on there is a box to filter them by name.
MOST_UNFILTERED = 8
# With more models the matrix of pairs has signs alone.
MOST_WRITTEN = 8


class Told(NamedTuple):
    """How a model stands to the one that it is compared with: a class for the colour, a sign and a word."""

    kind: str
    sign: str
    word: str


LEADS, BEST = Told("best", "●", "leads"), Told("best", "✔", "best")
REFERENCE = Told("best", "●", "reference")
OPEN, UNKNOWN = Told("open", "?", "no clear difference"), Told("open", "–", "cannot be judged")


def told(cmp: Comparison, c: Contrast) -> Told:
    """The verdict about the first of a pair."""
    return told_by(
        deciding_p(c), 1 - c.confidence, None if c.estimate == 0 else (c.estimate > 0) == cmp.higher_is_better
    )


def told_by(p: float, level: float, better: bool | None) -> Told:
    """The verdict by a p-value; `better` is None where the two are level."""
    if math.isnan(p):
        return UNKNOWN
    sure = surety(p, level)
    if sure == "open" or better is None:
        return OPEN
    word = f"{'clearly' if sure == 'clear' else 'probably'} {'better' if better else 'worse'}"
    sign = ("▲" if better else "▼") if sure == "clear" else ("△" if better else "▽")
    return Told(word.replace(" ", "-"), sign, word)


class Column(NamedTuple):
    """How the figures of one column are written: times ten to a power, all with as many decimals."""

    digits: int
    power: int = 0

    @classmethod
    def of(cls, intervals: Iterable[Interval], *, power: int = 0, least: int = 3, most: int = 8) -> Column:
        """As many decimals as show the width of the narrowest interval, and no limit like its estimate.

        >>> Column.of([Interval(estimate=0.5, low=0.45, high=0.55), Interval(estimate=0.9, low=0.8996, high=0.9004)])
        Column(digits=4, power=0)
        """
        scale, chosen = 10.0**power, list(intervals)
        widths = [scale * (i.high - i.low) for i in chosen if math.isfinite(i.high - i.low) and i.high > i.low]
        least = max(least, 1 + math.ceil(-math.log10(min(widths, default=1.0)) - 0.7))
        return cls(min(most, common_decimals(chosen, least, power)), power)

    def say(self, x: float, *, sign: bool = False) -> str:
        """One figure."""
        return fixed(x, self.digits, power=self.power, sign=sign)

    def limits(self, i: Interval, *, sign: bool = False) -> str:
        """The limits in brackets; one of them where the other is open."""
        if math.isnan(i.low) and math.isnan(i.high):
            return ""
        if i.side == "lower" or math.isinf(i.high):
            return "" if math.isinf(i.low) else f"≥ {self.say(i.low, sign=sign)}"
        if i.side == "upper" or math.isinf(i.low):
            return f"≤ {self.say(i.high, sign=sign)}"
        return f"[{self.say(i.low, sign=sign)}, {self.say(i.high, sign=sign)}]"

    def words(self, i: Interval, *, sign: bool = False) -> str:
        """A figure and its limits."""
        return f"{self.say(i.estimate, sign=sign)} {self.limits(i, sign=sign)}".strip()

    def row(self, i: Interval, **more: object) -> ForestRow:
        """The line of an interval, on the column's scale."""
        scale = 10.0**self.power
        drawn = ForestRow(label="", estimate=scale * i.estimate, low=scale * i.low, high=scale * i.high, side=i.side)
        return replace(drawn, **more) if more else drawn  # type: ignore[arg-type]


PLAIN = Column(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A leaderboard before it is drawn. `gaps` hold each model − `anchor`; without them there is no comparison."""

    names: tuple[str, ...]
    title: str
    own: Column
    estimates: Mapping[str, Interval]
    caption: str
    low: bool = False  # whether low estimates are good
    anchor: str = ""
    gap: Column = PLAIN
    gap_title: str = ""
    gaps: Mapping[str, Contrast] = field(default_factory=dict)
    points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    verdicts: Mapping[str, Told] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    margin: float | None = None
    constant: tuple[str, Interval] | None = None
    notes: tuple[str, ...] = ()


def comparison_board(cmp: Comparison) -> Board:
    """The models of a comparison."""
    anchor = cmp.reference or cmp.best
    by_cost = isinstance(cmp, CostComparison)
    power = cmp._power
    least = 1 if power else 3
    gaps = {m: cmp[m, anchor] for m in cmp.ranked if m != anchor}
    both = [*cmp.estimates.values(), *gaps.values()] if power else list(cmp.estimates.values())
    column = (
        Column.of(both, power=2, least=cmp._decimals) if cmp.facts.share else Column.of(both, power=power, least=least)
    )
    rivals = [told(cmp, c) for c in gaps.values()]
    leads = BEST if rivals and all(t.kind.endswith("worse") for t in rivals) else LEADS
    title = "cost per 100 rows" if by_cost else cmp.title
    short_names = brief_names(cmp.models)
    notes = [f"In brackets: {percent(cmp.confidence)} intervals."]
    if together := together_words(cmp):
        notes.append(f"Intervals of the differences{together}.")
    if cmp.margin is not None:
        notes.append(f"Shaded: differences of up to {column.say(abs(cmp.margin))}{_unit(cmp)} do not matter.")
    letters = tier_letters(cmp)
    if letters:
        notes.append("Models that share a letter in “tier” show no clear difference from each other.")
    if cmp.facts.parts:
        notes.append("Dots: the test folds.")
    return Board(
        names=cmp.ranked,
        title=f"{title}, %" if cmp.facts.share else title,
        own=column,
        estimates=cmp.estimates,
        caption=f"{capitalised(title)}; {'higher' if cmp.higher_is_better else 'lower'} is better",
        low=not cmp.higher_is_better,
        anchor=anchor,
        gap=Column(column.digits, 2) if power else Column.of(gaps.values(), least=least),
        gap_title=f"difference from {short_names[anchor]}{', points' if cmp.facts.share else ''}",
        gaps=gaps,
        points=_fold_gaps(cmp, anchor, 10.0**power),
        verdicts={m: told(cmp, c) for m, c in gaps.items()} | {anchor: REFERENCE if cmp.reference else leads},
        letters=letters,
        margin=cmp.margin,
        constant=_constant(cmp),
        notes=tuple(notes),
    )


def _unit(cmp: Comparison) -> str:
    return " points" if cmp.facts.share else ""


def _fold_gaps(cmp: Comparison, anchor: str, scale: float) -> dict[str, tuple[float, ...]]:
    """Of learners, the difference on each test fold."""
    parts = cmp.facts.parts
    if not parts:
        return {}
    return {m: tuple(scale * (a - b) for a, b in zip(parts[m], parts[anchor], strict=True)) for m in cmp.models}


def _constant(cmp: Comparison) -> tuple[str, Interval] | None:
    """What one answer for every row gets, where that is known."""
    if isinstance(cmp, CostComparison):
        c = cmp.against_constant
        return None if c is None else (f'always "{c.second}"', _point(cmp.estimates[cmp.best].estimate - c.estimate))
    if cmp.facts.constant is None:
        return None
    label, share = cmp.facts.constant
    return f'always "{label}"', _point(share if cmp.higher_is_better else 1 - share)


def _point(x: float) -> Interval:
    return Interval(estimate=x, low=math.nan, high=math.nan)


def evaluation_board(ev: Evaluation) -> Board:
    """Several models that were not compared: their own estimates of the first metric that all have."""
    metric = next((m for m in shown_metrics(ev) if all(m in p.overall for p in ev.parts)), None)
    metric = metric or next(iter(ev.parts[0].overall))
    measure = find_measure(metric)
    estimates = {p.name: p.overall[metric] for p in ev.parts if metric in p.overall}
    sign = -1 if measure.higher_is_better else 1
    order = sorted(
        estimates, key=lambda m: sign * estimates[m].estimate if not math.isnan(estimates[m].estimate) else math.inf
    )
    return Board(
        names=tuple(order),
        title=measure.title,
        own=Column.of(estimates.values()),
        estimates=estimates,
        caption=f"{capitalised(measure.title)}",
        low=measure.higher_is_better is False,
        notes=(f"In brackets: {percent(ev.parts[0].confidence)} intervals.",),
    )


def table_metrics(ev: Evaluation, *, by_cost: bool = False) -> list[str]:
    """The metrics to show of several models."""
    return [m for m in shown_metrics(ev) if not (by_cost and find_measure(m).right_or_wrong)]


def cell(column: Column, i: Interval | None) -> tuple[str, float | None]:
    """An interval in a table that is sorted by the estimate."""
    if i is None:
        return "", None
    if math.isnan(i.estimate):
        return "undefined", None
    return column.words(i), i.estimate


def errors(part: ModelEvaluation) -> list[tuple[str, float | None]]:
    """The misses of the positives and the false alarms of the negatives."""
    assert part.confusion is not None
    c = part.confusion.binary(part.positive)
    cells = ((c.fn, c.tp + c.fn), (c.fp, c.fp + c.tn))
    return [(f"{whole(round(float(x), 1))} of {whole(round(float(n), 1))}", float(x)) for x, n in cells]


def leaderboard(board: Board, *, key: str = "board") -> Markup:
    """The figure. What is in it is text too, so it can be sorted, copied, and read aloud."""
    short_names = brief_names(tuple(board.names))
    own_panel = _panel({m: board.own.row(board.estimates[m]) for m in board.names})
    lines = {m: board.gap.row(c, points=board.points.get(m, ())) for m, c in board.gaps.items()}
    margin = None if board.margin is None else 10.0**board.gap.power * abs(board.margin)
    gap_panel = _panel(lines, references=((0.0, ""),), margin=None if margin is None else (-margin, margin))
    body = [_row(board, m, short_names[m], own_panel, gap_panel, lines.get(m), i) for i, m in enumerate(board.names)]
    if board.constant is not None:
        body.append(_constant_row(board, own_panel))
    head = [el("th", "model", scope="col", class_="name")]
    if board.letters:
        head.append(el("th", "tier", scope="col", class_="tier"))
    head += [el("td", class_="line"), el("th", board.title, scope="col", class_="number", data_low=board.low)]
    if board.gaps:
        head += [el("td", class_="line gap"), el("th", board.gap_title, scope="col", class_="number gap")]
        head += [el("th", _p_title(board), scope="col", class_="number p"), el("th", "verdict", scope="col")]
    axes = [el("td"), *([el("td")] if board.letters else []), el("td", axis_line(own_panel), class_="line"), el("td")]
    if board.gaps:
        axes += [el("td", axis_line(gap_panel), class_="line gap"), el("td"), el("td"), el("td")]
    table = el(
        "table", el("caption", board.caption), el("thead", el("tr", *head)), el("tbody", joined(body)),
        el("tfoot", el("tr", *axes, class_="axis"), aria_hidden="true"), class_="leaderboard sortable",
        data_open=MOST_OPEN,
    )  # fmt: skip
    notes = [*board.notes, *name_key(board.names)]
    return el(
        "div", _tools(board, key), scrolled(table, board.caption), el("p", " ".join(notes), class_="note"),
        class_="board",
    )  # fmt: skip


def leaderboards(judged: Sequence[Comparison], *, key: str = "board") -> Markup:
    """The figure for each metric that models were judged by, the first one seen, and what each other one comes to."""
    boards = [comparison_board(c) for c in judged]
    figures = [leaderboard(board, key=f"{key}-{i}" if i else key) for i, board in enumerate(boards)]
    if len(boards) == 1:
        return figures[0]
    options = [el("option", board.title.partition(",")[0], value=i) for i, board in enumerate(boards)]
    choice = el("select", *options, id=f"{key}-judge", data_judge=True, autocomplete="off")
    parts = [el("div", figures[0], data_judged=0)]
    for i, c in enumerate(judged[1:], start=1):
        said = brief(f"By {c.title}: {c._verdict_lines()[0]} {NAMED_BEFORE}", c.models)
        parts.append(el("div", el("p", unbroken(said), class_="note"), figures[i], data_judged=i, hidden=True))
    label = el("label", "Judge by ", choice, for_=f"{key}-judge")
    return el("div", el("p", label, class_="tools js-only"), *parts, class_="judged")


NAMED_BEFORE = "The more metrics one tries, the more often one of them errs: decide by the metric named beforehand."


def _p_title(board: Board) -> str:
    return "adjusted p" if any(c.p_adjusted is not None for c in board.gaps.values()) else "p"


def _tools(board: Board, key: str) -> Markup | None:
    """A box to filter by name, and what to sort by, where there is something to choose."""
    tools = []
    if len(board.names) > MOST_UNFILTERED:
        box = el("input", type="search", id=f"{key}-filter", data_board="filter", placeholder="part of a name")
        tools.append(el("label", "Filter ", box, for_=f"{key}-filter"))
    return el("p", *tools, class_="tools js-only") if tools else None


def _panel(
    rows: Mapping[str, ForestRow],
    references: tuple[tuple[float, str], ...] = (),
    margin: tuple[float, float] | None = None,
) -> Panel:
    """The axis of a column: that of the rows that stand open, so that far ones do not squeeze them."""
    return make_panel(list(rows.values())[:MOST_OPEN], axis="", references=references, margin=margin)


def axis_line(panel: Panel) -> Markup:
    """The axis under a column of lines."""
    # Under a narrow column numbers of four digits would run into each other.
    marks = ticks(*panel.domain, most=4)
    every = 2 if len(marks) > 3 and any(len(words) > 3 for _, words in marks) else 1
    return el(
        "svg", *axis_marks(panel, 4, every=every), width="100%", height="22", class_="te-picture", aria_hidden="true"
    )


def interval_line(row: ForestRow, panel: Panel) -> Markup:
    """An estimate and its limits as a line with a dot; the figures stand beside it. An arrow: beyond the axis."""
    low, high = panel.domain
    if row.low < low and row.estimate < low:
        row = replace(row, low=-math.inf)
    if row.high > high and row.estimate > high:
        row = replace(row, high=math.inf)
    look = "te-picture interval aside" if row.aside else "te-picture interval"
    return el("svg", *interval_marks(row, panel, HEIGHT), width="100%", height=HEIGHT, class_=look, aria_hidden="true")


def name_cell(name: str, shown: str) -> Markup:
    """The head of a row; a name that is cut stands whole where the pointer rests, and in copies."""
    cut = clipped(name) != shown
    inner = el("span", shown, title=clipped(name)) if cut else shown
    return el("th", inner, scope="row", class_="name", data_text=clipped(name) if cut else None)


def _row(
    board: Board, m: str, shown: str, own: Panel, gaps: Panel, line: ForestRow | None, place: int
) -> Markup:  # fmt: skip
    answer = board.verdicts.get(m)
    i = board.estimates[m]
    cells = [name_cell(m, shown)]
    if board.letters:
        cells.append(el("td", board.letters[m], class_="tier"))
    cells += [
        el("td", interval_line(board.own.row(i), own), class_="line"),
        el("td", board.own.words(i), class_="number"),
    ]
    if board.gaps:
        c = board.gaps.get(m)
        at = ForestRow(label="", estimate=0.0, low=math.nan, high=math.nan)
        cells += [
            el("td", interval_line(line or at, gaps), class_="line gap"),
            el("td", "" if c is None else board.gap.words(c, sign=True), class_="number gap",
               data_sort=0 if c is None else None),
            el("td", "" if c is None else p_cell(decided(c)), class_="number p",
               data_sort=None if c is None else sort_key(deciding_p(c))),
            el("td", *([el("b", answer.sign, aria_hidden="true"), " ", answer.word] if answer else []), class_="told"),
        ]  # fmt: skip
    kinds = [f"is-{answer.kind}"] if answer else []
    kinds += ["later"] if place >= MOST_OPEN else []
    return el("tr", *cells, class_=" ".join(kinds) or None)


def _constant_row(board: Board, own: Panel) -> Markup:
    assert board.constant is not None
    name, i = board.constant
    row = board.own.row(i, aside=True)
    inside = own.domain[0] <= row.estimate <= own.domain[1]
    cells = [el("th", clipped(name), scope="row", class_="name"), *([el("td", class_="tier")] if board.letters else [])]
    cells.append(el("td", interval_line(row, own) if inside else None, class_="line"))
    cells.append(el("td", board.own.say(i.estimate), class_="number"))
    cells += [el("td", class_=c) for c in ("line gap", "number gap", "number p", "told")] if board.gaps else []
    return el("tr", *cells, class_="is-constant")


def sort_key(x: float | None) -> str | None:
    """What a cell is sorted by."""
    return None if x is None or math.isnan(x) else f"{x:.6g}"


def model_board(part: ModelEvaluation) -> Markup:
    """One model: a row for each metric, those that share a range and a direction on one axis, with their counts."""
    table = metrics_table(part)
    counts = dict(zip((row[0] for row in table.rows), (row[3:] for row in table.rows), strict=True))
    measures = [find_measure(m) for m in part.overall]
    column = Column.of(part.overall.values())
    groups: dict[tuple[object, ...], list[tuple[str, Interval, bool]]] = {}
    for measure, title in zip(measures, metric_titles(part, measures), strict=True):
        rows = groups.setdefault(_axis_of(measure), [])
        rows.append((title, part.overall[measure.name], False))
        if measure.right_or_wrong == 1 and part.baseline_label is not None and part.shows_accuracy:
            rows.append((table.rows[-1][0], part.baseline, True))
    bodies = []
    for (low, high, better), rows in groups.items():
        within = (float(low), float(high))  # type: ignore[arg-type]
        lines = [column.row(i, aside=aside) for _, i, aside in rows]
        panel = make_panel(lines, axis="", within=within)
        if all(map(math.isfinite, within)) and better:
            panel = replace(panel, domain=within)
        bodies.append(_metrics_body(rows, lines, panel, column, counts, str(better)))
    head = [el("th", "metric", scope="col", class_="name"), el("td", class_="line")]
    head.append(el("th", f"estimate [{percent(part.confidence)} interval]", scope="col", class_="number"))
    head.append(el("th", "counts", scope="col", class_="number"))
    caption = f"{clipped(part.name)}: each figure with its interval"
    table_ = el("table", el("caption", caption), el("thead", el("tr", *head)), joined(bodies), class_="leaderboard one")
    return el("div", scrolled(table_, caption), class_="board")


def _axis_of(measure: Measure) -> tuple[object, ...]:
    low, high = measure.range
    way = {True: "higher is better", False: "lower is better", None: ""}[measure.higher_is_better]
    return low, high, way


def _metrics_body(
    rows: Sequence[tuple[str, Interval, bool]], lines: Sequence[ForestRow], panel: Panel, column: Column,
    counts: Mapping[str, tuple[str, ...]], way: str,
) -> Markup:  # fmt: skip
    body = []
    for (title, i, aside), line in zip(rows, lines, strict=True):
        words = "undefined" if math.isnan(i.estimate) else column.words(i)
        body.append(
            el("tr", el("th", title, scope="row", class_="name"), el("td", interval_line(line, panel), class_="line"),
               el("td", words, class_="number"), el("td", *counts.get(title, ()), class_="number"),
               class_="is-constant" if aside else None)
        )  # fmt: skip
    cells = [el("td", way, class_="name note"), el("td", axis_line(panel), class_="line"), el("td"), el("td")]
    body.append(el("tr", *cells, class_="axis", aria_hidden="true"))
    return el("tbody", joined(body))


def pairs_matrix(cmp: Comparison, gallery: Gallery) -> Markup:
    """Every pair: how the row's model stands to the column's, as a sign, coloured, with the difference where it fits.

    What a cell stands for is said where the pointer rests.
    """
    order, short_names = cmp.ranked, brief_names(cmp.models)
    power = cmp._power
    column = Column(cmp._decimals, 2) if cmp.facts.share else Column.of(cmp.pairs, power=power, least=1 if power else 3)
    written = len(order) <= MOST_WRITTEN
    number = {m: i for i, m in enumerate(order, start=1)}
    heads = [el("th", number[m], scope="col", title=clipped(m)) for m in order]
    body = []
    for a in order:
        cells = [el("td", class_="self") if a == b else _pair(cmp, a, b, column, written) for b in order]
        name = [f"{number[a]} ", el("span", short_names[a], title=clipped(a) if clipped(a) != short_names[a] else None)]
        body.append(el("tr", el("th", *name, scope="row", class_="name", data_text=clipped(a)), *cells))
    unit = ", in points" if cmp.facts.share else ", per 100 rows" if power else ""
    figures = f" with row − column{unit}" if written else "; point at a cell for its figures"
    adjusted = "" if cmp.adjust == "none" or len(cmp.pairs) < 2 else f", intervals and p-values adjusted ({cmp.adjust})"
    caption = (
        f"How the row stands to the column{figures}{adjusted}: ▲ clearly better, △ probably better, ? no clear "
        "difference, ▽ probably worse, ▼ clearly worse"
    )
    head = el("tr", el("th", "model", scope="col", class_="name"), *heads)
    key = None
    if not written:
        key = len(gallery.pairs)
        gallery.pairs.append([_tips(cmp, a, column) for a in order[:-1]])
    table = el("table", el("caption", caption), el("thead", head), el("tbody", joined(body)),
               class_="pairs" if written else "pairs signs", data_pairs=key)  # fmt: skip
    return scrolled(table, "All pairs")


def _pair(cmp: Comparison, a: str, b: str, column: Column, written: bool) -> Markup:
    if cmp.reference is not None and cmp.reference not in (a, b):
        return el("td", class_="self")
    c = cmp[a, b]
    verdict = told(cmp, c)
    size = column.say(c.estimate, sign=True)
    tip = _tip(c, column) if written else None
    return el("td", verdict.sign, *([" ", size] if written else []), class_=SHADES.get(verdict.kind), title=tip)


# How a cell of the matrix is coloured; a short word each, since there may be thousands.
SHADES = {"clearly-better": "b2", "probably-better": "b1", "probably-worse": "w1", "clearly-worse": "w2"}


def _tip(c: Contrast, column: Column) -> str:
    return f"{column.say(c.estimate, sign=True)} {column.limits(c, sign=True)}, {decided(c)}"


def _tips(cmp: Comparison, a: str, column: Column) -> str:
    """The figures of a row's cells right of the diagonal; the page's script hands them out, and turns them."""
    after = cmp.ranked[cmp.ranked.index(a) + 1 :]
    judged = [cmp.reference is None or cmp.reference in (a, b) for b in after]
    return "|".join(_tip(cmp[a, b], column) if there else "" for b, there in zip(after, judged, strict=True))
