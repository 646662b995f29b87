"""The covariance of areas under ROC curves from placements: DeLong's estimator, by one sort a model; and how far one
more row at each score moves a metric of scores (its first derivatives, in one pass over the table).

With m positives and n negatives, V10 of a positive is the share of negatives that it beats and V01 of a negative the
share of positives that beat it (ties half); the area is the mean of either, and the covariance of two areas is
S10/m + S01/n, where S10 and S01 are the sample covariances of the placements.

Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; the mid-rank form is Sun and Xu 2014,
IEEE Signal Process. Lett. 21:1389.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels import chosen
from trueerror.kernels._numpy import in_threads
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import Binning, bin_places
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import ScoreTable

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

    def parts(self, weights: Sequence[float] | Floats) -> tuple[float, float]:
        """What the positives and the negatives add to the variance of Σ w·area."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = (float(w @ part @ w) for part in (self.among_positives, self.among_negatives))
        # A difference of identical models leaves rounding dust, which must not pass for a variance.
        if of_positives + of_negatives <= 1e-14 * float((w * w) @ np.diag(self.covariance)):
            of_positives = of_negatives = 0.0
        return of_positives, of_negatives

    def contrast(self, weights: Sequence[float] | Floats) -> tuple[float, float, float]:
        """Σ w·area, its variance and its Satterthwaite degrees of freedom."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = self.parts(w)
        return (
            float(w @ self.areas),
            of_positives + of_negatives,
            satterthwaite((of_positives, self.positives - 1), (of_negatives, self.negatives - 1)),
        )


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
    positives = np.flatnonzero(positive)
    negatives = np.flatnonzero(~positive)
    m, n = len(positives), len(negatives)
    over_positives = np.empty((len(scores), m))
    over_negatives = np.empty((len(scores), n))
    kernels = chosen(len(positive))

    def place(i: int) -> None:
        twice = kernels.placements(scores[i], positive)
        # "clip" writes straight into the row; no index is out of range.
        twice.take(positives, out=over_positives[i], mode="clip")
        twice.take(negatives, out=over_negatives[i], mode="clip")

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


def delong_from_table(table: ScoreTable) -> AreaCovariance:
    """One model from its score table: how many positives and negatives have each distinct score, ascending.

    >>> delong_from_table(ScoreTable.count([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])).areas
    array([0.75])
    """
    m, n = int(table.n_positive), int(table.n_negative)
    twice, among_positives, among_negatives = table.placement_sums()
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


class ScoreInfluences(NamedTuple):
    """By one more positive, and by one more negative, at each distinct score."""

    positives: Floats
    negatives: Floats


def score_influences(
    measure: Measure, table: ScoreTable, options: MetricOptions | None = None, *, share: float | None = None
) -> ScoreInfluences | None:
    """∂θ/∂(rows at each score) for the metrics of ranks and of calibration; None for any other metric.

    Σ over the rows is 0, since θ does not change when every row is there twice. Where θ has a kink (a bin of `ece` that
    is calibrated to the last digit) the slope is that of the side with more positives. With `share`, θ is the metric
    when that share of the rows is positive, each class counting by its own rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> table = ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7])
    >>> made = score_influences(find_measure("auc"), table)
    >>> made.positives.tolist(), made.negatives.tolist()
    ([-0.25, 0.0, 0.25], [0.25, 0.0, -0.25])
    """
    derivatives = _DERIVATIVES.get(measure.name)
    if derivatives is None or not table.n_positive or not table.n_negative or share in (0, 1):
        return None
    positives, negatives = (np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives))
    if share is None:
        return derivatives(_Counts(table.scores, positives, negatives), **(options or {}))
    # One more row of a class makes all others of it count less.
    scales = share / float(positives.sum()), (1 - share) / float(negatives.sum())
    found = derivatives(_Counts(table.scores, positives * scales[0], negatives * scales[1]), **(options or {}))
    one, two = (
        scale * (slopes - float((rows * slopes).sum()) / float(rows.sum()))
        for slopes, rows, scale in zip(found, (positives, negatives), scales, strict=True)
    )
    return ScoreInfluences(one, two)


class _Counts(NamedTuple):
    """Distinct scores with their (weighted) rows of either class."""

    scores: Floats
    positives: Floats
    negatives: Floats

    @property
    def totals(self) -> tuple[float, float]:
        return float(self.positives.sum()), float(self.negatives.sum())


def _auc(t: _Counts, scale: float = 1.0) -> ScoreInfluences:
    """A = Σ u·(negatives below + ties/2)/(PN): a row's placement less the area, over its class."""
    m, n = t.totals
    beats = (np.cumsum(t.negatives) - t.negatives / 2) / n
    beaten = (m - np.cumsum(t.positives) + t.positives / 2) / m
    area = float((t.positives * beats).sum()) / m
    return ScoreInfluences(scale * ((beats - area) / m), scale * ((beaten - area) / n))


