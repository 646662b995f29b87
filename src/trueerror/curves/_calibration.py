"""Calibration (reliability) curves: do the rows that were given a probability of 0.7 turn out positive 7 times in 10?

With Spiegelhalter's z, and the expected calibration error beside what chance alone would show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, frozen
from trueerror.curves._input import CurveInput, need_probabilities
from trueerror.curves._isotonic import isotonic_proportions, pooled_blocks
from trueerror.curves._points import Counts, Figures, Records, rows_for_interval
from trueerror.curves._recalibration import (
    LogitTable,
    Recalibration,
    RecalibrationMethod,
    calibration_intercept,
    calibration_slope,
    in_the_large,
    over_clusters,
)
from trueerror.curves._verb import ModelCurves, curve_verb, typed_as
from trueerror.inference._answer import interval_of
from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._contrast import student_p
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._sample import OneSample
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference.loss._mean import MeanSample
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats, WeightsKind
from trueerror.inputs._options import Rng, check_confidence, check_replicates, check_word, generator
from trueerror.kernels._groups import neighbour_groups
from trueerror.kernels._threads import block_sums
from trueerror.metrics._registry import find_measure
from trueerror.metrics.scores import Binning, bin_places, check_bins, middled
from trueerror.results import Interval, Result, Test
from trueerror.results._format import folded, number, p_value, whole, with_limits
from trueerror.results._values import joined_notes
from trueerror.tallies._scores import ScoreTable

# Bins with more rows, or whose count of positives varies more, have a normal count for all that matters here.
EXACT_ROWS = 5000
EXACT_VARIANCE = 100.0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CalibrationError(Result):
    """The expected calibration error, and what a perfectly calibrated model would show on the same forecasts.

    `expected` is its mean by chance alone, `high_by_chance` the value that chance exceeds in 5 of 100 samples, `excess`
    the error less `expected`, `largest` the largest gap of a bin.
    """

    name: str = "expected calibration error"
    estimate: float
    expected: float
    high_by_chance: float
    p_value: float
    largest: float
    bins: int
    binning: str
    n: float
    method: str = "ece-null"
    note: str = ""

    def __float__(self) -> float:
        return self.estimate

    @property
    def excess(self) -> float:
        """The error beyond what chance alone gives on average; about 0 for a calibrated model."""
        return self.estimate - self.expected

    def __str__(self) -> str:
        kind = {"width": "of equal width", "mass": "of about equal size"}[self.binning]
        note = f" ({self.note})" if self.note else ""
        return folded(
            f"{self.name} {number(self.estimate)} over {self.bins} bins {kind}; with perfect calibration it would be "
            f"{number(self.expected)} on average here, and above {number(self.high_by_chance)} in 5 of 100 samples "
            f"({p_value(self.p_value)}){note}"
        )


def calibration_error(
    table: ScoreTable, *, bins: int = 10, binning: Binning = "width", replicates: int = 2000, rng: Rng = None
) -> CalibrationError:
    """Σ (rows of a bin / n)·|share of positives − mean forecast|, and its distribution under perfect calibration.

    There each row is positive with the probability that was forecast, so the number of positives of a bin is a sum of
    independent Bernoulli variables: its distribution is exact for bins of up to 5,000 rows with a variance below 100,
    normal beyond. The mean is computed, the p-value (1 + count of ≥)/(1 + B) from draws. Source: Naeini, Cooper and
    Hauskrecht 2015, AAAI:2901; Bröcker and Smith 2007, Weather Forecast. 22:651.
    """
    replicates = check_replicates(replicates)
    rows = (table.positives + table.negatives).astype(np.float64)
    place = bin_places(table.scores, rows, bins, binning)
    n = float(rows.sum())

    def summed(values: Floats) -> Floats:
        return np.bincount(place, weights=values, minlength=bins).astype(np.float64)

    gaps, sizes = np.abs(summed(table.positives - rows * table.scores)), summed(rows)
    estimate = float(gaps.sum() / n)
    squares = rows if table.squares is None else table.squares.sum(axis=0)
    spread = summed(squares * table.scores * (1 - table.scores))
    draw, _ = generator(rng)
    means, drawn = np.zeros(bins), np.zeros(replicates)
    for b in np.flatnonzero(spread > 0):
        if table.squares is None and spread[b] < EXACT_VARIANCE and sizes[b] <= EXACT_ROWS:
            values, chances = _exact_gaps(rows[place == b], table.scores[place == b])
            means[b] = float(values @ chances)
            picked = np.searchsorted(np.cumsum(chances), draw.random(replicates) * chances.sum(), side="right")
            drawn += values[np.minimum(picked, len(values) - 1)]
        else:
            sigma = math.sqrt(spread[b])
            means[b] = sigma * math.sqrt(2 / math.pi)
            drawn += np.abs(draw.normal(0.0, sigma, replicates))
    # A replicate that ties with the sample up to rounding counts as one that reaches it.
    reached = int((drawn / n >= estimate - 1e-12).sum())
    return CalibrationError(
        estimate=estimate,
        expected=float(means.sum() / n),
        high_by_chance=float(np.quantile(drawn / n, 0.95)),
        p_value=(1 + reached) / (1 + replicates),
        largest=float((gaps / np.where(sizes > 0, sizes, 1.0)).max()),
        bins=int(bins),
        binning=binning,
        n=n,
    )


def _exact_gaps(rows: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """|S − E S| for a sum of Bernoulli variables, and its probabilities, from the characteristic function."""
    mean = float(rows @ chances)
    # The distribution is computed modulo a power of two that holds all counts, or twelve standard deviations both ways.
    reach = min(float(rows.sum()), 24 * math.sqrt(float(rows @ (chances * (1 - chances)))) + 40)
    cycle = 1 << math.ceil(math.log2(reach + 1))
    angle = np.exp(2j * np.pi * np.arange(cycle // 2 + 1) / cycle)
    factors = np.log(1 - chances[:, None] * (1 - angle[None, :]) + 1e-300)
    transform = np.exp(rows @ factors)
    mass = np.fft.irfft(np.conj(transform), cycle)
    counts = np.arange(cycle) + cycle * np.round((mean - np.arange(cycle)) / cycle)
    return np.abs(counts - mean), np.maximum(mass, 0.0)


def spiegelhalter_test(table: ScoreTable) -> Test:
    """z = Σ (y − p)(1 − 2p) / √Σ (1 − 2p)²p(1 − p): is the Brier score what calibrated forecasts would have?

    Source: Spiegelhalter 1986, Stat. Med. 5:421.
    """

    def sums(part: slice) -> Floats:
        p, up = table.scores[part], table.positives[part]
        rows = (up + table.negatives[part]).astype(np.float64)
        squares = rows if table.squares is None else table.squares[:, part].sum(axis=0)
        tilt = 1 - 2 * p
        return np.array([(up - rows * p) @ tilt, (squares * tilt**2) @ (p * (1 - p)), rows.sum()])

    top, spread, total = block_sums(sums, len(table.scores)).tolist()
    n = int(total) if table.squares is None else None
    z, note = math.nan, "all forecasts are 0, 1/2 or 1, so the Brier score does not vary under calibration"
    if spread > 0:
        z, note = top / math.sqrt(spread), ""
    chance = math.erfc(abs(z) / math.sqrt(2))
    return Test(name="Spiegelhalter's z", statistic=z, p_value=chance, method="spiegelhalter", n=n, note=note)


Grouping = Literal["width", "mass", "isotonic"]
Noted = TypeVar("Noted", Test, CalibrationError)
METHODS: tuple[RecalibrationMethod, ...] = ("profile", "wald")


class CalibrationVerb(Protocol):
    """How a calibration curve is asked for, with its own options."""

    __name__: str

    @overload
    def __call__(
        self, truth: object, scores: Mapping[str, object], *, positive: object = None, weights: object = None,
        weights_kind: WeightsKind | None = None, bins: int = 10, binning: Grouping = ...,
        confidence: float = 0.95, **columns: object,
    ) -> ModelCurves[Calibration]: ...  # fmt: skip
    @overload
    def __call__(
        self, truth: object, scores: Any = None, *, model: str | None = None, positive: object = None,
        weights: object = None, weights_kind: WeightsKind | None = None, bins: int = 10, binning: Grouping = ...,
        confidence: float = 0.95, **columns: object,
    ) -> Calibration: ...  # fmt: skip


@typed_as(CalibrationVerb)  # type: ignore[type-abstract]
@curve_verb("a calibration curve")
def calibration(
    data: CurveInput, *, bins: int = 10, binning: Grouping = "width", confidence: float = 0.95
) -> Calibration:
    """The share of positives against the mean forecast, bin by bin, with Wilson's interval for each share.

    `binning`: "width" divides [0, 1] into equal parts, closed on the right; "mass" puts about as many rows in each bin,
    equal forecasts staying together; "isotonic" takes the blocks of the increasing fit (pool adjacent violators),
    which needs no number of bins, but chooses them by the outcomes, so that its intervals are a guide only. Source:
    Bröcker and Smith 2007, Weather Forecast. 22:651; Dimitriadis, Gneiting and Jordan 2021, PNAS 118:e2016191118.

    >>> curve = calibration([0, 0, 1, 1, 0, 1], [0.1, 0.2, 0.2, 0.8, 0.9, 0.9], bins=2)
    >>> curve.forecast.round(3).tolist(), curve.observed.round(3).tolist()
    ([0.167, 0.867], [0.333, 0.667])
    """
    return Calibration(
        data.table, name=data.name, caution=data.caution, bins=bins, binning=binning, confidence=confidence
    )


class SmoothCalibration(NamedTuple):
    """The share of positives along the forecasts, without bins, with pointwise limits."""

    forecast: Floats
    observed: Floats
    low: Floats
    high: Floats


# A smooth curve rests on this share of the rows at each forecast, and is read at so many of them.
SPAN, SMOOTH_POINTS, SMOOTH_GROUPS = 0.5, 61, 2048
# Where half of the rows lie closer together than this, all within it are taken: most forecasts are near 0 or 1.
LEAST_WIDTH = 0.15
FEW_FORECASTS = 10
# Beyond these shares of the rows there are too few to smooth.
OUTER = 0.005


class Decomposition(NamedTuple):
    """Brier score = miscalibration − discrimination + uncertainty, after isotonic recalibration."""

    miscalibration: float
    discrimination: float
    uncertainty: float


def _grouped_forecasts(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """Mean forecast, positives and rows of neighbourhoods of forecasts, at most so many that smoothing is quick."""
    if len(table.scores) > SMOOTH_GROUPS:
        return neighbour_groups(table.scores, table.positives, table.negatives, SMOOTH_GROUPS)
    rows = np.asarray(table.positives + table.negatives, dtype=np.float64)
    occupied = rows > 0
    return table.scores[occupied], np.asarray(table.positives, dtype=np.float64)[occupied], rows[occupied]


@curve_kind("reliability-curve", verb="calibration", picture="curves.calibration_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Calibration(TableCurve):
    """A reliability curve. All arrays run over the bins that have rows: mean `forecast`, `observed` share of positives
    with Wilson limits `low` and `high`, `sizes`, and the `edges` (from, to).
    """

    bins: int = 10
    binning: Grouping = "width"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        need_probabilities(self.table, "a calibration curve")
        check_word(self.binning, ("width", "mass", "isotonic"), "binning")
        object.__setattr__(self, "confidence", check_confidence(self.confidence))
        if self.binning != "isotonic":
            check_bins(self.bins, self.binning)
        object.__setattr__(self, "bins", int(self.bins))

    @cached_property
    def _read(self) -> ScoreTable:
        """The table whose scores are read as forecasts: those of a bin at its middle."""
        return middled(self.table)

    def _places(self, bins: int, binning: Binning) -> NDArray[np.int64]:
        """The bin of each distinct forecast."""
        return bin_places(self._read.scores, self._read.positives + self._read.negatives, bins, binning)

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """Where the bins that have rows begin."""
        if self.binning == "isotonic":
            return pooled_blocks(self._read.positives, self._read.negatives)
        if self.binning == "width":
            edges = np.arange(1, self.bins) / self.bins
            starts = np.unique(np.append(0, np.searchsorted(self._read.scores, edges, side="right")))
            return starts[starts < len(self._read.scores)]
        place = self._places(self.bins, self.binning)
        return np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))

    def _summed(self, values: Counts) -> Floats:
        return np.add.reduceat(values, self._starts).astype(np.float64)

    @cached_property
    def _class_sizes(self) -> tuple[Floats, Floats]:
        """Positives and negatives of each bin."""
        return self._summed(self._read.positives), self._summed(self._read.negatives)

    @cached_property
    def sizes(self) -> Floats:
        """Rows of each bin."""
        return frozen(self._class_sizes[0] + self._class_sizes[1])

    @cached_property
    def observed(self) -> Floats:
        """Share of positives in each bin."""
        return frozen(self._class_sizes[0] / self.sizes)

    @cached_property
    def forecast(self) -> Floats:
        """Mean forecast of each bin."""
        summed = np.add(self._read.positives, self._read.negatives, dtype=np.float64)
        summed *= self._read.scores
        return frozen(self._summed(summed) / self.sizes)

    @cached_property
    def _limits(self) -> tuple[Floats, Floats]:
        squared = self._read.squares
        squares = None if squared is None else (self._summed(squared[0]), self._summed(squared[1]))
        rows = rows_for_interval(*self._class_sizes, squares)
        low, high = share_limits(self.observed * rows, rows, "wilson", self.confidence)
        if self.clusters is not None:
            low, high = self.clusters.limits_of_bins(self.table.scores[self._starts], self.confidence)
        return frozen(low), frozen(high)

    @property
    def low(self) -> Floats:
        """Lower Wilson limit of each bin's share of positives."""
        return self._limits[0]

    @property
    def high(self) -> Floats:
        """Upper Wilson limit of each bin's share of positives."""
        return self._limits[1]

    def _binned(self) -> str:
        if self.table.exact or self.table.uppers is None:
            return super()._binned()
        off = float((self.table.uppers - self.table.scores).max()) / 2
        return f"binned scores: forecasts are read at the middle of their bin, {off:.2g} off at most"

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """From which forecast to which each bin goes: its fixed edges, or the forecasts at its ends."""
        if self.binning == "width":
            place = bin_places(self._read.scores[self._starts], self.sizes, self.bins, "width")
            return place / self.bins, (place + 1) / self.bins
        ends = np.append(self._starts[1:], len(self.table.scores)) - 1
        return self._read.scores[self._starts], self._read.scores[ends]

    def smooth(self) -> SmoothCalibration:
        """Local linear regression of the outcome on the forecast, over the nearest half of the rows at each point.

        Weights are Cleveland's tricube (1 − (d/h)³)³, h the distance to the farthest of those rows or 0.15; the fit is
        Σ l_i·y_i, and the limits are Wilson's of 1/Σ l_i² rows, so that they have width at 0 and 1. They hold at each
        forecast by itself and leave the bias of smoothing out. Source: Cleveland 1979, J. Am. Stat. Assoc. 74:829;
        for calibration Austin and Steyerberg 2014, Stat. Med. 33:517.

        >>> curve = calibration([0] * 50 + [1] * 50, [i / 100 for i in range(100)]).smooth()
        >>> bool(curve.observed[0] < 0.1), bool(curve.observed[-1] > 0.9), bool((curve.low < curve.high).all())
        (True, True, True)
        """
        x, up, rows = _grouped_forecasts(self._read)
        total = float(rows.sum())
        ranks = np.cumsum(rows) / total
        ends = x[np.searchsorted(ranks, [OUTER, 1 - OUTER]).clip(0, len(x) - 1)]
        # Few forecasts are taken as they are: between them nothing is known.
        grid = np.linspace(ends[0], ends[1], SMOOTH_POINTS) if len(x) > FEW_FORECASTS else x
        fitted, effective = np.empty(len(grid)), np.empty(len(grid))
        for k, at in enumerate(grid):
            distance = np.abs(x - at)
            order = np.argsort(distance, kind="stable")
            reach = order[np.searchsorted(np.cumsum(rows[order]), SPAN * total).clip(0, len(x) - 1)]
            # A hair more than the distance, so that the farthest row counts where all are as far.
            width = max(float(distance[reach]) * (1 + 1e-4), LEAST_WIDTH)
            weight = rows * np.clip(1 - (distance / width) ** 3, 0.0, None) ** 3
            mass, off = float(weight.sum()), x - at
            middle = float((weight * off).sum()) / mass
            spread = float((weight * (off - middle) ** 2).sum())
            # Each group's part in the fit; of forecasts that are all the same, the mean.
            tilt = -middle * (off - middle) / spread if spread > 1e-12 * mass else np.zeros_like(off)
            part = weight * (1 / mass + tilt)
            fitted[k] = float((part * up / rows).sum())
            effective[k] = 1 / float((part * part / rows).sum())
        observed = np.clip(fitted, 0.0, 1.0)
        effective *= self._all_rows() / total
        low, high = share_limits(observed * effective, effective, "wilson", self.confidence)
        return SmoothCalibration(frozen(grid), frozen(observed), frozen(low), frozen(high))

    def intercept(self, *, method: RecalibrationMethod = "profile", confidence: float = 0.95) -> Interval:
        """a of logit P = a + b·logit p, the slope b fitted too (as in R's rms): 0 where forecasts are calibrated.

        Limits where the likelihood has dropped by z²/2 ("profile"), or a ± z·SE ("wald").
        """
        return self._fitted(calibration_intercept, method, confidence)

    def slope(self, *, method: RecalibrationMethod = "profile", confidence: float = 0.95) -> Interval:
        """b of logit P = a + b·logit p: 1 where forecasts are calibrated, below 1 where they are overconfident.

        >>> calibration([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).slope().low.__round__(3)
        0.272
        """
        return self._fitted(calibration_slope, method, confidence)

    def in_the_large(self, *, method: RecalibrationMethod = "profile", confidence: float = 0.95) -> Interval:
        """a of logit P = a + logit p: above 0 where forecasts are too low on the whole, below where too high."""
        return self._fitted(in_the_large, method, confidence)

    @cached_property
    def _row_places(self) -> NDArray[np.intp]:
        """The place of each clustered row's forecast in the table."""
        assert self.clusters is not None
        return np.searchsorted(self.table.scores, self.clusters.rows.scores + 0.0)

    @cached_property
    def _logits(self) -> LogitTable | None:
        return LogitTable.of(self._read)

    @cached_property
    def _fits(self) -> dict[tuple[Recalibration, RecalibrationMethod, float], Interval]:
        """Fits take longer than all else, and pictures, words and records ask for the same ones."""
        return {}

    def _fitted(self, fit: Recalibration, method: RecalibrationMethod, confidence: float) -> Interval:
        """A figure of the logistic model, fitted once; all of them read the same logits."""
        check_word(method, METHODS, "method")
        key = (fit, method, check_confidence(confidence))
        if key not in self._fits:
            interval = fit(self._read, method=method, confidence=key[2], logits=self._logits)
            if self.clusters is not None and self._logits is not None:
                which = {calibration_intercept: 0, calibration_slope: 1}.get(fit, 2)
                interval = over_clusters(interval, which, self._logits, self._row_places, self.clusters.rows)
            self._fits[key] = interval
        return self._noted(self._fits[key])

    def spiegelhalter(self) -> Test:
        """Is the Brier score what calibrated forecasts would have? z = Σ(y − p)(1 − 2p) / √Σ(1 − 2p)²p(1 − p)."""
        test = self._also(spiegelhalter_test(self._read))
        if self.clusters is None or not math.isfinite(test.statistic):
            return test
        rows, p = self.clusters.rows, self._read.scores[self._row_places]
        weights = np.ones(len(p)) if rows.weights is None else rows.weights
        sums = np.bincount(rows.codes, weights=weights * (rows.positive - p) * (1 - 2 * p), minlength=rows.groups)
        df = degrees_of_freedom(effective_clusters(np.bincount(rows.codes, weights=weights, minlength=rows.groups)))
        t = float(sums.sum()) / math.sqrt(float(sums @ sums))
        note = joined_notes(test.note, f"{rows.groups:,} clusters")
        return replace(test, statistic=t, df=df, p_value=student_p(t, df, "two-sided"), note=note)

    def ece(
        self, *, bins: int | None = None, binning: Binning | None = None, replicates: int = 2000, rng: Rng = None
    ) -> CalibrationError:
        """The expected calibration error beside its value under perfect calibration, which is not 0.

        >>> error = calibration([1, 0, 0, 1], [0.85, 0.85, 0.15, 0.15]).ece()
        >>> round(error.estimate, 4), round(error.expected, 4)
        (0.35, 0.2168)
        """
        kind: Binning = binning or ("mass" if self.binning == "mass" else "width")
        return self._also(
            calibration_error(self._read, bins=bins or self.bins, binning=kind, replicates=replicates, rng=rng),
            "" if self.clusters is None else "chance alone takes rows as independent; te.evaluate counts the clusters",
        )

    def _also(self, figure: Noted, more: str = "") -> Noted:
        """A figure with what binning leaves open in its note."""
        return replace(figure, note=joined_notes(figure.note, self._binned(), more))

    def brier(self, *, confidence: float = 0.95) -> Interval:
        """The mean of (p − y)², with the interval of a mean loss."""
        measure, spec = find_measure("brier"), IntervalSpec(confidence=confidence)
        sample: OneSample = ScoreRows.of(measure, self.table, {})
        if self.clusters is not None:
            sample = MeanSample.of(self.clusters.losses(self.table, measure))
        return self._noted(interval_of(Problem(metric=measure, sample=sample, spec=spec)), binned=False)

    def isotonic(self) -> Floats:
        """The recalibrated probability of each distinct score (`table.scores`): the increasing fit."""
        return isotonic_proportions(self.table.positives, self.table.negatives)

    def decomposition(self) -> Decomposition:
        """Brier score = miscalibration − discrimination + uncertainty, from the isotonic fit, without bins.

        Miscalibration is what recalibrating would save on these rows, discrimination what the recalibrated forecasts
        save against always forecasting the prevalence q, uncertainty q(1 − q). Source: Dimitriadis, Gneiting and
        Jordan 2021, PNAS 118:e2016191118.

        >>> [round(x, 3) for x in calibration([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8]).decomposition()]
        [0.075, 0.125, 0.25]
        """
        q = self.prevalence
        score, recalibrated, constant = (self._squared(p) for p in (self._read.scores, self.isotonic(), np.array(q)))
        return Decomposition(score - recalibrated, constant - recalibrated, q * (1 - q))

    def histogram(self, bins: int = 20) -> tuple[Floats, Floats, Floats]:
        """Edges of equal bins over [0, 1], and the positives and negatives in each, for the picture's margin."""
        place = self._places(bins, "width")
        sums = [np.bincount(place, weights=c, minlength=bins) for c in (self.table.positives, self.table.negatives)]
        return np.arange(bins + 1) / bins, sums[0].astype(np.float64), sums[1].astype(np.float64)

    def _figures(self) -> Figures:
        return [
            ("the share of positives in a bin", "wilson"),
            ("the slope", self.slope()),
            ("calibration-in-the-large", self.in_the_large()),
            ("Spiegelhalter's z", self.spiegelhalter()),
            ("the expected calibration error", self.ece()),
        ]

    def records(self) -> Records:
        """One record for each bin that has rows."""
        columns = (*self.edges, self.sizes, self.forecast, self.observed, self.low, self.high)
        names = ("from", "to", "n", "forecast", "observed", "low", "high")
        return columns_to_records(names, columns)

    def _words(self) -> str:
        slope, large, test = self.slope(), self.in_the_large(), self.spiegelhalter()
        outside = int(((self.forecast < self.low) | (self.forecast > self.high)).sum())
        return (
            f"Calibration{self._subject()}, {whole(self.table.n)} rows: slope "
            f"{with_limits(slope.estimate, slope.low, slope.high)} (1 is right), calibration-in-the-large "
            f"{with_limits(large.estimate, large.low, large.high)} (0 is right).\n"
            f"The mean forecast of {outside} of {len(self.forecast)} bins lies outside the observed interval; "
            f"Spiegelhalter's z {number(test.statistic)}, "
            f"{p_value(test.p_value)}.\n{self.ece()}"
        )

    def _squared(self, p: Floats) -> float:
        total = self.table.positives * (1 - p) ** 2 + self.table.negatives * p**2
        return float(np.sum(total)) / self.table.n
