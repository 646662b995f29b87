"""Bias and variance of a loss over training sets, row by row: pure functions of what the models said."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Decomposition = Literal["domingos", "kohavi-wolpert", "squared"]


class RowParts(NamedTuple):
    """The expected loss of each test row and its parts: loss = noise + bias + variance.

    Of Domingos' parts, variance is unbiased − biased: on rows where the main prediction is wrong, disagreeing helps.
    """

    loss: Floats
    noise: Floats
    bias: Floats
    variance: Floats
    unbiased: Floats
    biased: Floats


def shares(calls: NDArray[np.intp], classes: int, weights: Floats | None = None) -> Floats:
    """How often each row was called each class over the rounds: (rows, classes), from calls (rounds, rows)."""
    w = np.full(len(calls), 1 / len(calls)) if weights is None else weights
    return np.stack([w @ (calls == k) for k in range(classes)], axis=1)


def kohavi_wolpert(called: Floats, posterior: Floats, rounds: int) -> RowParts:
    """The decomposition of 0-1 loss by Kohavi and Wolpert (1996), ICML, 275.

    noise = ½(1 − Σ P(y)²), bias² = ½ Σ (P(y) − P(ŷ = y))², variance = ½(1 − Σ P(ŷ)²), from shares over T training
    sets; the variance that T leaves in the shares is moved from the bias to the variance.

    >>> made = kohavi_wolpert(np.array([[0.8, 0.2]]), np.array([[1.0, 0.0]]), 10**9)
    >>> [round(float(x[0]), 4) for x in made[:4]]
    [0.2, 0.0, 0.04, 0.16]
    """
    noise = 0.5 * (1 - (posterior**2).sum(axis=1))
    bias = 0.5 * ((posterior - called) ** 2).sum(axis=1)
    variance = 0.5 * (1 - (called**2).sum(axis=1))
    moved = variance / (rounds - 1)
    loss = 1 - (posterior * called).sum(axis=1)
    nothing = np.full(len(called), np.nan)
    return RowParts(loss, noise, bias - moved, variance + moved, nothing, nothing)


def domingos(called: Floats, posterior: Floats) -> RowParts:
    """The unified decomposition of 0-1 loss by Domingos (2000), ICML, 231.

    Main prediction: the class that most models call. bias: whether it differs from the best answer; variance: how often
    models differ from it, counted for the loss where it is right and (as far as they hit the best answer) against the
    loss where it is wrong; noise: what remains of the expected loss, since even the best answer errs.

    >>> made = domingos(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    >>> [x.round(3).tolist() for x in made]
    [[0.2, 0.7], [0.0, 0.0], [0.0, 1.0], [0.2, -0.3], [0.2, 0.0], [0.0, 0.3]]
    """
    rows = np.arange(len(called))
    main, best = called.argmax(axis=1), posterior.argmax(axis=1)
    bias = (main != best).astype(np.float64)
    differ = 1 - called[rows, main]
    unbiased = np.where(bias == 0, differ, 0.0)
    # Where the main prediction is wrong, only answers that hit the best one take loss away.
    biased = np.where(bias == 1, called[rows, best], 0.0)
    loss = 1 - (posterior * called).sum(axis=1)
    variance = unbiased - biased
    noise = loss - bias - variance
    # Rounding dust must not pass for noise.
    noise = np.where(np.abs(noise) < 1e-12, 0.0, noise)
    return RowParts(loss, noise, bias, variance, unbiased, biased)


def squared(mean: Floats, spread: Floats, posterior: Floats, rounds: int) -> RowParts:
    """The decomposition of squared loss of probabilities (Geman, Bienenstock and Doursat 1992, Neural Comput. 4:1).

    On the scale of the Brier score ½ Σ (p − y)²: noise ½ Σ P(1 − P), bias² ½ Σ (P − p̄)², variance ½ Σ var(p); `mean`
    and `spread` are p̄ and the (biased) variance over T training sets, by row and class.

    >>> made = squared(np.array([[0.7, 0.3]]), np.array([[0.01, 0.01]]), np.array([[1.0, 0.0]]), 10**9)
    >>> [round(float(x[0]), 4) for x in made[:4]]
    [0.1, 0.0, 0.09, 0.01]
    """
    noise = 0.5 * (posterior * (1 - posterior)).sum(axis=1)
    bias = 0.5 * ((posterior - mean) ** 2).sum(axis=1)
    variance = 0.5 * spread.sum(axis=1)
    moved = variance / (rounds - 1)
    nothing = np.full(len(mean), np.nan)
    return RowParts(noise + bias + variance, noise, bias - moved, variance + moved, nothing, nothing)


def decompose(
    how: Decomposition,
    calls: NDArray[np.intp],
    probabilities: Floats | None,
    posterior: Floats,
    weights: Floats | None = None,
) -> RowParts:
    """The parts from calls (rounds, rows) or probabilities (rounds, rows, classes), rounds weighted if asked for."""
    rounds, classes = len(calls), posterior.shape[1]
    if how == "squared":
        assert probabilities is not None
        w = np.full(rounds, 1 / rounds) if weights is None else weights
        mean = np.tensordot(w, probabilities, 1)
        return squared(mean, np.tensordot(w, probabilities**2, 1) - mean**2, posterior, rounds)
    called = shares(calls, classes, weights)
    return domingos(called, posterior) if how == "domingos" else kohavi_wolpert(called, posterior, rounds)
