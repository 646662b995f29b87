"""The contract between rows and tallies (`Source`), and between columns and their roles (`InputTable`, `Layout`).

Arrays, files and lazy tables each implement `Source`; everything above this folder asks for tallies and never sees
where the rows are. Thresholds, at which a score becomes a predicted label, are checked here.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, WeightsKind, column, missing_rows, same_length
from trueerror.inputs._labels import Codes, Label, find_label, natural_positive, need_positive
from trueerror.inputs._options import ColumnError, InputError, check_word, nearest
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Missing, Moments, ScoreTable
from trueerror.tallies._moments import Placements

if TYPE_CHECKING:
    from trueerror.sources.engines._array_source import ArraySource

Floats = NDArray[np.float64]
# What a model is called that was given without a name.
ONE_MODEL = "model"
KeyKind = Literal["clusters", "slices", "folds", "repeats"]
KINDS: tuple[KeyKind, ...] = ("clusters", "slices", "folds", "repeats")
# How each kind of key is given: the option of te.predictions, and that of te.read.
KEY_OPTIONS: dict[KeyKind, tuple[str, str]] = {
    "clusters": ("clusters", "cluster"),
    "slices": ("by", "by"),
    "folds": ("folds", "fold"),
    "repeats": ("repeats", "repeat"),
}

# The lowest and the highest grade that a row can have.
Scale = tuple[float, float]

# (codes, probabilities (n, K) in label order) → one loss for each row.
Loss = Callable[[Codes, Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """How one model's answers are given.

    `scores` is "one" for a single column, higher = more positive, and "each" for one column a class. `absent` counts
    the rows that lack a label or a score that the model should have.
    """

    name: str
    has_labels: bool
    scores: Literal["none", "one", "each"]
    threshold: float | None = None
    absent: int = 0


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
            raise InputError(f"{model!r} has labels only; a curve needs its scores: pass them in scores=")
        chosen = self.positive if positive is None else find_label(positive, self.labels)
        if chosen is None:
            raise need_positive(self.labels, f"ranking by the scores of {model!r}")
        if facts.scores == "one" and self.positive is not None and chosen != self.positive:
            raise InputError(
                f"the scores of {model!r} are for {self.positive!r}, and scores are never flipped; pass one column "
                f"of scores for each class to speak of {chosen!r}"
            )
        return chosen

    def decision_rule(self, model: str, threshold: float | None) -> DecisionRule:
        """Where predicted labels are from: the model's own, the class of the highest score, or a cut of its score."""
        facts = self.model(model)
        self.need_classes(model)
        cut = facts.threshold if threshold is None else check_threshold(threshold)
        if facts.scores == "none" and threshold is not None:
            raise InputError(f"{model!r} has labels only; there is no score to cut at threshold={threshold:g}")
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


class DecisionRule(NamedTuple):
    """How rows get a predicted label; `threshold` None in a cut means 0.5, if all scores are in [0, 1]."""

    kind: Literal["labels", "argmax", "cut"]
    threshold: float | None = None


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

    def complete(self, models: Sequence[str]) -> Source:
        """These models on the rows that all of them scored, as far as an engine can pick them; else all rows."""

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
    except (TypeError, ValueError):
        raise InputError(f"threshold={threshold!r} is not a number") from None
    if math.isnan(value):
        raise InputError("threshold=nan makes no row positive or negative; give a number")
    return value


def pick_key(value: object, keys: Sequence[Label], kind: KeyKind) -> int:
    """Where a key stands among the keys, or an error that suggests the nearest."""
    for i, key in enumerate(keys):
        if key == value and isinstance(key, str) == isinstance(value, str):
            return i
    raise InputError(f"{value!r} is not among the {kind}{nearest(value, keys)}")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLayout:
    """The columns of one model: labels, one score, or one score for each class."""

    label: str | None = None
    score: str | None = None
    class_scores: Mapping[Label, str] | None = None

    def columns(self) -> tuple[str, ...]:
        """All columns of the model."""
        one = tuple(c for c in (self.label, self.score) if c is not None)
        return one if self.class_scores is None else (*one, *self.class_scores.values())


