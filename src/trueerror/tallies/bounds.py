"""What binned scores leave open: the interval in which an exact metric, or a point of an exact curve, must lie.

Rows of different bins are in order; within a bin their order is not known. So a pair of a positive and a negative in
one bin may count for 0 or for 1, and a threshold within a bin may be above or below any of its rows. A bin that can
hold a single score (its lowest is its highest) leaves nothing open: its rows are tied.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
# Sums of fractions are rounded in the last digits; a bound must not be narrower for that.
ROUNDING = 1e-12


class Bounds(NamedTuple):
    """The lowest and the highest value that the exact one can have."""

    low: Any
    high: Any


class CurveBounds(NamedTuple):
    """At thresholds that descend: between which values the exact rates lie."""

    thresholds: Floats
    fpr: Bounds
    tpr: Bounds
    precision: Bounds


class ScoreBounds:
    """The bounds of one score table.

    >>> table = ScoreTable([0.0, 0.5], [1, 2], [2, 1], exact=False, uppers=np.array([0.4, 1.0]))
    >>> table.bounds.auc()
    Bounds(low=0.4444444444444444, high=0.8888888888888888)
    """

    def __init__(self, table: ScoreTable) -> None:
        self.table = table
        self.up = table.positives.astype(np.float64)
        self.down = table.negatives.astype(np.float64)
        open_ = np.zeros(len(self.up), dtype=bool) if table.exact else np.ones(len(self.up), dtype=bool)
        if not table.exact and table.uppers is not None:
            open_ = table.uppers > table.scores
        # Which bins may hold more than one score.
        self.open = open_

    def auc(self) -> Bounds:
        """The area under the ROC curve: pairs within open bins are all wrong, or all right."""
        total = float(self.up.sum()) * float(self.down.sum())
        if total == 0:
            return Bounds(float("nan"), float("nan"))
        below = np.cumsum(self.down) - self.down
        sure = float((self.up * (below + np.where(self.open, 0.0, self.down / 2))).sum())
        unsure = float((self.up * self.down)[self.open].sum())
        slack = ROUNDING if unsure and total > 2.0**52 else 0.0
        return Bounds(max(0.0, sure / total - slack), min(1.0, (sure + unsure) / total + slack))

    def average_precision(self) -> Bounds:
        """The mean precision at the positives.

        In an open bin with p positives and n negatives, F positives and C rows above it, the i-th positive from the top
        has at least i positives and at most n negatives of the bin at or above it, so its precision is at least
        (F + i)/(C + n + i); it is highest, (F + p)/(C + p), where all are tied above the negatives.
        """
        up, down, open_ = (x[::-1] for x in (self.up, self.down, self.open))
        total = float(up.sum())
        if total == 0:
            return Bounds(float("nan"), float("nan"))
        found, called = np.cumsum(up) - up, np.cumsum(up + down) - up - down
        tied = up * (found + up) / np.maximum(called + up + down, 1.0)
        best = up * (found + up) / np.maximum(called + up, 1.0)
        most = called + down
        # Σ (F + i)/(M + i) over i = 1 … p is p − (M − F)·(ψ(M + p + 1) − ψ(M + 1)).
        worst = up - (most - found) * (special.digamma(most + up + 1) - special.digamma(most + 1))
        low, high = (float(np.where(open_, x, tied).sum()) / total for x in (worst, best))
        slack = 1e-9 if open_.any() else 0.0
        return Bounds(max(0.0, low - slack), min(1.0, high + slack))

    def curves(self) -> CurveBounds:
        """ROC and precision/recall: at each bin's own threshold the rates are exact, within the bin they are between.

        Element i speaks of all thresholds from the lowest score of bin i (exclusive of the next one below) up to just
        above its highest: the exact rates lie between those of the bins above it and those with it.
        """
        up, down = self.up[::-1], self.down[::-1]
        tp, fp = np.cumsum(up), np.cumsum(down)
        open_ = self.open[::-1]
        tp_low, fp_low = np.where(open_, tp - up, tp), np.where(open_, fp - down, fp)
        p, n = max(float(tp[-1]), 1e-300), max(float(fp[-1]), 1e-300)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Where no negative can be called, whatever is called is right; where no positive can, it is wrong.
            worst = np.where(tp_low + fp > 0, tp_low / (tp_low + fp), 1.0)
            precision = Bounds(worst, np.where(tp + fp_low > 0, tp / (tp + fp_low), 0.0))
        return CurveBounds(self.table.scores[::-1], Bounds(fp_low / n, fp / n), Bounds(tp_low / p, tp / p), precision)

    def at(self, threshold: float) -> CurveBounds:
        """The rates at one threshold: exact at the lowest score of a bin, and between two bins."""
        scores, uppers = self.table.scores, self.table.uppers
        above = int(np.searchsorted(scores, threshold, side="left"))
        sure = [float(x[above:].sum()) for x in (self.up, self.down)]
        inside = above > 0 and self.open[above - 1] and (uppers is None or threshold <= uppers[above - 1])
        more = [s + float(x[above - 1]) if inside else s for s, x in zip(sure, (self.up, self.down), strict=True)]
        p, n = float(self.up.sum()), float(self.down.sum())
        nan = float("nan")

        def share(x: float, whole: float) -> float:
            return x / whole if whole else nan

        precision = Bounds(nan, nan)
        if more[0] + more[1] > 0:
            # Where no negative can be called, whatever is called is right; where no positive can, it is wrong.
            worst = sure[0] / (sure[0] + more[1]) if sure[0] + more[1] else 1.0
            precision = Bounds(worst, more[0] / (more[0] + sure[1]) if more[0] + sure[1] else 0.0)
        return CurveBounds(
            np.array([threshold]),
            Bounds(share(sure[1], n), share(more[1], n)),
            Bounds(share(sure[0], p), share(more[0], p)),
            precision,
        )

    def words_at(self, threshold: float) -> str:
        """What is open at a threshold, in words; empty where nothing is."""
        if self.table.exact:
            return ""
        found = self.at(float(threshold))
        if found.tpr.low == found.tpr.high and found.fpr.low == found.fpr.high:
            return ""
        tpr, fpr = (f"[{low:.6f}, {high:.6f}]" for low, high in (found.tpr, found.fpr))
        return f"binned scores: the exact TPR lies in {tpr}, the FPR in {fpr}"

    def placement_error(self) -> tuple[float, float]:
        """How far placements may be off, as the root of Σ(error)²/(size − 1) for the positives and the negatives.

        A placement in an open bin lies within half the bin's share of the other class around its middle. A standard
        deviation is a norm, so the exact one is off by no more than this.
        """
        p, n = float(self.up.sum()), float(self.down.sum())
        found = []
        for mine, other, size, whole in ((self.up, self.down, p, n), (self.down, self.up, n, p)):
            off = np.where(self.open, other / max(2 * whole, 1.0), 0.0)
            found.append(float(np.sqrt((mine * off * off).sum() / max(size - 1, 1.0))))
        return found[0], found[1]

    def standard_error_slack(self) -> float:
        """By how much DeLong's standard error of the area may be too small."""
        (a, b), p, n = self.placement_error(), float(self.up.sum()), float(self.down.sum())
        return float(np.sqrt(a * a / max(p, 1.0) + b * b / max(n, 1.0)))
