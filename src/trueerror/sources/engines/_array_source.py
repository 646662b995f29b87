"""Rows in memory: NumPy columns that are counted with the kernels; row losses and their moments.

Rows on a GPU: labels and scores are counted there, and only counts come to memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Column, Floats, Scores, WeightsKind, check_probabilities
from trueerror.inputs._labels import Codes, Label, any_missing, need_positive
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError
from trueerror.kernels._counting import count_codes
from trueerror.kernels._threads import in_threads
from trueerror.sources._keys import truth_fingerprint
from trueerror.sources._predictions import (
    DecisionRule,
    Facts,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    Predictions,
    ScoreRange,
    labels_only,
    pick_key,
    settled_threshold,
)
from trueerror.sources.engines import _group_tallies as groups
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Moments, ScoreTable

# Rows whose losses are taken in one go: what lies between scores and losses stays in a core's cache.
BLOCK = 1 << 15
# Bytes of what was made of the rows, one value for each, that are kept: every pair of models asks for those of both.
KEPT = 1 << 26


class KeptRows(dict[tuple[object, ...], Array]):
    """Predicted codes and losses of models, by what was asked; they do not travel."""

    def __reduce__(self) -> tuple[type[KeptRows], tuple[()]]:
        return KeptRows, ()

    def once(self, key: tuple[object, ...], make: Callable[[], Array]) -> Array:
        """What was made before, or is made now."""
        if key in self:
            return self[key]
        values = make()
        if sum(kept.nbytes for kept in list(self.values())) + values.nbytes <= KEPT:
            values.flags.writeable = False
            self[key] = values
        return values


def row_losses(scores: Scores, codes: Codes, facts: Facts, model: str, loss: Loss) -> Floats:
    """The loss of each row: it depends on the row's scores and class alone, so blocks of rows go to threads."""
    if scores.ndim == 1 or not getattr(getattr(loss, "func", loss), "any_scores", False):
        check_probabilities(scores, f"the scores of {model!r}")
    values = np.empty(len(codes))
    # A partial has options.
    of_truth: Callable[[Floats], Floats] | None = getattr(loss, "of_truth", None)
    if scores.ndim == 1 and of_truth is not None and len(facts.labels) == 2 and facts.positive is not None:
        index = facts.labels.index(facts.positive)

        def fill(rows: slice) -> None:
            given = scores[rows].astype(np.float64)
            with np.errstate(divide="ignore"):
                values[rows] = of_truth(np.where(codes[rows] == index, given, 1 - given))
    else:

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
    both = np.empty((len(table), 2), order="F")
    index = facts.labels.index(facts.positive)
    both[:, index] = table
    both[:, 1 - index] = 1 - table
    return both


def _ends(scores: Scores) -> Floats:
    """The lowest and the highest score, NaN where there is none, and the same of the sums of a row's scores."""
    if scores.size == 0:
        return np.full(2, np.nan)
    ends = [np.fmin.reduce(scores, axis=None), np.fmax.reduce(scores, axis=None)]
    if scores.ndim == 2 and not np.isnan(ends).any():
        with np.errstate(invalid="ignore"):  # infinite scores of both signs add up to none
            sums = scores.sum(axis=1, dtype=np.float64)
        ends += [np.fmin.reduce(sums), np.fmax.reduce(sums)]
    return np.array(ends, dtype=np.float64)


