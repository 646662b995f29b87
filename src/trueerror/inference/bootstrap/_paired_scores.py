"""Scores of two models on the same rows: rows in the order of their scores, and the paired bootstrap of a metric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import Problem
from trueerror.inference._variance import ClusteredRows, ScoreSample
from trueerror.inference.auc._influences import ScoreInfluences
from trueerror.inference.bootstrap._paired import contrast_of_replicates
from trueerror.inference.bootstrap._tables import ClusterCells, cluster_replicates, score_statistic
from trueerror.inputs._options import InputError, generator
from trueerror.kernels._random import EXACT, seed_of
from trueerror.kernels._sorting import ascending_order
from trueerror.results import Contrast
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]
Masses = tuple[NDArray[Any], NDArray[Any]]


class OrderedScores:
    """One model's rows in the order of their scores: the score table, and how rows and table belong together."""

    def __init__(self, is_positive: Flags, scores: Floats) -> None:
        plain = scores + 0.0  # −0.0 is 0.0
        self.order = ascending_order(plain)
        self.ascending = plain.take(self.order)
        new = np.ones(len(plain), dtype=bool)
        np.not_equal(self.ascending[1:], self.ascending[:-1], out=new[1:])
        # None where no two rows share a score.
        self.starts = None if new.all() else np.flatnonzero(new)
        self.is_positive = is_positive.take(self.order)

    @cached_property
    def table(self) -> ScoreTable:
        """The score table of all rows."""
        distinct = self.ascending if self.starts is None else self.ascending[self.starts]
        return ScoreTable._counted(distinct, *self.masses(np.ones(len(self.order), np.int64)), positive=1, sources=())

    def masses(self, weights: NDArray[Any]) -> Masses:
        """How many positives and negatives there are at each distinct score when rows (…, n) count so often."""
        placed = weights.take(self.order, axis=-1)
        positives = np.multiply(placed, self.is_positive, dtype=np.result_type(placed, np.int64))
        negatives = placed - positives
        if self.starts is None:
            return positives, negatives
        return np.add.reduceat(positives, self.starts, axis=-1), np.add.reduceat(negatives, self.starts, axis=-1)

    def influences_at_rows(self, influences: ScoreInfluences) -> Floats:
        """Each row's influence, by its score and class."""
        by_class: tuple[Floats, Floats] = (influences.positives, influences.negatives)
        if self.starts is not None:
            often = np.diff(self.starts, append=len(self.order))
            by_class = np.repeat(by_class[0], often), np.repeat(by_class[1], often)
        by_row = np.empty(len(self.order))
        by_row[self.order] = np.where(self.is_positive, *by_class)
        return by_row


def paired_score_contrast(
    q: Problem[Any],
    is_positive: Flags,
    first: Floats,
    second: Floats,
    *,
    clusters: Codes | None = None,
    replicates: int,
    instead: Callable[[str], Contrast],
) -> Contrast:
    """First − second with percentile limits: rows, or whole clusters, are drawn again, the same for both models.

    More than `EXACT` of them are drawn in as many groups to which they are assigned at random: sums over such groups
    are as independent as the rows (the random groups method, Wolter 2007, Introduction to Variance Estimation, ch. 2).
    Of more distinct scores than that neighbours are joined. Where replicates are alike, or more than 1 % of them have
    no value, `instead` answers.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 and 16.
    """
    if len(is_positive) == 0:
        raise InputError("there are no rows to compare")
    draw, seed = generator(q.spec.rng)
    key = seed_of(draw)
    codes = np.arange(len(is_positive)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    units = int(codes.max()) + 1
    notes = [] if clusters is None else [f"{units:,} clusters drawn whole"]
    if units > EXACT:
        codes = draw.integers(0, EXACT, units)[codes]
        notes.append(f"drawn in {EXACT:,} random groups")
    estimates, tables = [], []
    for scores in (first, second):
        rows = ClusteredRows(positive=is_positive, scores=scores, codes=codes)
        table = ScoreTable.from_codes(is_positive, scores, 1)
        full = score_statistic(q.metric, table, q.options)(table.positives[None], table.negatives[None])
        estimates.append(float(full[0]))
        sample = ScoreSample(table=table, estimate=estimates[-1], clusters=rows)
        tables.append(ClusterCells.of(replace(q, sample=sample), rows, EXACT))
    estimate, centre = estimates[0] - estimates[1], tables[0].value - tables[1].value
    if math.isnan(estimate):
        raise InputError(f"{q.metric.name} is undefined: {q.metric.undefined or 'a class has no rows'}")
    low, high = q.metric.bounds(q.options)
    shown = {
        "estimate": estimate, "whole": (low - high, high - low), "method": "paired-bootstrap-percentile",
        "n": len(is_positive),
    }  # fmt: skip
    one, two = cluster_replicates(tables, key, replicates)
    return contrast_of_replicates(
        one - two + (estimate - centre), q.spec, shown, kind="percentile", higher_is_better=q.metric.higher_is_better,
        notes=(*notes, f"{replicates:,} replicates, {seed}"), instead=instead,
    )  # fmt: skip
