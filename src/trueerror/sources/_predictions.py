"""Predictions: the truth and what any number of models said of the same rows, and the contract `Source` behind them.

Arrays, files and lazy tables each implement `Source`; everything above this folder asks for tallies and never sees
where the rows are. Thresholds, at which a score becomes a predicted label, are checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeVar, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats, WeightsKind
from trueerror.inputs._labels import Codes, Label, find_label, natural_positive, need_positive, plain_label
from trueerror.inputs._options import InputError, check_word, nearest
from trueerror.results import Table
from trueerror.results._format import counted, escaped, one_line, whole
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Missing, Moments, ScoreTable
from trueerror.tallies._graded import GRADES, holds_grades
from trueerror.tallies._moments import Placements

if TYPE_CHECKING:
    from trueerror.sources.engines._array_source import ArraySource

# What a model is called that was given without a name.
ONE_MODEL = "model"
# What says that score tables are kept whatever the budget.
KEPT = ("kept",)
# "crossed" is a second column of clusters, "times" when a row was seen.
KeyKind = Literal["clusters", "slices", "folds", "repeats", "crossed", "times"]
MOST_SLICES = 2_000
KINDS: tuple[KeyKind, ...] = ("clusters", "slices", "folds", "repeats", "crossed", "times")
# How each kind of key is given: the option of te.predictions, and that of te.read.
KEY_OPTIONS: dict[KeyKind, tuple[str, str]] = {
    "clusters": ("clusters", "cluster"),
    "slices": ("by", "by"),
    "folds": ("folds", "fold"),
    "repeats": ("repeats", "repeat"),
    "crossed": ("clusters", "cluster"),
    "times": ("time", "time"),
}

KIND_WORDS: dict[KeyKind, str] = {"crossed": "crossed cluster", "times": "moment"}

# The lowest and the highest grade that a row can have.
Scale = tuple[float, float]
# What it costs to call truth i as j, in label order.
Prices = tuple[tuple[float, ...], ...]

# (codes, probabilities (n, K) in label order) → one loss for each row.
Loss = Callable[[Codes, Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """How one model's answers are given.

    `scores` is "one" for a single column, higher = more positive, and "each" for one column a class. `absent` counts
    the rows that lack a label or a score that the model should have, `unlabelled` those that lack a label. `prices`:
    what each call costs (rows = truth), where a row gets the call that costs least by its probabilities.
    """

    name: str
    has_labels: bool
    scores: Literal["none", "one", "each"]
    threshold: float | None = None
    absent: int = 0
    unlabelled: int = 0
    prices: Prices | None = None

    def answers_by_labels(self, threshold: float | None, *, of_labels: bool) -> bool:
        """Whether a metric, of labels or of scores, looks at the labels that the model came with."""
        cut = self.threshold if threshold is None else threshold
        return self.scores == "none" or (of_labels and self.has_labels and cut is None and self.prices is None)

    def lacks_scores_alone(self, threshold: float | None = None) -> bool:
        """Whether rows that lack something lack a score alone: the model answers by labels, which are there in all."""
        return self.scores != "none" and not self.unlabelled and self.answers_by_labels(threshold, of_labels=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of the rows without counting them again. `chosen` is the positive class that was named.

    `scale`: the rows carry grades between these two ends, one column a model, and there is no class to call.
    """

    n: int
    labels: tuple[Label, ...]
    chosen: Label | None
    models: tuple[ModelFacts, ...]
    declared: bool = False
    kinds: tuple[KeyKind, ...] = ()
    has_ids: bool = False
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"
    scale: Scale | None = None
    # The positive class: the one that was named, else True, or 1 of {0, 1} or {−1, 1}; None when not known.
    positive: Label | None = field(init=False)
    by_name: Mapping[str, ModelFacts] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        positive = natural_positive(self.labels) if self.chosen is None else self.chosen
        object.__setattr__(self, "positive", positive)
        object.__setattr__(self, "by_name", {model.name: model for model in self.models})

    def model(self, name: str) -> ModelFacts:
        """One model by name, or an error that suggests the nearest."""
        if isinstance(name, str) and name in self.by_name:
            return self.by_name[name]
        raise InputError(f"there is no model {name!r:.40}{nearest(name, list(self.by_name))}")

    def select(self, names: Sequence[str]) -> Facts:
        """The same rows with some of the models, in the order of `names`."""
        return replace(self, models=tuple(self.model(name) for name in dict.fromkeys(names)))

    def need_kind(self, kind: KeyKind) -> None:
        """An error where the rows have no such key."""
        check_word(kind, KINDS, "kind")
        if kind not in self.kinds:
            arrays, file = KEY_OPTIONS[kind]
            raise InputError(f"these rows have no {kind}; give them with {arrays}= (in te.read: {file}=)")

    def need_classes(self, model: str) -> None:
        """An error where the rows carry grades instead of classes."""
        if self.scale is not None:
            raise InputError(
                f"the rows of {model!r} carry grades from {self.scale[0]:g} to {self.scale[1]:g}, not classes: their "
                "metric is mean_score"
            )

    def score_class(self, model: str, positive: object) -> Label:
        """The class whose scores are asked for, and that they are there."""
        facts = self.model(model)
        self.need_classes(model)
        if facts.scores == "none":
            raise labels_only("a curve", model)
        chosen = self.positive if positive is None else find_label(positive, self.labels)
        if chosen is None:
            raise need_positive(self.labels, f"ranking by the scores of {model!r}")
        if facts.scores == "one" and self.positive is not None and chosen != self.positive:
            raise InputError(
                f"the scores of {model!r} are for {self.positive!r}, and scores are never flipped; pass one column "
                f"of scores for each class to judge {chosen!r}"
            )
        return chosen

    def decision_rule(self, model: str, threshold: float | None) -> DecisionRule:
        """Where predicted labels are from: the model's own, the class of the highest score, or a cut of its score."""
        facts = self.model(model)
        self.need_classes(model)
        cut = facts.threshold if threshold is None else check_threshold(threshold)
        if facts.scores == "none" and threshold is not None:
            raise InputError(f"{model!r} has labels only; there is no score to cut at threshold={threshold:g}")
        if cut is None and facts.prices is not None:
            if len(self.labels) > 2 or self.positive is None:
                return DecisionRule("cheapest", prices=facts.prices)
            up = self.labels.index(self.positive)
            alarm, miss = (facts.prices[i][1 - i] - facts.prices[i][i] for i in (1 - up, up))
            cut = alarm / (alarm + miss)
        if cut is None and facts.has_labels:
            return DecisionRule("labels")
        if cut is None and facts.scores == "each":
            return DecisionRule("argmax")
        if self.positive is None:
            raise need_positive(self.labels, f"cutting the scores of {model!r}")
        if len(self.labels) == 1:
            raise InputError(
                f"there is one class only, {self.labels[0]!r}, so the scores of {model!r} cannot be cut; pass labels= "
                "with both classes"
            )
        if len(self.labels) != 2:
            raise InputError(
                f"a threshold on one score tells two classes apart, but there are {len(self.labels)}; "
                f"give {model!r} labels, or one column of scores for each class"
            )
        return DecisionRule("cut", cut)