def table_moments(table: ScoreTable, facts: Facts, model: str, loss: Loss) -> Moments:
    """The moments of a loss of two classes from the score table: a row's loss depends on its score and class alone."""
    index = facts.labels.index(table.positive)
    sides = [(table.negatives, 1 - index), (table.positives, index)]
    occupied = [counts > 0 for counts, _ in sides]
    scores = np.concatenate([table.scores[t] for t in occupied])
    codes = np.repeat([code for _, code in sides], [np.count_nonzero(t) for t in occupied])
    counts = np.concatenate([counts[t] for t, (counts, _) in zip(occupied, sides, strict=True)])
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
    apart = weights * (len(values) / total) * (values - mean)
    squares = apart * apart
    return Moments(len(values), mean, *(float(np.dot(squares, x)) for x in (np.ones(len(values)), apart, squares)))


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
    # Of these rows and facts: a source with others begins anew.
    kept: KeptRows = field(init=False, default_factory=KeptRows)

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
        together = self._together()
        return count_codes([self.truth], [len(self.facts.labels)]) if together is None else together

    def _together(self, *models: str, threshold: float | None = None) -> NDArray[np.int64] | None:
        """Truth × the calls of models, read off one count of all columns; None where that does not pay.

        It does for the labels of two or three models and two classes.
        """
        labels = [c.labels for c in self.columns.values() if c.labels is not None]
        if not (1 < len(labels) == len(self.columns) < 4 and len(self.facts.labels) == 2 and self.weights is None):
            return None
        by_labels = all(self.facts.decision_rule(m, threshold).kind == "labels" for m in models)
        if not by_labels or len(set(models)) < len(models):
            return None
        columns, sizes = [self.truth, *labels], [2] * (1 + len(labels))

        def count() -> Array:
            whole = all(c.dtype == np.int8 and not any_missing(c) for c in columns)
            return count_codes([*columns], sizes) if whole else np.zeros(0)

        joint = self.kept.once(("joint",), count)
        if not joint.size:
            return None
        places = [0, *(1 + list(self.columns).index(m) for m in models)]
        counts: NDArray[np.int64] = np.einsum(joint.reshape(sizes), range(len(sizes)), places)
        return counts

    def truth_codes(self) -> Codes:
        return self.truth

    def fingerprint(self) -> str:
        return truth_fingerprint(self.truth, self.facts.labels)

    # Labels.

    def predicted_codes(self, model: str, threshold: float | None = None) -> Codes:
        """The predicted label of each row, as codes in label order; −1 where it is absent."""
        rule = self.facts.decision_rule(model, threshold)
        labels = self.columns[model].labels
        if rule.kind == "labels":
            assert labels is not None
            return labels
        return self.kept.once(("predicted", model, rule), partial(self._decided, model, rule))

    def _decided(self, model: str, rule: DecisionRule) -> Codes:
        """The labels that follow from scores."""
        scores = self.columns[model].scores
        assert scores is not None
        if rule.kind == "argmax":
            return _or_absent(np.argmax(scores, axis=1), _lacking(scores))
        if rule.kind == "cheapest":
            expected = scores.astype(np.float64, copy=False) @ np.asarray(rule.prices)
            return _or_absent(np.argmin(expected, axis=1), _lacking(scores))
        positive = self.facts.positive
        assert positive is not None
        index = self.facts.labels.index(positive)
        one = scores if scores.ndim == 1 else scores[:, index]
        # An array of 64 bits compares 32-bit scores at full precision, as the score table holds them, in any NumPy.
        cut = np.array([settled_threshold(model, rule.threshold, lambda: self.score_range(model))], dtype=np.float64)
        with np.errstate(invalid="ignore"):
            predicted = (one >= cut) == bool(index)
        # Codes of one byte are counted many at a time.
        return _or_absent(predicted.view(np.int8), np.isnan(one))

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        facts, together = self.facts, self._together(model, threshold=threshold)
        if together is not None:
            row, col = np.nonzero(together)
            return Confusion.from_cells(
                labels=facts.labels, positive=facts.chosen, row=row, col=col, counts=together[row, col],
                declared=facts.declared, sources=self._sources(),
            )  # fmt: skip
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
        together = self._together(first, second, threshold=threshold)
        if together is not None:
            truth, a, b = cells = np.nonzero(together)
            return Agreement(self.facts.labels, self.facts.positive, truth, a, b, together[cells])
        first_calls, second_calls = (self.predicted_codes(m, threshold) for m in (first, second))
        if self.weights is not None:
            calls = _wide(first_calls), _wide(second_calls)
            return groups.agreement_table(self.facts, _wide(self.truth), *calls, self._weighed())
        facts = self.facts
        return Agreement.from_codes(
            self.truth, first_calls, second_calls, facts.labels, positive=facts.positive, missing=facts.missing
        )

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
        return ScoreRange(*self.kept.once(("range", model), lambda: _ends(self._scores(model))).tolist())

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        codes, kept = self._scored([model])
        scores = self._scores(model).astype(np.float64)
        if scores.ndim == 1:
            raise InputError(
                f"{model!r} has one score a row; this needs one column of scores for each of the "
                f"{len(self.facts.labels)} classes"
            )
        return codes, scores if kept is None else scores[kept]

    def each_score(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], list[Array]]:
        """Which rows are positive, and the scores of each model: as they lie, where all models scored every row."""
        chosen = [self.facts.score_class(model, positive) for model in models]
        codes, kept = self._scored(models)
        columns = [self._one_score(model, one)[0] for model, one in zip(models, chosen, strict=True)]
        is_positive = codes == self.facts.labels.index(chosen[0])
        return is_positive, columns if kept is None else [scores[kept] for scores in columns]

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        is_positive, columns = self.each_score(models, positive=positive)
        # Column by column, as they are read.
        side_by_side = np.empty((len(is_positive), len(models)), order="F")
        for i, scores in enumerate(columns):
            np.add(scores, 0.0, out=side_by_side[:, i])
        return is_positive, side_by_side

    def unscored(self, model: str) -> int:
        return int(np.count_nonzero(_lacking(self._scores(model))))

    def expect_scores(self) -> None:
        pass

    def complete(self, models: Sequence[str]) -> ArraySource:
        return self

    def side_by_side(self) -> ArraySource:
        return self

    def placements(self, models: Sequence[str], *, positive: object = None) -> None:
        return None

    # Losses.

    def losses(self, models: Sequence[str], loss: Loss) -> tuple[list[Floats], NDArray[np.bool_] | None]:
        """One loss a row for each model, over the rows that all of them scored, and which rows those are."""
        codes, kept = self._scored(models)
        if kept is not None:
            return [row_losses(self._scores(m)[kept], codes, self.facts, m, loss) for m in models], kept
        return [self._losses(model, loss) for model in models], None

    def _losses(self, model: str, loss: Loss) -> Floats:
        """The loss of every row."""
        make = partial(row_losses, self._scores(model), self.truth, self.facts, model, loss)
        function = loss.func if isinstance(loss, partial) and not loss.args and not loss.keywords else loss
        # Options may be anything, and a function within another is a new one each time.
        named = isinstance(function, FunctionType) and "<" not in function.__qualname__
        return self.kept.once(("losses", model, function), make) if named else make()

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
        # The columns may be those of some models only, where scores alone were fetched.
        absent = {name: count_absent(given) for name, given in columns.items()}
        models = tuple(
            replace(m, absent=both, unlabelled=labels)
            for m in self.facts.models
            for both, labels in [absent.get(m.name, (m.absent, m.unlabelled))]
        )
        keyed: dict[KeyKind, KeyColumn] = {}
        for kind, (codes, names) in self.keyed.items():
            used_codes, again = np.unique(codes[rows], return_inverse=True)
            keyed[kind] = KeyColumn(again, tuple(names[i] for i in used_codes))
        ids, weights = (None if x is None else x[rows] for x in (self.ids, self.weights))
        facts = replace(self.facts, n=len(rows), models=models)
        return replace(
            self, facts=facts, truth=self.truth[rows], columns=columns, keyed=keyed, ids=ids, weights=weights
        )

    def _key_column(self, kind: KeyKind) -> KeyColumn:
        self.facts.need_kind(kind)
        return self.keyed[kind]

    def _scores(self, model: str) -> Scores:
        self.facts.model(model)
        scores = self.columns[model].scores
        if scores is None:
            raise labels_only("this", model)
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


