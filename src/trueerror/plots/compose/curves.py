"""Curves of score tables as pictures: of rankings (precision–recall, gains, lift, DET), of decisions (cost, net
benefit, Brier, risk–coverage), and calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._points import counts_at_cutoffs
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.plots._headings import MOST_BANDS, Named, estimate_words, heading, series_name, sizes_words
from trueerror.plots._simplify import ends as axis_ends
from trueerror.plots._simplify import placed
from trueerror.plots._specs import Axis, Band, Curves, Histogram, Line, Whiskers
from trueerror.plots._text import plain
from trueerror.plots.compose.forests import domain_of
from trueerror.results import Interval
from trueerror.results._format import figures, listing, number, percent, percents, whole
from trueerror.tallies._confusion import BinaryCounts

if TYPE_CHECKING:
    from trueerror.curves._det import Det
    from trueerror.curves._measure import MeasureCurve
    from trueerror.curves._precision_recall import PrecisionRecall, PrecisionRecallBand

# Between two points further apart than this share of the axis, the curved path of mixtures is drawn.
LONG_STEP = 1 / 200
STEPS = 12
# A cost curve of one model also shows its thresholds' lines, at most so many.
THRESHOLD_LINES = 16
UNIT = np.array([0.0, 1.0])
RECALL = "recall: share of the positives that are found"
PRECISION = "precision: share of the found that are positive"
precision_recall_space = partial(Curves, x=Axis(title=RECALL), y=Axis(title=PRECISION))
wide_curves = partial(Curves, size=(460, 340))
# Error bars along an averaged curve.
MEAN_BARS = 11
# What a curve tells at each of its points: title → the curve's field.
Tips = Mapping[str, str]
# A curve → what its legend tells.
LegendWords = Callable[[Any], str]


def reference(
    x: Floats, y: Floats, words: str = "", at: tuple[float, float] | None = None, *,
    shift: tuple[float, float] = (0.0, -8.0), align: Literal["left", "center", "right"] = "left",
) -> Line:  # fmt: skip
    """A line to compare curves with, that carries its words itself."""
    return Line(x=x, y=y, role="reference", words=words, words_at=at, align=align, shift=shift)


def curve_lines(named: Named, x: str, y: str, tips: Tips, figures: LegendWords = lambda _: "") -> list[Line]:
    """A line for each curve through two of its fields, with its figures in the legend."""
    return [
        Line(x=getattr(c._drawn, x), y=getattr(c._drawn, y), name=series_name(name, figures(c)), series=place,
             tips={title: getattr(c._drawn, field) for title, field in tips.items()})
        for place, (name, c) in enumerate(named)
    ]  # fmt: skip


def precision_recall_picture(
    named: Named, *, band: bool = False, iso_f: Sequence[float] = (0.2, 0.4, 0.6, 0.8)
) -> Curves:
    """Precision against recall, with the prevalence (a random ranking) and lines of equal F1."""
    lines = []
    for f, (recall, precision) in named[0][1].iso_f(iso_f).items():
        words = f"F1 {f:g}"
        # The end of the line is at the right edge; outside of it no curve runs through the words.
        end = (1.0, f / (2 - f))
        lines.append(Line(x=recall, y=precision, role="faint", words=words, words_at=end, shift=(5.0, 0.0)))
    prevalences = {round(c.prevalence, 12) for _, c in named if c.prior is None}
    for level in sorted({round(c.prevalence, 12) for _, c in named}):
        words = f"random: {'prevalence' if level in prevalences else 'class mix'} {number(level)}"
        lines.append(reference(UNIT, np.full(2, level), words, (0.01, level), shift=(0.0, 9.0)))
    areas = [c.average_precision() for _, c in named]
    bands = []
    for place, (name, c) in enumerate(named):
        x, y, thresholds = davis_goadrich_path(c._drawn)
        tips = {"threshold": thresholds, "recall": x, "precision": y}
        legend = series_name(name, f"AP {estimate_words(areas[place])}")
        lines.append(Line(x=x, y=y, name=legend, series=place, tips=tips))
        if band:
            around = c._drawn.band()
            bands.append(
                _precision_band(
                    around,
                    place,
                    f"95 % pointwise band ({around.method.replace('-', ' ').replace('wilson', 'Wilson')})",
                )
            )
    mixes = {plain(f"precision {c._mix}") for _, c in named if c.prior is not None}
    return precision_recall_space(
        title=heading("Precision and recall", named),
        subtitle=(_area_words("average precision", areas, named), sizes_words(named), *sorted(mixes)),
        lines=tuple(lines),
        bands=tuple(bands),
    )


def band_path(band: PrecisionRecallBand) -> tuple[Floats, Floats, Floats, Floats]:
    """(recall, precision, low, high) along a band; between points as the curve, and so do its limits."""
    # Rows flagged, in positives; where no positive is among them they are not known, and the step stays straight.
    with np.errstate(invalid="ignore", divide="ignore"):
        rows = band.recall / band.precision
    between = BetweenCutoffs.along(np.where(np.isfinite(rows), band.recall, np.nan))
    precision, low, high = (between.means(values, rows) for values in (band.precision, band.low, band.high))
    return between.counts(band.recall), precision, low, high


def _precision_band(band: PrecisionRecallBand, place: int, name: str = "") -> Band:
    x, _, low, high = band_path(band)
    return Band(x=x, low=low, high=high, name=name or band.title, series=place)


def precision_recall_band_picture(named: Named) -> Curves:
    """Bands around precision–recall curves."""
    several = len(named) > 1
    return precision_recall_space(
        title=heading(f"Precision and recall with {'their bands' if several else 'its band'}", named),
        subtitle=(f"{named[0][1].title}: holds at each threshold by itself",),
        lines=tuple(
            Line(x=x, y=y, name=series_name(n), series=i)
            for i, (n, (x, y, _, _)) in enumerate((n, band_path(b)) for n, b in named)
        ),
        bands=tuple(_precision_band(b, i) for i, (_, b) in enumerate(named)),
    )


def average_precision_recall_picture(named: Named) -> Curves:
    """Precision–recall curves averaged over folds, with error bars at some recalls."""
    lines, whiskers = [], []
    for place, (name, c) in enumerate(named):
        area_words = f"mean AP {estimate_words(c.average_precision())}"
        tips = {"recall": c.recall, "precision": c.precision}
        lines.append(Line(x=c.recall, y=c.precision, name=series_name(name, area_words), series=place, tips=tips))
        some = np.unique(np.linspace(0, len(c.recall) - 1, MEAN_BARS).round().astype(int))
        bars = {"low": c.low[some], "high": c.high[some]}
        whiskers.append(Whiskers(x=c.recall[some], y=c.precision[some], **bars, name=name, series=place))
    first = named[0][1]
    level = percent(first.confidence)
    return precision_recall_space(
        title=heading("Averaged precision and recall", named),
        subtitle=(
            f"averages of {len(first.areas)} curves at fixed recalls, bars: {level} t-intervals over the curves",
        ),
        lines=tuple(lines),
        whiskers=tuple(whiskers),
    )


@dataclass(frozen=True, slots=True)
class BetweenCutoffs:
    """Points put between neighbours on a curve that are far apart: each after the point `before`, a `part` of the way.

    Rows with one score count as in random order: counts grow in proportion between two cutoffs, so a share of the rows
    flagged (precision, lift, risk) is that of both ends weighted by the rows flagged there, which is no straight line.
    Source: Davis and Goadrich 2006, ICML:233.
    """

    before: NDArray[np.intp]
    part: Floats

    @classmethod
    def along(cls, x: Floats, longest: float = LONG_STEP) -> BetweenCutoffs:
        """For each step along x that is longer than this and finite."""
        steps = np.abs(np.diff(x))
        long = np.flatnonzero((steps > longest) & np.isfinite(steps))
        inner = np.arange(1, STEPS) / STEPS
        return cls(np.repeat(long, len(inner)), np.tile(inner, len(long)))

    def _mixed(self, values: Floats) -> Floats:
        first, second = values[self.before], values[self.before + 1]
        return first + self.part * (second - first)

    def _put(self, values: Floats, between: Floats | float) -> Floats:
        return np.insert(np.asarray(values, dtype=np.float64), self.before + 1, between)

    def counts(self, values: Floats) -> Floats:
        """What grows in proportion to the rows: counts, and shares of a fixed number of rows."""
        return self._put(values, self._mixed(values))

    def means(self, values: Floats, rows: Floats) -> Floats:
        """Means over so many rows."""
        return self._put(values, self._mixed(values * rows) / self._mixed(rows))

    def thresholds(self, values: Floats) -> Floats:
        """Those of the curve's own points; the others have none (NaN)."""
        return self._put(values, np.nan)


