"""The delta method (how far a metric moves when one more row falls into a cell), and MOVER for sums of parts.

For a metric f of the counts, its influence on cell c is d_c = ∂f/∂n_c. Metrics do not change when all counts are
doubled, so Σ n_c·d_c = 0, and the variance of f on a random sample of rows is Σ n_c·d_c². Derivatives are taken by a
complex step, Im f(n + ih)/h, which has no rounding error (Squire and Trapp 1998, SIAM Rev. 40:110); metrics of very
many classes have theirs written out (`Measure.gradient`).

MOVER combines the limits of parts to those of a weighted sum ("method of variance estimates recovery"): for
θ = Σ w_i·θ_i the lower limit is θ̂ − √(ΣΣ w_i·w_j·ρ_ij·(θ̂_i − l_i)(θ̂_j − l_j)), the upper one likewise with
u_i − θ̂_i. Parts keep their own skewed limits, so the sum does too, and it never collapses at a perfect score.

Source: Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1; Zou and Donner 2008, Stat. Med. 27:1693; Donner
and Zou 2012, Stat. Methods Med. Res. 21:347.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import MarginGradients, Measure, MetricOptions, classes_in_play, find_measure, summed
from trueerror.tallies._confusion import BinaryCounts, ClassCounts, Confusion

Floats = NDArray[np.float64]


STEP = 1e-30
# A complex step over all margins costs (3K + 1)·K; beyond this many classes a derivative must be written out.
STEPPED_CLASSES = 300
STEPPED_CELLS = 4096


# At the edge of its domain (no rows of a class) a metric has no slope: NaN or infinite, for the caller to see.
@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def influence(
    measure: Measure,
    table: Confusion,
    *,
    positive: Label | None = None,
    options: MetricOptions | None = None,
    masses: Floats | None = None,
) -> Floats:
    """d_c for each occupied cell; `masses` (…, cells) replaces the table's own, as for bootstrap replicates.

    >>> from trueerror.metrics._registry import find_measure
    >>> influence(find_measure("accuracy"), Confusion([[8, 1], [1, 0]]))     # cells (0, 0), (0, 1), (1, 0)
    array([ 0.02, -0.08, -0.08])
    """
    chosen = dict(options or {})
    m = table.masses if masses is None else masses
    if measure.of_one_class:
        slopes = binary_gradients(measure, table.binary(positive, m), chosen)
        return _binary_to_cells(table, positive, slopes)
    if measure.of_all_classes:
        return _margins_to_cells(table, margin_gradients(measure, table.classes(m), chosen))
    if measure.of_cells:
        return _cell_gradients(measure, table, m, chosen)
    raise InputError(f"{measure.name} is not a function of a confusion matrix")


@np.errstate(invalid="ignore", over="ignore")
def variance(influences: Floats, counts: NDArray[Any]) -> Any:
    """Σ n_c·d_c² less the square of the mean influence, for rows sampled at random."""
    n = counts.sum(axis=-1)
    first = (counts * influences).sum(axis=-1)
    return np.maximum((counts * influences**2).sum(axis=-1) - first * first / np.where(n > 0, n, 1), 0.0)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def binary_gradients(measure: Measure, counts: BinaryCounts, options: MetricOptions) -> BinaryCounts:
    """∂f by each of the four counts; fields may be arrays of any shape."""
    stacked = [np.asarray(c, dtype=np.complex128) for c in counts]
    slopes = []
    for i in range(4):
        moved = [c + 1j * STEP if i == j else c for j, c in enumerate(stacked)]
        slopes.append(np.imag(measure.function(BinaryCounts(*moved), **options)) / STEP)
    return BinaryCounts(*slopes)


def margin_gradients(measure: Measure, counts: ClassCounts, options: MetricOptions) -> MarginGradients:
    """∂f by the margins: by class where f is an average over classes, written out where it is known, else stepped."""
    if measure.average is not None:
        return _AVERAGED[measure.average](find_measure(measure.of), counts, options)
    if measure.gradient is not None:
        slopes: MarginGradients = measure.gradient(counts)
        return slopes
    return _stepped_margins(measure, counts, options)


def _stepped_margins(measure: Measure, counts: ClassCounts, options: MetricOptions) -> MarginGradients:
    k = counts.hits.shape[-1]
    if k > STEPPED_CLASSES:
        raise InputError(
            f"{measure.name} has no analytic interval for {k:,} classes; use method='bootstrap-percentile'"
        )
    complete: list[Any] = [np.asarray(c, dtype=np.complex128) for c in counts]
    slopes: list[Any] = []
    for field in range(3):
        by_class = []
        for i in range(k):
            moved = list(complete)
            moved[field] = complete[field].copy()
            moved[field][..., i] += 1j * STEP
            by_class.append(np.imag(measure.function(ClassCounts(*moved), **options)) / STEP)
        slopes.append(np.stack(by_class, axis=-1))
    moved = [*complete[:3], complete[3] + 1j * STEP]
    slopes.append(np.imag(measure.function(ClassCounts(*moved), **options)) / STEP)
    return MarginGradients(*slopes)


# Averages over the classes.


def _macro(base: Measure, t: ClassCounts, options: MetricOptions) -> MarginGradients:
    there = classes_in_play(t)
    slopes = binary_gradients(base, t.one_vs_rest(), options)
    share = 1.0 / np.maximum(there.sum(axis=-1), 1)[..., None]
    return _from_one_vs_rest(BinaryCounts(*(np.where(there, s, 0.0) * share for s in slopes)))


def _weighted(base: Measure, t: ClassCounts, options: MetricOptions) -> MarginGradients:
    there = t.truth != 0
    parts = t.one_vs_rest()
    values = np.where(there, np.asarray(base.function(parts, **options)), 0.0)
    n = t.truth.sum(axis=-1)[..., None]
    slopes = binary_gradients(base, parts, options)
    through = _from_one_vs_rest(BinaryCounts(*(np.where(there, s * t.truth / n, 0.0) for s in slopes)))
    mean = (values * t.truth / n).sum(axis=-1)[..., None]
    return through._replace(truth=through.truth + np.where(there, values - mean, -mean) / n)


def _micro(base: Measure, t: ClassCounts, options: MetricOptions) -> MarginGradients:
    slopes = binary_gradients(base, summed(t), options)
    k = t.hits.shape[-1]
    wide = BinaryCounts(*(np.repeat(np.asarray(s)[..., None], k, axis=-1) for s in slopes))
    return _from_one_vs_rest(wide)


def _from_one_vs_rest(slopes: BinaryCounts) -> MarginGradients:
    """Chain rule: TP = hits, FP = called − hits, FN = truth − hits, TN = total − truth − FP."""
    tp, fp, fn, tn = slopes
    return MarginGradients(tp - fp - fn + tn, fn - tn, fp - tn, np.asarray(tn).sum(axis=-1))


_AVERAGED: dict[str, Callable[..., MarginGradients]] = {"macro": _macro, "weighted": _weighted, "micro": _micro}


# From counts and margins to cells.


def _binary_to_cells(table: Confusion, positive: Label | None, slopes: BinaryCounts) -> Floats:
    index = table.labels.index(chosen_positive(table, positive))
    is_true, is_called = table.row == index, table.col == index
    tp, fp, fn, tn = (np.asarray(s)[..., None] for s in slopes)
    out: Floats = np.where(is_true, np.where(is_called, tp, fn), np.where(is_called, fp, tn))
    return out


def chosen_positive(table: Confusion, positive: Label | None) -> Label:
    """The label that a binary metric speaks of: the one given, else the table's own."""
    from trueerror.inputs._labels import find_label, need_positive

    label = table.positive if positive is None else find_label(positive, table.labels)
    if label is None:
        raise need_positive(table.labels, "a binary metric")
    return label


