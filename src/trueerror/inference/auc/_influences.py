"""How far one more row at each score moves a metric of scores: its first derivatives, in one pass over the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import Binning, bin_places
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]


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
    influences = derivatives(_Counts(table.scores, positives * scales[0], negatives * scales[1]), **(options or {}))
    one, two = (
        scale * (slopes - float((rows * slopes).sum()) / float(rows.sum()))
        for slopes, rows, scale in zip(influences, (positives, negatives), scales, strict=True)
    )
    return ScoreInfluences(one, two)


def score_units(
    measure: Measure, table: ScoreTable, options: MetricOptions | None = None, *, share: float | None = None
) -> ScoreInfluences | None:
    """What one row at each score adds to θ: (n − 1)/n times what is lost without it, where that is known exactly.

    Of other metrics it is the derivative, which is the same to first order. n counts the rows, or with `share` those of
    the class; with weights it is that of a row of the mean weight, as if it weighed 1.

    >>> from trueerror.metrics._registry import find_measure
    >>> made = score_units(find_measure("average_precision"), ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7]))
    >>> made.positives.round(3).tolist(), made.negatives.round(3).tolist()
    ([-0.111, 0.0, 0.222], [0.0, -0.111, 0.0])
    """
    if measure.name not in _LEFT_OUT:
        return score_influences(measure, table, options, share=share)
    if not table.n_positive or not table.n_negative or share in (0, 1):
        return None
    # What a row of the mean weight adds, over its weight.
    weight = 1.0 if table.squares is None else float(table.squares.sum()) / float(table.n)
    positives, negatives = (np.asarray(x, dtype=np.float64) / weight for x in (table.positives, table.negatives))
    one, two = _LEFT_OUT[measure.name](positives, negatives, share)
    return ScoreInfluences(one / weight, two / weight)


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
    # Each array gives way to the next: of ten million scores one takes 80 MB.
    precision, called = np.empty_like(positives), np.empty_like(positives)
    np.cumsum(positives[::-1], out=precision[::-1])
    np.cumsum(negatives[::-1], out=called[::-1])
    called += precision
    called[called == 0] = 1
    precision /= called
    weight = np.divide(positives, called, out=called)
    value = float((positives * precision).sum()) / m
    # What a positive gains, u·(C − F)/C², is what a row costs, u·F/C², taken from u/C.
    lost = weight * precision
    np.cumsum(lost, out=lost)
    gained = np.cumsum(weight, out=weight)
    gained -= lost
    gained += precision
    gained -= value
    gained /= m
    lost /= -m
    return value, ScoreInfluences(gained, lost)


def precision_left_out(positives: Floats, negatives: Floats, share: float | None = None) -> ScoreInfluences:
    """AP less that without a positive, and without a negative, at each score.

    A row takes itself out of F and C at all scores up to its own; with `share` the other rows of its class then weigh
    more, so that the class keeps its part.
    """
    m, n = float(positives.sum()), float(negatives.sum())
    up, down = (1.0, 1.0) if share is None else (share * (m + n) / m, (1 - share) * (m + n) / n)
    more = (1.0, 1.0) if share is None else (m / max(m - 1, 1.0), n / max(n - 1, 1.0))
    hits, calls = (np.cumsum(x[::-1])[::-1] for x in (positives, negatives))

    def precision(f: Floats, d: Floats) -> Floats:
        called = f + d
        return np.divide(f, called, out=np.zeros_like(called), where=called > 0)

    def without(kept: Floats, less: Floats, rows: float) -> Floats:
        """The mean over positives, of those above each score as they were and of those up to it with one row less."""
        whole, changed = positives * kept, np.cumsum(positives * less)
        return np.asarray((float(whole.sum()) - np.cumsum(whole) + changed) / max(rows, 1.0))

    value = float((positives * precision(up * hits, down * calls)).sum()) / m
    own = precision(up * more[0] * (hits - 1), down * calls)
    without_positive = without(precision(up * more[0] * hits, down * calls), own, m - 1) - own / max(m - 1, 1.0)
    fewer = precision(up * hits, down * more[1] * np.maximum(calls - 1, 0.0))
    without_negative = without(precision(up * hits, down * more[1] * calls), fewer, m)
    sizes = (m + n, m + n) if share is None else (m, n)
    return ScoreInfluences(
        np.where(positives > 0, (sizes[0] - 1) / sizes[0] * (value - without_positive), 0.0),
        np.where(negatives > 0, (sizes[1] - 1) / sizes[1] * (value - without_negative), 0.0),
    )


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
# Metrics of which a row is left out exactly.
_LEFT_OUT = {"average_precision": precision_left_out}