def davis_goadrich_path(curve: PrecisionRecall) -> tuple[Floats, Floats, Floats]:
    """(recall, precision, threshold) along the curve; between points FP grows in proportion to TP, as in mixtures.

    The points put in between have no threshold (NaN).
    """
    between = BetweenCutoffs.along(curve.recall)
    x, y = between.counts(curve.recall), between.means(curve.precision, curve._tp[1:] + curve._fp[1:])
    cuts = between.thresholds(curve.thresholds)
    if x[0] > 0:
        # Nothing else can be had by calling fewer: level to recall 0.
        x, y, cuts = (np.concatenate(([first], rest)) for first, rest in ((0.0, x), (y[0], y), (np.inf, cuts)))
    return x, y, cuts


def _mean_lines(named: Named, x: str, y: str, titles: tuple[str, str, str], figures: LegendWords) -> list[Line]:
    """Curves of a mean over the rows flagged against their share, level from the first cutoff to a share of 0."""
    lines = []
    for place, (name, whole_curve) in enumerate(named):
        c = whole_curve._drawn
        shares, means = getattr(c, x), getattr(c, y)
        between = BetweenCutoffs.along(shares)
        cuts = np.append(np.nan, between.thresholds(c.thresholds))
        across, up = np.append(0.0, between.counts(shares)), np.append(means[0], between.means(means, shares))
        tips = dict(zip(titles, (cuts, across, up), strict=True))
        lines.append(Line(x=across, y=up, name=series_name(name, figures(whole_curve)), series=place, tips=tips))
    return lines


