"""LearningCurve: what `te.learning_curve` found, ready to be read, drawn and carried on to more rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueerror.experiments._learners import text_seed
from trueerror.findings import Findings
from trueerror.inference._problem import critical_t
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, check_confidence, nearest
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Contrast, DocumentResult, Interval, Result, Table
from trueerror.results._document import Document, TableBlock, page
from trueerror.results._format import (
    ci_words,
    common_format,
    number,
    one_line,
    p_value,
    percent,
    signed,
    whole,
    with_limits,
)
from trueerror.studies._curve_bands import FEWEST_SIZES, Level, fall_begins, limits_at, misfit, resampled_fits
from trueerror.studies._curve_shapes import SURE
from trueerror.studies._study import shortfall, study_text

# Beyond this many times the largest size nobody should believe a fitted curve.
FAR = 10.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CurvePoint(Result):
    """One learner at one size: the metric on rows held out and on the training rows, each with limits.

    As estimates of the learner at the largest size, models of this size are off by `bias` on average and vary by `sd`
    from split to split; `rmse`² = bias² + sd².
    """

    learner: str
    size: int
    estimate: float
    low: float
    high: float
    training: float
    training_low: float
    training_high: float
    bias: float
    sd: float
    rmse: float
    splits: int
    method: str = "corrected-t"

    def __str__(self) -> str:
        return (
            f"{one_line(self.learner)} at {whole(self.size)} rows: "
            f"{with_limits(self.estimate, self.low, self.high)}, on training rows {number(self.training)}; "
            f"bias {number(self.bias)}, "
            f"sd {number(self.sd)}"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CurveFit(Result):
    """One form fitted to the mean curve of one learner; `held_out` is its error at the largest sizes, not fitted to."""

    learner: str
    form: str
    formula: str
    a: float
    b: float
    c: float
    held_out: float

    def __str__(self) -> str:
        return f"{one_line(self.learner)}: {self.form} {self.formula}, off by {number(self.held_out)} at sizes held out"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Crossing(Result):
    """Where two learners change places: `first` is the better one on fewer rows.

    `share` is the share of resampled curves that cross between the smallest and the largest size at all.
    """

    first: str
    second: str
    size: float
    low: float
    high: float
    share: float
    confidence: float = 0.95
    method: str = "crossing-resampled"

    def __str__(self) -> str:
        share = percent(round(self.share, 3))
        if math.isnan(self.size):
            return f"{one_line(self.first)} and {one_line(self.second)} do not cross ({share} of resampled curves do)"
        return f"{_overtaking(self)} ({share} of resampled curves cross)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearningCurve(DocumentResult):
    """Learners at growing numbers of training rows. Made by `te.learning_curve`.

    `.points` has a row for each learner and size, `.fits` the forms with their held-out errors (best first),
    `.rises` the clearest rise of each learner's loss (a small `p_adjusted` speaks against extrapolating),
    `.gains` what the last step brought, `.crossings` where two learners change places. `.extrapolate(n)` says what to
    expect of n rows; without n, of twice the data.
    """

    metric: str
    title: str
    learners: tuple[str, ...]
    sizes: tuple[int, ...]
    rows: int
    points: tuple[CurvePoint, ...]
    fits: tuple[CurveFit, ...]
    rises: tuple[Contrast, ...]
    gains: tuple[Contrast, ...]
    crossings: tuple[Crossing, ...] = ()
    values: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    units: int = 0
    ratio: float = 0.0
    variances: Mapping[str, float] = field(default_factory=dict)
    # What a constant answer scores, where the metric has such a value.
    constant: float = math.nan
    plan: str = ""
    form: str = "auto"
    confidence: float = 0.95
    seed: int = 0
    stopped: str = ""
    notes: tuple[str, ...] = ()
    method: str = "learning-curve"
    findings: Findings = field(default_factory=Findings)

    def learner(self, learner: str | None) -> str:
        """The learner of that name, or the only one."""
        if learner is None:
            if len(self.learners) > 1:
                raise InputError(f"which learner? there are {', '.join(map(repr, self.learners))}")
            return self.learners[0]
        if learner not in self.learners:
            raise InputError(f"learner {learner!r} is not known{nearest(learner, self.learners)}")
        return learner

    def of(self, learner: str | None = None) -> tuple[CurvePoint, ...]:
        """The points of one learner."""
        name = self.learner(learner)
        return tuple(p for p in self.points if p.learner == name)

    def __getitem__(self, key: tuple[str, int]) -> Interval:
        """The interval of a learner at one of the sizes."""
        name, size = key
        for p in self.of(name):
            if p.size == size:
                return Interval(
                    name=self.title, estimate=p.estimate, low=p.low, high=p.high, confidence=self.confidence,
                    method=p.method, n=self.rows, estimand=f"this learner at {size:,} training rows",
                )  # fmt: skip
        raise InputError(f"{size!r} is not one of the sizes {', '.join(map(str, self.sizes))}")

    def rise(self, learner: str | None = None) -> Contrast:
        """The clearest rise of the loss with more rows."""
        return self.rises[self.learners.index(self.learner(learner))]

    def gain(self, learner: str | None = None) -> Contrast:
        """What the last step brought."""
        return self.gains[self.learners.index(self.learner(learner))]

    def well_behaved(self, learner: str | None = None) -> bool:
        """Whether nothing speaks against more rows being better, at the level 1 − confidence."""
        p = self.rise(learner).p_adjusted
        return p is None or math.isnan(p) or p > 1 - self.confidence

    def fitted_from(self, learner: str | None = None) -> int:
        """The size from which on curves are fitted: where the fall begins."""
        values = np.asarray(self.values[self.learner(learner)], dtype=np.float64)
        return self.sizes[fall_begins(shortfall(values, find_measure(self.metric)))]

    def best_form(self, learner: str | None = None) -> CurveFit:
        """The form that is extrapolated: the one asked for, or that with the least held-out error of those that level
        off.
        """
        name = self.learner(learner)
        fits = [f for f in self.fits if f.learner == name]
        if not fits:
            raise InputError(f"no form was fitted: {len(self.sizes)} sizes, and fitting takes {FEWEST_SIZES}")
        wanted = ("power", "exponential", "root") if self.form == "auto" else (self.form,)
        return next(f for f in fits if f.form in wanted)

    def extrapolate(
        self, n: float | None = None, learner: str | None = None, *, confidence: float | None = None,
        anyway: bool = False,
    ) -> Interval:  # fmt: skip
        """What to expect of the learner at n training rows (twice the data where n is not given).

        Refused, with NaN and a reason, where the curve rises clearly somewhere or no form fits it (unless
        `anyway=True`), and where it has fewer than four sizes. See `.explain()` for the method.
        """
        name = self.learner(learner)
        size = 2.0 * self.rows if n is None else float(n)
        if not (math.isfinite(size) and size >= self.sizes[0]):
            raise InputError(f"n={n!r} must be a number of rows from {self.sizes[0]:,} up")
        level = self.confidence if confidence is None else check_confidence(confidence)
        reason = "".join(self._refusal(name, anyway))
        estimand = f"this learner at {size:,.0f} training rows, on rows like these {self.rows:,}"
        estimate = low = high = math.nan
        if not reason:
            middle, lows, highs = self.band(name, [size], confidence=level)
            estimate, low, high = float(middle[0]), float(lows[0]), float(highs[0])
            if size > FAR * self.sizes[-1]:
                reason = f"{size / self.sizes[-1]:.0f} times the largest size: too far to be reliable"
        return Interval(
            name=self.title, estimate=estimate, low=low, high=high, confidence=level, method="learning-curve",
            n=self.rows, note=reason, estimand=estimand,
        )  # fmt: skip

    def _refusal(self, learner: str, anyway: bool) -> tuple[str, str]:
        """Why a curve is not extrapolated, and the words before it in a note; both empty where it is."""
        if len(self.sizes) < FEWEST_SIZES:
            return "", f"{len(self.sizes)} sizes are too few to fit a curve; it takes {FEWEST_SIZES}"
        if len(self.values[learner]) < 2:
            return "", "fewer than two splits have a score at every size"
        refused = "not extrapolated: "
        if not anyway and not self.well_behaved(learner):
            rise = self.rise(learner)
            worse = f"{self.title} clearly gets worse from {rise.second} to {rise.first}"
            return refused, f"{worse}, so no falling curve holds"
        if not anyway and not self.begun(learner):
            return refused, "no fall seen yet; more rows may or may not help"
        off = None if anyway else self.misfit(learner)
        if off is not None:
            where = f"off by {number(abs(off[1]))} at {off[0]:,.0f} rows"
            return refused, f"no fitted curve passes through the points, {where}"
        return "", ""

    def begun(self, learner: str | None = None) -> bool:
        """Whether the curve has begun to fall: its largest size is clearly better than a constant answer, or than the
        smallest size (corrected t, at the level 1 − confidence).

        A curve that has not may fall late: a tree on a checkerboard has .456 at 200 rows and .265 at 1,000.
        """
        name = self.learner(learner)
        measure, last = find_measure(self.metric), self.of(name)[-1]
        if not math.isnan(self.constant):
            clear = last.low > self.constant if measure.higher_is_better else last.high < self.constant
            if clear:
                return True
        losses = shortfall(np.asarray(self.values[name], dtype=np.float64), measure)
        if len(losses) < 2:
            return False
        fall = corrected_t(
            losses[:, 0] - losses[:, -1], test_train_ratio=self.ratio, confidence=self.confidence,
            alternative="greater",
        )  # fmt: skip
        return fall.p_value <= 1 - self.confidence

    def benefit(
        self, n: float | None = None, learner: str | None = None, *, confidence: float | None = None
    ) -> Interval:
        """What n rows (twice the data where n is not given) would add to the largest size, in the metric's own units.

        The difference of the fitted curve between the two, over curves fitted to resampled splits; splits share rows,
        so their spread is widened by √(1 + J·n_test/n_train) as in the corrected t. If the curve is not extrapolated,
        the limits are NaN and the note says why. Below 0 is worse for accuracy and better for an error rate.
        """
        name = self.learner(learner)
        size = 2.0 * self.rows if n is None else float(n)
        ahead = self.extrapolate(size, name, confidence=confidence)
        what = f"change in {self.title} from {self.sizes[-1]:,} to {size:,.0f} rows"
        estimand = f"this learner at {size:,.0f} training rows less the same at {self.sizes[-1]:,}"
        level = self.confidence if confidence is None else check_confidence(confidence)
        middle = low = high = math.nan
        if not math.isnan(ahead.estimate):
            curves = self._curves(name, [float(self.sizes[-1]), size])
            gains = curves[:, 0] - curves[:, 1]  # of the loss: never below 0 in a falling form
            centre = float(np.median(gains))
            wide = math.sqrt(1 + len(self.values[name]) * self.ratio)
            tail = (1 - level) / 2
            ends = centre + wide * (np.quantile(gains, [tail, 1 - tail]) - centre)
            sign = 1.0 if find_measure(self.metric).higher_is_better else -1.0
            middle = sign * centre
            low, high = sorted(float(sign * x) for x in ends)
        return Interval(
            name=what, estimate=middle, low=low, high=high, confidence=level, method="learning-curve", n=self.rows,
            note=ahead.note, estimand=estimand,
        )  # fmt: skip

    def _curves(self, name: str, sizes: list[float]) -> Floats:
        """The curves fitted to resampled splits at these sizes: (draws, sizes)."""
        values = shortfall(np.asarray(self.values[name], dtype=np.float64), find_measure(self.metric))
        generator = np.random.Generator(np.random.Philox(text_seed(f"{self.seed}/{name}/curve")))
        fitted = resampled_fits(np.asarray(self.sizes, dtype=np.float64), values, self.form, generator)
        return fitted.at(np.asarray(sizes, dtype=np.float64))

    def misfit(self, learner: str | None = None) -> tuple[float, float] | None:
        """(rows, how far off) of the worst point where clearly no form fits the curve, else None."""
        values = shortfall(np.asarray(self.values[self.learner(learner)], dtype=np.float64), find_measure(self.metric))
        if len(self.sizes) < FEWEST_SIZES or len(values) < 2:
            return None
        return misfit(
            np.asarray(self.sizes, dtype=np.float64), values, self.form, rows=self.units, ratio=self.ratio,
            confidence=self.confidence,
        )  # fmt: skip

    def band(
        self, learner: str | None, sizes: Any, *, confidence: float | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """(estimate, low, high) of the fitted curve at these sizes, with what the rows leave open."""
        name = self.learner(learner)
        measure = find_measure(self.metric)
        values = np.asarray(self.values[name], dtype=np.float64)
        generator = np.random.Generator(np.random.Philox(text_seed(f"{self.seed}/{name}/curve")))
        fitted = resampled_fits(
            np.asarray(self.sizes, dtype=np.float64), shortfall(values, measure), self.form, generator
        )
        curves = fitted.at(np.asarray(sizes, dtype=np.float64))
        level = self.confidence if confidence is None else confidence
        # As wide as one round of folds would be: limits of all rounds fail where a few rows change the learner.
        wider = 1 + max(0.0, 1 / (1 + self.ratio) - 1 / (self.ratio * len(values)))
        # Of right and wrong, the number of rows says all about their chance.
        variance = math.nan if measure.right_or_wrong else wider * self.variances[name]
        band = limits_at(curves, Level(self.units / wider, variance), level, generator)
        return back(band, measure)

    def records(self) -> list[dict[str, object]]:
        """One record for each learner and size."""
        return [record for p in self.points for record in p.records()]

    def _points_table(self) -> Table:
        rows = tuple(
            (
                p.learner, whole(p.size), f"{with_limits(p.estimate, p.low, p.high)}", number(p.training),
                "" if math.isnan(p.bias) else signed(p.bias), number(p.sd),
            )
            for p in self.points
        )  # fmt: skip
        head = ("learner", "rows", self.title, "on training rows", "bias", "sd")
        return Table(columns=head, rows=rows)

    @property
    def verdict(self) -> str:
        """What to expect of more rows, in words."""
        return "\n".join(self.verdict_lines)

    @property
    def verdict_lines(self) -> tuple[str, ...]:
        """One sentence for each learner, then the crossings."""
        learners = (_learner_words(self, name) for name in self.learners)
        crossings = (f"{_overtaking(c)}." for c in self.crossings if c.share >= SURE)
        return (*learners, *crossings, *((self.stopped,) if self.stopped else ()))

    def document(self) -> Document:
        several = "the same subsets and test rows for all learners" if len(self.learners) > 1 else "nested subsets"
        sizes = f"{len(self.sizes)} sizes from {whole(self.sizes[0])} to {whole(self.sizes[-1])}"
        last = [
            f"Intervals of {percent(self.confidence)} confidence, each size by itself. bias: how far models of that "
            f"size are from those of {whole(self.sizes[-1])} rows; sd: how much single test folds vary."
        ]
        forms = [_form_words(self, name) for name in self.learners if any(f.learner == name for f in self.fits)]
        last += [*forms, *([EXPECTED] if forms else []), *self.notes]
        reading = f"{whole(self.rows)} rows, {sizes}; {self.plan}; {several}."
        block = self.findings.block(several=True)
        return page(reading, self.verdict_lines, TableBlock(self._points_table()), block, footer=last)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingShares(Result):
    """One random split at several training shares: how far its estimate is off. Made by `te.training_shares`.

    Each point has `estimate`, the mean over the splits, with its limits; `bias` how far models of that size are from
    those of the largest training set, `sd` how much the estimate of one split varies with its rows, and `rmse`² = bias²
    + sd².
    """

    metric: str
    title: str
    learners: tuple[str, ...]
    shares: tuple[float, ...]
    sizes: tuple[int, ...]
    rows: int
    points: tuple[CurvePoint, ...]
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    method: str = "training-share"

    def of(self, learner: str | None = None) -> tuple[CurvePoint, ...]:
        """The points of one learner."""
        name = self.learners[0] if learner is None and len(self.learners) == 1 else learner
        if name not in self.learners:
            raise InputError(f"which learner? there are {', '.join(map(repr, self.learners))}")
        return tuple(p for p in self.points if p.learner == name)

    def best(self, learner: str | None = None) -> float:
        """The training share at which the estimate of one split is least far off (√(bias² + sd²))."""
        points = self.of(learner)
        return self.shares[
            min(range(len(points)), key=lambda i: math.inf if math.isnan(points[i].rmse) else points[i].rmse)
        ]

    def records(self) -> list[dict[str, object]]:
        """One record for each learner and share."""
        shares = dict(zip(self.sizes, self.shares, strict=True))
        return [{"share": shares[p.size], "test_rows": self.rows - p.size, **p.records()[0]} for p in self.points]

    @property
    def verdict_lines(self) -> tuple[str, ...]:
        """For each learner what a larger test fold buys and what it costs."""
        return tuple(self._words(name) for name in self.learners)

    @property
    def verdict(self) -> str:
        """What a larger test fold buys and what it costs."""
        return " ".join(self.verdict_lines)

    def _words(self, learner: str) -> str:
        points, who = self.of(learner), "" if len(self.learners) == 1 else f"{one_line(learner)}: "
        first, last = points[0], points[-1]
        best = self.best(learner)
        at = points[self.shares.index(best)]
        ends = [percent(round(self.shares[i], 3)) for i in (0, -1)]
        reach = [critical_t(self.confidence, math.inf) * p.sd for p in (first, last)]
        return (
            f"{who}Training on {ends[0]} of the rows instead of {ends[1]} costs {self.title} {signed(first.bias)}. "
            f"It buys {whole(self.rows - first.size)} test rows, with which one split is right within ± "
            f"{number(reach[0])}; with {whole(self.rows - last.size)} it is ± {number(reach[1])}. One split is least "
            f"far off with {percent(round(best, 3))} for training (√(bias² + sd²) = {number(at.rmse)})."
        )

    def __str__(self) -> str:
        shares = dict(zip(self.sizes, self.shares, strict=True))
        table = Table(
            columns=(
                "learner", "training", "rows", "test rows", f"{self.title}, mean", "bias", "sd of one", "√(b² + sd²)",
            ),
            rows=tuple(
                (
                    p.learner, percent(round(shares[p.size], 3)), whole(p.size), whole(self.rows - p.size),
                    f"{with_limits(p.estimate, p.low, p.high)}", signed(p.bias), number(p.sd), number(p.rmse),
                )
                for p in self.points
            ),
        )  # fmt: skip
        last = (
            f"bias: the mean over the splits less that at {percent(round(self.shares[-1], 3))} training rows (models "
            "of all rows may be better still). sd of one: of a single split, its test rows taken as drawn anew; "
            "repeating the split or folds make it smaller. A larger test fold costs training rows, so the "
            "estimate is of a poorer model; a smaller one leaves the estimate to chance."
        )
        head = (
            f"{whole(self.rows)} rows, {len(self.shares)} training shares, {self.points[0].splits} random splits each."
        )
        return study_text(head, self.verdict_lines, table, [last, *self.notes])


def back(found: tuple[Floats, Floats, Floats], measure: Measure) -> tuple[Floats, Floats, Floats]:
    """(estimate, low, high) of the metric itself, within its range."""
    middle, low, high = found
    best, (bottom, top) = measure.best or 0.0, measure.range
    if measure.higher_is_better:
        middle, low, high = best - middle, best - high, best - low
    else:
        middle, low, high = best + middle, best + low, best + high
    return tuple(np.clip(part, bottom, top) for part in (middle, low, high))  # type: ignore[return-value]


EXPECTED = (
    "What is expected of more rows is the median of curves fitted to resampled splits, the form chosen anew for each; "
    "the formulas are fitted to the mean of all splits, so at the same size they may give a slightly different number."
)


def _learner_words(curve: LearningCurve, learner: str) -> str:
    """What to expect of twice the data, against what there is now."""
    last = curve.of(learner)[-1]
    ahead = curve.extrapolate(learner=learner)
    who = "" if len(curve.learners) == 1 else f"{one_line(learner)}: "
    now = f"{with_limits(last.estimate, last.low, last.high)} at {whole(last.size)}"
    if math.isnan(ahead.estimate):
        rise = curve.rise(learner)
        if not curve.well_behaved(learner):
            size = f"{abs(rise.estimate):.3f}"
            return (
                f"{who}more rows made it worse: {curve.title} loses {size} from {rise.second} to {rise.first} "
                f"({p_value(rise.p_adjusted)}), so the curve is not extrapolated. It is {now} rows."
            )
        _, why = curve._refusal(learner, anyway=False)
        return f"{who}{curve.title} is {now} rows; it is not extrapolated: {why}."
    factor = 2 * curve.rows / last.size
    times = "" if abs(factor - 2) < 0.05 else f", {factor:.2g} times the largest size"
    return (
        f"{who}{_benefit_words(curve, learner)} At twice the data ({whole(2 * curve.rows)} rows{times}) expect "
        f"{curve.title} {with_limits(ahead.estimate, ahead.low, ahead.high)}; it is {now} rows."
    )


def _benefit_words(curve: LearningCurve, learner: str) -> str:
    """Would twice the rows help, yes or no, with the interval of what they would bring."""
    change, measure = curve.benefit(learner=learner), find_measure(curve.metric)
    better = change.low > 0 if measure.higher_is_better else change.high < 0
    answer = "More rows would help" if better else "No clear gain from more rows"
    shown = common_format(change.estimate, change.low, change.high, sign=True)
    reach = ci_words(change.low, change.high, curve.confidence, shown)
    return f"{answer}: with twice as many, {curve.title} changes by {shown(change.estimate)}, {reach}."


def _overtaking(c: Crossing) -> str:
    """Who is better below and above."""
    reach = ci_words(c.low, c.high, c.confidence, lambda x: f"{x:,.0f}")
    return f"{one_line(c.second)} overtakes {one_line(c.first)} at about {c.size:,.0f} rows, {reach}"


def _form_words(curve: LearningCurve, learner: str) -> str:
    """The fitted curve, and how well each form foretold the largest sizes."""
    best = curve.best_form(learner)
    others = [f for f in curve.fits if f.learner == learner and f.form != best.form]
    other_errors = ", ".join(f"{f.form} {number(f.held_out)}" for f in others)
    who = "" if len(curve.learners) == 1 else f"{one_line(learner)}: "
    # Curves are fitted to what is lacking to the best value: of an AUC, 1 − AUC.
    measure = find_measure(curve.metric)
    lacking = f"{number(measure.best or 0.0)} − {curve.title} = " if measure.higher_is_better else ""
    start = curve.fitted_from(learner)
    late = f", fitted from {whole(start)} rows on, where the fall begins" if start > curve.sizes[0] else ""
    return (
        f"{who}{best.form} {lacking}{best.formula}{late}; off by {number(best.held_out)} at sizes held out (others: "
        f"{other_errors})."
    )
