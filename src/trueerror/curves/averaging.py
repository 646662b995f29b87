"""One curve, and one area, from the folds of a cross-validation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.folds import comparability, pooled_table, take_folds
from trueerror.curves.lines import top_at
from trueerror.curves.taking import is_predictions
from trueerror.curves.views import Floats, counts_at_cutoffs, cutoffs, frozen
from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import numbers
from trueerror.inputs.options import check_confidence, check_word
from trueerror.intervals.critical import critical_t
from trueerror.metrics.areas import auc
from trueerror.results import Interval, Result
from trueerror.results.words import folded, limits, number, percent
from trueerror.rows.openable import is_openable
from trueerror.tallies.scores import ScoreTable

How = Literal["vertical", "horizontal", "threshold"]
Interpolation = Literal["step", "linear"]
OVERLAP = "folds share training rows, so for the learner these bars are too short"


def average_curves(
    curves: Any,
    *,
    how: How = "vertical",
    grid: Any = None,
    interpolation: Interpolation = "step",
    model: str | None = None,
    confidence: float = 0.95,
) -> AverageCurve:
    """The mean of several ROC curves, such as those of the folds, with error bars.

    "vertical" averages TPR at fixed FPRs (points joined by lines; on a vertical piece its top), "horizontal" FPR at
    fixed TPRs, "threshold" both at fixed thresholds, which wants scores on one scale. There "step" takes the rows from
    the threshold up as they are; "linear" interpolates between a curve's own thresholds, as R's ROCR does. `grid` gives
    the fixed values; by default 101 of them. Bars are mean ± t(k − 1)·sd/√k over the k curves. Source: Fawcett 2006,
    Pattern Recognit. Lett. 27:861, section 8; Provost, Fawcett and Kohavi 1998, ICML:445.

    >>> folds = [ScoreTable.count([1, 0, 1, 0], s) for s in ([0.9, 0.8, 0.7, 0.1], [0.9, 0.2, 0.7, 0.1])]
    >>> mean = average_curves(folds, grid=[0, 0.5, 1])
    >>> mean.tpr.tolist(), mean.tpr_sd.round(3).tolist()
    ([0.75, 1.0, 1.0], [0.354, 0.0, 0.0])
    """
    check_word(how, ("vertical", "horizontal", "threshold"), "how")
    check_word(interpolation, ("step", "linear"), "interpolation")
    level = check_confidence(confidence)
    folds = take_folds(curves, model, "an average of curves")
    for i, table in enumerate(folds.tables):
        if not (table.n_positive > 0 and table.n_negative > 0):
            raise InputError(f"curve {i + 1} has rows of one class only, so it has no ROC points; leave it out")
    notes = [OVERLAP]
    off = max((t.bounds.largest for t in folds.tables if not t.exact), default=0.0)
    notes += [f"binned scores: rates within a bin are off by {off:.2g} at most"] if off else []
    points = [_roc_points(t) for t in folds.tables]
    fixed = _fixed(how, grid, folds.tables)
    if how == "vertical":
        made = {"fpr": fixed, "tpr": np.stack([top_at(x, y, fixed) for x, y, _ in points])}
    elif how == "horizontal":
        # Seen from the side: the smallest FPR at which a TPR is reached.
        turned = [top_at(1 - y[::-1], 1 - x[::-1], 1 - fixed) for x, y, _ in points]
        made = {"tpr": fixed, "fpr": 1 - np.stack(turned)}
    else:
        sides = [_at_thresholds(p, fixed, interpolation) for p in points]
        made = {"fpr": np.stack([s[0] for s in sides]), "tpr": np.stack([s[1] for s in sides])}
        warning = comparability(folds.tables)
        notes += [warning] if warning else []
    return AverageCurve.of(
        made, how=how, thresholds=fixed if how == "threshold" else None, confidence=level, name=folds.name,
        areas=np.array([auc(t) for t in folds.tables]), note="; ".join(notes),
    )  # fmt: skip


def pool_curves(curves: Sequence[Any]) -> Any:
    """One curve of all rows: the tables of the given curves added up, as a curve of the same kind.

    The scores of different folds must lie on one scale; `te.curves.comparability` says where they do not.

    >>> a, b = (ScoreTable.count([1, 0], s) for s in ([0.9, 0.1], [0.4, 0.6]))
    >>> pool_curves([a, b]).n
    4
    """
    if is_predictions(curves) or is_openable(curves):
        raise InputError("te.pool_curves pools curves; for all rows of a table in one curve use te.roc(table, model=…)")
    folds = take_folds(curves, None, "a pooled curve")
    table = pooled_table(folds.tables)
    first = curves[0]
    if isinstance(first, ScoreTable):
        return table
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
    def of(cls, sides: dict[str, NDArray[Any]], **facts: Any) -> AverageCurve:
        """From one array of values for each side: (curves, points), or (points,) where it is fixed."""
        made: dict[str, Any] = {}
        for side, values in sides.items():
            if values.ndim == 1:
                nothing = np.full(len(values), math.nan)
                made |= {side: values, f"{side}_sd": nothing, f"{side}_low": nothing, f"{side}_high": nothing}
                continue
            k = len(values)
            mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1)
            reach = critical_t(facts["confidence"], k - 1) * sd / math.sqrt(k)
            low, high = np.clip(mean - reach, 0.0, 1.0), np.clip(mean + reach, 0.0, 1.0)
            made |= {side: mean, f"{side}_sd": sd, f"{side}_low": low, f"{side}_high": high}
        return cls(**made, **facts)

    def auc(self, *, confidence: float | None = None) -> Interval:
        """The `area` of an experiment; else the mean of the curves' areas ± t(k − 1)·sd/√k."""
        from trueerror.curves.fold_areas import mean_t_interval

        if self.area is not None:
            if confidence not in (None, self.area.confidence):
                raise InputError('this area is that of an experiment: ask .estimate(metric="auc", confidence=…) of it')
            return self.area
        return mean_t_interval(self.areas, confidence=self.confidence if confidence is None else confidence)

    def _made_by(self) -> list[tuple[str, object]]:
        return [("the mean curve and its error bars", "average-curve"), ("the mean area", self.auc())]

    def records(self) -> list[dict[str, object]]:
        """One record for each point."""
        names = ["fpr", "tpr", "fpr_sd", "tpr_sd", "fpr_low", "fpr_high", "tpr_low", "tpr_high"]
        names += [] if self.thresholds is None else ["thresholds"]
        rows = zip(*(getattr(self, n) for n in names), strict=True)
        return [dict(zip(names, (float(v) for v in row), strict=True)) for row in rows]

    def __str__(self) -> str:
        area = self.auc()
        subject = f" of {self.name}" if self.name else ""
        own = f"mean AUC {number(area.estimate)}"
        if self.area is not None:
            own = (
                f"AUC {number(area.estimate)} {limits(area.low, area.high)} ({percent(area.confidence)} {area.method})"
            )
        return folded(
            f"Mean of {len(self.areas)} ROC curves{subject} ({self.how} averaging), {len(self.fpr)} points; {own}."
            f"\nNote: {self.note}."
        )

    def __repr__(self) -> str:
        return str(self)


def _roc_points(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    counts = counts_at_cutoffs(table)
    return counts.fp / counts.fp[-1], counts.tp / counts.tp[-1], cutoffs(table)


def _fixed(how: How, grid: Any, tables: Sequence[ScoreTable]) -> Floats:
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