def gain_picture(named: Named) -> Curves:
    """Precision gain against recall gain; the part where both are positive."""
    tips = {"threshold": "thresholds", "recall gain": "recall_gain", "precision gain": "precision_gain"}
    equal = reference(UNIT, 1 - UNIT, "F1 gain 0.5", (0.5, 0.5))
    return Curves(
        title=heading("Precision and recall gain", named),
        subtitle=("0 is what flagging every row gets, 1 is perfect", sizes_words(named)),
        x=Axis(title="recall gain"),
        y=Axis(title="precision gain"),
        lines=(equal, *curve_lines(named, "recall_gain", "precision_gain", tips)),
    )


def gains_picture(named: Named) -> Curves:
    """Cumulative gains with the random and the perfect ranking."""
    tips = {"threshold": "thresholds", "share of the rows": "share", "positives found": "found"}
    lines = [
        reference(UNIT, UNIT, "random", (0.75, 0.75), shift=(8.0, 6.0)),
        *_perfect(named, "found"),
        *curve_lines(named, "share", "found", tips, lambda c: f"top 10 %: {percents(c.at(share=0.1).estimate)} %"),
    ]
    return Curves(
        title=heading("Cumulative gains", named),
        subtitle=_top_words(named, "gain"),
        x=Axis(title="share of the rows flagged, highest scores first"),
        y=Axis(title="share of the positives found"),
        lines=tuple(lines),
    )


def lift_picture(named: Named) -> Curves:
    """Lift with the random and the perfect ranking."""
    highest = max(float(c._drawn.lift.max()) for _, c in named)
    top = max(1.25, 1.1 * highest)
    titles = ("threshold", "share of the rows", "lift")
    lines = [
        reference(UNIT, np.ones(2), "random", (0.01, 1.0), shift=(0.0, 9.0)),
        *_perfect(named, "lift", top),
        *_mean_lines(named, "share", "lift", titles, lambda c: f"top 10 %: {c.top_words()[0]} times"),
    ]
    return Curves(
        title=heading("Lift", named),
        subtitle=_top_words(named, "lift"),
        x=Axis(title="share of the rows flagged, highest scores first"),
        y=Axis(title="positives found, as a multiple of random", low=0.0, high=top),
        lines=tuple(lines),
    )


def det_picture(named: Named) -> Curves:
    """Misses against false alarms on normal-deviate axes."""
    # One range for both, so that the line of equal errors is the diagonal.
    low, high = _deviate_range([getattr(c._drawn, rate) for _, c in named for rate in ("fpr", "fnr")])
    ends = np.array([low, high])
    equal = reference(ends, ends, "misses = false alarms", (high, high), align="right", shift=(-16.0, 10.0))
    across = Axis(title="false alarms: share of the negatives flagged", low=low, high=high, scale="deviate")
    return Curves(
        title=heading("Detection error tradeoff", named),
        subtitle=("axes by normal quantiles", sizes_words(named)),
        x=across,
        y=Axis(title="misses: share of the positives not flagged", low=low, high=high, scale="deviate"),
        lines=(equal, *(_det_line(c._drawn, name, place, across) for place, (name, c) in enumerate(named))),
    )


