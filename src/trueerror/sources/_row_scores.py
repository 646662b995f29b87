"""The scores of several models row by row, with the truth and the clusters beside them, for what no tally holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError
from trueerror.sources._predictions import Predictions
from trueerror.sources._protocols import Loss
from trueerror.sources.engines._array_source import ArraySource, KeyColumn
from trueerror.sources.engines._memory import MemoryBudgetExceeded

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


def weighted_rows(
    p: Predictions, models: Sequence[str], *, positive: object = None
) -> tuple[ScoredRows, Floats | None]:
    """The same with the rows' sampling weights, None where there are none."""
    if p.weights_kind != "sampling":
        return scored_rows(p, models, positive=positive), None
    source = p.source.with_facts(p.facts.select(models)).complete(models).fetched()
    assert source.weights is not None
    kept = source.weights > 0
    if p.missing == "drop":
        for model in models:
            scores = source.columns[model].scores
            assert scores is not None
            kept &= ~np.isnan(scores.reshape(len(scores), -1)).any(axis=1)
    rows = replace(p, source=source.take(np.flatnonzero(kept)), _memory={})
    up, columns = rows.score_columns(models, positive=positive)
    return ScoredRows(up, columns, _clusters(rows)), rows.source.fetched().weights


def answered_by_all(p: Predictions) -> Predictions:
    """The rows that every model answered, where missing="drop" leaves out the others; all rows where none lacks an
    answer, where nothing would be left, or where the rows do not fit into memory."""
    if p.missing != "drop" or not any(p.absent(m) for m in p.models):
        return p
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return p
    kept = ~np.logical_or.reduce([_absent(source, m) for m in p.models])
    return replace(p, source=source.take(np.flatnonzero(kept)), _memory={}) if kept.any() else p


class SkippedRows(NamedTuple):
    """Rows that a model left out: whether another one was right on them, and on those that both answered; clusters of
    both where there are any."""

    model: str
    other: str
    left_out: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    clusters: tuple[Codes, Codes] | None


def skipped_rows(p: Predictions, *, threshold: float | None = None) -> Iterator[SkippedRows]:
    """Of each model with gaps, how the others did on the rows that it left out."""
    gaps = [m for m in p.models if p.absent(m)]
    callers = [m for m in p.models if p.has_predictions(m, threshold=threshold)]
    if not gaps or not callers:
        return
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return
    keys = source.keyed["clusters"].codes if p.has_key("clusters") else None
    for model in gaps:
        gone = _absent(source, model)
        for other in callers:
            there = ~_absent(source, other)
            if other == model or not (gone & there).any() or not (~gone & there).any():
                continue
            right = source.predicted_codes(other, threshold) == source.truth
            parts = (gone & there, ~gone & there)
            by_cluster = None if keys is None else (keys[parts[0]], keys[parts[1]])
            yield SkippedRows(model, other, right[parts[0]], right[parts[1]], by_cluster)


def _absent(source: ArraySource, model: str) -> NDArray[np.bool_]:
    """Which rows lack a label or a score of the model."""
    labels, scores = source.columns[model]
    gone = np.zeros(source.facts.n, dtype=bool) if labels is None else labels < 0
    if scores is not None:
        gone = gone | np.isnan(scores.reshape(len(scores), -1)).any(axis=1)
    return gone


def rows_as_clusters(p: Predictions) -> Predictions:
    """The same rows, each a cluster of its own: what rows with sampling weights are to a test over clusters."""
    source = p.source.fetched()
    keys = KeyColumn(np.arange(source.facts.n), tuple(range(source.facts.n)))
    facts = replace(source.facts, kinds=(*source.facts.kinds, "clusters"))
    return replace(p, source=replace(source, facts=facts, keyed={**source.keyed, "clusters": keys}), _memory={})


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
    source = p.source.complete(models).scored_rows(models)
    source = source.with_facts(source.facts.select(models))
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
    for k in range(len(p.labels) if 1 < len(p.labels) <= MOST_LABELS else 0):
        ends.append(taken(lambda codes, chances, k=k: loss(np.full_like(codes, k), chances)))  # type: ignore[misc]
    known = np.concatenate(ends)
    known = known[~np.isnan(known)]
    if not len(known):
        return LossRows(values, math.nan, math.nan)
    return LossRows(values, float(known.min()), float(known.max()))


def _clusters(p: Predictions) -> Codes | None:
    return p.source.fetched().keyed["clusters"].codes if p.has_key("clusters") else None
