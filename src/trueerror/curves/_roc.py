"""ROC curves of a score table, one point for each distinct score: points, bands around the curve, partial areas.

A pointwise band is not a simultaneous one: over a whole curve it is left far more often than its level says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, frozen, with_notes
from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._input import CurveInput, cluster_words, need_classes
from trueerror.curves._isotonic import hull_of
from trueerror.curves._lines import HAIR, curve_points, foot_at, top_at
from trueerror.curves._operating_point import Condition, IsoLine, OperatingPoint, choose_point, iso_accuracy, iso_cost
from trueerror.curves._points import (
    Counts,
    Figures,
    Places,
    Records,
    area_under,
    counted_records,
    cutoffs,
    downward,
)
from trueerror.curves._replicates import bags, balanced_groups, bootstrap_area, resampled_tables
from trueerror.curves._verb import curve_verb
from trueerror.inference._answer import interval_of
from trueerror.inference._binned_limits import widened
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference.auc._within_folds import within_folds_interval
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats, plain_numbers
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share, check_word, generator
from trueerror.metrics._registry import Prior, find_measure, score_share
from trueerror.results import Interval, Result
from trueerror.results._format import folded, number, percent, whole, with_limits
from trueerror.results._values import joined_notes, sentences_of
from trueerror.sources._predictions import labels_only
from trueerror.tallies._confusion import Amount
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from trueerror.curves._hull import RocHull


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RocPoint(Result):
    """One point of a ROC curve: rows with scores ≥ `threshold` are flagged. Both rates come with Wilson intervals."""

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

    def records(self) -> Records:
        out: dict[str, object] = {"threshold": self.threshold}
        for word, rate in (("fpr", self.fpr_interval), ("tpr", self.tpr_interval)):
            out |= {word: rate.estimate, f"{word}_low": rate.low, f"{word}_high": rate.high}
        return [out | {"confidence": self.tpr_interval.confidence, "note": self.note}]

    def __str__(self) -> str:
        tpr, fpr = self.tpr_interval, self.fpr_interval
        note = f" ({self.note})" if self.note else ""
        start = f"At threshold {number(self.threshold)}" if self.threshold < math.inf else "Flagging nothing"
        return folded(
            f"{start}: finds {whole(round(self.tpr * self.positives, 1))} of {whole(self.positives)} positives, "
            f"TPR {with_limits(tpr.estimate, tpr.low, tpr.high)}; "
            f"{whole(round(self.fpr * self.negatives, 1))} of {whole(self.negatives)} negatives are false alarms, "
            f"FPR {with_limits(fpr.estimate, fpr.low, fpr.high)}.{note}"
        )

    __repr__ = __str__


BandKind = Literal["pointwise", "simultaneous"]
METHODS = {"pointwise": "roc-band-wilson", "simultaneous": "roc-band-fixed-width"}
# FPRs at which a band is given, and places along the curve at which curves are compared.
BAND_GRID = 401
PLACES = 512
# A partial area with fewer rows of a class, or of the axis' class within its range, has limits from the band.
FEW_OF_A_CLASS, FEW_IN_RANGE = 30, 20


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RocBand(Result):
    """A band around a ROC curve: at each `fpr` the curve's `tpr` and where the true one may lie, `low` to `high`."""

    name: str = ""
    kind: BandKind
    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats
    confidence: float = 0.95
    method: str = ""
    n: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("fpr", "tpr", "low", "high"):
            object.__setattr__(self, name, frozen(np.array(getattr(self, name), dtype=np.float64)))

    @property
    def title(self) -> str:
        """What the band is, for a legend."""
        return f"{percent(self.confidence)} {self.kind} band"

    def at(self, fpr: ArrayLike) -> tuple[Floats, Floats]:
        """Lower and upper limit at any FPR."""
        wanted = plain_numbers(fpr, "fpr")
        return np.interp(wanted, self.fpr, self.low), np.interp(wanted, self.fpr, self.high)

    def records(self) -> Records:
        """One record for each FPR of the grid."""
        return columns_to_records(("fpr", "tpr", "low", "high"), (self.fpr, self.tpr, self.low, self.high))

    def __str__(self) -> str:
        subject = f" of {self.name}" if self.name else ""
        holds = (
            "holds at each FPR by itself, not over the whole curve"
            if self.kind == "pointwise"
            else "holds over the whole curve at once"
        )
        note = f" ({self.note})" if self.note else ""
        return folded(
            f"{self.title} around the ROC curve{subject}, {self.method}, n = {whole(self.n)}: it {holds}.{note}"
        )

    __repr__ = __str__


