"""The area under the ROC curve over the folds of a cross-validation, four ways."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.folds import Folds, comparability, pooled_table, take_folds
from trueerror.curves.replicates import bootstrap_area
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.intervals.binned import widened
from trueerror.intervals.critical import critical_t
from trueerror.intervals.roc_area import FEW, area_limits, newcombe_limits
from trueerror.intervals.scales import on_logit
from trueerror.intervals.terms import Terms
from trueerror.kernels.ranks import table_placements
from trueerror.metrics.areas import auc
from trueerror.results import Interval
from trueerror.tallies.bounds import Bounds
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
FoldMethod = Literal["ledell", "mean-t", "corrected-t", "pooled-bootstrap"]
FOLD_METHODS: tuple[FoldMethod, ...] = ("ledell", "mean-t", "corrected-t", "pooled-bootstrap")


def auc_over_folds(
    folds: Any,
    *,
    method: FoldMethod = "ledell",
    model: str | None = None,
    test_train_ratio: float | None = None,
    confidence: float = 0.95,
    replicates: int = 2000,
    rng: Any = None,
) -> Interval:
    """The AUC of a cross-validation with limits; `folds`: a list of score tables or curves, or Predictions with folds.

    "ledell": the mean over folds, for these K models on rows like these; influence curves, limits on the logit scale.
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
    if taken.repeats > 1 and method in ("ledell", "pooled-bootstrap"):
        raise InputError(
            f'method={method!r} would count each row once for every repeat; "corrected-t" is made for repeated folds'
        )
    if method == "pooled-bootstrap":
        return _pooled(taken, notes, level, replicates, rng)
    areas = np.array([auc(t) for t in kept])
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
    found = _t_interval(
        areas, 1 / len(areas) + ratio, "corrected-t-auc", "this learner", level, rows / taken.repeats, size, notes
    )
    return _bounded(found, kept, 1 / len(areas) + ratio)


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
    areas: Floats,
    factor: float,
    method: str,
    estimand: str,
    confidence: float,
    rows: float | None,
    classes: tuple[float, float] | None,
    notes: list[str],
) -> Interval:
    mean, spread = float(areas.mean()), float(areas.std(ddof=1))
    low = high = math.nan
    if spread > 1e-12:
        reach = critical_t(confidence, len(areas) - 1) * spread * math.sqrt(factor)
        low, high = max(0.0, mean - reach), min(1.0, mean + reach)
    elif classes is not None:
        low, high = newcombe_limits(mean, *classes, Terms(confidence=confidence).factor())
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
    factor = Terms(confidence=confidence).factor()
    own = newcombe_limits(mean, up, down, factor)
    method = "ledell"
    if not variance > 0 or not 0 < mean < 1:
        low, high = own
        method = "newcombe-auc"
        notes = [*notes, "no variance within folds: Newcombe's method 5 over all rows instead"]
    else:
        low, high = (float(x) for x in on_logit(mean, variance, factor))
        if min(up, down) * min(mean, 1 - mean) < FEW:
            low, high = min(low, own[0]), max(high, own[1])
            notes = [*notes, "few errors of order: the outer limits with Newcombe's method 5"]
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


def _pooled(folds: Folds, notes: list[str], confidence: float, replicates: int, rng: Any) -> Interval:
    table = pooled_table(folds.tables)
    warning = comparability(folds.tables)
    estimate = float(auc(table))
    made = area_limits(table, estimate, Terms(confidence=confidence))
    result = bootstrap_area(
        table, _areas, name="AUC of the pooled folds", estimate=estimate, confidence=confidence, replicates=replicates,
        rng=rng, fallback=(made.low, made.high, made.method), estimand=f"these {len(folds.tables)} models",
    )  # fmt: skip
    words = [w for w in (*notes, warning, result.note) if w]
    return Interval(**{**result.records()[0], "note": "; ".join(words)})  # type: ignore[arg-type]


def _areas(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
    no_table: Any = None  # with masses given, the metric does not look at its table
    return np.asarray(auc(no_table, (positives, negatives)), dtype=np.float64)
