"""LearningCurve: what `te.learning_curve` found, ready to be read, drawn and carried on to more rows.

Forms of a learning curve are fitted by weighted least squares, many curves at once, so that they can be resampled. Each
form is a + b·φ(n/N; c) with a ≥ 0 and b ≥ 0, N being the largest size. For a given c, a and b have closed forms; c is
searched on a grid that is finer than anything the data can tell. Then what a curve does between its sizes (rises that
speak against it, a flat end, where two cross), what to expect of more rows, and the same in words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.experiments._dataset import text_seed
from trueerror.findings import Findings
from trueerror.inference._contrast import adjust
from trueerror.inference._problem import critical_t
from trueerror.inference.loss._t_tests import corrected_factor, corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, check_confidence, nearest
from trueerror.methods import Method, declare
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
from trueerror.studies._study import shortfall, study_text

FormName = Literal["power", "exponential", "root", "logarithm", "flat"]


@dataclass(frozen=True, slots=True)
class Form:
    """A family of curves; `formula` is for people, `shapes` are the values of c that are tried."""

    name: FormName
    formula: str
    shapes: tuple[float, ...]

    def basis(self, share: Floats, shape: Floats) -> Floats:
        """φ at shares of the largest size; the arrays are broadcast."""
        if self.name == "exponential":
            return np.exp(-shape * share)
        if self.name == "logarithm":
            return -np.log(share) + 0 * shape
        if self.name == "flat":
            return np.zeros(np.broadcast(share, shape).shape)
        return np.asarray(share**-shape, dtype=np.float64)


FORMS: dict[FormName, Form] = {
    form.name: form
    for form in (
        Form("power", "a + b·n^(−c)", tuple((2.0 ** np.linspace(-4, 2, 97)).tolist())),
        Form("exponential", "a + b·exp(−c·n)", tuple((2.0 ** np.linspace(-3, 6, 109)).tolist())),
        Form("root", "a + b/√n", (0.5,)),
        Form("logarithm", "a − b·log n", (0.0,)),
        Form("flat", "a", (0.0,)),
    )
}


class Parameters(NamedTuple):
    """a, b and c for numbers of rows as they are."""

    a: float
    b: float
    c: float


class Fitted(NamedTuple):
    """One fit for each row of the curves; of b and c, the scale is that of shares of the largest size."""

    form: FormName
    largest: float
    a: Floats
    b: Floats
    c: Floats
    residual: Floats

    def at(self, sizes: Floats | float) -> Floats:
        """The curves at any sizes: a row for each fit. An error below 0 is 0."""
        share = np.atleast_1d(np.asarray(sizes, dtype=np.float64)) / self.largest
        basis = FORMS[self.form].basis(share[None, :], self.c[:, None])
        return np.maximum(self.a[:, None] + self.b[:, None] * basis, 0.0)


def parameters(made: Fitted, row: int = 0) -> Parameters:
    """The parameters of one fit, for n itself instead of shares of the largest size.

    >>> n = np.array([20.0, 40, 80, 160])
    >>> parameters(fit_curve("power", n, (0.1 + 2 / n)[None, :], np.ones(4)))
    Parameters(a=0.1, b=2.0, c=1.0)
    """
    a, b, c = (float(part[row]) for part in (made.a, made.b, made.c))
    if made.form == "exponential":
        c /= made.largest
    elif made.form == "logarithm":
        a += b * float(np.log(made.largest))
    elif made.form != "flat":
        b *= made.largest**c
    return Parameters(*(float(f"{x:.12g}") for x in (a, b, c)))


def fit_curve(form: FormName, sizes: Floats, curves: Floats, weights: Floats) -> Fitted:
    """Weighted least squares of each row of `curves` (rows × sizes), a and b not negative.

    >>> n = np.array([20.0, 40, 80, 160, 320])
    >>> made = fit_curve("power", n, (0.1 + 2 / n)[None, :], np.ones(5))
    >>> made.at(640.0).round(3).tolist()
    [[0.103]]
    """
    largest = float(sizes[-1])
    y = np.atleast_2d(curves)
    w = weights / weights.sum()
    best_a, best_b, best_c = (np.zeros(len(y)) for _ in range(3))
    best = np.full(len(y), np.inf)
    mean = y @ w
    for shape in FORMS[form].shapes:
        phi = FORMS[form].basis(sizes / largest, np.asarray(shape))
        centre = float(w @ phi)
        spread = float(w @ (phi - centre) ** 2)
        slope = (y - mean[:, None]) @ (w * (phi - centre)) / spread if spread > 0 else np.zeros(len(y))
        slope = np.maximum(slope, 0.0)
        level = mean - slope * centre
        below = level < 0
        if below.any():
            # Through a = 0, where the fit without bounds would promise less than no error.
            slope = np.where(below, np.maximum((y @ (w * phi)) / float(w @ phi**2), 0.0), slope)
            level = np.where(below, 0.0, level)
        residual = ((y - level[:, None] - slope[:, None] * phi) ** 2) @ w
        better = residual < best - 1e-15
        best = np.where(better, residual, best)
        best_a, best_b = np.where(better, level, best_a), np.where(better, slope, best_b)
        best_c = np.where(better, shape, best_c)
    return Fitted(form, largest, best_a, best_b, best_c, best)


def held_out_errors(sizes: Floats, curves: Floats, weights: Floats) -> dict[FormName, Floats]:
    """For each form, the mean squared error at the largest sizes of a fit to the smaller ones; a value for each curve.

    One size is held out, of six sizes or more two. Fewer than four sizes cannot tell forms apart.

    >>> n = np.array([20.0, 40, 80, 160, 320, 640])
    >>> errors = held_out_errors(n, (0.1 + 2 / n)[None, :], np.ones(6))
    >>> min(errors, key=lambda form: errors[form][0])
    'power'
    """
    keep = len(sizes) - (2 if len(sizes) >= 6 else 1)
    errors: dict[FormName, Floats] = {}
    for name in FORMS:
        fit = fit_curve(name, sizes[:keep], curves[:, :keep], weights[:keep])
        errors[name] = ((fit.at(sizes[keep:]) - curves[:, keep:]) ** 2).mean(axis=1)
    return errors


DRAWS = 4_000
# Only a crossing in this share of the draws is called one.
SURE = 0.95


class Crossed(NamedTuple):
    """Where the difference of two curves changes its sign between the smallest and the largest size."""

    size: float
    low: float
    high: float
    share: float


def worst_rise(sizes: Floats, losses: Floats, ratio: float, confidence: float) -> Contrast:
    """The clearest rise of the loss from one size to a larger one, over all pairs of sizes (Holm).

    Models of one split differ by their subsets only, so the differences are paired. A small p says that more rows made
    things worse: the curve is not one that can be carried on.
    """
    pairs = list(combinations(range(len(sizes)), 2))
    tests = [
        corrected_t(losses[:, j] - losses[:, i], test_train_ratio=ratio, confidence=confidence, alternative="greater")
        for i, j in pairs
    ]
    p_values = [1.0 if np.isnan(t.p_value) else t.p_value for t in tests]
    adjusted = adjust(p_values)
    worst = int(np.lexsort(([-t.estimate for t in tests], p_values))[0])
    i, j = pairs[worst]
    return replace(
        tests[worst], name="rise", first=f"{sizes[j]:,.0f} rows", second=f"{sizes[i]:,.0f} rows",
        p_value=p_values[worst], p_adjusted=float(adjusted[worst]),
        estimand="the expected loss at the larger size less that at the smaller",
    )  # fmt: skip


def last_gain(sizes: Floats, losses: Floats, ratio: float, confidence: float) -> Contrast:
    """By how much the loss fell over the last step, with an upper limit."""
    gain = corrected_t(losses[:, -2] - losses[:, -1], test_train_ratio=ratio, confidence=confidence, alternative="less")
    return replace(
        gain, name="gain", first=f"{sizes[-2]:,.0f} rows", second=f"{sizes[-1]:,.0f} rows",
        estimand="the expected loss before the last step less that after it",
    )  # fmt: skip


def curve_crossing(
    sizes: Floats, first: Floats, second: Floats, ratio: float, confidence: float, generator: np.random.Generator
) -> Crossed:
    """Where first − second changes its sign, on the scale of log n.

    Differences over J splits have the covariance S·(1/J + n_test/n_train) between sizes, as in the corrected t; mean
    curves are drawn from a multivariate t with J − 1 degrees of freedom around the one found.
    """
    d = first - second
    splits = len(d)
    scale = np.atleast_2d(np.cov(d, rowvar=False)) * corrected_factor(splits, ratio)
    values, vectors = np.linalg.eigh(scale)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    noise = generator.standard_normal((DRAWS, len(sizes))) @ root.T
    df = max(splits - 1, 1)
    noise /= np.sqrt(generator.chisquare(df, (DRAWS, 1)) / df)
    mean = d.mean(axis=0)
    places = _changes(np.log(sizes), mean + noise)
    crossings = places[~np.isnan(places)]
    at = float(_changes(np.log(sizes), mean[None, :])[0])
    if not len(crossings):
        return Crossed(float(np.exp(at)), np.nan, np.nan, 0.0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(crossings, [tail, 1 - tail])
    if not np.isnan(at):
        low, high = min(low, at), max(high, at)
    return Crossed(float(np.exp(at)), float(np.exp(low)), float(np.exp(high)), len(crossings) / DRAWS)


def _changes(places: Floats, curves: Floats) -> Floats:
    """Where each curve last changes its sign; NaN where both ends have the same."""
    positive = curves > 0
    ends_differ = positive[:, 0] != positive[:, -1]
    changes = positive[:, 1:] != positive[:, :-1]
    last = changes.shape[1] - 1 - np.argmax(changes[:, ::-1], axis=1)
    rows = np.arange(len(curves))
    left, right = curves[rows, last], curves[rows, last + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(left == right, 0.5, left / (left - right))
    crossings: Floats = np.where(ends_differ, places[last] + part * (places[last + 1] - places[last]), np.nan)
    return crossings


REPLICATES = 400
# Forms that level off. A logarithm falls without end and a level line never does: neither is chosen unasked.
CHOOSABLE: tuple[FormName, ...] = ("power", "exponential", "root")
FEWEST_SIZES = 4


class Level(NamedTuple):
    """What the choice of the rows leaves open: that of a share of `rows` rows, or a variance."""

    rows: float
    variance: float  # NaN: a share


class Resampled(NamedTuple):
    """The fits to resampled splits, by form, and which form each replicate chose."""

    fits: dict[FormName, Fitted]
    chosen: NDArray[np.intp]
    forms: tuple[FormName, ...]

    def at(self, sizes: Floats) -> Floats:
        """Each replicate's curve at these sizes."""
        every = np.stack([self.fits[form].at(sizes) for form in self.forms])
        curves: Floats = every[self.chosen, np.arange(every.shape[1])]
        return curves


