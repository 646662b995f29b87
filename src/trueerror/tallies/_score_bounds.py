"""What binned scores leave open: the interval in which an exact metric, or a point of an exact curve, must lie.

Rows of different bins are in order; within a bin their order is not known. So a pair of a positive and a negative in
one bin may count for 0 or for 1, and a threshold within a bin may be above or below any of its rows. A bin that can
hold a single score (its lowest is its highest) leaves nothing open: its rows are tied.

Two tables that the rows may have bound all that can only rise as positives rise and negatives fall: `best`, with every
positive at the top of its bin and every negative at the bottom, and `worst`, the other way round. Within the rectangle
of a bin the exact ROC curve climbs somehow from one corner to the other; `best` goes along its upper left side and
`worst` along its lower right one, so that the exact curve lies between the two everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs._arrays import Array, Floats
from trueerror.tallies._confusion import Amount
from trueerror.tallies._scores import ScoreTable

# Sums of fractions are rounded in the last digits; a bound must not be narrower for that.
ROUNDING = 1e-12


class Bounds(NamedTuple):
    """The lowest and the highest value that the exact one can have."""

    low: Amount
    high: Amount


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
        # What follows is made where it is asked for: an exact table may be large, and mostly nothing is.
        self.table = table

    @cached_property
    def up(self) -> Floats:
        """The positives of each bin."""
        return self.table.positives.astype(np.float64)

    @cached_property
    def down(self) -> Floats:
        """The negatives of each bin."""
        return self.table.negatives.astype(np.float64)

    @cached_property
    def uppers(self) -> Floats:
        """The highest score that each bin may hold."""
        if self.table.exact:
            return self.table.scores
        if self.table.uppers is not None:
            return self.table.uppers
        # Nothing is said of where bins end: each reaches up to the next.
        ends: Floats = np.nextafter(np.append(self.table.scores[1:], np.inf), -np.inf)
        return ends

    @cached_property
    def open(self) -> NDArray[np.bool_]:
        """Which bins may hold more than one score."""
        return self.uppers > self.table.scores

    @cached_property
    def best(self) -> ScoreTable:
        """The rows in the best order that they may have: within bins all positives above all negatives."""
        if self.table.exact:
            return self.table
        return self._split(self.table.positives, self.table.negatives, (0, 1))

    @cached_property
    def worst(self) -> ScoreTable:
        """The rows in the worst order that they may have: within bins all positives below all negatives."""
        if self.table.exact:
            return self.table
        return self._split(self.table.negatives, self.table.positives, (1, 0))

    def _split(self, upper: Array, lower: Array, order: tuple[int, int]) -> ScoreTable:
        """One class at the highest score of each open bin, the other at its lowest."""
        table, cut = self.table, np.flatnonzero(self.open)
        places = np.concatenate([np.arange(len(self.open)), cut])
        places.sort(kind="stable")
        scores = table.scores[places]
        second = np.flatnonzero(np.diff(places, prepend=-1) == 0)
        scores[second] = self.uppers[cut]
        raised, left = upper[places], lower[places]
        raised[second - 1] = left[second] = 0
        squares = None
        if table.squares is not None:
            squares = table.squares[:, places]
            squares[order[0], second - 1] = squares[order[1], second] = 0.0
        occupied = raised + left > 0
        parts = (raised[occupied], left[occupied])
        return ScoreTable(
            scores[occupied], parts[order[0]], parts[order[1]], positive=table.positive, sources=table.sources,
            squares=None if squares is None else squares[:, occupied],
        )  # fmt: skip

    def of(self, statistic: Callable[[ScoreTable], float]) -> Bounds:
        """Of a statistic that can only rise (or only fall) as positives rise and negatives fall.

        >>> table = ScoreTable([0.0, 0.5], [1, 2], [2, 1], exact=False, uppers=np.array([0.4, 1.0]))
        >>> table.bounds.of(lambda t: t.scores[t.positives > 0].min().item())
        Bounds(low=0.0, high=0.4)
        """
        ends = [float(statistic(table)) for table in (self.worst, self.best)]
        return Bounds(min(ends), max(ends))

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

    def average_precision(self, share: float | None = None) -> Bounds:
        """The mean precision at the positives; `share` is another share of positives, whose rows then weigh more.

        In an open bin with p positives and n negatives, F positives and D negatives above it, the i-th positive from
        the top has at least i positives and at most n negatives of the bin at or above it, so its precision is at
        least (F + i)/(F + i + D + n); it is highest, (F + p)/(F + p + D), where all are tied above the negatives.
        """
        up, down, open_ = self.up[::-1], self.down[::-1], self.open[::-1]
        total, others = float(up.sum()), float(down.sum())
        if total == 0 or share == 0:
            return Bounds(float("nan"), float("nan"))
        # What a negative weighs, where a positive weighs 1.
        weight = 1.0 if share is None or others == 0 else (1 - share) * total / (share * others)
        hits, above = np.cumsum(up) - up, weight * (np.cumsum(down) - down)
        most = above + weight * down
        tied = up * (hits + up) / np.maximum(hits + up + most, 1e-300)
        best = up * (hits + up) / np.maximum(hits + up + above, 1e-300)
        # Σ (F + i)/(M + i) over i = 1 … p, M = F + D + n, is p − (M − F)·Σ 1/(M + i).
        worst = up - most * _harmonic(hits + most, up)
        low, high = (float(np.where(open_, x, tied).sum()) / total for x in (worst, best))
        slack = ROUNDING if open_.any() else 0.0
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

    def records(self, wanted: Sequence[str]) -> list[dict[str, object]]:
        """For each bin, the highest first: its highest score, and the lowest and highest of some of these rates."""
        curves = self.curves()._asdict()
        columns = {"up_to": self.uppers[::-1]}
        for name in wanted:
            columns |= {f"{name}_low": curves[name].low, f"{name}_high": curves[name].high}
        return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]

    def at(self, threshold: float) -> CurveBounds:
        """The rates at one threshold: exact at the lowest score of a bin, and between two bins."""
        scores, uppers = self.table.scores, self.uppers
        above = int(np.searchsorted(scores, threshold, side="left"))
        sure = [float(x[above:].sum()) for x in (self.up, self.down)]
        inside = above > 0 and self.open[above - 1] and threshold <= uppers[above - 1]
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
        rates = self.at(float(threshold))
        if rates.tpr.low == rates.tpr.high and rates.fpr.low == rates.fpr.high:
            return ""
        tpr, fpr = (f"[{low:.6f}, {high:.6f}]" for low, high in (rates.tpr, rates.fpr))
        return f"binned scores: the exact TPR lies in {tpr}, the FPR in {fpr}"

    def precision_words(self, threshold: float) -> str:
        """The same of precision and recall."""
        if not self.words_at(threshold):
            return ""
        rates = self.at(float(threshold))
        precision, recall = (f"[{low:.6f}, {high:.6f}]" for low, high in (rates.precision, rates.tpr))
        return f"binned scores: the exact precision lies in {precision}, the recall in {recall}"

    def counts_at(self, threshold: float) -> tuple[Bounds, Bounds]:
        """Between which numbers the positives and the negatives at or above a threshold lie."""
        rates, p, n = self.at(threshold), float(self.up.sum()), float(self.down.sum())
        positives, negatives = (
            Bounds(*(float(np.rint(x * size)) if size else 0.0 for x in rate))
            for rate, size in ((rates.tpr, p), (rates.fpr, n))
        )
        return positives, negatives

    @property
    def largest(self) -> float:
        """The largest share of a class in an open bin: no rate within a bin is off by more."""
        shares = [float((x[self.open] / max(x.sum(), 1e-300)).max(initial=0.0)) for x in (self.up, self.down)]
        return max(shares)

    def words(self) -> str:
        """What is open of curves, in words; empty where nothing is."""
        if self.table.exact:
            return ""
        if self.table.uppers is None:
            return "binned scores: how far this is off is not known; a larger memory budget (budget=) makes it exact"
        return f"binned scores: rates are exact at the edges of bins, and within one off by {self.largest:.2g} at most"

    def placement_error(self) -> tuple[float, float]:
        """How far placements may be off, as the root of Σ(error)²/(size − 1) for the positives and the negatives.

        A placement in an open bin lies within half the bin's share of the other class around its middle. A standard
        deviation is a norm, so the exact one is off by no more than this.
        """
        p, n = float(self.up.sum()), float(self.down.sum())
        errors = []
        for mine, other, size, whole in ((self.up, self.down, p, n), (self.down, self.up, n, p)):
            off = np.where(self.open, other / max(2 * whole, 1.0), 0.0)
            errors.append(float(np.sqrt((mine * off * off).sum() / max(size - 1, 1.0))))
        return errors[0], errors[1]

    def standard_error_slack(self) -> float:
        """By how much DeLong's standard error of the area may be too small, or too large.

        It is a norm of both classes' placements, so that no order of the rows within bins moves it further.
        """
        (a, b), p, n = self.placement_error(), float(self.up.sum()), float(self.down.sum())
        return float(np.sqrt(a * a / max(p, 1.0) + b * b / max(n, 1.0)))


def _harmonic(start: Floats, terms: Floats) -> Floats:
    """Σ 1/(start + i) over i = 1 … terms, with all digits: ψ(b) − ψ(a) would lose those that large values share.

    Its expansion ln x − 1/2x − 1/12x² + 1/120x⁴ − 1/252x⁶ is subtracted term by term from a = start + 1 = 30 on.
    """
    a = start + 1
    far = np.maximum(a, 30.0)
    near = np.log1p(terms / far) + terms / (2 * far * (far + terms))
    for power, divisor in ((2, 12.0), (4, -120.0), (6, 252.0)):
        near += (far**-power - (far + terms) ** -power) / divisor
    return np.where(a >= 30, near, special.digamma(a + terms) - special.digamma(a))