def _det_line(c: Det, name: str, place: int, axis: Axis) -> Line:
    """A DET curve: rates grow in proportion between cutoffs, which is no straight line on these axes."""
    left, right = axis_ends(axis)
    with np.errstate(invalid="ignore"):  # two cutoffs without a false alarm are infinitely far off, both
        between = BetweenCutoffs.along(placed(c.fpr, axis) / (right - left))
    fpr, fnr = between.counts(c.fpr), between.counts(c.fnr)
    tips = {"threshold": between.thresholds(c.thresholds), "false alarms": fpr, "misses": fnr}
    return Line(x=fpr, y=fnr, name=series_name(name), series=place, tips=tips)


def measure_picture(named: Named) -> Curves:
    """Any measure against any other over the threshold, where both are finite."""
    lines = []
    first = named[0][1]
    x_title, y_title = (plain(n).replace("_", " ") for n in (first.x_name, first.y_name))
    for place, (name, c) in enumerate(named):
        if (c.x_name, c.y_name) != (first.x_name, first.y_name):
            raise InputError(f"one picture shows {y_title} against {x_title}, not {c.y_name} against {c.x_name} too")
        x, y, thresholds = _measure_path(c._drawn)
        defined = np.isfinite(x) & np.isfinite(y)
        if not defined.any():
            raise InputError(f"{y_title} against {x_title} has no point at which both are defined")
        tips = {"threshold": thresholds[defined], x_title: x[defined], y_title: y[defined]}
        lines.append(Line(x=x[defined], y=y[defined], name=series_name(name), series=place, tips=tips))
    axes = []
    for title, all_values in ((x_title, [one.x for one in lines]), (y_title, [one.y for one in lines])):
        values = np.concatenate(all_values)
        inside = bool(((values >= 0) & (values <= 1)).all())
        low, high = (0.0, 1.0) if inside else domain_of([float(values.min()), float(values.max())])
        axes.append(Axis(title=title, low=low, high=high))
    return Curves(
        title=heading(f"{y_title} against {x_title}", named), subtitle=(sizes_words(named),), x=axes[0], y=axes[1],
        lines=tuple(lines), size=(440, 360),
    )  # fmt: skip


def _measure_path(c: MeasureCurve) -> tuple[Floats, Floats, Floats]:
    """(x, y, threshold) along a curve of measures; between cutoffs both are those of the counts there."""
    if c.of_threshold:
        return c.x, c.y, c.thresholds
    counts = counts_at_cutoffs(c.table)
    between = BetweenCutoffs.along((counts.tp + counts.fp) / float(c.table.n))
    x, y = c.of_counts(BinaryCounts(*(between.counts(cell) for cell in counts)))
    return x, y, between.thresholds(c.thresholds)


def _deviate_range(rates: Sequence[Floats]) -> tuple[float, float]:
    """From below the smallest rate that occurs to above the largest, without 0 and 1."""
    inside = np.concatenate([r[(r > 0) & (r < 1)] for r in rates])
    if not len(inside):
        return 0.01, 0.99
    return max(1e-6, float(inside.min()) / 1.5), min(1 - 1e-6, max(0.55, 1 - (1 - float(inside.max())) / 1.5))


def _perfect(named: Named, what: str, top: float = 1.0) -> list[Line]:
    """The perfect ranking, once for each prevalence."""
    lines = []
    for level in sorted({round(c.prevalence, 12) for _, c in named}):
        c = next(c for _, c in named if round(c.prevalence, 12) == level)
        x, y = c.perfect()
        # Beside the corner of the perfect line, or where that line enters the picture.
        corner = (level, 1.0) if what == "found" else (max(level, 1 / top), min(top, 1 / level))
        shift = (8.0, 12.0) if what == "found" else (10.0, 6.0)
        lines.append(reference(x, y, "perfect", corner, shift=shift))
    return lines


def _top_words(named: Named, what: str) -> tuple[str, ...]:
    if len(named) > 1:
        return (sizes_words(named),)
    if what == "lift":
        times, limits_words = named[0][1].top_words()
        words = f"the top 10 % hold {times} times {limits_words} as many positives as random rows"
        return (words, sizes_words(named))
    at = named[0][1].at(share=0.1)
    share, low, high = map(percents, (at.estimate, at.low, at.high))
    return (f"the top 10 % hold {share} % [{low}, {high}] of the positives", sizes_words(named))


