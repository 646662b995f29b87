"""What rows are grouped by: parts that every engine translates into expressions of its own, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Label
from trueerror.rows import groups


@dataclass(frozen=True, slots=True)
class Value:
    """A column as it stands."""

    column: str


@dataclass(frozen=True, slots=True)
class Is:
    """1 where a column holds a label, else 0."""

    column: str
    label: Label


@dataclass(frozen=True, slots=True)
class Cut:
    """The code `above` where a column is at least the threshold, else `below`; −1 where it is missing."""

    column: str
    threshold: float
    above: int
    below: int


@dataclass(frozen=True, slots=True)
class Argmax:
    """The position of the first column that is highest; −1 where one is missing."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The bin of a column: from lows[i] up ⌊(x − lows[i])·scales[i]⌋, between 0 and tops[i], beyond the bins before.

    Missing where the column is missing.
    """

    column: str
    lows: tuple[float, ...]
    scales: tuple[float, ...]
    tops: tuple[int, ...]

    @property
    def pieces(self) -> tuple[tuple[float, float, int, int], ...]:
        """(low, scale, top, first bin) of each stretch, from the highest down."""
        firsts = [0]
        for top in self.tops:
            firsts.append(firsts[-1] + top + 1)
        return tuple(zip(self.lows, self.scales, self.tops, firsts, strict=False))[::-1]

    @property
    def cells(self) -> int:
        """How many bins there are."""
        return sum(self.tops) + len(self.tops)


Part = Value | Is | Cut | Argmax | Place


class Within(NamedTuple):
    """The rows in which a column lies between two values, both included."""

    column: str
    low: float
    high: float


class Groups(NamedTuple):
    """One array for each part, missing values as None or NaN, and what each group weighs."""

    parts: tuple[NDArray[Any], ...]
    masses: groups.Masses

    def ordered(self) -> Groups:
        """The groups by the values of their parts, which are numbers, the last part first.

        An engine gives groups in any order, and a sum over them must not differ in its last digit from run to run.

        >>> found = Groups((np.array([0.7, 0.2]), np.array([0, 0])), groups.Masses(np.array([1, 5])))
        >>> found.ordered().masses.counts
        array([5, 1])
        """
        order = np.lexsort(self.parts)
        return Groups(tuple(part[order] for part in self.parts), self.masses.kept(order))