def count_absent(columns: ModelColumns) -> tuple[int, int]:
    """How many rows lack a label or a score, and how many of them a label."""
    gone = columns.labels < 0 if columns.labels is not None and any_missing(columns.labels) else None
    unlabelled = 0 if gone is None else int(np.count_nonzero(gone))
    if columns.scores is not None:
        lacking = _lacking(columns.scores)
        gone = lacking if gone is None else gone | lacking
    return 0 if gone is None else int(np.count_nonzero(gone)), unlabelled


def _lacking(scores: Scores) -> NDArray[np.bool_]:
    """Which rows lack a score."""
    gone = np.isnan(scores)
    return gone if gone.ndim == 1 else np.logical_or.reduce(gone, axis=1)


def _wide(codes: Codes) -> NDArray[np.int64]:
    return codes.astype(np.int64, copy=False)


def _or_absent(codes: Codes, absent: NDArray[np.bool_]) -> Codes:
    return np.where(absent, -1, codes) if absent.any() else codes


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


def answered_by_all(p: Predictions, *, of_labels: bool, threshold: float | None = None) -> Predictions:
    """The rows that every model answered, where missing="drop" leaves out the others; all rows where none lacks an
    answer, where nothing would be left, or where the rows do not fit into memory. `of_labels`: what counts is labels,
    not scores."""
    if p.missing != "drop" or not any(p._unanswered(m, of_labels=of_labels, threshold=threshold) for m in p.models):
        return p
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return p
    kept = ~np.logical_or.reduce([_unanswered(source, m, threshold, of_labels=of_labels) for m in p.models])
    return replace(p, source=source.take(np.flatnonzero(kept)), _memory={}) if kept.any() else p


class SkippedRows(NamedTuple):
    """Rows that a model left out: whether another one was right on them, and on those that both answered; clusters of
    both where there are any."""

    model: str
    other: str
    left_out: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    clusters: tuple[Codes, Codes] | None


