"""Confusion matrices as heat maps or lists of the worst pairs, rankings as critical-difference pictures, posteriors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import find_measure
from trueerror.plots._specs import Axis, Bars, Curves, Heat, Line, Ranks
from trueerror.plots._text import columns_needed, distinct, fold, plain
from trueerror.results import Interval
from trueerror.results._format import figures, in_points, key_names, p_value, percent, signed, whole

if TYPE_CHECKING:
    from trueerror.inference.ranking._ranking import Ranking
    from trueerror.tallies import Confusion
    from trueerror.verbs._comparison import Comparison
    from trueerror.verbs._evaluation import Evaluation
    from trueerror.verbs._ranking_result import LearnerRanking

# Up to this many classes each cell has its numbers written in it; up to the second, there is a map without them.
WRITTEN_CLASSES = 15
MAPPED_CLASSES = 200
WORST_PAIRS = 25
NAMED_PAIRS = 3


def confusion_picture(table: Confusion, *, title: str | None = None) -> Heat | Bars:
    """Counts and row percentages; colour is the share of the row (of the true class)."""
    if len(table.labels) > MAPPED_CLASSES:
        return worst_pairs(table, title=title)
    k = len(table.labels)
    masses = table.masses
    outside = table.col >= k
    width = k + (1 if outside.any() else 0)
    dense = np.zeros((k, width))
    np.add.at(dense, (table.row, np.minimum(table.col, k)), masses)
    totals = dense.sum(axis=1)
    shares = np.divide(dense, totals[:, None], out=np.full_like(dense, np.nan), where=totals[:, None] > 0)
    written = k <= WRITTEN_CLASSES
    # A map of many classes is mostly empty: only cells with rows are drawn.
    rows, columns = np.nonzero(np.ones_like(dense) if written else dense)
    names = [plain(v) for v in table.labels]
    column_names = [*names, "no prediction"][:width]
    words, tips = [], []
    for i, j in zip(rows, columns, strict=True):
        mass, share = float(dense[i, j]), float(shares[i, j])
        percentage = _percent(share, mass)
        # Where there are many cells, a bare 0 says enough.
        words.append(((whole(mass), percentage) if mass or k <= 12 else ("0",)) if written else ())
        tips.append(
            {"truth": names[i], "predicted": column_names[j], "rows": whole(mass), "share of the truth": percentage}
        )
    return Heat(
        title="Confusion matrix" if title is None else title,
        subtitle=(f"{_accuracy_words(table)}; each row adds to 100 %", *([] if written else _confused_words(table))),
        row_title="truth",
        column_title="predicted",
        rows=tuple(distinct(names)),
        columns=tuple(distinct(column_names)),
        place=np.column_stack((rows, columns)).astype(np.int64),
        share=shares[rows, columns],
        words=tuple(words),
        tips=tuple(tips),
        row_notes=tuple(whole(float(t)) for t in totals) if written else (),
        scale_title="share of the truth’s row",
        extra_columns=width - k,
        text=written,
    )


MAP_SIZE = 620
ROW_NAME, COLUMN_NAME = 26, 18
# Average width of a character, in pixels.
CHARACTER = 6.5
GAP = 0.35  # of a cell, before columns that stand apart


def cell_size(picture: Heat) -> tuple[float, float]:
    """Width and height of a cell in pixels: as wide as what is written, or as large as the whole map allows."""
    rows, columns = len(picture.rows), len(picture.columns)
    if not picture.text:
        side = MAP_SIZE / max(rows, columns)
        return side, side
    written = columns_needed(picture.words) * CHARACTER + 14
    roomy = 76 if rows <= 4 else 60 if rows <= 12 else 34
    if rows <= 6:
        # A few classes: wide enough for their names to stand level.
        written = max(written, columns_needed(distinct(picture.columns, COLUMN_NAME)) * CHARACTER + 12)
    return max(written, float(roomy) if rows <= 12 else 46.0), float(roomy)


def sets_picture(table: Confusion, *, positive: object = None) -> Curves:
    """What was found and what should be found as two discs, by area; where they overlap, what was rightly found."""
    chosen = table.positive if positive is None else positive
    if chosen is None:
        raise InputError("positive= says which class is to be found")
    cells = table.binary(chosen)
    tp, fp, fn, tn = (float(v) for v in (cells.tp, cells.fp, cells.fn, cells.tn))
    if tp + fn == 0 or tp + fp == 0:
        raise InputError("there is nothing to plot: no row is positive, or none was flagged")
    r, s = math.sqrt((tp + fn) / math.pi), math.sqrt((tp + fp) / math.pi)
    apart = _distance(r, s, tp)
    turn = np.linspace(0.0, 2 * math.pi, 181)
    name = plain(chosen)
    lines = tuple(
        Line(x=at + radius * np.cos(turn), y=radius * np.sin(turn), name=words, series=series)
        for at, radius, words, series in (
            (0.0, r, f"{name}: {whole(tp + fn)} rows, {percent(round(tp / (tp + fn), 3))} found (recall)", 0),
            (apart, s, f"flagged: {whole(tp + fp)} rows, {percent(round(tp / (tp + fp), 3))} right (precision)", 1),
        )
    )
    left, right, size = min(-r, apart - s), max(r, apart + s), 1.12 * max(r, s)
    # Each number stands in the middle of its part of the line through both discs.
    ends = sorted((-r, r, apart - s, apart + s))
    parts = [(ends[1], ends[2], tp)] + ([(ends[0], ends[1], fn), (ends[2], ends[3], fp)] if apart > 0 else [])
    lines += tuple(
        Line(x=np.full(2, (a + b) / 2), y=np.zeros(2), role="reference", words=whole(count),
             words_at=((a + b) / 2, 0.0), align="center", shift=(0.0, 0.0))
        for a, b, count in parts if count
    )  # fmt: skip
    none = (-1e12,)
    return Curves(
        title="Found and to be found",
        subtitle=(f"areas are rows: {whole(fn)} missed, {whole(tp)} found, {whole(fp)} false alarms; outside of both "
                  f"{whole(tn)} more",),
        x=Axis(title="", low=left - 0.05 * size, high=right + 0.05 * size, ticks=none),
        y=Axis(title="", low=-size, high=size, ticks=none),
        lines=lines,
        bare=True,
        size=(round(150 * (right - left + 0.1 * size) / size), 300),
    )  # fmt: skip


def _distance(r: float, s: float, shared: float) -> float:
    """How far apart the middles of two discs are that share this area (by halving)."""
    low, high = abs(r - s), r + s
    for _ in range(60):
        d = (low + high) / 2
        a, b = (
            math.acos(min(1.0, max(-1.0, (d * d + p * p - q * q) / (2 * d * p or 1.0)))) for p, q in ((r, s), (s, r))
        )
        lens = r * r * (a - math.sin(2 * a) / 2) + s * s * (b - math.sin(2 * b) / 2)
        low, high = (d, high) if lens > shared else (low, d)
    return (low + high) / 2


def worst_pairs(table: Confusion, *, title: str | None = None) -> Bars:
    """The most frequent errors, for any number of classes."""
    k = len(table.labels)
    masses = table.masses
    off = _errors(table)
    worst = off[:WORST_PAIRS]
    totals = np.bincount(table.row, weights=masses, minlength=k)
    names = [plain(v) for v in table.labels]
    called = [*names, "no prediction"]
    errors, listed = float(masses[off].sum()), float(masses[worst].sum())
    subtitle = [_accuracy_words(table)]
    if len(worst):
        subtitle.append(
            f"the {len(worst)} most frequent of {len(off):,} kinds of error: {_percent_of(listed, errors)} of all"
        )
    return Bars(
        title=f"Most confused of {k:,} classes" if title is None else title,
        subtitle=tuple(subtitle),
        axis="rows",
        labels=tuple(f"{called[table.row[i]]} taken for {called[table.col[i]]}" for i in worst) or ("no errors",),
        amounts=tuple(float(masses[i]) for i in worst) or (0.0,),
        words=tuple(
            f"{whole(float(masses[i]))} ({_percent_of(float(masses[i]), float(totals[table.row[i]]))} of its class)"
            for i in worst
        )
        or ("0",),
    )


def _errors(table: Confusion) -> NDArray[np.int64]:
    """The cells of errors, most frequent first."""
    off = np.flatnonzero(table.row != table.col)
    return off[np.argsort(-table.masses[off], kind="stable")]


def _confused_words(table: Confusion) -> list[str]:
    """The most frequent errors, where the cells of a map have no numbers."""
    worst, masses = _errors(table)[:NAMED_PAIRS], table.masses
    names = [*distinct(table.labels, 26), "no prediction"]
    pairs = [
        f"{names[table.row[i]]} taken for {names[min(table.col[i], len(names) - 1)]} ({whole(masses[i])})"
        for i in worst
    ]
    return fold(f"most confused: {'; '.join(pairs)}", 100, lines=2) if pairs else []


def _accuracy_words(table: Confusion) -> str:
    masses = table.masses
    total = float(masses.sum())
    right = float(masses[table.row == table.col].sum())
    share = f" ({_percent_of(right, total)})" if total > 0 else ""
    return f"{whole(right)} of {whole(total)} rows right{share}"


def _percent_of(part: float, total: float) -> str:
    return _percent(part / total, part) if total > 0 else "–"


def _percent(share: float, mass: float) -> str:
    """A share in percent that never reads 0 % or 100 % when it is not.

    >>> _percent(0.9999, 9999), _percent(0.0001, 1), _percent(0.5, 5), _percent(float("nan"), 0)
    ('>99.9 %', '<0.1 %', '50.0 %', '–')
    """
    if np.isnan(share):
        return "–"
    if mass > 0 and share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.0f} %" if share in (0.0, 1.0) else f"{100 * share:.1f} %"


def confusion_difference(comparison: Comparison, *, first: str | None = None, second: str | None = None) -> Heat:
    """Where two models' confusion matrices differ: first − second in each cell, as a share of the true class."""
    if comparison.rows is None:
        raise InputError("this comparison holds no rows: compare the rows again, and plot that result")
    best, next_one = comparison.ranked[:2]
    names = (first or best, second or next_one)
    for name in names:
        if name not in comparison.models:
            raise InputError(f"there is no model {name!r}{nearest(name, comparison.models)}")
    rows = comparison.rows
    one, two = (rows.p.confusion(name, threshold=rows.threshold).matrix.astype(float) for name in names)
    if len(one) > WRITTEN_CLASSES:
        raise InputError(f"a difference of matrices is drawn of up to {WRITTEN_CLASSES} classes; there are {len(one)}")
    totals = np.maximum(one.sum(axis=1, keepdims=True), 1.0)
    gap = (one - two) / totals
    labels = tuple(distinct(plain(label) for label in rows.p.labels))
    cells = [(i, j) for i in range(len(one)) for j in range(len(one))]
    return Heat(
        title=f"Confusion matrices: {names[0]} − {names[1]}",
        subtitle=("points of each true class; a plus on the diagonal is better, elsewhere worse", "darker: larger"),
        row_title="truth",
        column_title="predicted",
        rows=labels,
        columns=labels,
        place=np.array(cells, dtype=np.int64),
        share=np.array([min(1.0, (abs(gap[c]) / (np.abs(gap).max() or 1.0)) ** 2) for c in cells]),
        words=tuple(("",) if not gap[c] else (in_points(gap[c]), _signed_rows(one[c] - two[c])) for c in cells),
        tips=tuple(
            {"truth": labels[i], "predicted": labels[j], names[0]: whole(one[i, j]), names[1]: whole(two[i, j])}
            for i, j in cells
        ),
        scale_title="size of the difference",
    )


