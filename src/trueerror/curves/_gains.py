"""Cumulative gains and lift curves: how many of the positives are in the top share of the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind
from trueerror.curves._input import CurveInput, need_classes
from trueerror.curves._points import Figures, Records, area_under, cutoffs
from trueerror.curves._verb import curve_verb
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats, one_number
from trueerror.inputs._options import InputError, check_confidence
from trueerror.results import Interval
from trueerror.results._format import estimate_and_limits, percent, whole


@curve_verb("a gains curve")
def gains(data: CurveInput) -> Gains:
    """The share of the positives found in the top share of the rows, as that share grows from 0 to 1.

    >>> g = gains([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    >>> g.at(share=0.2).estimate
    0.6666666666666666
    """
    return Gains(data.table, name=data.name, caution=data.caution)


@curve_verb("a lift curve")
def lift(data: CurveInput) -> Lift:
    """How many times more positives the top share of the rows holds than the same number of rows drawn at random.

    lift = precision / prevalence = (share of the positives found) / (share of the rows flagged).

    >>> lift([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).at(share=0.2).estimate
    3.333333333333333
    """
    return Lift(data.table, name=data.name, caution=data.caution)


@dataclass(frozen=True, eq=False, repr=False)
class _ByShare(TableCurve):
    """What gains and lift have in common: both run over the share of the rows that is predicted positive."""

    def __post_init__(self) -> None:
        need_classes(self.table, f"a {type(self).__name__.lower()} curve", negatives=False)

    @cached_property
    def _called(self) -> Floats:
        """Rows predicted positive at each cutoff."""
        return self._tp + self._fp

    def _gain_at(self, part: float, confidence: float) -> tuple[float, float, float]:
        """The gain at a share, with limits.

        The cut moves with the sample too. With θ the gain, r the share, π the prevalence and Λ the share of positives
        among rows with scores near the cut, Var θ̂ = (θ(1 − θ)(1 − 2Λ) + Λ²·r(1 − r)/π)/P; Wilson's interval is taken
        at the number of rows that gives a share this variance.
        """
        # Rows with one score count as in random order.
        total, positives = self._sizes
        gain = self._found_in(part * total) / positives
        positives = self._class_rows(confidence)[0]
        near = self._near(part)
        spread = gain * (1 - gain)
        variance = spread * (1 - 2 * near) + near * near * part * (1 - part) / self.prevalence
        # Where the formula degenerates (all or none found, or no variance left) the positives themselves are the rows.
        rows = positives * spread / variance if spread > 0 and variance > 0 else positives
        # The formula is a difference of near equals when all rows around the cut are positive: it is not trusted there.
        rows = min(rows, 4 * positives)
        low, high = share_limits(gain * rows, rows, "wilson", confidence)
        return gain, float(low), float(high)

    def _near(self, part: float) -> float:
        """The share of positives among the rows around the cut: n^(2/3) of them, or 20 if more."""
        total = self._sizes[0]
        reach = max(20.0, total ** (2 / 3)) / 2
        low, high = max(part * total - reach, 0.0), min(part * total + reach, total)
        return float((self._found_in(high) - self._found_in(low)) / (high - low))

    @cached_property
    def _sizes(self) -> tuple[float, float]:
        """All rows, and the positives."""
        tp, fp = self._counts_at(np.array([len(self.table.scores)]))
        return float((tp + fp)[0]), float(tp[0])

    def _found_in(self, rows: float) -> float:
        """The positives among so many rows with the highest scores."""
        tp, fp = self._counts_around(rows)
        return float(np.interp(rows, tp + fp, tp))

    def _part(self, share: float | None, threshold: float | None) -> float:
        if (share is None) == (threshold is None):
            raise InputError("give one of share= or threshold=")
        if share is not None:
            part = one_number(share, "share")
            if not 0 < part <= 1:
                raise InputError(f"share={share!r} must lie in (0, 1]: the part of the rows that is predicted positive")
            return part
        threshold = one_number(threshold, "threshold")
        place = int(np.count_nonzero(self.table.scores >= threshold))
        if place == 0:
            raise InputError(f"threshold={threshold!r} flags no row; the highest score is {self.table.scores[-1]:.6g}")
        tp, fp = self._counts_at(np.array([place]))
        return float((tp + fp)[0]) / self._sizes[0]


@curve_kind("gains-curve", verb="gains", picture="curves.gains_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gains(_ByShare):
    """Cumulative gains: `share` of the rows flagged against `found`, the share of the positives among them."""

    @property
    def share(self) -> Floats:
        """Share of the rows predicted positive, from 0, one point for each distinct score."""
        return self._called / float(self._called[-1])

    @property
    def found(self) -> Floats:
        """Share of the positives that are flagged (recall)."""
        return self._tp / float(self._tp[-1])

    @property
    def thresholds(self) -> Floats:
        """Descending; the first is infinite: nothing is called."""
        return cutoffs(self.table)

    def at(self, *, share: float | None = None, threshold: float | None = None, confidence: float = 0.95) -> Interval:
        """The share of the positives found in the top `share` of the rows; within ties, as if in random order.

        Source of the variance: Ash and Hughes-Oliver 2022, J. Cheminformatics 14:50.

        >>> print(gains([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).at(share=0.2))
        gain at the top 20 % 0.667 [0.272, 0.915], 95 % wilson-enrichment, n = 10
        """
        level = check_confidence(confidence)
        part = self._part(share, threshold)
        gain, low, high = self._gain_at(part, level)
        return self._noted(Interval(
            name=f"gain at the top {percent(round(part, 6))}", estimate=gain, low=low, high=high, confidence=level,
            method="wilson-enrichment", n=self.table.n, estimand="the top share of rows like these",
            note=self._units,
        ))  # fmt: skip

    def perfect(self) -> tuple[Floats, Floats]:
        """The line of a ranking with all positives first."""
        return np.array([0.0, self.prevalence, 1.0]), np.array([0.0, 1.0, 1.0])

    @property
    def area(self) -> float:
        """Area under the curve; it is π/2 + (1 − π)·AUC, so the ROC area says the same without the prevalence."""
        return area_under(self.share, self.found)

    def _figures(self) -> Figures:
        return [("the gain at a share, .at()", self.at(share=0.1))]

    def records(self) -> Records:
        """One record for each distinct score, after the start."""
        return columns_to_records(("threshold", "share", "found"), (self.thresholds, self.share, self.found))

    def _words(self) -> str:
        at = self.at(share=0.1)
        share, limits_words = estimate_and_limits(at.estimate, at.low, at.high, least=1, power=2)
        return (
            f"Gains curve{self._subject()}: the top 10 % of {whole(self.table.n)} rows hold {share} % {limits_words} "
            f"of the {whole(self.table.n_positive)} positives."
        )


@curve_kind("lift-curve", verb="lift", picture="curves.lift_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Lift(_ByShare):
    """Lift against the share of the rows flagged; there is none where nothing is flagged."""

    @property
    def share(self) -> Floats:
        """Share of the rows predicted positive, one point for each distinct score."""
        return self._called[1:] / float(self._called[-1])

    @property
    def lift(self) -> Floats:
        """Precision over prevalence."""
        return self._tp[1:] / self._called[1:] * float(self._called[-1] / self._tp[-1])

    @property
    def thresholds(self) -> Floats:
        """Descending."""
        return self.table.scores[::-1]

    def at(self, *, share: float | None = None, threshold: float | None = None, confidence: float = 0.95) -> Interval:
        """The lift in the top `share` of the rows: the gain there over the share, and so are its limits."""
        level = check_confidence(confidence)
        part = self._part(share, threshold)
        gain, low, high = self._gain_at(part, level)
        return self._noted(Interval(
            name=f"lift at the top {percent(round(part, 6))}", estimate=gain / part, low=low / part, high=high / part,
            confidence=level, method="wilson-enrichment", n=self.table.n, estimand="the top share of rows like these",
            note=self._units,
        ))  # fmt: skip

    def perfect(self) -> tuple[Floats, Floats]:
        """The line of a ranking with all positives first: 1/π while positives last, then 1/share."""
        share = np.concatenate(([0.0, self.prevalence], np.linspace(self.prevalence, 1.0, 101)[1:]))
        return share, 1 / np.maximum(share, self.prevalence)

    def _figures(self) -> Figures:
        return [("the lift at a share, .at()", self.at(share=0.1))]

    def records(self) -> Records:
        """One record for each distinct score."""
        return columns_to_records(("threshold", "share", "lift"), (self.thresholds, self.share, self.lift))

    def _words(self) -> str:
        times, limits_words = self.top_words()
        return (
            f"Lift curve{self._subject()}: the top 10 % of {whole(self.table.n)} rows hold {times} times "
            f"{limits_words} as many positives as a tenth drawn at random."
        )

    def top_words(self, share: float = 0.1) -> tuple[str, str]:
        """The lift in the top share of the rows and its limits, all with the decimals that give the largest of them
        three digits: how many times more is seldom known better.
        """
        at = self.at(share=share)
        return estimate_and_limits(at.estimate, at.low, at.high, least=3 if at.high >= 10 else 2)