def skipped_rows(p: Predictions, *, of_labels: bool, threshold: float | None = None) -> Iterator[SkippedRows]:
    """Of each model with gaps, how the others did on the rows that it left out."""
    gaps = [m for m in p.models if p._unanswered(m, of_labels=of_labels, threshold=threshold)]
    callers = [m for m in p.models if p.has_predictions(m, threshold=threshold)]
    if not gaps or not callers:
        return
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return
    keys = source.keyed["clusters"].codes if p.has_key("clusters") else None
    for model in gaps:
        gone = _unanswered(source, model, threshold, of_labels=of_labels)
        for other in callers:
            answered = ~_unanswered(source, other, threshold, of_labels=True)
            if other == model or not (gone & answered).any() or not (~gone & answered).any():
                continue
            right = source.predicted_codes(other, threshold) == source.truth
            parts = (gone & answered, ~gone & answered)
            by_cluster = None if keys is None else (keys[parts[0]], keys[parts[1]])
            yield SkippedRows(model, other, right[parts[0]], right[parts[1]], by_cluster)


def silence_as_wrong(
    p: Predictions, model: str, other: str, *, of_labels: bool, threshold: float | None = None
) -> Predictions | None:
    """The rows that `other` answered, with those that `model` left out counted against it: as wrong calls, or with the
    score that speaks most against the row's class (the lowest grade) of all that it gives. None beyond memory."""
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return None
    columns = source.columns[model]
    if not of_labels and columns.scores is not None:
        scores, gone = columns.scores.copy(), _lacking(columns.scores)
        table = scores.reshape(len(scores), -1)
        if p.scale is not None:
            scores[gone] = p.scale[0]
        for code, label in enumerate(p.labels if p.scale is None and not gone.all() else ()):
            for_class = table[:, code if scores.ndim == 2 else 0]
            against = -for_class if scores.ndim == 1 and label != p.positive else for_class
            scores[gone & (source.truth == code)] = scores[int(np.argmin(np.where(gone, np.inf, against)))]
        columns = ModelColumns(None if columns.labels is None else source.truth, scores)
    source = replace(source, columns={**source.columns, model: columns})
    source = source.take(np.flatnonzero(~_unanswered(source, other, threshold, of_labels=of_labels)))
    facts = replace(source.facts.select((model, other)), missing="wrong")
    return replace(p, source=source.with_facts(facts), _memory={})


def _unanswered(source: ArraySource, model: str, threshold: float | None, *, of_labels: bool) -> NDArray[np.bool_]:
    """Which rows lack what a metric of labels, or of scores, looks at."""
    labels, scores = source.columns[model]
    if source.facts.model(model).answers_by_labels(threshold, of_labels=of_labels):
        assert labels is not None
        return labels < 0
    assert scores is not None
    return _lacking(scores)


def rows_as_clusters(p: Predictions) -> Predictions:
    """The same rows, each a cluster of its own: what rows with sampling weights are to a test over clusters."""
    return in_clusters(p, KeyColumn(np.arange(p.n), tuple(range(p.n))))


def in_clusters(p: Predictions, keys: KeyColumn) -> Predictions:
    """The same rows with other clusters."""
    source = p.source.fetched()
    facts = replace(source.facts, kinds=tuple(dict.fromkeys((*p.facts.kinds, "clusters"))))
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
    """A loss (or the difference of two) row by row, the lowest and highest that any label of a row would give, and the
    mean of the rows' highest ones."""

    values: Floats
    lowest: float
    highest: float
    all_highest: float


def loss_rows(p: Predictions, models: Sequence[str], loss: Loss) -> LossRows:
    """The loss of one model on each row that it scored, or the first's less the second's on those that both scored."""
    source = complete_rows(p, models).source.fetched()

    def taken(of: Loss) -> Floats:
        columns, _ = source.losses(models, of)
        with np.errstate(invalid="ignore"):
            return columns[0] if len(columns) == 1 else columns[0] - columns[1]

    values = taken(loss)
    low, high = values, values
    for k in range(len(p.labels) if 1 < len(p.labels) <= MOST_LABELS else 0):
        of_label = taken(lambda codes, chances, k=k: loss(np.full_like(codes, k), chances))  # type: ignore[misc]
        low, high = np.fmin(low, of_label), np.fmax(high, of_label)
    if not len(values) or np.isnan(low).all():
        return LossRows(values, math.nan, math.nan, math.nan)
    return LossRows(values, float(np.nanmin(low)), float(np.nanmax(high)), float(np.nanmean(high)))


def _clusters(p: Predictions) -> Codes | None:
    return p.source.fetched().keyed["clusters"].codes if p.has_key("clusters") else None
