"""Which column plays which role: the outcome of reading a table's header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trueerror.inputs.labels import Label
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.source import KeyKind
from trueerror.rows.thresholds import Threshold
from trueerror.tallies import Missing


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All roles. In a long table `model` names the column that says whose answer a row is."""

    truth: str
    models: Mapping[str, ModelLayout]
    id: str | None = None
    keys: Mapping[KeyKind, str] = field(default_factory=dict)
    weight: str | None = None
    model: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
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
    positive: Any = None
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"
    threshold: Threshold = None
    budget: int | None = None
