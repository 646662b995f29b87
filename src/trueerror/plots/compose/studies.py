"""Studies as pictures: learning curves, overfitting, lesion studies, bias and variance, the estimator laboratory."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, check_word
from trueerror.metrics._registry import find_measure
from trueerror.plots._headings import estimate_words, series_name
from trueerror.plots._specs import Axis, Band, Curves, Forest, ForestRow, Line, Mark, Panel, Whiskers
from trueerror.plots._text import plain, shorten
from trueerror.plots.compose.forests import MOST_ROWS, domain_of, interval_row, make_panel, p_words, signed_number
from trueerror.plots.compose.roc import roc_picture
from trueerror.resampling._plan import Rows
from trueerror.results._format import number, percent, signed, whole
from trueerror.studies._curve_shapes import SURE

if TYPE_CHECKING:
    from trueerror.resampling._plan import Plan
    from trueerror.studies._ablation import Contribution, LesionStudy
    from trueerror.studies._bias_variance import BiasVariance
    from trueerror.studies._learning_curve_result import LearningCurve, TrainingShares
    from trueerror.studies._overfitting import ComplexityPoint, Overfitting
    from trueerror.studies._simulation import EstimatorLaboratory
    from trueerror.studies._training_history import TrainingHistory

SIZE = (520, 340)
# Points of a fitted curve.
STEPS = 80
# Learners' points stand beside each other by this factor on a logarithmic axis.
APART = 1.025


# Rows and splits of the diagram of a plan.
PLAN_ROWS, MOST_SPLITS = 60, 30


def plan_picture(plan: Plan, *, rows: int = PLAN_ROWS, y: Sequence[object] | None = None) -> Curves:
    """Which rows each split trains on and tests on, the first split at the bottom; where stratified, rows by class."""
    codes = np.arange(rows) % 3 // 2 if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
    by_class = bool(getattr(plan, "stratify", False))
    codes = np.sort(codes) if by_class else codes
    if not 2 <= len(codes) <= 400:
        raise InputError(f"a plan is drawn for 2 to 400 rows, not for {len(codes):,}")
    splits = [s for s in plan.splits(Rows(codes=codes.astype(np.intp)), 0) if s.part == "fold"]
    bands = []
    for place, split in enumerate(splits[:MOST_SPLITS], start=1):
        for series, name, used in ((0, "training rows", split.train), (1, "test rows", split.test)):
            inside = np.concatenate(([0], np.isin(np.arange(len(codes)), used).astype(int), [0]))
            starts, ends = np.flatnonzero(np.diff(inside) > 0), np.flatnonzero(np.diff(inside) < 0)
            bands += [
                Band(x=np.array([a, b], float), low=np.full(2, place - 0.4), high=np.full(2, place + 0.4), name=name,
                     series=series)
                for a, b in zip(starts, ends, strict=True) for _ in range(1 + 2 * series)
            ]  # fmt: skip
    dashed = "; dashed: where the next class begins" if by_class else ""
    changes = np.flatnonzero(np.diff(codes)) + 1 if by_class else np.empty(0)
    high = min(len(splits), MOST_SPLITS) + 0.6
    lines = [Line(x=np.full(2, at), y=np.array([0.4, high]), role="reference") for at in changes.tolist()]
    more = f", the first {MOST_SPLITS} of them drawn" if len(splits) > MOST_SPLITS else ""
    return Curves(
        title=str(plan),
        subtitle=(f"{len(splits)} splits of {len(codes)} rows{more}{dashed}",),
        x=Axis(title="row, by class" if by_class else "row", low=0.0, high=float(len(codes))),
        y=Axis(title="split", low=0.4, high=high, ticks=tuple(range(1, int(high) + 1, 1 + int(high) // 16))),
        lines=tuple(lines),
        bands=tuple(bands),
        size=(520, max(90, min(420, 30 * len(splits)))),
    )  # fmt: skip


def learning_picture(curve: LearningCurve, *, show: Literal["curve", "spread"] = "curve") -> Curves:
    """Test error with intervals, the fitted curve with its band up to twice the data, and the training error dotted.

    show="spread": how far models of each size are from those of the largest (bias), and how much they vary (sd).
    """
    check_word(show, ("curve", "spread"), "show")
    return _curve_picture(curve) if show == "curve" else _spread_picture(curve)


def _curve_picture(curve: LearningCurve) -> Curves:
    sizes = np.asarray(curve.sizes, dtype=np.float64)
    ahead = 2.0 * curve.rows
    lines, bands, whiskers, marks = [], [], [], []
    drawn: list[float] = []
    for place, learner in enumerate(curve.learners):
        points = curve.of(learner)
        test, low, high, training = (
            np.array([getattr(p, f) for p in points]) for f in ("estimate", "low", "high", "training")
        )
        expected = curve.extrapolate(learner=learner)
        known = not math.isnan(expected.estimate)
        if known:
            x = np.geomspace(curve.fitted_from(learner), ahead, STEPS)
            middle, below, above = curve.band(learner, x)
            words = f"{percent(curve.confidence)} band of the fitted curve"
            bands.append(Band(x=x, low=below, high=above, name=words, series=place))
            marks.append(Mark(x=ahead, y=expected.estimate, shape="diamond", series=place))
            drawn += [*below.tolist(), *above.tolist()]
        else:
            x, middle = sizes, test
        figures = f"{estimate_words(expected)} at {whole(ahead)}" if known else "not extrapolated"
        lines.append(Line(x=x, y=middle, name=series_name(learner, figures), series=place))
        lines.append(Line(x=sizes, y=training, name="on the training rows", role="aside", series=place))
        beside = sizes * APART ** (place - (len(curve.learners) - 1) / 2)
        tips = {"rows": sizes, curve.title: test, "low": low, "high": high, "on training rows": training}
        whiskers.append(
            Whiskers(x=beside, y=test, low=low, high=high, name=shorten(learner, 30), series=place, tips=tips)
        )
        drawn += [v for part in (test, low, high, training) for v in part.tolist()]
    drawn = [v for v in drawn if math.isfinite(v)]
    y = domain_of(drawn, (0.0, 1.0) if all(0 <= v <= 1 for v in drawn) else (-math.inf, math.inf))
    # Where the rows end and the fitted curve goes on alone, and where two learners change places.
    lines += [_upright(float(sizes[-1]), y, "extrapolated →", (5.0, -8.0))] if bands else []
    lines += [
        _upright(c.size, y, f"cross at {c.size:,.0f} [{c.low:,.0f}, {c.high:,.0f}]", (5.0, 10.0))
        for c in curve.crossings
        if c.share >= SURE and not math.isnan(c.size)
    ]
    subtitle = _wrapped(curve.verdict_lines)
    beyond = f"; right of {whole(sizes[-1])} rows: extrapolated" if bands else ""
    subtitle.append(f"{curve.plan} of {whole(curve.rows)} rows{beyond}")
    who = f"{len(curve.learners)} learners" if len(curve.learners) > 1 else shorten(curve.learners[0], 40)
    return Curves(
        title=f"Learning curve of {who}",
        subtitle=tuple(subtitle),
        x=Axis(
            title="training rows", low=sizes[0] / 1.15, high=ahead * 1.1, scale="log", ticks=(*sizes.tolist(), ahead)
        ),
        y=Axis(title=plain(curve.title), low=y[0], high=y[1]),
        lines=tuple(lines),
        bands=tuple(bands),
        whiskers=tuple(whiskers),
        marks=tuple(marks),
        size=SIZE,
        empty_corner="upper right" if curve.metric == "error_rate" else "best",
    )


def _upright(x: float, y: tuple[float, float], words: str, shift: tuple[float, float]) -> Line:
    """A faint line over the whole height, with words at its top."""
    return Line(x=np.full(2, x), y=np.array(y), role="faint", words=words, words_at=(x, y[1]), shift=shift)


def _wrapped(verdict: Sequence[str], columns: int = 118) -> list[str]:
    return [part for line in verdict for part in textwrap.wrap(plain(line), columns)][:8]


def shares_picture(study: TrainingShares) -> Curves:
    """How far models of each training share are from those of the largest, and how much one split varies."""
    drawn = _spread_picture(study)
    shares = ", ".join(percent(round(s, 3)) for s in study.shares)
    return replace(
        drawn, title=f"{plain(study.title)}: bias and spread of one split at each training share",
        subtitle=(*_wrapped(study.verdict_lines), f"training shares {shares} of {whole(study.rows)} rows"),
    )  # fmt: skip


def _spread_picture(curve: LearningCurve | TrainingShares) -> Curves:
    sizes = np.asarray(curve.sizes, dtype=np.float64)
    lines, whiskers, drawn = [], [], [0.0]
    for place, learner in enumerate(curve.learners):
        points = curve.of(learner)
        for at, (field, words) in enumerate((("bias", "bias"), ("sd", "sd between test folds"))):
            values = np.array([getattr(p, field) for p in points])
            series = 2 * place + at
            lines.append(Line(x=sizes, y=values, name=series_name(learner, words), series=series))
            whiskers.append(Whiskers(x=sizes, y=values, name=words, series=series, tips={"rows": sizes, words: values}))
            drawn += [v for v in values.tolist() if math.isfinite(v)]
    low, high = domain_of(drawn)
    zero = Line(x=sizes[[0, -1]], y=np.zeros(2), role="reference")
    return Curves(
        title=f"{plain(curve.title)}: bias and spread of small training sets",
        subtitle=(
            f"bias: how far models of this size are from those of {whole(curve.sizes[-1])} rows, on average",
            "sd: how much the test folds of one size vary, by their rows and by their training sets",
        ),
        x=Axis(
            title="training rows", low=sizes[0] / 1.1, high=sizes[-1] * 1.1, scale="log", ticks=tuple(sizes.tolist())
        ),
        y=Axis(title=f"in points of {plain(curve.title)}", low=low, high=high),
        lines=(zero, *lines),
        whiskers=tuple(whiskers),
        size=SIZE,
    )


def overfitting_picture(view: Overfitting | TrainingHistory) -> Curves:
    """Error on training rows and on held-out rows over the complexity parameter; overfitting settings are marked.

    Of a training history also where to stop; training rows only where they were logged.
    """
    places = np.array([p.place for p in view.points])
    order = np.argsort(places)
    points = [view.points[i] for i in order]
    places = places[order]
    lines, whiskers, drawn = [], [], []
    for series, (field, words) in enumerate((("estimate", "on held-out rows"), ("training", "on training rows"))):
        ends = ("low", "high") if field == "estimate" else ("training_low", "training_high")
        middle, low, high = (np.array([getattr(p, f) for p in points]) for f in (field, *ends))
        if np.isnan(middle).all():
            continue
        lines.append(Line(x=places, y=middle, name=words, series=series))
        if np.isnan(low).all():
            drawn += middle[np.isfinite(middle)].tolist()
            continue
        tips = {view.title: middle, "low": low, "high": high}
        whiskers.append(Whiskers(x=places, y=middle, low=low, high=high, name=words, series=series, tips=tips))
        drawn += [v for part in (middle, low, high) for v in part.tolist() if math.isfinite(v)]
    shares = all(0 <= v <= 1 for v in drawn)
    bottom, top = domain_of(drawn, (0.0, 1.0) if shares else (-math.inf, math.inf))
    marks = [
        Mark(x=p.place, y=p.estimate, shape="cross", words="overfits", align="center", shift=(0.0, -16.0))
        for p in points
        if p.setting in view.overfits
    ]
    best, stop = view.best, getattr(view, "stop", view.best)
    if stop is not best:
        marks.append(
            Mark(x=stop.place, y=stop.estimate, shape="diamond", words="stop", align="center", shift=(0.0, 18.0))
        )
    marks.append(Mark(x=best.place, y=best.estimate, shape="diamond", words="best", align="center", shift=(0.0, 18.0)))
    x, names = _settings_axis(view, points, places, bottom, top)
    return Curves(
        title=f"{plain(view.title)} over {plain(view.parameter)}",
        subtitle=(
            *_wrapped([view.verdict], 100),
            view.made_from,
        ),
        x=x,
        y=Axis(title=plain(view.title), low=bottom, high=top),
        lines=(*names, *lines),
        whiskers=tuple(whiskers),
        marks=tuple(marks),
        size=SIZE,
    )


def _settings_axis(
    view: Overfitting | TrainingHistory, points: list[ComplexityPoint], places: Floats, low: float, high: float
) -> tuple[Axis, list[Line]]:
    """Numbers on an axis, logarithmic where they span much; names are written where they stand."""
    numbers = all(_is_number(p.setting, p.place) for p in points)
    title = plain(view.parameter)
    if not numbers:
        names = [
            Line(x=np.full(2, p.place), y=np.array([low, high]), role="faint", words=shorten(p.setting, 16),
                 words_at=(p.place, low), align="center", shift=(0.0, 14.0))
            for p in points
        ]  # fmt: skip
        return Axis(title=" ", low=places[0] - 0.5, high=places[-1] + 0.5, ticks=(places[0] - 10,)), names
    ticks = tuple(places.tolist())
    if places[0] > 0 and places[-1] / places[0] >= 10:
        return Axis(title=title, low=places[0] / 1.25, high=places[-1] * 1.25, scale="log", ticks=ticks), []
    air = 0.06 * (places[-1] - places[0])
    return Axis(title=title, low=places[0] - air, high=places[-1] + air, ticks=ticks), []


def _is_number(setting: str, place: float) -> bool:
    try:
        return float(setting) == place
    except ValueError:
        return False


HEADINGS = {
    "leave-one-out": "what {title} loses without the part",
    "pairs": "what {title} loses without both parts",
    "add-one-in": "what {title} gains by the part alone, over none of them",
}


def lesion_picture(study: LesionStudy, *, show: Literal["contributions", "roc"] = "contributions") -> Forest | Curves:
    """Contributions with intervals and the test folds behind them; show="roc": the ROC curves of all variants."""
    check_word(show, ("contributions", "roc"), "show")
    if show == "roc":
        if not study.curves:
            reason = next((n for n in study.notes if n.startswith("No ROC")), "")
            raise InputError(f"there are no ROC curves to show. {reason}".strip())
        curves = roc_picture(list(study.curves.items()), hull=False, point=False)
        return replace(curves, title=f"ROC curves of {len(study.curves)} variants")
    panels = [_panel(study, kind) for kind in study.kinds]
    ends = (("full system", study.full), ("none of them", study.base))
    panels.append(
        make_panel(
            [interval_row(name, i) for name, i in ends if i is not None],
            axis="", heading=plain(study.title), within=(0.0, 1.0) if study.full.low >= 0 else (-math.inf, math.inf),
        )
    )  # fmt: skip
    verdict = _wrapped(study.verdict_lines, 115)
    how = f"{percent(study.confidence)} intervals (corrected t), not adjusted; p-values adjusted ({study.adjust})"
    return Forest(
        title=f"What each part contributes to {plain(study.title)}",
        subtitle=(*verdict, f"{how}; dots: the {len(next(iter(study.values.values()))):,} test folds"),
        panels=tuple(panels),
    )


def _panel(study: LesionStudy, kind: str) -> Panel:
    level = 1 - study.confidence
    rows = []
    for c in study.of_kind(kind)[:MOST_ROWS]:
        word = "helps" if c.helps(level) else "hurts" if c.hurts(level) else "no clear effect"
        more = f"{p_words(c.difference)} · {word}"
        if c.interaction is not None and not math.isnan(c.interaction.estimate):
            more += f" · interaction {signed(c.interaction.estimate)}"
        rows.append(replace(interval_row(plain(c.name), c.difference, signed=True, more=more), points=_dots(study, c)))
    heading = HEADINGS[kind].format(title=plain(study.title))
    return make_panel(rows, axis="", heading=heading, references=((0.0, "no difference"),))


def _dots(study: LesionStudy, c: Contribution) -> tuple[float, ...]:
    """The differences on the test folds, as they went into the test."""
    key = f"{c.kind}: {' + '.join(c.removed)}"
    first, second = (key, "none of them") if c.kind == "add-one-in" else ("full system", key)
    both = [a - b for a, b in zip(study.values[first], study.values[second], strict=True)]
    known = [d for d in both if not math.isnan(d)]
    # Where lower is better the contribution is the other way round.
    return tuple(known) if find_measure(study.metric).higher_is_better else tuple(-d for d in known)


PARTS = (("error", "expected error"), ("noise", "noise"), ("bias", "bias"), ("variance", "variance"))
OWN = (("training", "on training rows"), ("held_out", "on held-out rows"), ("optimism", "optimism"))


def bias_picture(study: BiasVariance) -> Forest:
    """For each learner the error and its parts, then training and held-out error with the optimism."""
    panels = []
    for parts in study.learners:
        rows = [interval_row(word, getattr(parts, field)) for field, word in (*PARTS, *OWN)]
        heading = shorten(parts.learner, 60)
        panels.append(make_panel(rows, axis="", heading=heading, references=((0.0, ""),)))
    # One scale for all learners, so that they can be compared by eye.
    low, high = min(p.domain[0] for p in panels), max(p.domain[1] for p in panels)
    verdict = _wrapped(study.verdict_lines, 110)
    sets = f"{whole(study.rounds)} training sets of {whole(study.size)} rows, {study.drawn}"
    return Forest(
        title="Where the error comes from",
        subtitle=(*verdict, f"{sets}; {percent(study.confidence)} intervals; {study.method}"),
        panels=tuple(replace(p, domain=(low, high)) for p in panels),
    )


def laboratory_picture(lab: EstimatorLaboratory) -> Forest:
    """Each estimator's mean over the samples, ± its standard deviation, with the samples as dots around the truth."""
    rows = [
        ForestRow(
            label=q.estimator,
            estimate=q.mean,
            low=max(0.0, q.mean - q.sd),
            high=min(1.0, q.mean + q.sd),
            words=f"bias {signed_number(q.bias.estimate)} · sd {number(q.sd)} · √MSE {number(q.rmse)}",
            tip=plain(str(q.bias)),
            points=tuple(lab.values[q.estimator]),
        )
        for q in lab.estimators
    ]
    panel = make_panel(
        rows, axis="estimated error", references=((lab.truth.estimate, f"true error {number(lab.truth.estimate)}"),),
        within=(0.0, 1.0),
    )  # fmt: skip
    return Forest(
        title=f"Estimates of the error of {shorten(lab.learner, 40)}",
        subtitle=(
            *textwrap.wrap(plain(lab.verdict), 110),
            f"{whole(lab.runs)} samples of {whole(lab.n)} rows, a dot each; circles: mean ± standard deviation",
        ),
        panels=(panel,),
    )
