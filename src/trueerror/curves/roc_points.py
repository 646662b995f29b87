"""One point of a ROC curve, with what is known about its rates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueerror.curves.shares import opened, share
from trueerror.results import Interval, Result
from trueerror.results.words import folded, limits, number, whole
from trueerror.tallies.bounds import Bounds
from trueerror.tallies.scores import ScoreTable


def roc_point(
    table: ScoreTable,
    place: int,
    *,
    threshold: float,
    rates: tuple[float, float],
    confidence: float = 0.95,
    note: str = "",
) -> RocPoint:
    """The point at which the `place` highest distinct scores are called positive; `rates` are (fpr, tpr) there."""
    sizes = float(table.n_negative), float(table.n_positive)
    squares: tuple[tuple[float, float] | None, ...] = (None, None)
    counts = [rate * size for rate, size in zip(rates, sizes, strict=True)]
    if table.squares is None:
        counts = [float(round(c)) for c in counts]
    else:
        cut = len(table.scores) - place
        squares = tuple((float(s[cut:].sum()), float(s[:cut].sum())) for s in table.squares[::-1])
    alarms, found = (
        share(word, count, size - count, confidence=confidence, squares=square, note=note, estimand="this model")
        for word, count, size, square in zip(("fpr", "tpr"), counts, sizes, squares, strict=True)
    )
    if not table.exact and table.squares is None:
        up, down = table.bounds.counts_at(threshold)
        found, alarms = (
            opened(made, (called, Bounds(size - called.high, size - called.low)), confidence=confidence)
            for made, called, size in ((found, up, sizes[1]), (alarms, down, sizes[0]))
        )
    return RocPoint(
        threshold=threshold, fpr=alarms.estimate, tpr=found.estimate, fpr_interval=alarms, tpr_interval=found,
        positives=sizes[1], negatives=sizes[0], note=note,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RocPoint(Result):
    """One point of a ROC curve: rows from `threshold` up are called positive. Both rates come with Wilson intervals."""

    threshold: float
    fpr: float
    tpr: float
    fpr_interval: Interval
    tpr_interval: Interval
    positives: float
    negatives: float
    note: str = ""

    def __float__(self) -> float:
        return self.threshold

    def records(self) -> list[dict[str, object]]:
        out: dict[str, object] = {"threshold": self.threshold}
        for word, made in (("fpr", self.fpr_interval), ("tpr", self.tpr_interval)):
            out |= {word: made.estimate, f"{word}_low": made.low, f"{word}_high": made.high}
        return [out | {"confidence": self.tpr_interval.confidence, "note": self.note}]

    def __str__(self) -> str:
        found, alarms = self.tpr_interval, self.fpr_interval
        note = f" ({self.note})" if self.note else ""
        start = f"From {number(self.threshold)} up" if self.threshold < math.inf else "Calling nothing positive"
        return folded(
            f"{start}: finds {whole(round(self.tpr * self.positives, 1))} of {whole(self.positives)} positives, "
            f"TPR {number(found.estimate)} {limits(found.low, found.high)}; "
            f"{whole(round(self.fpr * self.negatives, 1))} of {whole(self.negatives)} negatives are false alarms, "
            f"FPR {number(alarms.estimate)} {limits(alarms.low, alarms.high)}.{note}"
        )

    def __repr__(self) -> str:
        return str(self)