def _margins_to_cells(table: Confusion, slopes: MarginGradients) -> Floats:
    k = len(table.labels)
    called = np.minimum(table.col, k - 1)
    out: Floats = np.asarray(slopes.total)[..., None] + slopes.truth[..., table.row]
    out = out + np.where(table.col < k, slopes.predicted[..., called], 0.0)
    return out + np.where(table.row == table.col, slopes.hits[..., table.row], 0.0)


def _cell_gradients(measure: Measure, table: Confusion, masses: Floats, options: MetricOptions) -> Floats:
    if measure.gradient is not None:
        return np.asarray(measure.gradient(table, masses, **options))
    cells = len(table.row)
    if cells > STEPPED_CELLS or masses.ndim > 1:
        raise InputError(f"{measure.name} has no analytic interval here; use method='bootstrap-percentile'")
    steps = masses + 1j * STEP * np.eye(cells)
    return np.asarray(np.imag(measure.function(table, steps, **options)) / STEP, dtype=np.float64)


# From the signed reach of each part to ΣΣ_{i≠j} ρ_ij·reach_i·reach_j.
Cross = Callable[[Floats], float]


def mover(
    values: Floats, low: Floats, high: Floats, weights: Floats | float = 1.0, cross: Cross | None = None
) -> tuple[float, float]:
    """Limits of Σ w·value; parts are independent unless `cross` adds what their correlations contribute.

    >>> low, high = np.array([0.7864, 0.3315]), np.array([0.9565, 0.6685])     # Wilson's for 45 of 50 and 15 of 30
    >>> tuple(round(v, 3) for v in mover(np.array([0.9, 0.5]), low, high, 0.5))
    (0.598, 0.789)
    """
    w = np.broadcast_to(np.asarray(weights, dtype=np.float64), values.shape)
    positive = w >= 0
    down = w * np.where(positive, values - low, values - high)
    up = w * np.where(positive, high - values, low - values)
    total = float((w * values).sum())
    sign = np.where(positive, 1.0, -1.0)
    return total - _norm(down, sign, cross), total + _norm(up, sign, cross)


