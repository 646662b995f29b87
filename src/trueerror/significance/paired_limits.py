"""The difference of a metric between two models on the same rows, from each model's own interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.intervals.of_metric import metric_interval
from trueerror.intervals.rare_class import ADDED_ROWS, FEW
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import check_options, contrast, tail_area
from trueerror.significance.paired_metrics import Limits, PairedMetric
from trueerror.significance.roots import crossing
from trueerror.tallies.agreement import Agreement
from trueerror.tallies.confusion import Confusion
from trueerror.variances.delta import influence, variance

Floats = NDArray[np.float64]
# With fewer rows than this on which the models differ, their own spread says too little about the difference.
FEW_DIFFER = 10
# As far as limits are searched, in standard errors: p-values end at 2.6e-12.
FURTHEST = 7.0
# Limits are looked at in steps of so many standard errors, to see whether they come back.
STEP = 0.5
# Of more classes than this no correlation of tables with all K³ cells is made.
MOST_CLASSES = 10


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

    @cache
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

    found = _outermost(limits, max(-float(special.ndtri(tail_area(level, alternative))), 1e-6))
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


def _outermost(limits: Callable[[float], Limits | None], z: float) -> Limits | None:
    """The outer limits over all steps up to z.

    √(x² − 2ρxy + y²) can shrink while x and y grow, if ρ is near 1 and one of them was ahead: more confidence would
    then make the interval narrower.
    """
    found = [limits(z), *(limits(step * STEP) for step in range(1, math.ceil(z / STEP)))]
    known = [f for f in found if f is not None]
    return (min(f[0] for f in known), max(f[1] for f in known)) if found[0] is not None else None


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
    """The correlation of the two estimates by the delta method; 0 where one of them shows no variance.

    Where counts are small, with two rows more, spread over all cells of the agreement table.
    """
    if not math.isfinite(compared.difference()):
        return None
    counts = compared.agreement.counts.astype(np.float64)
    try:
        if _has_small_counts(compared.agreement):
            counts, first, second = _with_rows_added(compared)
        else:
            first, second = (
                influence(compared.measure, t, positive=compared.positive, options=compared.options)
                for t in compared.tables
            )
    except InputError:
        return None
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return 0.0
    own = [float(variance(d, counts)) for d in (first, second)]
    if min(own) <= 0:
        return 0.0
    shared = float((counts * first * second).sum()) - float((counts * first).sum()) * float(
        (counts * second).sum()
    ) / float(counts.sum())
    return min(max(shared / math.sqrt(own[0] * own[1]), -1.0), 1.0)


def _has_small_counts(table: Agreement) -> bool:
    """Whether a model was right or wrong on fewer than five rows of a class.

    The few rows then make a correlation near ±1 by chance, and reaches cancel that should not.
    """
    k = len(table.labels)
    if k > MOST_CLASSES or max(table.first.max(initial=0), table.second.max(initial=0)) >= k:
        return False
    for called in (table.first, table.second):
        right = called == table.truth
        for rows in (right, ~right):
            if np.bincount(table.truth[rows], weights=table.counts[rows], minlength=k).min() < FEW:
                return True
    return False


def _with_rows_added(compared: PairedMetric) -> tuple[Floats, Floats, Floats]:
    """Counts of all K³ cells with two rows spread over them, and both models' influences there."""
    table = compared.agreement
    k = len(table.labels)
    counts = np.full(k**3, ADDED_ROWS / k**3)
    np.add.at(counts, (table.truth * k + table.first) * k + table.second, table.counts)
    truth, first, second = np.unravel_index(np.arange(k**3), (k, k, k))
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels)
    cells = [truth * k + called for called in (first, second)]
    one, other = (
        influence(
            compared.measure, full, positive=compared.positive, options=compared.options,
            masses=np.bincount(cell, weights=counts, minlength=k * k).astype(np.float64),
        )[cell]
        for cell in cells
    )  # fmt: skip
    return counts, one, other


def _inverted(limits: Callable[[float], Limits | None], estimate: float) -> float:
    """The largest two-sided level at which the interval just reaches 0."""
    if estimate == 0:
        return 1.0
    side, sign = (0, 1.0) if estimate > 0 else (1, -1.0)

    def gap(z: float) -> float:
        found = limits(z)
        return -math.inf if found is None else sign * float(found[side])

    # The first step at which the interval holds 0: beyond it limits may come back.
    for step in range(1, round(FURTHEST / STEP) + 1):
        if not gap(step * STEP) > 0:
            z = crossing(gap, max((step - 1) * STEP, 1e-6), step * STEP, within=1e-8)
            return min(1.0, 2 * float(special.ndtr(-z)))
    return 2 * float(special.ndtr(-FURTHEST))
