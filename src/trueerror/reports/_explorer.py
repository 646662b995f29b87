"""The operating-point explorer: class mix and costs move the line of equal cost over one shared ROC panel.

What stands here shows without JavaScript. The page's script moves it by hull corners as counts, never rows; it computes
as `te.roc_hull(...).best` and `te.roc(...).operating_point` do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from trueerror.curves._hull import RocHull, roc_hull
from trueerror.curves._operating_point import Condition
from trueerror.curves._roc import Roc, roc
from trueerror.plots._dispatch import estimate_words, sizes_words
from trueerror.plots._specs import Axis, Curves, Line
from trueerror.plots.compose.roc import CORNERS, FPR, TPR, diagonal, roc_line
from trueerror.plots.svg._curves import LEFT, TOP
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._contents import ReportOptions, Start
from trueerror.reports._html import Section, brief_names, clipped, html_table
from trueerror.reports._svg import Gallery
from trueerror.results._document import Table
from trueerror.results._format import percent, whole
from trueerror.sources._predictions import Predictions


class InUse(NamedTuple):
    """How a model is used now: its calls as counts (or weights), and its threshold where scores are cut."""

    threshold: float | None
    fp: float
    tp: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """The curves of all models that rank, the best area first, with their hull and the calls in use."""

    curves: dict[str, Roc]
    hull: RocHull
    in_use: dict[str, InUse | None]
    positive: object
    start: Start

    @property
    def names(self) -> dict[str, str]:
        """The models, and how they are shown."""
        return brief_names(tuple(self.curves))

    @property
    def exact(self) -> bool:
        """Whether there are counts: with sampling weights there are none, and rates serve."""
        return all(c.table.squares is None for c in self.curves.values())

    @property
    def prior(self) -> float:
        """The share of positives among the rows."""
        return next(iter(self.curves.values())).prevalence


def explore(p: Predictions, asked: ReportOptions | None = None) -> Explored | None:
    """The curves of predictions with scores and a positive class; None where no model has them."""
    wanted = asked or ReportOptions()
    # A classifier that gives labels is a point; of graded rows it is only known who was right.
    models = [m for m in p.models if p.has_scores(m) or (p.has_labels(m) and not p.graded)]
    if p.positive is None or not models or (p.weights_kind == "sampling" and not all(map(p.has_scores, models))):
        return None
    curves = {m: roc(p, model=m) for m in models}
    # The hull takes the models in their own order, which decides who is named where several reach the same point.
    return Explored(
        curves=dict(sorted(curves.items(), key=lambda item: -item[1].gini)),
        hull=roc_hull(curves),
        in_use={m: _in_use(p, m) for m in curves},
        positive=p.positive,
        start=Start(
            prior=next(iter(curves.values())).prevalence if wanted.prior is None else wanted.prior,
            cost_fp=1.0 if wanted.cost_fp is None else float(wanted.cost_fp),
            cost_fn=1.0 if wanted.cost_fn is None else float(wanted.cost_fn),
        ),
    )


def _in_use(p: Predictions, model: str) -> InUse | None:
    """A model's own calls, or its scores cut where they are cut; None where nothing is called."""
    if not p.has_predictions(model):
        return None
    way = p.facts.decision_rule(model, None)
    cells = p.confusion(model).binary(p.positive)
    threshold = None if way.kind != "cut" else 0.5 if way.threshold is None else float(way.threshold)
    return InUse(threshold, float(cells.fp), float(cells.tp))


def explorer_data(e: Explored, panels: list[dict[str, object]]) -> dict[str, object]:
    """The explorer's numbers for the page; `panels` say where each panel lies and what its axes span."""
    place = {name: i for i, name in enumerate(e.curves)}
    sizes = {name: _sizes(c) for name, c in e.curves.items()}
    first = next(iter(sizes.values()))
    return {
        "panels": panels,
        "exact": e.exact,
        "prior": e.prior,
        "start": {"prior": e.start.prior, "fp": e.start.cost_fp, "fn": e.start.cost_fn},
        "positive": clipped(e.positive),
        "models": [_model(e, name, c, sizes[name]) for name, c in e.curves.items()],
        "corners": [
            [place.get(c.classifier, -1 if c.fpr == 0 else -2), finite(c.threshold),
             *_point(sizes.get(c.classifier, first), c.fpr, c.tpr, e.exact)]
            for c in e.hull.corners
        ],
    }  # fmt: skip


def _sizes(curve: Roc) -> tuple[float, float]:
    """Positives and negatives; each is a sum over all scores, so it is asked for once."""
    return float(curve.table.n_positive), float(curve.table.n_negative)


