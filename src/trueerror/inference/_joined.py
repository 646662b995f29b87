"""Rows that belong to two keys at once, or stand in order of time: one question, asked over each key.

Each view of the rows (by the one key, by the other, by both) has an estimate of its own, as rows in clusters have;
`joined` makes one of them (`_estimate.over_two_keys`, `_estimate.in_time`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trueerror.inference._effective_t import KEY
from trueerror.inference._estimate import Estimate, as_drawn, in_time, over_two_keys
from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.inference._sample import Estimated, OneSample
from trueerror.methods._registry import InferenceMethod
from trueerror.results import Interval
from trueerror.results._values import Note

NO_OTHER = "over two keys, or in order of time, only the effective t has limits"


def joined(made: Sequence[Estimate], timed: Sequence[bool], groups: Sequence[int]) -> Estimate:
    """One estimate of those over each key; units of `timed` ones, so many `groups`, stand in order of time."""
    parts = [(as_drawn, in_time)[t](e, n) for e, t, n in zip(made, timed, groups, strict=True)]
    return parts[0] if len(parts) == 1 else over_two_keys(*parts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedRows(OneSample):
    """One model on rows with two keys, or in order of time: its sample over each key, and over both together."""

    parts: tuple[OneSample, ...]
    timed: tuple[bool, ...]
    sizes: tuple[int, ...]
    words: str

    @property
    def clustered(self) -> bool:
        """They are."""
        return True

    @property
    def value(self) -> float:
        """The metric."""
        return self.parts[0].value

    @property
    def n(self) -> float:
        """How many rows it is of."""
        return self.parts[0].n

    @property
    def groups(self) -> int:
        """The number of clusters of the key that has fewer."""
        return min(self.sizes)

    def ends(self, q: Problem[Any]) -> Range:
        """Between which values the metric lies."""
        return self.parts[0].ends(replace(q, sample=self.parts[0]))

    def why_undefined(self, q: Problem[Any]) -> str | Note:
        """Why the metric has no value."""
        return self.parts[0].why_undefined(replace(q, sample=self.parts[0]))

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, and of one cluster."""
        return self.parts[0].nothing(replace(q, sample=self.parts[0])) or OneSample.nothing(self, q)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """One estimate of those over each key; where one of them has none, as that one says."""
        made = [part.estimated(replace(q, sample=part)) for part in self.parts]
        lacking = next((m for m in made if not len((m.estimate.worst or m.estimate).units.T)), None)
        if lacking is not None or math.isnan(self.value):
            return lacking or made[0]
        estimate = joined([m.estimate for m in made], self.timed, self.sizes)
        return Estimated(estimate=estimate, notes=(self.words,), instead=made[0].instead)

    def answered(self, q: Problem[Any], chosen: InferenceMethod) -> Interval:
        """The effective t; other methods have no limits here."""
        if chosen.key == KEY:
            return OneSample.answered(self, q, chosen)
        return self._interval(q, IntervalLimits(math.nan, math.nan, "", NO_OTHER), q.ends)
