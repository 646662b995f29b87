"""ROC curves over the folds of a cross-validation: averaged, pooled, their AUC four ways, and whether scores of
different folds can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from trueerror.curves._base import TableCurve, columns_to_records, frozen
from trueerror.curves._input import is_predictions
from trueerror.curves._lines import top_at
from trueerror.curves._points import Counts, Figures, Records, counts_at_cutoffs, cutoffs
from trueerror.curves._precision_recall import PrecisionRecall
from trueerror.curves._replicates import bootstrap_area
from trueerror.curves._roc import Roc
from trueerror.inference._binned_limits import widened
from trueerror.inference._problem import IntervalSpec, critical_t
from trueerror.inference.auc._interval import area_limits, newcombe_area_limits
from trueerror.inference.auc._within_folds import fold_comparability, within_folds_interval
from trueerror.inference.proportion._distributions import on_logit
from trueerror.inputs._arrays import Floats, numbers
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word
from trueerror.kernels._numpy import table_placements
from trueerror.metrics.scores import auc, average_precision
from trueerror.results import Interval, Result
from trueerror.results._format import folded, number, percent, with_limits
from trueerror.sources._collect import is_openable, opened
from trueerror.sources._predictions import Predictions
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable


class Folds(NamedTuple):
    """One score table a fold, in order; `repeats` rounds of folds over the same rows."""

    tables: tuple[ScoreTable, ...]
    repeats: int
    name: str = ""


def take_folds(data: Any, model: str | None, what: str) -> Folds:
    """Folds from Predictions with folds (a path or a table too), or from a list of score tables or curves."""
    if is_openable(data):
        data = opened(data)
    if is_predictions(data):
        return _from_predictions(data, model, what)
    if isinstance(data, ScoreTable) or not isinstance(data, Sequence):
        raise InputError(f"{what} takes a list of score tables or curves, one for each fold, or Predictions with folds")
    tables = []
    for i, item in enumerate(data):
        table = item if isinstance(item, ScoreTable) else getattr(item, "table", None)
        if not isinstance(table, ScoreTable):
            raise InputError(f"item {i + 1} of {what} is a {type(item).__name__}, not a score table or a curve")
        tables.append(table)
    if len(tables) < 2:
        raise InputError(f"{what} needs at least two, but got {len(tables)}")
    if len({t.positive for t in tables}) > 1:
        classes = " and ".join(sorted({repr(t.positive) for t in tables}))
        raise InputError(f"{what} must have one positive class, not {classes}")
    names = {str(getattr(item, "name", "")) for item in data}
    return Folds(tuple(tables), 1, names.pop() if len(names) == 1 else "")


def _from_predictions(data: Predictions, model: str | None, what: str) -> Folds:
    name = data.only(model)
    if not data.has_key("folds"):
        raise InputError(f"{what} from Predictions needs folds= (in te.read: fold=)")
    rounds = [data]
    if data.has_key("repeats"):
        rounds = [data.slice(r, "repeats") for r in data.keys("repeats").names]
    tables = [part.slice(f, "folds").scores(name) for part in rounds for f in part.keys("folds").names]
    if len(tables) < 2:
        raise InputError(f"{what} needs at least two folds, but there is one")
    return Folds(tuple(tables), len(rounds), name)


def comparability(tables: Sequence[ScoreTable]) -> str:
    """A warning where the scores of different folds do not lie on one scale, else "".

    Each fold's model may be fine by itself while its scores are shifted against the others'. Then pairs of rows from
    different folds are ordered worse than pairs of one fold, and within a class the folds' scores differ by more than
    chance (Kruskal and Wallis).

    >>> a = ScoreTable.count([0, 1] * 20, [i / 40 for i in range(40)])
    >>> comparability([a, a])
    ''
    """
    caution = fold_comparability(tables)
    return "" if caution is None else caution.words


How = Literal["vertical", "horizontal", "threshold"]
Interpolation = Literal["step", "linear"]
OVERLAP = "folds share training rows, so for the learner these bars are too short"


PoolableT = TypeVar("PoolableT", bound=TableCurve | ScoreTable)


def average_curves(
    curves: Any, *, how: How = "vertical", grid: ArrayLike | None = None, interpolation: Interpolation = "step",
    model: str | None = None, confidence: float = 0.95,
) -> AverageCurve | AveragePrecisionRecall:  # fmt: skip
    """The mean of several ROC curves, or of several precision–recall curves, such as those of folds, with error bars.

    "vertical" averages TPR at fixed FPRs (points joined by lines; on a vertical piece its top), "horizontal" FPR at
    fixed TPRs, "threshold" both at fixed thresholds, which wants scores on one scale. There "step" takes the rows from
    the threshold up as they are; "linear" interpolates between a curve's own thresholds, as R's ROCR does. `grid` gives
    the fixed values; by default 101 of them. Bars are mean ± t(k − 1)·sd/√k over the k curves. Source: Fawcett 2006,
    Pattern Recognit. Lett. 27:861, section 8; Provost, Fawcett and Kohavi 1998, ICML:445.

    Precision–recall curves are averaged at fixed recalls ("vertical"): between two thresholds the false positives grow
    in proportion to the true ones (Davis and Goadrich 2006, ICML:233), and a recall that several thresholds have counts
    by the best of their precisions. Curves of other kinds are refused.

    >>> folds = [ScoreTable.count([1, 0, 1, 0], s) for s in ([0.9, 0.8, 0.7, 0.1], [0.9, 0.2, 0.7, 0.1])]
    >>> mean = average_curves(folds, grid=[0, 0.5, 1])
    >>> mean.tpr.tolist(), mean.tpr_sd.round(3).tolist()
    ([0.75, 1.0, 1.0], [0.354, 0.0, 0.0])
    """
    check_word(how, ("vertical", "horizontal", "threshold"), "how")
    check_word(interpolation, ("step", "linear"), "interpolation")
    level = check_confidence(confidence)
    if interpolation != "step" and how != "threshold":
        raise InputError('interpolation= is for how="threshold": at fixed rates curves are read off as they are')
    kind = _one_kind(curves)
    folds = take_folds(curves, model, "an average of curves")
    if kind is PrecisionRecall:
        if how != "vertical":
            raise InputError(f'precision–recall curves are averaged at fixed recalls, how="vertical", not {how!r}')
        return average_precision_recall(folds, _fixed(how, grid, folds.tables), level)
    for i, table in enumerate(folds.tables):
        if not (table.n_positive > 0 and table.n_negative > 0):
            raise InputError(f"curve {i + 1} has rows of one class only, so it has no ROC points; leave it out")
    notes = [OVERLAP]
    off = max((t.bounds.largest for t in folds.tables if not t.exact), default=0.0)
    notes += [f"binned scores: rates within a bin are off by {off:.2g} at most"] if off else []
    points = [_roc_points(t) for t in folds.tables]
    fixed = _fixed(how, grid, folds.tables)
    if how == "vertical":
        sides = {"fpr": fixed, "tpr": np.stack([top_at(x, y, fixed) for x, y, _ in points])}
    elif how == "horizontal":
        # Seen from the side: the smallest FPR at which a TPR is reached.
        turned = [top_at(1 - y[::-1], 1 - x[::-1], 1 - fixed) for x, y, _ in points]
        sides = {"tpr": fixed, "fpr": 1 - np.stack(turned)}
    else:
        rates = [_at_thresholds(p, fixed, interpolation) for p in points]
        sides = {"fpr": np.stack([r[0] for r in rates]), "tpr": np.stack([r[1] for r in rates])}
        warning = comparability(folds.tables)
        notes += [warning] if warning else []
    return AverageCurve.of(
        sides, how=how, thresholds=fixed if how == "threshold" else None, confidence=level, name=folds.name,
        areas=np.array([auc(t) for t in folds.tables]), note="; ".join(notes),
    )  # fmt: skip


def _one_kind(curves: Any) -> type[TableCurve] | None:
    """What the curves are, where they are ROC or precision–recall curves; None for score tables and predictions."""
    if not isinstance(curves, Sequence) or isinstance(curves, str):
        return None
    kinds = {type(c) for c in curves if isinstance(c, TableCurve)}
    other = sorted(kind.__name__ for kind in kinds if kind not in (Roc, PrecisionRecall))
    if other or len(kinds) > 1:
        what = other[0] if other else "both together"
        raise InputError(f"te.average_curves averages ROC curves, or precision–recall curves, and not {what}")
    return next(iter(kinds), None)


def average_precision_recall(folds: Folds, recall: Floats, confidence: float) -> AveragePrecisionRecall:
    """The mean precision of several curves at fixed recalls, with mean ± t(k − 1)·sd/√k."""
    for i, table in enumerate(folds.tables):
        if not table.n_positive > 0:
            raise InputError(f"curve {i + 1} has no positive rows, so it has no recall; leave it out")
    values = np.stack([precision_at(table, recall) for table in folds.tables])
    k = len(values)
    mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1)
    reach = critical_t(confidence, k - 1) * sd / math.sqrt(k)
    return AveragePrecisionRecall(
        name=folds.name, recall=recall, precision=mean, sd=sd, low=np.clip(mean - reach, 0.0, 1.0),
        high=np.clip(mean + reach, 0.0, 1.0), areas=np.array([average_precision(t) for t in folds.tables]),
        confidence=confidence, note=OVERLAP,
    )  # fmt: skip


def precision_at(table: ScoreTable, recall: Floats) -> Floats:
    """Precision at any recall: on a step its top; between two thresholds false positives grow with the true ones.

    >>> table = ScoreTable.count([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> precision_at(table, np.array([0.0, 0.5, 0.75, 1.0])).round(3).tolist()
    [1.0, 1.0, 0.6, 0.667]
    """
    counts = counts_at_cutoffs(table)
    tp, fp = np.asarray(counts.tp), np.asarray(counts.fp)
    wanted = np.asarray(recall, dtype=np.float64) * float(tp[-1])
    first = np.searchsorted(tp, wanted * (1 - 1e-12), side="left")
    on_step = np.isclose(tp[first], wanted, rtol=1e-12, atol=0.0)
    alarms = np.where(on_step, fp[first], np.interp(wanted, tp, fp))
    start = int(np.searchsorted(tp, 0.0, side="right"))
    level = float(tp[start] / (tp[start] + fp[start])) if fp[start - 1] == 0 else 0.0
    return np.where(wanted > 0, wanted / np.where(wanted > 0, wanted + alarms, 1.0), level)


def pool_curves(curves: Sequence[PoolableT]) -> PoolableT:
    """One curve of all rows: the tables of the given curves added up, as a curve of the same kind.

    The scores of different folds must lie on one scale; `te.curves.comparability` says where they do not.

    >>> a, b = (ScoreTable.count([1, 0], s) for s in ([0.9, 0.1], [0.4, 0.6]))
    >>> pool_curves([a, b]).n
    4
    """
    if is_predictions(curves) or is_openable(curves):
        raise InputError("te.pool_curves pools curves; for all rows of a table in one curve use te.roc(table, model=…)")
    folds = take_folds(curves, None, "a pooled curve")
    table = ScoreTable.total(folds.tables)
    first = curves[0]
    if isinstance(first, ScoreTable):
        return cast("PoolableT", table)
    kinds = {type(c) for c in curves}
    if len(kinds) > 1:
        raise InputError(f"curves of one kind can be pooled, not {' and '.join(sorted(k.__name__ for k in kinds))}")
    data = {**first._to_data(), "table": table}
    if len({str(getattr(c, "name", "")) for c in curves}) > 1:
        data["name"] = ""
    return type(first)._from_data(data)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AverageCurve(Result):
    """The mean ROC curve: `fpr` and `tpr`, each with its standard deviation over the curves and the ends of its error
    bar; those of the fixed side are NaN. `areas` are the curves' own AUCs; `area` is the AUC of the learner where an
    experiment made the curve, with the interval that its plan calls for.
    """

    name: str = ""
    how: How
    fpr: Floats
    tpr: Floats
    fpr_sd: Floats
    tpr_sd: Floats
    fpr_low: Floats
    fpr_high: Floats
    tpr_low: Floats
    tpr_high: Floats
    thresholds: Floats | None = None
    areas: Floats
    confidence: float = 0.95
    note: str = ""
    area: Interval | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("name", "how", "confidence", "note", "area") or value is None:
                continue
            # Read back from JSON, NaN is None.
            array = np.array([math.nan if v is None else v for v in value], dtype=np.float64)
            object.__setattr__(self, field.name, frozen(array))

    @classmethod
    def of(cls, sides: dict[str, Floats], **facts: Any) -> AverageCurve:
        """From one array of values for each side: (curves, points), or (points,) where it is fixed."""
        columns: dict[str, Any] = {}
        for side, values in sides.items():
            if values.ndim == 1:
                nothing = np.full(len(values), math.nan)
                columns |= {side: values, f"{side}_sd": nothing, f"{side}_low": nothing, f"{side}_high": nothing}
                continue
            k = len(values)
            mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1)
            reach = critical_t(facts["confidence"], k - 1) * sd / math.sqrt(k)
            low, high = np.clip(mean - reach, 0.0, 1.0), np.clip(mean + reach, 0.0, 1.0)
            columns |= {side: mean, f"{side}_sd": sd, f"{side}_low": low, f"{side}_high": high}
        return cls(**columns, **facts)

    def auc(self, *, confidence: float | None = None) -> Interval:
        """The `area` of an experiment; else the mean of the curves' areas ± t(k − 1)·sd/√k."""
        if self.area is not None:
            if confidence not in (None, self.area.confidence):
                raise InputError('this area is that of an experiment: ask .estimate(metric="auc", confidence=…) of it')
            return self.area
        return mean_t_interval(self.areas, confidence=self.confidence if confidence is None else confidence)

    def _made_by(self) -> Figures:
        return [("the mean curve and its error bars", "average-curve"), ("the mean area", self.auc())]

    def records(self) -> Records:
        """One record for each point."""
        names = ["fpr", "tpr", "fpr_sd", "tpr_sd", "fpr_low", "fpr_high", "tpr_low", "tpr_high"]
        names += [] if self.thresholds is None else ["thresholds"]
        return columns_to_records(names, (getattr(self, n) for n in names))

    def __str__(self) -> str:
        area = self.auc()
        subject = f" of {self.name}" if self.name else ""
        auc_words = f"mean AUC {number(area.estimate)}"
        if self.area is not None:
            auc_words = (
                f"AUC {with_limits(area.estimate, area.low, area.high)} ({percent(area.confidence)} {area.method})"
            )
        return folded(
            f"Mean of {len(self.areas)} ROC curves{subject} ({self.how} averaging), {len(self.fpr)} points; "
            f"{auc_words}.\nNote: {self.note}."
        )

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AveragePrecisionRecall(Result):
    """The mean of precision–recall curves: at each `recall` the mean `precision`, its standard deviation over the
    curves and the ends of its error bar, `low` to `high`. `areas` are the curves' own average precisions.
    """

    name: str = ""
    recall: Floats
    precision: Floats
    sd: Floats
    low: Floats
    high: Floats
    areas: Floats
    confidence: float = 0.95
    note: str = ""

    def __post_init__(self) -> None:
        for side in ("recall", "precision", "sd", "low", "high", "areas"):
            object.__setattr__(self, side, frozen(np.array(getattr(self, side), dtype=np.float64)))

    def average_precision(self, *, confidence: float | None = None) -> Interval:
        """The mean of the curves' average precisions ± t(k − 1)·sd/√k."""
        level = self.confidence if confidence is None else confidence
        return replace(mean_t_interval(self.areas, confidence=level), name="mean average precision")

    def _made_by(self) -> Figures:
        return [
            ("the mean curve and its error bars", "average-curve"),
            ("the mean average precision", self.average_precision()),
        ]

    def records(self) -> Records:
        """One record for each recall."""
        names = ("recall", "precision", "sd", "low", "high")
        return columns_to_records(names, (getattr(self, n) for n in names))

    def __str__(self) -> str:
        subject = f" of {self.name}" if self.name else ""
        return folded(
            f"Mean of {len(self.areas)} precision–recall curves{subject} (at fixed recalls), {len(self.recall)} "
            f"points; mean average precision {number(self.average_precision().estimate)}.\nNote: {self.note}."
        )

    __repr__ = __str__


def _roc_points(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    counts = counts_at_cutoffs(table)
    return counts.fp / counts.fp[-1], counts.tp / counts.tp[-1], cutoffs(table)


def _fixed(how: How, grid: ArrayLike | None, tables: Sequence[ScoreTable]) -> Floats:
    if grid is not None:
        fixed = numbers(grid, "grid")
        if how != "threshold" and not ((fixed >= 0) & (fixed <= 1)).all():
            raise InputError(f"grid of {how} averaging must lie between 0 and 1")
        return fixed[::-1] if how == "threshold" and len(fixed) > 1 and fixed[0] < fixed[-1] else fixed
    if how != "threshold":
        return np.linspace(0.0, 1.0, 101)
    scores = np.unique(np.concatenate([t.scores[np.isfinite(t.scores)] for t in tables]))
    if len(scores) > 101:
        scores = scores[np.linspace(0, len(scores) - 1, 101).round().astype(np.intp)]
    return scores[::-1]


def _at_thresholds(
    points: tuple[Floats, Floats, Floats], wanted: Floats, interpolation: Interpolation
) -> tuple[Floats, Floats]:
    fpr, tpr, thresholds = points
    ascending = thresholds[::-1]
    if interpolation == "step":
        place = len(thresholds) - np.searchsorted(ascending, wanted, side="left") - 1
        return fpr[place], tpr[place]
    finite = ascending[np.isfinite(ascending)]
    # The point at infinity is drawn one mean step above the highest score.
    step = float(np.diff(finite).mean()) if len(finite) > 1 else 1.0
    places = np.where(np.isfinite(ascending), ascending, finite[-1] + step)
    return np.interp(wanted, places, fpr[::-1]), np.interp(wanted, places, tpr[::-1])


FoldMethod = Literal["within-folds", "ledell", "mean-t", "corrected-t", "pooled-bootstrap"]
FOLD_METHODS: tuple[FoldMethod, ...] = ("within-folds", "ledell", "mean-t", "corrected-t", "pooled-bootstrap")


def auc_over_folds(
    folds: Any, *, method: FoldMethod = "within-folds", model: str | None = None, test_train_ratio: float | None = None,
    confidence: float = 0.95, replicates: int = 2000, rng: Rng = None,
) -> Interval:  # fmt: skip
    """The AUC of a cross-validation with limits; `folds`: a list of score tables or curves, or Predictions with folds.

    "within-folds": the mean over folds, for these K models on rows like these; DeLong's variance pooled over the folds,
    limits on the logit scale. "ledell": the same with the variance of influence curves, too narrow with few positives.
    "corrected-t": the mean over folds, for the learner; the variance takes in that training sets overlap, by
    `test_train_ratio`, the test rows over the training rows (by default from the folds' sizes). "mean-t": mean ±
    t(K − 1)·s/√K, which overlooks that. "pooled-bootstrap": the area of all rows in one ranking, for which scores of
    different folds must be comparable; the note says so where they are not. Folds with one class have no area: they
    are left out, and the note says so.

    Source: LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583; Nadeau and Bengio 2003, Machine Learning
    52:239.

    >>> parts = [ScoreTable.count([0, 0, 0, 1, 1, 1], s) for s in ([1, 2, 4, 3, 5, 6], [1, 3, 2, 4, 6, 5])]
    >>> area = auc_over_folds(parts, method="mean-t")
    >>> round(area.estimate, 4), round(area.low, 4), area.high
    (0.9444, 0.2385, 1.0)
    """
    level = check_confidence(confidence)
    check_word(method, FOLD_METHODS, "method")
    taken = take_folds(folds, model, "an area over folds")
    kept = [t for t in taken.tables if t.n_positive > 0 and t.n_negative > 0]
    lost = len(taken.tables) - len(kept)
    notes = [f"{lost} fold{'s' if lost > 1 else ''} with one class left out"] if lost else []
    if len(kept) < 2:
        raise InputError("fewer than two folds have rows of both classes; use fewer, larger, stratified folds")
    if taken.repeats > 1 and method in ("within-folds", "ledell", "pooled-bootstrap"):
        raise InputError(
            f'method={method!r} would count each row once for every repeat; "corrected-t" is made for repeated folds'
        )
    if method == "pooled-bootstrap":
        return _pooled(taken, notes, level, replicates, rng)
    areas = np.array([auc(t) for t in kept])
    if method == "within-folds":
        spec = IntervalSpec(confidence=level, estimand=f"these {len(kept)} models")
        return _bounded(within_folds_interval(taken.tables, name="AUC over folds", spec=spec), kept, 0.0)
    if method == "ledell":
        return _bounded(_ledell(kept, areas, notes, level), kept, 0.0)
    rows = float(sum(t.n for t in taken.tables))
    size = (sum(float(t.n_positive) for t in kept), sum(float(t.n_negative) for t in kept))
    if method == "mean-t":
        return _bounded(
            mean_t_interval(areas, confidence=level, rows=rows, classes=size, notes=notes), kept, 1 / len(areas)
        )
    ratio = test_train_ratio
    if ratio is None:
        test = rows / len(taken.tables)
        ratio = test / (rows / taken.repeats - test)
    if not ratio > 0:
        raise InputError(f"test_train_ratio={ratio!r} must be positive: test rows over training rows, 1/9 in ten folds")
    if taken.repeats == 1:
        notes.append("one round of folds: conservative")
    interval = _t_interval(
        areas, 1 / len(areas) + ratio, "corrected-t-auc", "this learner", level, rows / taken.repeats, size, notes
    )
    return _bounded(interval, kept, 1 / len(areas) + ratio)


def _bounded(found: Interval, tables: list[ScoreTable], factor: float) -> Interval:
    """The limits moved out by what binned scores leave open of the mean area, and of the spread of the areas, whose
    square times `factor` is the variance. A spread is a norm, so it is off by no more than that of the slacks."""
    if all(t.exact for t in tables):
        return found
    ends = np.array([t.bounds.auc() for t in tables])
    off = float((np.diff(ends, axis=1) ** 2).sum()) / 4 / (len(tables) - 1)
    more = critical_t(found.confidence, len(tables) - 1) * math.sqrt(off * factor)
    wide = replace(found, low=max(0.0, found.low - more), high=min(1.0, found.high + more))
    return widened(wide, Bounds(*(float(x) for x in ends.mean(axis=0))), (0.0, 1.0))


def mean_t_interval(
    areas: Floats,
    *,
    confidence: float,
    rows: float | None = None,
    classes: tuple[float, float] | None = None,
    notes: list[str] | None = None,
) -> Interval:
    """mean ± t(K − 1)·s/√K over the areas of the folds."""
    words = [*(notes or []), "the folds' models share training rows: too narrow for the learner"]
    return _t_interval(areas, 1 / len(areas), "mean-t", "these K models", confidence, rows, classes, words)


def _t_interval(
    areas: Floats, factor: float, method: str, estimand: str, confidence: float, rows: float | None,
    classes: tuple[float, float] | None, notes: list[str],
) -> Interval:  # fmt: skip
    mean, spread = float(areas.mean()), float(areas.std(ddof=1))
    low = high = math.nan
    if spread > 1e-12:
        reach = critical_t(confidence, len(areas) - 1) * spread * math.sqrt(factor)
        low, high = max(0.0, mean - reach), min(1.0, mean + reach)
    elif classes is not None:
        low, high = newcombe_area_limits(mean, *classes, IntervalSpec(confidence=confidence).factor())
        notes = [*notes, "all folds have the same area: Newcombe's method 5 over all rows instead"]
        method = "newcombe-auc"
    else:
        notes = [*notes, "all curves have the same area, so their spread tells nothing"]
    return Interval(
        name="AUC over folds", estimate=mean, low=low, high=high, confidence=confidence, method=method, n=rows,
        note="; ".join(notes), estimand=estimand,
    )  # fmt: skip


def _ledell(tables: list[ScoreTable], areas: Floats, notes: list[str], confidence: float) -> Interval:
    if any(t.squares is not None for t in tables):
        raise InputError('method="ledell" takes rows that count, not sampling weights; use "mean-t" or "corrected-t"')
    up = float(sum(t.n_positive for t in tables))
    down = float(sum(t.n_negative for t in tables))
    rows = up + down
    variances = [_mean_squared_influence(t, a, rows / up, rows / down) for t, a in zip(tables, areas, strict=True)]
    variance = float(np.mean(variances)) / rows
    mean = float(areas.mean())
    factor = IntervalSpec(confidence=confidence).factor()
    method = "ledell"
    if not variance > 0 or not 0 < mean < 1:
        low, high = newcombe_area_limits(mean, up, down, factor)
        method = "newcombe-auc"
        notes = [*notes, "no variance within folds: Newcombe's method 5 over all rows instead"]
    else:
        low, high = (float(x) for x in on_logit(mean, variance, factor))
    return Interval(
        name="AUC over folds", estimate=mean, low=low, high=high, confidence=confidence, method=method, n=rows,
        note="; ".join(notes), estimand=f"these {len(tables)} models",
    )  # fmt: skip


def _mean_squared_influence(table: ScoreTable, area: float, weight_up: float, weight_down: float) -> float:
    """The mean over a fold's rows of IC²; IC is weight·(share of the other class beaten, ties half, − the area)."""
    beats, beaten = table_placements(table.positives, table.negatives)
    of_up = weight_up * (beats / (2 * float(table.n_negative)) - area)
    of_down = weight_down * (beaten / (2 * float(table.n_positive)) - area)
    total = float(table.positives @ of_up**2 + table.negatives @ of_down**2)
    return total / float(table.n)


def _pooled(folds: Folds, notes: list[str], confidence: float, replicates: int, rng: Rng) -> Interval:
    table = ScoreTable.total(folds.tables)
    warning = comparability(folds.tables)
    estimate = float(auc(table))
    analytic = area_limits(table, estimate, IntervalSpec(confidence=confidence))
    pooled = bootstrap_area(
        table, _areas, name="AUC of the pooled folds", estimate=estimate, confidence=confidence, replicates=replicates,
        rng=rng, fallback=(analytic.low, analytic.high, analytic.method), estimand=f"these {len(folds.tables)} models",
    )  # fmt: skip
    words = [w for w in (*notes, warning, pooled.note) if w]
    return replace(pooled, note="; ".join(words))


def _areas(positives: Counts, negatives: Counts) -> Floats:
    no_table = cast(ScoreTable, None)  # with counts given, the metric does not look at its table
    return np.asarray(auc(no_table, (positives, negatives)), dtype=np.float64)
