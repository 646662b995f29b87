"""Metrics of a score table: areas, mean losses of probabilities, calibration errors.

Intervals of metrics from binned scores: what binning leaves open goes into the limits, and into the note.

The limits hold for every order that the rows may have within bins: the lower one is at most, the upper one at least
that of the exact table, whichever it is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.inference._problem import NotOffered
from trueerror.inference._sampling import Design
from trueerror.inference._spec import Terms
from trueerror.inference.auc._binned import area_reach, precision_reach
from trueerror.inference.auc._delong import delong_from_table, satterthwaite
from trueerror.inference.auc._interval import AREA_METHODS, area_limits, effective_rows
from trueerror.inference.bootstrap._tables import bootstrap_of_scores
from trueerror.inference.calibration import calibration_error_limits
from trueerror.inference.loss._mean import INFINITE, LOSS_METHODS, loss_interval, loss_limits, loss_range
from trueerror.inference.proportion._array_intervals import limits, on_logit
from trueerror.inputs._options import InputError
from trueerror.metrics._binned import NO_BOUND, bound_words, metric_bounds, middled, with_scores
from trueerror.metrics._registry import Measure
from trueerror.metrics._values import Prior, score_share, undefined_reason, value
from trueerror.metrics.probabilities import loss_moments, table_losses
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable


def with_bounds(
    found: Interval,
    measure: Measure,
    table: ScoreTable,
    terms: Terms,
    *,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    prior: Prior | None = None,
) -> Interval:
    """The interval widened to hold that of the exact table, whatever it is; the same where the table is exact.

    Areas, average precision and mean losses have limits of their own for this (`area_reach`, `precision_reach`);
    those of a bootstrap move out by what is open, and areas' grow in the ratio of the largest to the binned standard
    error besides. `method` is the one that was asked for.
    """
    if table.exact or math.isnan(found.estimate):
        return found
    chosen = options or {}
    bounds = metric_bounds(measure, table, options=chosen, prior=prior)
    if bounds is None:
        return noted(found, NO_BOUND)
    low, high = moved(found, bounds)
    if measure.area:
        low, high = _area(found, measure, table, terms, method, (low, high))
    elif measure.name == "average_precision" and not found.method.startswith("bootstrap"):
        low, high = precision_reach(bounds, float(table.n_positive), terms)
    elif measure.of_losses and not found.method.startswith("bootstrap") and prior is None:
        low, high = _loss_reach(found, measure, table, bounds, chosen, terms)
    ends = loss_range(measure, chosen)
    low, high = max(ends[0], min(low, found.low)), min(ends[1], max(high, found.high))
    if terms.side == "upper":
        low = found.low
    elif terms.side == "lower":
        high = found.high
    return noted(replace(found, low=low, high=high), bound_words(bounds))


def moved(found: Interval, bounds: Bounds) -> tuple[float, float]:
    """The limits moved out by as much as the exact value may be off."""
    return found.low - (found.estimate - bounds.low), found.high + (bounds.high - found.estimate)


def widened(found: Interval, bounds: Bounds, within: tuple[float, float]) -> Interval:
    """An interval of a statistic that is known only between bounds: its limits move out with them."""
    low, high = moved(found, bounds)
    low, high = max(within[0], min(low, found.low)), min(within[1], max(high, found.high))
    return noted(replace(found, low=low, high=high), bound_words(bounds))


def noted(found: Interval, words: str) -> Interval:
    """The interval with something added to its note."""
    return replace(found, note="; ".join(x for x in (found.note, words) if x))


def _area(
    found: Interval,
    measure: Measure,
    table: ScoreTable,
    terms: Terms,
    method: str | None,
    moved_out: tuple[float, float],
) -> tuple[float, float]:
    if not found.method.startswith("bootstrap"):
        # Where a bootstrap shows no spread, the usual method stands in.
        low, high = area_reach(table, terms, method if method in AREA_METHODS else AREA_METHODS[0])
        return (low, high) if measure.name == "auc" else (2 * low - 1, 2 * high - 1)
    variance = float(delong_from_table(table.positives, table.negatives).covariance[0, 0])
    growth = table.bounds.standard_error_slack() / math.sqrt(variance) if variance > 0 else 0.0
    return (
        moved_out[0] - growth * (found.estimate - found.low),
        moved_out[1] + growth * (found.high - found.estimate),
    )


def _loss_reach(
    found: Interval, measure: Measure, table: ScoreTable, bounds: Bounds, options: dict[str, Any], terms: Terms
) -> tuple[float, float]:
    """The outer limits of the smallest and the largest mean with the largest standard error.

    The losses of a bin lie between those at its ends; a standard error is a norm, so it grows by no more than that of
    how far the losses may be off.
    """
    if not math.isfinite(bounds.high):
        return loss_range(measure, options)  # the standard error may be anything
    if table.squares is not None:
        return moved(found, bounds)
    uppers = table.bounds.uppers
    middle = middled(table)
    moments = loss_moments(middle, measure, **options)
    at = [table_losses(x, measure, **options) for x in (middle, table, with_scores(table, uppers))]
    off = 0.0
    for side, rows in ((0, table.positives), (1, table.negatives)):
        there = rows > 0
        mine, lowest, highest = (x[side][there] for x in at)
        gap = np.maximum(np.abs(lowest - mine), np.abs(highest - mine))
        off += float((rows[there] * gap * gap).sum())
    n = float(table.n)
    if n < 2:
        return moved(found, bounds)
    error = moments.standard_error + math.sqrt(off / ((n - 1) * n))
    method = found.method if found.method in ("t-log-mean", "t-mean") else "t-mean"
    ends = loss_range(measure, options)
    made = [loss_limits(mean, error, n - 1, n, ends, terms, method) for mean in bounds]
    return min(x[0] for x in made), max(x[1] for x in made)


def score_interval(
    measure: Measure,
    table: ScoreTable,
    options: dict[str, Any],
    terms: Terms,
    method: str | None = None,
    *,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int = 2_000,
) -> Interval:
    """A metric of scores, and where the true value may lie; binned scores widen it by what they leave open."""
    # Probabilities are best read in the middle of a bin; its lowest score is where a threshold is exact.
    used = middled(table) if measure.of_losses or measure.probabilities else table
    found = _score_interval(
        measure, used, options, terms, method, prior=prior, design=design, rng=rng, replicates=replicates
    )
    if table.exact:
        return found
    prior = None if measure.area else prior
    return with_bounds(found, measure, table, terms, method=method, options=options, prior=prior)


def _score_interval(
    measure: Measure,
    table: ScoreTable,
    options: dict[str, Any],
    terms: Terms,
    method: str | None,
    *,
    prior: Prior | None,
    design: Design,
    rng: Any,
    replicates: int,
) -> Interval:
    if measure.needs not in ("scores", "losses"):
        raise InputError(f"{measure.name} cannot be computed from a score table; it needs labels")
    if design == "case-control" and prior is None and not measure.area:
        raise InputError(
            f'{measure.name} depends on how common the positives are, which a sample with design="case-control" does '
            "not show: pass prior= (their share where the model will be used)"
        )
    prior = None if measure.area else prior
    estimate = value(measure, table, prior=prior, **options)
    n = float(table.n)
    if math.isnan(estimate):
        reason = undefined_reason(measure, table, prior=prior, **options)
        low, high = (b if math.isfinite(b) else math.nan for b in measure.range)
        key = method or "delong-logit" if measure.area else "bootstrap-bca"
        return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=reason)
    offered = _offered(measure)
    asked = offered[0] if method is None else "bootstrap-bca" if method == "bootstrap" else method
    if asked not in offered:
        raise NotOffered(str(method), measure.name, offered)
    why = ""
    if asked.startswith("bootstrap"):
        low, high, key, why = bootstrap_of_scores(
            measure, table, estimate, asked, terms, options, prior=prior, design=design, rng=rng, replicates=replicates
        )
        if low < high or offered[0].startswith("bootstrap"):
            return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=why)
        asked, why = offered[0], f"{why}: {offered[0]} instead of the bootstrap"
    if measure.of_losses:
        return _loss(measure, table, estimate, options, terms, prior, asked)
    if measure.calibration_error:
        share = None if prior is None else score_share(prior, table)
        low, high = calibration_error_limits(measure, table, estimate, options, terms, share=share)
        key, note = "calibration-gaps", ""
    elif measure.area:
        made = area_limits(table, (estimate + 1) / 2 if measure.name == "gini" else estimate, terms, asked)
        low, high = (2 * made.low - 1, 2 * made.high - 1) if measure.name == "gini" else (made.low, made.high)
        key, note = made.method, made.note
    else:
        low, high, key, note = average_precision_limits(estimate, effective_rows(table)[0], terms)
    note = "; ".join(x for x in (why, note) if x)
    return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=note)


def _offered(measure: Measure) -> tuple[str, ...]:
    resampled = ("bootstrap-bca", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal")
    if measure.area:
        return (*AREA_METHODS, *resampled)
    if measure.name == "average_precision":
        return ("boyd-logit", *resampled)
    if measure.calibration_error:
        return ("calibration-gaps", *resampled)
    return (*LOSS_METHODS, *resampled) if measure.of_losses else resampled


def average_precision_limits(estimate: float, positives: float, terms: Terms) -> tuple[float, float, str, str]:
    """Boyd's logit θ ± z/√(P·θ(1 − θ)); Wilson's interval at the P positives where P·θ(1 − θ) is below 1.

    There the logit interval widens without bound; at θ = 1 it has no width at all.
    """
    spread = positives * estimate * (1 - estimate)
    if spread < 1:
        low, high = limits(estimate * positives, positives, "wilson", terms.level, terms.side)
        rows = f"{whole(round(positives, 1))} positive{'' if positives == 1 else 's'}"
        note = f"few positives or a value near its end: Wilson's interval at the {rows}"
        return float(low), float(high), "wilson-boyd", note
    # Boyd's error on the logit scale is that of a proportion of P rows.
    low, high = on_logit(estimate, estimate * (1 - estimate) / positives, terms.factor())
    return float(low), float(high), "boyd-logit", ""


def _loss(
    measure: Measure,
    table: ScoreTable,
    estimate: float,
    options: dict[str, Any],
    terms: Terms,
    prior: Prior | None,
    method: str,
) -> Interval:
    """The mean of a loss over the rows of a score table: plain, weighted, or at another share of positives."""
    if prior is None and table.squares is None:
        return loss_interval(measure, loss_moments(table, measure, **options), options, terms, method)
    bounds = loss_range(measure, options)
    n = float(table.n)
    if math.isinf(estimate):
        return terms.interval(
            measure.name, estimate, math.nan, estimate, bounds=bounds, method=method, n=n, note=INFINITE
        )
    losses = table_losses(table, measure, **options)
    rows = effective_rows(table)
    classes = []
    masses = (np.asarray(table.positives, dtype=np.float64), np.asarray(table.negatives, dtype=np.float64))
    for i in (0, 1):
        mass = masses[i]
        there = mass > 0
        squares = mass if table.squares is None else table.squares[i]
        total = float(mass.sum())
        if total == 0:
            classes.append((0.0, 0.0, 0.0))
            continue
        mean = float((mass[there] * losses[i][there]).sum()) / total
        centre = estimate if prior is None else mean
        spread = float((squares[there] * (losses[i][there] - centre) ** 2).sum())
        classes.append((total, spread, rows[i]))
    if prior is None:
        assert table.squares is not None
        kish = (classes[0][0] + classes[1][0]) ** 2 / float(np.sum(table.squares))
        v = (classes[0][1] + classes[1][1]) / (classes[0][0] + classes[1][0]) ** 2 * kish / max(kish - 1, 1.0)
        df, size = kish - 1, kish
    else:
        share = score_share(prior, table)
        parts = [
            (w * w * spread / total**2 * r / max(r - 1, 1.0), max(r - 1, 1.0))
            for w, (total, spread, r) in zip((share, 1 - share), classes, strict=True)
            if total > 0
        ]
        v, size = sum(p[0] for p in parts), sum(rows)
        df = satterthwaite(*parts) if v > 0 else size - 1
    low, high, key, note = loss_limits(estimate, math.sqrt(v), df, size, bounds, terms, method)
    return terms.interval(measure.name, estimate, low, high, bounds=bounds, method=key, n=n, note=note)
