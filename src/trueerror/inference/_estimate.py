"""The one rule for limits: the effective t of an estimate that is, to first order, a sum over independent units.

A unit is a row, a cluster or a weighted row. `units` holds what each adds to the estimate: a row its influence over n,
a cluster (G − 1)/G times what the estimate loses without it. `strata` are samples that were drawn apart. The rule:

1. The standard error comes from the units, stratum by stratum: s² = Σ_s n_s/(n_s − 1)·Σ (u − ū_s)².
2. Student's t has as many degrees of freedom as the units tell that standard error: 2s⁴/Var(s²) by the units' own
   kurtosis, at most Welch's, s⁴/Σ_s s_s⁴/(k_s − 1), from each stratum's effective number of units k = (Σm)²/Σm². The
   variance of a metric of labels follows p(1 − p), so only what the units add beyond it counts there.
3. The scale follows from the metric's range: with both ends Wilson's limits at p(1 − p)/s² rows; with one end the same
   with the other end at infinity; with none θ ± t·s.
4. Two samples: the difference has the limits that follow from the two models' own (MOVER).
5. A p-value is the level at which a limit reaches the null value.
6. Units in order of time (`in_time`), and rows that belong to two keys (`over_keys`), have a standard error and
   degrees of freedom of their own (`_dependence`); all else is the same.

Metrics of a label table also know which cells could have been filled. `worst` holds the estimates of the same table
with half a row more in the cell that lowers, and in the cell that raises, the metric most: limits take their standard
error there, so that a sample without an error is not taken for certainty.

Sources: Satterthwaite 1946, Biometrics Bull. 2:110; Welch 1947, Biometrika 34:28; von Davier 2024, arXiv 2409.14606
(the kurtosis in Satterthwaite's formula, Kish's effective size as a special case); Korn and Graubard 1998, Surv.
Methodol. 24:193 (Wilson's limits at the effective number of rows); Bell and McCaffrey 2002, Surv. Methodol. 28:169, and
Hansen 2022 (leaving out clusters); Zou and Donner 2008, Stat. Med. 27:1693 (MOVER); Haldane 1956, Ann. Hum. Genet.
20:309 (half a row). `docs/explain/limits.md` tells it with its special cases and what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._dependence import in_order, two_ways
from trueerror.inference._problem import Range
from trueerror.inputs._arrays import Floats

# A standard error this small beside the estimate, or its range, is rounding.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """All that inference sees of a metric; leading axes of `value` and `units` are metrics side by side.

    `units` (…, units) is what each unit adds, `count` how many units there are of each kind, `strata` a code for each
    unit's sample, `sizes` how many rows (or what weight) a unit has. `worst` has one leading axis more: the standard
    error of the lower limit, and of the upper one, is found there. `rows_alike` is how many rows clusters are of,
    `together` says how the units hang together.
    """

    value: Floats
    units: Floats
    count: Floats | None = None
    strata: NDArray[np.intp] | None = None
    sizes: Floats | None = None
    range: Range = (-math.inf, math.inf)
    labels: bool = False
    worst: Estimate | None = None
    rows_alike: float = 0.0
    together: Callable[[Estimate], Spread] = field(default=lambda e: of_units(e), repr=False)

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference of two estimates over the same units."""
        low, high = self.range[0] - other.range[1], self.range[1] - other.range[0]
        return replace(
            self, value=less_rounding(self.value, other.value), units=self.units - other.units, range=(low, high),
            labels=False, worst=None,
        )  # fmt: skip

    @cached_property
    def samples(self) -> list[Stratum]:
        """The units of each stratum."""
        every: list[NDArray[np.bool_] | slice] = [slice(None)]
        parts = every if self.strata is None else [self.strata == s for s in np.unique(self.strata)]
        return [Stratum.of(self, members) for members in parts]

    @cached_property
    def spread(self) -> Spread:
        """The standard error of the estimate and its degrees of freedom."""
        return self.together(self)

    @property
    def effective(self) -> float:
        """How many units of equal size it rests on; of several strata those of the smallest."""
        return min(float(np.max(s.effective)) for s in self.samples)

    @property
    def agreeing(self) -> float:
        """How many units say so where all add the same; of clusters their rows, unless these are all alike too."""
        inside = (self.range[0] < self.value) & (self.value < self.range[1]) & (self.value != 0)
        return max(self.effective, self.rows_alike * bool(np.all(inside)))

    def shape(self, value: Floats) -> Shape:
        """How the variance changes over the range: as p(1 − p), as a count from one end, or not at all."""
        low, high = np.isfinite(self.range)
        up, down = np.where(low, value - self.range[0], 1.0), np.where(high, self.range[1] - value, 1.0)
        return Shape(up * down, low * down - high * up, float(low and high))

    def rows(self) -> Floats:
        """As many rows as have this standard error by the shape of the variance: of a share p(1 − p)/s²."""
        error = np.where(self.spread.error > 0, self.spread.error, np.nan)
        return np.asarray(self.shape(self.value).height / error**2)


