"""Metrics over all classes at once, from hits and margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.metrics.averages import classes_in_play
from trueerror.metrics.registry import measure, ratio
from trueerror.tallies.counts import ClassCounts

NO_ROWS = "there are no rows"


@measure("accuracy", needs="classes", best=1.0, situation="proportion", undefined=NO_ROWS,
         aliases=("acc", "subset_accuracy"), multilabel=lambda t: ratio(t.exact, t.n),
         share=lambda t: (t.hits.sum(axis=-1), t.total))  # fmt: skip
def accuracy(t: ClassCounts) -> Any:
    """Share of the rows that were called right; of rows with several labels, those that are all right."""
    return ratio(t.hits.sum(axis=-1), t.total)


@measure("error_rate", needs="classes", best=0.0, situation="proportion", undefined=NO_ROWS,
         aliases=("error", "zero_one_loss"), multilabel=lambda t: ratio(t.n - t.exact, t.n),
         share=lambda t: (t.total - t.hits.sum(axis=-1), t.total))  # fmt: skip
def error_rate(t: ClassCounts) -> Any:
    """Share of the rows that were called wrong; of rows with several labels, those that are not all right."""
    return ratio(t.total - t.hits.sum(axis=-1), t.total)


@measure("hamming_loss", needs="classes", best=0.0, situation="proportion", undefined=NO_ROWS, title="Hamming loss",
         multilabel=lambda t: ratio((t.fp + t.fn).sum(), t.n * len(t.labels)),
         share=lambda t: (t.total - t.hits.sum(axis=-1), t.total))  # fmt: skip
def hamming_loss(t: ClassCounts) -> Any:
    """Share of wrong label decisions; with one label a row this is the error rate."""
    return ratio(t.total - t.hits.sum(axis=-1), t.total)


@measure("balanced_accuracy", needs="classes", best=1.0, situation="mean-of-recalls",
         undefined=NO_ROWS)  # fmt: skip
def balanced_accuracy(t: ClassCounts) -> Any:
    """Mean recall over the classes that have rows."""
    recalls = ratio(t.hits, t.truth)
    there = t.truth != 0
    return ratio(np.where(there, recalls, 0).sum(axis=-1), there.sum(axis=-1))


@measure("g_mean", needs="classes", best=1.0, situation="geometric-mean", title="G-mean",
         undefined="a class was predicted but has no rows")  # fmt: skip
def g_mean(t: ClassCounts) -> Any:
    """Geometric mean of the classes' recalls; of two classes √(recall · specificity) (Kubat and Matwin 1997)."""
    there = classes_in_play(t)
    recalls = ratio(t.hits, t.truth)
    lost = (there & (t.hits == 0) & (t.truth != 0)).any(axis=-1)
    # Logarithms, since a product over many classes would underflow; a class that was never found makes it 0.
    logs = np.log(np.where(there & (t.hits != 0), recalls, 1)) + np.where(there & (t.truth == 0), np.nan, 0)
    mean = ratio(logs.sum(axis=-1), there.sum(axis=-1))
    value = np.where(lost & ~np.isnan(mean), 0, np.exp(mean))
    return value if value.ndim else value.item()


@measure("mcc", needs="classes", best=1.0, range=(-1.0, 1.0), situation="mcc", title="Matthews correlation",
         aliases=("matthews", "matthews_correlation"),
         undefined="all rows are of one class, or all were predicted as one")  # fmt: skip
def mcc(t: ClassCounts) -> Any:
    """Matthews correlation, for any number of classes (Gorodkin 2004)."""
    n = np.asarray(t.total)
    none = n - t.predicted.sum(axis=-1)  # rows without a prediction are a class of their own among the calls
    # Σ p(n − p) rather than n² − Σ p²: no digits are lost when one class is rare among a billion rows.
    spread_called = (t.predicted * (n[..., None] - t.predicted)).sum(axis=-1) + none * (n - none)
    spread_truth = (t.truth * (n[..., None] - t.truth)).sum(axis=-1)
    # At a prior that leaves one class alone, rounding leaves dust (of either sign) where a spread is 0.
    spread_called, spread_truth = (
        np.where(np.real(s) > 1e-14 * np.real(n * n), s, 0) for s in (spread_called, spread_truth)
    )
    top = t.hits.sum(axis=-1) * n - (t.truth * t.predicted).sum(axis=-1)
    # One root of the product, so that a perfect table scores 1 to the last bit.
    return ratio(top, np.sqrt(spread_called * spread_truth))
