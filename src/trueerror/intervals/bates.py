"""Bates, Hastie and Tibshirani's interval: cross-validation that measures its own variance.

Source: Bates, Hastie and Tibshirani 2024, J. Am. Stat. Assoc. 119:1434 (arXiv 2104.00673), algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.intervals.losses import mean_limits
from trueerror.intervals.terms import Range, Terms
from trueerror.results import Interval

Floats = NDArray[np.float64]


class PairLosses(Protocol):
    """Losses of one repetition of K folds, row by row.

    `single[k]` are those of fold k from the model fitted without it; `pair[i, j]`, i < j, those of fold i and of fold j
    from the model fitted without both.
    """

    @property
    def single(self) -> Sequence[Floats]: ...
    @property
    def pair(self) -> Mapping[tuple[int, int], tuple[Floats, Floats]]: ...


class NestedError(NamedTuple):
    """The bias-corrected mean loss, its standard error, and by how much that exceeds the naive one."""

    mean: float
    error: float
    inflation: float
    bias: float
    rows: int


def bates(
    repeats: Sequence[PairLosses],
    *,
    bounds: Range = (-math.inf, math.inf),
    confidence: float = 0.95,
    name: str = "mean loss",
    estimand: str = "this learner",
) -> Interval:
    """The learner's mean loss from R repetitions of K folds with all pairs of folds left out, and its limits.

    mean pair loss − bias ± z·inflation·sd/√n, where inflation² compares the squared gap between the losses inside and
    outside each fold with what independent losses would give, kept within [1, K]; the bias is that of models fitted to
    two folds fewer.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> rng = np.random.default_rng(0)
    >>> draw = lambda: (rng.random(20) < 0.2).astype(float)
    >>> fold = lambda: SimpleNamespace(single=[draw() for _ in range(5)],
    ...     pair={(i, j): (draw(), draw()) for i in range(5) for j in range(i + 1, 5)})
    >>> made = bates([fold() for _ in range(4)], bounds=(0, 1))
    >>> made.method, made.n, made.low < made.estimate < made.high
    ('bates', 100, True)
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    found = nested_error(repeats)
    mean = min(max(found.mean, bounds[0]), bounds[1])
    if not found.error > 1e-13 * max(abs(mean), 1e-300):
        low, high, method, note = mean_limits(mean, 0.0, found.rows - 1.0, found.rows, bounds, terms)
        method = "bates" if method == "t-mean" else method
    else:
        reach = terms.factor() * found.error
        low, high, method = found.mean - reach, found.mean + reach, "bates"
        note = f"{found.inflation:.2f} times the naive standard error"
    return terms.interval(name, mean, low, high, bounds=bounds, method=method, n=found.rows, note=note)


def nested_error(repeats: Sequence[PairLosses]) -> NestedError:
    """The estimate behind `bates`, without limits; also for differences of two learners' losses."""
    if not repeats:
        raise InputError("there are no repetitions; nested cross-validation needs at least one")
    k = len(repeats[0].single)
    if k < 3:
        raise InputError(f"nested cross-validation needs at least 3 folds, but there are {k}")
    pooled, single, gaps = [], [], []
    for r in repeats:
        _check(r, k)
        pooled += [part for both in r.pair.values() for part in both]
        single += list(r.single)
        for fold in range(k):
            inside = np.concatenate([_inside(r.pair, fold, other) for other in range(k) if other != fold])
            outside = r.single[fold]
            spread = float(outside.var(ddof=1)) if len(outside) > 1 else 0.0
            gaps.append(float(inside.mean() - outside.mean()) ** 2 - spread / len(outside))
    losses = np.concatenate(pooled)
    rows = sum(len(part) for part in repeats[0].single)
    sd, mean = float(losses.std(ddof=1)), float(losses.mean())
    size = math.floor(rows * (k - 1) / k)
    naive = sd / math.sqrt(size)
    inflation = math.sqrt(max(0.0, float(np.mean(gaps)))) / naive if naive > 0 else 1.0
    inflation = min(max(inflation, 1.0), math.sqrt(k))
    bias = (mean - float(np.concatenate(single).mean())) * (1 + ((k - 2) / k) ** 1.5)
    return NestedError(mean - bias, sd / math.sqrt(rows) * inflation, inflation, bias, rows)


def _inside(pair: Mapping[tuple[int, int], Any], fold: int, other: int) -> Floats:
    """Losses on the other fold from the model fitted without both."""
    losses: Floats = pair[fold, other][1] if fold < other else pair[other, fold][0]
    return losses


def _check(r: PairLosses, k: int) -> None:
    if len(r.single) != k:
        raise InputError(f"one repetition has {len(r.single)} folds and another {k}; all must have the same number")
    for i in range(k):
        if len(r.single[i]) == 0:
            raise InputError(f"fold {i + 1} has no rows; use fewer folds")
        for j in range(i + 1, k):
            if (i, j) not in r.pair:
                raise InputError(f"the losses without folds {i + 1} and {j + 1} are missing: a fit may have failed")
