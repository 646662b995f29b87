"""Intervals and p-values from bootstrap replicates, however these were drawn.

Every function takes the estimate on the sample and the replicates of the same statistic; BCa also takes how far each
row, or each cell of equal rows, moves the statistic.

Source: Efron 1987, JASA 82:171; Davison and Hinkley 1997, Bootstrap Methods and their Application, chapter 5.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs._arrays import Floats
from trueerror.results import Alternative
from trueerror.results._values import Note

Limits = tuple[float, float]
# linear    NumPy's default, R's type 7
# weibull   the (B + 1)·share-th in size, between neighbours linear: R's type 6
# r-boot    the same place, between neighbours on the normal scale: boot.ci of R's package boot
# order     the ⌈B·share⌉-th in size, no interpolation
Quantile = Literal["linear", "weibull", "r-boot", "order"]
# half      a replicate equal to the estimate lies half below it: right for statistics that take few values
# strict    it does not lie below: R's boot
Ties = Literal["half", "strict"]
BootstrapMethod = Literal["bca", "percentile", "basic", "normal"]
NUMPY_NAMES: dict[str, Literal["linear", "weibull", "inverted_cdf"]] = {
    "linear": "linear",
    "weibull": "weibull",
    "order": "inverted_cdf",
}


# Above this share of replicates without a value the bootstrap is not to be trusted.
MOST_LOST = 0.01


class Unfit(Exception):
    """The replicates give no interval; the note says why."""

    def __init__(self, note: str | Note) -> None:
        super().__init__(str(note))
        self.note = note


def with_a_value(values: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which replicates have a value, and the share that has none; `Unfit` where that is too large, or all are alike."""
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        raise Unfit(Note("lost-resamples", (round(lost, 3),)))
    if float(values[known].min()) == float(values[known].max()):
        raise Unfit("the resamples have no spread")
    return known, lost


def bootstrap_limits(
    estimate: float,
    replicates: Floats,
    *,
    tail: float,
    method: BootstrapMethod = "bca",
    influences: Floats | None = None,
    counts: NDArray[Any] | None = None,
    ties: Ties = "half",
    quantile: Quantile = "linear",
) -> Limits:
    """Both limits, each with `tail` beyond it: α/2 for a two-sided interval, α for a one-sided one.

    percentile: the quantiles of the replicates. basic: the same, reflected about the estimate. normal: estimate − bias
    ± z·sd. bca: percentiles moved for median bias and skewness, which needs `influences` (of one row in each cell, when
    `counts` says how many rows each cell has).

    >>> low, high = bootstrap_limits(2.0, np.arange(5.0), tail=0.25, method="percentile")
    >>> low, high
    (1.0, 3.0)
    """
    if method == "normal":
        centre, half = 2 * estimate - float(replicates.mean()), -float(special.ndtri(tail)) * replicates.std(ddof=1)
        return centre - float(half), centre + float(half)
    shares = (tail, 1 - tail)
    if method == "bca":
        z0 = bias_correction(estimate, replicates, ties)
        a = 0.0 if influences is None else acceleration(influences, counts)
        shares = bca_shares(tail, z0, a)
    low, high = (float(q) for q in quantiles(replicates, np.array(shares), quantile))
    return (2 * estimate - high, 2 * estimate - low) if method == "basic" else (low, high)


def bias_correction(estimate: float, replicates: Floats, ties: Ties = "half") -> float:
    """z₀, the normal quantile of the share of replicates below the estimate.

    When none or all lie below, half a replicate is put there, since an infinite z₀ leaves no interval.
    """
    share = float((replicates < estimate).mean())
    if ties == "half":
        share += 0.5 * float((replicates == estimate).mean())
    edge = 0.5 / len(replicates)
    return float(special.ndtri(min(max(share, edge), 1 - edge)))


def acceleration(influences: Floats, counts: NDArray[Any] | None = None) -> float:
    """a = Σ n·u³/(6·(Σ n·u²)^1.5), u the influence of a row, n the rows with that influence; 0 when nothing varies.

    Jackknife values θ₍ᵢ₎ serve as influences mean(θ₍.₎) − θ₍ᵢ₎.

    >>> round(acceleration(np.array([-1.0, 0.0, 4.0])), 4)
    0.1498
    """
    n = np.ones(len(influences)) if counts is None else np.asarray(counts, dtype=np.float64)
    size = float(np.abs(influences).max(initial=0.0))
    if not size > 0:
        return 0.0
    u = influences / size
    return float((n * u**3).sum() / (6 * (n * u**2).sum() ** 1.5))


def bca_shares(tail: float, z0: float, a: float) -> Limits:
    """The shares of replicates below the two limits: Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) at z = ±z_tail."""

    def moved(z: float) -> float:
        room = 1 - a * (z0 + z)
        # Beyond the pole the formula turns back; the limit there is the last replicate.
        return float(special.ndtr(z0 + (z0 + z) / room)) if room > 0 else float(z0 + z > 0)

    z = float(special.ndtri(tail))
    return moved(z), moved(-z)


def quantiles(replicates: Floats, shares: Floats, convention: Quantile = "linear") -> Floats:
    """Quantiles of the replicates under one of the conventions above."""
    if convention != "r-boot":
        # Rounded: 1000 · 0.95 must not become 950.0000000001 and so the 951st.
        out: Floats = np.quantile(replicates, np.round(shares, 12), method=NUMPY_NAMES[convention])
        return out
    ranked, size = np.sort(replicates), len(replicates)
    place = (size + 1) * shares
    below = np.clip(np.floor(place), 1, size - 1).astype(np.int64)
    ends = [special.ndtri(k / (size + 1)) for k in (below, below + 1)]
    weight = np.clip((special.ndtri(shares) - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0)
    return np.asarray(ranked[below - 1] + weight * (ranked[below] - ranked[below - 1]))


def bootstrap_p(
    estimate: float,
    replicates: Floats,
    *,
    alternative: Alternative = "two-sided",
    method: BootstrapMethod = "bca",
    influences: Floats | None = None,
    counts: NDArray[Any] | None = None,
    ties: Ties = "half",
) -> float:
    """The level at which the interval of this method just reaches 0; never below 1/(1 + B).

    Percentile: p for "greater" is (1 + the replicates at or below 0)/(1 + B). Basic reflects the replicates about the
    estimate first, BCa moves the share back by its formula, normal takes the bias-corrected z.
    """

    def one_sided(sign: float) -> float:
        """Of the differences that `sign` makes positive."""
        if method == "normal":
            centre = sign * (2 * estimate - float(replicates.mean()))
            sd = float(replicates.std(ddof=1))
            return float(special.ndtr(-centre / sd)) if sd > 0 else float(centre <= 0)
        draws = 2 * estimate - replicates if method == "basic" else replicates
        share = (1 + int((sign * draws <= 0).sum())) / (1 + len(replicates))
        if method != "bca" or share == 1:
            return share
        # With the replicates' sign turned, so are z₀ and a.
        z0 = sign * bias_correction(estimate, replicates, ties)
        a = 0.0 if influences is None else sign * acceleration(influences, counts)
        w = float(special.ndtri(share)) - z0
        room = 1 + a * w
        return float(special.ndtr(w / room - z0)) if room > 0 else 0.0

    greater, less = one_sided(1.0), one_sided(-1.0)
    p = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}[alternative]
    return min(1.0, max(p, 1 / (1 + len(replicates))))
