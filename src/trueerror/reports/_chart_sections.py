"""The charts of the page about models: calibration, ranking curves, classes, confusion matrices and slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.special import ndtr

from trueerror.curves._base import TableCurve
from trueerror.curves._calibration import Calibration, calibration
from trueerror.curves._cost import CostCurve, DecisionCurve, cost_curve, decision_curve
from trueerror.curves._det import Det, det
from trueerror.curves._gains import Gains, Lift, gains, lift
from trueerror.curves._precision_recall import PrecisionRecall, precision_recall
from trueerror.curves._risk_coverage import RiskCoverage, risk_coverage
from trueerror.curves._roc import pointwise_limits, roc
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._headings import estimate_words
from trueerror.plots._specs import Axis, Band, Curves, Line, Picture, Whiskers
from trueerror.plots._text import distinct
from trueerror.plots.compose.curves import band_path
from trueerror.plots.compose.distributions import score_table_picture
from trueerror.plots.compose.matrices import MAPPED_CLASSES, confusion_picture, worst_pairs
from trueerror.plots.compose.roc import FPR, TPR, diagonal, roc_line
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._explorer import Explored, design_interval, nice_up, roc_chart
from trueerror.reports._html import (
    COLOURED,
    FEW_HOVERED,
    Dots,
    Gallery,
    Section,
    clipped,
    html_table,
    svg_dots,
)
from trueerror.results import Interval
from trueerror.results._document import Table
from trueerror.results._format import brief, brief_names, capitalised, clip, key_names, number, p_value, percent, whole
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Confusion
from trueerror.tallies._graded import is_graded
from trueerror.verbs._compare_costs import CostComparison
from trueerror.verbs._comparison import Comparison
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation, class_table
from trueerror.verbs._gaps import Gap, Gaps, evaluation_gaps

# Curves in one picture; the ROC panel shows every model.
MOST_CURVES = 12
# Models whose classes are shown one by one, and how many classes of each.
MOST_MODELS = 4
MOST_CLASSES = 7
# Rows of a dot plot.
MOST_ROWS = 30
# With more classes than this the cells of a matrix have no numbers: it is a map.
MOST_IN_MATRIX = 20
SHADES, CONFUSED = 8, 10
ENDS = ("estimate", "low", "high")
PER_100 = "cost per 100 rows"
# A matrix of more classes is wider than a column of paper.
BROAD_MATRIX = 5


# x, low, high.
Limits = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, slots=True)
class Kind:
    """A curve as a chart: how it is made, its pointwise limits, the corner that sharp models press into, its area."""

    make: Callable[..., TableCurve]
    limits: Callable[[Any, float], Limits]
    corner: Callable[[Curves, Sequence[TableCurve]], Curves | None] = lambda _whole, _curves: None
    area: tuple[str, str] | None = None  # the metric whose interval stands in the legend, and how it is said there


# Shares of the rows, or forecasts, at which a band is computed.
SHARES = np.linspace(0.02, 1.0, 50)
# False positive rates, equally far apart on the axis of a DET curve.
DEVIATES = ndtr(np.linspace(-4.0, 3.0, 71))


def _by_points(xs: Floats, at: Callable[[float], Interval]) -> Limits:
    intervals = [at(float(x)) for x in xs]
    return xs, np.array([i.low for i in intervals]), np.array([i.high for i in intervals])


def _precision_limits(c: PrecisionRecall, confidence: float) -> Limits:
    recall, _, low, high = band_path(c.band(confidence=confidence))
    return recall, low, high


def _share_limits(c: Gains | Lift, confidence: float) -> Limits:
    return _by_points(SHARES, lambda x: c.at(share=x, confidence=confidence))


def _det_limits(c: Det, confidence: float) -> Limits:
    low, high = pointwise_limits(c.fpr, 1 - c.fnr, DEVIATES, c._class_rows(confidence), confidence)
    return DEVIATES, np.clip(1 - high, 1e-6, 1 - 1e-6), np.clip(1 - low, 1e-6, 1 - 1e-6)


def _decision_limits(c: DecisionCurve, confidence: float) -> Limits:
    return _by_points(c.thresholds[1::2], lambda x: c.at(x, confidence=confidence))


def _cost_limits(c: CostCurve, confidence: float) -> Limits:
    return _by_points(SHARES[:-1], lambda x: c.at(pc=x, confidence=confidence).cost)


def _risk_limits(c: RiskCoverage, confidence: float) -> Limits:
    x, low, high = _by_points(SHARES, lambda x: c.at(coverage=x, confidence=confidence))
    return x, 1 - high, 1 - low


def _precision_corner(whole: Curves, curves: Sequence[TableCurve]) -> Curves | None:
    pr_curves = [c for c in curves if isinstance(c, PrecisionRecall)]
    lowest = min(float(c.precision[(c.recall >= FAR) & (c.recall <= NEARLY)].min(initial=1.0)) for c in pr_curves)
    bottom = 1 - nice_up(1.2 * (1 - lowest) + 0.01)
    return None if bottom < 0.5 else _cropped(whole, x=(FAR, 1.0), y=(bottom, 1.0))


def _gains_corner(whole: Curves, curves: Sequence[TableCurve]) -> Curves | None:
    right = nice_up(1.6 * max(c.prevalence for c in curves) + 0.02)
    return _cropped(whole, x=(0.0, right), y=(0.5, 1.0))


def _cost_corner(whole: Curves, curves: Sequence[TableCurve]) -> Curves | None:
    cost_curves = [c for c in curves if isinstance(c, CostCurve)]
    return _cropped(whole, x=(0.0, 1.0), y=(0.0, nice_up(2.0 * max(float(c.envelope[1].max()) for c in cost_curves))))


def _lift_corner(whole: Curves, curves: Sequence[TableCurve]) -> Curves | None:
    right = nice_up(1.6 * max(c.prevalence for c in curves) + 0.02)
    return None if right == 1 else _cropped(whole, x=(0.0, right), y=(0.0, whole.y.high))


# Between these recalls a sharp model is looked at; beyond, every precision falls to the share of positives.
FAR, NEARLY = 0.8, 0.97


def _cropped(whole: Curves, *, x: tuple[float, float], y: tuple[float, float]) -> Curves:
    """A part of a picture; words that would stand outside of it are left out."""

    def inside(at: tuple[float, float] | None) -> bool:
        return at is not None and x[0] <= at[0] <= x[1] and y[0] <= at[1] <= y[1]

    lines = tuple(n if not n.words or inside(n.words_at) else replace(n, words="", words_at=None) for n in whole.lines)
    return replace(
        whole, x=replace(whole.x, low=x[0], high=x[1]), y=replace(whole.y, low=y[0], high=y[1]), lines=lines,
        marks=tuple(m for m in whole.marks if inside((m.x, m.y))),
    )  # fmt: skip


PRECISION = Kind(precision_recall, _precision_limits, _precision_corner, ("average_precision", "AP"))
# Charts that stand beside each other: key, title and the kinds.
PAIRS = (
    ("gains", "Gains and lift: how many positives are in the top rows",
     (Kind(gains, _share_limits, _gains_corner), Kind(lift, _share_limits, _lift_corner))),
    ("decision", "Decision curve and cost curve: what acting on the scores gains",
     (Kind(decision_curve, _decision_limits), Kind(cost_curve, _cost_limits, _cost_corner))),
    ("det", "Misses against false alarms (DET), and risk against coverage",
     (Kind(det, _det_limits), Kind(risk_coverage, _risk_limits))),
)  # fmt: skip


def chart_sections(
    ev: Evaluation | None, p: Predictions | None, explored: Explored | None, reason: str, gallery: Gallery
) -> Iterator[Section]:
    """The folded sections: classes, confusion matrices, curves of scores; `reason` says why there are no curves."""
    if ev is not None:
        yield from _by_class(ev)
        # Of graded rows the matrix says no more than who was right.
        matrices = [part.confusion for part in ev.parts if part.confusion is not None]
        if any(not is_graded(matrix) for matrix in matrices):
            most = max(len(matrix.labels) for matrix in matrices)
            yield Section(
                key="confusions", title="Confusion matrices", blocks=(confusions(ev, gallery),), folded=True,
                broad=most > BROAD_MATRIX or len(ev.parts) > MOST_MODELS,
            )  # fmt: skip
    if explored is not None and p is not None:
        yield from curve_sections(p, explored, gallery)
    elif p is not None and not reason:
        yield from class_sections(p, gallery)
    elif reason:
        yield Section(key="curves", title="Curves", blocks=(el("p", reason),), folded=True)


def curve_sections(p: Predictions, explored: Explored, gallery: Gallery) -> Iterator[Section]:
    """All of them; of many models those with the largest areas."""
    models = [m for m, c in explored.curves.items() if not c.calls]
    if not models:
        return
    kept = models[:MOST_CURVES]
    lead = "" if len(kept) == len(models) else f"The {len(kept)} of {len(models)} models with the largest areas."
    names = explored.names
    # Each model has a picture of its own: bands would cover each other.
    blocks = [_drawn(partial(_calibrated, p, m, names[m]), gallery, models) for m in kept]
    yield Section(
        key="calibration",
        title="Calibration: are the probabilities calibrated?",
        blocks=(el("div", joined(blocks), class_="multiples"),),
        lead=lead,
        folded=True,
    )
    histograms = [_drawn(partial(_scores_by_class, explored, m), gallery, models) for m in kept]
    yield Section(
        key="scores", title="Scores by class", blocks=(el("div", joined(histograms), class_="multiples"),), lead=lead,
        folded=True, screen=True,
    )  # fmt: skip
    precision = _ranking_chart(PRECISION, p, kept, explored, gallery)
    beside = el("div", roc_chart(explored, gallery, MOST_CURVES), precision, class_="multiples pair")
    yield Section(
        key="precision-recall", title="ROC beside precision and recall", blocks=(beside,), lead=lead, folded=True
    )
    for key, title, kinds in PAIRS:
        charts = [_ranking_chart(kind, p, kept, explored, gallery) for kind in kinds]
        beside = el("div", joined(charts), class_="multiples pair")
        yield Section(key=key, title=title, blocks=(beside,), lead=lead, folded=True, screen=True)


def _ranking_chart(kind: Kind, p: Predictions, models: Sequence[str], explored: Explored, gallery: Gallery) -> Markup:
    """The curves of all models, with the band of the one that stands out; where rows depend on each other, none."""
    try:
        curves = {m: kind.make(p, model=m) for m in models}
        whole = picture({explored.names[m]: c for m, c in curves.items()})
        assert isinstance(whole, Curves)
        caution = next((c.caution for c in curves.values() if c.caution), "")
        if caution:
            # Limits that take rows as independent would be too narrow: only those that do not are shown.
            words = _areas_in_words(kind, p, curves, explored)
            lines = tuple(replace(n, name=words.get(n.series, without_limits(n.name))) if n.name else n
                          for n in whole.lines)  # fmt: skip
            whole = replace(
                whole, lines=lines, subtitle=(*whole.subtitle[-1:], f"No bands are shown: {_first_part(caution)}.")
            )
        else:
            named = f"{percent(explored.confidence)} pointwise band of the curve that stands out"
            bands = []
            for i, c in enumerate(curves.values()):
                x, low, high = kind.limits(c._drawn, explored.confidence)
                bands.append(Band(x=x, low=low, high=high, name=named, series=i))
            whole = replace(whole, bands=tuple(bands))
        corner = kind.corner(whole, [c._drawn for c in curves.values()]) if explored.sharp else None
    except InputError as reason:
        return el("p", brief(f"Not shown: {reason}.", models))
    return gallery.zoomed(whole, corner, points=FEW_HOVERED)


def _areas_in_words(
    kind: Kind, p: Predictions, curves: Mapping[str, TableCurve], explored: Explored
) -> dict[int | None, str]:
    """Series → its name with the interval that `te.evaluate` gives for the design of the sample, where it gives one."""
    if kind.area is None:
        return {}
    metric, short = kind.area
    intervals = {m: design_interval(p, m, metric, explored.confidence) for m in curves}
    return {
        i: f"{explored.names[m]}: {short} {estimate_words(interval)}"
        for i, (m, interval) in enumerate(intervals.items()) if interval is not None
    }  # fmt: skip


def _first_part(caution: str) -> str:
    """What the matter is, without what follows from it for limits that are not shown."""
    return caution.partition(": ")[0]


def without_limits(name: str) -> str:
    """A legend's words without the interval in brackets.

    >>> without_limits("svm: AP 0.91 [0.88, 0.94]")
    'svm: AP 0.91'
    """
    return name.partition(" [")[0] if name.endswith("]") else name


# Bins with fewer rows are put together with their neighbours.
FEWEST_IN_BIN = 10


def _calibrated(p: Predictions, model: str, name: str) -> Curves:
    return calibration_chart(calibration(p, model=model), name)


def calibration_chart(c: Calibration, name: str) -> Curves:
    """A smooth share of positives along the forecasts with its band; bins as light dots behind it."""
    smooth = c.smooth()
    x, y, rows = _merged_bins(c)
    tips = {"forecast": smooth.forecast, "share positive": smooth.observed, "low": smooth.low, "high": smooth.high}
    slope, large = c.slope(), c.in_the_large()
    words: tuple[str, ...] = (
        f"slope {estimate_words(slope)} (1 is right), intercept {estimate_words(large)} (0 is right)",
    )
    if c.caution:
        words = (f"slope {number(slope.estimate)} (1 is right), intercept {number(large.estimate)} (0 is right)",
                 f"no limits are shown: {_first_part(c.caution)}")  # fmt: skip
    band = Band(x=smooth.forecast, low=smooth.low, high=smooth.high, name=f"{percent(c.confidence)} pointwise band")
    return Curves(
        title=name,
        subtitle=(*words, "line: local regression over the nearest half of the rows; dots: bins of 10 rows or more"),
        x=Axis(title="forecast probability"),
        y=Axis(title="share that was positive"),
        lines=(
            Line(x=np.array([0.0, 1.0]), y=np.array([0.0, 1.0]), role="reference", words="calibrated",
                 words_at=(0.8, 0.8), shift=(8.0, 8.0)),
            Line(x=smooth.forecast, y=smooth.observed, series=0, tips=tips),
        ),
        bands=() if c.caution else (band,),
        whiskers=(Whiskers(x=x, y=y, name="bins", series=COLOURED, tips={"mean forecast": x, "share positive": y,
                                                                         "rows": rows}),),
        size=(360, 320),
    )  # fmt: skip


def _merged_bins(c: Calibration) -> tuple[Floats, Floats, Floats]:
    """Mean forecast, share of positives and rows of bins, neighbours together until they have rows enough."""
    bins: list[list[float]] = []
    for size, forecast, observed in zip(c.sizes.tolist(), c.forecast.tolist(), c.observed.tolist(), strict=True):
        if bins and bins[-1][0] < FEWEST_IN_BIN:
            bins[-1] = [a + b for a, b in zip(bins[-1], (size, size * forecast, size * observed), strict=True)]
        else:
            bins.append([size, size * forecast, size * observed])
    if len(bins) > 1 and bins[-1][0] < FEWEST_IN_BIN:
        last = bins.pop()
        bins[-1] = [a + b for a, b in zip(bins[-1], last, strict=True)]
    rows = np.array([b[0] for b in bins])
    return np.array([b[1] for b in bins]) / rows, np.array([b[2] for b in bins]) / rows, rows


def _scores_by_class(explored: Explored, model: str) -> Curves:
    drawn = score_table_picture(explored.curves[model].table)
    return replace(drawn, title=explored.names[model], size=(360, 240))


def _by_class(ev: Evaluation) -> Iterator[Section]:
    """The recall of each class by model, the class that is found worst first."""
    parts = [part for part in ev.parts if part.confusion is not None and (part.positive is None or
             len(part.confusion.labels) > 2)][:MOST_MODELS]  # fmt: skip
    recalls = [_recalls(part) for part in parts]
    if not parts or not all(recalls):
        return
    labels = [label for label in recalls[0] if all(label in one for one in recalls)]
    worst = sorted(labels, key=lambda label: min(one[label].estimate for one in recalls))[:MOST_ROWS]
    names = brief_names(tuple(ev.models))
    grid = [[one[label] for one in recalls] for label in worst]
    estimate, low, high = (
        np.array([[getattr(i, end) for i in row] for row in grid]) for end in ("estimate", "low", "high")
    )
    more = "" if len(worst) == len(labels) else f", the {len(worst)} worst of {len(labels)} classes"
    dots = Dots(
        title=f"Recall of each class{more}",
        axis="recall: share of the class that was found",
        rows=tuple(clip(clipped(label), 30) for label in worst),
        notes=tuple(whole(float(row[0].n or 0)) for row in grid),
        series=tuple(names[part.name] for part in parts),
        estimate=estimate, low=low, high=high,
        overall=np.full(len(parts), math.nan),
        subtitle=(f"{percent(ev.parts[0].confidence)} intervals; at the right: rows of the class",),
    )  # fmt: skip
    tables = [_class_table(part) for part in parts]
    words = "Precision, recall and F1 of each class, as tables"
    folded = el("details", el("summary", words), el("div", *tables, class_="by-class"))
    yield Section(
        key="by-class", title="Class by class", blocks=(svg_dots(dots, limits=(0.0, 1.0)), folded), folded=True,
        broad=True,
        lead="The class that is found worst comes first.",
    )  # fmt: skip


def _class_table(part: ModelEvaluation) -> Markup:
    table, name = class_table(part), clipped(part.name)
    return html_table(replace(table, title=f"{name}: {table.title.removesuffix(':') or 'by class'}"), sortable=True)


def _recalls(part: ModelEvaluation) -> dict[Label, Interval]:
    try:
        recalls = {label: i for (metric, label), i in part.classes.items() if metric == "recall"}
    except InputError:
        return {}
    return {label: i for label, i in recalls.items() if math.isfinite(i.estimate)}


def class_sections(p: Predictions, gallery: Gallery) -> Iterator[Section]:
    """Of models with a score for each class: the ROC curve of each class against the rest, commonest classes first."""
    models = [m for m in p.models if p.scale is None and p.has_class_scores(m)][:MOST_MODELS]
    if p.positive is not None or not models:
        return
    counts = p.truth_counts().tolist()
    common = sorted((i for i in range(len(counts)) if counts[i]), key=lambda i: -counts[i])[:MOST_CLASSES]
    labels = [p.labels[i] for i in sorted(common)]

    blocks = [el("h3", clipped(m)) + _drawn(partial(_against_rest, p, m, labels), gallery, models) for m in models]
    lead = "" if len(labels) == len(p.labels) else f"The {len(labels)} commonest of {len(p.labels)} classes."
    yield Section(
        key="classes", title="ROC curves of each class against the rest", blocks=tuple(blocks), lead=lead, folded=True
    )


def _against_rest(p: Predictions, model: str, labels: Sequence[Label]) -> Curves:
    """One curve a class. They have no hull together: each is about another question."""
    lines = [diagonal()]
    for i, label in enumerate(labels):
        c = roc(p, model=model, positive=label)
        lines.append(roc_line(c, f"{clipped(label)}: AUC {estimate_words(c.auc())}", i))
    return Curves(
        title=f"{clipped(model)}: each class against the rest", x=Axis(title=FPR), y=Axis(title=TPR), lines=tuple(lines)
    )


def _drawn(make: Callable[[], Picture], gallery: Gallery, names: Sequence[str]) -> Markup:
    """A picture, or why there is none."""
    try:
        return gallery.draw(make())
    except InputError as reason:
        return el("p", brief(f"Not shown: {reason}.", names))


def confusions(ev: Evaluation, gallery: Gallery) -> Markup:
    """The matrix of each model, the pairs that it confuses most, and where the best two models differ."""
    known = [(part, part.confusion) for part in ev.parts if part.confusion is not None]
    known.sort(key=lambda one: -one[1].masses[one[1].row == one[1].col].sum() / one[1].masses.sum())
    blocks = []
    for part, table in known:
        inner = [confusion_matrix(table, part.name, gallery)]
        if 2 < len(table.labels) <= MAPPED_CLASSES:
            inner += _most_confused(table)
        blocks.append(el("div", *inner, class_="matrix"))
    if len(known) > 1:
        difference = difference_matrix(known[0][0], known[1][0])
        blocks += [] if difference is None else [el("div", difference, class_="matrix")]
    return el("div", joined(blocks), class_="matrices")


def confusion_matrix(confusion: Confusion, model: str, gallery: Gallery) -> Markup:
    """Rows are the truth, columns the calls; errors have a scale of their own up to the largest, zeros are blank."""
    if len(confusion.labels) > MOST_IN_MATRIX:
        return gallery.draw(confusion_picture(confusion, title=f"{clipped(model)}: rows true, columns predicted"))
    dense, names, columns = _dense(confusion)
    totals = dense.sum(axis=1, keepdims=True)
    shares = np.divide(dense, totals, out=np.zeros_like(dense), where=totals > 0)
    wrong = np.where(np.eye(*dense.shape) > 0, 0.0, shares)
    worst = float(wrong.max(initial=0.0)) or 1.0
    rows: list[Markup] = []
    for i, name in enumerate(names):
        cells = [el("th", name, scope="row", class_="name")]
        for j in range(dense.shape[1]):
            mass, share = float(dense[i, j]), float(shares[i, j])
            if not mass:
                cells.append(el("td", class_="right" if i == j else None))
                continue
            scale = share if i == j else share / worst
            look = f"{'h' if i == j else 'e'}{max(1, round(SHADES * scale))}{' right' if i == j else ''}"
            cells.append(el("td", whole(mass), el("small", f"{100 * share:.1f} %"), class_=look))
        rows.append(el("tr", *cells))
    return _matrix(f"{clipped(model)}: rows true, columns predicted", columns, rows)


def _dense(confusion: Confusion) -> tuple[Floats, list[str], list[str]]:
    k = len(confusion.labels)
    outside = bool((confusion.col >= k).any())
    dense = np.zeros((k, k + outside))
    np.add.at(dense, (confusion.row, np.minimum(confusion.col, k)), confusion.masses)
    names = distinct(confusion.labels)
    return dense, names, [*names, "no prediction"][: dense.shape[1]]


def _matrix(title: str, columns: Sequence[str], rows: Sequence[Markup]) -> Markup:
    head = el("tr", el("td"), *(el("th", n, scope="col", class_="number") for n in columns))
    table = el("table", el("caption", title), el("thead", head), el("tbody", joined(rows)), class_="confusion")
    return el("div", table, class_="wide", tabindex="0", role="region", aria_label=title)


def _most_confused(confusion: Confusion) -> list[Markup]:
    """The ten most frequent errors as a table."""
    bars = worst_pairs(confusion)
    if not bars.amounts or bars.amounts[0] == 0:
        return []
    rows = tuple(zip(bars.labels[:CONFUSED], bars.words[:CONFUSED], strict=True))
    return [html_table(Table(columns=("class taken for another", "rows"), rows=rows, title="Most confused"))]


def difference_matrix(first: ModelEvaluation, second: ModelEvaluation) -> Markup | None:
    """First − second, cell by cell: blue where the first does better (more right, fewer wrong), red where worse."""
    a, b = first.confusion, second.confusion
    if a is None or b is None or a.labels != b.labels or not 2 <= len(a.labels) <= MOST_IN_MATRIX:
        return None
    one, names, columns = _dense(a)
    two = _dense(b)[0]
    if one.shape != two.shape or not (one != two).any():
        return None
    gap = one - two
    largest = float(np.abs(gap).max())
    rows = []
    for i, name in enumerate(names):
        cells = [el("th", name, scope="row", class_="name")]
        for j in range(gap.shape[1]):
            value = float(gap[i, j])
            if not value:
                cells.append(el("td"))
                continue
            better = (value > 0) == (i == j)
            look = f"{'h' if better else 'e'}{max(1, round(SHADES * abs(value) / largest))}{' right' if i == j else ''}"
            cells.append(el("td", f"{'+' if value > 0 else '−'}{whole(abs(value))}", class_=look))
        rows.append(el("tr", *cells))
    title = f"{clip(clipped(first.name), 40)} − {clip(clipped(second.name), 40)}: blue where the first does better"
    return _matrix(title, columns, rows)


def gap_figures(
    ev: Evaluation, metric: str | None, gallery: Gallery, cmp: Comparison | None = None
) -> tuple[tuple[Markup, ...], str]:
    """The slices by model as dots, with what the largest gap says; nothing where they cannot be compared.

    Judged by costs it is the cost of a row; of two classes who is found and who is falsely flagged are shown as well.
    """
    costs = None
    table = ev.parts[0].confusion
    if isinstance(cmp, CostComparison) and ev.positive is not None and table is not None:
        index = table.labels.index(ev.positive)
        costs = [[0.0, 0.0], [0.0, 0.0]]
        costs[1 - index][index], costs[index][1 - index] = cmp.cost_fp, cmp.cost_fn
    metrics = [metric or ev.first_metric]
    if ev.positive is not None and ev.parts[0].confusion is not None:
        metrics += [m for m in ("recall", "fpr") if m not in metrics]
    figures, verdict = [], ""
    for name in metrics:
        try:
            gaps = evaluation_gaps(ev, name, costs=costs)
        except InputError:
            continue
        by_cost = costs is not None and name == metrics[0]
        figures.append(_slice_dots(ev, gaps, by_cost=by_cost))
        verdict = verdict or (gaps.said(PER_100, 100) if by_cost else gaps.verdict)
    return (el("div", joined(figures), class_="multiples slices"),) if figures else (), verdict


def _slice_dots(ev: Evaluation, gaps: Gaps, *, by_cost: bool) -> Markup:
    """One metric by slice and model, the worst slice first, the overall value as a line."""
    parts = list(gaps)[:MOST_MODELS]
    first = parts[0]
    sign = -1.0 if first.higher_is_better is False else 1.0
    groups = [g for g in ev.slices if any(g in part.groups for part in parts)]
    worst = sorted(groups, key=lambda g: min(sign * p.groups[g].estimate for p in parts if g in p.groups))[:MOST_ROWS]
    missing = Interval(name="", estimate=math.nan, low=math.nan, high=math.nan, confidence=first.confidence, method="")
    grid = [[part.groups.get(g, missing) for part in parts] for g in worst]
    scale, title = (100.0, PER_100) if by_cost else (1.0, first.title)
    estimate, low, high = (scale * np.array([[getattr(i, end) for i in row] for row in grid]) for end in ENDS)
    names, shown = brief_names(tuple(ev.models)), key_names(ev.slices)
    overall = [math.nan if by_cost else _overall(ev, part) for part in parts]
    tests = "; ".join(f"{names.get(part.model, part.model)} {p_value(part.p_value)}" for part in parts)
    dots = Dots(
        title=f"{capitalised(title)} by slice",
        axis=title,
        rows=tuple(clip(clipped(shown[g]), 30) for g in worst),
        notes=tuple(f"{ev.slices[g].n:,.0f} rows" for g in worst),
        series=tuple(names.get(part.model, part.model) for part in parts),
        estimate=estimate, low=low, high=high,
        overall=np.array(overall),
        subtitle=(f"{percent(first.confidence)} intervals, the worst slice first; any difference between slices, "
                  f"adjusted for all pairs: {tests}",),
    )  # fmt: skip
    share = not by_cost and float(np.nanmax(high)) <= 1 and float(np.nanmin(low)) >= 0
    return svg_dots(dots, limits=(0.0, 1.0) if share else (-math.inf, math.inf))


def _overall(ev: Evaluation, gap: Gap) -> float:
    part = next((part for part in ev.parts if part.name == gap.model), ev.parts[0])
    try:
        return part.metric(gap.metric).estimate
    except InputError:
        return math.nan
