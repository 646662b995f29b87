"""The difference of a metric of scores between two models on the same rows, by drawing rows or clusters again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.options import generator
from trueerror.kernels.draws import row_weights, seed_of
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import contrast, tail_area
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.bootstrap import bootstrap_limits, bootstrap_p

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
# Numbers held at a time.
BLOCK = 1 << 21


class _Ordered:
    """One model's rows in the order of their scores, so that a replicate needs no sorting."""

    def __init__(self, up: Flags, scores: Floats) -> None:
        self.order = np.argsort(scores, kind="stable")
        self.distinct, self.starts = np.unique(scores[self.order], return_index=True)
        self.up = up[self.order]

    def masses(self, weights: Floats) -> tuple[Floats, Floats]:
        """Rows (…, n) that count so often as positives and negatives at each distinct score."""
        placed = weights[..., self.order]
        positives, negatives = (
            np.add.reduceat(placed * side, self.starts, axis=-1) for side in (self.up, ~self.up)
        )  # fmt: skip
        return positives, negatives


def paired_score_contrast(
    measure: Measure,
    up: Flags,
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[Any] | None = None,
    options: Mapping[str, Any] | None = None,
    replicates: int = 2_000,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
) -> Contrast:
    """First − second with expanded percentile limits: rows, or whole clusters, are drawn again, the same for both.

    Replicates of m rows vary like a mean with the divisor m, and percentiles read them like a normal: with few rows
    the limits are too narrow, as z·√((m − 1)/m) is for t. So the quantiles are those of Φ(−√(m/(m − 1))·t) with m − 1
    degrees of freedom, m the rows (or clusters) of the rarer class. Replicates in which the metric is undefined (a
    class without rows) are left out; where all are alike the limits are those of the rule of three. The p-value is
    the level at which a limit reaches 0.

    Source: Hesterberg 2015, The American Statistician 69:371, section 4; Efron and Tibshirani 1993, An Introduction to
    the Bootstrap, chapters 13 and 16.

    >>> from trueerror.metrics.registry import find_measure
    >>> draw = np.random.default_rng(0)
    >>> up = np.arange(60) < 30
    >>> good, poor = (draw.standard_normal(60) + pull * up for pull in (3.0, 0.3))
    >>> c = paired_score_contrast(find_measure("average_precision"), up, good, poor)
    >>> c.low > 0, c.p_value < 0.01, c.method
    (True, True, 'paired-bootstrap-expanded')
    """
    source, seed = generator(rng)
    key = seed_of(source)
    codes = np.arange(len(up)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    models = [_Ordered(up, scores) for scores in (first, second)]
    units = int(codes.max()) + 1
    (estimate,) = _differences(measure, models, np.ones((1, len(up))), options or {})
    values = _replicates(measure, models, codes, units, key, replicates, options or {})
    values = values[~np.isnan(values)]
    tail = tail_area(confidence, alternative)
    apart = [len(np.unique(codes[side])) for side in (up, ~up)]
    m = max(2, min(apart))
    limits = bootstrap_limits(float(estimate), values, tail=expanded_tail(tail, m), method="percentile")
    notes: tuple[str, ...] = (f"{replicates:,} replicates, {seed}",)
    if clusters is not None:
        notes = (f"{units:,} clusters drawn whole", *notes)
    if not limits[1] > limits[0]:
        half = sum(1 - tail ** (1 / max(k, 1)) for k in apart)
        limits = (float(estimate) - half, float(estimate) + half)
        notes = ("all replicates are alike: limits by the rule of three",)
    p = bootstrap_p(float(estimate), values, alternative=alternative, method="percentile")
    two_sided = alternative == "two-sided"
    ahead = float((values > 0).mean() + 0.5 * (values == 0).mean())
    low, high = measure.range
    return contrast(
        estimate=float(estimate), limits=limits, whole=(low - high, high - low), confidence=confidence,
        alternative=alternative, method="paired-bootstrap-expanded", statistic=float(estimate),
        p_value=min(1.0, 2 * narrowed_tail(p / 2, m)) if two_sided else narrowed_tail(p, m), n=len(up), notes=notes,
        p_better=ahead if measure.higher_is_better is not False else 1 - ahead,
    )  # fmt: skip


def expanded_tail(tail: float, rows: int) -> float:
    """Φ(−√(m/(m − 1))·t), t the upper quantile of Student's t with m − 1 degrees of freedom.

    >>> round(expanded_tail(0.025, 20), 4), round(expanded_tail(0.025, 10_000), 4)
    (0.0159, 0.025)
    """
    t = float(special.stdtrit(rows - 1, 1 - tail))
    return float(special.ndtr(-math.sqrt(rows / (rows - 1)) * t))


def narrowed_tail(tail: float, rows: int) -> float:
    """The tail whose expansion is this one.

    >>> round(narrowed_tail(expanded_tail(0.025, 20), 20), 6)
    0.025
    """
    z = -float(special.ndtri(tail))
    return float(special.stdtr(rows - 1, -z * math.sqrt((rows - 1) / rows)))


def _replicates(
    measure: Measure, models: list[_Ordered], codes: NDArray[Any], units: int, key: int, draws: int,
    options: Mapping[str, Any],
) -> Floats:  # fmt: skip
    """The difference in each replicate; a row is in it as often as its cluster."""
    step = max(1, BLOCK // max(1, len(codes)))
    parts = []
    for start in range(0, draws, step):
        drawn = [row_weights(units, key, b) for b in range(start, min(start + step, draws))]
        parts.append(_differences(measure, models, np.stack(drawn)[:, codes].astype(np.float64), options))
    return np.concatenate(parts)


def _differences(measure: Measure, models: list[_Ordered], weights: Floats, options: Mapping[str, Any]) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        one, two = (np.asarray(_values(measure, m, weights, options), dtype=np.float64) for m in models)
        return np.asarray(one - two)


def _values(measure: Measure, model: _Ordered, weights: Floats, options: Mapping[str, Any]) -> Any:
    masses = model.masses(weights)
    zeros = np.zeros(len(model.distinct), dtype=np.int64)
    # The table says where the scores lie; what counts are the masses.
    table = ScoreTable(model.distinct, zeros, zeros, positive=1)
    return measure.function(table, masses, **options)