def _area_words(what: str, areas: Sequence[Interval], named: Named) -> str:
    if len(named) > 1:
        return f"{what} with {percent(areas[0].confidence)} intervals in the legend"
    return f"{what} {estimate_words(areas[0])} ({percent(areas[0].confidence)} CI)"


def cost_curve_picture(named: Named) -> Curves:
    """The lower envelope over all class distributions and costs, within the triangle of the constant classifiers."""
    lines = [
        reference(UNIT, UNIT, "flag nothing", (0.44, 0.44), align="right", shift=(-10.0, 0.0)),
        reference(UNIT, 1 - UNIT, "flag everything", (0.56, 0.44), shift=(10.0, 0.0)),
    ]
    if len(named) == 1:
        curve = named[0][1]
        ends = np.stack((curve.fpr, curve.fnr), axis=1)
        places = np.unique(np.linspace(0, len(ends) - 1, THRESHOLD_LINES).round().astype(int))
        lines += [Line(x=UNIT, y=ends[i].copy(), role="faint") for i in places]
    for place, (name, c) in enumerate(named):
        pc = c.envelope[0]
        # The envelope's corners, and points between them for the pointer.
        grid = np.union1d(pc, np.linspace(0, 1, 101))
        tips = {"PC": grid, "lowest cost": c.cost(grid)}
        lines.append(Line(x=grid, y=c.cost(grid), name=series_name(name), series=place, tips=tips))
    grey = ("grey: single thresholds",) if len(named) == 1 else ()
    return wide_curves(
        title=heading("Cost curve", named),
        subtitle=(
            "lower is cheaper; each point takes the threshold that is best there on these rows",
            ", ".join((sizes_words(named), *grey)),
        ),
        x=Axis(title="PC: weight of the positives, P(+)·cost of a miss, as a share"),
        y=Axis(title="normalised expected cost", low=0.0, high=0.55),
        lines=tuple(lines),
    )


def decision_curve_picture(named: Named) -> Curves:
    """Net benefit of acting on the forecasts, against acting on all and on none."""
    lines = []
    highest = 0.0
    for c in {(round(c.act_on_all[0], 12), len(c.thresholds)): c for _, c in named}.values():
        inside = c.act_on_all >= -0.5
        lines.append(reference(c.thresholds[inside], c.act_on_all[inside]))
        highest = max(highest, float(c.act_on_all.max()))
    first = named[0][1]
    share = float(first.prevalence if first.prior is None else first.prior)
    highest = max([highest] + [float(c.net_benefit.max()) for _, c in named])
    low = -0.12 * (highest or 1.0)
    # Acting on all passes 0 at t = prevalence; below 0 there is room for words.
    at = (share, 0.55 * low)
    lines[0] = replace(lines[0], words="act on all", words_at=at, shift=(9.0, 0.0))
    lines.append(reference(UNIT, 0 * UNIT, "act on none", (0.99, 0.0), align="right", shift=(0.0, 9.0)))
    tips = {"threshold": "thresholds", "net benefit": "net_benefit", "acting on all": "act_on_all"}
    lines += curve_lines(named, "thresholds", "net_benefit", tips)
    subtitle = [sizes_words(named)]
    if len(named) == 1:
        ranges = [f"{number(a)} to {number(b)}" for a, b in first.useful()]
        better = f"from {listing(ranges[:4])}" if ranges else "at no threshold shown"
        subtitle.insert(0, f"better than acting on all and on none {better}")
    return wide_curves(
        title=heading("Decision curve", named),
        subtitle=tuple(subtitle),
        x=Axis(title="threshold probability: act from this forecast up"),
        y=Axis(title="net benefit per row", low=low, high=1.08 * (highest or 1.0)),
        lines=tuple(lines),
    )


