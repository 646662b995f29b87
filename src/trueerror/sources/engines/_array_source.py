"""Rows in memory: NumPy columns that are counted with the kernels; row losses and their moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Column, Scores, WeightsKind, check_probabilities
from trueerror.inputs._labels import Codes, Label, any_missing, need_positive
from trueerror.inputs._options import InputError
from trueerror.kernels import _numpy as plain
from trueerror.kernels._random import in_threads
from trueerror.sources._keys import truth_fingerprint
from trueerror.sources._protocols import (
    Facts,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    ScoreRange,
    pick_key,
    settled_threshold,
)
from trueerror.sources.engines import _group_tallies as groups
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Moments, ScoreTable

Floats = NDArray[np.float64]
# Rows whose losses are taken in one go: what lies between scores and losses stays in a core's cache.
BLOCK = 1 << 15


def row_losses(scores: Scores, codes: Codes, facts: Facts, model: str, loss: Loss) -> Floats:
    """The loss of each row: it depends on the row's scores and class alone, so blocks of rows go to threads."""
    if scores.ndim == 1 or not getattr(getattr(loss, "func", loss), "any_scores", False):
        check_probabilities(scores, f"the scores of {model!r}")
    values = np.empty(len(codes))

    def fill(rows: slice) -> None:
        values[rows] = loss(codes[rows], _side_by_side(scores[rows], facts, model))

    in_threads(fill, [slice(i, i + BLOCK) for i in range(0, max(len(codes), 1), BLOCK)])
    return values


def probabilities(scores: Scores, facts: Facts, model: str) -> Floats:
    """Probabilities (n, K) in label order; one column of scores is P(positive), and the rest is P(negative)."""
    check_probabilities(scores, f"the scores of {model!r}")
    return _side_by_side(scores, facts, model)


def _side_by_side(scores: Scores, facts: Facts, model: str) -> Floats:
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
    codes = np.repeat([code for _, code in sides], [np.count_nonzero(t) for t in there])
    counts = np.concatenate([counts[t] for t, (counts, _) in zip(there, sides, strict=True)])
    losses = row_losses(scores, codes, facts, model, loss)
    # Scores that no two rows share are rows, which need no counts.
    return moments_of(losses, counts.astype(np.float64) if counts.max(initial=0) > 1 else None, "frequency")


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
    if kind == "frequency":
        return Moments.of(values, weights.astype(np.int64))
    mean = float(np.dot(weights, values) / total)
    if not np.isfinite(mean):
        return Moments(len(values), mean, np.inf)
    squares = (values - mean) ** 2
    relative = weights * (len(values) / total)
    return Moments(len(values), mean, float(np.dot(relative * relative, squares)))


class ModelColumns(NamedTuple):
    """One model's labels as codes (−1 is absent), and its scores, (n,) or (n, K), NaN where absent."""

    labels: Codes | None = None
    scores: Scores | None = None


