"""Forms of a learning curve, fitted by weighted least squares: many curves at once, so that they can be resampled.

Each form is a + b·φ(n/N; c) with a ≥ 0 and b ≥ 0, N being the largest size. For a given c, a and b have closed forms;
c is searched on a grid that is finer than anything the data can tell.

What a learning curve does between its sizes: rises that speak against it, a flat end, and where two cross.

What to expect of more rows: curves fitted to resampled splits, and what the rows themselves leave open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import adjust
from trueerror.inference._problem import critical_t
from trueerror.inference.loss._t_tests import corrected_factor, corrected_t
from trueerror.results import Contrast

Floats = NDArray[np.float64]
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
    found: dict[FormName, Floats] = {}
    for name in FORMS:
        made = fit_curve(name, sizes[:keep], curves[:, :keep], weights[:keep])
        found[name] = ((made.at(sizes[keep:]) - curves[:, keep:]) ** 2).mean(axis=1)
    return found


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
    made = corrected_t(losses[:, -2] - losses[:, -1], test_train_ratio=ratio, confidence=confidence, alternative="less")
    return replace(
        made, name="gain", first=f"{sizes[-2]:,.0f} rows", second=f"{sizes[-1]:,.0f} rows",
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
    there = places[~np.isnan(places)]
    at = float(_changes(np.log(sizes), mean[None, :])[0])
    if not len(there):
        return Crossed(float(np.exp(at)), np.nan, np.nan, 0.0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(there, [tail, 1 - tail])
    if not np.isnan(at):
        low, high = min(low, at), max(high, at)
    return Crossed(float(np.exp(at)), float(np.exp(low)), float(np.exp(high)), len(there) / DRAWS)


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
    found: Floats = np.where(ends_differ, places[last] + part * (places[last + 1] - places[last]), np.nan)
    return found


REPLICATES = 400
# Forms that level off. A logarithm falls without end and a level line never does: neither is chosen unasked.
CHOOSABLE: tuple[FormName, ...] = ("power", "exponential", "root")
FEWEST_SIZES = 4


class Level(NamedTuple):
    """What the choice of the rows leaves open: that of a share of `rows` rows, or a variance."""

    rows: int
    variance: float  # NaN: a share


class Resampled(NamedTuple):
    """The fits to resampled splits, by form, and which form each replicate chose."""

    fits: dict[FormName, Fitted]
    chosen: NDArray[np.intp]
    forms: tuple[FormName, ...]

    def at(self, sizes: Floats) -> Floats:
        """Each replicate's curve at these sizes."""
        every = np.stack([self.fits[form].at(sizes) for form in self.forms])
        found: Floats = every[self.chosen, np.arange(every.shape[1])]
        return found


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
