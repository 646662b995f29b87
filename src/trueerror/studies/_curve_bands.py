"""What to expect of more rows: the fits of resampled learning curves, and limits from them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._problem import critical_t
from trueerror.inputs._arrays import Floats
from trueerror.studies._curve_forms import FORMS, Fitted, FormName, fit_curve, held_out_errors

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