def labels_only(what: str, model: str) -> InputError:
    """The error where a metric or a curve of scores is asked of a model that gives labels."""
    return InputError(f"{what} needs scores, and {model} has labels only: pass scores=")


class DecisionRule(NamedTuple):
    """How rows get a predicted label; `threshold` None in a cut means 0.5, if all scores are in [0, 1]."""

    kind: Literal["labels", "argmax", "cheapest", "cut"]
    threshold: float | None = None
    prices: Prices | None = None


class ScoreRange(NamedTuple):
    """The lowest and highest score; with one column a class also the lowest and highest sum of a row."""

    low: float
    high: float
    lowest_sum: float = math.nan
    highest_sum: float = math.nan


class Keys(NamedTuple):
    """The distinct keys of one kind and how many rows each has."""

    names: tuple[Label, ...]
    sizes: NDArray[np.int64]


class KeyedLosses(NamedTuple):
    """For each key how many rows it has, and the sum of their losses; with sampling weights `masses` is what they weigh
    and the sums are weighted."""

    names: tuple[Label, ...]
    sizes: NDArray[np.int64]
    sums: Floats
    masses: Floats | None = None

    @property
    def weights(self) -> Floats:
        """What each key weighs: its rows, or their sampling weights."""
        return self.sizes.astype(np.float64) if self.masses is None else self.masses