def weights_of(values: Floats) -> Floats:
    """One over the variance of each mean; sizes at which nothing varies get the weight of the steadiest other one."""
    variance = values.var(axis=0, ddof=1) / len(values) if len(values) > 1 else np.ones(values.shape[1])
    floor = variance[variance > 0].min(initial=1.0)
    weights: Floats = 1 / np.maximum(variance, floor)
    return weights


def fall_begins(values: Floats) -> int:
    """The place of the size from which on curves are fitted: that of the largest mean loss, four sizes being left.

    The forms fall everywhere. A loss that stays level or rises at first (discriminants peak where rows are as many as
    columns) bends them: they take the late fall for a slow one without an end, and promise too much.

    >>> fall_begins(np.array([[0.40, 0.45, 0.44, 0.3, 0.25, 0.22, 0.21]]))
    1
    """
    worst = int(values.mean(axis=0).argmax())
    return max(0, min(worst, int(values.shape[1]) - FEWEST_SIZES))


def resampled_fits(sizes: Floats, values: Floats, form: str, generator: np.random.Generator) -> Resampled:
    """Draw splits with replacement, fit every form to the mean curve of each draw, and choose by held-out error.

    The form is chosen anew in each draw, so that not knowing it widens the band. Sizes before the fall are left out.
    """
    start = fall_begins(values)
    sizes, values = sizes[start:], values[:, start:]
    splits = len(values)
    curves = values[generator.integers(0, splits, (REPLICATES, splits))].mean(axis=1)
    weights = weights_of(values)
    forms: tuple[FormName, ...] = CHOOSABLE if form == "auto" else (form,)  # type: ignore[assignment]
    fits = {name: fit_curve(name, sizes, curves, weights) for name in forms}
    chosen = np.zeros(REPLICATES, dtype=np.intp)
    if len(forms) > 1:
        errors = held_out_errors(sizes, curves, weights)
        chosen = np.stack([errors[name] for name in forms]).argmin(axis=0)
    return Resampled(fits, chosen, forms)


