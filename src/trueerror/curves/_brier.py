"""Brier curves: the loss of using the forecasts as they are, at every cost ratio; the area is the Brier score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueerror.curves._base import (
    CurveInput,
    Figures,
    Floats,
    Places,
    Records,
    TableCurve,
    columns_to_records,
    curve_kind,
    curve_verb,
    hull_places,
    need_probabilities,
    weighted_sum,
)
from trueerror.inference._metric_interval import score_interval
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.loss._mean import loss_interval
from trueerror.inputs._arrays import plain_numbers
from trueerror.inputs._options import InputError, check_confidence, check_share
from trueerror.metrics._registry import find_measure
from trueerror.results import Interval
from trueerror.results._format import number, whole


@curve_verb("a Brier curve")
def brier_curve(data: CurveInput) -> BrierCurve:
    """The loss at each cost proportion c when rows with a forecast of c or more are predicted positive.

    c is the cost of a false alarm over the sum of both costs, and calling from p = c up is right for calibrated
    forecasts. The loss is 2(c·FP + (1 − c)·FN)/n; its area over c from 0 to 1 is the Brier score. Source:
    Hernández-Orallo, Flach and Ferri 2011, ICML:585.

    >>> curve = brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.6, 0.7])
    >>> round(curve.area().estimate, 6), float(curve.loss(0.5))
    (0.175, 0.25)
    """
    return BrierCurve(data.table, name=data.name, caution=data.caution)


@curve_kind(
    "brier-curve", verb="brier_curve", picture="curves.brier_curve_picture",
    title="loss over the cost proportion when forecasts are cut at it",
    formula="loss at c = 2(c·FP + (1 − c)·FN)/n, cut at c; its area is the Brier score",
    source="Hernández-Orallo, Flach and Ferri 2011, ICML:585",
)  # fmt: skip
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BrierCurve(TableCurve):
    """Loss against cost proportion: pieces of straight lines, with a step at each distinct forecast."""

    def __post_init__(self) -> None:
        need_probabilities(self.table, "a Brier curve")

    @property
    def points(self) -> tuple[Floats, Floats]:
        """(c, loss) at both ends of every piece, in order: what a picture joins by lines."""
        scores = self.table.scores
        # Piece k has the cutoff scores[k]: c from the score below up to it; the last one calls nothing.
        ends = np.concatenate(([0.0], scores, [1.0]))
        place = len(scores) - np.arange(len(scores) + 1)
        c = np.stack([ends[:-1], ends[1:]], axis=1)
        loss = self._at_places(c, place[:, None])
        kept = c[:, 1] > c[:, 0]
        return c[kept].ravel(), loss[kept].ravel()

    def loss(self, cost: ArrayLike) -> Floats:
        """The loss at each cost proportion when the forecast itself is cut there."""
        c = plain_numbers(cost, "cost")
        if not ((c >= 0) & (c <= 1)).all():
            raise InputError("cost must lie between 0 and 1: a false alarm's share of both costs")
        place = len(self.table.scores) - np.searchsorted(self.table.scores, c, side="left")
        return self._at_places(c, place)

    def best_loss(self, cost: ArrayLike) -> Floats:
        """The loss with the cutoff that is best on these rows: what stays after recalibrating."""
        c = plain_numbers(cost, "cost")
        places = hull_places(self.table.positives, self.table.negatives)
        lines = self._at_places(c[..., None], places)
        return np.asarray(lines.min(axis=-1))

    def at(self, cost: float, *, confidence: float = 0.95) -> Interval:
        """The loss at one cost proportion, with limits from those of its two parts, FP/n and FN/n."""
        level = check_confidence(confidence)
        c = check_share(cost, "cost")
        place = int(len(self.table.scores) - np.searchsorted(self.table.scores, c, side="left"))
        rows = self._all_rows(level)
        alarms = float(self._fp[place]) / self.table.n
        misses = float(self._tp[-1] - self._tp[place]) / self.table.n
        estimate, low, high = weighted_sum(
            (2 * c, 2 * (1 - c)), (alarms * rows, misses * rows), (rows, rows), confidence=level, exclusive=True
        )
        return self._noted(Interval(
            name=f"loss at cost proportion {number(c)}", estimate=estimate, low=max(0.0, low), high=min(2.0, high),
            confidence=level, method="mover-wilson", n=self.table.n, note=self._units,
            estimand="this model, cut at its own forecasts",
        ))  # fmt: skip

    def area(self, *, confidence: float = 0.95) -> Interval:
        """The Brier score, with the interval of a mean loss."""
        measure, spec = find_measure("brier"), IntervalSpec(confidence=confidence)
        if self.clusters is None:
            score = score_interval(measure, self.table, {}, spec)
        else:
            score = loss_interval(measure, self.clusters.losses(self.table, measure), {}, spec)
        return self._noted(score, binned=False)

    def _figures(self) -> Figures:
        return [
            ("the area, which is the Brier score", self.area()),
            ("the loss at one cost proportion, .at()", "mover-wilson"),
        ]

    def records(self) -> Records:
        """One record for each end of each piece."""
        return columns_to_records(("cost", "loss"), self.points)

    def _words(self) -> str:
        return f"Brier curve{self._subject()}, {whole(self.table.n)} rows; its area is the Brier score.\n{self.area()}"

    def _at_places(self, c: Floats, place: int | Places) -> Floats:
        missed = float(self._tp[-1]) - self._tp[place]
        out: Floats = 2 * (c * self._fp[place] + (1 - c) * missed) / self.table.n
        return out
