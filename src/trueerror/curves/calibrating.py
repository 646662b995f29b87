"""Calibration: do the rows that were given a probability of 0.7 turn out positive 7 times in 10?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.calibration_errors import (
    Binning,
    CalibrationError,
    bin_places,
    calibration_error,
    spiegelhalter_test,
)
from trueerror.curves.isotonic import isotonic_shares, pooled_blocks
from trueerror.curves.logistic import LogitTable
from trueerror.curves.recalibration import (
    RecalibrationMethod,
    calibration_intercept,
    calibration_slope,
    in_the_large,
)
from trueerror.curves.shares import rows_for_interval
from trueerror.curves.taking import cautioned, need_probabilities, take_table
from trueerror.curves.views import Floats, TableCurve
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.inputs.weights import WeightsKind
from trueerror.intervals.proportions import limits
from trueerror.intervals.scored import score_interval
from trueerror.intervals.terms import Terms
from trueerror.metrics.binned import middled
from trueerror.metrics.registry import find_measure
from trueerror.results import Interval, Test
from trueerror.results.words import limits as bracket
from trueerror.results.words import number, p_value, whole
from trueerror.rows.table_options import takes_table_options
from trueerror.tallies.scores import ScoreTable

Grouping = Literal["width", "mass", "isotonic"]
Told = TypeVar("Told", Test, CalibrationError)
METHODS: tuple[RecalibrationMethod, ...] = ("profile", "wald")


@takes_table_options
def calibration(
    truth: Any,
    scores: Any = None,
    *,
    model: str | None = None,
    positive: Any = None,
    bins: int = 10,
    binning: Grouping = "width",
    confidence: float = 0.95,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    **columns: Any,
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
    table, name, given = take_table(
        truth, scores, model=model, positive=positive, weights=weights, weights_kind=weights_kind,
        what="a calibration curve", **columns,
    )  # fmt: skip
    return cautioned(Calibration(table, name=name, bins=bins, binning=binning, confidence=confidence), given)


class Decomposition(NamedTuple):
    """Brier score = miscalibration − discrimination + uncertainty, after isotonic recalibration."""

    miscalibration: float
    discrimination: float
    uncertainty: float


class Calibration(TableCurve):
    """A reliability curve. All arrays run over the bins that have rows: mean `forecast`, `observed` share of positives
    with Wilson limits `low` and `high`, `sizes`, and the `edges` (from, to).
    """

    __slots__ = ("_memory", "_starts", "binning", "bins", "confidence", "forecast", "high", "low", "observed", "sizes")
    _shape: ClassVar[str] = "reliability-curve"
    _options: ClassVar[tuple[str, ...]] = ("bins", "binning", "confidence")
    bins: int
    binning: Grouping
    confidence: float
    forecast: Floats
    observed: Floats
    low: Floats
    high: Floats
    sizes: Floats
    _starts: NDArray[np.intp]
    # Fits of the logistic model, which take longer than all else: pictures, words and records ask for the same ones.
    _memory: dict[Any, Any]

    def __init__(
        self,
        table: ScoreTable,
        *,
        name: str = "",
        bins: int = 10,
        binning: Grouping = "width",
        confidence: float = 0.95,
    ) -> None:
        super().__init__(table, name=name)
        need_probabilities(table, "a calibration curve")
        check_word(binning, ("width", "mass", "isotonic"), "binning")
        level = check_confidence(confidence)
        table = middled(table)
        if binning == "isotonic":
            starts = pooled_blocks(table.positives, table.negatives)
        else:
            place = bin_places(table, bins, binning)
            starts = np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))

        def summed(values: Any) -> Floats:
            return np.add.reduceat(np.asarray(values, dtype=np.float64), starts)

        up, down = summed(table.positives), summed(table.negatives)
        sizes = up + down
        squares = None if table.squares is None else (summed(table.squares[0]), summed(table.squares[1]))
        rows = rows_for_interval(up, down, squares)
        low, high = limits(up / sizes * rows, rows, "wilson", level)
        self._set(
            bins=int(bins), binning=binning, confidence=level, _starts=starts, sizes=sizes, observed=up / sizes,
            forecast=summed((table.positives + table.negatives) * table.scores) / sizes, low=low, high=high,
            _memory={},
        )  # fmt: skip

    @property
    def _read(self) -> ScoreTable:
        """The table whose scores are read as forecasts: those of a bin at its middle."""
        return middled(self.table)

    def _binned(self) -> str:
        if self.table.exact or self.table.uppers is None:
            return super()._binned()
        off = float((self.table.uppers - self.table.scores).max()) / 2
        return f"binned scores: forecasts are read at the middle of their bin, {off:.2g} off at most"

    @property
    def edges(self) -> tuple[Floats, Floats]:
        """From which forecast to which each bin goes: its fixed edges, or the forecasts at its ends."""
        if self.binning == "width":
            place = bin_places(self._read, self.bins, "width")[self._starts]
            return place / self.bins, (place + 1) / self.bins
        ends = np.append(self._starts[1:], len(self.table.scores)) - 1
        return self._read.scores[self._starts], self._read.scores[ends]

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

    def _fitted(self, make: Callable[..., Interval], method: RecalibrationMethod, confidence: float) -> Interval:
        """A figure of the logistic model, fitted once; all of them read the same logits."""
        check_word(method, METHODS, "method")
        key = (make, method, check_confidence(confidence))
        if "logits" not in self._memory:
            self._memory["logits"] = LogitTable.of(self._read)
        if key not in self._memory:
            self._memory[key] = make(self._read, method=method, confidence=key[2], logits=self._memory["logits"])
        return self._told(self._memory[key])

    def spiegelhalter(self) -> Test:
        """Is the Brier score what calibrated forecasts would have? z = Σ(y − p)(1 − 2p) / √Σ(1 − 2p)²p(1 − p)."""
        return self._also(spiegelhalter_test(self._read))

    def ece(
        self, *, bins: int | None = None, binning: Binning | None = None, replicates: int = 2000, rng: Any = None
    ) -> CalibrationError:
        """The expected calibration error beside its value under perfect calibration, which is not 0.

        >>> error = calibration([1, 0, 0, 1], [0.85, 0.85, 0.15, 0.15]).ece()
        >>> round(error.estimate, 4), round(error.expected, 4)
        (0.35, 0.2168)
        """
        kind: Binning = binning or ("mass" if self.binning == "mass" else "width")
        made = calibration_error(self._read, bins=bins or self.bins, binning=kind, replicates=replicates, rng=rng)
        return self._also(made)

    def _also(self, made: Told) -> Told:
        """A figure with what binning leaves open in its note."""
        binned = self._binned()
        return replace(made, note="; ".join(x for x in (made.note, binned) if x)) if binned else made

    def brier(self, *, confidence: float = 0.95) -> Interval:
        """The mean of (p − y)², with the interval of a mean loss."""
        return self._told(score_interval(find_measure("brier"), self.table, {}, Terms(confidence=confidence)))

    def isotonic(self) -> Floats:
        """The recalibrated probability of each distinct score (`table.scores`): the increasing fit."""
        return isotonic_shares(self.table.positives, self.table.negatives)

    def decomposition(self) -> Decomposition:
        """Brier score = miscalibration − discrimination + uncertainty, from the isotonic fit, without bins.

        Miscalibration is what recalibrating would save on these rows, discrimination what the recalibrated forecasts
        save against always forecasting the prevalence q, uncertainty q(1 − q). Source: Dimitriadis, Gneiting and
        Jordan 2021, PNAS 118:e2016191118.

        >>> [round(x, 3) for x in calibration([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8]).decomposition()]
        [0.075, 0.125, 0.25]
        """
        q = self.prevalence
        own, best, fixed = (self._squared(p) for p in (self._read.scores, self.isotonic(), np.array(q)))
        return Decomposition(own - best, fixed - best, q * (1 - q))

    def histogram(self, bins: int = 20) -> tuple[Floats, Floats, Floats]:
        """Edges of equal bins over [0, 1], and the positives and negatives in each, for the picture's margin."""
        if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
            raise InputError(f"bins={bins!r} must be a whole number from 1 up, such as 20")
        place = bin_places(self._read, bins, "width")
        sums = [np.bincount(place, weights=c, minlength=bins) for c in (self.table.positives, self.table.negatives)]
        return np.arange(bins + 1) / bins, sums[0].astype(np.float64), sums[1].astype(np.float64)

    def _figures(self) -> list[tuple[str, object]]:
        return [
            ("the share of positives in a bin", "wilson"),
            ("the slope", self.slope()),
            ("calibration in the large", self.in_the_large()),
            ("Spiegelhalter's z", self.spiegelhalter()),
            ("the expected calibration error", self.ece()),
        ]

    def records(self) -> list[dict[str, object]]:
        """One record for each bin that has rows."""
        columns = (*self.edges, self.sizes, self.forecast, self.observed, self.low, self.high)
        names = ("from", "to", "n", "forecast", "observed", "low", "high")
        return [dict(zip(names, (float(v) for v in row), strict=True)) for row in zip(*columns, strict=True)]

    def _words(self) -> str:
        slope, large, test = self.slope(), self.in_the_large(), self.spiegelhalter()
        outside = int(((self.forecast < self.low) | (self.forecast > self.high)).sum())
        return (
            f"Calibration{self._subject()}, {whole(self.table.n)} rows: slope {number(slope.estimate)} "
            f"{bracket(slope.low, slope.high)} (1 is right), in the large {number(large.estimate)} "
            f"{bracket(large.low, large.high)} (0 is right).\n{outside} of {len(self.forecast)} bins have their mean "
            f"forecast outside the interval of what was observed; Spiegelhalter's z {number(test.statistic)}, "
            f"{p_value(test.p_value)}.\n{self.ece()}"
        )

    def _squared(self, p: Floats) -> float:
        total = self.table.positives * (1 - p) ** 2 + self.table.negatives * p**2
        return float(np.sum(total)) / self.table.n