class Shape(NamedTuple):
    """The variance of one row at a value, its slope there, and how much it bends."""

    height: Floats
    slope: Floats
    bend: float


def scaled(e: Estimate, by: float) -> Estimate:
    """So many times an estimate."""
    ends = e.range[0] * by, e.range[1] * by
    return replace(e, value=e.value * by, units=e.units * by, range=ends, worst=e.worst and scaled(e.worst, by))


class Spread(NamedTuple):
    """A standard error and the degrees of freedom with which the units tell it; 0 and 1 where they show none."""

    error: Floats
    df: Floats


class Stratum(NamedTuple):
    """The units of one stratum about their mean, how often each is there, how many in all, and effectively."""

    apart: Floats
    often: Floats
    n: Floats
    effective: Floats

    @classmethod
    def of(cls, e: Estimate, members: NDArray[np.bool_] | slice) -> Stratum:
        """Those of the chosen units."""
        units = e.units[..., members]
        count = np.ones(units.shape[-1]) if e.count is None else e.count[..., members]
        n = count.sum(axis=-1)
        mean = (count * units).sum(axis=-1) / np.where(n > 0, n, 1.0)
        effective = n
        if e.sizes is not None:
            sizes = e.sizes[..., members]
            squares = (count * sizes * sizes).sum(axis=-1)
            effective = (count * sizes).sum(axis=-1) ** 2 / np.where(squares > 0, squares, 1.0)
        return cls(units - np.asarray(mean)[..., None], count, n, effective)

    @property
    def unbiased(self) -> Floats:
        """n/(n − 1); NaN for a single unit."""
        return np.where(self.n > 1, self.n / np.where(self.n > 1, self.n - 1, 1.0), np.nan)

    def sum(self, values: Floats) -> Floats:
        """Σ over the units, unbiased."""
        return np.asarray(self.unbiased * (self.often * values).sum(axis=-1))


