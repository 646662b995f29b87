"""How far a row moves a metric of a confusion matrix, and the design of the rows.

For a metric f of the counts, its influence on cell c is d_c = ∂f/∂n_c: how far it moves when one more row falls into
the cell. Metrics do not change when all counts are doubled, so Σ n_c·d_c = 0, and the variance of f on a random
sample of rows is Σ n_c·d_c². Derivatives are taken by a complex step, Im f(n + ih)/h, which has no rounding error
(Squire and Trapp 1998, SIAM Rev. 40:110); metrics of very many classes have theirs written out (`Measure.gradient`).

`Sample` says how the rows came to be: at random, in clusters, with sampling weights, class by class.

Sources: Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1; Zou and Donner 2008, Stat. Med. 27:1693.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._designs import Kind, RowUnits, units_of
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label, find_label
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, check_word
from trueerror.metrics._registry import (
    MarginGradients,
    Measure,
    MetricOptions,
    Prior,
    Seen,
    classes_in_play,
    find_measure,
    summed,
)
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Amount, BinaryCounts, ClassCounts, Confusion
from trueerror.tallies._scores import ScoreTable

STEP = 1e-30
# A step in each of many cells costs their square: beyond as many a derivative must be written out.
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
    if not measure.of_labels:
        raise InputError(f"{measure.name} is not a function of a confusion matrix")
    return _BY_CELL[measure.needs](measure, table, positive, masses, dict(options or {}))


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


# Averages over the classes.


def _macro(base: Measure, t: ClassCounts, options: MetricOptions) -> MarginGradients:
    in_play = classes_in_play(t)
    slopes = binary_gradients(base, t.one_vs_rest(), options)
    share = 1.0 / np.maximum(in_play.sum(axis=-1), 1)[..., None]
    return _from_one_vs_rest(BinaryCounts(*(np.where(in_play, s, 0.0) * share for s in slopes)))


def _weighted(base: Measure, t: ClassCounts, options: MetricOptions) -> MarginGradients:
    present = t.truth != 0
    parts = t.one_vs_rest()
    values = np.where(present, np.asarray(base.function(parts, **options)), 0.0)
    n = t.truth.sum(axis=-1)[..., None]
    slopes = binary_gradients(base, parts, options)
    through = _from_one_vs_rest(BinaryCounts(*(np.where(present, s * t.truth / n, 0.0) for s in slopes)))
    mean = (values * t.truth / n).sum(axis=-1)[..., None]
    return through._replace(truth=through.truth + np.where(present, values - mean, -mean) / n)


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


def _of_one_class(
    measure: Measure, table: Confusion, positive: Label | None, masses: Floats | None, options: MetricOptions
) -> Floats:
    slopes = binary_gradients(measure, table.binary(positive, masses), options)
    index = table.labels.index(table.positive if positive is None else find_label(positive, table.labels))
    is_true, is_called = table.row == index, table.col == index
    tp, fp, fn, tn = (np.asarray(s)[..., None] for s in slopes)
    out: Floats = np.where(is_true, np.where(is_called, tp, fn), np.where(is_called, fp, tn))
    return out


def _of_margins(
    measure: Measure, table: Confusion, positive: Label | None, masses: Floats | None, options: MetricOptions
) -> Floats:
    if measure.average is not None:
        slopes = _AVERAGED[measure.average](find_measure(measure.of), table.classes(masses), options)
    elif measure.gradient is not None:
        slopes = measure.gradient(table.classes(masses))
    else:
        return _of_cells(measure, table, positive, masses, options)
    k = len(table.labels)
    called = np.minimum(table.col, k - 1)
    out: Floats = np.asarray(slopes.total)[..., None] + slopes.truth[..., table.row]
    out = out + np.where(table.col < k, slopes.predicted[..., called], 0.0)
    return out + np.where(table.row == table.col, slopes.hits[..., table.row], 0.0)


def _of_cells(
    measure: Measure, table: Confusion, positive: Label | None, masses: Floats | None, options: MetricOptions
) -> Floats:
    """Written out, or by a step in each cell."""
    of_cells = table.masses if masses is None else masses
    if measure.gradient is not None:
        return np.asarray(measure.gradient(table, of_cells, **options))
    cells, slopes = len(table.row), []
    if cells > STEPPED_CELLS:
        raise InputError(
            f"{measure.name} has no analytic interval for {cells:,} cells; use method='bootstrap-percentile'"
        )
    for steps in np.array_split(1j * STEP * np.eye(cells), max(1, cells * of_cells.size // BLOCK)):
        slopes.append(np.imag(measure.of_table(table, of_cells[..., None, :] + steps, **options)) / STEP)
    return np.concatenate(slopes, axis=-1)


_BY_CELL: dict[str, Callable[..., Floats]] = {"binary": _of_one_class, "classes": _of_margins, "cells": _of_cells}


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


Mask = NDArray[np.bool_]


Design = Literal["random", "case-control"]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The rows of a metric of labels, as its formula sees them (`seen`), and how they were drawn.

    `positive` is the class asked for, `one_class` the one of several whose four counts are all that matters, `prior`
    the class distribution to speak of where it is not that of the rows.
    """

    rows: Confusion
    seen: Seen
    positive: Label | None
    one_class: Label | None
    prior: Prior | None
    clusters: KeyedConfusion | None
    drawn: RowUnits
    design: Design

    @classmethod
    def of(
        cls, measure: Measure, rows: Confusion, *, positive: Label | None = None,
        clusters: KeyedConfusion | None = None, prior: Prior | None = None, design: Design = "random",
    ) -> Sample:  # fmt: skip
        """The table that the metric's formula sees, and what is known about its rows."""
        check_word(design, ("random", "case-control"), "design")
        invariant = measure.is_prior_free(len(rows.labels))
        if design == "case-control" and prior is None and not invariant:
            raise InputError(
                f'{measure.name} depends on how common each class is, which a sample with design="case-control" does '
                "not show: pass prior= (the share of each class where the model will be used)"
            )
        seen = Seen.of(measure, rows, positive, prior)
        if invariant and seen.mix is not None and seen.mix.known:
            seen, prior = Seen.of(measure, rows, positive), None
        by_class = isinstance(prior, Mapping) or len(rows.labels) <= 2
        alone = not by_class and (measure.of_one_class or bool(seen.steps))
        one_class = next((c for c in (positive, rows.positive) if c is not None), None) if alone else None
        return cls(rows, seen, positive, one_class, prior, clusters, units_of(rows, clusters), design)

    def counts(self, measure: Measure, masses: Amount) -> BinaryCounts | ClassCounts:
        """What the formula is given of masses of the cells that it sees: those of one class, or the margins of all."""
        table, positive = self.seen.table, self.seen.positive
        return table.binary(positive, masses) if measure.of_one_class else table.classes(masses)

    def value(self, measure: Measure, options: MetricOptions, of_rows: Amount = None) -> Any:
        """The metric, of the sample or of replicates of its cells."""
        return self.seen.value(measure, self.rows.masses if of_rows is None else of_rows, options)

    def influence(self, measure: Measure, options: MetricOptions, of_rows: Amount = None) -> Floats:
        """How far one more row in each cell of `rows` moves the metric."""
        return slopes_seen(measure, self.seen, self.rows.masses if of_rows is None else of_rows, options)

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class distribution: the case that closed forms are for."""
        return self.kind == "random" and self.seen.mix is None

    @property
    def kind(self) -> Kind:
        """Which variance holds."""
        return self.drawn.kind

    @property
    def groups(self) -> int:
        """Clusters with rows; without clusters every row is its own."""
        return self.drawn.groups


@np.errstate(invalid="ignore", over="ignore")
def slopes_seen(measure: Measure, seen: Seen, of_rows: Floats, options: MetricOptions) -> Floats:
    """How far one more row in each cell moves a metric, through what its formula sees of the cells."""
    slopes = influence(measure, seen.table, positive=seen.positive, options=options, masses=seen.masses(of_rows))
    return np.asarray(seen.slopes(of_rows, slopes))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusteredRows:
    """Rows with a score and a cluster each, `codes` from 0 to `groups` − 1, and perhaps a sampling weight."""

    positive: NDArray[np.bool_]
    scores: NDArray[Any]
    codes: NDArray[np.intp]
    weights: Floats | None = None

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    def take(self, chosen: slice | Mask | NDArray[np.intp]) -> ClusteredRows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return ClusteredRows(
            positive=self.positive[chosen], scores=self.scores[chosen], codes=self.codes[chosen], weights=weights
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreSample:
    """A score table, the metric of it, how its rows came to be, and the share of positives that is asked for."""

    table: ScoreTable
    estimate: float
    share: float | None = None
    design: Design = "random"
    clusters: ClusteredRows | None = None
