"""The covariance of areas under ROC curves from placements: DeLong's estimator, by one sort a model.

With m positives and n negatives, V10 of a positive is the share of negatives that it beats and V01 of a negative the
share of positives that beat it (ties half); the area is the mean of either, and the covariance of two areas is
S10/m + S01/n, where S10 and S01 are the sample covariances of the placements.

Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; the mid-rank form is Sun and Xu 2014,
IEEE Signal Process. Lett. 21:1389.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels import chosen
from trueerror.kernels.threads import in_threads
from trueerror.tallies.placements import Placements

Floats = NDArray[np.float64]

# From so many rows on, models are ranked in threads.
THREADED = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class AreaCovariance:
    """Areas of one or more models on the same rows, and both parts of their covariance.

    `among_positives` is S10/m and `among_negatives` S01/n; a part is NaN where its class has a single row.
    """

    areas: Floats
    among_positives: Floats
    among_negatives: Floats
    positives: int
    negatives: int

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the areas."""
        return self.among_positives + self.among_negatives

    def contrast(self, weights: Sequence[float] | Floats) -> tuple[float, float, float]:
        """Σ w·area, its variance and its Satterthwaite degrees of freedom."""
        w = np.asarray(weights, dtype=np.float64)
        up, down = (float(w @ part @ w) for part in (self.among_positives, self.among_negatives))
        # A difference of identical models leaves rounding dust, which must not pass for a variance.
        if up + down <= 1e-14 * float((w * w) @ np.diag(self.covariance)):
            up = down = 0.0
        return float(w @ self.areas), up + down, satterthwaite((up, self.positives - 1), (down, self.negatives - 1))


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of independent variances: V² / Σ v²/df, from (v, df) pairs; NaN when V is 0.

    >>> satterthwaite((2.0, 10), (2.0, 10))
    20.0
    """
    total = sum(v for v, _ in parts)
    if not total > 0:
        return float("nan")
    return total * total / sum(v * v / df for v, df in parts if v > 0)


def delong_covariance(positive: NDArray[np.bool_], scores: Sequence[NDArray[Any]]) -> AreaCovariance:
    """Areas and covariance of several score columns over the same rows.

    >>> truth = np.array([False, False, True, True])
    >>> delong_covariance(truth, [np.array([0.1, 0.4, 0.35, 0.8])]).areas
    array([0.75])
    """
    up = np.flatnonzero(positive)
    down = np.flatnonzero(~positive)
    m, n = len(up), len(down)
    over_positives = np.empty((len(scores), m))
    over_negatives = np.empty((len(scores), n))
    kernels = chosen(len(positive))

    def place(i: int) -> None:
        twice = kernels.placements(scores[i], positive)
        # "clip" writes straight into the row; no index is out of range.
        twice.take(up, out=over_positives[i], mode="clip")
        twice.take(down, out=over_negatives[i], mode="clip")

    if len(positive) < THREADED:
        for i in range(len(scores)):
            place(i)
    else:
        in_threads(place, range(len(scores)))
    # Doubled placements are whole numbers, so this sum is exact up to 2⁵³ and the area has one rounding.
    areas = over_positives.sum(axis=1) / (2.0 * m * n)
    return AreaCovariance(
        areas=areas,
        among_positives=_spread(over_positives, 2.0 * n, areas),
        among_negatives=_spread(over_negatives, 2.0 * m, areas),
        positives=m,
        negatives=n,
    )


def _spread(twice: Floats, unit: float, areas: Floats) -> Floats:
    """The sample covariance of placements over their number; overwrites its input."""
    size = twice.shape[1]
    if size < 2:
        return np.full((len(areas), len(areas)), np.nan)
    twice /= unit
    twice -= areas[:, None]
    spread: Floats = (twice @ twice.T) / ((size - 1.0) * size)
    return spread


def delong_from_table(positives: NDArray[Any], negatives: NDArray[Any]) -> AreaCovariance:
    """One model from its score table: how many positives and negatives have each distinct score, ascending.

    >>> delong_from_table(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0])).areas
    array([0.75])
    """
    m, n = int(positives.sum()), int(negatives.sum())
    twice, among_positives, among_negatives = chosen(len(positives)).placement_sums(positives, negatives)
    return AreaCovariance(
        areas=np.array([twice / (2.0 * m * n)]),
        among_positives=_mean_square(among_positives, m),
        among_negatives=_mean_square(among_negatives, n),
        positives=m,
        negatives=n,
    )


def delong_from_placements(found: Placements) -> AreaCovariance:
    """Several models from the sums of their placements, which were counted where the rows are."""
    parts = [
        sums / ((size - 1.0) * size) if size > 1 else np.full(sums.shape, np.nan)
        for sums, size in ((found.among_positives, found.positives), (found.among_negatives, found.negatives))
    ]
    return AreaCovariance(found.areas, parts[0], parts[1], found.positives, found.negatives)


def _mean_square(total: float, size: int) -> Floats:
    if size < 2:
        return np.full((1, 1), np.nan)
    # Equal placements leave the square of a rounding error, which must not pass for a variance.
    return np.array([[total / ((size - 1.0) * size) if total > 1e-30 * size else 0.0]])
