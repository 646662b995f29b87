"""The detection error tradeoff: misses against false alarms on normal-deviate axes, and the equal error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, interval_records
from trueerror.curves._input import CurveInput, need_classes
from trueerror.curves._points import Counts, Figures, Records, cutoffs, downward
from trueerror.curves._replicates import bootstrap_area
from trueerror.curves._verb import curve_verb
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share
from trueerror.results import Interval, Result
from trueerror.results._format import folded, number, percent, whole, with_limits
from trueerror.results._format import limits as bracket
from trueerror.results._values import joined_notes


@curve_verb("a DET curve")
def det(data: CurveInput) -> Det:
    """Misses (FNR) against false alarms (FPR) at every threshold.

    On normal-deviate axes (`.deviates()`) the curve of two normal classes with equal spread is a straight line, and
    good models are spread apart that crowd in the corner of an ROC plot. Source: Martin et al. 1997, Eurospeech:1895.

    >>> curve = det([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> curve.fpr.tolist(), curve.fnr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    >>> curve.equal_error_rate().estimate
    0.5
    """
    return Det(data.table, name=data.name, caution=data.caution)


@curve_kind("det-curve", verb="det", picture="curves.det_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Det(TableCurve):
    """False positive rate and false negative rate; `thresholds` descend, the first is infinite."""

    def __post_init__(self) -> None:
        need_classes(self.table, "a DET curve")

    @property
    def thresholds(self) -> Floats:
        """Descending; at the first, infinite one nothing is predicted positive."""
        return cutoffs(self.table)

    @property
    def fpr(self) -> Floats:
        """Share of the negatives predicted positive: false alarms."""
        return self._fp / float(self._fp[-1])

    @property
    def fnr(self) -> Floats:
        """Share of the positives not flagged: misses."""
        total = float(self._tp[-1])
        return (total - self._tp) / total

    def deviates(self) -> tuple[Floats, Floats]:
        """(Φ⁻¹ of FPR, Φ⁻¹ of FNR), infinite where a rate is 0 or 1: a plot leaves those points out."""
        from scipy.special import ndtri

        return ndtri(self.fpr), ndtri(self.fnr)

    def at(
        self,
        *,
        threshold: float | None = None,
        fpr: float | None = None,
        fnr: float | None = None,
        confidence: float = 0.95,
    ) -> ErrorPoint:
        """One operating point: at a threshold, the lowest one that keeps FPR at or below, or the highest one that keeps
        FNR at or below; the last two are read off these rows, and the note says so.
        """
        if sum(v is not None for v in (threshold, fpr, fnr)) != 1:
            raise InputError("give one of threshold=, fpr= or fnr=")
        note = "the threshold was read off these rows"
        if threshold is not None:
            place, note = int(np.count_nonzero(self.table.scores >= threshold)), ""
        elif fpr is not None:
            place = int(np.flatnonzero(self.fpr <= check_share(fpr, "fpr"))[-1])
        else:
            assert fnr is not None
            place = int(np.flatnonzero(self.fnr <= check_share(fnr, "fnr"))[0])
        fp, tp = float(self._fp[place]), float(self._tp[place])
        negatives, positives = float(self._fp[-1]), float(self._tp[-1])
        cut = float(self.thresholds[place]) if threshold is None else float(threshold)
        within_bin = "" if self.table.exact or self.table.squares is not None else self.table.bounds.words_at(cut)
        note = joined_notes(note, within_bin, self._units)
        fpr_interval, fnr_interval = (
            self._rate(name.replace(" ", "_"), place, cut, confidence=confidence, name=name, note=note)
            for name in ("false positive rate", "false negative rate")
        )
        return ErrorPoint(
            threshold=cut,
            false_alarms=fp,
            negatives=negatives,
            misses=positives - tp,
            positives=positives,
            fpr=self._noted(fpr_interval, binned=not within_bin),
            fnr=self._noted(fnr_interval, binned=not within_bin),
            note=note,
        )

    def equal_error_rate(self, *, confidence: float = 0.95, replicates: int = 2000, rng: Rng = None) -> Interval:
        """The rate at which misses and false alarms are equally frequent, points joined by straight lines.

        Bootstrap limits; where they collapse, with sampling weights or clusters, Wilson's at the smaller of the two
        classes, which are never too narrow.
        """
        level = check_confidence(confidence)
        estimate = float(equal_rates(self.table.positives[None], self.table.negatives[None])[0])
        rows = min(self._class_rows(level))
        low, high = (float(x) for x in share_limits(estimate * rows, rows, "wilson", level))
        return self._noted(bootstrap_area(
            self.table, equal_rates, name="equal error rate", estimate=estimate, confidence=level,
            replicates=replicates, rng=rng, fallback=(low, high, "wilson"), estimand="this model",
            clusters=self.clusters,
        ), binned=False)  # fmt: skip

    def _figures(self) -> Figures:
        return [
            ("the equal error rate", self.equal_error_rate()),
            ("misses and false alarms at one threshold, .at()", self._of_shares),
        ]

    def records(self) -> Records:
        """One record for each threshold."""
        return columns_to_records(("threshold", "fpr", "fnr"), (self.thresholds, self.fpr, self.fnr))

    def _words(self) -> str:
        rate = self.equal_error_rate()
        return (
            f"DET curve{self._subject()}: {whole(self.table.n_positive)} positives, {whole(self.table.n_negative)} "
            f"negatives. Misses and false alarms are equal at {with_limits(rate.estimate, rate.low, rate.high)} "
            f"({percent(rate.confidence)} {rate.method})."
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ErrorPoint(Result):
    """False alarms and misses at one threshold."""

    threshold: float
    false_alarms: float
    negatives: float
    misses: float
    positives: float
    fpr: Interval
    fnr: Interval
    note: str = ""

    def records(self) -> Records:
        return interval_records(self.threshold, (self.fpr, self.fnr))

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return folded(
            f"At threshold {number(self.threshold)}: {whole(self.false_alarms)} false alarms of "
            f"{whole(self.negatives)} negatives {bracket(self.fpr.low, self.fpr.high)}, {whole(self.misses)} misses of "
            f"{whole(self.positives)} positives {bracket(self.fnr.low, self.fnr.high)}.{note}"
        )


def equal_rates(positives: Counts, negatives: Counts) -> Floats:
    """Where FPR = FNR on the joined points, for tables in rows; NaN where a class has no rows.

    >>> equal_rates(np.array([[0, 1, 0, 1]]), np.array([[1, 0, 1, 0]])).tolist()
    [0.5]
    """
    tp, fp = downward(positives), downward(negatives)
    both = (tp[:, -1] > 0) & (fp[:, -1] > 0)
    fpr = fp / np.where(both, fp[:, -1], 1)[:, None]
    excess = fpr - (1 - tp / np.where(both, tp[:, -1], 1)[:, None])
    row = np.arange(len(tp))
    after = np.maximum(1, np.argmax(excess >= 0, axis=1))
    rise = excess[row, after] - excess[row, after - 1]
    part = -excess[row, after - 1] / np.where(rise > 0, rise, 1)
    rate = fpr[row, after - 1] + part * (fpr[row, after] - fpr[row, after - 1])
    return np.where(both, rate, np.nan)
