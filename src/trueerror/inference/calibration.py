"""Calibration errors, and the difference of two: a sum, or the largest, of absolute gaps, which chance pushes up.

Resampling cannot give their limits: a replicate adds noise to gaps that are noise already, so that those of forecasts
that are perfectly calibrated, whose error is 0, lie well above 0. The better forecasts hold, the more of their error is
noise, so the difference of two lies beside the true one, and more rows make the miss more certain.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._clusters import LEAST_DF, degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import FURTHEST, SEARCHED_P, Limits, check_test_options, contrast, tail_area
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._variance import ClusteredRows, ScoreSample
from trueerror.inference.auc._interval import squared_weights
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import bin_places
from trueerror.results import Alternative, Contrast
from trueerror.results._format import whole
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
# Mean, variance and third cumulant of |Z|, Z standard normal.
MEAN = math.sqrt(2 / math.pi)
VARIANCE = 1 - 2 / math.pi
THIRD = MEAN * (4 / math.pi - 1)


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
    """Limits that allow for any true gaps, from the standard errors e of the gaps.

    ECE = Σ|d + ε| over bins, d the true gaps and ε their noise. It is above Σ|d| by Σ|ε| at most, so the lower limit is
    ECE − q(Σ|ε|); and below it by Σ ±ε at most, so the upper limit is ECE + z·√Σe². MCE = max|d + ε| differs from
    max|d| by max|ε| at most: MCE ± q(max|ε|). q is the upper quantile for independent normal ε. Σe² over all rows (of
    MCE, e² of a bin) is at least z². `share` is another share of positives that is asked for. Of rows in `clusters` the
    gaps of bins vary together, as clusters have them, and t takes the place of z (`ClusterGaps`).

    >>> from trueerror.metrics._registry import find_measure
    >>> from trueerror.tallies import ScoreTable
    >>> table = ScoreTable.count([0] * 40 + [1] * 60, [0.5] * 100)
    >>> [round(x, 3) for x in calibration_error_limits(find_measure("ece"), table, 0.1, {}, IntervalSpec())]
    [0.0, 0.198]
    """
    errors, rows = gap_errors(table, share, **options)
    gaps = RowGaps(rows) if clusters is None else ClusterGaps.of(table, clusters, share, **options)
    below, above = (gaps.of_largest if measure.worst_bin else gaps.of_sum)(errors, spec.tail)
    return max(0.0, estimate - max(below, 0.0)), min(1.0, estimate + max(above, 0.0))


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


def gap_errors(
    table: ScoreTable, share: float | None = None, bins: int = 10, binning: Any = "width"
) -> tuple[Floats, Floats]:
    """For each bin with rows the standard error of positives − sum of forecasts, and its rows.

    The variance is the larger of Σ(y − p)², what was seen, and Σp(1 − p), what forecasts that hold would show: a bin of
    one row that came out as forecast has seen next to nothing.
    """
    weights = np.ones(2) if share is None else class_weights(float(table.n_positive), float(table.n_negative), share)
    masses = weights[0] * table.positives + weights[1] * table.negatives
    ups, downs = (w * w * x for w, x in zip(weights, squared_weights(table), strict=True))
    p, place = table.scores, bin_places(table.scores, masses, bins, binning)
    observed, expected, rows = (
        np.bincount(place, weights=w).astype(np.float64)
        for w in (ups * (1 - p) ** 2 + downs * p**2, (ups + downs) * p * (1 - p), masses)
    )
    occupied = rows > 0
    return np.sqrt(np.maximum(observed, expected))[occupied], rows[occupied]


def class_weights(positives: float, negatives: float, share: float) -> Floats:
    """What a positive, and a negative, weighs where this share is positive and all weigh as much as before."""
    total = positives + negatives
    return np.array([share * total / positives, (1 - share) * total / negatives])


class RowGaps(NamedTuple):
    """The rows of each bin, which are independent.

    Forecasts near 0 or 1 of which none failed have shown no noise: as with Wilson's limit for 0 of n, z² rows may.
    """

    rows: Floats

    def of_sum(self, errors: Floats, tail: float) -> tuple[float, float]:
        """How far ECE may be above and below the true one: q(Σ|ε|), and z·√Σe²."""
        z, n = -float(special.ndtri(tail)), float(self.rows.sum())
        return quantile_of_sum(errors / n, tail), z * max(math.sqrt(float((errors * errors).sum())), z) / n

    def of_largest(self, errors: Floats, tail: float) -> tuple[float, float]:
        """How far MCE may be off either way."""
        reach = quantile_of_largest(np.maximum(errors, -float(special.ndtri(tail))) / self.rows, tail)
        return reach, reach


class ClusterGaps(NamedTuple):
    """What each cluster adds to the gap of each bin, less its expectation (clusters, bins): over all rows and over the
    rows of the bin; the signs of the gaps, the rows of each bin, and the effective clusters of all and of each bin."""

    over_all: Floats
    over_bin: Floats
    signs: Floats
    rows: Floats
    effective: float
    in_bin: Floats

    @classmethod
    def of(
        cls, table: ScoreTable, rows: ClusteredRows, share: float | None = None, bins: int = 10, binning: Any = "width"
    ) -> ClusterGaps:
        """Ratios linearised, each cluster's part divided by 1 − its share of the rows (CR3)."""
        weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
        if share is not None:
            ups, downs = (float(weights[side].sum()) for side in (rows.positive, ~rows.positive))
            weights = weights * np.where(rows.positive, *class_weights(ups, downs, share))
        at = np.searchsorted(table.scores, rows.scores + 0.0, side="right") - 1
        mass = np.bincount(at, weights=weights, minlength=len(table.scores)).astype(np.float64)
        _, bin_of = np.unique(bin_places(table.scores, mass, bins, binning)[at], return_inverse=True)
        size, cell = int(bin_of.max()) + 1, rows.codes * (int(bin_of.max()) + 1) + bin_of
        gaps, masses = (
            np.bincount(cell, weights=w, minlength=rows.groups * size).astype(np.float64).reshape(rows.groups, size)
            for w in (weights * (rows.positive - rows.scores), weights)
        )
        total, of_bin, clusters = gaps.sum(axis=0), masses.sum(axis=0), masses.sum(axis=1)

        def apart(sizes: Floats, whole: Any) -> Floats:
            rest = np.maximum(1 - sizes / whole, 1e-9)
            deviations: Floats = (gaps - sizes * total / whole) / (whole * rest)
            return deviations

        return cls(
            apart(clusters[:, None], clusters.sum()), apart(masses, of_bin), np.sign(total), of_bin,
            effective_clusters(clusters), of_bin**2 / (masses**2).sum(axis=0),
        )  # fmt: skip

    def of_sum(self, errors: Floats, tail: float) -> tuple[float, float]:
        """How far ECE may be above and below the true one: q(Σ|ε|), and t·√Var(Σ ±ε).

        |ε| of two bins have the covariance (2/π)(√(1 − ρ²) + ρ·asin ρ − 1)·e·e (Nabeya 1951, Ann. Inst. Stat. Math.
        3:2).
        """
        t = -float(special.stdtrit(degrees_of_freedom(self.effective), tail))
        covariance, alone = self.over_all.T @ self.over_all, errors / self.rows.sum()
        e = np.maximum(np.sqrt(np.diag(covariance)), alone)
        rho = np.clip(covariance / np.outer(e, e), -1.0, 1.0)
        np.fill_diagonal(rho, 1.0)
        joint = 2 / math.pi * (np.sqrt(1 - rho**2) + rho * np.arcsin(rho) - 1) * np.outer(e, e)
        spread = math.sqrt(float(joint.sum()))
        # As skewed as the sum of as many equal and independent parts.
        skew = THIRD / VARIANCE**1.5 * spread / (math.sqrt(VARIANCE) * float(e.sum()))
        z = -float(special.ndtri(tail))
        below = (t / z) * (float(e.sum()) * MEAN + spread * (z + (z * z - 1) * skew / 6))
        seen = float(self.signs @ covariance @ self.signs)
        floor = max(float((alone * alone).sum()), (z / float(self.rows.sum())) ** 2)
        return below, t * math.sqrt(max(seen, floor))

    def of_largest(self, errors: Floats, tail: float) -> tuple[float, float]:
        """How far MCE may be off either way; a bin within one cluster may be off by anything."""
        z = -float(special.ndtri(tail))
        e = np.maximum(np.sqrt((self.over_bin**2).sum(axis=0)), np.maximum(errors, z) / self.rows)
        t = -special.stdtrit(np.maximum(self.in_bin - 1, LEAST_DF), tail)
        reach = quantile_of_largest(np.where(self.in_bin < 1.05, 1.0, np.minimum(e * t / z, 1.0)), tail)
        return reach, reach


