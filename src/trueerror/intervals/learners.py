"""Intervals for a learner, from scores of test parts or from the losses of rows that each were tested once.

Pure functions of arrays: no learner is fitted here. Which one a plan calls for stands in the decision table
(`trueerror.methods.DECISIONS`); `te.experiment(…).estimate` takes it from there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import matrix
from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import numbers
from trueerror.intervals.losses import mean_limits
from trueerror.intervals.means import NO_SPREAD, ONE_VALUE
from trueerror.intervals.terms import Range, Terms
from trueerror.results import Interval
from trueerror.variances.corrected import Spread, corrected_spread

Floats = NDArray[np.float64]
REALS: Range = (-math.inf, math.inf)
SHARES: Range = (0.0, 1.0)
TOO_NARROW = "the folds' training sets overlap: too narrow for the learner"
SINGLE_ROUND = "one round of folds: conservative"


def fold_t(
    scores: Any = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    folds: int | None = None,
    bounds: Range = REALS,
    confidence: float = 0.95,
    name: str = "mean over folds",
    rows: int | None = None,
    estimand: str = "",
) -> Interval:
    """The mean over k folds ± t(k − 1)·s/√k, as if the folds were independent; they are not, so it is too narrow.

    Give the scores of the folds, or their mean, standard deviation and number. `corrected_t_interval` takes in that
    the training sets overlap.

    Source: Mitchell 1997, Machine Learning, 5.6; Dietterich 1998, Neural Comput. 10:1895, on its optimism.

    >>> print(fold_t(mean=0.1, sd=0.01, folds=11))
    mean over folds 0.100 [0.093, 0.107], 95 % fold-t, n = 11 (the folds' training sets overlap: too narrow for the
    learner)
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    if scores is not None:
        if (mean, sd, folds) != (None, None, None):
            raise InputError("give the scores of the folds, or mean=, sd= and folds=, not both")
        spread = corrected_spread(numbers(scores, "scores"), 0.0)
    else:
        if mean is None or sd is None or folds is None:
            raise InputError("give the scores of the folds, or all of mean=, sd= and folds=")
        if not (math.isfinite(mean) and math.isfinite(sd) and sd >= 0 and folds == int(folds) and folds >= 1):
            raise InputError(f"mean={mean!r}, sd={sd!r} and folds={folds!r}: finite, sd not negative, folds from 1 up")
        spread = Spread(float(mean), float(sd) / math.sqrt(folds), int(folds) - 1)
    return _t_interval(spread, terms, "fold-t", name, bounds, spread.df + 1 if rows is None else rows, (TOO_NARROW,))


def corrected_t_interval(
    scores: Any,
    *,
    test_train_ratio: float,
    repeats: int | None = None,
    bounds: Range = REALS,
    confidence: float = 0.95,
    name: str = "mean over folds",
    rows: int | None = None,
    estimand: str = "this learner",
) -> Interval:
    """The mean over J resampled test parts ± t(J − 1)·√(s²(1/J + n_test/n_train)).

    Repeats × folds are read as one list; `test_train_ratio` is 1/9 for ten folds. On a single round of folds
    (`repeats=1`) it is conservative, and the note says so.

    Source: Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD, 3.

    >>> folds = [0.81, 0.84, 0.79, 0.85, 0.83, 0.80, 0.86, 0.82, 0.78, 0.84]
    >>> print(corrected_t_interval(folds, test_train_ratio=1 / 9, repeats=1))
    mean over folds 0.822 [0.794, 0.850], 95 % corrected-t, n = 10 (one round of folds: conservative)
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    spread = corrected_spread(numbers(matrix(scores, "scores").reshape(-1), "scores"), test_train_ratio)
    notes = (SINGLE_ROUND,) if repeats == 1 else ()
    return _t_interval(spread, terms, "corrected-t", name, bounds, spread.df + 1 if rows is None else rows, notes)


def bayle(
    losses: Any,
    *,
    bounds: Range = REALS,
    confidence: float = 0.95,
    name: str = "mean loss",
    estimand: str = "these K models",
) -> Interval:
    """The mean of the losses of n rows, each tested once in a cross-validation: ± z·√(mean (ℓ − ℓ̄)²/n).

    It speaks of the K models that the cross-validation made, not of the learner; it needs no spread between folds, so
    it serves leave-one-out. Where all losses are the same and have a range, Wilson's limits for the share of rows that
    would have another take over.

    Source: Bayle, Bayle, Janson and Mackey 2020, NeurIPS 33:16339.

    >>> print(bayle([1] * 10 + [0] * 90, bounds=(0, 1)))
    mean loss 0.100 [0.041, 0.159], 95 % bayle, n = 100
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    values = numbers(losses, "losses")
    n = len(values)
    if n == 0:
        raise InputError("losses is empty; a mean needs at least one row")
    error = float(values.std()) / math.sqrt(n)
    if n > 1 and error > 1e-13 * max(abs(float(values.mean())), 1e-300):
        reach = terms.factor() * error
        mean = float(values.mean())
        return terms.interval(name, mean, mean - reach, mean + reach, bounds=bounds, method="bayle", n=n)
    return _flat(float(values.mean()), n, bounds, terms, name)


