"""Tests and summary errors of calibration: Spiegelhalter's z, and the ECE beside what chance alone would show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word, generator
from trueerror.kernels.threads import block_sums
from trueerror.results import Result, Test
from trueerror.results.words import folded, number, p_value
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
Binning = Literal["width", "mass"]
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


def bin_places(table: ScoreTable, bins: int, binning: Binning) -> NDArray[np.int64]:
    """The bin of each distinct score: equal widths over [0, 1], closed on the right, or about equally many rows."""
    check_word(binning, ("width", "mass"), "binning")
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or not 1 <= bins <= 1_000_000:
        raise InputError(f"bins={bins!r} must be a whole number from 1 up, such as 10")
    if binning == "width":
        edges = np.arange(1, bins) / bins
        if len(table.scores) < bins:
            return np.searchsorted(edges, table.scores, side="left").astype(np.int64)
        # Scores ascend, so each bin is a stretch of them.
        ends = np.concatenate(([0], np.searchsorted(table.scores, edges, side="right"), [len(table.scores)]))
        return np.repeat(np.arange(bins, dtype=np.int64), np.diff(ends))
    mass = (table.positives + table.negatives).astype(np.float64)
    middle = np.cumsum(mass) - mass / 2
    place: NDArray[np.int64] = np.minimum(middle * (bins / float(mass.sum())), bins - 1).astype(np.int64)
    return place


def calibration_error(
    table: ScoreTable, *, bins: int = 10, binning: Binning = "width", replicates: int = 2000, rng: Any = None
) -> CalibrationError:
    """Σ (rows of a bin / n)·|share of positives − mean forecast|, and its distribution under perfect calibration.

    There each row is positive with the probability that was forecast, so the number of positives of a bin is a sum of
    independent Bernoulli variables: its distribution is exact for bins of up to 5,000 rows with a variance below 100,
    normal beyond. The mean is computed, the p-value (1 + count of ≥)/(1 + B) from draws. Source: Naeini, Cooper and
    Hauskrecht 2015, AAAI:2901; Bröcker and Smith 2007, Weather Forecast. 22:651.
    """
    place = bin_places(table, bins, binning)
    rows = (table.positives + table.negatives).astype(np.float64)
    n = float(rows.sum())

    def summed(values: Any) -> Floats:
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
