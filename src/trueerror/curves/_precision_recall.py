"""Precision–recall curves and their areas, for one table or for many resamples at once; and precision–recall–gain
curves, on the scale where the always-positive classifier is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, frozen, interval_records, with_notes
from trueerror.curves._input import CurveInput, need_classes
from trueerror.curves._points import (
    Counts,
    Figures,
    Records,
    counted_records,
    downward,
    table_of_cells,
)
from trueerror.curves._replicates import bootstrap_area
from trueerror.curves._roc import fpr_limits
from trueerror.curves._verb import curve_verb
from trueerror.inference._answer import interval_of
from trueerror.inference._binned_limits import widened
from trueerror.inference._estimate import ends_of
from trueerror.inference._label_tables import label_estimate
from trueerror.inference._problem import IntervalSpec, Problem, tail
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference._variance import Sample
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats, numbers, one_number, plain_numbers
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share, check_word
from trueerror.metrics._registry import Prior, find_measure, score_share
from trueerror.metrics.scores import NO_BOUND, average_precision
from trueerror.results import Interval, Result
from trueerror.results._format import folded, number, percent, whole, with_limits
from trueerror.results._values import joined_notes
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable


def step_area(positives: Counts, negatives: Counts) -> Floats:
    """Average precision of tables in rows, scores ascending; NaN without positives."""
    # With masses given, the metric does not look at its table.
    no_table = cast(ScoreTable, None)
    areas: Floats = np.minimum(average_precision(no_table, (positives, negatives)), 1.0)
    return areas


def linear_area(positives: Counts, negatives: Counts) -> Floats:
    """The trapezoid from (recall 0, precision 1)."""
    tp, fp = downward(positives), downward(negatives)
    called = tp + fp
    precision = np.where(called > 0, tp / np.where(called > 0, called, 1), 1.0)
    middle = (precision[..., 1:] + precision[..., :-1]) / 2
    return _over_positives((np.diff(tp, axis=-1) * middle).sum(axis=-1), tp)


def davis_goadrich_area(positives: Counts, negatives: Counts) -> Floats:
    """The integral of Davis and Goadrich's curve in closed form.

    Between two points FP = FP₀ + s(TP − TP₀), so precision is TP/(a·TP + c) with a = 1 + s and c = FP₀ − s·TP₀, whose
    integral is ΔTP/a − (c/a²)·ln of the ratio of the rows retrieved at both ends.
    """
    tp, fp = downward(positives), downward(negatives)
    step = np.diff(tp, axis=-1)
    rises = step > 0
    slope = np.diff(fp, axis=-1) / np.where(rises, step, 1.0)
    a = 1.0 + slope
    c = fp[..., :-1] - slope * tp[..., :-1]
    begin = tp[..., :-1] + fp[..., :-1]
    # From nothing retrieved c is 0, and precision is level.
    growth = np.where(begin > 0, a * step / np.where(begin > 0, begin, 1.0), 0.0)
    pieces = np.where(rises, step / a - c / (a * a) * np.log1p(growth), 0.0)
    return _over_positives(pieces.sum(axis=-1), tp)


def _over_positives(sums: Floats, tp: Floats) -> Floats:
    total = tp[..., -1]
    out: Floats = np.where(total > 0, sums / np.where(total > 0, total, 1), np.nan)
    return np.minimum(out, 1.0)


PR_AREAS = {"davis-goadrich": davis_goadrich_area, "linear": linear_area, "step": step_area}


Interpolation = Literal["davis-goadrich", "linear", "step"]
AreaMethod = Literal["effective-t", "boyd-logit", "bootstrap"]
# Thresholds whose limits are found at a time.
BLOCK = 1 << 14
INTERPOLATIONS: tuple[Interpolation, ...] = ("davis-goadrich", "linear", "step")


@curve_verb("a precision/recall curve")
def precision_recall(data: CurveInput, *, prior: Prior | None = None) -> PrecisionRecall:
    """Precision and recall as the threshold goes down, one point for each distinct score.

    Precision is the share of the retrieved rows that are relevant, TP / (TP + FP); recall is the share of the relevant
    rows that are retrieved, TP / P. Precision is undefined if nothing is retrieved, so the curve starts at the highest
    score. `prior=` is the share of positives where the model is used, if it is another than among these rows:
    precision, areas and limits are then those at that mix, the rates within each class being the same there.

    >>> pr = precision_recall([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> pr.precision.round(3).tolist(), pr.recall.tolist()
    ([1.0, 0.5, 0.667, 0.5], [0.5, 0.5, 1.0, 1.0])
    >>> pr.average_precision().estimate
    0.8333333333333333
    >>> precision_recall([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], prior=0.1).precision.round(3).tolist()
    [1.0, 0.1, 0.182, 0.1]
    """
    share = None if prior is None else score_share(prior, data.table)
    return PrecisionRecall(data.table, name=data.name, caution=data.caution, prior=share)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PrecisionRecallBand(Result):
    """A band around a precision–recall curve: at each threshold its recall, its precision, and where the true precision
    may lie, `low` to `high`, at that threshold by itself.
    """

    name: str = ""
    thresholds: Floats
    recall: Floats
    precision: Floats
    low: Floats
    high: Floats
    confidence: float = 0.95
    method: str = "wilson"
    n: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("thresholds", "recall", "precision", "low", "high"):
            object.__setattr__(self, name, frozen(np.array(getattr(self, name), dtype=np.float64)))

    def __iter__(self) -> Iterator[Floats]:
        """The lower and the upper limits: `low, high = curve.band()`."""
        return iter((self.low, self.high))

    @property
    def title(self) -> str:
        """What the band is, for a legend."""
        return f"{percent(self.confidence)} pointwise band"

    def records(self) -> Records:
        """One record for each threshold."""
        names = ("threshold", "recall", "precision", "low", "high")
        return columns_to_records(names, (self.thresholds, self.recall, self.precision, self.low, self.high))

    def __str__(self) -> str:
        subject = f" of {self.name}" if self.name else ""
        note = f" ({self.note})" if self.note else ""
        return folded(
            f"{self.title} around the precision–recall curve{subject}, {self.method}, n = {whole(self.n)}: it holds at "
            f"each threshold by itself, not over the whole curve.{note}"
        )

    __repr__ = __str__


@curve_kind("precision-recall-curve", verb="precision_recall", picture="curves.precision_recall_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrecisionRecall(TableCurve):
    """Precision against recall; `thresholds` descend, one for each distinct score.

    With `prior`, at that share of positives: the negatives weigh (1 − π)/π·P/N, where a positive weighs 1.
    """

    prior: float | None = field(default_factory=lambda: None)

    def __post_init__(self) -> None:
        if self.prior is not None and not 0 < self.prior < 1:
            raise InputError(
                f"prior={self.prior!r}: at another class mix both classes need a share, such as prior=0.05"
            )
        need_classes(self.table, "a precision/recall curve", negatives=self.prior is not None)

    @property
    def prevalence(self) -> float:
        """The share of positives that the precision is meant for: that of the rows, or the prior's."""
        return self.table.n_positive / self.table.n if self.prior is None else self.prior

    @cached_property
    def _fp(self) -> Floats:
        """False positives at each cutoff, at the prior's mix in rows that weigh as much as a positive."""
        false = downward(self.table.negatives)
        return false * float(self._weight(self._tp[-1], false[-1]))

    def _weight(self, positives: Floats, negatives: Floats) -> Floats:
        """What a negative weighs, where a positive weighs 1."""
        if self.prior is None:
            return np.ones(np.shape(positives))
        divisor = np.where(negatives > 0, negatives, 1.0)
        return (1 - self.prior) / self.prior * np.asarray(positives, dtype=np.float64) / divisor

    def _area_of(self, interpolation: Interpolation, positives: Counts, negatives: Counts) -> Floats:
        """The area for tables in rows, at this curve's class mix."""
        if self.prior is not None:
            totals = (np.asarray(x, dtype=np.float64).sum(axis=-1, keepdims=True) for x in (positives, negatives))
            negatives = negatives * self._weight(*totals)
        return PR_AREAS[interpolation](positives, negatives)

    @property
    def _mix(self) -> str:
        """Of which rows the figures speak."""
        if self.prior is None:
            return "rows with this share of positives"
        return f"at another class mix: {percent(self.prior)} {self.table.positive}"

    @property
    def thresholds(self) -> Floats:
        """Descending; a row is retrieved when its score is at or above."""
        return self.table.scores[::-1]

    @property
    def precision(self) -> Floats:
        """TP / (TP + FP) at each threshold."""
        called = self._tp[1:] + self._fp[1:]
        # Scores above all rows that count (of weight 0) retrieve none.
        shares: Floats = np.divide(self._tp[1:], called, out=np.full(len(called), np.nan), where=called > 0)
        return shares

    @property
    def recall(self) -> Floats:
        """TP / P at each threshold."""
        return self._tp[1:] / float(self._tp[-1])

    def average_precision(
        self, *, method: AreaMethod = "effective-t", confidence: float = 0.95, replicates: int = 2000,
        rng: Rng = None,
    ) -> Interval:  # fmt: skip
        """Σ (recall gained at a threshold) · (precision there): the area under the steps, ties as one group.

        "boyd-logit" is logit θ ± z/√(P·θ(1 − θ)) with P positives; where P·θ(1 − θ) < 1 Wilson's interval of θ at P
        rows, which has a width at θ = 1. It does not look at the negatives. "effective-t" takes its standard error from
        what each row adds (te.explain("effective-t")). Source: Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451.
        """
        return self._area("average precision", "step", method, confidence, replicates, rng)

    def auc(
        self, interpolation: Interpolation = "davis-goadrich", *, method: AreaMethod = "effective-t",
        confidence: float = 0.95, replicates: int = 2000, rng: Rng = None,
    ) -> Interval:  # fmt: skip
        """The area under the curve, with the points joined in one of three ways.

        "davis-goadrich" lets FP grow in proportion to TP between two points, which is what mixing their classifiers
        does, and starts level from recall 0; "linear" joins them by straight lines from (0, 1), which is too high;
        "step" is the average precision. Source: Davis and Goadrich 2006, ICML:233.

        >>> precision_recall([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]).auc().estimate
        0.5
        """
        check_word(interpolation, INTERPOLATIONS, "interpolation")
        return self._area(f"area under PR ({interpolation})", interpolation, method, confidence, replicates, rng)

    def interpolate(self, recall: ArrayLike) -> Floats:
        """Precision at any recall by Davis and Goadrich: FP grows in proportion to TP between two points.

        At a recall that several thresholds reach, the best precision among them.
        """
        wanted = plain_numbers(recall, "recall")
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise InputError("recall must lie between 0 and 1")
        total = float(self._tp[-1])
        # Of the points with equal TP the first has the fewest FP, the last is where the next segment begins.
        first = np.concatenate(([True], self._tp[1:] > self._tp[:-1]))
        last = np.concatenate((self._tp[1:] > self._tp[:-1], [True]))
        tp = wanted * total
        ends = self._tp[first]
        place = np.clip(np.searchsorted(ends, tp, side="left"), 1, len(ends) - 1)
        begin = ends[place - 1]
        fp_begin, fp_end = self._fp[last][place - 1], self._fp[first][place]
        part = (tp - begin) / (ends[place] - begin)
        fp = fp_begin + part * (fp_end - fp_begin)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside: Floats = tp / (tp + fp)
        # Level from recall 0 to the first point when it is the first thing retrieved.
        level = ends[1] / (ends[1] + self._fp[first][1]) if self._fp[last][0] == 0 else 0.0
        return np.where(tp + fp > 0, inside, level)

    @property
    def break_even(self) -> float:
        """Precision and recall where they are equal: when as many rows are retrieved as are relevant (R-precision)."""
        called = self._tp + self._fp
        return float(np.interp(float(self._tp[-1]), called, self._tp) / self._tp[-1])

    def at(
        self,
        *,
        threshold: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        confidence: float = 0.95,
    ) -> RetrievalPoint:
        """One operating point: at a threshold, or the highest threshold that reaches a recall, or the lowest one that
        keeps a precision; the last two are read off these rows, and the note says so. At a recall the precision has the
        limits that it has there wherever the threshold is, not those of this threshold alone.

        >>> print(precision_recall([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).at(recall=1))
        At threshold 0.700: retrieves 3 of 4 rows, 2 of them relevant: precision 0.667 [0.208, 1.000];
        finds 2 of 2 relevant rows: recall 1.000 [0.342, 1.000]. (the threshold was read off these rows; limits of the
        precision at a recall of 1.000)
        """
        given = [v for v in (threshold, recall, precision) if v is not None]
        if len(given) != 1:
            raise InputError("give one of threshold=, recall= or precision=")
        note = "" if threshold is not None else "the threshold was read off these rows"
        if threshold is not None:
            if math.isnan(threshold):
                raise InputError("threshold=nan retrieves nothing; give a number")
            place = int(np.count_nonzero(self.table.scores >= threshold))
            # Within the highest bin of binned scores something is retrieved, though it is not known what.
            place = max(
                place, int(not self.table.exact and sum(x.high for x in self.table.bounds.counts_at(threshold)) > 0)
            )
            cut = float(threshold)
        else:
            place = self._reaching(recall, precision)
            cut = float(self.table.scores[len(self.table.scores) - place])
        tp, relevant = float(self._tp[place]), float(self._tp[-1])
        fp = float(downward(self.table.negatives)[place])
        within_bin = ""
        if not self.table.exact and self.table.squares is None:
            within_bin = self.table.bounds.precision_words(cut)
        note = joined_notes(note, within_bin, self._units)
        precision_interval = self._rate(
            "precision",
            place,
            cut,
            confidence=confidence,
            prior=self.prior,
            note=note,
            undefined="nothing is retrieved",
        )
        precision_interval = replace(
            precision_interval, estimand="" if self.prior is None else f"this model, {self._mix}"
        )
        recall_interval = self._rate("recall", place, cut, confidence=confidence, note=note)
        if recall is not None and fp < float(self.table.n_negative) + tp and self.table.n_negative > 0:
            precision_interval = self._on_curve(precision_interval, float(recall), confidence)
            note = precision_interval.note
        return RetrievalPoint(
            threshold=cut,
            retrieved=tp + fp,
            relevant=relevant,
            found=tp,
            n=self.table.n,
            precision=self._noted(precision_interval, binned=not within_bin),
            recall=self._noted(recall_interval, binned=not within_bin),
            note=note,
            prior=self.prior,
        )

    def _on_curve(self, own: Interval, recall: float, confidence: float) -> Interval:
        """The precision with the limits that it has at a recall, wherever the threshold for that is.

        π·r/(π·r + (1 − π)·F): the limits of the FPR F at a TPR of r, from the pointwise band of the ROC curve, and
        Wilson's of the share π of positives, combined by MOVER; a prior is known.
        """
        up, down = self._class_rows(confidence)
        wanted = max(recall, 1e-9)
        ends = fpr_limits(
            self._fp / float(self._fp[-1]), self._tp / float(self._tp[-1]), wanted, (up, down), confidence
        )
        share = self.prevalence
        shares = [share, share]
        if self.prior is None:
            n = up + down if self.clusters is None else self.clusters.of_mix(confidence)
            shares = [float(x) for x in share_limits(share * n, n, "wilson", confidence)]

        def precision(pi: float, false: float) -> float:
            return pi * wanted / (pi * wanted + (1 - pi) * false) if pi * wanted + (1 - pi) * false > 0 else 1.0

        middle = own.estimate
        false = share * wanted * (1 - middle) / (middle * (1 - share)) if middle > 0 and share < 1 else ends[1]
        low = middle - math.hypot(max(0.0, middle - precision(share, ends[1])), middle - precision(shares[0], false))
        high = middle + math.hypot(max(0.0, precision(share, ends[0]) - middle), precision(shares[1], false) - middle)
        return replace(
            own, low=max(0.0, min(low, own.low)), high=min(1.0, max(high, own.high)), method="roc-band-wilson",
            note=joined_notes(own.note, f"limits of the precision at a recall of {number(recall)}"),
        )  # fmt: skip

    def iso_f(
        self, values: Iterable[float] = (0.2, 0.4, 0.6, 0.8), *, beta: float = 1.0
    ) -> dict[float, tuple[Floats, Floats]]:
        """For each F value the line (recall, precision) along which F-beta is constant.

        P = F·R / ((1 + β²)R − β²F), where P is at most 1.

        >>> recall, precision = precision_recall([0, 1], [0, 1]).iso_f([0.5])[0.5]
        >>> round(float(recall[0]), 6), float(precision[0])
        (0.333333, 1.0)
        """
        square = one_number(beta, "beta") ** 2
        if not 0 < square < np.inf:
            raise InputError(f"beta={beta!r:.40} must be above 0")
        lines = {}
        for f in numbers(values, "values").tolist():
            if not 0 < f < 1:
                raise InputError(f"an iso-F line needs a value between 0 and 1, not {f:g}")
            # Precision 1 is reached at R = β²F / (1 + β² − F); nearer to recall 0 no precision gives this F.
            recall = np.linspace(square * f / (1 + square - f), 1.0, 101)
            lines[f] = (recall, np.minimum(1.0, f * recall / ((1 + square) * recall - square * f)))
        return lines

    def band(self, *, confidence: float = 0.95) -> PrecisionRecallBand:
        """Limits of the precision at each threshold: pointwise, so the whole curve may well leave them.

        Wilson's for independent rows, else those of the effective t (te.explain("effective-t")).

        >>> print(precision_recall([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).band())
        95 % pointwise band around the precision–recall curve, wilson, n = 5: it holds at each threshold by itself, not
        over the whole curve.
        """
        level = check_confidence(confidence)
        if self.clusters is not None:
            low, high = (
                share_limits(self.precision * rows, rows, "wilson", level)[end]
                for end, rows in enumerate(self.clusters.of_precision(self.thresholds, level, self.prior))
            )
        elif self.prior is None and self.table.squares is None:
            low, high = share_limits(self._tp[1:], self._tp[1:] + self._fp[1:], "wilson", level)
        else:
            low, high = self._limits_of_rows(level)
        return PrecisionRecallBand(
            name=self.name, thresholds=self.thresholds, recall=self.recall, precision=self.precision, low=low,
            high=high, confidence=level, method=self._of_precisions, n=float(self.table.n),
            note=joined_notes(
                "" if self.prior is None else self._mix, self._units,
                self.caution,
            ),
        )  # fmt: skip

    def _figures(self) -> Figures:
        if self.prior is None:
            points, band = "precision and recall at one threshold, .at()", "the band, .band(), which holds"
        else:
            points, band = (
                "recall at one threshold, .at()",
                "precision at one threshold, .at(), and the band, .band(), which holds",
            )
        return [
            ("the average precision", self.average_precision()), (points, self._of_shares),
            (f"{band} at each threshold by itself", self._of_precisions),
        ]  # fmt: skip

    def records(self) -> Records:
        """One record for each threshold, with the four counts and the rates; where scores are binned, also between
        which values the curve lies at those within the bin that starts there, whose highest score is `up_to`."""
        records = counted_records(self.table)[1:]
        if self.prior is not None:
            # Counts are those of the rows, and so are the bounds of their rates within a bin.
            return [{**r, "precision": float(p)} for r, p in zip(records, self.precision, strict=True)]
        if self.table.exact:
            return records
        # Recall is the true positive rate.
        inside = self.table.bounds.records(("tpr", "precision"))
        return [
            {**a, **{k.replace("tpr", "recall"): v for k, v in b.items()}} for a, b in zip(records, inside, strict=True)
        ]

    def _words(self) -> str:
        return (
            f"Precision/recall curve{self._subject()}: {len(self.table.scores):,} thresholds, "
            f"{whole(self.table.n_positive)} relevant of {whole(self.table.n)} rows "
            f"({f'prevalence {number(self.prevalence)}' if self.prior is None else f'precision {self._mix}'}).\n"
            f"{self.average_precision()}"
        )

    def _reaching(self, recall: float | None, precision: float | None) -> int:
        if recall is not None:
            wanted = check_share(recall, "recall") * float(self._tp[-1])
            # A hair below, so that recall=0.3 of 10 positives means 3 of them.
            return max(1, int(np.searchsorted(self._tp, wanted * (1 - 1e-12), side="left")))
        assert precision is not None
        good = np.flatnonzero(self.precision >= check_share(precision, "precision"))
        if len(good) == 0:
            raise InputError(
                f"no threshold reaches precision={precision}: the highest is {number(float(self.precision.max()))}"
            )
        return int(good[-1]) + 1

    @property
    def _of_precisions(self) -> str:
        """The method of a precision."""
        return self._of_shares if self.prior is None else "effective-t"

    def _limits_of_rows(self, confidence: float) -> tuple[Floats, Floats]:
        """Limits of the precision at each threshold, of weighted rows or at another class mix."""
        measure, table = find_measure("precision"), self.table
        tp, fp = self._tp[1:], downward(table.negatives)[1:]
        cells = np.stack([fp[-1] - fp, fp, tp[-1] - tp, tp], axis=-1)
        squares = None
        if table.squares is not None:
            up, down = (downward(s)[1:] for s in table.squares)
            squares = np.stack([down[-1] - down, down, up[-1] - up, up], axis=-1)
        low, high = np.empty((2, len(cells)))
        for start in range(0, len(cells), BLOCK):
            part = slice(start, start + BLOCK)
            tables = table_of_cells(cells[part], None if squares is None else squares[part])
            e = label_estimate(measure, Sample.of(measure, tables, prior=self.prior), {}, measure.range)
            found = ends_of(e, tail(confidence))
            low[part], high[part] = (np.clip(x, 0.0, 1.0) for x in found)
        return low, high

    def _area(
        self, name: str, interpolation: Interpolation, method: AreaMethod, confidence: float, replicates: int, rng: Rng
    ) -> Interval:
        level = check_confidence(confidence)
        check_word(method, ("effective-t", "boyd-logit", "bootstrap"), "method")
        if method == "boyd-logit" and self.prior is not None:
            raise InputError(
                'method="boyd-logit" does not look at the negatives, which weigh more or less at another class mix; '
                'pass method="effective-t" or "bootstrap"'
            )
        statistic = partial(self._area_of, interpolation)
        read = self.table._at_positives() if interpolation == "step" else self.table
        estimate = float(statistic(read.positives[None], read.negatives[None])[0])
        bounds, clusters = self._bounds(interpolation), None if self.clusters is None else self.clusters.rows
        words = None if method == "effective-t" or (method == "bootstrap" and clusters is None) else method
        spec = IntervalSpec(confidence=level, rng=rng, replicates=replicates)
        sample = ScoreRows.of(
            find_measure("average_precision"), self.table, {}, prior=self.prior, clusters=clusters
        )  # fmt: skip
        steps = interval_of(Problem(metric=sample.measure, sample=sample, spec=spec), words)
        # Of other ways to join the points, as far below and above as of the steps.
        low, high = max(0.0, estimate - steps.estimate + steps.low), min(1.0, estimate - steps.estimate + steps.high)
        if method == "bootstrap" and clusters is None:
            return self._noted(bootstrap_area(
                self.table, statistic, name=name, estimate=estimate, confidence=level, replicates=replicates, rng=rng,
                fallback=(low, high, steps.method), bounds=bounds, estimand=f"this model, {self._mix}",
            ), binned=False)  # fmt: skip
        area = replace(steps, name=name, estimate=estimate, low=low, high=high, estimand=f"this model, {self._mix}")
        if interpolation != "step" and not self.table.exact:
            area = replace(area, note="")
            area = with_notes(area, NO_BOUND) if bounds is None else widened(area, bounds, (0.0, 1.0))
        return self._noted(area, binned=False)

    def _bounds(self, interpolation: Interpolation) -> Bounds | None:
        """Between which values the exact area lies, where scores are binned; None where that is not known."""
        if self.table.exact or interpolation == "linear":
            return None
        if interpolation == "step":
            return self.table.bounds.average_precision(self.prior)
        # A higher ROC curve is a higher precision at every recall, where points are joined as mixtures.
        return self.table.bounds.of(lambda t: self._area_of(interpolation, t.positives[None], t.negatives[None])[0])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RetrievalPoint(Result):
    """What a threshold retrieves: how many rows, how many of them relevant, precision and recall with intervals."""

    threshold: float
    retrieved: float
    relevant: float
    found: float
    n: float
    precision: Interval
    recall: Interval
    note: str = ""
    prior: float | None = None

    def records(self) -> Records:
        return interval_records(self.threshold, (self.precision, self.recall))

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        p, r = self.precision, self.recall
        mix = "" if self.prior is None else f"at {percent(self.prior)} relevant rows "
        return folded(
            f"At threshold {number(self.threshold)}: retrieves {whole(self.retrieved)} of {whole(self.n)} rows, "
            f"{whole(self.found)} of them relevant: {mix}precision {with_limits(p.estimate, p.low, p.high)};\n"
            f"finds {whole(self.found)} of {whole(self.relevant)} relevant rows: "
            f"recall {with_limits(r.estimate, r.low, r.high)}.{note}"
        )


@curve_verb("a precision–recall–gain curve")
def precision_recall_gain(data: CurveInput) -> PrecisionRecallGain:
    """Precision gain against recall gain at every threshold.

    precision gain = 1 − (P/N)·(FP/TP), recall gain = 1 − (P/N)·(FN/TP): 1 is perfect, 0 is what flagging every row
    positive gets for precision, and what recall = prevalence gets for recall. Straight lines between points are
    right here, and the area is comparable between data sets. Source: Flach and Kull 2015, NIPS 28:838.

    >>> curve = precision_recall_gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.precision_gain.tolist(), curve.recall_gain.tolist()
    ([1.0, 0.0, 0.5, 0.0], [0.0, 0.0, 1.0, 1.0])
    >>> curve.auc().estimate
    0.25
    """
    return PrecisionRecallGain(data.table, name=data.name, caution=data.caution)


@curve_kind("precision-recall-gain-curve", verb="precision_recall_gain", picture="curves.gain_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrecisionRecallGain(TableCurve):
    """Precision gain and recall gain; `thresholds` descend, from the first at which a positive is called."""

    def __post_init__(self) -> None:
        need_classes(self.table, "a precision–recall–gain curve")

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

    def auc(self, *, confidence: float = 0.95, replicates: int = 2000, rng: Rng = None) -> Interval:
        """The area for recall gains from 0 to 1; at most 1, about 0 for chance, negative when worse.

        Bootstrap limits; where the replicates have no spread, as with perfectly separated classes, those of the worst
        and best curves that leave unseen a share of each class.
        """
        level = check_confidence(confidence)
        estimate = float(gain_areas(self.table.positives[None], self.table.negatives[None])[0])
        return self._noted(bootstrap_area(
            self.table, gain_areas, name="area under PR gain", estimate=estimate, confidence=level,
            replicates=replicates, rng=rng, within=(-math.inf, 1.0), fallback=self._outer_areas(level),
            clusters=self.clusters,
        ), binned=False)  # fmt: skip

    def _outer_areas(self, confidence: float) -> tuple[float, float, str]:
        """The areas when a share of each class is moved to its worst place, and to its best.

        The share 1 − (α/2)^(1/n) goes unseen among n rows with probability α/2. With sampling weights or clusters any
        part of the curve may be off, by the one-sided band of Dvoretzky, Kiefer, Wolfowitz and Massart at the
        effective n.
        """
        alpha = tail(confidence)
        up, down = (np.asarray(c, dtype=np.float64) for c in (self.table.positives, self.table.negatives))
        shares = [-math.expm1(math.log(alpha) / max(1.0, float(c.sum()))) for c in (up, down)]
        if self.table.squares is not None or self.clusters is not None:
            shares = [min(1.0, math.sqrt(math.log(2 / alpha) / (2 * n))) for n in self._class_rows(confidence)]
        areas = []
        for place in (0, -1):
            # Two more scores, below and above all others, for what is moved.
            moved = [np.concatenate(([0.0], c * (1 - s), [0.0])) for c, s in zip((up, down), shares, strict=True)]
            moved[0][place] = up.sum() * shares[0]
            moved[1][-1 - place] = down.sum() * shares[1]
            areas.append(float(gain_areas(moved[0][None], moved[1][None])[0]))
        return areas[0], areas[1], "unseen-share"

    def _figures(self) -> Figures:
        return [("the area", self.auc())]

    def records(self) -> Records:
        """One record for each threshold."""
        columns = (self.thresholds, self.recall_gain, self.precision_gain)
        return columns_to_records(("threshold", "recall_gain", "precision_gain"), columns)

    def _words(self) -> str:
        return (
            f"Precision–recall–gain curve{self._subject()}: {whole(self.table.n_positive)} positives, "
            f"{whole(self.table.n_negative)} negatives.\n{self.auc()}"
        )


def gain_areas(positives: Counts, negatives: Counts) -> Floats:
    """The area under the gain curve for tables in rows; NaN where a class has no rows.

    The curve enters at recall gain 0, which is recall = prevalence; the point there lies on the line between its
    neighbours in (TP, FP), and lines stay lines in gain space.
    """
    tp, fp = downward(positives), downward(negatives)
    up, down = tp[:, -1:], fp[:, -1:]
    both = (up > 0) & (down > 0)
    up, down = np.where(both, up, 1.0), np.where(both, down, 1.0)
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
    # Rounding can put a perfect area a hair above 1.
    return np.where(both[:, 0], np.minimum(areas, 1.0), np.nan)