def _norm(reach: Floats, sign: Floats, cross: Cross | None) -> float:
    square = float((reach * reach).sum())
    if cross is not None:
        joint = square + cross(sign * reach)
        # Parts that cancel each other leave rounding dust or less: then they count as independent.
        square = joint if joint > 1e-9 * square else square
    return float(np.sqrt(square))


def multinomial_correlations(shares: Floats) -> Cross:
    """What the correlations of the shares of one sample add: ρ_ij = −√(p_i·p_j/((1 − p_i)(1 − p_j))).

    >>> round(multinomial_correlations(np.array([0.5, 0.5]))(np.array([1.0, 1.0])), 6)
    -2.0
    """
    inside = (shares > 0) & (shares < 1)
    root = np.sqrt(np.where(inside, shares / np.where(inside, 1 - shares, 1.0), 0.0))

    def cross(reach: Floats) -> float:
        a = root * reach
        return float((a * a).sum()) - float(a.sum()) ** 2

    return cross


def class_correlations(table: Confusion, slopes: BinaryCounts, variances: Floats) -> Cross:
    """What delta-method correlations of one metric over the classes add to a MOVER sum.

    `slopes` are the derivatives of each class's metric by its four counts. Classes i and j share only the rows in
    cells (i, j) and (j, i), and those that are neither's: with d_k = t_k + s_k, t_k the slope for true negatives,
    cov_ij = n_ij·s_i(FN)·s_j(FP) + n_ji·s_i(FP)·s_j(FN) − n·t_i·t_j. One pass over the occupied cells.
    """
    k = len(table.labels)
    masses = table.counts.astype(np.float64)
    n = float(masses.sum())
    tn = np.asarray(slopes.tn, dtype=np.float64)
    missed, alarmed = np.asarray(slopes.fn) - tn, np.asarray(slopes.fp) - tn
    off = (table.row != table.col) & (table.col < k)
    row, col, shared = table.row[off], table.col[off], masses[off]
    known = variances > 0
    scale = np.where(known, 1 / np.sqrt(np.where(known, variances, 1.0)), 0.0)

    def cross(reach: Floats) -> float:
        a = reach * scale
        apart = tn * a
        common = 2 * float((shared * (missed * a)[row] * (alarmed * a)[col]).sum())
        return common - n * (float(apart.sum()) ** 2 - float((apart * apart).sum()))

    return cross
