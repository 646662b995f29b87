"""How far one more row at each score moves a metric of scores: its first derivatives, in one pass over the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.metrics.probabilities import bin_places
from trueerror.metrics.registry import Measure
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]


class ScoreInfluences(NamedTuple):
    """By one more positive, and by one more negative, at each distinct score."""

    positives: Floats
    negatives: Floats


def score_influences(
    measure: Measure, table: ScoreTable, options: Mapping[str, Any] | None = None, *, share: float | None = None
) -> ScoreInfluences | None:
    """∂θ/∂(rows at each score) for the metrics of ranks and of calibration; None for any other metric.

    Σ over the rows is 0, since θ does not change when every row is there twice. Where θ has a kink (a bin of `ece` that
    is calibrated to the last digit) the slope is that of the side with more positives. With `share`, θ is the metric
    when that share of the rows is positive, each class counting by its own rows.

    >>> from trueerror.metrics.registry import find_measure
    >>> table = ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7])
    >>> made = score_influences(find_measure("auc"), table)
    >>> made.positives.tolist(), made.negatives.tolist()
    ([-0.25, 0.0, 0.25], [0.25, 0.0, -0.25])
    """
    make = _KNOWN.get(measure.name)
    if make is None or not table.n_positive or not table.n_negative:
        return None
    up, down = (np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives))
    if share in (0, 1):
        return None
    if share is None:
        return make(table.scores, up, down, dict(options or {}))
    # One more row of a class makes all others of it count less.
    scales = share / float(up.sum()), (1 - share) / float(down.sum())
    found = make(table.scores, up * scales[0], down * scales[1], dict(options or {}))
    one, two = (
        scale * (slopes - float((mass * slopes).sum()) / float(mass.sum()))
        for slopes, mass, scale in zip(found, (up, down), scales, strict=True)
    )
    return ScoreInfluences(one, two)


def _auc(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    """A = Σ u·(negatives below + ties/2)/(PN): a row's placement less the area, over its class."""
    m, n = float(up.sum()), float(down.sum())
    beats = (np.cumsum(down) - down / 2) / n
    beaten = (m - np.cumsum(up) + up / 2) / m
    area = float((up * beats).sum()) / m
    return ScoreInfluences((beats - area) / m, (beaten - area) / n)


def _gini(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    found = _auc(scores, up, down, options)
    return ScoreInfluences(2 * found.positives, 2 * found.negatives)


def _average_precision(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    """AP = Σ u·F/C over P, with F positives and C rows at or above a score: F and C grow for all scores below a row."""
    m = float(up.sum())
    found = np.cumsum(up[::-1])[::-1]
    called = found + np.cumsum(down[::-1])[::-1]
    called = np.where(called == 0, 1, called)
    precision = found / called
    weight = up / called
    value = float((up * precision).sum()) / m
    # What a positive gains, up·(C − F)/C², is what a row costs, up·F/C², taken from up/C.
    lost = np.cumsum(weight * precision)
    gained = np.cumsum(weight)
    gained -= lost
    gained += precision
    gained -= value
    gained /= m
    lost /= -m
    return ScoreInfluences(gained, lost)


def _brier_skill_score(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    """1 − Σ(s − y)²·n/(PN), since the climate's Brier score is PN/n²."""
    m, n = float(up.sum()), float(down.sum())
    squares = float((up * (1 - scores) ** 2 + down * scores**2).sum())
    ratio = squares * (m + n) / (m * n)
    grows = 1 / (m + n)
    positives = ratio * ((1 - scores) ** 2 / squares + grows - 1 / m) if squares else np.zeros(len(scores))
    negatives = ratio * (scores**2 / squares + grows - 1 / n) if squares else np.zeros(len(scores))
    return ScoreInfluences(-positives, -negatives)


def _ece(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    """Σ_bins |Σ(y − s)|/n, the bins held where they are."""
    place, gaps, sizes = _bins(scores, up, down, options)
    total = float(sizes.sum())
    value = float(np.abs(gaps).sum()) / total
    sign = np.where(gaps < 0, -1.0, 1.0)[place]
    return ScoreInfluences((sign * (1 - scores) - value) / total, (-sign * scores - value) / total)


def _mce(scores: Floats, up: Floats, down: Floats, options: dict[str, Any]) -> ScoreInfluences:
    """|Σ(y − s)|/n of the bin where it is largest; other bins do not move it."""
    place, gaps, sizes = _bins(scores, up, down, options)
    shares = np.abs(gaps) / np.where(sizes == 0, 1, sizes)
    worst = int(np.argmax(shares))
    sign = -1.0 if gaps[worst] < 0 else 1.0
    inside = np.where(place == worst, 1.0, 0.0) / sizes[worst]
    return ScoreInfluences(
        inside * (sign * (1 - scores) - shares[worst]), inside * (-sign * scores - shares[worst])
    )  # fmt: skip


def _bins(
    scores: Floats, up: Floats, down: Floats, options: dict[str, Any]
) -> tuple[NDArray[np.int64], Floats, Floats]:
    mass, bins = up + down, int(options.get("bins", 10))
    place = bin_places(scores, mass, bins, options.get("binning", "width"))
    gaps = np.bincount(place, weights=up - mass * scores, minlength=bins)
    return place, gaps.astype(np.float64), np.bincount(place, weights=mass, minlength=bins).astype(np.float64)


_KNOWN: dict[str, Callable[[Floats, Floats, Floats, dict[str, Any]], ScoreInfluences]] = {
    "auc": _auc,
    "gini": _gini,
    "average_precision": _average_precision,
    "brier_skill_score": _brier_skill_score,
    "ece": _ece,
    "mce": _mce,
}