def brier_curve_picture(named: Named) -> Curves:
    """The loss of the forecasts as they are, and after recalibration, at every ratio of the costs."""
    areas = [c.area() for _, c in named]
    lines, highest = [], 0.0
    for place, (name, c) in enumerate(named):
        x, y = c.points
        highest = max(highest, float(y.max()))
        legend = series_name(name, f"Brier score {estimate_words(areas[place])}")
        lines.append(Line(x=x, y=y, name=legend, series=place, tips={"cost proportion": x, "loss": y}))
    if len(named) == 1:
        c = named[0][1]
        grid = np.linspace(0, 1, 201)
        best = c.best_loss(grid)
        middle = int(np.argmax(best))
        top = (float(grid[middle]), float(best[middle]))
        lines.append(reference(grid, best, "best cutoff on these rows", top, align="center", shift=(0.0, 12.0)))
    area = "the area under each curve is its Brier score"
    if len(named) == 1:
        area = f"its area is the Brier score, {estimate_words(areas[0])}"
    return wide_curves(
        title=heading("Brier curve", named),
        subtitle=(area, sizes_words(named)),
        x=Axis(title="cost proportion: a false alarm’s share of both costs; cut there"),
        y=Axis(title="loss", low=0.0, high=1.08 * (highest or 1.0)),
        lines=tuple(lines),
    )


def risk_coverage_picture(named: Named) -> Curves:
    """Share of wrong answers among the most confident share of the rows."""
    lines = _mean_lines(
        named, "coverage", "risk", ("confidence from", "share answered", "share wrong"),
        lambda c: f"{percents(1 - c.at(coverage=0.5).estimate)} % wrong in the surest half",
    )  # fmt: skip
    # The first few answers swing between all right and all wrong; the axis is made for the rest.
    highest = max(float(c.risk[c.coverage >= 0.02].max(initial=0.0)) for c in (c._drawn for _, c in named))
    subtitle = [f"{whole(named[0][1].n)} rows"]
    if len(named) == 1:
        right = [named[0][1].at(coverage=share) for share in (1.0, 0.8, 0.5)]
        wrong = [figures(*(1 - v for v in (i.estimate, i.high, i.low)), least=1, power=2) for i in right]
        parts = [f"{share} % [{low}, {high}]" for share, low, high in wrong]
        subtitle = [
            f"wrong: {parts[0]} of all, {parts[1]} of the surest 80 %, {parts[2]} of the surest half",
            f"{whole(named[0][1].n)} rows, 95 % intervals",
        ]
    return wide_curves(
        title=heading("Risk and coverage", named),
        subtitle=tuple(subtitle),
        x=Axis(title="coverage: share of the rows answered, surest first"),
        y=Axis(title="risk: share of the answers that are wrong", low=0.0, high=min(1.0, 1.15 * highest) or 1.0),
        lines=tuple(lines),
    )


def calibration_picture(named: Named) -> Curves:
    """Bins with intervals around the diagonal, the isotonic fit behind them, and a histogram for one model."""
    lines = [reference(UNIT, UNIT, "calibrated", (0.8, 0.8), shift=(8.0, 8.0))]
    whiskers = []
    crowded = len(named) > MOST_BANDS
    for place, (name, c) in enumerate(named):
        ends = {"low": c.low, "high": c.high}
        tips = {"mean forecast": c.forecast, "share positive": c.observed, **ends, "rows": c.sizes}
        words = f"slope {estimate_words(c.slope())}"
        if len(named) == 1:
            lines.append(Line(x=np.asarray(c.table.scores), y=c.isotonic(), role="faint"))
        lines.append(Line(x=c.forecast, y=c.observed, name=series_name(name, words), series=place))
        limits = {} if crowded else ends
        whiskers.append(Whiskers(x=c.forecast, y=c.observed, name=name, series=place, tips=tips, **limits))
    histogram = None
    if len(named) == 1:
        edges, positives, negatives = named[0][1].histogram(20)
        histogram = Histogram(
            edges=edges, first=positives, second=negatives, names=("positive", "negative"), axis="rows"
        )
    return Curves(
        title=heading("Calibration", named),
        subtitle=_words(named),
        x=Axis(title="mean forecast"),
        y=Axis(title="share that was positive"),
        lines=tuple(lines),
        whiskers=tuple(whiskers),
        histogram=histogram,
        size=(420, 380),
    )


def _words(named: Named) -> tuple[str, ...]:
    level = percent(named[0][1].confidence)
    if len(named) > 1:
        bins = "bins" if len(named) > MOST_BANDS else f"bins with {level} intervals"
        return (f"{bins}; a slope of 1 is right, below 1 is overconfident", sizes_words(named))
    c = named[0][1]
    slope, large = estimate_words(c.slope()), estimate_words(c.in_the_large())
    return (
        f"slope {slope} (1 is right), calibration-in-the-large {large} (0 is right)",
        f"bins with {level} intervals; grey: isotonic fit; {sizes_words(named)}",
    )
