"""The best of several settings looks better than it is: its error, corrected for the choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import matrix
from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import numbers
from trueerror.inputs.options import generator
from trueerror.intervals.losses import mean_limits
from trueerror.intervals.terms import Range, Terms
from trueerror.results import Interval
from trueerror.variances.bootstrap import quantiles

Floats = NDArray[np.float64]
# Cells of rows × replicates held at a time.
BLOCK = 1 << 21


def bbc_cv(
    losses: Any,
    *,
    higher_is_better: bool = False,
    replicates: int = 1000,
    bounds: Range = (0.0, 1.0),
    confidence: float = 0.95,
    name: str = "loss of the chosen setting",
    estimand: str = "the chosen setting",
    rng: Any = None,
) -> Interval:
    """The loss of the setting that is best in cross-validation, without the optimism of having chosen it there.

    `losses` are rows × settings, each row's loss when it was in the test part. B times, n rows are drawn with
    replacement; the setting that is best on them is scored on the rows that were not drawn. The estimate is the mean of
    these scores, the limits their percentiles. No model is fitted again.

    Source: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895.

    >>> draws = (np.random.default_rng(0).random((100, 20)) < 0.3).astype(float)
    >>> float(round(draws.mean(axis=0).min(), 2)), round(bbc_cv(draws).estimate, 2)
    (0.23, 0.31)
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    table = matrix(losses, "losses")
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise InputError("losses must have a row for each example (at least 2) and a column for each setting")
    values = numbers(table.reshape(-1), "losses").reshape(table.shape)
    if replicates < 100 or replicates != int(replicates):
        raise InputError(f"replicates={replicates!r} must be a whole number of at least 100; 1,000 is usual")
    draw, seed = generator(rng)
    sign = 1.0 if higher_is_better else -1.0
    n = len(values)
    scores = np.concatenate([_chosen_scores(often, values, sign) for often in _draws(n, int(replicates), draw)])
    scores = scores[~np.isnan(scores)]
    mean, method, note = float(scores.mean()), "bbc-cv", f"{replicates:,} resamples, {seed}"
    low, high = (float(q) for q in quantiles(scores, np.array([terms.tail, 1 - terms.tail])))
    if not high > low:
        low, high, method, note = mean_limits(mean, 0.0, n - 1.0, n, bounds, terms)
        method = "bbc-cv" if method == "t-mean" else method
    return terms.interval(name, mean, low, high, bounds=bounds, method=method, n=n, note=note)


def _draws(n: int, replicates: int, draw: np.random.Generator) -> Iterator[Floats]:
    """How often each row is drawn, some replicates at a time; the blocks do not change what is drawn."""
    step = max(1, BLOCK // n)
    for start in range(0, replicates, step):
        yield draw.multinomial(n, np.full(n, 1 / n), size=min(step, replicates - start)).astype(np.float64)


def _chosen_scores(often: Floats, values: Floats, sign: float) -> Floats:
    """For each replicate: the best setting in the bag, scored out of the bag; NaN where nothing is out of it."""
    best = np.argmax(sign * (often @ values), axis=1)
    out = (often == 0).astype(np.float64)
    left = out.sum(axis=1)
    sums = np.take_along_axis(out @ values, best[:, None], axis=1)[:, 0]
    scores: Floats = np.where(left > 0, sums / np.where(left > 0, left, 1.0), np.nan)
    return scores
