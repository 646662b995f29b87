"""ROC curves as pictures: curves, hull, the line of equal cost through the chosen point, averages over folds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueerror.curves._hull import AT_BEST
from trueerror.curves._operating_point import iso_cost
from trueerror.curves._precision_recall import PrecisionRecall
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import Rng, check_word
from trueerror.metrics.scores import auc as area_of
from trueerror.plots._headings import Named, estimate_words, heading, series_name, sizes_words
from trueerror.plots._specs import Axis, Band, Bars, Curves, Line, Mark, Row, Whiskers
from trueerror.plots._text import distinct, plain, shorten
from trueerror.plots.compose.curves import UNIT, precision_recall_picture, reference
from trueerror.plots.compose.forests import domain_of
from trueerror.results._format import chance_words, listing, number, percent

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._hull import HullChoice, HullCorner, HullRanges, Stretch
    from trueerror.curves._operating_point import Condition
    from trueerror.curves._roc import Roc, RocBand
    from trueerror.curves._roc_difference import RocDifference

FPR = "false positive rate: share of the negatives flagged"
TPR = "true positive rate: share of the positives flagged"
# The classifiers that need no model.
IDLE = {"AlwaysNeg": "flag nothing", "AlwaysPos": "flag everything"}
CORNERS = (
    Mark(x=0.0, y=0.0, words="flag nothing", shape="square", hollow=True, shift=(13.0, -13.0)),
    Mark(x=1.0, y=1.0, words="flag everything", shape="square", hollow=True, align="right", shift=(-4.0, 16.0)),
)
# Error bars of an averaged curve, spread along it.
BARS = 11


roc_space = partial(Curves, x=Axis(title=FPR), y=Axis(title=TPR), empty_corner="lower right")


def diagonal() -> Line:
    """What chance reaches."""
    return reference(UNIT, UNIT, "chance", (0.72, 0.72), shift=(9.0, 7.0))


def roc_line(curve: Roc, name: str, place: int, part: slice = slice(None)) -> Line:
    """A ROC curve, or a part of it, with what its points tell."""
    curve = curve._drawn
    columns = {"threshold": curve.thresholds, "false positive rate": curve.fpr, "true positive rate": curve.tpr}
    tips = {title: values[part] for title, values in columns.items()}
    return Line(x=curve.fpr[part], y=curve.tpr[part], name=name, series=place, tips=tips)


def roc_picture(
    named: Named,
    *,
    hull: bool = True,
    point: bool = True,
    prior: float | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    band: Literal["pointwise", "simultaneous"] | bool | None = None,
    iso: bool | None = None,
    rng: Rng = None,
) -> Curves:
    """ROC curves with their hull, and the line of equal cost through the point that is best under a condition.

    Classifiers that give labels are points. Without `prior` positives are as common as in the rows of the first curve.
    `iso` draws the family of lines along which accuracy (or, where errors cost differently, the cost of a row) is the
    same; without it they are drawn where all classifiers are points. A simultaneous band resamples rows by `rng`.
    """
    from trueerror.curves._hull import roc_hull

    if isinstance(band, bool):
        band = "pointwise" if band else None
    if band is not None:
        check_word(band, ("pointwise", "simultaneous"), "band")
    scored = [(place, name, c) for place, (name, c) in enumerate(named) if not c.calls]
    areas = [c.auc() for _, _, c in scored]
    said = [f"AUC {estimate_words(a)}{'' if abs(a.estimate - x) < 1e-9 else f' within folds, {number(x)} as drawn'}"
            for a, x in zip(areas, (float(area_of(c.table)) for _, _, c in scored), strict=True)]  # fmt: skip
    named_curves = zip(scored, said, strict=True)
    lines = [diagonal(), *(roc_line(c, series_name(name, words), place) for (place, name, c), words in named_curves)]
    around = roc_hull(_distinct(named))
    if hull:
        lines.append(Line(x=around.fpr, y=around.tpr, role="hull"))
    marks = [*CORNERS, *(_labelled(c, name, place) for place, (name, c) in enumerate(named) if c.calls)]
    first = next((c for _, c in named if c.calls != "rates"), named[0][1])
    prior = 0.5 if prior is None and first.calls == "rates" else prior
    notes = []
    if len(named) == 1 and areas:
        notes = [f"{said[0]} ({percent(areas[0].confidence)} CI)"]
    if not scored if iso is None else iso:
        lines += _family(first.condition(prior, cost_fp=cost_fp, cost_fn=cost_fn), equal=cost_fp == cost_fn)
    if point:
        condition = first.condition(prior, cost_fp=cost_fp, cost_fn=cost_fn)
        best = min(around.corners, key=lambda corner: condition.cost(corner.fpr, corner.tpr))
        lines += _equal_cost(float(condition.cost(best.fpr, best.tpr)), condition)
        marks.append(_chosen(best, equal=cost_fp == cost_fn))
        notes.append(f"{'most accurate' if cost_fp == cost_fn else 'cheapest'} on these rows {condition.words()}: "
                     f"{_call(best, len(named) > 1)}")  # fmt: skip
    about = ["dotted: convex hull"] if hull else []
    counted = [(name, c) for name, c in named if c.calls != "rates"]
    notes.append(", ".join([*([sizes_words(counted)] if counted else []), *about]))
    bands = [_band(c._drawn.band(band, rng=rng), place) for place, _, c in scored] if band else []
    kind = ("ROC curve" if len(named) == 1 else "ROC curves") if scored else "ROC space"
    return roc_space(
        title=heading(kind, named),
        subtitle=tuple(notes),
        lines=tuple(lines),
        marks=tuple(marks),
        bands=tuple(bands),
    )


def roc_beside_precision_recall(named: Named, *, prior: float | None = None) -> Row:
    """The same scores as ROC and as precision–recall curves: how rare the positives are shows in the second alone."""
    pairs = [(name, PrecisionRecall(c.table, name=c.name, caution=c.caution, prior=prior)) for name, c in named]
    both = (
        replace(roc_picture(named, hull=False, point=False), title="ROC"),
        replace(precision_recall_picture(pairs), title="Precision–recall"),
    )
    return Row(
        title=heading("ROC beside precision and recall", named),
        subtitle=(sizes_words(named),),
        pictures=tuple(replace(p, subtitle=()) for p in both),
    )


def band_picture(named: Named) -> Curves:
    """Bands around ROC curves, by their kind."""
    lines = [diagonal()]
    lines += [Line(x=b.fpr, y=b.tpr, name=series_name(name), series=i) for i, (name, b) in enumerate(named)]
    first = named[0][1]
    holds = "holds at each false positive rate by itself" if first.kind == "pointwise" else "holds over the whole curve"
    return roc_space(
        title=heading("ROC curve with its band" if len(named) == 1 else "ROC curves with their bands", named),
        subtitle=(f"{first.title}: {holds}",),
        lines=tuple(lines),
        bands=tuple(_band(b, i) for i, (_, b) in enumerate(named)),
    )


def _band(band: RocBand, place: int) -> Band:
    return Band(x=band.fpr, low=band.low, high=band.high, name=band.title, series=place)


def _labelled(curve: Roc, name: str, place: int) -> Mark:
    """A classifier that gives labels: its point, with its name beside it."""
    fpr, tpr = float(curve.fpr[-2]), float(curve.tpr[-2])
    right = fpr > 0.6
    return Mark(x=fpr, y=tpr, words=shorten(name, 30), series=place, align="right" if right else "left",
                shift=(-9.0, -10.0) if right else (9.0, 13.0))  # fmt: skip


# Accuracies, or shares of the dearest cost, along which a family of lines is drawn.
FAMILY = (0.9, 0.8, 0.7, 0.6, 0.5)


def _family(condition: Condition, *, equal: bool) -> list[Line]:
    """Lines along which accuracy, or the cost of a row, is the same, each with its value where it leaves the square."""
    worst = condition.miss + condition.alarm
    lines = []
    for share in FAMILY:
        line = iso_cost((1 - share) * worst, condition)
        ends = np.array(line.ends)
        if len(ends) < 2 or np.allclose(ends[0], ends[-1]):
            continue
        words = percent(share) if equal else f"cost {number((1 - share) * worst)}"
        x, y = (float(v) for v in ends[-1])
        shift = (-3.0, 12.0) if y >= 1 else (-3.0, -6.0)
        lines.append(Line(x=ends[:, 0], y=ends[:, 1], role="faint", words=words, words_at=(x, y), align="right",
                          shift=shift))  # fmt: skip
    return lines


def iso_picture(named: Named) -> Curves:
    """Lines of equal accuracy or cost in ROC space."""
    lines = [diagonal()]
    for place, (_, line) in enumerate(named):
        ends = np.array(line.ends)
        if len(ends):
            lines.append(Line(x=ends[:, 0], y=ends[:, 1], name=str(line), series=place))
    return roc_space(
        title="Lines of equal value in ROC space" if len(named) > 1 else f"Equal {named[0][1].kind} in ROC space",
        subtitle=tuple(str(line) for _, line in named[:1]),
        lines=tuple(lines),
        marks=CORNERS,
    )


def _distinct(named: Named) -> dict[str, Roc]:
    return dict(zip(distinct(name or "model" for name, _ in named), (c for _, c in named), strict=True))


def _equal_cost(cost: float, condition: Condition) -> list[Line]:
    """The part of the line of equal cost that crosses the picture."""
    ends = np.array(iso_cost(cost, condition).ends)
    if len(ends) < 2 or np.allclose(ends[0], ends[-1]):
        return []
    # No curve lies above the line: its words stand there where the corner is wide enough for them.
    above = float(ends[-1][0]) > 0.22
    line = Line(x=ends[:, 0], y=ends[:, 1], role="iso", words="equal cost", words_at=tuple(ends[-1]), shift=(6.0, 9.0))
    return [replace(line, align="right", shift=(-30.0, 8.0)) if above else line]


def _chosen(corner: HullCorner, *, equal: bool) -> Mark:
    """The best corner; its words stand where the picture has room."""
    words = "most accurate" if equal else "cheapest"
    if np.isnan(corner.threshold):
        words = ""  # its name stands there already
    elif not np.isinf(corner.threshold):
        words += f": threshold {number(corner.threshold)}"
    right = corner.fpr > 0.55
    shift = (-10.0, 14.0) if right else (10.0, 14.0)
    return Mark(x=corner.fpr, y=corner.tpr, words=words, shape="diamond", align="right" if right else "left",
                shift=shift)  # fmt: skip


def _call(corner: HullCorner, several: bool) -> str:
    if corner.classifier in IDLE:
        return IDLE[corner.classifier]
    if math.isnan(corner.threshold):
        return shorten(corner.classifier, 34)
    return (f"{shorten(corner.classifier, 34)} " if several else "") + f"threshold {number(corner.threshold)}"


def difference_picture(difference: RocDifference) -> Curves:
    """Where one ROC curve is above another, with the band of the difference and the line of none."""
    d = difference
    first, second = shorten(d.first, 30), shorten(d.second, 30)
    low, high = domain_of([float(d.low.min()), float(d.high.max()), 0.0], (-1.0, 1.0))
    tips = {"false positive rate": d.fpr, "difference": d.difference, "low": d.low, "high": d.high}
    none = reference(UNIT, 0 * UNIT, "no difference", (1.0, 0.0), align="right", shift=(0.0, 9.0))
    where = [f"{shorten(who, 30)} from {number(a)} to {number(b)}" for who, a, b in d.regions]
    clear = f"clear differences: {'; '.join(where[:3])}{'; …' if len(where) > 3 else ''}"
    verdict = clear if where else "no clear difference anywhere"
    return Curves(
        title=f"ROC curves: {first} − {second}",
        subtitle=(verdict, f"{d.title}, {'the same' if d.paired else 'different'} rows"),
        x=Axis(title="false positive rate"),
        y=Axis(title="difference of true positive rates", low=low, high=high),
        lines=(none, Line(x=d.fpr, y=d.difference, series=0, tips=tips)),
        bands=(Band(x=d.fpr, low=d.low, high=d.high, name=d.title),),
        size=(460, 320),
    )


def choice_picture(choice: HullChoice) -> Bars:
    """How often each classifier is the cheapest one among resamples."""
    ranked = sorted(choice.probabilities.items(), key=lambda item: -item[1])[:40]
    return Bars(
        title="Which classifier is the cheapest?",
        subtitle=(choice.condition.words(), "share of bootstrap resamples in which each is, at its own best threshold"),
        axis="share of resamples",
        labels=tuple(IDLE.get(name, plain(name)) for name, _ in ranked),
        amounts=tuple(share for _, share in ranked),
        words=tuple(chance_words(share) for _, share in ranked),
        highest=1.0,
    )


def ranges_picture(ranges: HullRanges) -> Bars:
    """For each classifier of a hull the shares of positives over which it is the cheapest."""
    rows = ranges.stretches()[:60]
    return Bars(
        title="Cheapest by the share of positives",
        subtitle=(
            f"a false alarm costs {ranges.cost_fp:g}, a miss {ranges.cost_fn:g}",
            *([AT_BEST] if ranges.tuned else []),
        ),
        axis="share of positives",
        labels=tuple(_stretch_words(r) for r in rows),
        amounts=tuple(r["to"] for r in rows),
        starts=tuple(r["from"] for r in rows),
        words=tuple(f"{100 * r['from']:.1f} to {100 * r['to']:.1f} %" for r in rows),
        highest=1.0,
    )


def _stretch_words(stretch: Stretch) -> str:
    first, last = stretch["thresholds"]
    if math.isinf(first):
        return "flag nothing" if first > 0 else "flag everything"
    name = plain(stretch["classifier"])
    if math.isnan(first):
        return name
    cut = f"threshold {number(first)}" if first == last else f"thresholds {number(first)} to {number(last)}"
    return f"{name}, {cut}"


def _average_area(c: AverageCurve) -> str:
    """The area of an averaged curve; that of an experiment need not be the mean of the curves' own."""
    return f"{'mean ' if c.area is None else ''}AUC {estimate_words(c.auc())}"