RoleKind = Literal[
    "truth", "model", "id", "slice", "fold", "repeat", "cluster", "weight", "labels", "scores", "left out"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All roles. In a long table `model` names the column that says whose answer a row is."""

    truth: str
    models: Mapping[str, ModelLayout]
    id: str | None = None
    keys: Mapping[KeyKind, str] = field(default_factory=dict)
    weight: str | None = None
    model: str | None = None
    roles: Mapping[str, ColumnRoles] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # All labels, where positive= declares one that the truth never shows.
    declared: tuple[Label, ...] | None = None

    def select(self, names: tuple[str, ...]) -> Layout:
        """The same with some of the models."""
        return replace(self, models={name: self.models[name] for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What counting depends on beside the columns."""

    labels: tuple[Label, ...] | None = None
    positive: object = None
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"
    threshold: Threshold = None
    budget: int | None = None


Kind = Literal["boolean", "integer", "number", "text", "date", "other"]


class InputTable(Protocol):
    """Columns that can be asked about without being pulled."""

    @property
    def name(self) -> str:
        """How to call the table in a message."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def n(self) -> int:
        """How many rows there are."""

    @property
    def provenance(self) -> str:
        """Where the rows are from, as tallies note it; "" for rows in memory."""

    @property
    def backend(self) -> str | None:
        """The data frame library that the table is from."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about the files."""

    def kind(self, name: str) -> Kind:
        """What a column holds."""

    def filled(self, name: str) -> int:
        """In how many rows the column is not missing."""

    def few(self, name: str, most: int) -> tuple[object, ...] | None:
        """The distinct values, missing left out, when there are at most `most`; None when there are more."""

    def first(self, name: str, most: int) -> Column:
        """The first values of a column."""

    def distinct(self, name: str) -> int:
        """How many distinct values there are, missing left out."""

    def is_whole(self, name: str) -> bool:
        """Whether a column of numbers holds whole numbers only."""

    def sum_to_one(self, names: Sequence[str]) -> bool:
        """Whether these columns add up to 1 in every row."""

    def values(self, name: str) -> Column:
        """The column itself, None or NaN where missing."""

    def counted(self, layout: Layout, options: Options) -> Source | None:
        """The rows as a source that counts where they are; None where they must come to memory."""


class ColumnsTable:
    """A table in memory: named NumPy columns."""

    notes: tuple[str, ...] = ()

    def __init__(
        self,
        columns: Mapping[str, object],
        *,
        name: str = "the table",
        backend: str | None = None,
        provenance: str = "",
    ) -> None:
        arrays = {str(key): column(values, f"column {str(key)!r}") for key, values in columns.items()}
        self.n = same_length({f"column {key!r}": array for key, array in arrays.items()})
        self.name = name
        self.provenance = provenance
        self.backend = backend
        self.columns = tuple(arrays)
        self._columns = {key: _plain(array) for key, array in arrays.items()}
        self._filled: dict[str, int] = {}

    def values(self, name: str) -> Column:
        return self._columns[name][0]

    def kind(self, name: str) -> Kind:
        return self._columns[name][1]

    def filled(self, name: str) -> int:
        if name not in self._filled:
            self._filled[name] = self.n - int(missing_rows(self.values(name)).sum())
        return self._filled[name]

    def few(self, name: str, most: int) -> tuple[object, ...] | None:
        array = self.values(name)
        if array.dtype.kind == "O":
            found: dict[Any, None] = {}
            for value in array[~missing_rows(array)]:
                found[value] = None
                if len(found) > most:
                    return None
            return tuple(found)
        if len(array) > 1 << 14 and len(np.unique(array[: 1 << 13])) > most + 1:
            return None  # seen on the first rows already, without sorting them all
        kept = np.unique(array[~missing_rows(array)])
        return tuple(kept.tolist()) if len(kept) <= most else None

    def first(self, name: str, most: int) -> Column:
        return self.values(name)[:most]

    def distinct(self, name: str) -> int:
        array = self.values(name)
        array = array[~missing_rows(array)]
        return len(set(array)) if array.dtype.kind == "O" else len(np.unique(array))

    def is_whole(self, name: str) -> bool:
        if self.kind(name) in ("boolean", "integer"):
            return True
        array = self.values(name)
        array = array[~missing_rows(array)]
        return self.kind(name) == "number" and bool((array == np.floor(array)).all() and np.isfinite(array).all())

    def counted(self, layout: Layout, options: Options) -> None:
        return None

    def sum_to_one(self, names: Sequence[str]) -> bool:
        total = np.sum([self.values(name).astype(np.float64) for name in names], axis=0)
        return bool((np.abs(total - 1) <= 1e-3).all())


def need_column(table: InputTable, name: object, option: str) -> str:
    """A column that the user named, or an error that suggests the nearest."""
    if isinstance(name, str) and name in table.columns:
        return name
    raise ColumnError(f"{option}={name!r}: {table.name} has no such column{nearest(name, table.columns)}")


def _plain(array: Column) -> tuple[Column, Kind]:
    """A column in its simplest type, and what it holds."""
    simple: dict[str, Kind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "date", "m": "date"}
    if array.dtype.kind in simple:
        return array, simple[array.dtype.kind]
    if array.dtype.kind in "UST":
        return array, "text"
    if array.dtype.kind != "O":
        return array, "other"
    gone = missing_rows(array)
    types = {type(v) for v in array[~gone]}
    if types and all(issubclass(t, str) for t in types):
        return array, "text"
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return (array if gone.any() else array.astype(bool)), "boolean"
    if types and all(issubclass(t, int | np.integer) and not issubclass(t, bool) for t in types):
        return (array if gone.any() else _whole_numbers(array)), "integer"
    if types and all(issubclass(t, numbers.Real | np.bool_) or t.__name__ == "Decimal" for t in types):
        floats = np.full(len(array), np.nan)
        floats[~gone] = array[~gone].astype(np.float64)
        return floats, "number"
    if types and all(issubclass(t, datetime.date | datetime.time | datetime.timedelta | np.datetime64) for t in types):
        return array, "date"
    # Text beside numbers is a mistake that the check of labels words best.
    return array, "text" if any(issubclass(t, str) for t in types) else "other"


def _whole_numbers(array: Column) -> Column:
    try:
        return array.astype(np.int64)
    except OverflowError:
        return array