def precision_influences(positives: Floats, negatives: Floats) -> tuple[float, ScoreInfluences]:
    """AP = Σ u·F/C over P, with F positives and C rows at or above a score, and its derivatives: F and C grow for all
    scores below a row."""
    m = float(positives.sum())
    found = np.cumsum(positives[::-1])[::-1]
    called = found + np.cumsum(negatives[::-1])[::-1]
    called = np.where(called == 0, 1, called)
    precision = found / called
    weight = positives / called
    value = float((positives * precision).sum()) / m
    # What a positive gains, u·(C − F)/C², is what a row costs, u·F/C², taken from u/C.
    lost = np.cumsum(weight * precision)
    gained = np.cumsum(weight)
    gained -= lost
    gained += precision
    gained -= value
    gained /= m
    lost /= -m
    return value, ScoreInfluences(gained, lost)


def _average_precision(t: _Counts) -> ScoreInfluences:
    return precision_influences(t.positives, t.negatives)[1]


def _brier_skill_score(t: _Counts) -> ScoreInfluences:
    """1 − Σ(s − y)²·n/(PN), since the climate's Brier score is PN/n²."""
    (m, n), at_positive, at_negative = t.totals, (1 - t.scores) ** 2, t.scores**2
    squares = float((t.positives * at_positive + t.negatives * at_negative).sum())
    if not squares:
        return ScoreInfluences(np.zeros(len(t.scores)), np.zeros(len(t.scores)))
    ratio, grows = squares * (m + n) / (m * n), 1 / (m + n)
    return ScoreInfluences(
        -(ratio * (at_positive / squares + grows - 1 / m)), -(ratio * (at_negative / squares + grows - 1 / n))
    )


def _ece(t: _Counts, **bins: Any) -> ScoreInfluences:
    """Σ_bins |Σ(y − s)|/n, the bins held where they are."""
    place, gaps, sizes = _bins(t, **bins)
    total = float(sizes.sum())
    value = float(np.abs(gaps).sum()) / total
    sign = np.where(gaps < 0, -1.0, 1.0)[place]
    return ScoreInfluences((sign * (1 - t.scores) - value) / total, (-sign * t.scores - value) / total)


def _mce(t: _Counts, **bins: Any) -> ScoreInfluences:
    """|Σ(y − s)|/n of the bin where it is largest; other bins do not move it."""
    place, gaps, sizes = _bins(t, **bins)
    errors = np.abs(gaps) / np.where(sizes == 0, 1, sizes)
    worst = int(np.argmax(errors))
    sign = -1.0 if gaps[worst] < 0 else 1.0
    inside = np.where(place == worst, 1.0, 0.0) / sizes[worst]
    return ScoreInfluences(
        inside * (sign * (1 - t.scores) - errors[worst]), inside * (-sign * t.scores - errors[worst])
    )


def _bins(t: _Counts, bins: int = 10, binning: Binning = "width") -> tuple[NDArray[np.int64], Floats, Floats]:
    rows = t.positives + t.negatives
    place = bin_places(t.scores, rows, bins, binning)
    gaps = np.bincount(place, weights=t.positives - rows * t.scores, minlength=bins)
    return place, gaps.astype(np.float64), np.bincount(place, weights=rows, minlength=bins).astype(np.float64)


_DERIVATIVES: dict[str, Callable[..., ScoreInfluences]] = {
    "auc": _auc,
    "gini": partial(_auc, scale=2.0),
    "average_precision": _average_precision,
    "brier_skill_score": _brier_skill_score,
    "ece": _ece,
    "mce": _mce,
}