def _arms(low: Floats, high: Floats) -> tuple[Floats, Floats] | tuple[None, None]:
    """The ends of error bars, where the averaging was done in their direction."""
    return (None, None) if np.isnan(low).all() else (low, high)


def average_picture(named: Named) -> Curves:
    """Curves averaged over folds, with error bars where the averaging was done."""
    lines, whiskers = [diagonal()], []
    for place, (name, c) in enumerate(named):
        tips = {"false positive rate": c.fpr, "true positive rate": c.tpr}
        if c.thresholds is not None:
            tips = {"threshold": c.thresholds, **tips}
        lines.append(Line(x=c.fpr, y=c.tpr, name=series_name(name, _average_area(c)), series=place, tips=tips))
        some = np.unique(np.linspace(0, len(c.fpr) - 1, BARS).round().astype(int))
        low, high = _arms(c.tpr_low[some], c.tpr_high[some])
        left, right = _arms(c.fpr_low[some], c.fpr_high[some])
        whiskers.append(
            Whiskers(x=c.fpr[some], y=c.tpr[some], low=low, high=high, left=left, right=right, name=name, series=place)
        )
    first = named[0][1]
    level = percent(first.confidence)
    folds = f"{first.how} averages of {len(first.areas)} curves, bars: {level} t-intervals over the curves"
    methods = dict.fromkeys("plain t over the curves" if c.area is None else c.area.method for _, c in named)
    how = f"{level} {listing(list(methods))}"
    area_lines = (f"{_average_area(first)} ({how})" if len(named) == 1 else f"AUC in brackets: {how}",)
    return roc_space(
        title=heading("Averaged ROC curve" if len(named) == 1 else "Averaged ROC curves", named),
        subtitle=(*area_lines, folds),
        lines=tuple(lines),
        whiskers=tuple(whiskers),
    )