def conservative_z(
    estimate: float,
    halves: Any,
    *,
    bounds: Range = REALS,
    confidence: float = 0.95,
    name: str = "mean over splits",
    rows: int | None = None,
    estimand: str = "this learner",
) -> Interval:
    """The estimate from all rows ± z·σ̂, σ̂² = Σ(μ̂₁ − μ̂₂)²/2M over M pairs of estimates from disjoint halves.

    In each of M outer repetitions the rows are split into two halves without a row in common, and the whole resampling
    is done in each, with the same number of test rows. The two estimates of a pair are independent, so their difference
    shows the true variance of an estimate from half the rows, which is larger than that from all.

    Source: Nadeau and Bengio 2003, Machine Learning 52:239, 4.2.

    >>> print(conservative_z(0.2, [[0.22, 0.18], [0.24, 0.20], [0.19, 0.23]]))
    mean over splits 0.200 [0.145, 0.255], 95 % conservative-z, n = 3
    """
    terms = Terms(confidence=confidence, estimand=estimand)
    table = matrix(halves, "halves")
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0:
        raise InputError("halves must have a row for each repetition and two columns, one estimate for each half")
    pairs = numbers(table.reshape(-1), "halves").reshape(-1, 2)
    error = math.sqrt(float(((pairs[:, 0] - pairs[:, 1]) ** 2).mean()) / 2)
    low = high = math.nan
    note = NO_SPREAD
    if error > 0:
        reach = terms.factor() * error
        low, high, note = estimate - reach, estimate + reach, ""
    n = len(pairs) if rows is None else rows
    return terms.interval(name, float(estimate), low, high, bounds=bounds, method="conservative-z", n=n, note=note)


def _flat(mean: float, n: int, bounds: Range, terms: Terms, name: str) -> Interval:
    """All losses are the same."""
    low, high, method, note = mean_limits(mean, 0.0, n - 1.0, n, bounds, terms)
    if method == "t-mean":
        method = "bayle"
    return terms.interval(name, mean, low, high, bounds=bounds, method=method, n=n, note=note)


def _t_interval(
    spread: Spread, terms: Terms, method: str, name: str, bounds: Range, n: int, notes: tuple[str, ...]
) -> Interval:
    mean, error, df = spread
    low = high = math.nan
    if df < 1:
        notes = (ONE_VALUE,)
    elif not error > 0:
        notes = (NO_SPREAD,)
    else:
        reach = terms.factor(df) * error
        low, high = mean - reach, mean + reach
    return terms.interval(name, mean, low, high, bounds=bounds, method=method, n=n, note="; ".join(notes))
