"""What any place of rows can count: the contract between rows and tallies.

Arrays, files and lazy tables each implement `Source`; everything above this room asks for tallies and never sees
where the rows are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.labels import Codes, Label, find_label, natural_positive, need_positive
from trueerror.inputs.options import check_word
from trueerror.inputs.weights import WeightsKind
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Missing, Moments, ScoreTable
from trueerror.tallies.placements import Placements

if TYPE_CHECKING:
    from trueerror.rows.arrays import ArraySource

Floats = NDArray[np.float64]
KeyKind = Literal["clusters", "slices", "folds", "repeats"]
KINDS: tuple[KeyKind, ...] = ("clusters", "slices", "folds", "repeats")
# How each kind of key is given: the option of te.predictions, and that of te.read.
KEY_OPTIONS: dict[KeyKind, tuple[str, str]] = {
    "clusters": ("clusters", "cluster"),
    "slices": ("by", "by"),
    "folds": ("folds", "fold"),
    "repeats": ("repeats", "repeat"),
}

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
    """What is known of the rows without counting them again. `chosen` is the positive class that was named."""

    n: int
    labels: tuple[Label, ...]
    chosen: Label | None
    models: tuple[ModelFacts, ...]
    declared: bool = False
    kinds: tuple[KeyKind, ...] = ()
    has_ids: bool = False
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"

    @property
    def positive(self) -> Label | None:
        """The positive class: the one that was named, else True, or 1 of {0, 1} or {−1, 1}; None when not known."""
        return natural_positive(self.labels) if self.chosen is None else self.chosen

    def model(self, name: str) -> ModelFacts:
        """One model by name, or an error that suggests the nearest."""
        for model in self.models:
            if model.name == name:
                return model
        raise InputError(f"there is no model {name!r}{nearest(name, [m.name for m in self.models])}")

    def select(self, names: Sequence[str]) -> Facts:
        """The same rows with some of the models, in the order of `names`."""
        return replace(self, models=tuple(self.model(name) for name in dict.fromkeys(names)))

    def need_kind(self, kind: KeyKind) -> None:
        """An error where the rows have no such key."""
        check_word(kind, KINDS, "kind")
        if kind not in self.kinds:
            arrays, file = KEY_OPTIONS[kind]
            raise InputError(f"these rows have no {kind}; give them with {arrays}= (in te.read: {file}=)")

    def score_class(self, model: str, positive: Any) -> Label:
        """The class whose scores are asked for, and that they are there."""
        facts = self.model(model)
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

    def way(self, model: str, threshold: float | None) -> Way:
        """How the model's calls come about: its labels, the class with the highest score, or a cut of its score."""
        facts = self.model(model)
        cut = facts.threshold if threshold is None else check_threshold(threshold)
        if facts.scores == "none" and threshold is not None:
            raise InputError(f"{model!r} has labels only; there is no score to cut at threshold={threshold:g}")
        if cut is None and facts.has_labels:
            return Way("labels")
        if cut is None and facts.scores == "each":
            return Way("argmax")
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
        return Way("cut", cut)


class Way(NamedTuple):
    """How rows are called; `threshold` None in a cut means 0.5, if all scores are in [0, 1]."""

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
    """For each key how many rows it has, and the sum of their losses."""

    names: tuple[Label, ...]
    sizes: NDArray[np.int64]
    sums: Floats


class Source(Protocol):
    """Rows that can be counted."""

    @property
    def facts(self) -> Facts:
        """What is known of the rows."""
        ...

    @property
    def name(self) -> str:
        """Where the rows are from, for messages and provenance."""
        ...

    def with_facts(self, facts: Facts) -> Self:
        """The same rows, seen with other facts: fewer models, another positive class or threshold."""
        ...

    def truth_counts(self) -> NDArray[np.int64]:
        """Rows of each class, in label order."""
        ...

    def fingerprint(self) -> str:
        """A digest of the truth in row order: equal for the same rows, wherever they are kept."""
        ...

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        """Truth × predicted."""
        ...

    def keyed_confusion(self, model: str, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        """Truth × predicted for each cluster, slice, fold or repeat."""
        ...

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        """Truth × first × second."""
        ...

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        """Truth × first × second for each cluster, slice, fold or repeat."""
        ...

    def scores(self, model: str, *, positive: Any = None) -> ScoreTable:
        """Distinct scores with positives and negatives."""
        ...

    def score_range(self, model: str) -> ScoreRange:
        """Between which values the scores lie."""
        ...

    def keys(self, kind: KeyKind) -> Keys:
        """The distinct keys of one kind."""
        ...

    def subset(self, kind: KeyKind, value: Any) -> Source:
        """The rows of one key alone."""
        ...

    def moments(self, model: str, loss: Loss) -> Moments:
        """The mean of a loss over the rows, and its spread."""
        ...

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        """The same of the first model's loss minus the second's, row by row."""
        ...

    def keyed_losses(self, model: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        """The sums of a loss for each key."""
        ...

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        """The same of the first model's loss minus the second's, over the rows that both scored."""
        ...

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        """Truth codes, and one score for each row and class (n, K)."""
        ...

    def score_columns(self, models: Sequence[str], *, positive: Any = None) -> tuple[NDArray[np.bool_], Floats]:
        """Which rows are positive, and the scores of several models side by side (n, models): for paired ranks."""
        ...

    def unscored(self, model: str) -> int:
        """How many rows lack a score of a model that has scores."""
        ...

    def complete(self, models: Sequence[str]) -> Source:
        """These models on the rows that all of them scored, as far as an engine can pick them; else all rows."""
        ...

    def placements(self, models: Sequence[str], *, positive: Any = None) -> Placements | None:
        """What comparing areas needs, where rows do not fit into memory; None where `score_columns` may be asked."""
        ...

    def fetched(self) -> ArraySource:
        """The rows of the models at hand in memory, for what cannot be counted where they are."""
        ...


def check_threshold(threshold: float) -> float:
    """A threshold that can be compared with scores."""
    try:
        value = float(threshold)
    except (TypeError, ValueError):
        raise InputError(f"threshold={threshold!r} is not a number") from None
    if math.isnan(value):
        raise InputError("threshold=nan calls no row positive or negative; give a number")
    return value


def pick_key(value: Any, keys: Sequence[Label], kind: KeyKind) -> int:
    """Where a key stands among the keys, or an error that suggests the nearest."""
    for i, key in enumerate(keys):
        if key == value and isinstance(key, str) == isinstance(value, str):
            return i
    raise InputError(f"{value!r} is not among the {kind}{nearest(value, keys)}")
