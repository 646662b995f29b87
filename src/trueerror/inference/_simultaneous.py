"""Several intervals that hold together: all of them cover with the confidence that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._metric_interval import table_interval
from trueerror.inference._sampling import Design, Sample
from trueerror.inference._spec import IntervalSpec
from trueerror.inputs._options import InputError, check_confidence, check_word, generator
from trueerror.metrics._registry import Measure, find_measure
from trueerror.metrics._values import Prior
from trueerror.results import Interval, Side
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Confusion

Floats = NDArray[np.float64]
DRAWS = 100_000
BLOCK = 1 << 21


def simultaneous_intervals(
    asked: Sequence[str | Measure | tuple[str | Measure, Any]],
    table: Confusion,
    *,
    how: Literal["max-t", "bonferroni"] = "max-t",
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    estimand: str = "",
) -> list[Interval]:
    """Metrics, or (metric, class) pairs, of one table with intervals that all hold at once.

    "bonferroni" makes each at 1 − α/m. "max-t" makes use of how the metrics vary together: each is made at the level
    at which the largest of m correlated normal deviates stays within its limit with the confidence asked for (drawn
    from the delta-method correlations, with `rng`), which is never wider than Bonferroni's but for the drawing.

    Source: Hothorn, Bretz and Westfall 2008, Biom. J. 50:346.

    >>> t = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
    >>> both = simultaneous_intervals([("recall", 0), ("recall", 1)], t, how="bonferroni")
    >>> both[0].note
    'holds together with others: made at 97.5 %'
    """
    check_word(how, ("max-t", "bonferroni"), "how")
    level = check_confidence(confidence)
    if not asked:
        raise InputError("name at least one metric")
    pairs = [(a if isinstance(a, tuple) else (a, None)) for a in asked]
    measures = [(find_measure(m) if isinstance(m, str) else m, label) for m, label in pairs]
    chosen = [dict((options or {}).get(m.name, {})) for m, _ in measures]
    samples = [
        Sample.of(m, table, positive=label, clusters=clusters, prior=prior, design=design) for m, label in measures
    ]
    each = 1 - (1 - level) / len(measures)
    if how == "max-t" and len(measures) > 1:
        rows = [s.influence(m, o) for s, (m, _), o in zip(samples, measures, chosen, strict=True)]
        each = min(each, joint_level(correlations(samples[0], np.array(rows)), level, side, rng))
    spec = IntervalSpec(
        confidence=level, side=side, estimand=estimand, each_at=each if len(measures) > 1 else None, rng=rng
    )
    return [
        table_interval(m, s, o, spec, prior=prior, positive=label)
        for s, (m, label), o in zip(samples, measures, chosen, strict=True)
    ]


def correlations(sample: Sample, influences: Floats) -> Floats:
    """Delta-method correlations of several metrics of one table; a metric without variance is taken as independent."""
    if sample.clusters is not None:
        sums = np.array([sample.clusters.sums(d) for d in influences])
        covariance = sums @ sums.T
    else:
        squares = sample.rows.weight_squares
        weights = sample.rows.counts if squares is None else squares
        centred = influences - (influences @ sample.rows.masses / sample.rows.masses.sum())[:, None]
        covariance = (centred * weights) @ centred.T
    spread = np.sqrt(np.diag(covariance))
    fine = np.isfinite(spread) & (spread > 0)
    safe = np.where(fine, spread, 1.0)
    matrix = np.where(fine[:, None] & fine, covariance / safe[:, None] / safe, 0.0)
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(np.clip(matrix, -1.0, 1.0))


def joint_level(matrix: Floats, confidence: float, side: Side = "two-sided", rng: Any = None) -> float:
    """The confidence for each of several correlated intervals at which all hold together.

    >>> round(joint_level(np.ones((5, 5)), 0.95), 2)
    0.95
    """
    draw, _ = generator(rng)
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    m = len(matrix)
    largest = []
    step = max(1, BLOCK // m)
    for start in range(0, DRAWS, step):
        z = draw.standard_normal((min(step, DRAWS - start), m)) @ root.T
        largest.append((np.abs(z) if side == "two-sided" else z).max(axis=1))
    reach = float(np.quantile(np.concatenate(largest), confidence))
    return float(1 - 2 * special.ndtr(-reach)) if side == "two-sided" else float(special.ndtr(reach))
