"""Precision–recall–gain: precision and recall on the scale where the always-positive classifier is 0."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.replicates import bootstrap_area
from trueerror.curves.taking import curve_of, need_classes
from trueerror.curves.views import Floats, TableCurve, downward
from trueerror.inputs.options import check_confidence
from trueerror.inputs.weights import WeightsKind
from trueerror.intervals.critical import tail
from trueerror.results import Interval
from trueerror.results.words import whole
from trueerror.rows.table_options import takes_table_options
from trueerror.tallies.scores import ScoreTable


@takes_table_options
def precision_recall_gain(
    truth: Any,
    scores: Any = None,
    *,
    model: str | None = None,
    positive: Any = None,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    **columns: Any,
) -> PrecisionRecallGain:
    """Precision gain against recall gain at every threshold.

    precision gain = 1 − (P/N)·(FP/TP), recall gain = 1 − (P/N)·(FN/TP): 1 is perfect, 0 is what calling every row
    positive gets for precision, and what recall = prevalence gets for recall. Straight lines between points are
    right here, and the area is comparable between data sets. Source: Flach and Kull 2015, NIPS 28:838.

    >>> curve = precision_recall_gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.precision_gain.tolist(), curve.recall_gain.tolist()
    ([1.0, 0.0, 0.5, 0.0], [0.0, 0.0, 1.0, 1.0])
    >>> curve.auc().estimate
    0.25
    """
    return curve_of(
        PrecisionRecallGain, "a precision–recall–gain curve", truth, scores,
        model=model, positive=positive, weights=weights, weights_kind=weights_kind, **columns,
    )  # fmt: skip


class PrecisionRecallGain(TableCurve):
    """Precision gain and recall gain; `thresholds` descend, from the first at which a positive is called."""

    __slots__ = ("_fp", "_tp")
    _shape: ClassVar[str] = "precision-recall-gain-curve"
    _tp: Floats
    _fp: Floats

    def __init__(self, table: ScoreTable, *, name: str = "") -> None:
        super().__init__(table, name=name)
        need_classes(table, "a precision–recall–gain curve")
        self._set(_tp=downward(table.positives), _fp=downward(table.negatives))

    def _start(self) -> int:
        """The first threshold with a true positive: before it both gains are minus infinity."""
        return int(np.argmax(self._tp > 0))

    @property
    def thresholds(self) -> Floats:
        """Descending, one for each point."""
        return self.table.scores[::-1][self._start() - 1 :]

    @property
    def precision_gain(self) -> Floats:
        """1 − (P/N)·(FP/TP)."""
        start = self._start()
        return 1 - float(self._tp[-1] / self._fp[-1]) * self._fp[start:] / self._tp[start:]

    @property
    def recall_gain(self) -> Floats:
        """1 − (P/N)·(FN/TP)."""
        start = self._start()
        total = float(self._tp[-1])
        return 1 - total / float(self._fp[-1]) * (total - self._tp[start:]) / self._tp[start:]

    def auc(self, *, confidence: float = 0.95, replicates: int = 2000, rng: Any = None) -> Interval:
        """The area for recall gains from 0 to 1; at most 1, about 0 for chance, negative when worse.

        Bootstrap limits; where the replicates have no spread, as with perfectly separated classes, those of the worst
        and best curves that leave unseen a share of each class.
        """
        level = check_confidence(confidence)
        estimate = float(gain_areas(self.table.positives[None], self.table.negatives[None])[0])
        return self._told(bootstrap_area(
            self.table, gain_areas, name="area under PR gain", estimate=estimate, confidence=level,
            replicates=replicates, rng=rng, within=(-math.inf, 1.0), fallback=self._outer_areas(level),
        ))  # fmt: skip

    def _outer_areas(self, confidence: float) -> tuple[float, float, str]:
        """The areas when a share of each class is moved to its worst place, and to its best.

        The share 1 − (α/2)^(1/n) goes unseen among n rows with probability α/2. With sampling weights any part of the
        curve may be off, by the one-sided band of Dvoretzky, Kiefer, Wolfowitz and Massart at the effective n.
        """
        alpha = tail(confidence)
        up, down = (np.asarray(c, dtype=np.float64) for c in (self.table.positives, self.table.negatives))
        shares = [-math.expm1(math.log(alpha) / max(1.0, float(c.sum()))) for c in (up, down)]
        if self.table.squares is not None:
            shares = [min(1.0, math.sqrt(math.log(2 / alpha) / (2 * n))) for n in self._class_rows()]
        areas = []
        for place in (0, -1):
            # Two more scores, below and above all others, for what is moved.
            moved = [np.concatenate(([0.0], c * (1 - s), [0.0])) for c, s in zip((up, down), shares, strict=True)]
            moved[0][place] = up.sum() * shares[0]
            moved[1][-1 - place] = down.sum() * shares[1]
            areas.append(float(gain_areas(moved[0][None], moved[1][None])[0]))
        return areas[0], areas[1], "unseen-share"

    def _figures(self) -> list[tuple[str, object]]:
        return [("the area", self.auc())]

    def records(self) -> list[dict[str, object]]:
        """One record for each threshold."""
        return [
            {"threshold": float(t), "recall_gain": float(r), "precision_gain": float(p)}
            for t, r, p in zip(self.thresholds, self.recall_gain, self.precision_gain, strict=True)
        ]

    def _words(self) -> str:
        return (
            f"Precision–recall–gain curve{self._subject()}: {whole(self.table.n_positive)} positives, "
            f"{whole(self.table.n_negative)} negatives.\n{self.auc()}"
        )


def gain_areas(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    """The area under the gain curve for tables in rows; NaN where a class has no rows.

    The curve enters at recall gain 0, which is recall = prevalence; the point there lies on the line between its
    neighbours in (TP, FP), and lines stay lines in gain space.
    """
    tp, fp = downward(positives), downward(negatives)
    up, down = tp[:, -1:], fp[:, -1:]
    there = (up > 0) & (down > 0)
    up, down = np.where(there, up, 1.0), np.where(there, down, 1.0)
    entry = up * up / (up + down)
    step = np.diff(tp, axis=1)
    # Of the segment that crosses the entry only the part beyond it counts.
    part = np.clip((entry - tp[:, :-1]) / np.where(step > 0, step, 1.0), 0.0, 1.0)
    begin_tp = np.maximum(tp[:, :-1] + part * step, entry)
    begin_fp = fp[:, :-1] + part * np.diff(fp, axis=1)
    counts = (step > 0) & (tp[:, 1:] > entry)
    end_tp = np.where(counts, tp[:, 1:], 1.0)
    odds = up / down
    left, right = 1 - odds * begin_fp / begin_tp, 1 - odds * fp[:, 1:] / end_tp
    width = odds * up * (1 / begin_tp - 1 / end_tp)
    areas = np.where(counts, width * (left + right) / 2, 0.0).sum(axis=1)
    return np.where(there[:, 0], areas, np.nan)
