"""What a report was asked for, beyond the rows: metric, costs, class mix, confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from trueerror.inputs.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How predictions or an experiment are to be judged; results that are already made have been judged."""

    metric: str = "accuracy"
    reference: str | None = None
    margin: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prior: float | None = None
    confidence: float = 0.95
    rng: Any = None
    ignore: tuple[str, ...] = ()

    @property
    def by_cost(self) -> bool:
        """Whether errors of the two kinds cost different things."""
        return self.cost_fp is not None or self.cost_fn is not None

    @property
    def changed(self) -> list[str]:
        """The options that were given."""
        return [f.name for f in fields(self) if getattr(self, f.name) != f.default]

    def refuse(self, kind: str, *, allowed: Sequence[str] = ()) -> None:
        """An error where an option was given that cannot be obeyed."""
        for name in self.changed:
            if name not in allowed:
                raise InputError(f"{name}= cannot be used on {kind}: give it where that is made, or pass predictions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where the explorer begins: a class mix and two costs."""

    prior: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    @property
    def words(self) -> str:
        """The costs, in words."""
        if self.cost_fp == self.cost_fn:
            return "at equal costs"
        return f"a false alarm costing {self.cost_fp:g} and a miss {self.cost_fn:g}"
