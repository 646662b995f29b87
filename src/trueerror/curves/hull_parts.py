"""What a ROC hull is made of and answers with: corners, mixtures, ranges of class distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trueerror.results import Result, Table
from trueerror.results.words import folded, number

ALWAYS_NEG, ALWAYS_POS = "AlwaysNeg", "AlwaysPos"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HullCorner(Result):
    """A classifier at a threshold that is on the hull; `also` names others that reach the same point."""

    classifier: str
    threshold: float
    fpr: float
    tpr: float
    also: tuple[str, ...] = ()

    def _made_by(self) -> list[tuple[str, object]]:
        return [("", "roc-hull")]

    def __str__(self) -> str:
        return f"{self.words()} at ({number(self.fpr)}, {number(self.tpr)})"

    def words(self) -> str:
        """The classifier and its threshold."""
        always = self.classifier in (ALWAYS_NEG, ALWAYS_POS)
        return self.classifier if always else f"{self.classifier} from {number(self.threshold)} up"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mixture(Result):
    """A randomised classifier: for each row the `second` corner with probability `share`, else the `first`.

    Its rates lie on the line between the two corners, so it reaches every point of the hull.
    """

    first: HullCorner
    second: HullCorner
    share: float
    fpr: float
    tpr: float

    def _made_by(self) -> list[tuple[str, object]]:
        return [("", "roc-hull")]

    def records(self) -> list[dict[str, object]]:
        return [
            {"classifier": c.classifier, "threshold": c.threshold, "probability": p, "fpr": c.fpr, "tpr": c.tpr}
            for c, p in ((self.first, 1 - self.share), (self.second, self.share))
        ]

    def __str__(self) -> str:
        if self.share in (0.0, 1.0):
            return folded(f"{self.second if self.share else self.first}")
        return folded(
            f"For each row use {self.first.words()} with probability {number(1 - self.share)}, else "
            f"{self.second.words()}: FPR {number(self.fpr)}, TPR {number(self.tpr)}."
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HullRanges(Result):
    """For each corner of a hull the shares of positives over which it is the cheapest; iterates over its records."""

    rows: tuple[Mapping[str, Any], ...]
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    def _made_by(self) -> list[tuple[str, object]]:
        return [("", "roc-hull")]

    def records(self) -> list[dict[str, object]]:
        return [dict(row) for row in self.rows]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        return self.rows[place]

    def _table(self) -> Table:
        keys = ("classifier", "threshold", "from", "to")
        cells = [
            tuple(r[k] if isinstance(r[k], str) else "any" if math.isinf(r[k]) else number(r[k]) for k in keys)
            for r in self.rows
        ]
        title = f"Cheapest by the share of positives (a false alarm costs {self.cost_fp:g}, a miss {self.cost_fn:g})"
        return Table(columns=keys, rows=tuple(cells), title=title)

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
