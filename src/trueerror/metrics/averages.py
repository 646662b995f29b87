"""Averages of one-class metrics over the classes: macro, micro, weighted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from trueerror.metrics.registry import Average, Measure, ratio
from trueerror.tallies.counts import BinaryCounts, ClassCounts


@cache
def averaged(base: Measure, average: Average) -> Measure:
    """The averaged version of a metric of one class, as a metric of all classes."""
    makers = {"macro": _macro, "micro": _micro, "weighted": _weighted}
    share = None
    if average == "macro":
        situation = {"f1": "macro-f1", "recall": "mean-of-recalls"}.get(base.name, "smooth")
    elif average == "micro":
        situation = base.situation if base.share is not None else "smooth"
        share = None if base.share is None else _micro_share(base)
    else:
        situation = "smooth"
    return replace(
        base,
        name=f"{average}_{base.name}",
        title=f"{average} {base.title}",
        function=makers[average](base),
        needs="classes",
        situation=situation,
        share=share,
        aliases=(),
        average=average,
        of=base.name,
        undefined=f"for some class {base.undefined}" if base.undefined else "",
    )


def classes_in_play(t: ClassCounts) -> Any:
    """Which classes have rows or predictions; the others leave the average."""
    return (t.truth != 0) | (t.predicted != 0)


def _macro(base: Measure) -> Any:
    def macro(t: ClassCounts, **options: Any) -> Any:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        there = classes_in_play(t)
        return ratio(np.where(there, values, 0).sum(axis=-1), there.sum(axis=-1))

    macro.__doc__ = f"Mean over the classes of: {base.summary}"
    return macro


def _weighted(base: Measure) -> Any:
    def weighted(t: ClassCounts, **options: Any) -> Any:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        # A class without rows has no weight, so its undefined value must not spoil the sum.
        return ratio(np.where(t.truth != 0, values * t.truth, 0).sum(axis=-1), t.truth.sum(axis=-1))

    weighted.__doc__ = f"Mean over the rows' classes of: {base.summary}"
    return weighted


def _micro(base: Measure) -> Any:
    def micro(t: ClassCounts, **options: Any) -> Any:
        return base.function(summed(t), **options)

    micro.__doc__ = f"From the counts summed over classes: {base.summary}"
    return micro


def _micro_share(base: Measure) -> Any:
    def share(t: ClassCounts) -> Any:
        assert base.share is not None
        return base.share(summed(t))

    return share


def summed(t: ClassCounts) -> BinaryCounts:
    """The four counts added over the classes."""
    return BinaryCounts(*(np.asarray(x).sum(axis=-1) for x in t.one_vs_rest()))