def _model(e: Explored, name: str, curve: Roc, sizes: tuple[float, float]) -> dict[str, object]:
    """One model: its sizes, the corners of its own hull, and its calls in use."""
    scores, used = curve.table.scores, e.in_use[name]
    calls = None
    if used is not None:
        scale = (1.0, 1.0) if e.exact else sizes
        calls = [used.threshold, used.fp / scale[1], used.tp / scale[0]]
    return {
        "name": e.names[name],
        "m": _amount(sizes[0]),
        "n": _amount(sizes[1]),
        "corners": [
            [_cut(curve, i), *_point(sizes, float(curve.fpr[i]), float(curve.tpr[i]), e.exact)] for i in curve._corners
        ],
        "use": calls,
        "probabilities": bool(scores[0] >= 0 and scores[-1] <= 1),
    }


def _cut(curve: Roc, place: int) -> float | str | None:
    threshold = float(curve.thresholds[place])
    return finite(math.nan if curve.calls and threshold == 1 else threshold)


def _point(sizes: tuple[float, float], fpr: float, tpr: float, exact: bool) -> tuple[float, float]:
    if not exact:
        return fpr, tpr
    return round(fpr * sizes[1]), round(tpr * sizes[0])


def _amount(x: float) -> float:
    return int(x) if x.is_integer() else float(f"{x:.6g}")


def finite(threshold: float) -> float | str | None:
    """JSON has no infinities; nine digits tell any two thresholds apart that are shown."""
    if math.isnan(threshold):
        return None  # labels have none
    if math.isinf(threshold):
        return "inf" if threshold > 0 else "-inf"
    return float(f"{threshold:.9g}")


SIZE = (420, 420)
ALWAYS = ("AlwaysNeg", "AlwaysPos")


def explorer_section(e: Explored, gallery: Gallery) -> tuple[Section, dict[str, object]]:
    """The section, and the numbers that its script works with."""
    views = [(1.0, 0.0), *corner_view(e)]
    panels = [_panel(e, gallery, *view) for view in views]
    blocks = (
        el("div", _controls(e), _outcome(e), class_="controls"),
        el("div", el("div", _zoom(views), *panels), el("div", _models(e), _ranges(e), class_="beside"), class_="sides"),
    )
    section = Section(
        key="explorer",
        title="Which one to run, and from which score up",
        lead="What is cheapest depends on how common positives are where the model will run, and on what a miss and a "
        "false alarm cost.",
        blocks=(el("div", *blocks, id="explore"),),
    )
    where = [{"at": [LEFT, TOP, *SIZE], "x": [0, right], "y": [bottom, 1]} for right, bottom in views]
    return section, explorer_data(e, where)


def corner_view(e: Explored) -> list[tuple[float, float]]:
    """The corner in which the hull turns, as (highest FPR, lowest TPR), where that is a small part of the panel."""
    between = e.hull.corners[1:-1]
    if not between:
        return []
    right = nice_up(1.4 * max(c.fpr for c in between) + 0.01)
    bottom = 1 - nice_up(1.4 * (1 - min(c.tpr for c in between)) + 0.01)
    return [(right, round(bottom, 6))] if right <= 0.5 and bottom >= 0.5 else []


def nice_up(x: float) -> float:
    """The next round number above.

    >>> nice_up(0.13), nice_up(0.05), nice_up(0.7)
    (0.2, 0.05, 1.0)
    """
    return next((v for v in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5) if x <= v), 1.0)


def _zoom(views: list[tuple[float, float]]) -> Markup | None:
    if len(views) < 2:
        return None
    box = el("input", type="checkbox", data_x="zoom", id="x-zoom")
    return el("label", box, " Zoom into the corner", for_="x-zoom", class_="js-only zoom")


def _panel(e: Explored, gallery: Gallery, right: float, bottom: float) -> Markup:
    whole_panel = (right, bottom) == (1.0, 0.0)
    caption = "ROC curves, their hull, and the line of equal cost"
    figure = gallery.draw(_curves(e, right, bottom), caption if whole_panel else f"{caption}: the corner")
    return el("div", figure, data_x="panel", hidden=not whole_panel)


def _curves(e: Explored, right: float, bottom: float) -> Curves:
    whole_panel = (right, bottom) == (1.0, 0.0)
    lines = [diagonal()] if whole_panel else []
    for i, (name, c) in enumerate(e.curves.items()):
        # Rates only rise: what is shown is one stretch, with a point more on either side so that lines reach the edge.
        begin, end = int(np.searchsorted(c.tpr, bottom)), int(np.searchsorted(c.fpr, right, side="right"))
        kept = slice(max(0, begin - 1), min(len(c.fpr), end + 1)) if begin < end else slice(2)
        figure = "labels" if c.calls else f"AUC {estimate_words(c.auc())}"
        lines.append(roc_line(c, f"{e.names[name]}: {figure}", i, kept))
    lines.append(Line(x=e.hull.fpr, y=e.hull.tpr, role="hull"))
    about = f"{sizes_words(list(e.curves.items()))}; dotted: convex hull, what the best mixtures reach"
    return Curves(
        title="ROC curves", subtitle=(about,), x=Axis(title=FPR, high=right), y=Axis(title=TPR, low=bottom),
        lines=tuple(lines), marks=CORNERS if whole_panel else (), size=SIZE,
    )  # fmt: skip


