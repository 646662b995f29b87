"""The difference of a metric between two models on the same rows, from each model's own interval."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.intervals.of_metric import metric_interval
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import check_options, contrast, tail_area
from trueerror.significance.paired_metrics import Limits, PairedMetric
from trueerror.significance.roots import crossing
from trueerror.variances.delta import influence, variance

# With fewer rows than this on which the models differ, their own spread says too little about the difference.
FEW_DIFFER = 10
# As far as limits are searched, in standard errors: p-values end at 2.6e-12.
FURTHEST = 7.0


def mover_paired(
    compared: PairedMetric, *, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast | None:
    """d − √(x² − 2ρxy + y²) with x = θ1 − l1, y = u2 − θ2, and likewise above; the p-value by inversion.

    l and u are each model's own limits, ρ is the delta-method correlation of the two estimates. Where fewer than 10
    rows differ, the limits are at least those that z² more rows of one kind would bring. None where the metric has no
    analytic interval of its own, or no derivative.

    Source: Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 1998, Stat. Med. 17:2635, for proportions.

    >>> from trueerror.significance.paired_metrics import paired_metric
    >>> from trueerror.tallies.agreement import Agreement
    >>> truth, a, b = [0, 1] * 50, [0, 1] * 45 + [1, 0] * 5, [0, 1] * 40 + [1, 0] * 10
    >>> print(mover_paired(paired_metric(Agreement.count(truth, a, b), "macro_f1", None, {})))
    macro F1: first − second = +0.100 [0.042, 0.169], 95 % mover-paired, p = .002, n = 100
    """
    level = check_options(confidence, alternative)
    rho = _correlation(compared)
    if rho is None or not compared.registered:
        return None
    estimate = compared.difference()
    table = compared.agreement
    few = float(table.counts[table.first != table.second].sum()) < FEW_DIFFER

    def limits(z: float) -> Limits | None:
        both = _own_limits(compared, 1 - 2 * float(special.ndtr(-z)))
        if both is None:
            return None
        (below1, above1), (below2, above2) = both
        low = estimate - math.sqrt(max(below1**2 - 2 * rho * below1 * above2 + above2**2, 0.0))
        high = estimate + math.sqrt(max(above1**2 - 2 * rho * above1 * below2 + below2**2, 0.0))
        if few:
            least = compared.pseudo_row_limits(float(special.ndtr(-z)))
            low, high = min(low, least[0]), max(high, least[1])
        return low, high

    found = limits(max(-float(special.ndtri(tail_area(level, alternative))), 1e-6))
    if found is None or not found[0] < found[1]:
        return None
    p = _inverted(limits, estimate)
    ahead = 0.5 if estimate == 0 else 1 - p / 2 if estimate > 0 else p / 2
    up = compared.measure.higher_is_better
    return contrast(
        name=compared.title,
        estimate=estimate,
        limits=found,
        whole=compared.range,
        confidence=level,
        alternative=alternative,
        method="mover-paired",
        statistic=estimate,
        p_value={"two-sided": p, "greater": 1 - ahead, "less": ahead}[alternative],
        n=table.n,
        p_better=None if up is None else ahead if up else 1 - ahead,
        notes=("fewer than 10 rows differ: at least as wide as z² more rows would move it",) if few else (),
    )


def _own_limits(compared: PairedMetric, confidence: float) -> tuple[Limits, Limits] | None:
    """How far each model's own limits lie below and above its estimate."""
    reaches = []
    for which in range(2):
        made = metric_interval(
            compared.measure,
            compared.agreement.model(which),
            positive=compared.positive,
            confidence=confidence,
            options=compared.options,
        )
        if made.method.startswith("bootstrap") or math.isnan(made.low) or math.isnan(made.high):
            return None
        reaches.append((made.estimate - made.low, made.high - made.estimate))
    return reaches[0], reaches[1]


def _correlation(compared: PairedMetric) -> float | None:
    """The correlation of the two estimates by the delta method; 0 where one of them shows no variance."""
    if not math.isfinite(compared.difference()):
        return None
    try:
        first, second = (
            influence(compared.measure, t, positive=compared.positive, options=compared.options)
            for t in compared.tables
        )
    except InputError:
        return None
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return 0.0
    counts = compared.agreement.counts.astype(np.float64)
    own = [float(variance(d, counts)) for d in (first, second)]
    if min(own) <= 0:
        return 0.0
    shared = float((counts * first * second).sum()) - float((counts * first).sum()) * float(
        (counts * second).sum()
    ) / float(counts.sum())
    return min(max(shared / math.sqrt(own[0] * own[1]), -1.0), 1.0)


def _inverted(limits: Callable[[float], Limits | None], estimate: float) -> float:
    """The two-sided level at which the interval just reaches 0."""
    if estimate == 0:
        return 1.0
    side, sign = (0, 1.0) if estimate > 0 else (1, -1.0)

    def gap(z: float) -> float:
        found = limits(z)
        return -math.inf if found is None else sign * float(found[side])

    if gap(FURTHEST) > 0:
        return 2 * float(special.ndtr(-FURTHEST))
    return min(1.0, 2 * float(special.ndtr(-crossing(gap, 1e-6, FURTHEST, within=1e-8))))