def _signed_rows(x: float) -> str:
    return f"{signed(x, 0)} row{'' if abs(x) == 1 else 's'}"


# Slices and models of a heat map.
MOST_SLICES = 40


def slices_heat(ev: Evaluation, *, metric: str | None = None) -> Heat:
    """A metric in each slice, for each model: darker is worse."""
    if not ev.slices:
        raise InputError('kind="slices" needs slices: evaluate with by=')
    name = metric or ev.first_metric
    measure = find_measure(name)
    shown = key_names(ev.slices)
    first = list(ev.slices.items())[:MOST_SLICES]
    slices = {"all rows": ev, **{plain(shown[value]): inner for value, inner in first}}
    models = ev.models[:MOST_SLICES]
    intervals = [[inner.model(m).parts[0].metric_or_reason(name) for m in models] for inner in slices.values()]
    values = np.array([[i.estimate for i in row] for row in intervals])
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    worse = (high - values if measure.higher_is_better else values - low) / ((high - low) or 1.0)
    cells = [(i, j) for i in range(len(slices)) for j in range(len(models))]
    return Heat(
        title=f"{measure.title} by slice",
        subtitle=(f"darker: worse; in brackets {percent(intervals[0][0].confidence)} intervals",),
        row_title="slice",
        column_title="model",
        rows=tuple(distinct(slices)),
        columns=tuple(distinct(models)),
        place=np.array(cells, dtype=np.int64),
        share=np.array([worse[c] ** 2 for c in cells]),
        words=tuple(tuple(_estimate_lines(intervals[i][j])) for i, j in cells),
        tips=tuple({"slice": list(slices)[i], "model": models[j], "value": str(intervals[i][j])} for i, j in cells),
        row_notes=tuple(whole(inner.n) for inner in slices.values()),
        scale_title="how much worse than the best",
    )