def quantile_of_sum(errors: Floats, tail: float) -> float:
    """The upper quantile of Σ|ε|, by its first three cumulants (Cornish and Fisher 1938).

    >>> round(quantile_of_sum(np.array([1.0]), 0.025), 2)    # exactly 2.24
    2.26
    """
    spread = float((errors**2).sum()) * VARIANCE
    if spread <= 0:
        return 0.0
    z = -float(special.ndtri(tail))
    skew = float((errors**3).sum()) * THIRD / spread**1.5
    reach = float(errors.sum()) * MEAN + math.sqrt(spread) * (z + (z * z - 1) * skew / 6)
    return float(max(0.0, reach))


def quantile_of_largest(errors: Floats, tail: float) -> float:
    """The upper quantile of max|ε|: x with Π(2Φ(x/e) − 1) = 1 − tail.

    >>> round(quantile_of_largest(np.array([1.0]), 0.05), 3)
    1.96
    """
    scales, most = errors * math.sqrt(2), float(errors.max(initial=0.0))
    return crossing(lambda x: float(special.erf(x / scales).prod()) - (1 - tail), 0.0, 40 * most)


# From where limits are searched, in standard errors of either model.
NEAREST = 1e-6
TOO_NARROW = "too narrow where forecasts are near to calibrated, since resampling adds to their errors"
NO_NOISE = "neither model's gaps show any noise: limits by the rule of three"


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
    """First − second, from l1 − u2 to u1 − l2, where l and u leave out half of the tail each.

    The difference lies below l1 − u2 only if the first error is below l1 or the second above u2, so the two halves add
    up to the tail whether or not the rows are the same (Bonferroni). The p-value is the smallest level at which the
    limits exclude 0, searched to 5e-12.

    Source: `calibration_error_limits` for l and u; Dunn 1961, JASA 56:52, for adding up tails.

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

    tail = tail_area(level, alternative)
    ends = limits(tail / 2)
    groups = next((f"{whole(c.groups)} clusters" for c in clusters if c is not None), "")
    notes: tuple[str, ...] = (groups,) if groups else ()
    if not ends[1] > ends[0]:
        half = sum(1 - (tail / 2) ** (1 / max(float(t.n), 1.0)) for t in (first, second))
        ends, notes = (estimate - half, estimate + half), (*notes, NO_NOISE)

    side = {"two-sided": int(estimate <= 0), "greater": 0, "less": 1}[alternative]

    def clear(z: float) -> float:
        """How far the limit stays from 0, nearly a line in z."""
        return (1 - 2 * side) * limits(float(special.ndtr(-z)))[side]

    # Twice the tail of either model's limit at which this side's limit reaches 0.
    one = 1.0
    if clear(NEAREST) > 0:
        found = 2 * float(special.ndtr(-crossing(clear, NEAREST, FURTHEST, within=1e-9)))
        one = SEARCHED_P if clear(FURTHEST) > 0 else found
    p = min(1.0, 2 * one) if alternative == "two-sided" else one
    return contrast(
        estimate=estimate, limits=ends, confidence=level, alternative=alternative, notes=notes, null=None, p_value=p,
        method="calibration-gaps-difference", statistic=estimate, n=float(first.n), p_at_most=one == SEARCHED_P,
    )  # fmt: skip
