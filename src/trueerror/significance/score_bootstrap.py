"""The difference of a metric of scores between two models on the same rows, by drawing rows or clusters again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.options import generator
from trueerror.kernels.draws import seed_of
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import contrast, tail_area
from trueerror.significance.score_resamples import paired_replicates
from trueerror.variances.bootstrap import bootstrap_limits, bootstrap_p

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    estimate, values, how = paired_replicates(
        measure, up, first, second, draws=replicates, seed=key, clusters=codes, options=options
    )
    values = values[~np.isnan(values)]
    tail = tail_area(confidence, alternative)
    apart = [int(side.sum()) if codes is None else len(np.unique(codes[side])) for side in (up, ~up)]
    m = max(2, min(apart))
    limits = bootstrap_limits(estimate, values, tail=expanded_tail(tail, m), method="percentile")
    notes: tuple[str, ...] = (f"{replicates:,} replicates, {seed}",)
    if how:
        notes = (how, *notes)
    if codes is not None:
        notes = (f"{int(codes.max()) + 1:,} clusters drawn whole", *notes)
    if not limits[1] > limits[0]:
        half = sum(1 - tail ** (1 / max(k, 1)) for k in apart)
        limits = (estimate - half, estimate + half)
        notes = ("all replicates are alike: limits by the rule of three",)
    p = bootstrap_p(estimate, values, alternative=alternative, method="percentile")
    two_sided = alternative == "two-sided"
    ahead = float((values > 0).mean() + 0.5 * (values == 0).mean())
    low, high = measure.range
    return contrast(
        estimate=estimate, limits=limits, whole=(low - high, high - low), confidence=confidence,
        alternative=alternative, method="paired-bootstrap-expanded", statistic=estimate,
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
