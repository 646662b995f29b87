"""Losses of rows: from scores to probabilities, and from losses to their moments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Codes, need_positive
from trueerror.inputs.scores import check_probabilities
from trueerror.inputs.weights import WeightsKind
from trueerror.kernels.threads import in_threads
from trueerror.rows.source import Facts, Loss
from trueerror.tallies import Moments, ScoreTable

Floats = NDArray[np.float64]
# Rows whose losses are taken in one go: what lies between scores and losses stays in a core's cache.
BLOCK = 1 << 15


def row_losses(scores: NDArray[np.floating[Any]], codes: Codes, facts: Facts, model: str, loss: Loss) -> Floats:
    """The loss of each row: it depends on the row's scores and class alone, so blocks of rows go to threads."""
    check_probabilities(scores, f"the scores of {model!r}")
    values = np.empty(len(codes))

    def fill(rows: slice) -> None:
        values[rows] = loss(codes[rows], _side_by_side(scores[rows], facts, model))

    in_threads(fill, [slice(i, i + BLOCK) for i in range(0, max(len(codes), 1), BLOCK)])
    return values


def probabilities(scores: NDArray[np.floating[Any]], facts: Facts, model: str) -> Floats:
    """Probabilities (n, K) in label order; one column of scores is P(positive), and the rest is P(negative)."""
    check_probabilities(scores, f"the scores of {model!r}")
    return _side_by_side(scores, facts, model)


def _side_by_side(scores: NDArray[np.floating[Any]], facts: Facts, model: str) -> Floats:
    """A column for each class."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim == 2:
        return table
    if facts.positive is None:
        raise need_positive(facts.labels, f"the probabilities of {model!r}")
    if len(facts.labels) != 2:
        raise InputError(
            f"{model!r} has one probability a row, but there are {len(facts.labels)} classes; this metric needs one "
            "column of probabilities for each class"
        )
    both = np.empty((len(table), 2))
    index = facts.labels.index(facts.positive)
    both[:, index] = table
    both[:, 1 - index] = 1 - table
    return both


def table_moments(table: ScoreTable, facts: Facts, model: str, loss: Loss) -> Moments:
    """The moments of a loss of two classes from the score table: a row's loss depends on its score and class alone."""
    index = facts.labels.index(table.positive)
    sides = [(table.negatives, 1 - index), (table.positives, index)]
    there = [counts > 0 for counts, _ in sides]
    scores = np.concatenate([table.scores[t] for t in there])
    codes = np.concatenate([np.full(int(t.sum()), code) for t, (_, code) in zip(there, sides, strict=True)])
    counts = np.concatenate([counts[t] for t, (counts, _) in zip(there, sides, strict=True)])
    return moments_of(row_losses(scores, codes, facts, model, loss), counts.astype(np.float64), "frequency")


def moments_of(values: Floats, weights: Floats | None, kind: WeightsKind | None) -> Moments:
    """The moments of row losses, under row weights where there are some.

    Frequency weights repeat rows. With sampling weights the mean is Σwℓ/Σw, and the spread Σ(w/w̄)²(ℓ − mean)², which
    makes the standard error the linearised one of a ratio (Cochran 1977, chapter 6).

    >>> moments_of(np.array([1.0, 3.0]), np.array([2.0, 1.0]), "frequency").mean
    1.6666666666666667
    """
    if weights is None or len(values) == 0:
        return Moments.of(values)
    total = float(weights.sum())
    if total == 0:
        return Moments(0, 0.0, 0.0)
    counted = weights > 0
    values, weights = values[counted], weights[counted]
    mean = float(np.dot(weights, values) / total)
    if not np.isfinite(mean):
        return Moments(int(total) if kind == "frequency" else len(values), mean, np.inf)
    squares = (values - mean) ** 2
    if kind == "frequency":
        return Moments(int(total), mean, float(np.dot(weights, squares)))
    relative = weights * (len(values) / total)
    return Moments(len(values), mean, float(np.dot(relative * relative, squares)))
