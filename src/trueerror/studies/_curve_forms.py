"""Forms of a learning curve, fitted by weighted least squares, many curves at once, so that they can be resampled.

Each form is a + b·φ(n/N; c) with a ≥ 0 and b ≥ 0, N being the largest size. For a given c, a and b have closed forms; c
is searched on a grid that is finer than anything the data can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueerror.inputs._arrays import Floats

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