def roc_band(curve: Roc, *, kind: BandKind, confidence: float, replicates: int, rng: Rng) -> RocBand:
    """The band around a curve.

    Pointwise: at FPR t the limits are T − √((T − l)² + (T − T(t_l))²) and T + √((u − T)² + (T(t_u) − T)²), where T is
    the curve, l and u are Wilson's limits of the TPR, and t_l and t_u the quantiles of Binomial(n, t)/n, the share of n
    negatives above the threshold whose true FPR is t (MOVER, Zou and Donner 2008).
    Simultaneous: the curve moved up by d/2√m and left by d/2√n, and down and right; d is the quantile of the farthest
    distance between the curve and its bootstrap replicates along that direction (the fixed-width bands of Campbell
    1994, Stat. Med. 13:499, and Macskassy and Provost 2004, ROCAI:61), and nowhere is it narrower than the pointwise.
    """
    check_word(kind, tuple(METHODS), "kind")
    level = check_confidence(confidence)
    table, rows = curve.table, curve._class_rows(level)
    grid = np.linspace(0.0, 1.0, BAND_GRID)
    fpr, tpr = curve_points(table.positives, table.negatives)
    centre = top_at(fpr, tpr, grid)
    low, high = pointwise_limits(fpr, tpr, grid, rows, level)
    note = ""
    if kind == "simultaneous":
        if table.squares is not None:
            raise InputError(
                'a simultaneous band resamples rows, but sampling weights were summed over rows: use kind="pointwise"'
            )
        reach = farthest_distances(table, rows, replicates=replicates, rng=rng, clusters=curve.clusters)
        farther = 1.0 if curve.clusters is None else curve.clusters.expansion(level)
        up, left = (farther * float(np.quantile(reach, level)) / (2 * np.sqrt(r)) for r in rows)
        low = np.minimum(low, np.where(grid > left, foot_at(fpr, tpr, np.maximum(grid - left, 0.0)) - up, 0.0))
        high = np.maximum(high, top_at(fpr, tpr, np.minimum(grid + left, 1.0)) + up)
        note = f"{replicates:,} replicates, {generator(rng)[1]}"
    note = sentences_of((note, curve._units))
    if not table.exact:
        for bound, lift in ((table.bounds.worst, -1), (table.bounds.best, 1)):
            off = np.abs(top_at(*curve_points(bound.positives, bound.negatives), grid) - centre)
            low, high = (low - off, high) if lift < 0 else (low, high + off)
        note = sentences_of((note, "binned scores: wide enough for the exact curve, wherever it lies"))
    # The true curve does not fall, so neither need the limits.
    low, high = np.maximum.accumulate(np.clip(low, 0.0, 1.0)), np.clip(high, 0.0, 1.0)
    high = np.minimum.accumulate(high[::-1])[::-1]
    return RocBand(
        name=curve.name, kind=kind, fpr=grid, tpr=centre, low=np.minimum(low, centre), high=np.maximum(high, centre),
        confidence=level, method=METHODS[kind], n=table.n, note=sentences_of((note, curve.caution)),
    )  # fmt: skip


def pointwise_limits(
    fpr: Floats, tpr: Floats, grid: Floats, rows: tuple[float, float], confidence: float
) -> tuple[Floats, Floats]:
    """Limits of the TPR at each FPR of the grid; the curve's own doubt and that of where the FPR lies.

    Of n negatives Binomial(n, t) lie above the threshold whose true FPR is t: its quantiles say where that may be.
    """
    positives, negatives = rows
    centre, n = top_at(fpr, tpr, grid), max(round(negatives), 1)
    left, right = (
        np.ceil(np.nan_to_num(special.bdtrik(tail, n, grid), nan=0.0)) / n
        for tail in ((1 - confidence) / 2, (1 + confidence) / 2)
    )
    if n != negatives:  # effective rows have steps of their own: out to those of the curve
        left = fpr[np.maximum(np.searchsorted(fpr, left * (1 + HAIR), side="right") - 1, 0)]
        right = fpr[np.minimum(np.searchsorted(fpr, right * (1 - HAIR)), len(fpr) - 1)]
    under, over = share_limits(centre * positives, positives, "wilson", confidence)
    farther, nearer = foot_at(fpr, tpr, left), top_at(fpr, tpr, right)
    return centre - np.hypot(centre - under, centre - farther), centre + np.hypot(over - centre, nearer - centre)