def of_units(e: Estimate) -> Spread:
    """That of units that were drawn independently."""
    strata, value = e.samples, np.asarray(e.value, dtype=np.float64)
    variances = [s.sum(s.apart**2) for s in strata]
    v = np.asarray(sum(variances))
    welch = sum(x * x / np.maximum(s.effective - 1, 1.0) for x, s in zip(variances, strata, strict=True))
    shape, reach = e.shape(value), e.range[1] - e.range[0]
    # How the logarithm of the variance of a metric of labels changes with it.
    slope = e.labels * shape.slope / np.where(shape.height > 0, shape.height, np.inf)
    beyond = np.zeros_like(v)
    for s in strata:
        squares = s.apart**2
        mean = (s.often * squares).sum(axis=-1) / np.where(s.n > 0, s.n, 1.0)
        left = squares - np.asarray(mean)[..., None] - np.asarray(slope * v)[..., None] * s.apart
        beyond = beyond + s.sum(left * left)
    error = np.sqrt(v)
    seen = error > ROUNDING * np.fmax(np.abs(value), np.where(np.isfinite(reach), reach, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.fmin(np.where(beyond > 1e-12 * v * v, 2 * v * v / beyond, np.inf), v * v / welch)
    return Spread(np.where(seen | np.isnan(v), error, 0.0), np.where(seen, np.maximum(df, 1.0), 1.0))


def in_time(e: Estimate, clusters: int) -> Estimate:
    """An estimate whose first units, so many clusters, stand in order of time; those after them (half rows) alone.

    >>> ups_and_downs = np.repeat([0.01, -0.01], 8) + np.tile([0.001, -0.001], 8)
    >>> e = Estimate(value=np.array(0.5), units=ups_and_downs)
    >>> round(float(e.spread.error), 3), round(float(in_time(e, 16).spread.error), 3)
    (0.042, 0.077)
    """

    def of_ordered(e: Estimate) -> Spread:
        alone, (variance, df) = of_units(e), in_order(e.units[..., :clusters])
        count = 1.0 if e.count is None else np.asarray(e.count)[..., clusters:]
        error = np.sqrt(variance + (count * e.units[..., clusters:] ** 2).sum(axis=-1))
        return Spread(np.where(alone.error > 0, error, alone.error), np.minimum(alone.df, df))

    return replace(e, together=of_ordered, worst=None if e.worst is None else in_time(e.worst, clusters))


def over_keys(first: Estimate, *others: Estimate) -> Estimate:
    """An estimate over one key, with the same over another one and over both together where there are two.

    >>> e = [Estimate(value=np.array(0.5), units=np.array(u)) for u in ([0.3, -0.3], [0.4, -0.4], [0.1, 0, 0, -0.1])]
    >>> round(float(over_keys(*e).spread.error), 3), round(float(over_keys(e[0]).spread.error), 3)
    (0.987, 0.6)
    """

    def of_all(e: Estimate) -> Spread:
        parts = [first.together(e), *(x.spread for x in others)]
        return Spread(*two_ways([x.error for x in parts], [x.df for x in parts]))

    return replace(first, together=of_all)


class Sums(NamedTuple):
    """Of the rows of one sample: how many, and what they add to an estimate, squared and to the fourth power.

    The fourth powers are 0 where they are not known; then rows count as adding alike, and the degrees of freedom are
    those of the number of rows.
    """

    rows: float
    squares: float
    fourths: float = 0.0

    @classmethod
    def of(cls, units: Floats, count: Floats | None = None) -> Sums:
        """Those of rows at hand; `count` says how many there are of each kind."""
        often = np.broadcast_to(1.0 if count is None else count, units.shape)
        n = float(often.sum())
        squares = units - float((often * units).sum()) / max(n, 1.0)
        squares *= squares
        # Not by BLAS, whose threads cost more than these sums and add up in an order of their own.
        every = often * squares
        return cls(n, float(every.sum()), float(np.einsum("i,i", every, squares)))

    def units(self) -> tuple[Floats, Floats]:
        """Units −b, 0 and b, and how many of each, with the same number, squares and fourth powers."""
        if not self.squares > 0:
            return np.zeros(3), np.array([0.0, self.rows, 0.0])
        apart = min(self.squares**2 / self.fourths, self.rows) if self.fourths > 0 else self.rows
        b = np.sqrt(self.squares / apart)
        return np.array([-b, 0.0, b]), np.array([apart / 2, self.rows - apart, apart / 2])


def estimate_of_sums(value: float, samples: Sequence[Sums], bounds: Range) -> Estimate:
    """An estimate over one or several samples drawn apart, of which only sums are known.

    >>> units = np.array([0.3, -0.1, -0.1, -0.1, 0.2, -0.2])
    >>> one = Estimate(value=np.array(0.1), units=units).spread
    >>> two = estimate_of_sums(0.1, [Sums.of(units)], (-1.0, 1.0)).spread
    >>> bool(np.isclose(one.error, two.error)), bool(np.isclose(one.df, two.df))
    (True, True)
    """
    parts = [sample.units() for sample in samples]
    units, count = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    strata = np.repeat(np.arange(len(parts)), 3) if len(parts) > 1 else None
    return Estimate(value=np.array(value), units=units, count=count, strata=strata, range=bounds)


def quantile(df: Floats, tail: float) -> Floats:
    """The value that Student's t with `df` degrees of freedom passes with probability `tail`."""
    return np.where(np.isinf(df), -special.ndtri(tail), -special.stdtrit(np.where(np.isinf(df), 1.0, df), tail))


def ends_of(e: Estimate, tail: float) -> tuple[Floats, Floats]:
    """The lower and the upper limit, each passed with probability `tail`; NaN where the units show no spread.

    They lie where (θ − θ̂)² is q² times the variance at θ, which follows the shape of the range: Wilson's limits
    between two ends, θ̂ ± q·s with none.

    >>> right = np.repeat([1.0, 0.0], [90, 10])
    >>> low, high = ends_of(Estimate(value=np.array(0.9), units=(right - 0.9) / 100, range=(0, 1), labels=True), 0.025)
    >>> round(float(low), 3), round(float(high), 3)
    (0.824, 0.945)
    """
    value = np.asarray(e.value, dtype=np.float64)
    at, side = e.worst or e, np.array([-1.0, 1.0]).reshape(2, *(1 for _ in range(value.ndim)))
    q, shape = side * quantile(at.spread.df, tail), e.shape(value)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        k = q * q / at.rows()
        root = np.sqrt((k * shape.slope) ** 2 + 4 * (1 + k * shape.bend) * k * shape.height)
        limit = value + (k * shape.slope + np.sign(q) * root) / (2 * (1 + k * shape.bend))
    if e.worst is not None:
        # At the end of its range an estimate that is known to vary has that end for a limit.
        end = np.where(side > 0, e.range[1], e.range[0])
        limit = np.where(value == end, value, limit)
    return limit[0], limit[1]


def t_statistic(e: Estimate, null: float) -> tuple[Floats, Floats]:
    """(θ̂ − θ₀)/s with the standard error as it would be at the null value, and its degrees of freedom."""
    value = np.asarray(e.value, dtype=np.float64)
    at, above = e.worst or e, value < null
    rows, df = (np.broadcast_to(x, (2, *value.shape)) for x in (at.rows(), at.spread.df))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(e.shape(np.asarray(null)).height / np.where(above, rows[1], rows[0]))
        return np.where(error > 0, (value - null) / error, np.nan), np.where(above, df[1], df[0])


def p_of(e: Estimate, null: float = 0.0) -> Floats:
    """The level at which a limit reaches the null value.

    >>> right = np.repeat([1.0, 0.0], [90, 10])
    >>> e = Estimate(value=np.array(0.9), units=(right - 0.9) / 100, range=(0, 1), labels=True)
    >>> round(float(p_of(e, float(ends_of(e, 0.025)[0]))), 6)
    0.05
    """
    t, df = t_statistic(e, null)
    return np.asarray(2 * special.stdtr(df, -np.abs(t)))


def apart(first: float, first_limits: Range, second: float, second_limits: Range) -> Range:
    """Limits of a difference of two independent estimates from their own limits (MOVER, Zou and Donner 2008).

    >>> tuple(round(x, 3) for x in apart(0.9, (0.8, 0.95), 0.8, (0.7, 0.87)))
    (-0.022, 0.212)
    """
    d = first - second
    low = d - math.hypot(first - first_limits[0], second_limits[1] - second)
    return low, d + math.hypot(first_limits[1] - first, second - second_limits[0])


def less_rounding(a: Floats, b: Floats) -> Floats:
    """a − b; what rounding alone tells from 0 is 0.

    >>> float(less_rounding(np.array(0.1 + 0.2), np.array(0.3))), float(less_rounding(np.array(0.5), np.array(0.25)))
    (0.0, 0.25)
    """
    with np.errstate(invalid="ignore"):
        d = a - b
    return np.where(np.abs(d) <= ROUNDING * np.maximum(np.abs(a), np.abs(b)), 0.0, d)


def leave_out(share: Floats, moves: Floats) -> Floats:
    """What units add by leaving each out: `share` is a unit's part of the whole, `moves` what it moves the estimate by.

    A heavy unit pulls the estimate towards itself, which hides its own deviation in that share.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(share < 1, moves / np.where(share < 1, 1 - share, 1.0), np.nan))
