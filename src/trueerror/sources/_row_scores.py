"""The scores of several models row by row, with the truth and the clusters beside them, for what no tally holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError
from trueerror.sources._predictions import Predictions
from trueerror.sources._protocols import Loss

Floats = NDArray[np.float64]
# Rows that stand for many are written out up to so many rows in all.
MOST_ROWS = 100_000_000
# Of more labels than this it is not tried what each would have cost.
MOST_LABELS = 20


class ScoredRows(NamedTuple):
    """Which rows are positive, one column of scores a model, and each row's cluster where there are clusters."""

    up: NDArray[np.bool_]
    scores: Floats
    clusters: Codes | None


class ClassScoredRows(NamedTuple):
    """The rows' classes, one table of scores (n, K) a model, and each row's cluster where there are clusters."""

    codes: Codes
    scores: list[Floats]
    clusters: Codes | None


def scored_rows(p: Predictions, models: Sequence[str], *, positive: object = None) -> ScoredRows:
    """The rows that all of the models scored, one class against the rest."""
    rows = complete_rows(p, models)
    up, scores = rows.score_columns(models, positive=positive)
    return ScoredRows(up, scores, _clusters(rows))


def class_scored_rows(p: Predictions, models: Sequence[str]) -> ClassScoredRows:
    """The rows that all of the models scored, with a score for each class."""
    rows = complete_rows(p, models)
    tables = [rows.class_scores(m) for m in models]
    return ClassScoredRows(tables[0][0], [scores for _, scores in tables], _clusters(rows))


def complete_rows(p: Predictions, models: Sequence[str]) -> Predictions:
    """The same rows without weights: a row that stands for several is there as often; rows without a score are left
    out where missing="drop" says so."""
    if p.weights_kind == "sampling":
        raise InputError("scores row by row do not take sampling weights; choose a metric of labels, or leave them out")
    source = p.source.with_facts(p.facts.select(models)).complete(models).fetched()
    often = np.ones(source.facts.n, dtype=np.int64) if source.weights is None else source.weights.astype(np.int64)
    if p.missing == "drop":
        for model in models:
            scores = source.columns[model].scores
            if scores is not None and source.facts.model(model).absent:
                often[np.isnan(scores) if scores.ndim == 1 else np.isnan(scores).any(axis=1)] = 0
    if (often == 1).all():
        return replace(p, source=source, _memory={})
    if int(often.sum()) > MOST_ROWS:
        raise InputError(f"the weights stand for {int(often.sum()):,} rows, too many to rank row by row")
    taken = source.take(np.repeat(np.arange(len(often)), often))
    plain = replace(taken, weights=None, facts=replace(taken.facts, weights_kind=None))
    return replace(p, source=plain, _memory={})


class LossRows(NamedTuple):
    """A loss (or the difference of two) row by row, and the lowest and highest that any label of a row would give."""

    values: Floats
    lowest: float
    highest: float


def loss_rows(p: Predictions, models: Sequence[str], loss: Loss) -> LossRows:
    """The loss of one model on each row that it scored, or the first's less the second's on those that both scored."""
    source = complete_rows(p, models).source.fetched()

    def taken(of: Loss) -> Floats:
        columns, _ = source.losses(models, of)
        with np.errstate(invalid="ignore"):
            return columns[0] if len(columns) == 1 else columns[0] - columns[1]

    values = taken(loss)
    ends = [values]
    for k in range(len(p.labels) if len(p.labels) <= MOST_LABELS else 0):
        ends.append(taken(lambda codes, chances, k=k: loss(np.full_like(codes, k), chances)))  # type: ignore[misc]
    known = np.concatenate(ends)
    known = known[~np.isnan(known)]
    if not len(known):
        return LossRows(values, math.nan, math.nan)
    return LossRows(values, float(known.min()), float(known.max()))


def _clusters(p: Predictions) -> Codes | None:
    return p.source.fetched().keyed["clusters"].codes if p.has_key("clusters") else None
