"""What a ROC hull is made of and answers with: corners, mixtures, ranges of class distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trueerror.results import Result, Table
from trueerror.results.words import folded, number

ALWAYS_NEG, ALWAYS_POS = "AlwaysNeg", "AlwaysPos"
# How the classifiers that need no model are called in print; data carry their names.
TRIVIAL_WORDS = {ALWAYS_NEG: "call nothing (AlwaysNeg)", ALWAYS_POS: "call everything (AlwaysPos)"}
# A stretch of shares of positives narrower than this is not printed.
NARROW = 0.0005


def classifier_words(name: str) -> str:
    """A classifier in print.

    >>> classifier_words("svm"), classifier_words("AlwaysNeg")
    ('svm', 'call nothing (AlwaysNeg)')
    """
    return TRIVIAL_WORDS.get(name, name)


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
        always = self.classifier in TRIVIAL_WORDS
        return classifier_words(self.classifier) if always else f"{self.classifier} from {number(self.threshold)} up"


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

    def stretches(self) -> list[dict[str, Any]]:
        """Neighbouring corners of one classifier as one: its thresholds from the highest to the lowest, and the range
        of shares of positives; stretches too narrow to print are left out.

        >>> from trueerror.curves import roc, roc_hull
        >>> hull = roc_hull(roc([0, 1, 1, 0, 1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]))
        >>> [(s["classifier"], s["thresholds"]) for s in hull.ranges().stretches()]
        [('AlwaysNeg', (inf, inf)), ('model', (0.4, 0.4)), ('AlwaysPos', (-inf, -inf))]
        """
        made: list[dict[str, Any]] = []
        for row in self.rows:
            if made and made[-1]["classifier"] == row["classifier"]:
                made[-1] |= {"thresholds": (made[-1]["thresholds"][0], row["threshold"]), "to": row["to"]}
            else:
                own = (row["threshold"], row["threshold"])
                made.append({"classifier": row["classifier"], "thresholds": own, "from": row["from"], "to": row["to"]})
        wide = [s for s in made if s["to"] - s["from"] >= NARROW]
        return wide or made

    def _table(self) -> Table:
        cells = []
        for s in self.stretches():
            first, last = s["thresholds"]
            cut = number(first) if first == last else f"{number(first)} to {number(last)}"
            cut = "any" if math.isinf(first) else cut
            ends = [f"{100 * s[end]:.1f} %" for end in ("from", "to")]
            cells.append((classifier_words(s["classifier"]), cut, *ends))
        title = f"Cheapest by the share of positives (a false alarm costs {self.cost_fp:g}, a miss {self.cost_fn:g})"
        return Table(columns=("classifier", "threshold", "from", "to"), rows=tuple(cells), title=title)

    def __str__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