def fpr_limits(
    fpr: Floats, tpr: Floats, at: float, rows: tuple[float, float], confidence: float
) -> tuple[float, float]:
    """Limits of the FPR at a TPR: those of the curve seen from the top right corner, where the axes change places."""
    low, high = pointwise_limits(1 - tpr[::-1], 1 - fpr[::-1], np.array([1 - at]), (rows[1], rows[0]), confidence)
    return max(0.0, 1 - float(high[0])), min(1.0, 1 - float(low[0]))


def farthest_distances(
    table: ScoreTable, rows: tuple[float, float], *, replicates: int = 1000, rng: Rng = None,
    clusters: CurveClusters | None = None,
) -> Floats:  # fmt: skip
    """For each bootstrap replicate the farthest distance from the curve, each class in units of 1/√rows.

    With u = FPR·√n and v = TPR·√m the curve is a function v − u of u + v, without vertical pieces.
    """
    up, down = (np.sqrt(r) for r in rows)
    places = np.linspace(0.0, up + down, PLACES)

    def turned(positives: Counts, negatives: Counts) -> Floats:
        x, y = curve_points(positives, negatives)
        along = x * down + y * up
        across: Floats = np.interp(places, along, y * up - x * down)
        return across

    sample = turned(*balanced_groups(table))
    distances = []
    for positives, negatives in resampled_tables(table, replicates=replicates, rng=rng, clusters=clusters):
        for i in np.flatnonzero((positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)):
            distances.append(float(np.abs(turned(positives[i], negatives[i]) - sample).max()))
    return np.array(distances)


Axis = Literal["fpr", "tpr"]
GRID = 513


def part_areas(positives: Counts, negatives: Counts, low: float, high: float, axis: Axis = "fpr") -> Floats:
    """The areas of tables in rows, counts at ascending scores in the last axis; NaN where a class has no rows.

    >>> part_areas(np.array([[0, 1, 0, 1]]), np.array([[1, 0, 1, 0]]), 0.0, 0.5)
    array([0.25])
    """
    tp, fp = downward(positives), downward(negatives)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = fp / fp[..., -1:], tp / tp[..., -1:]
    if axis == "tpr":
        # Seen from the top right corner the roles of the axes are exchanged: 1 − TPR runs, 1 − FPR is the height.
        x, y = (1 - y)[..., ::-1], (1 - x)[..., ::-1]
        low, high = 1 - high, 1 - low
    left, right = np.clip(x[..., :-1], low, high), np.clip(x[..., 1:], low, high)
    width = x[..., 1:] - x[..., :-1]
    slope = np.where(width > 0, (y[..., 1:] - y[..., :-1]) / np.where(width > 0, width, 1.0), 0.0)
    middle = y[..., :-1] + slope * ((left + right) / 2 - x[..., :-1])
    areas: Floats = ((right - left) * middle).sum(axis=-1)
    return np.where((tp[..., -1] > 0) & (fp[..., -1] > 0), areas, np.nan)


def _between_limits(
    table: ScoreTable, rows: tuple[float, float], low: float, high: float, axis: Axis, confidence: float
) -> tuple[float, float]:
    """The areas under the lower and the upper pointwise limits of the curve: wide, but never without width."""
    fpr, tpr = curve_points(table.positives, table.negatives)
    if axis == "tpr":
        fpr, tpr, rows = 1 - tpr[::-1], 1 - fpr[::-1], (rows[1], rows[0])
        low, high = 1 - high, 1 - low
    grid = np.linspace(low, high, GRID)
    under, over = (np.clip(v, 0.0, 1.0) for v in pointwise_limits(fpr, tpr, grid, rows, confidence))
    return area_under(grid, under), area_under(grid, over)


AreaMethod = Literal["effective-t", "delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap"]
Criterion = Literal["youden", "closest", "accuracy", "f1"]
READ_OFF = "the threshold was read off these rows"


