"""A model against one answer for every row, where rows are clustered or weighted and McNemar's test does not hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import SHARES, Limits, contrast, student_p, student_quantile
from trueerror.inference._sampling import cluster_variance, occupied, weighted_variance
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

    d = Σw·g/Σw with the linearised variance of a ratio: summed within clusters (t with G − 1 degrees of freedom; Liang
    and Zeger 1986), or by the squares of sampling weights (Särndal, Swensson and Wretman 1992, section 5.5; t with
    Kish's effective number of rows, (Σw)²/Σw², less 1). Plain rows weigh 1. With clusters, `gains` are those of the
    cells of `clusters.table`.

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
        units, variance, word = float(occupied(clusters)), cluster_variance(clusters, influences), "clusters"
    elif table.weight_squares is not None:
        units = total**2 / float(table.weight_squares.sum())
        variance, word = weighted_variance(table, influences), "rows, weights allowed for"
    else:
        units, word = float(table.n), "rows"
        variance = units / (units - 1) * float((table.counts * influences**2).sum()) if units > 1 else math.nan
    method = "cluster-t-difference" if clusters is not None else "paired-t-losses"
    common: dict[str, Any] = {
        "estimate": estimate, "whole": whole, "confidence": confidence, "alternative": "two-sided", "method": method,
        "n": table.n,
    }  # fmt: skip
    if units < 2 or math.isnan(variance):
        note = f"{units:,.0f} {word} show no spread to judge by"
        return contrast(limits=whole, p_value=math.nan, statistic=math.nan, notes=(note,), **common)
    df = units - 1
    t, error = student_quantile(confidence, "two-sided", df), math.sqrt(variance)
    if error <= 1e-12 * max(1.0, float(np.abs(gains).max())):
        # All agree: as far as t² more of them could move the mean, and nothing to test unless it is 0.
        half = t * t / (units + t * t) * whole[1]
        note = f"no spread between the {units:,.0f} {word}"
        p = 1.0 if estimate == 0 else math.nan
        return contrast(
            limits=(estimate - half, estimate + half), p_value=p, statistic=0.0, df=df, notes=(note,), **common
        )
    statistic = estimate / error
    return contrast(
        limits=(estimate - t * error, estimate + t * error), p_value=student_p(statistic, df, "two-sided"),
        statistic=statistic, df=df, notes=(f"{units:,.0f} {word}",), **common,
    )  # fmt: skip
