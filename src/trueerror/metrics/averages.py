"""Averages of one-class metrics over the classes: macro, micro, weighted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from trueerror.metrics.registry import Average, Measure, ratio
from trueerror.tallies.counts import BinaryCounts, ClassCounts

# Summed over the classes, each row is called once and is of one class, so these are plain shares of rows. The other
# sums count a row several times (as a negative of every other class), and no binomial interval holds for them.
ROW_ONCE: dict[str, Any] = {
    "precision": lambda t: (t.hits.sum(axis=-1), t.predicted.sum(axis=-1)),
    "recall": lambda t: (t.hits.sum(axis=-1), t.truth.sum(axis=-1)),
    "fnr": lambda t: ((t.truth - t.hits).sum(axis=-1), t.truth.sum(axis=-1)),
    "f1": lambda t: (t.hits.sum(axis=-1), (t.truth + t.predicted).sum(axis=-1) / 2),
}


@cache
def averaged(base: Measure, average: Average) -> Measure:
    """The averaged version of a metric of one class, as a metric of all classes."""
    makers = {"macro": _macro, "micro": _micro, "weighted": _weighted}
    # Recalls weighted by their class's rows are the accuracy, as is the recall of all counts summed.
    by_rows = average == "micro" or (average == "weighted" and base.name in ("recall", "fnr"))
    share = ROW_ONCE.get(base.name) if by_rows else None
    return replace(
        base,
        name=f"{average}_{base.name}",
        title=f"{average} {base.title}",
        function=makers[average](base),
        needs="classes",
        situation=_situation(base, average) if share is None else "proportion",
        share=share,
        aliases=(),
        average=average,
        of=base.name,
        undefined=base.undefined if average == "micro" else f"for some class {base.undefined}",
    )


def _situation(base: Measure, average: Average) -> str:
    """The row of the decision table for an average that is not a share of rows."""
    if average == "macro" and base.situation == "f1":
        return "macro-f1"
    if average == "macro" and base.share is not None:
        return "mean-of-recalls" if base.name in ("recall", "fnr") else "macro-of-shares"
    return {(0.0, 1.0): "smooth-share", (-1.0, 1.0): "correlation"}.get(base.range, "ratio")


def classes_in_play(t: ClassCounts) -> Any:
    """Which classes have rows or predictions; the others leave the average."""
    return (t.truth != 0) | (t.predicted != 0)


def _macro(base: Measure) -> Any:
    def macro(t: ClassCounts, **options: Any) -> Any:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        there = classes_in_play(t)
        return ratio(np.where(there, values, 0).sum(axis=-1), there.sum(axis=-1))  # a NaN of a class in play stays

    macro.__doc__ = f"Mean over the classes of: {base.summary}"
    return macro


def _weighted(base: Measure) -> Any:
    def weighted(t: ClassCounts, **options: Any) -> Any:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        # A class without rows has no weight, so its undefined value must not spoil the sum.
        there = t.truth != 0
        return ratio((np.where(there, values, 0) * t.truth).sum(axis=-1), t.truth.sum(axis=-1))

    weighted.__doc__ = f"Mean over the rows' classes of: {base.summary}"
    return weighted


def _micro(base: Measure) -> Any:
    def micro(t: ClassCounts, **options: Any) -> Any:
        return base.function(summed(t), **options)

    micro.__doc__ = f"From the counts summed over classes: {base.summary}"
    return micro


def summed(t: ClassCounts) -> BinaryCounts:
    """The four counts added over the classes."""
    return BinaryCounts(*(np.asarray(x).sum(axis=-1) for x in t.one_vs_rest()))