def _controls(e: Explored) -> Markup:
    return el(
        "form",
        _control("prior", f"Share of positives ({clipped(e.positive)}) where it will run", "%"),
        _control("fp", "What a false alarm costs", ""),
        _control("fn", "What a miss costs", ""),
        el("button", "Back to the start", type="button", data_x="reset"),
        class_="js-only",
        autocomplete="off",
    )


def _control(key: str, words: str, unit: str) -> Markup:
    """A slider and a box for the same number."""
    slider = el("input", type="range", min="0", max="1000", step="1", id=f"x-{key}-slider", data_x=f"{key}-slider")
    box = el("input", type="number", min="0", step="any", id=f"x-{key}", data_x=key, aria_label=f"{words}, as a number")
    return el("p", el("label", words, for_=f"x-{key}-slider"), slider, el("span", box, unit or None, class_="box"))


def _outcome(e: Explored) -> Markup:
    cells = [
        [el("th", f"truly {clipped(e.positive)}", scope="row"), el("td", data_x="cell-tp"), el("td", data_x="cell-fn")],
        [el("th", "truly not", scope="row"), el("td", data_x="cell-fp"), el("td", data_x="cell-tn")],
    ]
    head = el("tr", el("td"), el("th", "called", scope="col"), el("th", "not called", scope="col"))
    matrix = el(
        "table",
        el("caption", "Confusion matrix on these rows"),
        el("thead", head),
        el("tbody", joined([el("tr", *row) for row in cells])),
        class_="small",
    )
    texts = (
        el("p", data_x="choice", class_="choice"),
        el("p", "Tuned on these rows: optimistic", data_x="badge", class_="badge", hidden=True),
        el("p", data_x="counts"),
        el("p", data_x="cost"),
        el("p", data_x="rate", class_="note"),
        el("p", data_x="untuned", class_="note"),
    )
    return el("div", el("div", *texts, aria_live="polite"), matrix, class_="outcome js-only")


def _models(e: Explored) -> Markup:
    """Each model as it is used now; the script puts in each model's own cheapest threshold."""
    rows = []
    for name, curve in e.curves.items():
        used = e.in_use[name]
        if used is None:
            rows.append((e.names[name], "–", "", "", ""))
            continue
        cut = "its own calls" if used.threshold is None else three_digits(used.threshold)
        rows.append((e.names[name], cut, *_calls(e, used.tp, used.fp, *_sizes(curve))))
    m, n = _sizes(next(iter(e.curves.values())))
    rows += [
        ("AlwaysNeg", "calls nothing", *_calls(e, 0, 0, m, n)),
        ("AlwaysPos", "calls all", *_calls(e, m, n, m, n)),
    ]
    columns = ("model", "threshold", "misses", "false alarms", "cost per 100")
    table = html_table(Table(columns=columns, rows=tuple(rows)), title=f"As used now, {e.start.words}")
    return el("div", table, data_x="models", class_="tall")


def _calls(e: Explored, tp: float, fp: float, m: float, n: float) -> tuple[str, str, str]:
    condition = Condition(e.start.prior, e.start.cost_fp, e.start.cost_fn)
    cost = three_digits(100 * float(condition.cost(fp / n, tp / m)))
    return f"{_count(m - tp)} of {_count(m)}", f"{_count(fp)} of {_count(n)}", cost


def _count(x: float) -> str:
    return whole(round(x, 1))


def three_digits(x: float) -> str:
    """Three digits, without needless zeros.

    >>> three_digits(17.25), three_digits(3.0), three_digits(1234.5)
    ('17.2', '3', '1,234')
    """
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def merged_ranges(e: Explored) -> list[tuple[str, float, float]]:
    """Who is cheapest over which shares of positives; neighbours of one classifier are one range."""
    out: list[tuple[str, float, float]] = []
    for row in e.hull.ranges(cost_fp=e.start.cost_fp, cost_fn=e.start.cost_fn):
        name, low, high = row["classifier"], row["from"], row["to"]
        if high <= low:
            continue
        if out and out[-1][0] == name:
            low = out.pop()[1]
        out.append((name, low, high))
    return out


def _ranges(e: Explored) -> Markup:
    shown = {**e.names, **dict.fromkeys(ALWAYS)}
    rows = tuple((shown[n] or n, share_words(a), share_words(b)) for n, a, b in merged_ranges(e))
    title = f"Cheapest by the share of positives, {e.start.words}"
    table = html_table(Table(columns=("classifier", "from", "to"), rows=rows), title=title)
    strip = el(
        "svg", width="100%", height="30", class_="te-picture strip-chart js-only", data_x="strip", aria_hidden="true"
    )
    return el("div", table, strip, data_x="ranges")


def share_words(x: float) -> str:
    """A share in percent, at three digits.

    >>> share_words(0.37193), share_words(1.0), share_words(0.00123)
    ('37.2 %', '100 %', '0.123 %')
    """
    return percent(float(f"{x:.3g}"))