def _estimate_lines(i: Interval) -> list[str]:
    if math.isnan(i.estimate):
        return ["undefined"]
    estimate, low, high = figures(i.estimate, i.low, i.high)
    return [estimate, *([f"[{low}, {high}]"] if math.isfinite(i.low + i.high) else [])]


def improvement_picture(ranking: LearnerRanking) -> Heat:
    """On which share of the data sets the row's learner beats the column's, ties as half (Agarwal et al. 2021)."""
    scores = np.array(ranking.scores, dtype=float)
    if not len(scores):
        raise InputError("there is nothing to plot: this ranking holds no scores of data sets")
    order = [ranking.names.index(name) for name in ranking.order]
    better = (scores if ranking.higher_is_better else -scores)[:, order]
    names = tuple(distinct(ranking.order, NAME))
    cells = [(i, j) for i in range(len(names)) for j in range(len(names))]
    share, words, tips = [], [], []
    for i, j in cells:
        won, tied = (float(v.sum()) for v in (better[:, i] > better[:, j], better[:, i] == better[:, j]))
        part = (won + tied / 2) / len(scores)
        share.append(math.nan if i == j else part**2)
        words.append(
            ("",) if i == j else (_percent(part, won + tied), f"{won:.0f}–{tied:.0f}–{len(scores) - won - tied:.0f}")
        )
        tips.append({"row": names[i], "column": names[j], "won–tied–lost": words[-1][-1]})
    return Heat(
        title="Probability of improvement: row over column",
        subtitle=(f"share of {len(scores)} data sets on which the row's learner is better, ties as half",),
        row_title="this learner",
        column_title="over this one",
        rows=names,
        columns=names,
        place=np.array(cells, dtype=np.int64),
        share=np.array(share),
        words=tuple(words),
        tips=tuple(tips),
        scale_title="share of the data sets",
    )