@curve_verb("a ROC curve", points=True)
def roc(data: CurveInput) -> Roc:
    """The ROC curve: true positive rate against false positive rate as the threshold goes down.

    From (truth, scores), from Predictions, a path or a table that te.read takes (with `model`), or from a ScoreTable.
    Rows with equal scores make one point. Higher scores are more positive, and are never flipped. With more than two
    classes pass `positive=`: that class against the rest. `missing="drop"` leaves rows without a score out, and beside
    a path or a table `columns` are options of te.read: `truth="y"`, `cluster="patient"`. A classifier that gives labels
    is a curve with one point: a `te.Confusion`, Predictions with labels alone, or the rates (fpr, tpr).

    >>> curve = roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> curve.fpr.tolist(), curve.tpr.round(3).tolist()
    ([0.0, 0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.333, 0.667, 0.667, 1.0, 1.0])
    >>> round(curve.auc().estimate, 3)
    0.833
    """
    source = None if data.predictions is None else data
    return Roc(data.table, name=data.name, caution=data.caution, calls=data.calls, source=source)


@curve_kind("roc-curve", verb="roc", picture="roc.roc_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Roc(TableCurve):
    """A ROC curve. `thresholds` descend, and the first is infinite: nothing is predicted positive there."""

    # Where the curve came from rows: other models of the same rows can be paired with it.
    source: CurveInput | None = field(default=None, metadata={"saved": False})

    def __post_init__(self) -> None:
        need_classes(self.table, "a ROC curve")

    @cached_property
    def fpr(self) -> Floats:
        """False positive rate at each threshold: share of the negatives that are predicted positive."""
        return _rates(self.table.negatives)

    @cached_property
    def tpr(self) -> Floats:
        """True positive rate at each threshold: share of the positives that are found."""
        return _rates(self.table.positives)

    @cached_property
    def thresholds(self) -> Floats:
        """Descending; a row is predicted positive when its score is at or above. The first is infinite."""
        return frozen(cutoffs(self.table))

    @property
    def _of_labels(self) -> bool:
        """Whether this is the one point of a model that gave labels beside the truth, not counts or scores."""
        return self.calls == "labels"

    def _need_thresholds(self) -> None:
        if self.calls:
            raise InputError(
                f"a threshold needs scores, and {self.name or 'this classifier'} has labels only: .hull().best() says "
                "whether following them costs less than flagging nothing or everything"
            )

    @property
    def gini(self) -> float:
        """2·AUC − 1, of the area that `auc` gives."""
        return 2 * self.auc().estimate - 1

    def auc(
        self, method: AreaMethod | None = None, *, confidence: float = 0.95, replicates: int = 2000, rng: Rng = None
    ) -> Interval:
        """The area under the curve: the probability that a positive scores above a negative, ties half.

        DeLong's standard error, with limits by the effective t. Rows of predictions with folds are ranked within folds,
        each of which has a model of its own; a method that is asked for by name takes all rows in one ranking, as the
        curve is drawn.

        >>> print(roc([0] * 20 + [1] * 20, range(40)).auc())
        auc 1.000 [0.907, 1.000], 95 % effective-t, n = 40 (the rows show no variance)
        """
        if self._of_labels:
            raise labels_only("auc", self.name)
        if method is None:
            folds = [] if self.source is None else self.source.fold_tables()
            if sum(t.n_positive > 0 and t.n_negative > 0 for t in folds) > 1:
                spec = IntervalSpec(confidence=confidence, estimand=f"these {len(folds)} models, one for each fold")
                interval = within_folds_interval(folds, spec=spec)
                return with_notes(interval, "" if self.clusters is None else cluster_words(self.clusters.groups))
        if method is not None:
            check_word(method, get_args(AreaMethod), "method")
        spec = IntervalSpec(confidence=confidence, estimand="this model", rng=rng, replicates=replicates)
        rows = None if self.clusters is None else self.clusters.rows
        sample = ScoreRows.of(find_measure("auc"), self.table, {}, clusters=rows)
        area = interval_of(Problem(metric=sample.measure, sample=sample, spec=spec), method)
        return self._noted(area, binned=False)

    def partial_auc(
        self, low: float, high: float, *, axis: Axis = "fpr", standardized: bool = False, confidence: float = 0.95,
        replicates: int = 2000, rng: Rng = None,
    ) -> Interval:  # fmt: skip
        """The area over a range of FPRs (`axis="fpr"`: under the curve) or of TPRs (`axis="tpr"`: to its right).

        `standardized=True` scales it to (1 + (A − min)/(max − min))/2, where min is the area of a random ranking over
        the same range and max that of a perfect one: 0.5 is random, 1 perfect (McClish 1989, Med. Decis. Making 9:190).
        Bootstrap limits; with fewer than 30 rows of a class, or 20 of the axis' class within the range, which no
        resample can tell apart, the areas under the limits of the pointwise band.

        >>> roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).partial_auc(0, 0.5).estimate
        0.3333333333333333
        """
        if self._of_labels:
            raise labels_only("a partial area", self.name)
        check_word(axis, ("fpr", "tpr"), "axis")
        level = check_confidence(confidence)
        start, stop = check_share(low, "low"), check_share(high, "high")
        if not start < stop:
            raise InputError(f"low={low!r} must be below high={high!r}: the area is over the {axis} range between them")
        worst = (stop**2 - start**2) / 2 if axis == "fpr" else (stop - start) - (stop**2 - start**2) / 2
        best = stop - start

        def scaled(area: Amount) -> Amount:
            return (1 + (area - worst) / (best - worst)) / 2 if standardized else area

        def statistic(positives: Counts, negatives: Counts) -> Floats:
            return np.asarray(scaled(part_areas(positives, negatives, start, stop, axis)))

        table = self.table
        bounds = float(scaled(0.0)), float(scaled(best))
        # Rounding can put a perfect area a hair beyond the end of its range.
        estimate = float(np.clip(statistic(table.positives[None], table.negatives[None])[0], *bounds))
        rows = self._class_rows(level)
        outer = _between_limits(table, rows, start, stop, axis, level)
        under, over = (float(scaled(area)) for area in outer)
        fallback = max(bounds[0], min(under, estimate)), min(bounds[1], max(over, estimate)), "roc-band-wilson"
        kind = "standardised partial AUC" if standardized else "partial AUC"
        name = f"{kind} ({axis} {number(start)} to {number(stop)})"
        inside = rows[axis == "fpr"] * (stop - start)
        if self.clusters is None and (min(rows) < FEW_OF_A_CLASS or inside < FEW_IN_RANGE):
            word = "negative" if axis == "fpr" else "positive"
            few = (
                f"about {whole(round(inside))} {word}s in the range"
                if inside < FEW_IN_RANGE
                else f"{whole(round(min(rows)))} rows of a class"
            )
            area = Interval(
                name=name, estimate=estimate, low=fallback[0], high=fallback[1], confidence=level, method=fallback[2],
                n=table.n, note=f"{few}, too few to be drawn again: the areas under the band's limits",
                estimand="this model",
            )  # fmt: skip
            if not table.exact:
                binned_bounds = table.bounds.of(lambda t: statistic(t.positives[None], t.negatives[None])[0])
                area = widened(area, binned_bounds, bounds)
            return self._noted(area, binned=False)
        return self._noted(bootstrap_area(
            table, statistic, name=name, estimate=estimate, confidence=level, replicates=replicates, rng=rng,
            within=bounds, fallback=fallback, estimand="this model", clusters=self.clusters,
        ), binned=False)  # fmt: skip

    def band(
        self, kind: BandKind = "pointwise", *, confidence: float = 0.95, replicates: int = 1000, rng: Rng = None
    ) -> RocBand:
        """Limits of the true curve: at each FPR by itself ("pointwise"), or everywhere at once ("simultaneous").

        >>> print(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).band())
        95 % pointwise band around the ROC curve, roc-band-wilson, n = 5: it holds at each FPR by itself, not over the
        whole curve.
        """
        return roc_band(self, kind=kind, confidence=confidence, replicates=replicates, rng=rng)

    def interpolate(self, fpr: ArrayLike) -> Floats:
        """TPR at any FPR, points joined by straight lines (a mixture of two thresholds gets there); on a vertical
        piece its top."""
        wanted = plain_numbers(fpr, "fpr")
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise InputError("fpr must lie between 0 and 1")
        return top_at(self.fpr, self.tpr, wanted)

    def at(
        self,
        *,
        fpr: float | None = None,
        tpr: float | None = None,
        threshold: float | None = None,
        confidence: float = 0.95,
    ) -> RocPoint:
        """One point: at a threshold; or the lowest threshold whose FPR does not exceed `fpr`; or the highest one that
        reaches `tpr`. The last two are read off these rows, and the note says so.

        Of those the other rate has the limits of the curve itself: `at(tpr=0.9).fpr_interval` is where the FPR at a TPR
        of 0.9 may lie, wherever the threshold for that is (as pROC's ci.sp and ci.se), from the pointwise band; and it
        holds the limits of the rate at the very threshold.

        >>> print(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).at(fpr=0.2))
        At threshold 0.800: finds 2 of 3 positives, TPR 0.667 [0.000, 1.000]; 0 of 2 negatives are false alarms,
        FPR 0.000 [0.000, 0.658]. (the threshold was read off these rows; limits of the TPR at an FPR of 0.200)
        """
        if sum(v is not None for v in (fpr, tpr, threshold)) != 1:
            raise InputError("give one of fpr=, tpr= or threshold=")
        if threshold is not None:
            if math.isnan(threshold):
                raise InputError("threshold=nan makes no row positive or negative; give a number")
            place = int(np.count_nonzero(self.table.scores >= threshold))
            return self._point(
                place, confidence, threshold=float(threshold), note=self.table.bounds.words_at(threshold)
            )
        if fpr is not None:
            place = self._last_within(check_share(fpr, "fpr"))
        else:
            assert tpr is not None
            place = self._first_reaching(check_share(tpr, "tpr"))
        point = self._point(place, confidence, note=READ_OFF + self._better_within_bins(fpr, tpr, place))
        return self._on_curve(point, fpr, tpr, confidence)

    def _on_curve(self, point: RocPoint, fpr: float | None, tpr: float | None, confidence: float) -> RocPoint:
        """The point with the limits of the curve, at the rate that was asked for, for the other one."""
        rows = self._class_rows(confidence)
        if fpr is not None:
            band = pointwise_limits(self.fpr, self.tpr, np.array([float(fpr)]), rows, confidence)
            ci, ends = point.tpr_interval, (max(0.0, float(band[0][0])), min(1.0, float(band[1][0])))
            words = f"limits of the TPR at an FPR of {number(float(fpr))}"
        else:
            assert tpr is not None
            ci, ends = point.fpr_interval, fpr_limits(self.fpr, self.tpr, float(tpr), rows, confidence)
            words = f"limits of the FPR at a TPR of {number(float(tpr))}"
        note = joined_notes(point.note, words)
        wider = replace(ci, low=min(ends[0], ci.low), high=max(ends[1], ci.high), method="roc-band-wilson", note=note)
        if fpr is not None:
            return replace(point, tpr_interval=wider, note=note)
        return replace(point, fpr_interval=wider, note=note)

    def _last_within(self, fpr: float) -> int:
        return int(np.searchsorted(self.fpr, fpr * (1 + HAIR) + 1e-15, side="right")) - 1

    def _first_reaching(self, tpr: float) -> int:
        return int(np.searchsorted(self.tpr, tpr * (1 - HAIR) - 1e-15, side="left"))

    @cached_property
    def _corners(self) -> Places:
        """Which of the points are corners of the curve's own hull."""
        return hull_of(self.table)

    def _at(self, places: Places) -> tuple[Floats, Floats, Floats]:
        """FPR, TPR and thresholds of some of the points, without those of all."""
        cuts = np.where(places == 0, np.inf, self.table.scores[-np.maximum(places, 1)])
        tp, fp = self._counts_at(np.append(places, len(self.table.scores)))
        return fp[:-1] / fp[-1], tp[:-1] / tp[-1], cuts

    @cached_property
    def _best(self) -> Roc:
        """The highest curve that binned scores may have."""
        return Roc(self.table.bounds.best, name=self.name)

    def _better_within_bins(self, fpr: float | None, tpr: float | None, place: int) -> str:
        """What a threshold within a bin may reach besides, in words; empty where scores are exact."""
        if self.table.exact:
            return ""
        if fpr is not None:
            word, ends = "TPR", (self.tpr[place], self._best.tpr[self._best._last_within(fpr)])
        else:
            assert tpr is not None
            word, ends = "FPR", (self._best.fpr[self._best._first_reaching(tpr)], self.fpr[place])
        between = f"[{ends[0]:.6f}, {ends[1]:.6f}]"
        return f"; binned scores: a threshold within a bin may get there with a {word} in {between}"

    def best_threshold(
        self, criterion: Criterion = "youden", *, confidence: float = 0.95, replicates: int = 200, rng: Rng = 0
    ) -> RocPoint:
        """The threshold that is best on these rows: "youden" has the highest TPR − FPR, "closest" lies nearest to the
        corner (0, 1), "accuracy" has the highest accuracy, "f1" the highest F1; the highest of equal ones.

        The rates look better on the rows that chose the threshold than they are. The limits allow for that: resamples
        choose anew, δ is a rate in the resample less that of all rows at the resample's threshold, and Wilson's limits
        at the rate less the mean of δ, with as many rows as its spread allows, are joined with the plain ones
        (Harrell, Lee and Mark 1996, Stat. Med. 15:361, for the optimism). Each rate by itself: for both at once ask for
        1 − (1 − confidence)/2.

        For costs and another share of positives use `operating_point`, which also corrects for the choice.

        >>> roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).best_threshold().threshold
        0.8
        """
        self._need_thresholds()
        check_word(criterion, tuple(_GAINS), "criterion")
        gain = self._gain(criterion)
        place = int(np.argmax(gain >= gain.max() - 1e-12))
        ties = int(np.count_nonzero(gain >= gain.max() - 1e-12)) - 1
        note = READ_OFF + (f"; {ties} other thresholds do as well" if ties > 1 else "")
        note += "; another threshold does as well" if ties == 1 else ""
        if not self.table.exact:
            better = float(self._best._gain(criterion).max() - gain.max())
            note += f"; binned scores: a threshold within a bin may be better by {max(better, 0.0):.2g} at most"
        return self._chosen(self._point(place, confidence, note=note), criterion, confidence, replicates, rng)

    def _gain(self, criterion: Criterion) -> Floats:
        up, down = float(self.table.n_positive), float(self.table.n_negative)
        return _GAINS[criterion](self.tpr * up, self.fpr * down, up, down)

    def _chosen(self, point: RocPoint, criterion: Criterion, confidence: float, replicates: int, rng: Rng) -> RocPoint:
        """The point with limits that allow for the choice of its threshold on these rows."""
        if self.table.squares is not None:
            return replace(point, note=joined_notes(point.note, "the limits do not allow for that choice"))
        optimism = _optimism(self.table, _GAINS[criterion], replicates, rng, self.clusters)
        if len(optimism) < 0.9 * replicates:
            words = "too many resamples lose a class: the limits do not allow for that choice"
            return replace(point, note=joined_notes(point.note, words))
        words = "the limits allow for that choice"
        calls = point.tpr * point.positives, point.fpr * point.negatives
        if min(calls[0], point.positives - calls[0] + point.negatives - calls[1]) < 5:
            words = "hardly any row is called otherwise than by one answer for all: the limits are not reliable"
        note = joined_notes(point.note, words)
        rates = []
        sizes = (point.positives, point.negatives) if self.clusters is None else self._class_rows(confidence)
        farther = 1.0 if self.clusters is None else self.clusters.expansion(confidence)
        for ci, off, size in ((point.tpr_interval, optimism[:, 0], sizes[0]),
                               (point.fpr_interval, optimism[:, 1], sizes[1])):  # fmt: skip
            centre, spread = min(1.0, max(0.0, ci.estimate - float(off.mean()))), farther**2 * float(off.var(ddof=1))
            rows = min(size, centre * (1 - centre) / spread) if spread > 0 and 0 < centre < 1 else size
            low, high = share_limits(centre * rows, rows, "wilson", ci.confidence)
            rates.append(replace(
                ci, low=min(ci.low, float(low)), high=max(ci.high, float(high)), method="wilson-optimism", note=note
            ))  # fmt: skip
        return replace(point, tpr_interval=rates[0], fpr_interval=rates[1], note=note)

    def operating_point(
        self, *, prior: Prior | None = None, cost_fp: float = 1.0, cost_fn: float = 1.0, cost_tp: float = 0.0,
        cost_tn: float = 0.0, confidence: float = 0.95, replicates: int = 1000, rng: Rng = None,
    ) -> OperatingPoint:  # fmt: skip
        """The cheapest threshold where positives are this common and calls cost this much, and what it really costs.

        Without `prior` positives are as common as in these rows. See `OperatingPoint`.
        """
        self._need_thresholds()
        condition = self.condition(prior, cost_fp=cost_fp, cost_fn=cost_fn, cost_tp=cost_tp, cost_tn=cost_tn)
        return choose_point(
            self, condition, own_prior=prior is None, confidence=confidence, replicates=replicates, rng=rng
        )

    def condition(self, prior: Prior | None = None, **costs: float) -> Condition:
        """A share of positives (that of these rows, unless given) and the costs of calls."""
        return Condition(self.prevalence if prior is None else score_share(prior, self.table), **costs)

    def iso_accuracy(self, accuracy: float, *, prior: Prior | None = None) -> IsoLine:
        """The line of points with this accuracy: slope P(−)/P(+)."""
        return iso_accuracy(accuracy, self.condition(prior).prior)

    def iso_cost(self, cost: float, *, prior: Prior | None = None, **costs: float) -> IsoLine:
        """The line of points with this mean cost of a row; costs as in `operating_point`."""
        return iso_cost(cost, self.condition(prior, **costs))

    def hull(self) -> RocHull:
        """The convex hull: what mixtures of thresholds reach."""
        from trueerror.curves._hull import roc_hull

        return roc_hull(self)

    def _point(self, place: int, confidence: float, threshold: float | None = None, note: str = "") -> RocPoint:
        """The point at which the `place` highest distinct scores are predicted positive."""
        threshold = float(self.thresholds[place]) if threshold is None else threshold
        note = sentences_of((note, self._units, self.caution))
        fpr, tpr = (
            self._rate(metric, place, threshold, confidence=confidence, name=word, note=note)
            for word, metric in (("fpr", "false_positive_rate"), ("tpr", "recall"))
        )
        return RocPoint(
            threshold=threshold, fpr=fpr.estimate, tpr=tpr.estimate, fpr_interval=fpr, tpr_interval=tpr,
            positives=float(self.table.n_positive), negatives=float(self.table.n_negative), note=note,
        )  # fmt: skip

    def _figures(self) -> Figures:
        return [
            *([] if self._of_labels else [("the area", self.auc())]),
            ("TPR and FPR at one threshold, .at()", self._of_shares),
            ("the band, .band()", "roc-band-wilson"),
            ('the band, .band("simultaneous")', "roc-band-fixed-width"),
            *([] if self.calls else [("the cost of the cheapest threshold, .operating_point()", "cost-out-of-bag")]),
        ]

    def records(self) -> Records:
        """One record for each threshold, with the four counts and the rates; where scores are binned, also between
        which rates the curve lies at thresholds within the bin that starts there, whose highest score is `up_to`."""
        first, *rest = counted_records(self.table)
        if self.table.exact:
            return [first, *rest]
        inside = self.table.bounds.records(("fpr", "tpr"))
        return [{**first, **dict.fromkeys(inside[0])}, *({**a, **b} for a, b in zip(rest, inside, strict=True))]

    def corners(self) -> Records:
        """The records of the points where the curve turns: a threshold between two rows of one class turns nothing.

        >>> [(r["fpr"], r["tpr"]) for r in roc([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1]).corners()]
        [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
        """
        right, up = np.diff(self._fp), np.diff(self._tp)
        turns = right[:-1] * up[1:] != right[1:] * up[:-1]
        return [record for record, kept in zip(self.records(), [True, *turns, True], strict=True) if kept]

    def _words(self) -> str:
        if self._of_labels:
            point = self.at(threshold=1.0)
            return f"ROC curve{self._subject()}, which has labels and no scores: one point, and no area.\n{point}"
        kind = "distinct scores" if self.table.exact else "bins of scores"
        rows = (
            f"{whole(self.table.n_positive)} positives ({self.table.positive!r}), {whole(self.table.n_negative)} "
            f"negatives, {whole(len(self.table.scores))} {kind}"
        )
        return f"ROC curve{self._subject()}: {self._rows_words(rows)}.\n{self.auc()}"


def _rates(counts: Counts) -> Floats:
    total = downward(counts)
    total /= total[-1]
    return frozen(total)


# True and false positives at each cutoff, positives and negatives → the value of the cutoff; higher is better.
Gain = Callable[[Floats, Floats, float, float], Floats]
_GAINS: dict[str, Gain] = {
    "youden": lambda tp, fp, up, down: tp / up - fp / down,
    "closest": lambda tp, fp, up, down: -np.hypot(1 - tp / up, fp / down),
    "accuracy": lambda tp, fp, up, down: (tp - fp) / (up + down),
    "f1": lambda tp, fp, up, down: 2 * tp / (tp + fp + up),
}


def _optimism(
    table: ScoreTable, gain: Gain, replicates: int, rng: Rng, clusters: CurveClusters | None = None
) -> Floats:
    """By resample: how much higher TPR and FPR are in it, at the threshold that is best in it, than on all rows."""
    tp, fp = (downward(c) for c in balanced_groups(table))
    optimism = []
    for bag in bags(table, replicates=replicates, rng=rng, clusters=clusters):
        up, down = downward(bag.positives), downward(bag.negatives)
        if not up[-1] or not down[-1]:
            continue
        place = int(np.argmax(gain(up, down, float(up[-1]), float(down[-1]))))
        optimism.append((up[place] / up[-1] - tp[place] / tp[-1], down[place] / down[-1] - fp[place] / fp[-1]))
    return np.array(optimism, dtype=np.float64).reshape(-1, 2)
