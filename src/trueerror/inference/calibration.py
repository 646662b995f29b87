"""Limits of calibration errors: a sum, or the largest, of absolute gaps, which chance pushes up.

A gap D = d + ε between what happened in a bin and what was forecast is a true gap d with noise of standard error e. The
expected |D| is that of a folded normal: above |d|, by .8·e where forecasts hold. Resampling adds the same noise once
more, so it cannot give limits. Inversion can: candidates for the true gaps run from none at all to any size, and a
limit is the error at those that put the one observed at a limit of chance. Of all gaps with a given sum the candidates
are the nearest to those seen, Σ(d − |D|)²/e² least: each moves by its variance, d(s) = max(|D| + s·e², 0). For the
largest of the gaps all move together, d(s)² = max(D² + s·|s|·e², 0).

The noise of bins is independent over rows. Clusters make it vary together: with the Hermite coefficients c₁, c₂ of
|d + e·z| the covariance of two absolute gaps with correlation ρ is c₁c₁′ρ + c₂c₂′ρ² + r·r′·ρ⁴, r² the variance that is
left. It is exact at ρ = 0 and ρ = 1.

Sources: Leone, Nelson and Nottingham 1961, Technometrics 3:543 (the folded normal); Wilson 1927, JASA 22:209 (the
standard error at the candidate); Kish 1965 and Bell and McCaffrey 2002, Surv. Methodol. 28:169 (clusters); Zou and
Donner 2008, Stat. Med. 27:1693 (differences from two models' own limits).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import FURTHEST, SEARCHED_P, Limits, check_test_options, contrast, tail_area
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._variance import ClusteredRows, ScoreSample
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import bin_places
from trueerror.results import Alternative, Contrast
from trueerror.results._format import whole
from trueerror.tallies._scores import ScoreTable


class Noise(NamedTuple):
    """The gaps of bins as shares of all rows, their standard errors, and what clusters make of them.

    `correlations` (bins, bins) are those of the noise, None over rows. `shares` are the bins' shares of the rows. t has
    `df` degrees of freedom.
    """

    gaps: Floats
    errors: Floats
    shares: Floats
    df: float = math.inf
    correlations: Floats | None = None

    def largest(self) -> Noise:
        """The mean gap of each bin, over its own rows."""
        return self._replace(gaps=self.gaps / self.shares, errors=self.errors / self.shares)

    def quantile(self, tail: float) -> float:
        """Which t lies above with this probability."""
        return -float(special.ndtri(tail) if math.isinf(self.df) else special.stdtrit(self.df, tail))

    def together(self, s: float) -> Floats:
        """Candidates that are all less (s < 0) or more than what was seen."""
        return np.asarray(np.sqrt(np.maximum(self.gaps**2 + s * abs(s) * self.errors**2, 0.0)))

    def nearest(self, s: float) -> Floats:
        """Of the gaps with a sum the nearest to those seen; s counts the largest standard error."""
        e = self.errors
        return np.maximum(np.abs(self.gaps) + s * e * e / max(float(e.max(initial=0.0)), np.finfo(float).tiny), 0.0)

    def sum_limit(self, s: float, q: float) -> float:
        """The value that Σ|D| exceeds with the probability of q, were these the true gaps (Cornish and Fisher 1938)."""
        d, e = self.nearest(s), self.errors
        r = d / np.where(e > 0, e, 1.0)
        # E|d + ez| = d·erf(r/√2) + e·√(2/π)·exp(−r²/2); its derivatives by d give the coefficients.
        rise, density = special.erf(r / math.sqrt(2)), math.sqrt(2 / math.pi) * np.exp(-r * r / 2)
        mean = d * rise + e * density
        variance = np.maximum(d * d + e * e - mean * mean, 0.0)
        cubes = (d**3 + 3 * d * e * e) * rise + (d * d + 2 * e * e) * e * density
        third = cubes - 3 * mean * (d * d + e * e) + 2 * mean**3
        spread = float(variance.sum())
        skew = float(third.sum()) / spread**1.5 if spread > 0 else 0.0
        if self.correlations is not None:
            first, second = np.sign(self.gaps) * e * rise, e * density / math.sqrt(2)
            left, rho = np.sqrt(np.maximum(variance - first**2 - second**2, 0.0)), self.correlations
            joint = np.outer(first, first) * rho + np.outer(second, second) * rho**2 + np.outer(left, left) * rho**4
            spread = max(float(joint.sum()), 0.0)
        return float(mean.sum()) + math.sqrt(spread) * (q + (q * q - 1) * skew / 6)

    def chance_below(self, s: float, value: float, *, above: float = -math.inf) -> float:
        """P(above ≤ D ≤ value) in all bins, were these the true gaps and their noise independent."""
        d, e = self.together(s), np.where(self.errors > 0, self.errors, np.finfo(float).tiny)
        ends = ((value - d) / e, (above - d) / e)
        below, least = (special.ndtr(x) if math.isinf(self.df) else special.stdtr(self.df, x) for x in ends)
        return float(np.prod(below - least))

    def error_where(self, excess: Callable[[float], float], error: Callable[[float], float]) -> float:
        """The error of the candidate where a rising excess is 0; the least there is where it is positive throughout."""
        least, most = -1.0, 1.0
        while error(2 * least) < error(least):
            least *= 2
        while excess(most) < 0:
            most *= 2
        return error(crossing(excess, 2 * least, most, within=1e-9) if excess(2 * least) < 0 else 2 * least)


def calibration_error_limits(
    measure: Measure,
    table: ScoreTable,
    estimate: float,
    options: MetricOptions,
    spec: IntervalSpec,
    *,
    share: float | None = None,
    clusters: ClusteredRows | None = None,
) -> tuple[float, float]:
    """The calibration errors of the true gaps that put the one observed at the upper and at the lower limit of chance.

    `share` is another share of positives that is asked for. Forecasts near 0 or 1 of which none failed have shown no
    noise: the upper limit is at least Wilson's for 0 of n, and the noise of a bin's mean at least that of z² rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> from trueerror.tallies import ScoreTable
    >>> table = ScoreTable.count([0] * 40 + [1] * 60, [0.5] * 100)
    >>> [round(x, 3) for x in calibration_error_limits(find_measure("ece"), table, 0.1, {}, IntervalSpec())]
    [0.0, 0.198]
    """
    gaps, rows = gaps_of(table, share, clusters, **options)
    tail, z = spec.tail, -float(special.ndtri(spec.tail))
    if measure.worst_bin:
        each = gaps.largest()
        each = each._replace(errors=np.minimum(np.maximum(each.errors, z / rows), 1.0))

        def largest(s: float) -> float:
            return float(each.together(s).max())

        low = each.error_where(lambda s: 1 - tail - each.chance_below(s, estimate, above=-estimate), largest)
        high = each.error_where(lambda s: tail - each.chance_below(s, estimate), largest)
        return min(low, estimate), min(1.0, max(high, estimate))

    def total(s: float) -> float:
        return float(gaps.nearest(s).sum())

    q = gaps.quantile(tail)
    low = gaps.error_where(lambda s: gaps.sum_limit(s, q) - estimate, total)
    high = gaps.error_where(lambda s: gaps.sum_limit(s, -q) - estimate, total)
    return min(low, estimate), min(1.0, max(high, estimate, z * z / (float(rows.sum()) + z * z)))


@inference_method(
    "calibration-gaps", on=ONE, aliases=("gaps",),
    applies=lambda q: q.metric.calibration_error and q.sample.tally == "scores",
)  # fmt: skip
def calibration_gaps(q: Problem[ScoreSample]) -> IntervalLimits:
    """Limits from the noise of the gaps."""
    s = q.sample
    limits = calibration_error_limits(
        q.metric, s.table, s.estimate, q.options, q.spec, share=s.share, clusters=s.clusters
    )
    note = "" if s.clusters is None else f"{whole(s.clusters.groups)} clusters"
    return IntervalLimits(*limits, "calibration-gaps", note)


def gaps_of(
    table: ScoreTable, share: float | None, clusters: ClusteredRows | None, bins: int = 10, binning: Any = "width"
) -> tuple[Noise, Floats]:
    """The gaps of the bins that have rows, and how many rows those have.

    The variance of positives − sum of forecasts in a bin is the larger of what was seen, Σ(y − p − ḡ)² about the bin's
    mean ḡ with one row more as it was forecast, and Σp(1 − p), what forecasts that hold would show: a bin of one row
    that came out as forecast has seen next to nothing.
    """
    positives, negatives, p = (
        np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives, table.scores)
    )
    seen = (positives, negatives) if table.squares is None else table.squares
    squares = [np.asarray(s, dtype=np.float64) for s in seen]
    weights = (1.0, 1.0)
    if share is not None:
        total, of_class = float((positives + negatives).sum()), float(positives.sum())
        weights = share * total / of_class, (1 - share) * total / (total - of_class)
        positives, negatives = weights[0] * positives, weights[1] * negatives
        squares = [w * w * s for w, s in zip(weights, squares, strict=True)]
    place = bin_places(table.scores, positives + negatives, bins, binning)
    used, where = np.unique(place, return_inverse=True)

    def of_bins(weights: Floats) -> Floats:
        return np.bincount(where, weights=weights, minlength=len(used)).astype(np.float64)

    gap, rows = of_bins(positives * (1 - p) - negatives * p), of_bins(positives + negatives)
    held, n = rows > 0, float(rows.sum())
    mean = (gap / np.where(held, rows, 1.0))[where]
    observed = of_bins(squares[0] * (1 - p - mean) ** 2 + squares[1] * (p + mean) ** 2)
    expected, worth = of_bins((squares[0] + squares[1]) * p * (1 - p)), of_bins(squares[0] + squares[1])
    errors = np.sqrt(np.maximum(observed + worth / np.where(held, rows, 1.0) ** 2 * expected, expected))
    alone = Noise(gap[held] / n, errors[held] / n, rows[held] / n)
    if clusters is None:
        return alone, rows[held]
    at = np.searchsorted(table.scores, clusters.scores + 0.0, side="right") - 1
    return _over_clusters(alone, clusters, weights, (np.cumsum(held) - 1)[where][at]), rows[held]


def _over_clusters(alone: Noise, rows: ClusteredRows, of_class: tuple[float, float], bin_of: NDArray[np.intp]) -> Noise:
    """The noise that clusters leave one out show (CR3), in no bin less than that of its rows by themselves."""
    weights = np.where(rows.positive, *of_class) * (1.0 if rows.weights is None else rows.weights)
    size, groups = len(alone.gaps), rows.groups
    cell = rows.codes * size + bin_of
    gaps, masses = (
        np.bincount(cell, weights=w, minlength=groups * size).astype(np.float64).reshape(groups, size)
        for w in (weights * (rows.positive - rows.scores), weights)
    )
    sizes, n = masses.sum(axis=1), float(masses.sum())
    # Beside all rows, not those of the bin: the noise of a bin that one cluster fills is as large as its gap.
    rest = np.maximum(1 - sizes / n, 1e-9)
    apart = (gaps - np.outer(sizes, gaps.sum(axis=0)) / n) / (n * rest[:, None])
    covariance = apart.T @ apart
    errors = np.maximum(np.sqrt(np.diag(covariance)), alone.errors)
    rho = covariance / np.where(errors > 0, np.outer(errors, errors), 1.0)
    np.fill_diagonal(rho, 1.0)
    return alone._replace(errors=errors, correlations=rho, df=degrees_of_freedom(effective_clusters(sizes)))


# From where limits are searched, in standard errors of either model.
NEAREST = 1e-6
TOO_NARROW = "too narrow where forecasts are near to calibrated, since resampling adds to their errors"


def calibration_contrast(
    measure: Measure,
    first: ScoreTable,
    second: ScoreTable,
    *,
    options: MetricOptions | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    clusters: tuple[ClusteredRows | None, ClusteredRows | None] = (None, None),
) -> Contrast:
    """First − second on the same rows, from l1 − u2 to u1 − l2, l and u the two models' own limits.

    That is the reach of MOVER whatever the correlation of the two: gaps of opposite sign move against each other. The
    p-value is the level at which a limit reaches 0, searched to 5e-12.

    >>> from trueerror.metrics._registry import find_measure
    >>> truth = [0] * 500 + [1] * 500
    >>> far, near = ScoreTable.count(truth, [0.8] * 1_000), ScoreTable.count(truth, [0.5] * 1_000)
    >>> c = calibration_contrast(find_measure("ece"), far, near)
    >>> round(c.estimate, 2), round(c.low, 1), round(c.high, 1), c.p_value < 0.001
    (0.3, 0.2, 0.3, True)
    """
    level = check_test_options(confidence, alternative)
    if not measure.calibration_error:
        raise InputError(f"{measure.name} is not a calibration error; those are ece, mce")
    given = dict(options or {})
    errors = [float(measure.function(t, **given)) for t in (first, second)]
    if not all(math.isfinite(e) for e in errors):
        raise InputError(f"{measure.name} is undefined: {measure.undefined or 'there are no rows'}")
    estimate = errors[0] - errors[1]

    def limits(tail: float) -> Limits:
        spec = IntervalSpec(each_at=1 - 2 * tail)
        (low1, high1), (low2, high2) = (
            calibration_error_limits(measure, t, e, given, spec, clusters=c)
            for t, e, c in zip((first, second), errors, clusters, strict=True)
        )
        return low1 - high2, high1 - low2

    side = 0 if (estimate > 0 if alternative == "two-sided" else alternative == "greater") else 1

    def clear(z: float) -> float:
        return (1 if side == 0 else -1) * limits(float(special.ndtr(-z)))[side]

    p = 0.5 if clear(NEAREST) <= 0 else SEARCHED_P
    if p == 0.5 and alternative != "two-sided":
        p = 1.0
    elif p == SEARCHED_P and clear(FURTHEST) <= 0:
        p = float(special.ndtr(-crossing(clear, NEAREST, FURTHEST, within=1e-9)))
    groups = next((f"{whole(c.groups)} clusters" for c in clusters if c is not None), "")
    return contrast(
        estimate=estimate, limits=limits(tail_area(level, alternative)), confidence=level, alternative=alternative,
        notes=(groups,) if groups else (), null=None, p_value=2 * p if alternative == "two-sided" else p,
        method="calibration-gaps-difference", statistic=estimate, n=float(first.n), p_at_most=p == SEARCHED_P,
    )  # fmt: skip