# Columns of a name beside its line.
NAME = 30


def ranking_picture(ranking: Ranking) -> Ranks:
    """Mean ranks on a line; a bar joins models without a clear difference (Demšar 2006, J. Mach. Learn. Res. 7:1)."""
    order = ranking.order
    place = {name: i for i, name in enumerate(order)}
    # Where no pair could differ clearly, a bar over all would say something about the models that nobody knows.
    smallest: float = getattr(ranking, "smallest_p", 0.0)
    what = "learners" if hasattr(ranking, "smallest_p") else "models"
    powerless = smallest > ranking.alpha
    groups = tuple(tuple(sorted(place[m] for m in g)) for g in ranking.groups if len(g) > 1 and not powerless)
    test = ranking.iman_davenport
    how = f"{ranking.method} at {percent(ranking.alpha)}"
    if ranking.critical_difference is not None:
        how += f", critical difference {ranking.critical_difference:.2f}"
    sets = "1 data set" if ranking.n == 1 else f"{ranking.n:,} data sets"
    joined = (
        f"a bar joins {what} without a clear difference"
        if ranking.control is None
        else f"the bar joins {what} without a clear difference from the control"
    )
    if powerless:
        joined = f"no bars: so few data sets cannot show a difference (smallest {p_value(smallest)})"
    return Ranks(
        title=f"Mean ranks of {len(order)} {what} over {sets}",
        subtitle=(f"{joined}: {how}", f"any difference at all: Iman–Davenport {p_value(test.p_value)}"),
        names=tuple(distinct(order, NAME)),
        ranks=tuple(ranking.ranks[name] for name in order),
        groups=groups,
        difference=ranking.critical_difference,
        control=None if ranking.control is None else place[ranking.control],
    )