class Source(Protocol):
    """Rows that can be counted."""

    @property
    def facts(self) -> Facts:
        """What is known of the rows."""

    @property
    def name(self) -> str:
        """Where the rows are from, for messages and provenance."""

    @property
    def memory_budget(self) -> int | None:
        """Bytes that tables counted from these rows may take; None where the rows are in memory already."""

    @property
    def binning(self) -> str:
        """In words that scores were binned, where some were; else empty."""

    def with_facts(self, facts: Facts) -> Self:
        """The same rows, seen with other facts: fewer models, another positive class or threshold."""

    def truth_counts(self) -> NDArray[np.int64]:
        """Rows of each class, in label order."""

    def truth_codes(self) -> Codes:
        """The truth in row order, as codes in label order."""

    def fingerprint(self) -> str:
        """A digest of the truth in row order: equal for the same rows, wherever they are kept."""

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        """Truth × predicted."""

    def keyed_confusion(self, model: str, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        """Truth × predicted for each cluster, slice, fold or repeat."""

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        """Truth × first × second."""

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        """Truth × first × second for each cluster, slice, fold or repeat."""

    def scores(self, model: str, *, positive: object = None) -> ScoreTable:
        """Distinct scores with positives and negatives."""

    def score_range(self, model: str) -> ScoreRange:
        """Between which values the scores lie."""

    def keys(self, kind: KeyKind) -> Keys:
        """The distinct keys of one kind."""

    def subset(self, kind: KeyKind, value: object) -> Source:
        """The rows of one key alone."""

    def moments(self, model: str, loss: Loss) -> Moments:
        """The mean of a loss over the rows, and its spread."""

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        """The same of the first model's loss minus the second's, row by row."""

    def keyed_losses(self, model: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        """The sums of a loss for each key."""

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        """The same of the first model's loss minus the second's, over the rows that both scored."""

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        """Truth codes, and one score for each row and class (n, K)."""

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        """Which rows are positive, and the scores of several models side by side (n, models): for paired ranks."""

    def unscored(self, model: str) -> int:
        """How many rows lack a score of a model that has scores."""

    def expect_scores(self) -> None:
        """Score tables of all models will be asked for: what serves them and counts of labels may be fetched."""

    def complete(self, models: Sequence[str]) -> Source:
        """These models on the rows that all of them scored, as far as an engine can pick them; else all rows."""

    def side_by_side(self) -> Source:
        """The rows for comparing areas: where pairs are counted in bins, tables come of the same looks at the rows."""

    def placements(self, models: Sequence[str], *, positive: object = None) -> Placements | None:
        """What comparing areas needs, where rows do not fit into memory; None where `score_columns` may be asked."""

    def scored_rows(self, models: Sequence[str]) -> ArraySource:
        """The rows with the scores of these models, and whatever else is in memory already."""

    def fetched(self) -> ArraySource:
        """The rows of the models at hand in memory, for what cannot be counted where they are."""


def check_threshold(threshold: float) -> float:
    """A threshold that can be compared with scores."""
    try:
        value = float(threshold)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"threshold={threshold!r:.40} is not a number") from None
    if math.isnan(value):
        raise InputError("threshold=nan makes no row positive or negative; give a number")
    return value


def pick_key(value: object, keys: Sequence[Label], kind: KeyKind) -> int:
    """Where a key stands among the keys, or an error that suggests the nearest."""
    for i, key in enumerate(keys):
        if key == value and isinstance(key, str) == isinstance(value, str):
            return i
    raise InputError(f"{value!r} is not among the {kind}{nearest(value, keys)}")


def absent_notes(facts: Facts) -> dict[str, str]:
    """What is done with rows that lack a prediction, of each model that has some."""
    rule = "left out" if facts.missing == "drop" else "counted as wrong"

    def words(m: ModelFacts) -> str:
        if m.lacks_scores_alone():
            by_scores = "its scores leave them out, those of its labels" if facts.missing == "drop" else "its labels"
            return f"rows have no score of {m.name}; metrics of {by_scores} need none"
        if m.has_labels and m.scores != "none" and not m.unlabelled:
            return f"rows have no score of {m.name} to cut; they are {rule}"
        if m.has_labels and m.scores != "none":
            return f"rows have no label or no score of {m.name}; where it is needed they are {rule}"
        return f"rows have no prediction of {m.name}; they are {rule}"

    return {m.name: f"{m.absent:,} of {facts.n:,} {words(m)}." for m in facts.models if m.absent}


# One threshold for all models that have scores, or one for each by name.
Threshold = float | Mapping[str, float] | None


def apply_threshold(models: Iterable[ModelFacts], threshold: Threshold) -> tuple[ModelFacts, ...]:
    """The models with a threshold on those that have scores; labels alone stay as they are."""
    known = tuple(models)
    if threshold is None:
        return known
    if isinstance(threshold, Mapping):
        cuts = {name: check_threshold(value) for name, value in threshold.items()}
        scores = {m.name: m.scores for m in known}
        unknown = next((name for name in cuts if name not in scores), None)
        if unknown is not None:
            raise InputError(f"threshold= names {unknown!r}, which is no model{nearest(unknown, list(scores))}")
        unscored = next((name for name in scores if name in cuts and scores[name] == "none"), None)
        if unscored is not None:
            raise InputError(f"threshold= names {unscored!r}, which has labels only; there is no score to cut")
    else:
        cut = check_threshold(threshold)
        cuts = {m.name: cut for m in known if m.scores != "none"}
        if not cuts:
            raise InputError(f"threshold={threshold!r} was given, but no model has scores to cut")
    return tuple(replace(m, threshold=cuts.get(m.name, m.threshold)) for m in known)


def settled_threshold(model: str, threshold: float | None, reach: Callable[[], ScoreRange]) -> float:
    """The threshold itself, or 0.5 when all scores lie in [0, 1]."""
    if threshold is not None:
        return threshold
    low, high, *_ = reach()
    if low < 0 or high > 1:
        raise InputError(
            f"the scores of {model!r} run from {low:.4g} to {high:.4g}, not within [0, 1], so 0.5 may be the wrong "
            "cut: pass threshold="
        )
    return 0.5


RoleKind = Literal[
    "truth", "model", "id", "slice", "fold", "repeat", "cluster", "time", "weight", "labels", "scores", "left out"
]


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """What a column was taken for: whose labels or scores, of which class; why (if nobody named it); what weights mean.

    >>> ColumnRole("scores", model="svm", label="cat").words, ColumnRole("left out", why="dates").words
    ('scores of svm for cat', 'left out: dates')
    """

    kind: RoleKind
    model: str = ""
    label: str = ""
    why: str = ""

    @property
    def words(self) -> str:
        """The same for people."""
        if self.kind == "weight":
            return f"{self.why} weights"
        if self.kind == "left out":
            return f"left out: {self.why}" if self.why else "left out"
        return f"{self.kind}{self.model and f' of {self.model}'}{self.label and f' for {self.label}'}"


# A column may answer for several models.
ColumnRoles = tuple[ColumnRole, ...]


def role_words(roles: ColumnRoles) -> str:
    """The roles of a column for people."""
    return "; ".join(role.words for role in roles)


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
        matches = (c for c, roles in self._roles.items() if any((r.kind, r.model, r.label) == wanted for r in roles))
        return next(matches, None)

    def beside(self, other: Roles) -> Roles:
        """These, and what the other says of further columns."""
        return Roles({**other._words, **other._roles, **self._words, **self._roles})

    @property
    def left_out(self) -> tuple[str, ...]:
        """Which columns were left out for a reason, in a sentence; none where there are none."""
        reasons = {c: roles[0].why for c, roles in self._roles.items() if roles[0].kind == "left out"}
        listed = [f"{column!r} ({why})" for column, why in reasons.items() if why]
        more = f" and {len(listed) - 12} more" if len(listed) > 12 else ""
        return (f"Left out: {', '.join(listed[:12])}{more}.",) if listed else ()

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


class Held(WeakValueDictionary[tuple[Hashable, ...], object]):
    """What was made of the rows, by what it is; it is gone with its last holder, and does not travel."""

    def __reduce__(self) -> tuple[type[Held], tuple[()]]:
        return Held, ()


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
    # Score tables that were let go, and what else is kept only as long as someone else holds it.
    _held: Held = field(init=False)

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
        object.__setattr__(self, "_held", Held())
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

    def _unanswered(self, model: str, *, of_labels: bool, threshold: float | None = None) -> int:
        """How many rows lack what a metric of labels, or of scores, looks at: beside a label no score is asked for."""
        facts = self._model(model)
        if facts.absent and facts.answers_by_labels(threshold, of_labels=of_labels):
            return facts.unlabelled
        return self.unscored(model)

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
        positive = None if positive is None else plain_label(positive, "positive=")
        key = ("scores", name, positive)
        held = self._held.get(key)
        if isinstance(held, ScoreTable):
            return held
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
        key = ("placements", tuple(models), str(positive))
        return self._once(key, partial(self.source.placements, models, positive=positive))

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
        facts = self.facts.select(names)
        return replace(self._with(self.source.with_facts(facts)), notes=self._notes_by(facts))

    def with_threshold(self, threshold: Threshold) -> Predictions:
        """The same rows, the scores cut at another threshold (a number, or one for each model)."""
        facts = self._facts_cut_at(threshold)
        return replace(self._with(self.source.with_facts(facts)), notes=self._notes_by(facts))

    def with_prices(self, prices: Mapping[str, Prices]) -> Predictions:
        """The same rows, where the models that are named make the calls that cost least by their probabilities."""
        models = tuple(replace(m, prices=prices.get(m.name, m.prices)) for m in self.facts.models)
        rows = self.source if len(self.labels) == 2 and self.positive is not None else self.source.fetched()
        return self._with(rows.with_facts(replace(self.facts, models=models)))

    def _noted_at(self, threshold: float | None) -> Predictions:
        """The same rows and all that was counted of them, with the notes that hold at a threshold."""
        if threshold is None or not any(m.absent and m.scores != "none" for m in self.facts.models):
            return self
        return replace(self, notes=self._notes_by(self._facts_cut_at(threshold)))

    def _facts_cut_at(self, threshold: Threshold) -> Facts:
        models = apply_threshold((replace(m, threshold=None) for m in self.facts.models), threshold)
        return replace(self.facts, models=models)

    def _notes_by(self, facts: Facts) -> tuple[str, ...]:
        """The notes, those of rows that lack a prediction as it is with these facts."""
        of_model, now = {note: name for name, note in absent_notes(self.facts).items()}, absent_notes(facts)
        notes = (now.get(of_model[note], "") if note in of_model else note for note in self.notes)
        return tuple(filter(None, notes))

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
        """The values by which the rows were sliced (`by=`); so many are no grouping, and would take minutes."""
        names = self.keys("slices").names
        if len(names) > MOST_SLICES:
            raise InputError(f"by= has {len(names):,} values in {self.n:,} rows, which is no grouping: put them into "
                             f"at most {MOST_SLICES:,} groups first, such as ranges")  # fmt: skip
        return names

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

    @property
    def random_splits(self) -> bool:
        """Whether each repeat tests one part of the rows alone, and ids say which rows these are."""
        return (
            self.repeated
            and self.folded
            and self.has_ids
            and len(self.keys("folds").names) == len(self.keys("repeats").names)
        )

    def one_round(self) -> Predictions:
        """The rows of the first repeat; of random splits each row once, as it was tested first."""
        if self.random_splits:
            source = self.source.fetched()
            ids = np.asarray(source.ids).tolist()
            first = {v: len(ids) - 1 - i for i, v in enumerate(reversed(ids))}
            return self._with(source.take(np.sort(np.fromiter(first.values(), dtype=np.int64)))).without("repeats")
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

    def side_by_side(self) -> Predictions:
        """The rows for comparing areas: where pairs are counted in bins, tables come of the same looks at the rows."""
        source = self.source.side_by_side()
        return self if source is self.source else self._with(source)

    def _with(self, source: Source) -> Predictions:
        return replace(self, source=source, _memory={})

    def _once(self, key: tuple[Hashable, ...], count: Callable[[], Counted]) -> Counted:
        # Tallies are frozen, so one that was counted may be handed out again.
        if key not in self._memory:
            self._memory[key] = count()
        counted: Counted = self._memory[key]
        return counted

    def _while_held(self, key: tuple[Hashable, ...], make: Callable[[], Counted]) -> Counted:
        """What is as large as the rows: once for all that hold it at the same time."""
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = make()
        return cast("Counted", held)

    def _keep_within_budget(self, newest: tuple[Hashable, ...]) -> None:
        """Beyond a quarter of the budget let go of score tables of files and lazy tables: they can be counted again.

        The rest is for making the next one, and for rows. The first tables stay, since whoever goes through all models
        twice would find none of the last ones either way. A table that a curve still holds is handed out again. Rows in
        memory have their tables kept.
        """
        budget = self.source.memory_budget
        if budget is None or KEPT in self._memory:
            return
        sizes = {key: table.nbytes for key, table in self._memory.items() if key[0] == "scores"}
        for key in [key for key in reversed(sizes) if key != newest]:
            if sum(sizes.values()) <= budget // 4:
                return
            self._held[key] = self._memory.pop(key)
            del sizes[key]

    @contextmanager
    def _tables_kept(self) -> Iterator[None]:
        """Meanwhile no score table is let go: for whoever holds the curves of all models at once in any case."""
        self._memory[KEPT] = True
        try:
            yield
        finally:
            self._memory.pop(KEPT, None)
            self._keep_within_budget(KEPT)

    # In words.

    def __str__(self) -> str:
        lines = [f"{counted(self.n, 'row')}, {self._classes()}, {self._models()}."]
        alone = self.has_key("times") and self.keys("times").names == self.keys("clusters").names
        shown = [kind for kind in self.facts.kinds if not (alone and kind == "clusters")]
        extra = [f"{counted(len(self.keys(k).names), KIND_WORDS.get(k, k[:-1]))}{self._column_of(k)}" for k in shown]
        extra += [f"{self.weights_kind} weights"] if self.weights_kind else []
        if extra:
            lines.append(f"With {', '.join(extra)}.")
        lines += [*(f"Note: {one_line(note)}" for note in self.notes), *filter(None, [self.source.binning])]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escaped(str(self))}</pre>"

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
            listed = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
            parts.append(f"{len(names) if parts else counted(len(names), 'model')} with {kind}: {listed}")
        return "; ".join(parts)