def limits_at(
    curves: Floats, level: Level, confidence: float, generator: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """(estimate, low, high) of the expected loss: the median curve, and quantiles with the rows' own chance added.

    A replicate's share p gets a draw from Beta(p·N + ½, (1 − p)·N + ½), as N other rows would have given it: so limits
    stay within [0, 1] and never meet.
    """
    # One place between 0 and 1 for each replicate, the same at every size: the band is as smooth as its curves.
    place = (generator.permutation(len(curves))[:, None] + 0.5) / len(curves)
    if math.isnan(level.variance):
        p = np.clip(curves, 0.0, 1.0)
        around = special.betaincinv(p * level.rows + 0.5, (1 - p) * level.rows + 0.5, place)
    else:
        around = np.maximum(curves + math.sqrt(level.variance) * special.ndtri(place), 0.0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(around, [tail, 1 - tail], axis=0)
    middle = np.median(curves, axis=0)
    return middle, np.minimum(low, middle), np.maximum(high, middle)


def misfit(
    sizes: Floats, values: Floats, form: str, *, rows: int, ratio: float, confidence: float
) -> tuple[float, float] | None:
    """(size, how far off) of the worst point, where no form that may be extrapolated passes through all the points.

    A point is off where the corrected t-interval of its mean, at a confidence for all sizes together (Bonferroni), does
    not hold the fitted curve; where all splits agree, the limits are Wilson's, ±z²/(n + z²).
    """
    splits = len(values)
    error = values.std(axis=0, ddof=1) * math.sqrt(1 / splits + ratio)
    each = 1 - (1 - confidence) / len(sizes)
    z = critical_t(each, math.inf)
    reach = np.maximum(critical_t(each, splits - 1.0) * error, z * z / (rows + z * z))
    mean, weights = values.mean(axis=0), weights_of(values)
    best: tuple[float, float] | None = None
    least = math.inf
    for name in CHOOSABLE if form == "auto" else (form,):
        off = mean - fit_curve(name, sizes, mean[None, :], weights).at(sizes)[0]  # type: ignore[arg-type]
        worst = np.abs(off) / reach
        at = int(worst.argmax())
        if worst[at] < least:
            least, best = float(worst[at]), (float(sizes[at]), float(off[at]))
    return best if least > 1 else None


def compared_forms(sizes: Floats, values: Floats) -> dict[FormName, tuple[Fitted, float]]:
    """Every form fitted to the mean curve, with its root mean squared error at sizes held out, best first."""
    start = fall_begins(values)
    sizes, values = sizes[start:], values[:, start:]
    mean, weights = values.mean(axis=0, keepdims=True), weights_of(values)
    errors = held_out_errors(sizes, mean, weights)
    ordered = sorted(FORMS, key=lambda name: float(errors[name][0]))
    return {name: (fit_curve(name, sizes, mean, weights), math.sqrt(float(errors[name][0]))) for name in ordered}


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
                reason = f"{size / self.sizes[-1]:.0f} times the largest size: hardly to be believed"
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
        so their spread is widened by √(1 + J·n_test/n_train) as in the corrected t. Where the curve is not extrapolated
        the limits are NaN, and the note says why. Below 0 is worse for accuracy and better for an error rate.
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

    Of each point, `estimate` is the mean over the splits with limits for it; `bias` how far models of that size are
    from those of the largest training set, `sd` how much the estimate of one split varies with its rows, and `rmse`²
    = bias² + sd².
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


declare(
    Method(
        key="training-share",
        title="bias and spread of one random split at each training share",
        formula="bias: mean over the splits less that of the largest training share; sd² = s² + v/N, s between the "
        "splits, v = s²·tN/(1 − t) what one test row adds, from the largest training share: tN of N rows drawn without "
        "replacement have 1 − t of the variance of fresh ones; √(bias² + sd²)",
        source="Kohavi 1995, IJCAI 2:1137, for the trade-off; Cochran 1977, Sampling Techniques, 2.6, for 1 − t",
        assumes="independent rows; models of all rows are about as good as those of the largest training share",
        advice="prefer folds or repeated splits, whose training sets are large and which test every row",
    ),
    Method(
        key="learning-curve",
        title="learning curve, extrapolated from resampled splits",
        formula="quantiles over draws of the splits of a + b·φ(n), fitted by weighted least squares with a, b ≥ 0 from "
        "the largest loss on; φ "
        "is n^(−c), exp(−cn) or n^(−½), whichever foretells the largest sizes best in that draw; each draw's error p "
        "then becomes Beta(pN + ½, (1 − p)N + ½), N being the distinct rows over 1 + (1 − 1/k)(1 − 1/R) for R rounds "
        "of k folds: as wide as one round",
        source="Cortes et al. 1994, NIPS 6:327, for the power law; Viering and Loog 2023, IEEE TPAMI 45:7799, for what "
        "curves do; Efron 1979, Ann. Stat. 7:1, for the resampling",
        assumes="a loss that falls with more rows and levels off; independent rows; folds as in the study",
        measured="error at twice the data .96–1.00 (nearest mean, discriminant, nearest neighbour, 200 to 300 rows, "
        "500 samples each); 1.2 times as wide as limits of all rounds, which cover .90 for nearest neighbours",
        advice="refused where no fall is seen yet (neither below a constant answer nor below the smallest size), where "
        "the loss clearly rises from one size to a larger one (corrected t, Holm), or no "
        "form passes through the points: about one real curve in seven is ill-behaved",
    ),
    Method(
        key="crossing-resampled",
        title="where two learning curves cross, from draws of both",
        formula="sign changes of d(n) on the scale of log n; d drawn from a multivariate t(J − 1) around the mean "
        "difference with covariance S(1/J + n_test/n_train)",
        source="Nadeau and Bengio 2003, Machine Learning 52:239, for the covariance",
        assumes="the same splits and subsets for both learners; one crossing between the smallest and the largest size",
        advice="only a crossing in 95 % of the draws is called one",
    ),
    part="studies",
)