# Between two levels there is room for one name.
BAR_LEVEL = 0.45


@dataclass(frozen=True, slots=True)
class Elbow:
    """A model's line: from its rank on the axis down to its level, then out to its name."""

    rank: float
    level: float
    left: bool
    words: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar over a group, with the ranks of its members."""

    level: float
    ranks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RanksLayout:
    """Everything in its place; levels grow downwards from the axis at 0."""

    low: float
    high: float
    elbows: tuple[Elbow, ...]
    bars: tuple[Bar, ...]
    depth: float


def lay_out(picture: Ranks) -> RanksLayout:
    """The better half of the models has its names at the left, the best on top; the others at the right."""
    count = len(picture.names)
    bars = _bars(picture)
    first = max((b.level for b in bars), default=0.0) + 0.8
    half = math.ceil(count / 2)
    elbows = []
    for place, rank in enumerate(picture.ranks):
        left = place < half
        down = place if left else count - 1 - place
        name = picture.names[place] + (" (control)" if picture.control == place else "")
        words = f"{name} · {rank:.2f}" if left else f"{rank:.2f} · {name}"
        elbows.append(Elbow(rank, first + down, left, words))
    # The axis shows all ranks where they are few, and else those that occur.
    whole = count <= 12
    low = 1.0 if whole else float(math.floor(min(picture.ranks)))
    high = float(max(count, 2)) if whole else float(math.ceil(max(picture.ranks)))
    if picture.difference is not None and picture.control is None:
        # The ruler must fit, even where no difference between these ranks could reach it.
        high = max(high, float(math.ceil(low + picture.difference)))
    return RanksLayout(low, max(high, low + 1), tuple(elbows), bars, first + max(half - 1, 0))


def ruler(picture: Ranks, layout: RanksLayout) -> tuple[float, float, str]:
    """From where to where the critical difference is drawn, and its words: around the control, else from the left."""
    width = picture.difference or 0.0
    if picture.control is None:
        return layout.low, layout.low + width, f"CD = {width:.2f}"
    middle = picture.ranks[picture.control]
    return max(layout.low, middle - width), min(layout.high, middle + width), f"control ± {width:.2f}"


def _bars(picture: Ranks) -> tuple[Bar, ...]:
    """Bars on as few levels as keep them apart."""
    bars: list[Bar] = []
    ends: list[float] = []
    for group in sorted(picture.groups):
        ranks = tuple(picture.ranks[i] for i in group)
        level = next((i for i, end in enumerate(ends) if end < ranks[0] - 0.05), len(ends))
        if level == len(ends):
            ends.append(ranks[-1])
        ends[level] = ranks[-1]
        bars.append(Bar(BAR_LEVEL * (level + 1), ranks))
    return tuple(bars)
