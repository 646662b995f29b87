"""What the intervals of one class are given: its counts, and what a variance is for the rows that it came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.intervals.one_class import ClassView, Parts
from trueerror.intervals.sampling import Sample
from trueerror.metrics.registry import Measure
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import BinaryCounts
from trueerror.tallies.keyed import KeyedConfusion
from trueerror.variances.clusters import class_cluster_variances, class_clusters, occupied
from trueerror.variances.weighting import class_weighted_variances


def every_class(table: Confusion, clusters: KeyedConfusion | None = None) -> ClassView:
    """All classes of a table at once, at its own class distribution."""
    if clusters is not None:
        Sample.check_clusters(table, clusters)
        table = clusters.table
    rows = table.classes(weighted=False).one_vs_rest()
    seen = rows
    if table.weight_sums is not None:
        # Weights that cancel leave rounding dust where there is no row.
        seen = BinaryCounts(
            *(np.where(n > 0, w, 0.0) for n, w in zip(rows, table.classes().one_vs_rest(), strict=True))
        )

    def random_variance(slopes: BinaryCounts) -> Any:
        return sum(c * s * s for c, s in zip(seen, slopes, strict=True))

    if clusters is not None:
        return ClassView(
            seen, rows, "clustered", False, lambda s: class_cluster_variances(clusters, s),
            lambda parts: class_clusters(clusters, parts), lambda _: rows.total,
        )  # fmt: skip
    if table.weight_sums is not None:
        return ClassView(
            seen, rows, "weighted", False, lambda s: class_weighted_variances(table, s), lambda _: rows.total,
            lambda parts: _kish_by_class(table, parts),
        )  # fmt: skip
    return ClassView(seen, rows, "random", False, random_variance, lambda _: rows.total, lambda _: rows.total)


def one_class(measure: Measure, sample: Sample, options: dict[str, Any]) -> ClassView:
    """One class of a sample, as arrays of one element."""
    table, positive = sample.table, sample.positive
    seen = _wide(table.binary(positive, sample.masses()))
    rows = _wide(table.binary(positive, table.counts.astype(np.float64)))

    def variance(slopes: BinaryCounts) -> Any:
        if sample.plain:
            return sum(c * s * s for c, s in zip(seen, slopes, strict=True))
        return np.array([sample.variance(sample.influence(measure, options))])

    def chosen(parts: Parts) -> Any:
        """Which cells of the rows fall into the given of the four counts."""
        index = table.labels.index(table.positive if positive is None else positive)
        is_true, is_called = table.row == index, table.col == index
        four = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        mask = np.zeros(len(table.row), dtype=bool)
        for wanted, part in zip(parts, four, strict=True):
            if wanted:
                mask |= part
        return mask if sample.place is None else mask[sample.place]

    def groups(parts: Parts) -> Any:
        return occupied(sample.clusters, chosen(parts)) if sample.clusters is not None else sample.rows.n

    def spread_rows(parts: Parts) -> Any:
        mask = chosen(parts)
        if sample.rows.weight_squares is None:
            return float(sample.rows.counts[mask].sum())
        squares = float(sample.rows.weight_squares[mask].sum())
        return float(sample.rows.masses[mask].sum()) ** 2 / squares if squares > 0 else 0.0

    return ClassView(seen, rows, sample.kind, sample.shares is not None, variance, groups, spread_rows)


def _wide(counts: BinaryCounts) -> BinaryCounts:
    return BinaryCounts(*(np.array([c], dtype=np.float64) for c in counts))


def _kish_by_class(table: Confusion, parts: Parts) -> Any:
    """(Σw)²/Σw² of each class's rows among the given of its four counts."""
    k = len(table.labels)
    assert table.weight_squares is not None
    hit = table.row == table.col
    called = ~hit & (table.col < k)
    sums = []
    for weights in (table.masses, table.weight_squares):
        tp = np.bincount(table.row[hit], weights=weights[hit], minlength=k)
        fp = np.bincount(table.col[called], weights=weights[called], minlength=k)
        fn = np.bincount(table.row[~hit], weights=weights[~hit], minlength=k)
        four = (tp, fp, fn, float(weights.sum()) - tp - fp - fn)
        sums.append(sum((part for wanted, part in zip(parts, four, strict=True) if wanted), np.zeros(k)))
    return np.where(sums[1] > 0, sums[0] ** 2 / np.where(sums[1] > 0, sums[1], 1.0), 0.0)
