"""A model against one answer for every row, where rows are clustered or weighted and McNemar's test does not hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import ClusterDifference, sign_flip_contrast
from trueerror.inference._contrast import SHARES, Limits, contrast, limits_without_spread, t_contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._variance import kish_rows, weighted_variance
from trueerror.results import Contrast
from trueerror.tallies import Confusion, KeyedConfusion

Floats = NDArray[np.float64]


def gains_in_accuracy(table: Confusion, answer: int) -> Floats:
    """What a row of each cell adds to the model's accuracy less that of one answer: +1, 0 or −1."""
    gains: Floats = (table.row == table.col).astype(np.float64) - (table.row == answer)
    return gains


def against_one_answer(
    table: Confusion,
    gains: Floats,
    *,
    clusters: KeyedConfusion | None = None,
    confidence: float = 0.95,
    whole: Limits = SHARES,
) -> Contrast:
    """The mean gain of a row over one answer for every row; `gains` has one value for each cell of the table.

    d = Σw·g/Σw: summed within clusters (their sign-flip test), or with the linearised variance of a ratio, by the
    squares of sampling weights (Särndal, Swensson and Wretman 1992, section 5.5; t with Kish's effective number of
    rows, (Σw)²/Σw², less 1). Plain rows weigh 1. With clusters, `gains` are those of the cells of `clusters.table`.

    >>> table = Confusion([[90, 5], [3, 2]])
    >>> found = against_one_answer(table, gains_in_accuracy(table, 0))
    >>> round(found.estimate, 3), round(found.p_value, 2)
    (-0.03, 0.26)
    """
    if clusters is not None:
        table = clusters.table
    masses = table.masses
    total = float(masses.sum())
    estimate = float((masses * gains).sum()) / total
    influences = (gains - estimate) / total
    if clusters is not None:
        there = clusters.sizes > 0
        sums = ClusterDifference(estimate, clusters.sums(influences)[there], clusters.weights[there], whole, table.n)
        return replace(sign_flip_contrast(sums, IntervalSpec(confidence=confidence)), p_better=None)
    if table.weight_squares is not None:
        units = kish_rows(table)
        variance, word = weighted_variance(table, influences), "rows, weights allowed for"
    else:
        units, word = float(table.n), "rows"
        variance = units / (units - 1) * float((table.counts * influences**2).sum()) if units > 1 else math.nan
    method = "paired-t-losses"
    spec, note = IntervalSpec(confidence=confidence), f"{units:,.0f} {word}"
    error = math.sqrt(variance) if units >= 2 else math.nan
    if error > 1e-12 * max(1.0, float(np.abs(gains).max())):
        found = t_contrast(estimate, error, units - 1, spec, method=method, n=table.n, whole=whole, note=note)
        return replace(found, p_better=None)
    alike = error >= 0
    return contrast(
        estimate=estimate, limits=limits_without_spread(estimate, units, spec, whole) if alike else whole, whole=whole,
        confidence=confidence, alternative="two-sided", method=method, n=table.n, df=units - 1 if alike else None,
        # Where all agree there is nothing to test unless the mean is 0.
        statistic=0.0 if alike else math.nan, p_value=1.0 if alike and estimate == 0 else math.nan,
        notes=(f"no spread between the {note}" if alike else f"{note} show no spread to judge by",),
    )  # fmt: skip
