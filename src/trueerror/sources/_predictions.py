"""Predictions: the truth and what any number of models said of the same rows.

The scores of several models row by row, with the truth and the clusters beside them, for what no tally holds.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import Codes, Label, find_label
from trueerror.inputs._options import InputError, check_word
from trueerror.results import Table
from trueerror.results._format import counted, one_line, whole
from trueerror.sources._protocols import (
    KINDS,
    ColumnRoles,
    Facts,
    Floats,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    ModelFacts,
    Scale,
    ScoreRange,
    Source,
    Threshold,
    apply_threshold,
    role_words,
)
from trueerror.sources.engines._array_source import ArraySource, KeyColumn
from trueerror.sources.engines._memory import MemoryBudgetExceeded
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Missing, Moments, ScoreTable
from trueerror.tallies._confusion import GRADES, holds_grades
from trueerror.tallies._moments import Placements

Counted = TypeVar("Counted")


class Roles(Mapping[str, str]):
    """How each column was read, in words; `column` asks the other way round."""

    __slots__ = ("_roles", "_words")

    def __init__(self, roles: Mapping[str, str | ColumnRoles]) -> None:
        self._words = {c: role if isinstance(role, str) else role_words(role) for c, role in roles.items()}
        self._roles = {c: role for c, role in roles.items() if not isinstance(role, str)}

    def __getitem__(self, column: str) -> str:
        return self._words[column]

    def column(self, kind: str, model: str = "") -> str | None:
        """The column that was read as this, None where there is none: "id", or the "labels" of a model."""
        wanted = (kind, model, "")
        found = (c for c, roles in self._roles.items() if any((r.kind, r.model, r.label) == wanted for r in roles))
        return next(found, None)

    @property
    def recognised(self) -> dict[str, str]:
        """Role → column, of those that nobody named."""
        known = ("id", "fold", "repeat", "cluster")
        return {r.kind: c for c, roles in self._roles.items() for r in roles if r.kind in known and r.why}

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def table(self) -> Table:
        """The same as a table."""
        return Table(columns=("column", "read as"), rows=tuple(self._words.items()), names=2)

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Predictions:
    """The truth and what any number of models said of the same rows; it counts them into tallies.

    Made by `te.predictions` from arrays and by `te.read` from files and tables. `notes` says in words what was left
    out and why, `roles` how columns were read, `backend` which data frame library the rows came from.

    >>> import trueerror as te
    >>> p = te.predictions([0, 1, 1, 0], {"svm": [0, 1, 0, 0]})
    >>> print(p)
    4 rows, 2 positive, 1 model with labels: svm.
    >>> p.confusion("svm").matrix.tolist()
    [[2, 0], [1, 1]]
    """

    source: Source
    roles: Roles = field(default_factory=lambda: Roles({}))
    notes: tuple[str, ...] = ()
    backend: str | None = None
    _memory: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    # What is known of the rows without counting.
    facts: Facts = field(init=False)
    # How many rows there are, all classes in label order, the positive class (None where it is not known).
    n: int = field(init=False)
    labels: tuple[Label, ...] = field(init=False)
    positive: Label | None = field(init=False)
    # The names of the models in order, what is done with absent predictions, what the weights mean.
    models: tuple[str, ...] = field(init=False)
    missing: Missing = field(init=False)
    weights_kind: WeightsKind | None = field(init=False)
    has_ids: bool = field(init=False)

    def __post_init__(self) -> None:
        facts = self.source.facts
        object.__setattr__(self, "facts", facts)
        object.__setattr__(self, "models", tuple(facts.by_name))
        for name in ("n", "labels", "positive", "missing", "weights_kind", "has_ids"):
            object.__setattr__(self, name, getattr(facts, name))

    @property
    def scale(self) -> Scale | None:
        """Between which ends the grades of rows lie that carry grades (te.graded); None of other rows."""
        return self.facts.scale

    @property
    def graded(self) -> bool:
        """Whether the rows say who was right instead of which class: then the truth of all of them is "right"."""
        return self.labels == GRADES and holds_grades(self.labels, self.truth_counts())

    def has_key(self, kind: KeyKind) -> bool:
        """Whether the rows have clusters, slices, folds or repeats."""
        if kind not in KINDS:
            check_word(kind, KINDS, "kind")
        return kind in self.facts.kinds

    def _model(self, name: str) -> ModelFacts:
        return (self.facts.by_name.get(name) if isinstance(name, str) else None) or self.facts.model(name)

    def has_labels(self, model: str) -> bool:
        """Whether the model came with labels of its own."""
        return self._model(model).has_labels

    def has_scores(self, model: str) -> bool:
        """Whether the model came with scores."""
        return self._model(model).scores != "none"

    def has_class_scores(self, model: str) -> bool:
        """Whether the model came with one column of scores for each class."""
        return self._model(model).scores == "each"

    def absent(self, model: str) -> int:
        """How many rows lack an answer of the model."""
        return self._model(model).absent

    def unscored(self, model: str) -> int:
        """How many rows lack a score of a model that has scores."""
        return self._once(("unscored", model), partial(self.source.unscored, model)) if self.absent(model) else 0

    def has_predictions(self, model: str, *, threshold: float | None = None) -> bool:
        """Whether the model has a predicted label for each row, given or by a threshold: `confusion` would answer."""
        try:
            rule = self.facts.decision_rule(model, threshold)
        except InputError:
            return False
        if rule.kind != "cut" or rule.threshold is not None:
            return True
        low, high, *_ = self.score_range(model)
        return low >= 0 and high <= 1

    can_call = has_predictions

    @property
    def fingerprint(self) -> str:
        """A digest of the truth in row order: equal for the same rows."""
        return self._once(("fingerprint",), self.source.fingerprint)

    # Tallies.

    def truth_counts(self) -> NDArray[np.int64]:
        """Rows of each class, in label order."""
        return self._once(("truth_counts",), self.source.truth_counts)

    def confusion(self, model: str | None = None, *, threshold: float | None = None) -> Confusion:
        """Truth × predicted of one model: by its labels, or by its scores at a threshold."""
        name = self.only(model)
        return self._once(("confusion", name, threshold), partial(self.source.confusion, name, threshold=threshold))

    def keyed_confusion(self, model: str | None, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        """Truth × predicted, kept apart for each cluster, slice, fold or repeat."""
        name = self.only(model)
        count = partial(self.source.keyed_confusion, name, kind, threshold=threshold)
        return self._once(("keyed_confusion", name, kind, threshold), count)

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        """Truth × first × second: all that a paired comparison of labels can use."""
        count = partial(self.source.agreement, first, second, threshold=threshold)
        return self._once(("agreement", first, second, threshold), count)

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        """The same, kept apart for each cluster, slice, fold or repeat."""
        count = partial(self.source.keyed_agreement, first, second, kind, threshold=threshold)
        return self._once(("keyed_agreement", first, second, kind, threshold), count)

    def scores(self, model: str | None = None, *, positive: object = None) -> ScoreTable:
        """The score table of one model: the positive class (or another one, `positive`) against the rest."""
        name = self.only(model)
        key = ("scores", name, positive)
        table = self._once(key, partial(self.source.scores, name, positive=positive))
        self._keep_within_budget(key)
        return table

    def score_range(self, model: str | None = None) -> ScoreRange:
        """Between which values the scores of a model lie."""
        name = self.only(model)
        return self._once(("score_range", name), partial(self.source.score_range, name))

    def class_scores(self, model: str | None = None) -> tuple[Codes, Floats]:
        """Truth codes, and one score for each row and class (n, K)."""
        return self.source.class_scores(self.only(model))

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        """Which rows are positive, and the scores of several models side by side: for paired ranks."""
        return self.source.score_columns(models, positive=positive)

    def placements(self, models: Sequence[str], *, positive: object = None) -> Placements | None:
        """What comparing areas needs, where the rows do not fit into memory; None where they do."""
        return self.source.placements(models, positive=positive)

    def moments(self, model: str | None, loss: Loss, **options: object) -> Moments:
        """The mean of a row loss (codes, probabilities (n, K)) → (n,), and its spread."""
        name = self.only(model)
        count = partial(self.source.moments, name, partial(loss, **options))
        # Options may be anything; without them the function says all that there is to know.
        return count() if options else self._once(("moments", name, loss), count)

    def paired_moments(self, first: str, second: str, loss: Loss, **options: object) -> Moments:
        """The same of the first model's loss minus the second's, row by row."""
        return self.source.paired_moments(first, second, partial(loss, **options))

    def keyed_losses(self, model: str | None, kind: KeyKind, loss: Loss, **options: object) -> KeyedLosses:
        """The sums of a row loss for each cluster, slice, fold or repeat."""
        return self.source.keyed_losses(self.only(model), kind, partial(loss, **options))

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss, **options: object) -> KeyedLosses:
        """The same of the first model's loss minus the second's, over the rows that both scored."""
        return self.source.paired_keyed_losses(first, second, kind, partial(loss, **options))

    def keys(self, kind: KeyKind) -> Keys:
        """The distinct clusters, slices, folds or repeats, with their numbers of rows."""
        return self._once(("keys", kind), partial(self.source.keys, kind))

    # Parts.

    def only(self, model: str | None) -> str:
        """The model of that name, or the only one there is."""
        if model is not None:
            return self._model(model).name
        if len(self.facts.models) != 1:
            raise InputError(f"there are {len(self.models)} models; choose one of {', '.join(map(repr, self.models))}")
        return self.facts.models[0].name

    def select(self, models: str | Sequence[str]) -> Predictions:
        """The same rows with some of the models."""
        names = [models] if isinstance(models, str) else list(models)
        if not names:
            raise InputError("select at least one model")
        return self._with(self.source.with_facts(self.facts.select(names)))

    def with_threshold(self, threshold: Threshold) -> Predictions:
        """The same rows, the scores cut at another threshold (a number, or one for each model)."""
        models = apply_threshold((replace(m, threshold=None) for m in self.facts.models), threshold)
        return self._with(self.source.with_facts(replace(self.facts, models=models)))

    def with_positive(self, positive: object) -> Predictions:
        """The same rows, speaking of another positive class. One column of scores must be meant for that class."""
        chosen = find_label(positive, self.labels)
        one = next((m.name for m in self.facts.models if m.scores == "one"), None)
        if one is not None and self.positive is not None and chosen != self.positive:
            raise InputError(
                f"the scores of {one!r} are for {self.positive!r}, and scores are never flipped; read the rows again "
                f"with positive={chosen!r} if they are really for that class"
            )
        return self._with(self.source.with_facts(replace(self.facts, chosen=chosen)))

    def slices(self) -> tuple[Label, ...]:
        """The values by which the rows were sliced (`by=`)."""
        return self.keys("slices").names

    def slice(self, value: object, kind: KeyKind = "slices") -> Predictions:
        """The rows of one slice (or of one cluster, fold or repeat)."""
        return self._with(self.source.subset(kind, value))

    @property
    def folded(self) -> bool:
        """Whether the rows were tested in several folds, each by a model of its own."""
        return self.has_key("folds") and len(self.keys("folds").names) > 1

    @property
    def repeated(self) -> bool:
        """Whether the same items are there several times, in several repeats."""
        return self.has_key("repeats") and len(self.keys("repeats").names) > 1

    def without(self, *kinds: KeyKind) -> Predictions:
        """The same rows, with nothing known of their clusters, slices, folds or repeats."""
        kept = tuple(kind for kind in self.facts.kinds if kind not in kinds)
        return self._with(self.source.with_facts(replace(self.facts, kinds=kept)))

    def one_round(self) -> Predictions:
        """The rows of the first repeat."""
        return self.slice(self.keys("repeats").names[0], "repeats").without("repeats") if self.repeated else self

    def items_together(self) -> Predictions:
        """Repeats without folds are answers to the same items: the answers to one item become a cluster.

        Repeats of folds stay as they are. Without ids nothing says which rows are one item: an error.
        """
        if not self.repeated or self.has_key("folds"):
            return self
        if self.has_key("clusters"):
            return self.without("repeats")
        if not self.has_ids:
            raise InputError(
                "these rows hold several repeats of the same items, so pooling them would count each item more than "
                "once; give the items' ids (ids=, in a file a column id), or folds="
            )
        return self._with(self.source.fetched().clustered_by_id()).without("repeats")

    def _with(self, source: Source) -> Predictions:
        return replace(self, source=source, _memory={})

    def _once(self, key: tuple[Hashable, ...], count: Callable[[], Counted]) -> Counted:
        # Tallies are frozen, so one that was counted may be handed out again.
        if key not in self._memory:
            self._memory[key] = count()
        counted: Counted = self._memory[key]
        return counted

    def _keep_within_budget(self, newest: tuple[Hashable, ...]) -> None:
        """Beyond half the budget let go of score tables of files and lazy tables: they can be counted again.

        The other half is for making the next one. The first tables stay, since whoever goes through all models twice
        would find none of the last ones either way. Rows in memory have their tables kept.
        """
        budget = self.source.memory_budget
        if budget is None:
            return
        sizes = {key: table.nbytes for key, table in self._memory.items() if key[0] == "scores"}
        for key in [key for key in reversed(sizes) if key != newest]:
            if sum(sizes.values()) <= budget // 2:
                return
            del self._memory[key], sizes[key]

    # In words.

    def __str__(self) -> str:
        lines = [f"{counted(self.n, 'row')}, {self._classes()}, {self._models()}."]
        sizes = [(len(self.keys(kind).names), kind) for kind in self.facts.kinds]
        extra = [f"{counted(size, kind[:-1])}{self._column_of(kind)}" for size, kind in sizes]
        extra += [f"{self.weights_kind} weights"] if self.weights_kind else []
        if extra:
            lines.append(f"With {', '.join(extra)}.")
        lines += [f"Note: {one_line(note)}" for note in self.notes]
        lines += [self.source.binning] if self.source.binning else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def _classes(self) -> str:
        counts = dict(zip(self.labels, self.truth_counts().tolist(), strict=True))
        positive = self.positive
        if positive is not None:
            named = "positive" if positive in (1, True) else f"{one_line(str(positive))} (positive)"
            return f"{whole(counts[positive])} {named}"
        if self.scale is not None:
            return f"graded from {self.scale[0]:g} to {self.scale[1]:g}"
        if self.graded:
            return "graded right or wrong"
        if len(self.labels) == 2:
            return ", ".join(f"{whole(c)} {one_line(str(label))}" for label, c in counts.items())
        return counted(len(self.labels), "class", "classes")

    def _column_of(self, kind: str) -> str:
        """Which column of a file tells clusters, folds … apart: it may have been recognised by its name."""
        named = self.roles.column(kind.removesuffix("s"))
        return "" if named is None else f" (column {one_line(named)!r})"

    def _models(self) -> str:
        kinds: dict[str, list[str]] = {}
        for m in self.facts.models:
            scored = "scores" if self.scale is None else "grades"
            has = ("labels" if m.has_labels else "", scored if m.scores != "none" else "")
            kinds.setdefault(" and ".join(filter(None, has)), []).append(one_line(m.name))
        parts: list[str] = []
        for kind, names in kinds.items():
            shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
            parts.append(f"{len(names) if parts else counted(len(names), 'model')} with {kind}: {shown}")
        return "; ".join(parts)


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