class KeyColumn(NamedTuple):
    """Coded keys; each row has one."""

    codes: Codes
    names: tuple[Label, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ArraySource:
    """Rows in NumPy columns."""

    facts: Facts
    truth: Codes
    columns: Mapping[str, ModelColumns]
    keyed: Mapping[KeyKind, KeyColumn]
    ids: Column | None = None
    weights: Floats | None = None
    name: str = ""

    @property
    def memory_budget(self) -> None:
        return None

    @property
    def binning(self) -> str:
        return ""

    def with_facts(self, facts: Facts) -> ArraySource:
        return replace(self, facts=facts)

    def fetched(self) -> ArraySource:
        return self

    def scored_rows(self, models: Sequence[str]) -> ArraySource:
        return self

    def clustered_by_id(self) -> ArraySource:
        """The same rows, those of one id a cluster."""
        assert self.ids is not None
        names, codes = np.unique(self.ids, return_inverse=True)
        column = KeyColumn(codes.astype(np.int64), tuple(names.tolist()))
        kinds = (*self.facts.kinds, "clusters")
        return replace(self, facts=replace(self.facts, kinds=kinds), keyed={**self.keyed, "clusters": column})

    def truth_counts(self) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = plain.count_codes([self.truth], [len(self.facts.labels)])
        return counts

    def truth_codes(self) -> Codes:
        return self.truth

    def fingerprint(self) -> str:
        return truth_fingerprint(self.truth, self.facts.labels)

    # Labels.

    def predicted_codes(self, model: str, threshold: float | None = None) -> Codes:
        """The predicted label of each row, as codes in label order; −1 where it is absent."""
        rule = self.facts.decision_rule(model, threshold)
        labels, scores = self.columns[model]
        if rule.kind == "labels":
            assert labels is not None
            return labels
        assert scores is not None
        if rule.kind == "argmax":
            return _or_absent(np.argmax(scores, axis=1), _lacking(scores))
        positive = self.facts.positive
        assert positive is not None
        index = self.facts.labels.index(positive)
        one = scores if scores.ndim == 1 else scores[:, index]
        # An array of 64 bits compares 32-bit scores at full precision, as the score table holds them, in any NumPy.
        cut = np.array([settled_threshold(model, rule.threshold, lambda: self.score_range(model))], dtype=np.float64)
        with np.errstate(invalid="ignore"):
            predicted = np.where(one >= cut, index, 1 - index)
        return _or_absent(predicted, np.isnan(one))

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        facts = self.facts
        return Confusion.from_codes(
            self.truth, self.predicted_codes(model, threshold), facts.labels, positive=facts.chosen,
            weights=self.weights, weights_kind=facts.weights_kind, missing=facts.missing, declared=facts.declared,
            sources=self._sources(),
        )  # fmt: skip

    def keyed_confusion(self, model: str, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        codes, names = self._key_column(kind)
        predicted = self.predicted_codes(model, threshold)
        return groups.keyed_confusion(
            self.facts, _wide(codes), names, _wide(self.truth), _wide(predicted), self._weighed(), self.name
        )

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        a, b = self.predicted_codes(first, threshold), self.predicted_codes(second, threshold)
        if self.weights is not None:
            return groups.agreement_table(self.facts, _wide(self.truth), _wide(a), _wide(b), self._weighed())
        facts = self.facts
        return Agreement.from_codes(self.truth, a, b, facts.labels, positive=facts.positive, missing=facts.missing)

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        codes, names = self._key_column(kind)
        a, b = self.predicted_codes(first, threshold), self.predicted_codes(second, threshold)
        return groups.keyed_agreement(
            self.facts, _wide(codes), names, _wide(self.truth), _wide(a), _wide(b), self._weighed()
        )

    # Scores.

    def scores(self, model: str, *, positive: object = None) -> ScoreTable:
        chosen = self.facts.score_class(model, positive)
        one, kept = self._one_score(model, chosen)
        is_positive = self.truth == self.facts.labels.index(chosen)
        weights = self.weights
        if kept is not None:
            one, is_positive = one[kept], is_positive[kept]
            weights = None if weights is None else weights[kept]
        return ScoreTable.from_codes(
            is_positive, one, chosen, weights=weights, weights_kind=self.facts.weights_kind, sources=self._sources()
        )

    def score_range(self, model: str) -> ScoreRange:
        scores = self._scores(model)
        if scores.size == 0 or np.isnan(scores).all():
            return ScoreRange(np.nan, np.nan)
        low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
        if scores.ndim == 1:
            return ScoreRange(low, high)
        sums = scores.sum(axis=1, dtype=np.float64)
        return ScoreRange(low, high, float(np.nanmin(sums)), float(np.nanmax(sums)))

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        codes, kept = self._scored([model])
        scores = self._scores(model).astype(np.float64)
        if scores.ndim == 1:
            raise InputError(
                f"{model!r} has one score a row; this needs one column of scores for each of the "
                f"{len(self.facts.labels)} classes"
            )
        return codes, scores if kept is None else scores[kept]

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        chosen = [self.facts.score_class(model, positive) for model in models]
        codes, kept = self._scored(models)
        columns = [self._one_score(m, c)[0].astype(np.float64) + 0.0 for m, c in zip(models, chosen, strict=True)]
        side_by_side = np.stack(columns, axis=1)
        return codes == self.facts.labels.index(chosen[0]), side_by_side if kept is None else side_by_side[kept]

    def unscored(self, model: str) -> int:
        return int(np.count_nonzero(_lacking(self._scores(model))))

    def complete(self, models: Sequence[str]) -> ArraySource:
        return self

    def placements(self, models: Sequence[str], *, positive: object = None) -> None:
        return None

    # Losses.

    def losses(self, models: Sequence[str], loss: Loss) -> tuple[list[Floats], NDArray[np.bool_] | None]:
        """One loss a row for each model, over the rows that all of them scored, and which rows those are."""
        codes, kept = self._scored(models)
        values = []
        for model in models:
            scores = self._scores(model)
            values.append(row_losses(scores if kept is None else scores[kept], codes, self.facts, model, loss))
        return values, kept

    def moments(self, model: str, loss: Loss) -> Moments:
        (values,), kept = self.losses([model], loss)
        return moments_of(values, self._kept_weights(kept), self.facts.weights_kind)

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        (a, b), kept = self.losses([first, second], loss)
        with np.errstate(invalid="ignore"):
            return moments_of(a - b, self._kept_weights(kept), self.facts.weights_kind)

    def keyed_losses(self, model: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        (values,), kept = self.losses([model], loss)
        return self._by_key(kind, values, kept)

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        (a, b), kept = self.losses([first, second], loss)
        with np.errstate(invalid="ignore"):
            return self._by_key(kind, a - b, kept)

    def _by_key(self, kind: KeyKind, values: Floats, kept: NDArray[np.bool_] | None) -> KeyedLosses:
        """Rows and sums of each key; one of whose rows none is counted has 0 of both."""
        codes, names = self._key_column(kind)
        keys, weights = codes if kept is None else codes[kept], self._kept_weights(kept)
        if weights is not None:
            counted = weights > 0  # an infinite loss that no row has must not spoil the sum as 0 · ∞
            keys, values, weights = keys[counted], values[counted], weights[counted]
        summed = values if weights is None else weights * values
        masses = np.bincount(keys, weights=weights, minlength=len(names))
        sums = np.bincount(keys, weights=summed, minlength=len(names)).astype(np.float64)
        if self.facts.weights_kind == "sampling":
            sizes = np.bincount(keys, minlength=len(names)).astype(np.int64)
            return KeyedLosses(names, sizes, sums, masses.astype(np.float64))
        return KeyedLosses(names, masses.astype(np.int64), sums)

    # Keys.

    def keys(self, kind: KeyKind) -> Keys:
        codes, names = self._key_column(kind)
        return Keys(names, np.bincount(codes, minlength=len(names)).astype(np.int64))

    def subset(self, kind: KeyKind, value: object) -> ArraySource:
        codes, names = self._key_column(kind)
        return self.take(np.flatnonzero(codes == pick_key(value, names, kind)))

    def take(self, rows: NDArray[np.int64]) -> ArraySource:
        """Some of the rows, in the order of `rows`."""
        columns = {
            name: ModelColumns(None if c is None else c[rows], None if s is None else s[rows])
            for name, (c, s) in self.columns.items()
        }
        models = tuple(replace(m, absent=count_absent(columns[m.name])) for m in self.facts.models)
        keyed: dict[KeyKind, KeyColumn] = {}
        for kind, (codes, names) in self.keyed.items():
            there, again = np.unique(codes[rows], return_inverse=True)
            keyed[kind] = KeyColumn(again, tuple(names[i] for i in there))
        return replace(
            self,
            facts=replace(self.facts, n=len(rows), models=models),
            truth=self.truth[rows],
            columns=columns,
            keyed=keyed,
            ids=None if self.ids is None else self.ids[rows],
            weights=None if self.weights is None else self.weights[rows],
        )

    def _key_column(self, kind: KeyKind) -> KeyColumn:
        self.facts.need_kind(kind)
        return self.keyed[kind]

    def _scores(self, model: str) -> Scores:
        self.facts.model(model)
        scores = self.columns[model].scores
        if scores is None:
            raise InputError(f"{model!r} has labels only; this needs its scores: pass them in scores=")
        return scores

    def _one_score(self, model: str, chosen: Label) -> tuple[Array, NDArray[np.bool_] | None]:
        """The scores of one class, and which rows have one where some do not."""
        scores = self._scores(model)
        one = scores if scores.ndim == 1 else scores[:, self.facts.labels.index(chosen)]
        if self.facts.model(model).absent == 0:
            return one, None
        gone = np.isnan(one)
        groups.absent_scores(self.facts, model, int(gone.sum()))
        return one, ~gone

    def _scored(self, models: Sequence[str]) -> tuple[Codes, NDArray[np.bool_] | None]:
        """The truth of the rows that all models scored, and which rows those are where some are not."""
        gone = np.zeros(len(self.truth), dtype=bool)
        for model in models:
            if self.facts.model(model).absent:
                lacking = _lacking(self._scores(model))
                groups.absent_scores(self.facts, model, int(lacking.sum()))
                gone |= lacking
        return (self.truth[~gone], ~gone) if gone.any() else (self.truth, None)

    def _kept_weights(self, kept: NDArray[np.bool_] | None) -> Floats | None:
        return self.weights if self.weights is None or kept is None else self.weights[kept]

    def _weighed(self) -> groups.WeightedCounts:
        if self.weights is None:
            return groups.WeightedCounts(np.ones(len(self.truth), dtype=np.int64))
        if self.facts.weights_kind == "frequency":
            return groups.WeightedCounts(self.weights.astype(np.int64))
        return groups.WeightedCounts(
            np.ones(len(self.truth), dtype=np.int64), self.weights, self.weights * self.weights
        )

    def _sources(self) -> tuple[str, ...]:
        return (self.name,) if self.name else ()


def count_absent(columns: ModelColumns) -> int:
    """How many rows lack a label or a score."""
    gone = columns.labels < 0 if columns.labels is not None and any_missing(columns.labels) else None
    if columns.scores is not None:
        lacking = _lacking(columns.scores)
        gone = lacking if gone is None else gone | lacking
    return 0 if gone is None else int(np.count_nonzero(gone))


def _lacking(scores: Scores) -> NDArray[np.bool_]:
    """Which rows lack a score."""
    gone = np.isnan(scores)
    return gone if gone.ndim == 1 else np.logical_or.reduce(gone, axis=1)


def _wide(codes: Codes) -> NDArray[np.int64]:
    return codes.astype(np.int64, copy=False)


def _or_absent(codes: NDArray[np.int64], absent: NDArray[np.bool_]) -> Codes:
    return np.where(absent, -1, codes) if absent.any() else codes
